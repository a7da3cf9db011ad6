"""The bracket as a wall shows it: the box is filled, and what would be too small is left out or goes over pages."""

from xml.etree import ElementTree

import pytest

from bracket_kit import played, ranked
from roundtap_core.elimination.bracket import Bracket, bracket_of
from roundtap_core.elimination.bracket_picture import NAME_PX, PORTRAIT_WALL, WALL, bracket_svg, wall_bracket
from roundtap_core.words import core_words

SVG = "{http://www.w3.org/2000/svg}"
ENGLISH = core_words("en")


def bracket(size: int, rounds_played: int = 0) -> Bracket:
    event = ranked(2 * size, cut=size)
    for _ in range(rounds_played):
        event = played(event)
    found = bracket_of(event, [f"p{seed}" for seed in range(1, size + 1)])
    assert found
    return found


def texts(page: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(page).iter(f"{SVG}text")]


@pytest.mark.parametrize("box", [WALL, PORTRAIT_WALL], ids=["landscape", "portrait"])
@pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("name", ["Bo {}", "Aleksandra Wiśniewska-Szczepańska {}"], ids=["short", "long"])
def test_letters_are_never_smaller_than_a_hall_can_read(size: int, name: str, box: tuple[float, float]) -> None:
    found = bracket(size)
    names = {who: name.format(who) for game in found.games for seat in (game.a, game.b) if (who := seat.competitor)}
    pages = wall_bracket(found, names, ENGLISH, box)
    shown = " ".join(" ".join(texts(page)) for page in pages)
    for who in names:
        assert who in shown.split()
    for page in pages:
        root = ElementTree.fromstring(page)
        _, _, width, height = (float(each) for each in root.attrib["viewBox"].split())
        assert width <= box[0] + 1
        assert height <= box[1] + 1
        assert width / height == pytest.approx(box[0] / box[1], rel=0.02), "the box is filled"
        for text in root.iter(f"{SVG}text"):
            assert float(text.get("font-size", NAME_PX)) >= NAME_PX
            assert 0 <= float(text.attrib["x"]) <= width
            assert 0 <= float(text.attrib["y"]) <= height
        for box_of_game in root.iter(f"{SVG}rect"):
            assert float(box_of_game.attrib["x"]) + float(box_of_game.attrib["width"]) <= width


def test_a_bracket_that_fits_is_whole_and_a_larger_one_begins_with_the_current_round() -> None:
    eight = {f"p{n}": f"Bo {n}" for n in range(1, 200)}
    [page] = wall_bracket(bracket(8), eight, ENGLISH, WALL)
    assert {"Quarter-final", "Semi-final", "Final"} <= set(texts(page))
    many = wall_bracket(bracket(32), eight, ENGLISH, WALL)
    assert len(many) > 1
    [later] = wall_bracket(bracket(32, rounds_played=2), eight, ENGLISH, WALL)
    assert "Round of 32" not in texts(later)
    assert "Final" in texts(later)


LONG = "Aleksandra Wiśniewska-Szczepańska"


def test_a_name_stands_on_one_line_unless_that_would_make_all_letters_small() -> None:
    found, two = bracket(8, rounds_played=3), {"p2": "Aleksandra Ruiz", "p3": LONG}
    assert "Aleksandra Ruiz" in texts(bracket_svg(found, {"p2": "Aleksandra Ruiz"}, ENGLISH))
    assert LONG not in texts(bracket_svg(found, two, ENGLISH))
    assert {*LONG.split(" "), "Aleksandra Ruiz"} <= set(texts(bracket_svg(found, two, ENGLISH)))


def test_an_initial_never_stands_on_a_line_of_its_own() -> None:
    names = {"p1": "Anna-Małgorzata-Maria W.", "p2": LONG}
    assert {"Anna-Małgorzata-Maria W.", *LONG.split(" ")} <= set(texts(bracket_svg(bracket(8), names, ENGLISH)))
