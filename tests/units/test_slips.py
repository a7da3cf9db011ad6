"""Slips and lists: what they say, whole names, boxes from the form, and slips that are no taller than 70 mm."""

from itertools import combinations, pairwise

import pytest

from form_kit import form_to_json
from gallery.on_paper import (
    MEMBERS,
    PEOPLE,
    TEAMS,
    best_of_three,
    cut_content,
    names_content,
    pairings_content,
    printed,
    proxy_content,
    slip_content,
    standings_content,
    trust_content,
)
from roundtap_core.forms.form import Form, WayToEnd
from roundtap_core.forms.questions import Choice, Figure
from roundtap_core.records import ELIMINATION, SWISS, TIEBREAK
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_devices.letters import text_width
from roundtap_devices.printing.drawing import render_drawing
from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.print_lines import (
    FRAME,
    SHEET_58,
    SHEET_80,
    Box,
    Drawing,
    Label,
    TextLine,
)
from roundtap_devices.printing.printer_profiles import PROFILES
from roundtap_units.documents.notices import layout_job
from roundtap_units.documents.slips import TICK, wrap_text
from roundtap_units.unit_config import unit_words

LANGUAGES = ("en", "es", "de", "pl")
DOTS_PER_MM = 8
"""203 dots an inch, as most receipt printers have."""
MARGIN_NOTED = ("xwing-standard", "xwing-epic-duel")
"""Whose documents have players note the margin of victory. (So has a team's, whose slip has no room left.)"""
LONG = ("Aleksandra Wiśniewska-Szczepańska", "Maximilian von Hohenfels-Brandt")

OF_EACH_SHEET = {(profile.sheet, profile.dpi): profile.name for profile in PROFILES.values()}.values()
"""One printer of each size of paper and dots: what it prints is as tall as at the others."""


def slip(content, sheet, words):
    return layout_job("slip", content, sheet, words)


def texts(made):
    """Everything that can be read, in order."""
    return [
        text
        for each in made
        for text in (
            [cell.text for cell in each.cells]
            if isinstance(each, TextLine)
            else [shape.text for shape in each.shapes if isinstance(shape, Label)]
            if isinstance(each, Drawing)
            else []
        )
    ]


def tallest(profile):
    """70 mm; with 180 dots an inch the same dots are taller, and the cutter sits further away: 87 mm."""
    return 70 * DOTS_PER_MM if profile.dpi > 200 else 87 * 180 / 25.4


def boxes(made):
    """How many boxes to write in: each has a side on the left and one on the right, on two lines."""
    return sum(cell.text == FRAME for each in made if isinstance(each, TextLine) for cell in each.cells) // 4


def ticks(made):
    return sum(text.count(TICK) for text in texts(made))


@pytest.mark.parametrize(
    "profile",
    [
        pytest.param(profile, id=name, marks=() if name in OF_EACH_SHEET else pytest.mark.long)
        for name, profile in PROFILES.items()
    ],
)
@pytest.mark.parametrize(
    "language",
    [language if language == "de" else pytest.param(language, marks=pytest.mark.long) for language in LANGUAGES],
)
@pytest.mark.parametrize("stage", [SWISS, ELIMINATION, TIEBREAK])
@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_a_slip_is_at_most_70_mm_from_tear_to_tear(rulebook_id, stage, language, profile):
    made = slip(slip_content(rulebook_id, LONG, 104, stage), profile.sheet, unit_words(language))
    assert compose_job(made, profile).height_dots == printed(made, profile).height <= tallest(profile)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("sheet", [SHEET_58, SHEET_80], ids=["58", "80"])
def test_nothing_on_a_slip_lies_on_anything_else_or_off_the_paper(rulebook_id, language, sheet):
    """Words of a tick row end before its boxes begin, in the letters that they are drawn in."""
    for each in slip(slip_content(rulebook_id, LONG, 104, ELIMINATION), sheet, unit_words(language)):
        boxes_of = [shape for shape in each.shapes if isinstance(shape, Box)] if isinstance(each, Drawing) else []
        for box in boxes_of:
            assert box.x >= 0
            assert box.x + box.width <= sheet.dots
        for one, two in combinations(sorted(boxes_of, key=lambda box: box.x), 2):
            assert one.x + one.width <= two.x
        for label in (shape for shape in each.shapes if isinstance(shape, Label)) if boxes_of else ():
            end = label.x + min(label.width, text_width(label.text, label.size, label.bold))
            inside = [box for box in boxes_of if box.x < label.x and end <= box.x + box.width]
            below = label.y >= max(box.y + box.height for box in boxes_of)
            assert inside or below or all(end <= box.x or label.x >= box.x + box.width for box in boxes_of), label


@pytest.mark.parametrize("sheet", [SHEET_58, SHEET_80], ids=["58", "80"])
def test_both_signs_stand_on_their_own_side_of_the_stroke_in_the_middle(sheet):
    """By the dots on the paper: those of the stroke stand alone, with white on either side and a sign beyond it."""
    row = next(
        each
        for each in slip(slip_content("warlords-of-terra", LONG), sheet, unit_words("en"))
        if isinstance(each, Drawing) and {"●", "■"} <= {s.text for s in each.shapes if isinstance(s, Label)}
    )
    paper = render_drawing(row, sheet.dots)
    black = [any(not paper.getpixel((x, y)) for y in range(paper.height)) for x in range(sheet.dots)]
    middle = sheet.dots // 2
    assert black[middle - 4 : middle + 4] == [False] * 3 + [True] * 2 + [False] * 3
    assert any(black[:24])
    assert any(black[middle + 4 : middle + 32])


def test_a_slip_says_table_round_event_and_code_and_the_table_again_at_the_end():
    said = texts(slip(slip_content("xwing-standard", ("Ana Ruiz", "Łukasz Żak")), SHEET_58, unit_words("pl")))
    assert said[:3] == ["STÓŁ 12", "K7F-3", "Runda 3 – Winter Open Poznań 2026"]
    assert said[-1] == "STÓŁ 12"
    assert "#1042 3fa9c1d07be25564" in said


def test_names_are_whole_and_broken_between_words_where_these_fit():
    made = slip(slip_content("xwing-standard", LONG), SHEET_58, unit_words("de"))
    names = [each for each in made if isinstance(each, TextLine) and each.bold][:-1]
    left, right = zip(*[[cell.text for cell in line.cells] for line in names], strict=True)
    assert "".join(left).replace("Aleksandra", "Aleksandra ") == LONG[0]
    assert right == ("Maximilian von", "Hohenfels-", "Brandt")


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("Ana Ruiz", 15, ["Ana Ruiz"]),
        ("Ana Ruiz", 4, ["Ana", "Ruiz"]),
        ("Wiśniewska-Szczepańska", 15, ["Wiśniewska-", "Szczepańska"]),
        ("Brzęczyszczykiewicz", 15, ["Brzęczyszczykiewicz"]),
        ("Ana Brzęczyszczykiewiczowa", 15, ["Ana", "Brzęczyszczyki-", "ewiczowa"]),
        (
            "Donaudampfschifffahrtskapitäne von Au",
            15,
            ["Donaudampfschi-", "fffahrtskapitäne", "von Au"],
        ),
        (
            "Grzegorzewska-Kowalczykówna-Przybyszewska",
            15,
            ["Grzegorzewska-", "Kowalczykówna-", "Przybyszewska"],
        ),
        ("", 10, []),
    ],
)
def test_wrapping(text, columns, lines):
    assert wrap_text(text, columns) == lines


def test_x_wing_asks_lost_and_points_twice_and_the_salvo():
    made = slip(slip_content("xwing-standard", ("Ana Ruiz", "Eva Luz")), SHEET_58, unit_words("en"))
    assert boxes(made) == 4
    assert ticks(made) == 4  # salvo and leaving, a tick for each side
    between = [
        (cell.text, cell.align)
        for each in made
        if isinstance(each, TextLine)
        for cell in each.cells
        if FRAME in (at.text for at in each.cells) and cell.text != FRAME
    ]
    # What is lost stands at the one player's box, the points at the other's.
    assert between == [("points lost", "left"), ("→ scored", "right"), ("points lost", "right"), ("scored ←", "left")]
    assert "Final salvo" in texts(made)


def test_on_wide_paper_each_word_stands_on_one_line_at_its_own_box():
    made = slip(slip_content("xwing-standard", ("Ana Ruiz", "Eva Luz")), SHEET_80, unit_words("en"))
    between = [text for each in made if FRAME in texts([each]) for text in texts([each]) if text not in (FRAME, "")]
    assert between == ["points lost      → scored", "scored ←      points lost"]


@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_every_box_is_closed(profile, rulebook_id, language):
    """By the dots on the paper: its sides are black from edge to edge, whether they are letters or drawn."""
    made = slip(slip_content(rulebook_id, LONG, 104), profile.sheet, unit_words(language))
    paper, top, edges = printed(made, profile), profile.tear_dots, []
    for each in made:
        if isinstance(each, Drawing) and each.height_dots == 2:
            edges.append((top, each.shapes))
        top += each.height_dots
    for (above, shapes), (below, _) in pairwise(edges):
        for edge in shapes:
            for side in (edge.x, edge.x + edge.width - 2):
                assert paper.crop((side, above, side + 2, below)).getextrema() == (0, 0)
    assert len(edges) == (boxes(made) // 2 + 1 if boxes(made) else 0)


def asked(rulebook_id, stage=SWISS, content=None):
    """(labels of figures, questions and options to tick, how many places to tick) of a slip, without signs."""
    made = slip(content or slip_content(rulebook_id, ("Ana Ruiz", "Eva Luz"), stage=stage), SHEET_58, unit_words("en"))
    said = [[cell.text for cell in each.cells] for each in made if isinstance(each, TextLine)]
    figures = [text for line in said if FRAME in line for text in line if text not in (FRAME, "")]
    questions = [
        part.strip(" ()")
        for line in said
        if TICK in "".join(line)
        for text in line
        for part in text.split(TICK)
        if part.strip(" ()")
    ]
    return figures, questions, ticks(made)


def test_epic_asks_points_who_won_and_how_it_ended():
    figures, questions, _ = asked("xwing-epic-duel")
    assert figures == ["Points"]
    assert set(questions) == {"Won", "draw", "Time", "All destroyed", "Conceded", "Drop from event"}


def test_epic_asks_for_initiative_in_elimination_only():
    """A draw in elimination: whoever had initiative goes on."""
    assert "Who had initiative?" not in asked("xwing-epic-team")[1]
    assert "Who had initiative?" in asked("xwing-epic-team", ELIMINATION)[1]


def test_warlords_asks_lives_and_always_who_won():
    figures, questions, _ = asked("warlords-of-terra")
    assert figures == ["Life"]
    assert set(questions) == {"Won", "draw", "Conceded", "Drop from event"}


@pytest.mark.parametrize("stage", [ELIMINATION, TIEBREAK])
def test_warlords_has_no_draw_where_somebody_has_to_go_on(stage):
    assert "draw" not in asked("warlords-of-terra", stage)[1]


@pytest.mark.parametrize("rulebook_id", ["keyforge-archon", "keyforge-sealed"])
def test_keyforge_asks_who_won_and_who_began_and_nothing_of_what_time_rarely_needs(rulebook_id):
    figures, questions, places = asked(rulebook_id)
    assert figures == []
    assert set(questions) == {"Won", "Who was first player?", "Drop from event"}
    assert places == 6


def test_keyforge_best_of_three_asks_games_as_well():
    figures, questions, _ = asked("keyforge-archon", content=best_of_three("keyforge-archon", ("Ana Ruiz", "Eva Luz")))
    assert figures == ["Games"]
    assert "Won" in questions


def test_warlords_best_of_three_asks_who_won_alone():
    three = best_of_three("warlords-of-terra", ("Ana Ruiz", "Eva Luz"))
    figures, questions, _ = asked("warlords-of-terra", content=three)
    assert (figures, set(questions)) == ([], {"Won", "Drop from event"})


def test_shatterpoint_asks_struggles_wounds_squads_and_who_concedes():
    content = slip_content("shatterpoint-premier", ("Ana Ruiz", "Eva Luz"))
    figures, questions, _ = asked("shatterpoint-premier")
    assert figures == ["Struggles", "Wounds"]
    assert set(questions) == {"Concedes", "Drop from event"}
    made = slip(content, SHEET_58, unit_words("en"))
    assert "2–0" not in texts(made)


def test_squads_still_to_be_fielded_have_a_thick_frame_and_the_others_a_tick():
    content = slip_content("shatterpoint-premier", ("Ana Ruiz", "Eva Luz"))
    content["a"].update(to_field=[2, 4], must=False)
    content["b"].update(to_field=[], must=False)
    row = next(each for each in slip(content, SHEET_58, unit_words("en")) if isinstance(each, Drawing))
    squads = [shape for shape in row.shapes if isinstance(shape, Box)]
    assert [squad.stroke > 1 for squad in squads] == [False, True, False, True, False, False, False, False]
    assert [shape.text for shape in row.shapes if isinstance(shape, Label)].count("✓") == 6


def test_who_must_field_the_others_is_told():
    content = slip_content("shatterpoint-premier", ("Ana Ruiz", "Eva Luz"))
    content["b"]["must"] = True
    assert any("■: thick frames only" in text for text in texts(slip(content, SHEET_58, unit_words("en"))))


def test_an_elimination_slip_says_the_rounds_name():
    said = texts(slip(slip_content("xwing-standard", LONG, stage=ELIMINATION), SHEET_58, unit_words("pl")))
    assert said[2] == "Półfinał – Winter Open Poznań 2026"
    assert not any(text.startswith("Runda") for text in said)


def test_a_team_stands_on_its_slip_with_its_players():
    said = texts(slip(slip_content("xwing-epic-team", TEAMS), SHEET_58, unit_words("es")))
    assert ", ".join(MEMBERS[0]) in said
    assert ", ".join(MEMBERS[1]) in said


def test_another_rulebooks_form_makes_other_boxes():
    """Two figures of each side, and no question of a winner: nothing of the form is known by name."""
    form = Form(
        "warlords-of-terra",
        (
            WayToEnd(
                "played", "any", "played", (Figure("score", "winner", 0, 30, 0), Figure("score", "loser", 0, 30, 0))
            ),
        ),
    )
    content = slip_content("xwing-standard", ("Ana Ruiz", "Eva Luz")) | {"form": form_to_json(form)}
    made = slip(content, SHEET_58, unit_words("en"))
    assert boxes(made) == 2
    assert ticks(made) == 2
    assert "points lost" not in texts(made)
    salvo = Choice("winner", "form.final_salvo", ("a", "b"))
    form = Form("warlords-of-terra", (WayToEnd("played", "any", "played", (*form.ways[0].steps, salvo)),))
    assert "Final salvo" in texts(slip(content | {"form": form_to_json(form)}, SHEET_58, unit_words("en")))


@pytest.mark.parametrize("sheet", [SHEET_58, SHEET_80], ids=["58", "80"])
@pytest.mark.parametrize("kind", ["pairings-table", "pairings-name", "standings"])
def test_cells_stay_on_the_paper_and_off_each_other(kind, sheet):
    content = {
        "pairings-table": pairings_content(64),
        "pairings-name": names_content(64),
        "standings": standings_content(40),
    }[kind]
    for each in layout_job(kind, content, sheet, unit_words("pl")):
        if isinstance(each, TextLine):
            edge = 0
            for cell in sorted(each.cells, key=lambda cell: cell.start):
                assert cell.start >= edge, each
                edge = cell.start + cell.width
            assert edge <= sheet.columns, each


@pytest.mark.parametrize("sheet", [SHEET_58, SHEET_80], ids=["58", "80"])
def test_everybody_is_on_the_pairings_and_the_bye_says_so(sheet):
    by_table = " ".join(texts(layout_job("pairings-table", pairings_content(64), sheet, unit_words("de"))))
    by_name = " ".join(texts(layout_job("pairings-name", names_content(64), sheet, unit_words("de"))))
    for name in PEOPLE:
        for part in name.replace("-", "- ").split():
            assert part in by_table
            assert part in by_name
    assert "Freilos" in by_table
    assert "Freilos" in by_name


@pytest.mark.parametrize("sheet", [SHEET_58, SHEET_80], ids=["58", "80"])
def test_the_list_by_name_has_the_opponent_and_keeps_off_the_edges(sheet):
    rows = [
        {"name": "Ana R.", "against": "Eva L.", "record": "2–0", "table": 7, "bye": None},
        {"name": "Kai E.", "against": None, "record": "1–1", "table": None, "bye": "bye"},
    ]
    made = layout_job("pairings-name", names_content(1) | {"rows": rows}, sheet, unit_words("en"))
    listed = [
        line for line in made if isinstance(line, TextLine) and {"Ana R.", "Eva L.", "Kai E."} & set(texts([line]))
    ]
    assert {cell.text for line in listed for cell in line.cells} >= {"Ana R.", "7", "Eva L.", "Kai E."}
    assert all(cell.start >= 1 and cell.start + cell.width < sheet.columns for line in listed for cell in line.cells)
    assert len(listed) == (2 if sheet is SHEET_80 else 3)


def test_standings_mark_what_decided():
    content = standings_content(3)
    said = texts(layout_job("standings", content, SHEET_80, unit_words("en")))
    assert [text for text in said if text.endswith("*")] == ["805*", "0.664*"]
    assert "* decided this rank" in said


def test_epics_cut_stands_below_the_standings_with_a_line_under_the_last_who_goes_on():
    content = standings_content(8) | {"cut": cut_content(8)}
    made = layout_job("standings", content, SHEET_58, unit_words("en"))
    said = texts(made)
    cut = said[said.index("Cut: top 4") :]
    assert cut.index("Eva Luz") < cut.index("Íñigo Muñoz Peña")
    place = next(i for i, each in enumerate(made) if "Íñigo Muñoz Peña" in texts([each]) and i > len(made) // 2)
    assert isinstance(made[place - 1], Drawing)


def test_what_no_column_shows_stands_below_the_name():
    content = standings_content(3)
    content["rows"][0].update(decided=None, decided_by="head_to_head", by_lot=False)
    content["rows"][1].update(decided=None, decided_by=None, by_lot=True)
    said = texts(layout_job("standings", content, SHEET_58, unit_words("en")))
    assert "* Direct" in said
    assert "rank by random draw" in said


def test_a_final_ranking_tells_how_far_each_came_and_ranks_nobody_put_out():
    content = standings_content(3)
    content["rows"][0].update(reached="champion", status=None)
    content["rows"][1].update(reached="final", status="dropped")
    content["rows"][2].update(rank=None, reached=None, status="disqualified")
    for language, words in {
        "en": ("Champion", "Final · dropped", "disqualified"),
        "pl": ("Wygrywa turniej", "Finał · wycofanie", "dyskwalifikacja"),
    }.items():
        said = texts(layout_job("standings", content, SHEET_58, unit_words(language)))
        assert {"–", "2"} <= set(said)
        assert "3" not in said
        assert set(words) <= set(said)


def test_a_tie_break_round_is_called_that_on_its_pairings():
    content = pairings_content(2) | {"name": TIEBREAK}
    assert "Stechen: Paarungen" in texts(layout_job("pairings-table", content, SHEET_58, unit_words("de")))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_a_proxy_says_card_official_date_and_event(language, profile):
    made = layout_job("proxy", proxy_content(), profile.sheet, unit_words(language))
    said = " ".join(texts(made))
    date = {"en": "2026-11-21", "de": "21.11.2026", "es": "21/11/2026", "pl": "21.11.2026"}[language]
    for part in ("Expert Handling", date, "Winter Open Poznań 2026", "Aleksandra"):
        assert part in said
    assert printed(made, profile).height <= 80 * DOTS_PER_MM


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_the_fingerprint_stands_there_whole_in_order_and_legible(language, profile):
    content = trust_content()
    made = layout_job("trust", content, profile.sheet, unit_words(language))
    said = " ".join(texts(made))
    assert content["fingerprint"] in said
    assert content["console"] in said
    assert printed(made, profile).height <= 130 * DOTS_PER_MM


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["bye", "won", "no-show", "unpaired-loss"])
def test_every_kind_of_bye_has_its_words(kind, language):
    content = pairings_content(2)
    content["rows"][-1]["bye"] = kind
    names = names_content(2)
    names["rows"][0] |= {"bye": kind, "table": None}
    for sheet in (SHEET_58, SHEET_80):
        assert layout_job("pairings-table", content, sheet, unit_words(language))
        assert layout_job("pairings-name", names, sheet, unit_words(language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sheet", [SHEET_58, SHEET_80], ids=["58", "80"])
@pytest.mark.parametrize("rulebook_id", MARGIN_NOTED)
def test_x_wing_has_a_line_for_the_margin_of_each_player(rulebook_id, sheet, language):
    """ "Höhe des Sieges", and Epic's "Margen de victoria": both note it on their score sheets. A line to write on for
    each, whole words beside it."""
    words = unit_words(language)
    margin = words(f"paper.margin.{rulebook_id}")
    row = next(each for each in slip(slip_content(rulebook_id, LONG), sheet, words) if margin in texts([each]))
    left, middle, right = row.cells
    assert left.text == right.text == "_" * left.width
    assert left.width * sheet.cell_dots >= 80
    assert (left.start, right.start + right.width) == (0, sheet.columns)
    assert left.width < middle.start
    assert middle.start + middle.width < right.start
    assert len(margin) <= middle.width


@pytest.mark.parametrize("rulebook_id", [book for book in RULEBOOKS if book not in (*MARGIN_NOTED, "xwing-epic-team")])
def test_no_margin_where_the_document_asks_nobody_to_note_one(rulebook_id):
    assert "Margin (MoV)" not in texts(slip(slip_content(rulebook_id, LONG), SHEET_58, unit_words("en")))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_a_slip_that_replaces_another_one_says_so_and_is_no_taller(profile, language):
    words = unit_words(language)
    content = slip_content("xwing-standard", LONG, 104)
    made = slip(content | {"replaces": True}, profile.sheet, words)
    said = texts(made)
    assert said[2].startswith(words("paper.new"))
    assert said[-1].endswith(words("paper.replaces"))
    assert "104" in said[-1]
    assert printed(made, profile).height <= tallest(profile)
    assert words("paper.replaces") not in " ".join(texts(slip(content, profile.sheet, words)))
