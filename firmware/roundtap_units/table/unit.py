"""One table unit: buttons, dialogue, outbox, link and screen, joined by one loop that owns the time."""

from __future__ import annotations

import contextlib
import logging
import queue
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from roundtap_core.errors import Problem
from roundtap_core.result_json import result_from_json, result_to_json
from roundtap_core.wire import REPORT, digest, sign
from roundtap_devices.display.screen import Screen
from roundtap_devices.display.signals import Signals
from roundtap_devices.input.edges import Edge
from roundtap_devices.input.gestures import Gestures
from roundtap_units.link.hub_time import HubTime
from roundtap_units.link.outbox import Kept, Outbox
from roundtap_units.table.dialogue.dialogue import Dialogue, Effect, Refused, Saved, SendReport, StatusChanged
from roundtap_units.table.screens.scenes import Scene
from roundtap_units.table.screens.screens import draw
from roundtap_units.table.view import MatchView, SaidView, TableView, view_from_json

log = logging.getLogger(__name__)

LONGEST_SLEEP_MS = 1000
START_BEEP_MS = 600
PENDING = "pending"
"""The fate of a report that a restored hub keeps and looks into."""


class Link(Protocol):
    """What the unit needs of its link to the hub; `link.HubLink` is the real one."""

    time: HubTime

    def send_reports(self) -> None: ...

    def send_status(self, status: Mapping[str, Any]) -> None: ...


class TableUnit:
    """A unit without a loop of its own: call `step(now_ms, items)` with what came in, and it does what follows.

    unit, key: who this is to the hub, and the key both hold. heard: called with the text of each new screen, for a
    virtual panel and for tests. Times are the unit's monotonic milliseconds.
    """

    def __init__(self, unit: str, key: bytes, dialogue: Dialogue, outbox: Outbox, link: Link, screen: Screen,
                 signals: Signals, heard: Callable[[str], None] = lambda _: None,
                 new_id: Callable[[], str] = lambda: secrets.token_hex(8)) -> None:
        self.dialogue = dialogue
        self._unit = unit
        self._key = key
        self._outbox = outbox
        self._link = link
        self._screen = screen
        self._signals = signals
        self._heard = heard
        self._new_id = new_id
        self._hands = Gestures()
        self._view: TableView | None = None
        self._status = StatusChanged()
        self._contact_ms: int | None = None
        self._scene: Scene | None = None
        self._clock_ran = False
        self._unstored: list[tuple[dict[str, Any], SendReport]] = []
        self._made: list[tuple[dict[str, Any], SendReport]] = []
        """Reports that the dialogue may still agree to."""

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        """Take what came in (`Edge`s of the buttons, (kind, value) pairs of the link), act, and draw."""
        for item in items:
            if isinstance(item, Edge):
                self._hands.edge(item)
            elif isinstance(item, tuple):
                self._from_hub(item[0], item[1], now_ms)
        self._tell_time(now_ms)
        for gesture in self._hands.tick(now_ms):
            self.dialogue.on_gesture(gesture, now_ms)
        self.dialogue.tick(now_ms)
        self._signals.tick(now_ms)
        self._store()
        for effect in self.dialogue.take_effects():
            self._do(effect)
        self._draw(now_ms)

    def due_ms(self, now_ms: int) -> int:
        """When `step` must be called next even if nothing comes in."""
        due = [now_ms + LONGEST_SLEEP_MS]
        if (hands_due := self._hands.due_ms()) is not None:
            due.append(hands_due)
        clock_ms = self._clock_ms(now_ms)
        if clock_ms is not None and self._view is not None and self._view.clock.state == "running":
            # Just after the shown second turns.
            due.append(now_ms + clock_ms % 1000 + 1)
        return max(now_ms, min(due))

    # --- from the hub ----------------------------------------------------------------------------------------------

    def _from_hub(self, kind: str, value: Any, now_ms: int) -> None:
        self._contact_ms = now_ms
        if kind == "view":
            self._take_view(value, now_ms)
        elif kind == "fate":
            self._take_fate(value, now_ms)
        elif kind == "mismatch":
            self.dialogue.on_mismatch(bool(value))

    def _take_view(self, raw: Mapping[str, Any], now_ms: int) -> None:
        first = self._view is None
        before = self._match_id()
        try:
            self._view = view_from_json(raw)
        except (KeyError, TypeError, Problem):
            # A hub of another version: better the last view than none, and the link says UPDATE.
            log.exception("a view that this unit cannot read is passed over")
            return
        if first:
            self._restore()
        self.dialogue.on_view(self._view, now_ms)
        self._forget(raw.get("finished", ()))
        if self._match_id() != before:
            self._send_status()
        running = self._view.clock.state == "running"
        if running and not self._clock_ran and not first:
            # The start call: nobody plays before it.
            self._signals.beep(now_ms, START_BEEP_MS)
        self._clock_ran = running

    def _forget(self, finished: Iterable[object]) -> None:
        try:
            for event in finished:
                self._outbox.forget_event(str(event))
        except OSError as error:
            log.error("the outbox could not be tidied up: %s", error)

    def _restore(self) -> None:
        """After a restart: what was pressed before it and has no answer yet belongs to the dialogue again."""
        assert self._view is not None
        event = self._view.event.id if self._view.event else None
        for kept in self._outbox.all():
            report = kept.report
            if report["event"] == event and kept.fate in (None, PENDING):
                effect = SendReport(report["match"], report["side"], report["revision"],
                                    result_from_json(report["result"]), report.get("draw"))
                self._made.append((dict(report), effect))
                self.dialogue.restore(kept.id, effect)
                if kept.fate == PENDING:
                    self.dialogue.on_pending(kept.id)

    def _take_fate(self, kept: Kept, now_ms: int) -> None:
        if kept.fate == "accepted" and kept.number is not None:
            self.dialogue.on_fate(kept.id, Saved(kept.number), now_ms)
        elif kept.fate == "refused":
            self.dialogue.on_fate(kept.id, Refused(kept.reason or "judge"), now_ms)
        elif kept.fate == PENDING:
            self.dialogue.on_pending(kept.id)

    # --- to the hub ------------------------------------------------------------------------------------------------

    def _do(self, effect: Effect) -> None:
        if isinstance(effect, SendReport):
            self._report(effect)
        else:
            self._status = effect
            self._send_status()

    def _report(self, effect: SendReport) -> None:
        """On the disk first; only then may the screen say that it is being sent."""
        assert self._view is not None
        assert self._view.event is not None
        report = {
            "report_id": f"{self._unit}-{self._new_id()}", "unit": self._unit, "event": self._view.event.id,
            "match": effect.match, "side": effect.side, "revision": effect.revision,
            "result": result_to_json(effect.result), "serial": self._serial(effect, self._view.event.id),
            "agrees_to": self._agreed(effect),
        }
        if effect.draw is not None:
            report["draw"] = effect.draw
        if self._view.round is not None:
            report["round"] = self._view.round.number
        match = self._view.match
        if match is not None and match.same == (effect.match, effect.draw):
            report.update({side: who for side, who in match.ids.items() if who})
        self._made = [made for made in self._made if self._still_told(made[1])] + [(report, effect)]
        self._unstored.append((report, effect))
        self._store()

    def _still_told(self, effect: SendReport) -> bool:
        return any(sent.effect is effect for sent in self.dialogue.table.sent)

    def _serial(self, effect: SendReport, event: str) -> int:
        """One more than every report of this side in this match and draw that is kept here or that the hub names."""
        said = (event, effect.match, effect.draw, effect.side)
        kept = [*(kept.report for kept in self._outbox.all()), *(report for report, _ in self._unstored)]
        serials = [report.get("serial", 0) for report in kept
                   if (report["event"], report["match"], report.get("draw"), report["side"]) == said]
        match: MatchView | None = self._view.match if self._view else None
        if match is not None and match.same == (effect.match, effect.draw):
            serials.append(match.heard.get(effect.side, 0))
        return max(serials, default=0) + 1

    def _agreed(self, effect: SendReport) -> dict[str, str] | None:
        """The report that this one says yes to, as the wire names it."""
        to = effect.agrees_to
        if isinstance(to, SaidView):
            return {"report_id": to.report_id, "hash": to.hash}
        made = next((report for report, known in self._made if known is to), None)
        return None if made is None else {"report_id": made["report_id"], "hash": digest(made)}

    def _store(self) -> None:
        """Reports that the disk has refused are tried again at each step, under the same id and in order."""
        while self._unstored:
            report, effect = self._unstored[0]
            try:
                kept = self._outbox.put(report, sign(self._key, REPORT, report))
            except OSError as error:
                log.error("a report could not be stored: %s", error)
                return
            self._unstored.pop(0)
            self.dialogue.on_stored(kept.id, effect)
            self._link.send_reports()

    def _send_status(self) -> None:
        status, view = self._status, self._view
        said: dict[str, Any] = {
            "match": self._match_id(), "seated": list(status.seated), "draft": status.draft, "call": status.call,
            "leave": "".join(status.leave) or None, "clock_ms": self.dialogue.table.clock_ms,
            "lot": None,
        }
        if status.lot is not None and view is not None and view.event is not None and view.match is not None:
            about, side = status.lot
            said["lot"] = {"event": view.event.id, "match": view.match.id, "draw": view.match.draw, "about": about,
                           "side": side}
        self._link.send_status(said)

    def _match_id(self) -> str | None:
        return self._view.match.id if self._view and self._view.match else None

    # --- time and screen -------------------------------------------------------------------------------------------

    def _tell_time(self, now_ms: int) -> None:
        self.dialogue.on_contact(None if self._contact_ms is None else now_ms - self._contact_ms)
        self.dialogue.on_clock(self._clock_ms(now_ms))

    def _clock_ms(self, now_ms: int) -> int | None:
        """Milliseconds left in the round, by the hub's clock as this unit reckons it."""
        if self._view is None:
            return None
        clock = self._view.clock
        hub_ms = self._link.time.hub_ms(now_ms)
        if clock.state == "running" and clock.deadline_ms is not None and hub_ms is not None:
            return clock.deadline_ms - hub_ms
        return clock.remaining_ms

    def _draw(self, now_ms: int) -> None:
        scene = self.dialogue.scene(now_ms)
        if scene != self._scene:
            self._scene = scene
            self._heard(scene.says())
            self._image = draw(scene)
        # Shown every time: after a failure the screen tries again with a new display.
        self._screen.show(self._image, now_ms)


def run_loop(unit: TableUnit, incoming: queue.SimpleQueue[object], mono_ms: Callable[[], int],
             stopped: Callable[[], bool]) -> None:
    """Step the unit whenever something comes in or is due, until `stopped`."""
    unit.step(mono_ms())
    while not stopped():
        items: list[object] = []
        wait_s = max(0, unit.due_ms(mono_ms()) - mono_ms()) / 1000
        with contextlib.suppress(queue.Empty):
            items.append(incoming.get(timeout=wait_s))
            while True:
                items.append(incoming.get_nowait())
        unit.step(mono_ms(), items)
