"""Whatever is asked of an event, in whatever order: what must hold after every step."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from event_kit import Event, fold_entries, score
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.commands import apply
from roundtap_core.event.entries import GENESIS, Entry, NewEntry, Timestamp, chain_entry, verify_entry
from roundtap_core.event.event_flow import whole_tournament
from roundtap_core.event.mending import plan_mend
from roundtap_core.event.states import PUBLISHED, Entrant, EventState, decode_state, encode_state
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import CONCESSION, RULING, Result, result_to_json
from roundtap_core.standings.standings import standings
from roundtap_core.wire import canonical_json, digest

WHO = st.sampled_from([f"p{n}" for n in range(1, 9)])
MATCH = st.sampled_from([f"{r}.{m}" for r in (1, 2, 3) for m in range(1, 6)])
RESULTS = (
    score(100, 24),
    score(24, 100),
    score(70, 70, winner="a"),
    score(70, 70),
    score(101, 0),
    Result(ended=CONCESSION, conceded_by="a"),
    Result(ended=RULING, winner="none"),
)


def from_disk(entry: Entry) -> Entry:
    """As a journal gives it back: through canonical JSON."""
    at = json.loads(canonical_json(entry.at.to_json()))
    return Entry(
        entry.stream,
        entry.number,
        entry.kind,
        entry.version,
        Timestamp(**at),
        entry.actor,
        json.loads(canonical_json(dict(entry.data))),
        entry.prev,
        entry.hash,
    )


class AnEvening(RuleBasedStateMachine):
    """An organizer, officials and tables who do anything at any time."""

    @initialize(
        players=st.integers(4, 7),
        structure=st.sampled_from(
            [
                {},
                {},
                {"structure": "own", "swiss_rounds": 1, "cut": 4, "third_place_match": True},
                {"structure": "own", "swiss_rounds": 0},
            ]
        ),
    )
    def opens(self, players: int, structure: dict[str, Any]) -> None:
        self.event = Event(players, {"stages": {"swiss": {"minutes": 75}}, **structure})
        self.folded = fold_entries("e1", map(from_disk, self.event.entries))
        self.seen = len(self.event.entries)
        self.stood: dict[str, tuple[int, Result]] = {}
        self.said: dict[str, c.RecordReport] = {}

    def ask(self, command: Any) -> None:
        """Refused with a Problem and nothing has changed, or done; anything else is a bug and fails the test."""
        before, number = self.event.state, len(self.event.entries)
        try:
            self.event.tell(command)
        except Problem as problem:
            problem.say()
            assert self.event.state is before
            assert len(self.event.entries) == number

    def revision(self, match: str, back: int) -> int:
        found = self.event.state.find_match(match)
        return (found[1].revision if found else 0) - back

    @rule(match=MATCH, side=st.sampled_from("ab"), result=st.sampled_from(RESULTS), back=st.sampled_from([0, 0, 0, 1]))
    def reports(self, match: str, side: Any, result: Result, back: int) -> None:
        number, before = len(self.event.entries), self.event.state
        plain = result_to_json(result)
        report = c.RecordReport(f"r{number}", match, side, self.revision(match, back), plain, digest(plain))
        [entry] = self.event.tell(report)
        self.said[report.report_id] = report
        fate = self.event.state.fates[report.report_id]
        assert (fate.number, fate.hash) == (entry.number, entry.hash)
        if fate.fate == "refused":
            assert (self.event.state.rounds, self.event.state.entrants) == (before.rounds, before.entrants)

    @rule(data=st.data())
    def repeats_a_report(self, data: st.DataObject) -> None:
        if self.said:
            known = data.draw(st.sampled_from(sorted(self.said)))
            assert self.event.tell(self.said[known]) == []

    @rule(first=st.sampled_from(RESULTS[:3]), second=st.sampled_from([None, *RESULTS[:3]]), data=st.data())
    def a_table_plays(self, first: Result, second: Result | None, data: st.DataObject) -> None:
        live = self.event.state.live
        if live and live.open_matches:
            match = data.draw(st.sampled_from(live.open_matches)).id
            self.reports(match, "a", first, 0)
            # Looked at between the two as well: the first may agree with an older report, the second dispute it.
            self.a_result_that_stands_is_only_replaced_by_an_official()
            self.reports(match, "b", second or first, 0)

    @rule(match=MATCH, result=st.sampled_from([None, *RESULTS]), back=st.sampled_from([0, 0, 1]))
    def an_official_enters(self, match: str, result: Result | None, back: int) -> None:
        self.ask(c.EnterResult(match, self.revision(match, back), result))

    @rule()
    def officials_settle_the_round(self) -> None:
        if self.event.state.live:
            for match in self.event.state.live.open_matches:
                self.ask(c.EnterResult(match.id, match.revision, score(100, 10)))

    @rule(seed=st.integers(0, 99), busy=st.sampled_from([frozenset(), frozenset({1})]))
    def draws(self, seed: int, busy: frozenset[int]) -> None:
        self.ask(c.DrawRound(seed, busy))

    @rule(stale=st.sampled_from([0, 0, 0, 1]))
    def publishes(self, stale: int) -> None:
        draft = self.event.state.draft
        attempt = draft.draw.attempt if draft and draft.draw else 1
        self.ask(c.PublishRound(len(self.event.state.public_rounds) + 1, attempt - stale))

    @rule(
        command=st.one_of(
            WHO.map(c.DropCompetitor),
            WHO.map(c.ReturnCompetitor),
            st.builds(c.Disqualify, WHO, st.sampled_from(["", "x"])),
            st.builds(c.NoShow, MATCH, WHO),
            st.builds(c.ChangePerson, WHO, st.just("digest")),
            st.builds(c.SetClock, st.sampled_from(["start", "pause", "adjust", "set"]), st.integers(-9, 9**9)),
            st.just(c.DiscardDraft()),
            st.sampled_from([c.MakeCut(), c.MakeCut(), c.WithdrawCut()]),
            WHO.map(c.AcceptPlace),
            WHO.map(c.DeclinePlace),
            st.just(c.SetOptions({"squad_points": 120})),
            st.builds(lambda who, won: c.EnterCompetitor(Entrant(who, "d", won)), WHO, st.booleans()),
            st.builds(lambda who, match: c.EnterCompetitor(Entrant(who, "d"), meets=match), WHO, MATCH),
            st.builds(c.GiveWarning, WHO, st.just("slow play")),
            st.builds(c.ProposeDisqualification, WHO, st.just("x"), st.sampled_from(["head_judge", "judge"])),
            WHO.map(c.DeclineProposal),
            st.builds(c.NoteRuling, MATCH, st.just("x")),
            st.builds(c.Appeal, MATCH, WHO),
            st.builds(c.DecideAppeal, MATCH, st.just("x"), st.booleans()),
            st.builds(c.GrantExtension, MATCH, st.integers(0, 30)),
            st.builds(c.TakeBackExtension, MATCH),
            st.builds(c.RecordCheck, WHO, st.just("sleeves"), st.booleans()),
            st.builds(c.SubmitList, WHO, st.just("d"), st.sampled_from([None, 98])),
            st.builds(c.CorrectList, WHO, st.just("d"), st.just(99), st.just("x")),
        )
    )
    def anybody_asks(self, command: Any) -> None:
        self.ask(command)

    @rule(data=st.data(), back=st.sampled_from([0, 0, 0, 1]), shown=st.sampled_from([True, True, True, False]))
    def somebody_mends_the_round(self, data: st.DataObject, back: int, shown: bool) -> None:
        """Tables of which somebody said something, and all others that were not asked for, are as before; tables are
        each other's, and whoever was in the round is, except for who left it."""
        state = self.event.state
        number = (state.rounds[-1].number if state.rounds else 1) - back
        two = st.tuples(WHO, WHO)
        command = data.draw(
            st.one_of(
                two.map(lambda who: c.SwapSeats(number, who, "x")),
                st.builds(lambda match, table: c.MoveToTable(number, match, table, "x"), MATCH, st.integers(1, 6)),
                two.map(lambda who: c.PairWaiting(number, who, "x", busy_tables=frozenset({2}))),
                WHO.map(lambda who: c.GiveBye(number, who, "x")),
                st.just(c.PairAgain(number)),
                st.just(c.PairAgain(number)),
                st.booleans().map(lambda gone: c.UnpublishRound(number, "x", gone)),
            )
        )
        try:
            plan = plan_mend(state, command)
        except Problem:
            plan = None
        if shown and plan is not None:
            command = replace(command, plan=plan.mark)
        self.ask(command)
        if self.event.state is state or plan is None or plan.what in ("unpublish", "withdraw"):
            return
        before, after = state.rounds[-1], self.event.state.rounds[-1]
        named = {change.id for change in plan.changes} | set(plan.gone)
        now = {m.id: m for m in after.matches}
        for match in before.matches:
            if match.id not in named:
                assert now[match.id] is match
            elif match.match.b and not isinstance(command, c.PairWaiting | c.PairAgain):
                assert not match.reports
                assert match.match.result is None
        people = [{who for m in played.matches for who in (m.match.a, m.match.b) if who} for played in (before, after)]
        assert people[0] <= people[1]
        tables = [m.match.table for m in after.matches if m.match.b]
        assert len(tables) == len(set(tables))

    @rule(ms=st.integers(0, 10**7))
    def time_passes(self, ms: int) -> None:
        self.event.now_ms += ms

    @rule(sure=st.integers(0, 9))
    def finishes(self, sure: int) -> None:
        if sure == 0:
            self.ask(c.FinishEvent("the hall closes"))

    @invariant()
    def the_fold_of_the_disk_is_the_live_state(self) -> None:
        for entry in self.event.entries[self.seen :]:
            self.folded = apply(self.folded, from_disk(entry))
        self.seen = len(self.event.entries)
        assert self.folded == self.event.state
        assert self.folded.diverged == ()

    @invariant()
    def somebody_sits_once_in_a_round(self) -> None:
        for played in self.event.state.rounds:
            seated = [who for m in played.matches for who in (m.match.a, m.match.b) if who]
            assert len(seated) == len(set(seated))
            assert len({m.id for m in played.matches}) == len(played.matches)

    @invariant()
    def one_round_is_open_at_the_most(self) -> None:
        rounds = self.event.state.rounds
        assert [r.number for r in rounds] == list(range(1, len(rounds) + 1))
        assert all(r.status == "closed" for r in rounds[:-1])
        assert all(m.done for r in rounds if r.status == "closed" for m in r.matches)
        if self.event.state.clock.total_ms is not None:
            assert rounds[-1].status == PUBLISHED

    @invariant()
    def a_result_that_stands_is_only_replaced_by_an_official(self) -> None:
        for played in self.event.state.rounds:
            for m in played.matches:
                result = m.match.result
                if m.id in self.stood and self.stood[m.id][0] == m.revision:
                    assert result == self.stood[m.id][1]
                    assert m.done == (
                        m.decided or m.match.bye is not None or {r.result for r in m.reports.values()} <= {result}
                    )
                if result is not None:
                    self.stood[m.id] = (m.revision, result)

    def teardown(self) -> None:
        if hasattr(self, "event"):
            head = GENESIS
            for number, entry in enumerate(self.event.entries, start=1):
                assert entry.number == number
                assert verify_entry(from_disk(entry), head)
                head = entry.hash
            assert self.event.state.head == head
            self.the_file_holds_it(self.event.state)
            raw = encode_state(self.event.state)
            assert raw == encode_state(self.folded)
            assert decode_state(raw) == self.folded

    @staticmethod
    def the_file_holds_it(state: EventState) -> None:
        tournament = whole_tournament(state, {})
        assert tournament_from_json(tournament_to_json(tournament)) == tournament
        played = tournament.seated() or {who.id for who in tournament.competitors if who.active}
        assert {row.competitor for row in standings(tournament)} == played


AnEvening.TestCase.settings = settings(
    stateful_step_count=40,
    suppress_health_check=[HealthCheck.too_slow],
)
TestAnEvening = AnEvening.TestCase


def test_a_tampered_entry_does_not_hold() -> None:
    event = Event().play()
    *_, last = event.entries
    prev = event.entries[-2].hash
    assert verify_entry(last, prev)
    forged = from_disk(last)
    for change in ({**forged.data, "number": 2},):
        tampered = Entry(
            forged.stream,
            forged.number,
            forged.kind,
            forged.version,
            forged.at,
            forged.actor,
            change,
            forged.prev,
            forged.hash,
        )
        assert not verify_entry(tampered, prev)
    assert not verify_entry(last, GENESIS)


@pytest.mark.parametrize("levels", [98, 99])
def test_what_is_sealed_can_be_checked_however_deep_it_is(levels: int) -> None:
    """Canonical JSON has at most 100 levels (wire.py): the entry and its data are the first two."""
    data: dict[str, Any] = {}
    for _ in range(levels - 1):
        data = {"inner": data}
    if levels == 99:
        with pytest.raises(ValueError, match="100 levels"):
            chain_entry(NewEntry("report-refused", {"result": data}), "e1", 1, GENESIS, Timestamp("boot", 0), "unit")
    else:
        entry = chain_entry(
            NewEntry("report-refused", {"result": data}), "e1", 1, GENESIS, Timestamp("boot", 0), "unit"
        )
        assert verify_entry(entry, GENESIS)
