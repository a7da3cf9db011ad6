"""The print station on a real pseudo-terminal: true states, nothing twice, and free again after every fault."""

from contextlib import closing

import pytest

from gallery.on_paper import pairings_content, slip_content
from roundtap_core.messages import Job
from roundtap_devices.printing.ports import SerialPort
from roundtap_devices.printing.printer import Printer
from roundtap_devices.printing.printer_profiles import POS_5890
from roundtap_devices.virtual.virtual_printer import BYTES_PER_S, VirtualPrinter
from roundtap_units.station.main import Station
from roundtap_units.station.printer_desk import PrintLog, job_composer
from roundtap_units.unit_config import unit_words

STEP_MS = 20


class PaperHub:
    """The hub's side of the link: wants jobs until it is told that they were begun."""

    def __init__(self):
        self.wanted = []
        self.told = {}
        self.history = []

    def next_jobs(self):
        return [job for job in self.wanted if self.told.get(job.id, ("queued", ""))[0] == "queued"]

    def report(self, job_id, state, detail):
        self.told[job_id] = (state, detail)
        self.history.append((job_id, state))


class Desk:
    look_every_ms = None

    def __init__(self, folder):
        self.compose = job_composer(POS_5890, unit_words("pl"))
        self.log_path = folder / "printed.jsonl"
        self.hub = PaperHub()
        self.twin = VirtualPrinter(POS_5890)
        self.now_ms = 1000
        self.start()

    def start(self):
        self.log = PrintLog(self.log_path)
        interrupted = bool(self.log.in_state("sending"))
        self.printer = Printer(
            lambda: SerialPort(self.twin.device or "/dev/nowhere"),
            POS_5890,
            self.log.printer_answers,
            interrupted=interrupted,
            confirmed=True,
        )
        self.station = Station(self.hub, self.printer, self.log, self.compose, self.look_every_ms)

    def kill(self):
        """The power goes: only what is on the disk, and what the printer has, remains."""
        self.printer.close()
        self.log.close()

    def want(self, *ids, kind="slip"):
        content = slip_content("xwing-standard", ("Ana Ruiz", "Łukasz Żak")) if kind == "slip" else pairings_content(64)
        self.hub.wanted += [Job(i, kind, content) for i in ids]

    def step(self):
        self.now_ms += STEP_MS
        self.station.step(self.now_ms)
        self.twin.step(self.now_ms)

    def until(self, condition, limit_ms=200_000):
        for _ in range(limit_ms // STEP_MS):
            if condition():
                return
            self.step()
        raise AssertionError(f"not within {limit_ms} ms: {self.hub.told}")

    def settled(self, *ids):
        return lambda: all(self.hub.told.get(i, ("",))[0] not in ("", "queued", "sending") for i in ids)

    def rest(self, ms):
        for _ in range(ms // STEP_MS):
            self.step()

    @property
    def slips_on_paper(self):
        """Each slip is as tall as the others; half a one counts."""
        one = self.compose(Job("x", "slip", slip_content("xwing-standard", ("Ana Ruiz", "Łukasz Żak"))))
        return -(-(self.twin.paper.roll.height - POS_5890.tear_dots) // one.height_dots)


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path)
    yield made
    made.kill()
    made.twin.close()


def test_jobs_are_printed_one_after_the_other_and_their_states_are_told(desk):
    desk.want("s1", "s2", "s3")
    desk.until(desk.settled("s1", "s2", "s3"))
    assert [told for told in desk.hub.history if told[0] == "s2"] == [
        ("s2", "queued"),
        ("s2", "sending"),
        ("s2", "printed"),
    ]
    assert [i for i, state in desk.hub.history if state == "sending"] == ["s1", "s2", "s3"]
    assert desk.slips_on_paper == 3
    assert desk.twin.paper.unknown_bytes == []


@pytest.mark.parametrize("times", [4, 8])
def test_a_slow_printer_s_slips_are_printed_each_once_and_never_in_doubt(desk, times):
    desk.twin.close()
    desk.twin = VirtualPrinter(POS_5890, BYTES_PER_S // times)
    desk.want("s1", "s2")
    desk.until(desk.settled("s1", "s2"), 600_000)
    assert {state for _, state in desk.hub.history} == {"queued", "sending", "printed"}
    assert (desk.slips_on_paper, desk.twin.paper.marks) == (2, 2)


def test_a_printer_that_never_answers_gives_sent(desk):
    desk.twin.set_fault("mute")
    desk.want("s1")
    desk.until(desk.settled("s1"))
    assert desk.hub.told["s1"] == ("sent", "")


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        ("offline", "offline"),
        ("no-paper", "no-paper"),
        ("mute", "silent"),
        ("stalled", "silent"),
        ("unplugged", "no-port"),
    ],
)
def test_while_the_printer_is_not_ready_jobs_wait_and_say_for_what(desk, fault, detail):
    desk.want("s0")
    desk.until(desk.settled("s0"))
    desk.twin.set_fault(fault)
    desk.want("s1")
    desk.until(lambda: desk.hub.told.get("s1") == ("queued", detail))
    desk.rest(20_000)
    assert desk.hub.told["s1"] == ("queued", detail)
    desk.twin.set_fault(fault, on=False)
    desk.until(desk.settled("s1"))
    assert desk.hub.told["s1"] == ("printed", "")


@pytest.mark.parametrize("fault", ["offline", "no-paper", "mute", "stalled", "unplugged"])
def test_after_a_fault_in_mid_job_it_is_uncertain_the_next_one_prints_and_the_first_does_not_again(desk, fault):
    desk.want("s0")
    desk.until(desk.settled("s0"))
    desk.twin.set_fault(fault, after_bytes=3000)
    desk.want("s1", "s2")
    desk.until(desk.settled("s1"))
    assert desk.hub.told["s1"][0] == "uncertain"
    desk.twin.set_fault(fault, on=False)
    desk.until(desk.settled("s2"))
    assert desk.hub.told["s2"] == ("printed", "")
    desk.rest(30_000)
    assert [i for i, state in desk.hub.history if state == "sending"] == ["s0", "s1", "s2"]


def test_killed_between_the_note_and_the_answer_a_job_is_uncertain_and_never_printed_again(desk):
    desk.want("s1", "s2")
    desk.until(lambda: desk.hub.told.get("s1") == ("sending", ""))
    desk.kill()
    desk.hub.told.clear()  # and the hub has forgotten, too
    desk.start()
    desk.until(desk.settled("s2"))
    desk.rest(5000)
    assert desk.hub.told["s1"] == ("uncertain", "restarted")
    assert desk.hub.told["s2"] == ("printed", "")
    assert [i for i, state in desk.hub.history if state == "sending"] == ["s1", "s2"]


def test_killed_before_the_note_a_job_is_printed_once(desk):
    desk.want("s1")
    desk.until(lambda: desk.station.busy)
    assert "s1" not in desk.log.jobs
    desk.kill()
    desk.start()
    desk.until(desk.settled("s1"))
    assert desk.hub.told["s1"] == ("printed", "")
    assert desk.slips_on_paper == 1


def test_nothing_of_a_job_has_left_before_it_is_noted_on_the_disk(desk, monkeypatch):
    at_the_note = []
    note = PrintLog.note

    def watched(log, job_id, state, detail=""):
        note(log, job_id, state, detail)
        if state == "sending":
            desk.twin.step(desk.now_ms + 5)
            at_the_note.append((desk.twin.processed_bytes, desk.log_path.read_text().count('"sending"')))

    monkeypatch.setattr(PrintLog, "note", watched)
    desk.want("s1")
    desk.until(desk.settled("s1"))
    questions = 6
    assert at_the_note == [(questions, 1)]


def test_a_hub_that_forgot_everything_gets_its_answers_and_no_second_paper(desk):
    desk.want("s1")
    desk.until(desk.settled("s1"))
    desk.hub.told.clear()
    desk.rest(10_000)
    assert desk.slips_on_paper == 1
    desk.kill()
    desk.start()
    desk.hub.told.clear()
    desk.rest(10_000)
    assert desk.slips_on_paper == 1
    assert [state for i, state in desk.hub.history if i == "s1"].count("sending") == 1


def test_what_the_hub_does_not_want_any_more_is_not_printed(desk):
    desk.twin.set_fault("no-paper")
    desk.want("s1")
    desk.until(lambda: desk.hub.told.get("s1") == ("queued", "no-paper"))
    desk.hub.wanted.clear()
    desk.twin.set_fault("no-paper", on=False)
    desk.rest(10_000)
    assert desk.slips_on_paper == 0


def test_a_job_that_cannot_be_laid_out_fails_and_the_next_one_prints(desk):
    desk.hub.wanted = [Job("bad", "slip", {"event": "?"}), Job("odd", "poster", {})]
    desk.want("s1")
    desk.until(desk.settled("bad", "odd", "s1"))
    assert desk.hub.told == {"bad": ("failed", "unprintable"), "odd": ("failed", "unprintable"), "s1": ("printed", "")}


def test_a_full_disk_holds_the_job_back(desk, monkeypatch):
    full = True

    def fsync(descriptor):
        if full:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("roundtap_units.station.printer_desk.os.fsync", fsync)
    desk.want("s1")
    desk.until(lambda: desk.hub.told.get("s1") == ("queued", "not-noted"))
    assert desk.slips_on_paper == 0
    full = False
    desk.until(desk.settled("s1"))
    assert desk.hub.told["s1"] == ("printed", "")


def test_the_log_survives_torn_and_spoilt_lines(tmp_path):
    path = tmp_path / "printed.jsonl"
    with closing(PrintLog(path)) as log:
        log.note("s1", "sending")
        log.note("s1", "printed")
        log.note("s2", "sending")
        log.note_answers(True)
    path.write_bytes(path.read_bytes() + b'what?\n["s3","send')
    with closing(PrintLog(path)) as log:
        assert log.jobs == {"s1": ("printed", ""), "s2": ("sending", "")}
        assert log.printer_answers


def falls_mute(desk):
    """It answered before; from now on it prints, and says nothing."""
    desk.want("s0")
    desk.until(desk.settled("s0"))
    assert desk.hub.told["s0"] == ("printed", "")
    desk.twin.set_fault("mute")
    desk.want("s1", "s2")


def test_a_printer_that_fell_mute_is_asked_about_after_a_minute_and_nothing_is_printed_before(desk):
    falls_mute(desk)
    desk.rest(40_000)
    assert desk.hub.told["s1"] == ("queued", "silent")
    desk.until(lambda: desk.hub.told.get("s1") == ("queued", "mute"))
    desk.rest(60_000)
    assert desk.hub.told["s1"] == ("queued", "mute")
    assert desk.slips_on_paper == 1


def test_after_a_person_s_word_its_jobs_go_on_as_sent_once_each(desk):
    falls_mute(desk)
    desk.until(lambda: desk.hub.told.get("s1") == ("queued", "mute"))
    desk.hub.wanted[1] = desk.hub.wanted[1].replace(go_on=True)
    desk.until(desk.settled("s1", "s2"))
    assert (desk.hub.told["s1"], desk.hub.told["s2"]) == (("sent", ""), ("sent", ""))
    desk.rest(20_000)
    assert desk.slips_on_paper == 3
    desk.kill()
    desk.start()
    desk.want("s3")
    desk.until(desk.settled("s3"))
    assert desk.hub.told["s3"] == ("sent", ""), "the word outlives a restart"


def test_a_mute_printer_that_answers_again_is_believed_again(desk):
    falls_mute(desk)
    desk.until(lambda: desk.hub.told.get("s1") == ("queued", "mute"))
    desk.twin.set_fault("mute", on=False)
    desk.until(desk.settled("s1", "s2"))
    assert (desk.hub.told["s1"], desk.hub.told["s2"]) == (("printed", ""), ("printed", ""))


def test_an_idle_printer_is_asked_how_it_is_and_nothing_is_printed(tmp_path):
    desk = Desk(tmp_path)
    desk.look_every_ms = 500
    desk.start()
    desk.rest(3000)
    assert (desk.station.printer_state, desk.twin.paper.marks, desk.twin.paper.sheets) == ("ready", 0, [])
    desk.twin.set_fault("no-paper")
    desk.rest(3000)
    assert desk.station.printer_state == "no-paper"
    desk.twin.set_fault("no-paper", on=False)
    desk.want("s1")
    desk.until(desk.settled("s1"))
    assert (desk.hub.told["s1"][0], desk.station.printer_state) == ("printed", "ready")


def test_a_printer_that_is_not_there_is_said_before_anything_is_to_be_printed(tmp_path):
    desk = Desk(tmp_path)
    desk.look_every_ms = 500
    desk.start()
    desk.twin.set_fault("unplugged")
    desk.rest(3000)
    assert desk.station.printer_state == "no-port"
    desk.twin.set_fault("unplugged", on=False)
    desk.rest(5000)
    assert desk.station.printer_state == "ready"
