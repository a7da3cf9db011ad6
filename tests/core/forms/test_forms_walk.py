"""Any answers of a table: the walk ends, asks nothing twice, and makes a result that the rulebook can read."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import event_kit
from form_kit import form_to_json, next_step
from roundtap_core.errors import Problem
from roundtap_core.forms.form import BY_FIGURES, Form, WayToEnd, compose_result, walk_way
from roundtap_core.forms.questions import (
    LOSER,
    WINNER,
    Bonus,
    Choice,
    Comparison,
    Exchange,
    Figure,
    Picks,
    Question,
    Turns,
    WinnerByAnswer,
)
from roundtap_core.records import SIDES, Ending, Match, Result, Side, SidePair, result_from_json, result_to_json
from roundtap_core.rulebooks.base import MatchSituation, Options, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.typed import parse_message
from roundtap_core.words import LANGUAGES, core_words
from rulebook_kit import both, way_of

STAGES = ("swiss", "elimination", "final", "third_place", "tiebreak")
Case = tuple[Rulebook, Options, MatchSituation]

CONTRADICTIONS = {
    "both_won",
    "nobody_has_won",
    "struggle_of_both",
    "winner_without_life",
    "drawn_without_life",
    "loser_has_life",
}


def cases() -> list[Case]:
    """Every rulebook in every stage, with and without known lists, and best of three where it may be."""
    found: list[Case] = []
    for book in RULEBOOKS.values():
        given_options: list[dict[str, Any]] = [{}]
        if 3 in book.best_of:
            given_options.append({"stages": {stage: {"best_of": 3} for stage in STAGES[:4]}})
        for given_option in given_options:
            for stage in STAGES:
                known = ((97, 80), (97, None), (None, 80)) if book.tally_counts_lists else ()
                for totals in ((None, None), *known):
                    found.append((book, book.options(given_option), MatchSituation(stage, totals)))
    return found


CASES = cases()


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ([], "figure_missing"),
        ([""], "figure_missing"),
        ([" "], "figure_missing"),
        (["1O"], "not_a_number"),
    ],
)
def test_a_box_that_was_left_empty_is_said_to_be_so(typed: list[str], key: str) -> None:
    with event_kit.refused(key):
        Figure(key="score", whose=WINNER, minimum=0, maximum=100, default=0).read(typed)


def refused(book: Rulebook, result: Result, options: Options, situation: MatchSituation) -> Problem | None:
    """The Problem with which a newly entered result is refused."""
    try:
        book.check_new(result, options, situation)
    except Problem as problem:
        return problem
    return None


def name(case: Case) -> str:
    book, options, situation = case
    return f"{book.id}-{situation.stage}-{'-'.join(map(str, situation.totals))}{'of-3' if 'stages' in options else ''}"


def an_answer(question: Question) -> st.SearchStrategy[Any]:
    """What a table can press or type there; a figure with no limit for keyboards may lie outside."""
    if isinstance(question, Figure):
        beyond = 40 if question.beyond else 0
        return st.integers(question.minimum - beyond, question.maximum + beyond)
    if isinstance(question, Picks):
        return st.lists(st.integers(1, question.of), min_size=question.take, max_size=question.take, unique=True)
    return st.sampled_from(question.options if isinstance(question, Choice) else ("", *SIDES))


@st.composite
def walks(draw: st.DrawFn) -> tuple[Case, WayToEnd, Side, dict[str, Any]]:
    """A table that answers all it is asked, and now and then goes back to correct an answer."""
    case = draw(st.sampled_from(CASES))
    book, options, situation = case
    opener: Side = draw(st.sampled_from(SIDES))
    way = draw(st.sampled_from(book.form(options, situation).ways))
    asked = way.opened_by(opener)
    answers: dict[str, Any] = {}
    corrections = draw(st.integers(0, 3))
    while True:
        question = next_step(asked, answers)
        if question is None:
            if not corrections:
                return case, way, opener, answers
            corrections -= 1
            question = draw(st.sampled_from([step for step in asked.steps if isinstance(step, Question)] or [None]))
            if question is None:
                return case, way, opener, answers
        else:
            assert question.name not in answers, "asked twice"
        answers[question.name] = draw(an_answer(question))


@given(walks())
def test_a_finished_walk_makes_a_result_that_is_taken(walked: tuple[Case, WayToEnd, Side, dict[str, Any]]) -> None:
    (book, options, situation), way, opener, answers = walked
    result = compose_result(way, opener, answers)
    assert result.ended == way.ended
    # It travels and comes back the same.
    assert result_from_json(json.loads(json.dumps(result_to_json(result)))) == result
    refusal = refused(book, result, options, situation)
    if refusal is not None:
        # What no single question excludes, all of them together do: the form asks each side for itself.
        assert refusal.key in CONTRADICTIONS
        return
    winner = book.winner(result, options)
    assert winner in (*SIDES, "draw")
    if situation.knockout:
        assert book.elimination_winner(result, options, "a") in SIDES
    # What is shown before confirming is there, and for both; elimination and tie-breaks add to no table.
    worth = book.worth(Match("Ana", "Bruno", result=result), options, situation)
    assert set(worth) == (set() if situation.knockout else set(book.form(options, situation).worth))
    if "mov" in worth:
        assert sum(worth["mov"]) == 2 * options["squad_points"]
    if "score" in worth:
        assert sum(worth["score"]) == 0
    if "points" in worth and winner in SIDES:
        a, b = worth["points"]
        assert (a > b) == (winner == "a")
        assert min(a, b) == 0


@given(walks())
def test_answers_to_questions_that_are_not_on_the_way_change_nothing(
    walked: tuple[Case, WayToEnd, Side, dict[str, Any]],
) -> None:
    _, way, opener, answers = walked
    met = {question.name for question in walk_way(way.opened_by(opener), answers, opener).met}
    needed = {key: value for key, value in answers.items() if key in met}
    assert compose_result(way, opener, needed) == replace(
        compose_result(way, opener, answers), first_player=compose_result(way, opener, needed).first_player
    )


@given(walks(), st.data())
def test_half_a_walk_can_be_shown(walked: tuple[Case, WayToEnd, Side, dict[str, Any]], data: st.DataObject) -> None:
    """The worth is shown meanwhile: some of the answers make a result too, if not one that is taken."""
    (book, options, situation), way, opener, answers = walked
    some = {key: value for key, value in answers.items() if data.draw(st.booleans())}
    result = compose_result(way, opener, some)
    refusal = refused(book, result, options, situation)
    assert refusal is None or refusal.say()


@given(st.sampled_from(CASES), st.data())
def test_rubbish_is_refused_and_never_a_crash(case: Case, data: st.DataObject) -> None:
    book, options, situation = case
    way = data.draw(st.sampled_from(book.form(options, situation).ways))
    names = [step.name for step in way.steps if isinstance(step, Question)]
    rubbish = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 400),
        st.text(max_size=3),
        st.floats(),
        st.lists(st.one_of(st.integers(0, 5), st.none(), st.lists(st.integers(), max_size=1)), max_size=3),
    )
    answers = {key: data.draw(rubbish) for key in (*names, "first_player") if data.draw(st.booleans())}
    refusal: Problem | None
    try:
        result = compose_result(way, data.draw(st.sampled_from(SIDES)), answers)
    except Problem as problem:
        refusal = problem
    else:
        refusal = refused(book, result, options, situation)
        travelled = result_from_json(json.loads(json.dumps(result_to_json(result)))) if refusal is None else result
        assert travelled == result
    assert refusal is None or refusal.say()


@pytest.mark.parametrize(
    ("question", "answer", "where"),
    [
        ("picks.winner", [[1], [2]], "/result/picks/a"),
        ("picks.winner", [True, 2], "/result/picks/a"),
        ("picks.loser", [1.0, 2], "/result/picks/b"),
        ("first_player", "c", "/result/first_player"),
    ],
)
def test_an_answer_of_another_kind_is_refused_with_its_place(question: str, answer: object, where: str) -> None:
    way = way_of(RULEBOOKS["shatterpoint-premier"], "played")
    with pytest.raises(Problem) as caught:
        compose_result(way, "a", {question: answer})
    assert caught.value.where == where


@pytest.mark.parametrize("case", CASES, ids=name)
def test_every_form_travels_as_json(case: Case) -> None:
    book, options, situation = case
    form = book.form(options, situation)
    assert parse_message(Form, json.loads(json.dumps(form_to_json(form)))) == form


@pytest.mark.parametrize("case", CASES, ids=name)
def test_every_form_can_be_used(case: Case) -> None:
    """Something is offered at any time; names are one's own; every rule works on figures that are there."""
    book, options, situation = case
    form = book.form(options, situation)
    assert form.offered(False)
    assert form.offered(True)
    assert len({way.id for way in form.ways}) == len(form.ways)
    assert form.games == book.games(situation.stage, options) // 2 + 1 or form.games == 1
    for way in form.ways:
        assert way.ended in get_args(Ending)
        questions = [step.name for step in way.steps if isinstance(step, Question)]
        assert len(set(questions)) == len(questions)
        figures: set[str] = set()
        for step in way.steps:
            if isinstance(step, Figure):
                assert 0 <= step.default <= step.maximum
                figures.add(step.key)
            elif isinstance(step, Exchange):
                assert {step.costs, step.gives} <= figures
            elif isinstance(step, Bonus):
                assert {step.counts, step.gives} <= figures
            elif isinstance(step, Comparison):
                assert set(step.counts) <= figures
            elif isinstance(step, WinnerByAnswer | Turns):
                assert (step.by if isinstance(step, WinnerByAnswer) else step.first) in questions


@pytest.mark.parametrize("case", CASES, ids=name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_has_its_words(case: Case, language: str) -> None:
    book, options, situation = case
    words = core_words(language)
    form = book.form(options, situation)
    needed = {f"worth.{key}" for key in form.worth} | {phase.key for phase in book.phases}
    for way in form.ways:
        needed.add(f"form.way.{way.id}")
        for step in way.steps:
            if isinstance(step, Figure | Picks):
                needed.add(f"form.figure.{step.key}")
            elif isinstance(step, Choice | Turns):
                needed.add(step.label)
                options_ = step.options if isinstance(step, Choice) and not step.by_button else ()
                # Sides are shown by sign and name.
                needed |= {f"form.option.{option}" for option in options_ if option not in SIDES}
            else:
                needed.add(f"step.{step.id}")
    assert {key for key in needed if key not in words} == set()


# The grammar itself, on small ways made for it.


def way(*steps: Any, winner: str = BY_FIGURES) -> WayToEnd:
    return WayToEnd("test", "any", "played", steps, winner)


def pair(key: str, most: int = 9) -> tuple[Figure, Figure]:
    return Figure(key, WINNER, 0, most, 0), Figure(key, LOSER, 0, most, 0)


def test_an_exchange_takes_the_price_once_from_each_who_can_pay() -> None:
    one = way(*pair("gold", 30), *pair("keys"), Exchange("forge", "gold", 6, "keys"))
    found = walk_way(one, {**both("gold", 13, 5), **both("keys", 0, 1)}).figures
    assert [found[key, who] for key in ("gold", "keys") for who in (WINNER, LOSER)] == [7, 5, 1, 1]


def test_a_bonus_goes_to_who_has_more_and_to_nobody_if_equal() -> None:
    one = way(*pair("goals"), *pair("score"), Bonus("bonus", "goals", "score"))
    for goals, score in (((2, 1), [2, 1]), ((1, 2), [1, 2]), ((2, 2), [1, 1])):
        found = walk_way(one, {**both("goals", *goals), **both("score", 1, 1)}).figures
        assert [found["score", who] for who in (WINNER, LOSER)] == score


def test_a_test_that_decides_ends_the_walk_and_one_that_does_not_goes_on() -> None:
    one = way(
        *pair("x"),
        *pair("y"),
        Comparison("sum", ("x", "y")),
        Choice("lot", "form.lot", ("a", "b")),
        WinnerByAnswer("lot", "lot"),
    )
    assert walk_way(one, {**both("x", 1, 4), **both("y", 3, 1)}).decided_for == LOSER
    assert next_step(one, {**both("x", 2, 4), **both("y", 3, 1)}).name == "lot"  # type: ignore[union-attr]
    assert walk_way(one, {**both("x", 2, 4), **both("y", 3, 1), "lot": "b"}, "a").decided_for == "b"


def test_a_choice_may_hang_on_an_earlier_one_or_on_a_sum() -> None:
    one = way(
        *pair("x"),
        Choice("sure", "", ("yes", "no"), only_if=("x", 3)),
        Choice("lot", "", ("a", "b"), only_if=("sure", "no")),
    )
    assert next_step(one, both("x", 1, 1)) is None
    assert next_step(one, both("x", 1, 2)).name == "sure"  # type: ignore[union-attr]
    assert next_step(one, {**both("x", 1, 2), "sure": "yes"}) is None
    assert next_step(one, {**both("x", 1, 2), "sure": "no"}).name == "lot"  # type: ignore[union-attr]


def test_a_figure_per_side_follows_whoever_opens() -> None:
    one = way(
        Figure("score", WINNER, 0, 300, 300, per_side=(290, 280)),
        Figure("score", LOSER, 0, 300, 0, per_side=(290, 280)),
    )
    for opener, limits in (("a", (290, 290, 280, 0)), ("b", (280, 280, 290, 0))):
        mine, yours = one.opened_by("a" if opener == "a" else "b").figures()
        assert (mine.maximum, mine.default, yours.maximum, yours.default) == limits
    with pytest.raises(Problem) as caught:
        compose_result(one, "b", {"score.winner": 281})
    assert caught.value.where == "/result/score/b"
    assert compose_result(one, "b", {}) == Result(score=SidePair(0, 280))


def test_a_figure_that_is_not_asked_keeps_its_default() -> None:
    one = way(Figure("score", WINNER, 100, 100, 100, asked=False), Figure("score", LOSER, 0, 100, 0))
    assert next_step(one, {}).name == "score.loser"  # type: ignore[union-attr]
    assert compose_result(one, "b", {"score.loser": 24}) == Result(score=SidePair(24, 100))


def test_a_form_of_a_newer_core_is_read_as_far_as_it_is_known() -> None:
    form = Form("some", (way(*pair("x")),))
    data = form_to_json(form)
    data["colour"] = "red"
    data["ways"][0]["sound"] = "bell"
    data["ways"][0]["steps"][0]["hint"] = "look"
    assert parse_message(Form, data) == form
