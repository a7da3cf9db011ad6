"""A journal's identity: hubs of one lineage hold copies of one journal, and its epochs show which is newest.

The first epoch names the lineage. A later one begins when a hub takes over; its number and its mark, made with the
folder's secret, prove it to older hubs, whoever delivers it.
"""

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import dropwhile
from pathlib import Path

from roundtap_core.event.entries import GENESIS, VENUE, Entry, NewEntry, Timestamp, chain_entry
from roundtap_hub.store.journal import START, Head
from roundtap_hub.store.venue import (
    ERASING_KINDS,
    LINK_HELD,
    STAFF_KINDS,
    TAKEN_BACK,
    UNIT_KEY_KINDS,
    UNIT_REVOKED,
    Venue,
)

RANDOM_DIGITS, MARK_DIGITS = 8, 16


def lineage_key(secret: bytes) -> bytes:
    """The key with which hubs of one lineage sign messages; `secret`: the folder's (hub.read_or_make_secret)."""
    return hmac.digest(secret, b"roundtap/lineage/1", "sha256")


def next_epoch(epochs: Sequence[str], key: bytes, token_hex: Callable[[int], str]) -> str:
    """A new epoch after `epochs` (the first one names the lineage). `token_hex`: n random bytes in hex."""
    number, chance = len(epochs) + 1, token_hex(RANDOM_DIGITS // 2)
    return f"{number}-{chance}-{_mark(key, epochs[0], number, chance)}"


def following_epoch(folder: Path, venue: Venue, token_hex: Callable[[int], str]) -> str:
    """The next epoch of a hub's folder, marked with its secret so that other hubs of the lineage accept it as newer;
    random if there is no secret or no epoch yet."""
    try:
        key = lineage_key(bytes.fromhex((folder / "secret").read_text().strip()))
    except (OSError, ValueError):
        return token_hex(8)
    return next_epoch(venue.epochs, key, token_hex) if venue.epochs else token_hex(8)


def epoch_number(lineage: str, epoch: str, key: bytes) -> int | None:
    """The epoch's number in this lineage, by its mark: 2, 3, …; None for any other text."""
    number, _, rest = epoch.partition("-")
    chance, _, mark = rest.partition("-")
    if not (number.isdigit() and number.isascii() and len(number) < 6):
        return None
    right = _mark(key, lineage, int(number), chance)
    return int(number) if mark.isascii() and hmac.compare_digest(mark, right) else None


def is_newer(epochs: Sequence[str], epoch: str, key: bytes) -> bool:
    """Whether `epoch` began in this lineage after all that this journal knows."""
    if not epochs or epoch in epochs:
        return False
    number = epoch_number(epochs[0], epoch, key)
    return number is not None and number > len(epochs)


def _mark(key: bytes, lineage: str, number: int, chance: str) -> str:
    return hmac.digest(key, f"epoch\n{lineage}\n{number}\n{chance}".encode(), "sha256").hex()[:MARK_DIGITS]


def latest_rights_entries(chain: Sequence[Entry], gathered: Iterable[Entry]) -> list[NewEntry]:
    """The entries to add to the venue's `chain` so that the latest known rights of each unit, person and link apply,
    and who was forgotten or deleted stays so. `gathered`: entries of the venue's stream from any source, in any order,
    also of several branches."""
    held = {entry.hash for entry in chain}
    entries = {entry.hash: entry for entry in (*chain, *gathered)}
    epochs, follow = _epochs(entries.values()), _hashes_after(chain, entries)
    # Entries of a later epoch are newer, however long an earlier one continued elsewhere. Of two branches of one epoch
    # with the same number, the revocation counts.
    in_order = sorted(
        (
            entry
            for entry in entries.values()
            if entry.kind in UNIT_KEY_KINDS | STAFF_KINDS | {LINK_HELD}
            and (entry.hash in held or entry.hash in follow or _is_revocation(entry))
        ),
        key=lambda entry: (epochs[entry.hash], entry.number, _is_revocation(entry)),
    )
    erasing = [entry for entry in entries.values() if entry.kind in ERASING_KINDS and entry.hash not in held]
    return [
        NewEntry(entry.kind, entry.data) for entry in (*dropwhile(lambda entry: entry.hash in held, in_order), *erasing)
    ]


def _is_revocation(entry: Entry) -> bool:
    return entry.kind == UNIT_REVOKED or entry.data.get("pin") == "" or entry.data.get("holder") == TAKEN_BACK


def _hashes_after(chain: Sequence[Entry], entries: Mapping[str, Entry]) -> set[str]:
    """Hashes after the end of the chain, also beyond a gap. Entries of another branch, of a rehearsal perhaps, grant no
    keys or links here."""
    hashes = {chain[-1].hash if chain else GENESIS}
    for entry in sorted(entries.values(), key=lambda entry: entry.number):
        if entry.prev in hashes or (entry.prev not in entries and entry.prev != GENESIS):
            hashes.add(entry.hash)
    return hashes


def _epochs(entries: Iterable[Entry]) -> dict[str, int]:
    """How many epochs had begun when each entry was written, by hash: on its own branch; beyond a gap, on any."""
    begun: dict[str, int] = {}
    newest = 0
    for entry in sorted(entries, key=lambda entry: entry.number):
        begun[entry.hash] = begun.get(entry.prev, newest) + (entry.kind == "epoch-begun")
        newest = max(newest, begun[entry.hash])
    return begun


def seal_after(
    chain: Sequence[Entry], new_entries: Iterable[NewEntry], at: Timestamp, actor: str, stream: str = VENUE
) -> list[Entry]:
    """The entries chained to `chain`, which is all of that stream."""
    head, sealed = Head(chain[-1].number, chain[-1].hash) if chain else START, list[Entry]()
    for new in new_entries:
        sealed.append(chain_entry(new, stream, head.number + 1, head.hash, at, actor))
        head = Head(sealed[-1].number, sealed[-1].hash)
    return sealed
