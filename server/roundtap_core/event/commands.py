"""What people and devices may ask of an event, all subjects together; `decide` answers with entries, or refuses."""

from __future__ import annotations

from roundtap_core.event.cut.commands import (
    AcceptPlace,
    DeclinePlace,
    MakeCut,
    WithdrawCut,
)
from roundtap_core.event.judging.commands import (
    Appeal,
    DecideAppeal,
    DeclineProposal,
    Disqualify,
    GrantExtension,
    NoteRuling,
    OfficialDuty,
    ProposeDisqualification,
    SetOfficials,
    Warn,
)
from roundtap_core.event.people.commands import (
    ChangePerson,
    CorrectList,
    DropCompetitor,
    EnterCompetitor,
    ReturnCompetitor,
    SetCameWith,
    SubmitList,
    Tick,
)
from roundtap_core.event.results.commands import (
    EnterResult,
    NoShow,
    NoteLot,
    Report,
    SetPicks,
)
from roundtap_core.event.rounds.commands import (
    DiscardDraft,
    DrawRound,
    FinishEvent,
    ImportRound,
    ImposeRound,
    MoveTables,
    PublishRound,
    SetClock,
    SetExtraMinutes,
)
from roundtap_core.event.setup.commands import (
    CreateEvent,
    SetOptions,
)

Command = (
    CreateEvent | SetOptions | EnterCompetitor | ChangePerson | DropCompetitor | ReturnCompetitor | SubmitList
    | CorrectList | Tick | SetCameWith | ImportRound | DrawRound | ImposeRound | DiscardDraft | MoveTables
    | CorrectList | Tick | SetCameWith | ImportRound | DrawRound | ImposeRound | DiscardDraft | MoveTables
    | PublishRound | SetClock | FinishEvent | SetExtraMinutes | Report | EnterResult | NoShow | NoteLot
    | SetPicks | MakeCut | WithdrawCut | AcceptPlace | DeclinePlace | SetOfficials | OfficialDuty | Warn
    | ProposeDisqualification | DeclineProposal | NoteRuling | Appeal | DecideAppeal | GrantExtension
    | Disqualify
)

__all__ = [
    "AcceptPlace",
    "Appeal",
    "ChangePerson",
    "Command",
    "CorrectList",
    "CreateEvent",
    "DecideAppeal",
    "DeclinePlace",
    "DeclineProposal",
    "DiscardDraft",
    "Disqualify",
    "DrawRound",
    "DropCompetitor",
    "EnterCompetitor",
    "EnterResult",
    "FinishEvent",
    "GrantExtension",
    "ImportRound",
    "ImposeRound",
    "MakeCut",
    "MoveTables",
    "NoShow",
    "NoteLot",
    "NoteRuling",
    "OfficialDuty",
    "ProposeDisqualification",
    "PublishRound",
    "Report",
    "ReturnCompetitor",
    "SetCameWith",
    "SetClock",
    "SetExtraMinutes",
    "SetOfficials",
    "SetOptions",
    "SetPicks",
    "SubmitList",
    "Tick",
    "Warn",
    "WithdrawCut",
]
