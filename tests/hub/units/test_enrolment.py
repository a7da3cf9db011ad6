"""A new unit gets its key: six digits on its screen, typed once by an organizer, and the same key on both sides."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from enrol_kit import Hall, Unit, hall_at, pass_time

from event_kit import refused
from faults import fails
from roundtap_core.enrol_keys import ExchangeContext, derive_keys
from roundtap_hub.access.unit_keys import UnitKeys
from roundtap_hub.store.journal import Journal, JournalConflict
from roundtap_hub.units import enrolment
from roundtap_hub.units.enrolment import EnrolResult, TypedCode, parse_typed_code
from roundtap_units.link.enrolling import BUSY, CODE, DONE, LOOKING, STOPPED, WRONG


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with hall_at(tmp_path) as made:
        yield made


def enrol(hall: Hall, unit: Unit, **where: Any) -> EnrolResult:
    if unit.asking.showing.state != CODE:
        unit.step()
    typing = hall.type(unit.shows, **where)
    unit.step()
    assert isinstance(typing.outcome, EnrolResult), typing.outcome
    return typing.outcome


def test_both_have_the_same_key_the_unit_its_name_and_nothing_secret_was_said(hall: Hall) -> None:
    unit = hall.unit()
    assert enrol(hall, unit, table=7) == EnrolResult("table-7", 7)
    [kept] = unit.kept
    assert (kept.unit, kept.key, kept.hubs) == ("table-7", hall.hub.units.keys["table-7"], (("hub", 8080),))
    assert kept.hub == hall.hub.service.snapshot.venue.epoch
    assert dict(UnitKeys(hall.hub.service)) == {"table-7": kept.key}
    assert hall.hub.service.snapshot.venue.tables == {"table-7": 7}
    assert unit.asking.showing.state == DONE
    air = json.dumps([[dict(asked), answered] for asked, _, answered in hall.heard])
    assert kept.key.hex() not in air
    assert "345678" not in air


def test_whoever_wants_another_hub_looks_past_this_one_and_its_code_is_not_shown_again(hall: Hall) -> None:
    unit = hall.unit()
    unit.asking.skip_hub()
    unit.step()
    assert (unit.asking.showing.state, unit.passed_over) == (CODE, [set()]), "there was none yet"
    unit.asking.skip_hub()
    assert unit.asking.showing.state == LOOKING
    unit.step()
    assert unit.passed_over == [set(), {"h"}]


def test_the_key_opens_the_hubs_door_at_once(hall: Hall) -> None:
    from roundtap_core.wire import REQUEST, envelope

    unit = hall.unit()
    enrol(hall, unit)
    asked = envelope(unit.kept[0].key, REQUEST, {"unit": "table-1", "nonce": "ab"})
    assert hall.client.post("/device/time", json=asked).status_code == 200


def test_the_unit_shows_what_it_does(hall: Hall) -> None:
    unit = hall.unit()
    assert unit.asking.showing.state == LOOKING
    unit.step()
    showing = unit.asking.showing
    assert (showing.state, showing.hub, showing.code) == (CODE, "roundtap", "345678")
    assert showing.until_ms - hall.clock.ms == 60_000
    assert 10 <= (showing.number or 0) <= 99


def test_another_code_comes_after_a_minute_and_the_one_before_may_still_be_typed_for_a_moment(hall: Hall) -> None:
    unit = hall.unit()
    unit.step()
    first = unit.shows
    pass_time(hall, 60_000, unit)
    assert unit.shows != first
    pass_time(hall, 19_000, unit)
    typing = hall.type(first)
    unit.step()
    assert typing.outcome == EnrolResult("table-1", None)


def test_a_code_that_is_older_than_that_is_nobodys(hall: Hall) -> None:
    unit = hall.unit()
    unit.step()
    first = unit.shows
    pass_time(hall, 81_000, unit)
    assert hall.type(first).problem == "enrol_nobody"
    assert enrol(hall, unit).unit == "table-1", "and nothing is burnt by it"


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("17 345 678", TypedCode(17, "345678")),
        ("17345678", TypedCode(17, "345678")),
        (" 345-678 ", TypedCode(None, "345678")),
        ("000000", TypedCode(None, "000000")),
        ("17·345.678", TypedCode(17, "345678")),
    ],
)
def test_digits_are_read_as_people_type_them(text: str, typed: TypedCode) -> None:
    assert parse_typed_code(text) == typed


@pytest.mark.parametrize("text", ["", "12345", "1234567", "123456789", "abcdef", "１２３４５６", "------", "1234 5six"])
def test_what_are_no_digits_of_a_screen_is_said(text: str) -> None:
    with refused("enrol_digits"):
        parse_typed_code(text)


def test_one_unit_that_waits_needs_no_number_and_of_several_none_is_tried(hall: Hall) -> None:
    unit = hall.unit()
    assert hall.type("345678").problem == "enrol_none_waits"
    unit.step()
    other = hall.unit("m-2", code="999999")
    other.step()
    assert hall.type("345678").problem == "enrol_which"
    typing = hall.type("345678", mark=hall.desk.room.listed()[0].mark)
    unit.step()
    assert typing.outcome == EnrolResult("table-1", None)


def test_wrong_digits_are_told_on_both_sides_and_the_next_code_comes_after_a_pause(hall: Hall) -> None:
    unit = hall.unit()
    unit.step()
    right = unit.shows
    typing = hall.type(right.replace("345678", "345679"))
    unit.step()
    assert typing.problem == "enrol_wrong"
    assert (unit.asking.showing.state, unit.asking.showing.wrong) == (WRONG, 1)
    assert hall.type(right).problem in ("enrol_used", "enrol_nobody"), "the code is burnt"
    unit.step()
    assert unit.asking.showing.state == WRONG
    hall.clock.ms += 3000
    unit.step()
    assert enrol(hall, unit).unit == "table-1"


def test_a_unit_that_vanishes_leaves_nothing_behind(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = hall.unit()
    unit.step()
    with monkeypatch.context() as patch:
        patch.setattr(enrolment, "TAKE_UP_S", 0.01)
        assert hall.type(unit.shows).problem == "enrol_silent"
    assert (dict(hall.hub.units.keys), dict(hall.hub.service.snapshot.venue.unit_ids)) == ({}, {})
    hall.clock.ms += 11_000
    assert hall.desk.room.listed() == []
    unit.step()
    assert unit.asking.showing.state == CODE
    hall.clock.ms += 60_000
    unit.step()
    assert enrol(hall, unit).unit == "table-1"


@pytest.mark.parametrize("lost", ["answer", "confirm"])
def test_an_answer_that_is_lost_is_asked_for_again_and_gives_the_same(hall: Hall, lost: str) -> None:
    said = []

    def post(message: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        answered = hall.post(message)
        said.append(message["step"])
        if message["step"] == lost and said.count(lost) == 1:
            raise OSError("the answer was lost")
        return answered

    entries: list[Any] = []
    hall.hub.service.listen(lambda _, made: entries.extend(made))
    unit = hall.unit(post=post)
    assert enrol(hall, unit, table=3) == EnrolResult("table-3", 3)
    assert said.count(lost) == 2
    assert dict(hall.hub.units.keys) == {"table-3": unit.kept[0].key}
    assert [entry.kind for entry in entries] == ["unit-keyed", "unit-placed"]


def test_a_hub_started_anew_after_it_stored_the_key_gives_the_same_again(tmp_path: Path) -> None:
    with ExitStack() as hubs:
        before = hubs.enter_context(hall_at(tmp_path))
        running = [before]

        def post(message: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
            answered = running[-1].post(message)
            if message["step"] == "confirm" and len(running) == 1:
                raise OSError("the hub went, and its answer with it")
            return answered

        def wait(_: float) -> bool:
            if len(running) == 1:
                before.hub.service.stop()
                running.append(hubs.enter_context(hall_at(tmp_path, before.clock)))
            return False

        unit = before.unit(post=post)
        unit.asking._wait = wait
        unit.step()
        typing = before.type(unit.shows, table=4)
        unit.step()
        assert typing.outcome == EnrolResult("table-4", 4)
        [kept] = unit.kept
        assert (kept.unit, dict(running[1].hub.units.keys)) == ("table-4", {"table-4": kept.key})


def test_a_hub_started_anew_in_the_middle_has_nothing_on_record_and_the_unit_shows_a_new_code(tmp_path: Path) -> None:
    with hall_at(tmp_path) as before:
        hub = [before]

        def post(message: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
            if message["step"] == "confirm":
                hub[0].desk._exchanges.clear()
            return hub[0].post(message)

        unit = before.unit(post=post)
        unit.step()
        typing = before.type(unit.shows)
        exchange = next(iter(before.desk._exchanges.values()))
        unit.step()
        exchange.end("late")
        assert typing.problem == "enrol_silent"
        assert (unit.kept, dict(before.hub.units.keys)) == ([], {})
        unit.step()
        assert unit.asking.showing.state == CODE


def test_a_disk_that_takes_nothing_is_told_and_nothing_is_agreed(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = hall.unit()
    unit.step()

    typing = hall.type(unit.shows)
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", fails(JournalConflict("full", "SQLITE_FULL")))
        unit.step()
    assert typing.problem == "not_saved"
    assert (unit.kept, dict(hall.hub.units.keys)) == ([], {})
    unit.step()
    assert enrol(hall, unit).unit == "table-1"


def test_a_unit_that_lost_its_key_keeps_its_name_and_its_table(hall: Hall) -> None:
    first = hall.unit("m-1")
    enrol(hall, first, table=5)
    again = hall.unit("m-1")
    assert enrol(hall, again) == EnrolResult("table-5", 5)
    assert dict(hall.hub.units.keys) == {"table-5": again.kept[0].key}
    assert again.kept[0].key != first.kept[0].key


def test_who_says_to_be_a_unit_that_is_in_contact_gets_a_name_of_its_own(hall: Hall) -> None:
    first = hall.unit("m-1")
    enrol(hall, first, table=5)
    hall.hub.presence.update("table-5", hall.clock.ms, connected=True)
    other = hall.unit("m-1")
    assert enrol(hall, other, table=6) == EnrolResult("table-6", 6)
    assert hall.hub.units.keys["table-5"] == first.kept[0].key


def test_a_new_unit_takes_a_broken_ones_place_and_the_old_key_is_worth_nothing(hall: Hall) -> None:
    old, told = hall.unit("m-1"), []
    enrol(hall, old, table=7)
    hall.hub.units.keys.listeners.append(told.append)
    new = hall.unit("m-2")
    assert enrol(hall, new, replace="table-7") == EnrolResult("table-7", 7)
    assert hall.hub.units.keys["table-7"] == new.kept[0].key
    assert told == [frozenset({"table-7"})], "feeds with the old key end"
    # The broken one is mended and asks: its name is another's by now.
    hall.hub.presence.update("table-7", hall.clock.ms, connected=True)
    assert enrol(hall, hall.unit("m-1")).unit == "table-1"


def test_a_station_takes_no_tables_place(hall: Hall) -> None:
    enrol(hall, hall.unit("m-1"), table=7)
    station = hall.unit("m-2", kind="station")
    station.step()
    assert hall.type(station.shows, replace="table-7").problem == "enrol_kind"
    assert enrol(hall, station) == EnrolResult("station-1", None)
    assert hall.hub.units.keys.role("station-1") == "station"


def test_names_are_free_ones(hall: Hall) -> None:
    assert [enrol(hall, hall.unit(f"m-{n}")).unit for n in range(3)] == ["table-1", "table-2", "table-3"]
    hall.hub.units.keys.revoke("table-2")
    assert enrol(hall, hall.unit("m-9")).unit == "table-2"


def test_a_lamp_blinks_where_somebody_asks_for_it(hall: Hall) -> None:
    units = [hall.unit(f"m-{n}") for n in range(2)]
    for unit in units:
        unit.step()
    assert hall.desk.room.identify(hall.desk.room.listed()[1].mark)
    for unit in units:
        unit.step()
    assert [unit.asking.showing.identify for unit in units] == [False, True]
    hall.clock.ms += 6000
    units[1].step()
    assert not units[1].asking.showing.identify


def test_a_hub_with_no_place_left_is_asked_again_later(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enrolment, "ADDRESS_MAX", 1)
    hall.unit("m-1").step()
    second = hall.unit("m-2")
    second.step()
    assert second.asking.showing.state == BUSY
    hall.clock.ms += 11_000
    second.step()
    assert second.asking.showing.state == CODE


def test_after_ten_wrong_codes_somebody_has_to_press(hall: Hall) -> None:
    unit = hall.unit()
    for _ in range(10):
        hall.clock.ms += 61_000
        while unit.asking.showing.state != CODE:
            unit.step()
        typing = hall.type(unit.shows.replace("345678", "000000"))
        unit.step()
        assert typing.problem == "enrol_wrong"
    hall.clock.ms += 3_600_000
    unit.step()
    unit.step()
    assert unit.asking.showing.state == STOPPED
    unit.asking.resume()
    unit.step()
    assert unit.asking.showing.state == CODE


def test_what_both_mean_is_part_of_what_they_agree_on() -> None:
    about = ExchangeContext("h", "e", "m-1", "table", 1, "x")
    others = [
        ExchangeContext("g", "e", "m-1", "table", 1, "x"),
        ExchangeContext("h", "f", "m-1", "table", 1, "x"),
        ExchangeContext("h", "e", "m-2", "table", 1, "x"),
        ExchangeContext("h", "e", "m-1", "station", 1, "x"),
        ExchangeContext("h", "e", "m-1", "table", 2, "x"),
        ExchangeContext("h", "e", "m-1", "table", 1, "y"),
        ExchangeContext("he", "", "m-1", "table", 1, "x"),
    ]
    made = [derive_keys(b"shared", each, b"A", b"B") for each in (about, *others)]
    said = [text for each in made for text in (each.hub_confirms, each.unit_confirms, each.key.hex())]
    assert len(set(said)) == 3 * len(made)
    assert derive_keys(b"shared", about, b"B", b"A") != made[0]
    assert derive_keys(b"other", about, b"A", b"B") != made[0]
    assert derive_keys(b"shared", about, b"A", b"B") == made[0]
