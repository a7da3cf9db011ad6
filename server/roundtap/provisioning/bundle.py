"""Reads a bundle of packages as `make bundle` makes it, and refuses one that is empty, half or for another machine."""

import hashlib
import io
import os
import re
import shutil
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

from roundtap_core.errors import Problem

INDEX, GIVEN, INSTALLER = "Packages", "given", "install.sh"
"""Beside the packages: their list with hashes (dpkg-scanpackages), the names that every target has, the installer."""
OWN, WALL = "roundtap", "roundtap-wall"
ARCHITECTURE = "arm64"  # of 64-bit Raspberry Pi OS, as Debian names it
AR_MAGIC, AR_HEADER = b"!<arch>\n", 60
NAME = re.compile(r"(?:^|[|,])\s*([a-z0-9][a-z0-9+.-]*)")  # in "libc6 (>= 2.34) | libc7" or "editor, vi"
MIB = 1 << 20


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
    there = {*given, *(each["Package"] for each in packages)}
    there.update(name for each in packages for name in NAME.findall(each.get("Provides", "")))
    wanted = [
        group.strip()
        for each in packages
        for key in ("Pre-Depends", "Depends")
        for group in each.get(key, "").split(",")
    ]
    return sorted({group for group in wanted if group and there.isdisjoint(NAME.findall(group))})


def _paragraphs(text: str) -> Iterator[Message]:
    return map(HeaderParser().parsestr, re.split(r"\n\n+", text.strip("\n")))
