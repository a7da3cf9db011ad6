"""SAVED names both players and who won, however long their names are and in whatever script."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest
from ink_reader import MARGIN, WIDE, DrawnText, ink_reader
from tableplay import Table, score

from every_script import LONG, name_pairs
from roundtap_core.records import Result
from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import FACINGS
from roundtap_devices.letters import look_alike
from roundtap_units.table.screens.lettering import shorter_forms
from roundtap_units.table.screens.scenes import HalvesScene, ScoreRow
from roundtap_units.table.screens.screens import LEAST, draw_scene
from roundtap_units.unit_config import unit_words

Pair = tuple[str, str]
PAIRS = [*combinations(LONG, 2), *name_pairs(800)]
"""Two that no font here has a letter of are told apart by their sides alone."""
WON, LOST = score(100, 24), score(24, 100)
SALVO = score(100, 100, winner="a"), score(100, 100, winner="b")
EACH = [(language, facing) for language in LANGUAGES for facing in FACINGS]


def saved(names: Pair, result: Result, language: str, facing: str) -> HalvesScene:
    table = Table(language, facing)
    table.hub_says(
        a_name=names[0],
        b_name=names[1],
        state="agreed",
        a=result,
        b=result,
        result=result,
        number=1042,
        clock="running",
    )
    assert isinstance(table.scene, HalvesScene)
    assert table.scene.kind == "saved"
    return table.scene


def box(text: DrawnText) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of its ink."""
    rows = [(y, text.ink >> y * WIDE & (1 << WIDE) - 1) for y in range(text.ink.bit_length() // WIDE + 1)]
    inked = [(y, row) for y, row in rows if row]
    columns = 0
    for _, row in inked:
        columns |= row
    left = (columns & -columns).bit_length() - 1
    return left - MARGIN, inked[0][0] - MARGIN, columns.bit_length() - MARGIN, inked[-1][0] + 1 - MARGIN


def meet(one: DrawnText, two: DrawnText) -> bool:
    a, b = box(one), box(two)
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def is_name(shown: str, name: str) -> bool:
    """A form of it by whole words; else its first letters, "…", and what tells it from the other one."""
    bare = name.removesuffix(" ●").removesuffix(" ■")
    before, dots, _ = shown.partition("…")
    abridged = bool(dots) and len(before) >= 2 and name.startswith(before)
    return abridged or shown in (*shorter_forms(name), *shorter_forms(bare))


def faults(pairs: list[Pair], language: str, facing: str, result: Result = WON, badge: str = "") -> Iterator[str]:
    title = unit_words(language)("saved.short")
    with ink_reader() as reader:
        for names in pairs:
            scene = replace(saved(names, result, language, facing), badge=badge)
            row = scene.a.small
            assert isinstance(row, ScoreRow)
            for place, canvas in enumerate(reader.read(scene)):
                left, right = row.names if place == 0 else row.names[::-1]
                figure = next(text for text in canvas.texts if ":" in text.text)
                named = [text for text in canvas.texts if is_name(text.text, left) or is_name(text.text, right)]
                yield from canvas.faults()
                if not any(text.text.startswith(title) for text in canvas.texts):
                    yield f"cut: {canvas.texts[0].text!r}"
                if len(named) != 2 or min(text.size for text in named) < LEAST:
                    yield f"names of {names}: {[text.text for text in canvas.texts]}"
                elif look_alike(named[0].text, named[1].text):
                    yield f"alike: {named[0].text!r} and {named[1].text!r}"
                yield from (f"{text.text!r} over the score" for text in named if meet(text, figure))


@pytest.mark.parametrize(("language", "facing"), EACH)
def test_both_names_are_there_apart_and_beside_the_score(language: str, facing: str) -> None:
    assert [*faults(PAIRS[EACH.index((language, facing)) :: 2 * len(EACH)], language, facing)] == []


@pytest.mark.parametrize(("language", "facing"), EACH)
def test_so_they_are_beside_a_score_with_a_tick_and_in_practice(language: str, facing: str) -> None:
    for badge in ("", unit_words(language)("badge.practice")):
        assert [*faults(PAIRS[::170], language, facing, SALVO[0], badge)] == []


@pytest.mark.long
@pytest.mark.parametrize(("language", "facing"), EACH)
def test_all_pairs_are_there_in_every_language(language: str, facing: str) -> None:
    assert [*faults(PAIRS, language, facing)] == []


@pytest.mark.parametrize("facing", FACINGS)
def test_whose_score_it_is_shows_in_the_picture(facing: str) -> None:
    for names in (names for names in PAIRS[::5] if not look_alike(*names)):
        shown = draw_scene(saved(names, WON, "en", facing)).tobytes()
        assert shown != draw_scene(saved(names[::-1], WON, "en", facing)).tobytes(), names
        assert shown != draw_scene(saved(names, LOST, "en", facing)).tobytes(), names


@pytest.mark.parametrize("facing", FACINGS)
def test_who_won_shows_where_the_score_does_not_tell(facing: str) -> None:
    for names in PAIRS[::11]:
        one, two = (draw_scene(saved(names, result, "en", facing)).tobytes() for result in SALVO)
        assert one != two, names


def test_the_sign_stands_at_the_winner() -> None:
    assert str(saved(("Ana R.", "Bruno M."), WON, "en", "edge").a.small) == "● Ana R. 100:24 Bruno M."
    assert str(saved(("Ana R.", "Bruno M."), LOST, "en", "edge").a.small) == "Ana R. 24:100 Bruno M. ■"
    assert str(saved(("Ana R.", "Bruno M."), SALVO[1], "en", "edge").a.small) == "Ana R. 100:100 ✓ Bruno M. ■"


def test_who_asks_to_leave_sees_that_where_one_row_is_read_by_both() -> None:
    for facing, other in (("edge", "Drop: hold ■+▼"), ("opposite", "Bruno M. 24:100 Ana R. ●")):
        table = Table("en", facing)
        table.presses("ana ana bruno")
        table.hub_saves(1041, report=0)
        table.hub_saves(1042, report=1)
        table.asks_to_leave("ana")
        assert isinstance(table.scene, HalvesScene)
        assert table.scene.a.small == "✓ drop requested"
        assert str(table.scene.b.small).replace("0:100", "24:100") == other
