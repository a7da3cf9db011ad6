"""The live rehearsal, with processes or real units: everything through the hub's pages and the tables' buttons."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import ssl
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from roundtap.kit.virtual_kit import VirtualKit
from roundtap.rehearsal.script import MatchTyping, Progress, RehearsalScript, ScriptRound
from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.eventfile.write import tournament_to_json
from roundtap_core.records import SIDES, Tournament
from roundtap_core.rulebooks.registry import rulebook

SAVED_WITHIN_S = 30.0
POLL_S = 0.2
READ_S = 1.0
HOLD_S, PAUSE_S = 0.7, 0.06
ANSWER_S = 2.0  # how long to wait for a screen to change after a press
WAIT_S = 30.0
TIMEOUT_S = 20
TOKEN = re.compile(r'name="csrf" value="([^"]+)"')
TROUBLE = re.compile(r'<p class="problem"[^>]*>.*?<span>(.*?)</span>', re.DOTALL)


class PanelClient:
    """One table's buttons and screen. Waits for the socket at `path`; raises TimeoutError where it does not appear."""

    def __init__(self, path: Path) -> None:
        self._text = ""
        self._changed = threading.Condition()
        self._socket = self._connected(path)
        threading.Thread(target=self._read, daemon=True).start()

    def press(self, key: str, hold: bool = False) -> None:
        """Press a button, and wait until the screen has changed."""
        before = self._text
        self._send((key, True), *([] if hold else [(key, False)]))
        if hold:
            time.sleep(HOLD_S)
            self._send((key, False))
        with self._changed:
            self._changed.wait_for(lambda: self._text != before, ANSWER_S)
        time.sleep(PAUSE_S)

    def wait_for(self, words: str, gone: bool = False) -> None:
        """Wait until the screen says these words, or no longer (`gone`); TimeoutError with the actual text."""
        with self._changed:
            if not self._changed.wait_for(lambda: (words in self._text) is not gone, WAIT_S):
                raise TimeoutError(f"waited for {words}; the screen says {self._text!r}")

    def close(self) -> None:
        self._socket.close()

    def _send(self, *moves: tuple[str, bool]) -> None:
        """Send moves at once: the unit tells them apart, and a delay here cannot turn a tap into a long press."""
        self._socket.sendall(b"".join(json.dumps({"pin": key, "down": down}).encode() + b"\n" for key, down in moves))

    def _connected(self, path: Path) -> socket.socket:
        give_up = time.monotonic() + WAIT_S
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(path))
                return connection
            except OSError:
                connection.close()
                if time.monotonic() > give_up:
                    raise TimeoutError(f"no panel at {path}") from None
                time.sleep(0.05)

    def _read(self) -> None:
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for line in lines:
                with self._changed:
                    self._text = json.loads(line).get("text", self._text)
                    self._changed.notify_all()


class ConsoleClient:
    """One organizer's session. Every method raises Problem("hub_refused") with the hub's message. `authority`: the
    certificate of the hub's authority, the only one trusted; needed for https://."""

    def __init__(self, url: str, pin: str, authority: Path | None = None) -> None:
        self._url = url.rstrip("/")
        try:
            context = ssl.create_default_context(cafile=authority)
        except OSError as error:
            raise Problem("hub_not_there", where=str(authority), reason=str(error)) from error
        self._open = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(CookieJar()), urllib.request.HTTPSHandler(context=context)
        ).open
        self._token = self._token_of(self._page("/login"))
        self._token = self._token_of(self.post("/login", pin=pin, next="/console"))

    def post(self, path: str, **fields: object) -> str:
        """Send a form; returns the resulting page, after a redirect."""
        return self._page(path, urllib.parse.urlencode({"csrf": self._token, **fields}).encode())

    def upload(self, path: str, content: bytes) -> str:
        mark = "roundtap-form-boundary"
        head = (
            f'--{mark}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{self._token}\r\n'
            f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="event.json"\r\n'
            "Content-Type: application/json\r\n\r\n"
        )
        body = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
        return self._page(path, body, f"multipart/form-data; boundary={mark}")

    def export(self, event: str) -> dict[str, Any]:
        return dict(json.loads(self._page(f"/console/{event}/export.json")))

    def _page(self, path: str, data: bytes | None = None, kind: str = "application/x-www-form-urlencoded") -> str:
        request = urllib.request.Request(self._url + path, data, {"Content-Type": kind, "Accept-Language": "en"})
        try:
            with self._open(request, timeout=TIMEOUT_S) as answer:
                self.address = str(answer.geturl())
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            text = TROUBLE.search(error.read().decode(errors="replace"))
            raise Problem("hub_refused", where=path, answer=text[1].strip() if text else str(error)) from error
        except (OSError, http.client.HTTPException) as error:
            raise Problem("hub_not_there", where=self._url, reason=str(error)) from error

    @staticmethod
    def _token_of(page: str) -> str:
        found = TOKEN.search(page)
        if found is None:
            raise Problem("hub_not_there", where="/login", reason="no login form")
        return found[1]


class NotSaved(Exception):
    """The hub does not show what was typed."""


class LiveRehearsal:
    """One rehearsal over one console. `patience_s`: how long a result may take; a person is slower than a script."""

    def __init__(
        self,
        console: ConsoleClient,
        hands: PanelTyper | PersonTyper,
        progress: Progress,
        patience_s: float = SAVED_WITHIN_S,
    ) -> None:
        self._console = console
        self._typer = hands
        self._progress = progress
        self._patience_s = patience_s
        self._event = ""

    def play(self, script: RehearsalScript, place: Callable[[str], None] = lambda _: None) -> Tournament:
        """Play all rounds; returns the event as the hub exports it. `place(event)` is called once the event exists."""
        self._event = self._register(script)
        if rulebook(script.tournament.rulebook).judge_required:
            self._post("officials", name="Rehearsal", role="organizer")
        place(self._event)
        for played in script.rounds:
            self._round(played)
            for competitor in played.leaving:
                self._post(f"competitors/{competitor}/drop", known=0)
            for competitor in played.disqualified:
                self._post(f"competitors/{competitor}/disqualify", reason="as recorded", known=0)
        self._post("finish", reason="as recorded")
        return tournament_from_json(self._console.export(self._event))

    def _register(self, script: RehearsalScript) -> str:
        entered = tuple(replace(c, dropped_after=None) for c in script.tournament.competitors)
        file = tournament_to_json(replace(script.tournament, rounds=(), competitors=entered))
        self._console.upload("/console/import", json.dumps(file).encode())
        found = re.search(r"/console/(e[a-z2-7]+)", self._console.address)
        assert found, self._console.address
        return found[1]

    def _round(self, played: ScriptRound) -> None:
        self._post(
            "impose",
            matches=json.dumps([dict(match) for match in played.matches]),
            stage=played.stage,
            tiebreak_form=played.tiebreak_form or "",
        )
        # What the record lacks is noted as due to a rehearsal.
        self._post(
            "play-on" if played.number == 1 else "publish", number=played.number, attempt=1, reason="a rehearsal"
        )
        for typing in played.typing:
            self._typer.seat(typing.table)
        self._typer.all_seated()
        if played.timed:
            self._post("clock", action="start")
        done = 0
        for after_time in (False, True):
            batch = [typing for typing in played.typing if typing.after_time == after_time]
            if after_time and batch:
                self._post("clock", action="set", time="0")
            for typing in batch:
                if typing.ruling:
                    self._rule(played, typing)
                else:
                    self._typer.type(typing)
                done += 1
                self._progress(played.number, done, len(played.typing))
            # A person is slower than this program: time is not called before all results are in.
            self._wait_for_results(played, {typing.table for typing in batch})

    def _rule(self, played: ScriptRound, typing: MatchTyping) -> None:
        place = next(i for i, match in enumerate(played.matches, start=1) if match.get("table") == typing.table)
        score = {f"score.{side}": typing.result.score.of(side) for side in SIDES}
        self._post(
            f"match/{played.number}.{place}",
            ended=typing.result.ended,
            winner=typing.result.winner,
            revision=0,
            conceded_by=typing.result.conceded_by or "",
            reason="as recorded",
            **score,
        )

    def _wait_for_results(self, played: ScriptRound, tables: set[int]) -> None:
        give_up = time.monotonic() + self._patience_s
        while True:
            matches: list[Mapping[str, Any]] = self._console.export(self._event)["rounds"][played.number - 1]["matches"]
            missing = [match["table"] for match in matches if match.get("table") in tables and "result" not in match]
            if not missing:
                return
            if time.monotonic() > give_up:
                raise NotSaved(f"round {played.number}: no result at table {', '.join(map(str, missing))}")
            time.sleep(POLL_S)

    def _post(self, what: str, **fields: object) -> None:
        self._console.post(f"/console/{self._event}/{what}", **fields)


class PanelTyper:
    """Types at the virtual tables' panels."""

    def __init__(self, panels: Mapping[int, PanelClient]) -> None:
        self._panels = panels

    def seat(self, table: int) -> None:
        panel = self._panels[table]
        panel.wait_for("press button")
        panel.press("a")
        panel.press("b")
        panel.wait_for("press button", gone=True)

    def all_seated(self) -> None:
        """Nothing to wait for: both seats were taken by `seat`."""

    def type(self, typing: MatchTyping) -> None:
        panel = self._panels[typing.table]
        if typing.after_time:
            panel.wait_for("time is up")
        own = ""
        for press in typing.keys:
            if press.key in SIDES:
                # The table takes no answer that comes before the question could be read.
                time.sleep(READ_S if own not in ("", press.key) else 0)
                own = press.key
            panel.press(press.key, hold=press.kind == "hold")
        panel.wait_for("SAVED")


class PersonTyper:
    """A person at real units, who is told what to press, table by table."""

    def __init__(self, say: Callable[[str], None], names: Mapping[str, str]) -> None:
        self._say = say
        self._names = names

    def seat(self, table: int) -> None:
        self._say(f"Table {table}: press ● and ■ to take both seats.")

    def all_seated(self) -> None:
        self._say("When all seats are taken, press Enter here: the clock starts.")
        with contextlib.suppress(EOFError):
            input()

    def type(self, typing: MatchTyping) -> None:
        score = typing.result.score
        when = "after time" if typing.after_time else "before time"
        self._say(
            f"Table {typing.table} ({when}): {self._names[typing.a]} {score.a} : {score.b} "
            f"{self._names[typing.b]}, and confirm from the other side."
        )


def rehearse_live(script: RehearsalScript, progress: Progress, port: int) -> Tournament:
    """Rehearse with a hub and virtual tables as real processes."""
    with tempfile.TemporaryDirectory(prefix="roundtap-rehearsal-") as folder:
        kit = VirtualKit(Path(folder), "127.0.0.1", port, script.tables)
        kit.prepare()
        try:
            kit.start()
            panels = {number: PanelClient(kit.panel(number)) for number in kit.tables}
            console = ConsoleClient(f"http://127.0.0.1:{port}", kit.pin)

            def place(event: str) -> None:
                for number in kit.tables:
                    console.post(f"/console/{event}/units", unit=f"table-{number}", table=number)

            return LiveRehearsal(console, PanelTyper(panels), progress).play(script, place)
        finally:
            kit.stop()


def rehearse_on_units(
    script: RehearsalScript, progress: Progress, url: str, pin: str, authority: Path | None = None
) -> Tournament:
    """Rehearse on a running hub with its real units, whose buttons a person presses as told."""
    names = {c.id: c.name for c in script.tournament.competitors}
    hands = PersonTyper(lambda text: print(text, flush=True), names)
    return LiveRehearsal(ConsoleClient(url, pin, authority), hands, progress, patience_s=3600).play(script)
