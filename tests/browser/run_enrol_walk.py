"""The gate of enrolment: 32 new units, one organizer in a real browser, no restart. `python run_enrol_walk.py [COUNT]`.

Says how long the walk took beside what a person needs to read and type, and fails above three minutes of it all.
"""

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "hub"), str(HERE.parent)]

from enrol_walk_kit import new_units, walk  # noqa: E402
from hall_kit import open_hall  # noqa: E402
from pages_kit import PIN  # noqa: E402
from screen_kit import NOWHERE, chromedriver, open_screen  # noqa: E402

GATE_S = 180.0
PERSON_S = 4.0
"""To read eight digits and type them; how far the tables stand apart is the hall's."""


def main() -> int:
    if chromedriver() is None:
        print(NOWHERE)
        return 2
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 32
    with (
        tempfile.TemporaryDirectory() as folder,
        open_screen() as screen,
        open_hall(Path(folder)) as hall,
        new_units(hall, count) as units,
    ):
        screen.log_in(hall.url, PIN)
        took_s = walk(screen, hall, units)
        keys = hall.house.hub.units.keys
        assert all(keys[unit.kept[0].unit] == unit.kept[0].key for unit in units)
    with_person_s = took_s + count * PERSON_S
    print(
        f"{count} units: {took_s:.1f} s by the machines ({took_s / count:.2f} s each), "
        f"{with_person_s:.0f} s with {PERSON_S:.0f} s a unit for a person to read and type"
    )
    return 0 if with_person_s < GATE_S else 1


if __name__ == "__main__":
    raise SystemExit(main())
