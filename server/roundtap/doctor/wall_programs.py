"""Whether a machine that shows the wall has the programs for it."""

from collections.abc import Sequence

from roundtap_machine.checks import WRONG, Check
from roundtap_units.wall.main import missing_programs, connected_screens


def wall_checks(roles: Sequence[str]) -> list[Check]:
    """A check where compositor or browser is missing. `roles`: this machine's services; a hub shows a wall only with a
    screen plugged in."""
    lacking = missing_programs() if "wall" in roles and ("hub" not in roles or connected_screens()) else []
    return [Check("wall", WRONG, {"programs": ", ".join(lacking)})] if lacking else []
