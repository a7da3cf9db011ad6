"""Documents stand beside what they describe: every file they name is there, every room of the house is in CODE.md."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("server", "devices", "firmware", "systemd", "tests")
PACKAGES = ("server/roundtap", "server/roundtap_core", "server/roundtap_hub", "devices/roundtap_devices",
            "firmware/roundtap_units", "server/roundtap_machine")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "server/CODE.md", "server/MESSAGES.md", "server/SCALE.md",
             "firmware/BUILD.md", "systemd/README.md", "systemd/VENUE.md",
             "tests/metal/README.md", "SECURITY.md", "tests/RELIABILITY.md")
TOP_LEVEL = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", *FOLDERS}


@cache
def tree() -> frozenset[str]:
    """Every file and folder of the repository below its five folders, and the files beside them."""
    found = {path.name for path in ROOT.iterdir()}
    for folder in FOLDERS:
        found |= {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*")
                  if "__pycache__" not in path.parts and not path.name.endswith(".pyc")}
    return frozenset(found)


def is_there(name: str) -> bool:
    """A file or folder by its path in the repository, or by the end of its path."""
    wanted = name.rstrip("/")
    return any(path == wanted or path.endswith(f"/{wanted}") for path in tree())


def named(text: str) -> set[str]:
    """What a document says in `…` that is meant as a file here; X, GAME, DOCUMENT and <…> stand for any."""
    marks = {mark.partition("::")[0] for mark in re.findall(r"`([^`\n]+)`", text)}
    rooms = {path.rpartition("/")[2] for path in tree() if "." not in path}
    return {mark for mark in marks
            if re.fullmatch(r"[\w./-]+", mark) and not re.search(r"\bX\b|GAME|DOCUMENT", mark)
            and not mark.startswith(("/", ".")) and not re.fullmatch(r"roundtap/\w+/\d", mark)
            and (mark.endswith(".py") or ("/" in mark and mark.split("/")[0] in rooms))}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_named_file_is_there(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    gone = {name for name in named(text) if not is_there(name)}
    links = {link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link}
    gone |= {link for link in links if not ((ROOT / document).parent / link).exists()}
    assert gone == set()


def test_a_file_that_is_gone_would_be_missed() -> None:
    assert named("`server/nowhere.py`, `edges.py`, `pages/X.py`, `/device/report`, `keys.json`, `win/loss`") == {
        "server/nowhere.py", "edges.py"}
    assert is_there("input/edges.py")
    assert not is_there("nowhere.py")


def test_every_room_has_its_line_in_the_code_s_page() -> None:
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    rooms = {path.parent.relative_to(ROOT).as_posix() for path in modules}
    page = (ROOT / "server/CODE.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `([\w/]+)` \|", page, flags=re.MULTILINE)
    assert set(lines) == rooms
    assert len(lines) == len(set(lines))


def test_the_top_level_keeps_to_its_folders() -> None:
    made_by_tools = {line.strip().rstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines()}
    ours = {path.name for path in ROOT.iterdir() if path.is_dir() or path.suffix in (".md", ".py")}
    assert {name for name in ours if not name.startswith(".")} - made_by_tools <= TOP_LEVEL


def test_before_a_commit_runs_what_make_lint_runs() -> None:
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    lint = re.search(r"^lint: setup\n((?:\t.+\n)+)", rules, flags=re.MULTILINE)
    assert lint
    wanted = [line.strip().replace("$(BIN)", ".venv/bin") for line in lint[1].splitlines()]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^ +entry: (.+)$", hooks, flags=re.MULTILINE) == wanted
