"""A tiebreaker that is the same for all has no column: on the console, a phone, the wall and paper alike."""

from pages_kit import Browser, House, text_of

from roundtap_core.event.commands import EnterResult
from roundtap_core.event.event_flow import whole_tournament
from roundtap_core.eventfile.site import site_pages
from roundtap_core.records import Result, SidePair
from roundtap_core.words import core_words
from roundtap_hub.paper.print_jobs import print_header, standings_content
from roundtap_hub.views import saved_event

FOUR = ["Ana Ruiz", "Bruno Maier", "Eva Luz", "Kai Eich"]
PAGES = ("/console/e1/standings", "/e/e1/standings", "/print/e1/standings", "/wall/e1?show=standings")


def columns(house: House) -> tuple[str, ...]:
    """As the receipt printer gets them."""
    event = saved_event.saved_event(house.service.snapshot, "e1")
    assert event is not None
    return tuple(standings_content(event, saved_event.shown_names(event), print_header(event.state, "")).columns)


def shown(house: House, browser: Browser) -> list[str]:
    """The pages that have a column for the opponents' strength; a club's web pages among them."""
    event = saved_event.saved_event(house.service.snapshot, "e1")
    assert event is not None
    pages = {page: text_of(browser.get(page)) for page in PAGES}
    site = site_pages([whole_tournament(event.state, event.people)], core_words("en"))
    pages |= {"site": " ".join(page.decode() for page in site.values())}
    assert all("MoV" in page for page in pages.values())
    return [page for page, text in pages.items() if "SoS" in text]


def test_a_figure_that_is_the_same_for_all_has_no_column_anywhere_and_programs_still_read_it(house: House) -> None:
    """Four players. Round 1: p1 beats p3, p4 beats p2. Round 2: p1 beats p4, p3 beats p2. Opponents' points a round:
    p1 met ½ and ½, p3 and p4 each 1 and 0, p2 ½ and ½. All have ½."""
    browser = house.with_event(FOUR)
    house.publish()
    house.play()
    assert columns(house) == ("mov", "sos")
    assert shown(house, browser) == [*PAGES, "site"]
    house.publish()
    for match in house.event.live.open_matches:
        won = SidePair(24, 100) if match.match.b == "p3" else SidePair(100, 24)
        house.service.execute_one("e1", EnterResult(match.id, match.revision, Result(score=won)), "test")
    assert [{match.match.a, match.match.b} for match in house.event.rounds[1].matches] == [{"p1", "p4"}, {"p2", "p3"}]
    assert columns(house) == ("mov",)
    assert shown(house, browser) == []
    assert browser.get("/e/e1/event.json").json["standings"]["columns"] == ["mov", "sos"]  # type: ignore[index]
