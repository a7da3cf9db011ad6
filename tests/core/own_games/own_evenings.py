"""Evenings of a store's own game, played by the core alone: rounds drawn, results answered as a table would."""

from random import Random

from msgspec.structs import replace

from roundtap_core import records
from roundtap_core.forms.form import WayToEnd, compose_complete, walk_way
from roundtap_core.forms.questions import Choice, Figure
from roundtap_core.records import Competitor, Match, Result, Round, Side, Tournament
from roundtap_core.rounds.next_round import next_round
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.own_rules import Rules, rules_id, rules_json
from roundtap_core.rulebooks.registry import book_of

NAMES = (
    "Ana",
    "Bruno",
    "Cira",
    "Dora",
    "Eva",
    "Fritz",
    "Gil",
    "Hana",
    "Ivo",
    "Jan",
    "Kai",
    "Lea",
    "Mia",
    "Nico",
    "Olga",
)


def own_event(rules: Rules, players: int, seed: int = 7, **options: object) -> Tournament:
    """An event of this game before round 1."""
    people = tuple(Competitor(f"p{n}", NAMES[n % len(NAMES)] + str(n)) for n in range(1, players + 1))
    return Tournament(
        "Friday", rules_id(rules), options=dict(options), seed=seed, competitors=people, rules=rules_json(rules)
    )


def answered(way: WayToEnd, opener: Side, rand: Random) -> Result:
    """This way to its end, every question answered by chance."""
    answers: dict[str, object] = {}
    while (question := walk_way(way.opened_by(opener), answers, opener).question) is not None:
        if isinstance(question, Figure):
            answers[question.name] = rand.choice(
                (rand.randint(question.minimum, question.maximum), question.minimum, question.default)
            )
        else:
            assert isinstance(question, Choice)
            answers[question.name] = rand.choice(question.options)
    return compose_complete(way, opener, answers)


def any_result(tournament: Tournament, stage: str, rand: Random) -> Result:
    """A result that the form offers and the rules let stand."""
    book = book_of(tournament)
    options, situation = book.options(tournament.options), MatchSituation(stage)
    while True:
        way = rand.choice(book.form(options, situation).ways)
        result = answered(way, rand.choice(records.SIDES), rand)
        try:
            book.check_new(result, options, situation)
        except records.Problem:
            continue
        return result


def played_round(tournament: Tournament, rand: Random) -> Tournament:
    """The event with one more round, drawn and played."""
    drawn = next_round(tournament)
    stage = drawn.stage
    matches = tuple(
        match
        if match.bye is not None or match.b is None
        else replace(match, result=_stage_result(tournament, stage, match, rand))
        for match in drawn.matches
    )
    return replace(
        tournament,
        rounds=(*tournament.rounds, Round(drawn.number, stage, matches, drawn.draw)),
    )


def _stage_result(tournament: Tournament, stage: str, match: Match, rand: Random) -> Result:
    return any_result(tournament, stage, rand)


def played_evening(rules: Rules, players: int, rounds: int, seed: int) -> Tournament:
    """So many rounds, with somebody leaving now and then, and rulings."""
    rand = Random(seed)
    tournament = own_event(rules, players, seed, structure="own", swiss_rounds=rounds)
    for number in range(1, rounds + 1):
        tournament = played_round(tournament, rand)
        if rand.random() < 0.4 and sum(c.active for c in tournament.competitors) > 4:
            who = rand.choice([c.id for c in tournament.competitors if c.active])
            key = rand.choice(("dropped_after", "dropped_after", "disqualified_after"))
            tournament = replace(
                tournament,
                competitors=tuple(replace(c, **{key: number}) if c.id == who else c for c in tournament.competitors),
            )
    return tournament
