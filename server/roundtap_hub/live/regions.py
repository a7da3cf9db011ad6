"""A page's live regions and rows, as its template marks them, and the difference between two renderings."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import msgspec

from roundtap_hub.http.http_answers import Deflated

# Marks begin with a "<", which escaped text cannot hold: typed text is never taken for one.
_BEGIN, _END = "<\x01", "\x01>"
REGION, REGION_END, ROW, ROW_END, MOVING, MOVING_END = "[", "]", "(", ")", "{", "}"

MARK, MARK_END = "<:", ":>"  # around placeholders and a role's marks

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
_AGE = AGE.partition("{")[0]


def region_mark(kind: str, name: object = "") -> str:
    """A mark for `split_regions`. `kind`: one of the constants; `name`: a region's id or a row's key."""
    return f"{_BEGIN}{kind}{str(name).replace(chr(1), '')}{_END}"


class Piece(NamedTuple):
    """A piece of a page. Renderings are compared by `same`: `html` without its moving parts. `sent`: its bytes; None
    where two readers' differ."""

    html: str
    same: str
    sent: bytes | None


class Row(NamedTuple):
    """A whole element with `data-key`; the rest as for `Piece`."""

    key: str
    html: str
    same: str
    sent: bytes | None


@dataclass(frozen=True, slots=True)
class Region:
    """A whole element with `data-live` and an id: text, a group of adjacent rows, text, …, text. One text more than
    `groups`; no group is empty. Space between two rows is dropped."""

    id: str
    texts: tuple[Piece, ...]
    groups: tuple[tuple[Row, ...], ...]

    @property
    def html(self) -> str:
        groups = ("".join(row.html for row in rows) for rows in self.groups)
        return "".join(chain(*zip_longest((text.html for text in self.texts), groups, fillvalue="")))

    def parts(self) -> Iterator[str | bytes]:
        """As `RenderedPage.parts`."""
        for text, rows in zip(self.texts, (*self.groups, ()), strict=True):
            yield text.sent or text.html
            sent = [row.sent for row in rows]
            yield from [b"".join(filter(None, sent))] if all(sent) else [row.sent or row.html for row in rows]

    def rows(self) -> Iterator[Row]:
        return chain.from_iterable(self.groups)


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A rendered page. `beside`: the text before, between and after its regions, without marks, with placeholders, none
    where only the regions were asked for; `frame`: its hash in this process; `moves`: whether it has moving parts."""

    version: str
    beside: tuple[str, ...] = ()
    regions: Mapping[str, Region] = field(default_factory=dict)
    frame: int = 0
    moves: bool = False
    run: Deflated | None = field(default=None, compare=False)  # text beside its regions that many pages have
    for_readers: dict[Hashable, Any] = field(default_factory=dict, compare=False)
    """What was made of it for its readers, once somebody asked for it: its parts as a role may see them, and changes
    from earlier versions (live/render.py)."""
    source: Mapping[str, object] = field(default_factory=dict, compare=False)
    """What its parts were drawn from, by template; "": all that is in none of them. Empty where it has to be drawn
    whole."""
    at_ms: int = field(default=0, compare=False)
    """The time that its moving parts show."""
    whole: bytes = field(default=b"", compare=False)  # its body, where that was put together already

    def parts(self) -> Iterator[str | bytes]:
        """All of it, in order: text, with placeholders, and bytes without."""
        for text, region in zip_longest(self.beside, self.regions.values()):
            yield text.replace(SEEN, self.version)
            if region is not None:
                yield from region.parts()

    @property
    def body(self) -> bytes:
        """With placeholders."""
        return self.whole or b"".join(part if isinstance(part, bytes) else part.encode() for part in self.parts())

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
    text, *aged = text.replace(CSRF, csrf).replace(NOW, str(now_ms)).split(_AGE)
    ages = (age.partition(MARK_END) for age in aged)
    return text + "".join(age_text(now_ms - int(since_ms)) + after for since_ms, _, after in ages)


def age_text(age_ms: int) -> str:
    """An age as minutes and whole seconds: "2:10"; what is still to come is new."""
    seconds = max(0, age_ms) // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def split_regions(text: str, version: str, made: Sequence[Sequence[Row]] = ()) -> RenderedPage:
    """A rendered template with its marks taken out; `made`: groups of rows, for which an empty row named by their place
    here stands: they are not read again, and compared by identity. ValueError where the marks are not nested properly.
    """
    marked, rest = _marked(text, REGION, REGION_END)
    beside = [_piece(part) for part in (*(before for before, _, _ in marked), rest)]
    regions = {name: _region(name, inner, made) for _, name, inner in marked}
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


def _region(name: str, text: str, made: Sequence[Sequence[Row]]) -> Region:
    rows, rest = _marked(text, ROW, ROW_END)
    texts: list[Piece] = []
    groups: list[list[Row]] = []
    for before, key, row in rows:
        # Text between two rows, other than space, begins another group.
        if not groups or before.strip():
            texts.append(_piece(before))
            groups.append([])
        groups[-1] += [make_row(key, row)] if row else made[int(key)]
    return Region(name, (*texts, _piece(rest)), tuple(map(tuple, groups)))


def make_row(key: str, text: str) -> Row:
    return Row(key, *_piece(text))


def _piece(text: str) -> Piece:
    if _BEGIN not in text:
        return Piece(text, text, None if MARK in text else text.encode())
    moving, rest = _marked(text, MOVING, MOVING_END)
    html = "".join(before + inner for before, _, inner in moving) + rest
    if _BEGIN in html:
        raise ValueError(f"the mark {html.partition(_BEGIN)[2].partition(_END)[0]} stands where none may")
    return Piece(html, "".join(before for before, _, _ in moving) + rest, None if MARK in html else html.encode())


def diff_pages(old: RenderedPage, new: RenderedPage) -> PagePatch:
    """Changed rows where only rows changed, else whole regions; the whole page where it changed outside them."""
    if old.frame != new.frame or list(old.regions) != list(new.regions):
        return PagePatch(old.version, new.version, whole=True)
    changes = (_region_change(was, new.regions[id]) for id, was in old.regions.items())
    return PagePatch(old.version, new.version, tuple(change for change in changes if change is not None))


def _region_change(old: Region, new: Region) -> PatchedRegion | None:
    if old is new:
        return None
    gone: list[str] = []
    rows: list[PatchedRow] = []
    if (
        [text.same for text in old.texts] == [text.same for text in new.texts]
        and all(len({row.key for row in of.rows()}) == sum(map(len, of.groups)) for of in (old, new))
        and all(_group_change(was, now, gone, rows) for was, now in zip(old.groups, new.groups, strict=True))
    ):
        if not gone and not rows:
            return None
        if sum(len(row.html) for row in rows) < len(new.html):
            return PatchedRegion(new.id, gone=tuple(gone), rows=tuple(rows))
    return PatchedRegion(new.id, new.html)


def _group_change(old: Sequence[Row], new: Sequence[Row], gone: list[str], rows: list[PatchedRow]) -> bool:
    """Add to `gone` and `rows`; False where rows changed places, or none stays as a neighbour."""
    if old == new:
        return True
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
