"""`POST /device/enrol`: what a unit says that has no key yet. On the event loop; arithmetic and disks are threads'."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from roundtap_core.wire import ENROL, envelope, opened
from roundtap_hub.devices.unit_door import address_of
from roundtap_hub.enrolment.desk import KINDS
from roundtap_hub.enrolment.exchange import LATE, STORED, STORING, WRONG, Exchange
from roundtap_hub.enrolment.known_ids import ID_LENGTH_MAX
from roundtap_hub.enrolment.waiting_room import Full
from roundtap_hub.http_answers import NO_STORE, Receive, Scope, Send, read_message, send_json
from roundtap_hub.hub import Hub
from roundtap_hub.policy import NEW_UNIT, route
from roundtap_hub.rate_limits import Buckets, Rate

BODY_BYTES_MAX = 2048
BODY_WITHIN_S = 5.0
AGAIN_MS = 1000
TOKEN_LENGTHS = range(16, 65)
SERIAL_MAX = 2**31
COMMIT_LENGTH = 64
AGAIN_RATE = Rate(10, 0.5)
"""Of one address: a unit whose answer was lost asks a few times."""

Said = tuple[int, dict[str, Any]]


class EnrolApi:
    """Runs on one event loop. Nothing that is said here is believed before both sides have confirmed what they agreed
    on; until then there is nothing on record."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._desk = hub.enrolment
        self._again_rates = Buckets(hub.clocks.mono_ms)

    @route("POST /device/enrol", NEW_UNIT)
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One step of it, {"step": …}."""
        said = await read_message(scope, receive, send, BODY_BYTES_MAX, BODY_WITHIN_S)
        if said is None:
            return
        try:
            status, answer = await self._step(said, address_of(scope), place_of(scope))
        except (KeyError, TypeError, ValueError):
            status, answer = 400, {"error": "malformed question"}
        except Full:
            status, answer = 429, {"error": "too many ask; try again later"}
        await send_json(send, status, answer, NO_STORE)

    async def _step(self, said: Mapping[str, Any], address: str, place: str) -> Said:
        step = said["step"]
        if step == "ask":
            return self._ask(said, address, place)
        if step == "again":
            return self._again(said["message"], address)
        exchange = self._desk.exchange_of(said["exchange"], said["token"], place)
        if exchange is None:
            return 404, {"error": "no such exchange"}
        if step == "answer":
            confirm = await asyncio.to_thread(exchange.answer, said["message"])
            return (200, {"confirm": confirm}) if confirm is not None else (403, {"error": "not what was wanted"})
        if step in (WRONG, LATE):
            exchange.end(step)
            return 200, {}
        if step == "confirm":
            return await self._confirmed(exchange, said["confirm"])
        raise ValueError(step)

    def _ask(self, said: Mapping[str, Any], address: str, place: str) -> Said:
        unit_id, token, kind, serial = said["unit_id"], said["token"], said["kind"], said["serial"]
        if not (isinstance(unit_id, str) and 0 < len(unit_id) <= ID_LENGTH_MAX and unit_id.isascii()
                and unit_id.isprintable()):
            raise ValueError("unit_id")
        if not (isinstance(token, str) and len(token) in TOKEN_LENGTHS and token.isascii()) or kind not in KINDS:
            raise ValueError("token or kind")
        if type(serial) is not int or not 0 <= serial < SERIAL_MAX:
            raise ValueError("serial")
        commit = said["commit"]
        if not (isinstance(commit, str) and commit.isascii() and len(commit) in (0, COMMIT_LENGTH)):
            raise ValueError("commit")
        wants = said.get("wants")
        asking = self._desk.room.ask(unit_id, token, kind, address, serial, commit,
                                     wants if isinstance(wants, str) and len(wants) <= 40 else "",
                                     said.get("stopped") is True, place)
        venue, offer = self._hub.service.snapshot.venue, self._desk.offer_for(asking)
        return 200, {
            "hub": (venue.epochs or (venue.epoch,))[0], "epoch": venue.epoch, "name": self._hub.machine_name,
            "number": asking.number, "again_ms": AGAIN_MS, "identify": self._desk.room.identifies(asking),
            "offer": None if offer is None else {"exchange": offer.about.exchange, "serial": offer.about.serial,
                                                 "message": offer.message},
        }

    async def _confirmed(self, exchange: Exchange, confirm: object) -> Said:
        before = exchange.state
        key = exchange.confirmed(confirm)
        if key is None:
            return 403, {"error": "the confirmation does not fit"}
        if before != STORED and exchange.state == STORING:
            if before == STORING:
                return 503, {"error": "try again"}
            await asyncio.to_thread(self._desk.store, exchange, key)
        if exchange.state != STORED:
            return 503, {"error": "could not be stored"}
        return 200, self._grant(key, exchange.about.exchange, exchange.wish.unit)

    def _again(self, message: object, address: str) -> Said:
        """A unit that confirmed, heard nothing, and met a hub that was started anew: its key is on record, or not."""
        if not self._again_rates.admit((address, AGAIN_RATE)):
            raise Full
        inside = message.get("payload") if isinstance(message, dict) else None
        unit_id = inside.get("unit_id") if isinstance(inside, dict) else None
        unit = self._desk.ids.name_of(unit_id) if isinstance(unit_id, str) else None
        key = self._hub.unit_keys.get(unit) if unit is not None else None
        payload = opened(key, ENROL, message) if key is not None else None
        if payload is None or unit is None or key is None or not isinstance(payload.get("exchange"), str):
            return 404, {"error": "nothing was stored"}
        return 200, self._grant(key, payload["exchange"], unit)

    def _grant(self, key: bytes, exchange: str, unit: str) -> dict[str, Any]:
        venue = self._hub.service.snapshot.venue
        return envelope(key, ENROL, {
            "exchange": exchange, "unit": unit, "role": self._hub.unit_keys.role(unit),
            "hub": (venue.epochs or (venue.epoch,))[0], "hubs": list(self._hub.other_addresses())})


def place_of(scope: Scope) -> str:
    """Where a question comes from, to the last digit: whoever shares a network's prefix is another."""
    client = scope.get("client")
    return str(client[0]) if client else ""
