"""The services of each role, and the system files that settings become; and the Pi's own boot files, `config.txt` and
`cmdline.txt`, changed idempotently."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundtap.provisioning.settings_file import STANDBY_FILE, UNDECIDED, USED_BY, Settings
from roundtap_devices.boards import RECOMMENDED, Board, BoardError, load_board
from roundtap_devices.printing.header_port import TAKEN_FOR_IT, UNKNOWN, HeaderPort
from roundtap_machine.disk import write_atomically

# Role → services. Panel, station and wall of a hub wait until their hardware is there, as does a standby's panel.
SERVICES: dict[str, tuple[str, ...]] = {
    "hub": ("hub", "hotspot", "panel", "station", "wall"),
    "table": ("table",),
    "printer": ("station",),
    "wall": ("wall",),
    "standby": ("standby", "panel"),
}

HUBS = ("hub", "standby")
DEFAULT_USER = "pi"  # whom Raspberry Pi OS has, without a password

MARK = "# Made from roundtap.txt. Written by hand: take this line out, and the file is left alone."
ETC = "etc/roundtap"
HOSTNAME_OF_HUB = "roundtap"
STICK = "/media/roundtap"  # where the hub's machine mounts a stick
STICK_RULES = "etc/udev/rules.d/70-roundtap-stick.rules"
# FAT and exFAT are what sticks are sold with, and have no file owners. A USB system's boot partition is no stick.
# The udev rule that mounts a stick on the hub's machine, accessible to the hub alone.
STICK_RULE = ", ".join(
    [
        'ACTION=="add"',
        'SUBSYSTEM=="block"',
        'ENV{ID_BUS}=="usb"',
        'ENV{ID_FS_TYPE}=="vfat|exfat"',
        'ENV{ID_FS_LABEL}!="bootfs|boot|system-boot"',
        'RUN{program}+="/usr/bin/systemd-mount --no-block --collect --bind-device=yes '
        "--owner=roundtap-hub --options=nosuid,nodev,noexec,umask=0077 "
        f'$devnode {STICK}"',
    ]
)


WIFI = "etc/NetworkManager/system-connections/roundtap-wifi.nmconnection"
HOTSPOT = "roundtap-hotspot"  # NetworkManager's profile of the hub's own Wi-Fi
# What `roundtap hotspot on` makes. Without the hub, phones would go on joining it and reach nothing.
HOTSPOT_FILES = (
    f"etc/NetworkManager/system-connections/{HOTSPOT}.nmconnection",
    f"{ETC}/hotspot.json",
    "etc/modprobe.d/roundtap-wifi-country.conf",
)
STANDBY_KEY = f"{ETC}/{STANDBY_FILE}"
SSH_KEYS, SSHD, RIGHTS = f"{ETC}/ssh_keys", "etc/ssh/sshd_config.d/00-roundtap.conf", "etc/sudoers.d/roundtap"
# All that `system_files` or a hub's hotspot may make.
EVERY_FILE = frozenset(
    {
        STICK_RULES,
        SSH_KEYS,
        SSHD,
        RIGHTS,
        WIFI,
        STANDBY_KEY,
        *HOTSPOT_FILES,
        *(
            f"{ETC}/{name}"
            for name in ("hub.env", "standby.env", "wall.env", "table.toml", "station.toml", "panel.toml")
        ),
    }
)
BEGIN = "# --- Roundtap: made from roundtap.txt; write nothing between these two lines"
END = "# --- Roundtap: end"
WATCHDOG = "dtparam=watchdog=on"
BUSES = {
    # At 400 kHz a picture takes 25 ms, at the default 100 kHz 100 ms.
    "i2c": "dtparam=i2c_arm=on,i2c_arm_baudrate=400000",
    "spi": "dtparam=spi=on",
}
# A printer on the header's pins has them to itself. On a Pi 5 serial0 is another port, until the card is moved, or
# dtparam=uart0_console brings the console to the pins.
SERIAL_CONSOLE = re.compile(r"console=(serial0|ttyAMA0|ttyS0)(,\S*)?")


def systemd_unit(service: str) -> str:
    """ "hub" → "roundtap-hub.service" """
    return f"roundtap-{service}.service"


def role_services(settings: Settings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(systemd units that a role starts; all others of the kit, which it stops)."""
    role = settings.role or UNDECIDED
    wanted = [service for service in SERVICES[role] if service != "panel" or settings.panel is not False]
    services = dict.fromkeys(service for several in SERVICES.values() for service in several)
    others = [systemd_unit(service) for service in services if service not in wanted]
    # What a hub and its panel ask root for is started by their services.
    return tuple(map(systemd_unit, wanted)), (*others, *(() if role in HUBS else ("roundtap-steps.socket",)))


@dataclass(frozen=True, slots=True)
class SystemFile:
    """A file made from the settings: path relative to the root, text, mode, and the group that may read it."""

    path: str
    text: str
    mode: int = 0o644
    group: str = ""


def system_files(settings: Settings, remembered: dict[str, str]) -> list[SystemFile]:
    """Every file in `/etc` made from the settings. `remembered`: saved passwords by network."""
    role = settings.role or UNDECIDED
    of_hub = [
        *(("--language", settings.language) if settings.language else ()),
        *(("--stick", STICK) if role == "hub" else ()),
    ]
    files = [_env(role, "ROUNDTAP_HUB", of_hub)] if of_hub and role in HUBS else []
    if role == "hub":
        files.append(SystemFile(STICK_RULES, f"{MARK}\n{STICK_RULE}\n"))
    for service in ("table", "station", "panel"):
        values = _unit(settings, service, on_hub=role in HUBS)
        if systemd_unit(service) in role_services(settings)[0] and values:
            files.append(SystemFile(f"{ETC}/{service}.toml", _toml(values), 0o640, f"roundtap-{service}"))
    if settings.hub and systemd_unit("wall") in role_services(settings)[0]:
        files.append(_env("wall", "ROUNDTAP_WALL", [settings.hub]))
    if settings.ssh_key:
        user = settings.user or DEFAULT_USER
        # With a key, strangers in the hall's network have no password to guess.
        sshd = (
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin no",
            f"Match User {user}",
        )
        sshd_lines = "\n".join([MARK, *sshd, f"    AuthorizedKeysFile .ssh/authorized_keys /{SSH_KEYS}", ""])
        files += [
            SystemFile(SSH_KEYS, f"{MARK}\n{settings.ssh_key}\n"),
            SystemFile(SSHD, sshd_lines),
            SystemFile(RIGHTS, f"{MARK}\n{user} ALL=(ALL:ALL) NOPASSWD: ALL\n", 0o440),
        ]
    wifi = wifi_profile(settings, remembered)
    return [*files, wifi] if wifi else files


def wifi_profile(settings: Settings, remembered: dict[str, str]) -> SystemFile | None:
    """The Wi-Fi as a NetworkManager connection; None without a Wi-Fi."""
    if not settings.wifi:
        return None
    password = settings.wifi_password or remembered.get(settings.wifi, "")
    lines = [
        "[connection]",
        "id=roundtap-wifi",
        "uuid=5fd8ab3c-6d2f-4f0a-9c3e-0c6f2f1d7a01",
        "type=wifi",
        "autoconnect=true",
        "autoconnect-retries=0",
        "",
        "[wifi]",
        "mode=infrastructure",
        f"ssid={_ssid(settings.wifi)}",
        *(["hidden=true"] if settings.wifi_hidden else []),
        "powersave=2",
        "",
    ]
    if password:
        lines += ["[wifi-security]", "key-mgmt=wpa-psk", f"psk={_keyfile(password)}", ""]
    lines += ["[ipv4]", "method=auto", "", "[ipv6]", "method=auto", ""]
    return SystemFile(WIFI, "\n".join([MARK, *lines]), 0o600)


def hostname(settings: Settings, serial: str) -> str:
    """The machine's name: as set, else "roundtap" for the hub, "roundtap-table-1a2b" by the board's serial number."""
    if settings.name:
        return settings.name
    role = settings.role or UNDECIDED
    return HOSTNAME_OF_HUB if role == "hub" else f"roundtap-{role}-{(serial or '0000')[-4:].lower()}"


def _unit(settings: Settings, service: str, on_hub: bool) -> dict[str, str | bool]:
    values: dict[str, str | bool] = {"language": settings.language}
    if on_hub and service == "station":
        # Explicit, so that a hub that is slow to start never makes its own station begin to enrol.
        values["local"] = True
    if not on_hub:
        values |= {"hub": settings.hub, "unit": settings.name}
    if service in ("table", "panel"):
        values["board"] = own_or_known(settings.board)
    if service == "panel" and (settings.panel or settings.board):
        # Who names a board has wired one.
        values["expected"] = True
    if service == "station":
        values |= {"printer": own_or_known(settings.printer), "device": settings.port}
    return {key: value for key, value in values.items() if value}


def own_or_known(name: str, folder: Path = Path("/", ETC)) -> str:
    """The path of a custom board or printer, which was copied from beside roundtap.txt, or the name of a known one."""
    return str(folder / name) if name.endswith(".toml") else name


def _toml(values: dict[str, str | bool]) -> str:
    # TOML's booleans and strings are JSON's, for all characters that a settings file lets through.
    return "\n".join([MARK, *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()), ""])


def _env(service: str, name: str, words: Sequence[str]) -> SystemFile:
    return SystemFile(f"{ETC}/{service}.env", f'{MARK}\n{name}="{" ".join(words)}"\n')


def _keyfile(text: str) -> str:
    """A value for a GLib key file, where \\ begins an escape and leading spaces are lost."""
    escaped = text.replace("\\", "\\\\")
    body = escaped.lstrip(" ")
    return "\\s" * (len(escaped) - len(body)) + body


def _ssid(name: str) -> str:
    """A network's name, as bytes unless it is plain ASCII: NetworkManager's own form, safe for any character."""
    if all(sign.isalnum() and sign.isascii() for sign in name):
        return name
    return "".join(f"{byte};" for byte in name.encode())


def write_boot_files(boot: Path, settings: Settings, own_boards: Path, header: HeaderPort = UNKNOWN) -> list[str]:
    """Apply the settings to both files; returns the names of those that changed. `own_boards`: a folder; `header`: the
    serial port on this machine's pins."""
    changed = []
    board = settings_board(settings, own_boards)
    serial = settings.port in TAKEN_FOR_IT and settings.role in USED_BY["port"]
    wanted = [WATCHDOG, BUSES[board.screen.bus], *(header.config if serial else ())]
    # The firmware does this some seconds after power-on, and long before the unit starts.
    wanted += [f"gpio={pin}=op,{'dh' if board.low_is_on(name) else 'dl'}" for name, pin, _ in board.on_at_reset()]
    for name in ("config.txt", "cmdline.txt"):
        path = boot / name
        if not path.is_file():
            continue
        old = path.read_bytes().decode("utf-8", errors="surrogateescape")
        new = with_config_lines(old, wanted) if name == "config.txt" else cmdline(old, settings.country, serial)
        if new != old:
            write_atomically(path, new.encode(errors="surrogateescape"), on_fat=True)
            changed.append(name)
    return changed


def settings_board(settings: Settings, own_boards: Path) -> Board:
    """The board; the recommended one in place of one that cannot be read (the unit itself reports why)."""
    try:
        return load_board(own_or_known(settings.board or RECOMMENDED.name, own_boards))
    except (BoardError, OSError):
        return RECOMMENDED


def with_config_lines(text: str, lines: Iterable[str]) -> str:
    """`config.txt` with our lines for all models of the Pi, in their old place or at its end; all others unchanged."""
    ends = "\r\n" if "\r\n" in text else "\n"
    before, mark, rest = text.partition(BEGIN)
    after = rest.partition(END)[2].lstrip("\r\n") if mark else ""
    # What somebody wrote behind them is below our [all], and stays there.
    return (before.rstrip("\r\n") + ends if before.strip() else "") + ends.join([BEGIN, "[all]", *lines, END, after])


def cmdline(text: str, country: str = "", serial: bool = False) -> str:
    """The kernel's command line with the radio's country, and without a console on a printer's serial port."""
    words = text.split()
    if country:
        words = with_kernel_word(words, "cfg80211.ieee80211_regdom=", country)
    if serial:
        words = [word for word in words if not SERIAL_CONSOLE.fullmatch(word)]
    return " ".join(words) + "\n" if words != text.split() else text


def with_kernel_word(words: list[str], name: str, value: str) -> list[str]:
    """The words with NAME=VALUE in its old place, or at the end; `value` "" removes it."""
    new = f"{name}{value}"
    if not value:
        return [word for word in words if not word.startswith(name)]
    if any(word.startswith(name) for word in words):
        return [new if word.startswith(name) else word for word in words]
    return [*words, new]
