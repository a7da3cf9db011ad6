"""Every competitor's totals over the Swiss rounds: points, outcomes, figures, opponents."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.records import NO_SHOW, SIDES, SWISS_STAGES, Match, Result, Tournament
from roundtap_core.rulebooks.base import NO_TOTALS, ListTotals, Options, Rulebook
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.rulebooks.scoring import FREE_WINS, LOSS, WIN, Tally

Tallies = Callable[[Match], tuple[Tally, ...]]


class SwissTotals(Struct):
    """One competitor's totals: outcomes, byes ("bye" and "won"), summed figures and helpers, opponents in order, and
    the tally of each of these meetings. `free`: rounds won without a match, and `free_points` for them; `early`: each
    round's points times how many rounds were before it."""

    points: int = 0
    rounds: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0
    byes: int = 0
    free: int = 0
    free_points: int = 0
    early: int = 0
    figures: dict[str, int] = {}
    opponents: list[str] = []
    tallies: list[Tally] = []


def swiss_totals(tournament: Tournament, after: int | None = None) -> dict[str, SwissTotals]:
    """Every competitor's totals over the Swiss rounds (up to round `after`), in the file's order. Open matches do not
    count. Raises Problem, with its place, for a result that its rulebook cannot read."""
    book = book_of(tournament)
    options = book.options(tournament.options)
    tallies = _tallies(book, options, list_totals(tournament) if book.tally_counts_lists else NO_TOTALS)
    records = {competitor.id: SwissTotals() for competitor in tournament.competitors}
    before = -1
    for r, played in enumerate(tournament.rounds):
        if played.stage not in SWISS_STAGES or (after is not None and played.number > after):
            continue
        before += 1
        for m, match in enumerate(played.matches):
            if match.result is None and match.bye is None:
                continue
            try:
                _count(records, match, tallies, before)
            except Problem as problem:
                raise problem.at(f"/rounds/{r}/matches/{m}/result") from None
    return records


def list_totals(tournament: Tournament) -> dict[str, int]:
    """What the lists cost, by competitor, where that is known: a conceded one counts whole."""
    lists = book_of(tournament).lists
    totals = ((competitor.id, lists.total(competitor.list)) for competitor in tournament.competitors if competitor.list)
    return {competitor: total for competitor, total in totals if total is not None}


def _count(records: Mapping[str, SwissTotals], match: Match, tallies: Tallies, before: int) -> None:
    for tally, who, opponent in zip(tallies(match), (match.a, match.b), (match.b, match.a), strict=False):
        record = records[who or ""]
        record.points += tally.points
        record.early += tally.points * before
        record.rounds += 1
        if tally.outcome == WIN:
            record.wins += 1
        elif tally.outcome == LOSS:
            record.losses += 1
        else:
            record.draws += 1
        for figures in (tally.figures, tally.helpers):
            for key, value in figures.items():
                record.figures[key] = record.figures.get(key, 0) + value
        if opponent is not None:
            record.opponents.append(opponent)
            record.tallies.append(tally)
        elif match.bye in FREE_WINS:
            record.byes += match.bye != NO_SHOW
            record.free += 1
            record.free_points += tally.points


def _tallies(book: Rulebook, options: Options, totals: ListTotals) -> Tallies:
    """The tallies of a match by side (one for a bye). Equal results are read once, unless lists count: an evening of
    thousands has a few hundred different ones."""
    by_result: dict[Result | int, tuple[Tally, ...]] = {}

    def of(match: Match) -> tuple[Tally, ...]:
        result = match.result
        if book.tally_counts_lists or match.bye is not None or result is None:
            sides = SIDES if match.bye is None else SIDES[:1]
            return tuple([book.tally(match, side, options, totals) for side in sides])
        # The tournament keeps its results alive, so no other object gets the same id.
        key = result if result.picks is None and result.timeout is None else id(result)
        tallies = by_result.get(key)
        if tallies is None:
            tallies = by_result[key] = tuple([book.tally(match, side, options, totals) for side in SIDES])
        return tallies

    return of
