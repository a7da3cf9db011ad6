"""What is asked while an event is set up. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.elimination.cut import Cut
from roundtap_core.event.official import Official
from roundtap_core.event.played_on import PlayedOn


@dataclass(frozen=True, slots=True)
class CreateEvent:
    name: str
    rulebook: str
    level: str | None
    options: Mapping[str, Any]
    color: str
    seed: int
    about: Mapping[str, str] = field(default_factory=dict)
    """The keys of setup/about.py, as far as they are known."""


@dataclass(frozen=True, slots=True)
class SetAbout:
    """All that the event says of itself from now on (keys of setup/about.py); what is missing or empty is not said."""

    about: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SetOptions:
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """What an event file keeps beside competitors and rounds, as it happened: nothing of it is judged anew."""

    officials: tuple[Official, ...] = ()
    cut: Cut | None = None
    finished: bool = False
    played_on: tuple[PlayedOn, ...] = ()
