"""Lies about pairings, byes, rounds, the cut and the end, told into the hub's own event files: `check` names each."""

import copy
import json
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest
from test_own_events_honest import exported, play, settle, swiss

from roundtap_core.check.check import violations
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import OVER, current_seeds, offered_places, upcoming_stage
from roundtap_core.eventfile.read import parse_event_file

File = dict[str, Any]


@cache
def _played(players: int, rounds: int, seed: int, rulebook: str, options: str) -> str:
    chance = Random(seed)
    event = swiss(players, rounds, rulebook, **json.loads(options))
    play(event, chance, rounds)
    if upcoming_stage(event.state) != OVER:
        event.tell(c.MakeCut())
        if event.state.options.get("second_stage") == "second-swiss":
            event.tell(c.DropCompetitor(current_seeds(event.state)[1]))
            while (asked := offered_places(event.state)) is not None:
                event.tell(c.DeclinePlace(asked))
        while upcoming_stage(event.state) != OVER:
            event.play()
            settle(event, chance)
    event.tell(c.FinishEvent())
    return json.dumps(exported(event))


def played(players: int, rounds: int, seed: int, rulebook: str = "xwing-standard", **options: Any) -> File:
    """A finished event of the hub, in which everything is right."""
    file: File = json.loads(_played(players, rounds, seed, rulebook, json.dumps(options)))
    assert rules(file) == set()
    return file


def rules(file: File) -> set[str]:
    return {problem.key for problem in violations(parse_event_file(json.dumps(file)))}


def pairs(played_round: File) -> list[File]:
    return [match for match in played_round["matches"] if "b" in match]


# --- the lies -------------------------------------------------------------------------------------------------------


def the_same_round_again(seed: int) -> tuple[File, str]:
    """Everybody meets the same opponent twice, and the notes say that it was forced."""
    file = played(8, 3, seed)
    again = copy.deepcopy(file["rounds"][1]["matches"])
    file["rounds"][2] |= {"matches": again, "notes": {"repeats": 4, "bye": None, "floats": []}}
    return file, "repeat"


def one_pair_again(seed: int) -> tuple[File, str]:
    """Two of round 1 meet again in round 3; their opponents meet each other."""
    file = played(8, 3, seed)
    one = pairs(file["rounds"][0])[seed % 4]
    for match in pairs(file["rounds"][2]):
        for side in "ab":
            if match[side] == one["b"]:
                theirs = (match, side)
            elif match[side] == one["a"]:
                mine = (match, "b" if side == "a" else "a")
    theirs[0][theirs[1]], mine[0][mine[1]] = mine[0][mine[1]], theirs[0][theirs[1]]
    file["rounds"][2]["notes"] |= {"repeats": 1, "repeated": [{"a": one["a"], "b": one["b"]}]}
    return file, "repeat"


def a_bye_for_the_same_one(seed: int) -> tuple[File, str]:
    """Who had the bye of round 1 has that of round 3, too."""
    file = played(7, 3, seed)
    first = next(m["a"] for m in file["rounds"][0]["matches"] if "bye" in m)
    _give_bye(file["rounds"][2], first)
    return file, "second_bye"


def a_bye_for_the_leader(seed: int) -> tuple[File, str]:
    """The leader sits out, who had no bye yet."""
    file = played(9, 2, seed)
    first = next(m["a"] for m in file["rounds"][0]["matches"] if "bye" in m)
    won = max(pairs(file["rounds"][0]), key=lambda m: abs(m["result"]["score"]["a"] - m["result"]["score"]["b"]))
    leader = won["a"] if won["result"]["score"]["a"] > won["result"]["score"]["b"] else won["b"]
    assert leader != first
    _give_bye(file["rounds"][1], leader)
    return file, "bye_too_high"


def _give_bye(played_round: File, who: str) -> None:
    resting = next(m for m in played_round["matches"] if m.get("bye") == "bye")
    seat = next((m, side) for m in played_round["matches"] for side in "ab" if m.get(side) == who)
    seat[0][seat[1]], resting["a"] = resting["a"], who


def two_byes(seed: int) -> tuple[File, str]:
    """A pair stays apart: both have a bye."""
    file = played(7, 3, seed)
    matches = file["rounds"][1]["matches"]
    one = pairs(file["rounds"][1])[seed % 3]
    matches.remove(one)
    matches += [{"a": one["a"], "bye": "bye"}, {"a": one["b"], "bye": "bye"}]
    return file, "several_byes"


def somebody_not_paired(seed: int) -> tuple[File, str]:
    file = played(8, 3, seed)
    file["rounds"][2]["matches"].remove(pairs(file["rounds"][2])[seed % 4])
    return file, "missing_from_round"


def a_round_too_many(seed: int) -> tuple[File, str]:
    file = played(8, 3, seed)
    file["options"]["swiss_rounds"] = 2
    file.pop("effective_options", None)
    return file, "too_many_rounds"


def a_round_too_few(seed: int) -> tuple[File, str]:
    file = played(8, 4, seed)
    file["rounds"] = file["rounds"][:3]
    return file, "finished_early"


def the_seeds_reversed(seed: int) -> tuple[File, str]:
    book = ("xwing-standard", "shatterpoint-premier")[seed % 2]
    file = played(8, 3, seed, book, cut=4)
    file["cut"]["seeds"].reverse()
    return file, "cut_seed_differs"


def the_order_of_the_cut_reversed(seed: int) -> tuple[File, str]:
    """And the seeds with it."""
    file = played(8, 3, seed, cut=4)
    file["cut"]["order"][:4] = file["cut"]["order"][3::-1]
    file["cut"]["seeds"].reverse()
    return file, "cut_order_differs"


def somebody_else_in_the_cut(seed: int) -> tuple[File, str]:
    """The fifth plays in place of the fourth, whom nobody asked."""
    file = played(8, 3, seed, cut=4)
    fourth, fifth = file["cut"]["order"][3:5]
    bracket = json.dumps(file["rounds"][3:]).replace(json.dumps(fourth), json.dumps(fifth))
    return {**file, "rounds": [*file["rounds"][:3], *json.loads(bracket)]}, "not_in_cut"


def no_final(seed: int) -> tuple[File, str]:
    file = played(8, 3, seed, cut=4)
    file["rounds"].pop()
    return file, "finished_without_final"


def no_elimination_at_all(seed: int) -> tuple[File, str]:
    file = played(8, 3, seed, cut=4)
    file["rounds"] = file["rounds"][:3]
    del file["cut"]
    return file, "finished_without_final"


def no_match_for_third_place(seed: int) -> tuple[File, str]:
    file = played(8, 3, seed, cut=4, third_place_match=True)
    file["rounds"][-1]["matches"] = [m for m in file["rounds"][-1]["matches"] if m["game"] != "third"]
    return file, "bracket_game_count"


def first_against_second(seed: int) -> tuple[File, str]:
    file = played(8, 3, seed, cut=4)
    one, two = file["rounds"][3]["matches"]
    one["b"], two["b"] = two["b"], one["b"]
    return file, "bracket_pairing"


def a_second_stage_cut_short(seed: int) -> tuple[File, str]:
    file = played(6, 3, seed, "shatterpoint-premier", cut=4, second_stage="second-swiss")
    file["rounds"].pop()
    return file, "finished_without_final"


def a_second_bye_in_the_second_stage(seed: int) -> tuple[File, str]:
    """Of three, the same one sits out in both of the first two rounds."""
    file = played(6, 3, seed, "shatterpoint-premier", cut=4, second_stage="second-swiss")
    first = next(m["a"] for m in file["rounds"][3]["matches"] if "bye" in m)
    _give_bye(file["rounds"][4], first)
    return file, "second_bye"


LIES: tuple[Callable[[int], tuple[File, str]], ...] = (
    the_same_round_again,
    one_pair_again,
    a_bye_for_the_same_one,
    a_bye_for_the_leader,
    two_byes,
    somebody_not_paired,
    a_round_too_many,
    a_round_too_few,
    the_seeds_reversed,
    the_order_of_the_cut_reversed,
    somebody_else_in_the_cut,
    no_final,
    no_elimination_at_all,
    no_match_for_third_place,
    first_against_second,
    a_second_stage_cut_short,
    a_second_bye_in_the_second_stage,
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_lie_is_told(lie: Callable[[int], tuple[File, str]], seed: int) -> None:
    file, key = lie(seed)
    assert key in rules(file)


@pytest.mark.parametrize("lie", [no_final, no_elimination_at_all, a_round_too_few, a_second_stage_cut_short])
def test_an_end_that_the_organizer_gave_a_reason_for_is_no_lie(lie: Callable[[int], tuple[File, str]]) -> None:
    file, _ = lie(1)
    said = {"points": [{"kind": "finished_early"}], "reason": "the hall closes", "by": "organizer"}
    assert rules({**file, "played_on": [said]}) == set()
