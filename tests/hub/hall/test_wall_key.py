"""How a hub proves itself to a wall: a key over TLS alone, signed answers, a new certificate confirmed by a person."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from asgi_client import Answer, AsgiClient
from pages_kit import House, text_of

from roundtap_core.wire import ECHO, REQUEST, digest, envelope, open_envelope, wall_key
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.tls import HttpsInfo

AUTHORITY = "-----BEGIN CERTIFICATE-----"


@pytest.fixture
def client(house: House) -> Iterator[AsgiClient]:
    house.hub.access.encrypted = HttpsInfo(8443, AUTHORITY.encode(), "A1B2")
    with closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as opened:
        yield opened


def over_tls(client: AsgiClient) -> Answer:
    client.seen_as = {"scheme": "https"}
    try:
        return client.post("/device/wall", json={"display": ""})
    finally:
        client.seen_as = {}


class Wall:
    """One that has been given its key."""

    def __init__(self, client: AsgiClient) -> None:
        self.client = client
        given = over_tls(client).get_json()
        self.wall, self.key, self.display = given["wall"], bytes.fromhex(given["key"]), given["display"]

    def ask(self, *seals: str, key: bytes = b"") -> Any:
        asked = {"wall": self.wall, "nonce": "n1", "display": self.display, "seals": list(seals)}
        return self.client.post("/device/wall", json=envelope(key or self.key, REQUEST, asked))


def test_a_key_is_given_over_tls_alone_and_to_each_its_own(house: House, client: AsgiClient) -> None:
    one, two = Wall(client), Wall(client)
    assert one.key == wall_key(house.hub.access.secret, one.wall)
    assert one.key != two.key
    assert client.post("/device/wall", json={"display": one.display}).status_code == 400


def test_the_hub_signs_to_the_wall_s_nonce_which_authority_to_trust(client: AsgiClient) -> None:
    wall = Wall(client)
    answer = open_envelope(wall.key, ECHO, wall.ask().get_json())
    assert (answer["nonce"], answer["authority"], answer["secure"]) == ("n1", AUTHORITY, 8443)
    assert wall.ask(key=b"another").status_code == 400


def test_a_wall_that_knew_another_certificate_waits_until_it_is_confirmed(house: House, client: AsgiClient) -> None:
    desk = house.with_event()
    wall = Wall(client)
    assert wall.ask(digest(AUTHORITY)).status_code == 200
    refused = wall.ask("before")
    answer = open_envelope(wall.key, ECHO, refused.get_json())
    assert (refused.status_code, answer["unconfirmed"], answer["authority"]) == (409, "n1", "")
    # An older wall looks at the nonce alone, and would take what is signed to it for its hub's proof.
    assert answer["nonce"] == ""
    assert "it knew this hub by another certificate" in text_of(desk.get("/console/displays"))
    desk.post(f"/console/displays/{wall.display.partition('.')[0]}/set", event="", show="auto")
    assert wall.ask("before").status_code == 200
    assert "it knew this hub by another certificate" not in text_of(desk.get("/console/displays"))


def test_a_hub_without_a_certificate_gives_no_key(house: House, client: AsgiClient) -> None:
    house.hub.access.encrypted = None
    assert over_tls(client).status_code == 404
    assert client.get("/device/hub").get_json()["secure"] == 0
