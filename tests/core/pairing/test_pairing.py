"""The next Swiss round, as an organizer sees it: byes, who came together, who left, and the record of why."""

from collections import Counter

import pytest
from msgspec.structs import replace

from event_kit import refused
from roundtap_core.errors import Problem
from roundtap_core.pairing.swiss_round import draw_swiss_round, pairing_to_json
from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament
from roundtap_core.standings.standings import standings


def players(*names: str, **more: object) -> tuple[Competitor, ...]:
    return tuple(Competitor(name, name, **more) for name in names)


def event(competitors: tuple[Competitor, ...], *rounds: tuple[Match, ...], **options: object) -> Tournament:
    return Tournament(
        "Winter Open",
        "xwing-standard",
        competitors=competitors,
        options=options,
        rounds=tuple(Round(i + 1, matches=matches) for i, matches in enumerate(rounds)),
    )


def beats(winner: str, loser: str, loser_score: int = 0) -> Match:
    return Match(winner, loser, result=Result(score=SidePair(100, loser_score)))


def met_in(tournament: Tournament, seed: int) -> set[frozenset[str]]:
    return {frozenset((m.a, m.b)) for m in draw_swiss_round(tournament, seed=seed).matches if m.b}


def record(points: dict[str, int]) -> tuple[tuple[Match, ...], ...]:
    """Rounds that give those points, by "no-show" wins: nobody has met anybody, and nobody had a bye."""
    most = max(points.values())
    return tuple(
        tuple(Match(c, bye="no-show" if number < won else "unpaired-loss") for c, won in points.items())
        for number in range(most)
    )


def test_the_rulebooks_example_three_on_5_points_and_one_on_4() -> None:
    """ "the one left over meets a random player of the next lower group": each of the three floats in turn."""
    points = {"Ana": 5, "Bruno": 5, "Eva": 5, "Kai": 4}
    tournament = event(players(*points), *record(points))
    floaters = Counter()
    for seed in range(60):
        notes = draw_swiss_round(tournament, seed=seed).notes
        (floated,) = notes["floats"]
        assert (floated["from"], floated["to"], notes["repeats"]) == (5, 4, 0)
        floaters[floated["competitor"]] += 1
    assert set(floaters) == {"Ana", "Bruno", "Eva"}


def test_the_criterion_by_hand_on_ten_players() -> None:
    """Groups: 3 on three points who have all met, 3 on two, 4 on one (of whom two have met).

    m11 = 0, since the three have met; m12 = 3: all of them float to the second group, which is used up. m33 = 2, and
    G meets H or J, not I. No other shape is as good; in particular not m12 = 1, m13 = 2.
    """
    points = {"A": 3, "B": 3, "C": 3, "D": 2, "E": 2, "F": 2, "G": 1, "H": 1, "I": 1, "J": 1}
    meetings = (("A", "B"), ("B", "C"), ("A", "C"), ("G", "I"))
    ruled = Result(ended="ruling", winner="none")
    rounds = [tuple(Match(a, b, result=ruled) for a, b in meetings), *record(points)]
    tournament = event(players(*points), *rounds, structure="own", swiss_rounds=0)
    for seed in range(20):
        pairing = draw_swiss_round(tournament, seed=seed)
        pairs = met_in(tournament, seed)
        assert sum(len(pair & set("ABC")) == 1 and len(pair & set("DEF")) == 1 for pair in pairs) == 3
        assert sum(pair <= set("GHIJ") for pair in pairs) == 2
        assert frozenset("GI") not in pairs
        assert pairing.draw.method == "enumerated"
        assert [(f["from"], f["to"]) for f in pairing.notes["floats"]] == [(3, 2)] * 3


def test_the_same_seed_draws_the_same_round_and_another_attempt_another() -> None:
    tournament = event(players(*(f"p{i}" for i in range(40))))
    first = draw_swiss_round(tournament, seed=3)
    assert draw_swiss_round(tournament, seed=3) == first
    assert draw_swiss_round(tournament, seed=3, attempt=2).matches != first.matches
    assert draw_swiss_round(tournament, seed=4).matches != first.matches
    assert draw_swiss_round(replace(tournament, seed=3)) == first


def test_this_draw_is_the_same_on_every_machine() -> None:
    """A recorded draw can be drawn again for ever: if this changes, so do all rounds ever recorded."""
    tournament = event(
        players(*"ABCDEFGHIJKLM"),
        (*(beats(a, b) for a, b in ("AB", "CD", "EF", "GH", "IJ", "KL")), Match("M", bye="bye")),
    )
    drawn = pairing_to_json(draw_swiss_round(tournament, seed=20261120))
    assert " ".join(f"{m['a']}{m.get('b', '')}" for m in drawn["matches"]) == "EG IM KA CH DL FJ B"


def test_round_1_byes_are_uniform_and_won_byes_are_set_aside_first() -> None:
    five = event(players("Ana", "Bruno", "Eva", "Kai", "Łukasz"))
    byes = Counter(draw_swiss_round(five, seed=seed).matches[-1].a for seed in range(1000))
    assert all(150 < count < 250 for count in byes.values())
    with_won = event((*five.competitors, *players("Marta", won_bye=True)))
    matches = draw_swiss_round(with_won, seed=1).matches
    assert Counter(match.bye for match in matches) == {None: 2, "won": 1, "bye": 1}
    assert next(m.a for m in matches if m.bye == "won") == "Marta"
    even = event((*players("Ana", "Bruno", "Eva", "Kai"), *players("Marta", won_bye=True)))
    assert Counter(match.bye for match in draw_swiss_round(even, seed=1).matches) == {None: 2, "won": 1}


def test_who_came_together_is_kept_apart_in_round_1() -> None:
    two_cars = event((*players(*"ABCD", came_with="north"), *players(*"EFG", came_with="south"), *players(*"HIJK")))
    for seed in range(40):
        pairs = met_in(two_cars, seed)
        assert not any(pair <= set("ABCD") or pair <= set("EFG") for pair in pairs)
    bus = event((*players(*"ABCDEF", came_with="bus"), *players("G", "H")))
    for seed in range(20):
        assert sum(pair <= set("ABCDEF") for pair in met_in(bus, seed)) == 2  # 6 of 8: two pairs cannot be avoided
    seen = {frozenset(met_in(bus, seed)) for seed in range(2000)}
    assert len(seen) == 6 * 5 * 3  # hosts of G and of H, then three ways for the other four


def test_a_car_too_large_for_luck_is_separated_all_the_same() -> None:
    convoy = event(
        (
            *players(*(f"n{i}" for i in range(49)), came_with="north"),
            *players(*(f"s{i}" for i in range(45)), came_with="south"),
            *players(*(f"x{i}" for i in range(6))),
        )
    )
    pairing = draw_swiss_round(convoy, seed=1)
    assert not any(match.a[0] == (match.b or "")[:1] and match.a[0] in "ns" for match in pairing.matches)


def test_later_the_last_without_a_bye_has_it() -> None:
    names = ("Ana", "Bruno", "Eva", "Kai", "Łukasz", "Marta", "Nils")
    one = (beats("Ana", "Bruno"), beats("Eva", "Kai", 90), beats("Łukasz", "Marta", 50), Match("Nils", bye="bye"))
    tournament = event(players(*names), one)
    assert [row.competitor for row in standings(tournament)][-1] == "Bruno"
    pairing = draw_swiss_round(tournament)
    assert pairing.notes["bye"] == {"competitor": "Bruno", "why": "last", "passed_over": []}
    assert pairing.matches[-1] == Match("Bruno", bye="bye")
    assert pairing_to_json(pairing)["notes"]["bye"] == "last"
    had_one = event(
        tuple(replace(c, dropped_after=1) if c.name in ("Ana", "Eva") else c for c in players(*names)),
        (*one[1:3], Match("Ana", bye="bye"), Match("Bruno", bye="won"), Match("Nils", bye="unpaired-loss")),
    )
    assert draw_swiss_round(had_one).notes["bye"]["competitor"] == "Nils"


def test_a_bye_that_would_force_a_repeat_goes_to_the_next() -> None:
    """Kai is last, but without Kai the other four could not be paired: Ana has met all of them but Kai."""
    rounds = [
        (beats("Ana", "Bruno"), beats("Eva", "Kai")),
        (beats("Ana", "Eva"), beats("Łukasz", "Kai")),
        (beats("Ana", "Łukasz"), beats("Bruno", "Eva", 99)),
    ]
    tournament = event(players("Ana", "Bruno", "Eva", "Kai", "Łukasz"), *rounds)
    assert standings(tournament)[-1].competitor == "Kai"
    pairing = draw_swiss_round(tournament)
    assert pairing.notes["repeats"] == 0
    assert pairing.notes["bye"]["passed_over"] == ["Kai"]
    assert pairing_to_json(pairing)["notes"]["bye_passed_over"] == ["Kai"]


def test_nobody_gets_a_second_bye_while_somebody_has_none_even_at_the_price_of_a_repeat() -> None:
    three = event(
        players("Ana", "Bruno", "Eva"),
        (beats("Ana", "Bruno"), Match("Eva", bye="bye")),
        (beats("Ana", "Eva"), Match("Bruno", bye="bye")),
    )
    pairing = draw_swiss_round(three)
    assert pairing.matches[-1].a == "Ana"
    assert pairing.notes["repeats"] == 0


def test_who_left_or_is_absent_is_not_paired_and_their_opponents_still_count() -> None:
    people = (
        *players("Ana", "Bruno", "Eva", "Kai"),
        *players("Łukasz", dropped_after=1),
        *players("Marta", disqualified_after=1),
    )
    tournament = event(people, (beats("Ana", "Łukasz"), beats("Bruno", "Marta"), beats("Eva", "Kai")))
    paired = {c for pair in met_in(tournament, 1) for c in pair}
    assert paired == {"Ana", "Bruno", "Eva", "Kai"}
    without = draw_swiss_round(tournament, absent={"Bruno", "Ana"})
    assert [(m.a, m.b) for m in without.matches] in ([("Eva", "Kai")], [("Kai", "Eva")])
    assert without.notes["repeats"] == 1


def test_only_this_stages_opponents_count() -> None:
    two = event(players("Ana", "Bruno"))
    played = replace(two, rounds=(Round(1, "elimination", (beats("Ana", "Bruno"),)),))
    pairing = draw_swiss_round(played)
    assert (pairing.number, pairing.notes["repeats"]) == (2, 0)


def test_everybody_has_met_everybody_and_it_still_draws() -> None:
    tournament = event(
        players(*"ABCD"),
        (beats("A", "B"), beats("C", "D")),
        (beats("A", "C"), beats("B", "D")),
        (beats("A", "D"), beats("B", "C")),
    )
    notes = draw_swiss_round(tournament).notes
    assert notes["repeats"] == 2
    assert len({frozenset(pair.values()) for pair in notes["repeated"]}) == 2


def test_a_repeat_that_must_come_is_announced_in_time() -> None:
    """Four players have three rounds without a repeat: that the last of four must repeat is known at once."""
    four = event(players(*"ABCD"), structure="own", swiss_rounds=4)
    first = draw_swiss_round(four)
    assert first.notes["repeat_ahead"] is True
    assert pairing_to_json(first)["notes"]["repeat_ahead"] is True
    assert "repeat_ahead" not in draw_swiss_round(event(players(*"ABCD"), structure="own", swiss_rounds=3)).notes
    last = event(
        players(*"ABCD"),
        (beats("A", "B"), beats("C", "D")),
        (beats("A", "C"), beats("B", "D")),
        (beats("A", "D"), beats("B", "C")),
        structure="own",
        swiss_rounds=4,
    )
    notes = draw_swiss_round(last).notes
    assert (notes["repeats"], "repeat_ahead" in notes) == (2, False)


def test_open_matches_and_too_few_players_are_said() -> None:
    waiting = event(players("Ana", "Bruno", "Eva", "Kai"), (beats("Ana", "Bruno"), Match("Eva", "Kai", 2)))
    with pytest.raises(Problem) as caught:
        draw_swiss_round(waiting)
    assert (caught.value.key, caught.value.where) == ("open_matches", "/rounds/0/matches/1")
    assert caught.value.params == {"n": 1, "round": 1, "table": 2, "a": "Eva", "b": "Kai"}
    with refused("too_few_players"):
        draw_swiss_round(event(players("Ana")))


def test_json_is_the_event_files() -> None:
    data = pairing_to_json(draw_swiss_round(event(players("Ana", "Bruno", "Eva")), seed=5, attempt=2))
    assert list(data) == ["round", "stage", "draw", "matches", "notes"]
    assert data["draw"] == {"seed": 5, "attempt": 2, "method": "ideal"}
    assert (data["round"], data["stage"]) == (1, "swiss")
    assert set(data["matches"][0]) == {"table", "a", "b"}
    assert data["matches"][1].keys() == {"a", "bye"}
    assert data["notes"] == {"repeats": 0, "bye": "random", "floats": []}
