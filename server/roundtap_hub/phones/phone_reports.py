"""What a player's phone reports: a core report with an id of its own, and what became of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import RecordReport
from roundtap_core.event.entries import Entry
from roundtap_core.event.state import AGREED, DECIDED, DISPUTE, ONE_PHONE, ONE_SIDED, SECOND, EventState, Fate
from roundtap_core.records import Side
from roundtap_core.wire import canonical, digest
from roundtap_core.words import Words
from roundtap_hub.access.personal_links import REPORTS
from roundtap_hub.access.rights import PlayerId
from roundtap_hub.hub import Hub
from roundtap_hub.serving.cookies import phone_digest
from roundtap_hub.serving.http_answers import problem_status
from roundtap_hub.store.service import Snapshot, Step

PHONE_ACTOR = "phone:"
"""What the actor of an entry begins with that a player's phone made; the competitor's id follows."""
RESULT_BYTES_MAX = 2000
NAME_LETTERS_MAX = 64
NAME = re.compile(r"[A-Za-z0-9._-]+")
"""It becomes a part of an address: no more letters than that needs."""
ACCEPTED, REFUSED = "accepted", "refused"
REPORT_FIELDS = frozenset({"match", "draw", "a", "b", "revision", "serial", "result", "report_id"})


@dataclass(frozen=True, slots=True)
class PhoneReportFate:
    """What became of a report: `fate`, `reason` and `number` as for a unit; `key` of the texts that say so
    ("me.said.…"). `name`: what the page called the report."""

    name: str
    fate: str
    reason: str | None
    number: int
    key: str


def report_id(who: PlayerId, name: str) -> str:
    """The id on record: nobody's phone can use up the id of somebody else's report, or of a unit's."""
    return "phone-" + hashlib.sha256("\n".join((*who, name)).encode()).hexdigest()[:32]


def report_of(snapshot: Snapshot, who: PlayerId, fields: Mapping[str, str], phone: str) -> tuple[str, Step]:
    """(the page's name for it, the step for the writer). The side is that of the person whose link it is, whatever else
    was sent; `phone` is what the browser is known by. Raises Problem where it cannot be read, or is about nobody's
    match or another's."""
    event_id, competitor = who
    state = snapshot.event(event_id)
    if state is None or event_id in snapshot.venue.deleted:
        raise Problem("event_deleted")
    if event_id in snapshot.venue.archived or state.finished:
        raise Problem("event_finished", name=state.name)
    said = _read(fields)
    side, heard = _side(state, said["match"], competitor)
    if said["serial"] > heard + 1:
        # A page counts on from what was heard. A larger number would keep this side from saying anything later.
        raise Invalid("report_malformed", field="serial")
    name = said.pop("report_id")
    agrees = {"report_id": fields["agrees_id"], "hash": fields.get("agrees_hash", "")} if fields.get(
        "agrees_id") else None
    if agrees is not None and any(len(text) > NAME_LETTERS_MAX for text in agrees.values()):
        raise Invalid("report_malformed", field="agrees_to")
    whole = {**said, "report_id": report_id(who, name), "phone": competitor, "event": event_id, "side": side,
             "agrees_to": agrees}
    command = RecordReport(whole["report_id"], said["match"], side, said["revision"], said["result"], digest(whole),
                     said["draw"], said["serial"], agrees, said["a"], said["b"], holder=phone_digest(phone))
    return name, Step(event_id, command, actor=f"{PHONE_ACTOR}{competitor}")


def _read(fields: Mapping[str, str]) -> dict[str, Any]:
    """The fields of the form by their kinds. Raises Problem("report_malformed") naming the first that is wrong."""
    read: dict[str, Any] = {}
    for name in sorted(REPORT_FIELDS):
        text = fields.get(name, "")
        if not text or len(text) > (RESULT_BYTES_MAX if name == "result" else NAME_LETTERS_MAX):
            raise Invalid("report_malformed", field=name)
        read[name] = text
    try:
        for name in ("revision", "serial"):
            read[name] = int(read[name])
        name = "result"
        read[name] = json.loads(read[name], parse_float=_none, parse_constant=_none)
        # What cannot be written down is as little a result as what cannot be read.
        canonical(read[name])
    except (ValueError, RecursionError):
        raise Invalid("report_malformed", field=name) from None
    if not NAME.fullmatch(read["report_id"]):
        raise Invalid("report_malformed", field="report_id")
    if not isinstance(read["result"], dict):
        raise Invalid("report_malformed", field="result")
    if read["serial"] < 1:
        raise Invalid("report_malformed", field="serial")
    return read


def _none(_: str) -> int:
    """No result has such a number in it."""
    raise ValueError


def _side(state: EventState, match_id: str, competitor: str) -> tuple[Side, int]:
    """The person's own side in the match, and the serial last heard of it. Raises Problem where it is not theirs, or
    not any more."""
    found = state.find_match(match_id)
    if found is None or competitor not in (found[1].match.a, found[1].match.b):
        raise Problem("not_your_match")
    side: Side = "a" if found[1].match.a == competitor else "b"
    return side, found[1].heard.get(side, 0)


def submit(hub: Hub, who: PlayerId, fields: Mapping[str, str], phone: str) -> tuple[str, str,
                                                                                    Future[list[Entry]] | None]:
    """(the page's name for it, its digest, when it is on the disk; None: it was before). A report that was said before
    is not said again. Raises Problem where it cannot be read, and where this person reports far too often."""
    snapshot = hub.service.snapshot
    name, step = report_of(snapshot, who, fields, phone)
    assert isinstance(step.command, RecordReport)
    if report_fate(snapshot, who, name) is not None:
        return name, step.command.body, None
    hub.access.links.charge(REPORTS, who)
    return name, step.command.body, hub.service.submit([step], step.actor)


def report_fate(snapshot: Snapshot, who: PlayerId, name: str, body: str = "") -> PhoneReportFate | None:
    """What became of a report of this person; None where nothing of it is on record. `body`: the digest of what is said
    by this name now, where it is not only asked for."""
    state = snapshot.event(who[0])
    fate = state.fates.get(report_id(who, name)) if state is not None else None
    if state is None or fate is None:
        return None
    if body not in ("", fate.body):
        return PhoneReportFate(name, REFUSED, "altered", fate.number, "me.said.altered")
    return PhoneReportFate(name, fate.fate, fate.reason, fate.number, _key(state, fate, who[1]))


def phone_problem(problem: Problem) -> Problem:
    """What the writer refused, for somebody at a phone: nothing keeps their report for later."""
    return Problem("phone_has_no_place") if problem.key == "report_has_no_place" else problem


def fate_json(found: PhoneReportFate, words: Words) -> dict[str, Any]:
    """The echo, the hub's own word on the very report that was sent: the page believes nothing else. And what it means
    in the words of whoever asks."""
    title = words("me.said.saved", number=found.number) if found.fate == ACCEPTED else words("me.said.not")
    return {"report_id": found.name, "fate": found.fate, "reason": found.reason, "number": found.number,
            "title": title, "text": words(found.key)}


RETRY_STATUS: Mapping[str, int] = {"too_often": 429, "not_saved": 503, "hub_slow": 503, "phone_not_yet": 503}


def phone_status(problem: Problem) -> int:
    """400 and 409 say for good that this report is not taken; 429 and 503, that it is worth sending it again."""
    return RETRY_STATUS.get(problem.key) or problem_status(problem)


def _key(state: EventState, fate: Fate, competitor: str) -> str:
    """Of the text: for a report that was taken it is what stands now, whatever was said since."""
    if fate.fate != ACCEPTED:
        return f"me.said.{fate.reason}"
    found = state.find_match(fate.match or "")
    if found is None or competitor not in (found[1].match.a, found[1].match.b):
        return "me.said.taken"
    by_state = {AGREED: "agreed", ONE_SIDED: "one-sided", DISPUTE: "dispute", SECOND: "second", DECIDED: "agreed",
                ONE_PHONE: "one-phone"}
    return f"me.said.{by_state.get(found[1].state, 'taken')}"
