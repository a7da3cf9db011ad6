"""What differs by rulebook on the pages: options of a new event, teams, the cut's own order, tie-break rounds."""

import re

import pytest
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult, MakeCut
from roundtap_core.event.states import tournament_of
from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.own_words import words_of
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.standings.standings import open_ties
from roundtap_core.words import core_words
from roundtap_hub.events.new_event import flatten_options, read_options
from roundtap_hub.views.saved_event import saved_event


def create(house: House, rulebook: str, people: str = "", **fields: object) -> Browser:
    browser = house.organizer()
    browser.post("/console", name="Winter Open", rulebook=rulebook, color="#00785A", **fields)
    if people:
        browser.post("/console/e1/competitors", names=people)
    return browser


def play(house: House, *results: Result) -> None:
    """Draw and publish a round, and enter its results by table."""
    house.publish()
    for match, result in zip([m for m in house.event.live.matches if m.match.b], results, strict=True):
        house.service.execute_one("e1", EnterResult(match.id, match.revision, result, reason="a test"), "test")


@pytest.mark.parametrize("language", ["en", "es", "de", "pl"])
@pytest.mark.parametrize("rulebook", list(RULEBOOKS))
def test_every_rulebook_can_be_chosen_with_its_own_levels_and_structures(house: House, rulebook: str, language: str):
    browser, book = house.browser(language), RULEBOOKS[rulebook]
    browser.log_in()
    page = browser.get(f"/console/new?rulebook={rulebook}").text
    assert re.findall(r'name="level" value="([^"]+)" required', page) == list(book.levels)
    structures = re.search(r'<select name="structure">(.*?)</select>', page, flags=re.S)
    if book.structures:
        assert structures
        assert re.findall(r'value="([^"]+)"', structures[1]) == [*book.structures, "own"]
    else:
        assert structures is None
    assert ('name="best_of.final"' in page) == (len(book.best_of) > 1)
    assert ('name="legendary_limit"' in page) == ("legendary_limit" in book.option_defaults)
    assert ('name="squad_points"' in page) == ("squad_points" in book.option_defaults)


def test_what_was_chosen_is_kept_and_what_was_left_out_follows_the_rulebook(house: House):
    create(
        house,
        "warlords-of-terra",
        swiss_rounds=3,
        cut=4,
        prize_places=2,
        level="competitive",
        **{"legendary_limit": 1, "best_of.final": 3, "untimed.final": 1, "minutes.swiss": 50},
    )
    event = house.event
    assert event.level == "competitive"
    assert event.given_options == {
        "structure": "own",
        "swiss_rounds": 3,
        "cut": 4,
        "prize_places": 2,
        "legendary_limit": 1,
        "stages": {"swiss": {"minutes": 50}, "final": {"minutes": None, "best_of": 3}},
    }


@pytest.mark.parametrize(
    ("rulebook", "fields", "words", "field"),
    [
        ("xwing-epic-duel", {"minutes.swiss": 90}, "rulebook minimum is 150", "minutes.swiss"),
        ("xwing-standard", {"best_of.swiss": 3}, "3 is not possible here", ""),
        ("warlords-of-terra", {}, "0 for none", "prize_places"),
        ("warlords-of-terra", {"legendary_limit": 7, "prize_places": 1}, "Enter 0 to 3", "legendary_limit"),
        ("keyforge-sealed", {"minutes.final": "long"}, "not a whole number", "minutes.final"),
        ("xwing-epic-duel", {"structure": "basic"}, "Possible: own", ""),
    ],
)
def test_an_option_that_cannot_be_is_said_beside_its_field(
    house: House, rulebook: str, fields: dict[str, object], words: str, field: str
):
    browser = house.organizer()
    answer = browser.post("/console", name="Winter Open", rulebook=rulebook, color="#00785A", **fields)
    assert answer.status_code in (400, 409)
    assert words in problem_of(answer)
    assert "e1" not in house.service.snapshot.events
    assert 'value="Winter Open"' in answer.text
    if field:
        at = answer.text.index(f'name="{field}"')
        assert words in answer.text[at : at + 800]
        assert 'aria-invalid="true"' in answer.text[at : at + 400]


def test_what_is_allowed_but_odd_is_said_before_the_first_round_is_published(house: House):
    browser = create(house, "xwing-epic-duel", "Ana Ruiz\nBruno Maier", swiss_rounds=2, **{"minutes.swiss": 240})
    assert "240 minutes is very long" in text_of(browser.console())
    house.publish()
    assert "240 minutes is very long" not in text_of(browser.console())


def test_settings_change_what_the_form_offers_and_keep_the_rest(house: House):
    browser = create(house, "keyforge-archon", **{"structure": "own", "swiss_rounds": 2, "best_of.final": 3})
    page = browser.console().text
    assert re.search(r'name="best_of.final".*?value="3" selected', page, flags=re.S)
    browser.post("/console/e1/options", structure="own", swiss_rounds=4)
    assert house.event.given_options == {"structure": "own", "swiss_rounds": 4}


def test_rounds_and_cut_can_follow_late_entries_until_round_2(house: House):
    browser = create(house, "shatterpoint-premier", "\n".join("ABCD"), structure="basic", **{"minutes.swiss": 100})
    house.publish()
    browser.post("/console/e1/competitors", names="Ewa")
    assert "Rounds and cut" in text_of(browser.console())
    refused = browser.post("/console/e1/structure", structure="basic", swiss_rounds="many")
    assert "“many” is not a whole number" in problem_of(refused)
    browser.post("/console/e1/structure", structure="own", swiss_rounds=4, cut=2)
    assert house.event.given_options == {
        "structure": "own",
        "swiss_rounds": 4,
        "cut": 2,
        "stages": {"swiss": {"minutes": 100}},
    }
    for match in house.event.live.open_matches:
        won = Result(score=SidePair(2, 0), wounds=SidePair(5, 3), picks={"a": [1, 2], "b": [3, 4]})
        house.service.execute_one("e1", EnterResult(match.id, match.revision, won), "test")
    house.publish()
    assert 'id="structure"' not in browser.console().text


def test_options_read_as_they_were_written():
    given = {
        "structure": "own",
        "swiss_rounds": 0,
        "cut": 8,
        "lists_required": False,
        "third_place_match": True,
        "stages": {"final": {"minutes": None, "best_of": 3}, "swiss": {"minutes": 40}},
    }
    fields = {name: str(value) for name, value in flatten_options(given).items()}
    assert read_options(RULEBOOKS["keyforge-archon"], lambda name: fields.get(name, "")) == given


@pytest.mark.parametrize(
    ("rulebook", "name", "chosen", "read"),
    [
        ("shatterpoint-premier", "second_stage", "second-swiss", {"second_stage": "second-swiss"}),
        ("shatterpoint-premier", "second_stage", "elimination", {}),
        ("warlords-of-terra", "deck_era", "before-2017", {"deck_era": "before-2017"}),
        ("xwing-standard", "tables", "random", {"tables": "random"}),
        ("xwing-standard", "deck_era", "before-2017", {}),
    ],
)
def test_a_choice_counts_where_it_is_another_than_the_usual_one(
    rulebook: str, name: str, chosen: str, read: dict[str, str]
):
    fields = {"structure": "own", "swiss_rounds": "3", "cut": "4", "prize_places": "0", name: chosen}
    options = read_options(RULEBOOKS[rulebook], lambda field: fields.get(field, ""))
    assert {key: options[key] for key in options if key in (name, "second_stage", "deck_era", "tables")} == read


def test_a_team_has_two_members_and_a_captain(house: House):
    browser = create(house, "xwing-epic-team", swiss_rounds=2)
    browser.post(
        "/console/e1/competitors",
        names="Rebels",
        member_1="Ana Ruiz",
        member_2="Bruno Maier",
        captain="2",
        fixed_table=9,
    )
    person = house.service.snapshot.people["e1"]["p1"]
    assert (person.members, person.captain) == (("Ana Ruiz", "Bruno Maier"), "Bruno Maier")
    assert house.event.entrants["p1"].fixed_table == 9
    lonely = browser.post("/console/e1/competitors", names="Empire", member_1="Kai Eich")
    assert "two members" in problem_of(lonely)
    browser.post(
        "/console/e1/competitors/p1/details", name="Rebels", member_1="Ana Ruiz", member_2="Eva Luz", captain="1"
    )
    assert house.service.snapshot.people["e1"]["p1"].members == ("Ana Ruiz", "Eva Luz")


def test_teams_are_entered_a_line_each_and_nobody_plays_in_two(house: House):
    browser = create(house, "xwing-epic-team", swiss_rounds=2)
    browser.post("/console/e1/competitors", names="Rebels: Ana Ruiz, Bruno Maier\nRogue Two: Eva Luz, Kai Eich")
    people = house.service.snapshot.people["e1"]
    assert [(p.name, p.members, p.captain) for p in people.values()] == [
        ("Rebels", ("Ana Ruiz", "Bruno Maier"), "Ana Ruiz"),
        ("Rogue Two", ("Eva Luz", "Kai Eich"), "Eva Luz"),
    ]
    for line, said in (
        ("Empire", "a team has 2 members"),
        ("Empire: Zoe Art", "a team has 2 members"),
        ("Empire: Zoe Art, Ben Hur, Cid Way", "a team has 2 members"),
        ("Empire: Zoe Art, zoe art", "Zoe Art"),
        ("Empire: Zoe Art, bruno maier", "already plays for Rebels"),
        ("Empire: Zoe Art, Ben Hur\nDroids: Cid Way, Zoe Art", "already plays for Empire"),
    ):
        answer = browser.post("/console/e1/competitors", names=line)
        assert said.casefold() in problem_of(answer).casefold(), line
    assert len(house.event.entrants) == 2
    taken = browser.post(
        "/console/e1/competitors/p2/details", name="Rogue Two", member_1="Eva Luz", member_2="Ana Ruiz", captain="1"
    )
    assert "already plays for Rebels" in problem_of(taken)
    # Late entry asks the same.
    house.publish()
    assert "a team has 2 members" in problem_of(browser.post("/console/e1/competitors", names="Latecomers"))


def test_a_team_is_found_by_its_members_and_shown_whole(house: House):
    browser = create(house, "xwing-epic-team", swiss_rounds=2)
    teams = "Rogue Squadron Two: Ana Ruiz, Bruno Maier\nDroids: Eva Luz, Kai Eich"
    browser.post("/console/e1/competitors", names=teams)
    found = text_of(house.browser().get("/e/e1?q=bruno"))
    assert "Rogue Squadron Two Ana R., Bruno M." in found
    assert "Droids" not in found
    assert 'data-text="droids eva l eval kai e kaie' in house.browser().get("/e/e1").text


@pytest.mark.parametrize("rulebook", ["xwing-epic-duel", "xwing-standard", "keyforge-archon"])
def test_the_level_is_asked_since_officials_may_play_by_it(house: House, rulebook: str):
    browser = house.organizer()
    form = browser.get(f"/console/new?rulebook={rulebook}").text
    asked = form.partition('id="new"')[2].partition("<details")[0]
    assert asked.count(' name="level" ') == len(RULEBOOKS[rulebook].levels)
    answer = browser.post("/console", name="Open", rulebook=rulebook, color="#00785A", level="")
    assert "It decides whether officials may play" in problem_of(answer)
    assert "e1" not in house.service.snapshot.events


def test_the_cut_s_own_order_says_that_chance_comes_last_and_stays_until_the_final_is_over(house: House):
    names = "\n".join(("Ana Ruiz", "Bruno Maier", "Eva Luz", "Kai Eich", "Uwe Ohm"))
    browser = create(house, "xwing-epic-duel", names, structure="own", swiss_rounds=1, cut=4)
    assert "then the sum of the opponents’ points, then a random draw" in text_of(browser.get("/rules/e1"))

    def play() -> None:
        for match in house.event.live.open_matches:
            won = Result(winner="a", score=SidePair(300, 0))
            house.service.execute_one("e1", EnterResult(match.id, match.revision, won), "test")

    house.publish()
    play()
    house.service.execute_one("e1", MakeCut(), "test")
    for _ in range(2):
        house.publish()
        for page in ("/e/e1/standings", "/e/e1/bracket"):
            assert 'class="ranks cut-order"' in house.browser().get(page).text
        play()
    assert 'class="ranks cut-order"' not in house.browser().get("/e/e1/standings").text


def test_members_are_asked_only_where_teams_play(house: House):
    browser = create(house, "xwing-standard", swiss_rounds=2, structure="own")
    assert "member_1" not in browser.console().text


def test_records_show_draws_where_there_are_any(house: House):
    browser = create(
        house, "warlords-of-terra", "Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich", swiss_rounds=2, prize_places=0
    )
    play(house, Result("time", "draw", score=SidePair(7, 9)), Result(winner="a", score=SidePair(20, 0)))
    page = text_of(browser.get("/e/e1/standings"))
    assert "W–D–L" in page
    assert "0–1–0" in page
    assert "7 : 9 draw" in text_of(browser.console())


def test_a_winner_with_fewer_points_is_named_by_the_sign(house: House):
    browser = create(house, "xwing-epic-duel", "Ana Ruiz\nBruno Maier", swiss_rounds=2)
    play(house, Result(winner="b", score=SidePair(250, 200)))
    cell = re.search(r'<span class="cell-result">.*?</li>', browser.console().text, flags=re.S)
    assert cell
    assert "blue square" in cell[0]


def test_the_cut_by_its_own_order_is_shown_apart_from_the_standings(house: House):
    browser = create(house, "xwing-epic-duel", "Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich", swiss_rounds=1, cut=2)
    play(house, Result("time", score=SidePair(200, 10)), Result("time", score=SidePair(100, 60)))
    page = text_of(browser.get("/e/e1/standings"))
    assert "Cut order" in page
    browser.post("/console/e1/cut")
    assert "Cut order" in text_of(browser.console())
    assert "Cut order" in text_of(browser.get("/e/e1/bracket"))


def test_where_the_standings_make_the_cut_there_is_no_second_table(house: House):
    browser = create(
        house, "xwing-standard", "Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich", structure="own", swiss_rounds=1, cut=2
    )
    play(house, Result(score=SidePair(100, 10)), Result(score=SidePair(100, 60)))
    assert "Cut order" not in text_of(browser.get("/e/e1/standings"))


def tied(house: House, people: str) -> Browser:
    browser = create(house, "warlords-of-terra", people, swiss_rounds=1, prize_places=1)
    tables = len(people.splitlines()) // 2
    play(house, *(Result(winner="a", score=SidePair(20, 0)) for _ in range(tables)))
    return browser


def test_two_tied_for_a_prize_play_a_tie_break_round(house: House):
    browser = tied(house, "Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich")
    page = browser.console()
    assert "Draw tie-break round" in text_of(page)
    assert 'type="radio" name="tiebreak_form"' not in page.text
    browser.post("/console/e1/draw", attempt=0, tiebreak_form="each")
    assert "Tie-break round: draft" in text_of(browser.console())
    draft = house.event.draft
    browser.post("/console/e1/publish", number=draft.number, attempt=draft.draw.attempt)
    assert "Tie-break round" in text_of(browser.console())
    match = house.event.live.matches[0]
    house.service.execute_one("e1", EnterResult(match.id, 0, Result(winner="a", score=SidePair(20, 0))), "test")
    assert "Finish event" in text_of(browser.console())
    assert "Tie-break" in text_of(browser.get("/e/e1/standings"))


def test_three_play_until_one_has_beaten_both_and_the_standings_say_what_decided(house: House):
    browser = tied(house, "Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich\nIda Roth\nŁukasz Żak")
    assert 'type="radio" name="tiebreak_form"' in browser.console().text
    for _ in range(2):
        page = text_of(browser.console())
        assert "Draw tie-break round" in page
        browser.post("/console/e1/draw", attempt=0, tiebreak_form="knockout")
        draft = house.event.draft
        browser.post("/console/e1/publish", number=draft.number, attempt=draft.draw.attempt)
        (match,) = house.event.live.matches
        house.service.execute_one("e1", EnterResult(match.id, 0, Result(winner="a", score=SidePair(20, 0))), "test")
    assert "Draw tie-break round" not in text_of(browser.console())
    page = browser.get("/e/e1/standings").text
    assert page.count('title="tie-break round"') == 2


def test_finishing_with_an_open_tie_or_a_missing_round_says_so_and_asks_for_the_reason(house: House):
    browser = tied(house, "Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich")
    first, second = open_ties(tournament_of(house.event))[0]
    people = saved_event(house.service.snapshot, "e1").people
    for person in (first, second):
        assert f"{people[person].name} is tied for a prize or cut spot" in text_of(browser.console())
    browser.post(f"/console/e1/competitors/{second}/drop", known="1")
    page = browser.console()
    # All that can be played is played, but the tie: the next step leads to the form, and ends nothing by itself.
    assert 'href="/console/e1/event#finish"' in page.text
    assert f"{people[second].name} is tied for a prize or cut spot" in text_of(page)
    assert "Give a reason to finish now" in problem_of(browser.post("/console/e1/finish"))
    browser.post("/console/e1/finish", reason="the last train")
    assert house.event.finished
    assert "is tied for a prize or cut spot. The tie was not played out" in text_of(browser.get("/rules/e1"))


def test_a_correction_that_changes_the_tie_offers_to_take_the_tie_break_round_back(house: House):
    browser = tied(house, "Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich")
    house.publish()
    match = house.event.find_match("1.1")[1]
    sent = {
        "way": "played",
        "opener": "b",
        "q.score.winner": 12,
        "revision": match.revision,
        "seen": match.number or 0,
        "reason": "misread",
    }
    asked = browser.post("/console/e1/match/1.1/walk", **sent)
    assert "With this result, no tie-break round is needed" in problem_of(asked)
    assert "Save, withdraw tie-break" in text_of(asked)
    assert len(house.event.rounds) == 2
    # Once a table of it has reported, only that is offered which can be done, with the way to the rest.
    first = house.event.live.matches[0]
    house.service.execute_one(
        "e1", EnterResult(first.id, first.revision, Result(winner="a", score=SidePair(20, 0))), "test"
    )
    asked = browser.post("/console/e1/match/1.1/walk", **sent)
    assert "or clear those first. Then correct this result" in problem_of(asked)
    assert "Save, keep tie-break" in text_of(asked)
    assert "withdraw tie-break" not in text_of(asked)
    browser.post(f"/console/e1/match/{first.id}/clear", revision=first.revision + 1)
    assert browser.post("/console/e1/match/1.1/walk", cut="anew", **sent).status_code == 303
    assert len(house.event.rounds) == 1


def test_three_or_more_play_each_against_each_or_an_elimination_as_the_organizer_says(house: House):
    browser = tied(house, "Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich\nŁukasz Żak\nAleksandra Wiśniewska-Szczepańska")
    assert 'type="radio" name="tiebreak_form" value="knockout"' in browser.console().text
    browser.post("/console/e1/draw", attempt=0, tiebreak_form="knockout")
    assert house.event.draft.tiebreak_form == "knockout"
    browser.post("/console/e1/draw", attempt=1)
    assert house.event.draft.tiebreak_form == "knockout"


def test_where_figures_never_tell_the_winner_has_to_be_named_and_fit_the_way(house: House):
    browser = create(house, "warlords-of-terra", "Ana Ruiz\nBruno Maier", swiss_rounds=1, prize_places=0)
    house.publish()
    walk = "/console/e1/match/1.1/walk"
    assert "Who won?" in text_of(browser.get(f"{walk}?way=played"))
    # Nobody is played out by a side with no life left while the other has all of it.
    assert problem_of(browser.get(f"{walk}?text=b 20 0"))
    wrong = {"way": "played", "opener": "b", "q.score.winner": 0, "q.score.loser": 20}
    assert browser.post(walk, revision=0, **wrong).status_code == 400
    right = {"way": "played", "opener": "a", "q.score.winner": 20}
    assert browser.post(walk, revision=0, **right).status_code == 303
    assert house.event.find_match("1.1")[1].match.result is not None


def test_squads_of_an_earlier_bye_can_still_be_noted(house: House):
    browser = create(house, "shatterpoint-premier", "Ana Ruiz\nBruno Maier\nEva Luz", structure="own", swiss_rounds=3)
    game = Result(score=SidePair(2, 0), wounds=SidePair(5, 3), picks={"a": [1, 2], "b": [3, 4]})
    play(house, game)
    (alone,) = [m for m in house.event.live.matches if m.match.bye]
    play(house, game)
    page = browser.console().text
    assert f"/match/{alone.id}/picks" in page
    browser.post(f"/console/e1/match/{alone.id}/picks", picks=["1", "2"])
    assert f"/match/{alone.id}/picks" not in browser.console().text


@pytest.mark.parametrize(
    ("language", "six", "registered", "draw"),
    [
        ("en", "6 teams", "6 teams registered", "Teams: 6. Rounds: 2."),
        ("de", "6 Teams", "6 Teams eingetragen", "Teams: 6. Runden: 2."),
        ("es", "6 equipos", "6 equipos inscritos", "Equipos inscritos: 6. Rondas: 2."),
        ("pl", "6 drużyn", "Na liście 6 drużyn", "Drużyn: 6, rund: 2."),
    ],
)
def test_teams_are_counted_as_teams(house: House, language: str, six: str, registered: str, draw: str) -> None:
    browser = create(house, "xwing-epic-team", swiss_rounds=2)
    teams = "\n".join(f"Team {n}: Ana {n}, Bruno {n}" for n in range(1, 7))
    browser.post("/console/e1/competitors", names=teams)
    browser.headers = {**browser.headers, "Accept-Language": language}
    assert f" · {six}" in text_of(browser.get("/console"))
    assert registered in text_of(browser.get("/wall/e1"))
    assert draw in text_of(browser.get("/console/e1"))
    assert six in text_of(browser.get("/console/e1/players"))


@pytest.mark.parametrize(
    ("language", "alone", "teams"),
    [
        ("en", "Teams left: 1. A round needs at least two.", "needs at least 2 teams, not 1"),
        ("es", "Solo queda 1 equipo por emparejar.", "empieza en 2 equipos y hay 1"),
        ("de", "Teams übrig: 1. Eine Runde braucht mindestens zwei.", "braucht mindestens 2 Teams, hier sind es 1"),
        ("pl", "Zostało drużyn: 1.", "wymaga co najmniej 2 drużyn, a jest 1"),
    ],
)
def test_what_counts_those_who_play_counts_teams_where_teams_play(house: House, language: str, alone: str, teams: str):
    create(house, "xwing-epic-team", "Nova: Ana Ruiz, Bruno Maier", structure="own", swiss_rounds=2)
    browser = house.browser(language)
    browser.log_in()
    assert alone in problem_of(browser.post("/console/e1/draw"))
    words = words_of(house.event.rulebook, core_words(language))
    assert teams in Problem("no_structure", structure="S", fewest=2, players=1).say(words)
