"""Reports as a table makes them: numbered, signed, on the unit's disk before anybody is told that they are sent."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.records import SIDES
from roundtap_core.result_json import result_to_json
from roundtap_core.view import MatchView, SaidView, TableView
from roundtap_core.wire import REPORT, digest, sign
from roundtap_units.link.outbox import Outbox
from roundtap_units.link.safe_file import key_mark
from roundtap_units.table.dialogue.dialogue import Dialogue, SendReport

log = logging.getLogger(__name__)

STORE_AGAIN_MS = 500

Made = tuple[dict[str, Any], SendReport]


class ReportMaking:
    """One unit's. unit, key: who this is to the hub, and the key both hold. `sent`: called when one is on the disk."""

    def __init__(self, unit: str, key: bytes, dialogue: Dialogue, outbox: Outbox, sent: Callable[[], None],
                 new_id: Callable[[], str]) -> None:
        self._unit = unit
        self._key = key
        self._dialogue = dialogue
        self._outbox = outbox
        self._sent = sent
        self._new_id = new_id
        self._unstored: list[Made] = []
        self._made: list[Made] = []
        """Reports that the dialogue may still agree to."""
        self._store_at_ms = 0

    def use_key(self, unit: str, key: bytes) -> None:
        """Who signs from now on."""
        self._unit, self._key = unit, key
        self._outbox.use_key(key_mark(key))

    def make(self, effect: SendReport, view: TableView | None, now_ms: int) -> None:
        """On the disk first; only then may the screen say that it is being sent."""
        assert view is not None
        assert view.event is not None
        report = {
            "report_id": f"{self._unit}-{self._new_id()}", "unit": self._unit, "event": view.event.id,
            "match": effect.match, "side": effect.side, "revision": effect.revision,
            "result": result_to_json(effect.result), "serial": self._serial(effect, view.event.id, view.match),
            "agrees_to": self._agreed(effect),
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
        self._made = [made for made in self._made if self._still_told(made[1])] + [(report, effect)]
        self._unstored.append((report, effect))
        self.store(now_ms)

    def restored(self, report: Mapping[str, Any], effect: SendReport) -> None:
        """One of before the restart, that the dialogue knows again."""
        self._made.append((dict(report), effect))

    def store(self, now_ms: int) -> None:
        """Reports that the disk has refused are tried again, under the same id and in order."""
        while self._unstored and now_ms >= self._store_at_ms:
            report, effect = self._unstored[0]
            try:
                kept = self._outbox.put(report, sign(self._key, REPORT, report))
            except OSError as error:
                log.info("a report could not be stored: %s", error)
                self._store_at_ms = now_ms + STORE_AGAIN_MS
                return
            self._unstored.pop(0)
            self._dialogue.on_stored(kept.id, effect)
            self._sent()

    def _still_told(self, effect: SendReport) -> bool:
        return any(sent.effect is effect for sent in self._dialogue.table.sent)

    def _serial(self, effect: SendReport, event: str, match: MatchView | None) -> int:
        """One more than every report of this side in this match and draw that is kept here or that the hub names."""
        said = (event, effect.match, effect.draw, effect.side)
        kept = [*(kept.report for kept in self._outbox.all()), *(report for report, _ in self._unstored)]
        serials = [report.get("serial", 0) for report in kept
                   if (report["event"], report["match"], report.get("draw"), report["side"]) == said]
        if match is not None and match.same == (effect.match, effect.draw):
            serials.append(match.heard.of(effect.side))
        return max(serials, default=0) + 1

    def _agreed(self, effect: SendReport) -> dict[str, str] | None:
        """The report that this one says yes to, as the wire names it."""
        to = effect.agrees_to
        if isinstance(to, SaidView):
            return {"report_id": to.report_id, "hash": to.hash}
        made = next((report for report, known in self._made if known is to), None)
        return None if made is None else {"report_id": made["report_id"], "hash": digest(made)}
