"""The counting aid on a match's page: X-Wing's half points of large ships, without scripts and without saving."""

import pytest
from pages_kit import Browser, House, text_of

from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES, core_words

AT = "/console/e1/match/1.1"


def counted(browser: Browser, cost: object, life: object, damage: object, large: bool = True) -> str:
    typed = f"aid.cost={cost}&aid.life={life}&aid.damage={damage}" + ("&aid.large=1" if large else "")
    return text_of(browser.get(f"{AT}?{typed}"))


def test_a_46_point_ship_with_7_damage_of_13_is_worth_half(browser: Browser):
    """The document's own example, "Berechnung der Siegpunkte"."""
    assert "Points for a damaged ship" in text_of(browser.get(AT))
    assert "Opponent scores 23 victory points" in counted(browser, 46, 13, 7)
    assert "Opponent scores 0 victory points" in counted(browser, 46, 13, 6)
    assert "Opponent scores 0 victory points" in counted(browser, 46, 13, 12, large=False)
    assert "Opponent scores 46 victory points" in counted(browser, 46, 13, 13, large=False)


def test_what_was_typed_stays_and_nothing_is_saved(house: House, browser: Browser):
    number = house.event.number
    page = browser.get(f"{AT}?aid.cost=46&aid.life=13&aid.damage=7&aid.large=1").text
    assert 'name="aid.cost" type="number" inputmode="numeric" min="0" max="999" required value="46"' in page
    assert 'name="aid.large" value="1" checked' in page
    assert house.event.number == number


@pytest.mark.parametrize(
    ("cost", "life", "damage", "words"),
    [
        ("many", 13, 7, "“many” is not a whole number"),
        ("", 13, 7, "is not a whole number"),
        (46, 0, 0, "0 is out of range. Enter 1 to 99"),
        (46, 13, -1, "-1 is out of range"),
    ],
)
def test_what_cannot_be_is_said_beside_the_form(
    browser: Browser, cost: object, life: object, damage: object, words: str
):
    page = counted(browser, cost, life, damage)
    assert words in page
    assert "Opponent scores" not in page


def test_rulebooks_without_anything_to_count_show_none(house: House):
    browser = house.organizer()
    browser.post("/console", name="Open", rulebook="keyforge-archon", color="#00785A", structure="own", swiss_rounds=2)
    browser.post("/console/e1/competitors", names="Ana Ruiz\nBruno Maier")
    house.publish()
    assert 'id="aid"' not in browser.get(f"{AT}?aid.cost=1").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_aid_has_its_words(language: str):
    words = core_words(language)
    for book in RULEBOOKS.values():
        if (aid := book.counting_aid) is not None:
            needed = [f"aid.{aid.id}", f"aid.{aid.id}.worth", *(f"aid.{aid.id}.{f.key}" for f in aid.figures)]
            assert [key for key in needed if key not in words] == []
