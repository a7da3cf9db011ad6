"""Players from anywhere: nobody wrong is ticked, and who is not ticked has a reason beside their row."""

import html
import io
import re
import unicodedata
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from lists_as_they_come import ASKED, FILES, PASTED, Made
from pages_kit import Browser, House, problem_of, text_of
from sheet_kit import MAIN, ods, table_of_file, table_of_text, workbook, xls, xlsx, zipped
from test_pages_import_people import fields_of, known
from troubles import TROUBLES, Trouble
from werkzeug.test import TestResponse

from roundtap_core.event.entries import Person
from roundtap_core.lists.list_form import fold
from roundtap_hub.people import coming_words, list_rows, table_columns
from roundtap_hub.people.import_people import plan_import
from roundtap_hub.people.table_columns import guess_columns


@pytest.mark.parametrize("made", [*FILES, *PASTED], ids=lambda made: made.what)
def test_only_players_are_ticked_and_every_other_row_has_its_reason(house: House, made: Made) -> None:
    browser = house.with_event()
    browser.get("/console/e1/import")
    fields = {"file": (io.BytesIO(made.raw), "list")} if isinstance(made.raw, bytes) else {"pasted": made.raw}
    shown = browser.post("/console/e1/import/table", **fields)
    rows = re.findall(r'<li class="import-(\w+)">(.*?)</li>', shown.text, re.DOTALL)
    ticked = [html.unescape(row.partition("<b>")[2].partition("</b>")[0]) for _, row in rows if " checked" in row]
    if made.ticked is ASKED:
        assert "Which column is the name?" in problem_of(shown)
        assert shown.text.partition("<tbody>")[2].partition("</tbody>")[0].count("<tr>") in (2, 3)
        assert not rows
        return
    assert ticked == list(made.ticked)
    left = [row for _, row in rows if " checked" not in row]
    assert len(left) == made.untold
    assert all(re.search(r'class="import-said">.*?</svg>|class="import-said">[^<]+', row, re.DOTALL) for row in left)
    if made.told:
        reasons = [html.unescape(row.rpartition('class="import-said">')[2].partition("</span>")[0]) for row in left]
        assert [f"“{told}”" in reason for told, reason in zip(made.told, reasons, strict=True)] == [True] * len(left)
    browser.post("/console/e1/import/people", **fields_of(shown))
    entered = known(house)
    assert set(made.ticked) <= set(entered)
    assert set(made.ids) == {entered[name].external_id for name in made.ticked} - {None}
    if made.paid:
        assert {name for name in made.ticked if entered[name].paid} == set(made.paid)


SHEETS = (("old", "hidden", [["Name"], ["Long Gone"]]), ("Helpers", "", [["Name"], ["Kai Esch"]]))
PLAYERS = ("Players", "", [["Winter Open"], ["Name", "ID"], ["Eva Ruiz", 42]])


def uploaded(browser: Browser, raw: bytes) -> TestResponse:
    browser.get("/console/e1/import")
    return browser.post("/console/e1/import/table", file=(io.BytesIO(raw), "list.xlsx"))


def names_in(page: TestResponse) -> list[str]:
    return re.findall(r"<span><b>(.*?)</b>", page.text)


def test_a_hidden_sheet_is_the_last_that_is_looked_at(house: House) -> None:
    browser = house.with_event()
    shown = uploaded(browser, workbook(SHEETS[0], PLAYERS))
    assert names_in(shown) == ["Eva Ruiz"]
    assert "old (hidden)" in text_of(shown)
    other = browser.post("/console/e1/import/table", **{**fields_of(shown), "sheet": "1"})
    assert names_in(other) == ["Long Gone"]
    back = browser.post("/console/e1/import/table", **{**fields_of(other), "sheet": "0"})
    assert names_in(back) == ["Eva Ruiz"]


def test_of_two_sheets_the_person_chooses_and_nobody_is_ticked_before(house: House) -> None:
    browser = house.with_event()
    shown = uploaded(browser, workbook(*SHEETS, PLAYERS))
    assert "This file has several sheets" in problem_of(shown)
    assert names_in(shown) == []
    unchosen = browser.post("/console/e1/import/people", **{**fields_of(shown), "take": ["2"]})
    assert "This file has several sheets" in problem_of(unchosen)
    chosen = browser.post("/console/e1/import/table", **{**fields_of(shown), "sheet": "1"})
    browser.post("/console/e1/import/people", **fields_of(chosen))
    assert known(house)["Eva Ruiz"] == Person("Eva Ruiz", external_id="42")
    assert "Kai Esch" not in known(house)


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        ("12345", "0000000", "0012345"),
        ("4711", r"00\-0000", "00-4711"),
        ("7", '"LS-"000', "LS-007"),
        ("12345678", "000", "12345678"),
        ("42", "[Red]0000;-0", "0042"),
        ("42", "#,##0", "42"),
        ("42", "General", "42"),
        ("1234567890123456", "", "1234567890123456"),
        ("12345678901234567", "", "12345678901234567"),
    ],
)
def test_an_id_is_read_as_the_sheet_shows_it(number: str, code: str, shown: str) -> None:
    cells = f'<row r="1"><c r="A1" s="1"><v>{number}</v></c></row>'
    styles = (
        f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="{html.escape(code)}"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>'
    )
    assert table_of_file(xlsx([], cells, **{"xl/styles.xml": styles.encode()})) == ((shown,),)


def test_an_id_of_libreoffice_keeps_its_zeros() -> None:
    raw = ods([["Name", "ID"], ["Eva Ruiz", "0012"]])
    number = 'office:value-type="float" office:value="12"><text:p>0012'
    with zipfile.ZipFile(io.BytesIO(raw)) as file:
        parts = {name: file.read(name).decode() for name in file.namelist()}
    parts["content.xml"] = parts["content.xml"].replace('office:value-type="string"><text:p>0012', number)
    assert number in parts["content.xml"]
    assert table_of_file(zipped(parts))[1] == ("Eva Ruiz", "0012")


def test_where_number_formats_are_not_read_the_page_says_in_which_rows(house: House) -> None:
    browser = house.with_event()
    old = xls([["Name", "ID", "Points"], ["Eva Ruiz", 12345, 3], ["Kai Esch", "0042", 4], ["Mia Sol", 10.0**16, 2]])
    said = "Leading zeros and long numbers are lost in this type of file. Check the IDs in rows: 2, 4"
    assert said in text_of(uploaded(browser, old))
    new = xlsx([["Name", "ID", "Points"], ["Eva Ruiz", 12345, 3], ["Kai Esch", "0042", 4]])
    assert "Leading zeros" not in text_of(uploaded(browser, new))


def test_of_several_sheets_marks_are_said_of_the_one_that_is_chosen(house: House) -> None:
    browser = house.with_event()
    marked = ("Late", "", [["Name"], ["Mia Sol"], ["\u200eZoe Adler"]])
    shown = uploaded(browser, workbook(PLAYERS, marked))
    assert "Invisible characters" not in text_of(shown)
    chosen = browser.post("/console/e1/import/table", **{**fields_of(shown), "sheet": "1"})
    assert "Invisible characters were removed in rows: 3" in text_of(chosen)


def test_unseen_marks_are_taken_out_and_said_with_their_rows(house: House) -> None:
    browser = house.with_event()
    browser.get("/console/e1/import")
    shown = browser.post(
        "/console/e1/import/table",
        pasted="Name\tClub\n\u200eEva Ruiz\tA\nKai Esch\tB\n\ufeffMia\u202c Sol\tC\nعلی\u200cرضا\tD\n",
    )
    assert names_in(shown) == ["Eva Ruiz", "Kai Esch", "Mia Sol", "علی\u200cرضا"]
    assert "Invisible characters were removed in rows: 2, 4" in text_of(shown)


def test_the_heading_row_can_be_named_and_the_columns_follow(house: House) -> None:
    browser = house.with_event()
    browser.get("/console/e1/import")
    text = "".join(f"note {n}\tsome words\n" for n in range(24)) + "Name\tClub\nEva Ruiz\tA\nKai Esch\tB\n"
    shown = browser.post("/console/e1/import/table", pasted=text)
    assert names_in(shown) == []
    named = browser.post("/console/e1/import/table", **{**fields_of(shown), "heading": "25"})
    assert names_in(named) == ["Eva Ruiz", "Kai Esch"]


TEAMS = (
    "Team Name,Player Name,Role\nReds,Ann Bee,\nReds,Bob Cee,Captain\nBlues,Cat Dee,Captain\nBlues,Dan Eee,\n",
    "Name,Team,Captain\nAnn Bee,Reds,No\nBob Cee,Reds,Yes\nCat Dee,Blues,Yes\nDan Eee,Blues,No\n",
    "First Name,Last Name,Team Name\nBob,Cee,Reds\nAnn,Bee,Reds\nCat,Dee,Blues\nDan,Eee,Blues\n",
)


@pytest.mark.parametrize("text", TEAMS)
def test_where_teams_play_the_team_is_the_competitor(text: str) -> None:
    rows = table_of_text(text)
    made = plan_import(rows, 1, guess_columns(rows, 1, team=True), {}, {}, team_size=2).rows
    assert [(row.person.name, row.person.captain, row.person.members) for row in made] == [
        ("Reds", "Bob Cee", ("Bob Cee", "Ann Bee")),
        ("Blues", "Cat Dee", ("Cat Dee", "Dan Eee")),
    ]
    assert all(row.usual for row in made)


def test_the_name_of_a_team_is_cut_only_where_the_words_behind_it_are_sure() -> None:
    said = {
        "The Good, the Bad and the Ugly": ("The Good, the Bad and the Ugly", True),
        "Red Dragons – no fear": ("Red Dragons – no fear", True),
        "Two Men: only Luck": ("Two Men: only Luck", True),
        "Kings – Back in Town": ("Kings – Back in Town", True),
        "Dice Gods – Out of Luck": ("Dice Gods – Out of Luck", True),
        "Greys – Cash": ("Greys – Cash", True),
        "Oranges (and friends)": ("Oranges (and friends)", False),
        "Reds (waiting list)": ("Reds", False),
        "Blues - cancelled": ("Blues", False),
        "Rats – Not coming": ("Rats", False),
        "Greens (paid)": ("Greens", True),
        "Yellows – not paid": ("Yellows", True),
    }
    rows = table_of_text(
        "Team;Captain;Member\n"
        + "".join(f"{name};Ann {n};Bob {n}\n" for n, name in zip("abcdefghijkl", said, strict=True))
    )
    made = plan_import(rows, 1, guess_columns(rows, 1, team=True), {}, {}, team_size=2).rows
    assert [(row.person.name, row.usual) for row in made] == list(said.values())
    assert [row.person.name for row in made if row.person.paid] == ["Greens"]


def test_a_captain_is_marked_behind_the_name_too() -> None:
    rows = table_of_text("Team;Player\nReds;Ann Bee\nReds;Bob Cee (C)\nBlues;Cat Dee (captain)\nBlues;Dan Eee (Dany)\n")
    made = plan_import(rows, 1, guess_columns(rows, 1, team=True), {}, {}, team_size=2).rows
    assert [(row.person.name, row.person.members) for row in made] == [
        ("Reds", ("Bob Cee", "Ann Bee")),
        ("Blues", ("Cat Dee", "Dan Eee (Dany)")),
    ]


def test_what_is_written_behind_a_name_is_a_note(house: House) -> None:
    browser = house.with_event()
    browser.get("/console/e1/import")
    shown = browser.post("/console/e1/import/table", pasted="Name\tNote\nEva Ruiz (she/her)\tlate\nKai Esch (Kay)\t\n")
    assert "Kai Esch row 3" in text_of(shown)
    browser.post("/console/e1/import/people", **{**fields_of(shown), "take": ["2", "3"]})
    assert [known(house)[name].note for name in ("Eva Ruiz", "Kai Esch")] == ["late · she/her", "Kay"]


def test_names_typed_or_pasted_at_the_desk_lose_unseen_marks_and_a_refused_line_is_named(house: House) -> None:
    browser = house.with_event()
    added = browser.post("/console/e1/competitors", names="\u200eEva Ruiz\nAna Sol\n\u2068Kai Esch\u2069\n")
    assert {"Eva Ruiz", "Ana Sol", "Kai Esch"} <= set(known(house))
    assert "Invisible characters were removed in rows: 1, 3" in text_of(browser.get(added.location))
    plain = browser.post("/console/e1/competitors", names="Zoe Adler\n")
    assert "Invisible characters" not in text_of(browser.get(plain.location))
    refused = browser.post("/console/e1/competitors", names="Mia Sol\nLi\x07 Na\n")
    assert "Name 2 has invalid characters, so nobody was registered: Li\ufffd Na" in problem_of(refused)


@pytest.mark.parametrize("module", [coming_words, list_rows, table_columns], ids=lambda m: m.__name__)
def test_every_word_that_is_compared_is_in_its_comparison_form(module: ModuleType) -> None:
    tables = {
        name: said
        for name, said in vars(module).items()
        if isinstance(said, frozenset | dict | set)
        if name[:2] != "__"
    }
    words = {word for said in tables.values() for word in said if isinstance(word, str)}
    assert {word for word in words if fold(word) != word} == set()


def test_every_table_of_coming_words_is_sorted_and_has_no_word_twice() -> None:
    source = Path(coming_words.__file__).read_text(encoding="utf-8")
    tables = [coming_words.entries_of(table) for table in re.findall(r'r"""(.*?)"""', source, re.DOTALL)]
    assert len(tables) == 15
    for table in tables:
        words = [word.lstrip("?!") for word in table]
        assert words == sorted(set(words))


@pytest.mark.parametrize("module", [coming_words], ids=lambda m: m.__name__)
def test_every_pattern_is_of_letters_in_their_comparison_form(module: ModuleType) -> None:
    of_words = [
        said.pattern for name, said in vars(module).items() if isinstance(said, re.Pattern) if name != "_AMOUNT"
    ]
    letters = {letter for pattern in of_words for letter in pattern if letter.isalpha()}
    assert {letter for letter in letters if unicodedata.normalize("NFKD", letter) != letter} == set()


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.kind)
def test_the_test_of_each_trouble_exists(trouble: Trouble) -> None:
    file, _, name = trouble.test.partition("::")
    assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")
    assert trouble.had_by
    assert trouble.right


def test_folders_and_pictures_that_come_first_in_a_sheet_hide_nothing() -> None:
    with zipfile.ZipFile(io.BytesIO(xlsx([["Name"], ["Eva Ruiz"]]))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    before = {"xl/": b"", "xl/media/logo.png": b"not a picture"}
    assert table_of_file(zipped({**before, **parts})) == (("Name",), ("Eva Ruiz",))
