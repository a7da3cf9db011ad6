"""From edges to gestures: debounce, tap, hold, accelerating repeat, chords. A pure state machine on the caller's clock.

Arrows and own buttons act when *released*, so the two presses that begin a chord have changed nothing that would have
to be undone; `pressed_arrow` tells sooner what a release would do. While held, an own button makes one HOLD after
HOLD_MS, an arrow a REPEAT after REPEAT_AFTER_MS, and more.
"""

import queue
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from roundtap_devices.boards import Board

LONGEST_STALL_S = 600.0
JITTER_MS = 3
TRIES = 5

TAP, REPEAT, HOLD, CALL, LEAVE = "tap", "repeat", "hold", "call", "leave"
OWN, ARROWS = ("a", "b"), ("up", "down")

DEBOUNCE_MS = 15
HOLD_MS = 600
CHORD_MS = 1500
REPEAT_AFTER_MS = 400
REPEAT_EVERY_MS = (220, 180, 150, 120, 100, 80, 60)  # the pause after each repeat; the last one stays


class Edge(NamedTuple):
    """A pin changed to pressed (`down`) or back, `at_ms` on the unit's monotonic clock. Bounces included."""

    key: str
    down: bool
    at_ms: int


class EdgeClock:
    """Converts a pin factory's ticks to milliseconds of the unit's monotonic clock, however late it is called.

    lgpio passes on the kernel's stamps: nanoseconds of CLOCK_MONOTONIC since Linux 5.7 (drivers/gpio/gpiolib-cdev.c;
    lgpio 0.2 never sets GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME). gpiozero promises only that `ticks_diff` gives a
    tick's age, wrapped counters included, so only that is used. An absurd age means another clock (older kernels used
    wall time): then the moment of the call counts, which is late, but safe from jumps of wall time.
    """

    def __init__(self, pin_factory: Any, mono_ms: Callable[[], int]) -> None:
        self._factory, self._mono_ms = pin_factory, mono_ms
        self._known: tuple[Any, int] | None = None

    def at_ms(self, ticks: Any) -> int:
        """The time of a tick; ticks more than JITTER_MS apart never come out in the wrong order."""
        for _ in range(TRIES):
            now_ms = self._mono_ms()
            age_s = self._factory.ticks_diff(self._factory.ticks(), ticks)
            # A stall between the two clock readings makes them useless as a pair.
            if self._mono_ms() - now_ms <= 1:
                break
        if not -1.0 <= age_s <= LONGEST_STALL_S:
            return now_ms
        at_ms: int = now_ms - round(age_s * 1000)
        if self._known is not None:
            ticks_then, then_ms = self._known
            same_ms: int = then_ms + round(self._factory.ticks_diff(ticks, ticks_then) * 1000)
            if abs(same_ms - at_ms) <= JITTER_MS:
                return same_ms
        self._known = ticks, at_ms
        return at_ms


class Buttons:
    """The buttons of a board.

    >>> from roundtap_devices.boards import load_board
    >>> from roundtap_devices.input.pin_factory import mock_factory
    >>> pins, edges = mock_factory(lambda: 5.12), queue.SimpleQueue()  # on a Pi: real_factory("/tmp")
    >>> buttons = Buttons(load_board("recommended"), pins, edges, lambda: 5120)
    >>> pins.pin(17).drive_low()  # the pin of "a": it is pressed
    >>> buttons.held()
    {'a': True, 'b': False, 'up': False, 'down': False}
    >>> edges.get()  # `EdgeReorder` makes gestures of them
    Edge(key='a', down=True, at_ms=5120)
    >>> buttons.close()

    pin_factory: one of those in `pin_factory`; never set globally.
    edges: receives an `Edge` at each change, from the pin factory's thread.
    mono_ms: the unit's monotonic clock in milliseconds.
    Raises what gpiozero raises where a pin cannot be opened (another program has it), and then keeps none.
    """

    def __init__(
        self,
        board: Board,
        pin_factory: Any,
        edges: queue.SimpleQueue[Any],
        mono_ms: Callable[[], int],
    ) -> None:
        from gpiozero import InputDevice

        self.edges = edges
        self._devices: dict[str, Any] = {}
        # gpiozero keeps weak references to its callbacks.
        self._callbacks = []
        stamps = EdgeClock(pin_factory, mono_ms)
        try:
            for key, number in board.pins.keys().items():
                # Not gpiozero's Button: it hands on no stamps, and its bounce_time is a filter that loses short taps.
                device = InputDevice(number, pull_up=board.active_low, pin_factory=pin_factory)
                self._devices[key] = device
                device.pin.bounce, device.pin.edges = None, "both"
                callback = self._enqueue(key, not board.active_low, stamps)
                self._callbacks.append(callback)
                device.pin.when_changed = callback
        except Exception:
            self.close()
            raise

    def _enqueue(self, key: str, pressed: bool, stamps: EdgeClock) -> Callable[[Any, Any], None]:
        return lambda ticks, state: self.edges.put(Edge(key, bool(state) == pressed, stamps.at_ms(ticks)))

    def held(self) -> dict[str, bool]:
        """Which keys are down now, read from the pins."""
        return {key: bool(device.is_active) for key, device in self._devices.items()}

    def close(self) -> None:
        devices, self._devices = self._devices, {}
        for device in devices.values():
            device.pin.when_changed = None
            device.close()


class Gesture(NamedTuple):
    """What a player did with the buttons, and when it was complete. "tap" (any key, on release), "repeat" (an arrow,
    repeatedly while held), "hold" (an own button, 0.6 s), "call" (▲+▼ or a dedicated key for 1.5 s: a joystick is
    easily pressed by mistake), "leave" (own + ▼ for 1.5 s; `key` is the own button)."""

    kind: str
    key: str
    at_ms: int = 0


@dataclass(slots=True)
class _Key:
    raw: bool = False
    raw_since: int = 0
    down: bool = False
    down_since: int = 0
    repeats: int = 0
    spent: bool = False  # part of a chord, held or repeated: its release does nothing more


@dataclass(slots=True)
class _Chord:
    kind: str
    key: str
    keys: tuple[str, ...]
    due_ms: int | None = None


@dataclass(slots=True)
class Gestures:
    """Takes edges in order, and returns gestures in the order they happened; for edges from real pins: `EdgeReorder`.

    >>> gestures = Gestures()
    >>> gestures.tick(1200, [Edge("a", True, 1000), Edge("a", False, 1090)])
    [Gesture(kind='tap', key='a', at_ms=1105)]
    >>> gestures.edge(Edge("up", True, 2000))
    >>> gestures.due_ms()  # when to call `tick` next
    2015
    >>> gestures.tick(2500)
    [Gesture(kind='repeat', key='up', at_ms=2415)]
    """

    _keys: dict[str, _Key] = field(default_factory=lambda: {key: _Key() for key in (*OWN, *ARROWS, "call")})
    _chords: tuple[_Chord, ...] = field(
        default_factory=lambda: (
            _Chord(CALL, "call", ARROWS),
            _Chord(CALL, "call", ("call",)),
            _Chord(LEAVE, "a", ("a", "down")),
            _Chord(LEAVE, "b", ("b", "down")),
        )
    )
    _done: list[Gesture] = field(default_factory=list)

    def edge(self, edge: Edge) -> None:
        """Take one raw edge; edges come in the order of their times."""
        self._advance(edge.at_ms)
        key = self._keys[edge.key]
        if key.raw != edge.down:
            key.raw, key.raw_since = edge.down, edge.at_ms

    def tick(self, now_ms: int, edges: Iterable[Edge] = ()) -> list[Gesture]:
        """Take `edges`; return all gestures completed until `now_ms`."""
        for edge in edges:
            self.edge(edge)
        self._advance(now_ms)
        done, self._done = self._done, []
        return done

    def down(self) -> dict[str, bool]:
        """Which keys are pressed, by the last edge of each."""
        return {name: key.raw for name, key in self._keys.items()}

    def drop_press(self, name: str, down: bool, at_ms: int) -> None:
        """An edge of this key was lost and its pin is as `down` says: the press in progress makes no gesture."""
        key = self._keys[name]
        self._end_chords(name)
        key.raw = key.down = down
        key.raw_since = key.down_since = at_ms
        key.repeats, key.spent = 0, True

    def pressed_arrow(self) -> str:
        """The arrow that is down, no other key with it, and makes a tap if it is released now; else ""."""
        touched = [(name, key) for name, key in self._keys.items() if key.raw or key.down]
        alone = len(touched) == 1 and touched[0][0] in ARROWS and touched[0][1].down and not touched[0][1].spent
        return touched[0][0] if alone else ""

    def since_ms(self, name: str) -> int:
        return self._keys[name].raw_since

    def due_ms(self) -> int | None:
        """When `tick` may next return a gesture without a new edge; None: only after an edge."""
        return min((at for at, _ in self._timers()), default=None)

    def _advance(self, now_ms: int) -> None:
        while timers := [timer for timer in self._timers() if timer[0] <= now_ms]:
            at_ms, what = min(timers, key=lambda timer: timer[0])
            if isinstance(what, _Chord):
                what.due_ms = None
                self._done.append(Gesture(what.kind, what.key, at_ms))
            elif (key := self._keys[what]).raw != key.down:
                self._settle(what, key, at_ms)
            else:
                self._held(what, key, at_ms)

    def _timers(self) -> list[tuple[int, str | _Chord]]:
        timers: list[tuple[int, str | _Chord]] = [
            (chord.due_ms, chord) for chord in self._chords if chord.due_ms is not None
        ]
        for name, key in self._keys.items():
            if key.raw != key.down:
                timers.append((key.raw_since + DEBOUNCE_MS, name))
            elif key.down and (after_ms := self._hold_due_ms(name, key)) is not None:
                timers.append((key.down_since + after_ms, name))
        return timers

    def _hold_due_ms(self, name: str, key: _Key) -> int | None:
        if name in ARROWS and (key.repeats or not key.spent):
            gone = sum(REPEAT_EVERY_MS[: key.repeats])
            return REPEAT_AFTER_MS + gone + max(0, key.repeats - len(REPEAT_EVERY_MS)) * REPEAT_EVERY_MS[-1]
        return HOLD_MS if name in OWN and not key.spent else None

    def _held(self, name: str, key: _Key, at_ms: int) -> None:
        key.spent = True
        if name in ARROWS:
            key.repeats += 1
        self._done.append(Gesture(REPEAT if name in ARROWS else HOLD, name, at_ms))

    def _settle(self, name: str, key: _Key, at_ms: int) -> None:
        key.down = key.raw
        if key.down:
            key.down_since, key.repeats, key.spent = at_ms, 0, False
            self._begin_chords(name, at_ms)
            return
        self._end_chords(name)
        if not key.spent:
            self._done.append(Gesture(TAP, name, at_ms))

    def _end_chords(self, name: str) -> None:
        for chord in self._chords:
            if name in chord.keys:
                chord.due_ms = None

    def _begin_chords(self, name: str, at_ms: int) -> None:
        for chord in self._chords:
            if name in chord.keys and all(self._keys[key].down for key in chord.keys):
                chord.due_ms = at_ms + CHORD_MS
                for key in chord.keys:
                    self._keys[key].spent, self._keys[key].repeats = True, 0
