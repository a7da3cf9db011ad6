"""The practice hub of a running hub: the demo's hall and guide over HTTPS, for the organizers whom that hub names.

The running hub (roundtap_hub/app/practice_hub.py) starts this, and writes a line of JSON to its stdin for each session
that is let in, and for each table that it gives to a real unit or takes back. It ends with its stdin.
"""

import asyncio
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from roundtap.demo.bench import Bench, BenchPrinter, BenchTable
from roundtap.demo.guide import Guide
from roundtap.kit.virtual_kit import VirtualKit, unit_of
from roundtap_core.event.states import MatchState
from roundtap_hub.access.policy import requester_of
from roundtap_hub.access.staff import Session, pin_mark
from roundtap_hub.access.unit_keys import TABLE
from roundtap_hub.app import practice_hub
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.http_answers import NO_STORE, Receive, Scope, Send, send_answer
from roundtap_hub.http.routes import ORGANIZER

IDLE_S = 2 * 3600.0  # after so long without an organizer's press, it ends
OF_THE_SESSION = ("/login", "/logout")


class PracticeFront:
    """The hub's application, and below PAGES the hall and the bench for its organizers. `paths`: what the hall shows;
    `ready`: the descriptor that is told once everything answers."""

    def __init__(
        self,
        application: HubApplication,
        kit: VirtualKit,
        leads: Guide,
        paths: Mapping[str, str],
        language: str,
        ready: int,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._application, self._kit, self._ready, self._now_s = application, kit, ready, now_s
        tables = {n: BenchTable(n, kit.panel(n)) for n in kit.tables}
        info = {"hub": "", "frames": True, "paths": paths, "above": practice_hub.PORT_ABOVE}
        self._bench = Bench(
            tables,
            BenchPrinter(kit.printer),
            info,
            language,
            kit,
            leads if leads.leads else None,
            admits=self._is_organizer,
        )
        leads.seated_at = self._seated_at
        self._used_s = now_s()
        threading.Thread(target=self._listen, name="practice-sessions", daemon=True).start()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._application(scope, receive, self._beginning(send))
            return
        path = scope["path"]
        if (path == practice_hub.PAGES or scope["method"] == "POST") and self._is_organizer(scope):
            self._used_s = self._now_s()
        if path in OF_THE_SESSION:
            # Its cookie is the running hub's: a logout, or another login, would end the session there.
            await send_answer(send, 303, b"text/plain", b"", [*NO_STORE, (b"location", practice_hub.PAGES.encode())])
        elif path.startswith(practice_hub.PAGES):
            await self._bench({**scope, "path": path.removeprefix(practice_hub.PAGES[:-1])}, receive, send)
        else:
            await self._application(scope, receive, send)

    def left_s(self) -> float:
        """How much longer it waits for somebody to use it."""
        return self._used_s + IDLE_S - self._now_s()

    def _is_organizer(self, scope: Scope) -> bool:
        return requester_of(self._application.hub.access, scope).role == ORGANIZER

    def _beginning(self, send: Send) -> Send:
        async def send_begun(message: Any) -> None:
            if message["type"] == "lifespan.startup.complete":
                await asyncio.to_thread(self._kit.start_units)
                await self._bench.begin()
                # For the same reason as `_end`.
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                self._idle = asyncio.create_task(self._end_when_idle())
                os.write(self._ready, practice_hub.READY_LINE)
            await send(message)

        return send_begun

    async def _end_when_idle(self) -> None:
        while (left_s := self.left_s()) > 0:
            await asyncio.sleep(left_s)
        _end()

    def _give_place(self, unit: str, key: bytes) -> None:
        """A virtual unit's place, to the real unit with this key; b"": to the virtual one again."""
        self._application.hub.units.keys.enrol(unit, TABLE, key or bytes.fromhex(self._kit.keys[unit]), replaces=True)
        self._kit.switch_power(unit, not key)

    def _seated_at(self, match: MatchState) -> Collection[str] | None:
        """By the table's status: a real unit has no lamps that this process sees."""
        status = self._application.hub.presence.status_of(unit_of(match.match.table or 0))
        return status.seated if status is not None and status.match == match.id else None

    def _listen(self) -> None:
        """Let in whom the running hub names; end with it."""
        organizers = self._application.hub.access.organizers
        mark = pin_mark((self._kit.hub_folder / "pin").read_text(encoding="ascii"), None)
        try:
            for line in sys.stdin.buffer:
                message = json.loads(line)
                if "unit" in message:
                    self._give_place(message["unit"], bytes.fromhex(message["key"]))
                elif "ended" in message:
                    organizers.sessions.end(message["ended"])
                else:
                    organizers.sessions.adopt(replace(Session(**message), person="", pin=mark))
        finally:
            _end()


def _end() -> None:
    """At once: nothing of it is worth saving, and an open page would hold its ports, and a crashed hub's service, for
    seconds. The units end with their stdin."""
    os.kill(os.getpid(), signal.SIGKILL)
