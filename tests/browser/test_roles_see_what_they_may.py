"""What each role of the staff is shown: no form and no button of the console, in any state, that would be refused."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hall_kit import Hall
from page_table import paths
from screen_kit import Screen

from roundtap_hub.access.policy import is_allowed
from roundtap_hub.http.routes import HEAD_JUDGE, JUDGE, ROUTES, SCOREKEEPER

ROLES = (SCOREKEEPER, JUDGE, HEAD_JUDGE)
OF_EVENT = [
    address
    for address in ROUTES
    if address.startswith("GET /console/<event_id>")
    and not address.endswith((".json", ".csv"))
    and "/find" not in address
]
FORM = re.compile(r"<form[^>]*method=\"post\"[^>]*action=\"([^\"#?]+)[^\"]*\"[^>]*>(.*?)</form>", re.S)
ELSEWHERE = re.compile(r"formaction=\"(/[^\"#?]+)")

IN_SHORT = ("before play", "draft", "troubles", "cut", "finished")
"""States in which the console has the most different things to press."""


def pin_of(hall: Hall, role: str) -> str:
    known = len(hall.house.hub.access.organizers.staff.people)
    _, pin = hall.house.hub.access.organizers.staff.add(f"Number {known}", role)
    return str(pin)


@pytest.mark.parametrize(
    ("role", "states"),
    [
        pytest.param(SCOREKEEPER, IN_SHORT, id=SCOREKEEPER),
        *(pytest.param(role, (), id=f"{role}-long", marks=pytest.mark.long) for role in ROLES),
    ],
)
def test_no_form_is_shown_that_would_be_refused(full_hall: Hall, role: str, states: Sequence[str]) -> None:
    """`states`: of these events; of all where none is named."""
    hall = replace(full_hall, events={state: full_hall.events[state] for state in states or full_hall.events})
    browser = full_hall.house.browser()
    browser.log_in(pin_of(full_hall, role))
    snapshot = full_hall.house.service.snapshot
    refused: set[str] = set()
    forms = 0
    for address in OF_EVENT:
        for path in paths(hall, address):
            answer = browser.get(path)
            if answer.status_code != 200:
                continue
            for action, inside in FORM.findall(answer.text):
                for asked in (action, *ELSEWHERE.findall(inside)):
                    forms += 1
                    if asked.startswith("/console") and not is_allowed(snapshot, role, f"POST {asked}"):
                        refused.add(f"{path}: {asked}")
    assert forms
    assert not refused, "\n".join(sorted(refused))


@pytest.mark.long
def test_a_scorekeeper_s_own_screen_has_no_dead_button(full_hall: Hall, screen: Screen) -> None:
    """As the browser shows it, with its scripts: what can be pressed on the console leads somewhere."""
    screen.log_in(full_hall.url, pin_of(full_hall, SCOREKEEPER))
    snapshot = full_hall.house.service.snapshot
    for state in IN_SHORT:
        screen.open(f"{full_hall.url}/console/{full_hall.events[state]}")
        shown: list[str] = screen.run("""
            return [...document.querySelectorAll("form[method=post] button, form[method=post] input[type=submit]")]
                .filter((one) => one.checkVisibility())
                .map((one) => one.getAttribute("formaction") || one.form.getAttribute("action"))
                .map((path) => new URL(path, document.baseURI).pathname);""")
        dead = [
            path
            for path in shown
            if path.startswith("/console") and not is_allowed(snapshot, SCOREKEEPER, f"POST {path}")
        ]
        assert dead == [], state
