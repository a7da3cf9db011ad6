"""The console as a program uses it: the same pages and forms as a person's browser, with the organizer's PIN."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem

TIMEOUT_S = 20
TOKEN = re.compile(r'name="csrf" value="([^"]+)"')
TROUBLE = re.compile(r'<p class="problem"[^>]*>.*?<span>(.*?)</span>', re.DOTALL)


class ConsoleClient:
    """One organizer's session. Every method raises Problem("hub_refused") with the hub's own words.

    `authority`: the certificate of the hub's own, which is trusted and no other; needed for https://.
    """

    def __init__(self, url: str, pin: str, authority: Path | None = None) -> None:
        self._url = url.rstrip("/")
        try:
            context = ssl.create_default_context(cafile=authority)
        except OSError as error:
            raise Problem("hub_not_there", where=str(authority), reason=str(error)) from error
        self._open = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(CookieJar()), urllib.request.HTTPSHandler(context=context)).open
        self._token = self._token_of(self._page("/login"))
        self._token = self._token_of(self.post("/login", pin=pin, next="/console"))

    def post(self, path: str, **fields: object) -> str:
        """Send a form; the page that answers, after its redirect."""
        data = urllib.parse.urlencode({"csrf": self._token, **fields}).encode()
        return self._page(path, data)

    def upload(self, path: str, content: bytes) -> str:
        """Send a file as a browser's form does."""
        mark = "roundtap-form-boundary"
        head = (f'--{mark}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{self._token}\r\n'
                f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="event.json"\r\n'
                "Content-Type: application/json\r\n\r\n")
        body = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
        return self._page(path, body, f"multipart/form-data; boundary={mark}")

    def export(self, event: str) -> dict[str, Any]:
        """The event file as the hub has it now."""
        answer: dict[str, Any] = json.loads(self._page(f"/console/{event}/export.json"))
        return answer

    def _page(self, path: str, data: bytes | None = None, kind: str = "application/x-www-form-urlencoded") -> str:
        request = urllib.request.Request(self._url + path, data, {"Content-Type": kind, "Accept-Language": "en"})
        try:
            with self._open(request, timeout=TIMEOUT_S) as answer:
                self.address = str(answer.geturl())
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            said = TROUBLE.search(error.read().decode(errors="replace"))
            raise Problem("hub_refused", where=path, answer=said[1].strip() if said else str(error)) from error
        except (OSError, http.client.HTTPException) as error:
            raise Problem("hub_not_there", where=self._url, reason=str(error)) from error

    @staticmethod
    def _token_of(page: str) -> str:
        found = TOKEN.search(page)
        if found is None:
            raise Problem("hub_not_there", where="/login", reason="no login form")
        return found[1]
