"""The screen: redraws on change only, survives its display, and its twin does the same."""

from PIL import Image

from roundtap_devices.display.screen import FRAME_BYTES, Screen, VirtualScreen


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

    def light(self, level):
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
    screen.glass.listen(heard.append)
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
