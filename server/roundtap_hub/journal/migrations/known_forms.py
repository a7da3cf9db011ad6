"""The forms that a program knows, and what a database says of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundtap_core.version import version

FIRST = "0001"
"""What a journal has that does not say its form."""


@dataclass(frozen=True, slots=True)
class Forms:
    """`folder` holds the forms (versions/); `newest` is the last of them; `running` the version that knows them."""

    folder: Path
    newest: str
    running: Callable[[], str] = version
    readable: frozenset[str] = frozenset()
    """Earlier forms that lack tables only: who just looks may read them."""


TODAY = Forms(Path(__file__).parent / "versions", "0002", readable=frozenset({FIRST}))


@dataclass(frozen=True, slots=True)
class Noted:
    """What a database says of itself. `form`: "" where it holds nothing yet; `stamped`: whether it says its form, or
    only may be known by its tables; `written_by`: (form, version), oldest first."""

    form: str
    stamped: bool = False
    written_by: tuple[tuple[str, str], ...] = ()

    def since(self, form: str) -> str:
        """The first version that opened it in this form; "?" where nobody noted it."""
        return next((version for noted, version in self.written_by if noted == form), "?")
