"""The console's officials and judges: naming, duty, warnings, proposals, appeals, extensions, latecomers, picks."""

import pytest
from pages_kit import PEOPLE, Browser, House, problem_of, text_of

from roundtap_core.event.commands import SetClock


def event_of(house: House, rulebook: str, people: list[str] | None = None, **options: object) -> Browser:
    browser = house.organizer()
    browser.post(
        "/console",
        name="Winter Open",
        rulebook=rulebook,
        color="#00785A",
        **{"structure": "own", "swiss_rounds": 2, **options},
    )
    browser.post("/console/e1/competitors", names="\n".join(people or PEOPLE))
    return browser


def name(browser: Browser, *officials: tuple[str, str]) -> None:
    for who, role in officials:
        assert problem_of(browser.post("/console/e1/officials", name=who, role=role)) == ""


# --- officials ---------------------------------------------------------------------------------------------------


def test_without_officials_whoever_is_logged_in_is_the_organizer(house: House):
    browser = house.with_event()
    assert "The person logged in here is organizer" in text_of(browser.opened())


def test_officials_are_named_and_their_names_are_no_entry(house: House):
    browser = house.with_event()
    refused = browser.post("/console/e1/officials", name="Nina Wolf", role="judge")
    assert "exactly one organizer" in problem_of(refused)
    name(browser, ("Nina Wolf", "organizer"), ("Ida Blau", "head_judge"))
    page = text_of(browser.opened())
    assert "Nina Wolf organizer" in page
    assert "Ida Blau head judge" in page
    assert [(o.id, o.role) for o in house.event.officials.values()] == [("o1", "organizer"), ("o2", "head_judge")]
    assert house.service.snapshot.people["e1"]["o1"].name == "Nina Wolf"
    assert "o1" not in house.event.entrants


def test_an_official_may_have_a_players_name_and_enter_later(house: House):
    browser = house.with_event()
    name(browser, ("Nina Wolf", "organizer"))
    assert problem_of(browser.post("/console/e1/competitors", names="Nina Wolf")) == ""
    assert len(house.event.entrants) == 7


def test_another_organizer_makes_the_one_before_a_judge(house: House):
    browser = house.with_event()
    name(browser, ("Nina Wolf", "organizer"), ("Ida Blau", "judge"))
    browser.post("/console/e1/officials/o2/change", role="organizer")
    assert {o.id: o.role for o in house.event.officials.values()} == {"o1": "judge", "o2": "organizer"}
    assert "exactly one organizer" in problem_of(browser.post("/console/e1/officials/o2/remove"))
    browser.post("/console/e1/officials/o1/remove")
    assert list(house.event.officials) == ["o2"]


def test_an_official_goes_off_duty_and_cannot_sign_any_more(house: House):
    browser = house.with_event()
    name(browser, ("Nina Wolf", "organizer"), ("Ida Blau", "judge"))
    browser.post("/console/e1/officials/o2/duty", on=0)
    page = browser.opened()
    assert "off duty" in text_of(page)
    assert '<option value="o2">' not in page.text
    assert "off duty" in problem_of(browser.post("/console/e1/competitors/p1/warn", reason="late", by="o2"))
    browser.post("/console/e1/officials/o2/duty", on=1)
    assert '<option value="o2">' in browser.opened().text


def test_an_official_plays_with_a_second_one_only_and_the_match_says_who_rules(house: House):
    browser = event_of(house, "xwing-standard", level="relaxed")
    name(browser, ("Nina Wolf", "organizer"))
    refused = browser.post("/console/e1/officials/o1/change", role="organizer", plays="p1")
    assert "needs a second official" in problem_of(refused)
    browser.post("/console/e1/officials", name="Ida Blau", role="judge", second=1)
    browser.post("/console/e1/officials/o1/change", role="organizer", plays="p1")
    assert "plays as Ana Ruiz" in text_of(browser.opened())
    house.publish()
    theirs = next(m.id for m in house.event.live.matches if "p1" in (m.match.a, m.match.b))  # type: ignore[union-attr]
    assert "Ida Blau rules on this match" in text_of(browser.get(f"/console/e1/match/{theirs}"))


def test_where_no_official_may_play_nobody_is_asked(house: House):
    browser = event_of(house, "shatterpoint-premier")
    page = browser.opened()
    assert "Officials may not play at this level." in text_of(page)
    assert 'name="plays"' not in page.text


def test_a_large_shatterpoint_event_is_proposed_a_head_judge(house: House):
    browser = event_of(house, "shatterpoint-premier", [f"Player {n:02}" for n in range(33)])
    assert "name a head judge" in text_of(browser.opened())


# --- warnings and disqualification -------------------------------------------------------------------------------


def test_warnings_stand_beside_the_player_with_round_and_reason(house: House):
    browser = house.with_event()
    house.publish()
    browser.post("/console/e1/competitors/p2/warn", reason="slow play")
    page = text_of(browser.opened())
    assert "1 warning" in page
    assert "Warning (Round 1): slow play" in page
    assert "reason is required" in problem_of(browser.post("/console/e1/competitors/p2/warn", reason=" "))
    assert "slow play" not in text_of(house.browser().get("/e/e1/p/p2"))


def test_three_warnings_propose_a_disqualification_that_a_person_declines_or_decides(house: House):
    browser = event_of(house, "shatterpoint-premier")
    for _ in range(3):
        browser.post("/console/e1/competitors/p2/warn", reason="slow play")
    assert "Bruno Maier disqualification proposed" in text_of(browser.opened())
    browser.post("/console/e1/competitors/p2/decline")
    assert "disqualification proposed" not in text_of(browser.opened())
    browser.post("/console/e1/competitors/p2/warn", reason="again")
    assert "disqualification proposed" in text_of(browser.opened())
    browser.post("/console/e1/competitors/p2/disqualify", reason="four warnings")
    assert not house.event.entrants["p2"].active


def test_the_head_judge_proposes_and_the_organizer_decides(house: House):
    browser = house.with_event()
    name(browser, ("Nina Wolf", "organizer"), ("Ida Blau", "head_judge"), ("Tom Grau", "judge"))
    refused = browser.post("/console/e1/competitors/p3/disqualify", reason="stacked dice", by="o2")
    assert "the organizer disqualifies" in problem_of(refused)
    browser.post("/console/e1/competitors/p3/propose", reason="stacked dice", by="o2")
    page = browser.opened()
    assert "Łukasz Żak disqualification proposed" in text_of(page)
    assert 'value="stacked dice"' in page.text
    browser.post("/console/e1/competitors/p3/disqualify", reason="stacked dice", by="o1")
    assert not house.event.entrants["p3"].active


# --- at a match --------------------------------------------------------------------------------------------------


def test_a_ruling_is_appealed_and_decided_on_the_matchs_page(house: House):
    browser = house.with_event()
    name(browser, ("Nina Wolf", "organizer"), ("Ida Blau", "head_judge"), ("Tom Grau", "judge"))
    house.publish()
    at = "/console/e1/match/1.1"
    player = house.event.live.matches[0].match.a  # type: ignore[union-attr]
    browser.post(f"{at}/ruling", text="It is in range 1.", by="o3")
    browser.post(f"{at}/appeal", competitor=player)
    assert " appealed to the head judge" in text_of(browser.opened())
    assert "is upheld or changed" in problem_of(browser.post(f"{at}/appeal-decided", text="Range 2.", by="o2"))
    assert "Let the head judge enter" in problem_of(
        browser.post(f"{at}/appeal-decided", text="Range 2.", upheld=0, by="o3")
    )
    browser.post(f"{at}/appeal-decided", text="Range 2.", upheld=0, by="o2")
    page = text_of(browser.get(at))
    assert "Ruling It is in range 1. Tom Grau, judge" in page
    assert "ruling changed. Range 2. Ida Blau, head judge" in page
    assert "decision is final" in page
    assert " appealed to" not in text_of(browser.opened())


def test_the_head_judge_s_own_ruling_offers_no_appeal(house: House):
    browser = house.with_event()
    name(browser, ("Nina Wolf", "organizer"), ("Ida Blau", "head_judge"), ("Tom Grau", "judge"))
    house.publish()
    at = "/console/e1/match/1.1"
    player = house.event.live.matches[0].match.a  # type: ignore[union-attr]
    assert "/appeal" in browser.get(at).text
    browser.post(f"{at}/ruling", text="It is in range 1.", by="o2")
    page = browser.get(at)
    assert "/appeal" not in page.text
    assert "decision is final" in text_of(page)
    assert "Only a new ruling can be appealed" in problem_of(browser.post(f"{at}/appeal", competitor=player))


def test_an_extension_shows_on_the_grid_and_on_the_matchs_clock(house: House):
    browser = house.with_event()
    house.publish()
    house.service.execute_one("e1", SetClock("start"), "test")
    browser.post("/console/e1/match/1.1/extension", minutes=4)
    assert "+4" in text_of(browser.opened())
    assert "Extension: +4 min" in text_of(browser.get("/console/e1/match/1.1"))
    mine = house.event.live.matches[0].match.a  # type: ignore[union-attr]
    assert "Your table has 4 min extra" in text_of(house.browser().get(f"/e/e1/p/{mine}"))
    assert "1 to 56" in problem_of(browser.post("/console/e1/match/1.1/extension", minutes=60, sure=60))
    for typed in ("", "-5", "0", "61", "many"):
        refused = browser.post("/console/e1/match/1.1/extension", minutes=typed)
        assert refused.status_code == 400
        assert problem_of(refused).startswith("Enter an extension as a whole number of minutes, 1 to ")


def test_the_time_since_a_call_is_said_beside_an_empty_field(house: House):
    browser = house.with_event()
    house.publish()
    house.place("unit-1", 1)
    house.says("unit-1", match="1.1", call=True)
    house.time.ms += 130_000
    page = browser.get("/console/e1/match/1.1")
    assert 'name="minutes" type="number" inputmode="numeric" min="1" max="60" value="" ' in page.text, (
        "a figure that stood there would become part of what is typed: 5 and 5 is 55"
    )
    assert "This table called a judge 3 min ago." in text_of(page)


def test_a_long_extension_is_confirmed_and_any_can_be_taken_back(house: House):
    browser = house.with_event()
    house.publish()
    at = "/console/e1/match/1.1/extension"
    assert browser.post(at, minutes=15).status_code == 303
    long = browser.post(at, minutes=16)
    assert "16 minutes is a long extension" in problem_of(long)
    assert 'name="sure" value="16"' in long.text
    assert "25 minutes is a long extension" in problem_of(browser.post(at, minutes=25, sure=16)), "16 was confirmed"
    assert browser.post(at, minutes=16, sure=16).status_code == 303
    assert "Remove last 16 min" in text_of(browser.get("/console/e1/match/1.1"))
    assert browser.post(at, back=1).status_code == 303
    page = text_of(browser.get("/console/e1/match/1.1"))
    assert "15 min extension so far." in page
    assert "+16 min" not in page
    browser.post(at, back=1)
    assert "Remove last" not in text_of(browser.get("/console/e1/match/1.1"))


def test_a_closed_match_keeps_its_log_and_offers_no_extension(house: House):
    browser = house.with_event()
    house.publish()
    browser.post("/console/e1/match/1.1/ruling", text="It overlaps.")
    house.play()
    page = browser.get("/console/e1/match/1.1")
    assert "It overlaps. organizer" in text_of(page)
    assert "/extension" not in page.text


# --- late, picks, ticks ------------------------------------------------------------------------------------------


def test_a_latecomer_meets_who_has_the_bye(house: House):
    browser = house.with_event(PEOPLE[:5])
    house.publish()
    alone = next(m for m in house.event.live.matches if m.match.bye)  # type: ignore[union-attr]
    assert f'name="meets" value="{alone.id}"' in browser.opened().text
    assert "Only one player can play" in problem_of(
        browser.post("/console/e1/competitors", names="Nina Wolf\nIda Blau", meets=alone.id)
    )
    browser.post("/console/e1/competitors", names="Nina Wolf", meets=alone.id)
    page = text_of(house.browser().get("/e/e1/p/p6"))
    assert "Table 3" in page
    assert 'name="meets"' not in browser.opened().text


def test_squads_of_a_bye_are_noted(house: House):
    browser = event_of(house, "shatterpoint-premier", PEOPLE[:5])
    house.publish()
    alone = next(m for m in house.event.live.matches if m.match.bye)  # type: ignore[union-attr]
    assert "exactly 2 different" in problem_of(browser.post(f"/console/e1/match/{alone.id}/picks", picks=["1"]))
    browser.post(f"/console/e1/match/{alone.id}/picks", picks=["4", "2"])
    assert house.event.find_match(alone.id)[1].match.picks == (2, 4)  # type: ignore[index]
    page = browser.opened().text
    assert 'name="picks" value="4" checked' in page
    assert 'name="picks" value="1" checked' not in page


def test_what_the_rulebook_wants_declared_is_ticked(house: House):
    browser = event_of(house, "shatterpoint-premier")
    assert "Replacements announced" in text_of(browser.opened())
    browser.post("/console/e1/competitors/p1/tick", what="replacements", on=1)
    assert house.event.entrants["p1"].ticks == ("replacements",)
    assert 'aria-pressed="true"' in browser.opened().text
    browser.post("/console/e1/competitors/p1/tick", what="replacements", on=0)
    assert house.event.entrants["p1"].ticks == ()


def test_who_came_together_is_noted(house: House):
    browser = house.with_event()
    browser.post("/console/e1/competitors/p1/details", name="Ana Ruiz", came_with="car")
    assert house.event.entrants["p1"].came_with == "car"


def test_where_travel_groups_are_entered_the_page_says_how_the_bye_is_drawn(house: House):
    """Uniform among all (decided); Epic, whose document asks for groups apart, announces it."""
    browser = house.with_event(rulebook="xwing-epic-duel", level="informal", lists_required=False)
    said = "In round 1, the bye is drawn among all players alike."
    assert said in text_of(browser.opened())
    assert said in text_of(house.browser().get("/rules/e1"))
    house.publish()
    assert said not in text_of(browser.opened())


@pytest.mark.parametrize("language", ["es", "de", "pl"])
def test_the_console_reads_in_every_language(house: House, language: str):
    browser = house.with_event()
    name(browser, ("Nina Wolf", "organizer"), ("Ida Blau", "head_judge"))
    house.publish()
    player = house.event.live.matches[0].match.a  # type: ignore[union-attr]
    browser.post("/console/e1/match/1.1/appeal", competitor=player)
    browser.post("/console/e1/competitors/p3/warn", reason="slow play")
    browser.headers["Accept-Language"] = language
    assert browser.opened().status_code == 200
    assert browser.get("/console/e1/match/1.1").status_code == 200
