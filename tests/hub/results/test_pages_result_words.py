"""What is said of rounds and places says what is meant: a final by its name, who left before round 1, what decided."""

from pages_kit import House, text_of

from roundtap_core.event.commands import DropCompetitor, GiveWarning, MakeCut, SetClock


def test_who_leaves_before_the_first_round_did_not_leave_after_round_0(house: House):
    browser = house.with_event()
    house.service.execute_one("e1", GiveWarning("p6", "a loud phone"), "test")
    house.publish()
    house.service.execute_one("e1", DropCompetitor("p6"), "test")
    house.play()
    house.publish()
    page = text_of(browser.console())
    assert "round 0" not in page.lower()
    assert "before round 1: a loud phone" in text_of(browser.get("/console/e1/person/p6")).replace("(", "").replace(
        ")", ""
    )


def test_a_final_is_called_by_its_name(house: House):
    browser = house.with_event([f"Player {n}" for n in range(1, 9)], swiss_rounds=2, cut=2)
    for _ in range(2):
        house.publish()
        house.play()
    house.service.execute_one("e1", MakeCut(), "test")
    house.publish()
    page = text_of(browser.console())
    assert "Final: pairings are published" in page
    assert "clock for round" not in page
    house.service.execute_one("e1", SetClock("start"), "test")
    who = house.event.live.matches[0].match.a
    house.service.execute_one("e1", GiveWarning(who, "slow play"), "test")
    assert "Warning (Final): slow play" in text_of(browser.get(f"/console/e1/person/{who}"))


def test_the_figure_that_decided_says_what_it_decided(house: House):
    browser = house.with_event()
    house.publish()
    house.play()
    page = text_of(browser.get("/e/e1/standings"))
    assert "deciding tiebreaker" in page
