"""Before and between the games of a match: the lot for the first player, games noted here, who begins the next one."""

from __future__ import annotations

from roundtap_core.records import SIDES, Side, other
from roundtap_devices.input.gestures import TAP, Gesture
from roundtap_units.table.dialogue.entry_scenes import figures
from roundtap_units.table.dialogue.table_state import TableState
from roundtap_units.table.screens.scenes import SIGNS, Column, Row, Scene

FIRST_PLAYER = "first_player"


def draws_first_player(table: TableState) -> bool:
    """Whether a lot is to be drawn here: once, before the first game, where a rulebook wants to know later."""
    return (table.asks(FIRST_PLAYER) and table.first_player is None and not table.games and not table.time_is_up)


def draw_first_player(table: TableState, now_ms: int) -> None:
    if draws_first_player(table):
        side = table.first_player = table.chance()
        table.tell(now_ms, lambda: table.page("lot", None, table.words("lot.title"), Row(table.signed(side)),
                                              hint=table.words("any_key")))


def note(table: TableState, side: Side) -> str:
    """What the idle screen says of the match so far: "1:0", and who begins."""
    parts = []
    if table.games and table.asks(FIRST_PLAYER):
        parts.append(games_so_far(table, side))
    elif table.games:
        parts.append(table.words("games.noted", figures=games_so_far(table, side)))
    if table.first_player:
        parts.append(table.words("games.first", sign=SIGNS[table.first_player]))
    elif draws_first_player(table):
        parts.append(table.words("lot.draw"))
    return "  ".join(parts)


def games_so_far(table: TableState, side: Side) -> str:
    first = table.first(side)
    return f"{table.games.count(first)}:{table.games.count(other(first))}"


def take_back(table: TableState, now_ms: int) -> None:
    """The last noted game is played on, or was noted wrongly."""
    table.games.pop()
    table.first_player = None
    table.tell(now_ms, lambda: table.page("game-back", None, table.words("games.taken_back"),
                                          hint=table.words("any_key")))


class Game:
    """The winner of a game that does not end the match has pressed; the other agrees, and it is noted here only."""

    def __init__(self, table: TableState, winner: Side) -> None:
        self.table, self.winner = table, winner

    def press(self, gesture: Gesture, now_ms: int) -> None:
        table, loser = self.table, other(self.winner)
        if gesture.kind != TAP or gesture.key == "up":
            return
        table.question = None
        if gesture.key == loser:
            table.games.append(self.winner)
            table.first_player = None
            if table.asks(FIRST_PLAYER):
                table.question = Starter(table, loser)

    def scene(self, now_ms: int) -> Scene:
        table, loser = self.table, other(self.winner)
        return figures(table, "game", loser, self._column, title=table.words("games.lost", n=len(table.games) + 1),
                       info="", hint=table.words("yes_no", sign=SIGNS[loser]))

    def _column(self, side: Side) -> Column:
        games = self.table.games.count(side) + (side == self.winner)
        return Column(SIGNS[side], self.table.name(side), (str(games),))


class Starter:
    """"1:0: BRUNO chooses who begins": the button of who begins the next game."""

    def __init__(self, table: TableState, chooses: Side) -> None:
        self.table, self.chooses = table, chooses

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.kind == TAP and gesture.key in SIDES:
            self.table.first_player = "a" if gesture.key == "a" else "b"
            self.table.question = None

    def scene(self, now_ms: int) -> Scene:
        table = self.table
        return table.page("starter", self.chooses,
                          table.words("games.noted", figures=games_so_far(table, self.chooses)),
                          Row(table.signed(self.chooses)), table.words("games.chooses"),
                          hint=table.words("entry.whose"))
