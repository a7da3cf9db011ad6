"""The kit's standings of own games against the calculation that was written from the format's text alone."""

import json
import tomllib
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from own_games import calculation, tables
from own_games.made_up import made_up_event
from own_games.own_evenings import own_event, played_evening, played_round
from roundtap_core.check.check import violations
from roundtap_core.errors import Problem
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import Tournament
from roundtap_core.rulebooks.own_rules import read_rules, rules_data, rules_id
from roundtap_core.standings.standings import standings

FOLDER = Path(__file__).parent / "examples"
EXAMPLES = sorted(FOLDER.rglob("*.toml"))


def by_the_kit(rules: dict[str, Any], event: dict[str, Any]) -> Tournament:
    """The event as a file of the kit has it."""
    data = {key: value for key, value in event.items() if key != "rules"}
    kept, faults, _ = read_rules(_toml(rules))
    assert kept is not None, faults
    return tournament_from_json({**data, "rulebook": rules_id(kept), "rules": rules_data(kept)})


def _toml(rules: dict[str, Any]) -> str:
    """Rules as a TOML file: tables in a line each, which says the same."""

    def value(part: Any) -> str:
        if isinstance(part, dict):
            return "{" + ", ".join(f"{key} = {value(inner)}" for key, inner in part.items()) + "}"
        if isinstance(part, list | tuple):
            return "[" + ", ".join(map(value, part)) + "]"
        return json.dumps(part, ensure_ascii=False)

    return "\n".join(f"{key} = {value(part)}" for key, part in rules.items())


def differences(rules: dict[str, Any], tournament: Tournament, event: dict[str, Any]) -> list[str]:
    """What the kit says otherwise, line by line."""
    mine = {row.competitor: row for row in standings(tournament)}
    theirs = {row.competitor: row for row in calculation.standings(rules, event)}
    found = [f"who: {sorted(mine)} {sorted(theirs)}"] if mine.keys() != theirs.keys() else []
    for who, their in theirs.items():
        my = mine.get(who)
        if my is None:
            continue
        shown = [Fraction(value) for value in my.tiebreakers.values()]
        wanted = [Fraction(value) for value in their.values if value is not None]
        pairs = (
            ("points", my.points, their.points),
            (
                "record",
                (my.wins, my.losses, my.draws, my.rounds),
                (their.wins, their.losses, their.draws, their.rounds),
            ),
            ("values", shown, wanted),
        )
        found += [f"{who}: {what} {a} / {b}" for what, a, b in pairs if a != b]
        if their.rank is None or my.rank is None:
            found += [f"{who}: rank {my.rank} / {their.rank}"] if their.rank != my.rank else []
        else:
            last = their.rank + len(their.tied_with)
            if not their.rank <= my.rank <= last:
                found.append(f"{who}: rank {my.rank} / {their.rank}-{last}")
    return found


@pytest.mark.parametrize("worked", tables.WORKED, ids=lambda worked: worked.name)
def test_published_and_hand_worked_tables(worked: Any) -> None:
    assert differences(worked.rules, by_the_kit(worked.rules, worked.event), worked.event) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_made_up_events(path: Path) -> None:
    rules = tomllib.loads(path.read_text(encoding="utf-8"))
    for seed in range(200):
        event = made_up_event(rules, Random(seed))
        assert differences(rules, by_the_kit(rules, event), event) == [], seed


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_evenings_that_the_kit_draws_and_plays(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    kept, faults, _ = read_rules(text)
    assert kept is not None, faults
    for seed in range(12):
        played = played_evening(kept, 5 + seed % 9, 2 + seed % 4, seed)
        event = json.loads(json.dumps(tournament_to_json(played)))
        assert differences(tomllib.loads(text), tournament_from_json(event), event) == [], seed


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_whole_events_with_cut_elimination_and_leavers_break_no_rule(path: Path) -> None:
    rules, faults, _ = read_rules(path.read_text(encoding="utf-8"))
    assert rules is not None, faults
    everybody = rules.pairing.rounds == "everybody"
    for seed in range(6):
        rand, players = Random(seed), 4 + 2 * seed % 9
        options = {} if everybody else {"structure": "own", "swiss_rounds": 3, "cut": 4 if players >= 8 else 0}
        tournament = own_event(rules, players, seed, **options)
        with suppress(Problem):  # the bracket is decided, or all have met
            while len(tournament.rounds) < 9 and (everybody or players >= 8 or len(tournament.rounds) < 3):
                tournament = played_round(tournament, rand)
        assert [str(found) for found in violations(tournament)] == [], seed


@pytest.mark.parametrize("games", [1, 3, 5])
def test_a_full_win_is_that_of_the_stage_as_it_is_played(games: int) -> None:
    """ "bye: full win to 0", "concession: with `games` always a full win", "a stage may differ"."""
    rules = tables.given("lorcana")
    event = tables.event_file(
        tables.people("a", "b", "c"),
        [
            [{"a": "a", "b": "b", "result": {"ended": "concession", "conceded_by": "b"}}, tables.bye("c")],
            [{"a": "a", "b": "c", "result": {"score": {"a": games // 2 + 1, "b": 0}}}, tables.bye("b")],
        ],
    )
    event["options"]["stages"] = {"swiss": {"best_of": games}}
    assert differences(rules, by_the_kit(rules, event), event) == []
