"""Pages of the hub as standing HTML, off a test client: without scripts, with their styles inside."""

import re
from dataclasses import dataclass

from flask.testing import FlaskClient

from roundtap_hub.http.static_files import StaticFiles

STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
SCRIPT = re.compile(r"<script[^>]*></script>")
TOKEN = re.compile(r'name="csrf" value="([^"]+)"')


@dataclass(frozen=True, slots=True)
class StillPage:
    """One page to be looked at, and the size of the window it is made for."""

    name: str
    html: str
    width: int
    height: int


class Camera:
    """Takes pages off a test client."""

    def __init__(self, client: FlaskClient, language: str, pin: str) -> None:
        self._client = client
        self._pin = pin
        self._static = StaticFiles()
        self.language = language
        self._headers = {"Accept-Language": language}

    def log_in(self) -> None:
        page = self._client.get("/login", headers=self._headers).text
        found = TOKEN.search(page)
        assert found
        fields = {"csrf": found[1], "pin": self._pin, "next": "/console"}
        self._client.post("/login", data=fields, headers=self._headers)

    def take(self, name: str, path: str, size: tuple[int, int]) -> StillPage:
        answer = self._client.get(path, headers=self._headers, follow_redirects=True)
        assert answer.status_code in (200, 404), (path, answer.status_code)
        return self._still(name, answer.text, size)

    def send(self, name: str, page: str, path: str, size: tuple[int, int], fields: dict[str, object]) -> StillPage:
        """What comes back when the form of `page` is sent to `path`; a file is a pair of its bytes and its name."""
        found = TOKEN.search(self._client.get(page, headers=self._headers).text)
        assert found, page
        answer = self._client.post(
            path,
            data={"csrf": found[1], **fields},
            headers=self._headers,
            content_type="multipart/form-data",
            follow_redirects=True,
        )
        assert answer.status_code == 200, (path, answer.status_code)
        return self._still(name, answer.text, size)

    def _still(self, name: str, text: str, size: tuple[int, int]) -> StillPage:
        return StillPage(name, SCRIPT.sub("", STYLE.sub(self._inline, text)), *size)

    def _inline(self, link: re.Match[str]) -> str:
        file = self._static.find(link[1])
        return f"<style>{file.body.decode() if file else self._client.get(link[1]).text}</style>"
