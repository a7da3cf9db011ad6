"""Players' personal links: signed and revocable; and the six-letter codes that the desk hands out for them."""

import base64
import binascii
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.http.requester import GuessLimiter, Rate, RateLimiter, phone_digest
from roundtap_hub.http.routes import ORGANIZER
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.venue import DESK, TAKEN_BACK, PersonalLink, PlayerId, link_held_entry, link_of

PURPOSE = b"roundtap/personal/1\n"
MAC_BYTES = 18  # 144 bits, which cannot be guessed
TOKEN_LETTERS_MAX = 256
LINKS_MAX = 4096  # links whose signature is remembered: each request of a phone compares it several times

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # without I and O, which look like 1 and 0
CODE_LENGTH = 6  # 191 million codes, of which some hundred are valid; guesses are limited as for the PIN
CODE_LIFE_MS = 10 * 60_000

REPORTS, CALLS, LISTS, WISHES = "report", "call", "list", "wish"
RATES: Mapping[str, Rate] = {REPORTS: Rate(30, 0.2), CALLS: Rate(12, 0.1), LISTS: Rate(30, 0.2), WISHES: Rate(12, 0.1)}
"""Rates of each link's buttons, far above what a person presses."""

PHONE_CLAIM = "phone"  # the actor of entries for a link that a phone claimed by a slip or a code


class PersonalLinks:
    """All links that one hub signs, as the journal of `service` has them. Thread-safe. A link opens one person's page:
    it holds the person's ids, and a signature of them and the generation made with `secret`, so valid links need no
    storage. Codes are in memory: after a restart the desk shows a new one. `now_ms` is a monotonic clock."""

    def __init__(
        self,
        service: Service,
        secret: bytes,
        now_ms: Callable[[], int],
        choice: Callable[[Sequence[str]], str] = secrets.choice,
    ) -> None:
        self._service = service
        self._secret = secret
        self._now_ms = now_ms
        self._choice = choice
        self._lock = threading.Lock()
        self._codes: dict[str, tuple[str, int]] = {}  # by code: its token, and until when it is valid (monotonic ms)
        self._guesses = GuessLimiter(now_ms, "code_wait")
        self._pressed = RateLimiter(now_ms)

    # --- links

    def token(self, event_id: str, competitor: str) -> str:
        """The token in "/me/<token>"."""
        return link_token(self._secret, (event_id, competitor), self._of((event_id, competitor)))

    def path(self, event_id: str, competitor: str) -> str:
        """ "/me/<token>". Showing it changes nothing: `give` records that the link was handed out."""
        return f"/me/{self.token(event_id, competitor)}"

    def give(self, event_id: str, competitor: str, actor: str = ORGANIZER) -> str:
        """The path, handed to the person by the desk or at sign-up: from now on no slip gives it. A link claimed by a
        slip is revoked, as another person may have it. Raises what `Service.execute` raises, as all of these do."""
        while self._of((event_id, competitor)).holder != DESK:
            if self.given_by_slip(event_id, competitor):
                self.revoke(event_id, competitor, actor)
            self._save((event_id, competitor), actor, holder=DESK)
        return self.path(event_id, competitor)

    def owner_of(self, token: str) -> PlayerId | None:
        """The link's owner; None for one that is invalid or revoked."""
        named = token[:TOKEN_LETTERS_MAX].partition(".")[0]
        try:
            event_id, line, competitor = (
                base64.urlsafe_b64decode(named + "=" * (-len(named) % 4)).decode().partition("\n")
            )
        except (ValueError, binascii.Error):
            return None
        # Compared as a whole: base64 has several spellings of the same ids.
        right = hmac.compare_digest(self.token(event_id, competitor).encode(), token.encode())
        return (event_id, competitor) if line and right else None

    def revoke(self, event_id: str, competitor: str, actor: str = ORGANIZER) -> None:
        """Make the link and its code invalid; the next `path` is another one."""
        who = event_id, competitor
        while not self._save(who, actor, generation=self._of(who).generation + 1, holder=TAKEN_BACK):
            continue  # Another desk or hub was first: revoke what that one gave as well.

    def is_given(self, event_id: str, competitor: str) -> bool:
        """Whether the link was handed out."""
        return self._of((event_id, competitor)).holder not in ("", TAKEN_BACK)

    def given_by_slip(self, event_id: str, competitor: str) -> bool:
        """Whether somebody's phone took it from a slip: that may have been anybody's."""
        return self._of((event_id, competitor)).holder not in ("", DESK, TAKEN_BACK)

    def charge(self, what: str, who: PlayerId) -> None:
        """One press of this person's. Raises Problem("too_often") where there were far too many."""
        if not self._pressed.admit(((what, who), RATES[what])):
            raise Problem("too_often")

    # --- codes and slips

    def code(self, event_id: str, competitor: str) -> str:
        """A unique six-letter code for this person, the same one while it is valid."""
        token, now = self.token(event_id, competitor), self._now_ms()
        with self._lock:
            self._codes = {letters: code for letters, code in self._codes.items() if code[1] > now}
            for letters, (owner_token, _) in self._codes.items():
                if owner_token == token:
                    return letters
            while (made := "".join(self._choice(CODE_LETTERS) for _ in range(CODE_LENGTH))) in self._codes:
                continue
            self._codes[made] = token, now + CODE_LIFE_MS
            return made

    def claim_code(self, typed: str, address: str) -> str | None:
        """The path for a code, once; None for a wrong one. Raises Problem("code_wait") after too many of those."""
        letters = "".join(letter for letter in typed.upper() if letter.isalpha())[: CODE_LENGTH + 1]

        def owner() -> PlayerId | None:
            with self._lock:
                token, until_ms = self._codes.pop(letters, ("", 0))
            return self.owner_of(token) if until_ms > self._now_ms() else None

        who = self._guesses.check(owner, address)
        return self.give(*who, PHONE_CLAIM) if who is not None else None

    def claim_by_slip(self, event_id: str, competitor: str, browser: str, over: bool = False) -> str | None:
        """The path for the first browser that claims the link on a slip's page; None for any other, whose reader has to
        ask the desk. `browser`: its secret cookie, of at least 16 letters; `over`: the slip's round is, so that it
        gives the page to no new one: whoever played there may have left the slip on the table."""
        mark, who = phone_digest(browser), (event_id, competitor)
        if not (self._of(who).holder or over):
            self._save(who, PHONE_CLAIM, holder=mark)
        return self.path(event_id, competitor) if hmac.compare_digest(self._of(who).holder, mark) else None

    # --- the journal

    def _of(self, who: PlayerId) -> PersonalLink:
        return link_of(self._service.snapshot.venue.links, who)

    def _save(self, who: PlayerId, actor: str, **changed: Any) -> bool:
        """Save a change. Of two concurrent ones for a person only one is saved: whether it was this one."""
        return bool(
            self._service.execute([Step(VENUE, link_held_entry(who, replace(self._of(who), **changed)))], actor)
        )


@lru_cache(LINKS_MAX)
def link_token(secret: bytes, who: PlayerId, link: PersonalLink) -> str:
    """The ids of a person and a signature of them made with the hub's `secret`."""
    key = hmac.digest(secret, PURPOSE + link.era.encode(), "sha256")
    signed = hmac.digest(key, json.dumps([*who, link.generation]).encode(), "sha256")[:MAC_BYTES]
    named, mac = (base64.urlsafe_b64encode(part).decode().rstrip("=") for part in ("\n".join(who).encode(), signed))
    return f"{named}.{mac}"


PHONE_ACTOR = "phone:"  # prefix of the actor of entries from a player's phone; the competitor's id follows
