"""Results at and beside every limit of a rulebook's form, made of the form's own data and of nothing else."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

from roundtap_core.errors import Problem
from roundtap_core.forms import form as forms_walk
from roundtap_core.forms.form import Form, WayToEnd, needs_opener, walk_way
from roundtap_core.forms.questions import Choice, Figure, Picks, Question, Turns
from roundtap_core.records import SIDES, Result, Side

NOBODY = "nobody-said-this"
"""No option of any choice."""


@dataclass(frozen=True)
class Case:
    """One way of a form, who opened it, and an answer to each question that these answers lead to."""

    way: WayToEnd
    opener: Side
    answers: Mapping[str, Any] = field(hash=False)

    @property
    def key(self) -> str:
        return f"{self.way.id} opened by {self.opener}: {dict(self.answers)}"

    @property
    def within(self) -> bool:
        """Whether every answer is one that its question takes."""
        return all(
            fits(question, self.answers[question.name]) for question in self.questions if question.name in self.answers
        )

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.way.opened_by(self.opener).questions

    def said_by(self, side: Side) -> Case:
        """What one side alone is asked: its own squads, and all that is nobody's own."""
        way = self.way.for_one_side(side, self.opener)
        left_out = {each.name for each in self.way.picks()} - {each.name for each in way.picks()}
        return replace(self, way=way, answers={n: each for n, each in self.answers.items() if n not in left_out})

    @property
    def on_buttons(self) -> Case:
        """The same where buttons show "20+": a figure beyond its limits is said as the limit."""
        limits = {question.name: question for question in self.questions if isinstance(question, Figure)}
        return replace(
            self,
            answers={
                name: max(limits[name].minimum, min(limits[name].maximum, answer)) if name in limits else answer
                for name, answer in self.answers.items()
            },
        )

    @property
    def result(self) -> Result:
        """What these answers say, whether or not anybody would take them: composed without a look at limits."""
        with mock.patch.object(forms_walk, "_check"):
            return forms_walk.compose_result(self.way, self.opener, self.answers)


def fits(question: Question, answer: object) -> bool:
    try:
        question.check(answer, "a")
    except Problem:
        return False
    return True


def values_of(question: Question, lots: Mapping[str, Side]) -> list[Any]:
    """An answer at and beside each limit: of a figure, every option of a choice and one that is none, and squads too
    few, right, too many and twice. A lot is what was drawn: nobody answers it."""
    if isinstance(question, Figure):
        low, high, default = question.minimum, question.maximum, question.default
        return sorted({low - 1, low, low + 1, default, high - 1, high, high + 1})
    if isinstance(question, Turns):
        return ["", *SIDES, NOBODY]
    if isinstance(question, Choice):
        return [lots[question.name]] if question.lot else [*question.options, NOBODY]
    assert isinstance(question, Picks)
    first, last = list(range(1, question.take + 1)), list(range(question.of - question.take + 1, question.of + 1))
    return [first, last, first[:-1], [*first, question.of], [*first[:-1], first[0]], [*first[:-1], question.of + 1]]


def cases_of(form: Form, way: WayToEnd, chance: random.Random, most: int, lots: Mapping[str, Side]) -> list[Case]:
    """All answers that this way can be given at and beside its limits; where these are more than `most`, every pair of
    right answers, then each wrong answer after right ones by chance, up to `most`."""
    found: dict[str, Case] = {}
    for opener in SIDES if needs_opener(way) else ("a",):
        share = most // 2 if needs_opener(way) else most
        opened = way.opened_by(opener)
        for answers in itertools.islice(_all_or_pairs(opened, opener, chance, share, lots), share):
            case = Case(way, opener, answers)
            found.setdefault(case.key, case)
    return list(found.values())


def _all_or_pairs(
    way: WayToEnd, opener: Side, chance: random.Random, most: int, lots: Mapping[str, Side]
) -> Iterator[Mapping[str, Any]]:
    values = {question.name: values_of(question, lots) for question in way.questions if question.asked}
    whole = list(itertools.islice(_every(way, opener, values, {}), most + 1))
    if len(whole) <= most:
        yield from whole
        return
    right = {
        name: [value for value in values[name] if fits(question, value)]
        for name, question in _by_name(way).items()
        if name in values
    }
    beside = _beside(way, opener, values, right, chance)
    pairs = _pairs(way, opener, right, chance)
    # Wrong ones in turn with right ones, so that a small share has both.
    for one, two in itertools.zip_longest(pairs, beside):
        yield from (each for each in (one, two) if each is not None)


def _by_name(way: WayToEnd) -> dict[str, Question]:
    return {question.name: question for question in way.questions}


def _every(
    way: WayToEnd, opener: Side, values: Mapping[str, Sequence[Any]], given: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    question = walk_way(way, given, opener).question
    if question is None:
        yield given
        return
    for value in values[question.name]:
        yield from _every(way, opener, values, {**given, question.name: value})


def _pairs(
    way: WayToEnd, opener: Side, right: Mapping[str, Sequence[Any]], chance: random.Random
) -> Iterator[Mapping[str, Any]]:
    """Rows until each pair of right answers that chance comes upon has been there; half of the figures are as the other
    side's, for that is where the later questions are."""
    seen: set[tuple[str, str, str, str]] = set()
    idle = 0
    while idle < 60:
        row: dict[str, Any] = {}
        while (question := walk_way(way, row, opener).question) is not None:
            row[question.name] = _likely(question, right[question.name], row, chance)
        pairs = {(one, repr(row[one]), two, repr(row[two])) for one, two in itertools.combinations(row, 2)}
        idle = 0 if pairs - seen else idle + 1
        if pairs - seen or len(row) < 2:
            yield row
        seen |= pairs


def _likely(question: Question, right: Sequence[Any], row: Mapping[str, Any], chance: random.Random) -> Any:
    twin = next(
        (
            row[name]
            for name in row
            if name != question.name and question.by_side and name.partition(".")[0] == question.key
        ),
        None,
    )
    if isinstance(question, Figure) and twin in right and chance.random() < 0.5:
        return twin
    if isinstance(question, Turns) and chance.random() < 0.6:
        return ""
    return chance.choice(right)


def _beside(
    way: WayToEnd,
    opener: Side,
    values: Mapping[str, Sequence[Any]],
    right: Mapping[str, Sequence[Any]],
    chance: random.Random,
) -> Iterator[Mapping[str, Any]]:
    """Each answer that its question does not take, after right ones by chance, wherever chance comes to be asked it."""
    for _ in range(40):
        wrong = {name: [value for value in values[name] if value not in right[name]] for name in values}
        for name, at in ((name, at) for name, them in wrong.items() for at in range(len(them))):
            row: dict[str, Any] = {}
            while (question := walk_way(way, row, opener).question) is not None:
                row[question.name] = (
                    wrong[name][at] if question.name == name else _likely(question, right[question.name], row, chance)
                )
            if name in row:
                yield row
