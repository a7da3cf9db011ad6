"""What `standings` printed, held against a table computed here."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

from checker.books import Event, book_of, in_table, status_of
from checker.outcomes import DRAW, LOSS, WIN
from checker.ranking import order_of
from checker.records import gather, tiebreaker


def standings_complaints(event: Event, printed: dict[str, Any], after: int | None = None) -> list[str]:
    """Figures, order, `decided_by` and `by_chance` of every row. The disqualified stand last, without a rank; who left
    is ranked; who never played has no row."""
    found: list[str] = []
    rows: list[dict[str, Any]] = printed["standings"]
    order = order_of(event, after)
    records = gather(event, after)
    out = in_table(event, after)[1]
    if [row["competitor"] for row in rows] != [who for who, _ in order] + out:
        found.append(f"order {[row['competitor'] for row in rows]}, should be {order}, then out {out}")
    by_rank = {**dict(order), **dict.fromkeys(out, "last")}
    status = {c["id"]: status_of(c, after) for c in event["competitors"]}
    for place, row in enumerate(rows):
        who = row["competitor"]
        if who not in records:
            found.append(f"{who}: not in this event")
            continue
        record = records[who]
        wanted = {
            "rank": place + 1 if place < len(order) else None,
            "points": record.points,
            "rounds": record.rounds,
            "byes": record.byes,
            "wins": record.outcomes[WIN],
            "losses": record.outcomes[LOSS],
            "draws": record.outcomes[DRAW],
        }
        found += [f"{who}: {key} {row[key]}, should be {value}" for key, value in wanted.items() if row[key] != value]
        found += _tiebreakers(row, {key: tiebreaker(records, who, key) for key in book_of(event).shown})
        if row.get("status") != status[who] or row.get("status", "") is None:
            found.append(f"{who}: status {row.get('status')}, should be {status[who]}")
        if row["decided_by"] != by_rank.get(who):
            found.append(f"{who}: decided by {row['decided_by']}, should be {by_rank.get(who)}")
    found += _chance(rows, order)
    return found


def _tiebreakers(row: dict[str, Any], wanted: dict[str, Fraction]) -> list[str]:
    who, printed = row["competitor"], row["tiebreakers"]
    if list(printed) != list(wanted):
        return [f"{who}: tiebreakers {list(printed)}, should be {list(wanted)}"]
    return [
        f"{who}: {key} {printed[key]!r}, should be {value}"
        for key, value in wanted.items()
        if Fraction(printed[key]) != value or (value.denominator > 1 and printed[key] != str(value))
    ]


def _chance(rows: list[dict[str, Any]], order: list[tuple[str, str]]) -> list[str]:
    """Both neighbours of a tie decided by lot are marked, and nobody else."""
    marked = set()
    for (upper, why), (lower, _) in pairwise(order):
        if why == "random":
            marked |= {upper, lower}
    return [
        f"{row['competitor']}: by_chance {row['by_chance']}"
        for row in rows
        if row["by_chance"] != (row["competitor"] in marked)
    ]
