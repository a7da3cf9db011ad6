"""The judge of a whole event: what a hub shows and its file holds, against the calculation fed with what was said.

No column, figure or key is left out. What only the lot decides may stand in either order, and has to be called so.
"""

import csv
import io
import re
from fractions import Fraction
from typing import Any

from whole_event_said import Heard, Ledger, Round

from own_games import calculation
from own_games.calculation import FEWER_IS_BETTER, FIGURES, Tournament, split

RATES = ("match_win", "game_win", "opponents_match_win", "opponents_opponents_match_win", "opponents_game_win")
OF_POINTS = ("opponents_points", "sonneborn_berger", "cumulative", "opponents_cumulative", "sos", "extended_sos")


def tie_keys(rules: dict[str, Any]) -> list[str]:
    """The names of the ties' columns: a way that stands there again has its number behind it."""
    ways = [tie["by"] for tie in rules.get("tiebreakers", [])]
    return [by if ways[:at].count(by) == 0 else f"{by}_{ways[: at + 1].count(by)}" for at, by in enumerate(ways)]


def parted(t: Tournament, people: list[str]) -> list[tuple[list[str], str]]:
    """Groups that only the lot could part, the best first, each with what puts it above the next."""
    groups = [(group, "points") for group in split(people, {who: t.points(who) for who in people})]
    for tie, key in zip(t.rules.get("tiebreakers", []), tie_keys(t.rules), strict=True):
        finer: list[tuple[list[str], str]] = []
        for group, by in groups:
            if tie["by"] == "head_to_head":
                figure = calculation.head_to_head(t, group)
            else:
                figure = {who: FIGURES[tie["by"]](t, tie, who) for who in group}
            parts = split(group, figure, tie["by"] in FEWER_IS_BETTER)
            finer += [(part, key) for part in parts[:-1]] + [(parts[-1], by)]
        groups = finer
    return groups


def half(points: int | Fraction, rules: dict[str, Any]) -> str:
    """Points as people read them: 3 is 1½ where they are counted in halves."""
    if rules["points"].get("unit", "whole") == "whole":
        return str(points).replace("-", "−")
    whole, rest = divmod(abs(int(points)), 2)
    return ("−" if points < 0 else "") + (f"{whole or ''}½" if rest else str(whole))


def shown(tie: dict[str, Any], value: int | Fraction, rules: dict[str, Any]) -> str:
    """A tie's figure as people read it."""
    if tie["by"] in RATES:
        return f"{float(100 * value):.1f}%"
    if tie["by"] in OF_POINTS and rules["points"].get("unit") == "half":
        if isinstance(value, int):
            return half(value, rules)
        value /= 2
    return f"{float(value):.3f}" if isinstance(value, Fraction) else str(value).replace("-", "−")


class Judge:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.faults = ledger, list[str]()
        self.seeds: list[str] = []
        self.cut_order: list[str] = []
        """All by place as the cut was made; where only the lot decides, as the hub has them."""

    def same(self, what: str, kit: object, right: object) -> None:
        if kit != right:
            self.faults.append(f"{what}: the kit says {kit!r}, the calculation {right!r}")

    # --- pairings ---

    def paired(self, played: Round) -> None:
        """Who meets whom is the kit's to say; that everybody who is here is in it, and what no draw may do, is not."""
        ledger, who = self.ledger, [each for match in played.matches.values() for each in (match.a, match.b) if each]
        if played.stage == "swiss":
            self.same(f"round {played.number}, everybody sits", sorted(who), sorted(ledger.here))
        earlier = [r for r in ledger.rounds if r is not played and r.stage == "swiss"]
        if ledger.rules.get("pairing", {}).get("rounds") == "everybody":
            met = {frozenset((m.a, m.b)) for r in earlier for m in r.matches.values() if m.b}
            again = [m for m in played.matches.values() if m.b and frozenset((m.a, m.b)) in met]
            self.same(f"round {played.number}, who meets again", again, [])
        if played.stage == "swiss" and ledger.rules.get("sides", {}).get("balance", "sides" in ledger.rules):
            self._sides(played, earlier)

    def _sides(self, played: Round, earlier: list[Round]) -> None:
        """ "who had the first side less often gets it; then who had it longer ago; then the lot"."""
        had: dict[str, tuple[int, int]] = {}
        for one in earlier:
            for match in one.matches.values():
                if match.b is not None and match.came is None:
                    had[match.a] = (had.get(match.a, (0, 0))[0] + 1, one.number)
        for match in played.matches.values():
            if match.b is not None and had.get(match.b, (0, 0)) < had.get(match.a, (0, 0)):
                self.faults.append(f"round {played.number}: {match.a} has the first side, due to {match.b} of {had}")

    # --- the cut and the bracket ---

    def cut_made(self, order: list[str], size: int) -> None:
        """`order`: everybody's ids as the hub's standings have them, asked for the lot alone."""
        t = Tournament(self.ledger.rules, self.ledger.event())
        ranked = [who for who in t.people if t.entries[who] and not t.disqualified(who)]
        self.cut_order = [
            who for group, _ in parted(t, ranked) for who in sorted(group, key=lambda who: order.index(who))
        ]
        self.seeds = [who for who in self.cut_order if who in self.ledger.here][:size]

    def offered(self, size: int, asked: set[str]) -> str | None:
        """Whose answer is awaited, where a place is free."""
        if len([who for who in self.seeds if who in self.ledger.here]) >= size:
            return None
        return next((who for who in self.cut_order if who in self.ledger.here and who not in asked), None)

    def due(self) -> dict[int | str, list[str]]:
        """Who sits in each game of the next round of the bracket."""
        played, here = self.ledger.of_stage("elimination"), self.ledger.here
        if not played:
            seeds = [who for who in self.seeds if who in here]
            size = 2
            while size < len(seeds):
                size *= 2
            return {g: [seeds[s - 1] for s in (g, size + 1 - g) if s <= len(seeds)] for g in range(1, size // 2 + 1)}
        before = {m.game: m for m in played[-1].matches.values() if m.game is not None}
        feeding = max(int(game) for game in before if game != "third")
        due: dict[int | str, list[str]] = {}
        for game in range(1, feeding // 2 + 1):
            winners = [self.advances(before[f]) for f in (game, feeding + 1 - game) if f in before]
            due[game] = [who for who in winners if who in here]
        if feeding == 2 and self.ledger.options.get("third_place_match"):
            losers = [self.lost(before[f]) for f in (1, 2) if f in before]
            due["third"] = [who for who in losers if who in here]
        return {game: sides for game, sides in due.items() if sides}

    def advances(self, match: Heard) -> str | None:
        """None: both have lost."""
        if match.bye is not None:
            return match.a
        if match.came is not None:
            return match.came
        assert match.said is not None
        assert match.b is not None
        won = calculation.decided(self.ledger.rules, self.ledger.event(), match.said)
        if won == calculation.DRAW:
            return min((match.a, match.b), key=self.cut_order.index)
        return {"a": match.a, "b": match.b}.get(won)

    def lost(self, match: Heard) -> str | None:
        """Who lost at a table, where one of two has."""
        if match.bye is not None or match.came is not None or (winner := self.advances(match)) is None:
            return None
        return match.b if winner == match.a else match.a

    def places(self, swiss: list[str]) -> list[str]:
        """The final order: by the round reached, the match for third place, the places when the cut was made; then
        the Swiss places."""
        rounds = self.ledger.of_stage("elimination")
        wins = dict.fromkeys(self._in_bracket(), 0)
        for number, played in enumerate(rounds, 1):
            for match in played.matches.values():
                if match.game != "third" and (winner := self.advances(match)) is not None:
                    wins[winner] = number
        third = [self.advances(m) for m in (rounds[-1].matches.values() if rounds else ()) if m.game == "third"]
        then = {who: n for n, who in enumerate(self.cut_order)}
        best = sorted(wins, key=lambda who: (-wins[who], who not in third, then[who]))
        return best + [who for who in swiss if who not in wins]

    def _in_bracket(self) -> list[str]:
        rounds = self.ledger.of_stage("elimination")
        return [who for m in (rounds[0].matches.values() if rounds else ()) for who in (m.a, m.b) if who]

    @property
    def champion(self) -> str | None:
        final = self.ledger.of_stage("elimination")[-1].matches.values()
        return next(self.advances(match) for match in final if match.game == 1)

    # --- the standings ---

    def standings(self, table: str, page: str | None = None) -> None:
        """The console's CSV, and the public page as text of its rows."""
        ledger = self.ledger
        rows = list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"))))
        event = ledger.event()
        # Half of a round is not shown.
        right = {row.competitor: row for row in calculation.standings(ledger.rules, event)}
        t = Tournament(ledger.rules, event)
        self.same("who has a row", sorted(row["competitor"] for row in rows), sorted(right))
        if sorted(row["competitor"] for row in rows) != sorted(right):
            return
        by_rank = sorted((row for row in rows if row["rank"]), key=lambda row: int(row["rank"]))
        order = [row["competitor"] for row in by_rank]
        self.same("the ranks", [row["rank"] for row in by_rank], [str(n) for n in range(1, len(order) + 1)])
        decided = self._order(t, order)
        places = order if not ledger.of_stage("elimination") else self.places(order)
        out = [who for who in right if right[who].rank is None]
        said = [row["competitor"] for row in rows]
        self.same("the rows' order", said[: len(places)], places)
        self.same("the disqualified stand last", sorted(said[len(places) :]), sorted(out))
        for row in rows:
            who = row["competitor"]
            by, chance = decided.get(who, ("last", False))
            place = str(places.index(who) + 1) if who in places else ""
            self._row(row, right[who], t, place, by, chance)
        if page is not None:
            self._page(page, order, right)

    def _order(self, t: Tournament, order: list[str]) -> dict[str, tuple[str, bool]]:
        """(what puts each above the next, whether only the lot parts them from a neighbour)."""
        decided: dict[str, tuple[str, bool]] = {}
        groups, at = parted(t, order), 0
        for n, (group, key) in enumerate(groups):
            there = order[at : at + len(group)]
            self.same(f"places {at + 1} to {at + len(group)}", sorted(there), sorted(group))
            at += len(group)
            last = "last" if n == len(groups) - 1 else key
            for i, who in enumerate(there):
                decided[who] = ("random" if i < len(there) - 1 else last, len(group) > 1)
        return decided

    def _row(
        self, row: dict[str, str], right: calculation.Row, t: Tournament, place: str, by: str, chance: bool
    ) -> None:
        ledger, who = self.ledger, right.competitor
        first, _, rest = ledger.names[who].partition(" ")
        how = ledger.left.get(who, ("", 0))[0]
        entries = t.entries[who]
        wanted = {
            "place": place,
            "rank": row["rank"] if place else "",
            "competitor": who,
            "name": f"{first} {rest[0]}.",
            "full_name": ledger.names[who],
            "status": {"dropped_after": "dropped", "disqualified_after": "disqualified"}.get(how, ""),
            "points": str(right.points),
            "rounds": str(right.rounds),
            "wins": str(right.wins),
            "losses": str(right.losses),
            "draws": str(right.draws),
            "byes": str(self._byes(who)),
            "decided_by": by,
            "by_chance": "yes" if chance else "no",
        }
        assert len(entries) == right.rounds
        for key, value in zip(tie_keys(ledger.rules), right.values, strict=True):
            if value is None:
                continue
            # The wins of the record have this heading already.
            heading = "wins_2" if key == "wins" else key
            if f"{heading}_num" in row:
                top, bottom = Fraction(value).as_integer_ratio()
                wanted |= {f"{heading}_num": str(top), f"{heading}_den": str(bottom)}
            else:
                wanted[heading] = str(value)
        self.same(f"{who}, the columns", sorted(row), sorted(wanted))
        for key, value in wanted.items():
            self.same(f"{who}, {key}", row.get(key), value)

    def _byes(self, who: str) -> int:
        swiss = self.ledger.of_stage("swiss")
        return sum(m.a == who and m.bye in ("bye", "won") for r in swiss for m in r.matches.values())

    def _page(self, page: str, order: list[str], right: dict[str, calculation.Row]) -> None:
        """What stands in the rows of the public page: place, name, points, the record, and every tie."""
        rules = self.ledger.rules
        section = page[page.index('id="standings"') :]
        rows = re.findall(r'<tr data-key="([^"]+)".*?</tr>', section, flags=re.S)
        self.same("the page's order", rows[: len(order)], order)
        draws = self._shows_draws()
        for found in re.finditer(r'<tr data-key="([^"]+)"(.*?)</tr>', section, flags=re.S):
            who, row = found[1], right[found[1]]
            cells = [
                " ".join(re.sub(r"<[^>]+>", " ", cell).split())
                for cell in re.findall(r"<td[^>]*>(.*?)</td>", found[2], flags=re.S)
            ]
            counts = [row.wins, *([row.draws] if draws or row.draws else []), row.losses]
            wanted = [
                str(order.index(who) + 1) if who in order else "–",
                half(row.points, rules),
                "–".join(map(str, counts)),
                *(
                    shown(tie, value, rules)
                    for n, (tie, value) in enumerate(zip(rules.get("tiebreakers", []), row.values, strict=True))
                    # What is the same for all has no column.
                    if value is not None and len({right[each].values[n] for each in rows}) > 1
                ),
            ]
            self.same(f"{who} on the page", cells[: len(wanted)], wanted)

    def _shows_draws(self) -> bool:
        """Whether a Swiss match of this game may be drawn, if only by ruling."""
        return bool(self.ledger.rules["match"].get("draws", "at_time") != "never")
