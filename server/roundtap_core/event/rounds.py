"""Rounds: drawing, publishing, closing, importing, tables, the clock, the end; and what the entries change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import Struct, convert
from msgspec.structs import replace

from roundtap_core.clock import COUNTING, IDLE, PAUSED, RUNNING, Clock, Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import event_flow, states
from roundtap_core.event.cut import closing_entry, final_order, unfinished_parts
from roundtap_core.event.entries import Entry, NewEntries, NewEntry
from roundtap_core.event.event_flow import Step, event_step
from roundtap_core.event.imposed_rounds import AdoptRound, ImposeRound, adopt_round, draft_entry, impose_round
from roundtap_core.event.setup import custom_options, play_on_entries
from roundtap_core.records import (
    SWISS,
    SWISS_STAGES,
    TIEBREAK,
    Draw,
    Match,
    match_to_json,
    present_count,
    refuse_result_limits,
    result_from_json,
)
from roundtap_core.rounds.next_round import next_tiebreak_round, second_stage_round
from roundtap_core.rulebooks.base import ORGANIZER
from roundtap_core.typed import Count, Exact, Id, LineOrEmpty, Minutes, Prose

if TYPE_CHECKING:
    from roundtap_core.pairing.swiss_round import DrawnRound

RESET = "reset"


class ImportRound(Struct, frozen=True):
    """One round of an event file, in the file's JSON. `players`: how many were there, where the file says. If it is
    still played, it moves away from `busy_tables`; `venue_number` as in PublishRound."""

    round: Mapping[str, Any]
    players: Count | None = None
    busy_tables: frozenset[int] = frozenset()
    venue_number: int | None = None


class DrawRound(Struct, frozen=True):
    """Draw the next round, or draw it anew. `seed` comes fresh from the system's randomness. `busy_tables`: where other
    events play or have drawn; filled in by the hub. `tiebreak_form`: how a tie of three or more is played out, where
    such a round follows ("each" or "knockout")."""

    seed: Exact
    busy_tables: frozenset[int] = frozenset()
    tiebreak_form: Id = "each"


class DiscardDraft(Struct, frozen=True):
    pass


class MoveTables(Struct, frozen=True):
    """The drawn round leaves `busy_tables` for free ones; `number` and `attempt` are what the organizer looked at."""

    number: Exact
    attempt: Exact
    busy_tables: frozenset[int] = frozenset()


class PublishRound(Struct, frozen=True):
    """`number` and `attempt` are what the organizer looked at: another draft is never published by mistake.

    Round 1 needs what the rulebook wants before it (`play_on_entries`): `noted` says why it is played without,
    `seen` which points that was said of (None: whichever there are), `by` who said so. `list_points` are filled in by
    whoever keeps the people, `taken_tables` (those at which other events play, with their names) and `venue_number`
    (RoundState.venue_number) by whoever knows the hall.
    """

    number: Exact
    attempt: Exact
    noted: Prose = ""
    seen: tuple[Prose, ...] | None = None
    by: Id = ORGANIZER
    list_points: tuple[states.OpenPoint, ...] = ()
    taken_tables: Mapping[int, str] = {}
    venue_number: int | None = None


class SetClock(Struct, frozen=True):
    """`action`: "start", "pause", "adjust" (by `delta_ms`), "set" (to `delta_ms`), or "reset": back to not started."""

    action: LineOrEmpty
    delta_ms: Exact = 0


class FinishEvent(Struct, frozen=True):
    """The standings are final. `reason`: why, where something is still to be played."""

    reason: Prose = ""


class ReopenEvent(Struct, frozen=True):
    """It was finished too early, or a result has to be put right."""


class SetExtraMinutes(Struct, frozen=True):
    """What chance adds to the round in play: rolled by a person, known to officials only until it runs."""

    number: Exact
    minutes: Minutes


def tables_in_play(state: states.EventState) -> frozenset[int]:
    """Tables of the public round: theirs until it closes, also where a result is in."""
    return _tables(state.live)


def tables_drafted(state: states.EventState) -> frozenset[int]:
    """Tables of a drawn round that only the organizer has seen."""
    return _tables(state.draft)


def _tables(played: states.RoundState | None) -> frozenset[int]:
    return frozenset(m.match.table for m in (played.matches if played else ()) if m.match.table is not None)


def clashing_tables(draft: states.RoundState, taken: Mapping[int, str]) -> dict[int, str]:
    """Tables of the drawn round at which another event plays, and that event's name; by table."""
    return {table: taken[table] for table in sorted(_tables(draft)) if table in taken}


def refuse_shared_tables(draft: states.RoundState, taken: Mapping[int, str]) -> None:
    """Problem("tables_taken") where the round would be published at tables of another event."""
    if clash := clashing_tables(draft, taken):
        raise Problem("tables_taken", tables=", ".join(map(str, clash)), event=", ".join(dict.fromkeys(clash.values())))


def table_moves(state: states.EventState, tables: Iterable[int], busy: Collection[int]) -> dict[int, int]:
    """Where a round at `tables` goes: each table that is busy, to the lowest one that is free. The others stay, and
    nobody comes to a table that is fixed for somebody."""
    tables = sorted(tables)
    fixed = {entrant.fixed_table for entrant in state.entrants.values()}
    free = (number for number in count(1) if number not in tables and number not in busy and number not in fixed)
    return {table: next(free) for table in tables if table in busy}


def draft_moves(state: states.EventState, busy: Collection[int]) -> dict[int, int]:
    """Where the drawn round's tables go (see `table_moves`); empty without a draft, or where nothing is busy."""
    return table_moves(state, tables_drafted(state), busy)


def set_clock(state: states.EventState, command: SetClock, now: Instant) -> NewEntries:
    clock = state.clock
    if state.live is None or clock.total_ms is None:
        raise Problem("no_round_to_time")
    if command.action == RESET:
        _refuse_after_report(state.live)
    changed = _CLOCK_ACTIONS[command.action](clock, command.delta_ms, now)
    return [
        NewEntry(
            "clock-set",
            {
                "state": changed.state,
                "remaining_ms": changed.remaining_ms,
                "total_ms": changed.total_ms,
            },
        )
    ]


def may_reset_clock(state: states.EventState) -> bool:
    """Whether the round can still go back to "not started": it was started, and no table has reported yet."""
    live = state.live
    return live is not None and state.clock.total_ms is not None and state.clock.state != IDLE and not _words(live)


def _words(live: states.RoundState) -> list[states.MatchState]:
    return [m for m in live.matches if m.match.bye is None and (m.match.result is not None or m.reports)]


def _refuse_after_report(live: states.RoundState) -> None:
    if _words(live):
        raise Problem("round_has_begun", tables=", ".join(str(m.match.table) for m in _words(live)))


def _reset_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    """As the round was published: starts, pauses and adjustments since were too early."""
    if clock.state == IDLE:
        raise Problem("clock_stands")
    return Clock(IDLE, clock.total_ms, clock.total_ms, now)


def _start_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    if clock.state == RUNNING:
        raise Problem("clock_runs")
    return clock.started(now)


def _pause_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    if clock.state != RUNNING:
        raise Problem("clock_stands")
    return clock.paused(now)


def _adjust_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    remaining_ms = clock.remaining_at(now)
    assert remaining_ms is not None
    return clock.set_to(remaining_ms + delta_ms, now)


def _resume_from_tables(state: str) -> Callable[[Clock, int, Instant], Clock]:
    """The clock was counting at the tables alone: from now on it runs here, or stands, at the chosen time."""

    def resumed_clock(clock: Clock, remaining_ms: int, now: Instant) -> Clock:
        if clock.state != COUNTING:
            raise Problem("clock_not_counting")
        return Clock(state, remaining_ms, clock.total_ms, now)

    return resumed_clock


_CLOCK_ACTIONS: Mapping[str, Callable[[Clock, int, Instant], Clock]] = {
    "start": _start_clock,
    "pause": _pause_clock,
    "adjust": _adjust_clock,
    # "restore" is how the hub itself holds a clock that another boot was running (clock_after_restart).
    "restore": lambda clock, remaining_ms, now: Clock(COUNTING, remaining_ms, clock.total_ms, now),
    "continue": _resume_from_tables(RUNNING),
    "hold": _resume_from_tables(PAUSED),
    RESET: _reset_clock,
    "set": lambda clock, remaining_ms, now: clock.set_to(remaining_ms, now),
}


def draw_round(state: states.EventState, command: DrawRound, now: Instant) -> NewEntries:
    """Draw the next round, closing the one in play; with a draft in hand, draw that one again (the next attempt)."""
    closing = closing_entry(state)
    draft = state.draft
    seed, attempt = (draft.draw.seed, draft.draw.attempt + 1) if draft and draft.draw else (command.seed, 1)
    follows = event_flow.upcoming_stage(state)
    if follows == SWISS:
        pairing = _swiss_round(state, command, seed, attempt)
    elif follows == TIEBREAK:
        pairing = next_tiebreak_round(
            states.tournament_of(state), seed, attempt, command.tiebreak_form, command.busy_tables
        )
    else:
        _refuse_elimination(state, follows)
        pairing = _elimination_round(state, command, seed, attempt)
    return [
        *closing,
        draft_entry(
            pairing.number,
            pairing.stage,
            pairing.draw,
            map(match_to_json, pairing.matches),
            pairing.notes,
            pairing.notes["form"] if follows == TIEBREAK else None,
        ),
    ]


def _swiss_round(state: states.EventState, command: DrawRound, seed: int, attempt: int) -> DrawnRound:
    from roundtap_core.pairing.swiss_round import draw_swiss_round

    tournament, draft = states.tournament_of(state), state.draft
    if state.cut is not None or event_flow.second_swiss_rounds(state):
        if event_flow.offered_places(state) is not None:
            raise Problem("offer_unanswered")
        if len(event_flow.current_seeds(state)) < 2 and not event_flow.second_swiss_rounds(state):
            raise Problem("too_few_players", n=len(event_flow.current_seeds(state)))
        return second_stage_round(tournament, seed, attempt, event_flow.current_seeds(state), command.busy_tables)
    drawn = draw_swiss_round(tournament, seed=seed, attempt=attempt, busy=command.busy_tables)
    before = {frozenset((each.match.a, each.match.b)) for each in (draft.matches if draft and draft.number > 1 else ())}
    if state.rulebook.everybody and before == {frozenset((match.a, match.b)) for match in drawn.matches}:
        raise Problem("circle_is_fixed")
    return drawn


def _refuse_elimination(state: states.EventState, follows: str) -> None:
    if follows == event_flow.CUT:
        raise Problem("cut_not_made")
    if follows == event_flow.OVER:
        if event_flow.elimination_rounds(state):
            raise Problem("bracket_decided")
        raise Problem("all_rounds_played", rounds=sum(r.stage in SWISS_STAGES for r in state.public_rounds))
    if event_flow.offered_places(state) is not None:
        raise Problem("offer_unanswered")


def _elimination_round(state: states.EventState, command: DrawRound, seed: int, attempt: int) -> DrawnRound:
    from roundtap_core.elimination.bracket import BY_BRACKET, next_elimination_round

    # A cut of which no one is left is no reason to ask the standings instead.
    seeds = None if state.cut is None else event_flow.current_seeds(state)
    pairing = next_elimination_round(states.tournament_of(state), seed, attempt, seeds, command.busy_tables)
    if attempt > 1 and pairing.draw.method == BY_BRACKET:
        raise Problem("bracket_is_fixed")
    return pairing


def discard_draft(state: states.EventState, command: DiscardDraft, now: Instant) -> NewEntries:
    if state.draft is None:
        raise Problem("no_draft")
    return [NewEntry("draft-discarded", {"number": state.draft.number})]


def publish_round(state: states.EventState, command: PublishRound, now: Instant) -> NewEntries:
    """Publish the drawn round and set the clock to the stage's minutes."""
    draft = _draft_as_seen(state, command)
    refuse_shared_tables(draft, command.taken_tables)
    first = draft.number == 1
    noted = play_on_entries(state, command.list_points, command.noted, command.seen, command.by) if first else []
    stage = event_flow.stage_of_round(state, draft.number, draft.stage, [m.match for m in draft.matches])
    minutes = state.rulebook.minutes(stage, state.options)
    players = len(states.active_ids(state))
    if first:
        options = custom_options(state.rulebook, state.given_options, players)
        noted += [NewEntry("options-set", {"options": options})] if options != state.given_options else []
    return [
        *noted,
        NewEntry(
            "round-published",
            {
                "number": draft.number,
                "total_ms": None if minutes is None else minutes * 60_000,
                "players": players,
                "digest": states.state_digest(state),
                **_venue_data(command),
            },
        ),
    ]


def move_tables(state: states.EventState, command: MoveTables, now: Instant) -> NewEntries:
    """The same draw at other tables: it is not public yet, so no player goes to the wrong one."""
    draft = _draft_as_seen(state, command)
    moved = draft_moves(state, command.busy_tables)
    if not moved or draft.draw is None:
        return []
    matches = [replace(m.match, table=moved.get(m.match.table or 0, m.match.table)) for m in draft.matches]
    match_data = [
        {**match_to_json(match), **_keep_mended_fields(draft, drawn)}
        for match, drawn in zip(matches, draft.matches, strict=True)
    ]
    more = {"mends": [dict(line) for line in draft.mends], "taken_back": draft.taken_back}
    return [
        draft_entry(
            draft.number,
            draft.stage,
            draft.draw,
            match_data,
            draft.notes,
            draft.tiebreak_form,
            **{key: value for key, value in more.items() if value},
        )
    ]


def _keep_mended_fields(draft: states.RoundState, drawn: states.MatchState) -> dict[str, Any]:
    """What a drawn match of a mended round keeps when only its table changes; such a round's ids may have gaps."""
    if not draft.mends:
        return {}
    more = {key: getattr(drawn, key) for key in ("revision", "by_hand") if getattr(drawn, key)}
    return {"id": drawn.id, **more}


def _draft_as_seen(state: states.EventState, command: PublishRound | MoveTables) -> states.RoundState:
    draft = state.draft
    if draft is None:
        raise Problem("no_draft")
    if draft.draw is None or (draft.number, draft.draw.attempt) != (command.number, command.attempt):
        raise Problem("draft_changed_meanwhile")
    return draft


def import_round(state: states.EventState, command: ImportRound, now: Instant) -> NewEntries:
    """A recorded round, as it stands in an event file that was checked when it was read."""
    raw = dict(command.round)
    if state.live or state.draft or raw["number"] != len(state.rounds) + 1:
        raise Problem("import_out_of_order", number=raw["number"])
    for match in raw["matches"]:
        if match.get("result") is not None:
            refuse_result_limits(result_from_json(match["result"]))
    raw["matches"] = _avoid_busy_tables(state, raw["matches"], command.busy_tables)
    stage = raw.get("stage", SWISS)
    matches = [Match(m["a"], m.get("b"), bye=m.get("bye"), game=m.get("game")) for m in raw["matches"]]
    minutes = state.rulebook.minutes(event_flow.stage_of_round(state, raw["number"], stage, matches), state.options)
    return [
        NewEntry(
            "round-imported",
            {
                "number": raw["number"],
                "stage": stage,
                "matches": raw["matches"],
                "draw": raw.get("draw"),
                "total_ms": None if minutes is None else minutes * 60_000,
                **{key: raw[key] for key in ("tiebreak_form", "notes", "extra_minutes") if key in raw},
                **({"players": command.players} if command.players is not None else {}),
                **_venue_data(command),
            },
        )
    ]


def _venue_data(command: PublishRound | ImportRound) -> dict[str, int]:
    """The venue's number at publishing, which tells placements of units of earlier rounds; empty where unknown."""
    return {} if command.venue_number is None else {"venue": command.venue_number}


def _avoid_busy_tables(
    state: states.EventState, matches: Sequence[Mapping[str, Any]], busy: frozenset[int]
) -> Sequence[Mapping[str, Any]]:
    """The recorded matches; a round that is still to be played does not sit down at another event's tables."""
    if all(match.get("b") is None or match.get("result") is not None for match in matches):
        return matches
    moved = table_moves(state, [match["table"] for match in matches if match.get("table") is not None], busy)
    return [{**match, "table": moved[match["table"]]} if match.get("table") in moved else match for match in matches]


def finish_event(state: states.EventState, command: FinishEvent, now: Instant) -> NewEntries:
    """The event is over: standings are final, units forget their reports. What is cut short is named, with the reason,
    among the announcements (requirements, section 9, *End*)."""
    if state.draft is not None:
        raise Problem("draft_in_the_way", number=state.draft.number)
    if not state.public_rounds:
        raise Problem("nothing_played")
    closed, noted = closing_entry(state), NewEntries()
    if points := unfinished_parts(state):
        if not command.reason.strip():
            raise Problem("finish_early_no_reason")
        noted = [
            NewEntry(
                "played-on",
                {
                    "points": [{"kind": point.kind, "who": point.who} for point in points],
                    "reason": command.reason.strip(),
                    "by": ORGANIZER,
                },
            )
        ]
    return [*closed, *noted, NewEntry("event-finished", {"places": list(final_order(states.tournament_of(state)))})]


def reopen_event(state: states.EventState, command: ReopenEvent, now: Instant) -> NewEntries:
    """A finished event continues where it was; its rounds stay closed."""
    if not state.finished:
        raise Problem("not_finished")
    return [NewEntry("event-reopened", {})]


def set_extra_minutes(state: states.EventState, command: SetExtraMinutes, now: Instant) -> NewEntries:
    """The roll for the round in play; once the minutes run, all have seen how many they are."""
    limits = state.rulebook.extra_minutes
    if limits is None:
        raise Problem("no_extra_minutes")
    if state.live is None or state.live.number != command.number or state.clock.total_ms is None:
        raise Problem("no_round_to_time")
    if not limits[0] <= command.minutes <= limits[1]:
        raise Invalid("figure_out_of_range", value=command.minutes, minimum=limits[0], maximum=limits[1])
    left_ms = state.clock.remaining_at(now)
    if state.live.extra_minutes is not None and left_ms is not None and left_ms <= 0:
        raise Problem("extra_minutes_run")
    return [NewEntry("extra-minutes", {"number": command.number, "minutes": command.minutes})]


DECIDE_ROUNDS: Mapping[type, Callable[[states.EventState, Any, Instant], NewEntries]] = {
    ImportRound: import_round,
    DrawRound: draw_round,
    ImposeRound: impose_round,
    AdoptRound: adopt_round,
    DiscardDraft: discard_draft,
    MoveTables: move_tables,
    PublishRound: publish_round,
    SetClock: set_clock,
    SetExtraMinutes: set_extra_minutes,
    FinishEvent: finish_event,
    ReopenEvent: reopen_event,
}


def _apply_drawn(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    number, draw, matches = data["number"], convert(data["draw"], Draw), _matches(data, entry)
    drawn = states.RoundState(
        number,
        data["stage"],
        states.DRAFT,
        matches,
        draw,
        data["notes"],
        data.get("tiebreak_form"),
        # A round that was adopted keeps the mark that its tables know.
        mark=data["mark"] if "mark" in data else states.draw_mark(number, draw, matches),
        mends=tuple(data.get("mends", ())),
        taken_back=data.get("taken_back", 0),
    )
    rounds = tuple(r for r in state.rounds if r.status != states.DRAFT)
    return replace(state, rounds=(*rounds, drawn))


def _matches(data: Mapping[str, Any], entry: Entry) -> tuple[states.MatchState, ...]:
    matches = []
    for index, raw in enumerate(data["matches"], start=1):
        result = result_from_json(raw["result"]) if raw.get("result") is not None else None
        match = Match(
            raw["a"],
            raw.get("b"),
            raw.get("table"),
            raw.get("bye"),
            result,
            raw.get("game"),
            raw.get("extension_minutes"),
            tuple(raw["picks"]) if raw.get("picks") else None,
            raw.get("absent"),
        )
        log = tuple(
            states.LogLine(
                line["kind"], entry.number, line["by"], line.get("text", ""), line.get("upheld"), line.get("minutes")
            )
            for line in raw.get("log", ())
        )
        matches.append(
            states.MatchState(
                raw.get("id", f"{data['number']}.{index}"),
                match,
                revision=raw.get("revision", 0),
                decided=raw.get("decided", False),
                log=log,
                corrections=tuple(raw.get("corrections", ())),
                lots=raw.get("lots", {}),
                by_hand=raw.get("by_hand"),
            )
        )
    return tuple(matches)


def _apply_withdrawn(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    """A published round of which no game has started is taken back: those before it stand as they were closed."""
    rounds = tuple(r for r in state.rounds if r.number != data["number"])
    # Taken back manually, round 1 has not begun: who is there is counted anew.
    at_start = None if data["number"] == 1 and "reason" in data else state.players_at_start
    return replace(state, rounds=rounds, clock=Clock(), players_at_start=at_start)


def _apply_published(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    holds = data["digest"] == states.state_digest(state)
    diverged = state.diverged if holds else (*state.diverged, data["number"])
    total_ms = data["total_ms"]
    clock = Clock(remaining_ms=total_ms, total_ms=total_ms, anchor=entry.at.instant)
    at_start = data["players"] if data["number"] == 1 else state.players_at_start
    state = state.with_round(data["number"], status=states.PUBLISHED, venue_number=data.get("venue"))
    return replace(state, clock=clock, diverged=diverged, players_at_start=at_start)


def _apply_imported(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    draw = convert(data["draw"], Draw) if data.get("draw") else None
    matches = _matches(data, entry)
    status = states.CLOSED if all(m.done for m in matches) else states.PUBLISHED
    imported = states.RoundState(
        data["number"],
        data["stage"],
        status,
        matches,
        draw,
        data.get("notes", {}),
        data.get("tiebreak_form"),
        states.draw_mark(data["number"], draw, matches),
        data.get("extra_minutes"),
        data.get("venue"),
    )
    at_start = state.players_at_start
    if data["number"] == 1:
        at_start = data.get("players") or present_count(m.match for m in matches)
    clock = state.clock
    if status == states.PUBLISHED:
        clock = Clock(remaining_ms=data["total_ms"], total_ms=data["total_ms"], anchor=entry.at.instant)
    return replace(state, rounds=(*state.rounds, imported), players_at_start=at_start, clock=clock)


APPLY_ROUNDS: Mapping[str, Step] = {
    "round-drawn": _apply_drawn,
    "draft-discarded": lambda state, data, entry: replace(
        state, rounds=tuple(r for r in state.rounds if r.status != states.DRAFT)
    ),
    "round-published": _apply_published,
    "round-withdrawn": _apply_withdrawn,
    "round-closed": lambda state, data, entry: replace(
        state.with_round(data["number"], status=states.CLOSED), clock=Clock()
    ),
    "round-imported": _apply_imported,
    "event-finished": event_step(
        lambda data: {"finished": True, "ended_as": tuple(data["places"]) if "places" in data else None}
    ),
    "event-reopened": event_step(lambda _: {"finished": False, "ended_as": None}),
    "clock-set": lambda state, data, entry: replace(
        state, clock=Clock(data["state"], data["remaining_ms"], data["total_ms"], entry.at.instant)
    ),
    "extra-minutes": lambda state, data, entry: state.with_round(data["number"], extra_minutes=data["minutes"]),
}
