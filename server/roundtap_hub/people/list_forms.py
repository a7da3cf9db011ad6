"""Players' lists on the console: a rulebook's form as boxes to fill in, and how each competitor's list stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.lists.list_form import NAMES, NUMBER, TICK, ListField, ListForm, ListTable, option_text
from roundtap_core.records import Competitor
from roundtap_core.words import Words
from roundtap_hub.events.event_at import EventAt, all_competitors
from roundtap_hub.serving.memoized import memoized_by

LETTERS, LINES = 300, 200
"""What one box takes, and how many lines a table has at most."""
SPARE = 3
"""Empty lines after those that are filled in."""

MISSING, WRONG, FLAGGED, GOOD, NONE = "missing", "wrong", "flagged", "good", "none"
"""States of a list: required and not there; something in it is to be mended; a person should look; nothing to say;
not there, and nobody minds."""


@dataclass(frozen=True, slots=True)
class FormBox:
    """One thing to fill in. `name` is its place in the list, without the first "/"; `values` what stands there."""

    name: str
    label: str
    kind: str
    values: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    usual: str = ""


@dataclass(frozen=True, slots=True)
class FormTable:
    """`name` is its place in the list. A row is its boxes, and what is wrong with it."""

    name: str
    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[tuple[FormBox, ...], tuple[str, ...]], ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FormPart:
    """What belongs together: the whole list, or one player's of a team."""

    number: int | None
    boxes: tuple[FormBox, ...]
    tables: tuple[FormTable, ...]
    problems: tuple[str, ...] = ()


class _FormBuilder:
    """Makes the view of one form; every problem is told once, at the narrowest place that holds it."""

    def __init__(self, words: Words, problems: Sequence[Problem], lines: Mapping[str, int]) -> None:
        self._words = words
        self._open = list(problems)
        self._lines = lines

    def view(self, form: ListForm, list_: Mapping[str, Any]) -> dict[str, Any]:
        if form.per_member:
            parts = [self._part(None, form.shared, (), list_, "")]
            parts += [self._part(n + 1, form.fields, form.lines, _at(list_.get("players"), n), f"/players/{n}")
                      for n in range(form.per_member)]
        else:
            parts = [self._part(None, form.fields, form.lines, list_, "")]
        return {"parts": parts, "elsewhere": self._take("")}

    def _part(
        self, number: int | None, fields: Sequence[ListField], lines: Sequence[ListTable], data: Mapping[str, Any],
        where: str
    ) -> FormPart:
        boxes = tuple(self._box(f, data.get(f.key), f"{where}/{f.key}", take=True) for f in fields)
        tables = tuple(self._table(table, data.get(table.key), f"{where}/{table.key}") for table in lines)
        return FormPart(number, boxes, tables, self._take(where) if where else ())

    def _table(self, table: ListTable, typed: object, where: str) -> FormTable:
        known = typed if isinstance(typed, list) else []
        shown = max(table.usually, len(known) + SPARE, self._lines.get(where[1:], 0))
        rows = []
        for index in range(min(shown, LINES)):
            row, place = _at(known, index), f"{where}/{index}"
            boxes = tuple(self._box(c, row.get(c.key), f"{place}/{c.key}", take=False) for c in table.columns)
            rows.append((boxes, self._take(place)))
        columns = tuple((c.kind, self._words(c.text)) for c in table.columns)
        return FormTable(where[1:], self._words(table.text, number=table.number), columns, tuple(rows),
                         self._take(where))

    def _box(self, field: ListField, value: object, where: str, take: bool) -> FormBox:
        options = tuple((option, option_text(self._words, option)) for option in field.options)
        return FormBox(where[1:], self._words(field.text), field.kind, _values(field, value), options,
                   self._take(where) if take else (), "" if field.usual is None else str(field.usual))

    def _take(self, where: str) -> tuple[str, ...]:
        here = [p for p in self._open if not where or p.where == where or p.where.startswith(f"{where}/")]
        self._open = [p for p in self._open if p not in here]
        return tuple(dict.fromkeys(p.say(self._words) for p in here))


def _at(items: object, place: int) -> Mapping[str, Any]:
    """The object at that place of a list, an empty one where there is none."""
    found = items[place] if isinstance(items, list) and place < len(items) else None
    return found if isinstance(found, dict) else {}


def list_view(
    form: ListForm, list_: Mapping[str, Any], problems: Sequence[Problem], words: Words,
    lines: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """The form with what the list says, and each problem beside its place; `elsewhere`: problems that belong to no box,
    line or table. `lines`: at least so many in a table."""
    return _FormBuilder(words, problems, lines or {}).view(form, list_)


def _values(field: ListField, value: object) -> tuple[str, ...]:
    """What the boxes of a field show: as many as it counts, else one."""
    if field.kind == TICK:
        return ("1",) if value is True else ("",)
    if field.kind == NAMES:
        found = [str(name) for name in value] if isinstance(value, list) else []
        if field.count:
            return tuple([*found, *[""] * field.count][: max(field.count, len(found))])
        # A name with a comma of its own would come back as two.
        return (("; " if any("," in name for name in found) else ", ").join(found),)
    return ("" if value is None else str(value),)


def read_list(form: ListForm, typed: Mapping[str, str]) -> dict[str, Any]:
    """The list that was typed. Blank lines are left out; what is no number stays text, for `malformed` to name.

    What the list held beyond the form is left out: the page has named it, and nothing can be made of it.
    """
    if not form.per_member:
        return _read_part(form, typed, "")
    players = [_read_part(form, typed, f"players/{n}/") for n in range(form.per_member)]
    while players and not players[-1]:
        players.pop()
    return {**_read_fields(form.shared, typed, ""), **({"players": players} if players else {})}


def _read_part(form: ListForm, typed: Mapping[str, str], where: str) -> dict[str, Any]:
    part = _read_fields(form.fields, typed, where)
    for lines in form.lines:
        rows = [_read_fields(lines.columns, typed, f"{where}{lines.key}/{n}/") for n in range(LINES)]
        if filled := [row for row in rows if row]:
            part[lines.key] = filled
    return part


def _read_fields(fields: Sequence[ListField], typed: Mapping[str, str], where: str) -> dict[str, Any]:
    read = ((field.key, _read(field, typed, where + field.key)) for field in fields)
    return {key: value for key, value in read if value not in (None, "", [])}


def _read(field: ListField, typed: Mapping[str, str], name: str) -> Any:
    if field.kind == NAMES and field.count:
        return [text for n in range(LINES) if f"{name}/{n}" in typed and (text := _clean(typed[f"{name}/{n}"]))]
    text = _clean(typed.get(name, ""))
    if field.kind == NAMES:
        parts = text.split(";" if ";" in text else ",")
        return [part.strip() for part in parts if part.strip()]
    if field.kind == TICK:
        return True if text else None
    if field.kind == NUMBER and text:
        digits = text.removeprefix("-")
        return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else text
    return text


def _clean(text: str) -> str:
    """One line of readable text."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:LETTERS]).split())


def shown_line_counts(form: ListForm, typed: Mapping[str, str]) -> dict[str, int]:
    """How many lines of each table the page had when its form was sent."""
    parts = [f"players/{n}/" for n in range(form.per_member)] or [""]
    shown = {}
    for name in (f"{part}{lines.key}" for part in parts for lines in form.lines):
        text = typed.get(f"{name}/lines", "")
        shown[name] = min(int(text), LINES) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    return shown


@dataclass(frozen=True, slots=True)
class ListState:
    """How one competitor's list stands, and how many things there are to mend or to look at."""

    state: str
    problems: int = 0
    flags: int = 0


def _lists_key(moment: EventAt) -> object:
    """What lists and their checks depend on: not on reports and results, which come by the hundred."""
    state = moment.state
    return state.entrants, moment.people, state.rulebook_id, state.level, state.given_options


@memoized_by(_lists_key)
def list_states(moment: EventAt) -> Mapping[str, ListState]:
    """How each competitor's list stands, by competitor."""
    state, people = moment.state, all_competitors(moment)
    check, options = state.rulebook.lists, state.options
    flags = [0] * len(people)
    for problem in check.event_warnings(people, options):
        flags[int(problem.where.split("/")[1])] += 1
    found = {}
    for place, person in enumerate(people):
        list_ = check.of_competitor(person)
        flags[place] += len(check.warnings(list_, options, state.level))
        problems = len(check.competitor_problems(person, options, state.level))
        found[person.id] = ListState(_state(list_, problems, flags[place]), problems, flags[place])
    return found


def _state(list_: Mapping[str, Any], problems: int, flags: int) -> str:
    if not list_:
        return MISSING if problems else NONE
    return WRONG if problems else FLAGGED if flags else GOOD


def list_counts(moment: EventAt) -> dict[str, int]:
    """How many lists of those who are in are missing, wrong, or flagged; states that none is in are left out."""
    states = list_states(moment)
    counts: dict[str, int] = {}
    for entrant in moment.state.entrants.values():
        state = states[entrant.id].state
        if entrant.active and state in (MISSING, WRONG, FLAGGED):
            counts[state] = counts.get(state, 0) + 1
    return counts


def flags_of(moment: EventAt, competitor: Competitor) -> list[Problem]:
    """What is flagged in one competitor's list, with places in the list."""
    people = all_competitors(moment)
    check, options = moment.state.rulebook.lists, moment.state.options
    place = next(n for n, person in enumerate(people) if person.id == competitor.id)
    mine = [p.but(p.where.removeprefix(f"/{place}").removeprefix("/list"))
            for p in check.event_warnings(people, options) if p.where.split("/")[1] == str(place)]
    return [*check.warnings(check.of_competitor(competitor), options, moment.state.level), *mine]


ROWS_ADDED = 8
"""What "more lines" adds."""

