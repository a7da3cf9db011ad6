"""The panel's pictures: everything can be read in four languages, and phones read the codes."""

import itertools

import pytest
import zxingcpp
from panel_kit import HOTSPOT, Played
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
)

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


def drawn(scene: PanelScene, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int, int]]:
    """Each text on the screen: left, right, and how far down it goes."""
    texts: list[tuple[str, int, int, int]] = []

    def draw(pen, x, baseline, text, size, bold=False, narrow=False, anchor="l"):
        wide = text_width(text, size, bold, narrow)
        left = x - {"l": 0, "m": wide // 2, "r": wide}[anchor]
        texts.append((text, left, left + wide, baseline))

    monkeypatch.setattr(d, "draw_text", draw)
    draw_panel(scene)
    return texts


def assert_legible(scene: PanelScene, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it is on the screen, nothing beside it or upon another text, and no text had to be cut."""
    texts = drawn(scene, monkeypatch)
    room = d.WIDTH - (qr_picture(scene.qr).width + 3 if scene.qr else 0)
    asked = " ".join((scene.corner, scene.title, scene.big, *scene.lines, scene.hint))
    together = lambda words: "".join(sorted(words.replace(" ", "").replace("\u00a0", "")))  # noqa: E731
    assert together("".join(text for text, *_ in texts)) == together(asked), scene.all_text()
    assert [each for each in texts if each[1] < 0 or each[2] > room or each[3] > d.HEIGHT - 2] == []
    rows = sorted(baseline for text, *_, baseline in texts if text not in ("", scene.corner))
    assert all(below - above >= 8 for above, below in itertools.pairwise(rows)), (rows, scene.all_text())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_picture_of_the_gallery_can_be_read(language, monkeypatch):
    for _, scene in panel_scenes((language,)):
        assert_legible(scene, monkeypatch)


def test_a_pin_is_drawn_large(monkeypatch):
    texts = drawn(PanelScene("PIN", (), big="1234 5678"), monkeypatch)
    [(left, right)] = [each[1:3] for each in texts if each[0] == "1234 5678"]
    assert right - left > 100


def test_a_refusal_of_the_hub_s_may_be_long(monkeypatch):
    played = Played()
    played.go(d.PIN_ASK)
    played.press("◉")
    played.answered("Another program uses the stick at /media/stick. Leave it in, or power off first.")
    assert_legible(make_scene(played.panel), monkeypatch)


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


def test_phones_read_the_address_beside_its_title():
    played = Played()
    played.press("▼")
    assert read(draw_panel(make_scene(played.panel))) == ["HTTP://10.42.0.1:8080"]


@pytest.mark.parametrize(("name", "password"), [HOTSPOT, ("Halle; 1", 'a\\b:"c"'), ("Open", "")])
def test_phones_read_the_hotspot(name, password):
    assert read(qr_picture(wifi_qr_text(name, password))) == [wifi_qr_text(name, password)]


def test_an_address_with_a_path_keeps_its_letters():
    assert qr_address_text("http://10.42.0.1/e/e1") == "http://10.42.0.1/e/e1"
