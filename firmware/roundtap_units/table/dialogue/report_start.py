"""Where reports begin: the winner's own button, the other endings behind ▼ held, a correction of a report."""

from roundtap_core.forms.form import Form, WayToEnd
from roundtap_core.records import CONCESSION, Result, Side, other_side
from roundtap_devices.input.gestures import ARROWS, REPEAT, TAP, Gesture
from roundtap_units.table.dialogue import result_text
from roundtap_units.table.dialogue.entry import ResultEntry, list_scene, way_line
from roundtap_units.table.dialogue.games import ConfirmGame, draw_lot, undo_game
from roundtap_units.table.dialogue.parallel_entry import ParallelEntry
from roundtap_units.table.dialogue.table_state import OWN_KEYS, DialogueState, TableState
from roundtap_units.table.screens.scenes import Scene


def start_report(table: TableState, side: Side, now_ms: int) -> None:
    """The own button: the entry begins, or the table shows why it cannot. What needs no question is reported at
    once."""
    form = table.form
    if form is None:
        table.show_notice(now_ms, lambda: table.page("no-form", side, table.words("entry.no_form")))
    elif form.parallel:
        sheets = table.sheets if isinstance(table.sheets, ParallelEntry) else ParallelEntry(table, form)
        table.sheets = table.entry = sheets
        sheets.open(side)
    elif table.games.count(side) + 1 < form.games and not table.time_is_up:
        table.question = ConfirmGame(table, side)
    else:
        _begin(table, ResultEntry(table, form, side, side), now_ms)


def _begin(table: TableState, entry: ResultEntry, now_ms: int) -> None:
    table.entry = entry
    if entry.done:
        entry.finish(now_ms)


def edit_report(table: TableState, by: Side, like: Result, winner: Side | None = None) -> None:
    """`by` reports again; figures start as in `like` where it has the same winner."""
    form = table.form
    if form is None:
        return
    if form.parallel:
        table.sheets = table.entry = ParallelEntry(table, form, like, by)
        return
    opener = winner or result_text.winner_of(table, like) or by
    start = like if winner is None or result_text.side_outcome(table, like, winner) in ("won", "draw") else None
    table.entry = ResultEntry(table, form, opener, by, start)


def handle_arrow(table: TableState, gesture: Gesture, now_ms: int) -> None:
    """▲ before the first game draws the due lot; ▼ held shows how else a game can end."""
    form = table.form
    if gesture.kind == TAP and gesture.key == "up":
        draw_lot(table, now_ms)
        return
    held = gesture.kind == REPEAT and gesture.key == "down"
    if held and form is not None and form.direct and not form.parallel and other_endings(table, form):
        table.question = EndingList(table, form)


def other_endings(table: TableState, form: Form) -> tuple[WayToEnd, ...]:
    """The endings that the own button alone does not begin. Of several games it begins one: the whole match is here."""
    offered = form.offered(table.time_is_up)
    return offered[1:] if form.games == 1 else offered


class EndingList(DialogueState):
    """The list behind ▼ held: ▲▼ move, and the reporter's own button takes the line."""

    def __init__(self, table: TableState, form: Form) -> None:
        super().__init__(table)
        self.form = form
        self.ways = other_endings(table, form)
        self.place = 0

    def tap(self, key: str, now_ms: int) -> None:
        if key in ARROWS:
            self.place = (self.place + (1 if key == "down" else -1)) % (len(self._lines()) + 1)
            return
        table, side = self.table, OWN_KEYS[key]
        table.question = None
        table.seated.add(side)
        if self.place < len(self.ways):
            way = self.ways[self.place]
            table.entry = ResultEntry(
                table, self.form, other_side(side) if way.ended == CONCESSION else side, side, way=way
            )
        elif self.place < len(self._lines()):
            undo_game(table, now_ms)

    def _lines(self) -> list[str]:
        games = len(self.table.games)
        ways = (way_line(self.table, way, None) for way in self.ways)
        return [*ways, *([self.table.words("games.back", n=games)] if games else [])]

    def scene(self, now_ms: int) -> Scene:
        words = self.table.words
        return list_scene(
            self.table,
            "endings",
            None,
            words("entry.how"),
            [*self._lines(), words("entry.none")],
            self.place,
            words("entry.choose_any"),
        )
