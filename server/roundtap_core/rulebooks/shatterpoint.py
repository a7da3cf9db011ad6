"""Shatterpoint Premier Showdown: struggles, wounds and squads. Rules and lists by the Polish document."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from roundtap_core import records
from roundtap_core.clock import Phase
from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import ANY_TIME, AT_TIME, Form, WayToEnd
from roundtap_core.forms.questions import LOSER, WINNER, Bonus, Comparison, Figure, Picks, Step
from roundtap_core.lists import list_form
from roundtap_core.lists.list_form import squad_letter
from roundtap_core.rulebooks import base
from roundtap_core.rulebooks.scoring import DRAW, LOT, SOS, Points, Scoring, Tiebreaker

SQUADS = 4

STRUGGLES_TO_WIN, MOST_WOUNDS, MOST_OBJECTIVES = 2, 99, 9
FREE_WIN = records.SidePair(2, 3)  # what a bye gives and a concession gives at least: struggles won, wounds inflicted

SCORING = Scoring(
    Points(win=3, draw=1),
    (
        Tiebreaker(key="struggles", by="own", of="score"),
        SOS,
        Tiebreaker(key="wounds", by="own", of="wounds"),
        LOT,
    ),
    bye={"score": (FREE_WIN.a, 0), "wounds": (FREE_WIN.b, 0)},
)


def squad_key(number: int) -> str:
    """Where squad 1, 2, 3 or 4 stands in a list; its number is what picks and slips name it by."""
    return f"squad_{number}"


class ShatterpointList(list_form.ListCheck):
    """{"mission": name, "squad_1" … "squad_4": [{"name": unit, "unique_names": [...]}]}. People judge whether a squad
    is legal in the core game. A fifth squad has its own message."""

    also = list_form.ListCheck.also | {f"squad_{number}" for number in range(SQUADS + 1, 10)}

    def form(self, options: Mapping[str, Any]) -> list_form.ListForm:
        units = (list_form.ListField("name", label="unit"), list_form.ListField("unique_names", list_form.NAMES))
        squads = (
            list_form.ListTable(squad_key(n), units, 3, label="squad", number=squad_letter(n))
            for n in range(1, SQUADS + 1)
        )
        return list_form.ListForm(fields=(list_form.ListField("mission"),), lines=tuple(squads))

    def wrong(self, list_: list_form.ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """ "Tworzenie listy": no unit whose name, or unique name, already stands in one of the four squads."""
        surplus = [key for key in list_ if key.startswith("squad_") and key not in map(squad_key, range(1, SQUADS + 1))]
        problems = [Problem("list_squad_surplus", where=f"/{key}", wanted=SQUADS) for key in surplus]
        return [*problems, *_unit_problems(list_), *_unique_problems(list_)]

    def missing(self, list_: list_form.ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        problems = [] if list_form.text_at(list_, "mission") else [Problem("list_mission_missing", where="/mission")]
        for number in range(1, SQUADS + 1):
            units = list_form.rows_at(list_, squad_key(number))
            if not units:
                problems.append(
                    Problem("list_squad_missing", where=f"/{squad_key(number)}", number=squad_letter(number))
                )
            problems += [
                Problem("list_line_name_missing", where=f"/{squad_key(number)}/{index}/name", line=index + 1)
                for index, unit in units
                if not list_form.text_at(unit, "name")
            ]
        return problems


def _units(list_: list_form.ListData) -> Iterator[tuple[int, int, list_form.ListData]]:
    for number in range(1, SQUADS + 1):
        yield from ((number, index, unit) for index, unit in list_form.rows_at(list_, squad_key(number)))


def _unit_problems(list_: list_form.ListData) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, index, unit in _units(list_):
        name = list_form.text_at(unit, "name")
        if name and list_form.fold(name) in first:
            yield Problem(
                "list_unit_twice",
                where=f"/{squad_key(number)}/{index}/name",
                line=index + 1,
                name=name,
                first=squad_letter(first[list_form.fold(name)]),
            )
        first.setdefault(list_form.fold(name), number)


def _unique_problems(list_: list_form.ListData) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, index, unit in _units(list_):
        for place, name in enumerate(list_form.names_at(unit, "unique_names")):
            if list_form.fold(name) in first:
                yield Problem(
                    "list_unique_in_squads",
                    where=f"/{squad_key(number)}/{index}/unique_names/{place}",
                    line=index + 1,
                    name=name,
                    first=squad_letter(first[list_form.fold(name)]),
                )
            first.setdefault(list_form.fold(name), number)


class ShatterpointPremier(base.Rulebook):
    """Sections in the docstrings are the headings of the document."""

    id = "shatterpoint-premier"
    title = "Shatterpoint Premier Showdown"
    document = "Star Wars: Shatterpoint, Premier Showdown event, 04.08.2023 (pl)"
    listed = 50
    tiebreakers = SCORING.tiebreakers
    bye_after_round_1 = base.BYE_RANDOM_LOWEST
    stage_minutes = {"swiss": 120, "elimination": 120, "final": 120, "third_place": 120}
    phases = (Phase("phase.key", 30),)
    extra_minutes = (0, 5)
    levels = ("relaxed", "formal", "premium")
    structures = {
        "basic": (
            base.Structure(4, 4, 3, 0),
            base.Structure(5, 16, 4, 0),
            base.Structure(17, 32, 4, 4),
            base.Structure(33, 64, 4, 8),
            base.Structure(65, None, 5, 16),
        ),
    }
    second_stages = (records.ELIMINATION, records.SECOND_SWISS)
    squads = base.Squads(listed=4, taken=2)
    leaving_asks = ("score", "wounds", "picks")
    option_defaults = {"structure": "basic", "lists_required": True, "late_minutes": 10, "tables": "leaders"}
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
        "decision.both_lose_struggles",
        "decision.structure_counts_checked_in",
        "decision.sos_details",
        "decision.shatterpoint_key_phase",
        "decision.shatterpoint_extra_minutes",
        "decision.shatterpoint_second_stage",
        "decision.shatterpoint_drawn_elimination",
    )
    officials_play = {"*": base.NO}
    ticks = {"*": ("replacements",)}
    before_play = ("before.two_squads", "before.order_decks")
    disqualified_by = (base.JUDGE, base.HEAD_JUDGE, base.ORGANIZER)
    warnings_until_proposal = 3
    judge_required = True
    head_judge_proposed_from = 33
    lists: ClassVar[list_form.ListCheck] = ShatterpointList()

    def counted(self, result: records.Result, wins: int = 0) -> records.Result:
        """ "Poddanie": after a concession the winner has at least 2 struggles and 3 wounds."""
        if result.ended != records.CONCESSION or result.conceded_by is None:
            return result
        winner, wounds = records.other_side(result.conceded_by), result.wounds or records.SidePair()
        return replace(
            result,
            score=replace(result.score, **{winner: max(result.score.of(winner), FREE_WIN.a)}),
            wounds=replace(wounds, **{winner: max(wounds.of(winner), FREE_WIN.b)}),
        )

    def winner(self, result: records.Result, options: base.Options) -> str:
        """ "Koniec pojedynku": more struggles won, then more wounds inflicted, else a draw."""
        if (stated := base.stated_winner(result)) is not None:
            return stated
        wounds = result.wounds or records.SidePair()
        by_figures = base.leading_side(wounds if result.score.a == result.score.b else result.score)
        if result.winner not in (None, by_figures):
            raise Problem(
                "winner_contradicts_wounds",
                where="/winner",
                winner=result.winner,
                a=result.score.a,
                b=result.score.b,
                wounds_a=wounds.a,
                wounds_b=wounds.b,
                right=by_figures,
            )
        return by_figures

    def elimination_winner(self, result: records.Result, options: base.Options, better: records.Side) -> str:
        """House decision: a drawn elimination game goes to the better Swiss rank."""
        winner = self.winner(result, options)
        return better if winner == DRAW else winner

    def scoring(self, options: base.Options) -> Scoring:
        """ "Punkty turniejowe": 3, 1, 0; a bye is a win with 2 struggles and 3 wounds."""
        return SCORING

    def counted_figures(
        self, match: records.Match, options: base.Options, totals: base.ListTotals
    ) -> Mapping[str, records.SidePair]:
        assert match.result is not None
        counted = self.counted(match.result)
        return {"score": counted.score, "wounds": counted.wounds or records.SidePair()}

    def form(self, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND) -> Form:
        """Each side answers for itself. At time ("Limit czasowy") the marker may have won the struggle; if not, the
        side controlling more objectives wins it."""
        squads = tuple(Picks("picks", whose, self.squads.listed, self.squads.taken) for whose in (WINNER, LOSER))
        struggles, before = (
            tuple(Figure("score", whose, 0, most, 0, (1,)) for whose in (WINNER, LOSER))
            for most in (STRUGGLES_TO_WIN, STRUGGLES_TO_WIN - 1)
        )
        wounds = tuple(Figure("wounds", whose, 0, MOST_WOUNDS, 0, (10, 1)) for whose in (WINNER, LOSER))
        struggle = tuple(Figure("struggle", whose, 0, 1, 0, (1,)) for whose in (WINNER, LOSER))
        objectives = tuple(
            Figure("objectives", whose, 0, MOST_OBJECTIVES, 0, (1,), only_if=("struggle", 0))
            for whose in (WINNER, LOSER)
        )
        played: tuple[Step, ...] = (*squads, *struggles, *wounds)
        at_time: tuple[Step, ...] = (
            *squads,
            *before,
            *struggle,
            Bonus("struggle", "struggle", "score"),
            *objectives,
            Bonus("objectives", "objectives", "score"),
            *wounds,
            Comparison("struggles", ("score",)),
            Comparison("wounds", ("wounds",)),
        )
        return Form(
            rulebook=self.id,
            ways=(
                WayToEnd("time", AT_TIME, records.TIME, at_time),
                WayToEnd("played", ANY_TIME, records.PLAYED, played),
                WayToEnd("conceded", ANY_TIME, records.CONCESSION, played),
            ),
            worth=("points",),
            direct=True,
            parallel=True,
        )

    def has_won(
        self, result: records.Result, side: records.Side, options: base.Options, situation: base.MatchSituation
    ) -> bool:
        """ "Zwycięstwo": two struggles."""
        return result.score.of(side) >= STRUGGLES_TO_WIN

    def check_new(
        self, result: records.Result, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND
    ) -> None:
        """Two struggles win the game ("Zwycięstwo"), so before time one side has two. Every match played fields two of
        the four squads per side ("Nie możesz uciec…")."""
        base.refuse_unknown_keys(result, self.id, ("wounds", "picks", "timeout"))
        base.refuse_figure_range("score", result.score, 0, STRUGGLES_TO_WIN)
        base.refuse_figure_range("wounds", result.wounds or records.SidePair(), 0, MOST_WOUNDS)
        if result.score == records.SidePair(STRUGGLES_TO_WIN, STRUGGLES_TO_WIN):
            raise Problem("both_won", where="/score", n=STRUGGLES_TO_WIN)
        if result.ended == records.PLAYED and STRUGGLES_TO_WIN not in (result.score.a, result.score.b):
            raise Invalid("nobody_has_won", where="/score", a=result.score.a, b=result.score.b, n=STRUGGLES_TO_WIN)
        if (result.timeout or {}).get("struggle") == {"a": 1, "b": 1}:
            raise Invalid("struggle_of_both", where="/timeout/struggle")
        for side, squads in (result.picks or {}).items():
            self.check_picks(squads, f"/picks/{side}")
        if result.ended != records.RULING:
            for side in records.SIDES:
                if not (result.picks or {}).get(side):
                    raise Invalid("picks_missing", where=f"/picks/{side}", take=self.squads.taken)
        self.winner(result, options)

    def check_picks(self, picks: object, where: str) -> None:
        """ "Wybór grupy uderzeniowej": two different ones of the four squads."""
        good = (
            isinstance(picks, list | tuple)
            and all(type(squad) is int and 1 <= squad <= self.squads.listed for squad in picks)
            and len(picks) == len(set(picks)) == self.squads.taken
        )
        if not good:
            raise Invalid("picks_wrong", where=where, take=self.squads.taken, of=self.squads.listed)
