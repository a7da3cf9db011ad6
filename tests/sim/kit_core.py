"""The core as the headless commands drive it: plain JSON in, plain JSON out."""

from __future__ import annotations

import json
from typing import Any

from roundtap.headless.bracket import bracket_to_show
from roundtap_core.check.check import violations
from roundtap_core.elimination.cut import cut_table
from roundtap_core.elimination.ranking import bracket_to_json, final_ranking
from roundtap_core.eventfile.read import parse_event_file, tournament_from_json
from roundtap_core.eventfile.write import tournament_to_json
from roundtap_core.rounds.next_round import next_round, next_tiebreak_round, printable_pairing
from roundtap_core.standings.standings import standings, standings_to_json

Event = dict[str, Any]


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


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """As it is printed."""
    made: dict[str, Any] = json.loads(json.dumps(data))
    return made
