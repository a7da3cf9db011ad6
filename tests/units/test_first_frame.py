"""A table unit's first screen: shown before most of its code is loaded, true in its language, and never in the way."""

import argparse
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from faults import fails
from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import BOARDS, RECOMMENDED
from roundtap_devices.display.screen import VirtualScreen
from roundtap_units import board_process
from roundtap_units.table import main
from roundtap_units.table.screens import screens

LATER = {
    "msgspec",
    "http.client",
    "ssl",
    "email",
    "gpiozero",
    "luma",
    "roundtap_units.table.dialogue",
    "roundtap_units.link.hub_choice",
    "roundtap_devices.virtual",
}
ARGS = argparse.Namespace(panel=None, say=True)


def config(**own: Any) -> main.TableConfig:
    plain = main.TableConfig(
        unit="", key=b"", hubs=(), folder=Path("/nowhere"), language="en", local=False, board=RECOMMENDED
    )
    return replace(plain, **own)


def test_nothing_that_only_later_screens_need_is_loaded_before_it() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "import sys, roundtap_units.table.main; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert LATER & set(told.split()) == set()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("board", BOARDS.values())
def test_it_says_in_the_unit_s_language_what_starts(language: str, board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    unfit, set_lines = [], screens._lines

    def noted(pen: Any, text: Any, *where: Any, **how: Any) -> None:
        if not text.fits:
            unfit.append(text)
        set_lines(pen, text, *where, **how)

    monkeypatch.setattr(screens, "_lines", noted)
    scene = main.starting_scene(config(language=language, board=board), "badge.practice")
    main.draw_scene(scene)
    assert unfit == []
    assert scene.badge
    if language == "en":
        assert scene.all_text() == "Table unit | Starting"


@pytest.fixture
def no_stop_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """No signal of this process is touched."""
    monkeypatch.setattr(board_process, "StopSignal", lambda tell: None)


@pytest.mark.usefixtures("no_stop_signal")
def test_it_stands_on_the_display_before_the_pins_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    glass = VirtualScreen()
    monkeypatch.setattr(board_process, "oled_screen", lambda wiring, pins: glass)
    monkeypatch.setattr(board_process, "local_pin_factory", lambda folder: pytest.fail("the pins can wait"))
    process = board_process.BoardProcess(RECOMMENDED, tmp_path, ARGS)
    scene = main.starting_scene(config(), "")
    process.show_first(scene, main.draw_scene)
    assert glass.glass.frame == main.draw_scene(scene).tobytes()


@pytest.mark.usefixtures("no_stop_signal")
@pytest.mark.parametrize("error", [OSError("gone"), ImportError("no luma"), RuntimeError("a driver's bug")])
def test_a_display_that_fails_does_not_keep_the_unit_from_starting(
    error: Exception,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(board_process, "oled_screen", lambda wiring, pins: board_process.Screen(fails(error)))
    process = board_process.BoardProcess(RECOMMENDED, tmp_path, ARGS)
    process.show_first(main.starting_scene(config(), ""), main.draw_scene)
    assert ("Starting" in capsys.readouterr().out) == isinstance(error, OSError)
    assert (str(error) in caplog.text) != isinstance(error, OSError)
