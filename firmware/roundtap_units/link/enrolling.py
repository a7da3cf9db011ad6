"""Which unit this is, to which hub: by its configuration, or by enrolling.

A unit without a key finds a hub, shows eight digits, and derives the key with the hub where they are typed. The first
two identify the unit, six are secret.

Each code is good for one try. A fake hub that does not know the six has guessed with a chance of one in a million,
and the screen reports it; the next code comes after a growing pause, and after ten a button press is needed.
"""

import hmac
import http.client
import logging
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_core import enrol_keys
from roundtap_core.messages import EnrolGrant, EnrolStatus, ExchangeOffer
from roundtap_core.typed import parse_message
from roundtap_core.wire import ENROL, envelope, open_envelope
from roundtap_machine.deadline_http import request_json
from roundtap_machine.disk import write_atomically
from roundtap_units.link.hub_address import HUBS_MAX, KEY_BYTES, Endpoint, HubAddress, endpoint_url, parse_endpoint
from roundtap_units.link.hub_choice import FoundHub, find_hub, static_candidates
from roundtap_units.link.outbox import UNREADABLE, checksum_line, read_checksum_line

log = logging.getLogger(__name__)

FILE = "enrolled.json"


@dataclass(frozen=True, slots=True)
class EnrolledIdentity:
    """The result of enrolling. `hub`: which hub it was, by its journal's lineage."""

    unit: str
    key: bytes
    hubs: tuple[Endpoint, ...]
    hub: str


def read_enrolled(folder: Path) -> EnrolledIdentity | None:
    """The stored identity; None where there is none, or it is unreadable: then the unit enrols again."""
    path = folder / FILE
    try:
        line, summed = read_checksum_line(path.read_bytes())
        key = bytes.fromhex(line["key"])
        if not summed or len(key) != KEY_BYTES or not isinstance(line["unit"], str) or not isinstance(line["hub"], str):
            raise ValueError("not what is kept there")
        return EnrolledIdentity(line["unit"], key, tuple(parse_endpoint(each) for each in line["hubs"]), line["hub"])
    except (OSError, *UNREADABLE) as error:
        if not isinstance(error, FileNotFoundError):
            log.error("%s cannot be read, and the unit enrols again: %s", path, error)
        return None


def save_enrolled(folder: Path, enrolled: EnrolledIdentity) -> None:
    """On the disk when this returns, completely or not at all. OSError: the previous one stands."""
    folder.mkdir(parents=True, exist_ok=True)
    line = checksum_line(
        {
            "unit": enrolled.unit,
            "key": enrolled.key.hex(),
            "hub": enrolled.hub,
            "hubs": [endpoint_url(each) for each in enrolled.hubs[:HUBS_MAX]],
        }
    )
    write_atomically(folder / FILE, line, 0o600)


def known_identity(
    unit: str,
    key: bytes,
    hubs: tuple[Endpoint, ...],
    folder: Path,
    elsewhere: Callable[[], tuple[Endpoint, ...]] = static_candidates,
) -> HubAddress | None:
    """The known identity; None: the unit has to enrol. The first three are the configuration's; `folder` is the data
    folder. elsewhere: where an unconfigured hub may be."""
    if key:
        first, *others = hubs or elsewhere()
        return HubAddress(*first, unit, key, tuple(others))
    identity = read_enrolled(folder)
    return enrolled_address(identity, hubs, elsewhere) if identity is not None else None


def enrolled_address(
    identity: EnrolledIdentity,
    hubs: tuple[Endpoint, ...] = (),
    elsewhere: Callable[[], tuple[Endpoint, ...]] = static_candidates,
) -> HubAddress:
    """The enrolled unit's address; its hub may have moved since."""
    first, *others = hubs or dict.fromkeys((*identity.hubs, *elsewhere()))
    return HubAddress(*first, identity.unit, identity.key, tuple(others), enrolled=True)


PATH = "/device/enrol"
SHOWN_MS = 60_000
GRACE_MS = 20_000  # a code that was just replaced may still be typed: its reader walks to a keyboard first
RESCAN_MS, BUSY_MS, RETRY_MS = 2000, 5000, 1000
ASK_MS_MIN, ASK_MS_MAX = 200, 5000
PAUSE_MS, PAUSE_MS_MAX = 3000, 60_000
WRONG_MAX = 10
WRONG_PASSED_OVER = 3  # after this many wrong codes from one hub, another one is looked for
FAILURES_MAX = 3
ANSWER_TRIES, CONFIRM_TRIES = 3, 12

LOOKING, CODE, CHECKING, WRONG, STOPPED, BUSY, DONE = (
    "looking",
    "code",
    "checking",
    "wrong",
    "stopped",
    "busy",
    "done",
)

REQUEST_ERRORS = (OSError, http.client.HTTPException, ValueError, KeyError, TypeError)

Post = Callable[[Endpoint, Mapping[str, Any]], tuple[int, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class EnrolProgress:
    """What the screen shows. `hub`: its name; `number` stands before the `code`, which is shown until `until_ms`.
    `wrong`: how many wrong codes in a row a hub has tried. `unit`: this unit's name once it is enrolled."""

    state: str
    hub: str = ""
    number: int | None = None
    code: str = ""
    until_ms: int = 0
    wrong: int = 0
    unit: str = ""
    identify: bool = False


@dataclass(slots=True)
class _Code:
    """`side`: our part of the exchange about it; `own`: our message. The hub gets its hash before the code is shown."""

    serial: int
    digits: str
    until_ms: int
    side: Any
    own: bytes
    used: bool = False


class EnrolClient:
    """`step` is one round and returns how long to wait until the next; `run` does so in its own thread. Any thread may
    read `showing`; the result is in `enrolled`. keep: stores it on the disk, OSError where it cannot; then the unit
    works until it is switched off."""

    def __init__(
        self,
        kind: str,
        unit_id: str,
        keep: Callable[[EnrolledIdentity], None],
        mono_ms: Callable[[], int],
        configured: Sequence[Endpoint] = (),
        wants: str = "",
        shown_ms: int = SHOWN_MS,
        find: Callable[[Sequence[Endpoint], Iterable[str]], FoundHub | None] = find_hub,
        post: Post = lambda place, message: request_json(place, PATH, message, 8.0, 6.0),
        new_code: Callable[[], str] = lambda: str(secrets.randbelow(10**enrol_keys.CODE_DIGITS)).zfill(
            enrol_keys.CODE_DIGITS
        ),
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        self._kind = kind
        self._unit_id = unit_id
        self._keep = keep
        self._mono_ms = mono_ms
        self._configured = configured
        self._wants = wants
        self._shown_ms = shown_ms
        self._find = find
        self._post = post
        self._new_code = new_code
        self._token = secrets.token_hex(16)
        self._hub: FoundHub | None = None
        self._skipped: frozenset[str] = frozenset()
        self._codes: list[_Code] = []
        self._serial = 0
        self._not_before_ms = 0
        self._wrong = 0
        self._failures = 0
        self._stop = threading.Event()
        self._wait = wait or self._stop.wait
        self._woken = threading.Event()
        self.showing = EnrolProgress(LOOKING)
        self.enrolled: EnrolledIdentity | None = None

    def run(self) -> None:
        while not self._stop.is_set() and self.enrolled is None:
            try:
                wait_ms = self.step()
            except Exception:
                # Whatever a stranger answered, the unit keeps asking.
                log.exception("asking to be enrolled failed")
                wait_ms = RESCAN_MS
            self._woken.wait(wait_ms / 1000)
            self._woken.clear()

    def stop(self) -> None:
        self._stop.set()
        self._woken.set()

    def resume(self) -> None:
        """A button was pressed: there are new codes after too many wrong ones."""
        if self._wrong >= WRONG_MAX:
            self._wrong = 0
            self._woken.set()

    def skip_hub(self) -> None:
        """A button was pressed to find another hub."""
        if (hub := self._hub) is not None:
            self._skipped = frozenset({hub.hub})
            self._leave_hub()
            self._woken.set()

    def step(self) -> int:
        """One request to the hub, and its consequences. Returns milliseconds until the next."""
        hub = self._hub
        if hub is None:
            self._show(LOOKING)
            hub = self._hub = self._find(self._configured, self._skipped)
            if hub is None:
                return RESCAN_MS
        code = self._current_code()
        try:
            status, answer = self._post(
                hub.place,
                {
                    "step": "ask",
                    "unit_id": self._unit_id,
                    "token": self._token,
                    "kind": self._kind,
                    "serial": code.serial if code is not None else 0,
                    "wants": self._wants,
                    "commit": enrol_keys.commitment(code.own) if code is not None else "",
                    "stopped": self._wrong >= WRONG_MAX,
                },
            )
            if status == 429:
                self._show(BUSY)
                return BUSY_MS
            if status != 200:
                raise ValueError(f"the hub answered {status}")
            offered = parse_message(EnrolStatus, answer)
        except REQUEST_ERRORS as error:
            log.info("the hub does not answer: %s", error)
            self._failures += 1
            if self._failures >= FAILURES_MAX:
                self._leave_hub()
            return RETRY_MS
        self._failures = 0
        if offered.offer is not None:
            return self._handle_offer(hub, (offered.hub, offered.epoch), offered.offer)
        if code is None:
            self._show(
                STOPPED if self._wrong >= WRONG_MAX else WRONG, until_ms=self._not_before_ms, identify=offered.identify
            )
        elif offered.number is not None:
            self._show(CODE, number=offered.number, code=code.digits, until_ms=code.until_ms, identify=offered.identify)
        return min(max(offered.again_ms, ASK_MS_MIN), ASK_MS_MAX)

    # --- codes ---

    def _current_code(self) -> _Code | None:
        """The code to show; a new one where the last was used or has expired. None during a pause."""
        now_ms = self._mono_ms()
        last = self._codes[-1] if self._codes else None
        if last is not None and not last.used and now_ms < last.until_ms:
            return last
        if self._wrong >= WRONG_MAX or now_ms < self._not_before_ms:
            return None
        # Imported late: it takes a tenth of a second on a fast machine, and a unit with a key never needs it.
        from spake2 import SPAKE2_B

        self._serial += 1
        digits = self._new_code()
        side = SPAKE2_B(
            enrol_keys.code_password(digits),
            enrol_keys.HUB_IDENTITY,
            enrol_keys.unit_identity(self._unit_id, self._kind, self._serial),
        )
        self._codes = [*self._codes[-1:], _Code(self._serial, digits, now_ms + self._shown_ms, side, side.start())]
        return self._codes[-1]

    def _code_of(self, serial: int) -> _Code | None:
        """The code with this serial; None where it is no longer good."""
        now_ms = self._mono_ms()
        return next(
            (
                code
                for code in self._codes
                if code.serial == serial and not code.used and now_ms < code.until_ms + GRACE_MS
            ),
            None,
        )

    # --- the exchange ---

    def _handle_offer(self, hub: FoundHub, about: tuple[str, str], offer: ExchangeOffer) -> int:
        name = offer.exchange
        try:
            code = self._code_of(offer.serial)
            if code is None:
                self._post(hub.place, {"step": "late", "token": self._token, "exchange": name})
                return ASK_MS_MIN
            # No code is tried twice, whatever the outcome.
            code.used = True
            self._show(CHECKING)
            made = self._agree_key(
                hub, enrol_keys.ExchangeContext(*about, self._unit_id, self._kind, code.serial, name), code, offer
            )
            if made is None:
                return self._count_wrong(hub, name)
            granted = self._confirm(hub, name, made)
        except REQUEST_ERRORS as error:
            log.info("the exchange with the hub broke off: %s", error)
            return RETRY_MS
        if granted is None:
            return RETRY_MS
        try:
            self._keep(granted)
        except OSError as error:
            log.error(
                "what the hub gave cannot be kept on the disk; it is good until this unit is switched off: %s", error
            )
        self.enrolled = granted
        self._show(DONE, unit=granted.unit)
        return 0

    def _agree_key(
        self, hub: FoundHub, about: enrol_keys.ExchangeContext, code: _Code, offer: ExchangeOffer
    ) -> enrol_keys.ExchangeKeys | None:
        """The agreed keys, once the hub has proved that it has the digits; None where it has not."""
        own = code.own
        try:
            theirs = enrol_keys.parse_hex_message(offer.message)
            made = enrol_keys.derive_keys(code.side.finish(theirs), about, theirs, own)
        except Exception as error:
            # No element of the group, or one that would reveal everything.
            log.warning("a hub began an exchange with what no hub says: %r", error)
            return None
        answer = {"step": "answer", "token": self._token, "exchange": about.exchange, "message": own.hex()}
        for left in reversed(range(ANSWER_TRIES)):
            try:
                # A repeated answer gets the same reply.
                status, reply = self._post(hub.place, answer)
                break
            except REQUEST_ERRORS:
                if not left or self._wait(RETRY_MS / 1000):
                    raise
        if status != 200:
            raise ValueError(f"the hub answered {status}")
        confirm = reply.get("confirm")
        if not isinstance(confirm, str) or not confirm.isascii() or not hmac.compare_digest(confirm, made.hub_confirms):
            return None
        return made

    def _count_wrong(self, hub: FoundHub, name: str) -> int:
        self._wrong += 1
        now_ms = self._mono_ms()
        self._not_before_ms = now_ms + min(PAUSE_MS << min(self._wrong - 1, 8), PAUSE_MS_MAX)
        self._show(STOPPED if self._wrong >= WRONG_MAX else WRONG)
        try:
            self._post(hub.place, {"step": "wrong", "token": self._token, "exchange": name})
        except REQUEST_ERRORS as error:
            log.info("the hub was not told: %s", error)
        if self._wrong % WRONG_PASSED_OVER == 0:
            self._skipped = frozenset({hub.hub})
            self._leave_hub()
        return RETRY_MS

    def _confirm(self, hub: FoundHub, name: str, made: enrol_keys.ExchangeKeys) -> EnrolledIdentity | None:
        """Send our confirmation until the hub answers: it may have stored the key, and its answer be lost. A hub that
        restarted meanwhile is asked with the key itself."""
        confirm = {"step": "confirm", "token": self._token, "exchange": name, "confirm": made.unit_confirms}
        again = {"step": "again", "message": envelope(made.key, ENROL, {"unit_id": self._unit_id, "exchange": name})}
        message: Mapping[str, Any] = confirm
        for _ in range(CONFIRM_TRIES):
            try:
                status, reply = self._post(hub.place, message)
            except REQUEST_ERRORS as error:
                log.info("no answer to the confirmation: %s", error)
                status, reply = 0, {}
            granted = open_envelope(made.key, ENROL, reply) if status == 200 else None
            if granted is not None and granted.get("exchange") == name:
                grant = parse_message(EnrolGrant, granted)
                places = dict.fromkeys((hub.place, *map(parse_endpoint, grant.hubs[:HUBS_MAX])))
                return EnrolledIdentity(grant.unit, made.key, tuple(places), grant.hub)
            if status == 403 or (status == 404 and message is again):
                return None
            message = again if status == 404 else confirm
            if self._wait(RETRY_MS / 1000):
                return None
        return None

    # --- the screen ---

    def _leave_hub(self) -> None:
        self._hub, self._failures = None, 0
        for code in self._codes:
            # Another hub does not have it.
            code.used = True
        self._show(LOOKING)

    def _show(self, state: str, **more: Any) -> None:
        hub = self._hub
        self.showing = EnrolProgress(state, hub.name if hub is not None else "", wrong=self._wrong, **more)
