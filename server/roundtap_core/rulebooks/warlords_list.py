"""Deck lists of Warlords of Terra: battle, construction, sideboard and hero ("Mazos", "Prebanquillo", "Listados")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from roundtap_core.errors import Invalid, Problem
from roundtap_core.lists.list_form import NUMBER, TICK, Field, Lines, ListCheck, ListForm
from roundtap_core.lists.parts import ListData, copies, fold, rows, text

BATTLE, CONSTRUCTION, SIDEBOARD = "battle", "construction", "sideboard"
MAIN = (BATTLE, CONSTRUCTION)
BEFORE_2017 = "before-2017"
"""The option deck_era: construction decks until 31 May 2017 had 20 cards, and 4 copies of a place."""
FRIENDLY = "friendly"

CARDS = (
    Field("count", NUMBER, minimum=1, maximum=99, usual=1), Field("name", label="card"), Field("unique", TICK),
    Field("legendary", TICK), Field("realm", label="card_realm"),
)


SWAP_SIGN = ">"


class Swap(Struct, frozen=True):
    """One card of the battle or construction deck for one of the sideboard, before a game."""

    deck: str
    out: str
    into: str


def sizes(options: Mapping[str, Any]) -> dict[str, int]:
    """How many cards each deck has, no more and no less: 66 with the hero, 71 in the earlier era."""
    return {BATTLE: 40, CONSTRUCTION: 20 if options.get("deck_era") == BEFORE_2017 else 15, SIDEBOARD: 10}


def most_copies(deck: str, options: Mapping[str, Any]) -> int:
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
        """"Cartas legendarias": the limits of the main deck hold again after swapping."""
        return problems_after_swap(list_, swaps_typed(list_, lines), options, level)
    also = ListCheck.also | {"hero"}

    def form(self, options: Mapping[str, Any]) -> ListForm:
        return ListForm(
            fields=(Field("faction", label="realm"), Field("hero")),
            lines=tuple(Lines(deck, CARDS, usually) for deck, usually in ((BATTLE, 18), (CONSTRUCTION, 8),
                                                                          (SIDEBOARD, 6))),
        )

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        return [
            *_size_problems(list_, options), *_copy_problems(list_, (*MAIN, SIDEBOARD), options),
            *_legendary_problems(list_, options, level), *_hero_problems(list_), *_realm_problems(list_),
        ]

    def required(self, options: Mapping[str, Any], level: str | None = None) -> bool:
        """"Presentación de listados": in competitive events; a friendly one demands none."""
        return level != FRIENDLY and super().required(options, level)

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """"Presentación de listados": all the cards, in all their decks."""
        found = []
        if not text(list_, "faction"):
            found.append(Problem("list_realm_missing", where="/faction"))
        if not text(list_, "hero"):
            found.append(Problem("list_hero_missing", where="/hero"))
        for deck, size in sizes(options).items():
            if not rows(list_, deck):
                found.append(_size_problem(deck, 0, size))
            found += [Problem("list_line_name_missing", where=f"/{deck}/{index}/name", line=index + 1)
                      for index, card in rows(list_, deck) if not text(card, "name")]
        return found


def problems_after_swap(
    list_: ListData, swaps: Sequence[Swap], options: Mapping[str, Any], level: str | None = None
) -> list[Problem]:
    """"Prebanquillo": what of the main deck does not hold after these cards were exchanged.

    The sideboard's own limit is for the list; what was taken out lies there until the round is over.
    """
    after, found = _after(list_, swaps)
    return [*found, *_copy_problems(after, MAIN, options), *_legendary_problems(after, options, level)]


def swaps_typed(list_: ListData, lines: str) -> list[Swap]:
    """Swaps as a judge types them: "card out > card in", one a line; the deck is the one that holds the card.

    Raises Problem("list_swap_unreadable") with the line.
    """
    swaps = []
    for number, line in enumerate((line for line in lines.splitlines() if line.strip()), start=1):
        out, sign, into = (part.strip() for part in line.partition(SWAP_SIGN))
        if not (out and sign and into):
            raise Problem("list_swap_unreadable", line=number, sign=SWAP_SIGN)
        held = [deck for deck in MAIN if any(fold(text(card, "name")) == fold(out) for _, card in rows(list_, deck))]
        swaps.append(Swap(next(iter(held), BATTLE), out, into))
    return swaps


def _after(list_: ListData, swaps: Sequence[Swap]) -> tuple[dict[str, Any], list[Problem]]:
    """The list with the cards exchanged; lines keep their numbers, new ones stand at the end."""
    decks = {deck: [dict(card) for _, card in rows(list_, deck)] for deck in (*MAIN, SIDEBOARD)}
    found: list[Problem] = []
    for place, swap in enumerate(swaps):
        line, where = place + 1, f"/swaps/{place}"
        if swap.deck not in MAIN:
            found.append(Invalid("not_one_of", where=f"{where}/deck", value=swap.deck, options=", ".join(MAIN)))
            continue
        leaving, coming = _one_of(decks[swap.deck], swap.out), _one_of(decks[SIDEBOARD], swap.into)
        if leaving is None:
            found.append(Problem("list_swap_not_in_deck", where=f"{where}/out", line=line, name=swap.out))
        if coming is None:
            found.append(Problem("list_swap_not_in_sideboard", where=f"{where}/into", line=line, name=swap.into))
        if leaving is not None and coming is not None:
            for card, deck in ((leaving, SIDEBOARD), (coming, swap.deck)):
                card["count"] = copies(card) - 1
                decks[deck].append({**card, "count": 1})
    return {**list_, **decks}, found


def _one_of(deck: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    return next((card for card in deck if fold(text(card, "name")) == fold(name) and copies(card) > 0), None)


def _size_problems(list_: ListData, options: Mapping[str, Any]) -> Iterator[Problem]:
    for deck, size in sizes(options).items():
        cards = rows(list_, deck)
        count = sum(copies(card) for _, card in cards)
        if cards and count != size:
            yield _size_problem(deck, count, size)


def _size_problem(deck: str, count: int, size: int) -> Problem:
    if deck == BATTLE:
        return Problem("list_battle_size", where=f"/{deck}", count=count, right=size)
    if deck == CONSTRUCTION:
        return Problem("list_construction_size", where=f"/{deck}", count=count, right=size)
    return Problem("list_sideboard_size", where=f"/{deck}", count=count, right=size)


def _copy_problems(list_: ListData, decks: Sequence[str], options: Mapping[str, Any]) -> Iterator[Problem]:
    """"Tipos de carta y cartas únicas": at the line with which a card is there too often in its deck.

    A card that is marked as unique or legendary once is so in every deck. "Prebanquillo" sets two copies of any card,
    and "Cartas legendarias" no limit of its own: one copy of a legendary card is a rule of the main deck.
    """
    everywhere = (*MAIN, SIDEBOARD)
    unique, legendary = (
        {fold(text(card, "name")) for deck in everywhere for _, card in rows(list_, deck) if card.get(mark) is True}
        for mark in ("unique", "legendary"))
    for deck in decks:
        counted: dict[str, int] = {}
        for index, card in rows(list_, deck):
            name = fold(text(card, "name"))
            if not name:
                continue
            single = name in unique or (name in legendary and deck != SIDEBOARD)
            most, before = 1 if single else most_copies(deck, options), counted.get(name, 0)
            counted[name] = before + copies(card)
            if before <= most < counted[name]:
                yield Problem("list_too_many_copies", where=f"/{deck}/{index}/count", line=index + 1,
                              name=text(card, "name"), count=counted[name], maximum=most)


def _legendary_problems(list_: ListData, options: Mapping[str, Any], level: str | None) -> Iterator[Problem]:
    """"Cartas legendarias": at most X in battle and construction together; in friendly events they are as unique ones,
    and in the sideboard as many as one likes."""
    if level == FRIENDLY:
        return
    most, counted = options.get("legendary_limit", 3), 0
    for deck in MAIN:
        for index, card in rows(list_, deck):
            if card.get("legendary") is True:
                before, counted = counted, counted + copies(card)
                if before <= most < counted:
                    yield Problem("list_too_many_legendary", where=f"/{deck}/{index}/legendary", line=index + 1,
                                  name=text(card, "name"), maximum=most)


def _hero_problems(list_: ListData) -> Iterator[Problem]:
    """"Prebanquillo": never a hero among the ten."""
    hero = fold(text(list_, "hero"))
    for index, card in rows(list_, SIDEBOARD):
        if card.get("hero") is True or (hero and fold(text(card, "name")) == hero):
            yield Problem("list_hero_in_sideboard", where=f"/{SIDEBOARD}/{index}/name", line=index + 1,
                          name=text(card, "name"))


def _realm_problems(list_: ListData) -> Iterator[Problem]:
    """"No pueden mezclarse reinos": every card is of the list's realm."""
    realm = text(list_, "faction")
    for deck in (*MAIN, SIDEBOARD):
        for index, card in rows(list_, deck):
            written = text(card, "realm")
            realm = realm or written
            if written and fold(written) != fold(realm):
                yield Problem("list_other_realm", where=f"/{deck}/{index}/realm", line=index + 1,
                              name=text(card, "name"), realm=realm)
