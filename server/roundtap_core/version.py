"""Which build this is: the commit that it was made of, and whether another build is the same."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

CORE = Path(__file__).parent
BUILT = "built_version.txt"
"""Written beside this module by setuptools-scm when the package is built; no part of the repository."""

NO_COMMIT = "no-commit"
GIT_TIMEOUT_S = 10
"""Longer takes only a git that waits for somebody."""

_COMMIT = re.compile(r"(?:^|\+g)([0-9a-f]{7,40})(\+dirty|\.d\d{8})?$")


@cache
def version() -> str:
    """This build's version, asked for once in a process.

    A package that was built: "0.1.dev549+ga9ffbd210" (".d20261122" behind it: built of files that were not committed).
    A checkout: its commit, "a9ffbd210", or "a9ffbd210+dirty". Neither, or a checkout without git: "no-commit." and a
    digest of the core's files, which is worth nothing to a person but tells two such builds apart.
    """
    return version_of(CORE)


def version_of(core: Path, ask: Callable[[Path], str] | None = None) -> str:
    """As `version`, of the core that lies in that folder. `ask`: what git says of a checkout, "" where it cannot."""
    root = core.parent.parent
    if core.parent.name == "server" and (root / ".git").exists():
        # What was built here once may be of another commit.
        said = (ask or _git_describe)(root)
    else:
        try:
            said = (core / BUILT).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            said = ""
    return said if _COMMIT.search(said) else f"{NO_COMMIT}.{_digest(core)}"


def same_build(one: str, other: str) -> bool:
    """Whether both versions are of one commit, however each was installed.

    A checkout with changes is like itself only: of two that have changed since the same commit nobody can say more.
    """
    if one == other:
        return True
    first, second = _COMMIT.search(one), _COMMIT.search(other)
    if first is None or second is None or first[2] or second[2]:
        return False
    # Git writes as few letters of a commit as tell it from all others: not as many everywhere.
    short, long = sorted((first[1], second[1]), key=len)
    return long.startswith(short)


def _git_describe(root: Path) -> str:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        # A service's user may run what another one has cloned; and it writes nothing there.
        done = subprocess.run(
            ["git", "-c", f"safe.directory={root}",
             "describe", "--always", "--exclude=*", "--abbrev=9", "--dirty=+dirty"],
            cwd=root, env={**plain, "GIT_OPTIONAL_LOCKS": "0"}, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=GIT_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def _digest(core: Path) -> str:
    """What the core consists of: its programs, words and rulebooks."""
    files = sorted(path for path in core.rglob("*") if path.suffix in (".py", ".json"))
    whole = hashlib.sha256()
    for path in files:
        whole.update(f"{path.relative_to(core).as_posix()}\0".encode())
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:9]
