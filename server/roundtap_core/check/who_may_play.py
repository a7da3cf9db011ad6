"""People who may not play, officials who are missing, and teams that are not whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.lists.parts import fold
from roundtap_core.names import public_names
from roundtap_core.records import Competitor, Tournament
from roundtap_core.rulebooks.base import NO, Rulebook
from roundtap_core.rulebooks.registry import rulebook


def people_problems(tournament: Tournament) -> Iterator[Problem]:
    """Officials without exactly one organizer among them; officials who play where the rulebook bars them; teams that
    are not whole, or share a person; a captain who is none of the team; members of a lone player."""
    book = rulebook(tournament.rulebook)
    shown = public_names(tournament.competitors, bool(tournament.options.get("full_names")))
    barred = _barred(book, tournament.level)
    teams: dict[str, str] = {}
    officials = (tournament.record or {}).get("officials", ())
    if officials and [official["role"] for official in officials].count("organizer") != 1:
        yield Problem("one_organizer", where="/officials")
    for c, competitor in enumerate(tournament.competitors):
        where = f"/competitors/{c}"
        if book.team_size > 1:
            yield from _team_problems(competitor, book.team_size, where, teams)
        if competitor.officials_role and barred:
            yield Problem("official_may_not_play", where=f"{where}/officials_role", competitor=shown[competitor.id])
        if competitor.members and book.team_size == 1:
            yield Problem("not_of_this_rulebook", where=f"{where}/members", key="members", rulebook=book.id)
        if competitor.captain and competitor.members and competitor.captain not in competitor.members:
            yield Problem("captain_not_in_team", where=f"{where}/captain", captain=competitor.captain,
                          members=", ".join(competitor.members))


def official_problems(tournament: Tournament) -> Iterator[Problem]:
    """Of a file that names its officials: a judge where the rulebook wants one, and for every official who plays a
    second one, where playing is allowed at all.

    Who is off duty now may have been on duty then, and counts; who left before the first round did not play.
    """
    officials: list[dict[str, Any]] | None = (tournament.record or {}).get("officials")
    if officials is None:
        return
    book = rulebook(tournament.rulebook)
    shown = public_names(tournament.competitors, bool(tournament.options.get("full_names")))
    playing = {competitor.id for competitor in tournament.competitors if competitor.left_after != 0}
    said = {c.id: f"/competitors/{n}/officials_role" for n, c in enumerate(tournament.competitors) if c.officials_role}
    places = {official["plays"]: f"/officials/{n}/plays" for n, official in enumerate(officials) if "plays" in official}
    if book.judge_required and all(official.get("plays") in playing for official in officials):
        yield Problem("judge_missing", where="/officials")
    for who, where in {**said, **places}.items():
        if _barred(book, tournament.level):
            # Who says it at the competitor is named there.
            if who not in said and who in playing:
                yield Problem("official_may_not_play", where=where, competitor=shown[who])
        elif who in playing and not _ruled_by_another(officials, who):
            yield Problem("official_without_second", where=where, competitor=shown[who])


def _barred(book: Rulebook, level: str | None) -> bool:
    """Whether no official plays at this level; without a level, whether at none."""
    return (level in book.levels and may_officials_play(book.officials_play, level) == NO) \
        or book.officials_play == {"*": NO}


def _ruled_by_another(officials: list[dict[str, Any]], who: str) -> bool:
    """Whether a second official is there for this one's games; for a second official's own, anybody else."""
    own = any(official.get("second") for official in officials if official.get("plays") == who)
    return any(own or official.get("second") for official in officials if official.get("plays") != who)


def _team_problems(team: Competitor, size: int, where: str, teams: dict[str, str]) -> Iterator[Problem]:
    """"Juego por equipos épico": two members, one of them captain; nobody plays in two teams. `teams`: whose members
    were seen before."""
    if len(team.members) != size:
        yield Problem("team_members_missing", where=f"{where}/members", team=team.name, size=size)
    elif team.captain is None:
        yield Problem("team_captain_missing", where=f"{where}/captain", team=team.name)
    for place, member in enumerate(team.members):
        first = teams.setdefault(fold(member), team.name)
        if first != team.name or fold(member) in map(fold, team.members[:place]):
            yield Problem("member_twice", where=f"{where}/members/{place}", name=member, team=first)


def may_officials_play(by_level: Mapping[str, str], level: str | None) -> str:
    """NO or WITH_SECOND, of a rulebook's `officials_play`; an unknown level reads the rulebook's "*"."""
    return by_level.get(level or "*", by_level["*"])
