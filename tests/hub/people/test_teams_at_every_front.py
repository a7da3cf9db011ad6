"""Nobody plays in two teams, and a team has two members and a captain: one decision, asked by every front."""

from collections.abc import Callable

import pytest
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.errors import Problem
from roundtap_core.event.commands import ChangePerson, EnterCompetitor
from roundtap_core.event.entries import Person
from roundtap_core.event.states import Entrant
from roundtap_hub.store.journal import PersonRecord

DESK = "/console/e1/competitors"
FALCONS = "Falken: Ana Ruiz, Kai Eich"
ALREADY = "Kai Eich already plays for Falken"


@pytest.fixture
def epic(house: House) -> Browser:
    desk = house.organizer()
    desk.post("/console", name="Epic", rulebook="xwing-epic-team", structure="own", swiss_rounds=2, color="#00785A")
    return desk


def teams(house: House) -> list[tuple[str, ...]]:
    return [person.members for _, person in sorted(house.service.snapshot.people.get("e1", {}).items())]


LINES = {
    "the same people twice": ((FALCONS, FALCONS), "already plays for Falken"),
    "a team of one first": (("Falken: Eva Luz", FALCONS), "has 2 members"),
    "a team of one last": ((FALCONS, "Falken: Eva Luz"), "has 2 members"),
    "a team of three first": (("Falken: Eva Luz, Zoe Can, Jo Wolf", FALCONS), "has 2 members"),
    "one of both in the other": ((FALCONS, "Falken: Kai Eich, Eva Luz"), ALREADY),
    "spelled otherwise": ((FALCONS, "Milan: KAI  EICH, Eva Luz"), "already plays for Falken"),
    "twice in one": (("Falken: Kai Eich, Kai Eich",), ALREADY),
    "nobody": (("Falken",), "has 2 members"),
}


@pytest.mark.parametrize("same_name", ["", "1"])
@pytest.mark.parametrize("lines", LINES)
def test_every_line_is_checked(house: House, epic: Browser, lines: str, same_name: str) -> None:
    typed, says = LINES[lines]
    answer = epic.post(DESK, names="\n".join(typed), same_name=same_name)
    assert answer.status_code in (400, 409)
    assert says in problem_of(answer) or (not same_name and "“Falken” is already" in problem_of(answer))
    assert teams(house) == []


def test_two_teams_of_one_name_and_of_different_people_are_entered(house: House, epic: Browser) -> None:
    answer = epic.post(DESK, names=f"{FALCONS}\nFalken: Eva Luz, Zoe Can", same_name="1")
    assert answer.status_code == 303
    assert teams(house) == [("Ana Ruiz", "Kai Eich"), ("Eva Luz", "Zoe Can")]


def test_the_message_about_several_of_them_counts_teams(house: House, epic: Browser) -> None:
    house.time.ms += 1000
    epic.post(DESK, names=f"{FALCONS}\nMilan: Eva Luz, Zoe Can")
    assert epic.said().startswith("2 teams registered.")


def by_lines(house: House, desk: Browser) -> str:
    return problem_of(desk.post(DESK, names="Milan: Eva Luz, Kai Eich"))


def by_the_form(house: House, desk: Browser) -> str:
    return problem_of(desk.post(DESK, names="Milan", member_1="Eva Luz", member_2="Kai Eich", captain="1"))


def by_a_confirmed_namesake(house: House, desk: Browser) -> str:
    return problem_of(desk.post(DESK, names="Falken", same_name="1", member_1="Eva Luz", member_2="kai eich"))


def by_phone(house: House, desk: Browser) -> str:
    desk.get("/console/e1/sign-up")
    desk.post("/console/e1/sign-up", sign_up="open")
    phone = house.browser()
    return problem_of(phone.post("/join/e1", name="Milan", member_1="Eva Luz", member_2="Kai Eich", captain="2"))


def by_an_import(house: House, desk: Browser) -> str:
    table = "Team;Captain;Player 2\nMilan;Eva Luz;Kai Eich\n"
    return text_of(desk.post("/console/e1/import/table", pasted=table))


def by_changing_a_team(house: House, desk: Browser) -> str:
    desk.post(DESK, names="Milan: Eva Luz, Zoe Can")
    return problem_of(
        desk.post(f"{DESK}/p2/details", name="Milan", member_1="Eva Luz", member_2="Kai Eich", captain="1")
    )


@pytest.mark.parametrize(
    "front", [by_lines, by_the_form, by_a_confirmed_namesake, by_phone, by_an_import, by_changing_a_team]
)
def test_no_front_enters_somebody_twice(house: House, epic: Browser, front: Callable[[House, Browser], str]) -> None:
    assert epic.post(DESK, names=FALCONS).status_code == 303
    assert "ai eich already plays for falken" in front(house, epic).lower()
    everybody = [member for team in teams(house) for member in team]
    assert len(everybody) == len(set(everybody))
    assert "Eva Luz" not in everybody or front is by_changing_a_team


BROKEN = {
    "no members": Person("Milan"),
    "one member": Person("Milan", members=("Eva Luz",), captain="Eva Luz"),
    "three members": Person("Milan", members=("Eva Luz", "Zoe Can", "Jo Wolf"), captain="Eva Luz"),
    "no captain": Person("Milan", members=("Eva Luz", "Zoe Can")),
    "another captain": Person("Milan", members=("Eva Luz", "Zoe Can"), captain="Jo Wolf"),
    "one twice": Person("Milan", members=("Eva Luz", "eva luz"), captain="Eva Luz"),
    "one of another": Person("Milan", members=("Eva Luz", "Kai Eich"), captain="Eva Luz"),
    "all of another": Person("Falken", members=("Ana Ruiz", "Kai Eich"), captain="Ana Ruiz"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_the_writer_takes_no_broken_team_from_anybody(house: House, epic: Browser, broken: str) -> None:
    """Whatever front is added: entering and changing a team are decided in one place."""
    epic.post(DESK, names=f"{FALCONS}\nMilan: Jan Roth, Ida Weil")
    person, before = BROKEN[broken], teams(house)
    entered = EnterCompetitor(Entrant("p3", person.digest("salt")))
    for who, command in (("p3", entered), ("p2", ChangePerson("p2", person.digest("salt")))):
        with pytest.raises(Problem):
            house.service.execute_one("e1", command, "test", [PersonRecord("e1", who, "salt", person)])
        assert teams(house) == before


def test_what_was_broken_before_may_be_renamed(house: House, epic: Browser) -> None:
    """A file may hold a team without members: its name is corrected without asking for them."""
    person = Person("Milan")
    command = EnterCompetitor(Entrant("p1", person.digest("salt")), imported=True)
    house.service.execute_one("e1", command, "test", [PersonRecord("e1", "p1", "salt", person)])
    assert epic.post(f"{DESK}/p1/details", name="Mailand").status_code == 303
    assert house.service.snapshot.people["e1"]["p1"].name == "Mailand"


def test_a_team_keeps_its_two_members_when_both_fields_are_emptied(house: House, epic: Browser) -> None:
    epic.post(DESK, names=FALCONS)
    answer = epic.post(f"{DESK}/p1/details", name="Falken", member_1="", member_2="", captain="1")
    assert "has 2 members" in problem_of(answer)
    assert teams(house) == [("Ana Ruiz", "Kai Eich")]
