"""`roundtap league`: event files added up, and people joined by a file that the command writes and people edit."""

import csv
import io
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from made_up_event import made_up_event
from roundtap_core.eventfile import file_schema
from roundtap_core.eventfile.exports import tournament_to_json
from test_headless import roundtap

OUTPUTS = json.loads((Path(file_schema.__file__).parent / "outputs.schema.json").read_text(encoding="utf-8"))

Person = tuple[str, dict[str, Any]]

ANA: Person = ("Ana Ruiz", {"person": "3f2a9c01b7de"})
BRUNO: Person = ("Bruno Maier", {"person": "0b5e7d2c4f81"})
EVA: Person = ("Eva Luz", {"external_id": "4711"})
LUKASZ: Person = ("Łukasz Żak", {})


def friday(folder: Path, name: str, winners_first: Sequence[Person], **keys: Any) -> Path:
    """An event file of one round: the first half beats the second, each by less than the one before."""
    half = len(winners_first) // 2
    people = [{"id": f"p{n}", "name": who, **more} for n, (who, more) in enumerate(winners_first, start=1)]
    matches = [
        # The best winner meets the last of all.
        {
            "table": n,
            "a": f"p{n}",
            "b": f"p{len(winners_first) + 1 - n}",
            "result": {"winner": "a", "score": {"a": 100, "b": 10 * n}},
        }
        for n in range(1, half + 1)
    ]
    data = {
        "format": "roundtap-event/1",
        "name": name,
        "rulebook": "xwing-standard",
        "venue": "Goblin Games",
        "finished": True,
        "competitors": people,
        "rounds": [{"number": 1, "matches": matches}],
        **keys,
    }
    file = folder / f"{name}.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


@pytest.fixture
def fridays(tmp_path: Path) -> list[Path]:
    """Three evenings, two of them at one venue; by the alphabet the last is in the middle."""
    return [
        friday(tmp_path, "w1", [ANA, BRUNO, EVA, LUKASZ], date="2026-11-06"),
        friday(tmp_path, "w10", [("Ana Ruíz", {}), LUKASZ, EVA, BRUNO], date="2026-11-20", venue="Dragon"),
        friday(tmp_path, "w2", [BRUNO, ANA, EVA, ("łukasz  żak", {})], date="2026-11-13"),
    ]


def rows(*arguments: str | Path) -> list[dict[str, Any]]:
    code, out, _ = roundtap("league", *arguments, "--format", "json")
    assert code == 0
    data = json.loads(out)
    jsonschema.Draft202012Validator({**OUTPUTS, "$ref": "#/$defs/league"}).validate(data)
    return data["league"]


def points(*arguments: str | Path) -> dict[str, Any]:
    return {row["name"]: row["points"] for row in rows(*arguments)}


# --- the table -------------------------------------------------------------------------------------------------------


def test_the_table_as_text(fridays: list[Path]) -> None:
    """10+8 for Ana at one venue and 10 at the other, whose Ana is another one until somebody says so."""
    code, out, err = roundtap("league", *fridays, "--best", "2", "--coming", "1", ROUNDTAP_LANG="en")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "Rank  Name            Points  Events  Bonus   1   2    3",
        "   1  Bruno M.            21       3      3   8  10  (5)",
        "   2  Ana Rui.            20       2      2  10   8    –",
        "   3  Eva Luz (2)         14       2      2   6   6    –",
        "   4  łukasz żak (2)      12       2      2   5   5    –",
        "   5  Ana Ruí.            11       1      1   –   –   10",
        "   6  Łukasz Żak           9       1      1   –   –    8",
        "   7  Eva Luz              7       1      1   –   –    6",
        "",
        "1  2026-11-06  w1",
        "2  2026-11-13  w2",
        "3  2026-11-20  w10",
    ]


def test_programs_read_the_same(fridays: list[Path]) -> None:
    first, *_ = rows(*fridays, "--best", "2", "--coming", "1")
    assert first == {
        "place": 1,
        "person": "0b5e7d2c4f81",
        "name": "Bruno M.",
        "points": 21,
        "played": 3,
        "coming": 3,
        "results": {
            "1": {"place": 2, "points": 8, "counts": True},
            "2": {"place": 1, "points": 10, "counts": True},
            "3": {"place": 4, "points": 5, "counts": False},
        },
    }


def test_spreadsheets_read_the_same(fridays: list[Path]) -> None:
    _, out, _ = roundtap("league", *fridays, "--format", "csv", "--by-place", "7.5,5,2")
    first, *others = csv.DictReader(io.StringIO(out))
    assert first == {
        "place": "1",
        "name": "Bruno M.",
        "full_name": "Bruno Maier",
        "points": "'25/2",
        "played": "3",
        "coming": "0",
        "event_1": "5",
        "event_2": "'15/2",
        "event_3": "0",
    }
    assert [row["event_1"] for row in others if row["full_name"] == "Ana Ruíz"] == [""]


def test_files_may_stand_behind_an_option_and_the_language_may_be_said(fridays: list[Path]) -> None:
    first, *others = fridays
    code, out, _ = roundtap("league", first, "--best", "2", *others, "--language", "pl", ROUNDTAP_LANG="en")
    assert (code, out.split()[:4]) == (0, ["Miejsce", "Imię", "i", "nazwisko"])


def test_the_latest_event_is_the_one_of_the_latest_date(fridays: list[Path], tmp_path: Path) -> None:
    """Both have a first and a second place. On the latest day, which is named first, Ana won."""
    later = friday(tmp_path, "a", [ANA, BRUNO], date="2026-12-04")
    earlier = friday(tmp_path, "b", [BRUNO, ANA], date="2026-11-27")
    assert [row["name"] for row in rows(later, earlier, "--ties", "latest")] == ["Ana R.", "Bruno M."]
    assert [row["place"] for row in rows(later, earlier, "--ties", "places")] == [1, 1]


def test_games_mix_by_place_and_not_by_their_own_points(fridays: list[Path], tmp_path: Path) -> None:
    epic = friday(tmp_path, "epic", [ANA, BRUNO], rulebook="xwing-epic-duel", date="2026-12-04")
    assert points(fridays[0], epic)["Ana R."] == 20
    code, out, err = roundtap("league", fridays[0], epic, "--points", "own", ROUNDTAP_LANG="en")
    assert (code, out) == (2, "")
    assert err == f"{fridays[0]}: This event is for a different game than {epic}. Use points by rank.\n"
    assert points(*fridays[:2], "--points", "own")["Bruno M."] == 1


@pytest.mark.parametrize("rulebook", ["xwing-standard", "keyforge-archon", "warlords-of-terra", "xwing-epic-team"])
def test_whole_events_of_a_kit(rulebook: str, tmp_path: Path) -> None:
    """Each winner has ten points for each event; nobody who played is missing."""
    events = [made_up_event(rulebook, 8, seed) for seed in (1, 2)]
    files = [tmp_path / f"{n}.json" for n in range(len(events))]
    for file, event in zip(files, events, strict=True):
        file.write_text(json.dumps(tournament_to_json(event)), encoding="utf-8")
    table = rows(*files)
    assert sorted(each["results"][n]["points"] for n in "12" for each in table) == sorted(2 * [10, 8, 6, 5, 4, 3, 2, 1])
    assert all(row["played"] == 2 for row in table)


# --- who is who ------------------------------------------------------------------------------------------------------


def test_people_are_known_by_id_then_external_id_then_name_at_a_venue(fridays: list[Path]) -> None:
    """Bruno by an id at both venues; Eva's 4711 and Łukasz's name are those of one venue, however they are spelled."""
    table = rows(*fridays)
    assert {(row["name"], row["played"]) for row in table} == {
        ("Bruno M.", 3),
        ("Ana Rui.", 2),
        ("Eva Luz (2)", 2),
        ("łukasz żak (2)", 2),
        ("Ana Ruí.", 1),
        ("Łukasz Żak", 1),
        ("Eva Luz", 1),
    }


def test_the_file_of_people_is_written_joined_and_read(fridays: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "people.toml"
    code, _, err = roundtap("league", *fridays, "--people", file, ROUNDTAP_LANG="en")
    assert (code, err) == (0, f"{file}: 7 people added. Merge people who are listed twice.\n")
    text = file.read_text(encoding="utf-8")
    ana = '  { person = "3f2a9c01b7de", name = "Ana Ruiz", venue = "Goblin Games" },\n'
    other_ana = '  { name = "Ana Ruíz", venue = "Dragon" },\n'
    assert text.count(ana) == text.count(other_ana) == 1
    listed = tomllib.loads(text)["person"]
    assert [person["name"] for person in listed][:3] == ["Ana Ruíz", "Ana Ruiz", "Bruno Maier"]
    # As an organizer does it: one line is moved to the other's. An empty entry is left.
    joined = text.replace(ana, "").replace(other_ana, other_ana + ana).replace('"Ana Ruíz"', '"Ana R. Castro"', 1)
    file.write_text(joined, encoding="utf-8")
    assert points(*fridays, "--people", file)["Ana R. C."] == 28
    assert file.read_text(encoding="utf-8") == joined


def test_new_people_are_added_at_the_end_and_nothing_else_is_touched(fridays: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "people.toml"
    roundtap("league", fridays[0], "--people", file)
    before = file.read_text(encoding="utf-8").replace("[[person]]", "# mine\n[[person]]", 1).rstrip()
    file.write_text("\ufeff" + before, encoding="utf-8")
    newcomer = friday(tmp_path, "w3", [ANA, ("Zoë “Zed” O'Hara", {})])
    code, _, err = roundtap("league", fridays[0], newcomer, "--people", file, ROUNDTAP_LANG="de")
    assert (code, err) == (0, f"{file}: 1 Person hinzugefügt. Fasse zusammen, wer doppelt vorkommt.\n")
    after = file.read_text(encoding="utf-8")
    assert after.startswith("\ufeff" + before)
    assert tomllib.loads(after.removeprefix("\ufeff"))["person"][-1] == {
        "name": "Zoë “Zed” O'Hara",
        "known": [{"name": "Zoë “Zed” O'Hara", "venue": "Goblin Games"}],
    }


def test_one_who_is_two_at_once_is_refused(tmp_path: Path) -> None:
    """Two of the same name without an id; nothing is written."""
    file = friday(tmp_path, "w1", [("Jan Nowak", {}), ("jan nowak", {})])
    people = tmp_path / "people.toml"
    code, out, err = roundtap("league", file, "--people", people, ROUNDTAP_LANG="en")
    assert (code, out) == (2, "")
    assert err.startswith(f"{file}: jan nowak would count twice in this event.")
    assert not people.exists()


HEAD = 'format = "roundtap-people/1"\n\n'


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("[[person]]\nname = Ana\n", ["line 2: “Ana” is not TOML."]),
        ('format = "roundtap-people/2"\n', ['line 1, format: "roundtap-people/2" is not possible here.']),
        (
            HEAD
            + '[[person]]\nnam = "Ana"\nknown = [\n  { name = "Ana" },\n  { id = "1" },\n  { person = 4711 },\n]\n',
            [
                "line 3, person[1]: The key “name” is missing.",
                "line 4, person[1].nam: The key “nam” is unknown here.",
                'line 7, person[1].known[2]: "id" is not possible here.',
                "line 8, person[1].known[3].person: ",
            ],
        ),
        (
            HEAD
            + '[[person]]\nname = "Ana"\nknown = [{ name = "Ana Ruiz", venue = "Dragon" }]\n'
            + '[[person]]\nname = "Anna"\nknown = [\n  { person = "1" },\n'
            + '  { name = "ANA RUÍZ", venue = "dragon" },\n]\n',
            ["line 10, person[2].known[2]: The entry of Ana has this line already."],
        ),
    ],
)
def test_every_fault_of_the_people_s_file_has_its_line(
    fridays: list[Path], tmp_path: Path, text: str, faults: list[str]
) -> None:
    file = tmp_path / "people.toml"
    file.write_text(text, encoding="utf-8")
    code, out, err = roundtap("league", *fridays, "--people", file, ROUNDTAP_LANG="en")
    assert (code, out) == (2, "")
    said = [line.removeprefix(f"{file}: ") for line in err.splitlines()]
    assert [line[: len(fault)] for line, fault in zip(said, faults, strict=True)] == faults
    assert file.read_text(encoding="utf-8") == text


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "es", "de", "pl"])
def test_an_event_counts_once_and_when_it_is_over(fridays: list[Path], tmp_path: Path, language: str) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes(fridays[0].read_bytes())
    code, out, err = roundtap("league", fridays[0], copy, "--language", language)
    assert (code, out) == (2, "")
    assert err.startswith(f"{copy}: ")
    assert str(fridays[0]) in err.removeprefix(f"{copy}: ")
    opened = [{"number": 1, "matches": [{"table": 1, "a": "p1", "b": "p2"}]}]
    for rounds, finished, refused in ((opened, False, True), ([], True, True), (opened, True, False)):
        file = friday(tmp_path, "open", [ANA, BRUNO], rounds=rounds, finished=finished)
        code, _, err = roundtap("league", file, "--language", language)
        assert (code == 2, err.startswith(f"{file}: ")) == (refused, refused)


def test_faults_of_a_file_and_of_an_option_are_told(fridays: list[Path], tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    code, _, err = roundtap("league", *fridays, missing, ROUNDTAP_LANG="en")
    assert (code, err) == (2, f"{missing}: File not found. Check the name and the folder.\n")
    code, _, err = roundtap("league", *fridays, "--by-place", "5,6", ROUNDTAP_LANG="en")
    assert (code, err.startswith("--by-place: “5,6” is not a list of points by rank.")) == (2, True)
    assert roundtap("league", *fridays, "--best", "-1")[0] == 2
    code, _, err = roundtap("league", *fridays, "--people", tmp_path / "no" / "people.toml", ROUNDTAP_LANG="en")
    assert (code, "people.toml" in err) == (2, True)


def test_a_person_plays_once_in_a_file(tmp_path: Path) -> None:
    file = friday(tmp_path, "w1", [ANA, ("Ana R.", {"person": "3f2a9c01b7de"})])
    code, _, err = roundtap("check", file, ROUNDTAP_LANG="en")
    assert code == 2
    assert err.startswith(f"{file}: /competitors/1/person: The id “3f2a9c01b7de” already belongs to /competitors/0.")


def test_the_pages_of_the_site_have_the_table_on_the_first(fridays: list[Path], tmp_path: Path) -> None:
    code, out, said = roundtap("league", *fridays, "--site", tmp_path / "site", "--language", "de")
    assert code == 0
    assert "Bruno M." in out
    assert "site" in said
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert index.count("<li>") == 3
    assert "<td>Bruno M.</td>" in index


def test_who_is_forgotten_has_no_line_and_is_nobody_in_the_file_of_people(tmp_path: Path) -> None:
    forgotten, damaged = ("Player 1 (forgotten)", {}), ("p4 (data damaged)", {})
    files = [
        friday(tmp_path, "one", [forgotten, BRUNO, EVA, damaged], date="2026-11-07"),
        friday(tmp_path, "two", [forgotten, EVA, BRUNO, LUKASZ], date="2026-11-14"),
    ]
    assert points(*files) == {"Bruno M.": 8 + 6, "Eva L.": 6 + 8, "Łukasz Ż.": 5}
    roundtap("league", *map(str, files), "--people", str(tmp_path / "people.toml"))
    assert "(" not in (tmp_path / "people.toml").read_text(encoding="utf-8")
