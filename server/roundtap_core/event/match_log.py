"""The log of a match: rulings, appeals, decisions on them, extensions; one line each."""

from __future__ import annotations

from msgspec import Struct

RULING, APPEAL, DECISION, EXTENSION = "ruling", "appeal", "decision", "extension"
"""Kinds of lines in a match's log."""


class LogLine(Struct, frozen=True):
    """One line of a match's log; `number` is its entry.

    `by` is an official or a role; at an appeal, the competitor. `upheld` (at a decision): the ruling stands.
    """

    kind: str
    number: int
    by: str
    text: str = ""
    upheld: bool | None = None
    minutes: int | None = None
