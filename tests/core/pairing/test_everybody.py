"""Everybody meets everybody: by the circle, from the recorded rounds, with leavers, latecomers and pairs by hand."""

import random
from collections import Counter
from collections.abc import Collection
from contextlib import nullcontext, suppress
from itertools import combinations

import pytest
from msgspec.structs import replace
from test_check import found

from event_kit import Event, refused
from made_up_books import EVERYBODY, EVERYBODY_SIDED, played_by
from roundtap_core.errors import Problem
from roundtap_core.event.commands import DropCompetitor, EnterCompetitor
from roundtap_core.event.states import Entrant, tournament_of
from roundtap_core.pairing.swiss_round import draw_swiss_round, pairing_to_json
from roundtap_core.records import Competitor, Draw, Match, Result, Round, SidePair, Tournament
from roundtap_core.rounds.next_round import next_round
from roundtap_core.wire import digest


def club(players: int, seed: int = 1) -> Tournament:
    people = tuple(Competitor(f"p{n}", f"P{n}") for n in range(players))
    options = {"structure": "own", "swiss_rounds": players - 1 + players % 2}
    return played_by(EVERYBODY_SIDED, Tournament("Club evening", "", seed=seed, options=options, competitors=people))


def won(match: Match) -> Match:
    return match if match.b is None else replace(match, result=Result(score=SidePair(100, 24)))


def played_on(tournament: Tournament, rounds: int = 1, more: Collection[Match] = ()) -> Tournament:
    """The next rounds as the kit draws them; `more` stands in each of them, too."""
    for _ in range(rounds):
        drawn = draw_swiss_round(tournament)
        matches = (*map(won, drawn.matches), *more)
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(drawn.number, "swiss", matches, drawn.draw)))
    return tournament


def by_hand(tournament: Tournament, *pairs: str, method: str = "imposed") -> Tournament:
    """One more round, of single-letter competitors."""
    matches = tuple(won(Match(p[0], p[1])) if len(p) == 2 else Match(p, bye="bye") for p in pairs)
    number = len(tournament.rounds) + 1
    return replace(tournament, rounds=(*tournament.rounds, Round(number, "swiss", matches, Draw(0, 1, method))))


def left(tournament: Tournament, who: str, after: int) -> Tournament:
    people = tuple(replace(c, dropped_after=after) if c.id == who else c for c in tournament.competitors)
    return replace(tournament, competitors=people)


def late(tournament: Tournament, who: str = "late") -> Tournament:
    """Came after round 1, which is a loss without an opponent."""
    first = tournament.rounds[0]
    first = replace(first, matches=(*first.matches, Match(who, bye="unpaired-loss")))
    people = (*tournament.competitors, Competitor(who, who.capitalize()))
    return replace(tournament, competitors=people, rounds=(first, *tournament.rounds[1:]))


def meetings(tournament: Tournament) -> Counter[frozenset[str | None]]:
    return Counter(frozenset((m.a, m.b)) for played in tournament.rounds for m in played.matches if m.b)


def byes(tournament: Tournament) -> Counter[str]:
    return Counter(m.a for played in tournament.rounds for m in played.matches if m.bye == "bye")


def letters(names: str) -> Tournament:
    return replace(club(len(names)), competitors=tuple(Competitor(name, name) for name in names))


@pytest.mark.parametrize("players", range(3, 17))
def test_everybody_meets_everybody_once_and_sits_out_once_if_at_all(players: int) -> None:
    whole = played_on(club(players), players - 1 + players % 2)
    assert meetings(whole) == Counter(map(frozenset, combinations((c.id for c in whole.competitors), 2)))
    assert byes(whole) == Counter({c.id: 1 for c in whole.competitors} if players % 2 else {})
    assert {played.draw.method for played in whole.rounds if played.draw} == {"everybody"}
    assert found(whole) == []
    with refused("all_rounds_played"):
        draw_swiss_round(whole)


def test_four_by_hand() -> None:
    """The circle of a, b, c, d: one stays, the others rotate."""
    whole = played_on(letters("abcd"), 3)
    first, second, third = ({frozenset((m.a, m.b)) for m in each.matches} for each in whole.rounds)
    assert len(first | second | third) == 6


def test_who_sits_where_is_drawn_with_round_1_and_drawn_anew_with_it() -> None:
    eight = club(8)
    first = [{frozenset((m.a, m.b)) for m in draw_swiss_round(eight, 5, n).matches} for n in (1, 1, 2)]
    assert first[0] == first[1] != first[2]
    firsts = Counter(frozenset((m.a, m.b)) for seed in range(700) for m in draw_swiss_round(eight, seed).matches)
    assert len(firsts) == 28
    assert all(60 < times < 145 for times in firsts.values())


def test_later_rounds_follow_from_the_recorded_ones_whatever_the_seed_of_the_draw() -> None:
    two = played_on(club(9), 2)
    drawn = [{(m.table, frozenset((m.a, m.b))) for m in draw_swiss_round(two, seed).matches} for seed in range(9)]
    assert all(each == drawn[0] for each in drawn)
    turned = replace(two, competitors=tuple(reversed(two.competitors)))
    assert {frozenset((m.a, m.b)) for m in draw_swiss_round(turned).matches} == {pair for _, pair in drawn[0]}


@pytest.mark.parametrize("players", [2, 17])
def test_fewer_than_three_or_more_than_sixteen_are_told(players: int) -> None:
    with refused("everybody_size"):
        draw_swiss_round(club(players))


def test_what_pair_prints() -> None:
    drawn = pairing_to_json(next_round(club(5)))
    assert drawn["draw"]["method"] == "everybody"
    assert drawn["notes"] == {"repeats": 0, "bye": "everybody", "floats": []}
    assert [match["bye"] for match in drawn["matches"] if "bye" in match] == ["bye"]


# Who leaves, and who comes late.


@pytest.mark.parametrize("players", range(4, 17))
def test_who_leaves_becomes_a_bye_of_whoever_would_meet_them(players: int) -> None:
    for seed in range(4):
        chance = random.Random(f"{players}/{seed}")
        gone, rounds = chance.sample(range(players), 2), players - 1 + players % 2
        evening, met_gone = club(players, seed), Counter[str]()
        for number in range(1, rounds + 1):
            evening = played_on(evening)
            if number in (1, 3):
                evening = left(evening, f"p{gone.pop()}", number)
        there = {c.id for c in evening.competitors if c.active}
        seen = meetings(evening)
        assert max(seen.values()) == 1
        assert all(seen[frozenset(pair)] for pair in combinations(there, 2))
        for who in there:
            met_gone[who] = sum(who in pair and not pair <= there for pair in seen)
            assert byes(evening)[who] == 2 - met_gone[who] + players % 2
        assert found(evening) == []


@pytest.mark.parametrize("players", range(3, 16, 2))
def test_who_comes_late_takes_the_empty_seat_and_meets_everybody_from_then_on(players: int) -> None:
    for seed in range(4):
        evening = late(played_on(club(players, seed)))
        evening = played_on(evening, players - 1)
        seen = meetings(evening)
        everybody = [c.id for c in evening.competitors]
        assert max(seen.values()) == 1
        sat_out = next(iter(byes(evening)))
        assert set(map(frozenset, combinations(everybody, 2))) - seen.keys() == {frozenset((sat_out, "late"))}
        assert sum(byes(evening).values()) == 1
        assert found(evening) == []


def test_without_an_empty_seat_nobody_comes_late() -> None:
    with refused("everybody_full"):
        draw_swiss_round(late(played_on(club(8))))
    with refused("everybody_full"):
        draw_swiss_round(late(late(played_on(club(7))), "later"))


def test_who_came_late_and_left_again_keeps_nobody_from_a_bye() -> None:
    evening = played_on(left(played_on(late(played_on(club(7)))), "late", 2), 5)
    assert max(meetings(evening).values()) == 1
    assert found(evening) == []


def test_who_did_not_appear_is_not_met_and_may_come_back_to_the_same_seat() -> None:
    six = club(6)
    drawn = draw_swiss_round(six)
    matches = [won(match) for match in drawn.matches]
    here, absent = matches[0].a, matches[0].b or ""
    matches[0:1] = [Match(here, matches[0].table, bye="no-show", absent=absent), Match(absent, bye="unpaired-loss")]
    matches[0] = Match(here, bye="no-show", absent=absent)
    evening = replace(six, rounds=(Round(1, "swiss", tuple(matches), drawn.draw),))
    evening = played_on(left(evening, absent, 1), 1, [Match(absent, bye="unpaired-loss")])
    back = replace(evening, competitors=six.competitors)
    evening = played_on(back, 3)
    assert max(meetings(evening).values()) == 1
    assert len(meetings(evening)) == 15 - 2
    assert found(evening) == []


# Rounds that people paired.


def test_pairs_by_hand_in_round_1_are_where_the_circle_begins() -> None:
    evening = played_on(by_hand(letters("abcdef"), "ab", "cd", "ef"), 4)
    assert Counter(map(frozenset, combinations("abcdef", 2))) == meetings(evening)
    # Nobody need know how it was drawn.
    told = replace(evening, rounds=tuple(replace(each, draw=None) for each in evening.rounds[:3]))
    assert max(meetings(played_on(told, 2)).values()) == 1


@pytest.mark.parametrize("players", range(4, 17))
def test_after_any_round_by_hand_the_rest_still_goes_without_a_repeat(players: int) -> None:
    """Two rounds of the kit, then a third as people pair: whoever is free takes somebody they have not met."""
    names = "abcdefghijklmnop"[:players]
    rounds = players - 1 + players % 2
    for seed in range(3):
        evening = played_on(replace(letters(names), seed=seed), min(2, rounds - 2))
        seen = meetings(evening)
        chance = random.Random(seed)
        for _ in range(200):
            line = chance.sample(names, players)
            pairs = ["".join(pair) for pair in zip(line[::2], line[1::2], strict=False)]
            if not any(frozenset(pair) in seen for pair in pairs) and not (players % 2 and byes(evening)[line[-1]]):
                break
        else:
            continue
        evening = by_hand(evening, *pairs, *(line[-1:] if players % 2 else []))
        with suppress(Problem) if players < 8 else nullcontext():
            evening = played_on(evening, rounds - len(evening.rounds))
        assert max(meetings(evening).values()) == 1
        assert found(evening) == []


def test_a_file_with_another_seed_or_rounds_in_another_order_still_repeats_nothing() -> None:
    """The circle is another one then; what was played counts."""
    for players in range(5, 17):
        three = played_on(club(players), 3)
        swapped = [replace(each, number=n) for n, each in enumerate(reversed(three.rounds), start=1)]
        for other in (replace(three, seed=99), replace(three, rounds=tuple(swapped))):
            whole = played_on(other, players - 4 + players % 2)
            assert set(meetings(whole).values()) == {1}
            assert len(meetings(whole)) == players * (players - 1) // 2


def test_where_every_round_would_repeat_a_pairing_that_is_said() -> None:
    """a, b and c have met d, e and f: what is left are two threes, and one of each three would wait."""
    evening = letters("abcdef")
    for pairs in (("ad", "be", "cf"), ("ae", "bf", "cd"), ("af", "bd", "ce")):
        evening = by_hand(evening, *pairs)
    with refused("everybody_met"):
        draw_swiss_round(evening)


# Check, and the hub.


def test_check_tells_a_repeat_and_a_bye_that_was_nobodys() -> None:
    four, three = (played_by(EVERYBODY, letters(names)) for names in ("abcd", "abc"))
    again = by_hand(by_hand(four, "ab", "cd", method="everybody"), "ac", "bd", method="everybody")
    assert found(again) == []
    assert found(by_hand(again, "ab", "cd", method="everybody")) == [
        ("/rounds/2/matches/0", "repeat"),
        ("/rounds/2/matches/1", "repeat"),
    ]
    assert found(by_hand(again, "ab", "cd")) == []
    assert found(by_hand(again, "ad", "b", "c", method="everybody")) == [("/rounds/2/matches/2/bye", "several_byes")]
    three = by_hand(by_hand(three, "ab", "c", method="everybody"), "ab", "c", method="everybody")
    assert [key for _, key in found(three)] == ["repeat", "second_bye"]


def test_a_bye_won_beforehand_is_lost_where_everybody_meets_everybody() -> None:
    six = club(6)
    six = replace(six, competitors=tuple(replace(c, won_bye=True) for c in six.competitors))
    whole = played_on(six, 5)
    assert not byes(whole)
    assert found(whole) == []


def test_the_first_side_is_shared_out_too() -> None:
    for players in range(3, 17):
        whole = played_on(club(players), players - 1 + players % 2)
        ahead = Counter(m.a for r in whole.rounds for m in r.matches if m.b)
        ahead.subtract(m.b for r in whole.rounds for m in r.matches if m.b)
        assert max(map(abs, ahead.values())) <= 3, players


def test_an_evening_at_the_hub() -> None:
    hall = Event(players=7, rules=EVERYBODY_SIDED, options={"structure": "own", "swiss_rounds": 7})
    hall.play()
    hall.enter("late")
    with refused("everybody_full"):
        hall.tell(EnterCompetitor(Entrant("later", digest("later"))))
    hall.settle().play().settle()
    hall.tell(DropCompetitor("p3"))
    for _ in range(5):
        hall.play().settle()
    evening = tournament_of(hall.state)
    assert len(evening.rounds) == 7
    assert max(meetings(evening).values()) == 1
    assert found(evening) == []
