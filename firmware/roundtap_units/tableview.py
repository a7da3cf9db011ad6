"""What the hub tells a table about itself, as frozen records: one JSON view in, one `TableView` out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.forms import Form, form_from_json
from roundtap_core.records import Result, Side
from roundtap_core.results import result_from_json

OPEN, ONE_SIDED, AGREED, DISPUTE, DECIDED, CLOSED = "open", "one-sided", "agreed", "dispute", "decided", "closed"


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
class MatchView:
    """Who plays here, and what the hub knows of the result. `number` is the journal entry of the result that stands,
    `last` the side that reported last: the other one is asked."""

    id: str
    revision: int
    names: Mapping[Side, str]
    state: str = OPEN
    reports: Mapping[Side, Result | None] = field(default_factory=dict)
    result: Result | None = None
    number: int | None = None
    last: Side | None = None


@dataclass(frozen=True, slots=True)
class ClockView:
    """The hub's clock: `deadline_ms` on the hub's monotonic clock while running, `remaining_ms` while held."""

    state: str = "idle"
    deadline_ms: int | None = None
    remaining_ms: int | None = None
    total_ms: int | None = None


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
        clock=ClockView(clock.get("state", "idle"), clock.get("deadline_ms"), clock.get("remaining_ms"),
                        clock.get("total_ms")),
        call=CallView(call.get("taken_by")) if call is not None else None,
        next_table=following.get("table") if following else None,
    )


def _match(data: Mapping[str, Any]) -> MatchView:
    reports = data.get("reports") or {}
    return MatchView(
        id=data["id"],
        revision=data["revision"],
        names={"a": data["a"]["name"], "b": data["b"]["name"]},
        state=data.get("state", OPEN),
        reports={"a": _result(reports.get("a")), "b": _result(reports.get("b"))},
        result=_result(data.get("result")),
        number=data.get("number"),
        last=data.get("last"),
    )


def _result(data: Any) -> Result | None:
    return None if data is None else result_from_json(data)
