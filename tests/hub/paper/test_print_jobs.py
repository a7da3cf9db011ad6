"""What is to be printed follows from the event: once each, the same after a restart, and nothing out of date."""

import re
from contextlib import closing
from dataclasses import replace

import pytest
from hub_kit import NAMES, HandClock, event_steps, people, running, url_of
from msgspec import structs
from wire_json import job_json

from roundtap_core.event import commands as c
from roundtap_core.records import Result, SidePair
from roundtap_hub.access.slip_codes import slip_codes
from roundtap_hub.paper.print_jobs import derived_jobs, order_job, repeat_job, wanted_jobs
from roundtap_hub.store.print_book import REORDERED, PrintBook, PrintState, is_newer_state
from roundtap_hub.store.service import Step

FIVE = NAMES[:5]


@pytest.fixture
def service(tmp_path):
    with running(tmp_path / "hub.db", HandClock()) as made:
        steps = [*event_steps("e1", FIVE), Step("e1", c.DrawRound(11))]
        made.execute(steps, "organizer", people("e1", FIVE))
        yield made


def publish(service):
    draft = service.snapshot.events["e1"].draft
    service.execute_one("e1", c.PublishRound(draft.number, draft.draw.attempt), "organizer")


def play(service):
    for match in service.snapshot.events["e1"].live.open_matches:
        service.execute_one("e1", c.EnterResult(match.id, match.revision, Result(score=SidePair(100, 24))), "judge")


def kinds(service):
    return [(job.kind, job.match) for job in derived_jobs(service.snapshot.events["e1"])]


def test_a_draft_is_nobodys_paper_and_a_published_round_is_everybodys(service):
    assert kinds(service) == []
    publish(service)
    assert kinds(service) == [("pairings-table", None), ("pairings-name", None), ("slip", "1.1"), ("slip", "1.2")]


def test_a_closed_round_wants_its_standings_and_the_next_one_its_own_paper(service):
    publish(service)
    play(service)
    service.execute_one("e1", c.DrawRound(12), "organizer")
    assert kinds(service) == [("standings", None)]
    publish(service)
    assert ("slip", "2.1") in kinds(service)
    assert "standings" not in dict(kinds(service))


def test_a_finished_event_wants_its_final_standings_once(service):
    publish(service)
    play(service)
    service.execute_one("e1", c.FinishEvent("the hall closes"), "organizer")
    [job] = derived_jobs(service.snapshot.events["e1"])
    content = job_json(job, service.snapshot, "http://hub")
    assert (content["final"], [row["rank"] for row in content["rows"]]) == (True, [1, 2, 3, 4, 5])


def test_ids_are_the_same_after_a_restart_and_differ_between_draws_and_tournaments(service, tmp_path):
    publish(service)
    before = derived_jobs(service.snapshot.events["e1"])
    service.stop()
    with running(tmp_path / "hub.db") as again:
        assert derived_jobs(again.snapshot.events["e1"]) == before
    ids = {job.id for job in before}
    assert len(ids) == len(before)
    with running(tmp_path / "other.db") as other:
        # The same names, the same event id, drawn with another seed on another hub.
        other.execute([*event_steps("e1", FIVE), Step("e1", c.DrawRound(99))], "organizer", people("e1", FIVE))
        publish(other)
        assert not ids & {job.id for job in derived_jobs(other.snapshot.events["e1"])}


def test_what_is_wanted_is_queued_and_of_use(service):
    publish(service)
    jobs = derived_jobs(service.snapshot.events["e1"])
    states = {
        jobs[0].id: PrintState("printed", "", "s1"),
        jobs[1].id: PrintState("queued", "", "s2"),
        jobs[2].id: PrintState("queued", "no-paper", "s1"),
    }
    assert wanted_jobs(service.snapshot, [], states, "s1") == jobs[2:]
    assert wanted_jobs(service.snapshot, [], states, "s2") == [jobs[1], jobs[3]]
    match = service.snapshot.events["e1"].live.matches[0]
    service.execute_one("e1", c.EnterResult(match.id, match.revision, Result(score=SidePair(100, 24))), "judge")
    assert wanted_jobs(service.snapshot, [], states, "s1") == jobs[3:], "a match with a result needs no slip"


def test_an_order_comes_first_and_has_an_id_of_its_own(service):
    publish(service)
    state = service.snapshot.events["e1"]
    jobs = derived_jobs(state)
    slip_again = repeat_job(jobs[2], "ab12")
    standings = order_job(state, "standings", "cd34")
    assert len({job.id for job in (*jobs, slip_again, standings)}) == len(jobs) + 2
    assert repeat_job(slip_again, "ef56").id.count("#") == 1
    assert wanted_jobs(service.snapshot, [slip_again, standings], {}, "s1")[:2] == [slip_again, standings]


@pytest.mark.parametrize(
    ("before", "after", "news"),
    [
        (None, "sending", True),
        ("queued", "sending", True),
        ("sending", "queued", False),
        ("printed", "sending", False),
        ("uncertain", "printed", True),
        ("uncertain", "there", True),
        ("there", "uncertain", False),
        ("again", "printed", False),
        ("printed", "printed", False),
    ],
)
def test_a_job_only_goes_up(before, after, news):
    assert is_newer_state(before and PrintState(before), PrintState(after)) is news


def test_codes_are_short_and_different(service):
    publish(service)
    state = service.snapshot.events["e1"]
    codes = slip_codes(state, state.live)
    assert set(codes) == {"1.1", "1.2", "1.3"}
    assert len(set(codes.values())) == 3
    assert all(len(code) == 5 and code.endswith("-1") for code in codes.values())


def test_a_slips_content_is_public_names_records_form_and_head(service):
    publish(service)
    snapshot = service.snapshot
    state = snapshot.events["e1"]
    slip = next(job for job in derived_jobs(state) if job.kind == "slip")
    content = job_json(slip, snapshot, "http://10.42.0.1:8080")
    match = state.find_match(slip.match)[1].match
    assert (content["table"], content["round"], content["event"]) == (match.table, 1, "Winter Open")
    assert content["a"] == {"name": snapshot.names["e1"][match.a], "record": "0–0", "members": []}
    assert content["name"] is None
    assert re.fullmatch(r"http://10\.42\.0\.1:8080/s/[0-9A-V]{32}", content["url"])
    assert content["head"] == f"#{state.number} {state.head[:16]}"
    assert content["form"]["rulebook"] == "xwing-standard"


def test_lists_hold_everybody_in_the_order_of_names(service):
    publish(service)
    by_table, by_name = (job_json(job, service.snapshot, "") for job in derived_jobs(service.snapshot.events["e1"])[:2])
    assert [row["table"] for row in by_table["rows"]] == [1, 2, None]
    assert by_table["rows"][-1]["bye"] == "bye"
    assert [row["name"] for row in by_name["rows"]] == ["Ana R.", "Bruno M.", "Eva L.", "Kai E.", "Łukasz Ż."]


def test_the_book_keeps_orders_and_states_over_a_restart(service, tmp_path):
    publish(service)
    state = service.snapshot.events["e1"]
    jobs = derived_jobs(state)
    with closing(PrintBook(url_of(tmp_path / "hub.db"))) as book:
        book.update_states([(jobs[0].id, PrintState("uncertain", "restarted", "s1"))])
        again = repeat_job(jobs[0], "ab12")
        book.order(again, instead_of=jobs[0].id, word=REORDERED)
    with closing(PrintBook(url_of(tmp_path / "hub.db"))) as book:
        assert book.orders == [again]
        assert book.states == {jobs[0].id: PrintState("again", "", "s1")}


def test_two_stations_never_get_the_same_job(service, tmp_path):
    with closing(PrintBook(url_of(tmp_path / "hub.db"))) as book:
        assert book.claim(["a", "b"], "s1") == {"a", "b"}
        assert book.claim(["b", "c"], "s2") == {"c"}
        assert book.claim(["a", "b"], "s1") == {"a", "b"}
        book.update_states([("a", PrintState("sending", "", "s1"))])
        assert book.claim(["a"], "s1") == set()
    with closing(PrintBook(url_of(tmp_path / "hub.db"))) as book:
        assert book.claim(["b", "c"], "s1") == {"b"}, "nor after a restart"


# --- a match that was changed by hand after its slip was printed


def with_swapped(service):
    """The round as it is after two tables have exchanged a player: the same draw, other people at both."""
    snapshot = service.snapshot
    state = snapshot.events["e1"]
    one, two, *rest = state.live.matches
    swapped = (
        structs.replace(one, match=structs.replace(one.match, b=two.match.b)),
        structs.replace(two, match=structs.replace(two.match, b=one.match.b)),
        *rest,
    )
    changed = structs.replace(state, rounds=(*state.rounds[:-1], structs.replace(state.live, matches=swapped)))
    return replace(snapshot, events={**snapshot.events, "e1": changed})


def test_a_slip_of_a_match_that_was_changed_is_printed_anew_and_says_that_it_replaces_the_older(service):
    publish(service)
    state = service.snapshot.events["e1"]
    before = derived_jobs(state)
    printed = {job.id: PrintState("printed", "", "s1") for job in before}
    assert wanted_jobs(service.snapshot, [], printed, "s1") == []
    after = with_swapped(service)
    wanted = wanted_jobs(after, [], printed, "s1")
    assert [(job.kind, job.match) for job in wanted] == [("slip", "1.1"), ("slip", "1.2")]
    for job in wanted:
        content = job_json(job, after, "http://hub", states=printed)
        assert content["replaces"] is True
        assert content["code"] not in slip_codes(state, state.live).values()
        assert "replaces" not in job_json(job, after, "http://hub"), "nobody has printed an older one"


def test_a_slip_printed_once_more_replaces_nothing(service):
    publish(service)
    job = next(job for job in derived_jobs(service.snapshot.events["e1"]) if job.kind == "slip")
    again = repeat_job(job, "ab12")
    content = job_json(again, service.snapshot, "http://hub", states={job.id: PrintState("again", "", "s1")})
    assert "replaces" not in content


def test_a_table_that_is_moved_has_a_new_slip_and_its_old_code_holds(service):
    publish(service)
    state = service.snapshot.events["e1"]
    first = state.live.matches[0]
    moved = structs.replace(
        state,
        rounds=(
            structs.replace(
                state.live,
                matches=(structs.replace(first, match=structs.replace(first.match, table=9)), *state.live.matches[1:]),
            ),
        ),
    )
    before = {job.id for job in derived_jobs(state)}
    assert [job.match for job in derived_jobs(moved) if job.id not in before] == ["1.1"]
    assert slip_codes(moved, moved.live) == slip_codes(state, state.live)
