"""The console's search for a table or a person in all events of the hall, and for what is typed there to be done."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.abandoned_match import leave_effect
from roundtap_core.event.judging import EXTENSION_MAX
from roundtap_core.event.states import MatchState
from roundtap_core.names import fold, is_found, search_text
from roundtap_core.words import Words
from roundtap_hub.http.routes import STAFF, VISIBLE, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views import saved_event
from roundtap_hub.views.competitors import competitor_row

TABLE, PERSON = "table", "person"
DROP, NO_SHOW, HERE, EXTENSION = "drop", "no_show", "here", "extension"
ADDED = re.compile(r"\+ ?(\d{1,2}) +(\d{1,5})")  # minutes and a table: "+5 12"
MAX_HITS = 12  # the most hits shown


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A table (`match_id`, with both names) or a person (`competitor`). `event`: its name, "" for this event; `status`:
    of a person, as in the standings."""

    kind: str
    event_id: str
    event: str
    name: str
    match_id: str = ""
    competitor: str = ""
    table: int | None = None
    against: str = ""
    status: str | None = None


def typed_commands(
    event: saved_event.SavedEvent, query: str, words: Words
) -> Iterator[tuple[str, str, MatchState | None]]:
    """What `query` asks for ("+5 12", "drop wisniewska"), once for each table or person it may mean: kind, person and
    match of each. Only what can be asked for now."""
    state, at = event.state, saved_event.current_matches(event)
    if added := ADDED.fullmatch(query):
        minutes, table = int(added[1]), int(added[2])
        matches = state.live.open_matches if state.live and 1 <= minutes <= EXTENSION_MAX else ()
        yield from ((EXTENSION, str(minutes), match) for match in matches if match.match.table == table)
    wanted, names = fold(query), saved_event.full_names(event)
    for kind in (DROP, NO_SHOW, HERE):
        spoken = [f"{fold(word)} " for word in words(f"find.do.{kind}").split(",")]
        name = next((wanted[len(word) :] for word in spoken if wanted.startswith(word)), "")
        for who in (each for each in state.entrants if name and is_found(name, search_text(names.get(each)))):
            match = at.get(who)
            playing = match is not None and match.match.b is not None and not match.done and not match.reports
            if {DROP: state.entrants[who].active, NO_SHOW: playing, HERE: competitor_row(event, who).awaited}[kind]:
                yield kind, who, match


def find_hits(snapshot: Snapshot, query: str, here: str = "") -> list[SearchHit]:
    """Hits for `query`: the table of that number, people, then tables whose number begins so; event `here` first."""
    wanted = fold(query)
    if not wanted:
        return []
    events = sorted(
        (event_id for event_id in snapshot.events if event_id not in snapshot.venue.deleted),
        key=lambda event_id: event_id != here,
    )
    saved_events = [event for event_id in events if (event := saved_event.saved_event(snapshot, event_id)) is not None]
    ranked = [
        (rank, place, hit)
        for place, event in enumerate(saved_events)
        for rank, hit in (*_tables(event, wanted, here), *_people(event, wanted, here))
    ]
    ranked.sort(key=lambda each: (each[0], each[1]))
    return [hit for _, _, hit in ranked[:MAX_HITS]]


def _tables(event: saved_event.SavedEvent, wanted: str, here: str) -> Iterator[tuple[int, SearchHit]]:
    played = saved_event.newest_round(event.state)
    if played is None or event.state.finished or not wanted.isdecimal():
        return
    names = saved_event.full_names(event)
    for match in sorted(played.matches, key=lambda each: each.match.table or 0):
        number = match.match.table
        if number is not None and match.match.b is not None and str(number).startswith(wanted):
            yield (
                0 if str(number) == wanted else 3,
                SearchHit(
                    TABLE,
                    event.event_id,
                    _event(event, here),
                    names.get(match.match.a, match.match.a),
                    match.id,
                    table=number,
                    against=names.get(match.match.b, ""),
                ),
            )


def _people(event: saved_event.SavedEvent, wanted: str, here: str) -> Iterator[tuple[int, SearchHit]]:
    names, public = saved_event.full_names(event), saved_event.shown_names(event)
    at = saved_event.current_matches(event)
    for who, members in ((each.id, each.members) for each in saved_event.all_competitors(event)):
        searchable = search_text(names.get(who), public.get(who), *members)
        if not is_found(wanted, searchable):
            continue
        match = at.get(who)
        table = match.match.table if match is not None and not event.state.finished else None
        across = (match.match.b if match.match.a == who else match.match.a) if match is not None else None
        yield (
            1 if is_found(wanted, searchable, begins=True) else 2,
            SearchHit(
                PERSON,
                event.event_id,
                _event(event, here),
                names.get(who, who),
                match.id if match is not None and match.match.b is not None else "",
                who,
                table,
                names.get(across or "", "") if table is not None else "",
                event.state.status_now(who),
            ),
        )


def _event(event: saved_event.SavedEvent, here: str) -> str:
    return "" if event.event_id == here else event.state.name


@route("GET /console/find", STAFF)
@route("GET /console/<event_id>/find", STAFF, VISIBLE)
def search_page(event_id: str = "") -> AnyResponse:
    """Search for `q`, a table's number or part of a name; the hits of a named event come first. There `q` may also be a
    command, which stands alone, and everywhere a place."""
    query, words = request.args.get("q", "").strip()[: forms.NAME_LETTERS], current.words()
    event = current.event(event_id) if event_id else None
    asked_from: dict[str, Any] = {}
    if event is not None:
        asked_from = {
            "state": event.state,
            "commands": () if event.state.finished else [*typed_commands(event, query, words)][:MAX_HITS],
            "names": saved_event.full_names(event),
            "leave_effect": partial(leave_effect, event.state),
        }
    return render.page(
        "find_all.html",
        query=query,
        # Beside what acts, "5" of "+5 12" and "here" of a name would be choices that nobody asked for.
        found=()
        if asked_from.get("commands") or ADDED.fullmatch(query)
        else find_hits(current.snapshot(), query, event_id),
        **asked_from,
    )
