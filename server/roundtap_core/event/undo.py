"""Which commands undo what was done, by the entries of one act: while nothing later has touched what it touched."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from msgspec import Struct, structs

from roundtap_core.clock import IDLE, RUNNING, Clock, Instant
from roundtap_core.event import commands as c
from roundtap_core.event.abandoned_match import BEFORE, LATER, leave_effect
from roundtap_core.event.entries import Entry, Timestamp, chain_entry
from roundtap_core.event.states import TO_CONFIRM, EventState, Prize
from roundtap_core.records import result_from_json

# Kinds of later entries that replace what an entry of this kind has set.
_REPLACED_BY: Mapping[str, tuple[str, ...]] = {
    **{kind: (kind,) for kind in ("options-set", "about-set", "prizes-set", "sign-up-set", "clock-set")},
    "event-created": ("options-set", "about-set"),
    "round-published": ("clock-set",),
    "round-imported": ("clock-set",),
    "judge-called": ("call-closed",),
    "call-taken": ("call-taken",),
    "drop-asked": ("drop-refused",),
}

_NAMED = ("match", "competitor", "official", "present", "absent", "seeds")  # keys of what an entry touches

# What an entry touches beside the matches and people that it names.
_TOUCHES: Mapping[str, tuple[str, ...]] = {
    **{f"{what}-set": (what,) for what in ("options", "about", "prizes", "sign-up", "check-in", "clock", "officials")},
    "event-created": ("options", "about"),
    **dict.fromkeys(("round-published", "round-imported", "round-unpublished", "round-withdrawn"), ("draw", "clock")),
    **dict.fromkeys(("round-drawn", "round-mended", "draft-discarded"), ("draw",)),
    "round-closed": ("clock",),
    **dict.fromkeys(("cut-made", "cut-withdrawn", "place-accepted", "place-declined", "absent-passed-over"), ("cut",)),
    **dict.fromkeys(("event-finished", "event-reopened"), ("end",)),
}

# What else must not have been touched since: the draw is of those who are there.
_RESTS_ON: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("competitor-entered", "competitor-dropped", "competitor-returned"), ("draw",)),
    **dict.fromkeys(("checked-in", "check-in-set", "options-set"), ("draw",)),
    "cut-made": ("draw",),
    "official-duty": ("officials",),
}

# Kinds that concern a match or a competitor apart from its result, or from their part in the event.
_APART: Mapping[str, str] = {
    **dict.fromkeys(("judge-called", "call-cancelled", "call-taken", "call-closed"), "call"),
    **dict.fromkeys(("drop-asked", "drop-cancelled", "drop-refused"), "wish"),
    **dict.fromkeys(("extension-granted", "extension-taken-back"), "extension"),
    **dict.fromkeys(("ruling-noted", "appeal-made", "appeal-decided"), "ruling"),
}

# Kinds that an act makes beside what it is about.
_ALONG = ("draft-discarded", "round-closed", "played-on")


class PastEntry(Struct, frozen=True):
    """An entry, and the one that had set what it replaced, where its undoing needs that."""

    entry: Entry
    was: Entry | None


Act = tuple[PastEntry, ...]  # what was done in one request

Newest = MutableMapping[tuple[str, str], Entry]
"""The newest entries: by the kind that would replace it, and by what it touches, each with the match or competitor."""


def past_entry(entry: Entry, newest: Newest) -> PastEntry:
    """The entry as past; all that came before were given to this function in their order, with the same `newest`."""
    about = str(entry.data.get("match") or entry.data.get("competitor") or "")
    sides = ("report a", "report b") if entry.kind == "result-entered" else ()
    said = [newest.pop((side, about), None) for side in sides]
    # Where both sides had said something, that is what the result puts away.
    past = PastEntry(entry, said[-1] if said and all(said) else newest.get((entry.kind, about)))
    if entry.kind == "call-taken" and (called := newest.get(("call-closed", about))):
        # A call that comes back has the same one on the way.
        newest["call-closed", about] = structs.replace(called, data={**called.data, "by": entry.data["by"]})
    newest.update({(kind, about): entry for kind in _REPLACED_BY.get(entry.kind, ())})
    newest.update(dict.fromkeys(_touched(entry, _TOUCHES), entry))
    return past


def _touched(entry: Entry, beside: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """A report that was refused has touched nothing."""
    data, kinds = entry.data, ["of", f"report {entry.data['side']}"] if entry.kind == "report" else []
    named = [data.get(key) or () for key in _NAMED if data.get("fate") != "refused"]
    each = [one for names in named for one in ([names] if isinstance(names, str) else names)]
    about = [(kind, one) for kind in kinds or [_APART.get(entry.kind, "of")] for one in each]
    return about + [(what, "") for what in beside.get(entry.kind, ())]


class Undoing(Struct, frozen=True):
    """How it is undone: at what time, by whom (an official or a role), with what `reason` where one is kept, and what
    becomes of a cut (as in EnterResult)."""

    now: Instant
    by: str
    reason: str
    cut: str = ""


def undo_commands(state: EventState, act: Act, newest: Newest, how: Undoing) -> list[c.Command]:
    """The commands that undo the act, in their order; none where it cannot be undone, or where a later entry, even one
    that only restores, has touched what this act touched or rests on (`newest`: as `past_entry` was given all entries).
    Raises the Problem of a command that is refused."""
    published, commands = any(past.entry.kind == "round-published" for past in act), list[c.Command]()
    touched = [each for past in act for beside in (_TOUCHES, _RESTS_ON) for each in _touched(past.entry, beside)]
    if any(newest[each].number > act[-1].entry.number for each in touched if each in newest):
        return []
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
    after, at = state, Timestamp(how.now.boot_id, how.now.mono_ms)
    for command in commands:
        for new in c.decide(after, command, how.now):
            if new.kind == "draft-discarded" and not isinstance(command, c.DiscardDraft):
                # The draft was made with what would be undone, and nothing brings it back.
                return []
            after = c.apply(after, chain_entry(new, state.id, after.number + 1, after.head, at, how.by))
    return commands if after is not state else []


def _result(state: EventState, past: PastEntry, data: Mapping[str, Any], how: Undoing) -> Sequence[c.Command]:
    """Back to what stood before. A lone report that the result has settled is gone: the table says it again."""
    round_and_match = state.find_match(data["match"])
    if round_and_match is None:
        return ()
    revision, before = round_and_match[1].revision, round_and_match[1].replaced
    if past.was and result_from_json(past.was.data["result"]) != before:
        # What both sides said could not be brought back.
        return ()
    return (c.EnterResult(data["match"], revision, before, past.entry.number, earlier=True, cut=how.cut),)


def _clock(state: EventState, past: PastEntry, data: Mapping[str, Any], how: Undoing) -> Sequence[c.Command]:
    """As it would stand by now, had it not been touched."""
    if past.was is None:
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
    "extension-granted": lambda _, __, data, how: [c.TakeBackExtension(data["match"], how.by)],
    "extension-taken-back": lambda _, __, data, how: [c.GrantExtension(data["match"], data["minutes"], how.by)],
    "call-taken": lambda state, past, data, __: [
        # Back to who had taken the same call, if anybody had.
        c.TakeCall(
            data["match"],
            past.was.data["by"]
            if past.was
            and (call := state.calls.get(data["match"]))
            and past.was.at.boot_id == call.since.boot_id
            and past.was.at.mono_ms >= call.since.mono_ms
            else "",
        )
    ],
    "call-closed": lambda _, past, data, __: (
        [
            c.CallJudge(data["match"], past.was.data["source"]),
            *([c.TakeCall(data["match"], past.was.data["by"])] if past.was.data.get("by") else []),
        ]
        if past.was
        else ()
    ),
    "drop-refused": lambda _, past, data, __: (
        [c.AskToDrop(data["competitor"], past.was.data["source"])] if past.was else ()
    ),
}
