"""The next Swiss round, drawn by the criterion: fewest repeats, the bye, the best shape from the top down, then chance.

1. who is to be paired, in groups by points      pairing_pool.py
2. an odd one out                                here
3. round 1                                       here
   at most ten: every round looked at            here
   else from the top group down                  topdown.py
      exact pieces, where shuffling is in vain   there, blossom.py, cardinality.py
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from roundtap_core.errors import Problem
from roundtap_core.pairing import pairing_pool
from roundtap_core.pairing.cardinality import LargestMatching, draw_fewest_repeats
from roundtap_core.pairing.everybody import EVERYBODY, draw_everybody
from roundtap_core.pairing.table_numbers import assign_tables, share_sides
from roundtap_core.pairing.topdown import WIDEST, TopDownDraw, solve_window
from roundtap_core.randomness import Rand, shuffle
from roundtap_core.records import BYE, SWISS, SWISS_STAGES, WON_BYE, Draw, Match, Tournament, present_count
from roundtap_core.rulebooks.base import BYE_LAST, BYE_RANDOM_LOWEST, OWN
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.standings.standings import last_first
from roundtap_core.standings.totals import SwissTotals, swiss_totals

IDEAL, REPAIRED = "ideal", "repaired"
TRIES = 400

RANDOM = "random"

LARGEST = 10

STEPS = 20_000


def draw_first_round(
    members: Sequence[int], came_with: Sequence[str | None], rand: Rand
) -> tuple[pairing_pool.Pairs, str]:
    """A random round with the fewest pairings inside a "came with" group, and the method used. Uniform over all of
    them, unless TRIES shuffles failed and the last was repaired."""
    if crowd := _half_or_more(members, came_with):
        return _spread(members, crowd, rand), IDEAL
    line = list(members)
    for _ in range(TRIES):
        shuffle(line, rand)
        if not _together(line, came_with):
            return _pairs(line), IDEAL
    return _pairs(_separate(line, came_with, rand)), REPAIRED


def _pairs(line: Sequence[int]) -> pairing_pool.Pairs:
    return list(zip(line[::2], line[1::2], strict=True))


def _same_group(a: int, b: int, came_with: Sequence[str | None]) -> bool:
    return came_with[a] is not None and came_with[a] == came_with[b]


def _together(line: Sequence[int], came_with: Sequence[str | None]) -> list[int]:
    """Where in the line a pair begins that came together."""
    return [k for k in range(0, len(line), 2) if _same_group(line[k], line[k + 1], came_with)]


def _half_or_more(members: Sequence[int], came_with: Sequence[str | None]) -> list[int]:
    """The group that fills at least half of the field, if there is one."""
    groups: dict[str, list[int]] = {}
    for member in members:
        if (name := came_with[member]) is not None:
            groups.setdefault(name, []).append(member)
    largest = max(groups.values(), key=len, default=[])
    return largest if 2 * len(largest) >= len(members) else []


def _spread(members: Sequence[int], crowd: list[int], rand: Rand) -> pairing_pool.Pairs:
    """All others meet a random member of the crowd, whose rest pairs among itself."""
    crowded = set(crowd)
    others = [member for member in members if member not in crowded]
    hosts = crowd[:]
    shuffle(hosts, rand)
    return list(zip(others, hosts, strict=False)) + _pairs(hosts[len(others) :])


def _separate(line: list[int], came_with: Sequence[str | None], rand: Rand) -> list[int]:
    """Exchange partners with pairs without a member of the group; one exists, as no group fills half the field."""
    for k in _together(line, came_with):
        a, b = line[k], line[k + 1]
        if not _same_group(a, b, came_with):
            continue
        places = [
            p
            for p in range(0, len(line), 2)
            if not _same_group(a, line[p], came_with) and not _same_group(a, line[p + 1], came_with)
        ]
        p = places[int(rand() * len(places))]
        line[k + 1], line[p] = line[p], b
    return line


class ByeChoice(Struct, frozen=True):
    """The choice and its reason: `why` is "random" (first round), "last" or "random-lowest" (the rulebook's ways).
    `passed_over` would have come first, but without them a repeat could not have been avoided."""

    member: int
    why: str
    passed_over: tuple[int, ...] = ()


def later_bye(
    field: pairing_pool.PairingPool, rule: str, tournament: Tournament, records: Mapping[str, SwissTotals], rand: Rand
) -> ByeChoice:
    """The first in the rulebook's order whose absence costs no repeat, among those with the fewest byes. House
    decision: no second bye while someone has none, even at the price of a repeat."""
    _, allowed = fewest_repeats(field.met, field.byes)
    passed_over: list[int] = []
    for member in _order(field, rule, tournament, records, rand):
        if member in allowed:
            return ByeChoice(member, rule, tuple(passed_over))
        passed_over.append(member)
    raise AssertionError("whoever may sit out is among those with the fewest byes")


def _order(
    field: pairing_pool.PairingPool, rule: str, tournament: Tournament, records: Mapping[str, SwissTotals], rand: Rand
) -> Iterator[int]:
    fewest = min(field.byes)
    members = [i for i, byes in enumerate(field.byes) if byes == fewest]
    if rule == BYE_LAST:
        # Latecomers who missed every round rank below all who have played.
        place = {field.ids[i]: i for i in members}
        yield from (place[who] for who in last_first(tournament, records, place))
        return
    assert rule == BYE_RANDOM_LOWEST
    for group in reversed(field.groups(members)):
        shuffle(group, rand)
        yield from group


def fewest_repeats(met: pairing_pool.Met, byes: Sequence[int]) -> tuple[int, set[int]]:
    """How many pairs of a field must meet again in any round, and who may sit out an odd one (lines 0 and 1 of the
    criterion): of those with the fewest byes, where that is possible, those whose absence costs no further repeat."""
    fewest = min(byes, default=0)
    out = {member for member, had in enumerate(byes) if had == fewest} if len(met) % 2 else set()
    if len(met) - len(met) % 2 >= 2 * max(map(len, met), default=0) + 2:
        return 0, out  # Dirac: whoever stays out, the others can all be paired without a repeat.
    largest = LargestMatching(range(len(met)), met)
    harmless = out & largest.spare
    return largest.unmatched // 2 + (len(out) > 0 and not harmless), harmless or out


def best_rounds(
    groups: pairing_pool.Groups, met: pairing_pool.Met, may: Callable[[pairing_pool.Pairs], bool] = lambda _: True
) -> list[pairing_pool.Pairs]:
    """All rounds (that `may` be) with the fewest repeats and, among these, the best shape (lines 1 and 3)."""
    group_of = {member: g for g, group in enumerate(groups) for member in group}
    best: list[pairing_pool.Pairs] = []
    best_key: tuple[int, list[tuple[int, int]]] | None = None
    for pairs in filter(may, all_pairings(list(group_of))):
        key = (sum(b in met[a] for a, b in pairs), pairing_shape(pairs, group_of))
        if best_key is None or key < best_key:
            best, best_key = [pairs], key
        elif key == best_key:
            best.append(pairs)
    return best


def pairing_shape(pairs: pairing_pool.Pairs, group_of: Sequence[int] | dict[int, int]) -> list[tuple[int, int]]:
    """The pairs as (upper group, lower group), sorted: the smaller list is the better shape. Two rounds of equally many
    pairs first differ in their sorted lists at the first m_ij in which they differ, and the one with more of it has the
    smaller entry there: the order of (m11, m12, …, m22, …)."""
    cells = []
    for a, b in pairs:
        i, j = group_of[a], group_of[b]
        cells.append((i, j) if i <= j else (j, i))
    cells.sort()
    return cells


def all_pairings(members: list[int]) -> Iterator[pairing_pool.Pairs]:
    """Every way to pair an even number of members: 945 for ten."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    for i, second in enumerate(rest):
        for others in all_pairings(rest[:i] + rest[i + 1 :]):
            yield [(first, second), *others]


# Lookahead for small fields (line 3b).


class SearchBudget:
    """The steps a search may still take; without any left it is undecided."""

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    def spend(self) -> bool:
        self.left -= 1
        return self.left >= 0


def first_feasible(
    draws: Sequence[pairing_pool.Pairs], met: pairing_pool.Met, byes: Sequence[int], rounds_left: int
) -> pairing_pool.Pairs:
    """The first of `draws` after which `rounds_left` more rounds are possible without a repeat; else simply the first.
    `draws` come in random order, so the choice is uniform. `byes` include this round's. One draw gets at most a tenth
    of the steps, so a dead end that is hard to prove does not use them all."""
    left = STEPS
    for pairs in draws:
        budget = SearchBudget(min(left, STEPS // 10))
        if _can_follow(pairs, met, byes, rounds_left, budget):
            return pairs
        left -= STEPS // 10 - max(budget.left, 0)
        if left <= 0:
            break
    return draws[0]


def repeat_is_ahead(pairs: pairing_pool.Pairs, met: pairing_pool.Met, byes: Sequence[int], rounds_left: int) -> bool:
    """Whether it is proved that one of the `rounds_left` rounds after `pairs` must repeat a pairing, if all stay. False
    if the search ran out of steps. `byes` as in `first_feasible`."""
    budget = SearchBudget()
    return not _can_follow(pairs, met, byes, rounds_left, budget) and budget.left >= 0


def _can_follow(
    pairs: pairing_pool.Pairs, met: pairing_pool.Met, byes: Sequence[int], rounds_left: int, budget: SearchBudget
) -> bool:
    """Whether so many legal rounds can follow `pairs`. In an odd field where no one needs a second bye, the bye is one
    more member whom each meets once: rounds can then be reordered, too."""
    later = [set(opponents) for opponents in met]
    for a, b in pairs:
        later[a].add(b)
        later[b].add(a)
    next_out = [member for member in range(len(met)) if byes[member] == min(byes)]
    if len(met) % 2 and rounds_left <= len(next_out):
        sat_out = set(range(len(met))) - set(next_out)
        for member in sat_out:
            later[member].add(len(met))
        later.append(sat_out)
    return _possible(later, list(byes), rounds_left, budget, 0)


def _possible(met: list[set[int]], byes: list[int], rounds_left: int, budget: SearchBudget, at_least: int) -> bool:
    """Whether that many legal rounds can follow; in an odd field one with the fewest byes sits out each. Rounds of an
    even field may change places, so the first member's opponents are taken in ascending order, from `at_least` on."""
    if rounds_left == 0:
        return True
    size = len(met)
    odd = size % 2
    for member, opponents in enumerate(met):
        missing = rounds_left - (size - 1 - len(opponents))
        if missing > 0 and not (odd and missing <= _most_byes(byes, member, rounds_left)):
            return False
    # A member without a choice has to meet everyone left; more of those than rounds cannot all meet one member.
    pressed = {member for member in range(size) if not odd and size - 1 - len(met[member]) == rounds_left}
    if any(len(pressed - opponents - {member}) > rounds_left for member, opponents in enumerate(met)):
        return False
    sitting = [i for i in range(size) if byes[i] == min(byes)] if odd else [None]
    for out in sitting:
        members = [i for i in range(size) if i != out]
        if out is not None:
            byes[out] += 1
        possible = _round_then(members, met, byes, rounds_left, budget, at_least if not odd else 0, not odd)
        if out is not None:
            byes[out] -= 1
        if possible or budget.left < 0:
            return possible
    return False


def _most_byes(byes: Sequence[int], member: int, rounds: int) -> int:
    """How many byes a member may get in so many rounds: one whenever no one has fewer."""
    counts = list(byes)
    for _ in range(rounds):
        fewest = min(counts)
        counts[member if counts[member] == fewest else counts.index(fewest)] += 1
    return counts[member] - byes[member]


def _round_then(
    members: list[int],
    met: list[set[int]],
    byes: list[int],
    rounds_left: int,
    budget: SearchBudget,
    at_least: int,
    ascending: bool,
) -> bool:
    """Pair `members` without a repeat in some way that the later rounds can follow."""
    following = 0

    def pair(rest: list[int]) -> bool:
        nonlocal following
        if not budget.spend():
            return False
        if not rest:
            return _possible(met, byes, rounds_left - 1, budget, following)
        a = rest[0]
        for i in range(1, len(rest)):
            b = rest[i]
            if b in met[a] or (ascending and a == 0 and b < at_least):
                continue
            if ascending and a == 0:
                following = b + 1
            met[a].add(b)
            met[b].add(a)
            possible = pair(rest[1:i] + rest[i + 1 :])
            met[a].discard(b)
            met[b].discard(a)
            if possible:
                return True
        return False

    return pair(members)


def draw_round(
    field: pairing_pool.PairingPool,
    members: Sequence[int],
    chance: pairing_pool.DrawRandom,
    byes: Sequence[int],
    rounds_left: int,
    keep_free: bool = False,
) -> tuple[pairing_pool.Pairs, str]:
    """The pairs of an even number of `members`, and the method. `byes` include this round's; `rounds_left` are the
    Swiss rounds after it (0: unknown or none), for lookahead in small fields. `keep_free`: see `keeps_free`."""
    if len(members) <= LARGEST:
        groups = field.groups(members)
        draws = best_rounds(groups, field.met)
        shuffle(draws, chance.of("enumerated"))
        pairs = draws[0]
        if rounds_left > 0 and len(field.ids) <= LARGEST and not field.repeats(pairs):
            pairs = first_feasible(draws, field.met, byes, rounds_left)
            if keep_free and repeat_is_ahead(pairs, field.met, byes, rounds_left):
                free = best_rounds(
                    groups, field.met, lambda draw: not repeat_is_ahead(draw, field.met, byes, rounds_left)
                )
                shuffle(free, chance.of("kept-free"))
                pairs = next((draw for draw in free if not field.repeats(draw)), pairs)
        return pairs, "enumerated"
    pairs, method = draw_large(field, members, field.met, chance)
    if method != "ideal":
        # A search leaves its pairs in a revealing order; tables and sides should reveal nothing.
        rand = chance.of("order")
        shuffle(pairs, rand)
        pairs = [(b, a) if rand() < 0.5 else (a, b) for a, b in pairs]
    return pairs, method


def draw_large(
    field: pairing_pool.PairingPool, members: Sequence[int], met: pairing_pool.Met, chance: pairing_pool.DrawRandom
) -> tuple[pairing_pool.Pairs, str]:
    """The same for any number of members: only the structure of the field decides the method."""
    groups = field.groups(members)
    most_met = max(map(len, met))
    if len(members) < 2 * most_met + 2:
        largest = LargestMatching(members, met)
        if not largest.partner:
            # All have met: every round has the same repeats, so they can be ignored.
            met, most_met = [set() for _ in met], 0
        elif largest.unmatched:
            rand = chance.of("search")
            if len(members) > WIDEST:
                return draw_fewest_repeats(groups, met, largest, rand), "windowed"
            return solve_window(groups, met, rand, to_the_end=True, repeats=True).pairs, "exact"
    return TopDownDraw(groups, met, chance, most_met).run()


class DrawnRound(Struct, frozen=True):
    """A drawn round and what explains it. `notes` is plain data:

    "repeats": how many pairs meet again, and if there are any, "repeated": which, as {"a", "b"}; "floats": who meets
    whom from another points group, as {"competitor", "from", "to"}; "bye": None or {"competitor", "why": "random" |
    "last" | "random-lowest" | "everybody", "passed_over": [competitors who came first, but whose bye would have cost a
    repeat]} (of several byes in a round robin, the first); "repeat_ahead", only in a small field and only where it is
    proved: True, a later round will have to repeat a pairing, if all stay. "beyond_plan", only where a file is asked
    for a further round: True, all rounds of its structure are drawn.
    """

    number: int
    stage: str
    draw: Draw
    matches: tuple[Match, ...]
    notes: dict[str, Any]


def draw_swiss_round(
    tournament: Tournament,
    seed: int | None = None,
    attempt: int = 1,
    absent: Collection[str] = (),
    stage: str = SWISS,
    rounds_after: int | None = None,
    busy: Collection[int] = frozenset(),
) -> DrawnRound:
    """Draw the next Swiss round; the same arguments draw the same round on every machine. `seed` defaults to the
    event's, another `attempt` draws again. Departed and `absent` competitors get no match. `rounds_after`: how many
    rounds of the stage follow, if its structure does not define it. Raises Problem: "open_matches" while a result is
    missing, "too_few_players" below two."""
    seed = tournament.seed if seed is None else seed
    number = max((played.number for played in tournament.rounds), default=0) + 1
    chance = pairing_pool.DrawRandom(seed, number, attempt)
    # The groups depend on the results.
    pairing_pool.refuse_open_matches(tournament, SWISS_STAGES)
    records = swiss_totals(tournament)
    field = pairing_pool.build_pool(tournament, records, absent, stage)
    if len(field.ids) < 2:
        raise Problem("too_few_players", n=len(field.ids))
    book = book_of(tournament)
    if book.everybody and stage == SWISS:
        matches, method = draw_everybody(tournament, field.ids, chance), EVERYBODY
        dues = ({"competitor": match.a, "why": EVERYBODY, "passed_over": []} for match in matches if match.bye)
        notes: dict[str, Any] = {"repeats": 0, "bye": next(dues, None), "floats": []}
    else:
        rounds_left = _rounds_left(tournament, number, len(field.ids)) if rounds_after is None else rounds_after
        matches, method, notes = _swiss_matches(field, tournament, records, chance, rounds_left, stage)
    placed = assign_tables(matches, tournament, busy=busy, records=records)
    if book.shares_sides:
        placed = share_sides(placed, tournament, chance.of("sides"))
    return DrawnRound(number, stage, Draw(seed, attempt, method), placed, notes)


def _swiss_matches(
    field: pairing_pool.PairingPool,
    tournament: Tournament,
    records: Mapping[str, SwissTotals],
    chance: pairing_pool.DrawRandom,
    rounds_left: int,
    stage: str,
) -> tuple[list[Match], str, dict[str, Any]]:
    """The matches by the criterion, the method, and the notes."""
    byes = list(field.byes)
    won: list[int] = []
    if tournament.stage_rounds(SWISS):
        pairs, method, bye = _later_round(field, tournament, records, chance, byes, rounds_left, stage)
    else:
        pairs, method, bye, won = _first_round(field, tournament, chance, byes)
    matches = [Match(field.ids[a], field.ids[b]) for a, b in pairs]
    matches += [Match(field.ids[i], bye=WON_BYE) for i in won]
    if bye is not None:
        matches.append(Match(field.ids[bye.member], bye=BYE))
    return matches, method, _notes(field, pairs, bye, byes, rounds_left)


def _first_round(
    field: pairing_pool.PairingPool, tournament: Tournament, chance: pairing_pool.DrawRandom, byes: list[int]
) -> tuple[pairing_pool.Pairs, str, ByeChoice | None, list[int]]:
    """Sets won byes aside first ("Won first-round bye") and adds this round's byes to `byes`."""
    people = {competitor.id: competitor for competitor in tournament.competitors}
    won = [i for i, competitor in enumerate(field.ids) if people[competitor].won_bye]
    members = [i for i in range(len(field.ids)) if i not in set(won)]
    bye = None
    if len(members) % 2:
        bye = ByeChoice(members[int(chance.of("bye")() * len(members))], RANDOM)
        members.remove(bye.member)
    for i in won if bye is None else [*won, bye.member]:
        byes[i] += 1
    came_with = [people[competitor].came_with for competitor in field.ids]
    pairs, method = draw_first_round(members, came_with, chance.of("ideal"))
    return pairs, method, bye, won


def _later_round(
    field: pairing_pool.PairingPool,
    tournament: Tournament,
    records: Mapping[str, SwissTotals],
    chance: pairing_pool.DrawRandom,
    byes: list[int],
    rounds_left: int,
    stage: str,
) -> tuple[pairing_pool.Pairs, str, ByeChoice | None]:
    """Adds this round's bye to `byes`."""
    members = list(range(len(field.ids)))
    bye = None
    if len(members) % 2:
        rule = book_of(tournament).bye_after_round_1
        bye = later_bye(field, rule, tournament, records, chance.of("bye"))
        members.remove(bye.member)
        byes[bye.member] += 1
    keep_free = stage == SWISS and keeps_free(tournament, chance.number, len(field.ids))
    pairs, method = draw_round(field, members, chance, byes, rounds_left, keep_free)
    return pairs, method, bye


def _rounds_left(tournament: Tournament, number: int, there: int) -> int:
    """The Swiss rounds that follow round `number`; 0 if the event's structure does not define them. Structures count
    those present when round 1 was drawn ("Before round 1"), or now, if that is it."""
    book = book_of(tournament)
    begun = tournament.stage_rounds(SWISS)
    try:
        rounds, _ = book.structure(
            present_count(begun[0].matches) if begun else there, book.options(tournament.options)
        )
    except Problem:
        return 0
    return max(0, rounds - number)


def keeps_free(tournament: Tournament, number: int, there: int) -> bool:
    """Whether the draw of round `number` gives up shape (line 3) where that keeps a later round from a repeat: the
    documents forbid one in a whole stage, and print how many rounds it has. Only of five or six in four rounds is it
    ever asked (fields twice the rounds can always go on); where people chose the number, shape goes first."""
    planned = number + _rounds_left(tournament, number, there)
    may_come = number < planned and 4 < there + there % 2 < 2 * planned
    return may_come and book_of(tournament).options(tournament.options).get("structure") != OWN


def _notes(
    field: pairing_pool.PairingPool,
    pairs: pairing_pool.Pairs,
    bye: ByeChoice | None,
    byes: Sequence[int],
    rounds_left: int,
) -> dict[str, Any]:
    named = [(field.ids[a], field.ids[b]) for a, b in pairs]
    floats = pairing_pool.floats_of(named, dict(zip(field.ids, field.points, strict=True)))
    repeated = [{"a": field.ids[a], "b": field.ids[b]} for a, b in pairs if b in field.met[a]]
    due = bye and {
        "competitor": field.ids[bye.member],
        "why": bye.why,
        "passed_over": [field.ids[i] for i in bye.passed_over],
    }
    notes: dict[str, Any] = {"repeats": len(repeated), "bye": due, "floats": floats}
    if repeated:
        notes["repeated"] = repeated
    if rounds_left > 0 and len(field.ids) <= LARGEST and repeat_is_ahead(pairs, field.met, byes, rounds_left):
        notes["repeat_ahead"] = True
    return notes


def pairing_to_json(pairing: DrawnRound) -> dict[str, Any]:
    """The output of `roundtap pair`: `notes.bye` is only the reason, or null; optional notes as in `DrawnRound`."""
    notes = {**pairing.notes, "bye": None}
    if (bye := pairing.notes["bye"]) is not None:
        notes["bye"] = bye["why"]
        if bye["passed_over"]:
            notes["bye_passed_over"] = bye["passed_over"]
    return {
        "round": pairing.number,
        "stage": pairing.stage,
        "draw": asdict(pairing.draw),
        "matches": [
            {"table": match.table, "a": match.a, "b": match.b}
            if match.bye is None
            else {"a": match.a, "bye": match.bye}
            for match in pairing.matches
        ],
        "notes": notes,
    }
