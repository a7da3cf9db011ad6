"""A whole event played by people while everything around them fails: who is killed when is drawn by a seed."""

import contextlib
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hostile_network import CALM, Faults, HostileNetwork
from ledger import Ledger
from people import Memory, Pair, Score

from console_client import ConsoleClient, HubRefused
from kit import PIN, Kit, Table, wait_until

ROUND_WITHIN_S = 900.0
"""A round of a few tables takes its people half a minute without faults, on a quiet machine."""
PATIENCE_S = 240.0
"""For anything else that is a matter of seconds."""
AGAIN_S = 0.3
SEEN_BEFORE_ANSWERED = 8


@dataclass
class Totals:
    """What was done to the kit, and what came of it."""

    done: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    results: int = 0
    asked: Counter[str] = field(default_factory=Counter)  # entries of calls and wishes, by kind

    def line(self) -> str:
        return ", ".join(
            [
                f"{self.rounds} rounds",
                f"{self.results} results",
                *(f"{n} {what}" for what, n in sorted((self.done + self.asked).items())),
            ]
        )


class ChaosKit(Kit):
    """A kit whose units reach their hub through a hostile network, and whose tables have people."""

    def __init__(self, folder: Path, tables: int, players: int, seed: int, corrections: bool = True) -> None:
        self.network: HostileNetwork | None = None
        super().__init__(folder, tables, players)
        self.network = HostileNetwork(self.port, seed)
        self.memories = {n: Memory() for n in range(1, tables + 1)}
        self.pairs: dict[int, Pair] = {}
        self._seed = seed
        self._corrections = corrections
        for number in range(1, tables + 1):
            self._configure(number)

    def _configure(self, number: int) -> None:
        port, self.port = self.port, self.network.port if self.network else self.port
        super()._configure(number)
        self.port = port

    def sit_down(self) -> None:
        """Every table has its unit and its people."""
        for number in self.memories:
            self.start_table(number)
            self.pairs[number] = Pair(_Front(self, number), self._seed, self.memories[number], self._corrections)
            self.pairs[number].start()

    def stop(self) -> None:
        for pair in self.pairs.values():
            pair.stop()
        super().stop()
        if self.network:
            self.network.close()


def meant_at(pair: Pair) -> Callable[[tuple[str, str]], list[Score | None]]:
    """What the people of a match want to stand there, first and in the end."""
    return lambda players: [pair.meant(players), pair.corrected(players)]


class _Front:
    """The front of a table as it is now: its unit may be another process than a moment ago."""

    def __init__(self, kit: ChaosKit, number: int) -> None:
        self._kit = kit
        self._number = number

    @property
    def text(self) -> str:
        return self._table().text

    def tap(self, *pins: str) -> None:
        self._table().tap(*pins)

    def hold_together(self, *pins: str) -> None:
        self._table().hold_together(*pins)

    def _table(self) -> Table:
        return self._kit.tables[self._number]


class Trouble(threading.Thread):
    """Kills and freezes hub and units, one after the other, until it is told to stop or has done enough."""

    def __init__(self, kit: ChaosKit, seed: int, enough: int, pause_s: tuple[float, float], totals: Totals) -> None:
        super().__init__(daemon=True)
        self._kit = kit
        self._chance = random.Random(seed)
        self._enough = enough
        self._pause_s = pause_s
        self._totals = totals
        self._told = threading.Event()
        self.quiet = threading.Lock()
        """Whoever holds it is not disturbed."""
        self.failed: BaseException | None = None

    def stop(self) -> None:
        self._told.set()
        self.join(PATIENCE_S)

    def run(self) -> None:
        try:
            for _ in range(self._enough):
                if self._told.wait(self._chance.uniform(*self._pause_s)):
                    return
                what = self._chance.choices([self._kill_hub, self._kill_unit, self._freeze, self._cut], [4, 4, 2, 1])[0]
                with self.quiet:
                    what()
        except BaseException as failed:
            self.failed = failed

    def _kill_hub(self) -> None:
        if self._kit.hub is None:
            # The second Pi is the hub now, and not ours to start again.
            self._kill_unit()
            return
        _killed(self._kit.hub)
        self._totals.done["kills of the hub"] += 1
        self._told.wait(self._chance.choice((0, 0, 0.5)))
        self._kit.start_hub()

    def _kill_unit(self) -> None:
        number = self._chance.choice(sorted(self._kit.units))
        _killed(self._kit.units[number])
        self._totals.done["kills of units"] += 1
        self._kit.start_table(number)

    def _freeze(self) -> None:
        """Somebody's card takes a while."""
        candidates = [p for p in [self._kit.hub, *self._kit.units.values()] if p is not None and p.poll() is None]
        process = self._chance.choice(candidates)
        process.send_signal(signal.SIGSTOP)
        self._totals.done["freezes"] += 1
        self._told.wait(self._chance.uniform(0.1, 4.0))
        process.send_signal(signal.SIGCONT)

    def _cut(self) -> None:
        self._kit.network.cut_all()
        self._totals.done["cuts of every connection"] += 1


def _killed(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


class Organizer:
    """Leads the event over the console; whatever fails is looked at again before it is done again."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._event = kit.event
        self._console: ConsoleClient | None = None
        self._seen: Counter[str] = Counter()
        """How often each open call and wish was looked at: nobody is answered at once."""

    def export(self) -> dict[str, Any]:
        """The event file."""
        found: dict[str, Any] = self._again(lambda console: console.export(self._event))
        return found

    def post(self, what: str, done: Callable[[dict[str, Any]], bool], **fields: object) -> None:
        """Do it, until the event shows that it is done: an answer may be lost, and a hub be dead."""
        give_up = time.monotonic() + ROUND_WITHIN_S
        while not done(self.export()):
            assert time.monotonic() < give_up, f"{what} {fields} is not done"
            self.judge()
            try:
                self._with_console(lambda console: console.post(f"/console/{self._event}/{what}", **fields))
            except HubRefused:
                self._console = None
                time.sleep(AGAIN_S)

    def goes_to_another_hub(self) -> None:
        self._console = None

    def judge(self) -> None:
        """Both sides of a match have agreed a second time: the judge believes them. Who has called a judge is told to
        go on, and every second who wants to drop, to stay."""
        ledger = Ledger(self._kit.hub_folder, self._event)
        for match, sources in ledger.open_calls().items():
            self._seen[match] += 1
            if self._seen[match] < SEEN_BEFORE_ANSWERED:
                continue
            with contextlib.suppress(HubRefused):
                self._with_console(
                    lambda console, match=match: console.post(f"/console/{self._event}/call/settled", match=match)
                )
                for source in sources:
                    pair = self._kit.pairs[int(source.rpartition("-")[2])]  # type: ignore[attr-defined]
                    pair.visited.add(ledger.matches()[int(match.split(".")[0]), match].players)
        for who in ledger.open_wishes():
            self._seen[who] += 1
            if who[-1] in "02468" and self._seen[who] > SEEN_BEFORE_ANSWERED:
                with contextlib.suppress(HubRefused):
                    self._with_console(
                        lambda console, who=who: console.post(f"/console/{self._event}/leave/refused", who=who)
                    )
        for (_, match), account in ledger.matches().items():
            if account.second:
                with contextlib.suppress(HubRefused):
                    self._with_console(
                        lambda console, match=match, account=account: console.post(
                            f"/console/{self._event}/accept",
                            match=match,
                            side="a",
                            number=account.numbers["a"],
                            revision=len(account.stood) - 1,
                        )
                    )

    def _again(self, what: Callable[[ConsoleClient], Any]) -> Any:
        give_up = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self._with_console(what)
            except HubRefused:
                self._console = None
                if time.monotonic() > give_up:
                    raise
                time.sleep(AGAIN_S)

    def _with_console(self, what: Callable[[ConsoleClient], Any]) -> Any:
        self._console = self._console or ConsoleClient(self._kit.url, PIN)
        return what(self._console)


def open_tables(event: dict[str, Any]) -> list[int]:
    """Tables of the last round without a result."""
    matches = event["rounds"][-1]["matches"] if event["rounds"] else []
    return [match["table"] for match in matches if match.get("table") and "result" not in match]


Disaster = Callable[[ChaosKit, int], None]
"""Something that a whole hub comes to in the middle of a round, told which one; nobody is killed meanwhile."""


def played_under_fire(
    kit: ChaosKit,
    seed: int,
    rounds: int,
    kills: int,
    pause_s: tuple[float, float],
    faults: Faults,
    disaster: Disaster | None = None,
    totals: Totals | None = None,
) -> Totals:
    """Play `rounds` of the kit's event with so many strokes of trouble, then let everybody come to rest; what was done
    is counted in `totals`, which is returned."""
    totals = totals or Totals()
    assert kit.network is not None
    if kit.hub is None:
        kit.start_hub()
    kit.sit_down()
    organizer = Organizer(kit)
    trouble = Trouble(kit, seed, kills, pause_s, totals)
    kit.network.faults = faults
    trouble.start()
    try:
        for number in range(1, rounds + 1):
            if number > 1:
                organizer.post("draw", lambda event, n=number: _drawn(kit, n), attempt=0)
                organizer.post("publish", lambda event, n=number: len(event["rounds"]) >= n, number=number, attempt=1)
            if disaster is not None:
                _wait_for_some(organizer, kit)
                with trouble.quiet:
                    disaster(kit, number)
                    organizer.goes_to_another_hub()
            _played(organizer, kit)
            totals.rounds += 1
        # Who was not hit in the middle of a round is hit after it.
        trouble.join()
    finally:
        trouble.stop()
        kit.network.faults = CALM
    if trouble.failed is not None:
        raise trouble.failed
    totals.results = sum(len(memory.shown) for memory in kit.memories.values())
    totals.asked = Ledger(kit.hub_folder, kit.event).asked()
    totals.done.update({f"requests {what}": n for what, n in kit.network.met.items() if what != "passed"})
    _at_rest(kit, organizer)
    return totals


def _drawn(kit: ChaosKit, number: int) -> bool:
    """Whether this round is drawn, by the journal on the disk: the event file tells of published rounds only."""
    return any(entry.kind == "round-drawn" and entry.data["number"] == number for entry in kit.entries())


def _wait_for_some(organizer: Organizer, kit: ChaosKit) -> None:
    """Somebody has reported in this round, and others have not. The judge goes round meanwhile: no table reports while
    it waits for one."""

    def reported() -> bool:
        organizer.judge()
        return any(
            account.reports
            for (number, _), account in Ledger(kit.hub_folder, kit.event).matches().items()
            if number == _round_now(kit)
        )

    wait_until(reported, "a report", ROUND_WITHIN_S, AGAIN_S)


def _round_now(kit: ChaosKit) -> int:
    return max(number for number, _ in Ledger(kit.hub_folder, kit.event).matches())


def _played(organizer: Organizer, kit: ChaosKit) -> None:
    give_up = time.monotonic() + ROUND_WITHIN_S
    while tables := open_tables(organizer.export()):
        if time.monotonic() > give_up:
            screens = {n: kit.tables[n].texts[-3:] for n in tables}
            raise AssertionError(f"no result at {tables}: {screens}")
        organizer.judge()
        time.sleep(AGAIN_S)


def _at_rest(kit: ChaosKit, organizer: Organizer) -> None:
    """Everything runs, nothing is under way: each table shows what stands."""
    if kit.hub is not None and kit.hub.poll() is not None:
        kit.start_hub()
    for number, process in kit.units.items():
        if process.poll() is not None:
            kit.start_table(number)
    for number in kit.memories:
        try:
            wait_until(
                lambda n=number: _shows_what_stands(kit, organizer, n), f"table {number} to come to rest", PATIENCE_S
            )
        except AssertionError as late:
            here = [
                account
                for account in Ledger(kit.hub_folder, kit.event).matches().values()
                if kit.pairs[number].saved and account.players == kit.pairs[number].saved.players
            ]
            raise AssertionError(f"{late}: it shows {kit.tables[number].texts[-4:]}, on record is {here}") from None
    # While one table came to rest, the judge may have mended another's result.
    wait_until(
        lambda: all(_shows_what_stands(kit, organizer, number) for number in kit.memories),
        "all tables to rest together",
        PATIENCE_S,
    )


def _shows_what_stands(kit: ChaosKit, organizer: Organizer, number: int) -> bool:
    organizer.judge()
    saved = kit.pairs[number].saved
    shown = "judge" if saved is not None and not saved.number else f"#{saved.number}" if saved is not None else ""
    text = kit.tables[number].text
    if saved is None or (shown not in text and text.count("drops") < 2):
        return False
    accounts = Ledger(kit.hub_folder, kit.event).matches().values()
    return any(
        account.players == saved.players
        and not account.second
        and saved.score == account.agreed
        and (not saved.number or (saved.score, saved.number) in account.stands_by())
        for account in accounts
    )
