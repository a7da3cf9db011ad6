"""What a browser is shown while more pages are asked for than can be made: one short text that comes back by itself."""

from __future__ import annotations

from html import escape

from roundtap_core.words import catalogue
from roundtap_hub.http_answers import NO_STORE, Scope, Send, send_answer, send_json
from roundtap_hub.reader_language import language_of
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
        t = catalogue("roundtap_hub", language_of(scope, self._language))
        title, text = (t("busy.form"), t("busy.form.out")) if form else (t("busy"), t("busy.out"))
        page = PAGE.format(
            language=t.language, style=self._style, title=escape(title), text=escape(text),
            # A form's address cannot be asked for again: the browser goes back to it instead.
            refresh="" if form else f'<meta http-equiv="refresh" content="{after_s}">\n')
        await send_answer(send, 503, b"text/html; charset=utf-8", page.encode(),
                          [*HEADERS, (b"content-language", t.language.encode()), again])
