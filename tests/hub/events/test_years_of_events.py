"""Whatever is done with events over the years, what is shown of them is the plain fold of all their entries."""

import json
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from pages_kit import House

from event_kit import fold_entries
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, Entry, NewEntry, Person, Timestamp
from roundtap_core.event.event_flow import whole_tournament
from roundtap_core.event.states import Entrant, EventState, encode_state, event_names
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_hub.store.snapshots import running_core

EVENTS = ("e1", "e2", "e3")
EVENT = st.sampled_from(EVENTS)
MATCH = st.sampled_from(["1.1", "1.2", "2.1", "2.2"])
FIGURES = st.sampled_from([(100, 24), (24, 100), (100, 100)])


class Years(RuleBasedStateMachine):
    """One folder, a hub that is started over it again and again, and everybody who does something in it."""

    @initialize()
    def begins(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="roundtap-years-"))
        self.archived: set[str] = set()
        self.deleted: set[str] = set()
        self.count = 0
        self.house = self.opened()
        for event in EVENTS:
            people = [PersonRecord(event, f"p{n}", f"salt {n}", Person(f"Player {n} of {event}")) for n in range(1, 5)]
            steps: list[c.Command] = [
                c.CreateEvent(
                    f"Open {event}", "xwing-standard", "relaxed", {"structure": "own", "swiss_rounds": 2}, "#0072B2", 7
                )
            ]
            steps += [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
            self.house.service.execute([Step(event, step) for step in steps], "test", people)

    def opened(self) -> House:
        house = House(self.folder)
        house.service.start()
        self.browser = house.organizer()
        return house

    def ask(self, event: str, *commands: c.Command, people: Any = ()) -> bool:
        try:
            self.house.service.execute([Step(event, command) for command in commands], "test", people)
        except Problem:
            return False
        return True

    def state(self, event: str) -> EventState:
        found = self.house.service.snapshot.event(event)
        assert found is not None
        return found

    @rule(event=EVENT)
    def a_round_is_drawn_and_published(self, event: str) -> None:
        if self.ask(event, c.DrawRound(self.state(event).number)):
            draft = self.state(event).draft
            assert draft
            assert draft.draw
            assert self.ask(event, c.PublishRound(draft.number, draft.draw.attempt, noted="a test"))

    @rule(event=EVENT, figures=FIGURES)
    def every_table_is_done(self, event: str, figures: tuple[int, int]) -> None:
        live = self.state(event).live
        for match in live.open_matches if live else ():
            result = Result(score=SidePair(*figures), winner="a" if figures == (100, 100) else None)
            assert self.ask(event, c.EnterResult(match.id, match.revision, result))

    @rule(event=EVENT, match=MATCH, side=st.sampled_from("ab"), figures=FIGURES)
    def a_table_reports(self, event: str, match: str, side: Any, figures: tuple[int, int]) -> None:
        """In time, too late, of an event that is over, archived or deleted: it always has its entry."""
        self.count += 1
        said = result_to_json(Result(score=SidePair(*figures)))
        before = self.state(event).number
        self.ask(event, c.RecordReport(f"r{self.count}", match, side, 0, said, f"body {self.count}"))
        assert self.state(event).number == before + 1

    @rule(event=EVENT)
    def it_is_finished(self, event: str) -> None:
        self.ask(event, c.FinishEvent("the hall closes"))

    @rule(event=EVENT, match=MATCH, figures=FIGURES)
    def it_is_corrected_after_the_end(self, event: str, match: str, figures: tuple[int, int]) -> None:
        found = self.state(event).find_match(match)
        if self.state(event).finished and found:
            self.ask(
                event,
                c.ReopenEvent(),
                c.EnterResult(match, found[1].revision, Result(score=SidePair(*figures))),
                c.FinishEvent("the hall closes"),
            )

    @rule(event=EVENT)
    def it_is_reopened(self, event: str) -> None:
        self.ask(event, c.ReopenEvent())

    @rule(event=EVENT, who=st.sampled_from(["p1", "p2"]), name=st.sampled_from(["Ana Ruiz", "Łukasz Żak"]))
    def somebody_is_renamed(self, event: str, who: str, name: str) -> None:
        record = PersonRecord(event, who, "another salt", Person(name))
        self.ask(event, c.ChangePerson(who, record.person.digest(record.salt)), people=[record])

    @rule(event=EVENT)
    def it_is_archived(self, event: str) -> None:
        if self.put_away("event-archived", event):
            self.archived.add(event)

    @rule(event=EVENT)
    def it_is_brought_back(self, event: str) -> None:
        if self.put_away("event-restored", event):
            self.archived.discard(event)

    @rule(event=EVENT, sure=st.booleans())
    def it_is_deleted(self, event: str, sure: bool) -> None:
        if sure and self.put_away("event-deleted", event):
            self.deleted.add(event)
            self.archived.discard(event)

    def put_away(self, kind: str, event: str) -> bool:
        try:
            self.house.service.execute([Step(VENUE, NewEntry(kind, {"event": event}))], "test")
        except Problem:
            return False
        return True

    @rule()
    def the_sealer_comes_by(self) -> None:
        self.house.service.snapshotter.snapshot_due()

    @precondition(lambda self: hasattr(self, "house"))
    @rule()
    def the_hub_starts_again(self) -> None:
        self.house.service.stop()
        self.house = self.opened()

    @rule()
    def somebody_looks(self) -> None:
        with sqlite3.connect(self.folder / "roundtap.db") as connection:
            rows = connection.execute("SELECT * FROM entry ORDER BY stream, number").fetchall()
            people = connection.execute("SELECT event, competitor, data FROM person").fetchall()
            seals = connection.execute("SELECT event, head, made_by FROM seal").fetchall()
        snapshot = self.house.service.snapshot
        assert snapshot.ids == list(EVENTS)
        assert not {*snapshot.events} & {*snapshot.dormant}
        for event in EVENTS:
            entries = [
                Entry(s, n, kind, v, Timestamp(**json.loads(at)), who, json.loads(data), prev, found)
                for s, n, kind, v, at, who, data, prev, found in rows
                if s == event
            ]
            state = fold_entries(event, entries)
            known = {who: Person.from_json(json.loads(data)) for of, who, data in people if of == event}
            assert snapshot.event(event) == state
            assert snapshot.people_of(event) == known
            assert snapshot.names_of(event) == event_names(state, known)
            self.pages_show(event, state, known)
        for event, head, core in seals:
            sealed = self.house.service.journal.event_snapshots.find(event)
            if core == running_core() and head == self.state(event).head:
                assert sealed
                assert sealed.state == encode_state(self.state(event))
        assert set(EVENTS) - self.archived - self.deleted == {
            event for event in EVENTS if f"Open {event}" in self.browser.get("/console").text
        }

    def pages_show(self, event: str, state: EventState, known: dict[str, Person]) -> None:
        answer = self.browser.get(f"/console/{event}/export.json")
        if event in self.deleted:
            assert (answer.status_code, known) == (410, {})
        else:
            expected = tournament_to_json(whole_tournament(state, known))
            persons = self.house.service.snapshot.venue.book.persons
            for each in expected["competitors"]:
                each |= {"person": person} if (person := persons.get((event, each["id"]))) else {}
            assert answer.json == expected

    def teardown(self) -> None:
        if hasattr(self, "house"):
            self.somebody_looks()
            self.the_hub_starts_again()
            self.somebody_looks()
            self.house.service.stop()
            shutil.rmtree(self.folder)


Years.TestCase.settings = settings(
    max_examples=5,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestYears = Years.TestCase
