"""An event's options as a form: those that its rulebook has, shown and read back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from roundtap_core.errors import Invalid
from roundtap_core.event.setup import ABOUT
from roundtap_core.eventfile.file_schema import DeckEra, SecondStage, TableOrder
from roundtap_core.rulebooks.base import Options, Rulebook, may_play
from roundtap_core.rulebooks.fact_sheet import games_allowed
from roundtap_core.typed import MOST_ROUNDS, STAGE_OPTIONS
from roundtap_core.words import Words
from roundtap_hub.live import forms

STAGES = ("swiss", "elimination", "final", "third_place")
CUTS = (0, 2, 4, 8, 16, 32)
OWN = "own"
MAX_MINUTES = 600

NUMBERS = {
    "prize_places": (0, 999),
    "squad_points": (1, 9999),
    "legendary_limit": (0, 3),
    "bye_score": (-20, 20),
    "late_minutes": (0, 120),
}
"""Whole numbers with their limits, offered where the rulebook has a default."""

REQUIRED_NUMBERS = frozenset({"prize_places"})
"""Numbers without a usual value: the form must give one, be it 0, where the rulebook has them."""

TICKS = ("third_place_match", "full_names")
YES_OR_NO = "lists_required"

SECOND_STAGE = "second_stage"

CHOICE_VALUES = {SECOND_STAGE: get_args(SecondStage), "deck_era": get_args(DeckEra), "tables": get_args(TableOrder)}
"""Options with a few values, offered where the rulebook has a default."""

STRUCTURE = ("structure", "swiss_rounds", "cut")

OFFERED = (*STRUCTURE, SECOND_STAGE, "deck_era", "stages", YES_OR_NO, *NUMBERS, *TICKS)
"""The options that the form offers; others come with a file and are kept."""


@dataclass(frozen=True, slots=True)
class OptionsView:
    """What the form shows of a rulebook. `numbers`: (name, lowest, highest, default); `choices`: name and values, the
    usual one first; `stages`: each with its default minutes (None: untimed) and the games it may have."""

    structures: tuple[str, ...]
    numbers: list[tuple[str, int, int, int]]
    choices: tuple[tuple[str, tuple[str, ...]], ...]
    stages: list[tuple[str, int | None, tuple[int, ...]]]
    best_of: tuple[int, ...]
    lists_required: bool
    asked: frozenset[str] = REQUIRED_NUMBERS


def options_view(book: Rulebook) -> OptionsView:
    return OptionsView(
        structures_of(book),
        _numbers(book),
        _choices(book),
        [(stage, book.minutes(stage, {}), games_allowed(book, stage)) for stage in STAGES],
        book.best_of,
        bool(book.option_defaults.get(YES_OR_NO)),
    )


def level_lines(book: Rulebook, words: Words) -> dict[str, str]:
    """What each level of the document changes, in one line; empty where they all say the same."""
    lists = {level: book.lists.required(book.options({}), level) for level in book.levels}
    lines = {}
    for level in book.levels:
        keys = [book.level_notes[level]] if level in book.level_notes else []
        keys.append(f"level.officials.{may_play(book, level)}")
        if len(set(lists.values())) > 1:
            keys.append("level.lists" if lists[level] else "level.no_lists")
        lines[level] = " ".join(map(words, [*keys, *(f"level.tick.{tick}" for tick in book.ticks.get(level, ()))]))
    return lines if len(set(lines.values())) > 1 else {}


def _numbers(book: Rulebook) -> list[tuple[str, int, int, int]]:
    """(name, lowest, highest, default)"""
    usual = book.option_defaults
    return [(name, low, high, usual[name]) for name, (low, high) in NUMBERS.items() if name in usual]


def _choices(book: Rulebook) -> tuple[tuple[str, tuple[str, ...]], ...]:
    choices = {SECOND_STAGE: book.second_stages} if len(book.second_stages) > 1 else {}
    for name, usual in book.option_defaults.items():
        if name in CHOICE_VALUES:
            choices[name] = (usual, *(value for value in CHOICE_VALUES[name] if value != usual))
    return tuple(choices.items())


def structures_of(book: Rulebook) -> tuple[str, ...]:
    return (*book.structures, OWN)


def flatten_options(given: Options) -> dict[str, object]:
    """Options by the names of the form's fields: {"minutes.final": 120}."""
    fields: dict[str, object] = {key: value for key, value in given.items() if key != "stages"}
    for stage, values in given.get("stages", {}).items():
        if "best_of" in values:
            fields[f"best_of.{stage}"] = values["best_of"]
        if "minutes" in values:
            fields[f"minutes.{stage}" if values["minutes"] is not None else f"untimed.{stage}"] = values["minutes"] or 1
    if YES_OR_NO in given:
        fields[YES_OR_NO] = "1" if given[YES_OR_NO] else "0"
    return fields


def read_options(book: Rulebook, field: Callable[[str], str]) -> Options:
    """The options that were chosen; the rulebook decides the rest. Raises Problem with the field's place."""
    chosen = read_structure(book, field)
    for name, low, high, _ in _numbers(book):
        value = _number(field, name, low, high)
        if value is None and name in REQUIRED_NUMBERS:
            raise Invalid("option_asked", where=option_path(name))
        if value is not None:
            chosen[name] = value
    for name, values in _choices(book):
        if field(name) in values[1:]:
            chosen[name] = field(name)
    chosen.update({name: True for name in TICKS if field(name)})
    if field(YES_OR_NO) in ("0", "1"):
        chosen[YES_OR_NO] = field(YES_OR_NO) == "1"
    stages = {stage: lengths for stage in STAGES if (lengths := _stage(stage, field))}
    if stages:
        chosen["stages"] = stages
    book.check_options(chosen)
    return chosen


def read_structure(book: Rulebook, field: Callable[[str], str]) -> dict[str, object]:
    """The structure, with rounds and cut where they were chosen."""
    chosen: dict[str, object] = {}
    structure = field("structure") or str(book.option_defaults["structure"])
    if structure not in structures_of(book):
        raise Invalid("not_one_of", where="/options/structure", value=structure, options=", ".join(structures_of(book)))
    chosen["structure"] = structure
    rounds = _number(field, "swiss_rounds", 0, MOST_ROUNDS)
    if rounds is not None:
        chosen["swiss_rounds"] = rounds
    cut = _number(field, "cut", 0, CUTS[-1])
    if cut is not None:
        if cut not in CUTS:
            raise Invalid("not_one_of", where="/options/cut", value=cut, options=", ".join(map(str, CUTS)))
        chosen["cut"] = cut
    return chosen


def _stage(stage: str, field: Callable[[str], str]) -> dict[str, int | None]:
    values: dict[str, int | None] = {}
    minutes = _number(field, f"minutes.{stage}", 1, MAX_MINUTES)
    if field(f"untimed.{stage}"):
        values["minutes"] = None
    elif minutes is not None:
        values["minutes"] = minutes
    games = _number(field, f"best_of.{stage}", *STAGE_OPTIONS["best_of"])
    if games is not None:
        values["best_of"] = games
    return values


def option_path(name: str) -> str:
    """The place of a field's option in an event file, as a Problem names it."""
    option, _, stage = name.partition(".")
    if not stage:
        return f"/options/{name}"
    return f"/options/stages/{stage}/{'minutes' if option == 'untimed' else option}"


def _number(field: Callable[[str], str], name: str, low: int, high: int) -> int | None:
    return forms.read_number(field(name), (low, high), where=option_path(name))


ABOUT_PLACES = tuple(f"/{key}" for key in ABOUT)  # the places that a Problem with the event's own details names
