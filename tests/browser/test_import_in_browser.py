"""The import of players in a real browser: everybody can use what chooses a sheet, its headings and its columns."""

from pathlib import Path

import pytest
from hall_kit import Hall
from pages_kit import PIN
from screen_kit import DESK, NARROW, PHONE, ZOOMED, Screen
from sheet_kit import workbook

from roundtap_core.words import LANGUAGES

LONG = "Wiśniewska-Szczepańska-Brzęczyszczykiewicz"
ROWS = [
    ["Winter Open 2026: all who registered until Friday, with and without payment", "", "", ""],
    ["", "", "", ""],
    ["When", "Who", "How you heard of us, in your own words", "Paid?"],
    ["2026-11-02 18:04", f"Aleksandra {LONG}", "a friend told me " * 5, "przelew"],
    ["2026-11-02 18:09", "王小明 (Wang)", "", "noch nicht"],
    ["2026-11-02 18:11", "Ana Ruiz", "club", "sí"],
]


def choose(screen: Screen, select: str, words: str) -> None:
    """The option that says this."""
    chosen = "[...field.options].find((one) => one.textContent.includes(arguments[1])).selected = true"
    screen.run(f"const field = document.querySelector(arguments[0]); {chosen}", select, words)


@pytest.mark.parametrize(
    "language", [pytest.param(each, marks=() if each == "de" else pytest.mark.long) for each in LANGUAGES]
)
def test_each_page_of_an_import_is_fit_for_all(hall: Hall, screen: Screen, tmp_path: Path, language: str) -> None:
    event = hall.create("Winter Open", people=["Bo Li"])
    path = tmp_path / "people.xlsx"
    sheets = (
        ("old", "hidden", [["Name"], ["Long Gone"]]),
        ("2026 players", "", ROWS),
        ("empty", "", []),
        ("Helpers of the hall and of the kitchen", "", [["Name"], ["Kai Esch"]]),
    )
    path.write_bytes(workbook(*sheets))
    screen.log_in(hall.url, PIN)
    screen.language(language)
    screen.open(f"{hall.url}/console/{event}/import")

    def faults() -> list[str]:
        found = []
        for size in (DESK, PHONE, ZOOMED, NARROW):
            screen.size(size)
            found += [f"{size}: {said}" for said in (*screen.axe(), *screen.unfit(), *screen.small())]
        screen.dark()
        found += [f"dark: {said}" for said in screen.axe("color-contrast")]
        screen.dark(False)
        screen.size(DESK)
        return found

    assert screen.run("return document.documentElement.lang") == language
    assert faults() == []
    screen.one("#file").send_keys(str(path))
    screen.click("form.card button.main")
    screen.until(lambda: screen.all("select[name=sheet]"), "the sheets")
    assert faults() == []
    choose(screen, "select[name=sheet]", "2026 players")
    screen.click("#columns button[formaction]")
    screen.until(lambda: LONG in screen.text(), "this sheet")
    assert faults() == []
    choose(screen, "select[name=heading]", "Who")
    screen.click("#columns button[formaction]")
    screen.until(lambda: screen.all("#column-3") and "When" in screen.one("#columns th").text, "these headings")
    screen.run("document.querySelectorAll('[name^=column_]').forEach((kind) => { kind.value = ''; })")
    screen.run("document.getElementById('column-1').value = 'name'")
    screen.click("#columns button[formaction]")
    screen.until(lambda: screen.all("#rows .import-new"), "the rows")
    assert faults() == []
