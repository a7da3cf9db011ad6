"""A Swiss round as drawn: repeats, bye, groups from the top down, and the notes that explain it."""

from collections import Counter
from typing import Any

from checker.ahead import LARGEST, best_that_leads_on, needless_dead_end
from checker.books import Event, option, still_there
from checker.byes import bye_complaints, byes_received
from checker.plan import planned, rounds_of
from checker.records import gather
from checker.repeats import fewest_repeats, met_in_swiss
from checker.shape import best_grade, grade, is_ideal

Printed = dict[str, Any]


def swiss_complaints(event: Event, printed: Printed) -> list[str]:
    field = sorted(still_there(event))
    pairs = [(m["a"], m["b"]) for m in printed["matches"] if "bye" not in m]
    byes = [m["a"] for m in printed["matches"] if m.get("bye") == "bye"]
    won = {m["a"] for m in printed["matches"] if m.get("bye") == "won"}
    first = not rounds_of(event, "swiss")
    owed = {c["id"] for c in event["competitors"] if first and c.get("won_bye") and c["id"] in field}
    found = [f"won byes for {sorted(won)}, owed to {sorted(owed)}"] if won != owed else []
    if len(byes) != (len(field) - len(won)) % 2:
        found.append(f"{len(byes)} byes for {len(field)} competitors")
    if found:
        return found
    found += _notes(event, printed, pairs)
    if first:
        return found + _apart(event, pairs)
    if byes:
        found += bye_complaints(event, field, byes[0])
    return found + _shape(event, printed, pairs, byes[0] if byes else None)


def _apart(event: Event, pairs: list[tuple[str, str]]) -> list[str]:
    """Who came together meets in round 1 only where one group is more than half of those paired."""
    group = {c["id"]: c["came_with"] for c in event["competitors"] if "came_with" in c}
    sizes = Counter(group[who] for pair in pairs for who in pair if who in group)
    largest = max(sizes.values(), default=0)
    needed = max(0, largest - len(pairs))
    got = sum(a in group and group[a] == group.get(b) for a, b in pairs)
    return [] if got == needed else [f"{got} pairs of people who came together, {needed} needed"]


def _shape(event: Event, printed: Printed, pairs: list[tuple[str, str]], rest: str | None) -> list[str]:
    met = met_in_swiss(event)
    points = {who: record.points for who, record in gather(event).items()}
    plan = planned(event)
    left = plan[0] - printed["round"] if plan else 0
    leading_on = None
    if plan and left > 0 and option(event, "structure", "basic") != "own":
        seats = 2 * len(pairs) + 2 * bool(rest)
        # So few that a later round could be forced into a repeat, in as many rounds as the document plays.
        if 4 < seats < 2 * plan[0] and seats <= LARGEST:
            paired = [who for pair in pairs for who in pair]
            leading_on = best_that_leads_on(paired, rest, points, met, byes_received(event), left)
    if leading_on is not None:
        got = grade(pairs, points, met, [who for pair in pairs for who in pair])
        found = [] if got == leading_on else [f"groups {got}, possible {leading_on} without a repeat to come: {pairs}"]
    elif is_ideal(pairs, points, met):
        found = []
    else:
        found = _not_ideal(printed, pairs, points, met)
    if (
        left > 0
        and 2 * len(pairs) + bool(rest) <= LARGEST
        and needless_dead_end(pairs, rest, points, met, byes_received(event), left)
    ):
        found.append(f"{pairs} leads into a repeat that could be avoided")
    return found


def _not_ideal(
    printed: Printed, pairs: list[tuple[str, str]], points: dict[str, int], met: dict[str, set[str]]
) -> list[str]:
    members = [who for pair in pairs for who in pair]
    got = grade(pairs, points, met, members)
    fewest = fewest_repeats(members, met)
    if got[0] != fewest:
        return [f"{got[0]} repeats, {fewest} are enough"]
    if printed["draw"]["method"] == "windowed":
        return []
    best = best_grade(members, points, met)
    return [] if best in (None, got) else [f"groups {got}, possible {best}: {pairs}"]


def _notes(event: Event, printed: Printed, pairs: list[tuple[str, str]]) -> list[str]:
    met = met_in_swiss(event)
    records = gather(event)
    notes = printed["notes"]
    repeats = sum(b in met[a] for a, b in pairs)
    found = [] if notes["repeats"] == repeats else [f"notes say {notes['repeats']} repeats, there are {repeats}"]
    if (notes["bye"] is not None) != any(m.get("bye") == "bye" for m in printed["matches"]):
        found.append(f"notes say bye: {notes['bye']}")
    floats = Counter()
    for a, b in pairs:
        upper, lower = sorted((a, b), key=lambda who: -records[who].points)
        if records[upper].points > records[lower].points:
            floats[upper, records[upper].points, records[lower].points] += 1
    said = Counter((f["competitor"], f["from"], f["to"]) for f in notes["floats"])
    return found if said == floats else [*found, f"notes say floats {said}, there are {floats}"]
