"""What this machine is: shows its role, sets it, or takes it from roundtap.txt on the boot partition."""

import argparse
import locale
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from roundtap.provisioning import applying, read_only, roles
from roundtap.provisioning.settings_file import ROLES, Settings, SettingsNote
from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_core.words import Words, catalogue, choose_language, core_words
from roundtap_machine.health import MachineProbe, check_health, missing_packages
from roundtap_machine.services import APPLIED
from roundtap_units.wall.main import missing_programs

DONE, BAD_INPUT = 0, 2
SIZES = (14, 12, 10, 9)  # letter sizes to try; the largest in which the whole text fits, else the last, cut
HELD_S = 8.0
ASKS_FOR_A_USER = "userconfig.service"  # Pi OS asks for the first user's name on the screen, and waits
MAKES_HOST_KEYS = "regenerate_ssh_host_keys.service"  # Pi OS's, until it has run once; the first start does that
CLOUD_OFF = "etc/cloud/cloud-init.disabled"
CLOUD_STAGES = ("init --local", "init", "modules --mode config", "modules --mode final")
# What Imager leaves for systemd, and older guides for Pi OS's own services: without the lines by which Imager's script
# ends itself, since they end ours, too; and where "ssh" stays, Pi OS fails to remove it at each start.
FROM_BOOT = {
    "firstrun.sh": r"""bash -c "$(sed '/firstrun\.sh/d; /systemd[\]*\./d' firstrun.sh)" """,
    "userconf.txt": """tr -d '\\r' < userconf.txt | (
        IFS=: read -r name hash more; /usr/lib/userconf-pi/userconf "$name" "$hash")""",
    **{name: f"systemctl --quiet enable ssh.service && rm {name}" for name in ("ssh", "ssh.txt")},
}
RADIO_OFF = "var/lib/NetworkManager/NetworkManager.state"  # Pi OS keeps the Wi-Fi off until the country is set
REPORT_FILE = "roundtap-says.txt"
CONSOLES = ("/dev/tty1",)
TAKEN_OVER = "var/lib/roundtap-machine/from-imager"  # what cloud-init really did at the first start
TRIED = "var/lib/roundtap-machine/restarted-for"


ARGUMENTS = (
    argument(
        "role", nargs="?", choices=ROLES, metavar="ROLE", help="|".join(ROLES) + ": be this from now on", either="what"
    ),
    argument("--apply", action="store_true", help="take what roundtap.txt says, as at each start", either="what"),
    argument(
        "--read-only", action="store_true", help="from the next start on, no plug hurts the system", either="what"
    ),
    argument(
        "--writable", action="store_true", help="from the next start on, the system can be changed", either="what"
    ),
    argument("--first-boot", action="store_true", help=argparse.SUPPRESS, either="what"),
    argument("--restart", action="store_true", help="restart by itself where that takes a restart"),
    argument("--root", type=Path, default=Path("/"), help=argparse.SUPPRESS),
)


def words_for(settings: Settings) -> Words:
    """The texts in the file's language, else the machine's."""
    return catalogue("roundtap", settings.language or choose_language(locale.getlocale()[0] or ""))


def role_report(
    settings: Settings,
    notes: Sequence[SettingsNote],
    words: Words,
    services: Sequence[str],
    has_login: bool,
    imager: str = "",
    locked: Sequence[str] = (),
) -> str:
    """The content of `roundtap-says.txt`: the machine's role, what Imager set, whose passwords were locked, then one
    line for each thing to correct."""
    role = words(f"role.{settings.role or 'undecided'}")
    lines = [words("says.role", role=role), words("says.services", services=", ".join(services) or "–"), ""]
    lines[2:2] = [
        words(f"says.{key}", names=names) for key, names in (("imager", imager), ("locked", ", ".join(locked))) if names
    ]
    lines += [note.text(words) for note in notes] or [words("says.fine")]
    return "\n".join(
        [*lines, *([] if has_login or settings.ssh_key or settings.password_hash else ["", words("says.no_login")]), ""]
    )


def write_report(boot: Path | None, text: str, mend: bool, consoles: Sequence[str] = CONSOLES) -> None:
    """Write it beside the settings if it has changed; on the screen only if there is something to correct."""
    # CRLF and a byte order mark, for Notepad.
    raw = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    if boot is not None:
        path = boot / REPORT_FILE
        # The card may be read-only or full: the screen still shows it.
        with suppress(OSError):
            if not path.is_file() or path.read_bytes() != raw:
                path.write_bytes(raw)
    for console in consoles if mend else ():
        with suppress(OSError), open(console, "w", encoding="utf-8", errors="replace") as screen:
            screen.write(f"\r\n{text}".replace("\n", "\r\n"))


def show_on_display(settings: Settings, text: str, root: Path, hold: Callable[[float], None] = time.sleep) -> bool:
    """Show what to correct in `roundtap.txt` on the board's display for HELD_S, before the unit takes it over; returns
    whether there was a display. Missing hardware is no error here."""
    try:
        from roundtap_devices.boards import load_board
        from roundtap_devices.display.screen import oled_screen

        wiring = load_board(roles.own_or_known(settings.board or "recommended", root / roles.ETC)).screen
        if wiring.bus != "i2c":
            # On SPI the display needs two pins that belong to the unit.
            return False
        screen = oled_screen(wiring)
        if not screen.show(render_text(text), 0):
            return False
    except Exception:
        # Whatever a half-wired board raises: the machine must start.
        return False
    hold(HELD_S)
    screen.close()
    return True


def render_text(text: str) -> Any:
    """The text as a PIL image for the 128x64 screen, in the largest letters that fit; a longer one is cut."""
    from roundtap_devices.display.screen import HEIGHT, WIDTH
    from roundtap_devices.letters import draw_text
    from roundtap_units.table.screens.lettering import canvas, fit_text

    words = text.split()
    tries = (fit_text(" ".join(words[:count]), WIDTH, HEIGHT, SIZES) for count in range(len(words), 0, -1))
    fitted = next((tried for tried in tries if tried.fits), fit_text(words[0], WIDTH, HEIGHT, SIZES))
    image, pen = canvas(WIDTH, HEIGHT)
    for line, below in zip(fitted.lines, fitted.baselines, strict=True):
        draw_text(pen, 0, fitted.rise + below, line, *fitted.style)
    return image


def silence_first_boot(machine: applying.Machine) -> None:
    """Keep the stock system from waiting for a person, and other tools from setting the machine up."""
    machine.run(["systemctl", "--quiet", "mask", ASKS_FOR_A_USER])
    machine.run(["systemctl", "--quiet", "disable", MAKES_HOST_KEYS])
    # Once, while the root keeps what it does: on a read-only one each start would be its first.
    boot, names = machine.boot() or machine.root, machine.imager_settings()
    steps = [["sh", "-c", f"cd {boot} && {does}"] for file, does in FROM_BOOT.items() if (boot / file).is_file()]
    has_cloud = (machine.root / "etc/cloud").is_dir()
    if has_cloud and not (boot / "firstrun.sh").is_file() and {*names} - {"ssh", "userconf"}:
        steps += [["cloud-init", *stage.split()] for stage in CLOUD_STAGES]
    if not (machine.root / TAKEN_OVER).exists():
        # Of the final stage, Imager's packages want a network.
        failed = [machine.run(["timeout", "600", *step]) and "final" not in step for step in steps]
        if steps and not any(failed):
            applying.write_if_changed(machine.root / TAKEN_OVER, ", ".join(names))
    if has_cloud:
        # Its documented switch.
        (machine.root / CLOUD_OFF).touch()
    if (machine.root / "etc/modules-load.d").is_dir():
        applying.write_if_changed(machine.root / "etc/modules-load.d/roundtap.conf", "i2c-dev\n")
    state = machine.root / RADIO_OFF
    if state.is_file() and "WirelessEnabled=false" in state.read_text(encoding="utf-8"):
        applying.write_if_changed(state, "[main]\nWirelessEnabled=true\n", 0o600)
    machine.run(["rfkill", "unblock", "wifi"])


def restart_wanted(machine: applying.Machine) -> bool:
    """True once for each state of the boot files, so that a card that loses its writes does not restart for ever."""
    boot = machine.boot()
    if boot is None:
        return False
    state = "\0".join(
        (boot / name).read_text(encoding="utf-8", errors="replace")
        for name in ("config.txt", "cmdline.txt")
        if (boot / name).is_file()
    )
    path = machine.root / TRIED
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == state:
        return False
    applying.write_if_changed(path, state, 0o600)
    return True


def run(args: argparse.Namespace) -> int:
    """2 where the role cannot be written; a mistake in roundtap.txt is reported, but is no failure."""
    machine = applying.machine_at(args.root)
    try:
        if args.role:
            with machine.boot_open():
                applying.set_role(machine, args.role)
        if args.read_only or args.writable:
            return _turn(machine, on=args.read_only, restart=args.restart)
        if args.role or args.apply or args.first_boot:
            return _apply(machine, first=args.first_boot, restart=args.restart, wait=bool(args.role))
    except PermissionError as error:
        settings, _ = machine.settings()
        problem = Problem("role_forbidden", path=error.filename or machine.root)
        print(f"roundtap role: {problem.say(core_words(settings.language or 'en'))}", file=sys.stderr)
        return BAD_INPUT
    settings, notes = machine.settings()
    services = roles.role_services(settings)[0]
    print(
        role_report(
            settings,
            notes,
            words_for(settings),
            services,
            machine.has_login(),
            MachineProbe(root=machine.root).text(TAKEN_OVER) or "",
        ),
        end="",
    )
    return DONE


def _apply(machine: applying.Machine, first: bool, restart: bool, wait: bool = False) -> int:
    at_start = restart and machine.root == Path("/")
    if first:
        silence_first_boot(machine)
    done = applying.apply_settings(machine, not first, wait)
    settings, mistakes = machine.settings()
    notes = list(done.notes)
    changed = done.restart
    if first and settings.read_only is not False:
        root_notes = read_only.prepare_data_partition(machine)
        notes += root_notes or read_only.set_read_only(machine, True)[1]
    elif settings.read_only is not None:
        turned, root_notes = read_only.set_read_only(machine, settings.read_only)
        changed |= turned
        notes += root_notes
    if _is_data_missing(machine):
        notes.append(SettingsNote("data_missing"))
    if settings.role == "wall" and (lacking := missing_programs(path=str(machine.root / "usr/bin"))):
        notes.append(SettingsNote("no_browser", params={"programs": ", ".join(lacking)}))
    notes += [
        SettingsNote("small_wall", params=check.args)
        for check in check_health(MachineProbe(wall=settings.role == "wall", root=machine.root), time.time())
        if check.kind == "wall"
    ]
    if lacking := missing_packages(MachineProbe(root=machine.root)):
        notes.append(SettingsNote("left_out", params={"packages": ", ".join(lacking)}))
    words = words_for(settings)
    text = role_report(
        settings,
        notes,
        words,
        roles.role_services(settings)[0],
        machine.has_login(),
        MachineProbe(root=machine.root).text(TAKEN_OVER) or "",
        done.locked,
    )
    says = " ".join(note.text(words) for note in mistakes)
    applying.write_if_changed(machine.root / APPLIED, f"{settings.role}\n{says}")
    with machine.boot_open():
        write_report(
            machine.boot(),
            text,
            mend=bool(notes) or not settings.role,
            consoles=CONSOLES if machine.root == Path("/") else (),
        )
    print(text, end="")
    if notes and at_start:
        show_on_display(settings, notes[0].text(words), machine.root)
    if changed and not first:
        print(words("says.restart"))
        if restart and restart_wanted(machine):
            machine.run(["systemctl", "--no-block", "reboot"])
    return DONE


def _turn(machine: applying.Machine, on: bool, restart: bool) -> int:
    settings, _ = machine.settings()
    words = words_for(settings)
    notes = read_only.prepare_data_partition(machine) if on and not read_only.is_read_only(machine.root) else []
    changed, root_notes = (False, []) if notes else read_only.set_read_only(machine, on)
    for note in [*notes, *root_notes]:
        print(note.text(words), file=sys.stderr)
    if changed:
        print(words("says.read_only" if on else "says.writable"))
        if restart:
            machine.run(["systemctl", "--no-block", "reboot"])
    return BAD_INPUT if notes or root_notes else DONE


def _is_data_missing(machine: applying.Machine) -> bool:
    """Whether the data partition of `/etc/fstab` is missing, so that the services that need it do not start."""
    fstab = machine.root / "etc/fstab"
    return (
        fstab.is_file()
        and read_only.BEGIN in fstab.read_text(encoding="utf-8", errors="replace")
        and not read_only.is_data_mounted(machine.root)
    )
