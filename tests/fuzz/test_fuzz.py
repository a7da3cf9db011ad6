"""Strangers' inputs at a real hub, at commands and rows: every seed and a few of each kind, in test-long very many."""

import json
import random
from pathlib import Path

import hostile
import in_a_child
import pytest
from hypothesis import given
from hypothesis import strategies as st
from surfaces import SHARES, fire, holds

from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import event_problems, parse_event_file
from roundtap_core.typed import MalformedMessage, refuse_options_out_of_range, refuse_over_limits
from roundtap_hub.store.command_pipeline import validate_report
from roundtap_hub.store.models import stored_person

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(hostile.TEXTS),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(hostile.KEYS) | st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("inputs", [8, pytest.param(30_000, marks=pytest.mark.long)])
def test_nothing_that_strangers_send_breaks_a_hub(tmp_path: Path, inputs: int, chance: random.Random) -> None:
    said: list[str] = []
    found = fire(inputs, chance, tmp_path, said.append)
    assert holds(found), "\n".join(said)
    assert found.keys() == SHARES.keys()
    assert all(tally.inputs for tally, _ in found.values())


def test_the_campaign_sees_what_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that there is none of is no answer that anybody should get: it is counted."""
    monkeypatch.setattr(in_a_child, "COMMANDS", ("no-such-command",))
    tally, _ = in_a_child.fire("headless", 2, random.Random(1), tmp_path)
    assert (tally.inputs, tally.failures, tally.ends) == (2, 2, 0)
    assert "SystemExit" in tally.first_failures[0]


@given(JSON)
def test_any_json_is_an_event_file_a_report_options_or_a_problem(data: object) -> None:
    assert any(event_problems(data))
    for look in (validate_report, refuse_over_limits):
        try:
            look(data)
        except Problem as problem:
            assert problem.say()  # noqa: PT017
        except MalformedMessage as error:
            assert str(error)  # noqa: PT017
    if isinstance(data, dict):
        try:
            refuse_options_out_of_range(data)
        except Problem as problem:
            assert problem.say()  # noqa: PT017


@given(st.text() | JSON.map(lambda data: json.dumps(data)))
def test_any_text_is_an_event_file_or_a_problem(text: str) -> None:
    try:
        parse_event_file(text)
    except Problem as problem:
        assert problem.say()  # noqa: PT017


@given(st.binary() | st.text() | JSON.map(lambda data: json.dumps(data)) | st.none() | st.integers())
def test_any_row_is_a_person(raw: object) -> None:
    assert stored_person("p1", "salt", raw).person.name


@given(st.randoms(use_true_random=False), st.binary(min_size=1, max_size=80))
def test_spoiling_spoils_and_makes_json(rng: random.Random, raw: bytes) -> None:
    hostile.torn(raw, rng)
    assert isinstance(hostile.as_bytes(hostile.spoilt({"a": [1, {"b": "c"}]}, rng), rng), bytes)
