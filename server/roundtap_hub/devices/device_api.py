"""The device API: what table units report, say and ask, signed, answered on the event loop; no thread is held.

Their feed is in device_feed.py.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any

from msgspec import UNSET

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.limits import refuse_boundless
from roundtap_core.messages import Hello, Status, TimeQuestion
from roundtap_core.typed import Malformed
from roundtap_core.version import version
from roundtap_core.wire import ECHO, canonical, digest, envelope
from roundtap_hub.devices.reports import (
    BODY_BYTES_MAX,
    NOBODYS,
    SAVE_S,
    Echo,
    is_at_rest,
    known_echo,
    submit_lot,
    submit_report,
    submit_stray,
    well_formed,
)
from roundtap_hub.devices.unit_door import ELSEWHERE, REPORTS, STATUS, TIME, Refusal, address_of
from roundtap_hub.http_answers import (
    NO_STORE,
    Receive,
    Scope,
    Send,
    read_message,
    send_json,
)
from roundtap_hub.hub import Hub
from roundtap_hub.journal.afresh import HEARD
from roundtap_hub.journal.journal import Head
from roundtap_hub.journal.service import HubStopped, Step
from roundtap_hub.lanes import LoopInbox, Precedence
from roundtap_hub.policy import EVERYBODY, TABLE, route
from roundtap_hub.presence import Proof, kept

log = logging.getLogger(__name__)

BODY_WITHIN_S = 5.0
"""A unit gives up its own request after as long."""

Said = tuple[int, dict[str, Any]]
"""A status code and the answer."""

HELD = ("event", "round", "stage", "draw", "table", "match", "revision", "a", "b", "state", "result", "number")
"""What is noted of a hello's `holds`."""
HELD_BYTES_MAX = 4096
HEADS_MAX = 64
HASH_LETTERS = 64


class DeviceApi:
    """What units ask: any number of reports wait for one commit. All of it runs on one event loop.

    While a report is under way, `precedence` lets pages wait.
    """

    def __init__(self, hub: Hub, precedence: Precedence) -> None:
        self._hub = hub
        self._precedence = precedence
        self._inbox: LoopInbox | None = None
        self._saving: dict[tuple[str, str], asyncio.Future[None]] = {}

    @route("HEAD /time", EVERYBODY)
    @route("GET /time", EVERYBODY)
    async def time(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The hub's monotonic milliseconds, for browsers' clocks."""
        await send_json(send, 200, {"now_ms": self._hub.clocks.mono_ms()}, NO_STORE)

    @route("GET /device/challenge", EVERYBODY)
    async def challenge(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What the next hello, or a station's first request, has to carry: it is good once, and for 30 s."""
        await send_json(send, 200, {"challenge": self._hub.units.challenges.issue()}, NO_STORE)

    @route("GET /device/hub", EVERYBODY)
    async def hub(self, scope: Scope, receive: Receive, send: Send) -> None:
        """That this is a hub, for whoever looks for one, and which. Nothing of it is signed or secret."""
        venue = self._hub.service.snapshot.venue
        await send_json(send, 200, {"roundtap": "hub", "core": version(), "hub": (venue.epochs or (venue.epoch,))[0],
                                    "epoch": venue.epoch, "name": self._hub.host.name}, NO_STORE)

    @route("POST /device/report", TABLE)
    async def report(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A report {"report": {…}, "mac"}; the echo is the hub's word, a status code is not."""
        message = await _message(scope, receive, send)
        if message is not None:
            with self._precedence:
                await send_json(send, *await _answered(self._report(message, address_of(scope))))

    @route("POST /device/status", TABLE)
    async def status(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What a unit sees and does just now; answered with the hub's time, for its clock."""
        message = await _message(scope, receive, send)
        if message is not None:
            await send_json(send, *await _answered(self._status(message, address_of(scope))))

    @route("POST /device/time", TABLE)
    async def unit_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What time it is, for a unit's clock: a round trip that it can time, and nothing else."""
        message = await _message(scope, receive, send)
        if message is not None:
            await send_json(send, *await _answered(self._unit_time(message, address_of(scope))))

    async def probe(self) -> None:
        """Returns when the writer has answered, the way it answers a report; raises what it refused with."""
        answer = self._hub.service.submit([], "watchdog")
        await self._my_inbox().settled(answer)
        answer.result()

    async def _report(self, message: Mapping[str, Any], address: str) -> Said:
        unit, key, said = self._hub.units.door.report_of(message, address)
        report = well_formed(said)
        try:
            echo = await self._taken(report)
        except Problem as problem:
            return 503 if problem.key == "not_saved" else 400, {"error": problem.say()}
        except (HubStopped, TimeoutError):
            return 503, {"error": "try again"}
        except Exception:
            log.exception("a report failed")
            return 500, {"error": "try again"}
        self._hub.presence.heard(unit, self._hub.clocks.mono_ms())
        return 200, envelope(key, ECHO, echo)

    async def _taken(self, report: Mapping[str, Any]) -> Echo:
        """Record the report and answer with its fate, once that is on the disk; TimeoutError after SAVE_S.

        A unit that heard nothing says it again: then both wait for the one command that is under way.
        """
        body = digest(report)
        known = await self._known(report, body)
        if known is None:
            # Nobody but the unit itself can have made it: a kept packet is one that is known.
            self._hub.units.door.charge(REPORTS, report["unit"])
            saving = self._saving.get((report["event"], report["report_id"])) or self._save(report, body)
            async with asyncio.timeout(SAVE_S):
                # Shielded: who gives up leaves the others waiting for it.
                await asyncio.shield(saving)
            known = await self._known(report, body)
            if known is not None and known.get("reason") == ELSEWHERE:
                self._hub.units.troubles.note(report["unit"], ELSEWHERE)
        assert known is not None
        return known

    async def _known(self, report: Mapping[str, Any], body: str) -> Echo | None:
        """The answer to a report that is on record. An event at rest is read in a thread: kept packets of many such
        events shall not hold up the loop."""
        snapshot = self._hub.service.snapshot
        if is_at_rest(snapshot, [report["event"]]):
            return await asyncio.to_thread(known_echo, snapshot, report, body)
        return known_echo(snapshot, report, body)

    def _save(self, report: Mapping[str, Any], body: str) -> asyncio.Future[None]:
        """Done when the report is on the disk, or holds why it is not."""
        saving: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Looked at here, so that nobody complains when all who waited have given up.
        saving.add_done_callback(lambda done: done.cancelled() or done.exception())
        key = (report["event"], report["report_id"])
        self._saving[key] = saving
        inbox = self._my_inbox()
        answer = submit_report(self._hub.service, report, body)

        def decided() -> None:
            error = answer.exception()
            if isinstance(error, Problem) and error.key in NOBODYS:
                refusal = submit_stray(self._hub.service, report, body)
                refusal.add_done_callback(lambda _: inbox.post(lambda: done(refusal.exception())))
            else:
                done(error)

        def done(error: BaseException | None) -> None:
            del self._saving[key]
            if error is None:
                saving.set_result(None)
            else:
                saving.set_exception(error)

        answer.add_done_callback(lambda _: inbox.post(decided))
        return saving

    async def _status(self, message: Mapping[str, Any], address: str) -> Said:
        hub = self._hub
        key, status = hub.units.door.request_of(STATUS, message, address, Status)
        unit = status.unit
        if not hub.presence.session_advances(unit, status.session, status.seq):
            return 409, {"error": "open the feed first"}
        hub.units.door.charge(STATUS, unit)
        now_ms = hub.clocks.mono_ms()
        told = {} if status.health is UNSET else {"health": kept(status.health)}
        hub.presence.heard(
            unit, now_ms, match=status.match, seated=status.seated, draft=status.draft, call=status.call,
            leave=frozenset(status.leave or ()), clock_ms=status.clock_ms, waiting=status.waiting, **told)
        if (lot := submit_lot(hub.service, unit, status.lot)) is not None:
            # Saved or not: the table says it again with its next status until its view holds it.
            await asyncio.wait([self._my_inbox().settled(lot)], timeout=SAVE_S)
        return 200, envelope(key, ECHO, {"session": status.session, "seq": status.seq, "now_ms": now_ms,
                                         "boot": hub.clocks.boot_id})

    async def _unit_time(self, message: Mapping[str, Any], address: str) -> Said:
        key, asked = self._hub.units.door.request_of(TIME, message, address, TimeQuestion)
        clocks = self._hub.clocks
        return 200, envelope(key, ECHO, {"nonce": asked.nonce, "now_ms": clocks.mono_ms(), "boot": clocks.boot_id})

    def _my_inbox(self) -> LoopInbox:
        loop = asyncio.get_running_loop()
        if self._inbox is None or self._inbox.loop is not loop:
            self._inbox = LoopInbox(loop)
        return self._inbox


async def _message(scope: Scope, receive: Receive, send: Send) -> dict[str, Any] | None:
    """What a unit says. No honest message is longer: who says more is none of ours."""
    return await read_message(scope, receive, send, BODY_BYTES_MAX, BODY_WITHIN_S, (403, "unknown unit"))


async def _answered(work: Awaitable[Said]) -> Said:
    """The answer, or why there is none."""
    try:
        return await work
    except Refusal as refusal:
        return refusal.status, refusal.said
    except Malformed as error:
        return 400, {"error": str(error)}


@dataclass(slots=True)
class Hellos:
    """Looks at each accepted hello, on the event loop."""

    hub: Hub

    def hear(self, unit: str, hello: Hello) -> Future[list[Entry]] | None:
        """Note what the unit holds, where this journal was restored; else compare its heads with the journal.

        The unit may hear what this journal knows once the answer is done: from then on it holds nothing older.
        """
        hub = self.hub
        afresh, heads = hub.service.snapshot.venue.afresh, heads_of(hello.heads)
        same_epoch = hello.epoch == hub.service.snapshot.venue.epoch
        asked = None
        if afresh is not None and unit not in afresh.heard:
            said = {"unit": unit, "holds": held_of(hello.holds),
                    "heads": {event: list(head) for event, head in heads.items()}}
            asked = hub.service.submit([Step(VENUE, NewEntry(HEARD, said))], f"unit:{unit}")
        if heads:
            if afresh is not None and not same_epoch:
                # What came after the copy is known to be lacking; what it has must be what the unit was told.
                heads = {event: head for event, head in heads.items() if head.number <= afresh.copy.get(event, (0,))[0]}
            elif not same_epoch:
                return asked
            asyncio.get_running_loop().run_in_executor(None, self.compare, unit, heads)
        return asked

    def compare(self, unit: str, heads: Mapping[str, Head]) -> None:
        """Note every entry that the unit was told of and that the journal lacks, or has with another hash."""
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
                self.hub.units.proofs.add(Proof(unit, event, head.number, known.number if known is not None else 0))


def held_of(said: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A hello's `holds` as the journal can keep it; None where there is nothing, or nothing sensible."""
    if said is None:
        return None
    held = {key: said[key] for key in HELD if key in said}
    try:
        refuse_boundless(held)
        return held if len(canonical(held)) <= HELD_BYTES_MAX else None
    except (TypeError, ValueError, Problem):
        return None


def heads_of(said: Mapping[str, tuple[int, str]]) -> dict[str, Head]:
    """A hello's `heads`: {event: (number, hash)}; what no echo can have said is left out."""
    return {event: Head(number, digest) for event, (number, digest) in islice(said.items(), HEADS_MAX)
            if 0 < len(event) <= HASH_LETTERS and 0 < number < 2**31 and len(digest) == HASH_LETTERS}
