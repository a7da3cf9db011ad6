"""A machine's health: supply voltage, heat, card, space, clock, pins, buses, memory, watchdog; and what a check before
the doors open is: its subject, its state, what was seen, and what to do.

Each check reads a file of the kernel's below `root` ("/" except in tests), and is UNKNOWN where there is none. Nothing
here raises, needs a privilege or waits.

Sources: raspberrypi/linux drivers/firmware/raspberrypi.c (`get_throttled`: hex without 0x) and raspberrypi-hwmon.c
(`in0_lcrit_alarm`); raspberrypi.com/documentation, "vcgencmd get_throttled" (the bits); kernel.org, sysfs-fs-ext4
(`errors_count`), sysfs-class-rtc, watchdog-api, gpio.h (GPIO_GET_CHIPINFO_IOCTL), proc(5); raspberrypi/documentation,
power-supplies.adoc, "Power Supply Warnings": all models since the B+ measure their supply, except the Zero range.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

FINE, NOTE, WRONG, UNKNOWN = "fine", "note", "wrong", "unknown"
"""As it should be; good to know, with nothing to do now; something has to be done; not reported by this machine (a PC
does not measure its supply voltage)."""
STATES = (WRONG, NOTE, UNKNOWN, FINE)  # worst first

HUB, NETWORK, TABLES, WALLS, PRINTER, COPIES = "hub", "network", "tables", "walls", "printer", "copies"
GROUPS = (HUB, NETWORK, TABLES, WALLS, PRINTER, COPIES)
"""What a check is about, in the order of a walk through the hall. A machine's own checks are HUB's on any machine."""


# A printer's states in which it does not print, as its station says them.
PRINTER_FAULTS = (
    "no-paper",
    "offline",
    "silent",
    "mute",
    "no-port",
    "unplugged",
    "stalled",
    "unconfirmed",
    "login-console",
    "no-access",
    "busy",
)


class Texts(Protocol):
    """As `roundtap_core.words.Words`, which this package does not import."""

    def __call__(self, key: str, /, **params: object) -> str: ...

    def __contains__(self, key: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Check:
    """One check. The text "check.KEY" is its title, "check.KEY.KIND" what was seen, "check.KEY.KIND.do" what to do,
    filled with `args` (texts and whole numbers). `kind` "": as the state. The texts are the core's."""

    key: str
    state: str
    args: Mapping[str, str | int] = field(default_factory=dict)
    kind: str = ""
    group: str = HUB

    def title(self, words: Texts) -> str:
        """Its subject: "Supply voltage"."""
        return words(f"check.{self.key}")

    def finding(self, words: Texts) -> str:
        """One line on what was seen."""
        key = self._text
        return words(key if key in words else f"check.{self.state}", **self.args)

    def to_do(self, words: Texts) -> str:
        """One line on what to do, or ""."""
        key = f"{self._text}.do"
        return words(key, **self.args) if key in words else ""

    @property
    def _text(self) -> str:
        return f"check.{self.key}.{self.kind or self.state}"

    def as_json(self) -> dict[str, Any]:
        """For programs: the fields, keys instead of texts."""
        return {
            "key": self.key,
            "state": self.state,
            "kind": self.kind or self.state,
            "group": self.group,
            "args": dict(self.args),
        }


def printer_check(unit: str, state: str) -> Check | None:
    """The check of a printer that does not print; None in any other state."""
    return Check("printer", WRONG, {"unit": unit}, state, PRINTER) if state in PRINTER_FAULTS else None


def worst(checks: Iterable[Check]) -> str:
    """The worst state among them; FINE without any."""
    return min((check.state for check in checks), key=STATES.index, default=FINE)


def worst_first(checks: Iterable[Check]) -> Sequence[Check]:
    """Sorted by state, worst first; the order is otherwise unchanged."""
    return sorted(checks, key=lambda check: STATES.index(check.state))


LOW_NOW, CAPPED_NOW, SLOWED_NOW, HOT_NOW = 1 << 0, 1 << 1, 1 << 2, 1 << 3
SINCE_SHIFT = 16  # the same bits shifted by this: it happened since the machine started
HOT_C, WARM_C = 80, 70  # a Pi slows down from 80 °C
SPACE_LOW_BYTES, SPACE_SCARCE_BYTES = 64 << 20, 512 << 20
INODES_LOW = 1000
# A wall's: its browser alone took 202 MB (proportional set size, headless, amd64).
MEMORY_LOW_KB, MEMORY_SCARCE_KB, WALL_MEMORY_KB = 40 << 10, 80 << 10, 600 << 10
EARLIEST_S = 1_704_067_200  # 2024: a clock that shows an earlier time was never set
CARD_WORN = 8  # of the eleven steps in which an eMMC reports its age: more than 70 % of its life is over
PINS_OF_A_PI = re.compile(r"pinctrl-(rp1|bcm2\d{3})")
READ_BYTES_MAX = 1 << 16


@dataclass(slots=True)
class ThrottleHistory:
    """All firmware bits seen so far: the kernel's voltage driver clears the past ones whenever it reads them, so that
    the firmware alone has no history of the whole day."""

    bits: int = 0


@dataclass(frozen=True, slots=True)
class MachineProbe:
    """The machine to check. `data`: the folder that must be writable; `board`: whether it should have buttons and a
    screen on its pins; `root`: "/", or a test's tree; `labels`: reads the names of the GPIO chips; `wall`: whether it
    shows a wall."""

    data: Path | None = None
    board: bool = False
    root: Path = Path("/")
    labels: Callable[[Path], Sequence[str]] | None = None
    seen: ThrottleHistory = field(default_factory=ThrottleHistory, compare=False)
    wall: bool = False

    def text(self, path: str) -> str | None:
        """The stripped text of a small file; None where it is missing or not readable."""
        return _text(self.root / path)

    @property
    def is_pi(self) -> bool:
        return "Raspberry Pi" in (self.text("proc/device-tree/model") or "")

    @property
    def has_voltage_sensor(self) -> bool:
        return "Raspberry Pi Zero" not in (self.text("proc/device-tree/model") or "")


def check_health(machine: MachineProbe, now_s: float) -> list[Check]:
    return [
        check
        for check in (
            _model(machine),
            *_power(machine),
            _heat(machine),
            _card(machine),
            _writable(machine),
            *_space(machine),
            _clock(machine, now_s),
            *_pins(machine),
            _memory(machine),
            _watchdog(machine),
            _root(machine),
            _packages(machine),
        )
        if check is not None
    ]


def missing_packages(machine: MachineProbe) -> list[str]:
    """What a bundle's installer had to leave out, by its own list, and what is not there by now."""
    installed = machine.root / "var/lib/dpkg/info"
    names = (machine.text("var/lib/roundtap-bundle/left-out") or "").split()
    return [name for name in names if not any(installed.glob(f"{name}[.:]*list"))]


def _packages(machine: MachineProbe) -> Check | None:
    names = ", ".join(missing_packages(machine))
    return Check("packages", NOTE, {"packages": names}) if names else None


def throttle_bits(machine: MachineProbe) -> int | None:
    """The firmware's bits on voltage, speed and heat, now and since the start; None without such firmware."""
    bits = _throttled_now(machine)
    if bits is None:
        return None
    machine.seen.bits |= ((bits & 0xF) << SINCE_SHIFT) | (bits & (0xF << SINCE_SHIFT))
    return bits | machine.seen.bits


def _throttled_now(machine: MachineProbe) -> int | None:
    for path in sorted((machine.root / "sys/devices/platform").glob("soc*/soc*firmware/get_throttled")):
        try:
            return int(_text(path) or "", 16)
        except ValueError:
            continue
    for path in sorted((machine.root / "sys/class/hwmon").glob("hwmon*")):
        if _text(path / "name") == "rpi_volt":
            alarm = _text(path / "in0_lcrit_alarm")
            return None if alarm is None else LOW_NOW if alarm == "1" else 0
    return None


def temperature_c(machine: MachineProbe) -> int | None:
    """The processor's temperature; None where it is not measured."""
    for path in sorted((machine.root / "sys/class/thermal").glob("thermal_zone*")):
        if (_text(path / "type") or "") in ("cpu-thermal", "soc-thermal", "x86_pkg_temp", "acpitz"):
            measured = whole_number(_text(path / "temp"))
            if measured is not None and 0 < measured < 200_000:
                return measured // 1000
    return None


def free_bytes(folder: Path) -> int | None:
    """The space left for users other than root; None where unknown."""
    try:
        volume = os.statvfs(folder)
    except OSError:
        return None
    return volume.f_bavail * volume.f_frsize


def is_mounted_read_only(machine: MachineProbe, folder: Path) -> bool | None:
    """Whether the mount of `folder` is read-only for this process; None where unknown."""
    mount = mount_of(machine.text("proc/self/mountinfo") or "", folder)
    return None if mount is None else mount.read_only or mount.file_system_read_only


def root_is_read_only(machine: MachineProbe) -> bool | None:
    """Whether the root is read-only or written to memory alone, apart from what systemd forbids a single service."""
    mount = mount_of(machine.text("proc/self/mountinfo") or "", Path("/"))
    return None if mount is None else mount.file_system_read_only or mount.kind == "overlay"


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of /proc/self/mountinfo. `read_only`: this mount; `file_system_read_only`: for every process."""

    place: str
    kind: str
    source: str
    read_only: bool
    file_system_read_only: bool


def mounts_of(mountinfo: str) -> list[Mount]:
    """All mounts, shortest path first; of one place, the topmost last."""
    mounts = []
    for line in mountinfo.splitlines():
        own, _, system = line.partition(" - ")
        mine, its = own.split(), system.split()
        if len(mine) >= 6 and len(its) >= 3:
            # The kernel escapes a path in octal: \040 is a space.
            place = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), mine[4])
            mounts.append(Mount(place, its[0], its[1], "ro" in mine[5].split(","), "ro" in its[-1].split(",")))
    return sorted(mounts, key=lambda mount: len(mount.place))


def mount_of(mountinfo: str, folder: Path) -> Mount | None:
    """The mount that this folder lies on; None where unknown."""
    return next((mount for mount in reversed(mounts_of(mountinfo)) if folder.is_relative_to(mount.place)), None)


def chip_labels(device: Path) -> list[str]:
    """The kernel's names of the GPIO chips below `device` ("/dev"): "pinctrl-bcm2711"."""
    import fcntl
    import struct

    labels = []
    for path in sorted(device.glob("gpiochip*")):
        info = bytearray(struct.calcsize("32s32sI"))
        try:
            chip = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue
        try:
            fcntl.ioctl(chip, 0x8044B401, info)
        except OSError:
            continue
        finally:
            os.close(chip)
        labels.append(bytes(info[32:64]).split(b"\0")[0].decode("ascii", "replace"))
    return labels


# --- one function each ------------------------------------------------------------------------------------------------


def _model(machine: MachineProbe) -> Check:
    model = (machine.text("proc/device-tree/model") or "").strip("\0 ")
    # Shown to people, hence cut to the length of a name.
    return Check("model", FINE, {"model": model[:60]}) if model else Check("model", FINE, kind="pc")


def _power(machine: MachineProbe) -> list[Check]:
    bits = throttle_bits(machine)
    if bits is None:
        return [Check("voltage", UNKNOWN), Check("speed", UNKNOWN)]
    slow = CAPPED_NOW | SLOWED_NOW
    return [
        Check("voltage", _now_or_since(bits, LOW_NOW))
        if machine.has_voltage_sensor
        else Check("voltage", UNKNOWN, kind="zero"),
        Check("speed", _now_or_since(bits, slow)),
    ]


def _now_or_since(bits: int, now: int) -> str:
    return WRONG if bits & now else NOTE if bits >> SINCE_SHIFT & now else FINE


def _heat(machine: MachineProbe) -> Check:
    measured, bits = temperature_c(machine), throttle_bits(machine) or 0
    if measured is None:
        return Check("heat", UNKNOWN)
    was_hot = measured >= WARM_C or bits >> SINCE_SHIFT & HOT_NOW
    state = WRONG if measured >= HOT_C or bits & HOT_NOW else NOTE if was_hot else FINE
    return Check("heat", state, {"celsius": measured})


def _card(machine: MachineProbe) -> Check:
    """The card's errors as counted by file systems over all starts; an eMMC also reports its wear."""
    counts = [whole_number(_text(path)) for path in (machine.root / "sys/fs/ext4").glob("*/errors_count")]
    if errors := sum(filter(None, counts)):
        return Check("card", WRONG, {"n": errors})
    ages = [_text(path) or "" for path in (machine.root / "sys/block").glob("mmcblk*/device/life_time")]
    worn = max(
        (int(step, 16) for step in " ".join(ages).split() if re.fullmatch(r"0x[0-9a-fA-F]{1,2}", step)), default=0
    )
    if worn >= CARD_WORN:
        return Check("card", NOTE, {"percent": min(100, (worn - 1) * 10)}, "worn")
    readable = bool(ages) or any(count is not None for count in counts)
    return Check("card", FINE if readable else UNKNOWN)


def _writable(machine: MachineProbe) -> Check | None:
    if machine.data is None:
        return None
    read_only = is_mounted_read_only(machine, machine.data)
    if read_only is None:
        return Check("writable", UNKNOWN)
    return Check("writable", WRONG if read_only else FINE, {"folder": str(machine.data)})


def _space(machine: MachineProbe) -> list[Check]:
    checks = []
    for key, folder in (("space", machine.data), ("space_root", machine.root)):
        if folder is None:
            continue
        try:
            volume = os.statvfs(folder)
        except OSError:
            checks.append(Check(key, UNKNOWN))
            continue
        if key == "space_root" and root_is_read_only(machine):
            # Nothing is written there, and an image fills it entirely.
            continue
        free, inodes = volume.f_bavail * volume.f_frsize, volume.f_favail
        if volume.f_files and inodes < INODES_LOW:
            checks.append(Check(key, WRONG, {"n": inodes}, "inodes"))
        else:
            state = WRONG if free < SPACE_LOW_BYTES else NOTE if free < SPACE_SCARCE_BYTES else FINE
            checks.append(Check(key, state, {"mb": free >> 20}))
    return checks


def _clock(machine: MachineProbe, now_s: float) -> Check:
    """The source of the time of day, on which rounds do not depend."""
    rtc = next(
        (
            seconds
            for path in sorted((machine.root / "sys/class/rtc").glob("rtc*"))
            if (seconds := whole_number(_text(path / "since_epoch"))) is not None
        ),
        None,
    )
    if (machine.root / "run/systemd/timesync/synchronized").exists():
        return Check("clock", FINE, kind="network")
    if rtc is not None:
        return Check("clock", FINE, kind="rtc") if rtc >= EARLIEST_S else Check("clock", WRONG, kind="rtc_empty")
    return Check("clock", NOTE, kind="guessed") if now_s >= EARLIEST_S else Check("clock", WRONG, kind="unset")


def _pins(machine: MachineProbe) -> list[Check]:
    if not machine.board:
        return []
    labels = (machine.labels or chip_labels)(machine.root / "dev")
    named = next((label for label in labels if PINS_OF_A_PI.fullmatch(label)), None)
    buses = [*_nodes(machine, "i2c-*"), *_nodes(machine, "spidev*")]
    if not machine.is_pi and named is None:
        return [Check("pins", UNKNOWN), Check("buses", UNKNOWN)]
    return [
        Check("pins", FINE, {"label": named}) if named else Check("pins", WRONG),
        Check("buses", FINE, {"names": ", ".join(buses[:6])}) if buses else Check("buses", WRONG),
    ]


def _memory(machine: MachineProbe) -> Check:
    available = re.search(r"^MemAvailable:\s+(\d+) kB", machine.text("proc/meminfo") or "", re.MULTILINE)
    if available is None:
        return Check("memory", UNKNOWN)
    free_kb = int(available[1])
    state = WRONG if free_kb < MEMORY_LOW_KB else NOTE if free_kb < MEMORY_SCARCE_KB else FINE
    if (
        machine.wall
        and state != WRONG
        and (total := re.search(r"^MemTotal:\s+(\d+) kB", machine.text("proc/meminfo") or "", re.MULTILINE))
        and int(total[1]) < WALL_MEMORY_KB
    ):
        return Check("memory", NOTE, {"mb": int(total[1]) >> 10}, "wall")
    return Check("memory", state, {"mb": free_kb >> 10})


def _watchdog(machine: MachineProbe) -> Check:
    """Whether the hardware restarts a hung machine: systemd keeps the watchdog open."""
    states = {_text(path / "state") for path in (machine.root / "sys/class/watchdog").glob("watchdog*")} - {None, ""}
    return Check("watchdog", UNKNOWN if not states else FINE if "active" in states else NOTE)


def _root(machine: MachineProbe) -> Check:
    read_only = root_is_read_only(machine)
    return (
        Check("root", UNKNOWN) if read_only is None else Check("root", FINE, kind="guarded" if read_only else "written")
    )


# --- reading ----------------------------------------------------------------------------------------------------------


def _text(path: Path) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read(READ_BYTES_MAX).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return None


def whole_number(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,18}", text) else None


def _nodes(machine: MachineProbe, pattern: str) -> list[str]:
    return sorted(path.name for path in (machine.root / "dev").glob(pattern))
