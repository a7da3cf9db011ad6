"""The panel's link to what runs on its machine: the hub, a standby that is no hub yet, and root's few steps."""

from __future__ import annotations

import http.client
import json
import logging
import os
import queue
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtap_core.wire import ECHO, REQUEST, envelope, opened
from roundtap_systemd.root_steps import HOTSPOT, POWER_OFF, Refused, ask_root
from roundtap_units.link.challenge import ask_challenge
from roundtap_units.link.local_key import HubHere, local_file
from roundtap_units.link.patient_reading import PatientConnection
from roundtap_units.panel.hub_says import hub_said, standby_said
from roundtap_units.panel.panel_dialogue import AskHub, Effect, PowerOff, TurnKey

log = logging.getLogger(__name__)

PATH = "/device/panel"
ASK_EVERY_S = 1.0
LOOK_WITHIN_S, STEP_WITHIN_S = 4.0, 28.0
"""For an answer to a look, and to a press: a stick may take long to be let go of."""
ANSWER_BYTES_MAX = 64 * 1024
HOTSPOT_EVERY = 30
"""The hotspot is asked for with every so manieth look."""
STANDBY_WITHIN_S = 5.0
AWAY, UNKNOWN = "away", "unknown"
"""Of a press: nobody was there to hear it; nobody knows what became of it."""

MALFORMED = (ValueError, KeyError, TypeError, RecursionError)
Receiver = Callable[[str, Any], None]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a press: `refused` in the hub's words, `trouble` (AWAY, UNKNOWN or "failed"), `shown` of it."""

    number: int
    refused: str = ""
    trouble: str = ""
    shown: Mapping[str, Any] = field(default_factory=dict)


class PanelLink:
    """`receive(kind, value)` is called from its thread and must only enqueue: "hub" (HubSaid, the hub's milliseconds),
    "standby" a StandbySaid, "hotspot" (name, password) or None, "done" a `Done`.

    renew: asked before each question whether the hub on this machine was started anew. A press is sent once: it is
    never repeated. ask_root, standby: as `systemd/roundtap_systemd/root_steps.py` and the standby's socket do it.
    """

    def __init__(self, renew: Callable[[], HubHere | None], receive: Receiver, language: str,
                 ask: Callable[..., Mapping[str, Any]] = ask_root, standby: Path | None = None,
                 post: Callable[[HubHere, Mapping[str, Any], float], Any] | None = None,
                 challenge: Callable[[HubHere], str] | None = None) -> None:
        self._renew, self._receive, self._language, self._ask_root = renew, receive, language, ask
        self._standby = standby or local_file("standby").with_suffix(".sock")
        self._post = post or _post_http
        self._ask_challenge = challenge or _ask_http
        self._here: HubHere | None = None
        self._challenge: str | None = None
        self._asked = 0
        self._steps: queue.SimpleQueue[Effect | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel-link", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._steps.put(None)

    def do(self, effect: Effect) -> None:
        """From any thread; its outcome is received as "done"."""
        self._steps.put(effect)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look()
                effect = self._steps.get(timeout=ASK_EVERY_S)
            except queue.Empty:
                continue
            except Exception:
                log.exception("the panel's link stumbled")
                self._stopping.wait(ASK_EVERY_S)
                continue
            if effect is not None:
                self.step(effect)

    def look(self) -> None:
        """Ask once what there is to show."""
        if self._asked % HOTSPOT_EVERY == 0:
            self._receive("hotspot", self._hotspot())
        self._asked += 1
        try:
            self._exchange(None, LOOK_WITHIN_S)
        except (OSError, http.client.HTTPException, *MALFORMED) as error:
            log.info("the hub was not reached: %s", error)
            self._ask_standby()

    def step(self, effect: Effect) -> None:
        """Do what was pressed, once."""
        number = effect.number
        try:
            if isinstance(effect, PowerOff):
                self._ask_root(POWER_OFF)
                done = Done(number)
            elif isinstance(effect, TurnKey):
                answer = self._of_standby("turn")
                done = Done(number) if answer.get("turned") is True else Done(number, trouble="failed")
            else:
                done = self._step_of_hub(effect)
        except ConnectionRefusedError:
            done = Done(number, trouble="failed" if isinstance(effect, PowerOff | TurnKey) else AWAY)
        except (OSError, http.client.HTTPException, Refused, *MALFORMED) as error:
            log.warning("a press came to nothing: %s", error)
            done = Done(number, trouble="failed" if isinstance(effect, PowerOff | TurnKey) else UNKNOWN)
        self._receive("done", done)

    def _step_of_hub(self, effect: AskHub) -> Done:
        said = self._exchange(effect.step, STEP_WITHIN_S)
        if not isinstance(said, dict) or not isinstance(said.get("refused"), str):
            raise ValueError("no word of what became of it")
        return Done(effect.number, said["refused"], shown={key: value for key, value in said.items()
                                                           if key != "refused" and isinstance(value, str)})

    def _exchange(self, step: Mapping[str, Any] | None, within_s: float) -> object:
        """One question; the hub's word on what was pressed with it."""
        if (here := self._renew()) is not None:
            self._here, self._challenge = here, None
        if self._here is None:
            raise ConnectionRefusedError("no hub has been started on this machine")
        here, nonce = self._here, secrets.token_hex(8)
        challenge, self._challenge = self._challenge, None
        if challenge is None or step is not None:
            # A press goes with a fresh one: refused for an old one it would be lost.
            challenge = self._ask_challenge(here)
        message = self._post(here, envelope(here.key, REQUEST, {
            "unit": here.unit, "nonce": nonce, "challenge": challenge, "language": self._language,
            "do": None if step is None else dict(step)}), within_s)
        answer = opened(here.key, ECHO, message)
        if answer is None or answer.get("nonce") != nonce:
            raise ValueError(f"no right answer: {str(message)[:200]}")
        said, hub_ms = hub_said(answer["view"]), answer["now_ms"]
        if not isinstance(hub_ms, int) or isinstance(hub_ms, bool):
            raise ValueError("no time")
        self._challenge = str(answer["challenge"])
        self._receive("hub", (said, hub_ms))
        return answer["done"]

    def _hotspot(self) -> tuple[str, str] | None:
        try:
            found = self._ask_root(HOTSPOT)
            name, password = str(found["ssid"]), str(found["password"])
        except (OSError, Refused, *MALFORMED):
            return None
        return (name, password) if 0 < len(name) <= 32 and len(password) <= 63 else None

    def _ask_standby(self) -> None:
        try:
            self._receive("standby", standby_said(self._of_standby("state")))
        except (OSError, *MALFORMED):
            return

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


def _post_http(here: HubHere, message: Mapping[str, Any], within_s: float) -> Any:
    connection = PatientConnection(here.host, here.port, within_s)
    try:
        connection.request("POST", PATH, json.dumps(message), {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read(ANSWER_BYTES_MAX))
    finally:
        connection.close()


def _ask_http(here: HubHere) -> str:
    connection = PatientConnection(here.host, here.port, LOOK_WITHIN_S)
    try:
        return ask_challenge(connection)
    finally:
        connection.close()
