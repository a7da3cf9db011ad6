"""Where a hub is looked for, in which order, and what is not taken for one."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from patience import GUARD_S
from roundtap_units.link import hub_choice as finding
from roundtap_units.link.hub_choice import (
    FoundHub,
    all_candidates,
    default_gateways,
    find_hub,
    listen_for_beacons,
    probe_hub,
)

CARD = {"roundtap": "hub", "core": "1", "hub": "h1", "epoch": "e1", "name": "roundtap"}


def hub(number: int) -> FoundHub:
    return FoundHub((f"host-{number}", 8080), f"h{number}", "e", "roundtap")


def test_candidates_come_in_the_order_of_trust_and_each_only_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(name: str, answer: object) -> object:
        asked.append(name)
        return answer

    monkeypatch.setattr(finding, "default_gateways", lambda: noted("gateway", ("10.42.0.1",)))
    monkeypatch.setattr(finding, "resolve_ipv4", lambda name: noted(name, "192.168.1.5"))
    monkeypatch.setattr(finding, "listen_for_beacons", lambda: noted("beacons", [("192.168.1.6", 8081)]))
    found = all_candidates([("my-hub", 80)])
    assert (next(found), asked) == (("my-hub", 80), [])
    assert [next(found), next(found)] == [("10.42.0.1", 8080), ("10.42.0.1", 80)]
    assert asked == ["gateway"]
    assert list(found) == [("192.168.1.5", 8080), ("192.168.1.5", 80), ("192.168.1.6", 8081)]
    assert asked == ["gateway", "roundtap.local", "beacons"]


def test_the_first_that_answers_is_taken_and_nobody_is_asked_twice() -> None:
    asked = []

    def ask(place: tuple[str, int]) -> FoundHub | None:
        asked.append(place[0])
        return hub(2) if place[0] == "host-2" else None

    places = [(f"host-{number}", 8080) for number in (1, 1, 2, 3)]
    assert find_hub((), ask=ask, candidates=lambda _: places) == hub(2)
    assert asked == ["host-1", "host-2"]


def test_a_hub_to_be_passed_over_is_taken_where_there_is_no_other() -> None:
    def ask(place: tuple[str, int]) -> FoundHub | None:
        return hub(int(place[0][-1]))

    both, one = [("host-1", 8080), ("host-2", 8080)], [("host-1", 8080)]
    assert find_hub((), ["h1"], ask, lambda _: both) == hub(2)
    assert find_hub((), ["h1"], ask, lambda _: one) == hub(1)
    assert find_hub((), [], ask, lambda _: []) is None


@pytest.fixture
def answering() -> Iterator[tuple[tuple[str, int], list[tuple[int, bytes]]]]:
    """A server and, in a list, what it answers: (status, body)."""
    says: list[tuple[int, bytes]] = [(200, json.dumps(CARD).encode())]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = says[0]
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server.server_address[:2], says  # type: ignore[misc]
    server.shutdown()
    server.server_close()


def test_a_hub_says_that_it_is_one(answering) -> None:  # type: ignore[no-untyped-def]
    place, _ = answering
    assert probe_hub(place) == FoundHub(place, "h1", "e1", "roundtap")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>Log in to this Wi-Fi</html>"),
        (200, b"{}"),
        (200, b"[]"),
        (200, b""),
        (200, b"[" * 4000),
        (503, json.dumps(CARD).encode()),
        (302, b""),
        (200, json.dumps({**CARD, "roundtap": "station"}).encode()),
        (200, json.dumps({**CARD, "name": "x" * 81}).encode()),
        (200, json.dumps({**CARD, "name": "a\nb"}).encode()),
        (200, json.dumps({**CARD, "hub": 5}).encode()),
        (200, json.dumps(CARD).encode() + b" " * 100_000 + b"x"),
    ],
)
def test_whatever_else_answers_is_none(answering, status: int, body: bytes) -> None:  # type: ignore[no-untyped-def]
    place, says = answering
    says[0] = (status, body)
    assert probe_hub(place) is None


def test_nobody_there_is_none() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert probe_hub(("127.0.0.1", taken.getsockname()[1])) is None


def test_the_default_gateways_as_the_kernel_lists_them(tmp_path: Path) -> None:
    routes = tmp_path / "route"
    routes.write_text(
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "eth0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
        "wlan0\t00000000\t01002A0A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
        "wlan0\t00002A0A\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
        "broken line\n"
    )
    assert default_gateways(routes) == ("10.42.0.1", "192.168.1.1")
    assert default_gateways(tmp_path / "none") == ()


def test_who_says_on_the_network_that_it_is_a_hub_is_heard() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stop = threading.Event()

    def say() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as saying:
            while not stop.wait(0.02):
                for datagram in (
                    b"",
                    b"{}",
                    b"[" * 1000,
                    b'{"payload": {"port": "80"}}',
                    b'{"payload": {"port": 0}}',
                    b'{"payload": {"port": 8081}}',
                ):
                    saying.sendto(datagram, ("127.0.0.1", port))

    thread = threading.Thread(target=say)
    thread.start()
    try:
        assert next(listen_for_beacons(port=port, within_s=GUARD_S)) == ("127.0.0.1", 8081)
    finally:
        stop.set()
        thread.join()


def test_a_beacon_is_heard_on_a_network_that_is_nobodys_default_route() -> None:
    group = "239.255.82.85"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stop = threading.Event()
    datagram = json.dumps({"payload": {"port": 8081}, "hmac": "f"}).encode()

    def say() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as saying:
            saying.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
            while not stop.wait(0.02):
                saying.sendto(datagram, (group, port))

    thread = threading.Thread(target=say)
    thread.start()
    try:
        assert next(listen_for_beacons(group, port, within_s=GUARD_S), None) == ("127.0.0.1", 8081)
    finally:
        stop.set()
        thread.join()
