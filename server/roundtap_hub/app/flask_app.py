"""The Flask application: every page and the print station's address, and what all templates may name."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, g
from flask.ctx import RequestContext
from jinja2 import FileSystemLoader
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

import roundtap_hub
from roundtap_core.names import search_text
from roundtap_core.standings.standings import league_points_text
from roundtap_core.typed import number_ranges
from roundtap_hub.app import acts, console, error_pages, home, practice_page
from roundtap_hub.app.hub import Hub
from roundtap_hub.events import archive, leagues, new_event, own_games, prizes
from roundtap_hub.hall import restored, this_hub, wall
from roundtap_hub.hall.hub_sound import SOUND
from roundtap_hub.http.http_answers import PLAIN_SCRIPT
from roundtap_hub.http.page_threads import FORM_BYTES_MAX, wsgi_environ
from roundtap_hub.http.requester import words_in
from roundtap_hub.http.routes import ROUTES, page_path
from roundtap_hub.http.static_files import StaticFiles
from roundtap_hub.judging import judging
from roundtap_hub.live import current, forms, render, template_tags
from roundtap_hub.live.page_cache import PAGE_KINDS, RENDER_PAGE, RenderingKey, RenderInput
from roundtap_hub.live.page_shapes import SHAPED, Shapes
from roundtap_hub.live.regions import RenderedPage
from roundtap_hub.paper import paper, station_api
from roundtap_hub.people import find, import_people, registration_desk, regulars, sign_up
from roundtap_hub.phones import my_page, players
from roundtap_hub.results import results, slip_desk
from roundtap_hub.rounds import mending
from roundtap_hub.units import units
from roundtap_hub.units.enrolment import ENROLMENT

PAGES = (
    archive,
    new_event,
    leagues,
    own_games,
    prizes,
    find,
    import_people,
    registration_desk,
    regulars,
    sign_up,
    mending,
    results,
    judging,
    paper,
    slip_desk,
    station_api,
    wall,
    this_hub,
    restored,
    my_page,
    players,
    units,
    console,
    acts,
    error_pages,
    home,
    practice_page,
)
"""The modules with pages: each declares its own addresses as it is imported."""
ROOMS = ("events", "people", "rounds", "results", "judging", "paper", "hall", "phones", "units", "live")
"""The folders with templates."""
HUB = Path(roundtap_hub.__file__).parent

URL_CACHE_SIZE = 4096


def create_app(hub: Hub) -> Flask:
    """A Flask application around one hub."""
    app = Flask("roundtap_hub", static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=FORM_BYTES_MAX)
    register_pages(app, hub)
    app.extensions[RENDER_PAGE] = partial(draw_page, app, Shapes())
    return app


def draw_page(
    app: Flask,
    shapes: Shapes,
    key: RenderingKey,
    render_input: RenderInput,
    now_ms: int,
    version: str,
    known: bool,
    whole: bool,
) -> RenderedPage | str | None:
    """The page that all readers of `key` share, drawn from `render_input` for the cache; a redirect; or None, with
    `known` also where no page of its shape was drawn yet. `whole`: with its body."""

    def asked() -> RequestContext:
        scope = {
            "method": "GET",
            "path": page_path(key.page),
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
        }
        return app.request_context(wsgi_environ(scope))

    with app.app_context() as context:
        own = context.g  # not by its proxy, which looks the context up each time
        own.snapshot, own.units, own.now_ms, own.version, own.variant = *render_input, now_ms, version, key.variant
        own.visit, own.words = current.Visit("", "", None, "", ""), words_in(key.language)
        try:
            if (shape_of := SHAPED.get(key.page.kind)) is not None:
                return shapes.page(shape_of(key.page), version, None if known else asked, whole)
            if known:
                return None
            with asked():
                answer: Any = app.preprocess_request() or app.dispatch_request()
        except HTTPException:
            return None
        return answer.location if answer.status_code == 302 else g.rendered if answer.status_code == 200 else None


def register_pages(app: Flask, hub: Hub) -> None:
    """Add every page, behind the guard of its blueprint, and the print station's address."""
    app.extensions |= {
        current.HUB: hub,
        current.ACCESS: hub.access,
        ENROLMENT: hub.enrolment,
        SOUND: lambda: hub.sound,
        render.RENDER_CACHE: render.RenderCache(),
        error_pages.PENDING_COMMANDS: error_pages.PendingCommands(),
        render.OPEN_THINGS: console.open_things,
        render.ACT_MESSAGE: acts.act_message,
    }
    _add_routes(app)


def _add_routes(app: Flask) -> None:
    """The part that needs no hub."""
    # Only declared methods are answered.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.jinja_loader = FileSystemLoader([HUB / room / "templates" for room in ROOMS])
    app.jinja_env.bytecode_cache = template_tags.CompiledTemplates(HUB)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    # A page has hundreds of links, mostly the same ones each time.
    app.jinja_env.globals.update(
        url_for=lru_cache(URL_CACHE_SIZE)(app.url_for),
        static_url=lru_cache(StaticFiles().url),
        data_url=lru_cache(StaticFiles().data_url),
        plain_script=Markup(PLAIN_SCRIPT.decode()),
        sign=template_tags.sign_icon,
        counting_aid=results.calculator_view,
        swap_check=results.sideboard_view,
        search_text=search_text,
        number_ranges=number_ranges,
        league_points=league_points_text,
    )
    app.jinja_env.add_extension(template_tags.RegionTags)
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
