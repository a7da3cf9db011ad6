"""The station's link: signed both ways, a state is repeated until the hub has answered it, an answer is the newest."""

import json
from types import SimpleNamespace

from roundtap_core.wire import ECHO, REQUEST, envelope, open_envelope
from roundtap_units.link.hub_address import HubAddress
from roundtap_units.station.station_link import REFUSED_TIMES, HubStationLink

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))


class ByHand:
    """Connections to a hub that is two functions: `challenge()`, and `post(path, message)`, which gives its answer."""

    def __init__(self, post, challenge=lambda: "first", status=200):
        self.post, self.challenge, self.status = post, challenge, status

    def __call__(self, host, port, within_s):
        return self

    def request(self, method, path, body="", headers=()):
        self.said = {"challenge": self.challenge()} if method == "GET" else self.post(path, json.loads(body))

    def getresponse(self):
        return SimpleNamespace(status=self.status, read=lambda most: json.dumps(self.said).encode())

    def close(self):
        """It is the same hub again."""


class Wire:
    """A hub on the other end; `answer` makes what it says of a request's payload."""

    def __init__(self):
        self.heard = []
        self.key = KEY
        self.jobs = []
        self.broken = None
        self.asked = 0
        self.meanwhile = lambda: None

    def challenge(self):
        self.asked += 1
        return f"asked {self.asked}"

    def post(self, path, message):
        self.meanwhile()
        if self.broken is not None:
            raise self.broken
        payload = open_envelope(KEY, REQUEST, message)
        assert payload is not None
        self.heard.append((path, payload))
        return envelope(
            self.key, ECHO, {"nonce": payload["nonce"], "challenge": f"after {len(self.heard)}", "jobs": self.jobs}
        )


def a_link(wire):
    return HubStationLink(HubAddress("10.42.0.1", 8080, "station-1", KEY), ByHand(wire.post, wire.challenge))


def test_states_go_out_and_jobs_come_in():
    wire = Wire()
    wire.jobs = [{"id": "e1/x/slip/1.1", "kind": "slip", "content": {"table": 1}}]
    link = a_link(wire)
    link.report("e1/x/slip/1.2", "printed", "")
    assert link.exchange()
    ((path, payload),) = wire.heard
    assert len(payload.pop("nonce")) == 16
    assert (path, payload) == (
        "/station/jobs",
        {"unit": "station-1", "challenge": "asked 1", "states": [["e1/x/slip/1.2", "printed", ""]]},
    )
    assert [(job.id, job.kind, job.content) for job in link.next_jobs()] == [("e1/x/slip/1.1", "slip", {"table": 1})]
    link.exchange()
    assert wire.heard[1][1]["states"] == []


def test_what_the_hub_did_not_answer_is_said_again_and_the_jobs_stay():
    wire = Wire()
    wire.jobs = [{"id": "j", "kind": "slip", "content": {}}]
    link = a_link(wire)
    link.exchange()
    link.report("j", "sending", "")
    for wire.broken in (OSError("no route"), ValueError("a portal's page")):
        assert not link.exchange()
    assert [job.id for job in link.next_jobs()] == ["j"]
    wire.broken = None
    link.report("j", "printed", "")
    link.exchange()
    assert wire.heard[-1][1]["states"] == [["j", "printed", ""]]


def test_an_answer_with_another_key_or_of_another_request_counts_for_nothing():
    wire = Wire()
    link = a_link(wire)
    link.report("j", "printed", "")
    wire.key = OTHER_KEY
    assert not link.exchange()
    wire.key = KEY
    old = wire.post("/station/jobs", envelope(KEY, REQUEST, {"nonce": "n0", "states": []}))
    replayed = HubStationLink(HubAddress("h", 1, "station-1", KEY), ByHand(lambda path, message: old))
    assert not replayed.exchange()
    assert link.has_unsent


def test_a_state_said_while_the_hub_is_being_asked_is_not_lost():
    wire = Wire()
    link = a_link(wire)
    link.report("j", "sending", "")
    wire.meanwhile = lambda: link.report("j", "printed", "")
    link.exchange()
    assert link.has_unsent


def test_each_answer_brings_the_next_challenge_and_only_where_one_is_lost_another_is_asked_for():
    wire = Wire()
    link = a_link(wire)
    for _ in range(3):
        assert link.exchange()
    assert [payload["challenge"] for _, payload in wire.heard] == ["asked 1", "after 1", "after 2"]
    wire.broken = OSError("the answer was lost")
    assert not link.exchange()
    wire.broken = None
    assert link.exchange()
    assert wire.heard[-1][1]["challenge"] == "asked 2"


def test_a_key_that_is_refused_for_half_a_minute_is_gone_and_a_lost_challenge_or_a_hub_that_is_away_is_not():
    answers = []

    def post(path, message):
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        hub.status = answer

    def challenge():
        hub.status = 200
        return "c"

    hub = ByHand(post, challenge)
    link = HubStationLink(HubAddress("hub", 80, "station-1", KEY), hub)
    answers += [403] * (REFUSED_TIMES - 1) + [OSError()] + [403] * REFUSED_TIMES
    for _ in range(2 * REFUSED_TIMES - 1):
        assert not link.exchange()
        assert not link.is_key_rejected
    link.exchange()
    assert link.is_key_rejected
