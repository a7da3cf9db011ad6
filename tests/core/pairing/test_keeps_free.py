"""Five or six players in a document's own four rounds: shape gives way before a pairing is repeated (line 3b)."""

import random
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from roundtap_core.check.check import violations
from roundtap_core.pairing.pairing_pool import build_pool
from roundtap_core.pairing.swiss_round import DrawnRound, best_rounds, draw_swiss_round, repeat_is_ahead
from roundtap_core.records import Competitor, Match, Result, Round, Tournament
from roundtap_core.standings.totals import swiss_totals


def showdown(players: str, *rounds: str, **options: object) -> Tournament:
    """Rounds as "AB CD EF": the first of each pair has won."""
    won = Result("ruling", "a")
    return Tournament(
        "Showdown",
        "shatterpoint-premier",
        options=options,
        competitors=tuple(Competitor(name, name) for name in players),
        rounds=tuple(
            Round(number, matches=tuple(Match(pair[0], pair[1], result=won) for pair in pairs.split()))
            for number, pairs in enumerate(rounds, start=1)
        ),
    )


def test_the_criterion_by_hand_on_six_players() -> None:
    """After two rounds A and D have 6 points, B and C 3, E and F none. By shape it is A-D, B-C, E-F; but then A, C and
    E have only each other left for round 4, and so have B, D and F. A-D, B-F, C-E leads on."""
    rounds = ("AB DE CF", "AF DC BE")
    for seed in range(10):
        ahead = draw_swiss_round(showdown("ABCDEF", *rounds), seed)
        assert pairs_of(ahead) == {"AD", "BF", "CE"}
        assert [(each["from"], each["to"]) for each in ahead.notes["floats"]] == [(3, 0), (3, 0)]
        chosen = draw_swiss_round(showdown("ABCDEF", *rounds, structure="own", swiss_rounds=4), seed)
        assert (pairs_of(chosen), chosen.notes["repeat_ahead"]) == ({"AD", "BC", "EF"}, True)
        # With three rounds there is no fourth to keep free.
        last = draw_swiss_round(showdown("ABCDEF", *rounds, structure="own", swiss_rounds=3), seed)
        assert pairs_of(last) == {"AD", "BC", "EF"}


def pairs_of(drawn: DrawnRound) -> set[str]:
    return {"".join(sorted(match.a + (match.b or ""))) for match in drawn.matches}


def evening(players: int, seed: int, **options: object) -> Iterator[Tournament]:
    """The event after each of its rounds."""
    chance = random.Random(f"{players}/{seed}")
    tournament = replace(showdown("ABCDEFGH"[:players], **options), seed=seed)
    for number in range(1, 5):
        drawn = draw_swiss_round(tournament)
        ends = [Result("ruling", chance.choice("aaaabbbbd").replace("d", "draw")) for _ in drawn.matches]
        matches = [m if m.b is None else replace(m, result=end) for m, end in zip(drawn.matches, ends, strict=True)]
        tournament = replace(
            tournament, rounds=(*tournament.rounds, Round(number, "swiss", tuple(matches), drawn.draw))
        )
        yield tournament


def repeats(tournament: Tournament) -> int:
    pairs = [frozenset((m.a, m.b)) for played in tournament.rounds for m in played.matches if m.b]
    return len(pairs) - len(set(pairs))


@pytest.mark.parametrize("players", [5, 6])
def test_the_documents_four_rounds_repeat_no_pairing(players: int) -> None:
    for seed in range(150):
        *_, whole = evening(players, seed)
        assert repeats(whole) == 0, seed
        assert violations(replace(whole, options={"lists_required": False})) == [], seed


@pytest.mark.parametrize("players", [5, 6])
def test_where_the_organizer_chose_four_rounds_shape_goes_first_as_before(players: int) -> None:
    whole = [list(evening(players, seed, structure="own", swiss_rounds=4))[-1] for seed in range(150)]
    assert sum(repeats(each) > 0 for each in whole) > 5


@pytest.mark.parametrize("players", [5, 6, 7, 8])
def test_nothing_is_given_up_where_nothing_is_gained(players: int) -> None:
    """As long as one of the best-shaped draws leads on, it is one of them."""
    for seed in range(60):
        for before in list(evening(players, seed))[:3]:
            drawn = draw_swiss_round(before)
            field = build_pool(before, swiss_totals(before), ())
            place = {who: i for i, who in enumerate(field.ids)}
            pairs = [(place[m.a], place[m.b]) for m in drawn.matches if m.b]
            resting = {m.a for m in drawn.matches if m.bye}
            byes = [had + (who in resting) for who, had in zip(field.ids, field.byes, strict=True)]
            best = best_rounds(field.groups([i for pair in pairs for i in pair]), field.met)
            left = 4 - drawn.number
            if not all(repeat_is_ahead(draw, field.met, byes, left) for draw in best):
                assert set(map(frozenset, pairs)) in [set(map(frozenset, draw)) for draw in best]
