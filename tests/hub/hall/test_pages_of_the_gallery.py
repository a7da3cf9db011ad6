"""The pictures of pages can be made: every page that is taken is there, as `make pictures` needs it."""

from gallery.hub_pages import pages


def test_every_page_of_the_gallery_is_there():
    taken = {page.name: page.html for page in pages("en")}
    assert {"playing-console", "played-standings", "day-me", "day-mend", "doors-fine"} <= set(taken)
    assert [name for name, html in taken.items() if 'role="alert"' in html] == []
