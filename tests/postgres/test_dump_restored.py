"""The documents' two lines, a dump and its restore into an empty database: a hub there goes on with everything."""

import re
import subprocess
from pathlib import Path

import pytest
from hub_kit import make_event
from postgres_kit import Cluster
from shared_kit import hub_on

from roundtap_core.event import commands as c

SCALE = (Path(__file__).parents[2] / "server/SCALE.md").read_text()


@pytest.mark.long
def test_a_hub_goes_on_from_a_dump(postgres: Cluster, url: str, tmp_path: Path) -> None:
    dump, restore = (re.findall(rf"`({name} [^`]+)`", SCALE)[0] for name in ("pg_dump", "pg_restore"))
    with hub_on(url) as hub:
        before = make_event(hub.service)
        said = dump.replace(" roundtap >", f" {url} >")
        subprocess.run(said, shell=True, check=True, cwd=tmp_path)
    postgres.run("DROP DATABASE IF EXISTS again", "CREATE DATABASE again OWNER roundtap")
    again = postgres.url("again")
    subprocess.run(f"{restore.replace(' roundtap', f' {again}')} roundtap.dump", shell=True, check=True, cwd=tmp_path)

    with hub_on(again) as hub:
        state = hub.service.snapshot.events[before.id]
        assert (state.number, state.head) == (before.number, before.head)
        hub.service.execute_one(before.id, c.SetClock("start"), "organizer")
        assert hub.service.snapshot.events[before.id].number == before.number + 1
    postgres.run("DROP DATABASE again WITH (FORCE)")
