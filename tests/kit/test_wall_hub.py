"""A wall stays with its hub: beside a stranger's with the same public id, and when it comes back on another card."""

import html
import http.client
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hub_kit import running

from console_client import ConsoleClient
from kit import PIN, Kit, end, free_port, wait_until
from patience import GUARD_S
from roundtap.demo.demo import make_event
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_hub.http.tls import https_port
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.journal import DATABASE
from roundtap_hub.store.login_pins import hash_pin
from roundtap_units.link.hub_choice import find_hub
from roundtap_units.wall.proxy import MISSES, HubWatch, OwnHub, WallMemory, WallProxy, waiting_page

OURS, STRANGERS = "Friday night", "A stranger&#39;s night"


def begin_journal(folder: Path) -> None:
    """A journal that has only its public id, for two hubs to go on from."""
    folder.mkdir(parents=True)
    with running(folder / DATABASE, system_clocks()):
        pass


def KIT(folder: Path) -> Kit:
    begin_journal(folder / "hub")
    shutil.copytree(folder / "hub", folder / "stranger")
    made = Kit(folder)
    made.secure = ("--secure-port", str(https_port(made.port)))
    make_event(folder / "stranger" / DATABASE, 4, 1, "xwing-standard", "A stranger's night")
    (folder / "stranger" / "pin").write_text(hash_pin(PIN, "salt"))
    return made


class Wall:
    """A wall's machine that knows two addresses, the stranger's first, and asks when it is told."""

    def __init__(self, kit: Kit, folder: Path) -> None:
        self.strange_port = free_port()
        self.places = [("127.0.0.1", self.strange_port), ("127.0.0.1", kit.port)]
        self.memory = WallMemory(folder / "wall.json")
        self.own = OwnHub(self.memory)
        self.watch = HubWatch((), self.own.ask, lambda _, ask: find_hub(ask=ask, candidates=lambda _: self.places))
        self.proxy = WallProxy(
            self.watch, self.memory, lambda: waiting_page("en", "192.168.1.33", "", self.own.trouble)
        )
        threading.Thread(target=self.proxy.serve_forever, args=(0.01,), daemon=True).start()

    def look(self) -> str:
        """What its browser gets."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.proxy.server_address[1], timeout=GUARD_S)) as asking:
            asking.request("GET", "/wall", headers={"Accept-Language": "en"})
            return asking.getresponse().read().decode()

    def wait_out_silence(self) -> None:
        for _ in range(2 * MISSES):
            self.watch.poll()

    def close(self) -> None:
        self.proxy.shutdown()
        self.proxy.server_close()


@pytest.fixture
def wall(kit: Kit, tmp_path: Path) -> Iterator[Wall]:
    kit.start_hub()
    with closing(Wall(kit, tmp_path)) as made:
        made.watch.poll()
        yield made


@pytest.fixture
def strangers(kit: Kit, tmp_path: Path) -> Iterator[ExitStack]:
    """What a stranger starts ends with the test."""
    with ExitStack() as started:
        yield started


def start_stranger(kit: Kit, strangers: ExitStack, port: int) -> subprocess.Popen[bytes]:
    hub = start_roundtap(
        "hub", "--data", str(kit.folder / "stranger"), "--host", "127.0.0.1", "--port", str(port),
        "--secure-port", str(https_port(port)),
    )  # fmt: skip
    strangers.callback(lambda: hub.poll() is None and end(hub))
    wait_until(lambda: find_hub(candidates=lambda _: [("127.0.0.1", port)]), "the stranger's hub")
    return hub


def test_a_wall_whose_hub_is_silent_never_shows_a_stranger_s_event_and_returns(
    kit: Kit, wall: Wall, strangers: ExitStack
) -> None:
    assert OURS in wall.look()
    kit.stop_hub(signal.SIGKILL)
    start_stranger(kit, strangers, wall.strange_port)
    wall.wait_out_silence()
    assert STRANGERS not in wall.look()
    assert "Looking for the hub" in wall.look()
    kit.start_hub()
    wall.watch.poll()
    assert OURS in wall.look()


def test_a_stranger_at_the_hub_s_own_address_is_not_shown_either(kit: Kit, wall: Wall, strangers: ExitStack) -> None:
    """Not even before the wall has noticed."""
    kit.stop_hub(signal.SIGKILL)
    stranger = start_stranger(kit, strangers, kit.port)
    assert STRANGERS not in wall.look()
    wall.wait_out_silence()
    assert STRANGERS not in wall.look()
    end(stranger)
    kit.start_hub()
    wall.watch.poll()
    assert OURS in wall.look()


def test_a_restarted_wall_knows_its_hub(kit: Kit, wall: Wall, strangers: ExitStack, tmp_path: Path) -> None:
    start_stranger(kit, strangers, wall.strange_port)
    with closing(Wall(kit, tmp_path)) as again:
        again.places[0] = ("127.0.0.1", wall.strange_port)
        again.watch.poll()
        assert OURS in again.look()


def test_a_hub_with_a_new_certificate_is_confirmed_once_on_its_console(kit: Kit, wall: Wall) -> None:
    """Its folder was recovered without the certificates."""
    kit.stop_hub()
    shutil.rmtree(kit.hub_folder / "tls")
    kit.start_hub()
    wall.wait_out_silence()
    assert "Confirm this wall on its console" in wall.look()
    console = ConsoleClient(kit.url, PIN)
    display = wall.memory.pin.display.partition(".")[0]
    assert "it knew this hub by another certificate" in console.page("/console/displays")
    console.post(f"/console/displays/{display}/set", event="", show="auto")
    wall.wait_out_silence()
    assert OURS in wall.look()
    # Once: it is known from now on.
    kit.stop_hub()
    kit.start_hub()
    wall.wait_out_silence()
    assert OURS in wall.look()


def test_a_hub_that_has_lost_its_secret_is_told_as_one_and_the_wall_set_up_again(
    kit: Kit, wall: Wall, tmp_path: Path
) -> None:
    kit.stop_hub()
    (kit.hub_folder / "secret").unlink()
    kit.start_hub()
    wall.wait_out_silence()
    assert "A hub answers, but it does not know this wall" in wall.look()
    assert "add or remove the line “hub” in this wall's roundtap.txt" in html.unescape(wall.look())
    again = WallMemory(tmp_path / "wall.json", kit.url)
    assert (again.pin.key, again.pin.display) == ("", wall.memory.pin.display)
    wall.own = OwnHub(again)
    assert wall.own.ask(("127.0.0.1", kit.port)) is not None
