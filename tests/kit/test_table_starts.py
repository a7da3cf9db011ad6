"""How a table unit starts at a person's hands: it prints its screens if asked to, and says what is missing."""

import re
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from faults import fails
from kit import WAIT_S, Kit, Table, wait_until
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_units import unit_config
from roundtap_units.board_process import hardware_fault_logger, release_controls, screen_text_output
from roundtap_units.table import main as units


def test_say_prints_each_new_screen(shared_kit: Kit) -> None:
    kit = shared_kit
    unit = start_roundtap(
        "table",
        str(kit.folder / "table-1.toml"),
        "--panel",
        str(kit.folder / "panel-1"),
        "--say",
        stdout=subprocess.PIPE,
        text=True,
    )
    with closing(Table(kit.folder / "panel-1")) as table:
        table.wait_for("press")
        table.tap("a")
        wait_until(lambda: len(table.texts) > 1, "the seat to be shown")
        unit.terminate()
        said, _ = unit.communicate(timeout=WAIT_S)
    assert {text for text in table.texts if text} <= set(said.splitlines())


def test_a_screen_that_only_blinks_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []
    heard = screen_text_output(shown.append, say=True)
    for text in ("press button", "0 | 100", "0 | 100", "0 | 100", "press button"):
        heard(text)
    assert capsys.readouterr().out.splitlines() == ["press button", "0 | 100", "press button"]
    assert len(shown) == 5


def test_a_machine_without_pins_display_or_their_libraries_runs_and_says_what_it_lacks(shared_kit: Kit) -> None:
    """No Pi is needed to see it: this machine has no GPIO, and mostly no lgpio."""
    unit = start_roundtap(
        "table",
        str(shared_kit.folder / "table-1.toml"),
        "--say",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert unit.stdout is not None
    said = [unit.stderr.readline(), unit.stderr.readline()]
    assert any(
        "buttons and lamps: " in line and re.search(r"python3-lgpio|no GPIO|may not reach", line) for line in said
    ), said
    assert any("screen: " in line for line in said), said
    # It goes on all the same: the hub is heard, and what the screen would show is said.
    assert any("press" in line for line in iter(unit.stdout.readline, ""))
    unit.terminate()
    unit.communicate(timeout=WAIT_S)
    assert unit.returncode == 0


def test_what_is_missing_is_said_once_and_when_it_is_there_again(caplog: pytest.LogCaptureFixture) -> None:
    say = hardware_fault_logger()
    for reason in ("lgpio is missing", "lgpio is missing", "", ""):
        say(reason, "")
    assert caplog.messages == ["buttons and lamps: lgpio is missing", "buttons and lamps: there again"]


def test_a_board_file_that_may_not_be_read(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "table-1.toml"
    config.write_text(config.read_text() + f'\nboard = "{tmp_path / "board.toml"}"\n')

    monkeypatch.setattr(unit_config, "load_board", fails(PermissionError(13, "Permission denied", "board.toml")))
    with pytest.raises(unit_config.ConfigError, match=r"table-1\.toml: board: .*Permission denied"):
        units.read_table_config(config)


def test_a_finger_on_a_button_does_not_spoil_the_end(caplog: pytest.LogCaptureFixture) -> None:
    class Pressed:
        def close(self) -> None:
            raise RuntimeError("GPIO busy")

    release_controls(Pressed())  # type: ignore[arg-type]
    assert "GPIO busy" in caplog.text
