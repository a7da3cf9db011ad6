"""A table unit that was held up, that hears no buttons or sees no screen, and one whose screen rests."""

import queue
from pathlib import Path
from typing import Any

import pytest
from unit_kit import KEY, FakeLink, Unit, view

from roundtap_devices.boards import RECOMMENDED
from roundtap_devices.controls import RETRY_MS, Controls
from roundtap_devices.display.screen import DIMMED, FULL, OFF, VirtualScreen
from roundtap_devices.hardware_errors import HardwareMissing
from roundtap_devices.input.gestures import Edge, Gesture
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_units.board_process import DIM_AFTER_MS, OFF_AFTER_MS, WOKEN_MS, ScreenDimming
from roundtap_units.link.outbox import Outbox
from roundtap_units.table.dialogue.dialogue import Dialogue
from roundtap_units.table.unit import TableDisk, TableHardware, TableUnit
from roundtap_units.unit_config import unit_words


def taps(*presses: tuple[str, int]) -> list[object]:
    """The edges of presses of 90 ms: (key, when)."""
    return [edge for key, at_ms in presses for edge in (Edge(key, True, at_ms), Edge(key, False, at_ms + 90))]


@pytest.fixture
def table(unit: Unit) -> Unit:
    unit.wait(1000)
    return unit


def test_three_presses_read_together_do_what_they_do_one_by_one(table: Unit, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Unit(tmp_path / "other")
    other.hub_says("view", view(clock={"state": "idle", "remaining_ms": 4_500_000}))
    other.tap("a", "b")
    other.hub_says("view", view())
    other.tap("a", "a")
    start_ms = table.now_ms
    table.now_ms += 2000
    table.unit.step(table.now_ms, taps(("a", start_ms + 100), ("a", start_ms + 700)))
    table.wait(100)
    assert table.says == other.says
    assert len(table.outbox.waiting()) == len(other.outbox.waiting()) == 1


def test_nobody_agrees_to_what_the_screen_had_no_time_to_ask(table: Unit) -> None:
    """While the unit stood still one player reported and the other pressed, 1.3 s later: that was no yes."""
    start_ms = table.now_ms
    table.now_ms += 3000
    table.unit.step(table.now_ms, taps(("a", start_ms + 100), ("a", start_ms + 700), ("b", start_ms + 2000)))
    table.wait(100)
    assert [kept.report["side"] for kept in table.outbox.waiting()] == ["a"]
    assert "too early: press again" in table.says
    table.wait(2500)
    assert "yes" in table.says
    table.tap("b")
    assert [kept.report["side"] for kept in table.outbox.waiting()] == ["a", "b"]


def test_the_lamp_before_a_player_shines_while_that_player_is_awaited(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    lit = lambda: "".join(side for side in "ab" if f"lamp_{side}" in unit.shines)  # noqa: E731
    assert lit() == ""
    unit.hub_says("view", view(clock={"state": "idle", "remaining_ms": 4_500_000, "total_ms": 4_500_000}))
    unit.wait(1000)
    assert lit() == "ab", "both are asked to take their seats"
    unit.tap("a")
    assert lit() == "b"
    unit.tap("b")
    assert lit() == ""
    unit.tap("a")
    assert lit() == "a", "who enters a result"
    unit.tap("a")
    assert lit() == "b", "who is asked whether it is right"


class Bench:
    """A unit with a front and a screen that may lack something."""

    def __init__(self, folder: Path, lacks: Exception | None = None) -> None:
        self.now_ms, self.lacks = 0, lacks
        self.pins = mock_factory(lambda: self.now_ms / 1000)
        self.edges: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.front = Controls(RECOMMENDED, self._open, self.edges, lambda: self.now_ms)
        self.screen = VirtualScreen()
        outbox = Outbox(folder / "outbox.jsonl")
        self.unit = TableUnit(
            "table-12",
            KEY,
            Dialogue(unit_words("en"), "edge"),
            FakeLink(outbox, folder / "outbox.jsonl"),
            TableHardware(self.screen, self.front.signals, self.front),
            TableDisk(outbox),
        )
        self.step(0)

    def _open(self) -> Any:
        if self.lacks is not None:
            raise self.lacks
        return self.pins

    def step(self, at_ms: int, *items: object) -> None:
        self.now_ms = at_ms
        self.front.tick(at_ms)
        came = list(items)
        while not self.edges.empty():
            came.append(self.edges.get_nowait())
        self.unit.step(at_ms, came)

    def press(self, key: str, at_ms: int) -> None:
        pin = self.pins.pin(RECOMMENDED.pins.keys()[key])
        for down, moment_ms in ((True, at_ms), (False, at_ms + 90)):
            self.now_ms = moment_ms
            (pin.drive_low if down else pin.drive_high)()
            self.step(moment_ms)
        self.step(at_ms + 120)


def test_a_unit_without_pins_says_so_on_every_screen_until_they_are_there(tmp_path: Path) -> None:
    bench = Bench(tmp_path, HardwareMissing("lgpio"))
    assert bench.unit.scene.badge == "NO BUTTONS"
    bench.lacks = None
    bench.step(RETRY_MS)
    assert bench.unit.scene.badge == ""


def test_a_unit_without_a_screen_blinks_with_its_lamp(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.screen.glass.unplug(True)
    lamp = bench.pins.pin(RECOMMENDED.pins.lamp)
    bench.step(6000)
    seen = set()
    for at_ms in range(7000, 9000, 500):
        bench.step(at_ms)
        seen.add(bool(lamp.state))
    assert seen == {True, False}


def test_an_arrow_whose_release_was_lost_calls_no_judge_with_the_other_one(tmp_path: Path) -> None:
    """The kernel dropped the second edge of ▲, and its pin says so; ▼ is held later, alone."""
    bench = Bench(tmp_path)
    bench.step(1000, ("view", view()))
    up, down = (bench.pins.pin(RECOMMENDED.pins.keys()[key]) for key in ("up", "down"))
    up.drive_low()
    bench.step(1010)
    up.drive_high()
    bench.edges.get_nowait()
    for at_ms in range(1100, 6000, 20):
        if at_ms == 3500:
            down.drive_low()
        bench.step(at_ms)
    assert not bench.unit.dialogue.call.on
    up.drive_low()
    for at_ms in range(6000, 8000, 20):
        bench.step(at_ms)
    assert bench.unit.dialogue.call.on


def test_the_screen_is_dimmed_then_dark_without_a_round_and_a_press_only_wakes_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    levels = []
    for at_ms in (1000, DIM_AFTER_MS, OFF_AFTER_MS):
        bench.step(at_ms)
        levels.append(bench.screen.glass.level)
    assert levels == [FULL, DIMMED, OFF]
    bench.press("a", OFF_AFTER_MS + 1000)
    assert bench.screen.glass.level == FULL


def test_a_round_keeps_the_screen_bright(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.step(OFF_AFTER_MS)
    bench.step(OFF_AFTER_MS + 10, ("view", view()))
    assert bench.screen.glass.level == FULL
    bench.step(3 * OFF_AFTER_MS)
    assert bench.screen.glass.level == FULL


def test_of_the_press_that_wakes_nothing_else_comes_but_a_call_for_a_judge() -> None:
    rest = ScreenDimming()
    assert rest.level(OFF_AFTER_MS) == OFF
    rest.on_press(OFF_AFTER_MS)
    woken = OFF_AFTER_MS
    assert rest.is_wake_press(Gesture("tap", "a", woken + 105), woken + 105)
    assert not rest.is_wake_press(Gesture("call", "call", woken + 700), woken + 700)
    assert not rest.is_wake_press(Gesture("tap", "a", woken + WOKEN_MS), woken + WOKEN_MS)


def test_a_press_on_a_dimmed_screen_counts() -> None:
    rest = ScreenDimming()
    assert rest.level(DIM_AFTER_MS) == DIMMED
    rest.on_press(DIM_AFTER_MS)
    assert not rest.is_wake_press(Gesture("tap", "a"), DIM_AFTER_MS + 100)
