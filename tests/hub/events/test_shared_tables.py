"""Several events in one hall: in whatever order they draw, publish and move, no table ever belongs to two of them."""

import contextlib
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, permutations
from pathlib import Path

import pytest
from hub_kit import event_steps, people, running
from hypothesis import given
from hypothesis import strategies as st
from pages_kit import PEOPLE, House, problem_of, text_of

from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.rounds import tables_in_play
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.records import Result, SidePair
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, version_of
from roundtap_hub.store.service import Service

NAMES = [f"Player {n}" for n in range(1, 6)]

PRESSES = ("draw", "publish", "publish", "move", "discard", "impose", "import", "late", "results", "finish")


def with_events(service: Service, events: tuple[str, ...]) -> None:
    for event in events:
        service.execute(event_steps(event, NAMES), "test", people(event, NAMES))


def shared(states: Iterator[EventState]) -> set[int]:
    return {table for one, other in combinations(states, 2) for table in tables_in_play(one) & tables_in_play(other)}


def act(service: Service, event: str, what: str) -> None:
    """One press; what is refused changes nothing."""
    state = service.snapshot.events[event]
    draft = state.draft
    attempt = draft.draw.attempt if draft and draft.draw else 0
    number = draft.number if draft else 0
    two = [{"a": "p1", "b": "p2", "table": 1}, {"a": "p3", "b": "p4"}, {"a": "p5", "bye": "bye"}]
    commands: dict[str, list[c.Command]] = {
        "draw": [c.DrawRound(3)],
        "publish": [c.PublishRound(number, attempt)],
        "move": [c.MoveTables(number, attempt)],
        "discard": [c.DiscardDraft()],
        "impose": [c.ImposeRound(tuple(two))],
        "import": [c.ImportRound({"number": len(state.rounds) + 1, "matches": two})],
        "late": [
            c.EnterCompetitor(Entrant(f"x{state.number}", "d"), meets=m.id)
            for m in (state.live.matches if state.live else ())
            if m.match.b is None
        ][:1],
        "results": [
            c.EnterResult(m.id, m.revision, Result(score=SidePair(100, 24)))
            for m in (state.live.open_matches if state.live else ())
        ],
        "finish": [c.FinishEvent("the hall closes")],
    }
    with contextlib.suppress(Problem):
        for command in commands[what]:
            service.execute_one(event, command, "test")


@given(st.lists(st.tuples(st.sampled_from(["e1", "e2", "e3"]), st.sampled_from(PRESSES)), max_size=25))
def test_whatever_is_pressed_no_table_has_two_events(presses: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "journal.db") as service:
        with_events(service, ("e1", "e2", "e3"))
        for event, what in presses:
            act(service, event, what)
            assert shared(iter(service.snapshot.events.values())) == set(), (event, what)


@pytest.mark.parametrize("events", [("e1", "e2"), pytest.param(("e1", "e2", "e3"), marks=pytest.mark.long)])
@pytest.mark.parametrize("first", ["draw", "impose"])
def test_every_order_of_drawing_and_publishing_ends_with_all_events_at_tables_of_their_own(
    tmp_path: Path,
    events: tuple[str, ...],
    first: str,
) -> None:
    """Whoever meets a clash moves and publishes again: nobody is stuck, nobody shares."""
    steps = [(event, what) for event in events for what in (first, "publish")]
    orders = [
        order
        for order in set(permutations(steps))
        if all(order.index((event, first)) < order.index((event, "publish")) for event in events)
    ]
    assert len(orders) == {2: 6, 3: 90}[len(events)]
    for number, order in enumerate(orders):
        with running(tmp_path / f"journal-{number}.db") as service:
            with_events(service, events)
            for event, what in order:
                act(service, event, what)
                assert shared(iter(service.snapshot.events.values())) == set(), order
                if service.snapshot.events[event].draft and what == "publish":
                    act(service, event, "move")
                    act(service, event, "publish")
            states = [service.snapshot.events[event] for event in events]
            assert all(state.live for state in states), order
            assert shared(iter(states)) == set(), order
            assert len(set().union(*map(tables_in_play, states))) == 2 * len(events)


def test_a_draw_leaves_another_event_s_draft_its_tables(tmp_path: Path) -> None:
    with running(tmp_path / "journal.db") as service:
        with_events(service, ("e1", "e2"))
        act(service, "e1", "draw")
        act(service, "e2", "draw")
        draft = service.snapshot.events["e2"].draft
        assert [m.match.table for m in draft.matches] == [3, 4, None]


def test_two_events_published_at_the_same_moment_do_not_share_either(tmp_path: Path) -> None:
    """The writer decides one after the other, and sees the other's tables when it decides: not when somebody asked."""
    with running(tmp_path / "journal.db") as service:
        with_events(service, ("e1", "e2"))
        for event in ("e1", "e2"):
            act(service, event, "impose")
        with ThreadPoolExecutor(2) as both:
            list(both.map(lambda event: act(service, event, "publish"), ("e1", "e2")))
        assert sum(state.live is not None for state in service.snapshot.events.values()) == 1


# --- as the organizer sees it --------------------------------------------------------------------------------------


def test_a_clash_is_shown_and_solved_by_one_click(house: House) -> None:
    browser = house.with_event()
    browser.post(
        "/console", name="Sunday Cup", rulebook="xwing-standard", color="#882255", structure="own", swiss_rounds=2
    )
    browser.post("/console/e2/competitors", names="\n".join(PEOPLE[:4]))
    browser.post("/console/e1/draw", attempt=0)
    matches = [{"a": "p1", "b": "p2", "table": 2}, {"a": "p3", "b": "p4", "table": 3}]
    house.service.execute_one("e2", c.ImposeRound(tuple(matches)), "test")
    house.service.execute_one("e2", c.PublishRound(1, 1), "test")
    page = browser.console()
    assert "Sunday Cup uses tables 2, 3. Tables 4, 5 are free." in text_of(page)
    assert "Move to tables 4, 5" in text_of(page)
    assert 'action="/console/e1/publish"' not in page.text
    refused = browser.post("/console/e1/publish", number=1, attempt=1)
    assert refused.status_code == 409
    assert "Another event uses these tables: 2, 3 (Sunday Cup)" in problem_of(refused)
    browser.post("/console/e1/tables", number=1, attempt=1)
    assert "Publish round 1" in text_of(browser.console())
    assert browser.post("/console/e1/publish", number=1, attempt=1).status_code == 303
    assert tables_in_play(house.event) == {1, 4, 5}


def test_the_console_looks_again_when_another_event_takes_its_drawn_tables(house: House) -> None:
    browser = house.with_event()
    browser.post("/console", name="Sunday Cup", rulebook="xwing-standard", color="#882255")
    browser.post("/console/e2/competitors", names="\n".join(PEOPLE[:4]))
    browser.post("/console/e1/draw", attempt=0)
    house.service.execute_one("e2", c.ImposeRound(({"a": "p1", "b": "p2", "table": 1},)), "test")
    before = version_of(HubNow(house.hub, house.service.snapshot, {}), PageKey("console", "e1"))
    house.service.execute_one("e2", c.PublishRound(1, 1), "test")
    assert version_of(HubNow(house.hub, house.service.snapshot, {}), PageKey("console", "e1")) != before


def test_who_came_after_all_sits_at_a_free_table_where_another_event_took_theirs(tmp_path: Path) -> None:
    """The console does not know the other events' tables: the writer tells the command when it decides."""
    with running(tmp_path / "journal.db") as service:
        with_events(service, ("e1", "e2"))
        act(service, "e1", "draw")
        act(service, "e1", "publish")
        first = service.snapshot.events["e1"].find_match("1.1")
        drawn = first[1].match
        assert (drawn.table, drawn.b is None) == (1, False)
        service.execute_one("e1", c.NoShow("1.1", drawn.b or ""), "test")
        assert 1 not in tables_in_play(service.snapshot.events["e1"])
        two = ({"a": "p1", "b": "p2", "table": 1}, {"a": "p3", "b": "p4", "table": 3})
        service.execute_one("e2", c.ImposeRound(two), "test")
        service.execute_one("e2", c.PublishRound(1, 1), "test")
        assert tables_in_play(service.snapshot.events["e2"]) == {1, 3}
        service.execute_one("e1", c.UndoNoShow("1.1"), "test")
        again = service.snapshot.events["e1"].find_match("1.1")
        assert (again[1].match.a, again[1].match.b, again[1].match.table) == (drawn.a, drawn.b, 4)
        assert shared(iter(service.snapshot.events.values())) == set()
