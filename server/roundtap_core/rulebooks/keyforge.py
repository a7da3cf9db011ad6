"""KeyForge, Archon and Sealed: win or loss, one game or best of three. Figures and rules of the Spanish document."""

from __future__ import annotations

from typing import ClassVar

from roundtap_core.errors import Problem
from roundtap_core.forms.form import (
    ANY_TIME,
    AT_TIME,
    DECIDED,
    LOSER,
    WINNER,
    Choice,
    Decide,
    Exchange,
    Figure,
    Form,
    Step,
    Test,
    Turns,
    Way,
)
from roundtap_core.lists.list_form import ListCheck
from roundtap_core.records import (
    BYE,
    CONCESSION,
    NO_SHOW,
    PLAYED,
    TIME,
    WON_BYE,
    Match,
    Pair,
    Result,
    Side,
)
from roundtap_core.rulebooks.base import (
    BYE_RANDOM_LOWEST,
    HEAD_JUDGE,
    LOSS,
    NO,
    NO_TOTALS,
    SWISS_ROUND,
    WIN,
    WITH_SECOND,
    ListTotals,
    Options,
    Rulebook,
    Situation,
    Tally,
    refuse_foreign,
    refuse_outside,
    stated_winner,
)
from roundtap_core.rulebooks.keyforge_list import ArchonDeck, SealedDeck
from roundtap_core.rulebooks.structures import BASIC_AND_ADVANCED

KEYS, KEY_PRICE = 3, 6
LOOK_S = 120
""""Cartas de identidad": the other's list may be read before the game, for two minutes."""
SCORE = "score"


class KeyForgeArchon(Rulebook):
    """Sections in the docstrings are the headings of the document. Sealed differs in its minutes and decks."""

    id = "keyforge-archon"
    title = "KeyForge Archon"
    document = "KeyForge, normativas de torneo: Arconte (es)"
    tiebreakers = ("sos", "extended_sos", "random")
    bye_after_round_1 = BYE_RANDOM_LOWEST
    stage_minutes = {"swiss": 35, "elimination": 35, "final": 50, "third_place": 35}
    best_of_three_minutes: ClassVar = {"swiss": 90, "elimination": 90, "final": 120, "third_place": 90}
    best_of = (1, 3)
    levels = ("relaxed", "formal", "premium")
    structures = BASIC_AND_ADVANCED
    option_defaults = {"structure": "basic", "lists_required": True, "late_minutes": 10, "tables": "leaders"}
    house_decisions = (
        "decision.second_bye", "decision.no_show", "decision.late_minutes", "decision.leaving_is_concession",
        "decision.elimination_ranking", "decision.tables", "decision.both_lose_points",
        "decision.structure_counts_checked_in", "decision.sos_details", "decision.keyforge_best_of_three",
        "decision.keyforge_game_not_begun",
    )
    officials_play = {"relaxed": WITH_SECOND, "*": NO}
    ticks = {"premium": ("sleeves",)}
    before_play: ClassVar[tuple[str, ...]] = (
        "before.first_player_by_lot", "before.loser_chooses", "before.list_two_minutes", "before.wait_for_start",
    )
    disqualification_proposed_by = (HEAD_JUDGE,)
    lists: ClassVar[ListCheck] = ArchonDeck()

    def minutes(self, stage: str, options: Options) -> int | None:
        """"Tiempos de ronda del torneo": best of three has its own lengths."""
        own = options.get("stages", {}).get(stage, {})
        if "minutes" not in own and self.games(stage, options) == 3:
            return self.best_of_three_minutes[stage]
        return super().minutes(stage, options)

    def winner(self, result: Result, options: Options) -> str:
        """"Final de la partida": more games won; a game is never drawn, so who won an equal one must be said."""
        stated = stated_winner(result)
        if "draw" in (stated, result.winner):
            raise Problem("no_draws", where="/winner")
        if stated is not None:
            return stated
        score = result.score
        if score.a == score.b:
            if result.winner is None:
                raise Problem("winner_missing", where="/winner")
            return result.winner
        ahead = "a" if score.a > score.b else "b"
        if result.winner not in (None, ahead):
            raise Problem("winner_contradicts_score", where="/winner", winner=result.winner, a=score.a, b=score.b,
                          right=ahead)
        return ahead

    def tally(self, match: Match, side: Side, options: Options, totals: ListTotals = NO_TOTALS) -> Tally:
        """"Puntos de torneo": a win 1, a loss 0; a bye is a win."""
        if match.bye is not None:
            return Tally(1, WIN) if match.bye in (BYE, WON_BYE, NO_SHOW) else Tally(0, LOSS)
        assert match.result is not None
        return Tally(1, WIN) if self.winner(match.result, options) == side else Tally(0, LOSS)

    def form(self, options: Options, situation: Situation = SWISS_ROUND) -> Form:
        """The winner opens. "Tiempo agotado": the turns that are left, then five steps, as far as they are needed."""
        wins = self.games(situation.stage, options) // 2 + 1
        won = Figure(SCORE, WINNER, wins, wins, wins, (1,), asked=False)
        others = Figure(SCORE, LOSER, 0, wins - 1, 0, (1,), asked=wins > 1)
        so_far = tuple(Figure(SCORE, whose, 0, wins - 1, 0, (1,)) for whose in (WINNER, LOSER))
        return Form(
            rulebook=self.id,
            ways=(
                Way("time", AT_TIME, TIME, _time_out(so_far if wins > 1 else ()), winner=DECIDED),
                Way("played", ANY_TIME, PLAYED, (won, others)),
                Way("conceded", ANY_TIME, CONCESSION, (won, others)),
            ),
            direct=True,
            games=wins,
            look_s=LOOK_S,
        )

    def check_new(self, result: Result, options: Options, situation: Situation = SWISS_ROUND) -> None:
        """A match has so many games, and one side has won more of them."""
        refuse_foreign(result, self.id, ("first_player", "timeout"))
        wins = self.games(situation.stage, options) // 2 + 1
        refuse_outside(SCORE, result.score, 0, wins)
        if result.score == Pair(wins, wins):
            raise Problem("both_won", where="/score", n=wins)
        self.winner(result, options)


class KeyForgeSealed(KeyForgeArchon):
    """"Sellado": decks are opened at the event, and rounds are longer."""

    id = "keyforge-sealed"
    title = "KeyForge Sealed"
    document = "KeyForge, normativas de torneo: Sellado (es)"
    stage_minutes = {"swiss": 45, "elimination": 45, "final": 60, "third_place": 45}
    best_of_three_minutes: ClassVar = {"swiss": 100, "elimination": 100, "final": 125, "third_place": 100}
    before_play = ("before.sealed_review", *KeyForgeArchon.before_play)
    lists: ClassVar[ListCheck] = SealedDeck()


def _time_out(games_so_far: tuple[Figure, ...]) -> tuple[Step, ...]:
    """"Tiempo agotado". With games before this one, whoever is ahead has won; level, the game in progress decides.

    Level with the last game not begun there is nothing to count: a lot (house decision).
    """
    before: tuple[Step, ...] = ()
    if games_so_far:
        before = (
            *games_so_far, Test("games", (SCORE,)),
            Choice("game_begun", "form.game_begun", ("yes", "no"), only_if=(SCORE, 2)),
            Choice("lot", "form.lot", ("a", "b"), only_if=("game_begun", "no")), Decide("lot", "lot", award=SCORE),
        )
    return (
        *before,
        Choice("active", "form.whose_turn", ("a", "b")), Turns("turns", "form.last_turns", 2, "active"),
        Decide("last_turns", "turns", award=SCORE),
        *_both("keys", KEYS - 1, (1,)), *_both("aember", 99, (10, 1)),
        Exchange("forging", "aember", KEY_PRICE, "keys"),
        Test("keys", ("keys",), award=SCORE), Test("aember", ("aember",), award=SCORE),
        *_both("creatures", 99, (10, 1)), *_both("bonus", 99, (10, 1)),
        Test("potential", ("creatures", "bonus"), award=SCORE),
        Choice("first_player", "form.first_player", ("a", "b")), Decide("first_player", "first_player", award=SCORE),
    )


def _both(key: str, most: int, wheels: tuple[int, ...]) -> tuple[Figure, Figure]:
    return Figure(key, WINNER, 0, most, 0, wheels), Figure(key, LOSER, 0, most, 0, wheels)
