"""What a browser is shown while more pages are asked for than can be made: one short text that comes back by itself."""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qs

from roundtap_core.words import LANGUAGES, catalogue, choose_language
from roundtap_hub.cookies import LANGUAGE as LANGUAGE_COOKIE
from roundtap_hub.cookies import cookies_in
from roundtap_hub.http_answers import NO_STORE, Scope, Send, header, send_answer, send_json
from roundtap_hub.static_files import StaticFiles

SOONEST_S, SPREAD_S = 3, 5
"""Who was sent away comes back after 3 to 7 s: not all at the same moment, or they would meet here again."""

PAGE = """<!doctype html>
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
HEADERS = [*NO_STORE, (b"vary", b"Accept-Language, Cookie")]


class BusyPage:
    """Answers 503 without a page thread. `language`: the hub's own, for browsers that ask for none."""

    def __init__(self, static: StaticFiles, language: str) -> None:
        self._style = static.url("roundtap.css")
        self._language = language
        self._sent = 0

    async def answer(self, scope: Scope, send: Send, form: bool) -> None:
        """Say that the page comes by itself; of a `form`, that nothing of it was done."""
        self._sent += 1
        after_s = SOONEST_S + self._sent % SPREAD_S
        again = (b"retry-after", b"%d" % after_s)
        if scope["path"].startswith("/station/"):
            await send_json(send, 503, {"error": "busy, try again"}, [again])
            return
        t = catalogue("roundtap_hub", self._chosen(scope))
        title, text = (t("busy.form"), t("busy.form.out")) if form else (t("busy"), t("busy.out"))
        page = PAGE.format(
            language=t.language, style=self._style, title=escape(title), text=escape(text),
            # A form's address cannot be asked for again: the browser goes back to it instead.
            refresh="" if form else f'<meta http-equiv="refresh" content="{after_s}">\n')
        await send_answer(send, 503, b"text/html; charset=utf-8", page.encode(),
                          [*HEADERS, (b"content-language", t.language.encode()), again])

    def _chosen(self, scope: Scope) -> str:
        """What the address asks for, else what was chosen before, else what the browser asks for."""
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("lang", [""])[0]
        chosen = cookies_in(header(scope, b"cookie").decode("latin-1")).get(LANGUAGE_COOKIE, "")
        for language in (asked, chosen):
            if language in LANGUAGES:
                return str(language)
        wanted = header(scope, b"accept-language").decode("latin-1")
        return choose_language(wanted) if wanted else self._language
