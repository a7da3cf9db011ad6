"""Warnings, disqualification, rulings and appeals, extensions, extra minutes, picks at a bye."""

import pytest

from event_kit import MINUTE, Event, refused, score
from roundtap_core.event import commands as c
from roundtap_core.event.cut import APPEAL_OPEN, unfinished_parts
from roundtap_core.event.event_flow import match_clock
from roundtap_core.event.judging import open_appeals, proposed_disqualifications
from roundtap_core.event.states import Official, tournament_of
from roundtap_core.records import SWISS
from roundtap_core.standings.standings import standings

STAFF = (Official("o1", "organizer"), Official("o2", "head_judge"), Official("o3", "judge"))


def event_of(rulebook: str, players: int = 4) -> Event:
    event = Event(players=0, created=False)
    event.tell(c.CreateEvent("Winter Open", rulebook, None, {"structure": "own", "swiss_rounds": 3}, "#0072B2", 7))
    if event.state.rulebook.judge_required:
        event.tell(c.SetOfficials((Official("o0", "organizer"),)))
    for number in range(1, players + 1):
        event.enter(f"p{number}")
    return event


def staffed(rulebook: str) -> Event:
    event = event_of(rulebook).play()
    event.tell(c.SetOfficials(STAFF))
    return event


# --- warnings and disqualification -------------------------------------------------------------------------------


def test_a_warning_is_kept_with_its_round_and_reason() -> None:
    event = Event()
    event.tell(c.GiveWarning("p1", "late"))
    event.play()
    event.tell(c.GiveWarning("p1", " slow play "))
    assert tournament_of(event.state).competitors[0].warnings == (
        {"round": 0, "reason": "late", "by": "organizer"},
        {"round": 1, "reason": "slow play", "by": "organizer"},
    )
    with refused("reason_missing"):
        event.tell(c.GiveWarning("p1", " "))
    with refused("unknown_competitor"):
        event.tell(c.GiveWarning("p9", "late"))


def test_who_is_disqualified_is_warned_no_more_but_who_left_can_be() -> None:
    event = Event()
    event.tell(c.DropCompetitor("p1"))
    event.tell(c.GiveWarning("p1", "shouting in the hall"))
    event.tell(c.Disqualify("p1", "again"))
    with refused("already_left"):
        event.tell(c.GiveWarning("p1", "once more"))


def warned(event: Event, times: int) -> Event:
    for _ in range(times):
        event.tell(c.GiveWarning("p2", "slow play"))
    return event


def test_shatterpoint_proposes_disqualification_at_three_warnings_and_a_person_decides() -> None:
    event = warned(event_of("shatterpoint-premier").play(), 2)
    assert proposed_disqualifications(event.state) == ()
    warned(event, 1)
    [proposal] = proposed_disqualifications(event.state)
    assert (proposal.competitor, proposal.warnings, proposal.by) == ("p2", 3, None)
    assert event.state.entrants["p2"].active
    event.tell(c.Disqualify("p2", "three warnings"))
    assert proposed_disqualifications(event.state) == ()


def test_a_declined_proposal_is_quiet_until_the_next_warning() -> None:
    event = warned(event_of("shatterpoint-premier").play(), 3)
    event.tell(c.DeclineProposal("p2"))
    assert proposed_disqualifications(event.state) == ()
    with refused("nothing_proposed"):
        event.tell(c.DeclineProposal("p2"))
    warned(event, 1)
    assert [found.warnings for found in proposed_disqualifications(event.state)] == [4]


def test_the_other_rulebooks_count_no_warnings() -> None:
    assert proposed_disqualifications(warned(Event(), 5).state) == ()


@pytest.mark.parametrize("rulebook", ["xwing-standard", "keyforge-archon"])
def test_the_head_judge_proposes_and_the_organizer_decides(rulebook: str) -> None:
    event = staffed(rulebook)
    with refused("only_head_judge_proposes"):
        event.tell(c.ProposeDisqualification("p1", "a second die", "o3"))
    with refused("only_organizer_disqualifies"):
        event.tell(c.Disqualify("p1", "a second die", "o2"))
    event.tell(c.ProposeDisqualification("p1", "a second die", "o2"))
    [proposal] = proposed_disqualifications(event.state)
    assert (proposal.competitor, proposal.reason, proposal.by) == ("p1", "a second die", "o2")
    with refused("only_organizer_disqualifies"):
        event.tell(c.DeclineProposal("p1", "o2"))
    event.tell(c.Disqualify("p1", "a second die", "o1"))
    assert proposed_disqualifications(event.state) == ()
    assert event.state.entrants["p1"].disqualified_after == 1


def test_a_declined_proposal_of_the_head_judge_is_gone() -> None:
    event = staffed("xwing-standard")
    event.tell(c.ProposeDisqualification("p1", "a second die", "o2"))
    event.tell(c.DeclineProposal("p1", "o1"))
    assert proposed_disqualifications(event.state) == ()
    assert event.state.entrants["p1"].active


@pytest.mark.parametrize("rulebook", ["xwing-epic-duel", "warlords-of-terra"])
def test_epic_and_warlords_know_the_organizer_only(rulebook: str) -> None:
    event = staffed(rulebook)
    with refused("disqualification_not_proposed"):
        event.tell(c.ProposeDisqualification("p1", "x", "o2"))
    with refused("only_organizer_disqualifies"):
        event.tell(c.Disqualify("p1", "x", "o2"))
    event.tell(c.Disqualify("p1", "x", "o1"))


def test_in_shatterpoint_judges_disqualify_too() -> None:
    event = staffed("shatterpoint-premier")
    event.tell(c.Disqualify("p1", "x", "o3"))
    event.tell(c.Disqualify("p2", "x", "o2"))
    assert [e.id for e in event.state.entrants.values() if not e.active] == ["p1", "p2"]


# --- rulings and appeals -----------------------------------------------------------------------------------------


def test_a_ruling_is_appealed_and_the_head_judges_word_is_final() -> None:
    event = staffed("xwing-standard")
    player = event.match().match.a
    event.tell(c.NoteRuling("1.1", "It is in range 1.", "o3"))
    event.tell(c.Appeal("1.1", player))
    assert [m.id for _, m in open_appeals(event.state)] == ["1.1"]
    with refused("appeal_is_open"):
        event.tell(c.Appeal("1.1", player))
    with refused("only_head_judge_decides"):
        event.tell(c.DecideAppeal("1.1", "It is in range 2.", False, "o3"))

    event.tell(c.DecideAppeal("1.1", "It is in range 2.", False, "o2"))

    assert open_appeals(event.state) == ()
    assert [(line.kind, line.by, line.text, line.upheld) for line in event.match().log] == [
        ("ruling", "o3", "It is in range 1.", None),
        ("appeal", player, "", None),
        ("decision", "o2", "It is in range 2.", False),
    ]
    with refused("appeal_is_final"):
        event.tell(c.Appeal("1.1", player))
    with refused("no_open_appeal"):
        event.tell(c.DecideAppeal("1.1", "After all, 1.", True, "o2"))
    event.tell(c.NoteRuling("1.1", "The dial was set too late.", "o3"))
    event.tell(c.Appeal("1.1", player))


@pytest.mark.parametrize("rulebook", ["xwing-standard", "keyforge-archon", "shatterpoint-premier"])
def test_the_head_judges_own_ruling_is_not_appealed(rulebook: str) -> None:
    """Section 1: a judge's ruling can be taken to the head judge, whose word is final."""
    event = staffed(rulebook)
    player = event.match().match.a
    event.tell(c.NoteRuling("1.1", "It is in range 1.", "o2"))
    with refused("appeal_is_final"):
        event.tell(c.Appeal("1.1", player))
    event.tell(c.NoteRuling("1.1", "The dial was set too late.", "o3"))
    event.tell(c.Appeal("1.1", player))
    assert [m.id for _, m in open_appeals(event.state)] == ["1.1"]


def test_off_duty_the_head_judge_who_ruled_has_still_said_the_last_word() -> None:
    event = staffed("xwing-standard")
    event.tell(c.NoteRuling("1.1", "It is in range 1.", "o2"))
    event.tell(c.OfficialDuty("o2", False))
    with refused("appeal_is_final"):
        event.tell(c.Appeal("1.1", event.match().match.a))


def test_the_organizer_s_ruling_is_the_last_where_no_head_judge_is_named() -> None:
    event = Event().play()
    event.tell(c.NoteRuling("1.1", "It is in range 1."))
    with refused("appeal_is_final"):
        event.tell(c.Appeal("1.1", event.match().match.a))
    event.tell(c.SetOfficials((Official("o1", "organizer"), Official("o2", "head_judge"))))
    event.tell(c.NoteRuling("1.1", "It is in range 2.", "o1"))
    event.tell(c.Appeal("1.1", event.match().match.a))


def test_an_appeal_that_is_open_at_the_end_is_told_of_the_player_who_appealed() -> None:
    event = staffed("xwing-standard")
    player = event.match().match.b or ""
    event.tell(c.Appeal("1.1", player))
    assert [point.who for point in unfinished_parts(event.state) if point.kind == APPEAL_OPEN] == [player]


def test_without_a_head_judge_the_organizer_decides_appeals() -> None:
    event = Event().play()
    event.tell(c.Appeal("1.1", event.match().match.a))
    event.tell(c.DecideAppeal("1.1", "It stands.", True))
    assert event.match().log[-1].upheld


def test_an_appeal_is_a_players_of_that_match() -> None:
    event = Event(players=5).play()
    bye = next(m for m in event.state.rounds[0].matches if m.match.bye)
    with refused("unknown_competitor"):
        event.tell(c.Appeal("1.1", bye.match.a))
    with refused("unknown_match"):
        event.tell(c.Appeal(bye.id, bye.match.a))
    with refused("unknown_match"):
        event.tell(c.NoteRuling("9.1", "x"))


def test_the_log_of_a_match_survives_a_result() -> None:
    event = Event().play()
    event.tell(c.NoteRuling("1.1", "It overlaps."))
    event.agree(score(100, 0))
    event.tell(c.EnterResult("1.1", event.match().revision, score(0, 100)))
    assert [line.text for line in event.match().log] == ["It overlaps."]


# --- extensions --------------------------------------------------------------------------------------------------


def test_extensions_add_up_and_the_tables_clock_runs_on_by_them() -> None:
    event = Event().play()
    event.tell(c.SetClock("start"))
    event.tell(c.GrantExtension("1.1", 4))
    event.tell(c.GrantExtension("1.1", 3))
    assert event.match().match.extension_minutes == 7
    assert [line.minutes for line in event.match().log] == [4, 3]

    event.now_ms += 80 * MINUTE
    live = event.state.live
    assert live is not None
    now = event.now.instant
    assert match_clock(event.state, live, event.match("1.1")).remaining_at(now) == 2 * MINUTE
    assert match_clock(event.state, live, event.match("1.2")).remaining_at(now) == -5 * MINUTE
    assert match_clock(event.state, live, event.match("1.1")).total_ms == 82 * MINUTE
    assert tournament_of(event.state).rounds[0].matches[0].extension_minutes == 7


@pytest.mark.parametrize(
    ("minutes", "key"), [(0, "extension_minutes"), (61, "extension_minutes"), (-1, "figure_out_of_range")]
)
def test_an_extension_is_1_to_60_minutes(minutes: int, key: str) -> None:
    event = Event().play()
    with refused(key):
        event.tell(c.GrantExtension("1.1", minutes))


def test_all_extensions_of_a_match_are_60_minutes_at_the_most() -> None:
    event = Event().play()
    event.tell(c.GrantExtension("1.1", 50))
    with refused("extension_minutes"):
        event.tell(c.GrantExtension("1.1", 11))
    event.tell(c.GrantExtension("1.1", 10))
    with refused("extension_is_used_up"):
        event.tell(c.GrantExtension("1.1", 1))


def test_an_extension_is_for_matches_in_play() -> None:
    event = Event(players=5).play()
    bye = next(m.id for m in event.state.rounds[0].matches if m.match.bye)
    event.agree(score(100, 0))
    for match in ("1.1", bye):
        with refused("extension_only_in_play"):
            event.tell(c.GrantExtension(match, 5))
    event.settle().play()
    with refused("extension_only_in_play"):
        event.tell(c.GrantExtension("1.2", 5))


def test_an_extension_is_taken_back_and_another_one_given() -> None:
    """55 was typed for 5: the minutes go, the ruling beside them stays, and the right number is given."""
    event = Event().play()
    event.tell(c.GrantExtension("1.1", 4))
    event.tell(c.NoteRuling("1.1", "It overlaps."))
    event.tell(c.GrantExtension("1.1", 55))
    event.tell(c.TakeBackExtension("1.1"))
    event.tell(c.GrantExtension("1.1", 5))
    assert event.match().match.extension_minutes == 9
    assert [(line.kind, line.minutes) for line in event.match().log] == [
        ("extension", 4),
        ("ruling", None),
        ("extension", 5),
    ]

    event.tell(c.TakeBackExtension("1.1"))
    event.tell(c.TakeBackExtension("1.1"))
    assert event.match().match.extension_minutes is None
    with refused("no_extension"):
        event.tell(c.TakeBackExtension("1.1"))
    event.tell(c.GrantExtension("1.1", 5))
    event.agree(score(100, 0))
    with refused("extension_only_in_play"):
        event.tell(c.TakeBackExtension("1.1"))


def test_an_untimed_round_has_nothing_to_extend() -> None:
    event = Event(options={"stages": {SWISS: {"minutes": None}}}).play()
    with refused("no_round_to_time"):
        event.tell(c.GrantExtension("1.1", 5))


# --- extra minutes -----------------------------------------------------------------------------------------------


def test_extra_minutes_are_rolled_for_the_round_in_play() -> None:
    event = event_of("shatterpoint-premier")
    with refused("no_round_to_time"):
        event.tell(c.SetExtraMinutes(1, 3))
    event.play()
    event.tell(c.SetExtraMinutes(1, 3))
    event.tell(c.SetExtraMinutes(1, 0))
    assert event.state.rounds[0].extra_minutes == 0
    for minutes in (-1, 6):
        with refused("figure_out_of_range"):
            event.tell(c.SetExtraMinutes(1, minutes))
    with refused("no_round_to_time"):
        event.tell(c.SetExtraMinutes(2, 3))


def test_extra_minutes_that_run_cannot_be_changed_but_a_forgotten_roll_can_be_made_up_for() -> None:
    event = event_of("shatterpoint-premier").play()
    event.tell(c.SetClock("start"))
    event.now_ms += 120 * MINUTE
    event.tell(c.SetExtraMinutes(1, 2))
    with refused("extra_minutes_run"):
        event.tell(c.SetExtraMinutes(1, 5))


def test_extra_minutes_are_shatterpoints_alone() -> None:
    with refused("no_extra_minutes"):
        Event().play().tell(c.SetExtraMinutes(1, 3))


# --- picks at a bye ----------------------------------------------------------------------------------------------


def test_a_bye_fields_squads_too() -> None:
    event = event_of("shatterpoint-premier", players=5).play()
    bye = next(m for m in event.state.rounds[0].matches if m.match.bye)
    event.tell(c.SetPicks(bye.id, (3, 1)))
    assert event.match(bye.id).match.picks == (1, 3)
    assert next(m for m in tournament_of(event.state).rounds[0].matches if m.bye).picks == (1, 3)
    for picks in ((1,), (1, 1), (1, 2, 3), (0, 1), (1, 5)):
        with refused("picks_wrong"):
            event.tell(c.SetPicks(bye.id, picks))
    with refused("picks_only_at_a_bye"):
        event.tell(c.SetPicks("1.1", (1, 2)))
    event.enter("late")
    missed = next(m for m in event.state.rounds[0].matches if m.match.a == "late")
    with refused("picks_only_at_a_bye"):
        event.tell(c.SetPicks(missed.id, (1, 2)))


def test_other_rulebooks_have_no_squads() -> None:
    event = Event(players=5).play()
    with refused("not_of_this_rulebook"):
        event.tell(c.SetPicks("1.3", (1, 2)))


# --- the mark of the draw ----------------------------------------------------------------------------------------


def drawn_with(seed: int) -> Event:
    event = Event()
    event.tell(c.DrawRound(seed))
    event.tell(c.PublishRound(1, 1))
    return event


def say(event: Event, mark: str | None, report_id: str = "r1") -> str | None:
    event.tell(c.RecordReport(report_id, "1.1", "a", 0, {"score": {"a": 100, "b": 24}}, "body", mark))
    return event.state.fates[report_id].reason


def test_a_report_names_its_draw_and_one_of_another_draw_hits_nobody() -> None:
    event, again = drawn_with(1), drawn_with(2)
    mark = event.state.rounds[0].mark
    assert mark
    assert again.state.rounds[0].mark != mark
    assert say(event, mark) is None
    assert say(again, mark) == "unknown-match"
    assert again.match().reports == {}


def test_a_report_that_names_no_draw_is_taken_as_ever() -> None:
    assert say(drawn_with(1), None) is None


def test_a_redraw_of_the_same_pairs_is_another_draw() -> None:
    event = Event(players=2, options={"structure": "own"})
    event.tell(c.DrawRound(1))
    first = event.state.draft.mark
    event.tell(c.DrawRound(1))
    assert event.state.draft.mark != first


def test_the_standings_of_the_fold_know_a_lists_total() -> None:
    event = event_of("xwing-epic-duel")
    event.tell(c.SubmitList("p1", "d", 290))
    assert tournament_of(event.state).competitors[0].list == {"total": 290}
    assert standings(tournament_of(event.state))
