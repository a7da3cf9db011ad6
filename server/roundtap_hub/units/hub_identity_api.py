"""Which hub this is and what time it has, for anybody; and its proof to a wall, on the event loop."""

import secrets
from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec import Struct, json, structs

from roundtap_core import messages
from roundtap_core.typed import parse_message
from roundtap_core.version import version
from roundtap_core.wire import REQUEST, digest, echo_json, open_envelope, wall_key
from roundtap_hub.access.unit_keys import UnitAnswer, answer_unit
from roundtap_hub.http.http_answers import NO_STORE, Receive, Scope, Send, send_json
from roundtap_hub.http.routes import EVERYBODY, WALL, route
from roundtap_hub.views.known_displays import NAMES
from roundtap_hub.views.running_hub import RunningHub

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
