"""The panel's pictures: everything can be read in four languages, and phones read the codes."""

from __future__ import annotations

import pytest
import zxingcpp
from panel_kit import HOTSPOT, HUB, Played
from PIL import Image, ImageFilter, ImageOps

from gallery.panel_screens import panel_scenes
from roundtap_core.words import LANGUAGES
from roundtap_devices.letters import text_width
from roundtap_machine.wifi import wifi_qr_text
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.panel_dialogue import (
    PanelScene,
    draw_panel,
    make_scene,
    qr_address_text,
    qr_picture,
    render_panel,
)
from roundtap_units.table.screens.lettering import FittedText

BLUR = 3
"""Half a pixel of the display."""


def on_glass(picture: Image.Image) -> Image.Image:
    """As a phone sees the display from a hand's breadth: pixels with a gap, a dark frame around, not quite sharp."""
    seen = picture.convert("L").resize((picture.width * 6, picture.height * 6), Image.Resampling.NEAREST)
    for at in range(0, seen.width, 6):
        seen.paste(0, (at, 0, at + 1, seen.height))
    for at in range(0, seen.height, 6):
        seen.paste(0, (0, at, seen.width, at + 1))
    return ImageOps.expand(seen, 60, 20).filter(ImageFilter.GaussianBlur(BLUR))


def read(picture: Image.Image) -> list[str]:
    return [found.text for found in zxingcpp.read_barcodes(on_glass(picture))]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "key", ["panel.no_answer", "panel.off.failed", "panel.turned", "panel.turn.failed", "panel.away.what"]
)
def test_what_is_said_can_be_read(key, language):
    played = Played(HUB, language)
    played.panel.said, played.panel.page = played.panel.words(key), d.SAID
    scene = make_scene(played.panel)
    assert render_panel(scene)[1], scene.all_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_picture_of_the_gallery_can_be_read(language):
    for name, scene in panel_scenes((language,)):
        assert render_panel(scene)[1], (name, scene.all_text())


def test_every_line_of_the_gallery_is_drawn_within_the_screen(monkeypatch):
    drawn = []

    def draw(pen, x, baseline, text, size, bold=False, narrow=False, anchor="l"):
        left = (
            x
            - {"l": 0, "m": text_width(text, size, bold, narrow) // 2, "r": text_width(text, size, bold, narrow)}[
                anchor
            ]
        )
        drawn.append((text, left, left + text_width(text, size, bold, narrow)))

    monkeypatch.setattr(d, "draw_text", draw)
    pictures = list(panel_scenes())
    for _, scene in pictures:
        render_panel(scene)
    assert "1234␣5678" in {text.replace(" ", "␣") for text, *_ in drawn}
    assert [line for line in drawn if line[1] < 0 or line[2] > d.WIDTH] == []


def test_a_text_drawn_wider_than_it_was_fitted_is_not_whole(monkeypatch):
    monkeypatch.setattr(FittedText, "style", property(lambda fitted: (fitted.size, True, False)))
    assert not render_panel(PanelScene("PIN", (), big="1234 5678 90"))[1]


def test_a_refusal_of_the_hub_s_may_be_long():
    played = Played()
    played.panel.said = "Another program uses the stick at /media/stick. Leave it in, or power off first."
    played.panel.page = d.SAID
    assert render_panel(make_scene(played.panel))[1]


def test_letters_that_hang_down_are_whole_at_the_bottom_also_beside_a_code():
    alone, beside = (draw_panel(PanelScene("", (), "● sigue", qr=code)).crop((0, 52, 50, 64)) for code in ("", "A"))
    assert alone.histogram() == beside.histogram()
    assert alone.crop((0, 11, 50, 12)).getbbox() is not None, "its g reaches the lowest row"


@pytest.mark.parametrize(
    "address",
    [
        "http://10.42.0.1:8080",
        "https://192.168.178.101:8443",
        "http://10.42.0.1",
        "https://[fd00::1]:8443",
        "http://roundtap-poznan.local:8080",
    ],
)
def test_phones_read_an_address(address):
    assert [text.lower() for text in read(qr_picture(qr_address_text(address)))] == [address]


def test_phones_read_the_address_beside_its_words():
    played = Played()
    played.panel.page = d.PLAYERS_QR
    assert read(draw_panel(make_scene(played.panel))) == ["HTTP://10.42.0.1:8080"]


def test_a_name_that_is_too_long_beside_a_code_does_not_spoil_it():
    played = Played()
    played.panel.page, played.panel.hotspot = d.HOTSPOT_QR, ("MistrzostwaWielkopolski2026", HOTSPOT[1])
    assert read(draw_panel(make_scene(played.panel))) == [wifi_qr_text("MistrzostwaWielkopolski2026", HOTSPOT[1])]


@pytest.mark.parametrize(("name", "password"), [HOTSPOT, ("Halle; 1", 'a\\b:"c"'), ("Open", "")])
def test_phones_read_the_hotspot(name, password):
    assert read(qr_picture(wifi_qr_text(name, password))) == [wifi_qr_text(name, password)]


def test_an_address_with_a_path_keeps_its_letters():
    assert qr_address_text("http://10.42.0.1/e/e1") == "http://10.42.0.1/e/e1"
