"""What hub, units, stations and panels say to each other: a type a message, with its limits. A table's view: view.py.

As who reads it needs it: a key that nobody reads stands in MESSAGES.md alone.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from roundtap_core.records import Side
from roundtap_core.typed import LINE_OR_NONE, Count, Exact, Message, Name, Natural, Text

# --- a table to the hub ---

HealthWord = Annotated[str, Meta(pattern=r"^([a-z0-9][a-z0-9_-]{0,23})?\Z")]
Buttons = Annotated[tuple[HealthWord, ...], Meta(max_length=16)]


class Hello(Message, frozen=True):
    """Opens the feed. What older units do not say has a default."""

    unit: str
    nonce: Text
    core: Text
    reports: list[tuple[str, str]]
    challenge: str | None = None
    instance: Text = ""
    epoch: Text | None = None
    heads: dict[str, tuple[int, str]] = {}
    holds: dict[str, Any] | None = None
    damaged: Natural = 0


class Agreed(Message, frozen=True, forbid_unknown_fields=True):
    """The other side's report that a report says yes to."""

    report_id: Name
    hash: Name


class Report(Message, frozen=True, forbid_unknown_fields=True):
    """What one side says. What is UNSET older units leave out; of `agrees_to` null is said too."""

    report_id: Name
    unit: Name
    event: Name
    match: Name
    side: Side
    revision: int
    result: dict[str, Any]
    draw: Name | UnsetType = UNSET
    serial: Annotated[int, Meta(ge=1, le=99_999)] | UnsetType = UNSET
    agrees_to: Agreed | UnsetType | None = UNSET
    round: int | UnsetType = UNSET
    a: Name | UnsetType = UNSET
    b: Name | UnsetType = UNSET
    time_up: bool | UnsetType = UNSET


class Lot(Message, frozen=True):
    """A lot that was drawn at a table."""

    event: str
    match: str
    about: str
    side: Side
    draw: str | None = None


class Health(Message, frozen=True):
    """How a unit's machine is. None and "" where it does not know, or has no such thing. `keys`: the buttons of its
    board, `pressed` those that were pressed since it was started; `throttled`: the firmware's bits
    (roundtap_systemd/health.py)."""

    version: Annotated[str, Meta(max_length=60, pattern=r"^([A-Za-z0-9][A-Za-z0-9.+_-]*)?\Z")] = ""
    throttled: Annotated[int, Meta(ge=0, le=0xFFFFF)] | None = None
    celsius: Annotated[int, Meta(ge=0, le=200)] | None = None
    free_mb: Annotated[int, Meta(ge=0, le=10**8)] | None = None
    read_only: bool | None = None
    screen: bool | None = None
    printer: HealthWord = ""
    deaf: HealthWord = ""
    blind: HealthWord = ""
    keys: Buttons = ()
    pressed: Buttons = ()

    @property
    def unpressed(self) -> tuple[str, ...]:
        return tuple(key for key in self.keys if key not in self.pressed)


class Status(Message, frozen=True):
    """What a table sees and does just now. `lot` and `health` are looked at by themselves: a call for a judge that
    comes with an odd one is heard."""

    unit: str
    session: Text
    seq: int
    match: Text | None
    seated: frozenset[Side]
    draft: bool
    call: bool
    leave: Annotated[str, Meta(pattern=r"^[ab]{0,2}\Z")] | Annotated[list[Side], Meta(max_length=2)] | None
    clock_ms: Annotated[int, Meta(ge=-3600_000_000, le=3600_000_000)] | None
    waiting: Count
    lot: Any = None
    health: Any = UNSET


class TimeQuestion(Message, frozen=True):
    unit: str
    nonce: Name


# --- the hub to a table ---


class Echo(Message, frozen=True):
    """What became of a report. `fate` "unknown": the hub has it not, and says nothing else but its epoch."""

    report_id: str
    fate: str
    reason: str | None = None
    number: int | None = None
    hash: str | None = None
    epoch: str | None = None


class Said(Message, frozen=True):
    """A message of the feed, and all there is to say with "beat" and "identify"; a newer hub may have other types."""

    type: str
    nonce: str
    seq: int
    now_ms: Exact


class Welcome(Said, frozen=True, kw_only=True):
    session: Name
    core: Name
    epoch: Name
    boot: str | None = None
    hubs: list[str] = []


class Fates(Said, frozen=True):
    fates: list[Echo]


class ViewSaid(Said, frozen=True):
    """The view itself is looked at by the table: one that it cannot show is passed over, and the feed goes on."""

    view: Any


class Hubs(Said, frozen=True):
    hubs: list[str]


class TimeSaid(Message, frozen=True):
    """In the answer to a status, and to a question of time."""

    now_ms: Exact
    boot: str | None = None


class Challenge(Message, frozen=True):
    challenge: Name


HubText = Annotated[str, Meta(max_length=80, pattern=LINE_OR_NONE)]
"""What a hub says of itself, for screens."""


class HubAnswer(Message, frozen=True):
    """Who is there: the answer of a hub to whoever looks for one."""

    roundtap: Literal["hub"]
    hub: HubText
    epoch: HubText
    name: HubText
