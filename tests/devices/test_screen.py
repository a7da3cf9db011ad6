"""The screen: redraws on change only, survives its display, and its twin does the same."""

from PIL import Image

from roundtap_devices.display.screen import DIMMED, FRAME_BYTES, FULL, OFF, Screen, VirtualDisplay, VirtualScreen
from roundtap_devices.hardware_errors import HardwareMissing


def picture(*pixels):
    image = Image.new("1", (128, 64))
    for place in pixels:
        image.putpixel(place, 1)
    return image


class Display:
    def __init__(self, bench):
        self.bench = bench

    def display(self, image):
        if self.bench.broken:
            raise OSError(121, "Remote I/O error")
        self.bench.frames += 1

    def renew(self, image):
        self.display(image)
        self.bench.renewed += 1

    def set_brightness(self, level):
        if self.bench.broken:
            raise OSError(121, "Remote I/O error")
        self.bench.lit.append(level)

    def close(self):
        self.bench.closed += 1


class Bench:
    def __init__(self):
        self.broken, self.frames, self.closed, self.made = False, 0, 0, []
        self.renewed, self.lit = 0, []

    def open(self):
        if self.broken:
            raise OSError("I2C device not found")
        self.made.append(Display(self))
        return self.made[-1]


def test_the_same_picture_is_sent_once():
    bench = Bench()
    screen = Screen(bench.open)
    assert screen.show(picture(), 0)
    assert not screen.show(picture(), 1000)
    assert screen.show(picture((3, 3)), 2000)
    assert bench.frames == 2


def test_a_lost_display_is_tried_again_every_three_seconds_with_a_new_object():
    bench = Bench()
    screen = Screen(bench.open)
    screen.show(picture(), 0)
    bench.broken = True
    assert not screen.show(picture((1, 1)), 1000)
    assert screen.blind
    assert bench.closed == 1
    bench.broken = False
    assert not screen.show(picture((1, 1)), 3999)
    assert screen.show(picture((1, 1)), 4000)
    assert not screen.blind
    assert len(bench.made) == 2


def test_a_unit_that_starts_without_a_display_is_blind_and_goes_on():
    bench = Bench()
    bench.broken = True
    screen = Screen(bench.open)
    assert not screen.show(picture(), 0)
    assert screen.blind


def test_the_twin_keeps_1024_bytes_leftmost_pixel_highest_and_tells_its_listeners():
    screen = VirtualScreen()
    heard = []
    screen.glass.listeners.append(heard.append)
    screen.show(picture((0, 0), (127, 63)), 0)
    frame = screen.glass.frame
    assert len(frame) == FRAME_BYTES == 1024
    assert (frame[0], frame[-1]) == (0x80, 0x01)
    assert heard == [frame]


def test_an_unplugged_twin_is_dark_and_shows_the_picture_again_after_plugging_in():
    screen = VirtualScreen()
    screen.show(picture((0, 0)), 0)
    screen.glass.unplug(True)
    assert screen.glass.frame == bytes(1024)
    screen.show(picture((1, 0)), 100)
    assert screen.blind
    screen.glass.unplug(False)
    screen.show(picture((1, 0)), 3100)
    assert screen.glass.frame[0] == 0x40


def test_a_standing_picture_is_set_up_anew_on_a_beat():
    bench = Bench()
    screen = Screen(bench.open, beat_ms=5000)
    for now_ms in range(0, 16_000, 1000):
        screen.show(picture((3, 3)), now_ms)
    assert (bench.frames, bench.renewed, len(bench.made)) == (4, 3, 1)


def test_a_display_that_is_lost_under_a_standing_picture_is_noticed_and_comes_back():
    bench = Bench()
    screen = Screen(bench.open, beat_ms=5000)
    screen.show(picture(), 0)
    bench.broken = True
    for now_ms in range(1000, 6000, 1000):
        screen.show(picture(), now_ms)
    assert screen.blind
    bench.broken = False
    assert screen.show(picture(), 8000)
    assert not screen.blind


def test_why_it_is_blind_is_said_until_it_sees_again():
    lacks = [HardwareMissing("spidev"), OSError("I2C device not found on address: 0x3C")]
    bench = Bench()

    def open_glass():
        if lacks:
            raise lacks.pop(0)
        return bench.open()

    screen = Screen(open_glass)
    screen.show(picture(), 0)
    assert screen.reason == "spidev"
    assert "python3-spidev" in screen.said
    screen.show(picture(), 3000)
    assert (screen.reason, "0x3C" in screen.said) == ("display", True)
    screen.show(picture(), 6000)
    assert (screen.reason, screen.said) == ("", "")


def test_it_is_dimmed_and_dark_and_a_new_display_is_lit_as_the_old_one_was():
    bench = Bench()
    screen = Screen(bench.open)
    screen.show(picture(), 0)
    for level in (DIMMED, OFF):
        screen.set_brightness(level)
        screen.show(picture(), 1000)
    bench.broken = True
    screen.show(picture((1, 1)), 2000)
    bench.broken = False
    screen.show(picture((1, 1)), 5000)
    assert bench.lit == [FULL, DIMMED, OFF, OFF]


def test_the_picture_moves_by_a_pixel_and_comes_back():
    glass, seen = VirtualDisplay(), []
    screen = Screen(lambda: glass, shift_ms=1000)
    for now_ms in range(0, 5000, 1000):
        screen.show(picture((5, 5)), now_ms)
        frame = Image.frombytes("1", (128, 64), glass.frame)
        seen.append(frame.getbbox()[:2])
    assert seen == [(5, 5), (6, 5), (6, 6), (5, 6), (5, 5)]


def test_nothing_is_cut_where_the_picture_reaches_the_edge():
    glass = VirtualDisplay()
    Screen(lambda: glass, shift_ms=1000).show(picture((127, 5), (5, 63)), 2000)
    frame = Image.frombytes("1", (128, 64), glass.frame)
    assert frame.getpixel((127, 5))
    assert frame.getpixel((5, 63))
