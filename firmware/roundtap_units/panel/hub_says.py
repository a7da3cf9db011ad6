"""What hub and standby tell the front panel of their machine, looked at before it is believed: shapes and lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

STICKS_MAX = 4
LET_GO = "let-go"


@dataclass(frozen=True, slots=True)
class HubSaid:
    """Everything at one moment. `wall`: the time of day, "" where nobody knows it; `name`: the machine's on the
    network; `sticks`: folders that may be let go of; `running`: a round's clock runs; `trouble`: the hub's disk
    refuses."""

    wall: str
    players: str
    console: str
    name: str
    fingerprint: str
    sticks: tuple[str, ...]
    running: bool
    trouble: bool


@dataclass(frozen=True, slots=True)
class StandbySaid:
    """A standby on this machine. `state`: of `server/roundtap_hub/standby/following.py`; `level`: it held everything
    once, so that its key may be turned."""

    state: str
    hub: str
    level: bool


def hub_said(raw: object) -> HubSaid:
    """ValueError, KeyError or TypeError for what no hub says. What another version says besides is not looked at."""
    view = _object(raw)
    if not isinstance(view["sticks"], list):
        raise TypeError("no list")
    sticks = [(_text(each["name"]), each["state"]) for each in map(_object, view["sticks"][:STICKS_MAX])]
    return HubSaid(
        _text(view["wall"]), _text(view["players"]), _text(view["console"]), _text(view["name"]),
        _text(view["fingerprint"]), tuple(name for name, state in sticks if state != LET_GO),
        # An older hub does not say it.
        running=view.get("running") is True, trouble=view["trouble"] is True)


def standby_said(raw: object) -> StandbySaid:
    """ValueError, KeyError or TypeError for what no standby says."""
    said = _object(raw)
    return StandbySaid(_text(said["state"]), _text(said["hub"]), said["level"] is True)


def _object(raw: object) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise TypeError("no object")
    return raw


def _text(raw: object) -> str:
    if not isinstance(raw, str) or len(raw) > 400:
        raise ValueError("no text")
    return "".join(letter if letter.isprintable() else " " for letter in raw)
