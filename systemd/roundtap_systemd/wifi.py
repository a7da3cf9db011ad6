"""This machine's own hotspot: its name and password, whether it is up, who is on it, and how many it bears. No root.

Looked at with `iw`, which asks the kernel; what was set up is read from the file that `roundtap hotspot` leaves.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundtap_systemd.checks import FINE, NETWORK, NOTE, WRONG, Check

STATE = Path("/etc/roundtap/hotspot.json")
"""Left by `roundtap hotspot on`: to be read by the hub's group, who shows it to organizers."""
OFTEN_BOARD, LEAN_BOARD = 8, 19
"""Devices that a Pi's own Wi-Fi bears as an access point, units included: with the firmware that it comes with, and
with the one that Raspberry Pi OS has beside it (`cyfmac43455-sdio-minimal.bin`)."""
BOARD_DRIVER = "brcmfmac"
FIRMWARE = Path("/etc/alternatives/cyfmac43455-sdio.bin")
ASKED_WITHIN_S = 5.0
SEARCHED = ("/usr/sbin", "/sbin", "/usr/bin", "/bin")

Run = Callable[[Sequence[str]], str]


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


@dataclass(frozen=True, slots=True)
class AccessPoint:
    """A Wi-Fi device that other devices are on. `clients` None: nobody could say. `limit` None: not known of this
    device."""

    device: str
    name: str
    channel: int
    clients: int | None
    limit: int | None

    @property
    def full(self) -> bool:
        """Whether the next device would be turned away."""
        return self.clients is not None and self.limit is not None and self.clients >= self.limit


def known_hotspot(path: Path = STATE) -> Hotspot | None:
    """The hotspot that was set up on this machine; None where there is none, or where this user may not read it."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Hotspot(str(said["name"]), str(said["password"]), str(said["device"]), int(said["channel"]),
                       str(said["country"]), bool(said.get("hidden", False)))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def access_points(run: Run | None = None, devices: Path = Path("/sys/class/net"),
                  firmware: Path = FIRMWARE) -> tuple[AccessPoint, ...]:
    """Every access point that this machine is just now; none where it has no Wi-Fi, no `iw`, or no hotspot is up."""
    ask = run or asked
    found = []
    for device, said in _by_device(ask(["iw", "dev"])).items():
        if said.get("type") != "AP":
            continue
        listed = ask(["iw", "dev", device, "station", "dump"])
        clients = len(re.findall(r"^Station ", listed, re.MULTILINE)) if listed or ask(["iw", "--version"]) else None
        channel = re.match(r"\d+", said.get("channel", ""))
        found.append(AccessPoint(device, said.get("ssid", ""), int(channel[0]) if channel else 0, clients,
                                 limit_of(device, devices, firmware)))
    return tuple(found)


def limit_of(device: str, devices: Path = Path("/sys/class/net"), firmware: Path = FIRMWARE) -> int | None:
    """How many devices a Wi-Fi bears as an access point, as far as it is known: of a Pi's own."""
    try:
        driver = (devices / device / "device/driver").resolve().name
    except OSError:
        return None
    if driver != BOARD_DRIVER:
        return None
    try:
        return LEAN_BOARD if "minimal" in os.readlink(firmware) else OFTEN_BOARD
    except OSError:
        return OFTEN_BOARD


def wifi_checks(points: Sequence[AccessPoint], wanted: Hotspot | None) -> list[Check]:
    """For *Before the doors open*: the hotspot that was set up, and who is on it. Nothing where there is none."""
    found = []
    if wanted is not None and not any(point.name == wanted.name for point in points):
        found.append(Check("hotspot", WRONG, {"name": wanted.name}, "down", NETWORK))
    for point in points:
        args: dict[str, str | int] = {"name": point.name, "n": point.clients or 0, "limit": point.limit or 0}
        if point.clients is None or point.limit is None:
            found.append(Check("hotspot", FINE, args, "up", NETWORK))
        elif point.full:
            found.append(Check("hotspot", WRONG, args, "full", NETWORK))
        else:
            nearly = point.clients >= point.limit - 1
            found.append(Check("hotspot", NOTE if nearly else FINE, args, "nearly" if nearly else "fine", NETWORK))
    return found


def hotspot_checks(path: Path = STATE) -> list[Check]:
    """`wifi_checks` of this machine, as it is now; asks nobody where no hotspot was set up."""
    wanted = known_hotspot(path)
    return [] if wanted is None else wifi_checks(access_points(), wanted)


def asked(words: Sequence[str]) -> str:
    """What a program says; "" where it is missing, fails or does not answer."""
    # A service's PATH may lack the folders where Debian keeps it.
    path = os.pathsep.join([os.environ.get("PATH", ""), *SEARCHED])
    try:
        done = subprocess.run(list(words), capture_output=True, text=True, check=False, timeout=ASKED_WITHIN_S,
                              stdin=subprocess.DEVNULL, env={"PATH": path, "LC_ALL": "C"}, errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _by_device(listed: str) -> Mapping[str, Mapping[str, str]]:
    """`iw dev`: by device, what its lines say ("type" → "AP")."""
    found: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in listed.splitlines():
        words = line.split(None, 1)
        if len(words) == 2 and words[0] == "Interface":
            current = found.setdefault(words[1].strip(), {})
        elif len(words) == 2:
            current.setdefault(words[0], words[1].strip())
    return found


def wifi_code(name: str, password: str, hidden: bool = False) -> str:
    """What a phone reads to join a network, as Android and iOS understand it; without a password an open one."""
    locked = f"T:WPA;S:{_escaped(name)};P:{_escaped(password)};" if password else f"T:nopass;S:{_escaped(name)};"
    return f"WIFI:{locked}{'H:true;' if hidden else ''};"


def _escaped(text: str) -> str:
    return re.sub(r'([\\;,:"])', r"\\\1", text)
