"""The virtual printer behaves on its pseudo-terminal as a printer does on a cable."""

import base64
import io
import json
import socket
from contextlib import closing

import pytest
import serial
from PIL import Image

from patience import GUARD_S
from roundtap_devices.printing.drawing import qr_modules
from roundtap_devices.printing.ports import PortUnavailable, SerialPort
from roundtap_devices.printing.printer_profiles import EPSON_80, POS_5890
from roundtap_devices.virtual.panels import PrinterPanel
from roundtap_devices.virtual.virtual_printer import EscposInterpreter, VirtualPrinter


@pytest.fixture
def twin():
    with closing(VirtualPrinter(EPSON_80)) as made:
        yield made


@pytest.fixture
def port(twin):
    with closing(serial.Serial(twin.device, 115200, timeout=0, write_timeout=0)) as made:
        yield made


def run(twin, ms, start=1000):
    for now in range(start, start + ms + 10, 10):
        twin.step(now)


def test_it_takes_no_more_than_a_serial_line_carries(twin, port):
    port.write(b"x" * 3000)
    run(twin, 100)
    assert 1000 <= twin.processed_bytes <= 1152
    run(twin, 100, 1100)
    assert 2150 <= twin.processed_bytes <= 2304


def test_the_marker_is_answered_after_what_came_before_and_a_status_at_once(twin, port):
    port.write(b"x" * 1100 + b"\x1dr\x01")
    run(twin, 80)
    assert port.read(9) == b""
    run(twin, 50, 1090)
    assert port.read(9) == b"\x00"
    twin.set_fault("no-paper")
    port.write(b"x" * 50 + b"\x1dr\x01" + b"\x10\x04\x04")
    run(twin, 50, 1150)
    assert port.read(9) == b"\x7e", "the status, and not the marker that was sent before it"


@pytest.mark.parametrize(
    ("fault", "question", "answer"),
    [
        ("offline", 1, b"\x1a"),
        ("no-paper", 4, b"\x7e"),
        ("no-paper", 1, b"\x1a"),
        ("mute", 1, b""),
        ("stalled", 1, b""),
    ],
)
def test_faults_are_seen_in_the_status(twin, port, fault, question, answer):
    twin.set_fault(fault)
    port.write(bytes((0x10, 0x04, question)))
    run(twin, 50)
    assert port.read(9) == answer
    twin.set_fault(fault, on=False)
    port.write(bytes((0x10, 0x04, question)))
    run(twin, 50, 2000)
    assert port.read(9)[-1:] == b"\x12"


def test_a_question_cut_in_two_is_still_one(twin, port):
    port.write(b"\x10")
    run(twin, 20)
    port.write(b"\x04\x01")
    run(twin, 20, 1100)
    assert port.read(9) == b"\x12"


def test_out_of_paper_it_keeps_what_it_has_and_prints_it_when_the_roll_is_changed(twin, port):
    twin.set_fault("no-paper", after_bytes=4)
    port.write(b"abcdefgh\n\x1dr\x01")
    run(twin, 100)
    assert (twin.processed_bytes, port.read(9)) == (4, b"")
    twin.set_fault("no-paper", on=False)
    run(twin, 100, 2000)
    assert (twin.processed_bytes, port.read(9)) == (12, b"\x00")


def test_unplugged_the_port_fails_as_pyserial_says_and_comes_back_as_a_new_one(twin):
    with closing(SerialPort(twin.device)) as port:
        twin.set_fault("unplugged")
        with pytest.raises(PortUnavailable):
            port.read_some()
        with pytest.raises(PortUnavailable):
            port.write_some(b"x")
    twin.set_fault("unplugged", on=False)
    with closing(SerialPort(twin.device)) as again:
        assert again.write_some(b"x") == 1


def test_a_full_port_takes_nothing_and_nobody_waits(twin):
    with closing(SerialPort(twin.device)) as port:
        twin.set_fault("stalled")
        taken = [port.write_some(b"x" * 4096)]
        # The kernel hands on what it was given when it likes.
        while taken[-1] and len(taken) < 10_000:
            taken.append(port.write_some(b"x" * 4096))
        assert taken[0] == 4096
        assert taken[-1] == 0


OF_PYTHON_ESCPOS = (
    b"\x1b!\x00\x1b!\x00\x1b!0\x1ba\x01\x1bt\x00TABLE 12\n"
    b"\x1d(k\x04\x001A2\x00\x1d(k\x03\x001C\x04\x1d(k\x03\x001E0\x1d(k\x13\x001P0http://10.42.0.1\x1d(k\x03\x001Q0"
    b"\x1bd\x06\x1dV\x00"
)
"""What python-escpos 3.1 sends for large centred letters, a QR code and a cut."""


def test_what_another_program_sends_is_printed_as_on_a_real_one():
    with closing(VirtualPrinter(EPSON_80, bytes_per_s=None)) as twin, closing(SerialPort(twin.device)) as port:
        assert port.write_some(OF_PYTHON_ESCPOS) == len(OF_PYTHON_ESCPOS)
        run(twin, 50)
        assert twin.paper.unknown_bytes == []
        assert len(twin.paper.sheets) == 1
        sheet = twin.paper.sheets[0]
        black = sheet.convert("L").point(lambda v: 255 - v).getbbox()
        side = len(qr_modules("http://10.42.0.1")) * 4
        assert black[0] >= (576 - max(side, 8 * 24)) // 2


def dots(image):
    return [[image.getpixel((x, y)) == 0 for x in range(image.width)] for y in range(image.height)]


def paper_of(data, profile=POS_5890):
    paper = EscposInterpreter(profile)
    start = paper.roll.height
    paper.feed(b"\x1b@\x1c." + data)
    assert paper.unknown_bytes == []
    return paper.roll.crop((0, start, 384, paper.roll.height))


def test_a_raster_image_stands_where_it_was_sent():
    image = dots(paper_of(b"\x1dv0\x00\x02\x00\x02\x00" + bytes((0b10000001, 0, 0, 0b11))))
    assert [x for x, black in enumerate(image[0]) if black] == [0, 7]
    assert [x for x, black in enumerate(image[1]) if black] == [14, 15]


def test_alignment_and_size():
    left, right = paper_of(b"A\n"), paper_of(b"\x1ba\x02A\n")
    tall = paper_of(b"\x1d!\x01A\n")
    assert left.convert("L").point(lambda v: 255 - v).getbbox()[0] < 12
    assert right.convert("L").point(lambda v: 255 - v).getbbox()[0] >= 384 - 12
    letter, double = (i.convert("L").point(lambda v: 255 - v).getbbox() for i in (left, tall))
    assert double[3] - double[1] == 2 * (letter[3] - letter[1])
    assert double[2] - double[0] == letter[2] - letter[0]


def test_a_cut_that_is_not_fed_goes_through_what_was_just_printed():
    paper = EscposInterpreter(EPSON_80)
    paper.feed(b"\x1b@\x1c." + b"A\n" * 10 + b"\x1dV\x00")
    uncut = paper.roll.convert("L").point(lambda v: 255 - v).getbbox()
    assert uncut is not None, "the last lines are still under the head, not on the sheet"


def test_a_printer_for_two_byte_letters_needs_to_be_told():
    letters = "Łukasz\n".encode("cp852")
    untold, told = EscposInterpreter(POS_5890), EscposInterpreter(POS_5890)
    untold.feed(b"\x1b@\x1bt\x36" + letters)
    told.feed(b"\x1b@\x1c.\x1bt\x36" + letters)
    assert untold.roll != told.roll


def test_the_front_gives_pictures_and_takes_faults(tmp_path):
    twin = VirtualPrinter(POS_5890, bytes_per_s=None)
    with closing(PrinterPanel(tmp_path / "paper.sock", twin, lambda: 0)) as panel:
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(tmp_path / "paper.sock"))
        client.settimeout(GUARD_S)
        lines = client.makefile("rb")
        assert json.loads(lines.readline()) == {"sheet": None, "number": 0, "faults": [], "virtual": True}
        with closing(SerialPort(twin.device)) as port:
            port.write_some(b"\x1b@" + b"TABLE 12\n" * 12 + b"\x1dr\x01")
            panel.step(10)
            shown = json.loads(lines.readline())
            assert (shown["number"], shown["virtual"]) == (1, True)
            assert Image.open(io.BytesIO(base64.b64decode(shown["sheet"]))).width == 384
            client.sendall(b'{"fault": "mute", "on": true}\n{"fault": "fire", "on": true}\n')
            said = {}
            while said.keys() < {"error", "faults"} or said["faults"] != ["mute"]:
                said |= json.loads(lines.readline())
            assert said["error"].startswith("known are")
    assert not (tmp_path / "paper.sock").exists()
