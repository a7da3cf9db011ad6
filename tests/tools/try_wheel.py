"""Builds the wheel of what lies here, installs it with pip into fresh virtual environments, and tries what is there.

python tests/tools/try_wheel.py                     # each extra and all of them, with the newest versions, the lowest
python tests/tools/try_wheel.py --lowest hub        # that extra, with the lowest versions that pyproject.toml allows
python tests/tools/try_wheel.py --python python3.13 station

`--lowest` installs wheels alone: a lowest version without one for this Python is too low, like one that does not run.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "kit"))

from kit import end, free_port, read_until, wait_until  # noqa: E402 (beside this folder, where a script does not look)

PACKAGES = ("roundtap", "roundtap_core", "roundtap_devices", "roundtap_hub", "roundtap_machine", "roundtap_units")
EVENT = ROOT / "tests" / "core" / "worked_events" / "xwing-standard.json"
COMPOSE = """
import sys
from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.print_lines import Qr, line
from roundtap_devices.printing.printer_profiles import load_profile
profile = load_profile("epson-80")
sys.stdout.buffer.write(compose_job([line("Łukasz 7:3", profile.sheet), Qr("http://10.42.0.1/e/e1")], profile).data)
"""
MAKE_EVENT = """
import sys
from pathlib import Path
from roundtap.demo.demo import make_event
print(make_event(Path(sys.argv[1]), 8, 4, "xwing-standard"))
"""


def tracked() -> list[str]:
    """The repository's files, also such as are changed or new and not yet committed."""
    listed = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def build_wheel(folder: Path) -> Path:
    """Of a clean copy, without what earlier builds left, and without a repository."""
    for name in tracked():
        copy = folder / "copy" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy)
    pip(sys.executable, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(folder / "copy"))
    [wheel] = folder.glob("*.whl")
    return wheel


def pip(python: Path | str, *words: str) -> None:
    subprocess.run([str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *words], check=True)


def lowest_pins() -> list[str]:
    """Each package that the wheel names, at the lowest version that is allowed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: wanted for name, wanted in project["optional-dependencies"].items() if name != "dev"}
    found = []
    for requirement in (*project["dependencies"], *(each for wanted in extras.values() for each in wanted)):
        name, version = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)(?:,<[\w.]+)?", requirement).groups()
        found.append(f"{name}=={version}")
    return sorted(set(found))


def install(wheel: Path, folder: Path, extras: str, lowest: bool = False, python: str = sys.executable) -> Path:
    """A fresh virtual environment with the wheel and these extras ("hub,unit"); its folder of programs."""
    subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
    (folder / "pins.txt").write_text("\n".join(lowest_pins() if lowest else []))
    how = ("--only-binary=:all:", f"--constraint={folder / 'pins.txt'}") if lowest else ()
    pip(folder / "venv" / "bin" / "python", "install", *how, f"{wheel}[{extras}]" if extras else str(wheel))
    return folder / "venv" / "bin"


def said(*words: str | Path) -> bytes:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, cwd="/").stdout


def try_core(programs: Path, folder: Path) -> None:
    """Only our packages are there, and commands for event files say the same as here."""
    site = Path(said(programs / "python", "-c", "import roundtap; print(roundtap.__path__[0])").decode().strip()).parent
    [record] = site.glob("roundtap-*.dist-info/RECORD")
    tops = {line.partition("/")[0] for line in record.read_text().splitlines() if not line.startswith("../")}
    assert tops == {*PACKAGES, record.parent.name}, tops
    for command in ("pair", "standings", "check"):
        found, here = (
            subprocess.run([at / "roundtap", command, EVENT], capture_output=True, check=False)
            for at in (programs, Path(sys.executable).parent)
        )
        assert (found.returncode, found.stdout) == (here.returncode, here.stdout), found.stderr.decode()


@contextmanager
def running(folder: Path, *words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A program, ended afterwards; what it wrote to stderr is part of what went wrong meanwhile."""
    with (folder / "stderr").open("w+") as errors:
        process = subprocess.Popen(
            [str(word) for word in words], stdout=subprocess.PIPE, stderr=errors, text=True, cwd="/"
        )
        try:
            yield process
        except AssertionError as error:
            errors.seek(0)
            raise AssertionError(f"{error}\n{errors.read()}") from error
        finally:
            end(process)


def page(url: str) -> str:
    """Its text, once somebody answers there."""

    def answer() -> str:
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=20) as read:
                return str(read.read().decode())
        except urllib.error.HTTPError:
            raise
        except OSError:
            return ""

    return str(wait_until(answer, url))


def try_hub(programs: Path, folder: Path) -> None:
    """It serves an event, and its journal holds."""
    (folder / "hub").mkdir(mode=0o700)
    event = said(programs / "python", "-c", MAKE_EVENT, folder / "hub" / "roundtap.db").decode().strip()
    port = free_port()
    with running(folder, programs / "roundtap", "hub", "--data", folder / "hub", "--port", str(port), "--alone"):
        for path in ("", f"e/{event}", f"e/{event}/standings", "wall", "static/live.js"):
            assert page(f"http://127.0.0.1:{port}/{path}"), path
    assert b"intact" in said(programs / "roundtap", "journal", "verify", "--data", folder / "hub")


def try_unit(programs: Path, folder: Path) -> None:
    """A table on mock pins, drawn; it has no key and no hub."""
    config = folder / "table.toml"
    config.write_text(f'folder = "{folder / "unit"}"\nhub = "http://127.0.0.1:{free_port()}"\n')
    with running(folder, programs / "roundtap", "table", config, "--panel", folder / "panel", "--say") as table:
        read_until(table, "Starting")
        read_until(table, "hub")


def try_station(programs: Path, folder: Path) -> None:
    """Letters of the printer, drawn ones and a QR code, as bytes."""
    assert said(programs / "python", "-c", COMPOSE) == said(sys.executable, "-c", COMPOSE)
    assert said(programs / "roundtap", "printer")


def try_demo(programs: Path, folder: Path) -> None:
    """The whole kit: hub, tables, printer and bench."""
    port = free_port()
    with running(folder, programs / "roundtap", "demo", "--port", str(port)):
        assert "<title>" in page(f"http://127.0.0.1:{port + 1}/")
        assert "<title>" in page(f"http://127.0.0.1:{port}/wall")


def try_postgres(programs: Path, folder: Path) -> None:
    """No database is there: the hub says so, with what speaks to one."""
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/roundtap"
    words = [programs / "roundtap", "hub", "--data", folder / "pg", "--port", str(free_port()), "--database", url]
    refused = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/")
    assert refused.returncode == 2, refused.stderr
    assert "extra" not in refused.stderr, refused.stderr


TRIALS: dict[str, tuple[Callable[[Path, Path], None], ...]] = {
    "": (),
    "hub": (try_hub,),
    "unit": (try_unit,),
    "station": (try_station,),
    "hub,postgres": (try_postgres,),
    "hub,unit,station": (try_hub, try_unit, try_station, try_demo),
}


def attempt(wheel: Path, folder: Path, extras: str, lowest: bool = False, python: str = sys.executable) -> None:
    """Installs these extras and tries each; an AssertionError or a CalledProcessError says what does not work."""
    programs = install(wheel, folder, extras, lowest, python)
    for trial in (try_core, *TRIALS[extras]):
        trial(programs, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extras", nargs="*", choices=[[], *TRIALS])
    parser.add_argument("--lowest", action="store_true", help="only with the lowest versions")
    parser.add_argument("--python", default=sys.executable, help="the interpreter to try (default: this one)")
    args = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as built:
        wheel = build_wheel(Path(built))
        for lowest in (True,) if args.lowest else (False, True):
            for extras in args.extras or TRIALS:
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        attempt(wheel, Path(folder), extras, lowest, args.python)
                        how = "good"
                    except (AssertionError, subprocess.CalledProcessError) as error:
                        failed, how = True, f"FAILED: {error}{getattr(error, 'stderr', None) or ''}"
                print(f"{extras or 'no extra':16} {'lowest' if lowest else 'newest'}: {how}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
