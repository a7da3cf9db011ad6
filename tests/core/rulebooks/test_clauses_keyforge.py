"""Clauses of the KeyForge document about cards: an altered deck, a missing card at the start and during a game."""

import pytest

from event_kit import MINUTE, Event, refused
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import match_clock
from roundtap_core.event.states import tournament_of
from roundtap_core.records import CONCESSION, RULING, Result, SidePair
from roundtap_core.standings.standings import standings


@pytest.fixture(params=["keyforge-archon", "keyforge-sealed"])
def event(request: pytest.FixtureRequest) -> Event:
    """Round 1 of three is on the tables."""
    made = Event(6, {"structure": "own", "swiss_rounds": 3}, rulebook=request.param, level="formal").play()
    made.tell(c.SetClock("start"))
    return made


def points(event: Event, who: str) -> int:
    return next(row.points for row in standings(tournament_of(event.state)) if row.competitor == who)


def test_who_altered_a_deck_is_disqualified_and_the_opponent_wins_the_round(event: Event) -> None:
    """ "Mazos de los jugadores"; "Fundas para las cartas" calls a card that names another deck such an alteration."""
    altered, opponent = event.match().match.a, event.match().match.b or ""
    event.tell(c.Disqualify(altered, "a card names another deck"))
    assert (points(event, altered), points(event, opponent)) == (0, 1)
    with refused("disqualified_stays_out"):
        event.tell(c.ReturnCompetitor(altered))


def test_a_game_that_an_altered_deck_had_won_goes_to_the_opponent_by_a_ruling(event: Event) -> None:
    event.agree(Result(score=SidePair(1, 0)))
    altered, opponent = event.match().match.a, event.match().match.b or ""
    event.tell(c.Disqualify(altered, "a card names another deck"))
    event.tell(c.EnterResult("1.1", event.match().revision, Result(ended=RULING, winner="b")))
    assert (points(event, altered), points(event, opponent)) == (0, 1)


def test_a_card_missing_at_the_start_gets_a_short_extension_then_the_game_is_lost(event: Event) -> None:
    """ "Cartas perdidas y dañadas"."""
    event.tell(c.GrantExtension("1.1", 5))
    assert event.state.live is not None
    searching, others = (
        match_clock(event.state, event.state.live, event.match(match)).remaining_at(event.now.instant)
        for match in ("1.1", "1.2")
    )
    assert searching == (others or 0) + 5 * MINUTE
    event.tell(c.EnterResult("1.1", 0, Result(ended=CONCESSION, conceded_by="a")))
    assert (points(event, event.match().match.a), points(event, event.match().match.b or "")) == (0, 1)


def test_still_missing_before_the_next_round_the_player_is_dropped(event: Event) -> None:
    missing = event.match().match.a
    event.tell(c.EnterResult("1.1", 0, Result(ended=CONCESSION, conceded_by="a")))
    for match in ("1.2", "1.3"):
        event.tell(c.EnterResult(match, 0, Result(score=SidePair(1, 0))))
    event.tell(c.DropCompetitor(missing))
    event.play()
    assert missing not in {who for m in event.state.live.matches for who in (m.match.a, m.match.b)}


def test_a_card_found_missing_during_a_game_loses_it(event: Event) -> None:
    event.tell(c.EnterResult("1.1", 0, Result(ended=CONCESSION, conceded_by="b")))
    assert (points(event, event.match().match.a), points(event, event.match().match.b or "")) == (1, 0)


def test_a_card_that_merely_fell_costs_a_warning_and_the_game_goes_on(event: Event) -> None:
    clumsy = event.match().match.a
    event.tell(c.GiveWarning(clumsy, "a card fell"))
    assert tournament_of(event.state).competitors[int(clumsy[1:]) - 1].warnings == (
        {"round": 1, "reason": "a card fell", "by": "organizer"},
    )
    assert event.match().match.result is None
    event.agree(Result(score=SidePair(1, 0)))
    assert points(event, clumsy) == 1
