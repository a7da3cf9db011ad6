"""What the front panel may do: the console's commands by the console's rules, a new PIN, a stick let go of."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.commands import SetClock
from roundtap_core.words import Words
from roundtap_hub.devices.panel_view import CONTINUE, HOLD, MINUTE, PAUSE, RESUME, START, left_after_cut_ms
from roundtap_hub.hub import Hub
from roundtap_hub.policy import POLICY, refuse_in_state
from roundtap_systemd.root_steps import EJECT, NO_STICK, Refused, ask_root

log = logging.getLogger(__name__)

ACTOR = "panel"
"""How entries name who pressed: somebody at the hub's own machine."""
CLOCK, SEEN, NEW_PIN, LET_GO = "clock", "seen", "pin", "eject"
MINUTE_MS = 60_000

AskRoot = Callable[..., Mapping[str, Any]]


class Malformed(ValueError):
    """No panel says this."""


def do_step(hub: Hub, asked: Mapping[str, Any], texts: Words, ask: AskRoot = ask_root) -> dict[str, Any]:
    """Do it; what is to be shown of it. Raises Problem where it is refused: then nothing has changed; Malformed."""
    step = asked.get("step")
    if step == CLOCK:
        return _clock(hub, _text(asked, "event"), _text(asked, "action"), _text(asked, "seen"))
    if step == SEEN:
        return _seen(hub, asked, texts("role.organizer"))
    if step == NEW_PIN:
        try:
            pin = hub.organizers.replace_hub_pin()
        except OSError as error:
            raise Problem("pin_not_saved", reason=error.strerror or str(error)) from error
        log.warning("a new PIN was made at the front panel; every session has ended")
        return {"pin": pin}
    if step == LET_GO:
        return _let_go(hub, _text(asked, "name"), ask)
    raise Malformed("step")


def _clock(hub: Hub, event_id: str, action: str, seen: str) -> dict[str, Any]:
    snapshot = hub.service.snapshot
    refuse_in_state(snapshot, POLICY["POST /console/<event_id>/clock"], event_id)
    state = snapshot.events.get(event_id)
    if state is None:
        raise Problem("unknown_event", event=event_id)
    if action in (START, RESUME, PAUSE):
        command = SetClock(PAUSE if action == PAUSE else START)
    elif action == MINUTE:
        command = SetClock("adjust", MINUTE_MS)
    elif action in (CONTINUE, HOLD):
        command = SetClock(action, left_after_cut_ms(hub, snapshot, state, hub.clocks.mono_ms()))
    else:
        raise Malformed("action")
    if not seen:
        raise Malformed("seen")
    hub.service.tell(event_id, command, ACTOR, seen=seen)
    return {}


def _seen(hub: Hub, asked: Mapping[str, Any], by: str) -> dict[str, Any]:
    """Somebody is on the way to the call that the panel showed; of another one nobody at the panel knows."""
    event_id, match, unit, since_ms = (_text(asked, "event"), _text(asked, "match"), _text(asked, "unit"),
                                       asked.get("since_ms"))
    if not isinstance(since_ms, int) or isinstance(since_ms, bool):
        raise Malformed("since_ms")
    if unit:
        status = hub.presence.status_of(unit)
        if status is None or status.call_since_ms != since_ms:
            raise Problem("call_over")
        hub.presence.take_call(unit, by)
        return {}
    if not any(call.match == match and call.since_ms == since_ms for call in hub.calls.of(event_id)):
        raise Problem("call_over")
    hub.calls.take(event_id, match, by)
    return {}


def _let_go(hub: Hub, name: str, ask: AskRoot) -> dict[str, Any]:
    """The stick's copy is closed, then root unmounts it; where it cannot, the copy goes on."""
    copies = hub.service.copies
    if copies is None or not any(each.name == name for each in copies.removable()):
        raise Problem("stick_unknown", stick=name[:80])
    if not copies.let_go(name):
        copies.take_back(name)
        raise Problem("stick_busy", stick=name)
    try:
        ask(EJECT, folder=name)
    except Refused as refused:
        copies.take_back(name)
        if refused.reason == NO_STICK:
            raise Problem("stick_no_mount", stick=name) from refused
        raise Problem("stick_not_unmounted", stick=name) from refused
    except OSError as error:
        copies.take_back(name)
        raise Problem("no_root_steps") from error
    return {}


def _text(asked: Mapping[str, Any], name: str) -> str:
    said = asked.get(name, "")
    if not isinstance(said, str) or len(said) > 200:
        raise Malformed(name)
    return said
