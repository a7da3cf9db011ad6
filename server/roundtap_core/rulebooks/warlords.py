"""Warlords of Terra: 3, 1 or 0 points and SCORE. Figures and rules of the Spanish document, part C."""

from __future__ import annotations

from typing import ClassVar

from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import ANY_TIME, AT_TIME, BEFORE_TIME, DECIDED, DRAWN, OPENER, Form, Way
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Decide, Figure, Turns
from roundtap_core.lists.list_form import ListCheck
from roundtap_core.records import (
    BYE,
    CONCESSION,
    ELIMINATION,
    NO_SHOW,
    PLAYED,
    RULING,
    SIDES,
    SWISS,
    TIEBREAK,
    TIME,
    WON_BYE,
    Match,
    Pair,
    Result,
    Side,
    other,
)
from roundtap_core.rulebooks.base import (
    BYE_RANDOM_LOWEST,
    DRAW,
    LOSS,
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
from roundtap_core.rulebooks.warlords_list import WarlordsList

FULL_LIFE = 20

NO_CARD, FOREIGN_CARD = "no_card", "foreign_card"
"""Why somebody with life left has lost (A 7.2, A 7.3): no card to draw, or a card of a foreign realm in the deck."""
REASON, REASONS = "reason", (NO_CARD, FOREIGN_CARD)


class WarlordsOfTerra(Rulebook):
    """Sections in the docstrings are those of the document, part C."""

    id = "warlords-of-terra"
    title = "Warlords of Terra"
    document = "Warlords of Terra, reglamento ampliado, C) Juego competitivo (es)"
    tiebreakers = (
        "score", "head_to_head", "opponents_points", "opponents_score", "tiebreak_round", "random",
    )
    ties_start_again_at = "head_to_head"
    tiebreak_rounds = True
    bye_after_round_1 = BYE_RANDOM_LOWEST
    stage_minutes = {"swiss": 45, "elimination": 45, "final": 45, "third_place": 45}
    best_of = (1, 3)
    levels = ("friendly", "competitive")
    structures = {}
    option_defaults = {"structure": "own", "bye_score": 0, "legendary_limit": 3, "deck_era": "2017", "prize_places": 0,
                       "lists_required": True, "late_minutes": 10, "tables": "leaders"}
    house_decisions = (
        "decision.nobody_came", "decision.disqualified", "decision.between_stages",
        "decision.second_bye", "decision.no_show", "decision.late_minutes", "decision.leaving_is_concession",
        "decision.elimination_ranking", "decision.tables", "decision.both_lose_score", "decision.warlords_as_keyforge",
        "decision.warlords_byes", "decision.warlords_concession", "decision.warlords_head_to_head",
        "decision.warlords_tiebreak_rounds", "decision.warlords_no_draw_in_elimination",
        "decision.warlords_sideboard_unique", "decision.warlords_both_at_zero", "decision.organizer_disqualifies",
        "decision.own_structure",
    )
    officials_play = {"*": WITH_SECOND}
    before_play = ("before.hero_first", "before.sideboard")
    leaving_asks = ("score",)
    lists: ClassVar[ListCheck] = WarlordsList()

    def minutes(self, stage: str, options: Options) -> int | None:
        """1: a best of three has no time, unless the organizer sets one; 2.4.2: nor has a tie-break round."""
        own = options.get("stages", {}).get(stage, {})
        if stage == TIEBREAK or ("minutes" not in own and self.games(stage, options) == 3):
            return None
        return super().minutes(stage, options)

    def check_options(self, given: Options) -> None:
        """1: a round is one game; only the final, and the match for third place beside it, may be best of three."""
        super().check_options(given)
        for stage in (SWISS, ELIMINATION):
            if self.games(stage, given) != 1:
                raise Invalid("not_one_of", where=f"/options/stages/{stage}/best_of", value=self.games(stage, given),
                              options="1")

    def option_warnings(self, given: Options) -> list[Problem]:
        """2.4.2: whether a place is a prize decides who plays on, so it is announced; unsaid there is none."""
        return [] if "prize_places" in given else [Problem("prize_places_unsaid", where="/options/prize_places")]

    def winner(self, result: Result, options: Options) -> str:
        """"Condiciones de derrota": lives do not tell (who cannot draw a card loses at any), so it is stated."""
        stated = stated_winner(result)
        if stated is not None:
            return stated
        if result.winner is None:
            raise Invalid("winner_missing", where="/winner")
        return result.winner

    def elimination_winner(self, result: Result, options: Options, better: Side) -> str:
        """House decision: a game that would be drawn is played on, untimed."""
        winner = self.winner(result, options)
        if winner == DRAW:
            raise Problem("no_draw_here", where="/winner")
        return winner

    def tally(self, match: Match, side: Side, options: Options, totals: ListTotals = NO_TOTALS) -> Tally:
        """2 and 2.1: 3, 1 or 0 points; SCORE is the difference of the lives, each between 0 and 20."""
        if match.bye is not None:
            if match.bye in (BYE, WON_BYE, NO_SHOW):
                return Tally(3, WIN, {"score": options.get("bye_score", 0)})
            return Tally(0, LOSS, {"score": 0})
        result = match.result
        assert result is not None
        winner = self.winner(result, options)
        if winner == "none":
            return Tally(0, LOSS, {"score": 0})
        life = counted_life(result)
        score = {"score": life.of(side) - life.of(other(side))}
        if winner == DRAW:
            return Tally(1, DRAW, score)
        return Tally(3, WIN, score) if winner == side else Tally(0, LOSS, score)

    def form(self, options: Options, situation: Situation = SWISS_ROUND) -> Form:
        """1: at time the active player's turn and three more, then a draw. A winner usually faces no life at all; of a
        loser who has some left it is asked why (A 7.2, A 7.3)."""
        if self.games(situation.stage, options) == 3:
            decider = Way("played", ANY_TIME, PLAYED, (), winner=OPENER)
            return Form(self.id, (decider, Way("conceded", ANY_TIME, CONCESSION, ())), direct=True, games=2)
        winner = Figure("score", WINNER, 0, FULL_LIFE, FULL_LIFE, beyond=True)
        none_left = Figure("score", LOSER, 0, 0, 0, asked=False, beyond=True)
        loser = Figure("score", LOSER, 0, FULL_LIFE, FULL_LIFE, beyond=True)
        gone = Figure("score", LOSER, 0, 0, 0, asked=False, beyond=True)
        in_time = ANY_TIME if situation.knockout else BEFORE_TIME
        why = Choice(REASON, "form.lost_by", REASONS)
        ways = [
            Way("played", in_time, PLAYED, (winner, none_left), winner=OPENER),
            Way("cards_out", ANY_TIME, PLAYED, (why, winner, loser), winner=OPENER),
            Way("conceded", ANY_TIME, CONCESSION, (winner, gone)),
        ]
        if not situation.knockout:
            turns = (Choice("active", "form.whose_turn", ("a", "b")), Turns("turns", "form.last_turns", 4, "active"))
            lives = (winner, Figure("score", LOSER, 0, FULL_LIFE, FULL_LIFE, beyond=True))
            ways = [
                Way("time", AT_TIME, TIME, (*turns, *lives, Decide("last_turns", "turns")), winner=DECIDED),
                *ways,
                Way("draw", AT_TIME, TIME, lives, winner=DRAWN),
                Way("both_gone", ANY_TIME, PLAYED, (none_left.but(whose=WINNER), none_left), winner=DRAWN),
            ]
        return Form(self.id, tuple(ways), worth=("points", "score"), direct=True)

    def has_won(self, result: Result, side: Side, options: Options, situation: Situation) -> bool:
        """A 7: the other has no life left, and oneself has some; in a best of three, two games."""
        if self.games(situation.stage, options) == 3:
            return result.score.of(side) >= 2
        return result.score.of(other(side)) <= 0 < result.score.of(side)

    def check_new(self, result: Result, options: Options, situation: Situation = SWISS_ROUND) -> None:
        """A 7: whoever has no life left has lost, and whoever has some only for a reason that is said; both at 0 or
        below at once is a draw (house decision). Somebody goes on from an elimination or tie-break game."""
        refuse_foreign(result, self.id, ("first_player", "timeout"))
        if situation.knockout:
            winner = self.elimination_winner(result, options, "a")
        else:
            winner = self.winner(result, options)
        if result.ended == RULING:
            return
        if self.games(situation.stage, options) == 3:
            _refuse_games(result, winner)
        else:
            _refuse_lives(result, winner)


def _refuse_games(result: Result, winner: str) -> None:
    """A best of three keeps who won, or the games: two of the winner's, at most one of the loser's."""
    refuse_outside("score", result.score, 0, 2)
    won = Pair(*(result.score.of(side) == 2 for side in SIDES))
    wanted = Pair(*(winner == side for side in SIDES)) if result.ended != CONCESSION else Pair()
    if result.score != Pair() and won != wanted:
        raise Invalid("winner_contradicts_games", where="/winner", winner=winner, a=result.score.a, b=result.score.b)


def _refuse_lives(result: Result, winner: str) -> None:
    """Raise Problem where these lives exclude that winner, or leave open why the other has lost."""
    gone = [side for side in SIDES if result.score.of(side) <= 0]
    if winner == DRAW:
        if len(gone) == 1:
            raise Invalid("drawn_without_life", where="/winner", side=gone[0], right=other(gone[0]))
        if not gone and result.ended == PLAYED:
            raise Invalid("no_draw_before_time", where="/winner")
        return
    side: Side = "a" if winner == "a" else "b"
    if side in gone:
        raise Invalid("winner_without_life", where="/winner", winner=side, life=result.score.of(side))
    loser = other(side)
    told = (result.timeout or {}).get(REASON)
    if result.ended != CONCESSION and loser not in gone and told not in REASONS:
        raise Invalid("loser_has_life", where=f"/score/{loser}", life=result.score.of(loser))


def counted_life(result: Result) -> Pair:
    """2.1: lives as they count, from 0 to 20; who conceded has none left (house decision)."""
    a, b = (max(0, min(FULL_LIFE, life)) for life in (result.score.a, result.score.b))
    if result.ended == CONCESSION:
        a, b = (0, b) if result.conceded_by == "a" else (a, 0)
    return Pair(a, b)
