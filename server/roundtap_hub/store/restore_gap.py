"""Compares a restored journal with what the tables hold: lost rounds, differing results, silent units."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import median_low
from typing import Annotated, Any

import msgspec

from roundtap_core.clock import RUNNING, Instant
from roundtap_core.errors import Problem
from roundtap_core.event.commands import DrawRound, RecordReport, SetClock, decide
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.event_flow import match_clock
from roundtap_core.event.states import DECIDED, DRAFT, EventState, MatchState, RoundState, active_ids
from roundtap_core.records import STAGES, SWISS, result_from_json, result_to_json
from roundtap_core.typed import Name, Text
from roundtap_core.wire import digest
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.store.venue import RESTORE_SETTLED, PendingReport, UnitHoldings

NO_PLACE = "report_has_no_place"
"""Fate of a report whose round a restored journal does not know: it waits in the venue's stream."""
KEY_LETTERS = 12

LEFT_MS_MAX = 3_600_000_000


Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class TableEvidence(msgspec.Struct, frozen=True, rename={"mark": "draw", "entry": "number"}):
    """What one unit holds of a match: from its last view, or from a report (`state`, `result`, `entry` unknown).
    `entry` set its result, as the table received it; `left_ms`: what was left of its round at its hello, where it
    counts."""

    unit: str
    table: int | None
    event: Name
    round: Count
    mark: Name
    match: Name
    a: Name
    b: Name | None
    stage: Name | None = None
    revision: Count = 0
    state: Text = ""
    result: Mapping[str, Any] | None = None
    entry: Count = 0
    left_ms: int | None = None

    @property
    def of_round(self) -> tuple[str, int, str]:
        return self.event, self.round, self.mark


def evidence_of_view(unit: str, heard: UnitHoldings) -> TableEvidence | None:
    """A hello's `holds`; None without a valid match: what a unit sends is untrusted until it fits."""
    held = heard.holds
    if held is None or not held.keys() >= {"stage", "revision", "state"}:
        return None
    left_ms = held.get("left_ms")
    counts = type(left_ms) is int and abs(left_ms) <= LEFT_MS_MAX
    fields = {"unit": unit, "table": _table(held), "number": held.get("number") or 0}
    return _evidence({**held, **fields, "left_ms": left_ms if counts else None})


def _evidence(fields: Mapping[str, Any]) -> TableEvidence | None:
    """Of valid fields, with the result in the journal's form, so that equal results compare equal."""
    try:
        claim = msgspec.convert(fields, TableEvidence)
        if claim.result is not None:
            claim = msgspec.structs.replace(claim, result=result_to_json(result_from_json(claim.result)))
    except (ValueError, Problem):
        return None
    return claim if claim.match.startswith(f"{claim.round}.") else None


def _table(held: Mapping[str, Any]) -> int | None:
    return table if type(table := held.get("table")) is int and table > 0 else None


def evidence_of_views(snapshot: Snapshot) -> list[TableEvidence]:
    """The matches held by the units heard so far, in the order of their hellos."""
    return [
        claim
        for unit, heard in snapshot.venue.told_since_restore.heard.items()
        if (claim := evidence_of_view(unit, heard)) is not None and is_at_its_table(snapshot, claim)
    ]


def is_at_its_table(snapshot: Snapshot, claim: TableEvidence) -> bool:
    """Whether an organizer has placed the unit at the table that it names: anyone may have a unit from elsewhere."""
    table = snapshot.venue.tables.get(claim.unit)
    return table is not None and claim.table in (None, table)


def evidence_of_report(snapshot: Snapshot, pending: PendingReport) -> TableEvidence | None:
    """A pending report as evidence of its match; None if it names no round, or the unit is not where it stood."""
    sent, table = pending.report, snapshot.venue.tables.get(pending.unit)
    heard = snapshot.venue.told_since_restore.heard.get(pending.unit)
    # Where the unit stood, by its last view.
    if table is None or (heard is not None and _table(heard.holds or {}) not in (None, table)):
        return None
    named = {key: sent.get(key) for key in ("event", "round", "draw", "match", "a", "b")}
    return _evidence({**named, "unit": pending.unit, "table": table}) if named["b"] is not None else None


@dataclass(frozen=True, slots=True)
class LostRound:
    """A round that tables hold and the journal lacks. `claims` in the order of the tables."""

    event: str
    number: int
    mark: str
    stage: str
    claims: tuple[TableEvidence, ...]
    reports: tuple[PendingReport, ...]


@dataclass(frozen=True, slots=True)
class ReconstructedMatch:
    """A reconstructed match. `bye`: its kind, for a player without an opponent."""

    id: str
    a: str
    b: str | None
    table: int | None
    revision: int = 0
    game: str | int | None = None
    bye: str | None = None


@dataclass(frozen=True, slots=True)
class AssembledRound:
    """A reconstructed round. `wrong`: contradictions between tables; `missing`: players no table knows of."""

    matches: tuple[ReconstructedMatch, ...]
    wrong: tuple[Problem, ...]
    missing: tuple[str, ...]
    decided: tuple[TableEvidence, ...]  # officials' results, as the tables show them


@dataclass(frozen=True, slots=True)
class UnsettledMatch:
    """A match of which a table knows more than the journal: the table's claim, and the journal's state."""

    key: str
    claim: TableEvidence
    revision: int
    number: int | None
    state: str
    result: Mapping[str, Any] | None


def can_decide_report(snapshot: Snapshot, state: EventState, report: RecordReport) -> bool:
    """Whether this journal can decide a report now, or a restored one must ask the tables first."""
    afresh = snapshot.venue.restore_state
    if afresh is None or report.report_id in state.fates or report.report_id in afresh.pending:
        # A pending report is being settled: the rules decide its fate.
        return True
    if _is_known_round(state, report.match, report.draw):
        # The copy may lack a move of the unit, or a change of the players there.
        return report.stood_there and not _has_other_players(state, report)
    number = report.match.partition(".")[0]
    return (
        number.isdecimal() and len(number) < 4 and (state.id, int(number), report.draw or "") in afresh.approved_redraws
    )


def _has_other_players(state: EventState, report: RecordReport) -> bool:
    """Whether a later change than the copy's put other players in this match."""
    round_and_match = state.find_match(report.match)
    return (
        round_and_match is not None
        and report.a is not None
        and report.revision > round_and_match[1].revision
        and {round_and_match[1].match.a, round_and_match[1].match.b} != {report.a, report.b}
    )


def is_known(snapshot: Snapshot, pending: PendingReport) -> bool:
    """Whether the journal knows the match of a pending report."""
    state = snapshot.events.get(pending.report["event"])
    return state is not None and _is_known_round(state, pending.report["match"], pending.report.get("draw"))


def _is_known_round(state: EventState, match: str, mark: str | None) -> bool:
    round_and_match = state.find_match(match)
    return (
        round_and_match is not None and round_and_match[0].status != DRAFT and mark in (None, round_and_match[0].mark)
    )


def refuse_settling(snapshot: Snapshot, new: NewEntry) -> None:
    """Raise Problem if a restored journal is declared settled too early."""
    afresh = snapshot.venue.restore_state
    if new.kind != RESTORE_SETTLED or afresh is None:
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
    """Units at a table that were not heard since the restore, with their tables, in table order."""
    afresh = snapshot.venue.told_since_restore
    return sorted(
        (
            (unit, table)
            for unit, table in snapshot.venue.tables.items()
            if unit not in afresh.heard and unit not in afresh.without
        ),
        key=lambda each: each[1],
    )


def pending_reports(snapshot: Snapshot) -> list[PendingReport]:
    """Reports still pending, in the order of arrival."""
    return [
        pending
        for report_id, pending in snapshot.venue.told_since_restore.pending.items()
        if (state := snapshot.events.get(pending.report["event"])) is None or report_id not in state.fates
    ]


def lost_rounds(snapshot: Snapshot) -> list[LostRound]:
    """Rounds of events in play that tables hold and the journal lacks, the earliest first."""
    afresh = snapshot.venue.told_since_restore
    claims: dict[tuple[str, int, str], list[TableEvidence]] = {}
    reports: dict[tuple[str, int, str], list[PendingReport]] = {}
    for claim in evidence_of_views(snapshot):
        claims.setdefault(claim.of_round, []).append(claim)
    for pending in pending_reports(snapshot):
        if (reported := evidence_of_report(snapshot, pending)) is not None:
            claims.setdefault(reported.of_round, []).append(reported)
            reports.setdefault(reported.of_round, []).append(pending)
    rounds = []
    for key, match_claims in claims.items():
        event, number, mark = key
        state = snapshot.events.get(event)
        if (
            state is None
            or state.finished
            or key in afresh.approved_redraws
            or any((played.number, played.mark) == (number, mark) for played in state.public_rounds)
        ):
            continue
        if number < len(state.public_rounds) and key not in reports:
            # The unit was off since then: the journal has later rounds.
            continue
        stage = next((claim.stage for claim in match_claims if claim.stage in STAGES), None)
        in_order = sorted(match_claims, key=lambda claim: (claim.table or 0, claim.unit, not claim.state))
        rounds.append(LostRound(event, number, mark, stage or SWISS, tuple(in_order), tuple(reports.get(key, ()))))
    return sorted(rounds, key=lambda lost: (lost.event, lost.number, lost.mark))


def lacks_round_of(snapshot: Snapshot, unit: str) -> bool:
    """Whether a restored journal lacks the round that this unit held at its hello, and no other has taken its place:
    the table goes on with it."""
    afresh = snapshot.venue.restore_state
    claim = evidence_of_view(unit, afresh.heard[unit]) if afresh is not None and unit in afresh.heard else None
    if afresh is None or claim is None or claim.of_round in afresh.approved_redraws:
        return False
    state = snapshot.events.get(claim.event)
    if state is None:
        return claim.event not in snapshot.dormant and claim.event not in snapshot.venue.deleted
    copied = afresh.copy.get(VENUE, (0, ""))[0]
    return not state.finished and all(
        last.number < claim.round
        or (last.number == claim.round and last.mark != claim.mark and (last.venue_number or 0) <= copied)
        for last in state.public_rounds[-1:]
    )


def assemble_round(state: EventState, lost: LostRound) -> AssembledRound:
    """Reconstruct the round from all tables' claims; contradictions are listed, nothing is guessed."""
    draft = state.draft
    if draft is not None and (draft.number, draft.mark) == (lost.number, lost.mark):
        return _of_draft(draft, lost)
    matches: dict[str, ReconstructedMatch] = {}
    seats: dict[str, str] = {}
    wrong = [Problem("adopt_contradiction", match=match) for match in sorted(_disputed(lost))]
    for claim in lost.claims:
        if claim.b is None:
            continue
        reconstructed = matches.get(claim.match)
        if reconstructed is not None and {reconstructed.a, reconstructed.b} != {claim.a, claim.b}:
            wrong.append(Problem("adopt_contradiction", match=claim.match))
            continue
        strangers = [who for who in (claim.a, claim.b) if who not in state.entrants]
        wrong += [Problem("adopt_unknown", competitor=who) for who in strangers]
        for who in (claim.a, claim.b):
            if seats.setdefault(who, claim.match) != claim.match:
                wrong.append(Problem("adopt_twice", competitor=who, first=seats[who], second=claim.match))
        revision = max(claim.revision, reconstructed.revision if reconstructed else 0)
        table = reconstructed.table if reconstructed is not None and reconstructed.table is not None else claim.table
        matches[claim.match] = ReconstructedMatch(claim.match, claim.a, claim.b, table, revision)
    expected = _expected(state, lost)
    wanted = (
        active_ids(state)
        if lost.stage == SWISS
        else {who for match in expected for who in (match["a"], match.get("b")) if who}
    )
    adopted = [_with_game(each, expected) for each in _one_at_a_table(matches.values())]
    byes = _byes(expected, adopted, seats, lost.number)
    missing = sorted(wanted - set(seats) - {each.a for each in byes}, key=lambda who: (len(who), who))
    once = {(problem.key, *sorted(map(str, problem.params.items()))): problem for problem in wrong}
    return AssembledRound((*adopted, *byes), tuple(once.values()), tuple(missing), _decided(lost))


def unsettled_matches(snapshot: Snapshot) -> list[UnsettledMatch]:
    """Unsettled matches of which a table provably knows more than the journal."""
    afresh = snapshot.venue.told_since_restore
    unsettled: dict[str, UnsettledMatch] = {}
    for claim in sorted(evidence_of_views(snapshot), key=lambda each: (snapshot.venue.tables[each.unit], each.unit)):
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
        key = digest([claim.event, claim.match, claim.mark, claim.revision, claim.entry, claim.result])[:KEY_LETTERS]
        if key not in afresh.kept:
            unsettled[key] = UnsettledMatch(key, claim, match.revision, match.number, match.state, standing)
    return list(unsettled.values())


def entries_beyond_copy(snapshot: Snapshot, event: str) -> int:
    """How many entries beyond the copy's last one the tables prove."""
    afresh = snapshot.venue.told_since_restore
    last = afresh.copy.get(event, (0, ""))[0]
    heads = [
        heard.heads[event][0]
        for unit, heard in afresh.heard.items()
        if event in heard.heads and unit in snapshot.venue.tables
    ]
    shown = [claim.entry for claim in evidence_of_views(snapshot) if claim.event == event]
    return max(0, max([*heads, *shown], default=0) - last)


def counted_ms(snapshot: Snapshot, of_round: tuple[str, int, str], now: Instant) -> int | None:
    """What is left of a round (event, number, mark) as the tables heard so far count it; None where none does."""
    left = [
        claim.left_ms + heard.at.mono_ms - now.mono_ms
        for unit, heard in snapshot.venue.told_since_restore.heard.items()
        if heard.at.boot_id == now.boot_id
        and (claim := evidence_of_view(unit, heard)) is not None
        and is_at_its_table(snapshot, claim)
        and claim.of_round == of_round
        and claim.left_ms is not None
    ]
    return median_low(left) if left else None


def hold_clock_command(snapshot: Snapshot, claim: TableEvidence, now: Instant) -> SetClock | None:
    """The command that holds a restored clock where the first table of its round counts it: the copy may be older than
    the clock's start. None where nothing is to be held."""
    place = _place_of(snapshot, claim)
    if (
        place is None
        or claim.left_ms is None
        or not is_at_its_table(snapshot, claim)
        or counted_ms(snapshot, claim.of_round, now) is not None
    ):
        return None
    state, (live, match) = snapshot.events[claim.event], place
    own_ms, held_ms = match_clock(state, live, match).remaining_ms, state.clock.remaining_ms
    if live is not state.live or state.clock.state == RUNNING or own_ms is None or held_ms is None:
        return None
    # A match with an extension, and the one for third place, have a clock of their own.
    return SetClock("restore", claim.left_ms - own_ms + held_ms)


def _of_draft(draft: RoundState, lost: LostRound) -> AssembledRound:
    """The copy holds the same draw as a draft: only its publication is lost."""
    revisions = {claim.match: claim.revision for claim in lost.claims}
    matches = tuple(
        ReconstructedMatch(m.id, m.match.a, m.match.b, m.match.table, revisions.get(m.id, 0), m.match.game, m.match.bye)
        for m in draft.matches
    )
    wrong = tuple(Problem("adopt_contradiction", match=match) for match in sorted(_disputed(lost)))
    return AssembledRound(matches, wrong, (), _decided(lost))


def _expected(state: EventState, lost: LostRound) -> list[Mapping[str, Any]]:
    """The matches of a round that follows from the rounds before: after the cut, or a play-off of a tie."""
    if lost.stage == SWISS:
        return []
    try:
        made = decide(msgspec.structs.replace(state, rounds=state.public_rounds), DrawRound(0), Instant("", 0))
    except Problem:
        return []
    drawn = next((new.data for new in made if new.kind == "round-drawn"), None)
    return list(drawn["matches"]) if drawn is not None and drawn["stage"] == lost.stage else []


def _with_game(match: ReconstructedMatch, expected: Iterable[Mapping[str, Any]]) -> ReconstructedMatch:
    game = next((each.get("game") for each in expected if {each["a"], each.get("b")} == {match.a, match.b}), None)
    return replace(match, game=game)


def _byes(
    expected: Iterable[Mapping[str, Any]], adopted: Iterable[ReconstructedMatch], seats: Mapping[str, str], number: int
) -> list[ReconstructedMatch]:
    taken = {match.id for match in adopted}
    made: list[ReconstructedMatch] = []
    for each in expected:
        if each.get("b") is None and each["a"] not in seats:
            made.append(
                ReconstructedMatch(
                    free_match_id(number, taken), each["a"], None, None, 0, each.get("game"), each["bye"]
                )
            )
            taken.add(made[-1].id)
    return made


def free_match_id(number: int, taken: Iterable[str]) -> str:
    """The lowest unused match id of this round."""
    used, index = set(taken), 1
    while f"{number}.{index}" in used:
        index += 1
    return f"{number}.{index}"


def _one_at_a_table(matches: Iterable[ReconstructedMatch]) -> list[ReconstructedMatch]:
    """Of two matches at one table, the second loses its table."""
    taken: set[int | None] = set()
    seated = []
    for match in matches:
        seated.append(replace(match, table=None) if match.table in taken else match)
        taken.add(match.table)
    return seated


def _disputed(lost: LostRound) -> set[str]:
    """Matches that an official has decided by one unit's view but not by another's: the other unit may have been off,
    and an official's decision is not overruled."""
    shown: dict[str, list[TableEvidence]] = {}
    for claim in lost.claims:
        if claim.state:
            shown.setdefault(claim.match, []).append(claim)
    return {
        match
        for match, claims in shown.items()
        if any(claim.state == DECIDED for claim in claims)
        and any((claim.state, claim.result) != (claims[0].state, claims[0].result) for claim in claims)
    }


def _decided(lost: LostRound) -> tuple[TableEvidence, ...]:
    newest: dict[str, TableEvidence] = {}
    for claim in lost.claims:
        newest_claim = newest.get(claim.match)
        if (
            claim.state == DECIDED
            and claim.result is not None
            and (newest_claim is None or newest_claim.entry < claim.entry)
        ):
            newest[claim.match] = claim
    return tuple(newest.values())


def _place_of(snapshot: Snapshot, claim: TableEvidence) -> tuple[RoundState, MatchState] | None:
    state = snapshot.events.get(claim.event)
    round_and_match = state.find_match(claim.match) if state is not None else None
    if round_and_match is None or round_and_match[0].status == DRAFT or round_and_match[0].mark != claim.mark:
        return None
    return round_and_match if {round_and_match[1].match.a, round_and_match[1].match.b} == {claim.a, claim.b} else None
