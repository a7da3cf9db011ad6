"""Tables: leaders first, fixed places, busy numbers, nobody twice at the same table among equals."""

from msgspec.structs import replace

from roundtap_core.pairing.table_numbers import assign_tables
from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament


def hall(*rounds: tuple[Match, ...], fixed: dict[str, int] | None = None) -> Tournament:
    return Tournament(
        "Hall",
        "xwing-standard",
        rounds=tuple(Round(i + 1, matches=r) for i, r in enumerate(rounds)),
        competitors=tuple(Competitor(c, c, fixed_table=(fixed or {}).get(c)) for c in "ABCDEFGH"),
    )


def won(a: str, b: str, table: int | None = None) -> Match:
    return Match(a, b, table, result=Result(score=SidePair(100, 0)))


def seats(matches: tuple[Match, ...]) -> list[tuple[str, int | None]]:
    return [(f"{match.a}{match.b or ''}", match.table) for match in matches]


def test_leaders_sit_at_table_1_and_byes_stand_last() -> None:
    after_one = hall((won("A", "B"), won("C", "D"), won("E", "F")))
    drawn = [Match("G", bye="bye"), Match("B", "D"), Match("E", "F"), Match("A", "C")]
    assert seats(assign_tables(drawn, after_one)) == [("AC", 1), ("EF", 2), ("BD", 3), ("G", None)]


def test_equals_keep_the_order_of_the_draw() -> None:
    drawn = [Match("C", "D"), Match("A", "B"), Match("G", "H")]
    assert seats(assign_tables(drawn, hall())) == [("CD", 1), ("AB", 2), ("GH", 3)]


def test_by_lot_a_leader_may_sit_anywhere() -> None:
    after_one = hall((won("A", "B"), won("C", "D"), won("E", "F"), won("G", "H")))
    drawn = [Match("A", "C"), Match("E", "G"), Match("B", "D"), Match("F", "H")]
    found = set()
    for seed in range(40):
        seated = assign_tables(drawn, replace(after_one, seed=seed, options={"tables": "random"}))
        assert sorted(match.table or 0 for match in seated) == [1, 2, 3, 4]
        found |= {match.table for match in seated if match.a == "A"}
    assert found == {1, 2, 3, 4}


def test_a_fixed_table_is_kept_for_its_match_only_while_it_plays() -> None:
    drawn = [Match("A", "B"), Match("C", "D"), Match("E", "F")]
    assert seats(assign_tables(drawn, hall(fixed={"D": 2}))) == [("AB", 1), ("CD", 2), ("EF", 3)]
    assert seats(assign_tables(drawn, hall(fixed={"F": 1}))) == [("EF", 1), ("AB", 2), ("CD", 3)]
    assert seats(assign_tables(drawn, hall(fixed={"F": 40}))) == [("AB", 1), ("CD", 2), ("EF", 40)]
    assert seats(assign_tables(drawn, hall(fixed={"H": 1}))) == [("AB", 1), ("CD", 2), ("EF", 3)]


def test_two_matches_that_want_one_table() -> None:
    drawn = [Match("A", "B"), Match("C", "D")]
    assert seats(assign_tables(drawn, hall(fixed={"A": 9, "C": 9}))) == [("CD", 1), ("AB", 9)]


def test_busy_tables_and_another_first_number() -> None:
    drawn = [Match("A", "B"), Match("C", "D"), Match("E", "F")]
    assert seats(assign_tables(drawn, hall(), first=11, busy={12, 14})) == [("AB", 11), ("CD", 13), ("EF", 15)]


def test_among_equals_nobody_gets_the_same_table_twice() -> None:
    after_one = hall((won("A", "B", 1), won("C", "D", 2), won("E", "F", 3), won("G", "H", 4)))
    drawn = [Match("A", "E"), Match("C", "G"), Match("B", "F"), Match("D", "H")]
    # A was at 1 and C at 2: they change. So do F, who was at 3, and H, who was at 4.
    assert seats(assign_tables(drawn, after_one)) == [("CG", 1), ("AE", 2), ("DH", 3), ("BF", 4)]


def test_one_exchange_is_enough_and_everybody_else_stays() -> None:
    after_one = hall((won("A", "B", 1), won("C", "D", 6), won("E", "F", 7), won("G", "H", 8)))
    drawn = [Match("A", "D"), Match("C", "F"), Match("E", "H"), Match("G", "B")]
    assert seats(assign_tables(drawn, after_one)) == [("CF", 1), ("AD", 2), ("EH", 3), ("GB", 4)]


def test_leaders_come_before_the_wish_for_another_table() -> None:
    after_one = hall((won("A", "B", 1), won("C", "D", 2)))
    assert seats(assign_tables([Match("B", "D"), Match("A", "C")], after_one)) == [("AC", 1), ("BD", 2)]
