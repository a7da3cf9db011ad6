"""A unit's last status, and how its messages and its call for a judge change it."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

CALL = "call"


class UnitStatus(msgspec.Struct, frozen=True):
    """A unit's last status; a restarted hub gets it again with each unit's next message. `seated`: sides that pressed
    their button for `match`; `call_since_ms`: since when it calls without a match; that and `contact_ms`: the hub's
    monotonic milliseconds."""

    unit: str
    contact_ms: int
    connected: bool = False
    match: str | None = None
    seated: frozenset[str] = frozenset()
    draft: bool = False
    asked: frozenset[str] = frozenset()
    """What the hub has taken over of what it asks for: CALL, and for `match` the sides that want to drop."""
    run: str = ""  # of which process, or feed, its last status was: only that one can take back what it asked for
    call_since_ms: int | None = None
    called_for: str | None = None
    """The match in which it last called a judge: players are at that table, also once the call is settled."""
    call_taken_by: str | None = None
    call_closed: bool = False  # the unit still calls, but the call was settled; its next call is a new one
    call_ms: int = 0  # the call that its last status was about, as the unit names it
    call_saved: bool = False  # the call in `asked` has become an entry
    clock_ms: int | None = None
    clock_heard_ms: int | None = None  # when the unit sent `clock_ms`
    core: str = ""
    waiting: int = 0  # reports on the unit's disk that this hub has not answered yet, by the unit's own count
    instance: str = ""  # distinguishes units of the same name; from the hello that opened its feed
    damaged: int = 0  # unreadable lines of the unit's outbox, by the same hello
    health: str = ""  # the state of its machine, sent when it changes: see unit_health.py
    troubles: frozenset[str] = frozenset()  # its troubles (access/device_auth.py), until an organizer has looked

    @property
    def call_known(self) -> bool:
        """The unit calls, and this hub has taken that up: where no call is open any more, it was settled."""
        return self.call_closed or (self.call_saved and CALL in self.asked)


def after_message(before: UnitStatus, now_ms: int, said: Mapping[str, Any]) -> UnitStatus:
    """The status after a unit's message. `call`: without a match; it keeps its first time, and its end clears who took
    it. A closed call stays closed until the unit itself has stopped calling."""
    fields = {**said, "contact_ms": now_ms}
    call = fields.pop("call", None)
    if "clock_ms" in said:
        fields["clock_heard_ms"] = now_ms
    made_again = said.get("call_ms", before.call_ms) != before.call_ms
    if call is True and before.call_since_ms is None and (made_again or not before.call_closed):
        fields |= {"call_since_ms": now_ms, "call_closed": False}
    elif call is False:
        fields |= {"call_since_ms": None, "call_taken_by": None, "call_closed": False}
    return replace(before, **fields)


def take_call(now: UnitStatus, by: str) -> UnitStatus:
    """An official takes a table's call."""
    return now if now.call_since_ms is None else replace(now, call_taken_by=by)


def close_call(now: UnitStatus, until_ms: int | None = None) -> UnitStatus:
    """Settle the call. `until_ms`: only one made before then."""
    if now.call_since_ms is None or (until_ms is not None and now.call_since_ms > until_ms):
        return now
    return replace(now, call_since_ms=None, call_taken_by=None, call_closed=True)


def note_saved(now: UnitStatus, what: str, was: bool) -> UnitStatus:
    """What the unit asks for is saved. `was`: it was taken back."""
    return replace(now, call_saved=now.call_saved or (what == CALL and not was))


def note_not_saved(now: UnitStatus, what: str, was: bool) -> UnitStatus:
    """What the unit asks for could not be saved: its next status brings it again. `was`: it was to be taken back."""
    return replace(now, asked=now.asked | {what} if was else now.asked - {what})
