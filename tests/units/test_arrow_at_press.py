"""▲▼ inside a figure: turned on the screen at the press, and still worth exactly what their release makes of them."""

import random
from pathlib import Path
from typing import Any

import pytest
from tableplay import Table
from unit_kit import Unit, view

from faults import fails
from roundtap_core.rulebooks.registry import rulebook
from roundtap_devices.input.gestures import DEBOUNCE_MS, Edge
from roundtap_units.table.dialogue.entry import ResultEntry

SEEDS = range(40)


@pytest.fixture
def entering(unit: Unit) -> Unit:
    """Ana has won, and enters Bruno's figure: 0."""
    unit.wait(1000)
    unit.tap("a")
    return unit


def shown(unit: Unit) -> Any:
    return unit.unit.scene.right.wheels


def value(unit: Unit) -> int:
    entry = unit.unit.dialogue.table.entry
    assert isinstance(entry, ResultEntry)
    return entry.dial.value


def move(unit: Unit, key: str, down: bool, then_ms: int = 0) -> None:
    unit.unit.step(unit.now_ms, [Edge(key, down, unit.now_ms)])
    unit.wait(then_ms)


def test_a_figure_turns_on_the_screen_before_the_arrow_is_released(entering: Unit) -> None:
    before = shown(entering)
    move(entering, "up", True, DEBOUNCE_MS)
    turned = shown(entering)
    assert before == ("0",)
    assert turned == ("1", "0")
    entering.wait(200)
    move(entering, "up", False, 100)
    assert shown(entering) == turned
    assert value(entering) == 10


@pytest.mark.parametrize("second", ["down", "a", "b"])
def test_a_second_button_gives_the_figure_back_before_it_does_anything(entering: Unit, second: str) -> None:
    before = shown(entering)
    move(entering, "up", True, 50)
    assert shown(entering) != before
    move(entering, second, True)
    assert shown(entering) == before
    assert value(entering) == 0


def test_the_call_of_a_judge_inside_a_figure_leaves_the_figure_as_it_was(entering: Unit) -> None:
    before = shown(entering)
    for key, then_ms in (("up", 60), ("down", 2000)):
        move(entering, key, True, then_ms)
    assert entering.unit.dialogue.call.on
    for key in ("up", "down"):
        move(entering, key, False, 100)
    assert value(entering) == 0
    entering.tap("b")  # looks behind the call
    assert not entering.unit.dialogue.call.shown(entering.now_ms)
    assert before == ("0",)


def test_a_held_arrow_counts_its_first_step_once(entering: Unit) -> None:
    move(entering, "up", True, 300)
    pressed = shown(entering)
    entering.wait(200)
    assert shown(entering) == pressed, "the first repeat is the step that the press has shown"
    assert value(entering) == 10


def test_where_an_arrow_refuses_it_acts_when_it_is_released(entering: Unit) -> None:
    entering.tap("a")
    asked = entering.says
    assert "▼" in asked
    move(entering, "down", True, 200)
    assert entering.says == asked
    move(entering, "down", False, 100)
    assert entering.says != asked


def test_a_preview_that_fails_is_logged_and_the_arrow_acts_when_it_is_released(
    entering: Unit, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ResultEntry, "while_pressed", fails(ZeroDivisionError("a bug in what a press would show")))
    before = shown(entering)
    move(entering, "up", True, DEBOUNCE_MS)
    entering.hub_says("view", view(clock={"state": "idle", "remaining_ms": 4_500_000}))
    assert shown(entering) == before
    assert entering.unit.dialogue.table.clock_ms == 4_500_000, "what came meanwhile counts"
    entering.wait(200)
    assert entering.unit.is_healthy(entering.now_ms)
    move(entering, "up", False, 100)
    assert value(entering) == 10
    assert "a bug in what a press would show" in caplog.text


def test_each_counts_back_at_the_press_where_both_enter_their_own() -> None:
    table = Table(book=rulebook("shatterpoint-premier"), clock_ms=0)
    entry = table.presses("ana ana").dialogue.table.entry
    assert entry is not None
    state, before = repr(vars(entry)["sheets"]), table.scene
    for arrow in ("up", "down"):
        table.dialogue.pressed_arrow = arrow
        table.scene  # noqa: B018 – what is shown must not become what is so
        table.dialogue.pressed_arrow = ""
        assert repr(vars(entry)["sheets"]) == state
        assert table.scene == before


def fingers(rand: random.Random, start_ms: int) -> list[Edge]:
    """Twenty presses of any length, overlapping as they come: taps, holds and chords."""
    edges, free_ms = [], dict.fromkeys(("a", "b", "up", "down"), start_ms)
    at_ms = start_ms
    for _ in range(20):
        at_ms += rand.choice((20, 60, 150, 700))
        key = rand.choice(("up", "down", "up", "down", "a", "b"))
        if at_ms > free_ms[key]:
            free_ms[key] = at_ms + rand.choice((40, 90, 90, 250, 500, 1900))
            edges += [Edge(key, True, at_ms), Edge(key, False, free_ms[key])]
    return sorted(edges, key=lambda edge: edge.at_ms)


def state_of(unit: Unit) -> tuple[Any, ...]:
    dialogue = unit.unit.dialogue
    entry = dialogue.table.entry
    return (
        dialogue.scene(unit.now_ms).all_text(),
        dialogue.call.on,
        type(entry).__name__,
        (entry.given, entry.dial) if isinstance(entry, ResultEntry) else None,
        [kept.report["result"] for kept in unit.outbox.all()],
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_pressed_ends_as_in_a_unit_that_acts_on_release_only(seed: int, tmp_path: Path) -> None:
    """The oracle is never told of a press: its dialogue hears finished gestures alone."""
    (tmp_path / "oracle").mkdir()
    ends = []
    for folder, told in ((tmp_path, True), (tmp_path / "oracle", False)):
        made = Unit(folder)
        if not told:
            made.unit._hands.pressed_arrow = lambda: ""  # type: ignore[method-assign]
        made.hub_says("view", view(clock={"state": "idle", "remaining_ms": 4_500_000}))
        made.tap("a", "b")
        made.hub_says("view", view())
        made.wait(1000)
        made.tap("a")
        assert value(made) == 0
        for edge in fingers(random.Random(seed), made.now_ms + 500):
            made.wait(edge.at_ms - made.now_ms)
            made.unit.step(made.now_ms, [edge])
        made.wait(3000)
        ends.append(state_of(made))
    assert ends[0] == ends[1]
