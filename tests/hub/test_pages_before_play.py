"""What players settle before each game is announced to everybody, as the rulebook's document has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import House, open_house, text_of

from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES, core_words


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        yield opened


def announced(house: House, rulebook: str, language: str = "en") -> str:
    browser = house.organizer()
    browser.post("/console", name="Open", rulebook=rulebook, color="#00785A", structure="own", swiss_rounds=2)
    return text_of(house.browser(language).get("/rules/e1"))


@pytest.mark.parametrize(("rulebook", "said"), [
    ("xwing-standard", "lower list total decides who has initiative; if the totals are equal, a lot decides"),
    ("xwing-standard", "Nobody plays before the start of the round is called."),
    ("xwing-epic-duel", "lower list total decides who has initiative; if the totals are equal, a lot decides"),
    ("xwing-epic-team", "a lot decides which captain chooses"),
    ("keyforge-archon", "A lot decides who begins, never an agreement"),
    ("keyforge-archon", "The opponent's deck list may be read before the game only, for two minutes."),
    ("keyforge-sealed", "A newly opened deck may be looked through for a moment"),
    ("keyforge-sealed", "the loser of the last game chooses who begins"),
    ("warlords-of-terra", "Both first lay out the hero that they play in the whole event."),
    ("shatterpoint-premier", "both pick two squads of their list and the mission set"),
])
def test_what_is_settled_before_a_game_is_announced(house: House, rulebook: str, said: str):
    assert said in announced(house, rulebook).partition("Before each game")[2]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_it_is_said_in_every_language(house: House, rulebook: str, language: str):
    page, words = announced(house, rulebook, language), core_words(language)
    assert RULEBOOKS[rulebook].before_play
    for key in ("sheet.before_play", *RULEBOOKS[rulebook].before_play):
        assert words(key) in page
