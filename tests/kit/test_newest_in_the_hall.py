"""Hub and tables in one process: reports that wait, overtake each other, or are agreed to twice; what screens say."""

from collections.abc import Iterator
from typing import Any

import pytest
from recorded_reports import record_report

from press_script import Press
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_core.event.states import AGREED, SECOND, Entrant, MatchState
from roundtap_core.messages import ReportReceipt
from roundtap_core.records import SidePair
from roundtap_core.typed import parse_message
from roundtap_hub.store.command_pipeline import validate_report
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_units.link.outbox import Outbox, StoredReport
from virtual_hall import VirtualHall, VirtualTable

NAMES = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz")
KEYS = {"a": "a", "b": "b", "^": "up", "v": "down"}


class Table:
    """Table 1: fingers, a line to the hub that can be cut, and what lies on its disk."""

    def __init__(self, hall: VirtualHall) -> None:
        self.hall, self.table = hall, hall.tables[1]
        self._send = self.table.link.send_reports
        self._push = self.table.link.push_view

    @property
    def outbox(self) -> Outbox:
        return self.table.link.outbox

    @property
    def says(self) -> str:
        return self.table.screen_text

    @property
    def match(self) -> MatchState:
        return next(m for m in self.hall.state.rounds[-1].matches if m.match.table == 1)

    def cut(self) -> None:
        self.table.link.send_reports = self.table.link.push_view = lambda: None  # type: ignore[method-assign]

    def mend(self) -> None:
        self.table.link.send_reports, self.table.link.push_view = self._send, self._push  # type: ignore[method-assign]
        self._send()
        self.wait(1000)

    def press(self, keys: str) -> None:
        for key in keys:
            self.table.press(Press(KEYS[key]))

    def wait(self, ms: int) -> None:
        self.hall.wait(ms)
        self.table.step()

    def deliver(self, kept: StoredReport) -> str:
        """This report reaches the hub now, whatever is before it; the unit hears what became of it."""
        echo = record_report(self.hall.hub.service, validate_report(dict(kept.report)))
        settled = self.outbox.settle(parse_message(ReportReceipt, echo))
        if settled is not None:
            self.table.link.incoming.put(("fate", settled))
        self.outbox.flush_fates()
        return str(echo.get("reason") or echo["fate"])


@pytest.fixture
def table() -> Iterator[Table]:
    with VirtualHall(2) as hall:
        people = [PersonRecord("e1", f"p{n}", "salt", Person(name)) for n, name in enumerate(NAMES, start=1)]
        entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
        create = c.CreateEvent("Winter Open", "xwing-standard", None, {}, "#0072B2", 7)
        steps = [Step("e1", command) for command in (create, *entered, c.DrawRound(11), c.PublishRound(1, 1))]
        hall.service.execute(steps, "organizer", people)
        hall.step()
        made = Table(hall)
        made.press("ab")
        hall.submit(c.SetClock("start"))
        hall.step()
        made.wait(1000)
        yield made


def test_what_both_pressed_without_a_hub_goes_out_in_order_and_stands(table: Table) -> None:
    table.cut()
    table.press("aa" + "a^^aa" + "b")
    assert [(k.report["side"], k.report["serial"]) for k in table.outbox.waiting()] == [("a", 1), ("a", 2), ("b", 1)]
    assert "SAVED" not in table.says
    table.mend()
    assert (table.match.state, table.match.match.result and table.match.match.result.score) == (
        AGREED,
        SidePair(100, 20),
    )
    assert f"SAVED #{table.match.number}" in table.says
    assert table.outbox.waiting() == []


def test_the_older_report_that_comes_last_undoes_nothing_and_the_screen_stays_true(table: Table) -> None:
    table.cut()
    table.press("aa" + "a^^aa" + "b")
    older, newer, yes = table.outbox.waiting()
    assert [table.deliver(kept) for kept in (newer, yes, older)] == ["accepted", "accepted", "older"]
    table.mend()
    assert "REFUSED: OLDER" in table.says
    table.press("v")
    assert (table.match.state, table.match.match.result and table.match.match.result.score) == (
        AGREED,
        SidePair(100, 20),
    )
    assert "100:20" in table.says or "SAVED" in table.says


def test_the_older_report_is_not_what_a_yes_to_the_newer_one_makes_stand(table: Table) -> None:
    """Seen: SAVED recorded the old 100:0 just before the "yes" to 100:20 came."""
    table.cut()
    table.press("aa" + "a^^aa" + "b")
    older, newer, yes = table.outbox.waiting()
    assert [table.deliver(kept) for kept in (older, yes)] == ["accepted", "superseded"]
    assert table.match.match.result is None
    assert table.deliver(newer) == "accepted"
    table.mend()
    assert "REFUSED: CHANGED" in table.says
    table.press("v")
    table.wait(2000)
    assert "Ana" in table.says
    assert "100 | 20" in table.says or "20 | 100" in table.says
    asked = str(table.table.unit.dialogue.scene(table.hall.clock.now_ms).turn)  # type: ignore[union-attr]
    table.press(asked)
    table.wait(1000)
    assert (table.match.state, table.match.match.result and table.match.match.result.score) == (
        AGREED,
        SidePair(100, 20),
    )


def test_a_second_agreement_waits_for_a_judge_on_the_screen_too(table: Table) -> None:
    table.press("aab")
    table.wait(20_000)
    table.press("aa" + "^^aa" + "b")
    table.wait(1000)
    assert (table.match.state, table.match.match.result and table.match.match.result.score) == (
        SECOND,
        SidePair(100, 0),
    )
    assert table.says.startswith("A JUDGE DECIDES | First: 100:0 | Now: 100:20")
    table.hall.submit(c.EnterResult(table.match.id, 0, table.match.second))
    table.wait(1000)
    assert table.says.startswith("Result corrected")


def test_both_may_go_back_to_the_first_without_a_judge(table: Table) -> None:
    table.press("aab")
    table.wait(20_000)
    table.press("a" + "^^aa" + "b")
    table.wait(1000)
    table.press("bb")
    table.wait(2000)
    table.press("a")
    table.wait(1000)
    assert (table.match.state, table.match.done) == (AGREED, True)
    assert table.match.match.result.score == SidePair(100, 0)


def test_a_unit_carried_to_another_table_reports_for_nobody_it_never_sat_with(table: Table) -> None:
    other: VirtualTable = table.hall.tables[2]
    table.cut()
    table.press("aa")
    [kept] = table.outbox.waiting()
    forged: dict[str, Any] = {**kept.report, "report_id": "forged", "unit": "table-2"}
    echo = record_report(table.hall.hub.service, validate_report(forged))
    assert (echo["fate"], echo["reason"]) == ("refused", "elsewhere")
    assert "REFUSED" not in other.screen_text
    table.mend()
    assert set(table.match.reports) == {"a"}
