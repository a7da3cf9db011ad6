"""A list's form: its boxes and tables, what was typed in them, and the list as it is saved."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import abort, g, request
from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import Person
from roundtap_core.lists import list_form
from roundtap_core.records import Competitor
from roundtap_core.words import Words
from roundtap_hub.live import current, forms
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.views.competitors import ListState, flags_of, list_states
from roundtap_hub.views.saved_event import SavedEvent, all_competitors

LETTERS, LINES = 300, 200  # the most letters in a box, and lines in a table


SPARE = 3  # empty lines after the filled ones


ROWS_ADDED = 8  # what "more lines" adds


@dataclass(frozen=True, slots=True)
class FormBox:
    """One box to fill in. `name`: its place in the list, without the first "/"."""

    name: str
    label: str
    kind: str
    values: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    usual: str = ""


@dataclass(frozen=True, slots=True)
class FormTable:
    """`name`: its place in the list. A row is (boxes, problems)."""

    name: str
    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[tuple[FormBox, ...], tuple[str, ...]], ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FormPart:
    """A section: the whole list, or one team member's."""

    number: int | None
    boxes: tuple[FormBox, ...]
    tables: tuple[FormTable, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListView:
    """A list's form, as saved or as just typed. `elsewhere`: problems without a place; `count`: of all; `standing`: of
    a saved one; `looked_at`: the version that the official saw."""

    who: Competitor
    parts: tuple[FormPart, ...]
    elsewhere: tuple[str, ...]
    flags: tuple[str, ...]
    count: int
    standing: ListState | None
    looked_at: str


class _FormBuilder:
    """Builds the view of one form; every problem is shown once, at the narrowest place that holds it. `lines`: the
    least number of lines by table."""

    def __init__(self, words: Words, problems: Sequence[Problem], lines: Mapping[str, int]) -> None:
        self._words = words
        self._open = list(problems)
        self._lines = lines

    def parts(self, form: list_form.ListForm, list_: list_form.ListData) -> tuple[FormPart, ...]:
        """The form filled with the list, each problem beside its place."""
        if not form.per_member:
            return (self._part(None, form.fields, form.lines, list_, ""),)
        members = (
            self._part(n + 1, form.fields, form.lines, _at(list_.get("players"), n), f"/players/{n}")
            for n in range(form.per_member)
        )
        return (self._part(None, form.shared, (), list_, ""), *members)

    def _part(
        self,
        number: int | None,
        fields: Sequence[list_form.ListField],
        lines: Sequence[list_form.ListTable],
        data: list_form.ListData,
        where: str,
    ) -> FormPart:
        boxes = tuple(self._box(f, data.get(f.key), f"{where}/{f.key}", take=True) for f in fields)
        tables = tuple(self._table(table, data.get(table.key), f"{where}/{table.key}") for table in lines)
        return FormPart(number, boxes, tables, self.take_problems(where) if where else ())

    def _table(self, table: list_form.ListTable, typed: object, where: str) -> FormTable:
        items = typed if isinstance(typed, list) else []
        shown = max(table.usually, len(items) + SPARE, self._lines.get(where[1:], 0))
        rows = []
        for index in range(min(shown, LINES)):
            row, place = _at(items, index), f"{where}/{index}"
            boxes = tuple(self._box(c, row.get(c.key), f"{place}/{c.key}", take=False) for c in table.columns)
            rows.append((boxes, self.take_problems(place)))
        columns = tuple((c.kind, self._words(c.text)) for c in table.columns)
        return FormTable(
            where[1:], self._words(table.text, number=table.number), columns, tuple(rows), self.take_problems(where)
        )

    def _box(self, field: list_form.ListField, value: object, where: str, take: bool) -> FormBox:
        options = tuple((option, list_form.option_text(self._words, option)) for option in field.options)
        return FormBox(
            where[1:],
            self._words(field.text),
            field.kind,
            _values(field, value),
            options,
            self.take_problems(where) if take else (),
            "" if field.usual is None else str(field.usual),
        )

    def take_problems(self, where: str) -> tuple[str, ...]:
        problems = [p for p in self._open if not where or p.where == where or p.where.startswith(f"{where}/")]
        self._open = [p for p in self._open if p not in problems]
        return tuple(dict.fromkeys(p.say(self._words) for p in problems))


def _at(items: object, place: int) -> list_form.ListData:
    item = items[place] if isinstance(items, list) and place < len(items) else None
    return item if isinstance(item, dict) else {}


def _values(field: list_form.ListField, value: object) -> tuple[str, ...]:
    if field.kind == list_form.TICK:
        return ("1",) if value is True else ("",)
    if field.kind == list_form.NAMES:
        names = [str(name) for name in value] if isinstance(value, list) else []
        if field.count:
            return tuple([*names, *[""] * field.count][: max(field.count, len(names))])
        # A name that contains a comma would be read back as two.
        return (("; " if any("," in name for name in names) else ", ").join(names),)
    return ("" if value is None else str(value),)


def read_list(form: list_form.ListForm, typed: Mapping[str, str]) -> dict[str, object]:
    """The typed list without blank lines or anything beyond the form; an unreadable number stays text, for
    `ListCheck.malformed` to report."""
    if not form.per_member:
        return _read_part(form, typed, "")
    players = [_read_part(form, typed, f"players/{n}/") for n in range(form.per_member)]
    while players and not players[-1]:
        players.pop()
    return {**_read_fields(form.shared, typed, ""), **({"players": players} if players else {})}


def _read_part(form: list_form.ListForm, typed: Mapping[str, str], where: str) -> dict[str, object]:
    part = _read_fields(form.fields, typed, where)
    for lines in form.lines:
        rows = [_read_fields(lines.columns, typed, f"{where}{lines.key}/{n}/") for n in range(LINES)]
        if filled := [row for row in rows if row]:
            part[lines.key] = filled
    return part


def _read_fields(fields: Sequence[list_form.ListField], typed: Mapping[str, str], where: str) -> dict[str, object]:
    read = ((field.key, _read(field, typed, where + field.key)) for field in fields)
    return {key: value for key, value in read if value not in (None, "", [])}


def _read(field: list_form.ListField, typed: Mapping[str, str], name: str) -> object:
    if field.kind == list_form.NAMES and field.count:
        return [text for n in range(LINES) if f"{name}/{n}" in typed and (text := _clean(typed[f"{name}/{n}"]))]
    text = _clean(typed.get(name, ""))
    if field.kind == list_form.NAMES:
        parts = text.split(";" if ";" in text else ",")
        return [part.strip() for part in parts if part.strip()]
    if field.kind == list_form.TICK:
        return True if text else None
    if field.kind == list_form.NUMBER and text:
        digits = text.removeprefix("-")
        return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else text
    return text


def _clean(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text[:LETTERS]).split())


def shown_line_counts(form: list_form.ListForm, typed: Mapping[str, str]) -> dict[str, int]:
    """How many lines of each table the page had when its form was sent."""
    parts = [f"players/{n}/" for n in range(form.per_member)] or [""]
    shown = {}
    for name in (f"{part}{lines.key}" for part in parts for lines in form.lines):
        text = typed.get(f"{name}/lines", "")
        shown[name] = min(int(text), LINES) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    return shown


def list_view(event: SavedEvent, competitor: str) -> ListView:
    """A list's form, as saved or as this request has it; 404 for an unknown competitor."""
    who = listed_competitor(event, competitor)
    state, check = event.state, event.state.rulebook.lists
    form, typed = check.form(state.options), request.form if request.method == "POST" else None
    list_, lines = check.canonical(check.of_competitor(who), state.options), {}
    if typed is not None:
        list_, lines = read_list(form, typed), shown_line_counts(form, typed)
        if (more := forms.field("more")) in lines:
            lines[more] += ROWS_ADDED
    problems = _problems(event, check.with_list(who, list_) if typed is not None else who) if list_ else []
    if typed is None:
        list_ = list_ or dict(check.initial_list(who))
    builder = _FormBuilder(current.game_words(event.state), problems, lines)
    return ListView(
        who,
        builder.parts(form, list_),
        builder.take_problems(""),
        tuple(flag.say(current.words()) for flag in (flags_of(event, who) if typed is None else ())),
        len(problems),
        list_states(event)[competitor] if typed is None else None,
        _seen_version(check, who),
    )


def typed_list(event: SavedEvent, competitor: str) -> tuple[PersonRecord, str, int | None] | None:
    """The list in this request's form as (person, digest, total); None where nothing changed. A list that breaks a rule
    is saved: judges decide about it. Raises Problem("list_not_saved", "list_changed_meanwhile")."""
    listed, check = listed_competitor(event, competitor), event.state.rulebook.lists
    list_ = check.canonical(read_list(check.form(event.state.options), request.form), event.state.options)
    if check.malformed(list_, event.state.options):
        raise Invalid("list_not_saved")
    if forms.field("seen") != _version(check, listed):
        raise Problem("list_changed_meanwhile")
    list_ = check.completed(list_)
    if list_ == check.of_competitor(listed):
        return None
    who = check.with_list(listed, list_)
    person_before = event.people.get(who.id) or Person(who.name)
    person, salt = (
        replace(person_before, list=who.list, identity=who.identity, houses=who.houses),
        secrets.token_hex(16),
    )
    return PersonRecord(event.state.id, who.id, salt, person), person.digest(salt), check.total(list_)


def listed_competitor(event: SavedEvent, competitor: str) -> Competitor:
    listed = next((c for c in all_competitors(event) if c.id == competitor), None)
    if listed is None:
        abort(404)
    return listed


def _seen_version(check: list_form.ListCheck, who: Competitor) -> str:
    """The version that the official saw: after a warning that it changed meanwhile, the new one."""
    problem: Problem | None = g.get("problem")
    warned = problem is not None and problem.key == "list_changed_meanwhile"
    return _version(check, who) if warned else forms.field("seen") or _version(check, who)


def _version(check: list_form.ListCheck, who: Competitor) -> str:
    return list_form.list_digest(check.normalized(check.of_competitor(who)), "")


def _problems(event: SavedEvent, who: Competitor) -> list[Problem]:
    state = event.state
    problems = state.rulebook.lists.competitor_problems(who, state.options, state.level)
    return [p.replace(p.where.removeprefix("/list")) for p in problems]
