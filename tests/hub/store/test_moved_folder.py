"""A hub's folder that is moved, deleted or replaced under it: nothing is called saved that lies elsewhere."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hub_kit import Service, make_event, running, stored
from pages_kit import House

from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.words import LANGUAGES
from roundtap_hub.store.service import OutcomeUnknown

DETAILS = c.SetEventDetails({"venue": "Hall 2"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "hub"
    made.mkdir()
    return made


@pytest.fixture
def service(folder: Path) -> Iterator[Service]:
    with running(folder / "journal.db") as started:
        make_event(started)
        yield started


def state(service: Service) -> str:
    """The first line: that a commit was slow may stand below it, where the machine had much else to do."""
    return service.storage.lines()[0].key


def move(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def replace(folder: Path) -> None:
    move(folder)
    shutil.copytree(folder.with_name("elsewhere"), folder)


def log_only(folder: Path) -> None:
    (folder / "journal.db-wal").unlink()


@pytest.mark.parametrize("away", [move, replace, shutil.rmtree, log_only])
def test_nothing_is_saved_once_the_path_leads_elsewhere_and_it_is_said(
    service: Service, folder: Path, away: Callable[[Path], object]
) -> None:
    away(folder)
    with pytest.raises(Problem, match="Nothing changed"):
        service.execute_one("e1", DETAILS, "organizer")
    assert state(service) == "moved"
    service.check_disk(folder)
    service.execute([], "the probe has run")
    assert state(service) == "moved"
    assert service.storage.fault == "moved"
    assert not service.must_reopen, "a new process would begin an empty hub there"


def test_it_is_seen_without_a_commit_and_goes_on_by_itself_once_the_folder_is_back(
    service: Service, folder: Path
) -> None:
    move(folder)
    service.check_disk(folder)
    assert state(service) == "moved"
    folder.with_name("elsewhere").rename(folder)
    for _ in range(2):
        # The disk is checked every few seconds: a probe of before may still have been on its way.
        service.check_disk(folder)
        service.execute([], "the probe has run")
    assert state(service) == "well"
    service.execute_one("e1", DETAILS, "organizer")
    assert stored(folder / "journal.db")[-1].kind == "about-set"


def test_a_commit_during_which_the_folder_goes_is_never_called_saved(folder: Path) -> None:
    """Its entry lies in the moved folder. Nothing goes on from it before a new process has read it at its place."""
    with running(folder / "journal.db") as service:
        make_event(service)
        put = service.journal._put_entries

        def put_and_move(*rows: object) -> None:
            put(*rows)  # type: ignore[arg-type]
            move(folder)

        service.journal._put_entries = put_and_move  # type: ignore[method-assign]
        with pytest.raises(OutcomeUnknown):
            service.execute_one("e1", DETAILS, "organizer")
        assert state(service) == "moved"
        assert not service.must_reopen
        service.journal._put_entries = put  # type: ignore[method-assign]
        with pytest.raises(Problem, match="Nothing changed"):
            service.execute_one("e1", DETAILS, "organizer")
        folder.with_name("elsewhere").rename(folder)
        service.check_disk(folder)
        service.stop()
        assert service.must_reopen


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_organizer_s_page_says_it(house: House, tmp_path: Path, language: str) -> None:
    organizer = house.with_event()
    organizer.headers = {"Accept-Language": language}
    (tmp_path / "roundtap.db").rename(tmp_path / "elsewhere.db")
    house.service.check_disk(tmp_path)
    for page in ("/console", "/console/e1", "/console/e1/officials"):
        text = organizer.get(page).text
        assert 'class="storage ' in text, page
        assert "storage.moved" not in text
