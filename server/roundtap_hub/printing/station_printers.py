"""What a print station says of its printer, and what the console makes of it: port, model, speed, confirmed or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LONGEST_TEXT, MOST = 200, 16


@dataclass(frozen=True, slots=True)
class StationPrinter:
    """port: where it is, "" for nowhere yet; ports: where it might be. model: its profile, models: those that the
    station knows, each with what stands on such printers. baud: 0 where its line has no speed; bauds: those to try.
    confirmed: it answers, or somebody read what it prints."""

    port: str
    ports: tuple[str, ...]
    model: str
    models: tuple[tuple[str, str], ...]
    baud: int
    bauds: tuple[int, ...]
    confirmed: bool


def heard_printer(said: object) -> StationPrinter | None:
    """A station's `printer`; None where it says none, or nothing that makes sense."""
    if not isinstance(said, Mapping):
        return None
    try:
        return StationPrinter(
            _text(said["port"]), tuple(_text(port) for port in _list(said["ports"])), _text(said["printer"]),
            tuple((_text(name), _text(sold_as)) for name, sold_as in _list(said["models"])), _number(said["baud"]),
            tuple(_number(baud) for baud in _list(said["bauds"])), said["confirmed"] is True)
    except (KeyError, TypeError, ValueError):
        return None


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ValueError("a text")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
        raise ValueError("a number")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST:
        raise ValueError("a list")
    return value
