"""One hub: its service, hall, keys and folder, and the address it is reached by."""

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from roundtap_core.errors import Problem
from roundtap_hub.app import console_versions
from roundtap_hub.app.practice_hub import PracticeHub
from roundtap_hub.app.standby.peers import Peers
from roundtap_hub.hall import hall_versions
from roundtap_hub.hall.hub_sound import HubSound
from roundtap_hub.phones import phone_versions
from roundtap_hub.store.secure_files import write_private
from roundtap_hub.units.enrolment import EnrolDesk
from roundtap_hub.views.running_hub import RunningHub

SECRET_BYTES = 32

# They say what live pages show: each registers its kinds of pages as it is imported.
PAGE_VERSIONS = console_versions, hall_versions, phone_versions


@dataclass(slots=True)
class Hub(RunningHub):
    """A running hub, with what single subjects and the application bring along."""

    enrolment: EnrolDesk = field(init=False)  # units that ask for a key
    sound: HubSound | None = None  # the hub's own audio output, if any
    kin: Peers | None = None  # this hub's standbys and the other hubs of its journal, if any
    practice: PracticeHub | None = None  # what this hub's organizers practise on; None: it has none

    def __post_init__(self) -> None:
        self.enrolment = EnrolDesk(self.service, self.presence, self.units.keys, self.clocks.mono_ms)


def read_or_make_secret(path: Path) -> bytes:
    """The secret in a hex file that only the hub's user may read; made on the first start. Raises
    Problem("secret_unreadable") for a shorter one: its signatures could be forged."""
    if path.exists():
        try:
            secret = bytes.fromhex(path.read_text(encoding="ascii"))
        except ValueError:
            secret = b""
        if len(secret) < SECRET_BYTES:
            raise Problem("secret_unreadable", where=str(path))
        return secret
    secret = secrets.token_bytes(SECRET_BYTES)
    write_private(path, secret.hex())
    return secret
