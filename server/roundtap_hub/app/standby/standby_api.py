"""The API for standbys, hubs of the lineage and pages that lost their hub; a replaced hub's page."""

import asyncio
import base64
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from roundtap_core.event.entries import VENUE, Entry
from roundtap_core.event.states import EventState
from roundtap_core.messages import StandbyRequest
from roundtap_core.words import Words, catalogue
from roundtap_hub.access.unit_keys import COPY, RequestRefused, address_of
from roundtap_hub.app.hub import Hub
from roundtap_hub.app.standby.peers import Peers, Takeover
from roundtap_hub.http import http_answers
from roundtap_hub.http.hall_addresses import http_url
from roundtap_hub.http.requester import language_of
from roundtap_hub.http.routes import EVERYBODY, PEER_HUB, STANDBY, route
from roundtap_hub.store.copies import ENTRIES
from roundtap_hub.store.journal import START, Head, Journal, sqlite_url
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.store.standby_copy import StandbyCopy, seal

log = logging.getLogger(__name__)

QUESTION_BYTES_MAX = 8 * 1024
"""A hundred epochs; any client can send it, and it is read before its signature is checked."""
ANYWHERE = (b"access-control-allow-origin", b"*")
STILL_SERVED = ("/static/", "/standby/", "/time")  # what a replaced hub still answers, beside its page
HELLO_BYTES_MAX = 256 * 1024  # more than a thousand events with their last entries
WITHIN_S = 5.0
BEAT_S, LOOK_S = 2.0, 0.2  # how long a request waits for news, and for the copy to have caught up
FILES = ("pin", "secret", "sessions.json")
"""Files besides the journal that make a folder this hub's; with everything below `FOLDERS`."""
FOLDERS = ("tls",)
FILE_BYTES_MAX = 256 * 1024

LISTED_MAX = 200
AGAIN_S = 15
PAGE = """<!doctype html>
<html lang="{{ t.language }}" class="door">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{{ again }}">
<title>Roundtap</title>
<link rel="stylesheet" href="{{ style }}">
</head>
<body><main id="main"><h1>{{ t("taken_over") }}</h1><p>{{ t("taken_over.what") }}</p>
{%- if by.url.startswith("http://") %}
<p><a class="button" href="{{ by.url }}{{ path }}">{{ t("taken_over.go") }}</a> <bdi>{{ by.url }}</bdi></p>
{%- endif %}
{%- if by.heads is not none and not (results or others) %}
<p>{{ t("taken_over.nothing") }}</p>
{%- elif by.heads is not none %}
<h2>{{ t("taken_over.alone") }}</h2><p>{{ t("taken_over.again") }}</p>
{%- if results %}
<ul>
{%- for event, entry, table, who in results %}
<li>{{ t("taken_over.line", event=event, number=entry.number, table=table or "–") }} <bdi>{{ who }}</bdi>
<b>{{ score(entry) }}</b></li>
{%- endfor %}
</ul>
{%- endif %}
{%- if others %}
<p>{{ t("taken_over.others", n=others) }}</p>
{%- endif %}
{%- endif %}
</main></body>
</html>
"""
POLICY = b"default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'self'"
HEADERS = [
    *http_answers.NO_STORE,
    (b"x-content-type-options", b"nosniff"),
    (b"vary", b"Accept-Language, Cookie"),
    (b"content-security-policy", POLICY),
]
RESULTS = ("report", "result-entered")

TAKEN_OVER_TEXT = "another hub goes on with this journal"


class StandbyApi:
    """Runs on the event loop. A hub without its own folder (on a database, in a test) has no kin: 404. A standby
    asks again and again: it gets everything it lacks, then each commit as it happens. The journal is read in
    threads."""

    def __init__(self, hub: Hub, page: "TakenOverPage") -> None:
        self._hub = hub
        self._kin = hub.kin
        self._page = page
        self.ask_back: Callable[[str, int], None] = lambda host, port: None
        """Called with an address that seems to be of this lineage."""
        if self._kin is not None:
            hub.units.keys.listeners.append(self._kin.standbys.disconnect)

    @property
    def taken_over(self) -> bool:
        """Whether another hub continues this journal: nothing is accepted here any more."""
        return self._kin is not None and self._kin.taken_over is not None

    @route("POST /standby/feed", STANDBY)
    async def feed(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        """A standby's request {"payload": {"unit", "nonce", "challenge", "hello"}, "mac"}; sealed in the answer what it
        lacks, and the challenge of its next request, by which it says that this is on its disk."""
        try:
            if self._kin is None:
                raise RequestRefused(404, "no such address")
            if self.taken_over:
                raise RequestRefused(409, TAKEN_OVER_TEXT)
            # The key is checked before the body is read.
            self._hub.units.auth.key_for(
                COPY, http_answers.get_header(scope, b"roundtap-unit").decode("latin-1"), address_of(scope)
            )
            message = await http_answers.read_message(scope, receive, send, HELLO_BYTES_MAX, WITHIN_S)
            if message is None:
                return
            key, asking = self._hub.units.auth.verify_request(COPY, message, address_of(scope), StandbyRequest)
            answer = seal(key, asking.nonce, await self._answer(self._kin, asking, key, scope))
        except RequestRefused as refusal:
            await http_answers.send_json(send, refusal.status, refusal.body, http_answers.CLOSE)
        else:
            await http_answers.send_json(send, 200, answer)

    async def _answer(
        self, kin: Peers, asking: StandbyRequest, key: bytes, scope: http_answers.Scope
    ) -> Mapping[str, Any]:
        """Raises RequestRefused."""
        copy, hello = kin.standbys.acknowledged(asking.unit, asking.challenge), asking.hello
        if copy is None:
            if hello is None:
                log.error("standby %s says no hello; one that is older than this hub has to be upgraded", asking.unit)
                raise RequestRefused(409, "no hello was said; a standby that is older than the hub has to be upgraded")
            if not self._hub.units.challenges.take(asking.challenge):
                raise RequestRefused(403, "the challenge is old or was used")
            heads = {stream: Head(*head) for stream, head in hello.heads.items()}
            unknown = await asyncio.to_thread(kin.standbys.journal.first_unknown_stream, heads)
            if unknown is not None:
                ours = hello.epochs[:1] == list(self._hub.service.snapshot.venue.epochs[:1])
                return {"refused": "ahead" if ours else "foreign"}
            address = http_url((scope.get("client") or ("", 0))[0], hello.port) if 0 < hello.port < 65536 else None
            copy = StandbyCopy(asking.unit, heads, address)
            kin.standbys.join(copy)
            if self._hub.units.keys.get(copy.name) != key:
                # Revoked since its hello was read.
                kin.standbys.disconnect({copy.name})
        return {"messages": await asyncio.to_thread(self._news_for, kin, copy), "challenge": copy.challenge}

    def _news_for(self, kin: Peers, copy: StandbyCopy) -> list[dict[str, Any]]:
        """What it is told: as soon as there is anything, and nothing at the next beat. In a thread, which waits. Raises
        RequestRefused."""
        while not copy.ended:
            left_s = copy.due_s - time.monotonic()
            batch = copy.take(left_s if copy.was_level else min(left_s, LOOK_S))
            news = [batch] if batch is not None else []
            level = not copy.was_level and kin.standbys.is_level(copy)
            # Also before "level": rows sent before an entry may be older than those stored with it.
            if level or time.monotonic() >= copy.due_s:
                now = self._beside(kin)
                if changed := {kind: now[kind] for kind in now if now[kind] != copy.told.get(kind)}:
                    news.append({"type": "beside", **changed})
                copy.told, copy.due_s = now, time.monotonic() + BEAT_S
                if level:
                    copy.was_level = True
                    kin.note_standbys()
                    news.append({"type": "level"})
                return news
            if batch is not None:
                if any(row[0] == VENUE for row in batch[ENTRIES]):
                    # An entry about keys or staff is soon followed by its row, which is read once its commit is done.
                    copy.due_s = min(copy.due_s, time.monotonic() + LOOK_S)
                return news
        raise RequestRefused(409, "this hub answers a later hello, or none any more")

    def _beside(self, kin: Peers) -> dict[str, Any]:
        """What a standby has to know besides the entries: the files, and the rows of small tables."""
        snapshot, clocks = self._hub.service.snapshot, kin.standbys.journal.checkpoints()
        return {
            "files": own_files(kin.folder),
            "unit_key": [{"unit": unit, "key": key} for unit, key in snapshot.keys.items()],
            "staff": [row.model_dump() for row in snapshot.staff.values()],
            "checkpoint": [clocks[event].model_dump() for event in sorted(clocks)],
        }

    @route("POST /standby/who", PEER_HUB)
    async def who(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        """Answer another hub's query, and query it back: its own query may be a replay."""
        query = await http_answers.read_message(scope, receive, send, QUESTION_BYTES_MAX, WITHIN_S)
        if query is None:
            return
        answered = self._kin.identity_response(query) if self._kin is not None else None
        if answered is None:
            await http_answers.send_json(send, 403, {"error": "the signature does not fit"}, http_answers.CLOSE)
            return
        answer, port = answered
        client = scope.get("client")
        if port is not None and client:
            self.ask_back(client[0], port)
        await http_answers.send_json(send, 200, answer, http_answers.NO_STORE)

    @route("GET /standby/lineage", EVERYBODY)
    async def lineage(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        """For a page that lost its hub: whether its event continues here, proved to its mark. From any origin."""
        if self._kin is None:
            await http_answers.send_json(send, 404, {"error": "no such address"}, http_answers.CLOSE)
            return
        (mark,) = parse_qs(scope["query_string"].decode("latin-1")).get("mark", [""])[:1]
        answer = {"lineage": self._kin.lineage, **self._kin.page_proof(mark[:64]), "hub": not self.taken_over}
        await http_answers.send_json(send, 200, answer, [*http_answers.NO_STORE, ANYWHERE])

    async def refuse(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        """Answer every other request once the hub was replaced."""
        assert self._kin is not None
        assert self._kin.taken_over is not None
        if scope["path"].startswith(("/device/", "/station/")):
            await http_answers.send_json(
                send, 503, {"error": TAKEN_OVER_TEXT, "hub": self._kin.taken_over.url}, http_answers.CLOSE
            )
        else:
            await self._page.answer(scope, send, self._kin.taken_over)


def own_files(folder: Path) -> dict[str, str]:
    """The hub's own small files by relative path, in base 64."""
    paths = [folder / name for name in FILES]
    paths += [path for name in FOLDERS for path in sorted((folder / name).rglob("*")) if path.suffix != ".new"]
    return {
        path.relative_to(folder).as_posix(): base64.b64encode(path.read_bytes()).decode()
        for path in paths
        if path.is_file() and path.stat().st_size <= FILE_BYTES_MAX
    }


class TakenOverPage:
    """The page of a replaced hub. `style`: the style sheet's address; `language`: the hub's default."""

    def __init__(self, hub: Hub, style: str) -> None:
        self._hub = hub
        self._style = style
        self._found: tuple[Takeover, list[tuple[str, Entry, int | None, str]], int] | None = None
        """By whom it was replaced, results that only this hub has, LISTED_MAX at most, and how many other entries."""

    async def answer(self, scope: http_answers.Scope, send: http_answers.Send, by: Takeover) -> None:
        """503, in the reader's language."""
        t = catalogue("roundtap_hub", language_of(scope, self._hub.language))
        path = scope["path"] if scope["path"].startswith(("/e/", "/wall", "/rules/")) else "/"
        page = await asyncio.to_thread(self._page, t, by, path)
        headers = [*HEADERS, (b"content-language", t.language.encode())]
        await http_answers.send_answer(send, 503, b"text/html; charset=utf-8", page.encode(), headers)

    def _page(self, t: Words, by: Takeover, path: str) -> str:
        if self._found is None or self._found[0] != by:
            alone = self._find_unshared(by)
            results = [each for each in alone if each.kind in RESULTS]
            rows = [_result_row(self._hub.service.snapshot, each) for each in results[:LISTED_MAX]]
            self._found = by, rows, len(alone) - len(results)
        _, rows, others = self._found
        page: str = _template().render(
            t=t,
            by=by,
            path=path,
            style=self._style,
            again=AGAIN_S,
            results=rows,
            others=others,
            score=_score_text,
        )
        return page

    def _find_unshared(self, by: Takeover) -> list[Entry]:
        kin = self._hub.kin
        if kin is None or by.heads is None:
            return []
        with closing(Journal(sqlite_url(kin.folder), read_only=True)) as journal:
            return list(_since(journal, by.heads))


@cache
def _template() -> Any:
    # Imported here, in a thread: a hub that nobody replaces does not need it.
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(PAGE)


def _since(journal: Journal, heads: Mapping[str, Sequence[Any]]) -> Iterator[Entry]:
    for stream in journal.heads():
        after = Head(*heads.get(stream, START))
        if stream != VENUE:
            # Where the other hub has what this one lacks, all may differ.
            yield from journal.entries(stream, after if journal.holds(stream, after) else START)


def _result_row(snapshot: Snapshot, entry: Entry) -> tuple[str, Entry, int | None, str]:
    """(the event's name, the entry, its table, the players)"""
    state = snapshot.event(entry.stream) or EventState(entry.stream)
    round_and_match = state.find_match(str(entry.data.get("match")))
    if round_and_match is None:
        return state.name, entry, None, ""
    match, names = round_and_match[1].match, snapshot.names_of(entry.stream)
    who = " – ".join(names.get(each, each) for each in (match.a, match.b) if each)
    return state.name, entry, match.table, who


def _score_text(entry: Entry) -> str:
    result = entry.data.get("result")
    if not isinstance(result, Mapping):
        return ""
    score = result.get("score")
    winner = {"a": "●", "b": "■"}.get(str(result.get("winner")), "")
    if isinstance(score, Mapping) and (any(score.values()) or not winner):
        return f"{score.get('a')}:{score.get('b')}"
    return winner
