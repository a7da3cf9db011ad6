"""Who this unit is to which hub: by its configuration, by a hub on this machine, or by what it got when it enrolled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundtap_units.link.brief_talk import Place
from roundtap_units.link.enrolled import Enrolled, read_enrolled
from roundtap_units.link.find_hub import standing_candidates
from roundtap_units.link.link import HubAddress

CONFIGURED, LOCAL, ENROLLED = "configured", "local", "enrolled"


@dataclass(frozen=True, slots=True)
class Identity:
    """`places`: where the hub may be, the likeliest first; `how`: CONFIGURED, LOCAL or ENROLLED."""

    unit: str
    key: bytes
    places: tuple[Place, ...]
    how: str

    @property
    def address(self) -> HubAddress:
        """For the links to the hub."""
        host, port = self.places[0]
        return HubAddress(host, port, self.unit, self.key, self.places[1:])


def known_identity(unit: str, key: bytes, hubs: tuple[Place, ...], folder: Path,
                   elsewhere: Callable[[], tuple[Place, ...]] = standing_candidates) -> Identity | None:
    """What is known without asking anybody; None: the unit has to enrol. The first four are the configuration's;
    `folder` is where the unit keeps its things. elsewhere: where a hub may be that nobody configured."""
    if key:
        return Identity(unit, key, hubs or elsewhere(), CONFIGURED)
    kept = read_enrolled(folder)
    return of_enrolled(kept, hubs, elsewhere) if kept is not None else None


def of_enrolled(kept: Enrolled, hubs: tuple[Place, ...] = (),
                elsewhere: Callable[[], tuple[Place, ...]] = standing_candidates) -> Identity:
    """By what the unit got; its hub may have moved since."""
    return Identity(kept.unit, kept.key, hubs or tuple(dict.fromkeys((*kept.hubs, *elsewhere()))), ENROLLED)
