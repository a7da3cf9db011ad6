"""Which kept report may be sent now: of one match one after the other, and slowly what the hub does not take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from roundtap_units.link.outbox import Kept

KINDS = {400: "form", 403: "key", 429: "often"}
"""What an answer without the hub's word may mean, by its status code, for the screen."""
OFTEN_ENOUGH = 3
"""A portal's page, a hub that just starts: what happens so often in succession is worth a word."""
SLOWLY_MS = 15_000


class NotTaken(ValueError):
    """An answer that is not the hub's word on this report."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class ReportOrder:
    """For the thread that sends. `mono_ms`: the unit's clock."""

    def __init__(self, mono_ms: Callable[[], int]) -> None:
        self._mono_ms = mono_ms
        self._held: set[tuple[str, str, str]] = set()
        self._vain: dict[str, tuple[int, int]] = {}
        """By report: how often in succession it was not taken, and with which status code."""
        self._not_before_ms: dict[str, int] = {}

    def turns(self, waiting: Sequence[Kept]) -> Iterator[Kept]:
        """One pass over all that wait, oldest first. A report is left out behind an earlier one of the same match and
        draw that was not answered in this pass, or is not tried in it: the hub must hear them in their order."""
        self._held = set()
        ids = {kept.id for kept in waiting}
        self._vain = {report: vain for report, vain in self._vain.items() if report in ids}
        now_ms = self._mono_ms()
        for kept in waiting:
            if kept.about in self._held:
                continue
            if self._not_before_ms.get(kept.id, now_ms) > now_ms:
                self._held.add(kept.about)
                continue
            yield kept

    def answered(self, kept: Kept) -> None:
        self._vain.pop(kept.id, None)
        self._not_before_ms.pop(kept.id, None)

    def unanswered(self, kept: Kept, status: int) -> None:
        """`status`: of an answer that was not the hub's word; 0: there was none."""
        self._held.add(kept.about)
        if status not in KINDS:
            self._vain.pop(kept.id, None)
            return
        times = self._vain.get(kept.id, (0, 0))[0] + 1
        self._vain[kept.id] = times, status
        if times >= OFTEN_ENOUGH:
            self._not_before_ms[kept.id] = self._mono_ms() + SLOWLY_MS

    def at_once(self) -> None:
        """The hub was found anew: what it did not take before it may take now."""
        self._not_before_ms.clear()

    def trouble(self) -> str | None:
        """Why the hub does not take reports, again and again: "key", "form" or "often"; None where it does."""
        return next((KINDS[status] for times, status in self._vain.values() if times >= OFTEN_ENOUGH), None)
