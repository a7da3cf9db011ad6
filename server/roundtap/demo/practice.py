"""The practice hub of a running hub: the demo's hall and guide over HTTPS, for the organizers whom that hub names.

The running hub (roundtap_hub/practice_hub.py) starts this, and writes a line of JSON to its stdin for each session that
is let in. It ends with its stdin.
"""

import argparse
import asyncio
import json
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from roundtap.demo import guide
from roundtap.demo.bench import Bench, BenchPrinter, BenchTable
from roundtap.demo.demo import make_event, shown_paths
from roundtap.kit.virtual_kit import VirtualKit
from roundtap.main import END_WITHIN_S
from roundtap_core.words import catalogue
from roundtap_hub import main as hub_main
from roundtap_hub import practice_hub
from roundtap_hub.access.access_guard import requester_of
from roundtap_hub.access.policy import ORGANIZER
from roundtap_hub.access.staff import Session, pin_mark
from roundtap_hub.serving.asgi import HubApplication
from roundtap_hub.serving.http_answers import Receive, Scope, Send
from roundtap_hub.store.journal import Journal

IDLE_S = 2 * 3600.0  # after so long without a press or a page, it ends
NICENESS, OOM_SCORE = 5, 800
"""A running event comes first, for the processor and where memory is short."""


def run(args: argparse.Namespace) -> int:
    """Serve until stdin ends, or nobody has used it for IDLE_S."""
    os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")
    # The hub listens for one line on stdout: whatever else is printed goes to its log.
    ready = os.dup(1)
    os.dup2(2, 1)
    url = practice_hub.PAGES
    kit = VirtualKit(args.practice, "", args.port, guide.TABLES, args.language, bench_url=url, practice=True)
    # No PIN that anybody could type: the running hub says who may enter.
    kit.pin = secrets.token_urlsafe(32)
    kit.prepare()
    event = make_event(kit.database, guide.PLAYERS, guide.TABLES, guide.RULEBOOK, options=guide.OPTIONS,
                       name=catalogue("roundtap_hub", args.language)("practice.title"), published=False)
    options = argparse.ArgumentParser()
    hub_main.add_arguments(options)
    try:
        return hub_main.run(options.parse_args([
            "--data", str(kit.hub_folder), "--host", args.host, "--port", str(args.port), "--secure-port",
            str(args.secure_port), "--language", args.language, "--bench-url", url, "--alone"]),
            practice=lambda application: PracticeFront(application, kit, event, args.language, ready))
    finally:
        kit.stop()


class PracticeFront:
    """The hub's application, and below PAGES the hall and the bench for its organizers. `ready`: the descriptor that is
    told once everything answers."""

    def __init__(self, application: HubApplication, kit: VirtualKit, event: str, language: str, ready: int,
                 now_s: Callable[[], float] = time.monotonic) -> None:
        self._application, self._kit, self._ready, self._now_s = application, kit, ready, now_s
        leads = guide.Guide(Journal(f"sqlite:///{kit.database}", read_only=True), event, language)
        info = {"hub": "", "frames": True, "paths": shown_paths(kit.hub_folder, event, leads.phone_owner)}
        self._bench = Bench({n: BenchTable(n, kit.panel(n)) for n in kit.tables}, BenchPrinter(kit.printer), info,
                            language, kit, leads, admits=self._is_organizer)
        self._used_s = now_s()
        threading.Thread(target=self._listen, name="practice-sessions", daemon=True).start()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._application(scope, receive, self._beginning(send))
            return
        path = scope["path"]
        if not path.startswith(("/device/", "/station")):
            self._used_s = self._now_s()
        if path.startswith(practice_hub.PAGES):
            await self._bench({**scope, "path": path.removeprefix(practice_hub.PAGES[:-1])}, receive, send)
        else:
            await self._application(scope, receive, send)

    def left_s(self) -> float:
        """How much longer it waits for somebody to use it."""
        return self._used_s + IDLE_S - self._now_s()

    def _is_organizer(self, scope: Scope) -> bool:
        return requester_of(self._application.hub, scope).role == ORGANIZER

    def _beginning(self, send: Send) -> Send:
        async def send_begun(message: Any) -> None:
            if message["type"] == "lifespan.startup.complete":
                await asyncio.to_thread(self._kit.start_units)
                await self._bench.begin()
                self._idle = asyncio.create_task(self._end_when_idle())
                os.write(self._ready, practice_hub.READY_LINE)
            await send(message)

        return send_begun

    async def _end_when_idle(self) -> None:
        while (left_s := self.left_s()) > 0:
            await asyncio.sleep(left_s)
        os.kill(os.getpid(), signal.SIGTERM)

    def _listen(self) -> None:
        """Let in whom the running hub names; end with it."""
        organizers = self._application.hub.access.organizers
        mark = pin_mark((self._kit.hub_folder / "pin").read_text(encoding="ascii"), None)
        for line in sys.stdin.buffer:
            organizers.sessions.adopt(replace(Session(**json.loads(line)), person="", pin=mark))
        signal.alarm(END_WITHIN_S)
        os.kill(os.getpid(), signal.SIGTERM)
