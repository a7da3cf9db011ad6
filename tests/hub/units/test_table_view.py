"""What a table is shown, where the ordinary evening (tests of the device API, of the kit) does not come."""

from pathlib import Path

import pytest
from hub_kit import HandClock, event_steps, make_event, people, running
from wire_json import table_json

from roundtap_core.event import commands as c
from roundtap_core.event.commands import GrantExtension
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import Entrant
from roundtap_core.records import Result, SidePair
from roundtap_core.view_types import TableView
from roundtap_core.wire import struct_json
from roundtap_hub.store.service import Step
from roundtap_hub.units.table_view import table_view

NO_EVENT = (
    b'{"call":null,"call_closed":false,"call_ms":0,'
    b'"clock":{"deadline_ms":null,"remaining_ms":null,"state":"idle","total_ms":null},'
    b'"event":null,"finished":[],"form":null,"leave_asked":[],"leave_refused":[],"lost_round":false,"match":null,'
    b'"next":null,"options":{},"round":null,"rounds_left":null,"situation":null,"table":null}'
)


def test_a_view_is_of_its_type_and_its_bytes_are_those_that_older_units_know(tmp_path: Path) -> None:
    """Keys are sorted, and what only a round or a result adds is left out."""
    with running(tmp_path / "journal.db") as service:
        assert struct_json(table_view(service.snapshot, "table-1")) == NO_EVENT
        make_event(service)
        service.execute_one("e1", c.EnterResult("1.1", 0, Result(score=SidePair(100, 0))), "organizer")
        view = table_view(service.snapshot, "table-1")
    assert isinstance(view, TableView)
    assert b'"result":{"score":{"a":100,"b":0}},"revision":1,"said":{"a":null,"b":null}' in struct_json(view)


def test_an_imported_event_too_small_for_its_structure_still_has_tables(tmp_path: Path) -> None:
    played = {"number": 1, "stage": "swiss", "matches": [{"table": 1, "a": "p1", "b": "p2"}, {"a": "p3", "bye": "bye"}]}
    with running(tmp_path / "journal.db") as service:
        service.execute([*event_steps()[:4], Step("e1", c.ImportRound(played))], "organizer", people()[:3])
        service.execute([Step(VENUE, NewEntry("unit-placed", {"unit": "table-1", "table": 1}))], "organizer")
        view = table_json(service.snapshot, "table-1")
    assert view["match"]["a"] == {"id": "p1", "name": "Ana R."}
    assert view["round"]["of"] is None


def test_a_table_whose_match_was_a_no_show_has_none_any_more(tmp_path: Path) -> None:
    with running(tmp_path / "journal.db") as service:
        state = make_event(service)
        service.execute_one("e1", c.NoShow("1.1", state.rounds[0].matches[0].match.a), "judge")
        assert table_json(service.snapshot, "table-1")["match"] is None
        assert table_json(service.snapshot, "table-2")["match"]["id"] == "1.2"


def test_the_clock_of_a_table_runs_on_by_its_extension_and_no_other_does(tmp_path: Path) -> None:
    with running(tmp_path / "journal.db") as service:
        make_event(service)
        service.execute_one("e1", GrantExtension("1.1", 4), "judge")
        extended, other = (table_json(service.snapshot, f"table-{n}")["clock"] for n in (1, 2))
    assert extended["remaining_ms"] == other["remaining_ms"] + 4 * 60_000 == 79 * 60_000


def test_a_latecomers_match_appears_at_its_table(tmp_path: Path) -> None:
    names = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak")
    with running(tmp_path / "journal.db") as service:
        service.execute(
            [
                *event_steps(names=names),
                Step("e1", c.SetOptions({"structure": "own"})),
                Step("e1", c.DrawRound(1)),
                Step("e1", c.PublishRound(1, 1)),
                Step(VENUE, NewEntry("unit-placed", {"unit": "table-2", "table": 2})),
            ],
            "organizer",
            people(names=names),
        )
        assert table_json(service.snapshot, "table-2")["match"] is None
        bye = next(m.id for m in service.snapshot.events["e1"].rounds[0].matches if m.match.bye)
        late = people(names=(*names, "Eva Luz"))[3]
        service.execute_one(
            "e1", c.EnterCompetitor(Entrant("p4", late.person.digest(late.salt)), meets=bye), "organizer", [late]
        )
        match = table_json(service.snapshot, "table-2")["match"]
    assert (match["id"], match["revision"], match["b"]["name"]) == (bye, 1, "Eva L.")


def test_a_finished_event_leaves_its_tables_and_is_named_to_the_units(tmp_path: Path) -> None:
    with running(tmp_path / "journal.db") as service:
        state = make_event(service)
        for match in state.rounds[0].matches:
            result = {"score": {"a": 100, "b": 0}}
            for side in ("a", "b"):
                service.execute_one("e1", c.RecordReport(f"{match.id}{side}", match.id, side, 0, result, "b"), "unit")  # type: ignore[arg-type]
        service.execute_one("e1", c.FinishEvent("the hall closes"), "organizer")
        view = table_json(service.snapshot, "table-1", reported=("e1", "gone"))
    assert (view["event"], view["match"], view["finished"]) == (None, None, ["e1"])


@pytest.mark.parametrize(
    ("options", "last"),
    [
        ({"structure": "own", "swiss_rounds": 1}, [True]),
        ({"structure": "own", "swiss_rounds": 2}, [False, True]),
        ({"structure": "own", "swiss_rounds": 1, "cut": 4}, [False, False, True]),
        ({"structure": "own"}, [False, False]),
    ],
    ids=["one round", "two rounds", "with a cut", "without a plan"],
)
def test_a_view_tells_the_last_round_of_the_event_s_plan(
    tmp_path: Path, options: dict[str, object], last: list[bool]
) -> None:
    told = []
    with running(tmp_path / "journal.db") as service:
        tell = lambda command: service.execute_one("e1", command, "organizer")  # noqa: E731
        created = c.CreateEvent("Cup", "xwing-standard", None, options, "#0072B2", 7)
        placed = Step(VENUE, NewEntry("unit-placed", {"unit": "table-1", "table": 1}))
        service.execute([Step("e1", created), *event_steps()[1:], placed], "organizer", people())
        for number in range(1, len(last) + 1):
            if options.get("cut") and number == 2:
                tell(c.MakeCut())
            tell(c.DrawRound(number))
            tell(c.PublishRound(number, 1))
            told.append(table_json(service.snapshot, "table-1").get("last_round", False))
            for match in service.snapshot.events["e1"].live.matches:  # type: ignore[union-attr]
                tell(c.EnterResult(match.id, 0, Result(score=SidePair(100, 24))))
    assert told == last


def test_a_table_of_the_final_and_the_one_for_third_place(tmp_path: Path) -> None:
    """The round is one, of three in all; the match beside the final has the shorter time of its own."""
    clock = HandClock()
    with running(tmp_path / "journal.db", clock) as service:
        make_event(service)
        for match in service.snapshot.events["e1"].live.matches:  # type: ignore[union-attr]
            service.execute_one("e1", c.EnterResult(match.id, 0, Result(score=SidePair(100, 24))), "organizer")
        service.execute_one("e1", c.FinishEvent("the hall closes"), "organizer")
        tell = lambda command: service.execute_one("e2", command, "organizer")  # noqa: E731
        options = {"structure": "own", "swiss_rounds": 1, "cut": 4, "third_place_match": True}
        service.execute(
            [Step("e2", c.CreateEvent("Cup", "xwing-standard", None, options, "#0072B2", 7)), *event_steps("e2")[1:]],
            "organizer",
            people("e2"),
        )
        for _ in range(3):
            if service.snapshot.events["e2"].rounds and service.snapshot.events["e2"].cut is None:
                tell(c.MakeCut())
            tell(c.DrawRound(1))
            draft = service.snapshot.events["e2"].draft
            tell(c.PublishRound(draft.number, 1))
            if draft.number < 3:
                for match in draft.matches:
                    tell(c.EnterResult(match.id, 0, Result(score=SidePair(100, 24))))
        state = service.snapshot.events["e2"]
        tell(c.SetClock("start"))
        clock.ms += 60_000
        final, third = (table_json(service.snapshot, unit) for unit in ("table-1", "table-2"))
    assert state.clock.total_ms == 120 * 60_000
    assert (final["round"]["number"], final["round"]["of"], final["round"]["stage"]) == (3, 3, "elimination")
    assert (final["clock"]["total_ms"], third["clock"]["total_ms"]) == (120 * 60_000, 75 * 60_000)
    assert final["clock"]["deadline_ms"] - third["clock"]["deadline_ms"] == 45 * 60_000
