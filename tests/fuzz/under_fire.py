"""A real hub as a process of its own, with an event in play, and connections to it that count what comes back."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import urllib.parse
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kit import PIN, free_port, wait_until
from patience import GUARD_S
from roundtap.demo.demo import make_event
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_hub.store.login_pins import hash_pin

KEYS = {"table-1": bytes(range(32)), "station-1": bytes(range(32, 64))}
PATIENCE_S = GUARD_S
"""However busy the machine is: who says nothing for so long hangs."""
SLOW_S = 10.0
"""Of processor time, for one input: the slowest takes a tenth of it."""
MARK = "fuzz-59a1c7"
"""Between the parts of an upload."""
TOKEN = re.compile(r'name="csrf" value="([^"]+)"')


@dataclass
class Tally:
    """What came of the inputs of one target."""

    inputs: int = 0
    failures: int = 0
    busiest_s: float = 0.0
    ends: int = 0
    first_failures: list[str] = field(default_factory=list)

    def failed(self, what: str) -> None:
        self.failures += 1
        if len(self.first_failures) < 10:
            self.first_failures.append(what)

    def took(self, cpu_s: float) -> bool:
        """One input; whether it took too long. What the process itself worked counts: others share this machine."""
        self.inputs += 1
        self.busiest_s = max(self.busiest_s, cpu_s)
        return cpu_s > SLOW_S


class HubUnderFire:
    """`roundtap hub` on a folder, with eight players and round 1 in play, for as long as the block lasts."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder / "hub"
        self.folder.mkdir(parents=True, mode=0o700)
        make_event(self.folder / "roundtap.db", 8, 4, "xwing-standard", event_id="e1")
        (self.folder / "pin").write_text(hash_pin(PIN) + "\n")
        (self.folder / "keys.json").write_text(json.dumps({unit: key.hex() for unit, key in KEYS.items()}))

    def __enter__(self) -> HubUnderFire:
        with (self.folder.parent / "hub.log").open("wb") as log:
            self.process: subprocess.Popen[Any] = start_roundtap(
                "hub",
                "--data",
                str(self.folder),
                "--host",
                "127.0.0.1",
                "--port",
                str(self.port),
                # One key asks everything here: what stops a flood would leave nothing to try.
                "--generous",
                "1000000",
                stdout=log,
                stderr=log,
            )
        with closing(Line(self)) as line:
            wait_until(lambda: not self.lives() or line.ask("GET", "/login").status == 200, "the hub", PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            self.process.wait()

    def lives(self) -> bool:
        return self.process.poll() is None

    def last_breakdown(self) -> str:
        """The newest traceback in its log, in one line."""
        return (self.breakdowns() or [""])[-1]

    def breakdowns(self) -> list[str]:
        """How each traceback in its log ends."""
        text = (self.folder.parent / "hub.log").read_text(errors="replace")
        found = []
        for part in text.split("Traceback (most recent call last)")[1:]:
            lines = [line for line in part.splitlines()[1:] if line.strip()]
            end = next((n for n, line in enumerate(lines) if not line.startswith(" ")), len(lines) - 1)
            found.append(" | ".join(line.strip() for line in lines[max(0, end - 8) : end + 1]))
        return found


def cpu_s(process: subprocess.Popen[Any]) -> float:
    """Processor time that a process has used; 0 for one that is gone."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mb(process: subprocess.Popen[Any]) -> float:
    """Memory that a process has now; 0 for one that is gone."""
    try:
        return int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return 0.0


@dataclass
class Said:
    """What the hub answered; status 0: it closed the connection without a word."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Line:
    """One kept connection to the hub, opened anew when it closes; with `log_in` it is the organizer's."""

    def __init__(self, hub: HubUnderFire) -> None:
        self._hub = hub
        self._connection: http.client.HTTPConnection | None = None
        self._cookies: dict[str, str] = {}
        self.token = ""

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def log_in(self) -> None:
        self.refresh("/login")
        said = self.post_form("/login", [("pin", PIN), ("next", "/console")])
        if said.status != 303:
            raise AssertionError(f"no log-in: {said.status}")
        self.refresh("/console")

    def refresh(self, path: str) -> None:
        found = TOKEN.search(self.ask("GET", path).body.decode(errors="replace"))
        self.token = found[1] if found else self.token

    def post_form(self, path: str, fields: list[tuple[str, str]]) -> Said:
        body = urllib.parse.urlencode([("csrf", self.token), *fields], errors="surrogatepass").encode()
        return self.ask("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded"})

    def upload(self, path: str, raw: bytes, fields: list[tuple[str, str]]) -> Said:
        parts = "".join(
            f'--{MARK}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in [("csrf", self.token), *fields]
        )
        head = f'--{MARK}\r\nContent-Disposition: form-data; name="file"; filename="e.json"\r\n\r\n'
        body = (parts + head).encode() + raw + f"\r\n--{MARK}--\r\n".encode()
        return self.ask("POST", path, body, {"Content-Type": f"multipart/form-data; boundary={MARK}"})

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        stream: bool = False,
    ) -> Said:
        """One request; of a `stream` the head alone is waited for. A closed line is opened once more."""
        for attempt in range(2):
            try:
                if self._connection is None:
                    self._connection = http.client.HTTPConnection("127.0.0.1", self._hub.port, timeout=PATIENCE_S)
                self._connection.request(
                    method,
                    path,
                    body,
                    {**({"Cookie": self.cookie} if self.cookie else {}), "Accept-Language": "en", **(headers or {})},
                )
                answer = self._connection.getresponse()
                for set_cookie in answer.headers.get_all("Set-Cookie", []):
                    name, _, value = set_cookie.partition(";")[0].partition("=")
                    self._cookies[name] = value
                kept = stream and "event-stream" in (answer.getheader("Content-Type") or "")
                read = b"" if kept else answer.read()
                if kept or answer.will_close:
                    self.close()
                return Said(answer.status, read, dict(answer.getheaders()))
            except TimeoutError:
                self.close()
                return Said(-1)
            except (OSError, http.client.HTTPException, ValueError):
                self.close()
                if attempt:
                    break
        return Said(0)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
