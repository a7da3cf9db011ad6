"""Who is logged in: random tokens of which only the hash is kept, on the disk, with the life that is left to each."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.private_files import write_private

log = logging.getLogger(__name__)

IDLE_MS = 4 * 3600_000
"""So long a session lives without being used."""
LIFE_MS = 24 * 3600_000
"""So long at the most, however much it is used; the time in which the machine is off does not count."""
NOTED_EVERY_MS = 60_000
"""A use is on the disk after so long at the latest: a power cut gives back no more life than that."""
KEPT = 64
TOKEN_BYTES = 32
AGENT_LETTERS = 200


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that is logged in. `id` may be shown; `hash` is SHA-256 of its token, which only the browser has.

    `began_ms` and `used_ms` are monotonic milliseconds of this boot, and may lie before its beginning.
    """

    id: str
    hash: str
    address: str
    agent: str
    began_ms: int
    used_ms: int
    wall: str | None = None
    """When it began, where the machine knew."""
    person: str = ""
    """Whose PIN opened it (staff.py); "": the hub's one."""
    pin: str = ""
    """Of the PIN that opened it (`pin_mark` in staff.py): with any other the session is over."""


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def form_token(token: str, secret: bytes) -> str:
    """What every form of the browser with this token carries."""
    return hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()[:32]


class Sessions:
    """All sessions of a hub; any thread may ask. `path`: where they outlive it; None: nowhere.

    Time is counted by `clocks` alone: what somebody does to the system's time ends no session and prolongs none.
    """

    def __init__(self, clocks: Clocks, path: Path | None = None,
                 chance: Callable[[int], str] = secrets.token_urlsafe) -> None:
        self._clocks = clocks
        self._path = path
        self._chance = chance
        self._lock = threading.Lock()
        self._kept: dict[str, Session] = {}
        self._noted_ms = clocks.mono_ms()
        if path is not None:
            self._read(path)

    def _read(self, path: Path) -> None:
        """Take up what a hub before left behind; an earlier one noted the hub's PIN once, for all of them."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            rows = [self._taken_up({"pin": found.get("pin"), **row}) for row in found["sessions"]]
            self._kept = {each.hash: each for each in rows}
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            # Organizers log in again: nothing else hangs on this file.
            log.warning("the sessions in %s cannot be read; everybody has to log in again", path)

    def begin(self, address: str, agent: str, person: str = "", pin: str = "") -> str:
        """Log a browser in, of one of the staff, or with the hub's PIN. Returns its token, which is nowhere else."""
        token, now = self._chance(TOKEN_BYTES), self._clocks.mono_ms()
        session = Session(token_hash(token)[:12], token_hash(token), address, agent[:AGENT_LETTERS], now, now,
                          self._clocks.wall(), person, pin)
        with self._lock:
            self._kept = {hash: each for hash, each in self._kept.items() if self._lives(each, now)}
            while len(self._kept) >= KEPT:
                del self._kept[min(self._kept.values(), key=lambda each: each.used_ms).hash]
            self._kept[session.hash] = session
            self._write(now)
        return token

    def find(self, token: str) -> Session | None:
        """The living session of this token."""
        session = self._kept.get(token_hash(token)) if token else None
        return session if session is not None and self._lives(session, self._clocks.mono_ms()) else None

    def use(self, session: Session) -> None:
        """Somebody did something in it: its idle time begins anew."""
        now = self._clocks.mono_ms()
        with self._lock:
            if session.hash in self._kept:
                self._kept[session.hash] = replace(self._kept[session.hash], used_ms=now)
                if now - self._noted_ms >= NOTED_EVERY_MS:
                    self._write(now)

    def end(self, session_id: str) -> None:
        self._keep_only(lambda each: each.id != session_id)

    def end_others(self, than: Session) -> None:
        self._keep_only(lambda each: each.hash == than.hash)

    def listed(self) -> list[tuple[Session, int, int]]:
        """(session, milliseconds since it began, since it was used), the one used last first."""
        now = self._clocks.mono_ms()
        with self._lock:
            alive = [each for each in self._kept.values() if self._lives(each, now)]
        return [(each, now - each.began_ms, now - each.used_ms)
                for each in sorted(alive, key=lambda each: each.used_ms, reverse=True)]

    def note(self) -> None:
        """Put on the disk how much life is left; at the end of the process."""
        with self._lock:
            if self._kept:
                self._write(self._clocks.mono_ms())

    def _keep_only(self, stays: Callable[[Session], bool]) -> None:
        with self._lock:
            self._kept = {hash: each for hash, each in self._kept.items() if stays(each)}
            self._write(self._clocks.mono_ms(), ended=True)

    @staticmethod
    def _lives(session: Session, now: int) -> bool:
        return now - session.used_ms < IDLE_MS and now - session.began_ms < LIFE_MS

    def _taken_up(self, row: Mapping[str, Any]) -> Session:
        """Under the same boot the clock has run on; under another nobody knows for how long the power was out."""
        now = self._clocks.mono_ms()
        passed = max(0, now - int(row["at_ms"])) if row["boot"] == self._clocks.boot_id else 0
        lasted, idle = int(row["lasted_ms"]) + passed, int(row["idle_ms"]) + passed
        return Session(str(row["id"]), str(row["hash"]), str(row["address"]), str(row["agent"]), now - lasted,
                       now - idle, row["wall"], str(row.get("person", "")), str(row["pin"]))

    def _write(self, now: int, ended: bool = False) -> None:
        """A full disk keeps nobody out, and no session that has `ended` in the file: then rather none is there."""
        self._noted_ms = now
        if self._path is None:
            return
        rows = []
        for each in self._kept.values():
            row = asdict(each)
            lasted, idle = now - row.pop("began_ms"), now - row.pop("used_ms")
            rows.append({**row, "boot": self._clocks.boot_id, "at_ms": now, "lasted_ms": lasted, "idle_ms": idle})
        try:
            write_private(self._path, json.dumps({"sessions": rows}))
        except OSError as error:
            log.error("the sessions are not on the disk: %s", error)
            if ended:
                with suppress(OSError):
                    self._path.unlink()
