"""Play says the structure and until when it may change; a form that is gone leaves a sentence that says why."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from course_kit import Course, course
from own_games_kit import EVERYTHING, keep
from pages_kit import House, problem_of

from roundtap_core.event.commands import DrawRound, DropCompetitor, FinishEvent, PublishRound, ReopenEvent, SetClock
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES

FORMS = {
    "Withdraw round": ("/mend", 'name="do" value="unpublish"', None),
    "Register players": ("/players", 'action="/console/e1/competitors"', "/competitors"),
    "Check-in": ("/players", 'href="/console/e1/check-in"', None),
    "Use check-in": ("/check-in", 'action="/console/e1/check-in"', "/check-in"),
    "Phone sign-up": ("/players", 'href="/console/e1/sign-up"', "/sign-up"),
    "Rounds and names": ("/event", 'action="/console/e1/options"', "/options"),
    "Rounds and cut": ("/event", 'action="/console/e1/structure"', "/structure"),
    "Date, venue, special rules": ("/event", 'action="/console/e1/about"', "/about"),
    "Special rules": ("/event", 'name="special_rules"', None),
    "Drop player": ("/person/Ana", 'action="/console/e1/competitors/Ana/drop"', "/competitors/Ana/drop"),
}
"""Heading of each form that comes to an end: the page where it stands, how one knows it there, where it is sent."""

SENT = {"names": "Late", "sign_up": "confirm", "used": 1, "full_names": 1, "prize_places": 0}

NOTED_ON = {"/mend": "", "/check-in": "/players"}  # a page that is gone with its form: the place that says why

ROUND_1 = {"Rounds and names", "Special rules", "Use check-in", "Phone sign-up"}
ROUND_2 = ROUND_1 | {"Rounds and cut", "Register players", "Check-in"}
BEGUN = {"Withdraw round"}


def states(it: Course) -> Iterator[tuple[str, set[str]]]:
    """An event of three Swiss rounds, the semi-finals and the final; what is closed in each of its states, by hand."""
    yield "entered", set()
    it.tell(DrawRound(1))
    yield "round 1 drawn", set()
    it.tell(PublishRound(1, 1, noted="a test"))
    yield "round 1 published", ROUND_1
    if it.event.clock.total_ms is not None:
        it.tell(SetClock("start"))
        yield "clock running", ROUND_1 | BEGUN
    it.settle(only=1)
    yield "first result", ROUND_1 | BEGUN
    it.settle()
    yield "all results of round 1", ROUND_1 | BEGUN
    it.tell(DrawRound(2))
    yield "round 2 drawn", ROUND_1 | BEGUN
    it.tell(PublishRound(2, 1))
    yield "round 2 published", ROUND_2
    it.settle()
    it.swiss(1)
    yield "Swiss rounds over", ROUND_2 | BEGUN
    it.cut()
    yield "cut made", ROUND_2 | BEGUN
    it.publish()
    yield "semi-finals", ROUND_2
    it.settle()
    it.publish()
    it.settle()
    yield "final over", ROUND_2 | BEGUN
    it.tell(FinishEvent())
    # Nobody would withdraw a round then: Play says nothing of it.
    yield "finished", set(FORMS) - BEGUN
    it.tell(ReopenEvent())
    yield "reopened", ROUND_2 | BEGUN


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_in_every_state_a_form_is_there_or_a_sentence_says_why_not(rulebook: str, tmp_path: Path) -> None:
    """The sentence is the one with which the core refuses what the form would send."""
    with course(tmp_path, rulebook, swiss_rounds=3) as it:
        teams = RULEBOOKS[rulebook].team_size > 1
        for state, closed in states(it):
            desk = it.house.organizer()
            for heading, (path, form, sent_to) in FORMS.items():
                where = (rulebook, state, heading)
                heading = "Register teams" if teams and heading == "Register players" else heading
                page = desk.get(f"/console/e1{path}")
                noted = desk.get(f"/console/e1{NOTED_ON.get(path, path)}").text
                lines = [
                    html.unescape(re.sub("<[^>]+>", "", line))
                    for line in re.findall(r'<p class="quiet closed">(.*?)</p>', noted)
                ]
                said = [line.partition(": ")[2] for line in lines if heading in line.partition(": ")[0].split(" · ")]
                if where[2] in closed:
                    assert form not in page.text, where
                    assert len(said) == 1, where
                    if sent_to is not None:
                        refused = desk.post(f"/console/e1{sent_to}", **SENT)
                        assert refused.status_code in (404, 409, 410), where
                        if refused.status_code == 409:
                            assert said[0] in problem_of(refused), where
                else:
                    assert not said, where
                    # Before round 1 rounds and cut stand among the other options.
                    if not (heading == "Rounds and cut" and not it.event.public_rounds) and path != "/mend":
                        assert form in page.text, where


def headline(house: House, language: str = "en", event: str = "e1") -> str:
    browser = house.browser(language)
    browser.enter(house.hub)
    found = re.search(r'id="headline"[^>]*>(.*?)</p>', browser.get(f"/console/{event}").text)
    assert found
    return html.unescape(found[1])


@pytest.mark.parametrize(
    ("rulebook", "options", "says"),
    [
        ("xwing-standard", {}, "8 players · 3 Swiss rounds, no cut (can change until round 2)"),
        ("xwing-epic-duel", {"swiss_rounds": 4, "cut": 2}, "8 players · 4 Swiss rounds, then cut to top 2"),
        ("xwing-epic-team", {}, "8 teams · 3 Swiss rounds, no cut"),
        ("keyforge-archon", {"swiss_rounds": 3, "cut": 8}, "8 players · 3 Swiss rounds, then cut to top 8"),
        ("warlords-of-terra", {"swiss_rounds": 1}, "8 players · 1 Swiss round, no cut"),
        (
            "shatterpoint-premier",
            {"swiss_rounds": 0},
            "8 players · Elimination from the start (can change until round 1)",
        ),
    ],
)
def test_play_says_the_structure_and_until_when_it_may_change(
    rulebook: str, options: dict[str, int], says: str, tmp_path: Path
) -> None:
    with course(tmp_path, rulebook, structure="own", **{"swiss_rounds": None, "cut": 0, **options}) as it:
        until = 1 if options.get("swiss_rounds") == 0 else 2
        says = says.partition(" (")[0]
        for _ in range(until):
            assert headline(it.house) == f"{says} (can change until round {until})"
            if it.event.live:
                it.settle()
            if it.event.swiss_rounds != len(it.event.public_rounds) or until == 1:
                it.publish()
        if len(it.event.public_rounds) == until:
            assert headline(it.house) == says


def test_an_own_game_says_the_rounds_of_its_lines_and_who_all_meet_each_other_have_nothing_to_change(
    house: House,
) -> None:
    """Four to eight players: three rounds without a cut. From nine on: five, then a cut to four."""
    circle = 'format = "roundtap-rules/1"\nname = "Circle"\n[match]\nreport = "winner"\n[points]\nwin = 1\n'
    lines, everybody = keep(house.service, EVERYTHING, circle + '[pairing]\nrounds = "everybody"\n')
    house.with_event([f"P{n}" for n in range(8)], rulebook=lines, structure="basic", swiss_rounds="")
    assert headline(house) == "8 players · 3 Swiss rounds, no cut (can change until round 2)"
    house.organizer().post("/console/e1/competitors", names="Late One\nLate Two")
    assert headline(house) == "10 players · 5 Swiss rounds, then cut to top 4 (can change until round 2)"
    browser = house.organizer()
    browser.post("/console", name="Circle", rulebook=everybody, color="#00785A", structure="own")
    browser.post("/console/e2/competitors", names="A\nB\nC\nD\nE")
    assert headline(house, event="e2") == "5 players · 5 rounds, all play each other, no cut"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_structure_is_said_in_every_language(house: House, language: str) -> None:
    house.with_event(cut=4)
    said = headline(house, language)
    assert re.fullmatch(r"6 \w+ · 2 [^,]+, [^(]*4[^(]* ?\([^)]*2[^)]*\)", said), said


def test_the_headline_counts_those_who_play_now_and_ends_its_sentence_once(house: House) -> None:
    house.with_event([f"P{n}" for n in range(8)])
    house.publish()
    for who in ("p1", "p2", "p3"):
        house.service.execute_one("e1", DropCompetitor(who), "test")
    assert headline(house).startswith("5 players · ")
    house.organizer().post("/console", name="Empty", rulebook="keyforge-archon", color="#00785A")
    said = headline(house, event="e2")
    assert said == "0 players · Not known yet: too few players for this structure (can change until round 2)"
