"""An event with all that its file holds: what rules compute with, and what officials did and why."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict, replace

from roundtap_core.event.person import Person
from roundtap_core.event.states import Entrant, EventState, LogLine, MatchState, Official, RoundState, tournament_of
from roundtap_core.records import Tournament


def whole_tournament(state: EventState, people: Mapping[str, Person]) -> Tournament:
    """The event for its file. Reports before they were agreed, the clock and drafts are the hall's, not the file's."""
    event = tournament_of(state, people, as_file=True)
    rounds = tuple(
        replace(
            played,
            record=_round_record(round_state) or None,
            matches=tuple(
                replace(match, record=_match_record(match_state) or None)
                for match, match_state in zip(played.matches, round_state.matches, strict=True)
            ),
        )
        for played, round_state in zip(event.rounds, state.public_rounds, strict=True)
    )
    competitors = tuple(
        replace(competitor, record=_competitor_record(state, state.entrants[competitor.id]) or None)
        for competitor in event.competitors
    )
    return replace(event, competitors=competitors, rounds=rounds, record=_event_record(state, people))


def _event_record(state: EventState, people: Mapping[str, Person]) -> dict[str, Any]:
    cut = state.cut
    fields = {
        "officials": [_official(official, people) for official in state.officials.values()] or None,
        "checked_in": state.players_at_start,
        "played_on": [line.to_json() for line in state.played_on] or None,
        "cut": cut
        and {
            "size": cut.size,
            "order": list(cut.order),
            "seeds": list(cut.seeds),
            **({"declined": list(cut.declined)} if cut.declined else {}),
            **({"absent": list(cut.absent)} if cut.absent else {}),
        },
        "finished": state.finished or None,
    }
    return {
        **state.about,
        "effective_options": state.options,
        **{key: value for key, value in fields.items() if value is not None},
    }


def _official(official: Official, people: Mapping[str, Person]) -> dict[str, Any]:
    person = people.get(official.id)
    return {
        "id": official.id,
        "name": person.name if person else official.id,
        "role": official.role,
        **({"second": True} if official.second else {}),
        **({"plays": official.plays} if official.plays is not None else {}),
        **({} if official.on_duty else {"off_duty": True}),
    }


def _competitor_record(state: EventState, entrant: Entrant) -> dict[str, Any]:
    data: dict[str, Any] = {
        "disqualification": entrant.disqualification,
        "proposed": entrant.proposed,
        "proposal_declined_at": entrant.declined_at,
        "list_corrections": [dict(c) for c in entrant.list_corrections],
        "ticks": list(entrant.ticks),
        "declined_place": state.cut is not None
        and entrant.active
        and entrant.id in (*state.cut.declined, *state.cut.absent),
    }
    return {key: value for key, value in data.items() if value}


def _round_record(played: RoundState) -> dict[str, Any]:
    data: dict[str, Any] = {"notes": dict(played.notes)} if played.notes else {}
    if played.extra_minutes is not None:
        data["extra_minutes"] = played.extra_minutes
    return data


def _match_record(match: MatchState) -> dict[str, Any]:
    data = {
        "decided": match.decided,
        "lots": dict(match.lots),
        "corrections": list(map(dict, match.corrections)),
        "log": list(map(_line, match.log)),
    }
    return {key: value for key, value in data.items() if value}


def _line(line: LogLine) -> dict[str, Any]:
    """As the event file has it: the number is the journal's own."""
    return {key: value for key, value in asdict(line).items() if key != "number" and value not in (None, "")}
