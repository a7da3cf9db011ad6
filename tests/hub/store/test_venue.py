"""What the venue's stream takes: entries within all limits, and none of what is so already."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hub_kit import running, stored

import event_kit
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.store.service import Service, Step


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running(tmp_path / "journal.db") as started:
        yield started


def told(service: Service, kind: str, **data: Any) -> list[dict[str, Any]]:
    """What the entries say that this one makes."""
    return [dict(entry.data) for entry in service.execute([Step(VENUE, NewEntry(kind, data))], "organizer")]


def test_a_report_for_an_event_that_nobody_knows_is_refused_once_and_not_kept(service: Service) -> None:
    refused = {"report_id": "table-1-aa", "event": "gone", "body": "its hash"}
    assert told(service, "report-refused", **refused, report={"match": "1.1"}) == [refused]
    assert told(service, "report-refused", **refused, report={"match": "1.1"}) == []
    assert service.snapshot.venue.refused["table-1-aa"].body == "its hash"


def test_a_second_epoch_begins_where_it_says_why(service: Service) -> None:
    first = service.snapshot.venue.epoch
    assert told(service, "epoch-begun", epoch="second") == []
    assert told(service, "epoch-begun", epoch="second", heads={}) == [{"epoch": "second", "heads": {}}]
    assert service.snapshot.venue.epochs == (first, "second")


def test_a_restored_hub_forgets_what_a_unit_holds_with_its_key_and_not_when_the_same_one_is_named_again(
    service: Service,
) -> None:
    """A second restore names all keys once more."""
    told(service, "epoch-begun", epoch="second", restored={"from": {}, "at": None})

    def keyed(key: str, instead_of: str) -> list[str]:
        told(service, "unit-keyed", unit="table-1", role="table", key=key, instead_of=instead_of)
        restored = service.snapshot.venue.restore_state
        return list(restored.heard) if restored is not None else ["settled"]

    keyed("first", "")
    told(service, "unit-heard", unit="table-1", holds=None, heads={})
    assert keyed("first", "first") == ["table-1"]
    assert keyed("another", "first") == []


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"unit": "table-1", "table": 2**53}, "figure_out_of_range"),
        ({"unit": "table\x001", "table": 1}, "unfit_text"),
        ({"unit": ["table-1"] * 10_000, "table": 1}, "wrong_length"),
    ],
)
def test_what_no_honest_page_or_unit_says_is_refused_and_nothing_is_saved(
    service: Service, tmp_path: Path, data: dict[str, Any], key: str
) -> None:
    before = stored(tmp_path / "journal.db", VENUE)
    with event_kit.refused(key):
        told(service, "unit-placed", **data)
    assert stored(tmp_path / "journal.db", VENUE) == before
