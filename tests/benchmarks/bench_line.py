"""The line measured: press to SAVED at many tables, memory, and 200 reports on a disk whose fsync takes 30 ms.

    python tests/benchmarks/bench_line.py [--tables N]
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "kit"))

from kit import READ_S, TAP_S, Kit, Table
from roundtap.kit.leash import clean_up_when_told_to_end
from roundtap_core.wire import ECHO, REPORT, opened, sign

REPORTS = 200
# -D: the hub itself is the process that was started, and strace watches from the side. The other way round strace
# keeps every signal to end from the hub, and the hub outlives it.
SLOW_FSYNC = ("strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync,fdatasync",
              "-e", "inject=fsync,fdatasync:delay_exit=30000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=16, help="how many press")
    # The other benchmarks' options come here too.
    chosen, _ = parser.parse_known_args()
    clean_up_when_told_to_end()
    with tempfile.TemporaryDirectory() as folder:
        press_to_saved(Path(folder), chosen.tables)
    for wrapper, name in (((), "the disk as it is"), (SLOW_FSYNC, "fsync 30 ms slower")):
        if wrapper and not shutil.which(wrapper[0]):
            print("200 reports, slow fsync: left out, strace is not installed (apt install strace)")
            continue
        with tempfile.TemporaryDirectory() as folder:
            many_reports(Path(folder), wrapper, name)


def press_to_saved(folder: Path, table_count: int) -> None:
    """Tables confirm again and again: each time a correction that adds ten points to the loser, up to 90."""
    kit = Kit(folder, table_count, players=max(4, 2 * table_count))
    try:
        kit.start_hub()
        tables = [kit.start_table(n) for n in range(1, table_count + 1)]
        rand = random.Random(2026).random
        with ThreadPoolExecutor(table_count) as pool:
            list(pool.map(_first_report, tables))
            for name, spread_s, times in (("each in its own moment of 2 s", 2.0, 7), ("all at once", 0.0, 2)):
                taken_ms: list[float] = []
                for _ in range(times):
                    waits_s = [rand() * spread_s for _ in tables]
                    taken_ms += pool.map(_correct, tables, waits_s)
                _print(f"{table_count} tables, {name}", taken_ms)
        assert kit.hub is not None
        units = [_resident_mb(unit.pid) for unit in kit.units.values()]
        print(f"resident: hub {_resident_mb(kit.hub.pid):.0f} MB, unit {max(units):.0f} MB "
              f"(the largest of {table_count})")
    finally:
        kit.stop()


def _first_report(table: Table) -> None:
    table.wait_for("press")
    table.tap("a", "b", "a", "a")
    table.wait_for("yes")
    table.tap("b")
    table.wait_for("SAVED")


def _print(name: str, taken_ms: list[float]) -> None:
    taken_ms.sort()
    p99 = taken_ms[int(len(taken_ms) * 0.99)]
    print(f"confirming press to SAVED on the screen, {name}, {len(taken_ms)} presses: "
          f"median {statistics.median(taken_ms):.0f} ms, p99 {p99:.0f} ms, worst {taken_ms[-1]:.0f} ms "
          f"(the finger's {TAP_S * 1000:.0f} ms on the button included)")


def _correct(table: Table, after_s: float) -> float:
    # For a moment after SAVED the table takes no correction.
    time.sleep(1.7)
    table.tap("a", "up", "a", "a")
    table.wait_for("yes")
    # A question is read first: the table takes no answer that nobody can have meant.
    time.sleep(READ_S + after_s)
    start = time.monotonic()
    table.hold("b")
    time.sleep(TAP_S)
    table.release("b")
    table.wait_for("SAVED")
    return (time.monotonic() - start) * 1000


def many_reports(folder: Path, wrapper: tuple[str, ...], name: str) -> None:
    """200 different reports within one second; each is acknowledged by the hub's signed echo."""
    kit = Kit(folder, tables=REPORTS // 2, players=REPORTS)
    try:
        kit.start_hub(wrapper=wrapper)
        begin = time.monotonic() + 0.2
        done: list[float] = []
        lock = threading.Lock()

        def send(number: int) -> None:
            time.sleep(max(0.0, begin + number / REPORTS - time.monotonic()))
            _post(kit, number)
            with lock:
                done.append(time.monotonic() - begin)

        with ThreadPoolExecutor(REPORTS) as pool:
            list(pool.map(send, range(REPORTS)))
        print(f"{REPORTS} reports in one second, {name}: the last acknowledged after {max(done):.2f} s, "
              f"{len(kit.reports())} in the journal")
    finally:
        kit.stop()


def _post(kit: Kit, number: int) -> None:
    table, side = number // 2 + 1, "ab"[number % 2]
    unit = f"table-{table}"
    report = {"report_id": f"r{number}", "unit": unit, "event": "e1", "match": f"1.{table}", "side": side,
              "revision": 0, "result": {"score": {"a": 100, "b": 24}}}
    connection = http.client.HTTPConnection("127.0.0.1", kit.port, timeout=30)
    connection.request("POST", "/device/report", json.dumps(
        {"report": report, "mac": sign(kit.keys[unit], REPORT, report)}), {"Content-Type": "application/json"})
    echo = opened(kit.keys[unit], ECHO, json.loads(connection.getresponse().read()))
    assert echo is not None
    assert echo["fate"] == "accepted", echo
    connection.close()


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(pid)


if __name__ == "__main__":
    main()
