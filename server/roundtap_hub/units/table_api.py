"""The table units' requests, on the event loop: reports and their receipts, statuses and the time; and the front
panel's: what it shows, and its presses.

A report becomes one entry, and is answered by an echo with its fate. A hello says what a table holds, where this
journal was restored, and which entries the journal lacks. The units' feed is in device_feed.py.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import inf
from typing import Any

from msgspec import UNSET, Struct

from roundtap_core import messages
from roundtap_core.clock import RUNNING
from roundtap_core.errors import Problem
from roundtap_core.event.commands import NoteLot
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.event.states import ReportFate
from roundtap_core.typed import DisplayText, MalformedMessage, parse_message, refuse_over_limits
from roundtap_core.wire import canonical_json, digest, echo_json
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.access.unit_keys import ASKS, ELSEWHERE, PANEL_ASKS, REPORTS, STATUS, TIME, UnitAnswer, answer_unit
from roundtap_hub.http.host import hall_address
from roundtap_hub.http.http_answers import Receive, Scope, Send
from roundtap_hub.http.page_queues import LoopInbox
from roundtap_hub.http.routes import PANEL, TABLE, route
from roundtap_hub.store import continuing
from roundtap_hub.store.command_pipeline import STRAY_REASONS, report_step, stray_step, validate_report
from roundtap_hub.store.copies import AWAY
from roundtap_hub.store.journal import Head
from roundtap_hub.store.restore_gap import evidence_of_view, hold_clock_command
from roundtap_hub.store.service import HubStopped, Service, Snapshot, Step
from roundtap_hub.store.venue import UNIT_HEARD, UnitHoldings
from roundtap_hub.views.round_clock import DATE_AND_TIME, time_of_day
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.tables import find_table
from roundtap_hub.views.unit_presence import (
    CALL,
    MissingEntry,
    Presence,
    UnitStatus,
    asked_in,
    encode_health,
    note_not_saved,
    note_saved,
)
from roundtap_machine.root_steps import EJECT, NO_STICK, StepRefused, ask_root

log = logging.getLogger(__name__)

BODY_BYTES_MAX = 4096
SAVE_S = 10.0  # how long a report waits for its commit, before the unit has to try again


class UnknownReport(Struct, frozen=True):
    """The receipt of a report that this hub does not have: the unit sends it again."""

    report_id: str
    epoch: str
    fate: str = "unknown"


def recorded_receipt(snapshot: Snapshot, report: Mapping[str, Any], body: str) -> messages.ReportReceipt | None:
    """The answer to a recorded report, or None. `body`: its digest. The same id with another body is refused without a
    trace in the event: the first one stands."""
    fate = find_fate(snapshot, report["event"], report["report_id"])
    if fate is None:
        return None
    if fate.body != body:
        fate = ReportFate("refused", fate.number, fate.hash, body, "altered")
    return messages.ReportReceipt(
        report["report_id"], fate.fate, fate.reason, fate.number, fate.hash, snapshot.venue.epoch
    )


def find_fate(snapshot: Snapshot, event_id: str, report_id: str) -> ReportFate | None:
    """What became of a report, in its event or (for an unknown event) in the venue."""
    try:
        state = snapshot.event(event_id)
    except Problem:
        # An event at rest that cannot be read: the fate is unknown, and the unit asks again.
        return None
    fate = (state.fates.get(report_id) if state is not None else None) or snapshot.venue.refused.get(report_id)
    waiting = snapshot.venue.restore_state.pending.get(report_id) if snapshot.venue.restore_state is not None else None
    return fate or (waiting.fate if waiting is not None else None)


def fates_of(snapshot: Snapshot, reports: Iterable[Sequence[str]]) -> list[messages.ReportReceipt | UnknownReport]:
    """The echoes of many reports, [event, report id] each. Opens each event at rest once: not for the event loop."""
    pairs = [(event, report_id) for event, report_id in reports]
    by_event = {pair: any_receipt(snapshot, *pair) for pair in sorted(set(pairs))}
    return [by_event[pair] for pair in pairs]


def any_receipt(snapshot: Snapshot, event: str, report_id: str) -> messages.ReportReceipt | UnknownReport:
    fate, epoch = find_fate(snapshot, event, report_id), snapshot.venue.epoch
    return (
        UnknownReport(report_id, epoch)
        if fate is None
        else messages.ReportReceipt(report_id, fate.fate, fate.reason, fate.number, fate.hash, epoch)
    )


class TableApi:
    """The table units' requests, on one event loop: any number of reports wait for one commit."""

    def __init__(self, hub: RunningHub) -> None:
        self._hub = hub
        self._inbox = LoopInbox()
        self._saving: dict[tuple[str, str], Future[list[Entry]]] = {}

    @route("POST /device/report", TABLE)
    async def report(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A report {"report": {…}, "mac"}; only the signed echo counts, not the status code."""
        await answer_unit(scope, receive, send, BODY_BYTES_MAX, self._report)

    @route("POST /device/status", TABLE)
    async def status(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A unit's current status; answered with the hub's time, for its clock."""
        await answer_unit(scope, receive, send, BODY_BYTES_MAX, self._status)

    @route("POST /device/time", TABLE)
    async def unit_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The hub's time, for a unit's clock: a short round trip that it can measure."""
        await answer_unit(scope, receive, send, BODY_BYTES_MAX, self._unit_time)

    async def probe(self) -> None:
        """Returns when the writer has answered as it answers a report; raises its refusal."""
        await self._inbox.result(self._hub.service.submit([], "watchdog"), inf)

    async def _report(self, message: Mapping[str, Any], address: str) -> UnitAnswer:
        unit, key, signed = self._hub.units.auth.verify_report(message, address)
        report = validate_report(signed)
        try:
            echo = await self._record(report)
        except Problem as problem:
            return 503 if problem.key == "not_saved" else 400, {"error": problem.say()}
        except (HubStopped, TimeoutError):
            return 503, {"error": "try again"}
        except Exception:
            log.exception("a report failed")
            return 500, {"error": "try again"}
        self._hub.presence.update(unit, self._hub.clocks.mono_ms())
        return 200, echo_json(key, echo)

    async def _record(self, report: Mapping[str, Any]) -> messages.ReportReceipt:
        """Record the report; its fate, once that is on the disk. TimeoutError after SAVE_S. A repeated report waits for
        the command that is already under way."""
        body = digest(report)
        receipt = await self._known_echo(report, body)
        if receipt is None:
            # Only the unit itself can have made it: a replayed packet would be known.
            self._hub.units.auth.charge(REPORTS, report["unit"])
            try:
                await self._save(report, report_step(report, body))
            except Problem as problem:
                if problem.key not in STRAY_REASONS:
                    raise
                await self._save(report, stray_step(report, body))
            receipt = await self._known_echo(report, body)
            if receipt is not None and receipt.reason == ELSEWHERE:
                self._hub.units.troubles.note(report["unit"], ELSEWHERE)
        assert receipt is not None
        return receipt

    async def _known_echo(self, report: Mapping[str, Any], body: str) -> messages.ReportReceipt | None:
        """The answer to a recorded report. An event at rest is read in a thread: reports of many such events must not
        hold up the loop."""
        snapshot = self._hub.service.snapshot
        if report["event"] in snapshot.dormant:
            return await asyncio.to_thread(recorded_receipt, snapshot, report, body)
        return recorded_receipt(snapshot, report, body)

    async def _save(self, report: Mapping[str, Any], step: Step) -> None:
        """Wait for the step's commit, or for that of the same report which is under way."""
        name = report["event"], report["report_id"]
        answer = self._saving.get(name)
        if answer is None:
            answer = self._saving[name] = self._hub.service.submit([step], step.actor)
            # Before whoever waits for it hears, as callbacks run in order.
            answer.add_done_callback(lambda _: self._saving.pop(name))
        await self._inbox.result(answer, SAVE_S)

    async def _status(self, message: Mapping[str, Any], address: str) -> UnitAnswer:
        hub = self._hub
        key, status = hub.units.auth.verify_request(STATUS, message, address, messages.TableStatus)
        unit = status.unit
        if not hub.presence.sessions.advances(unit, status.session, status.seq):
            return 409, {"error": "open the feed first"}
        hub.units.auth.charge(STATUS, unit)
        now_ms = hub.clocks.mono_ms()
        take_status(hub, status, now_ms)
        if (lot := submit_lot(hub.service, unit, status.lot)) is not None:
            # Saved or not: the table repeats it with each status until its view holds it.
            with suppress(Exception):
                await self._inbox.result(lot, SAVE_S)
        return 200, echo_json(
            key, {"session": status.session, "seq": status.seq, "now_ms": now_ms, "boot": hub.clocks.boot_id}
        )

    async def _unit_time(self, message: Mapping[str, Any], address: str) -> UnitAnswer:
        key, question = self._hub.units.auth.verify_request(TIME, message, address, messages.TimeQuestion)
        clocks = self._hub.clocks
        return 200, echo_json(key, {"nonce": question.nonce, "now_ms": clocks.mono_ms(), "boot": clocks.boot_id})


def take_status(hub: RunningHub, status: messages.TableStatus, now_ms: int) -> None:
    """Note a unit's status. What it asks for, or takes back, becomes an entry; nobody waits for that, as the unit's
    view says when it is saved."""
    unit, snapshot, presence = status.unit, hub.service.snapshot, hub.presence
    place = find_table(snapshot, snapshot.venue.tables[unit]) if unit in snapshot.venue.tables else None
    seat = (place[0], place[2]) if place is not None and place[2] is not None else None
    changes = asked_in(snapshot, seat, presence.status_of(unit) or UnitStatus(unit, now_ms), status)
    admitted = {what for what in (*changes.new, *changes.gone) if hub.units.auth.admits(ASKS, unit)}
    presence.update(
        unit,
        now_ms,
        match=status.match,
        seated=status.seated,
        draft=status.draft,
        call=status.call and seat is None,
        call_ms=status.call_ms,
        asked=changes.stays | (changes.new.keys() & admitted) | (changes.gone.keys() - admitted),
        run=status.run or status.session,
        clock_ms=status.clock_ms,
        waiting=status.waiting,
        **({"called_for": seat[1].id, "call_saved": False} if CALL in changes.new and seat else {}),
        **({} if status.health is UNSET else {"health": encode_health(status.health)}),
    )
    for what in sorted(admitted):
        event, command = {**changes.new, **changes.gone}[what]
        answer = hub.service.submit([Step(event, command)], f"unit:{unit}")
        answer.add_done_callback(partial(_check_taken_over, presence, unit, what, what in changes.gone))


def _check_taken_over(presence: Presence, unit: str, what: str, was: bool, answer: Future[list[Entry]]) -> None:
    presence.change(unit, partial(note_saved if answer.exception() is None else note_not_saved, what=what, was=was))


def submit_lot(service: Service, unit: str, message: object) -> Future[list[Entry]] | None:
    """Record a lot drawn at a table. The first one stands, and the table's view shows it; else None."""
    try:
        lot = parse_message(messages.TableLot, message)
    except MalformedMessage:
        return None
    state = service.snapshot.events.get(lot.event)
    round_and_match = state.find_match(lot.match) if state is not None else None
    if state is None or round_and_match is None or lot.about in round_and_match[1].lots:
        return None
    return service.submit([Step(state.id, NoteLot(lot.match, lot.about, lot.side, lot.draw))], f"unit:{unit}")


HOLDS_KEYS = (
    "event",
    "round",
    "stage",
    "draw",
    "table",
    "match",
    "revision",
    "a",
    "b",
    "state",
    "result",
    "number",
    "left_ms",
)
"""The fields recorded of a hello's `holds`."""
HOLDS_BYTES_MAX = 4096
HEADS_MAX = 64
HASH_LETTERS = 64


@dataclass(slots=True)
class HelloHandler:
    """Checks each accepted hello, on the event loop."""

    hub: RunningHub

    def handle(self, unit: str, hello: messages.Hello) -> Future[list[Entry]] | None:
        """Record what the unit holds, where this journal was restored; else compare its heads with the journal. The
        unit may get this journal's state once the returned future is done: that replaces what it held."""
        hub = self.hub
        afresh, heads = hub.service.snapshot.venue.restore_state, parse_heads(hello.heads)
        same_epoch = hello.epoch == hub.service.snapshot.venue.epoch
        saving = None
        if afresh is not None and unit not in afresh.heard:
            holds = parse_holds(hello.holds)
            data = {"unit": unit, "holds": holds.holds, "heads": {event: list(head) for event, head in heads.items()}}
            claim = evidence_of_view(unit, holds)
            held = hold_clock_command(hub.service.snapshot, claim, hub.clocks.now()) if claim is not None else None
            saving = hub.service.submit([Step(VENUE, NewEntry(UNIT_HEARD, data))], f"unit:{unit}")
            if claim is not None and held is not None:
                hub.service.submit([Step(claim.event, held)], "hub")
        if heads:
            if afresh is not None and not same_epoch:
                # Entries after the copy are known to be missing; those before must match what the unit received.
                heads = {event: head for event, head in heads.items() if head.number <= afresh.copy.get(event, (0,))[0]}
            elif not same_epoch:
                return saving
            asyncio.get_running_loop().run_in_executor(None, self.compare_heads, unit, heads)
        return saving

    def compare_heads(self, unit: str, heads: Mapping[str, Head]) -> None:
        """Note every entry that the unit received and that the journal lacks, or has with another hash."""
        service = self.hub.service
        for event, head in heads.items():
            try:
                holds = service.holds(event, head)
                state = service.snapshot.event(event)
            except Problem as problem:
                log.warning("what %s was told of %s cannot be looked up: %s", unit, event, problem)
                continue
            if holds:
                self.hub.units.proofs.withdraw(unit, event)
            else:
                self.hub.units.proofs.add(
                    MissingEntry(unit, event, head.number, state.number if state is not None else 0)
                )


def parse_holds(holds: Mapping[str, Any] | None) -> UnitHoldings:
    """A hello's `holds` as the journal can store it; without any where they are missing or invalid."""
    held = {key: holds[key] for key in HOLDS_KEYS if key in holds} if holds is not None else None
    try:
        refuse_over_limits(held)
        return UnitHoldings(held if len(canonical_json(held)) <= HOLDS_BYTES_MAX else None, {})
    except (TypeError, ValueError, Problem):
        return UnitHoldings(None, {})


def parse_heads(heads: Mapping[str, tuple[int, str]]) -> dict[str, Head]:
    """A hello's `heads`: {event: (number, hash)}, without those that no echo can have sent."""
    return {
        event: Head(number, digest)
        for event, (number, digest) in islice(heads.items(), HEADS_MAX)
        if 0 < len(event) <= HASH_LETTERS and 0 < number < 2**31 and len(digest) == HASH_LETTERS
    }


PANEL_BYTES_MAX = 8 * 1024
STICKS_MAX = 4


class ShownView(messages.PanelView, frozen=True):
    """An older panel shows nothing without these, and without the answer's time."""

    events: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


class PanelAnswer(messages.PanelResponse, frozen=True, kw_only=True):
    nonce: str
    now_ms: int


class PanelApi:
    """The front panel's requests, on the event loop; presses run in a thread, as they may wait for the disk, and only
    once, as a challenge is valid once."""

    def __init__(self, hub: RunningHub, ask: Callable[..., Mapping[str, Any]] = ask_root) -> None:
        self._hub = hub
        self._ask = ask

    @route("POST /device/panel", PANEL)
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """{unit, nonce, challenge, language, do: null or {step, …}} → {nonce, challenge, now_ms, view, done}."""
        await answer_unit(scope, receive, send, PANEL_BYTES_MAX, self._handle)

    async def _handle(self, message: Mapping[str, Any], address: str) -> UnitAnswer:
        hub = self._hub
        key, request = hub.units.auth.verify_request(PANEL_ASKS, message, address, messages.PanelRequest)
        hub.units.admit(PANEL_ASKS, request.unit, request.challenge)
        try:
            done = await asyncio.to_thread(self._perform, request)
            view = await asyncio.to_thread(panel_view, hub)
        except Exception:
            log.exception("the panel's question failed")
            return 500, {"error": "try again"}
        hub.presence.update(request.unit, hub.clocks.mono_ms())
        return 200, echo_json(
            key,
            PanelAnswer(
                challenge=hub.units.challenges.issue(),
                view=view,
                done=done,
                nonce=request.nonce,
                now_ms=hub.clocks.mono_ms(),
            ),
        )

    def _perform(self, request: messages.PanelRequest) -> messages.PressReply | None:
        """The outcome of a press; None for no press."""
        if request.do is None:
            return None
        try:
            match request.do:
                case messages.EjectStick(name=name):
                    self._eject(name)
                case messages.ContinueEvent(name=mark):
                    folder = self._hub.host.machine.folder
                    if folder is None:
                        raise Problem("continue_gone")
                    # The question has named what is set aside; a person stands before this machine.
                    continuing.press(self._hub.service, folder, mark, sure=True)
                case _:
                    return messages.PressReply("", self._new_pin())
            return messages.PressReply("")
        except Problem as problem:
            language = request.language if request.language in LANGUAGES else self._hub.language
            return messages.PressReply(problem.say(core_words(language)))

    def _new_pin(self) -> str:
        try:
            pin = self._hub.access.organizers.replace_hub_pin()
        except OSError as error:
            raise Problem("pin_not_saved", reason=error.strerror or str(error)) from error
        log.warning("a new PIN was made at the front panel; every session has ended")
        return pin

    def _eject(self, name: str) -> None:
        """Close the stick's copy, and have root unmount the stick; where that fails, the copy continues."""
        copies = self._hub.service.copies
        if copies is None or not any(each.name == name for each in copies.removable()):
            raise Problem("stick_unknown", stick=name[:80])
        if not copies.eject(name):
            copies.cancel_eject(name)
            raise Problem("stick_busy", stick=name)
        try:
            self._ask(EJECT, folder=name)
        except StepRefused as refused:
            copies.cancel_eject(name)
            key = "stick_no_mount" if refused.reason == NO_STICK else "stick_not_unmounted"
            raise Problem(key, stick=name) from refused
        except OSError as error:
            copies.cancel_eject(name)
            raise Problem("no_root_steps") from error


def panel_view(hub: RunningHub) -> ShownView:
    snapshot = hub.service.snapshot
    sticks = hub.service.copies.removable() if hub.service.copies is not None else []
    plain = hall_address(hub.host, f"http://localhost:{hub.host.plain_port or 80}/")
    return ShownView(
        DisplayText(time_of_day(hub.clocks.wall())),
        DisplayText(plain),
        DisplayText(_console_url(hub, plain)),
        DisplayText(hub.host.hall_addresses.by_name.removeprefix("http://")),
        DisplayText(hub.access.encrypted.fingerprint if hub.access.encrypted is not None else ""),
        tuple(messages.UsbStick(each.name, each.state) for each in sticks if each.state != AWAY)[:STICKS_MAX],
        bool(hub.service.storage.fault),
        any(state.live is not None and state.clock.state == RUNNING for state in snapshot.events.values()),
        next(
            (
                each.replace(until=time_of_day(each.until, form=DATE_AND_TIME))
                for each in continuing.offers(hub.service)
            ),
            None,
        ),
    )


def _console_url(hub: RunningHub, plain: str) -> str:
    if hub.access.encrypted is None:
        return ""
    host = plain.removeprefix("http://")
    # An IPv6 address has colons of its own, in brackets.
    at = host.rfind(":")
    return f"https://{host[:at] if at > host.rfind(']') else host}:{hub.access.encrypted.port}"
