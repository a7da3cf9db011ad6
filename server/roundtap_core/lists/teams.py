"""Whether a team is whole, and nobody in it plays in another one: of files, and of all that is entered."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from roundtap_core.errors import Problem
from roundtap_core.lists.list_form import fold


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
