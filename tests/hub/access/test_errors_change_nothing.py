"""A request answered with an error has changed nothing: every form of the console, with broken and valid fields."""

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import House, open_house

from roundtap_core.typed import MOST_COMPETITORS

ADDRESS = {
    "event_id": "e1",
    "competitor": "p1",
    "match_id": "1.1",
    "official": "o1",
    "session_id": "s1",
    "person": "s1",
    "display": "A",
}
WORDS = (
    "",
    "1",
    "2",
    "0",
    "-1",
    "99999999999",
    "9007199254740991",
    "a",
    "b",
    "p1",
    "p2",
    "o1",
    "1.1",
    "e1",
    "on",
    "x" * 90,
    "x" * 3000,
    "Ana\u202eziuR",
    "\x00",
    "Nova",
    "organizer",
    "own",
    "played",
    "concession",
    "ruling",
    "100",
    "start",
    "[]",
    "[{}]",
    '[{"a": "p1", "b": "p2", "table": 1e9}]',
    "xwing-standard",
    "#00785A",
    "Winter Open",
)
FIELDS = (
    "name",
    "names",
    "public_name",
    "came_with",
    "fixed_table",
    "member_1",
    "member_2",
    "meets",
    "reason",
    "by",
    "what",
    "on",
    "competitor",
    "text",
    "upheld",
    "minutes",
    "picks",
    "match",
    "side",
    "number",
    "revision",
    "seen",
    "score.a",
    "score.b",
    "ended",
    "winner",
    "conceded_by",
    "attempt",
    "action",
    "time",
    "unit",
    "table",
    "role",
    "second",
    "plays",
    "structure",
    "swiss_rounds",
    "cut",
    "squad_points",
    "minutes.swiss",
    "rulebook",
    "level",
    "color",
    "date",
    "venue",
    "special_rules",
    "matches",
    "stage",
    "step",
    "shown_at",
    "noted",
    "known",
    "absent",
    "about",
    "who",
    "faction",
    "more",
    "same_name",
    "kind",
    "anyway",
    "first",
    "do",
    "plan",
    "line",
    "mark",
    "code",
    "pasted",
    "take",
    "column_1",
    "heading",
    "used",
    "back",
    "paid",
    "note",
    "list_link",
    "sign_up",
    "seed",
    "show",
    "part",
    "theme",
    "sound",
    "event",
    "say",
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    with open_house(folder) as opened:
        opened.folder = folder  # type: ignore[attr-defined]
        opened.with_event()
        opened.publish()
        opened.play(leave_open=2)
        yield opened


def on_disk(house: House) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """All that is on record, as another process reads it."""
    folder: Path = house.folder  # type: ignore[attr-defined]
    with sqlite3.connect(f"file:{folder / 'roundtap.db'}?mode=ro", uri=True) as database:
        return (
            database.execute("SELECT stream, number, hash FROM entry ORDER BY stream, number").fetchall(),
            database.execute("SELECT * FROM person ORDER BY event, competitor").fetchall(),
        )


def routes(house: House) -> list[str]:
    found = []
    for rule in house.app.url_map.iter_rules():
        if "POST" in (rule.methods or ()) and rule.endpoint.startswith("console."):
            path = rule.rule
            for name, value in ADDRESS.items():
                path = path.replace(f"<{name}>", value)
            found.append(path)
    return sorted(found)


def test_every_form_of_the_console_is_walked(house: House) -> None:
    assert len(routes(house)) > 40
    assert not any("<" in path for path in routes(house))


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.long) for each in range(1, 6))])
def test_an_error_has_changed_nothing_and_nothing_is_a_breakdown(house: House, seed: int) -> None:
    rng, browser = random.Random(seed), house.organizer()
    refused = 0
    for path in routes(house):
        # What is put away, or who is logged out, has no forms any more.
        if path == "/console/e1/delete" or path.endswith(("/archive", "/sessions/end")):
            continue
        fields: dict[str, object] = {name: rng.choice(WORDS) for name in rng.sample(FIELDS, rng.randrange(12))}
        before = on_disk(house)
        answer = browser.post(path, **fields)
        assert answer.status_code < 500, (path, fields)
        if answer.status_code >= 400:
            refused += 1
            assert on_disk(house) == before, (path, fields)
    assert refused > 15


@pytest.mark.parametrize(
    "word",
    [
        "\x00",
        "Ana\u202eziuR",
        *(pytest.param(each, marks=pytest.mark.long) for each in ("\ud800", "\u2028", "\x1b[2J")),
    ],
)
def test_what_disturbs_the_line_is_refused_in_every_field(house: House, word: str) -> None:
    browser, before = house.organizer(), on_disk(house)
    for path in routes(house):
        if path.endswith("/list"):
            continue
        said = word.encode(errors="surrogatepass").decode(errors="replace")
        if said == word:
            assert browser.post(path, name=word, names=word, reason=word).status_code >= 400, path
    assert on_disk(house) == before


def test_five_thousand_names_are_refused_and_none_is_in(house: House) -> None:
    browser, before = house.organizer(), on_disk(house)
    answer = browser.post("/console/e1/competitors", names="\n".join(f"Player {n}" for n in range(5000)))
    assert answer.status_code == 409
    assert str(MOST_COMPETITORS) in answer.text
    assert on_disk(house) == before


@pytest.mark.long
def test_as_many_as_there_may_be_are_taken_and_shown(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        browser = house.with_event(["Ana Ruiz"])
        names = "\n".join(f"Player {n}" for n in range(MOST_COMPETITORS - 1))
        assert browser.post("/console/e1/competitors", names=names).status_code == 303
        assert browser.console().status_code == 200
        assert browser.get("/e/e1").status_code == 200
        assert browser.post("/console/e1/competitors", names="One More").status_code == 409
        assert browser.get("/console/e1/export.json").status_code == 200
