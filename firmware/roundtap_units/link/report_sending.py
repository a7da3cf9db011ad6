"""Kept reports on their way to the hub, until its own signed echo comes for each."""

from __future__ import annotations

from collections.abc import Callable

from roundtap_core.messages import Echo
from roundtap_core.typed import read
from roundtap_core.wire import ECHO, REPORT, opened, sign
from roundtap_units.link.kept_connection import KeptConnection
from roundtap_units.link.outbox import Kept, Outbox
from roundtap_units.link.report_order import NotTaken, ReportOrder
from roundtap_units.link.safe_file import key_mark


class ReportSending:
    """For the thread that sends; `trouble` and `at_once` are for any.

    echoed: called with each echo whose signature holds; ValueError where it is not to be believed. waits(seconds since
    the question, when the feed told what the answer will say, or None): whether an answer is still waited for.
    """

    def __init__(self, key: bytes, outbox: Outbox, mono_ms: Callable[[], int],
                 echoed: Callable[[Echo], None], waits: Callable[[float, float | None], bool]) -> None:
        self._key, self._key_mark = key, key_mark(key)
        self._outbox = outbox
        self._echoed = echoed
        self._waits = waits
        self._order = ReportOrder(mono_ms)

    def use_key(self, key: bytes) -> None:
        """From now on; what was signed with another is signed anew."""
        self._key, self._key_mark = key, key_mark(key)

    def trouble(self) -> str | None:
        """Why the hub does not take reports, again and again; None where it does."""
        return self._order.trouble()

    def at_once(self) -> None:
        """The hub was found anew: what it did not take before it may take now."""
        self._order.at_once()

    def post_all(self, connection: KeptConnection) -> None:
        """Every report without an answer, those of one match in their order. One that gets none holds up no others;
        the error of the last such is raised in the end, one of the connection at once."""
        unanswered: ValueError | None = None
        for kept in self._order.turns(self._outbox.waiting()):
            try:
                # The feed may have told its fate while others were being posted.
                if self._outbox.waits(kept.id):
                    self._post(connection, kept)
                self._order.answered(kept)
            except ValueError as error:
                self._order.unanswered(kept, error.status if isinstance(error, NotTaken) else 0)
                unanswered = error
        if unanswered is not None:
            raise unanswered

    def _post(self, connection: KeptConnection, kept: Kept) -> None:
        """Only the hub's own signed echo of this very report counts; a status code, a portal's page, do not."""
        settled_s: float | None = None

        def waits(waited_s: float) -> bool:
            nonlocal settled_s
            if settled_s is None and not self._outbox.waits(kept.id):
                settled_s = waited_s
            return self._waits(waited_s, settled_s)

        try:
            answer = connection.post("/device/report", {"report": dict(kept.report), "mac": self._mac(kept)}, waits)
        except OSError:
            if self._outbox.waits(kept.id):
                raise
            # The feed's word is the hub's as well.
            return
        echo = opened(self._key, ECHO, answer.message)
        if echo is None or echo.get("report_id") != kept.id:
            raise NotTaken(answer.status, f"no echo of the report ({answer.status}): {str(answer.message)[:200]}")
        self._echoed(read(Echo, echo))

    def _mac(self, kept: Kept) -> str:
        """Its signature; where the key was renewed since, by the key that the hub knows now."""
        if kept.key is None or kept.key == self._key_mark:
            return kept.mac
        return sign(self._key, REPORT, dict(kept.report))
