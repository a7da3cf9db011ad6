"""An event of any rulebook walked through all its stages, and the pages of it as text."""

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

from pages_kit import Browser, House, open_house

from roundtap_core.event.commands import (
    Command,
    CreateEvent,
    DrawRound,
    EnterCompetitor,
    EnterResult,
    MakeCut,
    PublishRound,
    SetOfficials,
)
from roundtap_core.event.entries import Person
from roundtap_core.event.event_flow import situation_of, squads_let_go
from roundtap_core.event.states import Entrant, MatchState, Official
from roundtap_core.forms.form import walk_way
from roundtap_core.forms.questions import Figure, Picks
from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step

NAMES = ("Ana", "Bruno", "Cora", "Dirk", "Eva", "Finn", "Gosia", "Hugo", "Iris", "Jan", "Kai", "Lola")


def won(rulebook: str, side: str, number: int, table: int) -> Result:
    """`side` wins a match by this rulebook, each table by another margin."""
    less = (7 * table + 3 * number) % 19
    own, other = {
        "xwing-standard": (100, less),
        "xwing-epic-duel": (300, less),
        "xwing-epic-team": (400, less),
        "warlords-of-terra": (20 - less % 8, 0),
        "shatterpoint-premier": (2, less % 2),
    }.get(rulebook, (1, 0))
    pair = SidePair(own, other) if side == "a" else SidePair(other, own)
    if rulebook == "shatterpoint-premier":
        picks = [1, 2] if number % 2 else [3, 4]
        hits = SidePair(5 + less, less) if side == "a" else SidePair(less, 5 + less)
        return Result(score=pair, wounds=hits, picks={"a": picks, "b": picks})
    stated = side if rulebook.startswith(("xwing-epic", "warlords")) else None
    return Result(score=pair, winner=stated)  # type: ignore[arg-type]


class Course:
    """One event, told commands; what everybody reads is asked for page by page."""

    def __init__(self, house: House, rulebook: str, players: int = 8, **options: object) -> None:
        self.house, self.rulebook, self.names = house, rulebook, NAMES[:players]
        given = {"structure": "own", "swiss_rounds": 2, "cut": 4, **options}
        steps: list[Step] = [Step("e1", CreateEvent("Winter Open", rulebook, None, given, "#0072B2", 7))]
        records = []
        for name in self.names:
            members = (name, f"{name}’s friend") if RULEBOOKS[rulebook].team_size == 2 else ()
            person = Person(name, members=members, captain=members[0] if members else None)
            record = PersonRecord("e1", name, f"salt {name}", person)
            records.append(record)
            steps.append(Step("e1", EnterCompetitor(Entrant(name, person.digest(record.salt)))))
        steps.append(Step("e1", SetOfficials((Official("o0", "organizer"),))))
        house.service.execute(steps, "organizer", records)

    def tell(self, *commands: Command) -> None:
        for command in commands:
            self.house.service.execute_one("e1", command, "test")

    @property
    def event(self):  # type: ignore[no-untyped-def]
        return self.house.event

    def publish(self, **how: object) -> None:
        self.tell(DrawRound(self.event.number, **how))  # type: ignore[arg-type]
        draft = self.event.draft
        self.tell(PublishRound(draft.number, draft.draw.attempt, noted="a test"))

    @property
    def matches(self) -> list[MatchState]:
        """The newest round's matches of two, by table."""
        return sorted((m for m in self.event.public_rounds[-1].matches if m.match.b), key=lambda m: m.match.table or 0)

    def enter(self, match: MatchState, result: Result) -> None:
        """An official enters a result, and confirms the squads that can never be fielded after it."""
        lost = squads_let_go(self.event, self.event.public_rounds[-1], match.match, result.picks or {})
        self.tell(EnterResult(match.id, match.revision, result, reason="a test", lets_go=lost))

    def settle(self, *sides: str, only: int | None = None) -> None:
        """Who is named first wins at each table, or the sides given."""
        number = self.event.public_rounds[-1].number
        for place, match in enumerate(self.matches[:only]):
            side = sides[place] if place < len(sides) else "a" if match.match.a < (match.match.b or "") else "b"
            result = won(self.rulebook, side, number, place)
            self.enter(match, result)

    def swiss(self, rounds: int = 2) -> None:
        for _ in range(rounds):
            self.publish()
            self.settle()

    def cut(self) -> tuple[str, ...]:
        self.tell(MakeCut())
        return tuple(self.event.cut.seeds)

    # What is read.

    def browser(self, language: str = "en") -> Browser:
        return self.house.browser(language)

    def phone(self, who: str, language: str = "en") -> str:
        """A player's own page."""
        return main_of(self.browser(language), self.house.hub.access.links.path("e1", who))

    def public(self, who: str, language: str = "en") -> str:
        """The same player's page as everybody may open it."""
        return main_of(self.browser(language), f"/e/e1/p/{who}")

    def page(self, path: str, language: str = "en") -> str:
        return main_of(self.browser(language), path)

    def desk(self, path: str = "") -> str:
        return main_of(self.house.organizer(), f"/console/e1{path}")

    def winner(self, match: MatchState) -> str:
        """The winner of a match that `settle` has entered."""
        match = self.event.find_match(match.id)[1]
        side = self.event.rulebook.winner(match.match.result, self.event.options)
        return match.match.a if side == "a" else match.match.b or ""

    def ended(self, match: MatchState, way: str) -> str:
        """The console's last question where a has won in this way, each answer being the first that is offered."""
        form = self.event.rulebook.form(self.event.options, situation_of(self.event, self.event.live, match))
        chosen, given = form.way(way).opened_by("a"), {}
        while (question := walk_way(chosen, given, "a").question) is not None:
            picks = isinstance(question, Picks)
            given[question.name] = [1, 2] if picks else question.default if isinstance(question, Figure) else "a"
        lists = ((key, value if isinstance(value, list) else [value]) for key, value in given.items())
        fields = [("way", way), ("opener", "a"), *((f"q.{key}", each) for key, value in lists for each in value)]
        return self.desk(f"/match/{match.id}/walk?{urlencode(fields)}")


VOID = {"meta", "link", "input", "br", "hr", "img", "use", "path", "rect", "circle"}
UNREAD = {"script", "style", "svg", "nav", "dialog", "template", "noscript", "title", "footer"}


class _Reader(HTMLParser):
    """What a person reads of a page's main part and its round, without what stands on every page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[tuple[str, bool]] = []
        self.read = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        known = dict(attrs)
        css = (known.get("class") or "").split()
        read = self.open[-1][1] if self.open else False
        if tag == "main" or known.get("id") == "round" or "round" in css:
            read = True
        phase = "data-when" in known and "now" not in css
        if tag in UNREAD or "hidden" in known or "alerts" in css or phase or known.get("id") == "changed":
            read = False
        self.open.append((tag, read))

    def handle_endtag(self, tag: str) -> None:
        if tag not in [name for name, _ in self.open]:
            return
        while self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][1]:
            self.texts.append(data)


def main_of(browser: Browser, path: str) -> str:
    """The text of a page: its round and its main part."""
    answer = browser.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    reader = _Reader()
    reader.feed(answer.text)
    return " ".join(" ".join(reader.texts).split())


@contextmanager
def course(folder: Path, rulebook: str, players: int = 8, **options: object) -> Iterator[Course]:
    with open_house(folder) as house:
        yield Course(house, rulebook, players, **options)
