"""The door of everything that units ask: whose key it is, and whether that key opens this at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundtap_core.wire import REPORT, REQUEST, opened, verify
from roundtap_hub.devices.unit_keys import STATION, TABLE, UnitKeys

HELLO, REPORTS, STATUS, TIME, JOBS = "hello", "report", "status", "time", "station"
"""What is asked for."""
ROLE_FOR: Mapping[str, str] = {HELLO: TABLE, REPORTS: TABLE, STATUS: TABLE, TIME: TABLE, JOBS: STATION}


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
    """Lets in by key, role and signature, in this order, so that a stranger costs little. Any thread may ask."""

    def __init__(self, keys: UnitKeys) -> None:
        self._keys = keys

    def key_for(self, kind: str, unit: object) -> bytes:
        """The key of the unit that a message says it comes from; nothing is believed before the signature holds."""
        self._keys.look()
        key = self._keys.get(unit) if isinstance(unit, str) else None
        if key is None or not isinstance(unit, str):
            raise Refusal(403, "unknown unit")
        if self._keys.role(unit) != ROLE_FOR[kind]:
            raise Refusal(403, f"this key is for a {self._keys.role(unit)} and opens nothing here")
        return key

    def report_of(self, message: Mapping[str, Any]) -> tuple[str, bytes, dict[str, Any]]:
        """(unit, its key, the report) of a message whose signature holds."""
        report = message.get("report")
        unit, key = self._claimed(REPORTS, report)
        if not verify(key, REPORT, report, message.get("mac")):
            raise Refusal(403, "the signature does not fit")
        assert isinstance(report, dict)
        return unit, key, report

    def request_of(self, kind: str, message: Mapping[str, Any]) -> tuple[str, bytes, dict[str, Any]]:
        """(unit, its key, the payload) of a message whose signature holds."""
        unit, key = self._claimed(kind, message.get("payload"))
        payload = opened(key, REQUEST, message)
        if payload is None:
            raise Refusal(403, "the signature does not fit")
        return unit, key, payload

    def _claimed(self, kind: str, inside: object) -> tuple[str, bytes]:
        unit = inside.get("unit") if isinstance(inside, dict) else None
        return str(unit), self.key_for(kind, unit)
