"""The station's link: signed both ways, a state is repeated until the hub has answered it, an answer is the newest."""

from __future__ import annotations

from roundtap_core.wire import ECHO, REQUEST, envelope, opened
from roundtap_units.link.link import HubAddress
from roundtap_units.station.station_link import REFUSED_TIMES, HubStationLink, KeyRefused

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))


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
        payload = opened(KEY, REQUEST, message)
        assert payload is not None
        self.heard.append((path, payload))
        return envelope(self.key, ECHO, {"nonce": payload["nonce"], "challenge": f"after {payload['nonce']}",
                                         "jobs": self.jobs})


def a_link(wire):
    nonces = (f"n{i}" for i in range(1000))
    return HubStationLink(HubAddress("10.42.0.1", 8080, "station-1", KEY), wire.post, lambda: next(nonces),
                          wire.challenge)


def test_states_go_out_and_jobs_come_in():
    wire = Wire()
    wire.jobs = [{"id": "e1/x/slip/1.1", "kind": "slip", "content": {"table": 1}}]
    link = a_link(wire)
    link.report("e1/x/slip/1.2", "printed", "")
    assert link.exchange()
    assert wire.heard == [("/station/jobs", {"unit": "station-1", "nonce": "n0", "challenge": "asked 1",
                                            "states": [["e1/x/slip/1.2", "printed", ""]]})]
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
    replayed = HubStationLink(HubAddress("h", 1, "station-1", KEY), lambda path, message: old, lambda: "n7",
                              wire.challenge)
    assert not replayed.exchange()
    assert link.unsaid


def test_a_state_said_while_the_hub_is_being_asked_is_not_lost():
    wire = Wire()
    link = a_link(wire)
    link.report("j", "sending", "")
    wire.meanwhile = lambda: link.report("j", "printed", "")
    link.exchange()
    assert link.unsaid


def test_each_answer_brings_the_next_challenge_and_only_where_one_is_lost_another_is_asked_for():
    wire = Wire()
    link = a_link(wire)
    for _ in range(3):
        assert link.exchange()
    assert [payload["challenge"] for _, payload in wire.heard] == ["asked 1", "after n0", "after n1"]
    wire.broken = OSError("the answer was lost")
    assert not link.exchange()
    wire.broken = None
    assert link.exchange()
    assert wire.heard[-1][1]["challenge"] == "asked 2"


def test_a_key_that_is_refused_for_half_a_minute_is_gone_and_a_lost_challenge_or_a_hub_that_is_away_is_not():
    answers = []

    def post(path, message):
        raise answers.pop(0)

    link = HubStationLink(HubAddress("hub", 80, "station-1", KEY), post, lambda: "n", lambda: "c")
    answers += [KeyRefused()] * (REFUSED_TIMES - 1) + [OSError()] + [KeyRefused()] * REFUSED_TIMES
    for _ in range(2 * REFUSED_TIMES - 1):
        assert not link.exchange()
        assert not link.key_is_gone
    link.exchange()
    assert link.key_is_gone
