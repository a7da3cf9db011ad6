"""Paper and wall of every rulebook: the form of the match's situation, teams, squads, named rounds, the cut's order."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hub_kit import NAMES, HandClock, running
from wire_json import job_json

from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_core.event.states import Entrant, EventState, Official
from roundtap_core.forms.form import Form
from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.typed import parse_message
from roundtap_hub.hall.wall_picture import wall_view
from roundtap_hub.paper.print_jobs import SLIP, derived_jobs, order_job
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Service, Step
from roundtap_hub.views.saved_event import saved_event

MEMBERS = (
    ("Aleksandra Wiśniewska-Szczepańska", "Łukasz Żak"),
    ("Ana Ruiz", "Kai Eich"),
    ("Eva Luz", "Zoe Can"),
    ("Jo Wolf", "Ida Weil"),
)
SHOWN = [["Aleksandra W.", "Łukasz Ż."], ["Ana R.", "Kai E."], ["Eva L.", "Zoe C."], ["Jo W.", "Ida W."]]
Content = dict[str, Any]
Outcome = Callable[[int], Result]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running(tmp_path / "hub.db", HandClock()) as made:
        yield made


def begin(service: Service, rulebook: str, totals: bool = False, **options: Any) -> None:
    """Four competitors in an event of one Swiss round, which is published."""
    team = RULEBOOKS[rulebook].team_size > 1
    people = [
        PersonRecord("e1", f"p{i}", f"salt {i}", Person(name, members=two, captain=two[0]) if team else Person(name))
        for i, (name, two) in enumerate(zip(NAMES, MEMBERS, strict=False), start=1)
    ]
    create = c.CreateEvent("Open", rulebook, None, {"structure": "own", "swiss_rounds": 1, **options}, "#0072B2", 7)
    entered = [
        c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt), list_total=280 + n if totals else None))
        for n, p in enumerate(people)
    ]
    service.execute([Step("e1", command) for command in (create, *entered)], "test", people)
    go_on(service)


def event(service: Service) -> EventState:
    return service.snapshot.events["e1"]


def go_on(service: Service) -> None:
    """Draw and publish the next round."""
    if event(service).rulebook.judge_required and not event(service).officials:
        service.execute_one("e1", c.SetOfficials((Official("o0", "organizer"),)), "test")
    service.execute_one("e1", c.DrawRound(11), "test")
    draft = event(service).draft
    service.execute_one("e1", c.PublishRound(draft.number, 1, noted="a test"), "test")


def play(service: Service, outcome: Outcome = lambda place: Result(winner="a", score=SidePair(100, 24))) -> None:
    live = event(service).live
    for place, match in enumerate(live.open_matches):
        service.execute_one("e1", c.EnterResult(match.id, match.revision, outcome(place), reason="a test"), "test")


def slips(service: Service) -> list[Content]:
    jobs = [job for job in derived_jobs(event(service)) if job.kind == SLIP]
    contents = [job_json(job, service.snapshot, "http://hub") for job in jobs]
    return [content for content in contents if content is not None]


def paper(service: Service, kind: str) -> Content:
    content = job_json(order_job(event(service), kind, "ab12"), service.snapshot, "http://hub")
    assert content is not None
    return content


def test_a_slip_of_the_semi_final_says_so_and_asks_what_elimination_asks(service: Service) -> None:
    """Epic: a draw in elimination goes to whoever had initiative, so only there it is asked."""
    begin(service, "xwing-epic-duel", cut=4)
    assert [slip["name"] for slip in slips(service)] == [None, None]
    assert "form.initiative" not in str(slips(service)[0]["form"])
    play(service)
    service.execute_one("e1", c.MakeCut(), "test")
    go_on(service)
    assert [slip["name"] for slip in slips(service)] == ["semi-final", "semi-final"]
    assert "form.initiative" in str(slips(service)[0]["form"])
    assert paper(service, "pairings-table")["name"] == "semi-final"


def test_the_match_beside_the_final_is_the_one_for_third_place(service: Service) -> None:
    begin(service, "xwing-standard", cut=4, third_place_match=True)
    play(service)
    service.execute_one("e1", c.MakeCut(), "test")
    go_on(service)
    play(service)
    go_on(service)
    assert sorted(slip["name"] for slip in slips(service)) == ["final", "third-place"]


def test_a_slips_form_knows_what_the_lists_cost(service: Service) -> None:
    """Epic: nobody destroys more than the other's list."""
    begin(service, "xwing-epic-duel", totals=True)
    for slip in slips(service):
        way = parse_message(Form, slip["form"]).way("wiped_out")
        assert all(280 <= limit <= 283 for limit in way.figures()[0].per_side or ())


def test_teams_stand_on_all_paper_and_on_the_wall_with_who_plays_for_them(service: Service) -> None:
    begin(service, "xwing-epic-team")
    assert sorted(slip[side]["members"] for slip in slips(service) for side in "ab") == sorted(SHOWN)
    assert sorted(row["members"] for row in paper(service, "pairings-name")["rows"]) == sorted(SHOWN)
    by_table = paper(service, "pairings-table")["rows"]
    assert sorted(row[f"{side}_members"] for row in by_table for side in "ab") == sorted(SHOWN)
    moment = saved_event(service.snapshot, "e1")
    assert moment is not None
    [page] = wall_view(service.snapshot, {}, moment, 0).pages
    assert sorted(list(seat.members) for column in page.columns for seat in column) == sorted(SHOWN)


def test_an_organizer_who_shows_full_names_shows_those_of_a_teams_players_too(service: Service) -> None:
    begin(service, "xwing-epic-team", full_names=True)
    assert tuple(slips(service)[0]["a"]["members"]) in MEMBERS


def test_squads_that_are_still_to_be_fielded_stand_on_the_slip(service: Service) -> None:
    begin(service, "shatterpoint-premier", swiss_rounds=2)
    assert {tuple(slip[side]["to_field"]) for slip in slips(service) for side in "ab"} == {(1, 2, 3, 4)}
    play(service, lambda _: Result(score=SidePair(2, 0), wounds=SidePair(5, 1), picks={"a": [1, 3], "b": [2, 4]}))
    go_on(service)
    sides = [slip[side] for slip in slips(service) for side in "ab"]
    assert sorted(side["to_field"] for side in sides) == [[1, 3], [1, 3], [2, 4], [2, 4]]
    assert all(side["must"] for side in sides)


def test_epics_cut_goes_by_an_order_of_its_own_which_stands_beside_the_standings(service: Service) -> None:
    begin(service, "xwing-epic-duel", cut=2)
    assert paper(service, "standings")["cut"] is None
    play(service)
    cut = paper(service, "standings")["cut"]
    assert cut["size"] == 2
    assert [(row["rank"], row["points"]) for row in cut["rows"]] == [(1, "5"), (2, "5"), (3, "0"), (4, "0")]
    moment = saved_event(service.snapshot, "e1")
    assert moment is not None
    [[first, second]] = wall_view(service.snapshot, {}, moment, 0).cut_pages
    assert [line.seed == moment.state.cut_size for line, _ in (*first, *second)] == [False, True, False, False]


def test_where_the_standings_make_the_cut_they_stand_alone(service: Service) -> None:
    begin(service, "xwing-standard", cut=2)
    play(service)
    assert paper(service, "standings")["cut"] is None


def test_a_tie_break_round_has_its_name_and_no_draws_in_its_form(service: Service) -> None:
    begin(service, "warlords-of-terra", prize_places=1)
    play(service, lambda _: Result(winner="draw", ended="time", score=SidePair(10, 10)))
    go_on(service)
    assert {slip["name"] for slip in slips(service)} == {"tiebreak"}
    assert paper(service, "pairings-table")["name"] == "tiebreak"
    assert "draw" not in {way.id for way in parse_message(Form, slips(service)[0]["form"]).ways}


@pytest.mark.parametrize(
    ("rulebook", "outcome", "record", "value"),
    [
        ("xwing-standard", Result(score=SidePair(100, 24)), "1–0", "176"),
        ("xwing-epic-duel", Result(ended="time", score=SidePair(124, 124)), "0–1–0", "300"),
        ("warlords-of-terra", Result(winner="draw", ended="time", score=SidePair(15, 10)), "0–1–0", "5"),
        (
            "shatterpoint-premier",
            Result(
                ended="time",
                score=SidePair(1, 1),
                wounds=SidePair(3, 3),
                picks={"a": [1, 2], "b": [3, 4]},
                timeout={key: {"a": n, "b": n} for key, n in (("score", 1), ("struggle", 0), ("objectives", 2))},
            ),
            "0–1–0",
            "1",
        ),
        ("keyforge-archon", Result(score=SidePair(1, 0)), "1–0", "0.000"),
    ],
)
def test_pairings_show_record_with_draws_and_the_first_tiebreaker(
    service: Service, rulebook: str, outcome: Result, record: str, value: str
) -> None:
    begin(service, rulebook, swiss_rounds=2)
    play(service, lambda _: outcome)
    go_on(service)
    shown = {row["record"] for row in paper(service, "pairings-name")["rows"]}
    moment = saved_event(service.snapshot, "e1")
    assert moment is not None
    pages = wall_view(service.snapshot, {}, moment, 0).pages
    seats = [seat for page in pages for column in page.columns for seat in column]
    assert record in shown
    assert {seat.record for seat in seats} == shown
    assert (record, value) in {(seat.record, seat.values[0].text) for seat in seats}
