"""The course of an event: pairings that a better draw had avoided, stages begun too early, an end before the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roundtap_core.errors import Invalid, Problem
from roundtap_core.names import public_names
from roundtap_core.records import (
    ELIMINATION,
    FINISHED_EARLY,
    SECOND_SWISS,
    SWISS,
    TIE_OPEN,
    WON_BYE,
    Match,
    Round,
    Tournament,
)
from roundtap_core.rounds.next_tiebreak_round import open_ties
from roundtap_core.rulebooks.plan import plan
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import as_it_stood, standings

IMPOSED = "imposed"
"""How a draw is called that people made, or changed: whom they paired is their word, and noted with the round."""


def course_problems(tournament: Tournament) -> Iterator[Problem]:
    """Nothing is said where an organizer paired by hand, or where a later correction leaves it open how it stood."""
    names = public_names(tournament.competitors, bool(tournament.options.get("full_names")))
    for r, played in enumerate(tournament.rounds):
        if played.stage == SWISS and played.number > 1 and (played.draw is None or played.draw.method != IMPOSED):
            before = as_it_stood(tournament, played.number)
            yield from _parted(before, played, f"/rounds/{r}", names) if before is not None else ()
        yield from _extra_minutes(tournament, played, f"/rounds/{r}/extra_minutes")
    yield from _won_byes(tournament, names)
    yield from _too_early(tournament)
    if (tournament.record or {}).get("finished"):
        yield from _unfinished(tournament, names)


def _parted(before: Tournament, played: Round, where: str, names: Mapping[str, str]) -> Iterator[Problem]:
    """Two with the same points who had not met, both paired with somebody below them who could have met each other:
    as many pairs within a group as can be is the first aim of every draw (`pairing`, line 3)."""
    try:
        points = {row.competitor: row.points for row in standings(before, before.rounds[-1].number)}
    except Problem:
        return
    met = {frozenset((m.a, m.b)) for each in before.stage_rounds(SWISS) for m in each.matches if m.b is not None}
    down: list[tuple[str, str, int]] = []
    for m, match in enumerate(played.matches):
        if match.b is None or match.a not in points or match.b not in points:
            continue
        high, low = sorted((match.a, match.b), key=lambda who: -points[who])
        if points[high] == points[low]:
            continue
        for other, below, _ in down:
            if points[other] == points[high] and not met & {frozenset((other, high)), frozenset((below, low))}:
                yield Problem("paired_past_equals", where=f"{where}/matches/{m}", a=names[other], b=names[high])
                return
        down.append((high, low, m))


def _extra_minutes(tournament: Tournament, played: Round, where: str) -> Iterator[Problem]:
    minutes = (played.record or {}).get("extra_minutes")
    if minutes is None:
        return
    low, high = rulebook(tournament.rulebook).extra_minutes or (0, 0)
    if not low <= minutes <= high:
        yield Invalid("figure_out_of_range", where=where, value=minutes, minimum=low, maximum=high)


def _won_byes(tournament: Tournament, names: Mapping[str, str]) -> Iterator[Problem]:
    """Sat out by somebody who brought none."""
    entitled = {competitor.id for competitor in tournament.competitors if competitor.won_bye}
    for m, match in enumerate(tournament.rounds[0].matches if tournament.rounds else ()):
        if match.bye == WON_BYE and match.a not in entitled:
            yield Problem("won_bye_of_another", where=f"/rounds/0/matches/{m}/bye",
                          competitor=f"{names[match.a]} ({match.a})")


def _missing(tournament: Tournament) -> tuple[int, int] | None:
    """(rounds played, rounds planned) where Swiss rounds are missing; None where none are, or nobody planned."""
    options = rulebook(tournament.rulebook).options(tournament.options)
    if options.get("structure") == "own" and options.get("swiss_rounds") is None:
        return None
    try:
        planned, _ = plan(tournament)
    except Problem:
        return None
    swiss = len(tournament.stage_rounds(SWISS))
    return (swiss, planned) if swiss < planned else None


def _too_early(tournament: Tournament) -> Iterator[Problem]:
    later = next((r for r, played in enumerate(tournament.rounds) if played.stage in (ELIMINATION, SECOND_SWISS)), None)
    if later is not None and (missing := _missing(tournament)) is not None:
        yield Problem("stage_too_early", where=f"/rounds/{later}", played=missing[0], planned=missing[1])


def _unfinished(tournament: Tournament, names: Mapping[str, str]) -> Iterator[Problem]:
    """A file that says the event is over, with something still to be played."""
    last = len(tournament.rounds) - 1
    open_now: list[tuple[int, Match]] = [
        (m, match) for m, match in enumerate(tournament.rounds[-1].matches if tournament.rounds else ())
        if match.bye is None and match.result is None]
    for m, _ in open_now:
        yield Problem("finished_with_open_match", where=f"/rounds/{last}/matches/{m}")
    said = {point["kind"] for line in (tournament.record or {}).get("played_on", ()) for point in line["points"]}
    if FINISHED_EARLY in said:
        # The organizer said so, and why.
        return
    later = any(played.stage in (ELIMINATION, SECOND_SWISS) for played in tournament.rounds)
    if not later and (missing := _missing(tournament)) is not None:
        yield Problem("finished_early", where="/finished", played=missing[0], planned=missing[1])
        return
    try:
        ties = [] if open_now or later or TIE_OPEN in said else open_ties(tournament)
    except Problem:
        return
    for tie in ties:
        yield Problem("finished_with_tie", where="/finished", names=", ".join(names[who] for who in tie))
