"""What stands on the paper, as data: names, tables, records and the form, worked out when a station takes the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.forms import form_to_json
from roundtap_core.records import SIDES
from roundtap_hub.print_jobs import BY_NAME, BY_TABLE, SLIP, STANDINGS, PrintJob, slip_codes
from roundtap_hub.service import Snapshot
from roundtap_hub.views.moment import Moment, moment_of
from roundtap_hub.views.ranks import record_of, standings_view
from roundtap_hub.views.wall import sort_key

HEAD_LETTERS = 16

Content = dict[str, Any]
Names = Mapping[str, str]


def content_of(job: PrintJob, snapshot: Snapshot, base_url: str) -> Content | None:
    """The job's content, with names as the hall may read them; None where what it was about is gone.

    base_url: the hub's address as the hall reaches it, without a slash at the end.
    """
    moment = moment_of(snapshot, job.event)
    if moment is None:
        return None
    state, names = moment.state, snapshot.names[job.event]
    content: Content = {"event": state.name, "url": f"{base_url}/e/{state.id}",
                        "head": f"#{state.number} {state.head[:HEAD_LETTERS]}"}
    played = next((r for r in state.public_rounds if r.number == job.round), None)
    if job.kind == STANDINGS:
        return {**content, **_standings(moment, names)}
    if played is None:
        return content if job.kind not in (SLIP, BY_TABLE, BY_NAME) else None
    content["round"] = played.number
    if job.kind == BY_TABLE:
        return {**content, "rows": _by_table(moment, played, names)}
    if job.kind == BY_NAME:
        return {**content, "rows": _by_name(moment, played, names)}
    if job.kind == SLIP:
        match = next((m for m in played.matches if m.id == job.match and m.match.b is not None), None)
        return None if match is None else {**content, **_slip(moment, played, match, names)}
    return content


def _slip(moment: Moment, played: RoundState, match: MatchState, names: Names) -> Content:
    state = moment.state
    sides: Content = {
        side: {"name": names[who], "record": record_of(moment, who)[0]}
        for side in SIDES if (who := match.match.competitor(side)) is not None
    }
    return {**sides, "of": _rounds_planned(state, played), "table": match.match.table,
            "code": slip_codes(state, played)[match.id], "form": form_to_json(state.rulebook.form(state.options))}


def _rounds_planned(state: EventState, played: RoundState) -> int:
    return max(state.swiss_rounds, played.number)


def _by_table(moment: Moment, played: RoundState, names: Names) -> list[Content]:
    """Tables in order, then who plays at none."""
    def place(match: MatchState) -> tuple[bool, int]:
        return match.match.table is None, match.match.table or 0

    return [
        {"table": m.match.table, "a": names[m.match.a], "b": names[m.match.b] if m.match.b else None,
         "bye": m.match.bye, "a_record": record_of(moment, m.match.a)[0],
         "b_record": record_of(moment, m.match.b)[0] if m.match.b else None}
        for m in sorted(played.matches, key=place)
    ]


def _by_name(moment: Moment, played: RoundState, names: Names) -> list[Content]:
    """Everybody with record and first tiebreaker, so that people find errors before they play."""
    rows = []
    for match in played.matches:
        for side in SIDES:
            who = match.match.competitor(side)
            if who is not None:
                record, values = record_of(moment, who)
                rows.append({"name": names[who], "record": record, "value": values[0].text if values else "",
                             "table": match.match.table, "bye": match.match.bye})
    return sorted(rows, key=lambda row: sort_key(str(row["name"])))


def _standings(moment: Moment, names: Names) -> Content:
    view = standings_view(moment, names)
    rows = [
        {"rank": line.rank, "name": line.name, "points": line.points, "record": line.record,
         "values": [value.text for value in line.values], "active": line.active,
         "decided": next((place for place, value in enumerate(line.values) if value.decided), None)}
        for line in view.lines
    ]
    return {"after": view.after, "final": moment.state.finished, "columns": list(view.columns), "rows": rows}
