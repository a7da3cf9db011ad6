"""Pages of one shape: a template is drawn once with slots for what differs between its readers, and filled in for each
of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import msgspec
from markupsafe import escape

from roundtap_hub.http.http_answers import Deflated
from roundtap_hub.http.requester import bidi_isolated
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.regions import SEEN, Piece, Region, RenderedPage, Row
from roundtap_hub.views.round_clock import clock_text

SHAPES_MAX = 256  # some 40 kB each: a round has some twenty in each language
RUN_LEVEL = 9  # of compressing what many pages have: once

_OPEN, _CLOSE = "\x02", "\x03"  # no text that is typed or written may hold them (roundtap_core/typed.py)
_SLOT = re.compile(f"{_OPEN}(-?[0-9]+){_CLOSE}")
_VERSION = f"{_OPEN}-1{_CLOSE}"  # the slot of a page's version: after all others
_PLAIN = re.compile("[0-9A-Za-zÀ-ſ .,:/–-]+").fullmatch  # nothing in it is escaped, or written from right to left

Fill = Callable[[Sequence[str]], str]


class Slot:
    """What a shape leaves open. A template may only write it out, also within a text: what it compares or counts is
    part of the shape itself."""

    __slots__ = ("_mark",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, number: int) -> None:
        self._mark = f"{_OPEN}{number}{_CLOSE}"

    def __str__(self) -> str:
        return self._mark

    __html__ = __str__

    def __eq__(self, other: object) -> bool:
        raise TypeError("a slot is only written")


_SLOTS = tuple(map(Slot, range(256)))


# What writes times: the time of day is the first slot of every page, an age the second.
_CLOCK: Mapping[str, Any] = {
    "clock_text": lambda ms, width=0: ms if isinstance(ms, Slot) else clock_text(ms, width),
    "time_now": lambda: _SLOTS[0],
    "age_text": lambda _: _SLOTS[1],
}
_CLOCK_ALONE: Mapping[str, Any] = {**_CLOCK, "time_now": str}


class Slots:
    """The slots of one page as they are given out, and what its reader sees there. `time`: of day, "" if unknown;
    `context`: what a template with slots is given in any case."""

    def __init__(self, time: str) -> None:
        self.values: list[str] = [escape(time), ""]
        self.context = _CLOCK if time else _CLOCK_ALONE

    def set_age(self, text: str) -> None:
        """The only age on the page."""
        self.values[1] = escape(text)

    def add(self, value: Any) -> Any:
        """A slot for this text or number. None and an empty text stay what they are, and a text that sentences write
        otherwise than it stands alone (http/requester.py)."""
        if not (isinstance(value, str) and _PLAIN(value)):
            if value is None or value == "" or (isinstance(value, str) and bidi_isolated(value) != value):
                return value
            value = escape(value)
        self.values.append(value)
        return _SLOTS[len(self.values) - 1]


class ShapedPage(NamedTuple):
    """A page to be drawn by its shape. `draw`: the page with slots, from its template. `shape`: all that the template
    looks at beside them, as msgspec encodes it; pages with equal ones differ in `values` alone."""

    draw: Callable[[], RenderedPage]
    shape: object
    values: Sequence[str]


SHAPED: dict[str, Callable[[PageKey], ShapedPage]] = {}
"""The pages drawn so, by their kind; rooms fill it as they are imported."""


def shaped(kind: str) -> Callable[[Callable[[PageKey], ShapedPage]], Callable[[PageKey], ShapedPage]]:
    """Register how pages of this kind are drawn for the cache; with an application's context, without a request."""

    def register(shape: Callable[[PageKey], ShapedPage]) -> Callable[[PageKey], ShapedPage]:
        return SHAPED.setdefault(kind, shape)

    return register


class Shapes:
    """The shapes drawn last: by one thread, looked up by any."""

    def __init__(self) -> None:
        self._drawn: dict[bytes, _Shape] = {}

    def page(
        self, page: ShapedPage, version: str, request: Callable[[], AbstractContextManager[Any]] | None, whole: bool
    ) -> RenderedPage | None:
        """The page of this version, `whole`: with its body. `request`: in which a shape that is new is drawn; None: it
        is not drawn."""
        key = _ENCODER.encode(page.shape)
        shape = self._drawn.get(key)
        if shape is None:
            if request is None:
                return None
            with request():
                shape = self._drawn[key] = _Shape(page.draw())
            if len(self._drawn) > SHAPES_MAX:
                del self._drawn[next(iter(self._drawn))]
        return shape.fill([*page.values, version], whole)


class _Shape:
    def __init__(self, drawn: RenderedPage) -> None:
        self._drawn = drawn
        self._body = _fill(replace(drawn, version=_VERSION).body.decode())
        # After the last slot and the version.
        self._run = Deflated(_SLOT.split(drawn.beside[0])[-1].rpartition(SEEN)[2].encode(), RUN_LEVEL)
        self._own = [int(number) for text in drawn.beside for number in _SLOT.findall(text)]
        self._regions = {
            region.id: [_fill_piece(piece) for piece in chain[Piece | Row](region.texts, region.rows())]
            for region in drawn.regions.values()
            if _SLOT.search(region.html)
        }

    def fill(self, values: Sequence[str], whole: bool) -> RenderedPage:
        """`values`: those of the slots, and the version."""
        drawn = self._drawn
        return RenderedPage(
            values[-1],
            regions={**drawn.regions, **{id: self._filled(drawn.regions[id], values) for id in self._regions}},
            frame=hash((drawn.frame, *[values[number] for number in self._own])),
            moves=drawn.moves,
            run=self._run,
            source=drawn.source,
            at_ms=drawn.at_ms,
            whole=self._body(values).encode() if whole else b"",
        )

    def _filled(self, region: Region, values: Sequence[str]) -> Region:
        pieces = iter([fill(values) for fill in self._regions[region.id]])
        texts = tuple([Piece(*next(pieces)) for _ in region.texts])
        return Region(
            region.id, texts, tuple([tuple([Row(row.key, *next(pieces)) for row in group]) for group in region.groups])
        )


def _fill(text: str) -> Fill:
    texts = _SLOT.split(text)
    numbers = [int(number) for number in texts[1::2]]

    def fill(values: Sequence[str]) -> str:
        filled = texts[:]
        filled[1::2] = [values[number] for number in numbers]
        return "".join(filled)

    return fill if numbers else lambda _: text


def _fill_piece(piece: Piece | Row) -> Callable[[Sequence[str]], tuple[str, str, bytes | None]]:
    html, same = _fill(piece.html), _fill(piece.same)

    def fill(values: Sequence[str]) -> tuple[str, str, bytes | None]:
        text = html(values)
        return text, text if piece.same is piece.html else same(values), piece.sent and text.encode()

    return fill


def _encoded(value: object) -> object:
    if isinstance(value, Slot):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(type(value))


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_encoded)
