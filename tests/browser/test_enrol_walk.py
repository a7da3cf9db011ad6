"""New units in a real browser: one field, digits, Enter, and the next table. With 32 of them: run_enrol_walk.py."""

from pathlib import Path

import pytest
from enrol_walk_kit import new_units, said, walk
from hall_kit import open_hall
from pages_kit import PIN
from screen_kit import PHONE, Screen
from selenium.webdriver.common.keys import Keys

from roundtap_units.link.enrolling import DONE

COUNT = 3


def test_a_walk_with_nothing_but_digits_and_enter(tmp_path: Path, screen: Screen) -> None:
    with open_hall(tmp_path) as hall, new_units(hall, COUNT) as units:
        screen.log_in(hall.url, PIN)
        walk(screen, hall, units)
        assert [unit.asking.showing.state for unit in units] == [DONE] * COUNT
        keys = hall.house.hub.units.keys
        assert {unit.kept[0].unit: unit.kept[0].key for unit in units} == {
            f"table-{n}": keys[f"table-{n}"] for n in range(1, COUNT + 1)
        }
        placed = hall.house.service.snapshot.venue.tables
        assert {f"table-{n}": n for n in range(1, COUNT + 1)}.items() <= placed.items()


@pytest.mark.parametrize("wrong", [pytest.param("12", marks=pytest.mark.long), "00 000 000"])
def test_on_a_phone_what_was_mistyped_is_told_and_the_field_is_there_again(
    tmp_path: Path,
    screen: Screen,
    wrong: str,
) -> None:
    with open_hall(tmp_path) as hall, new_units(hall, 2) as units:
        screen.log_in(hall.url, PIN)
        screen.size(PHONE)
        screen.open(f"{hall.url}/console/units/enrol?table=7")
        focus = screen.run("return [document.activeElement.name, document.activeElement.inputMode]")
        assert focus == ["code", "numeric"], "digits come up at once"
        units[0].shown()
        screen.press(wrong, Keys.ENTER)
        screen.until(lambda: screen.all(".problem"), "what was wrong")
        field = screen.all("[name=code]")[0]
        field.clear()
        showing = units[1].shown()
        field.send_keys(f"{showing.number} {showing.code}")
        field.submit()
        screen.until(lambda: "table-7 " in said(screen), "the second try")


def test_who_comes_while_somebody_types_is_listed_and_what_is_typed_stays(tmp_path: Path, screen: Screen) -> None:
    with open_hall(tmp_path) as hall:
        screen.log_in(hall.url, PIN)
        screen.open(f"{hall.url}/console/units/enrol?table=7")
        screen.all("[name=code]")[0].send_keys("17 3")
        assert not screen.all("#waiting li")
        with new_units(hall, 2) as units:
            for unit in units:
                unit.shown()
            screen.until(
                lambda: screen.look_again() and len(screen.all("#waiting li")) == 2, "both in the list, without a press"
            )
            typed = screen.run("return [document.activeElement.name, document.activeElement.value]")
            assert typed == ["code", "17 3"]
