"""What the hub tells a table about itself, as frozen records: one JSON view in, one `TableView` out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.forms.form import Form, form_from_json
from roundtap_core.records import SIDES, Result, Side
from roundtap_core.result_json import result_from_json
from roundtap_core.rulebooks.base import BY_LOT, INITIATIVE, SWISS_ROUND, Situation

OPEN, ONE_SIDED, AGREED, DISPUTE, DECIDED, CLOSED = "open", "one-sided", "agreed", "dispute", "decided", "closed"
SECOND = "second"
"""A result stands, and since then both have agreed to another one: a judge decides."""


@dataclass(frozen=True, slots=True)
class EventView:
    id: str
    name: str
    color: str = ""
    rulebook: str = ""


@dataclass(frozen=True, slots=True)
class RoundView:
    """The round at this table; `of` is how many there will be, where that is known."""

    number: int
    of: int | None = None
    stage: str = "swiss"
    status: str = "published"


@dataclass(frozen=True, slots=True)
class SaidView:
    """Names a report to the other side: its id and the digest of all of it."""

    report_id: str
    hash: str


@dataclass(frozen=True, slots=True)
class MatchView:
    """Who plays here, and what the hub knows of the result. `number` is the journal entry of the result that stands,
    `last` the side that reported last: the other one is asked. `ids` are the competitors'.

    `to_field`: the squads a side has not fielded yet, None where nobody told; `must`: it has to field these now.
    """

    id: str
    revision: int
    names: Mapping[Side, str]
    state: str = OPEN
    reports: Mapping[Side, Result | None] = field(default_factory=dict)
    result: Result | None = None
    number: int | None = None
    last: Side | None = None
    to_field: Mapping[Side, tuple[int, ...] | None] = field(default_factory=dict)
    must: Mapping[Side, bool] = field(default_factory=dict)
    lots: Mapping[str, Side] = field(default_factory=dict)
    """What the hub knows of lots drawn before play: {"first_player": "b"}."""
    initiative: str | None = None
    """Who chooses initiative by the lists' totals: a side, or "lot" where they are equal and nobody has drawn yet."""
    corrected: bool = False
    """Whether a judge replaced a result that had stood."""
    draw: str | None = None
    """The mark of the draw: the same id may come again with other people. None: an older hub does not say."""
    ids: Mapping[Side, str | None] = field(default_factory=dict)
    heard: Mapping[Side, int] = field(default_factory=dict)
    """The highest number of each side's reports that the hub has accepted; 0: none."""
    said: Mapping[Side, SaidView | None] = field(default_factory=dict)
    """The report that counts for each side."""
    second: Result | None = None
    """What both agreed to after `result` stood."""

    @property
    def same(self) -> tuple[str, str | None]:
        """What two views of one match have in common, and two matches have not."""
        return self.id, self.draw

    def of_others(self, before: MatchView) -> bool:
        """Whether other people play it than `before`: an organizer has changed who sits here. Ids that are not told,
        by an older hub, say nothing."""
        return any(was is not None and now is not None and was != now
                   for was, now in ((before.ids.get(side), self.ids.get(side)) for side in SIDES))


@dataclass(frozen=True, slots=True)
class PhaseView:
    """A part of the round: `key` is its text, `from_ms` how much of the round has gone when it begins."""

    key: str
    from_ms: int


@dataclass(frozen=True, slots=True)
class ClockView:
    """The hub's clock: `deadline_ms` on the hub's monotonic clock while running, `remaining_ms` while held.

    `open_end`: hidden minutes may follow; the round ends when the hub says `over`.
    """

    state: str = "idle"
    deadline_ms: int | None = None
    remaining_ms: int | None = None
    total_ms: int | None = None
    phases: tuple[PhaseView, ...] = ()
    open_end: bool = False
    over: bool = False

    def up(self, left_ms: int | None) -> bool:
        """Whether time has been called, with `left_ms` on the clock."""
        if self.open_end:
            return self.over
        return self.over or (left_ms is not None and left_ms <= 0)

    def phase(self, left_ms: int | None) -> str:
        """The text of the phase that runs, with `left_ms` on the clock; "" outside of all."""
        if left_ms is None:
            return ""
        if self.open_end and left_ms <= 0 and not self.over:
            return "phase.last_minutes"
        gone_ms = (self.total_ms or 0) - left_ms
        return next((phase.key for phase in reversed(self.phases) if phase.from_ms <= gone_ms), "")


@dataclass(frozen=True, slots=True)
class CallView:
    """A judge was called from here; `taken_by` is who comes."""

    taken_by: str | None = None


@dataclass(frozen=True, slots=True)
class TableView:
    event: EventView | None
    table: int | None
    round: RoundView | None = None
    match: MatchView | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    form: Form | None = None
    clock: ClockView = ClockView()
    call: CallView | None = None
    next_table: int | None = None
    situation: Situation = SWISS_ROUND
    rounds_left: int = 0
    leave_refused: tuple[Side, ...] = ()
    """Whose wish to leave the event an official has refused."""


def view_from_json(data: Mapping[str, Any]) -> TableView:
    """The inverse of what the hub sends; unknown keys are left alone (a newer hub may say more).

    Raises KeyError, TypeError or Problem where the view is malformed: the caller drops it and asks again.
    """
    event, round_, call, clock = data.get("event"), data.get("round"), data.get("call"), data.get("clock") or {}
    match, form, following = data.get("match"), data.get("form"), data.get("next")
    return TableView(
        event=EventView(event["id"], event["name"], event.get("color", ""), event.get("rulebook", ""))
        if event else None,
        table=data.get("table"),
        round=RoundView(round_["number"], round_.get("of"), round_.get("stage", "swiss"),
                        round_.get("status", "published")) if round_ else None,
        match=_match(match) if match else None,
        options=dict(data.get("options") or {}),
        form=form_from_json(form) if form else None,
        clock=_clock(clock),
        call=CallView(call.get("taken_by")) if call is not None else None,
        next_table=following.get("table") if following else None,
        situation=_situation(data.get("situation")),
        rounds_left=data.get("rounds_left") or 0,
        leave_refused=tuple(side for side in SIDES if side in (data.get("leave_refused") or ())),
    )


def _situation(data: Mapping[str, Any] | None) -> Situation:
    if not data:
        return SWISS_ROUND
    totals, houses = data.get("totals") or {}, data.get("houses")
    return Situation(data.get("stage", SWISS_ROUND.stage), (totals.get("a"), totals.get("b")),
                     (tuple(houses["a"]), tuple(houses["b"])) if houses else None)


def _initiative(before: Mapping[str, Any] | None) -> str | None:
    if not before or before.get("about") != INITIATIVE:
        return None
    return before.get("side") or (BY_LOT if before.get("lot") else None)


def _clock(data: Mapping[str, Any]) -> ClockView:
    return ClockView(
        data.get("state", "idle"), data.get("deadline_ms"), data.get("remaining_ms"), data.get("total_ms"),
        tuple(PhaseView(phase["key"], phase["from_ms"]) for phase in data.get("phases") or ()),
        bool(data.get("open_end")), bool(data.get("over")),
    )


def _match(data: Mapping[str, Any]) -> MatchView:
    reports, heard, said = data.get("reports") or {}, data.get("heard") or {}, data.get("said") or {}
    return MatchView(
        id=data["id"],
        revision=data["revision"],
        names={"a": data["a"]["name"], "b": data["b"]["name"]},
        state=data.get("state", OPEN),
        reports={"a": _result(reports.get("a")), "b": _result(reports.get("b"))},
        result=_result(data.get("result")),
        number=data.get("number"),
        last=data.get("last"),
        to_field={side: tuple(data[side]["to_field"]) for side in SIDES if data[side].get("to_field") is not None},
        must={side: bool(data[side].get("must")) for side in SIDES},
        lots={about: side for about, side in (data.get("lots") or {}).items() if side in SIDES},
        initiative=_initiative(data.get("before_play")),
        corrected=bool(data.get("corrected")),
        draw=data.get("draw"),
        ids={side: data[side].get("id") for side in SIDES},
        heard={side: int(heard.get(side) or 0) for side in SIDES},
        said={side: SaidView(str(said[side]["report_id"]), str(said[side]["hash"])) if said.get(side) else None
              for side in SIDES},
        second=_result(data.get("second")),
    )


def _result(data: Any) -> Result | None:
    return None if data is None else result_from_json(data)
