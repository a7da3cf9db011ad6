"""Who does not appear, who comes after all, and who leaves: what becomes of their match, table and place."""

from event_kit import Event, fold_entries, refused, score
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import current_seeds, offered_places
from roundtap_core.event.states import Entrant, tournament_of
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import CONCESSION, RULING, Match
from roundtap_core.standings.standings import standings


def missed(event: Event, number: int = 1) -> list[str]:
    return [who for who, kind in event.byes(number).items() if kind == "unpaired-loss"]


# A no-show, and its undoing.


def test_a_no_show_is_undone_while_the_round_runs() -> None:
    event = Event().play()
    before = event.match().match
    event.tell(c.NoShow("1.1", before.a))
    revision = event.match().revision
    assert event.kinds(c.UndoNoShow("1.1")) == ["no-show-undone"]
    assert event.match().match == before
    assert event.match().revision == revision + 1
    assert missed(event) == []
    assert event.state.entrants[before.a].active
    assert event.match() in event.state.live.open_matches  # type: ignore[union-attr]
    event.agree(score(100, 20)).settle().play()


def test_who_wished_to_leave_after_the_round_still_does_when_their_absence_is_undone() -> None:
    event = Event(4).play()
    who = event.match("1.1").match.a
    event.tell(c.DropCompetitor(who, plays_on=True))
    event.tell(c.NoShow("1.1", who))
    event.tell(c.UndoNoShow("1.1"))
    assert event.state.plays(who)
    assert not event.state.entrants[who].active, "nobody draws them again"
    event.settle().play()
    assert who not in {side for m in event.state.rounds[-1].matches for side in (m.match.a, m.match.b)}


def test_a_report_that_saw_the_absence_comes_too_late_and_a_new_one_is_taken() -> None:
    event = Event().play()
    event.tell(c.NoShow("1.1", event.match().match.a))
    event.tell(c.UndoNoShow("1.1"))
    assert event.report("a", score(100, 0), revision=0).reason == "judge"
    assert event.report("a", score(100, 0)).fate == "accepted"


def test_two_absences_undone_in_any_order_leave_the_round_as_it_was() -> None:
    event = Event(6).play()
    before = [m.match for m in event.state.rounds[0].matches]
    for match in ("1.1", "1.2"):
        event.tell(c.NoShow(match, event.match(match).match.b or ""))
    event.tell(c.UndoNoShow("1.1"))
    event.tell(c.NoShow("1.3", event.match("1.3").match.a))
    assert len({m.id for m in event.state.rounds[0].matches}) == len(event.state.rounds[0].matches)
    for match in ("1.3", "1.2"):
        event.tell(c.UndoNoShow(match))
    assert [m.match for m in event.state.rounds[0].matches] == before


def test_a_table_that_was_taken_meanwhile_stays_taken() -> None:
    event = Event(5).play()
    bye = next(m for m in event.state.rounds[0].matches if m.match.bye)
    table = event.match().match.table
    event.tell(c.NoShow("1.1", event.match().match.a))
    event.tell(c.EnterCompetitor(Entrant("late", "digest"), meets=bye.id))
    assert event.match(bye.id).match.table == table
    event.tell(c.UndoNoShow("1.1", busy_tables=frozenset({3})))
    assert event.match().match.table == 4
    assert event.match().match.b is not None


def test_nothing_is_undone_that_was_not_an_absence_or_that_is_over() -> None:
    event = Event().play()
    with refused("no_absence"):
        event.tell(c.UndoNoShow("1.1"))
    event.tell(c.NoShow("1.1", event.match().match.a))
    event.settle().play()
    with refused("no_absence"):
        event.tell(c.UndoNoShow("1.1"))
    with refused("unknown_match"):
        event.tell(c.UndoNoShow("9.9"))


def test_who_was_put_out_or_has_left_meanwhile_does_not_come_back_by_it() -> None:
    event = Event().play()
    a, b = event.match().match.a, event.match().match.b or ""
    event.tell(c.NoShow("1.1", a))
    event.tell(c.DropCompetitor(b))
    with refused("already_left"):
        event.tell(c.UndoNoShow("1.1"))
    event = Event().play()
    event.tell(c.NoShow("1.1", event.match().match.a))
    event.tell(c.Disqualify(missed(event)[0], "away"))
    with refused("disqualified_stays_out"):
        event.tell(c.UndoNoShow("1.1"))


# Nobody came.


def test_if_nobody_comes_both_lose_and_both_are_gone() -> None:
    event = Event().play()
    match = event.match().match
    assert event.kinds(c.DoubleNoShow("1.1")) == ["nobody-came"]
    result = event.match().match.result
    assert (result.ended, result.winner) == (RULING, "none")
    assert not event.state.entrants[match.a].active
    event.settle()
    rows = {row.competitor: row for row in standings(tournament_of(event.state))}
    for who in (match.a, match.b or ""):
        assert (rows[who].points, rows[who].losses, rows[who].status) == (0, 1, "dropped")


def test_nobody_came_is_undone_by_a_click_or_by_the_result_of_those_who_came() -> None:
    for undo in (c.UndoNoShow("1.1"), c.EnterResult("1.1", 1, None), c.EnterResult("1.1", 1, score(100, 0))):
        event = Event().play()
        before = event.match().match
        event.tell(c.DoubleNoShow("1.1"))
        event.tell(undo)
        assert (event.match().match.a, event.match().match.b, event.match().match.table) == (
            before.a,
            before.b,
            before.table,
        )
        assert all(entrant.active for entrant in event.state.entrants.values())
        wanted = score(100, 0) if isinstance(undo, c.EnterResult) and undo.result else None
        assert event.match().match.result == wanted
        if wanted is None:
            event.agree(score(100, 20))
        event.settle().play()


def test_the_second_absence_is_noticed_after_the_first() -> None:
    event = Event().play()
    match = event.match().match
    event.tell(c.NoShow("1.1", match.a))
    assert event.kinds(c.DoubleNoShow("1.1")) == ["no-show-undone", "nobody-came"]
    assert missed(event) == []
    assert event.match().match.result is not None
    assert {event.state.entrants[who].active for who in (match.a, match.b or "")} == {False}


def test_nobody_came_needs_an_open_match_of_the_round_in_play() -> None:
    event = Event(5).play()
    bye = next(m for m in event.state.rounds[0].matches if m.match.bye)
    with refused("no_show_only_in_play"):
        event.tell(c.DoubleNoShow(bye.id))
    event.report("a", score(100, 0))
    with refused("no_show_has_result"):
        event.tell(c.DoubleNoShow("1.1"))


def test_the_fold_of_the_entries_and_the_file_hold_it() -> None:
    event = Event(8).play()
    event.tell(c.NoShow("1.1", event.match("1.1").match.a))
    event.tell(c.UndoNoShow("1.1"))
    event.tell(c.DoubleNoShow("1.2"))
    event.tell(c.NoShow("1.3", event.match("1.3").match.a))
    assert fold_entries("e1", event.entries) == event.state
    file = tournament_of(event.state)
    assert tournament_from_json(tournament_to_json(file)) == file


# Leaving in mid-game.


def test_a_concession_that_both_have_reported_stands_whoever_leaves_then() -> None:
    event = Event().play()
    a, b = event.match().match.a, event.match().match.b or ""
    event.agree(score(0, 0, ended=CONCESSION, conceded_by="a"))
    event.tell(c.DropCompetitor(a))
    event.tell(c.DropCompetitor(b))
    assert event.match().match.result == score(0, 0, ended=CONCESSION, conceded_by="a")


def test_disqualified_in_mid_game_the_match_goes_to_the_opponent_and_the_row_to_the_end() -> None:
    event = Event().play()
    out, other = event.match().match.a, event.match().match.b or ""
    event.tell(c.Disqualify(out, "cheating", stood=score(0, 0)))
    event.settle()
    rows = standings(tournament_of(event.state))
    assert (rows[-1].competitor, rows[-1].rank, rows[-1].status) == (out, None, "disqualified")
    assert next(row for row in rows if row.competitor == other).wins == 1


# Between two stages.


def cut(**options: object) -> Event:
    event = Event(8, {"structure": "own", "swiss_rounds": 2, "cut": 4, **options})
    event.play().settle().play().settle()
    event.tell(c.MakeCut())
    return event


def order(event: Event) -> list[str]:
    return [row.competitor for row in standings(tournament_of(event.state))]


def test_going_on_with_those_present_passes_over_the_absent_in_one_step() -> None:
    event = cut()
    ranks = order(event)
    assert event.kinds(c.PassOverAbsentees((ranks[1], ranks[4]))) == ["absent-passed-over"]
    assert list(current_seeds(event.state)) == [ranks[0], ranks[2], ranks[3]]
    assert offered_places(event.state) == ranks[5]
    event.tell(c.AcceptPlace(ranks[5]))
    event.play().settle().play().settle()
    event.tell(c.FinishEvent("the hall closes"))
    assert all(entrant.active for entrant in event.state.entrants.values())
    tournament = tournament_of(event.state)
    assert {p.status for p in final_ranking(tournament)} == {None}
    places = [p.competitor for p in final_ranking(tournament)]
    assert places[4:] == [ranks[1], ranks[4], ranks[6], ranks[7]]


def test_nobody_is_marked_as_gone_while_the_cut_is_settled_and_the_file_still_leaves_them_out() -> None:
    event = cut()
    ranks = order(event)
    event.tell(c.PassOverAbsentees((ranks[1],)))
    event.tell(c.DeclinePlace(ranks[4]))
    assert {row.status for row in standings(tournament_of(event.state))} == {None}
    file = tournament_of(event.state, as_file=True)
    assert [who.id for who in file.competitors if not who.active] == sorted((ranks[1], ranks[4]))


def test_who_appears_after_all_has_the_seed_back_while_there_is_room() -> None:
    event = cut()
    ranks = order(event)
    event.tell(c.PassOverAbsentees((ranks[1], ranks[2])))
    event.tell(c.PassOverAbsentees((ranks[2],)))
    assert list(current_seeds(event.state)) == [ranks[0], ranks[1], ranks[3]]
    event.tell(c.AcceptPlace(ranks[4]))
    with refused("places_taken"):
        event.tell(c.PassOverAbsentees(()))
    assert event.tell(c.PassOverAbsentees((ranks[2],))) == []


def test_only_between_the_stages() -> None:
    event = Event(8, {"structure": "own", "swiss_rounds": 2, "cut": 4}).play()
    with refused("no_cut_yet"):
        event.tell(c.PassOverAbsentees(("p1",)))
    event = cut().play()
    with refused("elimination_begun"):
        event.tell(c.PassOverAbsentees(("p1",)))
    with refused("unknown_competitor"):
        cut().tell(c.PassOverAbsentees(("p99",)))


def test_a_second_stage_in_swiss_rounds_goes_on_with_those_present() -> None:
    event = Event(
        8,
        {"structure": "own", "swiss_rounds": 2, "cut": 4, "second_stage": "second-swiss"},
        rulebook="shatterpoint-premier",
    )
    for _ in range(2):
        event.tell(c.DrawRound(1))
        draft = event.state.draft
        event.tell(c.PublishRound(draft.number, draft.draw.attempt))
        for match in event.state.live.open_matches:  # type: ignore[union-attr]
            event.tell(c.EnterResult(match.id, match.revision, score(0, 0, ended=RULING, winner="a")))
    event.tell(c.MakeCut())
    ranks = order(event)
    event.tell(c.PassOverAbsentees((ranks[0],)))
    event.tell(c.AcceptPlace(ranks[4]))
    event.play()
    seated = {who for m in event.state.rounds[-1].matches for who in (m.match.a, m.match.b)}
    assert seated == {ranks[1], ranks[2], ranks[3], ranks[4]}


# A finished event.


def test_a_finished_event_is_reopened_and_goes_on() -> None:
    event = Event().play().settle()
    event.tell(c.FinishEvent("the hall closes"))
    with refused("event_finished"):
        event.tell(c.DrawRound(1))
    assert event.kinds(c.ReopenEvent()) == ["event-reopened"]
    assert not event.state.finished
    event.tell(c.EnterResult("1.1", event.match().revision, score(0, 100), reason="misread"))
    event.play()
    with refused("not_finished"):
        event.tell(c.ReopenEvent())


def test_reports_after_the_reopening_meet_a_closed_round_as_ever() -> None:
    event = Event().play().settle()
    event.tell(c.FinishEvent("the hall closes"))
    event.tell(c.ReopenEvent())
    assert event.report("a", score(100, 0)).reason == "late"
    assert event.state.rounds[0].matches[0].match != Match("nobody")


def test_of_a_cut_that_nobody_is_left_of_nothing_is_drawn() -> None:
    event = cut()
    event.tell(c.PassOverAbsentees(tuple(order(event))))
    with refused("too_few_players"):
        event.tell(c.DrawRound(1))
