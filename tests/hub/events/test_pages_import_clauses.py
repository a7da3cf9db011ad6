"""Files that break a clause each, at the console's import: refused, or taken by somebody who was told."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages_kit import House, open_house, problem_of

sys.path.insert(0, str(Path(__file__).parents[2] / "core"))

from broken_files import broken_files


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("house")) as opened:
        yield opened


@pytest.mark.parametrize("clause", broken_files())
def test_a_file_that_breaks_a_clause_makes_no_event(house: House, clause: str):
    case = broken_files()[clause]
    browser = house.organizer()
    raw = json.dumps(case.file).encode()

    def upload(**more: Any) -> Any:
        sent = {"csrf": browser.token, "color": "#00785A", "file": (io.BytesIO(raw), "event.json"), **more}
        return browser.client.post("/console/import", data=sent, headers=browser.headers)

    before = set(house.service.snapshot.events)
    answer = upload()
    assert answer.status_code in (400, 409)
    assert problem_of(answer)
    assert set(house.service.snapshot.events) == before
    if case.exit == 2:
        # What is no event is none, whoever insists.
        assert upload(anyway="1").status_code in (400, 409)
        assert set(house.service.snapshot.events) == before
