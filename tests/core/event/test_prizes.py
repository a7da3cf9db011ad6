"""Prizes: a list for places and for categories, and door prizes whose draw anybody can work out again."""

import hashlib

from event_kit import Event, fold_entries, refused, score
from roundtap_core.event import commands as c
from roundtap_core.event.states import Prize, decode_state, encode_state

LIST = (Prize("trophy", 1, 1), Prize("booster", 2, 4), Prize("playmat", category="best newcomer"))


def by_hand(pool: list[str], seed: int) -> list[str]:
    """The lot as it is described: the smallest hash of seed and id is drawn first."""
    return sorted(pool, key=lambda who: hashlib.sha256(f"{seed}|tiebreak|{who}".encode()).hexdigest())


def test_the_list_is_kept_and_said_twice_makes_nothing():
    event = Event()
    assert event.kinds(c.SetPrizes(LIST)) == ["prizes-set"]
    assert event.kinds(c.SetPrizes(LIST)) == []
    assert event.state.prizes == LIST
    chosen = (*LIST[:2], Prize("playmat", category="best newcomer", competitor="p3"))
    event.tell(c.SetPrizes(chosen))
    assert event.state.prizes[2].competitor == "p3"


def test_a_prize_is_for_a_place_or_for_something():
    event = Event()
    for wrong in (
        Prize("trophy"),
        Prize("trophy", 2, 1),
        Prize(" ", 1, 1),
        Prize("trophy", 1, 1, category="best newcomer"),
    ):
        with refused("prize_for_whom"):
            event.tell(c.SetPrizes((wrong,)))
    with refused("unknown_competitor"):
        event.tell(c.SetPrizes((Prize("playmat", category="best newcomer", competitor="p9"),)))
    assert event.state.prizes == ()


def test_a_draw_is_kept_with_all_that_it_takes_to_repeat_it():
    event = Event(6)
    made = event.tell(c.DrawDoorPrize("dice", 2, seed=41))[0]
    assert made.data["pool"] == ["p1", "p2", "p3", "p4", "p5", "p6"]
    assert made.data["winners"] == by_hand(made.data["pool"], 41)[:2]
    draw = event.state.door_prizes[0]
    assert (draw.number, draw.seed, draw.winners) == (made.number, 41, tuple(made.data["winners"]))


def test_nobody_wins_twice_unless_that_is_wanted():
    event = Event(4)
    first = event.tell(c.DrawDoorPrize("dice", 3, seed=1))[0].data["winners"]
    second = event.tell(c.DrawDoorPrize("dice", 1, seed=2))[0].data
    assert set(first).isdisjoint(second["winners"])
    with refused("door_prize_too_few"):
        event.tell(c.DrawDoorPrize("dice", 1, seed=3))
    assert len(event.tell(c.DrawDoorPrize("dice", 4, seed=3, again=True))[0].data["winners"]) == 4


def test_among_whom_it_is_drawn():
    event = Event(5)
    event.play()
    bye = next(match.match.a for match in event.state.live.matches if match.match.b is None)
    gone = next(match.match.a for match in event.state.live.matches if match.match.b is not None)
    event.tell(c.DropCompetitor(gone))
    assert gone not in event.tell(c.DrawDoorPrize("dice", 1, seed=1, again=True))[0].data["pool"]
    played = event.tell(c.DrawDoorPrize("dice", 1, seed=1, among="played", again=True))[0].data["pool"]
    assert gone in played
    assert bye not in played
    with refused("door_prize_too_few"):
        event.tell(c.DrawDoorPrize("dice", 1, seed=1, among="checked_in"))
    with refused("not_one_of"):
        event.tell(c.DrawDoorPrize("dice", 1, seed=1, among="friends"))
    with refused("door_prize_what"):
        event.tell(c.DrawDoorPrize(" ", 1, seed=1))


def test_after_the_event_prizes_are_still_given_and_all_of_it_outlives_a_restart():
    event = Event(4)
    event.play()
    for match in event.state.live.matches:
        event.tell(c.EnterResult(match.id, 0, score(100, 24)))
    event.tell(c.FinishEvent("the hall closes"))
    event.tell(c.SetPrizes(LIST))
    event.tell(c.DrawDoorPrize("dice", 2, seed=9))
    assert fold_entries("e1", event.entries) == event.state
    assert decode_state(encode_state(event.state)) == event.state


def test_a_button_that_was_pressed_twice_draws_once():
    event = Event(4)
    event.tell(c.DrawDoorPrize("dice", 1, seed=1, seen=0))
    with refused("door_prize_drawn_meanwhile"):
        event.tell(c.DrawDoorPrize("dice", 1, seed=2, seen=0))
