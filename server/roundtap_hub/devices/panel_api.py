"""The front panel's one address: what it shows, and what somebody pressed there; signed both ways, good once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.wire import ECHO, envelope
from roundtap_core.words import LANGUAGES, Words, catalogue, core_words
from roundtap_hub.devices.panel_steps import AskRoot, Malformed, do_step
from roundtap_hub.devices.panel_view import panel_view
from roundtap_hub.devices.unit_door import PANEL_ASKS, Refusal, address_of
from roundtap_hub.http_answers import Receive, Scope, Send, read_message, send_json
from roundtap_hub.hub import Hub
from roundtap_hub.journal.service import HubStopped
from roundtap_hub.journal.unknown_outcome import OutcomeUnknown
from roundtap_systemd.root_steps import ask_root

log = logging.getLogger(__name__)

BODY_BYTES_MAX = 8 * 1024
BODY_WITHIN_S = 5.0
NONCE_LENGTH_MAX = 64


class PanelApi:
    """Answers on the event loop; what is pressed is done in a thread, as it may wait for the disk. A press is done
    once: its challenge is good once."""

    def __init__(self, hub: Hub, ask: AskRoot = ask_root) -> None:
        self._hub = hub
        self._ask = ask

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """{unit, nonce, challenge, language, do: null or {step, …}} → {nonce, challenge, now_ms, view, done}."""
        message = await read_message(scope, receive, send, BODY_BYTES_MAX, BODY_WITHIN_S, (403, "unknown unit"))
        if message is None:
            return
        hub = self._hub
        try:
            unit, key, said = hub.unit_door.request_of(PANEL_ASKS, message, address_of(scope))
            if not hub.challenges.take(said.get("challenge")):
                raise Refusal(403, "ask for a challenge first")
            hub.unit_door.charge(PANEL_ASKS, unit)
            nonce = said.get("nonce")
            if not isinstance(nonce, str) or not 0 < len(nonce) <= NONCE_LENGTH_MAX:
                raise Refusal(400, "malformed question")
            language = said.get("language")
            texts = _words(language if language in LANGUAGES else hub.language)
            done = await asyncio.to_thread(self._done, said.get("do"), texts)
            view = await asyncio.to_thread(panel_view, hub, texts)
        except Refusal as refusal:
            await send_json(send, refusal.status, refusal.said)
            return
        except Exception:
            log.exception("the panel's question failed")
            await send_json(send, 500, {"error": "try again"})
            return
        hub.presence.heard(unit, hub.clocks.mono_ms())
        await send_json(send, 200, envelope(key, ECHO, {
            "nonce": nonce, "challenge": hub.challenges.issue(), "now_ms": hub.clocks.mono_ms(),
            "view": view, "done": done}))

    def _done(self, asked: object, texts: Words) -> dict[str, Any] | None:
        """What became of a press: {"refused": in words} or {"refused": "", …}; None where nothing was pressed."""
        if asked is None:
            return None
        if not isinstance(asked, Mapping):
            raise Refusal(400, "malformed question")
        try:
            return {"refused": "", **do_step(self._hub, asked, texts, self._ask)}
        except Malformed as error:
            raise Refusal(400, f"malformed question: {error}") from error
        except Problem as problem:
            return {"refused": problem.say(texts)}
        except (HubStopped, OutcomeUnknown, TimeoutError):
            return {"refused": Problem("panel_unknown").say(texts)}


def _words(language: str) -> Words:
    return catalogue("roundtap_hub", language).also(core_words(language))
