"""The rulebooks, one module each; `book_of` finds an event's, `planned_structure` says what it has planned.

Each module is imported when its rulebook is first asked for: a command that reads an event file needs one of them.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

from roundtap_core.errors import Invalid, Problem
from roundtap_core.records import SWISS, Tournament, present_count
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.typed import MalformedMessage

MODULES = tuple(
    sorted(
        name.removesuffix(".py")
        for name in os.listdir(os.path.dirname(__file__))
        if name.endswith(".py") and name != "__init__.py"
    )
)


class Rulebooks(Mapping[str, Rulebook]):
    """Every class in a module of this package that has an id of its own, by that id, in the order in which they are
    offered: by `listed`, then by id. A module's name, with dashes, begins its rulebooks' ids: so one is found without
    the others, which are imported by whoever asks for all. Any thread may ask."""

    def __init__(self) -> None:
        self._made: dict[str, Rulebook] = {}
        self._ids: tuple[str, ...] = ()

    def __getitem__(self, rulebook_id: str) -> Rulebook:
        if rulebook_id not in self._made:
            self._look(module for module in MODULES if rulebook_id.startswith(module.replace("_", "-")))
        return self._made[rulebook_id]

    def __iter__(self) -> Iterator[str]:
        if not self._ids:
            self._look(MODULES)
            self._ids = tuple(sorted(self._made, key=lambda each: (self._made[each].listed, each)))
        return iter(self._ids)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _look(self, modules: Iterable[str]) -> None:
        for name in (f"{__package__}.{module}" for module in modules):
            for one in vars(import_module(name)).values():
                if isinstance(one, type) and issubclass(one, Rulebook) and one.__module__ == name and "id" in vars(one):
                    # Two threads may make one each; everybody gets the same.
                    self._made.setdefault(one.id, one())


RULEBOOKS = Rulebooks()


def rulebook(rulebook_id: str, rules: str | None = None) -> Rulebook:
    """The rulebook of this id, or the one that `rules` are, a store's own game. Raises Problem: "unknown_rulebook",
    "rules_unreadable", "rules_not_of_id"."""
    if rules is not None:
        return _own_game(rulebook_id, rules)
    try:
        return RULEBOOKS[rulebook_id]
    except (KeyError, TypeError):
        raise Invalid("unknown_rulebook", where="/rulebook", value=rulebook_id, known=", ".join(RULEBOOKS)) from None


def _own_game(rulebook_id: str, rules: str) -> Rulebook:
    # Most events are played by a document.
    from roundtap_core.rulebooks.own import own_rulebook

    try:
        book = own_rulebook(rules)
    except MalformedMessage as error:
        raise Invalid("rules_unreadable", where="/rules", reason=str(error.reasons[0])) from None
    if book.id != rulebook_id:
        raise Invalid("rules_not_of_id", where="/rulebook", value=rulebook_id, right=book.id)
    return book


def book_of(tournament: Tournament) -> Rulebook:
    """The rulebook that a tournament is played by."""
    return rulebook(tournament.rulebook, tournament.rules)


def planned_structure(tournament: Tournament) -> tuple[int, int]:
    """(Swiss rounds, cut) of the event's structure, for those who were there when round 1 was drawn. Raises
    Problem("no_structure") where the table has no line for so few."""
    book = book_of(tournament)
    swiss = tournament.stage_rounds(SWISS)
    # Who came late to meet the bye was not there, and sits in a match all the same: the event itself knows better.
    known = (tournament.record or {}).get("checked_in") if swiss else None
    players = known or (present_count(swiss[0].matches) if swiss else sum(c.active for c in tournament.competitors))
    return book.structure(players, book.options(tournament.options))


def planned_structure_or_none(tournament: Tournament) -> tuple[int, int] | None:
    """The same; None where the table has no line for so few."""
    try:
        return planned_structure(tournament)
    except Problem:
        return None
