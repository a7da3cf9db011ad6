"""What `pair` printed, held against the event before that round."""

from collections import Counter
from typing import Any

from checker.books import Event, still_there
from checker.knockout import knockout_complaints
from checker.plan import rounds_of, stage_due
from checker.play_off import play_off_complaints
from checker.swiss import swiss_complaints

Printed = dict[str, Any]


def pairing_complaints(event: Event, printed: Printed) -> list[str]:
    """Stage, number, seats and tables for all; then what the stage demands."""
    due = stage_due(event)
    found = []
    if printed["stage"] != due:
        found.append(f"stage {printed['stage']}, should be {due}")
    if printed["round"] != len(event.get("rounds", [])) + 1:
        found.append(f"round {printed['round']}")
    found += _seats(event, printed) + _tables(event, printed)
    if found:
        return found
    if due == "swiss":
        return swiss_complaints(event, printed)
    return knockout_complaints(event, printed) if due == "elimination" else play_off_complaints(event, printed)


def _seats(event: Event, printed: Printed) -> list[str]:
    """Nobody sits twice, or sits at all after leaving; in a Swiss round, or elimination from the start, all do."""
    seated = Counter(match[side] for match in printed["matches"] for side in "ab" if side in match)
    there = still_there(event)
    found = [f"{who} sits {times} times" for who, times in seated.items() if times > 1]
    found += [f"{who} has left" for who in seated if who not in there]
    everybody = printed["stage"] == "swiss" or (printed["stage"] == "elimination" and not event.get("rounds"))
    if everybody:
        found += [f"{who} sits nowhere" for who in there - set(seated)]
    return found


def _tables(event: Event, printed: Printed) -> list[str]:
    """Every match has a table of its own; a fixed table is kept for whoever needs it, unless two want it."""
    matches = [match for match in printed["matches"] if "bye" not in match]
    tables = Counter(match.get("table") for match in matches)
    found = [f"table {table} {times} times" for table, times in tables.items() if times > 1 or not table]
    fixed = {c["id"]: c["fixed_table"] for c in event["competitors"] if "fixed_table" in c}
    wanted = Counter(t for m in matches for t in {fixed[m[s]] for s in "ab" if m[s] in fixed})
    for match in matches:
        theirs = {fixed[match[s]] for s in "ab" if match[s] in fixed}
        if theirs and match["table"] not in theirs and any(wanted[table] == 1 for table in theirs):
            found.append(f"{match['a']} - {match['b']} at table {match['table']}, needs {sorted(theirs)}")
    return found + (_leaders_first(event, matches, fixed) if rounds_of(event, "swiss") else [])


def _leaders_first(event: Event, matches: list[dict[str, Any]], fixed: dict[str, int]) -> list[str]:
    """Leaders at table 1: the combined points fall from table to table, fixed tables aside."""
    from checker.records import gather

    if stage_due(event) != "swiss":
        return []
    records = gather(event)
    free = sorted((m for m in matches if m["a"] not in fixed and m["b"] not in fixed), key=lambda m: m["table"])
    worth = [records[m["a"]].points + records[m["b"]].points for m in free]
    return [] if worth == sorted(worth, reverse=True) else [f"points per table {worth}"]
