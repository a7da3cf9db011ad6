"""The front panel at its hub: what it is shown, a new PIN, a stick let go of, and nothing else."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from asgi_client import AsgiClient
from hub_kit import HandClock, hub_of, make_event, running

from faults import fails
from patience import GUARD_S
from roundtap_core.event import commands as c
from roundtap_core.messages import ContinueOffer, PanelView
from roundtap_core.typed import parse_message
from roundtap_core.wire import ECHO, REQUEST, envelope, open_envelope
from roundtap_hub.access.staff import StaffLogin
from roundtap_hub.access.unit_keys import make_local_units
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.hub import Hub
from roundtap_hub.store import continuing
from roundtap_hub.store.copies import CURRENT, CopyState
from roundtap_hub.store.login_pins import verify_pin
from roundtap_hub.units.table_api import PanelApi
from roundtap_machine.root_steps import StepRefused

ROOT = Path(__file__).parents[3]
HERE, ELSEWHERE = "127.0.0.1", "10.42.0.66"


class Sticks:
    """Copies of which some can be pulled out."""

    def __init__(self, *names: str) -> None:
        self.gone: list[str] = []
        self.closes = True
        self._names = names

    def removable(self) -> list[CopyState]:
        return [CopyState(name, "let-go" if name in self.gone else CURRENT) for name in self._names]

    def eject(self, name: str) -> bool:
        self.gone.append(name)
        return self.closes

    def cancel_eject(self, name: str) -> None:
        self.gone.remove(name)

    def stop(self) -> None:
        """The hub stops them with itself."""


@dataclass
class Bench:
    hub: Hub
    clock: HandClock
    client: AsgiClient
    key: bytes
    root: list[Any] = field(default_factory=list)
    root_says: Exception | None = None

    def ask_root(self, step: str, **said: Any) -> dict[str, Any]:
        self.root.append((step, said))
        if self.root_says is not None:
            raise self.root_says
        return {"done": True}

    def request(self, step: Any = None, **changes: Any) -> dict[str, Any]:
        return envelope(
            self.key,
            REQUEST,
            {
                "unit": "hub-panel",
                "nonce": "n1",
                "challenge": self.hub.units.challenges.issue(),
                "language": "en",
                "do": step,
                **changes,
            },
        )

    def post(self, message: Any, address: str = HERE) -> Any:
        return self.client.begin("POST", "/device/panel", json.dumps(message).encode(), {}, peer=address).result(
            GUARD_S
        )

    def ask(self, step: Any = None, **changes: Any) -> dict[str, Any]:
        answer = self.post(self.request(step, **changes))
        assert answer.status_code == 200, answer.text
        said = open_envelope(self.key, ECHO, answer.get_json())
        parse_message(PanelView, said["view"])  # What a real panel can read.
        return said


@pytest.fixture
def bench(tmp_path) -> Iterator[Bench]:
    clock = HandClock()
    with running(tmp_path / "hub.db", clock) as service:
        make_event(service)
        hub = hub_of(service, clock)
        local = make_local_units(tmp_path / "local", "http://127.0.0.1:8080", ())
        hub.units.keys.set_local(local)
        application = HubApplication(hub)
        with closing(AsgiClient(application)) as client:
            made = Bench(hub, clock, client, local["hub-panel"].key)
            application.native["/device/panel"]["POST"] = PanelApi(hub, made.ask_root).answer  # type: ignore[index]
            yield made


def test_what_is_shown(bench):
    view = bench.ask()["view"]
    assert view["players"].startswith("http://")
    assert (view["fingerprint"], view["sticks"], view["trouble"]) == ("", [], False)


def test_whether_a_round_is_running(bench):
    assert bench.ask()["view"]["running"] is False
    bench.hub.service.execute_one("e1", c.SetClock("start"), "organizer")
    assert bench.ask()["view"]["running"] is True
    bench.hub.service.execute_one("e1", c.SetClock("pause"), "organizer")
    assert bench.ask()["view"]["running"] is False


def test_an_older_panel_is_told_of_no_event_and_no_call(bench):
    answer = bench.ask()
    assert (answer["view"]["events"], answer["view"]["calls"]) == ([], [])
    assert answer["now_ms"] == bench.clock.ms


def test_an_offer_is_shown_and_continued_once_pressed(bench, monkeypatch, tmp_path):
    offer = ContinueOffer("a mark", "/media/stick", "Winter Open", 66, "", False, "Practice")
    pressed = []
    bench.hub.host.machine.folder = tmp_path
    monkeypatch.setattr(continuing, "offers", lambda _: [offer])
    monkeypatch.setattr(continuing, "press", lambda _, folder, mark, sure: pressed.append((folder, mark, sure)))
    assert bench.ask()["view"]["offer"]["name"] == "Winter Open"
    assert bench.ask({"step": "continue", "name": "a mark"})["done"] == {"refused": ""}
    assert pressed == [(tmp_path, "a mark", True)]


def test_its_fields_are_those_that_are_told(bench, monkeypatch):
    sticks_of(bench, monkeypatch, "/media/stick")
    section = (ROOT / "server/MESSAGES.md").read_text().partition("### Panel: answer")[2].partition("\n## ")[0]
    told = {
        name
        for row in re.findall(r"^\| (`.+?) \|", section, flags=re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", row)
    }

    def names(value, path=""):
        if isinstance(value, list):
            return {name for each in value for name in names(each, path)}
        if not isinstance(value, dict):
            return set()
        return {found for key, inside in value.items() for found in ({path + key} | names(inside, f"{path}{key}."))}

    assert names(bench.ask()) == told


def test_refusals_are_in_the_panels_language(bench, monkeypatch):
    sticks_of(bench, monkeypatch)
    step = {"step": "eject", "name": "/media/stick"}
    english, german = (bench.ask(step, language=language)["done"]["refused"] for language in ("en", "de"))
    assert "There is no stick" in english
    assert german not in ("", english)
    assert bench.ask(step, language="xx")["done"]["refused"] == english


@pytest.mark.parametrize(
    "step",
    [
        {},
        [],
        "pin",
        {"step": "reset"},
        {"step": ["pin"]},
        {"step": "eject", "name": ["x"]},
        {"step": "eject", "name": "x" * 201},
        # What a panel could press once.
        {"step": "clock", "event": "e1", "action": "start", "seen": "clock.0"},
        {"step": "seen", "event": "e1", "match": "1.1", "unit": "", "since_ms": 1},
    ],
)
def test_what_no_panel_says_changes_nothing(bench, step):
    before = bench.hub.service.snapshot
    assert bench.post(bench.request(step)).status_code == 400
    assert bench.hub.service.snapshot is before


def test_a_press_counts_once(bench):
    message = bench.request({"step": "pin"})
    assert bench.post(message).status_code == 200
    after = bench.hub.access.organizers._pin.hashed
    assert bench.post(message).status_code == 403
    assert bench.hub.access.organizers._pin.hashed == after


def test_nobody_else_is_the_panel(bench):
    assert bench.post(bench.request(), ELSEWHERE).status_code == 403
    table = envelope(
        bench.hub.units.keys["table-1"],
        REQUEST,
        {
            "unit": "table-1",
            "nonce": "n",
            "challenge": bench.hub.units.challenges.issue(),
            "language": "en",
            "do": None,
        },
    )
    assert bench.post(table).status_code == 403
    forged = bench.request()
    forged["payload"]["do"] = {"step": "pin"}
    assert bench.post(forged).status_code == 403


def test_a_new_pin_is_told_once_and_ends_all_sessions(bench):
    token = bench.hub.access.organizers.begin("10.42.0.5", "a browser")
    before = bench.hub.access.organizers._pin.hashed
    pin = bench.ask({"step": "pin"})["done"]["pin"]
    assert len(pin) == 8
    assert bench.hub.access.organizers._pin.hashed != before
    assert verify_pin(pin, bench.hub.access.organizers._pin.hashed)
    assert bench.hub.access.organizers.session(token) is None
    assert bench.hub.access.organizers.listed() == []
    assert bench.hub.access.organizers.log_in(pin, "10.42.0.5", "a browser")
    assert pin not in json.dumps(bench.ask())


def test_a_pin_that_cannot_be_saved_leaves_the_old_one(bench, monkeypatch):
    monkeypatch.setattr(StaffLogin, "replace_hub_pin", fails(OSError(28, "No space left on device")))
    assert "No space left" in bench.ask({"step": "pin"})["done"]["refused"]


def sticks_of(bench, monkeypatch, *names):
    made = Sticks(*names)
    monkeypatch.setattr(bench.hub.service, "copies", made)
    return made


def test_a_stick_is_closed_before_it_is_unmounted(bench, monkeypatch):
    sticks = sticks_of(bench, monkeypatch, "/media/stick")
    assert bench.ask()["view"]["sticks"] == [{"name": "/media/stick", "state": "current"}]
    assert bench.ask({"step": "eject", "name": "/media/stick"})["done"] == {"refused": ""}
    assert sticks.gone == ["/media/stick"]
    assert bench.root == [("eject", {"folder": "/media/stick"})]


@pytest.mark.parametrize("says", [StepRefused("failed"), StepRefused("no-stick"), FileNotFoundError()])
def test_a_stick_that_cannot_be_unmounted_goes_on_being_a_copy(bench, monkeypatch, says):
    sticks = sticks_of(bench, monkeypatch, "/media/stick")
    bench.root_says = says
    assert bench.ask({"step": "eject", "name": "/media/stick"})["done"]["refused"] != ""
    assert sticks.gone == []


def test_a_stick_that_is_still_written_to_is_not_unmounted(bench, monkeypatch):
    sticks = sticks_of(bench, monkeypatch, "/media/stick")
    sticks.closes = False
    assert "still being written" in bench.ask({"step": "eject", "name": "/media/stick"})["done"]["refused"]
    assert (sticks.gone, bench.root) == ([], [])


def test_what_is_no_stick_of_the_hub_s_is_not_unmounted(bench, monkeypatch):
    sticks_of(bench, monkeypatch, "/media/stick")
    assert bench.ask({"step": "eject", "name": "/media/other"})["done"]["refused"] != ""
    assert bench.root == []
