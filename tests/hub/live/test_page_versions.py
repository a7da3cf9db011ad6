"""When a page looks again: exactly when what it shows has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from flask import Flask
from floors import sources
from pages_kit import House, open_house

from made_once import add_routes
from roundtap_core.event.commands import (
    AskToDrop,
    CallJudge,
    Command,
    DropCompetitor,
    FinishEvent,
    GrantExtension,
    RefuseDrop,
    SetClock,
    SetEventDetails,
    SwapSeats,
    TakeCall,
)
from roundtap_hub.app import flask_app
from roundtap_hub.http import routes
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import PAGE_KINDS, HubNow, event_page, page_kind, version_of
from roundtap_hub.phones.phone_versions import changed_pages
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.unit_presence import UnitStatus


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        opened.with_event()
        opened.publish()
        opened.place("unit-1", 1)
        opened.place("unit-2", 2)
        yield opened


class Watch:
    """Which of the pages would look again since the last time."""

    def __init__(self, house: House, *pages: str) -> None:
        self.house, self.pages = house, pages
        self.before = self.keys()

    def keys(self) -> dict[str, str]:
        snapshot, units = self.house.service.snapshot, self.house.hub.presence.units
        return {page: version_of(HubNow(self.house.hub, snapshot, units), PageKey.parse(page)) for page in self.pages}

    def changed(self) -> set[str]:
        before, self.before = self.before, self.keys()
        return {page for page in self.pages if before[page] != self.before[page]}


def seat(house: House, table: int, side: str) -> str:
    match = house.event.live.matches[table - 1].match  # type: ignore[union-attr]
    return match.competitor(side)  # type: ignore[arg-type, return-value]


def test_a_phone_that_takes_its_link_wakes_nobody_and_who_loses_it_is_told(house: House):
    """Five hundred of them come in the minutes when organizers have most to do."""
    watch = Watch(house, "console", "console/e1", "displays", "before-doors", "judge", "wall/e1", "p/e1/p1", "p/e1/p2")
    links = house.hub.access.links
    links.claim_by_slip("e1", "p1", "a phone that scanned")
    links.give("e1", "p2")
    assert watch.changed() == set()
    mine, other = (PageKey("me", "e1", links.token("e1", who)) for who in ("p1", "p2"))
    before = [version_of(HubNow(house.hub, house.service.snapshot, {}), page) for page in (mine, other)]
    links.revoke("e1", "p1")
    assert watch.changed() == set()
    assert [version_of(HubNow(house.hub, house.service.snapshot, {}), page) for page in (mine, other)] == [
        "none",
        before[1],
    ]
    house.place("unit-1", 9)
    assert watch.changed() >= {"console", "console/e1", "displays", "before-doors", "judge"}


def test_a_report_wakes_its_own_table_the_console_and_the_wall_but_no_other_phone(house: House):
    mine, across, other = (f"p/e1/{seat(house, *at)}" for at in ((1, "a"), (1, "b"), (2, "a")))
    watch = Watch(house, mine, across, other, "console/e1", "wall/e1", "standings/e1", "e/e1", "pairings/e1")
    house.report("1.1", "a", 100, 24)
    assert watch.changed() == {mine, across, "console/e1", "wall/e1", "pairings/e1"}


def test_the_last_result_of_a_round_wakes_everybody(house: House):
    house.play(leave_open=1)
    other = f"p/e1/{seat(house, 1, 'a')}"
    watch = Watch(house, other, "standings/e1", "wall/e1")
    house.play()
    assert watch.changed() == {other, "standings/e1", "wall/e1"}


def test_seats_and_calls_wake_the_wall_and_that_table_only(house: House):
    mine, other = f"p/e1/{seat(house, 1, 'a')}", f"p/e1/{seat(house, 2, 'a')}"
    watch = Watch(house, mine, other, "wall/e1", "console/e1", "standings/e1")
    house.hub.presence.update("unit-1", 5, match="1.1", seated=frozenset("a"))
    assert watch.changed() == {mine, "wall/e1", "console/e1"}
    house.says("unit-1", call=True)
    assert watch.changed() == {mine, "wall/e1", "console/e1"}


def test_mere_contact_wakes_nobody(house: House):
    house.hub.presence.update("unit-1", 5)
    watch = Watch(house, "console/e1", "wall/e1", f"p/e1/{seat(house, 1, 'a')}")
    house.hub.presence.update("unit-1", 9_999)
    assert watch.changed() == set()


def test_a_corrected_name_wakes_the_person_and_the_opponent(house: House):
    browser = house.organizer()
    mine, across, other = (f"p/e1/{seat(house, *at)}" for at in ((1, "a"), (1, "b"), (2, "a")))
    watch = Watch(house, mine, across, other, "e/e1", "standings/e1")
    browser.post(f"/console/e1/competitors/{seat(house, 1, 'a')}/details", name="Zoë Neu")
    assert watch.changed() == {mine, across, "e/e1", "standings/e1"}


def test_a_corrected_name_wakes_those_who_are_called_otherwise_beside_it(house: House):
    """Ana R. becomes Ana Rui., beside Ana Ruí."""
    browser, other = house.organizer(), f"p/e1/{seat(house, 2, 'a')}"
    watch = Watch(house, other)
    browser.post(f"/console/e1/competitors/{seat(house, 1, 'a')}/details", name="Ana Ruíz")
    assert watch.changed() == {other}


def test_starting_the_clock_wakes_those_who_show_its_state(house: House):
    watch = Watch(house, f"p/e1/{seat(house, 1, 'a')}", "wall/e1", "console/e1", "standings/e1", "e/e1")
    house.service.execute_one("e1", SetClock("start"), "test")
    assert watch.changed() == {f"p/e1/{seat(house, 1, 'a')}", "wall/e1", "console/e1"}


def test_a_new_event_wakes_the_list(house: House):
    watch = Watch(house, "console", "wall/e1")
    house.organizer().post("/console", name="Second", rulebook="xwing-standard", color="#882255")
    assert watch.changed() == {"console"}


@pytest.mark.parametrize("page", ["", "p", "p/e1", "p/e1/p99", "wall/e9", "console/e1/x", "../etc", "e/e1/p1"])
def test_what_is_no_page_has_one_key(house: House, page: str):
    assert version_of(HubNow(house.hub, house.service.snapshot, {}), PageKey.parse(page)) == "none"


def test_the_page_carries_the_key_that_the_feed_compares_with(house: House):
    text = house.browser().get("/e/e1/standings").text
    key = version_of(HubNow(house.hub, house.service.snapshot, house.hub.presence.units), PageKey("standings", "e1"))
    assert f'data-feed="/feed?page=standings/e1" data-seen="{key}"' in text


SHARED = (PageKey("e", "e1"), PageKey("wall", "e1"))


class VersionsKept:
    """What the cache of pages keeps of its versions from one change to the next, beside all of them worked out anew."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.before, self.versions = self.now(), self.anew()

    def now(self) -> tuple[Snapshot, Mapping[str, UnitStatus]]:
        return self.house.service.snapshot, self.house.hub.presence.units

    def anew(self) -> dict[PageKey, str]:
        links = self.house.hub.access.links
        pages = [
            page
            for who in self.house.event.entrants
            for page in (PageKey("p", "e1", who), PageKey("me", "e1", links.token("e1", who)))
        ]
        return {page: version_of(HubNow(self.house.hub, *self.now()), page) for page in [*pages, *SHARED]}

    def dropped(self) -> set[PageKey]:
        """The pages whose version is worked out again; each version that was kept is the right one."""
        now, anew = self.now(), self.anew()
        dropped = set(changed_pages(self.house.hub, self.before, now, self.versions))
        kept = self.versions.keys() - dropped
        assert {page: self.versions[page] for page in kept} == {page: anew[page] for page in kept}
        self.before, self.versions = now, anew
        return dropped


def test_a_report_and_a_press_cost_the_versions_of_two_players(house: House):
    kept = VersionsKept(house)
    links = house.hub.access.links
    players = [seat(house, 1, side) for side in "ab"]
    theirs = {
        page for who in players for page in (PageKey("p", "e1", who), PageKey("me", "e1", links.token("e1", who)))
    }
    house.report("1.1", "a", 100, 24)
    assert kept.dropped() == {*theirs, *SHARED}
    house.hub.presence.update("unit-1", 5, match="1.1", seated=frozenset("a"))
    assert kept.dropped() == {*theirs, *SHARED}


def test_whatever_happens_in_an_event_no_version_is_kept_that_would_be_another(house: House):
    kept = VersionsKept(house)
    organizer, presence = house.organizer(), house.hub.presence

    def step(command: Command) -> None:
        house.service.execute_one("e1", command, "test")

    stayed: list[int] = []
    for happens in (
        lambda: step(SwapSeats(1, (seat(house, 1, "a"), seat(house, 2, "a")), "a test")),
        lambda: step(SetClock("start")),
        lambda: step(SetClock("pause")),
        lambda: step(SetClock("start")),
        lambda: house.report("1.1", "a", 100, 24),
        lambda: house.report("1.1", "b", 90, 24),
        lambda: presence.update("unit-2", 9, match="1.2", seated=frozenset("ab")),
        lambda: step(CallJudge("1.2", "phone:p3")),
        lambda: step(TakeCall("1.2", "Eva")),
        lambda: step(AskToDrop(seat(house, 2, "a"), "phone:p3")),
        lambda: step(RefuseDrop(seat(house, 2, "a"))),
        lambda: step(GrantExtension("1.2", 5)),
        lambda: organizer.post(f"/console/e1/competitors/{seat(house, 1, 'a')}/details", name="Ana Ruíz"),
        lambda: house.play(leave_open=1),
        house.play,
        lambda: step(DropCompetitor(seat(house, 2, "a"))),
        house.publish,
        lambda: house.place("unit-1", 2),
        lambda: house.hub.access.links.revoke("e1", seat(house, 1, "a")),
        house.play,
        lambda: step(SetEventDetails({"place": "Friday"})),
        lambda: step(FinishEvent("enough")),
    ):
        happens()
        of_players = len(kept.versions) - 2
        stayed.append(of_players + 2 - len(kept.dropped()))
    assert sum(stay > 0 for stay in stayed) >= 5, "a press or a report concerns few"


# --- keys and kinds


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("console", PageKey("console")),
        ("wall/e1", PageKey("wall", "e1")),
        ("p/e1/p3", PageKey("p", "e1", "p3")),
        ("p/e1/p3/x", PageKey("p", "e1", "p3/x")),
        ("", PageKey("")),
    ],
)
def test_a_page_s_key_is_the_same_on_the_wire_and_in_addresses(text: str, key: PageKey) -> None:
    assert PageKey.parse(text) == key
    assert str(key) == text


def test_a_page_whose_kind_no_room_has_registered_stops_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def map_page() -> str:
        return ""

    monkeypatch.setattr(routes, "ROUTES", dict(routes.ROUTES))
    monkeypatch.setattr(flask_app, "ROUTES", routes.ROUTES)
    routes.route("GET /map/<event_id>", routes.EVERYBODY, kept="map/<event_id>")(map_page)
    with pytest.raises(ValueError, match="map/<event_id>"):
        add_routes(Flask("a hub"))
    monkeypatch.setitem(PAGE_KINDS, PageKey("map", "e1").pattern, lambda source, page: "")
    add_routes(Flask("a hub that has maps"))


def test_a_kind_is_registered_once() -> None:
    with pytest.raises(ValueError, match="judge"):
        page_kind("judge")(lambda source, page: "")
    with pytest.raises(ValueError, match="wall/<event_id>"):
        event_page("wall/<event_id>")(lambda source, moment, page: "")


def test_every_page_that_the_hub_names_is_of_a_registered_kind() -> None:
    """Staff pages name theirs where they are drawn."""
    made = re.compile(r"PageKey\(\"([a-z-]+)\"(?:, ([^,)]+))?(?:, ([^)]+))?\)")
    named = {(found[1], bool(found[2]), bool(found[3])) for text in sources().values() for found in made.finditer(text)}
    assert {kind for kind, *_ in named} >= {"console", "judge", "wall", "displays", "before-doors"}
    assert named - set(PAGE_KINDS) == set()
