"""A page server's front: public pages pass; console and units are told where they belong."""

from __future__ import annotations

from html import escape
from typing import Protocol

from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.http_answers import (
    CLOSE,
    NO_STORE,
    Receive,
    Scope,
    Send,
    sealed,
    send_answer,
    send_json,
    with_one_slash,
)
from roundtap_hub.reader_language import language_of

MISDIRECTED = 421
FOR_PROGRAMS = ("/device", "/station")
FOR_THE_ORGANIZER = ("/console", "/login", "/logout", "/join")
"""Whatever is decided by the hub that runs the event."""
ASKED_BY = frozenset({"GET", "HEAD"})


class Application(Protocol):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...


class PagesOnly:
    """Stands before the hub's application. `console_url`: where the event is run ("http://hub:8080"), if that is known;
    whoever asks for a page of the console is sent there."""

    def __init__(self, application: Application, console_url: str | None = None) -> None:
        self._application = application
        self._console_url = console_url.rstrip("/") if console_url else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope = with_one_slash(scope)
        if scope["type"] != "http":
            await self._application(scope, receive, send)
        elif _below(scope["path"], FOR_PROGRAMS):
            await send_json(sealed(send), MISDIRECTED,
                            {"error": "this hub only shows pages; ask the one that runs the event"}, CLOSE)
        elif _below(scope["path"], FOR_THE_ORGANIZER):
            await self._send_on(scope, sealed(send))
        elif scope["method"] not in ASKED_BY:
            await self._say(scope, sealed(send))
        else:
            await self._application(scope, receive, send)

    async def _send_on(self, scope: Scope, send: Send) -> None:
        if self._console_url is None or scope["method"] not in ASKED_BY:
            await self._say(scope, send)
            return
        asked = b"/" + scope.get("raw_path", scope["path"].encode()).partition(b"?")[0].lstrip(b"/")
        query = b"?" + scope["query_string"] if scope["query_string"] else b""
        await send_answer(send, 303, b"text/plain", b"",
                          [(b"location", self._console_url.encode() + asked + query), *NO_STORE])

    async def _say(self, scope: Scope, send: Send) -> None:
        t = catalogue("roundtap_hub", language_of(scope, LANGUAGES[0]))
        link = "" if self._console_url is None else (
            f'<p><a href="{escape(self._console_url)}/console">{escape(t("pages_only.console"))}</a></p>')
        title = escape(t("pages_only.title"))
        page = (f'<!doctype html><html lang="{t.language}"><meta charset="utf-8">'
                f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
                f'<h1>{title}</h1><p>{escape(t("pages_only.text"))}</p>{link}'
                f'<p><a href="/">{escape(t("pages_only.home"))}</a></p></html>')
        await send_answer(send, MISDIRECTED, b"text/html; charset=utf-8", page.encode(), [*NO_STORE, *CLOSE])


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(f"{root}/") for root in roots)
