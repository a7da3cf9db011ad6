"""Under every rulebook a made-up event is typed at the tables' pins, from the first seat to the champion."""

import pytest

from event_script import event_outcome, script_of
from fast_event import play_fast
from made_up_event import made_up_event
from roundtap_core.check.check import violations
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.rulebooks.registry import RULEBOOKS

LONG = pytest.mark.long


@pytest.mark.parametrize(
    ("rulebook_id", "players"),
    [
        pytest.param(each, players, marks=() if (each, players) == ("xwing-standard", 8) else LONG)
        for each in RULEBOOKS
        for players in (8, 12, 13)
    ],
)
def test_the_hub_ends_where_the_record_does(rulebook_id: str, players: int) -> None:
    event = made_up_event(rulebook_id, players, seed=players)
    played = play_fast(script_of(event))
    assert event_outcome(played) == event_outcome(event)


@pytest.mark.parametrize(
    ("rulebook_id", "players"),
    [
        pytest.param(each, players, marks=() if (each, players) == ("warlords-of-terra", 9) else LONG)
        for each in RULEBOOKS
        for players in (9, 13)
    ],
)
def test_with_leavers_disputes_and_corrections_it_ends_there_too(rulebook_id: str, players: int) -> None:
    event = made_up_event(rulebook_id, players, seed=7)
    played = play_fast(script_of(event), trouble=True)
    assert event_outcome(played) == event_outcome(event)


@pytest.mark.parametrize("seed", [5, *(pytest.param(n, marks=LONG) for n in range(20) if n != 5)])
@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_a_made_up_event_breaks_no_rule(rulebook_id: str, seed: int) -> None:
    assert violations(made_up_event(rulebook_id, 8 + seed, seed)) == []


def test_a_tie_at_the_top_is_played_out_before_the_final() -> None:
    """Ana and Łukasz are level in everything after the Swiss rounds, and both are winners of prizes."""
    event = tournament_from_json(
        {
            "format": "roundtap-event/1",
            "name": "Level",
            "rulebook": "warlords-of-terra",
            "seed": 5,
            "options": {"swiss_rounds": 2, "cut": 2, "prize_places": 2},
            "competitors": [
                {"id": "ana", "name": "Ana Ruiz"},
                {"id": "bruno", "name": "Bruno Maier"},
                {"id": "lukasz", "name": "Łukasz Żak"},
                {"id": "eva", "name": "Eva Luz"},
            ],
            "rounds": [
                {
                    "number": 1,
                    "matches": [
                        {"table": 1, "a": "ana", "b": "bruno", "result": {"winner": "a", "score": {"a": 20, "b": 0}}},
                        {"table": 2, "a": "lukasz", "b": "eva", "result": {"winner": "a", "score": {"a": 20, "b": 0}}},
                    ],
                },
                {
                    "number": 2,
                    "matches": [
                        {
                            "table": 1,
                            "a": "ana",
                            "b": "lukasz",
                            "result": {"ended": "time", "winner": "draw", "score": {"a": 10, "b": 10}},
                        },
                        {
                            "table": 2,
                            "a": "bruno",
                            "b": "eva",
                            "result": {"ended": "time", "winner": "draw", "score": {"a": 5, "b": 5}},
                        },
                    ],
                },
                {
                    "number": 3,
                    "stage": "tiebreak",
                    "matches": [
                        {"table": 1, "a": "ana", "b": "lukasz", "result": {"winner": "b", "score": {"a": 0, "b": 20}}}
                    ],
                },
                {
                    "number": 4,
                    "stage": "elimination",
                    "matches": [
                        {
                            "table": 1,
                            "a": "lukasz",
                            "b": "ana",
                            "game": 1,
                            "result": {"winner": "b", "score": {"a": 0, "b": 3}},
                        }
                    ],
                },
            ],
        }
    )
    assert violations(event) == []
    first, second, *_ = event_outcome(event)["standings"]
    assert (first["competitor"], first["decided_by"], second["competitor"]) == ("lukasz", "tiebreak_round", "ana")
    played = play_fast(script_of(event))
    assert event_outcome(played) == event_outcome(event)
