"""Which clauses of a rulebook's document the kit holds, always or by default, which it offers, which people keep."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

ENFORCED, DEFAULT, OFFERED, PEOPLE = "enforced", "default", "offered", "people"
KINDS = (ENFORCED, DEFAULT, OFFERED, PEOPLE)
HELD = (ENFORCED, DEFAULT)
"""Enforced: the kit computes it, or refuses anything else. Default: so it does unless the organizer says otherwise,
which the rules page announces and the event keeps. Offered: the kit shows or records it, and a person acts. People:
players, judges or organizers do it, and the kit has no part in it."""

CORE = "core"
"""The front that every clause the kit holds is tried at, where the clause names no others (tests/core/fronts.py)."""

FOLDER = os.path.join(os.path.dirname(__file__), "clauses")


class Clause(Struct, frozen=True):
    """One thing that a document asks for.

    `section` is the document's own heading, in its language; `text` says the clause in short English; `reason` says,
    of a clause for people, why the kit leaves it to them; `tests` are pytest ids of tests that hold it;
    `fronts`, of an enforced one or a default, are those that could break it, each of which a test tries: at least the
    core; `rulebooks` are the ids it is true for; `decided` is what the kit decided where the document leaves a gap.
    """

    id: str
    section: str
    text: str
    how: str
    rulebooks: tuple[str, ...]
    reason: str = ""
    tests: tuple[str, ...] = ()
    decided: str = ""
    fronts: tuple[str, ...] = ()


class Coverage(Struct, frozen=True):
    """The clauses of one document, in its order, as far as they hold for the rulebooks asked about."""

    document: str
    rulebooks: tuple[str, ...]
    clauses: tuple[Clause, ...]

    def counts(self) -> dict[str, int]:
        """How many clauses of each kind: {"enforced": 61, "default": 9, "offered": 17, "people": 24}."""
        return {kind: sum(clause.how == kind for clause in self.clauses) for kind in KINDS}

    def sections(self) -> tuple[tuple[str, tuple[Clause, ...]], ...]:
        """The clauses under the document's headings, in its order."""
        return tuple((heading, tuple(under)) for heading, under in groupby(self.clauses, lambda clause: clause.section))

    def only(self, rulebook_id: str) -> Coverage:
        """What holds for that rulebook alone."""
        return Coverage(self.document, (rulebook_id,), tuple(c for c in self.clauses if rulebook_id in c.rulebooks))


def documents() -> tuple[str, ...]:
    """The names of the documents there are, without their ending."""
    return tuple(sorted(name.removesuffix(".json") for name in os.listdir(FOLDER) if name.endswith(".json")))


@lru_cache(maxsize=16)
def read_clauses(document: str) -> Coverage:
    """One document's clauses. FileNotFoundError where there is no such document, TypeError where a clause is none."""
    # Plain files, not importlib.resources, which costs 20 ms of every command's start.
    with open(os.path.join(FOLDER, f"{document}.json"), encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    everybody = tuple(data["rulebooks"])
    return Coverage(data["document"], everybody, tuple(_clause(raw, everybody) for raw in data["clauses"]))


def coverage(rulebook_id: str) -> Coverage:
    """The clauses that hold for a rulebook. KeyError where no document names it."""
    for document in documents():
        found = read_clauses(document)
        if rulebook_id in found.rulebooks:
            return found.only(rulebook_id)
    raise KeyError(rulebook_id)


def coverage_to_json(found: Coverage) -> dict[str, Any]:
    """As plain JSON, counts first."""
    clauses = [{key: value for key, value in asdict(clause).items() if value} for clause in found.clauses]
    return {"document": found.document, "counts": found.counts(), "clauses": clauses}


def _clause(raw: dict[str, Any], everybody: tuple[str, ...]) -> Clause:
    fronts = raw.get("fronts", (CORE,) if raw["how"] in HELD else ())
    given = {**raw, "rulebooks": tuple(raw.get("rulebooks", everybody)), "tests": tuple(raw.get("tests", ())),
             "fronts": tuple(fronts)}
    return Clause(**given)
