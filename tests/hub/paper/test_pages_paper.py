"""The console's paper: what is uncertain asks for a person, who prints it again or says that it is there."""

import json
import re
from contextlib import closing, contextmanager

import pytest
from flask import Flask
from pages_kit import PEOPLE, open_house, problem_of, start_page_needs, text_of, words_of
from wire_json import job_json

from roundtap_core.event.commands import MakeCut
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.access.unit_keys import STATION
from roundtap_hub.app import flask_app
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.paper import paper, print_jobs, station_api
from roundtap_hub.paper.print_jobs import derived_jobs
from roundtap_hub.store.print_book import PrintBook, PrintState
from roundtap_hub.views.unit_presence import encode_health

PRINTER = {
    "port": "/dev/serial/by-id/usb-1a86",
    "ports": ["/dev/serial/by-id/usb-1a86", "usb-0416-5011"],
    "printer": "epson-80",
    "models": [["epson-80", "Epson"], ["pos-5890", "POS-5890"]],
    "baud": 38400,
    "bauds": [9600, 19200],
    "confirmed": False,
}


@contextmanager
def paper_house(tmp_path, **options):
    with open_house(tmp_path) as made:
        made.book = PrintBook(f"sqlite:///{tmp_path / 'roundtap.db'}")
        made.hub.paper = made.book
        made.app = Flask("roundtap_hub")
        made.app.config.update(SECRET_KEY=made.hub.access.secret)
        flask_app.register_pages(made.app, made.hub)
        made.desk = made.with_event(**options)
        made.publish()
        yield made
        made.book.close()


@pytest.fixture
def house(tmp_path):
    with paper_house(tmp_path) as made:
        yield made


def jobs(house):
    return derived_jobs(house.event)


def test_without_a_print_station_nothing_waits_and_nothing_is_offered(house):
    """Sheets that a browser prints need none; what a station once had in hand is shown whatever became of it."""
    page = house.desk.get("/console/e1/paper").text
    assert 'id="paper-sheets"' in page
    assert 'id="paper-waiting"' not in page
    assert 'name="kind"' not in page
    assert 'id="paper-proxy"' not in page
    house.book.update_states([(jobs(house)[0].id, PrintState("sending", "", "station-1"))])
    assert "1 waiting" in text_of(house.desk.get("/console/e1/paper"))


def test_an_event_that_is_published_lists_its_paper(house):
    house.hub.units.keys.add("station-1", STATION)
    page = text_of(house.desk.get("/console/e1/paper"))
    assert "5 waiting" in page
    assert "Result slip · table 1 waiting" in page


def test_paper_of_a_knockout_round_is_called_by_the_round_s_name(tmp_path):
    with paper_house(tmp_path, swiss_rounds=1, cut=4) as house:
        house.play()
        house.service.execute_one("e1", MakeCut(), "test")
        house.publish()
        house.desk.get("/console/e1/paper")
        house.desk.post("/console/e1/paper", kind="pairings-table")
        assert "Pairings by table · Semi-final" in text_of(house.desk.get("/console/e1/paper"))


def test_what_is_uncertain_asks_and_is_answered(house):
    slip = jobs(house)[2]
    house.book.update_states([(slip.id, PrintState("uncertain", "unplugged", "s1"))])
    page = text_of(house.desk.get("/console/e1/paper"))
    assert "Check the printer" in page
    assert "not confirmed: the cable is unplugged" in page
    house.desk.post("/console/e1/paper/there", job=slip.id)
    page = text_of(house.desk.get("/console/e1/paper"))
    assert "Check the printer" not in page
    assert "1 printed" in page
    assert house.book.orders == []


def test_a_console_that_is_open_is_told_of_paper_that_asks_for_somebody(house):
    """A print job is no entry: what the console shows of it has a version of its own."""
    page = house.desk.get("/console/e1").text
    seen = re.search(r'data-seen="([^"]+)"', page)
    house.book.update_states([(jobs(house)[2].id, PrintState("failed", "no-paper", "s1"))])
    told = house.desk.get(f"/console/e1?since={seen[1]}").text
    assert re.search(r"Print.{0,40}places-n", told)


def test_slips_at_a_silent_printer_stand_on_the_start_page(house):
    assert start_page_needs(house.desk) == ""
    house.book.update_states([(jobs(house)[2].id, PrintState("queued", "mute", "s1"))])
    assert "Action needed 1 Winter Open Check the printer. Print jobs waiting: 1" in start_page_needs(house.desk)
    house.hub.units.keys.add("station-1", "station")
    waiting = len(jobs(house))
    assert f"Print jobs waiting: {waiting}" in start_page_needs(house.desk), "its station is not in contact"


def test_print_again_is_a_new_job_and_settles_the_old_one(house):
    slip = jobs(house)[2]
    house.book.update_states([(slip.id, PrintState("uncertain", "silent", "s1"))])
    house.desk.get("/console/e1/paper")
    house.desk.post("/console/e1/paper/again", job=slip.id)
    [ordered] = house.book.orders
    assert re.fullmatch(re.escape(slip.id) + "#[0-9a-f]{8}", ordered.id)
    assert house.book.states[slip.id].state == "again"
    house.desk.post("/console/e1/paper/again", job="e1/gone/slip/1.1")
    assert len(house.book.orders) == 1


def test_standings_and_the_test_print_are_ordered_by_hand(house):
    house.desk.get("/console/e1/paper")
    for kind in ("standings", "code-pages"):
        assert house.desk.post("/console/e1/paper", kind=kind).status_code == 303
    assert [job.kind for job in house.book.orders] == ["standings", "code-pages"]
    assert house.desk.post("/console/e1/paper", kind="slip").status_code == 400


def test_a_proxy_for_a_damaged_card_bears_its_name_the_officials_and_the_date(house):
    """X-Wing, "Lost material": damaged cards, a proxy with the official's name and the date."""
    house.desk.get("/console/e1/paper")
    answer = house.desk.post(
        "/console/e1/paper/proxy", card="  Expert  Handling ", official="Eva Luz", date="2026-11-21"
    )
    assert answer.status_code == 303
    [job] = house.book.orders
    content = job_json(job, house.service.snapshot, "http://hub")
    assert (content["card"], content["official"], content["date"]) == ("Expert Handling", "Eva Luz", "2026-11-21")
    assert content["event"] == "Winter Open"
    assert "Proxy card · Expert Handling waiting" in text_of(house.desk.get("/console/e1/paper"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"card": " "}, "needs the card’s name"),
        ({"official": ""}, "needs the card’s name"),
        ({"date": "tomorrow"}, "the date"),
        ({"card": "x" * 61}, "limits are 60 letters"),
    ],
)
def test_a_proxy_that_says_too_little_or_too_much_is_not_printed(house, wrong, said):
    house.desk.get("/console/e1/paper")
    good = {"card": "Expert Handling", "official": "Eva Luz", "date": "2026-11-21"}
    answer = house.desk.post("/console/e1/paper/proxy", **{**good, **wrong})
    assert said in problem_of(answer)
    assert house.book.orders == []


def test_a_proxy_is_kept_over_a_restart_and_printed_again_as_it_was(house, tmp_path):
    house.desk.get("/console/e1/paper")
    house.desk.post("/console/e1/paper/proxy", card="Żetony", official="Eva Luz", date="2026-11-21")
    [job] = house.book.orders
    house.desk.post("/console/e1/paper/again", job=job.id)
    with closing(PrintBook(f"sqlite:///{tmp_path / 'roundtap.db'}")) as again:
        assert [json.loads(order.text)["card"] for order in again.orders] == ["Żetony", "Żetony"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_and_reason_is_said_in_every_language(house, language):
    for state in ("queued", "sending", "sent", "printed", "uncertain", "failed", "there"):
        for detail in (*paper.DETAILS, "whatever"):
            house.book.order(ordered := print_jobs.order_job(house.event, "standings", f"{state}{detail}"))
            house.book.update_states([(ordered.id, PrintState(state, detail, "s1"))])
    house.desk.headers["Accept-Language"] = language
    answer = house.desk.get("/console/e1/paper")
    assert answer.status_code == 200
    assert catalogue("roundtap_hub", language)("paper.detail.no-paper") in answer.text


def test_a_mute_printer_is_a_question_and_its_jobs_go_on_as_sent_after_the_answer(house):
    """On every organizer's page, too: whoever waits for a slip looks at the console first."""
    slip = jobs(house)[2]
    house.book.update_states([(slip.id, PrintState("queued", "mute", "station-1"))])
    assert "The printer of station-1 does not respond" in text_of(house.desk.console())
    page = text_of(house.desk.get("/console/e1/paper"))
    assert "Check the printer of station-1, for example" in page
    assert "Printing works: continue" in page
    for _ in range(2):
        house.desk.post("/console/e1/paper/go-on", job=slip.id)
    assert house.book.states[slip.id] == PrintState("queued", "go-on", "station-1")
    assert "does not respond" not in text_of(house.desk.console())
    told = station_api._exchange(house.hub, house.book, "station-1", [], "http://hub")
    assert [job.id for job in told if job.go_on] == [slip.id]


def test_what_does_not_wait_for_a_mute_printer_cannot_go_on_as_sent(house):
    slip = jobs(house)[2]
    house.book.update_states([(slip.id, PrintState("uncertain", "silent", "station-1"))])
    house.desk.post("/console/e1/paper/go-on", job=slip.id)
    assert house.book.states[slip.id] == PrintState("uncertain", "silent", "station-1")


# --- the hub's fingerprint ----------------------------------------------------------------------------------------


def test_the_fingerprint_is_printed_by_hand_where_there_is_one_to_trust(house):
    """Also before anybody plays; a hub that is not encrypted has nothing to compare."""
    house.hub.units.keys.add("station-1", STATION)
    assert "Hub fingerprint" not in house.desk.get("/console/e1/paper").text
    assert house.desk.post("/console/e1/paper", kind="trust").status_code in (400, 409)
    encrypted = HttpsInfo(8443, b"", "A1B2 C3D4")
    house.hub.access.encrypted = encrypted
    house.app.extensions["roundtap"] = house.hub
    assert "Hub fingerprint" in house.desk.get("/console/e1/paper").text
    house.desk.post("/console/e1/paper", kind="trust")
    job = house.book.orders[-1]
    made = job_json(job, house.service.snapshot, "http://10.42.0.1:8080", encrypted)
    assert (job.kind, made["fingerprint"], made["console"], made["url"]) == (
        "trust",
        "A1B2 C3D4",
        "https://10.42.0.1:8443/",
        "http://10.42.0.1:8080/trust",
    )
    assert job_json(job, house.service.snapshot, "http://10.42.0.1:8080") is None


def test_a_printer_that_nobody_confirmed_asks_to_be_read_and_is_set_up_without_a_terminal(house):
    house.book.record_printer("s1", PRINTER)
    page = text_of(house.desk.get("/console/e1/paper"))
    assert "Printer of s1" in page
    assert "Nobody has checked its output" in page
    told = {"unit": "s1", "port": "usb-0416-5011", "model": "pos-5890", "baud": "19200"}
    house.desk.post("/console/e1/paper/printer", what="speeds", **told)
    assert [(job.kind, json.loads(job.text)["at"]["baud"]) for job in house.book.orders] == [
        ("speed", 9600),
        ("speed", 19200),
    ]
    house.desk.post("/console/e1/paper/printer", what="test", **told)
    assert json.loads(house.book.orders[-1].text) == {
        "unit": "s1",
        "at": {"port": "usb-0416-5011", "printer": "pos-5890", "baud": 19200},
    }
    assert house.book.printer_order("s1") is None
    house.desk.post("/console/e1/paper/printer", what="right", **told)
    order = house.book.printer_order("s1")
    assert {name: order[name] for name in ("port", "printer", "baud", "confirmed")} == {
        "port": "usb-0416-5011",
        "printer": "pos-5890",
        "baud": 19200,
        "confirmed": True,
    }
    assert "Numbered sheet · 1: 9600" in text_of(house.desk.get("/console/e1/paper"))


def test_a_confirmed_printer_asks_nothing(house):
    house.book.record_printer("s1", {**PRINTER, "confirmed": True})
    assert "Nobody has checked" not in text_of(house.desk.get("/console/e1/paper"))


@pytest.mark.parametrize(
    ("port", "word", "told", "never"),
    [
        # A virtual printer has no port.
        ("", "ready", "ready, with paper", "no printer connected"),
        ("usb-0416-5011", "unplugged", "no printer connected", "ready"),
    ],
)
def test_a_printer_has_one_state_its_station_s_own(house, port, word, told, never):
    house.hub.units.keys.add("s1", "station")
    house.hub.presence.update("s1", house.time(), health=encode_health({"printer": word}))
    house.book.record_printer("s1", {**PRINTER, "port": port, "ports": [], "confirmed": True})
    card = text_of(house.desk.get("/console/e1/paper")).split("Printer of s1")[1].split("Damaged card proxy")[0]
    assert told in card
    assert never not in card


@pytest.mark.parametrize("wrong", [{"model": "/etc/passwd"}, {"port": "/dev/sda"}, {"baud": "12"}, {"what": "x"}])
def test_a_printer_is_only_set_to_what_its_station_knows(house, wrong):
    house.book.record_printer("s1", PRINTER)
    house.desk.get("/console/e1/paper")
    told = {"unit": "s1", "port": "", "model": "pos-5890", "baud": "0", "what": "right"} | wrong
    assert house.desk.post("/console/e1/paper/printer", **told).status_code == 400
    assert house.book.printer_order("s1") is None
    assert house.book.orders == []


def test_one_waiting_job_or_all_are_cancelled_and_can_be_had_again(house):
    house.hub.units.keys.add("station-1", STATION)
    first, *_ = jobs(house)
    house.desk.get("/console/e1/paper")
    house.desk.post("/console/e1/paper/cancel", job=first.id)
    page = text_of(house.desk.get("/console/e1/paper"))
    assert "4 waiting" in page
    assert "canceled" in page
    house.desk.post("/console/e1/paper/cancel", all="yes")
    page = text_of(house.desk.get("/console/e1/paper"))
    assert "No print jobs" in page
    house.desk.post("/console/e1/paper/again", job=first.id)
    assert "1 waiting" in text_of(house.desk.get("/console/e1/paper"))


def test_the_slips_of_a_whole_round_are_one_line_until_they_are_opened(tmp_path):
    with paper_house(tmp_path, people=[*PEOPLE, "Ida Lis", "Otto Roth"]) as house:
        house.hub.units.keys.add("station-1", STATION)
        page = house.desk.get("/console/e1/paper").text
        assert page.count('<div class="row"><form method="post" action="/console/e1/paper/cancel"') == 6
        folded = page.partition('<details id="paper-slips-waiting">')[2].partition("</details>")[0]
        assert words_of(folded).startswith("Result slips · 4 waiting")
        assert folded.count("<li") == 4
        troubled = next(job for job in jobs(house) if job.kind == "slip")
        house.book.update_states([(troubled.id, PrintState("queued", "no-paper", "station-1"))])
        assert "paper-slips-waiting" not in house.desk.get("/console/e1/paper").text, "three are as many lines"


def test_tables_with_a_unit_get_slips_when_somebody_asks_for_them(house):
    house.hub.units.keys.add("station-1", STATION)
    house.place("table-1", 1)
    page = text_of(house.desk.get("/console/e1/paper"))
    assert "1 open match has a table unit and gets no slip." in page
    assert "Result slip · table 1" not in page
    house.desk.post("/console/e1/paper", kind="slips")
    assert {job.kind for job in house.book.orders} == {"slip"}
    assert "Result slip · table 1" in text_of(house.desk.get("/console/e1/paper"))
