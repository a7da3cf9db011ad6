"""Targets that need no hub: event files for the headless commands, rows of a journal; in a process that may be lost."""

import json
import random
import select
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import hostile
from under_fire import PATIENCE_S, Tally, cpu_s, rss_mb

CHILD = Path(__file__).with_name("child.py")
COMMANDS = ("check", "standings", "pair", "bracket")


class Child:
    """`python child.py`: takes a line of work, answers one; started anew when it ends."""

    def __init__(self) -> None:
        self.process = self._start()
        self.answered = ""

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def does(self, *work: str) -> bool:
        """Whether it answered; what, is in `answered`."""
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(work).encode() + b"\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
            self.answered = self.process.stdout.readline().decode() if ready else ""
        except OSError:
            self.answered = ""
        if not self.answered:
            self.stop()
            self.process = self._start()
            return False
        return True

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


def fire(name: str, many: int, rng: random.Random, folder: Path) -> tuple[Tally, float]:
    """One of "headless" and "rows": what came of it, and how much the child grew."""
    tally, child = Tally(), Child()
    make = _Files(rng, folder) if name == "headless" else _Rows(rng, folder)
    try:
        growth_from = 0.0
        for number in range(many):
            work = make.next()
            before_s = cpu_s(child.process)
            answered = child.does(name, *work)
            slow = tally.took(worked_s := cpu_s(child.process) - before_s)
            if not answered:
                tally.ends += 1
                tally.failed(f"no answer: {make.what()}")
            elif child.answered.strip() != "well":
                tally.failed(f"{child.answered.strip()[:400]}: {make.what()}")
            elif slow:
                tally.failed(f"slow: processor {worked_s:.1f} s {' '.join(work[:1])} {make.what()}")
            if number in (min(20, many // 2), 300):
                growth_from = rss_mb(child.process)
        return tally, rss_mb(child.process) - growth_from
    finally:
        child.stop()


class _Files:
    def __init__(self, rng: random.Random, folder: Path) -> None:
        self._rng = rng
        self._folder = folder / "files"
        self._folder.mkdir(exist_ok=True)
        self._seeds = [raw for _, raw in _headless_seeds()]
        self._honest = [json.loads(raw) for raw in map(json.dumps, _honest_files())]
        self._now = b""

    def next(self) -> tuple[str, ...]:
        path = self._folder / "event.json"
        self._now = (
            self._seeds.pop()
            if self._seeds
            else hostile.as_bytes(hostile.spoilt(self._rng.choice(self._honest), self._rng), self._rng)
        )
        path.write_bytes(self._now)
        return (self._rng.choice(COMMANDS), str(path))

    def what(self) -> str:
        return repr(self._now[:300])


class _Rows:
    """The journal of an event with one cell changed."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        from roundtap.demo.demo import make_event

        self._rng = rng
        self._whole = folder / "whole"
        self._spoilt = folder / "spoilt"
        self._whole.mkdir(exist_ok=True)
        self._spoilt.mkdir(exist_ok=True)
        make_event(self._whole / "roundtap.db", 8, 4, "xwing-standard", event_id="e1")
        with sqlite3.connect(self._whole / "roundtap.db") as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.execute("PRAGMA journal_mode=DELETE")
            self._columns = {
                table: [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                for table in ("person", "entry", "checkpoint")
            }
        self._now = ""

    def next(self) -> tuple[str, ...]:
        rng, path = self._rng, self._spoilt / "roundtap.db"
        for left in self._spoilt.iterdir():
            left.unlink()
        shutil.copy(self._whole / "roundtap.db", path)
        table = rng.choice(("person", "person", "entry", "checkpoint"))
        column = rng.choice(self._columns[table])
        with sqlite3.connect(path) as database:
            rows = [row[0] for row in database.execute(f"SELECT rowid FROM {table}")]
            if table == "checkpoint" and not rows:
                database.execute("INSERT INTO checkpoint VALUES ('e1', 1000, 'boot', 1000)")
                rows = [1]
            row = rng.choice(rows)
            was = database.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()[0]
            made = self._spoil(was)
            self._now = f"{table}.{column} = {made!r}"[:300]
            value = "CAST(? AS TEXT)" if isinstance(made, bytes) and rng.random() < 0.7 else "?"
            try:
                database.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = ?", (made, row))
            except (sqlite3.Error, OverflowError, UnicodeError):
                self._now = "as it was"
        return (str(path),)

    def _spoil(self, was: Any) -> Any:
        rng = self._rng
        if isinstance(was, str) and rng.random() < 0.6:
            return hostile.torn(was.encode(), rng)
        if isinstance(was, str) and rng.random() < 0.5:
            try:
                return json.dumps(hostile.spoilt(json.loads(was), rng))
            except ValueError:
                pass
        made = hostile.value(rng, 1)
        return made if isinstance(made, int | float | str | None) else json.dumps(made)

    def what(self) -> str:
        return self._now


def _honest_files() -> list[dict[str, Any]]:
    people = [{"id": f"p{n}", "name": f"Player {n}", "list": {"faction": "Rebel", "total": 90 + n}} for n in range(8)]

    def played(number: int, step: int) -> dict[str, Any]:
        return {
            "number": number,
            "stage": "swiss",
            "draw": {"seed": number, "attempt": 1},
            "matches": [
                {
                    "table": n + 1,
                    "a": f"p{n}",
                    "b": f"p{4 + (n + step) % 4}",
                    "result": {"score": {"a": 100, "b": 10 * n}},
                }
                for n in range(4)
            ],
        }

    base = {"format": "roundtap-event/1", "name": "E", "seed": 7, "competitors": people}
    files = [
        {
            **base,
            "rulebook": book,
            "options": {"structure": "own", "swiss_rounds": 3, "cut": 4},
            "rounds": [played(1, 0), played(2, 1)],
        }
        for book in ("xwing-standard", "xwing-epic-duel")
    ]
    own = {"structure": "own", "swiss_rounds": 2}
    files.append(
        {
            **base,
            "rulebook": "shatterpoint-premier",
            "options": own,
            "rounds": [
                {
                    "number": 1,
                    "matches": [
                        {
                            "table": n + 1,
                            "a": f"p{n}",
                            "b": f"p{4 + n}",
                            "result": {
                                "score": {"a": 2, "b": 1},
                                "wounds": {"a": 3, "b": 1},
                                "picks": {"a": [1, 3], "b": [2, 4]},
                            },
                        }
                        for n in range(4)
                    ],
                }
            ],
        }
    )
    files.append(
        {
            **base,
            "rulebook": "warlords-of-terra",
            "options": own,
            "rounds": [
                {
                    "number": 1,
                    "matches": [
                        {
                            "table": n + 1,
                            "a": f"p{n}",
                            "b": f"p{4 + n}",
                            "result": {"score": {"a": 20, "b": -3}, "winner": "a"},
                        }
                        for n in range(4)
                    ],
                }
            ],
        }
    )
    files.append(
        {
            **base,
            "rulebook": "keyforge-archon",
            "options": own,
            "rounds": [
                {
                    "number": 1,
                    "matches": [
                        {
                            "table": n + 1,
                            "a": f"p{n}",
                            "b": f"p{4 + n}",
                            "result": {"score": {"a": 1, "b": 0}, "winner": "a"},
                        }
                        for n in range(4)
                    ],
                }
            ],
        }
    )
    return files


def _headless_seeds() -> list[tuple[str, bytes]]:
    from on_the_wire import seeds

    base = _honest_files()[0]
    large = {**base, "competitors": [{"id": f"p{n}", "name": f"P{n}"} for n in range(2048)], "rounds": []}
    byes = {**base, "rounds": [{"number": 1, "matches": [{"a": f"p{n}", "bye": "bye"} for n in range(8)]}]}
    many = {**base, "rounds": [{**base["rounds"][0], "number": n} for n in range(1, 31)]}
    return [("import", raw) for raw in seeds()["import"]] + [
        (name, json.dumps(made).encode()) for name, made in (("large", large), ("byes", byes), ("many", many))
    ]
