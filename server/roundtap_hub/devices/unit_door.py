"""The door of everything that units ask: whose key it is, what that key opens, how much it asks, and who signed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, TypeVar

from roundtap_core.messages import Asked
from roundtap_core.typed import Malformed, read
from roundtap_core.wire import REPORT, REQUEST, opened, verify
from roundtap_hub.auth import is_loopback
from roundtap_hub.devices.unit_keys import PANEL, STANDBY, STATION, TABLE, UnitKeys
from roundtap_hub.devices.unit_troubles import FLOOD, FORGED, UnitTroubles
from roundtap_hub.doors import caller_of
from roundtap_hub.rate_limits import Buckets, Rate

HELLO, REPORTS, STATUS, TIME, JOBS, COPY, PANEL_ASKS = (
    "hello", "report", "status", "time", "station", "standby", "panel")
"""What is asked for."""
ROLE_FOR: Mapping[str, str] = {HELLO: TABLE, REPORTS: TABLE, STATUS: TABLE, TIME: TABLE, JOBS: STATION,
                                COPY: STANDBY, PANEL_ASKS: PANEL}
RATES: Mapping[str, Rate] = {
    # A whole outbox at once after an outage, twice over; then one every half second.
    REPORTS: Rate(400, 2), STATUS: Rate(60, 6), TIME: Rate(72, 3), HELLO: Rate(20, 0.5), JOBS: Rate(60, 4),
    # Each commit is acknowledged.
    COPY: Rate(4000, 1000),
    # One question a second, and one for each press.
    PANEL_ASKS: Rate(60, 5),
}
"""For each key. What a real unit asks at its most is far below: hellos 0.2-3 s apart while the feed breaks at once, a
status for each press, 24 questions of time after connecting, a station's request for each state of a job."""
WRONG = Rate(10, 0.2)
"""Wrong signatures of one address in one unit's name; after that its messages in this name are not looked at."""


A = TypeVar("A", bound=Asked)


class Refusal(Exception):
    """What was asked is not answered: with this status code, and a word for a person who looks into it."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(status, error)
        self.status = status
        self.error = error

    @property
    def said(self) -> dict[str, str]:
        """The answer's body."""
        return {"error": self.error}


class UnitDoor:
    """Lets in by key, role, rate and signature, in this order, so that neither a stranger nor a flood costs much.

    A key's rate is charged only for what nobody else can have sent: a signature that holds over something new. What
    could be a kept packet sent again is charged to the address it came from. So no stranger uses up what a unit may
    ask, whatever is captured, forged or claimed. `generous`: so many times the usual rates. Any thread may ask.
    """

    def __init__(self, keys: UnitKeys, troubles: UnitTroubles, now_ms: Callable[[], int], generous: int = 1) -> None:
        self._keys = keys
        self._troubles = troubles
        self._wrong_rate = Rate(WRONG.at_once * generous, WRONG.a_second * generous)
        self._rates = {kind: Rate(rate.at_once * generous, rate.a_second * generous) for kind, rate in RATES.items()}
        self._by_key = Buckets(now_ms)
        self._by_address = Buckets(now_ms)
        self._wrong = Buckets(now_ms)

    def key_for(self, kind: str, unit: object, address: str) -> bytes:
        """The key of the unit that a message from this address says it comes from; nothing is believed before the
        signature holds."""
        key = self._keys.get(unit) if isinstance(unit, str) else None
        if key is None or not isinstance(unit, str) or (self._keys.is_local(unit) and not is_loopback(address)):
            raise Refusal(403, "unknown unit")
        if self._keys.role(unit) != ROLE_FOR[kind]:
            raise Refusal(403, f"this key is for a {self._keys.role(unit)} and opens nothing here")
        if not self._wrong.has((address, unit)):
            raise Refusal(429, "too many wrong signatures; try again later")
        if not (self._by_key.has((unit, kind)) and self._by_address.has((address, unit, kind))):
            self._troubles.note(unit, FLOOD)
            raise Refusal(429, "too much at once; try again later")
        return key

    def report_of(self, message: Mapping[str, Any], address: str) -> tuple[str, bytes, dict[str, Any]]:
        """(unit, its key, the report) of a message whose signature holds."""
        report = message.get("report")
        unit, key = self._claimed(REPORTS, report, address)
        self._signed(REPORTS, unit, address, verify(key, REPORT, report, message.get("mac")))
        assert isinstance(report, dict)
        return unit, key, report

    def request_of(self, kind: str, message: Mapping[str, Any], address: str, asked: type[A]) -> tuple[bytes, A]:
        """(the unit's key, what it asks) of a message whose signature holds."""
        unit, key = self._claimed(kind, message.get("payload"), address)
        payload = opened(key, REQUEST, message)
        self._signed(kind, unit, address, payload is not None)
        try:
            return key, read(asked, payload)
        except Malformed as error:
            raise Refusal(400, str(error)) from None

    def charge(self, kind: str, unit: str) -> None:
        """What the unit asked for is new, and therefore its own."""
        self._by_key.take((unit, kind), self._rates[kind])

    def _claimed(self, kind: str, inside: object, address: str) -> tuple[str, bytes]:
        unit = inside.get("unit") if isinstance(inside, dict) else None
        return str(unit), self.key_for(kind, unit, address)

    def _signed(self, kind: str, unit: str, address: str, holds: bool) -> None:
        if not holds:
            self._wrong.take((address, unit), self._wrong_rate)
            self._troubles.note(unit, FORGED)
            raise Refusal(403, "the signature does not fit")
        self._keys.heard(unit)
        self._by_address.take((address, unit, kind), self._rates[kind])


def address_of(scope: MutableMapping[str, Any]) -> str:
    """Who asks, for counting, of an ASGI request."""
    client = scope.get("client")
    return caller_of(str(client[0])) if client else ""
