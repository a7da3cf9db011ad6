"""Which commands undo what was done, by the entries of one act. `decide` says whether they still may be done."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from msgspec import Struct

from roundtap_core.clock import IDLE, RUNNING, Clock, Instant
from roundtap_core.event import commands as c
from roundtap_core.event.abandoned_match import BEFORE, LATER, leave_effect
from roundtap_core.event.entries import Entry
from roundtap_core.event.states import EXTENSION, TO_CONFIRM, EventState, Prize

# Kinds of later entries that replace what an entry of this kind has set.
_REPLACED_BY: Mapping[str, tuple[str, ...]] = {
    **{kind: (kind,) for kind in ("options-set", "about-set", "prizes-set", "sign-up-set", "clock-set")},
    "event-created": ("options-set", "about-set"),
    "round-published": ("clock-set",),
    "round-imported": ("clock-set",),
    "judge-called": ("call-closed",),
    "drop-asked": ("drop-refused",),
}

# Kinds that an act makes beside what it is about.
_ALONG = ("draft-discarded", "round-closed", "played-on")


class PastEntry(Struct, frozen=True):
    """An entry, and the one that had set what it replaced, where its undoing needs that."""

    entry: Entry
    was: Entry | None


Act = tuple[PastEntry, ...]  # what was done in one request

Newest = MutableMapping[tuple[str, str], Entry]  # by the kind that would replace it, and the match or competitor


def past_entry(entry: Entry, newest: Newest) -> PastEntry:
    """The entry as past; all that came before were given to this function in their order, with the same `newest`."""
    about = str(entry.data.get("match") or entry.data.get("competitor") or "")
    past = PastEntry(entry, newest.get((entry.kind, about)))
    newest.update({(kind, about): entry for kind in _REPLACED_BY.get(entry.kind, ())})
    return past


class Undoing(Struct, frozen=True):
    """How it is undone: at what time, by whom (an official or a role), with what `reason` where one is kept, and what
    becomes of a cut (as in EnterResult)."""

    now: Instant
    by: str
    reason: str
    cut: str = ""


def undo_commands(state: EventState, act: Act, how: Undoing) -> list[c.Command]:
    """The commands that undo the act, in their order; none where it cannot be undone."""
    published, commands = any(past.entry.kind == "round-published" for past in act), list[c.Command]()
    for past in reversed(act):
        kind, data = past.entry.kind, past.entry.data
        if past is not act[-1] and (kind in _ALONG or data.get("left") or (kind == "options-set" and published)):
            continue
        # Set twice in one act, as a clock that starts again and is set: only what stood before both counts.
        if any(past.was is each.entry for each in act):
            continue
        if not (made := _UNDO[kind](state, past, data, how) if kind in _UNDO else ()):
            return []
        commands += made
    return commands


def _result(state: EventState, past: PastEntry, data: Mapping[str, Any], how: Undoing) -> Sequence[c.Command]:
    """Back to what stood before. Reports that the result has settled are gone: the table says it again."""
    round_and_match = state.find_match(data["match"])
    if round_and_match is None or round_and_match[1].reports:
        # What both have said since would be lost.
        return ()
    revision, before = round_and_match[1].revision, round_and_match[1].replaced
    return (c.EnterResult(data["match"], revision, before, past.entry.number, earlier=True, cut=how.cut),)


def _clock(state: EventState, past: PastEntry, data: Mapping[str, Any], how: Undoing) -> Sequence[c.Command]:
    """As it would stand by now, had it not been touched."""
    if past.was is None or state.clock.anchor != past.entry.at.instant:
        return ()
    was, total_ms = past.was.data, past.was.data["total_ms"]
    before = Clock(was.get("state", IDLE), was.get("remaining_ms", total_ms), total_ms, past.was.at.instant)
    if before.state == IDLE:
        return (c.SetClock("reset"),)
    turned = [c.SetClock("start" if before.state == RUNNING else "pause")] if before.state != state.clock.state else []
    return (*turned, c.SetClock("set", before.remaining_at(how.now) or 0))


_UNDO: Mapping[str, Callable[[EventState, PastEntry, Mapping[str, Any], Undoing], Sequence[c.Command]]] = {
    "competitor-entered": lambda _, __, data, ___: [c.RemoveCompetitor(data["competitor"])],
    "competitor-dropped": lambda _, __, data, ___: [c.ReturnCompetitor(data["competitor"])],
    # Who sits at a match would concede it, which the page of a drop asks about first.
    "competitor-returned": lambda state, _, data, __: (
        [c.DropCompetitor(data["competitor"])]
        if leave_effect(state, data["competitor"]).what in (BEFORE, LATER)
        else ()
    ),
    "checked-in": lambda _, __, data, ___: [c.CheckIn(data["competitor"], not data["on"])],
    "check-in-set": lambda _, __, data, ___: [c.SetCheckIn(not data["used"])],
    "sign-up-set": lambda _, past, *__: [
        c.SetSignUp(
            bool(past.was and past.was.data["sign_up"]), bool(past.was and past.was.data["sign_up"] == TO_CONFIRM)
        )
    ],
    "ticked": lambda _, __, data, ___: [c.RecordCheck(data["competitor"], data["what"], not data["on"])],
    "official-duty": lambda _, __, data, ___: [c.OfficialDuty(data["official"], not data["on"])],
    "options-set": lambda _, past, *__: [c.SetOptions(past.was.data["options"])] if past.was else (),
    "about-set": lambda _, past, *__: [c.SetEventDetails(past.was.data.get("about", {}))] if past.was else (),
    "prizes-set": lambda _, past, *__: [
        c.SetPrizes(tuple(Prize(**each) for each in past.was.data["prizes"]) if past.was else ())
    ],
    "round-drawn": lambda state, _, data, __: (
        [c.DiscardDraft()] if state.draft and state.draft.number == data["number"] and state.draft.attempt <= 1 else ()
    ),
    "round-published": lambda _, __, data, how: [c.UnpublishRound(data["number"], how.reason, by=how.by)],
    "clock-set": _clock,
    "event-finished": lambda *_: [c.ReopenEvent()],
    "cut-made": lambda *_: [c.WithdrawCut()],
    "result-entered": _result,
    "no-show": lambda _, __, data, ___: [c.UndoNoShow(data["match"])],
    "nobody-came": lambda _, __, data, ___: [c.UndoNoShow(data["match"])],
    "no-show-undone": lambda _, __, data, ___: [
        c.NoShow(data["match"], data["absent"][0]) if len(data["absent"]) == 1 else c.DoubleNoShow(data["match"])
    ],
    # Only the match's last one can be taken back.
    "extension-granted": lambda state, past, data, how: (
        [c.TakeBackExtension(data["match"], how.by)]
        if (found := state.find_match(data["match"]))
        and [line.number for line in found[1].log if line.kind == EXTENSION][-1:] == [past.entry.number]
        else ()
    ),
    "extension-taken-back": lambda _, __, data, how: [c.GrantExtension(data["match"], data["minutes"], how.by)],
    "call-taken": lambda _, __, data, ___: [c.TakeCall(data["match"], "")],
    "call-closed": lambda _, past, data, __: [c.CallJudge(data["match"], past.was.data["source"])] if past.was else (),
    "drop-refused": lambda _, past, data, __: (
        [c.AskToDrop(data["competitor"], past.was.data["source"])] if past.was else ()
    ),
}
