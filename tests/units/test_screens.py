"""Every screen, drawn: it fits, it is turned to the right person, and names are never cut inside a word."""

import dataclasses
import importlib

import pytest
from PIL import ImageChops
from tableplay import Table

from gallery.table_screens import scenes
from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import FACINGS
from roundtap_devices.letters import load_font
from roundtap_units.table.screens import screens
from roundtap_units.table.screens.lettering import fit_text, shorter_forms, text_width
from roundtap_units.table.screens.scenes import FiguresScene, HalfScreen, HalvesScene, Name, SideBySideScene
from roundtap_units.table.screens.screens import draw_scene
from roundtap_units.unit_config import unit_words

units = importlib.import_module("roundtap_core.words")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stick_is_never_asked_to_go_up_and_down_at_once(language):
    assert [text for text in unit_words(language, joystick=True).texts("") if "▲+▼" in text] == []
    for facing in FACINGS:
        table = Table(language, facing, seated=False, joystick=True)
        table.presses("ana ▼")
        draw_scene(table.scene)
        assert "joystick" in table.says.lower()
        table.calls()
        draw_scene(table.scene)
        assert "joystick" in table.says.lower()


def test_the_languages_have_the_same_texts_with_the_same_placeholders():
    texts = {language: units.catalogue("roundtap_units", language)._texts for language in LANGUAGES}
    for language in LANGUAGES:
        assert texts[language].keys() == texts["en"].keys()
        for key, text in texts[language].items():
            assert _placeholders(text) == _placeholders(texts["en"][key]), (language, key)


def _placeholders(text):
    text = text["other"] if isinstance(text, dict) else text
    return {piece.split("}")[0] for piece in text.split("{")[1:]}


def test_what_is_for_bruno_is_upside_down_for_everyone_else():
    table = Table()
    table.presses("ana ana")
    asked = table.scene
    assert asked.turn == "b"
    to_ana = draw_scene(dataclasses.replace(asked, turn="a"))
    assert ImageChops.logical_xor(draw_scene(asked), to_ana.rotate(180)).getbbox() is None


def test_two_half_screens_face_two_people():
    same = HalfScreen("Ana R.", "74:03", "Bruno M.")
    picture = draw_scene(HalvesScene(kind="idle", a=same, b=same))
    lower, upper = picture.crop((0, 32, 128, 64)), picture.crop((0, 0, 128, 31))
    assert ImageChops.logical_xor(upper.rotate(180), lower.crop((0, 1, 128, 32))).getbbox() is None


def test_from_the_edge_nothing_is_upside_down():
    table = Table(facing="edge")
    table.presses("ana ana")
    a, b = (draw_scene(dataclasses.replace(table.scene, turn=turn)) for turn in "ab")
    lines_below_the_title = (0, 14, 128, 64)
    assert list(a.crop(lines_below_the_title).tobytes()) == list(b.crop(lines_below_the_title).tobytes())


def test_figures_are_at_least_24_pixels_on_every_screen_with_figures(monkeypatch):
    sizes = []
    original = screens.draw_text

    def watched(pen, x, baseline, text, size, *args, **kwargs):
        if text and all(part.strip("+≤").isdigit() for part in text.split(":")):
            sizes.append((text, size))
        original(pen, x, baseline, text, size, *args, **kwargs)

    monkeypatch.setattr(screens, "draw_text", watched)
    for name, scene in scenes(("en",)):
        sizes.clear()
        draw_scene(scene)
        if isinstance(scene, FiguresScene):
            wheels = [wheel for wheel in (*scene.left.wheels, *scene.right.wheels) if wheel.strip("+≤").isdigit()]
            assert [size for text, size in sizes if ":" not in text] == [24] * len(wheels), name
        if isinstance(scene, SideBySideScene):
            # A sum that both have entered already stands smaller, beside its words.
            entered = [part.figures[0] for part in (scene.a, scene.b) if len(part.figures) == 1]
            assert all(size == 24 for text, size in sizes if text in entered and text.isdigit()), name
        if isinstance(scene, HalvesScene) and scene.kind in ("done", "sending"):
            assert all(size >= 24 for _, size in sizes), name


def test_the_screens_show_both_signs_and_never_player_1():
    for name, scene in scenes(LANGUAGES):
        said = scene.all_text().lower()
        assert not any(word in said for word in ("player 1", "spieler 1", "jugador 1", "gracz 1")), name
        if isinstance(scene, FiguresScene):
            assert {scene.left.sign, scene.right.sign} == {"●", "■"}


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("Ana Ruiz", ["Ana Ruiz", "Ana R.", "Ana R.", "Ana", "A. R."]),
        ("■ Łukasz Żak", ["■ Łukasz Żak", "■ Łukasz Ż.", "■ Łukasz Ż.", "■ Łukasz", "■ Ł. Ż."]),
        ("Orion", ["Orion"]),
        ("Orion (2)", ["Orion (2)"]),
        ("● Ana Ruiz (2)", ["● Ana Ruiz (2)", "● Ana R. (2)", "● Ana R. (2)", "● Ana (2)", "● A. R. (2)"]),
    ],
)
def test_names_get_shorter_by_words(name, forms):
    assert list(shorter_forms(name)) == forms


def test_a_long_name_is_wrapped_at_its_hyphen_before_it_is_shortened():
    fitted = fit_text(Name("Aleksandra Wiśniewska-Szczepańska"), 128, 30, (12, 11, 10, 9))
    assert fitted.lines == ("Aleksandra Wiśniewska-", "Szczepańska")
    one_line = fit_text(Name("Aleksandra Wiśniewska-Szczepańska"), 128, 14, (13, 12, 11, 10, 9))
    assert one_line.lines == ("Aleksandra W.",)


def test_an_initial_stays_with_its_name() -> None:
    assert fit_text("Eva L. 1:0 Łukasz Ż.", 110, 30, (12,)).lines == ("Eva L. 1:0", "Łukasz Ż.")


def test_a_sentence_that_is_too_long_is_drawn_as_far_as_it_fits_and_says_so():
    fitted = fit_text("Only a judge", 24, 12, (10,))
    assert (fitted.lines, fitted.fits) == (("Onl…",), False)
    assert fitted.width <= 24


def test_two_who_look_alike_are_told_apart_by_their_side():
    table = Table()
    table.hub_says(a_name="😀", b_name="🤖")
    names = [table.dialogue.table.name(side) for side in "ab"]
    assert names == ["😀 ●", "🤖 ■"]
    assert [table.dialogue.table.signed_name(side) for side in "ab"] == ["● 😀", "■ 🤖"]
    table.hub_says(a_name="😀", b_name="Bruno M.")
    assert [table.dialogue.table.name(side) for side in "ab"] == ["😀", "Bruno M."]


def test_a_name_of_two_surnames_never_loses_the_first():
    shorter = [form for form in shorter_forms("● Inés García López") if len(form.split()) > 2]
    assert all("G" in form and "L" in form for form in shorter), shorter


def test_text_is_as_wide_as_it_says():
    name = Name("Aleksandra Wiśniewska-Szczepańska")
    for fitted in (fit_text(name, wide, 14, (13, 11, 9)) for wide in (128, 90, 62)):
        assert fitted.fits
        assert all(text_width(line, fitted.size) <= 128 for line in fitted.lines)


def test_every_sign_used_has_a_glyph():
    missing = bytes(load_font(20).getmask("\u0378"))
    for sign in "●■▲▼◄►⌁✓–…#ŁłŚśŻżŹźĆćĄąĘęÓóŃńÄÖÜßñ¿áéíú":
        assert bytes(load_font(20).getmask(sign)) != missing, sign
