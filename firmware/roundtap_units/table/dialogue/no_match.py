"""While there is no match to speak of at this table: what it waits for, and where it will stand next."""

from __future__ import annotations

from roundtap_devices.input.gestures import Gesture
from roundtap_units.table.dialogue.table_state import TableState
from roundtap_units.table.screens.scenes import Half, Scene


class NoMatch:
    """No match to speak of: no hub yet, another core, no round, no match here, or a closed round."""

    def __init__(self, table: TableState) -> None:
        self.table = table

    def press(self, gesture: Gesture, now_ms: int) -> None:
        """There is nothing to press."""

    def scene(self, now_ms: int) -> Scene:
        table, words, view = self.table, self.table.words, self.table.view
        if table.mismatch:
            return table.page("update", None, words("update.title"), words("update.line"))
        if view is None or view.table is None:
            return table.page("waiting", None, words("waiting.title"), words("waiting.line"))
        if table.closed:
            kind, small = "closed", words("closed.next")
            if view.next_table is not None and view.next_table != view.table:
                small = words("closed.moves", table=view.next_table)
        elif view.round is not None:
            kind, small = "no-match", words("no_match")
        else:
            kind, small = "between", view.event.name if view.event else ""
        stays = kind == "closed" and view.next_table in (None, view.table)
        head = words("closed.stays" if stays else "table", table=view.table)
        # Between rounds the number is what the hall looks for; with something to say, the words need the room.
        big = str(view.table) if kind == "between" else ""
        return table.halves(kind, lambda side: Half(head, big, small))
