"""Sends stored reports to the hub, until its own signed echo comes for each."""

from collections.abc import Callable, Iterator, Sequence

from roundtap_core.messages import ReportReceipt
from roundtap_core.typed import parse_message
from roundtap_core.wire import ECHO, REPORT, open_envelope, sign
from roundtap_units.link.hub_connection import PersistentConnection
from roundtap_units.link.outbox import Outbox, StoredReport, key_fingerprint

KINDS = {400: "form", 403: "key", 429: "often"}  # what an unsigned answer may mean, by its status code, for the screen
FAILURES_TO_ALARM = 3  # a portal's page, or a hub that is starting, does not fail this often in a row: more is shown
BACKOFF_MS = 15_000


class ReportRejected(ValueError):
    """An answer that is not the hub's echo of this report."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class ReportOrder:
    """Which stored report may be sent now: those of one match in order, and rejected ones slowly. For the sending
    thread. `mono_ms`: the unit's clock."""

    def __init__(self, mono_ms: Callable[[], int]) -> None:
        self._mono_ms = mono_ms
        self._held: set[tuple[str, str, str]] = set()
        self._failures: dict[str, tuple[int, int]] = {}
        """By report: how often in a row it was rejected, and with which status code."""
        self._not_before_ms: dict[str, int] = {}

    def sendable(self, waiting: Sequence[StoredReport]) -> Iterator[StoredReport]:
        """One pass over all waiting reports, oldest first. A report is skipped behind an earlier one of the same match
        and draw that was not answered or not tried in this pass: the hub must get them in order."""
        self._held = set()
        ids = {stored.id for stored in waiting}
        self._failures = {report: vain for report, vain in self._failures.items() if report in ids}
        now_ms = self._mono_ms()
        for stored in waiting:
            if stored.match_key in self._held:
                continue
            if self._not_before_ms.get(stored.id, now_ms) > now_ms:
                self._held.add(stored.match_key)
                continue
            yield stored

    def answered(self, stored: StoredReport) -> None:
        self._failures.pop(stored.id, None)
        self._not_before_ms.pop(stored.id, None)

    def unanswered(self, stored: StoredReport, status: int) -> None:
        """`status`: of an unsigned answer; 0: there was none."""
        self._held.add(stored.match_key)
        if status not in KINDS:
            self._failures.pop(stored.id, None)
            return
        times = self._failures.get(stored.id, (0, 0))[0] + 1
        self._failures[stored.id] = times, status
        if times >= FAILURES_TO_ALARM:
            self._not_before_ms[stored.id] = self._mono_ms() + BACKOFF_MS

    def reset_backoff(self) -> None:
        """The hub was found again: it may now take what it rejected before."""
        self._not_before_ms.clear()

    def trouble(self) -> str | None:
        """Why the hub keeps rejecting reports: "key", "form" or "often"; None where it does not."""
        return next((KINDS[status] for times, status in self._failures.values() if times >= FAILURES_TO_ALARM), None)


class ReportSender:
    """key: the current signing key. For the sending thread; any thread may call `ReportOrder.trouble` and
    `ReportOrder.reset_backoff` of its `order`.
    echoed: called with each echo whose signature holds; ValueError where it is not to be believed. waits(seconds since
    the request, when the feed brought the answer's content, or None): whether to keep waiting for an answer."""

    def __init__(
        self,
        key: Callable[[], bytes],
        outbox: Outbox,
        mono_ms: Callable[[], int],
        echoed: Callable[[ReportReceipt], None],
        waits: Callable[[float, float | None], bool],
    ) -> None:
        self._key = key
        self._outbox = outbox
        self._on_echo = echoed
        self._waits = waits
        self.order = ReportOrder(mono_ms)

    def post_all(self, connection: PersistentConnection) -> None:
        """Send every unanswered report, those of one match in order. One without an answer delays no others; the last
        such error is raised at the end, a connection error at once."""
        unanswered: ValueError | None = None
        for stored in self.order.sendable(self._outbox.waiting()):
            try:
                # The feed may have brought its fate while others were being sent.
                if self._outbox.is_waiting(stored.id):
                    self._post(connection, stored)
                self.order.answered(stored)
            except ValueError as error:
                self.order.unanswered(stored, error.status if isinstance(error, ReportRejected) else 0)
                unanswered = error
        if unanswered is not None:
            raise unanswered

    def _post(self, connection: PersistentConnection, stored: StoredReport) -> None:
        """Only the hub's own signed echo of this report counts, not a status code or a portal's page."""
        settled_s: float | None = None

        def waits(waited_s: float) -> bool:
            nonlocal settled_s
            if settled_s is None and not self._outbox.is_waiting(stored.id):
                settled_s = waited_s
            return self._waits(waited_s, settled_s)

        try:
            answer = connection.post("/device/report", {"report": dict(stored.report), "mac": self._mac(stored)}, waits)
        except OSError:
            if self._outbox.is_waiting(stored.id):
                raise
            # The feed is as authentic as an echo.
            return
        echo = open_envelope(self._key(), ECHO, answer.message)
        if echo is None or echo.get("report_id") != stored.id:
            raise ReportRejected(answer.status, f"no echo of the report ({answer.status}): {str(answer.message)[:200]}")
        self._on_echo(parse_message(ReportReceipt, echo))

    def _mac(self, stored: StoredReport) -> str:
        """Its signature; where the key was renewed since, by the new key."""
        key = self._key()
        return stored.mac if stored.key in (None, key_fingerprint(key)) else sign(key, REPORT, dict(stored.report))
