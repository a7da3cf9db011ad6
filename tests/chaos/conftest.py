"""The campaign stands on the kit's processes."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
for beside in (HERE, HERE.parent / "kit", HERE.parent / "units"):
    sys.path.insert(0, str(beside))
