"""A store's own games on screens and paper: labels as long as they may be, in every language, and nothing cut."""

import pytest
from tableplay import Table

from gallery.on_paper import names_content, pairings_content, printed, slip_content, standings_content
from gallery.own_games import ASKS, FIVE, GAMES, LABELS, LONG_SIDED, POINTS, TWO, WINNER, game, own_games
from gallery.table_screens import LONG, SHORT
from own_games.shelf import GAMES as EXAMPLES
from own_games.shelf import book_behind, id_of, rules_text
from roundtap_core.records import ELIMINATION, SWISS
from roundtap_core.words import LANGUAGES
from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.print_lines import TextLine
from roundtap_devices.printing.printer_profiles import PROFILES
from roundtap_units.documents.notices import layout_job
from roundtap_units.table.screens.screens import draw_scene
from roundtap_units.unit_config import unit_words

WORST = (LONG_SIDED, GAMES, FIVE, POINTS, TWO)


def said(made):
    """Everything that stands in a line of its own."""
    return [cell for each in made if isinstance(each, TextLine) for cell in each.cells]


@pytest.mark.parametrize("facing", ["opposite", "edge"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_screens_of_own_games_have_no_key_and_fit(language, facing):
    for names in (SHORT, LONG):
        for name, scene in own_games(language, facing, names):
            text = scene.all_text()
            assert "own_" not in text, name
            assert "form." not in text, name
            assert draw_scene(scene).size == (128, 64)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("stage", [SWISS, ELIMINATION])
@pytest.mark.parametrize("printer", ["plain-58", "plain-80"])
@pytest.mark.parametrize("text", WORST, ids=["sides", "games", "five", "points", "two"])
def test_slips_of_own_games_are_at_most_70_mm_and_cut_no_label(text, printer, stage, language):
    profile, book = PROFILES[printer], game(text)
    made = layout_job("slip", slip_content(book, LONG, 104, stage), profile.sheet, unit_words(language))
    assert printed(made, profile).height <= 70 * 8
    whole = " ".join(cell.text for cell in said(made))
    for figure in book.rules.match.figure:
        label = figure.label.text(language)
        assert label in whole or all(word in whole for word in label.split()), whole


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_has_a_slip_that_fits(name):
    profile, book = PROFILES["plain-58"], book_behind(id_of(name))
    for language in LANGUAGES:
        made = layout_job("slip", slip_content(book, LONG, 104), profile.sheet, unit_words(language))
        assert compose_job(made, profile).height_dots <= 70 * 8


def test_a_slip_has_a_line_for_drawn_games_and_names_the_sides():
    words = unit_words("en")
    drawn = layout_job("slip", slip_content(game(GAMES), SHORT), PROFILES["plain-58"].sheet, words)
    assert "Drawn games ______" in [cell.text for cell in said(drawn)]
    sided = layout_job("slip", slip_content(game(WINNER), SHORT), PROFILES["plain-58"].sheet, words)
    labels = [
        shape.text
        for each in sided
        if not isinstance(each, TextLine)
        for shape in getattr(each, "shapes", ())
        if hasattr(shape, "text")
    ]
    assert any(label.startswith("White") for label in labels)
    assert any(label.startswith("Black") for label in labels)


def test_lists_on_paper_name_the_sides_and_head_the_columns():
    book, words, sheet = game(WINNER), unit_words("de"), PROFILES["plain-58"].sheet
    rules = {"rules": rules_text(book)}
    by_table = layout_job("pairings-table", pairings_content(3) | rules, sheet, words)
    assert "Weiß – Schwarz" in [cell.text for cell in said(by_table)]
    by_name = layout_job("pairings-name", names_content(3) | rules, sheet, words)
    assert "Weiß" in [cell.text for cell in said(by_name)]
    chess = book_behind(id_of("chess-club"))
    columns = {"columns": ["opponents_points", "opponents_points_2"], "rules": rules_text(chess)}
    rows = [{**row, "values": ["3½", "5"], "points": "2½", "decided": None} for row in standings_content(3)["rows"]]
    ranks = layout_job("standings", standings_content(3) | columns | {"rows": rows}, sheet, words)
    heads = [cell.text for cell in said(ranks)]
    assert any(head.startswith("Gegnerpunkte") for head in heads), heads


def test_the_table_asks_and_says_what_the_game_calls_its_figures():
    table = Table(book=game(TWO), clock_ms=-1000)
    table.presses("ana")
    assert table.says.startswith(LABELS[0].split('"')[1])
    table.presses("ana ana")
    assert table.says.startswith(LABELS[1].split('"')[1])
    table.presses("ana ana")
    assert table.says.startswith("Draw 0:0. Right?")
    assert f"{LABELS[1].split(chr(34))[1]} 0:0" in table.says


def test_a_long_question_has_a_page_of_its_own_and_its_answer_is_named():
    table = Table(book=game(GAMES), clock_ms=-1000)
    table.presses("ana ana ana ana")
    assert table.says.startswith(ASKS.split('"')[1])
    table.presses("bruno ana")
    assert "drawn games 0" in table.says.replace("\u00a0", " ")
    assert "tie-break" in table.says


def test_both_sides_stand_on_the_screen_before_and_in_play():
    for clock in ("idle", "running"):
        table = Table(book=game(WINNER), seated=False)
        table.hub_says(clock=clock)
        assert "White" in table.says
        assert "Black" in table.says
