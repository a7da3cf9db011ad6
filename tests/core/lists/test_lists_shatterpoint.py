"""Lists of Shatterpoint Premier Showdown: four squads, one mission set, no name twice over all of them."""

from typing import Any

from lists_kit import every_label, places
from roundtap_core.rulebooks.shatterpoint import ShatterpointList

CHECK = ShatterpointList()
REQUIRED = {"lists_required": True}


def unit(name: str, *unique_names: str) -> dict[str, Any]:
    return {"name": name, "unique_names": list(unique_names)}


WHOLE = {
    "mission": "Zestaw misji 1",
    "squad_1": [unit("Generał Anakin Skywalker", "Anakin Skywalker"), unit("Kapitan Rex", "Rex"), unit("501. Legion")],
    "squad_2": [unit("Ahsoka Tano, już nie Jedi", "Ahsoka Tano"), unit("Gar Saxon", "Gar Saxon")],
    "squad_3": [unit("Lord Maul", "Maul")],
    "squad_4": [unit("Bo-Katan Kryze", "Bo-Katan Kryze")],
}


def test_four_squads_and_a_mission_are_right_and_complete() -> None:
    assert CHECK.problems(WHOLE, REQUIRED) == []
    every_label(CHECK, {})


def test_a_unit_name_stands_once_over_all_four_squads() -> None:
    found = CHECK.problems({**WHOLE, "squad_3": [unit("Lord Maul", "Maul"), unit("501. legion")]}, {})
    assert places(found) == {"/squad_3/1/name": "list_unit_twice"}
    assert found[0].say().startswith("Line 2: the unit “501. legion” is already in squad A.")


def test_a_unique_name_stands_once_even_on_units_of_other_names() -> None:
    vader = [unit("Darth Vader", "Anakin Skywalker"), unit("Maul i Savage", "Savage Opress", "maul")]
    assert places(CHECK.problems({**WHOLE, "squad_4": vader}, {})) == {
        "/squad_4/0/unique_names/0": "list_unique_in_squads",
        "/squad_4/1/unique_names/1": "list_unique_in_squads",
    }


def test_a_squad_that_is_not_there_is_missing_a_fifth_is_wrong() -> None:
    short = {**WHOLE, "squad_2": [], "mission": "", "squad_5": []}
    assert places(CHECK.problems(short, {})) == {"/squad_5": "list_squad_surplus"}
    assert places(CHECK.problems(short, REQUIRED)) == {
        "/squad_5": "list_squad_surplus",
        "/squad_2": "list_squad_missing",
        "/mission": "list_mission_missing",
    }


def test_a_unit_needs_its_name_where_lists_are_required() -> None:
    assert places(CHECK.problems({**WHOLE, "squad_4": [unit("", "Grogu")]}, REQUIRED)) == {
        "/squad_4/0/name": "list_line_name_missing"
    }
