"""The result wizard of all pages that enter a result: the next question, the answers so far, the result at the end."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from flask import abort, g
from msgspec import structs
from werkzeug.datastructures import MultiDict

from roundtap_core.errors import Problem
from roundtap_core.event import event_flow
from roundtap_core.event.commands import NoteLot
from roundtap_core.event.event_flow import effect_lines
from roundtap_core.event.results import acceptable_results, result_to_correct
from roundtap_core.event.states import DRAFT, EventState, MatchState, RoundState
from roundtap_core.forms.form import (
    AT_TIME,
    Form,
    WalkState,
    WayToEnd,
    answers_on_record,
    compose_result,
    needs_opener,
    walk_way,
    with_rulings,
)
from roundtap_core.forms.questions import LOSER, WINNER, BaseQuestion, Choice, Figure, Picks, Question, Turns
from roundtap_core.records import RULING, SIDES, Result, Side, other_side
from roundtap_core.rulebooks import result_gate, result_words
from roundtap_core.rulebooks.base import DRAW, MatchSituation
from roundtap_hub.live import current
from roundtap_hub.views.competitors import lost_squads, squads_of_match
from roundtap_hub.views.knockout import cut_changes, title_key
from roundtap_hub.views.saved_event import SavedEvent
from roundtap_hub.views.tables import side_names, situation_at

WAY, OPEN, END = "way", "opener", "end"
FIGURES, PICKS, CHOICE, LOT, TURNS = "figures", "picks", "choice", "lot", "turns"
"""Kinds of pages: how it ended; who opens; the result; figures or squads of both; one choice; a lot; last turns."""

_KINDS = {Figure: FIGURES, Picks: PICKS, Choice: CHOICE, Turns: TURNS}


@dataclass(frozen=True, slots=True)
class WizardProgress:
    """The answers so far: the way, its opener, and answers by question ("score.winner")."""

    way: WayToEnd | None = None
    opener: Side | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)

    def fields(self) -> list[tuple[str, str]]:
        """The fields of a form or an address that lead back here."""
        begun = [("way", self.way.id if self.way is not None else None), ("opener", self.opener)]
        answers = [(f"q.{name}", text) for name, value in self.answers.items() for text in _texts(value)]
        return [*((name, said) for name, said in begun if said is not None), *answers]


def _texts(answer: object) -> list[str]:
    return [str(text) for text in (answer if isinstance(answer, list) else [answer])]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question on a page; figures and squads have a side."""

    question: Question
    key: str
    side: Side | None


@dataclass(frozen=True, slots=True)
class WizardPage:
    """One page: its kind, its questions (a's first), and where "back" leads (`before`, None on the first page).
    `sayable`: whether the reader may enter the result, perhaps with a reason."""

    kind: str
    trail: WizardProgress
    asked: tuple[AskedQuestion, ...]
    walked: WalkState | None
    before: WizardProgress | None
    dropped: tuple[str, ...] = ()
    result: Result | None = None
    sayable: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(asked.question.name for asked in self.asked)


def read_progress(
    form: Form,
    fields: MultiDict[str, str],
    lots: Mapping[str, Side],
    without: Iterable[str] = (),
    side: Side | None = None,
) -> WizardProgress:
    """The answers in the fields. Raises Problem for an impossible one. `lots`: as drawn, they override fields;
    `without`: questions to ask again; `side`: the only side that is asked."""
    way = form.way(fields.get("way") or "")
    if way is None:
        return WizardProgress()
    opener = fields.get("opener")
    trail = WizardProgress(way, "a" if opener == "a" else "b" if opener == "b" else None)
    if needs_opener(way) and trail.opener is None:
        return trail
    if not needs_opener(way):
        trail = replace(trail, opener="a")
    if side is not None:
        way = way.for_one_side(side, trail.opener or "a")
        trail = replace(trail, way=way)
    skipped = set(without)
    answers = {
        question.name: question.read(fields.getlist(f"q.{question.name}"))
        for question in way.questions
        if question.name not in skipped and f"q.{question.name}" in fields and question.name not in way.lots
    }
    answers |= {name: side for name, side in lots.items() if name in way.lots}
    trail = replace(trail, answers=answers)
    compose_result(way, trail.opener or "a", answers)
    return trail


def wizard_page(form: Form, trail: WizardProgress) -> WizardPage:
    way, opener = trail.way, trail.opener
    if way is None:
        return WizardPage(WAY, WizardProgress(), (), None, None)
    start = WizardProgress()
    if opener is None:
        return WizardPage(OPEN, trail, (), None, start)
    opened = way.opened_by(opener)
    walked = walk_way(opened, trail.answers, opener)
    # Answers that a later correction made needless are dropped.
    met = [question for question in walked.met if question.name in trail.answers]
    ahead = walk_way(opened, trail.answers, opener, fill=True).met
    trail = replace(
        trail,
        answers={question.name: trail.answers[question.name] for question in ahead if question.name in trail.answers},
    )
    dropped = tuple(question.name for question in _last_page([q for q in met if q.name not in way.lots]))
    if dropped:
        before = replace(trail, answers={name: answer for name, answer in trail.answers.items() if name not in dropped})
    else:
        before = WizardProgress(way) if needs_opener(way) else start
    if walked.question is None:
        return WizardPage(END, trail, (), walked, before, dropped, compose_result(way, opener, trail.answers))
    sides: dict[str, Side] = {WINNER: opener, LOSER: other_side(opener)}
    asked = [
        AskedQuestion(each, each.key if each.by_side else each.name, sides.get(each.whose or ""))
        for each in _paired_questions(opened, walked.question, trail.answers)
    ]
    asked.sort(key=lambda one: one.side or "")
    kind = LOT if walked.question.name in way.lots else _KINDS[type(walked.question)]
    return WizardPage(kind, trail, tuple(asked), walked, before, dropped)


def _paired_questions(way: WayToEnd, first: Question, answers: Mapping[str, Any]) -> list[Question]:
    """The question, and the same one about the other side where it follows directly."""
    following = way.steps[way.steps.index(first) + 1 :][:1]
    return [
        first,
        *(
            question
            for question in following
            if isinstance(question, BaseQuestion)
            and _same_page(first, question)
            and question.name not in answers
            and question.asked
        ),
    ]


def _same_page(first: Question, second: Question) -> bool:
    return first.by_side and second.by_side and first.key == second.key


def _last_page(met: list[Question]) -> list[Question]:
    if not met:
        return []
    last, earlier = met[-1], met[-2] if len(met) > 1 else None
    return [earlier, last] if earlier is not None and _same_page(earlier, last) else [last]


def is_last_page(page: WizardPage) -> bool:
    """Whether no question can follow this page."""
    way, opener = page.trail.way, page.trail.opener
    assert way is not None
    left = [
        question
        for question in way.opened_by(opener or "a").questions
        if question.asked and question.name not in page.trail.answers
    ]
    return {question.name for question in left} == set(page.names)


def turn_order(page: WizardPage) -> tuple[Side, ...]:
    """The sides of the remaining turns in order, the current one first."""
    question = page.asked[0].question
    assert isinstance(question, Turns)
    first = page.trail.answers.get(question.first)
    order: tuple[Side, Side] = ("b", "a") if first == "b" else SIDES
    return tuple(order[turn % 2] for turn in range(question.turns))


Fields = MultiDict[str, str]


@dataclass(frozen=True, slots=True)
class MatchContext:
    """A match in the wizard, with its form; `names` by side, `people`: all names by competitor."""

    state: EventState
    played: RoundState
    match: MatchState
    situation: MatchSituation
    form: Form
    names: dict[str, str]
    people: Mapping[str, str]
    saying: result_gate.ResultSource


def public_match(state: EventState, match_id: str) -> tuple[RoundState, MatchState]:
    """The match and its round; 404 for one of a draft, and for a bye."""
    found = state.find_match(match_id)
    if found is None or found[0].status == DRAFT or found[1].match.b is None:
        abort(404)
    return found


def match_context(
    moment: SavedEvent,
    played: RoundState,
    match: MatchState,
    names: Mapping[str, str],
    by: str,
    side: Side | None = None,
) -> MatchContext:
    """The context of a match. `names`: by competitor, as the reader may see them; `by`: OFFICIAL or PLAYER, who is
    asked the squads of their `side` alone."""
    state = moment.state
    situation = situation_at(state, moment.people, played, match)
    up = event_flow.time_is_up(state, played, match, current.hub().clocks.now())
    form = state.rulebook.form(state.options, situation)
    if by == result_gate.OFFICIAL:
        draw = (DRAW,) if result_gate.may_be_drawn(state.rulebook, state.options, situation) else ()
        form = with_rulings(form, (*SIDES, *draw, "none"))
    return MatchContext(
        state,
        played,
        match,
        situation,
        form,
        side_names(match, names),
        names,
        result_gate.ResultSource(
            by, up, side=side, corrects=result_to_correct(played, match) if by == result_gate.OFFICIAL else None
        ),
    )


def wizard_page_at(seat: MatchContext, fields: Fields) -> WizardPage:
    """The next page, in the end with the result. Problems are noted for the page."""
    try:
        trail = read_progress(seat.form, fields, seat.match.lots, side=seat.saying.side)
        _refuse_unanswered(trail, fields)
    except Problem as problem:
        _note_problem(problem)
        trail = _without_last_answers(seat, fields)
    at = wizard_page(seat.form, trail)
    if at.result is None:
        return at
    why = result_problem(seat, at.result)
    # A Problem that the hub has just raised is already shown.
    if why is not None and not g.get("problem"):
        _note_problem(why)
    return replace(at, sayable=why is None)


def result_problem(seat: MatchContext, result: Result) -> Problem | None:
    """Why this result cannot stand; None also where it only needs a reason, which the page then asks for."""
    why = next(
        result_gate.result_problems(
            seat.state.rulebook, result, seat.state.options, seat.situation, _saying(seat, result)
        ),
        None,
    )
    if why is None or why.key not in result_gate.NEEDS_REASON:
        return why
    g.asks_reason = why
    return None


def _saying(seat: MatchContext, result: Result) -> result_gate.ResultSource:
    """The source of the result: one that stands or was reported may be entered at any time."""
    if seat.saying.by == result_gate.OFFICIAL and result in acceptable_results(seat.match):
        return result_gate.ON_RECORD
    return seat.saying


def _refuse_unanswered(trail: WizardProgress, fields: Fields) -> None:
    """Raise Problem where the last page's form came back without an answer to one of its questions."""
    left_out = [name for name in fields.get("asked", "").split() if name not in trail.answers]
    questions = trail.way.questions if trail.way is not None else ()
    question = next((question for question in questions if question.name in left_out), None)
    if question is not None:
        raise question.missing_problem()


def _note_problem(problem: Problem) -> None:
    # Always 400: only the answers are wrong, nothing was asked of the event yet.
    g.problem, g.status = problem, 400


def _without_last_answers(seat: MatchContext, fields: Fields) -> WizardProgress:
    try:
        return read_progress(seat.form, fields, seat.match.lots, fields.get("asked", "").split(), seat.saying.side)
    except Problem:
        return WizardProgress()


def step_context(
    seat: MatchContext, at: WizardPage, fields: Fields, address: str, base: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """The template context of a step. `address`: the wizard's; `base`: fields carried through all steps."""
    state, book, t = seat.state, seat.state.rulebook, current.words()
    opener = at.trail.opener or "a"
    lines = (
        result_words.answer_lines(
            seat.form, at.trail.way.opened_by(opener), opener, at.trail.answers, at.walked, seat.names, t
        )
        if at.trail.way is not None and at.walked is not None and at.kind != END
        else []
    )
    return {
        "state": state,
        "played": seat.played,
        "played_name": title_key(state, seat.played, seat.match),
        "at": at,
        "match": seat.match,
        "names": seat.names,
        "lines": lines,
        "back": _back(at, address, base),
        "hidden": [*at.trail.fields(), *base],
        "given": _initial_values(seat, at, fields),
        "ways": ways_of(seat) if at.kind == WAY else (),
        "order": [seat.names[side] for side in turn_order(at)] if at.kind == TURNS else (),
        "told": result_lines(seat, at.result) if at.result else (),
        "lets_go": let_go(seat, at.result) if at.result else "",
        "owed": squads_of_match(state, seat.played, seat.match) if at.kind == PICKS else {},
        "outcome": result_words.outcome_text(book, state.options, seat.situation, at.result, seat.names, t)
        if at.result
        else "",
        "worth": points_for_result(seat, at.result),
        "figure_label": result_words.figure_label,
        "way_label": result_words.way_label,
        "option_label": result_words.option_label,
        "walk_at": address,
    }


def result_lines(seat: MatchContext, result: Result) -> tuple[result_words.ResultLine, ...]:
    """A result in words, with its consequences."""
    state, t = seat.state, current.words()
    return (
        *result_words.describe_result(state.rulebook, seat.form, state.options, result, seat.names, t),
        *effect_lines(state, seat.played, seat.match, result, seat.names, t),
        *lost_squads(state, seat.played, seat.match, result, seat.names, t),
        *cut_changes(state, seat.played, seat.match, result, seat.people, t),
    )


def let_go(seat: MatchContext, result: Result) -> str:
    """What the page's button confirms of squads that can never be fielded any more."""
    return event_flow.squads_let_go(seat.state, seat.played, seat.match.match, result.picks or {})


def draw_lot(seat: MatchContext, fields: Fields, who: str) -> WizardProgress:
    """Draw the next lot, if one comes next; the first draw stands for all clients."""
    trail = read_progress(seat.form, fields, seat.match.lots, side=seat.saying.side)
    at = wizard_page(seat.form, trail)
    if at.kind == LOT:
        note = NoteLot(seat.match.id, at.names[0], secrets.choice(SIDES), seat.played.mark)
        current.hub().service.execute_one(seat.state.id, note, who)
    return trail


def address_at(address: str, fields: Sequence[tuple[str, str]]) -> str:
    return f"{address}?{urlencode(fields)}"


def _back(at: WizardPage, address: str, base: Sequence[tuple[str, str]]) -> str:
    if at.before is None:
        return ""
    before = [*at.before.fields(), *base]
    if at.trail.way is not None:
        before += [(f"p.{name}", text) for name in at.dropped for text in _texts(at.trail.answers[name])]
    return address_at(address, before)


def ways_of(seat: MatchContext) -> list[tuple[str, bool]]:
    """(id, stands) of every way, those offered now first, rulings last."""
    now = {way.id for way in seat.form.offered(bool(seat.saying.time_is_up))}
    early = seat.saying.by == result_gate.PLAYER and seat.saying.time_is_up is False
    stands = progress_of(seat, seat.match.match.result).way
    ways = sorted(
        (way for way in seat.form.ways if not (early and way.when == AT_TIME)),
        key=lambda way: (way.ended == RULING, way.id not in now),
    )
    return [(way.id, stands is not None and way.id == stands.id) for way in ways]


def progress_of(seat: MatchContext, result: Result | None) -> WizardProgress:
    """The answers that a reported result gives: all, or all but its missing squads."""
    found = None
    if result is not None:
        winner = result_words.winner_of(seat.state.rulebook, seat.state.options, result)
        found = answers_on_record(seat.form.ways, result, winner)
    return WizardProgress() if found is None else WizardProgress(*found)


def _initial_values(seat: MatchContext, at: WizardPage, fields: Fields) -> dict[str, list[str]]:
    """The initial values of a page's fields: as just typed, else as before going back, else of the standing result."""
    given: dict[str, list[str]] = {}
    stands = progress_of(seat, seat.match.match.result)
    # Answers are the winner's and the loser's: with another winner they would be the wrong player's.
    if (
        stands.way is not None
        and at.trail.way is not None
        and ((stands.way.id, stands.opener) == (at.trail.way.id, at.trail.opener))
    ):
        given = {name: _texts(answer) for name, answer in stands.answers.items()}
    for name in at.names:
        if f"q.{name}" in fields:
            given[name] = fields.getlist(f"q.{name}")
        elif f"p.{name}" in fields:
            given[name] = fields.getlist(f"p.{name}")
    return given


def points_for_result(seat: MatchContext, result: Result | None) -> dict[str, tuple[int, int]]:
    played = structs.replace(seat.match.match, result=result)
    return seat.state.rulebook.worth(played, seat.state.options, seat.situation)
