"""The fronts through which a result comes in, each driven as its people do: by what it offers, and by hand beyond that.

Every front answers a case with a `Verdict`: what it would put on record, or the Problem that it shows.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fronts_cases import Case
from fronts_world import MATCH, World
from msgspec import structs
from pages_kit import Browser, problem_of, text_of
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse
from wire_json import table_json

from press_script import Press, report_presses
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import squads_let_go
from roundtap_core.forms.form import BY_FIGURES, DRAWN, needs_opener
from roundtap_core.forms.questions import WINNER, Choice
from roundtap_core.records import (
    CONCESSION,
    SIDES,
    Result,
    Side,
    SidePair,
    other_side,
    result_from_json,
    result_to_json,
)
from roundtap_core.rulebooks.result_gate import NEEDS_REASON
from roundtap_core.typed import parse_message
from roundtap_core.view_types import TableView
from roundtap_core.wire import canonical_json
from roundtap_devices.input.gestures import HOLD, REPEAT, TAP, Gesture
from roundtap_hub.access.slip_codes import slip_codes
from roundtap_hub.phones.my_page import report_fields
from roundtap_units.table.dialogue.dialogue import Dialogue, SendReport
from roundtap_units.table.dialogue.parallel_entry import ParallelEntry
from roundtap_units.unit_config import unit_words

Fields = list[tuple[str, str]]


@dataclass(frozen=True)
class Verdict:
    """What a front makes of a case. `taken`: it would go on record; `problem`: the sentence it shows, where not.

    `offered`: whether all of it could be pressed or typed there; else it was sent by hand. `pressable`: whether there
    is a button for it.
    """

    taken: bool
    problem: Problem | None = None
    offered: bool = True
    pressable: bool = False

    @property
    def key(self) -> str:
        return self.problem.key if self.problem is not None else ""


# --- pages ---


@dataclass
class Control:
    """What one name of a form can be given: these values, or any number between two."""

    kind: str
    values: list[str] = field(default_factory=list)
    low: str | None = None
    high: str | None = None

    def offers(self, value: str) -> bool:
        if self.kind != "number":
            return value in self.values
        try:
            return (self.low is None or int(self.low) <= int(value)) and (
                self.high is None or int(value) <= int(self.high)
            )
        except ValueError:
            return False


@dataclass
class PageForm:
    method: str
    action: str
    hidden: Fields = field(default_factory=list)
    controls: dict[str, Control] = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[PageForm] = []
        self.at: PageForm | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.at = PageForm(given.get("method", "get"), given.get("action", ""))
            self.found.append(self.at)
        elif self.at is not None and tag in ("input", "button") and given.get("name"):
            self._named(self.at, tag, given)

    def _named(self, form: PageForm, tag: str, given: Mapping[str, str]) -> None:
        name, kind = given["name"], given.get("type", "button" if tag == "button" else "text")
        if kind == "hidden":
            form.hidden.append((name, given.get("value", "")))
            return
        control = form.controls.setdefault(name, Control(kind))
        control.values.append(given.get("value", ""))
        control.low, control.high = given.get("min"), given.get("max")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.at = None


def forms_of(page: TestResponse) -> list[PageForm]:
    reader = _Forms()
    reader.feed(page.text)
    return reader.found


@dataclass
class Page:
    """A page as it came: its forms, and what it was mended with."""

    status: int
    forms: list[PageForm]
    problem: Problem | None
    location: str

    def form(self, method: str, at: str) -> PageForm | None:
        return next((form for form in self.forms if form.method == method and form.action == at), None)


class Walk:
    """The steps of a result, on a player's phone or for an official; `slip`: with the code of a slip."""

    def __init__(self, world: World, browser: Browser, at: str, base: Fields) -> None:
        self.world, self.browser, self.at, self.base = world, browser, at, base
        self.pages: dict[tuple[tuple[str, str], ...], Page] = {}
        """Pages by what was asked for: the state stands still, so that each is drawn once."""
        self.gets = 0
        self.offered: set[str] = set()

    def page(self, fields: Fields) -> Page:
        asked = tuple(fields)
        if asked not in self.pages:
            self.gets += 1
            self.pages[asked] = self._read(
                self.browser.client.get(self.at, query_string=MultiDict(fields), headers=self.browser.headers)
            )
        return self.pages[asked]

    def _read(self, answer: TestResponse) -> Page:
        problem = self.world.problems[-1]
        if problem is not None and answer.status_code != 303:
            # What only wants a reason is no mistake: it stands beside the field.
            said = problem_of(answer) or text_of(answer)
            texts = [" ".join(problem.named(names).say().split()) for names in self.world.names()]
            assert any(text in said for text in texts), (texts, said)
        return Page(answer.status_code, forms_of(answer), problem, answer.headers.get("Location", ""))

    def ways(self) -> set[str]:
        """What the first page offers, and the ruling where it asks for a score."""
        if not self.offered:
            form = self.page(self.base).form("get", self.at)
            self.offered = set(form.controls["way"].values)
            if "ruling" in self.offered:
                asked = MultiDict([*self.base, ("way", "ruling"), ("q.winner", "a")])
                told = self.browser.client.get(self.at, query_string=asked, headers=self.browser.headers).text
                self.offered |= set(re.findall(r'href="[^"]*\?way=(ruling_figures)&amp;', told))
        return self.offered

    def walked(self, case: Case) -> tuple[Page, Verdict]:
        """From the first page on, each question answered where it is asked; what is not offered is sent by hand."""
        offered, page = True, self.page(self.base)
        said = said_of(case)
        while (form := page.form("get", self.at)) is not None and form.controls and "text" not in form.controls:
            fields = list(form.hidden)
            for name, control in form.controls.items():
                values = said.get(name, [])
                offered = offered and self._offers(case, name, control, values)
                fields += [(name, value) for value in values]
            page = self.page(fields)
            if page.problem is not None and page.form("post", self.at) is None:
                return page, Verdict(False, page.problem, offered)
        end = page.form("post", self.at)
        assert end is not None, case.key
        if page.problem is not None and page.problem.key not in NEEDS_REASON:
            return page, Verdict(False, page.problem, offered, pressable=True)
        return page, Verdict(page.problem is None, page.problem, offered, pressable=True)

    def _offers(self, case: Case, name: str, control: Control, values: list[str]) -> bool:
        """Whether all of these can be pressed or typed here; squads are ticked, as many as anybody likes."""
        if name == "way":
            return set(values) <= self.ways()
        if control.kind == "checkbox":
            return len(set(values)) == len(values) and set(values) <= set(control.values)
        return len(values) == 1 and control.offers(values[0])

    def sent(self, said: Mapping[str, list[str]], revision: int) -> Any:
        """All answers at once, without a page; what was asked of the hub, None where nothing was."""
        before = len(self.world.heard)
        fields = [("csrf", self.browser.token), ("revision", str(revision)), *self.base]
        fields += [(name, value) for name, values in said.items() for value in values]
        answer = self.browser.client.post(self.at, data=MultiDict(fields), headers=self.browser.headers)
        assert answer.status_code < 500, answer.status_code
        return next(iter(self.world.heard[before:]), None)

    def refused(self) -> Problem | None:
        """What the last page was mended with."""
        return self.world.problems[-1]

    def typed(self, line: str) -> Page | None:
        """The end of the walk that a line leads to; None where it is not read."""
        page = self.page([*self.base, ("text", line)])
        if page.status != 303:
            return None
        return self.page(parse_qsl(urlsplit(page.location).query, keep_blank_values=True))

    def posted(self, page: Page, **more: str) -> tuple[Page, list[Any]]:
        """The end is said; what was asked of the hub."""
        form = page.form("post", self.at)
        before = len(self.world.heard)
        answer = self.browser.client.post(
            self.at, data=MultiDict([*form.hidden, *more.items()]), headers=self.browser.headers
        )
        return self._read(answer), self.world.heard[before:]


def altered(result: Result) -> Iterator[Result]:
    """The same with something left out, or another winner: as nobody's page sends it."""
    for key in ("winner", "initiative", "first_player", "wounds", "picks", "timeout"):
        if getattr(result, key) is not None:
            yield structs.replace(result, **{key: None})
    for winner in (*SIDES, "draw"):
        if winner != result.winner:
            yield structs.replace(result, winner=winner)
    told = result.timeout or {}
    for key in told:
        yield structs.replace(result, timeout={name: value for name, value in told.items() if name != key})
    yield structs.replace(result, score=SidePair(1, 0))


def reported(world: World, side: Side, result: Result, number: int) -> str | None:
    """A phone's form sent by hand, with this result; why it is not accepted, None where it is."""
    fields = [
        *report_fields(world.played, world.match, side),
        ("result", canonical_json(result_to_json(result)).decode()),
        ("report_id", f"hand-{number}"),
        ("lets_go", squads_let_go(world.state, world.played, world.match.match, result.picks or {})),
    ]
    who = world.match.match.competitor(side)
    assert who is not None
    at, before = f"{world.house.hub.access.links.path('e1', who)}/report", len(world.heard)
    browser = world.house.browser()
    assert browser.client.post(at, data=MultiDict(fields), headers=browser.headers).status_code in (303, 409, 503)
    [said] = world.heard[before:]
    assert said.problem is None
    reason: str | None = said.entries[0].data["reason"]
    return reason


def said_of(case: Case) -> dict[str, list[str]]:
    """What is answered, by the names that pages ask for."""
    said = {"way": [case.way.id], **({"opener": [case.opener]} if needs_opener(case.way) else {})}
    for name, answer in case.answers.items():
        said[f"q.{name}"] = [str(one) for one in answer] if isinstance(answer, list) else [str(answer)]
    return said


def phone(world: World, side: Side) -> Walk:
    who = world.match.match.competitor(side)
    assert who is not None
    browser = world.house.browser()
    return Walk(world, browser, f"{world.house.hub.access.links.path('e1', who)}/report", [])


def desk(world: World, browser: Browser) -> Walk:
    return Walk(world, browser, f"/console/e1/match/{MATCH}/walk", [])


def slip(world: World, browser: Browser) -> Walk:
    code = slip_codes(world.state, world.played)[MATCH]
    return Walk(world, browser, f"/console/e1/match/{MATCH}/walk", [("slip", code)])


# --- the official's short line ---


class Entry:
    """A line on the page for one result after the other, read there and not yet entered."""

    def __init__(self, world: World, browser: Browser, form: PageForm) -> None:
        self.world, self.browser, self.form = world, browser, form

    def entered(self, reason: str) -> Any:
        before = len(self.world.heard)
        fields = MultiDict([*self.form.hidden, *([("reason", reason)] if reason else [])])
        answer = self.browser.client.post(self.form.action, data=fields, headers=self.browser.headers)
        [said] = self.world.heard[before:]
        shown = self.world.problems[-1]
        assert (answer.status_code == 303) == (said.problem is None)
        assert said.problem is None or (shown is not None and shown.key == said.problem.key)
        return said


def typed_at_entry(world: World, browser: Browser, line: str) -> Entry | None:
    """What the page makes of a line; None where it does not read it."""
    answer = browser.client.get(
        "/console/e1/entry", query_string={"table": str(world.match.match.table), "text": line}, headers=browser.headers
    )
    at = f"/console/e1/match/{MATCH}/entry"
    form = next((form for form in forms_of(answer) if form.method == "post" and form.action == at), None)
    return Entry(world, browser, form) if form is not None else None


def line_of(case: Case) -> str | None:
    """The case as an official types it: who won, conceded or had initiative by a letter, then the numbers of both
    sides, squads first. None where a line has no words for it."""
    way, opener = case.way, case.opener
    numbers: list[str] = []
    for picks in way.picks():
        numbers.append("".join(str(one) for one in case.answers[picks.name]) or "0")
    if picks_of := way.picks():
        sides = {question.whose: text for question, text in zip(picks_of, numbers, strict=True)}
        numbers = [sides[WINNER if side == opener else "loser"] for side in SIDES]
    figures = case.way.opened_by(opener).figures()
    for key in dict.fromkeys(figure.key for figure in figures):
        for side in SIDES:
            whose = WINNER if side == opener else "loser"
            figure = next(each for each in figures if each.key == key and each.whose == whose)
            numbers.append(str(case.answers.get(figure.name, figure.default)))
    numbers += [str(case.answers[step.name]) for step in way.steps if isinstance(step, Choice) and step.counts]
    named = case.answers.get("winner")
    initiative = case.answers.get("initiative")
    if any(said not in (None, *SIDES) for said in (named, initiative)):
        return None
    head = {CONCESSION: f"c{other_side(opener)} "}.get(way.ended, "")
    if not head and way.winner == DRAWN:
        head = "= "
    elif not head and (named or way.winner != BY_FIGURES):
        head = f"{named or opener} "
    return f"{head}{f'i{initiative} ' if initiative else ''}{' '.join(numbers)}".strip()


# --- the table's unit ---


@dataclass
class Told:
    """What a table's buttons made of a result: what it sent, or why it did not; neither where these presses say nothing
    there."""

    sent: SendReport | None = None
    impossible: str = ""


class TableUnit:
    """A table's dialogue, shown what the hub sends a table, with a clock that counts as the unit's own does."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.words = unit_words("en")
        self.view = table_json(world.house.service.snapshot, "unit-1", None, world.now)
        clock = self.view["clock"]
        held = clock["remaining_ms"]
        self.clock_ms = clock["deadline_ms"] - world.now.mono_ms if clock["state"] == "running" else held

    @property
    def time_up(self) -> bool:
        return parse_message(TableView, self.view).clock.is_time_up(self.clock_ms)

    def told(self, result: Result, winner: Side) -> Told | None:
        """The presses that say this result; None where no buttons do."""
        view = parse_message(TableView, self.view)
        assert view.form is not None
        try:
            made = report_presses(view.form, result, winner, self.time_up)
        except ValueError:
            return None
        return self.pressed(made)

    def pressed(self, made: list[Press]) -> Told:
        """A table at which both have sat down, and these presses."""
        dialogue, now_ms = Dialogue(self.words, "opposite", chance=lambda: "b"), 0
        dialogue.on_contact(0)
        dialogue.on_clock(self.clock_ms)
        seats = {**self.view, "clock": {**self.view["clock"], "state": "idle"}}
        dialogue.on_view(parse_message(TableView, seats), now_ms)
        for gesture in self._gestures([Press("a"), Press("b")]):
            now_ms += 1000
            dialogue.on_gesture(Gesture(*gesture, now_ms), now_ms)
        now_ms += 1000
        dialogue.on_view(parse_message(TableView, self.view), now_ms)
        for gesture in self._gestures(made):
            now_ms += 1000
            if gesture != (TAP, "up") and _warned(dialogue):
                # What stood there about squads that can never be played any more was read.
                dialogue.on_gesture(Gesture(TAP, "up", now_ms), now_ms)
                now_ms += 1000
            dialogue.on_gesture(Gesture(*gesture, now_ms), now_ms)
            dialogue.on_clock(self.clock_ms)
            dialogue.tick(now_ms)
            for effect in dialogue.take_effects():
                if isinstance(effect, SendReport):
                    return Told(effect)
            scene = dialogue.scene(now_ms, self.clock_ms)
            if scene.kind == "impossible":
                return Told(impossible=scene.all_text())
        return Told()

    def _gestures(self, made: list[Press]) -> Iterator[tuple[str, str]]:
        for press in made:
            if press == Press("down", "hold"):
                yield from ((REPEAT, "down"), (REPEAT, "down"))
            else:
                yield ({"tap": TAP, "hold": HOLD}[press.kind], press.key)


def _warned(dialogue: Dialogue) -> bool:
    entry = dialogue.table.entry
    return isinstance(entry, ParallelEntry) and any(
        sheet.warned and not sheet.fielded for sheet in entry.sheets.values()
    )


# --- who leaves ---


class Leaving:
    """The page that asks what a match still has to say when somebody leaves in the midst of it."""

    def __init__(self, world: World, browser: Browser) -> None:
        self.world, self.browser = world, browser

    def told(self, case: Case) -> Verdict:
        """`case` is a concession: its opener stays, the other leaves."""
        at = f"/console/e1/competitors/{self.world.match.match.competitor(other_side(case.opener))}/drop"
        said, before = said_of(case), len(self.world.heard)
        asked = self._posted(at, [("csrf", self.browser.token)])
        for _ in case.questions:
            form = next(form for form in asked if form.action == at)
            names = [name for name in form.controls if name.startswith("q.")]
            asked = self._posted(
                at, [*form.hidden, ("known", "1"), *((name, value) for name in names for value in said.get(name, []))]
            )
            problem = self.world.problems[-1]
            if heard := self.world.heard[before:]:
                [made] = heard
                assert isinstance(made.command, c.DropCompetitor)
                assert made.command.stood is not None, "nothing was asked"
                return Verdict(made.problem is None, made.problem)
            if problem is not None:
                return Verdict(False, problem)
        raise AssertionError(f"it is asked without end: {case.key}")

    def by_hand(self, case: Case) -> int:
        """All the answers at once, as no page sends them; the status of the page."""
        at = f"/console/e1/competitors/{self.world.match.match.competitor(other_side(case.opener))}/drop"
        fields = [(name, value) for name, values in said_of(case).items() for value in values if name.startswith("q.")]
        return self.browser.client.post(
            at, data=MultiDict([("csrf", self.browser.token), ("known", "1"), *fields]), headers=self.browser.headers
        ).status_code

    def _posted(self, at: str, fields: Fields) -> list[PageForm]:
        answer = self.browser.client.post(at, data=MultiDict(fields), headers=self.browser.headers)
        assert answer.status_code < 500, answer.status_code
        return forms_of(answer)


def stored(result: Result) -> Result:
    """As it is read from the record."""
    return result_from_json(result_to_json(result))
