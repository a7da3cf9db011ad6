"""What is asked while an event is set up. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CreateEvent:
    name: str
    rulebook: str
    level: str | None
    options: Mapping[str, Any]
    color: str
    seed: int


@dataclass(frozen=True, slots=True)
class SetOptions:
    options: Mapping[str, Any]
