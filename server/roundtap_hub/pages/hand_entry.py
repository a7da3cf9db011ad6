"""Results by hand, one after the other: the table's number, a short line, Enter, and the next table that is open."""

from __future__ import annotations

from typing import Any

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.limits import PROSE_LETTERS
from roundtap_core.rulebooks.gate import OFFICIAL
from roundtap_core.rulebooks.result_words import figure_label
from roundtap_core.rulebooks.result_words import tell as told
from roundtap_hub.pages.base import (
    field,
    mended_on,
    now_ms,
    page,
    tell,
    the_moment,
    the_snapshot,
    the_units,
    whole_number,
    words,
)
from roundtap_hub.pages.walking import asking_the_reason, seat_of, seen_match, time_is_up
from roundtap_hub.policy import IN_OPEN_ROUNDS, PLAYING, SEEN, SHOWN_ROUND, STAFF, route
from roundtap_hub.views.before_play import situation_at
from roundtap_hub.views.event_at import EventAt, full_names, newest_round
from roundtap_hub.views.knockout import title_key, told_after_cut
from roundtap_hub.views.squads import lost_squads
from roundtap_hub.views.tables import cell, show_result, side_names
from roundtap_hub.views.typed_result import Reading, grammar, read_line


@route("GET /console/<event_id>/entry", STAFF, SEEN)
def entry(event_id: str, **_: str) -> AnyResponse:
    """The table that is asked for, with what the typed line means; without one, the field for its number.

    `table`, `round` (the newest where it is left out), `text`: the line; `done`: the table that was entered last.
    """
    moment = the_moment(event_id)
    state, played = moment.state, _played(moment.state)
    number = (request.values.get("table") or "").strip()[:6]
    line = (request.values.get("text") or "").strip()
    match = _at_table(played, number)
    done = _at_table(played, (request.args.get("done") or "").strip()[:6])
    context: dict[str, Any] = _table(moment, played, match, line) if played is not None and match is not None else {}
    return page(
        "entry.html", feed=f"console/{event_id}", state=state, played=played,
        played_name=title_key(state, played) if played is not None else None, asked=number, line=line,
        newest=newest_round(state), match=match, elsewhere=None if match is not None else _elsewhere(state, number),
        tables=sorted(m.match.table for m in _matches(played) if m.match.table is not None),
        done=_cell(moment, done) if done is not None else None, next_open=_next_open(played, done or match),
        **context)


def _table(moment: EventAt, played: RoundState, match: MatchState, line: str) -> dict[str, Any]:
    state, t = moment.state, words()
    names = side_names(match, full_names(moment))
    situation, over = situation_at(state, moment.people, played, match), time_is_up(state, played, match)
    form = state.rulebook.form(state.options, situation)
    asked = grammar(form, over)
    reading, unclear = None, None
    if line:
        try:
            reading = read_line(line, match.match, match.id, state.rulebook, state.options, situation, over)
        except Problem as problem:
            unclear = problem.named(names).say(t)
    if reading:
        asking_the_reason(seat_of(moment, played, match, full_names(moment), OFFICIAL), reading.result)
    return {
        "cell": _cell(moment, match), "reading": reading, "unclear": unclear, "names": names,
        "shown": show_result(reading.result, state) if reading else None,
        "told": (*told(state.rulebook, form, state.options, reading.result, names, t),
                 *lost_squads(state, played, match, reading.result, names, t),
                 *told_after_cut(state, played, match, reading.result, full_names(moment), t)) if reading else (),
        "grammar": asked,
        "figures": ", ".join(figure_label(t, key, state.rulebook_id) for key in asked["figures"]),
        "worth_label": lambda key: t.first(f"worth.{key}", f"column.{key}"),
    }


def _cell(moment: EventAt, match: MatchState) -> object:
    return cell(the_snapshot(), the_units(), moment.state, match, full_names(moment), now_ms())


def _played(state: EventState) -> RoundState | None:
    """The round whose tables are meant: that of the tab, else the newest."""
    asked = request.values.get("round", "")
    return next((played for played in state.public_rounds if str(played.number) == asked), newest_round(state))


def _matches(played: RoundState | None) -> list[MatchState]:
    return [match for match in played.matches if match.match.b is not None] if played is not None else []


def _at_table(played: RoundState | None, number: str) -> MatchState | None:
    """The match at a table; the one that is still open, where several are played there one after the other."""
    found = [match for match in _matches(played) if str(match.match.table) == number]
    return next((match for match in found if not match.done), found[-1] if found else None)


def _elsewhere(state: EventState, number: str) -> EventState | None:
    """The other event whose table it is."""
    return next((other for other in the_snapshot().events.values()
                 if other.id != state.id and _at_table(other.live, number) is not None), None)


def _next_open(played: RoundState | None, after: MatchState | None) -> int | None:
    """The next table that misses its result: the first one behind this, or the first of all."""
    still = sorted(match.match.table for match in _matches(played) if match.match.table is not None and not match.done
                   and (after is None or match.id != after.id))
    at = after.match.table if after is not None and after.match.table is not None else 0
    return next((table for table in still if table > at), still[0] if still else None)


@route("POST /console/<event_id>/match/<match_id>/entry", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(entry)
def save_entry(event_id: str, match_id: str) -> AnyResponse:
    """The line that was on the screen becomes the result: `mark` names what it meant there, `revision` and `seen` what
    stood at the table."""
    moment = the_moment(event_id)
    state = moment.state
    played, match = seen_match(state, match_id)
    reading = _read(moment, played, match)
    if reading.mark != field("mark"):
        raise Problem("line_not_shown", table=match.match.table)
    tell(event_id, EnterResult(match.id, whole_number("revision") or 0, reading.result, whole_number("seen"),
                              field("reason")[:PROSE_LETTERS], cut=field("cut")))
    newest = newest_round(state)
    number = None if newest is None or newest.number == played.number else played.number
    return redirect(url_for("console.entry", event_id=event_id, round=number, done=match.match.table), 303)


def _read(moment: EventAt, played: RoundState, match: MatchState) -> Reading:
    state = moment.state
    return read_line(field("text"), match.match, match.id, state.rulebook, state.options,
                     situation_at(state, moment.people, played, match), time_is_up(state, played, match))
