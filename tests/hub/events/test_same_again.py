"""A finished event makes the next one like it: what it takes along, how it is called, and what a second press does."""

from fridays_kit import GAME, four_fridays, friday
from own_games_kit import keep, rules
from pages_kit import House, here

from roundtap_core.event import commands as c
from roundtap_core.event.setup import DATE
from roundtap_core.event.states import Prize
from roundtap_core.rulebooks.own_rules import rules_id
from roundtap_hub.events.new_event import next_name


def test_a_name_is_counted_up_and_one_without_a_number_has_the_date() -> None:
    for before, after in (
        ("Friday 12", "Friday 13"),
        ("Friday 99", "Friday 100"),
        ("Liga #009", "Liga #010"),
        ("Winter Open", "Winter Open 2026-11-27"),
        ("Winter Open 2026", "Winter Open 2026 2026-11-27"),
        ("Winter Open 2026-11-20", "Winter Open 2026-11-27"),
        ("Freitag 20.11.26", "Freitag 20.11.26 2026-11-27"),
        ("Ż" * 80, "Ż" * 69 + " 2026-11-27"),
    ):
        assert next_name(before, "2026-11-27") == after
    assert next_name("Friday 12", "", {"Friday 13", "Friday 14"}) == "Friday 15"
    assert next_name("Winter Open", "") == "Winter Open", "a hub that does not know the day"


def test_the_next_event_has_everything_but_the_people(house: House) -> None:
    house.time.wall = here("2026-11-27T18:00:00")
    event_id = friday(house.service, "Friday 12", "2026-11-20", ["Ana Ruiz", "Eva Luz"])
    prizes = (Prize("playmat", 1, 1), Prize("dice", category="best newcomer", competitor="p2"))
    house.service.execute_one(event_id, c.ReopenEvent(), "test")
    house.service.execute_one(event_id, c.SetPrizes(prizes), "test")
    house.service.execute_one(event_id, c.FinishEvent("a test"), "test")
    answer = house.organizer().post(f"/console/{event_id}/again")
    assert answer.location == "/console/e2/check-in"
    before, made = house.service.snapshot.event("e1"), house.service.snapshot.event("e2")
    assert (made.name, made.about) == ("Friday 13", {"date": "2026-11-27", "venue": "The Store"})
    for same in ("rulebook_id", "rules", "level", "given_options", "color", "check_in", "sign_up"):
        assert getattr(made, same) == getattr(before, same), same
    assert made.seed != before.seed
    assert made.prizes == (Prize("playmat", 1, 1), Prize("dice", category="best newcomer"))
    assert not made.entrants


def test_the_rules_of_a_store_s_own_game_are_those_that_were_played(house: House) -> None:
    event_id = friday(house.service, "Friday 12", "2026-11-20", ["Ana Ruiz", "Eva Luz"])
    keep(house.service, GAME.replace("win = 3", "win = 2"))
    house.organizer().post(f"/console/{event_id}/again")
    assert house.service.snapshot.event("e2").rulebook_id == rules_id(rules(GAME))


def test_a_second_press_leads_to_the_event_that_the_first_one_made(house: House) -> None:
    newest = four_fridays(house.service, ["Ana Ruiz", "Eva Luz"])[-1]
    first, second = (house.organizer().post(f"/console/{newest}/again").location for _ in range(2))
    assert first == second == "/console/e5/check-in"
    assert len(house.service.snapshot.ids) == 5


def test_where_the_next_one_was_played_the_number_goes_on(house: House) -> None:
    first, *_ = four_fridays(house.service, ["Ana Ruiz", "Eva Luz"])
    house.organizer().post(f"/console/{first}/again")
    assert house.service.snapshot.event("e5").name == "Friday 13"


def test_every_press_leads_to_one_event_where_the_next_names_were_played(house: House) -> None:
    """From "Friday 9", while 10 to 12 were played."""
    first, *_ = four_fridays(house.service, ["Ana Ruiz", "Eva Luz"])
    desk = house.organizer()
    assert {desk.post(f"/console/{first}/again").location for _ in range(3)} == {"/console/e5/check-in"}
    assert len(house.service.snapshot.ids) == 5


def test_the_longest_name_is_cut_before_its_number() -> None:
    assert next_name("F" * 79 + "9", "") == "F" * 78 + "10"


def test_a_hub_without_the_time_of_day_leaves_the_date_open(house: House) -> None:
    event_id = friday(house.service, "Winter Open", "2026-11-20", ["Ana Ruiz", "Eva Luz"])
    house.organizer().post(f"/console/{event_id}/again")
    made = house.service.snapshot.event("e2")
    assert (made.name, made.about.get(DATE)) == ("Winter Open", None)


def test_it_is_offered_in_the_list_of_events_and_at_the_end_of_an_event(house: House) -> None:
    event_id = friday(house.service, "Friday 12", "2026-11-20", ["Ana Ruiz", "Eva Luz"])
    scorekeeper = house.staff("scorekeeper")
    for page in ("/console", f"/console/{event_id}"):
        assert f'action="/console/{event_id}/again"' in house.organizer().get(page).text
        assert f'action="/console/{event_id}/again"' not in scorekeeper.get(page).text
    house.organizer().post(f"/console/{event_id}/again")
    for page in ("/console", "/console/e2"):
        assert 'action="/console/e2/again"' not in house.organizer().get(page).text
