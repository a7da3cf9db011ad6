"""Random events as people press them: through commands and entries, with every dirty ending there is.

What was said is kept beside the kit as plain words; after every round the file is held against it, and the independent
checker looks at pairing, standings and bracket as they follow from the file.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import kit_core
from checker import bracket_complaints, pairing_complaints, standings_complaints
from checker.books import BOOKS, Event, status_of
from checker.outcomes import winner
from checker.plan import planned, rounds_of
from msgspec.structs import replace
from random_results import random_result, squads_for
from sign_up import random_event
from simulator import MOST_ROUNDS, Played

from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.abandoned_match import missing_after_leaving, open_match
from roundtap_core.event.commands import apply, decide
from roundtap_core.event.entries import Person, chain_entry
from roundtap_core.event.event_flow import (
    CUT,
    OVER,
    current_bracket,
    current_seeds,
    first_game_started,
    offered_places,
    situation_of,
    upcoming_stage,
    whole_tournament,
)
from roundtap_core.event.states import Entrant, EventState, MatchState, Official
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.forms.form import compose_complete, walk_way
from roundtap_core.forms.questions import Figure, Picks, Question, Turns
from roundtap_core.records import (
    CONCESSION,
    PLAYED,
    SIDES,
    Result,
    Side,
    SidePair,
    other_side,
    result_from_json,
    result_to_json,
)

TOO_FEW = (
    "too_few_players",
    "no_cut_planned",
    "nobody_left",
    "no_structure",
    "bracket_decided",
    "all_rounds_played",
    "nothing_played",
)
INCOMPLETE: dict[str, Callable[[dict[str, Any]], bool]] = {
    "answer_missing": lambda result: result.get("ended") == "time" or ("picks" in result and "wounds" not in result),
    "not_played_out": lambda result: "winner" in result and not any(result["score"].values()),
}
"""Random results are those of files, which need not say how time was played out, nor wounds, nor count games beside a
winner. Such a one is said anew, in answers to what the form asks; every other refusal is a fault."""
IMPOSSIBLE: dict[str, Callable[[Result], bool]] = {
    "both_won": lambda result: result.score == SidePair(2, 2),
    "nobody_has_won": lambda result: result.ended == PLAYED and 2 not in (result.score.a, result.score.b),
    "winner_without_life": lambda result: result.score.of(result.winner or other_side(result.conceded_by)) <= 0,
    "loser_has_life": lambda result: result.score.of(other_side(result.winner)) > 0,
    "drawn_without_life": lambda result: (result.score.a <= 0) != (result.score.b <= 0),
    "winner_concedes_no_reason": lambda result: 2 in (result.score.a, result.score.b) and result.ended == CONCESSION,
    "struggle_of_both": lambda result: all((result.timeout or {}).get("struggle", {}).get(side) for side in SIDES),
}
"""Chance answers to a form that no game can have come to; every other refusal of whole answers is a fault."""
MOST_WALKS = 200

Said = dict[str, tuple[str, ...]]
"""Match id → what has to stand there: ("won", "a"), ("no-show", present), …"""


class Desk:
    """An event that is told commands, and what was said so far."""

    def __init__(self, rulebook: str, rand: Random) -> None:
        self.rand, self.rulebook = rand, rulebook
        signed_up = tournament_from_json(random_event(rulebook, rand, False))
        self.people = {who.id: Person.of(who) for who in signed_up.competitors}
        self.state = EventState("e1")
        self.seen: Counter[str] = Counter(events=1)
        self.gone: dict[str, str] = {}
        self.said: Said = {}
        self.tell(
            c.CreateEvent(signed_up.name, rulebook, signed_up.level, signed_up.options, "#0072B2", signed_up.seed)
        )
        for who in signed_up.competitors:
            total = (who.list or {}).get("total")
            self.tell(
                c.EnterCompetitor(
                    Entrant(who.id, "digest", who.won_bye, who.came_with, who.fixed_table, list_total=total)
                )
            )
        self.tell(c.SetOfficials((Official("boss", "organizer", "digest"),)))

    def tell(self, command: c.Command) -> None:
        try:
            decided = decide(self.state, command, kit_core.AT.instant)
        except Problem as problem:
            if problem.key != "squads_lost":
                raise
            # The page asks: it is meant so.
            command = replace(command, lets_go=problem.params["lost"])  # type: ignore[type-var]
            decided = decide(self.state, command, kit_core.AT.instant)
            self.seen["squads let go"] += 1
        for new in decided:
            self.state = apply(
                self.state, chain_entry(new, "e1", self.state.number + 1, self.state.head, kit_core.AT, "somebody")
            )

    @property
    def event(self) -> Event:
        return tournament_to_json(whole_tournament(self.state, self.people))

    def match(self, match_id: str) -> MatchState:
        found = self.state.find_match(match_id)
        return found[1]

    def leave(self, who: str, how: str, **when: bool) -> None:
        """`when`: after this round, or together with the opponent."""
        stood = self._as_it_stands(who) if not when.get("plays_on") else None
        self.tell(
            c.DropCompetitor(who, stood, **when) if how == "dropped" else c.Disqualify(who, "a reason", stood=stood)
        )
        self.gone[who] = how
        self.seen[how] += 1

    def _as_it_stands(self, who: str) -> Result | None:
        """The figures and squads of the match that somebody leaves, where the rulebook wants them."""
        found = open_match(self.state, who)
        asks = self.state.rulebook.leaving_asks
        if found is None or not asks or not missing_after_leaving(self.state, *found):
            return None
        match, rand = found[1].match, self.rand
        life = "picks" not in asks
        pair = (
            SidePair(rand.randint(1, 20), rand.randint(1, 20))
            if life
            else SidePair(rand.randint(0, 1), rand.randint(0, 1))
        )
        wounds = SidePair(rand.randint(0, 9), rand.randint(0, 9)) if "wounds" in asks else None
        picks = (
            None
            if life
            else {side: sorted(squads_for(self.event, match.competitor(side) or "", rand)) for side in ("a", "b")}
        )
        return Result(score=pair, wounds=wounds, picks=picks)


def play_at_desk(rulebook: str, seed: int) -> Played:
    """One event from sign-up to its end, finished, reopened and finished again."""
    rand = Random(f"desk|{rulebook}|{seed}")
    desk = Desk(rulebook, rand)
    played = Played(desk.event, seen=desk.seen)
    coarse, dirt = rand.random() < 0.5, rand.choice((0.05, 0.2, 0.5))
    try:
        while len(desk.state.rounds) < MOST_ROUNDS and not played.wrong and _next(desk, played, coarse, dirt):
            pass
        if not played.wrong:
            played.wrong += _end(desk)
    except Problem as problem:
        if problem.key not in TOO_FEW:
            played.wrong.append(f"{problem.key}: {problem}")
    played.event = desk.event
    return played


def _next(desk: Desk, played: Played, coarse: bool, dirt: float) -> bool:
    """The next round, or the cut; False where the event is over."""
    if planned(desk.event) is None and desk.state.players_at_start is None:
        return False
    follows = upcoming_stage(desk.state)
    if follows == OVER:
        return False
    if follows == CUT:
        _cut(desk, dirt)
        return True
    before = desk.event
    desk.tell(c.DrawRound(desk.rand.randrange(2**31)))
    draft = desk.state.draft
    printed = kit_core.plain(
        {
            "round": draft.number,
            "stage": draft.stage,
            "draw": {"seed": draft.draw.seed, "attempt": draft.draw.attempt, "method": draft.draw.method},
            "matches": [_match_json(m) for m in draft.matches],
            "notes": dict(draft.notes),
        }
    )
    played.wrong += [f"pair: {text}" for text in pairing_complaints(before, printed)]
    desk.tell(c.PublishRound(draft.number, draft.draw.attempt))
    desk.said = {m.id: ("bye", str(m.match.bye)) for m in draft.matches if m.match.bye}
    desk.seen[f"{draft.stage} rounds"] += 1
    for match in draft.matches:
        _picks(desk, match.id)
        if match.match.b is not None and not desk.match(match.id).done:
            _play(desk, match.id, draft.stage, coarse, dirt)
        if desk.state.find_match(match.id) is None:
            # Who left before a first game of the new stage had started: the round is taken back, the place offered on.
            desk.said = {}
            desk.seen["withdrawn"] += 1
            _offers(desk)
            return True
    played.wrong += list(_looked_at(desk))
    _between(desk, dirt)
    return not played.wrong


def _match_json(match: MatchState) -> dict[str, Any]:
    fields = {
        "a": match.match.a,
        "b": match.match.b,
        "table": match.match.table,
        "bye": match.match.bye,
        "game": match.match.game,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _picks(desk: Desk, match_id: str) -> None:
    """Squads at a bye."""
    match = desk.match(match_id).match
    if BOOKS[desk.rulebook].family == "shatterpoint" and match.bye not in (None, "unpaired-loss"):
        desk.tell(c.SetPicks(match_id, tuple(squads_for(desk.event, match.a, desk.rand))))


def _result(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    """An official's word, or both sides': any result that the rulebook takes."""
    rand, match = desk.rand, desk.match(match_id)
    played = desk.event["rounds"][-1]["matches"]
    final = stage == "elimination" and len({m.get("game") for m in played} - {"third"}) == 1
    part = "third_place" if match.match.game == "third" else "final" if final else stage
    plain = random_result(desk.event, _match_json(match), part, rand, coarse)
    # The clock of this hall stands still.
    reason = "the hall's clock" if plain.get("ended") == "time" else ""
    if _refused_as_short(desk, c.EnterResult(match_id, match.revision, result_from_json(plain), reason=reason), plain):
        command = c.EnterResult(match_id, match.revision, _answered(desk, match_id, plain), reason=reason)
        while _refused_as_impossible(desk, command):
            command = replace(command, result=_answered(desk, match_id, plain))
        plain = result_to_json(command.result)
    desk.said[match_id] = ("won", winner(BOOKS[desk.rulebook], plain))


def _refused_as_short(desk: Desk, command: c.EnterResult, plain: dict[str, Any]) -> bool:
    try:
        desk.tell(command)
    except Problem as problem:
        if not INCOMPLETE.get(problem.key, lambda _: False)(plain):
            raise
        desk.seen["results that lack an answer"] += 1
        return True
    return False


def _refused_as_impossible(desk: Desk, command: c.EnterResult) -> bool:
    try:
        desk.tell(command)
    except Problem as problem:
        if not IMPOSSIBLE.get(problem.key, lambda _: False)(command.result):
            raise
        desk.seen[f"refused: {problem.key}"] += 1
        return True
    return False


def _answered(desk: Desk, match_id: str, plain: dict[str, Any]) -> Result:
    """Chance answers to what the form asks of a game that ended so."""
    rand, (round_state, match) = desk.rand, desk.state.find_match(match_id) or (None, None)
    assert round_state is not None
    assert match is not None
    form = desk.state.rulebook.form(desk.state.options, situation_of(desk.state, round_state, match))
    # A file may say that time ended a match of a stage that has none.
    ways = [way for way in form.ways if way.ended == plain.get("ended", "played")] or form.ways
    for _ in range(MOST_WALKS):
        way, opener, answers = rand.choice(ways), rand.choice(SIDES), dict[str, Any]()
        try:
            while question := walk_way(way.opened_by(opener), answers, opener).question:
                side = opener if question.whose == "winner" else other_side(opener)
                answers[question.name] = _answer(desk, question, side, match.match.competitor(side) or "")
            return compose_complete(way, opener, answers)
        except Problem as problem:
            # Somebody who has not won said that they have, and is asked again.
            desk.seen[f"asked again: {problem.key}"] += 1
    raise AssertionError(f"{match_id}: no answers to {ways}")


def _answer(desk: Desk, question: Question, side: Side, who: str) -> object:
    rand = desk.rand
    match question:
        case Figure():
            limits = question.for_side(side)
            return rand.choice((limits.minimum, limits.maximum, rand.randint(limits.minimum, limits.maximum)))
        case Picks():
            return squads_for(desk.event, who, rand)
        case Turns():
            return rand.choice(("", *SIDES))
        case _:
            return rand.choice(question.options)


def _play(desk: Desk, match_id: str, stage: str, coarse: bool, dirt: float) -> None:
    """Plainly, or in one of the dirty ways."""
    rand = desk.rand
    if rand.random() < dirt:
        kinds = ("taken back", "agreed, then corrected", "agreed twice") if stage == "tiebreak" else tuple(DIRTY)
        kind = rand.choice(kinds)
        DIRTY[kind](desk, match_id, stage, coarse)
        desk.seen[kind] += 1
    if desk.state.find_match(match_id) is not None and not desk.match(match_id).done:
        _result(desk, match_id, stage, coarse)


def _side(desk: Desk, match_id: str) -> tuple[str, str, str]:
    """One of the two, the other, and the other's side."""
    match = desk.match(match_id).match
    assert match.b is not None
    return (match.a, match.b, "b") if desk.rand.random() < 0.5 else (match.b, match.a, "a")


def _no_show(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    absent, present, _ = _side(desk, match_id)
    desk.tell(c.NoShow(match_id, absent))
    desk.gone[absent], desk.said[match_id] = "dropped", ("no-show", present)
    _picks(desk, match_id)


def _no_show_undone(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    before = desk.match(match_id).match
    _no_show(desk, match_id, stage, coarse)
    desk.tell(c.UndoNoShow(match_id))
    assert desk.match(match_id).match == before, "not the pairing that was drawn"
    for who in (before.a, before.b):
        desk.gone.pop(who or "", None)


def _nobody(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    pair = desk.match(match_id).match
    if desk.rand.random() < 0.3:
        desk.tell(c.NoShow(match_id, pair.a))
    desk.tell(c.DoubleNoShow(match_id))
    desk.gone.update({pair.a: "dropped", pair.b or "": "dropped"})
    desk.said[match_id] = ("won", "none")


def _nobody_undone(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    before = desk.match(match_id).match
    _nobody(desk, match_id, stage, coarse)
    if desk.rand.random() < 0.5:
        desk.tell(c.UndoNoShow(match_id))
    else:
        desk.tell(c.EnterResult(match_id, desk.match(match_id).revision, None))
    assert desk.match(match_id).match == before, "not the pairing that was drawn"
    for who in (before.a, before.b):
        desk.gone.pop(who or "", None)


def _leaves(how: str) -> Callable[[Desk, str, str, bool], None]:
    def play(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
        leaver, _, side = _side(desk, match_id)
        desk.leave(leaver, how)
        if desk.state.find_match(match_id) is None:
            return
        if not desk.match(match_id).done:
            # Where figures count they have to be said.
            match = desk.match(match_id)
            result = {"ended": "concession", "conceded_by": "b" if side == "a" else "a", "score": {"a": 3, "b": 5}}
            desk.tell(c.EnterResult(match_id, match.revision, result_from_json(result)))
        desk.said[match_id] = ("won", side)

    return play


def _both_leave(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    """Nobody wins where both had asked to before either left; else the first who leaves has conceded."""
    one, two, side = _side(desk, match_id)
    together = desk.rand.random() < 0.5
    desk.leave(one, "dropped", together=together)
    if desk.state.find_match(match_id) is None:
        return
    desk.leave(two, desk.rand.choice(("dropped", "disqualified")))
    desk.said[match_id] = ("won", "none" if together else side)


def _leaves_and_returns(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    """As long as the round is in play the match is played on."""
    leaver, _, _ = _side(desk, match_id)
    desk.leave(leaver, "dropped")
    if desk.state.find_match(match_id) is None:
        return
    desk.tell(c.ReturnCompetitor(leaver))
    del desk.gone[leaver]
    assert desk.match(match_id).match.result is None, "leaving is not undone"


def _leaves_after_the_round(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    desk.leave(_side(desk, match_id)[0], "dropped", plays_on=True)
    _result(desk, match_id, stage, coarse)


def _leaves_with_a_report(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    """What a side has said of the match is still the other's to say yes to."""
    match, (leaver, _, _) = desk.match(match_id), _side(desk, match_id)
    said = result_to_json(result_from_json(random_result(desk.event, _match_json(match), stage, desk.rand, coarse)))
    for number, side in enumerate(("a", "b")):
        desk.tell(
            c.RecordReport(
                f"{match_id}{side}{desk.state.number}",
                match_id,
                side,
                match.revision,  # type: ignore[arg-type]
                said,
                "body",
            )
        )
        if number == 0 and desk.match(match_id).reports:
            desk.leave(leaver, "dropped")
            if desk.state.find_match(match_id) is None:
                return
    if desk.match(match_id).match.result is not None:
        desk.said[match_id] = ("won", winner(BOOKS[desk.rulebook], said))


def _taken_back(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    _result(desk, match_id, stage, coarse)
    desk.tell(c.EnterResult(match_id, desk.match(match_id).revision, None))
    assert desk.match(match_id).match.result is None


def _agreed_then_corrected(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    """Both sides report the same, and an official says otherwise."""
    match = desk.match(match_id)
    played = random_result(desk.event, _match_json(match), stage, desk.rand, coarse)
    for side in "ab":
        desk.tell(
            c.RecordReport(
                f"{match_id}{side}{desk.state.number}",
                match_id,
                side,
                match.revision,  # type: ignore[arg-type]
                result_to_json(result_from_json(played)),
                "body",
            )
        )
    _result(desk, match_id, stage, coarse)


def _agreed_twice(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
    """Both sides report the same, then both something else: the first stands, and an official says which it is."""
    match = desk.match(match_id)
    stands = None
    for serial in (1, 2):
        played = random_result(desk.event, _match_json(match), stage, desk.rand, coarse)
        result = result_from_json(played)
        for side in "ab":
            report_id = f"{match_id}{side}{desk.state.number}"
            desk.tell(
                c.RecordReport(
                    report_id,
                    match_id,
                    side,
                    match.revision,  # type: ignore[arg-type]
                    result_to_json(result),
                    "body",
                    serial=serial,
                )
            )
        if desk.state.fates[report_id].fate == "accepted":
            # A judge's word, which is no side's to report, is refused.
            stands = stands or result
            assert desk.match(match_id).done == (result == stands)
        assert desk.match(match_id).match.result == stands
    _result(desk, match_id, stage, coarse)


def _ruled(word: str) -> Callable[[Desk, str, str, bool], None]:
    def play(desk: Desk, match_id: str, stage: str, coarse: bool) -> None:
        match = desk.match(match_id)
        desk.tell(c.EnterResult(match_id, match.revision, result_from_json({"ended": "ruling", "winner": word})))
        desk.said[match_id] = ("won", word)

    return play


DIRTY: dict[str, Callable[[Desk, str, str, bool], None]] = {
    "no-show": _no_show,
    "no-show undone": _no_show_undone,
    "nobody came": _nobody,
    "came after all": _nobody_undone,
    "left in mid-game": _leaves("dropped"),
    "put out in mid-game": _leaves("disqualified"),
    "both left": _both_leave,
    "left and came back": _leaves_and_returns,
    "left after the round": _leaves_after_the_round,
    "left with a report": _leaves_with_a_report,
    "taken back": _taken_back,
    "agreed, then corrected": _agreed_then_corrected,
    "agreed twice": _agreed_twice,
    "ruled": _ruled("a"),
    "both lose": _ruled("none"),
}


def _between(desk: Desk, dirt: float) -> None:
    """After the round: some leave, some are put out, some come back; an earlier result is put right."""
    rand = desk.rand
    if first_game_started(desk.state) and current_bracket(desk.state) is not None and rand.random() < dirt:
        before = _outcome(desk)
        _corrected(desk, "")
        assert _outcome(desk) == before, "a correction after the cut has changed the bracket"
        desk.seen["corrected after the cut"] += 1
    for who in sorted(entrant.id for entrant in desk.state.entrants.values() if entrant.active):
        if rand.random() < dirt / 20:
            desk.leave(who, rand.choice(("dropped", "disqualified")))
    for who in [who for who, how in desk.gone.items() if how == "dropped"]:
        if rand.random() < 0.1 and len(rounds_of(desk.event, "swiss")) == len(desk.state.rounds):
            try:
                desk.tell(c.ReturnCompetitor(who))
            except Problem:
                continue
            del desk.gone[who]
            desk.seen["returns"] += 1
            # Who left in mid-game plays that match on; where both had left, the other one has conceded.
            for match in desk.state.live.matches if desk.state.live is not None else ():
                if who in (match.match.a, match.match.b):
                    desk.said.pop(match.id, None)
                    if not match.done:
                        _result(desk, match.id, "swiss", False)


def _cut(desk: Desk, dirt: float) -> None:
    """Who is absent is passed over; somebody may leave or be put out; whoever is asked says yes or no."""
    rand = desk.rand
    desk.tell(c.MakeCut())
    if rand.random() < dirt:
        _corrected(desk, rand.choice(("anew", "keep")))
        desk.seen["corrected before the stage"] += 1
        if desk.state.cut is None:
            return
    if rand.random() < dirt:
        desk.tell(c.PassOverAbsentees(tuple(who for who in desk.state.cut.order if rand.random() < 0.2)))
        desk.seen["passed over"] += len(desk.state.cut.absent)
    if rand.random() < dirt and current_seeds(desk.state):
        desk.leave(rand.choice(current_seeds(desk.state)), rand.choice(("dropped", "disqualified")))
    _offers(desk)


def _corrected(desk: Desk, cut: str) -> None:
    """A result of the Swiss rounds is put right; a word on the cut, where it would change."""
    played = [
        m for each in desk.state.rounds if each.stage == "swiss" for m in each.matches if m.match.result is not None
    ]
    if not played:
        return
    match = desk.rand.choice(played)
    # No round in play: the squads of every round have been fielded.
    event = {**desk.event, "rounds": [*desk.event["rounds"], {"stage": "swiss", "matches": []}]}
    plain = random_result(event, _match_json(match), "swiss", desk.rand, False)
    if match.match.result is not None and match.match.result.picks:
        # What was misread is the figures: other squads might leave some that nobody has ever fielded.
        plain["picks"] = match.match.result.picks
    try:
        desk.tell(c.EnterResult(match.id, match.revision, result_from_json(plain), reason="a test", cut=cut))
    except Problem as problem:
        # Beyond what may newly be entered; never for want of a word on the cut.
        if problem.key in ("cut_would_change", "seeds_would_change"):
            raise


def _outcome(desk: Desk) -> tuple[object, ...]:
    """What no correction may change once a game of the new stage has started."""
    found = current_bracket(desk.state)
    # Epic ranks by another order than it cuts by: that order is not kept.
    standing = () if desk.state.rulebook.own_cut_order else found.standing
    return found.seeds, standing, [(game.number, game.winner) for game in found.games]


def _offers(desk: Desk) -> None:
    """Whoever is asked says yes or no."""
    rand = desk.rand
    while (asked := offered_places(desk.state)) is not None:
        desk.tell(c.AcceptPlace(asked) if rand.random() < 0.7 else c.DeclinePlace(asked))
        desk.seen["offers"] += 1


def _end(desk: Desk) -> Iterator[str]:
    """Finished, reopened with everything as it was but for what was said of the end, and finished again."""
    before = {**desk.event, "played_on": None}
    desk.tell(c.FinishEvent("the hall closes"))
    desk.tell(c.ReopenEvent())
    if {**desk.event, "played_on": None} != before:
        yield "reopening changes the event"
    desk.tell(c.FinishEvent("the hall closes"))
    yield from _looked_at(desk)
    yield from kit_core.import_complaints(desk.event)


def _looked_at(desk: Desk) -> Iterator[str]:
    event = desk.event
    yield from _as_said(desk, event)
    yield from (f"standings: {text}" for text in standings_complaints(event, kit_core.table(event)))
    if rounds_of(event, "elimination"):
        yield from (f"bracket: {text}" for text in bracket_complaints(event, kit_core.tree(event)))
    for key, text in kit_core.rules_broken(event):
        yield f"check: {key} {text}"
    if kit_core.changed_by_a_round_trip(event):
        yield "the file changes on its way through the core"


def _as_said(desk: Desk, event: Event) -> Iterator[str]:
    """The last round holds what was said of it, and those who are gone are gone as was said."""
    book = BOOKS[desk.rulebook]
    for match_id, (kind, what) in desk.said.items():
        match = tournament_match(desk, match_id)
        if kind == "won":
            stands = winner(book, match["result"]) if "result" in match else "nothing"
        else:
            stands = match.get("bye", "no bye") if kind == "bye" else match["a"] if match.get("bye") == kind else "?"
        if stands != what:
            yield f"match {match_id}: {match}, but {kind} {what} was said"
    declined = {*desk.state.cut.declined, *desk.state.cut.absent} if desk.state.cut else set()
    for competitor in event["competitors"]:
        status = status_of(competitor)
        if status != desk.gone.get(competitor["id"]) and competitor["id"] not in declined:
            yield f"{competitor['id']} is {status}, should be {desk.gone.get(competitor['id'])}"


def tournament_match(desk: Desk, match_id: str) -> dict[str, Any]:
    """The match as the file has it; its id stands for the place in the round."""
    number = int(match_id.partition(".")[0])
    ids = [m.id for m in desk.state.rounds[number - 1].matches]
    found: dict[str, Any] = desk.event["rounds"][number - 1]["matches"][ids.index(match_id)]
    return found
