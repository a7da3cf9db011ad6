"""The fuzz campaign in small: every seed, and a few inputs of each kind, at a real hub; the large one is run.py."""

from __future__ import annotations

import json
import random
from pathlib import Path

import hostile
import pytest
import run
from hypothesis import given
from hypothesis import strategies as st

from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import event_problems, parse
from roundtap_core.limits import refuse_boundless, refuse_wild_options
from roundtap_hub.devices.reports import well_formed
from roundtap_hub.journal.person_rows import person_of


def test_nothing_that_strangers_send_breaks_a_hub(tmp_path: Path) -> None:
    said: list[str] = []
    found = run.fire(700, seed=3, folder=tmp_path, tell=said.append)
    assert run.holds(found), "\n".join(said)
    assert found.keys() == run.SHARES.keys()
    assert all(tally.inputs for tally, _ in found.values())


def test_the_campaign_sees_what_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that ends, and one that answers with a breakdown, are counted."""
    monkeypatch.setattr("in_a_child.COMMANDS", ("no-such-command",))
    tally, _ = run.in_a_child.fire("headless", 2, random.Random(1), tmp_path, None)
    assert tally.inputs == 2
    assert tally.failures == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(hostile.TEXTS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(hostile.KEYS) | st.text(), inner, max_size=4),
    max_leaves=12)


@given(JSON)
def test_any_json_is_an_event_file_a_report_options_or_a_problem(data: object) -> None:
    assert any(event_problems(data))
    for look in (well_formed, refuse_boundless):
        try:
            look(data)
        except Problem as problem:
            assert problem.say()  # noqa: PT017
    if isinstance(data, dict):
        try:
            refuse_wild_options(data)
        except Problem as problem:
            assert problem.say()  # noqa: PT017


@given(st.text() | JSON.map(lambda data: json.dumps(data)))
def test_any_text_is_an_event_file_or_a_problem(text: str) -> None:
    try:
        parse(text)
    except Problem as problem:
        assert problem.say()  # noqa: PT017


@given(st.binary() | st.text() | JSON.map(lambda data: json.dumps(data)) | st.none() | st.integers())
def test_any_row_is_a_person(raw: object) -> None:
    assert person_of("p1", raw).name


@given(st.randoms(use_true_random=False), st.binary(min_size=1, max_size=80))
def test_spoiling_spoils_and_makes_json(rng: random.Random, raw: bytes) -> None:
    hostile.torn(raw, rng)
    assert isinstance(hostile.as_bytes(hostile.spoilt({"a": [1, {"b": "c"}]}, rng), rng), bytes)
