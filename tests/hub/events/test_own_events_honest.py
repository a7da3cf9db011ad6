"""Sixty events as the hub runs them, forced and mended as they come: `check` is silent, and the hub imports them."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from pages_kit import open_house

from event_kit import Event, score
from roundtap_core.check.check import violations
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_core.event.event_flow import CUT, OVER, current_seeds, offered_places, upcoming_stage, whole_tournament
from roundtap_core.event.imposed_rounds import preview_imposed
from roundtap_core.event.mending import plan_mend
from roundtap_core.event.mending_steps import waiting_competitors
from roundtap_core.event.states import Entrant, MatchState
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.records import TIEBREAK, Result, SidePair
from roundtap_core.wire import digest

WHY = "the organizer says why"


def exported(event: Event) -> dict[str, Any]:
    people = {who: Person(f"Player {who}") for who in event.state.entrants}
    officials = {who: Person(f"Official {who}") for who in event.state.officials}
    return tournament_to_json(whole_tournament(event.state, {**people, **officials}))


def told(event: Event) -> list[str]:
    """What `check` says of the event as it stands, from its file."""
    return [f"{each.where} {each}" for each in violations(parse_event_file(json.dumps(exported(event))))]


def swiss(players: int, rounds: int, rulebook: str = "xwing-standard", **options: Any) -> Event:
    given = {"structure": "own", "swiss_rounds": rounds, "cut": 0, **options}
    return Event(players, given, rulebook=rulebook, level="relaxed" if rulebook == "xwing-standard" else None)


def result(event: Event, match: MatchState, chance: Random) -> Result:
    """Somebody wins, by few different figures."""
    a, b = chance.choice(((100, 0), (100, 50), (0, 100), (50, 100)))
    if event.state.rulebook.id == "warlords-of-terra":
        life = 20 if 0 in (a, b) else 10
        return score(life, 0, winner="a") if a > b else score(0, life, winner="b")
    if event.state.rulebook.id != "shatterpoint-premier":
        return score(a, b)
    fielded = {who: squads(event, who or "") for who in (match.match.a, match.match.b)}
    picks = {side: fielded[match.match.competitor(side)] for side in ("a", "b")}  # type: ignore[arg-type]
    return score(2 if a > b else 0, 2 if b > a else 1, wounds=SidePair(a // 10, b // 10), picks=picks)


def squads(event: Event, who: str) -> list[int]:
    """Two that have not been fielded yet, or the first two."""
    used = {
        squad
        for played in event.state.rounds
        for m in played.matches
        for side in ("a", "b")
        if m.match.competitor(side) == who  # type: ignore[arg-type]
        for squad in (m.match.picks or ((m.match.result.picks or {}).get(side, ()) if m.match.result else ()))
    }
    return sorted([*(s for s in (1, 2, 3, 4) if s not in used), *used][:2])


def settle(event: Event, chance: Random) -> None:
    for match in event.state.live.matches:
        if match.match.bye in ("bye", "won", "no-show") and event.state.rulebook.squads:
            event.tell(c.SetPicks(match.id, tuple(squads(event, match.match.a))))
    for match in event.state.live.open_matches:
        event.tell(c.EnterResult(match.id, match.revision, result(event, match, chance)))


def play(event: Event, chance: Random, rounds: int) -> None:
    for _ in range(rounds):
        event.play()
        settle(event, chance)
        assert told(event) == []


def mend(event: Event, command: Any) -> None:
    """With what is shown before; a step that cannot be done is none."""
    try:
        event.tell(replace(command, plan=plan_mend(event.state, command).mark))
    except Problem:
        return


# --- the kinds ------------------------------------------------------------------------------------------------------


def forced_repeats(chance: Random) -> Event:
    """More rounds than the field has pairs, odd fields in which everybody has had a bye."""
    players, rounds = chance.choice(((4, 4), (4, 7), (6, 5), (6, 6), (3, 5), (5, 7), (7, 9)))
    event = swiss(players, rounds)
    play(event, chance, rounds)
    event.tell(c.FinishEvent())
    return event


def early_finishes(chance: Random) -> Event:
    """Before the last Swiss round, before the cut, before the final: each time with the reason."""
    event = swiss(9, 3, cut=4, third_place_match=chance.random() < 0.5)
    stop = chance.choice((1, 2, 3, 4))
    play(event, chance, min(stop, 3))
    if stop == 4:
        event.tell(c.MakeCut())
        play(event, chance, 1)
    event.tell(c.FinishEvent(WHY))
    return event


def without_a_plan(chance: Random) -> Event:
    """Nobody announced how many Swiss rounds there are; the bracket is played out, or left with a reason."""
    event = swiss(8, 3, cut=4)
    play(event, chance, 3)
    event.tell(c.MakeCut())
    play(event, chance, chance.choice((1, 2)))
    event.tell(c.FinishEvent(WHY))
    return event


def corrections(chance: Random) -> Event:
    """Of any closed round, at any time; what follows from it is made anew or kept, where it has begun kept."""
    event = swiss(8, 3, cut=4)
    for number in range(6):
        if upcoming_stage(event.state) == OVER:
            break
        if number == 3:
            event.tell(c.MakeCut())
        play(event, chance, 1)
        match = chance.choice(event.state.rounds[chance.randrange(min(3, len(event.state.rounds)))].matches)
        said = result(event, match, chance)
        entered = c.EnterResult(match.id, match.revision, said, reason=WHY, cut=chance.choice(("anew", "keep")))
        try:
            event.tell(entered)
        except Problem as problem:
            if problem.key != "correction_round_begun":
                raise
            event.tell(replace(entered, cut="keep"))
        assert told(event) == []
    event.tell(c.FinishEvent(WHY))
    return event


def second_swiss_of_three(chance: Random) -> Event:
    """One of four leaves and nobody else wants the place: in each round somebody has the bye."""
    event = swiss(chance.choice((6, 7, 9)), 3, "shatterpoint-premier", cut=4, second_stage="second-swiss")
    play(event, chance, 3)
    event.tell(c.MakeCut())
    event.tell(c.DropCompetitor(chance.choice(current_seeds(event.state))))
    while (asked := offered_places(event.state)) is not None:
        event.tell(c.DeclinePlace(asked))
    while upcoming_stage(event.state) != OVER:
        play(event, chance, 1)
    event.tell(c.FinishEvent())
    return event


def comings_and_goings(chance: Random) -> Event:
    """Late ones meet the bye or each other; some leave between draw and publishing, some return; absent ones are paired
    anew."""
    event = swiss(chance.choice((5, 6, 7, 8)), 5)
    for number in range(1, 6):
        event.tell(c.DrawRound(chance.randrange(10**6)))
        there = [who for who, entrant in event.state.entrants.items() if entrant.active]
        if chance.random() < 0.3 and len(there) > 4:
            event.tell(c.DropCompetitor(chance.choice(there)))
        event.play()
        live = event.state.live
        assert live is not None
        if number == 1:
            for new in ("late1", "late2"):
                waiting = [m.id for m in live.matches if m.match.bye in ("bye", "unpaired-loss")]
                event.enter(new) if not waiting or chance.random() < 0.3 else event.tell(
                    c.EnterCompetitor(Entrant(new, digest(new)), meets=chance.choice(waiting))
                )
                live = event.state.live
                assert live is not None
        if chance.random() < 0.5:
            match = chance.choice([m for m in live.matches if m.match.b is not None])
            event.tell(c.NoShow(match.id, chance.choice((match.match.a, match.match.b or ""))))
            if chance.random() < 0.5:
                mend(event, c.PairAgain(number, WHY))
        settle(event, chance)
        assert told(event) == []
        for who, entrant in list(event.state.entrants.items()):
            if not entrant.active and chance.random() < 0.4:
                event.tell(c.ReturnCompetitor(who))
        assert told(event) == []
    event.tell(c.FinishEvent())
    return event


def mended_rounds(chance: Random) -> Event:
    """Seats exchanged, byes given, who waits paired, whole rounds made by hand: each with the reason."""
    event = swiss(chance.choice((4, 5, 6, 7)), 4)
    for number in range(1, 5):
        for who, entrant in list(event.state.entrants.items()):
            if not entrant.active:
                event.tell(c.ReturnCompetitor(who))
        if chance.random() < 0.4:
            _by_hand(event, chance)
        else:
            event.tell(c.DrawRound(chance.randrange(10**6)))
        for _ in range(3):
            _mend_somehow(event, chance, number)
        if event.state.live is None:
            draft = event.state.draft
            if draft is None:
                event.tell(c.DrawRound(chance.randrange(10**6)))
                draft = event.state.draft
            event.tell(c.PublishRound(draft.number, draft.draw.attempt, noted=WHY))
        for _ in range(3):
            _mend_somehow(event, chance, number, published=True)
        settle(event, chance)
        assert told(event) == []
    event.tell(c.FinishEvent())
    return event


def _by_hand(event: Event, chance: Random) -> None:
    """Whatever the organizer wants, repeats and somebody without a match included."""
    there = [who for who, entrant in event.state.entrants.items() if entrant.active]
    chance.shuffle(there)
    if chance.random() < 0.3:
        there.pop()
    pairs: list[dict[str, Any]] = [{"a": a, "b": b} for a, b in zip(there[::2], there[1::2], strict=False)]
    if len(there) % 2:
        pairs.append({"a": there[-1], "bye": "bye"})
    command = c.ImposeRound(tuple(pairs), reason=WHY)
    event.tell(replace(command, plan=preview_imposed(event.state, command).mark))


def _mend_somehow(event: Event, chance: Random, number: int, published: bool = False) -> None:
    played = event.state.live if published else event.state.draft
    seated = [who for m in played.matches for who in (m.match.a, m.match.b) if who]
    waits = list(waiting_competitors(event.state, played))
    steps: list[Any] = [c.SwapSeats(number, tuple(chance.sample(seated, 2)), WHY), c.PairAgain(number, WHY)]
    there = sum(entrant.active for entrant in event.state.entrants.values())
    if published and there > 3 and chance.random() < 0.3:
        match = chance.choice([m for m in played.matches if m.match.b is not None])
        event.tell(c.NoShow(match.id, match.match.a))
    if len(waits) > 1:
        steps.append(c.PairWaiting(number, tuple(chance.sample(waits, 2)), WHY))
    if waits:
        steps.append(c.GiveBye(number, chance.choice(waits), WHY))
    mend(event, chance.choice(steps))


def somebody_left_out_by_hand(chance: Random) -> Event:
    """The organizer pairs four of five, again and again the same, and is told who is missing."""
    event = swiss(5, 3)
    for _ in range(3):
        command = c.ImposeRound(({"a": "p1", "b": "p2"}, {"a": "p3", "b": "p4"}), reason=WHY)
        event.tell(replace(command, plan=preview_imposed(event.state, command).mark))
        event.tell(c.PublishRound(event.state.draft.number, event.state.draft.draw.attempt, noted=WHY))
        settle(event, chance)
        assert told(event) == []
    event.tell(c.FinishEvent())
    return event


def a_tie_left_open(chance: Random) -> Event:
    """Warlords 2.4.2: two have won alike, at the prize or at the cut, and the hall closes."""
    event = swiss(4, 1, "warlords-of-terra", **chance.choice(({"prize_places": 1}, {"cut": 2}, {"cut": 4})))
    event.play()
    for match in event.state.live.open_matches:
        event.tell(c.EnterResult(match.id, match.revision, score(20, 0, winner="a")))
    assert told(event) == []
    event.tell(c.FinishEvent(WHY))
    return event


def cut_and_mended(chance: Random) -> Event:
    """Absentees are passed over and back, some leave and return, places are offered, results are put right: in any
    order, before the first game after the cut."""
    rulebook = chance.choice(("xwing-standard", "shatterpoint-premier", "warlords-of-terra"))
    event = swiss(chance.choice((7, 8, 9, 10)), 2, rulebook, cut=4)
    play(event, chance, 2)
    while upcoming_stage(event.state) == TIEBREAK:
        play(event, chance, 1)
    event.tell(c.MakeCut())
    for _ in range(chance.randrange(1, 9)):
        cut = event.state.cut
        if cut is None:
            break
        asked, one = offered_places(event.state), chance.choice(cut.order)
        closed = [m for each in event.state.rounds for m in each.matches if m.match.result]
        match = chance.choice(closed)
        said = result(event, match, chance)
        if said.picks and match.match.result:
            said = replace(said, picks=match.match.result.picks)
        try:
            event.tell(
                chance.choice(
                    (
                        c.PassOverAbsentees(tuple(who for who in cut.order if chance.random() < 0.15)),
                        c.PassOverAbsentees(()),
                        c.DropCompetitor(one),
                        c.ReturnCompetitor(one),
                        chance.choice((c.AcceptPlace, c.DeclinePlace))(asked or one),
                        c.EnterResult(match.id, match.revision, said, reason=WHY, cut=chance.choice(("anew", "keep"))),
                    )
                )
            )
        except Problem:
            continue
    while (asked := offered_places(event.state)) is not None:
        event.tell(chance.choice((c.AcceptPlace, c.DeclinePlace))(asked))
    while (follows := upcoming_stage(event.state)) != OVER:
        if follows == CUT:
            event.tell(c.MakeCut())
        play(event, chance, 1)
    event.tell(c.FinishEvent(WHY))
    return event


@pytest.mark.parametrize("first", range(0, 150, 30))
def test_a_cut_may_be_mended_in_any_order(first: int) -> None:
    for number in range(first, first + 30):
        try:
            event = cut_and_mended(Random(f"cut {number}"))
        except Problem as problem:
            if problem.key != "too_few_players":
                raise
            # So many have left.
            continue
        assert told(event) == [], number


KINDS: tuple[tuple[Callable[[Random], Event], int], ...] = (
    (forced_repeats, 14),
    (early_finishes, 6),
    (without_a_plan, 2),
    (corrections, 10),
    (second_swiss_of_three, 6),
    (comings_and_goings, 10),
    (mended_rounds, 8),
    (somebody_left_out_by_hand, 1),
    (a_tie_left_open, 3),
)


def own_events() -> dict[str, Callable[[], Event]]:
    return {
        f"{kind.__name__}-{n}": lambda kind=kind, n=n: kind(Random(f"{kind.__name__}|{n}"))  # type: ignore[misc]
        for kind, count in KINDS
        for n in range(count)
    }


@pytest.mark.parametrize("name", own_events())
def test_an_own_event_breaks_no_rule(name: str) -> None:
    event = own_events()[name]()
    assert event.state.finished
    assert told(event) == []


def test_there_are_sixty_and_the_hub_imports_them_all_without_a_word_of_its_organizer(tmp_path: Path) -> None:
    events = own_events()
    assert len(events) == 60
    refused = []
    with open_house(tmp_path) as house:
        browser = house.organizer()
        for name, make in events.items():
            file = (io.BytesIO(json.dumps(exported(make())).encode()), "event.json")
            answer = browser.client.post(
                "/console/import",
                headers=browser.headers,
                data={"csrf": browser.token, "color": "#00785A", "file": file},
            )
            if answer.status_code != 303 and answer.status_code != 302:
                refused.append((name, answer.status_code))
    assert refused == []
