"""Squad lists of X-Wing Epic: points, epic points, ships of one type, and a team's two lists."""

from typing import Any

import pytest

from lists_kit import every_label, places
from roundtap_core.records import Competitor
from roundtap_core.rulebooks.xwing_epic import EpicDuelList, EpicTeamList

DUEL, TEAM = EpicDuelList(), EpicTeamList()
FOR_TWO, FOR_TEAMS = {"squad_points": 300}, {"squad_points": 400}
CR90 = {"name": "Corbeta corelliana", "ship": "CR90", "size": "huge", "points": 90}
GR75 = {"name": "Transporte GR-75", "ship": "Transporte", "size": "huge", "points": 30}


def ship(name: str, of_type: str = "Caza TIE", size: str = "small", points: int = 12, **more: Any) -> dict[str, Any]:
    return {"name": name, "ship": of_type, "size": size, "points": points, **more}


def duel(*ships: dict[str, Any], **more: Any) -> dict[str, str]:
    return places(DUEL.problems({"faction": "Imperial", "ships": list(ships), **more}, FOR_TWO))


WHOLE = {"faction": "Rebel", "total": 144, "epic_points": 5, "ships": [CR90, GR75, ship("Wedge", "Ala-X", points=24)]}


def test_a_whole_list_is_right_and_complete() -> None:
    assert DUEL.problems(WHOLE, {**FOR_TWO, "lists_required": True}) == []
    every_label(DUEL, FOR_TWO)


def test_at_most_300_points() -> None:
    assert duel(total=301) == {"/total": "list_over_points"}
    assert duel(total=300) == {}


def test_rebel_or_imperial() -> None:
    assert duel(faction="Scum and Villainy") == {"/faction": "not_one_of"}


def test_five_epic_points_are_a_corvette_and_a_transport_and_no_more() -> None:
    assert duel(CR90, GR75) == {}
    assert duel(CR90, {**GR75, "count": 2}) == {"/ships": "list_over_epic_points"}
    assert duel(CR90, epic_points=2) == {"/epic_points": "list_epic_points_differ"}
    assert duel(epic_points=6) == {"/epic_points": "list_over_epic_points"}
    assert DUEL.completed(WHOLE | {"total": None, "epic_points": None}) == WHOLE


def test_a_corvette_written_by_its_two_sections_is_one_ship() -> None:
    """Its sections are destroyed and paid for apart, but deploy one ship of 3 epic points."""
    fore, aft = (
        {**CR90, "ship": f"CR90 ({section})", "points": points} for section, points in (("fore", 50), ("aft", 40))
    )
    assert duel(fore, aft, GR75, epic_points=5) == {}
    assert duel({**fore, "count": 2}, aft) == {"/ships": "list_over_epic_points"}
    assert duel(fore, epic_points=3) == {}
    proa, popa = {**CR90, "name": "Corbeta corelliana (proa)"}, {**CR90, "name": "Corbeta corelliana (popa)"}
    assert duel(proa, popa, epic_points=3) == {}
    assert DUEL.completed({"ships": [fore, aft]})["epic_points"] == 3


def test_twelve_small_ships_of_one_type_and_not_one_more() -> None:
    """Example of the document: Asesino Furtivo, Aullador Veloz and ten academy pilots are the most TIE fighters."""
    twelve = [ship("Asesino Furtivo"), ship("Aullador Veloz"), ship("Piloto de la Academia", count=10)]
    assert duel(*twelve) == {}
    assert duel(*twelve, ship("Bestia Nocturna", "caza  tie")) == {"/ships/3/count": "list_too_many_of_type"}
    assert duel(*twelve, ship("Soontir Fel", "Interceptor TIE")) == {}


def test_six_large_ships_of_one_type() -> None:
    assert duel(ship("Piloto", "Firespray-31", "large", count=6)) == {}
    assert duel(ship("Piloto", "Firespray-31", "large", count=7)) == {"/ships/0/count": "list_too_many_of_type"}


@pytest.mark.parametrize("name", ["Oficial de navegación", "OFICIAL DE NAVEGACION", "Navigation Officer (Rebel Aces)"])
def test_a_navigation_officer_is_not_on_huge_ships(name: str) -> None:
    assert duel({**CR90, "upgrades": ["Jan Dodonna", name]}) == {"/ships/0/upgrades/1": "list_not_on_huge"}
    assert duel(ship("Lando", "YT-1300", "large", upgrades=[name])) == {}


def test_a_huge_ship_is_one_of_two_and_is_called_huge() -> None:
    assert duel(ship("Imperialer", "Sternzerstörer", "huge")) == {"/ships/0/ship": "list_huge_unknown"}
    assert duel({**CR90, "size": "large"}) == {"/ships/0/size": "list_huge_not_so"}


def test_a_required_list_says_type_and_size_of_every_ship() -> None:
    found = DUEL.missing({**WHOLE, "ships": [{"name": "Wedge", "points": 24}], "epic_points": None}, FOR_TWO)
    assert places(found) == {
        "/ships/0/ship": "list_line_ship_missing",
        "/ships/0/size": "list_line_size_missing",
        "/epic_points": "list_epic_points_missing",
    }


def player(name: str, *ships: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"player": name, "ships": list(ships), **more}


ANA = player(
    "Ana Ruiz",
    ship("Luke Skywalker", "Ala-X", points=28, unique=True, upgrades=["*R2-D2"]),
    total=28,
    epic_points=0,
    captain=True,
)
BRUNO = player("Bruno Maier", {**CR90, "upgrades": ["Leia"]}, total=90, epic_points=3)
PAIR = {"faction": "Rebel", "total": 118, "players": [ANA, BRUNO]}


def team(*players: dict[str, Any], **more: Any) -> dict[str, str]:
    return places(TEAM.problems({**PAIR, "players": list(players), "total": None, **more}, FOR_TEAMS))


def test_a_team_s_two_lists_are_right_and_complete() -> None:
    assert TEAM.problems(PAIR, {**FOR_TEAMS, "lists_required": True}) == []
    every_label(TEAM, FOR_TEAMS)
    assert TEAM.total({"players": [ANA, BRUNO]}) == 118
    assert TEAM.completed({"players": [{**ANA, "total": None}, BRUNO]})["total"] == 118


def test_each_player_of_a_team_has_200_points() -> None:
    assert team({**ANA, "ships": [], "total": 201}, BRUNO) == {"/players/0/total": "list_over_points"}
    assert team({**ANA, "ships": [], "total": 200}, BRUNO) == {}
    assert team(total=401) == {"/total": "list_over_points"}
    assert team(ANA, BRUNO, total=119) == {"/total": "list_total_differs"}


def test_each_player_of_a_team_has_three_epic_points_a_corvette_or_a_transport() -> None:
    """Example of the document: 3 epic points are one CR90 or one GR-75."""
    assert team(player("Ana Ruiz", CR90), player("Bruno Maier", GR75)) == {}
    for too_many in ([CR90, GR75], [{**GR75, "count": 2}]):
        assert team(player("Ana Ruiz", *too_many)) == {"/players/0/ships": "list_over_epic_points"}


def test_each_player_of_a_team_has_eight_small_and_four_large_ships_of_one_type() -> None:
    """Example of the document: two named pilots and six academy pilots are the most TIE fighters."""
    eight = [ship("Asesino Furtivo"), ship("Aullador Veloz"), ship("Piloto de la Academia", count=6)]
    assert team(player("Ana Ruiz", *eight), player("Bruno Maier", *eight[2:])) == {}
    assert team(player("Ana Ruiz", *eight, ship("Bestia Nocturna"))) == {
        "/players/0/ships/3/count": "list_too_many_of_type"
    }
    assert team(player("Ana Ruiz", ship("Han", "YT-1300", "large", count=5))) == {
        "/players/0/ships/0/count": "list_too_many_of_type"
    }


def test_both_members_of_a_team_play_one_faction() -> None:
    assert team(ANA, {**BRUNO, "faction": "Imperial"}) == {"/players/1/faction": "list_two_factions"}
    assert team({**ANA, "faction": "Rebel"}, {**BRUNO, "faction": "Imperial"}, faction=None) == {
        "/players/1/faction": "list_two_factions"
    }


def test_no_unique_name_stands_twice_in_a_team() -> None:
    luke = ship("Luke Skywalker (Box)", "Ala-X", upgrades=["R2-D2"])
    assert team(ANA, player("Bruno Maier", luke)) == {
        "/players/1/ships/0/name": "list_unique_twice",
        "/players/1/ships/0/upgrades/0": "list_unique_twice",
    }
    assert team(player("Ana Ruiz", ship("•Luke Skywalker", count=2))) == {
        "/players/0/ships/0/name": "list_unique_several"
    }
    assert (
        team(
            player("Ana Ruiz", ship("Piloto", upgrades=["Astromecánico R2"])),
            player("Bruno Maier", ship("Piloto", upgrades=["Astromecánico R2"])),
        )
        == {}
    )


def test_both_lists_are_handed_in_and_one_is_the_captain_s() -> None:
    found = TEAM.missing({**PAIR, "players": [{**ANA, "captain": False, "player": ""}]}, FOR_TEAMS)
    assert sorted(problem.key for problem in found) == [
        "list_captain_missing",
        "list_player_name_missing",
        "list_players_missing",
    ]
    assert team(ANA, {**BRUNO, "captain": True}) == {"/players/1/captain": "list_captain_twice"}
    assert places(TEAM.malformed({"players": [ANA, BRUNO, ANA]}, FOR_TEAMS)) == {"/players": "wrong_length"}


def test_each_list_bears_its_player_s_name_and_the_captain_is_the_team_s() -> None:
    falcons = Competitor("t1", "Falken", members=("Ana Ruiz", "Bruno Maier"), captain="Bruno Maier", list=PAIR)
    assert places(TEAM.competitor_problems(falcons, FOR_TEAMS)) == {"/list/players/0/captain": "list_captain_differs"}
    twice = Competitor(
        "t1", "Falken", members=falcons.members, list={**PAIR, "players": [ANA, {**BRUNO, "player": "ana ruiz"}]}
    )
    assert places(TEAM.competitor_problems(twice, FOR_TEAMS)) == {"/list/players/1/player": "list_player_unknown"}


def test_a_team_s_form_begins_with_its_players_names() -> None:
    falcons = Competitor("t1", "Falken", members=("Ana Ruiz", "Bruno Maier"), captain="Ana Ruiz")
    assert TEAM.initial_list(falcons) == {
        "players": [{"player": "Ana Ruiz", "captain": True}, {"player": "Bruno Maier", "captain": False}]
    }


@pytest.mark.parametrize(
    ("fore", "aft"),
    [
        ("CR90 (Fore)", "CR90 (Aft)"),
        ("Corbeta CR90 (proa)", "Corbeta CR90 (popa)"),
        ("CR90 Bug", "CR90 Heck"),
        ("CR90, dziób", "CR90, rufa"),
    ],
)
def test_a_corvette_on_two_lines_by_its_sections_is_one_ship(fore: str, aft: str) -> None:
    ships = [
        {"name": "Tantive IV", "ship": fore, "size": "huge", "points": 50},
        {"name": "Tantive IV", "ship": aft, "size": "huge", "points": 40},
    ]
    assert DUEL.wrong({"epic_points": 3, "ships": ships}, FOR_TWO) == []
    assert DUEL.completed({"ships": ships})["epic_points"] == 3
    twice = [{**ship, "count": 2} for ship in ships]
    assert "list_over_epic_points" in places(DUEL.wrong({"ships": twice}, FOR_TWO)).values()


def test_a_name_marked_in_one_list_and_unmarked_in_the_other_is_the_same_unique_one() -> None:
    one = {"player": "Ana", "ships": [{"name": "•Han Solo", "ship": "YT-1300", "points": 46}]}
    two = {"player": "Bea", "ships": [{"name": "Han Solo (Rebel Aces)", "ship": "YT-1300", "points": 46}]}
    for players in ([one, two], [two, one]):
        assert "list_unique_twice" in places(TEAM.wrong({"players": players}, FOR_TEAMS)).values()
