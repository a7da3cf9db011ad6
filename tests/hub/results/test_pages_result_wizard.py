"""A result entered step by step: one question a page, only those that are needed, for every rulebook."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace
from pages_kit import Browser, House, problem_of, text_of
from werkzeug.test import TestResponse

from roundtap_core.event.commands import ChangePerson, EnterResult, RecordReport, SetClock
from roundtap_core.event.states import MatchState
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.store.journal import PersonRecord

AT = "/console/e1/match/1.1/walk"
FOUR = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz"]


def play(house: House, rulebook: str, language: str = "en", **options: object) -> Walker:
    """An event of that rulebook with round 1 on the tables."""
    browser = house.browser(language)
    browser.log_in()
    browser.post(
        "/console",
        name="Winter Open",
        rulebook=rulebook,
        color="#00785A",
        **{"structure": "own", "swiss_rounds": 2, "prize_places": 0, **options},
    )
    for name in FOUR:
        team = RULEBOOKS[rulebook].team_size > 1
        browser.post("/console/e1/competitors", names=f"{name}: {name}, {name} Junior" if team else name)
    house.publish()
    house.time_is_up()
    return Walker(house, browser)


class Walker:
    """Presses what a page offers, with the fields it carries, as a browser without scripts would."""

    def __init__(self, house: House, browser: Browser) -> None:
        self.house, self.browser = house, browser
        self.page: TestResponse = browser.get(AT)

    def press(self, **fields: object) -> Walker:
        found = re.search(r'<form method="get".*?</form>', self.page.text, flags=re.S)
        assert found, "nothing to press"
        for name in fields:
            assert f'name="{name}"' in found[0], f"{name} is not asked; {text_of(self.page)}"
        sent = {**hidden(found[0]), **fields}
        self.page = self.browser.client.get(AT, query_string=sent, headers=self.browser.headers)
        return self

    def both(self, key: str, winner: object, loser: object) -> Walker:
        return self.press(**{f"q.{key}.winner": winner, f"q.{key}.loser": loser})

    def post(self, action: str, **typed: str) -> TestResponse:
        form = next(
            f
            for f in re.findall(r'<form method="post".*?</form>', self.page.text, flags=re.S)
            if f'action="{action}"' in f
        )
        return self.browser.client.post(action, data={**hidden(form), **typed}, headers=self.browser.headers)

    def enter(self) -> Result:
        answer = self.post(AT)
        assert answer.status_code == 303, problem_of(answer)
        return self.result

    def back(self) -> Walker:
        found = re.search(r'<a class="button" href="([^"]+)"', self.page.text)
        assert found
        self.page = self.browser.get(html.unescape(found[1]))
        return self

    @property
    def text(self) -> str:
        return text_of(self.page)

    @property
    def match(self) -> MatchState:
        found = self.house.event.find_match("1.1")
        return found[1]

    @property
    def result(self) -> Result:
        assert self.match.match.result is not None
        return self.match.match.result


def hidden(form: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form):
        fields.setdefault(name, []).append(html.unescape(value))
    return fields


def test_what_a_player_said_in_time_needs_no_reason_of_an_official(house: House):
    """The clock was set back since: the report stands, and whoever types the same is not asked why."""
    walker = play(house, "xwing-standard")
    said = result_to_json(Result(ended="time", score=SidePair(60, 24)))
    house.service.execute_one("e1", RecordReport("r1", "1.1", "a", 0, said, "body", serial=1), "unit")
    assert walker.match.reports
    house.service.execute_one("e1", SetClock("set", 300_000), "test")
    walker.page = walker.browser.get(AT)
    assert problem_of(walker.press(way="time").both("score", 60, 24).page) == ""
    assert walker.enter().score == SidePair(60, 24)


def test_keyforge_at_time_walks_its_five_steps_as_far_as_they_are_needed(house: House):
    """Keys 1/2, æmber 9/3: after forging 2/2 and 3/3, potential 8 against 7: the first named wins."""
    walker = play(house, "keyforge-archon")
    walker.press(way="time").press(**{"q.active": "a"}).press(**{"q.turns": ""})
    walker.both("keys", 1, 2).both("aember", 9, 3)
    assert "1:2 → 2:2" in walker.text
    assert "9:3 → 3:3" in walker.text
    seats = house.event.find_match("1.1")[1].match
    one, two = (house.service.snapshot.people["e1"][who].name for who in (seats.a, seats.b))
    assert f"{one}: House chosen" in walker.text
    walker.press(**{"q.house.winner": "Brobnar"})
    assert f"{two}: House chosen" in walker.text
    walker.press(**{"q.house.loser": "Mars"})
    assert f"House chosen, {one} Brobnar" in walker.text
    walker.both("creatures", 6, 4).both("bonus", 2, 3)
    assert walker.house.event.find_match("1.1")[1].match.result is None
    result = walker.enter()
    assert "potential æmber 8:7" in walker.text.replace("potential Æmber", "potential æmber")
    assert (result.ended, result.winner) == ("time", "a")
    assert result.timeout == {
        "keys": {"a": 1, "b": 2},
        "aember": {"a": 9, "b": 3},
        "creatures": {"a": 6, "b": 4},
        "bonus": {"a": 2, "b": 3},
        "active": "a",
        "house": {"a": "Brobnar", "b": "Mars"},
        "decided_by": "potential",
    }
    assert f"House chosen, {two} Mars" in text_of(walker.browser.get(AT.removesuffix("/walk")))


def test_keyforge_offers_the_three_houses_of_a_deck_that_is_known(house: House):
    walker = play(house, "keyforge-archon")
    a = house.event.find_match("1.1")[1].match.a
    person = house.service.snapshot.people["e1"][a]
    known = replace(person, houses=("Dis", "Logos", "Star Alliance"))
    house.service.execute_one(
        "e1", ChangePerson(a, known.digest("salt")), "test", [PersonRecord("e1", a, "salt", known)]
    )
    walker.press(way="time").press(**{"q.active": "a"}).press(**{"q.turns": ""})
    walker.both("keys", 1, 1).both("aember", 2, 2)
    assert "Star Alliance" in walker.text
    assert "Brobnar" not in walker.text
    walker.press(**{"q.house.winner": "Logos"})
    assert "Brobnar" in walker.text


def test_keyforge_where_nobody_knows_who_began_draws_a_lot_and_records_it_as_one(house: House):
    walker = play(house, "keyforge-archon")
    walker.press(way="time").press(**{"q.active": "a"}).press(**{"q.turns": ""})
    walker.both("keys", 1, 1).both("aember", 2, 2)
    walker.press(**{"q.house.winner": "Dis"}).press(**{"q.house.loser": "Dis"})
    walker.both("creatures", 1, 1).both("bonus", 0, 0)
    assert "unknown: draw at random" in walker.text
    walker.press(**{"q.first_player": "lot"})
    assert "Draw at random" in walker.text
    # Nobody chooses: an answer that a request brings along is none.
    walker.page = walker.browser.get(f"{AT}?{urlencode({**hidden(walker.page.text), 'q.first_player_lot': 'b'}, True)}")
    assert "Draw at random" in walker.text
    asked = walker.page
    drawn = walker.post(f"{AT}/lot")
    side = walker.match.lots["first_player_lot"]
    walker.page = walker.browser.get(drawn.headers["Location"])
    assert "Random draw: who wins?" in walker.text
    result = walker.enter()
    assert (result.winner, result.first_player, result.timeout["first_player_by"]) == (side, side, "lot")
    # Drawn again, from a page that stood open meanwhile: the first one stands.
    walker.page = asked
    for _ in range(8):
        walker.post(f"{AT}/lot")
    assert walker.match.lots["first_player_lot"] == side


def test_keyforge_asks_no_further_than_the_keys_when_they_decide(house: House):
    walker = play(house, "keyforge-archon")
    walker.press(way="time").press(**{"q.active": "b"}).press(**{"q.turns": ""})
    walker.both("keys", 2, 1).both("aember", 3, 3)
    result = walker.enter()
    assert (result.winner, result.timeout["decided_by"]) == ("a", "keys")


def test_keyforge_a_victory_in_the_last_turns_ends_it(house: House):
    walker = play(house, "keyforge-archon")
    walker.press(way="time").press(**{"q.active": "b"}).press(**{"q.turns": "b"})
    result = walker.enter()
    assert (result.winner, result.timeout["decided_by"]) == ("b", "last_turns")


def test_keyforge_a_win_is_two_presses(house: House):
    walker = play(house, "keyforge-archon")
    result = walker.press(way="played").press(opener="b").enter()
    assert (result.ended, result.score) == ("played", SidePair(0, 1))


def test_best_of_three_at_time_whoever_is_ahead_has_won(house: House):
    walker = play(house, "keyforge-archon", **{"best_of.swiss": 3})
    result = walker.press(way="time").both("score", 0, 1).enter()
    assert (result.score, result.winner) == (SidePair(0, 1), "b")


def test_best_of_three_level_before_the_last_game_is_a_lot_that_the_hub_draws(
    house: House, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("secrets.choice", lambda sides: sides[1])
    walker = play(house, "keyforge-archon", **{"best_of.swiss": 3})
    walker.press(way="time").both("score", 1, 1).press(**{"q.game_begun": "no"})
    drawn = walker.post(f"{AT}/lot")
    assert drawn.status_code == 303
    walker.page = walker.browser.get(drawn.headers["Location"])
    result = walker.enter()
    assert (result.winner, result.timeout["lot"], result.timeout["decided_by"]) == ("b", "b", "lot")
    assert result.score == SidePair(1, 2)


def test_lots_are_drawn_for_nothing_but_lots(house: House):
    walker = play(house, "keyforge-archon")
    walker.press(way="time")
    assert "Draw at random" not in walker.text
    form = hidden(walker.page.text)
    answer = walker.browser.client.post(
        f"{AT}/lot", data={**form, "csrf": walker.browser.token}, headers=walker.browser.headers
    )
    assert "q.active" not in answer.headers["Location"]


def test_warlords_four_turns_then_the_lives_and_a_draw(house: House):
    walker = play(house, "warlords-of-terra")
    walker.press(way="time").press(**{"q.active": "b"})
    turns = re.search(r'<ol class="turn-order">(.*?)</ol>', walker.page.text, flags=re.S)
    assert turns
    found = house.event.find_match("1.1")
    people = {who: person.name for who, person in house.service.snapshot.people["e1"].items()}
    b, a = people[found[1].match.b], people[found[1].match.a]
    assert re.findall(r"<li>(.*?)</li>", turns[1]) == [b, a, b, a]
    walker.press(**{"q.turns": ""}).both("score", 12, 3)
    assert "Draw" in walker.text
    assert f"SCORE {a} 1 9 {b} 1 -9" in walker.text
    result = walker.enter()
    assert (result.ended, result.winner, result.score) == ("time", "draw", SidePair(12, 3))


def test_warlords_without_life_nobody_has_drawn(house: House):
    """A 7.1: 12 to -3 is no draw at time; the walk says so before anything is entered."""
    walker = play(house, "warlords-of-terra")
    walker.press(way="time").press(**{"q.active": "b"}).press(**{"q.turns": ""}).both("score", 12, -3)
    assert walker.page.status_code == 400
    assert "has no life left and has lost" in problem_of(walker.page)
    assert house.event.find_match("1.1")[1].match.result is None


def test_warlords_who_loses_with_life_left_says_why(house: House):
    walker = play(house, "warlords-of-terra")
    walker.press(way="cards_out").press(opener="b").press(**{"q.reason": "foreign_card"}).both("score", 4, 19)
    result = walker.enter()
    assert (result.winner, result.score, result.timeout) == ("b", SidePair(19, 4), {"reason": "foreign_card"})


def test_warlords_real_lives_below_zero_and_above_twenty_are_taken(house: House):
    walker = play(house, "warlords-of-terra")
    result = walker.press(way="played").press(opener="a").press(**{"q.score.winner": 42}).enter()
    assert (result.winner, result.score) == ("a", SidePair(42, 0))


def test_shatterpoint_objectives_win_the_struggle_in_progress_then_struggles_decide(house: House):
    walker = play(house, "shatterpoint-premier", structure="basic")
    walker.press(way="time")
    walker.press(**{"q.picks.winner": ["1", "3"], "q.picks.loser": ["2", "4"]})
    walker.both("score", 1, 0)
    # Nothing is chosen beforehand: whose the struggle of this turn is has to be said.
    assert " checked" not in walker.page.text
    walker.both("struggle", 0, 0).both("objectives", 2, 3)
    assert re.search(r"1:0 → 1:1 \(?objectives", walker.text)
    walker.both("wounds", 5, 4)
    result = walker.enter()
    assert (result.score, result.wounds, result.picks) == (SidePair(1, 1), SidePair(5, 4), {"a": [1, 3], "b": [2, 4]})
    assert result.timeout["decided_by"] == "wounds"


def test_shatterpoint_who_won_the_struggle_of_this_turn_is_asked_first_and_no_objectives_then(house: House):
    walker = play(house, "shatterpoint-premier", structure="basic")
    walker.press(way="time")
    walker.press(**{"q.picks.winner": ["1", "3"], "q.picks.loser": ["2", "4"]})
    walker.both("score", 1, 1).both("struggle", 0, 1)
    assert "Wounds inflicted" in walker.text
    result = walker.both("wounds", 5, 4).enter()
    assert (result.score, house.event.rulebook.winner(result, {})) == (SidePair(1, 2), "b")
    assert "objectives" not in result.timeout


def test_shatterpoint_before_time_only_two_struggles_win(house: House):
    walker = play(house, "shatterpoint-premier", structure="basic")
    walker.press(way="played")
    walker.press(**{"q.picks.winner": ["1", "3"], "q.picks.loser": ["2", "4"]})
    walker.both("score", 1, 0).both("wounds", 5, 4)
    assert "a winner needs 2" in problem_of(walker.page)


def test_shatterpoint_squads_of_both_are_wanted(house: House):
    walker = play(house, "shatterpoint-premier", structure="basic")
    walker.press(way="played").press(**{"q.picks.winner": ["1", "3"]})
    assert walker.page.status_code == 400 or "Squads" in walker.text
    # One short line without squads is no whole result either.
    typed = walker.browser.get("/console/e1/match/1.1/walk?text=2 0 0 0")
    assert "squads of this side are missing" in problem_of(typed)
    assert house.event.find_match("1.1")[1].match.result is None


def test_shatterpoint_a_concession_names_who_conceded(house: House):
    walker = play(house, "shatterpoint-premier", structure="basic")
    walker.press(way="conceded").press(opener="b")
    walker.press(**{"q.picks.winner": ["1", "2"], "q.picks.loser": ["1", "4"]})
    result = walker.both("score", 0, 1).both("wounds", 2, 2).enter()
    assert (result.ended, result.conceded_by) == ("concession", "a")


def test_epic_counts_both_at_time_and_says_what_it_is_worth(house: House):
    """153:124 at time: margin of victory 329 / 271."""
    walker = play(house, "xwing-epic-duel")
    walker.press(way="time").both("score", 153, 124)
    assert re.search(r"5 329 .* 0 271", walker.text)
    assert walker.enter().score == SidePair(153, 124)


def test_epic_whoever_destroyed_everything_wins_whatever_the_points(house: House):
    walker = play(house, "xwing-epic-duel")
    walker.press(way="wiped_out").press(opener="b").press(**{"q.score.winner": 200, "q.score.loser": 250})
    result = walker.enter()
    assert (result.ended, result.winner, result.score) == ("played", "b", SidePair(250, 200))


def test_xwing_level_points_ask_for_the_final_salvo(house: House):
    walker = play(house, "xwing-standard")
    result = walker.press(way="time").both("score", 50, 50).press(**{"q.winner": "b"}).enter()
    assert (result.score, result.winner) == (SidePair(50, 50), "b")


def test_back_returns_to_the_question_before_with_its_answer_in_it(house: House):
    walker = play(house, "keyforge-archon")
    walker.press(way="time").press(**{"q.active": "a"}).press(**{"q.turns": ""}).both("keys", 1, 2).back()
    assert re.search(r'name="q.keys.winner" value="1" required checked', walker.page.text)
    walker.back().back().back()
    assert "How did it end?" in walker.text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "A number is missing"),
        ("many", "“many” is not a whole number"),
        ("101", "101 is out of range"),
    ],
)
def test_a_figure_that_cannot_be_is_asked_again_with_the_reason(house: House, value: str, words: str):
    walker = play(house, "xwing-standard")
    walker.press(way="time").both("score", 40, value)
    assert walker.page.status_code == 400
    assert words in problem_of(walker.page)
    assert 'name="q.score.winner"' in walker.page.text
    assert 'value="40"' in walker.page.text


def test_what_somebody_else_entered_meanwhile_is_not_overwritten(house: House):
    walker = play(house, "xwing-standard")
    walker.press(way="time").both("score", 40, 50)
    house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 3))), "another")
    answer = walker.post(AT)
    assert answer.status_code in (400, 409)
    assert "has changed" in problem_of(answer)
    assert walker.result.score == SidePair(100, 3)
    walker.page = answer
    assert walker.enter().score == SidePair(40, 50)


def test_a_figure_mistyped_on_the_way_hides_nothing_that_was_entered_meanwhile(house: House):
    walker = play(house, "xwing-standard")
    walker.press(way="time")
    house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 3))), "another")
    walker.both("score", 40, "")
    assert "A number is missing" in problem_of(walker.page)
    answer = walker.both("score", 40, 50).post(AT)
    assert answer.status_code in (400, 409)
    assert "has changed" in problem_of(answer)
    assert walker.result.score == SidePair(100, 3)


def test_a_correction_begins_with_what_stands(house: House):
    walker = play(house, "keyforge-archon")
    walker.press(way="time").press(**{"q.active": "b"}).press(**{"q.turns": ""}).both("keys", 2, 1)
    walker.both("aember", 3, 3).enter()
    walker.page = walker.browser.get(AT)
    assert re.search(r'value="time" class="[^"]*was', walker.page.text)
    walker.press(way="time").press(**{"q.active": "b"}).press(**{"q.turns": ""})
    assert re.search(r'name="q.keys.winner" value="2" required checked', walker.page.text)


def test_the_way_of_the_clock_comes_first(house: House):
    walker = play(house, "xwing-epic-duel")
    house.service.execute_one("e1", SetClock("set", 60_000), "test")
    walker.page = walker.browser.get(AT)
    first = re.search(r'name="way" value="([^"]+)"', walker.page.text)
    assert first
    assert first[1] != "time"
    house.time.ms += 60_000
    walker.page = walker.browser.get(AT)
    first = re.search(r'name="way" value="([^"]+)"', walker.page.text)
    assert first
    assert first[1] == "time"


def test_an_official_ends_a_match_by_time_before_it_is_up_with_a_reason_that_is_kept(house: House):
    walker = play(house, "xwing-epic-duel")
    house.service.execute_one("e1", SetClock("set", 60_000), "test")
    walker.page = walker.browser.get(AT)
    walker.press(way="time").both("score", 60, 55)
    assert "Time is not up at this table. To enter this result anyway, give a reason" in text_of(walker.page)
    assert problem_of(walker.page) == "", "on a page just opened nothing is wrong"
    without = walker.post(AT)
    assert without.status_code == 409
    assert "give a reason" in problem_of(without)
    walker.page = without
    assert walker.post(AT, reason="fire alarm").status_code == 303
    found = house.event.find_match("1.1")
    assert found[1].match.result == Result(ended="time", score=SidePair(60, 55))
    assert "fire alarm" in text_of(walker.browser.get("/console/e1/match/1.1"))


def test_an_address_made_up_begins_anew(house: House):
    walker = play(house, "xwing-standard")
    assert "How did it end?" in text_of(walker.browser.get(f"{AT}?way=nothing&q.score.winner=7"))
    strange = walker.browser.get(f"{AT}?way=time&q.score.winner=999&q.score.loser=x")
    assert strange.status_code == 400
    assert walker.browser.get("/console/e1/match/9.9/walk").status_code == 404


@pytest.mark.parametrize("language", ["es", "de", "pl"])
@pytest.mark.parametrize(
    "rulebook",
    [
        "keyforge-archon",
        "keyforge-sealed",
        "warlords-of-terra",
        "shatterpoint-premier",
        "xwing-epic-duel",
        "xwing-epic-team",
        "xwing-standard",
    ],
)
def test_every_way_of_every_rulebook_has_its_words(house: House, rulebook: str, language: str):
    walker = play(house, rulebook, language, **({"structure": "basic"} if rulebook[0] == "s" else {}))
    for way in re.findall(r'name="way" value="([^"]+)"', walker.page.text):
        page = walker.browser.get(f"{AT}?way={way}")
        assert page.status_code == 200
        assert "form." not in text_of(page)


def test_nothing_is_picked_before_somebody_picks_it(house: House):
    """One to three games, struggles, keys: their buttons stand open, and going on without one asks again."""
    walker = play(house, "shatterpoint-premier")
    walker.press(way="played").press(**{"q.picks.winner": [1, 2], "q.picks.loser": [3, 4]})
    assert "Struggles won" in walker.text
    assert " checked" not in walker.page.text
    walker.press()
    assert "A number is missing" in problem_of(walker.page)


def test_squads_left_out_are_asked_for_with_the_reason(house: House):
    walker = play(house, "shatterpoint-premier")
    walker.press(way="played").press(**{"q.picks.winner": [1, 2]})
    assert "Choose exactly 2" in problem_of(walker.page)
    assert walker.page.text.count('type="checkbox"') == 8


def test_epic_an_elimination_game_that_is_level_says_who_goes_on(house: House):
    walker = play(house, "xwing-epic-duel", swiss_rounds=0)
    walker.press(way="time").both("score", 120, 120).press(**{"q.initiative": "b"})
    found = house.event.find_match("1.1")
    assert found
    name = house.service.snapshot.people["e1"][found[1].match.b].name
    assert f"Draw. {name} had initiative and advances" in walker.text
