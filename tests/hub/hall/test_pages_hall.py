"""The hall on the console and on the wall: seats, calls, silent tables, the clock, the pictures."""

import re

import pytest
from pages_kit import PEOPLE, Browser, House, here, problem_of, text_of, words_of

from roundtap_core.event.commands import CallJudge, FinishEvent, MakeCut


@pytest.fixture
def browser(house: House) -> Browser:
    """Round 1 is published; unit-1 stands at table 1."""
    browser = house.with_event()
    house.publish()
    browser.post("/console/e1/units", unit="unit-1", table=1)
    house.hub.presence.update("unit-1", house.time.ms, match="1.1", seated=frozenset("ab"))
    return browser


def test_a_unit_is_given_a_table_and_taken_off_it(house: House, browser: Browser):
    assert house.service.snapshot.venue.tables == {"unit-1": 1}
    assert "“0” is not a table" in problem_of(browser.post("/console/e1/units", unit="unit-1", table=0))
    assert "no unit “toaster”" in problem_of(browser.post("/console/e1/units", unit="toaster", table=2))
    browser.post("/console/e1/units", unit="unit-1", table="")
    assert house.service.snapshot.venue.tables == {}


def test_seats_count_only_for_the_match_of_this_round(house: House, browser: Browser):
    assert "Tables seated: 1 of 1" in text_of(house.browser().get("/wall/e1"))
    house.hub.presence.update("unit-1", house.time.ms, match="0.9")
    assert "Tables seated: 0 of 1" in text_of(house.browser().get("/wall/e1"))


def test_a_call_has_its_age_and_somebody_takes_it(house: House, browser: Browser):
    house.says("unit-1", call=True)
    house.time.ms += 70_000
    house.hub.presence.update("unit-1", house.time.ms)
    assert "Table 1 judge called 1:10" in text_of(browser.console())
    browser.post("/console/e1/call", match="1.1")
    assert house.event.calls["1.1"].taken_by == "organizer"
    assert "organizer is on the way" in text_of(browser.console())


def test_a_table_is_silent_after_ten_seconds(house: House, browser: Browser):
    house.time.ms += 10_000
    assert "no contact" not in text_of(browser.console())
    house.time.ms += 1
    assert "Table 1 no contact 0:10" in text_of(browser.console())


def test_both_who_ask_to_leave_at_one_table_are_named(house: House, browser: Browser):
    house.says("unit-1", match="1.1", leave="ab")
    people, match = house.service.snapshot.people["e1"], house.event.live.matches[0].match  # type: ignore[union-attr]
    page = text_of(browser.console())
    assert all(f"{people[who].name} wants to drop" in page for who in (match.a, match.b))  # type: ignore[index]


def test_who_asks_to_leave_is_named_and_let_go(house: House, browser: Browser):
    house.says("unit-1", match="1.1", leave="b")
    leaver = house.event.live.matches[0].match.b  # type: ignore[union-attr]
    name = house.service.snapshot.people["e1"][leaver].name  # type: ignore[index]
    assert f"{name} wants to drop" in text_of(browser.console())
    browser.post(f"/console/e1/competitors/{leaver}/drop", known=0)
    assert "wants to drop" not in text_of(browser.console())


def test_an_unfinished_entry_is_shown(house: House, browser: Browser):
    house.hub.presence.update("unit-1", house.time.ms, draft=True)
    assert "result entry started, not finished" in text_of(browser.console())


def test_the_wall_changes_its_picture_with_the_round(house: House, browser: Browser):
    def picture() -> str:
        found = re.search(r'class="picture picture-(\w+)"', house.browser().get("/wall/e1").text)
        assert found
        return found[1]

    assert picture() == "pairings"
    browser.post("/console/e1/clock", action="start")
    assert picture() == "clock"
    house.play()
    assert picture() == "standings"


def test_the_wall_s_head_says_what_is_shown(house: House, browser: Browser):
    def title(show: str = "") -> str:
        found = re.search(r'data-shown="([^"]*)"', house.browser().get(f"/wall/e1?show={show}").text)
        assert found
        return found[1]

    assert title() == "Round 1 pairings"
    assert title("standings") == "Standings"
    browser.post("/console/e1/clock", action="start")
    assert title() == "Round 1 of 2"
    house.play()
    assert title() == "Standings after round 1"
    house.publish()
    assert title() == "Round 2 pairings"
    assert title("standings") == "Standings after round 1"
    house.play()
    house.service.execute_one("e1", FinishEvent(""), "test")
    assert title() == "Final standings"


def test_between_rounds_the_wall_says_who_rose_and_who_fell(house: House, browser: Browser):
    def ranks() -> dict[str, tuple[int, int]]:
        """Rank and places risen, by name."""
        page = house.browser().get("/wall/e1").text
        rows = re.findall(
            r'<td class="n rank">(.*?)</td>(?:<td class="moved">(.*?)</td>)?<th scope="row"><bdi>(.*?)<', page, re.S
        )
        by = {"rose": 1, "fell": -1}
        return {
            name: (
                int(re.sub(r"<.*?>|\s", "", rank)),
                sum(by[way] * int(n) for way, n in re.findall(r'<span class="(\w+)">.*?(\d+)</span>', moved, re.S)),
            )
            for rank, moved, name in rows
        }

    house.play()
    before = ranks()
    assert {moved for _, moved in before.values()} == {0}, "there is no round before"
    house.publish()
    house.play()
    now = ranks()
    assert {name: before[name][0] - rank for name, (rank, _) in now.items()} == {
        name: moved for name, (_, moved) in now.items()
    }
    assert any(moved > 0 for _, moved in now.values())
    house.service.execute_one("e1", FinishEvent(""), "test")
    assert {moved for _, moved in ranks().values()} == {0}, "final standings are final"


def test_after_the_final_the_wall_names_the_champion_and_who_came_next(house: House):
    house.with_event(swiss_rounds=1, cut=4)
    house.publish()
    house.play()
    house.service.execute_one("e1", MakeCut(), "test")
    for _ in range(2):
        assert "wall-champion" not in house.browser().get("/wall/e1").text
        house.publish()
        house.play()
    page = house.browser().get("/wall/e1").text
    champion = re.search(r'champion-name"><bdi>(.*?)</bdi>', page)
    assert champion
    assert re.findall(r"<li><b>(\d)</b>", page) == ["2", "3"]
    assert f"<bdi>{champion[1]}</bdi>" in page[page.index('data-list="final"') :].partition("</tr>")[0]
    assert "wall-champion" not in house.browser().get("/wall/e1?show=bracket").text, "only this picture"


def test_the_wall_names_the_tables_still_playing_and_the_end(house: House, browser: Browser):
    house.time.wall = here("2026-11-21T12:00:00")
    browser.post("/console/e1/clock", action="start")
    house.play(leave_open=1)
    page = text_of(house.browser().get("/wall/e1"))
    assert "Still playing 3" in page
    assert "Round 1 of 2" in page
    assert "ends 13:15" in page


def test_without_a_known_time_of_day_the_wall_names_no_end(house: House, browser: Browser):
    browser.post("/console/e1/clock", action="start")
    assert not re.search(r"ends \d\d:\d\d", text_of(house.browser().get("/wall/e1")))


def test_the_wall_without_an_address_picks_the_event_that_is_played(house: House, browser: Browser):
    browser.post("/console", name="Second", rulebook="xwing-standard", color="#882255")
    assert house.browser().get("/wall?theme=dark").location == "/wall/e1?theme=dark"


def test_tables_of_another_event_are_not_drawn_again(house: House, browser: Browser):
    browser.post("/console", name="Second", rulebook="xwing-standard", color="#882255", structure="own")
    browser.post("/console/e2/competitors", names="Nina Wolf\nTom Eck")
    browser.post("/console/e2/draw", attempt=0)
    assert [m.match.table for m in house.service.snapshot.events["e2"].draft.matches] == [4]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("language", "called", "playing"),
    [
        ("en", "Judge call – table 2", "Still playing 2 3"),
        ("de", "Schiedsrichterruf – Tisch 2", "Es spielen noch: 2 3"),
        ("es", "Llamada al juez – mesa 2", "Aún en juego 2 3"),
        ("pl", "Wezwanie sędziego – stół 2", "Jeszcze grają 2 3"),
    ],
)
@pytest.mark.parametrize("show", ["", "pairings", "standings"])
def test_time_up_names_who_calls_a_judge_and_who_still_plays(
    house: House, browser: Browser, language: str, called: str, playing: str, show: str
):
    browser.post("/console/e1/clock", action="start")
    house.service.execute_one("e1", CallJudge("1.2", "phone:p1"), "test")
    house.play(leave_open=2)
    page = house.browser(language).get(f"/wall/e1?show={show}").text
    over = page[page.index('id="time-up"') :].partition("</section>")[0]
    said = " ".join(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", over, flags=re.S).split())
    assert f"{called} 0:00" in said
    assert playing in said
    if not show:
        assert page.count(called.rpartition(" ")[0]) == 2, "and while the clock runs"


def test_after_the_cut_the_wall_shows_pairs_by_table_and_no_list_of_names(house: House):
    house.with_event(PEOPLE[:5], swiss_rounds=1, cut=4, full_names="1", third_place_match="1")
    house.publish()
    assert 'class="pair"' not in house.browser().get("/wall/e1").text
    house.play()
    house.service.execute_one("e1", MakeCut(), "test")
    for own_names in ([], ["Third place"]):
        house.publish()
        page = house.browser().get("/wall/e1").text
        lines = re.findall(r'<li class="pair">.*?</li>', page, re.S)
        names = {f"p{n}": name for n, name in enumerate(PEOPLE, start=1)}
        drawn = sorted((m.match for m in house.event.live.matches), key=lambda match: match.table)
        assert [re.findall(r"<bdi>(.*?)</bdi>", line) for line in lines] == [[names[m.a], names[m.b]] for m in drawn]
        tables = [re.search(r"sign-a.*sign-b.*wall-table\">(.*?)</b>", line, re.S)[1] for line in lines]
        assert [words_of(each) for each in tables] == [f"Table {match.table}" for match in drawn]
        assert re.findall(r'wall-across">(.*?)<', page) == own_names
        assert len(lines) == 2
        house.play()
