"""A unit's cold start as a machine in the hall has it: `exec` to the first frame, which says that it starts, and to the
first screen of what is so. And a press inside a figure, to the screen.

    python tests/benchmarks/bench_cold_start.py [--quick] [--nice N]

Processor time of the whole process, best of several, everything compiled before (as an installed kit is). A unit draws
on its virtual screen, since there is no bus here; what the driver of a real one costs is added to the figure. The hub's
start is in bench_start.py.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench_start import compile_all
from rig.hub_process import Hall, bare_hall, keep_off_the_hub_s_core
from rig.table import Options, Row, alone
from unit_kit import Unit, view

from roundtap.kit.virtual_kit import start_roundtap
from roundtap_devices.input.gestures import DEBOUNCE_MS, Edge

GATE_S = 1.5
FIRST_FRAME_TIMES = 5
PILLOW = "import PIL.Image, PIL.ImageDraw, PIL.ImageFont"
PRESS_GATE_MS, PRESSED_FOR_MS = 43, 90
DRIVER = "luma.oled.device, luma.core.interface.serial"
FELT = {
    "table unit, exec to first frame": "how long a table's screen is dark",
    "table unit, exec to first screen": "how long until a table can be used",
    "▲ inside a figure, press to screen": "whether a figure follows the finger",
}


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    compile_all()
    times = options.pick(7, 1)
    hall = bare_hall(folder / "hub", units=1)
    driver_s = min(_python_cpu_s(f"import {DRIVER}", core) for _ in range(times)) - min(
        _python_cpu_s("import PIL.Image", core) for _ in range(times)
    )
    frame_s = unit_s = floor_s = float("inf")
    for _ in range(max(times, FIRST_FRAME_TIMES)):
        # In turn, so that what slows the machine slows both.
        floor_s, frame_s, unit_s = map(
            min, (floor_s, frame_s, unit_s), (_python_cpu_s(PILLOW, core), *_unit_cpu_s(hall, core))
        )
    yield Row(
        "table unit, exec to first frame on a simulated screen: CPU",
        frame_s * 1000,
        "ms",
        3 * floor_s * 1000,
        floor_s * 1000,
        "Python + Pillow",
        since="2026-11-27",
        note=f"best of {max(times, FIRST_FRAME_TIMES)}",
        felt=FELT["table unit, exec to first frame"],
    )
    yield _press_row(folder / "press")
    yield Row(
        "table unit, exec to first screen: CPU",
        unit_s + max(driver_s, 0.0),
        "s",
        GATE_S,
        since="2026-11-22",
        note=f"best of {times}; {driver_s:.2f} s of it the display's driver",
        felt=FELT["table unit, exec to first screen"],
    )


def _press_row(folder: Path) -> Row:
    """A press of ▲ inside a figure on mock pins and an injected clock: when the changed picture is on the screen, by
    that clock, and what drawing it took of the processor."""
    folder.mkdir()
    unit = Unit(folder)
    unit.hub_says("view", view(clock={"state": "idle", "remaining_ms": 4_500_000}))
    unit.tap("a", "b")
    unit.hub_says("view", view())
    unit.wait(1000)
    unit.tap("a")
    before, pressed_ms, begin_s = unit.unit.scene, unit.now_ms, time.process_time()
    unit.unit.step(pressed_ms, [Edge("up", True, pressed_ms)])
    while unit.unit.scene == before and unit.now_ms < pressed_ms + PRESSED_FOR_MS:
        unit.wait(1)
    drawn_ms = (time.process_time() - begin_s) * 1000
    if unit.unit.scene == before:
        return Row(
            "▲ inside a figure, press to screen",
            None,
            "ms",
            PRESS_GATE_MS,
            since="2026-11-27",
            note=f"nothing was shown within {PRESSED_FOR_MS} ms, before the release",
            felt=FELT["▲ inside a figure, press to screen"],
        )
    return Row(
        "▲ inside a figure, press to screen",
        unit.now_ms - pressed_ms + drawn_ms,
        "ms",
        PRESS_GATE_MS,
        float(DEBOUNCE_MS),
        "debounce",
        since="2026-11-27",
        note=f"{drawn_ms:.1f} ms of it processor time",
        felt=FELT["▲ inside a figure, press to screen"],
    )


def _on(core: int | None) -> tuple[str, ...]:
    return ("taskset", "-c", str(core)) if core is not None else ()


def _cpu_s(pid: int) -> float:
    return time.clock_gettime((~pid << 3) | 2)


def _unit_cpu_s(hall: Hall, core: int | None) -> tuple[float, float]:
    """Until the first frame, and until the first screen that a dialogue has made."""
    folder = hall.folder / "unit"
    config = hall.folder / "unit.toml"
    config.write_text(
        f'unit = "table-1"\nkey = "{hall.keys["table-1"].hex()}"\nhub = "http://127.0.0.1:9"\nfolder = "{folder}"\n'
    )
    unit = start_roundtap(
        "table",
        str(config),
        "--panel",
        str(hall.folder / "panel"),
        "--say",
        wrapper=_on(core),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert unit.stdout is not None
        until = []
        for _ in range(2):
            # An end of file would be a unit that died.
            if not unit.stdout.readline():
                raise RuntimeError("the unit ended without a screen")
            until.append(_cpu_s(unit.pid))
        return until[0], until[1]
    finally:
        unit.terminate()
        unit.wait(timeout=20)


def _python_cpu_s(code: str, core: int | None) -> float:
    process = subprocess.Popen(
        [*_on(core), sys.executable, "-c", f"{code}\nimport time\nprint(time.process_time())"], stdout=subprocess.PIPE
    )
    taken = float(process.stdout.read())
    process.wait()
    return taken


if __name__ == "__main__":
    alone(measure, __doc__)
