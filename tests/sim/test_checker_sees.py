"""The checker is not blind: every right round or table, once broken, is complained about."""

import copy
from collections.abc import Callable
from typing import Any

import kit_core
import pytest
from checker import bracket_complaints, pairing_complaints, standings_complaints
from checker_kit import bye, event, met, printed_round

Printed = dict[str, Any]
WON = [met("p1", "p2", 100, 10), met("p3", "p4", 100, 20), met("p5", "p6", 100, 30), bye("p7")]
"""After this round of seven: p1, p3, p5, p7 with a win, then p6, p4, p2."""

ROUND_2 = printed_round(2, ("p1", "p3"), ("p5", "p7"), ("p6", "p4"), ("p2",))
WRONG_ROUNDS = {
    "p1 and p2 meet again": printed_round(2, ("p1", "p2"), ("p5", "p7"), ("p3", "p6"), ("p4",)),
    "a second bye": printed_round(2, ("p1", "p3"), ("p5", "p6"), ("p4", "p2"), ("p7",)),
    "a bye for somebody who is not last": printed_round(2, ("p1", "p3"), ("p5", "p7"), ("p2", "p6"), ("p4",)),
    "a needless float": printed_round(2, ("p1", "p3"), ("p5", "p4"), ("p7", "p6"), ("p2",)),
    "somebody left out": printed_round(2, ("p1", "p3"), ("p5", "p7"), ("p2",)),
    "somebody twice": printed_round(2, ("p1", "p3"), ("p1", "p7"), ("p6", "p4"), ("p2",)),
    "the wrong stage": {**ROUND_2, "stage": "elimination"},
    "the wrong number": {**ROUND_2, "round": 3},
    "notes that hide a repeat": {**ROUND_2, "notes": {"repeats": 1, "bye": "last", "floats": []}},
    "a table twice": {**ROUND_2, "matches": [{**m, "table": 1} if "b" in m else m for m in ROUND_2["matches"]]},
}


def seven() -> dict[str, Any]:
    return event("xwing-standard", WON, swiss_rounds=3)


def swap(rows: list[Any], i: int, j: int) -> None:
    rows[i], rows[j] = rows[j], rows[i]


def swap_ranks(printed: Printed) -> None:
    swap(printed["standings"], 1, 2)
    for rank, row in enumerate(printed["standings"], start=1):
        row["rank"] = rank


BREAKING: dict[str, Callable[[Printed], Any]] = {
    "two ranks swapped": swap_ranks,
    "a wrong margin": lambda p: p["standings"][0]["tiebreakers"].update(mov=177),
    "a wrong strength of schedule": lambda p: p["standings"][3]["tiebreakers"].update(sos="1/3"),
    "a wrong number of points": lambda p: p["standings"][0].update(points=2),
    "a win too many": lambda p: p["standings"][0].update(wins=2),
    "an unpaired round": lambda p: p["standings"][0].update(rounds=0),
    "a bye not counted": lambda p: p["standings"][3].update(byes=0),
    "the wrong reason": lambda p: p["standings"][0].update(decided_by="sos"),
    "chance where there was none": lambda p: p["standings"][0].update(by_chance=True),
    "somebody missing": lambda p: p["standings"].pop(),
}


@pytest.mark.parametrize("change", BREAKING.values(), ids=BREAKING)
def test_a_broken_table_is_complained_about(change: Callable[[Printed], Any]) -> None:
    right = kit_core.table(seven())
    assert standings_complaints(seven(), right) == []
    wrong = copy.deepcopy(right)
    change(wrong)
    assert standings_complaints(seven(), wrong)


def test_a_right_round_is_praised() -> None:
    assert pairing_complaints(seven(), ROUND_2) == []


@pytest.mark.parametrize("wrong", WRONG_ROUNDS.values(), ids=WRONG_ROUNDS)
def test_a_broken_round_is_complained_about(wrong: Printed) -> None:
    assert pairing_complaints(seven(), wrong)


def test_a_round_that_leads_into_a_needless_repeat_is_complained_about() -> None:
    """Six, all equal after two rounds of draws: two triangles left would make round 4 impossible."""

    def drawn(a: int, b: int) -> dict[str, Any]:
        return met(f"p{a}", f"p{b}", 1, 1, wounds={"a": 0, "b": 0})

    made = event(
        "shatterpoint-premier",
        [drawn(1, 4), drawn(2, 5), drawn(3, 6)],
        [drawn(1, 5), drawn(2, 6), drawn(3, 4)],
        swiss_rounds=4,
    )
    # After 1-6, 2-4, 3-5 everybody has met the whole other side: 1, 2, 3 and 4, 5, 6 cannot pair among themselves.
    bad = printed_round(3, ("p1", "p6"), ("p2", "p4"), ("p3", "p5"))
    good = printed_round(3, ("p1", "p2"), ("p3", "p5"), ("p4", "p6"))
    assert any("leads into a repeat" in text for text in pairing_complaints(made, bad))
    assert pairing_complaints(made, good) == []


def test_people_who_came_together_are_kept_apart_in_round_1() -> None:
    made = event("xwing-epic-duel", players=4, swiss_rounds=2)
    for competitor in made["competitors"][:2]:
        competitor["came_with"] = "car-1"
    assert pairing_complaints(made, printed_round(1, ("p1", "p3"), ("p2", "p4"))) == []
    assert pairing_complaints(made, printed_round(1, ("p1", "p2"), ("p3", "p4")))


def with_cut() -> dict[str, Any]:
    return event("xwing-standard", [met("p1", "p4", 100, 0), met("p2", "p3", 100, 50)], cut=4)


def test_the_bracket_is_first_against_last() -> None:
    right = kit_core.pair(with_cut())
    assert pairing_complaints(with_cut(), right) == []
    wrong = copy.deepcopy(right)
    first, second = wrong["matches"]
    first["b"], second["b"] = second["b"], first["b"]
    assert pairing_complaints(with_cut(), wrong)
    numbers = copy.deepcopy(right)
    for match in numbers["matches"]:
        match["game"] = 3 - match["game"]
    assert pairing_complaints(with_cut(), numbers)


def test_a_broken_bracket_is_complained_about() -> None:
    made = with_cut()
    made["rounds"].append(
        {
            "number": 2,
            "stage": "elimination",
            "matches": [{**met("p1", "p4", 100, 0), "game": 1}, {**met("p2", "p3", 100, 0), "game": 2}],
        }
    )
    made["rounds"].append({"number": 3, "stage": "elimination", "matches": [{**met("p1", "p2", 0, 100), "game": 1}]})
    right = kit_core.tree(made)
    assert bracket_complaints(made, right) == []
    changes: list[Callable[[Printed], Any]] = [
        lambda p: p.update(champion="p1"),
        lambda p: swap(p["ranking"], 2, 3),
        lambda p: swap(p["seeds"], 0, 1),
        lambda p: p["games"][0].update(winner="p4"),
    ]
    for change in changes:
        wrong = copy.deepcopy(right)
        change(wrong)
        assert bracket_complaints(made, wrong)


def test_a_tie_break_is_among_the_tied_only() -> None:
    made = event(
        "warlords-of-terra", [met("p1", "p2", 20, 0, winner="a"), met("p3", "p4", 20, 0, winner="a")], prize_places=1
    )
    right = printed_round(2, ("p1", "p3"), stage="tiebreak", form="each")
    assert pairing_complaints(made, right) == []
    for pair in (("p1", "p2"), ("p2", "p4")):
        assert pairing_complaints(made, printed_round(2, pair, stage="tiebreak", form="each"))
    assert pairing_complaints(made, printed_round(2, ("p1", "p4"), ("p2", "p3")))
