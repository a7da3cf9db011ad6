"""What a rulebook's document comes to: its coverage by clause, enforced, a default, offered, or left to people; and the
figures as an organizer announces them, asked of the rulebook itself: results, byes, minutes."""

import json
import os
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from roundtap_core.errors import Problem
from roundtap_core.records import BYES, RULING, TIME, Match, Result, SidePair
from roundtap_core.rulebooks.base import Options, Rulebook
from roundtap_core.rulebooks.scoring import Tally

ENFORCED, DEFAULT, OFFERED, PEOPLE = "enforced", "default", "offered", "people"
KINDS = (ENFORCED, DEFAULT, OFFERED, PEOPLE)
HELD = (ENFORCED, DEFAULT)
"""Enforced: every front refuses anything else, or the kit computes it as worked out by hand. Default: the same unless
the organizer decides otherwise (an option, pairing by hand, *Publish anyway*), on record and announced. Offered: the
kit shows or records it, and a person acts. People: left to players, judges or organizers."""

CORE = "core"
"""The front that every clause the kit holds is tried at, where the clause names no others (tests/core/fronts.py)."""

FOLDER = os.path.join(os.path.dirname(__file__), "clauses")
_OUTCOMES = (
    ("win", Result(ended=RULING, winner="a")),
    ("draw", Result(ended=RULING, winner="draw")),
    ("loss", Result(ended=RULING, winner="b")),
)


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


def outcome_points(book: Rulebook, options: Options) -> dict[str, int]:
    """Tournament points of "win", "draw" and "loss", as far as the rulebook has them. Where a narrow win at time is
    worth something else: "win_at_time", and "win_at_time_lead" from `full_win_lead` on; the text of both names it."""
    lead = full_win_lead(book, options)
    at_time = [("win_at_time_lead", _at_time(lead)), ("win_at_time", _at_time(lead - 1))] if lead is not None else []
    points: dict[str, int] = {}
    for name, result in (_OUTCOMES[0], *at_time, *_OUTCOMES[1:]):
        with suppress(Problem):  # No draws in this rulebook.
            points[name] = book.tally(Match("a", "b", result=result), "a", options).points
    return points


def full_win_lead(book: Rulebook, options: Options) -> int | None:
    """From which lead on a win at time is worth as much as any win; None where it always is."""
    full = book.tally(Match("a", "b", result=_OUTCOMES[0][1]), "a", options).points
    leads = range(1, options.get("squad_points", 0) + 1)
    full_leads = (n for n in leads if book.tally(Match("a", "b", result=_at_time(n)), "a", options).points == full)
    least = next(full_leads, None)
    return None if least == 1 else least


def _at_time(lead: int) -> Result:
    return Result(ended=TIME, winner="a", score=SidePair(lead, 0))


def bye_worth(book: Rulebook, options: Options) -> dict[str, Tally]:
    """What each kind of bye gives: {"bye": Tally(1, "win", {"mov": 150}), …}."""
    return {bye: book.tally(Match("a", bye=bye), "a", options) for bye in BYES}


def stage_minutes(book: Rulebook, options: Options) -> dict[str, int | None]:
    """The length of a round of each stage under these options; None: untimed."""
    return {stage: book.minutes(stage, options) for stage in book.stage_minutes}


def minutes_by_games(book: Rulebook) -> dict[str, dict[int, int | None]]:
    """The rulebook's own lengths for each number of games a match of that stage may have:
    {"swiss": {1: 35, 3: 90}, …}."""

    def of(stage: str, games: int) -> int | None:
        return book.minutes(stage, book.options({"stages": {stage: {"best_of": games}}}))

    return {stage: {games: of(stage, games) for games in games_allowed(book, stage)} for stage in book.stage_minutes}


def games_allowed(book: Rulebook, stage: str) -> tuple[int, ...]:
    """How many games a match of that stage may have: those of the rulebook that its options take there."""

    def taken(games: int) -> bool:
        try:
            book.check_options({"stages": {stage: {"best_of": games}}})
        except Problem:
            return False
        return True

    return tuple(filter(taken, book.best_of))
