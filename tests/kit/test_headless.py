"""The headless commands as a shell sees them: what they print, where, with which exit code, and what they import."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults import fails
from roundtap import main as command_line
from roundtap.headless.cli_io import format_table, json_text
from roundtap_core.version import version

EVENT: dict[str, Any] = {
    "format": "roundtap-event/1",
    "name": "Winter Open",
    "rulebook": "xwing-standard",
    "seed": 7,
    "options": {"structure": "own", "swiss_rounds": 3},
    "competitors": [
        {"id": "p1", "name": "Ana Ruiz"},
        {"id": "p2", "name": "Bruno Maier"},
        {"id": "p3", "name": "Z\u0307aneta Łukaszewska", "public_name": "Z\u0307aneta"},
        {"id": "p4", "name": "Kai Eich"},
        {"id": "p5", "name": "Aleksandra Wiśniewska-Szczepańska"},
    ],
    "rounds": [
        {
            "number": 1,
            "stage": "swiss",
            "matches": [
                {"table": 1, "a": "p1", "b": "p2", "result": {"score": {"a": 100, "b": 24}}},
                {"table": 2, "a": "p3", "b": "p4", "result": {"ended": "time", "score": {"a": 49, "b": 77}}},
                {"a": "p5", "bye": "bye"},
            ],
        }
    ],
}

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(), inner, max_size=3),
)


def roundtap(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of the command; in this process, since each would spend its time on starting."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("LC_", "LANG", "ROUNDTAP"))]:
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        for name, stream in (("stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        try:
            code: Any = command_line.main([*map(str, arguments)])
        except SystemExit as ended:
            code = ended.code
        for stream in (out, err):
            stream.flush()
    return code, *(stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]


@pytest.fixture
def event(tmp_path: Path) -> Path:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(EVENT), encoding="utf-8")
    return file


def test_standings_as_json(event: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "roundtap.main", "standings", event], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    data = json.loads(done.stdout)
    assert data["after_round"] == 1
    assert [row["competitor"] for row in data["standings"]] == ["p1", "p5", "p4", "p3", "p2"]
    assert data["standings"][0] == {
        "rank": 1,
        "competitor": "p1",
        "points": 1,
        "rounds": 1,
        "wins": 1,
        "losses": 0,
        "draws": 0,
        "byes": 0,
        "tiebreakers": {"mov": 176, "sos": "0/1"},
        "decided_by": "mov",
        "by_chance": False,
    }


def test_a_round_beyond_the_plan_is_drawn_and_says_so(event: Path) -> None:
    planned = json.loads(event.read_text(encoding="utf-8"))
    planned["options"] = {**planned.get("options", {}), "structure": "own", "swiss_rounds": len(planned["rounds"])}
    event.write_text(json.dumps(planned), encoding="utf-8")
    code, out, err = roundtap("pair", event)
    assert (code, json.loads(out)["notes"]["beyond_plan"]) == (0, True)
    assert "is beyond this event’s planned rounds" in err
    planned["options"]["swiss_rounds"] += 1
    event.write_text(json.dumps(planned), encoding="utf-8")
    code, out, err = roundtap("pair", event)
    assert (code, err) == (0, "")
    assert "beyond_plan" not in json.loads(out)["notes"]


def test_standings_before_the_first_round(event: Path) -> None:
    _, out, _ = roundtap("standings", event, "--after", "0")
    assert {row["points"] for row in json.loads(out)["standings"]} == {0}


def test_standings_as_csv_hold_the_same(event: Path) -> None:
    _, out, _ = roundtap("standings", event, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows[2] == {
        "place": "3",
        "rank": "3",
        "competitor": "p4",
        "name": "Kai E.",
        "full_name": "Kai Eich",
        "status": "",
        "points": "1",
        "rounds": "1",
        "wins": "1",
        "losses": "0",
        "draws": "0",
        "byes": "0",
        "mov": "128",
        "sos_num": "0",
        "sos_den": "1",
        "decided_by": "points",
        "by_chance": "no",
    }


def test_standings_as_text_stand_in_columns(event: Path) -> None:
    _, out, _ = roundtap("standings", event, "--format", "text", LANG="de_DE.UTF-8")
    assert out.splitlines() == [
        "#  Name           Punkte  Runden  S  N  U  Freilose  HdS     TS  Entschieden durch",
        "1  Ana R.              1       1  1  0  0         0  176  0,000  Höhe des Sieges (HdS)",
        "2  Aleksandra W.       1       1  1  0  0         1  150  0,000  Höhe des Sieges (HdS)",
        "3  Kai E.              1       1  1  0  0         0  128  0,000  Turnierpunkte",
        "4  Z\u0307aneta              0       1  0  1  0         0   72  1,000  Höhe des Sieges (HdS)",
        "5  Bruno M.            0       1  0  1  0         0   24  1,000  –",
    ]


def test_standings_as_text_after_a_cut_begin_with_the_final_places(tmp_path: Path) -> None:
    """As the CSV has them: the second of the Swiss rounds won the final. JSON and `--after` stay the standings."""

    def won(who: str, other: str, n: int) -> dict[str, Any]:
        return {"table": n, "a": who, "b": other, "result": {"score": {"a": 100, "b": 24}}}

    rounds = [
        {"number": 1, "matches": [won("p1", "p3", 1), won("p2", "p4", 2)]},
        {"number": 2, "stage": "elimination", "matches": [{**won("p2", "p1", 1), "game": 1}]},
    ]
    people = [
        {**person, **({"disqualified_after": 1} if person["id"] == "p4" else {})} for person in EVENT["competitors"][:4]
    ]
    file = tmp_path / "cut.json"
    file.write_text(
        json.dumps(
            {
                **EVENT,
                "competitors": people,
                "rounds": rounds,
                "options": {"structure": "own", "swiss_rounds": 1, "cut": 2},
            }
        ),
        encoding="utf-8",
    )
    _, out, _ = roundtap("standings", file, "--format", "text", LANG="en_GB.UTF-8")
    lines = [line.split() for line in out.splitlines()]
    _, table_of_cells, _ = roundtap("standings", file, "--format", "csv")
    cells = list(csv.DictReader(io.StringIO(table_of_cells)))
    assert lines[0][:3] == ["Rank", "#", "Name"]
    assert [line[:3] for line in lines[1:]] == [
        [row["place"] or "–", row["rank"] or "–", row["name"].split()[0]] for row in cells
    ]
    assert [line[0] for line in lines[1:]] == ["1", "2", "3", "–"]
    assert lines[1][2] == "Bruno"
    _, out, _ = roundtap("standings", file, "--format", "text", "--after", "0", LANG="en_GB.UTF-8")
    assert out.split()[:2] == ["#", "Name"]


def test_columns_count_cells_not_letters() -> None:
    rows = [("Z\u0307ak", "1"), ("東京", "20"), ("Łucja", "3")]
    assert format_table(rows, "<>") == "Z\u0307ak     1\n東京   20\nŁucja   3\n"


def test_the_next_round(event: Path) -> None:
    code, out, err = roundtap("pair", event)
    assert (code, err) == (0, "")
    drawn = json.loads(out)
    assert (drawn["round"], drawn["stage"], drawn["draw"]["seed"], drawn["draw"]["attempt"]) == (2, "swiss", 7, 1)
    assert {"a": "p2", "bye": "bye"} in drawn["matches"]
    assert drawn["notes"]["repeats"] == 0
    assert roundtap("pair", event)[1] == out


def test_a_drawn_round_can_be_put_into_the_file(event: Path) -> None:
    drawn = json.loads(roundtap("pair", event, "--seed", "99", "--attempt", "2")[1])
    assert drawn["draw"]["seed"] == 99
    added = {"number": drawn["round"], **{key: drawn[key] for key in ("stage", "draw", "matches")}}
    event.write_text(json.dumps(EVENT | {"rounds": [*EVENT["rounds"], added]}), encoding="utf-8")
    assert roundtap("check", event) == (0, "", "")


def test_the_next_round_as_text(event: Path) -> None:
    _, out, _ = roundtap("pair", event, "--format", "text", ROUNDTAP_LANG="pl", LANG="de_DE")
    lines = out.splitlines()
    assert lines[0] == "Runda 2 (system szwajcarski)"
    assert lines[-1].split() == ["–", "Bruno", "M.", "wolny", "los"]


def test_a_file_from_standard_input(event: Path) -> None:
    assert roundtap("standings", "-", stdin=event.read_bytes())[1] == roundtap("standings", event)[1]
    code, out, err = roundtap("pair", "-", stdin=b"{")
    assert (code, out, err[:3]) == (2, "", "-: ")


def test_check_prints_every_violation_on_its_own_line(event: Path) -> None:
    data = json.loads(json.dumps(EVENT))
    data["rounds"][0]["matches"][0]["result"]["score"]["a"] = 130
    data["rounds"].append(
        {
            "number": 2,
            "stage": "swiss",
            "matches": [
                {"table": 1, "a": "p1", "b": "p2"},
                {"table": 2, "a": "p3", "b": "p5"},
                {"a": "p4", "bye": "bye"},
            ],
        }
    )
    event.write_text(json.dumps(data), encoding="utf-8")
    code, out, err = roundtap("check", event)
    assert (code, err) == (1, "")
    assert [line.removeprefix(f"{event}: ").split(": ")[0] for line in out.splitlines()] == [
        "/rounds/0/matches/0/result/score/a",
        "/rounds/1/matches/0",
        "/rounds/1/matches/1",
        "/rounds/1/matches/2/bye",
    ]


def test_check_tells_programs_the_same(event: Path) -> None:
    assert json.loads(roundtap("check", event, "--format", "json")[1]) == {"violations": []}
    data = json.loads(json.dumps(EVENT))
    data["rounds"][0]["matches"][0]["result"]["score"]["a"] = 130
    event.write_text(json.dumps(data), encoding="utf-8")
    code, out, err = roundtap("check", event, "--format", "json", ROUNDTAP_LANG="de")
    assert (code, err) == (1, "")
    assert json.loads(out) == {
        "violations": [
            {
                "where": "/rounds/0/matches/0/result/score/a",
                "rule": "figure_out_of_range",
                "text": "130 ist nicht möglich. Erlaubt ist 0 bis 100.",
            }
        ]
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_check_says_on_stderr_all_that_makes_a_file_unreadable(event: Path, form: str) -> None:
    """Two answers to tell apart: 1, the file breaks rules; 2, nobody can tell."""
    event.write_text(json.dumps(EVENT | {"colour": 1, "seed": "x"}), encoding="utf-8")
    code, out, err = roundtap("check", event, "--format", form)
    assert (code, out, len(err.splitlines())) == (2, "", 2)
    assert all(line.startswith(f"{event}: /") for line in err.splitlines())


def test_check_is_silent_where_all_is_well(event: Path) -> None:
    assert roundtap("check", event) == (0, "", "")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en_GB.UTF-8", "p9"),
        ("de_DE.UTF-8", "Es gibt keinen Teilnehmer"),
        ("es_ES", "No hay ningún participante"),
        ("pl_PL.ISO-8859-2", "Nie ma uczestnika"),
    ],
)
def test_an_error_names_file_and_place_in_the_reader_s_language(event: Path, language: str, text: str) -> None:
    event.write_text(json.dumps(EVENT).replace('"b": "p2"', '"b": "p9"'), encoding="utf-8")
    code, out, err = roundtap("standings", event, LC_ALL=language)
    assert (code, out) == (2, "")
    assert err.startswith(f"{event}: /rounds/0/matches/0/b: ")
    assert text in err
    assert err.count("\n") == 1


def test_roundtap_lang_comes_before_the_system_s(event: Path) -> None:
    _, _, err = roundtap("standings", event / "no", ROUNDTAP_LANG="es", LC_ALL="de_DE.UTF-8")
    assert err.startswith(f"{event / 'no'}: ")
    _, _, err = roundtap("standings", event.parent, ROUNDTAP_LANG="es", LC_ALL="de_DE.UTF-8")
    assert "carpeta" in err
    _, _, err = roundtap("standings", event.parent, LANG="pl_PL", LC_MESSAGES="de_DE.UTF-8")
    assert "Ordner" in err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "File not found"),
        (b'{"name": "\xff"}', "Line 1 is not UTF-8"),
        (b"\n\n[1,", "line 3"),
        (b'{"\x1b[2J": 1}', "Invalid JSON"),
        (b'{"\\u001b[2J": 1}', "/\\x1b[2J"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "bad.json"
    if content is not None:
        file.write_bytes(content)
    code, out, err = roundtap("check", file)
    assert code == 2
    assert words in err + out
    assert "\x1b" not in err + out


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(event: Path) -> None:
    event.chmod(0)
    assert roundtap("standings", event)[0] == 2


def test_a_round_that_does_not_exist(event: Path) -> None:
    code, out, err = roundtap("standings", event, "--after", "4")
    assert (code, out) == (2, "")
    assert "up to 1" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["pair"],
        ["pair", "x", "--seed", "1.5"],
        ["pair", "x", "--attempt", "0"],
        ["pair", "x", "--seed", "9" * 30],
        ["standings", "x", "--format", "svg"],
        ["nothing"],
        [],
        ["rulebook", "chess"],
    ],
)
def test_wrong_arguments(arguments: list[str]) -> None:
    code, out, err = roundtap(*arguments)
    assert (code, out) == (2, "")
    assert err


def test_the_rulebooks() -> None:
    code, out, _ = roundtap("rulebook")
    assert (code, out.split()[0]) == (0, "xwing-standard")
    _, sheet, _ = roundtap("rulebook", "xwing-standard", ROUNDTAP_LANG="de")
    for line in (
        "  Finale            120",
        "     149+                 7   16",
        "  1. Turnierpunkte",
        "  Freilos                  1 Punkt, HdS 150",
    ):
        assert line in sheet.splitlines()


def test_version_and_help() -> None:
    assert roundtap("--version") == (0, f"roundtap {version()}\n", "")
    code, out, _ = roundtap("--help")
    assert code == 0
    assert all(f"  {name} " in out for name in command_line.COMMANDS)


@pytest.mark.parametrize("command", [["pair"], ["standings"], ["check"], ["rulebook", "xwing-standard"], ["--version"]])
def test_a_headless_command_imports_no_more_than_it_needs(event: Path, command: list[str]) -> None:
    arguments = [*command, str(event)] if len(command) == 1 and command[0] in command_line.COMMANDS else command
    code = (
        "import sys\n"
        "from roundtap.main import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    imported = set(done.stderr.split())
    assert "roundtap_core" in imported
    assert not imported & {
        "flask",
        "gpiozero",
        "luma",
        "sqlalchemy",
        "uvicorn",
        "PIL",
        "serial",
        "asyncio",
        "roundtap_hub",
        "roundtap_units",
        "roundtap_devices",
        "http",
        "ssl",
        "shutil",
    }


@pytest.mark.parametrize("command", ["pair", "standings", "check"])
def test_only_the_rulebook_that_the_file_names_is_imported(event: Path, command: str) -> None:
    code = (
        "import sys\nfrom roundtap.main import main\nmain(sys.argv[1:])\n"
        "print(*(name for name in sys.modules if name.startswith('roundtap_core.rulebooks.')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, command, str(event)], capture_output=True, text=True, check=True)
    games = {name.rpartition(".")[2] for name in done.stderr.split()}
    assert games - {"base", "registry", "result_gate", "scoring"} == {"xwing_standard"}


@given(st.dictionaries(st.text(), JSON_VALUES, max_size=3))
def test_json_is_written_as_the_library_indents_it(data: dict[str, Any]) -> None:
    assert json_text(data) == json.dumps(data, ensure_ascii=False, indent=2) + "\n"


@pytest.mark.parametrize("columns", ["", "0", "no number", "40", "132"])
def test_help_is_as_wide_as_the_terminal(columns: str) -> None:
    """As argparse would have asked for it, without what that costs every command."""
    code = (
        "import argparse, sys\nfrom roundtap import main\n"
        "if sys.argv[1:]:\n    main._Help = argparse.HelpFormatter\n"
        "main.main(['pair', '--help'])"
    )
    ours, plain = (
        subprocess.run(
            [sys.executable, "-c", code, *how],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COLUMNS": columns},
        )
        for how in ((), ("argparse's",))
    )
    assert ours.stdout == plain.stdout
    assert "--attempt" in ours.stdout


@pytest.mark.parametrize(
    ("command", "missing", "hint"),
    [
        ("hub", "flask", "roundtap hub needs the extra 'hub': pip install roundtap[hub]"),
        ("hub", "psycopg", "roundtap hub needs the extra 'postgres': pip install roundtap[postgres]"),
        ("table", "gpiozero", "roundtap table needs the extra 'unit': pip install roundtap[unit]"),
        (
            "demo",
            "flask",
            "roundtap demo needs the extras 'hub' and 'unit' and 'station': pip install roundtap[hub,unit,station]",
        ),
    ],
)
def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, missing: str, hint: str
) -> None:
    monkeypatch.setattr(
        command_line, "import_module", fails(ModuleNotFoundError(f"No module named {missing!r}", name=missing))
    )
    assert command_line.main([command]) == 2
    assert capsys.readouterr().err.strip() == hint


def test_a_module_of_our_own_that_is_missing_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        command_line,
        "import_module",
        fails(ModuleNotFoundError("No module named 'roundtap_hub.mian'", name="roundtap_hub.mian")),
    )
    with pytest.raises(ModuleNotFoundError):
        command_line.main(["hub"])


def test_a_closed_pipe_is_no_complaint(event: Path) -> None:
    many = [{"id": f"x{n}", "name": f"Ana {n}"} for n in range(3_000)]
    event.write_text(json.dumps(EVENT | {"competitors": EVENT["competitors"] + many}), encoding="utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "roundtap.main", "standings", str(event)],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == command_line.BROKEN_PIPE


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command_line, "_run", fails(KeyboardInterrupt))
    assert command_line.main(["check", "x"]) == command_line.INTERRUPTED
    assert capsys.readouterr() == ("", "")
