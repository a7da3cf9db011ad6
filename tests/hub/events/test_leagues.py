"""Leagues on the hub: made by a form, added up by the book's persons, seen on phones, on a wall, and as a file."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import Browser, House, open_house, problem_of, text_of

from roundtap_core.event.commands import DrawRound, EnterResult, FinishEvent, PublishRound, ReopenEvent, SetOfficials
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import Official
from roundtap_core.records import Result, SidePair
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, version_of
from roundtap_hub.store.book import PEOPLE_JOINED, PERSON_FORGOTTEN
from roundtap_hub.store.service import Step

FOUR = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz"]
BEST_FIRST = {"e1": FOUR, "e2": [FOUR[1], FOUR[0], FOUR[3], FOUR[2]], "e3": [FOUR[0], FOUR[3], FOUR[2]]}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as made:
        yield made


def evening(house: House, event: str, spelled: dict[str, str] | None = None) -> Browser:
    """One round, won by who stands further in front in BEST_FIRST, and the more so the further; then it is over."""
    desk, order = house.organizer(), BEST_FIRST[event]
    names = [(spelled or {}).get(name, name) for name in order]
    fields = {"rulebook": "xwing-standard", "structure": "own", "swiss_rounds": 1, "cut": 0}
    assert desk.post("/console", name=f"Friday {event[1:]}", color="#00785A", **fields).status_code == 303
    desk.post(f"/console/{event}/competitors", names="\n".join(names))
    tell(house, event, SetOfficials((Official("o0", "organizer"),)), DrawRound(11))
    draft = house.service.snapshot.events[event].draft
    assert draft is not None
    assert draft.draw is not None
    tell(house, event, PublishRound(1, draft.draw.attempt, noted="a test"))
    won(house, event, names)
    tell(house, event, FinishEvent("the hall closes"))
    return desk


def tell(house: House, event: str, *commands: object) -> None:
    for command in commands:
        house.service.execute_one(event, command, "test")  # type: ignore[arg-type]


def won(house: House, event: str, best_first: list[str], reason: str = "seen") -> None:
    state, people = house.service.snapshot.events[event], house.service.snapshot.people_of(event)
    rank = {who: best_first.index(person.name) for who, person in people.items() if person.name in best_first}
    for match in state.public_rounds[-1].matches:
        a, b = match.match.a, match.match.b
        if b is not None:
            best = min(rank[a], rank[b])
            score = [100 if rank[who] == best else 10 * best for who in (a, b)]
            result = Result(score=SidePair(*score))
            if match.match.result != result:
                tell(house, event, EnterResult(match.id, match.revision, result, reason=reason))


def persons(house: House) -> dict[str, str]:
    """Everybody in the book, by name."""
    return {each.person.name: each.id for each in house.service.snapshot.known_people()}


def made(desk: Browser, *events: str, **fields: object) -> str:
    """A new league of these events; its id."""
    desk.get("/console/leagues?new=1")
    answer = desk.post("/console/leagues", name="Autumn", event=list(events), **fields)
    assert answer.status_code == 303, problem_of(answer)
    return answer.headers["Location"].partition("#league-")[2]


def table(desk: Browser, league: str) -> dict[str, list[str]]:
    """The file, by whole name: place, points, played, coming, and each event's points."""
    answer = desk.get(f"/console/leagues/{league}/table.csv")
    rows = list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert rows[0][:6] == ["place", "name", "full_name", "points", "played", "coming"]
    return {row[2]: [row[0], *row[3:]] for row in rows[1:]}


def places(desk: Browser, event: str) -> list[str]:
    rows = list(csv.DictReader(io.StringIO(desk.get(f"/console/{event}/standings.csv").text.removeprefix("\ufeff"))))
    return [row["full_name"] for row in rows]


def test_three_evenings_add_up(house: House) -> None:
    for event in BEST_FIRST:
        desk = evening(house, event)
    league = made(desk, *BEST_FIRST, by_place="10, 6, 3, 1", coming=2)
    worth = (10, 6, 3, 1)
    expected: dict[str, list[int]] = {}
    for event in BEST_FIRST:
        for place, name in enumerate(places(desk, event)):
            expected.setdefault(name, []).append(worth[place])
    assert {name: int(row[1]) for name, row in table(desk, league).items()} == {
        name: sum(each) + 2 * len(each) for name, each in expected.items()
    }
    assert {row[2] for row in table(desk, league).values()} == {"3", "2"}
    page = text_of(house.browser().get(f"/league/{league}"))
    assert "Autumn after 3" in page
    assert "Łukasz Ż." in page
    assert "Łukasz Żak" not in page, "whole names are for the organizer"


def test_a_correction_of_an_old_event_changes_the_table(house: House) -> None:
    for event in ("e1", "e2"):
        desk = evening(house, event)
    league = made(desk, "e1", "e2")
    before, etag = table(desk, league), house.browser().get(f"/league/{league}").text
    tell(house, "e1", ReopenEvent())
    won(house, "e1", FOUR[::-1], reason="misread")
    assert "Not over yet: Friday 1" in text_of(house.browser().get(f"/league/{league}"))
    tell(house, "e1", FinishEvent("the hall closes"))
    after = table(desk, league)
    assert after != before
    assert after["Eva Luz"][4] == before["Ana Ruiz"][4]
    assert house.browser().get(f"/league/{league}").text != etag


def test_two_spellings_are_two_until_they_are_joined(house: House) -> None:
    evening(house, "e1")
    desk = evening(house, "e2", {"Łukasz Żak": "Luke Zak"})
    league = made(desk, "e1", "e2")
    assert len(table(desk, league)) == 5
    joined = {"person": persons(house)["Luke Zak"], "other": persons(house)["Łukasz Żak"]}
    house.service.execute([Step(VENUE, NewEntry(PEOPLE_JOINED, joined))], "test")
    assert table(desk, league)["Luke Zak"][2] == "2"
    assert len(table(desk, league)) == 4


def test_a_deleted_event_counts_no_more_and_a_removed_league_is_gone(house: House) -> None:
    for event in ("e1", "e2"):
        desk = evening(house, event)
    league = made(desk, "e1", "e2")
    desk.post("/console/e1/delete", name="Friday 1")
    assert {row[2] for row in table(desk, league).values()} == {"1"}
    desk.post("/console/leagues/remove", league=league)
    assert house.browser().get(f"/league/{league}").status_code == 404


def test_what_cannot_be_added_up_is_refused_and_keeps_what_was_typed(house: House) -> None:
    desk = evening(house, "e1")
    desk.get("/console/leagues?new=1")
    for fields, said in (
        ({"name": " "}, "name"),
        ({"name": "Autumn", "by_place": "3,5"}, "points by rank"),
        ({"name": "Autumn", "best": "-1"}, "1"),
    ):
        answer = desk.post("/console/leagues", event=["e1"], **fields)
        assert answer.status_code == 400
        assert said in answer.text
        assert 'value="e1" checked' in answer.text
    assert house.service.snapshot.venue.leagues == {}


def test_a_wall_shows_the_league_of_its_event(house: House) -> None:
    desk = evening(house, "e1")
    assert "Autumn" not in house.browser().get("/wall/e1?show=league").text
    made(desk, "e1")
    wall = house.browser().get("/wall/e1?show=league").text
    assert 'data-list="league"' in wall
    assert "Autumn" in wall
    assert "Autumn" in house.browser().get("/e/e1/standings").text


def test_the_same_again_counts_for_the_same_leagues(house: House) -> None:
    desk = evening(house, "e1")
    league = made(desk, "e1")
    desk.get("/console/e1")
    assert desk.post("/console/e1/again").status_code == 303
    assert house.service.snapshot.venue.leagues[league].events == ("e1", "e2")
    assert "Not over yet: Friday 2" in text_of(house.browser().get(f"/league/{league}"))


def test_who_is_forgotten_has_no_line_and_the_others_keep_their_points(house: House) -> None:
    desk = evening(house, "e1")
    league = made(desk, "e1")
    before = table(desk, league)
    first = places(desk, "e1")[0]
    forget = NewEntry(PERSON_FORGOTTEN, {"person": persons(house)[first]})
    house.service.execute([Step(VENUE, forget)], "test")
    after = table(desk, league)
    assert {name: row[1:] for name, row in after.items()} == {n: row[1:] for n, row in before.items() if n != first}
    assert [row[0] for row in after.values()] == ["1", "2", "3"]


def test_what_came_to_a_league_meanwhile_stays_in_it(house: House) -> None:
    """The form was open while *Same again* added the next Friday."""
    desk = evening(house, "e1")
    league = made(desk, "e1")
    desk.get(f"/console/leagues?league={league}")
    desk.post("/console/e1/again")
    desk.post("/console/leagues", league=league, name="Autumn", offered=["e1"], event=["e1"])
    assert house.service.snapshot.venue.leagues[league].events == ("e1", "e2")
    desk.post("/console/leagues", league=league, name="Autumn", offered=["e1", "e2"], event=["e2"])
    assert house.service.snapshot.venue.leagues[league].events == ("e2",)


def test_own_points_of_two_games_are_refused_before_they_are_over(house: House) -> None:
    desk = evening(house, "e1")
    desk.post("/console", name="Other", color="#00785A", rulebook="keyforge-archon", level="relaxed")
    desk.get("/console/leagues?new=1")
    answer = desk.post("/console/leagues", name="Autumn", event=["e1", "e2"], points="own")
    assert answer.status_code == 409
    assert house.service.snapshot.venue.leagues == {}


def test_a_wall_of_an_event_at_rest_follows_its_league(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        desk = evening(house, "e1")
        league = made(desk, "e1")
    with open_house(tmp_path) as house:
        desk = house.organizer()
        assert "e1" in house.service.snapshot.dormant
        page = PageKey("wall", "e1")
        before = version_of(HubNow(house.hub, house.service.snapshot, {}), page)
        desk.get("/console/leagues")
        desk.post("/console/leagues", league=league, name="Winter", offered=["e1"], event=["e1"])
        assert version_of(HubNow(house.hub, house.service.snapshot, {}), page) != before
