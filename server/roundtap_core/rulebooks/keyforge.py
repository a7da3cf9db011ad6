"""KeyForge, Archon and Sealed: win or loss, one game or best of three. Rules and decks by the Spanish document."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from msgspec.structs import replace

from roundtap_core import records
from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms import questions
from roundtap_core.forms.form import ANY_TIME, AT_TIME, DECIDED, Form, WayToEnd
from roundtap_core.lists.list_form import NAMES, TICK, ListCheck, ListData, ListField, ListForm, fold, names_at, text_at
from roundtap_core.rulebooks import base
from roundtap_core.rulebooks.scoring import EXTENDED_SOS, LOT, SOS, Points, Scoring

HOUSES_OF_A_DECK = 3
INTRODUCTORY = frozenset(
    {
        # As the document prints them, and as found where the ñ was lost.
        "senorita onice censorius",
        "sefiorita onice censorius",
        "radiante argus el supremo",
        # Not from the document: the same two decks as English, French, Italian and Polish core sets name them.
        "miss onyx censorius",
        "radiant argus the supreme",
        "supreme argus radiant",
        "le supreme argus radiant",
        "fulgido argus il supremo",
        "panna onyks censorius",
        "najwyzszy argus swietlisty",
    }
)
SLEEVES_LEVEL = "premium"
SCORING = Scoring(Points(win=1), (SOS, EXTENDED_SOS, LOT))

KEYS, KEY_PRICE = 3, 6
LOOK_S = 120  # "Cartas de identidad": the other's list may be read before the game, for two minutes
SCORE = "score"

HOUSES = ("Brobnar", "Dis", "Logos", "Mars", "Sanctum", "Shadows", "Untamed")
"""The choice in step 4 where a deck's houses are unknown; any other house is OTHER_HOUSE."""
OTHER_HOUSE = "other"

LOT_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        questions.FIRST_PLAYER_BY: (questions.BY_LOT,),
        "lot": records.SIDES,
        "active": records.SIDES,
        "turns": records.SIDES,
        "game_begun": ("yes", "no"),
    }
)
"""Keys of `timeout` whose values are among a few."""


class ArchonDeck(ListCheck):
    """{"identity": name, "houses": [3], "identity_card": true, "opaque_sleeves": true}; the competitor's own keys take
    precedence."""

    def form(self, options: Mapping[str, Any]) -> ListForm:
        return ListForm(
            fields=(
                ListField("identity"),
                ListField("houses", NAMES, count=HOUSES_OF_A_DECK),
                ListField("identity_card", TICK),
                ListField("opaque_sleeves", TICK),
            )
        )

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """ "Mazos de los jugadores": a deck is unique, has three houses, and is presented by its card."""
        problems, houses = [], names_at(list_, "houses")
        if fold(text_at(list_, "identity")) in INTRODUCTORY:
            problems.append(Problem("list_introductory_deck", where="/identity", name=text_at(list_, "identity")))
        if houses and len(houses) != HOUSES_OF_A_DECK:
            problems.append(Problem("list_houses_count", where="/houses", count=len(houses), wanted=HOUSES_OF_A_DECK))
        for place, house in enumerate(houses):
            if fold(house) in map(fold, houses[:place]):
                problems.append(
                    Problem("list_house_twice", where=f"/houses/{place}", name=house, wanted=HOUSES_OF_A_DECK)
                )
        if list_.get("identity_card") is False:
            problems.append(Problem("list_identity_card_missing", where="/identity_card"))
        if list_.get("opaque_sleeves") is False and level == SLEEVES_LEVEL:
            problems.append(Problem("list_sleeves_missing", where="/opaque_sleeves"))
        return problems

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """ "Cartas de identidad": no registration without the card. "Fundas": opaque sleeves at the premium level."""
        checks = (
            (text_at(list_, "identity"), Problem("list_identity_missing", where="/identity")),
            (names_at(list_, "houses"), Problem("list_houses_missing", where="/houses", wanted=HOUSES_OF_A_DECK)),
            (list_.get("identity_card") is not None, Problem("list_identity_card_missing", where="/identity_card")),
            (
                list_.get("opaque_sleeves") is not None or level != SLEEVES_LEVEL,
                Problem("list_sleeves_missing", where="/opaque_sleeves"),
            ),
        )
        return [problem for is_there, problem in checks if not is_there]

    def of_competitor(self, competitor: records.Competitor) -> ListData:
        own = {"identity": competitor.identity, "houses": list(competitor.houses)}
        return {**(competitor.list or {}), **{key: value for key, value in own.items() if value}}

    def with_list(self, competitor: records.Competitor, list_: ListData) -> records.Competitor:
        rest = {key: value for key, value in list_.items() if key not in ("identity", "houses")}
        return replace(
            competitor,
            list=rest or None,
            identity=text_at(list_, "identity") or None,
            houses=tuple(names_at(list_, "houses")),
        )

    def competitor_problems(
        self, competitor: records.Competitor, options: Mapping[str, Any], level: str | None = None
    ) -> list[Problem]:
        """Places are where the event file has it: "/houses/1" or "/list/houses/1"."""
        return [
            problem.replace(_in_competitor(competitor, problem.where))
            for problem in super().competitor_problems(competitor, options, level)
        ]

    def event_warnings(self, competitors: Sequence[records.Competitor], options: Mapping[str, Any]) -> list[Problem]:
        """No two decks in the world have the same name: one of these is copied, or misspelled."""
        first: dict[str, records.Competitor] = {}
        problems = []
        for place, competitor in enumerate(competitors):
            name = text_at(self.of_competitor(competitor), "identity")
            other = first.setdefault(fold(name), competitor)
            if name and other is not competitor:
                where = f"/{place}{_in_competitor(competitor, '/list/identity')}"
                problems.append(Problem("list_deck_twice", where=where, name=name, other=other.name))
        return problems


def _in_competitor(competitor: records.Competitor, where: str) -> str:
    key = where.removeprefix("/list/").partition("/")[0]
    return where.removeprefix("/list") if key in ("identity", "houses") and getattr(competitor, key) else where


class SealedDeck(ArchonDeck):
    """A deck that is opened at the event: {…, "registered_here": true}."""

    def form(self, options: Mapping[str, Any]) -> ListForm:
        return ListForm(fields=(*super().form(options).fields, ListField("registered_here", TICK)))

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        problems = super().wrong(list_, options, level)
        if list_.get("registered_here") is False:
            problems.append(Problem("list_not_registered_here", where="/registered_here"))
        return problems

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        problems = super().missing(list_, options, level)
        if list_.get("registered_here") is None:
            problems.append(Problem("list_not_registered_here", where="/registered_here"))
        return problems


class KeyForgeArchon(base.Rulebook):
    """Sections in the docstrings are the headings of the document. Sealed differs in its minutes and decks."""

    id = "keyforge-archon"
    title = "KeyForge Archon"
    document = "KeyForge, normativas de torneo: Arconte (es)"
    listed = 30
    tiebreakers = SCORING.tiebreakers
    bye_after_round_1 = base.BYE_RANDOM_LOWEST
    stage_minutes = {"swiss": 35, "elimination": 35, "final": 50, "third_place": 35}
    best_of_three_minutes: ClassVar = {"swiss": 90, "elimination": 90, "final": 120, "third_place": 90}
    best_of = (1, 3)
    levels = ("relaxed", "formal", "premium")
    level_notes: ClassVar[dict[str, str]] = {
        "relaxed": "level.note.any_experience",
        "formal": "level.note.know_rules",
        "premium": "level.note.know_documents",
    }
    structures = base.BASIC_AND_ADVANCED
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
        "decision.both_lose_points",
        "decision.structure_counts_checked_in",
        "decision.sos_details",
        "decision.keyforge_best_of_three",
        "decision.keyforge_game_not_begun",
    )
    officials_play = {"relaxed": base.WITH_SECOND, "*": base.NO}
    ticks = {"premium": ("sleeves",)}
    lots = (base.FIRST_PLAYER,)
    before_play: ClassVar[tuple[str, ...]] = (
        "before.first_player_by_lot",
        "before.loser_chooses",
        "before.list_two_minutes",
        "before.no_dice",
        "before.wait_for_start",
    )
    disqualification_proposed_by = (base.HEAD_JUDGE,)
    lists: ClassVar[ListCheck] = ArchonDeck()

    def minutes(self, stage: str, options: base.Options) -> int | None:
        """ "Tiempos de ronda del torneo": best of three has its own lengths."""
        own = options.get("stages", {}).get(stage, {})
        if "minutes" not in own and self.games(stage, options) == 3:
            return self.best_of_three_minutes[stage]
        return super().minutes(stage, options)

    def winner(self, result: records.Result, options: base.Options) -> str:
        """ "Final de la partida": more games won; no game is drawn, so the winner of a tied match must be stated."""
        stated = base.stated_winner(result)
        if "draw" in (stated, result.winner):
            raise Problem("no_draws", where="/winner")
        if stated is not None:
            return stated
        score = result.score
        if score.a == score.b:
            return base.named_winner(result)
        return base.winner_by_figures(result, base.leading_side(score))

    def scoring(self, options: base.Options) -> Scoring:
        """ "Puntos de torneo": a win 1, a loss 0; a bye is a win."""
        return SCORING

    def form(self, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND) -> Form:
        """The winner opens. "Tiempo agotado": the turns that are left, then five steps, as far as they are needed."""
        wins = self.games(situation.stage, options) // 2 + 1
        won = questions.Figure(SCORE, questions.WINNER, wins, wins, wins, (1,), asked=False)
        others = questions.Figure(SCORE, questions.LOSER, 0, wins - 1, 0, (1,), asked=wins > 1)
        so_far = tuple(
            questions.Figure(SCORE, whose, 0, wins - 1, 0, (1,)) for whose in (questions.WINNER, questions.LOSER)
        )
        return Form(
            rulebook=self.id,
            ways=(
                WayToEnd(
                    "time",
                    AT_TIME,
                    records.TIME,
                    _time_out(so_far if wins > 1 else (), situation.houses),
                    winner=DECIDED,
                ),
                WayToEnd("played", ANY_TIME, records.PLAYED, (won, others)),
                WayToEnd("conceded", ANY_TIME, records.CONCESSION, (won, others)),
            ),
            direct=True,
            games=wins,
            look_s=LOOK_S,
        )

    def has_won(
        self, result: records.Result, side: records.Side, options: base.Options, situation: base.MatchSituation
    ) -> bool:
        """As many games as end the match."""
        return result.score.of(side) >= self.games(situation.stage, options) // 2 + 1

    def check_new(
        self, result: records.Result, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND
    ) -> None:
        """A match has a fixed number of games and ends with the last one needed."""
        base.refuse_unknown_keys(result, self.id, ("first_player", "timeout"))
        wins = self.games(situation.stage, options) // 2 + 1
        base.refuse_figure_range(SCORE, result.score, 0, wins)
        if result.score == records.SidePair(wins, wins):
            raise Problem("both_won", where="/score", n=wins)
        self.winner(result, options)
        _refuse_unfinished(result, wins)
        _refuse_time_out(result.timeout or {}, situation.houses)


class KeyForgeSealed(KeyForgeArchon):
    """ "Sellado": decks are opened at the event, and rounds are longer."""

    id = "keyforge-sealed"
    title = "KeyForge Sealed"
    document = "KeyForge, normativas de torneo: Sellado (es)"
    stage_minutes = {"swiss": 45, "elimination": 45, "final": 60, "third_place": 45}
    best_of_three_minutes: ClassVar = {"swiss": 100, "elimination": 100, "final": 125, "third_place": 100}
    before_play = ("before.sealed_review", *KeyForgeArchon.before_play)
    lists: ClassVar[ListCheck] = SealedDeck()


def _refuse_unfinished(result: records.Result, wins: int) -> None:
    """ "Final de la partida al mejor de tres": a played-out match has a winner of `wins` games; at time the difference
    is one game. With no games recorded, the named winner stands. Raises Problem("games_unfinished", "games_at_time",
    "conceded_after_winning")."""
    score, most = result.score, max(result.score.a, result.score.b)
    if result.ended == records.CONCESSION and result.conceded_by in records.SIDES:
        if score.of("b" if result.conceded_by == "b" else "a") == wins:
            raise Problem("conceded_after_winning", where=f"/score/{result.conceded_by}", n=wins)
        return
    if wins == 1 or result.ended == records.RULING or score == records.SidePair():
        return
    if result.ended == records.PLAYED and most != wins:
        raise Problem("games_unfinished", where="/score", a=score.a, b=score.b, n=wins)
    if result.ended == records.TIME and abs(score.a - score.b) != 1:
        raise Problem("games_at_time", where="/score", a=score.a, b=score.b)


def _refuse_time_out(told: Mapping[str, Any], houses: tuple[Sequence[str], Sequence[str]] | None) -> None:
    """Check the steps' answers: a lot is a lot, and a house is one of the deck's, if known."""
    for key, options in LOT_KEYS.items():
        if key in told and told[key] not in options:
            raise Invalid("not_one_of", where=f"/timeout/{key}", value=told[key], options=", ".join(options))
    picked = told.get("house", {})
    if not isinstance(picked, dict):
        raise Problem("wrong_type", where="/timeout/house", expected="object")
    for side, house in picked.items():
        if side not in records.SIDES:
            raise Problem("unknown_key", where=f"/timeout/house/{side}", key=side, known=", ".join(records.SIDES))
        if not isinstance(house, str) or not house.strip():
            raise Problem("wrong_type", where=f"/timeout/house/{side}", expected="string")
        own_houses = houses[records.SIDES.index(side)] if houses else ()
        if own_houses and fold(house) not in map(fold, own_houses):
            raise Invalid("not_one_of", where=f"/timeout/house/{side}", value=house, options=", ".join(own_houses))


def _time_out(
    games_so_far: tuple[questions.Figure, ...], houses: tuple[Sequence[str], Sequence[str]] | None
) -> tuple[questions.Step, ...]:
    """ "Tiempo agotado". With earlier games, the side ahead has won; level, the game in progress decides. If the last
    game has not begun, or no one remembers who began, a lot decides (house decision)."""
    of_deck = tuple(tuple(own) or (*HOUSES, OTHER_HOUSE) for own in houses or ((), ()))
    before: tuple[questions.Step, ...] = (
        (
            *games_so_far,
            questions.Comparison("games", (SCORE,)),
            questions.Choice("game_begun", "form.game_begun", ("yes", "no"), only_if=(SCORE, 2)),
            questions.Choice("lot", "form.lot", ("a", "b"), only_if=("game_begun", "no")),
            questions.WinnerByAnswer("lot", "lot", award=SCORE),
        )
        if games_so_far
        else ()
    )
    return (
        *before,
        questions.Choice("active", "form.whose_turn", ("a", "b")),
        questions.Turns("turns", "form.last_turns", 2, "active"),
        questions.WinnerByAnswer("last_turns", "turns", award=SCORE),
        *_both("keys", KEYS - 1, (1,)),
        *_both("aember", 99, (10, 1)),
        questions.Exchange("forging", "aember", KEY_PRICE, "keys"),
        questions.Comparison("keys", ("keys",), award=SCORE),
        questions.Comparison("aember", ("aember",), award=SCORE),
        *(
            questions.Choice(
                f"house.{whose}", "form.house", (*HOUSES, OTHER_HOUSE), whose=whose, per_side=(of_deck[0], of_deck[1])
            )
            for whose in (questions.WINNER, questions.LOSER)
        ),
        *_both("creatures", 99, (10, 1)),
        *_both("bonus", 99, (10, 1)),
        questions.Comparison("potential", ("creatures", "bonus"), award=SCORE),
        questions.Choice("first_player", "form.first_player", ("a", "b", questions.BY_LOT)),
        questions.Choice(
            questions.FIRST_PLAYER_LOT, "form.lot", ("a", "b"), only_if=("first_player", questions.BY_LOT)
        ),
        questions.WinnerByAnswer("first_player", "first_player", award=SCORE),
        questions.WinnerByAnswer("first_player", questions.FIRST_PLAYER_LOT, award=SCORE),
    )


def _both(key: str, most: int, wheels: tuple[int, ...]) -> tuple[questions.Figure, questions.Figure]:
    return questions.Figure(key, questions.WINNER, 0, most, 0, wheels), questions.Figure(
        key, questions.LOSER, 0, most, 0, wheels
    )
