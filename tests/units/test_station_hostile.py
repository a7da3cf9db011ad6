"""Bad rows and strange printers: what cannot be printed has failed with a word, and the next one is on paper."""

import copy
import random
from contextlib import closing

import pytest
from test_station import Desk, desk  # noqa: F401
from test_station_link import ByHand, Wire, a_link

from gallery.on_paper import pairings_content, slip_content
from roundtap_core.messages import Job
from roundtap_devices.printing.printer import Printer
from roundtap_devices.printing.printer_profiles import POS_5890
from roundtap_units.link.hub_choice import SILENT_MS
from roundtap_units.link.link import HubAddress
from roundtap_units.station.printer_desk import KEPT_JOBS, PrintLog, job_composer
from roundtap_units.station.station_link import HubStationLink
from roundtap_units.unit_config import unit_words

SLIP = slip_content("xwing-standard", ("Ana Ruiz", "Łukasz Żak"))
GOOD = {"id": "good", "kind": "slip", "content": SLIP}
ODD = (None, True, -1, 10**9, 10**30, "", "x" * 5000, "\n", "\ud800", [], {}, [[]], [1] * 200, {"a": 1})


# --- rows of the hub -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [5, None, "job", [], {}, {"id": 5}, {"id": ""}, {"id": "x" * 161, "kind": "slip"}])
def test_a_row_without_a_name_is_passed_over(row):
    wire = Wire()
    wire.jobs = [row, GOOD]
    link = a_link(wire)
    assert link.exchange()
    assert [job.id for job in link.next_jobs()] == ["good"]
    assert not link.has_unsent


@pytest.mark.parametrize("more", [{}, {"kind": "slip"}, {"kind": 5, "content": {}}, {"kind": "slip", "content": [1]}])
def test_a_row_with_a_name_that_is_no_job_has_failed_once(more):
    """Seen: one such row stopped the station for good. It is told once, however often the hub repeats it."""
    wire = Wire()
    wire.jobs = [{"id": "bad", **more}, GOOD]
    link = a_link(wire)
    for _ in range(3):
        assert link.exchange()
    assert [job.id for job in link.next_jobs()] == ["good"]
    assert [payload["states"] for _, payload in wire.heard] == [[], [["bad", "failed", "unprintable"]], []]


def test_a_silent_hub_has_its_place_taken_by_the_next_address():
    now_ms = [0]
    wire = Wire()
    link = HubStationLink(
        HubAddress("one", 80, "station-1", bytes(range(32)), (("two", 81),)), ByHand(wire.post), lambda: now_ms[0]
    )
    wire.broken = OSError("no route")
    places = []
    for now_ms[0] in (0, SILENT_MS - 1, SILENT_MS, SILENT_MS + 1):
        assert not link.exchange()
        places.append(link.address.host)
    assert places == ["one", "one", "two", "one"]


# --- contents ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("slip", {}),
        ("slip", {**SLIP, "form": {**SLIP["form"], "ways": 7}}),
        ("chess", SLIP),
        ("slip", {**SLIP, "a": None}),
        ("slip", {**SLIP, "round": 10**9}),
        ("pairings-table", {**pairings_content(64), "rows": [[]]}),
        ("slip", {**SLIP, "url": "x" * 5000}),
        ("slip", {**SLIP, "event": ["deep"] * 70_000}),
        ("standings", {"rows": [{"values": [10**9]}]}),
    ],
)
def test_what_cannot_be_laid_out_has_failed_and_the_next_is_printed(desk, kind, content):  # noqa: F811
    desk.hub.wanted += [Job("bad", kind, content), Job("good", "slip", SLIP)]
    desk.until(desk.settled("bad", "good"))
    assert desk.hub.told["bad"] == ("failed", "unprintable")
    assert desk.hub.told["good"] == ("printed", "")


def test_a_million_squads_take_no_time(desk):  # noqa: F811
    form = copy.deepcopy(SLIP["form"])
    form["ways"][0]["steps"] = [{"step": "picks", "key": "picks", "whose": "winner", "of": 10**6, "take": 10**6}]
    desk.hub.wanted += [Job("bad", "slip", {**SLIP, "form": form})]
    desk.until(desk.settled("bad"))
    assert desk.hub.told["bad"] == ("failed", "unprintable")


@pytest.mark.parametrize("seed", range(3))
def test_whatever_a_content_is_the_layout_ends_in_paper_or_in_an_exception_that_is_caught(tmp_path, seed):
    """Contents with a few places changed: each is printed or has failed, and the one behind them is on paper."""
    chance = random.Random(seed)
    made = Desk(tmp_path)
    try:
        jobs = [Job(f"j{n}", *spoilt_job(chance)) for n in range(25)]
        made.hub.wanted += [*jobs, Job("good", "slip", SLIP)]
        made.until(made.settled("good"), 2_000_000)
        assert made.hub.told["good"] == ("printed", "")
        assert {made.hub.told[job.id][0] for job in jobs} <= {"printed", "failed"}
    finally:
        made.kill()
        made.twin.close()


def spoilt_job(chance):
    kind, content = chance.choice((("slip", SLIP), ("pairings-table", pairings_content(8))))
    content = copy.deepcopy(content)
    for _ in range(chance.choice((0, 1, 2))):
        spot = content
        while True:
            key = chance.choice(list(spot) if isinstance(spot, dict) else range(len(spot)))
            if not isinstance(spot[key], dict | list) or not spot[key] or chance.random() < 0.3:
                spot[key] = chance.choice(ODD)
                break
            spot = spot[key]
        if not isinstance(content, dict):
            break
    return kind, content


# --- printers ------------------------------------------------------------------------------------------------------


class BabblingPort:
    """Takes some bytes and answers with some, by a chance; sometimes it is gone."""

    def __init__(self, chance):
        self.chance = chance

    baud = None

    def write_some(self, data):
        return self.chance.randrange(len(data) + 1)

    def read_some(self):
        return self.chance.randbytes(self.chance.choice((0, 0, 1, 3, 256)))

    def close(self):
        pass


@pytest.mark.parametrize("seed", range(20))
def test_whatever_a_printer_answers_every_job_ends(tmp_path, seed):
    chance = random.Random(seed)
    composed = job_composer(POS_5890, unit_words("en"))(Job("j", "slip", SLIP))
    printer = Printer(lambda: BabblingPort(chance), POS_5890)
    now_ms = 0
    for _ in range(10):
        printer.begin(composed, lambda: None, now_ms)
        for _ in range(100_000):
            now_ms += 20
            if outcome := printer.step(now_ms):
                assert outcome.state in ("printed", "sent", "uncertain", "held")
                break
        else:
            raise AssertionError("no end")


def test_a_printers_part_that_stumbles_costs_one_job(desk, monkeypatch):  # noqa: F811
    real = Printer.step
    stumbles = iter((True,))

    def step(self, now_ms):
        if next(stumbles, False):
            raise RuntimeError("a bug nobody knew")
        return real(self, now_ms)

    monkeypatch.setattr(Printer, "step", step)
    desk.want("s1", "s2")
    desk.until(desk.settled("s1", "s2"))
    assert desk.hub.told["s1"] == ("failed", "unprintable")
    assert desk.hub.told["s2"] == ("printed", "")


def test_a_hub_that_invents_jobs_for_ever_does_not_fill_the_station(tmp_path, monkeypatch):
    monkeypatch.setattr("roundtap_units.station.printer_desk.os.fsync", lambda descriptor: None)
    with closing(PrintLog(tmp_path / "printed.jsonl")) as log:
        for n in range(3 * KEPT_JOBS):
            log.note(f"j{n}", "printed")
        assert len(log.jobs) <= 2 * KEPT_JOBS
        assert (tmp_path / "printed.jsonl").stat().st_size < 2 * KEPT_JOBS * 40
    assert f"j{3 * KEPT_JOBS - 1}" in PrintLog(tmp_path / "printed.jsonl").jobs
