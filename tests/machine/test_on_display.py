"""What is to be mended is shown on the board's display as well; without one, nothing happens."""

from pathlib import Path

import pytest

from roundtap.provisioning import role
from roundtap.provisioning.settings_file import Settings, read_settings
from roundtap_core.words import LANGUAGES, catalogue


@pytest.mark.parametrize("text", ["word " * 99, "a" * 200, "roundtap.txt, line 3: " + "b" * 90])
def test_what_is_too_long_is_cut_at_a_word_or_letter(text: str) -> None:
    assert role.render_text(text).getbbox() is not None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_slip_is_drawn_whole(language: str) -> None:
    _, told = read_settings(b"roel = hub")
    image = role.render_text(told[0].text(catalogue("roundtap", language)))
    assert (image.mode, image.size) == ("1", (128, 64))
    assert image.getbbox() is not None


def test_a_machine_without_a_display_goes_on_at_once(tmp_path: Path) -> None:
    held: list[float] = []
    for board in ("", "waveshare-oled-hat", "nobody-knows-it", "missing.toml"):
        assert not role.show_on_display(Settings(board=board), "x", tmp_path, held.append)
    assert held == []


def test_a_display_shows_it_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from roundtap_devices.display.screen import VirtualScreen

    screen = VirtualScreen()
    monkeypatch.setattr("roundtap_devices.display.screen.oled_screen", lambda wiring: screen)
    held: list[float] = []
    assert role.show_on_display(Settings(), "roundtap.txt, line 3", tmp_path, held.append)
    assert held == [role.HELD_S]
