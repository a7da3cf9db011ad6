"""The hub's time of day: doubted where nobody can know it, set by an organizer's browser; no round hangs on it."""

import logging
from contextlib import closing
from datetime import UTC, datetime

import pytest
from hub_kit import HandClock, make_event, running

import event_kit
from faults import fails
from roundtap_core.event import commands as c
from roundtap_hub.http.tls import CertificateNames, Certificates
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.own_machine import BEHIND, UNSET, UNSURE, HallTime, has_clock
from roundtap_machine.root_steps import EARLIEST_S, LATEST_S, StepRefused

NOW_S = datetime(2027, 3, 6, 14, 32, tzinfo=UTC).timestamp()
NEVER_S = 12.0
IN_2038_S = datetime(2038, 1, 19, 4, tzinfo=UTC).timestamp()


class Machine:
    """A machine, its clocks, and what root does with them."""

    def __init__(self, folder=None, system_s=NOW_S, boot="boot-1"):
        self.folder, self.system_s, self.boot = folder, system_s, boot
        self.mono_ms, self.synced, self.own_clock, self.root = 50_000, False, False, True
        self.time = self.started()

    def started(self):
        return HallTime(
            self.folder,
            self.boot,
            lambda: self.mono_ms,
            lambda: self.system_s,
            lambda: self.synced,
            lambda: self.own_clock,
            self.ask_root,
        )

    def ask_root(self, step, seconds):
        if not self.root:
            raise FileNotFoundError(step)
        self.system_s = float(seconds)
        return {"done": True}

    def pass_ms(self, ms):
        self.mono_ms += ms
        self.system_s += ms / 1000


@pytest.mark.parametrize(
    ("system_s", "synced", "own_clock", "doubt"),
    [
        (NEVER_S, False, True, UNSET),
        (NEVER_S, False, False, UNSET),
        (EARLIEST_S - 1, True, True, UNSET),
        (EARLIEST_S, True, True, ""),
        (LATEST_S, True, True, UNSET),
        (NOW_S, False, False, UNSURE),
        (NOW_S, True, False, ""),
        (NOW_S, False, True, ""),
    ],
)
def test_what_is_doubted(system_s, synced, own_clock, doubt):
    machine = Machine(system_s=system_s)
    machine.synced, machine.own_clock = synced, own_clock
    assert machine.time.doubt() == doubt
    assert (machine.time.wall() is None) == (doubt == UNSET)


def test_a_clock_that_is_behind_what_was_written_is_doubted(tmp_path):
    import os

    (tmp_path / "roundtap.db").write_text("")
    os.utime(tmp_path / "roundtap.db", (NOW_S, NOW_S))
    machine = Machine(tmp_path, NOW_S - 3600)
    machine.own_clock = True
    assert machine.time.doubt() == BEHIND
    machine.synced = True
    assert machine.time.doubt() == "", "the network knows better"


def test_a_year_that_somebody_s_browser_had_wrong_is_not_held_against_every_later_start(tmp_path):
    """What was written under the wrong time bears it for ever; set right again, the hub asks nobody for it."""
    import os

    machine = Machine(tmp_path, NOW_S)
    machine.own_clock = True
    machine.time.set_to(int(IN_2038_S * 1000))
    (tmp_path / "keys.json").write_text("{}")
    os.utime(tmp_path / "keys.json", (IN_2038_S + 60, IN_2038_S + 60))
    machine.pass_ms(120_000)
    machine.time.set_to(int((NOW_S + 120) * 1000))
    machine.boot = "boot-2"
    assert machine.started().doubt() == ""
    machine.system_s = NOW_S - 86_400
    (tmp_path / "pin").write_text("")
    os.utime(tmp_path / "pin", (NOW_S, NOW_S))
    assert machine.started().doubt() == BEHIND, "what was written at the right time still counts"


def test_a_browser_sets_the_machine_s_clock():
    machine = Machine(system_s=NEVER_S)
    assert machine.time.set_to(int(NOW_S * 1000))
    assert machine.system_s == NOW_S
    assert machine.time.wall() == "2027-03-06T14:32:00+00:00"
    assert machine.time.doubt() == ""


def test_where_the_machine_s_cannot_be_set_the_hub_keeps_it_for_itself():
    machine = Machine(system_s=NEVER_S)
    machine.root = False
    assert not machine.time.set_to(int(NOW_S * 1000))
    assert (machine.system_s, machine.time.wall()) == (NEVER_S, "2027-03-06T14:32:00+00:00")
    machine.pass_ms(61_000)
    assert machine.time.wall() == "2027-03-06T14:33:01+00:00"
    machine.system_s = IN_2038_S
    assert machine.time.wall() == "2027-03-06T14:33:01+00:00", "whatever becomes of the machine's"


def test_once_the_network_knows_it_is_believed():
    machine = Machine(system_s=NEVER_S)
    machine.root = False
    machine.time.set_to(int(NOW_S * 1000))
    machine.synced, machine.system_s = True, NOW_S + 500
    assert machine.time.now_s() == NOW_S + 500


def test_what_was_offered_outlives_the_hub_but_not_the_machine(tmp_path):
    machine = Machine(tmp_path, NEVER_S)
    machine.root = False
    machine.time.set_to(int(NOW_S * 1000))
    machine.pass_ms(5000)
    assert machine.started().now_s() == NOW_S + 5
    machine.boot, machine.mono_ms = "boot-2", 3000
    assert machine.started().doubt() == UNSET


@pytest.mark.parametrize("epoch_ms", [0, -5, int(EARLIEST_S * 1000) - 1, int(LATEST_S * 1000), 10**15])
def test_no_time_at_all_is_refused_and_changes_nothing(epoch_ms):
    machine = Machine(system_s=NOW_S)
    with event_kit.refused("hall_time_implausible"):
        machine.time.set_to(epoch_ms)
    assert machine.system_s == NOW_S
    assert machine.time.doubt() == UNSURE


def test_what_root_refuses_is_kept():
    machine = Machine(system_s=NEVER_S)

    time = HallTime(
        None, "b", lambda: 0, lambda: NEVER_S, lambda: False, lambda: False, fails(StepRefused("implausible"))
    )
    assert not time.set_to(int(NOW_S * 1000))
    assert time.now_s() == NOW_S
    assert machine.system_s == NEVER_S


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"boot": "boot-1"}', '{"boot": "boot-1", "offered": [1]}'])
def test_a_file_that_is_none_is_no_time(tmp_path, text, caplog):
    (tmp_path / "hall-time.json").write_text(text)
    caplog.set_level(logging.WARNING)
    assert Machine(tmp_path).time.now_s() == NOW_S


def test_only_a_pi_without_a_clock_is_doubted(tmp_path):
    rtc, model = tmp_path / "hctosys", tmp_path / "model"
    assert has_clock(rtc, model), "no Pi"
    model.write_bytes(b"Raspberry Pi 4 Model B Rev 1.4\0")
    assert not has_clock(rtc, model)
    rtc.write_text("0\n")
    assert not has_clock(rtc, model), "it is there, and was not asked"
    rtc.write_text("1\n")
    assert has_clock(rtc, model)


# --- nothing hangs on it ---


@pytest.mark.parametrize("jumps", [(NEVER_S, NOW_S), (IN_2038_S, NOW_S), (NOW_S, NEVER_S, IN_2038_S, NOW_S)])
def test_a_running_round_does_not_notice(tmp_path, jumps):
    machine, hand = Machine(system_s=NOW_S), HandClock()
    clocks = Clocks(hand.boot_id, lambda: hand.ms, machine.time.wall)
    with running(tmp_path / "hub.db", clocks) as service:
        make_event(service)
        service.execute_one("e1", c.SetClock("start"), "organizer")
        total_ms = service.snapshot.events["e1"].clock.total_ms
        for number, system_s in enumerate(jumps, start=1):
            machine.system_s = system_s
            hand.ms += 60_000
            service.checkpoint()
            service.execute_one("e1", c.SetClock("adjust", 0), "organizer")
            clock = service.snapshot.events["e1"].clock
            assert clock.remaining_at(clocks.now()) == total_ms - number * 60_000
    with closing(Journal(f"sqlite:///{tmp_path / 'hub.db'}")) as again:
        walls = [entry.at.wall for entry in again.streams()["e1"]][-len(jumps) :]
        assert [wall and wall[:4] for wall in walls] == [
            None if system_s == NEVER_S else str(datetime.fromtimestamp(system_s, UTC).year) for system_s in jumps
        ]


@pytest.mark.parametrize("first_s", [0.0, NEVER_S, datetime(2000, 1, 1, tzinfo=UTC).timestamp()])
def test_a_certificate_that_was_made_without_a_clock_is_valid_once_there_is_one(tmp_path, first_s):
    machine = Machine(system_s=first_s)
    names = CertificateNames(("hub.local",), ("10.42.0.1",))
    certificates = Certificates(tmp_path, lambda: names, machine.time.now)
    assert valid_at(tmp_path, EARLIEST_S + 86_400 * 20)
    machine.time.set_to(int(NOW_S * 1000))
    certificates.renew()
    assert valid_at(tmp_path, NOW_S)


def test_a_certificate_of_a_clock_that_was_ahead_is_made_anew_once_that_is_set_right(tmp_path):
    machine = Machine(system_s=IN_2038_S)
    names = CertificateNames(("hub.local",), ("10.42.0.1",))
    certificates = Certificates(tmp_path, lambda: names, machine.time.now)
    assert not valid_at(tmp_path, NOW_S)
    machine.time.set_to(int(NOW_S * 1000))
    assert certificates.renew()
    assert valid_at(tmp_path, NOW_S)


def valid_at(folder, seconds):
    from cryptography import x509

    leaf = x509.load_pem_x509_certificate((folder / "tls" / "hub.crt").read_bytes())
    at = datetime.fromtimestamp(seconds, UTC)
    return leaf.not_valid_before_utc <= at <= leaf.not_valid_after_utc
