"""Event files that break one clause each, from broken_events.json: for every front that takes a file.

A case: `clauses` ("keyforge:two-wins", …), `rulebook`, `breaks` (the key of what is wrong with it), `exit` (what
`check` ends with), and what makes it so: `result` of the only match, or `rounds`, `tiebreak` and `elimination`
("p1 p2": p1 beat p2; "p3 -": a bye).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

WON: dict[str, dict[str, Any]] = {
    "keyforge-archon": {"score": {"a": 1, "b": 0}},
    "shatterpoint-premier": {"score": {"a": 2, "b": 0}, "picks": {"a": [1, 2], "b": [3, 4]}},
    "warlords-of-terra": {"score": {"a": 20, "b": 0}, "winner": "a"},
}


@cache
def cases() -> dict[str, dict[str, Any]]:
    """Clause → its case. A case that breaks several clauses at once stands under each."""
    text = (Path(__file__).parent / "broken_events.json").read_text(encoding="utf-8")
    return {clause: case for case in json.loads(text) for clause in case["clauses"]}


def event_file(case: dict[str, Any]) -> dict[str, Any]:
    """The case as an event file."""
    single = "result" in case
    number = case.get("players", 2 if single else 4)
    options = {"structure": "own", "swiss_rounds": 9, "lists_required": False, **case.get("options", {})}
    people = case.get("people", {})
    made: dict[str, Any] = {
        "format": "roundtap-event/1",
        "name": "Winter Open",
        "rulebook": case["rulebook"],
        "seed": 7,
        "options": {key: value for key, value in options.items() if value is not None},
        "competitors": [
            {"id": f"p{n}", "name": f"Player {n}", **people.get(f"p{n}", {})} for n in range(1, number + 1)
        ],
        "rounds": [],
        **{key: case[key] for key in ("level", "officials") if key in case},
    }
    drawn = (
        [("swiss", [[{"table": 1, "a": "p1", "b": "p2", "result": case["result"]}]])]
        if single
        else [
            (
                stage,
                [
                    [match(case["rulebook"], text, n, stage) for n, text in enumerate(lines, start=1)]
                    for lines in case.get(key, [])
                ],
            )
            for stage, key in (("swiss", "rounds"), ("tiebreak", "tiebreak"), ("elimination", "elimination"))
        ]
    )
    for stage, played in drawn:
        for matches in played:
            made["rounds"].append({"number": len(made["rounds"]) + 1, "stage": stage, "matches": matches})
    return made


def match(rulebook: str, text: str, number: int, stage: str) -> dict[str, Any]:
    """ "p1 p2" as a match that p1 won, with its game number in elimination; "p3 -" as a bye."""
    a, b = text.split()
    game = {"game": number} if stage == "elimination" else {}
    return (
        {"a": a, "bye": "bye", **game}
        if b == "-"
        else {"table": number, "a": a, "b": b, "result": WON[rulebook], **game}
    )
