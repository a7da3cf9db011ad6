"""A second stage in Swiss rounds: those who made the cut play on among themselves (Shatterpoint, house decision)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from roundtap_core.elimination.cut import qualified
from roundtap_core.errors import Problem
from roundtap_core.pairing.swiss_round import Pairing, pair_next
from roundtap_core.records import SECOND_SWISS, Tournament
from roundtap_core.rulebooks.registry import plan, rulebook


def is_swiss(tournament: Tournament) -> bool:
    """Whether the event's second stage, if it has one, is played in Swiss rounds."""
    options = rulebook(tournament.rulebook).options(tournament.options)
    return bool(options.get("second_stage") == SECOND_SWISS)


def planned_rounds(tournament: Tournament) -> int:
    """How many rounds the second stage has: the structure's Swiss rounds for as many as the cut lets through."""
    _, cut = plan(tournament)
    return rulebook(tournament.rulebook).second_stage_rounds(cut)


def who_plays(tournament: Tournament, seeds: Sequence[str] = ()) -> set[str]:
    """Who is in the second stage: who began it; before that `seeds`, or who would qualify now."""
    begun = tournament.stage_rounds(SECOND_SWISS)
    if begun:
        return {who for match in begun[0].matches for who in (match.a, match.b) if who is not None}
    return set(seeds or qualified(tournament))


def second_stage_round(
    tournament: Tournament, seed: int | None = None, attempt: int = 1, seeds: Sequence[str] = (),
    busy: Collection[int] = frozenset(),
) -> Pairing:
    """The next Swiss round of the second stage: by all points so far; only its own meetings count as repeats.

    Raises Problem: "all_rounds_played" after the last, and those of `pair_next`.
    """
    planned = planned_rounds(tournament)
    played = tournament.stage_rounds(SECOND_SWISS)
    if len(played) >= planned:
        raise Problem("all_rounds_played", rounds=planned)
    there = who_plays(tournament, seeds)
    absent = {competitor.id for competitor in tournament.competitors} - there
    return pair_next(tournament, seed, attempt, absent, SECOND_SWISS, planned - len(played) - 1, busy)
