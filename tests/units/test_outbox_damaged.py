"""An outbox on a worn card: what it spoils is put aside and counted, what it refuses is said, nothing is invented."""

import contextlib
import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from unit_kit import READ_ONLY, other_disk

from faults import fails
from roundtap_core.messages import ReportReceipt
from roundtap_core.typed import parse_message
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


def echo(n: int, fate: str = "accepted", epoch: str = "x", **more: Any) -> ReportReceipt:
    known = {} if fate in ("unknown", "pending") else {"number": 1000 + n, "hash": f"h{n}", "reason": None}
    return ReportReceipt(**{"report_id": f"r{n}", "fate": fate, "epoch": epoch, **known, **more})


def heard(outbox: Outbox, echo: ReportReceipt) -> StoredReport | None:
    """The hub's word, known and noted, as the link does it."""
    kept = outbox.settle(echo)
    outbox.flush_fates()
    return kept


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "unit" / "outbox.jsonl"


def filled(path: Path, reports: int = 3) -> Outbox:
    outbox = Outbox(path, key_mark="k1")
    for n in range(1, reports + 1):
        outbox.put(report(n), f"mac {n}")
    return outbox


def ids(outbox: Outbox) -> list[str]:
    return [kept.id for kept in outbox.waiting()]


# --- spoilt lines --------------------------------------------------------------------------------------------------


def test_every_flipped_bit_of_a_line_is_noticed(path: Path) -> None:
    """100:2 that has become 100:3 on a worn card must never be said."""
    filled(path)
    whole = path.read_bytes()
    lines = whole.split(b"\n")
    start = len(lines[0]) + 1
    for at in range(start, start + len(lines[1]), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x01]) + whole[at + 1 :])
        path.with_suffix(".damaged").unlink(missing_ok=True)
        outbox = Outbox(path)
        assert (ids(outbox), outbox.damaged) == (["r1", "r3"], 1), at


def test_a_spoilt_line_is_kept_aside_and_counted_from_start_to_start(path: Path) -> None:
    filled(path)
    whole = path.read_bytes()
    spoilt = whole.split(b"\n")[1].replace(b'"b":2', b'"b":3')
    path.write_bytes(whole.replace(b'"b":2', b'"b":3'))
    for _ in range(3):
        outbox = Outbox(path)
        assert (ids(outbox), outbox.damaged) == (["r1", "r3"], 1)
    assert path.with_suffix(".damaged").read_bytes() == spoilt + b"\n"
    outbox.put(report(4), "mac")
    assert ids(Outbox(path)) == ["r1", "r3", "r4"]


def test_a_power_cut_between_both_files_counts_no_line_twice(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    path.write_bytes(path.read_bytes().replace(b'"b":2', b'"b":3'))

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "replace", fails(OSError("the power is gone")))
        assert Outbox(path).failing
    outbox = Outbox(path)
    assert (ids(outbox), outbox.damaged, outbox.failing) == (["r1", "r3"], 1, False)


def test_a_spoilt_fate_is_asked_for_again_and_alarms_nobody(path: Path) -> None:
    outbox = filled(path, 1)
    heard(outbox, echo(1))
    path.write_bytes(path.read_bytes().replace(b"1001", b"1007"))
    outbox = Outbox(path)
    assert (ids(outbox), outbox.damaged) == (["r1"], 0)


def test_lines_of_an_older_unit_have_no_checksum_and_are_read(path: Path) -> None:
    path.parent.mkdir()
    fate = {"report_id": "r1", "fate": "accepted", "number": 7, "hash": "h", "reason": None}
    path.write_bytes(
        b"".join(
            json.dumps(line).encode() + b"\n"
            for line in ({"report": report(1), "mac": "mac"}, {"fate": fate}, {"report": report(2), "mac": "mac"})
        )
    )
    outbox = Outbox(path)
    assert (ids(outbox), outbox.damaged, outbox.all()[0].number) == (["r2"], 0, 7)


# --- whose word it was ---------------------------------------------------------------------------------------------


def test_another_epochs_finished_event_takes_nothing_away(path: Path) -> None:
    """Last week's "e1" on another hub is over: this week's presses under the same id stay."""
    outbox = filled(path, 2)
    heard(outbox, echo(1, epoch="mine"))
    outbox.drop_event("e1", "another")
    assert [kept.id for kept in Outbox(path).all()] == ["r1", "r2"]
    outbox.drop_event("e1", "mine")
    assert [kept.id for kept in Outbox(path).all()] == ["r2"]


def test_a_fate_that_a_new_epoch_confirms_is_that_epochs_word(path: Path) -> None:
    outbox = filled(path, 1)
    heard(outbox, echo(1, epoch="before"))
    assert heard(outbox, echo(1, epoch="after")) is None
    assert Outbox(path).all()[0].epoch == "after"


def test_a_pending_report_is_neither_sent_again_nor_forgotten(path: Path) -> None:
    outbox = filled(path, 1)
    assert heard(outbox, echo(1, "pending")).fate == "pending"  # type: ignore[union-attr]
    outbox.drop_event("e1", "x")
    for known in (outbox, Outbox(path)):
        assert ids(known) == []
        assert [kept.id for kept in known.all() if not kept.settled] == ["r1"]
    heard(outbox, echo(1))
    assert all(kept.settled for kept in outbox.all())


def test_the_heads_are_the_newest_entries_that_echoes_named(path: Path) -> None:
    outbox = filled(path)
    for n in (2, 3, 1):
        heard(outbox, echo(n) if n != 3 else echo(n, "refused", reason="late"))
    assert Outbox(path).heads() == {"e1": [1002, "h2"]}


@pytest.mark.parametrize(
    "word",
    [
        {"fate": 5},
        {},
        {"fate": "accepted", "number": "7"},
        {"fate": "accepted", "hash": [1]},
        {"fate": None},
        {"fate": "accepted", "epoch": 5},
    ],
)
def test_a_word_that_says_nothing_changes_nothing(path: Path, word: dict[str, Any]) -> None:
    outbox = filled(path, 1)
    size = path.stat().st_size
    with pytest.raises(ValueError, match=r"/|missing"):
        heard(outbox, parse_message(ReportReceipt, {"report_id": "r1", **word}))
    assert (ids(outbox), path.stat().st_size) == (["r1"], size)


# --- a card that refuses -------------------------------------------------------------------------------------------


def refusing(error: int) -> Callable[..., Any]:
    return fails(OSError(error, os.strerror(error)))


def test_a_card_that_cannot_be_written_at_the_start_gives_out_what_it_has(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(path)
    real = open

    def read_only(name: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
        if mode != "r" and mode != "rb":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(name, mode, *more, **named)

    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", read_only)
        outbox = Outbox(path)
        assert (ids(outbox), outbox.failing) == (["r1", "r2", "r3"], True)
        with pytest.raises(OSError, match="Read-only"):
            outbox.put(report(4), "mac")
        assert not outbox.retry_disk()
        # The hub's word is true, written or not.
        assert heard(outbox, echo(1)).number == 1001  # type: ignore[union-attr]
        assert ids(outbox) == ["r2", "r3"]
    assert outbox.retry_disk()
    assert ids(Outbox(path)) == ["r2", "r3"]


def test_a_card_whose_sync_fails_is_told_and_mended(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = filled(path, 1)
    with monkeypatch.context() as patch:
        patch.setattr(module.os, "fsync", refusing(errno.EIO))
        with pytest.raises(OSError, match="Input/output"):
            outbox.put(report(2), "mac")
        assert outbox.fault == "failing"
        assert not outbox.retry_disk()
    assert outbox.retry_disk()
    assert not outbox.failing
    assert ids(Outbox(path)) == ["r1"]


def test_a_card_that_cannot_be_read_is_not_written_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refusing(errno.EIO))
        outbox = Outbox(path)
        with pytest.raises(OSError, match=r"Input/output|Read-only"):
            outbox.put(report(9), "mac")
        assert outbox.failing
    assert path.read_bytes() == before
    assert outbox.retry_disk()
    assert ids(outbox) == ["r1", "r2", "r3"]


def test_a_file_system_that_has_become_read_only_is_seen_before_somebody_presses(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox = filled(path, 1)
    size = path.stat().st_size
    with monkeypatch.context() as patch:
        patch.setattr("os.statvfs", other_disk(**READ_ONLY))
        outbox.check_disk()
        assert outbox.fault == "read-only"
        assert not outbox.retry_disk()
    assert outbox.retry_disk()
    assert path.stat().st_size == size


def test_a_folder_that_nobody_may_make_is_a_failing_card_and_no_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    outbox = Outbox(tmp_path / "file" / "outbox.jsonl")
    assert outbox.failing
    assert outbox.all() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 64 kB, where somebody may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("nobody may mount here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_keeps_what_it_has_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    with closing(filled(small_disk / "outbox.jsonl")) as outbox:
        (small_disk / "ballast").write_bytes(b"x")
        with open(small_disk / "ballast", "ab", buffering=0) as ballast, contextlib.suppress(OSError):
            while True:
                ballast.write(b"x" * 512)
        outbox.check_disk()
        assert outbox.fault == "full"
        kept = 3
        with contextlib.suppress(OSError):
            while kept < 400:
                outbox.put(report(kept + 1), "mac")
                kept += 1
        assert kept < 400
        assert not outbox.retry_disk()
        assert outbox.fault == "full"
        (small_disk / "ballast").unlink()
        assert outbox.retry_disk()
        outbox.put(report(500), "mac")
        assert ids(Outbox(small_disk / "outbox.jsonl")) == [f"r{n}" for n in (*range(1, kept + 1), 500)]


def test_a_disk_that_is_mounted_read_only_in_the_midst_of_it(small_disk: Path) -> None:
    outbox = filled(small_disk / "outbox.jsonl")
    outbox.close()
    with closing(Outbox(small_disk / "outbox.jsonl")) as outbox:
        outbox.check_disk()
        assert not outbox.failing
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with closing(Outbox(small_disk / "outbox.jsonl")) as outbox:
        assert (ids(outbox), outbox.fault) == (["r1", "r2", "r3"], "read-only")
        assert not outbox.retry_disk()
        subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
        assert outbox.retry_disk()
        outbox.put(report(4), "mac")
        assert ids(outbox) == ["r1", "r2", "r3", "r4"]
