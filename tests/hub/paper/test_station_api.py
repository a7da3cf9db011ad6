"""The station's address: signed both ways, jobs a few at a time, states that only go up."""

from ipaddress import ip_address

import pytest
from hub_kit import KEYS, HandClock, hub_of, make_event, running, url_of

from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.wire import ECHO, REPORT, REQUEST, envelope, open_envelope
from roundtap_hub.app.flask_app import create_app
from roundtap_hub.paper.print_jobs import order_printer_test, order_slips
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.service import Step

UNIT, OTHER = "station-1", "station-2"

PRINTER = {
    "port": "usb-0416-5011",
    "ports": ["usb-0416-5011"],
    "printer": "pos-5890",
    "models": [["pos-5890", "x"]],
    "baud": 0,
    "bauds": [9600],
    "confirmed": False,
}


class Hub:
    def __init__(self, service, clock, path):
        self.book = PrintBook(url_of(path))
        self.hub = hub_of(service, clock, self.book)
        self.client = create_app(self.hub).test_client()

    def ask(self, *states, unit=UNIT, nonce="n1"):
        return self.post(self.request(*states, unit=unit, nonce=nonce))

    def request(self, *states, unit=UNIT, nonce="n1"):
        payload = {
            "unit": unit,
            "nonce": nonce,
            "challenge": self.hub.units.challenges.issue(),
            "states": [list(state) for state in states],
        }
        return envelope(KEYS[unit], REQUEST, payload)

    def post(self, message):
        return self.client.post("/station/jobs", json=message, base_url="http://10.42.0.1:8080")

    def jobs(self, *states, unit=UNIT):
        answer = self.ask(*states, unit=unit)
        assert answer.status_code == 200, answer.text
        payload = open_envelope(KEYS[unit], ECHO, answer.json)
        assert payload["nonce"] == "n1"
        return payload["jobs"]


@pytest.fixture
def hub(tmp_path):
    clock = HandClock()
    with running(tmp_path / "hub.db", clock) as service:
        make_event(service, units=False)
        made = Hub(service, clock, tmp_path / "hub.db")
        yield made
        made.book.close()


def test_a_published_round_is_given_out(hub):
    jobs = hub.jobs()
    assert [job["kind"] for job in jobs] == ["pairings-table", "pairings-name", "slip", "slip"]
    assert jobs[2]["content"]["url"].startswith("http://10.42.0.1:8080/s/")
    assert UNIT in hub.hub.presence.units


def test_a_station_says_how_its_printer_is(hub):
    message = {
        "unit": UNIT,
        "nonce": "n1",
        "challenge": hub.hub.units.challenges.issue(),
        "states": [],
        "health": {"printer": "no-paper"},
    }
    assert hub.post(envelope(KEYS[UNIT], REQUEST, message)).status_code == 200
    assert '"printer":"no-paper"' in hub.hub.presence.units[UNIT].health
    hub.jobs()
    assert '"printer":"no-paper"' in hub.hub.presence.units[UNIT].health


def test_what_was_begun_is_not_given_out_again(hub):
    first, second, *rest = (job["id"] for job in hub.jobs())
    assert [job["id"] for job in hub.jobs((first, "printed", ""), (second, "uncertain", "unplugged"))] == rest
    assert hub.book.states[second].detail == "unplugged"


def test_a_second_station_gets_what_the_first_one_did_not_take(hub):
    assert len(hub.jobs()) == 4
    assert hub.jobs(unit=OTHER) == []


def test_a_station_does_not_speak_for_anothers_jobs(hub):
    first = hub.jobs()[0]["id"]
    hub.jobs((first, "printed", ""), unit=OTHER)
    assert hub.book.states[first].state == "queued"


def test_an_old_message_repeated_is_refused_and_changes_nothing(hub):
    first = hub.jobs()[0]["id"]
    message = hub.request((first, "uncertain", "silent"))
    assert hub.post(message).status_code == 200
    hub.jobs((first, "printed", ""))
    assert hub.post(message).status_code == 403
    assert hub.book.states[first].state == "printed"


def test_each_answer_brings_the_challenge_of_the_next_request(hub):
    said = open_envelope(KEYS[UNIT], ECHO, hub.ask().json)
    again = {"unit": UNIT, "nonce": "n2", "challenge": said["challenge"], "states": []}
    assert hub.post(envelope(KEYS[UNIT], REQUEST, again)).status_code == 200
    assert hub.post(envelope(KEYS[UNIT], REQUEST, {**again, "nonce": "n3"})).status_code == 403


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ({}, 403),
        ([], 403),
        ({"payload": {"unit": "nobody", "nonce": "n", "states": []}, "mac": "0"}, 403),
        ({"payload": {"unit": UNIT, "nonce": "n", "states": []}, "mac": "0"}, 403),
        ((KEYS[OTHER], REQUEST, {}), 403),
        ((KEYS[UNIT], REPORT, {}), 403),
        ((KEYS[UNIT], REQUEST, {"challenge": None}), 403),
        ((KEYS[UNIT], REQUEST, {"challenge": "made up"}), 403),
        ((KEYS[UNIT], REQUEST, {"nonce": ""}), 400),
        ((KEYS[UNIT], REQUEST, {"states": None}), 400),
        ((KEYS[UNIT], REQUEST, {"states": [["j", "eaten", ""]]}), 400),
        ((KEYS[UNIT], REQUEST, {"states": [["j", ["queued"], ""]]}), 400),
        ((KEYS[UNIT], REQUEST, {"states": [["j", "queued"]]}), 400),
        ((KEYS[UNIT], REQUEST, {"states": [["j", "sent", ""]] * 65}), 400),
    ],
)
def test_what_is_not_signed_or_not_well_formed_is_refused(hub, message, status):
    if isinstance(message, tuple):
        key, purpose, changes = message
        message = envelope(
            key,
            purpose,
            {"unit": UNIT, "nonce": "n", "challenge": hub.hub.units.challenges.issue(), "states": [], **changes},
        )
    assert hub.post(message).status_code == status
    assert hub.book.states == {}


def place(hub, *tables):
    hub.hub.service.execute(
        [Step(VENUE, NewEntry("unit-placed", {"unit": f"table-{n}", "table": n})) for n in tables], "organizer"
    )


def test_slips_are_for_tables_where_no_unit_stands(hub):
    place(hub, 1)
    assert [(job["kind"], job["content"].get("table")) for job in hub.jobs()] == [
        ("pairings-table", None),
        ("pairings-name", None),
        ("slip", 2),
    ]


def test_a_slip_that_was_asked_for_is_printed_wherever_a_unit_stands(hub):
    place(hub, 1, 2)
    for job in order_slips(hub.hub.service.snapshot.events["e1"], "aa"):
        hub.book.order(job)
    assert sorted(job["content"]["table"] for job in hub.jobs() if job["kind"] == "slip") == [1, 2]


@pytest.mark.parametrize("asked", ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"])
def test_a_station_on_the_hub_s_own_machine_prints_the_address_that_phones_reach(hub, asked, monkeypatch):
    monkeypatch.setattr(hub.hub.host.hall_addresses, "addresses", (ip_address("192.168.178.21"),))
    message = hub.request()
    answer = hub.client.post("/station/jobs", json=message, base_url=asked)
    jobs = open_envelope(KEYS[UNIT], ECHO, answer.json)["jobs"]
    assert {job["content"]["url"][:29] for job in jobs} == {
        "http://192.168.178.21:8080/s/"[:29],
        "http://192.168.178.21:8080/e/"[:29],
    }


def say_printer(hub, printer):
    message = hub.request()
    message = envelope(KEYS[UNIT], REQUEST, {**message["payload"], "printer": printer})
    answer = hub.post(message)
    assert answer.status_code == 200, answer.text
    return open_envelope(KEYS[UNIT], ECHO, answer.json)


def test_what_a_station_says_of_its_printer_is_known_and_what_somebody_confirmed_is_told_it(hub):
    assert "printer" not in say_printer(hub, PRINTER)
    assert hub.book.printers[UNIT].model == "pos-5890"
    hub.book.save_printer_order(
        UNIT, {"id": "a1", "port": "usb-0416-5011", "printer": "zj-5870", "baud": 0, "confirmed": True}
    )
    assert say_printer(hub, PRINTER)["printer"]["printer"] == "zj-5870"


@pytest.mark.parametrize(
    "printer",
    [
        None,
        [],
        "x",
        {},
        {**PRINTER, "ports": "all"},
        {**PRINTER, "baud": "fast"},
        {**PRINTER, "models": [["a"]]},
        {**PRINTER, "port": "x" * 300},
        {**PRINTER, "ports": ["x"] * 99},
    ],
)
def test_nonsense_about_a_printer_is_passed_over(hub, printer):
    assert say_printer(hub, printer)["jobs"]
    assert hub.book.printers == {}


def test_a_test_print_is_for_the_station_it_was_ordered_at(hub):
    state = hub.hub.service.snapshot.events["e1"]
    at = {"port": "", "printer": "pos-5890", "baud": 9600}
    hub.book.order(order_printer_test(state, "speed", "aa", {"unit": OTHER, "number": 1, "at": at}))
    assert "speed" not in [job["kind"] for job in hub.jobs()]
    [job] = [job for job in hub.jobs(unit=OTHER) if job["kind"] == "speed"]
    assert (job["content"]["number"], job["content"]["at"]) == (1, at)


def test_a_cancelled_job_is_not_given_out_but_what_was_begun_is_told_as_it_is(hub):
    first, second, *_ = (job["id"] for job in hub.jobs())
    hub.book.cancel([first, second])
    assert first not in [job["id"] for job in hub.jobs()]
    hub.jobs((second, "sending", ""))
    assert hub.book.states[second].state == "sending"
    assert hub.book.states[first].state == "cancelled"
    hub.book.cancel([second])
    assert hub.book.states[second].state == "sending"
