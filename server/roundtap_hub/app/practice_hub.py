"""The practice hub: a child process that plays a made-up event in a folder of its own, beside whatever is going on."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.version import VERSION_VARIABLE, version
from roundtap_core.wire import practice_key
from roundtap_hub.access.staff import Session
from roundtap_hub.store.backups import PRACTICE
from roundtap_hub.store.secure_files import make_private_folder
from roundtap_hub.store.service import Snapshot

PORT_ABOVE = 1  # its ports are this far above the hub's
FREE_BYTES_MIN = 128 * 1024 * 1024  # least free disk at a start, so that practice never takes what the hub needs
CHECK_EVERY_S = 5.0  # how often those who were let in are looked at: a logout or a new PIN ends their practice, too
PAGES = "/practice/"
UNITS = {1: "table-1", 2: "table-2"}  # its virtual units by table, whose places real ones may take
OFF, STARTING, READY, FAILED = "off", "starting", "ready", "failed"
READY_LINE = b"ready\n"
# Variables that systemd or a folder of keys gives to this hub alone.
OF_SERVICE = ("NOTIFY_", "WATCHDOG_", "RUNTIME_", "STATE_", "LISTEN_", "ROUNDTAP_")


class PracticeHub:
    """At most one. Thread-safe. `data`, `host`, `port` and `secure_port` (0: none) are those of the hub that starts it;
    `logged_in`: the hashes of its living sessions; `command`: what starts it, before its options. It ends with its
    stdin, so with this process, and by itself when nobody has used it for a while (roundtap/demo/practice.py)."""

    def __init__(
        self,
        data: Path,
        host: str,
        port: int,
        secure_port: int,
        logged_in: Callable[[], Collection[str]],
        command: Sequence[str] = (sys.executable, "-m", "roundtap.main", "demo"),
    ) -> None:
        self._data, self._host, self._logged_in, self._command = data, host, logged_in, command
        self._folder = data / PRACTICE
        self._admitted: dict[str, str] = {}  # session ids by hash
        self.port, self.secure_port = port + PORT_ABOVE, secure_port and secure_port + PORT_ABOVE
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self.state = OFF  # READY: its pages answer; FAILED: it ended before they did
        self.lent: dict[str, int] = {}  # this hub's table units that play there, with their tables there
        self._begun: tuple[str, str] = "", ""  # by whose session, by its hash, and with which rules

    def clear_folder(self) -> None:
        """Nothing of it is kept: also what a hub that lost its power has left there."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self, language: str, by: str = "", rules: str = "", anew: bool = False) -> None:
        """Start it in an empty folder, unless it runs. `by`: the hash of the session that wants it; `rules`: of a
        store's own game, as a file. What runs with other rules ends where the same session began it, or with `anew`.
        Raises Problem: "practice_taken", "practice_no_room", "practice_failed"."""
        with self._lock:
            if self.state in (STARTING, READY):
                if rules in ("", self._begun[1]):
                    return
                if by != self._begun[0] and not anew:
                    raise Problem("practice_taken", where="/try")
                self.end()
            try:
                if shutil.disk_usage(self._data).free < FREE_BYTES_MIN:
                    raise Problem("practice_no_room", megabytes=FREE_BYTES_MIN // 1024**2)
                self.clear_folder()
                make_private_folder(self._folder)
                (file := self._folder / "rules.toml").write_text(rules, encoding="utf-8")
                self._process = subprocess.Popen(
                    [
                        *self._command,
                        "--practice",
                        str(self._folder),
                        "--host",
                        self._host,
                        "--port",
                        str(self.port),
                        "--secure-port",
                        str(self.secure_port),
                        "--language",
                        language,
                        *(("--rules", str(file)) if rules else ()),
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    bufsize=0,
                    start_new_session=True,
                    # This hub's version, too: a checkout may change while both run, and lent units would be refused.
                    env={name: value for name, value in os.environ.items() if not name.startswith(OF_SERVICE)}
                    | {VERSION_VARIABLE: version()},
                )
            except OSError as error:
                raise Problem("practice_failed") from error
            assert self._process.stdin is not None
            # A practice hub that hangs must not make this one wait.
            os.set_blocking(self._process.stdin.fileno(), False)
            self.state, self.lent, self._admitted, self._begun = STARTING, {}, {}, (by, rules)
            threading.Thread(target=self._follow, args=(self._process,), name="practice", daemon=True).start()

    def admit(self, session: Session) -> None:
        """Log the browser of this session in there, too. Cookies know no ports: it sends the same one."""
        with self._lock:
            self._admitted[session.hash] = session.id
            self._say(asdict(session))

    def lend(self, unit: str, key: bytes) -> dict[str, Any]:
        """Give a table there to this hub's unit; returns the message that sends the unit there. `key`: the unit's,
        which never leaves this hub. Raises Problem("practice_unit")."""
        with self._lock:
            table, salt = next((each for each in UNITS if each not in self.lent.values()), None), secrets.token_hex(16)
            if table is None or unit in self.lent:
                raise Problem("practice_unit", unit=unit)
            self.lent[unit] = table
            self._say({"unit": UNITS[table], "key": practice_key(key, UNITS[table], salt).hex()})
        return {"type": "practice", "port": self.port, "unit": UNITS[table], "salt": salt}

    def recall(self, units: Collection[str]) -> None:
        """Those of them that are lent come back, as their keys count there no more; virtual units take their places."""
        # Without the lock where none is: a start may hold it for a while.
        for unit in self.lent.keys() & units:
            with self._lock:
                # A commit and the unit's own hello may both take it back at the same moment.
                if (table := self.lent.pop(unit, None)) is not None:
                    self._say({"unit": UNITS[table], "key": ""})

    def _say(self, message: Mapping[str, Any]) -> None:
        with suppress(OSError, ValueError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def end(self) -> None:
        """End it at once; nothing of it is kept. Its units end with it."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()
                self.clear_folder()
            self.state = OFF

    def _follow(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        ready = process.stdout.readline() == READY_LINE
        self._change(process, READY if ready else FAILED)
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(CHECK_EVERY_S)
            self._put_out()
        self._change(process, OFF if ready else FAILED)
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()

    def _put_out(self) -> None:
        """Who has logged out of this hub since, or may no longer in, is out there, too."""
        with self._lock:
            for hashed in self._admitted.keys() - self._logged_in():
                self._say({"ended": self._admitted.pop(hashed)})

    def _change(self, process: subprocess.Popen[bytes], state: str) -> None:
        with self._lock:
            if self._process is process and self.state != OFF:
                self.state = state
                if state in (OFF, FAILED):
                    self.clear_folder()


def units_in_play(snapshot: Snapshot) -> set[str]:
    """The units whose tables have a match in a published round of a running event."""
    return {
        unit
        for state in snapshot.events.values()
        if state.live is not None
        for match in state.live.matches
        for unit, table in snapshot.venue.tables.items()
        if table == match.match.table
    }
