"""Tie-break rounds in an event's course: they are played before the cut, and are no round that somebody misses."""

import pytest
from msgspec.structs import replace

from event_kit import Event, refused
from roundtap_core.check.check import violations
from roundtap_core.event import commands as c
from roundtap_core.event.cut import ANEW, KEEP, unfinished_parts
from roundtap_core.event.event_flow import offered_places, upcoming_stage, whole_tournament
from roundtap_core.event.states import OpenPoint, tournament_of
from roundtap_core.records import TIEBREAK, TIME, Result, SidePair
from roundtap_core.standings.standings import standings

DRAWN = Result(ended=TIME, winner="draw", score=SidePair(10, 10))

WON = Result(winner="a", score=SidePair(20, 0))


def all_tied(leaving: str = "") -> Event:
    """Eight have drawn both Swiss rounds: nothing but tie-break rounds can tell the first two."""
    event = Event(8, {"structure": "own", "swiss_rounds": 2, "cut": 2}, rulebook="warlords-of-terra", level=None)
    for _ in range(2):
        event.play()
        settle(event, DRAWN)
    if leaving:
        event.tell(c.DropCompetitor(leaving))
    return event


def settle(event: Event, result: Result | None = None) -> None:
    """The result at every table, or the lower number wins."""
    for match in event.state.live.open_matches:
        first = match.match.a < (match.match.b or "")
        won = Result(winner="a", score=SidePair(20, 0)) if first else Result(winner="b", score=SidePair(0, 20))
        event.tell(c.EnterResult(match.id, match.revision, result or won, reason="no clock runs here"))


def play_out(event: Event) -> None:
    while upcoming_stage(event.state) == TIEBREAK:
        event.play()
        settle(event)


def order(event: Event) -> list[str]:
    return [row.competitor for row in standings(tournament_of(event.state))]


def test_who_comes_back_has_missed_swiss_rounds_only() -> None:
    event = all_tied(leaving="p6")
    event.play()
    settle(event)
    event.tell(c.ReturnCompetitor("p6"))
    assert event.state.rounds[2].stage == TIEBREAK
    assert event.byes(3) == {}


def test_who_declines_a_place_keeps_what_the_tie_break_rounds_gave() -> None:
    event = all_tied()
    play_out(event)
    event.tell(c.MakeCut())
    event.tell(c.DropCompetitor("p2"))
    before = order(event)
    assert offered_places(event.state) == "p3"
    event.tell(c.DeclinePlace("p3"))
    assert order(event) == before == [f"p{n}" for n in range(1, 9)]
    assert violations(tournament_of(event.state)) == []


def test_a_correction_that_changes_the_tie_asks_what_becomes_of_the_tie_break_round() -> None:
    for choice, stages in ((ANEW, ["swiss", "swiss"]), (KEEP, ["swiss", "swiss", TIEBREAK])):
        event = all_tied()
        event.play()
        match = event.match("1.1")
        with refused("tiebreak_would_end"):
            event.tell(c.EnterResult("1.1", match.revision, WON, reason="misread"))
        event.tell(c.EnterResult("1.1", match.revision, WON, reason="misread", cut=choice))
        assert [played.stage for played in event.state.rounds] == stages
        assert event.match("1.1").match.result == WON


def test_people_who_change_places_between_two_ties_are_asked_about() -> None:
    """All places are prizes: two winners tie above, two losers below. A win turned round swaps one of each."""
    event = Event(
        4,
        {"structure": "own", "swiss_rounds": 1, "prize_places": 4, "cut": 0},
        rulebook="warlords-of-terra",
        level=None,
    )
    event.play()
    settle(event, WON)
    event.play()
    assert len(event.state.rounds[1].notes["ties"]) == 2
    turned = Result(winner="b", score=SidePair(0, 20))
    with refused("tiebreak_would_change"):
        event.tell(c.EnterResult("1.1", event.match("1.1").revision, turned, reason="misread"))


def test_a_kept_tie_break_round_of_three_is_the_right_one_when_the_result_is_put_right_again() -> None:
    event = Event(
        6,
        {"structure": "own", "swiss_rounds": 1, "prize_places": 1, "cut": 0},
        rulebook="warlords-of-terra",
        level=None,
    )
    event.play()
    settle(event, WON)
    event.play()
    was = event.match("1.1").match.result
    lower = Result(winner="a", score=SidePair(12, 0))
    event.tell(c.EnterResult("1.1", event.match("1.1").revision, lower, reason="misread", cut=KEEP))
    event.tell(c.EnterResult("1.1", event.match("1.1").revision, was, reason="it was right"))
    assert event.state.rounds[1].stage == TIEBREAK


def test_a_tie_break_round_that_was_kept_is_the_right_one_when_the_result_is_put_right_again() -> None:
    event = all_tied()
    event.play()
    was = event.match("1.1").match.result
    event.tell(c.EnterResult("1.1", event.match("1.1").revision, WON, reason="misread", cut=KEEP))
    event.tell(c.EnterResult("1.1", event.match("1.1").revision, was, reason="it was right"))
    assert [played.stage for played in event.state.rounds] == ["swiss", "swiss", TIEBREAK]


@pytest.mark.parametrize(("players", "key"), [(4, "tiebreak_would_end"), (6, "tiebreak_would_change")])
def test_whether_anybody_is_tied_after_a_correction_is_said(players: int, key: str) -> None:
    """One of two winners wins lower, or one of three: nobody is left in the tie, or two are."""
    event = Event(
        players,
        {"structure": "own", "swiss_rounds": 1, "prize_places": 1, "cut": 0},
        rulebook="warlords-of-terra",
        level=None,
    )
    event.play()
    settle(event, WON)
    event.play()
    assert event.state.rounds[1].stage == TIEBREAK
    with refused(key):
        event.tell(
            c.EnterResult(
                "1.1", event.match("1.1").revision, Result(winner="a", score=SidePair(12, 0)), reason="misread"
            )
        )


def test_a_tie_break_round_in_which_somebody_has_reported_is_not_taken_back_by_a_correction() -> None:
    event = all_tied()
    event.play()
    first = event.state.rounds[2].matches[0]
    event.tell(c.EnterResult(first.id, first.revision, WON, reason="no clock runs here"))
    for choice in ("", ANEW):
        with refused("tiebreak_has_word"):
            event.tell(c.EnterResult("1.1", event.match("1.1").revision, WON, reason="misread", cut=choice))
    event.tell(c.EnterResult("1.1", event.match("1.1").revision, WON, reason="misread", cut=KEEP))
    assert event.state.rounds[2].matches[0].match.result == WON


@pytest.mark.parametrize("leaving", ["", "p6"])
def test_finishing_with_a_tie_at_a_place_that_counts_names_everybody_in_it_those_who_left_too(leaving: str) -> None:
    event = all_tied(leaving)
    with refused("finish_early_no_reason"):
        event.tell(c.FinishEvent())
    event.tell(c.FinishEvent("the hall closes"))
    (line,) = event.state.played_on
    assert set(line.points) == {OpenPoint("tie_open", f"p{n}") for n in range(1, 9)}
    # Reopened, the tie is still open: whoever ends the event again is told, and asked.
    event.tell(c.ReopenEvent())
    with refused("finish_early_no_reason"):
        event.tell(c.FinishEvent())
    event.tell(c.FinishEvent("they share the prize"))
    assert [(said.points, said.reason) for said in event.state.played_on] == [
        (line.points, "the hall closes"),
        (line.points, "they share the prize"),
    ]


def test_a_tie_of_one_who_stays_with_one_who_left_is_named_though_nobody_can_play_it_out() -> None:
    event = Event(
        2,
        {"structure": "own", "swiss_rounds": 1, "prize_places": 1, "cut": 0},
        rulebook="warlords-of-terra",
        level=None,
    )
    event.play()
    settle(event, DRAWN)
    event.tell(c.DropCompetitor("p2"))
    with refused("finish_early_no_reason"):
        event.tell(c.FinishEvent())
    event.tell(c.FinishEvent("p2 has gone home"))
    assert set(event.state.played_on[0].points) == {OpenPoint("tie_open", "p1"), OpenPoint("tie_open", "p2")}


def three_tied(**options: object) -> Event:
    """p1, p3 and p5, say, have won their one game alike."""
    given = {"structure": "own", "swiss_rounds": 1, "prize_places": 1, "cut": 0, **options}
    event = Event(6, given, rulebook="warlords-of-terra", level=None)
    event.play()
    settle(event, WON)
    event.tell(c.DrawRound(1, tiebreak_form="knockout"))
    draft = event.state.draft
    event.tell(c.PublishRound(draft.number, 1))
    settle(event, WON)
    return event


def test_after_one_game_of_three_neither_the_cut_nor_the_end_is_there_yet() -> None:
    cut = three_tied(cut=2, prize_places=0)
    with refused("tiebreak_due"):
        cut.tell(c.MakeCut())
    prize = three_tied()
    with refused("finish_early_no_reason"):
        prize.tell(c.FinishEvent())
    (waits,) = {who for tie in prize.state.rounds[1].notes["ties"] for who in tie} - {
        who for m in prize.state.rounds[1].matches for who in (m.match.a, m.match.b)
    }
    assert {point.who for point in unfinished_parts(prize.state)} == {prize.state.rounds[1].matches[0].match.a, waits}
    prize.play()
    settle(prize, WON)
    prize.tell(c.FinishEvent())
    assert violations(tournament_of(prize.state)) == []


def test_a_tie_break_result_put_right_while_the_next_one_is_played_asks_what_becomes_of_that() -> None:
    event = three_tied()
    event.play()
    turned = Result(winner="b", score=SidePair(0, 20))
    with refused("tiebreak_would_change"):
        event.tell(c.EnterResult("2.1", event.match("2.1").revision, turned, reason="misread"))
    event.tell(c.EnterResult("2.1", event.match("2.1").revision, turned, reason="misread", cut=ANEW))
    assert len(event.state.rounds) == 2
    assert upcoming_stage(event.state) == TIEBREAK


def test_what_is_named_at_an_early_end_is_every_open_tie_also_that_of_those_who_are_there() -> None:
    """Who had won the first game leaves: the two others are to play; the deviation names all three."""
    event = three_tied()
    event.tell(c.DropCompetitor(event.state.rounds[1].matches[0].match.a))
    event.tell(c.FinishEvent("the hall closes"))
    assert len(event.state.played_on[0].points) == 3
    assert [p.key for p in violations(tournament_of(event.state))] == []


def cut_of_four() -> Event:
    """Three won their only Swiss round with SCORE 20, 10 and 5, so nobody is tied: they and the last loser go on."""
    event = Event(6, {"structure": "own", "swiss_rounds": 1, "cut": 4}, rulebook="warlords-of-terra", level=None)
    event.play()
    for match, life in (("1.1", 20), ("1.2", 10), ("1.3", 5)):
        event.tell(c.EnterResult(match, 0, Result(winner="a", score=SidePair(life, 0))))
    event.tell(c.MakeCut())
    return event


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize(("match", "life"), [("1.1", 10), ("1.2", 20)])
def test_a_correction_that_ties_two_who_made_the_cut_is_asked_about_and_played(
    match: str, life: int, published: bool
) -> None:
    """2.4.2: whether the lot would order the two as the cut did, or the other way round."""
    for choice, stage in ((ANEW, TIEBREAK), (KEEP, "elimination")):
        event = cut_of_four()
        if published:
            event.play()
        tied = [event.match(each).match.a for each in ("1.1", "1.2")]
        corrected = c.EnterResult(match, 1, Result(winner="a", score=SidePair(life, 0)), reason="misread")
        with refused("cut_would_tie"):
            event.tell(corrected)
        kinds = event.kinds(replace(corrected, cut=choice))
        withdrawn = ["round-withdrawn"] * published + ["cut-withdrawn"]
        assert kinds == [*(withdrawn if choice == ANEW else []), "result-entered"]
        if choice == ANEW:
            event.play()
            assert sorted(event.state.rounds[1].notes["ties"][0]) == sorted(tied)
            settle(event)
            event.tell(c.MakeCut())
            assert list(event.state.cut.seeds[:2]) == sorted(tied)  # type: ignore[union-attr]
        if not published or choice == ANEW:
            event.play()
        assert event.state.rounds[1].stage == stage
        settle(event)
        assert violations(whole_tournament(event.state, {})) == []
