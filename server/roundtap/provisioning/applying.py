"""Applies a machine's settings: files, services, name and time zone; applying them again changes nothing."""

import contextlib
import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundtap.provisioning import roles, settings_file
from roundtap_devices.printing.header_port import MODEL, TAKEN_FOR_IT, HeaderPort, header_port
from roundtap_machine.disk import write_atomically
from roundtap_machine.health import MachineProbe
from roundtap_machine.services import NEW_PIN

BOOT = ("boot/firmware", "boot")
EACH_START = "roundtap-first-boot.service"  # applies the settings at each start; enabled with the first role
HUB_DATA = "var/lib/roundtap"
UNUSED_PIN = "var/lib/roundtap-machine/unused-pin"  # its hash
LET_IN = "var/lib/roundtap-machine/let-in"  # users whom we made, or gave a password
SECRETS = "var/lib/roundtap-machine/networks.json"
PEOPLE = range(1000, 60_000)  # their numbers on Debian; the others are accounts of services
# A Wi-Fi is below "network"; packages cannot come without one.
_CLOUD = r"""^(?!network:|version:|packages:)(?: +(?=wifis:))?([a-z_]+):[ \t]*["']?([^\s"'#]*)"""
# What Raspberry Pi Imager writes for cloud-init, or before it for systemd, and how its settings look there; and the
# files of older guides, which have no others than their own name.
IMAGER_FILES = {
    "user-data": _CLOUD,
    "network-config": _CLOUD,
    "firstrun.sh": r"""(?:imager_custom (?:set_)?|/userconf-pi/)(\w+)(?: +-\w)* *["']?([^\s"'#]*)""",
    "userconf.txt": "",
    "ssh": "",
    "ssh.txt": "",
}
WIPED = settings_file.TAKEN_OVER + "; write a new line {key} = … to change it"


def run_quietly(words: Sequence[str], given: str = "") -> int:
    """Run a program, which reads what is given; its exit code, 127 if it is missing. What it says goes nowhere: people
    get notes in their own language."""
    try:
        return subprocess.run(list(words), check=False, input=given.encode(), capture_output=True).returncode
    except OSError:
        return 127


def run_dry(words: Sequence[str], given: str = "") -> int:
    """For a machine that is only a folder: runs nothing."""
    return 0


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine's root folder, and how its programs are run; both are replaced in tests."""

    root: Path
    run: Callable[..., int]  # as `run_quietly`

    def boot(self) -> Path | None:
        """The boot partition: the folder with cmdline.txt or the settings; None on machines other than a Pi."""
        for place in BOOT:
            folder = self.root / place
            if (folder / settings_file.FILE).is_file() or (folder / "cmdline.txt").is_file():
                return folder
        return None

    @contextlib.contextmanager
    def boot_open(self) -> Iterator[None]:
        """Make the boot partition writable meanwhile; with a read-only root it is read-only otherwise."""
        boot = self.boot()
        closed = boot is not None and bool(os.statvfs(boot).f_flag & os.ST_RDONLY)
        if closed:
            self.run(["mount", "-o", "remount,rw", str(boot)])
        try:
            yield
        finally:
            if closed:
                os.sync()
                self.run(["mount", "-o", "remount,ro", str(boot)])

    def settings_path(self) -> Path:
        """Where `roundtap.txt` is, or would be made: on the boot partition, else in /etc/roundtap."""
        places = [folder / settings_file.FILE for folder in (self.boot(), self.root / roles.ETC) if folder is not None]
        return next((path for path in places if path.is_file()), places[0])

    def imager_settings(self) -> dict[str, str]:
        """What Raspberry Pi Imager left for cloud-init or, for older systems, for systemd, and the files of older
        guides: by its names (values where they are one word), in order."""
        boot = self.boot() or self.root
        paths = {boot / name: form for name, form in IMAGER_FILES.items() if (boot / name).is_file()}
        pairs = [
            pair
            for path, form in paths.items()
            for pair in (
                re.findall(form, path.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE)
                if form
                else [(path.stem, "")]
            )
            # What Imager suggests as hostname is nobody's choice.
            if pair != ("hostname", "raspberrypi")
        ]
        return dict(sorted(pairs))

    def settings(self) -> tuple[settings_file.Settings, list[settings_file.SettingsNote]]:
        """The file's settings, and notes on them; defaults without a file."""
        try:
            settings, told = settings_file.read_settings_file(
                self.settings_path(), [self.root / roles.ETC], saved_passwords(self), self.header_port()
            )
        except OSError as error:
            return settings_file.Settings(), [
                settings_file.SettingsNote("unreadable", params={"reason": error.strerror or str(error)})
            ]
        if self.accounts().get(settings.user, (PEOPLE[0], ""))[0] not in PEOPLE:
            return replace(settings, user=""), [*told, settings_file.SettingsNote("user")]
        return settings, told

    def header_port(self) -> HeaderPort:
        """The serial port on the pins of the model that this is now: a card may come from another one."""
        return header_port(
            MachineProbe(root=self.root).text(MODEL) or "",
            "".join(path.read_text(errors="replace") for path in (self.boot() or self.root).glob("config.txt")),
        )

    def accounts(self) -> dict[str, tuple[int, str]]:
        """The machine's accounts, those of its services too: name → number and home."""
        return {
            name: (int(number), home)
            for path in self.root.glob("etc/passwd")
            for name, number, home in re.findall(
                r"(?m)^([^:\n]+):[^:\n]*:(\d+):(?:[^:\n]*:){2}([^:\n]*)", path.read_text("utf-8", errors="replace")
            )
        }

    def with_password(self) -> set[str]:
        """The accounts that a password opens; only root may know."""
        return {
            name
            for path in self.root.glob("etc/shadow")
            for name in re.findall(r"(?m)^([^:\n]+):[^!*:\n]", path.read_text("utf-8", errors="replace"))
        }

    def has_login(self) -> bool:
        """Whether a person has a way in, whoever made it. Whoever may not know it is logged in."""
        try:
            return (self.root / roles.SSH_KEYS).is_file() or any(
                name in self.with_password() or (self.root / home.strip("/") / ".ssh/authorized_keys").is_file()
                for name, (number, home) in self.accounts().items()
                if number in PEOPLE
            )
        except PermissionError:
            return True


def machine_at(root: Path) -> Machine:
    """This machine where `root` is /, else the files below a folder."""
    return Machine(root, run_quietly if root == Path("/") else run_dry)


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """What was done: changed files (relative to the root), notes to report, whether a restart is needed, and whose
    passwords were locked."""

    changed: tuple[str, ...]
    notes: tuple[settings_file.SettingsNote, ...]
    restart: bool
    locked: tuple[str, ...]


def apply_settings(machine: Machine, start: bool = True, wait: bool = False) -> ApplyResult:
    """Apply `roundtap.txt` to the machine; applying it again changes nothing. start: False where services must wait for
    the next start: at the first one, their folders have yet to be moved to the data partition. wait: until the services
    of another role have ended, which share folders and ports with those of this one; not while the machine starts."""
    with machine.boot_open():
        return _apply(machine, start, wait)


def _apply(machine: Machine, start: bool, wait: bool) -> ApplyResult:
    settings, told = machine.settings()
    mistakes = [note for note in told if not note.is_hint]
    if (
        mistakes
        and not settings.user
        and (
            any("user" in (note.key, *note.params.values()) for note in mistakes)
            or any(
                f"Match User {roles.DEFAULT_USER}\n" not in path.read_text(encoding="utf-8", errors="replace")
                for path in machine.root.glob(roles.SSHD)
            )
        )
    ):
        # A mistake may stand where the user was to be named: whose key and password these are cannot be said.
        settings = replace(settings, ssh_key="", password_hash="")
    passwords, told_of_secrets = _take_secrets(machine, settings)
    told += told_of_secrets
    changed = _copy_extra_files(machine)
    files = [*roles.system_files(settings, passwords), *_standby_key(machine, settings.role)]
    for wanted in files:
        state = _write(machine.root, wanted)
        if state is None:
            told.append(settings_file.SettingsNote("by_hand", params={"path": f"/{wanted.path}"}))
        elif state:
            changed.append(wanted.path)
    staying = (
        *(roles.HOTSPOT_FILES if settings.role in ("", *roles.HUBS) else ()),
        *((roles.STANDBY_KEY,) if settings.role == "standby" else ()),
        # The SSH that a key opened goes on without passwords; a slip in the file takes nobody's key away.
        roles.SSHD,
        *((roles.SSH_KEYS, roles.RIGHTS) if mistakes else ()),
    )
    changed += _remove_stale(machine, {*staying, *(wanted.path for wanted in files)})
    imager = machine.imager_settings()
    # Checked like any other.
    named = replace(
        settings,
        name=settings.name
        or settings_file.read_settings(f"role={settings.role}\nname={imager.get('hostname', '')}".encode())[0].name,
        timezone=settings.timezone or imager.get("timezone", ""),
    )
    changed += _name(machine, named)
    changed += _zone(machine, named)
    restart = False
    if (boot := machine.boot()) is not None:
        on_boot = roles.write_boot_files(boot, settings, machine.root / roles.ETC, machine.header_port())
        changed += [str((boot / name).relative_to(machine.root)) for name in on_boot]
        restart = bool(on_boot)
    if settings.port in TAKEN_FOR_IT and settings.role in settings_file.USED_BY["port"]:
        # A login, switched on by hand, would read the printer's answers. Until the next start, which does it again.
        machine.run(
            ["systemctl", "--quiet", "mask", "--runtime", "--now", "--no-block"]
            + [f"serial-getty@{Path(tty).name}.service" for tty in machine.header_port().names]
        )
    told_of_users, locked = _let_in(machine, settings, start, is_clear=not mistakes)
    if start:
        _show_new_pin(machine, settings)
    told += [*told_of_users, *_switch(machine, settings, start, wait)]
    if roles.STICK_RULES in changed:
        # For a stick plugged in before this rule existed, or one that no hub holds any more.
        machine.run(["udevadm", "control", "--reload"])
        machine.run(
            ["udevadm", "trigger", "--action=add", "--subsystem-match=block", "--property-match=ID_BUS=usb"]
            if settings.role == "hub"
            else ["systemd-umount", roles.STICK]
        )
    if any("NetworkManager" in path for path in changed):
        machine.run(["nmcli", "connection", "reload"])
    return ApplyResult(tuple(changed), tuple(told), restart, locked)


def _let_in(
    machine: Machine, settings: settings_file.Settings, start: bool, is_clear: bool
) -> tuple[list[settings_file.SettingsNote], tuple[str, ...]]:
    """Make the user who looks after the machine, open a way in, and close those that the file has no longer: of users
    who are not named, and passwords; only where the file `is_clear`: a mistake in it, or a card that cannot be read,
    locks nobody out. Returns notes, and whose passwords were locked."""
    wanted, hashed, there, have_password = (
        bool(settings.ssh_key or settings.password_hash),
        settings.password_hash,
        machine.accounts(),
        machine.with_password(),
    )
    user, noted = settings.user or roles.DEFAULT_USER, machine.root / LET_IN
    ours = {*(noted.read_text(encoding="ascii").split() if noted.is_file() else ())}
    gone = sorted(ours & {*there} - {user * wanted}) * is_clear
    only_key = [user] * (is_clear and wanted and not hashed and user in ours & have_password)
    # Locked at each start, as a read-only root forgets it. Of a group that is there: one of the user's name may be
    # another's.
    steps = [
        *(["usermod", "--lock", "--groups", "users", name] for name in gone),
        *(["usermod", "--lock", name] for name in only_key),
        *(
            [["useradd", "--create-home", "--gid", "users", "--shell", "/bin/bash", user]]
            * (wanted and user not in there)
        ),
        *([["usermod", "--append", "--groups", "sudo", user]] * wanted),
        *([["chpasswd", "--encrypted"]] * bool(hashed)),
    ]
    if hashed or (wanted and user not in there):
        write_if_changed(noted, "\n".join(sorted({*ours, user})), 0o600)
    for verb in ("enable", "start --no-block")[: 1 + start] if settings.ssh_key else ():
        machine.run(["systemctl", "--quiet", *verb.split(), "ssh.service"])
    failed = [
        settings_file.SettingsNote("user_failed", params={"program": words[0], "code": code})
        for words in steps
        # By a pipe: everybody may read the list of processes.
        if (code := machine.run(words, f"{user}:{hashed}\n" if words[0] == "chpasswd" else ""))
    ]
    return failed, tuple(name for name in (*gone, *only_key) if name in have_password)


def _show_new_pin(machine: Machine, settings: settings_file.Settings) -> None:
    """At each start a new PIN for a hub of which nobody has used one yet; kept in memory, for screen and printer."""
    pin, made, shown = (machine.root / path for path in (f"{HUB_DATA}/pin", UNUSED_PIN, NEW_PIN))
    logged_in = pin.with_name("sessions.json").exists()
    # Noted for good: sessions may be lost, but not that the PIN was used.
    for path in (*([made] if logged_in else ()), *([shown] if settings.role != "hub" else ())):
        path.unlink(missing_ok=True)
    unused = not pin.exists() or (made.is_file() and made.read_bytes() == pin.read_bytes())
    if settings.role == "hub" and machine.boot() is not None and unused and not (logged_in or shown.exists()):
        from roundtap_hub.store.login_pins import new_pin

        write_if_changed(shown, f"PIN: {new_pin()}\n", 0o640)
        give_to(shown, "roundtap-station")
        # In this order a plug pulled in between leaves no PIN that passes for a used one.
        pin.unlink(missing_ok=True)
        _set_pin(pin, shown.read_text(encoding="ascii").split()[1], made)


def _switch(
    machine: Machine, settings: settings_file.Settings, start: bool, wait: bool
) -> list[settings_file.SettingsNote]:
    wanted, others = roles.role_services(settings)
    there = [unit for unit in others if _has_unit(machine.root, unit)]
    wall = roles.systemd_unit("wall")
    shows_wall = wait and wall in there and machine.run(["systemctl", "--quiet", "is-active", wall]) == 0
    if there:
        machine.run(["systemctl", "--quiet", "disable", "--now", *(() if wait else ("--no-block",)), *there])
    if wait and there:
        # How they ended is no longer of interest.
        machine.run(["systemctl", "--quiet", "reset-failed", *there])
    if shows_wall:
        # A wall takes the first console, and does not give it back.
        machine.run(["systemctl", "--quiet", "start", "--no-block", "getty@tty1.service"])
    # One by one: a service missing from this package must not keep others from starting.
    refused = [
        unit
        for unit in (EACH_START, *wanted)
        if _has_unit(machine.root, unit)
        for verb in ("enable", "start --no-block")[: 1 + (start and unit != EACH_START)]
        if machine.run(["systemctl", "--quiet", *verb.split(), unit])
    ]
    return (
        [settings_file.SettingsNote("refused", params={"services": " ".join(dict.fromkeys(refused))})]
        if refused
        else []
    )


def _has_unit(root: Path, unit: str) -> bool:
    return any(
        (root / folder / unit).exists()
        for folder in ("etc/systemd/system", "usr/lib/systemd/system", "lib/systemd/system")
    )


def _write(root: Path, wanted: roles.SystemFile) -> bool | None:
    """True: written; False: unchanged; None: the file was made manually and is left alone."""
    path = root / wanted.path
    try:
        if path.exists() and not path.read_text(encoding="utf-8").startswith(roles.MARK):
            return None
    except (OSError, UnicodeDecodeError):
        return None
    written = write_if_changed(path, wanted.text, wanted.mode)
    if written and wanted.group:
        give_to(path, wanted.group)
    return written


def give_to(path: Path, group: str) -> None:
    """Let the group read it; without the group the service that would read it is missing, too."""
    with contextlib.suppress(LookupError, PermissionError):
        shutil.chown(path, group=group)


def write_if_changed(path: Path, text: str, mode: int = 0o644) -> bool:
    """Write a system file atomically; False: it was there already."""
    content = text.encode()
    with contextlib.suppress(OSError):
        if path.read_bytes() == content and stat.S_IMODE(path.stat().st_mode) == mode:
            return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content, mode)
    return True


def _remove_stale(machine: Machine, staying: Collection[str]) -> list[str]:
    gone = []
    for path in sorted(roles.EVERY_FILE.difference(staying)):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if path in roles.HOTSPOT_FILES or (machine.root / path).read_text(encoding="utf-8").startswith(roles.MARK):
                (machine.root / path).unlink()
                gone.append(path)
    return gone


def _standby_key(machine: Machine, role: str) -> list[roles.SystemFile]:
    """A standby's key from beside `roundtap.txt`; there it stays, for the day when this is a standby again."""
    boot = machine.boot()
    if role != "standby" or boot is None or not (boot / settings_file.STANDBY_FILE).is_file():
        return []
    text = (boot / settings_file.STANDBY_FILE).read_text(encoding="utf-8-sig", errors="replace")
    return [roles.SystemFile(roles.STANDBY_KEY, f"{roles.MARK}\n{text}", 0o640, "roundtap-standby")]


def _copy_extra_files(machine: Machine) -> list[str]:
    """Copy TOML files beside `roundtap.txt`, such as a custom board, to where the services look for them."""
    boot, changed = machine.boot(), []
    for source in settings_file.toml_files(boot) if boot else []:
        try:
            text = source.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            continue
        if source.name != settings_file.STANDBY_FILE and write_if_changed(machine.root / roles.ETC / source.name, text):
            changed.append(f"{roles.ETC}/{source.name}")
    return changed


def _name(machine: Machine, settings: settings_file.Settings) -> list[str]:
    # A machine without our card keeps the name that its owner chose.
    if not settings.name and (not settings.role or machine.boot() is None):
        return []
    try:
        serial = (machine.root / "sys/firmware/devicetree/base/serial-number").read_text().strip("\0\n ")
    except OSError:
        serial = ""
    name, path = roles.hostname(settings, serial), machine.root / "etc/hostname"
    old = path.read_text(encoding="utf-8").strip() if path.is_file() else ""
    if old == name:
        return []
    write_if_changed(path, f"{name}\n")
    hosts = machine.root / "etc/hosts"
    lines = hosts.read_text(encoding="utf-8").splitlines() if hosts.is_file() else ["127.0.0.1\tlocalhost"]
    lines = [line for line in lines if not line.startswith("127.0.1.1")]
    write_if_changed(hosts, "\n".join([*lines, f"127.0.1.1\t{name}", ""]))
    machine.run(["hostname", name])
    # It would go on answering to the old name, which may be the hub's.
    machine.run(["systemctl", "--quiet", "try-restart", "--no-block", "avahi-daemon.service"])
    return ["etc/hostname", "etc/hosts"]


def _zone(machine: Machine, settings: settings_file.Settings) -> list[str]:
    zone = settings.timezone or (country_time_zone(settings.country, machine.root) if settings.country else "")
    file, link = machine.root / "usr/share/zoneinfo" / zone, machine.root / "etc/localtime"
    if not zone or not file.is_file() or (link.is_symlink() and os.readlink(link) == f"/usr/share/zoneinfo/{zone}"):
        return []
    new = link.with_name("localtime.new")
    new.unlink(missing_ok=True)
    new.symlink_to(f"/usr/share/zoneinfo/{zone}")
    new.replace(link)
    return ["etc/localtime"]


def country_time_zone(country: str, root: Path) -> str:
    """The first time zone of a country in the machine's list, or ""."""
    try:
        lines = (root / "usr/share/zoneinfo/zone.tab").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.split("\t")[2] for line in lines if line.startswith(f"{country}\t")), "")


def saved_passwords(machine: Machine) -> dict[str, str] | None:
    """Network → password; None where only root may read them."""
    try:
        return dict(json.loads((machine.root / SECRETS).read_text(encoding="utf-8")))
    except PermissionError:
        return None
    except (OSError, ValueError):
        return {}


def _take_secrets(
    machine: Machine, settings: settings_file.Settings
) -> tuple[dict[str, str], list[settings_file.SettingsNote]]:
    """(All saved passwords by network; notes to report). Passwords are removed from the boot partition, which any
    computer can read, once they are saved on the machine."""
    path, saved = machine.root / SECRETS, saved_passwords(machine) or {}
    given = (
        ("wifi_password", settings.wifi, settings.wifi_password),
        ("hotspot_password", settings.hotspot, settings.hotspot_password),
    )
    new = {network: password for _, network, password in given if network not in ("", "no") and password}
    pin = settings.pin if settings.role == "hub" else ""
    if not new and not pin:
        return saved, []
    try:
        if pin:
            _set_pin(machine.root / HUB_DATA / "pin", pin)
        if saved | new != saved:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_if_changed(path, json.dumps(saved | new, ensure_ascii=False, indent=1) + "\n", 0o600)
        wipe_passwords(
            machine.settings_path(), {*(key for key, network, _ in given if network in new), *(["pin"] if pin else [])}
        )
    except OSError as error:
        return saved | new, [settings_file.SettingsNote("not_wiped", params={"reason": error.strerror or str(error)})]
    return saved | new, []


def _set_pin(pin: Path, given: str, *first: Path) -> None:
    # `first`: further files that have to hold its hash before the hub's own does.
    from roundtap_hub.store.login_pins import hash_pin

    pin.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    hashed = hash_pin(given)
    for path in (*first, pin):
        write_if_changed(path, hashed, 0o600)
    # systemd gives a new folder to the hub, with its content.
    owner = pin.parent.stat()
    with contextlib.suppress(PermissionError):
        os.chown(pin, owner.st_uid, owner.st_gid)


def wipe_passwords(path: Path, taken: Collection[str] = settings_file.SECRET) -> None:
    """Remove these passwords from the file; every other byte stays, whatever the editor. Passwords not in `taken` stay,
    too: they may count once a line beside them is corrected."""
    raw = path.read_bytes()
    lines = raw.splitlines(keepends=True)
    encoding = settings_file.encoding_of(raw)
    if encoding.startswith("utf-16"):
        # A line end byte may be half a character here: rewrite as UTF-8 with a byte order mark, for Notepad.
        lines = [b"\xef\xbb\xbf", *raw.decode(encoding, errors="replace").encode().splitlines(keepends=True)]
        encoding = "utf-8"
    new_lines = []
    for line in lines:
        # By the whole file's encoding: a line alone may be taken for another one.
        settings, _ = settings_file.read_settings(line.decode(encoding, errors="replace").encode())
        secret = next((key for key in settings_file.SECRET if key in taken and getattr(settings, key)), None)
        if secret:
            line = WIPED.format(key=secret).encode() + line[len(line.rstrip(b"\r\n")) :]
        new_lines.append(line)
    new = b"".join(new_lines)
    if new != raw:
        write_atomically(path, new, on_fat=True)


def set_role(machine: Machine, role: str) -> Path:
    """Write "role = …" into the settings file, made if missing; returns its path."""
    path = machine.settings_path()
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = b""
    lines = raw.splitlines(keepends=True)
    if b"\0" in raw:
        lines = raw.decode("utf-16", errors="replace").encode().splitlines(keepends=True)
    rest = [line for line in lines if settings_file.key_of(line) != "role"]
    if rest and not rest[-1].endswith((b"\n", b"\r")):
        rest[-1] += b"\n"
    write_atomically(path, b"".join([*rest, f"role = {role}\n".encode()]), on_fat=True)
    return path
