"""The competitors to pair: points, earlier opponents and byes, as small whole numbers in the file's order."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.randomness import Rand, generator
from roundtap_core.records import SECOND_SWISS, STAGES, SWISS, Tournament
from roundtap_core.standings.totals import SwissTotals

Pairs = list[tuple[int, int]]
Groups = list[list[int]]
Met = Sequence[set[int]]


class PairingPool(Struct, frozen=True):
    """The competitors a round may pair, by position in the file's order: `points[i]` belongs to `ids[i]`. `met[i]` are
    the earlier opponents of i in this stage, `byes[i]` the byes received or won beforehand."""

    ids: tuple[str, ...]
    points: tuple[int, ...]
    met: tuple[set[int], ...]
    byes: tuple[int, ...]

    def groups(self, members: Iterable[int]) -> Groups:
        """The members by points, the most points first; inside a group they keep the file's order."""
        by_points: dict[int, list[int]] = {}
        for member in members:
            by_points.setdefault(self.points[member], []).append(member)
        return [by_points[points] for points in sorted(by_points, reverse=True)]

    def repeats(self, pairs: Pairs) -> int:
        return sum(b in self.met[a] for a, b in pairs)


class DrawRandom(Struct, frozen=True):
    """The generators of one draw, one per purpose, so that an extra number here changes nothing there."""

    seed: int
    number: int
    attempt: int

    def of(self, purpose: str) -> Rand:
        return generator(self.seed, SWISS, self.number, self.attempt, purpose)


def build_pool(
    tournament: Tournament, records: Mapping[str, SwissTotals], absent: Collection[str], stage: str = SWISS
) -> PairingPool:
    """The competitors to pair now, with their `records`: still in the event, and not `absent` this round. Meetings
    count within the stage; points and byes over the whole event."""
    ids = tuple(c.id for c in tournament.competitors if c.active and c.id not in absent)
    place = {competitor: i for i, competitor in enumerate(ids)}
    return PairingPool(
        ids=ids,
        points=tuple(records[c].points for c in ids),
        met=met_among(tournament, stage, place)
        if tournament.stage_rounds(SECOND_SWISS) or stage == SECOND_SWISS
        else tuple({place[opponent] for opponent in records[c].opponents if opponent in place} for c in ids),
        byes=tuple(records[c].byes for c in ids),
    )


def met_among(tournament: Tournament, stage: str, place: Mapping[str, int]) -> tuple[set[int], ...]:
    """The opponents of each competitor in that stage, both by `place`; those without one are left out."""
    met: tuple[set[int], ...] = tuple(set() for _ in place)
    for played in tournament.stage_rounds(stage):
        for match in played.matches:
            if match.b is not None and match.a in place and match.b in place:
                met[place[match.a]].add(place[match.b])
                met[place[match.b]].add(place[match.a])
    return met


def refuse_open_matches(tournament: Tournament, stages: Collection[str] = STAGES) -> None:
    """Raise Problem("open_matches") while a match of these stages has no result."""
    open_matches = [
        (f"/rounds/{r}/matches/{m}", played, match)
        for r, played in enumerate(tournament.rounds)
        if played.stage in stages
        for m, match in enumerate(played.matches)
        if match.result is None and match.bye is None
    ]
    if open_matches:
        where, played, match = open_matches[0]
        names = {competitor.id: competitor.name for competitor in tournament.competitors}
        raise Problem(
            "open_matches",
            where=where,
            n=len(open_matches),
            round=played.number,
            table=match.table or "–",
            a=names.get(match.a, match.a),
            b=names.get(match.b or "", match.b),
        )


def floats_of(pairs: Iterable[tuple[str, str]], points: Mapping[str, int]) -> list[dict[str, Any]]:
    """Who meets a competitor of fewer points, and from which points to which; from the top down."""
    floats = []
    for a, b in pairs:
        upper, lower = (a, b) if points.get(a, 0) > points.get(b, 0) else (b, a)
        if points.get(upper, 0) != points.get(lower, 0):
            floats.append({"competitor": upper, "from": points.get(upper, 0), "to": points.get(lower, 0)})
    return sorted(floats, key=lambda line: (-line["from"], -line["to"]))
