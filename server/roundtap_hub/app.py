"""The Flask side of the hub: every page and the device API. The feeds are not Flask's (see asgi.py)."""

from __future__ import annotations

from flask import Flask

from roundtap_hub.hub import Hub


def create_app(hub: Hub) -> Flask:
    """A Flask application around one hub; nothing global."""
    from roundtap_hub import pages
    from roundtap_hub.devices import device_api
    from roundtap_hub.printing import station_api

    app = Flask("roundtap_hub", static_folder=None)
    app.config.update(
        SECRET_KEY=hub.secret, SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_NAME="roundtap", MAX_CONTENT_LENGTH=4 * 1024 * 1024, PERMANENT_SESSION_LIFETIME=16 * 3600,
    )
    app.extensions["roundtap"] = hub
    device_api.register(app, hub)
    if hub.paper is not None:
        station_api.register(app, hub, hub.paper)
    pages.register(app, hub)
    return app
