"""Before round 1 the console lists what is missing, with a link to each, and takes "play on, noted"."""

import re

import pytest
from pages_kit import Browser, House, problem_of, text_of

FOUR = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz"]
HOUSES = {f"houses/{n}": house for n, house in enumerate(("Brobnar", "Dis", "Logos"))}


def keyforge(house: House, language: str = "en") -> Browser:
    browser = house.browser(language)
    browser.log_in()
    browser.post(
        "/console",
        name="Winter Open",
        rulebook="keyforge-archon",
        color="#00785A",
        level="formal",
        structure="own",
        swiss_rounds=2,
    )
    browser.post("/console/e1/competitors", names="\n".join(FOUR))
    return browser


def hand_in(browser: Browser, competitor: str, deck: str) -> None:
    seen = re.search(r'name="seen" value="([^"]*)"', browser.get(f"/console/e1/competitor/{competitor}/list").text)
    assert seen
    answer = browser.post(
        f"/console/e1/competitor/{competitor}/list", identity=deck, identity_card="1", seen=seen[1], **HOUSES
    )
    assert answer.status_code == 303, problem_of(answer)


def points_of(page: str) -> list[str]:
    return re.findall(r'<input type="hidden" name="point" value="([^"]+)"', page)


def test_publish_is_refused_and_the_list_of_what_is_missing_leads_to_each_list(house: House):
    browser = keyforge(house)
    hand_in(browser, "p1", "Ana's deck")
    browser.post("/console/e1/draw", attempt=0)
    page = browser.console().text
    assert points_of(page) == ["list_missing:p2", "list_missing:p3", "list_missing:p4"]
    assert "1 open item" in page
    assert "<summary>3 lists missing</summary>" in page
    assert '<a href="/console/e1/competitor/p2/list">' in page
    assert 'action="/console/e1/publish"' not in page
    answer = browser.post("/console/e1/publish", number=1, attempt=1)
    assert answer.status_code == 409
    assert "1 item is open" in problem_of(answer), "as the page counts them"
    assert house.event.live is None


def test_lists_are_not_needed_tonight_in_one_press_and_the_draft_stays(house: House):
    browser = keyforge(house)
    browser.post("/console/e1/draw", attempt=0)
    drawn = house.event.draft
    browser.get("/console/e1")
    house.time.ms += 60_000
    assert browser.post("/console/e1/options/lists").status_code == 303
    assert browser.said("/console/e1").startswith("Lists are not needed today. Undo")
    page = browser.get("/console/e1").text
    assert house.event.draft == drawn
    assert 'id="points"' not in page
    assert not re.search(r'data-go="[pl]"[^>]*><span>[^<]*</span> <b class="places-n"', page)
    house.time.ms += 60_000
    browser.post("/console/e1/undo", number=house.event.number)
    assert browser.said("/console/e1").startswith("Lists are required. Undo")
    assert house.event.draft == drawn
    assert 'id="points"' in browser.get("/console/e1").text
    house.time.ms += 60_000
    browser.post("/console/e1/undo", number=house.event.number)
    assert browser.post("/console/e1/publish", number=1, attempt=1).status_code == 303


def test_after_round_1_is_published_anyway_nothing_is_asked_for_and_nothing_announced_changes(house: House):
    browser = keyforge(house)
    browser.post("/console/e1/draw", attempt=0)
    browser.get("/console/e1")
    browser.post("/console/e1/play-on", number=1, attempt=1, reason="Lists come later.")
    assert 'id="points"' not in browser.get("/console/e1").text
    refused = browser.post("/console/e1/options/lists")
    assert refused.status_code == 409
    assert "the options are locked" in problem_of(refused)


def test_play_on_noted_publishes_and_the_rules_page_says_so(house: House):
    browser = keyforge(house)
    for competitor, deck in (("p1", "Ana's deck"), ("p2", "ana's  DECK"), ("p3", "Third"), ("p4", "Fourth")):
        hand_in(browser, competitor, deck)
    browser.post("/console/e1/draw", attempt=0)
    points = points_of(browser.console().text)
    assert points == ["deck_twice:p2"]
    sent = {"number": 1, "attempt": 1, "point": points}
    assert browser.post("/console/e1/play-on", reason=" ", **sent).status_code == 409
    assert browser.post("/console/e1/play-on", reason="Both are printed so.", **sent).status_code == 303
    assert house.event.live
    rules = text_of(house.browser("es").get("/rules/e1"))
    assert "Pendiente al empezar Motivo: Both are printed so." in rules
    assert "El mazo de Bruno M. se llama igual que otro." in rules


def test_with_everything_there_publish_is_one_button(house: House):
    browser = keyforge(house)
    for n in range(1, 5):
        hand_in(browser, f"p{n}", f"Deck {n}")
    browser.post("/console/e1/draw", attempt=0)
    page = browser.console().text
    assert 'action="/console/e1/publish"' in page
    assert 'id="points"' not in page
    assert browser.post("/console/e1/publish", number=1, attempt=1).status_code == 303


def test_what_was_not_on_the_page_is_not_played_on_with(house: House):
    browser = keyforge(house)
    for n in range(1, 5):
        hand_in(browser, f"p{n}", f"Deck {n}")
    browser.post("/console/e1/draw", attempt=0)
    hand_in(browser, "p3", "deck 1")
    answer = browser.post("/console/e1/play-on", number=1, attempt=1, reason="All is well.", point=["deck_twice:p4"])
    assert answer.status_code == 409
    assert "The open items have changed" in problem_of(answer)
    assert house.event.live is None


@pytest.mark.parametrize("language", ["es", "de", "pl"])
def test_the_points_are_told_in_every_language(house: House, language: str):
    keyforge(house).post("/console/e1/draw", attempt=0)
    browser = house.browser(language)
    browser.log_in()
    page = text_of(browser.console())
    assert page.count("Bruno Maier") >= 2
    assert "has not submitted" not in page


@pytest.mark.parametrize("level", ["friendly", "competitive"])
def test_a_friendly_warlords_event_is_published_without_lists_and_a_competitive_one_is_stopped(
    house: House,
    level: str,
):
    """ "Presentación de listados": lists are demanded in competitive events only."""
    browser = house.browser()
    browser.log_in()
    browser.post(
        "/console",
        name="Winter Open",
        rulebook="warlords-of-terra",
        color="#00785A",
        level=level,
        structure="own",
        swiss_rounds=2,
        prize_places=0,
    )
    browser.post("/console/e1/competitors", names="\n".join(FOUR))
    browser.post("/console/e1/draw", attempt=0)
    page = browser.console().text
    answer = browser.post("/console/e1/publish", number=1, attempt=1)
    if level == "friendly":
        assert 'action="/console/e1/publish"' in page
        assert answer.status_code == 303, problem_of(answer)
        assert house.event.live
    else:
        assert points_of(page) == [f"list_missing:p{n}" for n in range(1, 5)]
        assert answer.status_code == 409
        assert house.event.live is None
