"""Squad lists of X-Wing standard: at most 100 points, three different obstacles, the product where names are shared."""

import hashlib
from typing import Any

import pytest

from lists_kit import every_label, places
from roundtap_core.lists.list_form import list_digest, option_text
from roundtap_core.records import Competitor
from roundtap_core.rulebooks.xwing_standard import OBSTACLES, XWingStandardList
from roundtap_core.words import LANGUAGES, core_words

CHECK = XWingStandardList()
OPTIONS = {"squad_points": 100}
REQUIRED = {**OPTIONS, "lists_required": True}
SHIPS = [
    {
        "name": "Han Solo (Millennium Falke)",
        "ship": "YT-1300",
        "points": 47,
        "upgrades": ["Millennium Falke (Helden des Widerstands)"],
    },
    {"count": 2, "name": "Pilot der Roten Staffel", "ship": "T-65", "points": 23},
]
WHOLE = {
    "faction": "Rebel",
    "total": 93,
    "damage_deck": "original",
    "obstacles": ["asteroid-1", "asteroid-12", "debris-6"],
    "ships": SHIPS,
}


def broken(**changes: Any) -> dict[str, str]:
    return places(CHECK.problems({**WHOLE, **changes}, OPTIONS))


def test_a_whole_list_is_right_and_complete() -> None:
    assert CHECK.problems(WHOLE, REQUIRED) == []
    every_label(CHECK, OPTIONS)


def test_faction_and_total_alone_are_incomplete_but_not_wrong() -> None:
    alone = {"faction": "Rebel", "total": 98}
    assert CHECK.problems(alone, OPTIONS) == []
    assert places(CHECK.problems(alone, REQUIRED)) == {
        "/ships": "list_ships_missing",
        "/damage_deck": "list_damage_deck_missing",
        "/obstacles": "list_obstacles_missing",
    }


def test_a_squad_of_more_than_100_points_is_refused_one_of_100_is_not() -> None:
    assert broken(total=101, ships=[]) == {"/total": "list_over_points"}
    assert broken(total=100, ships=[]) == {}
    assert CHECK.problems({"total": 150}, {"squad_points": 150}) == []


def test_what_the_ships_cost_counts_where_no_total_is_written() -> None:
    ships = [{"count": 8, "name": "Pilot der Akademie", "points": 13}]
    assert broken(total=None, ships=ships) == {"/ships": "list_over_points"}
    assert CHECK.total({"ships": ships}) == 104
    assert CHECK.completed({"ships": ships})["total"] == 104
    assert CHECK.total({"ships": [{"points": 13}, {"name": "Howlrunner"}]}) is None


def test_a_total_that_the_ships_do_not_come_to_is_shown_with_both_figures() -> None:
    problem = CHECK.problems({**WHOLE, "total": 94}, OPTIONS)[0]
    assert problem.say() == "The total says 94, but the lines add up to 93. Correct one of them."


def test_one_faction_of_three_and_one_of_two_damage_decks() -> None:
    assert broken(faction="Hutt", damage_deck="blue") == {"/faction": "not_one_of", "/damage_deck": "not_one_of"}
    assert broken(faction="Scum and Villainy", damage_deck="the-force-awakens") == {}


def test_three_different_obstacles_out_of_twelve_asteroids_and_six_debris_clouds() -> None:
    assert len(OBSTACLES) == 18
    assert broken(obstacles=["asteroid-1", "debris-1", "asteroid-1"]) == {"/obstacles/2": "list_obstacle_twice"}
    assert broken(obstacles=["asteroid-1", "debris-1"]) == {"/obstacles": "list_obstacles_count"}
    assert broken(obstacles=["asteroid-13", "debris-1", "debris-2"]) == {"/obstacles": "not_one_of"}
    assert option_text(core_words("de"), "debris-2") == "Trümmerfeld 2"


def test_a_line_says_which_it_is() -> None:
    found = CHECK.problems(
        {**WHOLE, "ships": [*SHIPS, {"name": "Howlrunner", "points": "zwölf"}, "Soontir Fel"]}, OPTIONS
    )
    assert places(found) == {"/ships/2/points": "list_line_number", "/ships/3": "list_line_unreadable"}
    assert found[0].say() == "Line 3: “zwölf” is not valid. Enter a whole number from 0 to 999."


def test_a_required_list_lacks_what_a_line_does_not_say() -> None:
    found = CHECK.problems({**WHOLE, "ships": [{"upgrades": ["R2-D2"]}]}, REQUIRED)
    assert places(found) == {"/ships/0/name": "list_line_name_missing", "/ships/0/points": "list_line_points_missing"}


def test_veronica_names_the_product_and_somebody_else_does_not() -> None:
    """Example of the document: "Han Solo (Millennium Falke)" and "Millennium Falke (Helden des Widerstands)"."""
    veronica = Competitor("p1", "Veronica Maier", list=WHOLE)
    nick = Competitor(
        "p2",
        "Nick Keller",
        list={
            "ships": [
                {"name": "Boba Fett"},
                {"name": "Han Solo", "upgrades": ["Millennium Falke (Millennium Falke)", "Millennium Falke"]},
            ]
        },
    )
    found = CHECK.event_warnings([veronica, nick], OPTIONS)
    assert places(found) == {
        "/1/list/ships/1/name": "list_which_product",
        "/1/list/ships/1/upgrades/1": "list_which_product",
    }
    assert CHECK.event_warnings([nick], OPTIONS)[0].where == "/0/list/ships/1/upgrades/1"
    assert CHECK.event_warnings([veronica], OPTIONS) == []


@pytest.mark.parametrize(
    "same",
    [
        {**WHOLE, "ships": [*reversed(SHIPS)]},
        {**WHOLE, "obstacles": ["debris-6", "asteroid-1", "asteroid-12"]},
        {**WHOLE, "ships": [*SHIPS, {}, {"name": " "}], "note": ""},
        {**WHOLE, "ships": [{**SHIPS[0], "name": " Han  Solo (Millennium Falke) "}, SHIPS[1]]},
    ],
)
def test_a_list_is_the_same_all_day_however_its_lines_are_ordered(same: dict[str, Any]) -> None:
    assert list_digest(CHECK.normalized(same), "salt") == list_digest(CHECK.normalized(WHOLE), "salt")


def test_another_upgrade_or_another_salt_is_another_digest() -> None:
    digest = list_digest(CHECK.normalized(WHOLE), "salt")
    other = {**WHOLE, "ships": [{**SHIPS[0], "upgrades": ["Chewbacca"]}, SHIPS[1]]}
    assert list_digest(CHECK.normalized(other), "salt") != digest
    assert list_digest(CHECK.normalized(WHOLE), "pepper") != digest


def test_the_digest_of_a_list_is_the_same_in_every_version() -> None:
    """It stands in entries. "No" says as little as nothing; a fraction is text."""
    list_ = {"total": 93, "cost": 99.5, "captain": False, "ships": [{"points": 47, "unique": True}]}
    written = b'{"list":{"cost":"99.5","ships":[{"points":47,"unique":true}],"total":93},"salt":"salt"}'
    assert list_digest(CHECK.normalized(list_), "salt") == hashlib.sha256(written).hexdigest()


def test_a_ship_of_another_faction_is_named_at_its_line() -> None:
    ships = [{"name": "Han Solo", "points": 46}, {"name": "Howlrunner", "points": 18, "faction": "Imperial"}]
    wrong = {"/ships/1/faction": "list_line_faction"}
    assert places(CHECK.wrong({"faction": "Rebel", "ships": ships}, OPTIONS)) == wrong
    assert CHECK.wrong({"faction": "Imperial", "ships": ships}, OPTIONS) == []
    both = [{**ships[0], "faction": "Rebel"}, ships[1]]
    assert places(CHECK.wrong({"ships": both}, OPTIONS)) == wrong


@pytest.mark.parametrize(
    ("typed", "option"),
    [
        ("Rebellen", "Rebel"),
        ("imperium", "Imperial"),
        ("  REBEL ", "Rebel"),
        ("Abschaum & Kriminelle", "Scum and Villainy"),
    ],
)
def test_options_may_be_said_in_the_person_s_own_language(typed: str, option: str) -> None:
    assert CHECK.problems({"faction": typed}, OPTIONS) == []
    assert CHECK.canonical({"faction": typed}, OPTIONS) == {"faction": option}


def test_every_option_is_understood_in_every_language() -> None:
    for language in LANGUAGES:
        words = core_words(language)
        said = {
            "faction": option_text(words, "Imperial"),
            "damage_deck": option_text(words, "original"),
            "obstacles": [option_text(words, option) for option in ("asteroid-3", "debris-2", "asteroid-12")],
        }
        assert CHECK.canonical(said, OPTIONS) == {
            "faction": "Imperial",
            "damage_deck": "original",
            "obstacles": ["asteroid-3", "debris-2", "asteroid-12"],
        }


def test_a_key_that_means_nothing_is_refused_by_its_name() -> None:
    problems = CHECK.problems({"factoin": "Rebel", "total": 98, "ships": [{"name": "Han Solo", "ponits": 46}]}, OPTIONS)
    assert places(problems) == {"/factoin": "list_key_unknown", "/ships/0/ponits": "list_key_unknown"}
    assert "factoin" in problems[0].say()


def test_nick_flies_four_headhunters_and_a_firespray_of_one_faction_whatever_box_they_came_in() -> None:
    """ "Schiffe von verschiedenen Fraktionen": models may come from any box, pilots and tokens from one faction."""
    ships = [
        {
            "count": 4,
            "name": "Schwarze-Sonne-Soldat",
            "ship": "Z-95-Kopfjäger",
            "points": 13,
            "faction": "Scum and Villainy",
        },
        {"name": "Kath Scarlet", "ship": "Firespray", "points": 38},
    ]
    nick = {"faction": "Scum and Villainy", "ships": ships}
    assert CHECK.wrong(nick, OPTIONS) == []
    rebel = [{**ships[0], "faction": "Rebel"}, ships[1]]
    assert "/ships/0/faction" in places(CHECK.wrong({**nick, "ships": rebel}, OPTIONS))
