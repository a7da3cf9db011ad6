"""`make bench`: every benchmark in turn. Figures hold for the machine and the moment they were taken on."""

from __future__ import annotations

import runpy
from pathlib import Path

if __name__ == "__main__":
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"— {script.stem}", flush=True)
        # In this process: what is told to end has nobody else to tell.
        runpy.run_path(str(script), run_name="__main__")
