"""*Before the doors open* as pictures: the evening before with 64 tables, all of it well, and with things to do."""

import tempfile
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from gallery.camera import Camera, StillPage
from memory_hub import hub_in_memory
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.version import version
from roundtap_hub.app.flask_app import create_app
from roundtap_hub.app.hub import Hub
from roundtap_hub.http.hall_addresses import HallAddresses
from roundtap_hub.http.host import Host
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.display_plan import DISPLAY_SET, DisplayAssignment
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.login_pins import hash_pin
from roundtap_hub.store.own_machine import OwnMachine
from roundtap_hub.store.service import Service, Step
from roundtap_hub.views.unit_presence import Presence, encode_health
from roundtap_machine.health import MachineProbe

TABLES, PIN, NOW_MS = 64, "135790", 1_000_000
DESK, PHONE = (1280, 900), (500, 1500)
OF_A_PI = {
    "proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0",
    "sys/class/thermal/thermal_zone0/type": "cpu-thermal",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0",
    "sys/class/thermal/thermal_zone0/temp": "51000",
    "sys/fs/ext4/mmcblk0p2/errors_count": "0",
    "sys/class/rtc/rtc0/since_epoch": "1790000000",
    "sys/class/watchdog/watchdog0/state": "active",
    "proc/meminfo": "MemAvailable: 2900000 kB",
    "proc/self/mountinfo": "21 1 0:2 / / rw shared:1 - overlay overlay rw\n",
}
"""What the kernel of a Pi says that is well."""
WELL: dict[str, Any] = {
    "version": version(),
    "throttled": 0,
    "celsius": 45,
    "free_mb": 4096,
    "read_only": False,
    "screen": True,
    "keys": ["a", "b", "down", "up"],
    "pressed": ["a", "b", "down", "up"],
}
AWAY, DARK = ("table-12", "table-40"), "table-7"


def preflight(language: str) -> Iterator[StillPage]:
    """Desk and phone, in one language."""
    for name, wrong in (("fine", False), ("to-do", True)):
        with tempfile.TemporaryDirectory(prefix="roundtap-doors-") as folder:
            service = Service(Journal(f"sqlite:///{Path(folder) / 'roundtap.db'}"), _clocks())
            service.start()
            try:
                client = create_app(_hall(service, Path(folder), language, wrong)).test_client()
                camera = Camera(client, language, PIN)
                camera.log_in()
                yield camera.take(f"doors-{name}", "/console/before-doors", DESK)
                yield camera.take(f"doors-{name}-phone", "/console/before-doors", PHONE)
            finally:
                service.stop()


def _clocks() -> Clocks:
    return Clocks("gallery", lambda: NOW_MS, lambda: "2026-11-20T18:00:00+00:00")


def _hall(service: Service, folder: Path, language: str, wrong: bool) -> Hub:
    """A hub on a Pi with tables, a wall and a printer."""
    units = [f"table-{number}" for number in range(1, TABLES + 1)]
    reached_at = HallAddresses(80, addresses=lambda: (ip_address("10.42.0.1"),))
    reached_at.refresh()
    hub = hub_in_memory(
        service,
        Presence(),
        _clocks(),
        dict.fromkeys([*units, "station-1"], bytes(32)),
        b"gallery",
        hash_pin(PIN),
        encrypted=HttpsInfo(8443, b"", "3A:91:7C:00:5E:22:B4:8F"),
        language=language,
        host=Host(reached_at, machine=OwnMachine(None, _pi(folder / "pi"))),
    )
    display, name = hub.hall.displays.register("", "10.42.0.9", {})
    hub.hall.displays.count_feed(display, 1)
    service.execute(
        [Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": number})) for number, unit in enumerate(units, 1)]
        + [Step(VENUE, NewEntry(DISPLAY_SET, {"display": display, **_screen(name)}))],
        "organizer",
    )
    for unit in units:
        if not (wrong and unit in AWAY):
            health = {**WELL, "screen": not (wrong and unit == DARK)}
            hub.presence.update(unit, NOW_MS, connected=True, core=version(), health=encode_health(health))
    hub.presence.update("station-1", NOW_MS, health=encode_health({"printer": "no-paper" if wrong else "ready"}))
    return hub


def _screen(name: str) -> dict[str, object]:
    shown = DisplayAssignment(name)
    return {
        "name": shown.name,
        "event": None,
        "show": shown.show,
        "part": shown.part,
        "theme": shown.theme,
        "sound": shown.sound,
    }


def _pi(root: Path) -> MachineProbe:
    for name, text in OF_A_PI.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="ascii")
    return MachineProbe(root, root=root)
