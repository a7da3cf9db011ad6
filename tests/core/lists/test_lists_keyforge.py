"""Decks of KeyForge: identity card, three houses, no introductory deck, sleeves at the premium level."""

import pytest

from lists_kit import every_label, places
from roundtap_core.records import Competitor
from roundtap_core.rulebooks.keyforge import ArchonDeck, SealedDeck

ARCHON, SEALED = ArchonDeck(), SealedDeck()
REQUIRED = {"lists_required": True}
WHOLE = {"identity": "Doctora Grandeza la Serena", "houses": ["Brobnar", "Logos", "Sombras"], "identity_card": True}


def test_a_whole_deck_is_right_and_complete() -> None:
    assert ARCHON.problems(WHOLE, REQUIRED, "formal") == []
    every_label(ARCHON, {})
    every_label(SEALED, {})


@pytest.mark.parametrize(
    "name",
    [
        "Señorita Ónice Censorius",
        "SENORITA ONICE CENSORIUS",
        "Sefiorita Onice Censorius",
        "señorita “Ónice” Censorius",
        "Radiante Argus el Supremo",
        "radiante argus  el supremo",
        # Not from the document: the names in other languages.
        "Miss “Onyx” Censorius",
        'MISS "ONYX" CENSORIUS',
        "Miss Onyx Censorius",
        "Radiant Argus the Supreme",
        "Miss « Onyx » Censorius",
        "Suprême Argus Radiant",
        "Le Suprême Argus Radiant",
        "Fulgido Argus il Supremo",
        "Panna «Onyks» Censorius",
        "Najwyższy Argus Świetlisty",
        "najwyzszy argus swietlisty",
    ],
)
def test_the_two_introductory_decks_are_refused(name: str) -> None:
    assert places(ARCHON.problems({**WHOLE, "identity": name}, {})) == {"/identity": "list_introductory_deck"}


def test_a_deck_has_three_different_houses() -> None:
    assert places(ARCHON.problems({"houses": ["Logos", "Dis"]}, {})) == {"/houses": "list_houses_count"}
    assert places(ARCHON.problems({"houses": ["Logos", "Dis", " lógos"]}, {})) == {"/houses/2": "list_house_twice"}


def test_without_its_identity_card_a_deck_is_not_valid() -> None:
    assert places(ARCHON.problems({**WHOLE, "identity_card": None}, REQUIRED)) == {
        "/identity_card": "list_identity_card_missing"
    }
    assert ARCHON.problems({**WHOLE, "identity_card": None}, {}) == []
    assert places(ARCHON.problems({**WHOLE, "identity_card": False}, {})) == {
        "/identity_card": "list_identity_card_missing"
    }


def test_opaque_sleeves_are_ticked_at_the_premium_level_only() -> None:
    assert places(ARCHON.problems(WHOLE, REQUIRED, "premium")) == {"/opaque_sleeves": "list_sleeves_missing"}
    assert ARCHON.problems({**WHOLE, "opaque_sleeves": True}, REQUIRED, "premium") == []
    assert places(ARCHON.problems({**WHOLE, "opaque_sleeves": False}, {}, "premium")) == {
        "/opaque_sleeves": "list_sleeves_missing"
    }
    assert ARCHON.problems({**WHOLE, "opaque_sleeves": False}, {}, "relaxed") == []


def test_a_sealed_deck_is_registered_at_the_event() -> None:
    assert places(SEALED.problems(WHOLE, REQUIRED)) == {"/registered_here": "list_not_registered_here"}
    assert places(SEALED.problems({**WHOLE, "registered_here": False}, {})) == {
        "/registered_here": "list_not_registered_here"
    }
    assert SEALED.problems({**WHOLE, "registered_here": True}, REQUIRED) == []


def test_the_deck_may_stand_in_the_competitor_s_own_keys() -> None:
    ana = Competitor("p1", "Ana Ruiz", identity="Radiante Argus el Supremo", houses=("Dis", "Dis", "Logos"))
    assert places(ARCHON.competitor_problems(ana, {})) == {
        "/identity": "list_introductory_deck",
        "/houses/1": "list_house_twice",
    }
    bruno = Competitor("p2", "Bruno Maier", list={**WHOLE, "houses": ["Dis"]})
    assert places(ARCHON.competitor_problems(bruno, {})) == {"/list/houses": "list_houses_count"}


def test_nothing_handed_in_is_one_problem_where_decks_are_required() -> None:
    kai = Competitor("p3", "Kai Eich")
    assert places(ARCHON.competitor_problems(kai, REQUIRED)) == {"/list": "list_not_handed_in"}
    assert ARCHON.competitor_problems(kai, {}) == []


def test_a_deck_s_name_that_stands_twice_is_flagged_not_refused() -> None:
    people = [
        Competitor("p1", "Ana Ruiz", list=WHOLE),
        Competitor("p2", "Kai Eich"),
        Competitor("p4", "Eva Luz"),
        Competitor("p3", "Łukasz Żak", identity="doctora grandeza LA SERENA"),
    ]
    found = ARCHON.event_warnings(people, {})
    assert places(found) == {"/3/identity": "list_deck_twice"}
    assert found[0].params["other"] == "Ana Ruiz"


def test_a_deck_is_kept_where_the_event_file_keeps_it() -> None:
    kept = ARCHON.with_list(Competitor("p1", "Ana Ruiz", identity="Die alte"), WHOLE)
    assert (kept.identity, kept.houses, kept.list) == (
        WHOLE["identity"],
        ("Brobnar", "Logos", "Sombras"),
        {"identity_card": True},
    )
    assert ARCHON.of_competitor(kept) == WHOLE
