"""Floors measured beside the hub: a bare exchange on loopback, raw SQLite commits."""

import json
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rig.floor_servers import Server
from rig.table import p50, p99

COMMITS = """
import json, sqlite3, sys, time
database, rows_each, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
link = sqlite3.connect(database, isolation_level=None)
link.execute("PRAGMA journal_mode=WAL")
link.execute("PRAGMA synchronous=FULL")
link.execute("CREATE TABLE entry (stream TEXT, number INTEGER, kind TEXT, version INTEGER, at TEXT, actor TEXT, "
             "data TEXT, prev TEXT, hash TEXT, PRIMARY KEY (stream, number))")
row = ("report", 1, "x" * 130, "unit:table-12", "y" * 420, "a" * 64, "b" * 64)
begin, number = time.monotonic(), 0
while time.monotonic() - begin < seconds:
    link.execute("BEGIN")
    link.executemany("INSERT INTO entry VALUES (?,?,?,?,?,?,?,?,?)",
                     [("e1", number + i, *row) for i in range(rows_each)])
    link.execute("COMMIT")
    number += rows_each
print(number / (time.monotonic() - begin))
"""


def round_trips_ms(core: int | None, count: int = 400) -> tuple[float, float]:
    """p50 and p99 of an exchange of 700 bytes with a process on the hub's core that does nothing; pauses between."""
    taken = []
    with Server("echo", core) as server, socket.create_connection(("127.0.0.1", server.port), timeout=10) as talk:
        talk.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(count):
            begin = time.monotonic()
            talk.sendall(b"x" * 700)
            left = 700
            while left:
                left -= len(talk.recv(left))
            taken.append((time.monotonic() - begin) * 1000)
            time.sleep(0.002)
    return p50(taken) or 0.0, p99(taken) or 0.0


def raw_commits_per_s(rows_each: int, seconds: float, wrapper: tuple[str, ...] = ()) -> float:
    """Rows a second into a fresh SQLite file as the journal has it (WAL, FULL), `rows_each` to a commit; nothing else
    is done."""
    with tempfile.TemporaryDirectory(prefix="roundtap-bench-") as folder:
        said = subprocess.run(
            [*wrapper, sys.executable, "-c", COMMITS, str(Path(folder) / "raw.db"), str(rows_each), str(seconds)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds + 60,
            check=True,
        )
    return float(said.stdout)


def children_cpu_s() -> float:
    """Processor time of all child processes that have ended, in microseconds' steps: `os.times` has hundredths of a
    second, which are a quarter of such a floor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def journal_row_bytes(database: Path) -> float:
    """How long a report's row is on average, so that one sees that the floor writes rows like it."""
    link = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        found = link.execute(
            "SELECT avg(length(at) + length(data) + length(prev) + length(hash) + length(actor)) "
            "FROM entry WHERE kind = 'report'"
        ).fetchone()
    finally:
        link.close()
    return float(json.loads(str(found[0] or 0)))
