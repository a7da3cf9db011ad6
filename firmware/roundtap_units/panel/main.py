"""`roundtap panel`: the front panel of the hub's machine, and its link to the hub, a standby, and root's few steps."""

import argparse
import http.client
import json
import logging
import os
import queue
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_core.messages import PanelResponse, PressReply, StandbyState
from roundtap_core.typed import parse_message
from roundtap_devices.boards import Board
from roundtap_devices.display.screen import Screen
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_machine.deadline_http import ANSWER_BYTES_MAX, DeadlineConnection
from roundtap_machine.root_steps import HOTSPOT, StepRefused, ask_root
from roundtap_units.board_process import BoardProcess, BoardUnit
from roundtap_units.link.hub_address import HubAddress, LocalKeyWatch, local_key_file
from roundtap_units.link.hub_connection import HubNotReady, send_signed
from roundtap_units.panel import panel_dialogue
from roundtap_units.unit_arguments import PANEL_FOLDER
from roundtap_units.unit_config import ConfigError, configured_board, known_language, read_toml, run_unit, unit_words

log = logging.getLogger(__name__)

KEYS: Mapping[str, type] = {"board": str, "language": str, "folder": str, "expected": bool}
PATH = "/device/panel"
ASK_EVERY_S = 1.0
POLL_WITHIN_S, PRESS_WITHIN_S = 4.0, 28.0  # for an answer to a look, and to a press: ejecting a stick may take long
HOTSPOT_EVERY = 30  # every how many looks the hotspot is asked for
STANDBY_WITHIN_S = 5.0

AWAY, UNKNOWN = "panel.away.what", "panel.no_answer"  # of a press for the hub: it was away; the outcome is unknown
FAILED: Mapping[str, str] = {panel_dialogue.POWER_OFF: "panel.off.failed", panel_dialogue.TURN: "panel.turn.failed"}

REQUEST_ERRORS = (OSError, http.client.HTTPException, StepRefused, ValueError, KeyError, TypeError, RecursionError)
"""No answer, or an impossible one."""


class PanelUnit(BoardUnit):
    """do: called with each press, and must only enqueue. While the screen is illegible no press counts."""

    def __init__(
        self,
        dialogue: panel_dialogue.PanelDialogue,
        screen: Screen,
        hands: EdgeReorder,
        do: Callable[[panel_dialogue.PanelAction], None],
        heard: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(screen, hands, heard)
        self.dialogue, self._do = dialogue, do

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        self._now_ms = now_ms
        for gesture, at_ms in self._gestures(now_ms, self._edges(items)):
            if not self._screen.blind:
                self._guarded(self.dialogue.on_gesture, gesture, at_ms)
        self._guarded(self.dialogue.tick, now_ms)
        for press in self.dialogue.take_presses():
            self._do(press)
        if self._guarded(self._draw, now_ms):
            self._healthy_ms = now_ms

    def _on_link_message(self, kind: str, value: Any) -> None:
        if kind == "hotspot":
            self.dialogue.hotspot = value
        elif kind == "done":
            self.dialogue.on_done(value, self._now_ms)
        elif kind in ("hub", "standby", "waits"):
            self.dialogue.on_contact(self._now_ms, **{kind: value})

    def _draw(self, now_ms: int) -> None:
        self._show(panel_dialogue.make_scene(self.dialogue), panel_dialogue.draw_panel, self._keeps_screen_on(), now_ms)

    def _keeps_screen_on(self) -> bool:
        """Whether there is more to read than "all is well": a running round, trouble, no contact, a question."""
        hub = self.dialogue.hub
        if self.dialogue.page != panel_dialogue.HOME:
            return True
        return self.dialogue.standby is None if hub is None else hub.running or hub.trouble


class FrontPanelLink:
    """`receive(kind, value)` is called from its thread and must only enqueue: "hub" a PanelView, "waits" why the hub
    cannot open its journal (`HubNotReady`), "standby" a StandbyState, "hotspot" (name, password) or None, "done" a
    `ActionOutcome`.

    renew: called before each request, to see whether the hub on this machine has restarted. A press is sent once, and
    never repeated. ask: as `roundtap_machine.root_steps.ask_root`. standby: the standby's socket.
    """

    def __init__(
        self,
        renew: Callable[[], HubAddress | None],
        receive: Callable[[str, Any], None],
        language: str,
        ask: Callable[..., Mapping[str, Any]] = ask_root,
        standby: Path | None = None,
        connect: Callable[[str, int, float], http.client.HTTPConnection] = DeadlineConnection,
    ) -> None:
        self._renew, self._receive, self._language, self._ask_root = renew, receive, language, ask
        self._standby = standby or local_key_file("standby").with_suffix(".sock")
        self._connect = connect
        self._address: HubAddress | None = None
        self._challenge: str | None = None
        self._asked = 0
        self._presses: queue.SimpleQueue[panel_dialogue.PanelAction | None] = queue.SimpleQueue()
        self._stopping = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="panel-link", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()
        self._presses.put(None)

    def enqueue_press(self, press: panel_dialogue.PanelAction) -> None:
        """From any thread; its outcome is received as "done"."""
        self._presses.put(press)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.poll()
                press = self._presses.get(timeout=ASK_EVERY_S)
            except queue.Empty:
                continue
            except Exception:
                log.exception("the panel's link stumbled")
                self._stopping.wait(ASK_EVERY_S)
                continue
            if press is not None:
                self.press(press)

    def poll(self) -> None:
        if self._asked % HOTSPOT_EVERY == 0:
            self._receive("hotspot", self._hotspot())
        self._asked += 1
        try:
            self._exchange(None, POLL_WITHIN_S)
            return
        except HubNotReady as waits:
            self._receive("waits", str(waits))
            return
        except REQUEST_ERRORS as error:
            log.info("the hub was not reached: %s", error)
        try:
            self._receive("standby", self._ask_standby(b"state"))
        except REQUEST_ERRORS as error:
            log.info("nor a standby: %s", error)

    def press(self, press: panel_dialogue.PanelAction) -> None:
        try:
            done = self._done(press)
        except REQUEST_ERRORS as error:
            log.warning("a press came to nothing: %s", error)
            hub = AWAY if isinstance(error, ConnectionRefusedError) else UNKNOWN
            done = panel_dialogue.ActionOutcome(press.number, trouble=FAILED.get(press.step, hub))
        self._receive("done", done)

    def _done(self, press: panel_dialogue.PanelAction) -> panel_dialogue.ActionOutcome:
        if press.step == panel_dialogue.POWER_OFF:
            self._ask_root(panel_dialogue.POWER_OFF)
            return panel_dialogue.ActionOutcome(press.number)
        if press.step == panel_dialogue.TURN:
            if not self._ask_standby(b"turn").turned:
                raise ValueError("the standby did not turn its key")
            return panel_dialogue.ActionOutcome(press.number)
        answer = self._exchange({"step": press.step, **({"name": press.stick} if press.stick else {})}, PRESS_WITHIN_S)
        if answer is None:
            raise ValueError("no word of what became of it")
        return panel_dialogue.ActionOutcome(press.number, answer.refused, pin=answer.pin)

    def _exchange(self, pressed: Mapping[str, Any] | None, within_s: float) -> PressReply | None:
        """One request; returns the hub's answer to the press in it."""
        if (here := self._renew()) is not None:
            self._address, self._challenge = here, None
        if self._address is None:
            raise ConnectionRefusedError("no hub has been started on this machine")
        here = self._address
        # A press needs a fresh challenge: refused for an old one it would be lost.
        challenge, self._challenge = self._challenge if pressed is None else None, None
        with closing(self._connect(here.host, here.port, within_s)) as connection:
            response = parse_message(
                PanelResponse,
                send_signed(
                    connection, PATH, here.unit, here.key, challenge, {"language": self._language, "do": pressed}
                ),
            )
        self._challenge = response.challenge
        self._receive("hub", response.view)
        return response.done

    def _hotspot(self) -> tuple[str, str] | None:
        try:
            answer = self._ask_root(HOTSPOT)
            name, password = str(answer["ssid"]), str(answer["password"])
        except REQUEST_ERRORS:
            return None
        return (name, password) if 0 < len(name) <= 32 and len(password) <= 63 else None

    def _ask_standby(self, asked: bytes) -> StandbyState:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking:
            asking.settimeout(STANDBY_WITHIN_S)
            # The kernel's choice of an address for the answer.
            asking.bind("")
            asking.connect(os.fspath(self._standby))
            asking.send(asked)
            return parse_message(StandbyState, json.loads(asking.recv(ANSWER_BYTES_MAX)))


@dataclass(frozen=True, slots=True)
class PanelConfig:
    """The panel's few settings; its key comes from the hub on this machine. expected: a machine that has never shown
    one lacks it."""

    board: Board
    language: str
    folder: Path
    expected: bool


def read_panel_config(path: Path, folder: Path | None = None) -> PanelConfig:
    """The configuration; without a file the defaults. ConfigError names the file, the key, and what would be right."""
    data = read_toml(path)
    for name, value in data.items():
        if name not in KEYS:
            raise ConfigError(f"{path}: {name}: unknown; known are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[name]):
            wanted = "a text" if KEYS[name] is str else "true or false"
            raise ConfigError(f"{path}: {name}: must be {wanted}, not {value!r}")
    language = known_language(path, data.get("language", "en"))
    folder = folder or Path(data.get("folder", PANEL_FOLDER))
    return PanelConfig(configured_board(path, data), language, folder, data.get("expected", False))


def run(args: argparse.Namespace) -> int:
    """Run until SIGTERM or Ctrl-C, even without pins or screen."""
    return run_unit("panel", lambda: _run(read_panel_config(args.config, args.folder), args))


def _run(config: PanelConfig, args: argparse.Namespace) -> bool:
    process = BoardProcess(config.board, config.folder, args, optional=not config.expected)
    link = FrontPanelLink(LocalKeyWatch("panel").poll, process.receive, config.language)
    dialogue = panel_dialogue.PanelDialogue(unit_words(config.language))
    link.start()
    try:
        process.run(
            PanelUnit(dialogue, process.screen, EdgeReorder(process.front.held), link.enqueue_press, process.heard)
        )
    finally:
        link.stop()
        # Otherwise it keeps showing when to unplug.
        process.close(dark=dialogue.page != panel_dialogue.OFF)
    return False
