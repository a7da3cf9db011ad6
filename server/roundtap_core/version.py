"""The version of this build: its commit, and whether another build is the same."""

import hashlib
import os
import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

CORE = Path(__file__).parent
BUILT = "built_version.txt"  # written beside this module by setuptools-scm in a build; not in the repository

VERSION_VARIABLE = "ROUNDTAP_VERSION"  # in the environment of a process that another one of this build has started

NO_COMMIT = "no-commit"
GIT_TIMEOUT_S = 10  # only a git that waits for input takes longer

_COMMIT = re.compile(r"(?:^|\+g)([0-9a-f]{7,40})(\+dirty|\.d\d{8})?$")


@cache
def version() -> str:
    """This build's version, computed once per process, or that of the process that started this one. A built package:
    "0.1.0.dev549+ga9ffbd210", followed by ".d20261122" if files were uncommitted; a release: "0.1.0+ga9ffbd210". A
    checkout: its commit, "a9ffbd210", or "a9ffbd210+dirty". Otherwise "no-commit." and a digest of the core's files,
    which only tells two such builds apart."""
    return os.environ.get(VERSION_VARIABLE) or core_version(CORE)


def core_version(core: Path, ask: Callable[[Path], str] | None = None) -> str:
    """As `version`, for the core in that folder. `ask`: git's answer about a checkout, "" if there is none."""
    root = core.parent.parent
    if core.parent.name == "server" and (root / ".git").exists():
        # A local build may be of another commit.
        text = (ask or _git_describe)(root)
    else:
        try:
            text = (core / BUILT).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            text = ""
    return text if _COMMIT.search(text) else f"{NO_COMMIT}.{_digest(core)}"


def same_build(one: str, other: str) -> bool:
    """Whether both versions are of the same commit, however they were installed. A dirty one equals only itself."""
    if one == other:
        return True
    first, second = _COMMIT.search(one), _COMMIT.search(other)
    if first is None or second is None or first[2] or second[2]:
        return False
    # Git abbreviates commits to different lengths on different machines.
    short, long = sorted((first[1], second[1]), key=len)
    return long.startswith(short)


def _git_describe(root: Path) -> str:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        # A service may run a checkout owned by another user; git must write nothing there.
        done = subprocess.run(
            [
                "git",
                "-c",
                f"safe.directory={root}",
                "describe",
                "--always",
                "--exclude=*",
                "--abbrev=9",
                "--dirty=+dirty",
            ],
            cwd=root,
            env={**plain, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def _digest(core: Path) -> str:
    files = sorted(path for path in core.rglob("*") if path.suffix in (".py", ".json"))
    whole = hashlib.sha256()
    for path in files:
        whole.update(f"{path.relative_to(core).as_posix()}\0".encode())
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:9]
