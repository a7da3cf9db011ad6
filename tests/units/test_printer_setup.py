"""`roundtap printer --setup`: a person, a printer on a cable, and what is on the disk afterwards."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from printer_line import AtOneSpeed, AtTheseSpeeds

from faults import fails
from roundtap.main import main
from roundtap_core.words import LANGUAGES, core_words
from roundtap_devices.printing.ports import CONSOLE, PINS, SERIAL, USB, FoundPort, Port, PortUnavailable, SerialPort
from roundtap_devices.printing.printer_profiles import PROFILES, PrinterProfile
from roundtap_devices.virtual.virtual_printer import VirtualPrinter
from roundtap_units.printer_setup import main as printer_setup
from roundtap_units.printer_setup.main import STEP_S, PrinterSetup, list_ports
from roundtap_units.station.printer_desk import SPEEDS, PrinterSettings, read_settings, write_settings
from roundtap_units.unit_config import unit_words

ADAPTER = FoundPort("/dev/serial/by-id/usb-1a86", "/dev/ttyUSB0", SERIAL)
LP = FoundPort("usb-0416-5011", "/dev/usb/lp0", USB)
USUAL = PrinterSettings()


class Person:
    """Sits beside a printer and answers in turn; what was said to them is in `heard`."""

    def __init__(
        self,
        folder: Path,
        answers: list[str],
        ports: list[FoundPort],
        right: int = 38400,
        model: str = "pos-5890",
        language: str = "en",
    ) -> None:
        self.folder, self.answers, self.ports, self.right = folder, answers, ports, right
        self.profile: PrinterProfile = PROFILES[model]
        self.twin = VirtualPrinter(self.profile)
        self.words = unit_words(language)
        self.heard: list[str] = []
        self.now_ms = 0

    def setup(self, written: PrinterSettings = USUAL) -> bool:
        return PrinterSetup(
            self.words,
            self.heard.append,
            self.ask,
            lambda: self.now_ms,
            self.pause,
            self.folder,
            written,
            lambda: self.ports,
            self.open,
        ).run()

    def ask(self, question: str) -> str:
        self.heard.append(question)
        return self.answers.pop(0)

    def pause(self) -> None:
        self.now_ms += 20
        self.twin.step(self.now_ms)

    def open(self, port: FoundPort, baud: int, flow: str) -> Port:
        if port.refused:
            raise PortUnavailable(port.refused)
        if port.kind == USB:
            made = SerialPort(self.twin.device)
            made.baud = None
            return made
        return AtOneSpeed(self.twin, baud, self.right)


@pytest.fixture
def people() -> Iterator[list[Person]]:
    made: list[Person] = []
    yield made
    for person in made:
        person.twin.close()


def model(name: str) -> str:
    return str(list(PROFILES).index(name) + 1)


def test_a_printer_that_answers_is_asked_for_its_model_alone(tmp_path: Path, people: list[Person]) -> None:
    people.append(me := Person(tmp_path, [model("pos-5890"), "yes"], [ADAPTER]))
    assert me.setup()
    assert read_settings(tmp_path, USUAL) == PrinterSettings(ADAPTER.id, "pos-5890", 38400, "", True)
    assert "It responds at 38400 baud." in me.heard


@pytest.mark.parametrize(
    ("understood", "kept"),
    [
        ({9600}, 9600),
        ({19200}, 19200),
        ({115200}, 115200),
        (set(SPEEDS), 115200),
        ({9600, 19200, 38400}, 38400),  # it finds out by itself how fast it is asked
    ],
)
def test_the_fastest_speed_that_answers_is_kept(
    tmp_path: Path, people: list[Person], understood: set[int], kept: int
) -> None:
    people.append(me := Person(tmp_path, [model("pos-5890"), "yes"], [ADAPTER]))
    me.twin.close()
    me.twin = twin = AtTheseSpeeds(me.profile, understood)
    me.open = lambda port, baud, flow: SerialPort(twin.device, baud, flow)  # type: ignore[method-assign]
    assert me.setup()
    assert read_settings(tmp_path, USUAL) == PrinterSettings(ADAPTER.id, "pos-5890", kept, "", True)
    assert twin.heard_at == [baud for baud in SPEEDS if baud >= kept]
    assert (me.words("printer.setup.slow", baud=19200) in me.heard) is (kept < 19200)
    assert twin.paper.marks


def test_noise_that_looks_like_one_answer_is_none(tmp_path: Path, people: list[Person]) -> None:
    people.append(me := Person(tmp_path, [model("pos-5890"), "yes"], [ADAPTER]))
    me.twin.close()
    me.twin = twin = AtTheseSpeeds(me.profile, {9600}, noise=b"\x12")
    me.open = lambda port, baud, flow: SerialPort(twin.device, baud, flow)  # type: ignore[method-assign]
    assert me.setup()
    assert read_settings(tmp_path, USUAL).baud == 9600


def test_a_disk_that_is_full_leaves_the_settings_of_before(
    tmp_path: Path, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = PrinterSettings(ADAPTER.id, "zj-5870", 9600, "", True)
    write_settings(tmp_path, before)
    people.append(me := Person(tmp_path, [model("pos-5890"), "yes"], [ADAPTER]))

    monkeypatch.setattr("os.replace", fails(OSError(28, "No space left on device")))
    assert not me.setup()
    assert read_settings(tmp_path, USUAL) == before
    assert "No space left on device" in me.heard[-1]


def test_a_silent_one_prints_at_every_speed_and_the_person_says_which_could_be_read(
    tmp_path: Path, people: list[Person]
) -> None:
    people.append(
        me := Person(
            tmp_path, [str(SPEEDS.index(38400) + 1), model("pos-5890"), "n", model("plain-58"), "y"], [ADAPTER]
        )
    )
    me.twin.set_fault("mute")
    assert me.setup()
    kept = read_settings(tmp_path, USUAL)
    assert (kept.printer, kept.baud, kept.confirmed) == ("plain-58", 38400, True)
    assert [told.partition(".")[0] for told in me.heard].count("Try another one") == 1


def test_nothing_readable_changes_nothing(tmp_path: Path, people: list[Person]) -> None:
    people.append(me := Person(tmp_path, ["0"], [ADAPTER]))
    me.twin.set_fault("mute")
    assert not me.setup()
    assert list(tmp_path.iterdir()) == []


def test_a_usb_printer_has_no_speed_to_be_asked_about(tmp_path: Path, people: list[Person]) -> None:
    people.append(me := Person(tmp_path, ["x", "99", "2", model("epson-80"), "yes"], [ADAPTER, LP], model="epson-80"))
    assert me.setup()
    assert (read_settings(tmp_path, USUAL).port, read_settings(tmp_path, USUAL).baud) == (LP.id, 0)


def test_between_two_looks_at_the_line_it_sleeps(monkeypatch: pytest.MonkeyPatch):
    """Whoever waits for a slow printer leaves the processor to others."""
    slept: list[float] = []

    class Walk:
        def __init__(self, *given: Any) -> None:
            self.pause = given[4]

        def run(self) -> bool:
            self.pause()
            return True

    monkeypatch.setattr(printer_setup, "PrinterSetup", Walk)
    monkeypatch.setattr(time, "sleep", slept.append)
    assert main(["printer", "--setup"]) == 0
    assert slept == [STEP_S]


def test_no_printer_says_so(tmp_path: Path, people: list[Person]) -> None:
    people.append(me := Person(tmp_path, [], []))
    assert not me.setup()
    assert "No printer found" in me.heard[0]


def test_pins_with_a_login_on_them_are_named_and_not_offered(tmp_path: Path, people: list[Person]) -> None:
    people.append(me := Person(tmp_path, [], [FoundPort("/dev/serial0", "/dev/serial0", PINS, CONSOLE)]))
    assert not me.setup()
    # What raspi-config changes on a card with a read-only root is gone after the next start.
    assert "On a Roundtap card write port = /dev/serial0 in roundtap.txt and restart." in me.heard[1]
    assert "raspi-config" in me.heard[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_login_on_the_pins_is_ended_by_the_card_s_own_file(language: str) -> None:
    told = unit_words(language)(f"printer.refused.{CONSOLE}", path="/dev/ttyAMA0")
    advised = core_words(language)("check.printer.login-console.do")
    assert told.index("port = /dev/ttyAMA0") < told.index("roundtap.txt") < told.index("raspi-config")
    assert advised.index("port = ") < advised.index("roundtap.txt") < advised.index("raspi-config")


def test_the_pins_levels_are_named(tmp_path: Path, people: list[Person]) -> None:
    people.append(
        me := Person(
            tmp_path, [model("csn-a2"), "yes"], [FoundPort("/dev/serial0", "/dev/serial0", PINS)], 19200, "csn-a2"
        )
    )
    assert me.setup()
    assert any("3.3 volts" in said for said in me.heard)


def test_a_file_that_says_otherwise_is_named(tmp_path: Path, people: list[Person]) -> None:
    people.append(me := Person(tmp_path, [model("pos-5890"), "yes"], [ADAPTER]))
    assert me.setup(PrinterSettings(baud=9600))
    assert "takes precedence" in me.heard[-1]


def test_a_port_that_another_program_has_is_said_to_be_so(tmp_path: Path, people: list[Person]) -> None:
    people.append(me := Person(tmp_path, [], [ADAPTER]))

    def busy(*_: object) -> Port:
        gone = PortUnavailable("Device or resource busy")
        gone.reason = "busy"
        raise gone

    me.open = busy  # type: ignore[method-assign]
    assert not me.setup()
    assert me.heard[-1].startswith(f"{ADAPTER.id} cannot be used: another program uses it")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_four_languages(tmp_path: Path, people: list[Person], language: str) -> None:
    words = unit_words(language)
    people.append(me := Person(tmp_path, [model("pos-5890"), words("printer.setup.yes")], [ADAPTER], language=language))
    assert me.setup()
    list_ports(words, me.heard.append, tmp_path, USUAL, lambda: me.ports)
    assert words("printer.setup.answers", baud=38400) in me.heard
    assert "pos-5890" in me.heard[-1]
