"""Which of a machine's addresses stands on wall and paper, and that it is followed."""

from collections.abc import Iterator
from contextlib import closing
from ipaddress import ip_address
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from hub_kit import HandClock, hub_of, running
from pages_kit import House, open_house

from roundtap_devices.printing.print_lines import Paper
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.hall_addresses import HallAddresses, addresses_of_socket, hall_addresses, mdns_name
from roundtap_hub.http.host import Host, hall_address
from roundtap_units.documents.notices import layout_job
from roundtap_units.unit_config import unit_words

CABLE, WIFI, BRIDGE, DOCKER = "eth0", "wlan0", "br0", "docker0"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as house:
        house.with_event()
        yield house


def machine(folder: Path, addresses: dict[str, str], ipv6: tuple[str, ...] = ()) -> tuple[Path, Path]:
    """Linux's own files of a machine with these devices, each with an address of a /24."""
    proc, devices = folder / "proc", folder / "net"
    proc.mkdir()
    route, trie = ["Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT"], ["Local:"]
    for device, address in addresses.items():
        (devices / device).mkdir(parents=True)
        if device in (CABLE, WIFI):
            (devices / device / "device").mkdir()
        octets = [int(part) for part in address.split(".")]
        network = "".join(f"{octet:02X}" for octet in (0, *octets[2::-1]))
        if device != "lo":
            route += [
                f"{device}\t{network}\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
                f"{device}\t00000000\t{network}\t0003\t0\t0\t0\t00000000\t0\t0\t0",
            ]
        trie += [f"              |-- {address}", "                 /32 host LOCAL"]
    (proc / "route").write_text("\n".join(route) + "\n")
    (proc / "fib_trie").write_text("\n".join(trie) + "\n")
    (proc / "if_inet6").write_text("".join(f"{int(ip_address(each)):032x} 02 40 00 80 eth0\n" for each in ipv6))
    return proc, devices


@pytest.mark.parametrize(
    ("addresses", "ipv6", "found"),
    [
        ({"lo": "127.0.0.1"}, ("::1", "fe80::1"), []),
        ({"lo": "127.0.0.1", WIFI: "10.42.0.1"}, (), ["10.42.0.1"]),
        # Whoever is on the hotspot reaches the network's address, but not the other way round.
        ({WIFI: "10.42.0.1", CABLE: "192.168.1.20"}, (), ["192.168.1.20", "10.42.0.1"]),
        (
            {DOCKER: "172.17.0.1", BRIDGE: "192.168.9.2", CABLE: "10.0.0.7"},
            ("fd00::7",),
            ["10.0.0.7", "192.168.9.2", "fd00::7"],
        ),
        ({CABLE: "169.254.10.1", WIFI: "10.42.1.1"}, (), ["10.42.1.1", "169.254.10.1"]),
    ],
)
def test_the_best_address_is_the_one_that_most_of_the_hall_reaches(
    tmp_path: Path, addresses: dict[str, str], ipv6: tuple[str, ...], found: list[str]
) -> None:
    assert [str(each) for each in hall_addresses(*machine(tmp_path, addresses, ipv6))] == found


def test_a_machine_whose_files_cannot_be_read_has_no_address(tmp_path: Path) -> None:
    assert hall_addresses(tmp_path / "none", tmp_path) == []


def test_the_short_port_is_said_by_nobody() -> None:
    assert reached(8080, 80, "10.42.0.1").url == "http://10.42.0.1"
    assert reached(8080, 0, "10.42.0.1").url == "http://10.42.0.1:8080"
    assert reached(8080, 0, "fd00::7").url == "http://[fd00::7]:8080"
    assert reached(8080, 0).url == ""


def test_who_follows_hears_of_each_change_once() -> None:
    now = ["10.42.0.1"]
    followed, heard = HallAddresses(8080, 80, (), lambda: [ip_address(each) for each in now]), []
    followed.listeners.append(lambda: heard.append(followed.url))
    assert followed.refresh()
    assert not followed.refresh()
    now.insert(0, "192.168.1.20")
    followed.refresh()
    now.clear()
    followed.refresh()
    assert heard == ["http://10.42.0.1", "http://192.168.1.20", ""]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        # Many phones cannot look up a name in .local; 8080 is nobody's to type where 80 is served.
        ("http://roundtap.local/", "http://192.168.1.20"),
        ("http://localhost:8080/", "http://192.168.1.20"),
        ("http://10.42.0.1:8080/", "http://10.42.0.1"),
        ("https://10.42.0.1:8443/", "http://10.42.0.1"),
        ("http://games.example.org/", "http://games.example.org"),
        ("http://games.example.org:9000/", "http://games.example.org:9000"),
        ("", "http://192.168.1.20"),
    ],
)
def test_paper_says_what_was_asked_for_or_what_a_phone_reaches(house: House, asked: str, told: str) -> None:
    house.hub.host.hall_addresses = reached(8080, 80, "192.168.1.20", "10.42.0.1")
    house.hub.host.plain_port = 80
    assert hall_address(house.hub.host, asked) == told


def reached(port: int, short_port: int, *addresses: str) -> HallAddresses:
    made = HallAddresses(port, short_port, (), lambda: [ip_address(each) for each in addresses])
    made.refresh()
    return made


def test_the_waiting_wall_shows_where_players_come_in_and_follows_it(tmp_path: Path) -> None:
    now = ["10.42.0.1"]
    with running(tmp_path / "journal.sqlite") as service:
        followed = HallAddresses(8080, 80, (), lambda: [ip_address(each) for each in now])
        hub = hub_of(service, HandClock(), keys={}, host=Host(followed))
        with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
            shown = client.get("/wall").text
            assert "<b>10.42.0.1</b>" in shown
            assert 'class="qr"' in shown
            now[0] = "192.168.1.20"
            followed.refresh()
            assert "<b>192.168.1.20</b>" in client.get("/wall").text
            now.clear()
            followed.refresh()
            without = client.get("/wall").text
            assert "This hub has no network" in without
            assert 'class="qr"' not in without


# --- the name beside the address


@pytest.mark.parametrize(
    ("called", "announced", "name"),
    [
        ("roundtap", True, "roundtap.local"),
        ("roundtap.home.arpa", True, "roundtap.local"),
        ("roundtap", False, ""),
        ("laptop", True, ""),
        ("roundtap-table-1a2b", True, ""),
    ],
)
def test_only_a_machine_called_so_says_the_name(tmp_path: Path, called: str, announced: bool, name: str) -> None:
    announcer = tmp_path / "socket"
    if announced:
        announcer.touch()
    assert mdns_name(lambda: called, announcer) == name


def named(house: House, addresses: tuple[str, ...] = ("10.42.0.1",), name: str = "roundtap.local") -> None:
    reached = HallAddresses(8080, 80, addresses=lambda: tuple(map(ip_address, addresses)), local_name=lambda: name)
    reached.refresh()
    house.hub.host.hall_addresses = reached


def test_wall_and_sheets_say_the_name_beside_the_address(house: House) -> None:
    named(house)
    wall = house.browser().get("/wall/e1?show=welcome").text
    assert "<b>10.42.0.1</b>" in wall
    assert "or roundtap.local" in wall
    assert "http://roundtap.local/e/e1/standings" in house.browser().get("/print/e1/standings").text


def test_without_such_a_name_nobody_reads_one(house: House) -> None:
    named(house, name="")
    assert "roundtap.local" not in house.browser().get("/wall/e1?show=welcome").text
    assert "roundtap.local" not in house.browser().get("/print/e1/standings").text
    assert HallAddresses(80, addresses=tuple, local_name=lambda: "roundtap.local").by_name == ""


def test_what_hangs_on_the_wall_says_the_name_where_it_fits() -> None:
    content = {"event": "Cup", "url": "http://10.42.0.1/e/e1", "head": "#1 ab", "round": 1, "name": None, "rows": []}
    for kind in ("pairings-table", "pairings-name"):
        for by_name, there in (("http://roundtap.local/e/e1", True), ("http://roundtap.local/e/" + "1" * 40, False)):
            lines = layout_job(kind, {**content, "by_name": by_name}, Paper(32, 384), unit_words("en"))
            assert (by_name in str(lines)) == there
        assert "roundtap.local" not in str(layout_job(kind, content, Paper(32, 384), unit_words("en")))


def test_a_hub_that_listens_at_one_address_is_reached_there_alone() -> None:
    """A demo on one machine printed the address of that machine's network, where nothing answered."""
    assert addresses_of_socket("127.0.0.1") == [ip_address("127.0.0.1")]
    assert addresses_of_socket("fe80::1%eth0") == [ip_address("fe80::1")]
    assert addresses_of_socket("0.0.0.0") == addresses_of_socket("::") == hall_addresses()
