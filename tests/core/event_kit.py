"""One event for tests: tell it commands, read its state; every entry is sealed as a hub would."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from roundtap_core.errors import Problem
from roundtap_core.event.commands import (
    Command,
    CreateEvent,
    DrawRound,
    EnterCompetitor,
    EnterResult,
    PublishRound,
    RecordReport,
    SetOfficials,
    apply,
    decide,
)
from roundtap_core.event.entries import Entry, Timestamp, chain_entry
from roundtap_core.event.states import Entrant, EventState, MatchState, Official, ReportFate
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_core.rulebooks.own_rules import Rules, rules_id
from roundtap_core.wire import digest

MINUTE = 60_000


def fold_entries(event_id: str, entries: Iterable[Entry]) -> EventState:
    """The state that these entries, in order, amount to."""
    state = EventState(event_id)
    for entry in entries:
        state = apply(state, entry)
    return state


def score(a: int, b: int, **more: Any) -> Result:
    return Result(score=SidePair(a, b), **more)


def refused(key: str) -> pytest.RaisesExc[Problem]:
    """`with refused("clock_runs"):` wants the Problem with that key."""
    return pytest.raises(Problem, check=lambda problem: problem.key == key)


class Event:
    """`tell` a command and the state moves on; a Problem goes through to the caller and changes nothing."""

    def __init__(
        self,
        players: int = 4,
        options: dict[str, Any] | None = None,
        created: bool = True,
        rulebook: str = "xwing-standard",
        level: str | None = "relaxed",
        rules: Rules | None = None,
    ) -> None:
        self.state = EventState("e1")
        self.entries: list[Entry] = []
        self.now_ms = 1000
        self._reports = 0
        if created:
            if rules is not None:
                rulebook, level = rules_id(rules), None
            self.tell(CreateEvent("Winter Open", rulebook, level, options or {}, "#0072B2", 7, rules=rules))
            if self.state.rulebook.judge_required:
                self.tell(SetOfficials((Official("o0", "organizer"),)))
        for number in range(1, players + 1):
            self.enter(f"p{number}")

    @property
    def now(self) -> Timestamp:
        return Timestamp("boot-1", self.now_ms)

    def tell(self, command: Command) -> list[Entry]:
        made = []
        state = self.state
        for new in decide(state, command, self.now.instant):
            entry = chain_entry(new, "e1", state.number + 1, state.head, self.now, "somebody")
            state = apply(state, entry)
            made.append(entry)
        self.state = state
        self.entries += made
        return made

    def kinds(self, command: Command) -> list[str]:
        return [entry.kind for entry in self.tell(command)]

    def enter(self, competitor: str, **more: Any) -> list[Entry]:
        return self.tell(EnterCompetitor(Entrant(competitor, digest(competitor), **more)))

    def play(self) -> Event:
        """Draw and publish the next round."""
        self.tell(DrawRound(self.state.number))
        draft = self.state.draft
        self.tell(PublishRound(draft.number, draft.draw.attempt, noted="a test"))
        return self

    def settle(self) -> Event:
        """Officials enter 100:24 wherever the round in play lacks a result (100: what the game is played for)."""
        top = self.state.options.get("squad_points", 100)
        for match in self.state.live.open_matches:
            self.tell(EnterResult(match.id, match.revision, score(top, 24)))
        return self

    def report(
        self,
        side: str,
        result: Result | dict[str, Any],
        match: str = "1.1",
        revision: int | None = None,
        report_id: str | None = None,
    ) -> ReportFate:
        """One side's report, with the revision it would see; its fate."""
        self._reports += 1
        report_id = report_id or f"r{self._reports}"
        plain = result_to_json(result) if isinstance(result, Result) else result
        found = self.state.find_match(match)
        seen = revision if revision is not None else found[1].revision if found else 0
        self.tell(RecordReport(report_id, match, side, seen, plain, digest([match, side, plain])))  # type: ignore[arg-type]
        return self.state.fates[report_id]

    def agree(self, result: Result, match: str = "1.1") -> Event:
        self.report("a", result, match)
        self.report("b", result, match)
        return self

    def match(self, match: str = "1.1") -> MatchState:
        found = self.state.find_match(match)
        return found[1]

    def byes(self, number: int) -> dict[str, str]:
        """Who stands in a round alone, and why."""
        return {m.match.a: str(m.match.bye) for m in self.state.rounds[number - 1].matches if m.match.bye}
