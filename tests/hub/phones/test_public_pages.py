"""Public pages without Flask: never old, never another reader's, the same as Flask would send them."""

import asyncio
import gzip
import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Answer, AsgiClient
from msgspec.structs import replace
from pages_kit import Browser, House, Time, open_house, page_fails

import roundtap_hub
from patience import GUARD_S
from roundtap_core.event.commands import ChangePerson, DrawRound, EnterResult, PublishRound, SetClock
from roundtap_core.records import Result, SidePair
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.events.new_event import COLORS
from roundtap_hub.http.page_queues import PROBE_S
from roundtap_hub.http.routes import PageKey, page_path
from roundtap_hub.http.static_files import StaticFiles
from roundtap_hub.live import page_cache
from roundtap_hub.live.page_cache import CLOCK_PAGE_TTL_MS, CachedPage, RenderingKey
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_hub.views.known_displays import ROTATION_MS

PAGES = (
    "/e/e1",
    "/e/e1/p/p1",
    "/e/e1/p/p2",
    "/e/e1/standings",
    "/e/e1/pairings",
    "/e/e1/bracket",
    "/rules/e1",
    "/wall/e1",
    "/wall/e1?theme=dark",
    "/wall/e1?part=2/2",
    "/?lang=en",
)


class Hall:
    """A hub, and browsers that talk to all of it."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.application = HubApplication(house.hub)
        self.client = AsgiClient(self.application, lifespan=True)
        self.drawn: list[tuple[str, str, str]] = []
        cache: Any = self.application.cached_pages._cache
        self._draw, cache._render_one = cache._render_one, self._note

    def _note(self, *given: Any) -> CachedPage | None:
        """What is drawn for all who ask in this language, and not for one browser."""
        page: CachedPage | None = self._draw(*given)
        key = next(each for each in given if isinstance(each, RenderingKey))
        if page is not None and not page.redirect:
            self.drawn.append((str(key.page), key.variant, key.language))
        return page

    def get(self, path: str, language: str = "en", **headers: str) -> Answer:
        return self.client.get(path, accept_language=language, **headers)

    def by_flask(self, path: str, language: str = "en") -> str:
        return self.house.browser(language).get(path).text


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        house.place("unit-1", 1)
        opened = Hall(house)
        yield opened
        opened.client.close()


@pytest.mark.parametrize("language", ["en", "es", "de", "pl"])
def test_every_page_is_what_flask_would_send(hall: Hall, language: str):
    hall.house.report("1.1", "a", 100, 24)
    for path in (*PAGES[:-1], "/e/e1"):
        answer = hall.get(path, language)
        assert answer.status_code == 200
        assert answer.headers["content-language"] == language
        assert answer.text == hall.by_flask(path, language), path
    assert hall.drawn


def test_where_the_time_of_day_is_known_a_player_s_page_is_drawn_for_all_too(tmp_path: Path):
    with open_house(tmp_path, Time(wall="2026-11-27T18:00:00+00:00")) as house:
        house.with_event()
        house.publish()
        with closing(Hall(house).client) as client:
            assert client.get("/e/e1/p/p1").headers["cache-control"] == "no-cache", "Flask's own are not stored"


def test_a_page_is_sealed_and_kept_by_browsers_only_to_ask_again(hall: Hall):
    answer, flask = hall.get("/e/e1/standings"), hall.get("/e/e1/standings?lang=en")
    for name in ("content-security-policy", "x-content-type-options", "referrer-policy", "content-language"):
        assert answer.headers[name] == flask.headers[name]
    assert answer.headers["cache-control"] == "no-cache"
    assert set(answer.headers["vary"].split(", ")) == {"Accept-Language", "Cookie", "Accept-Encoding"}


def test_packed_it_is_the_same_page(hall: Hall):
    plain, packed = (hall.get("/e/e1/p/p1", accept_encoding=each) for each in ("", "br, gzip"))
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2


def test_who_has_the_page_already_is_told_so_until_it_changes(hall: Hall):
    first = hall.get("/e/e1/pairings", accept_encoding="gzip")
    again = hall.get("/e/e1/pairings", accept_encoding="gzip", if_none_match=first.headers["etag"])
    assert (again.status_code, again.body) == (304, b"")
    # The plain one is another text of the same page.
    assert hall.get("/e/e1/pairings", if_none_match=first.headers["etag"]).status_code == 200
    hall.house.report("1.1", "a", 100, 24)
    assert hall.get("/e/e1/pairings", accept_encoding="gzip", if_none_match=first.headers["etag"]).status_code == 200


def test_what_was_saved_stands_on_the_next_page(hall: Hall):
    for a in range(41, 50):
        hall.get("/e/e1/p/p1")
        match = next(m for m in hall.house.event.live.matches if "p1" in (m.match.a, m.match.b))  # type: ignore[union-attr]
        entered = EnterResult(match.id, match.revision, Result(ended="time", score=SidePair(a, 7)), reason="a test")
        hall.house.service.execute_one("e1", entered, "test")
        page = hall.get("/e/e1/p/p1").text
        assert page == hall.by_flask("/e/e1/p/p1")
        assert f"{a}" in page


def test_nobody_has_to_tell_the_cache_what_was_saved(hall: Hall):
    """As where another hub on the same database saves it, and this one only follows."""
    hall.house.service._listeners.clear()
    for path in PAGES[:-1]:
        hall.get(path)
    hall.house.report("1.1", "a", 100, 24)
    hall.house.service.execute_one("e1", SetClock("start"), "test")
    for path in PAGES[:-1]:
        assert hall.get(path).text == hall.by_flask(path), path


def test_what_is_saved_while_the_pages_are_being_made_stands_on_the_first_of_them(hall: Hall):
    made, hold = hall.application.pages._build, threading.Event()
    hall.application.pages._build = lambda: (hold.wait(GUARD_S), made())[1]
    first = hall.client.begin("GET", "/e/e1/pairings")
    match = hall.house.event.live.matches[0]  # type: ignore[union-attr]
    entered = EnterResult(match.id, match.revision, Result(score=SidePair(100, 24)), reason="a test")
    hall.house.service.execute_one("e1", entered, "test")
    hold.set()
    assert first.result(GUARD_S).text == hall.by_flask("/e/e1/pairings")
    assert "24" in first.result().text


def test_another_name_stands_on_every_page_that_showed_the_old_one(hall: Hall):
    """Also on the pages of who played them before, and sits elsewhere now."""
    house = hall.house
    house.play()
    house.publish()
    for path in PAGES[:-1]:
        hall.get(path)
    person = replace(house.service.snapshot.people_of("e1")["p1"], name="Zoë Neu")
    house.service.execute(
        [Step("e1", ChangePerson("p1", person.digest("salt")))], "test", [PersonRecord("e1", "p1", "salt", person)]
    )
    for n in range(1, 7):
        assert hall.get(f"/e/e1/p/p{n}").text == hall.by_flask(f"/e/e1/p/p{n}"), n
    for path in PAGES[:-1]:
        assert hall.get(path).text == hall.by_flask(path), path
    assert "Zoë" in hall.get("/e/e1/pairings").text


def test_a_press_at_a_table_stands_on_the_wall(hall: Hall):
    assert "Tables seated: 0 of 1" in hall.get("/wall/e1").text
    hall.house.hub.presence.update("unit-1", 5, match="1.1", seated=frozenset("ab"))
    assert "Tables seated: 1 of 1" in hall.get("/wall/e1").text


def test_the_staff_read_what_everybody_reads(hall: Hall):
    """Public pages are public: one drawing, without a form or a word for the staff; the foot leads to the console."""
    staff = [hall.house.organizer(), hall.house.staff("judge", "Kim Judge")]
    for path in PAGES[:-1]:
        strangers = hall.get(path)
        for browser in staff:
            theirs = hall.get(path, cookie=cookie_of(browser))
            assert (theirs.status_code, theirs.text) == (200, strangers.text), path
            assert browser.get(path).text == strangers.text, f"Flask's {path}"
            assert browser.token not in theirs.text
    assert len(hall.drawn) == len(set(hall.drawn)) == len(PAGES) - 1
    assert 'href="/console/e1"' in hall.get("/e/e1").text


def cookie_of(browser: Browser) -> str:
    cookie = browser.client.get_cookie("roundtap_here")
    return f"roundtap_here={cookie.value}"


def test_a_cookie_without_a_name_opens_nothing(hall: Hall):
    """On the plain connection of a phone, where no cookie is believed."""
    token = cookie_of(hall.house.organizer()).partition("=")[2]
    strangers = hall.get("/e/e1").text
    hall.client.seen_as = {"client": ("10.0.0.9", 1)}
    for sent in (f"={token}", token, f"roundtap_here={token}"):
        assert hall.get("/e/e1", cookie=sent).text == strangers


def test_a_mark_of_one_browser_s_forms_opens_nothing_in_another_s(hall: Hall):
    one, other = hall.house.organizer(), hall.house.organizer()
    assert one.token != other.token
    first = cookie_of(one)
    assert hall.client.post("/logout", data={"csrf": other.token}, cookie=first).status_code == 403
    assert hall.house.hub.access.organizers.session(first.partition("=")[2]) is not None
    assert hall.client.post("/logout", data={"csrf": one.token}, cookie=first).status_code == 303
    assert hall.house.hub.access.organizers.session(first.partition("=")[2]) is None


def test_what_was_saved_is_on_the_next_page(hall: Hall):
    for n in range(5):
        hall.get("/e/e1/pairings")
        hall.house.report("1.1", "a", 100, 24 + n)
        match = hall.house.event.live.matches[0]  # type: ignore[union-attr]
        entered = EnterResult(match.id, match.revision, Result(score=SidePair(100, 3 * n)), reason="a test")
        hall.house.service.execute_one("e1", entered, "test")
        assert f">{3 * n}<" in hall.get("/e/e1/pairings").text


def hold_pages(hall: Hall) -> threading.Event:
    """No public page is drawn until this is set."""
    hold = threading.Event()
    lane: Any = hall.application.cached_pages._cache._lane
    asyncio.run_coroutine_threadsafe(lane.run(partial(hold.wait, GUARD_S), PROBE_S), hall.client.loop)
    hall.client.until(lambda: not lane._free)
    return hold


def test_pages_are_drawn_in_turns_by_address_and_once_for_all_who_wait(hall: Hall):
    """One phone that asked for every page in every language was before everybody who asked later."""
    hall.get("/login")
    hold, lane = hold_pages(hall), hall.application.cached_pages._cache._lane
    every = [(path, language) for path in PAGES[:-1] for language in ("en", "de", "es")]
    greedy = [
        hall.client.begin("GET", path, headers={"accept_language": language}, peer="10.42.0.7")
        for path, language in every
    ]
    hall.client.until(lambda: len(lane._waiting) == len(every))
    honest = [
        hall.client.begin("GET", path, headers={"accept_language": "es"}, peer="10.42.0.8")
        for path in (PAGES[-2], "/e/e1/p/p3")
    ]
    hall.client.until(lambda: len(lane._waiting) == len(every) + 2)
    hold.set()
    assert {answer.result(GUARD_S).status_code for answer in (*greedy, *honest)} == {200}
    assert hall.drawn.index(("p/e1/p3", "", "es")) <= 4, "its own second turn"
    assert len(hall.drawn) == len(set(hall.drawn)) == len(every) + 1, "what both asked for once"
    assert hall.drawn[1][0] == "wall/e1", "the phone that asked once, before the other's second page"


def test_each_player_has_their_own_page_and_nobody_one_that_is_not_there(hall: Hall):
    pages = {hall.get(f"/e/e1/p/p{n}").text for n in range(1, 7)}
    assert len(pages) == 6
    for path in ("/e/e1/p/p9", "/e/e9", "/wall/e9", "/e/e1/p/../p1", "/e/e1/console"):
        assert hall.get(path).status_code == 404


def test_a_language_chosen_by_hand_is_remembered(hall: Hall):
    chosen = hall.get("/e/e1?lang=pl")
    cookie = chosen.headers["set-cookie"].partition(";")[0]
    assert hall.drawn == []
    for path in ("/e/e1", "/e/e1?lang=pl"):
        assert hall.get(path, "de", cookie=cookie).headers["content-language"] == "pl"
    assert [language for *_, language in hall.drawn] == ["pl"]
    forged = cookie[:-2] + "xx"
    assert hall.get("/e/e1", "de", cookie=forged).headers["content-language"] == "de"


def test_what_is_searched_or_asked_otherwise_is_flask_s(hall: Hall):
    assert 'value="ana"' in hall.get("/e/e1?q=ana").text
    assert hall.client.post("/e/e1").status_code == 405
    assert hall.drawn == []


def test_the_way_to_the_only_event_and_its_wall(hall: Hall):
    assert (hall.get("/").status_code, hall.get("/").headers["location"]) == (302, "/e/e1")
    assert hall.get("/wall?theme=dark&part=1/2").headers["location"] == "/wall/e1?theme=dark&part=1%2F2"
    hall.house.organizer().post("/console", name="Second", rulebook="xwing-standard", color="#882255")
    assert "Second" in hall.get("/").text
    assert hall.get("/").text == hall.by_flask("/")


def test_of_two_events_in_play_a_wall_without_a_name_shows_each_in_its_turn(hall: Hall):
    hall.house.organizer().post(
        "/console", name="Second", rulebook="xwing-standard", color="#882255", structure="own", swiss_rounds=2
    )
    hall.house.organizer().post("/console/e2/competitors", names="Ana\nBen")
    hall.house.service.execute_one("e2", DrawRound(11), "test")
    draft = hall.house.service.snapshot.events["e2"].draft
    hall.house.service.execute_one("e2", PublishRound(1, draft.draw.attempt, noted="a test"), "test")
    shown = set()
    for _ in range(2):
        shown.add(hall.get("/wall?theme=dark").headers["location"])
        hall.house.time.ms += ROTATION_MS
    assert shown == {"/wall/e1?theme=dark", "/wall/e2?theme=dark"}


def test_five_hundred_who_ask_at_once_have_it_drawn_once(hall: Hall):
    answers = [hall.client.begin("GET", "/e/e1/standings") for _ in range(500)]
    assert len({answer.result(GUARD_S).body for answer in answers}) == 1
    assert hall.drawn == [("standings/e1", "", "en")]


def test_a_page_that_shows_a_time_is_never_older_than_some_seconds(hall: Hall):
    hall.house.service.execute_one("e1", SetClock("start"), "test")
    first = hall.get("/e/e1/p/p1").text
    hall.house.time.ms += CLOCK_PAGE_TTL_MS
    assert hall.get("/e/e1/p/p1").text == first
    hall.house.time.ms += 1
    assert hall.get("/e/e1/p/p1").text == hall.by_flask("/e/e1/p/p1") != first
    hall.get("/e/e1/standings")
    hall.house.time.ms += 10 * CLOCK_PAGE_TTL_MS
    count = len(hall.drawn)
    hall.get("/e/e1/standings")
    assert len(hall.drawn) == count


def test_a_page_that_breaks_is_explained(hall: Hall):
    with page_fails("standings.html"):
        answer = hall.get("/e/e1/standings")
    assert answer.status_code == 500
    assert "wires crossed" not in answer.text


def test_the_store_does_not_grow_for_ever(hall: Hall, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page_cache, "KEPT_BYTES", 20_000)
    store = hall.application.cached_pages._cache
    for n in range(1, 7):
        for language in ("en", "es", "de", "pl"):
            hall.get(f"/e/e1/p/p{n}", language)
    assert sum(kept.bytes for kept in store._pages.values()) == store._bytes <= 20_000
    assert RenderingKey(PageKey("p", "e1", "p6"), "", "pl") in store._pages


def test_an_event_s_colour_stands_on_its_pages_and_in_the_style_sheet(hall: Hall):
    style = StaticFiles().url("phone.css")
    for path in ("/e/e1", "/e/e1/p/p1", "/wall/e1"):
        assert ' data-color="#00785A"' in hall.get(path).text, path
    assert f'href="{style}"' in hall.get("/e/e1").text
    css = hall.get(style).text
    for color in COLORS:
        assert color == "#37474F" or f'[data-color="{color}" i] {{ --event: {color.lower()}; }}' in css
    assert "--event: #37474f" in css, "where nothing is said"
    for template in (Path(roundtap_hub.__file__).parent).glob("*/templates/*.html"):
        assert "data-event=" not in template.read_text(encoding="utf-8"), f"{template.name}: data-color"


@pytest.mark.parametrize(
    ("page", "path"),
    [
        ("door", "/"),
        ("wall", "/wall"),
        ("wall/e1", "/wall/e1"),
        ("e/e1", "/e/e1"),
        ("p/e1/p3", "/e/e1/p/p3"),
        ("standings/e1", "/e/e1/standings"),
        ("pairings/e1", "/e/e1/pairings"),
        ("bracket/e1", "/e/e1/bracket"),
        ("rules/e1", "/rules/e1"),
        ("me/e1/link", "/me/link"),
        ("console/e1", ""),
        ("console", ""),
        ("e", ""),
        ("e/e1/p1", ""),
        ("p/e1", ""),
        ("", ""),
        ("nonsense/e1", ""),
    ],
)
def test_what_is_shown_leads_to_its_address_and_to_no_other(page: str, path: str) -> None:
    assert page_path(PageKey.parse(page)) == path
