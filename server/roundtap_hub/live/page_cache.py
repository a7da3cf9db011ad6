"""Pages drawn once for all their readers, cached by content, variant and language for one version; bounded in size.

A page's version is a short hash of what it would show; the feed sends it, and a page with another one reloads. Each
room registers the kinds of its live pages, and what a page of that kind shows, above the function that tells it:
`page_kind("judge")`, `event_page("standings/<event_id>")`. A page whose kind is not registered has no version.
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from roundtap_core.clock import Instant
from roundtap_hub.http.http_answers import gzip_bytes
from roundtap_hub.http.page_queues import PROBE_S, Busy, ClientGone, PageQueue
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_shapes import SHAPED
from roundtap_hub.live.regions import RenderedPage
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.league_tables import league_version, leagues_of
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.saved_event import SavedEvent, saved_event, short_hash
from roundtap_hub.views.unit_presence import UnitStatus

log = logging.getLogger(__name__)

KEPT_BYTES = 12_000_000  # limit for all cached pages: some thousand phones' pages
CLOCK_PAGE_TTL_MS = 5000
"""Maximum age of a page with a running time, which browsers without scripts reload, and of a redirect: several events
take turns by the clock."""
GZIP_LEVEL = 4
DRAWING_S = 60.0  # how long a page is waited for: hundreds wait for one, which is then there for all of them
RENDER_PAGE = "roundtap.drawn"  # key of the application's function that draws a page (routes.py)
VERSIONS_MAX, PAGE_LETTERS_MAX = 4096, 200
"""How many pages' versions are remembered until something changes, and the longest page key among them."""


class RenderingKey(NamedTuple):
    """`page`: its content, as its route says; `variant`: how it shows that (views/known_displays.py). All who read it
    see the same, the staff too."""

    page: PageKey
    variant: str
    language: str


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page as last drawn. `body`: gzip; None where only changes were requested. `rendered`: without its text, for
    comparing. `redirect`: the address it redirects to."""

    version: str
    rendered: RenderedPage
    rendered_ms: int
    body: bytes | None = None
    etag: str = ""
    redirect: str = ""
    bytes: int = 0


class RenderInput(NamedTuple):
    """The state that pages are drawn from."""

    snapshot: Snapshot
    units: Mapping[str, UnitStatus]


class PageCache:
    """All cached pages. Its methods run in the event loop; pages are drawn by the application that `built` waits for,
    in a thread of `lane`. No page is older than its request: one drawn from an earlier state is used only while its
    version is current."""

    def __init__(
        self,
        hub: RunningHub,
        page_version: Callable[[Snapshot, Mapping[str, UnitStatus], PageKey], str],
        changed: Callable[[RenderInput, RenderInput, Iterable[PageKey]], Iterable[PageKey]],
        built: Callable[[], Awaitable[Any]],
        lane: PageQueue[list[CachedPage | None]],
    ) -> None:
        self._hub = hub
        self._page_version, self._changed = page_version, changed
        self._built = built
        self._lane = lane
        self._pages: OrderedDict[RenderingKey, CachedPage] = OrderedDict()
        self._bytes = 0
        self._awaited: WeakValueDictionary[tuple[RenderingKey, str], asyncio.Future[CachedPage | None]] = (
            WeakValueDictionary()
        )
        """Pages that requests wait for, each drawn in the first turn that one of these has."""
        self._moment: RenderInput | None = None
        self._hall_changed = False
        self._versions: dict[PageKey, str] = {}
        self._drawn: set[tuple[str, ...]] = set()  # kinds and events of which one was drawn from this very state
        hub.presence.listen(self._on_presence)
        hub.host.hall_addresses.listeners.append(lambda: self._on_presence(None))

    def version(self, page: PageKey) -> str:
        """The page's current version."""
        render_input = self._render_input()
        version = self._versions.get(page)
        if version is None:
            version = self._page_version(render_input.snapshot, render_input.units, page)
            # Made-up addresses are not remembered.
            if version != "none" and len(str(page)) <= PAGE_LETTERS_MAX:
                if len(self._versions) >= VERSIONS_MAX:
                    self._versions.clear()
                self._versions[page] = version
        return version

    def known_versions(self) -> Mapping[PageKey, str]:
        """Current versions of the pages that were asked for and that nothing has changed since."""
        self._render_input()
        return self._versions

    def ready(self, key: RenderingKey) -> CachedPage | None:
        """The page if it is cached, whole, current and not too old."""
        page = self._pages.get(key)
        if page is None or page.version != self.version(key.page):
            return None
        if page.body is None and not page.redirect:
            return None
        age_ms = self._hub.clocks.mono_ms() - page.rendered_ms
        if (page.rendered.moves or page.redirect) and age_ms > CLOCK_PAGE_TTL_MS:
            return None
        self._pages.move_to_end(key)
        return page

    def cached_render(self, key: RenderingKey, version: str) -> RenderedPage | None:
        """The page of that version, if it is cached."""
        page = self._pages.get(key)
        return page.rendered if page is not None and page.version == version and not page.redirect else None

    async def page(self, key: RenderingKey, asker: str = "") -> CachedPage | None:
        """The current page, whole, drawn in the turn of the address `asker` if necessary, once for all that wait for
        it. None where there is no such page, or it fails: Flask then answers. Raises Busy."""
        try:
            return self.ready(key) or await self._filled_in(key) or await self.full_page(key, asker)
        except Busy:
            raise
        except Exception:
            _log_failed(key)
            return None

    async def _filled_in(self, key: RenderingKey) -> CachedPage | None:
        """A page whose shape is known, at once: from a state of which one was drawn, nothing of the event is left to
        work out."""
        render_input = self._render_input()
        if key.page.kind not in SHAPED or key.page[:2] not in self._drawn:
            return None
        app, version = await self._built(), self.version(key.page)
        page = self._render_one(app, render_input, self._hub.clocks.mono_ms(), key, version, None, True, True)
        if page is not None:
            self._store(key, page)
        return page

    async def full_page(self, key: RenderingKey, asker: str = "") -> CachedPage | None:
        """As `page`, but drawn in any case."""
        version = self.version(key.page)
        if version == "none":
            return None
        awaited = self._awaited.get((key, version))
        if awaited is None or awaited.done():
            awaited = self._awaited[key, version] = asyncio.get_running_loop().create_future()
        try:
            [page] = await self.render([key], True, DRAWING_S, partial(asyncio.shield, awaited), asker)
        except ClientGone:
            return awaited.result()
        if not awaited.done():
            awaited.set_result(page)
        return page

    async def render(
        self,
        keys: Sequence[RenderingKey],
        whole: bool = False,
        patience_s: float = PROBE_S,
        gone: Callable[[], Awaitable[Any]] | None = None,
        asker: str = "",
    ) -> list[CachedPage | None]:
        """These pages as they are now, drawn one after the other in one thread; `whole`: with their bodies. The rest as
        for `PageQueue.run`."""
        app = await self._built()
        render_input, now_ms = self._render_input(), self._hub.clocks.mono_ms()
        works = [(key, self.version(key.page), self._pages.get(key)) for key in keys]

        def work() -> list[CachedPage | None]:
            return [self._render_one(app, render_input, now_ms, *each, whole) for each in works]

        made = await self._lane.run(work, patience_s, gone, asker=asker)
        for key, page in zip(keys, made, strict=True):
            if page is not None:
                self._store(key, page)
                if render_input.snapshot is self._render_input().snapshot:
                    self._drawn.add(key.page[:2])
        return made

    def _render_one(
        self,
        app: Any,
        render_input: RenderInput,
        now_ms: int,
        key: RenderingKey,
        version: str,
        before: CachedPage | None,
        whole: bool,
        known: bool = False,
    ) -> CachedPage | None:
        """In a thread of the executor, or with `known` on the loop: only a page of a shape that is known. None where
        there is no such page, or it fails."""
        if before is not None and before.version == version and not whole:
            return before
        try:
            page = app.extensions[RENDER_PAGE](key, render_input, now_ms, version, known, whole)
        except Exception:
            _log_failed(key)
            return None
        if page is None:
            return None
        if isinstance(page, str):
            return CachedPage(version, RenderedPage(version), now_ms, redirect=page)
        kept = replace(page, beside=(), whole=b"") if page.beside or page.whole else page
        if not whole:
            return CachedPage(version, kept, now_ms, bytes=page.letters)
        text = page.body
        body = gzip_bytes(text, GZIP_LEVEL, page.run)
        etag = hashlib.sha1(text, usedforsecurity=False).hexdigest()[:18]
        return CachedPage(version, kept, now_ms, body, etag, bytes=len(body) + len(text))

    def _store(self, key: RenderingKey, page: CachedPage) -> None:
        before = self._pages.get(key)
        if before is not None:
            if page.body is None and before.version == page.version and before.body is not None:
                return
            self._bytes -= before.bytes
            del self._pages[key]
        self._pages[key] = page
        self._bytes += page.bytes
        while self._bytes > KEPT_BYTES and len(self._pages) > 1:
            self._bytes -= self._pages.popitem(last=False)[1].bytes

    def _render_input(self) -> RenderInput:
        snapshot = self._hub.service.snapshot
        if self._moment is None or self._hall_changed or self._moment.snapshot is not snapshot:
            # Reset first, so that a change from here on is seen next time.
            self._hall_changed = False
            before, self._moment = self._moment, RenderInput(snapshot, self._hub.presence.units)
            if before is not None:
                for page in self._changed(before, self._moment, self._versions):
                    del self._versions[page]
                # Where one page is still current, what all of its kind share was not worked out again either.
                self._drawn &= {page[:2] for page in self._versions}
        return self._moment

    def _on_presence(self, _: str | None) -> None:
        """From any thread."""
        self._hall_changed = True


def _log_failed(key: RenderingKey) -> None:
    # Only the first part: the rest may be a personal link.
    log.exception("a page failed: %s", key.page.kind)


@dataclass(frozen=True, slots=True)
class HubNow:
    """What pages are drawn from. `now`: of a request; without it, changes by time alone are left out. `here`: whom
    officials saw at their tables (`Presence.seen_at_table`); `storage`: the version of the hub's storage state."""

    hub: RunningHub
    snapshot: Snapshot
    units: Mapping[str, UnitStatus]
    now: Instant | None = None
    here: Collection[tuple[str, str, str]] = ()
    storage: str = ""

    def shown(self, page: PageKey) -> object | None:
        """What the page would show, as far as it may change; None: there is no such page. Nothing is rendered."""
        return PAGE_KINDS[page.pattern](self, page) if page.pattern in PAGE_KINDS else None


Shown = Callable[[HubNow, PageKey], object | None]
EventShown = Callable[[HubNow, SavedEvent, PageKey], object | None]

# What pages of each kind show, by their keys' pattern; rooms fill it as they are imported.
PAGE_KINDS: dict[tuple[str, bool, bool], Shown] = {}


def page_kind(key: str) -> Callable[[Shown], Shown]:
    """Register what pages with such keys ("wall/<event_id>") show. Raises ValueError for a kind registered twice."""

    def register(shown: Shown) -> Shown:
        if PAGE_KINDS.setdefault(PageKey.parse(key).pattern, shown) is not shown:
            raise ValueError(key)
        return shown

    return register


def event_page(key: str) -> Callable[[EventShown], EventShown]:
    """`page_kind` for pages of one event. An event at rest is not opened to find that nothing has changed."""

    def register(shown: EventShown) -> EventShown:
        @page_kind(key)
        def of_event(source: HubNow, page: PageKey) -> object | None:
            snapshot = source.snapshot
            if page.event in snapshot.dormant and page.event not in snapshot.venue.deleted:
                leagues = [league_version(snapshot, each) for each in leagues_of(snapshot, page.event)]
                return page, snapshot.dormant[page.event].head, leagues
            event = saved_event(snapshot, page.event)
            return None if event is None else shown(source, event, page)

        return shown

    return register


def version_of(source: HubNow, page: PageKey) -> str:
    """The version of a page; "none" where there is no such page."""
    shown, venue, plan = source.shown(page), source.snapshot.venue, source.snapshot.venue.display_plan
    # Every page shows announcements, and that the hub was restored, until that is settled.
    announced = [each.id for each in plan.for_event(page.event or None)] if plan.announcements else []
    # Nobody's name stays on the page of an event at rest, whose entries do not change when a person is forgotten.
    forgotten = len(venue.book.forgotten)
    return "none" if shown is None else short_hash(page, shown, announced, venue.restore_state is not None, forgotten)
