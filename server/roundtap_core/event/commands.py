"""What people and devices may ask of an event, all subjects together; `decide` answers with entries, or refuses."""

from __future__ import annotations

from roundtap_core.event.cut import AcceptPlace, DeclinePlace, MakeCut, PassOver, WithdrawCut
from roundtap_core.event.imposed_rounds import AdoptRound, ImposeRound
from roundtap_core.event.judging import (
    Appeal,
    DecideAppeal,
    DeclineProposal,
    Disqualify,
    GrantExtension,
    NoteRuling,
    OfficialDuty,
    ProposeDisqualification,
    SetOfficials,
    TakeBackExtension,
    Warn,
)
from roundtap_core.event.mending import GiveBye, MoveToTable, PairAgain, PairWaiting, SwapSeats, UnpublishRound
from roundtap_core.event.people import (
    ChangePerson,
    CheckIn,
    ConfirmEntry,
    CorrectList,
    DropCompetitor,
    EnterCompetitor,
    RemoveCompetitor,
    ReturnCompetitor,
    SetCameWith,
    SetCheckIn,
    SetFixedTable,
    SetSignUp,
    SubmitList,
    Tick,
)
from roundtap_core.event.prizes import DrawDoorPrize, SetPrizes
from roundtap_core.event.results import (
    DoubleNoShow,
    EnterResult,
    NoShow,
    NoteLot,
    RecordReport,
    SetPicks,
    SettleStrangers,
    UndoNoShow,
)
from roundtap_core.event.rounds import (
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
from roundtap_core.event.setup import CreateEvent, ImportRecord, SetAbout, SetOptions

Command = (
    CreateEvent | ImportRecord | SetAbout | SetOptions | EnterCompetitor | ChangePerson | DropCompetitor
    | ReturnCompetitor | SubmitList | RemoveCompetitor | SetCheckIn | CheckIn | SetSignUp | ConfirmEntry | SetFixedTable
    | CorrectList | Tick | SetCameWith | ImportRound | DrawRound | ImposeRound | AdoptRound | DiscardDraft | MoveTables
    | PublishRound | SetClock | FinishEvent | ReopenEvent | SetExtraMinutes | RecordReport | EnterResult | NoShow
    | DoubleNoShow | UndoNoShow | NoteLot | SetPicks | SettleStrangers | MakeCut | WithdrawCut
    | AcceptPlace | DeclinePlace | PassOver | SetOfficials | OfficialDuty | Warn | ProposeDisqualification
    | DeclineProposal | NoteRuling | Appeal | DecideAppeal | GrantExtension | TakeBackExtension
    | Disqualify
    | SwapSeats | MoveToTable | PairWaiting | GiveBye | PairAgain | UnpublishRound
    | SetPrizes | DrawDoorPrize
)

__all__ = [
    "AcceptPlace",
    "AdoptRound",
    "Appeal",
    "ChangePerson",
    "CheckIn",
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
    "PassOver",
    "ProposeDisqualification",
    "PublishRound",
    "RecordReport",
    "RemoveCompetitor",
    "ReopenEvent",
    "ReturnCompetitor",
    "SetAbout",
    "SetCameWith",
    "SetCheckIn",
    "SetClock",
    "SetExtraMinutes",
    "SetFixedTable",
    "SetOfficials",
    "SetOptions",
    "SetPicks",
    "SetPrizes",
    "SetSignUp",
    "SettleStrangers",
    "SubmitList",
    "SwapSeats",
    "TakeBackExtension",
    "Tick",
    "UndoNoShow",
    "UnpublishRound",
    "Warn",
    "WithdrawCut",
]
