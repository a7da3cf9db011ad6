"""What is missing before round 1 stops its publication, unless somebody says why it is played on; that is recorded."""

import pytest

from event_kit import Event, refused
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_core.event.setup import open_list_points, open_points
from roundtap_core.event.states import Entrant, Official, OpenPoint

ANA, EVA = Official("o1", "organizer"), Official("o2", "judge")
GOOD = {"identity_card": True}
HOUSES = ("Brobnar", "Dis", "Logos")


def drawn(rulebook: str = "shatterpoint-premier", level: str | None = None, **options: object) -> Event:
    event = Event(4, {"structure": "own", "swiss_rounds": 2, **options}, rulebook=rulebook, level=level)
    event.tell(c.SetOfficials(()))
    event.tell(c.DrawRound(1))
    return event


def decks(**changed: Person) -> dict[str, Person]:
    """Everybody with a whole deck of their own, but for those named."""
    whole = {f"p{n}": Person(f"P {n}", identity=f"Deck {n}", houses=HOUSES, list=GOOD) for n in range(1, 5)}
    return {**whole, **changed}


def test_what_is_missing_is_refused_and_named():
    event = drawn()
    with pytest.raises(Exception, match=r"1 item is open") as caught:
        event.tell(c.PublishRound(1, 1))
    assert caught.value.params["points"] == "judge_missing"
    assert event.state.draft


def test_play_on_noted_says_who_what_and_why_and_stays_on_record():
    event = drawn()
    missing = OpenPoint("list_missing", "p2")
    kinds = event.kinds(c.PublishRound(1, 1, noted=" The judge comes by bus. ", list_points=(missing,)))
    assert kinds == ["played-on", "round-published"]
    (line,) = event.state.played_on
    assert (line.points, line.reason, line.by) == (
        (OpenPoint("judge_missing"), missing),
        "The judge comes by bus.",
        "organizer",
    )
    assert line.number == event.state.number - 1


def test_only_what_was_on_the_page_is_played_on_with():
    event = drawn()
    late = OpenPoint("list_wrong", "p4")
    with refused("points_changed_meanwhile"):
        event.tell(c.PublishRound(1, 1, noted="Late.", seen=("judge_missing",), list_points=(late,)))
    # What was mended meanwhile does no harm.
    event.tell(c.PublishRound(1, 1, noted="Late.", seen=("judge_missing", "list_wrong:p4")))
    assert event.state.played_on[0].points == (OpenPoint("judge_missing"),)


def test_who_signs_has_to_be_an_official_of_the_event():
    event = drawn("keyforge-archon", "formal")
    with refused("unknown_official"):
        event.tell(c.PublishRound(1, 1, noted="So be it.", by="o9", list_points=(OpenPoint("list_missing", "p1"),)))


def test_nothing_is_noted_where_nothing_is_missing():
    event = drawn("xwing-standard", "relaxed")
    assert event.kinds(c.PublishRound(1, 1, noted="Whatever.")) == ["round-published"]


def test_round_2_asks_no_more():
    event = drawn()
    event.tell(c.PublishRound(1, 1, noted="No judge."))
    assert open_points(event.state) == ()


def test_an_official_who_plays_needs_a_second_one_on_duty():
    event = drawn("xwing-standard", "relaxed")
    event.tell(c.SetOfficials((Official("o1", "organizer", plays="p1"), Official("o2", "judge", second=True))))
    assert open_points(event.state) == ()
    event.tell(c.OfficialDuty("o2", False))
    assert open_points(event.state) == (OpenPoint("second_missing", "p1"),)
    with refused("points_open"):
        event.tell(c.PublishRound(1, 1))


@pytest.mark.parametrize(("level", "kind"), [("relaxed", "second_missing"), ("premium", "may_not_play")])
def test_a_file_that_names_an_official_among_the_players_brings_no_second(level: str, kind: str):
    event = Event(3, {"structure": "own"}, rulebook="keyforge-archon", level=level)
    event.tell(c.EnterCompetitor(Entrant("p4", "d", officials_role="judge"), imported=True))
    assert open_points(event.state) == (OpenPoint(kind, "p4"),)


def test_lists_count_where_they_are_required_and_only_of_those_who_play():
    event = drawn("keyforge-archon", "formal")
    none, half = Person("P 2"), Person("P 3", identity="Deck 3", list=GOOD)
    assert open_list_points(event.state, decks()) == ()
    assert open_list_points(event.state, decks(p2=none, p3=half)) == (
        OpenPoint("list_missing", "p2"),
        OpenPoint("list_wrong", "p3"),
    )
    event.tell(c.DropCompetitor("p2"))
    assert open_list_points(event.state, decks(p2=none)) == ()
    assert open_list_points(drawn("keyforge-archon", "formal", lists_required=False).state, decks(p3=half)) == ()


def test_a_deck_that_two_bring_counts_also_where_lists_are_on_paper():
    event = drawn("keyforge-archon", "formal", lists_required=False)
    twice = Person("P 4", identity="deck  1", houses=HOUSES, list=GOOD)
    assert open_list_points(event.state, decks(p4=twice)) == (OpenPoint("deck_twice", "p4"),)
