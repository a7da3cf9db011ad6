"""The hub's server: one application on its plain port and over TLS, with a watchdog; the front of a page server; and,
for a hub whose journal cannot be opened, one page that says why, at every address, until the journal can be opened.
"""

import asyncio
import logging
import signal
import socket
import ssl
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from types import FrameType
from typing import Any, cast

import uvicorn

from roundtap_core.errors import Problem
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.hub import Hub
from roundtap_hub.app.memory import freeze_gc
from roundtap_hub.app.standby.peers import BeaconThread
from roundtap_hub.http import http_answers
from roundtap_hub.http.connection_limits import ConnectionLimits, Listeners
from roundtap_hub.http.page_threads import BUSY_HEADERS, BUSY_PAGE
from roundtap_hub.http.requester import client_key, language_of
from roundtap_hub.http.static_files import PREFIX, StaticFiles
from roundtap_hub.http.tls import Certificates
from roundtap_hub.http.uvicorn_private import LeanTls, ServerBeside, with_timeouts
from roundtap_hub.store.head_file import HEAD_FILE, check_database, read_head_file
from roundtap_hub.store.journal import DATABASE
from roundtap_hub.store.secure_files import DAMAGED, probe_folder
from roundtap_hub.store.service import HubStopped
from roundtap_machine.disk import FULL, check_room
from roundtap_machine.notify import SystemdNotifier

log = logging.getLogger(__name__)

KEEP_ALIVE_S = 35  # longer than three intervals of a unit's status: a report always finds its connection open
SWITCH_S = 0.0005
EXIT_DUPLICATE = 3
"""The exit code of a hub that found another one with a copy of its journal: systemd does not restart it."""
PAGES_WITHIN_S = 600.0  # an emulated Pi had them after 32 s, and the service's watchdog waits 30
REOPEN = -1  # no exit code: the journal has to be opened again by a new process

SILENT_S, IDLE_S = 5.0, 10.0
"""How long a connection may take for its first byte, and after its handshake for its first request: browsers send the
former at once, and open a few connections ahead of need."""
HANDSHAKE_TIMEOUT_S = 10
RENEW_EVERY_S = 30.0
HANDSHAKES_MAX, HANDSHAKES_SHARE = 128, 4
"""Handshakes under way in all, and the share of an address's connections that may be: each takes 50 kB until it ends,
and more of the processor than a page."""

Application = Callable[[http_answers.Scope, http_answers.Receive, http_answers.Send], Awaitable[None]]
Probe = Callable[[], Awaitable[object]]  # one service of the hub: returns, or raises, once it was answered

DEVICE_PATHS = ("/device", "/station")
ORGANIZER_PATHS = ("/console", "/login", "/logout", "/join")  # addresses that only the hub which runs the event answers


@dataclass(slots=True)
class ServerPlan:
    """How a hub is served: its encrypted listeners with `certificates`; `alone`: without a look for another hub of its
    journal; `front_of`: what answers instead of the application."""

    listeners: Listeners
    certificates: Certificates | None = None
    alone: bool = False
    front_of: Callable[[HubApplication], Application] | None = None


class TwoPortServer(uvicorn.Server):
    """One application on the plain port and, with certificates, over TLS; tells systemd when it answers."""

    def __init__(self, front: Any, listeners: Listeners, certificates: Certificates | None, **config: Any) -> None:
        super().__init__(
            uvicorn.Config(
                front,
                loop="asyncio",
                http=with_timeouts(listeners.limits),
                ws="none",
                log_config=None,  # the process's own log, whose messages are bounded
                server_header=False,
                proxy_headers=False,
                **config,
            )
        )
        self.notify = SystemdNotifier()
        self.told_to_stop = keep_stop_signals()
        self._listeners = listeners
        self._secure = SecureServer(self.config, certificates, listeners.limits) if certificates is not None else None
        self._secured: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.told_to_stop:
            self.should_exit = True
            return
        self.notify.send("READY=1")
        # Referenced here, as the loop holds its tasks weakly.
        self._beside = [asyncio.ensure_future(each) for each in self.tasks()]
        if self._secure is not None:
            self._secured = asyncio.create_task(self._secure.serve(self._listeners.encrypted))

    def tasks(self) -> Sequence[Coroutine[Any, Any, None]]:
        """What runs beside it from now on."""
        raise NotImplementedError

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._secure is not None:
            self._secure.should_exit = True
        await super().shutdown(sockets)
        if self._secured is not None:
            await asyncio.wait([self._secured])


class HubServer(TwoPortServer):
    """A hub's server: reports are answered once it listens; pages come a moment later."""

    def __init__(self, hub: Hub, plan: ServerPlan) -> None:
        self._application = application = HubApplication(hub, plan.listeners.limits.per_address)
        self._beacon = BeaconThread(hub.kin) if hub.kin is not None and not plan.alone else None
        self._exit_code = 0
        super().__init__(
            application if plan.front_of is None else plan.front_of(application),
            plan.listeners,
            plan.certificates,
            lifespan="on",
            log_level="warning",
            access_log=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=5,
        )
        if hub.kin is not None and self._beacon is not None:
            hub.kin.on_twin.append(self._end_as_second)
            hub.kin.on_taken_over.append(application.close_feeds_soon)
            application.standby_api.ask_back = self._beacon.queue_query
        hub.service.when_must_reopen(partial(self._end, REOPEN))

    def run_until_stopped(self) -> int:
        """The exit code: 0, 1 if the pages cannot be made, or EXIT_DUPLICATE; or REOPEN."""
        # The loop and the writer briefly need the GIL many times a report; a page's thread releases it after this long.
        sys.setswitchinterval(SWITCH_S)
        self.run(sockets=self._listeners.plain)
        if self._beacon is not None:
            self._beacon.stop()
        return 0 if self._exit_code == REOPEN and self.told_to_stop else self._exit_code

    def tasks(self) -> Sequence[Coroutine[Any, Any, None]]:
        if self._beacon is not None:
            self._beacon.start()
        return self._make_pages(), watchdog_loop(self.notify, self._application.probes)

    async def _make_pages(self) -> None:
        # No page answers before, and a slow machine needs longer than the watchdog waits: it would be killed for ever.
        self.notify.watch_within(PAGES_WITHIN_S)
        try:
            await self._application.pages.built()
            freeze_gc()
            self.notify.watch_within()
        except Exception:
            log.exception("the pages cannot be made")
            self._exit_code, self.should_exit = self._exit_code or 1, True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Open feeds would keep the server waiting. The loop ends them: a signal may interrupt anything.
        self._application.close_feeds_soon()
        super().handle_exit(sig, frame)

    def _end_as_second(self, url: str) -> None:
        print(
            f"roundtap hub: another hub with a copy of this very journal serves at {url}, and was there first; "
            "this one stops. Stop the other one, or start this one with --alone if it is to go on without it.",
            file=sys.stderr,
            flush=True,
        )
        self._end(EXIT_DUPLICATE)

    def _end(self, code: int) -> None:
        self._exit_code, self.should_exit = code, True
        self._application.close_feeds_soon()


def keep_stop_signals() -> list[int]:
    """Collects what tells the process to stop from now on: before a server handles signals itself, and when it raises
    one again once it has stopped, as the journal is still to be closed then."""
    told: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: told.append(number))
    return told


class SecureServer(ServerBeside):
    """The same application over TLS. `limits`: those of the plain connections, whose turns it shares. A connection gets
    TLS with its first byte, in the turn of its address, and what HTTP needs with its first request: until then it costs
    next to nothing, and a third of what it would."""

    def __init__(self, plain: uvicorn.Config, certificates: Certificates, limits: ConnectionLimits) -> None:
        super().__init__(plain)
        self._certificates = certificates
        self._context = certificates.context()
        self._limits = limits
        self._handshakes = ConnectionLimits(
            HANDSHAKES_MAX, limits.now_s, max(1, limits.per_address // HANDSHAKES_SHARE), limits.per_address
        )
        self._renewal: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Every connection is silent first."""
        await self.listen(sockets or [], lambda: SilentConnection(self.connections, SILENT_S, self._wait_for_turn))
        self._renewal = asyncio.create_task(certificate_loop(self._certificates, self._context))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._renewal is not None:
            self._renewal.cancel()
        await super().shutdown(sockets)

    def _wait_for_turn(self, transport: asyncio.Transport, data: bytes) -> None:
        transport.pause_reading()
        caller = client_key(transport.get_extra_info("peername"), transport.get_extra_info("sockname"))
        self._limits.turns.run_soon(caller, partial(self._begin_tls, caller, transport, data))

    def _begin_tls(self, caller: str, transport: asyncio.Transport, data: bytes) -> None:
        if transport.is_closing():
            return
        http = SilentConnection(self.connections, IDLE_S, self.begin_http)
        shaken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        tls = LeanTls(self._context, http, shaken, HANDSHAKE_TIMEOUT_S)
        tls.caller = caller
        if not self._handshakes.admit(tls):
            tls.connection_lost(None)
            transport.abort()
            return
        shaken.add_done_callback(partial(self._end_handshake, tls))
        tls.begin(transport, data)

    def _end_handshake(self, tls: LeanTls, outcome: asyncio.Future[None]) -> None:
        # One that failed is no fault of ours: asyncio need not log it.
        outcome.exception()
        self._handshakes.release(tls)


class SilentConnection(asyncio.Protocol):
    """A connection that has sent nothing yet: `begin` gets its first bytes; dropped after `within_s` seconds, and when
    the server of these `connections` stops."""

    __slots__ = ("_begin", "_connections", "_deadline", "_transport", "_within_s")

    def __init__(
        self, connections: set[Any], within_s: float, begin: Callable[[asyncio.Transport, bytes], None]
    ) -> None:
        self._connections = connections
        self._within_s = within_s
        self._begin = begin

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # asyncio's encrypted transport does not say that it is one.
        self._transport = cast(asyncio.Transport, transport)
        self._connections.add(self)
        self._deadline = asyncio.get_running_loop().call_later(self._within_s, self.shutdown)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self._deadline.cancel()

    def data_received(self, data: bytes) -> None:
        self.connection_lost(None)
        self._begin(self._transport, data)

    def shutdown(self) -> None:
        self._transport.abort()


async def certificate_loop(certificates: Certificates, context: ssl.SSLContext) -> None:
    """Renew the certificate when the machine's addresses or names change, without a restart."""
    while True:
        await asyncio.sleep(RENEW_EVERY_S)
        try:
            if await asyncio.to_thread(certificates.renew):
                certificates.load(context)
        except (OSError, Problem):
            log.exception("no new certificate was made; the one before goes on serving")


async def watchdog_loop(notify: SystemdNotifier, ways: Sequence[Probe]) -> None:
    """Notify systemd periodically that the hub is alive, each time after all `ways` have answered. Runs on the hub's
    event loop: if the loop, the writer or the pages hang, nothing is sent, and systemd restarts the hub. A refusal (a
    full disk) counts as an answer. Ends when the hub stops."""
    if notify.every_ms is None:
        return
    while True:
        answers = [asyncio.ensure_future(way()) for way in ways]
        try:
            await asyncio.wait(answers)
        finally:
            for answer in answers:
                answer.cancel()
        if any(isinstance(answer.exception(), HubStopped) for answer in answers):
            return
        notify.send("WATCHDOG=1")
        await asyncio.sleep(notify.every_ms / 1000)


class PageServerFront:
    """A page server's front: passes public pages, refuses units, and redirects console pages to `console_url`, the hub
    that runs the event ("http://hub:8080"), if that is known."""

    def __init__(self, application: Application, console_url: str | None = None) -> None:
        self._application = application
        self._console_url = console_url.rstrip("/") if console_url else None

    async def __call__(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        scope = http_answers.normalize_slashes(scope)
        if scope["type"] != "http":
            await self._application(scope, receive, send)
        elif _is_below(scope["path"], DEVICE_PATHS):
            await http_answers.send_json(
                http_answers.with_security_headers(send),
                http_answers.MISDIRECTED,
                {"error": "this hub only shows pages; ask the one that runs the event"},
                http_answers.CLOSE,
            )
        elif _is_below(scope["path"], ORGANIZER_PATHS):
            await self._redirect_to_console(scope, http_answers.with_security_headers(send))
        elif scope["method"] not in http_answers.SAFE_METHODS:
            await self._send_misdirected(scope, http_answers.with_security_headers(send))
        else:
            await self._application(scope, receive, send)

    async def _redirect_to_console(self, scope: http_answers.Scope, send: http_answers.Send) -> None:
        if self._console_url is None or scope["method"] not in http_answers.SAFE_METHODS:
            await self._send_misdirected(scope, send)
            return
        await http_answers.send_answer(
            send,
            303,
            b"text/plain",
            b"",
            [
                (b"location", f"{self._console_url}{http_answers.path_and_query(scope)}".encode()),
                *http_answers.NO_STORE,
            ],
        )

    async def _send_misdirected(self, scope: http_answers.Scope, send: http_answers.Send) -> None:
        t = catalogue("roundtap_hub", language_of(scope, LANGUAGES[0]))
        link = (
            ""
            if self._console_url is None
            else (f'<p><a href="{escape(self._console_url)}/console">{escape(t("pages_only.console"))}</a></p>')
        )
        await http_answers.send_text_page(
            send,
            http_answers.MISDIRECTED,
            t.language,
            t("pages_only.title"),
            f'<p>{escape(t("pages_only.text"))}</p>{link}<p><a href="/">{escape(t("pages_only.home"))}</a></p>',
        )


def _is_below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(f"{root}/") for root in roots)


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
        still_damaged = self._fault == DAMAGED and self._files() in ([], self._before)
        if still_damaged or probe_folder(self._folder) is not None or not self._has_room():
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
