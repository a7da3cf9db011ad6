"""What was said of keys, staff and links beyond the end of a journal: what somebody took back comes back with no older
copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import dropwhile

from roundtap_core.event.entries import GENESIS, VENUE, At, Entry, NewEntry, seal
from roundtap_hub.journal.given_links import HELD, TAKEN_BACK
from roundtap_hub.journal.journal import START, Head
from roundtap_hub.journal.keyed_units import OF_KEYS, REVOKED
from roundtap_hub.journal.staff_roll import OF_STAFF


def last_words(chain: Sequence[Entry], found: Iterable[Entry]) -> list[NewEntry]:
    """What is to be said after the venue's `chain`, so that of each unit, person and link the last word stands that is
    `found` anywhere: entries of the same stream, in any order, of several ends of it as well."""
    held = {entry.hash for entry in chain}
    everything = {entry.hash: entry for entry in (*chain, *found)}
    epochs, follow = _epochs(everything.values()), _following(chain, everything)
    # What was said in a later epoch is newer, however long an earlier one went on elsewhere. Of two ends of one epoch
    # that say something in the same place, the one that takes away counts.
    in_order = sorted(
        (entry for entry in everything.values() if entry.kind in OF_KEYS | OF_STAFF | {HELD}
         and (entry.hash in held or entry.hash in follow or _takes_away(entry))),
        key=lambda entry: (epochs[entry.hash], entry.number, _takes_away(entry)))
    return [NewEntry(entry.kind, entry.data) for entry in dropwhile(lambda entry: entry.hash in held, in_order)]


def _takes_away(entry: Entry) -> bool:
    return entry.kind == REVOKED or entry.data.get("pin") == "" or entry.data.get("holder") == TAKEN_BACK


def _following(chain: Sequence[Entry], everything: Mapping[str, Entry]) -> set[str]:
    """What was said after the end of the chain, beyond a break as well. What is said on another end, of a rehearsal at
    home perhaps, gives nobody a key or a link here."""
    found = {chain[-1].hash if chain else GENESIS}
    for entry in sorted(everything.values(), key=lambda entry: entry.number):
        if entry.prev in found or (entry.prev not in everything and entry.prev != GENESIS):
            found.add(entry.hash)
    return found


def _epochs(entries: Iterable[Entry]) -> dict[str, int]:
    """How many epochs had begun when each entry was written, by hash: on its own end of the stream; beyond a break, on
    any."""
    begun: dict[str, int] = {}
    newest = 0
    for entry in sorted(entries, key=lambda entry: entry.number):
        begun[entry.hash] = begun.get(entry.prev, newest) + (entry.kind == "epoch-begun")
        newest = max(newest, begun[entry.hash])
    return begun


def sealed_after(chain: Sequence[Entry], said: Iterable[NewEntry], at: At, actor: str) -> list[Entry]:
    """These entries of the venue's stream as they follow its `chain`."""
    head, made = Head(chain[-1].number, chain[-1].hash) if chain else START, list[Entry]()
    for new in said:
        made.append(seal(new, VENUE, head.number + 1, head.hash, at, actor))
        head = Head(made[-1].number, made[-1].hash)
    return made
