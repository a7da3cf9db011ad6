"""Squads of a list: fielded ones, those still to field, and when rounds run short. Teams: whether one is whole, and
nobody in it plays in another one: of files, and of all that is entered.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.lists.list_form import fold
from roundtap_core.records import SIDES, Match, Round


class SquadsToField(Struct, frozen=True):
    """`squads` not fielded yet in `rounds` guaranteed Swiss rounds. `must`: picks have to come from these; `late`: even
    that is no longer enough."""

    squads: tuple[int, ...]
    rounds: int
    must: bool
    late: bool


def squad_letter(squad: int) -> str:
    """The letter of a squad, as people call it: the first is A. Files number them."""
    return chr(ord("A") + squad - 1)


def squads_unfieldable(owed: Iterable[int], picks: Iterable[int], rounds_after: int) -> tuple[int, ...]:
    """Squads that can no longer all be fielded after these picks in the guaranteed rounds left."""
    marked = set(picks)
    left = tuple(squad for squad in owed if squad not in marked)
    return left if len(left) > len(marked) * rounds_after else ()


def fielded_squads(rounds: Iterable[Round]) -> dict[str, set[int]]:
    """Competitor → squads fielded so far; a bye's picks count, a missed round has none."""
    fielded: dict[str, set[int]] = {}
    for played in rounds:
        for match in played.matches:
            for who, picks in picks_in(match):
                fielded.setdefault(who, set()).update(picks)
    return fielded


def picks_in(match: Match) -> Iterable[tuple[str, list[int]]]:
    """The recorded picks of a match by competitor."""
    if match.b is None:
        if match.picks is not None:
            yield match.a, list(match.picks)
        return
    recorded = match.result.picks if match.result else None
    for side in SIDES:
        who = match.competitor(side)
        if recorded and side in recorded and who is not None:
            yield who, recorded[side]


def to_field(listed: int, taken: int, used: Iterable[int], rounds_left: int) -> SquadsToField:
    """What one competitor still has to field. `rounds_left`: Swiss rounds to come, including the current one. The
    warning comes when the unused squads are as many as the picks left (house decision: twice the guaranteed rounds)."""
    seen = set(used)
    unused = tuple(squad for squad in range(1, listed + 1) if squad not in seen)
    picks = taken * rounds_left
    return SquadsToField(unused, rounds_left, bool(unused) and len(unused) >= picks, len(unused) > picks)


class Team(Protocol):
    """A competitor of a team event, or the person who stands for it."""

    @property
    def name(self) -> str: ...
    @property
    def members(self) -> tuple[str, ...]: ...
    @property
    def captain(self) -> str | None: ...


def members_of(team: Team) -> dict[str, str]:
    """The team's name by folded member."""
    return {fold(member): team.name for member in team.members}


def team_problems(team: Team, size: int, taken: Mapping[str, str]) -> Iterator[Problem]:
    """ "Juego por equipos épico": two members, one of them captain; no one plays in two teams. `taken`: `members_of`
    the others, which may have the same name."""
    if len(team.members) != size:
        yield Problem("team_members_missing", where="/members", team=team.name, size=size)
    elif team.captain is None:
        yield Problem("team_captain_missing", where="/captain", team=team.name)
    if team.captain and team.members and team.captain not in team.members:
        members = ", ".join(team.members)
        yield Problem("captain_not_in_team", where="/captain", captain=team.captain, members=members)
    for place, member in enumerate(team.members):
        among = {**members_of(team), **taken} if fold(member) in map(fold, team.members[:place]) else taken
        if fold(member) in among:
            yield Problem("member_twice", where=f"/members/{place}", name=member, team=among[fold(member)])
