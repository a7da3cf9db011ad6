"""A name from right to left turns nothing that stands beside it, and an error that quotes nonsense is still a page."""

import io
import json
from pathlib import Path

import pytest
from pages_kit import open_house, problem_of

from roundtap_hub.http.requester import bidi_isolated, words_in

HEBREW, ARABIC = "דוד כהן", "محمد الأحمد"


def test_what_is_put_into_a_sentence_is_isolated_where_it_runs_from_the_right() -> None:
    assert bidi_isolated("Ana Ruiz") == "Ana Ruiz"
    assert bidi_isolated(HEBREW) == f"\u2068{HEBREW}\u2069"
    assert words_in("en")("need.says", name=ARABIC) == words_in("en")("need.says", name="X").replace(
        "X", f"\u2068{ARABIC}\u2069"
    )
    assert words_in("de")("players.n", n=3) == "3 Spieler"


def test_such_names_are_entered_and_shown_as_any_other(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        browser = house.with_event([HEBREW, ARABIC, "Ana Ruiz", "Bruno Maier"])
        house.publish()
        assert {person.name for person in house.service.snapshot.people["e1"].values()} >= {HEBREW, ARABIC}
        for path in ("/console/e1", "/e/e1", "/e/e1/pairings", "/e/e1/standings", "/wall/e1"):
            page = browser.get(path)
            assert page.status_code in (200, 302, 404), path
        assert HEBREW in browser.console().text


def test_inline_elements_are_isolated_by_the_style_sheet() -> None:
    import roundtap_hub

    css = (Path(roundtap_hub.__file__).parent / "static" / "roundtap.css").read_text()
    rule = next(line for line in css.splitlines() if "unicode-bidi: isolate" in line)
    assert {"b", "span", "a", "small", "td", "th", "label"} <= {part.strip() for part in rule.split("{")[0].split(",")}


@pytest.mark.parametrize("odd", ["\ud800", "\u202eabc", "\x1b[2J"])
def test_an_error_that_quotes_what_cannot_be_shown_is_a_page(tmp_path: Path, odd: str) -> None:
    file = {"format": "roundtap-event/1", "name": "E", "rulebook": odd, "competitors": []}
    with open_house(tmp_path) as house:
        browser = house.organizer()
        for spoilt in (file, {**file, "rulebook": "xwing-standard", odd: 1}, {**file, "level": odd}):
            answer = browser.post(
                "/console/import", color="#00785A", file=(io.BytesIO(json.dumps(spoilt).encode()), "e.json")
            )
            assert 400 <= answer.status_code < 500
            assert problem_of(answer)
            assert odd not in answer.text
