"""A second Pi takes the hub's place: the hub killed, or cut off while both live; no acknowledged result is lost."""

from collections import Counter
from pathlib import Path

import pytest

from kit import end, wait_until
from roundtap.main import main
from roundtap_core.event.entries import VENUE
from roundtap_core.words import catalogue
from standby_kit import StandbyKit, answers, ask
from test_power_cuts import report_100_to_0, take_seats

KIT = StandbyKit


def report_ids(kit: StandbyKit, folder: Path) -> Counter[str]:
    return Counter(str(e.data["report_id"]) for e in kit.entries_of(folder) if e.kind == "report")


def test_a_standby_that_is_plugged_in_last_takes_the_place_of_a_hub_that_was_killed(kit: StandbyKit) -> None:
    """The usual morning: hub and tables are on before the second Pi, and find it. What was saved is there when it
    becomes the hub, and the old hub, once it comes back, takes nothing."""
    kit.start_hub()
    table = kit.start_table()
    take_seats(table)
    kit.start_standby()
    memory = kit.folder / "unit-1" / "unit.json"
    wait_until(lambda: f":{kit.second_port}" in memory.read_text(), "the table to be told")
    report_100_to_0(table)
    # What is on the first disk only is not acknowledged yet: the table would send it again.
    wait_until(lambda: len(report_ids(kit, kit.standby_folder)) == 1, "the first player's report on both disks")

    kit.kill_hub()
    before = kit.entries()
    assert [e.hash for e in kit.entries_of(kit.standby_folder)] == [e.hash for e in before]
    kit.promote()
    table.tap("b")

    table.wait_for("SAVED")
    assert set(report_ids(kit, kit.standby_folder).values()) == {1}
    assert len(report_ids(kit, kit.standby_folder)) == 2
    assert [e.hash for e in kit.entries_of(kit.standby_folder)][: len(before)] == [e.hash for e in before]
    epochs = [e.data["epoch"] for e in kit.entries_of(kit.standby_folder, VENUE) if e.kind == "epoch-begun"]
    assert len(set(epochs)) == 2

    kit.start_hub()
    wait_until(lambda: ask(kit.port, "/")[0] == 503, "the old hub to hear of the new one")
    assert f":{kit.second_port}/" in ask(kit.port, "/")[1].decode()
    assert answers(kit.second_port)
    assert ask(kit.second_port, "/")[0] in (200, 302)
    assert len(kit.reports()) == 1


@pytest.mark.long
def test_cut_off_while_both_live_the_old_hub_stops_when_it_hears_and_nothing_is_lost(kit: StandbyKit) -> None:
    """The standby's cable is out and somebody turns its key; tables still report to the old hub, which says SAVED.
    When the networks meet again, the old hub stops, and what it alone took comes to the new one, once."""
    kit.start_hub()
    kit.start_standby()
    kit.standby_net.cut()
    table = kit.start_table()
    take_seats(table)
    report_100_to_0(table)
    table.tap("b")
    table.wait_for("SAVED")
    assert len(kit.reports()) == 2

    kit.promote()
    wait_until(lambda: ask(kit.port, "/standby/lineage")[1].endswith(b'"hub":false}'), "the old hub to stop")
    status, page = ask(kit.port, "/")
    assert status == 503
    assert catalogue("roundtap_hub", "en")("taken_over") in page.decode()
    assert page.decode().count("100:0") == 2, "what it alone accepted is listed"
    wait_until(lambda: len(report_ids(kit, kit.standby_folder)) == 2, "both reports at the new hub")
    assert set(report_ids(kit, kit.standby_folder).values()) == {1}
    assert report_ids(kit, kit.standby_folder) == report_ids(kit, kit.hub_folder)
    before = len(kit.reports())
    assert ask(kit.port, f"/e/{kit.event}")[0] == 503
    assert len(kit.reports()) == before


@pytest.mark.long
def test_a_standbys_folder_alone_makes_a_hub_that_a_table_goes_on_with(kit: StandbyKit) -> None:
    """Its Pi is dead as well, its card is not: that card's folder is the source."""
    kit.start_hub()
    table = kit.start_table()
    take_seats(table)
    kit.start_standby()
    report_100_to_0(table)
    wait_until(lambda: len(report_ids(kit, kit.standby_folder)) == 1, "the first player's report on both disks")
    kit.kill_hub()
    assert kit.standby is not None
    end(kit.standby)
    kit.hub_folder = kit.folder / "new card"

    assert main(["recover", "--from", str(kit.standby_folder), "--data", str(kit.hub_folder)]) == 0

    kit.start_hub()
    table.tap("b")
    table.wait_for("SAVED")
    assert len(kit.reports()) == 2
