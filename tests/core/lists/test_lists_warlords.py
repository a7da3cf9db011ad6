"""Deck lists of Warlords of Terra: 66 cards in their decks, copies, legendary cards, and swapping before a game."""

from typing import Any

from lists_kit import every_label, places
from roundtap_core.records import Competitor
from roundtap_core.rulebooks.warlords import CardSwap, WarlordsList, problems_after_swap

CHECK = WarlordsList()
REQUIRED = {"lists_required": True, "legendary_limit": 3}


def cards(number: int, kind: str, each: int = 3) -> list[dict[str, Any]]:
    """So many cards, `each` of a name, the rest of the last."""
    whole = [{"count": each, "name": f"{kind} {n}"} for n in range(number // each)]
    return [*whole, *([{"count": number % each, "name": f"{kind} resto"}] if number % each else [])]


WHOLE = {
    "faction": "Overlords",
    "hero": "Caudillo",
    "battle": cards(40, "Tropa"),
    "construction": cards(15, "Lugar"),
    "sideboard": cards(10, "Reserva", 2),
}


def broken(options: dict[str, Any] | None = None, level: str = "competitive", **changes: Any) -> dict[str, str]:
    return places(CHECK.problems({**WHOLE, **changes}, options or {}, level))


def with_card(deck: str, place: int, **changes: Any) -> dict[str, Any]:
    """The whole list's deck with one line changed."""
    lines: list[dict[str, Any]] = list(WHOLE[deck])  # type: ignore[arg-type]
    return {deck: [{**card, **changes} if index == place else card for index, card in enumerate(lines)]}


def test_66_cards_are_right_and_complete() -> None:
    assert CHECK.problems(WHOLE, REQUIRED, "competitive") == []
    assert sum(card["count"] for deck in ("battle", "construction", "sideboard") for card in WHOLE[deck]) + 1 == 66
    every_label(CHECK, {})
    assert CHECK.total(WHOLE) is None


def test_no_deck_has_a_card_more_or_less() -> None:
    assert broken(battle=cards(39, "Tropa")) == {"/battle": "list_battle_size"}
    assert broken(construction=cards(16, "Lugar")) == {"/construction": "list_construction_size"}
    assert broken(sideboard=cards(9, "Reserva", 1)) == {"/sideboard": "list_sideboard_size"}


def test_a_deck_that_is_not_there_is_missing_not_wrong() -> None:
    assert broken(battle=[], hero=None) == {}
    assert broken(REQUIRED, battle=[], hero=None, faction=None) == {
        "/battle": "list_battle_size",
        "/hero": "list_hero_missing",
        "/faction": "list_realm_missing",
    }
    assert broken(REQUIRED, **with_card("battle", 4, name="")) == {"/battle/4/name": "list_line_name_missing"}


def test_until_june_2017_a_deck_has_71_cards_and_four_copies_of_a_place() -> None:
    before = {"deck_era": "before-2017"}
    earlier = cards(20, "Lugar", 4)
    assert broken(before, construction=earlier) == {}
    assert broken(construction=earlier)["/construction"] == "list_construction_size"
    five = [{**earlier[0], "count": 5}, *earlier[1:4], {**earlier[4], "count": 3}]
    assert broken(before, construction=five) == {"/construction/0/count": "list_too_many_copies"}
    four_troops = [{"count": 4, "name": "Medusa"}, *cards(36, "Tropa")]
    assert broken(before, battle=four_troops, construction=earlier) == {"/battle/0/count": "list_too_many_copies"}


def test_three_copies_of_a_card_in_each_deck() -> None:
    lines = [*cards(36, "Tropa"), {"count": 3, "name": "Medusa"}, {"count": 1, "name": "MEDUSA"}]
    found = CHECK.problems({**WHOLE, "battle": lines}, {})
    assert places(found) == {"/battle/13/count": "list_too_many_copies"}
    assert found[0].say() == "Line 14 makes 4 of “MEDUSA” in this deck. The maximum is 3."


def test_one_copy_of_a_unique_or_legendary_card() -> None:
    assert broken(**with_card("battle", 0, unique=True)) == {"/battle/0/count": "list_too_many_copies"}
    assert broken(**with_card("construction", 0, legendary=True), level="friendly") == {
        "/construction/0/count": "list_too_many_copies"
    }
    assert broken(**with_card("battle", 13, unique=True, legendary=True)) == {}


def test_two_copies_of_a_card_in_the_sideboard_one_of_a_unique_one() -> None:
    assert broken(sideboard=[{"count": 3, "name": "Fauno"}, *cards(7, "Reserva", 1)]) == {
        "/sideboard/0/count": "list_too_many_copies"
    }
    assert broken(**with_card("sideboard", 0, unique=True)) == {"/sideboard/0/count": "list_too_many_copies"}


def legendary(number: int, kind: str) -> list[dict[str, Any]]:
    return [{"name": f"{kind} legendaria {n}", "legendary": True} for n in range(number)]


def test_legendary_cards_count_over_battle_and_construction_together() -> None:
    """Example of the document: with one legendary place, two are left for the battle deck."""
    place = [*legendary(1, "Lugar"), *cards(14, "Lugar")]
    two, three = ([*legendary(n, "Tropa"), *cards(40 - n, "Tropa")] for n in (2, 3))
    assert broken(construction=place, battle=two) == {}
    assert broken(construction=place, battle=three) == {"/construction/0/legendary": "list_too_many_legendary"}
    assert broken({"legendary_limit": 2}, battle=three) == {"/battle/2/legendary": "list_too_many_legendary"}
    assert broken({"legendary_limit": 0}, battle=two) == {"/battle/0/legendary": "list_too_many_legendary"}


def test_friendly_events_and_sideboards_have_no_limit_of_legendary_cards() -> None:
    four = [*legendary(4, "Tropa"), *cards(36, "Tropa")]
    assert broken(level="friendly", battle=four) == {}
    assert broken(sideboard=legendary(10, "Reserva")) == {}


def test_two_copies_of_one_legendary_card_in_the_sideboard_but_one_in_a_deck() -> None:
    """ "Prebanquillo": two of any card; "Cartas legendarias" sets no limit there, and one copy in the main deck."""
    two = [{"count": 2, "name": "Dragón", "legendary": True}, *cards(8, "Reserva", 2)]
    assert broken(sideboard=two) == {}
    assert broken(sideboard=[{**two[0], "count": 3}, *cards(7, "Reserva", 1)]) == {
        "/sideboard/0/count": "list_too_many_copies"
    }
    both = [CardSwap("battle", f"Tropa {n}", "Dragón") for n in (0, 1)]
    assert (
        "list_too_many_copies"
        in places(
            problems_after_swap({**WHOLE, "sideboard": two}, both, {"legendary_limit": 3}, "competitive")
        ).values()
    )


def test_friendly_events_demand_no_list() -> None:
    """ "Cada jugador que se presente a un torneo competitivo": only there."""
    nobody, half = Competitor("p1", "Ana"), Competitor("p1", "Ana", list={"faction": "Overlords"})
    for competitor, key in ((nobody, "list_not_handed_in"), (half, "list_hero_missing")):
        assert key in {p.key for p in CHECK.competitor_problems(competitor, REQUIRED, "competitive")}
        assert CHECK.competitor_problems(competitor, REQUIRED, "friendly") == []


def test_no_hero_in_the_sideboard_and_no_second_realm() -> None:
    side = [{"name": "caudillo"}, {"name": "Otra", "hero": True}, *cards(8, "Reserva", 2)]
    assert broken(sideboard=side) == {
        "/sideboard/0/name": "list_hero_in_sideboard",
        "/sideboard/1/name": "list_hero_in_sideboard",
    }
    assert broken(**with_card("battle", 2, realm="Ángeles")) == {"/battle/2/realm": "list_other_realm"}
    assert broken(**with_card("battle", 2, realm="overlords")) == {}


def swapped(*swaps: CardSwap, level: str = "competitive", **changes: Any) -> dict[str, str]:
    return places(problems_after_swap({**WHOLE, **changes}, swaps, {"legendary_limit": 1}, level))


def test_cards_are_swapped_one_for_one_with_the_sideboard() -> None:
    assert swapped(CardSwap("battle", "Tropa 0", "Reserva 0"), CardSwap("construction", "Lugar 0", "Reserva 1")) == {}
    assert swapped(CardSwap("battle", "Lugar 0", "Reserva 9"), CardSwap("hero", "Caudillo", "Reserva 0")) == {
        "/swaps/0/out": "list_swap_not_in_deck",
        "/swaps/0/into": "list_swap_not_in_sideboard",
        "/swaps/1/deck": "not_one_of",
    }
    thrice = [CardSwap("battle", f"Tropa {n}", "Reserva 0") for n in range(3)]
    assert swapped(*thrice) == {"/swaps/2/into": "list_swap_not_in_sideboard"}


def test_the_limits_hold_again_after_swapping() -> None:
    side = [{"name": "Dragón", "legendary": True}, {"name": "Tropa 1"}, *cards(8, "Reserva", 2)]
    main = [*legendary(1, "Tropa"), *cards(39, "Tropa")]
    assert swapped(CardSwap("battle", "Tropa 0", "Dragón"), battle=main, sideboard=side) == {
        "/battle/14/legendary": "list_too_many_legendary"
    }
    assert swapped(CardSwap("battle", "Tropa 0", "Dragón"), battle=main, sideboard=side, level="friendly") == {}
    assert swapped(CardSwap("battle", "Tropa legendaria 0", "Dragón"), battle=main, sideboard=side) == {}
    assert swapped(CardSwap("battle", "Tropa 0", "Tropa 1"), sideboard=side) == {
        "/battle/14/count": "list_too_many_copies"
    }


def test_two_copies_of_one_legendary_card_lie_in_the_sideboard_never_three_and_one_of_a_unique() -> None:
    """ "El número de cartas legendarias permitidas en el prebanquillo no está limitado"; two copies of any card."""

    def sideboard(**card: object) -> dict[str, str]:
        return places(
            CHECK.wrong(
                {"sideboard": [{"name": "Dragón", **card}, {"count": 10 - int(str(card["count"])), "name": "Soldado"}]},
                REQUIRED,
            )
        )

    assert "/sideboard/0/count" not in sideboard(count=2, legendary=True)
    assert sideboard(count=3, legendary=True)["/sideboard/0/count"] == "list_too_many_copies"
    assert sideboard(count=2, unique=True)["/sideboard/0/count"] == "list_too_many_copies"
