"""The front panel's one address: what it shows (addresses, fingerprint, sticks), and what somebody pressed there (a new
PIN, a stick let go of); signed both ways, good once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.clock import RUNNING
from roundtap_core.errors import Problem
from roundtap_core.messages import LetGo, PanelAsks
from roundtap_core.wire import ECHO, envelope
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.devices.unit_door import PANEL_ASKS, Said, answer_unit
from roundtap_hub.http_answers import Receive, Scope, Send
from roundtap_hub.hub import Hub, hall_address
from roundtap_hub.journal.copies import AWAY
from roundtap_hub.policy import PANEL, route
from roundtap_hub.views.round_clock import time_of_day
from roundtap_systemd.root_steps import EJECT, NO_STICK, Refused, ask_root

log = logging.getLogger(__name__)

BODY_BYTES_MAX = 8 * 1024
STICKS_MAX = 4

AskRoot = Callable[..., Mapping[str, Any]]


class PanelApi:
    """Answers on the event loop; what is pressed is done in a thread, as it may wait for the disk. A press is done
    once: its challenge is good once."""

    def __init__(self, hub: Hub, ask: AskRoot = ask_root) -> None:
        self._hub = hub
        self._ask = ask

    @route("POST /device/panel", PANEL)
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """{unit, nonce, challenge, language, do: null or {step, …}} → {nonce, challenge, now_ms, view, done}."""
        await answer_unit(scope, receive, send, BODY_BYTES_MAX, self._asked)

    async def _asked(self, message: Mapping[str, Any], address: str) -> Said:
        hub = self._hub
        key, asked = hub.units.door.request_of(PANEL_ASKS, message, address, PanelAsks)
        hub.units.admit(PANEL_ASKS, asked.unit, asked.challenge)
        try:
            done = await asyncio.to_thread(self._done, asked)
            view = await asyncio.to_thread(panel_view, hub)
        except Exception:
            log.exception("the panel's question failed")
            return 500, {"error": "try again"}
        hub.presence.heard(asked.unit, hub.clocks.mono_ms())
        return 200, envelope(key, ECHO, {
            "nonce": asked.nonce, "challenge": hub.units.challenges.issue(), "now_ms": hub.clocks.mono_ms(),
            "view": view, "done": done})

    def _done(self, asked: PanelAsks) -> dict[str, Any] | None:
        """What became of a press: {"refused": in words} or {"refused": "", …}; None where nothing was pressed."""
        if asked.do is None:
            return None
        try:
            return {"refused": "", **(self._let_go(asked.do.name) if isinstance(asked.do, LetGo) else self._new_pin())}
        except Problem as problem:
            return {"refused": problem.say(core_words(
                asked.language if asked.language in LANGUAGES else self._hub.language))}

    def _new_pin(self) -> dict[str, Any]:
        try:
            pin = self._hub.access.organizers.replace_hub_pin()
        except OSError as error:
            raise Problem("pin_not_saved", reason=error.strerror or str(error)) from error
        log.warning("a new PIN was made at the front panel; every session has ended")
        return {"pin": pin}

    def _let_go(self, name: str) -> dict[str, Any]:
        """The stick's copy is closed, then root unmounts it; where it cannot, the copy goes on."""
        copies = self._hub.service.copies
        if copies is None or not any(each.name == name for each in copies.removable()):
            raise Problem("stick_unknown", stick=name[:80])
        if not copies.let_go(name):
            copies.take_back(name)
            raise Problem("stick_busy", stick=name)
        try:
            self._ask(EJECT, folder=name)
        except Refused as refused:
            copies.take_back(name)
            key = "stick_no_mount" if refused.reason == NO_STICK else "stick_not_unmounted"
            raise Problem(key, stick=name) from refused
        except OSError as error:
            copies.take_back(name)
            raise Problem("no_root_steps") from error
        return {}


def panel_view(hub: Hub) -> dict[str, Any]:
    """As `server/MESSAGES.md` has it."""
    snapshot = hub.service.snapshot
    sticks = hub.service.copies.removable() if hub.service.copies is not None else []
    plain = hall_address(hub, f"http://localhost:{hub.host.plain_port or 80}/")
    return {
        "wall": time_of_day(hub.clocks.wall()), "players": plain, "console": _console(hub, plain),
        "name": hub.host.reached_at.by_name.removeprefix("http://"),
        "fingerprint": hub.access.encrypted.fingerprint if hub.access.encrypted is not None else "",
        "sticks": [{"name": each.name, "state": each.state} for each in sticks if each.state != AWAY][:STICKS_MAX],
        "running": any(state.live is not None and state.clock.state == RUNNING for state in snapshot.events.values()),
        "trouble": hub.service.storage.fails,
        # An older panel shows nothing without them, nor without the answer's "now_ms".
        "events": [], "calls": [],
    }


def _console(hub: Hub, plain: str) -> str:
    if hub.access.encrypted is None:
        return ""
    host = plain.removeprefix("http://")
    # An IPv6 address has colons of its own, in brackets.
    at = host.rfind(":")
    return f"https://{host[:at] if at > host.rfind(']') else host}:{hub.access.encrypted.port}"
