"""Sides with names are shared out fairly, after the pairing: who meets whom, and where, stays as drawn."""

import random
from collections import Counter

import pytest
from msgspec.structs import replace
from test_check import bye, event, game

from event_kit import Event
from made_up_books import PLAIN, SIDED, played_by
from roundtap_core.check.check import violations
from roundtap_core.event.states import tournament_of
from roundtap_core.pairing.swiss_round import DrawnRound, draw_swiss_round
from roundtap_core.records import Competitor, Draw, Match, Result, Round, Tournament
from roundtap_core.rulebooks.own_rules import Rules


def first_sides(tournament: Tournament, seed: int = 1) -> str:
    """Who has the first side in the next round."""
    drawn = draw_swiss_round(played_by(SIDED, tournament), seed=seed)
    return "".join(sorted(match.a for match in drawn.matches if match.b))


def test_who_had_the_first_side_less_often_gets_it_then_who_had_it_longer_ago() -> None:
    """Left are a-d and b-c: a has had it twice, d never; c and b once each, c in round 1 and b in round 2."""
    played = event([game("ab"), game("cd")], [game("ac"), game("bd")])
    assert {first_sides(played, seed) for seed in range(20)} == {"cd"}


def test_of_equals_the_lot_decides_and_the_same_seed_says_the_same() -> None:
    fresh = Counter(first_sides(event(players="ab"), seed) for seed in range(400))
    assert fresh.keys() == {"a", "b"}
    assert 160 < fresh["a"] < 240
    four = event(players="abcd")
    assert first_sides(four, 7) == first_sides(four, 7)


def test_a_bye_has_no_side() -> None:
    """c sat out while a had the first side, so c is before a; b has had none either, and is level with c."""
    played = event([game("ab"), bye("c")], players="abc")
    assert "a" not in {first_sides(played, seed) for seed in range(40)}


@pytest.mark.parametrize("players", [8, 9, 24, 64])
def test_it_never_changes_who_meets_whom_nor_where(players: int) -> None:
    for seed in range(4):
        evening = an_evening(players, 4, seed, SIDED)
        for number in range(1, 4):
            before = evening.after(number)
            sided, plain = (draw_swiss_round(played_by(rules, before), seed=9) for rules in (SIDED, PLAIN))
            assert seats(sided) == seats(plain)
            assert (sided.notes, sided.draw) == (plain.notes, plain.draw)


def seats(drawn: DrawnRound) -> set[tuple[int | None, frozenset[str | None]]]:
    return {(match.table, frozenset((match.a, match.b))) for match in drawn.matches}


def an_evening(players: int, rounds: int, seed: int, rules: Rules) -> Tournament:
    """Drawn by the kit; won, lost and drawn by chance, with leavers and somebody who comes late."""
    chance = random.Random(f"{players}/{rounds}/{seed}")
    entered = tuple(Competitor(f"p{n}", f"P{n}") for n in range(players))
    options = {"structure": "own", "swiss_rounds": rounds}
    tournament = played_by(rules, Tournament("Open", "", options=options, seed=seed, competitors=entered))
    for number in range(1, rounds + 1):
        drawn = draw_swiss_round(tournament)
        matches = [m if m.b is None else replace(m, result=ruled(chance)) for m in drawn.matches]
        people = list(tournament.competitors)
        here = [n for n, who in enumerate(people) if who.active]
        if chance.random() < 0.3 and len(here) > 6:
            gone = chance.choice(here)
            people[gone] = replace(people[gone], dropped_after=number)
        if number == 1 and chance.random() < 0.3:
            people.append(Competitor("late", "Late"))
            matches.append(Match("late", bye="unpaired-loss"))
        played = Round(number, matches=tuple(matches), draw=drawn.draw)
        tournament = replace(tournament, competitors=tuple(people), rounds=(*tournament.rounds, played))
    return tournament


def ruled(chance: random.Random) -> Result:
    return Result("ruling", chance.choice(("a", "a", "b", "b", "draw")))


def share_far_apart(rules: Rules) -> float:
    """Of all players after five to seven rounds, those with three or more of one side than of the other."""
    far = everybody = 0
    for players in (8, 9, 13, 16, 32, 47, 64):
        for rounds in (5, 6, 7):
            for seed in range(3):
                ahead: Counter[str] = Counter()
                for match in (m for r in an_evening(players, rounds, seed, rules).rounds for m in r.matches if m.b):
                    ahead.update({match.a: 1, match.b or "": -1})
                far += sum(abs(lead) >= 3 for lead in ahead.values())
                everybody += players
    return far / everybody


def test_at_most_two_of_a_hundred_players_are_three_or_more_apart() -> None:
    """Without sharing it is a third of them."""
    assert share_far_apart(SIDED) <= 0.02
    assert share_far_apart(PLAIN) > 0.25


def test_the_hub_draws_them_so_too_and_its_check_is_content() -> None:
    hall = Event(players=8, rules=SIDED, options={"structure": "own", "swiss_rounds": 4})
    for _ in range(4):
        hall.play().settle()
    tournament = tournament_of(hall.state)
    for number in (2, 3, 4):
        again = draw_swiss_round(tournament.after(number - 1), seed=tournament.rounds[number - 1].draw.seed)
        assert [(m.a, m.b) for m in again.matches] == [(m.a, m.b) for m in tournament.rounds[number - 1].matches]
    assert said(tournament) == []


# Check.


def said(tournament: Tournament) -> list[tuple[str, str]]:
    return [(p.where, p.say()) for p in violations(tournament) if p.key == "first_side_of_another"]


def drawn(tournament: Tournament, method: str = "enumerated") -> Tournament:
    """As the kit drew all of it."""
    rounds = tuple(replace(each, draw=Draw(1, 1, method)) for each in tournament.rounds)
    return played_by(SIDED, replace(tournament, rounds=rounds))


def test_check_tells_a_first_side_that_was_the_others() -> None:
    """a has had it in round 1, c has not."""
    wrong = event([game("ab"), game("dc")], [game("ac"), game("bd")])
    told = "Łukasz Ż. had the first side less often or longer ago than Ana R.. It should be Łukasz Ż.'s here."
    assert said(drawn(wrong)) == [("/rounds/1/matches/0/a", told)]
    assert said(drawn(event([game("ab"), game("dc")], [game("ca"), game("bd")]))) == []


def test_check_leaves_the_lot_alone_and_whatever_people_or_others_paired() -> None:
    """After a-b and c-d, a meets c: either may have the first side. And nobody but the kit's own draw shares sides."""
    for pair in ("ac", "ca"):
        assert said(drawn(event([game("ab"), game("cd")], [game(pair), game("bd")]))) == []
    wrong = event([game("ab"), game("dc")], [game("ac"), game("bd")])
    assert said(drawn(wrong, "imposed")) == []
    assert said(played_by(SIDED, wrong)) == []
    assert said(played_by(PLAIN, drawn(wrong))) == []


@pytest.mark.parametrize("players", [7, 16])
def test_our_own_draws_are_as_check_wants_them(players: int) -> None:
    for seed in range(6):
        assert said(an_evening(players, 6, seed, SIDED)) == []
