"""Results between records and JSON: what comes back the same, and what is refused with its place."""

import json
from typing import Any

import pytest

from roundtap_core.errors import Problem
from roundtap_core.records import Result, SidePair, result_from_json, result_to_json


@pytest.mark.parametrize(
    "result",
    [
        Result(),
        Result(score=SidePair(100, 24)),
        Result("time", "draw", score=SidePair(14, 3), timeout={"active": "a"}),
        Result(
            "concession", conceded_by="b", score=SidePair(1, 1), wounds=SidePair(5, 2), picks={"a": [1, 2], "b": [3, 4]}
        ),
        Result("ruling", "none"),
        Result("played", "draw", score=SidePair(300, 280), initiative="b"),
        Result(
            "time",
            "a",
            score=SidePair(1, 0),
            first_player="a",
            timeout={"keys": {"a": 1, "b": 2}, "aember": {"a": 9, "b": 3}, "decided_by": "potential"},
        ),
    ],
)
def test_a_result_comes_back_the_same(result: Result) -> None:
    assert result_from_json(json.loads(json.dumps(result_to_json(result)))) == result


@pytest.mark.parametrize(
    ("data", "key", "where"),
    [
        ([], "wrong_type", ""),
        ({"score": 3}, "wrong_type", "/score"),
        ({"score": {"a": "3"}}, "wrong_type", "/score/a"),
        ({"score": {"c": 3}}, "unknown_key", "/score/c"),
        ({"points": 3}, "unknown_key", "/points"),
        ({"ended": "tired"}, "not_one_of", "/ended"),
        ({"winner": "c"}, "not_one_of", "/winner"),
        ({"ended": "concession"}, "concession_by_whom", "/conceded_by"),
        ({"conceded_by": "a"}, "conceded_without_concession", "/conceded_by"),
        ({"ended": "ruling"}, "ruling_for_whom", "/winner"),
        ({"winner": "none"}, "none_without_ruling", "/winner"),
        ({"picks": "12"}, "wrong_type", "/picks"),
        ({"picks": {"c": [1, 2]}}, "unknown_key", "/picks/c"),
        ({"picks": {"a": 1}}, "wrong_type", "/picks/a"),
        ({"picks": {"a": [1, True]}}, "wrong_type", "/picks/a/1"),
        ({"picks": {"a": [[1], 2]}}, "wrong_type", "/picks/a/0"),
        ({"timeout": "late"}, "wrong_type", "/timeout"),
        ({"timeout": ["late"]}, "wrong_type", "/timeout"),
    ],
)
def test_what_is_no_result_is_refused_with_its_place(data: Any, key: str, where: str) -> None:
    with pytest.raises(Problem) as caught:
        result_from_json(data)
    assert (caught.value.key, caught.value.where) == (key, where)


@pytest.mark.parametrize(
    ("data", "result"),
    [
        ({"score": None, "winner": "a"}, Result(winner="a")),
        ({"ended": None, "score": {"a": 10**6, "b": 0}}, Result(score=SidePair(10**6, 0))),
        ({"timeout": {"keys": "a\u202eb"}}, Result(timeout={"keys": "a\u202eb"})),
    ],
)
def test_what_an_old_entry_may_hold_is_read(data: Any, result: Result) -> None:
    assert result_from_json(data) == result
