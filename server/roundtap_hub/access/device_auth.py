"""Authentication of units' requests: key, role, rate and signature; troubles with units; and challenges."""

from __future__ import annotations

import hmac
import logging
import secrets
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from roundtap_core.messages import UnitRequest
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_core.wire import REPORT, REQUEST, open_envelope, verify_signature
from roundtap_hub.access.unit_keys import PANEL, STANDBY, STATION, TABLE, UnitKeys
from roundtap_hub.http.connection_limits import FROM_UNIT
from roundtap_hub.http.http_answers import NO_STORE, Receive, Scope, Send, read_message, send_json
from roundtap_hub.http.rate_limits import Rate, RateLimiter
from roundtap_hub.http.requester import is_loopback, throttle_key

HELLO, REPORTS, STATUS, TIME, JOBS, COPY, PANEL_ASKS, ASKS = (
    "hello",
    "report",
    "status",
    "time",
    "station",
    "standby",
    "panel",
    "asks",
)
"""The kinds of requests."""
ROLE_FOR: Mapping[str, str] = {
    HELLO: TABLE,
    REPORTS: TABLE,
    STATUS: TABLE,
    TIME: TABLE,
    JOBS: STATION,
    COPY: STANDBY,
    PANEL_ASKS: PANEL,
}
RATES: Mapping[str, Rate] = {
    # A whole outbox at once after an outage, twice over; then one every half second.
    REPORTS: Rate(400, 2),
    STATUS: Rate(60, 6),
    TIME: Rate(72, 3),
    HELLO: Rate(20, 0.5),
    JOBS: Rate(60, 4),
    # One request for each commit.
    COPY: Rate(4000, 1000),
    # One request a second, and one for each press.
    PANEL_ASKS: Rate(60, 5),
    # Calls and wishes in statuses, as of one phone: what is too much waits for a later status.
    ASKS: Rate(12, 0.1),
}
"""For each key. Real units stay far below: hellos 0.2-3 s apart while the feed breaks at once, a status for each press,
24 time requests after connecting, a station's request for each state of a job."""
FORGERY_RATE = Rate(10, 0.2)
"""Wrong signatures of one address in one unit's name; beyond that its messages in this name are refused unchecked."""


A = TypeVar("A", bound=UnitRequest)

log = logging.getLogger(__name__)

FORGED, FLOOD, ELSEWHERE, TWIN, DAMAGED = "forged", "flood", "elsewhere", "twin", "damaged"
"""Kinds of troubles with a unit, described in TROUBLE_TEXTS."""
TROUBLE_TEXTS: Mapping[str, str] = {
    FORGED: "somebody signs wrongly in its name",
    FLOOD: "its key asks for more than any unit does",
    ELSEWHERE: "it reports matches where it did not stand",
    TWIN: "a second unit has its name",
    DAMAGED: "lines of its disk cannot be read",
}
ALERT_FROM: Mapping[str, int] = {FORGED: 10, FLOOD: 20}
"""How many until the organizer sees an alert; 1 for other kinds. A unit without its new key signs wrongly for a while,
and players may hammer on a button."""

AlertListener = Callable[[str, frozenset[str]], None]  # receives a unit and all its current alerts

CHALLENGE_TTL_MS = 30_000  # from the challenge to the hello: enough time for a hall that reconnects all at once
RANDOM_LETTERS, MAC_LETTERS = 16, 24
LENGTH_MAX = 64

BODY_WITHIN_S = 5.0  # as a unit's own timeout
UnitAnswer = tuple[int, Mapping[str, Any] | bytes]  # a status code and the answer, perhaps as JSON already


class RequestRefused(Exception):
    """A refused request: the status code, and an error text for people."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(status, error)
        self.status = status
        self.body = {"error": error}  # the answer's body


async def answer_unit(
    scope: Scope,
    receive: Receive,
    send: Send,
    bytes_max: int,
    answered: Callable[[dict[str, Any], str], Awaitable[UnitAnswer]],
    too_large: tuple[int, str] = (403, "unknown unit"),
    stranger: bool = False,
) -> None:
    """Answer one message of a unit. `too_large`: the answer to a message longer than a real unit's. `stranger`: it has
    no key yet; of others, a message that is answered was signed."""
    message = await read_message(scope, receive, send, bytes_max, BODY_WITHIN_S, too_large)
    if message is None:
        return
    try:
        status, answer = await answered(message, address_of(scope))
        if not stranger:
            scope[FROM_UNIT] = True
    except RequestRefused as refusal:
        status, answer = refusal.status, refusal.body
    except MalformedMessage as error:
        status, answer = 400, {"error": str(error)}
    await send_json(send, status, answer, NO_STORE)


class UnitAuth:
    """Checks key, role, rate and signature, in this order, so that neither a stranger nor a flood costs much. A key's
    rate is charged only for what only the unit can have sent: a valid signature over something new. What could be a
    replayed packet is charged to its address. So no stranger uses up a unit's rate by captured or forged messages.
    `generous`: a factor for the usual rates. Thread-safe."""

    def __init__(self, keys: UnitKeys, troubles: UnitTroubles, now_ms: Callable[[], int], generous: int = 1) -> None:
        self._keys = keys
        self._troubles = troubles
        self._wrong_rate = Rate(FORGERY_RATE.burst * generous, FORGERY_RATE.per_second * generous)
        self._rates = {kind: Rate(rate.burst * generous, rate.per_second * generous) for kind, rate in RATES.items()}
        self._by_key = RateLimiter(now_ms)
        self._by_address = RateLimiter(now_ms)
        self._wrong = RateLimiter(now_ms)

    def key_for(self, kind: str, unit: object, address: str) -> bytes:
        """The key of the unit that a message claims to come from; nothing is trusted before its signature."""
        found = self._keys.find(unit) if isinstance(unit, str) else None
        if found is None or not isinstance(unit, str) or (self._keys.is_local(unit) and not is_loopback(address)):
            raise RequestRefused(403, "unknown unit")
        if found.role != ROLE_FOR[kind]:
            raise RequestRefused(403, f"this key is for a {found.role} and opens nothing here")
        if not self._wrong.has((address, unit)):
            raise RequestRefused(429, "too many wrong signatures; try again later")
        if not (self._by_key.has((unit, kind)) and self._by_address.has((address, unit, kind))):
            self._troubles.note(unit, FLOOD)
            raise RequestRefused(429, "too much at once; try again later")
        return found.key

    def verify_report(self, message: Mapping[str, Any], address: str) -> tuple[str, bytes, dict[str, Any]]:
        """(unit, its key, the report) of a message with a valid signature."""
        report = message.get("report")
        unit, key = self._claimed_key(REPORTS, report, address)
        self._check_signature(REPORTS, unit, address, verify_signature(key, REPORT, report, message.get("mac")))
        assert isinstance(report, dict)
        return unit, key, report

    def verify_request(self, kind: str, message: Mapping[str, Any], address: str, asked: type[A]) -> tuple[bytes, A]:
        """(the unit's key, its request) of a message with a valid signature."""
        unit, key = self._claimed_key(kind, message.get("payload"), address)
        payload = open_envelope(key, REQUEST, message)
        self._check_signature(kind, unit, address, payload is not None)
        try:
            return key, parse_message(asked, payload)
        except MalformedMessage as error:
            raise RequestRefused(400, str(error)) from None

    def charge(self, kind: str, unit: str) -> None:
        """Charge the unit's key for a request that is new, and therefore its own."""
        self._by_key.take((unit, kind), self._rates[kind])

    def admits(self, kind: str, unit: str) -> bool:
        """Charge the unit's key for more than its request; False, and nothing charged, where that is too much."""
        return self._by_key.admit(((unit, kind), self._rates[kind]))

    def _claimed_key(self, kind: str, inside: object, address: str) -> tuple[str, bytes]:
        unit = inside.get("unit") if isinstance(inside, dict) else None
        return str(unit), self.key_for(kind, unit, address)

    def _check_signature(self, kind: str, unit: str, address: str, holds: bool) -> None:
        if not holds:
            self._wrong.take((address, unit), self._wrong_rate)
            self._troubles.note(unit, FORGED)
            raise RequestRefused(403, "the signature does not fit")
        self._keys.mark_seen(unit)
        self._by_address.take((address, unit, kind), self._rates[kind])


def address_of(scope: Scope) -> str:
    """The client's address for counting."""
    client = scope.get("client")
    return throttle_key(str(client[0])) if client else ""


class UnitTroubles:
    """Counts troubles by unit and kind; of enrolled units only, so that strangers cannot fill it. Thread-safe."""

    def __init__(self, tell: AlertListener) -> None:
        self._alert = tell
        self._lock = threading.Lock()
        self._counts: dict[str, Counter[str]] = {}

    def note(self, unit: str, kind: str) -> None:
        """Count one more."""
        with self._lock:
            counts = self._counts.setdefault(unit, Counter())
            counts[kind] += 1
            count, alerts = counts[kind], _to_alert(counts)
        if count & (count - 1) == 0:
            # Each time the count has doubled, so that a flood logs few lines.
            log.warning("unit %s: %s (%d so far)", unit, TROUBLE_TEXTS[kind], count)
        if count == ALERT_FROM.get(kind, 1):
            self._alert(unit, alerts)

    def count(self, unit: str, kind: str) -> int:
        """The count since the start of the hub, or since `acknowledge`."""
        return self._counts.get(unit, Counter())[kind]

    def acknowledge(self, *units: str) -> None:
        """Reset these units' counts: an organizer has looked, or their keys have changed."""
        for unit in units:
            with self._lock:
                counts = self._counts.pop(unit, Counter())
            if _to_alert(counts):
                self._alert(unit, frozenset())


def _to_alert(counts: Mapping[str, int]) -> frozenset[str]:
    return frozenset(kind for kind, count in counts.items() if count >= ALERT_FROM.get(kind, 1))


class Challenges:
    """Challenges of one process. Issued ones take no memory; used ones are kept until they expire. Thread-safe."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._secret = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._used: dict[str, int] = {}  # when each was used, in that order

    def issue(self) -> str:
        """A new challenge."""
        body = f"{secrets.token_hex(RANDOM_LETTERS // 2)}.{self._now_ms():x}"
        return f"{body}.{self._mac(body)}"

    def take(self, challenge: object) -> bool:
        """Whether this is one of ours, made in the last 30 s and unused; if so, it is used now. Only after its
        signature was verified, so that strangers use none up."""
        made_ms = self._made_ms(challenge)
        now_ms = self._now_ms()
        if made_ms is None or not 0 <= now_ms - made_ms <= CHALLENGE_TTL_MS:
            return False
        assert isinstance(challenge, str)
        with self._lock:
            # By time of use: one used that long ago was made earlier, and has expired.
            while self._used and now_ms - next(iter(self._used.values())) > CHALLENGE_TTL_MS:
                del self._used[next(iter(self._used))]
            if challenge in self._used:
                return False
            self._used[challenge] = now_ms
        return True

    def _made_ms(self, challenge: object) -> int | None:
        if not isinstance(challenge, str) or len(challenge) > LENGTH_MAX or not challenge.isascii():
            return None
        body, _, mac = challenge.rpartition(".")
        # Signed by us, so well-formed.
        return int(body.partition(".")[2], 16) if hmac.compare_digest(mac, self._mac(body)) else None

    def _mac(self, body: str) -> str:
        return hmac.digest(self._secret, body.encode(), "sha256").hex()[:MAC_LETTERS]
