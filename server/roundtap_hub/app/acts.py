"""What the staff did: the message on the page that follows an act, the list of the last acts, how each is undone."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from flask import redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import format_clock
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.undo import Act, Undoing, undo_commands
from roundtap_core.records import result_from_json
from roundtap_hub.access.policy import refuse_in_state, refuse_role
from roundtap_hub.app.console import event_page, look_at
from roundtap_hub.http.routes import NOT_ARCHIVED, ROUTES, STAFF, VISIBLE, PageKey, find_route, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.store.service import Step
from roundtap_hub.views import places
from roundtap_hub.views.round_clock import time_of_day
from roundtap_hub.views.saved_event import SavedEvent, full_names, saved_event
from roundtap_hub.views.tables import shown_result
from roundtap_hub.views.unit_presence import taker_name

# What a form may say that adds no entry to an event (forms.note_act).
WITHOUT_ENTRY = ("saved", "unchanged", "here", "call", "identify", "joined", "parted", "forgotten")

LISTS = "lists_required"  # the option

MESSAGE_MS = 10 * 60_000  # a page with a message may be loaded again so long; later it would be no news

# The form of an event's console that does what each undoing command does: who may send it may undo so.
_DONE_AT: Mapping[type[c.Command], str] = {
    c.RemoveCompetitor: "competitors/<competitor>/remove",
    c.ReturnCompetitor: "competitors/<competitor>/return",
    c.DropCompetitor: "competitors/<competitor>/drop",
    c.CheckIn: "competitors/<competitor>/here",
    c.RecordCheck: "competitors/<competitor>/tick",
    c.SetCheckIn: "check-in",
    c.SetSignUp: "sign-up",
    c.OfficialDuty: "officials/<official>/duty",
    c.SetOptions: "options",
    c.SetEventDetails: "about",
    c.SetPrizes: "prizes",
    c.DiscardDraft: "discard",
    c.UnpublishRound: "mend",
    c.SetClock: "clock",
    c.ReopenEvent: "reopen",
    c.WithdrawCut: "cut/back",
    c.EnterResult: "match/<match_id>/clear",
    c.NoShow: "match/<match_id>/no-show",
    c.DoubleNoShow: "match/<match_id>/nobody-came",
    c.UndoNoShow: "match/<match_id>/here-after-all",
    c.GrantExtension: "match/<match_id>/extension",
    c.TakeBackExtension: "match/<match_id>/extension",
    c.TakeCall: "call",
    c.CallJudge: "call/settled",
    c.AskToDrop: "leave/refused",
}


def _act_of(event: SavedEvent, number: int | None) -> Act | None:
    """The one of the last acts whose last entry has this number."""
    return next((act for act in current.hub().times.of(event.state).acts if act[-1].entry.number == number), None)


def _line(event: SavedEvent, act: Act) -> dict[str, Any]:
    """One act for the templates: its last entry's `number`, what was done, in the reader's words, the `result` where
    one was entered, by whom, when, and whether this reader may undo it now."""
    state, words, last = event.state, current.game_words(event.state), act[-1].entry
    entry = next((past.entry for past in act if past.entry.kind == "event-created"), last)
    data, match = entry.data, (state.find_match(str(entry.data.get("match"))) or (None, None))[1]
    names = {**{who: person.name for who, person in event.people.items()}, **full_names(event)}
    about = data.get("competitor") or data.get("absent") or data.get("official") or ""
    seats = [each.table for each in (match.match, match.drawn) if each] if match else []
    # False, None and "" take back what the same kind sets.
    off = any(not data.get(key, True) for key in ("on", "used", "sign_up", "result", "by"))
    # Whether lists are needed is a press of its own, on Play.
    was: dict[str, Any] = (act[-1].was or entry).data.get("options", {}) if entry.kind == "options-set" else {}
    if was and was != data.get("options") and {**was, LISTS: 0} == {**data["options"], LISTS: 0}:
        how = "lists" if state.rulebook.options(data["options"]).get(LISTS) else "no_lists"
    else:
        how = data.get("state", "off" if off else "")
    key = f"did.{entry.kind}.{how}"
    entered = data.get("result") if entry.kind == "result-entered" else None
    role = taker_name(current.snapshot(), last.actor)
    try:
        may_undo = bool(_undoing(event, act))
    except Problem:
        may_undo = False
    return {
        "number": last.number,
        "text": words(
            key if key in words else f"did.{entry.kind}",
            who=", ".join(names.get(who, "–") for who in ([about] if isinstance(about, str) else about)),
            table=next(filter(None, seats), "–"),
            round=render.round_title(words, state, data.get("number", 0)),
            minutes=data.get("minutes"),
            time=format_clock(data.get("remaining_ms")),
            event=state.name,
            # Of several entries of one kind the words say how many.
            n=sum(past.entry.kind == entry.kind for past in act),
        ),
        "result": shown_result(result_from_json(entered), state, match) if entered else None,
        "who": words.first(f"role.{role}", role),
        "time": time_of_day(last.at.wall),
        "since_ms": last.at.mono_ms if last.at.boot_id == current.instant().boot_id else None,
        "may_undo": may_undo,
    }


def _undoing(event: SavedEvent, act: Act) -> list[Step]:
    """The steps that undo the act, as the reader may do them. Raises what is against it."""
    state, hub = event.state, current.hub()
    refuse_in_state(current.snapshot(), ROUTES["POST /console/<event_id>/undo"], state.id)
    by, reason = forms.signing_official(event.event_id), current.words()("undo.reason")
    how = Undoing(hub.clocks.now(), by, reason, forms.field("cut"))
    made = undo_commands(state, act, hub.times.of(state).newest, how)
    for command in made:
        does = ROUTES[f"POST /console/<event_id>/{_DONE_AT[type(command)]}"]
        refuse_role(current.snapshot(), does, render.reader_role(), state.id, getattr(command, "match", ""))
    if not made:
        raise Problem("undo_over")
    return [Step(state.id, command) for command in made]


def act_message() -> str:
    """What was done by the press that led to this page (forms.note_act); "" for any other page, and later."""
    what, _, mark = request.args.get("did", "").rpartition(".")
    event, number = saved_event(current.snapshot(), what), int(mark) if mark.isdecimal() and len(mark) < 16 else 0
    act = _act_of(event, number) if event is not None else None
    plain: dict[str, Any] = {
        "text": current.words()(f"did.{what}") if what in WITHOUT_ENTRY else "",
        "since_ms": number,
    }
    line = _line(event, act) if event is not None and act is not None else plain
    if not line["text"] or line["since_ms"] is None or not 0 <= current.now_ms() - line["since_ms"] < MESSAGE_MS:
        return ""
    elsewhere = event is not None and request.path != places.PLAY.path(event.event_id)
    html = render_template(
        "did.html",
        **render.common_context(
            current.hub(),
            current.game_words(event.state) if event is not None else current.words(),
        ),
        line=line,
        event=event,
        names=full_names(event) if event is not None else {},
        next=look_at(event).next if event is not None and elsewhere else None,
    )
    return render.text_for_role(html, render.reader_role())


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
        lines=[_line(event, act) for act in reversed(current.hub().times.of(event.state).acts)],
    )


@route("POST /console/<event_id>/undo", STAFF, NOT_ARCHIVED)
@forms.shows_problem_on(event_page)
def undo_act(event_id: str) -> AnyResponse:
    """Undo the act with this last entry (`number`), as long as nothing has followed from it. `cut`: as where a result
    is entered."""
    event = current.event(event_id)
    act = _act_of(event, forms.form_number("number"))
    if act is None or not forms.submit_steps(_undoing(event, act)):
        raise Problem("undo_over")
    came_from = urlsplit(request.referrer or "").path
    back = find_route("GET", came_from) is not None and came_from.startswith(f"/console/{event_id}/")
    return redirect(came_from, 303) if back else forms.back_to_event(event_id)
