"""A stick in use, by itself under strace: commits with people, some of whom are taken out, and an event deleted."""

import json
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from roundtap_core.event.entries import GENESIS, VENUE, Entry, NewEntry, Timestamp, chain_entry
from roundtap_hub.store.copies import CommitBatch
from roundtap_hub.store.folder_copy import FolderCopy

PEOPLE = 12
TAKEN_OUT = ("e1", "p5")
"""By the commit after whose promise nobody finds them again."""
DELETED = "e2"


def commits() -> Iterator[CommitBatch]:
    ends: dict[str, tuple[int, str]] = {}

    def said(stream: str, kind: str, **data: object) -> Entry:
        number, head = ends.get(stream, (0, GENESIS))
        entry = chain_entry(
            NewEntry(kind, data), stream, number + 1, head, Timestamp("boot", number, None), "organizer"
        )
        ends[stream] = (entry.number, entry.hash)
        return entry

    for event in ("e1", DELETED):
        for n in range(1, PEOPLE + 1):
            name = json.dumps({"name": f"{event}-p{n} Łukasz Żak", "list": "x" * 400})
            yield CommitBatch(
                [said(event, "competitor-entered", competitor=f"p{n}")],
                [{"event": event, "competitor": f"p{n}", "salt": "s", "data": name}],
            )
    yield CommitBatch([said(TAKEN_OUT[0], "competitor-removed", competitor=TAKEN_OUT[1])])
    yield CommitBatch([said("e1", "about-set", about={})])
    yield CommitBatch([said(VENUE, "event-deleted", event=DELETED)])
    yield CommitBatch([said("e1", "about-set", about={})])


def promise(batch: CommitBatch) -> str:
    """As it is named once the commit is on the stick."""
    return " ".join(f"{entry.stream}#{entry.number}" for entry in batch.entries)


def main(stick: Path) -> None:
    here, there = socket.socketpair()
    with closing(FolderCopy(stick, stick, same_disk=True)) as copy:
        copy.open("our line", "epoch")
        for batch in commits():
            copy.write(batch)
            here.sendall(json.dumps({"report_id": promise(batch), "fate": "accepted"}).encode())
            there.recv(1000)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
