"""The hub as one ASGI application: units, feeds and files are answered on the event loop, pages in threads."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from itertools import count

from roundtap_hub.access.policy import answer_if_refused, is_known, is_logged_in
from roundtap_hub.app.hub import Hub
from roundtap_hub.app.memory import trim_heap
from roundtap_hub.app.practice_hub import units_in_play
from roundtap_hub.app.standby.standby_api import STILL_SERVED, StandbyApi, TakenOverPage
from roundtap_hub.http import http_answers
from roundtap_hub.http.captive_portal import answer_foreign_host
from roundtap_hub.http.connection_limits import PER_ADDRESS
from roundtap_hub.http.page_queues import PageQueue
from roundtap_hub.http.page_threads import BusyPage, PageThreads, Wsgi
from roundtap_hub.http.routes import allowed_roles, find_route, native_routes
from roundtap_hub.http.static_files import PREFIX, StaticFiles
from roundtap_hub.live.browser_feed import BrowserFeed
from roundtap_hub.live.cached_pages import PERSONAL, CachedPages
from roundtap_hub.live.page_cache import CachedPage, HubNow, PageCache, version_of
from roundtap_hub.phones.phone_reports import PhoneReportApi
from roundtap_hub.phones.phone_versions import changed_pages
from roundtap_hub.units.device_feed import DeviceFeed
from roundtap_hub.units.enrol_api import EnrolApi, HubIdentityApi
from roundtap_hub.units.table_api import HelloHandler, PanelApi, TableApi
from roundtap_hub.views.round_clock import next_change_ms

log = logging.getLogger(__name__)

CHECKPOINT_S = 5.0
TRIM_EVERY = 4  # free memory is returned to the system after this many checkpoints
ADDRESS_POLL_S = 3.0  # how often the machine's own addresses are checked: a hotspot may come up, a cable may be pulled

TIMER_MIN_MS = 50  # how long the timer waits again when it fired slightly before the hub's clock reached the boundary


class HubApplication:
    """Routes requests to their handlers, and writes the clock's checkpoints while it runs. `per_address`: connections
    of one address."""

    def __init__(self, hub: Hub, per_address: int = PER_ADDRESS) -> None:
        self.hub = hub
        self.devices = DeviceFeed(hub)
        self.devices.on_hello.append(HelloHandler(hub).handle)
        self.table_api = TableApi(hub)
        self.panel = PanelApi(hub)
        if hub.kin is not None:
            self.devices.on_hello.append(hub.kin.check_hello_epoch)
        if (practice := hub.practice) is not None:
            hub.service.listen(lambda snapshot, _: practice.recall(units_in_play(snapshot) if practice.lent else ()))
            self.devices.on_hello.append(lambda unit, _: practice.recall([unit]))
        self._static = StaticFiles()
        self.standby_api = StandbyApi(hub, TakenOverPage(hub, self._static.url("roundtap.css")))
        drawing = PageQueue[list[CachedPage | None]]("public-pages", 1, 0)
        cache = PageCache(
            hub,
            lambda snapshot, units, page: version_of(HubNow(hub, snapshot, units), page),
            partial(changed_pages, hub),
            lambda: self.pages.built(),
            drawing,
        )
        self.browsers = BrowserFeed(
            hub,
            cache,
            per_address * 3 // 4,
            lambda: self.pages.staff_first(),
            hub.kin.page_proof if hub.kin is not None else None,
        )
        if hub.kin is not None:
            hub.kin.on_known += [self.devices.send_hubs, self.browsers.send_hubs]
        busy = BusyPage(self._static, hub.language)
        self.cached_pages = CachedPages(hub, cache, PhoneReportApi(hub).answer, busy)
        self.pages = PageThreads(
            self._build_pages,
            busy,
            partial(is_logged_in, hub.access),
            partial(is_known, hub.access),
        )
        self._phase_timer = PhaseTimer(hub, self._refresh_feeds)
        hub.host.hall_addresses.listeners.append(self._addresses_changed)
        self._beside: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self.native = native_routes(
            HubIdentityApi(hub),
            self.table_api,
            self.devices,
            EnrolApi(hub, hub.enrolment),
            self.panel,
            self.standby_api,
            self.browsers,
        )
        """Handlers without a thread, by path and method."""
        self.probes = [self.table_api.probe, self.pages.probe, drawing.probe]
        """Probes for the watchdog: each returns once it was answered the way a request is."""

    async def __call__(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        scope = http_answers.normalize_slashes(scope)
        path, method = scope["path"], scope["method"]
        send = http_answers.with_security_headers(send, self.hub.host.other_addresses(), self.hub.host.framed_by)
        reached, kin = self.hub.host.hall_addresses, self.hub.kin
        at_short_port = reached.short_port and (scope.get("server") or ("", 0))[1] == reached.short_port
        if at_short_port and scope.get("scheme") == "http" and await answer_foreign_host(reached, scope, send):
            return
        if kin is not None and kin.taken_over is not None and not path.startswith(STILL_SERVED):
            await self.standby_api.refuse(scope, receive, send)
            return
        native = self.native.get(path)
        if native is not None and method in native:
            await native[method](scope, receive, send)
        elif native is not None:
            allowed = ", ".join(native).encode()
            await http_answers.send_json(
                send, 405, {"error": "not asked like this"}, [(b"allow", allowed), *http_answers.CLOSE]
            )
        elif path.startswith("/device/"):
            await http_answers.send_json(send, 404, {"error": "no such address"}, http_answers.CLOSE)
        elif path.startswith(PREFIX):
            await self._static.answer(scope, send)
        else:
            # Building the pages declares their routes.
            await self.pages.built()
            route_and_names = find_route(method, path)
            who = allowed_roles(route_and_names[0] if route_and_names is not None else None, path)
            if await answer_if_refused(self.hub.access, self.hub.language, scope, send, who):
                return
            body: http_answers.Receive | None = receive
            if route_and_names is not None and (route_and_names[0].kept or route_and_names[0].address in PERSONAL):
                body = await self.cached_pages.answer(scope, receive, send, *route_and_names)
            if body is not None:
                await self.pages.answer(scope, body, send, who)

    def close_feeds_soon(self) -> None:
        """End every stream, so that a server waiting for open connections can stop; any thread or signal handler."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._close_feeds)

    def _build_pages(self) -> Wsgi:
        # Imported here, in a thread: Flask and the pages are a third of a hub's imports, and reports need none of them.
        from roundtap_hub.app.flask_app import create_app

        application = create_app(self.hub)
        # The map of all routes is made here as well: the first phone would wait for it, and with it the loop.
        find_route("GET", "/")
        return application

    def _refresh_feeds(self) -> None:
        self.devices.refresh()
        self.browsers.refresh()

    def _close_feeds(self) -> None:
        if self.hub.kin is not None:
            self.hub.kin.standbys.close_all()
        self.devices.close_all()
        self.browsers.close_all()

    async def _lifespan(self, receive: http_answers.Receive, send: http_answers.Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                loop = self._loop = asyncio.get_running_loop()
                self.devices.bind(loop)
                self.browsers.bind(loop)
                self._phase_timer.bind(loop)
                if self.hub.sound is not None:
                    self.hub.sound.start()
                self.hub.host.hall_addresses.refresh()
                self._beside = [asyncio.create_task(self._checkpoint_loop()), asyncio.create_task(self._address_loop())]
                await send({"type": "lifespan.startup.complete"})
            else:
                self._phase_timer.stop()
                if self.hub.sound is not None:
                    self.hub.sound.stop()
                for task in self._beside:
                    task.cancel()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _addresses_changed(self) -> None:
        """Walls show the new address; called from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.browsers.refresh)

    async def _address_loop(self) -> None:
        while True:
            await asyncio.sleep(ADDRESS_POLL_S)
            self.hub.host.hall_addresses.refresh()

    async def _checkpoint_loop(self) -> None:
        for number in count(1):
            await asyncio.sleep(CHECKPOINT_S)
            try:
                await asyncio.to_thread(self.hub.service.checkpoint)
                if number % TRIM_EVERY == 0:
                    await asyncio.to_thread(trim_heap)
            except Exception:
                # A full or busy disk may be fine in five seconds.
                log.exception("no checkpoint was written")


class PhaseTimer:
    """Calls `passed` in the event loop whenever a running round enters its next phase or ends. One timer for all
    events, set again at every commit."""

    def __init__(self, hub: Hub, passed: Callable[[], None]) -> None:
        self._hub = hub
        self._on_phase = passed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        hub.service.listen(lambda *_: self._changed())

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the loop that runs the timer; called from that loop."""
        self._loop = loop
        self._arm()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _changed(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arm)

    def _arm(self) -> None:
        self.stop()
        now, events = self._hub.clocks.now(), self._hub.service.snapshot.events.values()
        waits = [wait_ms for state in events if (wait_ms := next_change_ms(state, now)) is not None]
        if waits and self._loop is not None:
            self._timer = self._loop.call_later(max(min(waits), TIMER_MIN_MS) / 1000, self._fire)

    def _fire(self) -> None:
        self._on_phase()
        self._arm()
