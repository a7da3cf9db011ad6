"""Caches of rendered pages and rows: one rendering for all its readers, and earlier ones to compare with."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from roundtap_hub.live.regions import ROW, ROW_END, ROWS_MAX, Region, RenderedPage, region_mark

ROW_CACHE = "roundtap-rows"  # the application's extension key for the rows of public pages

RowSource = tuple[str, Hashable, object]
"""A row's key, all that it shows (None: more than can be said; it is never cached), and its macro's argument."""

RENDER_CACHE = "roundtap-console"  # the application's extension key for the console's pages

FRESH_MS = 1000  # how long a rendering is sent as a whole page: an age on it is no older than that

MAX_PAGES, MAX_VERSIONS = 48, 24
"""Pages (place, event, language, round), and earlier versions of each; a browser with an older one loads the
page."""


class RowCache:
    """A small, thread-safe cache of rows as text."""

    def __init__(self, kept: int = ROWS_MAX) -> None:
        self._kept = kept
        self._rows: OrderedDict[Hashable, str] = OrderedDict()

    def rows(self, *of: Hashable) -> Callable[[Iterable[RowSource], Callable[[object], str]], Markup]:
        """For templates, `rows(sources, macro)`: rows with their marks, each rendered once. `of`: what every row
        depends on beside what it shows: page, event, language."""

        def written(sources: Iterable[RowSource], macro: Callable[[object], str]) -> Markup:
            texts = []
            for key, shown, thing in sources:
                text = self._rows.get((of, key, shown))
                if text is None:
                    text = f"{region_mark(ROW, key)}{macro(thing)}{region_mark(ROW_END)}"
                    if shown is not None:
                        self._rows[of, key, shown] = text
                texts.append(text)
            while len(self._rows) > self._kept:
                self._rows.popitem(last=False)
            return Markup("".join(texts))

        return written


@dataclass(slots=True)
class _Page:
    """The newest rendering and its time, and earlier ones by version."""

    newest: RenderedPage
    at_ms: int
    earlier: OrderedDict[str, RenderedPage] = field(default_factory=OrderedDict)


class RenderCache:
    """A small, thread-safe cache of rendered pages."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pages: OrderedDict[Hashable, _Page] = OrderedDict()
        self.rows = RowCache().rows

    def page(
        self,
        key: Hashable,
        version: str,
        now_ms: int,
        draw: Callable[[RenderedPage | None], RenderedPage],
        since: str | None = None,
    ) -> tuple[RenderedPage, RenderedPage | None]:
        """The page of this version, and the one of version `since` or None. `draw` is called, with the newest
        one so far, where the rendering is missing, or too old to be sent whole."""
        # Held while drawing, so that a page is drawn once.
        with self._lock:
            known = self._pages.get(key)
            newest = known.newest if known is not None and known.newest.version == version else None
            old = self._earlier(known, since)
            if newest is None or known is None or (old is None and now_ms - known.at_ms >= FRESH_MS):
                newest = self._keep(key, draw(known.newest if known else None), now_ms)
            return newest, old

    @staticmethod
    def _earlier(known: _Page | None, since: str | None) -> RenderedPage | None:
        if known is None or since is None:
            return None
        return known.newest if known.newest.version == since else known.earlier.get(since)

    def _keep(self, key: Hashable, drawn: RenderedPage, now_ms: int) -> RenderedPage:
        known = self._pages.pop(key, None)
        if known is None:
            known = _Page(drawn, now_ms)
        else:
            drawn = _share_unchanged(drawn, known.newest)
            known.earlier.pop(drawn.version, None)
            if known.newest.version != drawn.version:
                known.earlier[known.newest.version] = replace(known.newest, by_role={}, source=None)
            known.newest, known.at_ms = drawn, now_ms
        while len(known.earlier) > MAX_VERSIONS:
            known.earlier.popitem(last=False)
        self._pages[key] = known
        while len(self._pages) > MAX_PAGES:
            self._pages.popitem(last=False)
        return drawn


def _share_unchanged(new: RenderedPage, old: RenderedPage) -> RenderedPage:
    """The same rendering, sharing unchanged parts with the old one."""
    return replace(
        new,
        beside=old.beside if old.beside == new.beside else new.beside,
        regions={id: _share_region(region, old.regions.get(id)) for id, region in new.regions.items()},
    )


def _share_region(new: Region, old: Region | None) -> Region:
    if old is None or new == old:
        return old or new
    rows = {row: row for row in old.rows()}
    return replace(new, groups=tuple(tuple(rows.get(row, row) for row in group) for group in new.groups))
