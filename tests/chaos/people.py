"""Two people at a table: they read the screen, press what they mean, and remember what they were told."""

import random
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Protocol

SIGNS = {"●": "a", "■": "b"}
FIGURES = re.compile(r"● (?P<left>.*?) (?P<a>\d+) \| (?P<b>\d+) (?P<right>.*?) ■")
SAVED = re.compile(
    r"SAVED #(?P<number>\d+) \| (?:[●■] )?(?P<left>[^|]+?) (?P<a>\d+):(?P<b>\d+) (?P<right>[^|]+?)(?: [●■])? \|"
)
ASKED = re.compile(r"([●■]) yes")
ENTRY_HINT = re.compile(r"([●■]) (OK|next)")
STANDS = re.compile(
    r"● (?P<left>[^|]+) \| (?P<a>\d+):(?P<b>\d+) \| (?:#\d+|judge|drops|sending…) \| "
    r"■ (?P<right>[^|]+) \|"
)
"""A table that is done: both names and the result; its number is shown beside who does not want to drop, and never
after a judge's result."""
LOOK_S = 0.02
TAKEN_S = 2.0
"""Who sees nothing happen for so long presses again; on a busy machine a screen is not there at once."""
READ_S = 0.9
"""Longer than the table takes no answer to a new question."""

Score = tuple[int, int]


class Front(Protocol):
    """A table's buttons and screen."""

    @property
    def text(self) -> str: ...

    def tap(self, *pins: str) -> None: ...

    def hold_together(self, *pins: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Shown:
    """SAVED, as somebody read it: the players left and right, the result they had agreed on, the entry's number (0: a
    judge's result)."""

    players: tuple[str, str]
    score: Score
    number: int


@dataclass
class Memory:
    """What one table's people remember. `said`: every result that a person confirmed, by (players, side)."""

    shown: list[Shown] = field(default_factory=list)
    said: dict[tuple[tuple[str, str], str], set[Score]] = field(default_factory=dict)
    toggled: int = 0
    """How often they pressed what may call a judge, or take that back."""
    drops: dict[str, int] = field(default_factory=dict)
    """How often each person pressed that they want to drop."""
    promised: set[str] = field(default_factory=set)
    """Whose wish the screen said to be requested, since they last pressed."""


class Pair:
    """Plays one match after the other at a table, for as long as it runs: a thread that only reads and presses.

    Each match's result is drawn by a seed from the players' names, so that both mean the same; in some the other side
    says something else first, and gives in.
    """

    def __init__(self, front: Front, seed: int, memory: Memory, corrections: bool = True) -> None:
        self.front = front
        self._corrections = corrections
        self._seed = seed
        self.memory = memory
        self._stop = threading.Event()
        self._slipped: set[tuple[str, str]] = set()
        self._found_out: set[tuple[str, str]] = set()
        self._current: tuple[str, str] | None = None
        self._calling: tuple[str, str] | None = None
        self.visited: set[tuple[str, str]] = set()
        """Matches to which a judge has come."""
        self._thread = threading.Thread(target=self._play, daemon=True)
        self.saved: Shown | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def meant(self, players: tuple[str, str]) -> Score:
        """How this match ends: 100 for the winner, tens for the loser. What was found out later is `corrected`."""
        chance = random.Random(f"{self._seed}/{'/'.join(sorted(players))}")
        winner, tens = chance.choice(sorted(players)), chance.randrange(0, 6) * 10
        return (100, tens) if winner == players[0] else (tens, 100)

    def corrected(self, players: tuple[str, str]) -> Score | None:
        """In every sixth match both find out, after it was saved, that it was five tens more or less."""
        chance = random.Random(f"{self._seed}/corrected/{'/'.join(sorted(players))}")
        if not self._corrections or chance.random() >= 1 / 6:
            return None
        a, b = self.meant(players)
        return (a, (b + 50) % 100) if a == 100 else ((a + 50) % 100, b)

    def _now(self, players: tuple[str, str]) -> Score:
        """What both want to stand there just now."""
        return self.corrected(players) or self.meant(players) if players in self._found_out else self.meant(players)

    def _play(self) -> None:
        while not self._stop.is_set():
            try:
                self._look(self.front.text)
            except OSError:
                # The unit died just now; somebody brings it back.
                self._stop.wait(0.2)
            self._stop.wait(LOOK_S)

    def _look(self, text: str) -> None:
        players = _players(text)
        self._look_for_promise(text)
        if "JUDGE CALLED" in text:
            if self._calling is None:
                # A slip of the finger: ▼ twice.
                self._toggle_call()
            elif self._calling in self.visited:
                self._calling = None
                self._stop.wait(READ_S)
        elif self.saved is not None and text.startswith(f"SAVED #{self.saved.number} ") and self._drops(text):
            self._ask_to_drop(text, self.saved.players[1])
        elif found := SAVED.search(text):
            self._saved(found)
        elif found := STANDS.match(text):
            self._stands(text, found)
        elif "Right?" in text or ("yes" in text and FIGURES.search(text)):
            self._answer(text)
        elif "Which one?" in text:
            self._read(text, "up")
        elif "Who won?" in text or "DISPUTE" in text:
            self._who_won(text)
        elif (figures := FIGURES.search(text)) and ENTRY_HINT.search(text):
            self._dial(text, figures)
        elif "press button" in text or "Are you " in text:
            self._sit(text)
        elif "REFUSED" in text or "Changed at" in text or "dropped" in text or "Drop refused" in text:
            self._read(text, "a")
        elif players is not None and "?" not in text and "sending" not in text and "judge" not in text.lower():
            score = self.meant(players)
            if self._drawn("judge", players, 1 / 3) and players not in self.visited:
                self._calling = players
                self._toggle_call()
            else:
                self._calling = None
                self._press(text, "a" if score[0] == 100 else "b")

    def _drawn(self, what: str, players: tuple[str, str], share: float) -> bool:
        return random.Random(f"{self._seed}/{what}/{'/'.join(sorted(players))}").random() < share

    def _toggle_call(self) -> None:
        """Remembered before: a finger that came down may count. Whoever sees nothing happen presses again."""
        before = self.front.text
        self.memory.toggled += 1
        self.front.hold_together("up", "down")
        self._wait_for_other(before)

    def _drops(self, text: str) -> bool:
        """In a third of the matches whoever sits right asks to drop, once it is offered."""
        return "hold ■+▼" in text and self.saved is not None and self._drawn("drop", self.saved.players, 1 / 3)

    def _ask_to_drop(self, text: str, who: str) -> None:
        self.memory.drops[who] = self.memory.drops.get(who, 0) + 1
        self.memory.promised.discard(who)
        self.front.hold_together("b", "down")
        self._wait_for_other(text)

    def _look_for_promise(self, text: str) -> None:
        saved = self.saved
        if saved is not None and text.startswith(f"SAVED #{saved.number} ") and text.endswith("✓ drop requested"):
            self.memory.promised.add(saved.players[1])

    def _sit(self, text: str) -> None:
        self.front.tap("a", "b")
        self._stop.wait(0.1)

    def _who_won(self, text: str) -> None:
        if self._current is not None:
            score = self.meant(self._current)
            self._read(text, "a" if score[0] == 100 else "b")

    def _answer(self, text: str) -> None:
        figures, asked = FIGURES.search(text), ASKED.search(text)
        if figures is None or asked is None:
            return
        side, players = SIGNS[asked[1]], (figures["left"], figures["right"])
        self._current = players
        shown = (int(figures["a"]), int(figures["b"]))
        if shown == self._now(players):
            # Remembered before: a finger that came down may count, whatever dies meanwhile.
            self._remember(players, side, shown)
            self._read(text, side)
        else:
            self._read(text, "down")

    def _dial(self, text: str, figures: re.Match[str]) -> None:
        """One press at a time: what stands there may be gone with the unit's power."""
        hint = ENTRY_HINT.search(text)
        side, players = SIGNS[hint[1]], (figures["left"], figures["right"])
        self._current = players
        meant, shown = self._now(players), (int(figures["a"]), int(figures["b"]))
        score = self._slip(players) or meant
        winner = "a" if score[0] == 100 else "b"
        loser = 1 if winner == "a" else 0
        if shown[1 - loser] != 100:
            # Somebody else's entry, of another winner: back out of it.
            self._press(text, "b" if side == "a" else "a")
        elif shown[loser] % 10 and hint[2] == "OK" and shown[loser] // 10 != score[loser] // 10:
            # On the wheel of the ones, which only wraps; what was confirmed is not meant any more.
            self._press(text, "b" if side == "a" else "a")
        elif shown[loser] % 10 and hint[2] == "next" and shown[loser] // 10 == score[loser] // 10:
            self._press(text, side)
        elif shown[loser] != score[loser]:
            self._press(text, "up" if shown[loser] < score[loser] else "down")
        else:
            self._remember(players, side, shown)
            if score != meant and hint[2] == "OK" and "1–9" not in text:
                self._slipped.add(players)
            self._press(text, side)

    def _slip(self, players: tuple[str, str]) -> Score | None:
        """In every fourth match whoever enters first says ten points too many, once."""
        chance = random.Random(f"{self._seed}/slip/{'/'.join(sorted(players))}")
        if players in self._slipped | self._found_out or chance.random() >= 0.25:
            return None
        a, b = self.meant(players)
        return (a, b + 10) if a == 100 else (a + 10, b)

    def _remember(self, players: tuple[str, str], side: str, score: Score) -> None:
        self.memory.said.setdefault((players, side), set()).add(score)

    def _saved(self, found: re.Match[str]) -> None:
        """What they have just agreed on is on record, the figures between the names whose they are."""
        self._heard(Shown((found["left"], found["right"]), (int(found["a"]), int(found["b"])), int(found["number"])))

    def _stands(self, text: str, found: re.Match[str]) -> None:
        players = self._current = (found["left"].strip(), found["right"].strip())
        score = (int(found["a"]), int(found["b"]))
        number = re.search(r"#(\d+)", text)
        if number or "judge" in text:
            self._heard(Shown(players, score, int(number[1]) if number else 0))
        if score == self.meant(players) and self.corrected(players) and "judge" not in text.lower():
            self._found_out.add(players)
            self._press(text, "a" if score[0] == 100 else "b")

    def _heard(self, shown: Shown) -> None:
        if shown != self.saved:
            self.saved = shown
            self.memory.shown.append(shown)

    def _read(self, text: str, key: str) -> None:
        """Read it first; press only what still stands there."""
        self._stop.wait(READ_S)
        if self.front.text == text:
            self._press(text, key)

    def _press(self, text: str, key: str) -> None:
        if self.front.text != text:
            return
        self.memory.toggled += key == "down"
        self.front.tap(key)
        self._wait_for_other(text)

    def _wait_for_other(self, text: str) -> None:
        give_up = time.monotonic() + TAKEN_S
        while self.front.text == text and time.monotonic() < give_up and not self._stop.is_set():
            self._stop.wait(LOOK_S)


def _players(text: str) -> tuple[str, str] | None:
    """Who sits here, from the screen of a table that waits: "● Ana R. | 75:00 | ■ Bruno M. | …"."""
    found = re.match(r"● (?P<left>[^|]+) \| [^|]+ \| ■ (?P<right>[^|]+) \|", text)
    return (found["left"].strip(), found["right"].strip()) if found else None
