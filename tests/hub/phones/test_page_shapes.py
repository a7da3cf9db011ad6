"""Pages that are drawn once for their shape: what a template may do with a slot, and what each reader is sent."""

import gzip
from contextlib import nullcontext

import pytest

from roundtap_hub.http.http_answers import Deflated, gzip_bytes
from roundtap_hub.live.page_shapes import ShapedPage, Shapes, Slots
from roundtap_hub.live.regions import RenderedPage, region_mark, split_regions


def test_a_template_that_looks_at_a_slot_is_found_out() -> None:
    slot = Slots("17:05").add("Ana <R.>")
    assert f"{slot}" == str(slot) != "Ana <R.>"
    for look in (lambda: slot == "Ana <R.>", lambda: slot in ("a", "b"), lambda: len(slot), lambda: slot < 3):
        with pytest.raises(TypeError):
            look()


def test_a_name_from_right_to_left_has_a_shape_of_its_own() -> None:
    """Sentences isolate it; where it stands alone its element does."""
    slots = Slots("17:05")
    assert [slots.add(each) for each in ("דנה לוי", "", None)] == ["דנה לוי", "", None]
    assert slots.values == ["17:05"]


def test_pages_of_one_shape_are_drawn_once_and_differ_where_their_slots_are() -> None:
    drawn: list[str] = []
    shapes = Shapes()

    def page(name: str, number: int, won: bool) -> str:
        slots = Slots("")
        shown, at = slots.add(name), slots.add(number)

        def draw() -> RenderedPage:
            drawn.append(name)
            me = f"<p data-live id='me'>{shown} at {at}{' won' if won else ''}</p>"
            return split_regions(f"<title>{shown}</title>{region_mark('[', 'me')}{me}{region_mark(']')}<hr>", "")

        made = shapes.page(ShapedPage(draw, won, slots.values), "v", nullcontext)
        assert made is not None
        return made.body.decode()

    assert page("Ana <R.>", 7, False) == "<title>Ana &lt;R.&gt;</title><p data-live id='me'>Ana &lt;R.&gt; at 7</p><hr>"
    assert page("Kai", 12, False) == "<title>Kai</title><p data-live id='me'>Kai at 12</p><hr>"
    assert page("Eva", 1, True) == "<title>Eva</title><p data-live id='me'>Eva at 1 won</p><hr>"
    assert drawn == ["Ana <R.>", "Eva"]


@pytest.mark.parametrize("body", ["before, RUN, after " * 40 + "RUN" + " the end" * 90, "RUN", "no such part"])
def test_a_page_around_a_part_that_is_compressed_already_is_one_stream(body: str) -> None:
    run = Deflated(b"RUN", 9)
    assert gzip.decompress(gzip_bytes(body.encode(), 4, run)) == body.encode()
