"""X-Wing Epic, duel and team: 5, 3, 1 or 0 points, margin of victory. Rules and squad lists by the Spanish document."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core import records
from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import ANY_TIME, AT_TIME, DRAWN, OPENER, Form, WayToEnd
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Comparison, Figure, Step
from roundtap_core.lists import list_form
from roundtap_core.randomness import lot_number
from roundtap_core.rulebooks import base
from roundtap_core.rulebooks.scoring import DRAW, LOT, OPPONENTS_POINTS, Bonus, Points, Scoring
from roundtap_core.rulebooks.xwing_standard import (
    MARGIN,
    margin_scoring,
    missing_squad,
    squad_total,
    total_problems,
    with_total,
)

FACTIONS = ("Rebel", "Imperial")
SMALL, LARGE, HUGE = "small", "large", "huge"
EPIC_POINTS = {"cr90": 3, "gr75": 2}
FORE, AFT = "fore", "aft"
SECTIONS = {
    FORE: frozenset({"fore", "proa", "bug", "bugsektion", "dziob", "dziobowa"}),
    AFT: frozenset({"aft", "popa", "heck", "hecksektion", "rufa", "rufowa"}),
}
"""How the two sections of a huge ship are told apart, in any of the four languages."""
NAVIGATION_OFFICER = frozenset({"oficial de navegacion", "navigation officer"})

SHIPS = list_form.ListTable(
    "ships",
    (
        list_form.ListField("count", list_form.NUMBER, minimum=1, maximum=99, usual=1),
        list_form.ListField("name", label="pilot"),
        list_form.ListField("ship"),
        list_form.ListField("size", list_form.CHOICE, (SMALL, LARGE, HUGE)),
        list_form.ListField("points", list_form.NUMBER),
        list_form.ListField("upgrades", list_form.NAMES),
    ),
)
UNIQUE = list_form.ListField("unique", list_form.TICK)
SQUAD = (
    list_form.ListField("total", list_form.NUMBER, maximum=9999),
    list_form.ListField("epic_points", list_form.NUMBER, maximum=99),
)

FULL_WIN, MODIFIED_WIN, DRAWN_GAME = 5, 3, 1
FULL_MARGIN = 12
NARROW = Bonus(
    points=MODIFIED_WIN - FULL_WIN, of="score", outcome="win", ended=records.TIME, ahead_at_most=FULL_MARGIN - 1
)
POINTS = Points(win=FULL_WIN, draw=DRAWN_GAME, bonus=(NARROW,))
SHORTEST_MINUTES, LONG_MINUTES = 150, 210


class SquadLimits(Struct, frozen=True):
    """Of one player: squad points, epic points, and ships of one type."""

    points: int
    epic_points: int
    of_one_type: Mapping[str, int]


class _EpicList(list_form.ListCheck):
    also = list_form.ListCheck.also | {"unique"}


class EpicDuelList(_EpicList):
    """{"faction", "total", "epic_points", "ships": [{"count", "name", "ship", "size", "points", "upgrades"}]}."""

    def form(self, options: Mapping[str, Any]) -> list_form.ListForm:
        return list_form.ListForm(
            fields=(list_form.ListField("faction", list_form.CHOICE, FACTIONS), *SQUAD), lines=(SHIPS,)
        )

    def wrong(self, list_: list_form.ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        return list(_squad_problems(list_, SquadLimits(options["squad_points"], 5, {SMALL: 12, LARGE: 6})))

    def missing(self, list_: list_form.ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        return [*_faction_missing(list_), *_missing_epic(list_)]

    def total(self, list_: list_form.ListData) -> int | None:
        return squad_total(list_)

    def completed(self, list_: list_form.ListData) -> dict[str, Any]:
        return _with_totals(list_)


class EpicTeamList(_EpicList):
    """{"faction", "total", "players": [{"player", "captain", …the keys of a duel's list}, …]}, each ship with "unique".
    A unique name among the upgrades begins with a dot or an asterisk: "•R2-D2", "*R2-D2"."""

    def form(self, options: Mapping[str, Any]) -> list_form.ListForm:
        """ "Juego por equipos", "Formación de escuadrones": two lists, told apart, in the captain's hand."""
        ships = replace(SHIPS, columns=(*SHIPS.columns, UNIQUE))
        return list_form.ListForm(
            fields=(list_form.ListField("player"), list_form.ListField("captain", list_form.TICK), *SQUAD),
            lines=(ships,),
            per_member=2,
            shared=(
                list_form.ListField("faction", list_form.CHOICE, FACTIONS),
                list_form.ListField("total", list_form.NUMBER, maximum=9999),
            ),
        )

    def wrong(self, list_: list_form.ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        # Each player of a team has half of its squad points.
        problems, limits = [], SquadLimits(options["squad_points"] // 2, 3, {SMALL: 8, LARGE: 4})
        for index, player in _players(list_):
            problems += [problem.at(f"/players/{index}") for problem in _squad_problems(player, limits)]
        counted, stated = _team_total(list_), list_form.number_at(list_, "total")
        if None not in (counted, stated) and counted != stated:
            problems.append(Problem("list_total_differs", where="/total", total=stated, counted=counted))
        elif counted is None and stated is not None and stated > 2 * limits.points:
            problems.append(Problem("list_over_points", where="/total", total=stated, maximum=2 * limits.points))
        problems += _faction_problems(list_)
        captains = [index for index, player in _players(list_) if player.get("captain") is True]
        problems += [Problem("list_captain_twice", where=f"/players/{index}/captain") for index in captains[1:]]
        return [*problems, *_unique_problems(list_)]

    def missing(self, list_: list_form.ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        problems, players = [*_faction_missing(list_)], _players(list_)
        if len(players) < 2:
            problems.append(Problem("list_players_missing", where="/players"))
        for index, player in players:
            problems += [problem.at(f"/players/{index}") for problem in _missing_epic(player)]
            if not list_form.text_at(player, "player"):
                problems.append(Problem("list_player_name_missing", where=f"/players/{index}/player"))
        if not any(player.get("captain") is True for _, player in players):
            problems.append(Problem("list_captain_missing", where="/players"))
        return problems

    def competitor_problems(
        self, competitor: records.Competitor, options: Mapping[str, Any], level: str | None = None
    ) -> list[Problem]:
        """Also: each list bears the name of its player, and the captain's is marked."""
        problems = super().competitor_problems(competitor, options, level)
        members, seen = {list_form.fold(member) for member in competitor.members}, set()
        for index, player in _players(competitor.list or {}):
            name, where = list_form.text_at(player, "player"), f"/list/players/{index}"
            if members and name and (list_form.fold(name) not in members or list_form.fold(name) in seen):
                problems.append(
                    Problem(
                        "list_player_unknown", where=f"{where}/player", name=name, members=", ".join(competitor.members)
                    )
                )
            if (
                competitor.captain
                and name
                and player.get("captain") is True
                and list_form.fold(name) != list_form.fold(competitor.captain)
            ):
                problems.append(
                    Problem("list_captain_differs", where=f"{where}/captain", name=name, captain=competitor.captain)
                )
            seen.add(list_form.fold(name))
        return problems

    def initial_list(self, competitor: records.Competitor) -> list_form.ListData:
        captain = list_form.fold(competitor.captain or "")
        return {
            "players": [
                {"player": member, "captain": list_form.fold(member) == captain} for member in competitor.members
            ]
        }

    def total(self, list_: list_form.ListData) -> int | None:
        stated = list_form.number_at(list_, "total")
        return _team_total(list_) if stated is None else stated

    def completed(self, list_: list_form.ListData) -> dict[str, Any]:
        players = [_with_totals(player) for _, player in _players(list_)]
        done = {**list_, "players": players} if players else dict(list_)
        total = self.total(done)
        return done if total is None else {**done, "total": total}


def _players(list_: list_form.ListData) -> list[tuple[int, list_form.ListData]]:
    return list_form.rows_at(list_, "players")


def _team_total(list_: list_form.ListData) -> int | None:
    totals = [squad_total(player) for _, player in _players(list_)]
    counted = [total for total in totals if total is not None]
    return sum(counted) if len(counted) == 2 else None


def _with_totals(squad: list_form.ListData) -> dict[str, Any]:
    """With squad points and epic points counted, where nobody wrote them."""
    done = with_total(squad)
    if list_form.number_at(squad, "epic_points") is None and list_form.rows_at(squad, "ships"):
        done["epic_points"] = _epic_points(squad)
    return done


def _faction_problems(list_: list_form.ListData) -> Iterator[Problem]:
    """Both members fly for one faction: a player's list that names one of its own names the team's."""
    team = list_form.text_at(list_, "faction")
    for index, player in _players(list_):
        own = list_form.text_at(player, "faction")
        team = team or own
        if own and list_form.fold(own) != list_form.fold(team):
            yield Problem("list_two_factions", where=f"/players/{index}/faction", own=own, team=team)


def _faction_missing(list_: list_form.ListData) -> Iterator[Problem]:
    if not list_form.text_at(list_, "faction"):
        yield Problem("list_faction_missing", where="/faction")


def _missing_epic(squad: list_form.ListData) -> Iterator[Problem]:
    """A squad's lines also say how large each ship is: what may stand how often depends on it."""
    yield from missing_squad(squad)
    for index, ship in list_form.rows_at(squad, "ships"):
        if not list_form.text_at(ship, "ship"):
            yield Problem("list_line_ship_missing", where=f"/ships/{index}/ship", line=index + 1)
        if not _size(ship):
            yield Problem("list_line_size_missing", where=f"/ships/{index}/size", line=index + 1)
    if list_form.number_at(squad, "epic_points") is None:
        yield Problem("list_epic_points_missing", where="/epic_points")


def _squad_problems(squad: list_form.ListData, limits: SquadLimits) -> Iterator[Problem]:
    yield from total_problems(squad, limits.points)
    yield from _epic_problems(squad, limits.epic_points)
    yield from _type_problems(squad, limits.of_one_type)
    yield from _navigation_problems(squad)


def _size(ship: list_form.ListData) -> str:
    """As written; the two huge ships that the document knows need not say it."""
    return HUGE if _epic_worth(ship) else list_form.text_at(ship, "size")


def _epic_worth(ship: list_form.ListData) -> int:
    """ "Puntos épicos": a CR90 corvette costs 3, a GR-75 transport 2, everything else none."""
    written = "".join(list_form.fold(list_form.text_at(ship, key)) for key in ("ship", "name")).replace(" ", "")
    return next((points for name, points in EPIC_POINTS.items() if name in written), 0)


def _epic_points(squad: list_form.ListData) -> int:
    """ "Puntos épicos" of every huge ship once: a CR90 may be written by its two sections, each with its own points."""
    points, sections = 0, Counter[tuple[int, str]]()
    for _, ship in list_form.rows_at(squad, "ships"):
        worth, section = _epic_worth(ship), _section(ship)
        if section:
            sections[worth, section] += list_form.copy_count(ship)
        else:
            points += worth * list_form.copy_count(ship)
    ships = {worth: max(sections[worth, section] for section in SECTIONS) for worth, _ in sections}
    return points + sum(worth * count for worth, count in ships.items())


def _section(ship: list_form.ListData) -> str:
    """Which section of a huge ship a line is about: FORE, AFT, or "" for the whole ship."""
    if not _epic_worth(ship):
        return ""
    named = {word for key in ("ship", "name") for word in list_form.fold(list_form.text_at(ship, key)).split()}
    return next((section for section, words in SECTIONS.items() if named & words), "")


def _epic_problems(squad: list_form.ListData, maximum: int) -> Iterator[Problem]:
    for index, ship in list_form.rows_at(squad, "ships"):
        stated = list_form.text_at(ship, "size")
        if stated == HUGE and not _epic_worth(ship):
            yield Problem("list_huge_unknown", where=f"/ships/{index}/ship", line=index + 1)
        elif stated in (SMALL, LARGE) and _epic_worth(ship):
            yield Problem("list_huge_not_so", where=f"/ships/{index}/size", line=index + 1)
    ships, stated_points, counted = (
        list_form.rows_at(squad, "ships"),
        list_form.number_at(squad, "epic_points"),
        _epic_points(squad),
    )
    if ships and stated_points is not None and stated_points != counted:
        yield Problem("list_epic_points_differ", where="/epic_points", total=stated_points, counted=counted)
    highest = max(stated_points or 0, counted)
    if highest > maximum:
        where = "/ships" if counted > maximum else "/epic_points"
        yield Problem("list_over_epic_points", where=where, total=highest, maximum=maximum)


def _type_problems(squad: list_form.ListData, limits: Mapping[str, int]) -> Iterator[Problem]:
    """At the line that is too many: so many small, so many large ships of one type."""
    counted: dict[tuple[str, str], int] = {}
    for index, ship in list_form.rows_at(squad, "ships"):
        key = (_size(ship), list_form.fold(list_form.text_at(ship, "ship")))
        if key[0] not in limits or not list_form.text_at(ship, "ship"):
            continue
        before = counted.get(key, 0)
        counted[key] = before + list_form.copy_count(ship)
        if before <= limits[key[0]] < counted[key]:
            yield Problem(
                "list_too_many_of_type",
                where=f"/ships/{index}/count",
                line=index + 1,
                ship=list_form.text_at(ship, "ship"),
                count=counted[key],
                maximum=limits[key[0]],
            )


def _navigation_problems(squad: list_form.ListData) -> Iterator[Problem]:
    """ "Restricciones de cartas": the navigation officer does not serve on huge ships."""
    for index, ship in list_form.rows_at(squad, "ships"):
        for place, upgrade in enumerate(list_form.names_at(ship, "upgrades")):
            if _size(ship) == HUGE and list_form.fold(list_form.without_product(upgrade)) in NAVIGATION_OFFICER:
                yield Problem(
                    "list_not_on_huge",
                    where=f"/ships/{index}/upgrades/{place}",
                    line=index + 1,
                    name=list_form.without_mark(upgrade),
                )


def _unique_problems(list_: list_form.ListData) -> Iterator[Problem]:
    """No two cards of a team share a unique name; a name that is marked once is unique wherever it stands."""
    cards = [card for index, player in _players(list_) for card in _cards(player, f"/players/{index}")]
    unique = {list_form.fold(name) for _, _, name, _, marked in cards if marked}
    first: dict[str, int] = {}
    for where, line, name, count, _ in cards:
        key = list_form.fold(name)
        if key not in unique:
            continue
        if key in first:
            yield Problem("list_unique_twice", where=where, line=line, name=name, first=first[key])
        elif count > 1:
            yield Problem("list_unique_several", where=where, line=line, name=name, count=count)
        first.setdefault(key, line)


def _cards(squad: list_form.ListData, where: str) -> Iterator[tuple[str, int, str, int, bool]]:
    """Pilots and upgrades: place, line, name, copies, whether marked as unique."""
    for index, ship in list_form.rows_at(squad, "ships"):
        name, at = list_form.text_at(ship, "name"), f"{where}/ships/{index}"
        if name:
            marked = list_form.is_marked_unique(name) or ship.get("unique") is True
            bare = list_form.without_mark(list_form.without_product(name))
            yield f"{at}/name", index + 1, bare, list_form.copy_count(ship), marked
        for place, upgrade in enumerate(list_form.names_at(ship, "upgrades")):
            yield (
                f"{at}/upgrades/{place}",
                index + 1,
                list_form.without_mark(list_form.without_product(upgrade)),
                list_form.copy_count(ship),
                list_form.is_marked_unique(upgrade),
            )


class XWingEpicDuel(base.Rulebook):
    """Sections in the docstrings are the headings of the document. The team game differs in its figures only."""

    id = "xwing-epic-duel"
    title = "X-Wing Epic (300)"
    document = "Reglas para torneos épicos X-Wing 1.1: Duelos espaciales épicos (es)"
    listed = 20
    tiebreakers = (MARGIN, OPPONENTS_POINTS, LOT)
    bye_after_round_1 = base.BYE_RANDOM_LOWEST
    stage_minutes = {"swiss": 180, "elimination": 180, "final": 180, "third_place": 180}
    levels = ("informal", "competitive", "premier")
    level_notes: ClassVar[dict[str, str]] = {
        "informal": "level.note.fun_first",
        "competitive": "level.note.not_every_detail",
        "premier": "level.note.strict",
    }
    structures = {}
    tally_counts_lists = True
    pairs_nearest = True
    list_fortress = True
    option_defaults = {
        "structure": "own",
        "squad_points": 300,
        "lists_required": True,
        "late_minutes": 10,
        "tables": "leaders",
    }
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
        "decision.epic_bye_mov",
        "decision.bye_round_1",
        "decision.epic_games_equal",
        "decision.epic_minutes",
        "decision.own_structure",
    )
    officials_play = {"premier": base.NO, "*": base.WITH_SECOND}
    leaving_asks = ("score",)
    lots = (base.INITIATIVE,)
    before_play: ClassVar[tuple[str, ...]] = ("before.initiative",)
    lists: ClassVar[list_form.ListCheck] = EpicDuelList()

    def check_options(self, given: base.Options) -> None:
        """ "Duelos espaciales épicos": a round is 150 minutes at the shortest."""
        super().check_options(given)
        for stage, values in given.get("stages", {}).items():
            minutes = values.get("minutes")
            if minutes is not None and minutes < SHORTEST_MINUTES:
                raise Invalid(
                    "minutes_too_short", where=f"/options/stages/{stage}/minutes", value=minutes, right=SHORTEST_MINUTES
                )

    def option_warnings(self, given: base.Options) -> list[Problem]:
        """The document's upper limit is a slip ("90"); longer than three and a half hours is probably one, too."""
        return [
            Problem(
                "minutes_very_long",
                where=f"/options/stages/{stage}/minutes",
                value=values["minutes"],
                usual=self.stage_minutes["swiss"],
            )
            for stage, values in given.get("stages", {}).items()
            if (values.get("minutes") or 0) > LONG_MINUTES
        ]

    def winner(self, result: records.Result, options: base.Options) -> str:
        """ "Fin de partida": destroying everything wins whatever the points; only at time do points decide."""
        if (stated := base.stated_winner(result)) is not None:
            return stated
        if result.ended == records.PLAYED:
            return base.named_winner(result)
        return base.winner_by_figures(result, base.leading_side(result.score))

    def elimination_winner(self, result: records.Result, options: base.Options, better: records.Side) -> str:
        """ "Rondas finales eliminatorias": a draw goes to the side with initiative."""
        winner = self.winner(result, options)
        if winner != DRAW:
            return winner
        if result.initiative is None:
            raise Problem("initiative_missing", where="/initiative")
        return result.initiative

    def counted_score(self, match: records.Match, options: base.Options, totals: base.ListTotals) -> records.SidePair:
        """Points as they count: a concession destroys all the conceding side's ships, at the cost of its list."""
        result = match.result
        assert result is not None
        if result.ended != records.CONCESSION:
            return result.score
        conceder = match.b if result.conceded_by == "b" else match.a
        whole = totals.get(conceder or "", options["squad_points"])
        return replace(result.score, a=whole) if result.conceded_by == "b" else replace(result.score, b=whole)

    def scoring(self, options: base.Options) -> Scoring:
        """ "Puntuaciones" and "Margen de victoria": 5, 3, 1, 0; the margin is by points alone, whoever won."""
        squad_points: int = options["squad_points"]
        return margin_scoring(POINTS, self.tiebreakers, squad_points, options.get("bye_mov", squad_points * 3 // 2))

    def standing_outcome(self, match: records.Match, options: base.Options, totals: base.ListTotals) -> tuple[str, str]:
        """ "Fin de partida": a list whose total is known and that was destroyed whole is a full win at any clock."""
        result = match.result
        assert result is not None
        winner = self.winner(result, options)
        if result.ended != records.TIME:
            return winner, result.ended
        left = winner_by_destruction(result.score, (totals.get(match.a), totals.get(match.b or "")))
        return (winner, records.TIME) if left is None else (left, records.PLAYED)

    def counted_figures(
        self, match: records.Match, options: base.Options, totals: base.ListTotals
    ) -> Mapping[str, records.SidePair]:
        return {"score": self.counted_score(match, options, totals)}

    def cut_order(self, rows: Sequence[records.StandingsRow], seed: int) -> Sequence[str]:
        """ "Rondas finales eliminatorias": points, then the opponents' points directly, not the margin of victory."""
        ordered = sorted(
            rows, key=lambda row: (-row.points, -row.tiebreakers["opponents_points"], lot_number(seed, row.competitor))
        )
        return [row.competitor for row in ordered]

    def form(self, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND) -> Form:
        """The side that destroys everything or receives a concession opens; at time both count. A known list cost is
        not asked."""
        top: int = options["squad_points"]
        # What a side can destroy is the other's list.
        of_b, of_a = situation.totals
        totals_known = (of_a, of_b) != (None, None)
        whole = (of_a, of_b) if totals_known else None
        all_of_it = Figure("score", WINNER, 1, top, top, (100, 10, 1), asked=not totals_known, per_side=whole)
        some = Figure("score", LOSER, 0, top, 0, (100, 10, 1), per_side=whole)
        # With a ship left, not the whole list is lost.
        most = (of_a and of_a - 1, of_b and of_b - 1) if totals_known else None
        not_all = some.replace(maximum=top - 1, per_side=most)
        initiative: tuple[Step, ...] = (
            (Choice("initiative", "form.initiative", ("a", "b")),) if situation.knockout else ()
        )
        counted = (some.replace(whose=WINNER), some)
        conceded = all_of_it.replace(minimum=top, asked=False)
        both_gone = (all_of_it, all_of_it.replace(whose=LOSER))
        return Form(
            rulebook=self.id,
            ways=(
                WayToEnd("time", AT_TIME, records.TIME, (*counted, Comparison("points", ("score",)), *initiative)),
                WayToEnd("wiped_out", ANY_TIME, records.PLAYED, (all_of_it, not_all), winner=OPENER),
                WayToEnd("conceded", ANY_TIME, records.CONCESSION, (conceded, some)),
                WayToEnd("both_wiped_out", ANY_TIME, records.PLAYED, (*both_gone, *initiative), winner=DRAWN),
            ),
            worth=("points", "mov"),
        )

    def has_won(
        self, result: records.Result, side: records.Side, options: base.Options, situation: base.MatchSituation
    ) -> bool:
        """ "Fin de partida": everything of the other's list is destroyed."""
        return result.score.of(side) >= _whole(situation, options["squad_points"]).of(side)

    def check_new(
        self, result: records.Result, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND
    ) -> None:
        """Points destroyed are at most the other's list, and all of it if nothing is left; a drawn elimination game
        needs an initiative."""
        base.refuse_unknown_keys(result, self.id, ("initiative",))
        whole = _whole(situation, options["squad_points"])
        for side in records.SIDES:
            value, limit = result.score.of(side), whole.of(side)
            if not 0 <= value <= limit:
                raise Invalid("figure_out_of_range", where=f"/score/{side}", value=value, minimum=0, maximum=limit)
        if situation.knockout:
            self.elimination_winner(result, options, "a")
        winner = self.winner(result, options)
        if result.ended == records.PLAYED:
            _refuse_half_destroyed(result.score, winner, whole, situation.totals)
        elif result.ended == records.TIME:
            right = winner_by_destruction(result.score, situation.totals)
            # A list of unknown cost may be destroyed, too: then it is a draw.
            if right not in (None, winner) and not (None in situation.totals and winner == DRAW):
                raise Problem("destroyed_whole", where="/winner", a=result.score.a, b=result.score.b, right=right)


def _whole(situation: base.MatchSituation, top: int) -> records.SidePair:
    """What each side can destroy: all of the other's list, at most `top` if its cost is unknown."""
    a, b = situation.totals
    return records.SidePair(top if b is None else b, top if a is None else a)


def winner_by_destruction(score: records.SidePair, totals: tuple[int | None, int | None]) -> str | None:
    """ "Fin de partida": the side that destroyed the other's list, "draw" if both did, None if neither. `totals`: the
    known list costs of a and b."""
    a, b = totals
    by_a, by_b = b is not None and score.a >= b, a is not None and score.b >= a
    if by_a and by_b:
        return DRAW
    return "a" if by_a else "b" if by_b else None


def _refuse_half_destroyed(
    score: records.SidePair, winner: str, whole: records.SidePair, totals: tuple[int | None, int | None]
) -> None:
    """A game that ended before time destroyed one list entirely, or both. Of a list of unknown cost something must be
    destroyed. Raises Problem("not_destroyed_whole", "destroyed_both")."""
    for side, enemy in zip(records.SIDES, reversed(totals), strict=True):
        least = 1 if enemy is None else whole.of(side)
        if winner in (side, DRAW) and score.of(side) < least:
            raise Problem("not_destroyed_whole", where=f"/score/{side}", value=score.of(side), right=whole.of(side))
    if winner in records.SIDES and score.of(records.other_side("a" if winner == "a" else "b")) >= whole.of(
        records.other_side("a" if winner == "a" else "b")
    ):
        raise Problem("destroyed_both", where="/winner", a=score.a, b=score.b)


class XWingEpicTeam(XWingEpicDuel):
    """ "Juego por equipos épico": as the duel, with two players a side and other figures."""

    id = "xwing-epic-team"
    title = "X-Wing Epic (2 × 200)"
    document = "Reglas para torneos épicos X-Wing 1.1: Juego por equipos épico (es)"
    option_defaults = {**XWingEpicDuel.option_defaults, "squad_points": 400}
    team_size = 2
    before_play = ("before.initiative_teams",)
    lists: ClassVar[list_form.ListCheck] = EpicTeamList()
