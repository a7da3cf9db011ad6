"""How many files a reader needs to follow one request: the figures reached do not rise unnoticed."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from size import ROOT

MOST = {"a report": 38, "a console page": 58, "a typed line": 45, "a typed line's page": 52}
"""Three or four more than it takes: on a busy machine a commit is published while its answer is on its way."""


def test_a_request_passes_through_few_modules() -> None:
    """A process of its own: what other tests have loaded and computed would not be entered again."""
    paths = os.pathsep.join(
        map(str, (ROOT / "tests", ROOT / "tests/hub", ROOT / "tests/tools", os.environ.get("PYTHONPATH", "")))
    )
    told = subprocess.run(
        [sys.executable, ROOT / "tests/tools/entered.py"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    found = {what: int(count) for count, what in re.findall(r"(\d+) modules: (.+)", told.stdout)}
    assert found.keys() == MOST.keys()
    assert {what: count for what, count in found.items() if count > MOST[what]} == {}
