"""The dialogue of a table unit: views, gestures, fates in; scenes, effects out. No I/O, no threads, no own clock."""

import copy
import secrets
from collections.abc import Callable
from dataclasses import replace

from roundtap_core.records import SIDES, Side, other_side
from roundtap_core.rulebooks.own_words import words_of
from roundtap_core.view_types import AGREED, CLOSED, DECIDED, DISPUTE, MatchView, TableView
from roundtap_core.words import Words
from roundtap_devices.input.gestures import CALL, HOLD, TAP, Gesture
from roundtap_units.table.dialogue import agreement
from roundtap_units.table.dialogue.entry import ResultEntry
from roundtap_units.table.dialogue.games import ChooseStarter, ConfirmGame, apply_hub_lots, unsent_lot
from roundtap_units.table.dialogue.seating import ListReview, NoMatch, Playing, Seating, WhoAreYou, list_review_seconds
from roundtap_units.table.dialogue.table_state import (
    FORGET_SAVED_MS,
    DialogueState,
    Effect,
    Fate,
    ReportRefused,
    Saved,
    SendReport,
    SentReport,
    StatusChanged,
    TableState,
    format_span,
)
from roundtap_units.table.screens.scenes import FiguresScene, HalfScreen, HalvesScene, Scene, TextScene

__all__ = ["Dialogue", "Effect", "Fate", "ReportRefused", "Saved", "SendReport", "StatusChanged"]

UNFINISHED_AFTER_MS = 60_000
TOGETHER_MS = 400  # both own buttons within this time are one two-handed gesture, ignored while a question is open
UNREAD_MS = 800
"""For this long after the hub has changed the question on the screen, an own button still meant the one before."""
SWALLOWED_MS = 2000  # how long the screen shows that a press was too early
PEEK_MS = 8000


class JudgeCall(DialogueState):
    """Calling a judge: ▲+▼ from any screen, the draft is kept, again cancels. A call is a level, not an event. The
    table's own wish holds until the hub has echoed it."""

    def __init__(self, table: TableState) -> None:
        super().__init__(table)
        self.on = False
        self.since_ms = 0
        self.made_ms = 0
        self.taken_by: str | None = None
        self._echoed = True
        self._peek_until_ms = 0

    def toggle(self, now_ms: int) -> None:
        self.on = not self.on
        self.since_ms = now_ms
        if self.on:
            self.made_ms = now_ms
        self.taken_by = None
        self._echoed = False
        self._peek_until_ms = 0

    def want(self, now_ms: int) -> None:
        """Call, unless there is a call already."""
        if not self.on:
            self.toggle(now_ms)

    @property
    def cancelled(self) -> bool:
        """Whether it was taken back here, and the hub may not know."""
        return not (self.on or self._echoed)

    def on_view(self, view: TableView, now_ms: int) -> None:
        """The hub's state: a call may be closed (a judge came, perhaps before this table heard of it), or made
        elsewhere. An answer to an earlier call says nothing of this one."""
        call = view.call
        # After a restart, the hub alone knows which call was made here.
        self.made_ms = self.made_ms or view.call_ms
        if view.call_ms not in (0, self.made_ms):
            return
        if (call is not None) == self.on:
            self._echoed = True
        elif self._echoed or view.call_closed:
            self.on = call is not None
            self.since_ms = now_ms
        self.taken_by = call.taken_by if call is not None and self.on else None

    def shown(self, now_ms: int) -> bool:
        """Whether the call fills the screen; a press shows the screen behind it for a while."""
        return self.on and now_ms >= self._peek_until_ms

    def peek(self, now_ms: int) -> None:
        """Show the screen behind the call, for eight seconds after each press."""
        self._peek_until_ms = now_ms + PEEK_MS

    def scene(self, now_ms: int) -> Scene:
        words = self.table.words
        small = words("call.taken", name=self.taken_by) if self.taken_by else words("call.again")
        half = HalfScreen(words("call.title"), format_span(now_ms - self.since_ms), small)
        return self.table.halves("call", lambda side: half)


class Dialogue:
    """One table's dialogue. All times are the unit's monotonic milliseconds, given by the caller.

    words: from `unit_config.unit_words`. facing: the board's, "opposite" or "edge". badge: "", or a word on every
    screen.
    chance: draws one of the two sides, where a rulebook has the first player drawn by lot.

    The caller feeds `on_view`, `on_gesture`, `on_fate`, `on_contact`, `tick`; then takes `take_effects()`, makes each
    SendReport durable and confirms it with `on_stored`; and draws `scene()` when it changed.
    """

    def __init__(
        self,
        words: Words,
        facing: str = "opposite",
        badge: str = "",
        chance: Callable[[], Side] = lambda: secrets.choice(SIDES),
    ) -> None:
        self.table = TableState(words, chance, facing, badge)
        self._words = words
        self.call = JudgeCall(self.table)
        self._status = StatusChanged()
        self._last_own: tuple[Side | None, int] = (None, -TOGETHER_MS)
        self._turned_ms = -UNREAD_MS
        self._seen: tuple[bool, object] = (False, None)
        self.pressed_arrow = ""
        """The arrow that is being pressed, alone and not yet held: a figure shows at once what its release will make of
        it. Nothing is changed before; a second button or a hold takes it off the screen, and acts on what was there."""

    # --- in ---

    def on_view(self, view: TableView, now_ms: int) -> None:
        table, before, after = self.table, self.table.view, view.match
        stood = self._question(now_ms)
        match_before = before.match if before else None
        agreed_here = None
        if match_before and table.latest_result("a") == table.latest_result("b"):
            agreed_here = table.latest_result("a")
        if view.rules != (before.rules if before else None):
            table.words = self._words if view.book is None else words_of(view.book, self._words)
        table.view = view
        self.call.on_view(view, now_ms)
        if (
            match_before is None
            or after is None
            or match_before.same != after.same
            or after.other_players(match_before)
        ):
            self._on_new_match(after, now_ms, lost_draft=match_before is not None)
        elif match_before.revision != after.revision and (agreed_here is None or after.result != agreed_here):
            self._drop_draft(now_ms)
        if match_before and after and match_before.same == after.same:
            self._on_result_change(match_before, after, now_ms)
        if after is not None:
            apply_hub_lots(table)
        self._drop_leave_requests(before.leave_refused if before else (), view, now_ms)
        if view.leave_asked is not None:
            table.adopt_recorded_wishes(view.leave_asked)
        if isinstance(table.question, ListReview) and list_review_seconds(table) is None:
            table.question = None
        if isinstance(table.question, agreement.ConfirmRetraction) and table.second_result is None:
            table.question = None
        table.forget_delivered(now_ms)
        self._question_changed(stood, now_ms)
        self._update_status(now_ms)

    def on_gesture(self, gesture: Gesture, now_ms: int) -> None:
        """What `roundtap_devices.input.gestures` made of the buttons."""
        table = self.table
        table.last_press_ms = now_ms
        if gesture.kind == CALL:
            self.call.toggle(now_ms)
        elif table.notice is not None and not self.call.shown(now_ms):
            if gesture.kind in (TAP, HOLD):
                table.notice = None
        else:
            state, unread = self._state(now_ms), self._is_too_early(gesture, now_ms)
            if self.call.on:
                self.call.peek(now_ms)
            if unread:
                table.ignored_press = "a" if gesture.key == "a" else "b", now_ms
            else:
                table.ignored_press = None
                state.press(gesture, now_ms)
        if gesture.key in SIDES and gesture.kind in (TAP, HOLD):
            self._last_own = ("a" if gesture.key == "a" else "b", now_ms)
        self._update_status(now_ms)

    def _is_too_early(self, gesture: Gesture, now_ms: int) -> bool:
        """Whether an own button was pressed on a question that cannot have been read yet: both buttons at once, or a
        press meant for the screen before the hub's message, or before the other player's press was even shown."""
        question = self._question(now_ms)
        if gesture.key not in SIDES or gesture.kind not in (TAP, HOLD) or question is None:
            return False
        last, at_ms = self._last_own
        by_the_other = last is not None and last != gesture.key
        together = by_the_other and now_ms - at_ms < TOGETHER_MS
        never_shown = by_the_other and self._seen[0] and question != self._seen[1]
        return together or never_shown or now_ms - self._turned_ms < UNREAD_MS

    def _question(self, now_ms: int) -> object:
        """The question to one player now; None where there is none, or where both enter their own."""
        state = self._state(now_ms)
        if state is self.table.question or isinstance(state, ResultEntry):
            return state
        return (agreement.AskAgreement, state.side) if isinstance(state, agreement.AskAgreement) else None

    def _question_changed(self, stood: object, now_ms: int) -> None:
        """The hub's message may have changed the question on the screen."""
        if self._question(now_ms) not in (None, stood):
            self._turned_ms = now_ms

    def on_drawn(self, now_ms: int) -> None:
        """The present scene is on the screen: its question can be read from now on. Without this call every gesture
        counts as drawn."""
        self._seen = True, self._question(now_ms)

    def on_stored(self, report_id: str, effect: SendReport) -> None:
        """The report of `effect` is on this unit's disk, under this id: from now on the screen may show "sending"."""
        for sent in self.table.sent:
            if sent.effect is effect or (sent.effect == effect and sent.report_id is None):
                sent.report_id = report_id
                return

    def restore(self, report_id: str, effect: SendReport, fate: Fate | None = None, now_ms: int = 0) -> None:
        """A report found on the disk, with its fate as far as it was noted; in the order they were made. The hub's next
        view knows more."""
        self.table.sent.append(SentReport(effect, report_id, fate, -FORGET_SAVED_MS, reread=True))
        self._both_saved(now_ms)

    def on_fate(self, report_id: str, fate: Fate, now_ms: int) -> None:
        """The hub's answer to a report: `Saved(number)` or `ReportRefused(reason)`."""
        table, stood = self.table, self._question(now_ms)
        sent = next((sent for sent in table.sent if sent.report_id == report_id), None)
        if isinstance(fate, ReportRefused):
            side: Side = sent.effect.side if sent else "a"
            table.show_notice(now_ms, lambda: agreement.refused_scene(table, side, fate.reason), stays=True)
        if sent is not None:
            sent.fate, sent.fate_at_ms, sent.pending = fate, now_ms, False
            self._both_saved(now_ms)
        self._question_changed(stood, now_ms)
        self._update_status(now_ms)

    def on_pending(self, report_id: str) -> None:
        """A restored hub has the report and examines it: a fate will follow."""
        for sent in self.table.sent:
            sent.pending = sent.pending or sent.report_id == report_id

    def on_lost_round(self, lost: bool, now_ms: int) -> None:
        """Whether the hub was restored without the round in play, which goes on here: said for a while, then beside
        the clock."""
        table = self.table
        if lost and not table.lost_round and not table.closed:
            table.show_notice(
                now_ms,
                lambda: table.page(
                    "restored",
                    None,
                    table.words("restored.title"),
                    table.words("restored.line"),
                    hint=table.words("any_key"),
                ),
            )
        table.lost_round = lost

    def on_contact(self, age_ms: int | None) -> None:
        """How long ago the hub was last heard; None: never."""
        self.table.age_ms = age_ms

    def on_clock(self, clock_ms: int | None) -> None:
        """Milliseconds left in this table's round (its extension included); None: untimed."""
        self.table.clock_ms = clock_ms

    def on_mismatch(self, mismatch: bool = True) -> None:
        """Hub and unit have different cores: UPDATE, and no new report."""
        self.table.mismatch = mismatch

    def tick(self, now_ms: int) -> None:
        """Let time pass: notices end, an entry untouched for a minute counts as unfinished."""
        notice = self.table.notice
        if notice is not None and notice.until_ms is not None and now_ms >= notice.until_ms:
            self.table.notice = None
        self._update_status(now_ms)

    def checkpoint(self) -> Callable[[], None]:
        """Returns a function that gives the dialogue its present state again, for a step that fails. Values are shared,
        except for lists, sets and mappings; what a question holds for itself is not taken back."""
        copies = [
            (
                vars(one),
                {name: copy.copy(it) if isinstance(it, list | set | dict) else it for name, it in vars(one).items()},
            )
            for one in (self, self.table, self.call)
        ]

        def take_back() -> None:
            for now, before in copies:
                now.update(before)

        return take_back

    # --- out ---

    def take_effects(self) -> list[Effect]:
        effects, self.table.effects = self.table.effects, []
        return effects

    def scene(self, now_ms: int, clock_ms: int | None = None) -> Scene:
        """What the screen shows now. `clock_ms`, where given, is taken as by `on_clock`."""
        if clock_ms is not None:
            self.on_clock(clock_ms)
        notice = self.table.notice
        if notice is not None and not self.call.shown(now_ms) and not self.table.mismatch:
            return notice.scene()
        state = self._state(now_ms)
        if self.pressed_arrow:
            state = state.while_pressed(self.pressed_arrow)
        return self._with_ignored_hint(state.scene(now_ms), now_ms)

    def _with_ignored_hint(self, scene: Scene, now_ms: int) -> Scene:
        """The scene, marked for a moment because a press on it was ignored."""
        side, at_ms = self.table.ignored_press or (None, -SWALLOWED_MS)
        if now_ms - at_ms >= SWALLOWED_MS:
            return scene
        again = self.table.words("press.again")
        if isinstance(scene, TextScene | FiguresScene):
            return replace(scene, hint=again)
        if isinstance(scene, HalvesScene) and side == "a":
            return replace(scene, a=replace(scene.a, note=again))
        return replace(scene, b=replace(scene.b, note=again)) if isinstance(scene, HalvesScene) else scene

    def awaited_sides(self, now_ms: int) -> str:
        """Whose press is awaited: "", "a", "b" or "ab"; shown by the lamps before the players."""
        state = self._state(now_ms)
        if isinstance(state, Seating):
            return "".join(side for side in SIDES if side not in self.table.seated)
        if isinstance(state, ConfirmGame):
            return other_side(state.winner)
        if isinstance(state, ResultEntry | agreement.WhoWon):
            return state.by
        if isinstance(state, ChooseStarter):
            return state.chooses
        kinds = agreement.AskAgreement | agreement.Disagreement | agreement.ConfirmRetraction | WhoAreYou
        return state.side if isinstance(state, kinds) else ""

    # --- which moment it is ---

    def _state(self, now_ms: int) -> DialogueState:
        table = self.table
        if self.call.shown(now_ms):
            return self.call
        if table.mismatch or table.view is None or table.view.match is None or table.closed:
            return NoMatch(table)
        for waiting in (table.question, table.entry):
            if waiting is not None:
                return waiting
        return self._state_by_reports()

    def _state_by_reports(self) -> DialogueState:
        table = self.table
        if table.settled:
            return agreement.StandingResult(table)
        reported: dict[Side, bool] = {
            "a": table.latest_result("a") is not None,
            "b": table.latest_result("b") is not None,
        }
        if reported["a"] and reported["b"]:
            if table.second_result is not None:
                return agreement.SecondAgreement(table)
            if table.latest_result("a") == table.latest_result("b") and (
                table.current() or table.match.state != DISPUTE
            ):
                unanswered = any(sent.fate is None for sent in table.current())
                return agreement.Sending(table) if unanswered else agreement.StandingResult(table)
            if table.last_reporter is None or table.latest_result("a") == table.latest_result("b"):
                return agreement.Dispute(table, self.call.want)
            return agreement.AskAgreement(table, other_side(table.last_reporter), self.call.want)
        if reported["a"] or reported["b"]:
            return agreement.AskAgreement(table, "b" if reported["a"] else "a", self.call.want)
        assert table.view is not None
        if table.view.clock.state == "idle" and len(table.seated) < 2:
            return Seating(table)
        return Playing(table)

    # --- changes from the hub ---

    def _on_new_match(self, match: MatchView | None, now_ms: int, lost_draft: bool) -> None:
        table = self.table
        if lost_draft:
            unfinished = table.entry is not None or bool(table.games)
            table.seated, table.leaving, table.leave_pressed = set(), set(), set()
            table.entry = table.question = table.sheets = table.first_player = table.stood = None
            table.games.clear()
            table.drawn.clear()
            if table.notice is not None and table.notice.until_ms is not None:
                table.notice = None
            if unfinished:
                table.show_notice(
                    now_ms, lambda: table.page("dropped", None, table.words("drop.done"), table.words("drop.done.line"))
                )
        table.saved_number = match.number if match else None
        table.saved_at_ms = None

    def _drop_draft(self, now_ms: int) -> None:
        table = self.table
        if table.entry is not None or table.question is not None:
            table.entry = table.question = None
            table.show_notice(
                now_ms, lambda: table.page("changed", None, table.words("changed.title"), table.words("changed.line"))
            )

    def _on_result_change(self, before: MatchView, match: MatchView, now_ms: int) -> None:
        table = self.table
        changed = before.result != match.result
        decided_now = match.state == DECIDED and (changed or before.state != DECIDED)
        if decided_now or (match.state == CLOSED and match.corrected and changed):
            table.entry = table.question = None
            table.show_notice(now_ms, lambda: agreement.ruling_scene(table))
        elif match.state == AGREED and (before.state, before.number) != (match.state, match.number):
            if table.saved_at_ms is None or now_ms - table.saved_at_ms >= agreement.LEAVE_ASKED_MS:
                table.saved_at_ms = now_ms
            table.saved_number = match.number
        elif before.number is not None and match.number is None:
            table.saved_number = table.saved_at_ms = None

    def _drop_leave_requests(self, before: tuple[Side, ...], view: TableView, now_ms: int) -> None:
        """A refused request to leave is withdrawn, and its player is shown the refusal."""
        refused = [side for side in view.leave_refused if side not in before]
        self.table.leaving -= set(refused)
        self.table.leave_pressed -= set(refused)
        if refused and view.match is not None:
            self.table.show_notice(now_ms, lambda: agreement.leave_refused_scene(self.table, refused))

    def _both_saved(self, now_ms: int) -> None:
        """SAVED with the number of the report that agreed: the later of the two entries."""
        table = self.table
        if table.view is None or table.view.match is None or table.saved_at_ms is not None:
            return
        fates = [sent.fate for sent in table.current()]
        result = table.latest_result("a")
        agreed = result is not None and result == table.latest_result("b") and table.second_result is None
        if agreed and fates and all(isinstance(fate, Saved) for fate in fates):
            table.saved_number = max(fate.number for fate in fates if isinstance(fate, Saved))
            table.saved_at_ms = now_ms
            result = table.latest_result("a")
            assert result is not None
            table.stood = (table.match.same, table.match.revision, result)

    def _update_status(self, now_ms: int) -> None:
        table = self.table
        # Turns take their time: nothing has been forgotten meanwhile.
        counting = isinstance(table.entry, ResultEntry) and table.entry.turns is not None
        status = StatusChanged(
            seated=tuple(sorted(table.seated)),
            draft=table.entry is not None and not counting and now_ms - table.last_press_ms >= UNFINISHED_AFTER_MS,
            call=self.call.on,
            call_ms=self.call.made_ms,
            leave=tuple(sorted(table.leaving)),
            cancelled=(*sorted(table.leave_pressed - table.leaving), *(("call",) if self.call.cancelled else ())),
            lot=unsent_lot(table),
        )
        if status != self._status:
            self._status = status
            table.effects.append(status)
