"""The demo logs in whoever opens its address first, frames its hub, and presses buttons: for its own machine alone."""

import http.client
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit

import pytest

from kit import WAIT_S, end, free_port, read_until
from roundtap.demo.bench import ORDERS, PAGES, SESSION, Bench, Entrance
from roundtap.demo.demo import Demo
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_machine.addresses import local_addresses

sys.path.insert(0, str(Path(__file__).parents[1] / "hub"))
from asgi_client import Answer, AsgiClient

from patience import GUARD_S

HUB_PAGES = ("/", "/wall", "/e/e1", "/e/e1/standings", "/login", "/trust", "/static/live.js")
ORIGIN = "http://127.0.0.1:8081"
KEY, TOKEN = "k" * 32, "the-session"


@pytest.fixture
def bench() -> Iterator[AsgiClient]:
    info = {"hub": "http://127.0.0.1:8080", "frames": True, "paths": {}}
    with closing(AsgiClient(Bench({}, None, info, entrance=Entrance(TOKEN, KEY), origin=ORIGIN))) as client:
        yield client


def ask(bench: AsgiClient, path: str, host: str = "127.0.0.1:8081", **headers: str) -> Answer:
    return bench.begin("GET", path, headers={"host": host, **headers}).result(WAIT_S)


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("10.42.0.77", "localhost"),
        ("10.42.0.77", "10.42.0.1:8081"),
        ("127.0.0.1", "evil.example"),
        ("127.0.0.1", "127.0.0.1.evil.example:8081"),
    ],
)
def test_nothing_is_shown_or_pressed_for_anybody_elsewhere(bench: AsgiClient, address: str, host: str) -> None:
    """Another machine, or another site whose name was made to lead here."""
    bench.seen_as = {"client": (address, 50000)}
    asked = [
        *(("GET", path) for path in (*PAGES, "/info", "/pictures", f"/start/{KEY}")),
        *(("POST", path) for path in ORDERS),
    ]
    for method, path in asked:
        answer = bench.begin(method, path, headers={"host": host, "content_type": "application/json"}).result(WAIT_S)
        assert answer.status_code == 403, path
        assert "set-cookie" not in answer.headers


def test_the_address_logs_in_one_browser_and_no_second(bench: AsgiClient) -> None:
    first, second = ask(bench, f"/start/{KEY}"), ask(bench, f"/start/{KEY}")
    assert first.headers["set-cookie"].startswith(f"{SESSION}={TOKEN}; Path=/; ")
    assert "HttpOnly; SameSite=Lax" in first.headers["set-cookie"]
    assert "set-cookie" not in second.headers
    assert [answer.headers["location"] for answer in (first, second)] == [f"{ORIGIN}/"] * 2


@pytest.mark.parametrize("guess", ["", "k", "k" * 31, "k" * 33, "K" * 32, "%6b" * 32 + "x"])
def test_a_guessed_address_logs_nobody_in_and_uses_nothing_up(bench: AsgiClient, guess: str) -> None:
    assert "set-cookie" not in ask(bench, f"/start/{guess}").headers
    assert "set-cookie" in ask(bench, f"/start/{KEY}").headers


def test_no_page_of_the_bench_has_the_session_or_may_be_framed(bench: AsgiClient) -> None:
    for path in (*PAGES, "/info", "/static/hall.js"):
        answer = ask(bench, path)
        assert answer.status_code == 200, path
        assert TOKEN not in answer.text
        assert "frame-src http://127.0.0.1:8080;" in answer.headers["content-security-policy"]
        assert answer.headers["content-security-policy"].endswith("frame-ancestors 'none'")
    assert ask(bench, "/info").get_json()["asks_pin"] is True
    assert ask(bench, "/info", cookie=f"{SESSION}={TOKEN}").get_json()["asks_pin"] is False


def test_by_another_name_of_this_machine_the_pages_lead_to_their_own(bench: AsgiClient) -> None:
    """Cookies and frames hold for one name."""
    answer = ask(bench, "/bench", host="localhost:8081")
    assert (answer.status_code, answer.headers["location"]) == (307, f"{ORIGIN}/bench")
    # The address that logs in is not used up under the other name.
    answer = ask(bench, f"/start/{KEY}", host="localhost:8081")
    assert (answer.status_code, answer.headers["location"]) == (307, f"{ORIGIN}/start/{KEY}")
    assert "set-cookie" in ask(bench, f"/start/{KEY}").headers


def test_a_form_of_another_site_switches_nothing(bench: AsgiClient) -> None:
    for path in ORDERS:
        answer = bench.begin(
            "POST",
            path,
            b'{"of": "hub", "part": "power", "on": false}',
            {"host": "127.0.0.1:8081", "content_type": "text/plain"},
        ).result(WAIT_S)
        assert answer.status_code == 400, path


class Line:
    """Requests to one port of this machine."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[http.client.HTTPResponse, str]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)) as line_to:
            line_to.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = line_to.getresponse()
            return answer, answer.read().decode()


def test_the_session_works_in_the_console_s_frame_alone() -> None:
    port = free_port()
    demo = start_roundtap("demo", "--port", str(port), stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http\S+", read_until(demo, "Ctrl-C"))
        assert address
        hub, bench = Line(port), Line(port + 1)
        entered, _ = bench.ask("GET", urlsplit(address[0]).path)
        cookie = (entered.getheader("set-cookie") or "").partition(";")[0]
        _, told = bench.ask("GET", "/info")
        paths = {
            name: re.search(rf'"{name}": "([^"]+)"', told)[1]  # type: ignore[index]
            for name in ("console", "wall", "phone")
        }
        page, console = hub.ask("GET", paths["console"], cookie=cookie)
        assert page.status == 200
        assert f"frame-ancestors http://127.0.0.1:{port + 1}" in (page.getheader("content-security-policy") or "")
        assert hub.ask("GET", paths["console"])[0].status == 302, "without the cookie it asks for the PIN"
        # The phone is its player's, whoever is logged in beside it.
        phone, text = hub.ask("GET", paths["phone"], cookie=cookie)
        assert phone.status == 200
        assert "/logout" not in text
        assert text.count("/console") == 1, "the foot's link for organizers, on every public page"
        # To a browser a page on another port is the same site, and gets the cookie along: the form's token is missing.
        other = hub.ask(
            "POST",
            f"{paths['console']}/publish",
            urlencode({"number": 1, "attempt": 1}),
            cookie=cookie,
            origin=f"http://127.0.0.1:{port + 1}",
            content_type="application/x-www-form-urlencoded",
        )
        assert other[0].status == 403
        token = re.search(r'name="csrf" value="([^"]+)"', console)
        assert token
        stolen = urlencode({"number": 1, "attempt": 1, "csrf": token[1]})
        other = hub.ask(
            "POST",
            f"{paths['console']}/publish",
            stolen,
            cookie=cookie,
            origin="http://127.0.0.1:9999",
            content_type="application/x-www-form-urlencoded",
        )
        assert other[0].status == 403
        rebound, _ = hub.ask("GET", paths["console"], cookie=cookie, host="evil.example")
        assert rebound.status != 200
    finally:
        end(demo)


def test_a_demo_for_the_whole_network_keeps_bench_and_pin_to_itself() -> None:
    """And its hub is framed by nobody and logs nobody in without the PIN."""
    port = free_port()
    demo = start_roundtap(
        "demo",
        "--host",
        "0.0.0.0",
        "--port",
        str(port),
        "--tables",
        "1",
        "--players",
        "4",
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        said = read_until(demo, "Ctrl-C")
        found = re.search(r"PIN is (\d{8})", said)
        assert found
        assert f"http://127.0.0.1:{port + 1}/\n" in said
        assert re.search(r"fingerprint \(SHA-256\) ([0-9A-F]{4} ?){16}", said)
        for path in HUB_PAGES:
            answer, text = Line(port).ask("GET", path, host=f"10.42.0.1:{port}")
            assert found[1] not in text, path
            assert f":{port + 1}" not in text, path
            assert "frame-ancestors 'none'" in (answer.getheader("content-security-policy") or ""), path
        assert '"frames": false' in Line(port + 1).ask("GET", "/info")[1]
        for own in (address for address in local_addresses() if address.version == 4 and not address.is_loopback):
            with socket.socket() as stranger:
                stranger.settimeout(GUARD_S)
                assert stranger.connect_ex((str(own), port + 1)) != 0, "the bench is served to others"
    finally:
        end(demo)


def test_the_address_of_the_bench_is_this_machine_s(tmp_path: Path) -> None:
    args = SimpleNamespace(
        host="0.0.0.0",
        port=8080,
        tables=1,
        players=4,
        rulebook="xwing-standard",
        language="en",
        facing="edge",
        unenrolled=0,
    )
    demo = Demo(args, tmp_path)  # type: ignore[arg-type]
    assert "http://127.0.0.1:8081/" in demo.greeting()
    demo.kit.stop()
