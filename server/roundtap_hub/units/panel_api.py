"""The front panel's requests, on the event loop: what it shows, and its presses."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core import messages
from roundtap_core.clock import RUNNING
from roundtap_core.errors import Problem
from roundtap_core.typed import DisplayText
from roundtap_core.wire import echo_json
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.access.unit_keys import PANEL_ASKS, UnitAnswer, answer_unit
from roundtap_hub.http.host import hall_address
from roundtap_hub.http.http_answers import Receive, Scope, Send
from roundtap_hub.http.routes import PANEL, route
from roundtap_hub.store import continuing
from roundtap_hub.store.copies import AWAY
from roundtap_hub.views.round_clock import DATE_AND_TIME, time_of_day
from roundtap_hub.views.running_hub import RunningHub
from roundtap_machine.root_steps import EJECT, NO_STICK, StepRefused, ask_root

log = logging.getLogger(__name__)

PANEL_BYTES_MAX = 8 * 1024
STICKS_MAX = 4


class ShownView(messages.PanelView, frozen=True):
    """An older panel shows nothing without these, and without the answer's time."""

    events: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


class PanelAnswer(messages.PanelResponse, frozen=True, kw_only=True):
    nonce: str
    now_ms: int


class PanelApi:
    """The front panel's requests, on the event loop; presses run in a thread, as they may wait for the disk, and only
    once, as a challenge is valid once."""

    def __init__(self, hub: RunningHub, ask: Callable[..., Mapping[str, Any]] = ask_root) -> None:
        self._hub = hub
        self._ask = ask

    @route("POST /device/panel", PANEL)
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """{unit, nonce, challenge, language, do: null or {step, …}} → {nonce, challenge, now_ms, view, done}."""
        await answer_unit(scope, receive, send, PANEL_BYTES_MAX, self._handle)

    async def _handle(self, message: Mapping[str, Any], address: str) -> UnitAnswer:
        hub = self._hub
        key, request = hub.units.auth.verify_request(PANEL_ASKS, message, address, messages.PanelRequest)
        hub.units.admit(PANEL_ASKS, request.unit, request.challenge)
        try:
            done = await asyncio.to_thread(self._perform, request)
            view = await asyncio.to_thread(panel_view, hub)
        except Exception:
            log.exception("the panel's question failed")
            return 500, {"error": "try again"}
        hub.presence.update(request.unit, hub.clocks.mono_ms())
        return 200, echo_json(
            key,
            PanelAnswer(
                challenge=hub.units.challenges.issue(),
                view=view,
                done=done,
                nonce=request.nonce,
                now_ms=hub.clocks.mono_ms(),
            ),
        )

    def _perform(self, request: messages.PanelRequest) -> messages.PressReply | None:
        """The outcome of a press; None for no press."""
        if request.do is None:
            return None
        try:
            match request.do:
                case messages.EjectStick(name=name):
                    self._eject(name)
                case messages.ContinueEvent(name=mark):
                    folder = self._hub.host.machine.folder
                    if folder is None:
                        raise Problem("continue_gone")
                    # The question has named what is set aside; a person stands before this machine.
                    continuing.press(self._hub.service, folder, mark, sure=True)
                case _:
                    return messages.PressReply("", self._new_pin())
            return messages.PressReply("")
        except Problem as problem:
            language = request.language if request.language in LANGUAGES else self._hub.language
            return messages.PressReply(problem.say(core_words(language)))

    def _new_pin(self) -> str:
        try:
            pin = self._hub.access.organizers.replace_hub_pin()
        except OSError as error:
            raise Problem("pin_not_saved", reason=error.strerror or str(error)) from error
        log.warning("a new PIN was made at the front panel; every session has ended")
        return pin

    def _eject(self, name: str) -> None:
        """Close the stick's copy, and have root unmount the stick; where that fails, the copy continues."""
        copies = self._hub.service.copies
        if copies is None or not any(each.name == name for each in copies.removable()):
            raise Problem("stick_unknown", stick=name[:80])
        if not copies.eject(name):
            copies.cancel_eject(name)
            raise Problem("stick_busy", stick=name)
        try:
            self._ask(EJECT, folder=name)
        except StepRefused as refused:
            copies.cancel_eject(name)
            key = "stick_no_mount" if refused.reason == NO_STICK else "stick_not_unmounted"
            raise Problem(key, stick=name) from refused
        except OSError as error:
            copies.cancel_eject(name)
            raise Problem("no_root_steps") from error


def panel_view(hub: RunningHub) -> ShownView:
    snapshot = hub.service.snapshot
    sticks = hub.service.copies.removable() if hub.service.copies is not None else []
    plain = hall_address(hub.host, f"http://localhost:{hub.host.plain_port or 80}/")
    return ShownView(
        DisplayText(time_of_day(hub.clocks.wall())),
        DisplayText(plain),
        DisplayText(_console_url(hub, plain)),
        DisplayText(hub.host.hall_addresses.by_name.removeprefix("http://")),
        DisplayText(hub.access.encrypted.fingerprint if hub.access.encrypted is not None else ""),
        tuple(messages.UsbStick(each.name, each.state) for each in sticks if each.state != AWAY)[:STICKS_MAX],
        bool(hub.service.storage.fault),
        any(state.live is not None and state.clock.state == RUNNING for state in snapshot.events.values()),
        next(
            (
                each.replace(until=time_of_day(each.until, form=DATE_AND_TIME))
                for each in continuing.offers(hub.service)
            ),
            None,
        ),
    )


def _console_url(hub: RunningHub, plain: str) -> str:
    if hub.access.encrypted is None:
        return ""
    host = plain.removeprefix("http://")
    # An IPv6 address has colons of its own, in brackets.
    at = host.rfind(":")
    return f"https://{host[:at] if at > host.rfind(']') else host}:{hub.access.encrypted.port}"
