"""Reading an event file in one pass: form, references and records at once, for files in which all is well.

Whatever is wrong, or merely rare, ends it with None, and the slow road of `read` is taken: it names what is wrong. What
is said yes to here is what that road accepts, and the tournament is the same (the tests hold one against the other).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.eventfile.references import cut_problems, official_problems, played_on_problems
from roundtap_core.eventfile.schema import definition_check
from roundtap_core.eventfile.to_records import to_competitor, to_match, to_round, to_tournament
from roundtap_core.limits import FIGURE, MOST_COMPETITORS, MOST_ROUNDS, NUMBER, ROUND
from roundtap_core.records import SWISS, SWISS_STAGES, Competitor, Match, Pair, Result, Round, Tournament
from roundtap_core.result_json import result_from_json
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.registry import rulebook

MOST_IN_ALL, MOST_MATCHES = ROUND[1], MOST_COMPETITORS
MOST_FIGURE, MOST_TABLE = FIGURE[1], NUMBER[1]
"""As in the schema, whose other limits are asked of the schema itself."""

_BLANK_BEFORE_COLON = (" :", "\t:", "\n:", "\r:")


class _Odd(Exception):
    """Nothing for the quick road."""


def quick_parse(text: str) -> Tournament | None:
    """The tournament in the text of an event file, or None."""
    # Where no key stands twice, there are as many ends of keys in the text as keys in what was read.
    if any(blank in text for blank in _BLANK_BEFORE_COLON):
        return None
    try:
        reader = _Reader(json.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError, _Odd):
        return None
    return reader.tournament if reader.keys == text.count('":') else None


def quick_tournament(data: object) -> Tournament | None:
    """The tournament of a decoded event file, or None."""
    try:
        return _Reader(data).tournament
    except _Odd:
        return None


class _Reader:
    """One file, read: its `tournament`, and how many `keys` it has in all. Raises _Odd."""

    def __init__(self, data: object) -> None:
        if not isinstance(data, dict):
            raise _Odd
        people, played = data.get("competitors"), data.get("rounds", [])
        self.keys = _keys_in({key: value for key, value in data.items() if key != "rounds"}) + ("rounds" in data)
        if not isinstance(people, list) or not isinstance(played, list):
            raise _Odd
        _refuse_unless(
            len(people) <= MOST_COMPETITORS and len(played) <= MOST_IN_ALL
            and definition_check("event")({**data, "competitors": [], "rounds": []}, 0)
        )
        try:
            self._book: Rulebook = rulebook(data["rulebook"])
        except Problem:
            raise _Odd from None
        _refuse_unless(data.get("level") in (None, *self._book.levels))
        competitors = _competitors(people)
        self._known = {competitor.id for competitor in competitors}
        _refuse_unless(len(self._known) == len(competitors))
        _refuse_unless(not any(chain(
            official_problems(data.get("officials", []), self._known),
            played_on_problems(data.get("played_on", []), self._known), cut_problems(data.get("cut", {}), self._known),
        )))
        self._options = self._book.options(data.get("options", {}))
        self._scores: dict[tuple[bool, int, int], Result] = {}
        self.tournament = to_tournament(data, competitors, self._rounds(played))

    def _rounds(self, played: list[Any]) -> list[Round]:
        check, in_stage = definition_check("round"), dict[str, int]()
        rounds = []
        for index, item in enumerate(played):
            _refuse_unless(isinstance(item, dict) and isinstance(item.get("matches"), list))
            head = {**item, "matches": []}
            self.keys += _keys_in(head)
            _refuse_unless(len(item["matches"]) <= MOST_MATCHES and check(head, 2) and item["number"] == index + 1)
            stage = item.get("stage", SWISS)
            in_stage[stage] = in_stage.get(stage, 0) + 1
            _refuse_unless(in_stage[stage] <= MOST_ROUNDS)
            rounds.append(to_round(item, self._matches(item["matches"], stage not in SWISS_STAGES)))
        return rounds

    def _matches(self, items: list[Any], knockout: bool) -> list[Match]:
        """A match at a table, with a score or none, is read here; what has more to it is asked of the schema."""
        check_match, check_bye = definition_check("match"), definition_check("bye")
        standing, tables = set(self._known), set[int]()
        matches = []
        for item in items:
            _refuse_unless(isinstance(item, dict))
            a, b, table, result = item.get("a"), item.get("b"), item.get("table"), item.get("result")
            try:
                standing.remove(a)
                if b is not None:
                    standing.remove(b)
            except (KeyError, TypeError):
                # Unknown, sits here already, or is no id at all.
                raise _Odd from None
            if table is not None:
                _refuse_unless(type(table) is int and 1 <= table <= MOST_TABLE and table not in tables)
                tables.add(table)
            if b is not None and table is not None and len(item) == (3 if result is None else 4):
                self.keys += len(item)
                matches.append(Match(a, b, table, None, None if result is None else self._result(result, knockout)))
                continue
            _refuse_unless((check_bye if "bye" in item else check_match)(item, 4)
                           and item.get("absent", a) in self._known)
            self.keys += _keys_in(item if result is None else {**item, "result": None})
            matches.append(to_match(item, None if result is None else self._result(result, knockout)))
        return matches

    def _result(self, item: Any, knockout: bool) -> Result:
        """Most results are a score alone, and many of these the same: each is judged once."""
        score = item.get("score") if type(item) is dict and len(item) == 1 else None
        if type(score) is dict and len(score) == 2:
            a, b = score.get("a"), score.get("b")
            if type(a) is int and type(b) is int and -MOST_FIGURE <= a <= MOST_FIGURE >= b >= -MOST_FIGURE:
                self.keys += 3
                known = self._scores.get((knockout, a, b))
                if known is None:
                    known = self._scores[knockout, a, b] = self._judged(Result(score=Pair(a, b)), knockout)
                return known
        _refuse_unless(definition_check("result")(item, 5))
        self.keys += _keys_in(item)
        try:
            return self._judged(result_from_json(item), knockout)
        except Problem:
            raise _Odd from None

    def _judged(self, result: Result, knockout: bool) -> Result:
        try:
            if knockout:
                self._book.elimination_winner(result, self._options, "a")
            else:
                self._book.winner(result, self._options)
        except Problem:
            raise _Odd from None
        return result


def _competitors(items: list[Any]) -> list[Competitor]:
    check = definition_check("competitor")
    if not all(check(item, 2) for item in items):
        raise _Odd
    return [to_competitor(item) for item in items]


def _refuse_unless(well: bool) -> None:
    if not well:
        raise _Odd


def _keys_in(value: Mapping[str, Any]) -> int:
    """How many keys there are in `value`, at any depth."""
    keys, places = len(value), list[Iterable[Any]]((value.values(),))
    while places:
        for inner in places.pop():
            if type(inner) is dict:
                keys += len(inner)
                places.append(inner.values())
            elif type(inner) is list:
                places.append(inner)
    return keys
