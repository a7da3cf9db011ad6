"""An official of an event, as entries know one."""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.rulebooks.base import HEAD_JUDGE, JUDGE, ORGANIZER

ROLES = (ORGANIZER, HEAD_JUDGE, JUDGE)


class Official(Struct, frozen=True):
    """An official as entries know one: the name is with the people, under the same id.

    `plays` is the competitor that this official also is. `second`: announced as a second official at the start.
    Off duty an official counts as a spectator.
    """

    id: str
    role: str
    digest: str = ""
    second: bool = False
    plays: str | None = None
    on_duty: bool = True
