"""After the agreement: sending, SAVED with its number, ten seconds for who leaves; then the result stands."""

from __future__ import annotations

from collections.abc import Sequence

from roundtap_core.records import SIDES, Side
from roundtap_core.view import DECIDED
from roundtap_devices.input.gestures import LEAVE, TAP, Gesture
from roundtap_units.table.dialogue import result_text
from roundtap_units.table.dialogue.agreement import WhoWon
from roundtap_units.table.dialogue.report_start import edit_report
from roundtap_units.table.dialogue.table_state import TableState
from roundtap_units.table.screens.scenes import SIGNS, Half, Row, Scene

SETTLE_MS = 1500
LEAVE_ASKED_MS = 10_000


class Sending:
    """Both have said the same; the hub has not answered yet. "sending" only once it is on this unit's disk."""

    def __init__(self, table: TableState) -> None:
        self.table = table

    def press(self, gesture: Gesture, now_ms: int) -> None:
        """Nothing to be done here but wait; the next screen takes presses again."""

    def scene(self, now_ms: int) -> Scene:
        return self.table.halves("sending", self._half)

    def _half(self, side: Side) -> Half:
        table = self.table
        result = table.said(side)
        assert result is not None
        on_disk = all(sent.report_id is not None for sent in table.current())
        sending = "sending.kept" if table.mark else table.instead_of_sending or "sending"
        if any(sent.pending for sent in table.current()):
            sending = "sending.pending"
        text = table.words(sending) if on_disk else "…"
        return Half(text, result_text.score(table, result, side), table.signed(side))


class Standing:
    """A result stands. For ten seconds SAVED, with "leaving?" below it; until the round closes the own button says
    something else: once both have agreed to that, a judge decides (agreement.Second)."""

    def __init__(self, table: TableState) -> None:
        self.table = table

    def press(self, gesture: Gesture, now_ms: int) -> None:
        table = self.table
        if gesture.key not in SIDES:
            return
        side: Side = "a" if gesture.key == "a" else "b"
        if gesture.kind == LEAVE and self.just_saved(now_ms):
            table.leaving ^= {side}
        elif gesture.kind == TAP and table.match.state == DECIDED:
            table.tell(now_ms, lambda: decided(table, side))
        elif gesture.kind == TAP and self.just_saved(now_ms, SETTLE_MS):
            # One press too many of who was still agreeing: nobody wants to correct what they have not read.
            table.swallowed = side, now_ms
        elif gesture.kind == TAP and (result := table.match.result or table.said(side)):
            if table.form is not None and table.form.parallel:
                edit_report(table, side, result)
            else:
                table.question = WhoWon(table, side, lambda: table.match.result or table.said(side))

    def just_saved(self, now_ms: int, within_ms: int = LEAVE_ASKED_MS) -> bool:
        at_ms = self.table.saved_at_ms
        return at_ms is not None and now_ms - at_ms < within_ms

    def scene(self, now_ms: int) -> Scene:
        if self.just_saved(now_ms):
            return self.table.halves("saved", self._saved)
        return self.table.halves("done", self._done)

    def _saved(self, side: Side) -> Half:
        """What was saved, and only below it, small, that one may leave."""
        table = self.table
        words, result = table.words, table.match.result or table.said(side)
        leaving = words("leave.asked" if side in table.leaving else "leave.ask", sign=SIGNS[side])
        saved = words("saved", number=table.saved_number)
        if result is None:
            return Half(saved, small=leaving)
        return Half(saved, small=result_text.between_names(table, result, side), note=leaving)

    def _done(self, side: Side) -> Half:
        table = self.table
        result = table.match.result or table.said(side)
        number = table.match.number or table.saved_number
        small = f"#{number}" if number is not None else "✓"
        if table.match.state == DECIDED:
            small = table.words("decided.short")
        elif side in table.leaving:
            small = table.words("leave.short")
        elif result is not None:
            small = f"{small} {result_text.remark(table, result)}".rstrip()
        return Half(table.signed(side), result_text.score(table, result, side) if result else "", small)


def decided(table: TableState, side: Side | None = None) -> Scene:
    """A judge's result: announced to both (`side` None), and shown again to who presses afterwards."""
    result = table.match.result
    rows = (Row(table.signed(each), result_text.figure_and_outcome(table, result, each) if result else "")
            for each in SIDES)
    title = table.words("decided.corrected" if table.match.corrected else "decided.title")
    return table.page("decided", side, title, *rows, hint=table.words("decided.line"))


def leave_refused(table: TableState, sides: Sequence[Side]) -> Scene:
    """Whose wish to leave an official has refused."""
    return table.page("leave-refused", sides[0] if len(sides) == 1 else None, table.words("leave.refused.title"),
                      *(Row(table.signed(side)) for side in sides), table.words("leave.refused.line"),
                      hint=table.words("any_key"))


def refused(table: TableState, side: Side, reason: str) -> Scene:
    """ "NOT TAKEN: JUDGE", and what that means."""
    known = reason if f"refused.{reason}" in table.words else "unknown"
    return table.page("refused", side, table.words("refused.title", reason=table.words(f"refused.{known}")),
                      table.words(f"refused.{known}.line"), hint=table.words("any_key"))
