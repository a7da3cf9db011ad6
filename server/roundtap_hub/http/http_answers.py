"""HTTP without a framework, for answers from the event loop."""

import asyncio
import gzip
import hashlib
import logging
import re
import zlib
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from roundtap_core.errors import Invalid, Problem

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

GZIP_HEAD = b"\x1f\x8b\x08" + bytes(6) + b"\xff"  # deflated, without a name or a time (RFC 1952, 2.3)

SAFE_METHODS = frozenset({"GET", "HEAD"})
MISDIRECTED = 421

NO_STORE: Headers = [(b"cache-control", b"no-store")]
CLOSE: Headers = [(b"connection", b"close")]
"""After a body that was not read to its end, the connection cannot be used again."""

COMMENTS = re.compile(rb"^[ \t]*(?://.*|/\*[^*]*\*/)\n", re.MULTILINE)
"""Lines of scripts and style sheets that only people read: they stay here."""

PLAIN_SCRIPT = COMMENTS.sub(b"", (Path(__file__).parents[1] / "static" / "plain.js").read_bytes())
"""The only script that stands in pages themselves: it goes on where their files cannot be loaded or read."""

CSP_HEADER, CONNECT, UNFRAMED = b"content-security-policy", b"connect-src 'self'", b"frame-ancestors 'none'"
PAGE_CSP = (
    b"default-src 'none'; script-src 'self' 'sha256-"
    + b64encode(hashlib.sha256(PLAIN_SCRIPT).digest())
    + b"'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"form-action 'self'; base-uri 'none'; " + UNFRAMED
)
OTHER_CSP = b"default-src 'none'; " + UNFRAMED
SECURITY_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    # Not "no-referrer": a browser would call the origin of the hub's own forms "null".
    (b"referrer-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()"),
]
"""On every answer: pages run only the hub's own scripts, and cannot be framed."""

LINK = re.compile(r"/(me|s)/[^/?\s]+")


def with_security_headers(send: Send, hubs: Sequence[str] = (), framed_by: str = "") -> Send:
    """`send` with the headers of every answer. `hubs`: addresses of the journal's other hubs, which pages may ask, too,
    whether the event continues there. `framed_by`: the only origin that may frame pages (`Host.framed_by`); "": none.
    """
    connect_src = b" ".join([CONNECT, *(address.encode("ascii", "ignore") for address in hubs)])
    framed = f"frame-ancestors {framed_by}".encode() if framed_by else UNFRAMED

    async def send_sealed(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = message.get("headers", ())
            # A page's own, stricter headers stay.
            named = dict(headers)
            page = named.get(b"content-type", b"").startswith(b"text/html")
            # With a 304 a browser would apply another policy to the page in its cache.
            policy = (
                []
                if message["status"] == 304
                else [
                    (
                        CSP_HEADER,
                        PAGE_CSP.replace(CONNECT, connect_src).replace(UNFRAMED, framed) if page else OTHER_CSP,
                    )
                ]
            )
            seal = [each for each in SECURITY_HEADERS if each[0] not in named]
            message = {**message, "headers": [*headers, *seal, *policy]}
        await send(message)

    return send_sealed


def redact_link(path: str) -> str:
    """An address for a log, without the token of a personal link, which opens a page to any reader."""
    return LINK.sub(r"/\1/…", path)


def normalize_slashes(scope: Scope) -> Scope:
    """The request with its path as Flask reads it: "//login" is "/login" for the guards as well."""
    if scope["type"] != "http" or not scope["path"].startswith("//"):
        return scope
    return {**scope, "path": "/" + scope["path"].lstrip("/")}


def path_and_query(scope: Scope) -> str:
    """Path and query of the request, quoted for an address."""
    path = quote(scope["path"], safe="/")
    query = quote(scope["query_string"].decode("latin-1"), safe="=&%+;,/?:@!$'()*~")
    return f"{path}?{query}" if query else path


class BodyTooLarge(Exception):
    """The client sent or announced more than allowed."""


class BodyTimeout(Exception):
    """The body did not come in time, or the client has gone."""


async def read_body(scope: Scope, receive: Receive, bytes_max: int, within_s: float) -> bytes:
    """The request's whole body. Raises BodyTooLarge (if announced: before a byte of it is read), BodyTimeout."""
    if content_length(scope) > bytes_max:
        raise BodyTooLarge
    try:
        async with asyncio.timeout(within_s):
            body = b""
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise BodyTimeout
                body += bytes(message.get("body", b""))
                if len(body) > bytes_max:
                    raise BodyTooLarge
                if not message.get("more_body"):
                    return body
    except TimeoutError:
        raise BodyTimeout from None


async def discard_body(receive: Receive, bytes_max: int, within_s: float) -> None:
    """Read what is left of a body that is too large: a browser that still sends would not show the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            while bytes_max > 0 and (message := await receive()).get("more_body"):
                bytes_max -= len(message.get("body", b""))


async def read_message(
    scope: Scope,
    receive: Receive,
    send: Send,
    bytes_max: int,
    within_s: float,
    too_large: tuple[int, str] = (413, "too much was said"),
) -> dict[str, Any] | None:
    """A program's JSON object; {} for any other body. None where it came late or was too large, which is then answered
    (`too_large`: status and error)."""
    try:
        body = await read_body(scope, receive, bytes_max, within_s)
    except BodyTooLarge:
        await send_json(send, too_large[0], {"error": too_large[1]}, CLOSE)
        return None
    except BodyTimeout:
        await send_json(send, 408, {"error": "the body did not come"}, CLOSE)
        return None
    try:
        message = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


async def until_gone(receive: Receive) -> None:
    """Returns when the client has gone; only after the request's body was read."""
    while (await receive())["type"] != "http.disconnect":
        pass


def content_length(scope: Scope) -> int:
    """The request's Content-Length; 0 where there is none."""
    length = get_header(scope, b"content-length")
    return int(length) if length.isdigit() and len(length) < 16 else 0


def get_header(scope: Scope, name: bytes) -> bytes:
    """A header of the request by its lower-case name; empty where there is none."""
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value)
    return b""


def accepts_gzip(scope: Scope) -> bool:
    """Whether the client accepts gzip."""
    return any(
        part.partition(b";")[0].strip() == b"gzip" and b"q=0" not in part.replace(b" ", b"").split(b";")[1:]
        for part in get_header(scope, b"accept-encoding").lower().split(b",")
    )


async def send_answer(
    send: Send, status: int, kind: bytes, body: bytes, more: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Send one whole answer; `kind` is its content type."""
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def problem_status(problem: Problem) -> int:
    """400 for input that is wrong in itself; 409 for what is not possible now."""
    return 400 if isinstance(problem, Invalid) else 409


class Deflated:
    """A part of many bodies, compressed once: what follows it begins at a whole byte."""

    __slots__ = ("packed", "text")

    def __init__(self, text: bytes, level: int) -> None:
        self.text = text
        self.packed = _deflate(text, level, zlib.Z_FULL_FLUSH)


def gzip_bytes(body: bytes, level: int, run: Deflated | None = None) -> bytes:
    """The body as gzip, reproducibly. `run`: a part of it that is not compressed again."""
    before, there, after = body.partition(run.text) if run is not None else (body, b"", b"")
    if run is None or not there:
        return gzip.compress(body, level, mtime=0)
    # What follows may refer to all before it (RFC 1951, 2).
    packed = (
        _deflate(before, level, zlib.Z_SYNC_FLUSH),
        run.packed,
        _deflate(after, level, zlib.Z_FINISH, before + there),
    )
    ends = zlib.crc32(body).to_bytes(4, "little") + len(body).to_bytes(4, "little")
    return b"".join((GZIP_HEAD, *packed, ends))


def _deflate(text: bytes, level: int, ends: int, known: bytes = b"") -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=known)
    return packer.compress(text) + packer.flush(ends)


async def send_cached(
    scope: Scope, send: Send, kind: bytes, body: bytes, more: Headers, mark: str = "", packed: bool = True
) -> None:
    """Send a body kept for many clients. `packed`: it is gzip, unpacked for clients that do not accept that. `mark`: of
    its content, for the ETag; a client that has it gets 304."""
    as_gzip = packed and accepts_gzip(scope)
    headers = [*more]
    if mark:
        etag = f'"{mark}{"-gz" if as_gzip else ""}"'.encode()
        headers.append((b"etag", etag))
        if etag in [
            their_etag.strip().removeprefix(b"W/") for their_etag in get_header(scope, b"if-none-match").split(b",")
        ]:
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
    if as_gzip:
        headers.append((b"content-encoding", b"gzip"))
    await send_answer(send, 200, kind, gzip.decompress(body) if packed and not as_gzip else body, headers)


async def send_text_page(send: Send, status: int, language: str, title: str, body: str) -> None:
    """Send a plain page that browsers do not store; `body` is HTML."""
    page = (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<h1>{escape(title)}</h1>{body}</html>"
    )
    await send_answer(send, status, b"text/html; charset=utf-8", page.encode(), [*NO_STORE, *CLOSE])


async def send_json(
    send: Send, status: int, message: Mapping[str, Any] | bytes, more: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Send one answer for a program; bytes are JSON already."""
    await send_answer(
        send, status, b"application/json", message if isinstance(message, bytes) else msgspec.json.encode(message), more
    )


async def send_events(source: AsyncGenerator[bytes, None], receive: Receive, send: Send) -> None:
    """Send server-sent events until the source ends or the client goes."""
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [
                (b"content-type", b"text/event-stream; charset=utf-8"),
                *NO_STORE,
                (b"x-accel-buffering", b"no"),
            ],
        }
    )

    async def pump() -> None:
        async for chunk in source:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})

    tasks = {asyncio.create_task(until_gone(receive)), asyncio.create_task(pump())}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            # A client that has gone raises OSError; anything else is a fault of ours.
            if isinstance(outcome, Exception) and not isinstance(outcome, OSError):
                log.error("a feed failed", exc_info=outcome)
        await source.aclose()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
