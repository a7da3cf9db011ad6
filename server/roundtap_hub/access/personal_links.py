"""Players' personal links: signed, revocable, no account; and the six letters that the desk hands out for one."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.access.auth import PinThrottle
from roundtap_hub.access.policy import ORGANIZER
from roundtap_hub.access.rights import DESK, TAKEN_BACK, PersonalLink, PlayerId, link_held_entry, link_of
from roundtap_hub.serving.cookies import phone_digest
from roundtap_hub.serving.rate_limits import Rate, RateLimiter
from roundtap_hub.store.service import Service, Step

PURPOSE = b"roundtap/personal/1\n"
MAC_BYTES = 18
"""144 bits: nobody guesses one."""
TOKEN_LETTERS_MAX = 256

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""No I and no O: they are read as 1 and 0."""
CODE_LENGTH = 6
"""191 million codes, of which some hundred live; guessed at as rarely as the PIN."""
CODE_LIFE_MS = 10 * 60_000

REPORTS, CALLS, LISTS, WISHES = "report", "call", "list", "wish"
RATES: Mapping[str, Rate] = {
    REPORTS: Rate(30, 0.2), CALLS: Rate(12, 0.1), LISTS: Rate(30, 0.2), WISHES: Rate(12, 0.1),
}
"""What one link may press: at once, and then so many a second. A person with two thumbs stays far below."""

PHONE_CLAIM = "phone"
"""Who says that a link was given to whoever asked for it, by a slip or six letters."""


class PersonalLinks:
    """All links that one hub signs, as the journal of `service` has them; any thread may ask.

    A link is a key to one person's page: it carries the person's ids and a signature of them, of the generation and of
    `secret`, so that nothing has to be kept for those that stand. Codes are in memory: a hub that was started anew has
    none, and the desk shows another one. `now_ms` is a monotonic clock.
    """

    def __init__(self, service: Service, secret: bytes, now_ms: Callable[[], int],
                 choice: Callable[[Sequence[str]], str] = secrets.choice) -> None:
        self._service = service
        self._secret = secret
        self._now_ms = now_ms
        self._choice = choice
        self._lock = threading.Lock()
        self._codes: dict[str, tuple[str, int]] = {}
        """By six letters the token that they stand for, and until when, in milliseconds."""
        self.gate = PinThrottle(now_ms)
        self._pressed = RateLimiter(now_ms)

    # --- links

    def token(self, event_id: str, competitor: str) -> str:
        """What stands behind "/me/"."""
        return token_of(self._secret, (event_id, competitor), self._of((event_id, competitor)))

    def path(self, event_id: str, competitor: str) -> str:
        """"/me/<token>". Showing it gives nobody anything: `give` notes that somebody has it."""
        return f"/me/{self.token(event_id, competitor)}"

    def give(self, event_id: str, competitor: str, actor: str = ORGANIZER) -> str:
        """The path, handed to the person by the desk or at sign-up: from now on no slip gives it to anybody else. One
        that a slip had given ends: whoever took it was perhaps somebody else. Raises what `Service.ask` raises, as all
        of these do."""
        while self._of((event_id, competitor)).holder != DESK:
            if self.given_by_slip(event_id, competitor):
                self.revoke(event_id, competitor, actor)
            self._say((event_id, competitor), actor, holder=DESK)
        return self.path(event_id, competitor)

    def who(self, token: str) -> PlayerId | None:
        """Whose link it is; None for one that was made up, or revoked."""
        named = token[:TOKEN_LETTERS_MAX].partition(".")[0]
        try:
            event_id, line, competitor = base64.urlsafe_b64decode(named + "=" * (-len(named) % 4)).decode().partition(
                "\n")
        except (ValueError, binascii.Error):
            return None
        # There is one way to write it: base64 has several for the same ids.
        right = hmac.compare_digest(self.token(event_id, competitor).encode(), token.encode())
        return (event_id, competitor) if line and right else None

    def revoke(self, event_id: str, competitor: str, actor: str = ORGANIZER) -> None:
        """The link, and a code for it, are good no more; the next `path` is another one."""
        who = event_id, competitor
        while not self._say(who, actor, generation=self._of(who).generation + 1, holder=TAKEN_BACK):
            continue  # Another desk, or another hub, was first: what that one gave is taken back as well.

    def is_given(self, event_id: str, competitor: str) -> bool:
        """Whether somebody has the link."""
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
        """Six letters for this person, the same ones while they live; no two people have the same."""
        token, now = self.token(event_id, competitor), self._now_ms()
        with self._lock:
            self._codes = {letters: code for letters, code in self._codes.items() if code[1] > now}
            for letters, (known, _) in self._codes.items():
                if known == token:
                    return letters
            while (made := "".join(self._choice(CODE_LETTERS) for _ in range(CODE_LENGTH))) in self._codes:
                continue
            self._codes[made] = token, now + CODE_LIFE_MS
            return made

    def claim_code(self, typed: str, address: str) -> str | None:
        """The path for six letters, once; None for wrong ones, and while this address has to wait (`gate`)."""
        letters = "".join(letter for letter in typed.upper() if letter.isalpha())[: CODE_LENGTH + 1]
        found: list[PlayerId] = []

        def is_right() -> bool:
            with self._lock:
                token, until_ms = self._codes.pop(letters, ("", 0))
            who = self.who(token)
            if who is None or until_ms <= self._now_ms():
                return False
            found.append(who)
            return True

        return self.give(*found[0], PHONE_CLAIM) if self.gate.admit(address, is_right) else None

    def claim_by_slip(self, event_id: str, competitor: str, browser: str) -> str | None:
        """The path for the first browser that says on a slip's page that it is this person's; None for any other:
        that person asks the desk. `browser`: what only that browser sends, as long as 16 letters or more."""
        mark, who = phone_digest(browser), (event_id, competitor)
        if not self._of(who).holder:
            self._say(who, PHONE_CLAIM, holder=mark)
        return self.path(event_id, competitor) if hmac.compare_digest(self._of(who).holder, mark) else None

    # --- what is kept

    def _of(self, who: PlayerId) -> PersonalLink:
        return link_of(self._service.snapshot.venue.links, who)

    def _say(self, who: PlayerId, actor: str, **changed: Any) -> bool:
        """Saved when this returns; of two that say something of one person at once, the writer hears one: whether it
        was this."""
        return bool(self._service.ask([Step(VENUE, link_held_entry(who, replace(self._of(who), **changed)))], actor))


def token_of(secret: bytes, who: PlayerId, link: PersonalLink) -> str:
    """The ids of a person, and a signature that nobody makes who has not the hub's `secret`."""
    key = hmac.digest(secret, PURPOSE + link.era.encode(), "sha256")
    signed = hmac.digest(key, json.dumps([*who, link.generation]).encode(), "sha256")[:MAC_BYTES]
    named, mac = (base64.urlsafe_b64encode(part).decode().rstrip("=") for part in ("\n".join(who).encode(), signed))
    return f"{named}.{mac}"
