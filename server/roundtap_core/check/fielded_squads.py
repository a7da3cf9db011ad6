"""Squads that were picked wrongly, or never fielded at all."""

from __future__ import annotations

from collections.abc import Iterator

from roundtap_core.elimination.bracket import bracket_of
from roundtap_core.elimination.cut import qualified
from roundtap_core.errors import Invalid, Problem
from roundtap_core.lists.squads import fielded, letter
from roundtap_core.names import public_names
from roundtap_core.records import ELIMINATION, SWISS, Tournament
from roundtap_core.rulebooks.plan import plan
from roundtap_core.rulebooks.registry import rulebook


def squad_problems(tournament: Tournament) -> Iterator[Problem]:
    """Every squad is fielded once in the event; nothing is said of who has no recorded picks at all."""
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
    if squads is None or not _is_over(tournament):
        return
    shown = public_names(tournament.competitors, bool(tournament.options.get("full_names")))
    still_in = _still_in(tournament)
    used = fielded(tournament.rounds)
    for c, competitor in enumerate(tournament.competitors):
        missing = set(range(1, squads.listed + 1)) - used.get(competitor.id, set())
        if competitor.active and competitor.id in used and missing and competitor.id not in still_in:
            yield Problem("squads_not_fielded", where=f"/competitors/{c}", competitor=shown[competitor.id],
                          squads=", ".join(f"{letter(squad)} ({squad})" for squad in sorted(missing)))


def _is_over(tournament: Tournament) -> bool:
    """Whether the last Swiss round has its results."""
    try:
        planned, _ = plan(tournament)
    except Problem:
        return False
    swiss = tournament.stage_rounds(SWISS)
    return len(swiss) >= planned and all(m.bye or m.result for m in swiss[-1].matches) if swiss else False


def _still_in(tournament: Tournament) -> set[str]:
    """Who may field a squad yet, in elimination."""
    try:
        if not tournament.stage_rounds(ELIMINATION):
            return set(qualified(tournament))
        bracket = bracket_of(tournament)
    except Problem:
        return set()
    if bracket is None or bracket.over:
        return set()
    losers = {who for game in bracket.games for who in game.losers}
    return {seat.competitor for game in bracket.games for seat in (game.a, game.b) if seat.competitor} - losers
