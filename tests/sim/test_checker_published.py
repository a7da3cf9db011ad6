"""The checker alone reproduces published tournaments (data outside the repository): that makes it an oracle."""

import json
import lzma
import os
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from checker.ranking import order_of
from checker.records import gather, tiebreaker

PATH = os.environ.get("ROUNDTAP_PUBLISHED", "")

pytestmark = [
    pytest.mark.published,
    pytest.mark.skipif(not PATH, reason="ROUNDTAP_PUBLISHED names no file of published standings"),
]


def differences(record: dict[str, Any]) -> list[str]:
    event = record["event"]
    records = gather(event)
    place = {who: n for n, (who, _) in enumerate(order_of(event))}
    with_sos = event["rulebook"] == "xwing-standard"
    found = []
    ranked = []
    for who, points, mov, sos, rank in record["published"]:
        if (records[who].points, records[who].figures["mov"]) != (points, mov):
            found.append(
                f"{who}: {records[who].points} points, MoV {records[who].figures['mov']}; published {points}, {mov}"
            )
        # Two decimals: ties were rounded up by some programs, down by others.
        if with_sos and sos is not None and abs(tiebreaker(records, who, "sos") - Fraction(sos)) > Fraction(5, 1000):
            found.append(f"{who}: SoS {tiebreaker(records, who, 'sos')}, published {sos}")
        if rank is not None:
            strength = tiebreaker(records, who, "sos") if with_sos else 0
            ranked.append((rank, who, (points, mov, strength)))
    for (_, upper, above), (_, lower, below) in pairwise(sorted(ranked)):
        if place[upper] > place[lower] and above != below:
            found.append(f"{upper} was published above {lower}")
    return found


def test_published_points_mov_and_order_come_out_the_same() -> None:
    found: dict[str, list[str]] = {}
    counted: Counter[str] = Counter()
    with lzma.open(PATH, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            counted[record["event"]["rulebook"]] += 1
            if wrong := differences(record):
                found[record["event"]["name"]] = wrong
    assert counted == {"xwing-standard": 373, "xwing-epic-duel": 301}
    assert not found, "\n".join(f"{name}: {'; '.join(wrong[:5])}" for name, wrong in found.items())
