"""A machine made of a folder: its boot partition, its `/etc`, and a list of the programs that were called."""

from collections.abc import Sequence
from pathlib import Path

from roundtap.provisioning.applying import Machine
from roundtap.provisioning.roles import SERVICES, systemd_unit

CMDLINE = (
    "console=serial0,115200 console=tty1 root=PARTUUID=0a1b2c3d-02 rootfstype=ext4 fsck.repair=yes rootwait resize\n"
)
CONFIG = "# For more options and information see\ndtparam=audio=on\n[cm4]\notg_mode=1\n[all]\n"


class Called:
    """Every program that was called, what it was given to read, and what it answered: 0, but 1 to what is `refused`."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self.given: list[str] = []
        self.refused = "nothing at all"

    def __call__(self, words: Sequence[str], given: str = "") -> int:
        self.all.append(" ".join(words))
        self.given += [given] if given else []
        return int(self.refused in self.all[-1])

    def started(self) -> set[str]:
        """The units that systemd was told to start."""
        return {word for call in self.all if " start " in call for word in call.split() if word.endswith(".service")}

    def stopped(self) -> set[str]:
        return {word for call in self.all if " disable " in call for word in call.split() if word.endswith(".service")}


def machine_in(folder: Path, says: str | bytes | None = None, pi: bool = True) -> tuple[Machine, Called]:
    """A machine with every service of the kit installed, and `roundtap.txt` with these words; `pi`: with boot files."""
    units = folder / "usr/lib/systemd/system"
    units.mkdir(parents=True)
    for several in SERVICES.values():
        for service in several:
            (units / systemd_unit(service)).touch()
    zones = folder / "usr/share/zoneinfo/Europe"
    zones.mkdir(parents=True)
    (zones / "Berlin").touch()
    (zones.parent / "zone.tab").write_text("# code\nDE\t+5230+01322\tEurope/Berlin\tmost of Germany\n")
    (folder / "etc").mkdir()
    boot = folder / "boot/firmware"
    if pi:
        boot.mkdir(parents=True)
        (boot / "cmdline.txt").write_text(CMDLINE)
        (boot / "config.txt").write_text(CONFIG)
        if says is not None:
            (boot / "roundtap.txt").write_bytes(says if isinstance(says, bytes) else says.encode())
    called = Called()
    return Machine(folder, called), called


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
