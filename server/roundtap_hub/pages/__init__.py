"""The hub's web pages: home, console, wall, and the players' own."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from flask import Blueprint, Flask

from roundtap_hub.hub import Hub
from roundtap_hub.pages import base, counting_aid, error_pages, my_page, outcome, sign_up, swap_check
from roundtap_hub.pages.region_tags import RegionTags
from roundtap_hub.pages.signs import sign
from roundtap_hub.policy import ROUTES
from roundtap_hub.static_files import StaticFiles
from roundtap_hub.views.renderings import RENDERINGS, ROW_TEXTS, Renderings, RowTexts

# Who declares an address has to be imported: every page, and what the print station asks.
for _name in (*(f"{__name__}.{page.name}" for page in iter_modules(__path__)), "roundtap_hub.printing.station_api"):
    import_module(_name)

URLS_KEPT = 4096


def register(app: Flask, hub: Hub) -> None:
    """Put every page on the application, behind the guard of its room, and the print station's address."""
    app.extensions |= {"roundtap": hub, RENDERINGS: Renderings(), ROW_TEXTS: RowTexts(),
                       outcome.OUTCOMES: outcome.Outcomes()}
    _add_routes(app)


def _add_routes(app: Flask) -> None:
    """What hangs on no hub."""
    # What nobody declared nobody is answered.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    # A page leads to hundreds of addresses, mostly the same ones again.
    app.jinja_env.globals.update(url_for=lru_cache(URLS_KEPT)(app.url_for), static_url=StaticFiles().url, sign=sign,
                                 counting_aid=counting_aid.aid_view, swap_check=swap_check.swap_view)
    app.jinja_env.add_extension(RegionTags)
    rooms = {name: Blueprint(name, __name__) for name in ("pages", "console", "join", "me", "s", "station")}
    base.guard(rooms["pages"])
    base.guard(rooms["console"], organizer_only=True)
    sign_up.guard(rooms["join"])
    my_page.guard(rooms["me"])
    for route in ROUTES.values():
        if not route.is_native:
            room = rooms.get(route.path.split("/")[1], rooms["pages"])
            room.add_url_rule(route.path, view_func=route.answer, methods=[route.method])
    app.after_request(base.seal)
    error_pages.handle(app)
    for room in rooms.values():
        app.register_blueprint(room)
