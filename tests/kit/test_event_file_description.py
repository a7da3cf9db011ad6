"""`server/EVENT_FILE.md` is true: a worked file for each rulebook, the outputs as described, and no key left out."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from roundtap import main as command_line
from roundtap_core.eventfile import file_schema
from roundtap_core.forms.questions import Choice, Figure, Turns
from roundtap_core.lists.list_form import ListForm
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.standings.tiebreakers import STEPS

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "tests" / "core" / "worked_events"
PAGE = (ROOT / "server" / "EVENT_FILE.md").read_text(encoding="utf-8")
SCHEMAS = Path(file_schema.__file__).parent
EVENT_SCHEMA, OUTPUTS = (
    json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")) for name in ("event", "outputs")
)
NAMED = set(re.findall(r"`\"?([a-z0-9_\-]+)\"?`", PAGE))


def fits(command: str, data: Any) -> bool:
    jsonschema.Draft202012Validator({**OUTPUTS, "$ref": f"#/$defs/{command}"}).validate(data)
    return True


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert command_line.main([*arguments, "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_outputs_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(OUTPUTS)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_the_worked_file(rulebook_id: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = WORKED / f"{rulebook_id}.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(EVENT_SCHEMA).validate(data)
    assert said(capsys, "check", str(file)) == {"violations": []}
    for after in range(len(data["rounds"])):
        assert fits("standings", said(capsys, "standings", str(file), "--after", str(after)))
        so_far = tmp_path / f"{after}.json"
        so_far.write_text(json.dumps({**data, "rounds": data["rounds"][:after]}), encoding="utf-8")
        drawn = said(capsys, "pair", str(so_far))
        assert fits("pair", drawn)
        # The file's own rounds were drawn so.
        assert [[m["a"], m.get("b")] for m in drawn["matches"]] == [
            [m["a"], m.get("b")] for m in data["rounds"][after]["matches"]
        ]
    bracket = said(capsys, "bracket", str(file))
    assert fits("bracket", bracket)
    assert bracket["champion"]
    assert fits("rulebook", said(capsys, "rulebook", rulebook_id))
    broken = tmp_path / "broken.json"
    data["competitors"][0]["dropped_after"] = 99
    broken.write_text(json.dumps({**data, "rounds": []}), encoding="utf-8")
    assert fits("check", said(capsys, "check", str(broken), code=1))


def test_the_list_of_rulebooks(capsys: pytest.CaptureFixture[str]) -> None:
    assert fits("rulebooks", said(capsys, "rulebook"))


def keys_of(part: Any) -> set[str]:
    if isinstance(part, list):
        return set().union(*map(keys_of, part)) if part else set()
    if not isinstance(part, dict):
        return set()
    named = set(part["properties"]) if isinstance(part.get("properties"), dict) else set()
    return named.union(*(keys_of(inner) for inner in part.values()))


def test_every_key_of_the_file_is_described() -> None:
    assert keys_of(EVENT_SCHEMA) - NAMED == set()


def test_every_key_of_an_output_is_described() -> None:
    assert keys_of(OUTPUTS) - NAMED == set()


def test_every_value_to_choose_from_is_described() -> None:
    def values(part: Any) -> set[str]:
        if isinstance(part, list):
            return set().union(*map(values, part)) if part else set()
        if not isinstance(part, dict):
            return set()
        here = {value for value in part.get("enum", ()) if isinstance(value, str)}
        return here.union(*(values(inner) for inner in part.values()))

    assert (values(EVENT_SCHEMA) | values(OUTPUTS)) - NAMED == set()


def test_every_tiebreaker_is_described() -> None:
    assert set(STEPS) - NAMED == set()


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_key_of_a_time_out_and_of_a_list_is_described(rulebook_id: str) -> None:
    book = rulebook(rulebook_id)
    section = PAGE.split(f"### `{rulebook_id}`")[1].split("\n### ")[0].split("\n## ")[0]
    same = re.search(r"As for `([a-z\-]+)`", section)
    if same:
        section += PAGE.split(f"### `{same[1]}`")[1].split("\n### ")[0]
    named = set(re.findall(r"`\"?([a-z0-9_\-]+)\"?`", section))
    told = set()
    for games in book.best_of:
        form = book.form(book.options({"stages": {"final": {"best_of": games}}}), MatchSituation("final"))
        swiss = book.form(book.options({"stages": {"swiss": {"best_of": games}}}), MatchSituation("swiss"))
        for step in [step for way in (*form.ways, *swiss.ways) for step in way.steps]:
            if isinstance(step, Figure):
                told.add(step.key)
            elif isinstance(step, Choice | Turns):
                told.add(step.name.partition(".")[0])
    assert told - named - {"winner", "first_player_lot"} == set()
    assert listed(book.lists.form(book.options({}))) - named == set()


def listed(form: ListForm) -> set[str]:
    columns = [column for lines in form.lines for column in lines.columns]
    return {field.key for field in (*form.fields, *form.shared, *columns)} | {lines.key for lines in form.lines}


def test_every_rulebook_names_its_worked_file() -> None:
    for rulebook_id in RULEBOOKS:
        assert f"tests/core/worked_events/{rulebook_id}.json" in PAGE
    assert {file.stem for file in WORKED.iterdir()} == set(RULEBOOKS)
