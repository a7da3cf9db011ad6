"""People imported from a table: upload or paste, columns, a preview of each row; then all ticked rows or none."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flask import g, request, url_for
from msgspec import structs
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import ChangePerson, Command, EnterCompetitor, SetFixedTable, SetTravelGroup
from roundtap_core.event.entries import Person, refuse_unfit_person
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.eventfile.exports import typed_text
from roundtap_core.lists.list_form import fold, members_of, team_problems
from roundtap_core.names import clean_name
from roundtap_core.typed import ID_LETTERS, next_number
from roundtap_core.wire import digest
from roundtap_hub.http.http_answers import problem_status
from roundtap_hub.http.routes import BEFORE_ROUND_1, HEADS_AND_DESK, OPEN, VISIBLE, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.people.coming_words import parse_paid
from roundtap_hub.people.list_rows import ListedRow, is_turned, read_list_rows, split_added, turned_name
from roundtap_hub.people.raw_table import (
    LINE_BREAK_SIGN,
    MOST_ROWS,
    Rows,
    Sheet,
    join_rows,
    join_sheets,
    name_rows,
    sheet_of_text,
    sheets_of_file,
    split_rows,
    split_sheets,
)
from roundtap_hub.people.table_columns import (
    CAME_WITH,
    CAPTAINS,
    CLUB,
    FIRST,
    ID,
    LAST,
    LINK,
    MEANINGS,
    MEMBER_1,
    MEMBER_2,
    NAME,
    NOTE,
    OF_TEAMS,
    PAID,
    SKIP,
    TABLE,
    TURNED,
    guess_columns,
    guess_heading,
    heading_text,
)
from roundtap_hub.store.command_pipeline import IMPORT_TIMEOUT_S, person_and_entrant
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.models import is_damaged
from roundtap_hub.store.service import Step
from roundtap_hub.views.saved_event import SavedEvent

NEW, EXISTING, DUPLICATE, INVALID = "new", "here", "twice", "wrong"
"""Kinds of rows: a new person; one already in the event; the same as an earlier row; unusable."""

MOST_TABLES = 999
UNREADABLE = "\ufffd"

SAMPLE_ROWS = 3
HEADINGS_OFFERED = 30


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One row, by its number in the table, with the person as they would be saved. `known`: the competitor of the event
    that it is about; `changes`: the fields that would change; `as_row`: the earlier row about the same person;
    `problem`: why it cannot be taken."""

    row: int
    kind: str
    person: Person
    came_with: str | None = None
    fixed_table: int | None = None
    known: str | None = None
    known_name: str = ""
    changes: tuple[str, ...] = ()
    as_row: int | None = None
    problem: Problem | None = None
    odd: str = ""  # one of `list_rows.ODD`: the person is asked first
    said: str = ""  # the list's own words for that

    @property
    def usable(self) -> bool:
        """Whether it can be taken: it adds or changes something."""
        return self.problem is None and (
            self.kind in (NEW, DUPLICATE) or (self.kind == EXISTING and bool(self.changes))
        )

    @property
    def usual(self) -> bool:
        """Whether it is ticked by default."""
        return self.kind == NEW and not self.odd


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """All rows that are not empty, in order. `mark`: a digest of this plan."""

    rows: tuple[PlannedRow, ...]
    mark: str

    def count(self, kind: str) -> int:
        return sum(row.kind == kind for row in self.rows)


def plan_import(
    rows: Rows,
    heading: int,
    columns: Sequence[str],
    entrants: Mapping[str, Entrant],
    people: Mapping[str, Person],
    team_size: int = 1,
) -> ImportPlan:
    """Plan these rows. Raises Problem("import_no_name") without a name column, and Problem("import_column_twice") where
    two columns have one meaning."""
    for meaning in columns:
        if meaning not in (SKIP, FIRST, LAST) and list(columns).count(meaning) > 1:
            raise Problem("import_column_twice", column=meaning)
    if {NAME, TURNED} <= set(columns):
        raise Problem("import_column_twice", column=TURNED)
    if not {NAME, TURNED, FIRST, LAST} & set(columns):
        raise Problem("import_no_name")
    filled = [
        (number, _cells(row, columns), row)
        for number, row in enumerate(rows[heading:], start=heading + 1)
        if any(row) and not (heading and row == rows[heading - 1])
    ]
    listed = read_list_rows(filled, team_size > 1, rows[heading - 1] if heading else ("",) * len(rows[0]))
    if team_size > 1:
        listed = _teams_of_players(listed, rows, rows[heading - 1] if heading else ())
    book = _KnownPeople(entrants, people, team_size)
    made = tuple(
        replace(
            book.planned(
                number,
                {
                    meaning: " ".join(typed_text(cell).replace(LINE_BREAK_SIGN, " ").split())
                    for meaning, cell in cells.items()
                },
            ),
            odd=odd,
            said=why,
        )
        for number, cells, odd, why in listed
    )
    seen = [
        [each.row, each.kind, each.person.to_json(), each.came_with, each.fixed_table, each.known, list(each.changes)]
        for each in made
    ]
    return ImportPlan(made, digest([[list(columns), heading], seen])[:16])


def _cells(row: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """A row's cells by meaning. Names may stand in several columns: "van der" and "Berg", "García" and "López"."""
    parts_by_meaning: dict[str, list[str]] = {meaning: [] for meaning in columns if meaning}
    for meaning, cell in zip(columns, row, strict=True):
        if meaning and cell:
            parts_by_meaning[meaning].append(cell)
    return {
        meaning: " ".join(sorted(parts, key=lambda part: not part.islower()))
        for meaning, parts in parts_by_meaning.items()
    }


def _teams_of_players(listed: Sequence[ListedRow], rows: Rows, headings: Sequence[str]) -> list[ListedRow]:
    """A team's rows of one player each as one row, its captain first."""
    teams: dict[str, ListedRow] = {}
    made: list[ListedRow] = []
    captains = [n for n, heading in enumerate(headings) if heading_text(heading) in CAPTAINS]
    for number, cells, odd, why in listed:
        person = cells.get(MEMBER_1) or _name({**cells, NAME: ""}, 1)
        alone, added = split_added(person)
        if fold(added) in CAPTAINS:
            person = alone
        own = {**cells, MEMBER_1: person} if NAME in cells else cells
        first = teams.get(fold(own.get(NAME, "")))
        if first is None or not person or MEMBER_2 in first[1]:
            made.append((number, own, odd, why))
            if MEMBER_2 not in own and person:
                teams.setdefault(fold(own.get(NAME, "")), made[-1])
            continue
        row = rows[number - 1]
        leads = CAPTAINS.intersection((fold(added), *map(heading_text, row))) or any(
            parse_paid(row[n]) for n in captains
        )
        first[1].update({MEMBER_1: person, MEMBER_2: first[1][MEMBER_1]} if leads else {MEMBER_2: person})
    return made


class _KnownPeople:
    def __init__(self, entrants: Mapping[str, Entrant], people: Mapping[str, Person], team_size: int) -> None:
        self._entrants, self._team_size = entrants, team_size
        self._people = {who: people[who] for who in entrants if who in people}
        self._by_name: dict[str, list[str]] = {}
        self._by_id: dict[str, str] = {}
        for who, person in self._people.items():
            self._by_name.setdefault(fold(person.name), []).append(who)
            if person.external_id:
                self._by_id.setdefault(person.external_id.casefold(), who)
        self._members = {one: name for person in self._people.values() for one, name in members_of(person).items()}
        self._rows_by_name: dict[str, tuple[int, str]] = {}
        self._rows_by_id: dict[str, int] = {}

    def planned(self, row: int, cells: Mapping[str, str]) -> PlannedRow:
        try:
            person, table = self._read(cells)
        except Problem as problem:
            return PlannedRow(row, INVALID, Person(_name(cells, self._team_size) or "–"), problem=problem)
        came_with = cells.get(CAME_WITH) or None
        try:
            competitor = self._known(person)
            earlier = self._earlier(person)
            planned = (
                self._of_event(row, competitor, person, came_with, table)
                if competitor is not None
                else PlannedRow(row, DUPLICATE if earlier else NEW, person, came_with, table, as_row=earlier)
            )
            if self._team_size > 1 and (competitor is None or MEMBER_1 in planned.changes):
                for broken in team_problems(person, self._team_size, self._members):
                    raise broken
                self._members.update(members_of(person))
        except Problem as problem:
            return PlannedRow(row, INVALID, person, problem=problem)
        self._rows_by_name.setdefault(fold(person.name), (row, (person.external_id or "").casefold()))
        if person.external_id:
            self._rows_by_id.setdefault(person.external_id.casefold(), row)
        if earlier and competitor is not None:
            # Of two rows about one competitor the first counts.
            return replace(planned, kind=DUPLICATE, as_row=earlier, problem=Problem("import_twice_here", row=earlier))
        return planned

    def _read(self, cells: Mapping[str, str]) -> tuple[Person, int | None]:
        name = clean_name(_name(cells, self._team_size))
        if not name:
            raise Problem("import_name_missing")
        members = tuple(member for key in (MEMBER_1, MEMBER_2) if (member := clean_name(cells.get(key, ""))))
        has_paid, note = parse_paid(cells.get(PAID, "")), cells.get(NOTE, "")
        if has_paid is None:
            note = " · ".join(filter(None, (note, cells[PAID])))
        link = cells.get(LINK, "")
        if link and "://" not in link and " " not in link and "." in link:
            link = f"https://{link}"
        person = Person(
            name,
            club=cells.get(CLUB) or None,
            external_id=cells.get(ID) or None,
            members=members,
            captain=members[0] if members else None,
            paid=bool(has_paid),
            list_link=link or None,
            note=note or None,
        )
        if any(UNREADABLE in cell for cell in (name, person.club or "", *members)):
            raise Invalid("name_unfit")
        if person.external_id and len(person.external_id) > ID_LETTERS:
            raise Invalid("text_too_long", count=len(person.external_id), maximum=ID_LETTERS)
        refuse_unfit_person(person)
        clean_name(cells.get(CAME_WITH, ""))
        return person, _table(cells.get(TABLE, ""))

    def _known(self, person: Person) -> str | None:
        """The competitor that a row is about: by id, else by name where the ids do not differ."""
        by_id = self._by_id.get(person.external_id.casefold()) if person.external_id else None
        if by_id is not None:
            return by_id
        return next(
            (
                who
                for who in self._by_name.get(fold(person.name), ())
                if not (self._people[who].external_id and person.external_id)
            ),
            None,
        )

    def _earlier(self, person: Person) -> int | None:
        """The earlier row about the same person."""
        if person.external_id and person.external_id.casefold() in self._rows_by_id:
            return self._rows_by_id[person.external_id.casefold()]
        row, its = self._rows_by_name.get(fold(person.name), (0, ""))
        differ = bool(its and person.external_id and its != person.external_id.casefold())
        return row if row and not differ else None

    def _of_event(self, row: int, who: str, read: Person, came_with: str | None, table: int | None) -> PlannedRow:
        """A row about a known competitor: empty cells change nothing, and names never change."""
        before, entrant = self._people[who], self._entrants[who]
        after = structs.replace(
            before,
            club=read.club or before.club,
            external_id=read.external_id or before.external_id,
            list_link=read.list_link or before.list_link,
            note=read.note or before.note,
            paid=read.paid or before.paid,
            members=before.members or read.members,
            captain=before.captain or read.captain,
        )
        changes = [
            key
            for key, field in (
                (CLUB, "club"),
                (ID, "external_id"),
                (LINK, "list_link"),
                (NOTE, "note"),
                (PAID, "paid"),
                (MEMBER_1, "members"),
            )
            if getattr(after, field) != getattr(before, field)
        ]
        if came_with and came_with != entrant.came_with:
            changes.append(CAME_WITH)
        if table is not None and table != entrant.fixed_table:
            changes.append(TABLE)
        return PlannedRow(row, EXISTING, after, came_with, table, who, before.name, tuple(changes))


def _name(cells: Mapping[str, str], team_size: int) -> str:
    if cells.get(NAME):
        return turned_name(cells[NAME])[0] if team_size == 1 and is_turned(cells[NAME]) else cells[NAME]
    if TURNED in cells:
        return turned_name(cells[TURNED])[0]
    return f"{cells.get(FIRST, '')} {cells.get(LAST, '')}".strip()


def _table(text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text[:6]) <= MOST_TABLES or len(text) > 6:
        raise Invalid("table_number", value=text[:20], maximum=MOST_TABLES)
    return int(text)


@route("GET /console/<event_id>/import", HEADS_AND_DESK, VISIBLE)
def import_people(event_id: str) -> AnyResponse:
    event = current.event(event_id)
    if "pasted" in request.form:
        # The paste could not be read; a reload sends it again, so that it is not lost.
        g.address = ""
    return render.page("import_people.html", state=event.state, rulebook=event.state.rulebook)


@dataclass(frozen=True, slots=True)
class ShownTable:
    """One sheet as the page shows it. `sheet`: its place among `sheets`; None until the person has chosen one."""

    rows: Rows
    heading: int
    columns: tuple[str, ...]
    sheets: tuple[Sheet, ...] = ()
    sheet: int | None = 0


@route("POST /console/<event_id>/import/table", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@forms.shows_problem_on(import_people)
def import_preview_page(event_id: str) -> AnyResponse:
    """Preview the table with its columns as guessed, or as the form has them; nothing is saved."""
    event = current.event(event_id)
    team = event.state.rulebook.team_size > 1
    if "table" in request.form:
        return _preview(event, _table_of_form(team))
    sheets = _sheets_uploaded()
    place = next((n for n, sheet in enumerate(sheets) if sheet.rows), 0)
    if not sheets[place].rows:
        raise Problem("table_too_long", rows=MOST_ROWS)
    shown = _guessed(sheets, place, team)
    if sum(not sheet.hidden for sheet in sheets) > 1:
        shown = replace(shown, sheet=None)
    return _preview(event, shown)


def _guessed(sheets: tuple[Sheet, ...], place: int, team: bool) -> ShownTable:
    rows = sheets[place].rows
    heading = guess_heading(rows)
    return ShownTable(rows, heading, guess_columns(rows, heading, team), sheets, place)


@route("POST /console/<event_id>/import/people", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@forms.shows_problem_on(import_people)
def import_rows(event_id: str) -> AnyResponse:
    """Enter and change the ticked rows in one request; if the event changed since the preview, show it again."""
    event = current.event(event_id)
    shown = _table_of_form(event.state.rulebook.team_size > 1)
    ticked = {int(text) for text in request.form.getlist("take") if text.isdecimal() and len(text) <= 6}
    try:
        planned = _planned(event, shown)
        if forms.field("mark") != planned.mark:
            raise Problem("import_changed_meanwhile")
        taken = [row for row in planned.rows if row.row in ticked and row.usable]
        if not taken:
            raise Problem("import_nothing_taken")
        steps, people = _steps(event.state, event_id, taken)
        forms.submit_steps(steps, people, IMPORT_TIMEOUT_S)
    except Problem as problem:
        g.problem, g.status = problem, problem_status(problem)
        # A reload begins anew, so that the form is not sent twice.
        g.address = url_for("console.import_people", event_id=event_id)
        current.drop_request_cache()
        return _preview(current.event(event_id), shown, ticked)
    return forms.back_to_event(event_id, "competitors")


def _steps(state: EventState, event_id: str, taken: Sequence[PlannedRow]) -> tuple[list[Step], list[PersonRecord]]:
    first = next_number((*state.entrants, *state.removed), "p")
    commands: list[Command] = []
    people: list[PersonRecord] = []
    for row in taken:
        if row.known is None:
            competitor = structs.replace(
                row.person.to_competitor(f"p{first}"), came_with=row.came_with, fixed_table=row.fixed_table
            )
            record, entrant = person_and_entrant(event_id, competitor, person=row.person)
            first += 1
            commands.append(EnterCompetitor(entrant))
            people.append(record)
            continue
        entrant, salt = state.entrants[row.known], secrets.token_hex(16)
        commands.append(ChangePerson(row.known, row.person.digest(salt)))
        people.append(PersonRecord(event_id, row.known, salt, row.person))
        if row.came_with and row.came_with != entrant.came_with:
            commands.append(SetTravelGroup(row.known, row.came_with))
        if row.fixed_table is not None:
            commands.append(SetFixedTable(row.known, row.fixed_table))
    return [Step(event_id, command) for command in commands], people


def _sheets_uploaded() -> tuple[Sheet, ...]:
    upload = request.files.get("file")
    raw = upload.read() if upload else b""
    pasted = request.form.get("pasted", "")
    if raw:
        return sheets_of_file(raw, current.words().language)
    if not pasted.strip():
        raise Problem("import_nothing")
    return (sheet_of_text(pasted),)


def _table_of_form(team: bool) -> ShownTable:
    """The sheet, the heading row and each column's meaning, from the form; guessed anew for another sheet, or for
    another heading row where no column was the name."""
    rows, place = split_rows(request.form.get("table", "")), forms.form_number("sheet")
    sheets = split_sheets(request.form["sheets"]) if request.form.get("sheets") else ()
    if sheets:
        if place is None or not 0 <= place < len(sheets) or not sheets[place].rows:
            return ShownTable(rows, 0, ("",) * len(rows[0]), sheets, None)
        if place != forms.form_number("shown"):
            return _guessed(sheets, place, team)
    heading = min(max(0, forms.form_number("heading") or 0), len(rows))
    columns = tuple(
        meaning if (meaning := forms.field(f"column_{number}")) in (*MEANINGS, *OF_TEAMS) else SKIP
        for number in range(len(rows[0]))
    )
    if heading != forms.form_number("heading_was") and not {NAME, TURNED, FIRST, LAST} & set(columns):
        columns = guess_columns(rows, heading, team)
    return ShownTable(rows, heading, columns, sheets, place or 0)


def _planned(event: SavedEvent, shown: ShownTable) -> ImportPlan:
    if shown.sheet is None:
        raise Problem("import_which_sheet")
    people = {who: person for who, person in event.people.items() if not is_damaged(who, person)}
    team_size = event.state.rulebook.team_size
    return plan_import(shown.rows, shown.heading, shown.columns, event.state.entrants, people, team_size)


def _preview(event: SavedEvent, shown: ShownTable, ticked: set[int] | None = None) -> AnyResponse:
    """The columns over a few sample rows, and below them every row with its effect."""
    state, planned = event.state, None
    rows, heading, columns = shown.rows, shown.heading, shown.columns
    about = shown.sheets[shown.sheet] if shown.sheets and shown.sheet is not None else Sheet("", False, ())
    try:
        planned = _planned(event, shown)
    except Problem as problem:
        g.problem = g.get("problem") or problem
        g.status = 400
    counts = {kind: planned.count(kind) for kind in (NEW, EXISTING, DUPLICATE, INVALID)} if planned else {}
    return render.page(
        "import_people.html",
        state=state,
        rulebook=state.rulebook,
        table=join_rows(rows),
        heading=heading,
        headings=rows[heading - 1] if heading else [""] * len(rows[0]),
        columns=columns,
        sample=list(filter(any, rows[heading:]))[:SAMPLE_ROWS],
        sheets=shown.sheets,
        sheet=shown.sheet,
        carried=join_sheets(shown.sheets) if len(shown.sheets) > 1 else "",
        marked=name_rows(about.marked),
        bare=name_rows(about.bare),
        meanings=(*MEANINGS, *(OF_TEAMS if state.rulebook.team_size > 1 else ())),
        plan=planned,
        counts=counts,
        taken={row.row for row in planned.rows if row.usable and (row.usual if ticked is None else row.row in ticked)}
        if planned
        else set(),
        headings_offered=rows[: min(len(rows) - 1, HEADINGS_OFFERED)],
        changed=lambda row: ", ".join(current.words()(f"import.is.{what}") for what in row.changes),
        said=lambda row: Problem(row.problem.key, **row.problem.params).say(current.words()) if row.problem else "",
    )
