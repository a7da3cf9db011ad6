"""One match before every front at once: a hub whose state stands still, with a clock moved by hand; what `decide` says.

A hub in `stands` decides what is asked of it as ever, by the real `decide` on the real state, and keeps nothing: so
thousands of results are tried at the same match, and none of them changes what the next one meets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from flask import g
from pages_kit import Browser, House, open_house

from own_games.shelf import book_behind, rules_behind
from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.commands import decide
from roundtap_core.event.entries import Entry, NewEntry, Person
from roundtap_core.event.event_flow import situation_of, squads_let_go, time_is_up
from roundtap_core.event.states import Entrant, EventState, MatchState, Official, RoundState
from roundtap_core.forms.form import Form
from roundtap_core.records import Result, Side, result_from_json, result_to_json
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.rulebooks.result_gate import PLAYER, ResultSource, result_problems
from roundtap_core.wire import digest
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_hub.views.saved_event import full_names, saved_event, shown_names
from roundtap_hub.views.tables import side_names

MINUTE_MS = 60_000
MATCH = "1.1"
NAMES = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz")
REASON = "both want it so"
EXTENSION = 8
NOT_STARTED, RUNNING, EXTENDED, UP, PAUSED, COUNTING, COUNTED = (
    "not started",
    "running",
    "time up but not its extension",
    "time up with its extension",
    "paused",
    "counting after a restart",
    "counted to its end after a restart",
)
CLOCKS = (NOT_STARTED, RUNNING, PAUSED, COUNTING, EXTENDED, UP, COUNTED)


@dataclass(frozen=True)
class Place:
    """Which match: the rulebook, its stage, how many games, what both lists cost, and options besides."""

    book: str
    stage: str = "swiss"
    games: int = 1
    totals: tuple[int | None, int | None] = (None, None)
    squad_points: int | None = None

    def __str__(self) -> str:
        return "-".join(
            [
                self.book if self.book in RULEBOOKS else book_behind(self.book).title,
                self.stage,
                *([f"best-of-{self.games}"] if self.games > 1 else []),
                *[str(total) for total in self.totals if total],
                *([f"of-{self.squad_points}"] if self.squad_points else []),
            ]
        )

    @property
    def options(self) -> dict[str, Any]:
        return {
            "structure": "own",
            "swiss_rounds": 2 if self.stage == "swiss" else 0,
            "cut": 0,
            **(
                {"stages": {self.stage: {"best_of": self.games}}}
                if self.games != book_behind(self.book).best_of[0]
                else {}
            ),
            **({"squad_points": self.squad_points} if self.squad_points else {}),
        }

    @property
    def clocks(self) -> tuple[str, ...]:
        """Those that the hall can show; an untimed round has none."""
        book = book_behind(self.book)
        return CLOCKS if book.minutes(self.stage, book.options(self.options)) is not None else (NOT_STARTED,)

    @property
    def players(self) -> int:
        return 2 if self.stage == "final" else 4


def places(books: Mapping[str, Rulebook] = RULEBOOKS) -> Iterator[Place]:
    """Every one of these rulebooks, in a Swiss round and in elimination, with every number of games; where lists count,
    also with one or both totals known; where the squad points are an option, also with other ones."""
    for book_id, book in books.items():
        for stage in ("swiss", "elimination", "final"):
            for games in book.best_of:
                place = Place(book_id, stage, games)
                # A final asks as elimination does, but where only it has several games.
                if not _possible(place) or (
                    stage == "final" and (games == 1 or _possible(Place(book_id, "elimination", games)))
                ):
                    continue
                yield place
                if book.tally_counts_lists:
                    points = book.option_defaults["squad_points"]
                    yield Place(book_id, stage, games, (points - 10, points))
                    yield Place(book_id, stage, games, (points - 10, None))
        if "squad_points" in book.option_defaults:
            yield Place(book_id, squad_points=book.option_defaults["squad_points"] + 50)


def _possible(place: Place) -> bool:
    try:
        book_behind(place.book).check_options(place.options)
    except Problem:
        return False
    return True


@dataclass(frozen=True)
class Decided:
    """What `decide` makes of a command: its entries, or the Problem."""

    command: Any
    problem: Problem | None
    entries: tuple[NewEntry, ...] = ()


@dataclass
class World:
    """One hub with one event, whose match 1.1 at table 1 is asked about."""

    house: House
    place: Place

    def __post_init__(self) -> None:
        self.problems: list[Problem | None] = []
        """What each page was mended with, in turn."""
        self.house.app.after_request(self._note)
        self.heard: list[Decided] = []
        """What was asked of the hub while it stands."""
        book, rules = book_behind(self.place.book), rules_behind(self.place.book)
        create = c.CreateEvent("Winter Open", book.id, None, self.place.options, "#0072B2", 7, rules=rules)
        steps = [Step("e1", create)]
        people = []
        for number, name in enumerate(NAMES[: self.place.players], start=1):
            members = (f"{name} I", f"{name} II") if book.team_size > 1 else ()
            person = Person(name, members=members, captain=members[0] if members else None)
            people.append(PersonRecord("e1", f"p{number}", "salt", person))
            steps.append(Step("e1", c.EnterCompetitor(Entrant(f"p{number}", person.digest("salt")))))
        if book.judge_required:
            steps.append(Step("e1", c.SetOfficials((Official("o0", "organizer"),))))
        self.house.service.execute(steps, "test", people)
        self.house.service.execute_one("e1", c.DrawRound(11), "test")
        draft = self.state.draft
        self.house.service.execute_one("e1", c.PublishRound(draft.number, draft.draw.attempt, noted="a test"), "test")
        self._lists_cost(people)
        for lot in sorted(self.form.lots):
            self.house.service.execute_one("e1", c.NoteLot(MATCH, lot, "b"), "test")
        self.house.place("unit-1", 1)
        # Nobody is at a real table here: far more is said than one phone may.
        self.house.hub.access.links.charge = lambda *_: None  # type: ignore[method-assign]

    def _lists_cost(self, people: Sequence[PersonRecord]) -> None:
        for who, cost in zip((self.match.match.a, self.match.match.b), self.place.totals, strict=True):
            if cost is None:
                continue
            record = next(person for person in people if person.competitor == who)
            change = c.ChangePerson(record.competitor, record.person.digest("salt"), cost)
            self.house.service.execute_one("e1", change, "test", [record])

    def names(self) -> list[dict[str, str]]:
        """The names of both sides, as officials and as players read them."""
        moment = saved_event(self.house.hub.service.snapshot, "e1")
        assert moment is not None
        return [side_names(self.match, read(moment)) for read in (full_names, shown_names)]

    def _note(self, response: Any) -> Any:
        self.problems.append(g.get("problem") or g.get("asks_reason"))
        return response

    @cached_property
    def organizer(self) -> Browser:
        """Who has logged in."""
        return self.house.organizer()

    # --- the clock ---

    def moved_to(self, clock: str) -> World:
        """The clock of the hall as this says, from the one before it in CLOCKS on."""
        tell: Callable[[c.SetClock], Any] = lambda command: self.house.service.execute_one("e1", command, "test")  # noqa: E731
        total_ms = self.state.clock.total_ms
        if clock == NOT_STARTED:
            return self
        assert total_ms is not None
        if self.state.clock.state == "idle":
            tell(c.SetClock("start"))
            self.house.service.execute_one("e1", c.GrantExtension(MATCH, EXTENSION), "test")
        if clock == RUNNING:
            tell(c.SetClock("set", total_ms - MINUTE_MS))
        elif clock == PAUSED:
            tell(c.SetClock("pause"))
        elif clock in (COUNTING, COUNTED):
            tell(c.SetClock("restore", total_ms // 2 if clock == COUNTING else -30 * MINUTE_MS))
        else:
            if self.state.clock.state == "counting":
                tell(c.SetClock("continue", total_ms))
            # Whatever minutes chance has hidden are over, and those of the extension are not.
            left = -(EXTENSION * MINUTE_MS) + 500 if clock == EXTENDED else -30 * MINUTE_MS
            tell(c.SetClock("set", left))
            if self.state.clock.state == "paused":
                tell(c.SetClock("start"))
        expected = {EXTENDED: False, UP: True, COUNTING: None, COUNTED: None}.get(clock, False)
        assert self.time_is_up is expected, (clock, self.time_is_up, self.state.clock)
        return self

    # --- what there is ---

    @property
    def state(self) -> EventState:
        return self.house.event

    @property
    def book(self) -> Rulebook:
        return self.state.rulebook

    @property
    def played(self) -> RoundState:
        return self._found[0]

    @property
    def match(self) -> MatchState:
        return self._found[1]

    @property
    def _found(self) -> tuple[RoundState, MatchState]:
        found = self.state.find_match(MATCH)
        assert found is not None
        return found

    @property
    def situation(self) -> MatchSituation:
        return situation_of(self.state, self.played, self.match)

    @property
    def form(self) -> Form:
        return self.book.form(self.state.options, self.situation)

    @property
    def now(self) -> Instant:
        return self.house.hub.clocks.now()

    @property
    def time_is_up(self) -> bool | None:
        return time_is_up(self.state, self.played, self.match, self.now)

    # --- what decide says ---

    def official(self, result: Result, reason: str = "", confirmed: bool = True) -> Problem | None:
        """Why an official may not enter this now; None where they may. `confirmed`: squads that this would lose are
        let go knowingly, as pages ask for it."""
        match = self.match
        try:
            # A page's answers become a record's own words; what no record can hold, nobody enters.
            result = result_from_json(result_to_json(result))
        except Problem as problem:
            return problem
        lost = squads_let_go(self.state, self.played, match.match, result.picks or {}) if confirmed else ""
        command = c.EnterResult(match.id, match.revision, result, match.number or 0, reason, lets_go=lost)
        return self.decided(command).problem

    def player(self, result: Result, time_up: bool | None = None, side: Side = "a") -> Problem | None:
        """Why a player may not say this now. `decide` keeps the reason in one word, the gate says it in a sentence: it
        is seen here that both say no to the same results."""
        match = self.match
        said = result_to_json(result)
        made = self.decided(
            c.RecordReport(
                "r-oracle",
                match.id,
                side,
                match.revision,
                said,
                digest(said),
                self.played.mark,
                match.heard.get(side, 0) + 1,
                time_up=time_up,
            )
        )
        assert made.problem is None
        reason = made.entries[0].data["reason"]
        problem = self._why(result_to_json(result), time_up, side)
        expected = None if problem is None else "early" if problem.key == "time_not_up" else "impossible"
        assert reason == expected, (reason, problem)
        return problem

    def _why(self, said: Mapping[str, Any], time_up: bool | None, side: Side) -> Problem | None:
        up = self.time_is_up
        try:
            result = result_from_json(said)
        except Problem as problem:
            return problem
        return next(
            result_problems(
                self.book,
                result,
                self.state.options,
                self.situation,
                ResultSource(PLAYER, time_up if up is None else up, side=side),
            ),
            None,
        )

    def decided(self, command: Any) -> Decided:
        try:
            return Decided(command, None, tuple(decide(self.state, command, self.now)))
        except Problem as problem:
            return Decided(command, problem)

    # --- a hub that stands still ---

    @contextmanager
    def stands(self) -> Iterator[World]:
        """Whatever is asked of the hub is decided, and not kept."""
        service = self.house.service

        def submit(steps: Sequence[Step], actor: str, *_: Any) -> Future[list[Entry]]:
            answer: Future[list[Entry]] = Future()
            made = [self.decided(step.command) for step in steps]
            self.heard += made
            problem = next((one.problem for one in made if one.problem is not None), None)
            if problem is not None:
                answer.set_exception(problem)
            else:
                answer.set_result([])
            return answer

        service.submit = submit  # type: ignore[method-assign]
        try:
            yield self
        finally:
            del service.submit  # type: ignore[attr-defined]

    def taken_back(self) -> None:
        """As if nobody had said anything of this match."""
        if self.match.match.result is not None or self.match.reports:
            self.house.service.execute_one("e1", c.EnterResult(MATCH, self.match.revision, None), "test")


@contextmanager
def world(folder: Path, place: Place) -> Iterator[World]:
    with open_house(folder) as house:
        yield World(house, place)
