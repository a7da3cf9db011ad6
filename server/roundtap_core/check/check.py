"""Every rule a recorded event broke: what `roundtap check` prints and the console shows. It forbids nothing."""

from collections.abc import Callable, Iterator
from typing import Any

from roundtap_core import records
from roundtap_core.check import drawn_rounds
from roundtap_core.elimination.bracket import THIRD, THIRD_STAGE, stages_of
from roundtap_core.errors import Invalid, Problem
from roundtap_core.lists.list_form import members_of, names_at, squad_letter, team_problems
from roundtap_core.names import error_names, names_in
from roundtap_core.rounds.next_round import never_fielded
from roundtap_core.rulebooks.base import FIRST_PLAYER, NO, MatchSituation, Options, Rulebook, may_play
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.rulebooks.result_gate import result_problems
from roundtap_core.standings.totals import list_totals

DECK_TWICE = "list_deck_twice"
"""What the lists together show and no reading of the rules allows; the rest is only flagged."""


def violations(tournament: records.Tournament) -> list[Problem]:
    """Every rule break, in the order of the event file; `where` is the place in that file. Only what no reading of the
    rules allows is named: where chance, a lot or a missing alternative could have led to the same, nothing is said."""
    problems = [problem for rule in RULES for problem in rule(tournament)]
    return sorted(problems, key=lambda problem: _in_file_order(problem.where))


def _in_file_order(where: str) -> list[tuple[int, str]]:
    return [(int(step), "") if step.isdecimal() else (-1, step) for step in where.split("/")]


def match_places(tournament: records.Tournament) -> Iterator[tuple[records.Round, records.Match, str]]:
    """Every match with its round and its place in the event file."""
    for r, played in enumerate(tournament.rounds):
        yield from ((played, match, f"/rounds/{r}/matches/{m}") for m, match in enumerate(played.matches))


def impossible_results(tournament: records.Tournament) -> Iterator[Problem]:
    """Results that could not be entered anew, and those that the announced options exclude."""
    book = book_of(tournament)
    options = book.options(tournament.options)
    totals = list_totals(tournament)
    stages = stages_of(tournament)
    houses = (
        {c.id: tuple(names_at(book.lists.of_competitor(c), "houses")) for c in tournament.competitors}
        if FIRST_PLAYER in book.lots
        else {}
    )
    for played, match, where in match_places(tournament):
        if match.result is not None:
            stage = THIRD_STAGE if match.game == THIRD else stages[played.number]
            decks = (houses[match.a], houses[match.b or ""]) if houses else None
            situation = MatchSituation(stage, (totals.get(match.a), totals.get(match.b or "")), decks)
            for wrong in (
                *result_problems(book, match.result, options, situation),
                *_conceded_after_winning(book, match, options, situation),
            ):
                yield wrong.at(f"{where}/result")


def _conceded_after_winning(
    book: Rulebook, match: records.Match, options: Options, situation: MatchSituation
) -> Iterator[Problem]:
    """Who has won by the document does not concede; an official may have entered it, with a reason (section 9)."""
    result = match.result
    if result is None or result.ended != records.CONCESSION or (match.record or {}).get("decided"):
        return
    if result.conceded_by in records.SIDES and book.has_won(
        result, "a" if result.conceded_by == "a" else "b", options, situation
    ):
        yield Problem("winner_concedes", where="/conceded_by")


def impossible_options(tournament: records.Tournament) -> Iterator[Problem]:
    try:
        book_of(tournament).check_options(tournament.options)
    except Problem as problem:
        yield problem


def differing_options(tournament: records.Tournament) -> Iterator[Problem]:
    """Options that held, according to the file, and that its options and the rulebook do not give."""
    told = (tournament.record or {}).get("effective_options", {})
    holds = book_of(tournament).options(tournament.options)
    for key, value in told.items():
        if holds.get(key) != value:
            yield Problem(
                "effective_options_differ", where=f"/effective_options/{key}", value=value, right=holds.get(key, "–")
            )


def open_matches(tournament: records.Tournament) -> Iterator[Problem]:
    for played, match, where in match_places(tournament):
        if match.bye is None and match.result is None and played.number < len(tournament.rounds):
            yield Problem("open_match", where=where, round=played.number)


def paired_after_leaving(tournament: records.Tournament) -> Iterator[Problem]:
    """Who dropped or was disqualified is not paired any more (an unpaired loss is no pairing)."""
    names = error_names(tournament)
    left = {competitor.id: competitor.left_after for competitor in tournament.competitors}
    for played, match, where in match_places(tournament):
        for side, who in (("a", match.a), ("b", match.b)):
            last = left.get(who) if who else None
            if who and last is not None and played.number > last and match.bye != records.UNPAIRED_LOSS:
                yield Problem("paired_after_leaving", where=f"{where}/{side}", competitor=names[who], round=last)


def missing_from_rounds(tournament: records.Tournament) -> Iterator[Problem]:
    """In every Swiss round each active competitor stands somewhere, if only with an unpaired loss; in a second stage
    whoever began it. Whom an organizer who paired manually left out was named to them."""
    names = error_names(tournament)
    begun = tournament.stage_rounds(records.SECOND_SWISS)[:1]
    second = {who for played in begun for match in played.matches for who in (match.a, match.b)}
    for r, played in enumerate(tournament.rounds):
        if played.stage not in records.SWISS_STAGES or drawn_rounds.by_hand(played):
            continue
        seated = {who for match in played.matches for who in (match.a, match.b)}
        for competitor in tournament.competitors:
            last = competitor.left_after
            due = played.stage == records.SWISS or competitor.id in second
            if due and competitor.id not in seated and (last is None or played.number <= last):
                yield Problem("missing_from_round", where=f"/rounds/{r}/matches", competitor=names[competitor.id])


def left_too_late(tournament: records.Tournament) -> Iterator[Problem]:
    """No competitor dropped after a round that was never drawn."""
    rounds = len(tournament.rounds)
    for c, competitor in enumerate(tournament.competitors):
        for key in ("dropped_after", "disqualified_after"):
            last = getattr(competitor, key)
            if last is not None and last > rounds:
                yield Problem("left_after_undrawn_round", where=f"/competitors/{c}/{key}", value=last, rounds=rounds)


def won_bye_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """A won bye is sat out in round 1, there only, and only by its winner. A latecomer to round 1 has lost it, and so
    has everybody where everybody meets everybody."""
    names = error_names(tournament)
    owed = {c.id for c in tournament.competitors if c.won_bye and not book_of(tournament).everybody}
    for played, match, where in match_places(tournament):
        if match.bye == records.WON_BYE and played.number > 1:
            yield Problem("won_bye_after_round_1", where=f"{where}/bye", competitor=names[match.a])
        elif match.bye == records.WON_BYE and match.a not in owed:
            yield Problem("won_bye_of_another", where=f"{where}/bye", competitor=names[match.a])
        elif (
            played.number == 1
            and played.stage == records.SWISS
            and not drawn_rounds.by_hand(played)
            and match.bye not in (records.WON_BYE, records.UNPAIRED_LOSS)
        ):
            for side, who in (("a", match.a), ("b", match.b)):
                if who in owed:
                    yield Problem("won_bye_not_given", where=f"{where}/{side}", competitor=names[who])


def no_show_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """A player who did not appear stands in the same round with an unpaired loss."""
    for r, played in enumerate(tournament.rounds):
        waiting = [m for m, match in enumerate(played.matches) if match.bye == records.NO_SHOW]
        absent = sum(match.bye == records.UNPAIRED_LOSS for match in played.matches)
        yield from (Problem("no_show_of_nobody", where=f"/rounds/{r}/matches/{m}/bye") for m in waiting[absent:])


def structure_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """Not more Swiss rounds than the structure has for those who were there when round 1 was drawn."""
    if not tournament.rounds:
        return
    book = book_of(tournament)
    options = book.options(tournament.options)
    if options.get("structure") == "own" and options.get("swiss_rounds") is None:
        return
    try:
        planned, _ = book.structure(records.present_count(tournament.rounds[0].matches), options)
    except Problem as problem:
        yield problem
        return
    swiss = [r for r, played in enumerate(tournament.rounds) if played.stage == records.SWISS]
    yield from (Problem("too_many_rounds", where=f"/rounds/{r}", planned=planned) for r in swiss[planned:])


def list_violations(tournament: records.Tournament) -> Iterator[Problem]:
    """Every competitor's, with places like "/competitors/3/list/ships/2/points"; and two decks of one name. Only a file
    that says so itself has to hold complete lists: others may have been kept on paper."""
    book = book_of(tournament)
    options = {**book.options(tournament.options), "lists_required": bool(tournament.options.get("lists_required"))}
    for place, competitor in enumerate(tournament.competitors):
        for problem in book.lists.competitor_problems(competitor, options, tournament.level):
            yield problem.at(f"/competitors/{place}")
    # Who left before the first round played with no deck.
    began = [place for place, competitor in enumerate(tournament.competitors) if competitor.left_after != 0]
    for problem in book.lists.event_warnings([tournament.competitors[place] for place in began], options):
        if problem.key == DECK_TWICE:
            _, at, rest = problem.where.split("/", 2)
            yield problem.replace(f"/competitors/{began[int(at)]}/{rest}")


def squad_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """Every squad is fielded once in the event; nothing is said of who has no recorded picks at all, nor of whom the
    organizer named at the end, with the reason."""
    book = book_of(tournament)
    squads = book.squads
    for _, match, place in match_places(tournament):
        if match.picks is None:
            continue
        where = f"{place}/picks"
        if squads is None:
            yield Problem("not_of_this_rulebook", where=where, key="picks", rulebook=book.id)
        elif len(set(match.picks)) != squads.taken or not set(match.picks) <= set(range(1, squads.listed + 1)):
            yield Invalid("picks_wrong", where=where, take=squads.taken, of=squads.listed)
    noted = {
        (point["kind"], point.get("who"))
        for line in (tournament.record or {}).get("played_on", ())
        for point in line["points"]
    }
    shown = names_in(tournament)
    places = {competitor.id: c for c, competitor in enumerate(tournament.competitors)}
    for who, missing in never_fielded(tournament).items():
        if (records.SQUADS_UNFIELDED, who) not in noted:
            yield Problem(
                "squads_not_fielded",
                where=f"/competitors/{places[who]}",
                competitor=shown[who],
                squads=", ".join(f"{squad_letter(squad)} ({squad})" for squad in missing),
            )


def people_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """Officials without exactly one organizer among them; officials who play where the rulebook bars them; teams that
    are not whole, or share a person; a captain who is none of the team; members of a lone player."""
    book = book_of(tournament)
    shown = names_in(tournament)
    barred = may_play(book, tournament.level) == NO
    teams: dict[str, str] = {}
    officials = (tournament.record or {}).get("officials", ())
    if officials and [official["role"] for official in officials].count("organizer") != 1:
        yield Problem("one_organizer", where="/officials")
    for c, competitor in enumerate(tournament.competitors):
        where = f"/competitors/{c}"
        if book.team_size > 1:
            yield from (problem.at(where) for problem in team_problems(competitor, book.team_size, teams))
            teams = {**members_of(competitor), **teams}
        if competitor.officials_role and barred:
            yield Problem("official_may_not_play", where=f"{where}/officials_role", competitor=shown[competitor.id])
        if competitor.members and book.team_size == 1:
            yield Problem("not_of_this_rulebook", where=f"{where}/members", key="members", rulebook=book.id)


def official_problems(tournament: records.Tournament) -> Iterator[Problem]:
    """Of a file that names its officials: a judge where the rulebook wants one, and for every official who plays a
    second one, where playing is allowed at all. Who is off duty now may have been on duty then, and counts; who left
    before the first round did not play."""
    officials: list[dict[str, Any]] | None = (tournament.record or {}).get("officials")
    if officials is None:
        return
    book = book_of(tournament)
    shown = names_in(tournament)
    playing = {competitor.id for competitor in tournament.competitors if competitor.left_after != 0}
    role_places = {
        c.id: f"/competitors/{n}/officials_role" for n, c in enumerate(tournament.competitors) if c.officials_role
    }
    places = {official["plays"]: f"/officials/{n}/plays" for n, official in enumerate(officials) if "plays" in official}
    if book.judge_required and all(official.get("plays") in playing for official in officials):
        yield Problem("judge_missing", where="/officials")
    for who, where in {**role_places, **places}.items():
        if may_play(book, tournament.level) == NO:
            # Who says it at the competitor is named there.
            if who not in role_places and who in playing:
                yield Problem("official_may_not_play", where=where, competitor=shown[who])
        elif who in playing and not _ruled_by_another(officials, who):
            yield Problem("official_without_second", where=where, competitor=shown[who])


def _ruled_by_another(officials: list[dict[str, Any]], who: str) -> bool:
    """Whether a second official is there for this one's games; for a second official's own, any other."""
    own = any(official.get("second") for official in officials if official.get("plays") == who)
    return any(own or official.get("second") for official in officials if official.get("plays") != who)


RULES: tuple[Callable[[records.Tournament], Iterator[Problem]], ...] = (
    impossible_results,
    open_matches,
    paired_after_leaving,
    missing_from_rounds,
    left_too_late,
    won_bye_problems,
    no_show_problems,
    structure_problems,
    drawn_rounds.pairing_problems,
    drawn_rounds.cut_order_problems,
    drawn_rounds.cut_seed_problems,
    drawn_rounds.elimination_problems,
    impossible_options,
    differing_options,
    drawn_rounds.tiebreak_problems,
    drawn_rounds.drawn_round_problems,
    squad_problems,
    people_problems,
    official_problems,
    list_violations,
)
