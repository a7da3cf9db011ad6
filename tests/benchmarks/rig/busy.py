"""A machine that others use, too: processes that do nothing but compute, beside a benchmark."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

COMPUTE = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    pass
"""
"""Until its stdin closes, that is, at the latest with the benchmark."""


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """So many on all cores, at a user's usual niceness even where the benchmark's is better."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(count):
            started.append(subprocess.Popen([sys.executable, "-c", COMPUTE], stdin=subprocess.PIPE))
            os.setpriority(os.PRIO_PROCESS, started[-1].pid, max(0, os.getpriority(os.PRIO_PROCESS, 0)))
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()
