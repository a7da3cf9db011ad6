"""This hub among the hubs of its lineage: how it identifies itself, whom it knows, when it yields; and a standby's
folder, its copy of the hub's journal, and how that becomes the hub's."""

import base64
import http.client
import itertools
import json
import logging
import os
import queue
import secrets
import select
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import msgspec
from sqlmodel import SQLModel

from roundtap_core import messages
from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, NewEntry, Timestamp, chain_entry
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_core.wire import BEACON, ECHO, PAGE, REQUEST, envelope, open_envelope, sign
from roundtap_hub.access.unit_keys import KEYS_FILE
from roundtap_hub.http.hall_addresses import http_url
from roundtap_hub.store.backups import STARTED_OVER, SUFFIX, back_up_before_upgrade, forget_aside
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.copies import entries_after, person_records
from roundtap_hub.store.journal import DATABASE, Head, Journal, sqlite_url
from roundtap_hub.store.journal_identity import is_newer, lineage_key, next_epoch
from roundtap_hub.store.models import SECRETS, CheckpointRow
from roundtap_hub.store.read_model import read_venue
from roundtap_hub.store.secure_files import lock_file, read_json, write_private
from roundtap_hub.store.standby_copy import Standbys
from roundtap_hub.store.venue import ERASING_KINDS, Venue
from roundtap_machine.addresses import local_addresses
from roundtap_machine.deadline_http import request_json

log = logging.getLogger(__name__)

STANDBYS_FILE, TAKEN_OVER_FILE = "standbys.json", "taken-over.json"
KNOWN_MAX = 8
SAME_START_MS = 3000  # two hubs that started this close together cannot tell which was first: the smaller name stays

Payload = dict[str, Any]

GROUP, PORT = "239.255.82.84", 48284  # a multicast address local to the site, which no router forwards
BEACON_EVERY_S = 2.0
QUERY_EVERY_S = 5.0  # how often an address is queried at most, and how often known relatives are queried
ANSWER_TIMEOUT_S = 4.0
DATAGRAM_BYTES_MAX = 1400
AT_ONCE = 20  # datagrams read before the thread rests for a moment: a flood of them costs little
REST_S = 0.2
ASKED_MAX = 64
ANSWER_BYTES_MAX = 1024 * 1024

UNRELATED, OUTDATED, TWIN = "others", "older", "later"
BESIDE: tuple[type[SQLModel], ...] = (*SECRETS, CheckpointRow)  # tables that a standby gets besides the entries
NOTES, PROMOTE_FILE, PROMOTED, LOCK = "standby.json", "promote", "promoted", "standby.lock"


def compare_claims(mine: messages.PeerAnswer, other: messages.PeerAnswer) -> str:
    """How this hub relates to a living other one: OUTDATED, of a former epoch, so the other continues; TWIN, the later
    of two from one copy; otherwise UNRELATED."""
    if not mine.epochs or mine.epochs[0] not in other.epochs[:1] or mine.instance == other.instance:
        return UNRELATED
    if len(mine.epochs) != len(other.epochs):
        return OUTDATED if len(mine.epochs) < len(other.epochs) else UNRELATED
    if abs(mine.up_ms - other.up_ms) < SAME_START_MS:
        return TWIN if mine.instance > other.instance else UNRELATED
    return TWIN if mine.up_ms < other.up_ms else UNRELATED


@dataclass(frozen=True, slots=True)
class Takeover:
    """Another hub continues this journal. `url`: its address, "" if unknown; `heads`: stream → [number, hash] that it
    took over; None if unknown."""

    url: str
    heads: Mapping[str, Sequence[Any]] | None


class Peers:
    """The other hubs and standbys of this folder. Thread-safe. `on_known` is called when there is another standby,
    `on_taken_over` and `on_twin` when this hub is to stop; from any thread, and they must only enqueue."""

    def __init__(
        self,
        folder: Path,
        secret: bytes,
        clocks: Clocks,
        venue: Callable[[], Venue],
        instance: str,
        port: int,
        standbys: Standbys,
        alone: bool = False,
    ) -> None:
        self.folder = folder
        self.standbys = standbys
        self.instance = instance
        self._alone = alone
        self.port = port
        self._key = lineage_key(secret)
        self._now_ms = clocks.mono_ms
        self._started_ms = clocks.mono_ms()
        self._venue = venue
        noted = read_json(folder / STANDBYS_FILE)
        self._known = [each for each in noted if isinstance(each, str)] if isinstance(noted, list) else []
        notes = read_notes(folder) if is_promoted(folder) else {}
        self._own, self._followed = ([str(notes[name])] if notes.get(name) else [] for name in ("own", "hub"))
        self._twin = False
        self.taken_over: Takeover | None = None
        self.on_taken_over: list[Callable[[], None]] = []
        self.on_known: list[Callable[[], None]] = []
        self.on_twin: list[Callable[[str], None]] = []

    def own_claim(self, nonce: str = "", heads: Any = None) -> messages.PeerAnswer:
        up_ms = self._now_ms() - self._started_ms
        return messages.PeerAnswer(nonce, list(self._venue().epochs), self.instance, up_ms, heads)

    @property
    def lineage(self) -> str:
        """Not secret, and the same for all hubs of the lineage."""
        return next(iter(self._venue().epochs), "")

    def other_addresses(self) -> list[str]:
        """Where units, walls and phones look for the hub when this one is silent: its standbys, and itself if it was
        one."""
        return [*self._own, *(each for each in self._known if each not in self._own)]

    def query_addresses(self) -> list[str]:
        """Addresses to query over any network: the hub that this one followed, and its standbys."""
        return [*self._followed, *self._known]

    def page_proof(self, mark: str) -> dict[str, str]:
        """What a page is told beside its random mark, and compares with what another address says to that mark: it is
        no secret from who listens to its feed."""
        return {"mark": mark, "proof": sign(self._key, PAGE, mark)}

    # Messages, signed with the lineage's key.

    def beacon(self) -> Payload:
        """The broadcast: it holds nothing secret, and receivers verify it by a query."""
        return envelope(self._key, BEACON, {"instance": self.instance, "port": self.port})

    def read_beacon(self, message: object) -> int | None:
        """The port of another hub of this lineage to query; None for anything else."""
        try:
            beacon = parse_message(messages.Beacon, open_envelope(self._key, BEACON, message))
        except MalformedMessage:
            return None
        return beacon.port if beacon.instance != self.instance else None

    def identity_request(self, nonce: str) -> Payload:
        """A query; only an answer to its nonce is believed."""
        return envelope(
            self._key,
            REQUEST,
            {"nonce": nonce, "instance": self.instance, "port": self.port, "epochs": list(self._venue().epochs)},
        )

    def identity_response(self, message: object) -> tuple[Payload, int | None] | None:
        """The signed answer to a relative's query, and the port to query back; None for a stranger."""
        try:
            query = parse_message(messages.PeerQuery, open_envelope(self._key, REQUEST, message))
        except MalformedMessage:
            return None
        venue = self._venue()
        later = next((epoch for epoch in venue.epochs if epoch not in query.epochs), "")
        claim = msgspec.to_builtins(self.own_claim(query.nonce, venue.epoch_heads.get(later)))
        return envelope(self._key, ECHO, claim), query.port if query.instance != self.instance else None

    def handle_answer(self, message: object, nonce: str, url: str) -> str:
        """Handle another hub's answer to our query `nonce`; return the verdict."""
        try:
            answer = parse_message(messages.PeerAnswer, open_envelope(self._key, ECHO, message))
        except MalformedMessage:
            return UNRELATED
        if answer.nonce != nonce:
            return UNRELATED
        verdict = compare_claims(self.own_claim(), answer)
        if verdict == OUTDATED:
            self.record_takeover(Takeover(url, answer.heads))
        elif verdict == TWIN and not self._twin:
            self._twin = True
            for listener in self.on_twin:
                listener(url)
        return verdict

    def check_hello_epoch(self, unit: str, hello: messages.Hello) -> None:
        """Yield if a unit reports a newer epoch of this lineage: its mark proves the folder's secret."""
        if hello.epoch is not None and is_newer(self._venue().epochs, hello.epoch, self._key):
            self.record_takeover(Takeover("", None))

    def record_takeover(self, by: Takeover) -> None:
        """Record that another hub continues, adding to what is known of it. A hub run alone ignores it."""
        if self._alone:
            return
        before = self.taken_over
        if before is not None:
            by = Takeover(by.url or before.url, before.heads if by.heads is None else by.heads)
        if by == before:
            return
        self.taken_over = by
        try:
            write_private(
                self.folder / TAKEN_OVER_FILE,
                json.dumps({"url": by.url, "heads": by.heads, "epochs": len(self._venue().epochs)}),
            )
        except OSError as error:
            log.error("that another hub goes on is not noted: %s", error)
        if before is None or by.url != before.url:
            _log_takeover(by)
        for listener in self.on_taken_over:
            listener()

    def load_takeover(self) -> None:
        """After a restart, restore a recorded takeover."""
        if self._alone:
            return
        with suppress(KeyError, TypeError):
            noted = read_json(self.folder / TAKEN_OVER_FILE)
            if noted["epochs"] == len(self._venue().epochs):
                self.taken_over = Takeover(str(noted["url"]), noted["heads"])
                _log_takeover(self.taken_over)

    def note_standbys(self) -> None:
        """One has become complete."""
        new = [address for address in self.standbys.addresses() if address not in self._known]
        if not new:
            return
        self._known = [*new, *self._known][:KNOWN_MAX]
        try:
            write_private(self.folder / STANDBYS_FILE, json.dumps(self._known))
        except OSError as error:
            log.error("the standbys' addresses are not noted: %s", error)
        for listener in self.on_known:
            listener()


def _log_takeover(by: Takeover) -> None:
    log.warning(
        "another hub (a standby that took over, or a restored copy) goes on with this journal%s: "
        "nothing is taken here any more",
        f" at {by.url}" if by.url else "",
    )


class BeaconThread:
    """Broadcasts this hub's beacon and queries hubs whose beacons match, in its own thread; it keeps trying."""

    def __init__(self, kin: Peers) -> None:
        self._kin = kin
        self._stop = threading.Event()
        self._wanted: queue.Queue[str] = queue.Queue(ASKED_MAX)
        self._asked: dict[str, float] = {}
        self._joined: set[str] = set()

    def start(self) -> None:
        threading.Thread(target=self._run, name="beacon", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def queue_query(self, host: str, port: int) -> None:
        """Query this address, which claims this lineage, soon. From any thread."""
        with suppress(queue.Full):
            self._wanted.put_nowait(http_url(host, port))

    def _run(self) -> None:
        sock: socket.socket | None = None
        send_s = query_s = 0.0
        while not self._stop.is_set():
            try:
                now_s = time.monotonic()
                if sock is None:
                    sock = self._listening()
                if now_s >= send_s:
                    send_s = now_s + BEACON_EVERY_S
                    self._broadcast(sock)
                if now_s >= query_s:
                    query_s = now_s + QUERY_EVERY_S
                    for url in self._kin.query_addresses():
                        self._query(url)
                self._query_next()
                self._receive(sock)
            except OSError as error:
                log.info("the beacon is not heard: %s", error)
                if sock is not None:
                    sock.close()
                sock = None
                self._joined.clear()
                self._stop.wait(BEACON_EVERY_S)
            except Exception:
                log.exception("the beacon failed")
                self._stop.wait(BEACON_EVERY_S)
        if sock is not None:
            sock.close()

    def _listening(self) -> socket.socket:
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
        sock.bind(("", PORT))
        sock.setblocking(False)
        return sock

    def _broadcast(self, sock: socket.socket) -> None:
        """Send from every current address: a cable may have been plugged in, an access point lost."""
        message = json.dumps(self._kin.beacon(), separators=(",", ":")).encode()
        for address in (str(each) for each in local_addresses() if each.version == 4):
            with suppress(OSError):
                own = socket.inet_aton(address)
                if address not in self._joined:
                    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + own)
                    self._joined.add(address)
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
                sock.sendto(message, (GROUP, PORT))
        with suppress(OSError):
            sock.sendto(message, ("255.255.255.255", PORT))

    def _receive(self, sock: socket.socket) -> None:
        readable, _, _ = select.select([sock], [], [], REST_S)
        for _ in range(AT_ONCE if readable else 0):
            try:
                datagram, (host, _) = sock.recvfrom(DATAGRAM_BYTES_MAX + 1)
            except BlockingIOError:
                return
            if len(datagram) > DATAGRAM_BYTES_MAX:
                continue
            try:
                port = self._kin.read_beacon(json.loads(datagram))
            except (ValueError, RecursionError):
                continue
            if port is not None:
                self.queue_query(host, port)
        if readable:
            self._stop.wait(REST_S)

    def _query_next(self) -> None:
        """One at a time: many silent addresses must not delay the beacon."""
        with suppress(queue.Empty):
            self._query(self._wanted.get_nowait())

    def _query(self, url: str) -> None:
        """Query a hub; a replayed beacon has no hub behind it that could answer a fresh nonce."""
        now_s = time.monotonic()
        if now_s - self._asked.get(url, -QUERY_EVERY_S) < QUERY_EVERY_S:
            return
        if len(self._asked) >= ASKED_MAX:
            self._asked.clear()
        self._asked[url] = now_s
        nonce, parts = secrets.token_hex(16), urlsplit(url)
        place, question = (parts.hostname or "", parts.port or 80), self._kin.identity_request(nonce)
        try:
            status, answer = request_json(place, "/standby/who", question, ANSWER_TIMEOUT_S, bytes_max=ANSWER_BYTES_MAX)
        except (OSError, http.client.HTTPException, ValueError) as silent:
            log.debug("nobody at %s: %s", url, silent)
        else:
            if status == http.client.OK:
                self._kin.handle_answer(answer, nonce, url)


class StandbyFolder:
    """For one thread. Raises Problem if the folder cannot be created, or is in use."""

    journal: Journal

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self._opened = ExitStack()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._opened.callback(os.close, lock_file(folder / LOCK))
        except OSError as error:
            raise Problem("standby_folder", where=str(folder), reason=error.strerror or str(error)) from error
        self.heads: dict[str, Head] = {}
        self.notes = read_notes(folder)

    def open(self) -> None:
        """Open the journal; its chains are verified when the hub's rows arrive, and when it starts."""
        back_up_before_upgrade(self.path, None, "")
        self.journal = Journal(sqlite_url(self.path))
        self._opened.callback(self.journal.close)
        self.heads = self.journal.heads()

    def close(self) -> None:
        self._opened.close()

    def venue(self) -> Venue:
        return read_venue(self.journal, Venue())

    def append_rows(self, rows: Sequence[Any], people: Sequence[Any]) -> None:
        """Store the hub's entries and people, synced. Raises Problem("journal_broken") for entries that do not follow,
        and JournalConflict if the disk refuses."""
        heads = dict(self.heads)
        entries, records = entries_after(heads, rows), person_records(people)
        if erasing := [(row[2], row[6]) for row in rows if row[2] in ERASING_KINDS]:
            # First: what is appended is not told again, should this one be killed in between.
            venue = itertools.chain(self.journal.entries(VENUE), (each for each in entries if each.stream == VENUE))
            begun = {**dict.fromkeys(heads, ""), VENUE: next(venue).hash}
            for aside in (*self.path.rglob(f"*/{DATABASE}"), *self.path.rglob(f"*{SUFFIX}")):
                try:
                    forget_aside(aside, erasing, begun)
                except sqlite3.Error as error:
                    log.error("who was forgotten may still stand in %s: %s", aside, error)
        if entries or records:
            self.journal.append(entries, records)
        self.heads = heads
        if erasing:
            self.journal.scrub()

    def take_beside(self, told: Mapping[str, Any]) -> None:
        """Store what has changed besides the entries: the hub's PIN, secret and certificates, all its keys, staff, and
        clocks. Raises ValueError or TypeError for malformed rows, bad base 64, or a path outside the folder; and
        JournalConflict."""
        self.journal.put(
            [table.model_validate(row) for table in BESIDE for row in told.get(str(table.__tablename__), ())]
        )
        # The hub's rows alone count: a file that lies here since earlier may have keys that it never took.
        (self.path / KEYS_FILE).unlink(missing_ok=True)
        for name, text in told.get("files", {}).items():
            parts = PurePosixPath(name).parts
            if not parts or ".." in parts or parts[0] == "/":
                raise ValueError(name)
            content = base64.b64decode(text, validate=True)
            path = self.path.joinpath(*parts)
            if not path.exists() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_private(path, content)

    def save_notes(self, **changed: Any) -> None:
        """Note for after a restart: "level" (whether it was complete once), "hub", "own" (addresses)."""
        if any(self.notes.get(name) != value for name, value in changed.items()):
            self.notes = {**self.notes, **changed}
            write_private(self.path / NOTES, json.dumps(self.notes, indent=1))

    def set_aside(self) -> None:
        """Start over: the current content is moved aside, never deleted."""
        names = (self.path / f"{STARTED_OVER}{number}" for number in itertools.count(1))
        aside = next(path for path in names if not path.exists())
        aside.mkdir(mode=0o700)
        left = (NOTES, PROMOTE_FILE, PROMOTED)
        for path in [*self.path.glob("roundtap.db*"), *self.path.glob("head*"), *(self.path / name for name in left)]:
            if path.exists():
                os.replace(path, aside / path.name)
        self.notes = {}


def read_notes(folder: Path) -> dict[str, Any]:
    """A standby's notes; empty if there are none."""
    notes = read_json(folder / NOTES)
    return notes if isinstance(notes, dict) else {}


def is_promoted(folder: Path) -> bool:
    return (folder / PROMOTED).exists()


def promote_folder(folder: Path, at: Timestamp, token_hex: Callable[[int], str]) -> None:
    """Promote the folder, once: its journal gets a new epoch, and the folder is marked as a hub's. The epoch's entry
    lists what this folder held, so that an older hub can find what only that one accepted. There must be no other
    writer. Raises Problem if the journal cannot be read or has no epoch yet."""
    if not is_promoted(folder):
        with closing(Journal(sqlite_url(folder))) as journal:
            venue = read_venue(journal, Venue())
            if not venue.epochs:
                raise Problem("standby_empty", where=str(folder))
            # Without the secret no older hub would accept the epoch: then nothing is promoted.
            key = lineage_key(bytes.fromhex((folder / "secret").read_text(encoding="ascii").strip()))
            epoch = next_epoch(venue.epochs, key, token_hex)
            heads = {stream: list(head) for stream, head in journal.heads().items()}
            begun = NewEntry("epoch-begun", {"epoch": epoch, "heads": heads})
            journal.append([chain_entry(begun, VENUE, venue.number + 1, venue.head, at, "hub")])
        write_private(folder / PROMOTED, json.dumps({"epoch": epoch}))
    (folder / PROMOTE_FILE).unlink(missing_ok=True)
