"""What this machine is: shows its role, sets it, or takes it from roundtap.txt on the boot partition."""

from __future__ import annotations

import argparse
import locale
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from roundtap.provisioning import applying, read_only, roles
from roundtap.provisioning.applying import Machine, write_whole
from roundtap.provisioning.roles import ETC
from roundtap.provisioning.settings_file import ROLES, Settings, SettingsNote
from roundtap_core.errors import Problem
from roundtap_core.words import Words, catalogue, choose_language, core_words

DONE, BAD_INPUT = 0, 2
SIZES = (14, 12, 10, 9)
"""The largest letters in which the whole text has room; the last one, cut, where none has."""
HELD_S = 8.0
ASKS_FOR_A_USER = "userconfig.service"
"""Pi OS asks for the first user's name on the screen, and waits for it."""
CLOUD_OFF = "etc/cloud/cloud-init.disabled"
RADIO_OFF = "var/lib/NetworkManager/NetworkManager.state"
"""Pi OS keeps the Wi-Fi off until somebody names the country."""
REPORT_FILE = "roundtap-says.txt"
CONSOLES = ("/dev/tty1",)
TRIED = "var/lib/roundtap-machine/restarted-for"


def words_for(settings: Settings) -> Words:
    """The language that the file names, else the machine's own."""
    return catalogue("roundtap", settings.language or choose_language(locale.getlocale()[0] or ""))


def report(settings: Settings, told: Sequence[SettingsNote], words: Words, services: Sequence[str]) -> str:
    """What `roundtap-says.txt` has: what this machine is, then one line for each thing to mend."""
    role = words(f"role.{settings.role or 'undecided'}")
    lines = [words("says.role", role=role), words("says.services", services=", ".join(services) or "–"), ""]
    lines += [one.text(words) for one in told] or [words("says.fine")]
    return "\n".join([*lines, ""])


def write_report(boot: Path | None, text: str, mend: bool, consoles: Sequence[str] = CONSOLES) -> None:
    """Write it beside the settings if it says something new; on the screen only what is to be mended."""
    # CRLF and a mark: this is read with Notepad.
    raw = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    if boot is not None:
        path = boot / REPORT_FILE
        # The card may be read-only or full: the screen says it all the same.
        with suppress(OSError):
            if not path.is_file() or path.read_bytes() != raw:
                path.write_bytes(raw)
    for console in consoles if mend else ():
        with suppress(OSError), open(console, "w", encoding="utf-8", errors="replace") as screen:
            screen.write(f"\r\n{text}".replace("\n", "\r\n"))


def show_on_display(settings: Settings, text: str, root: Path,
                    hold: Callable[[float], None] = time.sleep) -> bool:
    """What is to be mended in `roundtap.txt`, on the board's display for HELD_S, before the unit takes it over; whether
    there was a display. Nothing that is missing is an error here."""
    try:
        from roundtap_devices.boards import board
        from roundtap_devices.display.oled import oled_screen

        own = settings.board.endswith(".toml")
        wiring = board(str(root / ETC / settings.board) if own else settings.board or "recommended").screen
        if wiring.bus != "i2c":
            # On SPI the display needs two pins, which are the unit's.
            return False
        screen = oled_screen(wiring)
        if not screen.show(render_text(text), 0):
            return False
    except Exception:
        # Whatever a half-wired board comes up with: the machine starts.
        return False
    hold(HELD_S)
    screen.close()
    return True


def render_text(text: str) -> Any:
    """The text as a PIL image for the screen, 128x64, in letters as large as all of it allows."""
    from PIL import Image, ImageDraw

    from roundtap_devices.display.screen import HEIGHT, WIDTH
    from roundtap_devices.printing.drawing import font, text_width

    image = Image.new("1", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    for size in SIZES:
        lines = wrapped(text, lambda line, size=size: text_width(line, size) <= WIDTH)  # type: ignore[misc]
        if len(lines) * (size + 2) <= HEIGHT:
            break
    for number, line in enumerate(lines[:HEIGHT // (size + 2)]):
        draw.text((0, number * (size + 2)), line, font=font(size), fill=1)
    return image


def wrapped(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Lines that fit, broken between words; a word that is too long by itself is broken within."""
    lines: list[str] = []
    for word in text.split():
        if lines and fits(f"{lines[-1]} {word}"):
            lines[-1] += f" {word}"
            continue
        rest = word
        while len(rest) > 1 and not fits(rest):
            cut = next((n for n in range(len(rest) - 1, 1, -1) if fits(rest[:n])), 1)
            lines.append(rest[:cut])
            rest = rest[cut:]
        lines.append(rest)
    return lines


def silence_first_boot(machine: Machine) -> None:
    """Nothing of the stock system waits for a person, and no second tool sets the machine up."""
    machine.run(["systemctl", "--quiet", "mask", ASKS_FOR_A_USER])
    if (machine.root / "etc/cloud").is_dir() and not _imager_set_something(machine.boot()):
        # Its own switch, as its documentation has it. What somebody chose in Imager still comes true.
        (machine.root / CLOUD_OFF).touch()
    if (machine.root / "etc/modules-load.d").is_dir():
        write_whole(machine.root / "etc/modules-load.d/roundtap.conf", "i2c-dev\n")
    state = machine.root / RADIO_OFF
    if state.is_file() and "WirelessEnabled=false" in state.read_text(encoding="utf-8"):
        write_whole(state, "[main]\nWirelessEnabled=true\n", 0o600)
    machine.run(["rfkill", "unblock", "wifi"])


def _imager_set_something(boot: Path | None) -> bool:
    try:
        lines = (boot / "user-data").read_text(encoding="utf-8").splitlines() if boot else []
    except OSError:
        return False
    return any(line.strip() and not line.lstrip().startswith("#") for line in lines)


def restart_wanted(machine: Machine) -> bool:
    """Once for each state of the boot files: a card that forgets what is written to it does not restart for ever."""
    boot = machine.boot()
    if boot is None:
        return False
    state = "\0".join((boot / name).read_text(encoding="utf-8", errors="replace")
                      for name in ("config.txt", "cmdline.txt") if (boot / name).is_file())
    path = machine.root / TRIED
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == state:
        return False
    write_whole(path, state, 0o600)
    return True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("role", nargs="?", choices=ROLES, metavar="ROLE", help="|".join(ROLES) + ": be this from now on")
    what.add_argument("--apply", action="store_true", help="take what roundtap.txt says, as at each start")
    what.add_argument("--read-only", action="store_true", help="from the next start on, no plug hurts the system")
    what.add_argument("--writable", action="store_true", help="from the next start on, the system can be changed")
    what.add_argument("--first-boot", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--restart", action="store_true", help="restart by itself where that takes a restart")
    parser.add_argument("--root", type=Path, default=Path("/"), help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """2 where the role cannot be written; a slip in roundtap.txt is told and is no failure."""
    machine = applying.machine_at(args.root)
    try:
        if args.role:
            with machine.boot_open():
                applying.set_role(machine, args.role)
        if args.read_only or args.writable:
            return _turn(machine, on=args.read_only, restart=args.restart)
        if args.role or args.apply or args.first_boot:
            return _apply(machine, first=args.first_boot, restart=args.restart)
    except PermissionError as error:
        settings, _ = machine.settings()
        problem = Problem("role_forbidden", path=error.filename or "")
        print(f"roundtap role: {problem.say(core_words(settings.language or 'en'))}", file=sys.stderr)
        return BAD_INPUT
    settings, told = machine.settings()
    print(report(settings, told, words_for(settings), roles.services(settings.role)[0]), end="")
    return DONE


def _apply(machine: Machine, first: bool, restart: bool) -> int:
    at_start = restart and machine.root == Path("/")
    if first:
        silence_first_boot(machine)
    done = applying.apply(machine, start=not first)
    settings, _ = machine.settings()
    told = list(done.told)
    changed = done.restart
    if first and settings.read_only is not False:
        found = read_only.prepare(machine)
        told += found or read_only.set_read_only(machine, True)[1]
    elif settings.read_only is not None:
        turned, found = read_only.set_read_only(machine, settings.read_only)
        changed |= turned
        told += found
    if _is_data_missing(machine):
        told.append(SettingsNote("data_missing"))
    words = words_for(settings)
    text = report(settings, told, words, roles.services(settings.role)[0])
    consoles = CONSOLES if machine.root == Path("/") else ()
    with machine.boot_open():
        write_report(machine.boot(), text, mend=bool(told) or not settings.role, consoles=consoles)
    print(text, end="")
    if told and at_start:
        show_on_display(settings, told[0].text(words), machine.root)
    if changed and not first:
        print(words("says.restart"))
        if restart and restart_wanted(machine):
            machine.run(["systemctl", "--no-block", "reboot"])
    return DONE


def _turn(machine: Machine, on: bool, restart: bool) -> int:
    settings, _ = machine.settings()
    words = words_for(settings)
    told = read_only.prepare(machine) if on and not read_only.is_read_only(machine.root) else []
    changed, found = (False, []) if told else read_only.set_read_only(machine, on)
    for one in [*told, *found]:
        print(one.text(words), file=sys.stderr)
    if changed:
        print(words("says.read_only" if on else "says.writable"))
        if restart:
            machine.run(["systemctl", "--no-block", "reboot"])
    return BAD_INPUT if told or found else DONE


def _is_data_missing(machine: Machine) -> bool:
    """Whether `/etc/fstab` has a data partition that is not there: the services that need it do not start."""
    fstab = machine.root / "etc/fstab"
    if not fstab.is_file() or read_only.BEGIN not in fstab.read_text(encoding="utf-8", errors="replace"):
        return False
    return not read_only.is_data_there(machine.root)
