"""An official of an event, as entries know one."""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.rulebooks.base import HEAD_JUDGE, JUDGE, ORGANIZER
from roundtap_core.typed import Id, IdOrEmpty, Text

ROLES = (ORGANIZER, HEAD_JUDGE, JUDGE)


class Official(Struct, frozen=True):
    """An official as entries know one: the name is with the people, under the same id.

    `plays` is the competitor that this official also is. `second`: announced as a second official at the start.
    Off duty an official counts as a spectator.
    """

    id: Id
    role: Id
    digest: IdOrEmpty = ""
    second: bool = False
    plays: Text | None = None
    on_duty: bool = True
