"""A monkey at the table: whatever is pressed and however fast, nothing is on record that nobody said."""

import random

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from monkey_reader import told_to_the_other
from monkey_rules import LABELS
from monkey_table import AT_TIME, BEFORE, Place, places
from monkey_walks import KINDS, Watch, explore, run

from own_games.shelf import GAMES, id_of
from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_units.table.dialogue.agreement import question_scene

WHOSE_TURN_THEN_OK = [("tap", "a", 1000), ("tap", "b", 1500), ("tap", "a", 1500), ("tap", "b", 1500)]


@pytest.mark.parametrize("book", sorted(RULEBOOKS))
def test_walks_by_chance_break_no_rule(book):
    counts, examples = run(book, 40, seed=11)
    assert examples == []
    assert counts["results"] > 5


@pytest.mark.parametrize("name", GAMES)
def test_walks_at_own_games_break_no_rule(name):
    """The store's own games, read by their file alone."""
    counts, examples = run(id_of(name), 24, seed=11)
    assert examples == []
    assert counts["results"] > 3


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("time", [pytest.param(BEFORE, marks=pytest.mark.long), AT_TIME])
def test_every_press_after_every_other_breaks_no_rule_of_own_games(name, time):
    assert explore(Place(id_of(name), time=time, games=GAMES[name].match.best_of), 2) == []


@pytest.mark.long
@pytest.mark.parametrize("book", [*sorted(RULEBOOKS), *map(id_of, GAMES)])
def test_many_walks_by_chance_break_no_rule(book, chance):
    assert run(book, 5000, seed=chance.randrange(10**6))[1] == []


@pytest.mark.parametrize("book", sorted(RULEBOOKS))
@pytest.mark.parametrize("time", [pytest.param(BEFORE, marks=pytest.mark.long), AT_TIME])
def test_every_press_after_every_other_breaks_no_rule(book, time):
    assert explore(Place(book, time=time), 2) == []


@pytest.mark.long
@pytest.mark.parametrize("book", sorted(RULEBOOKS))
def test_everywhere_every_press_after_every_other_breaks_no_rule(book):
    """At every stage, time and board; and three presses deep at the common one."""
    assert [fault for place in places(book) for fault in explore(place, 2)] == []
    assert explore(Place(book), 3) == []


@pytest.mark.parametrize("book", ["warlords-of-terra", "keyforge-archon"])
def test_three_presses_at_time_report_nothing(book):
    """Seen: own button, the other's for whose turn it is, the own again: a draw, or five steps skipped."""
    watch = Watch(Place(book, time=AT_TIME), random.Random(1))
    for move in WHOSE_TURN_THEN_OK:
        assert watch.press(*move).reports == []
    assert watch.faults == []


def test_the_monkey_sees_a_result_that_nobody_entered():
    """The watch itself: a dialogue that would report by itself is found out."""
    watch = Watch(Place("warlords-of-terra", time=AT_TIME), random.Random(1))
    watch.press("tap", "a", 1000)
    watch.press("tap", "b", 1000)
    watch.entered(Result(ended="time", winner="draw", timeout={"active": "b"}))
    assert watch.faults[0].startswith("[unsaid] warlords-of-terra")


def test_the_monkey_sees_a_question_that_hides_something():
    watch = Watch(Place("xwing-standard"), random.Random(1))
    watch.press("tap", "a", 1000)
    watch.press("tap", "a", 1000)
    step = watch.press("call", "call", 1000)
    watch.agreed(step, "b", Result())
    assert any(fault.startswith("[not-told]") for fault in watch.faults)


POTENTIAL = {
    "active": "a",
    "keys": {"a": 1, "b": 2},
    "aember": {"a": 9, "b": 3},
    "creatures": {"a": 4, "b": 6},
    "bonus": {"a": 4, "b": 1},
    "decided_by": "potential",
}
"""What two told at time in KeyForge, but for their houses: step 4 decides."""


@pytest.mark.parametrize(
    ("book", "result", "swapped"),
    [
        (
            "keyforge-archon",
            Result("time", "a", score=SidePair(1, 0), timeout={**POTENTIAL, "house": {"a": "Mars", "b": "Dis"}}),
            {"timeout": {**POTENTIAL, "house": {"a": "Dis", "b": "Mars"}}},
        ),
        (
            "shatterpoint-premier",
            Result(score=SidePair(2, 1), wounds=SidePair(9, 4), picks={"a": [1, 2], "b": [3, 4]}),
            {"picks": {"a": [3, 4], "b": [1, 2]}},
        ),
        ("shatterpoint-premier", Result(score=SidePair(2, 1), wounds=SidePair(9, 4)), {"wounds": SidePair(4, 9)}),
    ],
)
def test_the_monkey_sees_that_sides_are_swapped(book, result, swapped):
    watch = Watch(Place(book), random.Random(1))
    scene = question_scene(watch.table.dialogue.table, "ask", "b", result)
    labels = LABELS[book]
    assert told_to_the_other(scene, "b", watch.place, result, "a", "", labels) == []
    [fault] = told_to_the_other(scene, "b", watch.place, msgspec.structs.replace(result, **swapped), "a", "", labels)
    assert "not shown" in fault


def test_the_monkey_knows_that_squads_let_go_for_good_are_said_by_a_second_yes():
    watch = Watch(Place("shatterpoint-premier", owed=True), random.Random(1))
    for key in ("a", "up", "a", "up", "up"):
        step = watch.press("tap", key, 1000)
    assert "Never play" in step.after.all_text()
    assert watch.reader.squads == {}
    watch.press("tap", "up", 1000)
    assert watch.reader.squads == {"a": [1, 2]}


def test_the_monkey_sees_a_concession_that_nobody_made():
    watch = Watch(Place("shatterpoint-premier"), random.Random(1))
    # Asked and answered with no; then squads, struggles and wounds of both, up to the sum.
    one, two = (("a", "up", "a", "up", "up", "a", "a", "up", "up"), ("b", "up", "b", "up", "up", "b", "up", "up"))
    for key in ("a", "down", "down", *one, *two):
        step = watch.press("tap", key, 1000)
    assert step.after.kind == "sum"
    watch.both_entered(
        step.after,
        Result(
            ended="concession",
            conceded_by="a",
            score=SidePair(1, 0),
            wounds=SidePair(0, 0),
            picks={"a": [1, 2], "b": [1, 2]},
        ),
    )
    assert any(fault.startswith("[unsaid]") and "a conceded" in fault for fault in watch.faults)


class Fingers(RuleBasedStateMachine):
    """Hypothesis presses, and shortens what it finds."""

    @initialize(
        place=st.sampled_from([place for book in sorted(RULEBOOKS) for place in places(book)]), seated=st.booleans()
    )
    def sit_down(self, place, seated):
        self.watch = Watch(place, random.Random(3), seated)

    @rule(kind=st.sampled_from(KINDS), pause=st.sampled_from((50, 350, 900, 2000, 20_000)))
    def press(self, kind, pause):
        self.watch.press(*kind, pause)
        assert self.watch.faults == []

    @rule(pause=st.sampled_from((500, 900, 2000)))
    def press_what_is_asked(self, pause):
        turn = getattr(self.watch.table.scene(), "turn", None)
        self.watch.press("tap", turn or "a", pause)
        assert self.watch.faults == []


Fingers.TestCase.settings = settings(stateful_step_count=30)
TestFingers = Fingers.TestCase
