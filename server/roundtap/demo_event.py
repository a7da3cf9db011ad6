"""The demo's event: made-up players, a first round published, a unit at each table."""

from __future__ import annotations

import itertools
import secrets
from pathlib import Path

from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.people import Person
from roundtap_core.event.state import Entrant
from roundtap_hub.journal import Journal, PersonRecord
from roundtap_hub.moments import system_moments
from roundtap_hub.service import Service, Step

FIRST_NAMES = ("Ana", "Bruno", "Łukasz", "Eva", "Kai", "Aleksandra", "Jörg", "Begoña", "Zofia", "Íñigo", "Käthe",
               "Stanisław", "Lucía", "Grzegorz", "Renée", "Małgorzata", "Tomás", "Heike", "Paweł", "Inés")
LAST_NAMES = ("Ruiz", "Maier", "Żak", "Luz", "Eich", "Wiśniewska-Szczepańska", "Müller", "Ibáñez", "Kowalczyk",
              "Núñez", "Groß", "Wójcik", "Peña", "Szymański", "Voß", "Dąbrowska", "Ortega", "Schäfer", "Łęcki", "Vidal",
              "Roth", "Sánchez", "Jabłońska", "Winkler", "Castaño", "Mazur")


def player_names(n: int) -> list[str]:
    """`n` different full names, mixed so that neighbours differ in both parts."""
    pairs = itertools.chain.from_iterable(
        zip(FIRST_NAMES, LAST_NAMES[shift:] + LAST_NAMES[:shift], strict=False) for shift in range(len(LAST_NAMES))
    )
    return [f"{first} {last}" for first, last in itertools.islice(pairs, n)]


def make_event(database: Path, players: int, tables: int, rulebook: str = "xwing-standard",
               name: str = "Friday night") -> None:
    """Write the event "e1" into a fresh journal: players entered, round 1 drawn and published, units placed."""
    journal = Journal(f"sqlite:///{database}")
    service = Service(journal, system_moments())
    service.start()
    people = [PersonRecord("e1", f"p{i}", secrets.token_hex(8), Person(full))
              for i, full in enumerate(player_names(players), start=1)]
    create = c.CreateEvent(name, rulebook, None, {}, "#0072B2", secrets.randbits(48))
    entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
    commands: list[c.Command] = [create, *entered, c.DrawRound(secrets.randbits(53)), c.PublishRound(1, 1)]
    service.ask([Step("e1", command) for command in commands], "demo", people, timeout_s=60)
    service.ask([Step(VENUE, NewEntry("unit-placed", {"unit": f"table-{n}", "table": n}))
                 for n in range(1, tables + 1)], "demo")
    service.stop()
    journal.close()
