"""Which commands undo what was done, by the entries of one act. `decide` says whether they still may be done."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from roundtap_core.clock import IDLE, RUNNING, Clock, Instant
from roundtap_core.event import commands as c
from roundtap_core.event.abandoned_match import BEFORE, LATER, leave_effect
from roundtap_core.event.entries import Entry
from roundtap_core.event.states import EXTENSION, TO_CONFIRM, EventState, Prize
from roundtap_core.rulebooks.base import ORGANIZER

CLOCK, OPTIONS, ABOUT, PRIZES, SIGN_UP, CALL, WISH = "clock", "options", "about", "prizes", "sign-up", "call", "wish"

SETS: Mapping[str, tuple[str, ...]] = {
    "event-created": (OPTIONS, ABOUT),
    "options-set": (OPTIONS,),
    "about-set": (ABOUT,),
    "prizes-set": (PRIZES,),
    "sign-up-set": (SIGN_UP,),
    "round-published": (CLOCK,),
    "round-imported": (CLOCK,),
    "clock-set": (CLOCK,),
    "judge-called": (CALL,),
    "drop-asked": (WISH,),
}
"""What entries of each kind set, that the undoing of a later one restores."""

_REPLACES = {
    **{kind: sets[0] for kind, sets in SETS.items() if kind.endswith("-set")},
    "call-closed": CALL,
    "drop-refused": WISH,
}

_ALONG = ("draft-discarded", "round-closed", "played-on")  # kinds that an act makes beside what it is about


class PastEntry(Struct, frozen=True):
    """An entry, and the one before that set what it replaced, where its undoing needs that."""

    entry: Entry
    was: Entry | None = None


Act = tuple[PastEntry, ...]
"""What was done in one request."""


class PastEntries:
    """Reads entries in their order, and tells of each what it replaced."""

    def __init__(self) -> None:
        self._newest: dict[tuple[str, str], Entry] = {}

    def add(self, entry: Entry) -> PastEntry:
        about = str(entry.data.get("match") or entry.data.get("competitor") or "")
        past = PastEntry(entry, self._newest.get((_REPLACES.get(entry.kind, ""), about)))
        self._newest |= {(what, about): entry for what in SETS.get(entry.kind, ())}
        return past


class Undoing(Struct, frozen=True):
    """How it is undone: at what time, by whom (an official or a role), with what `reason` where one is kept, and what
    becomes of a cut (as in EnterResult)."""

    now: Instant
    reason: str
    by: str = ORGANIZER
    cut: str = ""


def undo_commands(state: EventState, act: Act, how: Undoing) -> list[c.Command]:
    """The commands that undo the act, in their order; none where it cannot be undone."""
    kinds, commands = {past.entry.kind for past in act}, list[c.Command]()
    for past in reversed(act):
        data, kind = past.entry.data, past.entry.kind
        along = kind in _ALONG or data.get("left") or (kind == "options-set" and "round-published" in kinds)
        if along and past is not act[-1]:
            continue
        made = _UNDO[kind](state, past, data, how) if kind in _UNDO else []
        if not made:
            return []
        commands += made
    return commands


def _entered_result(state: EventState, past: PastEntry, data: Mapping[str, Any], how: Undoing) -> Sequence[c.Command]:
    """Back to what stood before; reports that it has settled are gone, and are made again."""
    round_and_match = state.find_match(data["match"])
    if round_and_match is None:
        return []
    match = round_and_match[1]
    if match.reports:
        # Both have said something since, which would be lost.
        return []
    # What stood was on record: no clock is asked, and no reason.
    return [c.EnterResult(match.id, match.revision, match.replaced, past.entry.number, earlier=True, cut=how.cut)]


def _clock(state: EventState, past: PastEntry, data: Mapping[str, Any], how: Undoing) -> Sequence[c.Command]:
    """As it would stand by now, had it not been touched."""
    if past.was is None or state.clock.anchor != past.entry.at.instant:
        return []
    was, total_ms = past.was, past.was.data["total_ms"]
    before = Clock(was.data.get("state", IDLE), was.data.get("remaining_ms", total_ms), total_ms, was.at.instant)
    if before.state == IDLE:
        return [c.SetClock("reset")]
    turned = c.SetClock("start" if before.state == RUNNING else "pause")
    return [
        *([turned] if before.state != state.clock.state else []),
        c.SetClock("set", before.remaining_at(how.now) or 0),
    ]


def _extension(state: EventState, past: PastEntry, data: Mapping[str, Any], how: Undoing) -> Sequence[c.Command]:
    """Only the match's last one can be taken back."""
    round_and_match = state.find_match(data["match"])
    given = [line.number for line in round_and_match[1].log if line.kind == EXTENSION] if round_and_match else []
    return [c.TakeBackExtension(data["match"], how.by)] if given[-1:] == [past.entry.number] else []


def _was(field: str, command: Callable[[Any], c.Command]) -> Callable[..., Sequence[c.Command]]:
    """Undone by setting what the entry before says in this field."""
    return lambda _, past, *__: [] if past.was is None else [command(past.was.data.get(field))]


_UNDO: Mapping[str, Callable[[EventState, PastEntry, Mapping[str, Any], Undoing], Sequence[c.Command]]] = {
    "competitor-entered": lambda _, __, data, ___: [c.RemoveCompetitor(data["competitor"])],
    "competitor-dropped": lambda _, __, data, ___: [c.ReturnCompetitor(data["competitor"])],
    # Later it would concede a match, which is asked first where a player is dropped.
    "competitor-returned": lambda state, _, data, __: (
        [c.DropCompetitor(data["competitor"])]
        if leave_effect(state, data["competitor"]).what in (BEFORE, LATER)
        else []
    ),
    "checked-in": lambda _, __, data, ___: [c.CheckIn(data["competitor"], not data["on"])],
    "check-in-set": lambda _, __, data, ___: [c.SetCheckIn(not data["used"])],
    "sign-up-set": lambda _, past, *__: [
        c.SetSignUp(bool(mode := past.was and past.was.data["sign_up"]), mode == TO_CONFIRM)
    ],
    "ticked": lambda _, __, data, ___: [c.RecordCheck(data["competitor"], data["what"], not data["on"])],
    "official-duty": lambda _, __, data, ___: [c.OfficialDuty(data["official"], not data["on"])],
    "options-set": _was("options", lambda options: c.SetOptions(options)),
    "about-set": _was("about", lambda about: c.SetEventDetails(about or {})),
    "prizes-set": lambda _, past, *__: [
        c.SetPrizes(tuple(Prize(**each) for each in past.was.data["prizes"]) if past.was else ())
    ],
    "round-drawn": lambda state, _, data, __: (
        [c.DiscardDraft()]
        if state.draft and data["draw"]["attempt"] <= 1 and state.draft.number == data["number"]
        else []
    ),
    "round-published": lambda _, __, data, how: [c.UnpublishRound(data["number"], how.reason, by=how.by)],
    "clock-set": _clock,
    "event-finished": lambda *_: [c.ReopenEvent()],
    "cut-made": lambda *_: [c.WithdrawCut()],
    "result-entered": _entered_result,
    "no-show": lambda _, __, data, ___: [c.UndoNoShow(data["match"])],
    "nobody-came": lambda _, __, data, ___: [c.UndoNoShow(data["match"])],
    "no-show-undone": lambda _, __, data, ___: [
        c.NoShow(data["match"], data["absent"][0]) if len(data["absent"]) == 1 else c.DoubleNoShow(data["match"])
    ],
    "extension-granted": _extension,
    "extension-taken-back": lambda _, __, data, how: [c.GrantExtension(data["match"], data["minutes"], how.by)],
    "call-taken": lambda _, __, data, ___: [c.TakeCall(data["match"], "")],
    "call-closed": lambda _, past, data, __: (
        [c.CallJudge(data["match"], past.was.data["source"])] if past.was is not None else []
    ),
    "drop-refused": lambda _, past, data, __: (
        [c.AskToDrop(data["competitor"], past.was.data["source"])] if past.was is not None else []
    ),
}
