"""The core as the headless commands drive it: plain JSON in, plain JSON out."""

import json
from collections.abc import Iterator
from typing import Any

from roundtap.headless.bracket import bracket_to_show
from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import cut_table
from roundtap_core.elimination.ranking import bracket_to_json, final_ranking
from roundtap_core.event.commands import apply, decide
from roundtap_core.event.entries import Timestamp, chain_entry
from roundtap_core.event.states import EventState, tournament_of
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import parse_event_file, tournament_from_json
from roundtap_core.rounds.next_round import next_round, next_tiebreak_round, printable_pairing
from roundtap_core.standings.standings import standings, standings_to_json
from roundtap_hub.events.new_event import import_steps

Event = dict[str, Any]
AT = Timestamp("boot-1", 1000)


def pair(event: Event, seed: int | None = None, attempt: int = 1) -> dict[str, Any]:
    """Raises roundtap_core.errors.Problem where no round can be drawn."""
    return plain(printable_pairing(next_round(tournament_from_json(event), seed=seed, attempt=attempt)))


def pair_tie_break(event: Event, form: str) -> dict[str, Any]:
    """The next tie-break round in the form that the organizer chose."""
    return plain(printable_pairing(next_tiebreak_round(tournament_from_json(event), form=form)))


def table(event: Event, after: int | None = None) -> dict[str, Any]:
    return plain(standings_to_json(standings(tournament_from_json(event), after), after or 0))


def tree(event: Event) -> dict[str, Any]:
    tournament = tournament_from_json(event)
    bracket = bracket_to_show(tournament)
    return plain(bracket_to_json(bracket, final_ranking(tournament, bracket), cut_table(tournament)))


def rules_broken(event: Event) -> list[tuple[str, str]]:
    """(key, text) of everything that `check` says."""
    return [(problem.key, str(problem)) for problem in violations(tournament_from_json(event))]


def changed_by_a_round_trip(event: Event) -> bool:
    """Written, read and written again, a file stays the same to the byte, and holds what it held."""
    written = json.dumps(tournament_to_json(tournament_from_json(event)), ensure_ascii=False)
    again = json.dumps(tournament_to_json(parse_event_file(written)), ensure_ascii=False)
    return again != written or json.loads(written) != event


def import_complaints(event: Event) -> Iterator[str]:
    """The hub imports the file without asking anybody, and ranks as the file does."""
    yield from (f"import: {key} {text}" for key, text in rules_broken(event))
    file = tournament_from_json(event)
    state = EventState("e1")
    for step in import_steps("e1", file, "#0072B2")[0]:
        for new in decide(state, step.command, AT.instant):
            state = apply(state, chain_entry(new, "e1", state.number + 1, state.head, AT, "somebody"))
    if standings(tournament_of(state, as_file=True)) != standings(file):
        yield "import: other standings than the file's"


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """As it is printed."""
    made: dict[str, Any] = json.loads(json.dumps(data))
    return made
