"""Agreeing: the other one is asked, says yes, or no and then edits or calls a judge; both versions are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roundtap_core.records import SIDES, Result, Side, other
from roundtap_core.view import DECIDED
from roundtap_devices.input.gestures import LEAVE, TAP, Gesture
from roundtap_units.table.dialogue import result_text
from roundtap_units.table.dialogue.entry_scenes import figures
from roundtap_units.table.dialogue.report_start import edit_report
from roundtap_units.table.dialogue.table_state import TableState
from roundtap_units.table.screens.scenes import SIGNS, Column, Half, Row, Scene

SETTLE_MS = 1500
LEAVE_ASKED_MS = 10_000


class Ask:
    """ "BRUNO, you lost 24:100? ■ yes ▼ no": `side` is asked whether the other's report is right."""

    def __init__(self, table: TableState, side: Side, call_judge: Callable[[int], None]) -> None:
        self.table, self.side, self.call_judge = table, side, call_judge

    def press(self, gesture: Gesture, now_ms: int) -> None:
        table, teller = self.table, other(self.side)
        if gesture.kind != TAP:
            return
        if gesture.key == self.side:
            table.question = None
            table.seated.add(self.side)
            theirs = self._theirs()
            if theirs.picks and self.side not in theirs.picks:
                # A phone has left this side's squads to it: they are asked, and nothing else anew.
                edit_report(table, self.side, theirs)
            else:
                table.send(self.side, theirs, agrees=True)
        elif gesture.key == "down":
            table.question = Differ(table, self.side, self.call_judge)
        elif gesture.key == teller:
            # Whoever said it first may look at it again before it is agreed.
            table.question = None
            edit_report(table, teller, self._theirs())

    def scene(self, now_ms: int) -> Scene:
        """Everything that the result says: whoever agrees agrees to all of it."""
        table, theirs, side = self.table, self._theirs(), self.side
        title, hint = result_text.question(table, theirs, side), table.words("yes_no", sign=SIGNS[side])
        apart = [*result_text.told_apart(table, theirs, side), result_text.squads(table, theirs, side)]
        worth, remark = result_text.figures_told(table, theirs, side), result_text.remark(table, theirs)
        first = result_text.first(table, theirs)
        if not any(apart):
            info, *notes = [text for text in (worth, remark, first) if text] or [""]
            return figures(table, "ask", side, lambda each: _column(table, each, theirs), title=title, info=info,
                           hint=hint, note="  ".join(notes))
        # A flow of short texts, each kept together where a line breaks.
        told = [text.replace(" ", "\u00a0") for text in (
            *apart, result_text.wounds(table, theirs, side), remark, first) if text]
        return table.page("ask", side, title, "  ".join(told), hint=hint)

    def _theirs(self) -> Result:
        result = self.table.said(other(self.side))
        assert result is not None
        return result


class Differ:
    """After a no: enter your own version, or call a judge. The own button looks at the question again."""

    def __init__(self, table: TableState, side: Side, call_judge: Callable[[int], None]) -> None:
        self.table, self.side, self.call_judge = table, side, call_judge

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.kind != TAP:
            return
        self.table.question = None
        if gesture.key == "up":
            theirs = self.table.said(other(self.side))
            if theirs is not None and self.table.form is not None and self.table.form.parallel:
                edit_report(self.table, self.side, theirs)
            else:
                table, teller = self.table, other(self.side)
                table.question = WhoWon(table, self.side, lambda: table.said(teller))
        elif gesture.key == "down":
            self.call_judge(now_ms)

    def scene(self, now_ms: int) -> Scene:
        words = self.table.words
        return self.table.page("differ", self.side, words("differ.title"), words("differ.edit"),
                               words("differ.judge"), hint=words("back", sign=SIGNS[self.side]))


class WhoWon:
    """Editing begins with the winner's button, as every report does, whoever holds the unit. `like`: what is edited;
    None once it is gone."""

    def __init__(self, table: TableState, by: Side, like: Callable[[], Result | None]) -> None:
        self.table, self.by, self.like = table, by, like

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.kind != TAP:
            return
        self.table.question = None
        if gesture.key in SIDES:
            winner: Side = "a" if gesture.key == "a" else "b"
            # An official may have decided, or the other side taken it back, while the question stood here.
            if (like := self.like()) is not None:
                edit_report(self.table, self.by, like, winner)

    def scene(self, now_ms: int) -> Scene:
        table = self.table
        return table.page("who-won", self.by, table.words("who_won"), *(Row(table.signed(side)) for side in SIDES),
                          hint=table.words("entry.whose"))


class Dispute:
    """Two versions, and nobody here knows whose is newer: each own button takes up the other's."""

    def __init__(self, table: TableState, call_judge: Callable[[int], None]) -> None:
        self.table, self.call_judge = table, call_judge

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.kind == TAP and gesture.key in SIDES:
            self.table.question = Ask(self.table, "a" if gesture.key == "a" else "b", self.call_judge)

    def scene(self, now_ms: int) -> Scene:
        table = self.table
        versions = [Row(table.signed(side), result_text.score(table, said, "a"))
                    for side in SIDES if (said := table.said(side))]
        return table.page("dispute", None, table.words("dispute.title"), *versions, hint=table.words("dispute.hint"))


class Second:
    """A result stands, and since then both agreed to another one: both are shown, and a judge decides. Until then the
    own button takes it back."""

    def __init__(self, table: TableState) -> None:
        self.table = table

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.kind == TAP and gesture.key in SIDES:
            self.table.question = AfterAll(self.table, "a" if gesture.key == "a" else "b")

    def scene(self, now_ms: int) -> Scene:
        table, words = self.table, self.table.words
        first, second = table.stands, table.second
        lines = [words(key, result=result_text.score_and_why(table, result, "a"))
                 for key, result in (("second.first", first), ("second.now", second)) if result is not None]
        return table.page("second", None, words("second.title"), *lines, hint=words("second.hint"))


class AfterAll:
    """ "Back to this result? ■ yes ▼ no": who says yes says the first result again; the other one is asked as ever."""

    def __init__(self, table: TableState, side: Side) -> None:
        self.table, self.side = table, side

    def press(self, gesture: Gesture, now_ms: int) -> None:
        table = self.table
        if gesture.kind != TAP or gesture.key not in (self.side, "down"):
            return
        table.question, first = None, table.stands
        if gesture.key == self.side and first is not None:
            table.seated.add(self.side)
            table.send(self.side, first)

    def scene(self, now_ms: int) -> Scene:
        table, words = self.table, self.table.words
        first = table.stands
        rows = (Row(table.signed(each), result_text.figure_and_outcome(table, first, each) if first else "")
                for each in SIDES)
        return table.page("after-all", self.side, words("second.back"), *rows,
                          hint=words("yes_no", sign=SIGNS[self.side]))


def _column(table: TableState, side: Side, result: Result) -> Column:
    return Column(SIGNS[side], table.name(side), (result_text.figure(table, result, side),))


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
