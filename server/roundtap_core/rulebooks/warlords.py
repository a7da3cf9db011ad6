"""Warlords of Terra: 3, 1 or 0 points and SCORE. Rules and decks by the Spanish document, part C."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from roundtap_core import records
from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import ANY_TIME, AT_TIME, BEFORE_TIME, DECIDED, DRAWN, OPENER, Form, WayToEnd
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Figure, Turns, WinnerByAnswer
from roundtap_core.lists.list_form import (
    NUMBER,
    TICK,
    ListCheck,
    ListData,
    ListField,
    ListForm,
    ListTable,
    copy_count,
    fold,
    rows_at,
    text_at,
)
from roundtap_core.rulebooks import base
from roundtap_core.rulebooks.scoring import DRAW, LOT, OPPONENTS_POINTS, Points, Scoring, Tiebreaker

BATTLE, CONSTRUCTION, SIDEBOARD = "battle", "construction", "sideboard"
MAIN = (BATTLE, CONSTRUCTION)
BEFORE_2017 = "before-2017"
"""The option deck_era: construction decks until 31 May 2017 had 20 cards, and 4 copies of a place."""
FRIENDLY = "friendly"

CARDS = (
    ListField("count", NUMBER, minimum=1, maximum=99, usual=1),
    ListField("name", label="card"),
    ListField("unique", TICK),
    ListField("legendary", TICK),
    ListField("realm", label="card_realm"),
)


SWAP_SIGN = ">"

FULL_LIFE = 20

NO_CARD, FOREIGN_CARD = "no_card", "foreign_card"
"""Why a player with life left has lost (A 7.2, A 7.3): no card to draw, or a card of a foreign realm in the deck."""
REASON, REASONS = "reason", (NO_CARD, FOREIGN_CARD)


class CardSwap(Struct, frozen=True):
    """One card of the battle or construction deck swapped for one of the sideboard before a game."""

    deck: str
    out: str
    into: str


def deck_sizes(options: Mapping[str, Any]) -> dict[str, int]:
    """How many cards each deck has, no more and no less: 66 with the hero, 71 in the earlier era."""
    return {BATTLE: 40, CONSTRUCTION: 20 if options.get("deck_era") == BEFORE_2017 else 15, SIDEBOARD: 10}


def copy_limits(deck: str, options: Mapping[str, Any]) -> int:
    """Of a card that is not unique: 3 in each deck (4 of a place in the earlier era), 2 in the sideboard."""
    if deck == SIDEBOARD:
        return 2
    return 4 if deck == CONSTRUCTION and options.get("deck_era") == BEFORE_2017 else 3


class WarlordsList(ListCheck):
    """{"faction": realm, "hero": name, "battle" | "construction" | "sideboard": [{"count", "name", "unique",
    "legendary", "realm"}]}; `realm` of a card only where it is another than the list's."""

    swap_sign = SWAP_SIGN

    def swap_problems(
        self, list_: ListData, lines: str, options: Mapping[str, Any], level: str | None = None
    ) -> list[Problem]:
        """ "Cartas legendarias": the limits of the main deck hold again after swapping."""
        return problems_after_swap(list_, parse_swaps(list_, lines), options, level)

    also = ListCheck.also | {"hero"}

    def form(self, options: Mapping[str, Any]) -> ListForm:
        return ListForm(
            fields=(ListField("faction", label="realm"), ListField("hero")),
            lines=tuple(
                ListTable(deck, CARDS, usually) for deck, usually in ((BATTLE, 18), (CONSTRUCTION, 8), (SIDEBOARD, 6))
            ),
        )

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        return [
            *_size_problems(list_, options),
            *_copy_problems(list_, (*MAIN, SIDEBOARD), options),
            *_legendary_problems(list_, options, level),
            *_hero_problems(list_),
            *_realm_problems(list_),
        ]

    def required(self, options: Mapping[str, Any], level: str | None = None) -> bool:
        """ "Presentación de listados": in competitive events; a friendly one demands none."""
        return level != FRIENDLY and super().required(options, level)

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """ "Presentación de listados": all the cards, in all their decks."""
        problems = []
        if not text_at(list_, "faction"):
            problems.append(Problem("list_realm_missing", where="/faction"))
        if not text_at(list_, "hero"):
            problems.append(Problem("list_hero_missing", where="/hero"))
        for deck, size in deck_sizes(options).items():
            if not rows_at(list_, deck):
                problems.append(_size_problem(deck, 0, size))
            problems += [
                Problem("list_line_name_missing", where=f"/{deck}/{index}/name", line=index + 1)
                for index, card in rows_at(list_, deck)
                if not text_at(card, "name")
            ]
        return problems


def problems_after_swap(
    list_: ListData, swaps: Sequence[CardSwap], options: Mapping[str, Any], level: str | None = None
) -> list[Problem]:
    """ "Prebanquillo": problems of the main deck after these swaps; the sideboard's limit is the list's."""
    after, problems = _after(list_, swaps)
    return [*problems, *_copy_problems(after, MAIN, options), *_legendary_problems(after, options, level)]


def parse_swaps(list_: ListData, lines: str) -> list[CardSwap]:
    """Swaps as a judge types them: "card out > card in", one per line; the deck is the one holding the card. Raises
    Problem("list_swap_unreadable") with the line."""
    swaps = []
    for number, line in enumerate((line for line in lines.splitlines() if line.strip()), start=1):
        out, sign, into = (part.strip() for part in line.partition(SWAP_SIGN))
        if not (out and sign and into):
            raise Problem("list_swap_unreadable", line=number, sign=SWAP_SIGN)
        held = (deck for deck in MAIN for _, card in rows_at(list_, deck) if fold(text_at(card, "name")) == fold(out))
        swaps.append(CardSwap(next(held, BATTLE), out, into))
    return swaps


def _after(list_: ListData, swaps: Sequence[CardSwap]) -> tuple[dict[str, Any], list[Problem]]:
    """The list with the cards exchanged; lines keep their numbers, new ones stand at the end."""
    decks = {deck: [dict(card) for _, card in rows_at(list_, deck)] for deck in (*MAIN, SIDEBOARD)}
    problems: list[Problem] = []
    for place, swap in enumerate(swaps):
        line, where = place + 1, f"/swaps/{place}"
        if swap.deck not in MAIN:
            problems.append(Invalid("not_one_of", where=f"{where}/deck", value=swap.deck, options=", ".join(MAIN)))
            continue
        leaving, coming = _one_of(decks[swap.deck], swap.out), _one_of(decks[SIDEBOARD], swap.into)
        if leaving is None:
            problems.append(Problem("list_swap_not_in_deck", where=f"{where}/out", line=line, name=swap.out))
        if coming is None:
            problems.append(Problem("list_swap_not_in_sideboard", where=f"{where}/into", line=line, name=swap.into))
        if leaving is not None and coming is not None:
            for card, deck in ((leaving, SIDEBOARD), (coming, swap.deck)):
                card["count"] = copy_count(card) - 1
                decks[deck].append({**card, "count": 1})
    return {**list_, **decks}, problems


def _one_of(deck: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    return next((card for card in deck if fold(text_at(card, "name")) == fold(name) and copy_count(card) > 0), None)


def _size_problems(list_: ListData, options: Mapping[str, Any]) -> Iterator[Problem]:
    for deck, size in deck_sizes(options).items():
        cards = rows_at(list_, deck)
        count = sum(copy_count(card) for _, card in cards)
        if cards and count != size:
            yield _size_problem(deck, count, size)


def _size_problem(deck: str, count: int, size: int) -> Problem:
    key = {BATTLE: "list_battle_size", CONSTRUCTION: "list_construction_size", SIDEBOARD: "list_sideboard_size"}[deck]
    return Problem(key, where=f"/{deck}", count=count, right=size)


def _copy_problems(list_: ListData, decks: Sequence[str], options: Mapping[str, Any]) -> Iterator[Problem]:
    """ "Tipos de carta y cartas únicas": at the line with which a card is there too often in its deck. A card that is
    marked as unique or legendary once is so in every deck. "Prebanquillo" sets two copies of any card, and "Cartas
    legendarias" no limit of its own: one copy of a legendary card is a rule of the main deck."""
    everywhere = (*MAIN, SIDEBOARD)
    unique, legendary = (
        {fold(text_at(row, "name")) for deck in everywhere for _, row in rows_at(list_, deck) if row.get(mark) is True}
        for mark in ("unique", "legendary")
    )
    for deck in decks:
        counted: dict[str, int] = {}
        for index, card in rows_at(list_, deck):
            name = fold(text_at(card, "name"))
            if not name:
                continue
            single = name in unique or (name in legendary and deck != SIDEBOARD)
            most, before = 1 if single else copy_limits(deck, options), counted.get(name, 0)
            counted[name] = before + copy_count(card)
            if before <= most < counted[name]:
                yield Problem(
                    "list_too_many_copies",
                    where=f"/{deck}/{index}/count",
                    line=index + 1,
                    name=text_at(card, "name"),
                    count=counted[name],
                    maximum=most,
                )


def _legendary_problems(list_: ListData, options: Mapping[str, Any], level: str | None) -> Iterator[Problem]:
    """ "Cartas legendarias": at most X in battle and construction together; in friendly events they count as unique;
    the sideboard has no limit."""
    if level == FRIENDLY:
        return
    most, counted = options.get("legendary_limit", 3), 0
    for deck in MAIN:
        for index, card in rows_at(list_, deck):
            if card.get("legendary") is True:
                before, counted = counted, counted + copy_count(card)
                if before <= most < counted:
                    yield Problem(
                        "list_too_many_legendary",
                        where=f"/{deck}/{index}/legendary",
                        line=index + 1,
                        name=text_at(card, "name"),
                        maximum=most,
                    )


def _hero_problems(list_: ListData) -> Iterator[Problem]:
    """ "Prebanquillo": never a hero among the ten."""
    hero = fold(text_at(list_, "hero"))
    for index, card in rows_at(list_, SIDEBOARD):
        if card.get("hero") is True or (hero and fold(text_at(card, "name")) == hero):
            yield Problem(
                "list_hero_in_sideboard", where=f"/{SIDEBOARD}/{index}/name", line=index + 1, name=text_at(card, "name")
            )


def _realm_problems(list_: ListData) -> Iterator[Problem]:
    """ "No pueden mezclarse reinos": every card is of the list's realm."""
    realm = text_at(list_, "faction")
    for deck in (*MAIN, SIDEBOARD):
        for index, card in rows_at(list_, deck):
            written = text_at(card, "realm")
            realm = realm or written
            if written and fold(written) != fold(realm):
                yield Problem(
                    "list_other_realm",
                    where=f"/{deck}/{index}/realm",
                    line=index + 1,
                    name=text_at(card, "name"),
                    realm=realm,
                )


POINTS = Points(win=3, draw=1)


class WarlordsOfTerra(base.Rulebook):
    """Sections in the docstrings are those of the document, part C."""

    id = "warlords-of-terra"
    title = "Warlords of Terra"
    document = "Warlords of Terra, reglamento ampliado, C) Juego competitivo (es)"
    listed = 40
    tiebreakers = (
        Tiebreaker(key="score", by="difference", of="score"),
        Tiebreaker(key="head_to_head", by="head_to_head", of="score"),
        OPPONENTS_POINTS,
        Tiebreaker(key="opponents_score", by="opponents_difference", of="score"),
        Tiebreaker(key="tiebreak_round", by="tiebreak_round"),
        LOT,
    )
    ties_start_again_at = "head_to_head"
    tiebreak_rounds = True
    bye_after_round_1 = base.BYE_RANDOM_LOWEST
    stage_minutes = {"swiss": 45, "elimination": 45, "final": 45, "third_place": 45}
    best_of = (1, 3)
    levels = ("friendly", "competitive")
    level_notes: ClassVar[dict[str, str]] = {
        "friendly": "level.note.legendary_unique",
        "competitive": "level.note.legendary_limit",
    }
    structures = {}
    option_defaults = {
        "structure": "own",
        "bye_score": 0,
        "legendary_limit": 3,
        "deck_era": "2017",
        "prize_places": 0,
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
        "decision.both_lose_score",
        "decision.warlords_as_keyforge",
        "decision.warlords_byes",
        "decision.warlords_concession",
        "decision.warlords_head_to_head",
        "decision.warlords_tiebreak_rounds",
        "decision.warlords_no_draw_in_elimination",
        "decision.warlords_sideboard_unique",
        "decision.warlords_both_at_zero",
        "decision.organizer_disqualifies",
        "decision.own_structure",
    )
    officials_play = {"*": base.WITH_SECOND}
    before_play = ("before.hero_first", "before.sideboard")
    leaving_asks = ("score",)
    lists: ClassVar[ListCheck] = WarlordsList()

    def minutes(self, stage: str, options: base.Options) -> int | None:
        """1: a best of three has no time, unless the organizer sets one; 2.4.2: nor has a tie-break round."""
        own = options.get("stages", {}).get(stage, {})
        if stage == records.TIEBREAK or ("minutes" not in own and self.games(stage, options) == 3):
            return None
        return super().minutes(stage, options)

    def check_options(self, given: base.Options) -> None:
        """1: a round is one game; only the final, and the match for third place beside it, may be best of three."""
        super().check_options(given)
        for stage in (records.SWISS, records.ELIMINATION):
            if self.games(stage, given) != 1:
                raise Invalid(
                    "not_one_of", where=f"/options/stages/{stage}/best_of", value=self.games(stage, given), options="1"
                )

    def option_warnings(self, given: base.Options) -> list[Problem]:
        """2.4.2: prize places decide who plays on, so they are announced; by default there are none."""
        return [] if "prize_places" in given else [Problem("prize_places_unsaid", where="/options/prize_places")]

    def winner(self, result: records.Result, options: base.Options) -> str:
        """ "Condiciones de derrota": lives do not decide (who cannot draw loses at any life): the winner is stated."""
        stated = base.stated_winner(result)
        return base.named_winner(result) if stated is None else stated

    def elimination_winner(self, result: records.Result, options: base.Options, better: records.Side) -> str:
        """House decision: a game that would be drawn continues, untimed."""
        winner = self.winner(result, options)
        if winner == DRAW:
            raise Problem("no_draw_here", where="/winner")
        return winner

    def scoring(self, options: base.Options) -> Scoring:
        """2: 3, 1 or 0 points; a bye's SCORE is the event's option."""
        return Scoring(POINTS, self.tiebreakers, bye={"score": (options.get("bye_score", 0), 0)})

    def counted_figures(
        self, match: records.Match, options: base.Options, totals: base.ListTotals
    ) -> Mapping[str, records.SidePair]:
        """2.1: SCORE is the difference of the lives, each between 0 and 20."""
        assert match.result is not None
        return {"score": counted_life(match.result)}

    def form(self, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND) -> Form:
        """1: at time the active player's turn and three more, then a draw. A loser with life left is asked why (A 7.2,
        A 7.3)."""
        if self.games(situation.stage, options) == 3:
            decider = WayToEnd("played", ANY_TIME, records.PLAYED, (), winner=OPENER)
            return Form(
                self.id, (decider, WayToEnd("conceded", ANY_TIME, records.CONCESSION, ())), direct=True, games=2
            )
        winner = Figure("score", WINNER, 0, FULL_LIFE, FULL_LIFE, beyond=True)
        none_left = Figure("score", LOSER, 0, 0, 0, asked=False, beyond=True)
        loser = Figure("score", LOSER, 0, FULL_LIFE, FULL_LIFE, beyond=True)
        in_time = ANY_TIME if situation.knockout else BEFORE_TIME
        why = Choice(REASON, "form.lost_by", REASONS)
        ways = [
            WayToEnd("played", in_time, records.PLAYED, (winner, none_left), winner=OPENER),
            WayToEnd("cards_out", ANY_TIME, records.PLAYED, (why, winner, loser), winner=OPENER),
            WayToEnd("conceded", ANY_TIME, records.CONCESSION, (winner, none_left)),
        ]
        if not situation.knockout:
            turns = (Choice("active", "form.whose_turn", ("a", "b")), Turns("turns", "form.last_turns", 4, "active"))
            ways = [
                WayToEnd(
                    "time",
                    AT_TIME,
                    records.TIME,
                    (*turns, winner, loser, WinnerByAnswer("last_turns", "turns")),
                    winner=DECIDED,
                ),
                *ways,
                WayToEnd("draw", AT_TIME, records.TIME, (winner, loser), winner=DRAWN),
                WayToEnd(
                    "both_gone", ANY_TIME, records.PLAYED, (none_left.replace(whose=WINNER), none_left), winner=DRAWN
                ),
            ]
        return Form(self.id, tuple(ways), worth=("points", "score"), direct=True)

    def has_won(
        self, result: records.Result, side: records.Side, options: base.Options, situation: base.MatchSituation
    ) -> bool:
        """A 7: the other side has no life left and this one has some; in a best of three, two games."""
        if self.games(situation.stage, options) == 3:
            return result.score.of(side) >= 2
        return result.score.of(records.other_side(side)) <= 0 < result.score.of(side)

    def check_new(
        self, result: records.Result, options: base.Options, situation: base.MatchSituation = base.SWISS_ROUND
    ) -> None:
        """A 7: no life left means a loss, some life left needs a reason; both at 0 or below is a draw (house decision).
        An elimination or tie-break game needs a winner."""
        base.refuse_unknown_keys(result, self.id, ("first_player", "timeout"))
        winner = self.elimination_winner(result, options, "a") if situation.knockout else self.winner(result, options)
        if result.ended == records.RULING:
            return
        refuse = _refuse_games if self.games(situation.stage, options) == 3 else _refuse_lives
        refuse(result, winner)


def _refuse_games(result: records.Result, winner: str) -> None:
    """A best of three keeps who won, or the games: two of the winner's, at most one of the loser's."""
    base.refuse_figure_range("score", result.score, 0, 2)
    won = records.SidePair(*(result.score.of(side) == 2 for side in records.SIDES))
    wanted = (
        records.SidePair(*(winner == side for side in records.SIDES))
        if result.ended != records.CONCESSION
        else records.SidePair()
    )
    if result.score != records.SidePair() and won != wanted:
        raise Invalid("winner_contradicts_games", where="/winner", winner=winner, a=result.score.a, b=result.score.b)


def _refuse_lives(result: records.Result, winner: str) -> None:
    """Raise Problem where these lives exclude that winner, or leave open why the other has lost."""
    gone = [side for side in records.SIDES if result.score.of(side) <= 0]
    if winner == DRAW:
        if len(gone) == 1:
            raise Invalid("drawn_without_life", where="/winner", side=gone[0], right=records.other_side(gone[0]))
        if not gone and result.ended == records.PLAYED:
            raise Invalid("no_draw_before_time", where="/winner")
        return
    side: records.Side = "a" if winner == "a" else "b"
    if side in gone:
        raise Invalid("winner_without_life", where="/winner", winner=side, life=result.score.of(side))
    loser = records.other_side(side)
    told = (result.timeout or {}).get(REASON)
    if result.ended != records.CONCESSION and loser not in gone and told not in REASONS:
        raise Invalid("loser_has_life", where=f"/score/{loser}", life=result.score.of(loser))


def counted_life(result: records.Result) -> records.SidePair:
    """2.1: lives as they count, from 0 to 20; who conceded has none left (house decision)."""
    a, b = (max(0, min(FULL_LIFE, life)) for life in (result.score.a, result.score.b))
    if result.ended == records.CONCESSION:
        a, b = (0, b) if result.conceded_by == "a" else (a, 0)
    return records.SidePair(a, b)
