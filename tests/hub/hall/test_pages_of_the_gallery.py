"""The pictures of pages can be made: every page that is taken is there, as `make pictures` needs it."""

import re
from html import unescape

from PIL import Image

from gallery.for_documents import own_colors
from gallery.hub_pages import pages
from gallery.moving_table import frames
from roundtap_core.words import catalogue


def test_every_page_of_the_gallery_is_there():
    taken = {page.name: page.html for page in pages("en")}
    assert {"playing-console", "played-standings", "day-me", "day-mend", "doors-fine"} <= set(taken)
    assert [name for name, html in taken.items() if 'role="alert"' in html] == []


def test_the_moving_picture_tells_how_a_result_gets_from_the_table_to_wall_and_phone() -> None:
    told, words = [unescape(frame.html) for frame in frames()], catalogue("roundtap_hub", "en")
    still_playing = re.compile(f"<span>{words('wall.playing')}</span>.*")
    assert words("me.confirm", name="Ana R.") in told[-3]
    assert [words("me.said.saved", number=12) in page for page in told[-3:]] == [False, True, True]
    assert [[n for n in "123" if f"<b>{n}</b>" in still_playing.findall(page)[0]] for page in told[-3:]] == [
        ["1", "2", "3"],
        ["2", "3"],
        ["2", "3"],
    ]


def test_it_is_read_in_its_time_and_begins_again_within_twelve_seconds() -> None:
    """A stage of several presses stands as long as all of them."""
    shown: dict[str, int] = {}
    for frame in frames():
        said = re.search(r'class="said">([^<]*)', frame.html)
        assert said
        shown[said[1]] = shown.get(said[1], 0) + frame.shown_ms
    assert min(shown.values()) >= 1200
    assert 6000 <= sum(shown.values()) <= 12_000


def test_a_picture_keeps_the_colors_of_whole_areas() -> None:
    """Of 96 that covered all others best, the console's pale green had become grey."""
    page = Image.new("RGB", (900, 600), (227, 242, 236))
    page.paste((0, 114, 178), (0, 0, 900, 60))
    for n in range(4096):
        page.putpixel((n % 800, 100 + n // 800), (n * 37 % 256, n * 91 % 256, n * 53 % 256))
    made = own_colors(page).convert("RGB")
    assert (made.getpixel((20, 20)), made.getpixel((20, 500))) == ((0, 114, 178), (227, 242, 236))
