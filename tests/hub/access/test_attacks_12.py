"""Odd presses and late clicks on what the organizer's day brought: nothing happens twice, early, or to another."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from asgi_client import AsgiClient
from pages_kit import Browser, open_house, problem_of

from roundtap_core.event.commands import SetClock
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_core.wire import canonical_json
from roundtap_hub.access.slip_codes import slip_codes, slip_token
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.phones.my_page import report_fields


def form_of(browser: Browser, page: str, action: str, **typed: str) -> dict[str, str]:
    """The fields of the form on a page that goes to `action`, with what is typed into them."""
    text = browser.get(page).text
    found = re.search(rf'<form[^>]* action="{re.escape(action)}"[^>]*>.*?</form>', text, re.S)
    assert found, (page, action)
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', found[0])
    return {**{name: unescape(value) for name, value in hidden}, **typed}


def pressed(browser: Browser, action: str, form: dict[str, str]) -> Any:
    return browser.client.post(action, data=form, headers=browser.headers)


# --- two presses of one button ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "action", "typed"),
    [
        ("/console/e1/match/1.1", "/console/e1/match/1.1/ruling", {"text": "Slow play."}),
        ("/console/e1/match/1.1", "/console/e1/match/1.1/extension", {"minutes": "5"}),
        ("/console/e1/match/1.1", "/console/e1/competitors/{a}/warn", {"reason": "Late"}),
        ("/console/e1/person/{a}", "/console/e1/competitors/{a}/warn", {"reason": "Late"}),
        ("/console/announcements", "/console/announcements/say", {"text": "Lunch is here", "kind": "line"}),
    ],
)
def test_the_same_form_sent_twice_counts_once(tmp_path: Path, page: str, action: str, typed: dict[str, str]) -> None:
    """A second warning, ruling or five minutes, because a browser without scripts sent a form twice."""
    with open_house(tmp_path) as house:
        browser = house.with_event()
        house.publish()
        house.service.execute_one("e1", SetClock("start"), "test")
        names = {"a": house.event.rounds[0].matches[0].match.a}
        page, action = page.format(**names), action.format(**names)
        form = form_of(browser, page, action, **typed)
        before = house.service.snapshot
        assert pressed(browser, action, form).status_code == 303
        once = house.service.snapshot
        again = pressed(browser, action, form)
        assert once is not before
        assert house.service.snapshot.events["e1"].head == once.events["e1"].head
        assert house.service.snapshot.venue.head == once.venue.head
        assert again.status_code == 303 or (again.status_code == 409 and problem_of(again))
        fresh = form_of(browser, page, action, **{**typed, **({"text": "Another"} if "text" in typed else {})})
        assert pressed(browser, action, fresh).status_code == 303, "meant once more it is done once more"
        assert house.service.snapshot is not once


def test_an_event_begun_by_two_presses_is_one_event(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        browser = house.organizer()
        form = form_of(
            browser,
            "/console/new",
            "/console",
            name="Winter Open",
            color="#00785A",
            structure="own",
            swiss_rounds="2",
            rulebook="xwing-standard",
        )
        assert pressed(browser, "/console", form).status_code == 303
        again = pressed(browser, "/console", form)
        assert again.status_code == 409
        assert "changed since this button was shown" in problem_of(again)
        assert house.service.snapshot.ids == ["e1"]


def test_who_is_entered_by_the_name_of_another_is_entered_once(tmp_path: Path) -> None:
    """With the tick for another person of the name nothing stood in the way of a form that was sent twice."""
    with open_house(tmp_path) as house:
        browser = house.with_event()
        form = form_of(browser, "/console/e1/players", "/console/e1/competitors", names="Ana Ruiz", same_name="1")
        assert pressed(browser, "/console/e1/competitors", form).status_code == 303
        assert pressed(browser, "/console/e1/competitors", form).status_code == 409
        assert len(house.event.entrants) == 7


# --- what a phone sends ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        ("result", '{"ended": "\\ud800"}'),
        ("result", '{"a": ' + "[" * 300 + "]" * 300 + "}"),
        ("result", "{"),
        ("report_id", "x\r\nSet-Cookie: roundtap=1"),
        ("report_id", "../../x"),
        ("report_id", "ż"),
    ],
)
def test_what_cannot_be_written_down_is_refused_by_its_field(tmp_path: Path, field: str, sent: str) -> None:
    """Half a letter, or a hundred brackets, made an error page; a line break in a report's name, a header."""
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        played = house.event.rounds[0]
        link = house.hub.access.links.path("e1", played.matches[0].match.a)
        result = canonical_json(result_to_json(Result(score=SidePair(100, 24)))).decode()
        form = {
            **dict(report_fields(played, played.matches[0], "a")),
            "result": result,
            "report_id": "one",
            field: sent,
        }
        native, flask = AsgiClient(HubApplication(house.hub), lifespan=True), house.browser().client
        head = house.event.head
        for headers in ({}, {"accept": "application/json"}):
            for answer in (
                native.post(f"{link}/report", data=form, **headers),
                flask.post(f"{link}/report", data=form, headers=headers),
            ):
                assert answer.status_code == 400
                assert field in answer.text
        assert house.event.head == head
        native.close()


def test_a_made_up_slip_has_nobody_read_the_whole_journal(tmp_path: Path) -> None:
    """One slip shows how the others begin; whoever made up the rest had all entries folded again with each look."""
    with open_house(tmp_path) as house:
        browser = house.with_event()
        house.publish()
        played = house.event.rounds[0]
        token = slip_token(house.hub.access.secret, house.event, played, played.matches[0])
        made_up = token[:8] + "0" * 8 + token[16:]
        asked: list[str] = []
        entries = house.service.entries

        def counted(event_id: str) -> Any:
            asked.append(event_id)
            return entries(event_id)

        house.service.entries = counted  # type: ignore[method-assign]
        assert house.browser().get(f"/s/{made_up}").status_code == 404
        assert asked == []
        assert browser.get(f"/console/e1/slip?code={made_up}").status_code == 200
        assert asked == ["e1"], "the desk is told which table such a slip was of"


# --- one rule, every front -------------------------------------------------------------------------------------------


def test_a_scorekeeper_overrules_no_table_by_a_slip(tmp_path: Path) -> None:
    """It was refused with words about officials and a list that is not there; what counts then is a judge's to say."""
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        for side in "ab":
            house.report("1.1", side, 100, 24)
        keeper = house.staff("scorekeeper")
        slip = "/console/e1/match/1.1/walk"
        end = (
            f"{slip}?slip={slip_codes(house.event, house.event.rounds[0])['1.1']}&way=played&opener=b&q.score.loser=24"
        )
        asked, typed = keeper.opened(end), form_of(keeper, end, slip)
        assert 'value="record"' in asked.text
        assert 'value="slip"' not in asked.text
        assert "Decided by: judge, head judge, organizer" in asked.text
        head = house.event.head
        refused = pressed(keeper, slip, {**typed, "counts": "slip", "reason": "So it is"})
        assert refused.status_code == 409
        assert "This action needs: judge, head judge, organizer" in problem_of(refused)
        assert house.event.head == head
        judge = house.staff("judge", "Jo Judge")
        typed["csrf"] = form_of(judge, end, slip)["csrf"]
        assert pressed(judge, slip, {**typed, "counts": "slip", "reason": "So it is"}).status_code == 303
        found = house.event.find_match("1.1")
        assert found[1].match.result == Result(score=SidePair(24, 100))
