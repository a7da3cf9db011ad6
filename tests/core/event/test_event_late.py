"""Coming late into round 1, lists and their corrections, and marks on people."""

from msgspec.structs import replace

from event_kit import Event, refused
from roundtap_core.event import commands as c
from roundtap_core.event.commands import apply
from roundtap_core.event.entries import Person
from roundtap_core.event.people import latecomer_opponents
from roundtap_core.event.states import Entrant, tournament_of
from roundtap_core.records import UNPAIRED_LOSS
from roundtap_core.standings.standings import standings

# --- meeting somebody in round 1 ---------------------------------------------------------------------------------


def bye_of(event: Event) -> str:
    return next(m.id for m in event.state.rounds[0].matches if m.match.bye == "bye")


def late(event: Event, meets: str, name: str = "late", **more: object) -> list[str]:
    return event.kinds(c.EnterCompetitor(Entrant(name, "d", **more), meets=meets))  # type: ignore[arg-type]


def test_a_latecomer_meets_who_has_the_bye_at_the_lowest_free_table() -> None:
    event = Event(players=5).play()
    bye = bye_of(event)
    alone = event.match(bye).match.a
    assert late(event, bye) == ["competitor-entered", "late-match"]
    match = event.match(bye).match
    assert (match.a, match.b, match.table, match.bye) == (alone, "late", 3, None)
    assert event.byes(1) == {}
    event.report("a", {"score": {"a": 100, "b": 24}}, bye)
    event.report("b", {"score": {"a": 100, "b": 24}}, bye)
    event.settle()
    rows = {row.competitor: row for row in standings(tournament_of(event.state))}
    assert rows[alone].tiebreakers["mov"] == 176
    assert event.state.players_at_start == 5


def test_two_latecomers_meet() -> None:
    event = Event().play()
    event.enter("first")
    waiting = next(m.id for m in event.state.rounds[0].matches if m.match.bye == UNPAIRED_LOSS)
    late(event, waiting, "second")
    match = event.match(waiting).match
    assert (match.a, match.b, match.table) == ("first", "second", 3)


def test_tables_of_other_events_and_fixed_tables_are_left_alone() -> None:
    event = Event(players=0)
    for number in range(1, 6):
        event.enter(f"p{number}", fixed_table=3 if number == 1 else None)
    event.tell(
        c.ImposeRound(
            ({"a": "p1", "b": "p2", "table": 9}, {"a": "p3", "b": "p4", "table": 1}, {"a": "p5", "bye": "bye"})
        )
    )
    event.tell(c.PublishRound(1, 1))
    event.tell(c.EnterCompetitor(Entrant("late", "d"), meets="1.3", busy_tables=frozenset({2})))
    assert event.match("1.3").match.table == 4


def test_the_fixed_table_of_who_has_the_bye_is_where_the_two_meet() -> None:
    event = Event(players=0)
    for number in range(1, 6):
        event.enter(f"p{number}", fixed_table=7 if number == 5 else None)
    event.tell(c.ImposeRound(({"a": "p1", "b": "p2"}, {"a": "p3", "b": "p4"}, {"a": "p5", "bye": "bye"})))
    event.tell(c.PublishRound(1, 1))
    late(event, "1.3")
    assert event.match("1.3").match.table == 7


def test_a_latecomer_with_a_fixed_table_gets_it() -> None:
    event = Event(players=5).play()
    late(event, bye_of(event), fixed_table=12)
    assert event.match(bye_of_match(event, "late")).match.table == 12


def bye_of_match(event: Event, who: str) -> str:
    return next(m.id for m in event.state.rounds[0].matches if who in (m.match.a, m.match.b))


def test_nobody_meets_a_won_bye_a_no_show_or_who_plays_already() -> None:
    event = Event(players=6)
    event.enter("champion", won_bye=True)
    event.play()
    won = next(m.id for m in event.state.rounds[0].matches if m.match.bye == "won")
    with refused("won_bye_stays"):
        late(event, won)
    absent = event.match("1.1").match.a
    event.tell(c.NoShow("1.1", absent))
    missing = bye_of_match(event, absent)
    for match in ("1.1", "1.2", missing, "1.99"):
        with refused("nobody_to_meet"):
            late(event, match)
    assert latecomer_opponents(event.state) == ()


def test_meeting_somebody_is_for_round_1_while_it_is_played() -> None:
    event = Event(players=5)
    with refused("late_match_only_in_round_1"):
        late(event, "1.3")
    event.play()
    bye = bye_of(event)
    event.settle()
    event.tell(c.DrawRound(1))
    with refused("late_match_only_in_round_1"):
        late(event, bye)
    event.tell(c.PublishRound(2, 1))
    with refused("too_late_to_enter"):
        late(event, bye)


def test_an_entry_about_a_match_that_is_not_there_changes_no_match() -> None:
    event = Event(players=5).play()
    late(event, bye_of(event))
    met = event.entries[-1]
    after = apply(event.state, replace(met, number=met.number + 1, data={**met.data, "match": "1.99"}))
    assert after.rounds == event.state.rounds


def test_without_an_opponent_a_latecomer_has_an_unpaired_loss_as_ever() -> None:
    event = Event(players=5).play()
    event.enter("late")
    assert event.byes(1)["late"] == UNPAIRED_LOSS
    assert len(latecomer_opponents(event.state)) == 2


# --- lists -------------------------------------------------------------------------------------------------------


def test_lists_change_freely_until_round_1_is_published() -> None:
    event = Event()
    event.tell(c.SubmitList("p1", "d1", 98))
    event.tell(c.SubmitList("p1", "d2", 100))
    event.tell(c.DrawRound(1))
    event.tell(c.SubmitList("p2", "d3"))
    assert (event.state.entrants["p1"].digest, event.state.entrants["p1"].list_total) == ("d2", 100)
    event.tell(c.PublishRound(1, 1))
    with refused("list_is_fixed"):
        event.tell(c.SubmitList("p1", "d4", 99))


def test_an_official_corrects_a_list_on_record() -> None:
    event = Event().play()
    with refused("reason_missing"):
        event.tell(c.CorrectList("p1", "d5", 99, " "))
    event.tell(c.CorrectList("p1", "d5", 99, "an upgrade was missing"))
    entrant = event.state.entrants["p1"]
    assert (entrant.digest, entrant.list_total) == ("d5", 99)
    assert entrant.list_corrections == ({"round": 1, "reason": "an upgrade was missing", "by": "organizer"},)


def test_a_total_comes_with_the_entrant_and_a_name_keeps_it() -> None:
    event = Event(players=0)
    event.enter("p1", list_total=97)
    event.tell(c.ChangePerson("p1", "d"))
    assert event.state.entrants["p1"].list_total == 97
    event.tell(c.ChangePerson("p1", "d", 95))
    assert event.state.entrants["p1"].list_total == 95


def test_the_total_stands_in_the_file_beside_what_else_is_known_of_the_list() -> None:
    event = Event(players=0)
    event.enter("p1", list_total=97)
    people = {"p1": Person("Ana Ruiz", list={"faction": "Rebel", "total": 98})}
    assert tournament_of(event.state, people).competitors[0].list == {"faction": "Rebel", "total": 97}
    assert tournament_of(event.state, {"p1": Person("Ana Ruiz")}).competitors[0].list == {"total": 97}
    assert tournament_of(Event().state).competitors[0].list is None


# --- marks -------------------------------------------------------------------------------------------------------


def test_what_was_looked_at_is_ticked_and_unticked() -> None:
    event = Event()
    event.tell(c.RecordCheck("p1", "sleeves"))
    event.tell(c.RecordCheck("p1", "replacement_rulers"))
    assert event.tell(c.RecordCheck("p1", "sleeves")) == []
    assert event.state.entrants["p1"].ticks == ("sleeves", "replacement_rulers")
    event.tell(c.RecordCheck("p1", "sleeves", False))
    assert event.state.entrants["p1"].ticks == ("replacement_rulers",)
    for what in (" ", "x" * 41):
        with refused("tick_what"):
            event.tell(c.RecordCheck("p1", what))


def test_who_came_together_can_be_noted_later_and_a_draft_is_drawn_anew() -> None:
    event = Event()
    event.tell(c.DrawRound(1))
    assert event.kinds(c.SetTravelGroup("p1", " car ")) == ["draft-discarded", "came-with-set"]
    assert event.kinds(c.SetTravelGroup("p1", "car")) == []
    assert event.state.entrants["p1"].came_with == "car"
    event.tell(c.SetTravelGroup("p1", ""))
    assert event.state.entrants["p1"].came_with is None
