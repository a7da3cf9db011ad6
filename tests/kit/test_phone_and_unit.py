"""A phone on one side and the table's unit on the other: the same agreement, whoever says it first, in one process."""

import html
import re

import pytest
from flask.testing import FlaskClient

from roundtap_core.event.states import AGREED, DISPUTE, ONE_SIDED
from roundtap_core.records import Side, SidePair, other_side
from roundtap_hub.app.flask_app import create_app
from test_newest_in_the_hall import Table, table

__all__ = ["table"]


class Phone:
    """One side's phone, without scripts."""

    def __init__(self, table: Table, side: Side) -> None:
        who = table.match.match.competitor(side)
        assert who is not None
        self.table, self.me = table, table.hall.hub.access.links.path("e1", who)
        self.client: FlaskClient = create_app(table.hall.hub).test_client()

    @property
    def shows(self) -> str:
        page = self.client.get(self.me).text
        return " ".join(html.unescape(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", page, flags=re.S)).split())

    def says(self, page: str) -> None:
        form = re.search(r'<form method="post" action="[^"]*/report".*?</form>', page, re.S)
        assert form, self.shows
        fields = {
            html.unescape(n): html.unescape(v)
            for n, v in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[0])
        }
        assert self.client.post(f"{self.me}/report", data=fields).status_code == 303
        self.table.hall.step()
        self.table.wait(1000)

    def yes(self) -> None:
        self.says(self.client.get(self.me).text)

    def reports(self, winner: Side, loser_has: int) -> None:
        """Played out: the winner has 100."""
        self.says(
            self.client.get(
                f"{self.me}/report", query_string={"way": "played", "opener": winner, "q.score.loser": str(loser_has)}
            ).text
        )


@pytest.mark.parametrize("side", ["a", "b"])
def test_the_unit_asks_about_what_the_phone_said(table: Table, side: Side) -> None:
    """The other one's own button says yes; the result stands, and the phone says so."""
    phone = Phone(table, side)
    phone.reports(side, 24)
    assert table.match.state == ONE_SIDED
    asked = str(table.table.unit.dialogue.scene(table.hall.clock.now_ms).turn)  # type: ignore[union-attr]
    assert asked == other_side(side)
    assert "24" in table.says
    table.press(asked)
    table.wait(1000)
    assert (table.match.state, table.match.match.result and table.match.match.result.score) == (
        AGREED,
        SidePair(100, 24) if side == "a" else SidePair(24, 100),
    )
    assert f"Saved #{table.match.number}" in phone.shows


def test_the_phone_asks_about_what_was_said_at_the_unit(table: Table) -> None:
    table.hall.hub.presence.update("table-1", table.hall.hub.clocks.mono_ms(), connected=True)
    bruno = Phone(table, "b")
    assert "Report here or at the table unit." in bruno.shows
    table.press("a" + "^^aa")
    table.wait(1000)
    assert table.match.state == ONE_SIDED
    assert "reported this. Correct?" in bruno.shows
    assert "100:20" in bruno.shows
    bruno.yes()
    assert (table.match.state, table.match.match.result and table.match.match.result.score) == (
        AGREED,
        SidePair(100, 20),
    )
    assert f"SAVED #{table.match.number}" in table.says


def test_what_they_disagree_about_stands_on_both(table: Table) -> None:
    bruno = Phone(table, "b")
    table.press("a" + "^^aa")
    table.wait(1000)
    bruno.reports("a", 30)
    assert table.match.state == DISPUTE
    assert "Your reports differ" in bruno.shows
    asked = str(table.table.unit.dialogue.scene(table.hall.clock.now_ms).turn)  # type: ignore[union-attr]
    assert "30" in table.says
    table.press(asked)
    table.wait(1000)
    assert (table.match.state, table.match.match.result and table.match.match.result.score) == (
        AGREED,
        SidePair(100, 30),
    )


def test_a_phone_s_older_form_does_not_undo_what_its_side_said_at_the_unit(table: Table) -> None:
    ana = Phone(table, "a")
    older = ana.client.get(f"{ana.me}/report", query_string={"way": "played", "opener": "a", "q.score.loser": "0"}).text
    table.press("a" + "^^aa")
    table.wait(1000)
    ana.says(older)
    assert table.match.reports["a"].result.score == SidePair(100, 20)


def test_a_table_whose_unit_is_silent_goes_on_by_two_phones(table: Table) -> None:
    table.cut()
    table.hall.hub.presence.update("table-1", table.hall.hub.clocks.mono_ms(), connected=False)
    ana, bruno = Phone(table, "a"), Phone(table, "b")
    assert "The table's unit is offline. Report here." in ana.shows
    ana.reports("b", 40)
    bruno.yes()
    assert (table.match.state, table.match.match.result and table.match.match.result.score) == (
        AGREED,
        SidePair(40, 100),
    )
