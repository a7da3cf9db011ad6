"""What a table is walked through when time is called: KeyForge, Warlords, Shatterpoint, Epic, step by step."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from form_kit import form_to_json, next_step
from roundtap_core.check.check import violations
from roundtap_core.errors import Problem
from roundtap_core.forms.form import Form, compose_result, walk_way, way_and_answers
from roundtap_core.forms.questions import Choice, Turns
from roundtap_core.records import SIDES, Result, Side, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.rulebooks.result_gate import OFFICIAL, RECORD, ResultSource, result_problems
from roundtap_core.typed import parse_message
from rulebook_kit import (
    KNOCKOUT,
    asked,
    at_time,
    both,
    decided_by,
    event,
    form_of,
    game,
    made,
    refused_new,
    taken_new,
    way_of,
)

ARCHON = rulebook("keyforge-archon")
WARLORDS = rulebook("warlords-of-terra")
SHATTERPOINT = rulebook("shatterpoint-premier")
THREE = {"stages": {"swiss": {"best_of": 3}}}

ONE = way_of(ARCHON, "time")
OF_THREE = way_of(ARCHON, "time", **THREE)
NO_VICTORY = {"active": "a", "turns": ""}
TURNS = ["active", "turns"]
COUNTS = ["keys.winner", "keys.loser", "aember.winner", "aember.loser"]
HOUSES = {"house.winner": "Brobnar", "house.loser": "Mars"}
POTENTIAL = [*HOUSES, "creatures.winner", "creatures.loser", "bonus.winner", "bonus.loser"]


# KeyForge, "Tiempo agotado".

TONI_FERNANDO = {
    **NO_VICTORY,
    **both("keys", 1, 2),
    **both("aember", 9, 3),
    **HOUSES,
    **both("creatures", 4, 6),
    **both("bonus", 4, 1),
}

LEVEL = {**NO_VICTORY, **both("keys", 1, 1), **both("aember", 3, 3), **HOUSES}

STILL_LEVEL = {**LEVEL, **both("creatures", 2, 2), **both("bonus", 0, 0)}

DECKS = MatchSituation(houses=(("Brobnar", "Dis", "Shadows"), ()))

LAST_TURNS = way_of(WARLORDS, "time")

LIMIT = way_of(SHATTERPOINT, "time")
SQUADS = {"picks.winner": [1, 2], "picks.loser": [3, 4]}


def test_the_example_of_toni_and_fernando() -> None:
    """Keys 1:2, æmber 9:3; Toni forges: 2:2 and 3:3; Brobnar 4 + 4 against 6 + 1 of Mars."""
    assert asked(ONE, TONI_FERNANDO) == [*TURNS, *COUNTS, *POTENTIAL]
    assert decided_by(ONE, TONI_FERNANDO) == "potential"
    after = walk_way(ONE, TONI_FERNANDO).figures
    assert [after["keys", who] for who in ("winner", "loser")] == [2, 2]
    assert [after["aember", who] for who in ("winner", "loser")] == [3, 3]
    result = made(ARCHON, ONE, TONI_FERNANDO)
    assert (result.winner, result.score) == ("a", SidePair(1, 0))
    # It is kept as it was told, before anybody forged.
    assert result.timeout == {
        "active": "a",
        "keys": {"a": 1, "b": 2},
        "aember": {"a": 9, "b": 3},
        "house": {"a": "Brobnar", "b": "Mars"},
        "creatures": {"a": 4, "b": 6},
        "bonus": {"a": 4, "b": 1},
        "decided_by": "potential",
    }


def test_it_comes_out_the_same_when_fernando_opens() -> None:
    told = {
        **NO_VICTORY,
        **both("keys", 2, 1),
        **both("aember", 3, 9),
        "house.winner": "Mars",
        "house.loser": "Brobnar",
        **both("creatures", 6, 4),
        **both("bonus", 1, 4),
    }
    assert made(ARCHON, ONE, told, "b") == made(ARCHON, ONE, TONI_FERNANDO)


@pytest.mark.parametrize("winner", ["a", "b"])
def test_a_victory_in_the_last_turns_ends_it(winner: Side) -> None:
    """The active player finishes the turn; if that wins nothing the opponent has one more."""
    for active in ("a", "b"):
        answers = {"active": active, "turns": winner}
        assert asked(ONE, answers) == TURNS
        assert decided_by(ONE, answers) == "last_turns"
        assert made(ARCHON, ONE, answers).winner == winner


def test_there_are_two_last_turns_beginning_with_the_active_player() -> None:
    (turns,) = [step for step in ONE.steps if isinstance(step, Turns)]
    assert (turns.turns, turns.first) == (2, "active")


@pytest.mark.parametrize(
    ("keys", "aember", "winner", "step"),
    [
        # (1) six or more forge one key, and one only; (2) more keys.
        ((1, 1), (6, 5), "a", "keys"),
        ((0, 1), (5, 0), "b", "keys"),
        # One key for 18 æmber: 1:1, and 12 are left.
        ((0, 1), (18, 0), "a", "aember"),
        ((2, 1), (6, 6), "a", "keys"),
        ((1, 2), (12, 6), "b", "keys"),
        # (3) what æmber is left.
        ((1, 1), (5, 4), "a", "aember"),
        ((1, 1), (6, 7), "b", "aember"),
        ((1, 0), (5, 6), "a", "aember"),
    ],
)
def test_forging_then_keys_then_remaining_aember(
    keys: tuple[int, int], aember: tuple[int, int], winner: str, step: str
) -> None:
    answers = {**NO_VICTORY, **both("keys", *keys), **both("aember", *aember)}
    assert asked(ONE, answers) == [*TURNS, *COUNTS]
    assert decided_by(ONE, answers) == step
    assert made(ARCHON, ONE, answers).winner == winner


def test_three_keys_each_after_forging_are_no_victory() -> None:
    """Both forge the third one at the same time: on to the æmber that is left, then to the potential."""
    assert next_step(ONE, {**NO_VICTORY, **both("keys", 2, 2), **both("aember", 6, 6)}).name == "house.winner"  # type: ignore[union-attr]
    assert decided_by(ONE, {**NO_VICTORY, **both("keys", 2, 2), **both("aember", 6, 8)}) == "aember"


@pytest.mark.parametrize(
    ("creatures", "bonus", "winner"),
    [
        ((3, 3), (1, 0), "a"),
        ((2, 5), (2, 0), "b"),
        ((0, 0), (0, 1), "b"),
    ],
)
def test_potential_aember_is_creatures_and_bonus_together(
    creatures: tuple[int, int], bonus: tuple[int, int], winner: str
) -> None:
    answers = {**LEVEL, **both("creatures", *creatures), **both("bonus", *bonus)}
    assert decided_by(ONE, answers) == "potential"
    assert made(ARCHON, ONE, answers).winner == winner


@pytest.mark.parametrize("first", ["a", "b"])
def test_last_of_all_the_first_player_wins(first: str) -> None:
    answers = {**LEVEL, **both("creatures", 2, 3), **both("bonus", 2, 1), "first_player": first}
    assert asked(ONE, answers) == [*TURNS, *COUNTS, *POTENTIAL, "first_player"]
    result = made(ARCHON, ONE, answers)
    assert (result.winner, result.first_player, result.timeout and result.timeout["decided_by"]) == (
        first,
        first,
        "first_player",
    )


def test_a_first_player_recorded_at_the_start_is_not_asked_again() -> None:
    answers = {**LEVEL, **both("creatures", 2, 2), **both("bonus", 0, 0), "first_player": "b"}
    assert next_step(ONE, answers) is None
    # It stays on record where something else decides.
    assert made(ARCHON, ONE, {**NO_VICTORY, **both("keys", 1, 2), "first_player": "b"}).first_player == "b"


@pytest.mark.parametrize("lot", ["a", "b"])
def test_a_first_player_whom_nobody_remembers_is_found_by_lot_and_recorded_as_that(lot: Side) -> None:
    answers = {**STILL_LEVEL, "first_player": "lot", "first_player_lot": lot}
    assert asked(ONE, answers)[-2:] == ["first_player", "first_player_lot"]
    assert decided_by(ONE, answers) == "first_player"
    result = made(ARCHON, ONE, answers)
    assert (result.winner, result.first_player) == (lot, lot)
    assert result.timeout["first_player_by"] == "lot"
    # A correction begins where the record stands.
    found = way_and_answers(form_of(ARCHON).ways, lot, result)
    assert (found[1]["first_player"], found[1]["first_player_lot"]) == ("lot", lot)
    assert compose_result(found[0], lot, found[1]) == result


def test_somebody_who_is_remembered_is_no_lot() -> None:
    result = made(ARCHON, ONE, {**STILL_LEVEL, "first_player": "b"})
    assert "first_player_by" not in (result.timeout or {})


def test_step_4_offers_the_three_houses_of_a_known_deck_else_the_names() -> None:
    time = way_of(ARCHON, "time", DECKS)
    for opener in SIDES:
        offered = {
            step.whose: step.options
            for step in time.opened_by(opener).steps
            if isinstance(step, Choice) and step.key == "house"
        }
        own, others = ("winner", "loser") if opener == "a" else ("loser", "winner")
        assert offered[own] == ("Brobnar", "Dis", "Shadows")
        assert offered[others][-1] == "other"
        assert "Mars" in offered[others]
    assert parse_message(Form, json.loads(json.dumps(form_to_json(form_of(ARCHON, DECKS))))) == form_of(ARCHON, DECKS)


@pytest.mark.parametrize(
    ("told", "place"),
    [
        ({"house": {"a": "Mars"}}, "/timeout/house/a"),
        ({"house": {"b": ""}}, "/timeout/house/b"),
        ({"house": {"c": "Dis"}}, "/timeout/house/c"),
        ({"house": "Dis"}, "/timeout/house"),
        ({"first_player_by": "dice"}, "/timeout/first_player_by"),
        ({"lot": "both"}, "/timeout/lot"),
    ],
)
def test_what_the_steps_cannot_have_been_told(told: dict[str, Any], place: str) -> None:
    assert refused_new(ARCHON, at_time(1, 0, "a", timeout=told), DECKS)[1] == place


def test_a_file_whose_house_is_none_of_the_deck_is_found_out() -> None:
    said = at_time(1, 0, "a", timeout={"house": {"a": "Mars", "b": "Dis"}})
    file = event("keyforge-archon", [[game("Ana", "Bruno", said)]], "Ana", "Bruno")
    deck = replace(file, competitors=tuple(replace(c, houses=("Brobnar", "Dis", "Logos")) for c in file.competitors))
    assert [(p.where, p.key) for p in violations(file)] == []
    assert [(p.where, p.key) for p in violations(deck)] == [
        ("/rounds/0/matches/0/result/timeout/house/a", "not_one_of")
    ]


def test_a_house_is_the_deck_s_however_it_is_written() -> None:
    taken_new(ARCHON, at_time(1, 0, "a", timeout={"house": {"a": "dis", "b": "Star Alliance"}}), DECKS)


def test_who_recorded_two_keys_at_most_had_no_third() -> None:
    assert [figure.maximum for figure in ONE.figures() if figure.key == "keys"] == [2, 2]


# KeyForge, best of three.


@pytest.mark.parametrize("ahead", [(1, 0), (0, 1)])
def test_best_of_three_one_ahead_has_won_at_once(ahead: tuple[int, int]) -> None:
    answers = both("score", *ahead)
    assert asked(OF_THREE, answers) == ["score.winner", "score.loser"]
    assert decided_by(OF_THREE, answers) == "games"
    result = made(ARCHON, OF_THREE, answers, **THREE)
    assert (result.winner, result.score) == ("a" if ahead == (1, 0) else "b", SidePair(*ahead))


def test_best_of_three_nil_nil_is_decided_by_the_game_in_progress() -> None:
    answers = {**both("score", 0, 0), **NO_VICTORY, **both("keys", 0, 1), **both("aember", 0, 0)}
    assert asked(OF_THREE, answers) == ["score.winner", "score.loser", *TURNS, *COUNTS]
    # A game won that way counts as a game.
    assert made(ARCHON, OF_THREE, answers, **THREE).score == SidePair(0, 1)


def test_best_of_three_one_all_and_game_3_begun_is_decided_by_it() -> None:
    answers = {**both("score", 1, 1), "game_begun": "yes", **NO_VICTORY, **both("keys", 2, 1), **both("aember", 0, 0)}
    assert asked(OF_THREE, answers) == ["score.winner", "score.loser", "game_begun", *TURNS, *COUNTS]
    result = made(ARCHON, OF_THREE, answers, "b", **THREE)
    assert (result.winner, result.score) == ("b", SidePair(1, 2))


@pytest.mark.parametrize("lot", ["a", "b"])
def test_best_of_three_one_all_and_game_3_not_begun_is_a_lot(lot: str) -> None:
    """House decision: there is nothing to count."""
    answers = {**both("score", 1, 1), "game_begun": "no", "lot": lot}
    assert asked(OF_THREE, answers) == ["score.winner", "score.loser", "game_begun", "lot"]
    assert decided_by(OF_THREE, answers) == "lot"
    result = made(ARCHON, OF_THREE, answers, **THREE)
    assert (result.winner, result.score) == (lot, SidePair(2, 1) if lot == "a" else SidePair(1, 2))


def test_an_answer_that_a_correction_left_behind_decides_nothing() -> None:
    drawn = {**both("score", 1, 1), "game_begun": "no", "lot": "a"}
    begun = {**drawn, "game_begun": "yes"}
    assert walk_way(OF_THREE, begun).decided_by is None
    assert next_step(OF_THREE, begun).name == "active"  # type: ignore[union-attr]
    nil_nil = {**drawn, **both("score", 0, 0)}
    assert next_step(OF_THREE, nil_nil).name == "active"  # type: ignore[union-attr]
    in_the_end = {**nil_nil, "active": "a", "turns": "b"}
    result = made(ARCHON, OF_THREE, in_the_end, **THREE)
    assert (result.winner, result.score) == ("b", SidePair(0, 1))
    assert result.timeout == {"active": "a", "turns": "b", "decided_by": "last_turns"}


# Warlords of Terra, 1.


def test_the_active_player_s_turn_and_three_more() -> None:
    (turns,) = [step for step in LAST_TURNS.steps if isinstance(step, Turns)]
    assert (turns.turns, turns.first) == (4, "active")


def test_who_won_in_these_turns_has_left_the_other_without_life_or_says_why() -> None:
    """A 7.1: 4 to 9 life and a victory is none yet; out of cards is an ending of its own."""
    still_alive = compose_result(LAST_TURNS, "a", {"active": "b", "turns": "a", **both("score", 4, 9)})
    assert refused_new(WARLORDS, still_alive) == ("loser_has_life", "/score/b")
    why = way_of(WARLORDS, "cards_out")
    assert made(WARLORDS, why, {"reason": "no_card", **both("score", 4, 9)}).timeout == {"reason": "no_card"}
    assert "cards_out" in [way.id for way in form_of(WARLORDS).offered(True)]


@pytest.mark.parametrize(("lives", "right"), [((12, -4), "a"), ((0, 7), "b")])
def test_whoever_has_no_life_left_at_time_has_not_drawn(lives: tuple[int, int], right: str) -> None:
    drawn = compose_result(LAST_TURNS, "a", {**NO_VICTORY, **both("score", *lives)})
    assert drawn.winner == "draw"
    assert refused_new(WARLORDS, drawn) == ("drawn_without_life", "/winner")
    with pytest.raises(Problem, match=f"The right result is “{right}”"):
        WARLORDS.check_new(drawn, {})


def test_without_a_winner_in_these_turns_it_is_a_draw_with_the_lives_as_they_are() -> None:
    answers = {**NO_VICTORY, **both("score", 14, 3)}
    assert asked(LAST_TURNS, answers) == [*TURNS, "score.winner", "score.loser"]
    result = made(WARLORDS, LAST_TURNS, answers)
    assert (result.winner, result.score, result.timeout) == ("draw", SidePair(14, 3), {"active": "a"})


@pytest.mark.parametrize("winner", ["a", "b"])
def test_whoever_wins_in_these_turns_has_won(winner: str) -> None:
    lives = (4, -2) if winner == "a" else (0, 9)
    answers = {"active": "b", "turns": winner, **both("score", *lives)}
    result = made(WARLORDS, LAST_TURNS, answers)
    assert (result.winner, result.score) == (winner, SidePair(*lives))
    assert result.timeout == {"active": "b", "turns": winner, "decided_by": "last_turns"}


def test_no_last_turns_where_somebody_has_to_go_on() -> None:
    assert form_of(WARLORDS, KNOCKOUT).way("time") is None
    assert form_of(WARLORDS, KNOCKOUT).way("draw") is None


# Shatterpoint, "Limit czasowy".


def reckoned(
    struggles: tuple[int, int], objectives: tuple[int, int], wounds: tuple[int, int], now: tuple[int, int] = (0, 0)
) -> tuple[Any, ...]:
    """(struggles, winner by the rulebook, the step that decided). `now`: whose the struggle of this turn is; objectives
    are asked where it is nobody's."""
    counts = both("objectives", *objectives) if now == (0, 0) else {}
    answers = {**SQUADS, **both("score", *struggles), **both("struggle", *now), **counts, **both("wounds", *wounds)}
    assert len(asked(LIMIT, answers)) == (10 if counts else 8)
    result = made(SHATTERPOINT, LIMIT, answers)
    return result.score, SHATTERPOINT.winner(result, {}), decided_by(LIMIT, answers)


@pytest.mark.parametrize(
    ("struggles", "objectives", "wounds", "expected"),
    [
        # Who controls more objectives wins the struggle in progress.
        ((0, 0), (3, 2), (0, 9), (SidePair(1, 0), "a", "struggles")),
        ((1, 1), (1, 2), (9, 0), (SidePair(1, 2), "b", "struggles")),
        # Ahead by a struggle, but the other takes the last one: the wounds.
        ((1, 0), (0, 4), (5, 4), (SidePair(1, 1), "a", "wounds")),
        ((0, 1), (4, 0), (5, 6), (SidePair(1, 1), "b", "wounds")),
        # Equal objectives: nobody takes it.
        ((0, 1), (2, 2), (9, 0), (SidePair(0, 1), "b", "struggles")),
        ((0, 0), (2, 2), (3, 8), (SidePair(0, 0), "b", "wounds")),
        ((1, 1), (0, 0), (7, 7), (SidePair(1, 1), "draw", None)),
    ],
)
def test_the_struggle_in_progress_then_struggles_then_wounds(
    struggles: tuple[int, int], objectives: tuple[int, int], wounds: tuple[int, int], expected: tuple[Any, ...]
) -> None:
    assert reckoned(struggles, objectives, wounds) == expected


def test_who_won_the_struggle_of_this_turn_has_it_whatever_objectives_say() -> None:
    """ "jeśli żaden z graczy nie wygrał tego zmagania": only then do objectives count."""
    assert reckoned((1, 1), (9, 0), (0, 0), now=(0, 1)) == (SidePair(1, 2), "b", "struggles")
    assert reckoned((0, 1), (0, 9), (4, 5), now=(1, 0)) == (SidePair(1, 1), "b", "wounds")


def test_it_cannot_be_won_by_both() -> None:
    both_say_so = compose_result(LIMIT, "a", {**SQUADS, **both("score", 1, 0), **both("struggle", 1, 1)})
    assert refused_new(SHATTERPOINT, both_say_so) == ("struggle_of_both", "/timeout/struggle")


@pytest.mark.parametrize(
    ("told", "refusal"),
    [
        (
            {"score": {"a": 1, "b": 1}, "struggle": {"a": 0, "b": 0}, "objectives": {"a": 2, "b": 2}},
            ("timeout_score", "/score"),
        ),
        ({"score": {"a": 2, "b": 1}, "struggle": {"a": 0, "b": 0}}, ("figure_out_of_range", "/timeout/score/a")),
        ({"score": {"a": 1, "b": 1}, "struggle": {"a": "yes", "b": 0}}, ("wrong_type", "/timeout/struggle/a")),
        (
            {"score": {"a": 1, "b": 1}, "struggle": {"a": 1, "b": 0}, "objectives": {"a": -1, "b": 0}},
            ("figure_out_of_range", "/timeout/objectives/a"),
        ),
    ],
)
def test_what_was_told_at_time_is_counted_again(told: dict[str, Any], refusal: tuple[str, str]) -> None:
    """2:1 is entered; Ana had 1 and nobody, or nobody possible, gave her another."""
    entered = at_time(2, 1, wounds=SidePair(0, 0), picks={"a": [1, 2], "b": [3, 4]}, timeout=told)
    for by in (RECORD, OFFICIAL):
        first = next(
            result_problems(SHATTERPOINT, entered, SHATTERPOINT.options({}), MatchSituation(), ResultSource(by, True))
        )
        assert (first.key, first.where) == refusal


def test_what_was_told_stays_beside_what_came_of_it() -> None:
    answers = {
        **SQUADS,
        **both("score", 1, 0),
        **both("struggle", 0, 0),
        **both("objectives", 4, 3),
        **both("wounds", 5, 2),
    }
    assert made(SHATTERPOINT, LIMIT, answers) == at_time(
        2,
        0,
        wounds=SidePair(5, 2),
        picks={"a": [1, 2], "b": [3, 4]},
        timeout={
            "score": {"a": 1, "b": 0},
            "struggle": {"a": 0, "b": 0},
            "objectives": {"a": 4, "b": 3},
            "decided_by": "struggles",
        },
    )


# What no question is asked about.


@pytest.mark.parametrize(
    ("rulebook_id", "answers", "step"),
    [
        ("xwing-standard", both("score", 60, 40), "points"),
        ("xwing-standard", {**both("score", 60, 60), "winner": "b"}, "final_salvo"),
        ("xwing-epic-duel", both("score", 153, 124), "points"),
        ("xwing-epic-team", both("score", 124, 124), None),
    ],
)
def test_figures_that_tell_need_no_resolver(rulebook_id: str, answers: dict[str, Any], step: str | None) -> None:
    book = rulebook(rulebook_id)
    way = way_of(book, "time")
    assert asked(way, answers) == list(answers)
    assert decided_by(way, answers) == step
    assert made(book, way, answers).timeout is None


def test_a_preview_fills_in_what_is_not_answered_yet() -> None:
    """The worth is shown before all is said; what decides then is not settled."""
    assert compose_result(LIMIT, "a", {**both("score", 1, 0)}).score == SidePair(1, 0)
    unsettled = compose_result(ONE, "a", {"active": "a"})
    assert isinstance(unsettled, Result)
    assert refused_new(ARCHON, unsettled)[0] == "no_draws"
