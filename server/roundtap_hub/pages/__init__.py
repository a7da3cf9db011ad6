"""The hub's web pages: door, console, wall, and the players' own."""

from __future__ import annotations

from flask import Blueprint, Flask

from roundtap_hub.auth import PinGate
from roundtap_hub.hub import Hub
from roundtap_hub.pages import (
    aid,
    announced,
    competitors,
    console,
    cut,
    door,
    errors,
    export,
    ground,
    impose,
    judging,
    lists,
    new_event,
    officials,
    paper,
    players,
    results,
    rounds,
    units,
    walk,
    wall,
)


def register(app: Flask, hub: Hub) -> None:
    """Put every page on the application. Public pages ask for nothing, the console for the PIN."""
    app.extensions["roundtap"] = hub
    app.extensions["roundtap-gate"] = PinGate(hub.moments.mono_ms)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    public = Blueprint("pages", __name__)
    organizer = Blueprint("console", __name__, url_prefix="/console")
    ground.guard(public)
    ground.guard(organizer, organizer_only=True)
    for module in (door, wall, players, announced):
        module.routes(public)
    for module in (console, new_event, rounds, cut, impose, results, aid, walk, competitors, judging, officials, lists,
                   units, export):
        module.routes(organizer)
    if hub.paper is not None:
        paper.routes(organizer)
    errors.handle(app)
    app.register_blueprint(public)
    app.register_blueprint(organizer)
