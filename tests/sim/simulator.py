"""Plays random events through the core, round by round, and lets the checker look at every one."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import kit_core
from checker import bracket_complaints, pairing_complaints, standings_complaints
from checker.books import BOOKS, Event, left_after, still_there
from checker.plan import planned, rounds_of
from random_results import random_result, squads_for
from sign_up import random_event

from roundtap_core.errors import Problem

# Beyond any plan: tie-break rounds that never end would be a fault.
MOST_ROUNDS = 40


@dataclass
class Played:
    """An event as it ended, what was found wrong (with the event as it stood then), and what was seen."""

    event: Event
    wrong: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)


def play(rulebook: str, seed: int, large: bool = False) -> Played:
    """One event from sign-up to its end; stops at the first round with which something is wrong."""
    rand = Random(f"{rulebook}|{seed}")
    played = Played(random_event(rulebook, rand, large))
    played.seen["events"] += 1
    # Few different figures, so that all tiebreakers come to be asked, in every other event.
    coarse = rand.random() < 0.5
    restless = rand.choice((0.0, 0.02, 0.06))
    while len(played.event["rounds"]) < MOST_ROUNDS:
        if _is_over(played.event) or not _play_round(played, rand, coarse, restless):
            if not played.wrong:
                played.wrong += kit_core.import_complaints(played.event)
            return played
    played.wrong.append("the event does not end")
    return played


def _is_over(event: Event) -> bool:
    plan = planned(event)
    if plan is None:
        return True
    from checker.plan import stage_due

    return stage_due(event) == "swiss" and bool(event["rounds"]) and len(rounds_of(event, "swiss")) >= plan[0]


def _play_round(played: Played, rand: Random, coarse: bool, restless: float) -> bool:
    """False where no further round can be drawn, or something was wrong."""
    event = played.event
    try:
        drawn = kit_core.pair(event, seed=rand.randrange(2**31), attempt=rand.choice((1, 1, 1, 2, 7)))
        if drawn["stage"] == "tiebreak" and event["seed"] % 2:
            drawn = kit_core.pair_tie_break(event, "knockout")
    except Problem as problem:
        if not _nobody_to_pair(event, problem.key):
            played.wrong.append(f"pair: {problem}")
        return False
    played.wrong += [f"pair: {text}" for text in pairing_complaints(event, drawn)]
    if played.wrong:
        played.wrong.append(f"drawn: {drawn}")
        return False
    played.seen["repeats"] += drawn["notes"]["repeats"]
    _take(event, drawn)
    _play_matches(event, drawn["stage"], rand, coarse, restless)
    _leave(event, rand, restless)
    played.seen[f"{drawn['stage']} rounds"] += 1
    played.wrong += list(_looked_at(event, rand))
    if not played.wrong and _come(event, rand, restless):
        played.wrong += [f"after returns: {text}" for text in _looked_at(event, rand)]
    return not played.wrong


def _nobody_to_pair(event: Event, problem: str) -> bool:
    """Whether that is a reason to stop here: so many have left, or the final has been played."""
    there = len(still_there(event))
    if problem == "bracket_decided":
        return bool(rounds_of(event, "elimination"))
    if problem == "nobody_left":
        return there < 2 or bool(rounds_of(event, "elimination"))
    return problem in ("too_few_players", "no_cut_planned") and there < 2


def _looked_at(event: Event, rand: Random) -> Iterator[str]:
    """Everything the kit prints, and that it finds no rule broken where none is."""
    yield from (f"standings: {text}" for text in standings_complaints(event, kit_core.table(event)))
    if rand.random() < 0.3:
        after = rand.randint(0, len(event["rounds"]))
        yield from (
            f"standings after {after}: {text}"
            for text in standings_complaints(event, kit_core.table(event, after), after)
        )
    if rounds_of(event, "elimination"):
        yield from (f"bracket: {text}" for text in bracket_complaints(event, kit_core.tree(event)))
    yield from (f"check: {key} {text}" for key, text in kit_core.rules_broken(event))
    if kit_core.changed_by_a_round_trip(event):
        yield "the file changes on its way through the core"


def _take(event: Event, drawn: dict[str, Any]) -> None:
    made = {"number": drawn["round"], "stage": drawn["stage"], "draw": drawn["draw"]}
    if drawn["notes"].get("form") == "knockout":
        made["tiebreak_form"] = "knockout"
    event["rounds"].append({**made, "matches": drawn["matches"]})


def _play_matches(event: Event, stage: str, rand: Random, coarse: bool, restless: float) -> None:
    current = event["rounds"][-1]
    if current["number"] == 1 and stage == "swiss":
        _late_in_round_1(event, rand, restless)
    final = stage == "elimination" and len({m.get("game") for m in current["matches"]} - {"third"}) == 1
    matches = []
    for match in current["matches"]:
        if "bye" in match:
            if BOOKS[event["rulebook"]].family == "shatterpoint":
                match["picks"] = squads_for(event, match["a"], rand)
        elif stage != "tiebreak" and rand.random() < restless / 2:
            matches += _no_show(event, match, current["number"], rand)
            continue
        else:
            part = "third_place" if match.get("game") == "third" else "final" if final else stage
            match["result"] = random_result(event, match, part, rand, coarse)
            if stage != "tiebreak" and rand.random() < restless / 4:
                _put_out(event, match, current["number"], rand)
        matches.append(match)
    current["matches"] = matches


def _no_show(event: Event, match: dict[str, Any], number: int, rand: Random) -> list[dict[str, Any]]:
    """The one who came gets what a bye gives; the absent one loses and is dropped."""
    absent = rand.choice("ab")
    here = match["b" if absent == "a" else "a"]
    _person(event, match[absent])["dropped_after"] = number - 1
    won: dict[str, Any] = {"a": here, "bye": "no-show"}
    if "game" in match:
        won["game"] = match["game"]
    if BOOKS[event["rulebook"]].family == "shatterpoint":
        won["picks"] = squads_for(event, here, rand)
    return [won, {"a": match[absent], "bye": "unpaired-loss"}]


def _put_out(event: Event, match: dict[str, Any], number: int, rand: Random) -> None:
    """Disqualified during the round: the opponent wins it by a ruling."""
    out = rand.choice("ab")
    _person(event, match[out])["disqualified_after"] = number
    picks = match["result"].get("picks")
    match["result"] = {
        "ended": "ruling",
        "winner": "b" if out == "a" else "a",
        **({"picks": picks} if picks else {}),
        "score": {"a": 0, "b": 0},
    }


def _leave(event: Event, rand: Random, restless: float) -> None:
    for who in sorted(still_there(event)):
        if rand.random() < restless:
            _person(event, who)["dropped_after"] = len(event["rounds"])


def _come(event: Event, rand: Random, restless: float) -> bool:
    """Before a further Swiss round: late entries (before round 2), and some who left and come back. Whether any did."""
    plan = planned(event)
    rounds = event["rounds"]
    came = False
    if any(r["stage"] != "swiss" for r in rounds) or not plan or len(rounds) >= plan[0]:
        return False
    if len(rounds) == 1 and rand.random() < restless * 4:
        rounds[0]["matches"].append({"a": _newcomer(event), "bye": "unpaired-loss"})
        came = True
    for competitor in event["competitors"]:
        if "dropped_after" in competitor and left_after(competitor) is not None and rand.random() < 0.25:
            if "disqualified_after" in competitor:
                continue
            del competitor["dropped_after"]
            came = True
            for played in rounds:
                if not any(competitor["id"] in (m["a"], m.get("b")) for m in played["matches"]):
                    played["matches"].append({"a": competitor["id"], "bye": "unpaired-loss"})
    return came


def _late_in_round_1(event: Event, rand: Random, restless: float) -> None:
    """The latecomer meets who has the bye; two latecomers meet each other."""
    matches = event["rounds"][0]["matches"]
    free = max((m.get("table", 0) for m in matches), default=0) + 1
    resting = [m for m in matches if m.get("bye") == "bye"]
    if rand.random() < restless * 3:
        if resting:
            matches[matches.index(resting[0])] = {"table": free, "a": resting[0]["a"], "b": _newcomer(event)}
        else:
            matches.append({"table": free, "a": _newcomer(event), "b": _newcomer(event)})


def _newcomer(event: Event) -> str:
    number = len(event["competitors"]) + 1
    made: dict[str, Any] = {"id": f"p{number}", "name": f"Player {number}"}
    if event["rulebook"].endswith("team"):
        made |= {"members": [f"Member {number}-1", f"Member {number}-2"], "captain": f"Member {number}-1"}
    event["competitors"].append(made)
    return f"p{number}"


def _person(event: Event, who: str) -> dict[str, Any]:
    return next(c for c in event["competitors"] if c["id"] == who)
