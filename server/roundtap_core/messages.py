"""What hub, units, stations and panels say to each other: a type a message, with its limits. A table's view: view.py.

As who reads it needs it: a key that nobody reads stands in MESSAGES.md alone.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from roundtap_core.records import Side
from roundtap_core.typed import LINE_OR_NONE, Count, DisplayText, Exact, Message, Name, Natural, Text, Word


class UnitRequest(Message, frozen=True):
    """What is asked with a key: by whom."""

    unit: str


class ChallengedRequest(UnitRequest, frozen=True):
    """With the hub's challenge, asked for just before or with the answer before."""

    nonce: str
    challenge: str | None = None


# --- a table to the hub ---

HealthWord = Annotated[str, Meta(pattern=r"^([a-z0-9][a-z0-9_-]{0,23})?\Z")]
Buttons = Annotated[tuple[HealthWord, ...], Meta(max_length=16)]


class Hello(ChallengedRequest, frozen=True, kw_only=True):
    """Opens the feed. What older units do not say has a default."""

    nonce: Text
    core: Text
    reports: list[tuple[str, str]]
    instance: Text = ""
    epoch: Text | None = None
    heads: dict[str, tuple[int, str]] = {}
    holds: dict[str, Any] | None = None
    damaged: Natural = 0


class AgreedReport(Message, frozen=True, forbid_unknown_fields=True):
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
    agrees_to: AgreedReport | UnsetType | None = UNSET
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
    (roundtap_machine/health.py)."""

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


class Status(UnitRequest, frozen=True):
    """What a table sees and does just now. `lot` and `health` are looked at by themselves: a call for a judge that
    comes with an odd one is heard."""

    session: Text
    seq: int
    match: Text | None
    seated: frozenset[Side]
    draft: bool
    call: bool
    leave: Literal["", "a", "b", "aa", "ab", "ba", "bb"] | Annotated[list[Side], Meta(max_length=2)] | None
    clock_ms: Annotated[int, Meta(ge=-3600_000_000, le=3600_000_000)] | None
    waiting: Count
    lot: Any = None
    health: Any = UNSET


class TimeQuestion(UnitRequest, frozen=True):
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


class FeedMessage(Message, frozen=True):
    """A message of the feed, and all there is to say with "beat" and "identify"; a newer hub may have other types."""

    type: str
    nonce: str
    seq: int
    now_ms: Exact


class Welcome(FeedMessage, frozen=True, kw_only=True):
    session: Name
    core: Name
    epoch: Name
    boot: str | None = None
    hubs: list[str] = []


class FatesMessage(FeedMessage, frozen=True):
    fates: list[Echo]


class ViewMessage(FeedMessage, frozen=True):
    """The view itself is looked at by the table: one that it cannot show is passed over, and the feed goes on."""

    view: Any


class HubsMessage(FeedMessage, frozen=True):
    hubs: list[str]


class TimeAnswer(Message, frozen=True):
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


# --- a unit without a key, and the hub that it finds ---

Ascii = r"[\x00-\x7f]"
Token = Annotated[str, Meta(pattern=rf"^{Ascii}{{16,64}}\Z")]


class EnrolMessage(Message, frozen=True, tag_field="step", tag=str.lower):
    """A step of it. What the arithmetic is to look at comes as it was said."""

    token: Token


class Ask(EnrolMessage, frozen=True, kw_only=True):
    unit_id: Annotated[str, Meta(pattern=r"^[ -~]{1,64}\Z")]
    kind: Literal["table", "station"]
    serial: Natural
    commit: Annotated[str, Meta(pattern=rf"^({Ascii}{{64}})?\Z")]
    wants: str = ""
    stopped: bool = False


class _ExchangeStep(EnrolMessage, frozen=True):
    exchange: str


class Answer(_ExchangeStep, frozen=True):
    message: Any


class Confirm(_ExchangeStep, frozen=True):
    confirm: Any


class Wrong(_ExchangeStep, frozen=True):
    """The hub's confirmation was wrong."""


class Late(_ExchangeStep, frozen=True):
    """The code is no longer good."""


class GrantAgain(Message, frozen=True, tag_field="step", tag="again"):
    """`message`: signed with the new key."""

    message: Any


EnrolStep = Ask | Answer | Confirm | Wrong | Late | GrantAgain


class ExchangeOffer(Message, frozen=True):
    exchange: HubText
    serial: int
    message: Any


class EnrolStatus(Message, frozen=True):
    """The answer to `Ask`: `number` stands before the code; `offer`, once a code was typed."""

    hub: HubText
    epoch: HubText
    number: Annotated[int, Meta(ge=0, le=99)] | None
    again_ms: int
    offer: ExchangeOffer | None
    identify: bool = False


class EnrolGrant(Message, frozen=True):
    """What a unit is from now on, signed with its new key."""

    exchange: str
    unit: Annotated[str, Meta(min_length=1, max_length=40)]
    hub: HubText
    hubs: list[str]


# --- a print station and the hub ---

JobId = Annotated[str, Meta(min_length=1, max_length=160)]
PrinterText = Annotated[str, Meta(max_length=200)]
Baud = Annotated[int, Meta(ge=0, le=1_000_000)]
JobState = Literal["queued", "sending", "sent", "printed", "uncertain", "failed"]


class StationPrinter(Message, frozen=True):
    """What a station's printer is set to. port: where it is, "" for nowhere yet; ports: where it might be. model: its
    profile, models: those that the station knows, each with what stands on such printers. baud: 0 where its line has
    no speed; bauds: those to try. confirmed: it answers, or somebody read what it prints."""

    port: PrinterText
    ports: Annotated[tuple[PrinterText, ...], Meta(max_length=16)]
    model: PrinterText = field(name="printer")
    models: Annotated[tuple[tuple[PrinterText, PrinterText], ...], Meta(max_length=16)]
    baud: Baud
    bauds: Annotated[tuple[Baud, ...], Meta(max_length=16)]
    confirmed: bool


class StationRequest(ChallengedRequest, frozen=True, kw_only=True):
    """`states`: [job id, state, detail] that are news. `printer` and `health` are looked at by themselves."""

    nonce: Name
    states: Annotated[list[tuple[JobId, JobState, Annotated[str, Meta(max_length=40)]]], Meta(max_length=64)]
    printer: Any = None
    health: Any = UNSET


class StationResponse(Message, frozen=True):
    """Each job is looked at by itself: one that is none stops no others."""

    challenge: str
    jobs: list[Any]
    printer: Any = None


class JobRef(Message, frozen=True):
    id: JobId


class Job(JobRef, frozen=True):
    """One thing to print: `id` is never used for another one, `content` is what the kind's layout wants. `go_on`: a
    person's word that the printer prints, though it does not answer any more."""

    kind: str
    content: dict[str, Any]
    go_on: bool = False


class PrinterSetup(Message, frozen=True):
    """How a printer is to be used. `port` "": where it is now."""

    printer: Word
    baud: Baud
    port: PrinterText = ""


class PrinterOrder(PrinterSetup, frozen=True, kw_only=True):
    """Somebody's word on the console; each `id` is taken once."""

    id: Name
    confirmed: bool


class SpeedTest(Message, frozen=True):
    """A sheet with a large number, printed at the speed `at.baud`."""

    number: Count
    at: PrinterSetup


# --- the front panel and the hub or the standby on its machine ---


class NewPin(Message, frozen=True, tag_field="step", tag="pin"):
    """Pressed: a new PIN."""


class EjectStick(Message, frozen=True, tag_field="step", tag="eject"):
    """Pressed: the stick of this name is to be let go of."""

    name: Annotated[str, Meta(max_length=200)] = ""


class PanelRequest(ChallengedRequest, frozen=True, kw_only=True):
    """`do`: what was pressed."""

    nonce: Name
    language: Any = None
    do: NewPin | EjectStick | None = None


class Stick(Message, frozen=True):
    name: Annotated[str, Meta(max_length=400)]
    state: str


class PanelView(Message, frozen=True):
    """Everything at one moment. `wall`: the time of day, "" where nobody knows it; `name`: the machine's on the
    network; `running`: a round's clock runs; `trouble`: the hub's disk refuses."""

    wall: DisplayText
    players: DisplayText
    console: DisplayText
    name: DisplayText
    fingerprint: DisplayText
    sticks: tuple[Stick, ...]
    trouble: bool
    running: bool = False

    @property
    def to_let_go(self) -> tuple[str, ...]:
        """Folders that may be let go of."""
        return tuple(stick.name for stick in self.sticks[:4] if stick.state != "let-go")


class PressOutcome(Message, frozen=True):
    """What became of a press: `refused` why, in words, "" for what was done."""

    refused: str
    pin: str = ""


class PanelResponse(Message, frozen=True):
    challenge: str
    view: PanelView
    done: PressOutcome | None = None


class StandbyState(Message, frozen=True):
    """A standby on this machine. `state`: of `server/roundtap_hub/standby/main.py`; `level`: it held everything
    once, so that its key may be turned."""

    state: DisplayText
    hub: DisplayText
    level: bool


# --- hubs of one journal ---

Heads = dict[str, tuple[int, str]]
"""Stream → [number, hash] of its last entry."""


class StandbyHello(ChallengedRequest, frozen=True, kw_only=True):
    port: int
    heads: Heads
    epochs: list[str]
    rows: bool = False
    """Whether the standby knows entries of keys, staff and links, and takes the rows of keys and staff."""


class StandbyAck(UnitRequest, frozen=True):
    session: str
    seq: int
    number: int


Port = Annotated[int, Meta(ge=1, le=65535)]


class Beacon(Message, frozen=True):
    instance: str
    port: Port


class PeerQuery(Message, frozen=True):
    nonce: str
    epochs: list[str]
    instance: str = ""
    port: Port | None = None


class PeerAnswer(Message, frozen=True):
    nonce: str
    epochs: list[str]
    instance: str
    up_ms: int
    heads: Heads | None = None
