"""Standings recomputed from the matches of real, published tournaments (data outside the repository)."""

import json
import lzma
import os
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import StandingsRow
from roundtap_core.standings.standings import standings

PATH = os.environ.get("ROUNDTAP_PUBLISHED", "")

pytestmark = [
    pytest.mark.published,
    pytest.mark.skipif(not PATH, reason="ROUNDTAP_PUBLISHED names no file of published standings"),
]


def records() -> Iterator[dict[str, Any]]:
    with lzma.open(PATH, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def printed_as(value: int | Fraction, printed: str) -> bool:
    """Whether two decimals may read so: ties were rounded up by some programs, down by others."""
    return abs(value - Fraction(printed)) <= Fraction(5, 1000)


def differences(record: dict[str, Any]) -> Iterator[str]:
    rows = {row.competitor: row for row in standings(tournament_from_json(record["event"]))}
    ranked: list[tuple[int, StandingsRow]] = []
    for competitor, points, mov, sos, rank in record["published"]:
        row = rows[competitor]
        if row.points != points:
            yield f"{competitor}: {row.points} points, published {points}"
        if row.tiebreakers["mov"] != mov:
            yield f"{competitor}: MoV {row.tiebreakers['mov']}, published {mov}"
        strength = row.tiebreakers.get("sos")
        if sos is not None and strength is not None and not printed_as(strength, sos):
            yield f"{competitor}: SoS {strength}, published {sos}"
        if rank is not None:
            ranked.append((rank, row))
    ranked.sort(key=lambda pair: pair[0])
    for (_, upper), (_, lower) in pairwise(ranked):
        if upper.rank > lower.rank and published_order_of(upper) != published_order_of(lower):
            yield f"{upper.competitor} was published above {lower.competitor}"


def published_order_of(row: StandingsRow) -> tuple[int | Fraction | None, ...]:
    """What was published to decide: MoV and, where a rulebook has it, SoS. What came after was drawn by lot, so the
    opponents' points of Epic decide nothing here."""
    return row.points, row.tiebreakers["mov"], row.tiebreakers.get("sos")


def test_published_tables_come_out_the_same() -> None:
    """Points, MoV, SoS to the printed precision, and the order wherever points, MoV and SoS decide, of all 674."""
    found: dict[str, list[str]] = {}
    counted: Counter[str] = Counter()
    for record in records():
        counted[record["event"]["rulebook"]] += 1
        wrong = list(differences(record))
        if wrong:
            found[record["event"]["name"]] = wrong
    assert counted == {"xwing-standard": 373, "xwing-epic-duel": 301}
    assert not found, "\n".join(f"{name}: {'; '.join(wrong[:5])}" for name, wrong in found.items())
