"""What the unit says of itself, now and then and when it changes; and its questions of what time it is."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.messages import TimeSaid
from roundtap_core.typed import read
from roundtap_core.wire import ECHO, REQUEST, envelope, opened
from roundtap_units.link.hub_time import SamplePlan
from roundtap_units.link.kept_connection import Answer, KeptConnection
from roundtap_units.link.outbox import Outbox
from roundtap_units.link.own_health import OwnHealth

STATUS_EVERY_S = 10.0

Waits = Callable[[float], bool]
"""Whether an answer is still waited for, so many seconds after the question."""


class StatusSending:
    """One unit's. `session` is the open feed's; None while there is none. heard_time: told each signed answer with the
    hub's time in it. What is sent may raise whatever a network and a strange answer raise."""

    def __init__(self, unit: str, key: bytes, outbox: Outbox, plan: SamplePlan, mono_ms: Callable[[], int],
                 heard_time: Callable[[TimeSaid, Answer], None], health: OwnHealth | None = None) -> None:
        self.session: str | None = None
        self._unit = unit
        self._key = key
        self._outbox = outbox
        self._plan = plan
        self._mono_ms = mono_ms
        self._heard_time = heard_time
        self._health = health
        self._status: dict[str, Any] | None = None
        self._changed = False
        self._sequence = 0
        self._next_ms = 0

    def use_key(self, unit: str, key: bytes) -> None:
        """Who this is from now on."""
        self._unit, self._key = unit, key

    def tell(self, status: Mapping[str, Any]) -> None:
        """Something that is to be said at once."""
        self._status, self._changed = dict(status), True

    def keep(self, status: Mapping[str, Any]) -> None:
        """What is said when its time comes."""
        self._status = dict(status)

    def begin(self, session: str) -> None:
        """A feed was opened: whoever serves it hears the status first."""
        self.session = session
        self._changed = self._status is not None
        if self._health is not None:
            self._health.begin()

    @property
    def says_draft(self) -> bool:
        """Whether somebody enters a result just now."""
        return self._status is not None and bool(self._status.get("draft"))

    @property
    def waiting(self) -> bool:
        """Whether something is to be said, and somebody would hear it."""
        return self._changed and self.session is not None

    def wait_s(self, question_ms: int | None) -> float:
        """How long there is nothing to say, if nobody calls: until the next status, or the next question of time."""
        due = [] if question_ms is None else [question_ms]
        if self.session is not None and self._status is not None:
            due.append(self._next_ms)
        return min(STATUS_EVERY_S, max(0, min(due) - self._mono_ms()) / 1000) if due else STATUS_EVERY_S

    def due(self) -> bool:
        if self.session is None or self._status is None:
            return False
        return self._changed or self._mono_ms() >= self._next_ms

    def say(self, connection: KeptConnection, waits: Waits) -> None:
        """What was not heard is still to be said: a call for a judge must not wait for the next regular status."""
        self._changed = False
        try:
            self._post(connection, waits)
        except Exception:
            self._changed = True
            raise
        self._next_ms = self._mono_ms() + int(STATUS_EVERY_S * 1000)
        self._plan.said_status(self._mono_ms())

    def _post(self, connection: KeptConnection, waits: Waits) -> None:
        self._sequence += 1
        payload = {**(self._status or {}), "unit": self._unit, "session": self.session, "seq": self._sequence,
                   "waiting": len(self._outbox.waiting())}
        health = self._health.news(self._mono_ms()) if self._health is not None else None
        if health is not None:
            payload["health"] = health
        answer = connection.post("/device/status", envelope(self._key, REQUEST, payload), waits)
        said = opened(self._key, ECHO, answer.message)
        if said is None or said.get("seq") != payload["seq"] or said.get("session") != payload["session"]:
            raise ValueError(f"no echo of the status: {str(answer.message)[:200]}")
        if self._health is not None and health is not None:
            self._health.heard(health)
        self._heard_time(read(TimeSaid, said), answer)

    def ask_time(self, connection: KeptConnection, waits: Waits) -> None:
        """A round trip for nothing but the clock. Its number is used once: no other answer passes for this one's."""
        nonce, sent_ms = secrets.token_hex(8), self._mono_ms()
        try:
            asked = envelope(self._key, REQUEST, {"unit": self._unit, "nonce": nonce})
            answer = connection.post("/device/time", asked, waits)
            said = opened(self._key, ECHO, answer.message)
            if said is None or said.get("nonce") != nonce:
                raise ValueError(f"no signed time: {str(answer.message)[:200]}")
            self._heard_time(read(TimeSaid, said), answer)
        finally:
            self._plan.asked(sent_ms, self._mono_ms())
