"""What pip installs: our packages with all that belongs to them, and nothing else; help without any extra. By make
test-long also each extra in a fresh environment, with the newest versions and the lowest that are allowed."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest
from try_wheel import PACKAGES, TRIALS, attempt, build_wheel, lowest_pins, tracked

from roundtap.main import COMMANDS

FOLDERS = ("server/", "devices/", "firmware/")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def without_extras(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel brings without an extra, to be the only one that Python looks in."""
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel).extractall(folder)
    shutil.copytree(Path(msgspec.__file__).parent, folder / "msgspec")
    return folder


def roundtap(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command line as it is installed in `folder`: -I -S leaves everything out but the standard library."""
    code = f"import sys; sys.path.append({str(folder)!r}); from roundtap.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, *words], capture_output=True, text=True, check=False, cwd=folder
    )


def test_the_wheel_holds_every_file_of_our_packages_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {name.removeprefix(folder) for folder in FOLDERS for name in tracked() if name.startswith(folder)}
    assert names == {name for name in ours if name.partition("/")[0] in PACKAGES} | {"roundtap_core/built_version.txt"}


def test_the_wheel_of_a_tree_without_a_repository_says_what_it_is_on_the_way_to(wheel: Path) -> None:
    assert wheel.name == "roundtap-0.1.0.dev0-py3-none-any.whl"


def test_all_commands_are_listed_without_an_extra(without_extras: Path) -> None:
    done = roundtap(without_extras, "--help")
    assert done.returncode == 0, done.stderr
    assert all(f"  {name} " in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_never_needs_an_extra(name: str, without_extras: Path) -> None:
    done = roundtap(without_extras, name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    usage, what, *_ = done.stdout.split("\n\n")
    assert usage.startswith(f"usage: roundtap {name} ")
    assert what.endswith(".")


def test_what_a_command_may_not_be_told_is_said_without_its_extra(without_extras: Path) -> None:
    done = roundtap(without_extras, "hub", "--prot", "8080")
    assert done.returncode == 2
    assert "unrecognized arguments: --prot 8080" in done.stderr


@pytest.mark.parametrize(
    ("words", "extras"),
    [
        (["hub"], "hub"),
        (["standby"], "hub"),
        (["journal", "list"], "hub"),
        (["backup"], "hub"),
        (["recover", "--from", "stick", "--data", "new"], "hub"),
        (["table"], "unit"),
        (["panel"], "unit,station"),
        (["station"], "station"),
        (["printer"], "station"),
        (["demo"], "hub,unit,station"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_a_command_without_its_extra_says_which(words: list[str], extras: str, without_extras: Path) -> None:
    done = roundtap(without_extras, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"roundtap {words[0]} needs the extra")
    assert done.stderr.endswith(f": pip install roundtap[{extras}]\n")


def test_the_lowest_versions_are_read_from_what_the_wheel_names() -> None:
    assert "msgspec==0.22" in lowest_pins()
    assert [pin for pin in lowest_pins() if pin.startswith("psycopg==")]


@pytest.mark.long
@pytest.mark.parametrize("lowest", [False, True], ids=["newest", "lowest"])
@pytest.mark.parametrize("extras", TRIALS, ids=lambda extras: extras or "none")
def test_every_extra_brings_what_its_commands_need(extras: str, lowest: bool, wheel: Path, tmp_path: Path) -> None:
    asked = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(tmp_path), "msgspec"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("pip reaches no packages")
    attempt(wheel, tmp_path, extras, lowest)
