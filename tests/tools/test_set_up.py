"""The set-up behind `make demo` says in plain lines how far it is, and ends as pip ended."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("set_up.sh")
LOCK = """flask==3.1 \\
    --hash=sha256:00
    # via roundtap
msgspec==0.22 \\
    --hash=sha256:01
axe-core-python==0.17 \\
    --hash=sha256:02
"""
PIP = """#!/bin/sh
case "$*" in *--editable*) exit 0 ;; esac
echo "Collecting flask==3.1 (from -r requirements.lock (line 1))"
echo "  Downloading flask-3.1-py3-none-any.whl (100 kB)"
echo "Processing /wheels/msgspec-0.22-cp311-abi3.whl (from -r requirements.lock (line 4))"
echo "Collecting axe-core-python==0.17 (from -r requirements.lock (line 6))"
{then}
echo "Installing collected packages: flask, msgspec, axe-core-python"
echo "Successfully installed flask-3.1 msgspec-0.22 axe-core-python-0.17"
"""
PYTHON = """#!/bin/sh
[ "$2" = venv ] || exit 0
mkdir -p .venv/bin
cp pip .venv/bin/pip
"""


def set_up(folder: Path, then: str) -> subprocess.CompletedProcess[str]:
    (folder / "requirements.lock").write_text(LOCK)
    for name, text in (("pip", PIP.format(then=then)), ("python", PYTHON)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    words = ["sh", str(SCRIPT), "./python"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_each_stage_and_each_package_is_a_line(tmp_path: Path) -> None:
    done = set_up(tmp_path, "")
    assert (done.returncode, done.stderr) == (0, "")
    first, *lines = done.stdout.splitlines()
    assert first.startswith("Setting up in .venv")
    assert [line.partition(",")[0] for line in lines] == [
        "1 of 4: a Python environment",
        "2 of 4: fetching 3 packages",
        "  1 of 3: flask",
        "  2 of 3: msgspec",
        "  3 of 3: axe-core-python",
        "3 of 4: unpacking them",
        "4 of 4: Roundtap itself",
        "Set up.",
    ]
    assert (tmp_path / ".venv" / ".ready").exists()


@pytest.mark.parametrize("code", [1, 2])
def test_what_pip_cannot_do_ends_it_with_pip_s_code_and_words(code: int, tmp_path: Path) -> None:
    done = set_up(tmp_path, f"echo 'ERROR: no network' >&2; exit {code}")
    assert done.returncode == code
    assert "  3 of 3: axe-core-python" in done.stdout
    assert done.stderr.startswith("ERROR: no network\n")
    assert "Set up." not in done.stdout
    assert not (tmp_path / ".venv" / ".ready").exists()
