"""The newest word of each side counts, an agreement names what it agrees to, and a second one goes to a judge."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from event_kit import Event, fold_entries, refused, score
from roundtap_core.event import commands as c
from roundtap_core.event.commands import apply
from roundtap_core.event.entries import Entry, NewEntry, chain_entry
from roundtap_core.event.states import AGREED, DECIDED, DISPUTE, ONE_SIDED, SECOND
from roundtap_core.records import Result, result_to_json
from roundtap_core.wire import digest

OLD, NEW, THIRD = score(100, 0), score(100, 20), score(0, 100)

PRESSES = [("a", OLD), ("a", NEW), ("b", None), ("a", THIRD), ("b", OLD), ("b", None)]


@dataclass(frozen=True)
class Said:
    """A report as a unit makes it: `yes` is the other side's report that it agrees to."""

    side: str
    serial: int
    result: Result
    yes: Said | None = None
    match: str = "1.1"

    @property
    def report_id(self) -> str:
        return f"{self.match}{self.side}{self.serial}"

    @property
    def body(self) -> str:
        return digest([self.report_id, result_to_json(self.result)])

    def command(self, **more: Any) -> c.RecordReport:
        yes = self.yes and {"report_id": self.yes.report_id, "hash": self.yes.body}
        return c.RecordReport(
            self.report_id,
            self.match,
            self.side,
            0,
            result_to_json(self.result),
            self.body,  # type: ignore[arg-type]
            serial=self.serial,
            agrees_to=yes,
            **more,
        )


def hears(event: Event, said: Said, **more: Any) -> str:
    """What becomes of the report: "accepted", or the reason why it is not."""
    event.tell(said.command(**more))
    fate = event.state.fates[said.report_id]
    return fate.reason or fate.fate


def played() -> Event:
    return Event().play()


# --- the newest word ---------------------------------------------------------------------------------------------


def test_the_older_of_two_reports_that_arrives_later_undoes_no_agreement() -> None:
    """Seen: a storage hiccup let the first of two reports arrive last, and an agreed 100:20 came undone."""
    event, first, second = played(), Said("a", 1, OLD), Said("a", 2, NEW)
    yes = Said("b", 1, NEW, second)
    assert [hears(event, said) for said in (second, yes, first)] == ["accepted", "accepted", "older"]
    assert (event.match().state, event.match().match.result) == (AGREED, NEW)
    assert event.match().heard == {"a": 2, "b": 1}


def test_a_yes_counts_only_for_the_report_it_was_said_to() -> None:
    """Seen: the old 100:0 stood as SAVED 46 ms before the "yes" to the new 100:20 came."""
    event, first, second = played(), Said("a", 1, OLD), Said("a", 2, NEW)
    yes_to_the_first = Said("b", 1, OLD, first)
    assert [hears(event, said) for said in (first, second, yes_to_the_first)] == ["accepted", "accepted", "superseded"]
    assert (event.match().state, event.match().match.result) == (ONE_SIDED, None)
    assert hears(event, Said("b", 2, NEW, second)) == "accepted"
    assert event.match().match.result == NEW


def test_a_yes_to_what_is_not_there_yet_is_asked_again() -> None:
    event, theirs = played(), Said("a", 1, NEW)
    assert hears(event, Said("b", 1, NEW, theirs)) == "superseded"
    assert hears(event, theirs) == "accepted"
    assert hears(event, Said("b", 2, NEW, theirs)) == "accepted"
    assert event.match().state == AGREED


def test_a_yes_to_another_body_under_the_same_id_is_none() -> None:
    event, theirs = played(), Said("a", 1, NEW)
    hears(event, theirs)
    assert hears(event, Said("b", 1, OLD, Said("a", 1, OLD))) == "superseded"
    assert event.match().state == ONE_SIDED


def test_an_older_report_is_known_as_older_when_the_round_is_closed_and_bothers_nobody() -> None:
    event = played()
    hears(event, Said("a", 2, NEW))
    event.settle()
    event.tell(c.DrawRound(1))
    assert hears(event, Said("a", 1, OLD)) == "older"
    assert hears(event, Said("a", 3, OLD)) == "late"
    assert len(event.state.late_matches) == 1


def test_numbers_go_on_after_an_official_took_the_result_back() -> None:
    event = played()
    hears(event, Said("a", 2, NEW))
    event.tell(c.EnterResult("1.1", 0, None))
    assert event.match().heard == {"a": 2}
    assert hears(event, Said("a", 1, OLD)) == "older"


def test_an_older_unit_that_counts_nothing_is_heard_until_a_newer_one_has_spoken() -> None:
    event = played()
    assert [hears(event, Said("a", 0, r, match=m)) for r, m in ((OLD, "1.1"), (OLD, "1.2"))] == ["accepted"] * 2
    assert hears(event, Said("a", 1, NEW)) == "accepted"
    event.tell(c.RecordReport("left over", "1.1", "a", 0, result_to_json(OLD), "body"))
    assert event.state.fates["left over"].reason == "older"


def test_a_report_that_names_others_than_those_who_meet_hits_nobody() -> None:
    event = played()
    pair = event.match().match
    assert hears(event, Said("a", 1, NEW), a=pair.b, b=pair.a) == "unknown-match"
    assert hears(event, Said("a", 2, NEW), a=pair.a, b=pair.b) == "accepted"


# --- a second agreement ------------------------------------------------------------------------------------------


def second(event: Event) -> Event:
    first = Said("a", 1, NEW)
    again = Said("a", 2, THIRD)
    for said in (first, Said("b", 1, NEW, first), again, Said("b", 2, THIRD, again)):
        assert hears(event, said) == "accepted"
    return event


def test_a_second_agreement_replaces_nothing_and_keeps_the_round_open() -> None:
    event = second(played())
    match = event.match()
    assert (match.state, match.match.result, match.second, match.done) == (SECOND, NEW, THIRD, False)
    event.tell(c.EnterResult("1.2", 0, NEW))
    with refused("results_missing"):
        event.tell(c.DrawRound(1))


def test_whoever_says_the_first_again_disputes_the_second_and_both_together_end_it() -> None:
    event = second(played())
    back = Said("a", 3, NEW)
    hears(event, back)
    assert (event.match().state, event.match().second) == (DISPUTE, None)
    hears(event, Said("b", 3, NEW, back))
    assert (event.match().state, event.match().match.result, event.match().done) == (AGREED, NEW, True)


@pytest.mark.parametrize("result", [NEW, THIRD, OLD])
def test_an_officials_word_ends_it(result: Result) -> None:
    event = second(played())
    event.tell(c.EnterResult("1.1", 0, result))
    assert (event.match().state, event.match().match.result, event.match().second) == (DECIDED, result, None)
    assert event.match().corrected == (result != NEW)


def test_a_journal_of_a_core_before_this_one_still_leads_where_it_led() -> None:
    """There the second agreement replaced the first, and rounds were drawn on it."""
    event = second(played())
    entries: list[Entry] = []
    for entry in event.entries:
        data = {key: value for key, value in entry.data.items() if key not in ("serial", "agrees_to", "venue")}
        prev = entries[-1].hash if entries else entry.prev
        entries.append(chain_entry(NewEntry(entry.kind, data), "e1", entry.number, prev, entry.at, entry.actor))
    old = fold_entries("e1", entries)
    found = old.find_match("1.1")
    assert (found[1].state, found[1].match.result) == (AGREED, THIRD)
    event.state = old
    assert hears(event, Said("a", 3, NEW)) == "accepted"


# --- where it was said -------------------------------------------------------------------------------------------


def test_two_reports_from_a_foreign_table_change_nothing_and_leave_a_trace() -> None:
    """Seen: with any key two reports turned an agreed 100:30 at another table into 0:100."""
    event = played()
    event.agree(NEW)
    for said in (Said("a", 1, THIRD), Said("b", 1, THIRD)):
        assert hears(event, said, stood_there=False) == "elsewhere"
    assert (event.match().state, event.match().match.result) == (AGREED, NEW)
    assert event.match().strangers == {"somebody": event.state.number}


def test_an_official_who_has_read_of_it_is_told_no_more_until_it_happens_again() -> None:
    event = played()
    hears(event, Said("a", 1, THIRD), stood_there=False)
    read = event.state.number
    hears(event, Said("a", 2, THIRD), stood_there=False)
    assert event.tell(c.SettleOutsideReports("1.1", read)) == []
    assert event.kinds(c.SettleOutsideReports("1.1", read + 1)) == ["strangers-settled"]
    assert event.match().strangers == {}
    hears(event, Said("a", 3, THIRD), stood_there=False)
    event.tell(c.EnterResult("1.1", 0, NEW))
    assert event.match().strangers == {}


def test_a_lot_drawn_elsewhere_is_none() -> None:
    event = Event(rulebook="xwing-standard").play()
    with refused("unknown_match"):
        event.tell(c.NoteLot("1.1", event.state.rulebook.lots[0], "a", stood_there=False))


# --- in whatever order -------------------------------------------------------------------------------------------


def what_people_did(presses: Iterable[tuple[str, Result | None]]) -> list[Said]:
    """Reports as one unit makes them: (who, what); None is a yes to what the other said last."""
    made: dict[str, Said] = {}
    out = []
    for side, result in presses:
        theirs = made.get("b" if side == "a" else "a")
        if result is None and theirs is None:
            continue
        serial = made[side].serial + 1 if side in made else 1
        said = Said(side, serial, theirs.result, theirs) if result is None and theirs else Said(side, serial, result)  # type: ignore[arg-type]
        made[side] = said
        out.append(said)
    return out


def check(reports: Sequence[Said], order: Sequence[int]) -> None:
    """Reports arrive in this order, some of them more than once. By the reports alone, whatever the core thinks:

    what counts for a side is never older than what was accepted of it; what stands was said by both, the yes to the
    very report that counted then; and it stands as long as nobody official speaks."""
    event, taken = played(), {"a": 0, "b": 0}
    counts: dict[str, Said] = {}
    seen: dict[str, str] = {}
    stood: Result | None = None
    for place in order:
        said = reports[place]
        known = seen.get(said.report_id)
        before = event.state
        became = hears(event, said)
        if known is not None:
            assert event.state is before, "said again it changes nothing"
            assert became == known
            continue
        seen[said.report_id] = became
        if said.serial <= taken[said.side]:
            assert became == "older"
        elif said.yes is not None and counts.get(said.yes.side) != said.yes:
            assert became == "superseded"
        else:
            assert became == "accepted"
            taken[said.side], counts[said.side] = said.serial, said
        if stood is None and len(counts) == 2 and counts["a"].result == counts["b"].result:
            stood = counts["a"].result
        match = event.match()
        assert match.match.result == stood
        assert {side: reported.report_id for side, reported in match.reports.items()} == {
            side: counted.report_id for side, counted in counts.items()
        }
        newest = {said.result for said in counts.values()}
        assert match.done == (stood is not None and newest == {stood})


@pytest.mark.parametrize(
    "presses",
    [
        PRESSES[:3],
        PRESSES[:4],
        [*PRESSES[:4], ("b", None)],
        PRESSES[:5],
        [("a", OLD), ("b", NEW), ("a", None), ("b", OLD), ("a", None)],
    ],
)
def test_in_every_order_the_newest_word_counts(presses: list[tuple[str, Result | None]]) -> None:
    reports = what_people_did(presses)
    for order in itertools.permutations(range(len(reports))):
        check(reports, order)
        check(reports, [*order, *order])


@given(st.data())
def test_any_presses_in_any_order_with_duplicates(data: st.DataObject) -> None:
    presses = data.draw(
        st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([None, OLD, NEW, THIRD])), min_size=1, max_size=7)
    )
    reports = what_people_did(presses)
    if reports:
        check(reports, data.draw(st.lists(st.integers(0, len(reports) - 1), min_size=1, max_size=14)))


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([None, OLD, NEW, THIRD])), min_size=1, max_size=8),
    st.data(),
)
def test_what_goes_out_of_one_box_in_order_ends_as_it_was_pressed(
    presses: list[tuple[str, Result | None]], data: st.DataObject
) -> None:
    """Each report waits for the answer to the one before, and is sent again until it has it; answers may be lost, and
    copies of any older one may arrive in between."""
    reports = what_people_did(presses)
    straight, shaken = played(), played()
    for said in reports:
        hears(straight, said)
    for place, said in enumerate(reports):
        hears(shaken, said)
        for copy in data.draw(st.lists(st.integers(0, place), max_size=3)):
            hears(shaken, reports[copy])
    assert straight.match() == shaken.match()
    assert dict(straight.state.fates) == {i: shaken.state.fates[i] for i in straight.state.fates}


def test_live_and_read_back_it_is_the_same() -> None:
    event = second(played())
    hears(event, Said("a", 9, OLD, match="1.2"), stood_there=False)
    assert fold_entries("e1", event.entries) == event.state
    state = event.state
    assert apply(state, event.tell(c.SettleOutsideReports("1.2", state.number))[0]) == event.state
