"""Something that was pressed and of which nobody knows yet whether it is saved: a page that looks again by itself."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from concurrent.futures import Future

from flask import abort, current_app, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_hub.journal.service import HubStopped
from roundtap_hub.pages.base import page
from roundtap_hub.policy import STAFF, route

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
