"""After each form of the console a message says what was done, with *Undo* where it can be undone; and the last of it
stands in a list."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pages_kit import LEADS_ON, PEOPLE, Browser, House, problem_of, text_of, words_of

import roundtap_hub
from roundtap_core.event import commands as c
from roundtap_core.event.commands import APPLY
from roundtap_core.event.states import Official
from roundtap_core.records import Result, SidePair
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.app.acts import WITHOUT_ENTRY
from roundtap_hub.http.routes import ROUTES, find_route
from roundtap_hub.store.event_times import EventTimesCache

ACTS = "/console/e1/acts"
WORDS = Path(roundtap_hub.__file__).parent / "words"


class Desk:
    """An organizer who presses, and reads what the page after it says."""

    def __init__(self, house: House, browser: Browser) -> None:
        self.house, self.browser = house, browser

    def presses(self, path: str, **fields: object) -> str:
        """The message on the page that follows."""
        self.house.time.ms += 1000
        answer = self.browser.post(f"/console/e1/{path}", **fields)
        assert answer.status_code == 303, (path, problem_of(answer))
        return self.said(answer.location)

    def said(self, path: str) -> str:
        found = self.message(path)
        return words_of(found)

    def message(self, path: str = "/console/e1") -> str:
        path = path.partition("#")[0]
        page = self.browser.get(f"{path}{'&' if '?' in path else '?'}did={self.browser.did}").text
        return "".join(re.findall(r'<div class="did"[^>]*>(.*?)</div>', page, re.S))

    def undoes(self, path: str = "/console/e1") -> str:
        """The message after *Undo* of the message before."""
        number = re.search(r'name="number" value="(\d+)"', self.message(path))
        assert number, "no Undo"
        return self.presses("undo", number=number[1])


@pytest.fixture
def desk(house: House) -> Desk:
    return Desk(house, house.with_event(PEOPLE[:4]))


@pytest.fixture
def round_1(desk: Desk) -> Desk:
    desk.house.publish()
    return desk


def name(house: House, who: str) -> str:
    return house.service.snapshot.people["e1"][who].name


# --- what is said, and undone from there ------------------------------------------------------------------------------


def test_a_drop_says_who_and_what_follows_and_is_undone(desk: Desk) -> None:
    assert desk.presses("competitors/p1/drop").startswith("Ana Ruiz dropped. Undo")
    assert "Players: 3. Rounds: 2" in desk.said("/console/e1/players")
    assert "3 players" not in desk.said("/console/e1"), "there it stands below, as the next step"
    assert desk.undoes() == "Ana Ruiz reinstated. Undo"
    assert desk.house.event.entrants["p1"].active


def test_a_no_show_is_undone_from_its_message(round_1: Desk) -> None:
    who = round_1.house.event.find_match("1.1")[1].match.a
    said = round_1.presses("match/1.1/no-show", absent=who, back="absent")
    assert said.startswith(f"{name(round_1.house, who)} is a no-show and dropped. Undo")
    assert round_1.undoes().startswith(f"No-show undone: {name(round_1.house, who)}, table 1.")
    assert round_1.house.event.entrants[who].active


def test_publishing_is_undone_until_a_table_has_reported(desk: Desk) -> None:
    desk.presses("draw", attempt=0)
    assert desk.presses("publish", number=1, attempt=1) == "Round 1 published. Undo"
    assert desk.undoes() == "Round 1 is a draft again."
    desk.presses("publish", number=1, attempt=1)
    number = re.search(r'name="number" value="(\d+)"', desk.message())
    desk.house.report("1.1", "a", 100, 20)
    assert "Undo" not in desk.said("/console/e1")
    refused = desk.browser.post("/console/e1/undo", number=number[1])
    assert (refused.status_code, "cannot be withdrawn" in problem_of(refused)) == (409, True)


def test_an_accepted_result_says_it_and_clears_it_again(round_1: Desk) -> None:
    round_1.house.report("1.1", "a", 100, 20)
    match = round_1.house.event.find_match("1.1")[1]
    said = round_1.presses("accept", match="1.1", revision=0, side="a", number=match.reports["a"].number)
    assert said == "Result of table 1 saved. 100 : 20 Undo"
    assert round_1.undoes() == "Result of table 1 cleared. The table reports again. Undo"
    assert round_1.house.event.find_match("1.1")[1].match.result is None
    assert round_1.undoes().startswith("Result of table 1 saved. 100 : 20"), "and that, too"


def test_check_in_of_one_and_of_all(desk: Desk) -> None:
    assert desk.presses("check-in", used=1).startswith("Check-in is on. Undo")
    assert desk.presses("competitors/p1/here").startswith("Ana Ruiz checked in. Undo")
    assert desk.undoes().startswith("Ana Ruiz is no longer checked in.")
    assert desk.presses("regulars", who="awaited").startswith("4 players checked in. Undo")
    assert desk.undoes().startswith("4 players are no longer checked in.")
    assert not any(entrant.checked_in for entrant in desk.house.event.entrants.values())


def test_an_extension_and_a_call(round_1: Desk) -> None:
    assert round_1.presses("match/1.1/extension", minutes=5).startswith("Table 1: +5 min. Undo")
    assert round_1.undoes().startswith("Table 1: 5 min removed.")
    round_1.house.service.execute_one("e1", c.CallJudge("1.1", "phone:p1"), "phone:p1")
    assert round_1.presses("call", match="1.1").startswith("Table 1: judge on the way. Undo")
    assert round_1.undoes() == "Table 1: no judge is on the way. Undo"
    assert round_1.presses("call/settled", match="1.1").startswith("Table 1: call done. Undo")
    assert round_1.undoes() == "Table 1: the call is open again."
    assert list(round_1.house.event.calls) == ["1.1"]


def test_a_clock_is_undone_as_often_as_it_says(round_1: Desk) -> None:
    """Its undoing starts it again and sets it: two entries, of which the first one counts when that is undone."""
    assert round_1.presses("clock", action="start") == "The clock runs: 75:00 left. Undo"
    assert round_1.undoes() == "The clock is back to “not started”. Undo"
    assert round_1.undoes() == "The clock runs: 74:58 left. Undo", "as if nobody had touched it"
    assert round_1.undoes() == "The clock is back to “not started”. Undo"
    assert round_1.undoes() == "The clock runs: 74:56 left. Undo"
    assert round_1.house.event.clock.state == "running"


def test_twice_is_refused_with_what_to_do_instead(desk: Desk) -> None:
    desk.presses("check-in", used=1)
    desk.presses("competitors/p1/here")
    number = re.search(r'name="number" value="(\d+)"', desk.message())[1]
    desk.presses("undo", number=number)
    again = desk.browser.post("/console/e1/undo", number=number)
    assert again.status_code == 409
    assert "It was undone, or something followed. Change it at the player" in problem_of(again)


def test_undo_leads_back_to_the_page_of_its_message(desk: Desk) -> None:
    desk.presses("check-in", used=1)
    number = re.search(r'name="number" value="(\d+)"', desk.message())[1]
    answer = desk.browser.client.post(
        "/console/e1/undo",
        data={"csrf": desk.browser.token, "number": number},
        headers={"Referer": "http://localhost/console/e1/check-in?did=e1.9"},
    )
    assert answer.location.startswith("/console/e1/check-in?did=e1.")


def test_of_an_older_act_nothing_is_offered_that_would_undo_a_newer_one(desk: Desk) -> None:
    desk.presses("competitors", names="Zoe")
    desk.presses("competitors/p1/drop")
    desk.presses("competitors/p1/return")
    desk.presses("competitors/p1/drop")
    desk.presses("competitors/p5/tick", what="sleeves", on=1)
    rows = re.findall(r'<li data-key="\d+">(.*?)</li>', desk.browser.get(ACTS).text, re.S)
    offered = [words_of(row).rpartition(" organizer")[::2] for row in rows]
    assert [(what.partition(" ")[2], may) for what, may in offered][:5] == [
        ("Check of Zoe noted.", " Undo"),
        ("Ana Ruiz dropped.", " Undo"),
        ("Ana Ruiz reinstated.", ""),
        ("Ana Ruiz dropped.", ""),
        ("Zoe registered.", ""),
    ]


def test_an_archived_event_offers_no_undo(desk: Desk) -> None:
    desk.presses("about", club="Falken")
    assert "Undo" in desk.said(ACTS)
    assert desk.browser.post("/console/e1/archive").status_code == 303
    assert "/console/e1/undo" not in desk.browser.get(ACTS).text


def test_who_was_removed_since_has_no_gap_in_the_list(desk: Desk) -> None:
    desk.presses("competitors/p1/tick", what="sleeves", on=1)
    desk.presses("competitors/p1/remove")
    assert "Check of – noted." in text_of(desk.browser.get(ACTS))


# --- where and how long a message stands ------------------------------------------------------------------------------


def test_it_is_gone_with_the_next_act_with_the_next_page_and_when_it_is_no_news(desk: Desk) -> None:
    desk.presses("competitors/p1/drop")
    old = desk.browser.did
    assert desk.presses("competitors/p2/drop").startswith("Bruno Maier dropped.")
    assert "dropped" not in text_of(desk.browser.get("/console/e1/standings"))[:400]
    desk.browser.did = old
    desk.house.time.ms += 10 * 60_000
    assert desk.said("/console/e1") == ""


@pytest.mark.parametrize(
    "made_up",
    [
        *("e1.999", "e1.x", "e9.1", "nothing.5", "here.99999999999", ".", "e1.1.1", "saved.-5"),
        *("competitor-dropped.{now}", "checked-in.{now}", "round-published.{now}", "event-created.off.{now}"),
    ],
)
def test_an_address_that_somebody_made_up_says_nothing(desk: Desk, made_up: str) -> None:
    made_up = made_up.format(now=desk.house.time.ms)
    assert 'id="did" role="status" data-live></div>' in desk.browser.get(f"/console/e1?did={made_up}").text


def test_it_is_outside_of_what_a_live_page_asks_for(desk: Desk) -> None:
    desk.presses("competitors/p1/drop")
    page = desk.browser.get(f"/console/e1?did={desk.browser.did}").text
    seen = re.search(r'data-seen="([^"]+)"', page)[1]
    desk.house.service.execute_one("e1", c.DropCompetitor("p2"), "organizer")
    patch = desk.browser.get(f"/console/e1?did={desk.browser.did}&since={seen}").get_json()
    assert "whole" not in patch
    assert not any(change["id"] == "did" for change in patch["regions"])


def test_who_may_not_do_it_may_not_undo_it(house: House, desk: Desk) -> None:
    desk.presses("competitors/p1/drop")
    number = re.search(r'name="number" value="(\d+)"', desk.message())[1]
    pin = house.hub.access.organizers.staff.add("Jo", "judge", "organizer")[1]
    judge = house.browser()
    judge.enter(house.hub, pin)
    assert judge.post("/console/e1/undo", number=number).status_code == 403
    assert 'action="/console/e1/undo"' not in judge.get(ACTS).text
    assert not house.event.entrants["p1"].active


# --- the list ---------------------------------------------------------------------------------------------------------


def test_the_last_twenty_acts_with_time_and_who_also_after_a_restart(house: House, desk: Desk) -> None:
    for number in range(21):
        desk.presses("competitors/p1/details", name=f"Ana Ruiz {number}")
    desk.presses("competitors/p2/drop")
    rows = re.findall(r'<li data-key="\d+">(.*?)</li>', desk.browser.get(ACTS).text, re.S)
    assert len(rows) == 20
    assert words_of(rows[0]) == "0:00 Bruno Maier dropped. organizer Undo"
    assert words_of(rows[1]).startswith("0:01 Details of Ana Ruiz 20 saved. organizer")
    house.hub.times = EventTimesCache(house.service)  # type: ignore[misc]
    assert len(re.findall(r'<li data-key="\d+">', desk.browser.get(ACTS).text)) == 20
    assert f'data-open="{ACTS}"' in desk.browser.get("/console/e1").text


def test_what_players_and_units_do_is_no_act_of_the_staff(round_1: Desk) -> None:
    round_1.house.report("1.1", "a", 100, 20)
    round_1.house.service.execute_one("e1", c.CallJudge("1.2", "phone:p1"), "phone:p1")
    assert "Table" not in re.sub(r"(?s).*<ol class=\"acts\">|</ol>.*", "", round_1.browser.get(ACTS).text)


# --- every kind has its words, every form its message -----------------------------------------------------------------

BY_OTHERS = {
    "report": "units and phones say it",
    "call-cancelled": "who has called",
    "drop-cancelled": "who has asked",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_entry_has_its_words(language: str) -> None:
    words = catalogue("roundtap_hub", language)
    assert {kind for kind in APPLY if f"did.{kind}" not in words} == set(BY_OTHERS)
    known = {*APPLY, *WITHOUT_ENTRY}
    texts = json.loads((WORDS / f"{language}.json").read_text(encoding="utf-8"))
    keys = {key.removeprefix("did.").partition(".")[0] for key in texts if key.startswith("did.")}
    assert keys <= known


# Forms of an event whose page, or file, is the answer; what a form makes of each is tried below.
ANSWERED_BY_A_PAGE = {
    "POST /console/<event_id>/competitors/<competitor>/link": ({}, "the link, to be scanned"),
    "POST /console/<event_id>/import/table": ({"pasted": "Zoe"}, "the preview, of which nothing is taken yet"),
}


@pytest.mark.parametrize("address", ANSWERED_BY_A_PAGE)
def test_a_form_that_only_shows_changes_nothing_of_the_event(desk: Desk, address: str) -> None:
    fields, _ = ANSWERED_BY_A_PAGE[address]
    before = desk.house.event.number
    path = address.removeprefix("POST ").replace("<event_id>", "e1").replace("<competitor>", "p1")
    assert desk.browser.post(path, **fields).status_code == 200
    assert desk.house.event.number == before


def pairs(house: House) -> tuple[str, str]:
    match = house.event.find_match("1.1")[1].match
    return match.a, match.b or ""


def reported(desk: Desk) -> dict[str, object]:
    desk.house.report("1.1", "a", 100, 20)
    number = desk.house.event.find_match("1.1")[1].reports["a"].number
    return {"match": "1.1", "revision": 0, "side": "a", "number": number}


def officials(desk: Desk) -> None:
    named = (Official("o1", "organizer"), Official("o2", "judge"))
    desk.house.service.execute_one("e1", c.SetOfficials(named), "test")


def all_played(desk: Desk) -> None:
    desk.house.play()


def told(*commands: c.Command) -> Callable[[Desk], None]:
    def tell(desk: Desk) -> None:
        for command in commands:
            desk.house.service.execute_one("e1", command, "test")

    return tell


def ruled(desk: Desk) -> Mapping[str, object]:
    officials(desk)
    told(c.NoteRuling("1.1", "moved back", "o2"))(desk)
    return {"competitor": pairs(desk.house)[0]}


def appealed(desk: Desk) -> None:
    told(c.Appeal("1.1", str(ruled(desk)["competitor"])))(desk)


def awaited_wish(desk: Desk) -> None:
    told(c.AskToDrop("p1", "phone:p1"))(desk)


Prepare = Callable[[Desk], Mapping[str, object] | None]
NOTHING: Prepare = lambda _: None  # noqa: E731

# Path, what is done before, the fields, and how the message begins. Before round 1 is published:
BEFORE_ROUND_1: tuple[tuple[str, Prepare, dict[str, object], str], ...] = (
    ("about", NOTHING, {"club": "Falken"}, "Event details saved."),
    ("options", NOTHING, {"structure": "own", "swiss_rounds": 3}, "Event settings saved."),
    ("options/lists", NOTHING, {}, "Lists are not needed today."),
    ("competitors", NOTHING, {"names": "Zoe"}, "Zoe registered."),
    ("competitors/p1/details", NOTHING, {"name": "Ana R"}, "Details of Ana R saved."),
    ("competitors/p1/details", NOTHING, {"club": "Falken"}, "Details of Ana Ruiz saved."),
    ("competitors/p1/details", NOTHING, {"fixed_table": "7"}, "Fixed table of Ana Ruiz saved."),
    ("competitors/p1/details", NOTHING, {"came_with": "Gdynia"}, "Travel group of Ana Ruiz saved."),
    ("competitors/p1/tick", NOTHING, {"what": "sleeves", "on": "1"}, "Check of Ana Ruiz noted."),
    ("competitors/p1/drop", NOTHING, {}, "Ana Ruiz dropped."),
    ("competitors/p1/return", told(c.DropCompetitor("p1")), {}, "Ana Ruiz reinstated."),
    ("competitors/p1/remove", NOTHING, {}, "Player removed."),
    ("competitors/p1/disqualify", NOTHING, {"reason": "cheated"}, "Ana Ruiz disqualified."),
    ("competitors/p1/link/revoke", NOTHING, {}, "Saved."),
    ("check-in", NOTHING, {"used": "1"}, "Check-in is on."),
    ("check-in/name", told(c.SetCheckIn(True)), {"name": "Ana Ruiz"}, "Ana Ruiz checked in."),
    ("competitors/p1/here", told(c.SetCheckIn(True)), {}, "Ana Ruiz checked in."),
    ("regulars", told(c.SetCheckIn(True)), {"who": "awaited"}, "4 players checked in."),
    ("sign-up", NOTHING, {"sign_up": "open"}, "Sign-up is open."),
    ("officials", NOTHING, {"name": "Jo", "role": "organizer"}, "Officials saved."),
    ("officials/o2/change", officials, {"role": "head_judge"}, "Officials saved."),
    ("officials/o2/remove", officials, {}, "Officials saved."),
    ("officials/o2/duty", officials, {"on": "0"}, "is off duty."),
    ("prizes", NOTHING, {"list": "1: a cup"}, "Prizes saved."),
    ("draw", NOTHING, {"attempt": 0}, "Round 1 drawn."),
    ("discard", told(c.DrawRound(5)), {}, "Round 1: draft discarded."),
    ("publish", told(c.DrawRound(5)), {"number": 1, "attempt": 1}, "Round 1 published."),
    ("play-on", told(c.DrawRound(5)), {"number": 1, "attempt": 1, "reason": "late"}, "Round 1 published."),
    ("tables", told(c.DrawRound(5)), {"number": 1, "attempt": 1}, "Nothing had to be changed."),
    ("units", NOTHING, {"unit": "unit-1", "table": 1}, "Saved."),
)

# While round 1 is played:
IN_ROUND_1: tuple[tuple[str, Prepare, dict[str, object], str], ...] = (
    ("clock", NOTHING, {"action": "start"}, "The clock runs: 75:00 left."),
    ("structure", NOTHING, {"structure": "own", "swiss_rounds": 3}, "Event settings saved."),
    ("accept", reported, {}, "Result of table 1 saved. 100 : 20"),
    ("match/1.1/clear", told(c.EnterResult("1.1", 0, Result(score=SidePair(100, 20)))), {"revision": 1}, "Result of"),
    ("match/1.1/no-show", lambda desk: {"absent": pairs(desk.house)[0]}, {}, "is a no-show and dropped."),
    ("match/1.1/nobody-came", NOTHING, {}, "Table 1: both are no-shows and dropped."),
    ("match/1.1/here-after-all", told(c.DoubleNoShow("1.1")), {}, "No-show undone:"),
    ("match/1.1/ruling", NOTHING, {"text": "moved back"}, "Ruling for table 1 noted."),
    ("match/1.1/appeal", ruled, {}, "Appeal at table 1 noted."),
    ("match/1.1/appeal-decided", appealed, {"text": "so be it", "upheld": "1"}, "Appeal at table 1 decided."),
    ("match/1.1/extension", NOTHING, {"minutes": 5}, "Table 1: +5 min."),
    ("competitors/p1/warn", NOTHING, {"reason": "late"}, "Warning for Ana Ruiz noted."),
    ("here", lambda desk: {"who": f"1.1 {pairs(desk.house)[0]}"}, {}, "Marked as here."),
    ("call", told(c.CallJudge("1.1", "phone:p1")), {"match": "1.1"}, "Table 1: judge on the way."),
    ("call/settled", told(c.CallJudge("1.1", "phone:p1")), {"match": "1.1"}, "Table 1: call done."),
    ("call", NOTHING, {"unit": "unit-1"}, "Judge call updated."),
    ("call/settled", NOTHING, {"unit": "unit-1"}, "Judge call updated."),
    ("leave/refused", awaited_wish, {"who": "p1"}, "Ana Ruiz stays in the event."),
    ("mend", NOTHING, {"do": "unpublish", "number": 1, "reason": "a slip"}, "Round 1 is a draft again."),
    ("again", NOTHING, {}, "created."),
    ("draw", all_played, {"attempt": 0}, "Round 2 drawn."),
    ("finish", all_played, {"reason": "late"}, "Winter Open finished."),
    ("prizes/draw", NOTHING, {"what": "a pin", "count": 1, "seen": 0, "among": "active"}, "Door prize drawn."),
)


@pytest.mark.parametrize(
    ("path", "prepare", "fields", "says"),
    BEFORE_ROUND_1,
    ids=[f"{n}-{case[0]}" for n, case in enumerate(BEFORE_ROUND_1)],
)
def test_before_round_1_every_form_says_what_it_did(
    desk: Desk, path: str, prepare: Prepare, fields: dict[str, object], says: str
) -> None:
    desk.house.hub.presence.update("unit-1", desk.house.time.ms)
    said = desk.presses(path, **{**fields, **(prepare(desk) or {})})
    assert says in said
    assert said


@pytest.mark.parametrize(
    ("path", "prepare", "fields", "says"), IN_ROUND_1, ids=[f"{n}-{case[0]}" for n, case in enumerate(IN_ROUND_1)]
)
def test_in_a_round_every_form_says_what_it_did(
    round_1: Desk, path: str, prepare: Prepare, fields: dict[str, object], says: str
) -> None:
    round_1.house.hub.presence.update("unit-1", round_1.house.time.ms)
    assert says in round_1.presses(path, **{**fields, **(prepare(round_1) or {})})


ELSEWHERE = {
    "POST /console/<event_id>/archive": "the hub's start page, tested with the archive",
    "POST /console/<event_id>/delete": "the hub's start page, tested with the archive",
    "POST /console/<event_id>/restore": "the hub's start page, tested with the archive",
    "POST /console/<event_id>/undo": "each undoing above",
}
"""Forms of an event that are pressed in other tests, whose browser wants a message after each (`pages_kit`)."""

BY_OTHER_TESTS = (
    "paper",
    "cut",
    "import",
    "match",
    "prizes",
    "extra",
    "keep",
    "elsewhere",
    "pair",
    "reopen",
    "sign-up",
    "competitors",
    "competitor",
    "officials",
)
"""Parts of the console whose other forms their own tests press, under the same demand."""


def test_no_form_of_an_event_is_left_out() -> None:
    pressed = {
        found[0].address
        for path, *_ in (*BEFORE_ROUND_1, *IN_ROUND_1)
        if (found := find_route("POST", f"/console/e1/{path}")) is not None
    }
    forms = {address for address in ROUTES if address.startswith("POST /console/<event_id>/")}
    left = forms - pressed - set(ANSWERED_BY_A_PAGE) - set(ELSEWHERE) - set(LEADS_ON)
    assert {address for address in left if address.split("/")[3] not in BY_OTHER_TESTS} == set()
