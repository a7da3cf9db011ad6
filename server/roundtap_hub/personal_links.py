"""Players' personal links: signed, revocable, no account; and the six letters that the desk hands out for one."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_hub.auth import PinGate
from roundtap_hub.cookies import phone_mark
from roundtap_hub.private_files import write_private
from roundtap_hub.rate_limits import Buckets, Rate

log = logging.getLogger(__name__)

LINKS_FILE = "links.json"
PURPOSE = b"roundtap/personal/1\n"
MAC_BYTES = 18
"""144 bits: nobody guesses one."""
TOKEN_LETTERS_MAX = 256

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""No I and no O: they are read as 1 and 0."""
CODE_LENGTH = 6
"""191 million codes, of which some hundred live; guessed at as rarely as the PIN."""
CODE_LIFE_MS = 10 * 60_000
KEPT_MAX = 3000
"""So many people at the most are known to have a link: the file stays what a standby is sent in one go."""
DESK, TAKEN_BACK = "desk", "taken-back"
"""Who has the link where the desk gave it; nobody, and from now on only the desk gives it. No slip does in either
case."""

REPORTS, CALLS, LISTS, WISHES = "report", "call", "list", "wish"
RATES: Mapping[str, Rate] = {
    REPORTS: Rate(30, 0.2), CALLS: Rate(12, 0.1), LISTS: Rate(30, 0.2), WISHES: Rate(12, 0.1),
}
"""What one link may press: at once, and then so many a second. A person with two thumbs stays far below."""

Person = tuple[str, str]
"""(event, competitor)"""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of one person's link. `generation` goes up with each revocation; `holder`: a mark of the browser
    that got it by a slip, DESK, TAKEN_BACK, or "": nobody has it yet."""

    generation: int = 0
    holder: str = ""


@dataclass(slots=True)
class _Codes:
    """The codes that live, by their letters and by their person."""

    people: dict[str, tuple[Person, int]] = field(default_factory=dict)
    of: dict[Person, str] = field(default_factory=dict)


class PersonalLinks:
    """All links of one hub; any thread may ask. `path`: the file in the hub's folder, None: in memory only.

    A link is a key to one person's page: it carries the person's ids and a signature of them, of the generation and of
    `secret`, so that nothing has to be kept for those that stand. Codes are in memory: a hub that was started anew has
    none, and the desk shows another one. `now_ms` is a monotonic clock.
    """

    def __init__(self, secret: bytes, now_ms: Callable[[], int], path: Path | None = None,
                 choice: Callable[[Sequence[str]], str] = secrets.choice) -> None:
        self._now_ms = now_ms
        self._path = path
        self._choice = choice
        self._lock = threading.Lock()
        self._kept: dict[Person, Kept] = {}
        self._codes = _Codes()
        self._listeners: list[Callable[[], None]] = []
        self.gate = PinGate(now_ms)
        self._pressed = Buckets(now_ms)
        self._key = hmac.new(secret, PURPOSE + self._read().encode(), hashlib.sha256).digest()

    def listen(self, listener: Callable[[], None]) -> None:
        """Called after each revocation, in the thread that revoked; must only enqueue."""
        self._listeners.append(listener)

    # --- links

    def token(self, event_id: str, competitor: str) -> str:
        """What stands behind "/me/"."""
        named = base64.urlsafe_b64encode(f"{event_id}\n{competitor}".encode()).decode().rstrip("=")
        return f"{named}.{self._mac(event_id, competitor, self._of((event_id, competitor)).generation)}"

    def path(self, event_id: str, competitor: str) -> str:
        """"/me/<token>". Showing it gives nobody anything: `give` notes that somebody has it."""
        return f"/me/{self.token(event_id, competitor)}"

    def give(self, event_id: str, competitor: str) -> str:
        """The path, handed to the person by the desk or at sign-up: from now on no slip gives it to anybody else. One
        that a slip had given ends: whoever took it was perhaps somebody else."""
        if self.given_by_slip(event_id, competitor):
            self.revoke(event_id, competitor)
        self._keep((event_id, competitor), holder=DESK)
        return self.path(event_id, competitor)

    def who(self, token: str) -> Person | None:
        """Whose link it is, as (event, competitor); None for one that was made up, or revoked."""
        named, _, _ = token[:TOKEN_LETTERS_MAX].partition(".")
        try:
            event_id, line, competitor = base64.urlsafe_b64decode(named + "=" * (-len(named) % 4)).decode().partition(
                "\n")
        except (ValueError, binascii.Error):
            return None
        if not line:
            return None
        expected = self._mac(event_id, competitor, self._of((event_id, competitor)).generation)
        right = hmac.compare_digest(f"{named}.{expected}".encode(), token.encode())
        # One way to write it: base64 has several for the same ids.
        return (event_id, competitor) if right and self.token(event_id, competitor) == token else None

    def revoke(self, event_id: str, competitor: str) -> None:
        """The link, and a code for it, are good no more; the next `path` is another one. Kept on the disk when this
        returns. Raises Problem("not_saved") where the disk refuses: then nothing changed."""
        who = (event_id, competitor)
        with self._lock:
            self._forget_code(self._codes.of.get(who, ""))
        self._keep(who, generation=self._of(who).generation + 1, holder=TAKEN_BACK)
        for listener in self._listeners:
            listener()

    def is_given(self, event_id: str, competitor: str) -> bool:
        """Whether somebody has the link."""
        return self._of((event_id, competitor)).holder not in ("", TAKEN_BACK)

    def given_by_slip(self, event_id: str, competitor: str) -> bool:
        """Whether somebody's phone took it from a slip: that may have been anybody's."""
        return self._of((event_id, competitor)).holder not in ("", DESK, TAKEN_BACK)

    def charge(self, what: str, who: Person) -> None:
        """One press of this person's. Raises Problem("too_often") where there were far too many."""
        if not self._pressed.admit(((what, who), RATES[what])):
            raise Problem("too_often")

    # --- codes and slips

    def code(self, event_id: str, competitor: str) -> str:
        """Six letters for this person, the same ones while they live; no two people have the same."""
        who, now = (event_id, competitor), self._now_ms()
        with self._lock:
            for letters in [each for each, (_, until) in self._codes.people.items() if until <= now]:
                self._forget_code(letters)
            known = self._codes.of.get(who)
            if known is not None:
                return known
            while (made := "".join(self._choice(CODE_LETTERS) for _ in range(CODE_LENGTH))) in self._codes.people:
                continue
            self._codes.people[made] = (who, now + CODE_LIFE_MS)
            self._codes.of[who] = made
            return made

    def claim_code(self, typed: str, address: str) -> str | None:
        """The path for six letters, once; None for wrong ones, and while this address has to wait (`gate`)."""
        letters = "".join(letter for letter in typed.upper() if letter.isalpha())[: CODE_LENGTH + 1]
        found: list[Person] = []

        def is_right() -> bool:
            with self._lock:
                known = self._codes.people.get(letters)
                if known is None or known[1] <= self._now_ms():
                    return False
                self._forget_code(letters)
                found.append(known[0])
                return True

        return self.give(*found[0]) if self.gate.admit(address, is_right) else None

    def claim_by_slip(self, event_id: str, competitor: str, browser: str) -> str | None:
        """The path for the first browser that says on a slip's page that it is this person's; None for any other:
        that person asks the desk. `browser`: what only that browser sends, as long as 16 letters or more."""
        mark, who = phone_mark(browser), (event_id, competitor)
        with self._lock:
            holder = self._of(who).holder
            if not holder:
                self._write_with(who, replace(self._of(who), holder=mark))
                holder = mark
        return self.path(event_id, competitor) if hmac.compare_digest(holder, mark) else None

    # --- what is kept

    def _of(self, who: Person) -> Kept:
        return self._kept.get(who, NOTHING)

    def _mac(self, event_id: str, competitor: str, generation: int) -> str:
        said = json.dumps([event_id, competitor, generation]).encode()
        digest = hmac.new(self._key, said, hashlib.sha256).digest()[:MAC_BYTES]
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def _forget_code(self, letters: str) -> None:
        """Under the lock."""
        found = self._codes.people.pop(letters, None)
        if found is not None:
            self._codes.of.pop(found[0], None)

    def _keep(self, who: Person, **changed: Any) -> None:
        with self._lock:
            after = replace(self._of(who), **changed)
            if after != self._of(who):
                self._write_with(who, after)

    def _write_with(self, who: Person, after: Kept) -> None:
        """Under the lock."""
        kept = {**self._kept, who: after}
        if len(kept) > KEPT_MAX:
            # Who had a link years ago matters to no slip any more; what was revoked stays so.
            old = set([each for each in kept if not kept[each].generation][: len(kept) - KEPT_MAX]) - {who}
            kept = {each: kept[each] for each in kept if each not in old}
        self._write(kept)
        self._kept = kept

    def _write(self, kept: Mapping[Person, Kept]) -> None:
        if self._path is None:
            return
        people = [[event, competitor, each.generation, each.holder] for (event, competitor), each in kept.items()]
        try:
            write_private(self._path, json.dumps({"era": self._era, "people": people}))
        except OSError as error:
            raise Problem("not_saved") from error

    def _read(self) -> str:
        """What the file says; returns the era that all links belong to: a file that is lost, or cannot be read, begins
        a new one, as nobody knows any more which links were revoked."""
        self._era = ""
        if self._path is None:
            return self._era
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            self._kept = {(str(event), str(competitor)): Kept(int(generation), str(holder))
                          for event, competitor, generation, holder in found["people"]}
            self._era = str(found["era"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            if not isinstance(error, FileNotFoundError):
                log.warning("%s cannot be read: all personal links are made anew", self._path)
            self._kept, self._era = {}, secrets.token_hex(8)
            try:
                self._write(self._kept)
            except Problem:
                # A hub on a full disk starts; its links hold until the next start.
                log.warning("%s cannot be written: personal links end with this process", self._path)
        return self._era


NOTHING = Kept()
