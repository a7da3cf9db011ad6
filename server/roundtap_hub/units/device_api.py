"""The device API: signed messages of table units, units without a key, and the front panel, on the event loop.

A table's report becomes one entry, and is answered by an echo with its fate. The units' feed is in device_feed.py.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import inf
from typing import Any

from msgspec import UNSET, to_builtins

from roundtap_core import messages
from roundtap_core.clock import RUNNING
from roundtap_core.errors import Problem
from roundtap_core.event.commands import NoteLot
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.event.states import ReportFate
from roundtap_core.limits import refuse_over_limits
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_core.version import version
from roundtap_core.wire import ENROL, REQUEST, canonical_json, digest, echo_json, envelope, open_envelope, wall_key
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.access.device_auth import ASKS, ELSEWHERE, PANEL_ASKS, REPORTS, STATUS, TIME, UnitAnswer, answer_unit
from roundtap_hub.http.host import hall_address
from roundtap_hub.http.http_answers import NO_STORE, Receive, Scope, Send, send_json
from roundtap_hub.http.page_queues import LoopInbox, RequestPriority
from roundtap_hub.http.rate_limits import Rate, RateLimiter
from roundtap_hub.http.routes import EVERYBODY, NEW_UNIT, PANEL, TABLE, WALL, route
from roundtap_hub.store import continuing
from roundtap_hub.store.command_pipeline import STRAY_REASONS, report_step, stray_step, validate_report
from roundtap_hub.store.copies import AWAY
from roundtap_hub.store.journal import Head
from roundtap_hub.store.restore_gap import evidence_of_view, hold_clock_command
from roundtap_hub.store.service import HubStopped, Service, Snapshot, Step
from roundtap_hub.store.venue import UNIT_HEARD, UnitHoldings
from roundtap_hub.units.enrolment import LATE, STORED, STORING, WRONG, EnrolBusy, EnrolDesk, KeyExchange
from roundtap_hub.views.known_displays import NAMES
from roundtap_hub.views.player_requests import asked_in
from roundtap_hub.views.round_clock import DATE_AND_TIME, time_of_day
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.tables import find_table
from roundtap_hub.views.unit_presence import CALL, MissingEntry, Presence, UnitStatus, encode_health
from roundtap_machine.root_steps import EJECT, NO_STICK, StepRefused, ask_root

log = logging.getLogger(__name__)

BODY_BYTES_MAX = 4096
SAVE_S = 10.0  # how long a report waits for its commit, before the unit has to try again
ReportReceipt = dict[str, Any]

ENROL_BYTES_MAX = 2048
ENROL_POLL_MS = 1000
RECONFIRM_RATE = Rate(10, 0.5)  # rate of one address: a unit whose answer was lost retries a few times

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

PANEL_BYTES_MAX = 8 * 1024
STICKS_MAX = 4


class DeviceApi:
    """The table units' requests, on one event loop: any number of reports wait for one commit. While a report is under
    way, `precedence` makes pages wait."""

    def __init__(self, hub: RunningHub, precedence: RequestPriority) -> None:
        self._hub = hub
        self._precedence = precedence
        self._inbox = LoopInbox()
        self._saving: dict[tuple[str, str], Future[list[Entry]]] = {}

    @route("HEAD /time", EVERYBODY)
    @route("GET /time", EVERYBODY)
    async def time(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The hub's monotonic milliseconds, for browsers' clocks."""
        await send_json(send, 200, {"now_ms": self._hub.clocks.mono_ms()}, NO_STORE)

    @route("GET /device/challenge", EVERYBODY)
    async def challenge(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The challenge for the next hello, or a station's first request: valid once, and for 30 s."""
        await send_json(send, 200, {"challenge": self._hub.units.challenges.issue()}, NO_STORE)

    @route("GET /device/hub", EVERYBODY)
    async def hub(self, scope: Scope, receive: Receive, send: Send) -> None:
        """This hub's identity, for units that search for it; unsigned, and not secret."""
        await send_json(send, 200, self._identity(), NO_STORE)

    def _identity(self) -> dict[str, Any]:
        venue, encrypted = self._hub.service.snapshot.venue, self._hub.access.encrypted
        return {
            "roundtap": "hub",
            "core": version(),
            "hub": (venue.epochs or (venue.epoch,))[0],
            "epoch": venue.epoch,
            "name": self._hub.host.name,
            "secure": encrypted.port if encrypted is not None else 0,
        }

    @route("POST /device/wall", WALL)
    async def wall(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Prove to a wall that this is its hub, and say which authority to trust; over TLS, give a new wall a key."""
        await answer_unit(scope, receive, send, BODY_BYTES_MAX, partial(self._prove_to_wall, scope), stranger=True)

    async def _prove_to_wall(self, scope: Scope, message: Mapping[str, Any], _: str) -> UnitAnswer:
        access, displays = self._hub.access, self._hub.hall.displays
        where = str((scope.get("client") or ("",))[0]), self._hub.service.snapshot.venue.display_plan.screens
        if access.encrypted is None:
            return 404, {"error": "this hub has no certificate to be known by"}
        payload = message.get("payload")
        if payload is None and scope.get("scheme") == "https":
            # A name of the hub's own making: whoever heard another wall's gets no key to it.
            wall = secrets.token_hex(16)
            display, name = displays.register(str(message.get("display")), *where)
            key = wall_key(access.secret, wall)
            return 200, {"wall": wall, "key": key.hex(), "display": f"{display}.{name or NAMES[0]}"}
        key = wall_key(access.secret, str(payload.get("wall")) if isinstance(payload, dict) else "")
        asked = parse_message(messages.WallQuestion, open_envelope(key, REQUEST, message))
        authority = access.encrypted.authority.decode("ascii")
        if asked.seals and digest(authority) not in asked.seals and not displays.is_confirmed(asked.display, *where):
            authority = ""
        # Older walls compare the nonce alone: what is not confirmed must not look like a proof to them.
        answer = {**self._identity(), "nonce": "", "authority": authority}
        answer["nonce" if authority else "unconfirmed"] = asked.nonce
        return 200 if authority else 409, echo_json(key, answer)

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
            with self._precedence:
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

    async def _record(self, report: Mapping[str, Any]) -> ReportReceipt:
        """Record the report; its fate, once that is on the disk. TimeoutError after SAVE_S. A repeated report waits for
        the command that is already under way."""
        body = digest(report)
        known = await self._known_echo(report, body)
        if known is None:
            # Only the unit itself can have made it: a replayed packet would be known.
            self._hub.units.auth.charge(REPORTS, report["unit"])
            try:
                await self._save(report, report_step(report, body))
            except Problem as problem:
                if problem.key not in STRAY_REASONS:
                    raise
                await self._save(report, stray_step(report, body))
            known = await self._known_echo(report, body)
            if known is not None and known.get("reason") == ELSEWHERE:
                self._hub.units.troubles.note(report["unit"], ELSEWHERE)
        assert known is not None
        return known

    async def _known_echo(self, report: Mapping[str, Any], body: str) -> ReportReceipt | None:
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
        if not hub.presence.session_advances(unit, status.session, status.seq):
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
        key, asked = self._hub.units.auth.verify_request(TIME, message, address, messages.TimeQuestion)
        clocks = self._hub.clocks
        return 200, echo_json(key, {"nonce": asked.nonce, "now_ms": clocks.mono_ms(), "boot": clocks.boot_id})


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
            data = {"unit": unit, "holds": holds, "heads": {event: list(head) for event, head in heads.items()}}
            claim = evidence_of_view(unit, UnitHoldings(holds, {}))
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
                known = service.snapshot.event(event)
            except Problem as problem:
                log.warning("what %s was told of %s cannot be looked up: %s", unit, event, problem)
                continue
            if holds:
                self.hub.units.proofs.withdraw(unit, event)
            else:
                self.hub.units.proofs.add(
                    MissingEntry(unit, event, head.number, known.number if known is not None else 0)
                )


def parse_holds(holds: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A hello's `holds` as the journal can store it; None where it is missing or invalid."""
    if holds is None:
        return None
    held = {key: holds[key] for key in HOLDS_KEYS if key in holds}
    try:
        refuse_over_limits(held)
        return held if len(canonical_json(held)) <= HOLDS_BYTES_MAX else None
    except (TypeError, ValueError, Problem):
        return None


def parse_heads(heads: Mapping[str, tuple[int, str]]) -> dict[str, Head]:
    """A hello's `heads`: {event: (number, hash)}, without those that no echo can have sent."""
    return {
        event: Head(number, digest)
        for event, (number, digest) in islice(heads.items(), HEADS_MAX)
        if 0 < len(event) <= HASH_LETTERS and 0 < number < 2**31 and len(digest) == HASH_LETTERS
    }


def record_report(service: Service, report: Mapping[str, Any]) -> ReportReceipt:
    """Record an authenticated, well-formed report, wait for its commit, and return its fate: the same for every
    repetition. `DeviceApi` does this on the event loop."""
    body = digest(dict(report))
    known = recorded_receipt(service.snapshot, report, body)
    if known is None:
        try:
            service.submit([step := report_step(report, body)], step.actor).result(SAVE_S)
        except Problem as problem:
            if problem.key not in STRAY_REASONS:
                raise
            service.submit([step := stray_step(report, body)], step.actor).result(SAVE_S)
        known = recorded_receipt(service.snapshot, report, body)
    assert known is not None
    return known


def recorded_receipt(snapshot: Snapshot, report: Mapping[str, Any], body: str) -> ReportReceipt | None:
    """The answer to a recorded report, or None. `body`: its digest. The same id with another body is refused without a
    trace in the event: the first one stands."""
    known = find_fate(snapshot, report["event"], report["report_id"])
    if known is None:
        return None
    if known.body != body:
        known = ReportFate("refused", known.number, known.hash, body, "altered")
    return report_receipt(snapshot, report["report_id"], known)


def take_status(hub: RunningHub, status: messages.TableStatus, now_ms: int) -> None:
    """Note a unit's status. What it asks for, or takes back, becomes an entry; nobody waits for that, as the unit's
    view says when it is saved."""
    unit, snapshot, presence = status.unit, hub.service.snapshot, hub.presence
    place = find_table(snapshot, snapshot.venue.tables[unit]) if unit in snapshot.venue.tables else None
    seat = (place[0], place[2]) if place is not None and place[2] is not None else None
    asked = asked_in(snapshot, seat, presence.status_of(unit) or UnitStatus(unit, now_ms), status)
    admitted = {what for what in (*asked.new, *asked.gone) if hub.units.auth.admits(ASKS, unit)}
    presence.update(
        unit,
        now_ms,
        match=status.match,
        seated=status.seated,
        draft=status.draft,
        call=status.call and seat is None,
        call_ms=status.call_ms,
        asked=asked.stays | (asked.new.keys() & admitted) | (asked.gone.keys() - admitted),
        run=status.run or status.session,
        clock_ms=status.clock_ms,
        waiting=status.waiting,
        **({"called_for": seat[1].id, "call_saved": False} if CALL in asked.new and seat else {}),
        **({} if status.health is UNSET else {"health": encode_health(status.health)}),
    )
    for what in sorted(admitted):
        event, command = {**asked.new, **asked.gone}[what]
        answer = hub.service.submit([Step(event, command)], f"unit:{unit}")
        answer.add_done_callback(partial(_check_taken_over, presence, unit, what, what in asked.gone))


def _check_taken_over(presence: Presence, unit: str, what: str, was: bool, answer: Future[list[Entry]]) -> None:
    presence.note_taken_over(unit, what, was, answer.exception() is None)


def submit_lot(service: Service, unit: str, message: object) -> Future[list[Entry]] | None:
    """Record a lot drawn at a table. The first one stands, and the table's view shows it; else None."""
    try:
        lot = parse_message(messages.TableLot, message)
    except MalformedMessage:
        return None
    state = service.snapshot.events.get(lot.event)
    found = state.find_match(lot.match) if state is not None else None
    if state is None or found is None or lot.about in found[1].lots:
        return None
    return service.submit([Step(state.id, NoteLot(lot.match, lot.about, lot.side, lot.draw))], f"unit:{unit}")


def find_fate(snapshot: Snapshot, event_id: str, report_id: str) -> ReportFate | None:
    """What became of a report, in its event or (for an unknown event) in the venue."""
    try:
        state = snapshot.event(event_id)
    except Problem:
        # An event at rest that cannot be read: the fate is unknown, and the unit asks again.
        return None
    known = (state.fates.get(report_id) if state is not None else None) or snapshot.venue.refused.get(report_id)
    waiting = snapshot.venue.restore_state.pending.get(report_id) if snapshot.venue.restore_state is not None else None
    return known or (waiting.fate if waiting is not None else None)


def fates_of(snapshot: Snapshot, reports: Iterable[Sequence[str]]) -> list[ReportReceipt]:
    """The echoes of many reports, [event, report id] each. Opens each event at rest once: not for the event loop."""
    pairs = [(event, report_id) for event, report_id in reports]
    by_event = {pair: report_receipt(snapshot, pair[1], find_fate(snapshot, *pair)) for pair in sorted(set(pairs))}
    return [by_event[pair] for pair in pairs]


def report_receipt(snapshot: Snapshot, report_id: str, fate: ReportFate | None) -> ReportReceipt:
    """The answer to a report; "unknown" makes the device send it again."""
    if fate is None:
        return {"report_id": report_id, "fate": "unknown", "epoch": snapshot.venue.epoch}
    return {
        "report_id": report_id,
        "fate": fate.fate,
        "reason": fate.reason,
        "number": fate.number,
        "hash": fate.hash,
        "epoch": snapshot.venue.epoch,
    }


class EnrolApi:
    """Requests of units without a key, on one event loop; arithmetic and disk access in threads. Nothing is trusted, or
    recorded, before both sides have confirmed the agreed key."""

    def __init__(self, hub: RunningHub, desk: EnrolDesk) -> None:
        self._hub = hub
        self._desk = desk
        self._reconfirm_limiter = RateLimiter(hub.clocks.mono_ms)

    @route("POST /device/enrol", NEW_UNIT)
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One step of enrolment, {"step": …}."""
        # The whole address as well, not shortened to a network as for counting.
        await answer_unit(
            scope,
            receive,
            send,
            ENROL_BYTES_MAX,
            lambda message, address: self._step(
                parse_message(messages.EnrolStep, message), address, str((scope.get("client") or ("",))[0])
            ),
            (413, "too much was said"),
            stranger=True,
        )

    async def _step(self, step: messages.EnrolStep, address: str, place: str) -> UnitAnswer:
        if isinstance(step, messages.EnrolRequest):
            return self._ask(step, address, place)
        if isinstance(step, messages.RepeatGrant):
            return self._reconfirm(step.message, address)
        exchange = self._desk.exchange_of(step.exchange, step.token, place)
        if exchange is None:
            return 404, {"error": "no such exchange"}
        if isinstance(step, messages.EnrolAnswer):
            confirm = await asyncio.to_thread(exchange.answer, step.message)
            return (200, {"confirm": confirm}) if confirm is not None else (403, {"error": "not what was wanted"})
        if isinstance(step, messages.EnrolConfirmation):
            return await self._confirmed(exchange, step.confirm)
        exchange.end(WRONG if isinstance(step, messages.WrongConfirmation) else LATE)
        return 200, {}

    def _ask(self, ask: messages.EnrolRequest, address: str, place: str) -> UnitAnswer:
        asking = self._desk.room.ask(
            ask.unit_id, ask.token, ask.kind, address, ask.serial, ask.commit, ask.wants, ask.stopped, place
        )
        venue, offer = self._hub.service.snapshot.venue, self._desk.offer_for(asking)
        return 200, {
            "hub": (venue.epochs or (venue.epoch,))[0],
            "epoch": venue.epoch,
            "name": self._hub.host.name,
            "number": asking.number,
            "again_ms": ENROL_POLL_MS,
            "identify": self._desk.room.is_identifying(asking),
            "offer": None
            if offer is None
            else {"exchange": offer.about.exchange, "serial": offer.about.serial, "message": offer.message},
        }

    async def _confirmed(self, exchange: KeyExchange, confirm: object) -> UnitAnswer:
        before = exchange.state
        key = exchange.confirm(confirm)
        if key is None:
            return 403, {"error": "the confirmation does not fit"}
        if before != STORED and exchange.state == STORING:
            if before == STORING:
                return 503, {"error": "try again"}
            await asyncio.to_thread(self._desk.store, exchange, key)
        if exchange.state != STORED:
            return 503, {"error": "could not be stored"}
        return 200, self._grant(key, exchange.about.exchange, exchange.plan.unit)

    def _reconfirm(self, message: object, address: str) -> UnitAnswer:
        """Repeat the grant for a unit that confirmed, got no answer, and met a restarted hub, if its key is stored."""
        if not self._reconfirm_limiter.admit((address, RECONFIRM_RATE)):
            raise EnrolBusy
        inside = message.get("payload") if isinstance(message, dict) else None
        unit_id = inside.get("unit_id") if isinstance(inside, dict) else None
        unit = self._hub.service.snapshot.venue.unit_ids.get(unit_id) if isinstance(unit_id, str) else None
        key = self._hub.units.keys.get(unit) if unit is not None else None
        payload = open_envelope(key, ENROL, message) if key is not None else None
        if payload is None or unit is None or key is None or not isinstance(payload.get("exchange"), str):
            return 404, {"error": "nothing was stored"}
        return 200, self._grant(key, payload["exchange"], unit)

    def _grant(self, key: bytes, exchange: str, unit: str) -> dict[str, Any]:
        venue = self._hub.service.snapshot.venue
        return envelope(
            key,
            ENROL,
            {
                "exchange": exchange,
                "unit": unit,
                "role": self._hub.units.keys.role(unit),
                "hub": (venue.epochs or (venue.epoch,))[0],
                "hubs": list(self._hub.host.other_addresses()),
            },
        )


AskRoot = Callable[..., Mapping[str, Any]]


class PanelApi:
    """The front panel's requests, on the event loop; presses run in a thread, as they may wait for the disk, and only
    once, as a challenge is valid once."""

    def __init__(self, hub: RunningHub, ask: AskRoot = ask_root) -> None:
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
            {
                "nonce": request.nonce,
                "challenge": hub.units.challenges.issue(),
                "now_ms": hub.clocks.mono_ms(),
                "view": view,
                "done": done,
            },
        )

    def _perform(self, request: messages.PanelRequest) -> dict[str, Any] | None:
        """The outcome of a press: {"refused": its reason as text} or {"refused": "", …}; None for no press."""
        if request.do is None:
            return None
        try:
            match request.do:
                case messages.EjectStick(name=name):
                    return {"refused": "", **self._eject(name)}
                case messages.ContinueEvent(name=mark) if (folder := self._hub.host.machine.folder) is not None:
                    # The question has named what is set aside; a person stands before this machine.
                    continuing.press(self._hub.service, folder, mark, sure=True)
                    return {"refused": ""}
            return {"refused": "", **self._new_pin()}
        except Problem as problem:
            return {
                "refused": problem.say(
                    core_words(request.language if request.language in LANGUAGES else self._hub.language)
                )
            }

    def _new_pin(self) -> dict[str, Any]:
        try:
            pin = self._hub.access.organizers.replace_hub_pin()
        except OSError as error:
            raise Problem("pin_not_saved", reason=error.strerror or str(error)) from error
        log.warning("a new PIN was made at the front panel; every session has ended")
        return {"pin": pin}

    def _eject(self, name: str) -> dict[str, Any]:
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
        return {}


def panel_view(hub: RunningHub) -> dict[str, Any]:
    """The panel's view, as in `server/MESSAGES.md`."""
    snapshot = hub.service.snapshot
    sticks = hub.service.copies.removable() if hub.service.copies is not None else []
    plain = hall_address(hub.host, f"http://localhost:{hub.host.plain_port or 80}/")
    return {
        "wall": time_of_day(hub.clocks.wall()),
        "players": plain,
        "console": _console_url(hub, plain),
        "name": hub.host.hall_addresses.by_name.removeprefix("http://"),
        "fingerprint": hub.access.encrypted.fingerprint if hub.access.encrypted is not None else "",
        "sticks": [{"name": each.name, "state": each.state} for each in sticks if each.state != AWAY][:STICKS_MAX],
        "running": any(state.live is not None and state.clock.state == RUNNING for state in snapshot.events.values()),
        "trouble": bool(hub.service.storage.fault),
        "offer": next((_offer_json(each) for each in continuing.offers(hub.service)), None),
        # An older panel shows nothing without these and the answer's "now_ms".
        "events": [],
        "calls": [],
    }


def _offer_json(offer: messages.ContinueOffer) -> Any:
    return to_builtins(offer.replace(until=time_of_day(offer.until, form=DATE_AND_TIME)))


def _console_url(hub: RunningHub, plain: str) -> str:
    if hub.access.encrypted is None:
        return ""
    host = plain.removeprefix("http://")
    # An IPv6 address has colons of its own, in brackets.
    at = host.rfind(":")
    return f"https://{host[:at] if at > host.rfind(']') else host}:{hub.access.encrypted.port}"
