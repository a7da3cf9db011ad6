"""A report counts only from where it was pressed; what comes from elsewhere is refused, recorded and told."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hub_kit import HandClock, hub_of, make_event, running, stored
from recorded_reports import record_report
from wire_json import table_json

from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry, Timestamp, chain_entry
from roundtap_core.event.states import AGREED, OPEN, MatchState
from roundtap_core.messages import TableStatus
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_core.typed import MalformedMessage
from roundtap_core.wire import digest
from roundtap_hub.app.hub import Hub
from roundtap_hub.app.todo import open_tasks
from roundtap_hub.store.command_pipeline import validate_report
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import Venue, apply_venue
from roundtap_hub.units.table_api import submit_lot, take_status
from roundtap_hub.views.saved_event import full_names, saved_event
from roundtap_hub.views.tables import grid_cells

RIGHT, WRONG = {"score": {"a": 100, "b": 30}}, {"score": {"a": 0, "b": 100}}

GOOD: dict[str, Any] = {
    "report_id": "r",
    "unit": "table-1",
    "event": "e1",
    "match": "1.1",
    "side": "a",
    "revision": 0,
    "result": RIGHT,
    "serial": 1,
    "agrees_to": {"report_id": "x", "hash": "y"},
    "round": 1,
    "a": "p1",
    "b": "p2",
    "time_up": False,
}


class Hall:
    """A hub with two tables; units say what they like."""

    def __init__(self, hub: Hub, path: Path, clock: HandClock) -> None:
        self.hub, self.path, self.clock = hub, path, clock
        self.serials: dict[tuple[str, str], int] = {}

    def says(self, unit: str, side: str, result: Any, match: str = "1.1", event: str = "e1") -> str:
        serial = self.serials[match, side] = self.serials.get((match, side), 0) + 1
        echo = record_report(
            self.hub.service,
            validate_report(
                {
                    "report_id": f"{unit}-{match}{side}{serial}",
                    "unit": unit,
                    "event": event,
                    "match": match,
                    "side": side,
                    "revision": self.match(match).revision,
                    "result": result,
                    "serial": serial,
                    "agrees_to": None,
                }
            ),
        )
        return str(echo.get("reason") or echo["fate"])

    def match(self, match: str = "1.1") -> MatchState:
        found = self.hub.service.snapshot.events["e1"].find_match(match)
        return found[1]

    def place(self, unit: str, table: int | None) -> None:
        self.hub.service.execute([Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": table}))], "organizer")

    def tell(self, command: c.Command) -> None:
        self.hub.service.execute_one("e1", command, "organizer")

    def next_round(self) -> None:
        for match in self.hub.service.snapshot.events["e1"].rounds[-1].open_matches:
            self.tell(c.EnterResult(match.id, match.revision, Result(score=SidePair(100, 0))))
        self.tell(c.DrawRound(3))
        self.tell(c.PublishRound(len(self.hub.service.snapshot.events["e1"].rounds), 1))

    def needs(self) -> list[tuple[str, int | None, str, str]]:
        """(kind, table, who, where it stands) of what the console says of units from elsewhere."""
        snapshot = self.hub.service.snapshot
        moment = saved_event(snapshot, "e1")
        names, units = full_names(moment), self.hub.presence.units
        grid = grid_cells(snapshot, units, moment.state, moment.state.live, names, self.clock.ms)
        found = open_tasks(snapshot, units, moment.state, grid, names, self.clock.ms)
        return [(n.kind, n.table, n.who, n.text) for n in found if n.kind == "elsewhere"]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    clock = HandClock()
    with running(tmp_path / "journal.db", clock) as service:
        make_event(service)
        yield Hall(hub_of(service, clock), tmp_path / "journal.db", clock)


# --- what was seen -----------------------------------------------------------------------------------------------


def test_two_reports_from_a_foreign_table_s_key_turn_nothing_round(hall: Hall) -> None:
    assert [hall.says("table-1", side, RIGHT) for side in "ab"] == ["accepted", "accepted"]
    assert [hall.says("table-2", side, WRONG) for side in "ab"] == ["elsewhere", "elsewhere"]
    assert hall.match().state == AGREED
    assert result_to_json(hall.match().match.result) == RIGHT
    assert hall.needs() == [("elsewhere", 1, "table-2", "2")]
    refused = [entry for entry in stored(hall.path) if entry.data.get("reason") == "elsewhere"]
    assert [entry.actor for entry in refused] == ["unit:table-2"] * 2


@pytest.mark.parametrize("unit", ["table-9", "station-1"])
def test_an_unplaced_key_closes_no_match(hall: Hall, unit: str) -> None:
    assert [hall.says(unit, side, WRONG) for side in "ab"] == ["elsewhere", "elsewhere"]
    assert (hall.match().state, hall.match().heard) == (OPEN, {})
    assert hall.needs() == [("elsewhere", 1, unit, "")]


def test_what_came_from_elsewhere_keeps_nobody_from_reporting(hall: Hall) -> None:
    """Its number counts for nothing: the table's own first report is no older one."""
    hall.serials["1.1", "a"] = 99_990
    assert hall.says("table-2", "a", WRONG) == "elsewhere"
    hall.serials["1.1", "a"] = 0
    assert hall.says("table-1", "a", RIGHT) == "accepted"


def test_a_lot_from_elsewhere_is_none(hall: Hall) -> None:
    lot = {"event": "e1", "match": "1.1", "about": "initiative", "side": "b"}
    for unit in ("table-2", "table-9"):
        asked = submit_lot(hall.hub.service, unit, lot)
        assert asked is not None
        with pytest.raises(Problem):
            asked.result(GUARD_S)
    assert hall.match().lots == {}
    asked = submit_lot(hall.hub.service, "table-1", lot)
    asked.result(GUARD_S)
    assert hall.match().lots == {"initiative": "b"}


def test_who_says_they_sit_at_another_table_s_match_sits_nowhere(hall: Hall) -> None:
    """A status counts for the match at the unit's own table: neither seats nor wishes to leave are anybody else's."""
    for unit in ("table-2", "table-9"):
        for leave in ("", "ab"):
            status = TableStatus(unit, "s", 1, "1.1", frozenset("ab"), True, False, leave, None, 0)
            take_status(hall.hub, status, hall.clock.ms)
    hall.hub.service.execute([], "test")
    snapshot = hall.hub.service.snapshot
    moment = saved_event(snapshot, "e1")
    names, units = full_names(moment), hall.hub.presence.units
    grid = grid_cells(snapshot, units, moment.state, moment.state.live, names, hall.clock.ms)
    assert {cell.state for cell in grid} == {"waiting"}
    found = open_tasks(snapshot, units, moment.state, grid, names, hall.clock.ms)
    assert {need.kind for need in found} <= {"contact"}


# --- where a unit stood ------------------------------------------------------------------------------------------


def test_a_unit_that_was_carried_away_in_the_round_delivers_what_it_holds(hall: Hall) -> None:
    hall.place("table-1", 7)
    hall.place("table-9", 1)
    assert hall.says("table-1", "a", RIGHT) == "accepted"
    assert hall.says("table-9", "b", RIGHT) == "accepted"
    hall.place("table-9", None)
    assert hall.says("table-9", "a", WRONG) == "accepted"


def test_who_was_pushed_away_by_another_unit_stood_there_too(hall: Hall) -> None:
    hall.place("table-2", 1)
    assert "table-1" not in hall.hub.service.snapshot.venue.tables
    assert hall.says("table-1", "a", RIGHT) == "accepted"
    assert hall.says("table-2", "b", RIGHT) == "accepted"
    assert hall.says("table-2", "b", RIGHT, match="1.2") == "accepted"


def test_who_left_the_table_before_the_round_was_published_did_not_stand_there(hall: Hall) -> None:
    hall.place("table-1", None)
    hall.next_round()
    match = next(m for m in hall.hub.service.snapshot.events["e1"].rounds[-1].matches if m.match.table == 1)
    assert hall.says("table-1", "a", RIGHT, match=match.id) == "elsewhere"
    hall.place("table-1", 1)
    assert hall.says("table-1", "b", RIGHT, match=match.id) == "accepted"


def test_it_is_the_same_after_a_restart_and_a_clock_that_was_set_back(tmp_path: Path) -> None:
    """Entries' numbers say what came first: the boots of the hub and their clocks say nothing."""
    path = tmp_path / "journal.db"
    with running(path, HandClock("boot-1", 9_000_000)) as service:
        make_event(service)
    with running(path, HandClock("boot-2", 5)) as service:
        hall = Hall(hub_of(service, HandClock("boot-2", 5)), path, HandClock())
        hall.place("table-1", None)
    with running(path, HandClock("boot-0", 1)) as service:
        hall = Hall(hub_of(service, HandClock("boot-0", 1)), path, HandClock())
        assert hall.says("table-1", "a", RIGHT) == "accepted"
        hall.next_round()
        match = next(m for m in service.snapshot.events["e1"].rounds[-1].matches if m.match.table == 1)
        assert hall.says("table-1", "a", RIGHT, match=match.id) == "elsewhere"


def test_a_round_published_before_the_hub_said_since_when_takes_whoever_ever_stood_there() -> None:
    venue = Venue()
    for number, (unit, table) in enumerate([("x", 1), ("x", 2), ("y", 1), ("y", None)], start=1):
        venue = apply_venue(venue, _placed(number, unit, table))
    assert [venue.stood_at("x", 1, since) for since in (None, 0, 1, 2, 3)] == [True, True, True, False, False]
    assert [venue.stood_at("x", 2, since) for since in (None, 99)] == [True, True]
    assert [venue.stood_at("y", 1, since) for since in (None, 3, 4)] == [True, True, False]
    assert not venue.stood_at("y", 2, None)
    assert not venue.stood_at("z", 1, None)
    assert not venue.stood_at("y", None, None)


def _placed(number: int, unit: str, table: int | None) -> Any:
    return chain_entry(
        NewEntry("unit-placed", {"unit": unit, "table": table}), VENUE, number, "", Timestamp("b", 0), "organizer"
    )


# --- told and settled --------------------------------------------------------------------------------------------


def test_the_console_tells_it_until_an_official_has_read_it(hall: Hall) -> None:
    hall.says("table-2", "a", WRONG)
    number = hall.match().strangers["table-2"]
    hall.tell(c.SettleOutsideReports("1.1", number))
    assert hall.needs() == []
    hall.says("table-2", "b", WRONG)
    assert hall.needs() == [("elsewhere", 1, "table-2", "2")]
    hall.next_round()
    assert hall.needs() == []


# --- what a report may say ---------------------------------------------------------------------------------------


def test_old_and_new_reports_are_well_formed() -> None:
    assert validate_report(GOOD) == GOOD
    assert validate_report({**GOOD, "agrees_to": None})
    for name in ("serial", "agrees_to", "round", "a", "b", "time_up"):
        assert validate_report({key: value for key, value in GOOD.items() if key != name})


@pytest.mark.parametrize(
    "changes",
    [
        {"serial": 0},
        {"serial": -1},
        {"serial": True},
        {"serial": "1"},
        {"serial": 2**31},
        {"serial": None},
        {"agrees_to": {}},
        {"agrees_to": {"report_id": "x"}},
        {"agrees_to": {"report_id": "x", "hash": 7}},
        {"agrees_to": {"report_id": "x", "hash": "y", "more": 1}},
        {"agrees_to": "x"},
        {"agrees_to": {"report_id": "", "hash": "y"}},
        {"round": "1"},
        {"round": None},
        {"a": None},
        {"b": 7},
        {"a": ""},
        {"b": "x" * 65},
        {"time_up": 1},
        {"time_up": None},
        {"time_up": "yes"},
    ],
)
def test_a_field_that_is_none_is_named(changes: dict[str, Any]) -> None:
    with pytest.raises(MalformedMessage) as malformed:
        validate_report({**GOOD, **changes})
    assert all(str(reason).startswith(f"/{next(iter(changes))}") for reason in malformed.value.reasons)
    assert malformed.value.reasons


def test_the_view_names_what_counts(hall: Hall) -> None:
    """What a table agrees to, and from which number on it counts."""
    before = table_json(hall.hub.service.snapshot, "table-1")["match"]
    assert (before["heard"], before["said"], before["second"]) == ({"a": 0, "b": 0}, {"a": None, "b": None}, None)
    pair = hall.match().match
    assert (before["a"]["id"], before["b"]["id"]) == (pair.a, pair.b)
    report = {
        "report_id": "r9",
        "unit": "table-1",
        "event": "e1",
        "match": "1.1",
        "side": "a",
        "revision": 0,
        "result": RIGHT,
        "serial": 4,
        "agrees_to": None,
    }
    record_report(hall.hub.service, report)
    after = table_json(hall.hub.service.snapshot, "table-1")["match"]
    assert after["heard"] == {"a": 4, "b": 0}
    assert after["said"] == {"a": {"report_id": "r9", "hash": digest(report)}, "b": None}


def test_a_second_agreement_is_in_the_view(hall: Hall) -> None:
    for result in (RIGHT, WRONG):
        assert [hall.says("table-1", side, result) for side in "ab"] == ["accepted", "accepted"]
    view = table_json(hall.hub.service.snapshot, "table-1")["match"]
    assert (view["state"], view["result"], view["second"]) == ("second", RIGHT, WRONG)
