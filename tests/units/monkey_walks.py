"""What is watched at every press, and how a monkey presses: everything in turn to a depth, or by chance."""

import random
from collections import Counter
from collections.abc import Iterable

from monkey_own import as_counted, labels_of, winner_of
from monkey_reader import SIGNS, Reader, names_winner, number, told_to_the_other
from monkey_rules import LABELS, STEPS, Unsaid, expected, phoned
from monkey_table import AT_TIME, BEFORE, WORDS, MonkeyTable, Place, Step, places

from own_games.shelf import rules_behind
from roundtap_core.records import SIDES, Result, Side, SidePair, other_side
from roundtap_units.table.screens.scenes import FiguresScene, SideBySideScene, SidePart

Move = tuple[str, str, int]
"""What is pressed, which key, and after how long a pause."""

KINDS = (
    ("tap", "a"),
    ("tap", "b"),
    ("tap", "up"),
    ("tap", "down"),
    ("hold", "a"),
    ("hold", "b"),
    ("repeat", "down"),
    ("repeat", "up"),
    ("call", "call"),
    ("leave", "a"),
)
SHORT_MS, LONG_MS = 50, 20_000


class Watch:
    """One walk at one table: the steps so far, and every fault seen."""

    def __init__(
        self, place: Place, chance: random.Random, seated: bool = True, table: MonkeyTable | None = None
    ) -> None:
        self.place, self.table, self.reader = place, table or MonkeyTable(place, chance, seated), Reader(place)
        self.faults: list[str] = []
        self.walk: list[str] = []
        """What was pressed and reported by phone, to be followed by hand."""
        self.like: Result | None = None
        self.corrects = False
        """Whether "who won?" is about the result that stands, not about what the other one said."""
        self.results = 0
        self.first: Result | None = None
        """What stood when the last press came."""
        self.last = self.table.scene()
        """What stood on the screen after the last press."""

    def phone(self, side: Side, result: Result, after_ms: int) -> None:
        self.walk.append(f"{side} by phone in {after_ms} ms: {result};")
        self.table.phone(side, result, after_ms)

    def press(self, kind: str, key: str, pause_ms: int) -> Step:
        self.walk.append(told_move((kind, key, pause_ms)))
        self.table.wait(pause_ms)
        stands = self.table.dialogue.table
        shown = self.table.scene()
        heard = {side: stands.latest_result(side) for side in SIDES}
        like = stands.match.result or heard.get(key)
        if shown.kind in ("saved", "done", "ask", "differ"):
            self.corrects = shown.kind in ("saved", "done")
        if shown.kind == "who-won" and self.corrects:
            like = stands.match.result or heard[shown.turn]  # type: ignore[attr-defined]
        elif shown.kind in ("ask", "who-won", "differ") and getattr(shown, "turn", None):
            like = heard[other_side(shown.turn)]  # type: ignore[attr-defined]
        self.first = stands.standing_result
        step = self.table.press(kind, key, shown)
        self.last = step.after
        facts = self.reader.facts
        self.reader.read(step)
        if self.reader.facts is not facts:
            self._entry_begins(step, like)
        if isinstance(step.after, SideBySideScene) and step.before.kind == "differ":
            self.like = like
        for report in step.reports:
            self._reported(step, report.side, report.result)
        self._marked(step)
        if step.after.kind == "saved":
            a, b = (self.table.dialogue.table.latest_result(side) for side in ("a", "b"))  # type: ignore[arg-type]
            if a != b or a is None:
                self._fault("saved-unagreed", f"SAVED while {a} and {b} were said")
            if self.table.match.result not in (None, a):
                self._fault("saved-second", f"SAVED {a} while {self.table.match.result} stands")
        return step

    def _entry_begins(self, step: Step, like: Result | None) -> None:
        kind, facts = step.before.kind, self.reader.facts
        assert facts is not None
        self.like = like if kind in ("done", "saved", "ask", "who-won") else self.like if kind == "way" else None
        if kind == "who-won" and like is not None and self._winner(like) not in (facts.opener, "draw"):
            self.like = None
        elif kind in ("done", "saved", "ask") and like is not None:
            won = self._winner(like)
            facts.opener = won if won in ("a", "b") else facts.by  # type: ignore[assignment]

    def _fault(self, rule: str, what: str) -> None:
        self.faults.append(f"[{rule}] {self.place}: {what}\n    after {' '.join(self.walk)}")

    # --- what is reported ---

    def _reported(self, step: Step, side: str, result: Result) -> None:
        self.results += 1
        scene = step.before
        if scene.kind == "ask":
            self.agreed(step, side, result)
        elif scene.kind == "after-all":
            if result != self.first or getattr(scene, "turn", None) != side:
                self._fault("not-told", f"{side} went back to {result}, shown to {scene.turn} was {self.first}")  # type: ignore
        elif isinstance(scene, SideBySideScene):
            self.both_entered(scene, result)
        else:
            self.entered(result)

    def entered(self, result: Result) -> None:
        try:
            right, _ = expected(self.place, self.reader, self.like)
        except Unsaid as unsaid:
            self._fault("unsaid", f"{result} was reported, but {unsaid}")
            return
        names = ("ended", "winner", "conceded_by", "score", "wounds", "initiative", "first_player", "picks")
        for name in names:
            if getattr(result, name) != getattr(right, name):
                self._fault(
                    "other",
                    f"{name} is {getattr(result, name)}, told was {getattr(right, name)} by {self.reader.facts}",
                )
        told, said = result.timeout or {}, right.timeout or {}
        answers = set(self.reader.facts.choices.values()) if self.reader.facts else set()
        for key in {*told, *said}:
            # A later form may ask more: whatever it records must have been somebody's answer.
            values = told[key].values() if isinstance(told.get(key), dict) else [told.get(key)]
            worded = {WORDS(f"form.option.{v}") if f"form.option.{v}" in WORDS else str(v) for v in values}
            if told.get(key) != said.get(key) and not (key not in said and worded <= answers):
                self._fault("other", f"timeout {key} is {told.get(key)}, told was {said.get(key)}")

    def agreed(self, step: Step, side: str, result: Result) -> None:
        theirs = other_side(side)  # type: ignore[arg-type]
        if self.table.now_ms - self.table.asked_ms < 400:
            self._fault("unread", f"{side} agreed {self.table.now_ms - self.table.asked_ms} ms after the hub had asked")
        if getattr(step.before, "turn", None) != side:
            self._fault("agreed-by-other", f"{side} agreed on a screen for {theirs}")
        winner = self._winner(result)
        word = STEPS.get((result.timeout or {}).get("decided_by", ""), "")
        if self.place.book == "shatterpoint-premier":
            word = ""
        if word == "first player":
            word = ""
        labels = dict(LABELS.get(self.place.book) or labels_of(self.place))
        if self.place.book == "warlords-of-terra" and self.place.games > 1:
            labels.pop("score")
        for what in told_to_the_other(
            step.before, side, self.place, as_counted(self.place, result), winner, word, labels
        ):  # type: ignore
            self._fault("not-told", what)

    def _winner(self, result: Result) -> str:
        """Who has won by the rules' own words: stated, conceded to, ahead in figures, else nobody."""
        if result.conceded_by:
            return other_side(result.conceded_by)  # type: ignore[arg-type]
        if rules_behind(self.place.book) is not None:
            return result.winner if result.winner in SIDES else winner_of(self.place, result)
        if result.winner:
            return result.winner
        for pair in (result.score, result.wounds or SidePair()):
            if pair.a != pair.b:
                return "a" if pair.a > pair.b else "b"
        return "draw"

    def both_entered(self, scene: SideBySideScene, result: Result) -> None:
        """Section 6: what stood on both halves and nothing else; the winner was named there."""
        reader, winner = self.reader, self._winner(result)
        if scene.kind != "sum":
            self._fault("unsaid", f"{result} was reported from {scene.kind}")
            return
        letters = {s: "".join("ABCD"[squad - 1] for squad in picks) for s, picks in (result.picks or {}).items()}
        for side in ("a", "b"):
            part: SidePart = scene.of(side)  # type: ignore[arg-type]
            first = side if self.place.facing == "opposite" else "a"
            pairs = [result.score, result.wounds or SidePair()]
            shown = [f"{p.of(first)}:{p.of(other_side(first))}" for p in pairs]  # type: ignore[arg-type]
            squads = ":".join(letters.get(each, "–") for each in (first, other_side(first)))  # type: ignore[arg-type]
            if letters and squads not in part.all_text():
                self._fault("not-told", f"the sum does not show the squads {squads}: {part.all_text()}")
            if list(part.figures) != shown:
                self._fault("not-told", f"the sum shows {part.figures}, reported was {shown}")
            if not names_winner(part.all_text(), winner):
                self._fault("not-told", f"the sum does not name the winner {winner}: {part.all_text()}")
            if result.conceded_by and "conceded" not in part.all_text():
                self._fault("not-told", f"the sum hides the concession: {part.all_text()}")
        told = reader.said
        for key, side in ((key, side) for key in ("score", "wounds") for side in ("a", "b")):
            label = {"score": "Struggles won", "wounds": "Wounds inflicted"}[key]
            value = (result.score if key == "score" else result.wounds or SidePair()).of(side)  # type: ignore[arg-type]
            before = (result.timeout or {}).get(key, {}).get(side, value)
            if told.get((label, side)) != before and self.like is None:
                self._fault("unsaid", f"{label} of {side} is {before}, said was {told.get((label, side))}")
        if result.conceded_by and self.like is None and result.conceded_by not in reader.conceded:
            self._fault("unsaid", f"{result.conceded_by} conceded, said was it by {sorted(reader.conceded)}")
        if self.like is None and (result.picks or {}) != reader.squads:
            self._fault("other", f"squads {result.picks}, marked were {reader.squads}")

    # --- what a screen shows ---

    def _marked(self, step: Step) -> None:
        """A figure that nobody has set or confirmed looks different."""
        scene, facts = step.after, self.reader.facts
        if scene.kind != "entry" or not isinstance(scene, FiguresScene) or facts is None:
            return
        columns = (scene.left, scene.right)
        if not any(column.active is not None for column in columns):
            return
        for column in columns:
            said = (scene.title, SIGNS[column.sign]) in facts.figures
            if (
                column.active is None
                and not said
                and number(column.figure) is not None
                and not getattr(column, "unset", False)
            ):
                self._fault("unmarked", f"{column.figure} of {column.sign} was set by nobody and is not marked")


def told_move(move: Move) -> str:
    kind, key, pause = move
    sign = {"a": "●", "b": "■", "up": "▲", "down": "▼", "call": "JUDGE"}[key]
    return f"{sign}{'' if kind == 'tap' else f'({kind})'}+{pause}"


# --- everything in turn ---


def fingerprint(watch: Watch) -> object:
    """What two tables have in common that will answer alike."""
    table, call = watch.table.dialogue.table, watch.table.dialogue.call
    entry, question = table.entry, table.question
    seen = [
        watch.table.scene().all_text(),
        watch.table.scene().kind,
        getattr(watch.table.scene(), "turn", None),
        call.on,
        tuple(table.games),
        table.first_player,
        tuple(sorted(table.seated)),
        tuple(sorted(table.leaving)),
        tuple((sent.effect.side, repr(sent.effect.result)) for sent in table.sent),
        type(question).__name__,
    ]
    for name in ("way", "given", "dial", "choice", "turns", "place", "by", "opener", "hand", "conceded_by", "sheets"):
        value = getattr(entry, name, None)
        seen.append(value.id if name == "way" and value is not None else repr(value))
    return hash(tuple(seen)), repr(watch.reader.facts)


def explore(place: Place, depth: int, pauses: Iterable[int] = (SHORT_MS, 3000)) -> list[str]:
    """Every press after every other, to `depth`; alike tables are visited once. Returns the faults."""
    frontier: list[tuple[Move, ...]] = [()]
    seen: set[object] = set()
    faults: list[str] = []
    pauses = tuple(pauses)
    for _ in range(depth):
        following: list[tuple[Move, ...]] = []
        for path in frontier:
            for kind, key in KINDS:
                for pause in pauses:
                    watch = Watch(place, random.Random(1))
                    for move in (*path, (kind, key, pause)):
                        watch.press(*move)
                    if watch.faults:
                        faults += watch.faults
                        continue
                    mark = fingerprint(watch)
                    if mark not in seen:
                        seen.add(mark)
                        following.append((*path, (kind, key, pause)))
        frontier = following
    return faults


# --- by chance ---


def pause(chance: random.Random) -> int:
    """0.05 to 20 s, mostly short; a finger that rests for more than a minute now and then."""
    draw = chance.random()
    if draw < 0.5:
        return chance.randint(50, 900)
    return chance.randint(900, 4000) if draw < 0.95 else chance.randint(4000, LONG_MS)


def random_move(watch: Watch, chance: random.Random, bias: float) -> Move:
    """Any press; with `bias`, one that the screen asks for."""
    scene = watch.last
    if chance.random() < bias:
        turn = getattr(scene, "turn", None)
        if isinstance(scene, SideBySideScene):
            return "tap", _of_two(scene, chance), pause(chance)
        key = turn if turn and chance.random() < 0.8 else chance.choice(("a", "b"))
        if scene.kind == "idle" and chance.random() < 0.2:
            return "repeat", "down", pause(chance)
        return "tap", key, pause(chance)
    kind, key = chance.choice(KINDS)
    return kind, key, pause(chance)


def _of_two(scene: SideBySideScene, chance: random.Random) -> str:
    """A key that leads on where both enter their own."""
    side = chance.choice(("a", "b"))
    if scene.kind == "sum":
        return next((each for each in (side, other_side(side)) if "✓" not in scene.of(each).hint), side)  # type: ignore
    hands = [each for each in ("a", "b") if "▲" in scene.of(each).hint]  # type: ignore[arg-type]
    if not hands:
        return chance.choice((side, "up"))
    part = scene.of(hands[0])  # type: ignore[arg-type]
    if part.marks:
        ready = sum(mark.picked for mark in part.marks) == 2
        return "up" if ready else chance.choice((hands[0], "up"))
    return chance.choice(("up", hands[0], side))


def walk_once(place: Place, seed: int, longest: int = 40) -> Watch:
    """One walk by chance, until a rule is broken or patience ends."""
    chance = random.Random(seed)
    watch = Watch(place, chance, seated=chance.random() < 0.9)
    bias, length = chance.choice((0.2, 0.6, 0.85, 0.97)), chance.randint(longest // 3, longest)
    for _ in range(length):
        if chance.random() < 0.02:
            watch.phone(chance.choice(SIDES), phoned(place, chance), chance.randint(0, 3000))
        watch.press(*random_move(watch, chance, bias))
        if watch.faults:
            break
    return watch


def rule_of(fault: str) -> str:
    return fault[1 : fault.index("]")]


def run(book: str, walks: int, seed: int) -> tuple[Counter[str], list[str]]:
    """So many walks of a rulebook, spread over its places. Returns counts ("walks", "results", a rule that was
    broken) and one example of each broken rule."""
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    stands: list[Place] = list(places(book))
    for number_ in range(walks):
        place = stands[number_ % len(stands)]
        watch = walk_once(place, seed * 1_000_003 + number_)
        counts["walks"] += 1
        counts["results"] += watch.results
        counts["presses"] += len(watch.walk)
        for fault in watch.faults:
            rule = rule_of(fault)
            counts[rule] += 1
            shortest = examples.get(rule)
            if shortest is None or len(fault) < len(shortest):
                examples[rule] = fault
    return counts, list(examples.values())


__all__ = ["AT_TIME", "BEFORE", "Watch", "explore", "run", "walk_once"]
