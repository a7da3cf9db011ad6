"""The shape of a check before the doors open: what was looked at, how it is, what was seen, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

FINE, NOTE, WRONG, UNKNOWN = "fine", "note", "wrong", "unknown"
"""As it should be; good to know, nothing has to be done now; somebody has to do something; this machine does not say,
or has no such thing (a PC has no supply voltage to ask for)."""
STATES = (WRONG, NOTE, UNKNOWN, FINE)
"""The worst first."""

HUB, NETWORK, TABLES, WALLS, PRINTER, COPIES = "hub", "network", "tables", "walls", "printer", "copies"
GROUPS = (HUB, NETWORK, TABLES, WALLS, PRINTER, COPIES)
"""What a check is about; the order in which people are led through the hall. A machine's own checks are HUB's
wherever they are made."""


class Texts(Protocol):
    """`roundtap_core.words.Words`; this package imports nobody."""

    def __call__(self, key: str, /, **params: object) -> str: ...

    def __contains__(self, key: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    `key` names it: the text "check.KEY" is its title. What was seen is the text "check.KEY.KIND", what to do
    "check.KEY.KIND.do", filled with `args` (texts and whole numbers, nothing else: they travel as JSON); `kind` is the
    state where there is nothing finer to say. The texts are the core's, in four languages.
    """

    key: str
    state: str
    args: Mapping[str, str | int] = field(default_factory=dict)
    kind: str = ""
    group: str = HUB

    def title(self, words: Texts) -> str:
        """What was looked at: "Supply voltage"."""
        return words(f"check.{self.key}")

    def saw(self, words: Texts) -> str:
        """One line of what was seen."""
        key = self._text
        return words(key if key in words else f"check.{self.state}", **self.args)

    def to_do(self, words: Texts) -> str:
        """One line of what to do; "" where there is nothing."""
        key = f"{self._text}.do"
        return words(key, **self.args) if key in words else ""

    @property
    def _text(self) -> str:
        return f"check.{self.key}.{self.kind or self.state}"

    def as_json(self) -> dict[str, Any]:
        """For programs: without words."""
        return {"key": self.key, "state": self.state, "kind": self.kind or self.state, "group": self.group,
                "args": dict(self.args)}


def worst(checks: Iterable[Check]) -> str:
    """The worst state among them; FINE where there is none."""
    return min((check.state for check in checks), key=STATES.index, default=FINE)


def worst_first(checks: Iterable[Check]) -> Sequence[Check]:
    """Those that need somebody first, otherwise in the order they came in."""
    return sorted(checks, key=lambda check: STATES.index(check.state))
