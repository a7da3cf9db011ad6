"""The outbox: each report is on this unit's disk before anything else happens to it, and stays until its event ends. So
does the last view of this table: restarted without a hub, it still shows its match. Each line has its checksum.
"""

import contextlib
import errno
import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from roundtap_core.messages import ReportReceipt
from roundtap_core.wire import canonical_json, digest
from roundtap_machine.disk import check_room, disk_fault, sync_to_disk, try_writing, write_atomically
from roundtap_units.link.hub_time import mono_ms

UNREADABLE = (ValueError, KeyError, TypeError, RecursionError)
"""What reading strange bytes as one of these lines may raise."""
log = logging.getLogger(__name__)

PENDING = "pending"  # a preliminary fate: a restored hub has the report and examines it
OLDER_LINES = (frozenset(("report", "mac")), frozenset(("fate",)))
"""The keys of lines without a checksum, from older units."""
FATE_BEGINS = b'{"fate":'
LINE_BYTES = 4096  # more than any report takes


def checksum_line(content: Mapping[str, Any]) -> bytes:
    """One line of JSON with `sum`, the SHA-256 of the canonical JSON of the rest, and a line feed."""
    return canonical_json({**content, "sum": digest(content)}) + b"\n"


def read_checksum_line(raw: bytes) -> tuple[dict[str, Any], bool]:
    """(the content of a line without its sum, whether it had one). ValueError where it is none, or its sum is wrong."""
    line = json.loads(raw)
    if not isinstance(line, dict):
        raise ValueError("a line that is no object")
    claimed = line.pop("sum", None)
    if claimed is not None and claimed != digest(line):
        raise ValueError("the checksum is wrong")
    return line, claimed is not None


def key_fingerprint(key: bytes) -> str:
    """Distinguishes two keys and reveals neither."""
    return hashlib.sha256(b"roundtap/key-mark/1\n" + key).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report with its signature, and the hub's answer: None while there is none. `epoch`: of the answering hub's
    journal. `key`: the fingerprint of the signing key."""

    report: Mapping[str, Any]
    mac: str
    fate: str | None = None
    number: int | None = None
    hash: str | None = None
    reason: str | None = None
    epoch: str | None = None
    key: str | None = None

    @property
    def id(self) -> str:
        return str(self.report["report_id"])

    @property
    def match_key(self) -> tuple[str, str, str]:
        """Event, match and draw: their reports are sent strictly one after the other."""
        return tuple(str(self.report.get(name)) for name in ("event", "match", "draw"))  # type: ignore[return-value]

    @property
    def settled(self) -> bool:
        return self.fate is not None and self.fate != PENDING


class Outbox:
    """An append-only file of JSON lines, each with a checksum, synced; for any thread.

    A torn last line (a power cut during writing) is cut off: its report was not confirmed yet, and a fate is requested
    again. A line spoilt by a worn card is moved to `outbox.damaged` and counted as `damaged`. Where the disk cannot be
    read or written the outbox is `failing`: what it could read is there, `put` raises OSError, and `retry_disk` tries
    again.
    key_mark: the key's fingerprint, noted with each new report. `at_point` is called with "after-outbox-fsync" once a
    new report is safe: tests cut the power there.
    """

    def __init__(
        self, path: Path, at_point: Callable[[str], None] = lambda _: None, key_mark: str | None = None
    ) -> None:
        self._path = path
        self._aside = path.with_suffix(".damaged")
        self._at_point = at_point
        self._key_mark = key_mark
        self._lock = threading.Lock()
        self._reports: dict[str, StoredReport] = {}
        self._loaded = False
        self._torn: int | None = None  # where the complete lines end, if something follows them
        self._lines: list[bytes] = []  # readable complete lines, while spoilt ones among them have to be moved
        self._spoilt: list[bytes] = []
        self.damaged = 0  # spoilt lines that may have been reports, since this outbox began
        self._unflushed: list[bytes] = []  # fates that are not on the disk yet, valid all the same
        self._file: BinaryIO | None = None
        self._error: OSError | None = None  # what the disk refused the last time
        with self._lock:
            self._try_to_open()

    @property
    def failing(self) -> bool:
        """Whether the disk refused the last time: nothing new can be stored."""
        return self._error is not None

    @property
    def fault(self) -> str:
        """Why nothing new can be stored: FULL, READ_ONLY or FAILING (`roundtap_machine/disk.py`); "" if it can."""
        return disk_fault(self._error.errno) if self._error is not None else ""

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def use_key(self, key_mark: str) -> None:
        """The fingerprint of the key that signs new reports from now on."""
        self._key_mark = key_mark

    def check_disk(self) -> None:
        """Check, without writing, whether the disk has become full or read-only."""
        with self._lock:
            if self._file is not None:
                try:
                    check_room(self._path.parent)
                except OSError as error:
                    self._mark_failed(error)

    def retry_disk(self) -> bool:
        """Try the disk again, and write what is outstanding; whether all is well."""
        with self._lock:
            if self._file is None:
                self._try_to_open()
            if self._file is not None:
                try:
                    # A quota, or a sync that fails, is met by writing alone; mostly no fate waits to be written.
                    try_writing(self._path.parent, LINE_BYTES)
                    self._append()
                except OSError as error:
                    self._mark_failed(error)
            return not self.failing

    def put(self, report: Mapping[str, Any], mac: str) -> StoredReport:
        """Store a new report. On return it is on the disk. OSError where the disk refuses: then nothing is stored."""
        stored = StoredReport(report, mac, key=self._key_mark)
        with self._lock:
            if self._file is None:
                self._try_to_open()
            try:
                self._append(_report_line(stored))
            except OSError as error:
                self._mark_failed(error)
                raise
            self._reports[stored.id] = stored
        self._at_point("after-outbox-fsync")
        return stored

    def settle(self, echo: ReportReceipt) -> StoredReport | None:
        """Take the hub's answer to a report. "unknown" makes it wait again: the hub has lost it, or never had it.
        Returns the report as it is now stored; None for another unit's, or without news."""
        with self._lock:
            stored = self._reports.get(echo.report_id)
            if stored is None:
                return None
            settled = replace(
                stored,
                fate=None if echo.fate == "unknown" else echo.fate,
                number=echo.number,
                hash=echo.hash,
                reason=echo.reason,
                epoch=echo.epoch,
            )
            if settled == stored or (settled.fate is None and stored.fate is None):
                return None
            is_news = replace(stored, epoch=settled.epoch) != settled
            self._unflushed.append(_fate_line(settled))
            self._reports[stored.id] = settled
            return settled if is_news else None

    def flush_fates(self) -> None:
        """Write down, synced, the hub's answers. The screen need not wait: after a power cut the unit asks again. Where
        the disk refuses they stay valid, and are noted once it works."""
        with self._lock:
            if self._unflushed and self._file is not None:
                try:
                    self._append()
                except OSError as error:
                    self._mark_failed(error)

    # Readers take no lock, and wait for no disk.

    def waiting(self) -> list[StoredReport]:
        return [stored for stored in list(self._reports.values()) if stored.fate is None]

    def is_waiting(self, report_id: str) -> bool:
        stored = self._reports.get(report_id)
        return stored is not None and stored.fate is None

    def all(self) -> list[StoredReport]:
        """Everything stored, oldest first: offered again to a restored hub."""
        return list(self._reports.values())

    def heads(self) -> dict[str, list[Any]]:
        """By event: [number, hash] of the newest journal entry named in an echo."""
        heads: dict[str, list[Any]] = {}
        for stored in self.all():
            # A refusal may be an entry of the venue's: only accepted reports are certainly in the event's own journal.
            if stored.fate == "accepted" and stored.number is not None and stored.hash is not None:
                event = str(stored.report["event"])
                if event not in heads or heads[event][0] < stored.number:
                    heads[event] = [stored.number, stored.hash]
        return heads

    def drop_event(self, event: str, epoch: str | None = None) -> None:
        """The event has ended in the journal of this epoch: drop what that journal has settled, in one atomic step.
        OSError where the disk refuses: then nothing is dropped."""
        with self._lock:
            rest = {
                i: k
                for i, k in self._reports.items()
                if k.report["event"] != event or not k.settled or k.epoch != epoch
            }
            if len(rest) == len(self._reports):
                return
            if self._file is None:
                raise OSError(*self._error.args if self._error is not None else ())
            write_atomically(
                self._path,
                b"".join(
                    _report_line(stored) + (b"" if stored.fate is None else _fate_line(stored))
                    for stored in rest.values()
                ),
            )
            # All of it was just written, outstanding fates included.
            self._unflushed = []
            self._reports = rest
            self._file.close()
            self._file = None
            self._try_to_open()

    # --- the file ------------------------------------------------------------------------------------------------

    def _try_to_open(self) -> None:
        try:
            if not self._loaded:
                self._load()
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._clean()
            self._file = open(self._path, "ab", buffering=0)  # noqa: SIM115 — for the unit's life: a report must not wait.
            sync_to_disk(self._path.parent)
            self._error = None
        except OSError as error:
            self._mark_failed(error)

    def _mark_failed(self, error: OSError) -> None:
        if self._error is None or self._error.errno != error.errno:
            log.error("%s cannot be written: %s", self._path, error.strerror or error)
        # Without the traceback, which would keep alive whatever the failed call held.
        self._error = OSError(error.errno, error.strerror)
        if self._file is not None:
            # A card with an open file cannot be taken out and put in again.
            self._file.close()
            self._file = None

    def _load(self) -> None:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            data = b""
        with contextlib.suppress(FileNotFoundError):
            self.damaged = sum(map(_may_be_report, self._aside.read_bytes().split(b"\n")))
        whole = data[: data.rfind(b"\n") + 1]
        self._torn = len(whole) if len(whole) < len(data) else None
        for raw in whole.split(b"\n")[:-1]:
            try:
                self._take_line(raw)
                self._lines.append(raw)
            except UNREADABLE:
                # A worn card can spoil a line; the reports on the others must still get out.
                log.error("a line of %s cannot be read and is put aside", self._path)
                self._spoilt.append(raw)
                self.damaged += _may_be_report(raw)
        self._loaded = True

    def _clean(self) -> None:
        """Cut off the torn line, and move the spoilt ones, into the other file first."""
        if self._spoilt:
            moved: set[bytes] = set()
            with contextlib.suppress(FileNotFoundError):
                moved.update(self._aside.read_bytes().split(b"\n"))
            with open(self._aside, "ab") as file:
                for raw in self._spoilt:
                    # It is already there after a power cut between the two steps.
                    if raw not in moved:
                        file.write(raw + b"\n")
                file.flush()
                os.fsync(file.fileno())
            write_atomically(self._path, b"".join(raw + b"\n" for raw in self._lines))
            # Lines in both files were counted twice until now.
            self.damaged = sum(map(_may_be_report, self._aside.read_bytes().split(b"\n")))
        elif self._torn is not None:
            with contextlib.suppress(FileNotFoundError), open(self._path, "r+b") as torn:
                torn.truncate(self._torn)
                os.fsync(torn.fileno())
        self._torn, self._spoilt, self._lines = None, [], []

    def _take_line(self, raw: bytes) -> None:
        line, summed = read_checksum_line(raw)
        if not summed and frozenset(line) not in OLDER_LINES:
            raise ValueError("a line without its checksum")
        if "report" in line:
            stored = StoredReport(line["report"], line["mac"], key=line.get("key"))
            if not isinstance(stored.report["event"], str) or not isinstance(stored.report["report_id"], str):
                raise TypeError("a report without its event")
            self._reports[stored.id] = stored
            return
        fate = line["fate"]
        if summed and fate["report_id"] not in self._reports:
            # Its report was spoilt, and is counted.
            return
        stored = self._reports[fate["report_id"]]
        self._reports[stored.id] = replace(
            stored,
            fate=fate["fate"],
            number=fate["number"],
            hash=fate["hash"],
            reason=fate["reason"],
            epoch=fate.get("epoch"),
        )

    def _append(self, line: bytes = b"") -> None:
        """Write outstanding fates, then `line`, and sync. OSError: nothing of it is stored."""
        if self._file is None:
            raise OSError(*self._error.args if self._error is not None else ())
        data = b"".join((*self._unflushed, line))
        length = os.fstat(self._file.fileno()).st_size
        try:
            if data and self._file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError:
            # Half a line would spoil the next one, and a whole one would reappear at the next start. What the disk does
            # not cut now is cut when the file is opened again.
            self._torn = length
            with contextlib.suppress(OSError):
                self._file.truncate(length)
            raise
        self._unflushed = []
        self._error = None


def _may_be_report(raw: bytes) -> bool:
    """Whether this lost line may have been a report: a fate is requested again."""
    return raw != b"" and not raw.startswith(FATE_BEGINS)


def _report_line(stored: StoredReport) -> bytes:
    content = {"report": dict(stored.report), "mac": stored.mac}
    return checksum_line(content if stored.key is None else {**content, "key": stored.key})


def _fate_line(stored: StoredReport) -> bytes:
    return checksum_line(
        {
            "fate": {
                "report_id": stored.id,
                "fate": stored.fate,
                "number": stored.number,
                "hash": stored.hash,
                "reason": stored.reason,
                "epoch": stored.epoch,
            }
        }
    )


# True only for a moment, and not stored.
TRANSIENT = ("call", "call_closed", "call_ms", "leave_refused", "finished")
PAUSE_MS = 5000  # at most this often a view with the same match is written: cards wear out
CLOCK_MOVED_MS = 1500
BOOT_FILE = Path("/proc/sys/kernel/random/boot_id")


def read_boot_id() -> str:
    """The boot that this machine's monotonic clock counts from; "" where unknown."""
    try:
        return BOOT_FILE.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


class StoredView:
    """`view`: the last stored one, of this or an earlier process; None where there is none; `damaged`: there was one
    that cannot be shown. `deadline_here_ms`: when
    its round ends on this machine's monotonic clock, if that was known and the machine has not rebooted since. `update`
    takes each view, `tick` writes: at once where the match changed, else after a pause. One thread writes; any may call
    `held_match`. path None: nothing is stored."""

    def __init__(self, path: Path | None, boot: str = "", now_ms: Callable[[], int] = mono_ms) -> None:
        self._path, self._boot, self._now_ms = path, boot, now_ms
        self._lock = threading.Lock()
        self.view: Mapping[str, Any] | None = None
        self.damaged = False
        self.deadline_here_ms: int | None = None
        self._written: tuple[Mapping[str, Any] | None, int | None] = (None, None)
        self._next_ms: int | None = None
        if path is not None:
            self._read(path)

    def update(self, view: Mapping[str, Any]) -> None:
        """The view now on the table's screen: it can therefore be shown after a restart."""
        # Which wishes are recorded changes; that the hub says so does not: none is called requested before it has.
        stored = {name: value for name, value in view.items() if name not in TRANSIENT} | {
            "leave_asked": None if view.get("leave_asked") is None else []
        }
        with self._lock:
            if stored != self.view:
                self.view, self.deadline_here_ms = stored, None

    def discard(self) -> None:
        with self._lock:
            self.view, self.deadline_here_ms, self.damaged = None, None, True

    def tick(self, now_ms: int, deadline_here_ms: int | None) -> None:
        """Write if necessary. `deadline_here_ms`: when the round ends by the unit's clock, None: unknown."""
        with self._lock:
            before, before_ms = self._written
            if deadline_here_ms is not None and not nearly_equal(deadline_here_ms, self.deadline_here_ms):
                self.deadline_here_ms = deadline_here_ms
            if self.view == before and nearly_equal(self.deadline_here_ms, before_ms):
                return
            if _match(self.view) == _match(before) and self._next_ms is not None and now_ms < self._next_ms:
                return
            self._next_ms = now_ms + PAUSE_MS
            now = (self.view, self.deadline_here_ms)
            if self._write():
                self._written = now

    def held_match(self) -> dict[str, Any] | None:
        """The match on this table's screen, for the hub; None where there is none."""
        with self._lock:
            view, deadline_ms = self.view, self.deadline_here_ms
        if not view or not view.get("match"):
            return None
        try:
            match, round_, event = view["match"], view["round"], view["event"]
            return {
                "event": event["id"],
                "round": round_["number"],
                "stage": round_["stage"],
                "draw": match.get("draw"),
                "table": view.get("table"),
                "match": match["id"],
                "revision": match["revision"],
                "a": match["a"].get("id"),
                "b": match["b"].get("id") if match["b"] else None,
                "state": match.get("state"),
                "result": match.get("result"),
                "number": match.get("number"),
                "left_ms": None if deadline_ms is None else deadline_ms - self._now_ms(),
            }
        except (KeyError, TypeError, AttributeError):
            return None

    def _read(self, path: Path) -> None:
        try:
            line, _ = read_checksum_line(path.read_bytes())
            view, deadline_ms = line["view"], line["deadline_here_ms"]
            if not (view is None or isinstance(view, dict)) or not (deadline_ms is None or type(deadline_ms) is int):
                raise ValueError("no view")
        except (OSError, *UNREADABLE) as error:
            self.damaged = not isinstance(error, FileNotFoundError)
            if self.damaged:
                log.error("%s cannot be read, and the hub is waited for: %s", path, error)
            return
        self.view = view
        if self._boot and line.get("boot") == self._boot:
            self.deadline_here_ms = deadline_ms
        self._written = (view, self.deadline_here_ms)

    def _write(self) -> bool:
        if self._path is None:
            return True
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(
                self._path,
                checksum_line({"view": self.view, "boot": self._boot, "deadline_here_ms": self.deadline_here_ms}),
            )
        except (OSError, TypeError, ValueError) as error:
            log.error("%s cannot be written: %s", self._path, error)
            return False
        return True


def nearly_equal(one_ms: int | None, other_ms: int | None) -> bool:
    """Whether both are the same point in time, as far as a person could see."""
    if one_ms is None or other_ms is None:
        return one_ms is other_ms
    return abs(one_ms - other_ms) <= CLOCK_MOVED_MS


def _match(view: Mapping[str, Any] | None) -> object:
    """The part that must be up to date: who plays, the result, and whether the round has begun."""
    if view is None:
        return None
    clock = view.get("clock")
    state = clock.get("state") if isinstance(clock, Mapping) else None
    return view.get("table"), view.get("event"), view.get("round"), view.get("match"), state
