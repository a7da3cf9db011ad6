"""This machine's own hotspot: its name and password as `roundtap hotspot` left them, and whether it is up. No root."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundtap_machine.checks import FINE, NETWORK, WRONG, Check

STATE = Path("/etc/roundtap/hotspot.json")
"""Left by `roundtap hotspot on`: to be read by the hub's group, who shows it to organizers."""
ADDRESS = "10.42.0.1"
"""NetworkManager's own choice, said so that it stays: paper says it."""
DEVICES_MAX = 8
"""Devices that a Pi's own Wi-Fi bears as an access point, units included, with the firmware that it comes with."""


@dataclass(frozen=True, slots=True)
class Hotspot:
    """What was set up. `password` is for people who may let others in."""

    name: str
    password: str
    device: str
    channel: int
    country: str
    hidden: bool = False

    @property
    def qr(self) -> str:
        """What a phone's camera takes for a Wi-Fi: "WIFI:T:WPA;S:Roundtap;P:…;;"."""
        return wifi_code(self.name, self.password, self.hidden)


def known_hotspot(path: Path = STATE) -> Hotspot | None:
    """The hotspot that was set up on this machine; None where there is none, or where this user may not read it."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Hotspot(str(said["name"]), str(said["password"]), str(said["device"]), int(said["channel"]),
                       str(said["country"]), bool(said.get("hidden", False)))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_up(address: str = ADDRESS) -> bool:
    """Whether this machine has that address just now, which NetworkManager gives to whatever makes the hotspot."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
            tried.bind((address, 0))
    except OSError:
        return False
    return True


def hotspot_checks(path: Path = STATE, up: Callable[[], bool] = is_up) -> list[Check]:
    """For *Before the doors open*: the hotspot that was set up. Nothing where there is none."""
    wanted = known_hotspot(path)
    if wanted is None:
        return []
    state, kind = (FINE, "up") if up() else (WRONG, "down")
    return [Check("hotspot", state, {"name": wanted.name}, kind, NETWORK)]


def wifi_code(name: str, password: str, hidden: bool = False) -> str:
    """What a phone reads to join a network, as Android and iOS understand it; without a password an open one."""
    locked = f"T:WPA;S:{_escaped(name)};P:{_escaped(password)};" if password else f"T:nopass;S:{_escaped(name)};"
    return f"WIFI:{locked}{'H:true;' if hidden else ''};"


def _escaped(text: str) -> str:
    return re.sub(r'([\\;,:"])', r"\\\1", text)
