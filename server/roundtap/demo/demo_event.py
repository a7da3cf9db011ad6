"""The demo's event: made-up players, a first round published, a unit at each table."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

from roundtap.kit.player_names import player_names
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.person import Person
from roundtap_core.event.state import Entrant
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.event_ids import random_event_id
from roundtap_hub.journal.clocks import system_clocks
from roundtap_hub.journal.journal import Journal, PersonRecord
from roundtap_hub.journal.service import Service, Step


def _people(n: int, team_size: int) -> Iterator[Person]:
    """`n` players, or teams that are called by their members' last names."""
    names = player_names(n * team_size)
    for members in zip(*(names[k::team_size] for k in range(team_size)), strict=True):
        if team_size == 1:
            yield Person(members[0])
        else:
            yield Person(" & ".join(name.split()[-1] for name in members), members=members, captain=members[0])


def make_event(database: Path, players: int, tables: int, rulebook: str = "xwing-standard",
               name: str = "Friday night", event_id: str | None = None) -> str:
    """Write an event into a fresh journal: players entered, round 1 drawn and published, units placed. Returns its id,
    made by chance where none is given."""
    event = event_id or random_event_id()
    journal = Journal(f"sqlite:///{database}")
    service = Service(journal, system_clocks())
    service.start()
    people = [PersonRecord(event, f"p{i}", secrets.token_hex(8), person)
              for i, person in enumerate(_people(players, RULEBOOKS[rulebook].team_size), start=1)]
    create = c.CreateEvent(name, rulebook, None, {}, "#0072B2", secrets.randbits(48))
    entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
    play = (c.DrawRound(secrets.randbits(53)), c.PublishRound(1, 1, noted="a demo"))
    commands: list[c.Command] = [create, *entered, *play]
    service.ask([Step(event, command) for command in commands], "demo", people, timeout_s=60)
    service.ask([Step(VENUE, NewEntry("unit-placed", {"unit": f"table-{n}", "table": n}))
                 for n in range(1, tables + 1)], "demo")
    service.stop()
    journal.close()
    return event
