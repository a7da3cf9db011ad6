"""Whatever is decided about an event, kept pages show it at once: each is compared with what Flask draws anew."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from msgspec.structs import replace
from pages_kit import House, open_house, page_fails

from roundtap_core.event import commands as c
from roundtap_core.event.states import Entrant
from roundtap_core.records import Result, SidePair
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live import page_cache
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step

WALLS = ("/wall/e1", "/wall/e1?show=words", "/wall/e1?show=standings", "/wall/e1?show=bracket")
PAGES = ("/e/e1", "/e/e1/standings", "/e/e1/pairings", "/e/e1/bracket", "/rules/e1", *WALLS)


class Hall:
    """A hub whose public and personal pages have all been asked for."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.client = AsgiClient(HubApplication(house.hub), lifespan=True)

    @property
    def paths(self) -> list[str]:
        everybody = list(self.house.event.entrants)
        return [
            *PAGES,
            *(f"/e/e1/p/{who}" for who in everybody),
            *(self.house.hub.access.links.path("e1", who) for who in everybody),
        ]

    def tell(self, command: object) -> None:
        self.house.service.execute_one("e1", command, "test")  # type: ignore[arg-type]

    def options(self, **changed: object) -> None:
        self.tell(c.SetOptions({**self.house.event.given_options, **changed}))

    def asked(self) -> None:
        for path in self.paths:
            self.client.get(path, accept_language="en")

    def stale(self) -> list[str]:
        """The pages that are not what Flask would send now."""
        browser = self.house.browser()
        return [
            path for path in self.paths if self.client.get(path, accept_language="en").text != browser.get(path).text
        ]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_house(tmp_path) as house:
        opened = Hall(house)
        yield opened
        opened.client.close()


def enter(hall: Hall, who: str, name: str, **how: bool) -> None:
    known = hall.house.service.snapshot.people_of("e1")
    person = replace(known["p1"], name=name)
    hall.house.service.execute(
        [Step("e1", c.EnterCompetitor(Entrant(who, person.digest("salt")), **how))],
        "test",
        [PersonRecord("e1", who, "salt", person)],
    )


def in_round_1(hall: Hall, people: list[str] | None = None, **options: object) -> None:
    hall.house.with_event(people, **options)
    hall.house.publish()


def full_names(hall: Hall) -> Iterator[None]:
    hall.house.with_event()
    yield
    hall.options(full_names=True)
    yield
    hall.options(full_names=False)


def a_namesake(hall: Hall) -> Iterator[None]:
    in_round_1(hall, ["Ana Alt", "Ben Bau", "Cid Cas", "Dan Dix", "Eva Ems", "Fay Fox"])
    yield
    for who in ("p2", "p3", "p4"):
        hall.house.organizer().post(f"/console/e1/competitors/{who}/details", name="Eva Ems")
        yield


def more_rounds(hall: Hall) -> Iterator[None]:
    in_round_1(hall)
    yield
    hall.options(swiss_rounds=4)


def lists_asked_for(hall: Hall) -> Iterator[None]:
    hall.house.with_event()
    hall.options(lists_required=False)
    yield
    hall.options(lists_required=True)


def a_cut(hall: Hall) -> Iterator[None]:
    in_round_1(hall, ["Ana", "Ben", "Cid", "Dan"], rulebook="xwing-epic-duel", swiss_rounds=2)
    for match in hall.house.event.rounds[-1].matches:
        hall.tell(c.EnterResult(match.id, match.revision, Result("time", score=SidePair(200, 10)), reason="a test"))
    yield
    hall.options(swiss_rounds=1, cut=2)


def signed_up(hall: Hall) -> Iterator[None]:
    hall.house.with_event()
    hall.tell(c.SetSignUp(True, True))
    enter(hall, "p7", "Zoë Neu", signed_up=True)
    yield
    hall.tell(c.ConfirmEntry("p7"))


def check_in(hall: Hall) -> Iterator[None]:
    hall.house.with_event(structure="basic")
    yield
    hall.tell(c.SetCheckIn(True))
    yield
    hall.tell(c.CheckIn("p1"))


def one_who_leaves_after_the_round(hall: Hall) -> Iterator[None]:
    in_round_1(hall)
    hall.tell(c.DropCompetitor("p2", plays_on=True))
    hall.house.play()
    yield
    hall.tell(c.DrawRound(5))


def a_moved_table(hall: Hall) -> Iterator[None]:
    in_round_1(hall)
    hall.tell(c.MoveToTable(1, "1.1", 9, "a pillar"))
    yield
    across = hall.house.event.rounds[-1].matches[0].match.b
    assert across is not None
    hall.tell(c.NoShow("1.1", across))


def squads_of_a_bye(hall: Hall) -> Iterator[None]:
    in_round_1(hall, ["Ana", "Ben", "Cid", "Dan", "Eva"], rulebook="shatterpoint-premier", swiss_rounds=3)
    (bye,) = (match for match in hall.house.event.rounds[-1].matches if match.match.bye)
    yield
    hall.tell(c.SetPicks(bye.id, (1, 2)))


def a_round_taken_back_and_mended(hall: Hall) -> Iterator[None]:
    in_round_1(hall, rulebook="keyforge-archon", swiss_rounds=2)
    yield
    second, third = (match.match for match in hall.house.event.rounds[-1].matches[1:3])
    hall.tell(c.UnpublishRound(1, "a mistake"))
    hall.tell(c.SwapSeats(1, (second.a, third.a), "friends"))
    draft = hall.house.event.draft
    hall.tell(c.PublishRound(1, draft.draw.attempt, noted="a test"))


def a_tie_break(hall: Hall) -> Iterator[None]:
    in_round_1(hall, ["Ana", "Ben", "Cid", "Dan"], rulebook="warlords-of-terra", swiss_rounds=1, prize_places=1)
    for match in hall.house.event.rounds[-1].matches:
        hall.tell(c.EnterResult(match.id, match.revision, Result(winner="a", score=SidePair(20, 0)), reason="a test"))
    yield
    hall.house.publish()


def an_end(hall: Hall) -> Iterator[None]:
    in_round_1(hall)
    hall.house.play()
    yield
    hall.tell(c.FinishEvent("a test"))
    yield
    hall.tell(c.ReopenEvent())


def an_hour_between_rounds(hall: Hall) -> Iterator[None]:
    hall.house.time.wall = "2026-11-25T10:00:00+01:00"
    in_round_1(hall)
    hall.tell(c.SetClock("start"))
    hall.house.play()
    yield
    hall.house.time.wall = "2026-11-25T11:10:00+01:00"
    hall.house.time.ms += 70 * 60_000


DECISIONS: list[Callable[[Hall], Iterator[None]]] = [
    full_names,
    a_namesake,
    more_rounds,
    lists_asked_for,
    a_cut,
    signed_up,
    check_in,
    one_who_leaves_after_the_round,
    a_moved_table,
    squads_of_a_bye,
    a_round_taken_back_and_mended,
    a_tie_break,
    an_end,
    an_hour_between_rounds,
]


@pytest.mark.parametrize("decided", DECISIONS)
def test_no_kept_page_is_older_than_a_decision(hall: Hall, decided: Callable[[Hall], Iterator[None]]) -> None:
    """Each `yield` is a moment at which everybody looks."""
    for _ in decided(hall):
        assert hall.stale() == []
        hall.asked()
    assert hall.stale() == []


def test_a_page_that_fails_keeps_the_news_from_no_other(hall: Hall) -> None:
    in_round_1(hall)
    cache = hall.client.application.cached_pages._cache  # type: ignore[attr-defined]
    keys = [page_cache.RenderingKey(PageKey(kind, "e1"), "", "en") for kind in ("standings", "pairings")]
    with page_fails("standings.html"):
        failed, drawn = hall.client.run(cache.render(keys))
    assert failed is None
    assert drawn is not None
