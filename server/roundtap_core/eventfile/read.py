"""Reading an event file: one JSON document that holds a tournament, and what makes such a file unreadable.

Rules of play that a real event broke (a score above the cap, a repeated pairing, two byes) are no errors here: they
load, and `check` reports them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.eventfile.quick_read import quick_parse, quick_tournament
from roundtap_core.eventfile.references import (
    competitor_problems,
    cut_problems,
    official_problems,
    played_on_problems,
    seating_problems,
)
from roundtap_core.eventfile.schema import MAX_DEPTH, pointer, schema_problems
from roundtap_core.eventfile.to_records import to_competitor, to_match, to_round, to_tournament
from roundtap_core.limits import MOST_ROUNDS
from roundtap_core.records import SWISS, SWISS_STAGES, Result, Tournament
from roundtap_core.result_json import result_from_json
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.registry import rulebook


def parse(text: str) -> Tournament:
    """The tournament in the text of an event file. Raises the file's first Problem, broken JSON included."""
    return quick_parse(text) or tournament_or_problem(parse_json(text))


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
        raise Invalid("broken_json", line=error.lineno, column=error.colno, near=near) from None
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
    return quick_tournament(data) or tournament_or_problem(data)


def tournament_or_problem(data: object) -> Tournament:
    """The slow road: it names what is wrong, and reads what the quick one leaves to it."""
    results: list[Result] = []
    for problem in _problems(data, results):
        raise problem
    assert isinstance(data, dict)
    read = iter(results)
    rounds = (to_round(item, [to_match(match, next(read) if "result" in match else None) for match in item["matches"]])
              for item in data.get("rounds", []))
    return to_tournament(data, map(to_competitor, data["competitors"]), rounds)


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
        yield Invalid("not_one_of", where="/level", value=data["level"], options=", ".join(book.levels))
    yield from competitor_problems(data["competitors"])
    known = {item["id"] for item in data["competitors"]}
    yield from official_problems(data.get("officials", []), known)
    yield from played_on_problems(data.get("played_on", []), known)
    yield from cut_problems(data.get("cut", {}), known)
    options = book.options(data.get("options", {}))
    in_stage: dict[str, int] = {}
    for index, item in enumerate(data.get("rounds", [])):
        where, stage = f"/rounds/{index}", item.get("stage", SWISS)
        in_stage[stage] = in_stage.get(stage, 0) + 1
        if in_stage[stage] == MOST_ROUNDS + 1:
            yield Problem("too_many_rounds_in_stage", where=where, stage=stage, maximum=MOST_ROUNDS)
        if item["number"] != index + 1:
            yield Problem("round_number", where=f"{where}/number", value=item["number"], right=index + 1)
        yield from seating_problems(item, where, known)
        yield from _result_problems(item, where, book, options, results)


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
