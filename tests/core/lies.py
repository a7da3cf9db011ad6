"""Lies about a match: every result that a form can make, and each of its answers told otherwise.

The truth is found forwards, by answering: what no answers make is a lie. The gate reads backwards, from the record.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.forms.form import Form, WayToEnd, compose_result, needs_opener, walk_way
from roundtap_core.forms.questions import Choice, Figure, Picks, Question, Turns
from roundtap_core.records import SIDES, Result, result_to_json
from roundtap_core.rulebooks.base import MatchSituation, Rulebook

DECIDED_BY = "decided_by"
NUMBERS = {"keys": (0, 1, 2), "aember": (0, 6, 7), "creatures": (0, 1), "bonus": (0, 1), "objectives": (0, 2)}
"""So many figures are enough for every step to decide, or not."""

ANY_NUMBERS = {"aember": (0, 1, 6, 7), "creatures": (0, 1, 2), "bonus": (0, 1, 2)}
"""A figure that was left out may outweigh whatever the others are told to be."""

Plain = dict[str, Any]  # a result as JSON
Numbers = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Truth:
    """A result that can be, with its winner."""

    told: Plain
    winner: str

    @property
    def answers(self) -> Plain:
        return {key: value for key, value in self.told.get("timeout", {}).items() if key != DECIDED_BY}


def truths(book: Rulebook, options: Mapping[str, Any], situation: MatchSituation, unknown: str = "") -> list[Truth]:
    """Every result of the form, with a few figures each; more of the figure that is `unknown`."""
    found: dict[str, Truth] = {}
    form = book.form(options, situation)
    numbers = {**NUMBERS, **{key: few for key, few in ANY_NUMBERS.items() if key == unknown}}
    for result in _results(form, numbers):
        try:
            book.check_new(result, options, situation)
            truth = Truth(result_to_json(result), book.winner(result, options))
        except Problem:
            continue
        found.setdefault(repr(truth.told), truth)
    return list(found.values())


def _results(form: Form, numbers: Numbers) -> Iterator[Result]:
    for way in form.ways:
        for opener in SIDES if needs_opener(way) else ("a",):
            for answers in _every(way.opened_by(opener), opener, {}, numbers):
                yield compose_result(way, opener, answers)


def _every(way: WayToEnd, opener: Any, given: Plain, numbers: Numbers) -> Iterator[Plain]:
    question = walk_way(way, given, opener).question
    if question is None:
        yield given
        return
    for value in _values(question, numbers):
        yield from _every(way, opener, {**given, question.name: value}, numbers)


def _values(question: Question, numbers: Numbers) -> Iterable[Any]:
    if isinstance(question, Figure):
        few = numbers.get(question.key, (question.minimum, question.minimum + 1, question.maximum))
        return sorted({number for number in few if question.minimum <= number <= question.maximum})
    if isinstance(question, Turns):
        return ["", *SIDES]
    if isinstance(question, Picks):
        return [[1, 2]]
    assert isinstance(question, Choice)
    return question.options[:1] if question.whose else question.options


# --- told otherwise ---


class Known:
    """All truths of a match, and what each place of a result is ever told."""

    def __init__(self, book: Rulebook, options: Mapping[str, Any], situation: MatchSituation) -> None:
        self.truths = truths(book, options, situation)
        self.without: dict[str, list[Truth]] = {"": self.truths}
        self.wider = lambda unknown: (
            truths(book, options, situation, unknown) if unknown in ANY_NUMBERS else self.truths
        )
        # KeyForge's files may leave won games out.
        self.not_counted = (
            {"a": 0, "b": 0} if book.form(options, situation).games and book.lots == ("first_player",) else None
        )
        self.values: dict[str, list[Any]] = {}
        self.by_answers: dict[str, list[Truth]] = {}
        for truth in self.truths:
            self.by_answers.setdefault(repr(_bare(truth.told)), []).append(truth)
            for place, value in _places(truth.told):
                same = self.values.setdefault(_kind(truth.told, truth.winner, place), [])
                if value not in same:
                    same.append(value)

    def told_otherwise(self, told: Plain, winner: str) -> Iterator[tuple[str, Plain]]:
        """The result with one thing told as any other result tells it: what, and the result."""
        for place, value in _places(told):
            for other in self.values[_kind(told, winner, place)]:
                if other != value and place != "/ended":
                    yield f"{place} {value} → {other}", _with(told, place, other)

    def can_be_entered(self, told: Plain, winner: str) -> bool:
        """Whether answers make exactly this; a winner that the figures give may be stated, and which step decided may
        be left out."""
        by = told.get("timeout", {}).get(DECIDED_BY)
        return any(
            truth.winner == winner and by in (None, truth.told.get("timeout", {}).get(DECIDED_BY))
            for truth in self.by_answers.get(repr(_bare(told)), ())
        )

    def can_have_been(self, told: Plain, winner: str, unknown: str = "") -> bool:
        """Whether any truth that tells nothing else, of all those that use most of what is told, has this winner, score
        and deciding step. `unknown`: the answer that was left out; who began may be left out as well."""
        if unknown not in self.without:
            self.without[unknown] = self.wider(unknown)
        answers = {key: value for key, value in told.get("timeout", {}).items() if key != DECIDED_BY}
        by = told.get("timeout", {}).get(DECIDED_BY)
        best: dict[int, list[Truth]] = {}
        began = told.get("first_player")
        for truth in self.without[unknown]:
            if _beside(truth.told) != _beside(told):
                continue
            if None not in (began, truth.told.get("first_player")) and began != truth.told["first_player"]:
                continue
            shared = answers.keys() & truth.answers.keys()
            # Figures that are told were counted: nobody had won in the last turns.
            counted = any(isinstance(value, dict) for key, value in answers.items() if key != "score")
            if counted and "turns" not in answers and "turns" in truth.answers:
                continue
            if all(answers[key] == truth.answers[key] for key in shared):
                best.setdefault(len(shared), []).append(truth)
        return any(
            truth.winner == winner
            and told.get("score") in (truth.told.get("score"), self.not_counted)
            and by in (None, truth.told.get("timeout", {}).get(DECIDED_BY))
            for truth in best.get(max(best, default=0), [])
        )


def _kind(told: Plain, winner: str, place: str) -> str:
    """Where lists are unknown, a draw has other figures than a win has."""
    return f"{told.get('ended')} {place} {winner == 'draw' and place.startswith('/score')}"


def _bare(told: Plain) -> Plain:
    """All but the winner and which step decided, in one order. The document makes full what the winner of a concession
    has: what stood may be told."""
    timeout = sorted((key, value) for key, value in told.get("timeout", {}).items() if key != DECIDED_BY)
    rest = sorted((key, value) for key, value in told.items() if key not in ("timeout", "winner"))
    return {**dict(rest), "timeout": timeout}


def _beside(told: Plain) -> Plain:
    """What a truth that is asked less may not tell: who began is asked last."""
    return {key: value for key, value in told.items() if key not in ("timeout", "winner", "score", "first_player")}


def left_out(truth: Truth) -> Iterator[tuple[str, Plain]]:
    """The result with one of its answers left out, as other programs' files may have it."""
    for key in truth.told.get("timeout", {}):
        rest = {name: value for name, value in truth.told["timeout"].items() if name != key}
        yield key, {**truth.told, "timeout": rest}


def _places(told: Plain) -> Iterator[tuple[str, Any]]:
    for key, value in told.items():
        if key == "timeout":
            yield from ((f"/timeout{place}", each) for place, each in _places(value))
        elif isinstance(value, dict) and key not in ("picks", "house"):
            yield from ((f"/{key}/{side}", n) for side, n in value.items())
        elif key not in ("picks", "house"):
            yield f"/{key}", value


def _with(told: Plain, place: str, value: Any) -> Plain:
    first, _, rest = place[1:].partition("/")
    return {**told, first: _with(told[first], f"/{rest}", value) if rest else value}
