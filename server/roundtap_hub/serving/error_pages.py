"""Pages for what went wrong: a word and a way on, never a stack trace; and for what is not known to be saved yet."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from concurrent.futures import Future
from typing import Any

from flask import Flask, Response, abort, current_app, g, redirect, request, url_for
from werkzeug.exceptions import BadHost, HTTPException, InternalServerError
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_hub.access.policy import STAFF, NotYourRole, route
from roundtap_hub.serving.http_answers import without_link
from roundtap_hub.serving.page_helpers import page, words
from roundtap_hub.store.service import HubStopped, OutcomeUnknown

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


OUTCOMES = "roundtap-outcomes"
KEPT_MAX = 64
WAITS, DONE, REFUSED, UNKNOWN = "waits", "done", "refused", "unknown"


class Outcomes:
    """What is waited for, by a word in the address; the newest few. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, tuple[Future[list[Entry]], str]] = OrderedDict()

    def keep(self, answer: Future[list[Entry]], event_id: str) -> str:
        """The word for it. `event_id`: where it was pressed, "" where in no event."""
        word = secrets.token_urlsafe(12)
        with self._lock:
            self._answers[word] = answer, event_id
            while len(self._answers) > KEPT_MAX:
                self._answers.popitem(last=False)
        return word

    def find(self, word: str) -> tuple[Future[list[Entry]], str] | None:
        with self._lock:
            return self._answers.get(word)


def wait_for(answer: Future[list[Entry]], event_id: str) -> AnyResponse:
    """To the page that shows the outcome once it is known: loading it again presses no button again."""
    kept: Outcomes = current_app.extensions[OUTCOMES]
    return redirect(url_for("console.outcome", word=kept.keep(answer, event_id)), 303)


@route("GET /console/outcome/<word>", STAFF)
def outcome(word: str) -> AnyResponse:
    """Whether it is saved, refused, or still not known."""
    kept: Outcomes = current_app.extensions[OUTCOMES]
    found = kept.find(word)
    if found is None:
        abort(404)
    answer, event_id = found
    how, why = _told(answer)
    return page("outcome.html", status=202 if how == WAITS else 200, how=how, why=why, event_id=event_id)


def _told(answer: Future[list[Entry]]) -> tuple[str, Problem | None]:
    if not answer.done():
        return WAITS, None
    error = answer.exception()
    if error is None:
        return DONE, None
    if isinstance(error, Problem):
        return REFUSED, error
    return (UNKNOWN, None) if isinstance(error, HubStopped) else (REFUSED, None)
