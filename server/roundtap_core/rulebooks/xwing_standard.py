"""X-Wing standard: 100 points, win or loss, margin of victory. Rules and squad lists by the German document."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from msgspec.structs import replace

from roundtap_core import records
from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import ANY_TIME, AT_TIME, BEFORE_TIME, Form, WayToEnd
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Comparison, Figure, WinnerByAnswer
from roundtap_core.lists import list_form
from roundtap_core.rulebooks import base
from roundtap_core.rulebooks.scoring import LOT, SOS, Points, Scoring, Tiebreaker

FACTIONS = ("Rebel", "Imperial", "Scum and Villainy")
DAMAGE_DECKS = ("original", "the-force-awakens")
OBSTACLES = (*(f"asteroid-{n}" for n in range(1, 13)), *(f"debris-{n}" for n in range(1, 7)))
"""Twelve asteroids of the two core sets, six debris clouds of two expansions."""
OBSTACLES_WANTED = 3

SHIPS = list_form.ListTable(
    "ships",
    (
        list_form.ListField("count", list_form.NUMBER, minimum=1, maximum=99, usual=1),
        list_form.ListField("name", label="pilot"),
        list_form.ListField("ship"),
        list_form.ListField("points", list_form.NUMBER),
        list_form.ListField("upgrades", list_form.NAMES),
        list_form.ListField("faction", list_form.CHOICE, FACTIONS),
    ),
)


class XWingStandardList(list_form.ListCheck):
    """{"faction", "total", "damage_deck", "obstacles": [3], "ships": [{"count", "name", "ship", "points", "upgrades",
    "faction"}]}; `points` are one ship's with its upgrades, `faction` only where written."""

    def form(self, options: Mapping[str, Any]) -> list_form.ListForm:
        """ "Jägerstaffellisten": ships with upgrades, total, damage deck, obstacles."""
        return list_form.ListForm(
            fields=(
                list_form.ListField("faction", list_form.CHOICE, FACTIONS),
                list_form.ListField("damage_deck", list_form.CHOICE, DAMAGE_DECKS),
                list_form.ListField("obstacles", list_form.NAMES, OBSTACLES, count=OBSTACLES_WANTED),
                list_form.ListField("total", list_form.NUMBER, maximum=9999),
            ),
            lines=(SHIPS,),
        )

    def wrong(self, list_: list_form.ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """ "Zusammenstellung von Jägerstaffeln": at most 100 points, and three obstacles of which no two are alike."""
        return [
            *total_problems(list_, options["squad_points"]),
            *_obstacle_problems(list_form.names_at(list_, "obstacles")),
            *_faction_problems(list_),
        ]

    def missing(self, list_: list_form.ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """ "Jägerstaffellisten": what a submitted list includes."""
        checks = (
            (list_form.text_at(list_, "faction"), Problem("list_faction_missing", where="/faction")),
            (list_form.text_at(list_, "damage_deck"), Problem("list_damage_deck_missing", where="/damage_deck")),
            (
                list_form.names_at(list_, "obstacles"),
                Problem("list_obstacles_missing", where="/obstacles", wanted=OBSTACLES_WANTED),
            ),
        )
        return [*missing_squad(list_), *(problem for is_there, problem in checks if not is_there)]

    def total(self, list_: list_form.ListData) -> int | None:
        return squad_total(list_)

    def completed(self, list_: list_form.ListData) -> dict[str, Any]:
        return with_total(list_)

    def event_warnings(self, competitors: Sequence[records.Competitor], options: Mapping[str, Any]) -> list[Problem]:
        """ "Jägerstaffellisten": a card that shares name and cost with another names its product in brackets. Such
        cards are not marked; but where one list names the product, another without it is unclear."""
        cards = [
            (where, line, name)
            for c, competitor in enumerate(competitors)
            for where, line, name in _cards(competitor.list or {}, f"/{c}/list")
        ]
        told = {
            list_form.fold(list_form.without_product(name)): name for _, _, name in cards if list_form.has_product(name)
        }
        return [
            Problem("list_which_product", where=where, line=line, name=name, example=told[list_form.fold(name)])
            for where, line, name in cards
            if not list_form.has_product(name) and list_form.fold(name) in told
        ]


def squad_total(list_: list_form.ListData) -> int | None:
    """The total as written, else as counted from the ships."""
    stated = list_form.number_at(list_, "total")
    return list_form.total_points(ship for _, ship in list_form.rows_at(list_, "ships")) if stated is None else stated


def with_total(list_: list_form.ListData) -> dict[str, Any]:
    """The list with its total added, if every ship has points."""
    total = squad_total(list_)
    return dict(list_) if total is None else {**list_, "total": total}


def total_problems(list_: list_form.ListData, maximum: int) -> Iterator[Problem]:
    """The total is what the ships cost, and at most `maximum`."""
    stated, counted = (
        list_form.number_at(list_, "total"),
        list_form.total_points(ship for _, ship in list_form.rows_at(list_, "ships")),
    )
    if stated is not None and counted is not None and stated != counted:
        yield Problem("list_total_differs", where="/total", total=stated, counted=counted)
    if stated is not None and stated > maximum:
        yield Problem("list_over_points", where="/total", total=stated, maximum=maximum)
    elif counted is not None and counted > maximum:
        yield Problem("list_over_points", where="/ships", total=counted, maximum=maximum)


def missing_squad(list_: list_form.ListData) -> Iterator[Problem]:
    """Ships, each with its name and points, and their total."""
    ships = list_form.rows_at(list_, "ships")
    if not ships:
        yield Problem("list_ships_missing", where="/ships")
    for index, ship in ships:
        if not list_form.text_at(ship, "name") and not list_form.text_at(ship, "ship"):
            yield Problem("list_line_name_missing", where=f"/ships/{index}/name", line=index + 1)
        if list_form.number_at(ship, "points") is None:
            yield Problem("list_line_points_missing", where=f"/ships/{index}/points", line=index + 1)
    if list_form.number_at(list_, "total") is None:
        yield Problem("list_total_missing", where="/total")


def _faction_problems(list_: list_form.ListData) -> Iterator[Problem]:
    """ "Zusammenstellung von Jägerstaffeln": all ships are of one faction; a line that names another is at fault."""
    squad = list_form.text_at(list_, "faction")
    for index, ship in list_form.rows_at(list_, "ships"):
        own = list_form.text_at(ship, "faction")
        squad = squad or own
        if own and own != squad:
            yield Problem("list_line_faction", where=f"/ships/{index}/faction", line=index + 1, own=own, squad=squad)


def _obstacle_problems(chosen: list[str]) -> Iterator[Problem]:
    if chosen and len(chosen) != OBSTACLES_WANTED:
        yield Problem("list_obstacles_count", where="/obstacles", count=len(chosen), wanted=OBSTACLES_WANTED)
    for place, obstacle in enumerate(chosen):
        first = chosen.index(obstacle)
        if first != place:
            yield Problem(
                "list_obstacle_twice",
                where=f"/obstacles/{place}",
                line=place + 1,
                first=first + 1,
                wanted=OBSTACLES_WANTED,
            )


def _cards(list_: list_form.ListData, where: str) -> Iterator[tuple[str, int, str]]:
    for index, ship in list_form.rows_at(list_, "ships"):
        if list_form.text_at(ship, "name"):
            yield f"{where}/ships/{index}/name", index + 1, list_form.text_at(ship, "name")
        for upgrade, name in enumerate(list_form.names_at(ship, "upgrades")):
            yield f"{where}/ships/{index}/upgrades/{upgrade}", index + 1, name


def ship_points(cost: int, large: bool, life: int, damage: int) -> int:
    """ "Berechnung der Siegpunkte": what an enemy ship with `damage` of `life` (hull and shields, upgrades included)
    gives; `cost` includes its upgrades. A large one below half gives half of it, rounded down."""
    if damage >= life:
        return cost
    return cost // 2 if large and 2 * damage > life else 0


@lru_cache(maxsize=64)
def margin_scoring(points: Points, tiebreakers: tuple[Tiebreaker, ...], squad_points: int, bye: int) -> Scoring:
    """Points and margin of victory: what a squad costs ± the difference; a bye is worth `bye`, a won one two squads."""
    margins = tuple(
        replace(tiebreaker, base=squad_points) if tiebreaker.key == "mov" else tiebreaker for tiebreaker in tiebreakers
    )
    return Scoring(points, margins, bye={"score": (bye, 0)}, won_bye={"score": (2 * squad_points, 0)})


MARGIN = Tiebreaker(key="mov", by="difference", of="score")


class XWingStandard(base.Rulebook):
    """Sections in the docstrings are the headings of the document."""

    id = "xwing-standard"
    title = "X-Wing (100)"
    document = "Star Wars: X-Wing Miniaturen-Spiel, Turnierregeln (de)"
    listed = 10
    list_fortress = True
    tiebreakers = (MARGIN, SOS, LOT)
    bye_after_round_1 = base.BYE_LAST
    stage_minutes = {"swiss": 75, "elimination": 75, "final": 120, "third_place": 75}
    levels = ("relaxed", "formal", "premium")
    level_notes: ClassVar[dict[str, str]] = {
        "relaxed": "level.note.any_experience",
        "formal": "level.note.know_rules",
        "premium": "level.note.know_documents",
    }
    officials_play = {"relaxed": base.WITH_SECOND, "*": base.NO}
    disqualification_proposed_by = (base.HEAD_JUDGE,)
    lists: ClassVar[list_form.ListCheck] = XWingStandardList()
    structures = base.BASIC_AND_ADVANCED
    leaving_asks = ("score",)
    lots = (base.INITIATIVE,)
    before_play = ("before.wait_for_start", "before.initiative")
    counting_aid = base.CountingAid(
        "ship",
        (
            base.AidFigure("cost", 0, 999),
            base.AidFigure("life", 1, 99),
            base.AidFigure("damage", 0, 99),
            base.AidFigure("large", tick=True),
        ),
        lambda ship: ship_points(ship["cost"], bool(ship["large"]), ship["life"], ship["damage"]),
    )
    option_defaults = {"structure": "basic", "squad_points": 100, "late_minutes": 10, "tables": "leaders"}
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
        "decision.unpaired_loss_mov_0",
        "decision.both_lose",
        "decision.structure_counts_checked_in",
        "decision.sos_details",
        "decision.elimination_by_standings",
    )

    def winner(self, result: records.Result, options: base.Options) -> str:
        """ "Ende der Runde": more victory points win; a tie goes to the final salvo, so its winner must be stated.
        Rulings state the winner; the conceding side loses."""
        if result.ended == records.RULING:
            if result.winner == "draw":
                raise Problem("no_draws", where="/winner")
            return result.winner or "none"
        if result.ended == records.CONCESSION and result.conceded_by in ("a", "b"):
            return base.winner_by_figures(result, records.other_side(result.conceded_by))
        if result.score.a != result.score.b:
            return base.winner_by_figures(result, base.leading_side(result.score))
        if result.winner == "draw":
            raise Problem("no_draws", where="/winner")
        if result.winner is None:
            raise Invalid("salvo_winner_missing", where="/winner", score=result.score.a)
        return result.winner

    def counted_score(self, result: records.Result, options: base.Options) -> records.SidePair:
        """Victory points as they count: a concession destroys all remaining ships of the conceding side."""
        if result.ended != records.CONCESSION:
            return result.score
        all_of_it = options["squad_points"]
        if result.conceded_by == "b":
            return replace(result.score, a=all_of_it)
        return replace(result.score, b=all_of_it)

    def scoring(self, options: base.Options) -> Scoring:
        """ "Turnierpunkte" (win 1, loss 0) and "Höhe des Sieges" (100 ± difference; bye 150, won bye 200)."""
        squad_points: int = options["squad_points"]
        return margin_scoring(
            Points(win=1), self.tiebreakers, squad_points, options.get("bye_mov", squad_points * 3 // 2)
        )

    def counted_figures(
        self, match: records.Match, options: base.Options, totals: base.ListTotals
    ) -> Mapping[str, records.SidePair]:
        assert match.result is not None
        return {"score": self.counted_score(match.result, options)}

    def form(self, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND) -> Form:
        """Before time a game ends by destruction or concession, so the winner's points are fixed and not asked. A
        concession is possible at any time and destroys the remaining ships."""
        top: int = options["squad_points"]
        loser = Figure("score", LOSER, 0, top, 0)
        all_of_it = Figure("score", WINNER, top, top, top, asked=False)
        salvo = (
            Comparison("points", ("score",)),
            Choice("winner", "form.final_salvo", ("a", "b")),
            WinnerByAnswer("final_salvo", "winner"),
        )
        return Form(
            rulebook=self.id,
            ways=(
                WayToEnd("played", BEFORE_TIME, records.PLAYED, (all_of_it, loser, *salvo)),
                WayToEnd("time", AT_TIME, records.TIME, (Figure("score", WINNER, 0, top, top), loser, *salvo)),
                WayToEnd("conceded", ANY_TIME, records.CONCESSION, (all_of_it, loser)),
            ),
            worth=("mov",),
            direct=True,
        )

    def has_won(
        self, result: records.Result, side: records.Side, options: base.Options, situation: base.MatchSituation
    ) -> bool:
        """All of the other's ships are destroyed; the game may go on to the end of the round, and be conceded."""
        return bool(result.score.of(side) >= options["squad_points"])

    def check_new(
        self, result: records.Result, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND
    ) -> None:
        """ "Berechnung der Siegpunkte": no more than the squad points, and no less than nothing."""
        base.refuse_figure_range("score", result.score, 0, options["squad_points"])
        base.refuse_unknown_keys(result, self.id, ("initiative",))
        self.winner(result, options)
