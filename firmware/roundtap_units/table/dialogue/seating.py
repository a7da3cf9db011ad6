"""Sitting down and waiting: each presses their own button once; then names, opponent and clock until somebody won."""

from __future__ import annotations

from roundtap_core.records import SIDES, Side, other
from roundtap_devices.input.gestures import TAP, Gesture
from roundtap_units.table.dialogue.games import note
from roundtap_units.table.dialogue.list_review import look, may_review
from roundtap_units.table.dialogue.parallel_entry import Parallel
from roundtap_units.table.dialogue.report_start import open_report, press_arrow
from roundtap_units.table.dialogue.table_state import TableState
from roundtap_units.table.screens.scenes import SIGNS, Half, Name, Row, Scene

OWN: dict[str, Side] = {"a": "a", "b": "b"}


class Seating:
    """Before the clock runs: "press yours" for each who has not. A second press already reports."""

    def __init__(self, table: TableState) -> None:
        self.table = table

    def press(self, gesture: Gesture, now_ms: int) -> None:
        side = OWN.get(gesture.key) if gesture.kind == TAP else None
        if side is None:
            if not look(self.table, gesture, now_ms):
                press_arrow(self.table, gesture, now_ms)
            return
        if side in self.table.seated:
            open_report(self.table, side, now_ms)
        else:
            self.table.seated.add(side)

    def scene(self, now_ms: int) -> Scene:
        return self.table.halves("seating", self._half)

    def _half(self, side: Side) -> Half:
        table = self.table
        if side in table.seated:
            return Half(Name(f"✓ {table.name(side)}"), table.clock, table.signed(other(side)), note(table, side))
        return Half(table.name(side), SIGNS[side], table.words("seat.press"))


class Idle:
    """While they play. The own button says "I won"; who skipped the seat-in is asked for the name first."""

    def __init__(self, table: TableState) -> None:
        self.table = table

    def press(self, gesture: Gesture, now_ms: int) -> None:
        side = OWN.get(gesture.key) if gesture.kind == TAP else None
        if side is None:
            if not look(self.table, gesture, now_ms):
                press_arrow(self.table, gesture, now_ms)
            return
        if side in self.table.seated:
            open_report(self.table, side, now_ms)
        else:
            self.table.question = WhoAreYou(self.table, side)

    def scene(self, now_ms: int) -> Scene:
        return self.table.halves("idle", self._half)

    def _half(self, side: Side) -> Half:
        return Half(self.table.signed(side), self.table.clock, self._small(side), self._note(side))

    def _small(self, side: Side) -> str:
        table = self.table
        assert table.view is not None
        if table.view.clock.state == "paused":
            return table.words("clock.paused")
        if table.time_is_up:
            return table.words("clock.up")
        # Read from the edge both names stand there anyway, and there is room to say what a win needs.
        edge_hint = table.facing == "edge" and table.view.clock.state == "running"
        parallel = table.form is not None and table.form.parallel
        return table.words("idle.end" if parallel else "idle.win") if edge_hint else table.signed(other(side))

    def _note(self, side: Side) -> str:
        """The phase of the round, the games so far and who begins, or the squads that are still to be shown."""
        table = self.table
        assert table.view is not None
        if table.form is not None and table.form.parallel and not self._fielded(side):
            return table.words("parallel.squads", sign=SIGNS[side])
        hint = table.words("look.hint") if may_review(table) else ""
        return "  ".join(text for text in (table.phase, note(table, side), hint) if text)

    def _fielded(self, side: Side) -> bool:
        sheets = self.table.sheets
        return isinstance(sheets, Parallel) and (sheets.sheets[side].fielded or not sheets.has_picks)


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
            open_report(self.table, self.side, now_ms)
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
