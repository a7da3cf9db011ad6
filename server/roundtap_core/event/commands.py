"""What people and devices may ask of an event, all subjects together; `decide` answers with entries, or refuses."""

from roundtap_core.event.cut import AcceptPlace, DeclinePlace, MakeCut, PassOverAbsentees, WithdrawCut
from roundtap_core.event.imposed_rounds import AdoptRound, ImposeRound
from roundtap_core.event.judging import (
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
from roundtap_core.event.mending import GiveBye, MoveToTable, PairAgain, PairWaiting, SwapSeats, UnpublishRound
from roundtap_core.event.people import (
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
    AskToDrop,
    CallJudge,
    CancelCall,
    CancelDrop,
    CloseCall,
    RefuseDrop,
    TakeCall,
)
from roundtap_core.event.results import (
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
from roundtap_core.event.setup import CreateEvent, DrawDoorPrize, ImportRecord, SetEventDetails, SetOptions, SetPrizes

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
]
