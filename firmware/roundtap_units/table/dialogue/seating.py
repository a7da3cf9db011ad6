"""Waiting for a match, sitting down, playing: each presses their own button once; then names, opponent and clock."""

from dataclasses import dataclass

from roundtap_core.records import SIDES, Side, other_side
from roundtap_devices.input.gestures import TAP, Gesture
from roundtap_units.table.dialogue.games import idle_note
from roundtap_units.table.dialogue.parallel_entry import ParallelEntry
from roundtap_units.table.dialogue.report_start import handle_arrow, start_report
from roundtap_units.table.dialogue.table_state import OWN_KEYS, DialogueState, TableState, format_span
from roundtap_units.table.screens.scenes import SIGNS, HalfScreen, Name, NameRow, Scene, Sentence


class Seating(DialogueState):
    """Before the clock runs: "press button" for each who has not. A second press already reports."""

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if (side := _who_sits_in(self.table, gesture, now_ms)) is not None:
            self.table.seated.add(side)

    def scene(self, now_ms: int) -> Scene:
        return self.table.halves("seating", self._half)

    def _half(self, side: Side) -> HalfScreen:
        table = self.table
        if side in table.seated:
            return HalfScreen(
                Name.of(f"✓ {table.name(side)}", table.name(other_side(side))),
                table.clock,
                table.signed_name(other_side(side)),
                idle_note(table, side),
                table.role(side),
            )
        return HalfScreen(table.name(side), SIGNS[side], table.words("seat.press"), role=table.role(side))


class Playing(DialogueState):
    """While they play. The own button means "I won"; a player who skipped sitting in is asked for the name first."""

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if (side := _who_sits_in(self.table, gesture, now_ms)) is not None:
            self.table.question = WhoAreYou(self.table, side)

    def scene(self, now_ms: int) -> Scene:
        return self.table.halves("idle", self._half)

    def _half(self, side: Side) -> HalfScreen:
        table = self.table
        return HalfScreen(table.signed_name(side), table.clock, self._small(side), self._note(side), table.role(side))

    def _small(self, side: Side) -> str:
        table = self.table
        assert table.view is not None
        if table.view.clock.state == "paused":
            return table.words("clock.paused")
        if table.lost_round:
            title = table.words("restored.title")
            return Sentence.of((title, title.split()[0]))
        if table.time_is_up:
            return table.words("clock.up")
        # Read from the edge both names are shown anyway, and there is room for what a win needs.
        edge_hint = table.facing == "edge" and table.view.clock.state == "running"
        parallel = table.form is not None and table.form.parallel
        return table.words("idle.end" if parallel else "idle.win") if edge_hint else table.signed_name(other_side(side))

    def _note(self, side: Side) -> str:
        """The phase of the round, the games so far and who begins, or the squads that are still to be shown."""
        table = self.table
        if table.form is not None and table.form.parallel and not self._fielded(side):
            return table.words("parallel.squads", sign=SIGNS[side])
        hint = table.words("look.hint") if list_review_seconds(table) is not None else ""
        # What the line above says of the hub needs the room.
        phase = "" if table.lost_round else table.phase
        return "  ".join(text for text in (phase, idle_note(table, side), hint) if text)

    def _fielded(self, side: Side) -> bool:
        sheets = self.table.sheets
        return isinstance(sheets, ParallelEntry) and (sheets.sheets[side].fielded or not sheets.way.picks())


def _who_sits_in(table: TableState, gesture: Gesture, now_ms: int) -> Side | None:
    """Whose own button it was, if not seated here yet; any other gesture is handled."""
    side = OWN_KEYS.get(gesture.key) if gesture.kind == TAP else None
    if side is None:
        if not start_review(table, gesture, now_ms):
            handle_arrow(table, gesture, now_ms)
    elif side in table.seated:
        start_report(table, side, now_ms)
    else:
        return side
    return None


@dataclass(eq=False)
class WhoAreYou(DialogueState):
    """A first press at a table where neither player sat in: is this button yours?"""

    side: Side

    def tap(self, key: str, now_ms: int) -> None:
        self.table.question = None
        if key == self.side:
            self.table.seated.add(self.side)
            start_report(self.table, self.side, now_ms)
        elif key == "down":
            self.table.show_notice(now_ms, self._wrong_place)

    def scene(self, now_ms: int) -> Scene:
        words, sign = self.table.words, SIGNS[self.side]
        return self.table.page(
            "who",
            self.side,
            words("seat.is_yours", sign=sign),
            NameRow(self.table.signed_name(self.side)),
            hint=words("yes_no", sign=sign),
        )

    def _wrong_place(self) -> Scene:
        table = self.table
        assert table.view is not None
        return table.page(
            "wrong-place",
            self.side,
            table.words("seat.wrong", table=table.view.table),
            *(NameRow(table.signed_name(side)) for side in SIDES),
            hint=table.words("seat.wrong_hint"),
        )


class NoMatch(DialogueState):
    """No match to show: no hub yet, another core, no round, no match here, or a closed round."""

    def scene(self, now_ms: int) -> Scene:
        table, words, view = self.table, self.table.words, self.table.view
        if table.mismatch:
            return table.page("update", None, words("update.title"), words("update.line"))
        if view is None and table.kept_blindly is not None:
            return table.page("waiting", None, words("waiting.title"), words("waiting.damaged", n=table.kept_blindly))
        if view is None or view.table is None:
            # A hub that has just enrolled this unit, or that has no table for it, is not waited for.
            text = "waiting" if table.contact_mark else "found" if view is None else "unassigned"
            return table.page("waiting", None, words(f"{text}.title"), words(f"{text}.line"))
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
        # Between rounds people look for the number; a message needs its room.
        big = str(view.table) if kind == "between" else ""
        return table.halves(kind, lambda side: HalfScreen(head, big, small))


def list_review_seconds(table: TableState) -> int | None:
    """How long a look at the list is; None where the rulebook has none, and once the round has started."""
    view = table.view
    return view.form.look_s if view is not None and view.form is not None and view.clock.state == "idle" else None


def start_review(table: TableState, gesture: Gesture, now_ms: int) -> bool:
    """▼ begins the look; whether it did."""
    seconds = list_review_seconds(table)
    if gesture.kind != TAP or gesture.key != "down" or seconds is None:
        return False
    table.question = ListReview(table, now_ms + 1000 * seconds)
    return True


@dataclass(eq=False)
class ListReview(DialogueState):
    """Before a game, a short look at the other's list, counted down for both at their table; any button ends it early.
    At the end it stays until it is seen."""

    until_ms: int

    def tap(self, key: str, now_ms: int) -> None:
        self.table.question = None

    def scene(self, now_ms: int) -> Scene:
        words, left_ms = self.table.words, self.until_ms - now_ms
        line = format_span(left_ms + 999) if left_ms > 0 else words("look.over")
        return self.table.page("look", None, words("look.title"), line, hint=words("any_key"))
