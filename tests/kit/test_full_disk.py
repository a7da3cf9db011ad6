"""A real hub whose disk takes nothing more: no word is untrue meanwhile, and nothing is lost or doubled after."""

import resource
import subprocess

from kit import Kit, wait_until
from test_power_cuts import one_entry_for_each_press, report_100_to_0, take_seats


def test_a_table_says_saved_when_the_disk_takes_something_again(kit: Kit) -> None:
    """Every write of the hub's process fails, as on a full disk, from before the confirmation on."""
    kit.start_hub(stderr=subprocess.PIPE)
    table = kit.start_table()
    take_seats(table)
    report_100_to_0(table)
    wait_until(lambda: len(kit.reports()) == 1, "the first player's report")
    before = resource.prlimit(kit.hub.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    table.tap("b")
    assert kit.hub.stderr is not None
    assert any(b"was not saved" in line for line in kit.hub.stderr), "the hub's disk refuses"
    table.wait_for("sending")
    assert len(kit.reports()) == 1
    assert table.times_shown("SAVED") == 0

    resource.prlimit(kit.hub.pid, resource.RLIMIT_FSIZE, before)
    table.wait_for("SAVED")
    one_entry_for_each_press(kit)
    assert table.times_shown("SAVED") == 1
