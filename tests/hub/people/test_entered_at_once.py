"""People entered from several places at the same moment: each page has looked before any of them is written."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from pages_kit import House, problem_of
from test_pages_import_people import fields_of, known, pasted
from werkzeug.test import TestResponse

from patience import GUARD_S

DESK, SIGN_UP = "/console/e1/competitors", "/join/e1"
PATIENCE_S = GUARD_S


def at_once(house: House, patch: pytest.MonkeyPatch, *asking: Callable[[], TestResponse]) -> list[TestResponse]:
    """The answers, where everybody's page has been read before the writer hears of the first."""
    all_looked, submit, first = threading.Barrier(len(asking)), house.service.submit, threading.local()

    def submit_together(*request: object) -> object:
        if not hasattr(first, "asked"):
            first.asked = True
            all_looked.wait(PATIENCE_S)
        return submit(*request)  # type: ignore[arg-type]

    patch.setattr(house.service, "submit", submit_together)
    with ThreadPoolExecutor(len(asking)) as threads:
        return [answer.result(PATIENCE_S) for answer in [threads.submit(ask) for ask in asking]]


def test_two_desks_a_table_and_phones_enter_people_and_nobody_is_refused(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, other_desk, third_desk = house.with_event(), house.organizer(), house.organizer()
    desk.get("/console/e1/sign-up")
    desk.post("/console/e1/sign-up", sign_up="open")
    table = fields_of(pasted(third_desk, "Name\nZoe Adler\nYan Baum\n"))
    phones = [house.browser() for _ in range(40)]

    answers = at_once(
        house,
        monkeypatch,
        lambda: desk.post(DESK, names="Nina Wolf\nOle Fuchs"),
        lambda: other_desk.post(DESK, names="Pia Luchs"),
        lambda: third_desk.post("/console/e1/import/people", **table),
        *(lambda phone=phone, n=n: phone.post(SIGN_UP, name=f"Phone {n}") for n, phone in enumerate(phones)),
    )

    assert [problem_of(answer) for answer in answers] == [""] * 43
    people = house.service.snapshot.people["e1"]
    assert set(known(house)) >= {
        "Nina Wolf",
        "Ole Fuchs",
        "Pia Luchs",
        "Zoe Adler",
        "Yan Baum",
        *(f"Phone {n}" for n in range(40)),
    }
    assert list(house.event.entrants) == [f"p{n}" for n in range(1, 52)], "an id each, and none is left out"
    for n, answer in enumerate(answers[3:]):
        link = house.hub.access.links.path("e1", next(who for who in people if people[who].name == f"Phone {n}"))
        assert answer.location == link, "each phone is at its own person's page"


def test_two_latecomers_at_two_desks_both_come_in(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, other_desk = house.with_event(), house.organizer()
    house.publish()
    answers = at_once(
        house, monkeypatch, lambda: desk.post(DESK, names="Nina Wolf"), lambda: other_desk.post(DESK, names="Pia Luchs")
    )
    assert [problem_of(answer) for answer in answers] == ["", ""]
    assert {"Nina Wolf", "Pia Luchs"} <= set(known(house))


def test_one_name_from_two_places_is_entered_once_and_the_other_place_is_told(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, other_desk = house.with_event(), house.organizer()
    answers = at_once(
        house,
        monkeypatch,
        lambda: desk.post(DESK, names="Nina Wolf"),
        lambda: other_desk.post(DESK, names="Pia Luchs\nnina WOLF", same_name="1"),
    )
    said = sorted(problem_of(answer) for answer in answers)
    assert said[0] == ""
    assert "was registered elsewhere" in said[1]
    assert len(house.event.entrants) in (7, 8), "all of a form, or none"


def test_one_name_by_two_phones_is_the_desk_s_to_settle(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = house.with_event()
    desk.get("/console/e1/sign-up")
    desk.post("/console/e1/sign-up", sign_up="open")
    phones = house.browser(), house.browser()
    answers = at_once(
        house, monkeypatch, *(lambda phone=phone: phone.post(SIGN_UP, name="Nina Wolf") for phone in phones)
    )
    assert sum("ask the desk for your link" in problem_of(answer) for answer in answers) == 1
    assert len(house.event.entrants) == 7


def test_one_player_in_two_teams_from_two_places_is_in_one(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, other_desk = house.organizer(), house.organizer()
    desk.post("/console", name="Epic", rulebook="xwing-epic-team", structure="own", swiss_rounds=2, color="#00785A")
    answers = at_once(
        house,
        monkeypatch,
        lambda: desk.post(DESK, names="Falken: Ana Ruiz, Kai Eich"),
        lambda: other_desk.post(DESK, names="Milan: Kai Eich, Eva Luz"),
    )
    assert sum("Kai Eich was registered elsewhere" in problem_of(answer) for answer in answers) == 1
    assert len(house.event.entrants) == 1
