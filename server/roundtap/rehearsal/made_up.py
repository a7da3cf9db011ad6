"""A made-up event under any rulebook: drawn by the core, every result one that a table can be told. Seeded."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from roundtap.kit.player_names import player_names
from roundtap_core.elimination.shape import THIRD, THIRD_STAGE, stages_of
from roundtap_core.errors import Problem
from roundtap_core.forms.form import Way
from roundtap_core.forms.walk import compose, next_step
from roundtap_core.lists.squads import fielded, to_field
from roundtap_core.records import (
    BYE,
    ELIMINATION,
    SWISS,
    TIEBREAK,
    Competitor,
    Result,
    Round,
    Side,
    Tournament,
)
from roundtap_core.rounds.next_round import next_round, next_stage
from roundtap_core.rulebooks.base import Rulebook, Situation
from roundtap_core.rulebooks.gate import OFFICIAL, Saying, excluded
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.totals import list_totals

SWISS_ROUNDS, CUT = 4, 4


def made_up(rulebook_id: str, players: int, seed: int) -> Tournament:
    """A whole event: Swiss rounds with somebody who leaves, ties played out where the rulebook wants it, cut,
    elimination with a match for third place."""
    book = rulebook(rulebook_id)
    rand = random.Random(seed)
    options: dict[str, Any] = {"structure": "own", "swiss_rounds": SWISS_ROUNDS, "cut": CUT, "third_place_match": True}
    if book.tiebreak_rounds:
        options["prize_places"] = 1
    if 3 in book.best_of:
        options["stages"] = {"final": {"best_of": 3}}
    book.check_options(options)
    event = Tournament(f"Made up: {book.title}", rulebook_id, None, options, seed,
                       tuple(_competitors(book, players, options)))
    while (following := _drawn(event)) is not None:
        event = replace(event, rounds=(*event.rounds, following))
        event = _played(event, book, rand)
        if len(event.rounds) == 2 and players % 2 == 0:
            leaver = replace(event.competitors[-1], dropped_after=2)
            event = replace(event, competitors=(*event.competitors[:-1], leaver))
    return event


def _competitors(book: Rulebook, players: int, options: dict[str, Any]) -> Iterator[Competitor]:
    whole = book.options(options).get("squad_points")
    names = player_names(players * book.team_size)
    for n in range(players):
        list_ = {"total": whole - n % 4} if whole else None
        if book.team_size == 1:
            yield Competitor(f"p{n + 1}", names[n], list=list_)
        else:
            members = (names[2 * n], names[2 * n + 1])
            team = " & ".join(name.split()[-1] for name in members)
            yield Competitor(f"p{n + 1}", team, members=members, captain=members[0], list=list_)


def _drawn(event: Tournament) -> Round | None:
    stage = next_stage(event)
    if stage == SWISS and len(event.stage_rounds(SWISS)) >= SWISS_ROUNDS:
        return None
    try:
        pairing = next_round(event)
    except Problem as problem:
        if problem.key in ("bracket_decided", "nobody_left"):
            return None
        raise
    form = pairing.notes.get("form") if stage == TIEBREAK else None
    return Round(pairing.number, pairing.stage, pairing.matches, pairing.draw, form)


def _played(event: Tournament, book: Rulebook, rand: random.Random) -> Tournament:
    """The last round with results, and squads where these are picked."""
    *before, last = event.rounds
    stage = stages_of(event)[last.number]
    totals = list_totals(event)
    used = fielded(before)
    rounds_left = max(1, SWISS_ROUNDS + 1 - last.number)

    def squads(who: str) -> list[int]:
        assert book.squads is not None
        owed = to_field(book.squads.listed, book.squads.taken, used.get(who, ()), rounds_left).squads
        first = rand.sample(owed, min(len(owed), book.squads.taken))
        rest = [n for n in range(1, book.squads.listed + 1) if n not in first]
        return sorted(first + rand.sample(rest, book.squads.taken - len(first)))

    matches = []
    for match in last.matches:
        if match.b is None:
            picks = tuple(squads(match.a)) if book.squads and match.bye == BYE and last.stage != ELIMINATION else None
            matches.append(replace(match, picks=picks))
            continue
        situation = Situation(THIRD_STAGE if match.game == THIRD else stage, (totals.get(match.a), totals.get(match.b)))
        known = {}
        if book.squads:
            known = {"picks.winner": squads(match.a), "picks.loser": squads(match.b)}
        matches.append(replace(match, result=_result(book, event, situation, known, rand)))
    return replace(event, rounds=(*before, replace(last, matches=tuple(matches))))


def _result(book: Rulebook, event: Tournament, situation: Situation, known: dict[str, Any],
            rand: random.Random) -> Result:
    """A way of the form, walked with answers by chance until the rulebook takes the result."""
    options = book.options(event.options)
    form = book.form(options, situation)
    while True:
        way = rand.choice(form.ways)
        opener: Side = "a" if form.parallel else rand.choice(("a", "b"))
        answers = dict(known)
        seen = way.opened_by(opener)
        while (question := next_step(seen, answers)) is not None:
            answers[question.name] = question.drawn(rand)
        result = compose(way, opener, answers)
        fits = not any(excluded(book, result, options, situation, Saying(OFFICIAL)))
        if fits and not _lost_by_the_opener(book, result, way, opener, options):
            return result


def _lost_by_the_opener(book: Rulebook, result: Result, way: Way, opener: Side, options: dict[str, Any]) -> bool:
    """Whoever opens has won, or nobody has; other stories are told by the other side."""
    winner = book.winner(result, options)
    return way.winner != "decided" and winner in ("a", "b") and winner != opener and result.winner is None
