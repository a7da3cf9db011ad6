"""A player reports from the phone: step by step, one side each, and what became of it stands there in words."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pages_kit import Browser, House, open_house, problem_of, text_of
from recorded_reports import record_report
from werkzeug.test import TestResponse

from roundtap_core.event.commands import EnterResult, SetClock
from roundtap_core.event.results import SERIALS_AHEAD
from roundtap_core.event.states import MatchState
from roundtap_core.records import Result, Side, SidePair
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.store.command_pipeline import validate_report


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        house.time_is_up()
        yield house


class Phone(Browser):
    """The phone of one player, with their link."""

    def __init__(self, house: House, competitor: str, language: str = "en") -> None:
        super().__init__(house.app.test_client(), language)
        self.house = house
        self.me = house.hub.access.links.path("e1", competitor)

    def home(self) -> TestResponse:
        return self.get(self.me)

    def walked(self, *answers: dict[str, Any]) -> TestResponse:
        """The report's page after these answers, each given on the page before it."""
        page = self.get(f"{self.me}/report")
        for answer in answers:
            query = {**hidden_in(page, "get"), **answer}
            page = self.client.get(f"{self.me}/report", query_string=query, headers=self.headers)
        return page

    def says(self, page: TestResponse, **other: str) -> TestResponse:
        """Press the button that says what a page has to be said."""
        return self.client.post(f"{self.me}/report", data={**hidden_in(page, "post"), **other}, headers=self.headers)

    def reports(self, side: str, a: int, b: int) -> TestResponse:
        """X-Wing, at time: both figures."""
        figures = {"q.score.winner": str(a if side == "a" else b), "q.score.loser": str(b if side == "a" else a)}
        return self.says(self.walked({"way": "time"}, figures))


def hidden_in(page: TestResponse, method: str) -> dict[str, Any]:
    """The hidden fields of the report's form of a page; of a question, where it asks."""
    pattern = rf'<form method="{method}" action="[^"]*/report"[^>]*>(.*?)</form>'
    found = re.search(pattern, page.text, re.S)
    assert found, text_of(page)
    fields: dict[str, Any] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', found[1]):
        fields.setdefault(html.unescape(name), []).append(html.unescape(value))
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


def early(house: House) -> None:
    house.service.execute_one("e1", SetClock("set", 60_000), "test")


def match_of(house: House) -> MatchState:
    return house.event.live.matches[0]


def phones(house: House, language: str = "en") -> tuple[Phone, Phone]:
    """Of both players of the first table."""
    seat = match_of(house).match
    assert seat.b is not None
    return Phone(house, seat.a, language), Phone(house, seat.b, language)


def test_one_reports_the_other_agrees_and_the_result_stands(house: House) -> None:
    ana, bruno = phones(house)
    said = ana.reports("a", 90, 60)
    assert said.status_code == 303
    told = text_of(ana.get(said.headers["Location"]))
    entry = match_of(house).reports["a"].number
    assert f"Saved #{entry}" in told
    assert "Your opponent still has to confirm" in told
    assert match_of(house).state == "one-sided"

    asked = bruno.home()
    assert "reported this. Correct?" in text_of(asked)
    assert "90:60" in text_of(asked)
    agreed = bruno.says(asked)
    assert "Both reports match. The result is saved." in text_of(bruno.get(agreed.headers["Location"]))
    assert match_of(house).state == "agreed"
    assert match_of(house).match.result == Result(ended="time", score=SidePair(90, 60))
    actors = [e.actor for e in entries(house) if e.kind == "report"]
    seat = match_of(house).match
    assert actors == [f"phone:{seat.a}", f"phone:{seat.b}"]


def entries(house: House) -> list:  # type: ignore[type-arg]
    return house.service.journal.streams()["e1"]


def test_a_question_names_the_winner_and_every_figure(house: House) -> None:
    ana, bruno = phones(house)
    ana.reports("a", 90, 60)
    seat = match_of(house).match
    name = text_of(ana.home()).split("Sent.")[0]
    asked = re.search(r'id="my-match"[^>]*>(.*?)</section>', bruno.home().text, re.S)
    assert asked
    words = " ".join(re.sub(r"<[^>]+>", " ", html.unescape(asked[1])).split())
    assert seat.a
    assert "won" in words
    assert "90:60" in words
    assert name


def test_a_double_press_is_one_report(house: House) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    before = house.event.number
    one, two = ana.says(page), ana.says(page)
    assert one.headers["Location"] == two.headers["Location"]
    assert house.event.number == before + 1


def test_the_same_name_with_other_words_is_told_apart(house: House) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    ana.says(page)
    again = ana.client.post(
        f"{ana.me}/report",
        headers={"Accept": "application/json"},
        data={**hidden_in(page, "post"), "result": '{"ended":"time","score":{"a":200,"b":0}}'},
    )
    assert again.get_json()["fate"] == "refused"
    assert again.get_json()["reason"] == "altered"
    assert match_of(house).reports["a"].result.score == SidePair(90, 60)


def test_a_yes_to_what_has_changed_meanwhile_is_refused_and_told(house: House) -> None:
    ana, bruno = phones(house)
    ana.reports("a", 90, 60)
    shown = bruno.home()
    ana.reports("a", 90, 70)
    answer = bruno.says(shown)
    assert "Your opponent changed their report" in text_of(bruno.get(answer.headers["Location"]))
    assert match_of(house).match.result is None
    assert "90:70" in text_of(bruno.home())
    bruno.says(bruno.home())
    assert match_of(house).match.result == Result(ended="time", score=SidePair(90, 70))


def test_two_versions_stand_side_by_side_until_one_agrees(house: House) -> None:
    ana, bruno = phones(house)
    ana.reports("a", 90, 60)
    bruno.reports("a", 90, 75)
    assert match_of(house).state == "dispute"
    for phone in (ana, bruno):
        shown = text_of(phone.home())
        assert "Your reports differ" in shown
        assert "90:60" in shown
        assert "90:75" in shown
    ana.says(ana.home())
    assert match_of(house).match.result == Result(ended="time", score=SidePair(90, 75))


def test_a_correction_after_the_agreement_is_a_second_one_and_a_judge_s(house: House) -> None:
    ana, bruno = phones(house)
    ana.reports("a", 90, 60)
    bruno.says(bruno.home())
    bruno.reports("a", 90, 70)
    assert match_of(house).state == "dispute"
    ana.says(ana.home())
    assert match_of(house).state == "second"
    assert match_of(house).match.result == Result(ended="time", score=SidePair(90, 60)), "the first goes on standing"
    shown = ana.home()
    assert "A judge decides" in text_of(shown)
    # Whoever thinks better of it says the first again, and the other one is asked as ever.
    ana.says(shown)
    assert match_of(house).state == "dispute"
    bruno.says(bruno.home())
    assert match_of(house).state == "agreed"


def test_what_a_judge_has_entered_meanwhile_is_told(house: House) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    match = match_of(house)
    house.service.execute_one("e1", EnterResult(match.id, 0, Result(score=SidePair(100, 0))), "organizer")
    answer = ana.says(page)
    assert "A judge has decided" in text_of(ana.get(answer.headers["Location"]))
    assert match_of(house).match.result == Result(score=SidePair(100, 0))


def test_a_report_that_comes_after_the_round_is_told_that(house: House) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    house.play()
    house.publish()
    answer = ana.says(page)
    assert "The round is closed" in text_of(ana.get(answer.headers["Location"]))


def test_the_own_side_s_newer_word_stands(house: House) -> None:
    """Said in two windows of one phone, or at the unit meanwhile: the older form is refused."""
    ana, _ = phones(house)
    older = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    ana.reports("a", 90, 70)
    answer = ana.says(older)
    assert "sent a newer report" in text_of(ana.get(answer.headers["Location"]))
    assert match_of(house).reports["a"].result.score == SidePair(90, 70)


# --- whose word it is -----------------------------------------------------------------------------------------------


def test_a_link_reports_its_own_side_whatever_else_is_sent(house: House) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    ana.says(page, side="b", unit="table-1", phone="p99", competitor="p2")
    assert set(match_of(house).reports) == {"a"}


def test_a_link_reports_no_other_match(house: House) -> None:
    other = house.event.live.matches[1]
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    before = house.event.head
    answer = ana.says(page, match=other.id, a=other.match.a, b=other.match.b or "")
    assert answer.status_code == 409
    assert "This match is no longer yours" in problem_of(answer)
    assert house.event.head == before


@pytest.mark.parametrize(
    "changed",
    [
        {"revision": "x"},
        {"serial": "0"},
        {"serial": "9" * 12},
        {"result": "{"},
        {"result": "[" * 900},
        {"match": ""},
        {"result": "7"},
        {"report_id": "x" * 65},
        {"agrees_id": "x" * 65},
        {"a": "\u202e"},
        {"result": '{"score":{"a":1e3}}'},
        {"result": '{"score":{"a":%s}}' % ("9" * 400)},
    ],
)
def test_what_nobody_s_page_sends_is_refused(house: House, changed: dict[str, str]) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    answer = ana.says(page, **changed)
    assert answer.status_code in (303, 400, 409)
    assert not match_of(house).reports


def test_no_page_keeps_its_own_side_from_speaking_later(house: House) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    assert ana.says(page, serial="2").status_code == 400
    assert ana.says(page, serial="99999").status_code == 400
    assert not match_of(house).reports


@pytest.mark.parametrize(("serial", "fate"), [(99_999, "refused"), (SERIALS_AHEAD, "accepted")])
def test_no_unit_keeps_the_phone_or_the_next_unit_of_its_table_from_speaking_later(
    house: House, serial: int, fate: str
) -> None:
    """A stolen one said the highest serial there was: the phone's next one was none, and neither was that of the unit
    that took its place."""
    house.place("stolen", 1)
    held = match_of(house)

    def unit_says(unit: str, number: int, serial: int) -> str:
        return str(
            record_report(
                house.service,
                validate_report(
                    {
                        "report_id": f"{unit}-{number}",
                        "unit": unit,
                        "event": "e1",
                        "match": held.id,
                        "side": "a",
                        "revision": 0,
                        "result": {"ended": "time", "score": {"a": 0, "b": 90}},
                        "serial": serial,
                    }
                ),
            )["fate"]
        )

    assert unit_says("stolen", 1, serial) == fate
    for number in range(2, 120):
        # It climbs, in steps that no one refuses.
        assert unit_says("stolen", number, match_of(house).heard.get("a", 0) + SERIALS_AHEAD) == "accepted"
    ana, _ = phones(house)
    assert ana.reports("a", 90, 60).status_code == 303
    assert match_of(house).reports["a"].result == Result(ended="time", score=SidePair(90, 60))
    house.place("new", 1)
    assert unit_says("new", 1, match_of(house).heard["a"] + 1) == "accepted"
    assert ana.reports("a", 90, 50).status_code == 303


def test_a_revoked_link_reports_nothing_and_shows_nothing(house: House) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    house.hub.access.links.revoke("e1", match_of(house).match.a)
    before = house.event.head
    for answer in (ana.says(page), ana.home(), ana.get(f"{ana.me}/report")):
        assert answer.status_code == 404
        assert "Ask the desk for a new one" in text_of(answer)
        assert not re.search(r"\b90\b", text_of(answer))
    assert house.event.head == before


def test_somebody_who_presses_without_end_is_told_to_wait(house: House) -> None:
    ana, _ = phones(house)
    for number in range(40):
        answer = ana.reports("a", 10 + number, 0)
        if answer.status_code != 303:
            break
    assert answer.status_code == 429
    assert "Too many attempts" in problem_of(answer)


def test_what_comes_back_to_a_script_names_the_very_report(house: House) -> None:
    ana, _ = phones(house)
    page = ana.walked({"way": "time"}, {"q.score.winner": "90", "q.score.loser": "60"})
    fields = hidden_in(page, "post")
    answer = ana.client.post(f"{ana.me}/report", data=fields, headers={"Accept": "application/json"})
    said = answer.get_json()
    assert said["report_id"] == fields["report_id"]
    assert (said["fate"], said["reason"], said["number"]) == ("accepted", None, house.event.number)
    assert said["title"] == f"Saved #{house.event.number}"


# --- how the pages are kept to themselves ---------------------------------------------------------------------------


def test_no_page_of_a_link_is_kept_or_leaves_its_trace(house: House) -> None:
    ana, _ = phones(house)
    said = ana.reports("a", 90, 60).headers["Location"]
    for path in (ana.me, f"{ana.me}/report", said, "/me", "/me/made.up"):
        answer = ana.get(path)
        assert answer.headers["Cache-Control"] == "no-store", path
        assert answer.headers["Referrer-Policy"] == "no-referrer", path


def test_no_other_page_names_a_link(house: House) -> None:
    ana, bruno = phones(house)
    ana.reports("a", 90, 60)
    token = ana.me.rpartition("/")[2]
    organizer = house.organizer()
    for path in ("/", "/e/e1", f"/e/e1/p/{match_of(house).match.a}", "/e/e1/pairings", "/wall/e1", bruno.me):
        assert token not in house.browser().get(path).text, path
    assert token not in organizer.console().text
    for line in entries(house):
        assert token not in json.dumps(line.data)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fate_has_its_words(house: House, language: str) -> None:
    words = catalogue("roundtap_hub", language)
    for reason in (
        "late",
        "judge",
        "impossible",
        "unknown-match",
        "elsewhere",
        "older",
        "superseded",
        "altered",
        "early",
    ):
        assert f"me.said.{reason}" in words
    ana, bruno = phones(house, language)
    ana.reports("a", 90, 60)
    assert "90:60" in text_of(bruno.home())
    assert urlsplit(bruno.says(bruno.home()).headers["Location"]).path.startswith(bruno.me)


# --- the desk's six letters -----------------------------------------------------------------------------------------


def test_six_letters_of_the_desk_lead_to_the_page(house: House) -> None:
    code = house.hub.access.links.code("e1", "p1")
    browser = house.browser()
    assert "Type the six letters" in text_of(browser.get("/me"))
    wrong = browser.client.post("/me", data={"code": "ZZZZZZ"}, headers=browser.headers)
    assert wrong.status_code == 400
    assert "Wrong or expired code" in problem_of(wrong)
    right = browser.client.post("/me", data={"code": code.lower()}, headers=browser.headers)
    assert right.headers["Location"] == house.hub.access.links.path("e1", "p1")


def test_guessing_letters_is_slowed_down_with_words(house: House) -> None:
    browser = house.browser()
    for _ in range(9):
        answer = browser.client.post(
            "/me", data={"code": "ZZZZZZ"}, headers=browser.headers, environ_base={"REMOTE_ADDR": "10.0.0.9"}
        )
    assert "Wait" in problem_of(answer)


def test_the_side_is_the_person_s(house: House) -> None:
    """Both sides: the second phone's word is side b's."""
    _, bruno = phones(house)
    bruno.reports("b", 10, 90)
    side: Side = "b"
    assert set(match_of(house).reports) == {side}


def test_who_won_stands_above_the_points_that_are_asked(house: House):
    phone, _ = phones(house)
    page = text_of(phone.walked({"way": "played"}, {"opener": "b"}))
    winner = match_of(house).match.b
    shown = house.service.snapshot.people_of("e1")[winner].name.split()[0]
    assert re.search(rf"Winner {shown} \w+\. Victory points", page), page


def test_nothing_ends_by_time_on_a_phone_before_the_table_s_time_is_up(house: House):
    early(house)
    phone, other = phones(house)
    assert 'value="time"' not in phone.walked().text
    assert 'value="conceded"' in phone.walked().text
    asked = phone.walked({"way": "conceded"})
    made_up = phone.client.get(f"{phone.me}/report?way=time&q.score.winner=60&q.score.loser=24", headers=phone.headers)
    assert "Time is not up at this table" in problem_of(made_up)
    assert asked.status_code == 200
    by_time = json.dumps({"ended": "time", "score": {"a": 60, "b": 24}})
    for one in (phone, other):
        end = one.walked({"way": "conceded"}, {"opener": "a"}, {"q.score.loser": "24"})
        answer = one.says(end, result=by_time)
        assert "Time is not up at your table" in text_of(one.get(answer.location))
    assert match_of(house).match.result is None
    assert match_of(house).reports == {}


def test_what_cannot_be_said_has_no_button_that_says_it(house: House) -> None:
    """Who has all the points has won, and does not concede; what comes after the steps back can be said."""
    ana, _ = phones(house)
    refused = ana.walked({"way": "conceded"}, {"opener": "a"}, {"q.score.loser": "100"})
    assert "has already won" in problem_of(refused)
    assert '<form method="post"' not in refused.text
    assert ana.says(ana.walked({"way": "conceded"}, {"opener": "a"}, {"q.score.loser": "99"})).status_code == 303


def test_what_one_phone_says_for_both_sides_waits_for_an_official(house: House) -> None:
    """The loser scans the slip, takes both pages and agrees with himself."""
    honest, thief = phones(house)
    desk = house.browser()
    thief.reports("a", 24, 100)
    thief.me = honest.me
    answer = thief.reports("a", 24, 100)
    assert answer.status_code == 303
    assert "One phone sent both reports" in text_of(thief.get(answer.location))
    assert match_of(house).state == "one-phone"
    assert match_of(house).match.result is None
    desk.log_in()
    console = text_of(desk.console())
    assert "one phone sent both reports" in console
    # The thief's own yes is no other person's; the other one says it from their own phone, where the page asks.
    thief.says(thief.home())
    assert match_of(house).match.result is None
    asked = text_of(honest.home())
    assert "One phone sent both reports" in asked
    assert "reported this. Correct?" in asked
    honest.says(honest.home())
    assert match_of(house).match.result is not None
    assert match_of(house).state == "agreed"


def test_an_official_accepts_what_one_phone_said_for_two(house: House) -> None:
    """Two children, one phone."""
    shared, other = phones(house)
    desk = house.browser()
    shared.reports("a", 100, 24)
    shared.me = other.me
    shared.reports("a", 100, 24)
    desk.log_in()
    found = match_of(house)
    assert (
        desk.post(
            "/console/e1/accept", match=found.id, revision=found.revision, side="a", number=found.reports["a"].number
        ).status_code
        == 303
    )
    assert match_of(house).match.result == Result(ended="time", score=SidePair(100, 24))


def test_browsers_without_cookies_are_one_phone(house: House) -> None:
    for phone in phones(house):
        page = phone.walked({"way": "time"}, {"q.score.winner": "100", "q.score.loser": "24"})
        phone.client.delete_cookie("roundtap_phone")
        phone.says(page)
    assert match_of(house).match.result is None
