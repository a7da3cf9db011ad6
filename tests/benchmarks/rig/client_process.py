"""Clients in a process of their own, told what to do line by line; they end with the benchmark, however it ends."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

Said = dict[str, Any]
PATIENCE_S = 60.0
"""Beside what an order takes: a process that starts, on a machine that others use, too."""


class ClientProcess:
    """The benchmark's side: `python -m MODULE`, one JSON object a line each way. `wrapper`: words before the
    command."""

    def __init__(self, module: str, wrapper: tuple[str, ...] = (), **config: Any) -> None:
        self._process = subprocess.Popen(
            [*wrapper, sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        self._heard: queue.SimpleQueue[Said | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.say("config", **config)

    def __enter__(self) -> ClientProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def say(self, word: str, **more: Any) -> None:
        self._process.stdin.write(json.dumps({"say": word, **more}).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, word: str, timeout_s: float, **more: Any) -> Said:
        """Say it, and wait for its answer, `timeout_s` and some patience; RuntimeError where none comes."""
        self.say(word, **more)
        return self.hear(timeout_s)

    def hear(self, timeout_s: float) -> Said:
        try:
            heard = self._heard.get(timeout=timeout_s + PATIENCE_S)
        except queue.Empty:
            raise RuntimeError(f"the clients said nothing for {timeout_s + PATIENCE_S:.0f} s") from None
        if heard is None:
            raise RuntimeError("the clients' process ended")
        return heard

    def heard_by_now(self) -> Said | None:
        """An answer that is there already."""
        return None if self._heard.empty() else self.hear(1)

    def stop(self) -> None:
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._heard.put(json.loads(line))
        self._heard.put(None)


class Orders:
    """The clients' side: what the benchmark says next. When it is gone, so is this process."""

    def __init__(self) -> None:
        self._orders: queue.SimpleQueue[Said] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self, timeout_s: float | None = None) -> Said:
        return self._orders.get(timeout=timeout_s)

    @staticmethod
    def answer(**said: Any) -> None:
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()

    def _read(self) -> None:
        for line in sys.stdin:
            self._orders.put(json.loads(line))
        os._exit(0)
