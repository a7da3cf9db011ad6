"""The console as small data: what came as changes makes the same page, and nobody gets what is another one's."""

import gzip
import random
import re
from typing import Any

import pytest
from flask import before_render_template
from page_dom import Node, patched, tree
from pages_kit import Browser, House, problem_of, text_of

from roundtap.kit.player_names import player_names
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.records import Result, SidePair
from roundtap_hub.live.render import FRESH_MS, RENDER_CACHE, RenderCache

CONSOLE = "/console/e1"

TO_THE_CUT: dict[str, Any] = {"swiss_rounds": 3, "cut": 4}
SQUADS: dict[str, Any] = {"rulebook": "shatterpoint-premier", "swiss_rounds": 2}


def seen(page: str) -> str:
    found = re.search(r'data-seen="([^"]+)"', page)
    assert found
    return found[1]


def still(node: Node) -> Node:
    """The page without what goes on by itself, and without when it was sent."""
    if "data-ticking" in node.attributes:
        node.children = []
    if node.attributes.get("name") == "shown_at":
        node.attributes["value"] = ""
    node.attributes.pop("data-now", None)
    for child in node.children:
        if isinstance(child, Node):
            still(child)
    return node


class Reader:
    """An open page of somebody's console, which fetches what changed."""

    def __init__(self, house: House, browser: Browser, address: str) -> None:
        self.house, self.browser, self.address, self.patches = house, browser, address, 0
        self._load()

    def _load(self) -> str:
        whole = self.browser.get(self.address).text
        self.page, self.version = tree(whole), seen(whole)
        return whole

    def catch_up(self) -> None:
        """Fetch the changes; the page is then the one that a reload shows."""
        for _ in range(10):
            answer = self.browser.get(f"{self.address}?since={self.version}")
            if answer.content_type == "application/json" and "regions" in answer.json:
                assert answer.json["from"] == self.version
                self.version = answer.json["to"]
                self.patches += bool(answer.json["regions"])
                self.page = patched(self.page, answer.text)
            else:
                self._load()
            whole, anew = self.browser.get(self.address).text, self._drawn_anew()
            if seen(whole) == seen(anew) == self.version:
                break  # else the hub itself had something new between both looks
        assert seen(whole) == seen(anew) == self.version
        assert still(self.page).shape() == still(tree(whole)).shape() == still(tree(anew)).shape()

    def _drawn_anew(self) -> str:
        """The page as a hub draws it that has drawn nothing before."""
        known = self.house.app.extensions
        kept = known[RENDER_CACHE]
        known[RENDER_CACHE] = RenderCache()
        whole = self.browser.get(self.address).text
        known[RENDER_CACHE] = kept
        return whole


def chance_command(house: House, chance: random.Random) -> Any:
    """Something that may happen next, or a refusal."""
    event = house.event
    who = chance.choice(list(event.entrants))
    live = event.live
    some: list[Any] = [
        c.DropCompetitor(who),
        c.ReturnCompetitor(who),
        c.GiveWarning(who, "late again"),
        c.Disqualify(who, "loaded dice"),
        c.DrawRound(chance.randrange(99)),
        c.DiscardDraft(),
        c.SetClock(chance.choice(["start", "pause"])),
        c.MakeCut(),
        c.FinishEvent("the hall closes"),
        c.ReopenEvent(),
    ]
    if event.draft is not None and event.draft.draw is not None:
        some += [c.PublishRound(event.draft.number, event.draft.draw.attempt, noted="a test")] * 6
    result = Result(score=SidePair(100, chance.randrange(90)))
    if event.rulebook.squads is not None:
        result = Result(score=SidePair(2, chance.randrange(2)), wounds=SidePair(9, 3), picks={"a": (1, 2), "b": (1, 3)})
    for match in live.matches if live else ():
        some += [c.EnterResult(match.id, match.revision, result)] * 2
        some += [c.SetPicks(match.id, (1, 2))] * 4 if match.match.b is None else [c.NoShow(match.id, match.match.a)]
    return chance.choice(some)


@pytest.mark.parametrize(
    ("place", "options", "seed"),
    [
        *((place, TO_THE_CUT, 0) for place in ("", "/players", "/standings", "/event")),
        ("", SQUADS, 0),
        *(
            pytest.param("", options, seed, marks=pytest.mark.long)
            for seed in range(1, 7)
            for options in (TO_THE_CUT, SQUADS)
        ),
    ],
)
def test_changes_make_the_same_page_as_a_reload(house: House, place: str, options: dict[str, Any], seed: int):
    """Over a random evening, with tables that call and fall silent; some changes are fetched together, by readers of
    four roles who share each drawing. While a round is played, little of Play is drawn."""
    drawn = house.drawn()
    chance, address = random.Random(seed), f"{CONSOLE}{place}"
    browser = house.with_event([f"Player {n:02}" for n in range(1, 13 + (options is SQUADS))], **options)
    house.place("unit-1", 1)
    house.place("unit-2", 2)
    # A role's form for the squads of a bye stays on its open page when the round closes; the hub refuses it then.
    roles = (
        []
        if options is SQUADS
        else [house.staff("head_judge"), house.staff("judge", "Kai Eich"), house.staff("scorekeeper", "Mia Sol")]
    )
    readers = [Reader(house, each, address) for each in (browser, *roles)]
    for _ in range(60):
        for _ in range(chance.randrange(1, 4)):
            house.time.ms += chance.choice([0, 100, 4_000, 40_000])
            draw = chance.random()
            if draw < 0.03:
                house.service.storage.backup_made(chance.choice([None, Problem("backup_none", file="stick")]))
            elif draw < 0.06:
                browser.post(f"{CONSOLE}/competitors/p{chance.randrange(1, 6)}/details", name=f"New {chance.random()}")
            elif draw < 0.15:
                unit = chance.choice(["unit-1", "unit-2"])
                house.hub.presence.update(unit, house.time.ms, connected=chance.random() < 0.8)
                house.says(unit, call=chance.random() < 0.3)
            elif draw < 0.3 and house.event.live and house.event.live.open_matches:
                house.report(chance.choice(house.event.live.open_matches).id, chance.choice("ab"), 100, 24)
            else:
                try:
                    house.service.execute_one("e1", chance_command(house, chance), "test")
                except Problem:
                    continue
        for reader in readers:
            reader.catch_up()
    assert min(reader.patches for reader in readers) > 10
    assert drawn.count("console_in_play.html") > 10 or place


def test_a_result_is_told_as_its_row_and_no_other(house: House):
    browser = house.with_event(player_names(40))
    house.publish()
    version = seen(browser.get(CONSOLE).text)
    match = house.event.live.matches[3]
    house.service.execute_one("e1", c.EnterResult(match.id, 0, Result(score=SidePair(100, 24))), "test")
    answer = browser.get(f"{CONSOLE}?since={version}")
    assert len(answer.data) < 6_000
    told = {change["id"]: change for change in answer.json["regions"]}
    assert told["missing"] == {"id": "missing", "gone": [match.id], "rows": []}
    assert match.id in told["done"]["html"]
    assert set(told) <= {"grid-title", "missing", "done-title", "done", "next", "early"}
    assert browser.get(f"{CONSOLE}?since={answer.json['to']}").json["regions"] == []


@pytest.mark.parametrize("since", ["", "unheard-of", "0" * 16, "<script>"])
def test_who_shows_a_version_that_is_not_known_gets_the_whole_page(house: House, since: str):
    browser = house.with_event()
    answer = browser.client.get(f"{CONSOLE}/players", query_string={"since": since}, headers=browser.headers)
    assert answer.content_type.startswith("text/html")
    assert "Ana Ruiz" in answer.text


def test_changes_are_for_organizers_only(house: House):
    browser = house.with_event()
    version = seen(browser.get(CONSOLE).text)
    house.publish()
    stranger = house.browser()
    for path in (f"{CONSOLE}?since={version}", f"{CONSOLE}/person/p1", f"{CONSOLE}/officials", f"{CONSOLE}/units"):
        answer = stranger.client.get(path)
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/login")
        assert "Ana" not in answer.text
        assert "no-store" in browser.get(path).headers["Cache-Control"]


def test_two_organizers_share_a_rendering_and_no_token(house: House):
    first, second = house.with_event(), house.organizer()
    drawn = house.drawn()
    pages = [browser.get(CONSOLE).text for browser in (first, second)]
    assert len(drawn) == 1
    version = seen(pages[0])
    house.publish()
    answers = [browser.client.get(f"{CONSOLE}?since={version}").text for browser in (first, second)]
    assert len(drawn) == 2
    for browser, page, answer in zip((first, second), pages, answers, strict=True):
        assert browser.token
        assert {
            *re.findall(r'name="csrf" value="([^"]*)"', page),
            *re.findall(r'name=\\"csrf\\" value=\\"([^"\\]*)\\"', answer),
        } == {browser.token}
        for text in (page, answer):
            assert "<:" not in text
            assert "\x01" not in text
    assert first.token != second.token


def test_five_judges_and_an_organizer_share_one_drawing_and_no_form(house: House):
    organizer = house.with_event()
    judges = [house.staff("judge", f"Judge {n}") for n in range(5)]
    drawn = house.drawn()
    pages = [browser.get(CONSOLE).text for browser in (organizer, *judges)]
    assert len(drawn) == 1
    house.service.execute_one("e1", c.DrawRound(11), "test")
    told = [browser.client.get(f"{CONSOLE}?since={seen(pages[0])}").text for browser in (organizer, *judges)]
    assert len(drawn) == 2
    assert "Done by" not in told[0]
    assert f"{CONSOLE}/publish" in told[0]
    for text in (*pages[1:], *told[1:]):
        assert "<:" not in text
        assert f"{CONSOLE}/publish" not in text
        assert f"{CONSOLE}/draw" not in text
    assert all("Done by: organizer" in text for text in told[1:])


def test_whose_pin_ends_while_the_page_is_drawn_gets_nobody_s_forms(house: House):
    house.with_event()
    staff = house.hub.access.organizers.staff
    judge = house.staff("judge", "Kai Eich")
    [person] = [person for person in staff.people if person.name == "Kai Eich"]
    with before_render_template.connected_to(lambda *_, **__: staff.revoke(person.id)):
        page = judge.client.get(CONSOLE).text
    assert "<:" not in page
    assert f"{CONSOLE}/draw" not in page


def test_a_step_is_as_old_as_its_page_not_as_its_rendering(house: House):
    """A rendering may be older than the moment it is sent at: `shown_at` says when it was sent."""
    browser = house.with_event()

    def shown_at() -> set[str]:
        return set(re.findall(r'name="shown_at" value="(\d+)"', browser.get(CONSOLE).text))

    assert shown_at() == {str(house.time.ms)}
    house.time.ms += FRESH_MS - 1
    assert shown_at() == {str(house.time.ms)}


def test_an_age_on_a_loaded_page_is_that_of_now_without_a_script(house: House):
    browser = house.with_event()
    house.place("unit-1", 1)
    house.publish()
    house.says("unit-1", call=True)
    house.hub.presence.update("unit-1", house.time.ms, connected=True)
    assert "Table 1 judge called 0:00" in text_of(browser.get(CONSOLE))
    house.time.ms += 9_000
    assert "Table 1 judge called 0:09" in text_of(browser.get(CONSOLE))


def test_what_time_alone_brings_about_is_news_and_growing_older_is_not(house: House):
    browser = house.with_event()
    house.place("unit-1", 1)
    house.publish()
    house.hub.presence.update("unit-1", house.time.ms, connected=True)
    version = seen(browser.get(CONSOLE).text)
    house.time.ms += 9_000
    assert seen(browser.get(CONSOLE).text) == version
    house.time.ms += 2_000
    answer = browser.get(f"{CONSOLE}?since={version}").json
    assert "needs" in {change["id"] for change in answer["regions"]}
    house.time.ms += 600_000
    assert seen(browser.get(CONSOLE).text) == answer["to"]
    house.report(house.event.live.matches[0].id, "a", 100, 24)
    version = seen(browser.get(CONSOLE).text)
    house.time.ms += 119_999
    assert seen(browser.get(CONSOLE).text) == version
    house.time.ms += 1
    assert "only one report 2:00" in text_of(browser.get(CONSOLE))
    assert seen(browser.get(CONSOLE).text) != version


# --- forms on demand --------------------------------------------------------------------------------------------------


def test_a_player_s_forms_are_on_a_page_of_their_own(house: House):
    browser = house.with_event()
    page = browser.get(f"{CONSOLE}/players").text
    assert "p1/details" not in page
    assert 'data-open="/console/e1/person/p1"' in page
    assert '<a href="/console/e1/person/p1">' in page
    forms = browser.get("/console/e1/person/p1").text
    for action in ("drop", "warn", "disqualify", "details"):
        assert f'action="/console/e1/competitors/p1/{action}"' in forms
    assert browser.get("/console/e1/person/p99").status_code == 404


@pytest.mark.parametrize(
    ("action", "fields", "kept"),
    [
        ("details", {"name": "x" * 90, "public_name": "Ana"}, "x" * 90),
        ("warn", {"reason": "slow play", "by": "o9"}, "slow play"),
        ("propose", {"reason": "", "by": "o9"}, ""),
        ("disqualify", {"reason": "", "by": "o1"}, ""),
        ("details", {"came_with": "y" * 90}, "y" * 90),
    ],
)
def test_what_could_not_be_saved_comes_back_open_and_as_typed(
    house: House, action: str, fields: dict[str, str], kept: str
):
    browser = house.with_event()
    answer = browser.post(f"{CONSOLE}/competitors/p1/{action}", **fields)
    assert answer.status_code in (400, 409)
    assert problem_of(answer)
    details = re.search(r'<details id="person-p1"([^>]*)>', answer.text)
    assert details
    assert details[1].endswith(" open")
    assert answer.text.count(f'action="{CONSOLE}/competitors/p1/details"') == 1
    assert "/competitors/p2/details" not in answer.text
    assert f'value="{kept}"' in answer.text
    assert '<a href="#person-p1"' in answer.text
    # Nobody else gets it: the next page is as the event is.
    assert "p1/details" not in browser.get(f"{CONSOLE}/players").text


def test_an_official_or_a_unit_that_could_not_be_saved_comes_back_open(house: House):
    browser = house.with_event()
    answer = browser.post(f"{CONSOLE}/officials", name="z" * 90, role="judge")
    assert problem_of(answer)
    assert f'value="{"z" * 90}"' in answer.text
    answer = browser.post(f"{CONSOLE}/units", unit="unit-1", table="1000")
    assert problem_of(answer)
    assert 'value="1000"' in answer.text


# --- how much it is ---------------------------------------------------------------------------------------------------


def weights(browser: Browser, path: str) -> tuple[int, int]:
    answer = browser.client.get(path, headers={**browser.headers, "Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    return len(answer.data), len(gzip.decompress(answer.data))


def test_the_console_of_256_is_small_at_every_stage(house: House):
    """At most 60 kB on the wire; a result is told in 2 kB."""
    browser = house.with_event(player_names(256), swiss_rounds=3)
    found = [weights(browser, CONSOLE)]
    house.service.execute_one("e1", c.DrawRound(3), "test")
    found.append(weights(browser, CONSOLE))
    house.service.execute_one("e1", c.PublishRound(1, 1, noted="a test"), "test")
    found.append(weights(browser, CONSOLE))
    house.play(leave_open=60)
    version = seen(browser.get(CONSOLE).text)
    match = house.event.live.open_matches[0]
    house.service.execute_one("e1", c.EnterResult(match.id, 0, Result(score=SidePair(100, 24))), "test")
    assert weights(browser, f"{CONSOLE}?since={version}")[0] < 2_000
    house.play()
    house.service.execute_one("e1", c.DrawRound(3), "test")
    found.append(weights(browser, CONSOLE))
    found += [weights(browser, f"{CONSOLE}/{part}") for part in ("person/p1", "officials", "units")]
    assert max(wire for wire, _ in found) < 60_000
    assert max(plain for _, plain in found) < 250_000
