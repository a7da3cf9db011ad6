"""The head over every record has as many parts as the record: W–L over 3–1, W–D–L over 3–0–1, in each game."""

import re
from pathlib import Path

import pytest
from own_kit import OwnEvening
from pages_kit import House, open_house

from own_games.shelf import GAMES
from roundtap_core.event.commands import FinishEvent

HEAD = r"W(?:–D)?–L"
RECORD = r">\s*(\d+(?:–\d+)+)\s*<"
PRINTED = ("/print/e1/standings", "/print/e1/pairings-table", "/print/e1/pairings-name", "/console/e1/print/emergency")
SHOWN = ("/e/e1/standings", "/console/e1/standings", "/console/e1")


def tables(house: House, path: str) -> list[str]:
    browser = house.browser()
    browser.enter(house.hub)
    return re.findall(r"<table.*?</table>", browser.get(path).text, re.S)


@pytest.mark.parametrize("game", GAMES)
def test_heads_and_records_have_the_same_parts(tmp_path: Path, game: str):
    with open_house(tmp_path) as house:
        evening = OwnEvening(house, GAMES[game], players=5)
        evening.publish()
        evening.play()
        heads = set()
        for paths in (PRINTED, SHOWN):
            if paths is SHOWN:
                evening.tell(FinishEvent("the hall closes"))
            for path in paths:
                for table in tables(house, path):
                    said = re.findall(HEAD, table)
                    records = re.findall(RECORD, table)
                    if said:
                        heads |= set(said)
                        assert records, path
                        assert {each.count("–") for each in records} == {each.count("–") for each in said}, path
        assert len(heads) == 1
