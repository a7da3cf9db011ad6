"""Typed messages: what is no message of its type is refused with every reason, and what is one with none."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from roundtap_core import messages, view_types
from roundtap_core.eventfile import file_schema
from roundtap_core.messages import Health, Hello, Report, TableStatus
from roundtap_core.reasons import MOST, type_errors
from roundtap_core.typed import DisplayText, MalformedMessage, Message, parse_message, salvage_message
from roundtap_core.words import LANGUAGES, core_words

REPORT: dict[str, Any] = {
    "report_id": "r",
    "unit": "u",
    "event": "e",
    "match": "1.1",
    "side": "a",
    "revision": 0,
    "result": {"score": {}},
    "draw": "d",
    "serial": 3,
    "agrees_to": {"report_id": "x", "hash": "h"},
    "round": 1,
    "a": "p",
    "b": "q",
    "time_up": True,
}
STATUS: dict[str, Any] = {
    "unit": "t",
    "session": "s",
    "seq": 1,
    "match": None,
    "seated": ["a"],
    "draft": False,
    "call": True,
    "leave": "ab",
    "clock_ms": 5,
    "waiting": 0,
}
HELLO: dict[str, Any] = {
    "unit": "t",
    "nonce": "n",
    "challenge": "c",
    "core": "1",
    "reports": [["e", "r"]],
    "epoch": None,
    "heads": {"e1": [3, "h"]},
    "holds": None,
    "damaged": 0,
}
RIGHT: list[tuple[type[Message], dict[str, Any]]] = [(Report, REPORT), (TableStatus, STATUS), (Hello, HELLO)]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(["", "a", "x" * 99, "\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "hash"]), inner, max_size=3),
    max_leaves=5,
)


def why(kind: type[Message], said: object) -> list[tuple[str, str]]:
    with pytest.raises(MalformedMessage) as refused:
        parse_message(kind, said)
    return [(problem.key, problem.where) for problem in refused.value.reasons]


def test_every_reason_is_said_with_its_place_in_four_languages() -> None:
    said = {
        **REPORT,
        "side": "c",
        "serial": 0,
        "draw": None,
        "event": "",
        "more": 1,
        "match": "x" * 65,
        "agrees_to": {"report_id": "x"},
        "revision": True,
        "round": 1.0,
    }
    assert why(Report, said) == [
        ("unfit_text", "/event"),
        ("text_too_long", "/match"),
        ("not_one_of", "/side"),
        ("wrong_type", "/revision"),
        ("wrong_type", "/draw"),
        ("figure_out_of_range", "/serial"),
        ("missing_key", "/agrees_to"),
        ("wrong_type", "/round"),
        ("unknown_key", "/more"),
    ]
    for problem in type_errors(said, Report):
        assert len({problem.say(core_words(language)) for language in LANGUAGES}) == len(LANGUAGES)
    assert why(Hello, {**HELLO, "reports": [["e"], "r"], "heads": {"a/b": [True, 1]}}) == [
        ("wrong_length", "/reports/0"),
        ("wrong_type", "/reports/1"),
        ("wrong_type", "/heads/a~1b/0"),
        ("wrong_type", "/heads/a~1b/1"),
    ]


def test_what_is_known_counts_and_more_is_left_alone_but_in_a_report() -> None:
    assert parse_message(Hello, {**HELLO, "newer": {"x": 1.5}}) == parse_message(Hello, HELLO)
    assert parse_message(TableStatus, {**STATUS, "leave": ["b", "a"]}).leave == ["b", "a"]
    assert why(Report, {**REPORT, "newer": 1}) == [("unknown_key", "/newer")]


def test_a_thousand_faults_are_told_by_twenty() -> None:
    assert len(why(Hello, {**HELLO, "reports": [[]] * 1000})) == MOST


def test_half_a_surrogate_pair_is_no_text() -> None:
    for said in ("\ud800", {**REPORT, "\ud800": 1}):
        assert why(Report, said)


@given(st.sampled_from(RIGHT), st.data())
def test_who_is_refused_hears_why_and_nobody_else_does(
    right: tuple[type[Message], dict[str, Any]], data: st.DataObject
) -> None:
    kind, said = right[0], copy.deepcopy(right[1])
    for key in data.draw(st.lists(st.sampled_from([*said, "more"]), max_size=3)):
        if data.draw(st.booleans()):
            said[key] = data.draw(JSON)
        else:
            said.pop(key, None)
    found = type_errors(said, kind)
    try:
        parse_message(kind, said)
    except MalformedMessage:
        assert found
    else:
        assert not found


def test_what_is_odd_is_left_out_where_the_rest_counts() -> None:
    said = {"version": "<b>", "celsius": 45, "screen": "yes", "keys": ["a", "b"], "more": 1}
    assert salvage_message(Health, said) == Health(celsius=45, keys=("a", "b"))


def parts_of(kind: Any) -> Iterator[Any]:
    """A type as msgspec sees it, and all that is in it."""
    if isinstance(kind, list | tuple):
        for each in kind:
            yield from parts_of(each)
    elif isinstance(kind, inspect.Type | inspect.Field):
        yield kind
        for name in kind.__struct_fields__:
            yield from parts_of(getattr(kind, name))


def test_no_field_is_a_text_of_a_pattern_or_else_a_list() -> None:
    """For such a field msgspec 0.22 writes beyond its memory; so it does for one that may be a dict."""
    of_pattern = [
        part
        for module in (messages, view_types, file_schema)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Message)
        for part in parts_of(inspect.type_info(kind))
        if isinstance(part, inspect.UnionType) and any(getattr(each, "pattern", None) for each in part.types)
    ]
    assert of_pattern
    assert {type(each) for part in of_pattern for each in part.types} <= {
        inspect.StrType,
        inspect.IntType,
        inspect.BoolType,
        inspect.NoneType,
    }


@pytest.mark.parametrize(
    ("said", "shown"),
    [("Ana\nR.", "Ana R."), ("\u202eAna", "Ana"), ("  Łukasz\t Ż. ", "Łukasz Ż."), ("x" * 500, "x" * 200), ("", "")],
)
def test_what_nobody_can_draw_is_left_out_of_a_name(said: str, shown: str) -> None:
    assert DisplayText.of(said) == shown
