"""Every front takes exactly what `decide` takes: each rulebook, each actor, each clock, at and beside each limit.

The cases are made of the form's data; `decide` is the oracle. A case that a front can express is refused there exactly
when `decide` refuses the same result by the same actor at that moment, with the same sentence; what it cannot express
it does not offer, and refuses in the words of the question when it is sent by hand.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fronts_seats as seats
import pytest
from asgi_client import AsgiClient
from fronts_cases import Case, cases_of
from fronts_world import MATCH, NOT_STARTED, REASON, RUNNING, UP, Place, World, places, world
from msgspec.structs import replace

from own_games.shelf import GAMES, book_behind, id_of
from roundtap_core.check.check import impossible_results
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.states import tournament_of
from roundtap_core.forms.form import BEFORE_TIME, Form, with_rulings
from roundtap_core.records import CONCESSION, RULING, SIDES, Result, Side, other_side, result_to_json
from roundtap_core.rulebooks.result_gate import NEEDS_REASON, may_be_drawn, result_problems
from roundtap_core.rulebooks.scoring import DRAW
from roundtap_core.wire import ECHO, REPORT, open_envelope, sign
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.results.slip_desk import is_typable

IN_THE_QUESTION_S_WORDS = {"figure_out_of_range", "not_one_of", "picks_wrong"}
"""What a question says of an answer that is none: then no result is made of it, and the gate is not asked."""

WHOLE = 20
"""So many cases of a way have, among them, one that can be said, if any can."""

Fronts = Callable[["Bench", list[Case]], None]

BOOKS = {place.book: place for place in reversed(list(places())) if place.stage == "swiss" and not place.squad_points}


@dataclass
class Bench:
    """A match, its fronts, and every difference that was seen."""

    world: World
    clock: str
    chance: random.Random
    whole: bool
    """Whether the cases are all there are of most ways."""
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, front: str, what: str, case: Case | None = None) -> None:
        at = f"{self.world.place}, {self.clock}, {front}: {what}"
        self.faults.append(f"{at}\n    {case.key}\n    {case.result}" if case is not None else at)

    def same(self, front: str, case: Case, shown: Problem | None, decided: Problem | None) -> None:
        self.counts[front] += 1
        if _key(shown) != _key(decided):
            self.fault(front, f"says {_key(shown) or 'yes'}, and decide {_key(decided) or 'yes'}", case)


def _key(problem: Problem | None) -> str:
    return problem.key if problem is not None else ""


def official_form(world: World) -> Form:
    draw = (DRAW,) if may_be_drawn(world.book, world.state.options, world.situation) else ()
    return with_rulings(world.form, (*SIDES, *draw, "none"))


def sampled(cases: list[Case], chance: random.Random, most: int) -> list[Case]:
    """Some of each way, where all of them are too many."""
    by_way: dict[str, list[Case]] = {}
    for case in cases:
        by_way.setdefault(case.way.id, []).append(case)
    return [case for them in by_way.values() for case in (chance.sample(them, most) if len(them) > most else them)]


# --- walks: a player's phone, the official's steps, a slip ---


def on_phones(bench: Bench, cases: list[Case]) -> None:
    world = bench.world
    phones = {side: seats.phone(world, side) for side in SIDES}
    taken: set[str] = set()
    for number, case in enumerate(cases):
        side = SIDES[number % 2]
        case = case.said_by(side)
        front, decided = phones[side], world.player(case.result, side=side)
        page, shown = front.walked(case)
        walk_agrees(bench, "phone", case, shown, decided, front.ways())
        if shown.taken:
            taken.add(case.way.id)
            _, [said] = front.posted(page)
            if said.command.result != result_to_json(seats.stored(case.result)):
                bench.fault("phone", f"says {said.command.result}", case)
            if said.entries[0].data["fate"] != "accepted":
                bench.fault("phone", "the hub does not take it", case)
        elif shown.pressable:
            bench.fault("phone", f"says {shown.key}, and has a button to say it all the same", case)
    offers_what_is_taken(bench, "phone", phones["a"].ways(), cases, taken)


def at_the_desk(bench: Bench, cases: list[Case], by_slip: bool = False) -> None:
    world, name = bench.world, "slip" if by_slip else "desk"
    front = (seats.slip if by_slip else seats.desk)(world, world.organizer)
    taken: set[str] = set()
    for case in cases:
        decided = world.official(case.result)
        page, shown = front.walked(case)
        walk_agrees(bench, name, case, shown, decided, front.ways())
        with_reason = world.official(case.result, REASON)
        if not case.within:
            continue
        if with_reason is None:
            taken.add(case.way.id)
        if not shown.pressable:
            continue
        if not shown.taken and shown.key not in NEEDS_REASON:
            bench.fault(name, f"says {shown.key}, and has a button to enter it all the same", case)
            continue
        for reason, right in (("", decided), (REASON, with_reason)):
            after, [said] = front.posted(page, **({"reason": reason} if reason else {}))
            bench.same(f"{name}, entered{' with a reason' if reason else ''}", case, said.problem, right)
            if said.command.result != seats.stored(case.result) or said.command.reason != reason:
                bench.fault(name, f"enters {said.command.result}", case)
            if (after.status == 303) != (right is None) or _key(after.problem) != _key(right):
                bench.fault(name, f"answers {after.status} {_key(after.problem)}", case)
    offers_what_is_taken(bench, name, front.ways(), cases, taken)


def by_hand(bench: Bench, cases: list[Case]) -> None:
    """What no page sends: all answers at once to the desk, with and without a slip's code, and to a phone the result
    itself, whole or with something of it told otherwise. Nothing is confirmed that a page would have asked."""
    world = bench.world
    desks = (("desk by hand", seats.desk), ("slip by hand", seats.slip))
    for name, made in desks:
        front = made(world, world.organizer)
        for case in cases:
            if not case.within:
                continue
            heard = front.sent(seats.said_of(case), world.match.revision)
            decided = world.official(case.result, confirmed=False)
            bench.same(name, case, heard.problem if heard is not None else front.refused(), decided)
    reports = [told for case in cases for told in (case.result, *seats.altered(case.result))]
    for number, told in enumerate(reports):
        side = SIDES[number % 2]
        made_of_it, right = seats.reported(world, side, told, number), world.player(told, side=side)
        bench.counts["phone by hand"] += 1
        if (made_of_it is None) != (right is None):
            bench.fault("phone by hand", f"says {made_of_it or 'yes'}, and decide {_key(right) or 'yes'}: {told}")


def by_slip(bench: Bench, cases: list[Case]) -> None:
    at_the_desk(bench, cases, by_slip=True)


def walk_agrees(
    bench: Bench, front: str, case: Case, shown: seats.Verdict, decided: Problem | None, ways: set[str]
) -> None:
    if case.within:
        bench.same(front, case, shown.problem, decided)
        if shown.offered != (case.way.id in ways):
            bench.fault(front, "does not offer one of these answers", case)
        return
    bench.counts[f"{front}, beside the limits"] += 1
    if shown.taken or shown.key not in {*IN_THE_QUESTION_S_WORDS, _key(decided)}:
        bench.fault(front, f"says {shown.key or 'yes'} beside the limits, and decide {_key(decided) or 'yes'}", case)
    # Squads are boxes to tick: too few and too many of them can be ticked.
    if shown.offered and (not case.way.picks() or shown.key != "picks_wrong"):
        bench.fault(front, "offers an answer that is none", case)


def offers_what_is_taken(bench: Bench, front: str, ways: set[str], cases: list[Case], taken: set[str]) -> None:
    """A way is offered exactly where some result of it can be said; of a few results, perhaps none can."""
    tried = {case.way.id for case in cases}
    bench.counts[f"{front}, ways"] += len(tried)
    if not taken <= ways or (bench.whole and ways & tried != taken):
        bench.fault(front, f"offers {sorted(ways & tried)}, of which {sorted(taken)} can be said")


# --- the short line: on the steps, and on the page for one result after the other ---


def by_line(bench: Bench, cases: list[Case]) -> None:
    world = bench.world
    organizer = world.organizer
    walk = seats.desk(world, organizer)
    for case in cases:
        line = seats.line_of(case) if case.within and is_typable(case.way) and case.way.ended != RULING else None
        if line is None:
            continue
        lasting = world.official(case.result, REASON)
        page = walk.typed(line)
        if page is not None and page.form("post", walk.at) is None and page.problem is None:
            bench.fault("line", f"“{line}” leads to another question", case)
            continue
        entry = seats.typed_at_entry(world, organizer, line)
        bench.counts["line"] += 1
        if (page is None) != (entry is None):
            bench.fault("line", f"“{line}” is read by one of the two pages only", case)
        if page is None or entry is None:
            if lasting is None:
                bench.fault("line", f"“{line}” is not read ({_key(world.problems[-1])})", case)
            continue
        [read] = walk.posted(page, reason=REASON)[1]
        meant = read.command.result
        if not _alike(meant, case.result):
            bench.fault("line", f"“{line}” is read as {meant}", case)
            continue
        # What it is read as is what decide is asked about: a line may tell an ending by another way's words.
        for reason in ("", REASON):
            right = world.official(meant, reason)
            if not reason:
                bench.same("line, on the steps", case, page.problem, right)
            said = entry.entered(reason)
            bench.same(f"line, entered{' with a reason' if reason else ''}", case, said.problem, right)
            if said.command.result != meant:
                bench.fault("line", f"“{line}” is {meant} here and {said.command.result} there", case)


def _alike(read: Result, told: Result) -> bool:
    """Whether a line was read as what was told, whichever way told it."""
    return (read.score, read.wounds, read.picks, read.conceded_by, read.initiative) == (
        told.score,
        told.wounds,
        told.picks,
        told.conceded_by,
        told.initiative,
    ) and (None in (read.winner, told.winner) or read.winner == told.winner)


# --- the table's unit ---


def at_the_table(bench: Bench, cases: list[Case]) -> None:
    world = bench.world
    unit = seats.TableUnit(world)
    up = unit.time_up
    form = world.form
    offered = {way.id for way in form.offered(up)}
    for case in {case.on_buttons.key: case.on_buttons for case in cases if case.within}.values():
        if case.way.id not in offered:
            bench.counts["table, not offered now"] += 1
            # What was over before time is told at time by what stood when it was called.
            if case.way.when != BEFORE_TIME and world.player(case.result, up) is None:
                bench.fault("table", "does not offer this", case)
            continue
        result, decided = case.result, world.player(case.result, up)
        told = unit.told(result, _winner(world, case)) or seats.Told()
        bench.counts["table" if told.sent or told.impossible else "table, no buttons for it"] += 1
        if told.impossible:
            if decided is None or decided.say() not in told.impossible:
                bench.fault("table", f"says “{told.impossible}”, and decide {_key(decided) or 'yes'}", case)
        elif told.sent is None:
            if decided is None:
                bench.fault("table", "has no buttons for this", case)
        else:
            # Who began is asked where a lot may need it; else it is what was said, to the letter.
            if replace(told.sent.result, first_player=result.first_player) != result:
                bench.fault("table", f"has sent {told.sent.result}", case)
            if (refused := world.player(told.sent.result, told.sent.time_up)) is not None:
                bench.fault("table", f"has sent {told.sent.result}, and decide says {refused.key}", case)


def _winner(world: World, case: Case) -> Side:
    try:
        winner = world.book.winner(case.result, world.state.options)
    except Problem:
        return case.opener
    return "a" if winner == "a" else "b" if winner == "b" else case.opener


# --- who leaves in the midst of a match ---


def on_leaving(bench: Bench, cases: list[Case]) -> None:
    """Who leaves concedes, whatever stands: `decide` asks for no more reason than that."""
    world = bench.world
    if not world.book.leaving_asks or world.book.games(world.situation.stage, world.state.options) > 1:
        return
    page = seats.Leaving(world, world.organizer)
    for case in cases:
        if case.way.ended != CONCESSION:
            continue
        loser = world.match.match.competitor(other_side(case.opener)) or ""
        decided = world.decided(c.DropCompetitor(loser, case.result))
        shown = page.told(case)
        if case.within:
            bench.same("leaving", case, shown.problem, decided.problem)
        else:
            bench.counts["leaving, beside the limits"] += 1
            if shown.taken or shown.key not in {*IN_THE_QUESTION_S_WORDS, _key(decided.problem)}:
                bench.fault("leaving", f"says {shown.key or 'yes'}, and decide {_key(decided.problem) or 'yes'}", case)
            if (status := page.by_hand(case)) >= 500:
                bench.fault("leaving", f"fails with {status} on answers that no page sends at once", case)


# --- files, which have no clock ---


def in_a_file(bench: Bench, cases: list[Case]) -> None:
    """`roundtap check`, and the import that asks it: what nobody could enter, whatever the clock says."""
    world = bench.world
    tournament = tournament_of(world.state)
    for case in cases:
        try:
            result = seats.stored(case.result)
        except Problem:
            continue
        rounds = tuple(
            replace(
                played,
                matches=tuple(
                    replace(match, result=result) if match.table == world.match.match.table else match
                    for match in played.matches
                ),
            )
            for played in tournament.rounds
        )
        found = {problem.key for problem in impossible_results(replace(tournament, rounds=rounds))}
        right = {problem.key for problem in result_problems(world.book, result, world.state.options, world.situation)}
        bench.counts["file"] += 1
        # A file does not say why: whoever has won and concedes is named, as an official would have to.
        if found - {"winner_concedes"} != right - {"winner_concedes"}:
            bench.fault("file", f"says {sorted(found)}, and the gate {sorted(right)}", case)
        entered = world.official(result, REASON)
        # A file records what others ran, and may lack an answer that a new entry needs.
        if (entered is None) != (not right) and _key(entered) not in (*right, "answer_missing"):
            bench.fault("file", f"says {sorted(found)}, and decide {_key(entered) or 'yes'}", case)


# --- said in earnest, and kept ---


def in_earnest(bench: Bench, cases: list[Case]) -> None:
    """By the device API and by phones, on a hub that keeps what it takes; taken back before the next."""
    world = bench.world
    client = AsgiClient(HubApplication(world.house.hub))
    key = world.house.hub.units.keys["unit-1"]
    try:
        for number, case in enumerate(cases):
            decided = world.player(case.result, bool(world.time_is_up))
            match = world.match
            report: dict[str, Any] = {
                "report_id": f"unit-1-{bench.clock}-{number}".replace(" ", "-"),
                "unit": "unit-1",
                "event": "e1",
                "match": MATCH,
                "side": "a",
                "revision": match.revision,
                "result": result_to_json(case.result),
                "serial": match.heard.get("a", 0) + 1,
                "draw": world.played.mark,
                "time_up": bool(world.time_is_up),
            }
            answer = client.post("/device/report", json={"report": report, "mac": sign(key, REPORT, report)})
            echo = open_envelope(key, ECHO, answer.get_json())
            assert echo is not None
            reason = None if decided is None else "early" if decided.key == "time_not_up" else "impossible"
            bench.counts["device"] += 1
            if echo.get("reason") != reason:
                bench.fault("device", f"says {echo.get('reason') or 'yes'}, and decide {reason or 'yes'}", case)
            world.taken_back()
    finally:
        client.close()


STANDING: tuple[Fronts, ...] = (on_phones, at_the_desk, by_slip, by_hand, by_line, at_the_table, on_leaving, in_a_file)


@contextmanager
def compared(folder: Path, place: Place, seed: int) -> Iterator[Callable[..., Bench]]:
    """Compares at one clock after the other, in the order of CLOCKS."""
    with world(folder, place) as found:

        def at(clock: str, fronts: tuple[Fronts, ...], most: int, kept: int) -> Bench:
            chance = random.Random(f"{seed} {place} {clock}")
            bench = Bench(found.moved_to(clock), clock, chance, whole=most >= WHOLE)
            lots = found.match.lots
            cases = [case for way in found.form.ways for case in cases_of(found.form, way, chance, most, lots)]
            rulings = [way for way in official_form(found).ways if way.ended == RULING]
            ruled = [case for way in rulings for case in cases_of(found.form, way, chance, most, lots)]
            drawn = found.official(Result(ended=RULING, winner=DRAW)) is None
            assert drawn == may_be_drawn(found.book, found.state.options, found.situation)
            with found.stands():
                for front in fronts:
                    both = front in (at_the_desk, by_slip, by_hand, in_a_file)
                    front(bench, [*cases, *ruled] if both else cases)
            in_earnest(bench, sampled([*cases, *ruled], chance, kept))
            return bench

        yield at


def agree(benches: list[Bench]) -> None:
    """Nothing differs; how much was compared is printed."""
    counts: Counter[str] = Counter()
    for bench in benches:
        counts += bench.counts
    print(f"{sum(counts.values())} comparisons: {dict(sorted(counts.items()))}")
    faults = [fault for bench in benches for fault in bench.faults]
    assert not faults, f"{len(faults)} differences:\n" + "\n".join(faults[:20])


@pytest.mark.parametrize("book", BOOKS)
def test_fronts_agree_with_decide(book: str, tmp_path: Path) -> None:
    """A slice: a few cases of each way, at some fronts while the clock runs and at others after time."""
    with compared(tmp_path, BOOKS[book], seed=11) as at:
        agree(
            [
                at(RUNNING, (on_phones, at_the_desk, by_slip, at_the_table, in_a_file), most=3, kept=1),
                at(UP, (at_the_table, by_slip, by_hand, by_line, on_leaving), most=2, kept=1),
            ]
        )


@pytest.mark.parametrize("name", GAMES)
def test_fronts_agree_with_decide_about_own_games(name: str, tmp_path: Path) -> None:
    """The same slice of a store's own game: its form is asked like any other."""
    place = Place(id_of(name), games=GAMES[name].match.best_of)
    with compared(tmp_path, place, seed=11) as at:
        if UP not in place.clocks:
            agree([at(NOT_STARTED, STANDING, most=3, kept=1)])
            return
        agree(
            [
                at(RUNNING, (on_phones, at_the_desk, by_slip, at_the_table, in_a_file), most=3, kept=1),
                at(UP, (at_the_table, by_slip, by_hand, by_line, on_leaving), most=2, kept=1),
            ]
        )


@pytest.mark.long
@pytest.mark.parametrize(
    "place", [*places(), *places({id_of(name): book_behind(id_of(name)) for name in GAMES})], ids=str
)
def test_fronts_agree_with_decide_everywhere(place: Place, tmp_path: Path, chance: random.Random) -> None:
    """Every rulebook and stage, at every clock: of each way all cases where they are few, else other ones each time."""
    seed = chance.randrange(10**6)
    print(f"seed {seed}")
    with compared(tmp_path, place, seed) as at:
        agree([at(clock, STANDING, most=24 if clock in (NOT_STARTED, UP) else 10, kept=3) for clock in place.clocks])
