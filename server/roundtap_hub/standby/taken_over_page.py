"""The one page of a hub whose journal goes on elsewhere: where, and what it alone had accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from roundtap_core.event.entries import VENUE, Entry
from roundtap_core.event.state import EventState
from roundtap_core.words import Words, catalogue
from roundtap_hub.http_answers import NO_STORE, Scope, Send, send_answer
from roundtap_hub.hub import Hub
from roundtap_hub.journal.database_url import sqlite_url
from roundtap_hub.journal.journal import START, Head, Journal
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.reader_language import language_of
from roundtap_hub.standby.kin import TakenOver

LISTED_MAX = 200
AGAIN_S = 15
PAGE = """<!doctype html>
<html lang="{language}" class="door">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{again}">
<title>Roundtap</title>
<link rel="stylesheet" href="{style}">
</head>
<body><main id="main"><h1>{title}</h1><p>{text}</p>{where}{listed}</main></body>
</html>
"""
POLICY = b"default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'self'"
HEADERS = [*NO_STORE, (b"x-content-type-options", b"nosniff"), (b"vary", b"Accept-Language, Cookie"),
           (b"content-security-policy", POLICY)]
RESULTS = ("report", "result-entered")


@dataclass(frozen=True, slots=True)
class Alone:
    """What only this hub has on record: results as (event's name, entry, table, who plays), and how much else."""

    results: tuple[tuple[str, Entry, int | None, str], ...]
    others: int


class TakenOverPage:
    """Answers every page. `style`: the style sheet's address; `language`: the hub's, for browsers that ask for none."""

    def __init__(self, hub: Hub, style: str) -> None:
        self._hub = hub
        self._style = style
        self._found: tuple[TakenOver, Alone] | None = None

    async def answer(self, scope: Scope, send: Send, by: TakenOver) -> None:
        """503, in the reader's language."""
        t = catalogue("roundtap_hub", language_of(scope, self._hub.language))
        if self._found is None or self._found[0] != by:
            self._found = by, await asyncio.to_thread(self._alone, by)
        path = scope["path"] if scope["path"].startswith(("/e/", "/wall", "/rules/")) else "/"
        page = PAGE.format(
            language=t.language, style=self._style, again=AGAIN_S, title=escape(t("taken_over")),
            text=escape(t("taken_over.what")), where=_where(t, by.url, path), listed=_listed(t, by, self._found[1]))
        await send_answer(send, 503, b"text/html; charset=utf-8", page.encode(),
                          [*HEADERS, (b"content-language", t.language.encode())])

    def _alone(self, by: TakenOver) -> Alone:
        kin, snapshot = self._hub.host.kin, self._hub.service.snapshot
        if kin is None or by.heads is None:
            return Alone((), 0)
        journal = Journal(sqlite_url(kin.folder), read_only=True)
        try:
            found = list(_since(journal, by.heads))
        finally:
            journal.close()
        results = [each for each in found if each.kind in RESULTS]
        return Alone(tuple(_told(snapshot, each) for each in results[:LISTED_MAX]), len(found) - len(results))


def _since(journal: Journal, heads: Mapping[str, object]) -> Iterator[Entry]:
    for stream in journal.heads():
        taken = heads.get(stream)
        after = Head(taken[0], taken[1]) if isinstance(taken, list) and len(taken) == 2 else START
        if stream != VENUE and journal.holds(stream, after):
            yield from journal.entries(stream, after)


def _told(snapshot: Snapshot, entry: Entry) -> tuple[str, Entry, int | None, str]:
    state = snapshot.event(entry.stream) or EventState(entry.stream)
    found = state.find_match(str(entry.data.get("match")))
    if found is None:
        return state.name, entry, None, ""
    match, names = found[1].match, snapshot.names_of(entry.stream)
    who = " – ".join(names.get(each, each) for each in (match.a, match.b) if each)
    return state.name, entry, match.table, who


def _where(t: Words, url: str, path: str) -> str:
    if not url.startswith("http://"):
        return ""
    return (f'<p><a class="button" href="{escape(url + path)}">{escape(t("taken_over.go"))}</a> '
            f'<bdi>{escape(url)}</bdi></p>')


def _listed(t: Words, by: TakenOver, alone: Alone) -> str:
    if by.heads is None:
        return ""
    if not alone.results and not alone.others:
        return f"<p>{escape(t('taken_over.nothing'))}</p>"
    lines = [f"<li>{escape(t('taken_over.line', event=event, number=entry.number, table=table or '–'))}"
             f" <bdi>{escape(who)}</bdi> <b>{escape(_said(entry))}</b></li>"
             for event, entry, table, who in alone.results]
    others = f"<p>{escape(t('taken_over.others', n=alone.others))}</p>" if alone.others else ""
    listed = f"<ul>{''.join(lines)}</ul>" if lines else ""
    return f"<h2>{escape(t('taken_over.alone'))}</h2><p>{escape(t('taken_over.again'))}</p>{listed}{others}"


def _said(entry: Entry) -> str:
    """The result's own figures, as short as they can be told without a form."""
    result = entry.data.get("result")
    if not isinstance(result, Mapping):
        return ""
    score = result.get("score")
    if isinstance(score, Mapping):
        return f"{score.get('a')}:{score.get('b')}"
    return {"a": "●", "b": "■"}.get(str(result.get("winner")), "")
