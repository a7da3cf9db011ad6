"""What standbys, other hubs of the lineage and pages that lost their hub ask; what is left to say once it is over."""

from __future__ import annotations

from collections.abc import Callable

from roundtap_hub.http_answers import (
    CLOSE,
    NO_STORE,
    Receive,
    Scope,
    Send,
    read_message,
    send_json,
)
from roundtap_hub.hub import Hub
from roundtap_hub.policy import EVERYBODY, KIN, STANDBY, route
from roundtap_hub.standby.standby_feed import StandbyFeed
from roundtap_hub.standby.taken_over_page import TakenOverPage

QUESTION_BYTES_MAX = 8 * 1024
"""A hundred epochs; anybody may ask, and each byte is read before the signature is known."""
WITHIN_S = 5.0
ANYWHERE = (b"access-control-allow-origin", b"*")
STAYS_OPEN = ("/static/", "/standby/", "/time")
"""What a hub that was taken over still answers, beside its page."""


class StandbyApi:
    """Runs on the event loop. A hub that has no folder of its own (a database's, a test's) has no kin: 404."""

    def __init__(self, hub: Hub, page: TakenOverPage) -> None:
        self._kin = hub.host.kin
        self._page = page
        self._feed = StandbyFeed(hub, hub.host.kin.folder, hub.host.kin.standbys) if hub.host.kin is not None else None
        self.ask_back: Callable[[str, int], None] = lambda host, port: None
        """Somebody at this address seems to be of this lineage."""

    @property
    def taken_over(self) -> bool:
        """Whether another hub goes on with this journal: nothing is taken here any more."""
        return self._kin is not None and self._kin.taken_over is not None

    @route("POST /standby/feed", STANDBY)
    async def feed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A standby's hello; the answer is the feed."""
        if self._feed is None:
            await send_json(send, 404, {"error": "no such address"}, CLOSE)
        elif self.taken_over:
            await send_json(send, 409, {"error": "another hub goes on with this journal"}, CLOSE)
        else:
            await self._feed.feed(scope, receive, send)

    @route("POST /standby/ack", STANDBY)
    async def acknowledge(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What a standby has on its disk."""
        if self._feed is None:
            await send_json(send, 404, {"error": "no such address"}, CLOSE)
        else:
            await self._feed.acknowledge(scope, receive, send)

    @route("POST /standby/who", KIN)
    async def who(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Another hub of this lineage asks who is here; it is asked back, as its question proves nothing about now."""
        kin = self._kin
        said = await read_message(scope, receive, send, QUESTION_BYTES_MAX, WITHIN_S)
        if said is None:
            return
        answered = kin.answer(said) if kin is not None else None
        if answered is None:
            await send_json(send, 403, {"error": "the signature does not fit"}, CLOSE)
            return
        answer, back = answered
        client = scope.get("client")
        if back is not None and client:
            self.ask_back(client[0], back)
        await send_json(send, 200, answer, NO_STORE)

    @route("GET /standby/lineage", EVERYBODY)
    async def lineage(self, scope: Scope, receive: Receive, send: Send) -> None:
        """For a page that lost its hub: whether its event goes on here. No secret; from anywhere."""
        kin = self._kin
        if kin is None:
            await send_json(send, 404, {"error": "no such address"}, CLOSE)
            return
        await send_json(send, 200, {"lineage": kin.lineage, "hub": not self.taken_over}, [*NO_STORE, ANYWHERE])

    async def refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Every other question, once the hub was taken over."""
        assert self._kin is not None
        assert self._kin.taken_over is not None
        if scope["path"].startswith(("/device/", "/station/")):
            await send_json(send, 503, {"error": "another hub goes on with this journal",
                                        "hub": self._kin.taken_over.url}, CLOSE)
        else:
            await self._page.answer(scope, send, self._kin.taken_over)
