"""A mend before it is done: which matches change and how, what is lost, and what somebody has to be warned of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.records import Match
from roundtap_core.result_json import result_to_json
from roundtap_core.wire import digest

SWAP, TABLE, PAIR, BYE_GIVEN, AGAIN, UNPUBLISH, WITHDRAW, IMPOSED = (
    "swap", "table", "pair", "bye", "again", "unpublish", "withdraw", "imposed")
"""What was done. All but AGAIN, which the pairing worked out, are by hand."""

MARK_DIGITS = 12


class Warned(Struct, frozen=True):
    """Something to be said before. `who`: the competitors it is about; `number`: a round, a table or a count.

    `kind`: "repeat" (they met in round `number`), "came_with", "bye_again" (`number` byes so far), "second_bye" (who
    has one in this round), "fixed_table" (who needs table `number`), "others_table" (table `number` is fixed for who),
    "lot_lost" and "picks_lost" (who said them), "win_lost" (who has the round because the other one left),
    "clock_runs", "missing" (who is in no match).
    """

    kind: str
    who: tuple[str, ...] = ()
    number: int | None = None


class Changed(Struct, frozen=True):
    """One match as it will be, by its id; `was`: as it is now, None for a new one. `revision`: the one it is at."""

    id: str
    match: Match
    was: Match | None
    revision: int = 0

    @property
    def same_pair(self) -> bool:
        return self.was is not None and (self.was.a, self.was.b, self.was.bye) == (
            self.match.a, self.match.b, self.match.bye)


class Mend(Struct, frozen=True):
    """All of one step. `gone` are the ids of entries that vanish, since whoever stood there alone plays elsewhere."""

    number: int
    what: str
    changes: tuple[Changed, ...] = ()
    gone: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    notes: Mapping[str, Any] = {}

    @property
    def mark(self) -> str:
        """Names this very step: the same as long as the same people, tables and warnings are meant."""
        return digest([
            self.number, self.what, list(self.gone),
            [[c.id, c.revision, match_to_json(c.match), c.was and match_to_json(c.was)] for c in self.changes],
            [[w.kind, list(w.who), w.number] for w in self.warnings],
        ])[:MARK_DIGITS]


def refuse_unless_shown(mend: Mend, plan: str) -> None:
    """Problem("mend_changed_meanwhile") where something else was shown than what would be done now;
    Problem("mend_warned") where nothing was shown, and there is something to be warned of."""
    if plan and plan != mend.mark:
        raise Problem("mend_changed_meanwhile")
    if not plan and mend.warnings:
        raise Problem("mend_warned", n=len(mend.warnings))


def match_to_json(match: Match) -> dict[str, Any]:
    """A match as entries hold it: the event file's keys, all of them that are set."""
    data: dict[str, Any] = {"a": match.a}
    for key in ("b", "table", "bye", "game", "extension_minutes"):
        if getattr(match, key) is not None:
            data[key] = getattr(match, key)
    if match.picks is not None:
        data["picks"] = list(match.picks)
    if match.result is not None:
        data["result"] = result_to_json(match.result)
    return data


def people_of(matches: Iterable[Match]) -> list[str]:
    """Everybody in these matches, in order."""
    return [who for match in matches for who in (match.a, match.b) if who is not None]
