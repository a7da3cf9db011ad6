"""A table unit sent to practise: it goes when nobody needs it, keeps its own files, and comes back as itself."""

import json
import os
from pathlib import Path

import pytest
from unit_kit import KEY, Unit, view

from roundtap_core.wire import REPORT, sign
from roundtap_units.link.hub_address import HubAddress
from roundtap_units.table import main
from roundtap_units.unit_config import PRACTICE_VARIABLE

THERE = ["10.42.0.1", 8081, "table-1", bytes(reversed(KEY)).hex()]
REPORTED = {
    "report_id": "r1",
    "unit": "table-12",
    "event": "e0",
    "match": "1.1",
    "side": "a",
    "revision": 0,
    "result": {"score": {"a": 1, "b": 0}},
}


def sent_with(folder: Path, *views: dict[str, object]) -> list[object] | None:
    """Where it goes when it is sent to practise after these views."""
    unit = Unit(folder)
    for each in views:
        unit.hub_says("view", each)
    unit.hub_says("practice", THERE)
    return unit.unit.practice


def test_it_goes_where_it_is_sent_unless_its_table_has_a_match(tmp_path: Path) -> None:
    closed = view(round={"number": 3, "of": 5, "stage": "swiss", "status": "closed"})
    closed["match"]["state"] = "closed"
    assert sent_with(tmp_path) == THERE
    assert sent_with(tmp_path, view(), closed) == THERE
    assert sent_with(tmp_path, closed, view()) is None


def test_it_stays_while_a_judge_is_called_or_a_result_is_to_be_sent(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    unit.hub_says("view", view(match=None))
    unit.unit.dialogue.call.on = True
    unit.hub_says("practice", THERE)
    assert unit.unit.practice is None
    unit.unit.dialogue.call.on = False
    unit.outbox.put(REPORTED, sign(KEY, REPORT, REPORTED))
    unit.hub_says("practice", THERE)
    assert unit.unit.practice is None


def test_it_knows_when_its_hub_is_out_of_touch(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    unit.hub_says("view", view())
    assert not unit.unit.feed_ended
    unit.hub_says("ended", None)
    assert unit.unit.feed_ended


@pytest.fixture
def config(tmp_path: Path) -> main.TableConfig:
    path = tmp_path / "table.toml"
    path.write_text(
        f'unit = "table-12"\nkey = "{KEY.hex()}"\nhub = "http://10.42.0.1:8080"\nlanguage = "pl"\n'
        f'folder = "{tmp_path / "data"}"\n'
    )
    return main.read_table_config(path)


def test_as_a_guest_it_is_somebody_else_in_an_empty_folder_and_its_next_start_is_its_own(
    config: main.TableConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PRACTICE_VARIABLE, json.dumps(THERE))
    own, theirs = config.folder / "outbox.jsonl", config.folder / "practice" / "outbox.jsonl"
    theirs.parent.mkdir(parents=True)
    for each in (own, theirs):
        each.touch()
    guest, is_guest = main._as_guest(config)
    assert is_guest
    assert (guest.identity(), guest.practice, guest.language) == (
        HubAddress("10.42.0.1", 8081, "table-1", bytes(reversed(KEY))),
        True,
        "pl",
    )
    assert (guest.folder, theirs.exists(), own.exists()) == (theirs.parent, False, True)
    assert PRACTICE_VARIABLE not in os.environ
    theirs.parent.mkdir()
    assert main._as_guest(config) == (config, False), "after a power cut it is itself"
    assert not theirs.parent.exists()
    assert own.exists()
