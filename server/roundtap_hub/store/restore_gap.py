"""A restored journal against what the tables hold: rounds that it lacks, results that it took back, who is silent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.commands import DrawRound, RecordReport
from roundtap_core.event.decide import decide
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.state import DECIDED, DRAFT, EventState, MatchState, RoundState, active_ids
from roundtap_core.records import STAGES, SWISS
from roundtap_core.result_json import result_from_json, result_to_json
from roundtap_core.wire import digest
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.store.restore_state import RESTORE_SETTLED, PendingReport, RestoreState, UnitHoldings

NO_PLACE = "report_has_no_place"
"""Of a report whose round a restored journal does not know: it waits in the venue's stream."""
KEY_LETTERS = 12

ID_LENGTH_MAX = 64


@dataclass(frozen=True, slots=True)
class TableEvidence:
    """What one unit holds of a match: from its last view, or from a report (`state`, `result`, `entry` are unknown)."""

    unit: str
    table: int | None
    event: str
    round: int
    mark: str
    match: str
    a: str
    b: str | None
    stage: str | None = None
    revision: int = 0
    state: str = ""
    result: Mapping[str, Any] | None = None
    entry: int = 0
    """The entry at which its result became so, as the table was told; 0: none."""

    @property
    def of_round(self) -> tuple[str, int, str]:
        return self.event, self.round, self.mark


def evidence_of_view(unit: str, heard: UnitHoldings) -> TableEvidence | None:
    """A hello's `holds`; None where it holds no match, or is none that this hub can read: a unit's word is a
    stranger's until it fits."""
    held = heard.holds
    if held is None:
        return None
    try:
        claim = TableEvidence(
            unit, _number_or_none(held.get("table")), _text(held["event"]), _number(held["round"]),
            _text(held["draw"]), _text(held["match"]), _text(held["a"]),
            None if held["b"] is None else _text(held["b"]), _text(held["stage"]), _number(held["revision"]),
            _text(held["state"]), _result(held.get("result")), _number(held.get("number") or 0))
    except (KeyError, TypeError, ValueError, Problem):
        return None
    return claim if claim.match.startswith(f"{claim.round}.") else None


def evidence_of_views(afresh: RestoreState) -> list[TableEvidence]:
    """What the units that were heard hold of a match, in the order in which they were."""
    return [claim for unit, heard in afresh.heard.items() if (claim := evidence_of_view(unit, heard)) is not None]


def evidence_of_report(snapshot: Snapshot, pending: PendingReport) -> TableEvidence | None:
    """What a report that waits says of its match; None where it names no round."""
    said = pending.report
    afresh = snapshot.venue.afresh or RestoreState()
    heard = afresh.heard.get(pending.unit)
    # Where it stood, as its last view had it.
    table = _number_or_none((heard.holds or {}).get("table")) if heard is not None else None
    if table is None:
        table = snapshot.venue.tables.get(pending.unit)
    try:
        claim = TableEvidence(pending.unit, table, _text(said["event"]), _number(said["round"]), _text(said["draw"]),
                      _text(said["match"]), _text(said["a"]), _text(said["b"]))
    except (KeyError, TypeError, ValueError):
        return None
    return claim if claim.match.startswith(f"{claim.round}.") else None


def _text(value: object) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= ID_LENGTH_MAX:
        raise ValueError("text")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ValueError("number")
    return value


def _number_or_none(value: object) -> int | None:
    try:
        return _number(value) or None
    except ValueError:
        return None


def _result(value: object) -> Mapping[str, Any] | None:
    """A result in the journal's own form, so that two of them are equal where they say the same."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise TypeError("result")
    return result_to_json(result_from_json(value))


@dataclass(frozen=True, slots=True)
class LostRound:
    """A round that tables hold and the journal does not. `claims` in the order of the tables."""

    event: str
    number: int
    mark: str
    stage: str
    claims: tuple[TableEvidence, ...]
    reports: tuple[PendingReport, ...]


@dataclass(frozen=True, slots=True)
class AdoptedMatch:
    """A match as it is put together; `units`: who holds it so. A `bye`: who plays nobody."""

    id: str
    a: str
    b: str | None
    table: int | None
    revision: int = 0
    game: str | int | None = None
    bye: str | None = None
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AssembledRound:
    """A lost round put together. `wrong`: where tables contradict each other; `missing`: of whom no table knows
    anything."""

    matches: tuple[AdoptedMatch, ...]
    wrong: tuple[Problem, ...]
    missing: tuple[str, ...]
    decided: tuple[TableEvidence, ...]
    """Officials' results, as the tables show them."""


@dataclass(frozen=True, slots=True)
class UnsettledMatch:
    """A match in which a table knows more than the journal: what it shows, and what stands here."""

    key: str
    claim: TableEvidence
    revision: int
    number: int | None
    state: str
    result: Mapping[str, Any] | None


def has_place(snapshot: Snapshot, state: EventState, report: RecordReport) -> bool:
    """Whether this journal can say something about a report, or is no restored one that has to ask first."""
    afresh = snapshot.venue.afresh
    if afresh is None or report.report_id in state.fates or report.report_id in afresh.pending:
        # One that waited is looked into now: whatever the rules say of it is its fate.
        return True
    if _is_known_round(state, report.match, report.draw):
        # Where its unit stood may be what the copy lacks; or that other people were seated there.
        return report.stood_there and not _has_other_players(state, report)
    number = report.match.partition(".")[0]
    return number.isdecimal() and len(number) < 4 and (state.id, int(number), report.draw or "") in afresh.anew


def _has_other_players(state: EventState, report: RecordReport) -> bool:
    """Whether others meet in this match than the copy says, by a change that came after it."""
    found = state.find_match(report.match)
    if found is None or report.a is None or report.revision <= found[1].revision:
        return False
    return {found[1].match.a, found[1].match.b} != {report.a, report.b}


def is_known(snapshot: Snapshot, pending: PendingReport) -> bool:
    """Whether the journal knows the match of a report that waits, by now or all along."""
    state = snapshot.events.get(pending.report["event"])
    return state is not None and _is_known_round(state, pending.report["match"], pending.report.get("draw"))


def _is_known_round(state: EventState, match: str, mark: str | None) -> bool:
    found = state.find_match(match)
    return found is not None and found[0].status != DRAFT and mark in (None, found[0].mark)


def refuse_settling(snapshot: Snapshot, asked: NewEntry) -> None:
    """Problem where a restored journal is called settled and is not."""
    afresh = snapshot.venue.afresh
    if asked.kind != RESTORE_SETTLED or afresh is None:
        return
    if silent := silent_units(snapshot):
        raise Problem("restored_unheard", n=len(silent), tables=", ".join(str(table) for _, table in silent[:8]))
    if open_rounds := lost_rounds(snapshot):
        raise Problem("restored_rounds_open", number=open_rounds[0].number)
    if differ := unsettled_matches(snapshot):
        raise Problem("restored_points_open", n=len(differ))
    if waiting := pending_reports(snapshot):
        raise Problem("restored_reports_open", n=len(waiting))


def silent_units(snapshot: Snapshot) -> list[tuple[str, int]]:
    """Units that stand at a table and were not heard since, with their tables, in their order."""
    afresh = snapshot.venue.afresh or RestoreState()
    return sorted(((unit, table) for unit, table in snapshot.venue.tables.items()
                   if unit not in afresh.heard and unit not in afresh.without), key=lambda each: each[1])


def pending_reports(snapshot: Snapshot) -> list[PendingReport]:
    """Reports that still wait, in the order in which they came."""
    afresh = snapshot.venue.afresh or RestoreState()
    return [pending for report_id, pending in afresh.pending.items()
            if (state := snapshot.events.get(pending.report["event"])) is None or report_id not in state.fates]


def lost_rounds(snapshot: Snapshot) -> list[LostRound]:
    """Rounds of events in play that tables hold and the journal lacks, the earliest first."""
    afresh = snapshot.venue.afresh or RestoreState()
    claims: dict[tuple[str, int, str], list[TableEvidence]] = {}
    reports: dict[tuple[str, int, str], list[PendingReport]] = {}
    for claim in evidence_of_views(afresh):
        claims.setdefault(claim.of_round, []).append(claim)
    for pending in pending_reports(snapshot):
        if (reported := evidence_of_report(snapshot, pending)) is not None:
            claims.setdefault(reported.of_round, []).append(reported)
            reports.setdefault(reported.of_round, []).append(pending)
    found = []
    for key, held in claims.items():
        event, number, mark = key
        state = snapshot.events.get(event)
        if state is None or state.finished or key in afresh.anew or any(
                (played.number, played.mark) == (number, mark) for played in state.public_rounds):
            continue
        if number < len(state.public_rounds) and key not in reports:
            # A table that was off since: the journal has gone on from there long ago.
            continue
        stage = next((claim.stage for claim in held if claim.stage in STAGES), None)
        in_order = sorted(held, key=lambda claim: (claim.table or 0, claim.unit, not claim.state))
        found.append(LostRound(event, number, mark, stage or SWISS, tuple(in_order), tuple(reports.get(key, ()))))
    return sorted(found, key=lambda lost: (lost.event, lost.number, lost.mark))


def assemble(state: EventState, lost: LostRound) -> AssembledRound:
    """The round from all that tables say of it; contradictions are named, nothing is guessed."""
    draft = state.draft
    if draft is not None and (draft.number, draft.mark) == (lost.number, lost.mark):
        return _of_draft(draft, lost)
    matches: dict[str, AdoptedMatch] = {}
    seats: dict[str, str] = {}
    wrong = [Problem("adopt_contradiction", match=match) for match in sorted(_disputed(lost))]
    for claim in lost.claims:
        if claim.b is None:
            continue
        known = matches.get(claim.match)
        if known is not None and {known.a, known.b} != {claim.a, claim.b}:
            wrong.append(Problem("adopt_contradiction", match=claim.match))
            continue
        strangers = [who for who in (claim.a, claim.b) if who not in state.entrants]
        wrong += [Problem("adopt_unknown", competitor=who) for who in strangers]
        for who in (claim.a, claim.b):
            if seats.setdefault(who, claim.match) != claim.match:
                wrong.append(Problem("adopt_twice", competitor=who, first=seats[who], second=claim.match))
        units = tuple(dict.fromkeys([*(known.units if known else ()), claim.unit]))
        revision = max(claim.revision, known.revision if known else 0)
        table = known.table if known is not None and known.table is not None else claim.table
        matches[claim.match] = AdoptedMatch(claim.match, claim.a, claim.b, table, revision, units=units)
    expected = _expected(state, lost)
    wanted = active_ids(state) if lost.stage == SWISS else {
        who for match in expected for who in (match["a"], match.get("b")) if who}
    put = [_with_game(each, expected) for each in _one_at_a_table(matches.values())]
    byes = _byes(expected, put, seats, lost.number)
    missing = sorted(wanted - set(seats) - {each.a for each in byes}, key=lambda who: (len(who), who))
    return AssembledRound((*put, *byes), _once(wrong), tuple(missing), _decided(lost))


def unsettled_matches(snapshot: Snapshot) -> list[UnsettledMatch]:
    """Matches in which a table has proof of more than the journal knows, and that nobody has settled."""
    afresh = snapshot.venue.afresh or RestoreState()
    found: dict[str, UnsettledMatch] = {}
    for claim in sorted(evidence_of_views(afresh),
                        key=lambda each: (snapshot.venue.tables.get(each.unit, 0), each.unit)):
        place = _place_of(snapshot, claim)
        if place is None:
            continue
        match = place[1]
        copy_number = afresh.copy.get(claim.event, (0, ""))[0]
        if not (claim.entry > copy_number or claim.revision > match.revision):
            continue
        standing = result_to_json(match.match.result) if match.match.result is not None else None
        if standing == claim.result:
            continue
        key = _point_key(claim)
        if key not in afresh.kept:
            found[key] = UnsettledMatch(key, claim, match.revision, match.number, match.state, standing)
    return list(found.values())


def entries_beyond_copy(afresh: RestoreState, event: str) -> int:
    """How many entries after the copy's last one tables have proof of."""
    last = afresh.copy.get(event, (0, ""))[0]
    heads = [heard.heads[event][0] for heard in afresh.heard.values() if event in heard.heads]
    shown = [claim.entry for claim in evidence_of_views(afresh) if claim.event == event]
    return max(0, max([*heads, *shown], default=0) - last)


def _of_draft(draft: RoundState, lost: LostRound) -> AssembledRound:
    """The copy has it drawn already, by the very same draw: only that it was published is lost."""
    revisions = {claim.match: claim.revision for claim in lost.claims}
    units = {match.id: tuple(dict.fromkeys(claim.unit for claim in lost.claims if claim.match == match.id))
             for match in draft.matches}
    matches = tuple(AdoptedMatch(m.id, m.match.a, m.match.b, m.match.table, revisions.get(m.id, 0), m.match.game,
                           m.match.bye, units[m.id]) for m in draft.matches)
    wrong = tuple(Problem("adopt_contradiction", match=match) for match in sorted(_disputed(lost)))
    return AssembledRound(matches, wrong, (), _decided(lost))


def _expected(state: EventState, lost: LostRound) -> list[Mapping[str, Any]]:
    """Who plays in a round whose field follows from the rounds before: after the cut, or where a tie is played out."""
    if lost.stage == SWISS:
        return []
    try:
        made = decide(structs.replace(state, rounds=state.public_rounds), DrawRound(0), Instant("", 0))
    except Problem:
        return []
    drawn = next((new.data for new in made if new.kind == "round-drawn"), None)
    return list(drawn["matches"]) if drawn is not None and drawn["stage"] == lost.stage else []


def _with_game(match: AdoptedMatch, expected: Iterable[Mapping[str, Any]]) -> AdoptedMatch:
    game = next((each.get("game") for each in expected if {each["a"], each.get("b")} == {match.a, match.b}), None)
    return replace(match, game=game)


def _byes(expected: Iterable[Mapping[str, Any]], put: Iterable[AdoptedMatch], seats: Mapping[str, str],
          number: int) -> list[AdoptedMatch]:
    taken = {match.id for match in put}
    made: list[AdoptedMatch] = []
    for each in expected:
        if each.get("b") is None and each["a"] not in seats:
            made.append(AdoptedMatch(free_id(number, taken), each["a"], None, None, 0, each.get("game"), each["bye"]))
            taken.add(made[-1].id)
    return made


def free_id(number: int, taken: Iterable[str]) -> str:
    """The lowest id of a match that none of this round has."""
    known, index = set(taken), 1
    while f"{number}.{index}" in known:
        index += 1
    return f"{number}.{index}"


def _one_at_a_table(matches: Iterable[AdoptedMatch]) -> list[AdoptedMatch]:
    """Where two matches claim one table, the second one gets another."""
    taken: set[int | None] = set()
    found = []
    for match in matches:
        found.append(replace(match, table=None) if match.table in taken else match)
        taken.add(match.table)
    return found


def _disputed(lost: LostRound) -> set[str]:
    """Matches that an official has decided by what one unit shows, and not so by what another one does: one of them may
    be in somebody's bag, and an official's word is not taken from it."""
    shown: dict[str, list[TableEvidence]] = {}
    for claim in lost.claims:
        if claim.state:
            shown.setdefault(claim.match, []).append(claim)
    return {match for match, claims in shown.items() if any(claim.state == DECIDED for claim in claims)
            and any((claim.state, claim.result) != (claims[0].state, claims[0].result) for claim in claims)}


def _decided(lost: LostRound) -> tuple[TableEvidence, ...]:
    newest: dict[str, TableEvidence] = {}
    for claim in lost.claims:
        known = newest.get(claim.match)
        if claim.state == DECIDED and claim.result is not None and (known is None or known.entry < claim.entry):
            newest[claim.match] = claim
    return tuple(newest.values())


def _place_of(snapshot: Snapshot, claim: TableEvidence) -> tuple[RoundState, MatchState] | None:
    state = snapshot.events.get(claim.event)
    found = state.find_match(claim.match) if state is not None else None
    if found is None or found[0].status == DRAFT or found[0].mark != claim.mark:
        return None
    return found if {found[1].match.a, found[1].match.b} == {claim.a, claim.b} else None


def _point_key(claim: TableEvidence) -> str:
    said = digest([claim.event, claim.match, claim.mark, claim.revision, claim.entry, claim.result])
    return said[:KEY_LETTERS]


def _once(wrong: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple({(problem.key, *sorted(map(str, problem.params.items()))): problem for problem in wrong}.values())
