"""A result as it is entered, by steps, a line, a slip or a phone: the match, the answers so far, what they make."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from flask import abort, g, redirect
from msgspec import Struct, structs
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event import event_flow
from roundtap_core.event.commands import NoteLot
from roundtap_core.event.results import acceptable_results, correction_choice, result_to_correct
from roundtap_core.event.states import DRAFT, EventState, MatchState, RoundState
from roundtap_core.forms.form import (
    AT_TIME,
    Form,
    WayToEnd,
    answers_on_record,
    compose_result,
    needs_opener,
    walk_way,
    with_rulings,
)
from roundtap_core.forms.questions import LOSER, WINNER, Answers, BaseQuestion, Choice, Figure, Picks, Question, Turns
from roundtap_core.records import RULING, SIDES, Result, Side, other_side, result_to_json
from roundtap_core.rulebooks import result_gate, result_words
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.scoring import DRAW
from roundtap_hub.live import current, forms
from roundtap_hub.views.competitors import OwedSquads, lost_squads, squads_of_match
from roundtap_hub.views.knockout import cut_changes
from roundtap_hub.views.saved_event import SavedEvent, short_hash
from roundtap_hub.views.tables import ShownResult, shown_result, side_names, situation_at

WAY, OPEN, END = "way", "opener", "end"
FIGURES, PICKS, CHOICE, LOT, TURNS = "figures", "picks", "choice", "lot", "turns"
"""Kinds of pages: how it ended; who opens; the result; figures or squads of both; one choice; a lot; last turns."""

RULING_WITH_SCORE = "ruling_figures"
"""The way to which a ruling leads on where its score counts, too."""

_KINDS = {Figure: FIGURES, Picks: PICKS, Choice: CHOICE, Turns: TURNS}

Fields = MultiDict[str, str]
FieldPairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WizardProgress:
    """The answers so far: the way, its opener, and answers by question ("score.winner")."""

    way: WayToEnd | None = None
    opener: Side | None = None
    answers: Answers = field(default_factory=dict)

    def fields(self) -> list[tuple[str, str]]:
        """The fields of a form or an address that lead back here."""
        begun = [("way", self.way.id if self.way is not None else None), ("opener", self.opener)]
        answers = [(f"q.{name}", text) for name, value in self.answers.items() for text in _texts(value)]
        return [*((name, value_text) for name, value_text in begun if value_text is not None), *answers]


def _texts(answer: object) -> list[str]:
    return [str(text) for text in (answer if isinstance(answer, list) else [answer])]


class ToldResult(Struct, frozen=True):
    """A result as it is told before it counts: who wins, all it holds with its consequences, its worth by side.
    `asks`: what its buttons decide as well; `lets_go`: squads that can never be fielded any more, which its button
    confirms; `mark`: a digest of match and result, so that only the result on the screen counts."""

    result: Result
    shown: ShownResult
    outcome: str
    lines: tuple[result_words.ResultLine, ...]
    worth: Mapping[str, tuple[str, str]]
    lets_go: str
    mark: str
    asks: Problem | None = None


class MatchEntry(Struct, frozen=True):
    """A match that somebody enters a result for. `form` and `saying`: what they are asked, and who they are; `names` by
    side, `people`: all names by competitor. `address`: of the steps; `carried`: fields that go through all of them."""

    state: EventState
    played: RoundState
    match: MatchState
    situation: MatchSituation
    form: Form
    names: dict[str, str]
    people: Mapping[str, str]
    saying: result_gate.ResultSource
    address: str = ""
    carried: FieldPairs = ()

    @property
    def slip(self) -> str:
        """The code of the slip that is typed, or ""."""
        return dict(self.carried).get("slip", "")

    def ways(self) -> list[tuple[str, bool]]:
        """(id, stands) of every way, those offered now first, the ruling last; its score comes after its winner."""
        now = {way.id for way in self.form.offered(bool(self.saying.time_is_up))}
        early = self.saying.by == result_gate.PLAYER and self.saying.time_is_up is False
        stands = self.progress_of(self.match.match.result).way
        ways = sorted(
            (way for way in self.form.ways if way.id != RULING_WITH_SCORE and not (early and way.when == AT_TIME)),
            key=lambda way: (way.ended == RULING, way.id not in now),
        )
        return [(way.id, stands is not None and stands.id in (way.id, f"{way.id}_figures")) for way in ways]

    def read(self, fields: Fields, without: Collection[str] = ()) -> WizardProgress:
        """The answers in the fields. Raises Problem for an impossible one. Lots are as drawn; `without`: questions to
        ask again."""
        way = self.form.way(fields.get("way") or "")
        typed_opener: Side | None = next((side for side in SIDES if side == fields.get("opener")), None)
        opener = typed_opener if way is None or needs_opener(way) else "a"
        if way is None or opener is None:
            return WizardProgress(way)
        if self.saying.side is not None:
            way = way.for_one_side(self.saying.side, opener)
        answers = {
            question.name: question.read(fields.getlist(f"q.{question.name}"))
            for question in way.questions
            if question.name not in without and f"q.{question.name}" in fields and question.name not in way.lots
        }
        answers |= {name: side for name, side in self.match.lots.items() if name in way.lots}
        compose_result(way, opener, answers)
        return WizardProgress(way, opener, answers)

    def progress_of(self, result: Result | None) -> WizardProgress:
        """The answers that a reported result gives: all, or all but its missing squads."""
        if result is None:
            return WizardProgress()
        winner = result_words.winner_of(self.state.rulebook, self.state.options, result)
        return WizardProgress(*(answers_on_record(self.form.ways, result, winner) or ()))

    def made(self, progress: WizardProgress) -> ToldResult:
        """The result that whole answers make. Raises Problem for impossible ones."""
        assert progress.way is not None
        return self.told(compose_result(progress.way, progress.opener or "a", progress.answers))

    def told(self, result: Result) -> ToldResult:
        state, played, match, t = self.state, self.played, self.match, current.game_words(self.state)
        book, options, shown = state.rulebook, state.options, shown_result(result, state, match)
        worth = book.worth(structs.replace(match.match, result=result), options, self.situation)
        as_text = sorted(result_to_json(result).items(), key=str)
        official = self.saying.by == result_gate.OFFICIAL
        asks = correction_choice(state, played, match, result) if official else None
        return ToldResult(
            result,
            shown,
            result_words.outcome_text(book, options, self.situation, result, self.names, t),
            (
                *result_words.describe_result(book, self.form, options, result, self.names, t),
                *event_flow.effect_lines(state, played, match, result, self.names, t),
                *lost_squads(state, played, match, result, self.names, t),
                *cut_changes(state, played, match, result, self.people, t),
            ),
            {key: result_words.worth_texts(book, key, pair) for key, pair in worth.items()},
            event_flow.squads_let_go(state, played, match.match, result.picks or {}),
            short_hash(match.id, match.match.a, match.match.b, as_text, shown.winner, sorted(worth.items())),
            forms.with_competitor_names(asks, state.id) if asks is not None else None,
        )

    def problem(self, result: Result) -> Problem | None:
        """Why this result cannot stand; None also where it only needs a reason, which the page then asks for. One that
        stands or was reported may be entered at any time."""
        on_record = self.saying.by == result_gate.OFFICIAL and result in acceptable_results(self.match)
        saying = result_gate.ON_RECORD if on_record else self.saying
        book, options = self.state.rulebook, self.state.options
        why = next(result_gate.result_problems(book, result, options, self.situation, saying), None)
        if why is None or why.key not in result_gate.NEEDS_REASON:
            return why
        g.asks_reason = why
        return None

    def fields_at(self, progress: WizardProgress) -> list[tuple[str, str]]:
        return [*progress.fields(), *self.carried]

    def address_of(self, progress: WizardProgress, more: FieldPairs = ()) -> str:
        """The address of the page that asks what these answers leave open."""
        return f"{self.address}?{urlencode([*self.fields_at(progress), *more])}"

    def next_page(self, fields: Fields) -> "WizardPage":
        """The next page, in the end with the result. Problems are noted for the page."""
        names = fields.get("asked", "").split()
        try:
            progress = self.read(fields)
            for question in progress.way.questions if progress.way is not None else ():
                if question.name in names and question.name not in progress.answers:
                    raise question.missing_problem()
        except Problem as problem:
            note_problem(problem)
            progress = WizardProgress()
            with suppress(Problem):
                progress = self.read(fields, names)
        page = self.page(progress, fields)
        why = self.problem(page.told.result) if page.told is not None else None
        # A Problem that the hub has just raised is already shown.
        if why is not None and not g.get("problem"):
            note_problem(why)
        return replace(page, sayable=why is None)

    def page(self, progress: WizardProgress, fields: Fields | None = None) -> "WizardPage":
        """The page that comes after these answers. `fields`: as they were sent."""
        way, opener, fields = progress.way, progress.opener, Fields() if fields is None else fields
        if way is None:
            return WizardPage(self, fields, WAY, progress, None)
        if opener is None:
            return WizardPage(self, fields, OPEN, progress, WizardProgress())
        opened = way.opened_by(opener)
        walked = walk_way(opened, progress.answers, opener)
        answered = [each for each in walked.met if each.name in progress.answers and each.name not in way.lots]
        # Answers that a later correction made needless are dropped.
        ahead = [each.name for each in walk_way(opened, progress.answers, opener, fill=True).met]
        answers = {name: progress.answers[name] for name in ahead if name in progress.answers}
        dropped = tuple(each.name for each in answered[-2:] if each is answered[-1] or _same_page(each, answered[-1]))
        progress, before = WizardProgress(way, opener, answers), WizardProgress(way if needs_opener(way) else None)
        if dropped:
            left = {name: answer for name, answer in answers.items() if name not in dropped}
            before = WizardProgress(way, opener, left)
        if walked.question is None:
            return WizardPage(self, fields, END, progress, before, dropped, told=self.made(progress))
        first, sides = walked.question, {WINNER: opener, LOSER: other_side(opener)}
        # The same question about the other side, where it follows directly, is on the same page.
        beside = (
            each
            for each in opened.steps[opened.steps.index(first) + 1 :][:1]
            if isinstance(each, BaseQuestion) and _same_page(first, each) and each.name not in answers and each.asked
        )
        questions = [
            AskedQuestion(each, each.key if each.by_side else each.name, sides.get(each.whose or ""))
            for each in (first, *beside)
        ]
        questions.sort(key=lambda one: one.side or "")
        lines = result_words.answer_lines(
            self.form, opened, opener, answers, walked, self.names, current.game_words(self.state)
        )
        kind = LOT if first.name in way.lots else _KINDS[type(first)]
        return WizardPage(self, fields, kind, progress, before, dropped, tuple(questions), lines)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question on a page; figures and squads have a side."""

    question: Question
    key: str
    side: Side | None


@dataclass(frozen=True, slots=True)
class WizardPage:
    """One page: its kind, where "back" leads (`before`, None on the first page) and the answers `dropped` there, its
    questions (a's first), the answers so far in words, at the end the result. `sayable`: whether the reader may enter
    it, perhaps with a reason."""

    entered: MatchEntry
    fields: Fields
    kind: str
    trail: WizardProgress
    before: WizardProgress | None
    dropped: tuple[str, ...] = ()
    asked: tuple[AskedQuestion, ...] = ()
    lines: Sequence[result_words.ResultLine] = ()
    told: ToldResult | None = None
    sayable: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.question.name for each in self.asked)

    @property
    def is_last(self) -> bool:
        """Whether no question can follow this page."""
        way, opener, answers = self.trail.way, self.trail.opener or "a", self.trail.answers
        steps = way.opened_by(opener).questions if way is not None else ()
        return {each.name for each in steps if each.asked and each.name not in answers} == set(self.names)

    @property
    def back(self) -> str:
        if self.before is None:
            return ""
        dropped = tuple((f"p.{name}", text) for name in self.dropped for text in _texts(self.trail.answers[name]))
        return self.entered.address_of(self.before, dropped)

    @property
    def with_score(self) -> str:
        """Where the score of a ruling is asked, too; "" for all else."""
        way = self.entered.form.way(RULING_WITH_SCORE) if self.trail.way and self.trail.way.id == "ruling" else None
        return self.entered.address_of(replace(self.trail, way=way)) if way else ""

    @property
    def given(self) -> dict[str, list[str]]:
        """The initial values of the fields: as just typed, else as before going back, else of the standing result."""
        stands, trail = self.entered.progress_of(self.entered.match.match.result), self.trail
        # Answers are the winner's and the loser's: with another winner they would be the wrong player's.
        same = stands.way and trail.way and (stands.way.id, stands.opener) == (trail.way.id, trail.opener)
        return {
            **({name: _texts(answer) for name, answer in stands.answers.items()} if same else {}),
            **{
                name: self.fields.getlist(f"{kind}.{name}")
                for kind in ("p", "q")
                for name in self.names
                if f"{kind}.{name}" in self.fields
            },
        }

    @property
    def order(self) -> list[str]:
        """The names of those who take the remaining turns, the current one first."""
        question = self.asked[0].question
        assert isinstance(question, Turns)
        order = ("b", "a") if self.trail.answers.get(question.first) == "b" else SIDES
        return [self.entered.names[order[turn % 2]] for turn in range(question.turns)]

    @property
    def owed(self) -> dict[str, OwedSquads]:
        return squads_of_match(self.entered.state, self.entered.played, self.entered.match)


def _same_page(first: Question, second: Question) -> bool:
    """Whether it is the same question about the other side."""
    return first.by_side and second.by_side and first.key == second.key


def public_match(state: EventState, match_id: str) -> tuple[RoundState, MatchState]:
    """The match and its round; 404 for one of a draft, and for a bye."""
    round_and_match = state.find_match(match_id)
    if round_and_match is None or round_and_match[0].status == DRAFT or round_and_match[1].match.b is None:
        abort(404)
    return round_and_match


def entered_match(
    event: SavedEvent,
    played: RoundState,
    match: MatchState,
    names: Mapping[str, str],
    by: str,
    side: Side | None = None,
) -> MatchEntry:
    """`names`: by competitor, as the reader may see them; `by`: OFFICIAL or PLAYER, who is asked the squads of their
    `side` alone."""
    state = event.state
    situation = situation_at(state, event.people, played, match)
    up = event_flow.time_is_up(state, played, match, current.hub().clocks.now())
    form, corrects = state.rulebook.form(state.options, situation), None
    if by == result_gate.OFFICIAL:
        draw = (DRAW,) if result_gate.may_be_drawn(state.rulebook, state.options, situation) else ()
        form, corrects = with_rulings(form, (*SIDES, *draw, "none")), result_to_correct(played, match)
    saying = result_gate.ResultSource(by, up, side=side, corrects=corrects)
    return MatchEntry(state, played, match, situation, form, side_names(match, names), names, saying)


def note_problem(problem: Problem) -> None:
    """Show what is wrong with the answers: always 400, as nothing was asked of the event yet."""
    g.problem, g.status = problem, 400


def draw_lot(entered: MatchEntry, fields: Fields, who: str) -> AnyResponse:
    """Draw the next lot, if one comes next, and go on with it; the first draw stands for all clients."""
    progress = entered.read(fields)
    page = entered.page(progress)
    if page.kind == LOT:
        note = NoteLot(entered.match.id, page.names[0], secrets.choice(SIDES), entered.played.mark)
        current.hub().service.execute_one(entered.state.id, note, who)
    return redirect(entered.address_of(progress), 303)
