"""A hostile or newer hub cannot end a unit: signed messages of every shape, presses in between, and it works on."""

import ctypes
import gc
import itertools
import logging
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit_inbound import KEY, Bench, head, right_view, run

from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_core.view_types import TableView

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


STEPS = 150
GROWTH_MB = 40

SEEDS: list[tuple[str, Any]] = [
    ("squad points of a billion", {"options": {"squad_points": 10**9}}),
    ("five thousand letters", {"event": {"id": "e1", "name": "x", "rulebook": "x" * 5000}}),
    ("a table that is none", {"table": -1}),
    ("a match that is a list", {"match": [1, 2]}),
    ("a round without number", {"round": {"of": 3}}),
    ("ten thousand phases", {"clock": {"phases": [{"key": "k", "from_ms": n} for n in range(10_000)]}}),
    ("a clock of a million years", {"clock": {"state": "running", "deadline_ms": 10**18}}),
    ("an unknown rulebook", {"form": {"rulebook": "chess", "ways": []}}),
    ("events by number", {"finished": 7}),
    ("a name that is a number", {"match": {"id": "1", "revision": 0, "a": {"name": 5}, "b": {"name": "B"}}}),
]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize("units", [1, pytest.param(20, marks=pytest.mark.long)])
def test_nothing_that_a_hub_says_ends_a_unit(
    tmp_path: Path, chance: random.Random, caplog: pytest.LogCaptureFixture, units: int
) -> None:
    for number in range(units):
        (folder := tmp_path / str(number)).mkdir()
        caplog.clear()
        bench = run(folder, chance, STEPS)
        assert bench.counts["messages"] > STEPS / 3
        assert len(caplog.records) < STEPS


@pytest.mark.long
def test_nothing_that_hubs_say_makes_a_unit_grow(tmp_path: Path, chance: random.Random) -> None:
    """Without its log, which pytest keeps: a hundred megabytes of it."""
    logging.disable(logging.CRITICAL)
    try:
        for number in range(60):
            (folder := tmp_path / str(number)).mkdir()
            run(folder, chance, STEPS)
            if number == 0:
                before_mb = own_rss_mb()
        assert own_rss_mb() - before_mb < GROWTH_MB
    finally:
        logging.disable(logging.NOTSET)


def own_rss_mb() -> float:
    """Without garbage, which a process of many tests keeps for long, and without what the C library keeps of it."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_json_in_any_place_of_a_view_is_shown_or_passed_over(data: st.DataObject) -> None:
    view = right_view(data.draw(st.sampled_from(sorted(RULEBOOKS))))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for _ in range(data.draw(st.integers(1, 3))):
            spot: Any = view
            while isinstance(spot, dict | list) and spot:
                keys = sorted(spot) if isinstance(spot, dict) else range(len(spot))
                key = data.draw(st.sampled_from(list(keys)))
                if not isinstance(spot[key], dict | list) or data.draw(st.booleans()):
                    spot[key] = data.draw(ANY_JSON)
                    break
                spot = spot[key]
        bench.hub_says({**head("view", bench), "view": view})
        bench.tap("a", "a", "b", "up")
        assert bench.works()


@given(ANY_JSON)
def test_any_json_at_all_is_no_message(message: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        bench.hub_says(message if isinstance(message, dict) else {"type": message})
        bench.hub_says({**head("fates", bench), "fates": message})
        bench.hub_says({**head("view", bench), "view": message})
        assert bench.works()


@pytest.mark.parametrize("book", sorted(RULEBOOKS))
@pytest.mark.parametrize("state", ["open", "one-sided", "agreed", "dispute", "decided", "closed"])
def test_what_an_honest_hub_says_is_shown(bench: Bench, book: str, state: str) -> None:
    """The check must not be stricter than any rulebook."""
    assert parse_message(TableView, right_view(book, state)).match is not None


@pytest.mark.parametrize(("spoilt", "more"), SEEDS, ids=[name for name, _ in SEEDS])
def test_a_view_out_of_all_ranges_is_refused_with_a_word(spoilt: str, more: Any) -> None:
    with pytest.raises(MalformedMessage, match=r"\w"):
        parse_message(TableView, {**right_view("xwing-standard"), **more})


@pytest.mark.parametrize(
    "step",
    [
        {"wheels": []},
        {"wheels": [0]},
        {"wheels": [1, 10]},
        {"wheels": [-1]},
        {"minimum": 5, "maximum": 1},
        {"maximum": 10**9},
        {"default": 101},
        {"whose": 7},
        {"per_side": [1]},
        {"per_side": [-5, 5]},
        {"asked": "yes"},
    ],
)
def test_a_figure_that_no_rulebook_asks_is_refused(step: dict[str, Any]) -> None:
    view = right_view("xwing-standard")
    figure = next(each for way in view["form"]["ways"] for each in way["steps"] if each["step"] == "figure")
    figure.update(step)
    with pytest.raises(MalformedMessage, match=r"\w"):
        parse_message(TableView, view)


def test_a_hub_that_talks_too_fast_is_read_slowly() -> None:
    from roundtap_units.link.link import BURST_MAX, PER_S, FeedThrottle

    now_ms = 0
    pace = FeedThrottle(lambda: now_ms)
    waits = [pace.wait_s() for _ in range(BURST_MAX + 2 * PER_S)]
    assert set(waits[:BURST_MAX]) == {0.0}
    assert waits[-1] == pytest.approx(2.0)
    now_ms = 60_000
    assert pace.wait_s() == 0.0


def test_a_memory_of_epochs_and_a_dialogue_stay_small(bench: Bench) -> None:
    for n in itertools.chain(range(300)):
        bench.hub_says(
            head(
                "welcome",
                bench,
                session=f"s{n}",
                core="0",
                epoch=f"e{n}",
                boot=f"b{n}",
                hubs=[f"http://10.0.{n}.{m}:80" for m in range(50)],
            )
        )
    assert len(bench.memory.epochs) <= 32
    assert len(bench.memory.hubs) <= 8
    assert KEY.hex() not in (bench.folder / "unit.json").read_text()
