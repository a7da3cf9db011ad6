"""Squads that were picked wrongly, or never fielded at all."""

from __future__ import annotations

from collections.abc import Iterator

from roundtap_core.errors import Invalid, Problem
from roundtap_core.lists.squads import letter
from roundtap_core.names import public_names
from roundtap_core.records import SQUADS_UNFIELDED, Tournament
from roundtap_core.rounds.never_fielded import never_fielded
from roundtap_core.rulebooks.registry import rulebook


def squad_problems(tournament: Tournament) -> Iterator[Problem]:
    """Every squad is fielded once in the event; nothing is said of who has no recorded picks at all, nor of whom the
    organizer named at the end, with the reason."""
    book = rulebook(tournament.rulebook)
    squads = book.squads
    for r, played in enumerate(tournament.rounds):
        for m, match in enumerate(played.matches):
            if match.picks is None:
                continue
            where = f"/rounds/{r}/matches/{m}/picks"
            if squads is None:
                yield Problem("not_of_this_rulebook", where=where, key="picks", rulebook=book.id)
            elif len(set(match.picks)) != squads.taken or not set(match.picks) <= set(range(1, squads.listed + 1)):
                yield Invalid("picks_wrong", where=where, take=squads.taken, of=squads.listed)
    said = {(point["kind"], point.get("who"))
            for line in (tournament.record or {}).get("played_on", ()) for point in line["points"]}
    shown = public_names(tournament.competitors, bool(tournament.options.get("full_names")))
    places = {competitor.id: c for c, competitor in enumerate(tournament.competitors)}
    for who, missing in never_fielded(tournament).items():
        if (SQUADS_UNFIELDED, who) not in said:
            yield Problem("squads_not_fielded", where=f"/competitors/{places[who]}", competitor=shown[who],
                          squads=", ".join(f"{letter(squad)} ({squad})" for squad in missing))
