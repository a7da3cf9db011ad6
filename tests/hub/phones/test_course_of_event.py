"""Each page of a player, an opponent and the public in every stage of an event, as text: what it says, and never says.

The sentences of each stage were written by hand, beside the printed pages."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from course_kit import Course, course

import roundtap_hub
from roundtap_core.event.commands import AcceptPlace, DeclinePlace, EnterResult, FinishEvent, PassOverAbsentees
from roundtap_core.records import CONCESSION, Result, SidePair
from roundtap_core.rulebooks.registry import RULEBOOKS

MISSED = "You did not make the cut"
ABSENT = "You made the cut but were absent. The next stage is played without you."
ADVANCES = "You advance. Your table appears here when the next round is published."
PLAYED = "Your matches are over. Thank you for playing."
OVER = "The event is over. Thank you for playing."
MUST_FIELD = "You must play these squads now"

EXPECTED: dict[tuple[str, str], tuple[str, ...]] = {
    ("before", "anyone"): ("You are registered. Your table appears here when round 1 is published.",),
    ("round 1", "at a table"): ("Round 1 of 2", "Table", "against"),
    ("round 1", "with a bye"): ("You have a bye: a win. Be back for the next round.",),
    ("Swiss over", "winner"): ("Round 2 of 2", "You won"),
    ("cut made", "seed 1"): ("You advance as seed 1.",),
    ("cut made", "seed 4"): ("You advance as seed 4.",),
    ("cut made", "missed it"): (MISSED,),
    ("place free", "absent"): (ABSENT,),
    ("place free", "next"): ("A spot in the cut is free for you.",),
    ("place taken", "declined"): ("You declined a spot in the cut.",),
    ("place taken", "came in"): ("You advance as seed 4.",),
    ("semi-final", "at a table"): ("Semi-final", "against"),
    ("semi-final", "absent"): (ABSENT,),
    ("semi-final", "missed it"): (MISSED,),
    ("one semi-final played", "winner"): ("You won", ADVANCES),
    ("one semi-final played", "loser"): ("You lost", "Semi-final: you are out. Thank you for playing."),
    ("semi-finals played", "loser"): ("You lost", "Semi-final: you are out. Thank you for playing. Rank 3"),
    ("final", "finalist"): ("Final", "against"),
    ("final", "loser"): ("Semi-final: you are out. Thank you for playing.", "Rank 3"),
    ("final", "absent"): (ABSENT,),
    ("final", "missed it"): (MISSED,),
    ("final played", "champion"): ("You won the event.", PLAYED),
    ("final played", "finalist"): ("Rank 2 (Final)", "won the event.", PLAYED),
    ("final played", "loser"): ("Rank 3 (Semi-final)", PLAYED),
    ("over", "champion"): ("You won the event.", OVER),
    ("over", "finalist"): ("Rank 2 (Final)", OVER),
    ("over", "loser"): ("Rank 3 (Semi-final)", OVER),
    ("over", "absent"): ("Rank ", OVER),
    ("over", "missed it"): ("Rank ", OVER),
}
"""(stage, who) → what the page says, to the player and to everybody."""

NOTHING_COUNTS = re.compile(r"Points \d+:\d+|(MoV|SCORE) [−\d]+:[−\d]+")
"""What a match adds, as pages show it beside its result."""

Step = tuple[str, dict[str, str]]


def event_with_a_cut(it: Course) -> Iterator[Step]:
    """Nine players, two Swiss rounds, a cut to four. The fourth is absent, the fifth declines, the sixth comes in."""
    yield "before", {"anyone": "Ana"}
    it.publish()
    bye = next(m.match.a for m in it.event.public_rounds[-1].matches if m.match.b is None)
    yield "round 1", {"at a table": it.matches[0].match.a, "with a bye": bye}
    it.settle()
    it.publish()
    it.settle()
    yield "Swiss over", {"winner": min(it.matches[0].match.a, it.matches[0].match.b or "")}
    seeds = it.cut()
    order = it.event.cut.order
    yield "cut made", {"seed 1": seeds[0], "seed 4": seeds[3], "missed it": order[-1]}
    it.tell(PassOverAbsentees((seeds[3],)))
    yield "place free", {"absent": seeds[3], "next": order[4]}
    it.tell(DeclinePlace(order[4]), AcceptPlace(order[5]))
    yield "place taken", {"absent": seeds[3], "declined": order[4], "came in": order[5]}
    out = {"absent": seeds[3], "missed it": order[-1]}
    it.publish()
    yield "semi-final", {"at a table": it.matches[0].match.a, **out}
    # The better seed loses here, so that its place is certain once both are played: third, before the other loser.
    first = it.matches[0].match
    it.settle("a" if first.a == order[5] else "b", only=1)
    winner = order[5]
    loser = first.a if first.b == winner else first.b or ""
    yield "one semi-final played", {"winner": winner, "loser": loser}
    it.settle("a" if first.a == order[5] else "b")
    yield "semi-finals played", {"winner": winner, "loser": loser, **out}
    it.publish()
    final = it.matches[0].match
    yield "final", {"finalist": final.a, "loser": loser, **out}
    it.settle("a")
    ends = {"champion": final.a, "finalist": final.b or "", "loser": loser, **out}
    yield "final played", ends
    it.tell(FinishEvent(reason="a test"))
    yield "over", ends


ELIMINATION = ("semi-final", "one semi-final played", "semi-finals played", "final", "final played", "over")


@pytest.mark.parametrize("rulebook", list(RULEBOOKS))
def test_every_page_says_where_its_player_stands(tmp_path: Path, rulebook: str) -> None:
    asked = set()
    with course(tmp_path, rulebook, 9) as it:
        for stage, people in event_with_a_cut(it):
            for who, competitor in people.items():
                for page in (it.phone(competitor), it.public(competitor)):
                    for sentence in EXPECTED.get((stage, who), ()):
                        assert sentence in page, (stage, who, page)
                    asked.add((stage, who))
                    assert "If that is wrong" not in page, (stage, who, page)
                    if who not in ("at a table", "finalist") or stage == "final played":
                        assert "Draw at random" not in page, (stage, who, page)
                    assert (MISSED in page) == (who == "missed it" and stage not in ("final played", "over"))
                    if stage in ELIMINATION:
                        assert not NOTHING_COUNTS.search(page), (stage, who, page)
                        assert "Semi-final, against" not in page, (stage, who, page)
                        assert not re.search(r"Record \d", page), (stage, who, page)
                    if stage not in ("round 1", "semi-final", "final"):
                        assert MUST_FIELD not in page, (stage, who, page)
            if stage in ELIMINATION:
                match = it.matches[0]
                desk = it.desk(f"/match/{match.id}")
                assert not NOTHING_COUNTS.search(desk), desk
                if match.match.result is not None:
                    effect = "wins the event" if len(it.matches) == 1 else "advances"
                    assert f"Effect {it.winner(match)} {effect}" in desk, desk
    assert asked >= set(EXPECTED), set(EXPECTED) - asked


@pytest.mark.parametrize("rulebook", list(RULEBOOKS))
def test_in_elimination_the_last_question_says_who_advances_and_no_points(tmp_path: Path, rulebook: str) -> None:
    with course(tmp_path, rulebook) as it:
        it.swiss()
        it.cut()
        it.publish()
        match = it.matches[0]
        ana = match.match.a
        assert it.ended(match, "conceded").endswith(f"Effect {ana} advances Save result Back")


def test_the_losers_of_the_semi_finals_play_for_third_place_where_that_is_played(tmp_path: Path) -> None:
    with course(tmp_path, "xwing-standard", third_place_match=True) as it:
        it.swiss()
        it.cut()
        it.publish()
        it.settle("a", "a")
        loser, other = (match.match.b or "" for match in it.matches)
        assert "You play for third place. Your table appears here" in it.phone(loser)
        it.publish()
        assert it.phone(loser).startswith("Third place ")
        third = next(m for m in it.matches if m.match.game == "third")
        it.tell(EnterResult(third.id, 0, Result(score=SidePair(100, 7)), reason="a test"))
        first, second = (third.match.a, third.match.b)
        assert "Rank 3 (Semi-final)" in it.phone(first)
        assert "Rank 4 (Semi-final)" in it.phone(second)
        assert {first, second} == {loser, other}
        assert f"Effect {first} takes third place" in it.desk(f"/match/{third.id}")
        final = next(m for m in it.matches if m.match.game != "third")
        it.tell(EnterResult(final.id, 0, Result(score=SidePair(100, 7)), reason="a test"))
        assert "You won the event." in it.phone(final.match.a)


def tied(it: Course) -> None:
    """A round in which every winner wins 20:0: three of six are level."""
    it.publish()
    for match in it.matches:
        it.tell(EnterResult(match.id, 0, Result(score=SidePair(20, 0), winner="a"), reason="a test"))


def test_in_a_tie_break_everybody_reads_whether_it_is_theirs(tmp_path: Path) -> None:
    with course(tmp_path, "warlords-of-terra", 6, swiss_rounds=1, cut=0, prize_places=1) as it:
        tied(it)
        it.publish(tiebreak_form="each")
        playing = {who for m in it.matches for who in (m.match.a, m.match.b or "")}
        ties = {who for tie in it.event.public_rounds[-1].notes["ties"] for who in tie}
        waits, others = sorted(ties - playing), sorted(set(it.names) - ties)
        assert (len(ties), len(waits)) == (3, 1)
        for page in (it.phone(others[0]), it.public(others[0])):
            assert "Other players are in a tie-break round. You have no match in it." in page
            assert "If that is wrong" not in page
        for page in (it.phone(waits[0]), it.public(waits[0])):
            assert "You are tied. If you play in the next tie-break round, your table appears here." in page
        match = it.matches[0]
        seat = it.phone(match.match.a)
        assert "Tie-break: only the rank counts, no points" in seat
        it.settle("a")
        for who in (match.match.a, match.match.b or ""):
            page = it.phone(who)
            assert "Tie-break: only the rank counts, no points" in page
            assert not NOTHING_COUNTS.search(page)
            assert "you are out" not in page
        assert "Effect Tie-break: only the rank counts, no points" in it.desk(f"/match/{match.id}")
        for page in ("/e/e1/standings", "/wall/e1?show=standings"):
            assert "tandings after round 1" in it.page(page)


def test_a_second_swiss_stage_is_no_elimination(tmp_path: Path) -> None:
    with course(tmp_path, "shatterpoint-premier", second_stage="second-swiss") as it:
        it.swiss()
        [asked] = re.findall("These 4 advance: [^<]*", it.house.organizer().get("/console/e1").text)
        assert "The others are out. You can undo this" in asked
        seeds = it.cut()
        missed = next(name for name in it.names if name not in seeds)
        assert "You advance as seed 1." in it.phone(seeds[0])
        assert MISSED in it.phone(missed)
        rules = it.page("/rules/e1")
        assert "Swiss one game 120 minutes Different from the rulebook After the cut Swiss rounds" in rules
        assert "After the cut: Swiss rounds" in it.page("/e/e1/bracket")
        for number in (3, 4, 5):
            it.publish()
            pages = [it.phone(seeds[0]), it.public(seeds[0]), it.page("/e/e1/pairings"), it.page("/wall/e1"), it.desk()]
            assert f"Round {number} of 5" in pages[0]
            assert "against" in pages[0]
            assert MISSED in it.phone(missed)
            it.settle()
            pages += [it.phone(seeds[0]), it.desk(), it.desk("/event")]
            assert "Points 3:0" in pages[5] or "Points 0:3" in pages[5]
            for page in pages:
                assert not re.search(r"[Ee]liminat|[Bb]racket|[Ff]inal\b(?! standings)(?! and locks)", page), page
                assert MUST_FIELD not in page
        assert "Finish early" not in it.desk("/event")


def test_no_squads_have_to_be_played_after_the_last_swiss_round(tmp_path: Path) -> None:
    """Ana fields A and B twice. C and D must come in round 2, and are owed no more once it is over."""
    with course(tmp_path, "shatterpoint-premier", 4, cut=0) as it:
        it.publish()
        it.settle()
        it.publish()
        assert "You must play these squads now: C D" in it.phone("Ana")
        for match in it.matches:
            result = Result(score=SidePair(2, 0), wounds=SidePair(3, 0), picks={"a": [1, 2], "b": [1, 2]})
            it.enter(match, result)
        for page in (it.phone("Ana"), it.public("Ana")):
            assert MUST_FIELD not in page
        assert "Finish event" in it.desk("/event")
        assert "Finish early" not in it.desk("/event")


def test_a_conceded_match_shows_the_struggles_and_wounds_that_count(tmp_path: Path) -> None:
    """ "Poddanie": the winner has at least 2 struggles and 3 wounds, the other keeps the real ones."""
    with course(tmp_path, "shatterpoint-premier", 4, cut=0) as it:
        it.publish()
        match = it.matches[0]
        gave_up = Result(CONCESSION, None, "a", SidePair(1, 0), SidePair(4, 1), picks={"a": [1, 2], "b": [1, 2]})
        it.tell(EnterResult(match.id, 0, gave_up, reason="a test"))
        assert "1 : 2 (Wounds inflicted 4:3) You lost (concession) Points 0:3" in it.phone(match.match.a)
        assert "2 : 1 (Wounds inflicted 3:4) You won (concession) Points 3:0" in it.phone(match.match.b or "")
        assert "Counts as Struggles won 1:2, Wounds inflicted 4:3" in it.desk(f"/match/{match.id}")
        assert "1 : 2 (Wounds inflicted 4:3)" in it.page("/e/e1/pairings")


@pytest.mark.parametrize("language", ["es", "de", "pl"])
def test_the_other_languages_say_the_same_in_their_own_words(tmp_path: Path, language: str) -> None:
    folder = Path(roundtap_hub.__file__).parent / "words"
    words, english = (json.loads((folder / f"{each}.json").read_text()) for each in (language, "en"))

    def say(key: str, name: str = "") -> str:
        assert words[key] != english[key]
        return str(words[key]).format(name=name, seed=1)

    with course(tmp_path, "xwing-standard") as it:
        it.swiss()
        seeds = it.cut()
        missed = next(name for name in it.names if name not in seeds)
        assert say("player.cut.in") in it.phone(seeds[0], language)
        assert say("player.cut.missed") in it.phone(missed, language)
        it.publish()
        it.settle()
        loser = next(who for m in it.matches for who in (m.match.a, m.match.b or "") if who != it.winner(m))
        out = say("player.cut.out").partition(":")[2]
        assert out in it.phone(loser, language)
        assert say("player.cut.goes_on") in it.phone(it.winner(it.matches[0]), language)
