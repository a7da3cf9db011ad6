"""Reading an event file: one JSON document that holds a tournament, and what makes such a file unreadable.

Rules of play that a real event broke (a score above the cap, a repeated pairing, two byes) are no errors here: they
load, and `check` reports them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.eventfile.schema import MAX_DEPTH, pointer, schema_problems
from roundtap_core.records import SWISS, SWISS_STAGES, Competitor, Draw, Match, Result, Round, Tournament
from roundtap_core.result_json import result_from_json
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.registry import rulebook


def parse(text: str) -> Tournament:
    """The tournament in the text of an event file. Raises the file's first Problem, broken JSON included."""
    return tournament_from_json(parse_json(text))


def parse_json(text: str) -> object:
    """JSON as this format reads it: broken JSON is a Problem with line and column, a key given twice one with its path.

    A byte-order mark is passed over. Numbers that no event file may hold stay recognisably wrong for the schema.
    """
    doubled: list[tuple[dict[str, Any], str]] = []

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            doubled.append((made, next(key for key in keys if keys.count(key) > 1)))
        return made

    text = text.removeprefix("\ufeff")
    try:
        data = json.loads(text, object_pairs_hook=read_object, parse_int=_read_integer)
    except json.JSONDecodeError as error:
        near = text[error.pos :].strip()[:20].split("\n")[0]
        if not near:
            raise Problem("json_ends_early", line=error.lineno, column=error.colno) from None
        raise Problem("broken_json", line=error.lineno, column=error.colno, near=near) from None
    except RecursionError:
        raise Problem("too_deep", maximum=MAX_DEPTH) from None
    for made, key in doubled:
        raise Problem("key_twice", where=pointer(_path_to(made, data), key), key=key)
    return data


def _read_integer(text: str) -> int:
    # Python refuses to convert thousands of digits; the first 24 are out of the schema's range just the same.
    return int(text[:24])


def _path_to(wanted: object, data: object) -> str:
    """Where `wanted` stands in `data`; by a list of places to look, since a hostile file may be deep."""
    places: list[tuple[str, object]] = [("", data)]
    while places:
        where, value = places.pop()
        if value is wanted:
            return where
        if isinstance(value, dict):
            places += [(pointer(where, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            places += [(pointer(where, index), inner) for index, inner in enumerate(value)]
    return ""


def tournament_from_json(data: object) -> Tournament:
    """The tournament of a decoded event file. Raises the first Problem of `event_problems`."""
    results: list[Result] = []
    for problem in _problems(data, results):
        raise problem
    assert isinstance(data, dict)
    read = iter(results)
    return Tournament(
        name=data["name"],
        rulebook=data["rulebook"],
        level=data.get("level"),
        options=data.get("options", {}),
        seed=data.get("seed", 0),
        competitors=tuple(_competitor(item) for item in data["competitors"]),
        rounds=tuple(_round(item, read) for item in data.get("rounds", [])),
        record=_record(data, TOURNAMENT_RECORD),
    )


def event_problems(data: object) -> Iterator[Problem]:
    """Everything for which the file cannot be read: first its form (the schema), then what contradicts itself."""
    return _problems(data, [])


def _problems(data: object, results: list[Result]) -> Iterator[Problem]:
    """`event_problems`; the results, which have to be read for it, are appended in the file's order."""
    formal = False
    for problem in schema_problems(data):
        formal = True
        yield problem
    if formal:
        return
    assert isinstance(data, dict)
    try:
        book = rulebook(data["rulebook"])
    except Problem as problem:
        yield problem
        return
    if data.get("level") not in (None, *book.levels):
        yield Problem("not_one_of", where="/level", value=data["level"], options=", ".join(book.levels))
    yield from _competitor_problems(data["competitors"])
    known = {item["id"] for item in data["competitors"]}
    yield from _official_problems(data.get("officials", []), known)
    yield from _played_on_problems(data.get("played_on", []), known)
    yield from _cut_problems(data.get("cut", {}), known)
    options = book.options(data.get("options", {}))
    in_stage: dict[str, int] = {}
    for index, item in enumerate(data.get("rounds", [])):
        where, stage = f"/rounds/{index}", item.get("stage", SWISS)
        in_stage[stage] = in_stage.get(stage, 0) + 1
        if in_stage[stage] == MOST_ROUNDS + 1:
            yield Problem("too_many_rounds_in_stage", where=where, stage=stage, maximum=MOST_ROUNDS)
        if item["number"] != index + 1:
            yield Problem("round_number", where=f"{where}/number", value=item["number"], right=index + 1)
        yield from _seating_problems(item, where, known)
        yield from _result_problems(item, where, book, options, results)


def _competitor_problems(competitors: list[dict[str, Any]]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, item in enumerate(competitors):
        before = first.setdefault(item["id"], index)
        if before != index:
            where = f"/competitors/{index}/id"
            yield Problem("id_twice", where=where, competitor=item["id"], first=f"/competitors/{before}")


def _official_problems(officials: list[dict[str, Any]], known: set[str]) -> Iterator[Problem]:
    """Officials have ids of their own; who of them plays is a competitor."""
    first: dict[str, str] = {}
    for index, item in enumerate(officials):
        where = f"/officials/{index}"
        if item["id"] in known or item["id"] in first:
            yield Problem("id_twice", where=f"{where}/id", competitor=item["id"],
                          first=first.get(item["id"], "/competitors"))
        first.setdefault(item["id"], where)
        if "plays" in item and item["plays"] not in known:
            yield Problem("unknown_competitor", where=f"{where}/plays", competitor=item["plays"])


def _played_on_problems(lines: list[dict[str, Any]], known: set[str]) -> Iterator[Problem]:
    """What was missing was missing of a competitor, or of nobody."""
    for index, line in enumerate(lines):
        for at, point in enumerate(line["points"]):
            if point.get("who", "") not in known | {""}:
                yield Problem("unknown_competitor", where=f"/played_on/{index}/points/{at}/who",
                              competitor=point["who"])


def _cut_problems(cut: dict[str, Any], known: set[str]) -> Iterator[Problem]:
    """Whoever stands in the cut is a competitor, once in each list."""
    for key in ("order", "seeds", "declined", "absent"):
        listed = cut.get(key, [])
        for index, who in enumerate(listed):
            if who not in known:
                yield Problem("unknown_competitor", where=f"/cut/{key}/{index}", competitor=who)
            elif listed.index(who) != index:
                yield Problem("id_twice", where=f"/cut/{key}/{index}", competitor=who,
                              first=f"/cut/{key}/{listed.index(who)}")


def _seating_problems(item: dict[str, Any], where: str, known: set[str]) -> Iterator[Problem]:
    """Each competitor is known and sits once in a round; each table is used once."""

    def place(index: int) -> str:
        return f"{where}/matches/{index}"

    seats: dict[str, int] = {}
    tables: dict[int, int] = {}
    for index, match in enumerate(item["matches"]):
        for side in ("a", "b"):
            who = match.get(side)
            if who is None:
                continue
            if who not in known:
                yield Problem("unknown_competitor", where=f"{place(index)}/{side}", competitor=who)
            elif who in seats:
                yield Problem("twice_in_round", where=f"{place(index)}/{side}", competitor=who, first=place(seats[who]))
            seats.setdefault(who, index)
        if "absent" in match and match["absent"] not in known:
            yield Problem("unknown_competitor", where=f"{place(index)}/absent", competitor=match["absent"])
        table = match.get("table")
        if table is not None and tables.setdefault(table, index) != index:
            yield Problem("table_twice", where=f"{place(index)}/table", table=table, first=place(tables[table]))


def _result_problems(
    item: dict[str, Any], where: str, book: Rulebook, options: Mapping[str, Any], results: list[Result]
) -> Iterator[Problem]:
    """A result agrees with itself, and its winner with the rulebook's figures; in elimination somebody goes on."""
    knockout = item.get("stage", SWISS) not in SWISS_STAGES
    for index, match in enumerate(item["matches"]):
        if "result" in match:
            try:
                result = result_from_json(match["result"])
                if knockout:
                    book.elimination_winner(result, options, "a")
                else:
                    book.winner(result, options)
                results.append(result)
            except Problem as problem:
                yield problem.at(f"{where}/matches/{index}/result")


MOST_ROUNDS = 30
"""In each stage."""

_TUPLES = ("warnings", "members", "houses")

TOURNAMENT_RECORD = frozenset({"date", "venue", "club", "external_id", "special_rules", "effective_options",
                               "officials", "checked_in", "played_on", "cut", "finished"})
COMPETITOR_RECORD = frozenset({"disqualification", "proposed", "proposal_declined_at", "list_corrections", "ticks",
                               "declined_place"})
ROUND_RECORD = frozenset({"notes", "extra_minutes"})
MATCH_RECORD = frozenset({"decided", "log", "corrections", "lots"})
"""Keys that no rule computes with; the records keep them as they stand in the file."""


def _record(data: dict[str, Any], keys: frozenset[str]) -> dict[str, Any] | None:
    return None if keys.isdisjoint(data) else {key: value for key, value in data.items() if key in keys}


def _competitor(data: dict[str, Any]) -> Competitor:
    values: dict[str, Any] = {
        key: tuple(value) if key in _TUPLES else value for key, value in data.items() if key not in COMPETITOR_RECORD
    }
    return Competitor(**values, record=_record(data, COMPETITOR_RECORD))


def _round(data: dict[str, Any], results: Iterator[Result]) -> Round:
    draw = Draw(**data["draw"]) if "draw" in data else None
    matches = [_match(item, results) for item in data["matches"]]
    return Round(data["number"], data.get("stage", SWISS), tuple(matches), draw, data.get("tiebreak_form"),
                 _record(data, ROUND_RECORD))


def _match(data: dict[str, Any], results: Iterator[Result]) -> Match:
    values = dict(data)
    if record := _record(data, MATCH_RECORD):
        values = {key: value for key, value in data.items() if key not in MATCH_RECORD} | {"record": record}
    if "result" in data:
        values["result"] = next(results)
    if "picks" in data:
        values["picks"] = tuple(data["picks"])
    return Match(**values)
