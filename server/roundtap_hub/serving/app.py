"""The Flask side of the hub: every page, and the print station's address. All else is answered before (asgi.py)."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Flask, g
from werkzeug.exceptions import HTTPException

from roundtap_hub.access.staff import StaffIdentity
from roundtap_hub.access.visit import Visit
from roundtap_hub.hub import Hub
from roundtap_hub.serving import routes
from roundtap_hub.serving.bidi import words_in
from roundtap_hub.serving.page_cache import RENDER_PAGE, PageKey, RenderInput
from roundtap_hub.serving.page_threads import FORM_BYTES_MAX, wsgi_environ
from roundtap_hub.serving.regions import Rendered


def create_app(hub: Hub) -> Flask:
    """A Flask application around one hub; nothing global."""
    app = Flask("roundtap_hub", static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=FORM_BYTES_MAX)
    routes.register(app, hub)
    app.extensions[RENDER_PAGE] = partial(drawn, app)
    return app


def drawn(app: Flask, path: str, key: PageKey, moment: RenderInput, now_ms: int, version: str) -> Rendered | str | None:
    """A page as its view answers all readers of a key, drawn from a moment whose version is known, to be kept; or the
    address at which the page is; None where there is none."""
    environ = wsgi_environ({"method": "GET", "path": path, "query_string": b"", "headers": [(b"host", b"localhost")]})
    with app.request_context(environ):
        g.snapshot, g.units, g.now_ms, g.version, g.variant = *moment, now_ms, version, key.variant
        g.visit, g.words = Visit("", "", None, "", ""), words_in(key.language)
        g.reader = StaffIdentity(key.role) if key.role else None
        try:
            answer: Any = app.preprocess_request() or app.dispatch_request()
        except HTTPException:
            return None
        return answer.location if answer.status_code == 302 else g.rendered if answer.status_code == 200 else None
