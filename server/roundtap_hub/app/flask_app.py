"""The Flask application: every page and the print station's address, with the tags and signs of all templates."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, g
from jinja2 import FileSystemLoader, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from markupsafe import Markup, escape
from werkzeug.exceptions import HTTPException

import roundtap_hub
from roundtap_core.name_search import search_text
from roundtap_hub.access import visit
from roundtap_hub.access.visit import Visit
from roundtap_hub.app import console, error_pages, home, judge_page, practice_page
from roundtap_hub.app.hub import Hub
from roundtap_hub.events import archive, new_event, prizes
from roundtap_hub.hall import announcement_desk, hall_overview, preflight, restored, this_hub, wall
from roundtap_hub.hall.hub_sound import SOUND
from roundtap_hub.http.page_threads import FORM_BYTES_MAX, wsgi_environ
from roundtap_hub.http.reader_language import words_in
from roundtap_hub.http.routes import ROUTES
from roundtap_hub.http.static_files import StaticFiles
from roundtap_hub.judging import judging
from roundtap_hub.live import current, forms, regions, render
from roundtap_hub.live.page_cache import RENDER_PAGE, RenderingKey, RenderInput
from roundtap_hub.live.page_versions import PAGE_KINDS
from roundtap_hub.live.regions import RenderedPage, region_mark
from roundtap_hub.live.renderings import RENDER_CACHE, ROW_CACHE, RenderCache, RowCache
from roundtap_hub.paper import paper, station_api, stations
from roundtap_hub.people import find, import_people, lists, registration_desk, sign_up
from roundtap_hub.phones import my_page, players
from roundtap_hub.results import results, score_calculator, slip_desk
from roundtap_hub.rounds import mending
from roundtap_hub.units import units
from roundtap_hub.units.enrolment import ENROLMENT

PAGES = (
    archive,
    new_event,
    prizes,
    find,
    import_people,
    lists,
    registration_desk,
    sign_up,
    mending,
    results,
    score_calculator,
    judging,
    paper,
    slip_desk,
    stations,
    station_api,
    announcement_desk,
    hall_overview,
    preflight,
    restored,
    this_hub,
    wall,
    my_page,
    players,
    units,
    console,
    error_pages,
    home,
    judge_page,
    practice_page,
)
"""The modules with pages: each declares its own addresses as it is imported."""
ROOMS = ("events", "people", "rounds", "results", "judging", "paper", "hall", "phones", "units", "live")
"""The folders with templates."""
HUB = Path(roundtap_hub.__file__).parent

URL_CACHE_SIZE = 4096

_MARKS = {
    "region": (regions.REGION, regions.REGION_END),
    "row": (regions.ROW, regions.ROW_END),
    "moving": (regions.MOVING, regions.MOVING_END),
}


def create_app(hub: Hub) -> Flask:
    """A Flask application around one hub."""
    app = Flask("roundtap_hub", static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=FORM_BYTES_MAX)
    register_pages(app, hub)
    app.extensions[RENDER_PAGE] = partial(draw_page, app)
    return app


def draw_page(
    app: Flask, path: str, key: RenderingKey, moment: RenderInput, now_ms: int, version: str
) -> RenderedPage | str | None:
    """The page that all readers of `key` share, drawn from `moment` for the cache; its redirect address; or None."""
    environ = wsgi_environ({"method": "GET", "path": path, "query_string": b"", "headers": [(b"host", b"localhost")]})
    with app.request_context(environ):
        g.snapshot, g.units, g.now_ms, g.version, g.variant = *moment, now_ms, version, key.variant
        g.visit, g.words = Visit("", "", None, "", ""), words_in(key.language)
        try:
            answer: Any = app.preprocess_request() or app.dispatch_request()
        except HTTPException:
            return None
        return answer.location if answer.status_code == 302 else g.rendered if answer.status_code == 200 else None


def register_pages(app: Flask, hub: Hub) -> None:
    """Add every page, behind the guard of its blueprint, and the print station's address."""
    app.extensions |= {
        current.HUB: hub,
        visit.ACCESS: hub.access,
        ENROLMENT: hub.enrolment,
        SOUND: lambda: hub.sound,
        RENDER_CACHE: RenderCache(),
        ROW_CACHE: RowCache(),
        error_pages.PENDING_COMMANDS: error_pages.PendingCommands(),
        render.OPEN_THINGS: console.open_things,
    }
    _add_routes(app)


def _add_routes(app: Flask) -> None:
    """The part that needs no hub."""
    # Only declared methods are answered.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.jinja_loader = FileSystemLoader([HUB / room / "templates" for room in ROOMS])
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    # A page has hundreds of links, mostly the same ones each time.
    app.jinja_env.globals.update(
        url_for=lru_cache(URL_CACHE_SIZE)(app.url_for),
        static_url=StaticFiles().url,
        sign=sign_icon,
        counting_aid=score_calculator.calculator_view,
        swap_check=score_calculator.sideboard_view,
        search_text=search_text,
    )
    app.jinja_env.add_extension(RegionTags)
    rooms = {name: Blueprint(name, __name__) for name in ("pages", "console", "join", "me", "s", "station")}
    forms.guard_forms(rooms["pages"])
    forms.guard_forms(rooms["console"], organizer_only=True)
    sign_up.guard_forms(rooms["join"])
    my_page.guard_links(rooms["me"])
    for route in ROUTES.values():
        if not route.is_native:
            if route.kept is not None and route.kept.pattern not in PAGE_KINDS:
                raise ValueError(str(route.kept))
            room = rooms.get(route.path.split("/")[1], rooms["pages"])
            room.add_url_rule(route.path, view_func=route.answer, methods=[route.method])
    app.after_request(render.finish_response)
    error_pages.add_error_handlers(app)
    for room in rooms.values():
        app.register_blueprint(room)


class RegionTags(Extension):
    """Template tags that mark live parts; `live/regions.py` takes the marks out again.

    - `{% region id %}` … `{% endregion %}`, directly around one element with `data-live` and this id; not nested;
    - `{% row key %}` … `{% endrow %}`, in a region, directly around one element with this `data-key`; not nested;
    - `{% moving %}` … `{% endmoving %}` around text that the browser updates itself (a clock, an age): never a change;
    - `{% may address %}` … `{% else %}` … `{% endmay %}`: for readers who may request this ("POST /console/e1/draw"),
      by the row that guards it; for the others;
    - `{% maybe %}` … `{% endmaybe %}`: a fold or row whose buttons are all marked so, gone where all of them are.
    """

    tags = {*_MARKS, "may", "maybe"}

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        tag = next(parser.stream)
        begin, end = _MARKS.get(tag.value, (tag.value, ""))
        name: nodes.Expr = nodes.Const("") if tag.value in ("moving", "maybe") else parser.parse_expression()
        body = parser.parse_statements((f"name:end{tag.value}", "name:else"))
        if next(parser.stream).value == "else":
            others = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
            body = [*body, nodes.Output([nodes.TemplateData(regions.ELSE)]), *others]
        opened = (
            nodes.TemplateData(self._mark(begin, name.value))
            if isinstance(name, nodes.Const)
            else self.call_method("_mark", [nodes.Const(begin), name], lineno=tag.lineno)
        )
        closed = nodes.TemplateData(region_mark(end) if end else regions.ENDS)
        return [nodes.Output([opened], lineno=tag.lineno), *body, nodes.Output([closed], lineno=tag.lineno)]

    def _mark(self, kind: str, name: object) -> Markup:
        if kind == "may":
            return Markup(f"{regions.MAY}{escape(name)}:>")
        return Markup(regions.MAYBE if kind == "maybe" else region_mark(kind, name))


def sign_icon(name: str, label: str = "") -> Markup:
    """An icon of signs.svg.html; screen readers read its `label`. Not a macro: a page has dozens."""
    aria = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return Markup(f'<svg class="sign sign-{escape(name)}" {aria}><use href="#s-{escape(name)}"/></svg>')
