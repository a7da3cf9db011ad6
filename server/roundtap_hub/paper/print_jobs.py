"""Print jobs: they follow from the saved event, so a restart makes no duplicates. Pure."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from msgspec import UNSET
from msgspec.structs import asdict

from roundtap_core.elimination.bracket import THIRD, THIRD_PLACE
from roundtap_core.event.event_flow import situation_of
from roundtap_core.event.states import CLOSED, PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.print_contents import (
    CardProxy,
    CutLine,
    CutOrder,
    NameLine,
    PairingsByName,
    PairingsByTable,
    PrinterTest,
    PrintHeader,
    RoundNotice,
    Slip,
    SlipSide,
    Standings,
    StandingsPrintLine,
    TablePairing,
    TrustSheet,
)
from roundtap_core.records import SIDES, other_side
from roundtap_core.typed import DisplayText
from roundtap_core.wire import digest
from roundtap_hub.access.slip_codes import slip_codes, slip_mark, slip_token
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.store.print_book import FAILED, QUEUED, PrintJob, PrintState
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.knockout import cut_rows_before_play, ranked_rows, record_of, standings_view, title_key
from roundtap_hub.views.saved_event import SavedEvent, name_sort_key, saved_event, shown_members
from roundtap_hub.views.tables import side_view

SLIP, BY_TABLE, BY_NAME, STANDINGS, TEST = "slip", "pairings-table", "pairings-name", "standings", "code-pages"
PROXY, TRUST, SPEED = "proxy", "trust", "speed"
KINDS = (BY_TABLE, BY_NAME, SLIP, STANDINGS, PROXY, TRUST, TEST, SPEED)
BY_HAND = (BY_TABLE, BY_NAME, STANDINGS, TRUST, TEST)
"""Kinds that may be ordered for the whole round; a single slip is ordered by printing it again."""
SLIPS = "slips"  # manual order of all the round's slips, including those of tables with a unit
OF_THE_HUB = (TRUST, TEST)  # kinds that need no round

CHANGED, ORDERED = "~", "#"
"""In a job's id: before the key of a slip's content, and before the token of a manual order."""


HEAD_LETTERS = 16


def derived_jobs(state: EventState, with_units: Collection[int] = ()) -> list[PrintJob]:
    """What an event needs printed now without an order, most urgent first. A published round: pairings by table and by
    name, and a slip for every match (`_still_of_use` leaves out those with a result) except at tables `with_units`,
    where a unit asks for the result. A closed round: the standings."""
    rounds = state.public_rounds
    if not rounds:
        return []
    latest = rounds[-1]
    if latest.status == CLOSED:
        return [_job(state, latest, STANDINGS)]
    if latest.status != PUBLISHED or state.finished:
        return []
    slips = [
        _job(state, latest, SLIP, m) for m in latest.matches if m.match.bye is None and m.match.table not in with_units
    ]
    return [_job(state, latest, BY_TABLE), _job(state, latest, BY_NAME), *slips]


def _job(state: EventState, played: RoundState, kind: str, match: MatchState | None = None) -> PrintJob:
    # A round taken back and published again has its lists printed again; slips carry a key of their content.
    lists = f"{played.number}{f'-{played.taken_back}' if played.taken_back else ''}"
    place = lists
    if match is not None:
        place = f"{match.id}{CHANGED}{digest([slip_mark(state, played, match), match.match.table])[:6]}"
    return PrintJob(
        f"{state.id}/{draw_key(state, played)}/{kind}/{place}",
        state.id,
        kind,
        played.number,
        match.id if match else None,
    )


def replaces_printed_slip(job: PrintJob, states: Mapping[str, PrintState]) -> bool:
    """Whether a slip of this match with other players or another table may have been printed already."""
    if job.kind != SLIP:
        return False
    own = job.id.partition(ORDERED)[0]
    event, _, kind, place = own.split("/")
    match = place.partition(CHANGED)[0]
    others = (
        job_id.partition(ORDERED)[0]
        for job_id, print_state in states.items()
        if print_state.state not in (QUEUED, FAILED)
    )
    # Of any draw: a slip of a draw that was taken back is just as wrong.
    return any(base != own and base.startswith(f"{event}/") and f"/{kind}/{match}{CHANGED}" in base for base in others)


def draw_key(state: EventState, played: RoundState) -> str:
    """A ten-letter key of this draw: two hubs may both have an "e1", and a station may serve both."""
    draw = [played.draw.seed, played.draw.attempt] if played.draw else None
    return digest([state.id, state.name, state.rulebook_id, state.seed, played.number, draw])[:10]


def repeat_job(base: PrintJob, token: str) -> PrintJob:
    """The same job again on a person's order; `token` is new for every order."""
    return PrintJob(
        f"{base.id.partition(ORDERED)[0]}{ORDERED}{token}", base.event, base.kind, base.round, base.match, base.text
    )


def order_job(state: EventState, kind: str, token: str) -> PrintJob:
    """The latest public round's paper of a kind, on a person's order. A test print needs no round."""
    rounds = state.public_rounds
    if not rounds:
        key = digest([state.id, state.name, state.rulebook_id, state.seed])[:10]
        return PrintJob(f"{state.id}/{key}/{kind}/0{ORDERED}{token}", state.id, kind, 0)
    return repeat_job(_job(state, rounds[-1], kind), token)


def order_slips(state: EventState, token: str) -> list[PrintJob]:
    """A slip for every match of the newest round without a result, on a person's order."""
    rounds = state.public_rounds
    if not rounds or rounds[-1].status != PUBLISHED:
        return []
    return [
        repeat_job(_job(state, rounds[-1], SLIP, m), token)
        for m in rounds[-1].matches
        if m.match.bye is None and not m.done
    ]


def order_printer_test(state: EventState, kind: str, token: str, settings: Mapping[str, object]) -> PrintJob:
    """A test print of one station that tries `settings`; see `PrintJob.text`."""
    return replace(order_job(state, kind, token), text=json.dumps(settings, ensure_ascii=False))


def order_proxy(state: EventState, card: str, official: str, date: str, token: str) -> PrintJob:
    """A proxy for a damaged card, on an official's order."""
    return replace(
        order_job(state, PROXY, token),
        text=json.dumps({"card": card, "official": official, "date": date}, ensure_ascii=False),
    )


def wanted_jobs(
    snapshot: Snapshot, orders: Iterable[PrintJob], states: Mapping[str, PrintState], unit: str
) -> list[PrintJob]:
    """The queued jobs that are not another station's. Orders first: a person is waiting."""
    # Events at rest print nothing unordered: years of them would wait for the first printer.
    tables = frozenset(snapshot.venue.tables.values())
    derived = [job for event in snapshot.events.values() for job in derived_jobs(event, tables)]
    return [
        job
        for job in (*orders, *derived)
        if (print_state := states.get(job.id, PrintState())).state == QUEUED
        and print_state.unit in ("", unit)
        # Some sheets only one station may print.
        and _still_of_use(snapshot, job)
        and (job.kind not in (TEST, SPEED) or not job.text or json.loads(job.text).get("unit", "") in ("", unit))
    ]


def _still_of_use(snapshot: Snapshot, job: PrintJob) -> bool:
    state = None if job.event in snapshot.venue.deleted else snapshot.event(job.event)
    if state is None:
        return False
    if job.kind != SLIP or job.match is None:
        return True
    round_and_match = state.find_match(job.match)
    return (
        round_and_match is not None
        and round_and_match[0].status == PUBLISHED
        and round_and_match[1].match.bye is None
        and not round_and_match[1].done
    )


Names = Mapping[str, str]


def job_content(
    job: PrintJob,
    snapshot: Snapshot,
    base_url: str,
    encrypted: HttpsInfo | None = None,
    secret: bytes = b"",
    states: Mapping[str, PrintState] | None = None,
    by_name: str = "",
) -> PrintHeader | None:
    """The job's content, with names as the hall may read them; None where its subject is gone. base_url: the hub's
    address for the hall, without a trailing slash. encrypted: where organizers log in, None without encryption. secret:
    signs slips. states: of all jobs, so that a slip can say that it replaces another one. by_name: the hub's address by
    name, "" where it has none."""
    event = saved_event(snapshot, job.event)
    if event is None:
        return None
    state, names = event.state, snapshot.names_of(job.event)
    header = print_header(state, f"{base_url}/e/{state.id}", f"{by_name}/e/{state.id}" if by_name else "")
    played = next((r for r in state.public_rounds if r.number == job.round), None)
    if job.kind == STANDINGS:
        return standings_content(event, names, header)
    if job.kind == TRUST:
        if encrypted is None:
            return None
        trust = asdict(header) | {"url": f"{base_url}/trust", "fingerprint": encrypted.fingerprint}
        return TrustSheet(**trust, console=f"https://{urlsplit(base_url).hostname}:{encrypted.port}/")
    if job.kind == PROXY:
        return CardProxy(**asdict(header), **json.loads(job.text))
    if job.kind in (TEST, SPEED) and job.text:
        order = json.loads(job.text)
        return PrinterTest(**asdict(header), at=order.get("at", UNSET), number=order.get("number", UNSET))
    if played is None:
        return header if job.kind not in (SLIP, BY_TABLE, BY_NAME) else None
    notice = RoundNotice(**asdict(header), round=played.number, name=title_key(state, played))
    if job.kind == BY_TABLE:
        return PairingsByTable(**asdict(notice), rows=pairings_by_table(event, played, names))
    if job.kind == BY_NAME:
        return PairingsByName(**asdict(notice), rows=pairings_by_name(event, played, names))
    if job.kind == SLIP:
        match = next((m for m in played.matches if m.id == job.match), None)
        if match is None or match.match.b is None:
            return None
        slip = slip_content(event, played, match, names, base_url, secret)
        return slip.replace(
            by_name=header.by_name, replaces=True if replaces_printed_slip(job, states or {}) else UNSET
        )
    return notice


def print_header(state: EventState, url: str, by_name: str = "") -> PrintHeader:
    head = f"#{state.number} {state.head[:HEAD_LETTERS]}"
    return PrintHeader(
        event=DisplayText(state.name), url=url, head=head, by_name=by_name or UNSET, rules=state.rules or UNSET
    )


def slip_content(
    event: SavedEvent, played: RoundState, match: MatchState, names: Names, base_url: str, secret: bytes
) -> Slip:
    """The content of one match's slip; its address opens the match (`results/slip_desk.py`)."""
    state, members = event.state, shown_members(event)
    a, b = (
        SlipSide(
            **asdict(side_view(state, played, who, names)),
            record=record_of(event, who)[0],
            members=_texts(members.get(who, ())),
        )
        for who in (match.match.a, match.match.b or "")
    )
    return Slip(
        **asdict(print_header(state, f"{base_url}/s/{slip_token(secret, state, played, match)}")),
        round=played.number,
        name=THIRD_PLACE if match.match.game == THIRD else title_key(state, played),
        a=a,
        b=b,
        of=rounds_planned(state, played),
        table=match.match.table,
        code=slip_codes(state, played)[match.id],
        form=state.rulebook.form(state.options, situation_of(state, played, match)),
    )


def rounds_planned(state: EventState, played: RoundState) -> int:
    """The number of Swiss rounds, at least this round's number."""
    return max(state.swiss_rounds, played.number)


def pairings_by_table(event: SavedEvent, played: RoundState, names: Names) -> tuple[TablePairing, ...]:
    """Tables in order, then pairings without a table. `by_hand`: an official paired these two."""
    members = shown_members(event)
    return tuple(
        TablePairing(
            table=m.match.table,
            a=DisplayText(names[m.match.a]),
            b=DisplayText(names[m.match.b]) if m.match.b else None,
            a_members=_texts(members.get(m.match.a, ())),
            b_members=_texts(members.get(m.match.b or "", ())),
            bye=m.match.bye,
            a_record=record_of(event, m.match.a)[0],
            b_record=record_of(event, m.match.b)[0] if m.match.b else None,
            by_hand=bool(m.by_hand),
        )
        for m in sorted(played.matches, key=lambda match: (match.match.table is None, match.match.table or 0))
    )


def pairings_by_name(event: SavedEvent, played: RoundState, names: Names) -> tuple[NameLine, ...]:
    """Every competitor with record, table and opponent, so that errors are found before play."""
    members = shown_members(event)
    seats = [
        (match.match, side, who, record_of(event, who)[0])
        for match in played.matches
        for side in SIDES
        if (who := match.match.competitor(side)) is not None
    ]
    rows = [
        NameLine(
            name=DisplayText(names[who]),
            against=DisplayText(names[other]) if (other := match.competitor(other_side(side))) is not None else None,
            members=_texts(members.get(who, ())),
            record=record,
            table=match.table,
            bye=match.bye,
            side=side,
        )
        for match, side, who, record in seats
    ]
    return tuple(sorted(rows, key=lambda row: name_sort_key(row.name)))


def standings_content(event: SavedEvent, names: Names, header: PrintHeader) -> Standings:
    """The standings; after a cut the final ranking with the round each reached, without deciding Swiss tiebreakers."""
    view = standings_view(event, names)
    members = shown_members(event)
    swiss = {line.competitor: line for line in view.lines}
    after_a_cut = any(placed.reached for placed, _ in ranked_rows(event))
    rows = [
        StandingsPrintLine(
            rank=placed.rank,
            name=DisplayText(line.name),
            members=_texts(members.get(line.competitor, ())),
            points=line.points,
            record=line.record,
            values=tuple(value.text for value in line.values),
            status=placed.status,
            reached=placed.reached,
            decided=None if after_a_cut else next((at for at, value in enumerate(line.values) if value.decided), None),
            decided_by=line.decided_by if line.decided_by in view.hidden and not after_a_cut else None,
            by_lot=line.by_chance and not after_a_cut,
        )
        for placed, _ in ranked_rows(event)
        if (line := swiss.get(placed.competitor)) is not None
    ]
    return Standings(
        **asdict(header),
        after=view.after,
        final=event.state.finished or after_a_cut,
        columns=tuple(view.columns),
        rows=tuple(rows),
        cut=_cut(event, names),
    )


def _cut(event: SavedEvent, names: Names) -> CutOrder | None:
    """Who makes the cut, where its order differs from the standings and all Swiss rounds are played."""
    rows = tuple(
        CutLine(
            rank=row.seed,
            name=DisplayText(names[row.competitor]),
            points=str(row.points),
            value=str(row.opponents_points),
            decided=row.decided_by == "opponents_points",
        )
        for row in cut_rows_before_play(event)
    )
    return CutOrder(size=event.state.cut_size, rows=rows) if rows else None


def _texts(names: Iterable[str]) -> tuple[DisplayText, ...]:
    return tuple(map(DisplayText, names))
