"""A competitor taken over from a file or a list: the person for the table of people, the entrant for the entries."""

import secrets
from collections.abc import Iterable

from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.person import Person
from roundtap_core.event.states import Entrant
from roundtap_core.records import Competitor
from roundtap_hub.store.book import PEOPLE_KNOWN
from roundtap_hub.store.command_pipeline import Step
from roundtap_hub.store.journal import PersonRecord

IMPORT_TIMEOUT_S = 180
"""Long enough for 4,096 players: a caller who gives up sooner sees a failure, and later finds the event there."""


def person_and_entrant(
    event_id: str,
    competitor: Competitor,
    total: int | None = None,
    person: Person | None = None,
) -> tuple[PersonRecord, Entrant]:
    """The person for the table of people, and the entrant for the entries: they share only a salted digest. `total`:
    what the list costs, where known; `person`: where there is more to keep than a competitor has (a note, …)."""
    person, salt, record = person or Person.of(competitor), secrets.token_hex(16), competitor.record or {}
    # A player who declined a place in the cut counts as dropped in the file, but is still here.
    dropped_after = None if record.get("declined_place") else competitor.dropped_after
    entrant = Entrant(
        competitor.id,
        person.digest(salt),
        competitor.won_bye,
        competitor.came_with,
        competitor.fixed_table,
        dropped_after,
        competitor.disqualified_after,
        competitor.warnings,
        total,
        tuple(record.get("list_corrections", ())),
        tuple(record.get("ticks", ())),
        competitor.officials_role,
        record.get("proposed"),
        record.get("proposal_declined_at", 0),
        record.get("disqualification"),
    )
    return PersonRecord(event_id, competitor.id, salt, person), entrant


def known_steps(event_id: str, competitors: Iterable[Competitor]) -> list[Step]:
    """The venue's entry about those of these competitors who are told to be persons of the book, if any are."""
    persons = {each.id: each.person for each in competitors if each.person}
    return [Step(VENUE, NewEntry(PEOPLE_KNOWN, {"event": event_id, "persons": persons}))] if persons else []
