"""The promise of the kit: whatever dies in whichever moment, a press becomes exactly one entry and one SAVED."""

import signal
from collections import Counter
from functools import partial

from kit import Kit, Table, wait_until

KIT = partial(Kit, tables=2)


def take_seats(table: Table) -> None:
    table.wait_for("press")
    table.tap("a")
    table.tap("b")


def report_100_to_0(table: Table) -> None:
    """The left player's button, again for 0, up to the other's question."""
    table.tap("a", "a")
    table.wait_for("yes")


def one_entry_for_each_press(kit: Kit, presses: int = 2) -> None:
    """Both sides of a match pressed: two reports, each with one entry, and the second of them made the result stand."""
    ids = Counter(str(entry.data["report_id"]) for entry in kit.reports())
    assert len(ids) == presses
    assert set(ids.values()) == {1}
    assert [entry.data["fate"] for entry in kit.reports()] == ["accepted"] * presses


def test_a_press_becomes_saved_even_when_the_unit_dies_with_it_on_its_disk(kit: Kit) -> None:
    """Nothing happens to table 1. That of table 2 dies after its fsync and before anything was sent: the restarted unit
    sends it."""
    kit.start_hub()
    tables = {number: kit.start_table(number) for number in (1, 2)}
    for table in tables.values():
        take_seats(table)
    for table in tables.values():
        report_100_to_0(table)
    wait_until(lambda: len(kit.reports()) == 2, "the first player's report at both")
    tables[1].tap("b")
    tables[1].wait_for("SAVED")
    assert f"#{kit.reports()[-1].number}" in tables[1].text
    kit.stop_table(2)
    table = kit.start_table(2, crash_at="after-outbox-fsync")
    table.wait_for("yes")

    table.tap("b")
    kit.wait_table_died(2)
    assert len(kit.reports()) == 3
    tables[2] = kit.start_table(2)

    tables[2].wait_for("SAVED")
    one_entry_for_each_press(kit, presses=4)
    assert [table.times_shown("SAVED") for table in tables.values()] == [1, 1]


def test_a_table_that_loses_its_power_after_saved_asks_nobody_again(kit: Kit) -> None:
    """Started again while nobody answers: the result, and no question. The hub's word is the same afterwards."""
    kit.start_hub()
    table = kit.start_table(1)
    take_seats(table)
    report_100_to_0(table)
    table.tap("b")
    table.wait_for("SAVED")
    kit.stop_table(1, signal.SIGKILL)
    kit.stop_hub()
    saved = f"#{kit.reports()[-1].number}"

    table = kit.start_table(1)
    wait_until(lambda: saved in table.text or "asking the hub" in table.text, "the result")
    table.tap("up")
    kit.start_hub()
    table.wait_for(saved)

    one_entry_for_each_press(kit)
    assert not any("Won?" in text or "Right?" in text or "press button" in text for text in table.texts)


def test_the_hub_dies_around_its_commit(kit: Kit) -> None:
    """After the commit of table 1 and before its echo: known again by its id. Before the commit of table 2: sent again,
    and taken."""
    kit.start_hub()
    tables = [kit.start_table(number) for number in (1, 2)]
    for table in tables:
        take_seats(table)
    for table in tables:
        report_100_to_0(table)
    wait_until(lambda: len(kit.reports()) == 2, "the first player's report at both")
    kit.stop_hub()

    kit.start_hub(crash_at="after-commit")
    tables[0].tap("b")
    kit.wait_hub_died()
    assert len(kit.reports()) == 3
    assert tables[0].times_shown("SAVED") == 0
    kit.start_hub(crash_at="before-commit")
    tables[0].wait_for("SAVED")

    tables[1].tap("b")
    kit.wait_hub_died()
    assert len(kit.reports()) == 3
    assert tables[1].times_shown("SAVED") == 0
    kit.start_hub()
    tables[1].wait_for("SAVED")

    one_entry_for_each_press(kit, presses=4)
    assert [table.times_shown("SAVED") for table in tables] == [1, 1]
