"""Warlords of Terra: ties that start again at the match between the tied, and tie-break rounds where it matters."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from checker.books import Event
from checker.lot import by_lot
from checker.plan import places_at_stake, swiss_is_over
from checker.records import Records, tiebreaker
from checker.tie_breaks import has_left, played_out, told

Value = Callable[[str], Hashable]
Above = tuple[str, ...]


def warlords_order(event: Event, records: Records, ranked: list[str], after: int | None) -> list[tuple[str, str]]:
    return Warlords(event, records, ranked, after).order()


class Warlords:
    """Each method orders a tied group: best first, with what decided against the next. `above`: who stands higher."""

    def __init__(self, event: Event, records: Records, ranked: list[str], after: int | None) -> None:
        self.event, self.records, self.ranked, self.after = event, records, ranked, after
        self.prizes, self.cut = places_at_stake(event) if swiss_is_over(event, after) else (0, 0)
        self.unresolved: list[list[str]] = []
        """Who has still to meet in a tie-break round, by tie."""

    def order(self) -> list[tuple[str, str]]:
        rows = self._parts(self.ranked, lambda who: self.records[who].points, "points", (), self._by_score)
        return [*rows[:-1], (rows[-1][0], "last")] if rows else []

    def _by_score(self, tied: list[str], above: Above) -> list[tuple[str, str]]:
        return self._parts(tied, self._figure("score"), "score", above, self._from_2)

    def _from_2(self, tied: list[str], above: Above) -> list[tuple[str, str]]:
        """Criteria 2, 3 and 4. The first that parts the group ends it: every smaller tie comes back here."""
        if len(tied) == 1:
            return [(tied[0], "")]
        steps: list[tuple[str, Value]] = []
        # Who plays for a place is past the Swiss rounds; that one of them is out since does not bring these back.
        playing = self._at_stake(above) and played_out(self.event, tied, self.after)
        if self._all_have_met(tied) and not playing:
            steps.append(("head_to_head", lambda who: self._among(who, tied)))
        steps += [(key, self._figure(key)) for key in ("opponents_points", "opponents_score")]
        for key, value in steps:
            if len({value(who) for who in tied}) > 1:
                return self._parts(tied, value, key, above, self._from_2)
        return self._from_5(tied, above)

    def _from_5(self, tied: list[str], above: Above, inside: bool = False) -> list[tuple[str, str]]:
        """Tie-break rounds, if there is something at stake; else, or until they are played, the lot.

        A place that was played for is not given by the Swiss rounds: those still level there play on, and only where
        nobody of them is there to do so, it is back to 2. `inside`: the tie is what a tie-break round left over.
        """
        story = told(self.event, tied, lambda taken: self._at_stake((*above, *taken)), self.after)
        if story.playing:
            self.unresolved.append(story.playing)
        if len(story.order) == 1:
            return self._from_2(tied, above) if inside and not story.playing else self._lot(tied)
        rows: list[tuple[str, str]] = []
        for place, level in enumerate(story.order):
            higher = (*above, *(who for who, _ in rows))
            if len(level) == 1 or (story.playing and place < len(story.order) - story.closed):
                ordered = self._lot(level)
            elif self._at_stake(higher):
                ordered = self._from_5(level, higher, inside=True)
            else:
                ordered = self._from_2(level, higher)
            rows += [*ordered[:-1], (ordered[-1][0], "tiebreak_round")]
        return rows

    def _at_stake(self, above: Above) -> bool:
        """A prize goes by the place, a place in the cut to the best of those who are still there."""
        there = sum(not has_left(self.event, who, self.after) for who in above)
        return len(above) < self.prizes or there < self.cut

    def _lot(self, tied: Sequence[str]) -> list[tuple[str, str]]:
        return [(who, "random") for who in sorted(tied, key=lambda who: by_lot(self.event, who))]

    def _parts(
        self,
        tied: Sequence[str],
        value: Value,
        key: str,
        above: Above,
        order: Callable[[list[str], Above], list[tuple[str, str]]],
    ) -> list[tuple[str, str]]:
        values: dict[Any, list[str]] = {}
        for who in tied:
            values.setdefault(value(who), []).append(who)
        rows: list[tuple[str, str]] = []
        for best in sorted(values, reverse=True):
            part = values[best]
            ordered = order(part, (*above, *(who for who, _ in rows))) if len(part) > 1 else [(part[0], "")]
            rows += [*ordered[:-1], (ordered[-1][0], key)]
        return rows

    def _figure(self, key: str) -> Value:
        return lambda who: tiebreaker(self.records, who, key)

    def _all_have_met(self, tied: Sequence[str]) -> bool:
        return all({o for o, _ in self.records[who].meetings} >= set(tied) - {who} for who in tied)

    def _among(self, who: str, tied: Sequence[str]) -> tuple[int, int]:
        """Points, then SCORE, in the matches among the tied alone."""
        given = [g for opponent, g in self.records[who].meetings if opponent in tied]
        return sum(g.points for g in given), sum(g.figures["score"] for g in given)
