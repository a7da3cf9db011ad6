"""What hellos prove: a journal that lacks what was acknowledged is told so, and nothing else ever is."""

import asyncio
from pathlib import Path

import pytest
from pages_kit import House, text_of
from restored_kit import evening

from roundtap_core.messages import Hello
from roundtap_core.typed import parse_message
from roundtap_hub.store.journal import Head
from roundtap_hub.units.table_api import HelloHandler, parse_heads, parse_holds
from roundtap_hub.views.unit_presence import MissingEntry


def hear(house: House, heads: object, epoch: str | None = None) -> None:
    """A hello of unit-1, looked at to the end."""

    async def on_loop() -> None:
        hello = {
            "unit": "unit-1",
            "nonce": "n",
            "core": "0",
            "reports": [],
            "heads": heads,
            "epoch": epoch if epoch is not None else house.service.snapshot.venue.epoch,
        }
        HelloHandler(house.hub).handle("unit-1", parse_message(Hello, hello))
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(on_loop())


def test_a_head_that_the_journal_has_proves_nothing(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        night.play()
        for head in night.tables[0].heads.values():
            hear(night.house, {"e1": head})
        assert night.house.hub.units.proofs.known == []


@pytest.mark.parametrize("beyond", [0, 5])
def test_an_entry_that_is_lacking_or_another_one_is_said_on_every_page_of_the_console(
    tmp_path: Path, beyond: int
) -> None:
    with evening(tmp_path / "hub") as night:
        number = night.house.event.number
        hear(night.house, {"e1": [number + beyond, "f" * 64]})
        assert night.house.hub.units.proofs.known == [MissingEntry("unit-1", "e1", number + beyond, number)]
        said = "The journal is shorter than what was confirmed. unit-1 has entry"
        for path in ("/console", "/console/e1"):
            assert said in text_of(night.house.organizer().get(path))
        assert said not in text_of(night.house.browser().get("/e/e1"))

        hear(night.house, {"e1": [number, night.house.event.head]})
        assert night.house.hub.units.proofs.known == []


def test_what_another_epoch_was_told_proves_nothing_here(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        hear(night.house, {"e1": [99, "f" * 64]}, epoch="last week's")
        assert night.house.hub.units.proofs.known == []


def test_what_a_stranger_could_write_is_left_out() -> None:
    good = (3, "a" * 64)
    assert parse_heads({"e1": good, "": good, "e2": (0, "a" * 64), "e4": (3, "short"), "x" * 65: good}) == {
        "e1": Head(3, "a" * 64)
    }
    assert parse_holds({"event": "e1", "round": 1, "mischief": 3}).holds == {"event": "e1", "round": 1}
    assert parse_holds({"event": 1.5}).holds is None
    assert parse_holds({"event": "x" * 5000}).holds is None
    assert parse_holds({"number": 10**30}).holds is None
    assert parse_holds(None).holds is None
