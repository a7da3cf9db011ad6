"""A round changed manually: mended in one small, previewed step; typed in full; or imposed by another program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import g, redirect, request, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import commands
from roundtap_core.event.event_flow import current_seeds, upcoming_stage
from roundtap_core.event.imposed_rounds import preview_imposed
from roundtap_core.event.mending import MendCommand, plan_mend
from roundtap_core.event.mending_steps import AGAIN, BYE_GIVEN, PAIR, SWAP, TABLE, UNPUBLISH, WITHDRAW, MendPlan
from roundtap_core.event.states import EventState, active_ids
from roundtap_core.records import BYE, SECOND_SWISS, SWISS
from roundtap_core.typed import NUMBER
from roundtap_hub.http.http_answers import problem_status
from roundtap_hub.http.routes import HEADS, OPEN, ORGANIZERS, VISIBLE, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.store.command_pipeline import with_hall_context
from roundtap_hub.views.judging_view import officials_on_duty
from roundtap_hub.views.knockout import next_round_key
from roundtap_hub.views.mending_view import mend_view, warnings_of
from roundtap_hub.views.saved_event import SavedEvent, full_names, name_sort_key

STEPS = (SWAP, TABLE, PAIR, BYE_GIVEN, AGAIN, UNPUBLISH, WITHDRAW)

SPARE_ROWS = 2

MOST_ROWS = 600


@route("GET /console/<event_id>/mend", HEADS, VISIBLE)
def mend_page(event_id: str, **_: str) -> AnyResponse:
    """The round that may be mended; `do` and its fields preview a step without doing it."""
    event = current.event(event_id)
    names = full_names(event)
    step = None
    if request_value("do"):
        try:
            step = _planned_mend(event)
        except Problem as problem:
            # After a POST the page already shows the problem.
            if request.method == "GET":
                g.problem, g.status = forms.with_competitor_names(problem, event_id), problem_status(problem)
    return render.page(
        "mending.html",
        state=event.state,
        view=mend_view(event, names),
        step=step,
        said=request_value,
        warnings=warnings_of(step, names) if step else (),
        officials_on_duty=officials_on_duty(event),
        done=request.args.get("done", ""),
    )


def _planned_mend(event: SavedEvent) -> MendPlan:
    snapshot = current.snapshot()
    command = with_hall_context(snapshot.events, snapshot.venue, event.state, mend_command(event), current.actor())
    return plan_mend(event.state, command)  # type: ignore[arg-type]


@route("POST /console/<event_id>/mend", HEADS, OPEN)
@forms.shows_problem_on(mend_page)
def apply_mend(event_id: str) -> AnyResponse:
    """Do the step as it was previewed; `plan` is the preview's mark."""
    command = mend_command(
        current.event(event_id), forms.typed_reason(), forms.signing_official(event_id), forms.field("plan")
    )
    forms.submit_command(event_id, command)
    if isinstance(command, commands.UnpublishRound):
        return forms.back_to_event(event_id)
    return redirect(url_for("console.mend_page", event_id=event_id, done=request_value("do")), 303)


def mend_command(event: SavedEvent, reason: str = "", by: str = "", plan: str = "") -> MendCommand:
    """The command in the fields. Raises Problem("not_one_of", "table_number")."""
    do, number = request_value("do"), _number("number") or _newest(event)
    two = tuple(who for who in (request_value("first"), request_value("second")) if who)
    table = _number("table") if do in (TABLE, PAIR) else None
    if do == TABLE and table is None:
        raise Invalid("table_number", value="", maximum=NUMBER[1])
    made: Mapping[str, MendCommand] = {
        SWAP: commands.SwapSeats(number, two, reason, by, plan),
        TABLE: commands.MoveToTable(number, request_value("match"), table or 0, reason, by, plan),
        PAIR: commands.PairWaiting(number, two, reason, table, by, plan),
        BYE_GIVEN: commands.GiveBye(number, request_value("first"), reason, by, plan),
        AGAIN: commands.PairAgain(number, reason, by, plan),
        UNPUBLISH: commands.UnpublishRound(number, reason, False, by, plan),
        WITHDRAW: commands.UnpublishRound(number, reason, True, by, plan),
    }
    if do not in made:
        raise Invalid("not_one_of", value=do[:20], options=", ".join(STEPS))
    return made[do]


def request_value(name: str) -> str:
    """A field of the posted form, else of the address."""
    return forms.sent_fields().get(name, "").strip()


def _number(name: str) -> int | None:
    return forms.read_number(request_value(name), NUMBER, "table_number")


def _newest(event: SavedEvent) -> int:
    played = event.state.draft or event.state.live
    return played.number if played is not None else 0


@dataclass(frozen=True, slots=True)
class TypedRow:
    """One table as typed, all as text."""

    table: str = ""
    a: str = ""
    b: str = ""


def stage_by_hand(state: EventState) -> str:
    """The stage of the next round; the core refuses one that a bracket or a tie pairs."""
    if state.draft is not None:
        return state.draft.stage
    stage = upcoming_stage(state)
    return SECOND_SWISS if stage == SWISS and state.cut is not None else stage


def labels_of(event: SavedEvent) -> dict[str, str]:
    """The full names of all who can be paired, by competitor."""
    state, names = event.state, full_names(event)
    pairable = active_ids(state)
    if seeds := current_seeds(state):
        pairable &= set(seeds)
    called = {who: names.get(who, who) for who in pairable}
    return dict(sorted(called.items(), key=lambda each: (name_sort_key(each[1]), each[0])))


@dataclass(frozen=True, slots=True)
class ManualPairing:
    """`number`, `name` (a key, None for Swiss): of the new round; `labels`: a unique text for each player in it."""

    number: int
    name: str | None
    labels: list[str]
    rows: list[TypedRow]
    from_draw: bool
    has_draft: bool


def manual_pairing_view(event: SavedEvent, typed: Sequence[TypedRow], from_draw: bool) -> ManualPairing:
    """The rows as typed, else from the draft, else empty."""
    state, labels = event.state, labels_of(event)
    rows = list(typed)
    if not rows and from_draw and state.draft is not None:
        matches = sorted(state.draft.matches, key=lambda m: (m.match.table is None, m.match.table or 0))
        rows = [
            TypedRow(str(m.match.table or ""), labels.get(m.match.a, ""), labels.get(m.match.b or "", ""))
            for m in matches
        ]
    rows += [TypedRow()] * ((len(labels) + 1) // 2 + SPARE_ROWS - len(rows))
    number, has_draft = len(state.public_rounds) + 1, state.draft is not None
    return ManualPairing(number, next_round_key(state), list(labels.values()), rows, from_draw, has_draft)


def imposed_round(event: SavedEvent, rows: Sequence[TypedRow]) -> commands.ImposeRound:
    """The round as its rows say; a player alone in a row has the bye. Raises Problem("pair_unknown",
    "pair_several", "pair_table", "pair_empty") with text and row."""
    labels = labels_of(event)
    byes = {m.match.a: m.match.bye for m in (event.state.draft.matches if event.state.draft else ())}
    matches: list[Mapping[str, Any]] = []
    for place, row in enumerate(rows, start=1):
        who = [_find_by_name(labels, text, place) for text in (row.a, row.b) if text]
        if not who:
            continue
        if len(who) == 1:
            matches.append({"a": who[0], "bye": byes.get(who[0]) or BYE})
            continue
        match: dict[str, Any] = {"a": who[0], "b": who[1]}
        if row.table:
            if not row.table.isdecimal() or not 1 <= int(row.table[:9]) <= 99_999:
                raise Problem("pair_table", value=row.table[:20], row=place)
            match["table"] = int(row.table[:9])
        matches.append(match)
    if not matches:
        raise Problem("pair_empty")
    return commands.ImposeRound(tuple(matches), stage_by_hand(event.state))


def _find_by_name(labels: Mapping[str, str], text: str, place: int) -> str:
    """The competitor that a text names: by the whole name, else by a part of only one name."""
    wanted = _plain(text)
    whole = [who for who, label in labels.items() if _plain(label) == wanted]
    parts = whole or [who for who, label in labels.items() if wanted in _plain(label)]
    if not parts:
        raise Problem("pair_unknown", value=text[:80], row=place)
    if len(parts) > 1:
        raise Problem("pair_several", value=text[:80], row=place, names=", ".join(labels[who] for who in parts[:4]))
    return parts[0]


def _plain(text: str) -> str:
    return " ".join(name_sort_key(text)[0].split())


@route("GET /console/<event_id>/pair", ORGANIZERS, VISIBLE)
def pair_page(event_id: str, **_: str) -> AnyResponse:
    """The form of a whole round, from the draft or empty; after a Problem as it was typed."""
    event = current.event(event_id)
    rows, from_draw = _typed(), request.args.get("from") != "empty"
    problem: Problem | None = g.get("problem")
    step = (
        preview_imposed(event.state, _command(event))
        if problem is not None and problem.key in ("mend_warned", "mend_changed_meanwhile")
        else None
    )
    return render.page(
        "pair.html",
        state=event.state,
        view=manual_pairing_view(event, rows, from_draw),
        warnings=warnings_of(step, full_names(event)) if step is not None else (),
        plan=step.mark if step is not None else "",
        officials_on_duty=officials_on_duty(event),
        said=forms.field,
    )


@route("POST /console/<event_id>/pair", ORGANIZERS, OPEN)
@forms.shows_problem_on(pair_page)
def save_pairing(event_id: str) -> AnyResponse:
    """Make the typed round a draft, with a reason; warnings are shown first."""
    event = current.event(event_id)
    command = replace(
        _command(event), reason=forms.typed_reason(), by=forms.signing_official(event_id), plan=forms.field("plan")
    )
    if not command.reason:
        raise Invalid("reason_missing")
    forms.submit_command(event_id, command)
    return forms.back_to_event(event_id, "draft")


def _command(event: SavedEvent) -> commands.ImposeRound:
    command = imposed_round(event, _typed())
    snapshot = current.snapshot()
    made = with_hall_context(snapshot.events, snapshot.venue, event.state, command, current.actor())
    assert isinstance(made, commands.ImposeRound)
    return made


def _typed() -> list[TypedRow]:
    """All rows of the posted form, empty ones included, so that each keeps its place."""
    if request.method != "POST":
        return []
    columns = [request.form.getlist(name)[:MOST_ROWS] for name in ("table", "a", "b")]
    return [TypedRow(*(text.strip() for text in row)) for row in zip(*columns, strict=False)]
