"""A page's live regions and rows, as its template marks them, and the difference between two renderings."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, zip_longest
from typing import NamedTuple

import msgspec

from roundtap_hub.http.http_answers import Deflated

# Marks begin with a "<", which escaped text cannot hold: typed text is never taken for one.
_BEGIN, _END = "<\x01", "\x01>"
REGION, REGION_END, ROW, ROW_END, MOVING, MOVING_END = "[", "]", "(", ")", "{", "}"

CSRF, NOW, SEEN = "<:csrf:>", "<:now:>", "<:seen:>"
"""Placeholders for what differs between two readers of one rendering: the CSRF token, and the hub's clock when it is
sent. `split_regions` fills in `SEEN`, the page's version. Templates write them unescaped; escaped text holds none."""

DID = "<:did:>"  # what the press that led to a page has done: for its reader alone (live/render.py)

ROLE, MAY, ELSE, MAYBE, ENDS = "<:role:>", "<:may ", "<:else:>", "<:maybe:>", "<:end:>"
"""What differs between two roles that share a rendering: the role's name; text for those who may request an address,
and text for the others, "<:may POST /console/e1/draw:>…<:else:>…<:end:>"; text that is shown unless all that is marked
so in it is gone, "<:maybe:>…<:end:>" (live/render.py)."""

AGE = "<:age {}:>"
"""The age, when it is sent, of what began at that time by the hub's monotonic clock, in ms."""
_AGE = re.compile(AGE.format(r"(-?\d+)"))

ROWS_MAX = 2000  # rows that are not read again; some of 700 bytes


def region_mark(kind: str, name: object = "") -> str:
    """A mark for `split_regions`. `kind`: one of the constants; `name`: a region's id or a row's key."""
    return f"{_BEGIN}{kind}{str(name).replace(chr(1), '')}{_END}"


class Piece(NamedTuple):
    """A piece of a page. Renderings are compared by `same`: `html` without its moving parts."""

    html: str
    same: str


class Row(NamedTuple):
    """A whole element with `data-key`."""

    key: str
    html: str
    same: str


@dataclass(frozen=True, slots=True)
class Region:
    """A whole element with `data-live` and an id: text, a group of adjacent rows, text, …, text. One text more than
    `groups`; no group is empty. Space between two rows is dropped."""

    id: str
    texts: tuple[Piece, ...]
    groups: tuple[tuple[Row, ...], ...]

    @property
    def html(self) -> str:
        parts = [self.texts[0].html]
        for rows, text in zip(self.groups, self.texts[1:], strict=True):
            parts += [row.html for row in rows]
            parts.append(text.html)
        return "".join(parts)

    def rows(self) -> Iterator[Row]:
        return chain.from_iterable(self.groups)


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A rendered page. `beside`: the text before, between and after its regions, without marks, with placeholders;
    `frame`: its hash in this process; `moves`: whether the page has moving parts."""

    version: str
    beside: tuple[str, ...] = ()
    regions: Mapping[str, Region] = field(default_factory=dict)
    frame: int = 0
    moves: bool = False
    by_role: dict[str, str] = field(default_factory=dict, compare=False)
    """`html` as each role may see it, once somebody of that role has loaded it."""
    run: Deflated | None = field(default=None, compare=False)  # text beside its regions that many pages have
    source: object = field(default=None, compare=False)
    """What it was drawn from, beside what all its redrawn regions show; None where it has to be drawn whole."""

    def redrawn(self, drawn: "RenderedPage") -> "RenderedPage":
        """This page with the regions of `drawn`, which has nothing else."""
        return replace(self, version=drawn.version, regions={**self.regions, **drawn.regions}, by_role={})

    @property
    def html(self) -> str:
        """With placeholders."""
        regions = (region.html for region in self.regions.values())
        return "".join(chain(*zip_longest(self.beside, regions, fillvalue=""))).replace(SEEN, self.version)

    @property
    def letters(self) -> int:
        """The length of all its regions."""
        return sum(len(text.html) for region in self.regions.values() for text in region.texts) + sum(
            len(row.html) for region in self.regions.values() for row in region.rows()
        )


class PatchedRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """With `after` or `before` (the key of a neighbour) a new row, else what replaces the row of its key."""

    key: str
    html: str
    after: str | None = None
    before: str | None = None


class PatchedRegion(msgspec.Struct, frozen=True, omit_defaults=True):
    """With `html` what replaces the element with this id; else rows that go, then `rows` that change, in order."""

    id: str
    html: str | None = None
    gone: tuple[str, ...] | None = None
    rows: tuple[PatchedRow, ...] | None = None


@dataclass(frozen=True)
class PagePatch:
    """The changes from version `old` of a page to version `new`. `whole`: the page changed elsewhere and has to be
    loaded."""

    old: str
    new: str
    regions: tuple[PatchedRegion, ...] = ()
    whole: bool = False

    def changed(self, change: Callable[[str], str]) -> "PagePatch":
        """With `change` applied to each element's HTML."""
        return replace(
            self,
            regions=tuple(
                msgspec.structs.replace(
                    region,
                    html=change(region.html) if region.html is not None else None,
                    rows=tuple(msgspec.structs.replace(row, html=change(row.html)) for row in region.rows)
                    if region.rows is not None
                    else None,
                )
                for region in self.regions
            ),
        )

    @cached_property
    def text(self) -> str:
        """JSON on one line, with placeholders: {"from", "to", "regions"} or {"from", "to", "whole": true}."""
        changes = {"whole": True} if self.whole else {"regions": self.regions}
        return msgspec.json.encode({"from": self.old, "to": self.new, **changes}).decode()


def fill_placeholders(text: str, csrf: str, now_ms: int) -> str:
    """A page or a patch for one reader. `csrf` has no character that HTML or JSON escapes."""
    text = text.replace(CSRF, csrf).replace(NOW, str(now_ms))
    return _AGE.sub(lambda age: age_text(now_ms - int(age[1])), text)


def age_text(age_ms: int) -> str:
    """An age as minutes and whole seconds: "2:10"; what is still to come is new."""
    seconds = max(0, age_ms) // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def split_regions(text: str, version: str) -> RenderedPage:
    """A rendered template with its marks taken out. ValueError where the marks are not nested properly."""
    marked, rest = _marked(text, REGION, REGION_END)
    beside = [_piece(part) for part in (*(before for before, _, _ in marked), rest)]
    regions = {name: _region(name, inner) for _, name, inner in marked}
    if len(regions) != len(marked):
        raise ValueError(f"two regions have one name: {[name for _, name, _ in marked]}")
    frame = hash((*(piece.same for piece in beside), *regions))
    return RenderedPage(version, tuple(piece.html for piece in beside), regions, frame, f"{_BEGIN}{MOVING}" in text)


def _marked(text: str, kind: str, end: str) -> tuple[list[tuple[str, str, str]], str]:
    """(text before, name, text inside) of each pair of marks, and the text after the last one."""
    *parts, rest = text.split(f"{_BEGIN}{end}{_END}")
    pieces = []
    for part in parts:
        before, _, marked = part.partition(f"{_BEGIN}{kind}")
        name, begun, inner = marked.partition(_END)
        if not begun:
            raise ValueError(f"the mark {end} ends nothing")
        pieces.append((before, name, inner))
    return pieces, rest


def _region(name: str, text: str) -> Region:
    rows, rest = _marked(text, ROW, ROW_END)
    texts: list[Piece] = []
    groups: list[list[Row]] = []
    for before, key, row in rows:
        # Text between two rows, other than space, begins another group.
        if not groups or before.strip():
            texts.append(_piece(before))
            groups.append([])
        groups[-1].append(_row(key, row))
    return Region(name, (*texts, _piece(rest)), tuple(map(tuple, groups)))


@lru_cache(ROWS_MAX)
def _row(key: str, text: str) -> Row:
    """Most rows come from RenderCache.rows, again and again: they are read once, and compared by identity."""
    return Row(key, *_piece(text))


def _piece(text: str) -> Piece:
    if _BEGIN not in text:
        return Piece(text, text)
    moving, rest = _marked(text, MOVING, MOVING_END)
    html = "".join(before + inner for before, _, inner in moving) + rest
    if _BEGIN in html:
        raise ValueError(f"the mark {html.partition(_BEGIN)[2].partition(_END)[0]} stands where none may")
    return Piece(html, "".join(before for before, _, _ in moving) + rest)


def diff_pages(old: RenderedPage, new: RenderedPage) -> PagePatch:
    """Changed rows where only rows changed, else whole regions; the whole page where it changed outside them."""
    if old.frame != new.frame or list(old.regions) != list(new.regions):
        return PagePatch(old.version, new.version, whole=True)
    changes = (_region_change(was, new.regions[id]) for id, was in old.regions.items())
    return PagePatch(old.version, new.version, tuple(change for change in changes if change is not None))


def _region_change(old: Region, new: Region) -> PatchedRegion | None:
    if old is new:
        return None
    whole = PatchedRegion(new.id, new.html)
    if [text.same for text in old.texts] != [text.same for text in new.texts]:
        return whole
    if any(len({row.key for row in of.rows()}) != sum(map(len, of.groups)) for of in (old, new)):
        return whole
    gone: list[str] = []
    rows: list[PatchedRow] = []
    for was, now in zip(old.groups, new.groups, strict=True):
        if not _group_change(was, now, gone, rows):
            return whole
    if not gone and not rows:
        return None
    small = sum(len(row.html) for row in rows) < len(new.html)
    return PatchedRegion(new.id, gone=tuple(gone), rows=tuple(rows)) if small else whole


def _group_change(old: Sequence[Row], new: Sequence[Row], gone: list[str], rows: list[PatchedRow]) -> bool:
    """Add to `gone` and `rows`; False where rows changed places, or none stays as a neighbour."""
    before, after = {row.key: row for row in old}, {row.key for row in new}
    stay = [row.key for row in new if row.key in before]
    if stay != [row.key for row in old if row.key in after] or not stay:
        return False
    gone += [row.key for row in old if row.key not in after]
    last: str | None = None
    for row in new:
        was = before.get(row.key)
        if was is None:
            rows.append(PatchedRow(row.key, row.html, last, stay[0] if last is None else None))
        elif was.same != row.same:
            rows.append(PatchedRow(row.key, row.html))
        last = row.key
    return True
