"""Makes a card's first start install Roundtap without internet, of a bundle that was checked: on its boot partition, or
in an image of Pi OS."""

import argparse
import errno
import hashlib
import io
import lzma
import os
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from types import MappingProxyType

from roundtap.headless import cli_io
from roundtap.provisioning import read_only, roles, settings_file
from roundtap.provisioning.applying import machine_at
from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_machine.disk import forget_cached, write_atomically

INDEX, GIVEN, INSTALLER = "Packages", "given", "install.sh"
"""Beside the packages: their list with hashes (dpkg-scanpackages), the names that every target has, the installer."""
OWN, WALL = "roundtap", "roundtap-wall"
ARCHITECTURE = "arm64"  # of 64-bit Raspberry Pi OS, as Debian names it
AR_MAGIC, AR_HEADER = b"!<arch>\n", 60
NAME = re.compile(r"(?:^|[|,])\s*([a-z0-9][a-z0-9+.-]*)")  # in "libc6 (>= 2.34) | libc7" or "editor, vi"
MIB = 1 << 20
ETC = Path("/etc/roundtap")  # of a running machine whose card is made anew
FILES = Path(__file__).with_name("card_files")
FOLDER, SCRIPT = "roundtap", "roundtap/first-boot.sh"
# systemd's way to run one program instead of all services (systemd-run-generator), as Imager did.
ARMED = (
    "systemd.run=/boot/firmware/roundtap/first-boot.sh",
    "systemd.run_success_action=reboot",
    "systemd.run_failure_action=reboot",
    "systemd.unit=kernel-command-line.target",
)
# Removed, since Pi OS would grow its root over the whole card and leave no room for the data, and since Imager's own
# script fails where it is looked for in vain, and ours with it: the first start runs it.
STOCK = (
    "resize",
    "init=/usr/lib/raspberrypi-sys-mods/firstboot",
    "init=/usr/lib/raspi-config/init_resize.sh",
    "systemd.run=/boot/firstrun.sh",
    "systemd.run=/boot/firmware/firstrun.sh",
)
FAT_TYPES = (0x06, 0x0B, 0x0C, 0x0E)
SECTOR = 512


ARGUMENTS = (
    argument(
        "target",
        nargs="?",
        metavar="WHERE",
        help="the mounted boot partition of a card, or an image of Raspberry Pi OS (.img, .img.xz)",
        either="what",
        needed=True,
    ),
    argument(
        "--check",
        type=Path,
        metavar="FILE",
        help="only say what is wrong in this roundtap.txt",
        either="what",
        needed=True,
    ),
    argument("--bundle", metavar="TAR", help="what `make bundle` made, or the same as a folder"),
    # Containers that stand for a Pi are of the kind of the machine that they run on.
    argument("--architecture", default=ARCHITECTURE, help=argparse.SUPPRESS),
    argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="a roundtap.txt to put onto it, with the TOML files beside it that it names",
    ),
    argument(
        "--output",
        type=Path,
        default=Path("dist/roundtap.img"),
        metavar="FILE",
        help="where the image goes (default: dist/roundtap.img)",
    ),
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A whole bundle: every file that goes onto the card; each package's control fields ("Package", "Version" …)."""

    files: Sequence[Path]
    packages: Sequence[Message]


def read_bundle(source: Path, unpacked: Path, architecture: str = ARCHITECTURE) -> Bundle:
    """A folder, or a tar that is extracted to `unpacked`. Raises Problem unless it has Roundtap's package, exactly what
    its list names, everything that its packages depend on, and all of it for `architecture`."""
    folder = _extract(source, unpacked) if source.is_file() else source
    files = sorted(path for path in folder.glob("*") if path.is_file())
    debs = {path.name: path for path in files if path.suffix == ".deb"}
    if not any(name.startswith(f"{OWN}_") for name in debs):
        raise Problem("card_no_bundle", folder=source)
    whole = {path.name for path in files if path.stat().st_size}
    if lacking := [name for name in (INDEX, GIVEN, INSTALLER) if name not in whole]:
        raise Problem("card_bundle_half", folder=source, names=", ".join(lacking))
    index = _paragraphs((folder / INDEX).read_text("utf-8", "replace"))
    listed = {str(each["Filename"]).removeprefix("./"): each for each in index}
    if absent := sorted(listed.keys() - debs.keys()):
        raise Problem("card_bundle_half", folder=source, names=", ".join(absent))
    packages = [_checked(path, listed.get(name), architecture) for name, path in debs.items()]
    if unmet := unmet_dependencies(packages, (folder / GIVEN).read_text("utf-8", "replace").split()):
        raise Problem("card_bundle_half", folder=source, names=", ".join(unmet))
    return Bundle(files, packages)


def _extract(source: Path, unpacked: Path) -> Path:
    try:
        with tarfile.open(source) as tar:
            for member in filter(tarfile.TarInfo.isreg, tar):
                if content := tar.extractfile(member):
                    # By its base name alone: no path in a tar leads out of `unpacked`.
                    with (unpacked / Path(member.name).name).open("wb") as file:
                        shutil.copyfileobj(content, file)
    except (tarfile.TarError, EOFError) as error:
        raise Problem("card_bundle_changed", file=source) from error
    return unpacked


def _checked(path: Path, listed: Message | None, architecture: str) -> Message:
    """The control fields of a package that is what the bundle's list says, and for this kind of machine."""
    try:
        fields = control_fields(path)
    except (ValueError, KeyError, EOFError, tarfile.TarError) as error:
        raise Problem("card_bundle_changed", file=path.name) from error
    if fields["Architecture"] not in (architecture, "all"):
        raise Problem("card_bundle_foreign", file=path.name, found=fields["Architecture"], wanted=architecture)
    with path.open("rb") as file:
        same = listed is not None and hashlib.file_digest(file, "sha256").hexdigest() == listed["SHA256"]
    if not same:
        raise Problem("card_bundle_changed", file=path.name)
    return fields


def control_fields(package: Path) -> Message:
    """What a .deb says of itself: by deb(5) an ar archive with a control.tar.xz, or .gz. Raises ValueError, KeyError,
    EOFError or tarfile.TarError where it is none."""
    with package.open("rb") as file:
        if file.read(len(AR_MAGIC)) != AR_MAGIC:
            raise ValueError("no ar archive")
        while header := file.read(AR_HEADER):
            size = int(header[48:58])
            if header.startswith(b"control.tar"):
                with tarfile.open(fileobj=io.BytesIO(file.read(size))) as tar:
                    control = tar.extractfile("./control")
                    return next(_paragraphs((control.read() if control else b"").decode()))
            file.seek(size + size % 2, os.SEEK_CUR)
    raise ValueError("no control file")


def unmet_dependencies(packages: Sequence[Message], given: Iterable[str]) -> list[str]:
    """What neither the packages nor the `given` names fulfil: ["cage", "lpr | cups"]. Versions are apt's to check."""
    provided = [name for each in packages for name in NAME.findall(each.get("Provides", ""))]
    there = {*given, *provided, *(each["Package"] for each in packages)}
    wanted = [
        group.strip()
        for each in packages
        for key in ("Pre-Depends", "Depends")
        for group in each.get(key, "").split(",")
    ]
    return sorted({group for group in wanted if group and there.isdisjoint(NAME.findall(group))})


def _paragraphs(text: str) -> Iterator[Message]:
    return map(HeaderParser().parsestr, re.split(r"\n\n+", text.strip("\n")))


def run(args: argparse.Namespace) -> int:
    """2, with what to do, where the target is not a card, the bundle does not fit, or --check finds something."""
    if args.check:
        return check(args.check)
    if args.bundle is None:
        args.refuse("the following arguments are required: --bundle")
    with tempfile.TemporaryDirectory(prefix="roundtap-card-") as folder:
        return _run(args, Path(folder))


def check(path: Path) -> int:
    """Print each note on a settings file, as its first start would say it; 2 where there is one."""
    words = cli_io.cli_words()
    try:
        path.stat()
        settings, notes = settings_file.read_settings_file(path)
    except OSError as error:
        return cli_io.print_refusal(f"roundtap card: {cli_io.error_of_system(error, path)}")
    cli_io.write_lines(
        [note.text(words, path.name) for note in notes]
        or [words("says.fine"), words("says.role", role=words(f"role.{settings.role or 'undecided'}"))]
    )
    return cli_io.BAD_INPUT if notes else cli_io.DONE


def _run(args: argparse.Namespace, unpacked: Path) -> int:
    where, unfinished = Path(args.target), args.output.with_suffix(".part")
    try:
        # "", from a Makefile's empty variable, would be the working folder.
        if not args.target:
            raise Problem("card_no_base")
        if not where.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), args.target)
        if not args.bundle:
            raise Problem("card_no_bundle", folder="dist")
        files, notes = _settings_files(args.settings or (where if where.is_dir() else FILES) / settings_file.FILE)
        words = cli_io.cli_words()
        if notes:
            # A card that cannot work is not made.
            cli_io.write_lines(note.text(words, (args.settings or Path(settings_file.FILE)).name) for note in notes)
            return cli_io.BAD_INPUT
        bundle = read_bundle(Path(args.bundle), unpacked, args.architecture)
        if not where.is_dir():
            args.output.parent.mkdir(parents=True, exist_ok=True)
            copy_sparse(where, unfinished)
        card = FolderCard(where) if where.is_dir() else ImageCard(unfinished)
        with machine_at(Path("/")).boot_open():
            prepare_card(card, bundle.files, files if args.settings else {})
        if not where.is_dir():
            where = unfinished.replace(args.output)
    except Problem as problem:
        return cli_io.print_refusal(f"roundtap card: {problem.say(cli_io.reader_words())}")
    except (OSError, lzma.LZMAError, EOFError) as error:
        return cli_io.print_refusal(f"roundtap card: {getattr(error, 'filename', None) or where}: {error}")
    finally:
        unfinished.unlink(missing_ok=True)
    no_wall = () if any(each["Package"] == WALL for each in bundle.packages) else (words("card.no_wall"),)
    cli_io.write_lines(
        [
            *content_lines(bundle),
            *no_wall,
            words(
                "card.done" if where.is_dir() else "card.image",
                where=where,
                packages=len(bundle.packages),
                mib=_size_mib(bundle.files),
            ),
        ]
    )
    return cli_io.DONE


def _settings_files(path: Path) -> tuple[dict[str, bytes], list[settings_file.SettingsNote]]:
    """roundtap.txt and the TOML files beside it that it names, and the notes on it."""
    settings, notes = settings_file.read_settings_file(path, [ETC])
    named = {settings.board, settings.printer, settings_file.STANDBY_FILE if settings.role == "standby" else ""}
    beside = {each.name: each.read_bytes() for each in settings_file.toml_files(path.parent) if each.name in named}
    return {**beside, **({settings_file.FILE: path.read_bytes()} if path.exists() else {})}, notes


def _size_mib(files: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in files) // MIB


def content_lines(bundle: Bundle) -> list[str]:
    """Every package with version and architecture, Roundtap's own first, each on a line; the others together."""
    named = [" ".join((each["Package"], each["Version"], each["Architecture"])) for each in bundle.packages]
    own = [name for name in named if name.startswith(OWN)]
    return [
        *own,
        *textwrap.wrap(
            ", ".join(name for name in named if name not in own),
            110,
            initial_indent="  ",
            subsequent_indent="  ",
            break_on_hyphens=False,
        ),
    ]


class FolderCard:
    """A mounted boot partition: a card in a reader, or this machine's own. Names are relative to it, with /."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> bytes | None:
        path = self._folder / name
        if not path.is_file():
            return None
        with path.open("rb") as file:
            forget_cached(file.fileno())
            return file.read()

    def put(self, name: str, raw: bytes) -> None:
        path = self._folder / name
        write_atomically(path, raw, on_fat=True)
        path.chmod(0o755 if name.endswith(".sh") else 0o644)

    def copy(self, sources: Sequence[Path], folder: str) -> None:
        (self._folder / folder).mkdir(parents=True, exist_ok=True)
        for source in sources:
            shutil.copyfile(source, self._folder / folder / source.name)
        os.sync()

    def clear(self, folder: str) -> None:
        shutil.rmtree(self._folder / folder, ignore_errors=True)

    def free(self) -> int:
        return shutil.disk_usage(self._folder).free


class ImageCard:
    """The boot partition within an image, accessed by mtools: needs neither mounting nor root."""

    def __init__(self, image: Path) -> None:
        self._drive = f"{image}@@{boot_partition_offset(image)}"
        if shutil.which("mcopy") is None:
            raise Problem("card_no_mtools")

    def _call(self, *words: str, raw: bytes | None = None, may_fail: bool = True) -> bytes | None:
        """The program's output; None where it failed. Raises OSError with its message where it may not fail."""
        # Non-ASCII letters in names would depend on the caller's locale.
        done = subprocess.run(
            [words[0], "-i", self._drive, *words[1:]],
            input=raw,
            capture_output=True,
            check=False,
            env={**os.environ, "MTOOLS_SKIP_CHECK": "1", "LC_ALL": "C.UTF-8"},
        )
        if done.returncode and not may_fail:
            raise OSError(done.stderr.decode(errors="replace").strip() or f"{words[0]}: {done.returncode}")
        return None if done.returncode else done.stdout

    def get(self, name: str) -> bytes | None:
        return self._call("mcopy", "-n", f"::{name}", "-")

    def put(self, name: str, raw: bytes) -> None:
        self._call("mcopy", "-o", "-", f"::{name}", raw=raw, may_fail=False)

    def copy(self, sources: Sequence[Path], folder: str) -> None:
        parts = folder.split("/")
        for count in range(1, len(parts) + 1):
            self._call("mmd", "-D", "s", f"::{'/'.join(parts[:count])}")
        self._call("mcopy", "-o", *map(str, sources), f"::{folder}/", may_fail=False)

    def clear(self, folder: str) -> None:
        self._call("mdeltree", f"::{folder}")

    def free(self) -> int:
        listing = (self._call("mdir", "::") or b"").decode(errors="replace")
        # "                         528 596 992 bytes free"
        line = next((line for line in listing.splitlines() if "bytes free" in line), "0")
        return int("".join(sign for sign in line if sign.isdecimal()) or 0)


Card = FolderCard | ImageCard


def boot_partition_offset(image: Path) -> int:
    """The boot partition's offset in an image, in bytes. Problem where there is none."""
    with image.open("rb") as file:
        head = file.read(SECTOR)
    if len(head) == SECTOR and head[510:] == b"\x55\xaa":
        for entry in range(446, 510, 16):
            kind, first = head[entry + 4], struct.unpack_from("<I", head, entry + 8)[0]
            if kind in FAT_TYPES and first:
                return int(first) * SECTOR
    raise Problem("card_no_image", file=image.name)


def copy_sparse(image: Path, target: Path) -> None:
    """Make a working copy in which zeros become holes, so that an image of 3 GB takes only the space of its content."""
    opener = lzma.open if image.suffix == ".xz" else open
    with opener(image, "rb") as source, target.open("wb") as file:
        while block := source.read(4 * MIB):
            if block.count(0) == len(block):
                file.seek(len(block), os.SEEK_CUR)
            else:
                file.write(block)
        file.truncate(file.tell())


def prepare_card(card: Card, packages: Sequence[Path], settings: Mapping[str, bytes] = MappingProxyType({})) -> None:
    """Put bundle, script and settings (files by their names) onto the card, read all of it back, and let the next start
    run the script. Repeatable."""
    cmdline = card.get("cmdline.txt")
    if cmdline is None or card.get("config.txt") is None:
        raise Problem("card_no_boot")
    card.clear(f"{FOLDER}/bundle")
    needed_mib, free_mib = _size_mib(packages) + 5, card.free() // MIB
    if free_mib < needed_mib:
        raise Problem("card_full", needed_mib=needed_mib, free_mib=free_mib)
    card.copy(packages, f"{FOLDER}/bundle")
    small = {**settings, SCRIPT: (FILES / "first-boot.sh").read_bytes(), f"{FOLDER}/tries": b"0\n"}
    if settings_file.FILE not in small and card.get(settings_file.FILE) is None:
        # For Notepad, with Windows line ends.
        text = (FILES / settings_file.FILE).read_text(encoding="utf-8")
        small[settings_file.FILE] = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    for name, raw in small.items():
        card.put(name, raw)
    read_back(card, {**small, **{f"{FOLDER}/bundle/{path.name}": path for path in packages}})
    on_card, _ = settings_file.read_settings(card.get(settings_file.FILE) or b"")
    # Last and atomically: until here the card starts as it did before.
    text = with_first_boot_script(cmdline.decode("utf-8", errors="surrogateescape"), on_card)
    line = text.encode("utf-8", errors="surrogateescape")
    card.put("cmdline.txt", line)
    read_back(card, {"cmdline.txt": line})


def read_back(card: Card, written: Mapping[str, bytes | Path]) -> None:
    """Raise Problem("card_read_back") where a file on the card is not, byte for byte, what was written to it."""
    for name, wanted in written.items():
        if card.get(name) != (wanted.read_bytes() if isinstance(wanted, Path) else wanted):
            raise Problem("card_read_back", file=name)


def with_first_boot_script(cmdline: str, settings: settings_file.Settings) -> str:
    """The kernel's command line with which the next start runs the script, on a writable root."""
    words = [
        word for word in cmdline.split() if word not in (*STOCK, *ARMED) and not word.startswith(read_only.OVERLAY)
    ]
    return roles.cmdline(" ".join([*words, *ARMED]) + "\n", settings.country)
