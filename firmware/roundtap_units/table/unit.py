"""One table unit: buttons, dialogue, outbox, link and screen, joined by one loop that owns the time; and the time left
in its round, by the hub's clock from round trips, or by what was counted here. Its reports: numbered, signed, and on
the disk before they are shown as being sent."""

import contextlib
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from msgspec.structs import replace as replace_fields

from roundtap_core.records import SIDES, result_from_json, result_to_json
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_core.view_types import ClockView, MatchView, ReportRef, TableView
from roundtap_core.wire import REPORT, digest, sign
from roundtap_devices.controls import Controls
from roundtap_devices.display.screen import Screen
from roundtap_devices.display.signals import Signals
from roundtap_devices.input.gestures import CALL, Gesture
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_units.board_process import LONGEST_SLEEP_MS, BoardUnit
from roundtap_units.link.hub_choice import UnitMemory
from roundtap_units.link.hub_time import HubTime
from roundtap_units.link.outbox import PENDING, Outbox, StoredReport, StoredView, key_fingerprint
from roundtap_units.table.dialogue.dialogue import Dialogue, Effect, ReportRefused, Saved, SendReport, StatusChanged
from roundtap_units.table.faults import BLINK_MS, UnitFaults
from roundtap_units.table.screens.scenes import Scene
from roundtap_units.table.screens.screens import add_label, draw_scene

RUNNING, COUNTING = "running", "counting"
"""counting: the hub has restarted and asks its organizer how to continue; meanwhile a table counts on."""
COUNTS = (RUNNING, COUNTING)
_Match = tuple[str, str | None]
MadeReport = tuple[dict[str, Any], SendReport]
log = logging.getLogger(__name__)

STORE_RETRY_MS = 500
DISK_RETRY_MS = 5000  # how often a failing card is tried again, and a working one is checked
FAILURE_SHOWN_MS = 10_000  # how long after a fault the screen shows it
START_BEEP_MS = 600
CONTACTS = ("view", "fate", "mismatch", "epoch", "contact")  # messages from the hub itself, signed and fresh


@dataclass(frozen=True, slots=True)
class CountedRound:
    """What the last view said of the clock, and what was counted from it. `boots`: how often the hub's machine had
    rebooted when it came; `stored`: it came from this unit's own disk; `counted`: the match whose round ends then on
    this unit's own clock."""

    clock: ClockView = field(default_factory=ClockView)
    boots: int = 0
    match: _Match | None = None
    stored: bool = False
    counted: tuple[_Match | None, int] | None = None


class UnitRoundClock:
    """`left_ms` for the screen. `ends_here_ms`: when the round ends on this unit's own clock; None: unknown. Only round
    trips give the time, never the feed: before the first one there is nothing to show. deadline_here_ms: what was known
    before a restart of this unit, on a machine that has not rebooted since."""

    def __init__(self, hub: HubTime, deadline_here_ms: int | None = None) -> None:
        self._hub = hub
        self._before_ms = deadline_here_ms
        self.state = CountedRound(boots=hub.boots)

    @property
    def is_timed(self) -> bool:
        state = self.state
        return state.clock.state in COUNTS or (state.stored and state.clock.remaining_ms is not None)

    @property
    def ends_here_ms(self) -> int | None:
        state = self.state
        if state.clock.state in COUNTS and state.counted is not None and state.counted[0] == state.match:
            return state.counted[1]
        return None

    def on_view(self, view: TableView, stored: bool) -> None:
        """A view came; `stored`: from this unit's own disk."""
        match, counted = view.match.same if view.match is not None else None, self.state.counted
        if stored and self._before_ms is not None and view.clock.state in COUNTS:
            counted = match, self._before_ms
        self.state = CountedRound(view.clock, self._hub.boots, match, stored, counted)

    def left_ms(self, now_ms: int) -> int | None:
        """Milliseconds left; None: untimed, or unknown."""
        state, clock = self.state, self.state.clock
        # After a reboot of the hub's machine its deadline is meaningless: until its new view, the counting here
        # continues.
        ours = state.boots == self._hub.boots
        if clock.state == RUNNING and clock.deadline_ms is not None and not state.stored and ours:
            hub_ms = self._hub.hub_ms(now_ms)
            if hub_ms is None:
                return None
            self.state = replace(state, counted=(state.match, clock.deadline_ms - hub_ms + now_ms))
            return clock.deadline_ms - hub_ms
        if clock.state in COUNTS and (ends_ms := self.ends_here_ms) is not None:
            return ends_ms - now_ms
        # The stored state of a held clock may be of yesterday.
        return None if state.stored or clock.state == RUNNING else clock.remaining_ms


class ReportMaker:
    """A table's reports: numbered, signed, and on the disk before they are shown as being sent. unit, key: this unit's
    name at the hub, and their shared key. `sent`: called when a report is on the disk."""

    def __init__(
        self,
        unit: str,
        key: bytes,
        dialogue: Dialogue,
        outbox: Outbox,
        sent: Callable[[], None],
        new_id: Callable[[], str],
    ) -> None:
        self._unit = unit
        self._key = key
        self._dialogue = dialogue
        self._outbox = outbox
        self._sent = sent
        self._new_id = new_id
        self._unstored: list[MadeReport] = []
        self.made: list[MadeReport] = []
        """Reports that the dialogue may still agree to, those from before a restart included."""
        self._store_at_ms = 0

    def use_key(self, unit: str, key: bytes) -> None:
        self._unit, self._key = unit, key
        self._outbox.use_key(key_fingerprint(key))

    def make(self, effect: SendReport, view: TableView | None, now_ms: int) -> None:
        """On the disk first; only then may the screen show that it is being sent."""
        assert view is not None
        assert view.event is not None
        report = {
            "report_id": f"{self._unit}-{self._new_id()}",
            "unit": self._unit,
            "event": view.event.id,
            "match": effect.match,
            "side": effect.side,
            "revision": effect.revision,
            "result": result_to_json(effect.result),
            "serial": self._serial(effect, view.event.id, view.match),
            "agrees_to": self._agreed_report(effect),
        }
        if effect.draw is not None:
            report["draw"] = effect.draw
        if effect.time_up is not None:
            report["time_up"] = effect.time_up
        if view.round is not None:
            report["round"] = view.round.number
        match = view.match
        if match is not None and match.same == (effect.match, effect.draw):
            report.update({side: who for side in SIDES if (who := match.of(side).id)})
        self.made = [made for made in self.made if any(sent.effect is made[1] for sent in self._dialogue.table.sent)]
        self.made.append((report, effect))
        self._unstored.append((report, effect))
        self.store(now_ms)

    def store(self, now_ms: int) -> None:
        """Retry reports that the disk refused, under the same id and in order."""
        while self._unstored and now_ms >= self._store_at_ms:
            report, effect = self._unstored[0]
            try:
                stored = self._outbox.put(report, sign(self._key, REPORT, report))
            except OSError as error:
                log.info("a report could not be stored: %s", error)
                self._store_at_ms = now_ms + STORE_RETRY_MS
                return
            self._unstored.pop(0)
            self._dialogue.on_stored(stored.id, effect)
            self._sent()

    def _serial(self, effect: SendReport, event: str, match: MatchView | None) -> int:
        """One more than every report of this side in this match and draw that is stored here or known to the hub."""
        key = (event, effect.match, effect.draw, effect.side)
        reports = [*(stored.report for stored in self._outbox.all()), *(report for report, _ in self._unstored)]
        serials = [
            report.get("serial", 0)
            for report in reports
            if (report["event"], report["match"], report.get("draw"), report["side"]) == key
        ]
        if match is not None and match.same == (effect.match, effect.draw):
            serials.append(match.heard.of(effect.side))
        return max(serials, default=0) + 1

    def _agreed_report(self, effect: SendReport) -> dict[str, str] | None:
        """The report that this one agrees to, in the form of the message."""
        to = effect.agrees_to
        if isinstance(to, ReportRef):
            return {"report_id": to.report_id, "hash": to.hash}
        made = next((report for report, earlier in self.made if earlier is to), None)
        return None if made is None else {"report_id": made["report_id"], "hash": digest(made)}


class LinkProtocol(Protocol):
    """What the unit needs of its link to the hub; `link.HubLink` is the real one."""

    time: HubTime

    def send_reports(self) -> None: ...

    def send_status(self, status: Mapping[str, Any]) -> None: ...

    def keep_status(self, status: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class TableHardware:
    """What a table's unit is pressed and read by. `controls`: the board's, whose pins may be missing for a while.
    `heard`: called with the text of each new screen; `pressed`: with each key that goes down."""

    screen: Screen
    signals: Signals
    controls: Controls | None = None
    heard: Callable[[str], None] = lambda _: None
    pressed: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class TableDisk:
    """What a table's unit keeps: its reports, the last view, which is shown until the hub is heard, and what it knows
    of itself."""

    outbox: Outbox
    stored: StoredView = field(default_factory=lambda: StoredView(None))
    memory: UnitMemory = field(default_factory=lambda: UnitMemory(None))


@dataclass(frozen=True, slots=True)
class UnitState:
    """What a step may change of the unit itself: the hub's view, what was said of its match, whether its clock ran."""

    view: TableView | None = None
    status: StatusChanged = field(default_factory=StatusChanged)
    clock_ran: bool = False


class TableUnit(BoardUnit):
    """unit, key: this unit's name at the hub, and their shared key. heard_ms: when the hub enrolled it, just before. No
    message from the hub ends it: a view that cannot be shown is ignored, a step that fails is undone, and the screen
    shows FAULT for a while."""

    def __init__(
        self,
        unit: str,
        key: bytes,
        dialogue: Dialogue,
        link: LinkProtocol,
        front: TableHardware,
        disk: TableDisk,
        *,
        new_id: Callable[[], str] = lambda: secrets.token_hex(8),
        now_ms: int = 0,
        heard_ms: int | None = None,
    ) -> None:
        super().__init__(front.screen, EdgeReorder(front.controls.held if front.controls else None), front.heard)
        self._unit = unit
        self.dialogue = dialogue
        self._link = link
        self._front = front
        self._outbox, self._stored, self._memory = disk.outbox, disk.stored, disk.memory
        self._state = UnitState()
        self._said, self._said_ms, self._due = False, 0, False
        self._contact_ms = heard_ms
        self._drawn: tuple[Scene | None, Any] = (None, None)
        self._reports = ReportMaker(unit, key, dialogue, disk.outbox, lambda: self._link.send_reports(), new_id)
        self._epoch: str | None = None
        self._time = UnitRoundClock(link.time, self._stored.deadline_here_ms)
        self._view_to_save: Mapping[str, Any] | None = None
        self._mend_at_ms = 0
        self._failed_ms: int | None = None
        self.feed_ended = False  # whether it ever was, or failed to get, out of touch with its hub
        self.practice: list[object] | None = None  # the practice hub that an organizer sends it to, as `HubLink` says
        self.troubles = UnitFaults(dialogue)
        self.troubles.damaged = max(0, self._outbox.damaged - self._memory.damaged_read)
        self._update_pending()
        self._show_stored(now_ms)
        dialogue.table.kept_blindly = len(self._outbox.waiting()) if self._stored.damaged else None

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        self._now_ms = now_ms
        undo = self._checkpoint()
        edges = self._edges(items)
        self._check_disk(now_ms)
        self._update_clock(now_ms)
        for key in (edge.key for edge in edges if edge.down):
            self._front.pressed(key)
        for gesture, at_ms in self._gestures(now_ms, edges):
            self._guarded(self._press, gesture, at_ms)
        self.dialogue.pressed_arrow = self._hands.pressed_arrow()
        self._guarded(self.dialogue.tick, now_ms)
        if self.dialogue.pressed_arrow and not self._is_drawable(now_ms):
            # Nothing has changed by an arrow that is still pressed: no reason to take the step back.
            self.dialogue.pressed_arrow = ""
        if not self._is_drawable(now_ms):
            undo()
            self._view_to_save = None
        # Before the screen: what it shows is known again after a power cut.
        self._save_view(now_ms)
        self._front.signals.tick(now_ms)
        self._reports.store(now_ms)
        for effect in self.dialogue.take_effects():
            self._guarded(self._run_effect, effect)
        if self._due:
            self._send_status()
        if self._said and now_ms - self._said_ms >= LONGEST_SLEEP_MS:
            # A restarted hub wants the clock's present value, not that of the last press.
            self._said_ms = now_ms
            self._link.keep_status(self._status_now())
        if self._guarded(self._draw, now_ms):
            self._healthy_ms = now_ms
        else:
            self._show_failure(now_ms)

    def _wake_times(self, now_ms: int) -> list[int]:
        due = []
        clock_ms = self.dialogue.table.clock_ms
        if clock_ms is not None and self._state.view is not None and self._state.view.clock.state in COUNTS:
            # Just after the shown second changes.
            due.append(now_ms + (clock_ms - (now_ms - self._now_ms)) % 1000 + 1)
        if self.troubles.card or self._screen.blind or self.troubles.is_identifying(now_ms):
            due.append(now_ms + BLINK_MS)
        return due

    # --- from the hub ----------------------------------------------------------------------------------------------

    def _on_link_message(self, kind: str, value: Any) -> None:
        now_ms = self._now_ms
        if kind in CONTACTS:
            self._contact_ms = now_ms
        if kind == "view":
            self._on_view(value, now_ms)
        elif kind == "fate":
            self._on_fate(value, now_ms)
        elif kind == "epoch":
            self._epoch = value
        elif kind == "mismatch":
            self.dialogue.on_mismatch(bool(value))
        elif kind == "twin":
            self.troubles.duplicate = bool(value)
        elif kind == "refusal":
            self.troubles.set_refusal(value)
        elif kind == "identify":
            self.troubles.identify(self._unit, now_ms)
        elif kind == "practice" and not self._keeps_screen_on(now_ms) and not self._outbox.waiting():
            self.practice = value
        elif kind == "ended":
            self.feed_ended = True
        elif kind == "key":
            self._unit = value[0]
            self._reports.use_key(*value)

    def _on_view(self, raw: Mapping[str, Any], now_ms: int, stored: bool = False) -> None:
        before, held = self._match_id(), self._state.view
        try:
            view = parse_message(TableView, raw)
        except MalformedMessage:
            # From a hub of another version, or a hostile one: the last view is better than none.
            self._faults.log_exception("a view that no table can show is passed over")
            return
        if goes_on := held is not None and held.match is not None and view.lost_round and not held.lost_round:
            view = replace_fields(
                held,
                call=view.call,
                call_closed=view.call_closed,
                call_ms=view.call_ms,
                leave_refused=view.leave_refused,
                finished=view.finished,
            )
        else:
            self._time.on_view(view, stored)
        self._state = replace(self._state, view=view)
        self.dialogue.on_view(view, now_ms)
        self.dialogue.on_lost_round(goes_on, now_ms)
        self._restore(stored, now_ms)
        running = view.clock.state in COUNTS
        if running and not self._state.clock_ran and held is not None:
            # The start signal: play must not begin before it.
            self._front.signals.beep(now_ms, START_BEEP_MS)
        self._state = replace(self._state, clock_ran=running)
        if stored:
            return
        if not goes_on:
            self._view_to_save = raw
        self._drop_events(view.finished)
        if self._match_id() != before or not self._said:
            # Even without a match: a unit that never sends a status would soon look lost on the console. Not before it
            # says what the view has changed: one without its call would end that.
            self._due = True

    def _show_stored(self, now_ms: int) -> None:
        """The view from before the restart, until the hub is heard; one that cannot be shown is dropped."""
        if self._stored.view is not None:
            raw = self._stored.view
            undo = self._checkpoint()
            if not self._guarded(self._on_view, raw, now_ms, True) or not self._is_drawable(now_ms):
                undo()
            if self._state.view is None:
                self._stored.discard()

    def _save_view(self, now_ms: int) -> None:
        if self._view_to_save is not None:
            self._stored.update(self._view_to_save)
            self._view_to_save = None
        self._stored.tick(now_ms, self._time.ends_here_ms)

    def _drop_events(self, finished: Iterable[str]) -> None:
        try:
            for event in finished:
                self._outbox.drop_event(event, self._epoch)
        except OSError as error:
            log.error("the outbox could not be tidied up: %s", error)

    def _restore(self, stored: bool, now_ms: int) -> None:
        """Reports on the disk, of the event now shown, go back to the dialogue: those without an answer, and accepted
        ones that a view from before the restart does not know yet."""
        event = self._state.view.event.id if self._state.view and self._state.view.event else None
        sent_ids = {sent.report_id for sent in self.dialogue.table.sent}
        for stored_report in self._outbox.all():
            report, saved = stored_report.report, stored_report.fate == "accepted" and stored_report.number is not None
            if (
                report["event"] == event
                and stored_report.id not in sent_ids
                and (not stored_report.settled or (stored and saved and self._is_newer(report)))
            ):
                effect = SendReport(
                    report["match"],
                    report["side"],
                    report["revision"],
                    result_from_json(report["result"]),
                    report.get("draw"),
                )
                self._reports.made.append((dict(report), effect))
                self.dialogue.restore(
                    stored_report.id, effect, Saved(stored_report.number or 0) if saved else None, now_ms
                )
                if stored_report.fate == PENDING:
                    self.dialogue.on_pending(stored_report.id)

    def _is_newer(self, report: Mapping[str, Any]) -> bool:
        """Whether the hub accepted this report after it made the view."""
        match = self._state.view.match if self._state.view else None
        return (
            match is not None
            and match.same == (report["match"], report.get("draw"))
            and (report.get("serial", 0) > match.heard.of(report["side"]))
        )

    def _on_fate(self, stored: StoredReport, now_ms: int) -> None:
        self._update_pending()
        if stored.fate == "accepted" and stored.number is not None:
            self.dialogue.on_fate(stored.id, Saved(stored.number), now_ms)
        elif stored.fate == "refused":
            self.dialogue.on_fate(stored.id, ReportRefused(stored.reason or "judge"), now_ms)
        elif stored.fate == PENDING:
            self.dialogue.on_pending(stored.id)

    def _update_pending(self) -> None:
        self.troubles.set_pending(any(stored.fate == PENDING for stored in self._outbox.all()))

    # --- to the hub ------------------------------------------------------------------------------------------------

    def _run_effect(self, effect: Effect) -> None:
        if isinstance(effect, SendReport):
            self._reports.make(effect, self._state.view, self._now_ms)
        else:
            self._state = replace(self._state, status=effect)
            self._send_status()

    def _send_status(self) -> None:
        self._said, self._said_ms, self._due = True, self._now_ms, False
        self._link.send_status(self._status_now())

    def _status_now(self) -> dict[str, Any]:
        status, view = self._state.status, self._state.view
        payload: dict[str, Any] = {
            "match": self._match_id(),
            "seated": list(status.seated),
            "draft": status.draft,
            "call": status.call,
            "call_ms": status.call_ms,
            "leave": "".join(status.leave) or None,
            "cancelled": list(status.cancelled),
            "clock_ms": self.dialogue.table.clock_ms,
            "lot": None,
        }
        if status.lot is not None and view is not None and view.event is not None and view.match is not None:
            about, side = status.lot
            payload["lot"] = {
                "event": view.event.id,
                "match": view.match.id,
                "draw": view.match.draw,
                "about": about,
                "side": side,
            }
        return payload

    def _match_id(self) -> str | None:
        return self._state.view.match.id if self._state.view and self._state.view.match else None

    # --- time and screen -------------------------------------------------------------------------------------------

    def _update_clock(self, now_ms: int) -> None:
        table = self.dialogue.table
        self.dialogue.on_contact(None if self._contact_ms is None else now_ms - self._contact_ms)
        clock_ms = self._time.left_ms(now_ms)
        table.clock_unknown = clock_ms is None and self._time.is_timed
        self.dialogue.on_clock(clock_ms)
        table.sending_text = self.troubles.sending

    def _press(self, gesture: Gesture, at_ms: int) -> None:
        if gesture.kind != CALL and self.troubles.press(gesture, at_ms):
            if not self.troubles.damaged:
                self._memory.note_damaged_read(self._outbox.damaged)
            return
        self.dialogue.on_gesture(gesture, at_ms)

    def _check_disk(self, now_ms: int) -> None:
        """A failing card is shown and tried again; a read-only one is detected before it is needed."""
        if now_ms >= self._mend_at_ms:
            self._mend_at_ms = now_ms + DISK_RETRY_MS
            if self._outbox.failing:
                self._outbox.retry_disk()
            else:
                self._outbox.check_disk()
        self.troubles.card = self._outbox.fault
        self._front.signals.lamp(self.troubles.lamp(now_ms, self._screen.blind))

    def _scene_now(self, now_ms: int) -> Scene:
        scene = self.troubles.scene(now_ms) or self.dialogue.scene(now_ms)
        if self._failed_ms is not None and now_ms - self._failed_ms < FAILURE_SHOWN_MS:
            return replace(scene, badge=self.dialogue.table.words("badge.fault"), mark="")
        if self._front.controls is not None and self._front.controls.input_fault:
            return replace(scene, badge=self.dialogue.table.words("badge.deaf"), mark="")
        return scene

    def _draw(self, now_ms: int) -> None:
        self._show(self._scene_now(now_ms), self._picture, self._keeps_screen_on(now_ms), now_ms)
        self.dialogue.on_drawn(now_ms)
        self._front.signals.player_lamps(self.dialogue.awaited_sides(now_ms))

    def _keeps_screen_on(self, now_ms: int) -> bool:
        """Whether there is something to read now: a round, a called judge, or trouble."""
        view = self._state.view
        on = view is not None and view.match is not None and not self.dialogue.table.closed
        return on or self.dialogue.call.on or self.troubles.scene(now_ms) is not None

    def _picture(self, scene: Scene) -> Any:
        if scene != self._drawn[0]:
            self._drawn = scene, draw_scene(scene)
        return self._drawn[1]

    def _show_failure(self, now_ms: int) -> None:
        """The last picture that could be drawn, marked as faulty."""
        with contextlib.suppress(Exception):
            if self._image is not None:
                self.scene = None
                self._screen.show(add_label(self._image, self.dialogue.table.words("badge.fault")), now_ms)

    # --- what must not end it --------------------------------------------------------------------------------------

    def _guarded(self, action: Callable[..., None], *args: Any) -> bool:
        well = super()._guarded(action, *args)
        if not well:
            self._failed_ms = self._now_ms
        return well

    def _checkpoint(self) -> Callable[[], None]:
        """What takes back all that a step may change until its screen is drawn."""
        state, counted, undo = self._state, self._time.state, self.dialogue.checkpoint()

        def take_back() -> None:
            self._state, self._time.state = state, counted
            undo()

        return take_back

    def _is_drawable(self, now_ms: int) -> bool:
        """Whether the table's own screen can be drawn, before anything irreversible is done."""
        try:
            self._picture(self._scene_now(now_ms))
        except Exception:
            self._failed_ms = now_ms
            self._faults.log_exception("a screen that cannot be drawn is taken back")
            return False
        return True
