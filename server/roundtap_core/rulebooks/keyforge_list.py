"""Decks of KeyForge: "Mazos de los jugadores", "Cartas de identidad", "Fundas para las cartas" of the document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.lists.list_form import NAMES, TICK, Field, ListCheck, ListForm
from roundtap_core.lists.parts import ListData, fold, names, text
from roundtap_core.records import Competitor

HOUSES = 3
INTRODUCTORY = frozenset({
    # As printed, and as the word is found where its ñ was lost.
    "senorita onice censorius", "sefiorita onice censorius", "radiante argus el supremo",
})
SLEEVES_LEVEL = "premium"


class ArchonDeck(ListCheck):
    """{"identity": name, "houses": [3], "identity_card": true, "opaque_sleeves": true}.

    Name and houses may stand in the competitor's own keys instead: what stands there holds.
    """

    def form(self, options: Mapping[str, Any]) -> ListForm:
        return ListForm(fields=(
            Field("identity"), Field("houses", NAMES, count=HOUSES), Field("identity_card", TICK),
            Field("opaque_sleeves", TICK),
        ))

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """"Mazos de los jugadores": a deck is unique, has three houses, and is presented by its card."""
        found, houses = [], names(list_, "houses")
        if fold(text(list_, "identity")) in INTRODUCTORY:
            found.append(Problem("list_introductory_deck", where="/identity", name=text(list_, "identity")))
        if houses and len(houses) != HOUSES:
            found.append(Problem("list_houses_count", where="/houses", count=len(houses), wanted=HOUSES))
        for place, house in enumerate(houses):
            if fold(house) in map(fold, houses[:place]):
                found.append(Problem("list_house_twice", where=f"/houses/{place}", name=house, wanted=HOUSES))
        if list_.get("identity_card") is False:
            found.append(Problem("list_identity_card_missing", where="/identity_card"))
        if list_.get("opaque_sleeves") is False and level == SLEEVES_LEVEL:
            found.append(Problem("list_sleeves_missing", where="/opaque_sleeves"))
        return found

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """"Cartas de identidad": without the card, nobody registers. "Fundas": opaque sleeves at the premium level."""
        found = []
        if not text(list_, "identity"):
            found.append(Problem("list_identity_missing", where="/identity"))
        if not names(list_, "houses"):
            found.append(Problem("list_houses_missing", where="/houses", wanted=HOUSES))
        if list_.get("identity_card") is None:
            found.append(Problem("list_identity_card_missing", where="/identity_card"))
        if list_.get("opaque_sleeves") is None and level == SLEEVES_LEVEL:
            found.append(Problem("list_sleeves_missing", where="/opaque_sleeves"))
        return found

    def of_competitor(self, competitor: Competitor) -> ListData:
        own: dict[str, Any] = {}
        if competitor.identity:
            own["identity"] = competitor.identity
        if competitor.houses:
            own["houses"] = list(competitor.houses)
        return {**(competitor.list or {}), **own}

    def into(self, competitor: Competitor, list_: ListData) -> Competitor:
        rest = {key: value for key, value in list_.items() if key not in ("identity", "houses")}
        return replace(competitor, list=rest or None, identity=text(list_, "identity") or None,
                       houses=tuple(names(list_, "houses")))

    def competitor_problems(
        self, competitor: Competitor, options: Mapping[str, Any], level: str | None = None
    ) -> list[Problem]:
        """Places are where the event file has it: "/houses/1" or "/list/houses/1"."""
        return [
            problem.but(_in_competitor(competitor, problem.where))
            for problem in super().competitor_problems(competitor, options, level)
        ]

    def event_warnings(self, competitors: Sequence[Competitor], options: Mapping[str, Any]) -> list[Problem]:
        """No two decks of the world bear the same name: one of these is copied, or written wrongly."""
        first: dict[str, Competitor] = {}
        found = []
        for place, competitor in enumerate(competitors):
            name = text(self.of_competitor(competitor), "identity")
            other = first.setdefault(fold(name), competitor)
            if name and other is not competitor:
                where = f"/{place}{_in_competitor(competitor, '/list/identity')}"
                found.append(Problem("list_deck_twice", where=where, name=name, other=other.name))
        return found


def _in_competitor(competitor: Competitor, where: str) -> str:
    key = where.removeprefix("/list/").partition("/")[0]
    own = {"identity": bool(competitor.identity), "houses": bool(competitor.houses)}
    return where.removeprefix("/list") if own.get(key) else where


class SealedDeck(ArchonDeck):
    """A deck that is opened at the event: {…, "registered_here": true}."""

    def form(self, options: Mapping[str, Any]) -> ListForm:
        return ListForm(fields=(*super().form(options).fields, Field("registered_here", TICK)))

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        found = super().wrong(list_, options, level)
        if list_.get("registered_here") is False:
            found.append(Problem("list_not_registered_here", where="/registered_here"))
        return found

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        found = super().missing(list_, options, level)
        if list_.get("registered_here") is None:
            found.append(Problem("list_not_registered_here", where="/registered_here"))
        return found
