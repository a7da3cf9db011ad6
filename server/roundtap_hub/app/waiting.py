"""A hub whose journal cannot be opened: one page that says why, at every address, until the journal can be opened."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.words import catalogue
from roundtap_hub.app.server import TwoPortServer, watchdog_loop
from roundtap_hub.http import http_answers
from roundtap_hub.http.connection_limits import Listeners
from roundtap_hub.http.page_threads import BUSY_HEADERS, BUSY_PAGE
from roundtap_hub.http.requester import language_of
from roundtap_hub.http.static_files import PREFIX, StaticFiles
from roundtap_hub.http.tls import Certificates
from roundtap_hub.store.database_url import DATABASE
from roundtap_hub.store.disk_problems import DAMAGED, probe_folder
from roundtap_hub.store.head_file import HEAD_FILE, check_database, read_head_file
from roundtap_machine.disk import FULL, check_room

RETRY_S = 5.0
FOR_PROGRAMS = ("/device/", "/station/", "/standby/", "/time", "/feed")


class WaitingPage:
    """Answers every request with 503 and why the hub waits. `fault`: FULL, READ_ONLY, FAILING or DAMAGED; `language`:
    the hub's own, for browsers that accept none; `of_service`: its folder is the service's: any other one is in the log
    alone. Files of the program itself, such as the style sheet, are served."""

    def __init__(self, fault: str, language: str, of_service: bool) -> None:
        self._fault, self._language, self._of_service = fault, language, of_service
        self._static = StaticFiles()

    async def __call__(self, scope: http_answers.Scope, _: http_answers.Receive, send: http_answers.Send) -> None:
        scope, send = http_answers.normalize_slashes(scope), http_answers.with_security_headers(send)
        again = [(b"retry-after", b"%d" % RETRY_S), *http_answers.CLOSE]
        if scope["path"].startswith(PREFIX):
            await self._static.answer(scope, send)
        elif scope["path"].startswith(FOR_PROGRAMS):
            await http_answers.send_json(
                send, 503, {"error": "the hub is not ready", "storage": self._fault}, [*http_answers.NO_STORE, *again]
            )
        else:
            t = catalogue("roundtap_hub", language_of(scope, self._language))
            page = BUSY_PAGE.format(
                language=t.language,
                style=self._static.url("roundtap.css"),
                title=escape(t(f"waits.{self._fault}")),
                text="</p><p>".join(
                    (
                        escape(
                            t(
                                f"waits.{self._fault}.what",
                                line=t("waits.line" if self._of_service else "waits.line.elsewhere"),
                            )
                        ),
                        escape(t("waits.again")),
                    )
                ),
                refresh=f'<meta http-equiv="refresh" content="{RETRY_S:.0f}">\n',
            )
            await http_answers.send_answer(
                send,
                503,
                b"text/html; charset=utf-8",
                page.encode(),
                [*BUSY_HEADERS, (b"content-language", t.language.encode()), *again],
            )


class MendedCheck:
    """Whether a hub's folder can be opened again. A damaged one is not read anew before somebody put other files there:
    a start reads more of it than this check. `fault`: as for `WaitingPage`."""

    def __init__(self, folder: Path, fault: str) -> None:
        self._folder, self._fault = folder, fault
        self._before = self._files()

    def __call__(self) -> bool:
        if probe_folder(self._folder) is not None or not self._has_room():
            return False
        if self._fault == DAMAGED and self._files() in ([], self._before):
            return False
        try:
            check_database(self._folder / DATABASE, read_head_file(self._folder / HEAD_FILE))
        except (OSError, Problem):
            return False
        return True

    def _has_room(self) -> bool:
        """Whether a full disk has room for a backup, which the start may have to make before it changes the journal."""
        try:
            check_room(self._folder, (self._folder / DATABASE).stat().st_size if self._fault == FULL else 1)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _files(self) -> list[tuple[int, int, int]]:
        try:
            files = [(self._folder / name).stat() for name in (DATABASE, HEAD_FILE)]
        except OSError:
            return []
        return [(each.st_ino, each.st_size, each.st_mtime_ns) for each in files]


def wait_until_mended(
    page: WaitingPage,
    listeners: Listeners,
    certificates: Certificates | None,
    is_mended: Callable[[], bool],
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> bool:
    """Serve the page, with a look every RETRY_S, until `is_mended()`; False: told to stop before."""
    for each in listeners.encrypted if certificates is None else ():
        # Refused at once instead of accepted by nobody.
        each.close()
    server = WaitingServer(page, listeners, certificates, lifespan="off", timeout_graceful_shutdown=1)
    server.is_mended, server.pause = is_mended, pause
    server.run(sockets=listeners.plain)
    return server.mended and not server.told_to_stop


class WaitingServer(TwoPortServer):
    """Serves until `is_mended`."""

    is_mended: Callable[[], bool]
    pause: Callable[[float], Awaitable[None]]
    mended = False

    def tasks(self) -> Sequence[Coroutine[Any, Any, None]]:
        return self._look_again(), watchdog_loop(self.notify, [partial(asyncio.sleep, 0)])

    async def _look_again(self) -> None:
        while not self.mended:
            await self.pause(RETRY_S)
            self.mended = await asyncio.to_thread(self.is_mended)
        self.should_exit = True
