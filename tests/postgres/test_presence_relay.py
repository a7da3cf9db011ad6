"""Units at one hub are seen at the others: field by field, in small messages, and only while their hub lives."""

import json
from functools import partial

import pytest
from hub_kit import HandClock

from kit import wait_until
from roundtap_hub.app.presence_relay import HUB_TIMEOUT_MS, PRESENCE_CHANNEL, PresenceRelay, PresenceSync
from roundtap_hub.store.journal import database_url
from roundtap_hub.store.shared_service import NotificationListener
from roundtap_hub.views.unit_presence import TAKEN, Presence, take_call


class Hall:
    """Some hubs that hear each other's messages, as the database hands them on."""

    def __init__(self, *names: str) -> None:
        self.clock = HandClock("db:1")
        self.presence = {name: Presence() for name in names}
        self.news = {name: PresenceSync(self.presence[name], self.clock.clocks.mono_ms) for name in names}
        self.sizes: list[int] = []

    def pass_on(self, beat: bool = False) -> int:
        """One round: each says what it has to say, all others hear it; how many messages there were."""
        count = 0
        for name, news in self.news.items():
            for message in news.outgoing(beat):
                said = json.dumps({"from": name, **message})
                self.sizes.append(len(said))
                count += 1
                for other, listening in self.news.items():
                    if other != name:
                        listening.receive(json.loads(said))
        return count

    def unit_joins(self, hub: str, unit: str) -> None:
        self.presence[hub].sessions.open(unit, f"session {hub}")
        self.presence[hub].update(unit, self.clock.ms, connected=True)

    def unit_leaves(self, hub: str, unit: str) -> None:
        if self.presence[hub].sessions.close(unit, f"session {hub}"):
            self.presence[hub].update(unit, self.clock.ms, connected=False)

    def seen(self, hub: str, unit: str = "table-1") -> object:
        return self.presence[hub].units.get(unit)


@pytest.fixture
def hall() -> Hall:
    made = Hall("a", "b", "c")
    made.pass_on()
    return made


def test_what_a_unit_says_to_one_hub_all_know(hall: Hall) -> None:
    hall.unit_joins("a", "table-1")
    hall.presence["a"].update("table-1", hall.clock.ms, match="1.1", seated=frozenset("a"), call=True, waiting=2)
    hall.pass_on()
    assert hall.seen("b") == hall.seen("a") == hall.seen("c")
    assert hall.pass_on() == 0, "an echo"


def test_a_call_taken_at_another_hub_is_taken_everywhere(hall: Hall) -> None:
    hall.unit_joins("a", "table-1")
    hall.presence["a"].update("table-1", hall.clock.ms, call=True)
    hall.pass_on()
    hall.presence["b"].change("table-1", partial(take_call, by="Judge Eva"))
    hall.presence["a"].update("table-1", hall.clock.ms, seated=frozenset("ab"))
    hall.pass_on()
    hall.pass_on()
    assert hall.seen("a") == hall.seen("b") == hall.seen("c")
    status = hall.presence["c"].units["table-1"]
    assert (status.call_taken_by, status.seated) == ("Judge Eva", {"a", "b"})


def test_who_found_their_page_taken_is_known_everywhere_until_the_desk_has_looked(hall: Hall) -> None:
    what = (TAKEN, "e1", "p3")
    hall.presence["a"].add_request(what, "slip", hall.clock.ms)
    hall.pass_on()
    assert hall.presence["c"].units.asked == hall.presence["a"].units.asked == hall.presence["b"].units.asked
    assert set(hall.presence["c"].units.asked) == {what}
    assert hall.pass_on() == 0, "an echo"
    hall.presence["b"].set_request(what, None)
    hall.pass_on()
    hall.pass_on()
    assert all(hall.presence[hub].units.asked == {} for hub in "abc")


def test_a_hub_that_comes_later_is_told_that_too(hall: Hall) -> None:
    hall.presence["a"].add_request((TAKEN, "e1", "p3"), "slip", hall.clock.ms)
    hall.pass_on()
    hall.presence["d"] = Presence()
    hall.news["d"] = PresenceSync(hall.presence["d"], hall.clock.clocks.mono_ms)
    hall.pass_on()
    hall.pass_on()
    assert hall.presence["d"].units.asked == hall.presence["a"].units.asked


def test_somebody_an_official_saw_is_seen_everywhere(hall: Hall) -> None:
    hall.presence["b"].mark_at_table("e1", "1.1", "p1")
    hall.pass_on()
    assert hall.presence["a"].seen_at_table == hall.presence["c"].seen_at_table == {("e1", "1.1", "p1")}
    assert hall.pass_on() == 0


def test_a_unit_that_moves_to_another_hub_is_in_contact_all_the_time(hall: Hall) -> None:
    hall.unit_joins("a", "table-1")
    hall.pass_on()
    hall.unit_joins("b", "table-1")
    hall.pass_on()
    hall.unit_leaves("a", "table-1")
    for news in hall.news.values():
        news.reconcile()
    hall.pass_on()
    assert all(hall.presence[hub].units["table-1"].connected for hub in "abc")
    hall.unit_leaves("b", "table-1")
    hall.pass_on()
    assert not any(hall.presence[hub].units["table-1"].connected for hub in "abc")


def test_units_of_a_hub_that_died_are_out_of_contact_after_a_while(hall: Hall) -> None:
    hall.unit_joins("a", "table-1")
    hall.pass_on()
    del hall.news["a"]
    hall.clock.ms += HUB_TIMEOUT_MS - 1
    hall.news["b"].reconcile()
    assert hall.presence["b"].units["table-1"].connected
    hall.clock.ms += 1
    hall.news["b"].reconcile()
    assert not hall.presence["b"].units["table-1"].connected


def test_a_beat_keeps_a_quiet_hub_s_units_in_contact(hall: Hall) -> None:
    hall.unit_joins("a", "table-1")
    hall.pass_on()
    for _ in range(10):
        hall.clock.ms += 5000
        hall.presence["a"].update("table-1", hall.clock.ms)
        hall.pass_on(beat=True)
    assert hall.presence["c"].units["table-1"].connected
    assert hall.presence["c"].units["table-1"].contact_ms == hall.clock.ms


def test_a_hub_that_starts_later_asks_and_is_told(hall: Hall) -> None:
    hall.unit_joins("a", "table-1")
    hall.presence["a"].update("table-1", hall.clock.ms, match="1.1", seated=frozenset("b"))
    hall.presence["b"].mark_at_table("e1", "1.1", "p1")
    hall.pass_on()
    hall.presence["late"] = Presence()
    hall.news["late"] = PresenceSync(hall.presence["late"], hall.clock.clocks.mono_ms)
    hall.pass_on()
    hall.pass_on()
    assert hall.seen("late") == hall.seen("a")
    assert hall.presence["late"].seen_at_table == {("e1", "1.1", "p1")}


def test_a_page_server_listens_and_only_ever_asks() -> None:
    hall = Hall("a")
    hall.presence["pages"] = Presence()
    hall.news["pages"] = PresenceSync(hall.presence["pages"], hall.clock.clocks.mono_ms, speaks=False)
    hall.pass_on()
    hall.unit_joins("a", "table-1")
    hall.presence["pages"].change("table-1", partial(take_call, by="nobody"))
    hall.presence["pages"].update("table-9", 1, match="x")
    hall.pass_on()
    assert hall.seen("pages") == hall.seen("a")
    assert hall.seen("a", "table-9") is None


def test_three_hundred_units_fit_into_postgresql_s_notifications(hall: Hall) -> None:
    for number in range(300):
        hall.unit_joins("a", f"a-long-name-for-a-table-unit-{number}")
        hall.presence["a"].update(
            f"a-long-name-for-a-table-unit-{number}",
            hall.clock.ms,
            match="12.128",
            core="1.0",
            seated=frozenset("ab"),
            waiting=number,
            call=True,
        )
    hall.pass_on()
    assert max(hall.sizes) < 8000
    assert len(hall.presence["c"].units) == 300
    assert all(status.connected for status in hall.presence["c"].units.values())


def test_two_hubs_tell_each_other_through_a_database(url: str) -> None:
    address, clock = database_url(url), HandClock("db:1")
    presence = {name: Presence() for name in "ab"}
    news = {name: PresenceSync(presence[name], clock.clocks.mono_ms) for name in "ab"}
    relays = {name: PresenceRelay(address, name, news[name], presence[name]) for name in "ab"}
    followers = {
        name: NotificationListener(
            address,
            name,
            lambda _, name=name: relays[name].resync(),  # type: ignore[misc]
            {PRESENCE_CHANNEL: news[name].receive},
        )
        for name in "ab"
    }
    for each in (*followers.values(), *relays.values()):
        each.start()
    try:
        presence["a"].sessions.open("table-1", "s")
        presence["a"].update("table-1", clock.ms, connected=True, match="1.1", seated=frozenset("a"))
        wait_until(lambda: presence["b"].units == presence["a"].units, "the unit's status at the other hub")
    finally:
        for each in (*relays.values(), *followers.values()):
            each.stop()
