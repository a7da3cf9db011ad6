"""`roundtap hub`: serve one venue from one folder, or as one of several hubs on a database."""

import argparse
import errno
import logging
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.words import core_words
from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.policy import AccessControl
from roundtap_hub.access.staff import make_staff_login
from roundtap_hub.access.unit_keys import (
    PANEL,
    UnitKeys,
    local_folder,
    loopback_address,
    make_local_units,
    take_key_file,
)
from roundtap_hub.app.hub import Hub, read_or_make_secret
from roundtap_hub.app.memory import limit_heaps
from roundtap_hub.app.practice_hub import PracticeHub
from roundtap_hub.app.standby.peers import Peers
from roundtap_hub.hall.hub_sound import HubSound, aplay_player
from roundtap_hub.http.connection_limits import (
    ConnectionLimits,
    Listeners,
    connection_places,
    open_listener,
    raise_file_limit,
)
from roundtap_hub.http.hall_addresses import HallAddresses, addresses_of_socket, http_url
from roundtap_hub.http.host import Host
from roundtap_hub.http.requester import OWN_PAGES, framing_origin
from roundtap_hub.http.tls import Certificates, HttpsInfo, https_port
from roundtap_hub.store.backups import Maintenance, back_up_before_upgrade
from roundtap_hub.store.clocks import Clocks, system_clocks
from roundtap_hub.store.continuing import finish_continuing, mend_journal
from roundtap_hub.store.copies import Copies
from roundtap_hub.store.event_times import EventTimesCache
from roundtap_hub.store.folder_copy import FolderCopy
from roundtap_hub.store.head_file import HEAD_FILE, HeadFile, check_database, init_head_file
from roundtap_hub.store.journal import (
    DATABASE,
    HUB_FOLDER,
    Journal,
    JournalConflict,
    at_place,
    database_url,
    sqlite_url,
)
from roundtap_hub.store.login_pins import read_or_make_pin
from roundtap_hub.store.own_machine import HallTime, OwnMachine
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.secure_files import (
    disk_problem,
    drop_cached_files,
    fault_kind,
    make_private_folder,
    storage_problem,
)
from roundtap_hub.store.service import HubStopped, OutcomeUnknown, Service
from roundtap_hub.store.standby_copy import Standbys
from roundtap_hub.views.running_hub import Hall, Units
from roundtap_hub.views.unit_presence import Presence
from roundtap_machine.disk import FAILING, crash_point
from roundtap_machine.notify import SystemdNotifier, refuse, restart_process

log = logging.getLogger(__name__)

KEY_FILE_RETRY_S = 5.0
NOT_WAITED_FOR = ("folder_in_use", "journal_newer", "journal_form_failed")
"""Problems of a folder that no other disk mends: another hub has it, or another version of Roundtap."""
AtPoint = Callable[[str], None]

A_MINUTE = 5  # how often one message is logged per minute; its traceback only the first time
MINUTE_S = 60.0
MESSAGES_KEPT = 512
LETTERS_MAX = 4000


class StartRefused(Exception):
    """Why this hub cannot start, as a text or a Problem for the person who has to mend it."""


@dataclass(slots=True)
class OwnFiles:
    """What a hub has in its folder beside the journal. `problem`: why that cannot be read, where waiting may help."""

    hall_time: HallTime
    secret: bytes = field(default_factory=partial(secrets.token_bytes, 32))
    pin_hash: str = ""
    certificates: Certificates | None = None
    encrypted: HttpsInfo | None = None
    problem: Problem | None = None


def run(args: argparse.Namespace, practice: Callable[[Any], Any] | None = None) -> int:
    """Serve until stopped. `practice`: makes this the practice hub of the hub two folders above, whose certificate it
    shows; what answers in place of its application."""
    os.umask(0o077)
    limit_heaps()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    rate_limit_logs()
    if args.pages and args.database is None:
        return refuse("hub", "--pages shows what is in a database; name it with --database.")
    if (args.copy or args.stick) and args.database is not None:
        return refuse(
            "hub", "--copy and --stick are for a journal in a folder; what is on --database is copied by its own means."
        )
    secure_port = 0 if args.pages else https_port(args.port, args.secure_port)
    clocks = system_clocks()
    try:
        # First of all: of a hub that nobody can reach, nobody is shown a PIN.
        listeners = open_listeners(args, secure_port)
        own = read_own_files(args, secure_port, clocks, practice is not None)
        listeners.plain += _short_listener(args.host, args.short_port, listeners.limits)
        opened = own.problem or open_store(args, replace(clocks, wall=own.hall_time.wall))
    except StartRefused as refused:
        return refuse("hub", refused)
    if isinstance(opened, Problem):
        return _wait(args, opened, listeners, own.certificates)
    hub = make_hub(args, listeners, own, opened, practice is not None)
    code = serve_hub(args, hub, listeners, own.certificates, practice)
    opened.close()
    return code


def open_listeners(args: argparse.Namespace, secure_port: int) -> Listeners:
    """Raises StartRefused where another program has a port."""
    places, encrypted_places = connection_places(raise_file_limit())
    limits = ConnectionLimits(places, time.monotonic, args.per_address)
    encrypted_limits = ConnectionLimits(encrypted_places, time.monotonic, max(1, args.per_address // 2))
    opened: list[socket.socket] = []
    for port, admitting in ((args.port, limits), *([(secure_port, encrypted_limits)] if secure_port else ())):
        try:
            opened.append(open_listener(args.host, port, admitting))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StartRefused(f"cannot listen on {args.host}:{port}: {reason}") from error
    return Listeners(limits, opened[:1], opened[1:])


def read_own_files(args: argparse.Namespace, secure_port: int, clocks: Clocks, is_practice: bool) -> OwnFiles:
    """The hub's files, made on its first start, which shows the PIN; a page server has none. Raises StartRefused."""
    own, new_pin = OwnFiles(HallTime(None, clocks.boot_id, clocks.mono_ms)), None
    if args.pages:
        return own
    try:
        for open_to_others in make_private_folder(args.data):
            print(
                f"roundtap hub: {open_to_others} is open to others and belongs to somebody else; close it: "
                "chmod go-rwx",
                file=sys.stderr,
            )
        finish_continuing(args.data)
        own.pin_hash, new_pin = read_or_make_pin(args.data / "pin")
        own.secret = read_or_make_secret(args.data / "secret")
        own.hall_time = HallTime(args.data, clocks.boot_id, clocks.mono_ms)
        if secure_port:
            own.certificates = (
                Certificates(args.data.parents[1], borrowed=True)
                if is_practice
                else Certificates(args.data, now=own.hall_time.now)
            )
            own.encrypted = HttpsInfo(secure_port, own.certificates.authority, own.certificates.fingerprint)
        _print_pin_once(new_pin, own.encrypted, args.short_port or args.port)
    except Problem as problem:
        raise StartRefused(problem) from problem
    except (OSError, ValueError) as error:
        own.problem = disk_problem(error, args.data) if isinstance(error, OSError) and not args.database else None
        if new_pin is not None:
            # Nobody was told this one: the next start makes another.
            (args.data / "pin").unlink(missing_ok=True)
        if own.problem is None:
            raise StartRefused(
                f"the folder {args.data} cannot be used: {error}. Name one that you may write to with --data."
            ) from error
    return own


def open_store(args: argparse.Namespace, clocks: Clocks) -> "HubResources | Problem":
    """The journal, on `clocks` where that is in a folder; a Problem that waiting may end. Raises StartRefused."""
    try:
        at_point = crash_point(args.crash_at)
        if args.database:
            return open_database(args.database, at_point, args.pages)
        return open_folder(args.data, at_point, args.copy, clocks, args.stick)
    except Problem as problem:
        if args.database or problem.key in NOT_WAITED_FOR:
            where = at_place(problem, args.data, "database" if args.database else "")
            raise StartRefused(_text(where, args.language)) from problem
        return problem


def make_hub(
    args: argparse.Namespace, listeners: Listeners, own: OwnFiles, opened: "HubResources", is_practice: bool
) -> Hub:
    """The hub on an opened journal, with the keys of units on this machine."""
    service, port = opened.service, listeners.port
    if not args.pages and not take_key_file(args.data, service):
        threading.Thread(target=_retry_key_file, args=(args.data, service), daemon=True).start()
    service.storage.listeners.append(partial(_say_storage, service, args))
    if service.storage.fault:
        _say_storage(service, args)
    unit_keys = UnitKeys(service)
    if not args.pages:
        _make_local_keys(args, unit_keys, port)
    # The machine's own clock even on a database: sessions and codes are this hub's alone.
    clocks = system_clocks()
    organizers = make_staff_login(own.pin_hash, own.secret, clocks, service, None if args.pages else args.data)
    kin = _peers(args, opened, own.secret, port)
    host = Host(
        hall_addresses=HallAddresses(
            port,
            args.short_port if len(listeners.plain) > 1 else 0,
            args.name,
            partial(addresses_of_socket, listeners.plain[0].getsockname()[0]),
        ),
        plain_port=listeners.plain[-1].getsockname()[1],
        other_addresses=kin.other_addresses if kin is not None else tuple,
        on_database=args.database is not None,
        hall_time=None if args.database or is_practice else own.hall_time,
        machine=OwnMachine(args.data),
        bench_url=args.bench_url,
        framed_by=OWN_PAGES if is_practice else framing_origin(args.bench_url, args.host),
        is_practice=is_practice,
    )
    hub = Hub(
        service,
        opened.presence,
        opened.clocks,
        Units(service, opened.presence, opened.clocks.mono_ms, unit_keys, args.generous),
        AccessControl(own.secret, organizers, PersonalLinks(service, own.secret, clocks.mono_ms), own.encrypted),
        Hall(opened.clocks.mono_ms),
        EventTimesCache(service),
        host,
        opened.paper,
        args.language,
        kin=kin,
    )
    if args.sound is not None and not args.pages:
        hub.sound = HubSound(service, opened.clocks.now, aplay_player(args.sound))
    # Its virtual units ask it on this machine's own address.
    if not args.database and not args.bench_url and loopback_address(args.host, port) == f"http://127.0.0.1:{port}":
        secure_port = own.encrypted.port if own.encrypted is not None else 0
        hub.practice = PracticeHub(
            args.data, args.host, port, secure_port, lambda: {session.hash for session, *_ in organizers.listed()}
        )
        hub.practice.clear_folder()
    return hub


def serve_hub(
    args: argparse.Namespace,
    hub: Hub,
    listeners: Listeners,
    certificates: Certificates | None,
    practice: Callable[[Any], Any] | None,
) -> int:
    """Serve until stopped; the exit code."""
    # Late: a slow import, not needed where the folder cannot be opened.
    from roundtap_hub.app.server import REOPEN, HubServer, PageServerFront, ServerPlan

    front_of = partial(PageServerFront, console_url=args.console_url) if args.pages else practice
    code = HubServer(hub, ServerPlan(listeners, certificates, args.alone, front_of)).run_until_stopped()
    hub.access.organizers.sessions.save()
    if code == REOPEN:
        # Nothing is closed: SQLite would write what it believes to be synced into the journal.
        restart_process()
    return code


def _text(problem: Problem, language: str) -> str:
    text = problem.say(core_words(language))
    return f"{problem.where}: {text}" if problem.where else text


def _say_storage(service: Service, args: argparse.Namespace) -> None:
    """The hub's own word is that nothing can be saved, from the refused write to the next one that is synced."""
    fault = service.storage.fault
    SystemdNotifier().say(_text(storage_problem(fault, args.data), args.language) if fault else "")


def _wait(
    args: argparse.Namespace,
    problem: Problem,
    listeners: Listeners,
    certificates: Certificates | None,
) -> int:
    """Serve the page that says why the journal cannot be opened; once it can, a new process opens it."""
    refuse("hub", _text(at_place(problem, args.data), args.language))
    fault, folder = fault_kind(problem), local_folder(args.local, os.environ.get("RUNTIME_DIRECTORY"))
    address = loopback_address(args.host, listeners.port)
    if folder is not None and address is not None:
        # The panel is told by its address alone; the others' keys may be in the journal.
        make_local_units(folder, address, (), kinds=(PANEL,))
    # Late: a slow import, needed here alone.
    from roundtap_hub.app.server import MendedCheck, WaitingPage, wait_until_mended

    if wait_until_mended(
        WaitingPage(fault, args.language, args.data.resolve() == HUB_FOLDER.resolve()),
        listeners,
        certificates,
        MendedCheck(args.data, fault),
    ):
        log.warning("the journal in %s can be opened again", args.data)
        restart_process()
    return 0


def _retry_key_file(folder: Path, service: Service) -> None:
    """Retry until the disk is writable again; until then no unit of that file is admitted."""
    while not take_key_file(folder, service):
        time.sleep(KEY_FILE_RETRY_S)


def _peers(args: argparse.Namespace, opened: "HubResources", secret: bytes, port: int) -> Peers | None:
    """The hubs with copies of this one's folder; None on a database, where hubs share the journal itself."""
    copies = opened.service.copies
    if copies is None:
        return None
    kin = Peers(
        args.data,
        secret,
        opened.clocks,
        lambda: opened.service.snapshot.venue,
        secrets.token_hex(8),
        port,
        Standbys(copies),
        args.alone,
    )
    kin.load_takeover()
    return kin


def _make_local_keys(args: argparse.Namespace, unit_keys: UnitKeys, port: int) -> None:
    """Write keys for units on this machine: they need no enrolment, as only they can read the file."""
    folder = local_folder(args.local, os.environ.get("RUNTIME_DIRECTORY"))
    address = loopback_address(args.host, port)
    if folder is not None and address is not None:
        unit_keys.set_local(make_local_units(folder, address, unit_keys))
    elif folder is not None:
        log.warning("a hub on %s alone is not reached from 127.0.0.1: units on this machine get no keys", args.host)


def _print_pin_once(new_pin: str | None, encrypted: HttpsInfo | None, plain_port: int) -> None:
    if new_pin:
        print(f"PIN for the organizer (shown once): {new_pin}", flush=True)
        if encrypted:
            print(
                f"Organizers: https://…:{encrypted.port}/ — fingerprint of this hub's authority (SHA-256), to be "
                f"compared before it is trusted:\n{encrypted.fingerprint}",
                flush=True,
            )
        print(f"Players, walls and units: {http_url('…', plain_port)}/", flush=True)


def _short_listener(host: str, port: int, limits: ConnectionLimits) -> list[socket.socket]:
    """The second plain listener; none where none is wanted or its port is taken, since it is only a convenience."""
    try:
        return [open_listener(host, port, limits)] if port else []
    except (OSError, OverflowError) as error:
        print(
            f"roundtap hub: cannot listen on {host}:{port}, so people have to type the other port: "
            f"{getattr(error, 'strerror', None) or error}",
            file=sys.stderr,
            flush=True,
        )
        return []


@dataclass(slots=True)
class HubResources:
    """The opened journal and what comes with it; `closing`: what to close again, in this order."""

    service: Service
    clocks: Clocks
    presence: Presence
    paper: PrintBook | None
    closing: list[Callable[[], None]] = field(default_factory=list)

    def close(self) -> None:
        for close in self.closing:
            close()


def open_folder(
    folder: Path,
    at_point: AtPoint,
    copies: Sequence[Path] = (),
    clocks: Clocks | None = None,
    sticks: Sequence[Path] = (),
) -> HubResources:
    """The journal in a hub's own folder, checked against its head file and started. `copies`: folders elsewhere with a
    copy; `sticks`: mount points where one may appear; `clocks`: instead of the machine's own. Raises Problem where the
    journal cannot be opened or is damaged."""
    drop_cached_files(folder)
    url, head = sqlite_url(folder), HeadFile(folder / HEAD_FILE)
    try:
        mended = mend_journal(folder, head.record)
        check_database(folder / DATABASE, head.record, (*copies, *sticks))
        clocks = clocks or system_clocks()
        back_up_before_upgrade(folder, head.record, clocks.wall() or "")
        journal, paper = Journal(url), PrintBook(url)
        service = Service(journal, clocks, at_point, head)
        service.storage.mended = mended
        lineage = head.record.lineage if head.record else ""
        try:
            lineage = init_head_file(head, journal, service.snapshot.venue.epoch)
        except (JournalConflict, OSError) as refused:
            # A hub on a full disk still shows what it has, and reports that the disk is full.
            service.storage.failed(refused.errno)
        if service.storage.fault == FAILING:
            raise storage_problem(FAILING, folder, os.strerror(errno.EIO))
    except BaseException:
        head.close()
        raise
    copying = Copies(
        journal,
        lineage,
        [
            *(FolderCopy(each, folder) for each in copies),
            *(FolderCopy(each, folder, may_be_missing=True) for each in sticks),
        ],
        lambda: service.snapshot.venue.epoch,
        service.storage.changed,
    )
    service.set_copies(copying)
    upkeep = Maintenance(service, folder, head, copying.plugged_in, clocks.wall)
    try:
        service.start()
    except (Problem, HubStopped, OutcomeUnknown) as refused:
        head.close()
        raise storage_problem(service.storage.fault or FAILING, folder, refused) from refused
    copying.start()
    upkeep.start()
    return HubResources(
        service, clocks, Presence(), paper, [service.stop, upkeep.stop, journal.close, paper.close, head.close]
    )


def open_database(address: str, at_point: AtPoint, pages_only: bool = False) -> HubResources:
    """The journal on PostgreSQL, started, in step with the other hubs there. `pages_only`: nothing is written, and
    there is no paper. Raises Problem where the database cannot be opened."""
    url = database_url(address)
    # Late: a hub in its own folder needs no driver.
    from roundtap_hub.app import presence_relay
    from roundtap_hub.store.postgres import DatabaseClock, PostgresJournal
    from roundtap_hub.store.shared_service import CommitNotice, NotificationListener, SharedService

    clock = DatabaseClock(url)
    journal = PostgresJournal(address, pages_only)
    paper = None if pages_only else presence_relay.SharedPrintBook(address, journal.name)
    service = SharedService(journal, clock.clocks, at_point, pages_only)
    presence = Presence()
    news = presence_relay.PresenceSync(presence, clock.clocks.mono_ms, speaks=not pages_only)
    relay = presence_relay.PresenceRelay(url, journal.name, news, presence)
    others = {presence_relay.PRESENCE_CHANNEL: news.receive}
    if paper is not None:
        others[presence_relay.BOOK_CHANNEL] = paper.handle_notice

    def committed(notice: CommitNotice | None) -> None:
        service.follow(notice)
        if notice is None:
            relay.resync()
            if paper is not None:
                paper.handle_notice(None)

    follower = NotificationListener(url, journal.name, committed, others)
    service.start()
    for each in (clock, follower, relay):
        each.start()
    closing = [relay.stop, follower.stop, clock.stop, service.stop, journal.close]
    return HubResources(
        service, clock.clocks, presence, paper, [*closing, paper.close] if paper is not None else closing
    )


class RateLimitedLog(logging.Filter):
    """Passes each message of a logger at most `A_MINUTE` times a minute. `now_s` is a monotonic clock. What a
    stopping hub cancels is no error."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], tuple[float, int]] = {}
        """(Since when, how often since) by logger and message."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and type(record.exc_info[1]).__name__ == "CancelledError":
            return False
        key, now_s = (record.name, str(record.msg)[:200]), self._now_s()
        with self._lock:
            since_s, before = self._counts.get(key, (float("-inf"), 0))
            more, times = 0, before + 1
            if now_s - since_s >= MINUTE_S:
                more, since_s, times = max(0, before - A_MINUTE), now_s, 1
                if len(self._counts) >= MESSAGES_KEPT:
                    self._counts.clear()
            self._counts[key] = since_s, times
        if times > A_MINUTE:
            return False
        if times > 1:
            record.exc_info, record.exc_text, record.stack_info = None, None, None
        text = record.getMessage()
        if len(text) > LETTERS_MAX:
            text = f"{text[:LETTERS_MAX]}…"
        if more:
            text = f"{text} (and {more} more like this in the minutes before)"
        record.msg, record.args = text, None
        return True


def rate_limit_logs() -> None:
    bounded = RateLimitedLog()
    for handler in logging.getLogger().handlers:
        handler.addFilter(bounded)
