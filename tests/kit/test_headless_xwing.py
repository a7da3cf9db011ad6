"""X-Wing files that break a clause each, and `roundtap check`, which says so."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from roundtap import main as command_line

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))

from broken_xwing import by_name


@pytest.mark.parametrize("clause", by_name())
def test_check_says_what_an_x_wing_file_breaks(
    clause: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = by_name()[clause]
    file = tmp_path / "event.json"
    file.write_text(json.dumps(case.file), encoding="utf-8")
    assert command_line.main(["check", str(file), "--format", "json"]) == case.exit
    said = capsys.readouterr()
    if case.exit == 1:
        assert case.breaks in {broken["rule"] for broken in json.loads(said.out)["violations"]}
    else:
        assert said.out == ""
        assert said.err.startswith(f"{file}: /")
