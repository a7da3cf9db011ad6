"""The mapping of an event's reports: a dict to look at, whatever comes when; older ones stay as they were."""

import hashlib
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from event_kit import Event, score
from roundtap_core.event.fates import TAIL, ReportFates
from roundtap_core.event.states import ReportFate

DIGESTS = (
    st.text("0123456789abcdef", min_size=64, max_size=64)
    | st.sampled_from(["", "AB" * 32, "ab " * 22, "ab" * 31 + "  ", "x" * 64, "ab" * 32])
    | st.text(max_size=66)
)
FATES = st.builds(
    ReportFate,
    st.sampled_from(["accepted", "refused"]) | st.text(max_size=3),
    st.integers(0, 2**40),
    DIGESTS,
    DIGESTS,
    st.none() | st.sampled_from(["late", "unknown-match", ""]) | st.text(max_size=3),
    st.none() | st.text(max_size=5) | st.just("12.2048"),
)


def hexes(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def fate(n: int, reason: str | None = None, match: str | None = "1.1") -> ReportFate:
    return ReportFate("refused" if reason else "accepted", n, hexes(f"entry {n}"), hexes(f"body {n}"), reason, match)


@given(st.lists(st.tuples(st.text(max_size=2), FATES), max_size=90), st.integers(0, 90))
def test_it_is_what_a_dict_would_be(came: list[tuple[str, ReportFate]], early: int) -> None:
    """Also where an id comes again, or a digest is none; and a plain dict may be where it begins."""
    plain: dict[str, ReportFate] = dict(came[:early])
    fates = ReportFates.of(plain)
    for report_id, what in came[early:]:
        fates, before, was = fates.with_fate(report_id, what), fates, dict(plain)
        plain[report_id] = what
        assert before == was
    assert (dict(fates), list(fates), len(fates)) == (plain, list(plain), len(plain))
    assert fates == plain
    assert plain == fates
    assert all(report_id in fates and fates[report_id] == plain[report_id] for report_id in plain)
    assert "never" not in fates
    with pytest.raises(KeyError):
        fates["never"]


def test_hundreds_come_in_their_order() -> None:
    fates, plain = ReportFates(), {}
    for n in range(20 * TAIL + 7):
        fates, plain[f"r{n}"] = fates.with_fate(f"r{n}", fate(n)), fate(n)
        if n % 50 == 0:
            assert list(fates.items()) == list(plain.items())
    assert list(fates.items()) == list(plain.items())
    assert all(fates[report_id] == what for report_id, what in plain.items())


def test_two_may_follow_upon_one() -> None:
    """A batch that was not saved is decided anew, from where it began."""
    begun = ReportFates()
    for n in range(5 * TAIL):
        begun = begun.with_fate(f"r{n}", fate(n))
    one, two = begun.with_fate("x", fate(1)), begun.with_fate("y", fate(2))
    assert ("x" in one, "y" in one, "x" in two, "y" in two) == (True, False, False, True)
    assert len(begun) == 5 * TAIL


def test_a_state_takes_a_plain_dict_for_it_and_goes_on() -> None:
    event = Event(4).play()
    event.report("a", score(100, 24), report_id="r1")
    event.state = replace(event.state, fates=dict(event.state.fates))
    event.report("b", score(100, 24), report_id="r2")
    assert [(report_id, what.fate, what.match) for report_id, what in event.state.fates.items()] == [
        ("r1", "accepted", "1.1"),
        ("r2", "accepted", "1.1"),
    ]
    assert event.match().match.result == score(100, 24)


def test_late_reports_are_found_among_them() -> None:
    event = Event(4).play().settle().play()
    event.report("a", score(100, 24), "1.2")
    event.report("a", score(100, 24), "2.1")
    event.report("b", score(100, 124), "2.1")
    event.report("b", score(100, 24), "9.1")
    assert [match.id for _, match in event.state.late_matches] == ["1.2"]


def test_a_thousand_fates_take_a_quarter_of_a_megabyte() -> None:
    """Bytes are counted, no time is taken: as records with two digests each they would take twice that."""
    came = [(hexes(f"{n}")[:32], n) for n in range(1_000)]
    tracemalloc.start()
    try:
        fates = ReportFates()
        for report_id, n in came:
            fates = fates.with_fate(report_id, fate(n))
        grown, _ = tracemalloc.get_traced_memory()
        plain = {report_id: fate(n) for report_id, n in came}
        whole = ReportFates.of(plain)
        del plain
        both, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(fates) == len(whole) == 1_000
    assert grown < 200_000
    assert both - grown < 200_000  # And 81 bytes for each id, which came from outside.
