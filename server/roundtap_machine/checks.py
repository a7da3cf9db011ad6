"""A check before the doors open: its subject, its state, what was seen, and what to do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

FINE, NOTE, WRONG, UNKNOWN = "fine", "note", "wrong", "unknown"
"""As it should be; good to know, with nothing to do now; something has to be done; not reported by this machine (a PC
does not measure its supply voltage)."""
STATES = (WRONG, NOTE, UNKNOWN, FINE)  # worst first

HUB, NETWORK, TABLES, WALLS, PRINTER, COPIES = "hub", "network", "tables", "walls", "printer", "copies"
GROUPS = (HUB, NETWORK, TABLES, WALLS, PRINTER, COPIES)
"""What a check is about, in the order of a walk through the hall. A machine's own checks are HUB's on any machine."""


# A printer's states in which it does not print, as its station says them.
PRINTER_FAULTS = (
    "no-paper",
    "offline",
    "silent",
    "mute",
    "no-port",
    "unplugged",
    "stalled",
    "unconfirmed",
    "login-console",
    "no-access",
    "busy",
)


class Texts(Protocol):
    """As `roundtap_core.words.Words`, which this package does not import."""

    def __call__(self, key: str, /, **params: object) -> str: ...

    def __contains__(self, key: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Check:
    """One check. The text "check.KEY" is its title, "check.KEY.KIND" what was seen, "check.KEY.KIND.do" what to do,
    filled with `args` (texts and whole numbers). `kind` "": as the state. The texts are the core's."""

    key: str
    state: str
    args: Mapping[str, str | int] = field(default_factory=dict)
    kind: str = ""
    group: str = HUB

    def title(self, words: Texts) -> str:
        """Its subject: "Supply voltage"."""
        return words(f"check.{self.key}")

    def finding(self, words: Texts) -> str:
        """One line on what was seen."""
        key = self._text
        return words(key if key in words else f"check.{self.state}", **self.args)

    def to_do(self, words: Texts) -> str:
        """One line on what to do, or ""."""
        key = f"{self._text}.do"
        return words(key, **self.args) if key in words else ""

    @property
    def _text(self) -> str:
        return f"check.{self.key}.{self.kind or self.state}"

    def as_json(self) -> dict[str, Any]:
        """For programs: the fields, keys instead of texts."""
        return {
            "key": self.key,
            "state": self.state,
            "kind": self.kind or self.state,
            "group": self.group,
            "args": dict(self.args),
        }


def printer_check(unit: str, state: str) -> Check | None:
    """The check of a printer that does not print; None in any other state."""
    return Check("printer", WRONG, {"unit": unit}, state, PRINTER) if state in PRINTER_FAULTS else None


def worst(checks: Iterable[Check]) -> str:
    """The worst state among them; FINE without any."""
    return min((check.state for check in checks), key=STATES.index, default=FINE)


def worst_first(checks: Iterable[Check]) -> Sequence[Check]:
    """Sorted by state, worst first; the order is otherwise unchanged."""
    return sorted(checks, key=lambda check: STATES.index(check.state))
