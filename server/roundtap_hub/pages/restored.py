"""The page of a hub that was restored: tables are asked, a lost round is adopted, and then play goes on."""

from __future__ import annotations

from typing import Any

from flask import redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import AdoptRound, DropCompetitor, EnterResult, PublishRound
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.state import DECIDED
from roundtap_core.records import BYE, UNPAIRED_LOSS
from roundtap_core.result_json import result_from_json
from roundtap_hub.devices.reports import report_step
from roundtap_hub.journal.afresh import ANEW, KEPT, REFUSED, SETTLED, WITHOUT, Pending
from roundtap_hub.journal.beyond_copy import (
    Assembled,
    Lost,
    Paired,
    assemble,
    free_id,
    is_known,
    lost_rounds,
    points,
    unanswered,
)
from roundtap_hub.journal.keyed_units import placed
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.base import actor, field, mended_on, page, the_hub, the_snapshot, whole_number, with_name, words
from roundtap_hub.policy import ORGANIZERS, route
from roundtap_hub.views.restored import moved, restored_view

LEFT = "left"
DRAWN_ANEW, GIVEN_UP = "drawn-anew", "not-restored"
"""Why reports that waited are refused: their round was drawn anew; nobody knows their event or round any more."""


@route("GET /console/restored", ORGANIZERS)
def restored(**_: str) -> AnyResponse:
    """What the copy has, what the tables hold, and what is to be settled."""
    return page("restored.html", feed="console", view=restored_view(the_snapshot()), bye=BYE,
                missed=UNPAIRED_LOSS, left=LEFT)


@route("POST /console/restored/without", ORGANIZERS)
@mended_on(restored)
def restored_without() -> AnyResponse:
    """Go on without a table that does not answer."""
    unit = field("unit")
    if unit not in the_snapshot().venue.tables:
        raise Problem("unknown_unit", unit=unit[:40])
    return _noted(Step(VENUE, NewEntry(WITHOUT, {"unit": unit})))


@route("POST /console/restored/adopt", ORGANIZERS)
@mended_on(restored)
def restored_adopt() -> AnyResponse:
    """A lost round as the tables hold it: units where they stood, pairings, publishing, reports, officials' results,
    all in one commit."""
    lost = _lost_of_form()
    state = the_snapshot().events[lost.event]
    made = assemble(state, lost)
    if made.wrong:
        raise made.wrong[0]
    more, gone = _answers(made, lost)
    matches = tuple(_match(each, lost) for each in (*made.matches, *more))
    adopted = AdoptRound(lost.number, lost.mark, matches, lost.stage)
    attempt = 1 + (state.draft.draw.attempt if state.draft and state.draft.draw else 0)
    steps = _placements()
    steps += [Step(lost.event, DropCompetitor(who)) for who in gone]
    steps += [Step(lost.event, adopted),
              Step(lost.event, PublishRound(lost.number, attempt, noted=words()("restored.adopted.noted")))]
    steps += [_report_step(pending) for pending in lost.reports]
    steps += [Step(lost.event, EnterResult(claim.match, claim.revision - 1, result_from_json(dict(claim.result)),
                                     earlier=True))
              for claim in made.decided if claim.result is not None and claim.revision]
    return _noted(*steps)


@route("POST /console/restored/anew", ORGANIZERS)
@mended_on(restored)
def restored_anew() -> AnyResponse:
    """What the tables hold of a round is set aside; their reports are refused, and they say so."""
    lost = _lost_of_form()
    told = {"event": lost.event, "round": lost.number, "mark": lost.mark}
    return _noted(Step(VENUE, NewEntry(ANEW, told)), *(_refusal(pending, DRAWN_ANEW) for pending in lost.reports))


@route("POST /console/restored/point", ORGANIZERS)
@mended_on(restored)
def restored_point() -> AnyResponse:
    """Where a table shows another result than the copy: the table's, or the copy's."""
    point = next((each for each in points(the_snapshot()) if each.key == field("point")), None)
    if point is None:
        raise Problem("restored_gone")
    if field("take") != "tables":
        return _noted(Step(VENUE, NewEntry(KEPT, {"point": point.key, "event": point.claim.event,
                                                  "match": point.claim.match})))
    result = None if point.claim.result is None else result_from_json(dict(point.claim.result))
    entered = EnterResult(point.claim.match, point.revision, result, point.number or 0, earlier=True,
                          cut=field("cut"))
    try:
        return _noted(Step(point.claim.event, entered))
    except Problem as problem:
        # The address names no event: whose names are meant is known here only.
        raise with_name(problem, point.claim.event) from None


@route("POST /console/restored/settled", ORGANIZERS)
@mended_on(restored)
def restored_settled() -> AnyResponse:
    """Play goes on from here. Reports that waited for nothing but their unit's place are taken; those that still have
    none are refused, and their tables say so."""
    snapshot = the_snapshot()
    answers = [_report_step(pending) if is_known(snapshot, pending) else _refusal(pending, GIVEN_UP)
               for pending in unanswered(snapshot)]
    the_hub().service.ask([*_placements(), *answers, Step(VENUE, NewEntry(SETTLED, {}))], actor())
    return redirect(url_for("console.events"), 303)


def _noted(*steps: Step) -> AnyResponse:
    the_hub().service.ask(steps, actor())
    return redirect(url_for("console.restored"), 303)


def _lost_of_form() -> Lost:
    """The round whose button was pressed; Problem("restored_gone") where it is settled meanwhile."""
    number = whole_number("number")
    for lost in lost_rounds(the_snapshot()):
        if (lost.event, lost.number, lost.mark) == (field("event"), number, field("mark")):
            return lost
    raise Problem("restored_gone")


def _answers(made: Assembled, lost: Lost) -> tuple[list[Paired], list[str]]:
    """What the organizer says of those whom no table knows: who has a bye, who met whom, and who has left."""
    said = {who: field(f"who-{who}") for who in made.missing}
    more: list[Paired] = []
    taken = {match.id for match in made.matches}

    def add(a: str, b: str | None, bye: str | None = None) -> None:
        more.append(Paired(free_id(lost.number, taken), a, b, whole_number(f"table-{a}"), bye=bye))
        taken.add(more[-1].id)

    met: set[str] = set()
    for who, answer in said.items():
        if answer in said and answer != who and who not in met:
            if said[answer] not in ("", who):
                raise Problem("restored_pair_unclear", competitor=who)
            met |= {who, answer}
            add(who, answer)
    for who, answer in said.items():
        if answer in (BYE, UNPAIRED_LOSS):
            add(who, None, answer)
        elif answer != LEFT and who not in met:
            raise Problem("restored_who_missing", competitor=who)
    return more, [who for who, answer in said.items() if answer == LEFT]


def _match(match: Paired, lost: Lost) -> dict[str, Any]:
    """As the core wants it. An official's result is entered afterwards, which makes the revision what it was."""
    decided = any(claim.match == match.id and claim.state == DECIDED and claim.result is not None
                  for claim in lost.claims)
    return {"id": match.id, "a": match.a, "b": match.b, "table": match.table, "game": match.game, "bye": match.bye,
            "revision": max(0, match.revision - 1) if decided else match.revision}


def _report_step(pending: Pending) -> Step:
    return report_step(pending.report, pending.fate.body, earlier=True)


def _placements() -> list[Step]:
    """Units back to where they stood when the copy was older than that."""
    return [Step(VENUE, placed(unit, table))
            for unit, table, _ in moved(the_snapshot())]


def _refusal(pending: Pending, reason: str) -> Step:
    said = {"report_id": pending.report["report_id"], "event": pending.report["event"], "body": pending.fate.body,
            "reason": reason}
    return Step(VENUE, NewEntry(REFUSED, said), actor=f"unit:{pending.unit}")
