"""Static files, named by their content's hash: a browser keeps each for ever, and requests a changed one anew."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from roundtap_hub.http.http_answers import COMMENTS, SAFE_METHODS, Scope, Send, gzip_bytes, send_answer, send_cached
from roundtap_hub.http.routes import EVERYBODY, route

FOLDER = Path(__file__).parents[1] / "static"
PREFIX = "/static/"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
HASHED_NAME = re.compile(r"(?P<stem>[\w-]+)\.(?P<mark>[0-9a-f]{12})(?P<suffix>\.\w+)")

BUNDLES = {
    "phone.css": ("roundtap.css", "me.css"),
    "phone.js": ("clock.js", "live.js", "search.js", "sounds.js", "alerts.js", "me.js", "keep_page.js"),
}
"""Files that a player's pages load as one, in this order, since each request of a phone is waited for."""

IMMUTABLE = b"public, max-age=31536000, immutable"
REVALIDATE = b"no-cache"


@dataclass(frozen=True)
class StaticFile:
    """One file as it was when the hub started. `mark`: 12 hex digits of its content's hash."""

    name: str
    kind: str
    body: bytes

    @cached_property
    def mark(self) -> str:
        return hashlib.sha256(self.body).hexdigest()[:12]

    @cached_property
    def gzipped(self) -> bytes:
        """Compressed at the first request."""
        return gzip_bytes(self.body, 9)

    @property
    def url(self) -> str:
        stem, _, suffix = self.name.rpartition(".")
        return f"{PREFIX}{stem}.{self.mark}.{suffix}"


def served(path: Path) -> bytes:
    """What a browser is sent of a file."""
    return COMMENTS.sub(b"", path.read_bytes()) if path.suffix in {".css", ".js"} else path.read_bytes()


class StaticFiles:
    """All files of one folder and the bundles of them, read once."""

    def __init__(self, folder: Path = FOLDER, bundles: Mapping[str, Sequence[str]] = BUNDLES) -> None:
        self._files = {
            path.name: StaticFile(path.name, KINDS[path.suffix], served(path))
            for path in sorted(folder.iterdir())
            if path.suffix in KINDS
        }
        self._files |= {
            name: StaticFile(name, KINDS[Path(name).suffix], b"".join(self._files[part].body for part in parts))
            for name, parts in bundles.items()
        }

    def url(self, name: str) -> str:
        """The current address of a file, "static_url" in templates; KeyError for an unknown one."""
        return self._files[name].url

    def data_url(self, name: str) -> str:
        """A small picture itself as an address, "data_url" in templates: without a request."""
        file = self._files[name]
        return f"data:{file.kind},{quote(file.body)}"

    def find(self, path: str) -> StaticFile | None:
        """The file at an address: by its plain name, or with any mark, current or former."""
        name = path.removeprefix(PREFIX)
        marked = HASHED_NAME.fullmatch(name)
        return self._files.get(marked["stem"] + marked["suffix"] if marked else name)

    @route("GET /static/<name>", EVERYBODY)
    async def answer(self, scope: Scope, send: Send) -> None:
        """Send a file. Under any but its current name, the browser has to revalidate each time."""
        if scope["method"] not in SAFE_METHODS:
            await send_answer(send, 405, b"text/plain", b"", [(b"allow", b"GET, HEAD")])
            return
        file = self.find(scope["path"])
        if file is None:
            await send_answer(send, 404, b"text/plain", b"there is no such file\n")
            return
        headers = [
            (b"cache-control", IMMUTABLE if scope["path"] == file.url else REVALIDATE),
            (b"vary", b"Accept-Encoding"),
        ]
        packed = not file.kind.startswith(("image/png", "font/"))
        await send_cached(
            scope, send, file.kind.encode(), file.gzipped if packed else file.body, headers, file.mark, packed
        )
