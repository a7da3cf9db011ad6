"""Squads that can no longer be fielded, and never were."""

from collections import Counter

from roundtap_core.elimination.bracket import bracket_of
from roundtap_core.elimination.cut import qualifiers
from roundtap_core.errors import Problem
from roundtap_core.lists.squads import fielded_squads
from roundtap_core.records import ELIMINATION, RULING, SWISS, UNPAIRED_LOSS, Match, Tournament
from roundtap_core.rulebooks.registry import book_of, planned_structure_or_none


def never_fielded(tournament: Tournament) -> dict[str, list[int]]:
    """Competitor → squads never fielded, once the Swiss rounds are over, of all who play no more and have not left
    early; nothing of who has no recorded picks at all, nor of who sat down in too few rounds to field them all."""
    squads = book_of(tournament).squads
    if squads is None or not _is_over(tournament):
        return {}
    still_in = _still_in(tournament)
    used = fielded_squads(tournament.rounds)
    sat = Counter(who for played in tournament.rounds for match in played.matches for who in _sat_down(match))
    missing = {
        competitor.id: sorted(set(range(1, squads.listed + 1)) - used[competitor.id])
        for competitor in tournament.competitors
        if competitor.active
        and competitor.id in used
        and competitor.id not in still_in
        and sat[competitor.id] * squads.taken >= squads.listed
    }
    return {who: never for who, never in missing.items() if never}


def _sat_down(match: Match) -> tuple[str, ...]:
    """Who had squads to pick, at a bye too; a ruling without picks may be of a match that never began."""
    if match.bye == UNPAIRED_LOSS or (match.result and match.result.ended == RULING and not match.result.picks):
        return ()
    return tuple(who for who in (match.a, match.b) if who is not None)


def _is_over(tournament: Tournament) -> bool:
    planned, swiss = planned_structure_or_none(tournament), tournament.stage_rounds(SWISS)
    return (
        planned is not None and len(swiss) >= max(1, planned[0]) and all(m.bye or m.result for m in swiss[-1].matches)
    )


def _still_in(tournament: Tournament) -> set[str]:
    try:
        if not tournament.stage_rounds(ELIMINATION):
            return set(qualifiers(tournament))
        bracket = bracket_of(tournament)
    except Problem:
        return set()
    if bracket is None or bracket.over:
        return set()
    losers = {who for game in bracket.games for who in game.losers}
    return {seat.competitor for game in bracket.games for seat in (game.a, game.b) if seat.competitor} - losers
