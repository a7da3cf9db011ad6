"""Every page of an event of a store's own game, at every step of the evening, in the languages of its readers."""

from pathlib import Path

import pytest
from own_kit import OwnEvening, look
from pages_kit import open_house

from own_games.shelf import GAMES
from roundtap_core.rulebooks.own_rules import EVERYBODY
from roundtap_core.words import LANGUAGES


def evening_looked_at(name: str, languages: tuple[str, ...], folder: Path) -> list[str]:
    """What is wrong on any page."""
    rules, faults = GAMES[name], []
    cut = {} if rules.pairing.rounds == EVERYBODY else {"cut": 4}
    with open_house(folder) as house:
        evening = OwnEvening(house, rules, options={"structure": "own", "swiss_rounds": 3, **cut})
        browsers = {language: house.browser(language) for language in languages}
        for browser in browsers.values():
            browser.enter(house.hub)
        for stage in evening.stages():
            for language, browser in browsers.items():
                faults += [f"{stage}, {language}: {fault}" for fault in look(evening, browser, evening.addresses())]
    return faults


@pytest.mark.parametrize("name", GAMES)
def test_no_page_fails_or_shows_what_nobody_can_read(name: str, tmp_path: Path):
    """Each game in one language, in turn."""
    language = LANGUAGES[[*GAMES].index(name) % len(LANGUAGES)]
    assert evening_looked_at(name, (language,), tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_no_page_fails_in_any_language(name: str, tmp_path: Path):
    assert evening_looked_at(name, LANGUAGES, tmp_path) == []
