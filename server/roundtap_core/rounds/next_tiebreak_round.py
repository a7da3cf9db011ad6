"""The tie-break round: which ties have to be played out after the last Swiss round, and the next round of them."""

from __future__ import annotations

from collections.abc import Collection

from roundtap_core.elimination.next_games import refuse_open_matches
from roundtap_core.errors import Invalid, Problem
from roundtap_core.pairing.swiss_round import Pairing
from roundtap_core.pairing.table_numbers import assign_in_order
from roundtap_core.records import TIEBREAK, Draw, Match, Tournament
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import standings
from roundtap_core.standings.tiebreak_round import EACH, KNOCKOUT, at_stake, chosen_form, here_after, pairs_for
from roundtap_core.standings.tiebreakers import RANDOM


def open_ties(tournament: Tournament) -> list[tuple[str, ...]]:
    """Ties that nothing but the lot would decide and in which somebody stands on a prize or cut place, best first.

    Only those who are still there count and play (Warlords 2.4.2). Empty for rulebooks without tie-break rounds, and
    before the last Swiss round.
    """
    book = rulebook(tournament.rulebook)
    if not book.tiebreak_rounds:
        return []
    here = here_after(tournament)
    ties: list[tuple[str, ...]] = []
    above: list[str] = []
    tied: list[str] = []
    for row in standings(tournament):
        tied.append(row.competitor)
        if row.decided_by != RANDOM:
            playing = tuple(who for who in tied if who in here)
            if len(playing) > 1 and at_stake(tournament, above, here):
                ties.append(playing)
            above, tied = above + tied, []
    return ties


def next_tiebreak_round(
    tournament: Tournament, seed: int | None = None, attempt: int = 1, form: str = EACH,
    busy: Collection[int] = frozenset(),
) -> Pairing:
    """The next round of all ties that have to be played out, each for itself; who waits in an odd tie has no entry.

    `form`: "each" against each, or "knockout"; later rounds keep that of the first. Raises Problem: "open_matches",
    "no_tie_to_break".
    """
    refuse_open_matches(tournament)
    if form not in (EACH, KNOCKOUT):
        raise Invalid("not_one_of", where="/tiebreak_form", value=form, options=f"{EACH}, {KNOCKOUT}")
    form = chosen_form(tournament, otherwise=form)
    ties = open_ties(tournament)
    if not ties:
        raise Problem("no_tie_to_break")
    matches = [Match(a, b) for tie in ties for a, b in pairs_for(tournament, tie, form)]
    return Pairing(
        len(tournament.rounds) + 1, TIEBREAK, Draw(tournament.seed if seed is None else seed, attempt, "tiebreak"),
        assign_in_order(matches, tournament, busy),
        {"repeats": 0, "bye": None, "floats": [], "ties": [list(tie) for tie in ties], "form": form},
    )
