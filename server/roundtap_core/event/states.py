"""The state of one event: what the fold of its entries yields. Frozen; `commands.apply` makes the next one. As bytes
and back: the same bytes wherever the same entries were folded."""

from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any

from msgspec import Struct, json
from msgspec.inspect import type_info
from msgspec.structs import replace

from roundtap_core import records
from roundtap_core.clock import Clock, Instant
from roundtap_core.elimination.bracket import Cut
from roundtap_core.event.entries import GENESIS, Person
from roundtap_core.names import public_names
from roundtap_core.rulebooks.base import HEAD_JUDGE, JUDGE, ORGANIZER, Rulebook
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.typed import Count, Exact, Id, IdOrEmpty, LastRound, Line, Number, Prose, Text
from roundtap_core.wire import digest

ACTIVE, PLAYED, CHECKED_IN = "active", "played", "checked_in"
AMONG = (ACTIVE, PLAYED, CHECKED_IN)
"""The pools of a door prize: still in the event, has played a match, was checked in."""

ROLES = (ORGANIZER, HEAD_JUDGE, JUDGE)

RULING, APPEAL, DECISION, EXTENSION = "ruling", "appeal", "decision", "extension"  # kinds of lines in a match's log

DRAFT, PUBLISHED, CLOSED = "draft", "published", "closed"

SIGNED_UP, TO_CONFIRM = "signed-up", "to-confirm"
"""Of who entered by their own phone: that is all; the desk has to confirm it before they are paired."""

MARK_DIGITS = 12  # letters of a digest that only tells the state a person looked at from the state now

ID_LETTERS = 16  # more than the longest id of a match has: round and place

OPEN, ONE_SIDED, AGREED, DISPUTE, DECIDED = "open", "one-sided", "agreed", "dispute", "decided"
ONE_PHONE = "one-phone"  # both sides say the same, by the same phone: nothing stands until an official has asked them
"""States of a match: no report; one side did; both agree; they differ; an official entered the result."""
SECOND = "second"
"""A result stands, and since then both have agreed to another one: the first stands until a judge decides."""

PLAYS_ON, TOGETHER = "plays-on", "together"
LATE_ENTRY, DROPPED_OUT = "late", "drop"
"""How a player dropped: only after the round, or when both of a match had asked to leave before either left."""


class Prize(Struct, frozen=True):
    """What is won: for the places `first` to `last`, or for a `category`, whose `competitor` the organizer chooses."""

    what: Prose
    first: Number | None = None
    last: Number | None = None
    category: Line | None = None
    competitor: Text | None = None


class DoorPrize(Struct, frozen=True):
    """One draw: out of `pool` by `seed`, `winners` in the order in which they were drawn. `number`: its entry."""

    number: int
    what: str
    among: str
    again: bool
    seed: int
    pool: tuple[str, ...]
    winners: tuple[str, ...]


class OpenPoint(Struct, frozen=True):
    """One thing that the rulebook wants before round 1; `who` is the competitor it is about, "" where nobody is."""

    kind: Id
    who: Text = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.who}" if self.who else self.kind


class PlayOnDecision(Struct, frozen=True):
    """One such decision: in which entry, what was missing, why it was played on, who said so, and the wall time where
    the hub knew one."""

    number: Exact
    points: tuple[OpenPoint, ...]
    reason: Prose
    by: Id
    wall: Line | None = None

    def to_json(self) -> dict[str, Any]:
        """As the event file has it: the number is the journal's own."""
        points = [{"kind": point.kind, **({"who": point.who} if point.who else {})} for point in self.points]
        wall = {"wall": self.wall} if self.wall is not None else {}
        return {"points": points, "reason": self.reason, "by": self.by, **wall}


def played_on_from_json(data: Mapping[str, Any], number: int = 0, wall: str | None = None) -> PlayOnDecision:
    """What `PlayOnDecision.to_json` wrote, or the entry's data; `wall` where the data says none."""
    points = tuple(OpenPoint(point["kind"], point.get("who", "")) for point in data["points"])
    return PlayOnDecision(number, points, data["reason"], data["by"], data.get("wall", wall))


class Official(Struct, frozen=True):
    """An official as entries know one: the name is with the people, under the same id. `plays` is the competitor that
    this official also is. `second`: announced as a second official at the start. Off duty: a spectator."""

    id: Id
    role: Id
    digest: IdOrEmpty = ""
    second: bool = False
    plays: Text | None = None
    on_duty: bool = True


class LogLine(Struct, frozen=True):
    """One line of a match's log; `number` is its entry. `by` is an official or a role; at an appeal, the competitor.
    `upheld` (at a decision): the ruling stands."""

    kind: str
    number: int
    by: str
    text: str = ""
    upheld: bool | None = None
    minutes: int | None = None


class Entrant(Struct, frozen=True):
    """A competitor as entries know one: an id and a salted digest, no name (names live in people)."""

    id: Id
    digest: IdOrEmpty
    won_bye: bool = False
    came_with: Line | None = None
    fixed_table: Number | None = None
    dropped_after: LastRound | None = None
    disqualified_after: LastRound | None = None
    warnings: tuple[Mapping[str, Any], ...] = ()
    list_total: Count | None = None
    list_corrections: tuple[Mapping[str, Any], ...] = ()
    """When and why officials corrected the list: {"round", "reason"}."""
    ticks: tuple[Line, ...] = ()
    officials_role: Line | None = None
    proposed: Mapping[str, Any] | None = None  # a disqualification that the head judge proposed: {"reason", "by"}
    declined_at: Count = 0  # how many warnings there were when a proposal was last declined
    disqualification: Mapping[str, Any] | None = None  # why, and by whom: {"reason", "by"}
    checked_in: bool = False  # marked as present, where the event asks for it (EventState.check_in)
    sign_up: Line | None = None  # SIGNED_UP or TO_CONFIRM of who entered by their own phone
    how_left: IdOrEmpty = ""  # PLAYS_ON or TOGETHER of who dropped so
    reasons: tuple[Mapping[str, Any], ...] = ()
    """Why they came late, or left: {"round", "what", "reason"}, "what" being LATE_ENTRY or DROPPED_OUT."""

    @property
    def active(self) -> bool:
        return self.dropped_after is None and self.disqualified_after is None

    @property
    def status(self) -> str | None:
        """DISQUALIFIED, DROPPED, or None, as in the standings."""
        if self.disqualified_after is not None:
            return records.DISQUALIFIED
        return None if self.active else records.DROPPED

    @property
    def plays_live_match(self) -> bool:
        """Whether they play the match that they are in: one who leaves only after the round does."""
        return self.active or (self.how_left == PLAYS_ON and self.disqualified_after is None)


class SideReport(Struct, frozen=True):
    """What one side says, and the number of the entry that holds it. `report_id` and `body` (the digest of all that
    was sent) name it to the other side, which may agree to it. `holder`: a mark of the browser that said it; None: a
    unit, at which both sit."""

    result: records.Result
    number: int
    report_id: str = ""
    body: str = ""
    holder: str | None = None


class MatchState(Struct, frozen=True, dict=True):
    """A match in play. `revision` counts officials' interventions: a report that saw an older one comes too late.
    `number` is the entry at which the standing result became so."""

    id: str
    match: records.Match
    reports: Mapping[records.Side, SideReport] = {}
    revision: int = 0
    decided: bool = False
    number: int | None = None
    reported_mono_ms: int | None = None
    lots: Mapping[str, records.Side] = {}
    """What lots before play have said: {"first_player": "b"}. They stand even if later steps are taken back."""
    by_leaving: bool = False  # the result came about because one of the two left
    stood: records.Result | None = None  # what stood before an official last put another result in its place
    replaced: records.Result | None = None  # what stood just before the result that an official has entered last
    log: tuple[LogLine, ...] = ()  # rulings, appeals, decisions on them, extensions; in order
    corrections: tuple[Mapping[str, Any], ...] = ()
    """Results that stood before an official put another one in their place: {"was": the event file's result, "by",
    "after_round": the newest public round}."""
    drawn: records.Match | None = None  # the pairing as it was drawn, where one of the two, or both, did not appear
    heard: Mapping[records.Side, int] = {}
    """The highest serial of each side's reports that was accepted; what officials did since changes nothing of it."""
    strangers: Mapping[str, int] = {}
    """Units that reported this match and had not stood at its table: the entry that last refused each of them."""
    by_hand: Mapping[str, Any] | None = None
    """Who last paired these two, or moved them here, manually, and why: {"what", "by", "reason"}. None: as drawn."""

    @cached_property
    def state(self) -> str:
        """Called thousands of times for one page."""
        results = [report.result for report in self.reports.values()]
        if self.decided:
            return DECIDED
        if len(results) == 2:
            if results[0] != results[1]:
                return DISPUTE
            if self.match.result is None and self.one_phone:
                return ONE_PHONE
            return AGREED if self.match.result in (None, results[0]) else SECOND
        # A result without reports came with an imported round: a different report disputes it.
        if self.match.result is not None:
            return DISPUTE if results and results[0] != self.match.result else AGREED
        return ONE_SIDED if results else OPEN

    @property
    def one_phone(self) -> bool:
        """Whether the same browser reported for both sides; one without a mark is like any other without."""
        holders = [report.holder for report in self.reports.values()]
        return len(holders) == 2 and holders[0] is not None and holders[0] == holders[1]

    @property
    def second(self) -> records.Result | None:
        """What both agreed to while another result stood; None where no judge has to decide between two."""
        return self.reports["a"].result if self.state == SECOND else None

    @property
    def corrected(self) -> bool:
        """Whether an official replaced a result that had stood: both players are to know."""
        return self.decided and self.stood not in (None, self.match.result)

    @property
    def done(self) -> bool:
        """A bye, or a result that stands undisputed."""
        return self.match.bye is not None or (self.match.result is not None and self.state not in (DISPUTE, SECOND))


class RoundState(Struct, frozen=True, dict=True):
    number: int
    stage: str
    status: str
    matches: tuple[MatchState, ...]
    draw: records.Draw | None = None
    notes: Mapping[str, Any] = {}
    tiebreak_form: str | None = None
    mark: str = ""  # names this very draw: another one of the same round has the same match ids, but another mark
    extra_minutes: int | None = None  # what chance adds to this round; for officials' eyes until it runs
    venue_number: int | None = None
    """The newest entry of the venue when this round was published: placements that ended after it are of this round.
    None: published by a core that did not say."""
    mends: tuple[Mapping[str, Any], ...] = ()
    """What was mended, in order: {"what", "by", "reason", "number", "matches"}; `number` is the entry's."""
    taken_back: int = 0  # how often it was published and became a draft again

    @cached_property
    def open_matches(self) -> tuple[MatchState, ...]:
        return tuple(m for m in self.matches if not m.done)

    @cached_property
    def seats(self) -> Mapping[str, MatchState]:
        """Each competitor's match."""
        seats = {m.match.a: m for m in self.matches}
        seats.update({m.match.b: m for m in self.matches if m.match.b is not None})
        return seats

    @property
    def attempt(self) -> int:
        """Which draw of this round it is; 0: none was drawn."""
        return self.draw.attempt if self.draw else 0


class ReportFate(Struct, frozen=True):
    """What became of a report: accepted or refused (with the reason), in which entry. `body` is the digest of
    what was said, so that the same id with another body is noticed."""

    fate: str
    number: int
    hash: str
    body: str
    reason: str | None = None
    match: str | None = None


UNIT_SOURCE = "unit:"  # how the source of a table unit begins; its name follows


class Request(Struct, frozen=True):
    """What people ask for until it is answered (event/requests.py). `since`: when the first of them asked, which names
    the request; `sources`: who asks, each since when; `taken_by`: the official who goes there."""

    since: Instant
    sources: Mapping[str, Instant]
    taken_by: str = ""
    refused: bool = False


class EventState(Struct, frozen=True, dict=True):
    """Everything about one event but names. `number` and `head` are the last entry's."""

    id: str
    number: int = 0
    head: str = GENESIS
    name: str = ""
    rulebook_id: str = ""
    rules: str | None = None  # of a store's own game, as canonical JSON
    level: str | None = None
    color: str = "#0072B2"
    given_options: Mapping[str, Any] = {}
    seed: int = 0
    players_at_start: int | None = None
    entrants: Mapping[str, Entrant] = {}
    rounds: tuple[RoundState, ...] = ()
    clock: Clock = Clock()
    fates: Mapping[str, ReportFate] = {}
    """By the id of the report; of any kind of mapping: the first report makes it one that grows (fates.py)."""
    finished: bool = False
    ended_as: tuple[str, ...] | None = None
    """All places when the event was finished, best first; None: not noted, as in older journals."""
    diverged: tuple[int, ...] = ()
    """Rounds whose recorded digest this core does not reproduce: it computes otherwise than the core that ran then."""
    cut: Cut | None = None  # the cut as it was made here; an imported event has none, its bracket tells
    about: Mapping[str, str] = {}  # what the event says of itself, by the keys ABOUT of setup.py; each may be missing
    played_on: tuple[PlayOnDecision, ...] = ()
    officials: Mapping[str, Official] = {}  # By id. Empty: any logged-in user is the organizer.
    check_in: bool = False  # whether only those who have checked in are paired
    sign_up: Line | None = None
    """While players may enter by their own phones: what they then are, SIGNED_UP or TO_CONFIRM."""
    removed: tuple[str, ...] = ()  # ids of entries that were taken out: their links and rows are never given again

    prizes: tuple[Prize, ...] = ()
    door_prizes: tuple[DoorPrize, ...] = ()
    calls: Mapping[str, Request] = {}  # by match: a judge is wanted there
    wishes: Mapping[str, Request] = {}  # by competitor: to drop from the event; a refused one until the next round

    @cached_property
    def rulebook(self) -> Rulebook:
        return rulebook(self.rulebook_id, self.rules)

    @property
    def options(self) -> dict[str, Any]:
        return self.rulebook.options(self.given_options)

    @property
    def date(self) -> str:
        """The event's own date, "2026-11-21"; "" if unset."""
        return self.about.get("date", "")

    @property
    def late_matches(self) -> list[tuple[RoundState, MatchState]]:
        """Matches with a report that came when their round was closed, until an official has dealt with it; all fates
        are looked through."""
        newest = {fate.match: fate.number for fate in self.fates.values() if fate.reason == "late" and fate.match}
        late = [(self.find_match(match), number) for match, number in newest.items()]
        return [seat for seat, number in late if seat is not None and (seat[1].number or 0) < number]

    @property
    def draft(self) -> RoundState | None:
        """The drawn round that only the organizer has seen."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].status == DRAFT else None

    def plays(self, who: str) -> bool:
        """Whether they are in the event now: one who leaves only after the published round still plays it."""
        entrant = self.entrants[who]
        return entrant.active or (entrant.plays_live_match and self.live is not None)

    def status_now(self, who: str) -> str | None:
        """What every view says of who plays no more: DISQUALIFIED, DROPPED, or None."""
        return None if self.plays(who) else self.entrants[who].status

    @cached_property
    def live(self) -> RoundState | None:
        return next((r for r in self.rounds if r.status == PUBLISHED), None)

    @cached_property
    def public_rounds(self) -> tuple[RoundState, ...]:
        return tuple(r for r in self.rounds if r.status != DRAFT)

    @property
    def swiss_rounds(self) -> int:
        """How many Swiss rounds are planned. The structure counts who was checked in when round 1 was drawn; before
        anybody is, who has entered."""
        return self._structure[0]

    @property
    def cut_size(self) -> int:
        """How many go on after the Swiss rounds; 0 without a cut."""
        return self._structure[1]

    @property
    def _structure(self) -> tuple[int, int]:
        players = self.players_at_start or len(active_ids(self)) or sum(e.active for e in self.entrants.values())
        return self.rulebook.structure(players, self.options)

    def find_match(self, match_id: str) -> tuple[RoundState, MatchState] | None:
        """The match and its round, drafts included."""
        place = self._place_of(match_id)
        if place is None:
            return None
        played = self.rounds[place[0]]
        return played, played.matches[place[1]]

    def with_match(self, match: MatchState, **more: Any) -> "EventState":
        """The state with this match in the place of the one of its id, where there is one, and other fields changed."""
        place = self._place_of(match.id)
        if place is None:
            return replace(self, **more)
        r, m = place
        played = self.rounds[r]
        matches = (*played.matches[:m], match, *played.matches[m + 1 :])
        return replace(self, rounds=(*self.rounds[:r], replace(played, matches=matches), *self.rounds[r + 1 :]), **more)

    def with_entrant(self, competitor: str, **changes: Any) -> "EventState":
        return replace(self, entrants={**self.entrants, competitor: replace(self.entrants[competitor], **changes)})

    def with_round(self, number: int, **changes: Any) -> "EventState":
        return replace(self, rounds=tuple(replace(r, **changes) if r.number == number else r for r in self.rounds))

    def _place_of(self, match_id: str) -> tuple[int, int] | None:
        """Where a match stands: its round and itself. Where its id says, nearly always; but ids may have gaps."""
        number, _, index = match_id.partition(".")
        if number.isdecimal() and index.isdecimal() and len(match_id) <= ID_LETTERS:
            r, m = int(number) - 1, int(index) - 1
            matches = self.rounds[r].matches if 0 <= r < len(self.rounds) else ()
            if 0 <= m < len(matches) and matches[m].id == match_id:
                return r, m
        for r, played in enumerate(self.rounds):
            if match_id.startswith(f"{played.number}."):
                for m, match in enumerate(played.matches):
                    if match.id == match_id:
                        return r, m
        return None


def active_ids(state: EventState) -> set[str]:
    """Who is in the event and to be paired: not who has left, and not who is still awaited."""
    return {entrant.id for entrant in state.entrants.values() if entrant.active} - not_yet_present(state)


def not_yet_present(state: EventState) -> frozenset[str]:
    """Who has entered and is not paired yet: not checked in where that is asked, or not confirmed at the desk. Who
    stands in a public round is present, even if not ticked."""
    waiting = {
        e.id
        for e in state.entrants.values()
        if e.active and (e.sign_up == TO_CONFIRM or (state.check_in and not e.checked_in))
    }
    return frozenset(waiting - seated_ids(state) if waiting else waiting)


def seated_ids(state: EventState) -> set[str]:
    """Who stands in any public round."""
    return {
        who
        for played in state.public_rounds
        for m in played.matches
        for who in (m.match.a, m.match.b, *((m.drawn.a, m.drawn.b) if m.drawn else ()))
        if who is not None
    }


def tournament_of(
    state: EventState,
    people: Mapping[str, Person] | None = None,
    as_file: bool = False,
    everybody: bool = False,
) -> records.Tournament:
    """The event as records. Without `people`, ids stand for names: enough to pair and to rank. Who is still awaited has
    no part in it, unless `everybody` is asked for. `as_file`: the event file knows no offers. Until the bracket tells
    who plays, whoever declined a place in the cut, or was passed over as absent, has left as far as it goes."""
    persons = people or {}
    # In the file of an event that has not begun they stand among the others.
    everybody = everybody or (as_file and not state.public_rounds)
    out: frozenset[str] = frozenset() if everybody else not_yet_present(state)
    rounds = state.public_rounds
    begun = any(played.stage in (records.ELIMINATION, records.SECOND_SWISS) for played in rounds)
    declined = (*state.cut.declined, *state.cut.absent) if state.cut and as_file and not begun else ()
    # Tie-break rounds come before the cut, too: who declined has played them.
    last = max((r.number for r in state.rounds if r.stage in (records.SWISS, records.TIEBREAK)), default=0)
    return records.Tournament(
        name=state.name,
        rulebook=state.rulebook_id,
        rules=state.rules,
        level=state.level,
        options=dict(state.given_options),
        seed=state.seed,
        competitors=tuple(
            _competitor(replace(e, dropped_after=last) if e.id in declined and e.active else e, persons.get(e.id))
            for e in state.entrants.values()
            if e.id not in out
        ),
        rounds=tuple(
            records.Round(r.number, r.stage, tuple(map(_match, r.matches)), r.draw, r.tiebreak_form) for r in rounds
        ),
        cut_order=state.cut.order if state.cut else (),
        record={"checked_in": state.players_at_start} if state.players_at_start is not None else None,
    )


def _match(match: MatchState) -> records.Match:
    """With what stood before corrections: the places of who made the cut go by that (`bracket.swiss_order`)."""
    if not match.corrections:
        return match.match
    return replace(match.match, record={**(match.match.record or {}), "corrections": match.corrections})


def _competitor(entrant: Entrant, person: Person | None) -> records.Competitor:
    base = person.to_competitor(entrant.id) if person else records.Competitor(entrant.id, entrant.id)
    return replace(
        base,
        won_bye=entrant.won_bye,
        came_with=entrant.came_with,
        fixed_table=entrant.fixed_table,
        dropped_after=entrant.dropped_after,
        disqualified_after=entrant.disqualified_after,
        warnings=tuple(dict(w) for w in entrant.warnings),
        # Without people only the total of a list is known, and the figures of some rulebooks need it.
        list=base.list if entrant.list_total is None else {**(base.list or {}), "total": entrant.list_total},
        officials_role=entrant.officials_role or base.officials_role,
    )


def event_names(state: EventState, people: Mapping[str, Person]) -> dict[str, str]:
    """All names as shown in public, by competitor."""
    competitors = (_competitor(entrant, people.get(entrant.id)) for entrant in state.entrants.values())
    return public_names(competitors, bool(state.options.get("full_names")))


def draw_mark(number: int, draw: records.Draw | None, matches: Iterable[MatchState]) -> str:
    """A short digest of who meets whom by which draw: match ids come again when a round is drawn anew."""
    pairs = [[m.match.a, m.match.b] for m in matches]
    return digest([number, draw and draw.seed, draw and draw.attempt, pairs])[:MARK_DIGITS]


def state_digest(state: EventState) -> str:
    """A digest of who plays and of every round with its results, as this core understands them."""
    return digest(
        {
            "entrants": [[e.id, e.dropped_after, e.disqualified_after] for e in state.entrants.values()],
            "rounds": [
                [
                    r.number,
                    r.stage,
                    [
                        [
                            m.id,
                            m.match.a,
                            m.match.b,
                            m.match.bye,
                            records.result_to_json(m.match.result) if m.match.result else None,
                            *([m.match.game] if m.match.game is not None else ()),
                        ]
                        for m in r.matches
                    ],
                ]
                for r in state.rounds
            ],
        }
    )


def encode_state(state: EventState) -> bytes:
    """JSON: records by their fields; mappings in their own order, since that counts (draws shuffle competitors in it).
    What entries hold as plain JSON comes in one order, whether they were made here or read (entries.py)."""
    # Mappings of other kinds (fates.py) are written as dicts are.
    return json.encode(state, enc_hook=dict)


def decode_state(raw: bytes) -> EventState:
    """What `encode_state` was given. Raises ValueError for anything that is no state of this very `state_form`."""
    state = json.decode(raw, type=EventState)
    if encode_state(state) != raw:
        raise ValueError("no state of an event")
    return state


@cache
def state_form() -> str:
    """Names what a state consists of: bytes made by a core with other fields are not for this one."""
    return digest(repr(type_info(EventState)))[:16]
