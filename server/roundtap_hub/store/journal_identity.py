"""Whose journal this is: hubs of one lineage hold copies of one journal, and its epochs say which one is the newest.

The first epoch names the lineage. A later one is begun by a hub that took over; it carries its number and a mark that
only who holds the folder's secret can make, so that an older hub believes it from whoever brings it.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import dropwhile
from pathlib import Path

from roundtap_core.event.entries import GENESIS, VENUE, Entry, NewEntry, Timestamp, chain_entry
from roundtap_hub.access.rights import LINK_HELD, STAFF_KINDS, TAKEN_BACK, UNIT_KEY_KINDS, UNIT_REVOKED
from roundtap_hub.store.journal import START, Head
from roundtap_hub.store.venue import Venue

RANDOM_DIGITS, MARK_DIGITS = 8, 16


def lineage_key(secret: bytes) -> bytes:
    """What hubs of one lineage sign with among each other; `secret`: of the folder (hub.read_or_make_secret)."""
    return hmac.digest(secret, b"roundtap/lineage/1", "sha256")


def next_epoch(epochs: Sequence[str], key: bytes, token_hex: Callable[[int], str]) -> str:
    """A new epoch after `epochs` (the first one names the lineage). `token_hex`: so many random bytes, in hex."""
    number, chance = len(epochs) + 1, token_hex(RANDOM_DIGITS // 2)
    return f"{number}-{chance}-{_mark(key, epochs[0], number, chance)}"


def following_epoch(folder: Path, venue: Venue, token_hex: Callable[[int], str]) -> str:
    """The epoch that a hub's folder begins next: by its secret, so that other hubs of the lineage know it for newer; by
    chance alone where it has none, or no epoch yet."""
    try:
        key = lineage_key(bytes.fromhex((folder / "secret").read_text().strip()))
    except (OSError, ValueError):
        return token_hex(8)
    return next_epoch(venue.epochs, key, token_hex) if venue.epochs else token_hex(8)


def epoch_number(lineage: str, epoch: str, key: bytes) -> int | None:
    """Which epoch of this lineage it is, by its mark: 2, 3, … None for any other text."""
    number, _, rest = epoch.partition("-")
    chance, _, mark = rest.partition("-")
    if not (number.isdigit() and number.isascii() and len(number) < 6):
        return None
    right = _mark(key, lineage, int(number), chance)
    return int(number) if mark.isascii() and hmac.compare_digest(mark, right) else None


def is_newer(epochs: Sequence[str], epoch: str, key: bytes) -> bool:
    """Whether `epoch` was begun in this lineage after all that this journal knows."""
    if not epochs or epoch in epochs:
        return False
    number = epoch_number(epochs[0], epoch, key)
    return number is not None and number > len(epochs)


def _mark(key: bytes, lineage: str, number: int, chance: str) -> str:
    return hmac.digest(key, f"epoch\n{lineage}\n{number}\n{chance}".encode(), "sha256").hex()[:MARK_DIGITS]


def latest_rights_entries(chain: Sequence[Entry], found: Iterable[Entry]) -> list[NewEntry]:
    """What is to be said after the venue's `chain`, so that of each unit, person and link the last word stands that is
    `found` anywhere: entries of the same stream, in any order, of several ends of it as well."""
    held = {entry.hash for entry in chain}
    everything = {entry.hash: entry for entry in (*chain, *found)}
    epochs, follow = _epochs(everything.values()), _hashes_after(chain, everything)
    # What was said in a later epoch is newer, however long an earlier one went on elsewhere. Of two ends of one epoch
    # that say something in the same place, the one that takes away counts.
    in_order = sorted(
        (entry for entry in everything.values() if entry.kind in UNIT_KEY_KINDS | STAFF_KINDS | {LINK_HELD}
         and (entry.hash in held or entry.hash in follow or _is_revocation(entry))),
        key=lambda entry: (epochs[entry.hash], entry.number, _is_revocation(entry)))
    return [NewEntry(entry.kind, entry.data) for entry in dropwhile(lambda entry: entry.hash in held, in_order)]


def _is_revocation(entry: Entry) -> bool:
    return entry.kind == UNIT_REVOKED or entry.data.get("pin") == "" or entry.data.get("holder") == TAKEN_BACK


def _hashes_after(chain: Sequence[Entry], everything: Mapping[str, Entry]) -> set[str]:
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


def seal_after(chain: Sequence[Entry], said: Iterable[NewEntry], at: Timestamp, actor: str) -> list[Entry]:
    """These entries of the venue's stream as they follow its `chain`."""
    head, made = Head(chain[-1].number, chain[-1].hash) if chain else START, list[Entry]()
    for new in said:
        made.append(chain_entry(new, VENUE, head.number + 1, head.hash, at, actor))
        head = Head(made[-1].number, made[-1].hash)
    return made
