"""A monkey at the console: it walks a result step by step, with whatever comes to its mind.

It reads the pages as a person does (headings, names beside boxes, words on buttons), and holds every result that the
hub takes against what console_oracle makes of what was shown and answered. Nothing may be recorded that nobody said.
"""

import html
import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import console_oracle
from console_oracle import WINS, Said, Table, Unsaid
from hub_kit import person_of
from pages_kit import Browser, House, open_house, problem_of

from roundtap_core.event import commands as c
from roundtap_core.event.commands import decide
from roundtap_core.event.states import Entrant
from roundtap_core.records import Match, Result
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.store.journal import PersonRecord

MATCH = "/console/e1/match/1.1"
AT = f"{MATCH}/walk"
FOUR = ["Ana Ruiz", "Bruno Maier", "Lena Zak", "Eva Luz"]
MOST_STEPS, HABITS = 60, 4
NUMBERS = ("0", "1", "2", "3", "5", "6", "7", "20", "24", "99", "100", "101", "290", "300")
NONSENSE = ("", "-1", "-3", "x", "1000", "2.5", " 4 ", "٣")
EPIC = ("xwing-epic-duel", "xwing-epic-team")

SIDE = re.compile(r'class="side side-([ab])"')

TABLES = {
    "xwing-standard": [Table("xwing-standard"), Table("xwing-standard", True)],
    **{
        book: [Table(book), Table(book, True), Table(book, False, 1, (290, 300)), Table(book, True, 1, (280, 280))]
        for book in EPIC
    },
    **{
        book: [Table(book), Table(book, False, 3), Table(book, True), Table(book, True, 3)]
        for book in ("keyforge-archon", "keyforge-sealed")
    },
    "warlords-of-terra": [
        Table("warlords-of-terra"),
        Table("warlords-of-terra", True),
        Table("warlords-of-terra", True, 3),
    ],
    "shatterpoint-premier": [Table("shatterpoint-premier"), Table("shatterpoint-premier", True)],
}


@dataclass(frozen=True)
class Ask:
    """One thing to fill in: `side` where it is about somebody, `values` where it is picked from some."""

    name: str
    kind: str
    side: str
    values: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """One page of the walk as it is read. `buttons`: (name, value, side beside it, text); `score`: where the score of a
    ruling is asked, too."""

    heading: str
    asks: tuple[Ask, ...]
    buttons: tuple[tuple[str, str, str, str], ...]
    hidden: tuple[tuple[str, str], ...]
    back: str
    problem: str
    outcome: str
    of_side: str = ""
    lot: bool = False
    score: str = ""

    @property
    def at_end(self) -> bool:
        return bool(self.outcome)


def _side(fragment: str) -> str:
    found = SIDE.search(fragment)
    return found[1] if found else ""


def _plain(fragment: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", fragment)).split())


def read_hidden(form: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, html.unescape(value))
        for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    )


def read_page(text: str, problem: str, at: str = AT) -> Page:
    """`at`: the address of these steps."""
    main = text[text.index('<div class="walk">') :]
    section = main[
        main.index('<section class="card">') : main.index("</section>", main.index('<section class="card">'))
    ]
    form = next(iter(re.findall(r'<form method="get".*?</form>', section, flags=re.S)), "")
    posted = [f for f in re.findall(r'<form method="post".*?</form>', section, flags=re.S) if f'action="{at}"' in f]
    heading = re.search(r"<h2>(.*?)</h2>", section, flags=re.S)
    lot = re.findall(rf'<form method="post" action="{re.escape(at)}/lot">.*?</form>', section, flags=re.S)
    outcome = re.search(r'<p class="large"><b>(.*?)</b>', section, flags=re.S)
    back = re.search(r'<p><a class="button" href="([^"]+)"', main)
    score = re.search(r'<a class="button" href="([^"]+)">Add the score</a>', section)
    return Page(
        _plain(re.sub(r"<small.*?</small>", "", heading[1], flags=re.S)) if heading else "",
        tuple(read_asks(form)),
        tuple(
            (name, value, _side(words), _plain(words))
            for name, value, words in re.findall(
                r'<button[^>]*? name="([^"]+)" value="([^"]*)"[^>]*>(.*?)</button>', form, flags=re.S
            )
        ),
        read_hidden(form or "".join((posted + lot)[:1])),
        html.unescape(back[1]) if back else "",
        problem,
        _plain(outcome[1]) if outcome else "",
        _side(heading[1]) if heading else "",
        bool(lot),
        html.unescape(score[1]) if score else "",
    )


def read_asks(form: str) -> Iterator[Ask]:
    for block in re.findall(r'<fieldset class="few">.*?</fieldset>', form, flags=re.S):
        inputs = re.findall(r'<input type="(radio|checkbox)" name="([^"]+)" value="([^"]+)"([^>]*)>', block)
        values = tuple(value for _, _, value, _ in inputs)
        checked = tuple(value for _, _, value, more in inputs if " checked" in more)
        yield Ask(inputs[0][1], inputs[0][0], _side(block), values, checked)
    for block in re.findall(r'<label class="figure-line">.*?</label>', form, flags=re.S):
        found = re.search(r'<input name="([^"]+)"[^>]*? value="([^"]*)"', block)
        assert found
        yield Ask(found[1], "number", _side(block), (), (found[2],) if found[2] else ())


@dataclass
class Hall:
    """One match on the table, and a hub that decides on what it is told, and records nothing."""

    table: Table
    house: House
    browser: Browser
    pages: dict[str, Page] = field(default_factory=dict)
    told: dict[str, tuple[Result | None, str]] = field(default_factory=dict)
    heard: list[c.EnterResult] = field(default_factory=list)

    def page(self, address: str) -> Page:
        found = self.pages.get(address)
        if found is None:
            answer = self.browser.client.get(address, headers=self.browser.headers)
            assert answer.status_code in (200, 400), (address, answer.status_code)
            found = self.pages[address] = read_page(answer.text, problem_of(answer))
        return found

    def enter(self, fields: list[tuple[str, str]]) -> tuple[Result | None, str]:
        """What pressing the last button does: the result that is recorded, or the words it is refused with."""
        key = repr(fields)
        if key not in self.told:
            self.heard.clear()
            answer = self.browser.client.post(
                AT, data=_grouped([*fields, ("csrf", self.browser.token)]), headers=self.browser.headers
            )
            assert answer.status_code in (303, 400, 409), answer.status_code
            self.told[key] = (self.heard[0].result if self.heard else None, problem_of(answer))
        return self.told[key]

    def draw_lot(self, page: Page) -> Page:
        """Presses the lot's one button. What is drawn stays drawn: pages from before may say otherwise now."""
        answer = self.browser.client.post(
            f"{AT}/lot", data=_grouped([*page.hidden, ("csrf", self.browser.token)]), headers=self.browser.headers
        )
        assert answer.status_code == 303, answer.status_code
        self.pages.clear()
        self.told.clear()
        return self.page(_address(page, []))

    def winner(self, result: Result) -> str:
        """Who wins by the kit's own reading: as standings and bracket will have it."""
        book, state = RULEBOOKS[self.table.rulebook], self.house.event
        if self.table.knockout and self.table.rulebook in EPIC:
            return book.elimination_winner(result, state.options, "a")
        if self.table.totals:
            match = state.find_match("1.1")[1].match
            totals = {match.a: self.table.totals[0], match.b: self.table.totals[1]}
            outcome = book.tally(Match(match.a, match.b, result=result), "a", state.options, totals).outcome
            return {"win": "a", "loss": "b"}.get(outcome, outcome)
        return book.winner(result, state.options)


def _grouped(fields: list[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in fields:
        grouped.setdefault(name, []).append(value)
    return grouped


@contextmanager
def hall_of(folder: Path, table: Table, at_time: bool) -> Iterator[Hall]:
    with open_house(folder) as house:
        browser = house.organizer()
        # Two players meet in the final, the only place where every rulebook plays three games.
        stage, people = ("final", FOUR[:2]) if table.knockout else ("swiss", FOUR)
        more = {f"best_of.{stage}": 3} if table.games > 1 else {}
        more |= {"prize_places": 1} if table.rulebook == "warlords-of-terra" else {}
        browser.post(
            "/console",
            name="Winter Open",
            rulebook=table.rulebook,
            color="#00785A",
            structure="own",
            swiss_rounds=0 if table.knockout else 2,
            **more,
        )
        for name in people if table.games > 1 else FOUR:
            who, person = f"p{len(house.event.entrants) + 1}", person_of(name, table.rulebook)
            house.service.execute_one(
                "e1",
                c.EnterCompetitor(Entrant(who, person.digest("salt"))),
                "test",
                [PersonRecord("e1", who, "salt", person)],
            )
        house.service.execute_one("e1", c.DrawRound(11), "test")
        match = house.event.draft.matches[0].match
        # Whoever sits at a has the first list, whoever sits at b the second.
        for who, total in zip((match.a, match.b), table.totals or (), strict=bool(table.totals)):
            house.service.execute_one("e1", c.SubmitList(who, "digest", total), "test")
        house.service.execute_one("e1", c.PublishRound(1, 1, noted="a monkey"), "test")
        timed = house.event.clock.total_ms is not None
        if timed:
            house.service.execute_one("e1", c.SetClock("start"), "test")
        if timed and at_time:
            house.service.execute_one("e1", c.SetClock("set", 0), "test")
        hall = Hall(table, house, browser)
        real = house.service.execute

        def hear(steps: Any, *more: Any) -> Any:
            command = steps[0].command
            if not isinstance(command, c.EnterResult):
                return real(steps, *more)
            decide(house.event, command, house.hub.clocks.now())
            hall.heard.append(command)
            return []

        house.service.execute = hear  # type: ignore[method-assign]
        browser.console()
        try:
            yield hall
        finally:
            house.service.execute = real  # type: ignore[method-assign]


class Violation(AssertionError):
    """Something is on record that nobody said, or is not what was said."""


class Monkey:
    """Walks and forms at one table."""

    def __init__(self, hall: Hall, chance: random.Random) -> None:
        self.hall, self.chance = hall, chance
        self.count: Counter[str] = Counter()
        self.habits: dict[Page, list[list[tuple[str, str]]]] = {}

    def walk(self) -> None:
        """From the first page until something is recorded, or the fingers are tired."""
        hall, chance = self.hall, self.chance
        page, path = hall.page(AT), []
        for _ in range(MOST_STEPS):
            if page.at_end:
                if page.back and chance.random() < 0.2:
                    page = self._back(page, path)
                    continue
                if page.score and chance.random() < 0.5:
                    page = hall.page(page.score)
                    continue
                self._enter(page, path)
                return
            if page.back and path and chance.random() < 0.08:
                page = self._back(page, path)
                continue
            if page.lot:
                page = hall.draw_lot(page)
                self.habits.clear()
                if page.lot:
                    raise Violation(f"a lot that was drawn is asked again: {page.heading}")
                continue
            if chance.random() < 0.02:
                # The button of a page that is not the last one, as an old tab may have it.
                result, _ = hall.enter(list(page.hidden))
                if result is not None:
                    raise Violation(f"recorded from the middle of the walk: {page.heading}: {result}")
            pressed = self._press(page)
            following = hall.page(_address(page, pressed))
            if not following.problem and any(ask.checked for ask in following.asks):
                raise Violation(f"{following.heading!r} is answered before anybody said anything: {following.asks}")
            if not following.problem:
                path.append((page, pressed))
            elif following.heading != page.heading and not following.at_end:
                raise Violation(
                    f"{pressed} at {page.heading!r} is refused ({following.problem}), "
                    f"but {following.heading!r} is asked"
                )
            elif following.at_end:
                self.count["refused at the end"] += 1
                path.append((page, pressed))
            page = following
        self.count["gave up"] += 1

    def _back(self, page: Page, path: list[tuple[Page, list[tuple[str, str]]]]) -> Page:
        before = self.hall.page(page.back)
        if not path:
            raise Violation(f"a way back from the beginning: {page.heading}")
        was, _ = path.pop()
        if (before.heading, before.of_side) != (was.heading, was.of_side):
            raise Violation(f"back from {page.heading!r} leads to {before.heading!r}, not to {was.heading!r}")
        return before

    def _press(self, page: Page) -> list[tuple[str, str]]:
        """Mostly what was pressed here before: rendering is what a walk costs, and a page is rendered once."""
        known = self.habits.setdefault(page, [])
        if known and self.chance.random() > (0.4 if len(known) < HABITS else 0.01):
            return self.chance.choice(known)
        pressed = self._new_press(page)
        if pressed not in known:
            known.append(pressed)
        return pressed

    def _new_press(self, page: Page) -> list[tuple[str, str]]:
        chance = self.chance
        if page.buttons:
            name, value, _, _ = chance.choice(page.buttons)
            return [(name, value)]
        pressed = []
        for ask in page.asks:
            if ask.kind == "checkbox":
                wanted = 2 if chance.random() < 0.8 else chance.randrange(len(ask.values) + 1)
                pressed += [(ask.name, value) for value in sorted(chance.sample(ask.values, wanted))]
            elif ask.kind == "radio":
                if chance.random() < 0.9:
                    pressed.append((ask.name, chance.choice(ask.values)))
                elif ask.checked:
                    pressed.append((ask.name, ask.checked[0]))
            else:
                pool = NONSENSE if chance.random() < 0.1 else NUMBERS
                pressed.append((ask.name, chance.choice(pool)))
        return pressed

    def _enter(self, page: Page, path: list[tuple[Page, list[tuple[str, str]]]]) -> None:
        if not page.hidden:
            # There is no button for what cannot stand; the page says why.
            if not page.problem:
                raise Violation(f"no button, and no reason: {path}")
            self.count["refused"] += 1
            return
        result, refused = self.hall.enter(list(page.hidden))
        said = said_on(path)
        if result is None:
            if not refused:
                raise Violation(f"neither recorded nor refused: {path}")
            self.count["refused"] += 1
            return
        self.count["recorded"] += 1
        self._hold(said, result, page)

    def _hold(self, said: Said, result: Result, page: Page) -> None:
        if result.ended == "ruling":
            self._hold_ruling(said, result)
            return
        said.lots = dict(self.hall.house.event.find_match("1.1")[1].lots)
        try:
            wanted = console_oracle.expected(self.hall.table, said)
        except Unsaid as unsaid:
            raise Violation(f"recorded though nobody said: {unsaid}; {said}; {result}") from None
        recorded = {
            "ended": result.ended,
            "score": (result.score.a, result.score.b),
            "wounds": (result.wounds.a, result.wounds.b) if result.wounds else None,
            "conceded_by": result.conceded_by,
            "winner": self.hall.winner(result),
            "squads": {side: tuple(squads) for side, squads in result.picks.items()} if result.picks else None,
            "decided_by": (result.timeout or {}).get("decided_by") if wanted.decided_by else None,
        }
        right = {key: getattr(wanted, key) for key in recorded}
        if recorded != right:
            raise Violation(f"{said} makes {right}, recorded is {recorded}")
        if wanted.winner in WINS:
            name = self.hall_names()[wanted.winner]
            if name not in page.outcome:
                raise Violation(f"{name} wins, the page says {page.outcome!r}")

    def _hold_ruling(self, said: Said, result: Result) -> None:
        """A judge's word: the winner who was named, and the figures that were typed, or none."""
        named = said.choices["Who wins by ruling?"]
        if result.winner != named:
            raise Violation(f"ruled for {named!r}, recorded for {result.winner!r}")
        for heading, pair in zip(headings(self.hall.table), (result.score, result.wounds), strict=False):
            typed = [said.figures.get((heading, side), 0) for side in WINS]
            if (pair.a, pair.b) != tuple(typed) if pair is not None else any(typed):
                raise Violation(f"ruled {heading} {typed}, recorded {pair}")

    def hall_names(self) -> dict[str, str]:
        match = self.hall.house.event.find_match("1.1")[1].match
        people = self.hall.house.service.snapshot.people["e1"]
        return {"a": people[match.a].name, "b": people[match.b].name}


def headings(table: Table) -> tuple[str, ...]:
    """What the first figure, and the second where there is one, is called."""
    return {
        "xwing-standard": ("Victory points",),
        "warlords-of-terra": ("Life",),
        "shatterpoint-premier": ("Struggles won", "Wounds inflicted"),
        "keyforge-archon": ("Games won",),
        "keyforge-sealed": ("Games won",),
    }.get(table.rulebook, ("Points destroyed",))


def _address(page: Page, pressed: list[tuple[str, str]]) -> str:
    return f"{AT}?{urlencode([*page.hidden, *pressed])}"


def said_on(path: list[tuple[Page, list[tuple[str, str]]]]) -> Said:
    """What a person has said on these pages, in the pages' own words."""
    said = Said()
    for page, pressed in path:
        if page.heading == "How did it end?":
            said.way = next(text for name, value, _, text in page.buttons if (name, value) == pressed[0])
        elif page.heading == "Who won?":
            said.named = _button(page, pressed)[2]
        elif page.heading == "Who conceded?":
            said.conceded = _button(page, pressed)[2]
        elif page.buttons:
            _, value, side, _ = _button(page, pressed)
            said.choices[(page.heading, page.of_side) if page.of_side else page.heading] = side or value
        else:
            for ask in page.asks:
                values = [value for name, value in pressed if name == ask.name]
                if ask.kind == "checkbox":
                    said.squads[ask.side] = tuple(map(int, values))
                elif values:
                    said.figures[page.heading, ask.side] = int(values[0])
    return said


def _button(page: Page, pressed: list[tuple[str, str]]) -> tuple[str, str, str, str]:
    return next(button for button in page.buttons if button[:2] == pressed[0])


def run(folder: Path, rulebook: str, walks: int, chance: random.Random, places: int = 0) -> Counter[str]:
    """So many walks at the tables of a rulebook, before time and at time; what came of them.

    `places`: at so many of them only, by lot.
    """
    count = Counter[str]()
    where = [(table, at_time) for table in TABLES[rulebook] for at_time in (False, True)]
    if places:
        where = chance.sample(where, places)
    for number, (table, at_time) in enumerate(where):
        at = folder / str(number)
        at.mkdir(parents=True)
        with hall_of(at, table, at_time) as hall:
            monkey = Monkey(hall, chance)
            for turn in range(walks // len(where) + 1):
                try:
                    monkey.walk()
                except Violation as found:
                    raise Violation(f"{table} at_time={at_time} turn={turn}: {found}") from None
            count += monkey.count
            count["pages"] += len(hall.pages)
    return count
