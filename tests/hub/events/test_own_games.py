"""The store's own games on the console: beside the seven for a new event, and in the form that makes them."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

import pytest
from msgspec import inspect
from msgspec.structs import replace
from own_games_kit import DRAFTS, EVERYTHING, keep, rules
from pages_kit import Browser, House, problem_of, text_of
from werkzeug.test import TestResponse

from roundtap_core.event.commands import EnterResult
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.records import Result
from roundtap_core.rulebooks.own_rules import Rules, problems_of, read_rules, rules_from_json, rules_id, rules_json
from roundtap_core.rulebooks.own_words import rules_in_words, worked_matches
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.events.own_games import PRESETS, presets, typed_rules
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import GAME_REMOVED


def new_event(browser: Browser, rulebook: str, **fields: object) -> TestResponse:
    return browser.post("/console", name="Friday 1", rulebook=rulebook, color="#00785A", **fields)


# --- a new event ------------------------------------------------------------------------------------------------------


def test_an_own_game_stands_beside_the_seven_and_its_event_keeps_the_rules(house: House):
    browser, [game] = house.organizer(), keep(house.service)
    page = browser.get(f"/console/new?rulebook={game}")
    assert "Games of this store Draft night" in text_of(page)
    assert 'name="level"' not in page.text, "a game without levels is not asked for one"
    assert new_event(browser, game).status_code == 303
    assert (house.event.rulebook_id, house.event.rules) == (game, rules_json(rules()))
    assert house.event.rulebook.title == "Draft night"


@pytest.mark.parametrize("what", ["changed", "removed"])
def test_a_game_that_was_changed_meanwhile_is_refused_and_the_list_shown_anew(house: House, what: str):
    browser, [game] = house.organizer(), keep(house.service)
    browser.get(f"/console/new?rulebook={game}")
    if what == "changed":
        keep(house.service, DRAFTS.replace("win = 3", "win = 2"))
    else:
        house.service.execute([Step(VENUE, NewEntry(GAME_REMOVED, {"name": "Draft night"}))], "test")
    answer = new_event(browser, game)
    assert (answer.status_code, answer.text.count(game)) == (409, 0)
    assert "Nothing was done" in problem_of(answer)
    assert "e1" not in house.service.snapshot.events


def test_thirty_own_games_are_one_line_to_choose_from(house: House):
    browser = house.organizer()
    ids = keep(house.service, *(DRAFTS.replace("Draft", f"Game {n:02}") for n in range(30)))
    page = browser.get(f"/console/new?rulebook={ids[7]}").text
    own = page.partition('id="own"')[2].partition("</nav>")[0]
    assert own.count("<a ") == 1, "to another one"
    assert re.findall(r'<option value="([^"]+)"', own) == ids
    assert re.findall(r'<option value="([^"]+)" selected', own) == [ids[7]]
    assert "Game 07 night" in page.partition('id="new"')[0]


def test_every_page_of_its_event_is_there(house: House):
    browser, [game] = house.organizer(), keep(house.service)
    new_event(browser, game, structure="own", swiss_rounds=2)
    browser.post("/console/e1/competitors", names="\n".join(("Ana Ruiz", "Bruno Maier", "Eva Luz", "Kai Eich")))
    house.publish()
    for path in (
        "/console", "/console/e1", "/console/e1/players", "/console/e1/standings", "/console/e1/paper",
        "/console/e1/event", "/console/e1/match/1.1", "/console/e1/print/emergency",
        "/console/e1/standings.csv", "/console/help", "/rules/e1", "/e/e1", "/e/e1/standings", "/e/e1/pairings",
        "/wall/e1", "/print/e1/standings",
    ):  # fmt: skip
        answer = browser.get(path)
        assert answer.status_code == 200, (path, problem_of(answer))


def test_an_event_file_takes_its_rules_along(house: House):
    browser, [game] = house.organizer(), keep(house.service)
    new_event(browser, game)
    file = browser.get("/console/e1/export.json").get_data()
    answer = browser.post("/console/import", color="#00785A", file=(BytesIO(file), "e1.json"))
    assert answer.status_code == 303, problem_of(answer)
    assert house.service.snapshot.events["e2"].rules == rules_json(rules())


def test_an_event_that_was_put_away_still_names_its_game(house: House):
    browser, [game] = house.organizer(), keep(house.service)
    new_event(browser, game)
    browser.post("/console/e1/archive")
    assert "Draft night" in text_of(browser.get("/console/archived"))


def test_the_rules_page_says_what_is_computed_and_that_no_document_was_compared(house: House):
    browser, [game] = house.organizer(), keep(house.service, 'note = "Bring sleeves."\n' + DRAFTS)
    new_event(browser, game)
    page = browser.get("/rules/e1")
    said = text_of(page)
    assert "Draft night Rules of this store. Not checked against a publisher's document. Bring sleeves." in said
    assert "What Roundtap computes" in said
    assert 'id="clauses"' not in page.text
    for sentence in rules_in_words(rules(), core_words("en"), planned=False):
        assert sentence in said
        assert sentence in text_of(browser.get("/console/e1/print/emergency"))


@pytest.mark.parametrize("path", ["/e/e1/standings", "/wall/e1", "/console/e1/standings"])
def test_a_tiebreaker_has_the_name_that_the_store_gave_it(house: House, path: str):
    """Also one that stands there twice, and in the reader's language."""
    named = '[[tiebreakers]]\nby = "opponents_points"\nlabel = { en = "Foes", de = "Gegner" }\n'
    browser, [game] = house.organizer(), keep(house.service, DRAFTS + named + named.replace("Foes", "All foes"))
    new_event(browser, game, structure="own", swiss_rounds=1)
    browser.post("/console/e1/competitors", names="Ana Ruiz\nBruno Maier")
    house.publish()
    house.service.execute_one("e1", EnterResult("1.1", 0, Result(winner="a"), reason="a test"), "test")
    browser.post("/console/e1/finish")
    page = text_of(browser.get(path))
    assert "Foes" in page
    assert "All foes" in page
    assert "Gegner" in text_of(browser.get(f"{path}?lang=de"))


# --- the form ---------------------------------------------------------------------------------------------------------

GAMES = """format = "roundtap-rules/1"
name = "Best of five"
[match]
report = "games"
best_of = 5
drawn_games = true
[points]
win = 3
[bye]
score = [3, 0]
[pairing]
rounds = "everybody"
"""


class _Fields(HTMLParser):
    """What a browser sends of the form of a game when nothing is touched."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self._inside, self._select, self._text = False, "", ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = given.get("id") == "game"
        if not self._inside:
            return
        if tag == "input" and (given.get("type") not in ("radio", "checkbox") or "checked" in given):
            self.sent[given["name"]] = given.get("value", "")
        elif tag == "select":
            self._select = given["name"]
        elif tag == "option" and ("selected" in given or self._select not in self.sent):
            self.sent[self._select] = given["value"]
        elif tag == "textarea":
            self._text = given["name"]
            self.sent[self._text] = ""

    def handle_data(self, data: str) -> None:
        if self._text:
            self.sent[self._text] += data

    def handle_endtag(self, tag: str) -> None:
        self._text = "" if tag == "textarea" else self._text
        self._inside = self._inside and tag != "form"


def fields_of(answer: TestResponse) -> dict[str, str]:
    return _Fields(answer.text).sent


def save(browser: Browser, fields: dict[str, str], **changed: str) -> TestResponse:
    return browser.client.post("/console/games", data={**fields, **changed, "csrf": browser.token})


def upload(browser: Browser, content: str | bytes) -> TestResponse:
    data = content.encode() if isinstance(content, str) else content
    return browser.post("/console/games/file", file=(BytesIO(data), "rules.toml"))


def saved(house: House) -> dict[str, str]:
    return dict(house.service.snapshot.venue.games)


def read_saved(house: House) -> list[Rules]:
    return [rules_from_json(text) for text in saved(house).values()]


@pytest.mark.parametrize("preset", presets())
def test_a_preset_and_a_name_are_enough(house: House, preset: str):
    browser = house.organizer()
    page = browser.get(f"/console/games?start={preset}")
    assert save(browser, fields_of(page), **{"/name": "Ours"}).status_code == 303
    assert read_saved(house) == [replace(preset_rules(preset), name="Ours")]


def preset_rules(preset: str) -> Rules:
    [file] = PRESETS.glob(f"*-{preset}.toml")
    read, faults, warnings = read_rules(file.read_text("utf-8"))
    assert read is not None, faults
    assert warnings == []
    return read


@pytest.mark.parametrize("text", [EVERYTHING, GAMES, DRAFTS])
def test_what_a_file_says_the_form_shows_and_saves_again(house: House, text: str):
    """And the game given out is a file that says the same."""
    browser = house.organizer()
    page = upload(browser, text)
    assert page.status_code == 200
    assert save(browser, fields_of(page)).status_code == 303
    made = rules(text)
    assert read_saved(house) == [made]
    file = browser.get(f"/console/games/{rules_id(made)}/file")
    assert rules(file.text) == made
    assert 'filename="' in file.headers["Content-Disposition"]


def places_of(kind: Any, before: str = "") -> Iterator[str]:
    """All that the file's types have a place for: "/points/bonus/#/of"."""
    for each in kind.types if isinstance(kind, inspect.UnionType) else (kind,):
        if isinstance(each, inspect.StructType):
            for field in each.fields:
                yield from places_of(field.type, f"{before}/{field.encode_name}")
        elif isinstance(each, inspect.VarTupleType):
            yield from places_of(each.item_type, f"{before}/#")
        elif isinstance(each, inspect.TupleType):
            yield from places_of(each.item_types[0], f"{before}/#")
        elif isinstance(each, inspect.DictType):
            for key in each.key_type.values:  # type: ignore[attr-defined]
                yield from places_of(each.value_type, f"{before}/{key}")
        elif not isinstance(each, inspect.NoneType):
            yield before


def test_the_form_has_a_field_for_all_that_a_file_can_say(house: House):
    """A file that the form cannot show would lose something when it is saved."""
    shown = {
        re.sub(r"/\d+", "/#", name)
        for text in (EVERYTHING, GAMES)
        for name in fields_of(upload(house.organizer(), text))
        if name.startswith("/")
    }
    implied = {"/format", "/match/figure/#/key"}
    assert shown == set(places_of(inspect.type_info(Rules))) - implied


def test_the_form_says_what_the_rules_mean_before_anything_is_saved(house: House):
    browser = house.organizer()
    fields = {**fields_of(browser.get("/console/games?start=one_game")), "/points/win": "5"}
    page = text_of(browser.post("/console/games/look", **fields))
    named = replace(preset_rules("one_game"), name="–", points=replace(preset_rules("one_game").points, win=5))
    for line in (*rules_in_words(named, core_words("en")), *worked_matches(named, core_words("en"))):
        assert line in page
    assert saved(house) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_names_a_way_of_breaking_ties_as_the_rules_do(house: House, language: str):
    browser = house.browser(language)
    browser.enter(house.hub)
    page, words = text_of(browser.get("/console/games?start=two_figures")), core_words(language)
    for way in ("opponents_match_win", "game_win", "sos", "cumulative", "opponents_points"):
        assert words(f"tiebreaker.{way}") in page


@pytest.mark.parametrize(
    ("preset", "asked"),
    [
        ("twenty", "Time: Victory points 0–100 Played to the end: Victory points 0–100"),
        ("best_of_three", "0–1, Drawn games Conceded: "),
        ("one_no_draws", "Played to the end Conceded Tie: both lose"),
    ],
)
def test_the_form_says_what_a_table_will_be_asked(house: House, preset: str, asked: str):
    said = text_of(house.organizer().get(f"/console/games?start={preset}")).partition("Asked at the table")[2]
    assert asked in said, said


def marked(answer: TestResponse) -> dict[str, str]:
    """What is wrong, by the field that it stands at."""
    found = re.findall(r'data-wrong="([^"]+)">([^<]+)<', answer.text)
    return dict(found)


@pytest.mark.parametrize(
    ("typed", "where", "said"),
    [
        ({"/points/win": ""}, "/points/win", "missing"),
        ({"/points/win": "many"}, "/points/win", "whole number"),
        ({"/points/draw": "9"}, "/points/win", "another outcome gives 9"),
        ({"/tiebreakers/0/floor": "101"}, "/tiebreakers/0/floor", "101"),
        ({"/points/bonus/0/at_least": "4"}, "/points/bonus/0/points", "missing"),
        (
            {f"/points/table/0/steps/0/{n}": text for n, text in enumerate(("6", "1", "1"))},
            "/points/table/0",
            "begin at 0",
        ),
        ({"/points/table/0/steps/0/0": "0"}, "/points/table/0/steps/0", "3"),
        ({"/structure/lines/0/2": "three"}, "/structure/lines/0/2", "whole number"),
        ({"/structure/lines/1/0": "5"}, "/structure/lines/1", "An earlier line already covers"),
        ({"/time/extra/0": "3"}, "/time/extra", "2"),
        ({"/sides/names/0/en": "White"}, "/sides", "2"),
        ({"/list/fields/0/key": "Army List"}, "/list/fields/0/key", ""),
    ],
)
def test_a_fault_stands_at_its_question_and_nothing_is_saved(
    house: House, typed: dict[str, str], where: str, said: str
):
    browser = house.organizer()
    fields = {**fields_of(browser.get("/console/games?start=best_of_three")), "/name": "Ours", **typed}
    answer = save(browser, fields)
    assert answer.status_code == 400
    assert said in marked(answer).get(where, "nothing"), marked(answer)
    assert "Nothing was saved" in problem_of(answer)
    assert fields_of(answer)["/name"] == "Ours"
    assert saved(house) == {}


def test_a_warning_does_not_hinder(house: House):
    browser = house.organizer()
    fields = {**fields_of(browser.get("/console/games?start=one_game")), "/name": "Ours", "/points/draw": "2"}
    assert "Players may agree to draw" in text_of(browser.post("/console/games/look", **fields))
    assert save(browser, fields).status_code == 303


def test_what_is_not_said_is_the_first_number_no_end_and_no_cut(house: House):
    browser = house.organizer()
    fields = fields_of(browser.get("/console/games?start=nothing"))
    save(
        browser,
        fields,
        **{
            "/name": "Ours",
            "/match/report": "points",
            "/match/figure/0/maximum": "20",
            "/points/table/0/steps/0/0": "0",
            "/points/table/0/steps/0/1": "5",
            "/points/table/0/steps/0/2": "5",
            "/points/bonus/0/points": "1",
            "/points/bonus/0/at_least": "4",
            "/points/bonus/1/points": "1",
            "/points/bonus/1/outcome": "win",
            "/tiebreakers/0/by": "own",
            "/tiebreakers/1/by": "wins",
            "/structure/lines/0/0": "4",
            "/structure/lines/0/2": "3",
            "/structure/lines/7/3": "",
        },
    )
    [made] = read_saved(house)
    assert [each.of for each in (*made.points.table, *made.points.bonus, *made.tiebreakers)] == [
        "score",
        "score",
        None,
        "score",
        None,
    ]
    assert made.structure.lines == ((4, 0, 3, 0),)


def test_a_doubt_stands_at_its_question_too(house: House):
    """Who leads by far and concedes would be given more than who stays."""
    browser = house.organizer()
    fields = fields_of(browser.get("/console/games?start=twenty"))
    fields["/concession/winner_at_least/score"] = "51"
    answer = browser.post("/console/games/look", **fields)
    said = marked(answer)["/concession/winner_at_least/score"]
    assert said == (
        "A player who concedes while ahead can get 19, the other side 1. "
        "Then give the other side at least 100, or keep it."
    )
    assert 'href="#wrong/concession/winner_at_least/score"' in answer.text


def test_a_game_without_a_name_is_not_saved(house: House):
    browser = house.organizer()
    answer = save(browser, fields_of(browser.get("/console/games?start=one_game")))
    assert (answer.status_code, problem_of(answer)) == (400, "The game has no name. Enter one.")


def test_tiebreakers_change_places_and_an_empty_row_closes_up(house: House):
    browser = house.organizer()
    fields = fields_of(browser.get("/console/games?start=best_of_three"))
    moved = fields_of(browser.post("/console/games/look", **fields, up="1"))
    assert [moved[f"/tiebreakers/{n}/by"] for n in range(4)] == [
        "game_win",
        "opponents_match_win",
        "opponents_game_win",
        "",
    ]
    gone = fields_of(
        browser.post("/console/games/look", **{**moved, "/tiebreakers/0/by": "", "/tiebreakers/0/floor": ""})
    )
    assert [gone[f"/tiebreakers/{n}/by"] for n in range(3)] == ["opponents_match_win", "opponents_game_win", ""]


def test_what_the_way_to_report_does_not_ask_is_left_out(house: House):
    """Whoever chooses "who won" need not clear the games first."""
    browser = house.organizer()
    fields = fields_of(browser.get("/console/games?start=best_of_three"))
    save(browser, fields, **{"/name": "Ours", "/match/report": "winner"})
    [made] = read_saved(house)
    assert (made.match.report, made.match.best_of, made.bye.score) == ("winner", 1, None)


def test_a_changed_game_keeps_its_place_and_running_events_are_named(house: House):
    browser, [game] = house.organizer(), keep(house.service)
    new_event(browser, game)
    page = browser.get(f"/console/games?game={game}")
    assert "Running events keep the rules they began with: Friday 1." in text_of(page)
    assert save(browser, fields_of(page), **{"/name": "Draft day", "/points/win": "2"}).status_code == 303
    assert list(saved(house)) == ["Draft day"]
    assert house.event.rules == rules_json(rules())


def test_a_change_that_crosses_another_is_refused(house: House):
    browser, [game] = house.organizer(), keep(house.service)
    page = browser.get(f"/console/games?game={game}")
    keep(house.service, DRAFTS.replace("win = 3", "win = 2"))
    answer = save(browser, fields_of(page))
    assert answer.status_code == 409
    assert saved(house) == {"Draft night": rules_json(rules(DRAFTS.replace("win = 3", "win = 2")))}
    assert save(browser, fields_of(answer)).status_code == 303, "who has read that may press again"


def test_no_two_games_have_one_name_and_a_copy_asks_for_one(house: House):
    browser, [game] = house.organizer(), keep(house.service)
    page = browser.get(f"/console/games?copy={game}")
    assert fields_of(page)["/name"] == fields_of(page)["was"] == ""
    answer = save(browser, fields_of(page), **{"/name": "draft NIGHT"})
    assert answer.status_code == 409
    assert "already has a game" in problem_of(answer)
    assert save(browser, fields_of(answer)).status_code == 409, "a second press changes nothing about it"
    assert save(browser, fields_of(page), **{"/name": "Late night"}).status_code == 303
    assert list(saved(house)) == ["Draft night", "Late night"]


def test_a_game_is_removed_as_it_was_on_the_page(house: House):
    browser, [game] = house.organizer(), keep(house.service)
    browser.get("/console/games")
    assert browser.post("/console/games/remove", game="own-000000000000").status_code == 409
    assert browser.post("/console/games/remove", game=game).status_code == 303
    assert saved(house) == {}
    assert browser.post("/console/games/remove", game=game).status_code == 409


def test_every_fault_of_a_file_is_listed_with_its_line(house: House):
    browser = house.organizer()
    answer = upload(browser, DRAFTS.replace("win = 3", "win = 3\ndraw = 5\nloss = 4") + '[[tiebreakers]]\nby = "own"\n')
    assert answer.status_code == 400
    assert re.findall(r"<b>(Line \d+):</b>", answer.text) == ["Line 6", "Line 9"]
    assert saved(house) == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "No file chosen"),
        ('name = "Kr\u00e4he"\n'.encode("cp1252"), "Line 1 is not UTF-8"),
        (b"win = 3\nname = '\xe9'", "Line 2 is not UTF-8"),
        (b"PK\x03\x04\x00\xff", "not a text file"),
        (b"x" * 1024 * 1024, "64 kB"),
        (b'{"format": "roundtap/1"}', "JSON"),
        (b"x = " + b"[" * 3000 + b"]" * 3000, "Line 1 is too long"),
        (DRAFTS.replace("win = 3", "win = " + "9" * 5000).encode(), "Line 6 is too long"),
        (DRAFTS.replace("win = 3", "win = 0x" + "f" * 5000).encode(), "Line 6 is too long"),
        (DRAFTS.replace("win = 3", "win = inf").encode(), "Line 6"),
        ("\n".join(f"k{n} = 1" for n in range(5000)).encode(), "Line 40"),
        (b"format: roundtap-rules/1\nname: Friday\n", "line 1"),
        (b'[project]\nname = "x"\nversion = "1"\n', "Line 1"),
        (b"\xff\xfe\x00", "not a text file"),
        (b"name = ", "line 1"),
        (b"#" * (64 * 1024 + 1), "64 kB"),
        (b"<script>alert(1)</script>", "line 1"),
        (b'"<script>" = 1\nformat = "roundtap-rules/1"', "&lt;script&gt;"),
    ],
)
def test_what_is_no_file_of_rules_is_said_to_be_none(house: House, content: bytes, said: str):
    answer = upload(house.organizer(), content)
    assert answer.status_code in (400, 413)
    assert said.lower() in answer.text.lower()
    assert "<script>" not in answer.text


@pytest.mark.parametrize(
    "sent",
    [
        {"/name/en": "x", "/match": "x", "/match/report/deep": "x"},
        {f"/tiebreakers/{n}/by": "wins" for n in range(99)},
        {"/points/table/0/steps": "0 1 1\n" * 9999, "/structure/lines": "x", "/structure/lines/0": "x"},
        {f"/structure/lines/{n}/0": "1" for n in range(99)},
        {"/tiebreakers/٣/by": "wins", "/": "x", "//": "x", "/points/win": "٣"},
        {"/points/win": "9" * 400, "/name": "<script>", "/note": "<b>"},
        {"up": "99"},
        {"up": "x"},
    ],
)
def test_whatever_is_sent_is_answered(house: House, sent: dict[str, str]):
    browser = house.organizer()
    browser.get("/console/games")
    for path in ("/console/games/look", "/console/games"):
        answer = browser.post(path, **{"/match/report": "winner", **sent})
        assert answer.status_code in (200, 400, 409), path
        assert "<script>" not in answer.text
    assert saved(house) == {}


@pytest.mark.parametrize("language", ["en", "es", "de", "pl"])
def test_the_form_is_there_in_every_language(house: House, language: str):
    browser = house.browser(language)
    browser.enter(house.hub)
    [game] = keep(house.service, EVERYTHING)
    for path in ("/console/games", f"/console/games?game={game}", "/console/games?start=board"):
        assert browser.get(path).status_code == 200


def test_who_reports_points_has_one_number_without_naming_it() -> None:
    rules = typed_rules({"/match/report": "points", "/points/win": "3"}.items())
    assert rules["match"]["figure"] == [{"key": "score"}]
    assert problems_of({"name": "Points", **rules})[1] == []
