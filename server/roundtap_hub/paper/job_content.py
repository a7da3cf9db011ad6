"""The content of print jobs as data: names, tables, records and the form, made when a station takes the job."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from roundtap_core.elimination.shape import THIRD, THIRD_PLACE
from roundtap_core.event.event_flow import situation_of
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.forms.form import form_to_json
from roundtap_core.records import SIDES
from roundtap_hub.access.tls import HttpsInfo
from roundtap_hub.events.event_at import EventAt, event_at, shown_members
from roundtap_hub.hall.wall_view import sort_key
from roundtap_hub.paper import print_jobs
from roundtap_hub.paper.slip_codes import slip_codes, slip_token
from roundtap_hub.results.standings_table import record_of, standings_view
from roundtap_hub.rounds.knockout import cut_rows_before_play, table_rows, title_key
from roundtap_hub.store.service import Snapshot
from roundtap_hub.units.table_view import side_view

HEAD_LETTERS = 16

Content = dict[str, Any]
Names = Mapping[str, str]


def content_of(job: print_jobs.PrintJob, snapshot: Snapshot, base_url: str,
               encrypted: HttpsInfo | None = None, secret: bytes = b"",
               states: Mapping[str, print_jobs.PrintState] | None = None, by_name: str = "") -> Content | None:
    """The job's content, with names as the hall may read them; None where its subject is gone.

    base_url: the hub's address for the hall, without a trailing slash. encrypted: where organizers log in, None without
    encryption. secret: signs slips. states: of all jobs, so that a slip can say that it replaces another one.
    by_name: the hub's address by name, "" where it has none.
    """
    moment = event_at(snapshot, job.event)
    if moment is None:
        return None
    state, names = moment.state, snapshot.names_of(job.event)
    content: Content = {"event": state.name, "url": f"{base_url}/e/{state.id}",
                        "head": f"#{state.number} {state.head[:HEAD_LETTERS]}"}
    if by_name:
        content["by_name"] = f"{by_name}/e/{state.id}"
    played = next((r for r in state.public_rounds if r.number == job.round), None)
    if job.kind == print_jobs.STANDINGS:
        return {**content, **standings_content(moment, names)}
    if job.kind == print_jobs.TRUST:
        return None if encrypted is None else {
            **content, "url": f"{base_url}/trust", "fingerprint": encrypted.fingerprint,
            "console": f"https://{urlsplit(base_url).hostname}:{encrypted.port}/"}
    if job.kind == print_jobs.PROXY:
        return {**content, **json.loads(job.text)}
    if job.kind in (print_jobs.TEST, print_jobs.SPEED) and job.text:
        order = json.loads(job.text)
        return {**content, **{name: order[name] for name in ("at", "number") if name in order}}
    if played is None:
        return content if job.kind not in (print_jobs.SLIP, print_jobs.BY_TABLE, print_jobs.BY_NAME) else None
    content.update(round=played.number, name=title_key(state, played))
    if job.kind == print_jobs.BY_TABLE:
        return {**content, "rows": pairings_by_table(moment, played, names)}
    if job.kind == print_jobs.BY_NAME:
        return {**content, "rows": pairings_by_name(moment, played, names)}
    if job.kind == print_jobs.SLIP:
        match = next((m for m in played.matches if m.id == job.match and m.match.b is not None), None)
        if match is None:
            return None
        return {**content, **slip_content(moment, played, match, names, base_url, secret),
                **({"replaces": True} if print_jobs.replaces(job, states or {}) else {})}
    return content


def slip_content(moment: EventAt, played: RoundState, match: MatchState, names: Names, base_url: str,
                 secret: bytes) -> Content:
    """The content of one match's slip; its `url` opens the match (`paper/slip_desk.py`)."""
    state, members = moment.state, shown_members(moment)
    sides: Content = {
        side: {**side_view(state, played, who, names), "record": record_of(moment, who)[0],
               "members": list(members.get(who, ()))}
        for side in SIDES if (who := match.match.competitor(side)) is not None
    }
    if match.match.game == THIRD:
        sides["name"] = THIRD_PLACE
    form = state.rulebook.form(state.options, situation_of(state, played, match))
    return {**sides, "of": rounds_planned(state, played), "table": match.match.table,
            "code": slip_codes(state, played)[match.id], "form": form_to_json(form),
            "url": f"{base_url}/s/{slip_token(secret, state, played, match)}"}


def rounds_planned(state: EventState, played: RoundState) -> int:
    """The number of Swiss rounds, at least this round's number."""
    return max(state.swiss_rounds, played.number)


def pairings_by_table(moment: EventAt, played: RoundState, names: Names) -> list[Content]:
    """Tables in order, then pairings without a table. `by_hand`: an official paired these two."""
    members = shown_members(moment)
    return [
        {"table": m.match.table, "a": names[m.match.a], "b": names[m.match.b] if m.match.b else None,
         "a_members": list(members.get(m.match.a, ())), "b_members": list(members.get(m.match.b or "", ())),
         "bye": m.match.bye, "a_record": record_of(moment, m.match.a)[0],
         "b_record": record_of(moment, m.match.b)[0] if m.match.b else None,
         "by_hand": bool(m.by_hand)}
        for m in sorted(played.matches, key=lambda match: (match.match.table is None, match.match.table or 0))
    ]


def pairings_by_name(moment: EventAt, played: RoundState, names: Names) -> list[Content]:
    """Every competitor with record and first tiebreaker, so that errors are found before play."""
    members = shown_members(moment)
    seats = [(match.match, who, *record_of(moment, who)) for match in played.matches for side in SIDES
             if (who := match.match.competitor(side)) is not None]
    rows = [{"name": names[who], "members": list(members.get(who, ())), "record": record,
             "value": values[0].text if values else "", "table": match.table, "bye": match.bye}
            for match, who, record, values in seats]
    return sorted(rows, key=lambda row: sort_key(str(row["name"])))


def standings_content(moment: EventAt, names: Names) -> Content:
    """The standings; after a cut the final ranking with the round each reached, without deciding Swiss tiebreakers."""
    view = standings_view(moment, names)
    members = shown_members(moment)
    swiss = {line.competitor: line for line in view.lines}
    after_a_cut = any(placed.reached for placed, _ in table_rows(moment))
    rows = [{
        "rank": placed.rank, "name": line.name, "members": list(members.get(line.competitor, ())),
        "points": line.points, "record": line.record, "values": [value.text for value in line.values],
        "status": placed.status, "reached": placed.reached,
        "decided": None if after_a_cut else next((at for at, value in enumerate(line.values) if value.decided), None),
        "decided_by": line.decided_by if line.decided_by in view.hidden and not after_a_cut else None,
        "by_lot": line.by_chance and not after_a_cut,
    } for placed, _ in table_rows(moment) if (line := swiss.get(placed.competitor)) is not None]
    return {"after": view.after, "final": moment.state.finished or after_a_cut, "columns": list(view.columns),
            "rows": rows, "cut": _cut(moment, names)}


def _cut(moment: EventAt, names: Names) -> Content | None:
    """Who makes the cut, where its order differs from the standings and all Swiss rounds are played."""
    rows = cut_rows_before_play(moment)
    if not rows:
        return None
    return {"size": moment.state.cut_size, "rows": [
        {"rank": row.seed, "name": names[row.competitor], "points": row.points, "value": str(row.opponents_points),
         "decided": row.decided_by == "opponents_points"} for row in rows]}
