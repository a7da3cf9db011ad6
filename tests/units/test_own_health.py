"""What a unit says of its machine: at the beginning of a feed, when it has changed, and otherwise nothing."""

from pathlib import Path
from typing import Any

from roundtap_core.version import version
from roundtap_core.wire import ECHO, envelope
from roundtap_machine.health import MachineProbe
from roundtap_units.link.hub_address import HubAddress
from roundtap_units.link.hub_time import HubTime, SamplePlan
from roundtap_units.link.link import StatusSender
from roundtap_units.link.outbox import Outbox
from roundtap_units.link.own_health import MEASURE_EVERY_MS, OwnHealth

KEY = bytes(range(32))


def pi(folder: Path, throttled: str = "0", celsius: int = 48) -> MachineProbe:
    for name, text in (
        ("sys/devices/platform/soc/soc:firmware/get_throttled", throttled),
        ("sys/class/thermal/thermal_zone0/type", "cpu-thermal"),
        ("sys/class/thermal/thermal_zone0/temp", str(celsius * 1000)),
        ("proc/self/mountinfo", "21 1 8:2 / / rw shared:1 - ext4 /dev/mmcblk0p2 rw\n"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="ascii")
    return MachineProbe(folder, True, folder)


def test_a_unit_says_how_its_machine_is(tmp_path: Path) -> None:
    said = OwnHealth(pi(tmp_path, "50000"), ("up", "a"), lambda: False, lacks=lambda: ("i2c", "")).changes(0)
    assert said.pop("free_mb") % 64 == 0
    assert said == {
        "version": version(),
        "throttled": 0x50000,
        "celsius": 45,
        "read_only": False,
        "screen": False,
        "printer": "",
        "deaf": "i2c",
        "blind": "",
        "keys": ["a", "up"],
        "pressed": [],
    }


def test_a_zero_does_not_tell_the_hub_of_a_supply_that_it_cannot_measure(tmp_path: Path) -> None:
    machine = pi(tmp_path, "0")
    (tmp_path / "proc/device-tree").mkdir()
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi Zero 2 W Rev 1.0\0", encoding="ascii")
    assert (OwnHealth(machine).changes(0) or {})["throttled"] is None


def test_what_was_heard_is_not_said_again_until_it_changes(tmp_path: Path) -> None:
    health = OwnHealth(pi(tmp_path), ("a", "b"))
    first = health.changes(0)
    assert first is not None
    assert health.changes(10) == first, "nobody has answered it yet"
    health.acknowledge(first)
    assert health.changes(20) is None
    health.press("b")
    health.press("no such button")
    told = health.changes(30)
    assert told == {**first, "pressed": ["b"]}


def test_the_machine_is_looked_at_once_a_minute_and_a_degree_is_no_news(tmp_path: Path) -> None:
    health = OwnHealth(pi(tmp_path, celsius=46))
    health.acknowledge(health.changes(0) or {})
    pi(tmp_path, "1", 49)
    assert health.changes(MEASURE_EVERY_MS - 1) is None
    assert (health.changes(MEASURE_EVERY_MS) or {})["throttled"] == 0x10001
    health.acknowledge(health.changes(MEASURE_EVERY_MS) or {})
    pi(tmp_path, "1", 47)
    assert health.changes(2 * MEASURE_EVERY_MS) is None


class Hub:
    """The other side of a connection: keeps what comes, and answers it."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.silent = False

    def post(self, path: str, message: Any, waits: object) -> Any:
        self.heard.append(message["payload"])
        if self.silent:
            raise OSError("no answer")
        said = {name: message["payload"][name] for name in ("session", "seq")}

        class Answer:
            pass

        answer = Answer()
        answer.message = envelope(KEY, ECHO, {**said, "now_ms": 1, "boot": "b"})  # type: ignore[attr-defined]
        return answer


def test_whoever_serves_a_new_feed_hears_the_status_at_once(tmp_path: Path) -> None:
    sending = StatusSender(
        lambda: HubAddress("hub", 80, "table-1", KEY),
        Outbox(tmp_path / "outbox.jsonl"),
        SamplePlan(HubTime()),
        lambda: 0,
        lambda *_: None,
    )
    sending.begin("s1")
    assert not sending.waiting, "there is nothing to say yet"
    sending.update({"match": None})
    sending.send(Hub(), lambda _: True)  # type: ignore[arg-type]
    assert not sending.due()
    sending.begin("s2")
    assert sending.due()


def test_a_status_carries_it_once_a_feed_and_again_where_nobody_answered(tmp_path: Path) -> None:
    hub, health = Hub(), OwnHealth(pi(tmp_path))
    sending = StatusSender(
        lambda: HubAddress("hub", 80, "table-1", KEY),
        Outbox(tmp_path / "outbox.jsonl"),
        SamplePlan(HubTime()),
        lambda: 0,
        lambda *_: None,
        health,
    )

    def says(silent: bool = False) -> bool:
        hub.silent = silent
        sending.send_now({"match": None})
        try:
            sending.send(hub, lambda _: True)  # type: ignore[arg-type]
        except OSError:
            assert silent
        return "health" in hub.heard[-1]

    sending.begin("s1")
    assert [says(silent=True), says(), says()] == [True, True, False]
    sending.begin("s2")
    assert [says(), says()] == [True, False]
