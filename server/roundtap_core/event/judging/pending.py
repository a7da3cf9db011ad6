"""What is judged: the log of a match, appeals that are open, and disqualifications that are proposed."""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.event.match_log import APPEAL, DECISION, EXTENSION, LogLine
from roundtap_core.event.state import Entrant, EventState, MatchState, RoundState


class Proposal(Struct, frozen=True):
    """Somebody might be disqualified: by the head judge's word (`by`, with a reason), or for so many warnings."""

    competitor: str
    warnings: int
    reason: str | None = None
    by: str | None = None


def proposed_disqualifications(state: EventState) -> tuple[Proposal, ...]:
    """What waits for a person's decision, in the order of entering."""
    found = (_proposal(state, entrant) for entrant in state.entrants.values())
    return tuple(proposal for proposal in found if proposal is not None)


def _proposal(state: EventState, entrant: Entrant) -> Proposal | None:
    if entrant.disqualified_after is not None:
        return None
    warnings, limit = len(entrant.warnings), state.rulebook.warnings_until_proposal
    if entrant.proposed is not None:
        return Proposal(entrant.id, warnings, entrant.proposed["reason"], entrant.proposed["by"])
    if limit is not None and warnings >= limit and warnings > entrant.declined_at:
        return Proposal(entrant.id, warnings)
    return None


def open_appeal(match: MatchState) -> LogLine | None:
    """The appeal that the head judge has not decided yet."""
    said = [line for line in match.log if line.kind in (APPEAL, DECISION)]
    return said[-1] if said and said[-1].kind == APPEAL else None


def is_final(match: MatchState) -> bool:
    """The head judge has decided, and nothing was ruled since that could be appealed."""
    said = [line.kind for line in match.log if line.kind != EXTENSION]
    return bool(said) and said[-1] == DECISION


def open_appeals(state: EventState) -> tuple[tuple[RoundState, MatchState], ...]:
    """All matches with an open appeal."""
    return tuple((r, m) for r in state.public_rounds for m in r.matches if m.log and open_appeal(m))
