"""Reading over the players' shoulders: what the screens asked, and what the presses answered."""

import re
from dataclasses import dataclass, field
from typing import Any

from monkey_table import NAMES, WORDS, Place, Step

from roundtap_core.records import Result, Side, other_side
from roundtap_units.table.screens.scenes import FiguresScene, NameRow, Scene, SideBySideScene, SidePart, TextScene

SIGNS = {"●": "a", "■": "b"}
BUTTONS = ("● or ■",)
"""The hint of a question that the side's own button answers."""


@dataclass
class Facts:
    """What one person said in one entry: from which ending, with which figures and choices."""

    by: Side
    opener: Side
    ending: str | None = None
    """The line of the list; None: the own button alone."""
    time_up: bool = False
    figures: dict[tuple[str, str], int] = field(default_factory=dict)
    """(title, side) → the figure that stood there when its own button was pressed."""
    choices: dict[str, str] = field(default_factory=dict)
    turns: frozenset[str] = frozenset()
    """Titles of the turns that their own button has ended: "2 turns left", "Last turn"."""
    turn_won: str | None = None


def number(text: str) -> int | None:
    found = re.fullmatch(r"≤?(-?\d+)\+?", text)
    return int(found[1]) if found else None


def side_in(text: str) -> Side | None:
    found: Side | None = None
    for sign, side in SIGNS.items():
        if sign in text:
            found = side  # type: ignore[assignment]
    return found


def pointed(page: TextScene) -> str | None:
    return next((str(line)[2:] for line in page.lines if str(line).startswith("► ")), None)


class Reader:
    """Follows one table, step by step. `facts` is the entry in progress, `faults` what nobody could have said."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.facts: Facts | None = None
        self.games: list[Side] = []
        self.first_player: str | None = None
        self.begins_by_lot: str | None = None
        self.lots: dict[str, Side] = {}
        """Lots that the form left the match to; once drawn they stand."""
        self.who_won: Side | None = None
        self.agreed: list[tuple[Side, Scene]] = []
        self.hand: str | None = None
        self.pressing: str | None = None
        """▲▼ act for whoever pressed an own button last, from the next press on."""
        self.said: dict[tuple[str, str], int] = {}
        """Both entering their own: (label, side) → the figure that ▲ took."""
        self.squads: dict[str, list[int]] = {}
        self.common: dict[str, str] = {}
        self.conceded: set[Side] = set()
        """Who has answered "Concede?" with yes; it may have been taken back since."""
        self.faults: list[str] = []
        self.before: Scene | None = None
        """What stood there before a press that came too early took its place for a moment."""

    def read(self, step: Step) -> None:
        gesture = step.gesture
        too_early = WORDS("press.again") in step.before.all_text()
        scene = self.before = self.before or step.before if too_early else step.before
        # What is pressed while a judge is called only closes that screen: the hands stay where they were.
        if gesture.kind == "call" or gesture.kind == "leave" or scene.kind == "call":
            return
        if WORDS("press.again") in step.after.all_text():
            # It came too early, and the screen says so.
            return
        self._openings(step)
        if gesture.key in ("a", "b") and (
            isinstance(scene, SideBySideScene) or isinstance(step.after, SideBySideScene)
        ):
            self.pressing = gesture.key
            if not isinstance(scene, SideBySideScene):
                self.hand = self.pressing
        changed = step.before != step.after or bool(step.reports)
        if isinstance(scene, SideBySideScene):
            self._duo(scene, step)
        elif isinstance(scene, TextScene):
            self._page(scene, step, changed)
        elif isinstance(scene, FiguresScene):
            self._figures(scene, step, changed)
        if step.after.kind == "lot" and isinstance(step.after, TextScene):
            drawn = side_in(next(line for line in step.after.lines if isinstance(line, NameRow)).name)
            if step.after.title != "Wins, by draw:":
                self.first_player = self.begins_by_lot = drawn
            elif self.facts is not None and drawn is not None:
                self.lots["lot" if self.facts.choices.get("Game 3 begun?") == "no" else "first_player_lot"] = drawn

    # --- where an entry begins ---

    def _openings(self, step: Step) -> None:
        kind, gesture = step.before.kind, step.gesture
        own: Side | None = gesture.key if gesture.kind in ("tap", "hold") and gesture.key in "ab" else None  # type: ignore
        if own is None:
            return
        looks_again = kind == "ask" and own != getattr(step.before, "turn", None)
        if kind in ("idle", "seating", "who", "done", "saved") or looks_again:
            self.facts = Facts(own, own, time_up=step.time_up)
        elif kind == "who-won" and isinstance(step.before, TextScene) and step.before.turn:
            self.facts = Facts(step.before.turn, own, time_up=step.time_up)

    # --- pages ---

    def _page(self, page: TextScene, step: Step, changed: bool) -> None:
        gesture, own = step.gesture, step.gesture.key in ("a", "b")
        side: Side = "a" if gesture.key == "a" else "b"
        if page.kind == "endings" and gesture.kind == "tap" and own:
            line = pointed(page) or ""
            if line.startswith("take back"):
                self.games = self.games[:-1]
                # The lot named who begins game 1, and still does when that is played on.
                self.first_player = None if self.games else self.begins_by_lot
            elif line == "I concede":
                self.facts = Facts(side, other_side(side), "Conceded", step.time_up)
            elif line != "back":
                self.facts = Facts(side, side, line, step.time_up)
        elif page.kind == "way" and own and gesture.key == page.turn and self.facts is not None:
            line, before = pointed(page) or "", self.facts
            if line.endswith(" conceded"):
                assert side_in(line) == other_side(before.opener) or line.startswith(NAMES[other_side(before.opener)])
                line = "Conceded"
            self.facts = Facts(before.by, before.opener, line, before.time_up)
        elif page.kind == "choice" and self.facts is not None and changed:
            self._choice(page, gesture.kind, gesture.key)
        elif page.kind == "turns" and self.facts is not None and changed:
            self._turn(page, gesture.kind, side if own else None)
        elif page.kind == "starter" and own and gesture.kind == "tap":
            self.first_player = side
        elif page.kind == "ask" and gesture.kind == "tap" and gesture.key == page.turn and step.reports:
            self.agreed.append((side, page))

    def _choice(self, page: TextScene, kind: str, key: str) -> None:
        assert self.facts is not None
        if page.hint in BUTTONS:
            if key in ("a", "b"):
                self.facts.choices[page.title] = key
        elif key == page.turn and kind in ("tap", "hold"):
            self.facts.choices[page.title] = pointed(page) or ""

    def _turn(self, page: TextScene, kind: str, side: Side | None) -> None:
        facts = self.facts
        assert facts is not None
        if side is None:
            return
        if kind == "hold":
            facts.turn_won = side
        elif kind == "tap" and side == page.turn:
            facts.turns |= {page.title}
            facts.turn_won = None

    # --- figures ---

    def _figures(self, scene: FiguresScene, step: Step, changed: bool) -> None:
        gesture = step.gesture
        if gesture.kind not in ("tap", "hold") or gesture.key not in ("a", "b"):
            return
        side: Side = "a" if gesture.key == "a" else "b"
        if scene.kind == "game" and side == scene.turn and gesture.kind == "tap" and step.after.kind != "game":
            self.games = [*self.games, other_side(side)]
            self.first_player = None
        elif scene.kind == "ask" and side == scene.turn and gesture.kind == "tap" and step.reports:
            self.agreed.append((side, scene))
        elif scene.kind == "entry" and self.facts is not None and changed:
            if any(scene.hint.startswith(hint) for hint in BUTTONS):
                self.facts.choices[scene.title] = side
            elif side == scene.turn:
                for column in (scene.left, scene.right):
                    value = number(column.figure)
                    if column.active is not None and value is not None:
                        self.facts.figures[scene.title, SIGNS[column.sign]] = value

    # --- both at once ---

    def _duo(self, scene: SideBySideScene, step: Step) -> None:
        gesture = step.gesture
        if scene.kind == "sum":
            self.hand = self.pressing
            return
        hand = self.hand
        if found := [side for side in ("a", "b") if re.search("[▲▼]", scene.of(side).hint)]:  # type: ignore[arg-type]
            hand = found[0]
        if gesture.key in ("a", "b"):
            part = scene.of(gesture.key)  # type: ignore[arg-type]
            if "concede?" in part.label and "yes" in part.hint and gesture.kind in ("tap", "hold"):
                self.conceded.add(gesture.key)  # type: ignore[arg-type]
        if gesture.key == "up" and gesture.kind == "tap" and hand is not None:
            asked_first = isinstance(step.after, SideBySideScene) and "Never play" in step.after.of(hand).all_text()  # type: ignore
            if not asked_first:
                self._takes(scene.of(hand), hand)  # type: ignore[arg-type]
        self.hand = gesture.key if gesture.key in ("a", "b") else hand

    def _takes(self, part: SidePart, side: str) -> None:
        if part.marks:
            picked = [place for place, mark in enumerate(part.marks, 1) if mark.picked]
            if len(picked) == 2:
                self.squads[side] = picked
        elif part.figures and (value := number(part.figures[0])) is not None and "concede?" not in part.label:
            self.said[part.label, side] = value

    def forget(self) -> None:
        """The match is another one."""
        self.__init__(self.place)  # type: ignore[misc]


def names_winner(text: str, winner: str) -> bool:
    """Whether a sentence says who won, by name or sign, or that nobody did."""
    if winner == "draw":
        return "draw" in text.lower()
    if winner == "none":
        return "both lose" in text.lower()
    sign = "●" if winner == "a" else "■"
    return f"{NAMES[winner]} won" in text or f"{sign} won" in text  # type: ignore[index]


def told_to_the_other(
    scene: Scene, side: Side, place: Place, result: Result, winner: str, step_word: str, labels: dict[str, str]
) -> list[str]:
    """What of `result` the question did not say; the scene is turned to `side`."""
    says = scene.all_text().replace("\u00a0", " ")
    first: Side = side if place.facing == "opposite" else "a"
    missing = []

    def pair(a: Any, b: Any) -> str:
        return f"{a}:{b}" if first == "a" else f"{b}:{a}"

    if not names_winner(says, winner):
        missing.append(f"the winner ({winner}) is not named: {says}")
    if labels.get("score") is not None:
        columns = {}
        if isinstance(scene, FiguresScene):
            columns = {SIGNS[column.sign]: number(column.figure) for column in (scene.left, scene.right)}
        elif isinstance(scene, TextScene):
            one, two = (winner, other_side(winner)) if winner in ("a", "b") else (first, other_side(first))  # type: ignore
            if f" {result.score.of(one)}:{result.score.of(two)}" in scene.title:  # type: ignore[arg-type]
                columns = {"a": result.score.a, "b": result.score.b}
        if columns != {"a": result.score.a, "b": result.score.b}:
            missing.append(f"the score {result.score} is not shown: {says}")
    extra = {key: value for key, value in (result.timeout or {}).items() if isinstance(value, dict) and key != "score"}
    extra |= {key: {"a": pair.a, "b": pair.b} for key, pair in result.figures.items() if key != "score"}
    if (drawn := (result.timeout or {}).get("drawn_games")) is not None and f"drawn games {drawn}" not in says:
        missing.append(f"the drawn games ({drawn}) are not shown: {says}")
    for key, value in extra.items():
        if any(isinstance(each, str) for each in value.values()):
            shown = {
                whose: WORDS(f"form.option.{each}") if f"form.option.{each}" in WORDS else each
                for whose, each in value.items()
            }
            if pair(shown["a"], shown["b"]) not in says:
                missing.append(f"{key} {value} is not shown: {says}")
            continue
        if f"{labels[key]} {pair(value['a'], value['b'])}".lower() not in says.lower():
            missing.append(f"{key} {value} is not shown: {says}")
    if result.picks:
        letters = {side: "".join("ABCD"[squad - 1] for squad in squads) for side, squads in result.picks.items()}
        if pair(letters.get("a", "–"), letters.get("b", "–")) not in says:
            missing.append(f"squads {result.picks} are not shown: {says}")
    if result.initiative and f"initiative {'●' if result.initiative == 'a' else '■'}" not in says:
        missing.append(f"the initiative is not shown: {says}")
    # Who wins by having begun is named as the winner.
    by_beginning = (result.timeout or {}).get("decided_by") == "first_player" and winner == result.first_player
    began = WORDS("step.first_player") if by_beginning else f"first {'●' if result.first_player == 'a' else '■'}"
    if result.first_player and began not in says:
        missing.append(f"the first player is not shown: {says}")
    if step_word and step_word not in says:
        missing.append(f"the step that decided ({step_word}) is not named: {says}")
    if result.conceded_by and f"{'●' if result.conceded_by == 'a' else '■'} conceded" not in says:
        missing.append(f"the concession is not shown: {says}")
    return missing
