"""Tie-break rounds: who has to play one, who meets whom in it, and what it decides (Warlords 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.records import ELIMINATION, SWISS, TIEBREAK, Tournament
from roundtap_core.rulebooks.registry import plan, rulebook

EACH, KNOCKOUT = "each", "knockout"
"""How three or more play it out: each against each, or single elimination. The organizer's choice, kept in the round's
`tiebreak_form`."""

Worth = tuple[int, ...]


class Meeting(Struct, frozen=True):
    """A tie-break match between two of the tied. `winner` None: not played yet, or both lost."""

    round: int
    pair: frozenset[str]
    winner: str | None
    open: bool


def chosen_form(tournament: Tournament, otherwise: str = EACH) -> str:
    """How ties are played out in this event: the first tie-break round says it for all."""
    first = next(iter(tournament.stage_rounds(TIEBREAK)), None)
    return otherwise if first is None else first.tiebreak_form or EACH


def meetings_among(tournament: Tournament, tied: Sequence[str], after: int | None = None) -> list[Meeting]:
    """The tie-break matches between two of `tied`, in order."""
    among = set(tied)
    book = rulebook(tournament.rulebook)
    options = book.options(tournament.options)
    found = []
    for played in tournament.rounds:
        if played.stage != TIEBREAK or (after is not None and played.number > after):
            continue
        for match in played.matches:
            if match.b is None or match.a not in among or match.b not in among:
                continue
            side = book.winner(match.result, options) if match.result else ""
            winner = match.a if side == "a" else match.b if side == "b" else None
            found.append(Meeting(played.number, frozenset((match.a, match.b)), winner, match.result is None))
    return found


def tiebreak_values(tournament: Tournament, tied: Sequence[str], after: int | None = None) -> Mapping[str, Worth]:
    """What the tie-break rounds give each of `tied`, more is better; all the same while they decide nothing.

    Each against each: the wins once all have met, then once all have met again, and so on. Single elimination: who
    lost later is better. Who left before having met everybody stands below.
    """
    meetings = meetings_among(tournament, tied, after)
    if not meetings:
        return dict.fromkeys(tied, ())
    # Of the whole event: those who have met all of their tie left it when they left the others of that tie.
    last = max(played.number for played in tournament.stage_rounds(TIEBREAK) if after is None or played.number <= after)
    playing = _still_in(tournament, tied, meetings, last)
    meetings = [meeting for meeting in meetings if meeting.pair <= playing]
    if meetings and chosen_form(tournament) == KNOCKOUT:
        gone = {who for who in playing if not _here(tournament, who, last)}
        # Who left unbeaten did not appear for the next round: below who is still unbeaten, above who was beaten.
        worth: dict[str, Worth] = {
            who: (1, _lost_in(who, meetings) or (last + 1 if who in gone else last + 2)) for who in playing
        }
    else:
        worth = {who: (1, *_wins(who, playing, meetings)) for who in playing}
    return {who: worth.get(who, (0,)) for who in tied}


def _still_in(tournament: Tournament, tied: Sequence[str], meetings: Sequence[Meeting], last: int) -> set[str]:
    """Without those who left by round `last` with a meeting still to come. Who left later on has played all there was.

    Who never played at all is nobody's meeting to come.
    """
    met = {meeting.pair for meeting in meetings if not meeting.open}
    knockout = chosen_form(tournament) == KNOCKOUT
    here = {who for who in tied if _here(tournament, who, last)}
    began = {who for who in tied if who in here or any(who in pair for pair in met)}
    if knockout:
        return began
    done = {who for who in began if all(frozenset((who, other)) in met for other in began if other != who)}
    if not here and done != began:
        # Nobody is left to play what is missing: whose meetings happen to be complete decides nothing.
        return set()
    return here | done


def _here(tournament: Tournament, who: str, last: int) -> bool:
    """Whether somebody was still there after round `last`."""
    left = next(c for c in tournament.competitors if c.id == who).left_after
    return left is None or left > last


def _lost_in(who: str, meetings: Sequence[Meeting]) -> int | None:
    """The round in which `who` lost; where a judge had both lose, they meet again."""
    return next((m.round for m in meetings if who in m.pair and m.winner not in (None, who)), None)


def _wins(who: str, playing: set[str], meetings: Sequence[Meeting]) -> list[int]:
    """Wins in everybody's first meetings, in their second ones, …, as far as these are complete."""
    by_pair: dict[frozenset[str], list[Meeting]] = {frozenset(pair): [] for pair in combinations(sorted(playing), 2)}
    for meeting in meetings:
        if not meeting.open:
            by_pair[meeting.pair].append(meeting)
    complete = min((len(played) for played in by_pair.values()), default=0)
    return [sum(played[k].winner == who for played in by_pair.values()) for k in range(complete)]


def pairs_for(tournament: Tournament, tied: Sequence[str], form: str) -> list[tuple[str, str]]:
    """Who of `tied` meets next. The order of `tied` is the lot's; whoever is left over waits for the next round."""
    meetings = meetings_among(tournament, tied)
    if form == KNOCKOUT:
        unbeaten = [who for who in tied if _lost_in(who, meetings) is None]
        return list(zip(unbeaten[::2], unbeaten[1::2], strict=False))
    count = {frozenset(pair): 0 for pair in combinations(tied, 2)}
    for meeting in meetings:
        count[meeting.pair] += 1
    fewest = min(count.values())
    rounds = _circle(tied)
    due = [[pair for pair in one if count[frozenset(pair)] == fewest] for one in rounds]
    return max(due, key=len)


def _circle(players: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Rounds in which each meets each once: one stays, the others turn around; an empty seat for an odd number."""
    ring: list[str | None] = [*players, *([None] if len(players) % 2 else [])]
    rounds = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        rounds.append([(a, b) for a, b in facing if a is not None and b is not None])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


def here_after(tournament: Tournament, after: int | None = None) -> set[str]:
    """Who was there for what follows the Swiss and tie-break rounds up to `after`.

    Who leaves during the elimination keeps the place that was won before.
    """
    begun = next((r.number for r in tournament.rounds if r.stage == ELIMINATION), None)
    known = [number for number in (after, begun - 1 if begun else None) if number is not None]
    last = min(known, default=None)
    return {c.id for c in tournament.competitors
            if c.left_after is None or (last is not None and c.left_after > last)}


def at_stake(tournament: Tournament, above: Sequence[str], here: set[str], after: int | None = None) -> bool:
    """Whether the place after those `above` is one of a prize or of the cut, and the Swiss rounds are over.

    Prizes go by the place, places in the cut to the best of those who are still there.
    """
    try:
        swiss_rounds, cut = plan(tournament)
    except Problem:
        return False
    played = sum(1 for r in tournament.stage_rounds(SWISS) if after is None or r.number <= after)
    if not played or played < swiss_rounds:
        return False
    prizes = rulebook(tournament.rulebook).options(tournament.options).get("prize_places", 0)
    return len(above) < prizes or sum(who in here for who in above) < cut
