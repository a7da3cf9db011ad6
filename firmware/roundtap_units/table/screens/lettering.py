"""Setting text on a small 1-bit screen: whole, else wrapped, else narrower, else smaller; a name at last shortened."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile, zip_longest

from PIL import Image, ImageDraw

from roundtap_devices.letters import as_drawn, ink_box, look_alike, text_width
from roundtap_units.table.screens.scenes import Name, Sentence

Style = tuple[int, bool, bool]  # size, bold, narrow


@dataclass(frozen=True, slots=True)
class FittedText:
    """Text in lines. `rise` is its ink above the first baseline, `drop` all that below it."""

    lines: tuple[str, ...]
    size: int
    bold: bool = False
    narrow: bool = False
    fits: bool = True

    @property
    def style(self) -> Style:
        return self.size, self.bold, self.narrow

    @property
    def height(self) -> int:
        return len(self.lines) * line_height(self.size)

    @property
    def width(self) -> int:
        return max(text_width(line, *self.style) for line in self.lines)

    @property
    def rise(self) -> int:
        return -ink_box(self.lines[0], *self.style)[1]

    @property
    def drop(self) -> int:
        return self.baselines[-1] + ink_box(self.lines[-1], *self.style)[3]

    @property
    def baselines(self) -> list[int]:
        """Of each line from the first: a size apart, further where an accent would meet the line above."""
        below, boxes = [0], [ink_box(line, *self.style) for line in self.lines]
        for above, box in pairwise(boxes):
            below.append(below[-1] + max(self.size, above[3] - box[1]))
        return below


def styles(sizes: tuple[int, ...], bold: bool = False, settings: tuple[bool, ...] = (False, True)) -> Iterator[Style]:
    """Each size, then the same narrow, before the next smaller one; or only one of these settings. What is bold is so
    in the first two sizes, and then narrow."""
    if bold:
        yield from ((size, True, False) for size in sizes[:2])
        settings = (True,)
    for size in sizes:
        yield from ((size, False, narrow) for narrow in settings)


def line_height(size: int) -> int:
    """From one baseline to the next, accents included."""
    return size + 1 if size > 9 else size


def fit_text(
    text: str,
    wide: int,
    high: int,
    sizes: tuple[int, ...],
    bold: bool = False,
    settings: tuple[bool, ...] = (False, True),
) -> FittedText:
    """`text` in the largest size that fits, wrapped where there is height; a `Name` then in its shorter forms. Wrapping
    breaks at spaces and hyphens. What fits in no way ends in "…": a name, which stays distinct at its table, or a
    catalogue text that is too long, which the tests find."""
    fitted = _fitted(wordings(text), wide, high, tuple(styles(sizes, bold, settings)))
    if fitted.fits or not isinstance(text, Name):
        return fitted
    shorter = (_fitted((form,), wide, high, ((sizes[-1], False, True),)) for form in _abridged(text))
    return next((made for made in shorter if made.fits), fitted)


@lru_cache(maxsize=256)
def _fitted(worded: tuple[str, ...], wide: int, high: int, tried: tuple[Style, ...]) -> FittedText:
    for wording in worded:
        for style in tried:
            fitted = FittedText(_wrap(wording, wide, style) or ("",), *style)
            if fitted.lines != ("",) and fitted.rise + fitted.drop <= high:
                return fitted
    text, size = worded[-1], tried[-1][0]
    letters = next((n for n in range(len(text), 0, -1) if text_width(f"{text[:n]}…", size, narrow=True) <= wide), 0)
    return FittedText((f"{text[:letters]}…" if text else "",), size, narrow=True, fits=not text)


def map_wordings(text: str, change: Callable[[str], str]) -> str:
    forms = [change(form) for form in wordings(text)]
    return Sentence.of(forms) if isinstance(text, Sentence) else forms[0]


def wordings(text: str) -> tuple[str, ...]:
    """A text's wordings, the longest first; of a name those that its opponent's cannot be taken for."""
    if isinstance(text, Name):
        sign, _ = _signed(text)
        taken = {as_drawn(f"{sign}{form}") for form in shorter_forms(text.unlike)} if text.unlike else set()
        return (str(text), *(form for form in shorter_forms(text) if as_drawn(form) not in taken))
    return (text, *text.shorter) if isinstance(text, Sentence) else (text,)


def _signed(name: str) -> tuple[str, str]:
    """ "● Ana Ruiz" as its sign, with the space behind it, and the name."""
    sign, space, bare = name.partition(" ")
    return (f"{sign} ", bare) if space and len(sign) == 1 and not sign.isalnum() else ("", name)


def shorter_forms(name: str) -> Iterator[str]:
    """A name, then shorter and shorter by whole words; a sign in front stays, and the number of a namesake. No initial
    is left out: the word before the last may be the surname.

    >>> list(shorter_forms("● Inés García López"))[1:]
    ['● Inés García L.', '● Inés G. L.', '● Inés', '● I. G. L.']
    """
    yield name
    sign, bare = _signed(name)
    words = bare.split()
    twin = f" {words.pop()}" if len(words) > 1 and re.fullmatch(r"\(\d+\)", words[-1]) else ""
    if len(words) > 1:
        initials = [f"{word[0]}." for word in words]
        for shorter in ((*words[:-1], initials[-1]), (words[0], *initials[1:]), words[:1], initials):
            yield f"{sign}{' '.join(shorter)}{twin}"


def _abridged(name: Name) -> Iterator[str]:
    """A name with "…" in it, shorter and shorter; it keeps the letter that tells it from its opponent's.

    >>> next(form for form in _abridged(Name.of("Mandalorian1", "Mandalorian2")) if len(form) == 7)
    'Mand…n1'
    """
    sign, bare = _signed(name)
    differs = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(bare, name.unlike, strict=False)))
    for letters in range(len(bare) - 1, 0, -1):
        tail = "" if differs < letters else bare[max(1, differs - 1) :][:2]
        yield f"{sign}{bare[: max(1, letters - len(tail))]}…{tail}{'' if bare.endswith(tail) else '…'}"
    yield f"{sign}…{bare[differs : differs + 1]}"


@lru_cache(maxsize=256)
def fit_pair(
    left: str, right: str, wide: int, high: int, sizes: tuple[int, ...], gap: int = 4
) -> tuple[FittedText, FittedText]:
    """Two names on one line, shortened alike, so that together with the gap between they are no wider than `wide`."""
    one, two = left, right
    for shorter in zip_longest(shorter_forms(left), shorter_forms(right)):
        one, two = shorter[0] or one, shorter[1] or two
        for style in styles(sizes, bold=True):
            fitted = FittedText((one,), *style), FittedText((two,), *style)
            if (
                not look_alike(_signed(one)[1], _signed(two)[1])
                and sum(text.width for text in fitted) + gap <= wide
                and all(text.rise + text.drop <= high for text in fitted)
            ):
                return fitted
    # The shorter one stays whole where it leaves the other more than half.
    wides = [text_width(name, sizes[-1], narrow=True) for name in (left, right)]
    taken = min((wide - gap) // 2, *wides)
    rooms = (taken, wide - gap - taken) if wides[0] <= taken else (wide - gap - taken, taken)
    one, two = Name.of(left, _signed(right)[1]), Name.of(right, _signed(left)[1])
    # On one line.
    high = min(high, sizes[-1] + 5)
    return fit_text(one, rooms[0], high, sizes[-1:]), fit_text(two, rooms[1], high, sizes[-1:])


def _wrap(text: str, wide: int, style: Style) -> tuple[str, ...]:
    """The text in lines no wider than `wide`; () if a part of a word is wider."""
    lines: list[str] = []
    for part, glue in _parts(text):
        if not part:
            # Two spaces: none of them begins a line.
            if lines:
                lines[-1] += glue
            continue
        if lines and text_width(joined := lines[-1] + glue + part, *style) <= wide:
            lines[-1] = joined
        elif text_width(part, *style) <= wide:
            lines.append(part)
        else:
            return ()
    return tuple(line.rstrip().replace("\u00a0", " ") for line in lines)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Pieces between which a line may end, each with what joins it to the one before. A sign stays with its name, and
    so does an initial."""
    for word in re.sub(r"(?<=^\W) (?=\S)|(?<=\w) (?=\w\.(?: |$))", "\u00a0", text).split(" "):
        glue = " "
        pieces = word.split("-") if word.count("-") and not word.startswith("-") else [word]
        for place, piece in enumerate(pieces):
            yield piece + ("-" if place < len(pieces) - 1 else ""), glue
            glue = ""


def canvas(wide: int, high: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("1", (wide, high), 0)
    return image, ImageDraw.Draw(image)
