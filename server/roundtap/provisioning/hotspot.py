"""`roundtap hotspot`: this machine makes the hall's Wi-Fi itself, by NetworkManager, for up to eight devices."""

import json
import re
import secrets
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from roundtap.headless import cli_io
from roundtap.provisioning import applying
from roundtap.provisioning.roles import HOTSPOT, HOTSPOT_FILES, HUBS
from roundtap.provisioning.settings_file import COUNTRIES, SSID_BYTES_MAX
from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_core.words import Words
from roundtap_machine.services import ProgramResult, run_program
from roundtap_machine.wifi import ADDRESS, DEVICES_MAX, STATE, Hotspot, is_hotspot_up, known_hotspot

DELETE_COMMAND = ("nmcli", "connection", "delete", HOTSPOT)
UP = ("nmcli", "--wait", "20", "connection", "up", HOTSPOT)
NAME, CHANNEL = "Roundtap", 6
CHANNELS = range(1, 14)
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # letters that are not easily confused on a screen or on paper
GROUPS, GROUP = 3, 4
PASSWORD = re.compile(r"[ -~]{8,63}")
READERS = "roundtap-hub"
MAY_HAVE, NO = ("", *HUBS), "no"  # roles that may have a hotspot; "" is a machine set up without roundtap.txt
# Where the Wi-Fi's kernel module reads the country at start.
COUNTRY = Path("/", HOTSPOT_FILES[-1])


ARGUMENTS = (
    argument(
        "action",
        choices=("on", "off", "status", "keep"),
        help="on: make it, now and at every start; off: forget it; status: what it is, and if it is "
        "up; keep: as roundtap.txt says, or as it was (the service's own)",
    ),
    argument("--name", default=None, help=f"the Wi-Fi's name (default: as it was, or {NAME})"),
    argument("--password", default=None, help="8 to 63 letters (default: as it was, or a new one)"),
    argument("--new-password", action="store_true", help="with on: another one than before"),
    argument("--country", default=None, metavar="CC", help="two letters, as DE: the law on channels is its"),
    argument("--channel", type=int, default=None, help=f"1 to 13 (default: as it was, or {CHANNEL})"),
    argument("--interface", default=None, help="the Wi-Fi device (default: whichever there is)"),
)


@dataclass(frozen=True, slots=True)
class HotspotMachine:
    """The root of the hotspot's files, and how programs are run; both are replaced in tests."""

    root: Path = Path("/")
    run: Callable[[Sequence[str]], ProgramResult] = run_program
    is_up: Callable[[], bool] = is_hotspot_up

    def at(self, path: Path) -> Path:
        return self.root / path.relative_to("/")


def run(args: Namespace) -> int:
    """0: done; 2: refused, with the reason on stderr."""
    act = apply_settings if args.action == "keep" else run_action
    return cli_io.print_lines_from("hotspot", lambda words: act(HotspotMachine(), args, words))


def run_action(machine: HotspotMachine, args: Namespace, t: Words) -> list[str]:
    """The lines to print. Raises Problem, OSError; the hotspot is then unchanged."""
    before = known_hotspot(machine.at(STATE))
    if args.action == "off":
        _run_checked(machine, DELETE_COMMAND, may_fail=True)
        machine.at(STATE).unlink(missing_ok=True)
        return [t("hotspot.off")]
    if args.action == "status":
        return (
            [t("hotspot.none")]
            if before is None
            else [
                *hotspot_lines(before, t),
                t("hotspot.up", channel=before.channel) if machine.is_up() else t("hotspot.down"),
            ]
        )
    hotspot = before or Hotspot(NAME, "", "", CHANNEL, "")
    wanted = validated_hotspot(
        Hotspot(
            args.name or hotspot.name,
            args.password or ("" if args.new_password else hotspot.password) or new_password(),
            hotspot.device if args.interface is None else args.interface,
            hotspot.channel if args.channel is None else args.channel,
            (hotspot.country if args.country is None else args.country).upper(),
        )
    )
    set_up_hotspot(machine, wanted)
    done = machine.run(UP)
    return [
        *hotspot_lines(wanted, t),
        t("hotspot.at_most", n=DEVICES_MAX),
        *([] if done.code == 0 else [t("hotspot.not_up", reason=done.text.splitlines()[0] if done.text else "–")]),
    ]


def apply_settings(machine: HotspotMachine, args: Namespace, t: Words) -> list[str]:
    """At each start, apply what `roundtap.txt` says of a hotspot; if it says nothing, keep it as it was set up."""
    wanted = applying.Machine(machine.root, lambda words: machine.run(words).code)
    settings, before = wanted.settings()[0], known_hotspot(machine.at(STATE))
    if settings.role not in MAY_HAVE or settings.hotspot == NO:
        # Phones on the hotspot of a machine that is no hub would reach nothing.
        args.action = "off" if before is not None and settings.role else "status"
    elif settings.hotspot:
        args.action, args.name = "on", settings.hotspot
        args.password = settings.hotspot_password or (applying.saved_passwords(wanted) or {}).get(settings.hotspot)
        args.country = settings.country or None
    else:
        args.action = "on" if before is not None else "status"
    lines = run_action(machine, args, t)
    # No password may reach systemd's journal.
    return lines[-1:] if args.action != "status" else []


def set_up_hotspot(machine: HotspotMachine, wanted: Hotspot) -> None:
    """Make the profile and its files; it comes up at every start of the machine. Raises Problem, OSError."""
    if wanted.country:
        applying.write_if_changed(machine.at(COUNTRY), f"options cfg80211 ieee80211_regdom={wanted.country}\n")
        machine.run(["iw", "reg", "set", wanted.country])
    machine.run(["nmcli", "radio", "wifi", "on"])
    _run_checked(machine, DELETE_COMMAND, may_fail=True)
    _run_checked(machine, nmcli_command(wanted))
    state = machine.at(STATE)
    applying.write_if_changed(state, json.dumps(asdict(wanted), ensure_ascii=False) + "\n", 0o640)
    applying.give_to(state, READERS)


def new_password(choose: Callable[[str], str] = secrets.choice) -> str:
    """ "kmwp-4hd7-xqre": about 59 random bits, easy to read and type."""
    return "-".join("".join(choose(LETTERS) for _ in range(GROUP)) for _ in range(GROUPS))


def validated_hotspot(hotspot: Hotspot) -> Hotspot:
    """The hotspot, if valid; Problem says what is wrong and what would be right."""
    if not hotspot.name.strip() or len(hotspot.name.encode()) > SSID_BYTES_MAX or not hotspot.name.isprintable():
        raise Problem("hotspot_name", most=SSID_BYTES_MAX)
    if not PASSWORD.fullmatch(hotspot.password):
        raise Problem("hotspot_password")
    if hotspot.country and hotspot.country not in COUNTRIES:
        raise Problem("hotspot_country", said=hotspot.country)
    if hotspot.channel not in CHANNELS:
        raise Problem("hotspot_channel", said=hotspot.channel)
    return hotspot


def nmcli_command(hotspot: Hotspot) -> list[str]:
    """The `nmcli` command that makes the profile. Plain WPA2 on purpose: mixed with WPA3 it drops Zero 2 W units, and
    "pmf 1" (disable) keeps NetworkManager from offering that. DHCP and DNS are NetworkManager's own dnsmasq; the hub's
    names are in `systemd/roundtap-dnsmasq.conf`."""
    return [
        "nmcli",
        "connection",
        "add",
        "type",
        "wifi",
        "con-name",
        HOTSPOT,
        "ifname",
        hotspot.device or "*",
        "ssid",
        hotspot.name,
        "connection.autoconnect",
        "yes",
        "connection.autoconnect-priority",
        "50",
        "connection.autoconnect-retries",
        "0",
        "802-11-wireless.mode",
        "ap",
        "802-11-wireless.band",
        "bg",
        "802-11-wireless.channel",
        str(hotspot.channel),
        "802-11-wireless.hidden",
        "yes" if hotspot.hidden else "no",
        "802-11-wireless-security.key-mgmt",
        "wpa-psk",
        "802-11-wireless-security.proto",
        "rsn",
        "802-11-wireless-security.pairwise",
        "ccmp",
        "802-11-wireless-security.group",
        "ccmp",
        "802-11-wireless-security.pmf",
        "1",
        "802-11-wireless-security.psk",
        hotspot.password,
        "ipv4.method",
        "shared",
        "ipv4.addresses",
        f"{ADDRESS}/24",
        "ipv6.method",
        "disabled",
    ]


def hotspot_lines(hotspot: Hotspot, t: Words) -> list[str]:
    return [
        t("hotspot.name", name=hotspot.name),
        t("hotspot.password", password=hotspot.password),
        "",
        *terminal_qr(hotspot.qr),
        "",
    ]


def terminal_qr(text: str) -> list[str]:
    """A QR code with two modules per letter, for dark terminals; empty where the library is missing."""
    try:
        from qrcode.constants import ERROR_CORRECT_M
        from qrcode.main import QRCode
    except ModuleNotFoundError:
        return []
    code = QRCode(error_correction=ERROR_CORRECT_M, border=2)
    code.add_data(text)
    code.make(fit=True)
    rows = [[bool(dark) for dark in row] for row in code.get_matrix()]
    if len(rows) % 2:
        rows.append([True] * len(rows[0]))
    return [
        "".join("█▀▄ "[2 * upper + lower] for upper, lower in zip(above, below, strict=True))
        for above, below in zip(rows[::2], rows[1::2], strict=True)
    ]


def _run_checked(machine: HotspotMachine, words: Sequence[str], may_fail: bool = False) -> None:
    done = machine.run(words)
    if done.code == 127:
        raise Problem("hotspot_no_manager")
    if done.code != 0 and not may_fail:
        raise Problem("hotspot_refused", reason=done.text.splitlines()[0] if done.text else str(done.code))
