"""A root that survives power cuts: read-only beneath a layer in memory, with lasting files on the data partition."""

import os
import re
from pathlib import Path

from roundtap.provisioning import roles
from roundtap.provisioning.applying import Machine, write_if_changed
from roundtap.provisioning.settings_file import SettingsNote
from roundtap_machine.disk import write_atomically
from roundtap_machine.health import MachineProbe, Mount, mounts_of

LABEL, DATA = "roundtap-data", "data"
# Debian's overlayroot, as raspi-config uses it; recurse=0 leaves the data partition alone.
OVERLAY, OVERLAY_VALUE = "overlayroot=", "tmpfs:recurse=0"
# Its script calls grep, and mount with --move, which the first moments of a start have from busybox alone; the package
# does not depend on that.
OVERLAY_NEEDS = ("usr/share/initramfs-tools/scripts/init-bottom/overlayroot", "usr/bin/busybox")
BEGIN, END = "# --- Roundtap: what must last is on the data partition", "# --- Roundtap: end"

# Beside the services' own folders: settings, networks, the last known time, and the log.
PERSISTENT = (
    "etc/roundtap",
    "etc/NetworkManager/system-connections",
    "var/lib/NetworkManager",
    "var/lib/roundtap-machine",
    "var/lib/systemd/timesync",
    "var/log/journal",
)

JOURNAL = f"{roles.MARK}\n[Journal]\nStorage=persistent\nSystemMaxUse=64M\nRuntimeMaxUse=16M\n"
SWAP = f"{roles.MARK}\n[Main]\nMechanism=zram\n"  # Pi OS would swap to a file on the root, which is in memory here


def persistent_folders(root: Path) -> list[str]:
    """Every folder that must outlive a restart, relative to the root: PERSISTENT, and the services' own."""
    folders = set(PERSISTENT)
    for folder in ("usr/lib/systemd/system", "etc/systemd/system"):
        for unit in (root / folder).glob("roundtap-*.service"):
            for line in unit.read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("StateDirectory="):
                    folders |= {f"var/lib/{name}" for name in line.partition("=")[2].split()}
    return sorted(folders)


def is_read_only(root: Path) -> bool:
    """Whether the system now runs beneath the layer in memory."""
    return ("/", "overlay") in [(mount.place, mount.kind) for mount in _mounts(root)]


def is_data_mounted(root: Path) -> bool:
    return f"/{DATA}" in [mount.place for mount in _mounts(root)]


def data_partition(root: Path) -> str:
    """The one after the root on the machine's card ("/dev/mmcblk0p3") or ""; not by label, which a stick may share."""
    partitions = [
        re.fullmatch(r"(/dev/mmcblk\d+p)(\d+)", mount.source) for mount in _mounts(root) if mount.place == "/"
    ]
    return next((f"{each[1]}{int(each[2]) + 1}" for each in partitions if each), "")


def _mounts(root: Path) -> list[Mount]:
    # Not os.path.ismount, which misses bind mounts on the same disk.
    return mounts_of(MachineProbe(root=root).text("proc/self/mountinfo") or "")


def prepare_data_partition(machine: Machine) -> list[SettingsNote]:
    """Copy lasting folders to the data partition, and mount them by `/etc/fstab`; on a writable root."""
    root, data = machine.root, machine.root / DATA
    data.mkdir(exist_ok=True)
    card, mounted = data_partition(root), next((each.source for each in _mounts(root) if each.place == f"/{DATA}"), "")
    if mounted:
        card = card if card == mounted else ""
    elif not card or machine.run(["mount", card, str(data)]) != 0:
        card = ""
        if machine.run(["mount", "-L", LABEL, str(data)]) != 0:
            return [SettingsNote("no_data_partition")]
    binds = []
    for place in persistent_folders(root):
        source, there = root / place, data / place
        source.mkdir(parents=True, exist_ok=True)
        if not there.exists():
            # Atomically: a power cut in between leaves a copy under another name.
            there.parent.mkdir(parents=True, exist_ok=True)
            copy = there.with_name(there.name + ".copy")
            machine.run(["rm", "-rf", str(copy)])
            if machine.run(["cp", "-a", str(source), str(copy)]) != 0:
                return [SettingsNote("no_data_partition")]
            os.sync()
            copy.rename(there)
        binds.append(
            f"/{DATA}/{place} /{place} none bind,nofail,x-systemd.requires-mounts-for=/{DATA},"
            f"x-systemd.before=roundtap-first-boot.service 0 0"
        )
    fstab = root / "etc/fstab"
    old = fstab.read_text(encoding="utf-8") if fstab.is_file() else ""
    # Checked at each start; a missing partition keeps only the services that need it from starting. It is waited for as
    # long as systemd waits for any: on a slow machine 20 s were not enough, and nothing was mounted that has to last.
    lines = [f"{card or f'LABEL={LABEL}'} /{DATA} ext4 noatime,nofail 0 2", *binds]
    write_if_changed(fstab, with_fstab_lines(old, lines))
    write_if_changed(root / "etc/systemd/journald.conf.d/roundtap.conf", JOURNAL)
    if (root / "etc/rpi").is_dir():
        write_if_changed(root / "etc/rpi/swap.conf.d/80-roundtap.conf", SWAP)
    return []


def with_fstab_lines(fstab: str, lines: list[str]) -> str:
    """`/etc/fstab` with our lines once, at its end, and the boot partition read-only."""
    before, mark, rest = fstab.partition(BEGIN)
    after = rest.partition(END)[2].lstrip("\n") if mark else ""
    others = [_boot_read_only(line) for line in (before + after).splitlines()]
    return "\n".join([*others, BEGIN, *lines, END, ""])


def _boot_read_only(line: str) -> str:
    fields = re.split(r"(\s+)", line)
    if line.startswith("#") or len(fields) < 7 or fields[2] not in ("/boot/firmware", "/boot"):
        return line
    options = [option for option in fields[6].split(",") if option not in ("rw", "ro", "nofail")]
    # With nofail, as Pi OS would wait for a keyboard where it cannot be mounted; the last role is enough to run.
    fields[6] = ",".join([*options, "nofail", "ro"])
    return "".join(fields)


def set_read_only(machine: Machine, on: bool) -> tuple[bool, list[SettingsNote]]:
    """Make the root read-only or writable from the next start; (whether that changes anything, notes to report)."""
    boot = machine.boot()
    path = boot / "cmdline.txt" if boot is not None else None
    if path is None or not path.is_file():
        return False, [SettingsNote("no_boot_partition")] if on else []
    if on and not all((machine.root / needed).is_file() for needed in OVERLAY_NEEDS):
        return False, [SettingsNote("no_overlay")]
    if on and BEGIN not in (machine.root / "etc/fstab").read_text(encoding="utf-8"):
        # Without the data partition, a read-only root would forget the tournament.
        return False, [SettingsNote("no_data_partition")]
    words = path.read_text(encoding="utf-8").split()
    new = roles.with_kernel_word(words, OVERLAY, OVERLAY_VALUE if on else "")
    if new == words:
        started = machine.root / "proc/cmdline"
        requested = (
            on and started.is_file() and f"{OVERLAY}{OVERLAY_VALUE}" in started.read_text(encoding="utf-8").split()
        )
        return False, [SettingsNote("not_overlaid")] if requested and not is_read_only(machine.root) else []
    with machine.boot_open():
        write_atomically(path, f"{' '.join(new)}\n".encode(), on_fat=True)
    return True, []
