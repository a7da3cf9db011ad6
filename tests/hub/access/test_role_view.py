"""Whoever may not do something does not find it on the page: the console and the table of who may do what agree."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import Environment
from pages_kit import Browser, House, problem_of, text_of

import roundtap_hub
from roundtap_core.event.commands import DrawRound, FinishEvent, SetClock
from roundtap_core.event.entries import Entry
from roundtap_hub.http.routes import HEAD_JUDGE, JUDGE, ORGANIZER, SCOREKEEPER, STAFF_ROLES
from roundtap_hub.live.render import for_reader
from roundtap_hub.live.template_tags import RegionTags

PAGES = (
    "/console",
    "/console/e1",
    "/console/e1/officials",
    "/console/e1/person/p1",
    "/console/e1/units",
    "/console/e1/competitor/p1/list",
    "/console/e1/match/1.1",
    "/console/e1/players",
    "/console/e1/standings",
    "/console/e1/event",
    "/console/e1/paper",
    "/console/help",
)


def before(house: House) -> None:
    house.with_event()


def drawn(house: House) -> None:
    house.with_event()
    house.service.execute_one("e1", DrawRound(11), "test")


def running(house: House) -> None:
    house.with_event()
    house.publish()
    house.service.execute_one("e1", SetClock("start"), "test")
    house.place("unit-1", 1)
    house.says("unit-1", match="1.1", call=True, leave="b")
    house.report("1.2", "a", 100, 24)
    house.report("1.2", "b", 24, 100)


def between(house: House) -> None:
    house.with_event()
    house.publish()
    house.play()
    house.service.execute_one("e1", DrawRound(12), "test")


def over(house: House) -> None:
    house.with_event()
    house.publish()
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")


STATES = {each.__name__: each for each in (before, drawn, running, between, over)}


def forms_on(page: str) -> list[str]:
    return re.findall(r'<form\b[^>]*method="post"[^>]*action="([^"]+)"', page)


@pytest.mark.parametrize(
    ("role", "state"),
    [
        pytest.param(
            role, state, marks=() if state == "running" or (role, state) == (JUDGE, "before") else pytest.mark.long
        )
        for role in STAFF_ROLES
        for state in STATES
    ],
)
def test_every_button_on_a_page_is_one_that_this_role_may_press(house: House, role: str, state: str):
    """Each form of each page is sent, for another state than the hub's: nothing says that it is somebody else's."""
    STATES[state](house)
    browser = house.staff(role)
    for path in PAGES:
        answer = browser.opened(path)
        if answer.status_code == 404:
            continue
        assert answer.status_code == 200, path
        for action in sorted(set(forms_on(answer.text)) - {"/logout"}):
            answer = browser.post(action, step="course.another")
            assert answer.status_code in (302, 303, 400, 409), (path, action, answer.status_code, problem_of(answer))


@pytest.mark.parametrize("role", STAFF_ROLES)
def test_every_link_on_the_console_leads_where_this_role_may_go(house: House, role: str):
    running(house)
    browser = house.staff(role)
    for path in PAGES:
        for link in set(re.findall(r'href="(/console[^"#]*)', browser.opened(path).text)):
            assert browser.get(link).status_code == 200, (path, link)


def actions(browser: Browser, path: str = "/console/e1") -> set[str]:
    return {action.removeprefix("/console/e1") for action in forms_on(browser.opened(path).text)}


def test_what_each_role_finds_on_the_console(house: House):
    running(house)
    found = {role: actions(house.staff(role, f"Eva, {role}")) for role in STAFF_ROLES}
    assert {"/call", "/call/settled", "/accept", "/leave/refused", "/clock", "/finish"} <= found[ORGANIZER]
    assert {"/call", "/call/settled", "/accept", "/leave/refused", "/clock"} <= found[HEAD_JUDGE]
    assert "/finish" not in found[HEAD_JUDGE]
    assert {"/call", "/call/settled", "/accept"} <= found[JUDGE]
    assert not {"/leave/refused", "/clock", "/finish"} & found[JUDGE]
    assert not {"/call", "/accept", "/clock"} & found[SCOREKEEPER]
    keeper = house.staff(SCOREKEEPER, "Kai")
    on_match = actions(keeper, "/console/e1/match/1.1")
    assert 'action="/console/e1/match/1.1/walk"' in keeper.get("/console/e1/match/1.1").text
    assert "/match/1.1/ruling" not in on_match


def test_the_one_pin_finds_everything_as_ever(house: House):
    running(house)
    assert actions(house.organizer()) == actions(house.staff(ORGANIZER))


def test_whose_the_next_step_is_stands_where_its_button_would(house: House):
    drawn(house)
    assert "Done by: organizer" in text_of(house.staff(JUDGE).console())
    assert "Done by" not in text_of(house.staff(ORGANIZER, "Kai").console())


def test_two_roles_that_look_at_one_console_get_each_their_own(house: House):
    """It is kept as it was rendered, and what changed is sent alone."""
    running(house)
    judge, organizer = house.staff(JUDGE), house.organizer()
    before = re.findall(r'data-seen="([^"]+)"', judge.console().text)[0]
    assert "/console/e1/finish" in organizer.console().text
    house.report("1.3", "a", 100, 24)
    told = judge.get(f"/console/e1?since={before}").text
    assert '"regions"' in told
    assert "/finish" not in told
    assert "/clock" not in told


def test_a_refusal_says_who_may_and_nothing_was_done(house: House):
    drawn(house)
    judge = house.staff(JUDGE)
    judge.console()
    answer = judge.post("/console/e1/publish", number=1, attempt=1)
    assert answer.status_code == 403
    assert "You are logged in as judge. This action needs: organizer" in problem_of(answer)
    assert house.event.draft is not None


def test_entries_say_who_pressed_the_button_by_role_and_id_never_by_name(house: House):
    running(house)
    house.time_is_up()
    entries: list[Entry] = []
    judge = house.staff(JUDGE, "Eva Luz")
    house.service.execute([], "until that is told")
    house.service.listen(lambda _, some: entries.extend(some))
    judge.get("/console/e1/match/1.3")
    judge.post("/console/e1/match/1.3/ruling", text="measured again")
    assert (
        judge.post(
            "/console/e1/match/1.3/walk", way="time", **{"q.score.winner": 49, "q.score.loser": 77}, revision=0
        ).status_code
        == 303
    )
    (person,) = house.hub.access.organizers.staff.people
    assert [(entry.kind, entry.actor) for entry in entries] == [
        ("ruling-noted", f"judge:{person.id}"),
        ("result-entered", f"judge:{person.id}"),
    ]
    assert entries[0].data["by"] == "judge"
    assert house.hub.access.organizers.staff.name_of(entries[0].actor) == "Eva Luz"


def test_in_an_event_with_officials_a_judge_is_the_one_of_that_name_or_is_told_to_be_named(house: House):
    running(house)
    organizer, judge, stranger = house.organizer(), house.staff(JUDGE, "Eva Luz"), house.staff(JUDGE, "Kai Eich")
    organizer.post("/console/e1/officials", name="Marta Gil", role="organizer")
    organizer.post("/console/e1/officials", name="eva luz", role="judge")
    for browser in (judge, stranger):
        browser.get("/console/e1/match/1.3")
    # What a form says of who it was counts for nothing beside the session.
    judge.post("/console/e1/match/1.3/extension", minutes=3, by="o1")
    log = house.event.find_match("1.3")[1].log  # type: ignore[index]
    assert [(line.kind, line.by) for line in log] == [("extension", "o2")]
    answer = stranger.post("/console/e1/match/1.3/ruling", text="no", by="o2")
    assert "Kai Eich is not an official of this event" in problem_of(answer)
    house.hub.access.organizers.staff.link_official(house.hub.access.organizers.staff.people[1].id, "e1", "o2")
    stranger.post("/console/e1/match/1.3/ruling", text="no")
    assert len(house.event.find_match("1.3")[1].log) == 2  # type: ignore[index]


def marked(address: str, text: str, otherwise: str = "") -> str:
    return f"<:may {address}:>{text}{otherwise and '<:else:>'}{otherwise}<:end:>"


def seen(page: str, allowed: Callable[[str], bool]) -> str:
    return "".join(map(str, for_reader([page], allowed)))


def test_buttons_and_links_go_and_folds_that_held_nothing_else():
    """A fold or row goes with the last of its buttons; one within another, too. What is not marked stays."""
    draw, call = (
        marked("POST /console/e1/draw", "<form>draw</form>"),
        marked("POST /console/e1/call?x=1", "<form>call</form>"),
    )
    page = (
        f"<p>a</p><:maybe:><details>{draw}</details><:end:><:maybe:><details>{draw}{call}</details><:end:>"
        f"<:maybe:><details><:maybe:><details>{draw}</details><:end:></details><:end:>"
        f"<:maybe:><details>words</details><:end:>{marked('GET /console/hub', '<a>hub</a>', 'hub')}"
    )
    got = seen(page, lambda address: address == "POST /console/e1/call")
    assert got == "<p>a</p><details><form>call</form></details><details>words</details>hub"
    everything = seen(page, lambda _: True)
    assert everything.count("<form>draw</form>") == 3
    assert "<:" not in everything


def test_a_block_in_a_block_that_is_gone_keeps_no_fold():
    inner = marked("POST /console/e1/call", "<form>call</form>")
    page = f"<:maybe:><details>{marked('POST /console/e1/draw', inner)}</details><:end:>"
    assert seen(page, lambda address: address.endswith("call")) == ""


def test_the_account_s_menu_names_only_what_a_role_has(house: House):
    running(house)
    for role, has in ((JUDGE, {"Judge calls"}), (SCOREKEEPER, set()), (HEAD_JUDGE, {"Judge calls"})):
        page = house.staff(role, f"Eva, {role}").get("/console/e1").text
        menu = page.partition("</nav>")[2].partition('action="/logout"')[0]
        assert {name for name in ("New event", "Judge calls", "This hub") if name in menu} == has, role


def test_an_address_cannot_end_its_own_mark():
    made = Environment(extensions=[RegionTags]).from_string("{% may address %}<form>{% endmay %}")
    page = made.render(address="POST /console/e1/x:><:maybe:><b>")
    assert seen(page, lambda _: False) == ""
    assert seen(page, lambda _: True) == "<form>"


def test_an_organizer_can_read_what_an_archived_event_s_forms_held(house: House):
    house.with_event()
    house.publish()
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    house.organizer().post("/console/e1/archive")
    assert "e1" in house.service.snapshot.venue.archived
    assert 'name="club"' in house.organizer().get("/console/e1/person/p1").text


def test_every_form_of_the_console_stands_in_its_mark():
    """Else it would be shown to readers whom the hub refuses."""
    for template in (Path(roundtap_hub.__file__).parent).glob("*/templates/*.html"):
        text = template.read_text(encoding="utf-8")
        for form in re.finditer(r"""<form\b[^>]*action="\{\{ (url_for\('console\.[^}]*?) \}\}[^>]*>""", text):
            if 'method="post"' in form[0]:
                assert text[: form.start()].rpartition("{% may ")[2].startswith(f'"POST " ~ {form[1]} %}}'), form[0]
