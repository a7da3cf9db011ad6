"""An event file through commands and back: what is exported is what was imported."""

from typing import Any

from msgspec.structs import replace

from event_kit import Event, refused, score
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_core.event.states import CLOSED, DISPUTE, PUBLISHED, SECOND, Entrant, EventState, tournament_of
from roundtap_core.eventfile.exports import round_to_json, tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import Competitor, Tournament


def imported(file: Tournament) -> EventState:
    event = Event(players=0, created=False)
    event.tell(c.CreateEvent(file.name, file.rulebook, file.level, file.options, "#0072B2", file.seed))
    for who in file.competitors:
        event.tell(
            c.EnterCompetitor(
                Entrant(
                    who.id,
                    "digest",
                    who.won_bye,
                    who.came_with,
                    who.fixed_table,
                    who.dropped_after,
                    who.disqualified_after,
                    who.warnings,
                ),
                imported=True,
            )
        )
    for played in file.rounds:
        event.tell(c.ImportRound(round_to_json(played)))
    return event.state


def through_a_file(tournament: Tournament) -> Tournament:
    return tournament_from_json(tournament_to_json(tournament))


def eventful() -> Event:
    """Nine players: a bye, a no-show, a concession, a late entry, a return, a round in play."""
    event = Event(players=9, options={"squad_points": 100})
    event.play()
    absent = event.match("1.2").match.b
    assert absent is not None
    event.tell(c.NoShow("1.2", absent))
    event.agree(score(100, 37))
    leaver = event.match("1.3").match.a
    event.tell(c.DropCompetitor(leaver))
    event.settle()
    event.enter("late", came_with="car 1", fixed_table=3)
    event.play().settle()
    event.tell(c.ReturnCompetitor(leaver))
    event.play()
    event.agree(score(100, 100, winner="b"), "3.1")
    return event


def test_an_eventful_tournament_survives_export_import_export() -> None:
    state = eventful().state
    file = through_a_file(tournament_of(state))
    assert file == tournament_of(state)

    again = imported(file)

    assert tournament_of(again) == file
    assert again.players_at_start == state.players_at_start == 9
    assert [r.status for r in again.rounds] == [CLOSED, CLOSED, PUBLISHED]
    assert again.clock.remaining_ms == 75 * 60_000


def test_an_imported_round_in_play_goes_on() -> None:
    event = Event(players=0, created=False)
    event.state = imported(through_a_file(tournament_of(eventful().state)))
    event.settle().play()
    assert len(event.state.rounds) == 4


def test_a_result_that_came_with_the_file_stands_until_a_judge_decides() -> None:
    event = Event(players=0, created=False)
    event.state = imported(through_a_file(tournament_of(eventful().state)))
    assert event.match("3.1").done
    event.report("a", score(100, 60), "3.1")
    assert event.match("3.1").state == DISPUTE
    assert event.match("3.1").match.result == score(100, 100, winner="b")
    event.report("b", score(100, 60), "3.1")
    assert (event.match("3.1").state, event.match("3.1").done) == (SECOND, False)
    event.tell(c.EnterResult("3.1", 0, event.match("3.1").second))
    assert event.match("3.1").done
    assert event.match("3.1").match.result == score(100, 60)


def test_a_report_that_agrees_with_the_file_changes_nothing() -> None:
    event = Event(players=0, created=False)
    event.state = imported(through_a_file(tournament_of(eventful().state)))
    event.report("b", score(100, 100, winner="b"), "3.1")
    assert event.match("3.1").done


def a_round(**changes: Any) -> dict[str, Any]:
    matches = [
        {"table": 1, "a": "p1", "b": "p2", "result": {"score": {"a": 100, "b": 0}}},
        {"table": 2, "a": "p3", "b": "p4", "result": {"score": {"a": 100, "b": 0}}},
    ]
    return {"number": 1, "matches": matches, **changes}


def test_rounds_are_imported_in_order_and_not_over_one_in_play() -> None:
    event = Event()
    with refused("import_out_of_order"):
        event.tell(c.ImportRound(a_round(number=2)))
    event.tell(c.ImportRound(a_round()))
    assert event.state.rounds[0].stage == "swiss"
    with refused("import_out_of_order"):
        event.tell(c.ImportRound(a_round()))
    event.play()
    with refused("import_out_of_order"):
        event.tell(c.ImportRound(a_round(number=3)))


def test_a_result_that_nobody_can_read_is_not_imported() -> None:
    event = Event()
    broken = a_round(matches=[{"a": "p1", "b": "p2", "result": {"ended": "concession"}}])
    with refused("concession_by_whom"):
        event.tell(c.ImportRound(broken))
    assert event.state.rounds == ()


def test_people_join_their_entrants_by_id() -> None:
    person = Person("Łukasz Żak", club="Kraków", list={"total": 99.5})
    event = Event()
    [first, *_] = tournament_of(event.state, {"p1": person}).competitors
    assert first == replace(Competitor("p1", "Łukasz Żak"), club="Kraków", list={"total": 99.5})
    assert Person.of(first) == person
    assert Person.from_json(person.to_json()) == person
    assert person.digest("s") != person.digest("t")
