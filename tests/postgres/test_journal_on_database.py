"""`roundtap journal --database`: listed and verified in PostgreSQL as in a folder, while hubs write."""

import json
from typing import Any

import pytest
from hub_kit import make_event
from postgres_kit import Cluster
from shared_kit import hub_on

from roundtap.main import main
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_hub.store.journal import Journal, PersonRecord


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDTAP_LANG", "en")


def said(capsys: pytest.CaptureFixture[str], what: str, url: str, *more: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["journal", what, "--database", url, *more])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_it_is_listed_and_holds_while_a_hub_runs(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with hub_on(url) as hub:
        state = make_event(hub.service)
        code, out, err = said(capsys, "verify", url)
        listed = said(capsys, "list", url, "--format", "json")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].startswith(f"e1 · “Winter Open” · 7 entries · {state.head[:16]} · 4 people")
    assert out.splitlines()[1].endswith(" · intact")
    streams: list[dict[str, Any]] = json.loads(listed[1])["streams"]
    assert [(each["stream"], each["entries"]) for each in streams] == [("venue", 3), ("e1", 7)]


@pytest.mark.parametrize(
    ("statement", "said_there"),
    [
        ("UPDATE entry SET data = '{}' WHERE stream = 'e1' AND number = 3", "altered at entry 3"),
        ("UPDATE person SET data = '' WHERE competitor = 'p3'", "1 (p3)"),
        ("UPDATE person SET competitor = 'p9' WHERE competitor = 'p2'", "2 (p2, p9)"),
    ],
)
def test_what_does_not_hold_is_named_and_starts_no_hub(
    postgres: Cluster, url: str, capsys: pytest.CaptureFixture[str], statement: str, said_there: str
) -> None:
    with hub_on(url) as hub:
        make_event(hub.service)
    postgres.run(statement, database="test")
    code, out, _ = said(capsys, "verify", url)
    assert (code, said_there in out) == (1, True)
    with pytest.raises(Problem), hub_on(url):
        pass


def test_who_is_renamed_in_the_midst_of_it_is_no_fault(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries are read before people, and a hub commits in between."""
    with hub_on(url) as hub:
        make_event(hub.service)
        stored_people, renamed = Journal.stored_people, Person("Ana María Ruiz")

        def after_a_commit(self: Journal, *events: Any) -> Any:
            if self is hub.journal:  # the hub's own look, at any time, is not the one that verifies
                return stored_people(self, *events)
            monkeypatch.setattr(Journal, "stored_people", stored_people)
            hub.service.execute_one(
                "e1",
                c.ChangePerson("p1", renamed.digest("salt")),
                "organizer",
                [PersonRecord("e1", "p1", "salt", renamed)],
            )
            return stored_people(self, *events)

        monkeypatch.setattr(Journal, "stored_people", after_a_commit)
        code, out, _ = said(capsys, "verify", url)
    assert (code, "8 entries" in out) == (0, True)


def test_a_database_without_a_journal_or_out_of_reach_is_told_without_the_password(
    postgres: Cluster, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capsys, "verify", url.replace("roundtap@", "roundtap:secret@"))
    assert (code, out) == (2, "")
    assert "has no journal yet" in err
    with postgres.out_of_reach():
        assert said(capsys, "list", url)[0] == 2
    assert said(capsys, "list", "mysql://somebody:secret@there/x")[0] == 2
    assert "secret" not in err + capsys.readouterr().err
