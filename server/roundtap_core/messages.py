"""Messages between hub, units, stations and panels, one type each, with limits. A table's view is in view_types.py.

Types list the keys their readers need; keys that no program reads are in MESSAGES.md alone.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from roundtap_core.records import Side
from roundtap_core.typed import LINE_OR_NONE, Count, DisplayText, Exact, Message, Name, Natural, Text, Word


class UnitRequest(Message, frozen=True):
    """A request signed with a unit's key."""

    unit: str


class ChallengedRequest(UnitRequest, frozen=True):
    """Carries the hub's challenge, fetched just before or with the previous answer."""

    nonce: str
    challenge: str | None = None


# --- a table to the hub ---

HealthWord = Annotated[str, Meta(pattern=r"^([a-z0-9][a-z0-9_-]{0,23})?\Z")]
Buttons = Annotated[tuple[HealthWord, ...], Meta(max_length=16)]


class Hello(ChallengedRequest, frozen=True, kw_only=True):
    """Opens the feed. Keys that older units do not send have defaults."""

    nonce: Text
    core: Text
    reports: list[tuple[str, str]]
    instance: Text = ""
    epoch: Text | None = None
    heads: dict[str, tuple[int, str]] = {}
    holds: dict[str, Any] | None = None
    damaged: Natural = 0


class AgreedReport(Message, frozen=True, forbid_unknown_fields=True):
    """The other side's report that a report agrees to."""

    report_id: Name
    hash: Name


class Report(Message, frozen=True, forbid_unknown_fields=True):
    """One side's report. UNSET: omitted by older units; `agrees_to` may also be null."""

    report_id: Name
    unit: Name
    event: Name
    match: Name
    side: Side
    revision: int
    result: dict[str, Any]
    draw: Name | UnsetType = UNSET
    serial: Annotated[int, Meta(ge=1, le=2**31 - 1)] | UnsetType = UNSET
    agrees_to: AgreedReport | UnsetType | None = UNSET
    round: int | UnsetType = UNSET
    a: Name | UnsetType = UNSET
    b: Name | UnsetType = UNSET
    time_up: bool | UnsetType = UNSET


class TableLot(Message, frozen=True):
    event: str
    match: str
    about: str
    side: Side
    draw: str | None = None


class Health(Message, frozen=True):
    """Health of a unit's machine; None and "" for unknown or absent. `keys`: the buttons of its board, `pressed`: those
    pressed since its start; `throttled`: the firmware's bits (roundtap_machine/health.py)."""

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


class TableStatus(UnitRequest, frozen=True):
    """What a table shows and does right now. `run`: the unit's process. `call_ms`: which call it is. `cancelled`: what
    was taken back at the table, whichever process asked for it, until its view shows that. `lot` and `health` are
    checked separately: an invalid one does not lose a judge call."""

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
    run: Text = ""
    cancelled: Annotated[tuple[Literal["call", "a", "b"], ...], Meta(max_length=3)] = ()
    call_ms: Annotated[int, Meta(ge=0, le=2**53)] = 0


class TimeQuestion(UnitRequest, frozen=True):
    nonce: Name


# --- the hub to a table ---


class ReportReceipt(Message, frozen=True):
    """What became of a report. `fate` "unknown": the hub does not have it, and sends nothing else but its epoch."""

    report_id: str
    fate: str
    reason: str | None = None
    number: int | None = None
    hash: str | None = None
    epoch: str | None = None


class FeedMessage(Message, frozen=True):
    """A message of the feed, complete for "beat" and "identify"; a newer hub may send other types."""

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
    fates: list[ReportReceipt]


class ViewMessage(FeedMessage, frozen=True):
    """The table checks the view itself: one that it cannot show is skipped, and the feed continues."""

    view: Any


class HubsMessage(FeedMessage, frozen=True):
    hubs: list[str]


Port = Annotated[int, Meta(ge=1, le=65535)]


class PracticeMessage(FeedMessage, frozen=True):
    """The table is to play at the practice hub, on `port` of the same machine, as `unit` with the key that `salt` makes
    of its own (`wire.practice_key`)."""

    port: Port
    unit: Name
    salt: Name


class TimeAnswer(Message, frozen=True):
    """In the answer to a status or a time request."""

    now_ms: Exact
    boot: str | None = None


class Challenge(Message, frozen=True):
    challenge: Name


HubText = Annotated[str, Meta(max_length=80, pattern=LINE_OR_NONE)]  # a hub's text about itself, for screens


class HubAnswer(Message, frozen=True):
    """A hub's answer to a unit searching for one. `secure`: its encrypted port, 0 for none. To a wall it is signed and
    has the wall's `nonce` and the certificate (PEM) of the hub's authority; until a person has confirmed that one, the
    nonce as `unconfirmed` instead."""

    roundtap: Literal["hub"]
    hub: HubText
    epoch: HubText
    name: HubText
    secure: Annotated[int, Meta(ge=0, le=65535)] = 0
    nonce: Text = ""
    unconfirmed: Text = ""
    authority: str = ""


# --- a wall and its hub ---

DisplayCookie = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{0,80}\Z")]
Seals = Annotated[tuple[Name, ...], Meta(max_length=8)]


class WallPin(Message, frozen=True):
    """What a wall keeps of its hub. A new one gets `wall`, `key` (hex) and `display` from it; `told`: the address that
    it was told at set-up; `seals`: digests of the authorities by which it has known its hub."""

    display: DisplayCookie = ""
    hub: HubText = ""
    told: str = ""
    wall: Text = ""
    key: Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?\Z")] = ""
    seals: Seals = ()


class WallQuestion(Message, frozen=True):
    """Whether this is the wall's hub; signed with the wall's key."""

    wall: Name
    nonce: Name
    display: DisplayCookie
    seals: Seals


# --- a unit without a key, and the hub that it finds ---

Ascii = r"[\x00-\x7f]"
Token = Annotated[str, Meta(pattern=rf"^{Ascii}{{16,64}}\Z")]


class EnrolMessage(Message, frozen=True, tag_field="step"):
    """A step of the enrolment. Values for the arithmetic arrive unchecked."""

    token: Token


class EnrolRequest(EnrolMessage, frozen=True, kw_only=True, tag="ask"):
    unit_id: Annotated[str, Meta(pattern=r"^[ -~]{1,64}\Z")]
    kind: Literal["table", "station"]
    serial: Natural
    commit: Annotated[str, Meta(pattern=rf"^({Ascii}{{64}})?\Z")]
    wants: str = ""
    stopped: bool = False


class _ExchangeStep(EnrolMessage, frozen=True):
    exchange: str


class EnrolAnswer(_ExchangeStep, frozen=True, tag="answer"):
    message: Any


class EnrolConfirmation(_ExchangeStep, frozen=True, tag="confirm"):
    confirm: Any


class WrongConfirmation(_ExchangeStep, frozen=True, tag="wrong"):
    """The confirmation of the hub was wrong."""


class CodeExpired(_ExchangeStep, frozen=True, tag="late"):
    """The code has expired."""


class RepeatGrant(Message, frozen=True, tag_field="step", tag="again"):
    """`message`: signed with the new key."""

    message: Any


EnrolStep = EnrolRequest | EnrolAnswer | EnrolConfirmation | WrongConfirmation | CodeExpired | RepeatGrant


class ExchangeOffer(Message, frozen=True):
    exchange: HubText
    serial: int
    message: Any


class EnrolStatus(Message, frozen=True):
    """The answer to `EnrolRequest`: `number` precedes the code; `offer` follows once a code was typed."""

    hub: HubText
    epoch: HubText
    number: Annotated[int, Meta(ge=0, le=99)] | None
    again_ms: int
    offer: ExchangeOffer | None
    identify: bool = False


class EnrolGrant(Message, frozen=True, kw_only=True):
    """The unit's new identity, signed with its new key."""

    exchange: str
    unit: Annotated[str, Meta(min_length=1, max_length=40)]
    role: str | None = None
    hub: HubText
    hubs: list[str]


# --- a print station and the hub ---

JobId = Annotated[str, Meta(min_length=1, max_length=160)]
PrinterText = Annotated[str, Meta(max_length=200)]
Baud = Annotated[int, Meta(ge=0, le=1_000_000)]
JobState = Literal["queued", "sending", "sent", "printed", "uncertain", "failed"]


class StationPrinter(Message, frozen=True):
    """A station's printer settings. port: "" for none yet; ports: candidates. model: its profile; models: those the
    station knows, each with the names of such printers. baud: 0 for a line without speed; bauds: those to try.
    confirmed: it answers, or a person read its print."""

    port: PrinterText
    ports: Annotated[tuple[PrinterText, ...], Meta(max_length=16)]
    model: PrinterText = field(name="printer")
    models: Annotated[tuple[tuple[PrinterText, PrinterText], ...], Meta(max_length=16)]
    baud: Baud
    bauds: Annotated[tuple[Baud, ...], Meta(max_length=16)]
    confirmed: bool


class StationRequest(ChallengedRequest, frozen=True, kw_only=True):
    """`states`: new [job id, state, detail]. `printer` and `health` are checked separately."""

    nonce: Name
    states: Annotated[list[tuple[JobId, JobState, Annotated[str, Meta(max_length=40)]]], Meta(max_length=64)]
    printer: Any = None
    health: Any = UNSET


class StationResponse(Message, frozen=True):
    """Jobs are checked one by one: an invalid one does not stop the others."""

    challenge: str
    jobs: list[Any]
    printer: Any = None


class JobRef(Message, frozen=True):
    id: JobId


class Job(JobRef, frozen=True, omit_defaults=True):
    """One thing to print. `id` is never reused; `kind` determines the shape of `content`. `go_on`: a person confirmed
    that the printer prints although it no longer answers."""

    kind: str
    content: dict[str, Any]
    go_on: bool = False


class PrinterChoice(Message, frozen=True):
    """Printer settings to use. `port` "": unchanged."""

    printer: Word
    baud: Baud
    port: PrinterText = ""


class PrinterOrder(PrinterChoice, frozen=True, kw_only=True):
    """An order from the console; each `id` is executed once."""

    id: Name
    confirmed: bool


class SpeedTest(Message, frozen=True):
    """A sheet with a large number, printed at the speed `at.baud`."""

    number: Count
    at: PrinterChoice


# --- the front panel and the hub or the standby on its machine ---


class NewPin(Message, frozen=True, tag_field="step", tag="pin"):
    """The request for a new PIN."""


class EjectStick(Message, frozen=True, tag_field="step", tag="eject"):
    name: Annotated[str, Meta(max_length=200)] = ""


class ContinueEvent(Message, frozen=True, tag_field="step", tag="continue"):
    name: Annotated[str, Meta(max_length=64)] = ""  # the offer's mark


class PanelRequest(ChallengedRequest, frozen=True, kw_only=True):
    """`do`: the button pressed."""

    nonce: Name
    language: Any = None
    do: NewPin | EjectStick | ContinueEvent | None = None


class UsbStick(Message, frozen=True):
    name: Annotated[str, Meta(max_length=400)]
    state: str


class ContinueOffer(Message, frozen=True):
    """Another hub's event on a stick, which this one may continue. `until`: when the newest entry was made; `own`: this
    hub's running events, which would be set aside."""

    mark: str
    place: DisplayText
    name: DisplayText
    entries: int
    until: str
    damaged: bool
    own: DisplayText


class PanelView(Message, frozen=True):
    """Everything at one moment. `wall`: the time of day, "" if unknown; `name`: of the machine on the network;
    `running`: a round's clock is running; `trouble`: the hub's disk fails."""

    wall: DisplayText
    players: DisplayText
    console: DisplayText
    name: DisplayText
    fingerprint: DisplayText
    sticks: tuple[UsbStick, ...]
    trouble: bool
    running: bool = False
    offer: ContinueOffer | None = None

    @property
    def ejectable_sticks(self) -> tuple[str, ...]:
        """Folders that may be ejected."""
        return tuple(stick.name for stick in self.sticks[:4] if stick.state != "let-go")


class PressReply(Message, frozen=True, omit_defaults=True):
    """The result of a press: `refused` gives the reason, "" on success."""

    refused: str
    pin: str = ""


class PanelResponse(Message, frozen=True):
    challenge: str
    view: PanelView
    done: PressReply | None = None


class StandbyState(Message, frozen=True):
    """A standby on this machine. `state`: see `server/roundtap_hub/app/standby/main.py`; `level`: it was in sync once,
    so its key may be turned; `turned`: this question has turned it."""

    state: DisplayText
    hub: DisplayText
    level: bool
    turned: bool = False


# --- hubs of one journal ---

Heads = dict[str, tuple[int, str]]  # stream → [number, hash] of its last entry


class StandbyHello(Message, frozen=True):
    port: int
    heads: Heads
    epochs: list[str]


class StandbyRequest(ChallengedRequest, frozen=True):
    """`hello`: in the first one; each further one says that all of the last answer is on the standby's disk."""

    hello: StandbyHello | None = None


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
