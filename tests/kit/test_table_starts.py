"""How a table unit starts at a person's hands: it prints its screens if asked to, and says what is missing."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import Kit, Table, wait_until
from roundtap.kit.leash import start_roundtap
from roundtap_units.table import main as units


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    made = Kit(tmp_path)
    yield made
    made.stop()


def test_say_prints_each_new_screen(kit: Kit) -> None:
    kit.start_hub()
    unit = start_roundtap("table", str(kit.folder / "table-1.toml"), "--panel", str(kit.folder / "panel-1"), "--say",
                          stdout=subprocess.PIPE, text=True)
    table = Table(kit.folder / "panel-1")
    table.wait_for("press")
    table.tap("a")
    wait_until(lambda: len(table.texts) > 1, "the seat to be shown")
    unit.terminate()
    said, _ = unit.communicate(timeout=20)
    table.close()
    assert {text for text in table.texts if text} <= set(said.splitlines())


def test_a_screen_that_only_blinks_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []
    heard = units._heard(shown.append, say=True)
    for text in ("press yours", "0 | 100", "0 | 100", "0 | 100", "press yours"):
        heard(text)
    assert capsys.readouterr().out.splitlines() == ["press yours", "0 | 100", "press yours"]
    assert len(shown) == 5


def start(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> int:
    """Start the unit on the real pins, in this process."""
    monkeypatch.setattr(units.signal, "signal", lambda *_: None)
    parser = argparse.ArgumentParser()
    units.add_arguments(parser)
    return units.run(parser.parse_args([str(kit.folder / "table-1.toml")]))


def test_without_lgpio_it_says_where_to_get_it(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    assert start(kit, monkeypatch) == 2
    assert "apt install python3-lgpio" in capsys.readouterr().err


def test_on_a_machine_that_is_no_pi_it_names_what_it_looked_for(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    def no_chip(*_: object) -> None:
        raise OSError("no gpiochip labelled pinctrl-rp1; found none")

    monkeypatch.setattr("roundtap_devices.input.pin_factory.real_factory", no_chip)
    assert start(kit, monkeypatch) == 2
    assert capsys.readouterr().err == "roundtap table: no gpiochip labelled pinctrl-rp1; found none\n"


def test_a_board_file_that_may_not_be_read(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "table-1.toml"
    config.write_text(config.read_text() + f'\nboard = "{tmp_path / "board.toml"}"\n')

    def refused(_: str) -> None:
        raise PermissionError(13, "Permission denied", "board.toml")

    monkeypatch.setattr(units, "board", refused)
    with pytest.raises(units.ConfigError, match=r"table-1\.toml: board: .*Permission denied"):
        units.read_config(config)


def test_a_finger_on_a_button_does_not_spoil_the_end(caplog: pytest.LogCaptureFixture) -> None:
    class Pressed:
        def close(self) -> None:
            raise RuntimeError("GPIO busy")

    units._give_back(Pressed())  # type: ignore[arg-type]
    assert "GPIO busy" in caplog.text
