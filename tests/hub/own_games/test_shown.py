"""How a store's own game is told: its sides, points in halves, percentages, both figures, and what to do at time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from own_kit import OwnEvening
from pages_kit import House, open_house, text_of

from own_games.shelf import GAMES, rules_of
from roundtap_core.errors import Problem
from roundtap_core.event.commands import FinishEvent
from roundtap_core.records import Result, SidePair
from roundtap_hub.store.journal import Head

CHESS = """
format = "roundtap-rules/1"
name = "Chess evening"
note = "Finish the move, then stop the clocks. White is listed first."
[match]
report = "winner"
draws = "any_time"
[sides]
names = [{ en = "White", de = "Weiß" }, { en = "Black", de = "Schwarz" }]
[time]
swiss = 35
[points]
unit = "half"
win = 2
draw = 1
[[tiebreakers]]
by = "opponents_points"
[[tiebreakers]]
by = "sonneborn_berger"
[[tiebreakers]]
by = "opponents_match_win"
"""

TWO_FIGURES = """
format = "roundtap-rules/1"
name = "Two figures"
[match]
report = "points"
[[match.figure]]
key = "score"
label = { en = "Objectives" }
maximum = 20
[[match.figure]]
key = "second"
label = { en = "Ships left on the table" }
maximum = 400
[points]
win = 3
draw = 1
"""


@contextmanager
def evening(folder: Path, text: str, results: list[Result]) -> Iterator[tuple[House, OwnEvening]]:
    """Four players, round 1 played with these results; the clock runs."""
    with open_house(folder) as house:
        made = OwnEvening(house, rules_of(text), players=4, options={"structure": "own", "swiss_rounds": 2})
        made.publish()
        for match, result in zip(made.open_matches(), results, strict=False):
            made.enter(match, result)
        yield house, made


def read(house: House, path: str, language: str = "en") -> str:
    browser = house.browser(language)
    browser.enter(house.hub)
    return text_of(browser.get(path))


WON, DRAWN = Result(winner="a"), Result(winner="draw")


def test_points_counted_in_halves_are_shown_so_and_kept_whole(tmp_path: Path):
    with evening(tmp_path, CHESS, [WON, DRAWN]) as (house, _):
        for path in ("/e/e1/standings", "/wall/e1?show=standings", "/print/e1/standings"):
            page = read(house, path)
            assert "½" in page, path
            assert " 2 1–0" not in page, path
        assert "A win gives 1, a draw ½, a loss 0." in read(house, "/console/e1/print/emergency")
        csv = house.browser()
        csv.enter(house.hub)
        [first, *_] = csv.get("/console/e1/standings.csv").text.splitlines()[1:]
        assert ",2,1,1,0,0," in first, first


def test_rates_are_percentages(tmp_path: Path):
    with evening(tmp_path, CHESS, [WON, DRAWN]) as (house, _):
        assert "50.0%" in read(house, "/e/e1/standings")


def test_a_game_without_figures_shows_who_won(tmp_path: Path):
    with evening(tmp_path, CHESS, [WON, DRAWN]) as (house, made):
        page = read(house, "/e/e1/pairings")
        assert "0 : 0" not in page
        assert "Played" not in page
        assert "draw" in page
        winner = made.event.live.matches[0].match.a
        assert "You won" in read(house, house.hub.access.links.path("e1", winner))


@pytest.mark.parametrize(
    "path",
    [
        *("/e/e1/pairings", "/wall/e1?show=pairings", "/print/e1/pairings-table", "/print/e1/pairings-name"),
        *("/console/e1", "/console/e1/match/1.1", "/console/e1/match/1.1/walk", "/console/e1/print/slips?all=1"),
        *("/console/e1/entry?table=1", "/console/e1/print/emergency"),
    ],
)
def test_named_sides_stand_with_every_pairing(path: str, tmp_path: Path):
    with evening(tmp_path, CHESS, []) as (house, made):
        assert "Weiß" in read(house, path, "de")
        assert "Schwarz" in read(house, path, "de")
        assert "Weiß" not in read(house, "/e/e1/standings", "de")
        who = made.event.live.matches[0].match.a
        assert "Weiß" in read(house, house.hub.access.links.path("e1", who), "de")
        assert "Weiß" in read(house, f"/e/e1/p/{who}", "de")


def test_the_second_figure_stands_with_its_label(tmp_path: Path):
    result = Result(score=SidePair(7, 3), second=SidePair(120, 95))
    with evening(tmp_path, TWO_FIGURES, [result]) as (house, made):
        who = made.event.live.matches[0].match.a
        for path in ("/console/e1/match/1.1", house.hub.access.links.path("e1", who), "/e/e1/pairings"):
            assert "Ships left on the table 120:95" in read(house, path), path


def test_the_first_sentence_of_the_note_is_what_to_do_at_time(tmp_path: Path):
    with evening(tmp_path, CHESS, []) as (house, _):
        house.time_is_up()
        assert "Finish the move, then stop the clocks." in read(house, "/wall/e1")
        assert "White is listed first" not in read(house, "/wall/e1")


def test_events_at_rest_are_listed_by_the_name_of_their_game(tmp_path: Path):
    with evening(tmp_path, CHESS, [WON, WON]) as (_, made):
        made.tell(FinishEvent("a test"))
    with open_house(tmp_path) as again:
        browser = again.browser()
        browser.enter(again.hub)
        for path in ("/", "/console", "/console/archived"):
            page = browser.get(path)
            assert page.status_code in (200, 302, 303), path
        assert "Chess evening" in text_of(browser.get("/console"))
        snapshot = again.service.snapshot
        kept = snapshot.dormant.get("e1") or snapshot.events["e1"]
        rough = again.service.journal.rough_summary("e1", Head(kept.number, kept.head))
        assert rough.rulebook.title == kept.rulebook.title == "Chess evening"


def test_the_emergency_sheet_says_what_a_difference_is_worth_and_who_meets_whom(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with open_house(tmp_path / "one") as house:
        OwnEvening(house, GAMES["wargame-20-0"], players=4).publish()
        sheet = read(house, "/console/e1/print/emergency")
        assert "Win: 0" not in sheet
        assert "0–5: 10:10; 6–10: 11:9;" in sheet
        assert "51+: 20:0." in sheet
    with open_house(tmp_path / "two") as house:
        OwnEvening(house, GAMES["everybody-flicks"], players=4).publish()
        assert "All players meet each other once." in read(house, "/console/e1/print/emergency")


def test_every_example_can_be_read():
    assert len(GAMES) == 20


def test_paper_heads_the_record_of_wins_draws_and_losses(tmp_path: Path):
    with evening(tmp_path, CHESS, [WON, DRAWN]) as (house, _):
        for path in ("/print/e1/standings", "/print/e1/pairings-table", "/print/e1/pairings-name"):
            assert "W–D–L" in read(house, path), path
        assert "W–D–L" in read(house, "/console/e1/print/emergency")


def test_a_slip_says_what_may_be_written(tmp_path: Path):
    with evening(tmp_path, TWO_FIGURES, []) as (house, _):
        slips = read(house, "/console/e1/print/slips?all=1").replace("\u2060", "")
        assert "● Objectives (0–20)" in slips
        assert "■ Ships left on the table (0–400)" in slips


def test_the_judge_s_page_over_the_hall_names_the_figures_of_each_game(tmp_path: Path):
    with evening(tmp_path, TWO_FIGURES, []) as (house, made):
        [match, *_] = made.open_matches()
        made.report(match, "a", Result(score=SidePair(7, 3), second=SidePair(120, 95)))
        made.report(match, "b", Result(score=SidePair(3, 7), second=SidePair(120, 95)))
        page = read(house, "/console/judge")
        assert "Ships left on the table 120:95" in page
        assert "Second number" not in page


def test_a_round_robin_is_nowhere_called_swiss(tmp_path: Path):
    with open_house(tmp_path) as house:
        OwnEvening(house, GAMES["everybody-flicks"], players=4, options={}).publish()
        rules = read(house, "/rules/e1")
        assert "3 rounds, all play each other" in rules
        assert "round robin one game" in rules
        for path in ("/rules/e1", "/console/e1/print/emergency", "/e/e1/standings", "/console/e1"):
            assert "Swiss" not in read(house, path), path


def test_rounds_and_minutes_are_the_event_s_on_its_own_rules_page(tmp_path: Path):
    with open_house(tmp_path) as house:
        OwnEvening(house, GAMES["magic-like"], players=4).publish()
        rules = read(house, "/rules/e1")
        assert "3 Swiss rounds, no cut" in rules
        assert "9–16 players" not in rules


def test_a_long_heading_may_wrap_on_the_wall(tmp_path: Path):
    text = TWO_FIGURES + '[[tiebreakers]]\nby = "opponents_own"\nof = "second"\n'
    with evening(tmp_path, text, [Result(score=SidePair(7, 3), second=SidePair(1, 2))] * 2) as (house, _):
        browser = house.browser()
        browser.enter(house.hub)
        assert 'class="n tie long">' in browser.get("/wall/e1?show=standings").text


def test_a_later_round_of_a_round_robin_is_not_drawn_again(tmp_path: Path):
    with open_house(tmp_path) as house:
        made = OwnEvening(house, GAMES["everybody-flicks"], players=5, options={})
        made.draw()
        assert "Draw again" in read(house, "/console/e1")
        made.draw()
        made.publish_draft()
        made.play()
        made.draw()
        assert "Draw again" not in read(house, "/console/e1")
        with pytest.raises(Problem) as refused:
            made.draw()
        assert refused.value.say() == (
            "Round 1 fixes who meets whom, so drawing again changes nothing. Publish this round, or pair it by hand."
        )


def test_house_decisions_are_those_that_hold_for_the_game(tmp_path: Path):
    for name, told, untold in (
        ("legion", "In the opponents' strength of schedule, a bye", "no such sentence"),
        ("everybody-flicks", "Nobody gets a second bye", "Elimination results add no tournament points"),
    ):
        (tmp_path / name).mkdir()
        with open_house(tmp_path / name) as house:
            OwnEvening(house, GAMES[name], players=4, options={})
            rules = read(house, "/rules/e1")
            assert told in rules
            assert untold not in rules
