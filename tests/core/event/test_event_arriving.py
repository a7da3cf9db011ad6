"""Who is here: check-in before round 1, sign-up by phone, late arrivals, and entries that are taken out again."""

import pytest

from event_kit import Event, fold_entries, refused
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import whole_tournament
from roundtap_core.event.people import MOST_SIGNED_UP
from roundtap_core.event.stale_check import COURSE, state_mark
from roundtap_core.event.states import (
    SIGNED_UP,
    TO_CONFIRM,
    Entrant,
    Official,
    active_ids,
    decode_state,
    encode_state,
    not_yet_present,
    tournament_of,
)
from roundtap_core.records import BYE, UNPAIRED_LOSS
from roundtap_core.rulebooks.registry import planned_structure
from roundtap_core.standings.standings import standings


def asking(players: int = 6, here: tuple[str, ...] = ("p1", "p2", "p3", "p4")) -> Event:
    """An event that pairs who has checked in."""
    event = Event(players, {"structure": "own", "swiss_rounds": 3})
    event.tell(c.SetCheckIn(True))
    for who in here:
        event.tell(c.CheckIn(who))
    return event


def seats(event: Event, number: int = 1) -> set[str]:
    return {who for m in event.state.rounds[number - 1].matches for who in (m.match.a, m.match.b) if who}


# --- check-in --------------------------------------------------------------------------------------------------------


def test_where_check_in_is_not_asked_everybody_is_paired_as_ever() -> None:
    event = Event(4)
    assert not_yet_present(event.state) == frozenset()
    assert seats(event.play()) == {"p1", "p2", "p3", "p4"}
    with refused("check_in_not_used"):
        event.tell(c.CheckIn("p1"))


def test_who_has_not_checked_in_is_not_paired_and_is_awaited() -> None:
    event = asking()
    assert not_yet_present(event.state) == {"p5", "p6"}
    event.play()
    assert seats(event) == {"p1", "p2", "p3", "p4"}
    assert event.byes(1) == {}
    assert event.state.players_at_start == 4
    assert not_yet_present(event.state) == {"p5", "p6"}


def test_the_structure_counts_who_is_here_and_before_anybody_is_who_entered() -> None:
    event = Event(9, {"structure": "basic"})
    rounds = event.state.swiss_rounds
    event.tell(c.SetCheckIn(True))
    assert event.state.swiss_rounds == rounds
    for number in range(1, 9):
        event.tell(c.CheckIn(f"p{number}"))
    assert event.state.swiss_rounds == 3
    event.play()
    assert (event.state.players_at_start, event.state.swiss_rounds) == (8, 3)


def test_who_comes_late_to_meet_the_bye_plans_no_other_rounds_in_the_hall_or_in_the_file() -> None:
    """Eight play three rounds, nine four: p8 has won a bye, one more sits out, and p9 comes to meet that one."""
    event = Event(7, {"structure": "basic"})
    event.enter("p8", won_bye=True)
    event.play()
    [bye] = [m.id for m in event.state.rounds[0].matches if m.match.bye == BYE]
    event.tell(c.EnterCompetitor(Entrant("p9", "d"), meets=bye))
    assert event.state.swiss_rounds == 3
    for tournament in (tournament_of(event.state), whole_tournament(event.state, {})):
        assert planned_structure(tournament) == (3, 0)


def test_ticking_twice_says_nothing_twice_and_a_tick_can_be_taken_back() -> None:
    event = asking()
    assert event.kinds(c.CheckIn("p1")) == []
    assert event.kinds(c.CheckIn("p1", on=False)) == ["checked-in"]
    assert not_yet_present(event.state) == {"p1", "p5", "p6"}
    event.tell(c.DropCompetitor("p6"))
    assert not_yet_present(event.state) == {"p1", "p5"}
    with refused("already_left"):
        event.tell(c.CheckIn("p6"))
    with refused("unknown_competitor"):
        event.tell(c.CheckIn("p99"))


def test_a_draw_that_nobody_has_seen_goes_when_somebody_checks_in_and_its_button_means_nothing_any_more() -> None:
    event = asking()
    event.tell(c.DrawRound(1))
    before = state_mark(event.state, COURSE)
    assert event.kinds(c.CheckIn("p5")) == ["draft-discarded", "checked-in"]
    assert state_mark(event.state, COURSE) != before
    event.tell(c.DrawRound(1))
    assert event.kinds(c.CheckIn("p5", on=False)) == ["draft-discarded", "checked-in"]


def test_whether_check_in_is_asked_is_settled_before_round_1() -> None:
    event = asking()
    event.tell(c.DrawRound(1))
    assert event.kinds(c.SetCheckIn(False)) == ["draft-discarded", "check-in-set"]
    assert not_yet_present(event.state) == frozenset()
    assert event.kinds(c.SetCheckIn(False)) == []
    event.tell(c.SetCheckIn(True))
    event.play()
    for used in (False,):
        with refused("check_in_before_round_1"):
            event.tell(c.SetCheckIn(used))
    with refused("already_paired"):
        event.tell(c.CheckIn("p1", on=False))


def test_who_comes_while_round_1_is_played_has_missed_it_or_meets_who_sits_alone() -> None:
    event = asking(7, ("p1", "p2", "p3"))
    event.play()
    bye = next(m for m in event.state.rounds[0].matches if m.match.b is None)
    assert event.kinds(c.CheckIn("p4", meets=bye.id)) == ["checked-in", "late-match"]
    assert event.match(bye.id).match.b == "p4"
    assert event.kinds(c.CheckIn("p5")) == ["checked-in"]
    assert event.byes(1) == {"p5": UNPAIRED_LOSS}
    waiting = next(m.id for m in event.state.rounds[0].matches if m.match.a == "p5")
    event.tell(c.CheckIn("p6", meets=waiting, busy_tables=frozenset({3})))
    assert (event.match(waiting).match.b, event.match(waiting).match.table) == ("p6", 4)
    assert not_yet_present(event.state) == {"p7"}


def test_once_round_2_is_published_who_never_came_stays_out_and_stands_nowhere() -> None:
    event = asking().play().settle()
    event.play()
    with refused("too_late_to_enter"):
        event.tell(c.CheckIn("p5"))
    event.settle()
    assert {row.competitor for row in standings(tournament_of(event.state))} == {"p1", "p2", "p3", "p4"}
    event.tell(c.FinishEvent("the hall closes"))
    assert {each.id for each in whole_tournament(event.state, {}).competitors} == {"p1", "p2", "p3", "p4"}


def test_before_play_a_file_names_everybody_who_entered() -> None:
    assert len(whole_tournament(asking().state, {}).competitors) == 6


def test_who_is_entered_at_the_desk_may_be_here_at_once() -> None:
    event = asking()
    event.enter("p7", checked_in=True)
    event.enter("p8")
    assert not_yet_present(event.state) == {"p5", "p6", "p8"}
    event.play()
    event.enter("late")
    assert event.byes(1)["late"] == UNPAIRED_LOSS
    assert "late" not in not_yet_present(event.state)


# --- sign-up by phone ------------------------------------------------------------------------------------------------


def by_phone(event: Event, who: str) -> list[str]:
    return event.kinds(c.EnterCompetitor(Entrant(who, "d"), signed_up=True))


def test_nobody_signs_up_unless_the_organizer_has_opened_it() -> None:
    event = Event(2)
    with refused("sign_up_closed"):
        by_phone(event, "p3")
    event.tell(c.SetSignUp(True))
    assert by_phone(event, "p3") == ["competitor-entered"]
    assert event.state.entrants["p3"].sign_up == SIGNED_UP
    assert not_yet_present(event.state) == frozenset()
    assert event.kinds(c.SetSignUp(True)) == []
    event.tell(c.SetSignUp(False))
    with refused("sign_up_closed"):
        by_phone(event, "p4")


def test_a_phone_takes_no_draw_back_and_comes_too_late_once_there_is_one() -> None:
    event = Event(4)
    event.tell(c.SetSignUp(True))
    event.tell(c.DrawRound(1))
    with refused("sign_up_over"):
        by_phone(event, "p5")
    assert event.state.draft is not None
    event.tell(c.PublishRound(1, 1, noted="a test"))
    with refused("sign_up_over"):
        by_phone(event, "p5")
    with refused("sign_up_before_round_1"):
        event.tell(c.SetSignUp(True, confirm=True))
    assert event.kinds(c.SetSignUp(False)) == ["sign-up-set"]


def test_who_is_to_be_confirmed_is_not_paired_before_that() -> None:
    event = Event(4)
    event.tell(c.SetSignUp(True, confirm=True))
    by_phone(event, "p5")
    by_phone(event, "p6")
    assert event.state.entrants["p5"].sign_up == TO_CONFIRM
    assert not_yet_present(event.state) == {"p5", "p6"}
    assert event.kinds(c.ConfirmEntry("p5")) == ["entry-confirmed"]
    assert event.kinds(c.ConfirmEntry("p5")) == []
    assert event.kinds(c.ConfirmEntry("p1")) == []
    assert seats(event.play()) == {"p1", "p2", "p3", "p4", "p5"}
    bye = next(m.id for m in event.state.rounds[0].matches if m.match.b is None)
    assert event.kinds(c.ConfirmEntry("p6", meets=bye)) == ["entry-confirmed", "late-match"]


def test_who_ticks_themselves_is_still_to_be_confirmed_at_the_desk() -> None:
    event = Event(4, {"structure": "own", "swiss_rounds": 3})
    event.tell(c.SetCheckIn(True))
    event.tell(c.SetSignUp(True, confirm=True))
    by_phone(event, "p5")
    event.tell(c.CheckIn("p1"))
    event.tell(c.CheckIn("p2"))
    event.tell(c.DrawRound(1))
    assert event.kinds(c.CheckIn("p5")) == ["checked-in"], "no draw goes for somebody who is not paired"
    assert event.kinds(c.ConfirmEntry("p5")) == ["draft-discarded", "entry-confirmed"]
    assert active_ids(event.state) == {"p1", "p2", "p5"}


def test_a_phone_says_nothing_of_itself_that_it_may_not() -> None:
    event = Event(2)
    event.tell(c.SetCheckIn(True))
    event.tell(c.SetSignUp(True, confirm=True))
    event.tell(c.EnterCompetitor(Entrant("p3", "d", checked_in=True, sign_up=SIGNED_UP), signed_up=True))
    assert (event.state.entrants["p3"].checked_in, event.state.entrants["p3"].sign_up) == (False, TO_CONFIRM)


def test_sign_up_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_SIGNED_UP > 500
    monkeypatch.setattr("roundtap_core.event.people.MOST_SIGNED_UP", 3)
    event = Event(2)
    event.tell(c.SetSignUp(True))
    by_phone(event, "p3")
    with refused("too_many_competitors"):
        by_phone(event, "p4")
    event.enter("p4")


# --- taking an entry out ---------------------------------------------------------------------------------------------


def test_an_entry_that_never_played_goes_without_a_trace_and_its_id_is_nobody_elses() -> None:
    event = Event(5)
    event.tell(c.DrawRound(1))
    assert event.kinds(c.RemoveCompetitor("p5")) == ["draft-discarded", "competitor-removed"]
    assert list(event.state.entrants) == ["p1", "p2", "p3", "p4"]
    assert event.state.removed == ("p5",)
    with refused("competitor_exists"):
        event.enter("p5")
    event.enter("p6")
    event.play().settle()
    assert {row.competitor for row in standings(tournament_of(event.state))} == {"p1", "p2", "p3", "p4", "p6"}
    assert "p5" not in {each.id for each in whole_tournament(event.state, {}).competitors}


def test_who_stands_in_a_published_round_leaves_and_is_not_taken_out() -> None:
    event = Event(4).play()
    event.enter("late")
    for who in ("p1", "late"):
        with refused("has_played"):
            event.tell(c.RemoveCompetitor(who))
    event.tell(c.NoShow("1.1", event.match().match.a))
    with refused("has_played"):
        event.tell(c.RemoveCompetitor(event.match().drawn.a))  # type: ignore[union-attr]


def test_who_has_left_or_was_never_here_can_be_taken_out_at_any_time() -> None:
    event = asking()
    event.tell(c.DropCompetitor("p6"))
    event.play()
    assert event.kinds(c.RemoveCompetitor("p5")) == ["competitor-removed"]
    assert event.kinds(c.RemoveCompetitor("p6")) == ["competitor-removed"]
    with refused("unknown_competitor"):
        event.tell(c.RemoveCompetitor("p6"))


def test_what_officials_noted_of_somebody_stays() -> None:
    event = Event(4)
    event.tell(c.GiveWarning("p1", "shouted"))
    event.tell(c.Disqualify("p2", "hit somebody"))
    for who in ("p1", "p2"):
        with refused("has_record"):
            event.tell(c.RemoveCompetitor(who))


def test_an_official_who_was_to_play_plays_no_more() -> None:
    event = Event(4)
    event.tell(c.SetOfficials((Official("o1", "organizer", plays="p1"), Official("o2", "judge", second=True))))
    event.tell(c.RemoveCompetitor("p1"))
    assert event.state.officials["o1"].plays is None


def test_a_fixed_table_is_set_and_taken_away() -> None:
    event = Event(4)
    event.tell(c.DrawRound(1))
    assert event.kinds(c.SetFixedTable("p3", 9)) == ["draft-discarded", "fixed-table-set"]
    assert event.kinds(c.SetFixedTable("p3", 9)) == []
    event.play()
    assert next(m.match.table for m in event.state.rounds[0].matches if "p3" in (m.match.a, m.match.b)) == 9
    event.tell(c.SetFixedTable("p3", None))
    assert event.state.entrants["p3"].fixed_table is None
    with refused("figure_out_of_range"):
        event.tell(c.SetFixedTable("p3", 10**6))


def test_all_of_it_folds_alike_and_comes_back_from_its_bytes() -> None:
    event = asking()
    event.tell(c.SetSignUp(True, confirm=True))
    by_phone(event, "p7")
    event.tell(c.RemoveCompetitor("p6"))
    event.tell(c.SetFixedTable("p1", 4))
    event.play()
    event.tell(c.ConfirmEntry("p7"))
    event.tell(c.CheckIn("p5"))
    assert fold_entries("e1", event.entries) == event.state
    assert decode_state(encode_state(event.state)) == event.state
