"""Pages in threads: read whole before, sent whole after; who is sent away is told how it goes on."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from asgi_client import AsgiClient
from hub_kit import HandClock, hub_of, make_event, running

from patience import GUARD_S
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.flask_app import create_app  # noqa: F401 (declares every page's address)
from roundtap_hub.http import page_threads
from roundtap_hub.http.connection_limits import PER_ADDRESS
from roundtap_hub.http.http_answers import discard_body, get_header
from roundtap_hub.http.page_threads import FORM_BYTES_MAX, PLAYERS_AT_ONCE, BusyPage, PageThreads
from roundtap_hub.http.routes import allowed_roles, find_route
from roundtap_hub.http.static_files import StaticFiles

Environ = dict[str, Any]
IN = {"cookie": "organizer"}
"""Whoever is logged in."""


class Pages:
    """A WSGI application that says what it was asked, and waits where it is told to."""

    def __init__(self) -> None:
        self.asked: list[Environ] = []
        self.bodies: list[bytes] = []
        self.let = threading.Event()
        self.closed = 0

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Any:
        self.asked.append(environ)
        self.bodies.append(environ["wsgi.input"].read())
        if environ["PATH_INFO"].endswith("/slow") or self.bodies[-1] == b"pin=slow":
            assert self.let.wait(GUARD_S)
        if environ["PATH_INFO"] == "/broken":
            raise ValueError("a bug")
        write = start_response(
            "201 CREATED", [("Content-Type", "text/plain"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]
        )
        write(b"one ")
        return Parts(self)


class Parts:
    """A body in parts, which has to be closed."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def __iter__(self) -> Iterator[bytes]:
        yield b"two "
        yield b"three"

    def close(self) -> None:
        self._pages.closed += 1


class House:
    def __init__(self) -> None:
        self.pages = Pages()
        self.threads = PageThreads(
            lambda: self.pages,
            BusyPage(StaticFiles(), "de"),
            lambda scope: b"organizer" in get_header(scope, b"cookie"),
            lambda scope: b"known" in get_header(scope, b"cookie"),
        )
        self.client = AsgiClient(self._answer)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        found = find_route(scope["method"], scope["path"])
        await self.threads.answer(scope, receive, send, allowed_roles(found and found[0], scope["path"]))

    def fill_players(self) -> list[Any]:
        """Every thread of the players' lane has something to do."""
        slow = [self.client.begin("GET", "/slow") for _ in range(PLAYERS_AT_ONCE)]
        self.client.until(lambda: len(self.pages.asked) == PLAYERS_AT_ONCE)
        return slow


def pages_wait(monkeypatch: pytest.MonkeyPatch, at_most_s: float) -> None:
    monkeypatch.setattr(page_threads.page_queues, "PAGE_S", at_most_s)


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """However busy the machine is that tests this, no page leaves the line while it is filled."""
    pages_wait(monkeypatch, GUARD_S)
    made = House()
    yield made
    made.pages.let.set()
    made.client.close()


def test_a_request_comes_to_the_page_as_it_was_sent_and_the_answer_back(house: House) -> None:
    answer = house.client.post("/e/Łódź?lang=pl&q=%C5%81", data=b"a=1", cookie="x=1", content_type="text/x")

    assert (answer.status_code, answer.text) == (201, "one two three")
    assert house.pages.closed == 1
    [environ] = house.pages.asked
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/e/Łódź"
    assert environ["QUERY_STRING"] == "lang=pl&q=%C5%81"
    assert house.pages.bodies == [b"a=1"]
    assert {
        name: environ[name]
        for name in (
            "REQUEST_METHOD",
            "CONTENT_LENGTH",
            "CONTENT_TYPE",
            "HTTP_COOKIE",
            "HTTP_HOST",
            "REMOTE_ADDR",
            "SERVER_PORT",
        )
    } == {
        "REQUEST_METHOD": "POST",
        "CONTENT_LENGTH": "3",
        "CONTENT_TYPE": "text/x",
        "HTTP_COOKIE": "x=1",
        "HTTP_HOST": "localhost",
        "REMOTE_ADDR": "127.0.0.1",
        "SERVER_PORT": "8080",
    }


def test_a_page_that_fails_is_a_plain_answer_and_the_next_one_comes(house: House) -> None:
    assert house.client.get("/broken").status_code == 500
    assert house.client.get("/").status_code == 201


def test_a_body_that_never_comes_takes_no_thread(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_threads, "BODY_WITHIN_S", 0.01)
    monkeypatch.setattr(page_threads, "BIG_BODY_WITHIN_S", 0.01)
    for path, announced in (("/login", 100), ("/console/import", 200_000)):
        answer = house.client.begin("POST", path, None, IN, announced=announced).result(GUARD_S)
        assert (answer.status_code, answer.headers["connection"]) == (408, "close")
    assert house.pages.asked == []


def test_large_forms_come_in_two_at_a_time_and_small_ones_pass_them(house: House) -> None:
    large = [house.client.begin("POST", "/console/import", None, IN, announced=200_000) for _ in range(3)]
    house.client.until(lambda: house.threads._big_bodies.locked())
    assert house.client.post("/console", data=b"name=x").status_code == 201
    assert not any(answer.done() for answer in large)


def test_large_bodies_of_strangers_are_not_read_at_all_and_hold_up_no_organizer(house: House) -> None:
    for _ in range(4):
        answer = house.client.begin("POST", "/console/import", None, announced=200_000).result(GUARD_S)
        assert answer.headers["connection"] == "close"
    assert house.pages.bodies == [b""] * 4
    assert {environ["CONTENT_LENGTH"] for environ in house.pages.asked} == {str(FORM_BYTES_MAX + 1)}


def test_a_form_too_large_is_not_kept_and_flask_is_told_its_length(house: House) -> None:
    answer = house.client.begin("POST", "/console/import", b"x", IN, announced=FORM_BYTES_MAX + 1).result(GUARD_S)
    assert answer.headers["connection"] == "close"
    assert house.pages.bodies == [b""]
    assert house.pages.asked[0]["CONTENT_LENGTH"] == str(FORM_BYTES_MAX + 1)


def test_the_organizer_and_the_print_station_pass_the_players_queue(house: House) -> None:
    slow = house.fill_players()
    waiting = house.client.begin("GET", "/e/e1")
    for path in ("/console", "/console/e1", "/login"):
        assert house.client.get(path, **IN).status_code == 201
    assert house.client.post("/station/jobs", json={}).status_code == 201
    assert not waiting.done()
    house.pages.let.set()
    assert [answer.result(GUARD_S).status_code for answer in [*slow, waiting]] == [201] * (PLAYERS_AT_ONCE + 1)


def test_a_broadcast_waits_for_the_staff_s_page_but_not_for_long(house: House) -> None:
    slow = house.client.begin("GET", "/console/slow", headers=IN)
    house.client.until(lambda: len(house.pages.asked) == 1)
    asyncio.run_coroutine_threadsafe(house.threads.staff_first(), house.client.loop).result(GUARD_S)
    assert not slow.done()


def test_strangers_at_the_console_and_at_the_login_take_no_organizer_s_place(house: House) -> None:
    house.fill_players()
    outside = [house.client.begin("POST", "/console/e1/clock") for _ in range(20)]
    guessing = [house.client.begin("POST", "/login", b"pin=1") for _ in range(20)]
    assert house.client.get("/console/e1", **IN).status_code == 201
    assert not any(answer.done() for answer in outside)
    house.pages.let.set()
    assert {answer.result(GUARD_S).status_code for answer in outside} == {201}
    assert {answer.result(GUARD_S).status_code for answer in guessing} == {201}


def test_a_known_device_and_the_page_of_the_login_wait_behind_nobody_who_guesses(house: House) -> None:
    """All logins had one line."""
    slow = house.client.begin("POST", "/login", b"pin=slow")
    house.client.until(lambda: len(house.pages.asked) == 1)
    guessing = house.client.begin("POST", "/login", b"pin=1")
    assert house.client.get("/login").status_code == 201
    for method in ("GET", "POST"):
        assert house.client.begin(method, "/login", b"", {"cookie": "known"}).result(GUARD_S).status_code == 201
    assert not guessing.done()
    house.pages.let.set()
    assert [slow.result(GUARD_S).status_code, guessing.result(GUARD_S).status_code] == [201, 201]


def test_a_wish_to_leave_waits_behind_one_page_of_each_greedy_address_at_most(house: House) -> None:
    """With sixty connections of each of sixteen addresses it was the last of all: 7 to 12 s."""
    slow = house.fill_players()
    for number in range(16):
        slow += [house.client.begin("GET", "/e/e1", peer=f"10.42.0.{number}") for _ in range(15)]
    house.client.until(lambda: len(house.threads._players._waiting) == 240)
    slow.append(house.client.begin("POST", "/me/x/leave", b"on=1", peer="10.42.1.1"))
    house.client.until(lambda: len(house.threads._players._waiting) == 241)
    house.pages.let.set()
    assert {answer.result(GUARD_S).status_code for answer in slow} == {201}
    asked = [environ["PATH_INFO"] for environ in house.pages.asked]
    assert asked.index("/me/x/leave") <= PLAYERS_AT_ONCE + 16


def test_in_the_hall_s_own_network_ipv6_phones_have_turns_of_their_own(house: House) -> None:
    """All of them were one caller: sixty connections of one took everybody's place."""
    house.client.seen_as = {"server": ("fd00:1::1", 8080)}
    slow = house.fill_players()
    slow += [house.client.begin("GET", "/e/e1", peer="fd00:1::7") for _ in range(PER_ADDRESS)]
    house.client.until(lambda: len(house.threads._players._waiting) == PER_ADDRESS)
    slow.append(house.client.begin("GET", "/e/neighbour", peer="fd00:1::8"))
    house.client.until(lambda: len(house.threads._players._waiting) == PER_ADDRESS + 1)
    house.pages.let.set()
    assert {answer.result(GUARD_S).status_code for answer in slow} == {201}
    asked = [environ["PATH_INFO"] for environ in house.pages.asked]
    assert asked.index("/e/neighbour") <= PLAYERS_AT_ONCE + 1


def test_the_watchdog_s_page_passes_the_queue_too_and_comes_from_every_lane(house: House) -> None:
    house.fill_players()[0]
    probe = house.client.begin("GET", "/e/e1")
    house.pages.let.set()
    house.client.run(house.threads.probe())
    assert [environ["PATH_INFO"] for environ in house.pages.asked].count("/login") == 5
    assert probe.result(GUARD_S).status_code == 201


# --- busy -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def full(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """All threads have something to do, and no page waits for one for long."""
    pages_wait(monkeypatch, 0.01)
    house.fill_players()
    return house


@pytest.mark.parametrize("language", LANGUAGES)
def test_behind_a_full_queue_a_page_says_in_four_languages_that_it_comes_back(full: House, language: str) -> None:
    answer = full.client.get("/e/e1", accept_language=language)

    assert answer.status_code == 503
    assert catalogue("roundtap_hub", language)("busy.out") in answer.text
    assert f'<html lang="{language}"' in answer.text
    assert answer.headers["cache-control"] == "no-store"
    after_s = answer.headers["retry-after"]
    assert f'<meta http-equiv="refresh" content="{after_s}">' in answer.text
    assert len(full.pages.asked) == PLAYERS_AT_ONCE


def test_who_asks_for_no_language_reads_the_hub_s_and_who_chose_one_that(full: House) -> None:
    assert '<html lang="de"' in full.client.get("/").text
    assert '<html lang="pl"' in full.client.get("/?lang=pl", accept_language="es").text


def test_not_all_come_back_at_the_same_moment(full: House) -> None:
    assert {full.client.get("/").headers["retry-after"] for _ in range(10)} == {"3", "4", "5", "6", "7"}


def test_a_form_waits_where_a_page_is_sent_away(full: House) -> None:
    form = full.client.begin("POST", "/e/form", b"a=1")
    assert full.client.get("/").status_code == 503
    assert not form.done()
    full.pages.let.set()
    assert form.result(GUARD_S).status_code == 201


def test_a_form_whose_turn_never_comes_is_told_that_nothing_was_done(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_threads.page_queues, "FORM_S", 0.01)
    house.fill_players()
    answer = house.client.post("/e/form", data=b"a=1")
    assert answer.status_code == 503
    assert catalogue("roundtap_hub", "de")("busy.form.out") in answer.text
    assert "http-equiv" not in answer.text, "a form's address cannot be loaded again"
    assert len(house.pages.asked) == PLAYERS_AT_ONCE


# --- the hub's own pages --------------------------------------------------------------------------------------------


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[AsgiClient]:
    clock = HandClock()
    with running(tmp_path / "roundtap.db", clock) as service:
        make_event(service)
        made = hub_of(service, clock)
        with closing(AsgiClient(HubApplication(made), lifespan=True)) as client:
            client.organizer = {"cookie": f"roundtap_here={made.access.organizers.begin('127.0.0.1', '')}"}
            yield client


def test_the_hub_s_pages_name_files_that_are_there(hub: AsgiClient) -> None:
    page = hub.get("/e/e1")
    assert page.status_code == 200
    for name in ("phone.css", "phone.js"):
        url = StaticFiles().url(name)
        assert url in page.text
        assert hub.get(url).status_code == 200


def test_what_is_left_of_a_large_body_is_read_and_only_so_much_of_it() -> None:
    """A browser that was answered while it sent 20 MB showed an error of its own."""
    megabyte, asked = {"body": b"x" * 1_000_000, "more_body": True}, []

    async def receive() -> Any:
        asked.append(1)
        return {**megabyte, "more_body": len(asked) < 20}

    asyncio.run(discard_body(receive, 64_000_000, 30))
    assert len(asked) == 20
    asked.clear()
    asyncio.run(discard_body(receive, 5_000_000, 30))
    assert len(asked) == 5


def test_an_import_that_is_too_large_is_explained(hub: AsgiClient) -> None:
    answer = hub.begin("POST", "/console/import", b"x", hub.organizer, announced=FORM_BYTES_MAX + 1).result(GUARD_S)
    assert (answer.status_code, answer.headers["connection"]) == (413, "close")
    assert "<h1>" in answer.text


def test_a_form_reaches_the_hub_s_page(hub: AsgiClient) -> None:
    answer = hub.post("/login", data={"pin": "1"})
    assert answer.status_code == 403, "no token: it was read, and refused"


def test_reports_are_answered_while_the_pages_are_still_made(tmp_path: Path) -> None:
    clock, made = HandClock(), threading.Event()
    with running(tmp_path / "roundtap.db", clock) as service:
        app = HubApplication(hub_of(service, clock))
        build = app.pages._build
        app.pages._build = lambda: made.wait(GUARD_S) and build()  # type: ignore[method-assign, assignment, return-value]
        with closing(AsgiClient(app, lifespan=True)) as client:
            page = client.begin("GET", "/login")
            assert client.get("/time").status_code == 200
            assert client.post("/device/report", json={}).status_code == 403
            assert not page.done()
            made.set()
            assert page.result(GUARD_S).status_code == 200
