"""Reading an event file: one JSON document that holds a tournament, and what makes such a file unreadable.

Rules of play that a real event broke (a score above the cap, a repeated pairing, two byes) are no errors here: they
load, and `check` reports them.
"""

import json
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from msgspec import UNSET, to_builtins
from msgspec.json import encode

from roundtap_core.errors import Invalid, Problem, json_pointer
from roundtap_core.eventfile import file_schema
from roundtap_core.reasons import type_problems
from roundtap_core.records import (
    SWISS,
    SWISS_STAGES,
    Competitor,
    Draw,
    Match,
    Result,
    Round,
    Tournament,
    result_from_json,
)
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.typed import MOST_ROUNDS, NESTING_MAX, MalformedMessage, decode_message, parse_message

_TUPLES = ("warnings", "members", "houses")

TOURNAMENT_RECORD = (
    "date",
    "venue",
    "club",
    "external_id",
    "special_rules",
    "effective_options",
    "officials",
    "checked_in",
    "played_on",
    "cut",
    "finished",
)
COMPETITOR_RECORD = (
    "disqualification",
    "proposed",
    "proposal_declined_at",
    "list_corrections",
    "ticks",
    "declined_place",
)
ROUND_RECORD = ("notes", "extra_minutes")
MATCH_RECORD = ("decided", "lots", "corrections", "log")
"""Keys that no rule computes with; the records keep them as they stand in the file."""


def to_tournament(event: file_schema.Event, results: Iterable[Result]) -> Tournament:
    """The tournament. `results`: those of its matches, read before, in the file's order."""
    read = iter(results)
    return Tournament(
        name=event.name,
        rulebook=event.rulebook,
        rules=file_schema.own_rules_json(event.rules) if event.rules else None,
        level=event.level or None,
        options=to_builtins(event.options or {}),
        seed=event.seed or 0,
        competitors=tuple(map(_competitor, event.competitors)),
        rounds=tuple(_round(played, read) for played in event.rounds or ()),
        record=_record(event, TOURNAMENT_RECORD),
        cut_order=tuple(event.cut.order) if event.cut else (),
    )


def _record(item: file_schema.StrictMessage, keys: Iterable[str]) -> dict[str, Any] | None:
    data = {key: value for key in keys if (value := getattr(item, key)) is not UNSET}
    return to_builtins(data) if data else None


def _competitor(one: file_schema.Competitor) -> Competitor:
    values = to_builtins(one)
    record = {key: values.pop(key) for key in COMPETITOR_RECORD if key in values}
    values |= {key: tuple(values[key]) for key in _TUPLES if key in values}
    return Competitor(**values, record=record or None)


def _round(played: file_schema.Round, results: Iterator[Result]) -> Round:
    draw = Draw(**to_builtins(played.draw)) if played.draw else None
    return Round(
        played.number,
        played.stage or SWISS,
        tuple(_match(entry, results) for entry in played.matches),
        draw,
        played.tiebreak_form or None,
        _record(played, ROUND_RECORD),
    )


def _match(entry: file_schema.Entry, results: Iterator[Result]) -> Match:
    return Match(
        entry.a,
        entry.b or None,
        entry.table or None,
        entry.bye or None,
        next(results) if entry.result else None,
        entry.game or None,
        None if entry.extension_minutes is UNSET else entry.extension_minutes,
        None if entry.picks is UNSET else tuple(entry.picks),
        entry.absent or None,
        _record(entry, MATCH_RECORD),
    )


def parse_event_file(text: str) -> Tournament:
    """The tournament in the text of an event file. Raises the file's first Problem, broken JSON included."""
    event = decode_message(file_schema.Event, text.removeprefix("\ufeff"))
    return _tournament(event) if event else tournament_from_json(parse_json(text))


def parse_json(text: str) -> object:
    """JSON as this format reads it: broken JSON is a Problem with line and column, a key given twice one with its path.
    A byte-order mark is passed over. Numbers that no event file may hold stay recognisably wrong."""
    doubled: list[tuple[dict[str, Any], str]] = []

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            doubled.append((made, next(key for key in keys if keys.count(key) > 1)))
        return made

    text = text.removeprefix("\ufeff")
    try:
        # Python refuses to convert thousands of digits; the first 24 are out of every range just the same.
        data = json.loads(text, object_pairs_hook=read_object, parse_int=lambda digits: int(digits[:24]))
    except json.JSONDecodeError as error:
        near = text[error.pos :].strip()[:20].split("\n")[0]
        if not near:
            raise Problem("json_ends_early", line=error.lineno, column=error.colno) from None
        raise Invalid("broken_json", line=error.lineno, column=error.colno, near=near) from None
    except RecursionError:
        raise Problem("too_deep", maximum=NESTING_MAX) from None
    for made, key in doubled:
        raise Problem("key_twice", where=json_pointer(_path_to(made, data), key), key=key)
    return data


def _path_to(wanted: object, data: object) -> str:
    """Where `wanted` stands in `data`; by a list of places to look, since a hostile file may be deep."""
    places: list[tuple[str, object]] = [("", data)]
    while places:
        where, value = places.pop()
        if value is wanted:
            return where
        if isinstance(value, dict):
            places += [(json_pointer(where, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            places += [(json_pointer(where, index), inner) for index, inner in enumerate(value)]
    return ""


def tournament_from_json(data: object) -> Tournament:
    """The tournament of a decoded event file. Raises the first Problem of `event_problems`."""
    return _tournament(_event(data))


def event_problems(data: object) -> Iterator[Problem]:
    """Everything for which the file cannot be read: first its form, then what contradicts itself."""
    formal = list(type_problems(data, file_schema.Event))
    yield from formal or _contradictions(_event(data), [])


def _event(data: object) -> file_schema.Event:
    try:
        return parse_message(file_schema.Event, data)
    except MalformedMessage:
        raise next(type_problems(data, file_schema.Event)) from None


def _tournament(event: file_schema.Event) -> Tournament:
    """Raises the first Problem of what contradicts itself."""
    results: list[Result] = []
    for problem in _contradictions(event, results):
        raise problem
    return to_tournament(event, results)


def _contradictions(event: file_schema.Event, results: list[Result]) -> Iterator[Problem]:
    """The results, which have to be read for it, are appended in the file's order."""
    try:
        book = rulebook(event.rulebook, file_schema.own_rules_json(event.rules) if event.rules else None)
    except Problem as problem:
        yield problem
        return
    if event.rules:
        from roundtap_core.rulebooks.own_rules import contradictions, rules_from_json

        yield from (
            problem.at("/rules") for problem in contradictions(rules_from_json(file_schema.own_rules_json(event.rules)))
        )
    if event.level and book.levels and event.level not in book.levels:
        yield Invalid("not_one_of", where="/level", value=event.level, options=", ".join(book.levels))
    yield from competitor_problems(event.competitors)
    ids = {competitor.id for competitor in event.competitors}
    yield from official_problems(event.officials or (), ids)
    yield from played_on_problems(event.played_on or (), ids)
    if event.cut:
        yield from cut_problems(event.cut, ids)
    judge = _ResultReader(book, to_builtins(event.options or {}))
    in_stage: dict[str, int] = {}
    for index, played in enumerate(event.rounds or ()):
        where, stage = f"/rounds/{index}", played.stage or SWISS
        in_stage[stage] = in_stage.get(stage, 0) + 1
        if in_stage[stage] == MOST_ROUNDS + 1:
            yield Problem("too_many_rounds_in_stage", where=where, stage=stage, maximum=MOST_ROUNDS)
        if played.number != index + 1:
            yield Problem("round_number", where=f"{where}/number", value=played.number, right=index + 1)
        yield from seating_problems(played, where, ids)
        for at, entry in enumerate(played.matches):
            if entry.result:
                try:
                    results.append(judge.read(entry.result, stage not in SWISS_STAGES))
                except Problem as problem:
                    yield problem.at(f"{where}/matches/{at}/result")


class _ResultReader:
    """Reads results: each agrees with itself, and its winner with the rulebook's figures; in elimination a player goes
    on. Many are the same: these are judged once, and one object."""

    def __init__(self, book: Rulebook, given: dict[str, Any]) -> None:
        self._book, self._options = book, book.options(given)
        self._judged: dict[tuple[bool, bytes], Result] = {}

    def read(self, written: file_schema.Result, knockout: bool) -> Result:
        """Raises Problem."""
        key = knockout, encode(written)
        if key not in self._judged:
            result = result_from_json(to_builtins(written))
            if knockout:
                self._book.elimination_winner(result, self._options, "a")
            else:
                self._book.winner(result, self._options)
            self._judged[key] = result
        return self._judged[key]


def competitor_problems(competitors: Sequence[file_schema.Competitor]) -> Iterator[Problem]:
    """Each id is one competitor's, and each person plays once."""
    for key in ("id", "person"):
        first: dict[str, int] = {}
        for index, one in enumerate(competitors):
            value = getattr(one, key)
            before = first.setdefault(value, index)
            if value and before != index:
                where = f"/competitors/{index}/{key}"
                yield Problem("id_twice", where=where, competitor=value, first=f"/competitors/{before}")


def official_problems(officials: Sequence[file_schema.Official], ids: Set[str]) -> Iterator[Problem]:
    """Officials have ids of their own; who of them plays is a competitor."""
    first: dict[str, str] = {}
    for index, one in enumerate(officials):
        where = f"/officials/{index}"
        if one.id in ids or one.id in first:
            yield Problem("id_twice", where=f"{where}/id", competitor=one.id, first=first.get(one.id, "/competitors"))
        first.setdefault(one.id, where)
        if one.plays and one.plays not in ids:
            yield Problem("unknown_competitor", where=f"{where}/plays", competitor=one.plays)


def played_on_problems(lines: Sequence[file_schema.PlayOnNote], ids: Set[str]) -> Iterator[Problem]:
    """A missing point names a known competitor, or none."""
    for index, line in enumerate(lines):
        for at, point in enumerate(line.points):
            if point.who and point.who not in ids:
                yield Problem("unknown_competitor", where=f"/played_on/{index}/points/{at}/who", competitor=point.who)


def cut_problems(cut: file_schema.Cut, ids: Set[str]) -> Iterator[Problem]:
    """Everyone in the cut is a competitor, once in each list."""
    for key in ("order", "seeds", "declined", "absent"):
        listed = getattr(cut, key) or ()
        for index, who in enumerate(listed):
            if who not in ids:
                yield Problem("unknown_competitor", where=f"/cut/{key}/{index}", competitor=who)
            elif listed.index(who) != index:
                yield Problem(
                    "id_twice", where=f"/cut/{key}/{index}", competitor=who, first=f"/cut/{key}/{listed.index(who)}"
                )


def seating_problems(played: file_schema.Round, where: str, ids: Set[str]) -> Iterator[Problem]:
    """Each competitor is known and sits once in a round; each table is used once."""

    def place(index: int) -> str:
        return f"{where}/matches/{index}"

    seats: dict[str, int] = {}
    tables: dict[int, int] = {}
    for index, entry in enumerate(played.matches):
        for side, who in (("a", entry.a), ("b", entry.b)):
            if not who:
                continue
            if who not in ids:
                yield Problem("unknown_competitor", where=f"{place(index)}/{side}", competitor=who)
            elif who in seats:
                yield Problem("twice_in_round", where=f"{place(index)}/{side}", competitor=who, first=place(seats[who]))
            seats.setdefault(who, index)
        if entry.absent and entry.absent not in ids:
            yield Problem("unknown_competitor", where=f"{place(index)}/absent", competitor=entry.absent)
        if entry.table and tables.setdefault(entry.table, index) != index:
            yield Problem(
                "table_twice", where=f"{place(index)}/table", table=entry.table, first=place(tables[entry.table])
            )
