"""Slips and lists: what they say, whole names, boxes from the form, and slips that are no taller than 70 mm."""

from __future__ import annotations

import pytest

from roundtap_core.forms import Choice, Figure, Form, Way, form_to_json
from roundtap_core.rulebooks import RULEBOOKS
from roundtap_devices.escpos_job import compose
from roundtap_devices.paper import DOTS_PER_MM, SHEET_58, SHEET_80, Block, Box, Drawing, Label, Line
from roundtap_devices.printer_profiles import PROFILES
from roundtap_units.dialogue import unit_words
from roundtap_units.paper_gallery import (
    PEOPLE,
    names_content,
    pairings_content,
    printed,
    slip_content,
    standings_content,
)
from roundtap_units.paper_lists import LAYOUTS
from roundtap_units.slips import slip, wrap

LANGUAGES = ("en", "es", "de", "pl")
LONG = ("Aleksandra Wiśniewska-Szczepańska", "Maximilian von Hohenfels-Brandt")


def lines_of(made):
    for each in made:
        yield from each.lines if isinstance(each, Block) else (each,)


def texts(made):
    """Everything that can be read, in order."""
    return [text for each in lines_of(made) for text in (
        [cell.text for cell in each.cells] if isinstance(each, Line)
        else [shape.text for shape in each.shapes if isinstance(shape, Label)] if isinstance(each, Drawing) else [])]


def boxes(made, minimum_width):
    return [shape for each in made if isinstance(each, Drawing) for shape in each.shapes
            if isinstance(shape, Box) and shape.width >= minimum_width]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_a_slip_is_at_most_70_mm_from_tear_to_tear(rulebook_id, language, profile):
    made = slip(slip_content(rulebook_id, LONG, 104), profile.sheet, unit_words(language))
    assert compose(made, profile).height_dots <= 70 * DOTS_PER_MM
    assert printed(made, profile).height <= 70 * DOTS_PER_MM


def test_a_slip_says_table_round_event_and_code_and_the_table_again_at_the_end():
    said = texts(slip(slip_content("xwing-standard", ("Ana Ruiz", "Łukasz Żak")), SHEET_58, unit_words("pl")))
    assert said[:3] == ["STÓŁ 12", "K7F-3", "Runda 3 – Winter Open Poznań 2026"]
    assert said[-1] == "STÓŁ 12"
    assert "#1042 3fa9c1d07be25564" in said


def test_names_are_whole_and_broken_between_words_only():
    made = slip(slip_content("xwing-standard", LONG), SHEET_58, unit_words("de"))
    names = next(each for each in made if isinstance(each, Block))
    left, right = zip(*[[cell.text for cell in line.cells] for line in names.lines], strict=True)
    assert "".join(left).replace("Aleksandra", "Aleksandra ") == LONG[0]
    assert right == ("Maximilian von", "Hohenfels-", "Brandt")


@pytest.mark.parametrize(("text", "columns", "lines"), [
    ("Ana Ruiz", 15, ["Ana Ruiz"]),
    ("Ana Ruiz", 4, ["Ana", "Ruiz"]),
    ("Wiśniewska-Szczepańska", 15, ["Wiśniewska-", "Szczepańska"]),
    ("Brzęczyszczykiewicz", 10, ["Brzęczyszczykiewicz"]),
    ("", 10, []),
])
def test_wrapping(text, columns, lines):
    assert wrap(text, columns) == lines


def test_x_wing_asks_lost_and_points_twice_and_the_salvo():
    made = slip(slip_content("xwing-standard", ("Ana Ruiz", "Eva Luz")), SHEET_58, unit_words("en"))
    assert len(boxes(made, 60)) == 4
    assert len(boxes(made, 20)) - 4 == 4  # salvo and leaving, a tick for each side
    said = texts(made)
    start = said.index("lost by me") - 1
    assert said[start:start + 5] == ["●", "lost by me", "→", "■", "points"]
    assert said[start + 5:start + 10] == ["■", "lost by me", "→", "●", "points"]
    assert "Final salvo" in said


def test_another_rulebooks_form_makes_other_boxes():
    """Two figures of each side, and no question of a winner: nothing of the form is known by name."""
    form = Form("of-tomorrow", (Way("played", "any", "played", (
        Figure("score", "winner", 0, 30, 0), Figure("score", "loser", 0, 30, 0))),))
    content = slip_content("xwing-standard", ("Ana Ruiz", "Eva Luz")) | {"form": form_to_json(form)}
    made = slip(content, SHEET_58, unit_words("en"))
    assert len(boxes(made, 60)) == 2
    assert len(boxes(made, 20)) - 2 == 2
    assert "lost by me" not in texts(made)
    salvo = Choice("winner", "form.final_salvo", ("a", "b"))
    form = Form("of-tomorrow", (Way("played", "any", "played", (*form.ways[0].steps, salvo)),))
    assert "Final salvo" in texts(slip(content | {"form": form_to_json(form)}, SHEET_58, unit_words("en")))


@pytest.mark.parametrize("sheet", [SHEET_58, SHEET_80], ids=["58", "80"])
@pytest.mark.parametrize("kind", ["pairings-table", "pairings-name", "standings"])
def test_cells_stay_on_the_paper_and_off_each_other(kind, sheet):
    content = {"pairings-table": pairings_content(64), "pairings-name": names_content(64),
               "standings": standings_content(40)}[kind]
    for each in lines_of(LAYOUTS[kind](content, sheet, unit_words("pl"))):
        if isinstance(each, Line):
            edge = 0
            for cell in sorted(each.cells, key=lambda cell: cell.start):
                assert cell.start >= edge, each
                edge = cell.start + cell.width
            assert edge <= sheet.columns, each


@pytest.mark.parametrize("sheet", [SHEET_58, SHEET_80], ids=["58", "80"])
def test_everybody_is_on_the_pairings_and_the_bye_says_so(sheet):
    by_table = " ".join(texts(LAYOUTS["pairings-table"](pairings_content(64), sheet, unit_words("de"))))
    by_name = " ".join(texts(LAYOUTS["pairings-name"](names_content(64), sheet, unit_words("de"))))
    for name in PEOPLE:
        for part in name.replace("-", "- ").split():
            assert part in by_table
            assert part in by_name
    assert "Freilos" in by_table
    assert "frei" in by_name.split()


def test_standings_mark_what_decided():
    content = standings_content(3)
    said = texts(LAYOUTS["standings"](content, SHEET_80, unit_words("en")))
    assert [text for text in said if text.endswith("*")] == ["805*", "0.664*"]
    assert "* decided this place" in said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["bye", "won", "no-show", "unpaired-loss"])
def test_every_kind_of_bye_has_its_words(kind, language):
    content = pairings_content(2)
    content["rows"][-1]["bye"] = kind
    names = names_content(2)
    names["rows"][0] |= {"bye": kind, "table": None}
    for sheet in (SHEET_58, SHEET_80):
        assert LAYOUTS["pairings-table"](content, sheet, unit_words(language))
        assert LAYOUTS["pairings-name"](names, sheet, unit_words(language))
