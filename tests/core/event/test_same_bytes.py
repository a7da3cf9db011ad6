"""Same file, same seed: the same bytes on every machine and Python. One made-up event under each rulebook, recorded."""

import hashlib
import json

import pytest

from made_up_event import made_up_event
from roundtap.headless import bracket
from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import cut_table
from roundtap_core.elimination.ranking import bracket_to_json, final_ranking
from roundtap_core.errors import Problem
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import Tournament
from roundtap_core.rounds.next_round import next_round, printable_pairing
from roundtap_core.standings.standings import standings, standings_to_json

PLAYERS, SEED = 21, 20261121

# The digest of everything below, under Python 3.11 on an x86-64 machine.
RECORDED = {
    "xwing-standard": "6742d1faf3e5e23d338f4bcb52b24f421b73a8eaaa87870746fd273c7cd4adc5",
    "xwing-epic-duel": "1f4ab22f1d29358d2322567bc2b5a782548b77724de15c67e8131d8a6f25bb8d",
    "xwing-epic-team": "12b883598e22d2e0d109ba7967355abae43a67e97beccf85063624f414b0314d",
    "keyforge-archon": "2206de487fa234880d46e9e650fbdd564c19d4168ca9e4b2d0dfc1b4e5cab59a",
    "keyforge-sealed": "f13fbbfee359e76b7ad5ad0a0151854d3bd149bc478893fedb225da170b3313b",
    "warlords-of-terra": "2f341a3984f56cde553f3042694f465a5249198a1e82dfeece19c29f48f6c164",
    "shatterpoint-premier": "9c2b133db5c5c83f2407702555854bcdeb5f4a24ed21e601ae818a457dc67f3f",
}


def answers(event: Tournament) -> list[object]:
    """The event itself, and after each of its rounds what `pair`, `standings`, `bracket` and `check` say."""
    said: list[object] = [tournament_to_json(event)]
    for number in range(len(event.rounds) + 1):
        so_far = tournament_from_json(tournament_to_json(event.after(number)))
        said.append(standings_to_json(standings(so_far), number))
        said.append([(problem.where, problem.key) for problem in violations(so_far)])
        for ask in (lambda t: printable_pairing(next_round(t)), bracket_of_file):
            try:
                said.append(ask(so_far))
            except Problem as problem:
                said.append(problem.key)
    return said


def bracket_of_file(tournament: Tournament) -> object:
    found = bracket.bracket_to_show(tournament)
    return bracket_to_json(found, final_ranking(tournament, found), cut_table(tournament))


def fingerprint(rulebook_id: str) -> str:
    said = json.dumps(answers(made_up_event(rulebook_id, PLAYERS, SEED)), ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()


@pytest.mark.parametrize("rulebook_id", RECORDED)
def test_every_answer_is_as_recorded(rulebook_id: str) -> None:
    assert fingerprint(rulebook_id) == RECORDED[rulebook_id]
