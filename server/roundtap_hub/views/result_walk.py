"""A result entered step by step: which question comes next, what is known so far, and the result in the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from werkzeug.datastructures import MultiDict

from roundtap_core.forms.answers import answers_on_record, needs_opener
from roundtap_core.forms.form import Form, Way
from roundtap_core.forms.questions import LOSER, WINNER, Asking, Choice, Figure, Picks, Question, Turns
from roundtap_core.forms.walk import Walk, compose, walk
from roundtap_core.records import SIDES, Result, Side, other

WAY, OPEN, END = "way", "opener", "end"
FIGURES, PICKS, CHOICE, LOT, TURNS = "figures", "picks", "choice", "lot", "turns"
"""Kinds of pages: how it ended; who opened; the result; figures or squads of both; one choice; a lot; last turns."""


@dataclass(frozen=True, slots=True)
class Trail:
    """How far somebody has come: the way, who opened it, and the answers by question ("score.winner")."""

    way: Way | None = None
    opener: Side | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)

    def fields(self) -> list[tuple[str, str]]:
        """What a form sends, or an address holds, to come back here."""
        found = []
        if self.way is not None:
            found.append(("way", self.way.id))
        if self.opener is not None:
            found.append(("opener", self.opener))
        for name in self.answers:
            value = self.answers[name]
            for one in value if isinstance(value, list) else [value]:
                found.append((f"q.{name}", str(one)))
        return found

    def without(self, names: Iterable[str]) -> Trail:
        gone = set(names)
        return replace(self, answers={name: value for name, value in self.answers.items() if name not in gone})


@dataclass(frozen=True, slots=True)
class Asked:
    """One question on a page, of one side where it is a figure or squads. `few`: its values, where they are few."""

    name: str
    key: str
    side: Side | None
    question: Question
    few: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WalkPage:
    """One page: its kind, its questions (a's first), and where "back" leads; `before` None: at the beginning.

    `sayable`: whether the result in the end can be said by whoever asks, perhaps with a reason.
    """

    kind: str
    trail: Trail
    asked: tuple[Asked, ...]
    walked: Walk | None
    before: Trail | None
    dropped: tuple[str, ...] = ()
    result: Result | None = None
    sayable: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(asked.name for asked in self.asked)

    @property
    def lot(self) -> str:
        """The lot that is to be drawn, by its name; "" where there is none."""
        return self.names[0] if self.kind == LOT else ""


def trail_of(form: Form, result: Result, winner: str) -> Trail:
    """How far a result leads that somebody has said: to the end, or to the squads that it leaves open."""
    found = answers_on_record(form.ways, result, winner)
    return Trail() if found is None else Trail(*found)


def read_trail(form: Form, fields: MultiDict[str, str], lots: Mapping[str, Side],
               without: Iterable[str] = (), side: Side | None = None) -> Trail:
    """What the fields hold. Raises Problem where an answer cannot be; `without`: questions that are asked anew. `lots`:
    those that were drawn; nobody's fields say another. `side`: who alone is asked."""
    way = form.way(fields.get("way") or "")
    if way is None:
        return Trail()
    opener = fields.get("opener")
    trail = Trail(way, "a" if opener == "a" else "b" if opener == "b" else None)
    if needs_opener(way) and trail.opener is None:
        return trail
    if not needs_opener(way):
        trail = replace(trail, opener="a")
    if side is not None:
        way = way.said_by(side, trail.opener or "a")
        trail = replace(trail, way=way)
    skipped = set(without)
    answers = {
        question.name: question.read(fields.getlist(f"q.{question.name}")) for question in way.questions
        if question.name not in skipped and f"q.{question.name}" in fields and question.name not in way.lots
    }
    answers |= {name: side for name, side in lots.items() if name in way.lots}
    trail = replace(trail, answers=answers)
    compose(way, trail.opener or "a", answers)
    return trail


def walk_page(form: Form, trail: Trail) -> WalkPage:
    """The page that comes next."""
    way, opener = trail.way, trail.opener
    if way is None:
        return WalkPage(WAY, Trail(), (), None, None)
    start = Trail()
    if opener is None:
        return WalkPage(OPEN, trail, (), None, start)
    opened = way.opened_by(opener)
    walked = walk(opened, trail.answers, opener)
    # Answers that a later correction made needless travel no further.
    met = [question for question in walked.met if question.name in trail.answers]
    ahead = walk(opened, trail.answers, opener, fill=True).met
    trail = replace(trail, answers={question.name: trail.answers[question.name] for question in ahead
                                    if question.name in trail.answers})
    dropped = tuple(question.name for question in _last_page([q for q in met if q.name not in way.lots]))
    if dropped:
        before = trail.without(dropped)
    else:
        before = Trail(way) if needs_opener(way) else start
    if walked.question is None:
        return WalkPage(END, trail, (), walked, before, dropped, compose(way, opener, trail.answers))
    sides: dict[str, Side] = {WINNER: opener, LOSER: other(opener)}
    asked = [_asked(question, sides) for question in _together(opened, walked.question, trail.answers)]
    asked.sort(key=lambda one: one.side or "")
    kind = LOT if walked.question.name in way.lots else _KINDS[type(walked.question)]
    return WalkPage(kind, trail, tuple(asked), walked, before, dropped)


_KINDS = {Figure: FIGURES, Picks: PICKS, Choice: CHOICE, Turns: TURNS}


def _asked(question: Question, sides: Mapping[str, Side]) -> Asked:
    return Asked(question.name, question.key if question.by_side else question.name, sides.get(question.whose or ""),
                 question, question.few)


def _together(way: Way, first: Question, answers: Mapping[str, Any]) -> list[Question]:
    """The question, and the same one about the other side where that comes right after it."""
    following = way.steps[way.steps.index(first) + 1:][:1]
    return [first, *(question for question in following if isinstance(question, Asking) and _same_page(first, question)
                     and question.name not in answers and question.asked)]


def _same_page(one: Question, other: Question) -> bool:
    """Whether both are the same question, put to each side."""
    return one.by_side and other.by_side and one.key == other.key


def _last_page(met: list[Question]) -> list[Question]:
    """The questions that the page before this one asked."""
    if not met:
        return []
    last, earlier = met[-1], met[-2] if len(met) > 1 else None
    return [earlier, last] if earlier is not None and _same_page(earlier, last) else [last]


def is_last(page: WalkPage) -> bool:
    """Whether the page's own questions are all that is still asked, whatever is answered."""
    way, opener = page.trail.way, page.trail.opener
    assert way is not None
    left = [question for question in way.opened_by(opener or "a").questions
            if question.asked and question.name not in page.trail.answers]
    return {question.name for question in left} == set(page.names)


def turn_order(page: WalkPage) -> tuple[Side, ...]:
    """Whose turns are still to be played, in order; the first of them is the one being played."""
    question = page.asked[0].question
    assert isinstance(question, Turns)
    first = page.trail.answers.get(question.first)
    order: tuple[Side, Side] = ("b", "a") if first == "b" else SIDES
    return tuple(order[turn % 2] for turn in range(question.turns))
