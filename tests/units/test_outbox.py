"""The outbox: on the disk before anybody is told, and readable after whatever a power cut or a worn card left."""

import errno
import json
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faults import fails
from roundtap_core.messages import ReportReceipt
from roundtap_units.link import outbox as module
from roundtap_units.link.outbox import Outbox, StoredReport


def report(n: int, event: str = "e1") -> dict[str, Any]:
    return {
        "report_id": f"r{n}",
        "unit": "table-1",
        "event": event,
        "match": f"1.{n}",
        "side": "a",
        "revision": 0,
        "result": {"score": {"a": 100, "b": n}},
    }


def echo(n: int, fate: str = "accepted", **more: Any) -> ReportReceipt:
    known = {} if fate == "unknown" else {"number": 1000 + n, "hash": f"h{n}", "reason": None}
    return ReportReceipt(**{"report_id": f"r{n}", "fate": fate, "epoch": "x", **known, **more})


def heard(outbox: Outbox, echo: ReportReceipt) -> StoredReport | None:
    """The hub's word, known and noted, as the link does it."""
    kept = outbox.settle(echo)
    outbox.flush_fates()
    return kept


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "unit" / "outbox.jsonl"


def ids(kept: list[StoredReport]) -> list[str]:
    return [one.id for one in kept]


def reopened(path: Path) -> Outbox:
    """As after a power cut: another process reads what is on the disk."""
    return Outbox(path)


# --- storing -----------------------------------------------------------------------------------------------------


def test_a_report_is_synced_before_put_returns(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    outbox = Outbox(path, order.append)
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        fsync(descriptor)
        order.append(f"synced {os.fstat(descriptor).st_size == path.stat().st_size and path.stat().st_size > 0}")

    monkeypatch.setattr(os, "fsync", noted)
    outbox.put(report(1), "mac")
    order.append("returned")

    assert order == ["synced True", "after-outbox-fsync", "returned"]
    assert ids(reopened(path).waiting()) == ["r1"]


def test_the_new_file_itself_is_synced_into_its_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    Outbox(path)
    assert path.parent.stat().st_ino in synced


def test_reports_wait_in_their_order_until_the_hub_has_answered(path: Path) -> None:
    outbox = Outbox(path)
    for n in (3, 1, 2):
        outbox.put(report(n), f"mac {n}")
    settled = heard(outbox, echo(1))
    assert settled == StoredReport(report(1), "mac 1", "accepted", 1001, "h1", None, "x")
    for known in (outbox, reopened(path)):
        assert ids(known.waiting()) == ["r3", "r2"]
        assert ids(known.all()) == ["r3", "r1", "r2"]
        assert known.all()[1] == settled


def test_a_refusal_is_an_answer_too(path: Path) -> None:
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    heard(outbox, echo(1, "refused", reason="judge"))
    assert outbox.waiting() == []
    assert reopened(path).all()[0].reason == "judge"


def test_the_hub_s_word_is_known_before_it_is_noted_and_asked_for_again_if_it_never_was(path: Path) -> None:
    """SAVED waits for no disk. Where the power goes before the word is noted, the hub says it once more."""
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    size = path.stat().st_size
    outbox.settle(echo(1))
    assert (outbox.waiting(), path.stat().st_size) == ([], size)
    after_the_cut = reopened(path)
    assert ids(after_the_cut.waiting()) == ["r1"]
    heard(after_the_cut, echo(1))
    assert reopened(path).waiting() == []


def test_what_is_known_or_foreign_is_not_written_again(path: Path) -> None:
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    assert heard(outbox, echo(1, "unknown")) is None
    heard(outbox, echo(1))
    size = path.stat().st_size
    assert heard(outbox, echo(1)) is None
    assert heard(outbox, echo(9)) is None
    assert path.stat().st_size == size


def test_a_hub_that_lost_a_report_is_offered_it_again(path: Path) -> None:
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    heard(outbox, echo(1))
    heard(outbox, echo(1, "unknown"))
    assert ids(outbox.waiting()) == ids(reopened(path).waiting()) == ["r1"]
    heard(outbox, echo(1, number=7))
    assert reopened(path).all()[0].number == 7


# --- what a power cut leaves -------------------------------------------------------------------------------------


def test_a_power_cut_at_any_byte_loses_only_what_was_not_yet_stored(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # the cut is made by hand
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    first = path.read_bytes()
    outbox.put(report(2), "mac")
    both = path.read_bytes()
    for length in range(len(first), len(both)):
        path.write_bytes(both[:length])
        after = reopened(path)
        assert ids(after.waiting()) == ["r1"]
        after.put(report(3), "mac")
        assert ids(reopened(path).waiting()) == ["r1", "r3"]


@pytest.mark.parametrize(
    "spoil",
    [
        b"\x00" * 80,
        b"{",
        b"[]",
        b"7",
        b'"report"',
        b"null",
        b"\xff\xfe",
        b"{}",
        b'{"report": 5, "mac": ""}',
        b'{"report": {}, "mac": ""}',
        b'{"report": {"report_id": "r9"}, "mac": ""}',
        b'{"report": {"report_id": "r9"}}',
        b'{"report": {"report_id": "r9", "event": 5}, "mac": ""}',
        b'{"fate": {"report_id": "never put"}}',
        b'{"fate": 5}',
        b'{"fate": {"report_id": "r1"}}',
    ],
)
def test_a_spoilt_line_does_not_take_the_others_with_it(path: Path, spoil: bytes) -> None:
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    outbox.put(report(2), "mac")
    first, second = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([first, spoil, second, b""]))
    after = reopened(path)
    assert ids(after.waiting()) == ["r1", "r2"]
    assert [kept.report["event"] for kept in after.all()] == ["e1", "e1"]


def refuses(error: int, writes: int) -> Callable[[int], None]:
    return fails(OSError(error, os.strerror(error)))


def test_a_disk_that_refuses_leaves_nothing_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(module.os, "fsync", refuses(errno.EIO, 1))
        with pytest.raises(OSError, match="Input/output"):
            outbox.put(report(2), "mac")
    assert path.read_bytes() == before
    assert ids(outbox.waiting()) == ["r1"]

    outbox.put(report(2), "mac")
    assert ids(reopened(path).waiting()) == ["r1", "r2"]


def test_a_full_disk_that_takes_half_a_line_does_not_spoil_the_next(path: Path) -> None:
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, hard))
    try:
        with pytest.raises(OSError, match="No space"):
            outbox.put(report(2), "mac")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    outbox.put(report(3), "mac")
    assert ids(reopened(path).waiting()) == ["r1", "r3"]


# --- forgetting --------------------------------------------------------------------------------------------------


def test_a_finished_event_is_forgotten_but_not_what_the_hub_has_not_answered(path: Path) -> None:
    outbox = Outbox(path)
    for n, event in ((1, "e1"), (2, "e1"), (3, "e2")):
        outbox.put(report(n, event), "mac")
    heard(outbox, echo(1))
    heard(outbox, echo(3))

    outbox.drop_event("e1", "x")

    for known in (outbox, reopened(path)):
        assert ids(known.all()) == ["r2", "r3"]
        assert ids(known.waiting()) == ["r2"]
        assert known.all()[1].number == 1003
    outbox.put(report(4), "mac")
    assert ids(reopened(path).all()) == ["r2", "r3", "r4"]


def test_forgetting_is_one_atomic_step(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = Outbox(path)
    for n in (1, 2):
        outbox.put(report(n), "mac")
        heard(outbox, echo(n))
    before = path.read_bytes()

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "replace", fails(OSError("the power is gone")))
        with pytest.raises(OSError, match="power"):
            outbox.drop_event("e1", "x")
    assert path.read_bytes() == before
    assert ids(outbox.all()) == ["r1", "r2"]

    outbox.drop_event("e1", "x")
    assert path.read_bytes() == b""


def test_forgetting_nothing_writes_nothing(path: Path) -> None:
    outbox = Outbox(path)
    outbox.put(report(1), "mac")
    inode = path.stat().st_ino
    outbox.drop_event("e1", "x")
    outbox.drop_event("e7", "x")
    assert path.stat().st_ino == inode
    assert json.loads(path.read_bytes())["mac"] == "mac"
