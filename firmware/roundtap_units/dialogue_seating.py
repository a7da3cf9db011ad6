"""Sitting down and waiting: each presses their own button once; then names, opponent and clock until somebody won."""

from __future__ import annotations

from roundtap_core.records import SIDES, Side, other
from roundtap_devices.hands import TAP, Gesture
from roundtap_units import dialogue_entry
from roundtap_units.dialogue_state import TableState
from roundtap_units.scenes import SIGNS, Half, Name, Row, Scene

OWN: dict[str, Side] = {"a": "a", "b": "b"}


def open_entry(table: TableState, side: Side, now_ms: int) -> None:
    """The own button of who won: the entry begins, or the table says why it cannot."""
    table.entry = dialogue_entry.begin(table, side, side)
    if table.entry is None:
        table.tell(now_ms, lambda: table.page("no-form", side, table.words("entry.no_form")))


class Seating:
    """Before the clock runs: "press yours" for each who has not. A second press already reports."""

    def __init__(self, table: TableState) -> None:
        self.table = table

    def press(self, gesture: Gesture, now_ms: int) -> None:
        side = OWN.get(gesture.key) if gesture.kind == TAP else None
        if side is None:
            return
        if side in self.table.seated:
            open_entry(self.table, side, now_ms)
        else:
            self.table.seated.add(side)

    def scene(self, now_ms: int) -> Scene:
        return self.table.halves("seating", self._half)

    def _half(self, side: Side) -> Half:
        table = self.table
        if side in table.seated:
            return Half(Name(f"✓ {table.name(side)}"), table.clock, table.signed(other(side)))
        return Half(table.name(side), SIGNS[side], table.words("seat.press"))


class Idle:
    """While they play. The own button says "I won"; who skipped the seat-in is asked for the name first."""

    def __init__(self, table: TableState) -> None:
        self.table = table

    def press(self, gesture: Gesture, now_ms: int) -> None:
        side = OWN.get(gesture.key) if gesture.kind == TAP else None
        if side is None:
            return
        if side in self.table.seated:
            open_entry(self.table, side, now_ms)
        else:
            self.table.question = WhoAreYou(self.table, side)

    def scene(self, now_ms: int) -> Scene:
        return self.table.halves("idle", self._half)

    def _half(self, side: Side) -> Half:
        return Half(self.table.signed(side), self.table.clock, self._small(side))

    def _small(self, side: Side) -> str:
        table = self.table
        assert table.view is not None
        if table.view.clock.state == "paused":
            return table.words("clock.paused")
        if table.time_is_up:
            return table.words("clock.up")
        # Read from the edge both names stand there anyway, and there is room to say what a win needs.
        edge_hint = table.facing == "edge" and table.view.clock.state == "running"
        return table.words("idle.win") if edge_hint else table.signed(other(side))


class WhoAreYou:
    """A first press at a table where nobody sat in: is this button yours?"""

    def __init__(self, table: TableState, side: Side) -> None:
        self.table, self.side = table, side

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.kind != TAP:
            return
        self.table.question = None
        if gesture.key == self.side:
            self.table.seated.add(self.side)
            open_entry(self.table, self.side, now_ms)
        elif gesture.key == "down":
            self.table.tell(now_ms, self._wrong_place)

    def scene(self, now_ms: int) -> Scene:
        words, sign = self.table.words, SIGNS[self.side]
        return self.table.page("who", self.side, words("seat.is_yours", sign=sign), Row(self.table.signed(self.side)),
                               hint=words("yes_no", sign=sign))

    def _wrong_place(self) -> Scene:
        table = self.table
        assert table.view is not None
        return table.page("wrong-place", self.side, table.words("seat.wrong", table=table.view.table),
                          *(Row(table.signed(side)) for side in SIDES), hint=table.words("seat.wrong_hint"))
