"""The organizer's browser, reduced to what costs the hub something: a kept connection with a session's cookie."""

import http.client
import re
import urllib.parse

from rig.hub_process import PIN, HubProcess

LEAST = "GET /time"

TOKEN = re.compile(r'name="csrf" value="([^"]+)"')


class Browser:
    """One kept connection that takes gzip, and remembers its cookie."""

    def __init__(self, hub: HubProcess) -> None:
        self._link = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=60)
        self._cookies: dict[str, str] = {}

    def get(self, path: str, encoding: str = "gzip") -> tuple[bytes, http.client.HTTPResponse]:
        """The body as it came over the wire, and the response."""
        return self._ask("GET", path, None, {"Accept-Encoding": encoding})

    def log_in(self, pin: str = PIN) -> None:
        page, _ = self.get("/login", "identity")
        found = TOKEN.search(page.decode())
        assert found, "no login form"
        form = urllib.parse.urlencode({"csrf": found[1], "pin": pin, "next": "/console"})
        _, answer = self._ask("POST", "/login", form.encode(), {"Content-Type": "application/x-www-form-urlencoded"})
        assert answer.status == 303, answer.status

    def post(self, path: str, **fields: str) -> str:
        """The answer to a form of a console page, sent with the token of the console's first page."""
        found = TOKEN.search(self.get("/console", "identity")[0].decode())
        assert found, "no token"
        form = urllib.parse.urlencode({"csrf": found[1], **fields})
        as_form = {"Content-Type": "application/x-www-form-urlencoded", "Accept-Encoding": "identity"}
        return self._ask("POST", path, form.encode(), as_form)[0].decode()

    def post_json(self, path: str, body: bytes) -> bytes:
        return self._ask("POST", path, body, {"Content-Type": "application/json"})[0]

    def close(self) -> None:
        self._link.close()

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[bytes, http.client.HTTPResponse]:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        told = {"Accept-Language": "en", **headers, "Cookie": cookies}
        for last in (False, True):
            try:
                self._link.request(method, path, body, told)
                answer = self._link.getresponse()
                break
            except (OSError, http.client.HTTPException):
                # A kept connection may have been closed meanwhile.
                self._link.close()
                if last:
                    raise
        content = answer.read()
        for said in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = said.split(";")[0].partition("=")
            self._cookies[name] = value
        return content, answer


def least_cpu_ms(hub: HubProcess, times: int = 256) -> float:
    """The hub's processor for the least that can be asked of it."""
    hub.wait_until_idle()
    browser = Browser(hub)
    try:
        return hub.cpu_ms([lambda: browser.get("/time")] * times)
    finally:
        browser.close()
