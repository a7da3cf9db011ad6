"""A second stage in Swiss rounds, instead of elimination: the qualified play on among themselves (Shatterpoint)."""

from itertools import combinations

import pytest
from msgspec.structs import replace

from event_kit import Event, refused
from roundtap_core.check.check import violations
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import CUT, OVER, current_bracket, current_seeds, upcoming_stage
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import SECOND_SWISS, SWISS, Competitor, Match, Result, Round, SidePair, Tournament
from roundtap_core.rounds.next_round import next_round, next_stage
from roundtap_core.standings.standings import standings

OPTIONS = {"structure": "own", "swiss_rounds": 3, "cut": 4, "second_stage": SECOND_SWISS}
LEFT_SIDE_WINS = Result(score=SidePair(2, 0), wounds=SidePair(4, 1), picks={"a": [1, 2], "b": [3, 4]})


def event(players: int = 8, **options: object) -> Tournament:
    people = tuple(Competitor(f"p{i}", f"Player {i}") for i in range(1, players + 1))
    return Tournament("Two stages", "shatterpoint-premier", options={**OPTIONS, **options}, seed=3, competitors=people)


def played(tournament: Tournament, rounds: int) -> Tournament:
    """So many rounds more; who sits left wins."""
    for _ in range(rounds):
        drawn = next_round(tournament)
        squads = [1, 2] if drawn.number % 2 else [3, 4]
        result = replace(LEFT_SIDE_WINS, picks={"a": squads, "b": squads})
        matches = tuple(m if m.bye else replace(m, result=result) for m in drawn.matches)
        following = Round(drawn.number, drawn.stage, matches, drawn.draw)
        tournament = replace(tournament, rounds=(*tournament.rounds, following))
    return tournament


def who(matches: tuple[Match, ...]) -> set[str]:
    return {competitor for match in matches for competitor in (match.a, match.b) if competitor}


def test_only_the_qualified_play_on_in_rounds_for_as_many_as_they_are() -> None:
    after_cut = played(event(), 3)
    first_four = {row.competitor for row in standings(after_cut)[:4]}
    whole = played(after_cut, 3)
    assert [r.stage for r in whole.rounds] == [SWISS] * 3 + [SECOND_SWISS] * 3
    assert all(who(r.matches) == first_four for r in whole.stage_rounds(SECOND_SWISS))
    with pytest.raises(Problem, match="3"):
        next_round(whole)


def test_nobody_meets_twice_in_the_second_stage_but_may_meet_again_from_the_first() -> None:
    whole = played(event(), 6)
    second = [frozenset((m.a, m.b or "")) for r in whole.stage_rounds(SECOND_SWISS) for m in r.matches]
    assert sorted(map(sorted, second)) == sorted(map(sorted, combinations(sorted(who(whole.rounds[-1].matches)), 2)))
    assert violations(whole) == []


def test_points_go_on_and_who_made_the_cut_stays_above_who_did_not() -> None:
    whole = played(event(), 6)
    rows = standings(whole)
    assert {row.competitor for row in rows[:4]} == who(whole.rounds[-1].matches)
    assert [row.rounds for row in rows] == [6] * 4 + [3] * 4
    assert rows[3].decided_by == "cut"
    assert sum(row.points for row in rows) == 3 * (3 * 4 + 3 * 2)


def test_without_the_option_elimination_follows_the_cut() -> None:
    after_cut = played(event(second_stage="elimination"), 3)
    assert next_stage(after_cut) == "elimination"


def test_it_is_no_choice_under_other_rulebooks() -> None:
    other = replace(event(), rulebook="keyforge-archon")
    assert [problem.where for problem in violations(other)] == ["/options/second_stage"]


def test_the_file_keeps_it() -> None:
    whole = played(event(), 5)
    assert tournament_from_json(tournament_to_json(whole)) == whole


def test_at_the_hub_the_cut_leads_to_a_second_stage_and_that_to_the_end() -> None:
    hub = Event(8, OPTIONS, rulebook="shatterpoint-premier")
    for _ in range(3):
        hub.play()
        finish_round(hub)
    assert upcoming_stage(hub.state) == CUT
    hub.tell(c.MakeCut())
    four = set(current_seeds(hub.state))
    for _ in range(3):
        assert upcoming_stage(hub.state) == SWISS
        hub.play()
        assert who(tuple(m.match for m in hub.state.live.matches)) == four
        finish_round(hub)
    assert upcoming_stage(hub.state) == OVER
    with refused("elimination_begun"):
        hub.enter("latecomer")
    assert current_bracket(hub.state) is None


def finish_round(hub: Event) -> None:
    for match in hub.state.live.open_matches:
        squads = [1, 2] if len(hub.state.rounds) % 2 else [3, 4]
        result = replace(LEFT_SIDE_WINS, picks={"a": squads, "b": squads})
        hub.tell(c.EnterResult(match.id, match.revision, result))


def in_the_second_stage(**options: object) -> Event:
    """Its first round is played."""
    hub = Event(8, {**OPTIONS, **options}, rulebook="shatterpoint-premier")
    for _ in range(3):
        hub.play()
        finish_round(hub)
    hub.tell(c.MakeCut())
    hub.play()
    finish_round(hub)
    return hub


def test_who_leaves_it_comes_back_into_it_with_a_loss_for_each_round_missed() -> None:
    hub = in_the_second_stage()
    gone = current_seeds(hub.state)[0]
    hub.tell(c.DropCompetitor(gone))
    hub.play()
    finish_round(hub)
    hub.tell(c.ReturnCompetitor(gone))
    assert hub.byes(5)[gone] == "unpaired-loss"
    hub.play()
    assert gone in who(tuple(m.match for m in hub.state.live.matches))


def test_who_left_before_it_does_not_come_into_it() -> None:
    hub = in_the_second_stage()
    outside = next(c for c in hub.state.entrants if c not in current_seeds(hub.state))
    hub.tell(c.DropCompetitor(outside))
    with refused("stage_is_over"):
        hub.tell(c.ReturnCompetitor(outside))


def test_its_rounds_are_as_long_as_all_swiss_rounds() -> None:
    hub = in_the_second_stage(stages={"swiss": {"minutes": 100}})
    assert hub.state.clock.total_ms == 100 * 60_000
