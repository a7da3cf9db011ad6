"""What breaks a clause of X-Wing, tried at the console: who may play, and structures."""

import pytest
from pages_kit import House, text_of


@pytest.mark.parametrize(
    ("rulebook", "level"),
    [
        ("xwing-standard", "formal"),
        ("xwing-standard", "premium"),
        ("xwing-epic-duel", "premier"),
    ],
)
def test_where_officials_are_barred_the_console_makes_nobody_a_player(house: House, rulebook: str, level: str):
    browser = house.with_event(rulebook=rulebook, level=level)
    browser.post("/console/e1/officials", name="Nina Wolf", role="organizer")
    browser.post("/console/e1/officials", name="Ida Blau", role="judge", second=1)
    answer = browser.post("/console/e1/officials/o1/change", role="organizer", plays="p1")
    assert answer.status_code in (400, 409)
    assert not any(official.plays for official in house.event.officials.values())


def test_two_officials_who_meet_are_ruled_by_the_head_judge(house: House):
    browser = house.with_event(["Ana Ruiz", "Bruno Maier"], level="relaxed")
    for name, role in (("Nina Wolf", "organizer"), ("Ida Blau", "judge"), ("Kai Eich", "head_judge")):
        browser.post("/console/e1/officials", name=name, role=role, second=1)
    browser.post("/console/e1/officials/o1/change", role="organizer", plays="p1")
    browser.post("/console/e1/officials/o2/change", role="judge", plays="p2", second=1)
    house.publish()
    assert "Kai Eich rules on this match" in text_of(browser.get("/console/e1/match/1.1"))


def test_whoever_left_before_the_cut_is_not_let_back_in_after_it(house: House):
    browser = house.with_event(swiss_rounds=1, cut=2)
    house.publish()
    house.play()
    browser.post("/console/e1/competitors/p1/drop")
    browser.post("/console/e1/cut")
    answer = browser.post("/console/e1/competitors/p1/return")
    assert answer.status_code in (400, 409)
    assert not house.event.entrants["p1"].active


@pytest.mark.parametrize(("structure", "rounds"), [("basic", 1), ("advanced", 2)])
def test_other_rounds_than_the_structure_s_are_an_own_structure_and_players_read_so(
    house: House, structure: str, rounds: int
):
    browser = house.with_event([f"Player {n}" for n in range(1, 11)], structure=structure, swiss_rounds=rounds)
    house.publish()
    assert house.event.options["structure"] == "own"
    assert "Structure custom" in text_of(browser.get("/rules/e1"))
