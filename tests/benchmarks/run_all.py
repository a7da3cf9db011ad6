"""`make bench`: every benchmark in turn. Figures hold for the machine and the moment they were taken on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"— {script.stem}", flush=True)
        subprocess.run([sys.executable, str(script), *sys.argv[1:]], check=True)
