"""Edges that come late: taps, holds and chords of a process that stood still; edges that never came."""

import queue

import pytest

from roundtap_devices import boards
from roundtap_devices.input.gestures import Buttons, Edge
from roundtap_devices.input.late_edges import GATHER_MAX_MS, KERNEL_HOLDS, LOST_MS, QUIET_MS, EdgeReorder
from roundtap_devices.input.pin_factory import mock_factory


class Table:
    """Buttons on mock pins whose edges the kernel keeps while the process is stopped, and the hands that read them."""

    def __init__(self):
        self.now_ms = 0
        self.board = boards.RECOMMENDED
        self.factory = mock_factory(lambda: self.now_ms / 1000)
        self.edges = queue.SimpleQueue()
        self.buttons = Buttons(self.board, self.factory, self.edges, lambda: self.now_ms)
        self.hands = EdgeReorder(self.buttons.held)
        self.kernel = []
        self.done = []

    def move(self, key, down, at_ms, stopped=True):
        """A finger. Of a stopped process the kernel keeps the edges, each with its stamp."""
        self.now_ms = at_ms
        pin = self.factory.pin(self.board.pins.keys()[key])
        callback = pin.when_changed
        if stopped:
            pin.when_changed = None
        (pin.drive_low if down else pin.drive_high)()
        pin.when_changed = callback
        if stopped:
            self.kernel.append((callback, at_ms / 1000, pin.state))

    def goes_on(self, at_ms, order=lambda edges: edges):
        """SIGCONT: what the kernel kept comes in."""
        self.now_ms = at_ms
        edges, self.kernel = order(self.kernel), []
        for callback, ticks, state in edges:
            callback(ticks, state)

    def step(self, at_ms, most=None):
        """The loop reads what is in its queue; at most so many edges, if the rest is still under way."""
        self.now_ms = at_ms
        came = []
        while not self.edges.empty() and len(came) != most:
            came.append(self.edges.get_nowait())
        self.done += self.hands.step(at_ms, came)

    def settle(self, until_ms):
        """Step at once if something came, then as the hands ask to be woken."""
        if not self.edges.empty():
            self.step(self.now_ms)
        while (due_ms := self.hands.due_ms()) is not None and due_ms <= until_ms:
            self.step(max(due_ms, self.now_ms))
        self.step(until_ms)

    def gestures(self):
        return [(kind, key) for kind, key, _ in self.done]


@pytest.fixture
def table():
    made = Table()
    made.step(900)
    return made


def press(table, key, from_ms, to_ms):
    table.move(key, True, from_ms)
    table.move(key, False, to_ms)


def test_three_taps_of_90_ms_while_stopped_are_three_taps_at_their_own_times(table):
    for at_ms in (1000, 1200, 1400):
        press(table, "a", at_ms, at_ms + 90)
    table.goes_on(2500)
    table.settle(2900)
    assert [tuple(gesture) for gesture in table.done] == [("tap", "a", 1105), ("tap", "a", 1305), ("tap", "a", 1505)]


def test_a_tap_of_which_only_the_press_has_arrived_is_no_hold(table):
    press(table, "a", 1000, 1090)
    table.goes_on(2500)
    table.step(2500, most=1)
    assert table.done == []
    table.settle(2900)
    assert table.gestures() == [("tap", "a")]


def test_a_hold_during_a_stall_is_a_hold(table):
    press(table, "b", 1000, 1700)
    table.goes_on(2500)
    table.settle(2900)
    assert [tuple(gesture) for gesture in table.done] == [("hold", "b", 1615)]


def test_a_press_that_goes_on_after_the_stall_is_a_hold_by_its_stamp(table):
    table.move("b", True, 1000)
    table.goes_on(2500)
    table.settle(2900)
    assert [tuple(gesture) for gesture in table.done] == [("hold", "b", 1615)]


def test_a_chord_during_a_stall_calls_the_judge(table):
    table.move("up", True, 1000)
    table.move("down", True, 1050)
    table.move("up", False, 2700)
    table.move("down", False, 2710)
    table.goes_on(3000)
    table.settle(3500)
    assert table.gestures() == [("call", "call")]


def test_one_own_button_and_then_the_other(table):
    press(table, "a", 1000, 1090)
    press(table, "b", 1600, 1690)
    table.goes_on(3000)
    table.settle(3500)
    assert [tuple(gesture) for gesture in table.done] == [("tap", "a", 1105), ("tap", "b", 1705)]


def test_a_press_from_before_the_stall_whose_release_waits_is_a_tap(table):
    table.move("a", True, 1000, stopped=False)
    table.step(1005)
    table.move("a", False, 1090)
    table.step(2500)
    table.goes_on(2505)
    table.settle(2900)
    assert table.gestures() == [("tap", "a")]


def test_lgpio_sorts_by_32_bits_so_after_2_1_s_edges_come_in_a_wrong_order(table):
    press(table, "a", 1000, 1090)
    press(table, "b", 5000, 5090)
    table.goes_on(6000, order=lambda edges: edges[2:] + edges[:2])
    table.settle(6500)
    assert [tuple(gesture) for gesture in table.done] == [("tap", "a", 1105), ("tap", "b", 5105)]


def test_a_lost_release_leaves_nothing_pressed_and_says_nothing(table):
    table.move("a", True, 1000, stopped=False)
    table.step(1001)
    table.move("a", False, 1090)
    table.kernel.clear()
    table.settle(4000)
    assert table.gestures() == []
    table.move("a", True, 5000, stopped=False)
    table.step(5001)
    table.move("a", False, 5090, stopped=False)
    table.settle(5200)
    assert table.gestures() == [("tap", "a")]


def test_a_lost_release_of_an_arrow_does_not_repeat_for_ever(table):
    table.move("up", True, 1000, stopped=False)
    table.settle(1900)
    repeats = len(table.done)
    assert repeats >= 2
    table.move("up", False, 1950)
    table.kernel.clear()
    table.settle(9000)
    assert len(table.done) <= repeats + 1


def test_a_press_that_was_never_heard_says_nothing(table):
    table.move("a", True, 1000)
    table.kernel.clear()
    table.step(1500)
    table.settle(1500 + LOST_MS + 1000)
    table.move("a", False, 4000, stopped=False)
    table.settle(4100)
    assert table.gestures() == []


def test_of_a_lump_that_the_kernel_had_no_room_for_the_first_press_may_be_another_one(table):
    # Held as the stall begins; of the bounces that follow the kernel keeps the last 16 only: the release is gone.
    table.move("a", True, 1000, stopped=False)
    table.step(1020)
    table.move("a", False, 1090)
    for at_ms in range(2000, 2018):
        table.move("a", at_ms % 2 == 0, at_ms)
    table.move("a", True, 2100)
    table.move("a", False, 2190)
    table.kernel = table.kernel[-KERNEL_HOLDS:]
    table.goes_on(3000)
    table.settle(3500)
    assert table.gestures() == [("tap", "a")]
    assert table.done[0].at_ms > 2100


def run(pin, reads, until_ms, stopped_ms=()):
    """What the hands say of edges read as `reads` has it ({when: edges}), stepping whenever they ask to be woken.

    stopped_ms: a range in which nobody steps.
    """
    hands, done, now_ms, reads = EdgeReorder(pin.held), [], 0, dict(reads)
    while True:
        due_ms = hands.due_ms()
        times = [*reads, *([] if due_ms is None or due_ms in stopped_ms else [max(due_ms, now_ms)])]
        if not times or min(times) > until_ms:
            return [gesture[:2] for gesture in done]
        now_ms = pin.now_ms = min(times)
        done += hands.step(now_ms, [Edge("up", down, at_ms) for down, at_ms in reads.pop(now_ms, [])])


class Pin:
    """The pin of the arrow up, pressed between these times."""

    def __init__(self, *pressed):
        self.pressed, self.now_ms = pressed, 0

    def held(self):
        return {"up": any(since_ms <= self.now_ms < until_ms for since_ms, until_ms in self.pressed)}


def bounces(at_ms, *more):
    """Down, up, down ..., each at its own time."""
    return [(number % 2 == 0, each) for number, each in enumerate((at_ms, *more))]


def test_bounces_that_arrive_piece_by_piece_are_one_press():
    """As it came from a loaded machine on gpio-sim: 22 ms after the touch the first edge, after 31 the second."""
    train = bounces(65918, 65925, 65925, 65925, 65925, 65925, 65925)
    pin = Pin((65918, 66016))
    reads = {65940: train[:1], 65949: train[1:2], 65971: train[2:], 66036: [(False, 66016)]}
    assert run(pin, reads, 67000) == [("tap", "up")]


def test_half_a_bounce_that_comes_long_after_its_press_is_no_release():
    train = bounces(1000, 1001, 1001)
    pin = Pin((1000, 1140))
    reads = {1002: train[:1], 1060: [], 1062: train[1:2], 1120: train[2:], 1142: [(False, 1140)]}
    assert run(pin, reads, 2000) == [("tap", "up")]


def test_a_bounce_that_the_kernel_saw_as_one_edge_is_no_second_press():
    """The kernel reads the level after it took the stamp: of a bounce that was over by then two presses remain.
    Many edges that were read late, but one after the other, are none that the kernel dropped."""
    first = [*bounces(1000, 1000, 1001, 1001, 1001), (True, 1060), (False, 1090)]
    second = [*bounces(1180, 1180, 1181, 1181, 1181, 1182, 1182), (False, 1270)]
    third = [*bounces(1360, 1360, 1361, 1361, 1361, 1362, 1362), (False, 1450)]
    pin = Pin((1000, 1090), (1180, 1270), (1360, 1450))
    reads = {
        at_ms + 200: [edge for edge in first + second + third if edge[1] == at_ms]
        for at_ms in sorted({at_ms for _, at_ms in first + second + third})
    }
    assert len(first + second + third) >= KERNEL_HOLDS
    assert run(pin, reads, 3000) == [("tap", "up")] * 3


def test_a_press_whose_release_the_kernel_dropped_says_nothing():
    """As it came from a loaded machine on gpio-sim: 24 edges of three taps, of which one did not fit. Whether the
    finger or only the contact let go before the second, nobody knows."""
    trains = [
        bounces(*at_ms)
        for at_ms in (
            (44081, 44086, 44086, 44086, 44086, 44086, 44086),
            (44352, 44353, 44353, 44353, 44353, 44353, 44353),
            (45133, 45133, 45133, 45133, 45134, 45134, 45134),
        )
    ]
    edges = [*trains[0], *trains[1], (False, 44494), *trains[2], (False, 45314)]  # and no release of the first
    assert run(Pin(), {46142: edges}, 47000) == [("tap", "up")] * 2


def test_two_presses_of_which_the_middle_was_dropped_are_no_hold():
    """A tap, and while the process stands still half a second of which the beginning did not fit."""
    lump = [(number % 2 == 1, 1180 + number // 4) for number in range(KERNEL_HOLDS - 2)]
    pin = Pin((1000, 1090), (1175, 1680))
    reads = {1001: [(True, 1000)], 2500: [*lump, (False, 1680), (True, 2490)], 2700: [(False, 2690)]}
    assert run(pin, reads, 4000, stopped_ms=range(1100, 2500)) == [("repeat", "up"), ("tap", "up")]


def test_a_pin_that_once_said_otherwise_has_an_edge_under_way_even_if_it_agrees_again():
    """A release that comes 450 ms late, while the next press is already there: two taps, and nothing was held."""
    pins = {"up": True}
    hands, done = EdgeReorder(lambda: pins), []
    done += hands.step(1005, [Edge("up", True, 1000)])
    for now_ms in range(1015, 1600, 10):
        pins["up"] = now_ms < 1168 or 1300 <= now_ms < 1398
        done += hands.step(now_ms)
    edges = [Edge("up", False, 1168), Edge("up", True, 1300), Edge("up", False, 1398)]
    for now_ms in range(1600, 2200, 10):
        came, edges = edges, []
        done += hands.step(now_ms, came)
    assert [tuple(gesture) for gesture in done] == [("tap", "up", 1183), ("tap", "up", 1413)]


def test_a_loop_that_is_late_waits_a_moment_and_no_longer(table):
    table.move("a", True, 1000, stopped=False)
    table.step(1001)
    table.step(2000)
    assert table.done == []
    table.settle(2000 + QUIET_MS + 10)
    assert table.gestures() == [("hold", "a")]


def test_edges_that_are_late_again_and_again_are_taken_in_the_end():
    hands, done, now_ms = EdgeReorder(dict), [], 0
    for number in range(120):
        now_ms = 1000 + 20 * number
        done += hands.step(now_ms, [Edge("a", number % 2 == 0, now_ms - 60)])
    assert done
    assert done[0].at_ms < 1000 + GATHER_MAX_MS


def test_without_pins_to_ask_everything_is_believed_at_once():
    edges = [Edge("a", True, 0), Edge("a", False, 90)]
    assert [gesture[:2] for gesture in EdgeReorder().step(5000, edges)] == [("tap", "a")]
