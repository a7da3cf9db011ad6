"""decide(event, command) → entries, or a refusal: pure, as time and seeds come with the command."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, to_builtins

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.cut import DECIDE_CUT
from roundtap_core.event.entries import NewEntries
from roundtap_core.event.judging import DECIDE_JUDGING
from roundtap_core.event.mending import DECIDE_MENDING
from roundtap_core.event.people import DECIDE_PEOPLE
from roundtap_core.event.prizes import DECIDE_PRIZES
from roundtap_core.event.requests import DECIDE_REQUESTS
from roundtap_core.event.results import DECIDE_RESULTS
from roundtap_core.event.rounds import DECIDE_ROUNDS
from roundtap_core.event.setup import DECIDE_SETUP
from roundtap_core.event.states import EventState
from roundtap_core.limits import MOST_ITEMS, refuse_over_limits
from roundtap_core.records import Result
from roundtap_core.result_json import refuse_result_limits
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_core.wire import PLAIN

_DECIDE: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    **DECIDE_SETUP,
    **DECIDE_PEOPLE,
    **DECIDE_ROUNDS,
    **DECIDE_RESULTS,
    **DECIDE_CUT,
    **DECIDE_JUDGING,
    **DECIDE_MENDING,
    **DECIDE_PRIZES,
    **DECIDE_REQUESTS,
}


def decide(state: EventState, command: c.Command, now: Instant) -> NewEntries:
    """The entries that `command` makes of `state`. Raises Problem where it cannot be done; then nothing changes."""
    _refuse_over_limits(command)
    if state.finished and not isinstance(
        command, c.RecordReport | c.ChangePerson | c.ReopenEvent | c.SetPrizes | c.DrawDoorPrize
    ):
        raise Problem("event_finished", name=state.name)
    return _DECIDE[type(command)](state, command, now)


def _refuse_over_limits(command: c.Command) -> None:
    """Raise Problem("figure_out_of_range", "text_too_long", "unfit_text", "wrong_length", "too_deep") where a field of
    the command, or of a record in it, is beyond its limits. `Problem.where` names the field."""
    plain = to_builtins(command, enc_hook=dict)
    try:
        parse_message(type(command), plain)
    except MalformedMessage as error:
        raise error.reasons[0] from None
    for name in command.__struct_fields__:
        value = getattr(command, name)
        # What is plain has been limited by its type. A report's wild result is refused on record, as impossible
        # (results.py); other events' names at tables are filled in by the hub.
        if (
            type(value) not in PLAIN
            and name != "taken_tables"
            and not (name == "result" and isinstance(command, c.RecordReport))
        ):
            _check_free_values(value, f"/{name}")


def _check_free_values(value: object, where: str) -> None:
    """Of what types do not limit: free JSON, results, the length of lists."""
    if isinstance(value, Result):
        try:
            refuse_result_limits(value)
        except Problem as problem:
            raise problem.at(where) from None
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            _check_free_values(getattr(value, name), f"{where}/{name}")
    elif isinstance(value, Mapping):
        refuse_over_limits(value, where)
    elif isinstance(value, tuple):
        if len(value) > MOST_ITEMS:
            raise Problem("wrong_length", where=where, count=len(value), minimum=0, maximum=MOST_ITEMS)
        for index, inner in enumerate(value):
            _check_free_values(inner, f"{where}/{index}")
