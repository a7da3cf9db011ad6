"""A hub that was restored knows none of a unit's reports: they go back among those to be sent, the oldest first."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roundtap_core.messages import ReportReceipt
from roundtap_core.wire import REPORT, sign
from roundtap_units.link.link import HubAddress, HubLink
from roundtap_units.link.outbox import Outbox, StoredReport

KEY = bytes(range(32))


def test_reports_are_put_back_in_their_order_however_the_hub_names_them(tmp_path: Path) -> None:
    """The other thread sends the first one that waits: an agreement may never go before what it agrees to."""
    outbox = Outbox(tmp_path / "outbox.jsonl")
    put_back: list[str] = []
    link = HubLink(
        HubAddress("127.0.0.1", 9, "table-1", KEY),
        outbox,
        lambda kind, value: put_back.append(value.id) if isinstance(value, StoredReport) else None,
    )
    for number in range(4):
        report: Mapping[str, Any] = {"report_id": f"r{number}", "event": "e1", "match": "1.1", "side": "a", "serial": 1}
        outbox.put(report, sign(KEY, REPORT, report))
        outbox.settle(ReportReceipt(f"r{number}", "accepted", number=number, hash="h", epoch="old"))

    link._settle_in_order([ReportReceipt(f"r{n}", "unknown", epoch="new") for n in (3, 2, 1, 0)])

    assert put_back == ["r0", "r1", "r2", "r3"]
    assert [kept.id for kept in outbox.waiting()] == ["r0", "r1", "r2", "r3"]
