"""What was drawn: pairs and byes that a better draw had avoided, tie-break rounds and brackets, stages too early."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from roundtap_core import records
from roundtap_core.elimination.bracket import (
    THIRD,
    Bracket,
    BracketGame,
    bracket_of,
    game_count,
    game_to_match,
    present_in_round,
)
from roundtap_core.errors import Invalid, Problem
from roundtap_core.names import error_names, names_in
from roundtap_core.pairing.everybody import drawn_pairs
from roundtap_core.pairing.pairing_pool import met_among
from roundtap_core.pairing.swiss_round import fewest_repeats, keeps_free
from roundtap_core.pairing.table_numbers import first_sides
from roundtap_core.rounds.next_round import second_stage_length
from roundtap_core.rulebooks.base import BYE_LAST
from roundtap_core.rulebooks.registry import book_of, planned_structure, planned_structure_or_none
from roundtap_core.standings.standings import open_ties, standings, tournament_before
from roundtap_core.standings.tiebreakers import RANDOM

IMPOSED = "imposed"
"""How a draw is called that people made, or changed: whom they paired is their word, and noted with the round."""


def drawn_round_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """Nothing is reported where an organizer paired manually, or a later correction leaves open how it stood."""
    names = names_in(tournament)
    for r, played in enumerate(tournament.rounds):
        if played.stage == records.SWISS and played.number > 1 and not by_hand(played):
            before = tournament_before(tournament, played.number)
            yield from _split_groups(before, played, f"/rounds/{r}", names) if before is not None else ()
        yield from _sides(tournament, played, f"/rounds/{r}", names)
        yield from _extra_minutes(tournament, played, f"/rounds/{r}/extra_minutes")
    yield from _too_early(tournament)
    if (tournament.record or {}).get("finished"):
        yield from _unfinished(tournament, names)


def _split_groups(
    before: records.Tournament, played: records.Round, where: str, names: Mapping[str, str]
) -> Iterator[Problem]:
    """Two with the same points who had not met, both paired with players below them who could have met each other:
    as many pairs within a group as can be is the first aim of every draw (`pairing`, line 3), unless that could force a
    later round to repeat a pairing."""
    if book_of(before).everybody or keeps_free(before, played.number, records.present_count(played.matches)):
        return
    try:
        points = {row.competitor: row.points for row in standings(before, before.rounds[-1].number)}
    except Problem:
        return
    met_pairs = {
        frozenset((m.a, m.b)) for each in before.stage_rounds(records.SWISS) for m in each.matches if m.b is not None
    }
    down: list[tuple[str, str, int]] = []
    for m, match in enumerate(played.matches):
        if match.b is None or match.a not in points or match.b not in points:
            continue
        high, low = sorted((match.a, match.b), key=lambda who: -points[who])
        if points[high] == points[low]:
            continue
        for other, below, _ in down:
            if points[other] == points[high] and not met_pairs & {frozenset((other, high)), frozenset((below, low))}:
                yield Problem("paired_past_equals", where=f"{where}/matches/{m}", a=names[other], b=names[high])
                return
        down.append((high, low, m))


def _sides(
    tournament: records.Tournament, played: records.Round, where: str, names: Mapping[str, str]
) -> Iterator[Problem]:
    """First sides that the kit's own draw of a Swiss round gives to the opponent."""
    by_kit = played.draw is not None and not by_hand(played) and played.stage in records.SWISS_STAGES
    if by_kit and book_of(tournament).shares_sides:
        had = first_sides(tournament.after(played.number - 1))
        for m, match in enumerate(played.matches):
            if match.b is not None and had[match.b] < had[match.a]:
                yield Problem(
                    "first_side_of_another", where=f"{where}/matches/{m}/a", a=names[match.a], b=names[match.b]
                )


def _extra_minutes(tournament: records.Tournament, played: records.Round, where: str) -> Iterator[Problem]:
    minutes = (played.record or {}).get("extra_minutes")
    if minutes is None:
        return
    low, high = book_of(tournament).extra_minutes or (0, 0)
    if not low <= minutes <= high:
        yield Invalid("figure_out_of_range", where=where, value=minutes, minimum=low, maximum=high)


def _planless(tournament: records.Tournament) -> bool:
    options = book_of(tournament).options(tournament.options)
    return options.get("structure") == "own" and options.get("swiss_rounds") is None


def _missing(tournament: records.Tournament) -> tuple[int, int] | None:
    """(rounds played, rounds planned) where Swiss rounds are missing; None where none are, or none were planned."""
    if _planless(tournament):
        return None
    planned, swiss = planned_structure_or_none(tournament), len(tournament.stage_rounds(records.SWISS))
    return (swiss, planned[0]) if planned is not None and swiss < planned[0] else None


def _stage_left(tournament: records.Tournament, begun: bool) -> bool:
    """Whether what follows the Swiss rounds, or the elimination that is all of the event, is not played out."""
    if not begun and _planless(tournament):
        return False
    try:
        if (bracket := bracket_of(tournament)) is not None:
            return bracket.goes_on
        if begun:
            return len(tournament.stage_rounds(records.SECOND_SWISS)) < second_stage_length(tournament)
        return planned_structure(tournament)[1] > 1
    except Problem:
        # A result that cannot be read is named elsewhere.
        return False


def _too_early(tournament: records.Tournament) -> Iterator[Problem]:
    later = next(
        (
            r
            for r, played in enumerate(tournament.rounds)
            if played.stage in (records.ELIMINATION, records.SECOND_SWISS)
        ),
        None,
    )
    if later is not None and (missing := _missing(tournament)) is not None:
        yield Problem("stage_too_early", where=f"/rounds/{later}", played=missing[0], planned=missing[1])


def _unfinished(tournament: records.Tournament, names: Mapping[str, str]) -> Iterator[Problem]:
    """A file that says the event is over, with something still to be played."""
    last = len(tournament.rounds) - 1
    open_now: list[tuple[int, records.Match]] = [
        (m, match)
        for m, match in enumerate(tournament.rounds[-1].matches if tournament.rounds else ())
        if match.bye is None and match.result is None
    ]
    yield from (Problem("finished_with_open_match", where=f"/rounds/{last}/matches/{m}") for m, _ in open_now)
    points = [point for line in (tournament.record or {}).get("played_on", ()) for point in line["points"]]
    if any(point["kind"] == records.FINISHED_EARLY for point in points):
        # The organizer said so, and why.
        return
    later = any(played.stage in (records.ELIMINATION, records.SECOND_SWISS) for played in tournament.rounds)
    if not later and (missing := _missing(tournament)) is not None:
        yield Problem("finished_early", where="/finished", played=missing[0], planned=missing[1])
        return
    named = {point.get("who") for point in points if point["kind"] == records.TIE_OPEN}
    if not open_now and not named and _stage_left(tournament, later):
        yield Problem("finished_without_final", where="/finished")
    for tie in [] if open_now or later else _ties(tournament):
        if named.issuperset(tie):
            continue
        yield Problem("finished_with_tie", where="/finished", names=", ".join(names[who] for who in tie))


def pairing_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """Repeats and byes of the Swiss rounds that another draw of the same field had avoided (lines 0 to 2 of the
    criterion in `pairing`). What was forced is none; whom an organizer paired manually is on record with the reason."""
    names = error_names(tournament)
    first: dict[tuple[str, frozenset[str]], int] = {}
    for r, played in enumerate(tournament.rounds):
        if played.stage in records.SWISS_STAGES:
            drawn = drawn_pairs(played)
            if not by_hand(played):
                yield from _avoidable(tournament, r, drawn, first, names)
            for m, pair in drawn.items():
                if played.matches[m].b is not None:
                    first.setdefault((played.stage, frozenset(pair)), played.number)


def by_hand(played: records.Round) -> bool:
    """Whether people paired it, or changed whom the draw had paired."""
    return played.draw is not None and played.draw.method == IMPOSED


def _avoidable(
    tournament: records.Tournament,
    r: int,
    drawn: Mapping[int, tuple[str, ...]],
    first: Mapping[tuple[str, frozenset[str]], int],
    names: Mapping[str, str],
) -> Iterator[Problem]:
    """`first`: in which round of its stage a pair met first."""
    played = tournament.rounds[r]
    robin = book_of(tournament).everybody and played.stage == records.SWISS
    byes = [
        m for m in drawn if played.matches[m].bye == records.BYE and not (robin and _somebody_missed(tournament, r))
    ]
    yield from (Problem("several_byes", where=f"/rounds/{r}/matches/{m}/bye") for m in byes[1:])
    again = [m for m, pair in drawn.items() if (played.stage, frozenset(pair)) in first]
    if not again and len(byes) != 1:
        return
    before = replace(tournament, rounds=tournament.rounds[:r])
    field = [who for pair in drawn.values() for who in pair]
    opponents = met_among(before, played.stage, {who: i for i, who in enumerate(field)})
    had = Counter(m.a for each in before.rounds for m in each.matches if m.bye in (records.BYE, records.WON_BYE))
    # In a round robin nobody meets anybody twice, whatever it costs, and byes are nobody's due.
    fewest, may_rest = (0, set[int]()) if robin else fewest_repeats(opponents, [had[who] for who in field])
    # Two who have both met everybody are paired again by any draw: of as many as were forced they come first.
    whole = {who for i, who in enumerate(field) if len(opponents[i]) == len(field) - 1}
    again.sort(key=lambda m: not whole.issuperset(drawn[m]))
    for m in again[fewest:]:
        a, b = drawn[m]
        yield Problem(
            "repeat",
            where=f"/rounds/{r}/matches/{m}",
            a=names[a],
            b=names[b],
            round=first[played.stage, frozenset((a, b))],
        )
    # With several byes there is no telling who else should have had the one.
    if len(byes) == 1 and len(field) % 2:
        holder = drawn[byes[0]][0]
        where = f"/rounds/{r}/matches/{byes[0]}/bye"
        yield from _misplaced(tournament, played.number, holder, field, {field[i] for i in may_rest}, had, where, names)


def _somebody_missed(tournament: records.Tournament, r: int) -> bool:
    """A round so far: in a round robin their opponents' byes are as right as those of an odd field."""
    return any(m.bye == records.UNPAIRED_LOSS for each in tournament.rounds[: r + 1] for m in each.matches) or any(
        competitor.left_after is not None and competitor.left_after <= r for competitor in tournament.competitors
    )


def _misplaced(
    tournament: records.Tournament,
    number: int,
    holder: str,
    field: Sequence[str],
    may_rest: Collection[str],
    had: Mapping[str, int],
    where: str,
    names: Mapping[str, str],
) -> Iterator[Problem]:
    """Whether somebody else had to get this bye. Where it costs a repeat, the repeat is named."""
    fewer = next((who for who in field if had[who] < had[holder]), None)
    if fewer is not None:
        yield Problem("second_bye", where=where, competitor=names[holder], other=names[fewer])
        return
    before = tournament_before(tournament, number) if number > 1 else None
    lower = _surely_below(before, holder) if before is not None and holder in may_rest else ()
    if (entitled := next((who for who in lower if who in may_rest), None)) is not None:
        yield Problem("bye_too_high", where=where, competitor=names[holder], other=names[entitled])


def _surely_below(before: records.Tournament, holder: str) -> list[str]:
    """Who stood below `holder`, last first, as far as the rulebook's bye looks: the lot does not count as below."""
    book = book_of(before)
    try:
        # As it stood then: who was disqualified later had a place.
        rows = standings(before, max((played.number for played in before.rounds), default=0))
    except Problem:
        return []
    place = next((i for i, row in enumerate(rows) if row.competitor == holder), None)
    if place is None:
        return []
    # Whoever came back got losses for rounds missed, which changed the strength of schedule of earlier opponents: how
    # ties stood when the round was drawn, can no longer be told.
    came_back = any(match.bye == records.UNPAIRED_LOSS for played in before.rounds for match in played.matches)
    if book.bye_after_round_1 == BYE_LAST and not came_back:
        below: Sequence[records.StandingsRow] = rows[_end_of_tie(rows, place) :]
    else:
        below = [row for row in rows if row.points < rows[place].points]
    return [row.competitor for row in reversed(below)]


def _end_of_tie(rows: Sequence[records.StandingsRow], place: int) -> int:
    while rows[place].decided_by == RANDOM:
        place += 1
    return place + 1


def tiebreak_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """A tie-break match is between two of one tie at a prize or cut place; elimination begins when all are broken."""
    played = [r for r in tournament.rounds if r.stage == records.TIEBREAK]
    may = book_of(tournament).tiebreak_rounds
    if not played and not may:
        return
    shown = names_in(tournament)
    eliminated = False
    for r, round_ in enumerate(tournament.rounds):
        where = f"/rounds/{r}"
        if round_.stage == records.ELIMINATION:
            if may and not eliminated:
                yield from _unbroken(tournament, round_.number, where, shown)
            eliminated = True
        if round_.stage != records.TIEBREAK:
            continue
        if not may:
            yield Problem("no_tiebreak_rounds", where=where, rulebook=tournament.rulebook)
            continue
        before = _as_drawn(tournament, round_.number)
        ties = [set(tie) for tie in _ties(before)]
        # Who has been reinstated since may have been away: others played on meanwhile.
        seated = {who for match in round_.matches for who in (match.a, match.b)}
        away = {who for tie in ties if not tie.isdisjoint(seated) for who in tie - seated}
        ties += [set(tie) for tie in _ties(before and _without(before, away, round_.number - 1))]
        for m, match in enumerate(round_.matches if before is not None else ()):
            pair = {match.a, match.b} - {None}
            if not any(pair <= tie for tie in ties):
                yield Problem(
                    "tiebreak_without_tie",
                    where=f"{where}/matches/{m}",
                    names=" – ".join(sorted(shown[who] for who in pair if who)),
                )


def _unbroken(tournament: records.Tournament, number: int, where: str, shown: dict[str, str]) -> Iterator[Problem]:
    """Who left after the round before did so before the cut was made or after it, and so was a result corrected, with
    the cut kept: a tie is told that is one either way. Nothing is said after several corrections in any order."""
    if _corrected_at_the_cut(tournament)[1] > 1:
        return
    either = [
        set().union(*_ties(_as_drawn(tournament, number, stayed, seen)))
        for stayed, seen in product((number, number - 1), repeat=2)
    ]
    for tie in _ties(_as_drawn(tournament, number)):
        if not any(tied.isdisjoint(tie) for tied in either):
            yield Problem("tie_not_broken", where=where, names=", ".join(shown[who] for who in tie))


def _as_drawn(
    tournament: records.Tournament, number: int, stayed: int | None = None, seen: int | None = None
) -> records.Tournament | None:
    """As it stood when round `number` was drawn: who left later was still there, and who left after round `stayed`;
    what was corrected once round `seen` existed is undone. None where it cannot be told."""
    stood, last = tournament_before(tournament, number, seen), number if stayed is None else stayed
    return stood and replace(
        stood,
        competitors=tuple(
            replace(
                c,
                dropped_after=_later(c.dropped_after, last),
                disqualified_after=_later(c.disqualified_after, last),
            )
            for c in tournament.competitors
        ),
    )


def _without(tournament: records.Tournament, away: set[str], last: int) -> records.Tournament:
    people = tuple(replace(c, dropped_after=last) if c.id in away else c for c in tournament.competitors)
    return replace(tournament, competitors=people)


def _later(last: int | None, number: int) -> int | None:
    return None if last is not None and last >= number else last


def _ties(before: records.Tournament | None) -> list[tuple[str, ...]]:
    try:
        return [] if before is None else open_ties(before)
    except Problem:
        # A result that cannot be read is named elsewhere.
        return []


def elimination_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """What no reading of the rules allows. Who made the cut is not judged, since a place may have been declined."""
    played = tournament.stage_rounds(records.ELIMINATION)
    if not played:
        return
    names = error_names(tournament)
    for bracket_round, round_ in enumerate(played, start=1):
        before = replace(
            tournament, rounds=tuple(r for r in tournament.rounds if r.number < round_.number or r is played[0])
        )
        try:
            bracket = bracket_of(before)
        except Problem:
            # A result that cannot be read is named elsewhere.
            return
        assert bracket is not None
        where = f"/rounds/{tournament.rounds.index(round_)}"
        if bracket_round > bracket.rounds:
            yield Problem("bracket_too_many_rounds", where=where, right=bracket.rounds)
            continue
        wrong = list(_number_problems(round_, game_count(bracket.size, bracket_round), where))
        yield from wrong
        if not wrong and (bracket_round > 1 or bracket.seeds):
            yield from _pairing_problems(tournament, bracket, bracket_round, round_, where, names)


def cut_order_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """An order of the cut that the Swiss rounds do not give. Nothing is said where corrections or a disqualification of
    about that time leave open what it was made from: they may have come before or after it, several in any order. So
    may who left, where that changes what their opponents' rates are."""
    begun, about = _corrected_at_the_cut(tournament)
    out = any(competitor.disqualified_after == begun - 1 for competitor in tournament.competitors)
    capped = any(each.dropped_ceiling is not None for each in book_of(tournament).tiebreakers)
    leaving = sum(competitor.dropped_after == begun - 1 for competitor in tournament.competitors)
    if not tournament.cut_order or out or about > 1 or (capped and leaving > 1):
        return
    right: tuple[str, ...] = ()
    for stayed, seen in product((begun, begun - 1), (begun + 1, begun, begun - 1)):
        try:
            stood = _as_drawn(tournament, begun, stayed, seen)
            rows = standings(stood, begun - 1) if stood else ()
        except Problem:
            # A result that cannot be read is named elsewhere.
            return
        order = book_of(tournament).cut_order([row for row in rows if row.rank is not None], tournament.seed)
        # Who is out of the standings since is passed over; who came below all who are named need not be.
        stated = tuple(who for who in dict.fromkeys(tournament.cut_order) if who in order)
        right = tuple(order)[: len(stated)]
        if not rows or stated == right:
            return
    names = error_names(tournament)
    n = next(i for i, pair in enumerate(zip(stated, right, strict=True)) if pair[0] != pair[1])
    yield Problem("cut_order_differs", where="/cut/order", n=n + 1, right=names[right[n]], competitor=names[stated[n]])


def _corrected_at_the_cut(tournament: records.Tournament) -> tuple[int, int]:
    """The round before which the cut was made, and how many corrections came about that time."""
    begun = next(
        (played.number for played in tournament.rounds if played.stage in (records.ELIMINATION, records.SECOND_SWISS)),
        len(tournament.rounds) + 1,
    )
    corrected_after = [
        each.get("after_round", begun)
        for played in tournament.rounds
        if played.number < begun
        for match in played.matches
        for each in (match.record or {}).get("corrections", ())
    ]
    return begun, sum(begun - 1 <= after <= begun for after in corrected_after)


def cut_seed_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """Seeds in another order than that of the cut, or of somebody else: whoever is passed over there has left, was not
    there or did not want the place, and whoever came in for one of them is among the last; nothing of it is said where
    a correction may have made the cut anew. And a stage after the cut with somebody who is none of them."""
    cut = (tournament.record or {}).get("cut")
    if cut is None:
        return
    names = error_names(tournament)
    seeds, out = cut["seeds"], {*cut.get("declined", ()), *cut.get("absent", ())}
    left = {competitor.id for competitor in tournament.competitors if competitor.left_after is not None}
    first = [who for who in cut["order"] if who in seeds or who not in out | left][: cut["size"]]
    pairs = zip(
        [who for who in seeds[: cut["size"]] if who not in left],
        [who for who in first if who not in left],
        strict=False,
    )
    for who, right in pairs:
        if who != right and not _corrected_at_the_cut(tournament)[1]:
            n = seeds.index(who) + 1
            yield Problem(
                "cut_seed_differs", where=f"/cut/seeds/{n - 1}", n=n, right=names[right], competitor=names[who]
            )
            break
    for r, played in enumerate(tournament.rounds):
        if played.stage in (records.ELIMINATION, records.SECOND_SWISS):
            for m, match in enumerate(() if by_hand(played) else played.matches):
                for who in {match.a, match.b} - {None, *seeds}:
                    yield Problem("not_in_cut", where=f"/rounds/{r}/matches/{m}", competitor=names[who or ""])
            break


def _number_problems(played: records.Round, games: int, where: str) -> Iterator[Problem]:
    """Each game has its own number, 1 to the number of games; one may be missing where both sides have left."""
    seen: set[int | str] = set()
    for m, match in enumerate(played.matches):
        if match.bye == records.UNPAIRED_LOSS:
            continue
        game = match.game
        third = game == THIRD and games == 1
        if game in seen or not (third or (isinstance(game, int) and game <= games)):
            yield Problem(
                "bracket_game_number", where=f"{where}/matches/{m}", value="–" if game is None else game, right=games
            )
        elif game is not None:
            seen.add(game)


def _pairing_problems(
    tournament: records.Tournament,
    bracket: Bracket,
    bracket_round: int,
    played: records.Round,
    where: str,
    names: dict[str, str],
) -> Iterator[Problem]:
    due = {game.game: _expected_players(bracket, game) for game in bracket.games if game.round == bracket_round}
    there = present_in_round(tournament, played.number)
    for m, match in enumerate(played.matches):
        if match.bye == records.UNPAIRED_LOSS or match.game is None or (match.game == THIRD and match.game not in due):
            continue
        place = f"{where}/matches/{m}"
        pair = due[match.game]
        if match.b is None:
            absent = {who for who in pair if who != match.a}
            if match.bye in (records.BYE, records.WON_BYE) and match.a in pair and absent:
                yield Problem(
                    "bracket_bye",
                    where=f"{place}/bye",
                    competitor=names[match.a],
                    game=match.game,
                    opponent=names[absent.pop()],
                )
            wrong = match.a not in pair
        else:
            wrong = {match.a, match.b} != pair
        if wrong:
            right = " – ".join(names[who] for who in sorted(pair)) or "–"
            yield Problem("bracket_pairing", where=place, game=match.game, right=right)
    numbers = {match.game for match in played.matches} & due.keys()
    missing = [g for g, pair in due.items() if pair & there and g not in numbers]
    if missing:
        yield Problem(
            "bracket_game_count", where=f"{where}/matches", value=len(numbers), right=len(numbers) + len(missing)
        )


def _expected_players(bracket: Bracket, game: BracketGame) -> set[str]:
    """Who belongs into a game: by the seeds in the first round, else by the winners before."""
    if game.round == 1:
        seeds = bracket.seeds
        number = game.game
        assert isinstance(number, int)
        return {seeds[s - 1] for s in (number, bracket.size + 1 - number) if s <= len(seeds)}
    match: records.Match | None = game_to_match(game)
    sides = (game.a.competitor, game.b.competitor)
    return {who for who in ((match.a, match.b) if match else sides) if who}
