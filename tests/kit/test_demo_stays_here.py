"""The demo shows its PIN to its own terminal, and its bench to its own machine, whoever else may look at the hub."""

from __future__ import annotations

import http.client
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from kit import WAIT_S, end, free_port, read_until
from roundtap.demo.bench import Bench
from roundtap.demo.demo import Demo
from roundtap.kit.child_processes import start_roundtap
from roundtap_hub.access.tls import local_addresses

sys.path.insert(0, str(Path(__file__).parents[1] / "hub"))
from asgi_client import AsgiClient

PAGES = ("/", "/wall", "/e/e1", "/e/e1/standings", "/login", "/trust", "/static/live.js")


@pytest.fixture
def bench() -> Iterator[AsgiClient]:
    client = AsgiClient(Bench({}, None, {"hub_port": 8080}))
    yield client
    client.close()


@pytest.mark.parametrize(("address", "host"), [
    ("10.42.0.77", "localhost"), ("10.42.0.77", "10.42.0.1:8081"), ("127.0.0.1", "evil.example"),
])
def test_the_bench_presses_nothing_for_anybody_elsewhere(bench: AsgiClient, address: str, host: str) -> None:
    bench.seen_as = {"client": (address, 50000)}
    asked = [("GET", "/"), ("GET", "/info"), ("GET", "/pictures"), ("POST", "/press"), ("POST", "/printer")]
    for method, path in asked:
        assert bench.begin(method, path, headers={"host": host, "content_type": "application/json"}).result(
            WAIT_S).status_code == 403, path


def test_no_page_of_the_bench_has_the_pin(bench: AsgiClient) -> None:
    assert bench.get("/info").get_json() == {"hub_port": 8080}
    for path in ("/", "/static/bench.js"):
        assert "info.pin" not in bench.get(path).text
        assert 'id="pin"' not in bench.get(path).text


def test_a_demo_for_the_whole_network_keeps_bench_and_pin_to_itself() -> None:
    port = free_port()
    demo = start_roundtap("demo", "--host", "0.0.0.0", "--port", str(port), "--tables", "1", "--players", "4",
                          stdout=subprocess.PIPE, text=True)
    try:
        said = read_until(demo, "Ctrl-C")
        found = re.search(r"PIN (\d{8})", said)
        assert found
        assert re.search(r"fingerprint \(SHA-256\) ([0-9A-F]{4} ?){16}", said)
        for path in PAGES:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)) as line_to:
                line_to.request("GET", path, headers={"Host": f"10.42.0.1:{port}"})
                answer = line_to.getresponse()
                text = answer.read().decode()
                assert found[1] not in text, path
                assert f":{port + 1}" not in text, path
        for own in (address for address in local_addresses() if address.version == 4 and not address.is_loopback):
            with socket.socket() as stranger:
                stranger.settimeout(5)
                assert stranger.connect_ex((str(own), port + 1)) != 0, "the bench is served to others"
    finally:
        end(demo)


def test_the_address_of_the_bench_is_this_machine_s(tmp_path: Path) -> None:
    args = SimpleNamespace(host="0.0.0.0", port=8080, tables=1, players=4, rulebook="xwing-standard", language="en",
                           facing="edge")
    demo = Demo(args, tmp_path)  # type: ignore[arg-type]
    assert "http://127.0.0.1:8081/" in demo.greeting()
