"""Setting up: an event's making and its options, what it says of itself, what is missing before round 1; its prizes,
and whom the lot finds."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.elimination.bracket import Cut
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import states
from roundtap_core.event.cut import cut_entries
from roundtap_core.event.entries import NewEntries, NewEntry, Person
from roundtap_core.event.event_flow import Step, event_step, without_draft
from roundtap_core.event.judging import roles_of
from roundtap_core.event.states import ACTIVE, AMONG, CHECKED_IN, DoorPrize, EventState, Prize, active_ids
from roundtap_core.names import clean_name
from roundtap_core.randomness import lot_number
from roundtap_core.records import SWISS
from roundtap_core.rulebooks.base import NO, ORGANIZER, OWN, Options, Rulebook, may_play
from roundtap_core.rulebooks.own_rules import Rules, rules_data, rules_json
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.typed import (
    MOST_COMPETITORS,
    MOST_ROUNDS,
    Count,
    Exact,
    IdOrEmpty,
    LineOrEmpty,
    Prose,
    refuse_options_out_of_range,
)
from roundtap_core.wire import canonical_json

LIST_MISSING, LIST_WRONG, DECK_TWICE = "list_missing", "list_wrong", "deck_twice"
JUDGE_MISSING, SECOND_MISSING, MAY_NOT_PLAY = "judge_missing", "second_missing", "may_not_play"
KINDS = (JUDGE_MISSING, MAY_NOT_PLAY, SECOND_MISSING, LIST_MISSING, LIST_WRONG, DECK_TWICE)

DATE, VENUE, CLUB, EXTERNAL_ID, SPECIAL_RULES = "date", "venue", "club", "external_id", "special_rules"
ABOUT = (DATE, VENUE, CLUB, EXTERNAL_ID, SPECIAL_RULES)  # in the order in which they are read

MOST_LETTERS = 500  # of the special rules

_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
PRIZES_MAX = 100


class CreateEvent(Struct, frozen=True):
    name: Prose
    rulebook: IdOrEmpty
    level: LineOrEmpty | None
    options: Mapping[str, Any]
    color: LineOrEmpty
    seed: Exact
    about: Mapping[str, str] = {}  # by the keys ABOUT, as far as they are known
    rules: Rules | None = None  # of a store's own game: they stay the event's, whatever becomes of the file


class SetEventDetails(Struct, frozen=True):
    """All that the event says of itself from now on (keys ABOUT); what is missing or empty is not said."""

    about: Mapping[str, str]


class SetOptions(Struct, frozen=True):
    options: Mapping[str, Any]


class ImportRecord(Struct, frozen=True):
    """What an event file keeps beside competitors and rounds, as it happened: nothing of it is judged anew."""

    officials: tuple[states.Official, ...] = ()
    cut: Cut | None = None
    finished: bool = False
    played_on: tuple[states.PlayOnDecision, ...] = ()


def _create(state: states.EventState, command: CreateEvent, now: Instant) -> NewEntries:
    if state.number:
        raise Problem("event_exists", name=state.name)
    refuse_options_out_of_range(command.options)
    name = clean_name(command.name)
    if not name:
        raise Invalid("event_name_missing")
    book = rulebook(command.rulebook, None if command.rules is None else rules_json(command.rules))
    if command.level is not None and book.levels and command.level not in book.levels:
        raise Invalid("not_one_of", where="/level", value=command.level, options=", ".join(book.levels))
    return [
        NewEntry(
            "event-created",
            {
                "name": name,
                "rulebook": command.rulebook,
                **({} if command.rules is None else {"rules": rules_data(command.rules)}),
                "level": command.level,
                "color": command.color,
                "options": dict(command.options),
                "seed": command.seed,
                **({"about": dict(command.about)} if command.about else {}),
            },
        )
    ]


def _import_record(state: states.EventState, command: ImportRecord, now: Instant) -> NewEntries:
    """The same entries that the event itself once made."""
    made: NewEntries = []
    if command.officials:
        made.append(
            NewEntry(
                "officials-set",
                {
                    "officials": [
                        {"id": o.id, "role": o.role, "digest": o.digest, "second": o.second, "plays": o.plays}
                        for o in command.officials
                    ]
                },
            )
        )
        made += [NewEntry("official-duty", {"official": o.id, "on": False}) for o in command.officials if not o.on_duty]
    made += [NewEntry("played-on", {**line.to_json(), "wall": line.wall}) for line in command.played_on]
    if command.cut is not None:
        made += cut_entries(command.cut)
    if command.finished:
        # A file does not say how it ended elsewhere.
        made.append(NewEntry("event-finished", {"places": []}))
    return made


def _set_about(state: states.EventState, command: SetEventDetails, now: Instant) -> NewEntries:
    """Special rules are announced before play, and then stand; the rest may be mended as long as the event runs."""
    about = clean_details(command.about)
    if state.public_rounds and about.get(SPECIAL_RULES) != state.about.get(SPECIAL_RULES):
        raise Problem("special_rules_fixed")
    return [NewEntry("about-set", {"about": about})] if about != state.about else []


def _set_options(state: states.EventState, command: SetOptions, now: Instant) -> NewEntries:
    """Announced, then fixed with round 1; only rounds and cut may be made to fit late entries, before round 2."""
    refuse_options_out_of_range(command.options)
    if not state.public_rounds:
        # Whether lists are asked for changes no pairing.
        others = [{**options, "lists_required": None} for options in (command.options, state.given_options)]
        return [
            *(without_draft(state) if others[0] != others[1] else ()),
            NewEntry("options-set", {"options": dict(command.options)}),
        ]
    rounds = command.options.get("swiss_rounds")
    if _fixed(command.options) != _fixed(state.given_options):
        raise Problem("options_are_fixed")
    if not structure_is_open(state):
        raise Problem("structure_is_fixed", number=structure_fixed_by(state))
    if rounds is not None and rounds < 1:
        raise Invalid(
            "figure_out_of_range", where="/options/swiss_rounds", value=rounds, minimum=1, maximum=MOST_ROUNDS
        )
    changed = custom_options(state.rulebook, command.options, state.players_at_start)
    return [*without_draft(state), NewEntry("options-set", {"options": changed})]


def custom_options(book: Rulebook, given: Options, players: int | None) -> dict[str, Any]:
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
    chosen = tuple(
        given[key] if given.get(key) is not None else (usual or (None, 0))[at]
        for at, key in enumerate(("swiss_rounds", "cut"))
    )
    if chosen == usual and not any(_shorter(book, given, stage) for stage in given.get("stages", {})):
        return dict(given)
    own = {**given, "structure": OWN, "cut": chosen[1]}
    return {**own, "swiss_rounds": chosen[0]} if chosen[0] is not None else own


def _shorter(book: Rulebook, given: Options, stage: str) -> bool:
    minutes = given["stages"][stage].get("minutes")
    games = {key: value for key, value in given["stages"][stage].items() if key != "minutes"}
    usual = book.minutes(stage, book.options({**given, "stages": {stage: games}}))
    return minutes is not None and usual is not None and minutes < usual


def structure_fixed_by(state: states.EventState) -> int:
    """The round that fixes rounds and cut once it is published: late entries may change them before round 2, where
    round 1 is a Swiss one."""
    begins = [played.stage for played in state.public_rounds[:1]]
    return 2 if begins == [SWISS] or (not begins and state.given_options.get("swiss_rounds") != 0) else 1


def structure_is_open(state: states.EventState) -> bool:
    """Whether rounds and cut may still be changed."""
    return len(state.public_rounds) < structure_fixed_by(state)


def _fixed(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key not in ("structure", "swiss_rounds", "cut")}


DECIDE_SETUP: Mapping[type, Callable[[states.EventState, Any, Instant], NewEntries]] = {
    CreateEvent: _create,
    ImportRecord: _import_record,
    SetEventDetails: _set_about,
    SetOptions: _set_options,
}


def open_list_points(state: states.EventState, people: Mapping[str, Person]) -> tuple[states.OpenPoint, ...]:
    """What the lists of those who play lack; no two decks of the world bear one name. Entries hold digests of lists, so
    the hub, which has the people, must look."""
    tournament, check, options = states.tournament_of(state, people), state.rulebook.lists, state.options
    active, points = states.active_ids(state), []
    for competitor in tournament.competitors if check.required(options, state.level) else ():
        if competitor.id in active and check.competitor_problems(competitor, options, state.level):
            there = bool(check.of_competitor(competitor))
            points.append(states.OpenPoint(LIST_WRONG if there else LIST_MISSING, competitor.id))
    playing = [competitor for competitor in tournament.competitors if competitor.id in active]
    for problem in check.event_warnings(playing, options):
        if problem.key == "list_deck_twice":
            points.append(states.OpenPoint(DECK_TWICE, playing[int(problem.where.split("/")[1])].id))
    return tuple(points)


def open_official_points(state: states.EventState) -> Iterator[states.OpenPoint]:
    """A judge, where the rulebook wants one (the organizer can be it, but not while playing), and for every official
    who plays a second one on duty."""
    on_duty = [official for official in state.officials.values() if official.on_duty]
    if state.rulebook.judge_required and all(official.plays is not None for official in on_duty):
        yield states.OpenPoint(JUDGE_MISSING)
    playing = [entrant.id for entrant in state.entrants.values() if entrant.active and entrant.officials_role]
    policy = may_play(state.rulebook, state.level)
    for who in playing:
        if policy == NO:
            yield states.OpenPoint(MAY_NOT_PLAY, who)
        elif not _ruled_by_another(on_duty, who):
            yield states.OpenPoint(SECOND_MISSING, who)


def _ruled_by_another(on_duty: Iterable[states.Official], who: str) -> bool:
    """Whether a second official is there for this one's games; for a second official's own, any other."""
    others = [official for official in on_duty if official.plays != who]
    is_second = any(official.second for official in on_duty if official.plays == who)
    return any(official.second or is_second for official in others)


def open_points(state: states.EventState, lists: Iterable[states.OpenPoint] = ()) -> tuple[states.OpenPoint, ...]:
    """All missing points that play has not knowingly continued with; `lists` are `open_list_points`."""
    noted = {point for line in state.played_on for point in line.points}
    points = [point for point in (*open_official_points(state), *lists) if point not in noted]
    return tuple(sorted(points, key=lambda point: KINDS.index(point.kind)))


def point_count(points: Iterable[states.OpenPoint]) -> int:
    """How many items they are to a reader: all missing lists are one."""
    return len({LIST_MISSING if point.kind == LIST_MISSING else point for point in points})


def play_on_entries(
    state: states.EventState,
    lists: Iterable[states.OpenPoint],
    reason: str,
    seen: Iterable[str] | None = None,
    by: str = ORGANIZER,
) -> list[NewEntry]:
    """The entry that notes what was missing when round 1 was published; none where nothing was. Raises
    Problem("points_open") where no reason is given for playing on, and Problem("points_changed_meanwhile") where other
    points are open than those `seen` (as text, each)."""
    points = open_points(state, lists)
    if not points:
        return []
    if not reason.strip():
        raise Problem("points_open", n=point_count(points), points=", ".join(map(str, points)))
    if seen is not None and set(map(str, points)) - set(seen):
        raise Problem("points_changed_meanwhile")
    roles_of(state, by)
    return [
        NewEntry(
            "played-on",
            {
                "points": [{"kind": point.kind, "who": point.who} for point in points],
                "reason": reason.strip(),
                "by": by,
            },
        )
    ]


def clean_details(details: Mapping[str, str]) -> dict[str, str]:
    """What was typed as the event keeps it, in the order of ABOUT; what is empty is left out. Raises
    Problem("date_wrong", "name_unfit", "name_too_long", "text_too_long") with the key's place."""
    fitted = {key: _FIT[key](details.get(key, "")) for key in ABOUT}
    return {key: text for key, text in fitted.items() if text}


def _date(text: str) -> str:
    text = text.strip()
    try:
        # Only this one way to write it: others mean another day elsewhere.
        right = not text or date.fromisoformat(text).isoformat() == text
    except ValueError:
        right = False
    if not right:
        raise Invalid("date_wrong", where=f"/{DATE}", value=text[:20])
    return text


def _line(key: str, text: str) -> str:
    try:
        return clean_name(text)
    except Problem as problem:
        raise problem.at(f"/{key}") from None


def _rules(text: str) -> str:
    text = _NO_TEXT.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if len(text) > MOST_LETTERS:
        raise Invalid("text_too_long", where=f"/{SPECIAL_RULES}", count=len(text), maximum=MOST_LETTERS)
    return text


_FIT = {
    DATE: _date,
    VENUE: lambda text: _line(VENUE, text),
    CLUB: lambda text: _line(CLUB, text),
    EXTERNAL_ID: lambda text: _line(EXTERNAL_ID, text),
    SPECIAL_RULES: _rules,
}


APPLY_SETUP: Mapping[str, Step] = {
    "event-created": event_step(
        lambda data: {
            "name": data["name"],
            "rulebook_id": data["rulebook"],
            "rules": canonical_json(data["rules"]).decode() if "rules" in data else None,
            "level": data["level"],
            "color": data["color"],
            "given_options": data["options"],
            "seed": data["seed"],
            "about": data.get("about", {}),
        }
    ),
    "about-set": event_step(lambda data: {"about": data["about"]}),
    "options-set": event_step(lambda data: {"given_options": data["options"]}),
    # An imported one says itself when it was decided.
    "played-on": lambda state, data, entry: replace(
        state, played_on=(*state.played_on, states.played_on_from_json(data, entry.number, entry.at.wall))
    ),
}


class SetPrizes(Struct, frozen=True):
    """The whole list, in place of the one before."""

    prizes: tuple[Prize, ...]


class DrawDoorPrize(Struct, frozen=True):
    """Draw `count` winners of a door prize by `seed`. `again`: who has won one may win another. `seen`: how many draws
    were known to who pressed the button, so that a second press does not draw again."""

    what: Prose
    count: Count
    seed: Exact
    among: IdOrEmpty = ACTIVE
    again: bool = False
    seen: Exact | None = None


def set_prizes(state: EventState, command: SetPrizes, now: Instant) -> NewEntries:
    """Raises Problem where a prize is unfit (no text, no places or category), or there are too many."""
    if len(command.prizes) > PRIZES_MAX:
        raise Problem("wrong_length", where="/prizes", count=len(command.prizes), right=f"0–{PRIZES_MAX}")
    for prize in command.prizes:
        _refuse_unfit(state, prize)
    if command.prizes == state.prizes:
        return []
    return [NewEntry("prizes-set", {"prizes": [_to_json(prize) for prize in command.prizes]})]


def _refuse_unfit(state: EventState, prize: Prize) -> None:
    by_place = prize.first is not None and prize.last is not None and 1 <= prize.first <= prize.last <= MOST_COMPETITORS
    if not prize.what.strip() or by_place == bool(prize.category):
        raise Invalid("prize_for_whom", where="/prizes", what=prize.what)
    if prize.competitor is not None and (prize.category is None or prize.competitor not in state.entrants):
        raise Problem("unknown_competitor", competitor=prize.competitor)


def _to_json(prize: Prize) -> dict[str, Any]:
    if prize.category is None:
        return {"what": prize.what, "first": prize.first, "last": prize.last}
    chosen = {} if prize.competitor is None else {"competitor": prize.competitor}
    return {"what": prize.what, "category": prize.category, **chosen}


def draw_door_prize(state: EventState, command: DrawDoorPrize, now: Instant) -> NewEntries:
    """The draw with all that it takes to repeat it: the list it was drawn from, and the seed."""
    if not command.what.strip():
        raise Invalid("door_prize_what", where="/what")
    if command.among not in AMONG:
        raise Invalid("not_one_of", where="/among", value=command.among, options=", ".join(AMONG))
    if command.seen not in (None, len(state.door_prizes)):
        raise Problem("door_prize_drawn_meanwhile")
    pool = door_prize_pool(state, command.among, command.again)
    if not 1 <= command.count <= len(pool):
        raise Invalid("door_prize_too_few", where="/count", count=command.count, pool=len(pool))
    # The smallest tickets of this seed (see randomness.lot): every reader can work it out again.
    winners = sorted(pool, key=lambda who: lot_number(command.seed, who))[: command.count]
    return [
        NewEntry(
            "door-prize-drawn",
            {
                "what": command.what.strip(),
                "among": command.among,
                "again": command.again,
                "seed": command.seed,
                "pool": list(pool),
                "winners": list(winners),
            },
        )
    ]


def door_prize_pool(state: EventState, among: str, again: bool) -> tuple[str, ...]:
    """Who takes part in a draw, by id; the disqualified never, nor who has not come yet."""
    won = set() if again else {who for draw in state.door_prizes for who in draw.winners}
    played = {
        who
        for round_state in state.public_rounds
        for match in round_state.matches
        if match.match.b is not None
        for who in (match.match.a, match.match.b)
        if who is not None
    }
    in_play = active_ids(state)
    return tuple(
        sorted(
            entrant.id
            for entrant in state.entrants.values()
            if entrant.disqualified_after is None
            and entrant.id not in won
            and (
                entrant.id in in_play
                if among == ACTIVE
                else entrant.checked_in
                if among == CHECKED_IN
                else entrant.id in played
            )
        )
    )


DECIDE_PRIZES: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    SetPrizes: set_prizes,
    DrawDoorPrize: draw_door_prize,
}


APPLY_PRIZES: Mapping[str, Step] = {
    "prizes-set": event_step(lambda data: {"prizes": tuple(Prize(**prize) for prize in data["prizes"])}),
    "door-prize-drawn": lambda state, data, entry: replace(
        state,
        door_prizes=(
            *state.door_prizes,
            DoorPrize(
                entry.number,
                data["what"],
                data["among"],
                data["again"],
                data["seed"],
                tuple(data["pool"]),
                tuple(data["winners"]),
            ),
        ),
    ),
}
