"""The course of an event: which kind of step follows the rounds so far, the bracket as it stands, and where competitors
stand in it. What several decisions look up first, a Problem naming what is missing; and what their entries change."""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import wraps
from itertools import chain, count
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from roundtap_core.clock import COUNTING, IDLE, Clock, Instant, phase_now
from roundtap_core.elimination.bracket import (
    CHAMPION,
    FINAL,
    THIRD,
    THIRD_PLACE,
    THIRD_STAGE,
    Bracket,
    BracketGame,
    bracket_of,
    bracket_size,
    game_count,
    round_count,
    round_key,
    round_stage,
    size_from_round,
)
from roundtap_core.elimination.ranking import FinalPlace, game_name
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import Entry, NewEntry, Person
from roundtap_core.event.states import (
    DRAFT,
    PUBLISHED,
    Entrant,
    EventState,
    LogLine,
    MatchState,
    Official,
    RoundState,
    active_ids,
    tournament_of,
)
from roundtap_core.lists.list_form import SquadsToField, fielded_squads, squad_letter, squads_unfieldable, to_field
from roundtap_core.records import (
    ELIMINATION,
    NO_SHOW,
    SECOND_SWISS,
    SIDES,
    SWISS,
    SWISS_STAGES,
    TIEBREAK,
    Match,
    Result,
    Round,
    Tournament,
)
from roundtap_core.rounds.next_round import second_stage_length
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.result_words import Names, ResultLine
from roundtap_core.standings.standings import open_ties
from roundtap_core.words import Words

CUT, OVER = "cut", "over"
"""What may follow beside a Swiss or an elimination round: the cut is to be made; nothing is left to be played."""

IN, OFFERED, OUT, MISSED, ABSENT, DECLINED = "in", "offered", "out", "missed", "absent", "declined"
TIED, OTHERS_TIED, OVER = "tied", "others-tied", "over"

STILL_IN = (IN, THIRD_PLACE, TIED)
"""Who may still have a match."""


def upcoming_stage(state: EventState) -> str:
    """SWISS, TIEBREAK, CUT, ELIMINATION or OVER, once every result of the rounds so far is there. Raises
    Problem("no_structure") while there are too few players for the chosen table."""
    if in_second_swiss(state):
        planned = second_stage_length(tournament_of(state))
        return SWISS if len(second_swiss_rounds(state)) < planned else OVER
    if elimination_rounds(state):
        bracket = current_bracket(state)
        return ELIMINATION if bracket is not None and bracket.goes_on else OVER
    swiss = sum(1 for played in state.public_rounds if played.stage == SWISS)
    if swiss < state.swiss_rounds:
        return SWISS
    if not swiss:
        return ELIMINATION
    if state.cut is None and state.rulebook.tiebreak_rounds and open_ties(tournament_of(state)):
        return TIEBREAK
    if state.cut_size < 2:
        return OVER
    return CUT if state.cut is None else ELIMINATION


def has_more_rounds(state: EventState) -> bool:
    """Whether the event's plan has anything after the public rounds; a stage that has begun ends only when it is played
    out."""
    if not has_plan(state) and not second_stage_begun(state):
        return False
    try:
        return upcoming_stage(state) != OVER
    except Problem:
        return False


def ends_with(state: EventState, number: int) -> bool:
    """Whether the event's plan has nothing after that round, however it goes: then no one drops in it any more."""
    try:
        if not second_stage_begun(state) and (not has_plan(state) or state.cut_size >= 2):
            return False
        return number >= total_planned_rounds(state)
    except Problem:
        # An imported event may be too small for its structure.
        return False


def has_plan(state: EventState) -> bool:
    """Swiss rounds without a number end whenever they end."""
    return state.options.get("structure") != "own" or state.options.get("swiss_rounds") is not None


def second_stage_is_swiss(state: EventState) -> bool:
    """Whether those who make the cut play Swiss rounds among themselves."""
    return state.options.get("second_stage") == SECOND_SWISS


def in_second_swiss(state: EventState) -> bool:
    """Whether the cut is made, and who made it play Swiss rounds on."""
    return second_stage_is_swiss(state) and (state.cut is not None or bool(second_swiss_rounds(state)))


def second_swiss_rounds(state: EventState) -> list[RoundState]:
    return [played for played in state.public_rounds if played.stage == SECOND_SWISS]


def second_stage_begun(state: EventState) -> list[RoundState]:
    """The public rounds after the cut, of any kind."""
    return elimination_rounds(state) or second_swiss_rounds(state)


def first_game_started(state: EventState) -> bool:
    """ "Der Schnitt": whether a game of the stage after the cut has started, by the clock or by a result. A round that
    is only published has not: until then the next in the standings may still take a place that becomes free."""
    begun = second_stage_begun(state)
    if not begun:
        return False
    first = begun[0]
    played = any(m.reports or m.decided or m.match.result is not None or m.match.bye == NO_SHOW for m in first.matches)
    return played or len(begun) > 1 or first.status != PUBLISHED or state.clock.state != IDLE


def cut_unaffected(state: EventState) -> bool:
    """Whether a correction of the rounds before changes no seed, no place in the bracket and no one who advances."""
    return state.cut is not None and not second_stage_is_swiss(state) and first_game_started(state)


def with_result(state: EventState, match: MatchState, result: Result | None) -> EventState:
    return state.with_match(replace(match, match=replace(match.match, result=result)))


def elimination_rounds(state: EventState) -> list[RoundState]:
    return [played for played in state.public_rounds if played.stage == ELIMINATION]


def current_seeds(state: EventState) -> tuple[str, ...]:
    """Who made the cut, by seed; once the elimination has begun, who began it. Empty without a cut made here."""
    if state.cut is None:
        return ()
    begun = second_stage_begun(state)
    if not begun:
        return state.cut.seeds_now(active_ids(state))
    began = {who for m in begun[0].matches for who in (m.match.a, m.match.b) if who}
    return state.cut.by_seed(who for who in state.cut.seeds if who in began)


def offered_places(state: EventState) -> str | None:
    if state.cut is None or second_stage_begun(state):
        return None
    return state.cut.offered(active_ids(state))


def current_bracket(state: EventState) -> Bracket | None:
    """The bracket of the published rounds, or of the cut as it stands; None before, and without elimination."""
    if second_stage_is_swiss(state) and not elimination_rounds(state):
        return None
    return bracket_of(tournament_of(state), current_seeds(state))


def stage_of_round(state: EventState, number: int, stage: str, matches: list[Match]) -> str:
    """The stage in `options.stages` that gives a round its length, for a public round or the one that follows."""
    before = [played for played in state.public_rounds if played.number < number]
    first = next((played for played in before if played.stage == ELIMINATION), None)
    first_matches = [m.match for m in first.matches] if first else matches
    return round_stage(stage, [played.stage for played in before], first_matches)


def stage_of_match(state: EventState, round_state: RoundState, match: MatchState) -> str:
    """The stage in `options.stages` of one match: the match for third place beside the final has its own."""
    if match.match.game == THIRD:
        return THIRD_STAGE
    if round_state.stage != ELIMINATION:
        return round_state.stage
    return stage_of_round(state, round_state.number, round_state.stage, [m.match for m in round_state.matches])


def situation_of(state: EventState, round_state: RoundState, match: MatchState) -> MatchSituation:
    """Where this match stands, as its form and its limits want to know it."""
    a, b = (
        state.entrants[who].list_total if who in state.entrants else None
        for who in (match.match.a, match.match.b or "")
    )
    return MatchSituation(stage_of_match(state, round_state, match), (a, b))


def match_clock(state: EventState, round_state: RoundState, match: MatchState) -> Clock:
    """The clock as it is for one match: the one for third place ends earlier, or later, than the final beside it,
    and a match with an extension so many minutes later than the others."""
    clock = state.clock
    if clock.total_ms is None or clock.remaining_ms is None:
        return clock
    total_ms = clock.total_ms
    if match.match.game == THIRD:
        minutes = state.rulebook.minutes(stage_of_match(state, round_state, match), state.options)
        if minutes is None:
            return Clock()
        total_ms = minutes * 60_000
    total_ms += (match.match.extension_minutes or 0) * 60_000
    return replace(clock, remaining_ms=clock.remaining_ms + total_ms - clock.total_ms, total_ms=total_ms)


def time_is_up(state: EventState, round_state: RoundState, match: MatchState, now: Instant) -> bool | None:
    """Whether this match's time is up at `now`, its extension and hidden minutes included; never in an untimed round.
    What is typed after its round is closed counts as up, and while the hub cannot know it answers None: its machine was
    started again in the midst of the round."""
    if round_state.status != PUBLISHED:
        return True
    clock = match_clock(state, round_state, match)
    if clock.state == COUNTING:
        return None
    return phase_now(clock, state.rulebook.phases, round_state.extra_minutes, now).over


def round_name(state: EventState, played: RoundState) -> str | None:
    """What an elimination round is called ("semi-final"), published or drawn; None for other stages."""
    if played.stage != ELIMINATION:
        return None
    rounds = [r for r in state.rounds if r.stage == ELIMINATION]
    size = size_from_round(m.match for m in rounds[0].matches)
    return round_key(max(1, game_count(size, rounds.index(played) + 1)))


def total_planned_rounds(state: EventState) -> int:
    """How many rounds the event will have, elimination included as far as it is known. Raises Problem("no_structure")
    while there are too few players for the chosen table."""
    before = [r for r in state.public_rounds if r.stage != ELIMINATION]
    if begun := elimination_rounds(state):
        return len(before) + round_count(size_from_round(m.match for m in begun[0].matches))
    if not state.swiss_rounds:
        return round_count(bracket_size(len(active_ids(state))))
    if in_second_swiss(state):
        swiss = [r for r in before if r.stage != SECOND_SWISS]
        return len(swiss) + second_stage_length(tournament_of(state))
    return max(state.swiss_rounds, len(before))


def refuse_after_cut(state: EventState) -> None:
    """Raise Problem("elimination_begun") where no one may enter or return any more."""
    if state.cut is not None or second_stage_begun(state):
        raise Problem("elimination_begun")


def swiss_rounds_after(state: EventState, number: int) -> int:
    """Swiss rounds still to come after that one, for who plays them; none where the structure is not known."""
    try:
        planned = total_planned_rounds(state) if in_second_swiss(state) else state.swiss_rounds
        return max(0, planned - number)
    except Problem:
        return 0


def squads_to_field(state: EventState, number: int, stage: str, who: str) -> SquadsToField | None:
    """What a player still has to field when that round begins; None where no squads are fielded."""
    squads = state.rulebook.squads
    if squads is None:
        return None
    before = [
        Round(played.number, played.stage, tuple(m.match for m in played.matches))
        for played in state.public_rounds
        if played.number < number
    ]
    left = swiss_rounds_after(state, number - 1 if stage in SWISS_STAGES else number)
    return to_field(squads.listed, squads.taken, fielded_squads(before).get(who, ()), left)


def squads_lost(state: EventState, played: RoundState, who: str, picks: Iterable[int]) -> tuple[int, ...]:
    """The squads that somebody can never field any more once these picks stand (house decision)."""
    owed = squads_to_field(state, played.number, played.stage, who)
    return () if owed is None else squads_unfieldable(owed.squads, picks, swiss_rounds_after(state, played.number))


def squads_let_go(state: EventState, played: RoundState, match: Match, picks: Mapping[str, Iterable[int]]) -> str:
    """Who could never field which squads any more once these picks stand, as a confirmation names it: "p3: C D, …".
    `picks`: by side; "" where nothing is lost."""
    players = {who: picks[side] for side in SIDES if side in picks and (who := match.competitor(side)) is not None}
    lost = {who: squads_lost(state, played, who, taken) for who, taken in players.items()}
    return ", ".join(f"{who}: {' '.join(map(squad_letter, squads))}" for who, squads in lost.items() if squads)


def refuse_squads_lost(
    state: EventState, played: RoundState, match: Match, picks: Mapping[str, Iterable[int]], confirmed: str
) -> dict[str, str]:
    """What an entry keeps of a confirmed loss. Raises Problem("squads_lost") where `confirmed` is not what is lost."""
    lost = squads_let_go(state, played, match, picks)
    if lost not in ("", confirmed):
        who, _, squads = lost.partition(",")[0].partition(": ")
        raise Problem("squads_lost", where="/picks", competitor=who, squads=squads, lost=lost)
    return {"lets_go": lost} if lost else {}


class CourseStanding(Struct, frozen=True):
    """Where a competitor stands beside the match of the newest round, if they have one.

    `key`: advances; is offered a place in the cut; lost in the bracket; plays for THIRD_PLACE; did not make the cut;
    was absent when it went on; declined a place; is tied, or is not, in the tie-break round that is played; all is
    played. `seed` in the cut; `reached`: a round's name ("semi-final", "champion"); `place` once it is certain."""

    key: str
    seed: int | None = None
    reached: str | None = None
    place: int | None = None


def course_standing(
    state: EventState, who: str, bracket: Bracket | None, ranking: Mapping[str, FinalPlace]
) -> CourseStanding | None:
    """None as long as Swiss rounds alone count. `bracket`: the public one; `ranking`: as far as everybody has come."""
    placed = ranking.get(who)
    if placed is not None and (state.finished or (bracket is not None and bracket.over)):
        return CourseStanding(OVER, None, placed.reached, placed.rank)
    cut, newest = state.cut, state.public_rounds[-1] if state.public_rounds else None
    if cut is None and bracket is None:
        if newest is None or newest.stage != TIEBREAK:
            return None
        return CourseStanding(TIED if any(who in tie for tie in newest.notes.get("ties", ())) else OTHERS_TIED)
    if offered_places(state) == who:
        return CourseStanding(OFFERED)
    seeds = bracket.seeds if bracket is not None else current_seeds(state)
    seed = seeds.index(who) + 1 if who in seeds else None
    games = bracket.games if bracket is not None else ()
    lost = [game for game in games if who in game.losers and game.game != THIRD]
    if bracket is not None and placed is not None and (lost or bracket.champion == who):
        last = lost[-1] if lost else bracket.final
        place = placed.rank if all(game.decided for game in bracket.of_round(last.round)) else None
        third = bracket.third if last.round == bracket.rounds - 1 else None
        if third is not None and not third.decided:
            return CourseStanding(THIRD_PLACE, seed, placed.reached)
        return CourseStanding(OVER if third or last is bracket.final else OUT, seed, placed.reached, place)
    sits = seed is not None or any(who in (game.a.competitor, game.b.competitor) for game in games)
    had = ABSENT if cut is not None and who in cut.seeds else MISSED
    key = IN if sits else DECLINED if cut is not None and who in cut.declined else had
    return CourseStanding(key, seed) if sits or seeds else None


def effect_lines(
    state: EventState, played: RoundState, match: MatchState, result: Result, names: Names, words: Words
) -> list[ResultLine]:
    """What this result decides where it adds no points: who advances, or wins; nothing but a place."""
    texts = [words("effect.tiebreak")] if played.stage == TIEBREAK else []
    with suppress(Problem):
        brackets = [current_bracket(with_result(state, match, result))] if played.stage == ELIMINATION else []
        texts += [
            _decided(bracket, game, names, words)
            for bracket in brackets
            if bracket is not None
            for game in bracket.games
            if game.match is not None and (game.match.a, game.match.b) == (match.match.a, match.match.b)
        ]
    return [ResultLine(words("result.effect"), text) for text in texts]


def _decided(bracket: Bracket, game: BracketGame, names: Names, words: Words) -> str:
    won = {FINAL: CHAMPION, THIRD_PLACE: THIRD_PLACE}.get(game_name(bracket, game), "advances")
    side = "a" if game.match is not None and game.winner == game.match.a else "b"
    return words(f"effect.{won if game.winner else 'nobody'}", name=names[side])


def require_entrant(state: EventState, competitor: str) -> Entrant:
    """The entrant, or Problem("unknown_competitor")."""
    entrant = state.entrants.get(competitor)
    if entrant is None:
        raise Problem("unknown_competitor", competitor=competitor)
    return entrant


def last_round_number(state: EventState) -> int:
    """The number of the newest public round; 0 before the first."""
    return state.public_rounds[-1].number if state.public_rounds else 0


def without_draft(state: EventState) -> list[NewEntry]:
    """Discard the unpublished draft: who plays has changed."""
    return [NewEntry("draft-discarded", {"number": state.draft.number})] if state.draft else []


def require_reason(reason: str) -> str:
    """The text without the spaces around it, or Problem("reason_missing")."""
    if not reason.strip():
        raise Invalid("reason_missing")
    return reason.strip()


def find_match(state: EventState, match_id: str) -> tuple[RoundState, MatchState]:
    """The match and its round; Problem("unknown_match") where there is none that people have seen."""
    round_and_match = state.find_match(match_id)
    if round_and_match is None or round_and_match[0].status == DRAFT:
        raise Problem("unknown_match", match=match_id)
    return round_and_match


def match_of_two(state: EventState, match_id: str) -> MatchState:
    """A match that two play; Problem("unknown_match") where there is none."""
    match = find_match(state, match_id)[1]
    if match.match.b is None:
        raise Problem("unknown_match", match=match_id)
    return match


def free_table(state: EventState, taken: Collection[int | None], wanted: Iterable[int | None] = ()) -> int:
    """The first of `wanted` that is not `taken`, else the lowest such table that is not fixed for a player."""
    fixed = {entrant.fixed_table for entrant in state.entrants.values()}
    free = (table for table in count(1) if table not in fixed)
    return next(table for table in chain(wanted, free) if table is not None and table not in taken)


Step = Callable[[EventState, Mapping[str, Any], Entry], EventState]
"""How one kind of entry, with these data, changes the state."""


Fields = Callable[[Mapping[str, Any]], dict[str, Any]]
"""What the data of one kind of entry set."""


def event_step(fields: Fields) -> Step:
    """A step that sets fields of the event."""
    return lambda state, data, entry: replace(state, **fields(data))


def entrant_step(fields: Fields) -> Step:
    """A step that sets fields of the entrant whom its entry names."""
    return lambda state, data, entry: state.with_entrant(data["competitor"], **fields(data))


def match_step(step: Callable[[EventState, RoundState, MatchState, Mapping[str, Any], Entry], EventState]) -> Step:
    """A step that changes the match which its entry names; one that is not there changes nothing."""

    @wraps(step)
    def changed(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
        round_and_match = state.find_match(data["match"])
        return state if round_and_match is None else step(state, *round_and_match, data, entry)

    return changed


def whole_tournament(state: EventState, people: Mapping[str, Person]) -> Tournament:
    """The event for its file. Reports before they were agreed, the clock and drafts are the hall's, not the file's."""
    event = tournament_of(state, people, as_file=True)
    rounds = tuple(
        replace(
            played,
            record=_round_record(round_state) or None,
            matches=tuple(
                replace(match, record=_match_record(match_state) or None)
                for match, match_state in zip(played.matches, round_state.matches, strict=True)
            ),
        )
        for played, round_state in zip(event.rounds, state.public_rounds, strict=True)
    )
    competitors = tuple(
        replace(competitor, record=_competitor_record(state, state.entrants[competitor.id]) or None)
        for competitor in event.competitors
    )
    return replace(event, competitors=competitors, rounds=rounds, record=_event_record(state, people))


def _event_record(state: EventState, people: Mapping[str, Person]) -> dict[str, Any]:
    cut = state.cut
    fields = {
        "officials": [_official(official, people) for official in state.officials.values()] or None,
        "checked_in": state.players_at_start,
        "played_on": [line.to_json() for line in state.played_on] or None,
        "cut": cut
        and {
            "size": cut.size,
            "order": list(cut.order),
            "seeds": list(cut.seeds),
            **({"declined": list(cut.declined)} if cut.declined else {}),
            **({"absent": list(cut.absent)} if cut.absent else {}),
        },
        "finished": state.finished or None,
    }
    return {
        **state.about,
        "effective_options": state.options,
        **{key: value for key, value in fields.items() if value is not None},
    }


def _official(official: Official, people: Mapping[str, Person]) -> dict[str, Any]:
    person = people.get(official.id)
    return {
        "id": official.id,
        "name": person.name if person else official.id,
        "role": official.role,
        **({"second": True} if official.second else {}),
        **({"plays": official.plays} if official.plays is not None else {}),
        **({} if official.on_duty else {"off_duty": True}),
    }


def _competitor_record(state: EventState, entrant: Entrant) -> dict[str, Any]:
    data: dict[str, Any] = {
        "disqualification": entrant.disqualification,
        "proposed": entrant.proposed,
        "proposal_declined_at": entrant.declined_at,
        "list_corrections": [dict(c) for c in entrant.list_corrections],
        "ticks": list(entrant.ticks),
        "declined_place": state.cut is not None
        and entrant.active
        and entrant.id in (*state.cut.declined, *state.cut.absent),
    }
    return {key: value for key, value in data.items() if value}


def _round_record(played: RoundState) -> dict[str, Any]:
    data: dict[str, Any] = {"notes": dict(played.notes)} if played.notes else {}
    if played.extra_minutes is not None:
        data["extra_minutes"] = played.extra_minutes
    return data


def _match_record(match: MatchState) -> dict[str, Any]:
    data = {
        "decided": match.decided,
        "lots": dict(match.lots),
        "corrections": list(map(dict, match.corrections)),
        "log": list(map(_line, match.log)),
    }
    return {key: value for key, value in data.items() if value}


def _line(line: LogLine) -> dict[str, Any]:
    """As the event file has it: the number is the journal's own."""
    return {key: value for key, value in asdict(line).items() if key != "number" and value not in (None, "")}
