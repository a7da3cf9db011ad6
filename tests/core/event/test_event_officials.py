"""Officials: their roles, going off duty, who of them may play, and who rules where one does."""

import pytest

from event_kit import Event, refused
from roundtap_core.event import commands as c
from roundtap_core.event.judging import head_judge_proposed, roles_of, ruling_official
from roundtap_core.event.states import Official, tournament_of

ANA, EVA = Official("o1", "organizer", "d1"), Official("o2", "head_judge", "d2")

NO, SECOND = "officials_may_not_play", "second_official_missing"


def event_of(rulebook: str, level: str | None = None, players: int = 4) -> Event:
    event = Event(players=0, created=False)
    event.tell(c.CreateEvent("Winter Open", rulebook, level, {"structure": "own"}, "#0072B2", 7))
    for number in range(1, players + 1):
        event.enter(f"p{number}")
    return event


def name(event: Event, *officials: Official) -> None:
    event.tell(c.SetOfficials(officials))


def test_an_event_without_officials_runs_as_ever() -> None:
    event = Event().play()
    assert event.state.officials == {}
    assert roles_of(event.state, "organizer") == {"organizer", "head_judge"}


def test_names_of_officials_stay_out_of_the_entries() -> None:
    event = Event()
    [entry] = event.tell(c.SetOfficials((ANA,)))
    assert entry.data["officials"] == [
        {"id": "o1", "role": "organizer", "digest": "d1", "second": False, "plays": None}
    ]


@pytest.mark.parametrize(
    ("officials", "key"),
    [
        ((EVA,), "one_organizer"),
        ((ANA, Official("o2", "organizer")), "one_organizer"),
        ((ANA, Official("o1", "judge")), "official_twice"),
        ((ANA, Official("p1", "judge")), "official_twice"),
        ((ANA, Official("o2", "janitor")), "not_one_of"),
        ((ANA, Official("o2", "judge", second=True, plays="p9")), "unknown_competitor"),
        (
            (ANA, Official("o2", "judge", second=True, plays="p1"), Official("o3", "judge", plays="p1")),
            "official_twice",
        ),
    ],
)
def test_officials_that_cannot_be(officials: tuple[Official, ...], key: str) -> None:
    with refused(key):
        name(Event(), *officials)


def test_a_competitor_cannot_take_an_officials_id() -> None:
    event = Event()
    name(event, ANA)
    with refused("competitor_exists"):
        event.enter("o1")


def test_the_organizer_is_head_judge_where_none_is_named_or_on_duty() -> None:
    event = Event()
    name(event, ANA)
    assert roles_of(event.state, "o1") == {"organizer", "head_judge"}
    name(event, ANA, EVA)
    assert roles_of(event.state, "o1") == {"organizer"}
    assert roles_of(event.state, "o2") == {"head_judge"}
    event.tell(c.OfficialDuty("o2", False))
    assert "head_judge" in roles_of(event.state, "o1")


def test_off_duty_an_official_is_a_spectator() -> None:
    event = Event().play()
    name(event, ANA, Official("o3", "judge"))
    event.tell(c.OfficialDuty("o3", False))
    assert event.tell(c.OfficialDuty("o3", False)) == []
    with refused("official_off_duty"):
        event.tell(c.NoteRuling("1.1", "The ship is off the mat.", "o3"))
    name(event, ANA, EVA, Official("o3", "judge"))
    assert not event.state.officials["o3"].on_duty
    event.tell(c.OfficialDuty("o3", True))
    event.tell(c.NoteRuling("1.1", "The ship is off the mat.", "o3"))
    with refused("unknown_official"):
        event.tell(c.OfficialDuty("o9", True))


def test_where_officials_are_named_a_role_alone_is_nobody() -> None:
    event = Event()
    name(event, ANA, EVA)
    with refused("unknown_official"):
        roles_of(event.state, "judge")
    assert roles_of(event.state, "organizer") == {"organizer"}


@pytest.mark.parametrize(
    ("rulebook", "level", "alone", "with_second"),
    [
        ("xwing-standard", "relaxed", SECOND, None),
        ("xwing-standard", "formal", NO, NO),
        ("xwing-standard", "premium", NO, NO),
        ("keyforge-archon", "relaxed", SECOND, None),
        ("keyforge-sealed", "formal", NO, NO),
        ("xwing-epic-duel", "informal", SECOND, None),
        ("xwing-epic-team", "competitive", SECOND, None),
        ("xwing-epic-duel", "premier", NO, NO),
        ("warlords-of-terra", "competitive", SECOND, None),
        ("warlords-of-terra", None, SECOND, None),
        ("shatterpoint-premier", None, NO, NO),
        ("xwing-standard", None, None, None),
    ],
)
def test_who_may_play(rulebook: str, level: str | None, alone: str | None, with_second: str | None) -> None:
    playing, second = Official("o1", "organizer", plays="p1"), Official("o2", "judge", second=True)
    for officials, key in (((playing,), alone), ((playing, second), with_second)):
        event = event_of(rulebook, level)
        if key:
            with refused(key):
                name(event, *officials)
        else:
            name(event, *officials)
            assert event.state.entrants["p1"].officials_role == "organizer"


def test_nobody_is_the_own_second_official() -> None:
    with refused(SECOND):
        name(event_of("xwing-standard", "relaxed"), Official("o1", "organizer", plays="p1", second=True))


def test_another_official_is_a_second_one_only_where_it_is_said() -> None:
    with refused(SECOND):
        name(event_of("xwing-standard", "relaxed"), Official("o1", "organizer", plays="p1"), Official("o2", "judge"))


def test_the_second_official_is_announced_at_the_start() -> None:
    event = event_of("xwing-standard", "relaxed")
    name(event, ANA, Official("o2", "judge", second=True))
    event.play()
    with refused("second_official_too_late"):
        name(event, ANA, Official("o2", "judge", second=True), Official("o3", "judge", second=True))
    name(event, Official("o1", "organizer", plays="p1"), Official("o2", "judge", second=True))


def test_the_event_file_says_who_is_an_official() -> None:
    event = event_of("warlords-of-terra")
    name(event, ANA, Official("o2", "judge", second=True, plays="p2"))
    assert [who.officials_role for who in tournament_of(event.state).competitors] == [None, "judge", None, None]
    name(event, ANA)
    assert tournament_of(event.state).competitors[1].officials_role is None


def seated(event: Event, *two: str) -> str:
    """The id of a published match of these two, imposed on round 1."""
    others = [who for who in event.state.entrants if who not in two]
    event.tell(c.ImposeRound(({"a": two[0], "b": two[1]}, {"a": others[0], "b": others[1]})))
    event.tell(c.PublishRound(1, 1))
    return "1.1"


def test_the_second_official_rules_the_first_ones_games() -> None:
    event = event_of("xwing-standard", "relaxed")
    name(event, Official("o1", "organizer", plays="p1"), EVA, Official("o3", "judge", second=True))
    match = event.match(seated(event, "p1", "p2"))
    ruling = ruling_official(event.state, match)
    assert ruling.id == "o3"
    assert ruling_official(event.state, event.match("1.2")) is None


def test_official_against_official_is_ruled_by_the_head_judge_or_a_third() -> None:
    first, second = Official("o1", "organizer", plays="p1"), Official("o2", "judge", second=True, plays="p2")
    event = event_of("keyforge-archon", "relaxed")
    name(event, first, second, EVA_3 := Official("o3", "judge"))
    match = event.match(seated(event, "p1", "p2"))
    assert ruling_official(event.state, match) == EVA_3
    name(event, first, second, EVA_3, Official("o4", "head_judge"))
    assert ruling_official(event.state, match) == event.state.officials["o4"]
    name(event, first, second)
    assert ruling_official(event.state, match) is None


def test_nobody_rules_a_match_of_their_own() -> None:
    event = event_of("xwing-standard", "relaxed")
    name(event, Official("o1", "organizer", plays="p1"), Official("o2", "judge", second=True))
    match = seated(event, "p1", "p2")
    with refused("own_match"):
        event.tell(c.NoteRuling(match, "It overlaps.", "o1"))
    event.tell(c.NoteRuling(match, "It overlaps.", "o2"))


def test_shatterpoint_starts_with_a_judge_only_and_the_organizer_can_be_it() -> None:
    event = event_of("shatterpoint-premier")
    name(event, ANA)
    event.tell(c.OfficialDuty("o1", False))
    event.tell(c.DrawRound(1))
    with refused("points_open"):
        event.tell(c.PublishRound(1, 1))
    event.tell(c.OfficialDuty("o1", True))
    event.tell(c.PublishRound(1, 1))
    assert event.state.live
    assert not event.state.played_on
    # Nobody is named at all: no judge either.
    event = event_of("shatterpoint-premier")
    event.tell(c.DrawRound(1))
    with refused("points_open"):
        event.tell(c.PublishRound(1, 1))


def test_large_shatterpoint_events_are_proposed_a_head_judge() -> None:
    assert not head_judge_proposed(event_of("shatterpoint-premier", players=32).state)
    event = event_of("shatterpoint-premier", players=33)
    assert head_judge_proposed(event.state)
    name(event, ANA, EVA)
    assert not head_judge_proposed(event.state)
