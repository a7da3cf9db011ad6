"""The Flask side of the hub: every page, and the print station's address. All else is answered before (asgi.py)."""

from __future__ import annotations

from flask import Flask

from roundtap_hub import pages
from roundtap_hub.hub import Hub
from roundtap_hub.page_threads import FORM_BYTES_MAX


def create_app(hub: Hub) -> Flask:
    """A Flask application around one hub; nothing global."""
    app = Flask("roundtap_hub", static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=FORM_BYTES_MAX)
    pages.register(app, hub)
    return app
