"""Results by an official's hand: typed, corrected, accepted, taken back; and reports that come too late."""

import html
import re
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.event.commands import DrawRound, SetClock, SwapSeats
from roundtap_core.event.mending import plan_mend
from roundtap_core.records import SidePair

WALK_END = '<form method="post" action="/console/e1/match/1.1/walk">'


def match(house: House, match_id: str):
    found = house.event.find_match(match_id)
    return found[1]


@pytest.fixture
def browser(browser: Browser, house: House) -> Browser:
    """An organizer's, at a round whose time is up."""
    house.time_is_up()
    return browser


def enter(browser: Browser, revision: int = 0, **fields: object):
    return browser.post("/console/e1/match/1.1/walk", revision=revision, **fields)


def walked(browser: Browser, **fields: object):
    return browser.get(f"/console/e1/match/1.1/walk?{urlencode(fields)}")


def at_time(a: object, b: object) -> dict[str, object]:
    return {"way": "time", "q.score.winner": a, "q.score.loser": b}


def test_a_result_typed_by_hand_stands(house: House, browser: Browser):
    assert enter(browser, **at_time(49, 77)).status_code == 303
    result = match(house, "1.1").match.result
    assert (result.ended, result.score.a, result.score.b) == ("time", 49, 77)
    assert "MoV 72 / 128" in text_of(browser.get("/console/e1/match/1.1"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (at_time(101, 0), "101 is out of range. Enter 0 to 100"),
        (at_time(77, ""), "A number is missing"),
        (at_time("many", 0), "“many” is not a whole number"),
        (at_time(50, 50), "who won the final salvo"),
    ],
)
def test_what_cannot_be_is_said_on_the_same_page_and_what_was_typed_is_kept(
    house: House, browser: Browser, fields: dict[str, object], words: str
):
    shown = walked(browser, asked="score.winner score.loser", revision=0, **fields)
    if "salvo" in words:
        assert "Final salvo" in text_of(shown)
        return
    assert shown.status_code == 400
    assert words in problem_of(shown)
    assert (
        f'name="q.score.winner" type="number" inputmode="numeric" min="0" max="100" value="'
        f'{fields["q.score.winner"]}"' in shown.text
    )
    answer = enter(browser, **fields)
    assert answer.status_code == 400
    assert match(house, "1.1").match.result is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("50 50", "who won the final salvo"),
        ("b 50 40", "contradicts"),
        ("50", "the example beside the field"),
        ("x", "is not a result"),
    ],
)
def test_a_short_line_that_is_no_result_says_why_and_stays_in_its_field(
    house: House, browser: Browser, line: str, words: str
):
    shown = walked(browser, text=line)
    assert words in problem_of(shown), problem_of(shown)
    assert f'name="text" value="{line}"' in shown.text


def test_a_short_line_leads_to_the_last_page_where_it_is_told_and_saved(house: House, browser: Browser):
    answer = walked(browser, text="b 24")
    assert answer.status_code == 303
    shown = browser.get(answer.location)
    assert "Victory points 24:100" in text_of(shown)
    assert match(house, "1.1").match.result is None
    assert enter(browser, way="played", opener="b", **{"q.score.loser": 24}).status_code == 303
    assert match(house, "1.1").match.result.score.b == 100


def test_the_salvo_a_ruling_and_a_concession(house: House, browser: Browser):
    salvo = browser.get(walked(browser, text="b 50 50").location)
    assert "50:50" in text_of(salvo)
    enter(browser, way="time", **{"q.score.winner": 50, "q.score.loser": 50, "q.winner": "b"})
    browser.post("/console/e1/match/1.2/walk", revision=0, way="ruling", **{"q.winner": "none"})
    browser.post("/console/e1/match/1.3/walk", revision=0, way="conceded", opener="b", **{"q.score.loser": 0})
    assert match(house, "1.1").match.result.winner == "b"
    assert match(house, "1.2").match.result.winner == "none"
    assert match(house, "1.3").match.result.conceded_by == "a"
    page = text_of(browser.console())
    assert "both lose" in page
    assert "concession" in page


def test_a_ruling_names_who_won_alone_or_with_the_figures(house: House, browser: Browser):
    assert "Who wins by ruling?" in text_of(walked(browser, way="ruling"))
    assert enter(browser, way="ruling").status_code == 303, "asked again"
    assert match(house, "1.1").match.result is None
    enter(browser, way="ruling_figures", **{"q.winner": "b", "q.score.winner": 70, "q.score.loser": 30})
    ruled = match(house, "1.1").match.result
    assert (ruled.ended, ruled.winner, ruled.score.a, ruled.score.b) == ("ruling", "b", 70, 30)
    assert "q.winner=draw" not in walked(browser, way="ruling").text


def test_a_ruling_is_one_way_that_asks_for_a_score_after_its_winner(house: House, browser: Browser):
    page = browser.get("/console/e1/match/1.1").text
    assert page.count('value="ruling"') == 1
    assert 'value="ruling_figures"' not in page
    ruled = walked(browser, way="ruling", **{"q.winner": "b"}).text
    assert WALK_END in ruled, "the winner alone will do"
    [link] = re.findall(r'<a class="button" href="([^"]+)">Add the score</a>', ruled)
    assert "q.winner=b" in link
    asked = browser.get(html.unescape(link)).text
    assert "Add the score" not in asked
    assert 'name="q.score.winner"' in asked


def test_a_match_opens_with_what_is_done_most_often(house: House, browser: Browser):
    """At time both scores, which an official types at once; before, who won; else how it stands on record."""
    page = browser.get("/console/e1/match/1.1").text
    first, _, others = page.partition('<details id="other-ways">')
    assert 'name="q.score.winner"' in first
    assert 'name="way" value="played"' not in first.replace('type="hidden" ', "hidden ")
    assert {"played", "conceded", "ruling"} == set(re.findall(r'<button name="way" value="(\w+)"', others))
    enter(browser, way="played", opener="b", **{"q.score.loser": 24})
    first, _, others = browser.get("/console/e1/match/1.1").text.partition('<details id="other-ways">')
    assert re.search(r'name="opener" value="b" class="was"', first)
    assert 'value="time"' in others


def test_a_correction_on_an_old_page_is_refused_with_the_new_state_in_view(house: House, browser: Browser):
    enter(browser, **at_time(49, 77))
    late = enter(browser, **at_time(50, 77))
    assert late.status_code == 409
    assert "has changed" in problem_of(late)
    assert enter(browser, revision=1, **at_time(50, 77)).status_code == 303
    assert match(house, "1.1").match.result.score.a == 50


def test_a_page_opened_before_the_table_agreed_does_not_overwrite_what_was_agreed(house: House, browser: Browser):
    """The revision counts officials only: the number of the standing result is what an old page does not know."""
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 100, 24)
    late = enter(browser, seen=0, **at_time(10, 77))
    assert late.status_code == 409
    assert "has changed" in problem_of(late)
    assert match(house, "1.1").match.result.score.a == 100
    number = match(house, "1.1").number
    assert enter(browser, seen=number, **at_time(10, 77)).status_code == 303


def test_a_correction_begins_with_what_stands(house: House, browser: Browser):
    enter(browser, **at_time(49, 77))
    shown = browser.get("/console/e1/match/1.1").text
    assert re.search(r'<input name="q.score.winner" [^>]* value="49"', shown), "the way on record, with its figures"
    page = walked(browser, way="time").text
    assert 'min="0" max="100" value="49"' in page


def test_a_correction_to_the_other_winner_begins_without_a_figure(house: House, browser: Browser):
    """24 was the other player's."""
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 100, 24)
    shown = [
        re.findall(r'min="0" max="100" value="(\d*)"', walked(browser, way="played", opener=winner).text)
        for winner in "ab"
    ]
    assert shown == [["24"], [""]]


def test_a_hint_says_what_a_conceded_match_needs(browser: Browser):
    """X-Wing: the winner has 100, so the other player's figure alone is asked."""
    page = text_of(browser.get("/console/e1/entry?table=1"))
    assert "ca cb left / right player conceded, then the loser’s score" in page


def test_a_dispute_shows_both_versions_and_one_tap_accepts_either(house: House, browser: Browser):
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 24, 100)
    page = browser.console()
    assert "reports differ" in text_of(page)
    assert text_of(page).count("Accept") == 2
    number = match(house, "1.1").reports["b"].number
    accepted = browser.post("/console/e1/accept", match="1.1", revision=0, side="b", number=number)
    assert accepted.status_code == 303
    assert match(house, "1.1").match.result.score.b == 100


def test_only_the_version_that_was_read_can_be_accepted(house: House, browser: Browser):
    house.report("1.1", "a", 100, 24)
    seen = match(house, "1.1").reports["a"].number
    house.report("1.1", "a", 100, 42)
    answer = browser.post("/console/e1/accept", match="1.1", revision=0, side="a", number=seen)
    assert answer.status_code == 409
    assert match(house, "1.1").match.result is None


def test_one_side_alone_may_be_accepted_after_two_minutes(house: House, browser: Browser):
    house.report("1.1", "a", 100, 24)
    house.time.ms += 119_000
    assert "only one report" not in text_of(browser.console())
    house.time.ms += 1_000
    assert "only one report 2:00" in text_of(browser.console())


def test_a_report_after_the_round_closed_is_shown_until_somebody_decides(house: House, browser: Browser):
    house.play()
    house.publish()
    house.report("1.2", "a", 10, 100)
    assert "Round 1: report after closing" in text_of(browser.console())
    browser.post("/console/e1/keep", match="1.2")
    assert "report after closing" not in text_of(browser.console())
    assert match(house, "1.2").match.result.score.a == 100


def test_nobody_came(house: House, browser: Browser):
    absent = match(house, "1.1").match.a
    assert "reinstate" in text_of(browser.get("/console/e1/match/1.1"))
    browser.post("/console/e1/match/1.1/no-show", absent=absent)
    assert not house.event.entrants[absent].active
    assert "opponent: no-show" in text_of(browser.console())


def test_a_result_taken_back_leaves_the_match_open(house: House, browser: Browser):
    enter(browser, **at_time(49, 77))
    browser.post("/console/e1/match/1.1/clear", revision=1)
    assert match(house, "1.1").match.result is None
    assert "3 results missing" in text_of(browser.console())


def test_a_match_that_is_not_there_is_no_page(browser: Browser):
    assert browser.get("/console/e1/match/9.9").status_code == 404
    assert browser.get("/console/e7/match/1.1").status_code == 404


def test_a_no_show_that_somebody_noted_already_is_told_on_the_console_and_not_as_a_page_that_is_none(house: House):
    browser = house.with_event()
    house.publish()
    match = next(m for m in house.event.live.matches if m.match.b)
    path = f"/console/e1/match/{match.id}/no-show"
    assert browser.post(path, absent=match.match.b).status_code == 303
    # Whoever has the match open at another desk is led to the tables.
    assert browser.get(f"/console/e1/match/{match.id}").headers["Location"] == "/console/e1#grid"
    number = house.event.number
    answer = browser.post(path, absent=match.match.b)
    assert answer.status_code == 409
    assert 'id="next"' in answer.text
    assert problem_of(answer)
    assert 'data-address="/console/e1"' in answer.text
    assert house.event.number == number


def test_what_stood_before_a_correction_is_shown_and_can_be_put_back_with_a_reason(house: House, browser: Browser):
    house.play()
    house.publish()
    stood = match(house, "1.1")
    fields = {**at_time(49, 77), "seen": stood.number, "reason": "the slip was misread"}
    assert enter(browser, stood.revision, **fields).status_code == 303
    page = browser.get("/console/e1/match/1.1")
    assert "Earlier result 100 : 24 organizer Reason: the slip was misread Restore …" in text_of(page)
    again = re.search(r'href="([^"]+)">Restore …', page.text)
    assert again
    asked = browser.get(html.unescape(again[1]))
    assert "The round is closed. Give a reason for this correction" in text_of(asked)
    assert problem_of(asked) == ""
    form = asked.text.partition(WALK_END)[2].partition("</form>")[0]
    sent = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form))
    assert browser.post("/console/e1/match/1.1/walk", **sent).status_code == 409, "why is asked here, too"
    assert browser.post("/console/e1/match/1.1/walk", **{**sent, "reason": "it was right"}).status_code == 303
    assert match(house, "1.1").match.result == stood.match.result
    assert text_of(browser.get("/console/e1/match/1.1")).count("Earlier result") == 2


@pytest.fixture
def published(house: House) -> House:
    """Eight players, round 1 won by ● at each table, round 2 published and not begun."""
    house.with_event([f"Player {letter}" for letter in "ABCDEFGH"], swiss_rounds=3)
    house.publish()
    house.play()
    house.publish()
    return house


def pairs_of(house: House) -> list[tuple[str, str | None]]:
    return [(m.match.a, m.match.b) for m in house.event.live.matches]


def told(house: House) -> str:
    """The last page of the steps, with the figures of table 1 turned round."""
    stood = match(house, "1.1")
    return (
        house.organizer().get(f"/console/e1/match/1.1/walk?text=24+100&revision={stood.revision}").headers["Location"]
    )


@pytest.mark.parametrize(("choice", "stays"), [("keep", True), ("anew", False)])
def test_a_correction_and_what_it_makes_of_the_next_round_are_one_press(published: House, choice: str, stays: bool):
    browser, before = published.organizer(), pairs_of(published)
    page = browser.get(html.unescape(told(published)))
    assert "Round 2 was drawn with the old result." in text_of(page)
    assert problem_of(page) == ""
    form = page.text.partition(WALK_END)[2].partition("</form>")[0]
    assert re.findall(r'<button[^>]*value="([^"]*)"[^>]*>([^<]*)<', form) == [
        ("keep", "Keep round 2"),
        ("anew", "Re-pair what must change"),
    ]
    sent = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form))
    answer = browser.post("/console/e1/match/1.1/walk", **sent, reason="misread", cut=choice)
    assert answer.status_code == 303
    assert match(published, "1.1").match.result.score == SidePair(24, 100)
    assert (pairs_of(published) == before) is stays


def test_once_the_next_round_has_begun_the_page_says_so_and_offers_only_to_keep_it(published: House):
    published.service.execute_one("e1", SetClock("start"), "test")
    page = published.organizer().get(html.unescape(told(published)))
    assert "Round 2 has begun, so its pairings stay." in text_of(page)
    assert "Keep round 2" in text_of(page)
    assert "Re-pair" not in text_of(page)


def sent_fields(page: str) -> dict[str, str]:
    """The hidden fields of the form that ends the steps."""
    form = page.partition(WALK_END)[2].partition("</form>")[0]
    return dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form))


def test_new_pairings_that_are_others_by_now_are_shown_again_and_nothing_is_saved(published: House):
    browser, address = published.organizer(), html.unescape(told(published))
    sent = sent_fields(browser.get(address).text)
    corrected = {match(published, "1.1").match.a, match(published, "1.1").match.b}
    (one, _), (other, _) = [pair for pair in pairs_of(published) if corrected & set(pair)]
    swap = SwapSeats(2, (one, other), "a slip")
    swap = replace(swap, plan=plan_mend(published.event, swap).mark)
    published.service.execute_one("e1", swap, "test")
    before = pairs_of(published)
    answer = browser.post("/console/e1/match/1.1/walk", **sent, reason="misread", cut="anew")
    assert answer.status_code == 409
    assert problem_of(answer) == "The round has changed, and nothing was done. Check the new preview, then apply it."
    assert match(published, "1.1").match.result.score == SidePair(100, 24)
    assert pairs_of(published) == before


def test_the_choice_stands_once_on_the_page_that_asks_it(published: House):
    browser, address = published.organizer(), html.unescape(told(published))
    sent = sent_fields(browser.get(address).text)
    asked = browser.post("/console/e1/match/1.1/walk", **sent, reason="misread")
    assert asked.status_code == 409
    assert (text_of(asked).count("Keep round 2"), text_of(asked).count("Re-pair what must change")) == (1, 1)
    published.service.execute_one("e1", SetClock("start"), "test")
    begun = browser.post("/console/e1/match/1.1/walk", **sent, reason="misread", cut="anew")
    assert begun.status_code == 409
    assert text_of(begun).count("Keep round 2") == 1


def test_the_message_says_which_tables_of_the_next_round_have_changed(published: House):
    browser, before = published.organizer(), {m.id: m.match for m in published.event.live.matches}
    sent = sent_fields(browser.get(html.unescape(told(published))).text)
    published.time.ms += 1000
    answer = browser.post("/console/e1/match/1.1/walk", **sent, reason="misread", cut="anew")
    changed = sorted(m.match.table for m in published.event.live.matches if m.match != before[m.id])
    assert answer.status_code == 303
    said = browser.said("/console/e1")
    assert said.startswith("Result of table 1 saved.")
    assert f"Round 2: tables {changed[0]}, {changed[1]} changed." in said


def test_the_message_says_that_a_correction_has_discarded_the_draft(house: House):
    house.with_event([f"Player {letter}" for letter in "ABCDEFGH"], swiss_rounds=3)
    house.publish()
    house.play()
    browser = house.organizer()
    house.service.execute_one("e1", DrawRound(house.event.number), "test")
    sent = sent_fields(browser.get(html.unescape(told(house))).text)
    house.time.ms += 1000
    answer = browser.post("/console/e1/match/1.1/walk", **sent, reason="misread")
    assert answer.status_code == 303
    assert "Round 2: draft discarded." in browser.said("/console/e1")
