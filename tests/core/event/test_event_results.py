"""Results: what both sides say, what an official says, what comes too late; rounds and their clock."""

from typing import Any

import pytest

from event_kit import MINUTE, Event, refused, score
from roundtap_core.check.check import violations
from roundtap_core.clock import PAUSED, RUNNING
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.commands import apply
from roundtap_core.event.cut import APPEAL_OPEN, SQUADS_OWED
from roundtap_core.event.entries import NewEntry, chain_entry
from roundtap_core.event.event_flow import squads_let_go, whole_tournament
from roundtap_core.event.results import APPLY_RESULTS
from roundtap_core.event.setup import KINDS
from roundtap_core.event.states import AGREED, DECIDED, DISPUTE, ONE_SIDED, OPEN, SECOND, OpenPoint
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import (
    CONCESSION,
    FINISHED_EARLY,
    RULING,
    SQUADS_UNFIELDED,
    TIE_OPEN,
    Result,
    SidePair,
    result_to_json,
)

WON, LOST = score(100, 24), score(24, 100)


# --- reports -----------------------------------------------------------------------------------------------------


def test_a_result_stands_once_both_sides_say_it() -> None:
    event = Event().play()
    assert event.match().state == OPEN
    event.report("a", WON)
    assert (event.match().state, event.match().match.result) == (ONE_SIDED, None)

    fate = event.report("b", WON)

    assert (event.match().state, event.match().match.result) == (AGREED, WON)
    assert event.match().number == fate.number == event.state.number


def test_sides_that_differ_are_a_dispute_and_nothing_stands() -> None:
    event = Event().play()
    event.report("a", WON)
    event.report("b", LOST)
    assert (event.match().state, event.match().match.result) == (DISPUTE, None)
    assert not event.match().done


def test_the_first_agreed_result_stands_while_it_is_disputed() -> None:
    event = Event().play().agree(WON)
    assert event.report("a", LOST).fate == "accepted"
    assert (event.match().state, event.match().match.result) == (DISPUTE, WON)
    assert not event.match().done


def test_a_correction_that_both_agree_to_waits_for_a_judge() -> None:
    event = Event().play().agree(WON).agree(LOST)
    assert (event.match().state, event.match().match.result, event.match().second) == (SECOND, WON, LOST)


def test_who_takes_a_dispute_back_restores_the_agreement() -> None:
    event = Event().play().agree(WON)
    event.report("a", LOST)
    event.report("a", WON)
    assert (event.match().state, event.match().match.result) == (AGREED, WON)


def test_a_report_id_makes_exactly_one_entry() -> None:
    event = Event().play()
    first = event.report("a", WON, report_id="r")
    before = event.state
    assert event.report("b", LOST, match="1.2", report_id="r") == first
    assert event.state == before


@pytest.mark.parametrize("match", ["1.9", "2.1", "", "1.1 "])
def test_a_match_that_is_not_there_is_unknown(match: str) -> None:
    fate = Event().play().report("a", WON, match)
    assert (fate.fate, fate.reason) == ("refused", "unknown-match")


def test_a_bye_takes_no_report() -> None:
    event = Event(players=5).play()
    bye = next(m.id for m in event.state.rounds[0].matches if m.match.bye)
    assert event.report("a", WON, bye).reason == "unknown-match"


def test_a_drawn_round_that_nobody_has_seen_takes_no_report() -> None:
    event = Event()
    event.tell(c.DrawRound(1))
    assert event.report("a", WON).reason == "unknown-match"
    assert event.state.late_matches == []


def test_a_report_after_the_round_is_late_and_remembered_for_the_console() -> None:
    event = Event().play().settle()
    event.tell(c.DrawRound(1))
    before = event.match()
    fate = event.report("a", LOST)
    assert fate.reason == "late"
    assert event.match() == before
    assert event.state.late_matches == [(event.state.rounds[0], before)]


@pytest.mark.parametrize(
    "result",
    [
        {"score": {"a": 101, "b": 0}},
        {"score": {"a": -1, "b": 0}},
        {"score": {"a": 50, "b": 50}},
        {"score": "100:24"},
        {"winner": "b", "score": {"a": 100, "b": 0}},
        {"surprise": 1},
        {"wounds": {"a": 1}, "score": {"a": 100, "b": 0}},
        {"ended": "ruling", "winner": "none"},
    ],
)
def test_what_no_game_ends_with_is_impossible(result: dict[str, Any]) -> None:
    event = Event().play()
    assert event.report("a", result).reason == "impossible"
    assert event.match().state == OPEN


# --- officials ---------------------------------------------------------------------------------------------------


def test_an_official_stands_over_both_sides() -> None:
    event = Event().play().agree(WON)
    event.tell(c.EnterResult("1.1", 0, LOST))
    assert (event.match().state, event.match().match.result, event.match().revision) == (DECIDED, LOST, 1)


def test_after_an_official_a_table_may_only_say_the_same() -> None:
    event = Event().play()
    event.tell(c.EnterResult("1.1", 0, WON))
    assert event.report("a", LOST).reason == "judge"
    assert event.report("a", LOST, revision=0).reason == "judge"
    decided_at = event.match().number
    event.report("a", WON, revision=0)
    assert event.report("b", WON, revision=0).fate == "accepted"
    assert (event.match().state, event.match().match.result) == (DECIDED, WON)
    assert event.match().number == decided_at


def test_a_result_taken_back_is_asked_again_and_older_reports_come_too_late() -> None:
    event = Event().play().agree(WON)
    event.tell(c.EnterResult("1.1", 0, None))
    assert event.match().state == OPEN
    assert event.report("a", WON, revision=0).reason == "judge"
    event.agree(LOST)
    assert (event.match().state, event.match().match.result) == (AGREED, LOST)


def test_two_officials_do_not_overwrite_each_other_unseen() -> None:
    event = Event().play()
    event.tell(c.EnterResult("1.1", 0, WON))
    with refused("result_changed_meanwhile"):
        event.tell(c.EnterResult("1.1", 0, LOST))


def test_a_ruling_and_a_loss_for_both_are_an_officials_to_give() -> None:
    event = Event().play()
    event.tell(c.EnterResult("1.1", 0, Result(ended=RULING, winner="none")))
    assert event.match().done


@pytest.mark.parametrize(
    ("result", "key"),
    [
        (score(101, 0), "figure_out_of_range"),
        (score(50, 50), "salvo_winner_missing"),
        (score(50, 50, winner="draw"), "no_draws"),
        (score(100, 0, winner="b"), "winner_contradicts_score"),
    ],
)
def test_an_official_cannot_enter_what_no_game_ends_with(result: Result, key: str) -> None:
    event = Event().play()
    with refused(key):
        event.tell(c.EnterResult("1.1", 0, result))


def test_a_closed_round_is_corrected_by_an_official_and_the_draw_after_it_is_void() -> None:
    event = Event().play().settle()
    event.tell(c.DrawRound(1))
    assert event.kinds(c.EnterResult("1.1", 1, LOST, reason="misread")) == ["draft-discarded", "result-entered"]
    with refused("closed_round_needs_result"):
        event.tell(c.EnterResult("1.1", 2, None))


def test_a_correction_of_a_closed_round_says_why_and_the_reason_is_kept_with_the_match() -> None:
    event = Event().play().settle()
    event.tell(c.EnterResult("1.1", 1, score(100, 30)))
    event.play()
    with refused("correction_no_reason"):
        event.tell(c.EnterResult("1.1", 2, LOST))
    event.tell(c.EnterResult("1.1", 2, score(100, 30)))
    assert event.match().log == ()
    event.tell(c.EnterResult("1.1", 3, LOST, reason="the slip was misread", cut="keep"))
    assert [line.text for line in event.match().log] == ["the slip was misread"]
    # What a slip or a table said before is typed late, and corrects nobody's word.
    event.tell(c.EnterResult("1.1", 4, WON, earlier=True))


def test_byes_and_matches_nobody_has_seen_take_no_result() -> None:
    event = Event(players=5)
    event.tell(c.DrawRound(1))
    with refused("unknown_match"):
        event.tell(c.EnterResult("1.1", 0, WON))
    event.tell(c.PublishRound(1, 1))
    bye = next(m.id for m in event.state.rounds[0].matches if m.match.bye)
    with refused("bye_has_no_result"):
        event.tell(c.EnterResult(bye, 0, WON))
    with refused("unknown_match"):
        event.tell(c.EnterResult("7.7", 0, WON))


# --- rounds ------------------------------------------------------------------------------------------------------


def test_the_first_eight_tables_without_a_result_are_named() -> None:
    event = Event(18).play()
    with pytest.raises(Problem) as caught:
        event.tell(c.DrawRound(1))
    assert dict(caught.value.params) == {"n": 9, "tables": "1, 2, 3, 4, 5, 6, 7, 8, …"}


def test_the_next_round_waits_for_every_result() -> None:
    event = Event().play()
    event.report("a", WON)
    with refused("results_missing"):
        event.tell(c.DrawRound(1))
    event.settle()
    assert event.kinds(c.DrawRound(1)) == ["round-closed", "round-drawn"]


def test_a_draft_is_drawn_again_from_the_same_seed_as_the_next_attempt() -> None:
    event = Event(players=8)
    event.tell(c.DrawRound(5))
    event.tell(c.DrawRound(99))
    assert (event.state.draft.draw.seed, event.state.draft.draw.attempt) == (5, 2)
    assert len(event.state.rounds) == 1


def test_only_the_draft_that_was_looked_at_is_published() -> None:
    event = Event()
    with refused("no_draft"):
        event.tell(c.PublishRound(1, 1))
    event.tell(c.DrawRound(5))
    event.tell(c.DrawRound(5))
    for number, attempt in ((1, 1), (2, 2), (1, 3)):
        with refused("draft_changed_meanwhile"):
            event.tell(c.PublishRound(number, attempt))
    event.tell(c.PublishRound(1, 2))
    assert event.state.live is not None


def test_a_draft_can_be_thrown_away() -> None:
    event = Event()
    with refused("no_draft"):
        event.tell(c.DiscardDraft())
    event.tell(c.DrawRound(1))
    event.tell(c.DiscardDraft())
    assert event.state.rounds == ()


def test_busy_tables_are_left_out() -> None:
    event = Event()
    event.tell(c.DrawRound(1, frozenset({1, 3})))
    assert [m.match.table for m in event.state.rounds[0].matches] == [2, 4]


def test_four_players_have_three_rounds() -> None:
    event = Event().play().settle().play().settle().play().settle()
    with refused("all_rounds_played"):
        event.tell(c.DrawRound(1))


def test_too_few_players_for_the_structure_are_told_so() -> None:
    with refused("no_structure"):
        Event(players=3).tell(c.DrawRound(1))


def test_an_event_ends_with_its_last_result() -> None:
    event = Event()
    with refused("nothing_played"):
        event.tell(c.FinishEvent("the hall closes"))
    event.tell(c.DrawRound(1))
    with refused("draft_in_the_way"):
        event.tell(c.FinishEvent("the hall closes"))
    event.tell(c.PublishRound(1, 1))
    with refused("results_missing"):
        event.tell(c.FinishEvent("the hall closes"))
    event.settle()
    assert event.kinds(c.FinishEvent("the hall closes")) == ["round-closed", "played-on", "event-finished"]


def test_an_end_before_the_plan_s_says_why_each_time() -> None:
    event = Event().play().settle()
    for reason in ("the hall closes", "the storm is coming"):
        with refused("finish_early_no_reason"):
            event.tell(c.FinishEvent())
        event.tell(c.FinishEvent(reason))
        event.tell(c.ReopenEvent())
    assert [(line.points, line.reason) for line in event.state.played_on] == [
        ((OpenPoint("finished_early"),), "the hall closes"),
        ((OpenPoint("finished_early"),), "the storm is coming"),
    ]


def test_squads_that_were_never_fielded_are_named_at_the_end_and_then_noted() -> None:
    event = Event(4, {"structure": "own", "swiss_rounds": 2, "cut": 0}, rulebook="shatterpoint-premier", level=None)
    for picks in ({"a": [1, 2], "b": [1, 2]}, {"a": [1, 2], "b": [3, 4]}):
        event.play()
        for match in event.state.live.open_matches:
            event.tell(
                c.EnterResult(
                    match.id,
                    match.revision,
                    score(2, 0, winner="a", wounds=SidePair(9, 4), picks=picks),
                    lets_go=squads_let_go(event.state, event.state.live, match.match, picks),
                )
            )
    owing = {OpenPoint(SQUADS_UNFIELDED, match.match.a) for match in event.state.rounds[1].matches}
    found = violations(whole_tournament(event.state, {}))
    assert [problem.key for problem in found] == ["squads_not_fielded"] * 2
    with refused("finish_early_no_reason"):
        event.tell(c.FinishEvent())
    event.tell(c.FinishEvent("they mixed up their squads"))
    assert set(event.state.played_on[0].points) == owing
    file = tournament_from_json(tournament_to_json(whole_tournament(event.state, {})))
    assert [problem.key for problem in violations(file)] == []


def test_each_side_s_squads_are_its_own_word_once_all_else_is_the_same() -> None:
    """Shatterpoint: a table asks each side for its own squads. While the sides differ, each may still say others."""
    event = Event(2, {"structure": "own", "swiss_rounds": 2, "cut": 0}, rulebook="shatterpoint-premier", level=None)
    event.play()
    said = {"score": {"a": 2, "b": 0}, "wounds": {"a": 9, "b": 4}}
    event.report("a", {**said, "picks": {"a": [1, 2]}})
    event.report("b", {**said, "wounds": {"a": 9, "b": 5}, "picks": {"b": [3, 4]}})
    apart = event.match().reports
    assert [apart[side].result.picks for side in "ab"] == [{"a": [1, 2]}, {"b": [3, 4]}]  # type: ignore[index]
    assert event.match().state == DISPUTE
    event.report("b", {**said, "picks": {"b": [1, 3]}})
    agreed = event.match()
    assert [agreed.reports[side].result.picks for side in "ab"] == [{"a": [1, 2], "b": [1, 3]}] * 2  # type: ignore[index]
    assert agreed.state == AGREED


def with_two_squads_owed() -> tuple[Event, str]:
    """The last of two rounds: in the first everybody fielded A and B, or had a bye with them. Who has the bye now."""
    event = Event(5, {"structure": "own", "swiss_rounds": 2, "cut": 0}, rulebook="shatterpoint-premier", level=None)
    for _ in range(2):
        event.play()
        [(who, _)] = event.byes(event.state.rounds[-1].number).items()
        if len(event.state.rounds) == 1:
            bye = next(match for match in event.state.live.matches if match.match.b is None)
            event.tell(c.SetPicks(bye.id, (1, 2)))
            for match in event.state.live.open_matches:
                event.tell(c.EnterResult(match.id, match.revision, squads_result([1, 2], [1, 2])))
    return event, who


def squads_result(a: list[int], b: list[int]) -> Result:
    return score(2, 0, wounds=SidePair(9, 4), picks={"a": a, "b": b})


def test_the_last_chance_of_a_squad_is_not_lost_without_a_word_at_a_bye() -> None:
    """Shatterpoint, "Nie możesz uciec…": every squad is fielded once. A and B again leave C and D for never."""
    event, who = with_two_squads_owed()
    bye = next(match for match in event.state.live.matches if match.match.b is None)
    with refused("squads_lost") as caught:
        event.tell(c.SetPicks(bye.id, (1, 2)))
    assert caught.value.params["competitor"] == who
    assert caught.value.params["squads"] == "C D"
    with refused("squads_lost"):
        # What was confirmed is of other squads.
        event.tell(c.SetPicks(bye.id, (1, 3), f"{who}: C D"))
    [kept] = event.tell(c.SetPicks(bye.id, (1, 2), caught.value.params["lost"]))
    assert kept.data == {"match": bye.id, "picks": [1, 2], "lets_go": f"{who}: C D"}
    [kept] = event.tell(c.SetPicks(bye.id, (3, 4)))
    assert kept.data == {"match": bye.id, "picks": [3, 4]}


def test_nor_in_a_match_by_an_official_or_by_a_phone_and_a_unit_s_screen_has_asked() -> None:
    event, _ = with_two_squads_owed()
    match = event.match("2.1")
    loses, plays = squads_result([1, 2], [3, 4]), squads_result([3, 4], [3, 4])
    lost = f"{match.match.a}: C D"

    def reported(result: Result, lets_go: str | None) -> str | None:
        number = len(event.entries)
        said = c.RecordReport(f"r{number}", match.id, "a", 0, result_to_json(result), f"b{number}", lets_go=lets_go)
        return event.tell(said)[0].data["reason"]

    assert reported(loses, "") == "squads"
    assert reported(loses, lost) is None
    assert event.entries[-1].data["lets_go"] == lost
    assert reported(plays, "") is None
    # A unit does not say it: its screen has asked before.
    assert reported(loses, None) is None
    with refused("squads_lost"):
        event.tell(c.EnterResult(match.id, match.revision, squads_result([1, 4], [3, 4])))
    # What a player has said and confirmed is accepted as it is.
    [kept] = event.tell(c.EnterResult(match.id, match.revision, loses))
    assert "lets_go" not in kept.data
    [kept] = event.tell(c.EnterResult(match.id, 1, squads_result([1, 4], [3, 4]), lets_go=f"{match.match.a}: C"))
    assert kept.data["lets_go"] == f"{match.match.a}: C"


def test_nor_where_the_opponent_leaves_in_mid_game_and_who_leaves_is_not_asked() -> None:
    for leave in (c.DropCompetitor, lambda who, **more: c.Disqualify(who, "as noted", **more)):
        event, _ = with_two_squads_owed()
        match = event.match("2.1").match
        leaver, stays = match.b, match.a
        assert leaver is not None
        stood = squads_result([1, 2], [1, 2])
        with refused("squads_lost") as caught:
            event.tell(leave(leaver, stood=stood))
        assert (caught.value.params["competitor"], caught.value.params["squads"]) == (stays, "C D")
        kept, *_ = event.tell(leave(leaver, stood=stood, lets_go=caught.value.params["lost"]))
        assert kept.data["lets_go"] == f"{stays}: C D"
        event, _ = with_two_squads_owed()
        kept, *_ = event.tell(leave(leaver, stood=squads_result([3, 4], [1, 2])))
        assert "lets_go" not in kept.data


def test_whatever_was_open_at_the_end_can_be_read_again_in_the_event_file() -> None:
    kinds = {*KINDS, FINISHED_EARLY, TIE_OPEN, SQUADS_OWED, SQUADS_UNFIELDED, APPEAL_OPEN}
    event = Event().play().settle()
    event.tell(c.FinishEvent("the hall closes"))
    file = tournament_to_json(whole_tournament(event.state, {}))
    file["played_on"][0]["points"] = [{"kind": kind} for kind in sorted(kinds)]
    assert tournament_to_json(tournament_from_json(file))["played_on"] == file["played_on"]


# --- the clock ---------------------------------------------------------------------------------------------------


def test_a_published_round_has_its_minutes_and_waits_for_the_start() -> None:
    event = Event(options={"stages": {"swiss": {"minutes": 60}}})
    with refused("no_round_to_time"):
        event.tell(c.SetClock("start"))
    event.play()
    assert (event.state.clock.state, event.state.clock.remaining_ms) == ("idle", 60 * MINUTE)


def test_start_pause_adjust_set() -> None:
    event = Event().play()
    event.tell(c.SetClock("start"))
    with refused("clock_runs"):
        event.tell(c.SetClock("start"))
    event.now_ms += 5 * MINUTE
    event.tell(c.SetClock("adjust", 2 * MINUTE))
    assert event.state.clock.state == RUNNING
    assert event.state.clock.remaining_at(event.now.instant) == 72 * MINUTE
    event.now_ms += 1 * MINUTE
    event.tell(c.SetClock("pause"))
    assert (event.state.clock.state, event.state.clock.remaining_ms) == (PAUSED, 71 * MINUTE)
    with refused("clock_stands"):
        event.tell(c.SetClock("pause"))
    event.now_ms += 30 * MINUTE
    event.tell(c.SetClock("start"))
    event.tell(c.SetClock("set", 10 * MINUTE))
    assert event.state.clock.remaining_at(event.now.instant) == 10 * MINUTE


def test_time_runs_below_zero_and_ends_with_the_round() -> None:
    event = Event().play()
    event.tell(c.SetClock("start"))
    event.now_ms += 80 * MINUTE
    assert event.state.clock.remaining_at(event.now.instant) == -5 * MINUTE
    event.settle()
    event.tell(c.DrawRound(1))
    assert event.state.clock.remaining_ms is None


def test_a_drop_and_a_correction_do_not_touch_the_clock() -> None:
    event = Event().play()
    event.tell(c.SetClock("start"))
    before = event.state.clock
    event.tell(c.DropCompetitor("p1", score(0, 0)))
    result = next(m.match.result for m in event.state.rounds[0].matches if m.match.result)
    assert result.ended == CONCESSION
    assert event.state.clock == before


@pytest.mark.parametrize("kind", sorted(APPLY_RESULTS))
def test_what_an_entry_says_of_a_match_that_is_not_there_changes_no_match(kind: str) -> None:
    """A draw that was taken back takes its matches with it; entries of other cores may name them still."""
    event = Event().play()
    said = {
        "match": "9.9",
        "result": None,
        "side": "a",
        "about": "first_player",
        "present": "p1",
        "absent": "p2",
        "picks": [1, 2],
        "seen": 0,
        "table": 1,
        "report_id": "r1",
        "body": "b1",
        "fate": "accepted",
        "reason": None,
    }
    before = event.state
    entry = chain_entry(NewEntry(kind, said), "e1", before.number + 1, before.head, event.now, "unit:table-1")
    after = apply(before, entry)
    assert (after.number, after.head) == (entry.number, entry.hash)
    assert (after.rounds, after.entrants) == (before.rounds, before.entrants)
