"""Fingers say any result of any rulebook: what they press at a table is what is reported."""

import random

import pytest
from msgspec.structs import replace
from tableplay import Table

from press_script import report_presses
from roundtap_core.forms.form import compose_result, walk_way
from roundtap_core.forms.questions import Choice, Figure, Picks, Turns
from roundtap_core.records import CONCESSION, Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.rulebooks.result_gate import PLAYER, ResultSource, result_problems

THREE = {"stages": {"swiss": {"best_of": 3}}}
SITUATIONS = (MatchSituation(totals=(290, 300)), MatchSituation("elimination"))


def cases():
    for book in RULEBOOKS.values():
        for options in ({}, THREE) if 3 in book.best_of else ({},):
            for situation in SITUATIONS:
                for way in book.form(book.options(options), situation).ways:
                    name = f"{book.id}-{situation.stage}-{way.id}{'-of-3' if options else ''}"
                    yield pytest.param(book, options, situation, way, id=name)


def answered(way, opener, chance):
    """Answers to all that is asked on the way, by chance."""
    way, answers = way.opened_by(opener), {}
    while (step := walk_way(way, answers, opener).question) is not None:
        if isinstance(step, Figure):
            near = range(step.minimum, min(step.maximum, step.minimum + 3) + 1)
            answers[step.name] = chance.choice([chance.randint(step.minimum, step.maximum), chance.choice(near)])
        elif isinstance(step, Choice):
            answers[step.name] = chance.choice(step.options)
        elif isinstance(step, Turns):
            answers[step.name] = chance.choice(["", "", "a", "b"])
        elif isinstance(step, Picks):
            answers[step.name] = sorted(chance.sample(range(1, step.of + 1), step.take))
    return answers


@pytest.mark.parametrize(("book", "options", "situation", "way"), list(cases()))
def test_what_is_pressed_is_what_is_reported(book, options, situation, way):
    chance, merged = random.Random(f"{book.id} {way.id}"), book.options(options)
    form, said = book.form(merged, situation), 0
    for _ in range(12):
        opener = "a" if form.parallel and way.ended != CONCESSION else chance.choice("ab")
        result = compose_result(way, opener, answered(way, opener, chance))
        time_is_up = way.when == "at_time"
        if any(result_problems(book, result, merged, situation, ResultSource(PLAYER, time_is_up))):
            continue
        made = report_presses(form, result, opener, time_is_up)
        # The kit draws lots: here as the result has it.
        lot = (result.timeout or {}).get("lot") or result.first_player or "b"
        table = Table(
            book=book, options=options, situation=situation, lot=lot, clock_ms=-1000 if time_is_up else 60_000
        )
        table.do(made)
        reported = [replace(report, first_player=result.first_player) for _, report in table.reports]
        assert reported == [result, result], (result, made, table.says)
        said += 1
    assert said


@pytest.mark.parametrize(
    ("book_id", "result", "count"),
    [
        ("warlords-of-terra", Result(winner="a", score=SidePair(20, 0)), 3),
        ("warlords-of-terra", Result(winner="b", score=SidePair(-15, 42)), 3),
        ("keyforge-archon", Result(score=SidePair(1, 0)), 2),
        ("xwing-epic-duel", Result(winner="a", score=SidePair(300, 0)), 5),
        ("xwing-epic-duel", Result(winner="draw", score=SidePair(300, 300)), 7),
        ("xwing-epic-duel", Result(ended="concession", conceded_by="b", score=SidePair(300, 0)), 5),
        ("xwing-epic-duel", Result(ended="time", score=SidePair(153, 124)), 25),
        (
            "shatterpoint-premier",
            Result(score=SidePair(2, 1), wounds=SidePair(14, 9), picks={"a": [1, 3], "b": [2, 4]}),
            38,
        ),
    ],
)
def test_how_many_presses_it_takes(book_id, result, count):
    book = rulebook(book_id)
    winner = book.winner(result, book.options({}))
    assert (
        len(
            report_presses(
                book.form(book.options({})), result, "a" if winner == "draw" else winner, result.ended == "time"
            )
        )
        == count
    )


def test_what_was_not_recorded_at_time_is_made_up_so_that_the_winner_is_right():
    book = rulebook("keyforge-archon")
    table = Table(book=book, clock_ms=-1000)
    result = Result(ended="time", winner="b", score=SidePair(0, 1))
    table.do(report_presses(book.form(book.options({})), result, "b", True))
    assert table.reports[1] == (
        "a",
        Result(
            ended="time",
            winner="b",
            score=SidePair(0, 1),
            timeout={"active": "b", "turns": "b", "decided_by": "last_turns"},
        ),
    )


@pytest.mark.parametrize(
    ("book_id", "result"),
    [
        ("keyforge-archon", Result(ended="ruling", winner="a")),
        ("warlords-of-terra", Result(ended="concession", conceded_by="b", score=SidePair(20, 7))),
        ("xwing-epic-duel", Result(ended="concession", conceded_by="b", score=SidePair(40, 7))),
        ("shatterpoint-premier", Result(score=SidePair(3, 0))),
    ],
)
def test_what_no_button_can_say_is_a_value_error(book_id, result):
    book = rulebook(book_id)
    with pytest.raises(ValueError, match="cannot say"):
        report_presses(book.form(book.options({})), result, "a", False)


@pytest.mark.parametrize(
    "result",
    [
        Result("concession", conceded_by="a", score=SidePair(1, 0)),
        Result("concession", conceded_by="b", score=SidePair(1, 0)),
        Result(score=SidePair(2, 1)),
        Result(score=SidePair(1, 2)),
    ],
)
def test_at_time_who_has_ended_the_game_says_so_before_the_other_is_asked_how_it_stood(result):
    """Whoever enters first at time is asked about the last struggle, which nobody counts in a game that was over."""
    result = replace(result, wounds=SidePair(9, 4), picks={"a": [1, 2], "b": [3, 4]})
    book = rulebook("shatterpoint-premier")
    table = Table(book=book, clock_ms=-1000)
    table.do(report_presses(book.form(book.options({}), MatchSituation()), result, "a", True))
    assert table.reports == [("a", result), ("b", result)]
