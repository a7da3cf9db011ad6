"""What the hub believes of a unit's word about its own machine: a few bounded words, whatever comes."""

import json
from typing import Any

import pytest

from roundtap_core.messages import Health
from roundtap_hub.views.unit_presence import decode_health, encode_health

GOOD: dict[str, Any] = {
    "version": "0.1.0.dev3+gabc",
    "throttled": 5,
    "celsius": 45,
    "free_mb": 4096,
    "read_only": False,
    "screen": True,
    "printer": "no-paper",
    "deaf": "lgpio",
    "blind": "i2c",
    "keys": ["a", "b"],
    "pressed": ["a"],
}


def test_an_honest_word_is_kept_as_it_is() -> None:
    health = decode_health(encode_health(GOOD))
    assert health == Health("0.1.0.dev3+gabc", 5, 45, 4096, False, True, "no-paper", "lgpio", "i2c", ("a", "b"), ("a",))
    assert health.unpressed == ("b",)


def test_who_never_said_it_has_none() -> None:
    assert decode_health("") is None
    assert [encode_health(said) for said in (None, 3, "x", [GOOD])] == ["", "", "", ""]


@pytest.mark.parametrize(
    ("field", "values", "instead"),
    [
        ("version", ["<b>", "a" * 61, "", 3, None, "1.0\n", ["1"], "ü"], ""),
        ("throttled", [-1, 1 << 20, True, "5", 1.5, None, [1]], None),
        ("celsius", [-1, 201, True, "45", 10**40], None),
        ("free_mb", [-1, 10**9, False, {}], None),
        ("read_only", [0, "true", None], None),
        ("screen", [1, "yes", None], None),
        ("printer", ["<script>", "NO", "a" * 25, 3, None, ["ready"], "no paper"], ""),
        *((word, ["<b>", "I2C", 3, None, ["i2c"], "a b", "a" * 25], "") for word in ("deaf", "blind")),
        ("keys", ["ab", {"a": 1}, None, [["a"]], [1, None], ["<b>", "A"]], ()),
        ("pressed", ["a", None, [["a"]], [3]], ()),
    ],
)
def test_what_is_odd_is_left_out_and_the_rest_counts(field: str, values: list[Any], instead: Any) -> None:
    for value in values:
        health = decode_health(encode_health({**GOOD, field: value}))
        assert getattr(health, field) == instead, value
        assert health.celsius == (instead if field == "celsius" else 45)


def test_however_much_is_said_little_is_kept() -> None:
    many = [f"key{n}" for n in range(10_000)]
    text = encode_health({**GOOD, "keys": many[:16], "pressed": many[:16], "more": "x" * 100_000})
    assert len(text) < 800
    assert len(json.loads(text)["keys"]) == 16
    assert json.loads(encode_health({**GOOD, "keys": many}))["keys"] == []
