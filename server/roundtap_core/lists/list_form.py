"""Players' lists: the form to fill in, checks by counting, and how a list is read; its squads, fielded and still to
field; teams, each whole and nobody in two."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Protocol

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.records import SIDES, Competitor, Match, Round
from roundtap_core.wire import canonical_json, digest
from roundtap_core.words import LANGUAGES, Words, core_words

ListData = Mapping[str, Any]
Rows = list[tuple[int, ListData]]  # the non-blank lines of a table, each with its index from 0

_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_MARK = "•*"

_WITHOUT_STROKE = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})
"""Letters that do not decompose into a base letter and an accent."""

TEXT, NUMBER, CHOICE, TICK, NAMES = "text", "number", "choice", "tick", "names"
"""Kinds of fields and their JSON: a string, a whole number, an option, true (or nothing), a list of strings."""

_NOTHING: tuple[Any, ...] = (None, "", [], {})

_EXPECTED = {TEXT: "string", TICK: "boolean", NAMES: "array"}


def rows_at(part: ListData, key: str) -> Rows:
    """A table's lines; blank ones are skipped but keep their number."""
    typed = part.get(key)
    if not isinstance(typed, list):
        return []
    return [(index, row) for index, row in enumerate(typed) if isinstance(row, Mapping) and any(row.values())]


def text_at(part: ListData, key: str) -> str:
    """The text under `key`, "" if absent."""
    value = part.get(key)
    return normalize_text(value) if isinstance(value, str) else ""


def number_at(part: ListData, key: str) -> int | None:
    """The whole number under `key`, None if absent."""
    value = part.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def copy_count(row: ListData) -> int:
    """How many copies a line stands for: one by default."""
    value = number_at(row, "count")
    return 1 if value is None else value


def names_at(part: ListData, key: str) -> list[str]:
    """The names under `key`, in order."""
    value = part.get(key)
    return (
        [normalize_text(name) for name in value if isinstance(name, str) and name.strip()]
        if isinstance(value, list)
        else []
    )


def normalize_text(written: str) -> str:
    """Single spaces and composed letters, so that two spellings of the same text are equal."""
    return " ".join(unicodedata.normalize("NFC", written).split())


def fold(name: str) -> str:
    """The comparison form of a name: letters and digits, without accents and case."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    words = "".join(c if c.isalnum() else " " for c in bare.translate(_WITHOUT_STROKE)).split()
    return " ".join(words) or name.casefold().strip()


def without_product(name: str) -> str:
    """A card's name without its product in brackets: "Han Solo (Millennium Falke)" → "Han Solo"."""
    return _BRACKETS.sub("", name)


def has_product(name: str) -> bool:
    """Whether the name ends with a product in brackets."""
    return _BRACKETS.search(name) is not None


def is_marked_unique(name: str) -> bool:
    """Whether the name is marked as unique by a leading dot, as on cards, or asterisk."""
    return name.lstrip()[:1] in tuple(_MARK)


def without_mark(name: str) -> str:
    """The name without that mark."""
    return name.strip().lstrip(_MARK + " ") or name


def total_points(ships: Iterable[ListData]) -> int | None:
    """The sum of count times points; None without lines or if one has no points."""
    costs = [None if (points := number_at(ship, "points")) is None else points * copy_count(ship) for ship in ships]
    priced = [cost for cost in costs if cost is not None]
    return sum(priced) if priced and len(priced) == len(costs) else None


class ListField(Struct, frozen=True):
    """One value of a list, under `key`; its label is the core's text "list.KEY", or "list.LABEL". `options`: allowed
    values of a choice, or of each name. `count`: the required number of names, 0 for any. `usual`: the number that an
    empty box means."""

    key: str
    kind: str = TEXT
    options: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 999
    count: int = 0
    usual: int | None = None
    label: str = ""

    @property
    def text(self) -> str:
        """The key of its label."""
        return f"list.{self.label or self.key}"


class ListTable(Struct, frozen=True):
    """A table to fill in: under `key`, a list of objects with the columns' keys. `usually`: the number of lines offered
    at first. Its title is the text "list.KEY", with `number` if it has one."""

    key: str
    columns: tuple[ListField, ...]
    usually: int = 8
    label: str = ""
    number: str | None = None

    @property
    def text(self) -> str:
        """The key of its title."""
        return f"list.{self.label or self.key}"


class ListForm(Struct, frozen=True):
    """The questions of a list. `per_member`: this many members bring one each; then `fields` and `lines` are per
    member, under /players/0, /players/1 …, and `shared` appears once, beside them."""

    fields: tuple[ListField, ...]
    lines: tuple[ListTable, ...] = ()
    per_member: int = 0
    shared: tuple[ListField, ...] = ()


class ListCheck:
    """A rulebook's knowledge of its lists. A list is plain JSON; each Problem's `where` is a place in it, like
    "/ships/2/points", and its parameter "line", if any, counts from 1. `options` are the rulebook's, over its defaults;
    `level` is the event's, None if unset. `also`: further keys allowed in any part or line, though no form asks for
    them."""

    also: ClassVar[frozenset[str]] = frozenset({"total", "faction"})

    def form(self, options: Mapping[str, Any]) -> ListForm:
        """The questions, in the order of the document's own list."""
        raise NotImplementedError

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """What no reading of the document allows, ignoring missing parts."""
        return []

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """What a complete list still needs."""
        return []

    def warnings(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """Points that an official should look at; none is forbidden."""
        return []

    def required(self, options: Mapping[str, Any], level: str | None = None) -> bool:
        """Whether every competitor has to hand in a list."""
        return bool(options.get("lists_required"))

    def problems(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """What is wrong and, where lists are required, missing. Options may be in any language."""
        list_ = self.canonical(list_, options)
        missing = self.missing(list_, options, level) if self.required(options, level) else []
        shape = [*self.malformed(list_, options), *self.unknown(list_, options)]
        return [*shape, *self.wrong(list_, options, level), *missing]

    def malformed(self, list_: ListData, options: Mapping[str, Any]) -> list[Problem]:
        """Values of another kind than the form's fields, unreadable for checks."""
        return list(_malformed(list_, self.form(options)))

    def unknown(self, list_: ListData, options: Mapping[str, Any]) -> list[Problem]:
        """Unknown keys, each by name: their content would count for nothing."""
        return list(_unknown(list_, self.form(options), self.also))

    def canonical(self, list_: ListData, options: Mapping[str, Any]) -> dict[str, Any]:
        """The list with every option as the form writes it, translated from any of the four languages."""
        form = self.form(options)
        done = _spelled_part(list_, (*form.shared, *form.fields), form.lines)
        players = done.get("players")
        if form.per_member and isinstance(players, list):
            done["players"] = [
                _spelled_part(player, form.fields, form.lines) if isinstance(player, dict) else player
                for player in players
            ]
        return done

    def total(self, list_: ListData) -> int | None:
        """The list's cost, for initiative and concessions; None if unknown or meaningless."""
        return None

    def completed(self, list_: ListData) -> dict[str, Any]:
        """The list with missing values filled in where they can be counted."""
        return dict(list_)

    def normalized(self, list_: ListData) -> dict[str, Any]:
        """Equal for two lists with the same content, in any order of lines."""
        return dict(_normal(list_))

    def of_competitor(self, competitor: Competitor) -> ListData:
        """The competitor's list, including parts that an event file keeps in keys of their own."""
        return competitor.list or {}

    swap_sign: ClassVar[str] = ""
    """The sign between card out and card in, where cards are swapped with a sideboard before a game; else ""."""

    def swap_problems(
        self, list_: ListData, lines: str, options: Mapping[str, Any], level: str | None = None
    ) -> list[Problem]:
        """Problems after swapping these cards: "card out > card in", one per line."""
        return []

    def with_list(self, competitor: Competitor, list_: ListData) -> Competitor:
        """The competitor with this list, stored so that `of_competitor` reads it again."""
        return replace(competitor, list=dict(list_) or None)

    def initial_list(self, competitor: Competitor) -> ListData:
        """The initial content of an empty form."""
        return {}

    def competitor_problems(
        self, competitor: Competitor, options: Mapping[str, Any], level: str | None = None
    ) -> list[Problem]:
        """`problems` of a competitor's list, with places in the competitor: "/list/ships/2/points"."""
        list_ = self.of_competitor(competitor)
        if not list_:
            return [Problem("list_not_handed_in", where="/list")] if self.required(options, level) else []
        return [problem.at("/list") for problem in self.problems(list_, options, level)]

    def event_warnings(self, competitors: Sequence[Competitor], options: Mapping[str, Any]) -> list[Problem]:
        """About all lists together; places like "/3/list/ships/0/name" begin with the index in `competitors`."""
        return []


def list_digest(normal: ListData, salt: str) -> str:
    """What an entry holds instead of a list in its normal form; salted, as a short list could be guessed."""
    return digest({"salt": salt, "list": normal})


def option_text(words: Words, option: str) -> str:
    """The label of an option: "list.option.OPTION", or for "asteroid-7" "list.option.asteroid" with 7."""
    if f"list.option.{option}" in words:
        return words(f"list.option.{option}")
    stem, _, number = option.rpartition("-")
    return words(f"list.option.{stem}", number=number) if f"list.option.{stem}" in words else option


def _normal(value: Any) -> Any:
    """Without blanks, "no" and empty lines; lists sorted; fractions as text, which can be hashed."""
    if isinstance(value, Mapping):
        inner = {str(key): _normal(item) for key, item in value.items()}
        return {key: item for key, item in sorted(inner.items()) if item is not False and item not in _NOTHING}
    if isinstance(value, list | tuple):
        return sorted((normal for item in value if (normal := _normal(item)) not in _NOTHING), key=canonical_json)
    if isinstance(value, str):
        return normalize_text(value)
    return repr(value) if isinstance(value, float) else value


@lru_cache(maxsize=256)
def _by_word(options: tuple[str, ...]) -> dict[str, str]:
    """Each option by its folded name in any language: {"rebellen": "Rebel", …}."""
    return {fold(option_text(core_words(language), option)): option for option in options for language in LANGUAGES}


def _spelled_part(part: ListData, fields: Sequence[ListField], lines: Sequence[ListTable]) -> dict[str, Any]:
    done = {**part, **{field.key: _spelled(part[field.key], field) for field in fields if field.key in part}}
    for table in lines:
        rows = part.get(table.key)
        if isinstance(rows, list):
            done[table.key] = [_spelled_part(row, table.columns, ()) if isinstance(row, dict) else row for row in rows]
    return done


def _spelled(value: Any, field: ListField) -> Any:
    if isinstance(value, list):
        return [_spelled(one, field) for one in value]
    if not field.options or not isinstance(value, str) or value in field.options:
        return value
    return _by_word(field.options).get(fold(value), value)


def _unknown(list_: ListData, form: ListForm, also: frozenset[str]) -> Iterator[Problem]:
    shared = (*form.shared, *form.fields) if not form.per_member else form.shared
    lines = () if form.per_member else form.lines
    yield from _unknown_in(list_, shared, lines, also | ({"players"} if form.per_member else set()), "")
    players = list_.get("players") if form.per_member else None
    for index, player in enumerate(players if isinstance(players, list) else ()):
        if isinstance(player, dict):
            yield from _unknown_in(player, form.fields, form.lines, also, f"/players/{index}")


def _unknown_in(
    part: ListData, fields: Sequence[ListField], lines: Sequence[ListTable], also: frozenset[str] | set[str], where: str
) -> Iterator[Problem]:
    keys = {field.key for field in fields} | {table.key for table in lines} | also
    for key in part:
        if key not in keys:
            yield Problem("list_key_unknown", where=f"{where}/{key}", key=_shown(key), known=", ".join(sorted(keys)))
    for table in lines:
        rows = part.get(table.key)
        for index, row in enumerate(rows if isinstance(rows, list) else ()):
            if isinstance(row, dict):
                yield from _unknown_in(row, table.columns, (), also, f"{where}/{table.key}/{index}")


def _malformed(list_: ListData, form: ListForm) -> Iterator[Problem]:
    if not form.per_member:
        yield from _malformed_part(list_, form, "")
        return
    yield from _malformed_fields(list_, form.shared, "")
    players = list_.get("players", [])
    if not isinstance(players, list) or not all(isinstance(player, dict) for player in players):
        yield Problem("wrong_type", where="/players", expected="array")
        return
    if len(players) > form.per_member:
        yield Problem("wrong_length", where="/players", count=len(players), right=form.per_member)
    for index, player in enumerate(players):
        yield from _malformed_part(player, form, f"/players/{index}")


def _malformed_part(part: ListData, form: ListForm, where: str) -> Iterator[Problem]:
    yield from _malformed_fields(part, form.fields, where)
    for lines in form.lines:
        typed = part.get(lines.key, [])
        if not isinstance(typed, list):
            yield Problem("wrong_type", where=f"{where}/{lines.key}", expected="array")
            continue
        for index, row in enumerate(typed):
            place, line = f"{where}/{lines.key}/{index}", index + 1
            if not isinstance(row, dict):
                yield Problem("list_line_unreadable", where=place, line=line)
                continue
            for column in lines.columns:
                value = row.get(column.key)
                if not _fits(value, column):
                    yield _line_problem(value, column, f"{place}/{column.key}", line)


def _malformed_fields(part: ListData, fields: tuple[ListField, ...], where: str) -> Iterator[Problem]:
    for field in fields:
        value = part.get(field.key)
        if not _fits(value, field):
            yield _field_problem(value, field, f"{where}/{field.key}")


def _fits(value: object, field: ListField) -> bool:
    if value is None:
        return True
    if field.kind == TICK:
        return isinstance(value, bool)
    if field.kind == NUMBER:
        return isinstance(value, int) and not isinstance(value, bool) and field.minimum <= value <= field.maximum
    if field.kind == NAMES:
        return isinstance(value, list) and all(
            isinstance(name, str) and (not field.options or name in field.options) for name in value
        )
    return isinstance(value, str) and (field.kind != CHOICE or value in field.options)


def _field_problem(value: object, field: ListField, where: str) -> Problem:
    if field.kind == NUMBER:
        if not isinstance(value, int) or isinstance(value, bool):
            return Invalid("not_a_number", where=where, value=value)
        return Invalid("figure_out_of_range", where=where, value=value, minimum=field.minimum, maximum=field.maximum)
    if field.options:
        return Invalid("not_one_of", where=where, value=_shown(value), options=", ".join(field.options))
    return Problem("wrong_type", where=where, expected=_EXPECTED[field.kind])


def _line_problem(value: object, field: ListField, where: str, line: int) -> Problem:
    if field.kind == NUMBER:
        return Problem(
            "list_line_number",
            where=where,
            line=line,
            value=_shown(value),
            minimum=field.minimum,
            maximum=field.maximum,
        )
    if field.options:
        return Problem(
            "list_line_choice", where=where, line=line, value=_shown(value), options=", ".join(field.options)
        )
    return Problem("list_line_unreadable", where=where, line=line)


def _shown(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


class SquadsToField(Struct, frozen=True):
    """`squads` not fielded yet in `rounds` guaranteed Swiss rounds. `must`: picks have to come from these; `late`: even
    that is no longer enough."""

    squads: tuple[int, ...]
    rounds: int
    must: bool
    late: bool


def squad_letter(squad: int) -> str:
    """The letter of a squad, as people call it: the first is A. Files number them."""
    return chr(ord("A") + squad - 1)


def squads_unfieldable(owed: Iterable[int], picks: Iterable[int], rounds_after: int) -> tuple[int, ...]:
    """Squads that can no longer all be fielded after these picks in the guaranteed rounds left."""
    marked = set(picks)
    left = tuple(squad for squad in owed if squad not in marked)
    return left if len(left) > len(marked) * rounds_after else ()


def fielded_squads(rounds: Iterable[Round]) -> dict[str, set[int]]:
    """Competitor → squads fielded so far; a bye's picks count, a missed round has none."""
    fielded: dict[str, set[int]] = {}
    for played in rounds:
        for match in played.matches:
            for who, picks in picks_in(match):
                fielded.setdefault(who, set()).update(picks)
    return fielded


def picks_in(match: Match) -> Iterable[tuple[str, list[int]]]:
    """The recorded picks of a match by competitor."""
    if match.b is None:
        if match.picks is not None:
            yield match.a, list(match.picks)
        return
    recorded = match.result.picks if match.result else None
    for side in SIDES:
        who = match.competitor(side)
        if recorded and side in recorded and who is not None:
            yield who, recorded[side]


def to_field(listed: int, taken: int, used: Iterable[int], rounds_left: int) -> SquadsToField:
    """What one competitor still has to field. `rounds_left`: Swiss rounds to come, including the current one. The
    warning comes when the unused squads are as many as the picks left (house decision: twice the guaranteed rounds)."""
    seen = set(used)
    unused = tuple(squad for squad in range(1, listed + 1) if squad not in seen)
    picks = taken * rounds_left
    return SquadsToField(unused, rounds_left, bool(unused) and len(unused) >= picks, len(unused) > picks)


class Team(Protocol):
    """A competitor of a team event, or the person who stands for it."""

    @property
    def name(self) -> str: ...
    @property
    def members(self) -> tuple[str, ...]: ...
    @property
    def captain(self) -> str | None: ...


def members_of(team: Team) -> dict[str, str]:
    """The team's name by folded member."""
    return {fold(member): team.name for member in team.members}


def team_problems(team: Team, size: int, taken: Mapping[str, str]) -> Iterator[Problem]:
    """ "Juego por equipos épico": two members, one of them captain; no one plays in two teams. `taken`: `members_of`
    the others, which may have the same name."""
    if len(team.members) != size:
        yield Problem("team_members_missing", where="/members", team=team.name, size=size)
    elif team.captain is None:
        yield Problem("team_captain_missing", where="/captain", team=team.name)
    if team.captain and team.members and team.captain not in team.members:
        members = ", ".join(team.members)
        yield Problem("captain_not_in_team", where="/captain", captain=team.captain, members=members)
    for place, member in enumerate(team.members):
        among = {**members_of(team), **taken} if fold(member) in map(fold, team.members[:place]) else taken
        if fold(member) in among:
            yield Problem("member_twice", where=f"/members/{place}", name=member, team=among[fold(member)])
