"""`make release` refuses what would be no release, and what it makes is whole; two builds of it are compared; the hub's
container is what the hub needs. Packages and bundles are stand-ins here."""

import argparse
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from roundtap_core.command_arguments import add_arguments
from roundtap_hub.app.hub_arguments import ARGUMENTS
from roundtap_hub.http.tls import SECURE_ABOVE

ROOT = Path(__file__).parents[2]
BUILD = """
mkdir -p "$DIST"
for arch in "$@"; do echo "$RELEASE $SOURCE_DATE_EPOCH" > "$DIST/roundtap_${RELEASE}_$arch.deb"; done
echo wheel > "$DIST/roundtap-$RELEASE-py3-none-any.whl"
"""
BUNDLE = """
[ ! -e ../no-mirror ] || exit 1
mkdir -p "$DIST/bundle"
echo "for ${BASE:-any}" > "$DIST/roundtap-offline_${RELEASE}_trixie_$1.tar"
"""
NEWS = "# Changelog\n\n## 0.1.0 – 2026-12-01\n\n- Tables say SAVED.\n\n## 0.0.9\n\n- Old.\n"


class Clone:
    """A repository of one commit that make_release.sh believes in, and programs that do as if they were Debian's."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "clone"
        self.programs = folder / "programs"
        self.programs.mkdir()
        debian = self.path / "systemd" / "debian"
        debian.mkdir(parents=True)
        (debian / "make_release.sh").write_text((ROOT / "systemd/debian/make_release.sh").read_text())
        (debian / "build_deb.sh").write_text(BUILD)
        (debian / "make_bundle.sh").write_text(BUNDLE)
        (debian / "requirements-run.lock").write_text("flask==3.1\n")
        (self.path / "systemd" / "Containerfile").write_text("FROM scratch\n")
        (self.path / "pyproject.toml").write_text('[tool.setuptools_scm]\nfallback_version = "0.1.0.dev0"\n')
        (self.path / "CHANGELOG.md").write_text(NEWS)
        (self.path / ".gitignore").write_text("dist/\n")
        for name in ("apt-get", "debugfs", "dpkg-scanpackages", "mmdebstrap"):
            self.program(name)
        self.git("init")
        self.commit("one")

    def program(self, name: str, script: str = "exit 0") -> None:
        (self.programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.programs / name).chmod(0o755)

    def git(self, *words: str) -> str:
        who = ("-c", "user.name=x", "-c", "user.email=x@x")
        return subprocess.run(
            ["git", *who, *words], cwd=self.path, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", ".")
        self.git("commit", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def release(self, **environment: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.programs}:/usr/bin:/bin"
        script = self.path / "systemd" / "debian" / "make_release.sh"
        return subprocess.run(
            ["sh", str(script)],
            cwd=self.path,
            env={"PATH": path, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def made(self) -> list[str]:
        return sorted(path.name for path in (self.path / "dist").glob("*"))


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_a_release_is_whole_and_its_checksums_hold(clone: Clone) -> None:
    done = clone.release(BASE="pi-os.img")
    assert done.returncode == 0, done.stderr
    assert clone.made() == ["release-0.1.0"]
    folder = clone.path / "dist" / "release-0.1.0"
    names = [
        "Containerfile",
        "NOTES.md",
        "SHA256SUMS",
        "requirements-run.lock",
        "roundtap-0.1.0-py3-none-any.whl",
        "roundtap-offline_0.1.0_trixie_amd64.tar",
        "roundtap-offline_0.1.0_trixie_arm64.tar",
        "roundtap_0.1.0_amd64.deb",
        "roundtap_0.1.0_arm64.deb",
    ]
    assert sorted(path.name for path in folder.iterdir()) == names
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
    # Files are of the commit's time, not of the build's; the image is for the Pi's bundle alone.
    assert (folder / names[8]).read_text() == f"0.1.0 {clone.git('log', '-1', '--format=%ct')}\n"
    assert [(folder / name).read_text() for name in names[5:7]] == ["for any\n", "for pi-os.img\n"]


def test_notes_are_the_version_s_section_with_the_commit(clone: Clone) -> None:
    clone.release()
    notes = (clone.path / "dist" / "release-0.1.0" / "NOTES.md").read_text()
    assert notes.startswith("# Roundtap 0.1.0\n")
    assert clone.git("rev-parse", "HEAD") in notes
    assert "- Tables say SAVED." in notes
    assert "Old" not in notes
    assert "pipx install './roundtap-0.1.0-py3-none-any.whl[hub,unit,station]'" in notes


@pytest.mark.parametrize("name", ["CHANGELOG.md", "forgotten.py"], ids=["changed", "new"])
def test_what_is_not_committed_is_refused_by_its_name(name: str, clone: Clone) -> None:
    (clone.path / name).write_text("later")
    done = clone.release()
    assert done.returncode == 2
    assert "not committed" in done.stderr
    assert name in done.stderr
    assert clone.made() == []


def test_a_released_version_is_refused_from_the_next_commit_on(clone: Clone) -> None:
    clone.git("tag", "v0.1.0")
    released = clone.git("rev-parse", "HEAD")
    assert clone.release().returncode == 0, "the same commit, to be compared"
    clone.commit("two")
    done = clone.release()
    assert done.returncode == 2
    assert f"0.1.0 is released already: the tag v0.1.0 is commit {released}" in done.stderr
    assert "fallback_version" in done.stderr


def test_a_version_without_news_is_refused(clone: Clone) -> None:
    (clone.path / "CHANGELOG.md").write_text(NEWS.replace("## 0.1.0 –", "## Unreleased"))
    clone.commit("two")
    done = clone.release()
    assert (done.returncode, clone.made()) == (2, [])
    assert 'CHANGELOG.md says nothing under "## 0.1.0"' in done.stderr


def test_what_is_missing_on_this_machine_is_named_at_once_as_apt_has_it(clone: Clone) -> None:
    for name in ("git", "sed", "awk", "dirname"):
        clone.program(name, f'exec /usr/bin/{name} "$@"')
    for name in ("dpkg-scanpackages", "mmdebstrap"):
        (clone.programs / name).unlink()
    script = clone.path / "systemd" / "debian" / "make_release.sh"
    done = subprocess.run(
        ["/bin/sh", str(script)], env={"PATH": str(clone.programs)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "make_release: missing here: apt install dpkg-dev mmdebstrap\n"


def test_a_build_that_fails_leaves_nothing_and_an_earlier_one_whole(clone: Clone) -> None:
    (clone.path.parent / "no-mirror").touch()
    assert clone.release().returncode == 1
    assert [path.name for path in (clone.path / "dist").iterdir()] == []
    (clone.path.parent / "no-mirror").unlink()
    assert clone.release().returncode == 0
    (clone.path.parent / "no-mirror").touch()
    assert clone.release().returncode == 1
    assert [path.name for path in (clone.path / "dist").iterdir()] == ["release-0.1.0"]


def compare(*folders: Path) -> subprocess.CompletedProcess[str]:
    script = ROOT / "tests" / "tools" / "compare_releases.sh"
    return subprocess.run(["sh", str(script), *map(str, folders)], capture_output=True, text=True, check=False)


def test_two_builds_are_the_same_bytes_or_what_differs_is_named(tmp_path: Path) -> None:
    for name, text in (("one", "bread\n"), ("same", "bread\n"), ("other", "salt\n")):
        folder = tmp_path / name
        (folder / "food").mkdir(parents=True)
        (folder / "food" / "first").write_text(text)
        (folder / "food" / "second").write_text("water\n")
        subprocess.run(
            ["tar", "--sort=name", "--mtime=@0", "-cf", "kit.tar", "--remove-files", "food"], cwd=folder, check=True
        )
        sums = subprocess.run(["sha256sum", "kit.tar"], cwd=folder, check=True, capture_output=True).stdout
        (folder / "SHA256SUMS").write_bytes(sums)
    same, other = (compare(tmp_path / "one", tmp_path / name) for name in ("same", "other"))
    assert (same.returncode, same.stdout.splitlines()[-1]) == (0, "Both builds are the same bytes.")
    assert other.returncode == 1
    assert "differs: kit.tar" in other.stdout
    assert "food/first" in other.stdout
    assert "food/second" not in other.stdout


def test_the_version_on_the_way_stands_once_and_its_news_are_written() -> None:
    scm = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools_scm"]
    version = scm["fallback_version"].removesuffix(".dev0")
    assert f"v{version}.dev0-" in scm["git_describe_command"][2], "without a tag, a build is on its way to the same"
    assert re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_container_is_the_hub_as_its_own_user_with_its_data_in_a_volume() -> None:
    text = (ROOT / "systemd" / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    said = dict(line.split(maxsplit=1) for line in lines)
    # Whatever registry the builder has: an image's short name.
    assert re.fullmatch(r"BASE=[a-z]+:[\w.-]+", said["ARG"])
    assert [line.split()[0] for line in lines[-6:]] == [
        "USER",
        "VOLUME",
        "EXPOSE",
        "STOPSIGNAL",
        "HEALTHCHECK",
        "ENTRYPOINT",
    ]
    program, command, *options = re.findall(r'"([^"]+)"', said["ENTRYPOINT"])
    assert (program, command) == ("/opt/roundtap/bin/roundtap", "hub")
    parser = argparse.ArgumentParser()
    add_arguments(parser, ARGUMENTS["hub"])
    args = parser.parse_args(options)
    assert str(args.data) == said["VOLUME"]
    assert said["EXPOSE"].split() == [str(args.port), str(args.port + SECURE_ABOVE)]
    assert f":{args.port}/" in said["HEALTHCHECK"]
    compile(re.findall(r'"([^"]+)"', said["HEALTHCHECK"])[2], "HEALTHCHECK", "exec")
    # It needs nothing but what a release has.
    release = (ROOT / "systemd" / "debian" / "make_release.sh").read_text(encoding="utf-8")
    assert said["COPY"].split() == ["roundtap-*.whl", "requirements-run.lock", "/tmp/roundtap/"]
    assert "cp systemd/Containerfile systemd/debian/requirements-run.lock" in release
