"""Lots before play: drawn once, the event's from then on; who of two lists chooses initiative."""

import pytest

from event_kit import Event, fold_entries, refused, score
from roundtap_core.event import commands as c
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook


def keyforge() -> Event:
    return Event(4, {"structure": "own", "swiss_rounds": 2}, rulebook="keyforge-archon").play()


def test_a_first_player_who_is_drawn_stands_through_restart_results_and_taking_back() -> None:
    event = keyforge()
    (drawn,) = event.tell(c.NoteLot("1.1", "first_player", "b"))
    assert (drawn.kind, drawn.data) == ("lot-drawn", {"match": "1.1", "about": "first_player", "side": "b"})
    assert event.match().lots == {"first_player": "b"}
    # A unit that was started anew draws again: the first lot stands.
    assert event.tell(c.NoteLot("1.1", "first_player", "a")) == []
    event.agree(score(1, 0))
    event.tell(c.EnterResult("1.1", 0, None))
    assert event.match().lots == {"first_player": "b"}
    assert fold_entries("e1", event.entries).find_match("1.1") == event.state.find_match("1.1")
    assert event.match("1.2").lots == {}


def test_lots_are_for_a_match_in_play_and_for_what_the_rulebook_draws() -> None:
    event = keyforge()
    with refused("not_one_of"):
        event.tell(c.NoteLot("1.1", "initiative", "a"))
    with refused("unknown_match"):
        event.tell(c.NoteLot("1.9", "first_player", "a"))
    with refused("unknown_match"):
        event.tell(c.NoteLot("1.1", "first_player", "a", draw="another"))
    mark = event.state.rounds[0].mark
    assert event.tell(c.NoteLot("1.1", "first_player", "a", draw=mark))
    for match in ("1.1", "1.2"):
        event.tell(c.EnterResult(match, 0, score(1, 0)))
    event.play()
    with refused("unknown_match"):
        event.tell(c.NoteLot("1.2", "first_player", "a"))


@pytest.mark.parametrize("book", ["xwing-standard", "xwing-epic-duel", "xwing-epic-team"])
def test_the_lower_list_total_chooses_initiative_and_equal_ones_draw_lots(book: str) -> None:
    chooses = rulebook(book).chooses_initiative
    totals = ((98, 100), (100, 99), (99, 99), (99, None), (None, None))
    assert [chooses(MatchSituation(totals=both)) for both in totals] == ["a", "b", "lot", None, None]
    event = Event(4, {"structure": "own", "swiss_rounds": 1}, rulebook=book, level=None).play()
    event.tell(c.NoteLot("1.1", "initiative", "b"))
    assert event.match().lots == {"initiative": "b"}


@pytest.mark.parametrize("book", ["keyforge-archon", "warlords-of-terra", "shatterpoint-premier"])
def test_other_rulebooks_know_no_such_choice(book: str) -> None:
    assert rulebook(book).chooses_initiative(MatchSituation(totals=(98, 100))) is None


def test_a_lot_that_decides_a_game_is_drawn_for_a_closed_round_too() -> None:
    """A slip that comes back late, or a correction: the official enters it, and the kit draws."""
    event = keyforge()
    for match in ("1.1", "1.2"):
        event.tell(c.EnterResult(match, 0, score(1, 0)))
    event.play()
    assert event.state.rounds[0].status == "closed"
    event.tell(c.NoteLot("1.1", "first_player_lot", "a"))
    assert event.match("1.1").lots == {"first_player_lot": "a"}
    with refused("unknown_match"):
        event.tell(c.NoteLot("1.1", "first_player", "a"))
