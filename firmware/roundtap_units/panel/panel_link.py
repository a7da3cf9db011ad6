"""The panel's link to what runs on its machine: the hub, a standby that is no hub yet, and root's few steps."""

from __future__ import annotations

import http.client
import json
import logging
import os
import queue
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from roundtap_core.messages import Done as WordOnPress
from roundtap_core.messages import PanelHears, StandbyState
from roundtap_core.typed import read
from roundtap_systemd.root_steps import HOTSPOT, Refused, ask_root
from roundtap_units.link.identity import HubAddress, local_file
from roundtap_units.link.kept_connection import ANSWER_BYTES_MAX, PatientConnection, ask_signed
from roundtap_units.panel.panel_dialogue import POWER_OFF, TURN, Done, Press

log = logging.getLogger(__name__)

PATH = "/device/panel"
ASK_EVERY_S = 1.0
LOOK_WITHIN_S, PRESS_WITHIN_S = 4.0, 28.0
"""For an answer to a look, and to a press: a stick may take long to be let go of."""
HOTSPOT_EVERY = 30
"""The hotspot is asked for with every so manieth look."""
STANDBY_WITHIN_S = 5.0

AWAY, UNKNOWN = "panel.away.what", "panel.no_answer"
"""Of a press for the hub: nobody was there to hear it; nobody knows what became of it."""
FAILED: Mapping[str, str] = {POWER_OFF: "panel.off.failed", TURN: "panel.turn.failed"}

UNREACHED = (OSError, http.client.HTTPException, Refused, ValueError, KeyError, TypeError, RecursionError)
"""Nobody there, or what nobody says."""
Receiver = Callable[[str, Any], None]


class PanelLink:
    """`receive(kind, value)` is called from its thread and must only enqueue: "hub" a PanelView, "standby" a
    StandbyState, "hotspot" (name, password) or None, "done" a `Done`.

    renew: asked before each question whether the hub on this machine was started anew. A press is sent once: it is
    never repeated. ask_root, standby: as `systemd/roundtap_systemd/root_steps.py` and the standby's socket do it.
    """

    def __init__(self, renew: Callable[[], HubAddress | None], receive: Receiver, language: str,
                 ask: Callable[..., Mapping[str, Any]] = ask_root, standby: Path | None = None,
                 connect: Callable[[str, int, float], http.client.HTTPConnection] = PatientConnection) -> None:
        self._renew, self._receive, self._language, self._ask_root = renew, receive, language, ask
        self._standby = standby or local_file("standby").with_suffix(".sock")
        self._connect = connect
        self._here: HubAddress | None = None
        self._challenge: str | None = None
        self._asked = 0
        self._presses: queue.SimpleQueue[Press | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel-link", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._presses.put(None)

    def do(self, press: Press) -> None:
        """From any thread; its outcome is received as "done"."""
        self._presses.put(press)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look()
                press = self._presses.get(timeout=ASK_EVERY_S)
            except queue.Empty:
                continue
            except Exception:
                log.exception("the panel's link stumbled")
                self._stopping.wait(ASK_EVERY_S)
                continue
            if press is not None:
                self.press(press)

    def look(self) -> None:
        """Ask once what there is to show."""
        if self._asked % HOTSPOT_EVERY == 0:
            self._receive("hotspot", self._hotspot())
        self._asked += 1
        try:
            self._exchange(None, LOOK_WITHIN_S)
            return
        except UNREACHED as error:
            log.info("the hub was not reached: %s", error)
        try:
            self._receive("standby", read(StandbyState, self._of_standby("state")))
        except UNREACHED as error:
            log.info("nor a standby: %s", error)

    def press(self, press: Press) -> None:
        """Do what was pressed, once."""
        try:
            done = self._done(press)
        except UNREACHED as error:
            log.warning("a press came to nothing: %s", error)
            hub = AWAY if isinstance(error, ConnectionRefusedError) else UNKNOWN
            done = Done(press.number, trouble=FAILED.get(press.step, hub))
        self._receive("done", done)

    def _done(self, press: Press) -> Done:
        if press.step == POWER_OFF:
            self._ask_root(POWER_OFF)
            return Done(press.number)
        if press.step == TURN:
            if self._of_standby("turn").get("turned") is not True:
                raise ValueError("the standby did not turn its key")
            return Done(press.number)
        said = self._exchange({"step": press.step, **({"name": press.stick} if press.stick else {})}, PRESS_WITHIN_S)
        if said is None:
            raise ValueError("no word of what became of it")
        return Done(press.number, said.refused, pin=said.pin)

    def _exchange(self, pressed: Mapping[str, Any] | None, within_s: float) -> WordOnPress | None:
        """One question; the hub's word on what was pressed with it."""
        if (here := self._renew()) is not None:
            self._here, self._challenge = here, None
        if self._here is None:
            raise ConnectionRefusedError("no hub has been started on this machine")
        here = self._here
        # A press goes with a fresh challenge: refused for an old one it would be lost.
        challenge, self._challenge = self._challenge if pressed is None else None, None
        with closing(self._connect(here.host, here.port, within_s)) as connection:
            heard = read(PanelHears, ask_signed(connection, PATH, here.unit, here.key, challenge,
                                                {"language": self._language, "do": pressed}))
        self._challenge = heard.challenge
        self._receive("hub", heard.view)
        return heard.done

    def _hotspot(self) -> tuple[str, str] | None:
        try:
            found = self._ask_root(HOTSPOT)
            name, password = str(found["ssid"]), str(found["password"])
        except UNREACHED:
            return None
        return (name, password) if 0 < len(name) <= 32 and len(password) <= 63 else None

    def _of_standby(self, ask: str) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(STANDBY_WITHIN_S)
            asking.connect(os.fspath(self._standby))
            asking.sendall(json.dumps({"ask": ask}).encode() + b"\n")
            with asking.makefile("rb") as answers:
                answer = json.loads(answers.readline(ANSWER_BYTES_MAX))
        if not isinstance(answer, dict):
            raise TypeError("no object")
        return answer
