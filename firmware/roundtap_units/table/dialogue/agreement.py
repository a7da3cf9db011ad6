"""Agreement: the other player is asked, and says yes, or no and then edits or calls a judge; both versions are kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roundtap_core.records import SIDES, Result, Side, other_side
from roundtap_core.view_types import DECIDED
from roundtap_devices.input.gestures import LEAVE, TAP, Gesture
from roundtap_units.table.dialogue import result_text
from roundtap_units.table.dialogue.report_start import edit_report
from roundtap_units.table.dialogue.table_state import OWN_KEYS, DialogueState, TableState
from roundtap_units.table.screens.scenes import SIGNS, FigureColumn, HalfScreen, NameRow, Scene, Sentence

SETTLE_MS = 1500
LEAVE_ASKED_MS = 10_000
RESULT_SHOWN_MS = 4000  # of these ten seconds: first what was saved, then that one may leave


@dataclass(eq=False)
class AskAgreement(DialogueState):
    """ "BRUNO, you lost 24:100? ■ yes ▼ no": `side` is asked whether the other's report is right."""

    side: Side
    call_judge: Callable[[int], None]

    def tap(self, key: str, now_ms: int) -> None:
        table, teller = self.table, other_side(self.side)
        if key == self.side:
            table.question = None
            table.seated.add(self.side)
            theirs = self._theirs()
            if theirs.picks and self.side not in theirs.picks:
                # A phone has left this side's squads open: they are asked for, and nothing else again.
                edit_report(table, self.side, theirs)
            else:
                table.send(self.side, theirs, agrees=True)
        elif key == "down":
            table.question = Disagreement(table, self.side, self.call_judge)
        elif key == teller:
            # The first reporter may look at the result again before the other agrees.
            table.question = None
            edit_report(table, teller, self._theirs())

    def scene(self, now_ms: int) -> Scene:
        return question_scene(self.table, "ask", self.side, self._theirs())

    def _theirs(self) -> Result:
        result = self.table.latest_result(other_side(self.side))
        assert result is not None
        return result


@dataclass(eq=False)
class Disagreement(DialogueState):
    """After a no: enter a version of one's own, or call a judge. The own button returns to the question."""

    side: Side
    call_judge: Callable[[int], None]

    def tap(self, key: str, now_ms: int) -> None:
        self.table.question = None
        if key == "up":
            reenter_report(self.table, self.side, lambda: self.table.latest_result(other_side(self.side)))
        elif key == "down":
            self.call_judge(now_ms)

    def scene(self, now_ms: int) -> Scene:
        words = self.table.words
        return self.table.page(
            "differ",
            self.side,
            words("differ.title"),
            words("differ.edit"),
            words("differ.judge"),
            hint=words("back", sign=SIGNS[self.side]),
        )


def question_scene(table: TableState, kind: str, side: Side, result: Result) -> Scene:
    """Everything in the result, and how it ended: a yes means all of it. `kind`: "ask", or "after-all" for one that
    stood before."""
    hint = table.words("yes_no", sign=SIGNS[side])
    apart = [*result_text.extra_figures(table, result, side), result_text.squads_text(table, result, side)]
    worth, ending = result_text.agreement_details(table, result, side), result_text.ending_text(table, result, side)
    first, second = result_text.first_player_text(table, result), result_text.second_text(table, result, side)
    again = result_text.reuse_question(table, result, side, any(apart))
    title = result_text.result_sentence(table, "ask", result, side) if kind == "ask" else again
    if not any(apart):
        info, *notes = [text for text in (worth, ending, first) if text] or [""]
        return table.figures(
            kind,
            side,
            lambda each: FigureColumn(SIGNS[each], table.name(each), (result_text.side_figure(table, result, each),)),
            title=title,
            info=info,
            hint=hint,
            note="  ".join(notes),
        )
    if second and ending == table.words("step.wounds"):
        second, ending = f"{second} {table.words('entry.decides')}", ""
    if ending == table.words("step.first_player"):
        first = ""  # the winner
    # A flow of short texts, each kept together where a line breaks.
    texts = [text.replace(" ", "\u00a0") for text in (*apart, second, ending, first) if text]
    return table.page(kind, side, title, "  ".join(texts), hint=hint)


def reenter_report(table: TableState, side: Side, like: Callable[[], Result | None]) -> None:
    """`side` enters `like` again, after being asked for the winner; where both enter their own, there is nothing to
    ask."""
    result = like()
    if result is not None and table.form is not None and table.form.parallel:
        edit_report(table, side, result)
    else:
        table.question = WhoWon(table, side, like)


@dataclass(eq=False)
class WhoWon(DialogueState):
    """Editing begins with the winner's button, as every report does, no matter who holds the unit. `like`: the result
    being edited; None once it is gone."""

    by: Side
    like: Callable[[], Result | None]

    def tap(self, key: str, now_ms: int) -> None:
        self.table.question = None
        # An official may have decided, or the other side withdrawn it, while the question was shown.
        if key in OWN_KEYS and (like := self.like()) is not None:
            edit_report(self.table, self.by, like, OWN_KEYS[key])

    def scene(self, now_ms: int) -> Scene:
        table = self.table
        return table.page(
            "who-won",
            self.by,
            table.words("who_won"),
            *(NameRow(table.signed_name(side)) for side in SIDES),
            hint=table.words("entry.whose"),
        )


@dataclass(eq=False)
class Dispute(DialogueState):
    """Two versions, and the unit does not know which is newer: each own button takes up the other's."""

    call_judge: Callable[[int], None]

    def tap(self, key: str, now_ms: int) -> None:
        if key in OWN_KEYS:
            self.table.question = AskAgreement(self.table, OWN_KEYS[key], self.call_judge)

    def scene(self, now_ms: int) -> Scene:
        table = self.table
        versions = [
            NameRow(table.signed_name(side), result_text.score_text(table, report, "a"))
            for side in SIDES
            if (report := table.latest_result(side))
        ]
        return table.page("dispute", None, table.words("dispute.title"), *versions, hint=table.words("dispute.hint"))


class SecondAgreement(DialogueState):
    """A result stands, and since then both agreed to another one: both are shown, and a judge decides. Until then the
    own button withdraws it."""

    def tap(self, key: str, now_ms: int) -> None:
        if key in OWN_KEYS:
            self.table.question = ConfirmRetraction(self.table, OWN_KEYS[key])

    def scene(self, now_ms: int) -> Scene:
        table, words = self.table, self.table.words
        first, second = table.standing_result, table.second_result
        lines = [
            words(
                key,
                result=" ".join(
                    filter(None, (result_text.score_text(table, result, "a"), result_text.result_remark(table, result)))
                ),
            )
            for key, result in (("second.first", first), ("second.now", second))
            if result is not None
        ]
        return table.page("second", None, words("second.title"), *lines, hint=words("second.hint"))


@dataclass(eq=False)
class ConfirmRetraction(DialogueState):
    """ "Back to this result? ■ yes ▼ no": a yes reports the first result again; the other player is asked as usual."""

    side: Side

    def tap(self, key: str, now_ms: int) -> None:
        table = self.table
        if key not in (self.side, "down"):
            return
        table.question, first = None, table.standing_result
        if key == self.side and first is not None:
            table.seated.add(self.side)
            table.send(self.side, first)

    def scene(self, now_ms: int) -> Scene:
        table, first = self.table, self.table.standing_result
        if first is None:
            return SecondAgreement(table).scene(now_ms)
        return question_scene(table, "after-all", self.side, first)


class Sending(DialogueState):
    """Both have reported the same; the hub has not answered yet. "sending" only once it is on this unit's disk."""

    def scene(self, now_ms: int) -> Scene:
        return self.table.halves("sending", self._half)

    def _half(self, side: Side) -> HalfScreen:
        table = self.table
        result = table.latest_result(side)
        assert result is not None
        on_disk = all(sent.report_id is not None for sent in table.current())
        asks = any(sent.reread and sent.fate is None for sent in table.current())
        sending = "sending.kept" if table.contact_mark else table.sending_text or "sending"
        if any(sent.pending for sent in table.current()):
            sending = "sending.pending"
        elif asks and sending != table.sending_text:
            sending = "sending.asking"
        text = table.words(sending) if on_disk else "…"
        return HalfScreen(text, result_text.score_text(table, result, side), table.signed_name(side))


class StandingResult(DialogueState):
    """A result stands. For ten seconds SAVED, with "leaving?" below it; until the round closes the own button reports
    another result: once both have agreed to that, a judge decides (`SecondAgreement`)."""

    def press(self, gesture: Gesture, now_ms: int) -> None:
        table, side = self.table, OWN_KEYS.get(gesture.key)
        if side is None:
            return
        if gesture.kind == LEAVE and self.just_saved(now_ms) and (self.event_goes_on or side in table.leaving):
            table.leaving ^= {side}
            table.leave_pressed.add(side)
        elif gesture.kind == TAP and table.match.state == DECIDED:
            table.show_notice(now_ms, lambda: ruling_scene(table, side))
        elif gesture.kind == TAP and self.just_saved(now_ms, SETTLE_MS):
            # One press too many while still agreeing: a correction of an unread result is never meant.
            table.ignored_press = side, now_ms
        elif gesture.kind == TAP and (table.match.result or table.latest_result(side)):
            reenter_report(table, side, lambda: table.match.result or table.latest_result(side))

    def just_saved(self, now_ms: int, within_ms: int = LEAVE_ASKED_MS) -> bool:
        at_ms = self.table.saved_at_ms
        return at_ms is not None and now_ms - at_ms < within_ms

    @property
    def event_goes_on(self) -> bool:
        return self.table.view is None or not self.table.view.last_round

    def scene(self, now_ms: int) -> Scene:
        if self.just_saved(now_ms):
            return self.table.halves("saved", lambda side: self._saved(side, now_ms))
        return self.table.halves("done", self._done)

    def _saved(self, side: Side, now_ms: int) -> HalfScreen:
        """The saved result; after some seconds, in its place, that one may leave."""
        table = self.table
        words, result = table.words, table.match.result or table.latest_result(side)
        saved = Sentence.of((words("saved", number=table.saved_number), words("saved.short")))
        unsaved, leaves = table.leave_unsaved(side), side in table.leaving
        # From the edge both read one row, which takes the whole width.
        readers = SIDES if table.facing == "edge" else (side,)
        leaving = any(table.leave_unsaved(each) or each in table.leaving for each in readers)
        if result is not None and not leaving and (not self.event_goes_on or self.just_saved(now_ms, RESULT_SHOWN_MS)):
            return HalfScreen(saved, small=result_text.score_between_names(table, result, side))
        key = "sending" if unsaved else "leave.asked" if leaves else "leave.ask" if self.event_goes_on else ""
        return HalfScreen(saved, small=words(key, sign=SIGNS[side]) if key else "")

    def _done(self, side: Side) -> HalfScreen:
        table = self.table
        result = table.match.result or table.latest_result(side)
        number = table.match.number or table.saved_number
        small = f"#{number}" if number is not None else "✓"
        if table.match.state == DECIDED:
            small = table.words("decided.short")
        elif side in table.leaving or table.leave_unsaved(side):
            small = table.words("sending" if table.leave_unsaved(side) else "leave.short")
        elif result is not None:
            small = f"{small} {result_text.result_remark(table, result)}".rstrip()
        return HalfScreen(table.signed_name(side), result_text.score_text(table, result, side) if result else "", small)


def ruling_scene(table: TableState, side: Side | None = None) -> Scene:
    """A judge's result: announced to both (`side` None), and shown again to the side that presses afterwards."""
    result = table.match.result
    rows = (
        NameRow(table.signed_name(each), result_text.figure_and_outcome(table, result, each) if result else "")
        for each in SIDES
    )
    title = table.words("decided.corrected" if table.match.corrected else "decided.title")
    return table.page("decided", side, title, *rows, hint=table.words("decided.line"))


def leave_refused_scene(table: TableState, sides: Sequence[Side]) -> Scene:
    """An official has refused these sides' requests to leave."""
    return table.page(
        "leave-refused",
        sides[0] if len(sides) == 1 else None,
        table.words("leave.refused.title"),
        *(NameRow(table.signed_name(side)) for side in sides),
        table.words("leave.refused.line"),
        hint=table.words("any_key"),
    )


def refused_scene(table: TableState, side: Side, reason: str) -> Scene:
    """ "NOT TAKEN: JUDGE", and its meaning."""
    key = reason if f"refused.{reason}" in table.words else "unknown"
    return table.page(
        "refused",
        side,
        table.words("refused.title", reason=table.words(f"refused.{key}")),
        table.words(f"refused.{key}.line"),
        hint=table.words("any_key"),
    )
