"""Leaving in mid-game at the console: how does the match stand; squads owed wherever one looks; a swap checked."""

import pytest
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.event.commands import AskToDrop, CorrectList, EnterResult
from roundtap_core.event.setup import open_official_points
from roundtap_core.event.states import OpenPoint
from roundtap_core.records import Competitor, Result, SidePair
from roundtap_hub.phones.players import search_competitors
from roundtap_hub.store.command_pipeline import person_and_entrant
from roundtap_hub.views.saved_event import saved_event

FOUR = "Ana Ruiz\nBruno Maier\nŁukasz Żak\nEva Luz"
SQUADS = {"q.picks.loser": ["1", "2"], "q.picks.winner": ["3", "4"]}
"""Of the one who leaves, and of the other one, who wins."""


def playing(house: House, rulebook: str, people: str = FOUR, **options: object) -> Browser:
    browser = house.organizer()
    browser.post(
        "/console",
        name="Open",
        rulebook=rulebook,
        color="#00785A",
        **{"structure": "own", "swiss_rounds": 2, "prize_places": 0, **options},
    )
    browser.post("/console/e1/competitors", names=people)
    house.publish()
    return browser


def sitting(house: House, side: str, match: str = "1.1") -> str:
    found = house.event.find_match(match)
    who = found[1].match.competitor(side)  # type: ignore[arg-type]
    assert who is not None
    return who


def result(house: House, match: str = "1.1") -> Result | None:
    found = house.event.find_match(match)
    return found[1].match.result


@pytest.mark.parametrize(("action", "reason"), [("drop", {}), ("disqualify", {"reason": "loaded dice"})])
def test_warlords_asks_the_life_totals_before_anybody_leaves(house: House, action: str, reason: dict[str, str]):
    browser, who = playing(house, "warlords-of-terra"), ""
    who = sitting(house, "b")
    at = f"/console/e1/competitors/{who}/{action}"
    page = browser.post(at, **reason)
    assert "What is the score?" in text_of(page)
    assert house.event.entrants[who].active
    asked = "score.winner score.loser"
    for missing in ({}, {"q.score.winner": 14}, {"q.score.loser": 9}):
        assert "A number is missing" in problem_of(browser.post(at, known=1, asked=asked, **reason, **missing))
    assert "has 0 life" in problem_of(browser.post(at, known=1, **reason, **{"q.score.winner": 0, "q.score.loser": 9}))
    assert house.event.entrants[who].active
    assert browser.post(at, known=1, **reason, **{"q.score.winner": 14, "q.score.loser": 9}).status_code == 303
    assert not house.event.entrants[who].active
    assert result(house) == Result("concession", conceded_by="b", score=SidePair(14, 9))


def test_who_leaves_concedes_whatever_the_figures_say(house: House):
    """Two struggles have won the game, and still whoever leaves it has conceded: leaving is the reason."""
    browser = playing(house, "shatterpoint-premier")
    who = sitting(house, "b")
    at = f"/console/e1/competitors/{who}/drop"
    stood = {"q.score.winner": 0, "q.score.loser": 2, "q.wounds.winner": 4, "q.wounds.loser": 9}
    answer = browser.post(at, known=1, **SQUADS, **stood)
    assert answer.status_code == 303, problem_of(answer)
    left = result(house)
    assert (left.ended, left.conceded_by, left.score) == ("concession", "b", SidePair(0, 2))


def test_answers_that_no_page_sends_at_once_are_asked_again(house: House):
    browser = playing(house, "shatterpoint-premier")
    who = sitting(house, "b")
    at = f"/console/e1/competitors/{who}/drop"
    page = browser.post(at, known=1, **{**SQUADS, "q.picks.loser": ["1", "1"]})
    assert page.status_code == 400
    assert problem_of(page)
    assert "q.picks.loser" in page.text
    assert house.event.entrants[who].active


def test_life_totals_that_nobody_knows_are_owed_and_the_match_stays_open(house: House):
    browser = playing(house, "warlords-of-terra")
    browser.post(f"/console/e1/competitors/{sitting(house, 'b')}/drop", known=0)
    assert result(house) is None
    assert "score missing after a drop" in text_of(browser.console())
    typed = {"way": "conceded", "opener": "a", "q.score.winner": 8, "q.score.loser": 0, "revision": 0}
    assert browser.post("/console/e1/match/1.1/walk", **typed).status_code == 303
    assert "score missing after a drop" not in text_of(browser.console())


def test_if_the_other_leaves_too_nobody_is_asked_and_the_match_waits_for_its_figures(house: House):
    browser = playing(house, "warlords-of-terra")
    browser.post(f"/console/e1/competitors/{sitting(house, 'b')}/drop", known=0)
    assert browser.post(f"/console/e1/competitors/{sitting(house, 'a')}/drop").status_code == 303
    assert result(house) is None


def test_shatterpoint_asks_the_squads_of_both(house: House):
    browser = playing(house, "shatterpoint-premier")
    at = f"/console/e1/competitors/{sitting(house, 'a')}/drop"
    assert "What is the score?" in text_of(browser.post(at))
    stood = {"q.score.loser": 1, "q.score.winner": 0, "q.wounds.loser": 0, "q.wounds.winner": 4}
    asked = "score.winner score.loser"
    half = browser.post(at, known=1, asked=asked, **SQUADS, **{"q.score.loser": 1, "q.wounds.winner": 4})
    assert "A number is missing" in problem_of(half)
    one = browser.post(at, known=1, asked="picks.winner picks.loser", **stood, **{"q.picks.loser": ["1", "2"]})
    assert "Choose exactly 2" in problem_of(one)
    assert browser.post(at, known=1, **SQUADS, **stood).status_code == 303
    assert result(house) == Result(
        "concession", conceded_by="a", score=SidePair(1, 0), wounds=SidePair(0, 4), picks={"a": [1, 2], "b": [3, 4]}
    )


def test_where_nobody_knows_how_it_stood_the_match_stays_open_until_it_is_typed(house: House):
    browser = playing(house, "shatterpoint-premier")
    browser.post(f"/console/e1/competitors/{sitting(house, 'a')}/drop", known=0)
    assert result(house) is None, "no struggle and no wound stands that nobody said"
    assert "score missing after a drop" in text_of(browser.console())
    typed = {
        "q.score.winner": 0,
        "q.score.loser": 1,
        "q.wounds.winner": 0,
        "q.wounds.loser": 2,
        "way": "conceded",
        "opener": "b",
        "revision": house.event.find_match("1.1")[1].revision,
    }
    browser.post("/console/e1/match/1.1/walk", **typed)
    assert result(house) is None
    assert browser.post("/console/e1/match/1.1/walk", **typed, **SQUADS).status_code == 303
    assert result(house).score == SidePair(1, 0)
    assert "score missing after a drop" not in text_of(browser.console())


def wish(house: House, *who: str) -> None:
    for one in who:
        house.service.execute_one("e1", AskToDrop(one, f"phone:{one}"), f"phone:{one}")


def test_whoever_would_take_their_own_win_by_leaving_is_told_so_wherever_it_is_granted(house: House):
    browser = playing(house, "xwing-standard")
    stays, leaver = sitting(house, "a"), sitting(house, "b")
    wish(house, stays, leaver)
    browser.post(f"/console/e1/competitors/{leaver}/drop", known=1, **{"q.score.loser": 24})
    assert result(house) == Result("concession", conceded_by="b", score=SidePair(100, 24))
    for page in (browser.console(), browser.get(f"/console/e1/person/{stays}")):
        assert "Nobody wins the match at table 1" in text_of(page)
        assert "Results so far stay" not in text_of(page)
    browser.post(f"/console/e1/competitors/{stays}/drop")
    assert result(house).winner == "none"


def test_both_who_left_play_on_whoever_comes_back_first(house: House):
    browser = playing(house, "xwing-standard")
    for order in ("ab", "ba"):
        first, second = sitting(house, "b"), sitting(house, "a")
        browser.post(f"/console/e1/competitors/{first}/drop", known=1, **{"q.score.loser": 24})
        browser.post(f"/console/e1/competitors/{second}/drop")
        assert result(house) == Result("concession", conceded_by="b", score=SidePair(100, 24))
        for side in order:
            browser.post(f"/console/e1/competitors/{sitting(house, side)}/return")
        assert result(house) is None, order


def test_the_disqualified_does_not_win_because_the_other_one_left_first(house: House):
    browser = playing(house, "xwing-standard")
    house.report("1.1", "a", 100, 24)
    reporter, leaver = sitting(house, "a"), sitting(house, "b")
    browser.post(f"/console/e1/competitors/{leaver}/drop", known=1)
    browser.post(f"/console/e1/competitors/{reporter}/disqualify", reason="loaded dice")
    assert not house.event.entrants[reporter].active
    assert result(house) is None, "an official says how it stood"


def test_who_comes_back_after_both_had_left_may_go_home_with_the_win(house: House):
    browser = playing(house, "keyforge-archon")
    first, second = sitting(house, "a"), sitting(house, "b")
    wish(house, first, second)
    browser.post(f"/console/e1/competitors/{second}/drop", known=1)
    browser.post(f"/console/e1/competitors/{first}/drop")
    assert result(house).winner == "none"
    browser.post(f"/console/e1/competitors/{first}/return")
    assert result(house) == Result("concession", conceded_by="b")
    browser.post(f"/console/e1/competitors/{first}/drop")
    assert result(house) == Result("concession", conceded_by="b")


def test_coming_back_says_that_the_match_is_open_again(house: House):
    browser = playing(house, "xwing-standard")
    who = sitting(house, "b")
    browser.post(f"/console/e1/competitors/{who}/drop", known=1, **{"q.score.loser": 24})
    assert "Reopens the match" in text_of(browser.get(f"/console/e1/person/{who}"))
    browser.post(f"/console/e1/competitors/{who}/return")
    assert result(house) is None


@pytest.mark.parametrize(("leaver", "asked"), [("a", "{other} or an official"), ("b", "an official")])
def test_a_report_is_confirmed_by_who_is_still_there(house: House, leaver: str, asked: str):
    browser = playing(house, "xwing-standard")
    other = house.service.snapshot.people["e1"][sitting(house, "b")].name
    house.report("1.1", "a", 100, 24)
    who = sitting(house, leaver)
    page = text_of(browser.post(f"/console/e1/competitors/{who}/drop"))
    assert f"It counts once {asked.format(other=other)} confirms it" in page
    browser.post(f"/console/e1/competitors/{who}/drop", known=1)
    waits = "only one report" in text_of(browser.console())
    assert waits == (leaver == "b"), "nobody is left to confirm it: an official is asked at once"


def test_who_leaves_after_the_round_may_go_now_or_stay(house: House):
    browser = playing(house, "xwing-standard")
    who = sitting(house, "b")
    at = f"/console/e1/competitors/{who}"
    browser.post(f"{at}/drop", known="after")
    page = text_of(browser.get(f"/console/e1/person/{who}"))
    assert "Drops after the match at table 1" in page
    assert "Cancel drop" in page
    phone = house.hub.access.links.give("e1", who)
    assert "You drop after this round" in text_of(browser.get(phone))
    assert "What is the score?" in text_of(browser.post(f"{at}/drop"))
    browser.post(f"{at}/drop", known=1, **{"q.score.loser": 24})
    assert result(house) == Result("concession", conceded_by="b", score=SidePair(100, 24))
    assert browser.post(f"{at}/drop").status_code == 409


def test_who_has_left_in_mid_game_did_appear(house: House):
    browser = playing(house, "warlords-of-terra")
    who = sitting(house, "b")
    browser.post(f"/console/e1/competitors/{who}/drop", known=0)
    answer = browser.post("/console/e1/match/1.1/no-show", absent=who)
    assert answer.status_code == 409
    assert "is no longer in the event" in problem_of(answer)
    assert who not in problem_of(answer)


def test_an_answer_that_is_none_is_asked_again_from_the_start(house: House):
    browser = playing(house, "shatterpoint-premier")
    who = sitting(house, "a")
    page = browser.post(f"/console/e1/competitors/{who}/drop", known=1, **{"q.wounds.loser": "a"})
    assert page.status_code == 400
    assert "What is the score?" in text_of(page)
    assert house.event.entrants[who].active


def test_where_no_figure_counts_it_is_said_what_leaving_does_and_it_can_be_after_the_round(house: House):
    browser = playing(house, "keyforge-archon")
    at = f"/console/e1/competitors/{sitting(house, 'a')}/drop"
    asked = text_of(browser.post(at))
    assert "Concedes the open match" in asked
    name = house.service.snapshot.people["e1"][sitting(house, "a")].name
    assert f"Drop {name} after this match" in asked
    assert result(house) is None
    assert browser.post(at, known="after").status_code == 303
    assert result(house) is None
    moment = saved_event(house.service.snapshot, "e1")
    assert moment is not None
    assert all(one.status is None for one in search_competitors(moment)), (
        "to the others they play as long as the round is out"
    )
    browser.post(f"/console/e1/competitors/{sitting(house, 'a')}/return")
    assert browser.post(at, known=1).status_code == 303
    assert result(house) == Result("concession", conceded_by="a")


def test_a_report_that_is_there_is_kept_and_it_says_so(house: House):
    browser = playing(house, "xwing-standard")
    house.report("1.1", "a", 100, 24)
    at = f"/console/e1/competitors/{sitting(house, 'a')}/drop"
    asked = text_of(browser.post(at))
    assert "Table 1 has a report. It counts" in asked
    assert "What is the score?" not in asked
    assert browser.post(at, known=1).status_code == 303
    assert result(house) is None
    house.report("1.1", "b", 100, 24)
    assert result(house) == Result(score=SidePair(100, 24))


@pytest.mark.parametrize("language", ["es", "de", "pl"])
def test_it_is_asked_in_every_language(house: House, language: str):
    browser = playing(house, "shatterpoint-premier")
    browser.headers["Accept-Language"] = language
    page = text_of(browser.post(f"/console/e1/competitors/{sitting(house, 'a')}/drop"))
    assert "leave." not in page
    assert "A" in page


def test_squads_still_owed_stand_on_the_phone_and_beside_the_bye(house: House):
    """Two rounds: after the first, each pick has to be of those two that are left."""
    browser = playing(house, "shatterpoint-premier", FOUR + "\nKai Eich")
    who = sitting(house, "a")
    assert "You must play these squads now: A B C D" in text_of(browser.get(f"/e/e1/p/{who}"))
    alone = next(m for m in house.event.live.matches if m.match.bye)
    page = text_of(browser.console())
    assert "Round 1: squads for the bye missing" in page
    assert "You must play these squads now: A B C D" in page
    won = Result(score=SidePair(2, 0), wounds=SidePair(5, 3), picks={"a": [1, 3], "b": [2, 4]})
    house.service.execute_one("e1", EnterResult("1.1", 0, won), "test")
    assert "You must play these squads now: B D" in text_of(browser.get(f"/e/e1/p/{who}"))
    browser.post(f"/console/e1/match/{alone.id}/picks", picks=["1", "2"])
    assert "Round 1: squads for the bye missing" not in text_of(browser.console())


def test_no_shatterpoint_round_is_published_without_a_judge_by_name(house: House):
    browser = house.organizer()
    browser.post(
        "/console", name="Open", rulebook="shatterpoint-premier", color="#00785A", structure="own", swiss_rounds=2
    )
    browser.post("/console/e1/competitors", names=FOUR)
    browser.post("/console/e1/draw", attempt=0)
    assert "items are open" in problem_of(browser.post("/console/e1/publish", number=1, attempt=1))
    assert "judge" in text_of(browser.console())
    browser.post("/console/e1/officials", name="Nina Wolf", role="organizer")
    assert OpenPoint("judge_missing") not in tuple(open_official_points(house.event))


# --- swapping with the sideboard ---------------------------------------------------------------------------------


def test_a_swap_is_checked_on_the_match_s_page(house: House):
    """Cartas legendarias: after swapping the limit of the main deck holds again."""
    browser = playing(house, "warlords-of-terra")
    deck = {
        "faction": "Overlords",
        "hero": "Caudillo",
        "battle": [{"name": f"Legendaria {n}", "legendary": True} for n in range(3)] + [{"name": "Tropa"}],
        "sideboard": [{"name": "Dragón", "legendary": True}, {"name": "Fauno"}],
    }
    who = sitting(house, "b")
    record, _ = person_and_entrant("e1", Competitor(who, "Bruno Maier", list=deck))
    house.service.execute_one(
        "e1", CorrectList(who, record.person.digest(record.salt), None, "typed late"), "test", [record]
    )

    def checked(lines: str) -> str:
        return text_of(
            browser.client.get(
                "/console/e1/match/1.1", query_string={"swap.side": "b", "swap.lines": lines}, headers=browser.headers
            )
        )

    assert "Check sideboard swap" in text_of(browser.get("/console/e1/match/1.1"))
    assert "The deck is valid after this swap" in checked("Tropa > Fauno")
    assert "The deck is valid after this swap" in checked("Legendaria 0 > Dragón")
    assert "legendary" in checked("Tropa > Dragón")
    assert "is not a swap" in checked("Tropa Fauno")
    assert "Check sideboard swap" not in text_of(playing_elsewhere(house, browser))


def playing_elsewhere(house: House, browser: Browser):
    """A match of an event whose rulebook swaps no cards."""
    browser.post("/console", name="Other", rulebook="keyforge-archon", color="#882255", structure="own", swiss_rounds=1)
    browser.post("/console/e2/competitors", names="A\nB")
    browser.post("/console/e2/draw", attempt=0)
    browser.post("/console/e2/publish", number=1, attempt=1)
    return browser.get("/console/e2/match/1.1")


def test_why_somebody_leaves_or_comes_late_may_be_said_and_stands_on_their_page(house: House):
    browser = playing(house, "xwing-standard")
    who = sitting(house, "b")
    at = f"/console/e1/competitors/{who}/drop"
    asked = browser.post(at, reason="the last train")
    assert 'name="reason" maxlength="500" value="the last train"' in asked.text
    assert browser.post(at, known="after", reason="the last train at 18:04").status_code == 303
    browser.post("/console/e1/competitors", names="Kai Eich", reason="a flat tyre")
    late = next(one for one in house.event.entrants if one not in ("p1", "p2", "p3", "p4"))
    assert "Dropped (Round 1): the last train at 18:04" in text_of(browser.get(f"/console/e1/person/{who}"))
    page = text_of(browser.get(f"/console/e1/person/{late}"))
    assert "Registered late (Round 1): a flat tyre" in page
    assert "A player in a published round cannot be deleted." in page
    assert "is in a published round" in problem_of(browser.post(f"/console/e1/competitors/{late}/remove"))
    assert "train" not in house.browser().get(f"/e/e1/p/{who}").text, "why is the organizers' business"
