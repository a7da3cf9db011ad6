"""The hub's web pages, put together: home, console, wall, the players' own; and the tags and signs of all templates."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from flask import Blueprint, Flask
from jinja2 import FileSystemLoader, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from markupsafe import Markup, escape

import roundtap_hub
from roundtap_hub.access.policy import ROUTES
from roundtap_hub.hub import Hub
from roundtap_hub.people import sign_up
from roundtap_hub.phones import my_page
from roundtap_hub.results import score_calculator
from roundtap_hub.serving import error_pages, page_helpers
from roundtap_hub.serving.regions import MOVING, MOVING_END, REGION, REGION_END, ROW, ROW_END, mark
from roundtap_hub.serving.renderings import RENDER_CACHE, ROW_CACHE, RenderCache, RowCache
from roundtap_hub.serving.static_files import StaticFiles

ROOMS = ("events", "people", "rounds", "results", "judging", "paper", "hall", "phones", "units", "serving")
"""Where pages are, each with its templates beside it."""
HUB = Path(roundtap_hub.__file__).parent

# A page declares its own address, so each has to be imported.
for _room in ROOMS:
    for _page in iter_modules([str(HUB / _room)], f"roundtap_hub.{_room}."):
        import_module(_page.name)

URL_CACHE_SIZE = 4096


def register(app: Flask, hub: Hub) -> None:
    """Put every page on the application, behind the guard of its room, and the print station's address."""
    app.extensions |= {"roundtap": hub, RENDER_CACHE: RenderCache(), ROW_CACHE: RowCache(),
                       error_pages.PENDING_COMMANDS: error_pages.PendingCommands()}
    _add_routes(app)


def _add_routes(app: Flask) -> None:
    """What hangs on no hub."""
    # What nobody declared nobody is answered.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.jinja_loader = FileSystemLoader([HUB / room / "templates" for room in ROOMS])
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    # A page leads to hundreds of addresses, mostly the same ones again.
    app.jinja_env.globals.update(url_for=lru_cache(URL_CACHE_SIZE)(app.url_for), static_url=StaticFiles().url,
                                 sign=sign,
                                 counting_aid=score_calculator.calculator_view,
                                 swap_check=score_calculator.sideboard_view)
    app.jinja_env.add_extension(RegionTags)
    rooms = {name: Blueprint(name, __name__) for name in ("pages", "console", "join", "me", "s", "station")}
    page_helpers.guard(rooms["pages"])
    page_helpers.guard(rooms["console"], organizer_only=True)
    sign_up.guard(rooms["join"])
    my_page.guard(rooms["me"])
    for route in ROUTES.values():
        if not route.is_native:
            room = rooms.get(route.path.split("/")[1], rooms["pages"])
            room.add_url_rule(route.path, view_func=route.answer, methods=[route.method])
    app.after_request(page_helpers.finish_response)
    error_pages.add_error_handlers(app)
    for room in rooms.values():
        app.register_blueprint(room)


_MARKS = {"region": (REGION, REGION_END), "row": (ROW, ROW_END), "moving": (MOVING, MOVING_END)}


class RegionTags(Extension):
    """How templates mark what is live: three tags with an end. What they leave in the text, `serving/regions.py` takes
    out again.

    - `{% region id %}` … `{% endregion %}`, close around one element with `data-live` and this id; in no other region;
    - `{% row key %}` … `{% endrow %}`, in a region, close around one element with this `data-key`; in no other row;
    - `{% moving %}` … `{% endmoving %}` around text that goes on by itself in the browser: a clock, an age. It is no
      change that somebody has to be told.
    """

    tags = set(_MARKS)

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        tag = next(parser.stream)
        begin, end = _MARKS[tag.value]
        name: nodes.Expr = nodes.Const("") if tag.value == "moving" else parser.parse_expression()
        body = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
        opened = nodes.TemplateData(mark(begin, name.value)) if isinstance(name, nodes.Const) \
            else self.call_method("_mark", [nodes.Const(begin), name], lineno=tag.lineno)
        closed = nodes.TemplateData(mark(end))
        return [nodes.Output([opened], lineno=tag.lineno), *body, nodes.Output([closed], lineno=tag.lineno)]

    def _mark(self, kind: str, name: object) -> Markup:
        return Markup(mark(kind, name))


def sign(name: str, label: str = "") -> Markup:
    """A sign, of those in signs.svg.html; who does not see it is told its `label`, and nothing without one. No macro: a
    page has dozens."""
    said = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return Markup(f'<svg class="sign sign-{escape(name)}" {said}><use href="#s-{escape(name)}"/></svg>')
