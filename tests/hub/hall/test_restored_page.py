"""A hub that was restored from a copy asks its tables before anything goes on, and takes over what they hold."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from pages_kit import PEOPLE, Browser, House, open_house, problem_of, text_of
from restored_kit import Evening, backup_of, evening, restored_house, results
from wire_json import table_json

from faults import fails
from roundtap_core.clock import COUNTING
from roundtap_core.errors import Problem
from roundtap_core.event.commands import DrawRound, DropCompetitor, EnterResult, FinishEvent, SwapSeats
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.mending import plan_mend
from roundtap_core.records import Result, SidePair
from roundtap_hub.store.restore_gap import lost_rounds, unsettled_matches
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import REDRAW_APPROVED
from roundtap_hub.units.device_feed import table_changes

SEVEN = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich", "Aleksandra Wiśniewska", "Ida Roth"]


def test_a_round_whose_start_the_copy_lacks_is_held_where_the_first_table_counts_it(tmp_path: Path) -> None:
    """One press on "start" would have given all tables the whole 75 minutes again."""
    with evening(tmp_path / "hub") as night:
        night.next_round()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        for table, left_ms in zip(night.tables, (None, 4_491_000, 4_300_000), strict=True):
            table.holds = {**(table.holds or {}), "left_ms": left_ms}
    with restored_house(backup, tmp_path / "again") as (house, _):
        come_back(night, house)
        assert (house.event.clock.state, house.event.clock.remaining_ms) == (COUNTING, 4_491_000)


def test_a_unit_from_elsewhere_does_not_set_the_clock(tmp_path: Path) -> None:
    """Nobody has placed it at the table that it names."""
    with evening(tmp_path / "hub") as night:
        night.next_round()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        for table, more in zip(
            night.tables,
            ({"table": 77, "left_ms": 60_000}, {"left_ms": 4_491_000}, {"left_ms": 4_300_000}),
            strict=True,
        ):
            table.holds = {**(table.holds or {}), **more}
    with restored_house(backup, tmp_path / "again") as (house, _):
        come_back(night, house)
        assert (house.event.clock.state, house.event.clock.remaining_ms) == (COUNTING, 4_491_000)


def test_the_clock_of_an_adopted_round_is_held_where_its_tables_count_it(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        night.play()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        for table, left_ms in zip(night.tables, (4_491_000, 4_490_800, 4_490_900), strict=True):
            table.holds = {**(table.holds or {}), "left_ms": left_ms}
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        assert adopt(browser, house) == ""
        assert (house.event.clock.state, house.event.clock.remaining_ms) == (COUNTING, 4_490_900)


def adopt(browser: Browser, house: House, **more: object) -> str:
    """Press "Recover round N" on the page, with what else is asked filled in; the problem, or ""."""
    browser.get("/console/restored")
    lost = lost_rounds(house.service.snapshot)[0]
    return problem_of(
        browser.post("/console/restored/adopt", event=lost.event, number=lost.number, mark=lost.mark, **more)
    )


def come_back(night: Evening, house: House) -> list[list[str]]:
    return [table.come_back(house) for table in night.tables]


def test_nothing_goes_on_before_all_tables_were_heard_or_gone_on_without(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        night.play()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
    with restored_house(backup, tmp_path / "again") as (house, browser):
        for command in (DrawRound(1), FinishEvent("the hall closes")):
            with pytest.raises(Problem, match="restored"):
                house.service.execute_one("e1", command, "test")
        assert "Restored hub" in problem_of(browser.post("/console/e1/draw", attempt=0))
        for table in night.tables[:2]:
            table.come_back(house)
        page = text_of(browser.get("/console/restored"))
        assert "No answer yet: table 3" in page
        assert "Table 3" in problem_of(browser.post("/console/restored/settled"))

        browser.post("/console/restored/without", unit="unit-3")
        assert "All tables answered" in text_of(browser.get("/console/restored"))
        browser.post("/console/restored/settled")

        assert house.service.snapshot.venue.restore_state is None
        house.service.execute_one("e1", DrawRound(1), "test")


def test_where_no_table_is_known_none_is_said_to_have_answered(tmp_path: Path) -> None:
    (tmp_path / "hub").mkdir()
    with open_house(tmp_path / "hub") as house:
        house.with_event(PEOPLE)
    backup = backup_of(tmp_path / "hub", tmp_path / "backup")
    with restored_house(backup, tmp_path / "again") as (_, browser):
        page = text_of(browser.get("/console/restored"))
        assert "All tables answered" not in page
        assert "This hub knows no tables, so it waits for none." in page
        assert re.search(r"copy ends at this event's entry #\d+", page)


def test_every_page_says_that_the_hub_was_restored_until_it_is_settled(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
    with restored_house(backup, tmp_path / "again") as (house, browser):
        stranger = house.browser()
        for path in ("/e/e1", "/e/e1/standings", "/e/e1/pairings", "/wall/e1", "/e/e1/p/p1"):
            assert "restored from a copy" in text_of(stranger.get(path)), path
        for path in ("/console", "/console/e1"):
            assert "/console/restored" in browser.get(path).text, path
        assert "/console/restored" not in browser.get("/wall/e1").text, "an organizer's projector shows it to the hall"
        assert "restored from a copy" in text_of(browser.get("/wall/e1"))
        assert re.search(r"Restored \d{4}-\d\d-\d\d \d\d:\d\d UTC\.", text_of(browser.get("/console/restored")))
        assert stranger.get("/console/restored").status_code == 302
        come_back(night, house)
        browser.get("/console/restored")
        browser.post("/console/restored/settled")
        assert "restored from a copy" not in text_of(stranger.get("/e/e1"))
        assert "Nothing to settle" in text_of(browser.get("/console/restored"))


def test_a_round_that_the_copy_lacks_is_adopted_with_its_reports(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        night.play()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.play({2: (40, 100)})
        before = results(night.house.event)
        mark = night.house.event.public_rounds[-1].mark
    with restored_house(backup, tmp_path / "again") as (house, browser):
        assert come_back(night, house) == [["accepted", "accepted", "pending", "pending"]] * 3
        page = text_of(browser.get("/console/restored"))
        assert "round 2 missing" in page
        assert "6 reports waiting" in page
        assert "Recover" in problem_of(browser.post("/console/restored/settled"))

        assert adopt(browser, house) == ""

        assert results(house.event) == before
        assert house.event.public_rounds[-1].mark == mark
        assert [table.fates() for table in night.tables] == [["accepted"] * 4] * 3
        browser.post("/console/restored/settled")
        assert house.service.snapshot.venue.restore_state is None
        house.service.execute_one("e1", FinishEvent("the hall closes"), "test")


def test_pending_reports_survive_a_restart_of_the_restored_hub(tmp_path: Path) -> None:
    from pages_kit import open_house

    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.play()
        before = results(night.house.event)
    with restored_house(backup, tmp_path / "again") as (house, _):
        assert come_back(night, house) == [["pending", "pending"]] * 3
    with open_house(tmp_path / "again") as house:
        assert len(lost_rounds(house.service.snapshot)[0].reports) == 6
        assert adopt(house.organizer(), house) == ""
        assert results(house.event) == before


def test_two_lost_rounds_are_adopted_one_after_the_other(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.play()
        night.next_round()
        night.tables[0].both(100, 7)
        before = results(night.house.event)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        assert [lost.number for lost in lost_rounds(house.service.snapshot)] == [1, 2]

        assert adopt(browser, house) == ""
        assert adopt(browser, house) == ""

        assert results(house.event) == before
        assert lost_rounds(house.service.snapshot) == []


def test_whom_no_table_knows_is_asked_of_the_organizer(tmp_path: Path) -> None:
    """Seven play: one has a bye, and one had left after the copy was made."""
    with evening(tmp_path / "hub", SEVEN) as night:
        night.next_round()
        night.play()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        single = next(m for m in night.house.event.public_rounds[0].matches if m.match.bye)
        night.house.service.execute_one("e1", DropCompetitor(single.match.a), "test")
        night.next_round()
        before = results(night.house.event)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        assert "No table knows" in text_of(browser.get("/console/restored"))
        assert "Enter what" in adopt(browser, house)
        assert len(house.event.public_rounds) == 1

        assert adopt(browser, house, **{f"who-{single.match.a}": "left"}) == ""

        assert results(house.event) == before
        assert not house.event.entrants[single.match.a].active


def test_a_table_that_stays_off_is_paired_by_the_organizer(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        off = night.tables[2].holds
        assert off is not None
        before = results(night.house.event)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        for table in night.tables[:2]:
            table.come_back(house)
        answers = {f"who-{off['a']}": off["b"], f"who-{off['b']}": off["a"]}

        assert adopt(browser, house, **answers) == ""

        held = {frozenset(line[:2]) for line in results(house.event).values()}
        assert held == {frozenset(line[:2]) for line in before.values()}


def test_tables_that_contradict_each_other_are_shown_and_nothing_is_guessed(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        first, second = night.tables[0].holds, night.tables[1].holds
        second["a"] = first["a"]
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)

        assert "plays in the matches" in text_of(browser.get("/console/restored"))
        assert "Recover round" not in text_of(browser.get("/console/restored"))
        assert "plays in the matches" in adopt(browser, house)
        assert house.event.public_rounds == ()


def test_a_round_that_is_drawn_anew_refuses_what_waited(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.tables[0].both(100, 7)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        lost = lost_rounds(house.service.snapshot)[0]
        browser.get("/console/restored")

        browser.post("/console/restored/anew", event="e1", number=1, mark=lost.mark)

        approved = {"event": "e1", "round": 1, "mark": lost.mark}
        again = house.service.execute([Step(VENUE, NewEntry(REDRAW_APPROVED, approved))], "test")
        assert again == [], "said once is enough"
        assert night.tables[0].fates() == ["refused", "refused"]
        reasons = {fate.reason for fate in house.service.snapshot.venue.refused.values()}
        assert reasons == {"drawn-anew"}
        browser.post("/console/restored/settled")
        house.service.execute_one("e1", DrawRound(3), "test")


def go_on(house: House, *units: str) -> list[bool]:
    """Whether these tables are told to go on with the round that they hold."""
    return [table_json(house.service.snapshot, unit)["lost_round"] for unit in units or ("unit-1", "unit-2", "unit-3")]


def test_tables_go_on_with_the_round_that_the_copy_lacks_until_it_is_adopted(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        night.play()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        assert go_on(night.house) == [False] * 3
        night.next_round()
    with restored_house(backup, tmp_path / "again") as (house, browser):
        assert go_on(house) == [False] * 3, "none was heard yet"
        night.tables[0].hello(house)
        assert go_on(house) == [True, False, False]
        come_back(night, house)
        before = house.service.snapshot

        assert adopt(browser, house) == ""

        assert go_on(house) == [False] * 3
        assert "e1" in table_changes(before, house.service.snapshot).events


def test_tables_follow_the_hub_once_their_round_is_to_be_drawn_anew(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        assert go_on(house) == [True] * 3
        lost, before = lost_rounds(house.service.snapshot)[0], house.service.snapshot
        browser.get("/console/restored")

        browser.post("/console/restored/anew", event="e1", number=1, mark=lost.mark)

        assert go_on(house) == [False] * 3
        told = table_changes(before, house.service.snapshot)
        assert told.units == {"unit-1", "unit-2", "unit-3"}, "each is sent its view"


def test_a_table_of_an_event_that_the_copy_does_not_know_goes_on_until_all_is_settled(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.tables[0].holds = {**(night.tables[0].holds or {}), "event": "eother"}
        for table in night.tables[1:]:
            table.holds = None
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        assert go_on(house) == [True, False, False]
        before = house.service.snapshot
        browser.get("/console/restored")

        browser.post("/console/restored/settled")

        assert go_on(house) == [False] * 3
        assert "unit-1" in table_changes(before, house.service.snapshot).units


def test_a_table_that_was_off_since_an_earlier_round_follows_the_hub(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        night.play()
        held = {**(night.tables[0].holds or {}), "draw": "an earlier one"}
        night.next_round()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
    with restored_house(backup, tmp_path / "again") as (house, _):
        night.tables[0].holds = held
        come_back(night, house)
        assert go_on(house) == [False] * 3


def test_of_two_draws_of_one_round_the_adopted_one_is_followed(tmp_path: Path) -> None:
    """Table 1 was off when the round was drawn again, and holds the first draw of it."""
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.tables[0].holds = {**(night.tables[0].holds or {}), "draw": "the first one"}
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        assert go_on(house) == [True] * 3
        mark = night.tables[1].holds and night.tables[1].holds["draw"]
        first = night.house.event.public_rounds[-1].matches[0].match
        browser.get("/console/restored")

        assert (
            problem_of(
                browser.post(
                    "/console/restored/adopt",
                    event="e1",
                    number=1,
                    mark=mark,
                    **{f"who-{first.a}": first.b, f"who-{first.b}": first.a},
                )
            )
            == ""
        )

        assert go_on(house) == [False] * 3


def test_reports_of_an_event_that_the_copy_does_not_know_are_kept_and_refused_at_the_end(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.tables[0].holds = {**(night.tables[0].holds or {}), "event": "eother"}
        table = night.tables[0]
        assert table.holds is not None
        night.tables[0].reports.append(
            {
                "report_id": "lost",
                "unit": "unit-1",
                "event": "eother",
                "match": "1.1",
                "side": "a",
                "revision": 0,
                "result": {"score": {"a": 100, "b": 0}},
                "draw": "other",
                "serial": 1,
                "agrees_to": None,
                "round": 1,
                "a": "p1",
                "b": "p2",
            }
        )
        for each in night.tables[1:]:
            each.holds = None
    with restored_house(backup, tmp_path / "again") as (house, browser):
        assert come_back(night, house)[0] == ["pending"]
        assert "eother (not in the copy)" in text_of(browser.get("/console/restored"))
        browser.post("/console/restored/settled")
        assert night.tables[0].fates() == ["refused"]


def corrected_after_the_copy(tmp_path: Path) -> tuple[Evening, Path, dict[str, Any]]:
    """100:20 is in the copy, the official's 100:50 at the table only. The evening, its copy, the table's match."""
    with evening(tmp_path / "hub") as night:
        night.next_round()
        night.play({1: (100, 20)})
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        match = night.tables[0].holds
        night.house.service.execute_one("e1", EnterResult(match["match"], 0, Result(score=SidePair(100, 50))), "test")
        night.look()
        return night, backup, match


def test_an_official_s_result_that_the_copy_took_back_is_shown_side_by_side(tmp_path: Path) -> None:
    night, backup, match = corrected_after_the_copy(tmp_path)
    for take, stands in (("tables", 50), ("copy", 20)):
        with restored_house(backup, tmp_path / take) as (house, browser):
            come_back(night, house)
            page = browser.get("/console/restored")
            assert re.search(r"Table: 100 : 50 .*Copy: 100 : 20", text_of(page))
            assert "table and copy differ" in problem_of(browser.post("/console/restored/settled"))

            browser.post("/console/restored/point", point=unsettled_matches(house.service.snapshot)[0].key, take=take)

            found = house.event.find_match(match["match"])
            assert found[1].match.result == Result(score=SidePair(100, stands))
            assert unsettled_matches(house.service.snapshot) == []
            browser.post("/console/restored/settled")
            assert house.service.snapshot.venue.restore_state is None


def test_who_would_come_into_the_cut_by_a_table_s_result_is_called_by_name(
    tmp_path: Path,
) -> None:
    night, backup, match = corrected_after_the_copy(tmp_path)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        house.service.meanwhile = fails(Problem("cut_would_change", comes=match["a"], goes=match["b"]))
        said = problem_of(
            browser.post(
                "/console/restored/point", point=unsettled_matches(house.service.snapshot)[0].key, take="tables"
            )
        )
        people = house.service.snapshot.people["e1"]
        assert people[match["a"]].name in said
        assert people[match["b"]].name in said


def test_an_official_s_result_in_a_lost_round_comes_back_with_it(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.play()
        match = night.tables[1].holds
        night.house.service.execute_one("e1", EnterResult(match["match"], 0, Result(score=SidePair(3, 100))), "test")
        night.look()
        before = results(night.house.event)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)

        assert adopt(browser, house) == ""

        assert results(house.event) == before
        found = house.event.find_match(match["match"])
        assert (found[1].revision, found[1].decided) == (1, True)
        assert unsettled_matches(house.service.snapshot) == []


def test_a_unit_that_was_placed_after_the_copy_counts_once_an_organizer_has_put_it_back(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.house.place("unit-3", 9)
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.house.place("unit-3", 3)
        night.next_round()
        night.play()
        before = results(night.house.event)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        [lost] = lost_rounds(house.service.snapshot)
        assert {claim.unit for claim in lost.claims} == {"unit-1", "unit-2"}
        assert "unit-3 was at table 3, by its own data" in text_of(browser.get("/console/restored"))
        browser.post("/console/restored/place", unit="unit-3", table=3)
        assert "by its own data" not in text_of(browser.get("/console/restored"))

        assert adopt(browser, house) == ""

        assert results(house.event) == before
        assert house.service.snapshot.venue.tables["unit-3"] == 3


def test_nobody_is_put_where_no_unit_says_that_it_stood(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        browser.get("/console/restored")
        assert "settled" in problem_of(browser.post("/console/restored/place", unit="unit-3", table=4))
        assert house.service.snapshot.venue.tables["unit-3"] == 3


def test_what_tables_know_beyond_the_copy_is_counted(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.play()
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        page = text_of(browser.get("/console/restored"))
        assert "The tables have 6 later entries" in page
        assert "is lost" in page


def test_a_swap_that_the_copy_lacks_is_said_where_the_table_shows_others(tmp_path: Path) -> None:
    """Once it is done again, what the table has reported counts for those who sit there."""
    with evening(tmp_path / "hub") as night:
        night.next_round()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        one, two = (m.match.a for m in night.house.event.rounds[-1].matches[:2])
        number = night.house.event.rounds[-1].number
        swap = SwapSeats(number, (one, two), "a car")
        night.house.service.execute_one("e1", replace(swap, plan=plan_mend(night.house.event, swap).mark), "test")
        for table in night.tables:
            table.look()
        first = next(table for table in night.tables if (table.holds or {}).get("a") == two)
        first.both(100, 24)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        come_back(night, house)
        page = text_of(browser.get("/console/restored"))
        assert page.count("Someone changed this by hand later") == 2
        browser.get(f"/console/e1/mend?do=swap&first={one}&second={two}")
        again = replace(swap, plan=plan_mend(house.event, swap).mark)
        house.service.execute_one("e1", again, "test")
        assert "changed this by hand" not in text_of(browser.get("/console/restored"))
        [point] = unsettled_matches(house.service.snapshot)
        browser.post("/console/restored/point", point=point.key, take="tables")
        browser.post("/console/restored/settled")
        assert house.service.snapshot.venue.restore_state is None
        assert {fate.fate for fate in house.event.fates.values()} == {"accepted"}
        match = next(m for m in house.event.rounds[-1].matches if m.match.a == two)
        assert match.match.result is not None
