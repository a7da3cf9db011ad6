"""People imported from a table: upload or paste, columns, a preview of each row; then all ticked rows or none."""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from flask import g, request, url_for
from msgspec import structs
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import ChangePerson, Command, EnterCompetitor, SetFixedTable, SetTravelGroup
from roundtap_core.event.person import Person, refuse_unfit_person
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.limits import ID_LETTERS
from roundtap_core.lists.list_form import fold
from roundtap_core.lists.teams import members_of, team_problems
from roundtap_core.names import clean_name
from roundtap_core.numbers import next_number
from roundtap_core.wire import digest
from roundtap_hub.access.policy import BEFORE_ROUND_1, HEADS_AND_DESK, OPEN, VISIBLE, route
from roundtap_hub.events.new_event import IMPORT_TIMEOUT_S, person_and_entrant
from roundtap_hub.events.saved_event import SavedEvent
from roundtap_hub.people.raw_table import LINE_BREAK_SIGN, Rows, join_rows, split_rows, table_of_file, table_of_text
from roundtap_hub.serving import web
from roundtap_hub.serving.http_answers import problem_status
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.person_rows import is_damaged
from roundtap_hub.store.service import Step

NAME, FIRST, LAST, CLUB, ID, LINK, PAID, NOTE, CAME_WITH, TABLE, MEMBER_1, MEMBER_2, SKIP = (
    "name",
    "first",
    "last",
    "club",
    "id",
    "link",
    "paid",
    "note",
    "came_with",
    "table",
    "member_1",
    "member_2",
    "",
)
MEANINGS = (NAME, FIRST, LAST, CLUB, ID, LINK, PAID, NOTE, CAME_WITH, TABLE)
OF_TEAMS = (MEMBER_1, MEMBER_2)  # columns of teams only

_HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        NAME: "name|full name|player|player name|players|real name|participant|competitor|attendee|display name|"
        "team name|nombre completo|nombre y apellidos|jugador|jugadora|jugadores|participante|nombre del jugador|"
        "spieler|spielerin|spielername|teilnehmer|teilnehmerin|vollstandiger name|vor und nachname|name vorname|"
        "imie i nazwisko|gracz|gracze|zawodnik|zawodniczka|uczestnik|nazwisko i imie|nazwa druzyny|druzyna gracza",
        FIRST: "first name|firstname|given name|forename|first|nombre|nombres|vorname|imie",
        LAST: "last name|lastname|surname|family name|last|apellido|apellidos|nachname|familienname|zuname|nazwisko",
        CLUB: "club|team|team club|club team|group|store|teamname|playgroup|gaming group|equipo|grupo|tienda|"
        "asociacion|verein|mannschaft|gruppe|laden|klub|druzyna|sklep|stowarzyszenie",
        ID: "id|player id|membership|membership number|member id|member number|number id|itc id|bcp id|user id|"
        "longshanks id|wizards id|dci|id de jugador|id jugador|socio|numero de socio|n de socio|spieler id|"
        "spielernummer|mitgliedsnummer|mitglieds nr|id gracza|numer gracza|nr gracza|numer czlonkowski",
        LINK: "list link|link|list url|url|army list|list|list link url|squad|squad link|army list link|roster|"
        "roster link|enlace|enlace a la lista|lista|ejercito|listenlink|link zur liste|liste|armeeliste|"
        "link do listy|lista armii|rozpiska|adres listy",
        PAID: "paid|payment|paid status|payment status|has paid|fee paid|pagado|pago|cuota|ha pagado|bezahlt|zahlung|"
        "startgeld|startgebuhr|zaplacone|oplacone|oplata|wplata|wpisowe|platnosc",
        NOTE: "note|notes|comment|comments|remark|remarks|nota|notas|comentario|comentarios|observaciones|notiz|"
        "notizen|bemerkung|bemerkungen|kommentar|anmerkung|notatka|notatki|uwagi|komentarz",
        CAME_WITH: "came with|with|travels with|car|carpool|vino con|viene con|coche|kommt mit|fahrgemeinschaft|"
        "angereist mit|przyjechal z|przyjechali z|z kim|razem z",
        TABLE: "fixed table|table|fixed seat|mesa fija|mesa|fester tisch|tisch|staly stol|stol",
        MEMBER_1: "captain|member 1|player 1|first player|capitan|miembro 1|jugador 1|kapitan|mitglied 1|spieler 1|"
        "czlonek 1|gracz 1",
        MEMBER_2: "member 2|player 2|second player|member|partner|miembro 2|jugador 2|miembro|mitglied 2|spieler 2|"
        "mitglied|czlonek 2|gracz 2|czlonek",
    }
)
_NICKNAME_HEADINGS = (
    "nickname|nick|username|user name|alias|handle|apodo|usuario|spitzname|benutzername|nutzername|pseudonim|ksywka"
)
"""Used as names where no better column exists."""
_IGNORED_HEADINGS = (
    "rank|place|position|seed|no|nr|faction|army|points|score|wins|losses|draws|record|mov|sos|country|city|state|email|"
    "e mail|mail|phone|checked in|check in|dropped|drop|status|registered|registration date|date|time|rounds|ticket|"
    "order|order number|discord|pronouns|region|elo|rating|itc score|faccion|ejercito|puntos|puesto|pais|ciudad|correo|"
    "correo electronico|telefono|fecha|fraktion|armee|punkte|platz|rang|land|ort|stadt|telefon|datum|frakcja|armia|"
    "punkty|miejsce|kraj|miasto|adres e mail|data|lp"
)
"""Known headings of columns that are not imported."""

_BY_HEADING = {heading: meaning for meaning, said in _HEADINGS.items() for heading in said.split("|")}
_KNOWN = {*_BY_HEADING, *_NICKNAME_HEADINGS.split("|"), *_IGNORED_HEADINGS.split("|")}

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_NUMBER = re.compile(r"#?[A-Za-z]{0,4}[- ]?\d{1,12}")
_WORDS = re.compile(r"[^\W\d_]{2,}")

YES, NO = (
    frozenset(said.split())
    for said in (
        "yes y x true 1 paid ok ja j bezahlt wahr si s pagado verdadero tak t zaplacone oplacone prawda ✓ ✔ ☑ "
        "completed complete",
        "no n false 0 unpaid open nein offen falsch pendiente falso nie niezaplacone pending none ✗ ✘ ☐ -",
    )
)

HEADING_ROWS_MAX = 5  # how many rows are searched for the headings: exports may begin with a title

NEW, EXISTING, DUPLICATE, INVALID = "new", "here", "twice", "wrong"
"""Kinds of rows: a new person; one already in the event; the same as an earlier row; unusable."""

NAMES = (NAME, FIRST, LAST, MEMBER_1, MEMBER_2)
MOST_TABLES = 999
UNREADABLE = "\ufffd"

AFTER_A_COMMA = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"})
"""Suffixes after a comma that are not first names."""

SAMPLE_ROWS = 4


def guess_heading(rows: Rows) -> int:
    """The row of the headings, counted from 1; 0: none."""
    best, most = 0, 0
    for number, row in enumerate(rows[:HEADING_ROWS_MAX], start=1):
        known = sum(_heading(cell) in _KNOWN for cell in row)
        written = sum(bool(cell) for cell in row)
        if known > most and known * 2 >= written:
            best, most = number, known
    return best


def guess_columns(rows: Rows, heading: int, team: bool = False) -> tuple[str, ...]:
    """The meaning of each column, each at most once; SKIP for the others."""
    below, columns = rows[heading:], [SKIP] * len(rows[0])
    named = [_heading(cell) for cell in rows[heading - 1]] if heading else [""] * len(columns)
    for column, heading_text in enumerate(named):
        meaning = _BY_HEADING.get(heading_text, SKIP)
        if meaning in OF_TEAMS and not team:
            meaning = SKIP
        if meaning == CLUB and team and heading_text in ("team", "equipo", "mannschaft", "druzyna", "teamname"):
            meaning = NAME
        if meaning and meaning not in columns:
            columns[column] = meaning
    _settle_names(columns, named)
    if NAME not in columns and not {FIRST, LAST} <= set(columns):
        _name_by_content(columns, named, below)
    if not heading:
        _others_by_content(columns, below)
    return tuple(columns)


def _settle_names(columns: list[str], named: Sequence[str]) -> None:
    """First or last name alone is the whole name; "Name" beside "Vorname" is the last name."""
    parts = {FIRST, LAST} & set(columns)
    if NAME in columns and len(parts) == 1 and named[columns.index(NAME)] == "name":
        columns[columns.index(NAME)] = LAST if FIRST in parts else FIRST
    elif NAME in columns:
        columns[:] = [SKIP if each in parts else each for each in columns]
    elif len(parts) == 1:
        columns[columns.index(parts.pop())] = NAME


def _name_by_content(columns: list[str], named: Sequence[str], below: Rows) -> None:
    free = [column for column, meaning in enumerate(columns) if meaning == SKIP]
    found = [column for column in free if named[column] in _NICKNAME_HEADINGS.split("|")] or [
        column
        for column in free
        if named[column] not in _KNOWN
        and _share(below, column, _WORDS.search) > 0.8
        and _share(below, column, _ADDRESS.match) < 0.2
    ]
    if found:
        columns[found[0]] = NAME


def _others_by_content(columns: list[str], below: Rows) -> None:
    """Without headings: addresses are list links, yes/no is paid, unique numbers are ids."""
    for column in range(len(columns)):
        if columns[column] != SKIP:
            continue
        cells = [row[column] for row in below if row[column]]
        if LINK not in columns and _share(below, column, _ADDRESS.match) > 0.8:
            columns[column] = LINK
        elif (
            PAID not in columns
            and cells
            and all(parse_paid(cell) is not None for cell in cells)
            and not all(cell.isdigit() for cell in cells)
        ):
            columns[column] = PAID
        elif (
            ID not in columns
            and cells
            and len(set(cells)) == len(cells)
            and max(map(len, cells)) > 2
            and _share(below, column, _NUMBER.fullmatch) > 0.8
        ):
            columns[column] = ID
        elif CLUB not in columns and NAME in columns[:column] and _share(below, column, _WORDS.search) > 0.8:
            columns[column] = CLUB


def parse_paid(text: str) -> bool | None:
    """Whether a cell means paid: yes, no or an amount; None where it is unclear."""
    cell = text.strip().casefold()
    if not cell:
        return False
    plain = fold(cell) if any(c.isalnum() for c in cell) else cell
    if cell in YES or plain in YES:
        return True
    if cell in NO or plain in NO:
        return False
    amount = re.fullmatch(r"(?:[a-zł€$£]{0,3}\s?)(\d{1,5})(?:[.,](\d{1,2}))?(?:\s?[a-zł€$£.,-]{0,4})", cell)
    return None if amount is None else any(int(part) for part in amount.groups() if part)


def _heading(cell: str) -> str:
    return fold(cell) if any(c.isalnum() for c in cell) and len(cell) <= 40 else ""


def _share(rows: Rows, column: int, fits: Callable[[str], object]) -> float:
    cells = [row[column] for row in rows if row[column]]
    return sum(bool(fits(cell)) for cell in cells) / len(cells) if cells else 0.0


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
    odd: bool = False  # the name may be two cells or lines, joined by a stray quotation mark

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
        if meaning and list(columns).count(meaning) > 1:
            raise Problem("import_column_twice", column=meaning)
    if NAME not in columns and not {FIRST, LAST} & set(columns):
        raise Problem("import_no_name")
    filled = [
        (number, {m: row[c] for c, m in enumerate(columns) if m})
        for number, row in enumerate(rows[heading:], start=heading + 1)
        if any(row)
    ]
    book = _KnownPeople(entrants, people, team_size)
    made = tuple(
        replace(
            book.planned(
                number,
                {meaning: " ".join(cell.replace(LINE_BREAK_SIGN, " ").split()) for meaning, cell in cells.items()},
            ),
            odd=any(sign in cells.get(meaning, "") for meaning in NAMES for sign in (";", LINE_BREAK_SIGN)),
        )
        for number, cells in filled
    )
    seen = [
        [each.row, each.kind, each.person.to_json(), each.came_with, each.fixed_table, each.known, list(each.changes)]
        for each in made
    ]
    return ImportPlan(made, digest([[list(columns), heading], seen])[:16])


def _is_turned(name: str) -> bool:
    """Whether a name is written "Keller, Franz"."""
    last, comma, first = (part.strip() for part in name.partition(","))
    return bool(last and comma and first) and "," not in first and first.casefold() not in AFTER_A_COMMA


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
            known = self._known(person)
            earlier = self._earlier(person)
            found = (
                self._of_event(row, known, person, came_with, table)
                if known is not None
                else PlannedRow(row, DUPLICATE if earlier else NEW, person, came_with, table, as_row=earlier)
            )
            if self._team_size > 1 and (known is None or MEMBER_1 in found.changes):
                for broken in team_problems(person, self._team_size, self._members):
                    raise broken
                self._members.update(members_of(person))
        except Problem as problem:
            return PlannedRow(row, INVALID, person, problem=problem)
        self._rows_by_name.setdefault(fold(person.name), (row, (person.external_id or "").casefold()))
        if person.external_id:
            self._rows_by_id.setdefault(person.external_id.casefold(), row)
        if earlier and known is not None:
            # Of two rows about one competitor the first counts.
            return replace(found, kind=DUPLICATE, as_row=earlier, problem=Problem("import_twice_here", row=earlier))
        return found

    def _read(self, cells: Mapping[str, str]) -> tuple[Person, int | None]:
        name = clean_name(_name(cells, self._team_size))
        if not name:
            raise Problem("import_name_missing")
        members = tuple(member for key in (MEMBER_1, MEMBER_2) if (member := clean_name(cells.get(key, ""))))
        has_paid = parse_paid(cells.get(PAID, ""))
        if has_paid is None:
            raise Problem("import_paid_unclear", value=cells[PAID][:20])
        link = cells.get(LINK, "")
        if link and "://" not in link and " " not in link and "." in link:
            link = f"https://{link}"
        person = Person(
            name,
            club=cells.get(CLUB) or None,
            external_id=cells.get(ID) or None,
            members=members,
            captain=members[0] if members else None,
            paid=has_paid,
            list_link=link or None,
            note=cells.get(NOTE) or None,
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
    if NAME in cells:
        name = cells[NAME]
        last, _, first = name.partition(",")
        return f"{first.strip()} {last.strip()}" if team_size == 1 and _is_turned(name) else name
    return f"{cells.get(FIRST, '')} {cells.get(LAST, '')}".strip()


def _table(text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text[:6]) <= MOST_TABLES or len(text) > 6:
        raise Invalid("table_number", value=text[:20], maximum=MOST_TABLES)
    return int(text)


@route("GET /console/<event_id>/import", HEADS_AND_DESK, VISIBLE)
def import_people(event_id: str) -> AnyResponse:
    moment = web.current_event(event_id)
    if "pasted" in request.form:
        # The paste could not be read; a reload sends it again, so that it is not lost.
        g.address = ""
    return web.page("import_people.html", state=moment.state, rulebook=moment.state.rulebook)


@route("POST /console/<event_id>/import/table", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@web.shows_problem_on(import_people)
def import_preview_page(event_id: str) -> AnyResponse:
    """Preview the table with its columns as guessed, or as the form has them; nothing is saved."""
    moment = web.current_event(event_id)
    if "table" in request.form:
        rows, heading, columns = _table_of_form()
    else:
        rows = _rows_uploaded()
        heading = guess_heading(rows)
        columns = guess_columns(rows, heading, moment.state.rulebook.team_size > 1)
    return _preview(moment, rows, heading, columns)


@route("POST /console/<event_id>/import/people", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@web.shows_problem_on(import_people)
def import_rows(event_id: str) -> AnyResponse:
    """Enter and change the ticked rows in one request; if the event changed since the preview, show it again."""
    moment = web.current_event(event_id)
    rows, heading, columns = _table_of_form()
    planned = _planned(moment, rows, heading, columns)
    ticked = {int(text) for text in request.form.getlist("take") if text.isdecimal() and len(text) <= 6}
    try:
        if web.field("mark") != planned.mark:
            raise Problem("import_changed_meanwhile")
        taken = [row for row in planned.rows if row.row in ticked and row.usable]
        if not taken:
            raise Problem("import_nothing_taken")
        steps, people = _steps(moment.state, event_id, taken)
        web.current_hub().service.execute(steps, web.actor(), people, IMPORT_TIMEOUT_S)
    except Problem as problem:
        g.problem, g.status = problem, problem_status(problem)
        # A reload begins anew, so that the form is not sent twice.
        g.address = url_for("console.import_people", event_id=event_id)
        web.drop_request_cache()
        return _preview(web.current_event(event_id), rows, heading, columns, ticked)
    return web.back_to_event(event_id, "competitors")


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


def _rows_uploaded() -> Rows:
    upload = request.files.get("file")
    raw = upload.read() if upload else b""
    pasted = request.form.get("pasted", "")
    if raw:
        return table_of_file(raw, web.words().language)
    if not pasted.strip():
        raise Problem("import_nothing")
    return table_of_text(pasted)


def _table_of_form() -> tuple[Rows, int, tuple[str, ...]]:
    """The rows, the heading row and each column's meaning, from the form."""
    rows = split_rows(request.form.get("table", ""))
    heading = min(max(0, web.form_number("heading") or 0), len(rows))
    columns = tuple(
        said if (said := web.field(f"column_{number}")) in (*MEANINGS, *OF_TEAMS) else SKIP
        for number in range(len(rows[0]))
    )
    return rows, heading, columns


def _planned(moment: SavedEvent, rows: Rows, heading: int, columns: Sequence[str]) -> ImportPlan:
    people = {who: person for who, person in moment.people.items() if not is_damaged(who, person)}
    return plan_import(rows, heading, columns, moment.state.entrants, people, moment.state.rulebook.team_size)


def _preview(
    moment: SavedEvent,
    rows: Rows,
    heading: int,
    columns: Sequence[str],
    ticked: set[int] | None = None,
) -> AnyResponse:
    """The columns over a few sample rows, and below them every row with its effect."""
    state, planned = moment.state, None
    try:
        planned = _planned(moment, rows, heading, columns)
    except Problem as problem:
        g.problem = g.get("problem") or problem
        g.status = 400
    counts = {kind: planned.count(kind) for kind in (NEW, EXISTING, DUPLICATE, INVALID)} if planned else {}
    return web.page(
        "import_people.html",
        state=state,
        rulebook=state.rulebook,
        table=join_rows(rows),
        heading=heading,
        headings=rows[heading - 1] if heading else [""] * len(rows[0]),
        columns=columns,
        sample=rows[heading : heading + SAMPLE_ROWS],
        n_rows=len(rows),
        meanings=(*MEANINGS, *(OF_TEAMS if state.rulebook.team_size > 1 else ())),
        plan=planned,
        counts=counts,
        taken={row.row for row in planned.rows if row.usable and (row.usual if ticked is None else row.row in ticked)}
        if planned
        else set(),
        changed=lambda row: ", ".join(web.words()(f"import.is.{what}") for what in row.changes),
        said=lambda row: Problem(row.problem.key, **row.problem.params).say(web.words()) if row.problem else "",
    )
