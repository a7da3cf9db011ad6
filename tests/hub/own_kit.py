"""An evening of a store's own game in a hub: its players, rounds with results of every kind, and all pages of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from pages_kit import Browser, House, text_of

from own_games.own_evenings import any_result
from roundtap_core.errors import Problem
from roundtap_core.event.commands import (
    Command,
    CreateEvent,
    DrawRound,
    EnterCompetitor,
    EnterResult,
    FinishEvent,
    MakeCut,
    PublishRound,
    RecordReport,
    SetClock,
)
from roundtap_core.event.entries import Person
from roundtap_core.event.event_flow import situation_of
from roundtap_core.event.states import Entrant, EventState, MatchState, tournament_of
from roundtap_core.records import Result, result_to_json
from roundtap_core.rulebooks.own_rules import Rules, rules_id
from roundtap_hub.access.slip_codes import slip_codes, slip_token
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step

PLAYERS = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich", "Lola Gil", "Mia Roth")


@dataclass
class OwnEvening:
    """One event "e1" of a game; what is said of it by chance, the same for the same seed."""

    house: House
    rules: Rules
    players: int = 7
    options: dict[str, object] = field(default_factory=lambda: {"structure": "own", "swiss_rounds": 3})
    seed: int = 7

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        create = CreateEvent("Friday", rules_id(self.rules), None, self.options, "#0072B2", 7, rules=self.rules)
        people = [
            PersonRecord("e1", f"p{number}", "salt", Person(name))
            for number, name in enumerate(PLAYERS[: self.players], start=1)
        ]
        entered = [EnterCompetitor(Entrant(each.competitor, each.person.digest(each.salt))) for each in people]
        self.house.service.execute([Step("e1", command) for command in (create, *entered)], "test", people)

    @property
    def event(self) -> EventState:
        return self.house.event

    def tell(self, *commands: Command) -> None:
        for command in commands:
            self.house.service.execute_one("e1", command, "test")

    def draw(self) -> None:
        self.tell(DrawRound(self.event.number))

    def publish(self) -> None:
        self.draw()
        self.publish_draft()

    def publish_draft(self) -> None:
        """The clock runs, where the round has one."""
        draft = self.event.draft
        assert draft is not None
        assert draft.draw is not None
        self.tell(PublishRound(draft.number, draft.draw.attempt, noted="a test"))
        if self.event.clock.total_ms is not None:
            self.tell(SetClock("start"))

    def open_matches(self) -> list[MatchState]:
        live = self.event.live
        return [each for each in live.matches if each.match.b and not each.done] if live is not None else []

    def result(self, match: MatchState) -> Result:
        """Some result that this game lets stand."""
        situation = situation_of(self.event, self.event.live, match)
        return any_result(tournament_of(self.event), situation.stage, self.chance)

    def enter(self, match: MatchState, result: Result | None = None) -> None:
        self.tell(EnterResult(match.id, match.revision, result or self.result(match), reason="a test"))

    def report(self, match: MatchState, side: str, result: Result) -> None:
        """As a player's phone tells it; the time is up."""
        said = result_to_json(result)
        self.tell(RecordReport(f"{match.id}{side}", match.id, side, match.revision, said, "body", time_up=True))  # type: ignore[arg-type]

    def play(self, leave_open: int = 0) -> None:
        matches = self.open_matches()
        for match in matches[: len(matches) - leave_open]:
            self.enter(match)

    def stages(self) -> Iterator[str]:
        """The evening, step by step: at each of them all pages can be looked at."""
        yield "before"
        self.draw()
        yield "drawn"
        self.publish_draft()
        self.play(leave_open=2)
        one, two = self.open_matches()
        self.report(one, "a", self.result(one))
        self.report(two, "a", self.result(two))
        self.report(two, "b", self.result(two))
        yield "reported"
        self.play()
        for _ in range(2):
            self.publish()
            self.play()
        yield "played"
        if self.event.cut_size:
            self.tell(MakeCut())
            self.publish()
            yield "cut"
            self.play()
            while True:
                try:
                    self.publish()
                except Problem:
                    break
                self.play()
        self.tell(FinishEvent("a test"))
        yield "finished"

    def addresses(self) -> Iterator[str]:
        """Every page of the event that somebody may open."""
        state, links, newest = self.event, self.house.hub.access.links, [*self.event.rounds][-1:]
        yield from ("/", "/console", "/console/judge", "/console/hall", "/wall?show=standings", "/me")
        for place in ("", "/pairings", "/standings", "/bracket"):
            yield f"/e/e1{place}"
        for picture in ("", "?show=standings", "?show=pairings", "?show=clock", "?part=1/2", "?theme=dark"):
            yield f"/wall/e1{picture}"
        for kind in ("pairings-table", "pairings-name", "standings", "bracket"):
            yield f"/print/e1/{kind}"
        for place in (
            *("", "/players", "/standings", "/event", "/officials", "/units", "/judge", "/paper", "/prizes", "/slip"),
            *("/entry", "/mend", "/pair", "/check-in", "/absent", "/sign-up", "/find", "/import"),
            *("/print/slips", "/print/players", "/print/emergency", "/competitor/p1/list", "/person/p1"),
        ):
            yield f"/console/e1{place}"
        for who in ("p1", "p2"):
            yield f"/e/e1/p/{who}"
            for place in ("", "/report", "/leave", "/list"):
                yield links.path("e1", who) + place
        for played in newest:
            for match in played.matches[:3]:
                at = f"/console/e1/match/{match.id}"
                yield from (at, f"{at}/walk")
                if match.match.b:
                    yield f"/s/{slip_token(self.house.hub.access.secret, state, played, match)}"
                    yield f"/console/e1/slip?code={slip_codes(state, played)[match.id]}"
                    situation = situation_of(state, played, match)
                    for way in state.rulebook.form(state.options, situation).ways:
                        yield from (f"{at}/walk?way={way.id}", f"{at}/walk?way={way.id}&opener=a")
                        yield f"/console/e1/entry?table={match.match.table}&text=a"


BARE = re.compile(
    r"\bNone\b|\bown-[0-9a-f]{12}\b|\b[a-z]+(?:_[a-z0-9]+)+\b|\b(?:column|tiebreaker|form|step|ended)\.\w+"
)
"""What nobody should read: a value that is missing, the id of a rulebook, a key."""


def look(evening: OwnEvening, browser: Browser, addresses: Iterator[str]) -> list[str]:
    """What is wrong with these pages."""
    faults = []
    for address in addresses:
        answer = browser.get(address)
        if answer.status_code >= 500:
            faults.append(f"{address}: {answer.status_code}")
        elif answer.mimetype == "text/html":
            faults += [
                f"{address}: {found[0]} in “{found.string[max(0, found.start() - 60) : found.end() + 40]}”"
                for found in BARE.finditer(text_of(answer))
            ]
    return faults
