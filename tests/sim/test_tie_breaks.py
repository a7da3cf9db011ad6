"""Tie-break rounds played out by the hundred: the independent checker's word, and plain sense, on each place."""

from collections import Counter

import pytest
from tie_break_events import Story, as_file, beaten, publish, tell, tied_event, won

from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import upcoming_stage
from roundtap_core.records import TIEBREAK


def play(seeds: range) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        story = Story(seed).play()
        assert not story.wrong, (seed, story.wrong)
        seen += story.seen
    return seen


@pytest.mark.parametrize("hundred", range(2))
def test_ties_of_three_to_seven_are_played_out_as_the_document_reads(hundred: int) -> None:
    seen = play(range(100 * hundred, 100 * (hundred + 1)))
    assert set(seen) >= {"played", "leaves", "disqualified", "no-show", "both lose", "left between", "corrected"}


@pytest.mark.long
@pytest.mark.parametrize("thousand", range(20))
def test_twenty_thousand_of_them(thousand: int) -> None:
    play(range(10_000 + 1000 * thousand, 10_000 + 1000 * (thousand + 1)))


@pytest.mark.parametrize("seed", range(40))
def test_of_three_in_a_circle_nobody_takes_or_loses_the_prize_unplayed(seed: int) -> None:
    """Single elimination: two games, and the winner has beaten both, or the one who had beaten the other."""
    state, games = tied_event(True, 3, 0, 1, 0, seed), 0
    while upcoming_stage(state) == TIEBREAK:
        games += 1
        state = publish(tell(state, c.DrawRound(seed, tiebreak_form="knockout")))
        for match in state.live.matches:
            state = tell(state, c.EnterResult(match.id, match.revision, won("ab"[(seed >> games) % 2])))
    over = beaten(as_file(state))
    assert games == 2
    assert any(len(others) == 2 for others in over.values())
    assert tell(state, c.FinishEvent()).finished


@pytest.mark.parametrize("form", ["each", "knockout"])
@pytest.mark.parametrize("tied", [4, 5, 6, 7])
def test_places_two_to_four_of_a_tie_below_a_leader(form: str, tied: int) -> None:
    """Nobody leaves: every place that counts is won, the one that does not is nobody's game."""
    for seed in range(3):
        story = Story(seed, dirt=0, circle=False, tied=tied, leaders=1, prizes=4, cut=0, form=form).play()
        assert not story.wrong, (seed, story.wrong)
        most = tied * (tied - 1) // 2
        assert story.seen["played"] >= (most if form == "each" else tied - 1)
        assert form == "each" or story.seen["played"] <= most
