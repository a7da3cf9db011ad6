"""The database's clock on several machines: near it, never backwards, and not thrown by a jump."""

import random
import threading

import psycopg
import pytest

from roundtap_core.errors import Problem
from roundtap_hub.store.journal import database_url
from roundtap_hub.store.postgres import AGAIN_S, ClockSample, DatabaseClock, SharedClock, sample_clock

SECOND_US = 1_000_000


class Machine:
    """A hub's machine with a monotonic clock of its own, the database at the other end of a line, and chance."""

    def __init__(self, drift: float = 0.0, seed: int = 1) -> None:
        self.true_us = 0
        self.drift = drift
        self.jump_us = 0
        self.random = random.Random(seed)

    def now_us(self) -> int:
        return 7_000_000 + int(self.true_us * (1 + self.drift))

    def database_us(self) -> int:
        return 1_800_000_000 * SECOND_US + self.true_us + self.jump_us

    def ask(self) -> int:
        self.true_us += self.random.randint(100, 20_000)
        said = self.database_us()
        self.true_us += self.random.randint(100, 20_000)
        return said

    def samples(self) -> list[ClockSample]:
        return [sample_clock(self.ask, self.now_us) for _ in range(16)]

    def pass_s(self, seconds: float) -> None:
        self.true_us += int(seconds * SECOND_US)


def off_us(machine: Machine, clock: SharedClock) -> int:
    return abs(clock.read_us() - (machine.database_us() - machine.jump_us))


def test_a_round_trip_knows_how_wrong_it_may_be() -> None:
    machine = Machine()
    for _ in range(100):
        taken = sample_clock(machine.ask, machine.now_us)
        assert abs(taken.offset_us - (machine.database_us() - machine.now_us())) <= taken.error_us


@pytest.mark.parametrize("drift", [0.0, 40e-6, -40e-6])
def test_hubs_stay_within_a_few_milliseconds_of_each_other_for_a_day(drift: float) -> None:
    machine = Machine(drift)
    clock = SharedClock(machine.samples(), machine.now_us)
    worst = 0
    for _ in range(24 * 60):
        machine.pass_s(AGAIN_S)
        worst = max(worst, off_us(machine, clock))
        clock.add_samples(machine.samples())
    assert worst < 15_000


def test_it_never_runs_backwards() -> None:
    machine = Machine(drift=200e-6)
    clock, last = SharedClock(machine.samples(), machine.now_us), 0
    for _ in range(500):
        clock.add_samples(
            [
                ClockSample(
                    machine.now_us(),
                    machine.database_us() - machine.now_us() + machine.random.randint(-900_000, 900_000),
                    machine.random.randint(1, 100),
                )
            ]
        )
        for _ in range(20):
            machine.true_us += machine.random.randint(0, 2000)
            now = clock.read_us()
            assert now >= last
            last = now


def test_a_new_offset_is_worked_in_slowly() -> None:
    machine = Machine()
    clock = SharedClock([ClockSample(machine.now_us(), 1_800_000_000 * SECOND_US, 10)], machine.now_us)
    clock.add_samples([ClockSample(machine.now_us(), 1_800_000_000 * SECOND_US + 50_000, 1)])
    before, at = clock.read_us(), machine.now_us()
    machine.pass_s(10)
    assert clock.read_us() - before == pytest.approx(machine.now_us() - at + 10_000, abs=2)
    machine.pass_s(60)
    assert clock.read_us() == machine.now_us() + 1_800_000_000 * SECOND_US + 50_000


@pytest.mark.parametrize("jump_s", [3600, -3600, 1.5])
def test_a_jump_of_the_database_s_clock_is_said_and_not_followed(
    jump_s: float, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine()
    clock = SharedClock(machine.samples(), machine.now_us)
    machine.jump_us = int(jump_s * SECOND_US)
    for _ in range(5):
        machine.pass_s(AGAIN_S)
        clock.add_samples(machine.samples())
        assert off_us(machine, clock) < 15_000
    assert caplog.text.count("jumped by") == 1


def test_two_hubs_on_one_database_show_the_same_time(url: str) -> None:
    first, second = DatabaseClock(database_url(url)), DatabaseClock(database_url(url))
    assert first.clocks.boot_id == second.clocks.boot_id
    assert first.clocks.boot_id.startswith("db:")
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint").fetchone()
    assert row
    for clock in (first, second):
        # A round trip tells the time to a few milliseconds, either way.
        assert abs(clock.clocks.mono_ms() - row[0]) < 60_000
        assert str(clock.clocks.wall())[:4].isdigit()


def test_somebody_without_privileges_may_ask(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("DO $$BEGIN CREATE ROLE plain LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END$$")
    assert DatabaseClock(database_url(url.replace("roundtap@", "plain@"))).clocks.boot_id.startswith("db:")


@pytest.mark.parametrize(
    "text", ["postgresql://hall:secret@127.0.0.1", "mysql://hall:secret@127.0.0.1/roundtap", "hall"]
)
def test_an_address_without_a_database_or_of_another_kind_is_no_address(text: str) -> None:
    with pytest.raises(Problem) as caught:
        database_url(text)
    assert caught.value.key == "database_address"
    assert "secret" not in str(caught.value)


def test_a_database_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(Problem) as caught:
        DatabaseClock(database_url("postgresql://hall:secret@127.0.0.1:1/roundtap"))
    assert caught.value.key == "database_not_usable"
    assert "postgresql://hall@127.0.0.1:1/roundtap" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_it_stops_when_told(url: str) -> None:
    clock = DatabaseClock(database_url(url))
    clock.start()
    clock.stop()
    assert not any(thread.name == "database-clock" for thread in threading.enumerate())
