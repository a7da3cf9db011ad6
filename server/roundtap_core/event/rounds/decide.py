"""Deciding on rounds: drawing, publishing, closing, importing, and the end of the event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.course import (
    CUT,
    OVER,
    elimination_rounds,
    offered,
    second_swiss_rounds,
    seeds_now,
    stage_of_round,
    what_follows,
)
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.mending.mend import match_to_json
from roundtap_core.event.rounds import commands as c
from roundtap_core.event.rounds.close import close_live, cut_short, places
from roundtap_core.event.rounds.decide_adopted import adopt_round
from roundtap_core.event.rounds.decide_clock import set_clock
from roundtap_core.event.rounds.decide_imposed import impose_round
from roundtap_core.event.rounds.tables_held import draft_moves, moves, refuse_shared_tables
from roundtap_core.event.setup.decide import as_own
from roundtap_core.event.setup.open_points import play_on
from roundtap_core.event.state import (
    EventState,
    MatchState,
    RoundState,
    active_ids,
    state_digest,
    tournament_of,
)
from roundtap_core.records import SWISS, TIEBREAK, Match
from roundtap_core.result_json import result_from_json
from roundtap_core.rounds.next_tiebreak_round import next_tiebreak_round
from roundtap_core.rounds.second_stage import second_stage_round
from roundtap_core.rulebooks.base import ORGANIZER

if TYPE_CHECKING:
    from roundtap_core.pairing.swiss_round import Pairing


def draw_round(state: EventState, command: c.DrawRound, now: Instant) -> list[NewEntry]:
    """Draw the next round, closing the one in play; with a draft in hand, draw that one again (the next attempt)."""
    closing = close_live(state)
    draft = state.draft
    seed, attempt = (draft.draw.seed, draft.draw.attempt + 1) if draft and draft.draw else (command.seed, 1)
    follows = what_follows(state)
    if follows == SWISS:
        pairing, matches = _swiss_round(state, command, seed, attempt)
    elif follows == TIEBREAK:
        pairing = next_tiebreak_round(tournament_of(state), seed, attempt, command.tiebreak_form, command.busy_tables)
        matches = pairing.matches
    else:
        _refuse_elimination(state, follows)
        pairing = _elimination_round(state, command, seed, attempt)
        matches = pairing.matches
    drawn = NewEntry("round-drawn", {
        "number": pairing.number, "stage": pairing.stage,
        "draw": {"seed": pairing.draw.seed, "attempt": pairing.draw.attempt, "method": pairing.draw.method},
        "matches": [match_to_json(m) for m in matches], "notes": dict(pairing.notes),
        **({"tiebreak_form": pairing.notes["form"]} if follows == TIEBREAK else {}),
    })
    return [*closing, drawn]


def _swiss_round(
    state: EventState, command: c.DrawRound, seed: int, attempt: int
) -> tuple[Pairing, tuple[Match, ...]]:
    from roundtap_core.pairing.swiss_round import pair_next
    from roundtap_core.pairing.table_numbers import assign_tables

    tournament = tournament_of(state)
    if state.cut is not None or second_swiss_rounds(state):
        if offered(state) is not None:
            raise Problem("offer_unanswered")
        if len(seeds_now(state)) < 2 and not second_swiss_rounds(state):
            raise Problem("too_few_players", n=len(seeds_now(state)))
        drawn = second_stage_round(tournament, seed, attempt, seeds_now(state), command.busy_tables)
        return drawn, drawn.matches
    pairing = pair_next(tournament, seed=seed, attempt=attempt)
    if command.busy_tables:
        return pairing, assign_tables(pairing.matches, tournament, busy=command.busy_tables)
    return pairing, pairing.matches


def _refuse_elimination(state: EventState, follows: str) -> None:
    """Problem where there is nothing to draw, or something to be settled before."""
    if follows == CUT:
        raise Problem("cut_not_made")
    if follows == OVER:
        if elimination_rounds(state):
            raise Problem("bracket_decided")
        raise Problem("all_rounds_played", rounds=state.swiss_rounds)
    if offered(state) is not None:
        raise Problem("offer_unanswered")


def _elimination_round(state: EventState, command: c.DrawRound, seed: int, attempt: int) -> Pairing:
    from roundtap_core.elimination.next_games import BY_BRACKET, next_elimination_round

    # A cut of which nobody is left is no reason to ask the standings instead.
    seeds = None if state.cut is None else seeds_now(state)
    pairing = next_elimination_round(tournament_of(state), seed, attempt, seeds, command.busy_tables)
    if attempt > 1 and pairing.draw.method == BY_BRACKET:
        raise Problem("bracket_is_fixed")
    return pairing


def discard_draft(state: EventState, command: c.DiscardDraft, now: Instant) -> list[NewEntry]:
    if state.draft is None:
        raise Problem("no_draft")
    return [NewEntry("draft-discarded", {"number": state.draft.number})]


def publish(state: EventState, command: c.PublishRound, now: Instant) -> list[NewEntry]:
    """Show the drawn round to everybody and set the clock to the stage's minutes."""
    draft = _draft_as_seen(state, command)
    refuse_shared_tables(draft, command.taken_tables)
    first = draft.number == 1
    noted = play_on(state, command.list_points, command.noted, command.seen, command.by) if first else []
    stage = stage_of_round(state, draft.number, draft.stage, [m.match for m in draft.matches])
    minutes = state.rulebook.minutes(stage, state.options)
    players = len(active_ids(state))
    if first:
        options = as_own(state.rulebook, state.given_options, players)
        noted += [NewEntry("options-set", {"options": options})] if options != state.given_options else []
    return [*noted, NewEntry("round-published", {
        "number": draft.number, "total_ms": None if minutes is None else minutes * 60_000,
        "players": players, "digest": state_digest(state), **_of_the_venue(command),
    })]


def move_tables(state: EventState, command: c.MoveTables, now: Instant) -> list[NewEntry]:
    """The same draw at other tables: nobody has seen it yet, so nobody goes to the wrong one."""
    draft = _draft_as_seen(state, command)
    moved = draft_moves(state, command.busy_tables)
    if not moved or draft.draw is None:
        return []
    matches = [replace(m.match, table=moved.get(m.match.table or 0, m.match.table)) for m in draft.matches]
    return [NewEntry("round-drawn", {
        "number": draft.number, "stage": draft.stage,
        "draw": {"seed": draft.draw.seed, "attempt": draft.draw.attempt, "method": draft.draw.method},
        "matches": [{**match_to_json(match), **_mended(draft, drawn)}
                    for match, drawn in zip(matches, draft.matches, strict=True)],
        "notes": dict(draft.notes), **({"tiebreak_form": draft.tiebreak_form} if draft.tiebreak_form else {}),
        **({"mends": [dict(line) for line in draft.mends]} if draft.mends else {}),
        **({"taken_back": draft.taken_back} if draft.taken_back else {}),
    })]


def _mended(draft: RoundState, drawn: MatchState) -> dict[str, Any]:
    """What a drawn match of a mended round keeps when only its table changes; such a round's ids may have gaps."""
    if not draft.mends:
        return {}
    more = {key: getattr(drawn, key) for key in ("revision", "by_hand") if getattr(drawn, key)}
    return {"id": drawn.id, **more}


def _draft_as_seen(state: EventState, command: c.PublishRound | c.MoveTables) -> RoundState:
    """The draft, if it is the one that the organizer looked at."""
    draft = state.draft
    if draft is None:
        raise Problem("no_draft")
    if draft.draw is None or (draft.number, draft.draw.attempt) != (command.number, command.attempt):
        raise Problem("draft_changed_meanwhile")
    return draft


def import_round(state: EventState, command: c.ImportRound, now: Instant) -> list[NewEntry]:
    """A recorded round, as it stands in an event file that was checked when it was read."""
    raw = dict(command.round)
    if state.live or state.draft or raw["number"] != len(state.rounds) + 1:
        raise Problem("import_out_of_order", number=raw["number"])
    for match in raw["matches"]:
        if match.get("result") is not None:
            result_from_json(match["result"])
    raw["matches"] = _away_from(state, raw["matches"], command.busy_tables)
    stage = raw.get("stage", SWISS)
    matches = [Match(m["a"], m.get("b"), bye=m.get("bye"), game=m.get("game")) for m in raw["matches"]]
    minutes = state.rulebook.minutes(stage_of_round(state, raw["number"], stage, matches), state.options)
    return [NewEntry("round-imported", {
        "number": raw["number"], "stage": stage, "matches": raw["matches"], "draw": raw.get("draw"),
        "total_ms": None if minutes is None else minutes * 60_000,
        **{key: raw[key] for key in ("tiebreak_form", "notes", "extra_minutes") if key in raw},
        **({"players": command.players} if command.players is not None else {}), **_of_the_venue(command),
    })]


def _of_the_venue(command: c.PublishRound | c.ImportRound) -> dict[str, int]:
    """Which placements of units are of an earlier round; where nobody keeps any, nothing."""
    return {} if command.venue_number is None else {"venue": command.venue_number}


def _away_from(
    state: EventState, matches: Sequence[Mapping[str, Any]], busy: frozenset[int]
) -> Sequence[Mapping[str, Any]]:
    """The recorded matches; a round that is still to be played does not sit down at another event's tables."""
    if all(match.get("b") is None or match.get("result") is not None for match in matches):
        return matches
    moved = moves(state, [match["table"] for match in matches if match.get("table") is not None], busy)
    return [{**match, "table": moved[match["table"]]} if match.get("table") in moved else match for match in matches]


def finish(state: EventState, command: c.FinishEvent, now: Instant) -> list[NewEntry]:
    """The event is over: standings are final, units forget their reports. What is cut short is named, with the reason,
    among the announcements (RULEBOOKS.md, section 9, *End*)."""
    if state.draft is not None:
        raise Problem("draft_in_the_way", number=state.draft.number)
    if not state.public_rounds:
        raise Problem("nothing_played")
    closed, noted = close_live(state), list[NewEntry]()
    if points := cut_short(state):
        if not command.reason.strip():
            raise Problem("finish_early_no_reason")
        noted = [NewEntry("played-on", {"points": [{"kind": point.kind, "who": point.who} for point in points],
                                        "reason": command.reason.strip(), "by": ORGANIZER})]
    return [*closed, *noted, NewEntry("event-finished", {"places": list(places(tournament_of(state)))})]


def reopen(state: EventState, command: c.ReopenEvent, now: Instant) -> list[NewEntry]:
    """A finished event goes on where it was; its rounds stay closed."""
    if not state.finished:
        raise Problem("not_finished")
    return [NewEntry("event-reopened", {})]


def set_extra_minutes(state: EventState, command: c.SetExtraMinutes, now: Instant) -> list[NewEntry]:
    """The roll for the round in play; once the minutes run, everybody has seen how many they are."""
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


DECIDE_ROUNDS: Mapping[type, Callable[[EventState, Any, Instant], list[NewEntry]]] = {
    c.ImportRound: import_round,
    c.DrawRound: draw_round,
    c.ImposeRound: impose_round,
    c.AdoptRound: adopt_round,
    c.DiscardDraft: discard_draft,
    c.MoveTables: move_tables,
    c.PublishRound: publish,
    c.SetClock: set_clock,
    c.SetExtraMinutes: set_extra_minutes,
    c.FinishEvent: finish,
    c.ReopenEvent: reopen,
}
