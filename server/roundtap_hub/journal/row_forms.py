"""Rows of people as they must be, looked through one by one: SQLite keeps whatever it is given, of whatever type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import StrictStr, ValidationError, field_validator
from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.person import Person
from roundtap_hub.journal.journal import PersonRecord


class PersonForm(SQLModel):
    """A row of the table `person`: four texts, the last of them a person as JSON.

    The hub itself takes its rows as they lie (journal.py): what it needs not import it need not wait for.
    """

    event: StrictStr
    competitor: StrictStr
    salt: StrictStr
    data: StrictStr

    @field_validator("data")
    @classmethod
    def _a_person(cls, data: str) -> str:
        try:
            Person.from_json(json.loads(data))
        except (AttributeError, KeyError, RecursionError, TypeError) as error:
            raise ValueError("not a person") from error
        return data


def person_record(row: Mapping[str, Any]) -> PersonRecord:
    """The row as a record. Raises Problem("row_malformed") naming the first column that is none of a person's."""
    try:
        form = PersonForm.model_validate(dict(row))
    except ValidationError as error:
        column = ".".join(map(str, error.errors()[0]["loc"]))
        raise Problem("row_malformed", table="person", row=f"{row['event']}/{row['competitor']}",
                      column=column) from error
    return PersonRecord(form.event, form.competitor, form.salt, Person.from_json(json.loads(form.data)))
