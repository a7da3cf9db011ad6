"""What the load benchmarks stand on: a real hub on its own core, units, browsers, a quota, and a table of figures."""

import sys
import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[3]
# The tests' kits are found where pytest finds them, whatever moves: a list of its own is forgotten when one does.
for _folder in tomllib.loads((_ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["pythonpath"]:
    sys.path.append(str(_ROOT / _folder))
