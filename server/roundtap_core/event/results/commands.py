"""What is asked about results: reports, an official's word, who did not appear, squads at a bye. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from roundtap_core.records import Result, Side
from roundtap_core.typed import Count, Exact, Id, IdOrEmpty, Prose, Text


class RecordReport(Struct, frozen=True):
    """What one side says, as it came from a device whose signature holds. `body` is the digest of all of it.

    `draw` is the mark of the draw it speaks of (RoundState.mark); None: an older unit, which does not say.
    `serial` counts this side's reports of this match and draw, from 1; 0: an older unit, which does not count.
    `agrees_to` is the other side's report that the person said yes to, {"report_id", "hash"}; None where they said it
    of their own. `a`, `b`: who met, as the unit has seen it; None does not say. `stood_there`: whether the unit stood
    at the match's table since the round was published; filled in by whoever knows the hall. `time_up`: whether the
    unit's own clock had run out at the press; None does not say. `earlier`: it was said before this journal was
    restored, so that only that clock can tell. `holder`: a mark of the browser it came from, "" where it sent none;
    None: not from a browser.
    """

    report_id: Id
    match: IdOrEmpty
    side: Side
    revision: Exact
    result: Mapping[str, Any]
    body: IdOrEmpty
    draw: IdOrEmpty | None = None
    serial: Count = 0
    agrees_to: Mapping[str, str] | None = None
    a: Text | None = None
    b: Text | None = None
    stood_there: bool = True
    time_up: bool | None = None
    earlier: bool = False
    holder: IdOrEmpty | None = None


class SettleStrangers(Struct, frozen=True):
    """An official has read which units reported this match from elsewhere; `seen` is the newest such entry they saw."""

    match: IdOrEmpty
    seen: Exact


class EnterResult(Struct, frozen=True):
    """An official's word. `revision` is the one they saw, `result` None takes a result back.

    `seen` is the number of the entry whose result they saw standing, 0 for none; None does not say. `reason`: why it is
    entered although players could not say it; kept, and shown. `earlier`: it was said at the table before, on a slip or
    to a journal that is lost: no clock is asked. `cut`: "anew" or "keep", what becomes of a cut, or of a
    tie-break round, that it would change.
    """

    match: IdOrEmpty
    revision: Exact
    result: Result | None
    seen: Exact | None = None
    reason: Prose = ""
    earlier: bool = False
    cut: IdOrEmpty = ""


class NoShow(Struct, frozen=True):
    match: IdOrEmpty
    absent: Text


class NoteLot(Struct, frozen=True):
    """Lots were drawn at a table before play, and fell on `side`: `about` is one of the rulebook's `lots`.

    `draw` is the mark of the draw the table has seen (RoundState.mark); None does not say. The first lot stands.
    `stood_there`: as in Report.
    """

    match: IdOrEmpty
    about: IdOrEmpty
    side: Side
    draw: IdOrEmpty | None = None
    stood_there: bool = True


class DoubleNoShow(Struct, frozen=True):
    """Neither of the two appeared: both lose and are gone."""

    match: IdOrEmpty


class UndoNoShow(Struct, frozen=True):
    """Who did not appear is there after all: the pairing as it was, at its table unless that was given away.

    `busy_tables`: those at which other events play.
    """

    match: IdOrEmpty
    busy_tables: frozenset[int] = frozenset()


class SetPicks(Struct, frozen=True):
    """The squads that somebody fields at a bye."""

    match: IdOrEmpty
    picks: tuple[Count, ...]
