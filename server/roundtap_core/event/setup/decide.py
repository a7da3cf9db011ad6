"""Deciding on an event's making, and on its options: announced, then fixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.cut.decide import entries_of
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.lookups import without_draft
from roundtap_core.event.setup import commands as c
from roundtap_core.event.setup.about import SPECIAL_RULES, fit_about
from roundtap_core.event.state import EventState
from roundtap_core.limits import MOST_ROUNDS, refuse_wild_options
from roundtap_core.names import fit_name
from roundtap_core.records import SWISS
from roundtap_core.rulebooks.base import OWN, Options, Rulebook
from roundtap_core.rulebooks.registry import rulebook

NewEntries = list[NewEntry]



def _create(state: EventState, command: c.CreateEvent, now: Instant) -> NewEntries:
    if state.number:
        raise Problem("event_exists", name=state.name)
    refuse_wild_options(command.options)
    name = fit_name(command.name)
    if not name:
        raise Invalid("event_name_missing")
    book = rulebook(command.rulebook)
    if command.level is not None and command.level not in book.levels:
        raise Invalid("not_one_of", where="/level", value=command.level, options=", ".join(book.levels))
    return [NewEntry("event-created", {
        "name": name, "rulebook": command.rulebook, "level": command.level, "color": command.color,
        "options": dict(command.options), "seed": command.seed,
        **({"about": dict(command.about)} if command.about else {}),
    })]


def _import_record(state: EventState, command: c.ImportRecord, now: Instant) -> NewEntries:
    """The same entries that the event itself once made."""
    made: NewEntries = []
    if command.officials:
        made.append(NewEntry("officials-set", {"officials": [
            {"id": o.id, "role": o.role, "digest": o.digest, "second": o.second, "plays": o.plays}
            for o in command.officials
        ]}))
        made += [NewEntry("official-duty", {"official": o.id, "on": False})
                 for o in command.officials if not o.on_duty]
    made += [NewEntry("played-on", {**line.to_json(), "wall": line.wall}) for line in command.played_on]
    if command.cut is not None:
        made += entries_of(command.cut)
    if command.finished:
        # How it ended elsewhere is not told by a file.
        made.append(NewEntry("event-finished", {"places": []}))
    return made


def _set_about(state: EventState, command: c.SetAbout, now: Instant) -> NewEntries:
    """Special rules are announced before play, and then stand; the rest may be mended as long as the event runs."""
    about = fit_about(command.about)
    if state.public_rounds and about.get(SPECIAL_RULES) != state.about.get(SPECIAL_RULES):
        raise Problem("special_rules_fixed")
    return [NewEntry("about-set", {"about": about})] if about != state.about else []


def _set_options(state: EventState, command: c.SetOptions, now: Instant) -> NewEntries:
    """Announced, then fixed; only rounds and cut may be made to fit late entries, before round 2."""
    refuse_wild_options(command.options)
    changed = NewEntry("options-set", {"options": as_own(state.rulebook, command.options, state.players_at_start)})
    if not state.rounds:
        return [NewEntry("options-set", {"options": dict(command.options)})]
    rounds = command.options.get("swiss_rounds")
    if not structure_is_open(state) or _fixed(command.options) != _fixed(state.given_options):
        raise Problem("options_are_fixed")
    if rounds is not None and rounds < 1:
        raise Invalid("figure_out_of_range", where="/options/swiss_rounds", value=rounds, minimum=1,
                      maximum=MOST_ROUNDS)
    return [*without_draft(state), changed]


def as_own(book: Rulebook, given: Options, players: int | None) -> dict[str, Any]:
    """The options as they are announced: other rounds, another cut or shorter rounds than the named structure has for
    so many players are an own structure, and are called so."""
    name = given.get("structure", book.option_defaults["structure"])
    if name == OWN or players is None:
        return dict(given)
    bare = {key: value for key, value in given.items() if key not in ("swiss_rounds", "cut")}
    try:
        usual = book.structure(players, book.options(bare))
    except Problem:
        usual = None
    chosen = tuple(given[key] if given.get(key) is not None else (usual or (None, 0))[at]
                   for at, key in enumerate(("swiss_rounds", "cut")))
    if chosen == usual and not any(_shorter(book, given, stage) for stage in given.get("stages", {})):
        return dict(given)
    own = {**given, "structure": OWN, "cut": chosen[1]}
    return {**own, "swiss_rounds": chosen[0]} if chosen[0] is not None else own


def _shorter(book: Rulebook, given: Options, stage: str) -> bool:
    minutes = given["stages"][stage].get("minutes")
    games = {key: value for key, value in given["stages"][stage].items() if key != "minutes"}
    usual = book.minutes(stage, book.options({**given, "stages": {stage: games}}))
    return minutes is not None and usual is not None and minutes < usual


def structure_is_open(state: EventState) -> bool:
    """Whether late entries may still change rounds and cut: before round 2, where round 1 was a Swiss one."""
    return [played.stage for played in state.public_rounds] == [SWISS]


def _fixed(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key not in ("structure", "swiss_rounds", "cut")}


DECIDE_SETUP: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    c.CreateEvent: _create,
    c.ImportRecord: _import_record,
    c.SetAbout: _set_about,
    c.SetOptions: _set_options,
}
