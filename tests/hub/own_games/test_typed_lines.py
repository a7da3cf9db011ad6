"""A result of a store's own game typed as one line: figures of both sides, behind them what else is a number."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from own_kit import OwnEvening
from pages_kit import open_house

from own_games.shelf import GAMES


@pytest.mark.parametrize(
    ("game", "line", "said"),
    [
        ("magic-like", "2 1", {"way": "played", "opener": "a", "q.score.loser": "1", "q.drawn_games": "0"}),
        ("magic-like", "0 2 1", {"way": "played", "opener": "b", "q.score.loser": "0", "q.drawn_games": "1"}),
        ("magic-like", "201", {"way": "played", "opener": "a", "q.drawn_games": "1"}),
        ("magic-like", "ca", {}),
        ("best-of-five-like", "3 2", {"way": "played", "opener": "a", "q.score.loser": "2"}),
        ("chess-club", "b", {"way": "played", "opener": "b"}),
        ("chess-club", "=", {"way": "agreed"}),
        ("mission-points", "12 7", {"way": "played", "opener": "a"}),
        ("everybody-flicks", "7 4 20 15", {"q.score.winner": "7", "q.second.loser": "15"}),
    ],
)
def test_a_line_is_read_by_the_game_s_own_form(game: str, line: str, said: dict[str, str], tmp_path: Path):
    with open_house(tmp_path) as house:
        evening = OwnEvening(house, GAMES[game], players=4)
        evening.publish()
        browser = house.browser()
        browser.enter(house.hub)
        answer = browser.client.get("/console/e1/match/1.1/walk", query_string={"text": line})
        read = parse_qs(urlsplit(answer.headers.get("Location", "")).query)
        if not said:
            assert answer.status_code in (200, 400)
            return
        assert answer.status_code == 303, answer.text
        assert {key: read.get(key, [""])[0] for key in said} == said


def test_numbers_are_asked_for_by_their_names_and_which_each_side_has(tmp_path: Path):
    with open_house(tmp_path) as house:
        OwnEvening(house, GAMES["magic-like"], players=4).publish()
        browser = house.browser()
        browser.enter(house.hub)
        said = "Games won: left side, then right side, then Drawn games"
        assert said in browser.get("/console/e1/match/1.1").text
