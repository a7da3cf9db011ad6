"""A bundle of small Debian packages, laid out as `make bundle` lays it out."""

import hashlib
import io
import tarfile
from pathlib import Path


def control(name: str, version: str = "1", architecture: str = "arm64", **more: str) -> str:
    """A control file; `Pre_Depends="libc6"` is the field Pre-Depends."""
    fields = {
        "Package": name,
        "Version": version,
        "Architecture": architecture,
        **{key.replace("_", "-"): value for key, value in more.items()},
        "Description": "a part\n of the kit",
    }
    return "".join(f"{key}: {value}\n" for key, value in fields.items())


def deb(text: str, content: bytes = b"what it installs", packing: str = "xz") -> bytes:
    """A .deb with this control file: ar of "debian-binary", "control.tar.*" and "data.tar"."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=f"w:{packing}") as tar:
        member = tarfile.TarInfo("./control")
        member.size = len(text.encode())
        tar.addfile(member, io.BytesIO(text.encode()))
    made = b"!<arch>\n"
    for name, raw in (
        ("debian-binary", b"2.0\n"),
        (f"control.tar.{packing}", packed.getvalue()),
        ("data.tar", content),
    ):
        made += f"{name:<16}{0:<12}{0:<6}{0:<6}{0o100644:<8o}{len(raw):<10}`\n".encode() + raw + b"\n" * (len(raw) % 2)
    return made


def index(folder: Path) -> None:
    """List the packages of a folder as dpkg-scanpackages does."""
    listed = []
    for path in sorted(folder.glob("*.deb")):
        name, version, architecture = path.stem.split("_")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        listed.append(control(name, version, architecture, Filename=f"./{path.name}", SHA256=digest))
    (folder / "Packages").write_text("\n".join(listed))


def made_bundle(folder: Path, *controls: str, given: str = "libc6 python3 systemd") -> Path:
    """A whole bundle of packages with these control files (default: Roundtap and overlayroot)."""
    folder.mkdir()
    for text in controls or (
        control("roundtap", "1.2.3", Depends="python3 (>= 3.13), systemd (>= 252)"),
        control("overlayroot", "0.18", "all"),
    ):
        name, version, architecture = (line.split(": ")[1] for line in text.splitlines()[:3])
        (folder / f"{name}_{version}_{architecture}.deb").write_bytes(deb(text))
    index(folder)
    (folder / "given").write_text("\n".join(given.split()))
    (folder / "install.sh").write_text("#!/bin/sh\n")
    return folder
