"""One side's own sheet where both enter for themselves: squads, then figures, page by page. Pure; no screen."""

from __future__ import annotations

from dataclasses import dataclass, field

from roundtap_core.forms.form import Way
from roundtap_core.forms.questions import Figure, Picks

Page = Figure | Picks


def pages_of(way: Way, whose: str) -> tuple[Page, ...]:
    """What one side answers in this way, in the form's order."""
    return tuple(step for step in way.steps if isinstance(step, Figure | Picks) and step.asked and step.whose == whose)


@dataclass(slots=True)
class OwnSheet:
    """`at`: the page that is open, None while the side rests. `done`: all pages were passed; `agreed`: the sum too.

    `picked`: squads in the order they were marked; `cursor` is the one that the own button has stepped to.
    """

    picked: list[int] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    cursor: int = 1
    at: int | None = None
    fielded: bool = False
    asked: bool = False
    """"Concede?" is on the page."""
    warned: bool = False
    """"These can never be played any more" is on the page of squads."""
    done: bool = False
    agreed: bool = False

    def value(self, figure: Figure) -> int:
        return self.values.get(figure.key, figure.default)

    def unset(self, page: Page) -> bool:
        """Whether this side has not yet said what the page asks."""
        if isinstance(page, Picks):
            return len(self.picked) != page.take
        return page.key not in self.values

    @property
    def counting(self) -> bool:
        """Whether figures of the game's end are on this sheet while it is open."""
        return self.at is not None and bool(self.values)

    def rest(self) -> None:
        self.at, self.asked = None, False

    def confirm(self, figure: Figure) -> None:
        """▲ says that the figure is right as it stands."""
        self.values[figure.key] = self.value(figure)

    def step(self, picks: Picks) -> None:
        self.cursor = self.cursor % picks.of + 1

    def mark(self, picks: Picks) -> bool:
        """Mark the squad at the cursor, or take the mark away; True: enough were marked before, so this says OK."""
        if len(self.picked) == picks.take:
            self.fielded = True
            return True
        if self.cursor in self.picked:
            self.picked.remove(self.cursor)
        else:
            self.picked.append(self.cursor)
        return False

    def count(self, figure: Figure, most: int, by: int) -> None:
        """Count on; a small figure starts again after its last, a large one stops there."""
        value = self.value(figure) + by
        if value > most:
            value = figure.minimum if len(figure.wheels) == 1 else most
        self.values[figure.key] = max(figure.minimum, value)
