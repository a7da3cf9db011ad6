"""Events made up under any rulebook: Swiss rounds with a leaver, tie-breaks, cut, elimination with third place."""

import random
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from form_kit import next_step
from roundtap.kit.player_names import made_up_people
from roundtap_core import records
from roundtap_core.elimination.bracket import THIRD, THIRD_STAGE, stages_of
from roundtap_core.errors import Problem
from roundtap_core.forms.form import WayToEnd, compose_result
from roundtap_core.forms.questions import Choice, Figure, Picks, Turns
from roundtap_core.lists.list_form import fielded_squads, to_field
from roundtap_core.rounds.next_round import next_round, next_stage
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.rulebooks.result_gate import OFFICIAL, ResultSource, result_problems
from roundtap_core.standings.totals import list_totals

SWISS_ROUNDS, CUT = 4, 4


def made_up_event(rulebook_id: str, players: int, seed: int) -> records.Tournament:
    """A made-up event: Swiss rounds with a leaver, tie-breaks by the rulebook, cut, elimination with third place."""
    book = rulebook(rulebook_id)
    rand = random.Random(seed)
    options: dict[str, Any] = {"structure": "own", "swiss_rounds": SWISS_ROUNDS, "cut": CUT, "third_place_match": True}
    if book.tiebreak_rounds:
        options["prize_places"] = 1
    if 3 in book.best_of:
        options["stages"] = {"final": {"best_of": 3}}
    book.check_options(options)
    event = records.Tournament(
        f"Made up: {book.title}", rulebook_id, None, options, seed, tuple(_competitors(book, players, options))
    )
    while (following := _draw_next(event)) is not None:
        event = _play_round(replace(event, rounds=(*event.rounds, following)), book, rand)
        if len(event.rounds) == 2 and players % 2 == 0:
            leaver = replace(event.competitors[-1], dropped_after=2)
            event = replace(event, competitors=(*event.competitors[:-1], leaver))
    return event


def _competitors(book: Rulebook, players: int, options: dict[str, Any]) -> Iterator[records.Competitor]:
    whole = book.options(options).get("squad_points")
    for n, person in enumerate(made_up_people(players, book.team_size)):
        yield records.Competitor(
            f"p{n + 1}",
            person.name,
            members=person.members,
            captain=person.captain,
            list={"total": whole - n % 4} if whole else None,
        )


def _draw_next(event: records.Tournament) -> records.Round | None:
    stage = next_stage(event)
    if stage == records.SWISS and len(event.stage_rounds(records.SWISS)) >= SWISS_ROUNDS:
        return None
    try:
        pairing = next_round(event)
    except Problem as problem:
        if problem.key in ("bracket_decided", "nobody_left"):
            return None
        raise
    form = pairing.notes.get("form") if stage == records.TIEBREAK else None
    return records.Round(pairing.number, pairing.stage, pairing.matches, pairing.draw, form)


def _play_round(event: records.Tournament, book: Rulebook, rand: random.Random) -> records.Tournament:
    *before, last = event.rounds
    stage = stages_of(event)[last.number]
    totals = list_totals(event)
    used = fielded_squads(before)
    rounds_left = max(1, SWISS_ROUNDS + 1 - last.number)

    def squads(who: str) -> list[int]:
        owed = to_field(book.squads.listed, book.squads.taken, used.get(who, ()), rounds_left).squads
        first = rand.sample(owed, min(len(owed), book.squads.taken))
        rest = [n for n in range(1, book.squads.listed + 1) if n not in first]
        return sorted(first + rand.sample(rest, book.squads.taken - len(first)))

    matches = []
    for match in last.matches:
        if match.b is None:
            fields = book.squads and match.bye == records.BYE and last.stage != records.ELIMINATION
            picks = tuple(squads(match.a)) if fields else None
            matches.append(replace(match, picks=picks))
            continue
        situation = MatchSituation(
            THIRD_STAGE if match.game == THIRD else stage, (totals.get(match.a), totals.get(match.b))
        )
        known = {"picks.winner": squads(match.a), "picks.loser": squads(match.b)} if book.squads else {}
        matches.append(replace(match, result=_result(book, event, situation, known, rand)))
    return replace(event, rounds=(*before, replace(last, matches=tuple(matches))))


def _result(
    book: Rulebook, event: records.Tournament, situation: MatchSituation, known: dict[str, Any], rand: random.Random
) -> records.Result:
    """A random walk through the form, repeated until the rulebook accepts the result."""
    options = book.options(event.options)
    form = book.form(options, situation)
    while True:
        way = rand.choice(form.ways)
        opener: records.Side = "a" if form.parallel else rand.choice(("a", "b"))
        answers = dict(known)
        seen = way.opened_by(opener)
        while (question := next_step(seen, answers)) is not None:
            answers[question.name] = drawn_answer(question, rand)
        result = compose_result(way, opener, answers)
        fits = not any(result_problems(book, result, options, situation, ResultSource(OFFICIAL)))
        if fits and not _lost_by_the_opener(book, result, way, opener, options):
            return result


def drawn_answer(question: Any, chance: random.Random) -> Any:
    """A random answer. Limits of figures are more frequent than in life, since ties, salvos and lots come from them."""
    if isinstance(question, Figure):
        if chance.random() < 0.6:
            return chance.choice((question.minimum, question.default, question.maximum))
        return chance.randint(question.minimum, question.maximum)
    if isinstance(question, Choice):
        return chance.choice(question.options)
    if isinstance(question, Turns):
        return chance.choice(("", "", *records.SIDES))
    assert isinstance(question, Picks)
    return sorted(chance.sample(range(1, question.of + 1), question.take))


def _lost_by_the_opener(
    book: Rulebook, result: records.Result, way: WayToEnd, opener: records.Side, options: dict[str, Any]
) -> bool:
    """Whether the side that opens has lost, which only the other side would report."""
    winner = book.winner(result, options)
    return way.winner != "decided" and winner in ("a", "b") and winner != opener and result.winner is None
