"""The next Swiss round, drawn by the criterion: fewest repeats, the bye, the best shape from the top down, then chance.

    1. who is to be paired, in groups by points      field.py
    2. an odd one out                                bye.py
    3. round 1                                       first_round.py
       at most ten: every round looked at            small.py, lookahead.py
       else from the top group down                  draw.py, topdown.py
          the ideal shape, by shuffling              ideal.py
          exact pieces, where that is impossible     window.py, blossom.py, flexible.py, cardinality.py
          bounded work, where they are too wide      bounded.py
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.pairing.bye import Bye, first_bye, later_bye
from roundtap_core.pairing.draw import draw_round
from roundtap_core.pairing.field import Chance, Field, Pairs, next_number, read_field, refuse_open_matches
from roundtap_core.pairing.first_round import draw_first_round
from roundtap_core.pairing.lookahead import repeat_is_ahead
from roundtap_core.pairing.small import LARGEST
from roundtap_core.pairing.table_numbers import assign_tables
from roundtap_core.records import BYE, SWISS, WON_BYE, Draw, Match, Tournament, drawn_for
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.totals import swiss_totals

__all__ = ["Pairing", "pair_next", "pairing_to_json"]


class Pairing(Struct, frozen=True):
    """A drawn round and what explains it. `notes` is plain data:

    `repeats`: how many pairs meet again, and if there are any, `repeated`: which, as {"a", "b"};
    `floats`: who meets whom from another points group, as {"competitor", "from", "to"};
    `bye`: None or {"competitor", "why": "random" | "last" | "random-lowest", "passed_over": [competitors who came
    first, but whose bye would have cost a repeat]};
    `repeat_ahead`, only in a small field and only where it is proved: True, a later round will have to repeat a
    pairing, if all stay.
    `beyond_plan`, only where a file is asked for a further round: True, all rounds of its structure are drawn.
    """

    number: int
    stage: str
    draw: Draw
    matches: tuple[Match, ...]
    notes: dict[str, Any]


def pair_next(
    tournament: Tournament, seed: int | None = None, attempt: int = 1, absent: Collection[str] = (),
    stage: str = SWISS, rounds_after: int | None = None, busy: Collection[int] = frozenset(),
) -> Pairing:
    """Draw the next Swiss round; the same arguments draw the same round, everywhere.

    `seed` defaults to the event's, another `attempt` draws again. Whoever left, and whoever is `absent`, is in no
    match at all. `rounds_after`: how many of the stage follow, where its own structure does not say; `busy` tables
    are left out. Raises Problem: "open_matches" while a result is missing, "too_few_players" below two.
    """
    seed = tournament.seed if seed is None else seed
    number = next_number(tournament.rounds)
    chance = Chance(seed, number, attempt)
    refuse_open_matches(tournament)
    records = swiss_totals(tournament)
    field = read_field(tournament, records, absent, stage)
    if len(field.ids) < 2:
        raise Problem("too_few_players", n=len(field.ids))
    byes = list(field.byes)
    rounds_left = _rounds_left(tournament, number, len(field.ids)) if rounds_after is None else rounds_after
    won: list[int] = []
    if tournament.stage_rounds(SWISS):
        pairs, method, bye = _later_round(field, tournament, chance, byes, rounds_left)
    else:
        pairs, method, bye, won = _first_round(field, tournament, chance, byes)
    matches = [Match(field.ids[a], field.ids[b]) for a, b in pairs]
    matches += [Match(field.ids[i], bye=WON_BYE) for i in won]
    if bye is not None:
        matches.append(Match(field.ids[bye.member], bye=BYE))
    return Pairing(
        number=number,
        stage=stage,
        draw=Draw(seed, attempt, method),
        matches=assign_tables(matches, tournament, busy=busy, records=records),
        notes=_notes(field, pairs, bye, byes, rounds_left),
    )


def _first_round(
    field: Field, tournament: Tournament, chance: Chance, byes: list[int]
) -> tuple[Pairs, str, Bye | None, list[int]]:
    """Won byes are set aside before the field is looked at ("Won first-round bye"). This round's byes are
    added to `byes`."""
    people = {competitor.id: competitor for competitor in tournament.competitors}
    won = [i for i, competitor in enumerate(field.ids) if people[competitor].won_bye]
    members = [i for i in range(len(field.ids)) if i not in set(won)]
    bye = None
    if len(members) % 2:
        bye = first_bye(members, chance.of("bye"))
        members.remove(bye.member)
    for i in won if bye is None else [*won, bye.member]:
        byes[i] += 1
    came_with = [people[competitor].came_with for competitor in field.ids]
    pairs, method = draw_first_round(members, came_with, chance.of("ideal"))
    return pairs, method, bye, won


def _later_round(
    field: Field, tournament: Tournament, chance: Chance, byes: list[int], rounds_left: int
) -> tuple[Pairs, str, Bye | None]:
    """This round's bye is added to `byes`."""
    members = list(range(len(field.ids)))
    bye = None
    if len(members) % 2:
        bye = later_bye(field, rulebook(tournament.rulebook).bye_after_round_1, tournament, chance.of("bye"))
        members.remove(bye.member)
        byes[bye.member] += 1
    pairs, method = draw_round(field, members, chance, byes, rounds_left)
    return pairs, method, bye


def _rounds_left(tournament: Tournament, number: int, there: int) -> int:
    """The Swiss rounds that are to follow round `number`; 0 where the event's structure does not say.

    Structures count those who were there when round 1 was drawn ("Before round 1"): now, if that is it.
    """
    book = rulebook(tournament.rulebook)
    begun = tournament.stage_rounds(SWISS)
    try:
        rounds, _ = book.structure(drawn_for(begun[0].matches) if begun else there, book.options(tournament.options))
    except Problem:
        return 0
    return max(0, rounds - number)


def _notes(field: Field, pairs: Pairs, bye: Bye | None, byes: Sequence[int], rounds_left: int) -> dict[str, Any]:
    floats: list[dict[str, Any]] = []
    for a, b in pairs:
        upper, lower = (a, b) if field.points[a] > field.points[b] else (b, a)
        if field.points[upper] != field.points[lower]:
            floats.append({"competitor": field.ids[upper], "from": field.points[upper], "to": field.points[lower]})
    floats.sort(key=lambda f: (-f["from"], -f["to"]))
    repeated = [{"a": field.ids[a], "b": field.ids[b]} for a, b in pairs if b in field.met[a]]
    notes: dict[str, Any] = {"repeats": len(repeated), "bye": _bye_note(field.ids, bye), "floats": floats}
    if repeated:
        notes["repeated"] = repeated
    if rounds_left > 0 and len(field.ids) <= LARGEST and repeat_is_ahead(pairs, field.met, byes, rounds_left):
        notes["repeat_ahead"] = True
    return notes


def _bye_note(ids: Sequence[str], bye: Bye | None) -> dict[str, Any] | None:
    if bye is None:
        return None
    return {"competitor": ids[bye.member], "why": bye.why, "passed_over": [ids[i] for i in bye.passed_over]}


def pairing_to_json(pairing: Pairing) -> dict[str, Any]:
    """What `roundtap pair` prints: `notes.bye` is the reason alone, or null.

    `notes.bye_passed_over` is there only if somebody was; `repeated` and `repeat_ahead` only as in `Pairing`.
    """
    notes = {**pairing.notes, "bye": None}
    bye = pairing.notes["bye"]
    if bye is not None:
        notes["bye"] = bye["why"]
        if bye["passed_over"]:
            notes["bye_passed_over"] = bye["passed_over"]
    return {
        "round": pairing.number,
        "stage": pairing.stage,
        "draw": {"seed": pairing.draw.seed, "attempt": pairing.draw.attempt, "method": pairing.draw.method},
        "matches": [_match_to_json(match) for match in pairing.matches],
        "notes": notes,
    }


def _match_to_json(match: Match) -> dict[str, Any]:
    if match.bye is not None:
        return {"a": match.a, "bye": match.bye}
    return {"table": match.table, "a": match.a, "b": match.b}
