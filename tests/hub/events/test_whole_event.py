"""Everything that can happen in an event leaves in its file and comes back: people, results, and who judged what."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from roundtap_core.check.check import violations
from roundtap_core.event import commands as c
from roundtap_core.event.commands import apply, decide
from roundtap_core.event.entries import Person, Timestamp, chain_entry
from roundtap_core.event.event_flow import upcoming_stage, whole_tournament
from roundtap_core.event.states import Entrant, EventState, MatchState, Official, OpenPoint
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.records import TIEBREAK, Match, Result
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.wire import digest
from roundtap_hub.events.new_event import import_steps
from roundtap_hub.store.command_pipeline import person_and_entrant
from roundtap_hub.store.service import Step

PLAYERS = 9
ABOUT = {
    "date": "2026-11-21",
    "venue": "Orion, Łódź",
    "club": "Orion e. V.",
    "external_id": "T-4711",
    "special_rules": "Night battle:\nno unit sees beyond range 3.",
}
LISTS = (OpenPoint("list_missing", "p2"), OpenPoint("deck_twice", "p4"))
BY_A, BY_B = Result(ended="ruling", winner="a"), Result(ended="ruling", winner="b")


class Journal:
    """One event's entries, decided and applied as the hub does, and its people."""

    def __init__(self, wall: str | None = None) -> None:
        self.state, self.wall = EventState("e1"), wall
        self.people: dict[str, Person] = {}

    def tell(self, *commands: c.Command) -> None:
        for command in commands:
            for new in decide(self.state, command, Timestamp("boot", 1000).instant):
                at = Timestamp("boot", 1000, self.wall)
                entry = chain_entry(new, "e1", self.state.number + 1, self.state.head, at, "organizer")
                self.state = apply(self.state, entry)

    def ask(self, steps: list[Step]) -> None:
        for step in steps:
            assert not hasattr(step.command, "kind")
            self.tell(step.command)  # type: ignore[arg-type]

    @property
    def json(self) -> dict[str, Any]:
        return tournament_to_json(whole_tournament(self.state, self.people))

    def draw(self) -> None:
        self.tell(c.DrawRound(self.state.number))
        draft = self.state.draft
        missing = LISTS if draft.number == 1 else ()
        self.tell(
            c.PublishRound(draft.number, draft.draw.attempt, "Nobody had brought one.", by="o2", list_points=missing)
        )

    def matches(self) -> list[MatchState]:
        return [match for match in self.state.live.matches if match.match.b is not None]

    def match(self, match_id: str) -> Match:
        found = self.state.find_match(match_id)
        return found[1].match

    def enter(self, match: str, result: Result | None) -> None:
        found = self.state.find_match(match)
        self.tell(c.EnterResult(match, found[1].revision, result))

    def settle(self) -> None:
        for match in self.matches():
            if not match.done:
                self.enter(match.id, BY_A)


def person(book: Any, n: int) -> Person:
    members = (f"Ana {n}", f"Eva {n}") if book.team_size == 2 else ()
    return Person(
        f"Player Number {n}",
        f"Nick {n}" if n == 3 else None,
        "Orion",
        f"#{n}",
        {"total": 90 + n, "note": "x"},
        members,
        members[0] if members else None,
    )


def an_event_with_everything(rulebook_id: str) -> Journal:
    book, made = rulebook(rulebook_id), Journal("2026-11-21T10:03:00+01:00")
    made.tell(
        c.CreateEvent(
            "Whole Łódź Open",
            rulebook_id,
            book.levels[0],
            {
                "structure": "own",
                "swiss_rounds": 2,
                "cut": 4,
                "prize_places": 1,
                "second_stage": book.second_stages[-1],
                "full_names": True,
            },
            "#0072B2",
            7,
            ABOUT,
        )
    )
    made.people = {f"p{n}": person(book, n) for n in range(1, PLAYERS + 1)}
    for n in range(1, PLAYERS + 1):
        made.tell(
            c.EnterCompetitor(
                Entrant(
                    f"p{n}",
                    digest(n),
                    won_bye=n == 4,
                    came_with="car" if n < 3 else None,
                    fixed_table=7 if n == 5 else None,
                    list_total=book.lists.total({"total": 90 + n}),
                )
            )
        )
    plays = "p1" if book.officials_play.get(book.levels[0], book.officials_play["*"]) != "no" else None
    made.people |= {name: Person(f"Official {name}") for name in ("o1", "o2", "o3", "o4")}
    made.tell(
        c.SetOfficials(
            (
                Official("o1", "organizer"),
                Official("o2", "head_judge", second=True),
                Official("o3", "judge", plays=plays),
                Official("o4", "judge"),
            )
        ),
        c.OfficialDuty("o4", False),
        c.RecordCheck("p2", "sleeves"),
        c.GiveWarning("p3", "slow\nplay", "o2"),
    )
    if book.disqualification_proposed_by:
        made.tell(c.ProposeDisqualification("p3", "marked cards", "o2"))
    made.draw()
    if book.extra_minutes:
        made.tell(c.SetExtraMinutes(1, 3))
    one, two, three, *_ = [match.id for match in made.matches() if "p1" not in (match.match.a, match.match.b)]
    for about in book.lots:
        made.tell(c.NoteLot(one, about, "b"))
    made.tell(
        c.NoteRuling(one, "The shot was in arc.", "o3"),
        c.Appeal(one, made.match(one).a),
        c.DecideAppeal(one, "It was.", True, "o2"),
        c.GrantExtension(one, 5, "o2"),
    )
    # A result that was agreed, corrected twice; one that nobody agreed on; somebody who did not appear.
    said: dict[str, Any] = {"ended": "concession", "conceded_by": "b"}
    if book.squads:
        said |= {"picks": {"a": [1, 2], "b": [3, 4]}, "wounds": {"a": 1, "b": 0}}
    if "score" in book.tiebreaker_keys:
        said["score"] = {"a": 12, "b": 5}
    for side in ("a", "b"):
        made.tell(c.RecordReport(f"r{side}", one, side, 0, said, f"body {side}"))  # type: ignore[arg-type]
    assert [fate.fate for fate in made.state.fates.values()] == ["accepted", "accepted"]
    made.enter(one, BY_B)
    made.enter(one, BY_A)
    made.tell(c.NoShow(two, made.match(two).b))
    made.enter(three, Result(ended="ruling", winner="none"))
    made.tell(c.Disqualify(made.match(three).b, "hit the table", "o1"))
    made.settle()
    made.tell(c.CorrectList("p2", digest("corrected"), book.lists.total({"total": 91}), "a name was missing", "o2"))
    made.draw()
    made.settle()
    return made


def with_cut(made: Journal) -> Journal:
    """The cut; its best leaves, and who is asked first does not want the place."""
    while upcoming_stage(made.state) == TIEBREAK:
        made.draw()
        made.settle()
    made.tell(c.MakeCut())
    made.tell(c.DropCompetitor(made.state.cut.seeds[0]))
    for answer in (c.DeclinePlace, c.AcceptPlace):
        offered = made.state.cut.offered({e.id for e in made.state.entrants.values() if e.active})
        if offered:
            made.tell(answer(offered))
    return made


def imported(file: dict[str, Any]) -> Journal:
    steps, people = import_steps("e1", parse_event_file(json.dumps(file)), "#882255")
    again = Journal("2027-01-01T00:00:00+01:00")
    again.ask(steps)
    again.people = {record.competitor: record.person for record in people}
    return again


def of_the_tournament(state: EventState) -> EventState:
    """The state without what is the hall's or the journal's own: clock, reports, numbers, hashes and salts, and whose
    places were noted when it ended."""
    rounds = tuple(
        replace(
            r,
            mark="",
            status="closed" if all(m.done for m in r.matches) else r.status,
            matches=tuple(
                replace(
                    m,
                    reports={},
                    revision=0,
                    number=None,
                    reported_mono_ms=None,
                    drawn=None,
                    stood=None,
                    replaced=None,
                    log=tuple(replace(line, number=0) for line in m.log),
                )
                for m in r.matches
            ),
        )
        for r in state.rounds
    )
    return replace(
        state,
        number=0,
        head="",
        color="",
        clock=EventState("").clock,
        fates={},
        diverged=(),
        rounds=rounds,
        ended_as=None,
        entrants={e.id: replace(e, digest="") for e in state.entrants.values()},
        officials={o.id: replace(o, digest="") for o in state.officials.values()},
        played_on=tuple(replace(line, number=0) for line in state.played_on),
    )


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_export_import_export(rulebook_id: str) -> None:
    made = an_event_with_everything(rulebook_id)
    for stage in (lambda made: made, with_cut, finished):
        made = stage(made)
        file = made.json
        # As the file is read and written without a hub.
        assert tournament_to_json(parse_event_file(json.dumps(file))) == file
        again = imported(file)
        assert of_the_tournament(again.state) == of_the_tournament(made.state)
        assert again.json == file


def finished(made: Journal) -> Journal:
    made.draw()
    made.settle()
    made.tell(c.FinishEvent("the hall closes"))
    return made


def test_all_of_it_is_there() -> None:
    file = finished(with_cut(an_event_with_everything("xwing-standard"))).json
    assert {key: file[key] for key in ABOUT} == ABOUT
    assert file["played_on"] == [
        {
            "points": [{"kind": "list_missing", "who": "p2"}, {"kind": "deck_twice", "who": "p4"}],
            "reason": "Nobody had brought one.",
            "by": "o2",
            "wall": "2026-11-21T10:03:00+01:00",
        },
        {
            "points": [{"kind": "finished_early"}],
            "reason": "the hall closes",
            "by": "organizer",
            "wall": "2026-11-21T10:03:00+01:00",
        },
    ]
    assert (file["checked_in"], file["finished"]) == (PLAYERS, True)
    assert file["effective_options"]["squad_points"] == 100
    assert "squad_points" not in file["options"]
    assert file["officials"] == [
        {"id": "o1", "name": "Official o1", "role": "organizer"},
        {"id": "o2", "name": "Official o2", "role": "head_judge", "second": True},
        {"id": "o3", "name": "Official o3", "role": "judge", "plays": "p1"},
        {"id": "o4", "name": "Official o4", "role": "judge", "off_duty": True},
    ]
    people = {person["id"]: person for person in file["competitors"]}
    assert people["p3"]["warnings"] == [{"round": 0, "reason": "slow\nplay", "by": "o2"}]
    assert people["p3"]["proposed"] == {"reason": "marked cards", "by": "o2"}
    assert people["p2"]["list_corrections"] == [{"round": 1, "reason": "a name was missing", "by": "o2"}]
    assert people["p2"]["ticks"] == ["sleeves"]
    assert [p["disqualification"] for p in file["competitors"] if "disqualification" in p] == [
        {"reason": "hit the table", "by": "o1"}
    ]
    first = file["rounds"][0]["matches"]
    (judged,) = [match for match in first if "log" in match]
    assert [line["kind"] for line in judged["log"]] == ["ruling", "appeal", "decision", "extension"]
    assert judged["decided"] is True
    assert [was["was"]["ended"] for was in judged["corrections"]] == ["concession", "ruling"]
    (waited,) = [match for match in first if match.get("bye") == "no-show"]
    assert people[waited["absent"]]["dropped_after"] == 1
    assert set(file["cut"]) == {"size", "order", "seeds", "declined"}
    assert people[file["cut"]["declined"][0]]["declined_place"] is True


def test_check_says_where_the_options_that_held_are_others() -> None:
    file = an_event_with_everything("xwing-standard").json
    file["effective_options"]["squad_points"] = 200
    assert [p.where for p in violations(parse_event_file(json.dumps(file))) if p.key == "effective_options_differ"] == [
        "/effective_options/squad_points"
    ]


def test_old_files_stay_as_they_were() -> None:
    """Who enrols a competitor of a file without any of the new keys gets what it got before."""
    file = {
        "format": "roundtap-event/1",
        "name": "Old",
        "rulebook": "xwing-standard",
        "seed": 1,
        "competitors": [{"id": "p1", "name": "Ana Ruiz"}],
        "rounds": [],
    }
    event = parse_event_file(json.dumps(file))
    assert tournament_to_json(event) == file
    _, entrant = person_and_entrant("e1", event.competitors[0])
    assert entrant == Entrant("p1", entrant.digest)
    assert len(import_steps("e1", event, "#882255")[0]) == 2
