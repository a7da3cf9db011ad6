"""What a hub stands on, opened: its service, clocks, presence and paper, from its own folder or on a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roundtap_hub.journal.before_upgrade import back_up_if_behind
from roundtap_hub.journal.clocks import Clocks, system_clocks
from roundtap_hub.journal.copies import Copies
from roundtap_hub.journal.database_url import DATABASE, database_url, sqlite_url
from roundtap_hub.journal.folder_copy import FolderCopy
from roundtap_hub.journal.head_file import HEAD_FILE, HeadFile, begin_head, check_database
from roundtap_hub.journal.journal import Journal, JournalConflict
from roundtap_hub.journal.service import Service
from roundtap_hub.journal.upkeep import Upkeep
from roundtap_hub.presence import Presence
from roundtap_hub.printing.job_book import PrintBook

AtPoint = Callable[[str], None]


@dataclass(slots=True)
class Opened:
    """Everything that has to be closed again, in this order."""

    service: Service
    clocks: Clocks
    presence: Presence
    paper: PrintBook | None
    closing: list[Callable[[], None]] = field(default_factory=list)

    def close(self) -> None:
        for close in self.closing:
            close()


def open_folder(folder: Path, at_point: AtPoint, copies: Sequence[Path] = (),
                clocks: Clocks | None = None, sticks: Sequence[Path] = ()) -> Opened:
    """The journal in a hub's own folder, looked through against its head file and started; `copies`: folders elsewhere
    that hold it too; `sticks`: places where one may be plugged in; `clocks`: not the machine's own. Raises Problem
    where it cannot be had, or is not whole."""
    url, head = sqlite_url(folder), HeadFile(folder / HEAD_FILE)
    try:
        check_database(folder / DATABASE, head.named)
        clocks = clocks or system_clocks()
        back_up_if_behind(folder, head.named, clocks.wall() or "")
        journal, paper = Journal(url), PrintBook(url)
        service = Service(journal, clocks, at_point, head)
    except BaseException:
        head.close()
        raise
    lineage = head.named.lineage if head.named else ""
    try:
        lineage = begin_head(head, journal, service.snapshot.venue.epoch)
    except (JournalConflict, OSError) as refused:
        # A hub on a full disk shows what it has, and says that it is full.
        service.storage.failed(refused.errno)
    kept = Copies(journal, lineage,
                  [*(FolderCopy(each, folder) for each in copies),
                   *(FolderCopy(each, folder, may_be_missing=True) for each in sticks)],
                  lambda: service.snapshot.venue.epoch, service.storage.changed)
    service.keep_copies(kept)
    upkeep = Upkeep(service, folder, head, kept.folders, clocks.wall)
    service.start()
    kept.start()
    upkeep.start()
    return Opened(service, clocks, Presence(), paper,
                  [service.stop, upkeep.stop, journal.close, paper.close, head.close])


def open_database(address: str, at_point: AtPoint, pages_only: bool = False) -> Opened:
    """The journal on PostgreSQL, started, with whatever keeps it together with the other hubs there. `pages_only`:
    nothing is written, and there is no paper. Raises Problem where the database cannot be had."""
    url = database_url(address)
    # Only here: a hub in its own folder needs no driver.
    from roundtap_hub.feeds.presence_relay import PRESENCE_CHANNEL, PresenceNews, PresenceRelay
    from roundtap_hub.journal.database_clock import DatabaseClock
    from roundtap_hub.journal.follower import Follower
    from roundtap_hub.journal.postgres import PostgresJournal
    from roundtap_hub.journal.shared_service import News, SharedService
    from roundtap_hub.printing.shared_book import BOOK_CHANNEL, SharedPrintBook

    clock = DatabaseClock(url)
    journal = PostgresJournal(address, pages_only)
    paper = None if pages_only else SharedPrintBook(address, journal.name)
    service = SharedService(journal, clock.clocks, at_point, pages_only)
    presence = Presence()
    news = PresenceNews(presence, clock.clocks.mono_ms, speaks=not pages_only)
    relay = PresenceRelay(url, journal.name, news, presence)
    others = {PRESENCE_CHANNEL: news.hear}
    if paper is not None:
        others[BOOK_CHANNEL] = paper.hear

    def committed(told: News | None) -> None:
        service.follow(told)
        if told is None:
            relay.tell_all_again()
            if paper is not None:
                paper.hear(None)

    follower = Follower(url, journal.name, committed, others)
    service.start()
    for each in (clock, follower, relay):
        each.start()
    closing = [relay.stop, follower.stop, clock.stop, service.stop, journal.close]
    return Opened(service, clock.clocks, presence, paper, [*closing, paper.close] if paper is not None else closing)
