"""Requests of units without a key, on the event loop: how they enrol; for anybody which hub this is, what time it has,
and its proof to a wall."""

import asyncio
import secrets
from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec import Struct, json, structs, to_builtins

from roundtap_core import messages
from roundtap_core.typed import parse_message
from roundtap_core.version import version
from roundtap_core.wire import ENROL, REQUEST, digest, echo_json, envelope, open_envelope, wall_key
from roundtap_hub.access.unit_keys import UnitAnswer, answer_unit
from roundtap_hub.http.http_answers import NO_STORE, Receive, Scope, Send, send_json
from roundtap_hub.http.requester import Rate, RateLimiter
from roundtap_hub.http.routes import EVERYBODY, NEW_UNIT, WALL, route
from roundtap_hub.units.enrolment import LATE, STORED, STORING, WRONG, EnrolBusy, EnrolDesk, KeyExchange
from roundtap_hub.views.known_displays import NAMES
from roundtap_hub.views.running_hub import RunningHub

ENROL_BYTES_MAX = 2048
ENROL_POLL_MS = 1000
RECONFIRM_RATE = Rate(10, 0.5)  # rate of one address: a unit whose answer was lost retries a few times


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
        return self._grant(key, exchange.about.exchange, exchange.plan.unit)

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
        return self._grant(key, payload["exchange"], unit)

    def _grant(self, key: bytes, exchange: str, unit: str) -> UnitAnswer:
        venue = self._hub.service.snapshot.venue
        grant = messages.EnrolGrant(
            exchange=exchange,
            unit=unit,
            role=self._hub.units.keys.role(unit),
            hub=(venue.epochs or (venue.epoch,))[0],
            hubs=list(self._hub.host.other_addresses()),
        )
        return 200, envelope(key, ENROL, to_builtins(grant))


BODY_BYTES_MAX = 4096


class HubIdentity(Struct, frozen=True):  # units read it as `messages.HubAnswer`
    roundtap: str
    core: str
    hub: str
    epoch: str
    name: str
    secure: int


class HubIdentityApi:
    """What units, walls and browsers ask before they belong to a hub, or without a key."""

    def __init__(self, hub: RunningHub) -> None:
        self._hub = hub

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
        await send_json(send, 200, json.encode(self._identity()), NO_STORE)

    def _identity(self) -> HubIdentity:
        venue, encrypted = self._hub.service.snapshot.venue, self._hub.access.encrypted
        return HubIdentity(
            "hub",
            version(),
            (venue.epochs or (venue.epoch,))[0],
            venue.epoch,
            self._hub.host.name,
            encrypted.port if encrypted is not None else 0,
        )

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
        question = parse_message(messages.WallQuestion, open_envelope(key, REQUEST, message))
        authority = access.encrypted.authority.decode("ascii")
        if (
            question.seals
            and digest(authority) not in question.seals
            and not displays.is_confirmed(question.display, *where)
        ):
            authority = ""
        # Older walls compare the nonce alone: what is not confirmed must not look like a proof to them.
        answer = {**structs.asdict(self._identity()), "nonce": "", "authority": authority}
        answer["nonce" if authority else "unconfirmed"] = question.nonce
        return 200 if authority else 409, echo_json(key, answer)
