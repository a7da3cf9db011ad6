"""Another hub's event on a stick: the start page offers it, and refuses what would lose something."""

import errno
import html
import logging
import os
import re
import threading
from contextlib import closing
from pathlib import Path

import pytest
from hub_kit import event_steps, people
from pages_kit import PIN, Browser, House, problem_of, text_of
from test_copies import Hub, on

from faults import fails
from patience import GUARD_S
from roundtap_core.event.entries import NewEntry, Timestamp, chain_entry
from roundtap_core.words import LANGUAGES
from roundtap_hub.store import continuing
from roundtap_hub.store.backups import FOLDER, SET_ASIDE
from roundtap_hub.store.continuing import FAILED, MADE, finish_continuing
from roundtap_hub.store.copies import CURRENT, REFUSED, CommitBatch, Copies
from roundtap_hub.store.folder_copy import COPY_FILE, read_copy
from roundtap_hub.store.journal import Journal

MARK = re.compile(r'name="mark" value="(\w+)"')


@pytest.fixture
def stick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stick that another hub with an event has left."""
    other = tmp_path_factory.mktemp("other")
    made = other / "stick"
    made.mkdir()
    with closing(Hub(other, on(made), lineage="0123456789abcdef")) as hub:
        hub.wait_for(CURRENT)
        hub.service.execute(event_steps(), "organizer", people())
    return made


@pytest.fixture
def plugged_in(house: House, stick: Path, tmp_path: Path) -> House:
    """The hub of `house` with that stick."""
    copies = Copies(
        house.service.journal,
        "fedcba9876543210",
        [on(stick)],
        lambda: house.service.snapshot.venue.epoch,
        house.service.storage.changed,
        retry_s=0.01,
    )
    house.service.set_copies(copies)
    copies.start()
    house.hub.host.machine.folder = tmp_path
    wait_for(house, lambda: [each.state for each in copies.states] == [REFUSED])
    return house


def wait_for(house: House, true) -> None:  # type: ignore[no-untyped-def]
    changed = threading.Event()
    house.service.storage.listeners.append(changed.set)
    while not true():
        assert changed.wait(GUARD_S)
        changed.clear()


def offered(browser: Browser) -> str:
    return MARK.findall(browser.get("/console").text)[0]


def press(house: House, browser: Browser, pin: str = PIN, **more: object):  # type: ignore[no-untyped-def]
    return browser.post("/console/continue", mark=offered(browser), pin=pin, **more)


def journal_of(folder: Path) -> dict[str, int]:
    with closing(Journal(f"sqlite:///{folder / 'roundtap.db'}", read_only=True)) as journal:
        return {stream: head.number for stream, head in journal.heads().items()}


def test_the_start_page_offers_it_with_name_and_size_and_says_what_happens(plugged_in: House, stick: Path) -> None:
    page = text_of(plugged_in.organizer().get("/console"))
    assert "Continue “Winter Open” 6 entries in all" in page
    assert str(stick) in page
    assert "Everything here is kept aside" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_offered_in_every_language(plugged_in: House, language: str) -> None:
    browser = plugged_in.browser(language)
    browser.enter(plugged_in.hub)
    assert "offer." not in text_of(browser.get("/console"))
    assert "Winter Open" in text_of(browser.get("/console"))


def test_one_press_recovers_it_beside_and_the_next_start_puts_it_in_place(
    plugged_in: House, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "pin").write_text("a hash")
    browser = plugged_in.organizer()
    press(plugged_in, browser)
    wait_for_reopen(plugged_in)
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == [], "a planned step"
    said = text_of(browser.get("/console"))
    assert "continues “Winter Open” and starts again. Its certificate may change" in said
    plugged_in.service.stop()

    aside = finish_continuing(tmp_path)

    assert journal_of(tmp_path)["e1"] == 5
    assert journal_of(aside) == {"venue": 1}
    assert aside.parent == tmp_path / FOLDER / SET_ASIDE
    assert (tmp_path / "pin").read_text() == "a hash", "a copy alone holds none"
    assert finish_continuing(tmp_path) is None


def wait_for_reopen(house: House) -> None:
    reopened = threading.Event()
    house.service.when_must_reopen(reopened.set)
    assert reopened.wait(GUARD_S), house.service.storage.lines()


@pytest.mark.parametrize("renames", range(6))
def test_a_power_cut_while_it_is_put_in_place_costs_nothing(
    plugged_in: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    (tmp_path / "pin").write_text("a hash")
    press(plugged_in, plugged_in.organizer())
    wait_for_reopen(plugged_in)
    plugged_in.service.stop()
    left, real = [renames], os.replace

    def replace(*where: object) -> None:
        if not left[0]:
            raise OSError("the power went")
        left[0] -= 1
        real(*where)

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", replace)
        with pytest.raises(OSError, match="the power went"):
            finish_continuing(tmp_path)
    aside = finish_continuing(tmp_path)

    assert aside is not None
    assert (journal_of(tmp_path)["e1"], journal_of(aside)) == (5, {"venue": 1})
    assert (aside / "pin").read_text() == (tmp_path / "pin").read_text() == "a hash"
    assert not (tmp_path / MADE).exists()


def test_a_wrong_pin_and_another_roles_continue_nothing(plugged_in: House) -> None:
    browser = plugged_in.organizer()
    assert "PIN" in problem_of(press(plugged_in, browser, pin="999999"))
    _, judges = plugged_in.hub.access.organizers.staff.add("Eva Luz", "judge")
    assert "PIN" in problem_of(press(plugged_in, browser, pin=judges))
    assert offered(browser), "it is the organizer's browser as before"
    judge = plugged_in.staff("judge", "Kai Eich")
    assert judge.post("/console/continue", mark="x", pin=PIN).status_code == 403
    assert plugged_in.service.storage.continuing is None


def test_the_pin_typed_there_changes_nobody_s_session(plugged_in: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continuing, "recover_beside", lambda *_: None)
    browser, sessions = plugged_in.organizer(), plugged_in.hub.access.organizers.sessions
    before = [each[0].id for each in sessions.listed()]
    assert "roundtap" not in press(plugged_in, browser).headers.get("Set-Cookie", "")
    assert [each[0].id for each in sessions.listed()] == before


def test_a_second_press_changes_nothing(plugged_in: House, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[object]()
    monkeypatch.setattr(continuing, "recover_beside", lambda *what: begun.append(what))
    browser = plugged_in.organizer()
    mark, other = offered(browser), plugged_in.organizer()
    for each in (browser, other):
        assert each.post("/console/continue", mark=mark, pin=PIN).status_code == 303
    assert len(begun) == 1
    assert MARK.findall(browser.get("/console").text) == []


def test_a_running_event_of_its_own_is_named_and_goes_aside_only_when_that_is_ticked(plugged_in: House) -> None:
    browser = plugged_in.with_event()
    page = text_of(browser.get("/console"))
    assert "This hub’s own event stops and is kept aside: Winter Open" in page
    assert "running event of its own: Winter Open" in problem_of(press(plugged_in, browser))
    assert plugged_in.service.storage.continuing is None
    assert press(plugged_in, browser, sure="1").status_code == 303
    wait_for_reopen(plugged_in)


def test_a_stick_that_was_pulled_out_or_changed_since_is_told_and_nothing_changes(
    plugged_in: House, stick: Path, tmp_path: Path
) -> None:
    browser = plugged_in.organizer()
    mark = offered(browser)
    assert "gone or has changed" in problem_of(browser.post("/console/continue", mark="another", pin=PIN))
    found = read_copy(stick / COPY_FILE)
    assert found is not None
    stick.rename(stick.with_name("elsewhere"))
    continuing.recover_beside(plugged_in.service, tmp_path, [stick], found)
    assert plugged_in.service.storage.continuing.key == FAILED
    assert "Nothing has changed here" in text_of(browser.get("/console"))
    assert not (tmp_path / MADE).exists()
    assert mark


def test_why_nothing_was_continued_stands_below_the_disk_s_trouble_and_for_a_while(
    plugged_in: House, stick: Path, tmp_path: Path
) -> None:
    found = read_copy(stick / COPY_FILE)
    assert found is not None
    continuing.recover_beside(plugged_in.service, tmp_path, [tmp_path / "nowhere"], found)
    storage = plugged_in.service.storage
    storage.failed(errno.ENOSPC)
    assert [line.key for line in storage.lines()][:2] == ["full", FAILED]
    plugged_in.time.ms += 11 * 60_000
    assert FAILED not in [line.key for line in storage.lines()]
    assert offered(plugged_in.organizer())


@pytest.mark.parametrize("error", [RuntimeError("a bug"), KeyError("e1"), OSError(errno.EBADF, "a bug, too")])
def test_a_bug_is_told_as_one_and_not_as_a_stick_that_is_gone(
    plugged_in: House, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(continuing, "recover", fails(error))
    found = read_copy(stick / COPY_FILE)
    assert found is not None
    continuing.recover_beside(plugged_in.service, tmp_path, [stick], found)
    page = text_of(plugged_in.organizer().get("/console"))
    assert "An internal error kept the event from being continued. Nothing has changed here." in page
    assert "gone or has changed" not in page


def test_an_older_state_than_the_one_offered_is_not_taken(plugged_in: House, stick: Path, tmp_path: Path) -> None:
    """The stick was exchanged for one with less between the offer and the press."""
    found = read_copy(stick / COPY_FILE)
    assert found is not None
    lines = (stick / COPY_FILE).read_bytes().splitlines(keepends=True)
    (stick / COPY_FILE).write_bytes(b"".join(lines[:-1]))
    continuing.recover_beside(plugged_in.service, tmp_path, [stick], found)
    assert "gone or has changed" in str(plugged_in.service.storage.continuing.problem)
    assert not plugged_in.service.must_reopen
    assert not (tmp_path / MADE).exists()


def test_a_damaged_copy_is_offered_as_one(plugged_in: House, stick: Path) -> None:
    with open(stick / COPY_FILE, "ab") as file:
        file.write(b"damage\nand more\n")
    while not any(offer.damaged for offer in continuing.offers(plugged_in.service)):
        threading.Event().wait(0.01)
    assert "A part of this copy is damaged" in html.unescape(text_of(plugged_in.organizer().get("/console")))


def test_what_somebody_has_written_on_a_stick_breaks_no_page(plugged_in: House, stick: Path) -> None:
    """Lines with right checksums, a time that is none, and a name as long as a book."""
    prepared = stick.with_name("prepared")
    prepared.mkdir()
    with closing(on(prepared)) as copy:
        copy.open("0123456789abcdef", "an epoch")
        entry = chain_entry(
            NewEntry("event-created", {"name": "x" * 100_000}), "e9", 1, "", Timestamp("boot", 1, "yesterday"), "nobody"
        )
        copy.write(CommitBatch([entry]))
    os.replace(prepared / COPY_FILE, stick / COPY_FILE)
    while not any(offer.until == "yesterday" for offer in continuing.offers(plugged_in.service)):
        threading.Event().wait(0.01)
    page = plugged_in.organizer().get("/console")
    assert page.status_code == 200
    assert "1 entry" in text_of(page)
    assert len(page.text) < 100_000
