"""Two hubs from one copy of a folder, as processes on one network: they notice each other, and the second stops."""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator

import pytest

from kit import WAIT_S, Kit, end, free_port, wait_until
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_hub.app.hub import read_or_make_secret
from roundtap_hub.app.main import open_folder
from roundtap_hub.app.server import EXIT_DUPLICATE
from roundtap_hub.app.standby.peers import GROUP, PORT
from roundtap_machine.addresses import local_addresses
from standby_kit import answers


def start_copy(kit: Kit, port: int, *more: str) -> subprocess.Popen[str]:
    """A second hub, from the copy of the first one's folder."""
    return start_roundtap(
        "hub",
        "--data",
        str(kit.folder / "copy"),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        *more,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def copied(kit: Kit) -> Kit:
    """A copy of the hub's folder beside it, made after its first start: with its secret, and in its first epoch."""
    read_or_make_secret(kit.hub_folder / "secret")
    open_folder(kit.hub_folder, lambda _: None).close()
    shutil.copytree(kit.hub_folder, kit.folder / "copy")
    return kit


class Ear:
    """What hubs say on this machine's network."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("", PORT))
        for address in (str(each) for each in local_addresses() if each.version == 4):
            self.socket.setsockopt(
                socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton(address)
            )
        self.socket.settimeout(WAIT_S)

    def beacon_of(self, port: int) -> bytes:
        """The next one of the hub at this port."""
        while True:
            said = self.socket.recv(2000)
            if json.loads(said)["payload"]["port"] == port:
                return said


@pytest.fixture
def ear() -> Iterator[Ear]:
    made = Ear()
    yield made
    made.socket.close()


def test_one_of_two_says_why_and_stops_and_the_other_goes_on(copied: Kit) -> None:
    copied.start_hub()
    assert copied.hub is not None
    port = free_port()

    second = start_copy(copied, port)

    stopped = wait_until(
        lambda: next((each for each in (copied.hub, second) if each.poll() is not None), None), "one of them to stop"
    )
    assert stopped.returncode == EXIT_DUPLICATE
    assert answers(copied.port if stopped is second else port)
    if stopped is second:
        assert f"serves at http://127.0.0.1:{copied.port}" in second.stderr.read()
    end(second)


@pytest.mark.long
def test_a_second_one_that_is_told_to_be_alone_goes_on(copied: Kit, ear: Ear) -> None:
    copied.start_hub()
    port = free_port()
    second = start_copy(copied, port, "--alone")
    try:
        wait_until(lambda: answers(port), "the second hub")
        for _ in range(3):
            ear.beacon_of(copied.port)
        assert second.poll() is None
        assert copied.hub.poll() is None
        assert answers(port)
    finally:
        end(second)


@pytest.mark.long
def test_a_beacon_that_was_recorded_yesterday_stops_nobody(copied: Kit, ear: Ear) -> None:
    """Somebody heard the hub say that it is there, and says the same again when a hub from its copy serves."""
    copied.start_hub()
    recorded = ear.beacon_of(copied.port)
    copied.stop_hub()
    port = free_port()
    copy = start_copy(copied, port)
    try:
        wait_until(lambda: answers(port), "the hub from the copy")
        for _ in range(2):
            for _ in range(30):
                ear.socket.sendto(recorded, ("127.0.0.1", PORT))
            ear.beacon_of(port)
        ear.beacon_of(port)
        assert copy.poll() is None
        assert answers(port)
    finally:
        end(copy)
