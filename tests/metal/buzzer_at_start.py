"""The buzzer's pin on a real GPIO line from before its unit starts until after it ends: gpiozero, lgpio, gpio-sim.

Run as root on a Linux with a gpio-sim chip; README.md beside this file says how to get one. The line is pulled as a
Pi's is at reset, then as the resistor of BUILD.md pulls it. Prints each level with when it began; stops with an error
where a buzzer sounded that should not.
"""

import os
import queue
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from gpio_lines import pretend_a_pi

from roundtap_devices.boards import RECOMMENDED, Board, parse_board
from roundtap_devices.controls import Controls
from roundtap_devices.input.pin_factory import real_factory

PAUSE_S = 0.2
DOWN, UP = "pull-down", "pull-up"
"""A Pi's own 50 kΩ, and 10 kΩ to 3.3 V, which are stronger."""


@contextmanager
def watched(line: Path, levels: list[tuple[float, str]]) -> Iterator[None]:
    """Note each change of a line's level meanwhile, as fast as it can be read."""
    ended = threading.Event()

    def watch() -> None:
        file = os.open(line / "value", os.O_RDONLY)
        while not ended.is_set():
            level = os.pread(file, 1, 0).decode()
            if not levels or levels[-1][1] != level:
                levels.append((time.monotonic(), level))
        os.close(file)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def played(folder: Path, board: Board, pull: str) -> list[str]:
    """The levels of the buzzer's line, in order: before, while the unit runs without a beep, and after it."""
    line = folder / f"sim_gpio{board.pins.buzzer}"
    (line / "pull").write_text(pull)
    levels: list[tuple[float, str]] = []
    edges: queue.SimpleQueue[Any] = queue.SimpleQueue()
    with watched(line, levels):
        time.sleep(PAUSE_S)
        started = time.monotonic()
        with closing(
            Controls(board, lambda: real_factory(tempfile.gettempdir()), edges, lambda: int(time.monotonic() * 1000))
        ) as controls:
            assert not controls.input_fault, controls.reason
            time.sleep(PAUSE_S)
        time.sleep(PAUSE_S)
    print(f"{pull:10}", *(f"{level} from {1000 * (at - started):+.1f} ms" for at, level in levels), flush=True)
    return [level for _, level in levels]


def main() -> None:
    folder = Path(os.environ["GPIO_SIM_DIR"])
    with tempfile.TemporaryDirectory() as temporary:
        pretend_a_pi(Path(temporary))
        loud = parse_board("buzzer_active_low = true")
        assert played(folder, RECOMMENDED, DOWN) == ["0"], "it is silent all the time"
        assert played(folder, loud, UP) == ["1"], "so is one that sounds on low, with its resistor"
        assert played(folder, loud, DOWN) == ["0", "1", "0"], "without, it sounds until the unit starts, and after it"
        print("as BUILD.md says")


if __name__ == "__main__":
    main()
