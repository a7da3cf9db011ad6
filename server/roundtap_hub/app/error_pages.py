"""Error pages, which show no stack trace; and the page for a command whose outcome is not known yet."""

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
from roundtap_hub.access.policy import NotYourRole
from roundtap_hub.http.http_answers import redact_link
from roundtap_hub.http.routes import STAFF, route
from roundtap_hub.live import current, render
from roundtap_hub.store.service import HubStopped, OutcomeUnknown

log = logging.getLogger(__name__)

PENDING_COMMANDS = "roundtap-outcomes"
MAX_PENDING = 64
WAITS, DONE, REFUSED, UNKNOWN = "waits", "done", "refused", "unknown"


def add_error_handlers(app: Flask) -> None:
    """Answer every failure of a page. The addresses for programs (the device API) keep their own answers."""

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> AnyResponse | HTTPException:
        if error.response is not None or _is_api_request():
            return error
        if isinstance(error, BadHost):
            # An invalid Host, which no browser sends: no page could make its links.
            return _plain_error(400)
        return _error_page(error.code or 500)

    @app.errorhandler(Problem)
    def refused(problem: Problem) -> AnyResponse:
        g.problem = problem
        return _error_page(409)

    @app.errorhandler(NotYourRole)
    def another_s(refused: NotYourRole) -> AnyResponse:
        """Nothing was done; the page names the roles that may."""
        t = current.words()
        g.problem, g.status = (
            Problem(
                "not_your_role",
                role=t(f"role.{refused.role}"),
                roles=", ".join(t(f"role.{role}") for role in refused.roles),
            ),
            403,
        )
        return render.page("not_yours.html", event_id=(request.view_args or {}).get("event_id", ""))

    @app.errorhandler(HubStopped)
    def stopping(_: HubStopped) -> AnyResponse:
        return _error_page(503)

    @app.errorhandler(OutcomeUnknown)
    def in_doubt(unknown: OutcomeUnknown) -> AnyResponse:
        """The writer's disk or database does not answer, so "not saved" might be untrue."""
        if request.blueprint == "console":
            # To the page that shows the outcome once it is known: reloading it presses no button again.
            pending: PendingCommands = current_app.extensions[PENDING_COMMANDS]
            word = pending.add(unknown.answer, (request.view_args or {}).get("event_id", ""))
            return redirect(url_for("console.outcome_page", word=word), 303)
        return _error_page(504)

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Any:
        log.exception("a page failed: %s %s", request.method, redact_link(request.path))
        return InternalServerError() if _is_api_request() else _error_page(500)


def _is_api_request() -> bool:
    return request.path.startswith("/device/") or request.path in ("/time", "/feed")


def _error_page(code: int) -> Response:
    g.status = code
    try:
        shown_code = code if f"error.{code}" in current.words() else 400 if code < 500 else 500
        response = render.page("error.html", code=shown_code)
    except Exception:
        # The same cause may break the error page too.
        log.exception("the error page failed")
        response = _plain_error(code)
    return response


def _plain_error(code: int) -> Response:
    return Response(f"Roundtap: {code}\n", code, content_type="text/plain; charset=utf-8")


class PendingCommands:
    """The newest commands with an open outcome, by a random word in the address. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, tuple[Future[list[Entry]], str]] = OrderedDict()

    def add(self, answer: Future[list[Entry]], event_id: str) -> str:
        """Returns its word. `event_id`: the event of the button; "" for none."""
        word = secrets.token_urlsafe(12)
        with self._lock:
            self._answers[word] = answer, event_id
            while len(self._answers) > MAX_PENDING:
                self._answers.popitem(last=False)
        return word

    def find(self, word: str) -> tuple[Future[list[Entry]], str] | None:
        with self._lock:
            return self._answers.get(word)


@route("GET /console/outcome/<word>", STAFF)
def outcome_page(word: str) -> AnyResponse:
    """Whether the command is saved, refused, or still unknown."""
    pending: PendingCommands = current_app.extensions[PENDING_COMMANDS]
    command = pending.find(word)
    if command is None:
        abort(404)
    answer, event_id = command
    how, why = _outcome_of(answer)
    return render.page("outcome.html", status=202 if how == WAITS else 200, how=how, why=why, event_id=event_id)


def _outcome_of(answer: Future[list[Entry]]) -> tuple[str, Problem | None]:
    if not answer.done():
        return WAITS, None
    error = answer.exception()
    if error is None:
        return DONE, None
    if isinstance(error, Problem):
        return REFUSED, error
    return (UNKNOWN, None) if isinstance(error, HubStopped | OutcomeUnknown) else (REFUSED, None)
