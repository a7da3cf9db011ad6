"""The base class of all rulebooks: figures and rules of a document; no I/O, no randomness."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

from msgspec import Struct

from roundtap_core import records
from roundtap_core.clock import Phase
from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import Form
from roundtap_core.lists.list_form import ListCheck
from roundtap_core.rulebooks.scoring import DRAW, LOSS, WIN, Scoring, Tally, Tiebreaker, points_text, value_text

Options = Mapping[str, Any]
ListTotals = Mapping[str, int]  # competitor → the cost of the list, where known

NO_TOTALS: ListTotals = MappingProxyType({})

BYE_LAST, BYE_RANDOM_LOWEST = "last", "random-lowest"

OWN = "own"  # the structure that every rulebook allows: rounds and cut as the organizer announces

FIRST_PLAYER, INITIATIVE = "first_player", "initiative"  # what a lot may have to decide before a game

BY_LOT = "lot"

NO, WITH_SECOND = "no", "with_second"
"""Whether officials may play: never, or with a second official announced at the start."""

ORGANIZER, HEAD_JUDGE, JUDGE = "organizer", "head_judge", "judge"


class Structure(Struct, frozen=True):
    """One line of a structure table: this many players, Swiss rounds and cut (0: none)."""

    at_least: int
    at_most: int | None
    swiss_rounds: int
    cut: int


BASIC_AND_ADVANCED: Mapping[str, tuple[Structure, ...]] = {
    "basic": (
        Structure(4, 8, 3, 0),
        Structure(9, 16, 4, 0),
        Structure(17, 24, 4, 4),
        Structure(25, 40, 5, 4),
        Structure(41, 44, 5, 8),
        Structure(45, 76, 6, 8),
        Structure(77, 148, 6, 16),
        Structure(149, None, 7, 16),
    ),
    "advanced": (
        Structure(9, 12, 4, 4),
        Structure(13, 24, 4, 8),
        Structure(25, 40, 5, 8),
        Structure(41, 76, 6, 8),
        Structure(77, 148, 6, 16),
        Structure(149, 288, 6, 32),
        Structure(289, 512, 7, 32),
        Structure(513, None, 8, 32),
    ),
}
"""The structure tables that two documents print alike ("Turnierstrukturen", "Estructuras de torneos")."""


class MatchSituation(Struct, frozen=True):
    """Where a match stands: its stage ("swiss", "elimination", "final", "third_place", "tiebreak"), the list costs of a
    and b (None: unknown), and the houses of their decks (empty: unknown)."""

    stage: str = records.SWISS
    totals: tuple[int | None, int | None] = (None, None)
    houses: tuple[tuple[str, ...], tuple[str, ...]] | None = None

    @property
    def knockout(self) -> bool:
        """Whether one side has to advance, so that nothing can be shared."""
        return self.stage not in records.SWISS_STAGES

    def list_totals(self, match: records.Match) -> ListTotals:
        """The known `totals` by competitor of this match."""
        both = zip((match.a, match.b or ""), self.totals, strict=True)
        return {who: total for who, total in both if total is not None}


SWISS_ROUND = MatchSituation()


class AidFigure(Struct, frozen=True):
    """A whole number that a counting aid wants (the text "aid.AID.KEY"), or a tick: 1 for yes, 0 for no."""

    key: str
    minimum: int = 0
    maximum: int = 1
    tick: bool = False


class CountingAid(Struct, frozen=True):
    """A manual sum that a page can do for players: `worth` of the figures, by key. Texts: "aid.ID", "aid.ID.worth"."""

    id: str
    figures: tuple[AidFigure, ...]
    worth: Callable[[Mapping[str, int]], int]


class Squads(Struct, frozen=True):
    """Lists of so many squads, of which each round takes so many; every one has to be fielded once."""

    listed: int
    taken: int


class Rulebook:
    """Base class of the rulebooks. Subclasses set the class attributes and override the methods below. To use one:

    >>> from roundtap_core.forms.form import compose_result
    >>> from roundtap_core.rulebooks.registry import rulebook
    >>> book = rulebook("xwing-standard")
    >>> options = book.options({"squad_points": 100})
    >>> played, at_time, conceded = book.form(options).ways
    >>> result = compose_result(at_time, "a", {"score.winner": 88, "score.loser": 40})
    >>> book.tally(records.Match("ann", "bo", result=result), "a", options)
    Tally(points=1, outcome='win', figures={'mov': 148}, helpers={})
    """

    id: ClassVar[str]
    title: ClassVar[str]
    document: ClassVar[str]
    listed: ClassVar[int] = 100
    """Its place where all are listed, the least first; those of one place stand by their ids."""
    points_unit: ClassVar[str] = "whole"
    """ "half" where tournament points are counted in halves, and shown as halves."""
    tiebreakers: ClassVar[tuple[Tiebreaker, ...]]
    """In the order in which they are asked; the last one leaves no tie."""
    ties_start_again_at: ClassVar[str | None] = None
    """The tiebreaker at which a smaller tie left by a later one starts again."""
    bye_after_round_1: ClassVar[str]
    stage_minutes: ClassVar[Mapping[str, int]]
    levels: ClassVar[tuple[str, ...]]
    level_notes: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Level → the key of a text ("level.note.…"): what the document expects there, beside what the kit applies."""
    structures: ClassVar[Mapping[str, tuple[Structure, ...]]]
    option_defaults: ClassVar[Mapping[str, Any]]
    house_decisions: ClassVar[tuple[str, ...]]
    """Keys of texts ("decision.…") on what the document leaves open and the kit decided."""
    officials_play: ClassVar[dict[str, str]]  # level → NO or WITH_SECOND; "*" stands for every other level
    disqualified_by: ClassVar[tuple[str, ...]] = (ORGANIZER,)
    disqualification_proposed_by: ClassVar[tuple[str, ...]] = ()
    warnings_until_proposal: ClassVar[int | None] = None
    """At so many warnings the kit proposes a disqualification; a person decides."""
    judge_required: ClassVar[bool] = False
    head_judge_proposed_from: ClassVar[int | None] = None  # from so many players the kit proposes to name a head judge
    ticks: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """Level → what is inspected or declared before play and ticked off ("tick.sleeves"); "*": every level."""
    lists: ClassVar[ListCheck]
    phases: ClassVar[tuple[Phase, ...]] = ()
    extra_minutes: ClassVar[tuple[int, int] | None] = None
    """The fewest and most minutes that chance adds to a round, known to officials only until they run."""
    squads: ClassVar[Squads | None] = None
    leaving_asks: ClassVar[tuple[str, ...]] = ()
    """What a match conceded in mid-game still has to record; for "score" it stays open until that is known."""
    team_size: ClassVar[int] = 1
    best_of: ClassVar[tuple[int, ...]] = (1,)  # how many games a match may have, the usual first
    second_stages: ClassVar[tuple[str, ...]] = (records.ELIMINATION,)  # what may follow the cut, the usual first
    lots: ClassVar[tuple[str, ...]] = ()
    """What a lot may decide before a game: "first_player", or the chooser with equal lists ("initiative")."""
    before_play: ClassVar[tuple[str, ...]] = ()
    """Keys of texts ("before.…") for what players settle before a game; the kit announces it."""
    counting_aid: ClassVar[CountingAid | None] = None
    tiebreak_rounds: ClassVar[bool] = False
    """Whether ties at prize and cut places are played out after the last Swiss round."""
    tally_counts_lists: ClassVar[bool] = False
    """Whether what a result gives depends on who played it: on what their lists cost."""
    pairs_nearest: ClassVar[bool] = False
    """Whether its document pairs by the nearest points, and breaks a pair that has met by exchanging, not by groups."""
    shares_sides: ClassVar[bool] = False
    """Whether the two sides have names, and are shared out fairly after the pairing (`pairing.sides`)."""
    everybody: ClassVar[bool] = False
    """Whether everybody meets everybody: a round robin by the circle method (`pairing.everybody`)."""
    list_fortress: ClassVar[bool] = False  # whether List Fortress takes its events

    def options(self, given: Options) -> dict[str, Any]:
        """The event's options over this rulebook's defaults."""
        return {**self.option_defaults, **given}

    def check_options(self, given: Options) -> None:
        """Raise Problem for an option that this rulebook does not have, or beyond its document's limits."""
        structures = (*self.structures, OWN)
        if given.get("structure", OWN) not in structures:
            raise Invalid(
                "not_one_of", where="/options/structure", value=given["structure"], options=", ".join(structures)
            )
        for stage, values in given.get("stages", {}).items():
            games = values.get("best_of", self.best_of[0])
            if games not in self.best_of:
                raise Invalid(
                    "not_one_of",
                    where=f"/options/stages/{stage}/best_of",
                    value=games,
                    options=", ".join(map(str, self.best_of)),
                )

        second = given.get("second_stage", self.second_stages[0])
        if second not in self.second_stages:
            raise Invalid(
                "not_one_of", where="/options/second_stage", value=second, options=", ".join(self.second_stages)
            )

    def second_stage_rounds(self, qualified: int) -> int:
        """Swiss rounds of a second stage with so many players, from the structure's line for that number."""
        lines = [line for table in self.structures.values() for line in table]
        fitting = (
            line.swiss_rounds
            for line in lines
            if line.at_least <= qualified and (line.at_most is None or qualified <= line.at_most)
        )
        return next(fitting, _enough_rounds(qualified))

    def option_warnings(self, given: Options) -> list[Problem]:
        """Warnings for the organizer before these options are announced; none is forbidden."""
        return []

    @property
    def tiebreaker_keys(self) -> tuple[str, ...]:
        return tuple(tiebreaker.key for tiebreaker in self.tiebreakers)

    def points_text(self, points: int) -> str:
        """Tournament points as people read them."""
        return points_text(points, self.points_unit)

    def value_text(self, key: str, value: int | Fraction) -> str:
        """The value of one of its tiebreakers as people read it."""
        return value_text(next(each.by for each in self.tiebreakers if each.key == key), value, self.points_unit)

    def scoring(self, options: Options) -> Scoring:
        """What counts for the standings under these options."""
        raise NotImplementedError

    def tally(
        self, match: records.Match, side: records.Side, options: Options, totals: ListTotals = NO_TOTALS
    ) -> Tally:
        """What `match` (with a result, or a bye) gives the competitor at `side`."""
        scoring = self.scoring(options)
        if match.bye is not None:
            return scoring.free_round(match.bye)
        winner, ended = self.standing_outcome(match, options, totals)
        if winner == "none" and ended == records.RULING:
            return scoring.nothing(scoring.both_lose)
        outcome = WIN if winner == side else DRAW if winner == DRAW else LOSS
        pairs = self.counted_figures(match, options, totals)
        figures = {key: (pair.of(side), pair.of(records.other_side(side))) for key, pair in pairs.items()}
        return scoring.match(outcome, ended, figures)

    def standing_outcome(self, match: records.Match, options: Options, totals: ListTotals) -> tuple[str, str]:
        """The winner, and how the match ended, as both count for the standings."""
        assert match.result is not None
        return self.winner(match.result, options), match.result.ended

    def counted_figures(
        self, match: records.Match, options: Options, totals: ListTotals
    ) -> Mapping[str, records.SidePair]:
        """The figures as they count for the standings, by their keys."""
        return {}

    def counted(self, result: records.Result, wins: int = 0) -> records.Result:
        """The result with the figures as they count, as everybody reads it. `wins`: won games that end this match; 0:
        as many as usually."""
        return result

    def winner(self, result: records.Result, options: Options) -> str:
        """ "a", "b", "draw" or "none" (both lose). Raises Problem where neither figures nor a stated winner tell."""
        raise NotImplementedError

    def stated(self, result: records.Result, options: Options, situation: MatchSituation) -> str:
        """As `winner`, in a match of this stage: where the rank decides a level match, "draw"."""
        return self.winner(result, options)

    def elimination_winner(self, result: records.Result, options: Options, better: records.Side) -> str:
        """The side that advances in elimination, or "none" (both are out). `better`: the side of the better Swiss rank,
        for rulebooks with draws."""
        return self.winner(result, options)

    def cut_order(self, rows: Sequence[records.StandingsRow], seed: int) -> Sequence[str]:
        """All competitors in the order that decides the cut and its seeds: the standings."""
        return [row.competitor for row in rows]

    @property
    def own_cut_order(self) -> bool:
        """Whether the cut has an order of its own, to be shown separately."""
        return type(self).cut_order is not Rulebook.cut_order

    def chooses_initiative(self, situation: MatchSituation) -> str | None:
        """The side with the cheaper list, which chooses initiative; BY_LOT at equal cost; None if a cost is unknown or
        there is no such choice."""
        a, b = situation.totals
        if INITIATIVE not in self.lots or a is None or b is None:
            return None
        return BY_LOT if a == b else "a" if a < b else "b"

    def form(self, options: Options, situation: MatchSituation = SWISS_ROUND) -> Form:
        """The form of questions that a table asks."""
        raise NotImplementedError

    def has_won(self, result: records.Result, side: records.Side, options: Options, situation: MatchSituation) -> bool:
        """Whether by these figures `side` has already won by the document, whatever else is reported (section 9)."""
        return False

    def check_new(self, result: records.Result, options: Options, situation: MatchSituation = SWISS_ROUND) -> None:
        """Raise Problem for an impossible new result (recorded ones are not rejected)."""
        raise NotImplementedError

    def games(self, stage: str, options: Options) -> int:
        """How many games a match of this stage has at most: 1, 3 or 5."""
        return int(options.get("stages", {}).get(stage, {}).get("best_of", self.best_of[0]))

    def minutes(self, stage: str, options: Options) -> int | None:
        """The round's length in minutes, None for an untimed one; an option per stage overrides the rulebook. A second
        stage's Swiss rounds are as long as the first's."""
        stage = records.SWISS if stage in records.SWISS_STAGES else stage
        stages = options.get("stages", {})
        if "minutes" in stages.get(stage, {}):
            return stages[stage]["minutes"]  # type: ignore[no-any-return]
        return self.stage_minutes.get(stage, self.stage_minutes["swiss"])

    def structure(self, players: int, options: Options) -> tuple[int, int]:
        """(Swiss rounds, cut) for that many players checked in when round 1 is drawn; 0 Swiss rounds: elimination from
        the start. Raises Problem("no_structure") if the table has no line for so few, with a hint at "own"."""
        name = options.get("structure", "basic")
        given_rounds, given_cut = options.get("swiss_rounds"), options.get("cut")
        if name == OWN:
            return _enough_rounds(players) if given_rounds is None else given_rounds, given_cut or 0
        lines = self.structures.get(name, ())
        for line in lines:
            if line.at_least <= players and (line.at_most is None or players <= line.at_most):
                return (
                    line.swiss_rounds if given_rounds is None else given_rounds,
                    line.cut if given_cut is None else given_cut,
                )
        raise Problem(
            "no_structure",
            where="/options/structure",
            structure=name,
            players=players,
            fewest=min((line.at_least for line in lines), default=0),
        )

    def worth(
        self, match: records.Match, options: Options, situation: MatchSituation = SWISS_ROUND
    ) -> dict[str, tuple[int, int]]:
        """The derived values of a result for both sides, shown before confirmation: {"mov": (176, 24)}. Empty where it
        adds nothing to them, as in elimination and a tie-break, and where a result is missing or cannot be read."""
        if situation.knockout or match.result is None or match.b is None:
            return {}
        try:
            a, b = (self.tally(match, side, options, situation.list_totals(match)) for side in records.SIDES)
        except Problem:
            return {}
        values = {"points": (a.points, b.points), **{key: (a.figures[key], b.figures[key]) for key in a.figures}}
        return {key: values[key] for key in self.form(options, situation).worth}


def may_play(book: Rulebook, level: str | None) -> str | None:
    """Whether officials may play: NO, WITH_SECOND, or None if that depends on a level the event does not state."""
    policies = book.officials_play
    if level in policies:
        return policies[level]
    return policies["*"] if level or len(policies) == 1 else None


def stated_winner(result: records.Result) -> str | None:
    """The winner by ruling or concession, whatever the figures; None for a game that was played. Raises
    Problem("winner_contradicts_concession")."""
    if result.ended == records.RULING:
        return result.winner or "none"
    if result.ended == records.CONCESSION and result.conceded_by in records.SIDES:
        right = records.other_side("a" if result.conceded_by == "a" else "b")
        if result.winner not in (None, right):
            raise Problem("winner_contradicts_concession", where="/winner", winner=result.winner, right=right)
        return right
    return None


def named_winner(result: records.Result) -> str:
    """The winner that the record names. Raises Problem("winner_missing")."""
    if result.winner is None:
        raise Invalid("winner_missing", where="/winner")
    return result.winner


def winner_by_figures(result: records.Result, ahead: str) -> str:
    """`ahead`, unless the record names another winner. Raises Problem("winner_contradicts_score")."""
    if result.winner not in (None, ahead):
        score = result.score
        raise Invalid(
            "winner_contradicts_score", where="/winner", winner=result.winner, a=score.a, b=score.b, right=ahead
        )
    return ahead


def leading_side(pair: records.SidePair) -> str:
    """The side with more, or "draw"."""
    if pair.a == pair.b:
        return DRAW
    return "a" if pair.a > pair.b else "b"


def refuse_unknown_keys(result: records.Result, rulebook: str, keys: tuple[str, ...]) -> None:
    """Raise Problem("not_of_this_rulebook") for a key of `result` that a rulebook does not know."""
    for key in (*records.SECOND_FIGURES, "initiative", "first_player", "picks", "timeout"):
        if key not in keys and getattr(result, key) is not None:
            raise Problem("not_of_this_rulebook", where=f"/{key}", key=key, rulebook=rulebook)


def refuse_figure_range(key: str, pair: records.SidePair, minimum: int, maximum: int) -> None:
    """Raise Problem("figure_out_of_range") for a figure of either side."""
    for side in records.SIDES:
        if not minimum <= pair.of(side) <= maximum:
            raise Invalid(
                "figure_out_of_range", where=f"/{key}/{side}", value=pair.of(side), minimum=minimum, maximum=maximum
            )


def _enough_rounds(players: int) -> int:
    """Rounds until one player is left without a loss: ceil(log2 players), at least one."""
    return max(1, (players - 1).bit_length())
