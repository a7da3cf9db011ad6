"""A table's hello: what it holds, where this journal was restored, and which entries the journal lacks."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any

from roundtap_core import messages
from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.limits import refuse_over_limits
from roundtap_core.wire import canonical_json
from roundtap_hub.store.journal import Head
from roundtap_hub.store.restore_gap import evidence_of_view, hold_clock_command
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import UNIT_HEARD, UnitHoldings
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.unit_presence import MissingEntry

log = logging.getLogger(__name__)

HOLDS_KEYS = (
    "event",
    "round",
    "stage",
    "draw",
    "table",
    "match",
    "revision",
    "a",
    "b",
    "state",
    "result",
    "number",
    "left_ms",
)
"""The fields recorded of a hello's `holds`."""
HOLDS_BYTES_MAX = 4096
HEADS_MAX = 64
HASH_LETTERS = 64


@dataclass(slots=True)
class HelloHandler:
    """Checks each accepted hello, on the event loop."""

    hub: RunningHub

    def handle(self, unit: str, hello: messages.Hello) -> Future[list[Entry]] | None:
        """Record what the unit holds, where this journal was restored; else compare its heads with the journal. The
        unit may get this journal's state once the returned future is done: that replaces what it held."""
        hub = self.hub
        afresh, heads = hub.service.snapshot.venue.restore_state, parse_heads(hello.heads)
        same_epoch = hello.epoch == hub.service.snapshot.venue.epoch
        saving = None
        if afresh is not None and unit not in afresh.heard:
            holds = parse_holds(hello.holds)
            data = {"unit": unit, "holds": holds.holds, "heads": {event: list(head) for event, head in heads.items()}}
            claim = evidence_of_view(unit, holds)
            held = hold_clock_command(hub.service.snapshot, claim, hub.clocks.now()) if claim is not None else None
            saving = hub.service.submit([Step(VENUE, NewEntry(UNIT_HEARD, data))], f"unit:{unit}")
            if claim is not None and held is not None:
                hub.service.submit([Step(claim.event, held)], "hub")
        if heads:
            if afresh is not None and not same_epoch:
                # Entries after the copy are known to be missing; those before must match what the unit received.
                heads = {event: head for event, head in heads.items() if head.number <= afresh.copy.get(event, (0,))[0]}
            elif not same_epoch:
                return saving
            asyncio.get_running_loop().run_in_executor(None, self.compare_heads, unit, heads)
        return saving

    def compare_heads(self, unit: str, heads: Mapping[str, Head]) -> None:
        """Note every entry that the unit received and that the journal lacks, or has with another hash."""
        service = self.hub.service
        for event, head in heads.items():
            try:
                holds = service.holds(event, head)
                state = service.snapshot.event(event)
            except Problem as problem:
                log.warning("what %s was told of %s cannot be looked up: %s", unit, event, problem)
                continue
            if holds:
                self.hub.units.proofs.withdraw(unit, event)
            else:
                self.hub.units.proofs.add(
                    MissingEntry(unit, event, head.number, state.number if state is not None else 0)
                )


def parse_holds(holds: Mapping[str, Any] | None) -> UnitHoldings:
    """A hello's `holds` as the journal can store it; without any where they are missing or invalid."""
    held = {key: holds[key] for key in HOLDS_KEYS if key in holds} if holds is not None else None
    try:
        refuse_over_limits(held)
        return UnitHoldings(held if len(canonical_json(held)) <= HOLDS_BYTES_MAX else None, {})
    except (TypeError, ValueError, Problem):
        return UnitHoldings(None, {})


def parse_heads(heads: Mapping[str, tuple[int, str]]) -> dict[str, Head]:
    """A hello's `heads`: {event: (number, hash)}, without those that no echo can have sent."""
    return {
        event: Head(number, digest)
        for event, (number, digest) in islice(heads.items(), HEADS_MAX)
        if 0 < len(event) <= HASH_LETTERS and 0 < number < 2**31 and len(digest) == HASH_LETTERS
    }
