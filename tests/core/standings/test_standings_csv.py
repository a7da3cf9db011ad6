"""The standings for spreadsheets: one table everywhere, no cell that becomes something else when it is opened."""

import csv
import io
from typing import Any

import pytest
from msgspec.structs import replace

from bracket_kit import better_wins, played, ranked
from own_games.own_evenings import played_evening
from own_games.shelf import GAMES
from roundtap_core.eventfile.exports import plain_text, standings_csv
from roundtap_core.records import Competitor, Match, Tournament

HARMFUL = [
    "=HYPERLINK(1)",
    "+1",
    "-2 Eich",
    "@SUM(A1)",
    "1-2",
    "3/4",
    "12.5.2026",
    "2026-11-21",
    "4711",
    "0042",
    "1e5",
    "Mar 5",
    "MARCH1",
    "dez. 24",
    "sty-3",
    "TRUE",
    "wahr",
    " =1",
    "\uff1d1+1",
    "−1",
    "'quoted",
    "|calc",
    "7",
]


def rows(event: Tournament, after: int | None = None) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(standings_csv(event, after))))


def last_wins(match: Match) -> str:
    """The one of the worse Swiss rank."""
    return max((match.a, match.b or match.a), key=lambda who: int(who[1:]))


def test_the_columns() -> None:
    first = rows(ranked(8))[0]
    assert first == {
        "place": "1",
        "rank": "1",
        "competitor": "p1",
        "name": "Player 1",
        "full_name": "Player 1",
        "status": "",
        "points": "1",
        "rounds": "1",
        "wins": "1",
        "losses": "0",
        "draws": "0",
        "byes": "0",
        "mov": "107",
        "sos_num": "0",
        "sos_den": "1",
        "decided_by": "mov",
        "by_chance": "no",
    }


def test_after_a_cut_everybody_stands_where_they_ended() -> None:
    event = ranked(8, cut=4)
    event = played(played(event, last_wins), last_wins)
    ended = rows(event)
    assert [(row["place"], row["rank"], row["competitor"]) for row in ended] == [
        ("1", "4", "p4"),
        ("2", "3", "p3"),
        ("3", "1", "p1"),
        ("4", "2", "p2"),
        ("5", "5", "p5"),
        ("6", "6", "p6"),
        ("7", "7", "p7"),
        ("8", "8", "p8"),
    ]
    # As it stood before the cut: no places but the ranks.
    assert [row["competitor"] for row in rows(event, 0)] != [row["competitor"] for row in ended]
    assert {row["place"] == row["rank"] for row in rows(event, 0)} == {True}


def test_the_winner_of_the_better_seed_changes_nothing() -> None:
    event = played(played(ranked(8, cut=4), better_wins), better_wins)
    assert [row["place"] for row in rows(event)] == [row["rank"] for row in rows(event)]


@pytest.mark.parametrize("text", HARMFUL)
def test_text_that_a_spreadsheet_would_make_something_else_of(text: str) -> None:
    assert plain_text(text) == f"'{text}"


@pytest.mark.parametrize(
    "text",
    [
        "Ana Ruiz",
        "Team 3",
        "p12",
        "O’Neill",
        "Marek 2",
        "April",
        "Maya Lin",
        "Łukasz Żak",
        "Ana-1",
    ],
)
def test_text_that_stays_as_it_is(text: str) -> None:
    # "Marek 2" begins like the month of March: an apostrophe too many does no harm, one too few does.
    assert plain_text(text).removeprefix("'") == text
    assert plain_text(text) == text or text == "Marek 2"


def test_a_semicolon_opens_no_second_cell() -> None:
    assert plain_text("Ana;=1+1") == "Ana;'=1+1"


def test_every_cell_is_a_whole_number_a_plain_word_or_marked() -> None:
    names: dict[str, Any] = {f"p{n}": name for n, name in enumerate(HARMFUL[:8], start=1)}
    event = ranked(8, full_names=True)
    event = replace(event, competitors=tuple(Competitor(c.id, names[c.id]) for c in event.competitors))
    for row in rows(event):
        assert row["name"].startswith("'")
        for key, cell in row.items():
            assert cell == "" or cell.isdecimal() or cell[0] in "'" or cell[0].isalpha(), (key, cell)


@pytest.mark.parametrize("name", GAMES)
def test_no_two_columns_of_a_store_s_own_game_have_one_heading(name: str) -> None:
    headings = standings_csv(played_evening(GAMES[name], 6, 3, seed=4)).splitlines()[0].split(",")
    assert len(set(headings)) == len(headings)
