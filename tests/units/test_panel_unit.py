"""The panel joined: its link to hub, standby and root; a panel that nobody can read, and one that is told nonsense."""

import argparse
import itertools
import json
import socket
import threading
from types import SimpleNamespace

import msgspec
import pytest
from panel_kit import HOTSPOT, HUB

from patience import GUARD_S
from roundtap_core.command_arguments import add_arguments
from roundtap_core.messages import PanelView, StandbyState
from roundtap_core.typed import parse_message
from roundtap_core.wire import ECHO, REQUEST, envelope, open_envelope
from roundtap_devices.controls import RETRY_MS
from roundtap_devices.display.screen import FULL, OFF, RENEW_MS, Screen, VirtualScreen
from roundtap_devices.hardware_errors import HardwareMissing
from roundtap_devices.input.gestures import Edge
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_machine.health import FINE, WRONG
from roundtap_machine.notify import SystemdNotifier
from roundtap_machine.root_steps import StepRefused
from roundtap_machine.services import SystemdService, service_checks
from roundtap_units import board_process
from roundtap_units.link.hub_address import HubAddress
from roundtap_units.panel import main
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.main import (
    AWAY,
    FAILED,
    HOTSPOT_EVERY,
    UNKNOWN,
    ConfigError,
    FrontPanelLink,
    PanelUnit,
    read_panel_config,
)
from roundtap_units.panel.panel_dialogue import (
    EJECT,
    NEW_PIN,
    POWER_OFF,
    TURN,
    ActionOutcome,
    PanelAction,
    PanelDialogue,
)
from roundtap_units.unit_arguments import ARGUMENTS
from roundtap_units.unit_config import unit_words

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
VIEW = {**msgspec.to_builtins(HUB), "sticks": [{"name": "/media/stick", "state": "current"}]}


class Wire:
    """A hub on the other end, and each connection to it."""

    def __init__(self, tmp_path):
        self.key, self.heard, self.received, self.root = KEY, [], [], []
        self.answers, self.broken, self.challenges, self.view, self.hotspot = {}, None, 0, VIEW, None
        self.waits = ""
        self.renewals = [HubAddress("127.0.0.1", 8080, "hub-panel", KEY)]
        self.link = FrontPanelLink(
            lambda: self.renewals.pop() if self.renewals else None,
            lambda kind, value: self.received.append((kind, value)),
            "de",
            self.ask_root,
            tmp_path / "standby.sock",
            lambda host, port, within_s: self,
        )

    def ask_root(self, step, **said):
        self.root.append(step)
        if step != "hotspot":
            return {"done": True}
        if self.hotspot is None:
            raise StepRefused("no-hotspot")
        return dict(zip(("ssid", "password"), self.hotspot, strict=True))

    def request(self, method, path, body="", headers=()):
        if self.broken is not None:
            raise self.broken
        if (method, path) == ("GET", "/device/challenge"):
            self.challenges += 1
            self.answer = {"challenge": f"asked {self.challenges}"}
            if self.waits:
                self.answer = {"error": "the hub is not ready", "storage": self.waits}
            return
        assert (method, path) == ("POST", "/device/panel")
        payload = open_envelope(self.key, REQUEST, json.loads(body))
        if payload is None:
            self.answer = {"error": "unknown unit"}
            return
        self.heard.append(payload)
        done = None if payload["do"] is None else {"refused": "", **self.answers}
        self.answer = envelope(
            self.key, ECHO, {"nonce": payload["nonce"], "challenge": "next", "view": self.view, "done": done}
        )

    def getresponse(self):
        return SimpleNamespace(status=503 if self.waits else 200, read=lambda most: json.dumps(self.answer).encode())

    def close(self):
        """It is the same hub again."""

    def of(self, kind):
        return [value for known, value in self.received if known == kind]


@pytest.fixture
def wire(tmp_path):
    return Wire(tmp_path)


def test_it_asks_in_its_language_and_each_challenge_once(wire):
    wire.link.poll()
    wire.link.poll()
    assert [(said["language"], said["challenge"], said["do"]) for said in wire.heard] == [
        ("de", "asked 1", None),
        ("de", "next", None),
    ]
    assert wire.of("hub") == [HUB] * 2


def test_why_a_hub_cannot_open_its_journal_is_heard_and_shown(wire):
    wire.waits = "full"
    wire.link.poll()
    assert wire.received == [("hotspot", None), ("waits", "full")]
    panel = PanelDialogue(unit_words("en"))
    panel.on_contact(0, waits="full")
    assert "The hub's memory card is full" in d.make_scene(panel).all_text()
    panel.on_contact(1000, waits="word of a stranger")
    assert "No contact with the hub" in d.make_scene(panel).all_text()
    panel.on_contact(2000, waits="damaged")
    panel.tick(2000 + d.AWAY_MS)
    assert "No contact with the hub" in d.make_scene(panel).all_text()
    panel.on_contact(20_000, waits="damaged")
    panel.on_contact(21_000, hub=HUB)
    assert "damaged" not in d.make_scene(panel).all_text()


def test_the_hotspot_is_asked_for_now_and_then_and_shown_while_there_is_one(wire):
    for wire.hotspot in (HOTSPOT, None):
        for _ in range(HOTSPOT_EVERY):
            wire.link.poll()
    assert wire.root == ["hotspot"] * 2
    assert wire.of("hotspot") == [HOTSPOT, None]


def test_a_press_is_sent_once_with_a_fresh_challenge(wire):
    wire.link.poll()
    wire.answers = {"pin": "12345678"}
    wire.link.press(PanelAction(4, NEW_PIN))
    assert (wire.heard[-1]["do"], wire.heard[-1]["challenge"]) == ({"step": "pin"}, "asked 2")
    assert wire.of("done") == [ActionOutcome(4, pin="12345678")]


def test_a_stick_is_named(wire):
    wire.answers = {"refused": "It is still being written to."}
    wire.link.press(PanelAction(4, EJECT, "/media/stick"))
    assert wire.heard[-1]["do"] == {"step": "eject", "name": "/media/stick"}
    assert wire.of("done") == [ActionOutcome(4, "It is still being written to.")]


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (ConnectionRefusedError(), AWAY),
        (TimeoutError(), UNKNOWN),
        (ConnectionResetError(), UNKNOWN),
        (ValueError(), UNKNOWN),
    ],
)
def test_what_became_of_a_press_without_an_answer(wire, error, trouble):
    wire.link.poll()
    wire.broken = error
    wire.link.press(PanelAction(4, NEW_PIN))
    assert wire.of("done") == [ActionOutcome(4, trouble=trouble)]


def test_another_hub_s_word_is_not_believed(wire):
    wire.key = OTHER_KEY
    wire.link.poll()
    assert wire.of("hub") == []


def test_a_hub_that_was_started_anew_is_followed(wire):
    wire.link.poll()
    wire.key = OTHER_KEY
    wire.link.poll()
    assert len(wire.of("hub")) == 1
    wire.renewals.append(HubAddress("127.0.0.1", 8080, "hub-panel", OTHER_KEY))
    wire.link.poll()
    assert len(wire.of("hub")) == 2


def test_power_off_goes_past_the_hub(wire):
    wire.broken = ConnectionRefusedError()
    wire.link.press(PanelAction(3, POWER_OFF))
    assert wire.root == ["power-off"]
    assert wire.of("done") == [ActionOutcome(3)]


def test_where_nobody_powers_off_or_turns_the_key_it_says_so(tmp_path):
    def nobody(step, **said):
        raise FileNotFoundError(step)

    received = []
    link = FrontPanelLink(lambda: None, lambda *told: received.append(told), "en", nobody, tmp_path / "none")
    link.press(PanelAction(3, POWER_OFF))
    link.press(PanelAction(4, TURN))
    assert received == [
        ("done", ActionOutcome(3, trouble=FAILED[POWER_OFF])),
        ("done", ActionOutcome(4, trouble=FAILED[TURN])),
    ]


def test_a_standby_of_this_machine_is_asked_where_there_is_no_hub(wire, tmp_path):
    wire.broken = ConnectionRefusedError()
    heard = []

    def serve():
        for turned in (False, True):
            asked, panel = door.recvfrom(16)
            heard.append(asked)
            state = {"state": "following", "hub": "http://10.42.0.1:8080", "level": True, "turned": turned}
            door.sendto(json.dumps(state).encode(), panel)

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.bind(str(tmp_path / "standby.sock"))
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        wire.link.poll()
        wire.link.press(PanelAction(2, TURN))
        thread.join(GUARD_S)
    assert heard == [b"state", b"turn"]
    assert wire.of("standby") == [StandbyState("following", "http://10.42.0.1:8080", True)]
    assert wire.of("done") == [ActionOutcome(2)]


def test_an_older_hub_says_more_and_less(wire):
    """Its events and calls are not this panel's, and it does not say whether a round is running."""
    wire.view = {**VIEW, "events": [{"id": "e1"}], "calls": []}
    del wire.view["running"]
    wire.link.poll()
    assert wire.of("hub") == [HUB.replace(running=False)]


@pytest.mark.parametrize(
    "change",
    [
        {"wall": 5},
        {"sticks": 5},
        {"sticks": [5]},
        {"sticks": [{"name": "x"}]},
        {"fingerprint": None},
    ],
)
def test_a_view_that_is_none_is_passed_over(change):
    with pytest.raises((ValueError, TypeError, KeyError)):
        parse_message(PanelView, {**VIEW, **change})


class Bench:
    def __init__(self):
        self.screen, self.done, self.heard = VirtualScreen(), [], []
        self.unit = PanelUnit(
            PanelDialogue(unit_words("en")), self.screen, EdgeReorder(), self.done.append, self.heard.append
        )
        self.now_ms = 10_000
        self.unit.step(self.now_ms, [("hub", HUB)])

    def press(self, key, hold_ms=90):
        self.now_ms += 1500
        self.unit.step(self.now_ms, [("hub", HUB), Edge(key, True, self.now_ms)])
        self.now_ms += hold_ms
        self.unit.step(self.now_ms, [Edge(key, False, self.now_ms)])
        self.now_ms += 50
        self.unit.step(self.now_ms)


def test_buttons_lead_to_steps():
    bench = Bench()
    bench.press("up")
    bench.press("a")
    bench.press("a", hold_ms=700)
    assert bench.done == [PanelAction(1, POWER_OFF)]
    assert bench.heard[0].endswith("https://10.42.0.1:8443 | ▲▼ more")


def test_a_panel_that_nobody_can_read_does_nothing_and_says_so():
    bench = Bench()
    bench.screen.glass.unplug(True)
    bench.now_ms += RENEW_MS
    bench.unit.step(bench.now_ms)
    for key in "aaaa":
        bench.press(key)
    assert bench.screen.blind
    assert bench.unit.is_healthy(bench.now_ms)
    bench.screen.glass.unplug(False)
    bench.now_ms += 4000
    bench.unit.step(bench.now_ms)
    assert not bench.screen.blind
    assert bench.unit.dialogue.page == d.HOME


def test_a_dark_screen_is_only_woken_by_a_press():
    bench = Bench()
    quiet = HUB.replace(running=False)
    for _ in range(40):
        bench.now_ms += 60_000
        bench.unit.step(bench.now_ms, [("hub", quiet)])
    assert bench.screen.glass.level == OFF
    quietly = [("hub", quiet)]
    for page in (d.HOME, d.PLAYERS_QR):
        bench.now_ms += 1500
        bench.unit.step(bench.now_ms, [*quietly, Edge("down", True, bench.now_ms)])
        bench.unit.step(bench.now_ms + 90, [Edge("down", False, bench.now_ms + 90)])
        bench.unit.step(bench.now_ms + 150)
        assert (bench.unit.dialogue.page, bench.screen.glass.level) == (page, FULL)


@pytest.mark.parametrize("told", [("hub", None), ("hub", 5), ("done", 5), ("hotspot", 5), ("new", 1)])
def test_nothing_that_it_is_told_ends_it(told):
    bench = Bench()
    bench.unit.step(bench.now_ms + 100, [told])
    bench.unit.dialogue.hotspot = None
    bench.unit.step(bench.now_ms + 200, [("hub", HUB)])
    assert bench.unit.is_healthy(bench.now_ms + 200)


def test_without_a_file_all_is_as_usual(tmp_path):
    config = read_panel_config(tmp_path / "none.toml")
    assert (config.board.name, config.language, str(config.folder)) == ("recommended", "en", "/var/lib/roundtap-panel")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('key = "x"', "key: unknown; known are board, language, folder, expected"),
        ("language = 5", "language: must be a text"),
        ('expected = "no"', "expected: must be true or false"),
        ('language = "xx"', "one of en, es, de, pl"),
        ('board = "none"', "board: "),
        ("x", "not a TOML file"),
    ],
)
def test_what_is_wrong_in_it_is_said(tmp_path, text, says):
    (tmp_path / "panel.toml").write_text(text)
    with pytest.raises(ConfigError) as error:
        read_panel_config(tmp_path / "panel.toml")
    assert says in str(error.value)


def test_a_panel_whose_pins_come_later_looks_for_them_again(tmp_path, monkeypatch):
    class Stopping(board_process.StopSignal):
        """Set once the pins were had."""

        def __init__(self, tell):
            """No signal of this process is touched."""

        def is_set(self):
            return opened == ["no chip", "had"] or next(looked) > 40 * RETRY_MS // 1000

    def pins(folder):
        opened.append("had" if opened else "no chip")
        if opened == ["no chip"]:
            raise OSError("no gpiochip")
        return mock_factory()

    opened, looked, seconds = [], itertools.count(), itertools.count()
    monkeypatch.setenv("ROUNDTAP_LOCAL", str(tmp_path))
    monkeypatch.setattr(board_process, "local_pin_factory", pins)
    monkeypatch.setattr(board_process, "StopSignal", Stopping)
    monkeypatch.setattr("time.monotonic_ns", lambda: next(seconds) * 10**9)
    (tmp_path / "panel.toml").write_text("")
    arguments = argparse.ArgumentParser()
    add_arguments(arguments, ARGUMENTS["panel"])
    main.run(arguments.parse_args(["--config", str(tmp_path / "panel.toml"), "--folder", str(tmp_path)]))
    assert opened == ["no chip", "had"]


class Glass:
    """A display at the end of a wire: `there` or not."""

    there = False

    def __init__(self, *_):
        if not Glass.there:
            raise HardwareMissing("display", "no display answers at 0x3c")

    def display(self, image):
        if not Glass.there:
            raise HardwareMissing("display", "no display answers at 0x3c")

    def __getattr__(self, name):
        return lambda *_: None


@pytest.fixture
def told(tmp_path, monkeypatch):
    """What a panel's service says of itself, in one start after the other: told(panel.toml, whether it is wired)."""

    class Stopping(board_process.StopSignal):
        def __init__(self, tell):
            """No signal of this process is touched."""

        def is_set(self):
            return next(looks) % 3 == 2

    looks, seconds, said = itertools.count(), itertools.count(), []
    monkeypatch.setenv("ROUNDTAP_LOCAL", str(tmp_path))
    monkeypatch.setattr(board_process, "local_pin_factory", lambda _: mock_factory())
    monkeypatch.setattr(board_process, "StopSignal", Stopping)
    monkeypatch.setattr(board_process, "oled_screen", lambda *_: Screen(Glass))
    monkeypatch.setattr(SystemdNotifier, "say", lambda _, words: said.append(words))
    monkeypatch.setattr("time.monotonic_ns", lambda: next(seconds) * 10**9)
    arguments = argparse.ArgumentParser()
    add_arguments(arguments, ARGUMENTS["panel"])

    def start(config, there):
        Glass.there = there
        said.clear()
        (tmp_path / "panel.toml").write_text(config)
        main.run(arguments.parse_args(["--config", str(tmp_path / "panel.toml"), "--folder", str(tmp_path)]))
        return said[-1] if said else ""

    return start


def test_a_hub_without_buttons_and_screen_is_ready_until_its_panel_was_seen_once(told):
    hub = SystemdService("hub", True, "active", "success", 0)

    def checked(says):
        return service_checks([hub, SystemdService("panel", True, "active", "success", 0, says)])[1].state

    never = told("", False)
    assert never.startswith("waiting: ")
    assert "0x3c" in never
    assert checked(never) == FINE
    assert checked(told("", True)) == FINE
    lost = told("", False)
    assert "0x3c" in lost
    assert checked(lost) == WRONG


def test_a_panel_that_the_settings_say_is_there_is_wrong_when_it_is_silent(told):
    assert told("expected = true", False).startswith("no display")
    assert told("expected = true", True) == ""
