"""X-Wing Epic, duel and team: 5, 3, 1 or 0 points, margin of victory. Figures and rules of the Spanish document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import ANY_TIME, AT_TIME, DRAWN, OPENER, Form, Way
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Figure, Step, Test
from roundtap_core.lists.list_form import ListCheck
from roundtap_core.randomness import lot
from roundtap_core.records import (
    BYE,
    CONCESSION,
    NO_SHOW,
    PLAYED,
    SIDES,
    TIME,
    WON_BYE,
    Match,
    Pair,
    Result,
    Side,
    StandingsRow,
    other,
)
from roundtap_core.rulebooks.base import (
    BYE_RANDOM_LOWEST,
    DRAW,
    INITIATIVE,
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
    more_of,
    refuse_foreign,
    stated_winner,
)
from roundtap_core.rulebooks.xwing_epic_list import EpicDuelList, EpicTeamList

FULL_WIN, MODIFIED_WIN, DRAWN_GAME = 5, 3, 1
FULL_MARGIN = 12
SHORTEST_MINUTES, LONG_MINUTES = 150, 210


class XWingEpicDuel(Rulebook):
    """Sections in the docstrings are the headings of the document. The team game differs in its figures only."""

    id = "xwing-epic-duel"
    title = "X-Wing Epic (300)"
    document = "Reglas para torneos épicos X-Wing 1.1: Duelos espaciales épicos (es)"
    tiebreakers = ("mov", "opponents_points", "random")
    bye_after_round_1 = BYE_RANDOM_LOWEST
    stage_minutes = {"swiss": 180, "elimination": 180, "final": 180, "third_place": 180}
    levels = ("informal", "competitive", "premier")
    structures = {}
    tally_counts_lists = True
    option_defaults = {"structure": "own", "squad_points": 300, "lists_required": True, "late_minutes": 10,
                       "tables": "leaders"}
    house_decisions = (
        "decision.nobody_came", "decision.disqualified", "decision.between_stages",
        "decision.second_bye", "decision.no_show", "decision.late_minutes", "decision.leaving_is_concession",
        "decision.elimination_ranking", "decision.tables", "decision.unpaired_loss_mov_0", "decision.both_lose",
        "decision.epic_bye_mov", "decision.epic_games_equal", "decision.epic_minutes", "decision.own_structure",
    )
    officials_play = {"premier": NO, "*": WITH_SECOND}
    leaving_asks = ("score",)
    lots = (INITIATIVE,)
    before_play: ClassVar[tuple[str, ...]] = ("before.initiative",)
    lists: ClassVar[ListCheck] = EpicDuelList()

    def check_options(self, given: Options) -> None:
        """"Duelos espaciales épicos": a round is 150 minutes at the shortest."""
        super().check_options(given)
        for stage, values in given.get("stages", {}).items():
            minutes = values.get("minutes")
            if minutes is not None and minutes < SHORTEST_MINUTES:
                raise Invalid("minutes_too_short", where=f"/options/stages/{stage}/minutes", value=minutes,
                              right=SHORTEST_MINUTES)

    def option_warnings(self, given: Options) -> list[Problem]:
        """The document's upper limit is a slip ("90"); longer than three and a half hours is probably one, too."""
        return [
            Problem("minutes_very_long", where=f"/options/stages/{stage}/minutes", value=values["minutes"],
                    usual=self.stage_minutes["swiss"])
            for stage, values in given.get("stages", {}).items() if (values.get("minutes") or 0) > LONG_MINUTES
        ]

    def winner(self, result: Result, options: Options) -> str:
        """"Fin de partida": destroying everything wins whatever the points; only at time the points decide."""
        stated = stated_winner(result)
        if stated is not None:
            return stated
        if result.ended == PLAYED:
            if result.winner is None:
                raise Invalid("winner_missing", where="/winner")
            return result.winner
        by_points = more_of(result.score)
        if result.winner not in (None, by_points):
            raise Invalid("winner_contradicts_score", where="/winner", winner=result.winner,
                          a=result.score.a, b=result.score.b, right=by_points)
        return by_points

    def elimination_winner(self, result: Result, options: Options, better: Side) -> str:
        """"Rondas finales eliminatorias": a draw goes to whoever had initiative."""
        winner = self.winner(result, options)
        if winner != DRAW:
            return winner
        if result.initiative is None:
            raise Problem("initiative_missing", where="/initiative")
        return result.initiative

    def counted_score(self, match: Match, options: Options, totals: ListTotals) -> Pair:
        """Points as they count: on a concession all ships of who conceded are destroyed, at what their list costs."""
        result = match.result
        assert result is not None
        if result.ended != CONCESSION:
            return result.score
        conceder = match.b if result.conceded_by == "b" else match.a
        whole = totals.get(conceder or "", options["squad_points"])
        return replace(result.score, a=whole) if result.conceded_by == "b" else replace(result.score, b=whole)

    def tally(self, match: Match, side: Side, options: Options, totals: ListTotals = NO_TOTALS) -> Tally:
        """"Puntuaciones" and "Margen de victoria": 5, 3, 1, 0; the margin is by points alone, whoever won.

        "Fin de partida": a list whose total is known and that was destroyed whole is a full win at any clock.
        """
        base: int = options["squad_points"]
        if match.bye in (BYE, NO_SHOW):
            return Tally(FULL_WIN, WIN, {"mov": options.get("bye_mov", base * 3 // 2)})
        if match.bye == WON_BYE:
            return Tally(FULL_WIN, WIN, {"mov": 2 * base})
        if match.bye is not None:
            return Tally(0, LOSS, {"mov": 0})
        assert match.result is not None
        winner = self.winner(match.result, options)
        if winner == "none":
            return Tally(0, LOSS, {"mov": 0})
        left = None
        if match.result.ended == TIME:
            left = nothing_left(match.result.score, (totals.get(match.a), totals.get(match.b or "")))
            winner = left or winner
        score = self.counted_score(match, options, totals)
        mov = {"mov": base + score.of(side) - score.of(other(side))}
        if winner == "draw":
            return Tally(DRAWN_GAME, DRAW, mov)
        if winner != side:
            return Tally(0, LOSS, mov)
        modified = match.result.ended == TIME and left is None and abs(score.a - score.b) < FULL_MARGIN
        return Tally(MODIFIED_WIN if modified else FULL_WIN, WIN, mov)

    def cut_order(self, rows: Sequence[StandingsRow], seed: int) -> Sequence[str]:
        """"Rondas finales eliminatorias": points, then the opponents' points directly, not the margin of victory."""
        ordered = sorted(rows, key=lambda row: (-row.points, -row.tiebreakers["opponents_points"],
                                                lot(seed, row.competitor)))
        return [row.competitor for row in ordered]

    def form(self, options: Options, situation: Situation = SWISS_ROUND) -> Form:
        """Whoever destroys all, or hears the other concede, opens; at time both count.

        All of a list is what it costs: where that is known there is nothing to ask.
        """
        top: int = options["squad_points"]
        # What a side can destroy is the other's list.
        of_b, of_a = situation.totals
        known = (of_a, of_b) != (None, None)
        whole = (of_a, of_b) if known else None
        all_of_it = Figure("score", WINNER, 1, top, top, (100, 10, 1), asked=not known, per_side=whole)
        some = Figure("score", LOSER, 0, top, 0, (100, 10, 1), per_side=whole)
        # Whoever has a ship left has not lost the whole list.
        most = (of_a and of_a - 1, of_b and of_b - 1) if known else None
        not_all = some.but(maximum=top - 1, per_side=most)
        initiative: tuple[Step, ...] = ()
        if situation.knockout:
            initiative = (Choice("initiative", "form.initiative", ("a", "b")),)
        counted = (some.but(whose=WINNER), some)
        conceded = all_of_it.but(minimum=top, asked=False)
        both_gone = (all_of_it, all_of_it.but(whose=LOSER))
        return Form(
            rulebook=self.id,
            ways=(
                Way("time", AT_TIME, TIME, (*counted, Test("points", ("score",)), *initiative)),
                Way("wiped_out", ANY_TIME, PLAYED, (all_of_it, not_all), winner=OPENER),
                Way("conceded", ANY_TIME, CONCESSION, (conceded, some)),
                Way("both_wiped_out", ANY_TIME, PLAYED, (*both_gone, *initiative), winner=DRAWN),
            ),
            worth=("points", "mov"),
        )

    def has_won(self, result: Result, side: Side, options: Options, situation: Situation) -> bool:
        """"Fin de partida": everything of the other's list is destroyed."""
        return result.score.of(side) >= _whole(situation, options["squad_points"]).of(side)

    def check_new(self, result: Result, options: Options, situation: Situation = SWISS_ROUND) -> None:
        """Nobody destroys more than the other's list, and all of it where nothing is left; whoever shares in
        elimination says who had initiative."""
        refuse_foreign(result, self.id, ("initiative",))
        whole = _whole(situation, options["squad_points"])
        for side in SIDES:
            value, limit = result.score.of(side), whole.of(side)
            if not 0 <= value <= limit:
                raise Invalid("figure_out_of_range", where=f"/score/{side}", value=value, minimum=0, maximum=limit)
        if situation.knockout:
            self.elimination_winner(result, options, "a")
        winner = self.winner(result, options)
        if result.ended == PLAYED:
            _refuse_half_destroyed(result.score, winner, whole, situation.totals)
        elif result.ended == TIME:
            right = nothing_left(result.score, situation.totals)
            # Of a list that nobody knows, nothing may be left either: then it is a draw.
            if right not in (None, winner) and not (None in situation.totals and winner == DRAW):
                raise Problem("destroyed_whole", where="/winner", a=result.score.a, b=result.score.b, right=right)


def _whole(situation: Situation, top: int) -> Pair:
    """What each side can destroy: all of the other's list, at most `top` where nobody knows what it costs."""
    a, b = situation.totals
    return Pair(top if b is None else b, top if a is None else a)


def nothing_left(score: Pair, totals: tuple[int | None, int | None]) -> str | None:
    """"Fin de partida": who has won because nothing of the other's list is left, "draw" where nobody has a ship left;
    None while both have. `totals`: what the lists of a and b cost; None: nobody knows."""
    a, b = totals
    by_a, by_b = b is not None and score.a >= b, a is not None and score.b >= a
    if by_a and by_b:
        return DRAW
    return "a" if by_a else "b" if by_b else None


def _refuse_half_destroyed(score: Pair, winner: str, whole: Pair, totals: tuple[int | None, int | None]) -> None:
    """A game that ended before time ended with everything of one list destroyed, or of both.

    Raises Problem("not_destroyed_whole", "destroyed_both"). Where nobody knows what a list costs (`totals`), `whole` is
    the most it can be: then something has to be destroyed, and no more can be said.
    """
    for side, enemy in zip(SIDES, reversed(totals), strict=True):
        least = 1 if enemy is None else whole.of(side)
        if winner in (side, DRAW) and score.of(side) < least:
            raise Problem("not_destroyed_whole", where=f"/score/{side}", value=score.of(side), right=whole.of(side))
    if winner in SIDES and score.of(other("a" if winner == "a" else "b")) >= whole.of(
            other("a" if winner == "a" else "b")):
        raise Problem("destroyed_both", where="/winner", a=score.a, b=score.b)


class XWingEpicTeam(XWingEpicDuel):
    """"Juego por equipos épico": as the duel, with two players a side and other figures."""

    id = "xwing-epic-team"
    title = "X-Wing Epic, teams (2 × 200)"
    document = "Reglas para torneos épicos X-Wing 1.1: Juego por equipos épico (es)"
    option_defaults = {**XWingEpicDuel.option_defaults, "squad_points": 400}
    team_size = 2
    before_play = ("before.initiative_teams",)
    lists: ClassVar[ListCheck] = EpicTeamList()
