"""The types of the event file against its published JSON Schema: they say the same, and refuse the same places."""

import copy
import json
from contextlib import nullcontext
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from published_schema import EVENT_SCHEMA
from roundtap_core.eventfile.file_schema import Event
from roundtap_core.reasons import type_problems
from roundtap_core.typed import NESTING_MAX, MalformedMessage, decode_message, parse_message

FULL: dict[str, Any] = {
    "format": "roundtap-event/1",
    "name": "Everything",
    "rulebook": "some-rulebook",
    "level": "formal",
    "seed": -7,
    "options": {
        "structure": "own",
        "swiss_rounds": 4,
        "cut": 8,
        "prize_places": 3,
        "third_place_match": True,
        "squad_points": 300,
        "bye_mov": 450,
        "bye_score": -1,
        "legendary_limit": 3,
        "lists_required": False,
        "late_minutes": 10,
        "full_names": True,
        "stages": {
            "swiss": {"best_of": 1, "minutes": 35},
            "final": {"best_of": 3, "minutes": None},
            "elimination": {},
            "third_place": {"minutes": 45},
        },
    },
    "competitors": [
        {
            "id": "t1",
            "name": "Ana + Eva",
            "members": ["Ana Ruiz", "Eva Luz"],
            "captain": "Eva Luz",
            "won_bye": False,
            "list": {"faction": "Rebel", "total": 98, "ships": [{"name": "X", "epic": None}]},
            "identity": "Ónice",
            "houses": ["Dis", "Logos"],
            "officials_role": "judge",
            "warnings": [{"round": 0, "reason": "late"}],
        },
        {
            "id": "t2",
            "name": "Łukasz Żak",
            "public_name": "Ł",
            "club": "Orion",
            "external_id": "1",
            "person": "3f2a9c01b7de",
            "came_with": "c",
            "fixed_table": 9,
            "dropped_after": 1,
            "disqualified_after": 0,
        },
    ],
    "rounds": [
        {
            "number": 1,
            "stage": "elimination",
            "draw": {"seed": 1, "attempt": 1, "method": ""},
            "matches": [
                {
                    "table": 1,
                    "a": "t1",
                    "b": "t2",
                    "game": 2,
                    "extension_minutes": 4,
                    "result": {
                        "ended": "ruling",
                        "winner": "none",
                        "conceded_by": "a",
                        "score": {"a": -3, "b": 42},
                        "wounds": {"a": 1},
                        "initiative": "a",
                        "first_player": "b",
                        "picks": {"a": [1, 3], "b": [2, 4]},
                        "timeout": {"keys": {"a": 1, "b": 2}},
                    },
                    "corrections": [{"was": {"score": {"a": 1}}, "by": "t2", "after_round": 1, "reason": "typing"}],
                },
                {"a": "t1", "bye": "no-show", "game": "third"},
            ],
        },
    ],
}

VALUES = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        2,
        3,
        8,
        -1,
        2**53 - 1,
        2**53,
        -(2**53),
        1.0,
        0.5,
        "",
        " ",
        "a",
        "b",
        "swiss",
        "bye",
        "third",
        "two\nlines",
        "bell\u0007",
        "Łódź",
        "\ud800",
        [],
        {},
        [1],
        ["x", "y"],
        ["x", 0],
        {"a": 1},
        {"bye": "won"},
        {"x": {}},
    ]
).map(copy.deepcopy)  # A later change may reach into a value put there by an earlier one.

FREE = [
    (("competitors", 0, "list"), 3),
    (("rounds", 0, "notes"), 3),
    (("rounds", 0, "matches", 0, "result", "timeout"), 6),
    (("rounds", 0, "matches", 0, "corrections", 0, "was", "timeout"), 8),
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    if isinstance(value, dict):
        found = [(value, key) for key in value]
    elif isinstance(value, list):
        found = [(value, index) for index in range(len(value))]
    else:
        return []
    return found + [place for container, key in list(found) for place in places(container[key])]


@st.composite
def mutants(draw: st.DrawFn) -> Any:
    """The full file with one to three things replaced, removed or added."""
    data = copy.deepcopy(FULL)
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(places(data)))
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "replace":
            container[key] = draw(VALUES)
        elif action == "remove":
            del container[key]
        elif isinstance(container, dict):
            container[draw(st.sampled_from(["bye", "b", "game", "table", "name", "x", "a/b"]))] = draw(VALUES)
        else:
            container.append(draw(VALUES))
        if not places(data):
            break
    return data


def oracle() -> jsonschema.Draft202012Validator:
    """The library, with our one deviation: 1.0 is no integer."""
    checker = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=checker)(EVENT_SCHEMA)


ORACLE = oracle()


def where_the_library_complains(data: Any) -> set[str]:
    """The paths of its errors; an unknown key is reported at its object there, and at the key here."""
    found: set[str] = set()
    for error in ORACLE.iter_errors(data):
        path = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in error.absolute_path)
        if error.validator == "additionalProperties":
            known = error.schema["properties"]
            found |= {f"{path}/{key.replace('/', '~1')}" for key in error.instance if key not in known}
        else:
            found.add(path)
    return found


def test_the_schema_itself_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(EVENT_SCHEMA)


# --- the same answers ------------------------------------------------------------------------------------------------


def test_a_file_with_every_key_is_valid() -> None:
    assert list(type_problems(FULL, Event)) == []
    assert where_the_library_complains(FULL) == set()


def test_every_object_refuses_unknown_keys_but_lists_and_timeouts() -> None:
    data = copy.deepcopy(FULL)
    objects = [data] + [container[key] for container, key in places(data) if isinstance(container[key], dict)]
    for item in objects:
        item["surprise"] = 1
    accepted = set(where_every(data, "surprise")) - {problem.where for problem in type_problems(data, Event)}
    # `stages` maps stage names; what is inside lists and timeouts is the rulebook's business.
    assert {path.rsplit("/", 1)[0] for path in accepted} == {
        "/competitors/0/list",
        "/competitors/0/list/ships/0",
        "/rounds/0/matches/0/result/timeout",
        "/rounds/0/matches/0/result/timeout/keys",
    }


def where_every(value: Any, wanted: str, where: str = "") -> list[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [
        path
        for key, inner in items
        for path in ([f"{where}/{key}"] if key == wanted else where_every(inner, wanted, f"{where}/{key}"))
    ]


@given(mutants())
def test_both_complain_at_the_same_places(data: Any) -> None:
    assert {problem.where for problem in type_problems(data, Event)} == where_the_library_complains(data)


@given(mutants())
def test_yes_is_said_exactly_where_there_is_no_reason(data: Any) -> None:
    found = list(type_problems(data, Event))
    with pytest.raises(MalformedMessage) if found else nullcontext():
        parse_message(Event, data)
    try:
        text = json.dumps(data, ensure_ascii=False)
    except ValueError:
        return
    assert (decode_message(Event, text) is None) == bool(found)


@pytest.mark.parametrize(("place", "level"), FREE)
@pytest.mark.parametrize(("innermost", "more"), [([], 0), ([1], 1), ({}, 0), ({"x": 1}, 1), (1, 0), (True, 0)])
def test_a_file_is_forty_levels_deep_and_no_deeper(
    place: tuple[Any, ...], level: int, innermost: Any, more: int
) -> None:
    for levels in range(NESTING_MAX - 10, NESTING_MAX):
        data, inner = copy.deepcopy(FULL), copy.deepcopy(innermost)
        for _ in range(levels):
            inner = [inner]
        holder: Any = data
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = {"x": inner}
        found = [problem.key for problem in type_problems(data, Event)]
        assert found == ([] if level + 1 + levels + more <= NESTING_MAX else ["too_deep"])
        assert (decode_message(Event, json.dumps(data)) is None) == bool(found)
