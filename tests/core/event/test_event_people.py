"""Who plays: entering, leaving, coming back, disqualification, and what each of them does to a round."""

import pytest

from event_kit import Event, refused, score
from roundtap_core.event import commands as c
from roundtap_core.event import setup
from roundtap_core.event.commands import apply
from roundtap_core.event.entries import NewEntry, chain_entry
from roundtap_core.event.states import DISPUTE, tournament_of
from roundtap_core.records import CONCESSION, NO_SHOW, UNPAIRED_LOSS, SidePair
from roundtap_core.standings.standings import standings

# --- the event itself --------------------------------------------------------------------------------------------


def create(**changes: object) -> c.CreateEvent:
    given = {
        "name": "Winter Open",
        "rulebook": "xwing-standard",
        "level": None,
        "options": {},
        "color": "#0072B2",
        "seed": 7,
    }
    return c.CreateEvent(**{**given, **changes})  # type: ignore[arg-type]


def test_an_event_is_created_once_with_a_tidy_name() -> None:
    event = Event(players=0, created=False)
    event.tell(create(name="  Winter \n Open "))
    assert event.state.name == "Winter Open"
    with refused("event_exists"):
        event.tell(create())


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"name": " \t"}, "event_name_missing"),
        ({"rulebook": "chess"}, "unknown_rulebook"),
        ({"level": "premier"}, "not_one_of"),
    ],
)
def test_an_event_that_cannot_be(changes: dict[str, str], key: str) -> None:
    with refused(key):
        Event(players=0, created=False).tell(create(**changes))


def test_options_are_fixed_once_round_1_is_published() -> None:
    event = Event()
    event.tell(c.SetOptions({"squad_points": 200}))
    assert event.state.options["squad_points"] == 200
    event.tell(c.DrawRound(1))
    assert event.kinds(c.SetOptions({})) == ["draft-discarded", "options-set"]
    event.play()
    with refused("options_are_fixed"):
        event.tell(c.SetOptions({"squad_points": 200}))


def test_lists_that_are_not_asked_for_after_all_leave_the_draft_as_it_is() -> None:
    event = Event(4, {"lists_required": True})
    event.tell(c.DrawRound(1))
    assert event.kinds(c.SetOptions({"lists_required": False})) == ["options-set"]
    assert event.state.draft
    event.play()
    with refused("options_are_fixed"):
        event.tell(c.SetOptions({"lists_required": True}))


@pytest.mark.parametrize(("swiss_rounds", "number"), [(3, 2), (0, 1)])
def test_rounds_and_cut_are_fixed_by_round_2_or_by_round_1_of_an_elimination(swiss_rounds: int, number: int) -> None:
    options = {"structure": "own", "swiss_rounds": swiss_rounds}
    event = Event(4, options)
    for _ in range(number):
        assert setup.structure_fixed_by(event.state) == number
        assert setup.structure_is_open(event.state)
        event.settle().play() if event.state.live else event.play()
    assert not setup.structure_is_open(event.state)
    with refused("structure_is_fixed"):
        event.tell(c.SetOptions({**options, "swiss_rounds": 4}))


def test_late_entries_leave_the_structure_as_it_is_unless_the_organizer_changes_it_before_round_2() -> None:
    event = Event(8, {"squad_points": 200}).play()
    event.enter("late")
    assert (event.state.swiss_rounds, event.state.cut_size) == (3, 0)
    event.settle()
    event.tell(c.DrawRound(1))
    assert event.kinds(c.SetOptions({"squad_points": 200, "swiss_rounds": 4, "cut": 4})) == [
        "draft-discarded",
        "options-set",
    ]
    assert (event.state.swiss_rounds, event.state.cut_size) == (4, 4)
    with refused("options_are_fixed"):
        event.tell(c.SetOptions({"squad_points": 100, "swiss_rounds": 4, "cut": 4}))
    with refused("figure_out_of_range"):
        event.tell(c.SetOptions({"squad_points": 200, "swiss_rounds": 0}))
    event.play()
    with refused("structure_is_fixed"):
        event.tell(c.SetOptions({"squad_points": 200, "swiss_rounds": 5, "cut": 4}))


def test_a_finished_event_takes_reports_only_to_refuse_them_and_names_to_correct_them() -> None:
    event = Event().play().settle()
    event.tell(c.FinishEvent("the hall closes"))
    for command in (
        c.DropCompetitor("p1"),
        c.DrawRound(1),
        c.SetClock("start"),
        c.FinishEvent(),
        c.NoShow("1.1", "p1"),
        c.EnterResult("1.1", 1, score(100, 0)),
        c.ReturnCompetitor("p1"),
        c.SetOptions({}),
    ):
        with refused("event_finished"):
            event.tell(command)
    assert event.kinds(c.ChangePerson("p1", "another digest")) == ["competitor-changed"]
    assert event.report("a", score(100, 24)).reason == "late"


def test_an_entry_of_a_kind_nobody_knows_stops_the_fold() -> None:
    event = Event()
    strange = chain_entry(NewEntry("teleported", {}), "e1", event.state.number + 1, event.state.head, event.now, "x")
    with refused("unknown_entry"):
        apply(event.state, strange)


# --- entering ----------------------------------------------------------------------------------------------------


def test_nobody_enters_twice() -> None:
    with refused("competitor_exists"):
        Event().enter("p1")


def test_a_correction_of_a_name_needs_somebody() -> None:
    event = Event()
    event.tell(c.ChangePerson("p1", "d"))
    assert event.state.entrants["p1"].digest == "d"
    with refused("unknown_competitor"):
        event.tell(c.ChangePerson("p9", "d"))


def test_a_late_entry_before_round_2_missed_round_1() -> None:
    event = Event().play()
    event.enter("late")
    assert event.byes(1) == {"late": UNPAIRED_LOSS}
    assert event.state.swiss_rounds == 3


def test_late_entries_do_not_change_the_structure_chosen_at_the_draw() -> None:
    event = Event(players=8).play()
    event.enter("ninth")
    assert event.state.swiss_rounds == 3


def test_a_late_entry_makes_a_drawn_round_2_void() -> None:
    event = Event().play().settle()
    event.tell(c.DrawRound(2))
    assert [entry.kind for entry in event.enter("late")] == ["draft-discarded", "competitor-entered"]
    assert event.state.draft is None


def test_nobody_enters_once_round_2_is_published() -> None:
    event = Event().play().settle().play()
    with refused("too_late_to_enter"):
        event.enter("late")


def test_a_won_bye_is_for_round_1() -> None:
    event = Event(players=5)
    event.enter("champion", won_bye=True)
    assert event.play().byes(1)["champion"] == "won"
    with refused("won_bye_too_late"):
        event.enter("late", won_bye=True)


# --- leaving and coming back -------------------------------------------------------------------------------------


def test_leaving_during_a_game_is_a_concession() -> None:
    event = Event().play()
    leaver = event.match().match.b
    assert leaver is not None
    assert event.kinds(c.DropCompetitor(leaver, score(40, 24))) == ["result-entered", "competitor-dropped"]

    result = event.match().match.result
    assert (result.ended, result.conceded_by, result.score) == (CONCESSION, "b", SidePair(40, 24))
    assert event.match().decided
    assert event.state.entrants[leaver].dropped_after == 1
    assert event.report("a", score(100, 24)).reason == "judge"


def test_leaving_after_the_game_keeps_the_result() -> None:
    event = Event().play().agree(score(100, 24))
    assert event.kinds(c.DropCompetitor(event.match().match.a)) == ["competitor-dropped"]
    assert event.match().match.result == score(100, 24)


def test_who_left_before_round_1_left_after_round_0_and_is_not_paired() -> None:
    event = Event(players=5)
    event.tell(c.DropCompetitor("p3"))
    assert event.state.entrants["p3"].dropped_after == 0
    event.play()
    assert "p3" not in {m.match.a for m in event.state.rounds[0].matches} | {
        m.match.b for m in event.state.rounds[0].matches
    }
    assert event.state.players_at_start == 4


def test_leaving_makes_a_drawn_round_void() -> None:
    event = Event()
    event.tell(c.DrawRound(1))
    assert event.kinds(c.DropCompetitor("p1")) == ["draft-discarded", "competitor-dropped"]


def test_leaving_twice_is_refused() -> None:
    event = Event()
    event.tell(c.DropCompetitor("p1"))
    with refused("already_left"):
        event.tell(c.DropCompetitor("p1"))
    with refused("unknown_competitor"):
        event.tell(c.DropCompetitor("p9"))


def test_coming_back_costs_an_unpaired_loss_for_each_round_missed() -> None:
    event = Event(players=6).play().settle()
    event.tell(c.DropCompetitor("p6"))
    event.play().settle()

    event.tell(c.ReturnCompetitor("p6"))

    assert event.byes(1) == {}
    assert event.byes(2)["p6"] == UNPAIRED_LOSS
    assert event.state.entrants["p6"].active
    event.play()
    assert "p6" in [who for m in event.state.rounds[2].matches for who in (m.match.a, m.match.b)]


def test_coming_back_in_the_same_round_costs_nothing_more() -> None:
    event = Event().play()
    event.tell(c.DropCompetitor("p1"))
    event.tell(c.ReturnCompetitor("p1"))
    assert event.byes(1) == {}


def test_only_who_left_comes_back() -> None:
    with refused("never_left"):
        Event().tell(c.ReturnCompetitor("p1"))


def test_who_was_disqualified_never_returns_and_the_reason_is_kept() -> None:
    event = Event().play()
    with refused("reason_missing"):
        event.tell(c.Disqualify("p1", "  "))
    entries = event.tell(c.Disqualify("p1", " loaded dice "))
    assert entries[-1].data["reason"] == "loaded dice"
    with refused("disqualified_stays_out"):
        event.tell(c.ReturnCompetitor("p1"))
    with refused("already_left"):
        event.tell(c.Disqualify("p1", "again"))


def test_who_left_can_still_be_disqualified() -> None:
    event = Event()
    event.tell(c.DropCompetitor("p1"))
    event.tell(c.Disqualify("p1", "loaded dice"))
    with refused("disqualified_stays_out"):
        event.tell(c.ReturnCompetitor("p1"))


# --- not appearing -----------------------------------------------------------------------------------------------


def test_a_no_show_gives_the_other_a_bye_and_the_absent_one_a_loss_and_leave() -> None:
    event = Event().play()
    present, absent = event.match().match.a, event.match().match.b
    assert absent is not None

    event.tell(c.NoShow("1.1", absent))

    assert event.byes(1) == {present: NO_SHOW, absent: UNPAIRED_LOSS}
    assert event.state.entrants[absent].dropped_after == 1
    rows = {row.competitor: row for row in standings(tournament_of(event.state))}
    assert (rows[present].points, rows[present].tiebreakers["mov"]) == (1, 150)
    assert (rows[absent].points, rows[absent].rounds) == (0, 1)
    event.settle()
    event.enter("late")
    assert event.state.swiss_rounds == 3


def test_the_table_of_a_no_show_hears_that_a_judge_decided() -> None:
    event = Event().play()
    event.tell(c.NoShow("1.1", event.match().match.a))
    assert event.report("b", score(100, 0)).reason == "judge"


def test_a_no_show_belongs_to_an_open_match_of_the_round_in_play() -> None:
    event = Event(players=5)
    event.tell(c.DrawRound(1))
    with refused("unknown_match"):
        event.tell(c.NoShow("1.1", "p1"))
    event.tell(c.PublishRound(1, 1))
    bye = next(m for m in event.state.rounds[0].matches if m.match.bye)
    with refused("no_show_only_in_play"):
        event.tell(c.NoShow(bye.id, bye.match.a))
    with refused("unknown_competitor"):
        event.tell(c.NoShow("1.1", bye.match.a))
    with refused("unknown_match"):
        event.tell(c.NoShow("9.9", "p1"))
    event.report("a", score(100, 0))
    with refused("no_show_has_result"):
        event.tell(c.NoShow("1.1", event.match().match.a))
    event.settle().play()
    with refused("no_show_only_in_play"):
        event.tell(c.NoShow("1.1", event.match().match.a))


def test_who_did_not_appear_may_come_back_later() -> None:
    event = Event().play()
    absent = event.match().match.a
    event.tell(c.NoShow("1.1", absent))
    event.settle()
    event.tell(c.ReturnCompetitor(absent))
    assert event.byes(1)[absent] == UNPAIRED_LOSS
    assert sum(absent in (m.match.a, m.match.b) for m in event.state.rounds[0].matches) == 1


def test_a_dispute_is_no_open_match_that_leaving_could_concede() -> None:
    event = Event().play().agree(score(100, 24))
    event.report("b", score(24, 100))
    assert event.match().state == DISPUTE
    event.tell(c.DropCompetitor(event.match().match.a))
    assert event.match().state == DISPUTE
    with refused("results_missing"):
        event.tell(c.DrawRound(1))
