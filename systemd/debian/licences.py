"""Writes the package's copyright file and its list of parts (CycloneDX) from what the wheels say of themselves.

usage: licences.py SITE_PACKAGES DOC_FOLDER
"""

import json
import sys
from collections.abc import Iterator
from email.message import Message
from importlib.metadata import Distribution, distributions
from pathlib import Path

OWN = "roundtap"
LICENCE_NAMES = ("licen", "copying", "notice", "copyright")
CLASSIFIER = "License :: "


def parts(site: Path) -> Iterator[Distribution]:
    return iter(sorted(distributions(path=[str(site)]), key=lambda part: part.name.lower()))


def licence(about: Message) -> str:
    """In one line, as the wheel names it: its expression, else its classifiers, else the beginning of its text."""
    if said := about.get("License-Expression"):
        return str(said)
    named = [line.split(" :: ")[-1] for line in about.get_all("Classifier", []) if line.startswith(CLASSIFIER)]
    if named:
        return " / ".join(named)
    return next(iter((about.get("License") or "").strip().splitlines()), "") or "not named"


def texts(part: Distribution) -> list[str]:
    """The licence files that the wheel brings: where they lie on the machine."""
    return sorted(
        f"/{Path('opt/roundtap') / 'lib' / Path(str(part.locate_file(file))).relative_to(lib(part))}"
        for file in part.files or ()
        if ".dist-info/" in str(file) and any(name in file.name.lower() for name in LICENCE_NAMES)
    )


def lib(part: Distribution) -> Path:
    """The folder "lib" of the environment."""
    return Path(str(part.locate_file(""))).parent.parent


def copyright_file(site: Path, own: str) -> str:
    """DEP-5, one paragraph a part."""
    lines = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
        "Upstream-Name: Roundtap",
        "Comment: /opt/roundtap holds the Python packages below, unchanged, as they were published.",
    ]
    for part in parts(site):
        about = part.metadata
        if part.name == OWN:
            lines += ["", "Files: *", "Copyright: the authors of Roundtap", "License: MIT"]
            lines += [f" {line}" if line.strip() else " ." for line in own.strip().splitlines()]
            continue
        holder = next(filter(None, map(about.get, ("Author", "Author-email", "Maintainer"))), f"authors of {part.name}")
        top = sorted({str(file).split("/")[0] for file in part.files or () if not str(file).startswith("..")})
        lines += [
            "",
            f"Files: {' '.join(f'opt/roundtap/lib/*/site-packages/{name}*' for name in top)}",
            f"Copyright: {' '.join(holder.split())}",
            f"License: {licence(about)}",
            f" {part.name} {part.version}: as published; its licence in full:",
        ]
        lines += [f" {path}" for path in texts(part)] or [" not among its files"]
    return "\n".join(lines) + "\n"


def bill(site: Path) -> dict[str, object]:
    """The parts with versions and licences, as CycloneDX 1.5 has them."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "components": [
            {
                "type": "library",
                "name": part.name,
                "version": part.version,
                "purl": f"pkg:pypi/{part.name.lower().replace('_', '-')}@{part.version}",
                "licenses": [{"license": {"name": licence(part.metadata)}}],
            }
            for part in parts(site)
            if part.name != OWN
        ],
    }


def main(site: Path, folder: Path) -> None:
    own = Path("LICENSE").read_text(encoding="utf-8")
    (folder / "copyright").write_text(copyright_file(site, own), encoding="utf-8")
    if folder.name == OWN:
        (folder / "sbom.cdx.json").write_text(json.dumps(bill(site), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
