"""Which of two opponents has the first side: shared out fairly after the pairing, which it never changes."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from roundtap_core.randomness import Rand, shuffle
from roundtap_core.records import SWISS_STAGES, Match, Tournament


def first_sides(tournament: Tournament) -> Mapping[str, tuple[int, int]]:
    """How often each competitor has had the first side in Swiss rounds, and in which round last (0: never). Of two who
    meet, the lesser has it next: who had it less often, then who had it longer ago. A bye has no side."""
    had = {competitor.id: (0, 0) for competitor in tournament.competitors}
    for played in tournament.rounds:
        for match in played.matches if played.stage in SWISS_STAGES else ():
            if match.b is not None:
                had[match.a] = (had[match.a][0] + 1, played.number)
    return had


def share_sides(matches: Iterable[Match], tournament: Tournament, rand: Rand) -> tuple[Match, ...]:
    """The same matches at the same tables, each with the first side for whom it is due; the lot is for those of whom
    `first_sides` says the same."""
    had = first_sides(tournament)
    lots = list(had)
    shuffle(lots, rand)
    due = {who: (*had[who], lot) for lot, who in enumerate(lots)}
    return tuple(
        replace(match, a=match.b, b=match.a) if match.b is not None and due[match.b] < due[match.a] else match
        for match in matches
    )
