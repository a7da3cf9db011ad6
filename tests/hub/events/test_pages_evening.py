"""A whole event through the pages, as an organizer would press it."""

import io
import json

from pages_kit import PEOPLE, House, problem_of, text_of

from roundtap_core.check.check import violations
from roundtap_core.event.cut import diverged_places, final_order
from roundtap_core.eventfile.exports import standings_csv
from roundtap_core.eventfile.read import parse_event_file


def test_from_login_to_the_export(house: House):
    browser = house.organizer()
    assert (
        browser.post(
            "/console", name="Winter Open", rulebook="xwing-standard", structure="own", swiss_rounds=2, color="#00785A"
        ).location
        == "/console/e1"
    )
    assert "Register the players" in text_of(browser.console())
    browser.post("/console/e1/competitors", names="\n".join(PEOPLE))
    assert "Players: 6. Rounds: 2" in text_of(browser.console())
    for number in (1, 2):
        browser.post("/console/e1/draw", attempt=0)
        assert f"Round {number} is drawn" in text_of(browser.console())
        browser.post("/console/e1/publish", number=number, attempt=1)
        browser.post("/console/e1/clock", action="start")
        assert "3 results missing" in text_of(browser.console())
        for table in (1, 2, 3):
            browser.post(
                f"/console/e1/match/{number}.{table}/walk",
                revision=0,
                way="played",
                opener="a",
                **{"q.score.loser": 10 * table},
            )
    assert "All 2 rounds are over" in text_of(browser.console())
    browser.post("/console/e1/finish", reason="the hall closes")
    assert "The event is finished" in text_of(browser.console())

    exported = browser.get("/console/e1/export.json")
    assert 'filename="winter-open.json"' in exported.headers["Content-Disposition"]
    tournament = parse_event_file(exported.text)
    assert [c.name for c in tournament.competitors] == PEOPLE
    assert [len(r.matches) for r in tournament.rounds] == [3, 3]
    # The table without the hub is the same, but for the mark that tells spreadsheets the alphabet.
    table = browser.get("/console/e1/standings.csv").text
    assert table == "\ufeff" + standings_csv(tournament)
    assert len(table.splitlines()) == 7


def test_an_exported_file_makes_the_same_event_again(house: House):
    browser = house.with_event()
    house.publish()
    house.play()
    text = browser.get("/console/e1/export.json").text
    answer = browser.client.post(
        "/console/import",
        data={"csrf": browser.token, "color": "#882255", "file": (io.BytesIO(text.encode()), "event.json")},
    )
    assert answer.location.partition("?")[0] == "/console/e2"
    assert json.loads(browser.get("/console/e2/export.json").text) == json.loads(text)


def test_a_file_with_one_wrong_round_makes_no_event_at_all(house: House):
    browser = house.with_event()
    house.publish()
    house.play()
    data = json.loads(browser.get("/console/e1/export.json").text)
    data["rounds"][0]["matches"][0]["a"] = "nobody"
    answer = browser.client.post(
        "/console/import",
        data={"csrf": browser.token, "color": "#882255", "file": (io.BytesIO(json.dumps(data).encode()), "event.json")},
    )
    assert answer.status_code in (400, 409)
    assert "/rounds/0/matches/0/a" in problem_of(answer)
    assert list(house.service.snapshot.events) == ["e1"]


def test_a_second_tap_on_draw_does_not_draw_again(house: House):
    browser = house.with_event()
    browser.post("/console/e1/draw", attempt=0)
    again = browser.post("/console/e1/draw", attempt=0)
    assert again.status_code == 409
    assert "has changed" in problem_of(again)
    assert house.event.draft.draw.attempt == 1


def test_another_draft_than_the_one_looked_at_is_not_published(house: House):
    browser = house.with_event()
    browser.post("/console/e1/draw", attempt=0)
    browser.post("/console/e1/draw", attempt=1)
    assert browser.post("/console/e1/publish", number=1, attempt=1).status_code == 409
    assert house.event.live is None
    assert browser.post("/console/e1/publish", number=1, attempt=2).status_code == 303


def test_the_draft_shows_points_repeats_and_the_bye(house: House):
    browser = house.with_event(PEOPLE[:3])
    browser.post("/console/e1/draw", attempt=0)
    page = text_of(browser.console())
    assert "Draft: only organizers can see it." in page
    assert "at random" in page
    assert "only organizers can see it" not in text_of(house.browser().get("/e/e1/pairings"))
    browser.post("/console/e1/publish", number=1, attempt=1)
    house.play()
    browser.post("/console/e1/draw", attempt=0)
    assert "last without a bye" in text_of(browser.console())


def test_the_clock_is_started_moved_and_set(house: House):
    browser = house.with_event()
    house.publish()
    browser.post("/console/e1/clock", action="start")
    house.time.ms += 60_000
    browser.post("/console/e1/clock", action="adjust", minutes=5)
    assert house.event.clock.remaining_ms == 79 * 60_000
    browser.post("/console/e1/clock", action="set", time="12:30")
    assert house.event.clock.remaining_ms == 750_000
    wrong = browser.post("/console/e1/clock", action="set", time="noon")
    assert wrong.status_code == 400
    assert "“noon” is not a time" in problem_of(wrong)
    browser.post("/console/e1/clock", action="pause")
    assert "The clock is paused at 12:30" in text_of(browser.console())


def test_an_event_that_another_version_ended_otherwise_says_so_until_it_is_finished_again(house: House, monkeypatch):
    browser = house.with_event()
    house.publish()
    house.play()
    with monkeypatch.context() as another_version:
        another_version.setattr(
            "roundtap_core.event.rounds.final_order", lambda tournament: final_order(tournament)[::-1]
        )
        browser.post("/console/e1/finish", reason="the hall closes")
    place, was, now = diverged_places(house.event)[0]
    people = house.hub.service.snapshot.people["e1"]
    text = text_of(browser.console())
    assert "final ranks differ in this version" in text
    assert f"Announced → now: {place}. {people[was].name} → {people[now].name}" in text
    browser.post("/console/e1/reopen")
    browser.post("/console/e1/finish")
    assert "final ranks differ" not in text_of(browser.console())


def test_finishing_says_what_it_will_do(house: House):
    browser = house.with_event(swiss_rounds=1)
    house.publish()
    house.play()
    said = "Makes the standings final and locks all results. You can reopen the event."
    assert said in text_of(browser.console())


def test_a_file_that_breaks_a_rule_is_taken_in_only_knowingly(house: House):
    """A result above the cap is legal in a record, and `check` names it: an organizer must have read it."""
    browser = house.organizer()
    file = {
        "format": "roundtap-event/1",
        "name": "Recorded",
        "rulebook": "xwing-standard",
        "seed": 1,
        "options": {"structure": "own", "swiss_rounds": 1, "cut": 0},
        "competitors": [{"id": "p1", "name": "Ana Ruiz"}, {"id": "p2", "name": "Bruno Maier"}],
        "rounds": [
            {
                "number": 1,
                "stage": "swiss",
                "matches": [{"table": 1, "a": "p1", "b": "p2", "result": {"score": {"a": 300, "b": 100}}}],
            }
        ],
    }
    refused = browser.post("/console/import", file=(io.BytesIO(json.dumps(file).encode()), "event.json"))
    assert refused.status_code == 409
    assert "violates a rule: 300 is out of range" in problem_of(refused)
    taken = browser.post("/console/import", anyway="1", file=(io.BytesIO(json.dumps(file).encode()), "event.json"))
    assert taken.status_code == 303


def test_an_end_before_everything_is_played_says_why_and_everybody_reads_it(house: House):
    browser = house.with_event()
    house.publish()
    house.play()
    assert 'name="reason" required' in browser.console().text.partition('id="finish"')[2]
    refused = browser.post("/console/e1/finish")
    assert "Give a reason to finish now" in problem_of(refused)
    assert not house.event.finished
    browser.post("/console/e1/finish", reason="the hall closes at ten")
    assert house.event.finished
    rules = text_of(browser.get("/rules/e1"))
    assert "The event ended early." in rules
    assert "Reason: the hall closes at ten" in rules
    assert "Open at the end" in rules
    assert "Open at the start" not in rules
    file = parse_event_file(browser.get("/console/e1/export.json").text)
    assert [problem.key for problem in violations(file)] == []
    assert file.record["played_on"][0]["points"] == [{"kind": "finished_early"}]


def test_an_event_that_was_played_to_its_end_asks_no_reason(house: House):
    browser = house.with_event(swiss_rounds=1)
    house.publish()
    assert "more rounds" not in text_of(browser.console()), "0 for none"
    house.play()
    browser.post("/console/e1/finish")
    assert house.event.finished
    assert house.event.played_on == ()
