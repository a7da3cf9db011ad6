"""X-Wing standard: 100 points, win or loss, margin of victory. Figures and rules of the German tournament document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import ANY_TIME, AT_TIME, BEFORE_TIME, Form, Way
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Decide, Figure, Test
from roundtap_core.lists.list_form import ListCheck
from roundtap_core.records import (
    BYE,
    CONCESSION,
    NO_SHOW,
    PLAYED,
    RULING,
    TIME,
    WON_BYE,
    Match,
    Pair,
    Result,
    Side,
    other,
)
from roundtap_core.rulebooks.base import (
    BYE_LAST,
    HEAD_JUDGE,
    INITIATIVE,
    LOSS,
    NO,
    NO_TOTALS,
    SWISS_ROUND,
    WIN,
    WITH_SECOND,
    AidFigure,
    CountingAid,
    ListTotals,
    Options,
    Rulebook,
    Situation,
    Tally,
    refuse_foreign,
    refuse_outside,
)
from roundtap_core.rulebooks.structures import BASIC_AND_ADVANCED
from roundtap_core.rulebooks.xwing_standard_list import XWingStandardList


def ship_points(cost: int, large: bool, life: int, damage: int) -> int:
    """"Berechnung der Siegpunkte": what an enemy ship with `damage` of `life` (hull and shields, upgrades included)
    gives; `cost` includes its upgrades. A large one below half gives half of it, rounded down."""
    if damage >= life:
        return cost
    return cost // 2 if large and 2 * damage > life else 0


def _ship_worth(figures: Mapping[str, int]) -> int:
    return ship_points(figures["cost"], bool(figures["large"]), figures["life"], figures["damage"])


class XWingStandard(Rulebook):
    """Sections in the docstrings are the headings of the document."""

    id = "xwing-standard"
    title = "X-Wing (100)"
    document = "Star Wars: X-Wing Miniaturen-Spiel, Turnierregeln (de)"
    tiebreakers = ("mov", "sos", "random")
    bye_after_round_1 = BYE_LAST
    stage_minutes = {"swiss": 75, "elimination": 75, "final": 120, "third_place": 75}
    levels = ("relaxed", "formal", "premium")
    officials_play = {"relaxed": WITH_SECOND, "*": NO}
    disqualification_proposed_by = (HEAD_JUDGE,)
    lists: ClassVar[ListCheck] = XWingStandardList()
    structures = BASIC_AND_ADVANCED
    leaving_asks = ("score",)
    lots = (INITIATIVE,)
    before_play = ("before.wait_for_start", "before.initiative")
    counting_aid = CountingAid("ship", (
        AidFigure("cost", 0, 999), AidFigure("life", 1, 99), AidFigure("damage", 0, 99), AidFigure("large", tick=True),
    ), _ship_worth)
    option_defaults = {"structure": "basic", "squad_points": 100, "late_minutes": 10, "tables": "leaders"}
    house_decisions = (
        "decision.nobody_came", "decision.disqualified", "decision.between_stages",
        "decision.second_bye", "decision.no_show", "decision.late_minutes", "decision.leaving_is_concession",
        "decision.elimination_ranking", "decision.tables", "decision.unpaired_loss_mov_0", "decision.both_lose",
        "decision.structure_counts_checked_in", "decision.sos_details", "decision.elimination_by_standings",
    )

    def winner(self, result: Result, options: Options) -> str:
        """"Ende der Runde": more victory points win; equal, and nobody conceded: the final salvo, so it must be said.

        A judge's ruling says the winner; the loser of a concession is who conceded.
        """
        if result.ended == RULING:
            if result.winner == "draw":
                raise Problem("no_draws", where="/winner")
            return result.winner or "none"
        if result.ended == CONCESSION and result.conceded_by in ("a", "b"):
            return self._stated(result, other(result.conceded_by))
        if result.score.a != result.score.b:
            return self._stated(result, "a" if result.score.a > result.score.b else "b")
        if result.winner == "draw":
            raise Problem("no_draws", where="/winner")
        if result.winner is None:
            raise Invalid("salvo_winner_missing", where="/winner", score=result.score.a)
        return result.winner

    @staticmethod
    def _stated(result: Result, by_figures: Side) -> Side:
        if result.winner not in (None, by_figures):
            raise Invalid("winner_contradicts_score", where="/winner",
                          winner=result.winner, a=result.score.a, b=result.score.b, right=by_figures)
        return by_figures

    def counted_score(self, result: Result, options: Options) -> Pair:
        """Victory points as they count: a concession destroys all remaining ships of who conceded."""
        if result.ended != CONCESSION:
            return result.score
        all_of_it = options["squad_points"]
        if result.conceded_by == "b":
            return replace(result.score, a=all_of_it)
        return replace(result.score, b=all_of_it)

    def tally(self, match: Match, side: Side, options: Options, totals: ListTotals = NO_TOTALS) -> Tally:
        """"Turnierpunkte" (win 1, loss 0) and "Höhe des Sieges" (100 ± difference; bye 150, won bye 200)."""
        base: int = options["squad_points"]
        if match.bye in (BYE, NO_SHOW):
            return Tally(1, WIN, {"mov": options.get("bye_mov", base * 3 // 2)})
        if match.bye == WON_BYE:
            return Tally(1, WIN, {"mov": 2 * base})
        if match.bye is not None:
            return Tally(0, LOSS, {"mov": 0})
        assert match.result is not None
        winner = self.winner(match.result, options)
        if winner == "none":
            return Tally(0, LOSS, {"mov": 0})
        score = self.counted_score(match.result, options)
        mov = base + score.of(side) - score.of(other(side))
        return Tally(1, WIN, {"mov": mov}) if winner == side else Tally(0, LOSS, {"mov": mov})

    def form(self, options: Options, situation: Situation = SWISS_ROUND) -> Form:
        """Before time a game ends by destruction or concession, so the winner has all the points: not asked. Who
        concedes may do so at any time, and then all the ships that are left are destroyed."""
        top: int = options["squad_points"]
        loser = Figure("score", LOSER, 0, top, 0)
        all_of_it = Figure("score", WINNER, top, top, top, asked=False)
        salvo = (Test("points", ("score",)), Choice("winner", "form.final_salvo", ("a", "b")),
                 Decide("final_salvo", "winner"))
        return Form(
            rulebook=self.id,
            ways=(
                Way("played", BEFORE_TIME, PLAYED, (all_of_it, loser, *salvo)),
                Way("time", AT_TIME, TIME, (Figure("score", WINNER, 0, top, top), loser, *salvo)),
                Way("conceded", ANY_TIME, CONCESSION, (all_of_it, loser)),
            ),
            worth=("mov",),
            direct=True,
        )

    def has_won(self, result: Result, side: Side, options: Options, situation: Situation) -> bool:
        """All of the other's ships are destroyed; the game may go on to the end of the round, and be conceded."""
        return bool(result.score.of(side) >= options["squad_points"])

    def check_new(self, result: Result, options: Options, situation: Situation = SWISS_ROUND) -> None:
        """"Berechnung der Siegpunkte": nobody scores more than the squad points, or less than nothing."""
        refuse_outside("score", result.score, 0, options["squad_points"])
        refuse_foreign(result, self.id, ("initiative",))
        self.winner(result, options)
