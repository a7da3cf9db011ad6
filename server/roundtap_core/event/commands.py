"""What people and devices may ask of an event, all subjects together, and what comes of it.

decide(event, command) → entries, or a refusal: pure, as time and seeds come with the command.
event = apply(event, entry): how each kind of entry changes the state. Nothing here refuses, draws, or reads time.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import force_setattr, replace

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.cut import (
    APPLY_CUT,
    DECIDE_CUT,
    AcceptPlace,
    DeclinePlace,
    MakeCut,
    PassOverAbsentees,
    WithdrawCut,
)
from roundtap_core.event.entries import Entry, NewEntries
from roundtap_core.event.event_flow import Step
from roundtap_core.event.imposed_rounds import AdoptRound, ImposeRound
from roundtap_core.event.judging import (
    APPLY_JUDGING,
    DECIDE_JUDGING,
    Appeal,
    DecideAppeal,
    DeclineProposal,
    Disqualify,
    GiveWarning,
    GrantExtension,
    NoteRuling,
    OfficialDuty,
    ProposeDisqualification,
    SetOfficials,
    TakeBackExtension,
)
from roundtap_core.event.mending import (
    APPLY_MENDING,
    DECIDE_MENDING,
    GiveBye,
    MoveToTable,
    PairAgain,
    PairWaiting,
    SwapSeats,
    UnpublishRound,
)
from roundtap_core.event.people import (
    APPLY_PEOPLE,
    DECIDE_PEOPLE,
    ChangePerson,
    CheckIn,
    ConfirmEntry,
    CorrectList,
    DropCompetitor,
    EnterCompetitor,
    RecordCheck,
    RemoveCompetitor,
    ReturnCompetitor,
    SetCheckIn,
    SetFixedTable,
    SetSignUp,
    SetTravelGroup,
    SubmitList,
)
from roundtap_core.event.requests import (
    APPLY_REQUESTS,
    DECIDE_REQUESTS,
    AskToDrop,
    CallJudge,
    CancelCall,
    CancelDrop,
    CloseCall,
    RefuseDrop,
    TakeCall,
    without_settled,
)
from roundtap_core.event.results import (
    APPLY_RESULTS,
    DECIDE_RESULTS,
    DoubleNoShow,
    EnterResult,
    NoShow,
    NoteLot,
    RecordReport,
    SetPicks,
    SettleOutsideReports,
    UndoNoShow,
)
from roundtap_core.event.rounds import (
    APPLY_ROUNDS,
    DECIDE_ROUNDS,
    DiscardDraft,
    DrawRound,
    FinishEvent,
    ImportRound,
    MoveTables,
    PublishRound,
    ReopenEvent,
    SetClock,
    SetExtraMinutes,
)
from roundtap_core.event.setup import (
    APPLY_PRIZES,
    APPLY_SETUP,
    DECIDE_PRIZES,
    DECIDE_SETUP,
    CreateEvent,
    DrawDoorPrize,
    ImportRecord,
    SetEventDetails,
    SetOptions,
    SetPrizes,
)
from roundtap_core.event.states import EventState
from roundtap_core.records import Result, refuse_result_limits
from roundtap_core.typed import MOST_ITEMS, MalformedMessage, parse_message, refuse_over_limits
from roundtap_core.wire import PLAIN

Command = (
    CreateEvent
    | ImportRecord
    | SetEventDetails
    | SetOptions
    | EnterCompetitor
    | ChangePerson
    | DropCompetitor
    | ReturnCompetitor
    | SubmitList
    | RemoveCompetitor
    | SetCheckIn
    | CheckIn
    | SetSignUp
    | ConfirmEntry
    | SetFixedTable
    | CorrectList
    | RecordCheck
    | SetTravelGroup
    | ImportRound
    | DrawRound
    | ImposeRound
    | AdoptRound
    | DiscardDraft
    | MoveTables
    | PublishRound
    | SetClock
    | FinishEvent
    | ReopenEvent
    | SetExtraMinutes
    | RecordReport
    | EnterResult
    | NoShow
    | DoubleNoShow
    | UndoNoShow
    | NoteLot
    | SetPicks
    | SettleOutsideReports
    | MakeCut
    | WithdrawCut
    | AcceptPlace
    | DeclinePlace
    | PassOverAbsentees
    | SetOfficials
    | OfficialDuty
    | GiveWarning
    | ProposeDisqualification
    | DeclineProposal
    | NoteRuling
    | Appeal
    | DecideAppeal
    | GrantExtension
    | TakeBackExtension
    | Disqualify
    | SwapSeats
    | MoveToTable
    | PairWaiting
    | GiveBye
    | PairAgain
    | UnpublishRound
    | SetPrizes
    | DrawDoorPrize
    | AskToDrop
    | CallJudge
    | CancelCall
    | CancelDrop
    | CloseCall
    | RefuseDrop
    | TakeCall
)

__all__ = [
    "APPLY",
    "AcceptPlace",
    "AdoptRound",
    "Appeal",
    "AskToDrop",
    "CallJudge",
    "CancelCall",
    "CancelDrop",
    "ChangePerson",
    "CheckIn",
    "CloseCall",
    "Command",
    "ConfirmEntry",
    "CorrectList",
    "CreateEvent",
    "DecideAppeal",
    "DeclinePlace",
    "DeclineProposal",
    "DiscardDraft",
    "Disqualify",
    "DoubleNoShow",
    "DrawDoorPrize",
    "DrawRound",
    "DropCompetitor",
    "EnterCompetitor",
    "EnterResult",
    "FinishEvent",
    "GiveBye",
    "GiveWarning",
    "GrantExtension",
    "ImportRecord",
    "ImportRound",
    "ImposeRound",
    "MakeCut",
    "MoveTables",
    "MoveToTable",
    "NoShow",
    "NoteLot",
    "NoteRuling",
    "OfficialDuty",
    "PairAgain",
    "PairWaiting",
    "PassOverAbsentees",
    "ProposeDisqualification",
    "PublishRound",
    "RecordCheck",
    "RecordReport",
    "RefuseDrop",
    "RemoveCompetitor",
    "ReopenEvent",
    "ReturnCompetitor",
    "SetCheckIn",
    "SetClock",
    "SetEventDetails",
    "SetExtraMinutes",
    "SetFixedTable",
    "SetOfficials",
    "SetOptions",
    "SetPicks",
    "SetPrizes",
    "SetSignUp",
    "SetTravelGroup",
    "SettleOutsideReports",
    "SubmitList",
    "SwapSeats",
    "TakeBackExtension",
    "TakeCall",
    "UndoNoShow",
    "UnpublishRound",
    "WithdrawCut",
    "apply",
    "decide",
    "refusal",
]

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

Upcaster = Callable[[Mapping[str, Any]], Mapping[str, Any]]

UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""(kind, version) → its data as the next version's. None yet: every kind is at version 1."""

APPLY: Mapping[str, Step] = {
    **APPLY_SETUP,
    **APPLY_PEOPLE,
    **APPLY_ROUNDS,
    **APPLY_RESULTS,
    **APPLY_CUT,
    **APPLY_JUDGING,
    **APPLY_MENDING,
    **APPLY_PRIZES,
    **APPLY_REQUESTS,
}


def decide(state: EventState, command: Command, now: Instant) -> NewEntries:
    """The entries that `command` makes of `state`. Raises Problem where it cannot be done; then nothing changes."""
    _refuse_over_limits(command)
    if state.finished and not isinstance(
        command, RecordReport | ChangePerson | ReopenEvent | SetPrizes | DrawDoorPrize
    ):
        raise Problem("event_finished", name=state.name)
    return _DECIDE[type(command)](state, command, now)


def refusal(state: EventState, command: Command, now: Instant) -> Problem | None:
    """Why `command` cannot be done now; None where it can."""
    try:
        decide(state, command, now)
    except Problem as problem:
        return problem
    return None


def _refuse_over_limits(command: Command) -> None:
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
            and not (name == "result" and isinstance(command, RecordReport))
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
            raise Problem("wrong_length", where=where, count=len(value), right=f"0–{MOST_ITEMS}")
        for index, inner in enumerate(value):
            _check_free_values(inner, f"{where}/{index}")


def apply(state: EventState, entry: Entry) -> EventState:
    """The state after `entry`. Raises Problem("unknown_entry") for a kind this core does not know: an older core
    must not run an event whose facts it cannot read."""
    step = APPLY.get(entry.kind)
    if step is None:
        raise Problem("unknown_entry", where=f"{entry.stream}#{entry.number}", kind=entry.kind)
    data, version = entry.data, entry.version
    while (entry.kind, version) in UPCASTERS:
        data, version = UPCASTERS[entry.kind, version](data), version + 1
    after = step(state, data, entry)
    if after is state:
        return replace(state, number=entry.number, head=entry.hash)
    if after.calls or after.wishes:
        after = without_settled(state, after, entry)
    # Just made and not shared yet: it can be changed in place without copying its fields again.
    force_setattr(after, "number", entry.number)
    force_setattr(after, "head", entry.hash)
    return after
