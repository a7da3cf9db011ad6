"""What a unit says of its own machine, as far as the hub believes it: a few bounded words, and nothing that hurts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

VERSION_MAX = 60
KEYS_MAX = 16
WORD = re.compile(r"[a-z0-9][a-z0-9_-]{0,23}")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*")
THROTTLED_MAX, CELSIUS_MAX, FREE_MB_MAX = 0xFFFFF, 200, 10**8


@dataclass(frozen=True, slots=True)
class UnitHealth:
    """None and "" where the unit does not know, or has no such thing. `keys`: the buttons of its board, `pressed` those
    that were pressed since it was started; `throttled`: the firmware's bits (roundtap_systemd/health.py)."""

    version: str = ""
    throttled: int | None = None
    celsius: int | None = None
    free_mb: int | None = None
    read_only: bool | None = None
    screen: bool | None = None
    printer: str = ""
    deaf: str = ""
    blind: str = ""
    keys: tuple[str, ...] = ()
    pressed: tuple[str, ...] = ()

    @property
    def unpressed(self) -> tuple[str, ...]:
        return tuple(key for key in self.keys if key not in self.pressed)


def kept(said: object) -> str:
    """A status's `health` as the hub keeps it; "" for what is no health. What is odd in it is left out: a call for a
    judge that comes with it must not be lost for that."""
    if not isinstance(said, Mapping):
        return ""
    keys = _words(said.get("keys"))
    health = UnitHealth(
        _version(said.get("version")), _number(said.get("throttled"), THROTTLED_MAX),
        _number(said.get("celsius"), CELSIUS_MAX), _number(said.get("free_mb"), FREE_MB_MAX),
        _flag(said.get("read_only")), _flag(said.get("screen")),
        _word(said.get("printer")), _word(said.get("deaf")), _word(said.get("blind")),
        keys, tuple(key for key in _words(said.get("pressed")) if key in keys))
    return json.dumps(asdict(health), separators=(",", ":"))


@lru_cache(maxsize=512)
def health_of(text: str) -> UnitHealth | None:
    """What was kept; None: the unit has not said."""
    if not text:
        return None
    known: dict[str, Any] = json.loads(text)
    return UnitHealth(**{**known, "keys": tuple(known["keys"]), "pressed": tuple(known["pressed"])})


def _version(said: object) -> str:
    return said if isinstance(said, str) and len(said) <= VERSION_MAX and VERSION.fullmatch(said) else ""


def _number(said: object, most: int) -> int | None:
    return said if isinstance(said, int) and not isinstance(said, bool) and 0 <= said <= most else None


def _flag(said: object) -> bool | None:
    return said if isinstance(said, bool) else None


def _word(said: object) -> str:
    return next(iter(_words([said])), "")


def _words(said: object) -> tuple[str, ...]:
    if not isinstance(said, list):
        return ()
    return tuple(dict.fromkeys(word for word in said[:KEYS_MAX] if isinstance(word, str) and WORD.fullmatch(word)))
