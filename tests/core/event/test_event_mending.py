"""A round that is drawn or published is mended: what changes, what is recorded, what is refused."""

import contextlib
import random
from typing import Any

import pytest
from msgspec.structs import replace

from event_kit import Event, fold_entries, refused, score
from roundtap_core.check.check import violations
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import whole_tournament
from roundtap_core.event.imposed_rounds import preview_imposed
from roundtap_core.event.mending import plan_mend
from roundtap_core.event.states import DRAFT, EventState, MatchState, decode_state, encode_state, tournament_of
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import BYE, NO_SHOW, UNPAIRED_LOSS

WHY = "they drove here together"


def shown(event: Event, command: Any) -> Any:
    """The command as somebody gives it who has read what it would do."""
    return replace(command, plan=plan_mend(event.state, command).mark)


def done(event: Event, command: Any) -> Event:
    event.tell(shown(event, command))
    return event


def warned(event: Event, command: Any) -> list[str]:
    return [warning.kind for warning in plan_mend(event.state, command).warnings]


def pairs(event: Event, number: int = 1) -> dict[int | None, tuple[str, str | None]]:
    return {m.match.table: (m.match.a, m.match.b) for m in event.state.rounds[number - 1].matches if m.match.b}


def at(event: Event, table: int) -> MatchState:
    return next(m for m in event.state.rounds[-1].matches if m.match.table == table)


def swap(event: Event, first: str, second: str, **more: Any) -> c.SwapSeats:
    return c.SwapSeats(event.state.rounds[-1].number, (first, second), WHY, **more)


def test_two_players_swap_places_and_the_round_says_by_whom_and_why() -> None:
    event = Event(6).play()
    one, two, three = at(event, 1), at(event, 2), at(event, 3)
    done(event, swap(event, one.match.a, two.match.b or ""))
    assert pairs(event)[1] == (two.match.b, one.match.b)
    assert pairs(event)[2] == (two.match.a, one.match.a)
    assert at(event, 3) is three
    assert at(event, 1).by_hand == {"what": "swap", "by": "organizer", "reason": WHY}
    [line] = event.state.rounds[0].mends
    assert (line["what"], line["matches"], line["number"]) == ("swap", [one.id, two.id], event.state.number)


def test_a_report_of_those_who_sat_there_before_counts_for_nobody() -> None:
    event = Event(4).play()
    one = at(event, 1)
    done(event, swap(event, one.match.a, at(event, 2).match.a))
    late = event.report("a", score(100, 24), one.id, revision=one.revision)
    assert (late.fate, late.reason) == ("refused", "judge")
    assert event.report("a", score(100, 24), one.id).fate == "accepted"


def test_a_table_that_has_reported_stays_as_it_is() -> None:
    event = Event(4).play()
    event.report("a", score(100, 24), at(event, 1).id)
    with refused("mend_has_word"):
        event.tell(swap(event, at(event, 1).match.a, at(event, 2).match.a))
    with refused("mend_has_word"):
        event.tell(c.MoveToTable(1, at(event, 1).id, 9, WHY))
    with refused("mend_has_word"):
        event.tell(c.MoveToTable(1, at(event, 2).id, 1, WHY))


def test_a_result_that_was_taken_back_is_not_said_any_more() -> None:
    """It was entered at the wrong table: no reason to leave the two there, and not on record for others."""
    event = Event(4).play().agree(score(100, 24))
    event.tell(c.EnterResult("1.1", 0, None))
    done(event, swap(event, event.match("1.1").match.a, event.match("1.2").match.a))
    assert event.match("1.1").corrections == ()
    assert event.report("a", score(100, 24), "1.1", revision=1).reason == "judge"


def test_rulings_and_extensions_stay_with_the_two_they_were_for_but_a_table_moves() -> None:
    event = Event(4).play()
    event.tell(c.GrantExtension("1.1", 5))
    with refused("mend_has_log"):
        event.tell(swap(event, event.match("1.1").match.a, event.match("1.2").match.a))
    done(event, c.MoveToTable(1, "1.1", 7, WHY))
    assert (event.match("1.1").match.table, event.match("1.1").match.extension_minutes) == (7, 5)


def test_the_bye_goes_to_another_one() -> None:
    event = Event(5).play()
    [alone] = event.byes(1)
    plays = at(event, 2).match.a
    done(event, swap(event, plays, alone))
    assert event.byes(1) == {plays: BYE}
    assert alone in at(event, 2).match.a
    assert next(m for m in event.state.rounds[0].matches if m.match.bye).by_hand


@pytest.mark.parametrize(
    ("who", "key"),
    [
        (("p1", "p1"), "mend_same_person"),
        (("p1",), "mend_two"),
        (("p1", "nobody"), "unknown_competitor"),
        (("p1", "late"), "mend_waits"),
    ],
)
def test_who_cannot_be_swapped(who: tuple[str, ...], key: str) -> None:
    event = Event(4).play()
    event.enter("late")
    with refused(key):
        event.tell(c.SwapSeats(1, who, WHY))


def test_those_who_meet_already_are_not_swapped() -> None:
    event = Event(4).play()
    with refused("mend_meet_already"):
        event.tell(swap(event, at(event, 1).match.a, at(event, 1).match.b or ""))


def test_who_has_left_is_not_swapped_and_nobody_is_seated_opposite_them() -> None:
    event = Event(4, rulebook="warlords-of-terra", level="friendly").play()
    leaves, stays, other = at(event, 1).match.a, at(event, 1).match.b or "", at(event, 2).match.a
    event.tell(c.DropCompetitor(leaves))
    for first in (leaves, stays):
        with refused("already_left"):
            event.tell(swap(event, first, other))


def test_a_bye_that_was_won_stays() -> None:
    event = Event(4)
    event.enter("won", won_bye=True)
    event.play()
    with refused("won_bye_stays"):
        event.tell(swap(event, "won", at(event, 1).match.a))


def test_the_reason_is_asked() -> None:
    event = Event(4).play()
    with refused("reason_missing"):
        event.tell(c.SwapSeats(1, (at(event, 1).match.a, at(event, 2).match.a), "  "))


def test_who_is_no_official_mends_nothing() -> None:
    event = Event(4).play()
    with refused("unknown_official"):
        event.tell(swap(event, at(event, 1).match.a, at(event, 2).match.a, by="somebody"))


def test_a_match_goes_to_a_free_table_or_exchanges_it() -> None:
    event = Event(6).play()
    first, third = at(event, 1), at(event, 3)
    done(event, c.MoveToTable(1, first.id, 12, WHY))
    assert event.match(first.id).match.table == 12
    done(event, c.MoveToTable(1, third.id, 12, WHY))
    assert (event.match(third.id).match.table, event.match(first.id).match.table) == (12, 3)
    with refused("mend_table_taken"):
        event.tell(c.MoveToTable(1, third.id, 20, WHY, busy_tables=frozenset({20})))
    with refused("mend_same_table"):
        event.tell(c.MoveToTable(1, third.id, 12, WHY))


def test_a_lot_stays_with_two_who_move_and_is_lost_with_the_pair() -> None:
    event = Event(4, rulebook="keyforge-archon").play()
    event.tell(c.NoteLot("1.1", event.state.rulebook.lots[0], "b"))
    done(event, c.MoveToTable(1, "1.1", 8, WHY))
    assert event.match("1.1").lots
    change = swap(event, event.match("1.1").match.a, event.match("1.2").match.a)
    assert "lot_lost" in warned(event, change)
    done(event, change)
    assert not event.match("1.1").lots


def test_two_latecomers_meet_and_one_gets_the_bye() -> None:
    event = Event(4).play()
    for who in ("x", "y", "z"):
        event.enter(who)
    done(event, c.PairWaiting(1, ("x", "y"), WHY))
    assert pairs(event)[3] == ("x", "y")
    done(event, c.GiveBye(1, "z", WHY))
    assert event.byes(1) == {"z": BYE}
    event.settle()
    event.tell(c.DrawRound(3))
    assert {m.match.bye for m in event.state.rounds[0].matches} == {None, BYE}


def test_a_latecomer_meets_the_bye_at_the_table_that_is_said() -> None:
    event = Event(5).play()
    [alone] = event.byes(1)
    event.enter("x")
    with refused("mend_table_taken"):
        event.tell(c.PairWaiting(1, (alone, "x"), WHY, table=1))
    done(event, c.PairWaiting(1, (alone, "x"), WHY, table=30))
    assert pairs(event)[30] == (alone, "x")
    assert event.byes(1) == {}


def test_two_whose_opponents_did_not_appear_meet() -> None:
    event = Event(4).play()
    for match in ("1.1", "1.2"):
        event.tell(c.NoShow(match, event.match(match).match.a))
    here = [who for who, why in event.byes(1).items() if why == NO_SHOW]
    done(event, c.PairWaiting(1, (here[0], here[1]), WHY))
    assert [set(pair) for pair in pairs(event).values() if pair[1]] == [set(here)]
    assert sorted(event.byes(1).values()) == [UNPAIRED_LOSS, UNPAIRED_LOSS]
    with refused("no_absence"):
        event.tell(c.UndoNoShow(event.state.rounds[0].matches[0].id))


@pytest.mark.parametrize(
    ("busy", "fixed", "table"),
    [
        (set(), None, 1),
        ({1}, None, 2),
        ({1, 2}, None, 3),
        (set(), 1, 2),
        ({2}, 1, 3),
    ],
)
def test_two_whose_opponents_left_meet_at_the_lowest_of_their_tables_that_is_free(
    busy: set[int], fixed: int | None, table: int
) -> None:
    event = Event(4).play()
    here = (at(event, 1).match.a, at(event, 2).match.a)
    for table_left in (1, 2):
        event.tell(c.DropCompetitor(at(event, table_left).match.b or ""))
    event.enter("late", fixed_table=fixed)
    done(event, c.PairWaiting(1, here, WHY, busy_tables=frozenset(busy)))
    assert pairs(event) == {table: here}


def test_who_plays_is_not_paired_with_who_waits() -> None:
    event = Event(5).play()
    event.enter("x")
    with refused("mend_not_waiting"):
        event.tell(c.PairWaiting(1, (at(event, 1).match.a, "x"), WHY))


def test_a_second_bye_in_a_round_and_one_for_the_second_time_are_warned_of() -> None:
    event = Event(5).play()
    event.enter("x")
    command = c.GiveBye(1, "x", WHY)
    assert warned(event, command) == ["second_bye"]
    with refused("mend_warned"):
        event.tell(command)
    [alone] = [who for who, why in event.byes(1).items() if why == BYE]
    with refused("mend_has_points"):
        event.tell(c.GiveBye(1, alone, WHY))
    event.settle().play()
    [again] = [who for who, why in event.byes(2).items() if why == BYE] or [None]
    change = c.SwapSeats(2, (alone, again), WHY) if again else None
    if change:
        assert "bye_again" in warned(event, change)


def test_a_pair_that_met_before_is_warned_of_and_needs_a_word() -> None:
    event = Event(4).play().settle().play()
    one, two = at(event, 1).match, at(event, 2).match
    met = next(
        (a, b)
        for a in (one.a, one.b)
        for b in (two.a, two.b)
        if {a, b} in [set(pair) for pair in pairs(event, 1).values()]
    )
    other = two.a if two.b == met[1] else two.b
    assert warned(event, c.SwapSeats(2, (one.a if one.b == met[0] else one.b, met[1]), WHY)) == ["repeat", "repeat"]
    with refused("mend_warned"):
        event.tell(c.SwapSeats(2, (one.a if one.b == met[0] else one.b, met[1]), WHY))
    assert other


def test_what_was_shown_is_what_is_done() -> None:
    """Two organizers, or a second tap: the other one's change is looked at first."""
    event = Event(6).play()
    change = shown(event, swap(event, at(event, 1).match.a, at(event, 2).match.a))
    event.tell(change)
    before = event.state
    with refused("mend_changed_meanwhile"):
        event.tell(change)
    assert event.state is before


def test_a_fixed_table_and_those_who_came_together_are_warned_of() -> None:
    event = Event(2)
    event.enter("fixed", fixed_table=5)
    event.enter("x", came_with="car")
    event.enter("y", came_with="car")
    event.enter("z", came_with="car")
    event.play()
    found = pairs(event)
    other = next(pair for table, pair in found.items() if table != 5 and "fixed" not in pair)
    assert "fixed_table" in warned(event, c.SwapSeats(1, ("fixed", other[0]), WHY))
    match = next(m for m in event.state.rounds[0].matches if "fixed" not in (m.match.a, m.match.b))
    assert "others_table" in warned(event, c.MoveToTable(1, match.id, 5, WHY))
    kinds = {
        kind
        for a in ("x", "y", "z")
        for b in event.state.entrants
        if a != b and not {a, b} <= {*next(p for p in found.values() if a in p)}
        for kind in warned(event, c.SwapSeats(1, (a, b), WHY))
    }
    assert "came_with" in kinds


def test_a_running_clock_is_warned_of() -> None:
    event = Event(4).play()
    event.tell(c.SetClock("start"))
    assert warned(event, swap(event, at(event, 1).match.a, at(event, 2).match.a)) == ["clock_runs"]
    assert warned(event, c.MoveToTable(1, "1.1", 9, WHY)) == []


def test_a_bracket_stays_but_its_tables_move() -> None:
    event = Event(4, {"structure": "own", "swiss_rounds": 0}).play()
    with refused("mend_fixed_pairing"):
        event.tell(swap(event, at(event, 1).match.a, at(event, 2).match.a))
    done(event, c.MoveToTable(1, "1.1", 9, WHY))
    assert event.match("1.1").match.table == 9
    assert event.match("1.1").match.game is not None


# Before publishing.


def drawn(players: int = 6) -> Event:
    event = Event(players)
    event.tell(c.DrawRound(3))
    return event


def test_a_draft_is_mended_and_published_as_it_is() -> None:
    event = drawn()
    one, two = at(event, 1), at(event, 2)
    done(event, swap(event, one.match.a, two.match.a))
    draft = event.state.draft
    assert draft.draw.method == "imposed"
    event.tell(c.PublishRound(1, 1, noted="x"))
    assert pairs(event)[1] == (two.match.a, one.match.b)
    assert at(event, 1).by_hand


def test_a_draft_of_other_pairs_has_another_mark_and_a_published_round_keeps_its_own() -> None:
    """Tables of a hub that lost the mend say so by the mark; those of a round in play all speak of one."""
    event = drawn()
    before = event.state.rounds[0].mark
    done(event, swap(event, at(event, 1).match.a, at(event, 2).match.a))
    mended = event.state.rounds[0].mark
    assert mended != before
    event.tell(c.PublishRound(1, 1, noted="x"))
    done(event, swap(event, at(event, 1).match.a, at(event, 2).match.a))
    assert event.state.rounds[0].mark == mended


def test_a_draft_at_other_tables_is_still_by_hand() -> None:
    event = drawn()
    done(event, swap(event, at(event, 1).match.a, at(event, 2).match.a))
    before = pairs(event)
    event.tell(c.MoveTables(1, 1, frozenset({1})))
    assert pairs(event) == {4 if table == 1 else table: pair for table, pair in before.items()}
    assert at(event, 4).by_hand
    assert event.state.rounds[0].mends


def test_drawing_again_leaves_nothing_that_was_by_hand() -> None:
    event = drawn()
    done(event, swap(event, at(event, 1).match.a, at(event, 2).match.a))
    event.tell(c.DrawRound(3))
    assert not any(m.by_hand for m in event.state.rounds[0].matches)
    assert event.state.rounds[0].mends == ()


def test_the_notes_of_a_draw_say_what_is_so_after_it_was_mended() -> None:
    event = Event(4).play().settle()
    event.tell(c.DrawRound(9))
    draft = event.state.draft
    assert draft.notes["repeats"] == 0
    one, two = at(event, 1).match, at(event, 2).match
    first = [set(pair) for pair in pairs(event, 1).values()]
    a, b = next((a, b) for a in (one.a, one.b or "") for b in (two.a, two.b or "") if {a, b} not in first)
    done(event, c.SwapSeats(2, (a, b), WHY))
    draft = event.state.draft
    assert draft.notes["repeats"] == sum(set(pair) in first for pair in pairs(event, 2).values()) > 0
    assert len(draft.notes["repeated"]) == draft.notes["repeats"]


# Taking it back.


def test_a_published_round_becomes_a_draft_again_and_is_published_once_more() -> None:
    event = Event(6).play()
    before = pairs(event)
    done(event, c.UnpublishRound(1, WHY))
    assert event.state.rounds[0].status == DRAFT
    assert event.state.public_rounds == ()
    assert event.state.players_at_start is None
    assert event.report("a", score(100, 24), "1.1").reason == "unknown-match"
    one = at(event, 1)
    done(event, swap(event, one.match.a, at(event, 2).match.a))
    event.tell(c.PublishRound(1, 1, noted="x"))
    assert pairs(event) != before
    assert event.state.rounds[0].taken_back == 1
    assert [line["what"] for line in event.state.rounds[0].mends] == ["unpublish", "swap"]
    assert event.state.clock.total_ms is not None


def test_a_round_that_is_withdrawn_is_as_if_it_had_never_been_drawn() -> None:
    event = Event(6).play()
    event.enter("late")
    done(event, c.UnpublishRound(1, WHY, withdrawn=True))
    assert event.state.rounds == ()
    event.play()
    assert len([m for m in event.state.rounds[0].matches if m.match.b]) == 3
    assert list(event.byes(1).values()) == [BYE]
    assert event.state.players_at_start == 7


@pytest.mark.parametrize(
    "before",
    [
        lambda event: event.report("a", score(100, 24)),
        lambda event: event.tell(c.EnterResult("1.1", 0, score(100, 24))),
        lambda event: event.tell(c.NoShow("1.1", event.match("1.1").match.a)),
    ],
)
def test_a_round_somebody_has_said_something_of_is_not_taken_back(before: Any) -> None:
    event = Event(4).play()
    before(event)
    with refused("unpublish_has_word"):
        event.tell(c.UnpublishRound(1, WHY))


def test_the_clock_is_set_back_before_the_round_is() -> None:
    event = Event(4).play()
    event.tell(c.SetClock("start"))
    with refused("unpublish_clock_ran"):
        event.tell(c.UnpublishRound(1, WHY))
    event.tell(c.SetClock("reset"))
    event.tell(c.UnpublishRound(1, WHY))
    with refused("mend_no_round"):
        event.tell(c.UnpublishRound(1, WHY))


# Pairing again what must change.


def test_who_is_left_alone_meets_the_bye_and_nobody_else_moves() -> None:
    event = Event(7).play()
    [alone] = event.byes(1)
    leaves, stays, rest = at(event, 2).match.a, at(event, 2).match.b or "", (at(event, 1), at(event, 3))
    event.tell(c.DropCompetitor(leaves))
    command = c.PairAgain(1)
    assert warned(event, command) == ["win_lost"]
    done(event, command)
    assert set(pairs(event)[2]) == {alone, stays}
    assert (at(event, 1), at(event, 3)) == rest
    assert event.byes(1) == {leaves: UNPAIRED_LOSS}
    assert at(event, 2).by_hand is None
    assert event.state.rounds[0].mends[-1]["what"] == "again"
    assert event.match(at(event, 2).id).match.result is None


def test_a_latecomer_gets_the_bye_or_who_has_it() -> None:
    event = Event(4).play()
    event.enter("x")
    done(event, c.PairAgain(1))
    assert event.byes(1) == {"x": BYE}
    event.enter("y")
    done(event, c.PairAgain(1))
    assert ("x", "y") in pairs(event).values()


def test_where_nobody_waits_there_is_nothing_to_do() -> None:
    for players in (4, 5):
        with refused("mend_nothing"):
            Event(players).play().tell(c.PairAgain(1))


def test_who_has_won_because_the_other_one_left_in_mid_game_keeps_it() -> None:
    event = Event(5).play()
    event.tell(c.SetClock("start"))
    event.tell(c.DropCompetitor(at(event, 1).match.a))
    with refused("mend_nothing"):
        event.tell(c.PairAgain(1))


def test_one_table_moves_where_the_two_who_wait_have_met() -> None:
    event = Event(7).play().settle().play()
    [alone] = [who for who, why in event.byes(2).items() if why == BYE]
    met = {
        who: {other for pair in pairs(event, 1).values() if who in pair for other in pair}
        for who in event.state.entrants
    }
    match = next((m for m in event.state.rounds[1].matches if m.match.b and met[alone] & {m.match.a, m.match.b}), None)
    if match is None:
        return
    leaves = match.match.a if match.match.b in met[alone] else match.match.b
    event.tell(c.DropCompetitor(leaves or ""))
    plan = plan_mend(event.state, c.PairAgain(2))
    assert not [w for w in plan.warnings if w.kind == "repeat"]
    assert len([change for change in plan.changes if change.match.b]) == 2


# What holds for all of them.


def everything(event: Event) -> list[Any]:
    event.play()
    for who in ("x", "y"):
        event.enter(who)
    one = at(event, 1)
    return [
        swap(event, one.match.a, at(event, 2).match.a),
        c.MoveToTable(1, "1.3", 9, WHY),
        c.PairWaiting(1, ("x", "y"), WHY),
        c.PairAgain(1),
    ]


def test_a_journal_with_mends_folds_to_the_same_state_and_its_bytes_come_back() -> None:
    event = Event(7)
    for command in everything(event):
        with contextlib.suppress(Problem):
            done(event, command)
    assert len(event.state.rounds[0].mends) >= 3
    assert fold_entries("e1", event.entries) == event.state
    assert decode_state(encode_state(event.state)) == event.state


def test_the_event_file_says_nothing_of_it() -> None:
    event = Event(7)
    for command in everything(event)[:3]:
        done(event, command)
    tournament = whole_tournament(event.state, {})
    written = tournament_to_json(tournament)
    assert "by_hand" not in str(written)
    assert WHY not in str(written)
    assert tournament_from_json(written) == tournament
    assert tournament_of(event.state).rounds[0].draw is not None


def test_who_pairs_by_hand_says_why_and_reads_the_warnings_first() -> None:
    event = Event(5)
    matches = ({"a": "p1", "b": "p2", "table": 3}, {"a": "p3", "b": "p4"})
    command = c.ImposeRound(matches, reason=WHY)
    with refused("mend_warned"):
        event.tell(command)
    plan = preview_imposed(event.state, command)
    assert [(w.kind, w.who) for w in plan.warnings] == [("missing", ("p5",))]
    event.tell(replace(command, plan=plan.mark))
    assert pairs(event) == {3: ("p1", "p2"), 1: ("p3", "p4")}
    assert at(event, 3).by_hand == {"what": "imposed", "by": "organizer", "reason": WHY}
    assert event.state.rounds[0].mends[0]["number"] == event.state.number


def test_what_the_draw_had_as_well_is_not_by_hand() -> None:
    event = drawn(6)
    kept, one, two = at(event, 1).match, at(event, 2).match, at(event, 3).match
    matches = tuple(
        {"a": a, "b": b, "table": table} for a, b, table in ((kept.a, kept.b, 1), (one.a, two.b, 2), (two.a, one.b, 3))
    )
    command = c.ImposeRound(matches, reason=WHY)
    event.tell(replace(command, plan=preview_imposed(event.state, command).mark))
    assert [bool(at(event, table).by_hand) for table in (1, 2, 3)] == [False, True, True]


def test_a_table_taken_twice_by_hand_is_refused() -> None:
    event = Event(4)
    with refused("mend_table_taken"):
        event.tell(c.ImposeRound(({"a": "p1", "b": "p2", "table": 3}, {"a": "p3", "b": "p4", "table": 3}), reason=WHY))


def test_an_old_journal_has_nothing_by_hand() -> None:
    event = Event(4).play()
    state = event.state
    assert isinstance(state, EventState)
    assert all(m.by_hand is None for m in state.rounds[0].matches)


def after_round_1(players: int = 8, clock: bool = False) -> Event:
    """Round 2 is published: the first named at each table of round 1 has won it."""
    event = Event(players, {"structure": "own", "swiss_rounds": 3, "cut": 0}).play().settle().play()
    if clock:
        event.tell(c.SetClock("start"))
    return event


def misread(event: Event, cut: str = "") -> c.EnterResult:
    """Table 1 of round 1 was won by the other one."""
    return c.EnterResult("1.1", event.match("1.1").revision, score(0, 100), reason="misread", cut=cut)


def test_a_correction_asks_what_becomes_of_the_published_round_and_both_are_one_act() -> None:
    event = after_round_1()
    a, b = event.match("1.1").match.a, event.match("1.1").match.b
    before = pairs(event, 2)
    with refused("pairings_would_change") as asked:
        event.tell(misread(event))
    theirs = {table: pair for table, pair in before.items() if {a, b} & set(pair)}
    assert asked.value.params["tables"] == ", ".join(map(str, theirs))
    assert pairs(event, 2) == before
    # The two have changed places: the winner of before now has the points of the loser of before.
    assert event.kinds(misread(event, "anew")) == ["round-mended", "result-entered"]
    expected = [{{a: b, b: a}.get(who, who) for who in pair} for pair in before.values()]
    assert sorted(map(sorted, pairs(event, 2).values())) == sorted(map(sorted, expected))
    assert [table for table, pair in pairs(event, 2).items() if pair != before[table]] == sorted(theirs)
    assert event.match("1.1").match.result == score(0, 100)
    assert [line["what"] for line in event.state.rounds[1].mends] == ["again"]


def test_kept_the_published_round_stays_as_it_was_drawn() -> None:
    event = after_round_1()
    before = pairs(event, 2)
    assert event.kinds(misread(event, "keep")) == ["result-entered"]
    assert pairs(event, 2) == before


def test_a_round_that_has_begun_stays_and_nobody_is_asked() -> None:
    event = after_round_1(clock=True)
    with refused("correction_round_begun"):
        event.tell(misread(event, "anew"))
    assert event.kinds(misread(event)) == ["result-entered"]
    event = after_round_1()
    event.report("a", score(100, 24), event.state.rounds[1].matches[0].id)
    assert event.kinds(misread(event)) == ["result-entered"]


def test_a_correction_that_moves_nobody_between_points_asks_nothing() -> None:
    event = after_round_1()
    same_winner = replace(misread(event), result=score(100, 3))
    assert event.kinds(same_winner) == ["result-entered"]


def test_the_bye_goes_to_the_player_who_has_lost_by_the_correction() -> None:
    event = after_round_1(5)
    # By the misread result p5 is last.
    assert (pairs(event, 1)[1], pairs(event, 2)[2]) == (("p4", "p5"), ("p4", "p1"))
    assert event.byes(2) == {"p5": "bye"}
    event.tell(misread(event, "anew"))
    assert event.byes(2) == {"p4": "bye"}
    assert set(pairs(event, 2)[2]) == {"p5", "p1"}


@pytest.mark.parametrize("choice", ["anew", "keep"])
def test_the_event_file_after_such_a_correction_breaks_no_rule(choice: str) -> None:
    event = after_round_1()
    event.tell(misread(event, choice))
    event.settle()
    assert [
        each.key for each in violations(tournament_from_json(tournament_to_json(whole_tournament(event.state, {}))))
    ] == []
    assert encode_state(decode_state(encode_state(event.state))) == encode_state(event.state)


def imposed(event: Event, *matches: tuple[str, str | None]) -> Event:
    """The next round as it is given, published; who stands alone has the bye."""
    round_ = c.ImposeRound(tuple({"a": a, "b": b} if b else {"a": a, "bye": BYE} for a, b in matches), reason=WHY)
    event.tell(replace(round_, plan=preview_imposed(event.state, round_).mark))
    event.tell(c.PublishRound(event.state.draft.number, event.state.draft.draw.attempt, noted="a test"))
    return event


def test_a_correction_about_players_who_have_all_left_asks_nothing() -> None:
    event = Event(6, {"structure": "own", "swiss_rounds": 3, "cut": 0})
    imposed(event, ("p1", "p2"), ("p3", "p4"), ("p5", "p6")).settle()
    event.tell(c.DropCompetitor("p1"))
    imposed(event, ("p3", "p5"), ("p4", "p6"), ("p2", None))
    event.tell(c.DropCompetitor("p2"))
    assert event.kinds(misread(event)) == ["result-entered"]


def test_the_bye_stays_where_the_last_could_only_have_it_at_the_price_of_a_repeat() -> None:
    """Only p1 - p2 is new in round 3, so p3 sits out, whoever is last."""
    event = Event(4, {"structure": "own", "swiss_rounds": 4, "cut": 0})
    imposed(event, ("p2", "p3"), ("p4", "p1")).settle()
    event.tell(c.DropCompetitor("p4"))
    imposed(event, ("p3", "p1"), ("p2", None)).settle()
    imposed(event, ("p2", "p1"), ("p3", None))
    before = pairs(event, 3), event.byes(3)
    assert event.kinds(misread(event)) == ["result-entered"]
    assert (pairs(event, 3), event.byes(3)) == before


def test_who_was_left_alone_brings_no_second_bye() -> None:
    """p3 waits since p4 left: a mend of its own pairs p3, with p7 who has the bye."""
    event = Event(7, {"structure": "own", "swiss_rounds": 3, "cut": 0})
    imposed(event, ("p6", "p3"), ("p1", "p2"), ("p5", "p4"), ("p7", None)).settle()
    imposed(event, ("p1", "p6"), ("p2", "p5"), ("p3", "p4"), ("p7", None))
    event.tell(c.DropCompetitor("p4"))
    assert event.kinds(misread(event, "anew")) == ["result-entered"]
    assert event.byes(2) == {"p7": BYE}


def repeats(event: Event) -> int:
    met = [set(pair) for played in event.state.rounds[:-1] for pair in pairs(event, played.number).values()]
    return sum(set(pair) in met for pair in pairs(event, event.state.rounds[-1].number).values())


@pytest.mark.parametrize("seed", range(60))
def test_no_correction_makes_a_second_bye_or_a_repeat(seed: int) -> None:
    """Small fields with players who leave before and after the draw, and one result of an earlier round turned."""
    chance = random.Random(seed)
    rounds = chance.randint(2, 4)
    event = Event(chance.randint(5, 9), {"structure": "own", "swiss_rounds": 5, "cut": 0})
    for number in range(1, rounds + 1):
        event.play()
        if number < rounds:
            for m in event.state.live.open_matches:
                event.tell(c.EnterResult(m.id, m.revision, chance.choice([score(100, 24), score(24, 100)])))
        for who in [w for w, entrant in event.state.entrants.items() if entrant.active and chance.random() < 0.08]:
            with contextlib.suppress(Problem):
                event.tell(c.DropCompetitor(who))
    for _ in range(4):
        one = chance.choice([m for r in event.state.rounds[:-1] for m in r.matches if m.match.b and m.match.result])
        turned = score(24, 100) if one.match.result and one.match.result.score.a == 100 else score(100, 24)
        before, repeated = byes_of_those_here(event), repeats(event)
        with contextlib.suppress(Problem):
            event.tell(c.EnterResult(one.id, one.revision, turned, reason=WHY, cut="anew"))
        assert len(byes_of_those_here(event)) == len(before) <= 1
        assert repeats(event) <= repeated


def byes_of_those_here(event: Event) -> list[str]:
    number = event.state.rounds[-1].number
    return [who for who, why in event.byes(number).items() if why == BYE and event.state.entrants[who].active]
