"""The next round of an event, of whatever stage: Swiss as planned, ties to be played out, what follows a cut; and the
squads that can no longer be fielded, and never were.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import replace

from roundtap_core.elimination.bracket import bracket_of, next_elimination_round, qualifiers
from roundtap_core.errors import Invalid, Problem
from roundtap_core.lists.list_form import fielded_squads
from roundtap_core.pairing.pairing_pool import refuse_open_matches
from roundtap_core.pairing.swiss_round import DrawnRound, draw_swiss_round, pairing_to_json
from roundtap_core.pairing.table_numbers import assign_in_order
from roundtap_core.records import (
    ELIMINATION,
    RULING,
    SECOND_SWISS,
    SWISS,
    TIEBREAK,
    UNPAIRED_LOSS,
    Draw,
    Match,
    Tournament,
)
from roundtap_core.rulebooks.registry import book_of, planned_structure, planned_structure_or_none
from roundtap_core.standings import tiebreakers
from roundtap_core.standings.standings import open_ties


def next_stage(tournament: Tournament) -> str:
    """ "swiss", "tiebreak", "elimination" or "second-swiss". Without a cut Swiss rounds go on for as long as somebody
    asks for another, unless a tie has to be played out."""
    for begun in (ELIMINATION, SECOND_SWISS):
        if tournament.stage_rounds(begun):
            return begun
    planned = planned_structure_or_none(tournament)
    if planned is None:
        return SWISS
    swiss_rounds, cut = planned
    played = len(tournament.stage_rounds(SWISS))
    # A cut that was made stands, whoever has left or declined since.
    if played >= swiss_rounds and not tournament.cut_order and open_ties(tournament):
        return TIEBREAK
    if played < swiss_rounds or (played and not cut):
        return SWISS
    options = book_of(tournament).options(tournament.options)
    return SECOND_SWISS if played and options.get("second_stage") == SECOND_SWISS else ELIMINATION


def next_round(tournament: Tournament, seed: int | None = None, attempt: int = 1) -> DrawnRound:
    """Draw it; the same arguments draw the same round, everywhere. Raises the Problems of the stage's own drawing."""
    stage = next_stage(tournament)
    if stage == SWISS:
        drawn = draw_swiss_round(tournament, seed=seed, attempt=attempt)
        planned = planned_structure_or_none(tournament)
        beyond = planned is not None and len(tournament.stage_rounds(SWISS)) >= planned[0]
        return replace(drawn, notes={**drawn.notes, "beyond_plan": True}) if beyond else drawn
    if stage == SECOND_SWISS:
        return second_stage_round(tournament, seed, attempt)
    if stage == TIEBREAK:
        return next_tiebreak_round(tournament, seed, attempt)
    # Most rounds are Swiss, and a command should start at once.
    return next_elimination_round(tournament, seed, attempt)


def printable_pairing(pairing: DrawnRound) -> dict[str, Any]:
    """What `roundtap pair` prints: elimination games carry their numbers."""
    data = pairing_to_json(pairing)
    for match, printed in zip(pairing.matches, data["matches"], strict=True):
        if match.game is not None:
            printed["game"] = match.game
    return data


def second_stage_length(tournament: Tournament) -> int:
    """How many rounds the second stage has: the structure's Swiss rounds for as many as the cut lets through."""
    _, cut = planned_structure(tournament)
    return book_of(tournament).second_stage_rounds(cut)


def second_stage_players(tournament: Tournament, seeds: Sequence[str] = ()) -> set[str]:
    """Who is in the second stage: who began it; before that `seeds`, or who would qualify now."""
    if begun := tournament.stage_rounds(SECOND_SWISS):
        return {who for match in begun[0].matches for who in (match.a, match.b) if who is not None}
    return set(seeds or qualifiers(tournament))


def second_stage_round(
    tournament: Tournament,
    seed: int | None = None,
    attempt: int = 1,
    seeds: Sequence[str] = (),
    busy: Collection[int] = frozenset(),
) -> DrawnRound:
    """The next Swiss round of the second stage: by all points so far; only its own meetings count as repeats. Raises
    Problem: "all_rounds_played" after the last, and those of `draw_swiss_round`."""
    planned = second_stage_length(tournament)
    played = tournament.stage_rounds(SECOND_SWISS)
    if len(played) >= planned:
        raise Problem("all_rounds_played", rounds=planned)
    there = second_stage_players(tournament, seeds)
    absent = {competitor.id for competitor in tournament.competitors} - there
    return draw_swiss_round(tournament, seed, attempt, absent, SECOND_SWISS, planned - len(played) - 1, busy)


def next_tiebreak_round(
    tournament: Tournament,
    seed: int | None = None,
    attempt: int = 1,
    form: str = tiebreakers.EACH,
    busy: Collection[int] = frozenset(),
) -> DrawnRound:
    """The next round of all ties that have to be played out, each for itself; who waits in an odd tie has no entry.
    `form`: "each" against each, or "knockout"; later rounds keep that of the first. Raises Problem: "open_matches",
    "no_tie_to_break"."""
    refuse_open_matches(tournament)
    if form not in (tiebreakers.EACH, tiebreakers.KNOCKOUT):
        raise Invalid(
            "not_one_of", where="/tiebreak_form", value=form, options=f"{tiebreakers.EACH}, {tiebreakers.KNOCKOUT}"
        )
    form = tiebreakers.event_tiebreak_form(tournament, otherwise=form)
    ties = open_ties(tournament)
    if not ties:
        raise Problem("no_tie_to_break")
    matches = [Match(a, b) for tie in ties for a, b in tiebreakers.next_tiebreak_pairs(tournament, tie, form)]
    return DrawnRound(
        len(tournament.rounds) + 1,
        TIEBREAK,
        Draw(tournament.seed if seed is None else seed, attempt, "tiebreak"),
        assign_in_order(matches, tournament, busy),
        {"repeats": 0, "bye": None, "floats": [], "ties": [list(tie) for tie in ties], "form": form},
    )


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
