"""What a table is asked, and what its answers amount to. The form of X-Wing standard serves as the example."""

import json
from typing import Any

import pytest

from form_kit import form_to_json, next_step
from roundtap_core.errors import Problem
from roundtap_core.forms.form import Form, WayToEnd, compose_result
from roundtap_core.records import Match, Result, SidePair
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.typed import parse_message

BOOK = rulebook("xwing-standard")
FORM = BOOK.form(BOOK.options({}))


def way(time_is_up: bool) -> WayToEnd:
    """What the winner's own button begins; the other endings are found behind it."""
    assert FORM.direct
    return FORM.offered(time_is_up)[0]


def asked(time_is_up: bool, **given: Any) -> list[str]:
    """The names of the steps that are asked, one after the other, when they are answered as given."""
    answers: dict[str, Any] = {}
    names = []
    while (step := next_step(way(time_is_up), answers)) is not None:
        names.append(step.name)
        answers[step.name] = given[step.name.replace(".", "_")]
    return names


def test_before_time_only_the_loser_s_points_are_asked() -> None:
    assert asked(False, score_loser=24) == ["score.loser"]


def test_all_destroyed_on_both_sides_asks_for_the_final_salvo() -> None:
    assert asked(False, score_loser=100, winner="a") == ["score.loser", "winner"]


def test_at_time_both_are_asked_and_at_equal_points_the_salvo() -> None:
    assert asked(True, score_winner=77, score_loser=49) == ["score.winner", "score.loser"]
    assert asked(True, score_winner=60, score_loser=60, winner="b") == ["score.winner", "score.loser", "winner"]


@pytest.mark.parametrize(
    ("time_is_up", "opener", "answers", "result"),
    [
        (False, "a", {}, Result(score=SidePair(100, 0))),
        (False, "b", {"score.loser": 24}, Result(score=SidePair(24, 100))),
        (False, "a", {"score.loser": 100, "winner": "b"}, Result(winner="b", score=SidePair(100, 100))),
        (True, "a", {"score.winner": 77, "score.loser": 49}, Result(ended="time", score=SidePair(77, 49))),
        (
            True,
            "b",
            {"score.winner": 60, "score.loser": 60, "winner": "b"},
            Result(ended="time", winner="b", score=SidePair(60, 60)),
        ),
        # An answer to a salvo that a later correction made needless is left out.
        (
            True,
            "a",
            {"score.winner": 61, "score.loser": 60, "winner": "b"},
            Result(ended="time", score=SidePair(61, 60)),
        ),
    ],
)
def test_answers_become_a_result(time_is_up: bool, opener: Any, answers: dict[str, Any], result: Result) -> None:
    made = compose_result(way(time_is_up), opener, answers)
    assert made == result
    BOOK.check_new(made, BOOK.options({}))


@pytest.mark.parametrize("value", [101, -1, "24", None, 24.0, True])
def test_a_figure_beyond_its_limits_is_refused_with_them(value: object) -> None:
    with pytest.raises(Problem) as caught:
        compose_result(way(False), "a", {"score.loser": value})
    assert caught.value.where == "/result/score/b"
    assert "0 to 100" in caught.value.say()


@pytest.mark.parametrize("time_is_up", [False, True])
def test_somebody_may_concede_at_any_time(time_is_up: bool) -> None:
    """ "Aufgabe": all the conceder's ships count as destroyed, also when time has been called."""
    assert [offered.id for offered in FORM.offered(time_is_up)][1:] == ["conceded"]
    conceded = FORM.offered(time_is_up)[1]
    assert next_step(conceded, {}).name == "score.loser"  # type: ignore[union-attr]
    made = compose_result(conceded, "b", {"score.loser": 60})
    assert made == Result(ended="concession", conceded_by="a", score=SidePair(60, 100))
    BOOK.check_new(made, BOOK.options({}))
    assert BOOK.worth(Match("p1", "p2", result=made), BOOK.options({})) == {"mov": (60, 140)}


def test_a_winner_below_the_loser_is_still_what_was_said() -> None:
    """Whoever presses first and enters less has lost by the figures; the rulebook reads them."""
    made = compose_result(way(True), "a", {"score.winner": 20, "score.loser": 60})
    assert BOOK.winner(made, BOOK.options({})) == "b"


def test_a_form_travels_as_json() -> None:
    assert parse_message(Form, json.loads(json.dumps(form_to_json(FORM)))) == FORM


def test_squad_points_set_the_limits() -> None:
    (figure, *_) = BOOK.form(BOOK.options({"squad_points": 200})).offered(True)[0].figures()
    assert (figure.maximum, figure.default) == (200, 200)
