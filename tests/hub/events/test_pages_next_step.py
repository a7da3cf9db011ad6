"""What players settle before each game is announced to everybody, as the rulebook's document has it."""

import pytest
from hub_kit import person_of
from pages_kit import House, problem_of, text_of
from wire_json import table_json

from roundtap_core.event.commands import EnterCompetitor, NoteLot
from roundtap_core.event.states import Entrant
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.store.journal import PersonRecord


def announced(house: House, rulebook: str, language: str = "en") -> str:
    browser = house.organizer()
    browser.post(
        "/console", name="Open", rulebook=rulebook, color="#00785A", structure="own", swiss_rounds=2, prize_places=0
    )
    return text_of(house.browser(language).get("/rules/e1"))


@pytest.mark.parametrize(
    ("rulebook", "said"),
    [
        ("xwing-standard", "lower list total chooses initiative. If totals are equal, a random draw decides"),
        ("xwing-standard", "Do not play before the round has started."),
        ("xwing-epic-duel", "lower list total chooses initiative. If totals are equal, a random draw decides"),
        ("xwing-epic-team", "a random draw decides which captain"),
        ("keyforge-archon", "A random draw decides who starts, never an agreement"),
        ("keyforge-archon", "No dice, not even as counters"),
        ("keyforge-sealed", "No dice, not even as counters"),
        ("keyforge-archon", "You may read your opponent's deck list for two minutes, only before the game."),
        ("keyforge-sealed", "You may look through a newly opened deck briefly"),
        ("keyforge-sealed", "the loser of the last game chooses who starts"),
        ("warlords-of-terra", "Both players first reveal their hero for the whole event."),
        ("shatterpoint-premier", "both pick two squads and the mission set"),
    ],
)
def test_what_is_settled_before_a_game_is_announced(house: House, rulebook: str, said: str):
    assert said in announced(house, rulebook).partition("Before each game")[2]


def at_a_table(house: House, rulebook: str, totals: tuple[int | None, int | None]) -> str:
    """Two players with lists of these totals at table 1, where unit-1 stands; the competitor at side a."""
    browser = house.organizer()
    browser.post("/console", name="Open", rulebook=rulebook, color="#00785A", structure="own", swiss_rounds=1)
    for who, total in zip(("p1", "p2"), totals, strict=True):
        house.service.execute_one(
            "e1",
            EnterCompetitor(Entrant(who, who, list_total=total)),
            "test",
            [PersonRecord("e1", who, "salt", person_of({"p1": "Ana Ruiz", "p2": "Bruno Maier"}[who], rulebook))],
        )
    house.place("unit-1", 1)
    house.publish()
    return house.event.live.matches[0].match.a


def fronts(house: House) -> dict[str, str]:
    """What phone, match page and table say."""
    return {
        "phone": text_of(house.browser().get("/e/e1/p/p1")),
        "match": text_of(house.organizer().get("/console/e1/match/1.1")),
        "table": table_json(house.service.snapshot, "unit-1")["match"]["before_play"],
    }


@pytest.mark.parametrize("rulebook", ["xwing-standard", "xwing-epic-duel", "xwing-epic-team"])
def test_whose_list_costs_less_is_named_at_every_front(house: House, rulebook: str):
    side_a = at_a_table(house, rulebook, (90, 99))
    said = fronts(house)
    shown = "Ana Ruiz" if RULEBOOKS[rulebook].team_size > 1 else "Ana R."  # Teams have no short name.
    assert f"Lower list total: {shown} chooses initiative" in said["phone"]
    assert "Lower list total: Ana Ruiz chooses initiative" in said["match"]
    assert said["table"] == {"about": "initiative", "side": "a" if side_a == "p1" else "b", "lot": False}


def test_lists_that_cost_the_same_draw_lots_once(house: House):
    at_a_table(house, "xwing-standard", (99, 99))
    assert "A random draw decides who chooses initiative" in fronts(house)["phone"]
    browser = house.organizer()
    browser.get("/console/e1/match/1.1")
    browser.post("/console/e1/match/1.1/before-play", about="initiative")
    drawn = house.event
    for _ in range(3):
        browser.post("/console/e1/match/1.1/before-play", about="initiative")
    assert house.event.head == drawn.head
    side = house.event.live.matches[0].lots["initiative"]
    said = fronts(house)
    assert "Random draw:" in said["phone"]
    assert said["table"] == {"about": "initiative", "side": side, "lot": True}


def test_a_phone_draws_the_lot_once_and_it_is_on_record_as_that_player_s(house: House):
    at_a_table(house, "xwing-standard", (99, 99))
    browser, me = house.browser(), house.hub.access.links.path("e1", "p2")
    drawn = browser.post(f"{me}/lot", about="initiative")
    assert (drawn.status_code, drawn.headers["Location"]) == (303, me)
    lot = house.service.journal.streams()["e1"][-1]
    assert (lot.kind, lot.actor) == ("lot-drawn", "phone:p2")
    side = house.event.live.matches[0].lots["initiative"]
    assert fronts(house)["table"] == {"about": "initiative", "side": side, "lot": True}
    assert "Random draw:" in text_of(browser.get(me))
    # The first stands, whoever asks again.
    for _ in range(3):
        house.browser().post(f"{house.hub.access.links.path('e1', 'p1')}/lot", about="initiative")
    assert house.event.head == lot.hash


def test_a_phone_that_asks_for_a_lot_of_another_draw_is_told_so(house: House):
    at_a_table(house, "xwing-standard", (99, 99))
    me = house.hub.access.links.path("e1", "p1")
    refused = house.browser().post(f"{me}/lot", about="initiative", draw="another")
    assert refused.status_code == 409
    assert house.event.live.matches[0].lots == {}
    strange = house.browser().post(f"{me}/lot", about="who pays")
    assert strange.status_code == 400
    assert problem_of(strange)
    assert house.event.live.matches[0].lots == {}


def test_unknown_totals_name_nobody(house: House):
    at_a_table(house, "xwing-standard", (99, None))
    said = fronts(house)
    assert "initiative" not in said["phone"]
    assert said["table"] is None


def test_the_first_player_drawn_is_told_to_phone_table_and_officials(house: House):
    at_a_table(house, "keyforge-archon", (None, None))
    assert "A random draw decides who starts." in fronts(house)["phone"]
    house.service.execute_one("e1", NoteLot("1.1", "first_player", "b"), "unit:unit-1")
    said = fronts(house)
    assert "Random draw:" in said["phone"]
    assert "Random draw:" in said["match"]
    assert table_json(house.service.snapshot, "unit-1")["match"]["lots"] == {"first_player": "b"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rulebook", [book.id for book in RULEBOOKS.values() if book.before_play])
def test_it_is_said_in_every_language(house: House, rulebook: str, language: str):
    page, words = announced(house, rulebook, language), core_words(language)
    for key in ("sheet.before_play", *RULEBOOKS[rulebook].before_play):
        assert words(key) in page
