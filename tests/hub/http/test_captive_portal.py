"""A phone that asks its maker whether there is internet is told so by the hub; other foreign names lead to its door."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from ipaddress import ip_address
from pathlib import Path

import pytest
from asgi_client import Answer, AsgiClient
from hub_kit import HandClock, hub_of, running

from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.hub import Hub
from roundtap_hub.http.hall_addresses import HallAddresses
from roundtap_hub.http.host import Host

BY_HOTSPOT = ("10.42.0.1", 80)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[AsgiClient]:
    with hub_at(tmp_path) as (_, found):
        yield found


@contextmanager
def hub_at(folder: Path, server: tuple[str, int] = BY_HOTSPOT) -> Iterator[tuple[Hub, AsgiClient]]:
    with running(folder / "journal.sqlite") as service:
        reached = HallAddresses(8080, 80, ["games.example.org"], lambda: [ip_address("192.168.1.20")])
        reached.refresh()
        hub = hub_of(service, HandClock(), host=Host(reached))
        with closing(AsgiClient(HubApplication(hub))) as client:
            client.seen_as = {"server": server, "client": ("10.42.0.77", 40000)}
            yield hub, client


def asked(client: AsgiClient, host: str, path: str) -> Answer:
    return client.get(path, host=host)


@pytest.mark.parametrize(
    ("host", "path", "status", "body"),
    [
        # As the makers' own servers answer.
        ("connectivitycheck.gstatic.com", "/generate_204", 204, ""),
        ("connect.rom.miui.com", "/generate_204", 204, ""),
        ("www.google.com", "/gen_204", 204, ""),
        (
            "captive.apple.com",
            "/hotspot-detect.html",
            200,
            "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>",
        ),
        (
            "www.apple.com",
            "/library/test/success.html",
            200,
            "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>",
        ),
        ("www.msftconnecttest.com", "/connecttest.txt", 200, "Microsoft Connect Test"),
        ("www.msftncsi.com", "/ncsi.txt", 200, "Microsoft NCSI"),
        ("detectportal.firefox.com", "/success.txt?ipv4", 200, "success\n"),
        ("nmcheck.gnome.org", "/check_network_status.txt", 200, "NetworkManager is online\n"),
        ("network-test.debian.org", "/nm", 200, "NetworkManager is online\n"),
        ("fedoraproject.org", "/static/hotspot.txt", 200, "OK"),
        ("connectivity-check.ubuntu.com", "/", 204, ""),
    ],
)
def test_a_probe_gets_the_answer_that_it_waits_for(
    client: AsgiClient, host: str, path: str, status: int, body: str
) -> None:
    answer = asked(client, host, path)
    assert (answer.status_code, answer.text) == (status, body)
    assert answer.headers["cache-control"] == "no-store"


def test_any_other_page_of_a_foreign_name_leads_to_the_front_door_by_the_address_that_the_phone_came_in_by(
    client: AsgiClient,
) -> None:
    for host, path in (("www.example.com", "/"), ("news.example.com:80", "/console?x=1"), ("captive.apple.com", "/me")):
        answer = asked(client, host, path)
        assert (answer.status_code, answer.headers["location"]) == (302, "http://10.42.0.1/")


def test_what_was_sent_to_a_foreign_name_is_never_answered_as_if_it_had_arrived(client: AsgiClient) -> None:
    for path in ("/me/abc/report", "/generate_204", "/"):
        answer = client.post(path, data=b"result=1", host="www.example.com")
        assert answer.status_code == 421


@pytest.mark.parametrize(
    "host",
    [
        "10.42.0.1",
        "10.42.0.1:80",
        "roundtap.local",
        "roundtap",
        "hub.lan",
        "localhost",
        "[fd00::1]:80",
        "games.example.org",
        "GAMES.example.org.",
    ],
)
def test_its_own_names_are_served(client: AsgiClient, host: str) -> None:
    assert asked(client, host, "/time").status_code == 200
    assert asked(client, host, "/generate_204").status_code == 404


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/device/challenge"), ("POST", "/device/report"), ("GET", "/standby/lineage")]
)
def test_units_are_answered_whatever_they_call_the_hub(client: AsgiClient, method: str, path: str) -> None:
    ask = client.get if method == "GET" else client.post
    foreign = ask(path, host="hub.example.com")
    own = ask(path, host="10.42.0.1")
    assert foreign.status_code == own.status_code != 421
    assert "location" not in foreign.headers


def test_at_the_port_that_is_named_nobody_asks_for_somebody_else(tmp_path: Path) -> None:
    # A reverse proxy, or a port that a router hands on.
    with hub_at(tmp_path, ("127.0.0.1", 8080)) as (_, client):
        assert asked(client, "www.example.com", "/time").status_code == 200
        assert asked(client, "www.example.com", "/generate_204").status_code == 404


@pytest.mark.parametrize("host", ["..", ".", "a..b"])
def test_a_name_that_is_none_is_refused_and_fills_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, host: str
) -> None:
    """One phone may ask so a hundred times a second."""
    with hub_at(tmp_path, ("10.42.0.1", 8080)) as (_, found):
        answer = asked(found, host, "/no/such/page")
    assert answer.status_code == 400
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
