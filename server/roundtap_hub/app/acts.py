"""What the staff did: the message on the page that follows an act, the list of the last acts, how each is undone."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import format_clock
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.decide import decide
from roundtap_core.event.entries import Entry
from roundtap_core.event.states import EventState
from roundtap_core.event.undo import Act, Undoing, undo_commands
from roundtap_core.records import result_from_json
from roundtap_core.words import Words
from roundtap_hub.access.policy import refuse_role
from roundtap_hub.app.console import event_page, step_ahead
from roundtap_hub.http.routes import NOT_ARCHIVED, STAFF, VISIBLE, PageKey, find_route, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.store.service import Step
from roundtap_hub.views import places
from roundtap_hub.views.round_clock import time_of_day
from roundtap_hub.views.saved_event import SavedEvent, full_names, saved_event
from roundtap_hub.views.tables import ShownResult, shown_result
from roundtap_hub.views.unit_presence import taker_name

MESSAGE_MS = 10 * 60_000  # a page with a message may be loaded again so long; later it would be no news

_DONE_AT: Mapping[type[c.Command], str] = {
    c.RemoveCompetitor: "competitors/{competitor}/remove",
    c.ReturnCompetitor: "competitors/{competitor}/return",
    c.DropCompetitor: "competitors/{competitor}/drop",
    c.CheckIn: "competitors/{competitor}/here",
    c.RecordCheck: "competitors/{competitor}/tick",
    c.SetCheckIn: "check-in",
    c.SetSignUp: "sign-up",
    c.OfficialDuty: "officials/{official}/duty",
    c.SetOptions: "options",
    c.SetEventDetails: "about",
    c.SetPrizes: "prizes",
    c.DiscardDraft: "discard",
    c.UnpublishRound: "mend",
    c.SetClock: "clock",
    c.ReopenEvent: "reopen",
    c.WithdrawCut: "cut/back",
    c.EnterResult: "match/{match}/clear",
    c.NoShow: "match/{match}/no-show",
    c.DoubleNoShow: "match/{match}/nobody-came",
    c.UndoNoShow: "match/{match}/here-after-all",
    c.GrantExtension: "match/{match}/extension",
    c.TakeBackExtension: "match/{match}/extension",
    c.TakeCall: "call",
    c.CallJudge: "call/settled",
    c.AskToDrop: "leave/refused",
}
"""The form of an event's console that does what each undoing command does: who may send it may undo so."""


@dataclass(frozen=True, slots=True)
class ActLine:
    """One act: its last entry, what was done, by whom, and whether the reader may undo it now."""

    number: int
    text: str
    result: ShownResult | None
    who: str
    time: str
    since_ms: int | None
    may_undo: bool


def _acts(event: SavedEvent) -> tuple[Act, ...]:
    return current.hub().times.of(event.state).acts


def _line(event: SavedEvent, act: Act) -> ActLine:
    entry, here = act[-1].entry, current.hub().clocks.boot_id
    try:
        may_undo = bool(_undoing(event, act))
    except Problem:
        may_undo = False
    role = entry.actor.partition(":")[0]
    name = taker_name(current.snapshot(), entry.actor)
    return ActLine(
        entry.number,
        _told(event, act),
        _result(event.state, entry),
        current.words()(f"role.{role}") if name == role else name,
        time_of_day(entry.at.wall),
        entry.at.mono_ms if entry.at.boot_id == here else None,
        may_undo,
    )


def _result(state: EventState, entry: Entry) -> ShownResult | None:
    round_and_match = state.find_match(str(entry.data.get("match")))
    if entry.kind != "result-entered" or entry.data["result"] is None or round_and_match is None:
        return None
    return shown_result(result_from_json(entry.data["result"]), state, round_and_match[1])


def _told(event: SavedEvent, act: Act) -> str:
    """What was done, in the reader's words; of several entries of one kind their number."""
    words: Words = current.words()
    entry = next((past.entry for past in act if past.entry.kind == "event-created"), act[-1].entry)
    data, names, state = entry.data, full_names(event), event.state
    round_and_match = state.find_match(str(data.get("match")))
    match = round_and_match[1] if round_and_match else None
    table = match and (match.match.table or (match.drawn and match.drawn.table))
    about = data.get("competitor") or data.get("absent") or data.get("official") or ""
    people = [about] if isinstance(about, str) else about
    # False, None and "" are what takes back.
    off = any(key in data and not data[key] for key in ("on", "used", "sign_up", "result", "by"))
    key = f"did.{entry.kind}"
    off_key = f"{key}.{data.get('state', 'off')}"
    return words(
        off_key if off_key in words and (off or "state" in data) else key,
        who=", ".join(names.get(who) or event.people[who].name if who in event.people else "" for who in people),
        table=table or "–",
        round=render.round_title(words, state, data.get("number", 0)) if "number" in data else "",
        minutes=data.get("minutes", ""),
        time=format_clock(data.get("remaining_ms")),
        event=state.name,
        n=sum(past.entry.kind == entry.kind for past in act),
    )


def _undoing(event: SavedEvent, act: Act) -> list[Step]:
    """The steps that undo the act, as the reader may do them. Raises what is against it."""
    state, hub = event.state, current.hub()
    by, reason = forms.signing_official(event.event_id), current.words()("undo.reason")
    how = Undoing(hub.clocks.now(), reason, by, forms.field("cut"))
    made = undo_commands(state, act, how)
    if not made:
        raise Problem("undo_over")
    for command in made:
        fields = {name: getattr(command, name) for name in command.__struct_fields__}
        found = find_route("POST", f"/console/{state.id}/{_DONE_AT[type(command)].format(**fields)}")
        assert found is not None
        refuse_role(current.snapshot(), found[0], render.reader_role(), state.id, fields.get("match", ""))
    # The first shows whether it still may be; the writer decides each on top of the ones before.
    if not decide(state, made[0], hub.clocks.now()):
        raise Problem("undo_over")
    return [Step(state.id, command) for command in made]


def act_message() -> Markup:
    """What was done by the press that led to this page (forms.note_act); empty for any other page, and later."""
    what, _, number = request.args.get("did", "").rpartition(".")
    if not (number.isdecimal() and len(number) < 16):
        return Markup("")
    event, words = saved_event(current.snapshot(), what), current.words()
    act = next((each for each in _acts(event) if each[-1].entry.number == int(number)), None) if event else None
    if event is not None and act is not None:
        line = _line(event, act)
        is_news = line.since_ms is not None and current.now_ms() - line.since_ms < MESSAGE_MS
        here = request.path == places.PLAY.path(event.event_id)
        shown = {"line": line, "event": event, "next": None if here else step_ahead(event), "names": full_names(event)}
    else:
        is_news = f"did.{what}" in words and 0 <= current.now_ms() - int(number) < MESSAGE_MS
        shown = {"text": words(f"did.{what}")} if is_news else {}
    if not is_news:
        return Markup("")
    return Markup(render.fragment("did.html", **shown))


@route("GET /console/<event_id>/acts", STAFF, VISIBLE)
def acts_page(event_id: str) -> AnyResponse:
    """The last acts of the staff, the newest first."""
    event = current.event(event_id)
    return render.page(
        "console_part.html",
        feed=PageKey("console", event_id),
        state=event.state,
        part="acts.html",
        part_id="acts",
        title=current.words()("acts.title"),
        lines=[_line(event, act) for act in reversed(_acts(event))],
    )


@route("POST /console/<event_id>/undo", STAFF, NOT_ARCHIVED)
@forms.shows_problem_on(event_page)
def undo_act(event_id: str) -> None:
    """Undo the act with this last entry (`number`), as long as nothing has followed from it. `cut`: as where a result
    is entered."""
    event, number = current.event(event_id), forms.form_number("number")
    act = next((act for act in _acts(event) if act[-1].entry.number == number), None)
    if act is None:
        raise Problem("undo_over")
    if not forms.submit_steps(_undoing(event, act)):
        raise Problem("undo_over")
