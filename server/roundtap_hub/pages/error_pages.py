"""Pages for what went wrong: a short word and a way on, never a stack trace."""

from __future__ import annotations

import logging
from typing import Any

from flask import Flask, Response, g, request
from werkzeug.exceptions import BadHost, HTTPException, InternalServerError
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_hub.http_answers import without_link
from roundtap_hub.journal.service import HubStopped, OutcomeUnknown
from roundtap_hub.pages.base import page, words
from roundtap_hub.pages.outcome import wait_for
from roundtap_hub.policy import NotYourRole

log = logging.getLogger(__name__)


def handle(app: Flask) -> None:
    """Answer every failure of a page. What programs ask (the device API) keeps its own answers."""

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> AnyResponse | HTTPException:
        if error.response is not None or _for_a_program():
            return error
        if isinstance(error, BadHost):
            # Asked by a name that is none: no page can say where anything else is, and no browser asks so.
            return _plain(400)
        return _explained(error.code or 500)

    @app.errorhandler(Problem)
    def refused(problem: Problem) -> AnyResponse:
        g.problem = problem
        return _explained(409)

    @app.errorhandler(NotYourRole)
    def another_s(refused: NotYourRole) -> AnyResponse:
        """In words who may; nothing of it was done."""
        t = words()
        g.problem, g.status = Problem("not_your_role", role=t(f"role.{refused.role}"),
                                      roles=", ".join(t(f"role.{role}") for role in refused.roles)), 403
        return page("not_yours.html", event_id=(request.view_args or {}).get("event_id", ""))

    @app.errorhandler(HubStopped)
    def stopping(_: HubStopped) -> AnyResponse:
        return _explained(503)

    @app.errorhandler(OutcomeUnknown)
    def in_doubt(unknown: OutcomeUnknown) -> AnyResponse:
        """The writer knows as little as we do: its disk or its database does not answer. "Not saved" might be untrue.
        """
        if request.blueprint == "console":
            return wait_for(unknown.answer, (request.view_args or {}).get("event_id", ""))
        return _explained(504)

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Any:
        log.exception("a page failed: %s %s", request.method, without_link(request.path))
        return InternalServerError() if _for_a_program() else _explained(500)


def _for_a_program() -> bool:
    return request.path.startswith("/device/") or request.path in ("/time", "/feed")


def _explained(code: int) -> Response:
    g.status = code
    try:
        known = code if f"error.{code}" in words() else 400 if code < 500 else 500
        response = page("error.html", code=known)
    except Exception:
        # Whatever broke the page may break this one too.
        log.exception("the error page failed")
        response = _plain(code)
    return response


def _plain(code: int) -> Response:
    return Response(f"Roundtap: {code}\n", code, content_type="text/plain; charset=utf-8")
