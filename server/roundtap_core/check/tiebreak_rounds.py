"""Tie-break rounds that had no reason, and places that should have been played out (Warlords 2.4)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.names import public_names
from roundtap_core.records import ELIMINATION, TIEBREAK, Tournament
from roundtap_core.rounds.next_tiebreak_round import open_ties
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import as_it_stood


def tiebreak_problems(tournament: Tournament) -> Iterator[Problem]:
    """A tie-break match is between two of one tie at a prize or cut place; elimination begins when all are broken."""
    played = [r for r in tournament.rounds if r.stage == TIEBREAK]
    may = rulebook(tournament.rulebook).tiebreak_rounds
    if not played and not may:
        return
    shown = public_names(tournament.competitors, bool(tournament.options.get("full_names")))
    eliminated = False
    for r, round_ in enumerate(tournament.rounds):
        where = f"/rounds/{r}"
        if round_.stage == ELIMINATION:
            if may and not eliminated:
                yield from _unbroken(tournament, round_.number, where, shown)
            eliminated = True
        if round_.stage != TIEBREAK:
            continue
        if not may:
            yield Problem("no_tiebreak_rounds", where=where, rulebook=tournament.rulebook)
            continue
        before = _before(tournament, round_.number)
        ties = [set(tie) for tie in _ties(before)] if before is not None else []
        for m, match in enumerate(round_.matches if before is not None else ()):
            pair = {match.a, match.b} - {None}
            if not any(pair <= tie for tie in ties):
                yield Problem("tiebreak_without_tie", where=f"{where}/matches/{m}",
                              names=" – ".join(sorted(shown[who] for who in pair if who)))


def _unbroken(tournament: Tournament, number: int, where: str, shown: dict[str, str]) -> Iterator[Problem]:
    before = _before(tournament, number)
    for tie in _ties(before) if before is not None else ():
        yield Problem("tie_not_broken", where=where, names=", ".join(shown[who] for who in tie))


def _before(tournament: Tournament, number: int) -> Tournament | None:
    """As it stood when round `number` was drawn: who left later was still there. None where nobody can tell."""
    stood = as_it_stood(tournament, number)
    return stood and replace(stood, competitors=tuple(
        replace(c, dropped_after=_later(c.dropped_after, number), disqualified_after=_later(
            c.disqualified_after, number)) for c in tournament.competitors))


def _later(last: int | None, number: int) -> int | None:
    return None if last is not None and last >= number else last


def _ties(before: Tournament) -> list[tuple[str, ...]]:
    try:
        return open_ties(before)
    except Problem:
        # A result that cannot be read is named elsewhere.
        return []
