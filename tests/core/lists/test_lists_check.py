"""Lists in an event file: every problem with its place in the file, and nothing missing unless the file wants it."""

from typing import Any

import pytest

from lists_kit import places
from roundtap_core.check.check import list_violations
from roundtap_core.lists.list_form import fold
from roundtap_core.records import Competitor, Tournament
from roundtap_core.rulebooks.registry import RULEBOOKS


def event(rulebook: str, *lists: dict[str, Any] | None, level: str | None = None, **options: Any) -> Tournament:
    people = tuple(Competitor(f"p{n}", f"Spieler {n}", list=list_) for n, list_ in enumerate(lists, start=1))
    return Tournament("Winter Open", rulebook, level, options, competitors=people)


def test_a_problem_has_its_place_in_the_file() -> None:
    file = event(
        "xwing-standard",
        None,
        {"faction": "Rebel", "total": 98},
        {"total": 12, "ships": [{"points": 12}, {"points": -1}]},
    )
    assert places(list_violations(file)) == {
        "/competitors/2/list/ships/1/points": "list_line_number",
        "/competitors/2/list/total": "list_total_differs",
    }


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_file_without_lists_breaks_no_rule_unless_it_says_that_they_are_required(rulebook: str) -> None:
    assert list(list_violations(event(rulebook, None, {"faction": "Rebel", "total": 98}))) == []
    required = places(list_violations(event(rulebook, None, lists_required=True)))
    assert required == {"/competitors/0/list": "list_not_handed_in"}


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize(
    "list_",
    [
        {"ships": 3, "players": 4, "obstacles": {}, "houses": "Dis", "battle": [3], "squad_1": {"name": "x"}},
        {
            "players": [{"ships": [None, []]}, 7],
            "faction": 4,
            "total": "ten",
            "ships": [["x"]],
            "identity": [],
            "hero": 3,
        },
        {"total": True, "squad_1": [{"unique_names": 7, "name": []}], "battle": [{"count": "x", "legendary": "yes"}]},
    ],
)
def test_whatever_stands_in_a_list_is_a_problem_at_most(rulebook: str, list_: dict[str, Any]) -> None:
    file = event(rulebook, list_, lists_required=True)
    assert all(problem.say() for problem in list_violations(file))
    RULEBOOKS[rulebook].lists.total(list_)
    RULEBOOKS[rulebook].lists.completed(list_)
    RULEBOOKS[rulebook].lists.normalized(list_)


def test_what_is_flagged_is_no_violation_but_for_two_decks_of_one_name() -> None:
    ship = {"name": "Luke Skywalker", "points": 62}
    named = {**ship, "name": "Luke Skywalker (Rebel Fleet)"}
    file = event("xwing-standard", {"ships": [ship]}, {"ships": [named]})
    assert list(list_violations(file)) == []
    deck = {"identity": "Doctora Grandeza"}
    file = event("keyforge-archon", deck, deck)
    assert places(list_violations(file)) == {"/competitors/1/list/identity": "list_deck_twice"}


def test_the_level_of_the_event_counts() -> None:
    deck = {"battle": [{"count": 1, "name": f"Tropa {n}", "legendary": True} for n in range(40)]}
    assert list(list_violations(event("warlords-of-terra", deck, level="friendly"))) == []
    assert places(list_violations(event("warlords-of-terra", deck, level="competitive"))) == {
        "/competitors/0/list/battle/3/legendary": "list_too_many_legendary"
    }


def test_names_are_compared_without_accents_case_and_signs() -> None:
    assert fold("  Señorita “Ónice”  CENSORIUS ") == "senorita onice censorius"
    assert fold("Łukasz Żak") == "lukasz zak"
    assert fold("★") == "★"
