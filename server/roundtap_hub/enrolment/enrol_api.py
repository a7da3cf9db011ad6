"""`POST /device/enrol`: what a unit says that has no key yet. On the event loop; arithmetic and disks are threads'."""

from __future__ import annotations

import asyncio
from typing import Any

from roundtap_core.messages import Again, Answer, Ask, Confirm, EnrolStep, Wrong
from roundtap_core.typed import Malformed, read
from roundtap_core.wire import ENROL, envelope, opened
from roundtap_hub.devices.unit_door import address_of
from roundtap_hub.enrolment.desk import LATE, STORED, STORING, WRONG, Exchange, Full
from roundtap_hub.http_answers import NO_STORE, Receive, Scope, Send, read_message, send_json
from roundtap_hub.hub import Hub
from roundtap_hub.policy import NEW_UNIT, route
from roundtap_hub.rate_limits import Buckets, Rate

BODY_BYTES_MAX = 2048
BODY_WITHIN_S = 5.0
AGAIN_MS = 1000
AGAIN_RATE = Rate(10, 0.5)
"""Of one address: a unit whose answer was lost asks a few times."""

Said = tuple[int, dict[str, Any]]


class EnrolApi:
    """Runs on one event loop. Nothing that is said here is believed before both sides have confirmed what they agreed
    on; until then there is nothing on record."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._desk = hub.units.enrolment
        self._again_rates = Buckets(hub.clocks.mono_ms)

    @route("POST /device/enrol", NEW_UNIT)
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One step of it, {"step": …}."""
        said = await read_message(scope, receive, send, BODY_BYTES_MAX, BODY_WITHIN_S)
        if said is None:
            return
        try:
            status, answer = await self._step(read(EnrolStep, said), address_of(scope), place_of(scope))
        except Malformed as error:
            status, answer = 400, {"error": str(error)}
        except Full:
            status, answer = 429, {"error": "too many ask; try again later"}
        await send_json(send, status, answer, NO_STORE)

    async def _step(self, said: EnrolStep, address: str, place: str) -> Said:
        if isinstance(said, Ask):
            return self._ask(said, address, place)
        if isinstance(said, Again):
            return self._again(said.message, address)
        exchange = self._desk.exchange_of(said.exchange, said.token, place)
        if exchange is None:
            return 404, {"error": "no such exchange"}
        if isinstance(said, Answer):
            confirm = await asyncio.to_thread(exchange.answer, said.message)
            return (200, {"confirm": confirm}) if confirm is not None else (403, {"error": "not what was wanted"})
        if isinstance(said, Confirm):
            return await self._confirmed(exchange, said.confirm)
        exchange.end(WRONG if isinstance(said, Wrong) else LATE)
        return 200, {}

    def _ask(self, said: Ask, address: str, place: str) -> Said:
        asking = self._desk.room.ask(said.unit_id, said.token, said.kind, address, said.serial, said.commit, said.wants,
                                     said.stopped, place)
        venue, offer = self._hub.service.snapshot.venue, self._desk.offer_for(asking)
        return 200, {
            "hub": (venue.epochs or (venue.epoch,))[0], "epoch": venue.epoch, "name": self._hub.host.name,
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
        unit = self._hub.service.snapshot.venue.unit_ids.get(unit_id) if isinstance(unit_id, str) else None
        key = self._hub.units.keys.get(unit) if unit is not None else None
        payload = opened(key, ENROL, message) if key is not None else None
        if payload is None or unit is None or key is None or not isinstance(payload.get("exchange"), str):
            return 404, {"error": "nothing was stored"}
        return 200, self._grant(key, payload["exchange"], unit)

    def _grant(self, key: bytes, exchange: str, unit: str) -> dict[str, Any]:
        venue = self._hub.service.snapshot.venue
        return envelope(key, ENROL, {
            "exchange": exchange, "unit": unit, "role": self._hub.units.keys.role(unit),
            "hub": (venue.epochs or (venue.epoch,))[0], "hubs": list(self._hub.host.other_addresses())})


def place_of(scope: Scope) -> str:
    """Where a question comes from, to the last digit: whoever shares a network's prefix is another."""
    client = scope.get("client")
    return str(client[0]) if client else ""
