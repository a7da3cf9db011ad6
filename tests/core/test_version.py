"""Which build this is: a package says what was built, a checkout asks git, and anything else says that nobody knows."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from roundtap_core.version import BUILT, core_version, same_build, version

A, B = "a9ffbd210", "1c0ffee42"
PACKAGE = f"0.1.0.dev549+g{A}"
RELEASE = f"0.1.0+g{A}"


def package(folder: Path, built: str | None = PACKAGE) -> Path:
    """A core as pip puts it: among others, in no repository."""
    core = folder / "site-packages" / "roundtap_core"
    core.mkdir(parents=True)
    (core / "rounds.py").write_text("ROUNDS = 5\n")
    if built is not None:
        (core / BUILT).write_text(built)
    return core


def checkout(folder: Path) -> Path:
    """A core as a clone has it, one commit old."""
    core = folder / "server" / "roundtap_core"
    core.mkdir(parents=True)
    (core / "rounds.py").write_text("ROUNDS = 5\n")
    for words in (["init"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "--message", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return core


@pytest.mark.parametrize("built", [PACKAGE, RELEASE])
def test_a_package_is_what_it_was_built_of(built: str, tmp_path: Path) -> None:
    assert core_version(package(tmp_path, built)) == built


def test_a_checkout_is_its_commit_whatever_was_built_in_it_before(tmp_path: Path) -> None:
    core = checkout(tmp_path)
    (core / BUILT).write_text(PACKAGE)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert re.fullmatch("[0-9a-f]{9,}", core_version(core))
    assert head.startswith(core_version(core))


def test_a_checkout_with_changes_says_so(tmp_path: Path) -> None:
    core = checkout(tmp_path)
    clean = core_version(core)
    (core / "rounds.py").write_text("ROUNDS = 6\n")
    assert core_version(core) == f"{clean}+dirty"


def test_a_git_hook_s_surroundings_do_not_make_it_another_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = checkout(tmp_path / "here")
    other = checkout(tmp_path / "there")
    (other / "rounds.py").write_text("ROUNDS = 6\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "there" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "there"))
    assert not core_version(core).endswith("+dirty")


@pytest.mark.parametrize("built", [None, "", "0.1.0+no.commit", "0.1.0"])
def test_no_commit_is_said_and_two_such_builds_are_told_apart(tmp_path: Path, built: str | None) -> None:
    core = package(tmp_path, built)
    said = core_version(core)
    assert re.fullmatch("no-commit[.][0-9a-f]{9}", said)
    assert core_version(core) == said
    (core / "rounds.py").write_text("ROUNDS = 6\n")
    assert core_version(core) != said


def test_a_checkout_on_a_machine_without_git_does_not_say_what_was_built_once(tmp_path: Path) -> None:
    core = checkout(tmp_path)
    (core / BUILT).write_text(PACKAGE)
    assert core_version(core, lambda root: "").startswith("no-commit.")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (PACKAGE, PACKAGE, True),
        (PACKAGE, A, True),
        (PACKAGE, RELEASE, True),
        (PACKAGE, f"{A}f3", True),
        (PACKAGE, f"0.1.0.dev12+g{A}", True),  # a shallow clone counts fewer commits
        (PACKAGE, f"0.1.0.dev549+g{B}", False),
        (A, B, False),
        (A, f"{A}+dirty", False),
        (f"{A}+dirty", f"{A}+dirty", True),
        (f"{A}+dirty", f"{PACKAGE}.d20261122", False),
        (f"{PACKAGE}.d20261122", f"{PACKAGE}.d20261122", True),
        ("no-commit.123456789", "no-commit.123456789", True),
        ("no-commit.123456789", "no-commit.987654321", False),
        ("no-commit.123456789", PACKAGE, False),
        ("0.1.0", PACKAGE, False),
    ],
)
def test_builds_are_the_same_when_their_commit_is(one: str, other: str, same: bool) -> None:
    assert same_build(one, other) is same
    assert same_build(other, one) is same


def test_without_a_tag_a_build_is_on_its_way_to_a_version_with_its_commit(tmp_path: Path) -> None:
    checkout(tmp_path)
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    scm = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["setuptools_scm"]
    asked = scm["git_describe_command"]
    said = [subprocess.run(asked, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()]
    subprocess.run(["git", "tag", "v0.9.0"], cwd=tmp_path, check=True)
    said.append(subprocess.run(asked, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip())
    # Such a tag leads setuptools-scm to 0.1.0.dev1+g…, whose form systemd/debian/build_deb.sh has, too.
    assert scm["fallback_version"] == "0.1.0.dev0"
    assert re.fullmatch(r"v0\.1\.0\.dev0-1-g[0-9a-f]{9}", said[0])
    assert re.fullmatch(r"v0\.9\.0-0-g[0-9a-f]{9}", said[1])


def test_this_build_has_a_version_that_is_like_itself() -> None:
    assert version() == version()
    assert same_build(version(), version())
