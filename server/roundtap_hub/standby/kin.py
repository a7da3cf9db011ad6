"""This hub among those of its lineage: who it says it is, whom it knows, and what it does when another one is newer."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_core.messages import Beacon, Hello, IAm, WhoIsThere
from roundtap_core.typed import Malformed, read
from roundtap_core.wire import BEACON, ECHO, REQUEST, envelope, opened
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.lineage import is_newer, lineage_key
from roundtap_hub.journal.venue import Venue
from roundtap_hub.private_files import write_private
from roundtap_hub.standby.standby_copy import Standbys
from roundtap_hub.standby.standby_folder import is_promoted, read_notes

log = logging.getLogger(__name__)

KNOWN, TAKEN_OVER = "standbys.json", "taken-over.json"
KNOWN_MAX = 8
SAME_START_MS = 3000
"""Two that started within this time of each other cannot tell who was first: the smaller name stays."""

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Claim:
    """Who a hub says it is. `up_ms`: for how long it has been serving."""

    epochs: tuple[str, ...]
    instance: str
    up_ms: int

    @property
    def lineage(self) -> str:
        return self.epochs[0] if self.epochs else ""


OTHERS, OLDER, LATER = "others", "older", "later"


def verdict(mine: Claim, other: Claim) -> str:
    """What a hub is beside another one that really lives: OLDER, of a former epoch, so that the other one goes on;
    LATER, the second of two from one copy; else OTHERS: nothing follows for it."""
    if not mine.lineage or mine.lineage != other.lineage or mine.instance == other.instance:
        return OTHERS
    if len(mine.epochs) != len(other.epochs):
        return OLDER if len(mine.epochs) < len(other.epochs) else OTHERS
    if abs(mine.up_ms - other.up_ms) < SAME_START_MS:
        return LATER if mine.instance > other.instance else OTHERS
    return LATER if mine.up_ms < other.up_ms else OTHERS


@dataclass(frozen=True, slots=True)
class TakenOver:
    """Another hub goes on with this journal. `url`: where, "" while nobody knows; `heads`: stream → [number, hash],
    what it took over; None while nobody knows."""

    url: str
    heads: Mapping[str, Sequence[Any]] | None


class Kin:
    """What this process knows of the other hubs and standbys of its folder. Any thread may ask and tell.

    `on_known` is called when there is another standby, `on_taken_over` and `on_twin` when this hub is to stop; from any
    thread, and they must only enqueue.
    """

    def __init__(self, folder: Path, secret: bytes, clocks: Clocks, venue: Callable[[], Venue], instance: str,
                 port: int, standbys: Standbys, alone: bool = False) -> None:
        self.folder = folder
        self.standbys = standbys
        self.instance = instance
        self._alone = alone
        self.port = port
        self._key = lineage_key(secret)
        self._now_ms = clocks.mono_ms
        self._started_ms = clocks.mono_ms()
        self._venue = venue
        self._known = _read_list(folder / KNOWN)
        notes = read_notes(folder) if is_promoted(folder) else {}
        self._own, self._followed = ([str(notes[name])] if notes.get(name) else [] for name in ("own", "hub"))
        self._twin = False
        self.taken_over: TakenOver | None = None
        self.on_taken_over: list[Callable[[], None]] = []
        self.on_known: list[Callable[[], None]] = []
        self.on_twin: list[Callable[[str], None]] = []
        standbys.listeners.append(self._note_standbys)

    def claim(self) -> Claim:
        return Claim(self._venue().epochs, self.instance, self._now_ms() - self._started_ms)

    @property
    def lineage(self) -> str:
        """What pages compare: no secret, and the same for all hubs of the lineage."""
        return self.claim().lineage

    def other_addresses(self) -> list[str]:
        """Where units, walls and phones are to look for the hub when this one is silent: its standbys, and itself where
        it was one."""
        return [*self._own, *(each for each in self._known if each not in self._own)]

    def relatives(self) -> list[str]:
        """Whom to ask, whatever the network lets through: the hub that this one followed, and its standbys."""
        return [*self._followed, *self._known]

    # What is said, signed with the lineage's key.

    def beacon(self) -> Payload:
        """What everybody on the network may hear: nothing secret is in it, and nothing is believed of it either."""
        claim = self.claim()
        return envelope(self._key, BEACON, {"lineage": claim.lineage, "epoch": claim.epochs[-1] if claim.epochs else "",
                                            "instance": self.instance, "port": self.port})

    def heard_beacon(self, message: object) -> int | None:
        """The port of another hub of this lineage that should be asked; None for all else."""
        try:
            beacon = read(Beacon, opened(self._key, BEACON, message))
        except Malformed:
            return None
        return beacon.port if beacon.instance != self.instance else None

    def question(self, nonce: str) -> Payload:
        """Who is there? Only who answers this very question is believed."""
        return envelope(self._key, REQUEST, {"nonce": nonce, "instance": self.instance, "port": self.port,
                                             "epochs": list(self.claim().epochs)})

    def answer(self, message: object) -> tuple[Payload, int | None] | None:
        """The signed answer to a relative's question, and the port to ask back at; None for a stranger's."""
        try:
            asked = read(WhoIsThere, opened(self._key, REQUEST, message))
        except Malformed:
            return None
        claim, venue = self.claim(), self._venue()
        later = next((epoch for epoch in claim.epochs if epoch not in asked.epochs), "")
        said = {"nonce": asked.nonce, "epochs": list(claim.epochs), "instance": self.instance,
                "up_ms": claim.up_ms, "heads": venue.begun_at.get(later)}
        return envelope(self._key, ECHO, said), asked.port if asked.instance != self.instance else None

    def heard_answer(self, message: object, nonce: str, url: str) -> str:
        """Take another hub's answer to our question `nonce`; what follows from it is done. Returns the verdict."""
        try:
            said = read(IAm, opened(self._key, ECHO, message))
        except Malformed:
            return OTHERS
        if said.nonce != nonce:
            return OTHERS
        found = verdict(self.claim(), Claim(tuple(said.epochs), said.instance, said.up_ms))
        if found == OLDER:
            self.take_over(TakenOver(url, said.heads))
        elif found == LATER and not self._twin:
            self._twin = True
            for listener in self.on_twin:
                listener(url)
        return found

    def heard_hello(self, unit: str, hello: Hello) -> None:
        """The epoch that a unit believes: a newer one of this lineage was begun by who holds the folder's secret."""
        if hello.epoch is not None and is_newer(self._venue().epochs, hello.epoch, self._key):
            self.take_over(TakenOver("", None))

    def take_over(self, by: TakenOver) -> None:
        """Another hub goes on; what is known of it only gets more. A hub that is told to be alone hears of none."""
        if self._alone:
            return
        before = self.taken_over
        if before is not None:
            by = TakenOver(by.url or before.url, before.heads if by.heads is None else by.heads)
        if by == before:
            return
        self.taken_over = by
        try:
            write_private(self.folder / TAKEN_OVER, json.dumps({
                "url": by.url, "heads": by.heads, "epochs": len(self._venue().epochs)}))
        except OSError as error:
            log.error("that another hub goes on is not noted: %s", error)
        if before is None or by.url != before.url:
            _say(by)
        for listener in self.on_taken_over:
            listener()

    def remember(self) -> None:
        """What was noted before a restart: a hub that was taken over stays that."""
        if self._alone:
            return
        try:
            noted = json.loads((self.folder / TAKEN_OVER).read_text(encoding="utf-8"))
            if noted["epochs"] == len(self._venue().epochs):
                self.taken_over = TakenOver(str(noted["url"]), noted["heads"])
                _say(self.taken_over)
        except (OSError, ValueError, KeyError, TypeError):
            return

    def _note_standbys(self) -> None:
        """Where standbys answer is known before they come again."""
        new = [address for address in self.standbys.addresses() if address not in self._known]
        if not new:
            return
        self._known = [*new, *self._known][:KNOWN_MAX]
        try:
            write_private(self.folder / KNOWN, json.dumps(self._known))
        except OSError as error:
            log.error("the standbys' addresses are not noted: %s", error)
        for listener in self.on_known:
            listener()


def _say(by: TakenOver) -> None:
    log.warning("another hub (a standby that took over, or a restored copy) goes on with this journal%s: "
                "nothing is taken here any more", f" at {by.url}" if by.url else "")


def _read_list(path: Path) -> list[str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []

