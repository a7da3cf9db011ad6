"""This machine's own hotspot: name and password as `roundtap hotspot` stored them, and whether it is up. No root."""

import json
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundtap_machine.health import FINE, NETWORK, WRONG, Check

STATE = Path("/etc/roundtap/hotspot.json")
"""Written by `roundtap hotspot on`, readable by the hub's group, which shows it to organizers."""
ADDRESS = "10.42.0.1"  # NetworkManager's default, fixed here because it is printed on paper
DEVICES_MAX = 8  # devices, units included, that a Pi's own Wi-Fi with its stock firmware can serve as an access point


@dataclass(frozen=True, slots=True)
class Hotspot:
    """The hotspot as set up. `password`: only for those who may let others in."""

    name: str
    password: str
    device: str
    channel: int
    country: str
    hidden: bool = False

    @property
    def qr(self) -> str:
        """The text of its QR code: "WIFI:T:WPA;S:Roundtap;P:…;;"."""
        return wifi_qr_text(self.name, self.password, self.hidden)


def known_hotspot(path: Path = STATE) -> Hotspot | None:
    """The hotspot set up on this machine; None without one, or where this user may not read it."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return Hotspot(
            str(stored["name"]),
            str(stored["password"]),
            str(stored["device"]),
            int(stored["channel"]),
            str(stored["country"]),
            bool(stored.get("hidden", False)),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_hotspot_up(address: str = ADDRESS) -> bool:
    """Whether this machine has the address that NetworkManager gives to an active hotspot."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
            tried.bind((address, 0))
    except OSError:
        return False
    return True


def hotspot_checks(path: Path = STATE, up: Callable[[], bool] = is_hotspot_up) -> list[Check]:
    """For *Before the doors open*: the hotspot's check; none where none was set up."""
    wanted = known_hotspot(path)
    if wanted is None:
        return []
    state, kind = (FINE, "up") if up() else (WRONG, "down")
    return [Check("hotspot", state, {"name": wanted.name}, kind, NETWORK)]


def wifi_qr_text(name: str, password: str, hidden: bool = False) -> str:
    """The QR text with which Android and iOS join a network; an open one without a password."""
    locked = f"T:WPA;S:{_escaped(name)};P:{_escaped(password)};" if password else f"T:nopass;S:{_escaped(name)};"
    return f"WIFI:{locked}{'H:true;' if hidden else ''};"


def _escaped(text: str) -> str:
    return re.sub(r'([\\;,:"])', r"\\\1", text)
