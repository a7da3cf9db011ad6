"""Canonical JSON and signatures: the same bytes everywhere, and nothing a stranger sends breaks the check."""

import json
from datetime import datetime
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtap_core.typed import DisplayText
from roundtap_core.wire import DEPTH_MAX, ECHO, FEED, canonical_json, envelope, open_envelope, sign, verify_signature

KEY = bytes(range(32))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_the_order_of_keys_and_the_kind_of_list_do_not_matter() -> None:
    assert canonical_json({"ż": 1, "a": (1, None)}) == '{"a":[1,null],"ż":1}'.encode()
    assert canonical_json({"a": [1, None], "ż": 1}) == '{"a":[1,null],"ż":1}'.encode()


@given(PLAIN)
def test_the_bytes_are_those_of_the_standard_library(value: Any) -> None:
    assert canonical_json(value).decode() == json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


@pytest.mark.parametrize("value", [DisplayText("Ola"), {10: 1, 9: DisplayText("Ola")}, {None: True}])
def test_also_of_values_that_the_fast_encoder_does_not_know(value: Any) -> None:
    assert canonical_json(value).decode() == json.dumps(value, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize("value", [b"ab", {"a": {1, 2}}, [frozenset()], datetime(2026, 11, 27)])
def test_what_json_does_not_know_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


@given(PLAIN)
def test_whatever_is_signed_verifies_and_opens(value: Any) -> None:
    assert verify_signature(KEY, FEED, value, sign(KEY, FEED, value))
    assert open_envelope(KEY, FEED, envelope(KEY, FEED, {"value": value})) == {"value": value}


def test_a_message_of_one_kind_is_none_of_another() -> None:
    assert open_envelope(KEY, ECHO, envelope(KEY, FEED, {"seq": 1})) is None


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        {"x": [0.5]},
        float("nan"),
        "\ud800",
        {1: 2, "a": 3},
        nested(DEPTH_MAX + 1),
        nested(100_000),
        {"x": 10**5000},
    ],
)
def test_what_has_no_canonical_text_has_no_right_signature(value: Any) -> None:
    assert not verify_signature(KEY, FEED, value, "00" * 32)


def test_as_deep_as_any_event_file_is_no_difficulty() -> None:
    assert verify_signature(KEY, FEED, nested(DEPTH_MAX), sign(KEY, FEED, nested(DEPTH_MAX)))


@pytest.mark.parametrize(
    "message",
    [
        None,
        7,
        "x",
        [],
        {},
        {"payload": []},
        {"payload": {}},
        {"payload": {}, "mac": None},
        {"payload": {}, "mac": "ż"},
    ],
)
def test_what_is_no_envelope_opens_to_nothing(message: object) -> None:
    assert open_envelope(KEY, FEED, message) is None


def test_a_float_is_found_wherever_it_stands() -> None:
    for value in ({"a": [1, (2, {"b": 0.5})]}, [[[1.0]]], ("x", True, None, 2, 3.0), MappingProxyType({"a": 1.5})):
        with pytest.raises(TypeError, match="integers only"):
            canonical_json(value)


def test_what_leads_back_to_itself_is_too_deep() -> None:
    circle: list[Any] = [1]
    circle.append(circle)
    with pytest.raises(ValueError, match="levels"):
        canonical_json(circle)
