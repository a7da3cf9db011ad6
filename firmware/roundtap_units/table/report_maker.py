"""A table's reports: numbered, signed, and on the disk before they are shown as being sent."""

import logging
from collections.abc import Callable
from typing import Any

from roundtap_core.records import SIDES, result_to_json
from roundtap_core.view_types import MatchView, ReportRef, TableView
from roundtap_core.wire import REPORT, digest, sign
from roundtap_units.link.outbox import Outbox, key_fingerprint
from roundtap_units.table.dialogue.dialogue import Dialogue, SendReport

log = logging.getLogger(__name__)

STORE_RETRY_MS = 500
MadeReport = tuple[dict[str, Any], SendReport]


class ReportMaker:
    """A table's reports: numbered, signed, and on the disk before they are shown as being sent. unit, key: this unit's
    name at the hub, and their shared key. `sent`: called when a report is on the disk."""

    def __init__(
        self,
        unit: str,
        key: bytes,
        dialogue: Dialogue,
        outbox: Outbox,
        sent: Callable[[], None],
        new_id: Callable[[], str],
    ) -> None:
        self._unit = unit
        self._key = key
        self._dialogue = dialogue
        self._outbox = outbox
        self._sent = sent
        self._new_id = new_id
        self._unstored: list[MadeReport] = []
        self.made: list[MadeReport] = []
        """Reports that the dialogue may still agree to, those from before a restart included."""
        self._store_at_ms = 0

    def use_key(self, unit: str, key: bytes) -> None:
        self._unit, self._key = unit, key
        self._outbox.use_key(key_fingerprint(key))

    def make(self, effect: SendReport, view: TableView | None, now_ms: int) -> None:
        """On the disk first; only then may the screen show that it is being sent."""
        assert view is not None
        assert view.event is not None
        report = {
            "report_id": f"{self._unit}-{self._new_id()}",
            "unit": self._unit,
            "event": view.event.id,
            "match": effect.match,
            "side": effect.side,
            "revision": effect.revision,
            "result": result_to_json(effect.result),
            "serial": self._serial(effect, view.event.id, view.match),
            "agrees_to": self._agreed_report(effect),
        }
        if effect.draw is not None:
            report["draw"] = effect.draw
        if effect.time_up is not None:
            report["time_up"] = effect.time_up
        if view.round is not None:
            report["round"] = view.round.number
        match = view.match
        if match is not None and match.same == (effect.match, effect.draw):
            report.update({side: who for side in SIDES if (who := match.of(side).id)})
        self.made = [made for made in self.made if any(sent.effect is made[1] for sent in self._dialogue.table.sent)]
        self.made.append((report, effect))
        self._unstored.append((report, effect))
        self.store(now_ms)

    def store(self, now_ms: int) -> None:
        """Retry reports that the disk refused, under the same id and in order."""
        while self._unstored and now_ms >= self._store_at_ms:
            report, effect = self._unstored[0]
            try:
                stored = self._outbox.put(report, sign(self._key, REPORT, report))
            except OSError as error:
                log.info("a report could not be stored: %s", error)
                self._store_at_ms = now_ms + STORE_RETRY_MS
                return
            self._unstored.pop(0)
            self._dialogue.on_stored(stored.id, effect)
            self._sent()

    def _serial(self, effect: SendReport, event: str, match: MatchView | None) -> int:
        """One more than every report of this side in this match and draw that is stored here or known to the hub."""
        key = (event, effect.match, effect.draw, effect.side)
        reports = [*(stored.report for stored in self._outbox.all()), *(report for report, _ in self._unstored)]
        serials = [
            report.get("serial", 0)
            for report in reports
            if (report["event"], report["match"], report.get("draw"), report["side"]) == key
        ]
        if match is not None and match.same == (effect.match, effect.draw):
            serials.append(match.heard.of(effect.side))
        return max(serials, default=0) + 1

    def _agreed_report(self, effect: SendReport) -> dict[str, str] | None:
        """The report that this one agrees to, in the form of the message."""
        to = effect.agrees_to
        if isinstance(to, ReportRef):
            return {"report_id": to.report_id, "hash": to.hash}
        made = next((report for report, earlier in self.made if earlier is to), None)
        return None if made is None else {"report_id": made["report_id"], "hash": digest(made)}
