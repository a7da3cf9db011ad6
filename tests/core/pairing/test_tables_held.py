"""A hall with several events: tables of a drawn round that another event plays at, and where the round moves."""

from event_kit import Event, refused
from roundtap_core.event import commands as c
from roundtap_core.event.rounds import tables_drafted, tables_in_play


def tables(event: Event) -> list[int | None]:
    return [m.match.table for m in event.state.rounds[-1].matches]


def test_a_drawn_round_holds_its_tables_as_a_published_one_does() -> None:
    event = Event()
    event.tell(c.DrawRound(1))
    assert (tables_drafted(event.state), tables_in_play(event.state)) == ({1, 2}, set())
    event.tell(c.PublishRound(1, 1))
    assert (tables_drafted(event.state), tables_in_play(event.state)) == (set(), {1, 2})
    event.settle()
    assert tables_in_play(event.state) == {1, 2}
    event.tell(c.FinishEvent("the hall closes"))
    assert tables_in_play(event.state) == set()


def test_a_round_is_not_published_at_tables_of_another_event() -> None:
    event = Event(players=8)
    event.tell(c.DrawRound(1))
    with refused("tables_taken"):
        event.tell(c.PublishRound(1, 1, taken_tables={2: "Sunday Cup", 4: "Sunday Cup", 9: "Sunday Cup"}))
    event.tell(c.PublishRound(1, 1, taken_tables={5: "Sunday Cup"}))
    assert event.state.live is not None


def test_a_drawn_round_moves_to_free_tables_and_stays_the_same_draw() -> None:
    event = Event(players=8)
    event.tell(c.DrawRound(1))
    before = event.state.draft
    assert event.kinds(c.MoveTables(1, 1, frozenset({1, 2, 5}))) == ["round-drawn"]
    after = event.state.draft
    assert before is not None
    assert after is not None
    assert tables(event) == [6, 7, 3, 4]
    pairs = [[(m.id, m.match.a, m.match.b) for m in drawn.matches] for drawn in (before, after)]
    assert pairs[0] == pairs[1]
    assert (after.mark, after.draw) == (before.mark, before.draw)
    assert event.kinds(c.MoveTables(1, 1, frozenset({1, 2, 5}))) == []


def test_nobody_moves_to_a_table_that_is_fixed_for_somebody() -> None:
    event = Event(players=3)
    event.enter("p4", fixed_table=3)
    event.enter("p5")
    event.tell(
        c.ImposeRound(
            ({"a": "p1", "b": "p2", "table": 1}, {"a": "p3", "b": "p5", "table": 2}, {"a": "p4", "bye": "bye"})
        )
    )
    event.tell(c.MoveTables(1, 1, frozenset({1})))
    assert tables(event) == [4, 2, None]


def test_another_draft_than_the_one_looked_at_does_not_move() -> None:
    event = Event()
    with refused("no_draft"):
        event.tell(c.MoveTables(1, 1, frozenset({1})))
    event.tell(c.DrawRound(1))
    event.tell(c.DrawRound(1))
    with refused("draft_changed_meanwhile"):
        event.tell(c.MoveTables(1, 1, frozenset({1})))


def test_an_imposed_match_without_a_table_takes_one_that_is_free_in_the_hall() -> None:
    event = Event()
    event.tell(
        c.ImposeRound(({"a": "p1", "b": "p2"}, {"a": "p3", "b": "p4", "table": 2}), busy_tables=frozenset({1, 3}))
    )
    assert tables(event) == [4, 2]


def test_an_imported_round_that_is_still_played_moves_and_a_played_one_keeps_its_tables() -> None:
    result = {"score": {"a": 100, "b": 24}}
    matches = [{"a": "p1", "b": "p2", "table": 1, "result": result}, {"a": "p3", "b": "p4", "table": 2}]
    event = Event()
    event.tell(c.ImportRound({"number": 1, "matches": matches}, busy_tables=frozenset({1, 4})))
    assert tables(event) == [3, 2]
    done = Event()
    played = [matches[0], {**matches[1], "result": result}]
    done.tell(c.ImportRound({"number": 1, "matches": played}, busy_tables=frozenset({1})))
    assert tables(done) == [1, 2]
