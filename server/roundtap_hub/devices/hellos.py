"""What units prove with their hellos: what they held of an old epoch, and entries that this journal should have."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.limits import refuse_boundless
from roundtap_core.messages import Hello
from roundtap_core.wire import canonical
from roundtap_hub.hub import Hub
from roundtap_hub.journal.afresh import HEARD
from roundtap_hub.journal.journal import Head
from roundtap_hub.journal.proofs import Proof
from roundtap_hub.journal.service import Step

log = logging.getLogger(__name__)

HELD = ("event", "round", "stage", "draw", "table", "match", "revision", "a", "b", "state", "result", "number")
"""What is noted of a hello's `holds`."""
HELD_BYTES_MAX = 4096
HEADS_MAX = 64
HASH_LETTERS = 64


@dataclass(slots=True)
class Hellos:
    """Looks at each accepted hello, on the event loop."""

    hub: Hub

    def hear(self, unit: str, hello: Hello) -> Future[list[Entry]] | None:
        """Note what the unit holds, where this journal was restored; else compare its heads with the journal.

        The unit may hear what this journal knows once the answer is done: from then on it holds nothing older.
        """
        hub = self.hub
        afresh, heads = hub.service.snapshot.venue.afresh, heads_of(hello.heads)
        same_epoch = hello.epoch == hub.service.snapshot.venue.epoch
        asked = None
        if afresh is not None and unit not in afresh.heard:
            said = {"unit": unit, "holds": held_of(hello.holds),
                    "heads": {event: list(head) for event, head in heads.items()}}
            asked = hub.service.submit([Step(VENUE, NewEntry(HEARD, said))], f"unit:{unit}")
        if heads:
            if afresh is not None and not same_epoch:
                # What came after the copy is known to be lacking; what it has must be what the unit was told.
                heads = {event: head for event, head in heads.items() if head.number <= afresh.copy.get(event, (0,))[0]}
            elif not same_epoch:
                return asked
            asyncio.get_running_loop().run_in_executor(None, self.compare, unit, heads)
        return asked

    def compare(self, unit: str, heads: Mapping[str, Head]) -> None:
        """Note every entry that the unit was told of and that the journal lacks, or has with another hash."""
        service = self.hub.service
        for event, head in heads.items():
            try:
                holds = service.holds(event, head)
                known = service.snapshot.event(event)
            except Problem as problem:
                log.warning("what %s was told of %s cannot be looked up: %s", unit, event, problem)
                continue
            if holds:
                self.hub.units.proofs.withdraw(unit, event)
            else:
                self.hub.units.proofs.add(Proof(unit, event, head.number, known.number if known is not None else 0))


def held_of(said: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A hello's `holds` as the journal can keep it; None where there is nothing, or nothing sensible."""
    if said is None:
        return None
    held = {key: said[key] for key in HELD if key in said}
    try:
        refuse_boundless(held)
        return held if len(canonical(held)) <= HELD_BYTES_MAX else None
    except (TypeError, ValueError, Problem):
        return None


def heads_of(said: Mapping[str, tuple[int, str]]) -> dict[str, Head]:
    """A hello's `heads`: {event: (number, hash)}; what no echo can have said is left out."""
    return {event: Head(number, digest) for event, (number, digest) in islice(said.items(), HEADS_MAX)
            if 0 < len(event) <= HASH_LETTERS and 0 < number < 2**31 and len(digest) == HASH_LETTERS}
