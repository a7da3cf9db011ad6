"""Results by hand, without scripts: the table's number, a short line, what it means, and only then it counts."""

import re

import pytest
from pages_kit import PEOPLE, Browser, House, problem_of, text_of

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult
from roundtap_core.event.states import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.forms.form import compose_result
from roundtap_core.records import SWISS, Match, Result, SidePair
from roundtap_core.rulebooks.base import SWISS_ROUND
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.rulebooks.result_gate import OFFICIAL, ResultSource
from roundtap_core.rulebooks.result_words import winner_of
from roundtap_hub.live.result_wizard import MatchEntry
from roundtap_hub.results.slip_desk import read_line

ENTRY = "/console/e1/entry"


def fields_of(page: str) -> dict[str, str]:
    """The hidden fields of the form that confirms the line."""
    form = re.search(r"<form [^>]*data-confirm>.*?</form>", page, re.S)
    assert form, text_of(page)
    return dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[0]))


def confirm(browser: Browser, page: str, **changes: str):
    fields = fields_of(page) | changes
    fields.pop("csrf")
    address = re.search(r'action="([^"]+)" data-confirm', page)
    assert address
    return browser.post(address[1], **fields)


def result_of(house: House, match_id: str) -> Result | None:
    found = house.event.find_match(match_id)
    return found[1].match.result


def read(rulebook: str, line: str, over: bool = False) -> tuple[str, Result]:
    """What a line is at a table of round 1, and by which way; `over`: its time is up."""
    match = MatchState("1.1", Match("p1", "p2", table=1))
    state, played = EventState("e1", rulebook_id=rulebook), RoundState(1, SWISS, PUBLISHED, (match,))
    form, saying = state.rulebook.form(state.options, SWISS_ROUND), ResultSource(OFFICIAL, over)
    found = read_line(line, MatchEntry(state, played, match, SWISS_ROUND, form, {}, {}, saying))
    assert found.way
    return found.way.id, compose_result(found.way, found.opener or "a", found.answers)


@pytest.mark.parametrize(
    ("rulebook", "line", "ended", "score", "winner"),
    [
        # X-Wing: the winner has 100 points; at time both have what they have.
        ("xwing-standard", "a24", "played", (100, 24), "a"),
        ("xwing-standard", "b 24", "played", (24, 100), "b"),
        ("xwing-standard", "100:24", "played", (100, 24), "a"),
        ("xwing-standard", "100-24", "played", (100, 24), "a"),
        ("xwing-standard", "60 24", "time", (60, 24), "a"),
        ("xwing-standard", "6024", "time", (60, 24), "a"),
        ("xwing-standard", "10024", "played", (100, 24), "a"),
        ("xwing-standard", "50 50 b", "time", (50, 50), "b"),
        ("xwing-standard", "ca 24", "concession", (24, 100), "b"),
        # Epic: wiped out gives all points to the winner; in time the figures decide.
        ("xwing-epic-duel", "a95", "played", (300, 95), "a"),
        ("xwing-epic-duel", "210 95", "time", (210, 95), "a"),
        ("xwing-epic-duel", "= 200 210", "played", (200, 210), "draw"),
        ("xwing-epic-team", "b95", "played", (95, 400), "b"),
        # KeyForge: one game, and who won it.
        ("keyforge-archon", "a", "played", (1, 0), "a"),
        ("keyforge-sealed", "cb", "concession", (1, 0), "a"),
        # Warlords: the winner's life; the loser has none left.
        ("warlords-of-terra", "a14", "played", (14, 0), "a"),
        ("warlords-of-terra", "=12 12", "time", (12, 12), "draw"),
    ],
)
def test_a_line_is_what_the_rulebook_makes_of_it(
    rulebook: str, line: str, ended: str, score: tuple[int, int], winner: str
):
    _, result = read(rulebook, line)
    says = winner_of(RULEBOOKS[rulebook], RULEBOOKS[rulebook].options({}), result)
    assert (result.ended, (result.score.a, result.score.b), says) == (ended, score, winner)


@pytest.mark.parametrize("line", ["12 34 2 0 12 7", "1234 20 12 7", "123420 12 7"])
def test_squads_are_digits_before_the_figures(line: str):
    _, result = read("shatterpoint-premier", line)
    assert result.picks == {"a": [1, 2], "b": [3, 4]}
    assert (result.score, result.wounds) == (SidePair(2, 0), SidePair(12, 7))


@pytest.mark.parametrize(
    ("rulebook", "line", "key"),
    [
        ("xwing-standard", "", "line_unclear"),
        ("xwing-standard", "24", "line_unclear"),
        ("xwing-standard", "ca7a0", "line_unclear"),
        ("xwing-standard", "50a50", "line_unclear"),
        ("xwing-standard", "a24b7", "line_unclear"),
        ("xwing-standard", "245", "line_unclear"),
        ("xwing-standard", "a b", "line_unclear"),
        ("xwing-standard", "100:24 gg", "line_unclear"),
        ("xwing-standard", "a", "figure_missing"),
        ("xwing-standard", "50 50", "salvo_winner_missing"),
        ("xwing-standard", "b 60 24", "winner_contradicts_score"),
        ("xwing-standard", "a 101", "figure_out_of_range"),
        ("keyforge-archon", "a1", "line_unclear"),
        ("warlords-of-terra", "a", "figure_missing"),
        ("shatterpoint-premier", "2 0 12 7", "picks_missing"),
    ],
)
@pytest.mark.parametrize("over", [False, True])
def test_what_can_be_read_in_two_ways_or_in_none_is_no_result(rulebook: str, line: str, key: str, over: bool):
    with pytest.raises(Problem) as told:
        read(rulebook, line, over)
    assert told.value.key == key


@pytest.mark.parametrize("over", [False, True])
def test_a_line_is_read_by_a_way_that_asks_nothing_more(over: bool):
    """Why somebody with life left has lost is no part of a line: of who has none, nobody is asked."""
    assert read("warlords-of-terra", "a20 0", over) == ("played", Result(winner="a", score=SidePair(20, 0)))


def test_nothing_is_invented_at_time(house: House):
    """A winner's 100 points stand on the line although time is up; two digits are never two figures."""
    assert read("xwing-standard", "b 24", over=True)[1].score == SidePair(24, 100)
    assert read("xwing-epic-duel", "a95", over=True)[1].score == SidePair(300, 95)


def test_a_result_takes_a_number_a_line_and_a_confirmation(house: House, browser: Browser):
    match = next(m for m in house.event.live.matches if m.match.table == 2)
    assert PEOPLE[int(match.match.a[1:]) - 1] in text_of(browser.get(f"{ENTRY}?table=2"))
    told = browser.get(f"{ENTRY}?table=2&text=b24")
    assert "Victory points 24:100" in text_of(told)
    assert "MoV 24:176" in text_of(told)
    assert result_of(house, match.id) is None
    answer = confirm(browser, told.text)
    assert answer.status_code == 303
    assert result_of(house, match.id) == Result(score=SidePair(24, 100))
    after = browser.get(answer.headers["Location"])
    assert "Table 2" in text_of(after)
    assert f"saved, entry {house.event.number}" in text_of(after)
    assert "Next open table: 3" in text_of(after)
    assert 'name="table" inputmode="numeric" autocomplete="off" maxlength="5" value="3"' in after.text


def test_a_line_typed_at_the_console_s_foot_is_answered_by_its_part_alone(house: House, browser: Browser):
    """What the page says there, without the frame that is open already."""
    address = f"{ENTRY}?table=2&text=b24"
    part = re.compile(r'<section class="card entry".*?</section>', re.S)
    whole = browser.get(address).text
    alone = browser.client.get(address, headers={**browser.headers, "Roundtap-Part": "1"}).text
    assert part.findall(alone) == part.findall(whole) != []
    assert "<nav" in whole
    assert not {"<html", "<nav", "<script"} & set(re.findall(r"<\w+", alone))
    assert confirm(browser, alone).status_code == 303


def test_a_line_that_excludes_its_winner_is_refused_by_name(house: House, browser: Browser):
    match = next(m for m in house.event.live.matches if m.match.table == 1)
    a, b = (PEOPLE[int(str(who)[1:]) - 1] for who in (match.match.a, match.match.b))
    refused = text_of(browser.get(f"{ENTRY}?table=1&text=b+60+24"))
    assert f"The winner “{b}” contradicts the score 60:24. It gives “{a}”." in refused
    walked = text_of(browser.get(f"/console/e1/match/{match.id}/walk?text=b+60+24"))
    assert f"The winner “{b}” contradicts" in walked


def test_what_was_not_on_the_screen_does_not_count(house: House, browser: Browser):
    told = browser.get(f"{ENTRY}?table=1&text=b24")
    for changes in ({"text": "a24"}, {"mark": ""}, {"text": "b25"}):
        answer = confirm(browser, told.text, **changes)
        assert answer.status_code == 409
        assert "has changed since the preview" in problem_of(answer)
    assert result_of(house, "1.1") is None


def test_two_organizers_at_one_table_overwrite_nothing(house: House, browser: Browser):
    told = browser.get(f"{ENTRY}?table=1&text=b24")
    house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 7))), "another")
    answer = confirm(browser, told.text)
    assert answer.status_code == 409
    assert "has changed" in problem_of(answer)
    assert "100 : 7" in text_of(answer)
    assert "This table has a result" in text_of(answer)
    assert result_of(house, "1.1") == Result(score=SidePair(100, 7))
    assert confirm(browser, answer.text).status_code == 303
    assert result_of(house, "1.1") == Result(score=SidePair(24, 100))


def test_a_wrong_number_is_told_and_another_event_s_table_is_named(house: House, browser: Browser):
    assert "No table 77 in this round. Tables are 1 to 3" in text_of(browser.get(f"{ENTRY}?table=77"))
    browser.post(
        "/console", name="Sunday", color="#882255", rulebook="keyforge-archon", structure="own", swiss_rounds=2
    )
    browser.post("/console/e2/competitors", names="Ida\nJan\nKim\nLea")
    assert "No table x1" in text_of(browser.get(f"{ENTRY}?table=x1"))


def test_a_disputed_table_shows_both_versions(house: House, browser: Browser):
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 24, 100)
    page = text_of(browser.get(f"{ENTRY}?table=1"))
    assert "100 : 24" in page
    assert "24 : 100" in page
    assert page.count("Accept") == 2


def test_an_earlier_round_is_corrected_by_its_tab(house: House, browser: Browser):
    house.play()
    house.publish()
    told = browser.get(f"{ENTRY}?table=1&round=1&text=a24")
    assert "Replace result" in text_of(told)
    told = browser.get(f"{ENTRY}?table=1&round=1&text=a30")
    assert "The round is closed. Give a reason for this correction" in text_of(told)
    assert problem_of(told) == ""
    assert 'name="reason" required' in told.text, "asked where it is needed, not once it was refused"
    refused = confirm(browser, told.text)
    assert problem_of(refused) == "The round is closed. Give a reason for this correction. It stays with the match."
    assert result_of(house, "1.1") == Result(score=SidePair(100, 24))
    assert confirm(browser, refused.text, reason="the slip was misread").status_code == 303
    assert result_of(house, "1.1") == Result(score=SidePair(100, 30))


def test_a_line_that_corrects_says_what_stands_to_choose_for_the_published_round(house: House):
    house.with_event([f"Player {letter}" for letter in "ABCDEFGH"], swiss_rounds=3)
    house.publish()
    house.play()
    house.publish()
    before = [(m.match.a, m.match.b) for m in house.event.live.matches]
    browser = house.organizer()
    told = browser.get(f"{ENTRY}?table=1&round=1&text=b24")
    assert "Round 2 was drawn with the old result." in text_of(told)
    assert "Keep round 2 Re-pair what must change" in text_of(told)
    asked = confirm(browser, told.text, reason="misread", cut="")
    assert problem_of(asked).startswith("Round 2 was drawn with the old result.")
    assert result_of(house, "1.1") == Result(score=SidePair(100, 24))
    assert confirm(browser, asked.text, reason="misread", cut="anew").status_code == 303
    assert result_of(house, "1.1") == Result(score=SidePair(24, 100))
    assert [(m.match.a, m.match.b) for m in house.event.live.matches] != before


def test_a_line_that_ends_a_match_by_time_before_it_is_up_wants_a_reason(house: House, browser: Browser):
    page = browser.get(f"{ENTRY}?table=1&text=60+24")
    refused = confirm(browser, page.text)
    assert refused.status_code == 409
    assert "Time is not up at this table. To enter this result anyway, give a reason" in problem_of(refused)
    assert result_of(house, "1.1") is None
    assert confirm(browser, refused.text, reason="fire alarm").status_code == 303
    assert result_of(house, "1.1") == Result(ended="time", score=SidePair(60, 24))


def test_a_line_over_a_result_is_read_by_how_that_one_ended(house: House, browser: Browser):
    """100:24 may be a game that was played out or one that time ended: the result on record decides, on both pages."""
    house.time_is_up()
    house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 24))), "organizer")
    walked = browser.get("/console/e1/match/1.1/walk?text=100+30")
    assert "way=played" in walked.headers["Location"]
    told = browser.get(f"{ENTRY}?table=1&text=100+30")
    assert confirm(browser, told.text).status_code == 303
    assert result_of(house, "1.1") == Result(score=SidePair(100, 30))


def test_a_line_needs_no_reason_once_time_is_up(house: House, browser: Browser):
    house.time_is_up()
    assert confirm(browser, browser.get(f"{ENTRY}?table=1&text=60+24").text).status_code == 303
