"""`roundtap bracket` and `roundtap pair` on files with elimination rounds, as the command line takes them."""

import json
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from roundtap.main import main

NAMES = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich", "Aleksandra Wiśniewska-Szczepańska"]


def match(table: int, a: int, b: int, left: int, right: int, **more: Any) -> dict[str, Any]:
    return {"table": table, "a": f"p{a}", "b": f"p{b}", "result": {"score": {"a": left, "b": right}}, **more}


def event(*rounds: dict[str, Any]) -> dict[str, Any]:
    """Standings after round 1: p1, p2, p3, then p4, p5, p6."""
    first = {"number": 1, "matches": [match(1, 1, 6, 100, 0), match(2, 2, 5, 100, 10), match(3, 3, 4, 100, 20)]}
    return {
        "format": "roundtap-event/1",
        "name": "Winter Open",
        "rulebook": "xwing-standard",
        "seed": 7,
        "options": {"structure": "own", "swiss_rounds": 1, "cut": 4, "full_names": True},
        "competitors": [{"id": f"p{n}", "name": name} for n, name in enumerate(NAMES, start=1)],
        "rounds": [first, *rounds],
    }


SEMIS = {
    "number": 2,
    "stage": "elimination",
    "matches": [match(1, 1, 4, 30, 100, game=1), match(2, 2, 3, 100, 99, game=2)],
}
FINAL = {"number": 3, "stage": "elimination", "matches": [match(1, 4, 2, 100, 0, game=1)]}


class Answer(NamedTuple):
    """What the command said, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def command(data: dict[str, Any], *words: str, language: str = "en") -> Answer:
        file = tmp_path / "event.json"
        file.write_text(json.dumps(data), encoding="utf-8")
        monkeypatch.setenv("ROUNDTAP_LANG", language)
        capsys.readouterr()
        code = main([words[0], str(file), *words[1:]])
        return Answer(code, *capsys.readouterr())

    return command


def test_the_bracket_as_json(run: Any) -> None:
    data = json.loads(run(event(SEMIS, FINAL), "bracket").stdout)
    assert (data["size"], data["champion"]) == (4, "p4")
    assert data["rounds"] == [{"name": "semi-final", "round": 2}, {"name": "final", "round": 3}]
    assert [seed["competitor"] for seed in data["seeds"]] == ["p1", "p2", "p3", "p4"]
    final = data["games"][2]
    assert final["a"] == {"competitor": "p4", "seed": 4, "winner_of": 1}
    assert final["b"] == {"competitor": "p2", "seed": 2, "winner_of": 2}
    assert [(p["rank"], p["competitor"], p["reached"]) for p in data["ranking"]] == [
        (1, "p4", "champion"),
        (2, "p2", "final"),
        (3, "p1", "semi-final"),
        (4, "p3", "semi-final"),
        (5, "p5", None),
        (6, "p6", None),
    ]


def test_the_bracket_as_text_before_it_is_decided(run: Any) -> None:
    lines = run(event(SEMIS), "bracket", "--format", "text").stdout.splitlines()
    assert lines[0].split("  ")[:2] == ["1", "Semi-final"]
    assert "30:100 Eva Luz" in lines[0]
    assert "4 Eva Luz" in lines[2]
    before = run(event(), "bracket", "--format", "text", language="pl").stdout
    assert "Półfinał" in before
    assert "zwycięzca meczu 1" in before


def test_the_bracket_as_a_picture(run: Any) -> None:
    root = ElementTree.fromstring(run(event(SEMIS, FINAL), "bracket", "--format", "svg").stdout)
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Semi-final", "Final", "Champion", "Eva Luz", "Łukasz Żak", "99"} <= set(texts)


def test_pair_goes_from_the_cut_to_the_final(run: Any) -> None:
    semis = json.loads(run(event(), "pair").stdout)
    assert semis["stage"] == "elimination"
    assert semis["matches"] == [
        {"table": 1, "a": "p1", "b": "p4", "game": 1},
        {"table": 2, "a": "p2", "b": "p3", "game": 2},
    ]
    final = json.loads(run(event(SEMIS), "pair").stdout)
    assert final["matches"] == [{"table": 1, "a": "p4", "b": "p2", "game": 1}]
    over = run(event(SEMIS, FINAL), "pair")
    assert (over.returncode, over.stdout) == (2, "")
    assert "The bracket is decided" in over.stderr


def test_check_accepts_it_and_finds_a_wrong_pair(run: Any) -> None:
    assert run(event(SEMIS, FINAL), "check").returncode == 0
    wrong = {
        "number": 2,
        "stage": "elimination",
        "matches": [match(1, 1, 2, 30, 100, game=1), match(2, 3, 4, 100, 99, game=2)],
    }
    answer = run(event(wrong), "check")
    assert answer.returncode == 1
    assert "/rounds/1/matches/0: Game 1 should be Ana Ruiz (p1) – Eva Luz (p4)." in answer.stdout


def test_there_is_no_bracket_before_the_swiss_rounds_are_over(run: Any) -> None:
    data = event()
    del data["rounds"][0]["matches"][0]["result"]
    answer = run(data, "bracket")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "no bracket yet" in answer.stderr
