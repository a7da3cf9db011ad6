"""Reports from players' phones: a core report with an id of its own, and what became of it; answered on the event loop,
so no thread waits while they are saved.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from urllib.parse import parse_qsl

from msgspec import structs

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import RecordReport
from roundtap_core.event.entries import Entry
from roundtap_core.event.states import AGREED, DECIDED, DISPUTE, ONE_PHONE, ONE_SIDED, SECOND, EventState, ReportFate
from roundtap_core.records import Side
from roundtap_core.wire import canonical_json, digest
from roundtap_core.words import Words
from roundtap_hub.access.personal_links import PHONE_ACTOR, REPORTS
from roundtap_hub.http import http_answers
from roundtap_hub.http.page_queues import LoopInbox
from roundtap_hub.http.requester import language_of, phone_digest, words_in
from roundtap_hub.live.cached_pages import PERSONAL_HEADERS, phone_of
from roundtap_hub.store.service import HubStopped, Snapshot, Step
from roundtap_hub.store.venue import PlayerId
from roundtap_hub.views.running_hub import RunningHub

RESULT_BYTES_MAX = 2000
NAME_LETTERS_MAX = 64
NAME = re.compile(r"[A-Za-z0-9._-]+")  # it becomes part of an address, hence the few characters
ACCEPTED, REFUSED = "accepted", "refused"
REPORT_FIELDS = frozenset({"match", "draw", "a", "b", "revision", "serial", "result", "report_id"})

RETRY_STATUS: Mapping[str, int] = {"too_often": 429, "not_saved": 503, "hub_slow": 503, "phone_not_yet": 503}


@dataclass(frozen=True, slots=True)
class PhoneReportFate:
    """What became of a report: `fate`, `reason` and `number` as for a unit; `key` of its text ("me.said.…"); `name`:
    the page's id of the report."""

    name: str
    fate: str
    reason: str | None
    number: int
    key: str


def report_id(who: PlayerId, name: str) -> str:
    """The id on record, distinct per player: no phone can use up the id of another's report, or of a unit's."""
    return "phone-" + hashlib.sha256("\n".join((*who, name)).encode()).hexdigest()[:32]


def make_phone_report(snapshot: Snapshot, who: PlayerId, fields: Mapping[str, str], phone: str) -> tuple[str, Step]:
    """(the page's name for it, the step for the writer). The side is always the link owner's; `phone`: the browser's
    id. Raises Problem where it is malformed, or not about this player's match."""
    event_id, competitor = who
    state = snapshot.event(event_id)
    if state is None or event_id in snapshot.venue.deleted:
        raise Problem("event_deleted")
    if event_id in snapshot.venue.archived or state.finished:
        raise Problem("event_finished", name=state.name)
    read = _read(fields)
    side, heard = _side(state, read.match, competitor)
    if read.serial > heard + 1:
        # A page counts on from the last serial. A larger one would block this side's later reports.
        raise Invalid("report_malformed", field="serial")
    agrees = (
        {"report_id": fields["agrees_id"], "hash": fields.get("agrees_hash", "")} if fields.get("agrees_id") else None
    )
    if agrees is not None and any(len(text) > NAME_LETTERS_MAX for text in agrees.values()):
        raise Invalid("report_malformed", field="agrees_to")
    whole = {
        **{name: getattr(read, name) for name in REPORT_FIELDS},
        "report_id": report_id(who, read.report_id),
        "phone": competitor,
        "event": event_id,
        "side": side,
        "agrees_to": agrees,
    }
    command = structs.replace(
        read,
        report_id=whole["report_id"],
        side=side,
        body=digest(whole),
        agrees_to=agrees,
        holder=phone_digest(phone),
        lets_go=fields.get("lets_go", "")[:NAME_LETTERS_MAX],
    )
    return read.report_id, Step(event_id, command, actor=f"{PHONE_ACTOR}{competitor}")


def _read(fields: Mapping[str, str]) -> RecordReport:
    """What the form says, by the page's own id; the link says the side. Raises Problem("report_malformed") naming the
    first field that is wrong."""
    for name in sorted(REPORT_FIELDS):
        text = fields.get(name, "")
        if not text or len(text) > (RESULT_BYTES_MAX if name == "result" else NAME_LETTERS_MAX):
            raise Invalid("report_malformed", field=name)
    numbers: dict[str, int] = {}
    try:
        for name in ("revision", "serial"):
            numbers[name] = int(fields[name])
        name = "result"
        result = json.loads(fields[name], parse_float=_none, parse_constant=_none)
        # Raises for what JSON can read but not write.
        canonical_json(result)
    except (ValueError, RecursionError):
        raise Invalid("report_malformed", field=name) from None
    if not NAME.fullmatch(fields["report_id"]):
        raise Invalid("report_malformed", field="report_id")
    if not isinstance(result, dict):
        raise Invalid("report_malformed", field="result")
    if numbers["serial"] < 1:
        raise Invalid("report_malformed", field="serial")
    return RecordReport(
        fields["report_id"],
        fields["match"],
        "a",
        numbers["revision"],
        result,
        "",
        fields["draw"],
        numbers["serial"],
        None,
        fields["a"],
        fields["b"],
    )


def _none(_: str) -> int:
    """Refuse numbers that no result contains."""
    raise ValueError


def _side(state: EventState, match_id: str, competitor: str) -> tuple[Side, int]:
    """The player's side in the match, and its last serial. Raises Problem where the match is not theirs (any more)."""
    round_and_match = state.find_match(match_id)
    if round_and_match is None or competitor not in (round_and_match[1].match.a, round_and_match[1].match.b):
        raise Problem("not_your_match")
    side: Side = "a" if round_and_match[1].match.a == competitor else "b"
    return side, round_and_match[1].heard.get(side, 0)


def submit(
    hub: RunningHub, who: PlayerId, fields: Mapping[str, str], phone: str
) -> tuple[str, str, Future[list[Entry]] | None]:
    """(the page's name for it, its digest, a future of its being on the disk; None for a repeated report, which is
    there already). Raises Problem where it is malformed, and where this player reports far too often."""
    snapshot = hub.service.snapshot
    name, step = make_phone_report(snapshot, who, fields, phone)
    assert isinstance(step.command, RecordReport)
    if report_fate(snapshot, who, name) is not None:
        return name, step.command.body, None
    hub.access.links.charge(REPORTS, who)
    return name, step.command.body, hub.service.submit([step], step.actor)


def report_fate(snapshot: Snapshot, who: PlayerId, name: str, body: str = "") -> PhoneReportFate | None:
    """What became of this player's report; None if not on record. `body`: digest of the one just sent, if any."""
    state = snapshot.event(who[0])
    fate = state.fates.get(report_id(who, name)) if state is not None else None
    if state is None or fate is None:
        return None
    if body not in ("", fate.body):
        return PhoneReportFate(name, REFUSED, "altered", fate.number, "me.said.altered")
    return PhoneReportFate(name, fate.fate, fate.reason, fate.number, _key(state, fate, who[1]))


def reword_problem(problem: Problem) -> Problem:
    """The writer's refusal in the phone's words: unlike a unit, it does not keep a report for later."""
    return Problem("phone_has_no_place") if problem.key == "report_has_no_place" else problem


def fate_json(fate: PhoneReportFate, words: Words) -> dict[str, object]:
    """The hub's answer about the very report sent, all that the page trusts, and its text in the reader's language."""
    title = words("me.said.saved", number=fate.number) if fate.fate == ACCEPTED else words("me.said.not")
    return {
        "report_id": fate.name,
        "fate": fate.fate,
        "reason": fate.reason,
        "number": fate.number,
        "title": title,
        "text": words(fate.key),
    }


def error_status(problem: Problem) -> int:
    """400 and 409: the report is refused for good; 429 and 503: it is worth sending again."""
    return RETRY_STATUS.get(problem.key) or http_answers.problem_status(problem)


def _key(state: EventState, fate: ReportFate, competitor: str) -> str:
    """The key of the text; of an accepted report it tells the match's present state."""
    if fate.fate != ACCEPTED:
        return f"me.said.{fate.reason}"
    round_and_match = state.find_match(fate.match or "")
    if round_and_match is None or competitor not in (round_and_match[1].match.a, round_and_match[1].match.b):
        return "me.said.taken"
    by_state = {
        AGREED: "agreed",
        ONE_SIDED: "one-sided",
        DISPUTE: "dispute",
        SECOND: "second",
        DECIDED: "agreed",
        ONE_PHONE: "one-phone",
    }
    return f"me.said.{by_state.get(round_and_match[1].state, 'taken')}"


BODY_BYTES_MAX, BODY_WITHIN_S, SAVE_S = 16 * 1024, 15.0, 10.0


class PhoneReportApi:
    """Takes reports."""

    def __init__(self, hub: RunningHub) -> None:
        self._hub = hub
        self._inbox = LoopInbox()

    async def answer(
        self,
        scope: http_answers.Scope,
        receive: http_answers.Receive,
        send: http_answers.Send,
        who: PlayerId,
        token: str,
    ) -> http_answers.Receive | None:
        """None: the report was answered. Else the receive for Flask, which shows on the page what is wrong with it."""
        try:
            body = await http_answers.read_body(scope, receive, BODY_BYTES_MAX, BODY_WITHIN_S)
        except (http_answers.BodyTooLarge, http_answers.BodyTimeout):
            await http_answers.send_answer(
                send, 400, b"text/plain", b"the report did not come whole\n", [*PERSONAL_HEADERS, *http_answers.CLOSE]
            )
            return None
        fields = (
            dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=64))
            if body.count(b"&") < 64
            else {}
        )
        for_script = b"application/json" in http_answers.get_header(scope, b"accept")
        words = words_in(language_of(scope, self._hub.language))
        try:
            fate = fate_json(await self._fate(who, fields, phone_of(scope)), words)
        except Problem as problem:
            if for_script:
                await http_answers.send_json(
                    send, error_status(problem), {"error": problem.say(words)}, PERSONAL_HEADERS
                )
                return None
            # Nothing was done; Flask shows the problem on the page.
            return _replay_body(body)
        except (HubStopped, TimeoutError):
            await http_answers.send_json(send, 503, {"error": Problem("phone_not_yet").say(words)}, PERSONAL_HEADERS)
            return None
        if for_script:
            await http_answers.send_json(send, 200, fate, PERSONAL_HEADERS)
        else:
            await http_answers.send_answer(
                send,
                303,
                b"text/plain",
                b"",
                [
                    *PERSONAL_HEADERS,
                    (b"location", f"/me/{token}/said/{fate['report_id']}".encode("latin-1", "replace")),
                ],
            )
        return None

    async def _fate(self, who: PlayerId, fields: Mapping[str, str], phone: str) -> PhoneReportFate:
        """Raises Problem, HubStopped, and TimeoutError where the outcome is not known yet."""
        name, body, saving = submit(self._hub, who, fields, phone)
        if saving is not None:
            try:
                await self._inbox.result(saving, SAVE_S)
            except Problem as problem:
                raise reword_problem(problem) from None
        fate = report_fate(self._hub.service.snapshot, who, name, body)
        if fate is None:
            raise Problem("not_saved")
        return fate


def _replay_body(body: bytes) -> http_answers.Receive:
    """A receive that returns an already read body once more."""
    parts: list[bytes] = [body]

    async def receive() -> dict[str, object]:
        if parts:
            return {"type": "http.request", "body": parts.pop(), "more_body": False}
        return {"type": "http.disconnect"}

    return receive
