"""A table's view, sent by the hub: its match and players, the form for a result, its clock."""

from typing import Annotated, Any, Generic

from msgspec import UNSET, Meta, UnsetType, field

from roundtap_core.forms.form import Form
from roundtap_core.forms.questions import SQUADS_MAX
from roundtap_core.records import SIDES, Result, Side, refuse_contradictory, refuse_result_limits
from roundtap_core.rulebooks.base import BY_LOT, INITIATIVE, SWISS_ROUND, MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.typed import Count, DisplayText, Message, Natural, T, Word, refuse_options_out_of_range

OPEN, ONE_SIDED, AGREED, DISPUTE, DECIDED, CLOSED = "open", "one-sided", "agreed", "dispute", "decided", "closed"
RulesText = Annotated[str, Meta(max_length=64 * 1024)]

TimeMs = Annotated[int, Meta(ge=-(10**13), le=10**13)]  # three hundred years of the hub's clock


class PerSide(Message, Generic[T], frozen=True):
    a: T
    b: T

    def of(self, side: Side) -> T:
        return self.a if side == "a" else self.b


class EventView(Message, frozen=True):
    id: Word
    name: DisplayText
    color: Word = ""
    rulebook: Word = ""


class RoundView(Message, frozen=True):
    """The round at this table; `of` is the planned number of rounds, if known."""

    number: Natural
    of: Natural | None = None
    stage: Word = "swiss"
    status: Word = "published"


class SideView(Message, frozen=True, omit_defaults=True):
    """One player or team. `to_field`: the squads not fielded yet; `must`: whether those are due now. None: no squads
    are picked, or it is unknown."""

    name: DisplayText
    id: Word | None = None
    to_field: Annotated[tuple[Count, ...], Meta(max_length=SQUADS_MAX)] | None = None
    must: bool | None = None


class ReportRef(Message, frozen=True):
    """Names a report to the other side: its id and its digest."""

    report_id: Word
    hash: Word


class PrePlayDecision(Message, frozen=True):
    """What is settled first, and by whom; `lot`: a lot decides."""

    about: Word
    side: Side | None = None
    lot: bool = False


class MatchView(Message, frozen=True):
    """The players here, and the hub's knowledge of the result. `number` is the journal entry of the result that stands;
    `last` reported last, so the other side is asked."""

    id: Word
    revision: Natural
    a: SideView
    b: SideView
    state: Word = OPEN
    reports: PerSide[Result | None] = PerSide(None, None)
    result: Result | None = None
    number: Natural | None = None
    last: Side | None = None
    lots: Annotated[dict[Word, Side], Meta(max_length=16)] = {}
    """Lots drawn before play, as the hub knows them: {"first_player": "b"}."""
    before_play: PrePlayDecision | None = None
    corrected: bool = False  # whether a judge replaced a result that stood
    draw: Word | None = None  # The mark of the draw: the same id may return with other people. None: from an older hub.
    heard: PerSide[Natural] = PerSide(0, 0)  # the highest report number accepted from each side; 0: none
    said: PerSide[ReportRef | None] = PerSide(None, None)  # the report that counts for each side
    second: Result | None = None  # what both agreed to after `result` stood

    def __post_init__(self) -> None:
        for result in (self.reports.a, self.reports.b, self.result, self.second):
            if result is not None:
                refuse_contradictory(result)
                refuse_result_limits(result)

    def of(self, side: Side) -> SideView:
        return self.a if side == "a" else self.b

    @property
    def initiative(self) -> str | None:
        """The side that chooses initiative by the lists' totals, or BY_LOT if they are equal and nothing was drawn."""
        before = self.before_play
        if before is None or before.about != INITIATIVE:
            return None
        return before.side or (BY_LOT if before.lot else None)

    @property
    def same(self) -> tuple[str, str | None]:
        """The same for two views of one match, and different for two matches."""
        return self.id, self.draw

    def other_players(self, before: "MatchView") -> bool:
        """Whether other people play than in `before`: an organizer changed the seating. Ids missing from an older hub
        prove nothing."""
        return any(
            was is not None and now is not None and was != now
            for was, now in ((before.of(side).id, self.of(side).id) for side in SIDES)
        )


class PhaseView(Message, frozen=True):
    """A part of the round: `key` names its text, `from_ms` is the elapsed time at which it begins."""

    key: Word
    from_ms: TimeMs


class ClockView(Message, frozen=True):
    """The hub's clock: `deadline_ms` on the hub's monotonic clock while running, `remaining_ms` while held. `open_end`:
    hidden minutes may follow; the round ends when the hub sends `over`."""

    state: Word = "idle"
    deadline_ms: TimeMs | None = None
    remaining_ms: TimeMs | None = None
    total_ms: TimeMs | None = None
    phases: Annotated[tuple[PhaseView, ...], Meta(max_length=99)] = ()
    open_end: bool = False
    over: bool = False

    def is_time_up(self, left_ms: int | None) -> bool:
        """Whether time has been called, with `left_ms` on the clock."""
        return self.over or (not self.open_end and left_ms is not None and left_ms <= 0)

    def phase(self, left_ms: int | None) -> str:
        """The text of the current phase, with `left_ms` on the clock; "" outside of all."""
        if left_ms is None:
            return ""
        if self.open_end and left_ms <= 0 and not self.over:
            return "phase.last_minutes"
        gone_ms = (self.total_ms or 0) - left_ms
        return next((phase.key for phase in reversed(self.phases) if phase.from_ms <= gone_ms), "")


class CallView(Message, frozen=True):
    """A judge call from this table; `taken_by` is the judge on the way."""

    taken_by: DisplayText | None = None


class NextView(Message, frozen=True):
    table: Count | None = None


class SituationView(Message, frozen=True):
    stage: Word = SWISS_ROUND.stage
    totals: PerSide[Count | None] | None = None
    houses: PerSide[Annotated[tuple[Word, ...], Meta(max_length=16)]] | None = None


class EventOptions(dict[str, Any]):
    """An event's options, bounded like all numbers and texts; the rulebook interprets them."""

    JSON_TYPE = "object"

    @classmethod
    def of(cls, options: object) -> "EventOptions":
        if not isinstance(options, dict):
            raise ValueError("options are an object")
        refuse_options_out_of_range(options)
        return cls(options)


class TableView(Message, frozen=True):
    """`rules`: those of a store's own game, as canonical JSON; `call_closed`: the call that was made here is settled;
    `call_ms`: the last one that the hub has heard of, as the table named it, 0 for none; `leave_asked`: sides whose
    wish to leave, made here, is on the hub's disk, None from a hub that does not say; `leave_refused`: sides whose
    wish was refused by an official; `finished`: events that are over; `lost_round`: the hub was restored and lacks
    the round that this unit held, which the table goes on with; `last_round`: the event has none
    after this one."""

    event: EventView | None = None
    table: Annotated[int, Meta(ge=1, le=99_999)] | None = None
    round: RoundView | None = None
    match: MatchView | None = None
    options: EventOptions = EventOptions()
    form: Form | None = None
    rules: RulesText | UnsetType = UNSET
    clock: ClockView = ClockView()
    call: CallView | None = None
    next: NextView | None = None
    stands: SituationView | None = field(default=None, name="situation")
    rounds_left: Natural | None = None
    leave_refused: Annotated[tuple[Side, ...], Meta(max_length=2)] = ()
    finished: Annotated[tuple[Word, ...], Meta(max_length=4000)] = ()
    lost_round: bool = False
    leave_asked: Annotated[tuple[Side, ...], Meta(max_length=2)] | None = None
    call_closed: bool = False
    call_ms: int = 0
    last_round: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.form is not None:
            refuse_malformed_form(self.form, self.rules or None)

    @property
    def book(self) -> Rulebook | None:
        """The rulebook that is played here; None without a match."""
        return None if self.form is None else rulebook(self.form.rulebook, self.rules or None)

    @property
    def situation(self) -> MatchSituation:
        if self.stands is None:
            return SWISS_ROUND
        totals, houses = self.stands.totals or PerSide(None, None), self.stands.houses
        return MatchSituation(self.stands.stage, (totals.a, totals.b), (houses.a, houses.b) if houses else None)

    @property
    def next_table(self) -> int | None:
        return self.next.table if self.next is not None else None


def refuse_malformed_form(form: Form, rules: str | None = None) -> None:
    """The Problems of `rulebook`, also where `rules` are not those of its id, or ValueError for an impossible form: a
    hostile hub may send anything."""
    rulebook(form.rulebook, rules)
    for way in form.ways:
        for step in way.steps:
            if not step.sound():
                raise ValueError(f"{way.id}: {step!r:.80}")
