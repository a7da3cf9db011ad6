"""A recorded event is typed at virtual tables, and the hub's standings are the ones that were worked out by hand."""

import json
from typing import Any

from event_script import event_outcome, script_of
from fast_event import play_fast
from roundtap_core.eventfile.read import parse_event_file

NAMES = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich")

# Worked by hand: Ana 176 + 195, Eva 128 + 5, Łukasz 72 + 100 (won the salvo), Bruno 24 + 100, Kai's bye 150.
STANDINGS = [
    ["p1", 2, 371, 1],
    ["p3", 1, 172, 2],
    ["p5", 1, 150, 3],
    ["p4", 1, 133, 4],
    ["p2", 0, 124, 5],
]


def recorded() -> dict[str, Any]:
    """Five players, two rounds: destruction, time, a final salvo, byes, one who leaves after round 1."""
    competitors = [{"id": f"p{i}", "name": name} for i, name in enumerate(NAMES, start=1)]
    competitors[4]["dropped_after"] = 1
    return {
        "format": "roundtap-event/1",
        "name": "As it was played",
        "rulebook": "xwing-standard",
        "seed": 7,
        "options": {"structure": "own", "swiss_rounds": 2, "cut": 0},
        "competitors": competitors,
        "rounds": [
            {
                "number": 1,
                "stage": "swiss",
                "matches": [
                    {"table": 1, "a": "p1", "b": "p2", "result": {"score": {"a": 100, "b": 24}}},
                    {"table": 2, "a": "p3", "b": "p4", "result": {"ended": "time", "score": {"a": 49, "b": 77}}},
                    {"a": "p5", "bye": "bye"},
                ],
            },
            {
                "number": 2,
                "stage": "swiss",
                "matches": [
                    {"table": 1, "a": "p4", "b": "p1", "result": {"score": {"a": 5, "b": 100}}},
                    {
                        "table": 2,
                        "a": "p2",
                        "b": "p3",
                        "result": {"ended": "time", "winner": "b", "score": {"a": 60, "b": 60}},
                    },
                ],
            },
        ],
    }


def test_the_standings_are_as_worked_out() -> None:
    played = play_fast(script_of(parse_event_file(json.dumps(recorded()))))
    rows = event_outcome(played)["standings"]
    assert [[row["competitor"], row["points"], row["tiebreakers"]["mov"], row["rank"]] for row in rows] == STANDINGS
