"""Pages: Flask in few threads, in lanes. Requests are read before, answers sent after: no thread waits for a phone."""

import asyncio
import io
import logging
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from roundtap_core.words import catalogue
from roundtap_hub.http import http_answers, page_queues
from roundtap_hub.http.requester import client_key_in, language_of
from roundtap_hub.http.routes import LOGIN, STAFF, STATION
from roundtap_hub.http.static_files import StaticFiles

log = logging.getLogger(__name__)

FORM_BYTES_MAX = 4 * 1024 * 1024  # more than the file of an event with two thousand players
SMALL_BODY_BYTES = 64 * 1024
DISCARDED_BYTES_MAX = 64 * 1024 * 1024  # of the staff's larger files, so that the browser shows the answer
BIG_BODIES = 2  # how many larger bodies are read at once, and only from the staff
BODY_WITHIN_S = 15.0
BIG_BODY_WITHIN_S = 60.0

PLAYERS_AT_ONCE, ORGANIZERS_AT_ONCE, STATIONS_AT_ONCE, LOGINS_AT_ONCE = 1, 2, 1, 1
"""Python makes one page at a time: more threads would only take turns, and the loop would wait for each."""
STAFF_FIRST_S = 0.05  # how long at most a broadcast waits for a page of the staff that is being made; then no more
SPARE = 2  # further threads of each lane, for when one takes long

Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

RETRY_MIN_S, RETRY_SPREAD_S = 3, 5
"""A browser that was sent away retries after 3 to 7 s, so that they do not all come back at once."""

BUSY_PAGE = """<!doctype html>
<html lang="{language}" class="door">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Roundtap</title>
{refresh}<link rel="stylesheet" href="{style}">
</head>
<body><main id="main"><h1>{title}</h1><p>{text}</p></main></body>
</html>
"""
BUSY_HEADERS = [*http_answers.NO_STORE, (b"vary", b"Accept-Language, Cookie")]

PROBE_SCOPE: http_answers.Scope = {
    "method": "GET",
    "path": "/login",
    "query_string": b"",
    "headers": [(b"host", b"localhost")],
}
"""The watchdog's request: a small page that uses all that pages need."""


class BusyPage:
    """The page for an overloaded hub: 503, a short text that reloads by itself, made without a page thread. `language`:
    the hub's own, for browsers that accept none."""

    def __init__(self, static: StaticFiles, language: str) -> None:
        self._style = static.url("roundtap.css")
        self._language = language
        self._sent = 0

    async def answer(self, scope: http_answers.Scope, send: http_answers.Send, form: bool) -> None:
        """Send that the page will come by itself; for a `form`, that nothing of it was done."""
        self._sent += 1
        after_s = RETRY_MIN_S + self._sent % RETRY_SPREAD_S
        again = (b"retry-after", b"%d" % after_s)
        if scope["path"].startswith("/station/"):
            await http_answers.send_json(send, 503, {"error": "busy, try again"}, [again])
            return
        t = catalogue("roundtap_hub", language_of(scope, self._language))
        title, text = (t("busy.form"), t("busy.form.out")) if form else (t("busy"), t("busy.out"))
        page = BUSY_PAGE.format(
            language=t.language,
            style=self._style,
            title=escape(title),
            text=escape(text),
            # A form's address cannot be reloaded: the reader goes back to the form instead.
            refresh="" if form else f'<meta http-equiv="refresh" content="{after_s}">\n',
        )
        await http_answers.send_answer(
            send,
            503,
            b"text/html; charset=utf-8",
            page.encode(),
            [*BUSY_HEADERS, (b"content-language", t.language.encode()), again],
        )


@dataclass(frozen=True, slots=True)
class WsgiAnswer:
    """A whole answer."""

    status: int
    headers: http_answers.Headers
    body: bytes


class PageThreads:
    """All pages of one hub. `build` makes the WSGI application in a thread, while reports are already answered.
    `organizes`: whether a request comes from a logged-in browser. Only those take the organizers' lane and may send
    large bodies: organizers never wait behind strangers' requests.
    `knows`: whether a login comes from such a device, or from the hub's own machine: who guesses PINs holds up only
    other strangers' logins."""

    def __init__(
        self,
        build: Callable[[], Wsgi],
        busy: BusyPage,
        organizes: Callable[[http_answers.Scope], bool],
        knows: Callable[[http_answers.Scope], bool],
    ) -> None:
        self._build = build
        self._organizes, self._knows = organizes, knows
        self._busy = busy
        self._built: asyncio.Future[Wsgi] | None = None
        self._big_bodies = asyncio.Semaphore(BIG_BODIES)
        self._players = page_queues.PageQueue[WsgiAnswer]("players", PLAYERS_AT_ONCE, SPARE)
        self._organizers = page_queues.PageQueue[WsgiAnswer]("organizers", ORGANIZERS_AT_ONCE, SPARE)
        self._stations = page_queues.PageQueue[WsgiAnswer]("stations", STATIONS_AT_ONCE, SPARE)
        self._logins, self._known = (
            page_queues.PageQueue[WsgiAnswer](name, LOGINS_AT_ONCE, 0, True) for name in ("logins", "known-logins")
        )

    async def built(self) -> Wsgi:
        """The application, built from the first call on; raises what building it raised."""
        if self._built is None:
            self._built = asyncio.ensure_future(asyncio.to_thread(self._build))
        return await asyncio.shield(self._built)

    async def answer(
        self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send, who: frozenset[str]
    ) -> None:
        """Answer one request. Its lane depends on `who` may make it (http/routes.py)."""
        form = scope["method"] not in http_answers.SAFE_METHODS
        try:
            body, left_out = await self._body(scope, receive)
        except http_answers.BodyTimeout:
            await http_answers.send_answer(
                send, 408, b"text/plain", b"the request did not come whole\n", http_answers.CLOSE
            )
            return
        lane = self._lane(scope, who, form)
        work = partial(call_wsgi, await self.built(), wsgi_environ(scope, body, left_out))
        try:
            # A form is handled even if the client has gone: its button was pressed.
            page = await lane.run(
                work,
                page_queues.FORM_S if form else page_queues.PAGE_S,
                None if form else partial(http_answers.until_gone, receive),
                client_key_in(scope),
            )
        except page_queues.Busy:
            await self._busy.answer(scope, send, form)
        except page_queues.ClientGone:
            return
        else:
            headers = page.headers + http_answers.CLOSE if left_out else page.headers
            await send({"type": "http.response.start", "status": page.status, "headers": headers})
            await send({"type": "http.response.body", "body": page.body})

    async def staff_first(self) -> bool:
        """Returns once no page of the staff is being made, or after STAFF_FIRST_S; whether none is."""
        with suppress(TimeoutError):
            async with asyncio.timeout(STAFF_FIRST_S):
                await self._organizers.idle.wait()
        return self._organizers.idle.is_set()

    async def probe(self) -> None:
        """Returns once every lane has made a page from now on."""
        application = await self.built()
        await asyncio.gather(
            *(
                lane.run(
                    partial(call_wsgi, application, wsgi_environ(PROBE_SCOPE)),
                    page_queues.PROBE_S,
                    asker=page_queues.FIRST,
                )
                for lane in (self._players, self._organizers, self._stations, self._logins, self._known)
            )
        )

    def _lane(self, scope: http_answers.Scope, who: frozenset[str], form: bool) -> page_queues.PageQueue[WsgiAnswer]:
        if STATION in who:
            return self._stations
        if who & (STAFF | {LOGIN}) and self._organizes(scope):
            return self._organizers
        if LOGIN in who and self._knows(scope):
            return self._known
        return self._logins if LOGIN in who and form else self._players

    async def _body(self, scope: http_answers.Scope, receive: http_answers.Receive) -> tuple[bytes, int]:
        """(the body, 0), or (nothing, its minimum length) where it is too large, which Flask then reports."""
        announced = http_answers.content_length(scope)
        try:
            small = announced <= SMALL_BODY_BYTES and not http_answers.get_header(scope, b"transfer-encoding")
            if small or not self._organizes(scope):
                return await http_answers.read_body(scope, receive, SMALL_BODY_BYTES, BODY_WITHIN_S), 0
            async with self._big_bodies:
                return await http_answers.read_body(scope, receive, FORM_BYTES_MAX, BIG_BODY_WITHIN_S), 0
        except http_answers.BodyTooLarge:
            if self._organizes(scope):
                await http_answers.discard_body(receive, DISCARDED_BYTES_MAX, BIG_BODY_WITHIN_S)
            return b"", max(announced, FORM_BYTES_MAX + 1)


def wsgi_environ(scope: http_answers.Scope, body: bytes = b"", left_out: int = 0) -> Environ:
    """A request as a WSGI environ (PEP 3333); `left_out`: the length of a body that was not read."""
    name, port = scope.get("server") or ("localhost", 80)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": name,
        "SERVER_PORT": str(port or 0),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    if scope.get("client"):
        environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = scope["client"][0], str(scope["client"][1])
    for raw_name, raw_value in scope["headers"]:
        key = raw_name.decode("latin-1").upper().replace("-", "_")
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = f"HTTP_{key}"
        value = raw_value.decode("latin-1")
        # Several Cookie headers are joined with ";", all others with ",".
        glue = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{glue}{value}" if key in environ else value
    # The body is whole now, even if it came in chunks.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(left_out or len(body))
    return environ


def call_wsgi(application: Wsgi, environ: Environ) -> WsgiAnswer:
    """A WSGI application's whole answer; a plain 500 where it raises."""
    started: list[tuple[str, list[tuple[str, str]]]] = []
    written: list[bytes] = []

    def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> Callable[[bytes], None]:
        started.append((status, headers))
        return written.append

    try:
        parts = application(environ, start_response)
        try:
            written.extend(parts)
        finally:
            getattr(parts, "close", lambda: None)()
        status, headers = started[-1]
    except Exception:
        log.exception("a page failed: %s %s", environ["REQUEST_METHOD"], http_answers.redact_link(environ["PATH_INFO"]))
        return WsgiAnswer(500, [(b"content-type", b"text/plain")], b"Roundtap: 500\n")
    return WsgiAnswer(
        int(status.split(" ", 1)[0]),
        [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        b"".join(written),
    )
