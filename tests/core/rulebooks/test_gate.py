"""What a result excludes, for whom and when: hand-worked from the documents and section 9 of the rules."""

from typing import Any

import pytest
from msgspec.structs import replace

from event_kit import Event, refused
from roundtap_core.clock import COUNTING
from roundtap_core.event import commands as c
from roundtap_core.event.states import ReportFate
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.rulebooks.result_gate import OFFICIAL, PLAYER, RECORD, ResultSource, result_problems
from rulebook_kit import SWISS, at_time, conceded, played, ruling

MINUTE_MS = 60_000
SQUADS = {"a": [1, 2], "b": [3, 4]}
LISTS_300_AND_290 = MatchSituation(totals=(300, 290))
THREE = {"stages": {"swiss": {"best_of": 3}}}
KEYS = {"active": "a", "aember": {"a": 0, "b": 0}}

AT_TIME = [
    ("xwing-standard", at_time(60, 24)),
    ("xwing-epic-duel", at_time(12, 0)),
    ("keyforge-archon", at_time(1, 0, "a", timeout={**KEYS, "keys": {"a": 1, "b": 0}, "decided_by": "keys"})),
    ("warlords-of-terra", at_time(12, 9, "draw")),
    (
        "shatterpoint-premier",
        at_time(
            1,
            0,
            wounds=SidePair(4, 2),
            picks=SQUADS,
            timeout={"score": {"a": 1, "b": 0}, "struggle": {"a": 0, "b": 0}, "objectives": {"a": 1, "b": 1}},
        ),
    ),
]

WON_AND_CONCEDES = [
    ("xwing-standard", conceded("a", 100, 30), {}, MatchSituation()),
    ("xwing-epic-duel", conceded("a", 290, 12), {}, LISTS_300_AND_290),
    ("shatterpoint-premier", conceded("a", 2, 0, wounds=SidePair(3, 0), picks=SQUADS), {}, MatchSituation()),
]

LEADS = at_time(60, 24)


def why(
    book_id: str, result: Result, saying: ResultSource, situation: MatchSituation = SWISS, **options: Any
) -> list[str]:
    book = RULEBOOKS[book_id]
    return [problem.key for problem in result_problems(book, result, book.options(options), situation, saying)]


# --- time ---


@pytest.mark.parametrize(("book_id", "result"), AT_TIME)
def test_time_decides_for_players_only_once_it_is_up(book_id: str, result: Result) -> None:
    assert why(book_id, result, ResultSource(PLAYER, time_is_up=False)) == ["time_not_up"]
    assert why(book_id, result, ResultSource(PLAYER, time_is_up=True)) == []
    # Nobody can know: a power cut, a file.
    assert why(book_id, result, ResultSource(PLAYER)) == []
    assert why(book_id, result, ResultSource(RECORD)) == []


@pytest.mark.parametrize(("book_id", "result"), AT_TIME)
def test_an_official_enters_any_way_at_any_clock_with_a_reason(book_id: str, result: Result) -> None:
    assert why(book_id, result, ResultSource(OFFICIAL, time_is_up=False)) == ["time_not_up_no_reason"]
    assert why(book_id, result, ResultSource(OFFICIAL, time_is_up=False, reason="the hall closes")) == []
    assert why(book_id, result, ResultSource(OFFICIAL, time_is_up=True)) == []


def test_a_closed_round_is_corrected_with_a_reason_and_squads_that_nobody_had_named_are_no_correction() -> None:
    stood = replace(played(2, 0, wounds=SidePair(3, 1)), picks={"a": SQUADS["a"]})
    corrects = ResultSource(OFFICIAL, corrects=stood)
    named, others = replace(stood, picks=SQUADS), replace(stood, picks={**SQUADS, "a": SQUADS["b"]})
    assert why("shatterpoint-premier", named, corrects) == []
    assert why("shatterpoint-premier", others, corrects) == ["correction_no_reason"]
    assert why("shatterpoint-premier", replace(named, score=SidePair(2, 1)), corrects) == ["correction_no_reason"]
    assert why("shatterpoint-premier", others, replace(corrects, reason="misread")) == []


def test_both_warlords_at_zero_at_once_is_a_draw_at_any_time() -> None:
    assert why("warlords-of-terra", played(0, -3, "draw"), ResultSource(PLAYER, time_is_up=False)) == []


# --- figures that exclude the winner ---


@pytest.mark.parametrize(
    "timeout",
    [
        {**KEYS, "keys": {"a": 0, "b": 2}, "decided_by": "keys"},
        {"active": "a", "turns": "b", "decided_by": "last_turns"},
    ],
)
@pytest.mark.parametrize("by", [PLAYER, OFFICIAL, RECORD])
def test_the_winner_is_who_the_figures_say(timeout: dict[str, Any], by: str) -> None:
    assert why("keyforge-archon", at_time(1, 0, "a", timeout=timeout), ResultSource(by, True)) == ["timeout_winner"]


@pytest.mark.parametrize(
    ("book_id", "result", "missing"),
    [
        ("keyforge-archon", at_time(1, 0, "a", timeout={"active": "a", "keys": {"a": 2, "b": 0}}), "answer_missing"),
        ("keyforge-archon", at_time(1, 0, "a"), "answer_missing"),
        ("keyforge-archon", at_time(1, 0, "a", timeout={"keys": {"a": 2}, "aember": {"b": 1}}), "answer_missing"),
        # A draw of the last turns does not say whose turn it was.
        ("keyforge-archon", at_time(1, 0, "a", timeout={"turns": "a"}), "answer_missing"),
        ("warlords-of-terra", at_time(20, 0, "a"), "answer_missing"),
        ("shatterpoint-premier", at_time(1, 0, wounds=SidePair(4, 2), picks=SQUADS), "answer_missing"),
        ("shatterpoint-premier", played(2, 0, picks=SQUADS), "answer_missing"),
        ("xwing-standard", played(1, 0), "not_played_out"),
        ("keyforge-archon", played(0, 0, "a"), "not_played_out"),
    ],
)
def test_what_a_form_asks_is_said_in_every_new_entry_and_may_lack_in_a_file(
    book_id: str, result: Result, missing: str
) -> None:
    """Section 10, last point: a file records what others ran."""
    assert why(book_id, result, ResultSource(PLAYER, True)) == [missing]
    assert why(book_id, result, ResultSource(OFFICIAL, True, "so it was")) == [missing]
    assert why(book_id, result, ResultSource(RECORD)) == []


def test_no_answer_is_entered_that_the_form_does_not_ask() -> None:
    """Who has won in the last turns has won: keys are not counted any more."""
    told = {"active": "a", "turns": "b", "keys": {"a": 1, "b": 2}, "aember": {"a": 0, "b": 0}}
    assert why("keyforge-archon", at_time(0, 1, "b", timeout=told), ResultSource(OFFICIAL, True)) == ["timeout_step"]
    assert why("keyforge-archon", at_time(0, 1, "b", timeout=told), ResultSource(RECORD)) == []
    for by in (PLAYER, OFFICIAL, RECORD):
        assert why("keyforge-archon", at_time(1, 0, "a", timeout=told), ResultSource(by, True)) == ["timeout_winner"]


def test_a_figure_that_is_missing_may_have_been_any_and_is_judged_as_any() -> None:
    """Two keys against none: one key forged with six æmber, the only one, changes nothing of it."""
    assert why("keyforge-archon", at_time(0, 1, "b", timeout={"keys": {"a": 0, "b": 2}}), ResultSource(RECORD)) == []
    assert why("keyforge-archon", at_time(1, 0, "a", timeout={"keys": {"a": 0, "b": 2}}), ResultSource(RECORD)) == [
        "timeout_winner"
    ]
    # Two against one may have become two against two: then æmber decides, of which nothing is known.
    assert why("keyforge-archon", at_time(1, 0, "a", timeout={"keys": {"a": 1, "b": 2}}), ResultSource(RECORD)) == []


# --- conceding ---


@pytest.mark.parametrize(("book_id", "result", "options", "situation"), WON_AND_CONCEDES)
def test_who_has_won_does_not_concede_at_a_player_s_front(
    book_id: str, result: Result, options: dict[str, Any], situation: MatchSituation
) -> None:
    assert why(book_id, result, ResultSource(PLAYER, False), situation, **options) == ["winner_concedes"]
    assert why(book_id, result, ResultSource(OFFICIAL, False), situation, **options) == ["winner_concedes_no_reason"]
    assert why(book_id, result, ResultSource(OFFICIAL, False, "both want it"), situation, **options) == []


@pytest.mark.parametrize(
    ("book_id", "result", "options", "situation"),
    [
        ("xwing-standard", conceded("a", 99, 30), {}, MatchSituation()),
        ("xwing-epic-duel", conceded("a", 289, 12), {}, LISTS_300_AND_290),
        ("warlords-of-terra", conceded("a", 0, 7), {}, MatchSituation()),
        ("shatterpoint-premier", conceded("a", 1, 0, wounds=SidePair(9, 0), picks=SQUADS), {}, MatchSituation()),
        ("keyforge-archon", conceded("a", 1, 2), THREE, MatchSituation()),
    ],
)
def test_whoever_has_not_won_may_concede(
    book_id: str, result: Result, options: dict[str, Any], situation: MatchSituation
) -> None:
    assert why(book_id, result, ResultSource(PLAYER, False), situation, **options) == []


def test_who_has_no_life_left_is_conceded_to_by_nobody() -> None:
    assert why("warlords-of-terra", conceded("a", 7, 0), ResultSource(OFFICIAL, False, "both want it")) == [
        "winner_without_life"
    ]


def test_a_ruling_is_an_official_s() -> None:
    assert why("xwing-standard", ruling("a"), ResultSource(PLAYER, True)) == ["ruling_by_a_player"]
    assert why("xwing-standard", ruling("a"), ResultSource(OFFICIAL, False)) == []


# --- at this table, at this moment ---


def playing(**options: Any) -> Event:
    event = Event(4, {"structure": "own", "swiss_rounds": 3, **options})
    event.play()
    return event


def after(event: Event, minutes: float) -> Event:
    event.tell(c.SetClock("start"))
    event.now_ms += int(minutes * MINUTE_MS)
    return event


def reported(event: Event, result: Result, time_up: bool | None = None) -> ReportFate:
    match = event.match("1.1")
    number = len(event.entries)
    event.tell(
        c.RecordReport(
            f"r{number}",
            match.id,
            "a",
            match.revision,
            result_to_json(result),
            f"body {number}",
            serial=match.heard.get("a", 0) + 1,
            time_up=time_up,
        )
    )
    return event.state.fates[f"r{number}"]


def test_the_hub_s_clock_decides_and_not_what_the_unit_showed() -> None:
    assert reported(playing(), LEADS, time_up=True).reason == "early"
    assert reported(after(playing(), 74.9), LEADS, time_up=True).reason == "early"
    assert reported(after(playing(), 75), LEADS, time_up=False).fate == "accepted"


def test_a_table_s_extension_counts() -> None:
    event = after(playing(), 70)
    event.tell(c.GrantExtension("1.1", 8, "organizer"))
    event.now_ms += 12 * MINUTE_MS
    assert reported(event, LEADS).reason == "early"
    event.now_ms += MINUTE_MS
    assert reported(event, LEADS).fate == "accepted"


def test_an_untimed_round_has_no_end_by_time() -> None:
    event = playing(stages={"swiss": {"minutes": None}})
    assert reported(event, LEADS, time_up=True).reason == "early"


def test_after_a_power_cut_what_the_unit_showed_counts() -> None:
    event = after(playing(), 74)
    event.state = replace(event.state, clock=replace(event.state.clock, state=COUNTING))
    assert reported(event, LEADS, time_up=False).reason == "early"
    assert reported(event, LEADS, time_up=True).fate == "accepted"


def test_an_official_s_reason_is_kept_with_the_match() -> None:
    event = playing()
    with refused("time_not_up_no_reason"):
        event.tell(c.EnterResult("1.1", 0, LEADS))
    event.tell(c.EnterResult("1.1", 0, LEADS, reason="fire alarm"))
    assert event.match("1.1").match.result == LEADS
    assert [(line.kind, line.text) for line in event.match("1.1").log] == [("ruling", "fire alarm")]


def test_a_slip_typed_later_counts_as_up() -> None:
    event = playing()
    event.tell(c.EnterResult("1.1", 0, LEADS, earlier=True))
    assert event.match("1.1").match.result == LEADS


def test_what_a_player_said_in_time_is_accepted_after_the_clock_was_set_back() -> None:
    event = after(playing(), 75)
    assert reported(event, LEADS).fate == "accepted"
    event.tell(c.SetClock("adjust", 5 * MINUTE_MS))
    event.tell(c.EnterResult("1.1", 0, LEADS))
    assert event.match("1.1").match.result == LEADS
