"""The gate of everything on paper: a part on every run, the whole marked `long`; and that the gate sees."""

import json
from dataclasses import replace

import pytest
from escpos_text import PICTURE, read
from paper_gate import Sheet, documents, in_letters, pages_of, printed, printed_lines, setup_prints, sheets

from every_script import chinese_letters, right_to_left
from gallery.on_paper import slip_content
from roundtap_core.words import LANGUAGES
from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.print_lines import CodePageLine, Drawing, Label, TextCell, TextLine, line
from roundtap_devices.printing.printer_profiles import EPSON_80, PLAIN_58, POS_5890, PROFILES, PrinterProfile
from roundtap_units.documents.slips import wrap_text
from roundtap_units.unit_config import unit_words

PART = 5


@pytest.mark.parametrize("number", range(len(PROFILES)), ids=list(PROFILES))
def test_what_is_printed_is_whole_and_can_be_read(number: int) -> None:
    profile = list(PROFILES.values())[number]
    for place, (name, kind, content) in enumerate(list(documents())[number % PART :: PART]):
        sheet = printed(name, kind, content, profile, unit_words(LANGUAGES[(place + number) % 4]))
        assert sheet.wrong == [], sheet.name
    for name, lines in setup_prints(profile, unit_words(LANGUAGES[number % 4])):
        assert printed_lines(name, lines, profile).wrong == [], name


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param("渡邊健太郎", "李 雷", marks=chinese_letters),
        pytest.param("アレックス", "박 지성", marks=chinese_letters),
        pytest.param("محمد علي عبد الرحمن بن عوف الزهري", "דוד כהן", marks=right_to_left),
        ("🔥🔥", "👩‍🚀 Ana"),
        pytest.param("نگار سه‌شنبه", "王小明", marks=[chinese_letters, right_to_left]),
    ],
)
@pytest.mark.parametrize("profile", [POS_5890, EPSON_80], ids=lambda profile: profile.name)
def test_names_of_every_script_are_whole_on_paper(a: str, b: str, profile: PrinterProfile) -> None:
    words, common = unit_words("pl"), slip_content("xwing-standard", (a, b), 7)
    row = {"table": 7, "a": a, "b": b, "bye": None, "a_record": "2–0", "b_record": "1–1"}
    lists = {key: common[key] for key in ("event", "round", "url", "head")}
    for kind, content in (("slip", common), ("pairings-table", lists | {"rows": [row]})):
        sheet = printed(kind, kind, content, profile, words)
        assert sheet.wrong == []
        nameless = json.dumps(content, ensure_ascii=False).replace(a, ".").replace(b, ".")
        assert ink(sheet) > ink(printed(kind, kind, json.loads(nameless), profile, words)) + 100


def ink(sheet: Sheet) -> int:
    return sheet.picture.convert("L").histogram()[0]


@chinese_letters
def test_a_long_chinese_name_is_broken_where_its_line_is_full() -> None:
    assert wrap_text("アレクサンドラ・ヴィシ", 15) == ["アレクサンドラ", "・ヴィシ"]
    assert wrap_text("王小明 Ana-Maria", 7) == ["王小明", "Ana-", "Maria"]


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PROFILES)
def test_every_document_is_whole_and_can_be_read(name: str, language: str) -> None:
    assert [wrong for sheet in sheets(PROFILES[name], unit_words(language)) for wrong in sheet.wrong] == []


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([CodePageLine("cp852", "Łódź " * 9)], "wider than the paper"),
        ([TextLine((TextCell("a text far too long for its few columns", 0, 4),))], "squeezed"),
        ([TextLine((TextCell("one", 0, 20), TextCell("two", 10, 20)))], "lies on another"),
        ([Drawing(20, (Label(370, 0, "beyond", 17, 60),))], "leaves the paper"),
    ],
)
def test_the_gate_sees_what_does_not_fit(lines: list, says: str) -> None:
    assert any(says in wrong for wrong in printed_lines("x", lines, POS_5890).wrong)


def test_the_gate_sees_a_code_page_with_a_wrong_number() -> None:
    wrong = replace(POS_5890, codepages={"cp437": 0, "cp852": 53})
    assert any("other letters" in each for each in printed_lines("x", [line("Łukasz Żak", wrong.sheet)], wrong).wrong)
    assert printed_lines("x", [line("Łukasz Żak", POS_5890.sheet)], POS_5890).wrong == []


def test_the_gate_sees_what_is_drawn_without_need_and_what_is_not_drawn_where_a_page_lacks_it() -> None:
    lines: list = [line("Ana Ruiz", POS_5890.sheet), line("Łukasz Żak", POS_5890.sheet)]
    assert in_letters(lines[1], POS_5890) == "Łukasz Żak"
    assert in_letters(lines[1], PLAIN_58) is None
    assert printed_lines("x", lines, PLAIN_58).wrong == []
    # A driver that knows of one page less than the profile vouches for.
    data = compose_job(lines, PLAIN_58).data
    assert [each for each in read(data, pages_of(POS_5890)) if each != PICTURE] == ["Ana Ruiz"]
    assert [each for each in read(compose_job(lines, POS_5890).data, pages_of(POS_5890)) if each != PICTURE] == [
        "Ana Ruiz",
        "Łukasz Żak",
    ]


def test_the_gate_sees_a_name_that_is_broken_and_a_code_that_is_another_one() -> None:
    content = slip_content("xwing-standard", ("Ana Ruiz", "Eva Luz"))
    sheet = printed("x", "slip", content, EPSON_80, unit_words("en"))
    assert sheet.wrong == []
    from paper_gate import _words_of

    assert _words_of({**content, "a": {"name": "Wiśniewska-Szczepańska"}}) >= {"Wiśniewska-", "Szczepańska"}
    assert printed("x", "slip", content, replace(PLAIN_58, dots=384), unit_words("pl")).wrong == []
