"""What a hub comes to in the middle of an event: its card dies, and a backup takes its place, or a second Pi does."""

import contextlib
import io
import time
from contextlib import closing
from pathlib import Path

from campaign import AGAIN_S, PATIENCE_S, ChaosKit
from hostile_network import CALM
from ledger import Ledger

from console_client import ConsoleClient, HubRefused
from kit import PIN, wait_until
from roundtap.main import main
from roundtap_hub.store.backups import make_backup
from roundtap_hub.store.head_file import HEAD_FILE, read_head_file
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.read_model import read_venue
from roundtap_hub.store.venue import Venue
from roundtap_units.link.outbox import StoredView
from standby_kit import StandbyKit, answers


class DeadCard:
    """In round `number` the hub's card dies; a backup from before that round is restored on another machine, and an
    organizer adopts what the tables hold."""

    def __init__(self, kit: ChaosKit, number: int) -> None:
        self._kit = kit
        self._number = number
        self._backup: Path | None = None

    def __call__(self, kit: ChaosKit, number: int) -> None:
        if number == self._number - 1:
            self._backup = self._backed_up()
        elif number == self._number:
            assert self._backup is not None
            # A table that has not been told of the round knows nothing of it, and the organizer would have to.
            wait_until(
                lambda: all(self._holds(unit) == number for unit in kit.memories), "the round at all tables", PATIENCE_S
            )
            self._dies(self._backup)

    def _holds(self, unit: int) -> int | None:
        """Of which round the unit's disk has the pairing."""
        held = StoredView(self._kit.folder / f"unit-{unit}" / "view.json").held_match()
        return None if held is None else int(held["round"])

    def _backed_up(self) -> Path:
        kit = self._kit
        named = read_head_file(kit.hub_folder / HEAD_FILE)
        assert named is not None
        return make_backup(kit.hub_folder, kit.folder / "stick", named, "2026-11-22T04:00")

    def _dies(self, backup: Path) -> None:
        kit = self._kit
        kit.hub.kill()
        kit.hub.wait()
        again = kit.folder / "another machine"
        with contextlib.redirect_stdout(io.StringIO()):
            assert main(["recover", "--from", str(backup), "--data", str(again)]) == 0
        kit.hub_folder = again
        kit.start_hub()
        # Somebody walks round and looks that every table has light.
        for unit, process in kit.units.items():
            if process.poll() is not None:
                kit.start_table(unit)
        wait_until(lambda: len(self._venue_heard()) == len(kit.memories), "all tables to be heard", PATIENCE_S)
        console = ConsoleClient(kit.url, PIN)
        self._settle(console)

    def _venue_heard(self) -> dict[str, object]:
        afresh = self._venue().restore_state
        return dict(afresh.heard) if afresh is not None else {}

    def _venue(self) -> Venue:
        with closing(Journal(f"sqlite:///{self._kit.hub_folder / 'roundtap.db'}", read_only=True)) as journal:
            return read_venue(journal, Venue())

    def _settle(self, console: ConsoleClient) -> None:
        """Adopt the lost round as the tables hold it, then say that all is settled: again and again, as units are
        still bringing reports."""
        give_up = time.monotonic() + PATIENCE_S
        while (afresh := self._venue().restore_state) is not None:
            marks = {
                (held["round"], held["draw"])
                for heard in afresh.heard.values()
                if (held := heard.holds) and held["event"] == self._kit.event
            }
            known = {number for number, _ in Ledger(self._kit.hub_folder, self._kit.event).matches()}
            try:
                for number, mark in sorted(marks):
                    if number not in known:
                        console.post("/console/restored/adopt", event=self._kit.event, number=number, mark=mark)
                console.post("/console/restored/settled")
            except HubRefused as problem:
                if time.monotonic() > give_up:
                    raise AssertionError(f"the restored hub cannot be settled: {problem}") from problem
                time.sleep(AGAIN_S)


class StandbyChaosKit(ChaosKit, StandbyKit):
    """A kit with hostile network, people, and a second Pi."""

    def take_over(self) -> None:
        """The hub is killed and the key turned at the second Pi: it is the hub from now on."""
        self.kill_hub()
        self.promote()
        self.hub_folder, self.port, self.hub = self.standby_folder, self.second_port, None

    def start_hub(self, crash_at: str | None = None, wrapper: tuple[str, ...] = ()) -> None:
        if self.hub_folder != self.standby_folder:
            super().start_hub(crash_at, wrapper)


class SecondPi:
    """In round `number` the hub dies, and the second Pi takes its place."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __call__(self, kit: ChaosKit, number: int) -> None:
        assert isinstance(kit, StandbyChaosKit)
        if number == self._number:
            assert kit.network is not None
            kit.take_over()
            # Units know both addresses; who is still told the old one is led to the new hub as by a cable.
            kit.network.hub_port = kit.port
            kit.network.faults = CALM
            wait_until(lambda: answers(kit.port), "the second Pi to serve", PATIENCE_S)
