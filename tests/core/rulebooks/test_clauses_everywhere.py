"""What all five documents ask for alike, held for every rulebook: Swiss rounds, byes, leaving, cut, elimination."""

from collections import Counter
from itertools import combinations, pairwise

import pytest
from msgspec.structs import replace

from event_kit import MINUTE, Event, refused
from roundtap_core.elimination.bracket import Bracket
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import (
    CUT,
    OVER,
    current_bracket,
    current_seeds,
    match_clock,
    offered_places,
    upcoming_stage,
)
from roundtap_core.event.states import MatchState, Official, tournament_of
from roundtap_core.pairing.swiss_round import draw_swiss_round
from roundtap_core.records import (
    CONCESSION,
    ELIMINATION,
    NO_SHOW,
    RULING,
    UNPAIRED_LOSS,
    Match,
    Result,
    SidePair,
    Tournament,
)
from roundtap_core.rulebooks.base import BYE_RANDOM_LOWEST
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.standings.standings import standings
from roundtap_core.words import LANGUAGES, core_words
from rulebook_kit import event as tournament

everywhere = pytest.mark.parametrize("rulebook", RULEBOOKS)

WON, LOST = Result(ended=RULING, winner="a"), Result(ended=RULING, winner="b")
SIX = ("Ana", "Bruno", "Cira", "Dora", "Eva", "Fritz")


def beats(winner: str, loser: str) -> Match:
    return Match(winner, loser, result=WON)


def opened(rulebook: str, players: int = 4, rounds: int = 3, **options: object) -> Event:
    """An event before round 1; nobody plays for a prize, so that no tie has to be played out."""
    book = RULEBOOKS[rulebook]
    given = {"structure": "own", "swiss_rounds": rounds, **options}
    return Event(
        players, {**given, "prize_places": 0} if book.tiebreak_rounds else given, rulebook=rulebook, level=None
    )


def stood(rulebook: str) -> Result | None:
    """What the rulebook wants to know of a match that is left."""
    asks = RULEBOOKS[rulebook].leaving_asks
    if "picks" in asks:
        return Result(score=SidePair(1, 0), wounds=SidePair(2, 3), picks={"a": [1, 2], "b": [3, 4]})
    return Result(score=SidePair(11, 7)) if "score" in asks else None


def settle(event: Event, winner: str = "a") -> Event:
    """A judge gives every open match to that side; where lives count, each table has others, so that none are tied."""
    for place, match in enumerate(event.state.live.open_matches):
        life = 3 * place + len(event.state.rounds) if event.state.rulebook.tiebreak_rounds else 0
        event.tell(
            c.EnterResult(
                match.id,
                match.revision,
                Result(ended=RULING, winner=winner, score=SidePair(life, 0) if winner == "a" else SidePair(0, life)),
            )
        )
    return event


def swiss_played(rulebook: str, players: int = 8, **options: object) -> Event:
    event = opened(rulebook, players, **options)
    for _ in range(3):
        settle(event.play())
    return event


def pairs(drawn: Tournament, seed: int) -> list[tuple[str, str]]:
    return [(match.a, match.b) for match in draw_swiss_round(drawn, seed=seed).matches if match.b]


def order(event: Event) -> list[str]:
    return [row.competitor for row in standings(tournament_of(event.state))]


def matches(event: Event) -> tuple[MatchState, ...]:
    return event.state.live.matches


def bracket(event: Event) -> Bracket:
    found = current_bracket(event.state)
    assert found is not None
    return found


# Pairing.


@everywhere
def test_round_1_and_its_bye_are_drawn_by_lot(rulebook: str) -> None:
    """Of five each has the bye, and everybody meets everybody, equally often."""
    fresh = tournament(rulebook, [], *SIX[:5], swiss_rounds=3)
    byes: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    for seed in range(400):
        byes.update(match.a for match in draw_swiss_round(fresh, seed=seed).matches if match.b is None)
        met.update(map(frozenset, pairs(fresh, seed)))
    # 80 of 400 expected for a bye, 80 for each of ten pairs: within five standard deviations.
    assert set(byes) == set(SIX[:5])
    assert all(40 < count < 120 for count in byes.values())
    assert len(met) == 10
    assert all(40 < count < 120 for count in met.values())


@everywhere
def test_equal_points_meet_and_the_odd_one_out_meets_one_of_the_next_group(rulebook: str) -> None:
    """Three winners and three losers: two winners meet, and a random third one meets a random loser."""
    played = tournament(
        rulebook, [[beats("Ana", "Bruno"), beats("Cira", "Dora"), beats("Eva", "Fritz")]], *SIX, swiss_rounds=3
    )
    winners = {"Ana", "Cira", "Eva"}
    crossed = set()
    for seed in range(80):
        drawn = pairs(played, seed)
        (cross,) = [pair for pair in drawn if len(set(pair) & winners) == 1]
        assert len(drawn) == 3
        crossed.add(frozenset(cross))
    # Nobody meets the opponent of round 1 again.
    assert crossed == {frozenset((a, b)) for a in winners for b in set(SIX) - winners} - {
        frozenset(pair) for pair in (("Ana", "Bruno"), ("Cira", "Dora"), ("Eva", "Fritz"))
    }


@everywhere
def test_nobody_meets_twice_in_a_stage_while_it_can_be_helped(rulebook: str) -> None:
    """Four players have three rounds without a repeat; in a fourth one there is no way round it, and it says so."""
    event = opened(rulebook, rounds=4)
    met: list[frozenset[str]] = []
    for _ in range(3):
        settle(event.play())
        met += [frozenset((m.match.a, m.match.b or "")) for m in matches(event)]
    assert sorted(map(sorted, met)) == [list(pair) for pair in combinations(("p1", "p2", "p3", "p4"), 2)]
    assert draw_swiss_round(tournament_of(event.state)).notes["repeats"] == 2


@everywhere
def test_a_bye_is_worth_a_win_and_later_goes_to_one_with_the_fewest_points_who_had_none(rulebook: str) -> None:
    first = [beats("Ana", "Bruno"), beats("Cira", "Dora"), Match("Eva", bye="bye")]
    byes: set[str] = set()
    for seed in range(40):
        played = tournament(rulebook, [first], *SIX[:5], seed=seed, swiss_rounds=3)
        points = {row.competitor: row.points for row in standings(played)}
        assert points["Eva"] == points["Ana"] > points["Bruno"] == 0
        (bye,) = [match.a for match in draw_swiss_round(played).matches if match.b is None]
        assert RULEBOOKS[rulebook].bye_after_round_1 == BYE_RANDOM_LOWEST or bye == standings(played)[-1].competitor
        byes.add(bye)
    # Under either rule a lot decides here: by drawing among both losers, or by the lot that made one of them the last.
    assert byes == {"Bruno", "Dora"}


@everywhere
def test_everybody_has_a_numbered_table(rulebook: str) -> None:
    event = opened(rulebook, players=9).play()
    assert [m.match.table for m in matches(event)] == [1, 2, 3, 4, None]


@everywhere
def test_a_published_round_waits_for_the_start_at_its_full_length(rulebook: str) -> None:
    event = opened(rulebook).play()
    usual = RULEBOOKS[rulebook].minutes("swiss", event.state.options)
    assert (event.state.clock.state, event.state.clock.remaining_ms) == ("idle", (usual or 0) * MINUTE)
    event.tell(c.SetClock("start"))
    assert event.state.clock.state == "running"


@everywhere
def test_a_table_can_be_given_time_back(rulebook: str) -> None:
    event = opened(rulebook).play()
    event.tell(c.SetClock("start"))
    event.tell(c.GrantExtension("1.1", 5))
    left = [
        match_clock(event.state, event.state.live, event.match(match)).remaining_at(event.now.instant)  # type: ignore[arg-type]
        for match in ("1.1", "1.2")
    ]
    assert left[0] == (left[1] or 0) + 5 * MINUTE


# Leaving and coming back.


@everywhere
def test_who_leaves_concedes_the_open_game_and_is_not_paired_again(rulebook: str) -> None:
    event = opened(rulebook, players=6).play()
    leaver = event.match().match.b or ""
    event.tell(c.DropCompetitor(leaver, stood(rulebook)))
    assert event.match().match.result == replace(stood(rulebook) or Result(), ended=CONCESSION, conceded_by="b")
    assert event.state.rulebook.winner(event.match().match.result, event.state.options) == "a"
    settle(event).play()
    assert leaver not in {who for m in matches(event) for who in (m.match.a, m.match.b)}


@everywhere
def test_who_does_not_come_loses_and_is_dropped_and_the_other_has_what_a_bye_gives(rulebook: str) -> None:
    event = opened(rulebook).play()
    present, absent = event.match().match.a, event.match().match.b or ""
    event.tell(c.NoShow("1.1", absent))
    assert event.byes(1) == {present: NO_SHOW, absent: UNPAIRED_LOSS}
    assert not event.state.entrants[absent].active
    rows = {row.competitor: row for row in standings(tournament_of(event.state))}
    book = event.state.rulebook
    bye = book.tally(Match(present, bye="bye"), "a", event.state.options)
    assert (rows[present].points, rows[absent].points, rows[absent].rounds) == (bye.points, 0, 1)


@everywhere
def test_coming_back_costs_a_loss_for_each_round_missed(rulebook: str) -> None:
    event = opened(rulebook, players=6)
    settle(event.play())
    event.tell(c.DropCompetitor("p6"))
    settle(event.play())
    event.tell(c.ReturnCompetitor("p6"))
    assert event.byes(2)["p6"] == UNPAIRED_LOSS
    before = {row.competitor: (row.points, row.rounds) for row in standings(tournament_of(event.state))}
    assert before["p6"][1] == 2
    event.play()
    assert "p6" in {who for m in matches(event) for who in (m.match.a, m.match.b)}


@everywhere
def test_after_the_cut_nobody_comes_back_who_left_before_it(rulebook: str) -> None:
    event = swiss_played(rulebook, cut=4)
    gone = order(event)[1]
    event.tell(c.DropCompetitor(gone))
    event.tell(c.MakeCut())
    with refused("stage_is_over"):
        event.tell(c.ReturnCompetitor(gone))


@everywhere
def test_who_is_disqualified_loses_the_game_in_play_and_never_comes_back(rulebook: str) -> None:
    event = opened(rulebook, players=6).play()
    barred = event.match().match.a
    with refused("reason_missing"):
        event.tell(c.Disqualify(barred, " "))
    event.tell(c.Disqualify(barred, "stacked dice", stood=stood(rulebook)))
    assert event.state.rulebook.winner(event.match().match.result or WON, event.state.options) == "b"
    with refused("disqualified_stays_out"):
        event.tell(c.ReturnCompetitor(barred))
    settle(event).play()
    assert barred not in {who for m in matches(event) for who in (m.match.a, m.match.b)}


@everywhere
def test_a_warning_is_kept_and_the_player_plays_on_even_a_leaver_is_warned(rulebook: str) -> None:
    event = opened(rulebook).play()
    event.tell(c.GiveWarning("p1", "a card fell"))
    assert event.state.entrants["p1"].active
    assert all(match.match.result is None for match in matches(event))
    event.tell(c.DropCompetitor("p2"))
    event.tell(c.GiveWarning("p2", "left without a word"))
    assert [who.warnings for who in tournament_of(event.state).competitors[:2]] == [
        ({"round": 1, "reason": "a card fell", "by": "organizer"},),
        ({"round": 1, "reason": "left without a word", "by": "organizer"},),
    ]


# The end of the Swiss rounds, cut and elimination.


@everywhere
def test_most_points_stand_first_after_the_planned_rounds(rulebook: str) -> None:
    event = swiss_played(rulebook)
    table = standings(tournament_of(event.state))
    assert all(upper.points >= lower.points for upper, lower in pairwise(table))
    assert table[0].wins == 3
    assert upcoming_stage(event.state) == OVER
    with refused("all_rounds_played"):
        event.tell(c.DrawRound(1))
    event.tell(c.FinishEvent("the hall closes"))


@everywhere
def test_the_best_go_on_and_all_others_are_out_until_one_is_left(rulebook: str) -> None:
    event = swiss_played(rulebook, cut=4)
    assert upcoming_stage(event.state) == CUT
    event.tell(c.MakeCut())
    first, second, third, fourth = current_seeds(event.state)
    assert {first, second, third, fourth} == set(
        RULEBOOKS[rulebook].cut_order(standings(tournament_of(event.state)), event.state.seed)[:4]
    )
    event.play()
    assert [(m.match.game, m.match.a, m.match.b) for m in matches(event)] == [(1, first, fourth), (2, second, third)]
    event.tell(c.EnterResult("4.1", 0, LOST))
    event.tell(c.EnterResult("4.2", 0, WON))
    event.play()
    assert {(m.match.a, m.match.b) for m in matches(event)} == {(fourth, second)}
    event.tell(c.EnterResult("5.1", 0, LOST))
    assert bracket(event).champion == second
    assert upcoming_stage(event.state) == OVER
    event.tell(c.FinishEvent("the hall closes"))


@everywhere
def test_in_each_round_the_winner_of_game_1_meets_that_of_the_highest_numbered_game(rulebook: str) -> None:
    event = swiss_played(rulebook, players=16, cut=8)
    event.tell(c.MakeCut())
    seeds = current_seeds(event.state)
    settle(event.play())
    event.play()
    assert [(m.match.game, m.match.a, m.match.b) for m in matches(event)] == [
        (1, seeds[0], seeds[3]),
        (2, seeds[1], seeds[2]),
    ]


@everywhere
def test_a_qualified_player_who_leaves_is_replaced_by_the_next_as_last_seed(rulebook: str) -> None:
    event = swiss_played(rulebook, cut=4)
    event.tell(c.MakeCut())
    first, second, third, fourth = current_seeds(event.state)
    fifth = event.state.cut.order[4] if event.state.cut else ""
    event.tell(c.DropCompetitor(second))
    assert offered_places(event.state) == fifth
    event.tell(c.AcceptPlace(fifth))
    assert current_seeds(event.state) == (first, third, fourth, fifth)


@everywhere
def test_with_both_stages_on_two_days_everybody_asked_declines_and_the_place_stays_empty(rulebook: str) -> None:
    event = swiss_played(rulebook, players=6, cut=4)
    event.tell(c.MakeCut())
    first, second, third, fourth = current_seeds(event.state)
    event.tell(c.DropCompetitor(fourth))
    for asked in event.state.cut.order[4:] if event.state.cut else ():
        assert offered_places(event.state) == asked
        event.tell(c.DeclinePlace(asked))
    assert offered_places(event.state) is None
    event.play()
    assert event.byes(4) == {first: "bye"}
    assert {m.match.b for m in matches(event)} == {None, third}
    assert current_seeds(event.state)[:3] == (first, second, third)


@everywhere
def test_once_the_stage_has_begun_nobody_comes_in_and_the_opponent_goes_on(rulebook: str) -> None:
    event = swiss_played(rulebook, cut=4)
    event.tell(c.MakeCut())
    first, second, _, fourth = current_seeds(event.state)
    event.play()
    event.tell(c.SetClock("start"))
    squads = RULEBOOKS[rulebook].squads is not None
    # Who stays has not fielded two squads, which only Swiss rounds are sure to allow.
    event.tell(c.DropCompetitor(first, stood(rulebook), lets_go="p3: A B" if squads else ""))
    assert offered_places(event.state) is None
    settle(event)
    event.tell(c.DropCompetitor(second))
    event.play()
    assert event.byes(5) == {fourth: "bye"}
    assert bracket(event).champion == fourth


@everywhere
def test_elimination_from_the_start_fills_up_with_byes_by_lot(rulebook: str) -> None:
    event = opened(rulebook, players=6, rounds=0)
    assert upcoming_stage(event.state) == ELIMINATION
    byes: set[str] = set()
    for _ in range(12):
        event.tell(c.DrawRound(5))
        draft = event.state.draft
        assert sorted(str(m.match.game) for m in draft.matches) == ["1", "2", "3", "4"]
        alone = [m.match.a for m in draft.matches if m.match.bye]
        assert len(alone) == 2
        byes |= set(alone)
    assert len(byes) > 3
    event.tell(c.PublishRound(1, 12, noted="a test"))
    for _ in range(3):
        settle(event)
        if upcoming_stage(event.state) != OVER:
            event.play()
    assert bracket(event).champion is not None


# Coming late.


@everywhere
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_minutes_to_appear_are_those_that_the_rulebook_s_text_names(rulebook: str, language: str) -> None:
    book = RULEBOOKS[rulebook]
    assert "decision.late_minutes" in book.house_decisions
    assert f"{book.options({})['late_minutes']} min" in core_words(language)("decision.late_minutes").lower()


# Officials.


@everywhere
def test_any_number_of_head_judges_and_judges_beside_exactly_one_organizer(rulebook: str) -> None:
    event = opened(rulebook)
    organizer = Official("o1", "organizer")
    many = tuple(Official(f"o{n}", role) for n, role in enumerate(("head_judge", "judge") * 3, start=2))
    for officials in ((organizer,), (organizer, *many)):
        event.tell(c.SetOfficials(officials))
        assert tuple(event.state.officials.values()) == officials
    for officials in (many, (organizer, Official("o9", "organizer"))):
        with refused("one_organizer"):
            event.tell(c.SetOfficials(officials))


@pytest.mark.parametrize("rulebook", sorted(RULEBOOKS))
def test_who_concedes_has_not_won(rulebook: str) -> None:
    """All five: the one who concedes loses, whatever the figures are."""
    book = RULEBOOKS[rulebook]
    conceded = Result(ended=CONCESSION, conceded_by="a", winner="a", score=SidePair(1, 0))
    with pytest.raises(Problem) as refusal:
        book.winner(conceded, book.options({}))
    told = "score" if rulebook == "xwing-standard" else "concession"
    assert (refusal.value.key, refusal.value.params["right"]) == (f"winner_contradicts_{told}", "b")
