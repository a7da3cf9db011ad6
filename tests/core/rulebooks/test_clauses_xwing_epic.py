"""Clauses of the X-Wing Epic document that no other test holds: factions in pairing, the worked fleets, equals."""

import pytest
from msgspec.structs import replace

from roundtap_core.pairing.swiss_round import draw_swiss_round
from roundtap_core.records import Match, Tournament
from roundtap_core.rulebooks.xwing_epic import EpicDuelList, EpicTeamList
from rulebook_kit import at_time, event, game, played

epic = pytest.mark.parametrize("rulebook", ["xwing-epic-duel", "xwing-epic-team"])
EIGHT = ("Ana", "Bruno", "Cira", "Dora", "Eva", "Fritz", "Gil", "Hugo")


def with_factions(tournament: Tournament, *factions: str) -> Tournament:
    return replace(
        tournament,
        competitors=tuple(
            replace(who, list={"faction": faction})
            for who, faction in zip(tournament.competitors, factions, strict=True)
        ),
    )


@epic
def test_factions_are_ignored_when_rivals_are_paired(rulebook: str) -> None:
    """Whoever plays what, the same seed makes the same pairs, in the first round and later."""
    first = [game(a, b, played(100, 20, "a")) for a, b in zip(EIGHT[::2], EIGHT[1::2], strict=True)]
    for rounds in ([], [first]):
        table = event(rulebook, rounds, *EIGHT, swiss_rounds=3)
        rebels = with_factions(table, *["Rebel"] * 8)
        mixed = with_factions(table, *["Rebel", "Imperial"] * 4)
        for seed in range(10):
            assert draw_swiss_round(rebels, seed=seed).matches == draw_swiss_round(mixed, seed=seed).matches


def ship(name: str, of_type: str, size: str = "small", count: int = 1) -> dict[str, object]:
    return {"name": name, "ship": of_type, "size": size, "points": 12, "count": count}


def test_the_example_of_colonel_jendon_and_five_omicron_pilots() -> None:
    """ "Formación de escuadrones": they are the six large ships of one type, and no shuttle more can be fielded."""
    six = [
        ship("Coronel Jendon", "Lanzadera clase Lambda", "large"),
        ship("Piloto del grupo Omicrón", "Lanzadera clase Lambda", "large", 5),
    ]
    fielded = {"faction": "Imperial", "ships": six}
    assert EpicDuelList().problems(fielded, {"squad_points": 300}) == []
    one_more = {**fielded, "ships": [*six, ship("Capitán Kagi", "Lanzadera clase Lambda", "large")]}
    assert [problem.key for problem in EpicDuelList().problems(one_more, {"squad_points": 300})] == [
        "list_too_many_of_type"
    ]


def test_the_example_of_the_team_s_eight_tie_fighters() -> None:
    """ "Asesino Furtivo", "Aullador Veloz" and six academy pilots are the eight TIE fighters of one member."""
    eight = [
        ship("Asesino Furtivo", "Caza TIE"),
        ship("Aullador Veloz", "Caza TIE"),
        ship("Piloto de la Academia", "Caza TIE", count=6),
    ]
    for ships, keys in ((eight, []), ([*eight, ship("Bestia Nocturna", "Caza TIE")], ["list_too_many_of_type"])):
        lists = {"faction": "Imperial", "players": [{"player": "Ana Ruiz", "ships": ships}]}
        assert [problem.key for problem in EpicTeamList().problems(lists, {"squad_points": 400})] == keys


@epic
def test_rivals_have_points_as_near_as_possible_where_equal_ones_have_met(rulebook: str) -> None:
    """Ana and Bruno lead with 6 points and have drawn before; Cira and Dora have 1 and nobody behind them: the
    leaders each meet one of the two, as a repeat is exchanged for somebody else."""
    table = event(
        rulebook,
        [
            [game("Ana", "Bruno", at_time(50, 50)), game("Cira", "Dora", at_time(50, 50))],
            [
                Match("Ana", bye="bye"),
                Match("Bruno", bye="no-show"),
                Match("Cira", bye="unpaired-loss"),
                Match("Dora", bye="unpaired-loss"),
            ],
        ],
        *EIGHT[:4],
        swiss_rounds=3,
    )
    met = set()
    for seed in range(20):
        drawn = {frozenset((match.a, match.b)) for match in draw_swiss_round(table, seed=seed).matches}
        assert all(len(pair & {"Ana", "Bruno"}) == 1 for pair in drawn)
        met |= drawn
    assert len(met) == 4


@epic
def test_in_round_1_those_who_came_together_are_kept_apart(rulebook: str) -> None:
    table = event(rulebook, [], *EIGHT, swiss_rounds=3)
    families = {"Ana": "Ruiz", "Bruno": "Ruiz", "Cira": "car", "Dora": "car", "Eva": "car"}
    table = replace(table, competitors=tuple(replace(who, came_with=families.get(who.id)) for who in table.competitors))
    for seed in range(40):
        for match in draw_swiss_round(table, seed=seed).matches:
            assert match.a not in families or families[match.a] != families.get(match.b or "")
