"""A station's printer without any configuration: found when it appears, its speed found or asked, kept on the disk."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from printer_line import AtOneSpeed

from roundtap_core.messages import Job
from roundtap_devices.printing.ports import SERIAL, USB, FoundPort, Port, PortUnavailable, SerialPort
from roundtap_devices.printing.printer_profiles import EPSON_80
from roundtap_devices.virtual.virtual_printer import VirtualPrinter
from roundtap_units.station.main import Station
from roundtap_units.station.printer_desk import (
    FILE,
    SPEEDS,
    PrinterDesk,
    PrinterSettings,
    PrintLog,
    read_settings,
    settings_from_order,
    write_settings,
)
from roundtap_units.unit_config import unit_words

ADAPTER = FoundPort("/dev/serial/by-id/usb-1a86", "/dev/ttyUSB0", SERIAL)
USUAL = PrinterSettings()


class Hall:
    """A station, its hub and the cable to its printer; `right` is the speed that the printer is set to."""

    def __init__(self, folder: Path, written: PrinterSettings = USUAL, right: int = 19200) -> None:
        self.folder = folder
        self.twin = VirtualPrinter(EPSON_80)
        self.plugged: list[FoundPort] = []
        self.opened: list[tuple[str, int]] = []
        self.right = right
        self.told: dict[str, tuple[str, str]] = {}
        self.wanted: list[Job] = []
        self.order: object = None
        self.now_ms = 0
        self.log = PrintLog(folder / "printed.jsonl")
        self.desk = PrinterDesk(folder, written, unit_words("pl"), self.log, lambda: self.plugged, self.open)
        self.station = Station(self, self.desk.make_printer(), self.log, self.desk.compose(), 15_000, self.desk)

    def open(self, port: FoundPort, baud: int, flow: str) -> Port:
        self.opened.append((port.id, baud))
        if port.kind == USB:
            made = SerialPort(self.twin.device)
            made.baud = None
            return made
        return AtOneSpeed(self.twin, baud, self.right)

    def next_jobs(self) -> list[Job]:
        return [job for job in self.wanted if self.told.get(job.id, ("queued", ""))[0] == "queued"]

    def report(self, job_id: str, state: str, detail: str) -> None:
        self.told[job_id] = (state, detail)

    def printer_order(self) -> object:
        return self.order

    def go(self, seconds: int) -> None:
        for _ in range(seconds * 50):
            self.now_ms += 20
            self.station.step(self.now_ms)
            self.twin.step(self.now_ms)

    def close(self) -> None:
        self.station.close()
        self.log.close()
        self.twin.close()


@pytest.fixture
def hall(tmp_path: Path):
    with closing(Hall(tmp_path)) as made:
        yield made


def test_a_station_starts_without_a_printer_and_takes_the_first_that_appears(hall: Hall) -> None:
    hall.wanted.append(Job("t1", "code-pages", {}))
    hall.go(3)
    assert hall.told["t1"] == ("queued", "no-port")
    hall.plugged.append(FoundPort("usb-0416-5011", "/dev/usb/lp0", USB))
    hall.go(20)
    assert hall.told["t1"] == ("printed", "")
    assert read_settings(hall.folder, USUAL).port == "usb-0416-5011"


def test_a_missing_printer_is_said_once_until_there_was_one(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    hall.go(60)
    assert caplog.messages == ["no printer is plugged in yet: the first that appears is taken"]


def test_a_virtual_printer_is_opened_while_it_is_plugged_in(hall: Hall) -> None:
    twin = hall.twin
    desk = PrinterDesk(hall.folder, USUAL, unit_words("en"), hall.log, device=lambda: twin.device)
    with closing(desk.open()) as port:
        assert port.write_some(b"x") == 1
    twin.set_fault("unplugged")
    with pytest.raises(PortUnavailable, match="unplugged"):
        desk.open()


def test_a_printer_that_answers_is_found_at_whatever_speed_it_is_set_to_and_remembered(hall: Hall) -> None:
    hall.plugged.append(ADAPTER)
    hall.wanted.append(Job("t1", "code-pages", {}))
    hall.go(40)
    assert hall.told["t1"] == ("printed", "")
    kept = read_settings(hall.folder, USUAL)
    assert (kept.port, kept.baud, kept.confirmed) == (ADAPTER.id, 19200, True)


def test_a_silent_printer_s_jobs_are_uncertain_until_somebody_confirms_its_speed(hall: Hall) -> None:
    hall.twin.set_fault("mute")
    hall.plugged.append(ADAPTER)
    hall.wanted += [Job("t1", "code-pages", {}), Job("t2", "code-pages", {})]
    hall.go(90)
    assert {hall.told[job][0] for job in ("t1", "t2")} == {"uncertain"}
    assert hall.told["t1"] == ("uncertain", "unconfirmed")
    assert hall.desk.status()["confirmed"] is False
    hall.order = {"id": "o1", "port": ADAPTER.id, "printer": "pos-5890", "baud": 19200, "confirmed": True}
    hall.wanted.append(Job("t3", "code-pages", {}))
    hall.go(60)
    assert hall.told["t3"] == ("sent", "")
    kept = read_settings(hall.folder, USUAL)
    assert (kept.printer, kept.baud, kept.confirmed) == ("pos-5890", 19200, True)


def test_each_speed_s_sheet_is_printed_at_its_own_speed_and_only_the_right_one_comes_out(hall: Hall) -> None:
    hall.twin.set_fault("mute")
    hall.plugged.append(ADAPTER)
    for number, baud in enumerate(SPEEDS, start=1):
        at = {"port": ADAPTER.id, "printer": "plain-58", "baud": baud}
        hall.wanted.append(Job(f"s{number}", "speed", {"number": number, "at": at}))
    hall.go(150)
    assert {state for state, _ in hall.told.values()} == {"uncertain"}
    assert {baud for _, baud in hall.opened} >= set(SPEEDS)
    assert hall.twin.paper.marks >= 1
    assert read_settings(hall.folder, USUAL).confirmed is False


def test_on_trial_another_printer_need_not_answer_because_the_one_before_did(hall: Hall) -> None:
    hall.log.note_answers(True)
    assert hall.desk.status()["confirmed"]
    assert hall.desk.try_out({"port": ADAPTER.id, "printer": "plain-58", "baud": 9600})
    assert not hall.desk.status()["confirmed"]


def test_the_port_s_number_may_change(hall: Hall) -> None:
    hall.plugged.append(FoundPort("usb-0416-5011", "/dev/usb/lp0", USB))
    hall.go(2)
    hall.plugged[:] = []
    hall.twin.set_fault("unplugged")
    hall.go(20)
    assert hall.station.printer_state in ("unplugged", "no-port")
    hall.twin.set_fault("unplugged", on=False)
    hall.plugged.append(FoundPort("usb-0416-5011", "/dev/usb/lp3", USB))
    hall.go(30)
    assert hall.station.printer_state == "ready"


def test_what_the_file_says_goes_first_and_a_confirmation_of_another_speed_does_not_hold(tmp_path: Path) -> None:
    write_settings(tmp_path, PrinterSettings("/dev/ttyS0", "pos-5890", 9600, "", True))
    assert read_settings(tmp_path, USUAL).confirmed
    written = PrinterSettings(baud=19200)
    read = read_settings(tmp_path, written)
    assert (read.port, read.printer, read.baud, read.confirmed) == ("/dev/ttyS0", "pos-5890", 19200, False)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"baud": "fast"}', '{"baud": 12}', '{"colour": 1}'])
def test_a_spoilt_file_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert read_settings(tmp_path, USUAL) == USUAL


@pytest.mark.parametrize(
    "order",
    [
        None,
        [],
        {"id": "a"},
        {"id": "a", "printer": "/etc/passwd", "baud": 9600, "confirmed": True},
        {"id": "a", "printer": "pos-5890", "baud": 12, "confirmed": True},
        {"id": "a", "printer": "pos-5890", "baud": 9600, "confirmed": "yes"},
        {"id": 1, "printer": "pos-5890", "baud": 9600, "confirmed": True},
        {"id": "a", "printer": "pos-5890", "baud": 9600, "confirmed": True, "port": 5},
    ],
)
def test_a_word_of_the_hub_s_that_makes_no_sense_changes_nothing(order: object) -> None:
    assert settings_from_order(USUAL, order) is None


def test_the_hub_s_word_is_taken_once() -> None:
    order = {"id": "a", "printer": "pos-5890", "baud": 9600, "confirmed": True}
    taken = settings_from_order(USUAL, order)
    assert taken is not None
    assert settings_from_order(taken, order) is None


def test_settings_are_on_the_disk_whole(tmp_path: Path) -> None:
    write_settings(tmp_path, replace(USUAL, port="usb-1", confirmed=True))
    assert json.loads((tmp_path / FILE).read_text())["port"] == "usb-1"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_port_that_is_gone_says_so() -> None:
    with pytest.raises(PortUnavailable):
        SerialPort("/dev/nowhere")
