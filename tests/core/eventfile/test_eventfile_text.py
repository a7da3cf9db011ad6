"""A text is read as the JSON in it is: with the same tournament, or for the same reason not."""

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_up_event import made_up_event
from roundtap_core.errors import Problem
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.file_schema import Event
from roundtap_core.eventfile.read import event_problems, parse_event_file, parse_json, tournament_from_json
from roundtap_core.records import Result, SidePair, Tournament
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.typed import decode_message

WORKED = sorted((Path(__file__).parents[1] / "worked_events").glob("*.json"))

VALUES = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        2,
        3,
        120,
        121,
        99_999,
        100_000,
        -99_999,
        -100_000,
        2**53,
        10**30,
        1.0,
        0.5,
        float("nan"),
        "",
        " ",
        "a",
        "b",
        "p1",
        "p2",
        "p3",
        "swiss",
        "bye",
        "won",
        "third",
        "played",
        "time",
        "draw",
        "none",
        "two\nlines",
        "Łódź",
        "\u200b",
        "\ud800",
        "x" * 81,
        [],
        {},
        [1],
        ["p1"],
        {"a": 1},
        {"a": 1, "b": 2},
        {"score": {"a": 7, "b": 7}},
        {"score": {"a": 7}},
        {"score": {"a": True, "b": 1}},
        {"score": {"a": 1, "b": 100_000}},
        {"bye": "won"},
        {"a": "p1", "bye": "bye"},
        {"a": "p1", "b": "p2", "table": 1},
        {"ended": "ruling", "winner": "none"},
        {"ended": "concession", "score": {}},
    ]
).map(copy.deepcopy)
KEYS = (
    "bye",
    "b",
    "a",
    "game",
    "table",
    "name",
    "x",
    "a/b",
    "absent",
    "picks",
    "result",
    "level",
    "stage",
    "winner",
    "number",
    "rounds",
    "record",
)


@cache
def whole_files() -> tuple[str, ...]:
    """An event of each rulebook, made up, and the worked ones; one with all that a hub notes beside."""
    made = [
        json.dumps(tournament_to_json(made_up_event(book, 5 + n % 2, n)), ensure_ascii=False)
        for n, book in enumerate(RULEBOOKS)
    ]
    noted = json.loads(made[0])
    who = [person["id"] for person in noted["competitors"]]
    noted |= {
        "officials": [{"id": "o1", "name": "Eva Luz", "role": "judge", "second": True, "plays": who[0]}],
        "played_on": [{"points": [{"kind": "list_missing", "who": who[1]}], "reason": "", "by": "o1"}],
        "cut": {"size": 2, "order": who, "seeds": who[:2], "declined": who[2:3]},
        "checked_in": len(who),
        "effective_options": {"cut": 2},
        "finished": True,
    }
    noted["competitors"][0] |= {"ticks": ["sleeves"], "warnings": [{"round": 1, "reason": "late", "by": "o1"}]}
    noted["rounds"][0] |= {"notes": {"repeats": 0}, "extra_minutes": 2}
    noted["rounds"][0]["matches"][0] |= {
        "decided": True,
        "lots": {"first_player": "b"},
        "log": [{"kind": "ruling", "by": "o1", "text": "…"}],
        "corrections": [{"was": {"score": {"a": 1, "b": 2}}, "by": "o1"}],
    }
    return (*made, json.dumps(noted), *(file.read_text(encoding="utf-8") for file in WORKED))


def of_json(text: str) -> Tournament | str:
    """What the JSON in it means, or why it cannot be read."""
    try:
        return tournament_from_json(parse_json(text))
    except Problem as problem:
        return str(problem)


def of_text(text: str) -> Tournament | str:
    try:
        return parse_event_file(text)
    except Problem as problem:
        return str(problem)


def quick(text: str) -> bool:
    return decode_message(Event, text) is not None


@pytest.mark.parametrize("n", range(len(whole_files())))
def test_a_file_in_which_all_is_well_is_read_at_once(n: int) -> None:
    text = whole_files()[n]
    data = json.loads(text)
    for written in (
        json.dumps(data, separators=(",", ":"), ensure_ascii=False),
        json.dumps(data),
        json.dumps(data, indent=2),
        text.replace('":', '"\n : '),
    ):
        assert quick(written)
        assert parse_event_file(written) == parse_event_file("\ufeff" + written) == of_json(text)
    again = tournament_to_json(parse_event_file(text))
    assert tournament_to_json(tournament_from_json(again)) == again


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in ((value, key), *places(value[key]))]


@st.composite
def mutants(draw: st.DrawFn) -> Any:
    """A whole file with one or two things replaced, removed, doubled or added."""
    data = json.loads(draw(st.sampled_from(whole_files())))
    for _ in range(draw(st.integers(1, 2))):
        found = places(data)
        if not found:
            break
        container, key = found[draw(st.integers(0, len(found) - 1))]
        action = draw(st.sampled_from(["replace", "remove", "add", "double", "another's"]))
        if action == "replace":
            container[key] = draw(VALUES)
        elif action == "remove":
            del container[key]
        elif action == "another's":
            other, from_there = found[draw(st.integers(0, len(found) - 1))]
            container[key] = copy.deepcopy(other[from_there])
        elif isinstance(container, dict):
            container[draw(st.sampled_from(KEYS))] = draw(VALUES)
        else:
            container.append(copy.deepcopy(container[key]) if action == "double" else draw(VALUES))
    return data


@given(mutants())
def test_a_spoilt_file_is_read_the_same_both_ways(data: Any) -> None:
    before, text = repr(data), json.dumps(data)
    assert of_text(text) == of_json(text)
    reasons = [str(problem) for problem in event_problems(parse_json(text))]
    assert of_text(text) == reasons[0] if reasons else isinstance(of_text(text), Tournament)
    assert repr(data) == before


@given(
    st.sampled_from(whole_files()),
    st.integers(0),
    st.integers(0, 12),
    st.sampled_from(
        [
            '"a":1,',
            '"name" : "x",',
            '"x" :1,',
            '"a"\n:"p1",',
            '"id":"p1",',
            "9" * 30,
            "9" * 5000,
            "0",
            ".",
            "e5",
            " :",
            '":',
            "\\",
            "{",
            "[" * 1000,
            ",",
            "NaN",
            "\x00",
            "\ufeff",
            "-",
            '"',
        ]
    ),
)
def test_so_it_is_with_text_that_was_typed_into(text: str, at: int, cut: int, typed: str) -> None:
    place = at % len(text)
    spoilt = text[:place] + typed + text[place + cut :]
    assert of_text(spoilt) == of_json(spoilt)


@pytest.mark.parametrize(
    "said",
    [
        '"seed": 1, "seed": 2,',
        '"seed" : 1, "seed": 2,',
        '"seed": 1, "seed"\n: 2,',
        '"seed": 1, "s\\u0065ed": 2,',
        '"club": "\\u0022", "seed": 1, "seed": 2,',
        '"club": "\\u0022:\\u0022:", "seed": 1, "seed": 2,',
    ],
)
def test_a_key_that_stands_twice_is_found_on_the_way(said: str) -> None:
    text = json.dumps(json.loads(whole_files()[0]) | {"seed": 5}).replace('"seed": 5,', said)
    assert not quick(text)
    with pytest.raises(Problem) as caught:
        parse_event_file(text)
    assert (caught.value.where, caught.value.key) == ("/seed", "key_twice")


def small(**more: Any) -> dict[str, Any]:
    """An event of four with one round, and something else in it."""
    return {
        "format": "roundtap-event/1",
        "name": "Small",
        "rulebook": "xwing-standard",
        "competitors": [{"id": f"p{n}", "name": f"Ana {n}"} for n in range(1, 5)],
        "rounds": [{"number": 1, "matches": [met(), met("p3", "p4", 2)]}],
        **more,
    }


def small_with(*matches: dict[str, Any], **round_: Any) -> dict[str, Any]:
    return small(rounds=[{"number": 1, "matches": list(matches), **round_}])


def met(a: Any = "p1", b: Any = "p2", table: Any = 1, **more: Any) -> dict[str, Any]:
    return {"table": table, "a": a, "b": b, **more}


def scored(a: Any, b: Any) -> dict[str, Any]:
    return met(result={"score": {"a": a, "b": b}})


def official(**more: Any) -> dict[str, Any]:
    return small(officials=[{"id": "o1", "name": "Eva", "role": "judge", **more}])


def rounds_of(stage: str, n: int) -> list[dict[str, Any]]:
    return [{"number": number, "stage": stage, "matches": []} for number in range(1, n + 1)]


WRONG = [
    small_with(met(), met("p3", "p4")),
    small_with(met(table=0)),
    small_with(met(table=100_000)),
    small_with(met(table=True)),
    small_with(met("p1", "p1")),
    small_with(met(), met("p3", "p2", 2)),
    small_with(met("p9")),
    small_with(met(["p1"])),
    small_with({"a": "p1", "bye": "no-show", "absent": "p9"}),
    small_with({"a": "p1", "bye": "bye", "table": 1}),
    small_with({"a": "p1", "b": "p2", "bye": "bye"}),
    small_with({"table": 1, "a": "p1"}),
    small_with(met(result=None)),
    small_with(met(b=None)),
    small_with(met(x=1)),
    small_with(scored(99_999, 100_000)),
    small_with(scored(99_999, -100_000)),
    small_with(scored(100_000, 1)),
    small_with(scored(-100_000, 1)),
    small_with(scored(1, True)),
    small_with(scored(1.0, 2)),
    small_with(scored(7, 7)),
    small_with(met(), number=2),
    small_with(met(), number=True),
    small_with(met(), stage="cup"),
    small_with(met(), x=1),
    small(rounds=[{"number": 1}]),
    small(rounds=[[]]),
    small(rounds={}),
    small(competitors={}),
    small(rounds=rounds_of("swiss", 31)),
    small(competitors=small()["competitors"] * 1025),
    official(id="p1"),
    official(plays="p9"),
    official(role="king"),
    small(level="premier"),
    small(rulebook="chess"),
    small(played_on=[{"points": [{"kind": "list_missing", "who": "p9"}], "reason": "", "by": "o1"}]),
    small(cut={"size": 2, "order": ["p9"], "seeds": []}),
    small(cut={"size": 2, "order": ["p1", "p1"], "seeds": []}),
    small(competitors=[{"id": "p1", "name": "Ana"}] * 2, rounds=[]),
    small(options={"cut": 3}),
    small(seed=2**53),
]
RIGHT = [
    small(),
    small_with(met()),
    small_with(met(table=99_999)),
    small_with({"a": "p1", "b": "p2"}),
    small_with({"a": "p1", "bye": "no-show", "absent": "p4"}, {"a": "p4", "bye": "unpaired-loss"}),
    small_with(scored(99_999, -99_999)),
    small_with(met(result={"score": {"a": 3}})),
    small(rounds=rounds_of("swiss", 30)),
    small_with(met(result={"score": {"a": 7, "b": 7}, "winner": "a"})),
    small_with(met(decided=True, game="third")),
    small(rounds=[*rounds_of("swiss", 30), {"number": 31, "stage": "elimination", "matches": [scored(7, 1)]}]),
    official(plays="p1"),
    small(level="formal"),
    small(seed=2**53 - 1),
]


@pytest.mark.parametrize("n", range(len(WRONG)))
def test_each_kind_of_wrong_is_refused_either_way(n: int) -> None:
    text = json.dumps(WRONG[n])
    assert of_text(text) == of_json(text) == str(next(event_problems(WRONG[n])))


@pytest.mark.parametrize("n", range(len(RIGHT)))
def test_each_kind_of_right_is_read_at_once(n: int) -> None:
    text = json.dumps(RIGHT[n])
    assert quick(text)
    assert of_text(text) == of_json(text)
    assert not isinstance(of_text(text), str)
    assert list(event_problems(RIGHT[n])) == []


def test_results_alike_are_one_object_and_change_nothing() -> None:
    """Those of a score alone; who shares one cannot change it."""
    data = json.loads(whole_files()[0])
    matches = [match for played in data["rounds"] for match in played["matches"] if "b" in match][:3]
    for match, score in zip(matches, ({"a": 7, "b": 9}, {"b": 9, "a": 7}, {"a": 9, "b": 7}), strict=True):
        match["result"] = {"score": score}
    found = tournament_from_json(data)
    one, two, three = [match.result for played in found.rounds for match in played.matches if match.b][:3]
    assert one is two
    assert three == Result(score=SidePair(9, 7))
    with pytest.raises(AttributeError):
        one.winner = "a"  # type: ignore[union-attr, misc]
