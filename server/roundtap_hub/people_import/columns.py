"""Which column of a table is what: by its heading in four languages, and by what stands in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from roundtap_core.lists.parts import fold
from roundtap_hub.people_import.raw_table import Rows

NAME, FIRST, LAST, CLUB, ID, LINK, PAID, NOTE, CAME_WITH, TABLE, MEMBER_1, MEMBER_2, SKIP = (
    "name", "first", "last", "club", "id", "link", "paid", "note", "came_with", "table", "member_1", "member_2", "")
MEANINGS = (NAME, FIRST, LAST, CLUB, ID, LINK, PAID, NOTE, CAME_WITH, TABLE)
OF_TEAMS = (MEMBER_1, MEMBER_2)
"""What only a team has."""

_HEADINGS: Mapping[str, str] = MappingProxyType({
    NAME: "name|full name|player|player name|players|real name|participant|competitor|attendee|display name|team name|"
          "nombre completo|nombre y apellidos|jugador|jugadora|jugadores|participante|nombre del jugador|"
          "spieler|spielerin|spielername|teilnehmer|teilnehmerin|vollstandiger name|vor und nachname|name vorname|"
          "imie i nazwisko|gracz|gracze|zawodnik|zawodniczka|uczestnik|nazwisko i imie|nazwa druzyny|druzyna gracza",
    FIRST: "first name|firstname|given name|forename|first|nombre|nombres|vorname|imie",
    LAST: "last name|lastname|surname|family name|last|apellido|apellidos|nachname|familienname|zuname|nazwisko",
    CLUB: "club|team|team club|club team|group|store|teamname|playgroup|gaming group|equipo|grupo|tienda|asociacion|"
          "verein|mannschaft|gruppe|laden|klub|druzyna|sklep|stowarzyszenie",
    ID: "id|player id|membership|membership number|member id|member number|number id|itc id|bcp id|user id|"
        "longshanks id|wizards id|dci|id de jugador|id jugador|socio|numero de socio|n de socio|spieler id|"
        "spielernummer|mitgliedsnummer|mitglieds nr|id gracza|numer gracza|nr gracza|numer czlonkowski",
    LINK: "list link|link|list url|url|army list|list|list link url|squad|squad link|army list link|roster|"
          "roster link|enlace|enlace a la lista|lista|ejercito|listenlink|link zur liste|liste|armeeliste|"
          "link do listy|lista armii|rozpiska|adres listy",
    PAID: "paid|payment|paid status|payment status|has paid|fee paid|pagado|pago|cuota|ha pagado|bezahlt|zahlung|"
          "startgeld|startgebuhr|zaplacone|oplacone|oplata|wplata|wpisowe|platnosc",
    NOTE: "note|notes|comment|comments|remark|remarks|nota|notas|comentario|comentarios|observaciones|notiz|notizen|"
          "bemerkung|bemerkungen|kommentar|anmerkung|notatka|notatki|uwagi|komentarz",
    CAME_WITH: "came with|with|travels with|car|carpool|vino con|viene con|coche|kommt mit|fahrgemeinschaft|"
               "angereist mit|przyjechal z|przyjechali z|z kim|razem z",
    TABLE: "fixed table|table|fixed seat|mesa fija|mesa|fester tisch|tisch|staly stol|stol",
    MEMBER_1: "captain|member 1|player 1|first player|capitan|miembro 1|jugador 1|kapitan|mitglied 1|spieler 1|"
              "czlonek 1|gracz 1",
    MEMBER_2: "member 2|player 2|second player|member|partner|miembro 2|jugador 2|miembro|mitglied 2|spieler 2|"
              "mitglied|czlonek 2|gracz 2|czlonek",
})
_LESS = "nickname|nick|username|user name|alias|handle|apodo|usuario|spitzname|benutzername|nutzername|pseudonim|ksywka"
"""Names of people, where nothing better is there."""
_OTHERS = (
    "rank|place|position|seed|no|nr|faction|army|points|score|wins|losses|draws|record|mov|sos|country|city|state|email|"
    "e mail|mail|phone|checked in|check in|dropped|drop|status|registered|registration date|date|time|rounds|ticket|"
    "order|order number|discord|pronouns|region|elo|rating|itc score|faccion|ejercito|puntos|puesto|pais|ciudad|correo|"
    "correo electronico|telefono|fecha|fraktion|armee|punkte|platz|rang|land|ort|stadt|telefon|datum|frakcja|armia|"
    "punkty|miejsce|kraj|miasto|adres e mail|data|lp")
"""Known headings of columns that nothing is made of."""

_BY_HEADING = {heading: meaning for meaning, said in _HEADINGS.items() for heading in said.split("|")}
_KNOWN = {*_BY_HEADING, *_LESS.split("|"), *_OTHERS.split("|")}

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_NUMBER = re.compile(r"#?[A-Za-z]{0,4}[- ]?\d{1,12}")
_WORDS = re.compile(r"[^\W\d_]{2,}")

_ANSWERS: Mapping[bool, str] = MappingProxyType({
    True: "yes y x true 1 paid ok ja j bezahlt wahr si s pagado verdadero tak t zaplacone oplacone prawda ✓ ✔ ☑ "
          "completed complete",
    False: "no n false 0 unpaid open nein offen falsch pendiente falso nie niezaplacone pending none ✗ ✘ ☐ -",
})
YES, NO = frozenset(_ANSWERS[True].split()), frozenset(_ANSWERS[False].split())

LOOKED_AT = 5
"""So far down a row of headings is looked for: exports begin with a title."""


def guess_heading(rows: Rows) -> int:
    """Which row holds the headings, counted from 1; 0: none does."""
    best, most = 0, 0
    for number, row in enumerate(rows[:LOOKED_AT], start=1):
        known = sum(_heading(cell) in _KNOWN for cell in row)
        written = sum(bool(cell) for cell in row)
        if known > most and known * 2 >= written:
            best, most = number, known
    return best


def guess_columns(rows: Rows, heading: int, team: bool = False) -> tuple[str, ...]:
    """What each column is; each meaning at most once, SKIP for the others."""
    width = len(rows[0])
    below = rows[heading:]
    columns = [SKIP] * width
    named = [_heading(cell) for cell in rows[heading - 1]] if heading else [""] * width
    for column, said in enumerate(named):
        meaning = _BY_HEADING.get(said, SKIP)
        if meaning in OF_TEAMS and not team:
            meaning = SKIP
        if meaning == CLUB and team and said in ("team", "equipo", "mannschaft", "druzyna", "teamname"):
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
    """One of two parts of a name alone is the whole of it; "Name" beside "Vorname" is the last one."""
    if NAME in columns and FIRST in columns and LAST not in columns and named[columns.index(NAME)] == "name":
        columns[columns.index(NAME)] = LAST
    elif NAME in columns and LAST in columns and FIRST not in columns and named[columns.index(NAME)] == "name":
        columns[columns.index(NAME)] = FIRST
    elif NAME not in columns and (FIRST in columns) != (LAST in columns):
        part = FIRST if FIRST in columns else LAST
        columns[columns.index(part)] = NAME
    elif NAME in columns:
        for part in (FIRST, LAST):
            if part in columns:
                columns[columns.index(part)] = SKIP


def _name_by_content(columns: list[str], named: Sequence[str], below: Rows) -> None:
    less = next((c for c, said in enumerate(named) if said in _LESS.split("|") and columns[c] == SKIP), None)
    if less is None:
        less = next((c for c in range(len(columns)) if columns[c] == SKIP and named[c] not in _KNOWN
                     and _share(below, c, _WORDS.search) > 0.8 and _share(below, c, _ADDRESS.match) < 0.2), None)
    if less is not None:
        columns[less] = NAME


def _others_by_content(columns: list[str], below: Rows) -> None:
    """Where no heading says it: addresses are lists, yes and no is paid, numbers that come once are ids."""
    for column in range(len(columns)):
        if columns[column] != SKIP:
            continue
        cells = [row[column] for row in below if row[column]]
        if LINK not in columns and _share(below, column, _ADDRESS.match) > 0.8:
            columns[column] = LINK
        elif PAID not in columns and cells and all(paid(cell) is not None for cell in cells) \
                and not all(cell.isdigit() for cell in cells):
            columns[column] = PAID
        elif ID not in columns and cells and len(set(cells)) == len(cells) and max(map(len, cells)) > 2 \
                and _share(below, column, _NUMBER.fullmatch) > 0.8:
            columns[column] = ID
        elif CLUB not in columns and NAME in columns[:column] and _share(below, column, _WORDS.search) > 0.8:
            columns[column] = CLUB


def paid(text: str) -> bool | None:
    """Whether a cell says that somebody has paid: yes, no, or an amount; None where it says neither."""
    said = text.strip().casefold()
    if not said:
        return False
    plain = fold(said) if any(c.isalnum() for c in said) else said
    if said in YES or plain in YES:
        return True
    if said in NO or plain in NO:
        return False
    amount = re.fullmatch(r"(?:[a-zł€$£]{0,3}\s?)(\d{1,5})(?:[.,](\d{1,2}))?(?:\s?[a-zł€$£.,-]{0,4})", said)
    return None if amount is None else any(int(part) for part in amount.groups() if part)


def _heading(cell: str) -> str:
    return fold(cell) if any(c.isalnum() for c in cell) and len(cell) <= 40 else ""


def _share(rows: Rows, column: int, fits: object) -> float:
    cells = [row[column] for row in rows if row[column]]
    return sum(bool(fits(cell)) for cell in cells) / len(cells) if cells else 0.0  # type: ignore[operator]
