"""Before and between a match's games: the lot for the first player, games noted here, who begins the next one."""

from dataclasses import dataclass

from roundtap_core.records import SIDES, Side, other_side
from roundtap_core.rulebooks.base import BY_LOT, FIRST_PLAYER, INITIATIVE
from roundtap_units.table.dialogue.result_text import as_question
from roundtap_units.table.dialogue.table_state import OWN_KEYS, DialogueState, TableState
from roundtap_units.table.screens.lettering import shorter_forms
from roundtap_units.table.screens.scenes import SIGNS, FigureColumn, NameRow, Scene


def lot_to_draw(table: TableState) -> str | None:
    """The subject of a lot to draw now: who begins, once, before the first game, where a rulebook needs it later; or
    who chooses initiative, where both lists cost the same."""
    if table.has_choice(FIRST_PLAYER) and not table.games and not table.time_is_up:
        return None if FIRST_PLAYER in table.lots or table.first_player else FIRST_PLAYER
    if table.match.initiative == BY_LOT and not table.time_is_up:
        return None if INITIATIVE in table.lots else INITIATIVE
    return None


def draw_lot(table: TableState, now_ms: int) -> None:
    """Shown at once; the hub's decision from the moment it knows of it."""
    if (about := lot_to_draw(table)) is not None:
        drawn_side(table, about, now_ms)


def drawn_side(table: TableState, about: str, now_ms: int) -> Side:
    """The player whom this lot named, marked as shown."""
    side = table.drawn[about] = table.chance()
    title = {FIRST_PLAYER: "lot.title", INITIATIVE: "initiative.title"}.get(about, "lot.wins")
    apply_hub_lots(table)
    table.show_notice(
        now_ms,
        lambda: table.page(
            "lot", None, table.words(title), NameRow(table.signed_name(side)), hint=table.words("any_key")
        ),
    )
    return side


def apply_hub_lots(table: TableState) -> None:
    """The lot's player begins game 1, whatever was restarted or undone meanwhile."""
    reported = table.latest_result("a") is not None or table.latest_result("b") is not None
    if not table.games and not reported and table.has_choice(FIRST_PLAYER):
        table.first_player = table.lots.get(FIRST_PLAYER, table.first_player)


def unsent_lot(table: TableState) -> tuple[str, Side] | None:
    if table.view is None or table.view.match is None:
        return None
    return next(((about, side) for about, side in table.drawn.items() if about not in table.match.lots), None)


def idle_note(table: TableState, side: Side) -> str:
    """The match so far, for the idle screen: "1:0", and who begins."""
    parts = []
    if table.games and table.has_choice(FIRST_PLAYER):
        parts.append(game_score_text(table, side))
    elif table.games:
        parts.append(table.words("games.noted", figures=game_score_text(table, side)))
    chooses = table.lots.get(INITIATIVE) or table.match.initiative
    if table.first_player:
        parts.append(table.words("games.first", sign=SIGNS[table.first_player]))
    elif chooses in SIDES:
        parts.append(table.words("initiative.chooses", sign=SIGNS["a" if chooses == "a" else "b"]))
    elif (about := lot_to_draw(table)) is not None:
        parts.append(table.words("lot.draw" if about == FIRST_PLAYER else "initiative.draw"))
    return "  ".join(parts)


def game_score_text(table: TableState, side: Side) -> str:
    first = table.first(side)
    return f"{table.games.count(first)}:{table.games.count(other_side(first))}"


def undo_game(table: TableState, now_ms: int) -> None:
    """The last noted game continues, or was noted wrongly."""
    table.games.pop()
    table.first_player = None
    apply_hub_lots(table)
    table.show_notice(
        now_ms, lambda: table.page("game-back", None, table.words("games.taken_back"), hint=table.words("any_key"))
    )


@dataclass(eq=False)
class ConfirmGame(DialogueState):
    """The winner of a game that does not end the match has pressed; the other agrees, and it is noted here only."""

    winner: Side

    def tap(self, key: str, now_ms: int) -> None:
        table, loser = self.table, other_side(self.winner)
        if key == "up":
            return
        table.question = None
        if key == loser:
            table.games.append(self.winner)
            table.first_player = None
            if table.has_choice(FIRST_PLAYER):
                table.question = ChooseStarter(table, loser)

    def scene(self, now_ms: int) -> Scene:
        table, loser = self.table, other_side(self.winner)
        return table.figures(
            "game", loser, self._column, title=self._title(), hint=table.words("yes_no", sign=SIGNS[loser])
        )

    def _title(self) -> str:
        """ "Ana R. won game 2. Right?" """
        names = [*shorter_forms(self.table.name(self.winner)), SIGNS[self.winner]]
        return as_question(
            self.table, (self.table.words("games.won", name=name, n=len(self.table.games) + 1) for name in names)
        )

    def _column(self, side: Side) -> FigureColumn:
        games = self.table.games.count(side) + (side == self.winner)
        return FigureColumn(SIGNS[side], self.table.name(side), (str(games),))


@dataclass(eq=False)
class ChooseStarter(DialogueState):
    """ "1:0: BRUNO chooses who begins": the button of who begins the next game."""

    chooses: Side

    def tap(self, key: str, now_ms: int) -> None:
        if key in OWN_KEYS:
            self.table.first_player = OWN_KEYS[key]
            self.table.question = None

    def scene(self, now_ms: int) -> Scene:
        table = self.table
        return table.page(
            "starter",
            self.chooses,
            table.words("games.noted", figures=game_score_text(table, self.chooses)),
            NameRow(table.signed_name(self.chooses)),
            table.words("games.chooses"),
            hint=table.words("entry.whose"),
        )
