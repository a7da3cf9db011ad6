"""Byes that the rules exclude: several in a round, a second one, or one for somebody who stood too high."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from roundtap_core.errors import Problem
from roundtap_core.names import public_names
from roundtap_core.records import BYE, NO_SHOW, SWISS, UNPAIRED_LOSS, WON_BYE, Round, StandingsRow, Tournament
from roundtap_core.rulebooks.base import BYE_LAST
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import as_it_stood, standings
from roundtap_core.standings.tiebreakers import RANDOM

Meetings = Mapping[str, set[str]]

# Up to this many players a round is searched for pair by pair; larger fields are nearly always settled by degree.
SEARCHED = 20


def bye_problems(tournament: Tournament) -> Iterator[Problem]:
    """What is wrong with the byes of the Swiss rounds. Won byes and no-shows are not drawn, so they are not judged."""
    names = public_names(tournament.competitors, bool(tournament.options.get("full_names")))
    for r, played in enumerate(tournament.rounds):
        if played.stage != SWISS:
            continue
        given = [m for m, match in enumerate(played.matches) if match.bye == BYE]
        for m in given[1:]:
            yield Problem("several_byes", where=f"/rounds/{r}/matches/{m}/bye")
        # With several byes there is no telling who else should have had the one.
        if len(given) == 1:
            where = f"/rounds/{r}/matches/{given[0]}/bye"
            yield from _misplaced(tournament, played, played.matches[given[0]].a, where, names)


def _misplaced(
    tournament: Tournament, played: Round, holder: str, where: str, names: dict[str, str]
) -> Iterator[Problem]:
    """Whether somebody else had to get this bye (line 2 of the criterion in `pairing`).

    A no-show's free win may or may not count as a bye received: here it counts for whoever makes the bye right.
    """
    before = as_it_stood(tournament, played.number)
    if before is None:
        return
    drawn = _byes(before, (BYE, WON_BYE))
    at_most = _byes(before, (BYE, WON_BYE, NO_SHOW))
    field = [who for match in played.matches if match.b is not None for who in (match.a, match.b)]
    better = [who for who in field if at_most.get(who, 0) < drawn.get(holder, 0)]
    entitled = _legal_without(before, field, holder, better)
    if entitled is not None:
        yield Problem("second_bye", where=where, competitor=f"{names[holder]} ({holder})",
                      other=f"{names[entitled]} ({entitled})")
        return
    if played.number == 1:
        return
    lower = [who for who in _surely_below(before, holder) if at_most.get(who, 0) <= drawn.get(holder, 0)]
    entitled = _legal_without(before, field, holder, [who for who in lower if who in field])
    if entitled is not None:
        yield Problem("bye_too_high", where=where, competitor=f"{names[holder]} ({holder})",
                      other=f"{names[entitled]} ({entitled})")


def _byes(tournament: Tournament, kinds: tuple[str, ...]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for played in tournament.rounds:
        for match in played.matches:
            if match.bye in kinds:
                counts[match.a] = counts.get(match.a, 0) + 1
    return counts


def _surely_below(before: Tournament, holder: str) -> list[str]:
    """Who stood below `holder`, last first, as far as the rulebook's bye looks: the lot does not count as below."""
    book = rulebook(before.rulebook)
    try:
        # As it stood then: who was disqualified later had a place.
        rows = standings(before, max((played.number for played in before.rounds), default=0))
    except Problem:
        return []
    place = next((i for i, row in enumerate(rows) if row.competitor == holder), None)
    if place is None:
        return []
    # Whoever came back got losses for rounds missed, which changed the strength of schedule of earlier opponents: how
    # ties stood when the round was drawn, nobody can tell any more.
    came_back = any(match.bye == UNPAIRED_LOSS for played in before.rounds for match in played.matches)
    if book.bye_after_round_1 == BYE_LAST and not came_back:
        below: Sequence[StandingsRow] = rows[_end_of_tie(rows, place) :]
    else:
        below = [row for row in rows if row.points < rows[place].points]
    return [row.competitor for row in reversed(below)]


def _end_of_tie(rows: Sequence[StandingsRow], place: int) -> int:
    while rows[place].decided_by == RANDOM:
        place += 1
    return place + 1


def _legal_without(before: Tournament, field: list[str], holder: str, candidates: list[str]) -> str | None:
    """The first of `candidates` whose bye would have left a round without a repeat for `holder` and the others."""
    met: dict[str, set[str]] = {}
    for played in before.stage_rounds(SWISS):
        for match in played.matches:
            if match.b is not None:
                met.setdefault(match.a, set()).add(match.b)
                met.setdefault(match.b, set()).add(match.a)
    return next((who for who in candidates if round_exists([holder, *(p for p in field if p != who)], met)), None)


def round_exists(players: Sequence[str], met: Meetings) -> bool:
    """Whether these players can surely be paired without a repeat; where that would take too long to know, False.

    If everybody can still meet at least half of the field there is a way (Dirac's theorem); else all are tried.
    """
    everybody = set(players)
    if len(players) % 2:
        return False
    if all(2 * (len(players) - 1 - len(met.get(who, set()) & everybody)) >= len(players) for who in players):
        return True
    if len(players) > SEARCHED:
        return False
    open_to = [
        sum(1 << j for j, other in enumerate(players) if other != who and other not in met.get(who, ()))
        for who in players
    ]
    return _pairable((1 << len(players)) - 1, open_to, {})


def _pairable(unpaired: int, open_to: Sequence[int], known: dict[int, bool]) -> bool:
    """Whether the players whose bits are set in `unpaired` can be paired; `known` holds what was tried before."""
    if not unpaired:
        return True
    if unpaired not in known:
        first = (unpaired & -unpaired).bit_length() - 1
        rest = unpaired & ~(1 << first)
        partners = [j for j in range(len(open_to)) if rest & open_to[first] & (1 << j)]
        known[unpaired] = any(_pairable(rest & ~(1 << j), open_to, known) for j in partners)
    return known[unpaired]
