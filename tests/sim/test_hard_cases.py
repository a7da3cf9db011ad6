"""Small events on which checker and core once disagreed."""

from typing import Any

import kit_core
from checker import bracket_complaints, standings_complaints
from checker.books import Event
from checker_kit import event, met

WON = {"winner": "a"}


def winners(count: int, **left: int) -> Event:
    """Warlords after one round: p1, p3, p5 … have won alike; `left` says who went after which round."""
    made = event(
        "warlords-of-terra", [met(f"p{n}", f"p{n + 1}", 20, 0, **WON) for n in range(1, 2 * count, 2)], prize_places=1
    )
    for competitor in made["competitors"]:
        if competitor["id"] in left:
            competitor["dropped_after"] = left[competitor["id"]]
    return made


def tie_breaks(made: Event, *rounds: list[tuple[str, str]]) -> Event:
    """Tie-break rounds by winner and loser."""
    for pairs in rounds:
        matches: list[dict[str, Any]] = [met(a, b, 20, 0, **WON) for a, b in pairs]
        made["rounds"].append({"number": len(made["rounds"]) + 1, "stage": "tiebreak", "matches": matches})
    return made


def test_who_leaves_before_any_tie_break_stands_below_the_one_who_stayed() -> None:
    for gone in ("p1", "p3"):
        made = winners(2, **{gone: 1})
        assert standings_complaints(made, kit_core.table(made)) == []


def test_an_earlier_table_does_not_know_who_leaves_later() -> None:
    made = tie_breaks(winners(3, p5=3), [("p1", "p3")], [("p1", "p5")])
    assert standings_complaints(made, kit_core.table(made, 2), 2) == []


def test_two_who_left_without_having_met_do_not_hold_up_the_others() -> None:
    made = tie_breaks(
        winners(4, p5=3, p7=3), [("p1", "p5"), ("p3", "p7")], [("p1", "p7"), ("p3", "p5")], [("p1", "p3")]
    )
    assert standings_complaints(made, kit_core.table(made)) == []
    assert kit_core.pair(made)["stage"] == "swiss"


def test_the_final_ranking_below_an_epic_cut_is_that_of_the_standings() -> None:
    # p2 and p4 drew; p4 has the better margin, p2 the stronger opponents.
    made = event(
        "xwing-epic-duel",
        [met("p1", "p2", 100, 0, **WON), met("p3", "p4", 0, 0, **WON)],
        [met("p1", "p3", 0, 0, **WON), met("p2", "p4", 0, 0, winner="draw")],
        cut=2,
    )
    final = {**met("p1", "p3", 100, 0, **WON), "game": 1}
    made["rounds"].append({"number": 3, "stage": "elimination", "matches": [final]})
    assert bracket_complaints(made, kit_core.tree(made)) == []
