"""What a unit asks before a result counts says all of it, in ink: how it ended, who won, every figure."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
from ink_reader import InkReader, ink_reader
from test_screen_ink import faults_of

from gallery.played_table import Play
from gallery.table_screens import LONG, SHORT
from roundtap_core.errors import Problem
from roundtap_core.forms.form import WayToEnd, compose_complete, walk_way
from roundtap_core.forms.questions import Choice, Figure, Picks, Turns
from roundtap_core.records import ELIMINATION, SIDES, SWISS, TIEBREAK, TIME, Result, Side, other_side
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES
from roundtap_units.table.dialogue.agreement import question_scene
from roundtap_units.table.screens.scenes import SIGNS
from roundtap_units.unit_config import unit_words

MOST = 60
"""Results of one way in one situation: the shortest and longest figures are among the first."""


def situations(book: Rulebook) -> list[MatchSituation]:
    totals = (290, 300)
    houses = (("Brobnar", "Dis", "Logos"), ("Mars", "Sanctum", "Untamed")) if "keyforge" in book.id else None
    stages = (SWISS, ELIMINATION, TIEBREAK) if book.tiebreak_rounds else (SWISS, ELIMINATION)
    return [MatchSituation(stage, totals, houses) for stage in stages]


def answers_to(question: Any) -> list[Any]:
    """A few answers that differ in length and in what follows from them."""
    if isinstance(question, Figure):
        return list(dict.fromkeys((question.maximum, question.default, question.minimum)))
    if isinstance(question, Picks):
        return [[1, 2] if question.whose == "winner" else [3, 4]]
    if isinstance(question, Turns):
        return ["", "a", "b"]
    assert isinstance(question, Choice)
    return list(question.options)[:3]


def walks(way: WayToEnd, opener: Side, given: dict[str, Any]) -> Iterator[Result]:
    question = walk_way(way.opened_by(opener), given, opener).question
    if question is None:
        yield compose_complete(way, opener, given)
        return
    figure = (
        question.for_side(opener if question.whose == "winner" else other_side(opener))
        if isinstance(question, Figure)
        else question
    )
    for answer in answers_to(figure):
        try:
            yield from walks(way, opener, {**given, question.name: answer})
        except Problem:
            continue


@lru_cache
def results_of(book_id: str) -> tuple[tuple[MatchSituation, Result], ...]:
    """What buttons can enter: of every way, opened by either."""
    book, found = RULEBOOKS[book_id], {}
    options = book.options({})
    for situation in situations(book):
        for way in book.form(options, situation).ways:
            for opener in SIDES:
                for n, result in enumerate(walks(way, opener, {})):
                    if n == MOST:
                        break
                    try:
                        book.check_new(result, options, situation)
                    except Problem:
                        continue
                    found[situation, repr(result)] = situation, result
    return tuple(found.values())


def drawn(reader: InkReader, scene: Any) -> str:
    return " ".join(" ".join(text.text for canvas in reader.read(scene) for text in canvas.texts).split())


def must_say(book: Rulebook, result: Result, side: Side, words: Any, text: str) -> Iterator[str]:
    """What is missing of a result in this text: the way it ended, and each figure, one's own first."""
    counted, pair = book.counted(result), (side, other_side(side))
    if result.conceded_by and words("told.conceded", name=SIGNS[result.conceded_by]) not in text:
        yield "who conceded"
    at_time = result.ended == TIME and not result.timeout and result.score.a != result.score.b
    if at_time and words("form.way.time") not in text:
        yield "time"
    if counted.wounds is not None and ":".join(str(counted.wounds.of(each)) for each in pair) not in text:
        yield "wounds"
    if book.winner(result, book.options({})) in SIDES and "keyforge" not in book.id:
        for each in SIDES:
            if str(counted.score.of(each)) not in text:
                yield f"score of {each}"
    for key, value in (result.timeout or {}).items():
        counted_too = key in ("keys", "aember", "creatures", "bonus", "objectives", "struggle")
        if counted_too and ":".join(str(value.get(each)) for each in pair) not in text:
            yield key


def asked(
    book: Rulebook, language: str, facing: str, names: tuple[str, str]
) -> Iterator[tuple[str, Side, Result, Any]]:
    """Both questions about every result, to both sides."""
    for situation in situations(book):
        play = Play(language, facing, names, book, situation)
        play.view(clock="running")
        table = play.table.table
        for where, result in results_of(book.id):
            if where != situation:
                continue
            for side in SIDES:
                for kind in ("ask", "after-all"):
                    yield kind, table.first(side), result, question_scene(table, kind, side, result)


@pytest.mark.parametrize("book_id", list(RULEBOOKS))
@pytest.mark.parametrize(
    "language", [each if each == "de" else pytest.param(each, marks=pytest.mark.long) for each in LANGUAGES]
)
def test_a_question_about_a_result_names_how_it_ended_and_every_figure(book_id: str, language: str) -> None:
    book, words, missing = RULEBOOKS[book_id], unit_words(language, False), set()
    with ink_reader() as reader:
        for facing, names in (("opposite", SHORT), ("edge", LONG)):
            for kind, side, result, scene in asked(book, language, facing, names):
                text = drawn(reader, scene)
                lacks = [*must_say(book, result, side, words, text), *faults_of(reader, scene, names)]
                missing |= {(kind, facing, each, text, repr(result)) for each in lacks}
    assert not missing, (len(missing), sorted(missing)[:5])


def test_the_results_are_many_and_of_every_kind() -> None:
    ends = {(book.id, result.ended) for book in RULEBOOKS.values() for _, result in results_of(book.id)}
    assert {ended for _, ended in ends} == {"played", "time", "concession"}
    assert sum(len(results_of(book)) for book in RULEBOOKS) > 500
