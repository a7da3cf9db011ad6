"""The contents of a table's screen, as plain data in the players' language; `screens` draws it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Not when it runs: with msgspec it would take a fifth of the time to the first screen.
    from roundtap_core.records import Side as Side

SIGNS: dict[Side, str] = {"a": "●", "b": "■"}


class Name(str):
    """A text that is a name, with its sign: where it is too long it may be shortened as names are, by words, and at
    last by letters; `unlike` is the opponent's name, for which it must not be taken then."""

    unlike: str = ""

    @classmethod
    def of(cls, name: str, unlike: str) -> Name:
        made = cls(name)
        made.unlike = unlike
        return made


class Sentence(str):
    """A text with a name in it, and the same with shorter and shorter names, for where it is too long."""

    __slots__ = ("shorter",)
    shorter: tuple[str, ...]

    @classmethod
    def of(cls, forms: Iterable[str]) -> Sentence:
        first, *shorter = forms
        made = cls(first)
        made.shorter = tuple(shorter)
        return made


class ScoreRow(str):
    """ "● Ana R. 100:24 Bruno M.": a score, the names of those it belongs to, and the sign of who won."""

    names: list[Name]
    signs: list[str]
    figures: str

    @classmethod
    def of(cls, names: list[Name], signs: list[str], figures: str) -> ScoreRow:
        made = cls(f"{signs[0]} {names[0]} {figures} {names[1]} {signs[1]}".strip())
        made.names, made.signs, made.figures = names, signs, figures
        return made


@dataclass(frozen=True, slots=True)
class NameRow:
    name: Name
    figure: str = ""

    def __str__(self) -> str:
        return f"{self.name}  {self.figure}".rstrip()


@dataclass(frozen=True, slots=True)
class HalfScreen:
    """One person's part of the screen: a head line, beside it small text and one big figure; a note beneath. `role`:
    what the game calls their side."""

    head: str
    big: str = ""
    small: str = ""
    note: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A name above a figure. `wheels` are the figure's parts as they are dialled; `active` is the one that turns.
    `active` -1: the whole figure, untouched, is offered as it stands. None: nothing turns here. `unset`: the figure was
    neither set nor confirmed yet."""

    sign: str
    name: str
    wheels: tuple[str, ...]
    active: int | None = None
    unset: bool = False

    @property
    def figure(self) -> str:
        return "".join(self.wheels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """`kind` is for programs. `mark` is the age of the last contact, `badge` says practice or virtual."""

    kind: str
    facing: str = "opposite"
    mark: str = ""
    badge: str = ""

    def all_text(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class HalvesScene(Scene):
    """Both people are addressed, each by their own half."""

    a: HalfScreen
    b: HalfScreen

    def all_text(self) -> str:
        return _join(
            *(text for half in (self.a, self.b) for text in (half.head, half.role, half.big, half.small, half.note))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresScene(Scene):
    """Two names with their figures, own left, turned to the person who acts. `title` above; below `info` (what it is
    worth) beside the clock, and `hint` (what can be pressed) beside a `note`."""

    turn: Side
    left: FigureColumn
    right: FigureColumn
    title: str = ""
    info: str = ""
    hint: str = ""
    clock: str = ""
    note: str = ""

    def all_text(self) -> str:
        left, right = self.left, self.right
        return _join(
            self.title,
            f"{left.sign} {left.name} {left.figure}",
            f"{right.figure} {right.name} {right.sign}",
            self.info,
            self.note,
            self.hint,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScene(Scene):
    """A title, a few lines and the buttons' meaning; turned to one person, or (`turn` None) for all. `big`: legible
    from two steps away, below the title."""

    turn: Side | None = None
    title: str
    big: str = ""
    lines: tuple[str | NameRow, ...] = ()
    hint: str = ""

    def all_text(self) -> str:
        return _join(self.title, self.big, *map(str, self.lines), self.hint)


@dataclass(frozen=True, slots=True)
class SquadMark:
    """One of a few things to choose from: `picked` now, `used` before, `cursor` where the own button has stepped to."""

    letter: str
    picked: bool = False
    used: bool = False
    cursor: bool = False

    def __str__(self) -> str:
        letter = f"[{self.letter}]" if self.picked else self.letter
        return f"{'►' if self.cursor else ''}{letter}{'✓' if self.used else ''}"


@dataclass(frozen=True, slots=True)
class SidePart:
    """One person's own page beside the other's: the name (or "", where what has to be known needs its room), the
    question, figures or marks, the buttons' meaning. `unset`: the figure was neither set nor confirmed yet."""

    head: str
    label: str = ""
    figures: tuple[str, ...] = ()
    marks: tuple[SquadMark, ...] = ()
    hint: str = ""
    unset: bool = False

    def all_text(self) -> str:
        return _join(self.head, self.label, *self.figures, " ".join(map(str, self.marks)), self.hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySideScene(Scene):
    a: SidePart
    b: SidePart

    def of(self, side: Side) -> SidePart:
        return self.a if side == "a" else self.b

    def all_text(self) -> str:
        return _join(self.a.all_text(), self.b.all_text())


def _join(*texts: str) -> str:
    return " | ".join(text for text in texts if text)
