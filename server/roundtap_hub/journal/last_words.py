"""What was said of keys and staff beyond the end of a journal: whom somebody took out comes back with no older copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import dropwhile

from roundtap_core.event.entries import VENUE, At, Entry, NewEntry, seal
from roundtap_hub.journal.journal import START, Head
from roundtap_hub.journal.keyed_units import OF_KEYS, REVOKED
from roundtap_hub.journal.staff_roll import OF_STAFF


def last_words(chain: Sequence[Entry], found: Iterable[Entry]) -> list[NewEntry]:
    """What is to be said after the venue's `chain`, so that of each unit and person the last word stands that is
    `found` anywhere: entries of the same stream, in any order, of several ends of it as well."""
    held = {entry.hash for entry in chain}
    said = {entry.hash: entry for entry in (*chain, *found) if entry.kind in OF_KEYS | OF_STAFF}
    # Of two ends that say something in the same place, the one that takes away counts.
    in_order = sorted(said.values(), key=lambda entry: (
        entry.number, entry.kind == REVOKED or entry.data.get("pin") == ""))
    return [NewEntry(entry.kind, entry.data) for entry in dropwhile(lambda entry: entry.hash in held, in_order)]


def sealed_after(chain: Sequence[Entry], said: Iterable[NewEntry], at: At, actor: str) -> list[Entry]:
    """These entries of the venue's stream as they follow its `chain`."""
    head, made = Head(chain[-1].number, chain[-1].hash) if chain else START, list[Entry]()
    for new in said:
        made.append(seal(new, VENUE, head.number + 1, head.hash, at, actor))
        head = Head(made[-1].number, made[-1].hash)
    return made
