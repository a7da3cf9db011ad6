"""A store's own game: the rulebook that a file of rules makes."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar

from msgspec.structs import asdict, replace

from roundtap_core import records
from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import ANY_TIME as AT_ANY_TIME
from roundtap_core.forms.form import AT_TIME, BEFORE_TIME, DRAWN, OPENER, Form, WayToEnd
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Comparison, Figure, Step, WinnerByAnswer
from roundtap_core.lists.list_form import ListCheck, ListData, ListField, ListForm, number_at
from roundtap_core.rulebooks import base
from roundtap_core.rulebooks.own_rules import (
    ANY_TIME,
    ASK,
    BETTER_RANK,
    BOTH_LOSE,
    EVERYBODY,
    GAMES,
    NEVER,
    POINTS,
    WINNER_ONLY,
    FigureRule,
    Rules,
    rules_from_json,
    rules_id,
)
from roundtap_core.rulebooks.scoring import (
    ALL_GAMES,
    DRAW,
    DRAWN_GAMES,
    LOT,
    WIN,
    WON_GAMES,
    Scoring,
    Tally,
    Tiebreaker,
    TiebreakRule,
)

DRAWN_KEY, TIE_KEY = "drawn_games", "own_tie"
"""What a table is asked: how many games were drawn, and who won a match that is level."""

NO_DRAWN_GAMES = "0"


class OwnList(ListCheck):
    """A list with the fields that the rules name."""

    def __init__(self, rules: Rules) -> None:
        self._fields = tuple(
            ListField(each.key, each.kind, maximum=9999 if each.maximum is None else each.maximum)
            for each in rules.list.fields
        )

    def form(self, options: Mapping[str, Any]) -> ListForm:
        return ListForm(fields=self._fields)

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        return [
            Problem("list_value_missing", where=f"/{each.key}", key=each.key)
            for each in self._fields
            if list_.get(each.key) in (None, "", [])
        ]

    def total(self, list_: ListData) -> int | None:
        return number_at(list_, "total")


class OwnRulebook(base.Rulebook):
    """What a file of rules says, in the words of a rulebook; `own_rulebook` makes one."""

    rules: ClassVar[Rules]
    counted_by: ClassVar[Mapping[int, Scoring]]
    """By the won games that end a Swiss match."""

    listed = 1000
    document = ""
    levels = ()
    house_decisions = (
        "decision.nobody_came",
        "decision.disqualified",
        "decision.between_stages",
        "decision.second_bye",
        "decision.no_show",
        "decision.late_minutes",
        "decision.leaving_is_concession",
        "decision.elimination_ranking",
        "decision.tables",
        "decision.structure_counts_checked_in",
    )
    # House decisions about what comes after the Swiss rounds.
    no_round_robin = ("decision.between_stages", "decision.elimination_ranking")
    officials_play = {"*": base.WITH_SECOND}

    def option_warnings(self, given: base.Options) -> list[Problem]:
        if self.everybody and (given.get("cut") or given.get("swiss_rounds")):
            return [Problem("everybody_has_no_plan", where="/options")]
        return []

    # --- what is won ---

    def winner(self, result: records.Result, options: base.Options) -> str:
        match = self.rules.match
        stated = base.stated_winner(result)
        if stated == DRAW and match.draws == NEVER:
            raise Problem("no_draws", where="/winner")
        if stated is not None:
            return stated
        ahead = self._ahead(result)
        if ahead != DRAW:
            return base.winner_by_figures(result, ahead)
        if result.winner in records.SIDES:
            return str(result.winner)
        if match.report == WINNER_ONLY:
            base.named_winner(result)
        if result.ended == records.TIME and self.rules.undecided == BOTH_LOSE:
            return "none"
        if result.ended == records.TIME and self.rules.undecided == ASK:
            raise Invalid("winner_missing", where="/winner")
        if match.draws == NEVER:
            raise Problem("no_draws", where="/winner")
        return DRAW

    def elimination_winner(self, result: records.Result, options: base.Options, better: records.Side) -> str:
        stated = base.stated_winner(result)
        if stated not in (None, DRAW):
            return str(stated)
        ahead = DRAW if stated == DRAW else self._ahead(result)
        if ahead != DRAW:
            return base.winner_by_figures(result, ahead)
        if self.rules.time.knockout == BETTER_RANK and self.rules.match.report != WINNER_ONLY:
            return better
        if result.winner in records.SIDES:
            return str(result.winner)
        if stated is None and self.rules.match.report != WINNER_ONLY:
            raise Invalid("winner_missing", where="/winner")
        raise Problem("no_draw_here", where="/winner")

    def stated(self, result: records.Result, options: base.Options, situation: base.MatchSituation) -> str:
        if not situation.knockout:
            return self.winner(result, options)
        ways = {self.elimination_winner(result, options, better) for better in records.SIDES}
        return ways.pop() if len(ways) == 1 else DRAW

    def _ahead(self, result: records.Result) -> str:
        """The side that the figures say has won, or "draw"."""
        for key in self._deciding:
            pair = result.figures.get(key, records.SidePair())
            if pair.a != pair.b:
                return base.leading_side(pair)
        return DRAW

    @property
    def _deciding(self) -> tuple[str, ...]:
        match = self.rules.match
        return match.figures if match.report == GAMES else tuple(each.key for each in match.figure if each.decides)

    def has_won(
        self, result: records.Result, side: records.Side, options: base.Options, situation: base.MatchSituation
    ) -> bool:
        """In a match of games, as many as end it."""
        return self.rules.match.report == GAMES and result.score.of(side) >= self._wins(situation.stage, options)

    def _wins(self, stage: str, options: base.Options) -> int:
        return self.games(stage, options) // 2 + 1

    # --- what it is worth ---

    def scoring(self, options: base.Options) -> Scoring:
        return self.counted_by[self._wins(records.SWISS, options)]

    def counted(self, result: records.Result, wins: int = 0) -> records.Result:
        """After a concession the other side has won as many games as win a match, or the figures that the rules give it
        at least."""
        if result.ended != records.CONCESSION or result.conceded_by is None:
            return result
        winner = records.other_side(result.conceded_by)
        least = {str(key): value for key, value in self.rules.concession.winner_at_least.items()}
        if self.rules.match.report == GAMES:
            least = {"score": wins or self.rules.match.wins}
        pairs = {key: result.figures.get(key, records.SidePair()) for key in least}
        raised = {key: replace(pair, **{winner: max(pair.of(winner), least[key])}) for key, pair in pairs.items()}
        return replace(result, **raised)

    def counted_figures(
        self, match: records.Match, options: base.Options, totals: base.ListTotals
    ) -> Mapping[str, records.SidePair]:
        assert match.result is not None
        return self.counted(match.result, self._wins(records.SWISS, options)).figures

    def tally(
        self, match: records.Match, side: records.Side, options: base.Options, totals: base.ListTotals = base.NO_TOTALS
    ) -> Tally:
        """With the games of the match, for rates of games."""
        tally = super().tally(match, side, options, totals)
        result = match.result
        if match.bye is not None or result is None:
            return tally
        winner = self.winner(result, options)
        if winner == "none" and result.ended == records.RULING:
            return tally
        if winner == "none":
            tally = replace(tally, points=self.rules.both_lose.points)
        if self.rules.match.report == POINTS:
            return tally
        if self.rules.match.report == WINNER_ONLY:
            won, drawn, played = int(tally.outcome == WIN), int(tally.outcome == DRAW), 1
        else:
            score = self.counted_figures(match, options, totals)["score"]
            won, drawn = score.of(side), drawn_games(result)
            played = score.a + score.b + drawn
        return replace(tally, helpers={**tally.helpers, WON_GAMES: won, DRAWN_GAMES: drawn, ALL_GAMES: played})

    def structure(self, players: int, options: base.Options) -> tuple[int, int]:
        """Where everybody meets everybody, their number says how many rounds there are."""
        if self.everybody:
            return (players - 1) | 1, 0
        return super().structure(players, options)

    # --- what a table is asked ---

    def form(self, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND) -> Form:
        make = {
            WINNER_ONLY: lambda options, situation: self._one_game((), situation),
            GAMES: self._games_ways,
            POINTS: self._points_ways,
        }
        return Form(
            rulebook=self.id,
            ways=tuple(make[self.rules.match.report](options, situation)),
            worth=("points",) if self.rules.points.table or self.rules.points.bonus else (),
            direct=True,
            games=self._wins(situation.stage, options) if self.rules.match.report == GAMES else 1,
        )

    def _one_game(self, won: tuple[Step, ...], situation: base.MatchSituation) -> list[WayToEnd]:
        """Whoever has won opens; what is level has to be stated."""
        rules, undecided = self.rules, self.rules.undecided
        ways = [WayToEnd("played", AT_ANY_TIME, records.PLAYED, won, winner=OPENER)]
        if any(bonus.ended == records.TIME for bonus in rules.points.bonus):
            ways = [
                WayToEnd("time", AT_TIME, records.TIME, won, winner=OPENER),
                WayToEnd("played", BEFORE_TIME, records.PLAYED, won, winner=OPENER),
            ]
        ways.append(WayToEnd("conceded", AT_ANY_TIME, records.CONCESSION, won))
        if situation.knockout:
            return ways
        if undecided != ASK:
            ways.append(WayToEnd(undecided, AT_TIME, records.TIME, (), winner=DRAWN))
        return [*ways, *self._agreed(())]

    def _agreed(self, figures: tuple[Step, ...]) -> list[WayToEnd]:
        """A draw by agreement, where there may be one."""
        if self.rules.match.draws != ANY_TIME:
            return []
        return [WayToEnd("agreed", BEFORE_TIME, records.PLAYED, figures, winner=DRAWN)]

    def _games_ways(self, options: base.Options, situation: base.MatchSituation) -> list[WayToEnd]:
        wins = self._wins(situation.stage, options)
        won = Figure("score", WINNER, wins, wins, wins, (1,), asked=False)
        others = Figure("score", LOSER, 0, wins - 1, 0, (1,), asked=wins > 1)
        if wins == 1:
            return self._one_game((won, others), situation)
        so_far: tuple[Step, ...] = tuple(Figure("score", whose, 0, wins - 1, 0, (1,)) for whose in (WINNER, LOSER))
        drawn: tuple[Step, ...] = ()
        if self.rules.match.drawn_games:
            drawn = (Choice(DRAWN_KEY, "form.drawn_games", tuple(map(str, range(2 * wins)))),)
        return [
            WayToEnd("time", AT_TIME, records.TIME, (*so_far, *drawn, *self._level_steps(records.TIME, situation))),
            WayToEnd("played", AT_ANY_TIME, records.PLAYED, (won, others, *drawn)),
            WayToEnd("conceded", AT_ANY_TIME, records.CONCESSION, (won, others, *drawn)),
            *([] if situation.knockout else self._agreed((*so_far, *drawn))),
        ]

    def _points_ways(self, options: base.Options, situation: base.MatchSituation) -> list[WayToEnd]:
        figures = tuple(
            Figure(each.key, whose, 0, each.maximum, each.default, _wheels(each))
            for each in self.rules.match.figure
            for whose in (WINNER, LOSER)
        )
        return [
            WayToEnd("time", AT_TIME, records.TIME, (*figures, *self._level_steps(records.TIME, situation))),
            WayToEnd("played", AT_ANY_TIME, records.PLAYED, (*figures, *self._level_steps(records.PLAYED, situation))),
            WayToEnd("conceded", AT_ANY_TIME, records.CONCESSION, figures),
        ]

    def _level_steps(self, ended: str, situation: base.MatchSituation) -> tuple[Step, ...]:
        """Who won a match that is level: asked where the rules leave it to the table."""
        if situation.knockout:
            asks = self.rules.time.knockout == ASK
        elif ended == records.TIME:
            asks = self.rules.undecided == ASK
        else:
            asks = self.rules.match.draws == NEVER and self.rules.undecided == ASK
        if not asks:
            return ()
        return (
            *(Comparison(key, (key,)) for key in self._deciding),
            Choice("winner", f"form.{TIE_KEY}", records.SIDES),
            WinnerByAnswer(TIE_KEY, "winner"),
        )

    # --- what may stand ---

    def check_new(
        self, result: records.Result, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND
    ) -> None:
        match = self.rules.match
        more = tuple(key for key in match.figures if key != "score")
        base.refuse_unknown_keys(result, self.title, (*more, *(("timeout",) if match.drawn_games else ())))
        wins = self._wins(situation.stage, options)
        if match.report == GAMES:
            base.refuse_figure_range("score", result.score, 0, wins)
            if result.score == records.SidePair(wins, wins):
                raise Problem("both_won", where="/score", n=wins)
        elif match.report == POINTS:
            for each in match.figure:
                base.refuse_figure_range(each.key, result.figures.get(each.key, records.SidePair()), 0, each.maximum)
        else:
            base.refuse_figure_range("score", result.score, 0, 0)
        winner = self.elimination_winner(result, options, "a") if situation.knockout else self.winner(result, options)
        if result.ended == records.RULING:
            return
        self._refuse_unasked_winner(result, situation)
        if winner == DRAW and result.ended == records.PLAYED and match.draws != ANY_TIME:
            raise Problem("draw_before_time", where="/winner")
        if match.report == GAMES and wins > 1:
            self._refuse_unfinished(result, winner, wins)

    def _refuse_unasked_winner(self, result: records.Result, situation: base.MatchSituation) -> None:
        """A level match has a winner only where the table is asked for one."""
        named = result.winner in records.SIDES and result.ended != records.CONCESSION
        if not named or self.rules.match.report == WINNER_ONLY or self._ahead(result) != DRAW:
            return
        if not self._level_steps(result.ended, situation):
            score = result.score
            if situation.knockout:
                raise Problem("rank_decides", where="/winner", a=score.a, b=score.b)
            raise Invalid(
                "winner_contradicts_score", where="/winner", winner=result.winner, a=score.a, b=score.b, right=DRAW
            )

    def _refuse_unfinished(self, result: records.Result, winner: str, wins: int) -> None:
        """A match that was played out has a winner of so many games, one at time has none; who has them concedes no
        more."""
        score = result.score
        if result.ended == records.TIME:
            base.refuse_figure_range("score", score, 0, wins - 1)
        if result.ended == records.CONCESSION:
            if result.conceded_by is not None and score.of(result.conceded_by) >= wins:
                raise Problem("conceded_after_winning", where=f"/score/{result.conceded_by}", n=wins)
        elif result.ended == records.PLAYED and winner != DRAW and wins not in (score.a, score.b):
            raise Problem("games_unfinished", where="/score", a=score.a, b=score.b, n=wins)


def drawn_games(result: records.Result) -> int:
    """How many games of the match were drawn, as the table said."""
    told = (result.timeout or {}).get(DRAWN_KEY, NO_DRAWN_GAMES)
    return int(told) if isinstance(told, str) and told.isdecimal() and len(told) < 3 else 0


def _wheels(figure: FigureRule) -> tuple[int, ...]:
    """The place values that the figure is dialled by: the first wheel runs on to 19."""
    places = [place for place in (1000, 100, 10) if figure.maximum >= 2 * place or place == 10 <= figure.maximum]
    return (*places, 1)


def _tiebreakers(rules: Rules) -> tuple[Tiebreaker, ...]:
    """By keys of their own: a way that stands there again has its number behind it."""
    ways = [each.by for each in rules.tiebreakers]
    named = []
    for at, each in enumerate(rules.tiebreakers):
        count = ways[: at + 1].count(each.by)
        plain = {key: value for key, value in asdict(each).items() if key in TiebreakRule.__struct_fields__}
        named.append(Tiebreaker(key=each.by if count == 1 else f"{each.by}_{count}", **plain))
    return (*named, LOT)


def _scoring(rules: Rules, wins: int) -> Scoring:
    """`wins`: won games that end a Swiss match, as many as a bye has."""
    bye, games = rules.bye, None
    figures = {str(key): pair for key, pair in bye.figures.items()}
    won = {str(key): pair for key, pair in bye.won_figures.items()}
    if rules.match.report != POINTS:
        games = bye.score or (wins, 0)
        figures = won = {"score": games} if rules.match.report == GAMES else {}
    return Scoring(
        points=rules.points,
        tiebreakers=_tiebreakers(rules),
        bye_points=bye.points,
        bye=figures,
        won_bye=won,
        both_lose=rules.both_lose.points,
        bye_games=games,
    )


@lru_cache(maxsize=64)
def own_rulebook(rules_text: str) -> OwnRulebook:
    """The rulebook of these rules, as canonical JSON. Raises MalformedMessage."""
    rules = rules_from_json(rules_text)
    by_wins = {games // 2 + 1: _scoring(rules, games // 2 + 1) for games in _games_allowed(rules)}
    lines = tuple(base.Structure(low, high or None, rounds, cut) for low, high, rounds, cut in rules.structure.lines)
    everybody, ways = rules.pairing.rounds == EVERYBODY, {each.by for each in rules.tiebreakers}
    defaults: dict[str, Any] = {"structure": "basic" if lines else base.OWN, "late_minutes": 10, "tables": "leaders"}
    parts: dict[str, Any] = {
        "__doc__": rules.name,
        "__module__": __name__,
        "rules": rules,
        "counted_by": by_wins,
        "id": rules_id(rules),
        "title": rules.name,
        "points_unit": rules.points.unit,
        "tiebreakers": _tiebreakers(rules),
        "bye_after_round_1": rules.bye.order,
        "stage_minutes": rules.time.stage_minutes,
        "extra_minutes": rules.time.extra,
        "structures": {"basic": lines} if lines else {},
        "option_defaults": {**defaults, **({"lists_required": True} if rules.list.asked == "required" else {})},
        "best_of": _games_allowed(rules),
        "leaving_asks": rules.match.figures if rules.match.report == POINTS else (),
        "lists": OwnList(rules),
        "shares_sides": rules.sides is not None and rules.sides.balance,
        "everybody": everybody,
        "house_decisions": (
            *(key for key in OwnRulebook.house_decisions if not everybody or key not in OwnRulebook.no_round_robin),
            *(["decision.sos_details"] if {"sos", "extended_sos"} & ways else []),
        ),
    }
    made: type[OwnRulebook] = type("OwnGame", (OwnRulebook,), parts)
    return made()


def _games_allowed(rules: Rules) -> tuple[int, ...]:
    usual = rules.match.best_of
    return (usual, *(games for games in (1, 3, 5) if games != usual and rules.match.report == GAMES))
