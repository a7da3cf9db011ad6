"""Coverage of a rulebook's document by clause: enforced, a default, offered, or left to people."""

import json
import os
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

ENFORCED, DEFAULT, OFFERED, PEOPLE = "enforced", "default", "offered", "people"
KINDS = (ENFORCED, DEFAULT, OFFERED, PEOPLE)
HELD = (ENFORCED, DEFAULT)
"""Enforced: every front refuses anything else, or the kit computes it as worked out by hand. Default: the same unless
the organizer decides otherwise (an option, pairing by hand, *Publish anyway*), on record and announced. Offered: the
kit shows or records it, and a person acts. People: left to players, judges or organizers."""

CORE = "core"
"""The front that every clause the kit holds is tried at, where the clause names no others (tests/core/fronts.py)."""

FOLDER = os.path.join(os.path.dirname(__file__), "clauses")


class Clause(Struct, frozen=True):
    """One requirement of a document. `section`: its heading there; `heading`: that in the reader's language; `text`:
    the clause in short words; `rulebooks`: ids it holds for. `reason`: why a clause is left to people. `tests`: pytest
    ids of tests for it. `fronts`: those that could break an enforced or default clause, each covered by a test; at
    least the core. `decided`: the kit's decision where the document has a gap. What makes an enforced clause so:
    `refuses`, keys of the Problems that its opposite meets, or `figure`, the test of a figure worked out by hand."""

    id: str
    section: str
    text: str
    how: str
    rulebooks: tuple[str, ...]
    reason: str = ""
    tests: tuple[str, ...] = ()
    decided: str = ""
    fronts: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    figure: str = ""
    heading: str = ""


class Coverage(Struct, frozen=True):
    """The clauses of one document, in its order, as far as they hold for the rulebooks asked about. `called`: its own
    words for what the pages name otherwise, those in brackets: "Schnitt (Cut), Ebene (Turnierstufe)"."""

    document: str
    rulebooks: tuple[str, ...]
    clauses: tuple[Clause, ...]
    called: str = ""

    def counts(self) -> dict[str, int]:
        """How many clauses of each kind: {"enforced": 61, "default": 9, "offered": 17, "people": 24}."""
        return {kind: sum(clause.how == kind for clause in self.clauses) for kind in KINDS}

    def sections(self) -> tuple[tuple[str, tuple[Clause, ...]], ...]:
        """The clauses under their headings, in the document's order."""
        return tuple((heading, tuple(under)) for heading, under in groupby(self.clauses, lambda clause: clause.heading))

    def only(self, rulebook_id: str) -> "Coverage":
        """What holds for that rulebook alone."""
        clauses = tuple(c for c in self.clauses if rulebook_id in c.rulebooks)
        return Coverage(self.document, (rulebook_id,), clauses, self.called)


def document_names() -> tuple[str, ...]:
    """The names of the documents there are, without their ending."""
    return tuple(sorted(name.removesuffix(".json") for name in os.listdir(FOLDER) if name.endswith(".json")))


@lru_cache(maxsize=64)
def read_clauses(document: str, language: str = "en") -> Coverage:
    """One document's clauses, in English where the language has none. FileNotFoundError where there is no such
    document, TypeError where a clause is none."""
    # Plain files, not importlib.resources, which costs 20 ms of every command's start.
    with open(os.path.join(FOLDER, f"{document}.json"), encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    translations: dict[str, Any] = {}
    with (
        suppress(FileNotFoundError),
        open(os.path.join(FOLDER, language, f"{document}.json"), encoding="utf-8") as translated,
    ):
        translations = json.load(translated)
    everybody = tuple(data["rulebooks"])
    return Coverage(
        data["document"],
        everybody,
        tuple(
            _clause(
                {"heading": data.get("headings", {}).get(raw["section"], {}).get(language, raw["section"])}
                | raw
                | translations.get(raw["id"], {}),
                everybody,
            )
            for raw in data["clauses"]
        ),
        ", ".join(f"{theirs} ({ours})" for ours, theirs in data.get("called", {}).get(language, {}).items()),
    )


def coverage(rulebook_id: str, language: str = "en") -> Coverage:
    """The clauses that hold for a rulebook. KeyError where no document names it."""
    for document in document_names():
        covered = read_clauses(document, language)
        if rulebook_id in covered.rulebooks:
            return covered.only(rulebook_id)
    raise KeyError(rulebook_id)


def coverage_to_json(covered: Coverage) -> dict[str, Any]:
    """As plain JSON, counts first."""
    clauses = [{key: value for key, value in asdict(clause).items() if value} for clause in covered.clauses]
    return {"document": covered.document, "counts": covered.counts(), "clauses": clauses}


def _clause(raw: dict[str, Any], everybody: tuple[str, ...]) -> Clause:
    return Clause(
        **{
            **raw,
            "rulebooks": tuple(raw.get("rulebooks", everybody)),
            "tests": tuple(raw.get("tests", ())),
            "refuses": tuple(raw.get("refuses", ())),
            "fronts": tuple(raw.get("fronts", (CORE,) if raw["how"] in HELD else ())),
        }
    )
