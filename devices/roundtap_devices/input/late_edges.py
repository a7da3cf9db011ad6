"""Gestures from edges that come late: in a lump after the process stalled, out of order, or not at all.

While the machine keeps up, edges go straight to `gestures`. A stall shows in two ways: an edge much older than the
moment it is read, or a hold that is long overdue. Then gestures wait until the edges still under way have arrived, and
all are taken in the order of their stamps: a release that waits in the kernel cannot turn a tap into a hold.

The pins reveal an edge that never comes: a key that is down by its edges but not by its pin goes up after a moment, and
that press makes no gesture. Nor does a press of which the kernel may have dropped edges: no gesture is ever invented.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from roundtap_devices.input.gestures import DEBOUNCE_MS, REPEAT_AFTER_MS, Edge, Gesture, Gestures

LATE_MS = 10
"""An edge this old shows a stall. Less than DEBOUNCE_MS: otherwise half a bounce could be settled while its other half
is under way."""
OVERDUE_MS = 40  # so does a hold this overdue; a loop that draws a screen is late by less
QUIET_MS = 30
"""After this long without a late edge the lump is complete. Kernel, lgpio and gpiozero pass it on in about 2 ms."""
QUIET_MAX_MS = 250
GATHER_MAX_MS = 1000
LOST_MS = 1000  # how long after pin and edges disagreed an edge is awaited; then it is lost
AGAIN_MS = 10
PIN_CHECK_MS = 1000
KERNEL_HOLDS = 16
"""Edges of one line that the kernel keeps for a stalled reader; it drops the oldest beyond that (event_buffer_size in
include/uapi/linux/gpio.h: 16 for each requested line, and lgpio requests each by itself)."""


class ReadEdge(NamedTuple):
    """An edge, and the latest time at which it was read."""

    edge: Edge
    by_ms: int


class EdgeGap(NamedTuple):
    """Edges of a key are missing here: the press up to this point makes no gesture."""

    key: str
    at_ms: int


def _edge_ms(edge: Edge | EdgeGap) -> int:
    return edge.at_ms


class EdgeReorder:
    """Gestures from the edges of real pins.

    >>> reorder = EdgeReorder(lambda: {"a": False})  # of a board: `Buttons.held`
    >>> reorder.step(1100, [Edge("a", False, 1090), Edge("a", True, 1000)])  # late: more may be under way
    []
    >>> reorder.due_ms()  # in a loop: step after each edge, and then
    1110
    >>> reorder.step(1150)
    [Gesture(kind='tap', key='a', at_ms=1105)]

    held: reads the pins, `Buttons.held`; {} while there are none. Without it every edge is believed at once.
    """

    def __init__(self, held: Callable[[], Mapping[str, bool]] | None = None) -> None:
        self._held = held
        self._gestures = Gestures()
        self._waiting: list[ReadEdge] = []
        self._gathering: tuple[int, int] | None = None  # since when, and when the line will have been quiet long enough
        self._doubt_since: dict[str, int] = {}
        self._pins: Mapping[str, bool] = {}
        self._due_ms: int | None = None

    def step(self, now_ms: int, edges: Iterable[Edge] = ()) -> list[Gesture]:
        """Take `edges`; return every gesture that is certain by now, each with its own time."""
        came = list(edges)
        self._waiting += [ReadEdge(edge, now_ms) for edge in came]
        self._compare_pins(now_ms, came)
        if self._held is not None and self._is_edge_pending(now_ms, came):
            self._due_ms = now_ms + AGAIN_MS
            return []
        heard, self._waiting = sorted(self._waiting, key=lambda each: each.edge.at_ms), []
        gaps = [gap for key in self._gestures.down() for gap in self._gaps(key, heard)]
        lump: list[Edge | EdgeGap] = sorted([*gaps, *(edge for edge, _ in heard)], key=_edge_ms)
        for edge in lump:
            if isinstance(edge, EdgeGap):
                self._gestures.drop_press(edge.key, False, edge.at_ms)
            else:
                self._gestures.edge(edge)
        until_ms = self._certain_until(now_ms, lump)
        done = self._gestures.tick(until_ms)
        self._due_ms = now_ms + AGAIN_MS if self._doubt_since else self._gestures.due_ms()
        if self._held is not None and any(self._gestures.down().values()):
            look_ms = now_ms + PIN_CHECK_MS
            self._due_ms = look_ms if self._due_ms is None else min(look_ms, self._due_ms)
        return done

    def pressed_arrow(self) -> str:
        """As `Gestures.pressed_arrow`."""
        return self._gestures.pressed_arrow()

    def due_ms(self) -> int | None:
        """When to call `step` next without a new edge; None: only after an edge."""
        return self._due_ms

    def _is_edge_pending(self, now_ms: int, came: list[Edge]) -> bool:
        age_ms = max((now_ms - edge.at_ms for edge in came), default=0)
        late = age_ms > LATE_MS
        # What was late once may be late again: an overloaded machine is not stalled only once.
        wait_ms = max(QUIET_MS, min(age_ms // 2, QUIET_MAX_MS))
        if self._gathering is None:
            due_ms = self._gestures.due_ms()
            overdue = due_ms is not None and now_ms - due_ms > OVERDUE_MS
            if not late and not overdue:
                return False
            self._gathering = now_ms, now_ms + wait_ms
            return True
        since_ms, quiet_ms = self._gathering
        if late:
            quiet_ms = min(max(quiet_ms, now_ms + wait_ms), since_ms + GATHER_MAX_MS)
            self._gathering = since_ms, quiet_ms
        if now_ms < quiet_ms:
            return True
        self._gathering = None
        return False

    def _gaps(self, key: str, heard: list[ReadEdge]) -> list[EdgeGap]:
        """Where the kernel may have dropped edges of a pressed key: only right before an edge that was read when
        KERNEL_HOLDS - 1 newer ones were there. Whether the finger or only the contact let go meanwhile is unknown. Two
        presses in a row elsewhere are one: the kernel takes an edge's stamp first and its level later."""
        mine = [each for each in heard if each.edge.key == key]
        down, since_ms = self._gestures.down()[key], self._gestures.since_ms(key)
        gaps = []
        for number, (edge, by_ms) in enumerate(mine):
            newest = number + KERNEL_HOLDS - 1
            apart_ms = edge.at_ms - since_ms
            if newest < len(mine) and mine[newest].edge.at_ms <= by_ms and down and apart_ms > 3 * DEBOUNCE_MS:
                bounced = mine[number + 1].edge.at_ms - edge.at_ms < DEBOUNCE_MS
                if edge.down or bounced or apart_ms >= REPEAT_AFTER_MS:
                    gaps.append(EdgeGap(key, since_ms + DEBOUNCE_MS + 1))
            down, since_ms = edge.down, edge.at_ms
        return gaps

    def _compare_pins(self, now_ms: int, came: list[Edge]) -> None:
        """Note keys whose pin contradicts their edges: an edge is under way, even if the pin agrees again later."""
        if self._held is None:
            return
        for edge in came:
            self._doubt_since.pop(edge.key, None)
        self._pins = self._held()
        waiting = sorted((edge for edge, _ in self._waiting), key=_edge_ms)
        down = {**self._gestures.down(), **{edge.key: edge.down for edge in waiting}}
        for key, pressed in self._pins.items():
            if key in down and pressed != down[key]:
                self._doubt_since.setdefault(key, now_ms)

    def _certain_until(self, now_ms: int, lump: list[Edge | EdgeGap]) -> int:
        """Up to when the edges are complete; a key whose pin contradicts them for too long is given up."""
        for key, since_ms in list(self._doubt_since.items()):
            if now_ms - since_ms >= LOST_MS:
                self._gestures.drop_press(key, self._pins.get(key, False), now_ms)
                del self._doubt_since[key]
        if not self._doubt_since:
            return now_ms
        # Not the time that was certain before: an edge from then that comes now may be half a bounce.
        return max((_edge_ms(edge) for edge in lump), default=0)
