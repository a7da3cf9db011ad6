"""An organizer's session on a running hub's console, as a browser without scripts has it."""

import http.client
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

from patience import GUARD_S

TOKEN = re.compile(r'name="csrf" value="([^"]+)"')
TROUBLE = re.compile(r'<p class="problem"[^>]*>.*?<span>(.*?)</span>', re.DOTALL)


class HubRefused(Exception):
    """What the hub said to a request, or why it did not answer."""


class ConsoleClient:
    """One organizer's session. Every method raises HubRefused where the hub is away too."""

    def __init__(self, url: str, pin: str) -> None:
        self._url = url.rstrip("/")
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar())).open
        self._token = self._token_of(self.page("/login"))
        self._token = self._token_of(self.post("/login", pin=pin, next="/console"))

    def post(self, path: str, **fields: object) -> str:
        """Send a form; returns the resulting page, after a redirect."""
        return self.page(path, urllib.parse.urlencode({"csrf": self._token, **fields}).encode())

    def export(self, event: str) -> dict[str, Any]:
        return dict(json.loads(self.page(f"/console/{event}/export.json")))

    def page(self, path: str, data: bytes | None = None) -> str:
        request = urllib.request.Request(self._url + path, data, {"Accept-Language": "en"})
        try:
            with self._open(request, timeout=GUARD_S) as answer:
                self.address = str(answer.geturl())
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            text = TROUBLE.search(error.read().decode(errors="replace"))
            raise HubRefused(f"{path}: {text[1].strip() if text else error}") from error
        except (OSError, http.client.HTTPException) as error:
            raise HubRefused(f"{self._url}: {error}") from error

    @staticmethod
    def _token_of(page: str) -> str:
        found = TOKEN.search(page)
        if found is None:
            raise HubRefused("/login: no login form")
        return found[1]
