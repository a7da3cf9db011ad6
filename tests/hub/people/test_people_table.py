"""Tables of people as they come: any encoding, any sign between the cells, spreadsheets; and nasty ones refused."""

import contextlib
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheet_kit import ods, table_of_file, table_of_text, xlsx, zipped

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Person
from roundtap_core.event.states import Entrant
from roundtap_hub.people.coming_words import parse_paid
from roundtap_hub.people.import_people import (
    DUPLICATE,
    EXISTING,
    INVALID,
    NEW,
    ImportPlan,
    plan_import,
)
from roundtap_hub.people.raw_table import (
    MOST_BYTES,
    MOST_COLUMNS,
    MOST_ROWS,
    clean_cell,
    decode_text,
    join_rows,
    split_rows,
)
from roundtap_hub.people.table_columns import guess_columns, guess_heading

POLISH = "Imię i nazwisko;Klub\r\nAleksandra Wiśniewska-Szczepańska;Gdańsk\r\nŁukasz Żak;Łódź\r\n"
ROWS = (("Imię i nazwisko", "Klub"), ("Aleksandra Wiśniewska-Szczepańska", "Gdańsk"), ("Łukasz Żak", "Łódź"))

FAR = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'

CELL = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Co", "Cn")), max_size=20).map(clean_cell)

KNOWN = {"p1": Person("Ana Ruiz", external_id="77"), "p2": Person("Łukasz Żak", club="Łódź", paid=True)}
ENTRANTS = {who: Entrant(who, "d") for who in KNOWN}


def refused(key: str) -> pytest.RaisesExc[Problem]:
    return pytest.raises(Problem, check=lambda problem: problem.key == key and bool(problem.say()))


# --- reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1250"])
def test_every_usual_encoding_gives_the_same_rows(encoding: str) -> None:
    assert table_of_file(POLISH.encode(encoding)) == ROWS


def test_windows_1252_is_not_taken_for_1250_unless_who_uploads_it_reads_polish() -> None:
    raw = "Nombre,Club\nÍñigo Muñoz,Peña\nJörg Müller,Köln\n".encode("cp1252")
    assert table_of_file(raw)[1] == ("Íñigo Muñoz", "Peña")
    assert decode_text("Bęben".encode("cp1250"), "pl") == "Bęben"


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_the_sign_between_the_cells_is_found_and_quotes_hold_it(separator: str) -> None:
    made = io.StringIO()
    csv.writer(made, delimiter=separator).writerows([["Name", "Note"], ["Keller, Franz; jr|x", 'says "hi"\nthere']])
    assert table_of_text(made.getvalue()) == (("Name", "Note"), ("Keller, Franz; jr|x", 'says "hi" ↵ there'))


def test_excel_says_itself_what_stands_between_the_cells() -> None:
    assert table_of_text("sep=;\nName;Club\nAna;A,B,C,D\n") == (("Name", "Club"), ("Ana", "A,B,C,D"))


def test_one_column_is_a_table_too_and_names_with_a_comma_are_one_cell() -> None:
    assert table_of_text("Ana Ruiz\nBruno Maier\n") == (("Ana Ruiz",), ("Bruno Maier",))


def test_rows_are_filled_and_what_is_empty_is_left_out_but_rows_keep_their_numbers() -> None:
    assert table_of_text("Name\t\tClub\nAna\n\nBruno\t\tMilan\n\n\n") == (
        ("Name", "Club"),
        ("Ana", ""),
        ("", ""),
        ("Bruno", "Milan"),
    )


@pytest.mark.parametrize("make", [xlsx, ods])
def test_spreadsheets(make: object) -> None:
    assert table_of_file(make([["Name", "Club"], ["Łukasz Żak", "=1+1"]])) == (  # type: ignore[operator]
        ("Name", "Club"),
        ("Łukasz Żak", "=1+1"),
    )


def test_whole_numbers_of_a_spreadsheet_have_no_fraction() -> None:
    assert table_of_file(xlsx([["Ana", 4711, 2.5]])) == (("Ana", "4711", "2.5"),)


# --- nasty ones ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (b"", "no_file"),
        (b"\0\0\n", "no_file"),
        (b"\n;;;\n", "table_empty"),
        (b"x" * (MOST_BYTES + 1), "file_too_big"),
        (b"a\n" * (MOST_ROWS + 1), "table_too_long"),
        (b";".join([b"a"] * (MOST_COLUMNS + 1)), "table_too_wide"),
        (b'Name,Club\n"Ana,' + b"x" * 200_000, "table_unreadable"),
        (b"PK\x03\x04" + b"no zip" * 50, "sheet_damaged"),
        (zipped({"a.txt": "not a sheet"}), "sheet_damaged"),
        (xlsx([], '<row r="1"><c r="A1'), "sheet_damaged"),
        (xlsx([["Ana"]])[:-300], "sheet_damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"y" * 4000, "sheet_damaged"),
        (xlsx([]), "table_empty"),
        (xlsx([], "<!--" + "x" * 30_000_000 + "-->"), "sheet_too_big"),
        (zipped({str(number): "x" for number in range(500)}), "sheet_too_big"),
        (xlsx([], FAR), "sheet_too_big"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_cannot_be_read_is_said_and_breaks_nothing(raw: bytes, key: str) -> None:
    with refused(key):
        table_of_file(raw)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('Name;Club\n"Ana Ruiz;Falken\nBruno;Milan\nKai;X\n', 2),
        ('Name;Club\nBruno;Milan\n"Ana Ruiz;Falken\nKai "K" Eich;"X"\nEva;Y\n', 3),
        ('name;club\nGarcía, Ana;"Madrid\nLópez, Bob;Lyon\nRuiz, Eva;Rome', 2),
        ('Name;Club\nBruno;"Milan\nAna Ruiz;Falken\n', 2),
        ('Name;Club\nBruno;Milan\n"Ana Ruiz;Falken', 3),
    ],
)
def test_a_quotation_mark_left_open_takes_nobody_in_and_its_line_is_named(text: str, line: int) -> None:
    with pytest.raises(Problem) as caught:
        table_of_text(text)
    assert str(caught.value).startswith(f"Line {line} of the table is unreadable")


def test_quotation_marks_that_hold_nothing_together_are_part_of_the_name() -> None:
    assert [row[0] for row in table_of_text('Ana "Nini" Ruiz;A\n"Ace" Kai;B\nEva 5";C\n')] == [
        'Ana "Nini" Ruiz',
        "Ace Kai",
        'Eva 5"',
    ]


def test_entities_of_a_sheet_are_not_unfolded() -> None:
    raw = xlsx([], '<row r="1"><c r="A1" t="inlineStr"><is><t>&lol;</t></is></c></row>')
    with contextlib.suppress(Problem):
        assert "lol" not in str(table_of_file(raw)).replace("&lol;", "")


def test_control_characters_and_turned_lines_do_not_come_through() -> None:
    assert table_of_text("Ana\x1b[31m\u202eRuiz\tA\x00B\u2028C\n") == (("Ana\ufffd[31mRuiz", "AB\ufffdC"),)


@given(st.binary(max_size=300))
def test_whatever_the_bytes_are_they_are_a_table_or_a_problem(raw: bytes) -> None:
    if raw.startswith((b"PK", b"\xd0\xcf")):
        return
    with contextlib.suppress(Problem):
        rows = table_of_file(raw)
        assert rows
        assert len({len(row) for row in rows}) == 1
        assert split_rows(join_rows(rows)) == rows


@given(
    st.lists(st.tuples(CELL, CELL, CELL).filter(any), min_size=1, max_size=8),
    st.sampled_from([";", ",", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8-sig", "utf-16"]),
)
def test_what_is_written_as_csv_comes_back(
    rows: list[tuple[str, str, str]],
    separator: str,
    end: str,
    encoding: str,
) -> None:
    made = io.StringIO()
    made.write(f"sep={separator}{end}")
    csv.writer(made, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
        [("Name", "Club", "Note"), *rows]
    )
    assert table_of_file(made.getvalue().encode(encoding)) == (("Name", "Club", "Note"), *rows)
    table = split_rows(join_rows((("Name", "Club", "Note"), *rows)).replace("\n", "\r\n"))
    assert table == (("Name", "Club", "Note"), *rows)


# --- columns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("Rank\tPlayer\tNickname\tFaction\tTeam\tPoints", ("", "name", "", "", "club", "")),
        (
            "First Name\tLast Name\tEmail\tTeam\tArmy\tITC ID\tPaid\tList",
            ("first", "last", "", "club", "", "id", "paid", "link"),
        ),
        (
            "Username\tReal name\tTeam\tCountry\tList URL\tPaid?\tChecked in",
            ("", "name", "club", "", "link", "paid", ""),
        ),
        ("Nickname\tFaction", ("name", "")),
        ("Name\tVorname\tVerein\tMitgliedsnummer\tBezahlt\tBemerkung", ("last", "first", "club", "id", "paid", "note")),
        (
            "Nombre\tApellidos\tEquipo\tEnlace a la lista\tPagado\tMesa fija",
            ("first", "last", "club", "link", "paid", "table"),
        ),
        ("Nombre\tClub", ("name", "club")),
        ("Nazwisko\tImię\tKlub\tWpisowe\tUwagi\tZ kim", ("last", "first", "club", "paid", "note", "came_with")),
        ("Imię i nazwisko\tRozpiska\tStały stół", ("name", "link", "table")),
    ],
)
def test_headings_of_usual_exports_are_known(heading: str, columns: tuple[str, ...]) -> None:
    rows = table_of_text(f"{heading}\n" + "\t".join("x1" for _ in columns))
    assert guess_heading(rows) == 1
    assert guess_columns(rows, 1) == columns


def test_a_title_above_the_headings_is_no_heading() -> None:
    rows = table_of_text("Winter Open 2026;;\n;;\nName;Club;ID\nAna;Milan;4711\n")
    assert guess_heading(rows) == 3
    assert guess_columns(rows, 3) == ("name", "club", "id")


def test_without_headings_the_content_tells() -> None:
    rows = table_of_text("Ana Ruiz\tMilan\t4711\tyes\thttps://x.example/1\nKai Eich\tFalken\t4712\tno\t\n")
    assert guess_heading(rows) == 0
    assert guess_columns(rows, 0) == ("", "", "id", "paid", "link"), "a person says which text is the name"
    alone = table_of_text("Ana Ruiz\t4711\tyes\nKai Eich\t4712\tno\n")
    assert guess_columns(alone, 0) == ("name", "id", "paid")


def test_a_team_has_members_and_its_own_name() -> None:
    rows = table_of_text("Team\tCaptain\tPlayer 2\nFalken\tAna Ruiz\tKai Eich\n")
    assert guess_columns(rows, 1, team=True) == ("name", "member_1", "member_2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes", True),
        ("TAK", True),
        ("Sí", True),
        ("opłacone", True),
        ("bezahlt", True),
        ("✓", True),
        ("15 €", True),
        ("12,50", True),
        ("zł 30", True),
        ("", False),
        ("no", False),
        ("Nein", False),
        ("0", False),
        ("0,00 €", False),
        ("-", False),
        ("maybe", None),
        ("Paid by PayPal", True),
        ("przelewem", True),
        ("Payé par chèque", True),
        ("sí, con tarjeta", True),
        ("vor Ort bezahlt", True),
        ("Refunded", False),
        ("noch nicht", False),
        ("nie zostało opłacone", False),
        ("pendiente de pago", False),
        ("not been paid", False),
        ("paid, then refunded", False),
        ("cash at the door", None),
        ("partially paid", None),
        ("Processing", None),
        ("Free order", None),
        ("20.11.2026", None),
        ("15/16", None),
    ],
)
def test_paid_is_said_in_many_ways(text: str, said: bool | None) -> None:
    assert parse_paid(text) is said


# --- the plan --------------------------------------------------------------------------------------------------------


def planned(text: str, team_size: int = 1, columns: tuple[str, ...] | None = None) -> ImportPlan:
    rows = table_of_text(text)
    heading = guess_heading(rows)
    return plan_import(
        rows, heading, columns or guess_columns(rows, heading, team_size > 1), ENTRANTS, KNOWN, team_size
    )


def kinds(made: ImportPlan) -> list[tuple[int, str, str]]:
    return [(row.row, row.kind, row.problem.key if row.problem else "") for row in made.rows]


def test_new_here_twice_and_wrong_each_with_their_row() -> None:
    made = planned(
        "Name;ID;Paid;Table\nNina Wolf;;yes;\n\nANA RUIZ;;;\nnina wolf;;;\n;5;;\nZoe;;perhaps;\nKai;;;x\n"
        "Lukasz Zak;9;;4\n"
    )
    assert kinds(made) == [
        (2, NEW, ""),
        (4, EXISTING, ""),
        (5, DUPLICATE, ""),
        (6, INVALID, "import_name_missing"),
        (7, NEW, ""),
        (8, INVALID, "table_number"),
        (9, EXISTING, ""),
    ]
    assert [(row.known, row.changes, row.usable, row.usual) for row in made.rows if row.kind == EXISTING] == [
        ("p1", (), False, False),
        ("p2", ("id", "table"), True, False),
    ]
    assert made.rows[2].as_row == 2


def test_the_same_id_is_the_same_person_and_other_ids_are_other_people_of_one_name() -> None:
    made = planned("Name;ID\nAnna Ruiz;77\nAna Ruiz;78\nKai Eich;1\nKai Eich;2\nSomebody;1\n")
    assert kinds(made) == [(2, EXISTING, ""), (3, NEW, ""), (4, NEW, ""), (5, NEW, ""), (6, DUPLICATE, "")]
    assert made.rows[0].person.name == "Ana Ruiz", "nobody is renamed by a table"


def test_what_a_table_does_not_say_stays() -> None:
    row = planned("Name;Club;Paid;Note\nŁukasz Żak;;no;late\n").rows[0]
    assert (row.person.club, row.person.paid, row.person.note, row.changes) == ("Łódź", True, "late", ("note",))


def test_two_rows_about_one_who_is_here_change_nothing_twice() -> None:
    assert kinds(planned("Name;Club\nAna Ruiz;A\nAna Ruiz;B\n")) == [
        (2, EXISTING, ""),
        (3, DUPLICATE, "import_twice_here"),
    ]


def test_names_written_the_other_way_round_are_turned_one_by_one() -> None:
    assert [row.person.name for row in planned("Name;Club\nKeller, Franz;A\nNina Wolf;B\nKeller, Jr.;C\n").rows] == [
        "Franz Keller",
        "Nina Wolf",
        "Keller, Jr.",
    ]


@pytest.mark.parametrize("name", ['"Ana;Ruiz"', '"Ana\nRuiz"', '"Ana\tRuiz"'])
def test_a_name_of_two_lines_or_cells_is_marked_and_not_ticked(name: str) -> None:
    made = planned(f'Name;Note\n{name};"late\nperhaps"\nNina Wolf;\n')
    assert [(row.odd, row.usual, row.usable) for row in made.rows] == [("break", False, True), ("", True, True)]
    assert (made.rows[0].person.name.replace(";", " "), made.rows[0].person.note) == ("Ana Ruiz", "late perhaps")


@pytest.mark.parametrize(
    ("link", "kept"),
    [
        ("https://x.example/1", "https://x.example/1"),
        ("x.example/1", "https://x.example/1"),
        ("javascript:alert(1)", None),
        ("data:text/html,1", None),
        ("two words.example", None),
    ],
)
def test_a_link_leads_to_a_page_or_the_row_is_refused(link: str, kept: str | None) -> None:
    row = planned(f"Name;List\nNina Wolf;{link}\n").rows[0]
    assert (row.person.list_link if row.kind == NEW else None) == kept


@pytest.mark.parametrize("name", ["x" * 81, "\x07Ana", "\u200b"])
def test_a_name_that_cannot_be_is_a_row_that_cannot_be_taken(name: str) -> None:
    made = planned(f"Name;Club\n{name};Milan\nKai;X\n")
    assert [row.usable for row in made.rows] == [False, True]


def test_what_looks_like_a_formula_is_text() -> None:
    assert planned("Name;Club\n=cmd|' /C calc'!A0;@SUM(1)\n").rows[0].person == Person(
        "=cmd|' /C calc'!A0", club="@SUM(1)"
    )


def test_teams_have_two_members_and_nobody_is_in_two() -> None:
    made = planned("Team;Captain;Player 2\nFalken;Ana A;Kai B\nMilan;Ana A;Zoe C\nSolo;Eva D;\n", team_size=2)
    assert kinds(made) == [(2, NEW, ""), (3, INVALID, "member_twice"), (4, INVALID, "team_members_missing")]
    assert (made.rows[0].person.members, made.rows[0].person.captain) == (("Ana A", "Kai B"), "Ana A")


def test_a_plan_without_names_or_with_two_of_them_is_none() -> None:
    with refused("import_no_name"):
        planned("Ana;Milan", columns=("", "club"))
    with refused("import_column_twice"):
        planned("Ana;Milan", columns=("name", "name"))


def test_another_event_or_other_columns_are_another_plan() -> None:
    rows = table_of_text("Nina;Milan\n")
    one = plan_import(rows, 0, ("name", "club"), ENTRANTS, KNOWN)
    assert one.mark == plan_import(rows, 0, ("name", "club"), ENTRANTS, KNOWN).mark
    assert one.mark != plan_import(rows, 0, ("name", "note"), ENTRANTS, KNOWN).mark
    assert one.mark != plan_import(rows, 0, ("name", "club"), {"p1": Entrant("p1", "d")}, {"p1": Person("Nina")}).mark


def test_a_heading_for_whole_names_is_found_below_a_title_among_words_nobody_knows():
    headings = ["Full name", "Club", "Zq", "Qx", "Xv", "Vk"]
    assert guess_heading([["Winter Open", "2026"], headings, ["Ana Ruiz", "Orion", "1", "2", "3", "4"]]) == 2


def test_one_word_above_numbers_makes_no_headings_of_people():
    rows = [["Ana Ruiz", "Kai Eich", "Orion"], ["Eva Luz", "Bo Maier", "12"], ["Gil Roth", "Ida Wolf", "14"]]
    assert guess_heading(rows) == 0
