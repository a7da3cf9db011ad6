"""What a table is shown, where the ordinary evening (tests of the device API, of the kit) does not come."""

from __future__ import annotations

from pathlib import Path

from hub_kit import event_steps, make_event, people, running

from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.service import Step
from roundtap_hub.tableview import table_view


def test_an_imported_event_too_small_for_its_structure_still_has_tables(tmp_path: Path) -> None:
    played = {"number": 1, "stage": "swiss", "matches": [{"table": 1, "a": "p1", "b": "p2"}, {"a": "p3", "bye": "bye"}]}
    with running(tmp_path / "journal.db") as service:
        service.ask([*event_steps()[:4], Step("e1", c.ImportRound(played))], "organizer", people()[:3])
        service.ask([Step(VENUE, NewEntry("unit-placed", {"unit": "table-1", "table": 1}))], "organizer")
        view = table_view(service.snapshot, "table-1")
    assert view["match"]["a"] == {"name": "Ana R."}
    assert view["round"]["of"] is None


def test_a_table_whose_match_was_a_no_show_has_none_any_more(tmp_path: Path) -> None:
    with running(tmp_path / "journal.db") as service:
        state = make_event(service)
        service.tell("e1", c.NoShow("1.1", state.rounds[0].matches[0].match.a), "judge")
        assert table_view(service.snapshot, "table-1")["match"] is None
        assert table_view(service.snapshot, "table-2")["match"]["id"] == "1.2"


def test_a_finished_event_leaves_its_tables_and_is_named_to_the_units(tmp_path: Path) -> None:
    with running(tmp_path / "journal.db") as service:
        state = make_event(service)
        for match in state.rounds[0].matches:
            result = {"score": {"a": 100, "b": 0}}
            for side in ("a", "b"):
                service.tell("e1", c.Report(f"{match.id}{side}", match.id, side, 0, result, "b"), "unit")  # type: ignore[arg-type]
        service.tell("e1", c.FinishEvent(), "organizer")
        view = table_view(service.snapshot, "table-1")
    assert (view["event"], view["match"], view["finished"]) == (None, None, ["e1"])
