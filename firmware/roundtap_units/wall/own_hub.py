"""The hub that a wall believes, and where it is: it gives the wall a key, and has to prove it from then on.

The answer that proves it names the certificate of the hub's authority; what the wall shows comes over TLS under it.
"""

import json
import secrets
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any

from roundtap_core.messages import HubAnswer, WallPin
from roundtap_core.typed import parse_message
from roundtap_core.wire import ECHO, REQUEST, canonical_json, digest, envelope, open_envelope
from roundtap_machine.atomic_write import write_atomically
from roundtap_machine.deadline_http import BYTES_MAX, request_json, send_request
from roundtap_units.link.find_hub import FoundHub, find_hub, probe_hub
from roundtap_units.link.hub_choice import Endpoint

HUB_WITHIN_S = 10.0  # for each part of an answer; a live hub's feed sends something every 5 s
PROOF = "/device/wall"
UNCONFIRMED, UNKNOWN = "wall.confirm", "wall.unknown"
SEALS_MAX = 8
HERE: tuple[Endpoint, ...] = (("127.0.0.1", 8080), ("127.0.0.1", 80))  # a hub on this machine
MISSES = 3  # a restarting hub is away for some seconds; after so many failures another is looked for
Ask = Callable[[Endpoint], FoundHub | None]
ASK_EVERY_S, LOOK_EVERY_S = 4.0, 2.0
NO_CHECK_TIME = 0x200000  # OpenSSL's X509_V_FLAG_NO_CHECK_TIME


class WallMemory:
    """What this wall keeps across restarts and addresses. Unreadable content is dropped. `told`: the configured address
    of the hub; another one than before, or none, sets the wall up anew."""

    def __init__(self, path: Path, told: str = "") -> None:
        self._path = path
        self.pin = WallPin(told=told)
        with suppress(OSError, ValueError):
            stored = parse_message(WallPin, json.loads(path.read_text(encoding="utf-8")))
            self.pin = stored if told == stored.told else self.pin.replace(display=stored.display)

    def keep(self, **changes: Any) -> None:
        """Store what has changed; where the disk refuses, until the next restart."""
        if (pin := self.pin.replace(**changes)) != self.pin:
            self.pin = pin
            with suppress(OSError):
                write_atomically(
                    self._path, canonical_json({name: getattr(pin, name) for name in pin.__struct_fields__})
                )


class OwnHub:
    """Asks whoever may be the wall's hub. `configured`: its configured addresses. `trouble`: the text about one that
    was there: "wall.confirm", as its certificate is new, or "wall.unknown", as it proves nothing: it has lost its
    secret, or is a stranger's with the same public id."""

    def __init__(
        self,
        memory: WallMemory,
        configured: Sequence[Endpoint] = (),
        probe: Ask = probe_hub,
    ) -> None:
        self._memory, self._configured, self._probe = memory, configured, probe
        self.trouble = ""

    def ask(self, place: Endpoint) -> FoundHub | None:
        """The wall's hub, if it is there and proves it. A wall without a key takes one from the first hub with a
        certificate; one without any is known by its public id alone."""
        try:
            if not self._memory.pin.key:
                hub = self._probe(place)
                if hub is None or not (self._memory.pin.hub in ("", hub.hub) or place in self._configured):
                    return None
                if not hub.secure:
                    return hub
                self._take_key(hub)
            return self._prove(place) if self._memory.pin.key else None
        except (OSError, HTTPException, ValueError):
            return None

    def _take_key(self, hub: FoundHub) -> None:
        with closing(hub_connection(hub)) as connection:
            _, answer = send_request(connection, PROOF, {"display": self._memory.pin.display}, BYTES_MAX)
        if (given := parse_message(WallPin, answer)).key:
            self._memory.keep(wall=given.wall, key=given.key, display=given.display)

    def _prove(self, place: Endpoint) -> FoundHub | None:
        pin, nonce = self._memory.pin, secrets.token_hex(16)
        key = bytes.fromhex(pin.key)
        request = {"wall": pin.wall, "nonce": nonce, "display": pin.display, "seals": list(pin.seals)}
        status, reply = request_json(place, PROOF, envelope(key, REQUEST, request))
        signed = open_envelope(key, ECHO, reply)
        if signed is None:
            hub = self._probe(place)
            if hub is not None and hub.hub == pin.hub:
                # An older hub signs no 409: whoever says it is believed nothing but that there is a console to look at.
                self.trouble = UNCONFIRMED if status == 409 else self.trouble or UNKNOWN
            return None
        answer = parse_message(HubAnswer, signed)
        if answer.unconfirmed == nonce:
            self.trouble = UNCONFIRMED
        if answer.nonce != nonce or not answer.authority:
            return None
        self.trouble = ""
        seals = dict.fromkeys((*pin.seals, digest(answer.authority)))
        self._memory.keep(hub=answer.hub, seals=tuple(seals)[-SEALS_MAX:])
        return FoundHub(place, answer.hub, answer.epoch, answer.name, answer.secure, answer.authority)


class HubWatch:
    """Where the wall's hub is. `configured`: where to look first; `ask`: the wall's hub, if it is at a place
    (`OwnHub.ask`)."""

    def __init__(
        self, configured: Sequence[Endpoint], ask: Ask, find: Callable[..., FoundHub | None] = find_hub
    ) -> None:
        self._configured = tuple(configured)
        self._ask, self._find = ask, find
        self.hub: FoundHub | None = None
        self.standbys: Sequence[Endpoint] = ()
        """That hub's standbys, for when it is silent. Set by the reader of its feed."""
        self._misses = 0
        self._last: Endpoint | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="hub-watch", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()

    def poll(self) -> float:
        """Probe or search once; returns the seconds until the next time."""
        if self.hub is not None:
            if (hub := self._ask(self.hub.place)) is not None:
                self.hub, self._misses = hub, 0
                return ASK_EVERY_S
            self._misses += 1
            if self._misses < MISSES:
                return LOOK_EVERY_S
            self.hub = None
        last = () if self._last is None else (self._last,)
        hub = self._find((*last, *self.standbys, *self._configured, *HERE), ask=self._ask)
        if hub is None:
            return LOOK_EVERY_S
        self.hub, self._last, self._misses = hub, hub.place, 0
        return ASK_EVERY_S

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                pause_s = self.poll()
            except OSError:
                pause_s = LOOK_EVERY_S
            self._stopping.wait(pause_s)


def hub_connection(hub: FoundHub) -> HTTPConnection:
    """For one request. A hub that has proved itself is asked over TLS, under its authority: nobody takes its address.
    While a wall is set up, it knows of none."""
    if not hub.secure:
        return HTTPConnection(*hub.place, timeout=HUB_WITHIN_S)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The authority certifies nobody but its hub, whose address may be new, and this machine may not know the time.
    context.check_hostname = False
    context.verify_flags |= NO_CHECK_TIME
    context.verify_mode = ssl.CERT_REQUIRED if hub.authority else ssl.CERT_NONE
    if hub.authority:
        context.load_verify_locations(cadata=hub.authority)
    return HTTPSConnection(hub.place[0], hub.secure, timeout=HUB_WITHIN_S, context=context)
