"""What is asked while an event is set up. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from roundtap_core.elimination.cut import Cut
from roundtap_core.event.official import Official
from roundtap_core.event.played_on import PlayedOn
from roundtap_core.typed import Exact, IdOrEmpty, LineOrEmpty, Prose


class CreateEvent(Struct, frozen=True):
    name: Prose
    rulebook: IdOrEmpty
    level: LineOrEmpty | None
    options: Mapping[str, Any]
    color: LineOrEmpty
    seed: Exact
    about: Mapping[str, str] = {}
    """The keys of setup/decide.py, as far as they are known."""


class SetAbout(Struct, frozen=True):
    """All that the event says of itself from now on (keys of setup/decide.py); what is missing or empty is not said."""

    about: Mapping[str, str]


class SetOptions(Struct, frozen=True):
    options: Mapping[str, Any]


class ImportRecord(Struct, frozen=True):
    """What an event file keeps beside competitors and rounds, as it happened: nothing of it is judged anew."""

    officials: tuple[Official, ...] = ()
    cut: Cut | None = None
    finished: bool = False
    played_on: tuple[PlayedOn, ...] = ()
