"""Files that break a clause each, and `roundtap check`, which says so: every clause that a file could break."""

import json
import sys
from pathlib import Path

import pytest

from roundtap import main as command_line

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))

from broken_files import broken_files


@pytest.mark.parametrize("clause", broken_files())
def test_check_says_what_a_file_breaks(clause: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1 where the file breaks a rule, 2 where its own words contradict each other so that it is no event."""
    case = broken_files()[clause]
    file = tmp_path / "event.json"
    file.write_text(json.dumps(case.file), encoding="utf-8")
    assert command_line.main(["check", str(file), "--format", "json"]) == case.exit
    said = capsys.readouterr()
    if case.exit == 1:
        assert case.breaks in {broken["rule"] for broken in json.loads(said.out)["violations"]}
    else:
        assert said.out == ""
        assert said.err.startswith(f"{file}: /")
