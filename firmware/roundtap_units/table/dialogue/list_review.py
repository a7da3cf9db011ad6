"""Before a game: a short look at the other's list, counted down for both at their table."""

from __future__ import annotations

from roundtap_devices.input.gestures import TAP, Gesture
from roundtap_units.table.dialogue.table_state import TableState, span
from roundtap_units.table.screens.scenes import Scene


def may_review(table: TableState) -> bool:
    """Only where the rulebook has such a look, and before the round has started."""
    view = table.view
    return table.form is not None and table.form.look_s is not None and view is not None and view.clock.state == "idle"


def look(table: TableState, gesture: Gesture, now_ms: int) -> bool:
    """▼ begins the look; whether it did."""
    if gesture.kind != TAP or gesture.key != "down" or not may_review(table):
        return False
    assert table.form is not None
    assert table.form.look_s is not None
    table.question = ListReview(table, now_ms + 1000 * table.form.look_s)
    return True


class ListReview:
    """The time that is left; any button ends it early. It waits to be seen when it is over."""

    def __init__(self, table: TableState, until_ms: int) -> None:
        self.table, self.until_ms = table, until_ms

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.kind == TAP:
            self.table.question = None

    def scene(self, now_ms: int) -> Scene:
        words, left_ms = self.table.words, self.until_ms - now_ms
        line = span(left_ms + 999) if left_ms > 0 else words("look.over")
        return self.table.page("look", None, words("look.title"), line, hint=words("any_key"))
