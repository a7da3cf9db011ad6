"""Tie-break rounds (Warlords 2.4): who has to play one, how three or more play it out, what it changes and what not."""

import pytest
from msgspec.structs import replace

from event_kit import refused
from roundtap_core.records import SWISS, TIEBREAK, Competitor, Match, Result, Round, SidePair, Tournament
from roundtap_core.rounds.next_round import next_tiebreak_round
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import open_ties, standings
from rulebook_kit import decided, event, game, order, played, rows, ruling

FOUR = ("Ana", "Bruno", "Cira", "Dora")
SEVEN = (*FOUR, "Eva", "Fritz", "Gina")


def won(winner: str, loser: str, life: int = 10) -> Match:
    return game(winner, loser, played(life, 0, "a"))


def two_tied(**options: object) -> Tournament:
    """Ana and Bruno are level in everything, as are Cira and Dora below them; who met whom decides nothing.
    There is one prize."""
    given = {"prize_places": 1, **options}
    return event("warlords-of-terra", [[won("Ana", "Cira"), won("Bruno", "Dora")]], *FOUR, **given)


def three_tied(**options: object) -> Tournament:
    """Ana, Bruno and Cira each beat a different one of Dora, Eva and Fritz."""
    given = {"prize_places": 1, **options}
    return event(
        "warlords-of-terra",
        [[won("Ana", "Dora"), won("Bruno", "Eva"), won("Cira", "Fritz")]],
        *FOUR,
        "Eva",
        "Fritz",
        **given,
    )


def winners(count: int, **options: object) -> Tournament:
    """Ana, Bruno, Cira, … have each beaten somebody else, all alike."""
    names = SEVEN[:count]
    given = {"prize_places": 1, **options}
    others = [f"h{n}" for n in range(1, count + 1)]
    swiss = [won(name, other) for name, other in zip(names, others, strict=True)]
    return event("warlords-of-terra", [swiss], *names, *others, **given)


def circle(**options: object) -> Tournament:
    """Ana beat Bruno, Bruno beat Cira, Cira beat Ana, each by as much: between any two of them the Swiss rounds decide,
    between all three they do not."""
    given = {"prize_places": 1, **options}
    rounds = [
        [won("Ana", "Bruno"), Match("Cira", bye="bye")],
        [won("Bruno", "Cira"), Match("Ana", bye="bye")],
        [won("Cira", "Ana"), Match("Bruno", bye="bye")],
    ]
    return event("warlords-of-terra", rounds, "Ana", "Bruno", "Cira", **given)


def by_knockout(tournament: Tournament, *rounds: list[str]) -> Tournament:
    """Tie-break rounds by single elimination: "Ana Bruno" is a win of Ana."""
    return with_ties(tournament, *([won(*game.split()) for game in one] for one in rounds), form="knockout")


def open_now(tournament: Tournament) -> list[set[str]]:
    return [set(tie) for tie in open_ties(tournament)]


def disqualified(tournament: Tournament, who: str, after: int) -> Tournament:
    people = (replace(c, disqualified_after=after) if c.id == who else c for c in tournament.competitors)
    return replace(tournament, competitors=tuple(people))


def with_ties(tournament: Tournament, *rounds: list[Match], form: str = "each") -> Tournament:
    number = len(tournament.rounds)
    more = tuple(
        Round(number + n, TIEBREAK, tuple(matches), tiebreak_form=form) for n, matches in enumerate(rounds, start=1)
    )
    return replace(tournament, rounds=(*tournament.rounds, *more))


def leaves(tournament: Tournament, who: str, after: int = 1) -> Tournament:
    return replace(
        tournament,
        competitors=tuple(replace(c, dropped_after=after) if c.id == who else c for c in tournament.competitors),
    )


def pairs(tournament: Tournament, form: str = "each") -> list[set[str]]:
    drawn = next_tiebreak_round(tournament, form=form)
    assert drawn.stage == TIEBREAK
    return [{match.a, match.b or ""} for match in drawn.matches]


# Who has to play.


def test_where_nobody_announced_prizes_there_are_none() -> None:
    """They are asked, not assumed: nothing is at stake, and whoever computes without them is told so."""
    unsaid = two_tied()
    del unsaid.options["prize_places"]
    assert open_ties(unsaid) == []
    book = rulebook("warlords-of-terra")
    assert [warning.key for warning in book.option_warnings(unsaid.options)] == ["prize_places_unsaid"]
    assert book.option_warnings({"prize_places": 0}) == []


@pytest.mark.parametrize(
    ("prizes", "cut", "ties"),
    [
        (0, 0, []),
        (1, 0, [{"Ana", "Bruno"}]),
        (2, 0, [{"Ana", "Bruno"}]),
        (3, 0, [{"Ana", "Bruno"}, {"Cira", "Dora"}]),
        (0, 2, [{"Ana", "Bruno"}]),
        (0, 4, [{"Ana", "Bruno"}, {"Cira", "Dora"}]),
    ],
)
def test_it_is_played_on_or_at_the_edge_of_a_prize_or_cut_place(prizes: int, cut: int, ties: list[set[str]]) -> None:
    assert [set(tie) for tie in open_ties(two_tied(prize_places=prizes, cut=cut))] == ties


def test_where_nothing_is_at_stake_the_lot_decides_and_marks_both() -> None:
    table = two_tied()
    assert decided(table) == ["random", "points", "random", "last"]
    assert all(row.by_chance for row in rows(table).values())
    with refused("no_tie_to_break"):
        next_tiebreak_round(two_tied(prize_places=0))


def test_before_the_last_swiss_round_the_lot_decides() -> None:
    assert open_ties(two_tied(swiss_rounds=2)) == []


def test_open_matches_stand_in_the_way() -> None:
    table = two_tied()
    open_round = replace(table.rounds[0], matches=(Match("Ana", "Cira", table=1), table.rounds[0].matches[1]))
    with refused("open_matches"):
        next_tiebreak_round(replace(table, rounds=(open_round,)))


def test_whoever_has_left_plays_no_tie_break() -> None:
    assert open_ties(leaves(two_tied(), "Ana")) == []
    assert [set(tie) for tie in open_ties(leaves(three_tied(), "Ana"))] == [{"Bruno", "Cira"}]


@pytest.mark.parametrize(
    "rulebook_id",
    [
        "xwing-standard",
        "xwing-epic-duel",
        "keyforge-archon",
        "shatterpoint-premier",
    ],
)
def test_the_other_rulebooks_have_none(rulebook_id: str) -> None:
    drawn = Result(ended="ruling", winner="none", wounds=SidePair() if "shatter" in rulebook_id else None)
    assert open_ties(event(rulebook_id, [[game("Ana", "Bruno", drawn)]], "Ana", "Bruno")) == []


# Two.


@pytest.mark.parametrize("winner", ["Ana", "Bruno"])
def test_two_meet_and_the_winner_is_ahead(winner: str) -> None:
    table = two_tied()
    assert pairs(table) == [{"Ana", "Bruno"}]
    loser = "Bruno" if winner == "Ana" else "Ana"
    after = with_ties(table, [won(winner, loser)])
    assert order(after).split()[:2] == [winner, loser]
    assert decided(after)[0] == "tiebreak_round"
    assert not rows(after)[winner].by_chance
    assert open_ties(after) == []
    # The round before is as it was.
    assert decided(after.after(1))[0] == "random"


def test_it_adds_nothing_to_points_score_or_sums() -> None:
    table = two_tied()
    after = with_ties(table, [won("Bruno", "Ana", 20)])
    for who, row in rows(after).items():
        before = rows(table)[who]
        assert (row.points, row.rounds, row.wins, row.tiebreakers) == (
            before.points,
            before.rounds,
            before.wins,
            before.tiebreakers,
        )


def test_it_may_repeat_a_pairing_of_the_swiss_rounds() -> None:
    table = event(
        "warlords-of-terra",
        [[game("Ana", "Bruno", Result("time", "draw", score=SidePair(7, 7)))]],
        "Ana",
        "Bruno",
        prize_places=1,
    )
    assert pairs(table) == [{"Ana", "Bruno"}]


def test_if_both_lose_by_a_ruling_they_meet_again() -> None:
    for form in ("each", "knockout"):
        after = with_ties(two_tied(), [game("Ana", "Bruno", ruling("none"))], form=form)
        assert pairs(after, form) == [{"Ana", "Bruno"}]
        assert order(
            with_ties(two_tied(), [game("Ana", "Bruno", ruling("none"))], [won("Bruno", "Ana")], form=form)
        ).startswith("Bruno Ana")


def test_every_tie_plays_in_the_same_round() -> None:
    assert pairs(two_tied(cut=4)) == [{"Ana", "Bruno"}, {"Cira", "Dora"}]


# Three and more: each against each.


def test_three_play_each_against_each_one_match_a_round() -> None:
    table, met = three_tied(), []
    for _ in range(3):
        (pair,) = pairs(table)
        met.append(frozenset(pair))
        first, second = sorted(pair)
        table = with_ties(table, [won(first, second)])
    assert set(met) == {frozenset(p) for p in ({"Ana", "Bruno"}, {"Ana", "Cira"}, {"Bruno", "Cira"})}
    # Ana won both of hers, Bruno one, Cira none.
    assert order(table).split()[:3] == ["Ana", "Bruno", "Cira"]
    assert decided(table)[:2] == ["tiebreak_round", "tiebreak_round"]
    assert open_ties(table) == []


def test_nothing_is_decided_before_all_have_met() -> None:
    after = with_ties(three_tied(), [won("Ana", "Bruno")], [won("Ana", "Cira")])
    assert [set(tie) for tie in open_ties(after)] == [{"Ana", "Bruno", "Cira"}]
    assert pairs(after) == [{"Bruno", "Cira"}]


def test_a_circle_is_played_again() -> None:
    circle = [[won("Ana", "Bruno")], [won("Bruno", "Cira")], [won("Cira", "Ana")]]
    again = with_ties(three_tied(), *circle)
    assert [set(tie) for tie in open_ties(again)] == [{"Ana", "Bruno", "Cira"}]
    assert len(pairs(again)) == 1
    settled = with_ties(again, [won("Cira", "Bruno")], [won("Ana", "Bruno")], [won("Cira", "Ana")])
    assert order(settled).split()[:3] == ["Cira", "Ana", "Bruno"]
    assert open_ties(settled) == []


def test_two_level_in_wins_are_told_apart_by_their_own_game_not_by_the_swiss_rounds() -> None:
    """Ana and Bruno beat two each; Bruno beat Ana here."""
    games = ["Bruno Ana", "Cira Dora", "Ana Cira", "Dora Bruno", "Ana Dora", "Bruno Cira"]
    table = with_ties(winners(4, prize_places=2), [won(*game.split()) for game in games])
    assert open_now(table) == []
    assert order(table).split()[:2] == ["Bruno", "Ana"]
    assert decided(table)[:2] == ["tiebreak_round", "tiebreak_round"]


def test_a_circle_below_the_winner_plays_on_as_long_as_its_places_count() -> None:
    games = ["Ana Bruno", "Ana Cira", "Ana Dora", "Bruno Cira", "Cira Dora", "Dora Bruno"]
    for prizes, tie in ((1, []), (2, [{"Bruno", "Cira", "Dora"}])):
        table = with_ties(winners(4, prize_places=prizes), [won(*game.split()) for game in games])
        assert order(table).split()[0] == "Ana"
        assert open_now(table) == tie


def test_four_play_two_matches_a_round() -> None:
    table = winners(4)
    met: set[frozenset[str]] = set()
    for _ in range(3):
        drawn = pairs(table)
        assert len(drawn) == 2
        assert not met & {frozenset(pair) for pair in drawn}
        met |= {frozenset(pair) for pair in drawn}
        table = with_ties(table, [won(*sorted(pair)) for pair in drawn])
    assert len(met) == 6
    assert order(table).split()[:4] == list(FOUR)


def test_who_leaves_during_it_stands_below_those_who_stay() -> None:
    begun = with_ties(three_tied(), [won("Cira", "Ana")])
    gone = leaves(begun, "Cira", after=2)
    assert pairs(gone) == [{"Ana", "Bruno"}]
    settled = with_ties(gone, [won("Bruno", "Ana")])
    assert order(settled).split()[:3] == ["Bruno", "Ana", "Cira"]


def test_where_all_have_left_before_the_last_meeting_who_had_beaten_both_is_first_and_the_lot_decides_below() -> None:
    """Ana has beaten both; Bruno and Cira can no longer meet."""
    begun = with_ties(three_tied(), [won("Ana", "Bruno")], [won("Ana", "Cira")])
    assert order(leaves(leaves(begun, "Bruno", 3), "Cira", 3)).split()[0] == "Ana"
    gone = leaves(leaves(leaves(begun, "Bruno", 3), "Cira", 3), "Ana", 3)
    assert order(gone).split()[0] == "Ana"
    assert [row.decided_by for row in standings(gone)[:2]] == ["tiebreak_round", "random"]


# Single elimination, the organizer's choice.


def test_three_by_single_elimination_one_waits() -> None:
    table = three_tied()
    ((first, second),) = [sorted(pair) for pair in pairs(table, "knockout")]
    (waits,) = {"Ana", "Bruno", "Cira"} - {first, second}
    table = with_ties(table, [won(first, second)], form="knockout")
    assert pairs(table, "knockout") == [{first, waits}]
    table = with_ties(table, [won(waits, first)], form="knockout")
    assert order(table).split()[:3] == [waits, first, second]
    assert open_ties(table) == []


@pytest.mark.parametrize(("first", "waits"), [("Ana", "Cira"), ("Bruno", "Cira")])
def test_three_in_a_circle_are_not_told_apart_by_the_swiss_rounds_once_they_play_it_out(first: str, waits: str) -> None:
    """Cira has beaten Ana in the Swiss rounds, and lost to Bruno: neither takes the prize, nor loses it, unplayed."""
    loser = "Bruno" if first == "Ana" else "Ana"
    begun = by_knockout(circle(), [f"{first} {loser}"])
    assert open_now(begun) == [{first, waits}]
    for winner, other in ((first, waits), (waits, first)):
        over = by_knockout(begun, [f"{winner} {other}"])
        assert open_now(over) == []
        assert order(over).split() == [winner, other, loser]
        assert decided(over) == ["tiebreak_round", "tiebreak_round", "last"]


def test_the_second_prize_too_is_won_by_play() -> None:
    """Ana has beaten both; Cira, who had the bye, has not met Bruno."""
    begun = by_knockout(circle(prize_places=2), ["Ana Bruno"], ["Ana Cira"])
    assert open_now(begun) == [{"Bruno", "Cira"}]
    assert order(by_knockout(begun, ["Bruno Cira"])) == "Ana Bruno Cira"


def test_who_has_beaten_all_that_are_left_does_not_play_them_again() -> None:
    over = by_knockout(circle(prize_places=2), ["Ana Bruno"], ["Cira Ana"])
    assert open_now(over) == []
    assert order(over) == "Cira Ana Bruno"


def test_five_tied_below_a_leader_over_places_two_to_four() -> None:
    """Ana takes the second place. Bruno and Eva have lost to her alone: one of them takes the third. Who that one had
    not beaten meets for the fourth; for the fifth nobody plays."""
    others = [f"h{n}" for n in range(1, 7)]
    swiss = [won("Lea", "h6", 20), *(won(name, other) for name, other in zip(SEVEN[:5], others[:5], strict=True))]
    tied = event("warlords-of-terra", [swiss], "Lea", *SEVEN[:5], *others, prize_places=4)
    begun = by_knockout(tied, ["Ana Bruno", "Cira Dora"], ["Eva Cira"], ["Ana Eva"])
    assert open_now(begun) == [{"Bruno", "Eva"}]
    third = by_knockout(begun, ["Eva Bruno"])
    assert open_now(third) == [{"Bruno", "Cira"}]
    over = by_knockout(third, ["Cira Bruno"])
    assert open_now(over) == []
    assert order(over).split()[:6] == ["Lea", "Ana", "Eva", "Cira", "Bruno", "Dora"]
    assert decided(over)[1:5] == ["tiebreak_round"] * 4


def test_prizes_and_the_cut_may_both_end_within_one_tie() -> None:
    """Two prizes and a cut of four: places 1 to 4 count, and when somebody above has left, the fifth too."""
    tied = winners(5, prize_places=2, cut=4)
    over = by_knockout(tied, ["Ana Bruno", "Cira Dora"], ["Eva Cira"], ["Ana Eva"], ["Eva Bruno"], ["Cira Bruno"])
    assert open_now(over) == [{"Bruno", "Dora"}]
    done = by_knockout(over, ["Dora Bruno"])
    assert order(done).split()[:5] == ["Ana", "Eva", "Cira", "Dora", "Bruno"]
    assert open_now(done) == open_now(leaves(done, "Ana", len(done.rounds))) == []


def test_the_losers_stand_as_they_went_out_and_who_went_out_together_by_the_match_between_them() -> None:
    """Five have all met, each has beaten two: in the first round Bruno and Dora go out, of whom Bruno had won."""
    names = SEVEN[:5]
    rounds = []
    for n in range(5):
        pairs = [(names[(n + 1) % 5], names[(n - 1) % 5]), (names[(n + 2) % 5], names[(n - 2) % 5])]
        beats = [(a, b) if (names.index(b) - names.index(a)) % 5 in (1, 2) else (b, a) for a, b in pairs]
        rounds.append([won(a, b) for a, b in beats] + [Match(names[n], bye="bye")])
    tied = event("warlords-of-terra", rounds, *names, prize_places=1)
    over = by_knockout(tied, ["Ana Bruno", "Cira Dora"], ["Eva Cira"], ["Eva Ana"])
    assert order(over) == "Eva Ana Cira Bruno Dora"
    assert decided(over) == ["tiebreak_round", "tiebreak_round", "tiebreak_round", "head_to_head", "last"]


def test_who_went_out_together_without_having_met_is_for_the_lot() -> None:
    over = by_knockout(winners(4), ["Ana Bruno", "Cira Dora"], ["Cira Ana"])
    assert order(over).split()[:2] == ["Cira", "Ana"]
    assert decided(over)[:4] == ["tiebreak_round", "tiebreak_round", "random", "points"]


def test_whoever_has_waited_plays_first() -> None:
    begun = by_knockout(winners(5), ["Ana Bruno", "Cira Dora"])
    (pair,) = pairs(begun, "knockout")
    assert "Eva" in pair


# Single elimination, with people leaving.


def test_who_leaves_unbeaten_frees_whom_they_beat() -> None:
    """Cira has not played: a bye beats nobody."""
    gone = leaves(by_knockout(circle(), ["Ana Bruno"]), "Ana", after=4)
    assert open_now(gone) == [{"Bruno", "Cira"}]
    assert order(by_knockout(gone, ["Bruno Cira"])) == "Bruno Cira Ana"


def test_who_waits_and_leaves_leaves_the_place_to_the_winner() -> None:
    gone = leaves(by_knockout(circle(), ["Bruno Ana"]), "Cira", after=4)
    assert open_now(gone) == []
    assert order(gone) == "Bruno Ana Cira"


def test_a_place_that_was_won_stays_won_when_the_winner_leaves() -> None:
    over = by_knockout(circle(), ["Ana Bruno"], ["Cira Ana"])
    for who in ("Ana", "Bruno", "Cira"):
        assert order(leaves(over, who, after=5)) == "Cira Ana Bruno"
        assert open_now(leaves(over, who, after=5)) == []


def test_if_all_but_one_leave_that_one_has_the_place() -> None:
    begun = by_knockout(winners(4), ["Ana Bruno", "Cira Dora"])
    gone = leaves(leaves(leaves(begun, "Ana", 2), "Cira", 2), "Bruno", 2)
    assert open_now(gone) == []
    assert order(gone).split()[0] == "Dora"


def test_who_wins_and_is_disqualified_leaves_the_place_to_be_played_for() -> None:
    over = by_knockout(circle(), ["Ana Bruno"], ["Ana Cira"])
    out = disqualified(over, "Ana", after=5)
    assert open_now(out) == [{"Bruno", "Cira"}]
    assert order(by_knockout(out, ["Cira Bruno"])).split()[:2] == ["Cira", "Bruno"]


def test_what_the_disqualified_had_won_and_lost_in_it_stands() -> None:
    """Cira has beaten Ana, who had beaten Bruno: it is over, though Bruno had beaten Cira in the Swiss rounds."""
    over = by_knockout(circle(), ["Ana Bruno"], ["Cira Ana"])
    out = disqualified(over, "Ana", after=5)
    assert open_now(out) == []
    assert order(out).split()[:2] == ["Cira", "Bruno"]
    assert decided(out)[0] == "tiebreak_round"


def test_a_result_put_right_puts_back_who_lost_to_nobody_still_in_it() -> None:
    """Bruno had beaten Ana after all, who played on against Cira."""
    wrong = by_knockout(circle(), ["Ana Bruno"], ["Ana Cira"])
    assert open_now(wrong) == []
    right = by_knockout(circle(), ["Bruno Ana"], ["Ana Cira"])
    assert open_now(right) == [{"Bruno", "Cira"}]


def test_who_comes_back_is_in_it_again() -> None:
    """While Ana was away, Bruno played on, whom she had beaten."""
    begun = by_knockout(circle(), ["Ana Bruno"], ["Bruno Cira"])
    assert open_now(leaves(begun, "Ana", 4)) == []
    assert open_now(begun) == [{"Ana", "Cira"}]


def test_an_unknown_form_names_the_two_there_are() -> None:
    with refused("not_one_of"):
        next_tiebreak_round(three_tied(), form="dice")


def test_its_number_follows_the_swiss_rounds_and_it_sits_at_tables() -> None:
    drawn = next_tiebreak_round(two_tied(cut=4))
    assert (drawn.number, [match.table for match in drawn.matches]) == (2, [1, 2])
    assert all(match.bye is None for match in drawn.matches)
    assert drawn.notes["ties"] == [list(tie) for tie in open_ties(two_tied(cut=4))]
    assert two_tied().rounds[0].stage == SWISS


def test_who_left_after_all_their_meetings_is_not_held_to_one_with_who_never_played() -> None:
    """Four tied; one is gone before the tie-break rounds, another leaves having beaten both others."""
    people = tuple(Competitor(f"w{n}", f"Winner {n}", dropped_after={1: 1, 2: 4}.get(n)) for n in range(1, 5)) + tuple(
        Competitor(f"l{n}", f"Loser {n}") for n in range(1, 5)
    )

    options = {"swiss_rounds": 1, "prize_places": 4}
    left = Tournament(
        "Left",
        "warlords-of-terra",
        options=options,
        competitors=people,
        rounds=(
            Round(1, "swiss", tuple(won(f"w{n}", f"l{n}") for n in range(1, 5))),
            Round(2, "tiebreak", (won("w2", "w3"),)),
            Round(3, "tiebreak", (won("w2", "w4"),)),
            Round(4, "tiebreak", (won("w3", "w4"),)),
        ),
    )
    assert [row.competitor for row in standings(left)[:4]] == ["w2", "w3", "w4", "w1"]
