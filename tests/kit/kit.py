"""A whole kit for tests: real hub and table processes on this machine, pressed and read through their panels."""

from __future__ import annotations

import json
import re
import secrets
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patience import GUARD_S
from roundtap.demo.demo import make_event
from roundtap.kit.virtual_kit import start_roundtap
from roundtap.main import main
from roundtap_core.event.entries import Entry
from roundtap_hub.http.tls import SECURE_ABOVE, https_port
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.login_pins import hash_pin

if TYPE_CHECKING:
    import pytest

PIN = "135790"
WAIT_S = GUARD_S
"""Only for what never comes: on a busy machine everything takes its time."""
TAP_S, CHORD_S = 0.03, 1.8
READ_S = 0.85
"""So long a person looks at a question before they answer; the table takes no answer that nobody can have meant."""
QUESTION = re.compile(r"[^|]*(?<!\bWon)\?")
"""Who may say when they like that they have won is asked nothing."""
PORTS, SPAN = range(10_100, 32_000), SECURE_ABOVE - 1
"""Below what the system hands out for outgoing connections, above 10080, which Chromium opens no page at."""

_claims: list[socket.socket] = []


def free_port() -> int:
    """A port that nobody has, with the one above it for a bench and the one where the hub's organizers come in. No
    other suite on this machine gets any of them while this process lives: a hub may be started there again."""
    for first in PORTS[:: 2 * (SPAN + 1)]:
        for port in range(first, first + SPAN, 2):
            claim = socket.socket(socket.AF_UNIX)
            try:
                # A name that the kernel takes back when this process ends, however it ends.
                claim.bind(f"\0a port of a Roundtap test: {port}")
                for each in (port, port + 1, https_port(port)):
                    with closing(socket.socket()) as probe:
                        probe.bind(("0.0.0.0", each))
            except OSError:
                claim.close()
                continue
            _claims.append(claim)
            return port
    raise AssertionError("no port is free")


def wait_until(true: Callable[[], Any], what: str, timeout_s: float = WAIT_S, every_s: float = 0.02) -> Any:
    """The first true answer of `true()`; an AssertionError that says what was waited for otherwise."""
    give_up = time.monotonic() + timeout_s
    while True:
        answer = true()
        if answer:
            return answer
        if time.monotonic() > give_up:
            raise AssertionError(f"waited {timeout_s} s for {what}")
        time.sleep(every_s)


def read_until(process: subprocess.Popen[str], word: str) -> str:
    """All that it says up to the line with `word`."""
    assert process.stdout is not None
    said = ""
    while word not in said:
        line = process.stdout.readline()
        assert line, f"it ended, and had said: {said}"
        said += line
    return said


def end(process: subprocess.Popen[Any], number: signal.Signals = signal.SIGTERM) -> int:
    """Ask it to end; its exit code. Nothing of it stays: no process, and no pipe to it."""
    process.send_signal(number)
    try:
        return process.wait(WAIT_S)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                # What was not written before it died is nobody's any more.
                with suppress(BrokenPipeError):
                    pipe.close()


def refused_start(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What a `roundtap hub` that refuses to start says, in this process (`hub_here`), with the exit code for what a
    person can mend."""
    assert main(["hub", "--port", str(free_port()), *options]) == 2
    return capsys.readouterr().err


class Table:
    """A table unit's front, as a person has it: buttons to press, a screen to read."""

    def __init__(self, path: Path) -> None:
        self.texts: list[str] = []
        self._asked: tuple[str, float] = ("", 0.0)
        wait_until(path.exists, f"the panel {path}")
        self._socket = socket.socket(socket.AF_UNIX)
        wait_until(lambda: self._connect(path), f"the panel {path} to answer")
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _connect(self, path: Path) -> bool:
        try:
            self._socket.connect(str(path))
        except OSError:
            return False
        return True

    def _read(self) -> None:
        with self._socket.makefile("rb") as lines:
            try:
                for line in lines:
                    text = json.loads(line).get("text", "")
                    if not self.texts or self.texts[-1] != text:
                        asked = QUESTION.search(text)
                        if self._asked[0] != (asked[0] if asked else ""):
                            self._asked = (asked[0] if asked else "", time.monotonic())
                        self.texts.append(text)
            except OSError:
                return

    @property
    def text(self) -> str:
        return self.texts[-1] if self.texts else ""

    def hold(self, pin: str) -> None:
        self._move((pin, True))

    def release(self, pin: str) -> None:
        self._move((pin, False))

    def _move(self, *moves: tuple[str, bool]) -> None:
        self._socket.sendall(b"".join(json.dumps({"pin": pin, "down": down}).encode() + b"\n" for pin, down in moves))

    def tap(self, *pins: str) -> None:
        """Press and release each, at a quick finger's speed; a question is read first."""
        question, since_s = self._asked
        if question:
            time.sleep(max(0.0, since_s + READ_S - time.monotonic()))
        for pin in pins:
            # The unit keeps the two apart; a pause made here would be a long press when this process has to wait.
            self._move((pin, True), (pin, False))
            time.sleep(2 * TAP_S)

    def chord(self) -> None:
        """▲ and ▼ held together: the call for a judge, and its end."""
        self.hold_together("up", "down")

    def hold_together(self, *pins: str) -> None:
        """A chord: an own button and ▼ ask to drop."""
        for pin in pins:
            self.hold(pin)
        time.sleep(CHORD_S)
        for pin in pins:
            self.release(pin)

    def wait_for(self, word: str) -> str:
        """Wait until the screen says `word`."""
        return self.wait_for_match(re.escape(word))

    def wait_for_match(self, pattern: str) -> str:
        """Wait until something on the screen is of this form."""
        try:
            wait_until(lambda: re.search(pattern, self.text), pattern)
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen said {self.texts[-4:]}") from None
        return self.text

    def times_shown(self, word: str) -> int:
        """How often the screen came to say `word` (staying there counts once)."""
        said = [word in text for text in self.texts]
        return sum(now and not before for before, now in zip([False, *said], said, strict=False))

    def close(self) -> None:
        self._socket.close()


class Kit:
    """Hub and units with one folder; start, kill and restart them as a power cut would."""

    def __init__(self, folder: Path, tables: int = 1, players: int = 4) -> None:
        self.folder = folder
        self.secure: tuple[str, ...] = ("--secure-port", "0")
        self.port = free_port()
        self.hub_folder = folder / "hub"
        self.hub_folder.mkdir(exist_ok=True)
        self.keys = {f"table-{n}": secrets.token_bytes(32) for n in range(1, tables + 1)}
        (self.hub_folder / "keys.json").write_text(json.dumps({u: k.hex() for u, k in self.keys.items()}))
        (self.hub_folder / "pin").write_text(hash_pin(PIN, "salt"))
        self.event = make_event(self.hub_folder / "roundtap.db", players, tables, "xwing-standard")
        for number in range(1, tables + 1):
            self._configure(number)
        self.hub: subprocess.Popen[bytes] | None = None
        self.units: dict[int, subprocess.Popen[bytes]] = {}
        self.tables: dict[int, Table] = {}

    def _configure(self, number: int) -> None:
        unit = f"table-{number}"
        (self.folder / f"{unit}.toml").write_text(
            "\n".join(
                [
                    f'unit = "{unit}"',
                    f'key = "{self.keys[unit].hex()}"',
                    f'hub = "http://127.0.0.1:{self.port}"',
                    'facing = "edge"',
                    f'folder = "{self.folder / f"unit-{number}"}"',
                ]
            )
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start_hub(self, crash_at: str | None = None, wrapper: tuple[str, ...] = (), **options: Any) -> None:
        """Started, and answering. `options`: Popen's."""
        self.launch_hub(crash_at, wrapper, **options)
        wait_until(self._hub_answers, "the hub")

    def launch_hub(self, crash_at: str | None = None, wrapper: tuple[str, ...] = (), **options: Any) -> None:
        """Started, whether it answers or not."""
        crash = ("--crash-at", crash_at) if crash_at else ()
        self._let_go(self.hub)
        self.hub = start_roundtap(
            "hub",
            "--data",
            str(self.hub_folder),
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            *self.secure,
            *crash,
            wrapper=wrapper,
            **options,
        )

    def stop_hub(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code."""
        assert self.hub is not None
        return end(self.hub, number)

    def start_table(
        self, number: int = 1, crash_at: str | None = None, wrapper: tuple[str, ...] = (), **options: Any
    ) -> Table:
        """`options`: Popen's."""
        crash = ("--crash-at", crash_at) if crash_at else ()
        panel = self.folder / f"panel-{number}"
        panel.unlink(missing_ok=True)
        self._let_go(self.units.get(number))
        self.units[number] = start_roundtap(
            "table",
            str(self.folder / f"table-{number}.toml"),
            "--panel",
            str(panel),
            *crash,
            wrapper=wrapper,
            **options,
        )
        self.tables[number] = Table(panel)
        return self.tables[number]

    def stop_table(self, number: int = 1, how: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code."""
        self.tables[number].close()
        return end(self.units[number], how)

    def wait_hub_died(self) -> None:
        assert self.hub.wait(timeout=WAIT_S) == -signal.SIGKILL

    def wait_table_died(self, number: int = 1) -> None:
        assert self.units[number].wait(timeout=WAIT_S) == -signal.SIGKILL

    def entries(self, event: str = "") -> list[Entry]:
        """The journal as another process reads it from the disk."""
        with closing(Journal(f"sqlite:///{self.hub_folder / 'roundtap.db'}")) as journal:
            return journal.streams().get(event or self.event, [])

    def reports(self) -> list[Entry]:
        return [entry for entry in self.entries() if entry.kind == "report"]

    def stop(self) -> None:
        for table in self.tables.values():
            table.close()
        running = [process for process in [self.hub, *self.units.values()] if process is not None]
        with ExitStack() as ended:
            for process in running:
                process.terminate()
                ended.callback(end, process)

    def _let_go(self, before: subprocess.Popen[bytes] | None) -> None:
        """Of one that another takes the place of, the pipe to it goes, too."""
        if before is not None and before.poll() is not None:
            end(before)

    def _hub_answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/time", timeout=2):
                return True
        except OSError:
            return False
