"""The store's own games lie in the venue's stream: whatever carries that stream carries them."""

import base64
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hub_kit import HandClock, head_is_noted
from own_games_kit import DRAFTS, rules

from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.rulebooks.own_rules import rules_data, rules_id, rules_json
from roundtap_hub.app.main import HubResources, open_folder
from roundtap_hub.app.standby.peers import StandbyFolder, promote_folder
from roundtap_hub.store.backups import make_backup
from roundtap_hub.store.folder_copy import COPY_FILE, FolderCopy
from roundtap_hub.store.head_file import HEAD_FILE, read_head_file
from roundtap_hub.store.recover import recover
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import GAME_REMOVED, GAME_SAVED


def save(hub: HubResources, text: str = DRAFTS) -> int:
    """How many entries it made."""
    new = NewEntry(GAME_SAVED, {"rules": rules_data(rules(text))})
    return len(hub.service.execute([Step(VENUE, new)], "organizer"))


def games(hub: HubResources) -> dict[str, str]:
    return dict(hub.service.snapshot.venue.games)


@pytest.fixture
def hub(tmp_path: Path, no_upkeep: None) -> Iterator[HubResources]:
    (tmp_path / "hub").mkdir()
    with closing(open_folder(tmp_path / "hub", lambda _: None)) as opened:
        save(opened)
        yield opened


KEPT = {"Draft night": rules_json(rules())}


def test_a_name_has_the_rules_that_were_saved_last_and_the_same_once_more_is_no_entry(hub: HubResources) -> None:
    assert games(hub) == KEPT
    assert save(hub) == 0
    changed = DRAFTS.replace("win = 3", "win = 2")
    assert save(hub, changed) == 1
    assert games(hub) == {"Draft night": rules_json(rules(changed))}


def test_a_removed_game_is_gone_once(hub: HubResources) -> None:
    for made in (1, 0):
        gone = NewEntry(GAME_REMOVED, {"name": "Draft night"})
        assert len(hub.service.execute([Step(VENUE, gone)], "organizer")) == made
    assert games(hub) == {}


def test_a_changed_and_a_removed_game_leave_an_event_its_rules(hub: HubResources) -> None:
    created = c.CreateEvent("Friday 1", rules_id(rules()), None, {}, "#0072B2", 1, rules=rules())
    hub.service.execute_one("e1", created, "organizer")
    save(hub, DRAFTS.replace("win = 3", "win = 2"))
    hub.service.execute([Step(VENUE, NewEntry(GAME_REMOVED, {"name": "Draft night"}))], "organizer")
    state = hub.service.snapshot.events["e1"]
    assert (state.rulebook_id, state.rules) == (rules_id(rules()), rules_json(rules()))


def test_a_restart_a_backup_and_what_is_recovered_have_them(hub: HubResources, tmp_path: Path) -> None:
    head_is_noted(hub.service)
    head = read_head_file(tmp_path / "hub" / HEAD_FILE)
    assert head is not None
    made = make_backup(tmp_path / "hub", tmp_path / "stick", head, "2026-11-29T10:00:00+00:00")
    hub.close()
    with closing(open_folder(tmp_path / "hub", lambda _: None)) as again:
        assert games(again) == KEPT
    recover([made], tmp_path / "restored", HandClock().clocks)
    with closing(open_folder(tmp_path / "restored", lambda _: None)) as restored:
        assert games(restored) == KEPT


def test_a_copy_on_a_stick_has_them(hub: HubResources, tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    with closing(FolderCopy(tmp_path / "stick", tmp_path, same_disk=True)) as stick:
        stick.open("line", "epoch")
        assert hub.service.copies is not None
        for batch in hub.service.copies.missing_batches({}):
            stick.write(batch)
    recover([tmp_path / "stick" / COPY_FILE], tmp_path / "restored", HandClock().clocks)
    with closing(open_folder(tmp_path / "restored", lambda _: None)) as restored:
        assert games(restored) == KEPT


def test_a_standby_that_takes_over_has_them(hub: HubResources, tmp_path: Path) -> None:
    folder = StandbyFolder(tmp_path / "standby")
    folder.open()
    assert hub.service.copies is not None
    for batch in hub.service.copies.missing_batches({}):
        rows = batch.rows()
        folder.append_rows(rows["entries"], rows["people"])
    secret = base64.b64encode(b"5e" * 32).decode()
    folder.take_beside({"files": {"secret": secret}})
    folder.journal.close()
    promote_folder(folder.path, HandClock().clocks.at(), lambda n: "ab" * n)
    folder.open()
    assert dict(folder.venue().games) == KEPT
