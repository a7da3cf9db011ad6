"""An event's journey from the last Swiss round to the champion: cut, offers, elimination rounds, who leaves when."""

from typing import Any

import pytest
from msgspec.structs import replace

from event_kit import MINUTE, Event, refused, score
from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import Bracket, bracket_of
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.abandoned_match import KNOCKOUT, OUT, leave_effect
from roundtap_core.event.cut import diverged_places, final_order
from roundtap_core.event.event_flow import (
    CUT,
    OVER,
    current_bracket,
    current_seeds,
    offered_places,
    stage_of_match,
    upcoming_stage,
    whole_tournament,
)
from roundtap_core.event.states import Entrant, state_digest, tournament_of
from roundtap_core.eventfile.exports import round_to_json, tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import CONCESSION, ELIMINATION, SWISS, Result
from roundtap_core.standings.standings import standings
from roundtap_core.wire import digest


def after_swiss(players: int = 12, **options: Any) -> Event:
    """Both Swiss rounds are played, nothing is cut yet."""
    event = Event(players, {"structure": "own", "swiss_rounds": 2, "cut": 8, **options})
    return event.play().settle().play().settle()


def cut(players: int = 12, **options: Any) -> Event:
    event = after_swiss(players, **options)
    event.tell(c.MakeCut())
    return event


def order(event: Event) -> list[str]:
    return [row.competitor for row in standings(tournament_of(event.state))]


def bracket(event: Event) -> Bracket:
    found = current_bracket(event.state)
    assert found is not None
    return found


def places_in_the_bracket(event: Event) -> list[tuple[str, int | None, str | None]]:
    return [
        (each.competitor, each.rank, each.reached) for each in final_ranking(tournament_of(event.state)) if each.reached
    ]


def test_after_the_swiss_rounds_comes_the_cut_not_a_draw() -> None:
    event = after_swiss()
    assert upcoming_stage(event.state) == CUT
    with refused("cut_not_made"):
        event.tell(c.DrawRound(1))
    made = event.tell(c.MakeCut())
    assert [entry.kind for entry in made] == ["round-closed", "cut-made"]
    assert list(current_seeds(event.state)) == order(event)[:8]
    assert made[1].data["seeds"] == order(event)[:8]
    with refused("cut_is_made"):
        event.tell(c.MakeCut())


def test_a_cut_needs_its_rounds_its_results_and_a_plan() -> None:
    event = Event(12, {"structure": "own", "swiss_rounds": 2, "cut": 8}).play()
    with refused("results_missing"):
        event.tell(c.MakeCut())
    event.settle()
    with refused("cut_too_early"):
        event.tell(c.MakeCut())
    none = after_swiss(cut=0)
    assert upcoming_stage(none.state) == OVER
    with refused("no_cut_planned"):
        none.tell(c.MakeCut())
    with refused("all_rounds_played"):
        none.tell(c.DrawRound(1))


def test_the_whole_way_to_the_champion() -> None:
    event = cut(third_place_match=True)
    lengths = []
    for _ in range(3):
        event.play()
        lengths.append(event.state.clock.total_ms)
        event.settle()
    assert lengths == [75 * MINUTE, 75 * MINUTE, 120 * MINUTE]
    assert [r.stage for r in event.state.rounds] == [SWISS] * 2 + [ELIMINATION] * 3
    assert upcoming_stage(event.state) == OVER
    assert bracket(event).champion == order(event)[0]
    assert [m.match.game for m in event.state.rounds[-1].matches] == [1, "third"]
    with refused("bracket_decided"):
        event.tell(c.DrawRound(1))
    event.tell(c.FinishEvent("the hall closes"))
    assert event.state.finished


def test_only_who_is_still_in_the_bracket_gives_the_next_opponent_a_bye_by_leaving() -> None:
    event = cut()
    event.play().settle()
    found = bracket(event)
    through, beaten, outside = found.games[0].winner, found.games[0].losers[0], order(event)[-1]
    assert [leave_effect(event.state, who or "").what for who in (through, beaten, outside)] == [KNOCKOUT, OUT, OUT]


def test_the_stages_have_minutes_of_their_own() -> None:
    event = cut(cut=4, stages={"elimination": {"minutes": 60}, "final": {"minutes": None}})
    event.play()
    assert event.state.clock.total_ms == 60 * MINUTE
    event.settle().play()
    assert event.state.clock.total_ms is None
    semifinals, final = event.state.rounds[-2:]
    assert [stage_of_match(event.state, semifinals, match) for match in semifinals.matches] == [ELIMINATION] * 2
    assert [stage_of_match(event.state, final, match) for match in final.matches] == ["final"]


def test_a_qualified_player_who_leaves_is_replaced_by_whoever_accepts() -> None:
    event = cut()
    seeds = order(event)
    event.tell(c.DrawRound(1))
    kinds = event.kinds(c.DropCompetitor(seeds[5]))
    assert kinds == ["draft-discarded", "competitor-dropped"]
    assert offered_places(event.state) == seeds[8]
    with refused("offer_unanswered"):
        event.tell(c.DrawRound(1))
    with refused("not_offered"):
        event.tell(c.AcceptPlace(seeds[9]))
    event.tell(c.DeclinePlace(seeds[8]))
    assert offered_places(event.state) == seeds[9]
    event.tell(c.AcceptPlace(seeds[9]))
    assert offered_places(event.state) is None
    assert list(current_seeds(event.state)) == [*seeds[:5], *seeds[6:8], seeds[9]]
    event.play()
    assert event.match("3.1").match.b == seeds[9]
    with refused("not_offered"):
        event.tell(c.AcceptPlace(seeds[10]))


def test_a_published_round_of_which_no_game_has_started_frees_its_place_yet() -> None:
    """ "Noch bevor ein Spiel im nächsten Abschnitt gespielt worden ist": the sixth leaves, the ninth comes in last."""
    event = cut().play()
    seeds, ranked = current_seeds(event.state), order(event)
    told = event.kinds(c.DropCompetitor(seeds[5]))
    assert told == ["round-withdrawn", "competitor-dropped"]
    assert event.state.entrants[seeds[5]].dropped_after == 2
    assert event.state.live is None
    assert offered_places(event.state) == ranked[8]
    with refused("offer_unanswered"):
        event.tell(c.DrawRound(1))
    event.tell(c.AcceptPlace(ranked[8]))
    assert list(current_seeds(event.state)) == [*seeds[:5], *seeds[6:8], ranked[8]]
    event.play()
    assert (event.match("3.1").match.a, event.match("3.1").match.b) == (seeds[0], ranked[8])
    assert event.match("3.1").match.result is None
    event.settle().play().settle().play().settle()
    assert bracket(event).champion is not None


@pytest.mark.parametrize("published", [False, True])
def test_a_place_that_nobody_has_taken_yet_is_there_for_who_comes_back(published: bool) -> None:
    event = cut()
    if published:
        event.play()
    seeds, ranked = current_seeds(event.state), order(event)
    event.tell(c.DropCompetitor(seeds[5]))
    event.tell(c.ReturnCompetitor(seeds[5]))
    assert current_seeds(event.state) == seeds
    assert offered_places(event.state) is None
    event.tell(c.DropCompetitor(seeds[5]))
    event.tell(c.AcceptPlace(ranked[8]))
    with refused("places_taken"):
        event.tell(c.ReturnCompetitor(seeds[5]))
    event.tell(c.DropCompetitor(ranked[10]))
    with refused("stage_is_over"):
        event.tell(c.ReturnCompetitor(ranked[10]))


def test_a_disqualification_before_the_first_game_frees_the_place_too() -> None:
    event = cut().play()
    seeds, ranked = current_seeds(event.state), order(event)
    assert event.kinds(c.Disqualify(seeds[0], "sleeves marked")) == ["round-withdrawn", "competitor-disqualified"]
    assert offered_places(event.state) == ranked[8]
    # Who has not made the cut leaves nothing behind.
    started = cut().play()
    assert started.kinds(c.DropCompetitor(order(started)[10])) == ["competitor-dropped"]
    assert started.state.live is not None


@pytest.mark.parametrize("rulebook", ["xwing-standard", "xwing-epic-duel", "keyforge-archon"])
@pytest.mark.parametrize("begins", ["clock", "result", "report", "no-show"])
def test_the_stage_begins_with_its_first_game(begins: str, rulebook: str) -> None:
    won = {
        "xwing-standard": score(100, 24),
        "xwing-epic-duel": score(300, 24, winner="a"),
        "keyforge-archon": score(1, 0),
    }[rulebook]
    event = Event(12, {"structure": "own", "swiss_rounds": 1, "cut": 8}, rulebook=rulebook, level=None)
    event.play()
    for match in event.state.live.open_matches:
        event.tell(c.EnterResult(match.id, match.revision, won))
    event.tell(c.MakeCut())
    event.play()
    seeds = current_seeds(event.state)
    if begins == "clock":
        event.tell(c.SetClock("start"))
    elif begins == "result":
        event.tell(c.EnterResult("2.2", 0, won))
    elif begins == "report":
        event.report("a", won, "2.2")
    else:
        event.tell(c.NoShow("2.2", event.match("2.2").match.a))
    event.tell(c.DropCompetitor(event.match("2.1").match.a, score(0, 0)))
    assert offered_places(event.state) is None
    assert event.state.live is not None
    assert event.match("2.1").match.result == Result(ended=CONCESSION, conceded_by="a")
    assert current_seeds(event.state) == seeds


def test_once_the_stage_has_begun_nobody_comes_in() -> None:
    event = cut().play()
    seeds = current_seeds(event.state)
    event.tell(c.SetClock("start"))
    event.tell(c.DropCompetitor(seeds[0], score(0, 0)))
    assert offered_places(event.state) is None
    assert event.match("3.1").match.result == Result(ended=CONCESSION, conceded_by="a")
    assert current_seeds(event.state) == seeds
    with refused("elimination_begun"):
        event.tell(c.WithdrawCut())
    with refused("elimination_begun"):
        event.enter("late")
    event.settle().play()
    assert event.match("4.1").match.a == seeds[7]


def test_with_nobody_left_to_ask_the_first_seed_has_a_bye() -> None:
    event = cut(players=9)
    seeds = order(event)
    event.tell(c.DropCompetitor(seeds[3]))
    event.tell(c.DeclinePlace(seeds[8]))
    assert offered_places(event.state) is None
    event.play()
    assert event.byes(3) == {seeds[0]: "bye"}


def test_a_drawn_bracket_is_not_drawn_again() -> None:
    event = cut()
    event.tell(c.DrawRound(1))
    with refused("bracket_is_fixed"):
        event.tell(c.DrawRound(2))
    event.tell(c.DiscardDraft())
    event.play()
    assert event.state.live is not None


def test_the_cut_can_be_taken_back() -> None:
    event = cut()
    event.tell(c.WithdrawCut())
    assert upcoming_stage(event.state) == CUT
    with refused("no_cut_yet"):
        event.tell(c.WithdrawCut())


def test_a_correction_that_changes_who_is_in_is_asked_about_until_the_first_game_has_started() -> None:
    """Whether the round after the cut is published or not: nothing has been played on it."""
    for published in (False, True):
        event = cut()
        if published:
            event.play()
        seeds = list(current_seeds(event.state))
        corrected = c.EnterResult("2.1", event.match("2.1").revision, score(0, 100), reason="misread")
        with refused("cut_would_change"):
            event.tell(corrected)
        assert list(current_seeds(event.state)) == seeds
        rounds = ["round-withdrawn"] if published else []
        assert event.kinds(replace(corrected, cut="anew")) == [*rounds, "cut-withdrawn", "cut-made", "result-entered"]
        assert list(current_seeds(event.state)) == order(event)[:8] != seeds


def test_a_cut_that_is_made_again_keeps_who_declined_and_asks_nobody_anew() -> None:
    event = cut(cut=4)
    first, second = current_seeds(event.state)[:2]
    event.tell(c.DropCompetitor(first))
    offered_first = offered_places(event.state)
    assert offered_first is not None
    event.tell(c.DeclinePlace(offered_first))
    event.tell(c.AcceptPlace(offered_places(event.state) or ""))
    event.tell(c.EnterResult("2.1", event.match("2.1").revision, score(0, 100), reason="misread", cut="anew"))
    assert event.state.cut.declined == (offered_first,)
    assert offered_first not in current_seeds(event.state)
    assert len(current_seeds(event.state)) == 4
    assert second in event.state.cut.order


def test_what_a_kept_cut_no_longer_fits_is_not_asked_again_by_a_correction_that_changes_nothing_of_it() -> None:
    event = cut()
    event.tell(c.EnterResult("2.1", event.match("2.1").revision, score(0, 100), reason="misread", cut="keep"))
    kept = event.state.cut
    asked = []
    for match in (f"{n}.{table}" for n in (1, 2) for table in range(2, 7)):
        result = event.match(match).match.result
        nearly = score(*(max(0, figure - 1) if figure < 100 else figure for figure in (result.score.a, result.score.b)))
        try:
            event.tell(c.EnterResult(match, event.match(match).revision, nearly, reason="misread"))
        except Problem as problem:
            asked.append(problem.key)
        assert event.state.cut == kept
    assert len(asked) < 10


def test_a_kept_cut_is_asked_about_no_more_once_it_is_the_right_one_again() -> None:
    event = cut()
    kept, was = event.state.cut, event.match("2.1").match.result
    event.tell(c.EnterResult("2.1", event.match("2.1").revision, score(0, 100), reason="misread", cut="keep"))
    told = event.kinds(c.EnterResult("2.1", event.match("2.1").revision, was, reason="it was right"))
    assert told == ["result-entered"]
    assert event.state.cut == kept


def test_a_cut_that_is_kept_stays_whatever_the_table_says_now() -> None:
    event = cut()
    seeds, before = list(current_seeds(event.state)), order(event)
    corrected = c.EnterResult("2.1", event.match("2.1").revision, score(0, 100), reason="misread", cut="keep")
    assert event.kinds(corrected) == ["result-entered"]
    assert order(event) != before
    event.play()
    assert bracket(event).seeds == tuple(seeds)
    assert bracket(event).standing == tuple(before)


def test_a_correction_that_changes_no_seed_is_not_asked_about_and_offers_go_by_it() -> None:
    """Four of twelve are in; below them two change places: a place that becomes free is offered by the order of now."""
    event = cut(cut=4)
    seeds, before = list(current_seeds(event.state)), order(event)
    event.tell(c.EnterResult("2.5", event.match("2.5").revision, score(100, 99), reason="misread"))
    assert list(current_seeds(event.state)) == seeds == order(event)[:4]
    assert list(event.state.cut.order) == order(event) != before


def test_once_a_game_has_started_a_correction_changes_the_swiss_table_and_nothing_after_it() -> None:
    """Champion, seeds, the bracket's places and the places of those who were in it stay; also as a file."""
    event = cut().play().settle().play().settle().play().settle()
    before, final = bracket(event), places_in_the_bracket(event)
    corrected = c.EnterResult("2.1", event.match("2.1").revision, score(0, 100), reason="misread")
    assert event.kinds(corrected) == ["result-entered"]
    assert list(before.standing) != order(event)
    after = bracket(event)
    assert (after.seeds, after.standing, after.champion) == (before.seeds, before.standing, before.champion)
    assert places_in_the_bracket(event) == final
    file = tournament_from_json(tournament_to_json(whole_tournament(event.state, {})))
    headless = bracket_of(file)
    assert (headless.seeds, headless.standing) == (before.seeds, before.standing)


def test_in_epic_too_those_in_the_bracket_keep_their_places() -> None:
    """There the cut goes by an order of its own, and who went out in the same round stands by Swiss rank."""
    won = score(300, 24, winner="a")
    event = Event(12, {"structure": "own", "swiss_rounds": 2, "cut": 8}, rulebook="xwing-epic-duel", level=None)

    def played() -> None:
        event.play()
        for match in event.state.live.open_matches:
            event.tell(c.EnterResult(match.id, match.revision, won))

    played()
    played()
    event.tell(c.MakeCut())
    played()
    before, file = places_in_the_bracket(event), tournament_to_json(whole_tournament(event.state, {}))
    last = before[-1][0]
    match = next(
        m
        for played in event.state.rounds[:2]
        for m in played.matches
        if m.match.b is not None and last in (m.match.a, m.match.b)
    )
    more = score(300, 290, winner="a") if match.match.b == last else score(300, 0, winner="a")
    event.tell(c.EnterResult(match.id, match.revision, more, reason="misread"))
    assert order(event) != [row.competitor for row in standings(tournament_from_json(file))]
    assert places_in_the_bracket(event) == before
    headless = tournament_from_json(tournament_to_json(whole_tournament(event.state, {})))
    assert [(each.competitor, each.rank, each.reached) for each in final_ranking(headless) if each.reached] == before


def test_what_another_version_of_the_kit_ended_otherwise_is_told() -> None:
    """By the note of its places; where an older journal has none, by the order that version went by: today's."""
    event = cut().play().settle().play().settle().play().settle()
    event.tell(c.EnterResult("2.1", event.match("2.1").revision, score(0, 100), reason="misread"))
    event.tell(c.FinishEvent())
    assert diverged_places(event.state) == []
    kept = final_order(tournament_of(event.state))
    assert event.state.ended_as == kept

    turned = replace(event.state, ended_as=(kept[0], kept[2], kept[1], *kept[3:]))
    assert diverged_places(turned) == [(2, kept[2], kept[1]), (3, kept[1], kept[2])]
    assert diverged_places(replace(event.state, ended_as=())) == []
    older = diverged_places(replace(event.state, ended_as=None))
    assert {was for _, was, _ in older} == {now for _, _, now in older} != set()

    event.tell(c.ReopenEvent())
    assert event.state.ended_as is None


def test_an_order_of_the_cut_that_the_swiss_rounds_do_not_give_is_named() -> None:
    event = cut().play().settle()
    file = tournament_to_json(whole_tournament(event.state, {}))
    assert violations(tournament_from_json(file)) == []
    turned = file["cut"]["order"]
    file["cut"]["order"] = [turned[1], turned[0], *turned[2:]]
    assert told_of_the_cut(file) == ["cut_order_differs", "cut_seed_differs"]


def told_of_the_cut(file: dict[str, Any]) -> list[str]:
    found = violations(tournament_from_json(file))
    return [problem.key for problem in found if problem.where.startswith("/cut") or problem.key == "not_in_cut"]


def test_seeds_that_the_order_of_the_cut_does_not_give_are_named() -> None:
    event = cut().play().settle()
    file = tournament_to_json(whole_tournament(event.state, {}))
    seeds, order = file["cut"]["seeds"], file["cut"]["order"]
    for lie in (seeds[::-1], [seeds[1], seeds[0], *seeds[2:]], [*seeds[:-1], order[-1]]):
        told = told_of_the_cut({**file, "cut": {**file["cut"], "seeds": lie}})
        assert told[0] == "cut_seed_differs"
        # The last lie leaves out somebody who plays.
        assert ("not_in_cut" in told) == (lie[-1] == order[-1])


def test_seeds_after_somebody_left_declined_and_was_not_there_are_right() -> None:
    event = cut()
    made = event.state.cut
    event.tell(c.DropCompetitor(made.seeds[1]))
    event.tell(c.DeclinePlace(made.order[made.size]))
    event.tell(c.PassOverAbsentees((made.seeds[0],)))
    for place in (1, 2):
        event.tell(c.AcceptPlace(made.order[made.size + place]))
    event.play().settle()
    assert told_of_the_cut(tournament_to_json(whole_tournament(event.state, {}))) == []


@pytest.mark.parametrize("keep", [True, False])
def test_a_correction_about_the_time_of_the_cut_leaves_its_order_open(keep: bool) -> None:
    event = cut()
    event.tell(
        c.EnterResult(
            "2.1", event.match("2.1").revision, score(0, 100), reason="misread", cut="keep" if keep else "anew"
        )
    )
    event.play().settle()
    assert violations(tournament_from_json(tournament_to_json(whole_tournament(event.state, {})))) == []


def test_whoever_left_comes_back_only_within_the_stage() -> None:
    event = after_swiss()
    seeds = order(event)
    event.tell(c.DropCompetitor(seeds[2]))
    event.tell(c.MakeCut())
    with refused("stage_is_over"):
        event.tell(c.ReturnCompetitor(seeds[2]))
    event.tell(c.WithdrawCut())
    event.tell(c.ReturnCompetitor(seeds[2]))
    event.tell(c.MakeCut())
    assert list(current_seeds(event.state)) == seeds[:8]
    event.play().settle()
    event.tell(c.DropCompetitor(seeds[0]))
    event.tell(c.ReturnCompetitor(seeds[0]))
    assert event.state.rounds[-1].matches[-1].match.bye is None
    event.play()
    assert event.match("4.1").match.a == seeds[0]
    with refused("never_left"):
        event.tell(c.ReturnCompetitor(seeds[1]))


def test_a_winner_stands_once_the_next_round_is_published() -> None:
    event = cut().play().settle().play()
    match = event.match("3.1")
    with refused("bracket_moved_on"):
        event.tell(c.EnterResult("3.1", match.revision, score(24, 100), reason="misread"))
    event.tell(c.EnterResult("3.1", match.revision, score(100, 30), reason="misread"))
    assert event.match("3.1").match.result == score(100, 30)


def test_before_that_a_correction_changes_who_goes_on() -> None:
    event = cut().play().settle()
    loser = event.match("3.1").match.b
    event.tell(c.DrawRound(1))
    event.tell(c.EnterResult("3.1", event.match("3.1").revision, score(24, 100), reason="misread"))
    assert event.state.draft is None
    event.play()
    assert event.match("4.1").match.a == loser


def test_a_no_show_in_elimination_keeps_its_game_number() -> None:
    event = cut().play()
    absent = event.match("3.1").match.a
    event.tell(c.NoShow("3.1", absent))
    assert event.match("3.1").match.game == 1
    came = event.match("3.1").match.a
    event.settle().play()
    assert event.match("4.1").match.a == came


def test_elimination_from_the_start() -> None:
    event = Event(6, {"structure": "own", "swiss_rounds": 0})
    assert upcoming_stage(event.state) == ELIMINATION
    event.tell(c.DrawRound(5))
    first = [m.match for m in event.state.draft.matches] if event.state.draft else []
    event.tell(c.DrawRound(5))
    again = [m.match for m in event.state.draft.matches] if event.state.draft else []
    assert first != again
    event.tell(c.PublishRound(1, 2))
    with refused("elimination_begun"):
        event.enter("late")
    event.settle().play().settle().play().settle()
    assert upcoming_stage(event.state) == OVER
    assert bracket(event).champion is not None


def test_exported_and_imported_it_goes_on_alike() -> None:
    event = cut(third_place_match=True)
    seeds = order(event)
    event.tell(c.DropCompetitor(seeds[5]))
    event.tell(c.DeclinePlace(seeds[8]))
    event.tell(c.AcceptPlace(seeds[9]))
    event.play().settle().play()
    # The file that officials get holds the cut; here it goes on without.
    file = replace(tournament_of(event.state), cut_order=())
    assert tournament_from_json(tournament_to_json(file)) == file

    again = Event(players=0, created=False)
    again.tell(c.CreateEvent(file.name, file.rulebook, file.level, file.options, "#0072B2", file.seed))
    for who in file.competitors:
        again.tell(c.EnterCompetitor(Entrant(who.id, "digest", dropped_after=who.dropped_after), imported=True))
    for played in file.rounds:
        again.tell(c.ImportRound(round_to_json(played)))
    assert tournament_of(again.state) == file
    assert bracket(again).seeds == bracket(event).seeds
    for one in (event, again):
        one.settle().play()
        assert one.state.clock.total_ms == 120 * MINUTE
    assert [m.match for m in again.state.rounds[-1].matches] == [m.match for m in event.state.rounds[-1].matches]


def test_the_digest_of_a_swiss_event_knows_nothing_of_cuts() -> None:
    """Rounds that were recorded before there were cuts keep the digest they had then."""
    event = after_swiss(players=4)
    as_ever = digest(
        {
            "entrants": [[who, None, None] for who in ("p1", "p2", "p3", "p4")],
            "rounds": [
                [
                    number,
                    "swiss",
                    [
                        [f"{number}.{i}", m.match.a, m.match.b, None, {"score": {"a": 100, "b": 24}}]
                        for i, m in enumerate(event.state.rounds[number - 1].matches, start=1)
                    ],
                ]
                for number in (1, 2)
            ],
        }
    )
    assert state_digest(event.state) == as_ever
    event.tell(c.MakeCut())
    assert state_digest(event.state) == as_ever


def test_who_was_absent_and_comes_in_after_somebody_below_has_the_seed_that_the_order_gives() -> None:
    """The order of the cut says seeds, bracket and who is the better placed: to the hub as to who reads the file."""
    event = cut()
    ranked, seeds = order(event), current_seeds(event.state)
    event.tell(c.PassOverAbsentees((ranked[8],)))
    event.tell(c.DropCompetitor(seeds[5]))
    event.tell(c.AcceptPlace(ranked[9]))
    event.tell(c.PassOverAbsentees(()))
    event.tell(c.DropCompetitor(seeds[3]))
    event.tell(c.AcceptPlace(ranked[8]))
    stands = (*seeds[:3], seeds[4], *seeds[6:8], ranked[8], ranked[9])
    assert current_seeds(event.state) == stands
    event.play()
    assert (event.match("3.1").match.a, event.match("3.1").match.b) == (seeds[0], ranked[9])
    assert current_seeds(event.state) == stands
    file = tournament_from_json(tournament_to_json(whole_tournament(event.state, {})))
    found = bracket_of(file)
    assert found.seeds == stands
    assert violations(file) == []
