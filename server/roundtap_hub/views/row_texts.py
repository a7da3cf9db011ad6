"""Rows of long lists, each written once and joined: everything that a row shows is its key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable

from markupsafe import Markup

from roundtap_hub.views.regions import ROW, ROW_END, mark

ROW_TEXTS = "roundtap-rows"
"""Where an application keeps those of its public pages."""
ROWS_KEPT = 2000

RowOf = tuple[str, Hashable, object]
"""A row's key, all that it shows, and what its macro is given."""


class RowTexts:
    """A small cache of rows as text; any thread may ask."""

    def __init__(self, kept: int = ROWS_KEPT) -> None:
        self._kept = kept
        self._rows: OrderedDict[Hashable, str] = OrderedDict()

    def rows(self, *of: Hashable) -> Callable[[Iterable[RowOf], Callable[[object], str]], Markup]:
        """For templates, `rows(some, macro)`: rows with their marks, each written when it is first seen. `of`: what
        every row depends on beside what it shows: page, event, language."""

        def written(some: Iterable[RowOf], macro: Callable[[object], str]) -> Markup:
            texts = []
            for key, shown, thing in some:
                text = self._rows.get((of, key, shown))
                if text is None:
                    text = self._rows[of, key, shown] = f"{mark(ROW, key)}{macro(thing)}{mark(ROW_END)}"
                texts.append(text)
            while len(self._rows) > self._kept:
                self._rows.popitem(last=False)
            return Markup("".join(texts))

        return written
