"""Pages that are drawn once for their shape: what a template may do with a slot, and what each reader is sent."""

import gzip
import threading
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from flask import before_render_template
from jinja2 import Template
from pages_kit import House, open_house

from patience import GUARD_S
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.app import flask_app
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.http_answers import Deflated, gzip_bytes
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import RENDER_PAGE, RenderingKey, RenderInput
from roundtap_hub.live.page_shapes import ShapedPage, Shapes, Slots
from roundtap_hub.live.regions import RenderedPage, region_mark, split_regions
from roundtap_hub.store.service import Step


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
    assert slots.values == ["17:05", ""]


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

        made = shapes.page(ShapedPage(draw, won, slots.values), "v", nullcontext, True)
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


def drawn_of_everybody(house: House) -> dict[PageKey, RenderedPage]:
    """Both pages of each player, as the cache has them drawn."""
    application, links = flask_app.create_app(house.hub), house.hub.access.links
    known = RenderInput(house.service.snapshot, house.hub.presence.units)
    people = house.event.entrants
    keys = [
        *(PageKey("p", "e1", who) for who in people),
        *(PageKey("me", "e1", links.token("e1", who)) for who in people),
    ]
    return {
        key: application.extensions[RENDER_PAGE](RenderingKey(key, "", "en"), known, house.time.ms, "v", False, True)
        for key in keys
    }


@pytest.mark.parametrize("wall", [None, "2026-11-25T10:00:00+01:00"])
def test_the_part_that_all_have_is_in_every_page_whether_the_time_of_day_is_known_or_not(
    tmp_path: Path, wall: str | None
) -> None:
    with open_house(tmp_path) as house:
        house.time.wall = wall
        house.with_event()
        house.publish()
        for key, page in drawn_of_everybody(house).items():
            assert page.run is not None, key
            assert (len(page.run.text) > 5000, page.run.text in page.body) == (True, True), key


def test_after_another_table_s_result_a_page_is_filled_in_at_once(tmp_path: Path) -> None:
    """Nothing of the event was worked out again: it waits for no thread, even where the only one is held up."""
    held, let = threading.Event(), threading.Event()

    def hold(*_: object, template: Template, **__: object) -> None:
        if template.name == "standings.html":
            held.set()
            assert let.wait(GUARD_S)

    with open_house(tmp_path) as house, closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client:
        house.with_event()
        house.publish()
        matches = house.event.live.matches  # type: ignore[union-attr]
        pages = [f"/e/e1/p/{who}" for match in matches for who in (match.match.a, match.match.b)]
        before = {page: client.get(page).text for page in pages}
        house.report("1.1", "a", 100, 24)
        client.get(pages[0])  # its shape is new
        house.report("1.2", "a", 100, 31)
        with before_render_template.connected_to(hold):
            standings = client.begin("GET", "/e/e1/standings")
            assert held.wait(GUARD_S)
            try:
                assert client.get(pages[2]).text != before[pages[2]]
            finally:
                let.set()
            assert standings.result(GUARD_S).status_code == 200


def test_what_is_announced_while_a_shape_is_drawn_is_not_on_the_pages_drawn_later(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        said = {"id": "a1", "event": None, "kind": "line", "text": "Free cake", "lasts_ms": None}

        def announce(*_: object, **__: object) -> None:
            if not house.service.snapshot.venue.display_plan.announcements:
                house.service.execute([Step(VENUE, NewEntry("said", said))], "test")

        with before_render_template.connected_to(announce):
            pages = drawn_of_everybody(house)
        assert house.service.snapshot.venue.display_plan.announcements
        first, *others = ["Free cake" in page.body.decode() for page in pages.values()]
        assert (first, all(others)) == (False, True), "a shape has what its key names"
