"""Steps for root, one per connection: power off, unmount a stick, set the clock, read the hotspot's password.

Socket and hardening: `systemd/roundtap-steps.socket`, `systemd/roundtap-steps@.service`.
"""

import configparser
import json
import os
import pwd
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_machine.health import mount_of

SOCKET = Path("/run/roundtap/steps.sock")
SOCKET_VARIABLE = "ROUNDTAP_STEPS"  # the environment variable that names another socket
LINE_BYTES_MAX = 4096
READ_TIMEOUT_S = 5.0
DONE_WITHIN_S = 20.0

POWER_OFF, EJECT, SET_TIME, HOTSPOT = "power-off", "eject", "set-time", "hotspot"
PANEL, HUB, STANDBY = "roundtap-panel", "roundtap-hub", "roundtap-standby"
ALLOWED_USERS: Mapping[str, frozenset[str]] = {
    POWER_OFF: frozenset({PANEL}),
    # The hub releases the stick first; a standby that has taken over is the hub.
    EJECT: frozenset({HUB, STANDBY}),
    SET_TIME: frozenset({HUB, STANDBY}),
    HOTSPOT: frozenset({PANEL, HUB, STANDBY}),
}
"""Step → the users that may request it."""

STICKS = ("/media/", "/mnt/", "/run/media/")  # only mounts below these are ever unmounted
EARLIEST_S, LATEST_S = 1_793_491_200, 3_155_760_000
"""2026-11-01 and 2070-01-01: a time before this program existed, or after any hub's authority expires, is wrong."""
CONNECTIONS = Path("/etc/NetworkManager/system-connections")


NO_STICK = "no-stick"  # refused: not a mounted stick of this machine


def is_plausible_time(seconds: float) -> bool:
    """Whether a time in seconds since 1970 is plausible."""
    return EARLIEST_S <= seconds < LATEST_S


class StepRefused(Exception):
    """A refused step; `reason` is a word for programs."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=DONE_WITHIN_S, check=False)


@dataclass(frozen=True, slots=True)
class RootSteps:
    """Carries out the steps. `run` calls systemctl, `set_time_s` sets the kernel's clock."""

    run: Callable[[list[str]], "subprocess.CompletedProcess[str]"] = _run
    set_time_s: Callable[[float], None] = lambda seconds: time.clock_settime(time.CLOCK_REALTIME, seconds)
    mounts: Path = Path("/proc/self/mountinfo")
    connections: Path = CONNECTIONS

    def answer(self, user: str, request: object) -> dict[str, Any]:
        """{"done": true, …}, or {"refused": reason}. `user`: as reported by the kernel."""
        try:
            step = request.get("step") if isinstance(request, dict) else None
            if not isinstance(request, dict) or not isinstance(step, str) or step not in ALLOWED_USERS:
                raise StepRefused("unknown")
            if user not in ALLOWED_USERS[step]:
                raise StepRefused("not-yours")
            if step == HOTSPOT:
                return {"done": True, **self._hotspot()}
            if step == POWER_OFF:
                self._systemctl("poweroff", "--no-block")
            elif step == EJECT:
                self._eject(request.get("folder"))
            elif step == SET_TIME:
                self._set_time(request.get("seconds"))
            return {"done": True}
        except StepRefused as refused:
            return {"refused": refused.reason}
        except (OSError, subprocess.SubprocessError):
            return {"refused": "failed"}

    def _systemctl(self, *words: str) -> None:
        if self.run(["systemctl", "--no-ask-password", *words]).returncode != 0:
            raise StepRefused("failed")

    def _eject(self, folder: object) -> None:
        """Have systemd unmount a stick: everything is written to it when this returns, and no process has it open."""
        if not isinstance(folder, str) or not folder.startswith(STICKS) or os.path.normpath(folder) != folder:
            raise StepRefused(NO_STICK)
        mount = mount_of(self.mounts.read_text(encoding="utf-8", errors="replace"), Path(folder))
        if mount is None or not mount.place.startswith(STICKS):
            raise StepRefused(NO_STICK)
        self._systemctl("stop", "--", _mount_unit(mount.place))

    def _set_time(self, seconds: object) -> None:
        if not isinstance(seconds, int) or isinstance(seconds, bool) or not is_plausible_time(seconds):
            raise StepRefused("implausible")
        self.set_time_s(float(seconds))

    def _hotspot(self) -> dict[str, str]:
        for path in sorted(self.connections.glob("*.nmconnection")):
            read = configparser.ConfigParser(interpolation=None)
            try:
                read.read_string(path.read_text(encoding="utf-8"))
            except (OSError, ValueError, configparser.Error):
                continue
            if read.get("wifi", "mode", fallback="") == "ap" and (ssid := read.get("wifi", "ssid", fallback="")):
                return {"ssid": _name_in(ssid), "password": _plain(read.get("wifi-security", "psk", fallback=""))}
        raise StepRefused("no-hotspot")


def _name_in(value: str) -> str:
    """A network's name from a key file, which has it as text or as bytes ("87;195;188;")."""
    if re.fullmatch(r"(\d{1,3};)+", value) and all(int(byte) < 256 for byte in value[:-1].split(";")):
        return bytes(map(int, value[:-1].split(";"))).decode("utf-8", "replace")
    return _plain(value)


def _plain(value: str) -> str:
    """A key file's value without GLib's escapes."""
    return re.sub(r"\\(.)", lambda escape: {"s": " ", "t": "\t", "n": "\n", "r": "\r"}.get(escape[1], escape[1]), value)


def _mount_unit(path: str) -> str:
    """systemd's name of a mount: "/media/my stick" → "media-my\\x20stick.mount"."""
    return (
        "-".join(
            "".join(
                letter
                if letter.isascii() and (letter.isalnum() or letter in ":_.")
                else "".join(f"\\x{byte:02x}" for byte in letter.encode())
                for letter in part
            )
            for part in path.strip("/").split("/")
        )
        + ".mount"
    )


def ask_root(step: str, path: Path | None = None, **params: Any) -> dict[str, Any]:
    """Request a step and return its answer. OSError without an answer; StepRefused with the reason."""
    place = path or Path(os.environ.get(SOCKET_VARIABLE) or SOCKET)
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(DONE_WITHIN_S + READ_TIMEOUT_S)
        asking.connect(str(place))
        asking.sendall(json.dumps({"step": step, **params}).encode() + b"\n")
        with asking.makefile("rb") as answers:
            line = answers.readline(LINE_BYTES_MAX)
    try:
        answer = json.loads(line)
    except ValueError:
        raise OSError("no answer") from None
    if not isinstance(answer, dict) or answer.get("done") is not True:
        raise StepRefused(str(answer.get("refused", "failed")) if isinstance(answer, dict) else "failed")
    return answer


def connected_user(connection: socket.socket) -> str:
    """The name of the user at the other end, or "" without one."""
    _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return ""


def serve_connection(connection: socket.socket, steps: RootSteps | None = None) -> None:
    connection.settimeout(READ_TIMEOUT_S)
    user = connected_user(connection)
    with connection.makefile("rb") as incoming:
        line = incoming.readline(LINE_BYTES_MAX)
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        request = None
    answer = (steps or RootSteps()).answer(user, request)
    # For systemd's journal: user, step and outcome, but never the password.
    print(
        f"roundtap steps: {user}: {request.get('step') if isinstance(request, dict) else None}: "
        f"{answer.get('refused', 'done')}",
        file=sys.stderr,
        flush=True,
    )
    connection.sendall(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    # systemd hands the connection over as stdin.
    with socket.socket(fileno=os.dup(0)) as handed:
        serve_connection(handed)
