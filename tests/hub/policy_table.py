"""Who may ask for what, in which state of an event and its round, written by hand: the hub's routes are held to it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

EVERYBODY, LOGIN, TABLE, STATION, STANDBY, PANEL, KIN, PLAYER, SLIP, NEW_UNIT, WALL = (
    "everybody",
    "login",
    "table",
    "station",
    "standby",
    "panel",
    "kin",
    "player",
    "slip",
    "new unit",
    "wall",
)
ORGANIZER, HEAD_JUDGE, JUDGE, SCOREKEEPER = "organizer", "head_judge", "judge", "scorekeeper"
STAFF_ROLES = (ORGANIZER, HEAD_JUDGE, JUDGE, SCOREKEEPER)

STAFF = frozenset(STAFF_ROLES)
JUDGES = frozenset({ORGANIZER, HEAD_JUDGE, JUDGE})
HEADS = frozenset({ORGANIZER, HEAD_JUDGE})
DESK = frozenset({ORGANIZER, SCOREKEEPER})
ORGANIZERS = frozenset({ORGANIZER})
HEADS_AND_DESK = HEADS | DESK

NO_EVENT, BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED = (
    "no event",
    "before play",
    "in play",
    "finished",
    "archived",
    "deleted",
)
STATES = (NO_EVENT, BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED)
NO_ROUND, DRAFTED, PUBLISHED, RUNNING, CLOSED = "no round", "drafted", "published", "running", "closed"
ROUND_STATES = (NO_ROUND, DRAFTED, PUBLISHED, RUNNING, CLOSED)
OPEN_ROUND = frozenset({PUBLISHED, RUNNING})
SHOWN_ROUND = OPEN_ROUND | {CLOSED}

SEEN = frozenset({BEFORE, IN_PLAY, FINISHED, ARCHIVED})
OPEN = frozenset({BEFORE, IN_PLAY})
PLAYING = frozenset({IN_PLAY})
PLAYED = frozenset({IN_PLAY, FINISHED, ARCHIVED})

Narrower = Mapping[str, tuple[frozenset[str], frozenset[str]]]

_BEFORE_ROUND_1 = {SCOREKEEPER: (frozenset({BEFORE}), frozenset(ROUND_STATES))}
_IN_OPEN_ROUNDS = {SCOREKEEPER: (PLAYING, OPEN_ROUND)}


class Row(NamedTuple):
    """`who` may ask, in these states of the event and of the round; `only`: of them, who may in fewer."""

    who: frozenset[str]
    states: frozenset[str] = frozenset(STATES)
    rounds: frozenset[str] = frozenset(ROUND_STATES)
    only: Narrower = {}

    def allows(self, role: str, state: str, round_state: str) -> bool:
        states, rounds = self.only.get(role, (self.states, self.rounds))
        return role in self.who and state in self.states & states and round_state in self.rounds & rounds


def _rows(row: Row, *addresses: str) -> dict[str, Row]:
    return dict.fromkeys(addresses, row)


def _of_event(
    who: frozenset[str],
    states: frozenset[str],
    *addresses: str,
    rounds: frozenset[str] | None = None,
    only: Narrower | None = None,
) -> dict[str, Row]:
    row = Row(who, states, rounds or frozenset(ROUND_STATES), only or {})
    return _rows(row, *(address.replace(" ", " /console/<event_id>", 1) for address in addresses))


WRITTEN: Mapping[str, Row] = {
    **_rows(
        Row(frozenset({EVERYBODY})),
        "GET /",
        "GET /wall",
        "GET /static/<name>",
        "GET /feed",
        "GET /time",
        "GET /trust",
        "GET /aid/<rulebook>",
        "GET /league/<league>",
        "GET /ca.crt",
        "GET /checks",
        "GET /device/challenge",
        "GET /device/hub",
        "GET /standby/lineage",
    ),
    **_rows(Row(frozenset({SLIP})), "GET /s/<token>", "POST /s/<token>"),
    **_rows(
        Row(frozenset({EVERYBODY}), SEEN),
        "GET /wall/<event_id>",
        "GET /e/<event_id>",
        "GET /e/<event_id>/p/<competitor>",
        "GET /e/<event_id>/standings",
        "GET /e/<event_id>/pairings",
        "GET /e/<event_id>/bracket",
        "GET /e/<event_id>/event.json",
        "GET /rules/<event_id>",
        "GET /join/<event_id>",
        "GET /print/<event_id>/pairings-table",
        "GET /print/<event_id>/pairings-name",
        "GET /print/<event_id>/standings",
        "GET /print/<event_id>/bracket",
    ),
    **_rows(Row(frozenset({EVERYBODY}), OPEN), "POST /join/<event_id>"),
    **_rows(Row(frozenset({EVERYBODY})), "GET /me"),
    **_rows(
        Row(frozenset({PLAYER})),
        "POST /me",
        "GET /me/<token>",
        "GET /me/<token>/report",
        "POST /me/<token>/report",
        "POST /me/<token>/report/lot",
        "GET /me/<token>/said/<name>",
        "POST /me/<token>/lot",
        "POST /me/<token>/picks",
        "POST /me/<token>/call",
        "POST /me/<token>/here",
        "GET /me/<token>/leave",
        "POST /me/<token>/leave",
        "GET /me/<token>/list",
        "POST /me/<token>/list",
    ),
    **_rows(
        Row(frozenset({TABLE})), "POST /device/report", "POST /device/status", "POST /device/time", "POST /device/feed"
    ),
    **_rows(Row(frozenset({NEW_UNIT})), "POST /device/enrol"),
    **_rows(Row(frozenset({WALL})), "POST /device/wall"),
    **_rows(Row(frozenset({STATION})), "POST /station/jobs"),
    **_rows(Row(frozenset({PANEL})), "POST /device/panel"),
    **_rows(Row(frozenset({STANDBY})), "POST /standby/feed"),
    **_rows(Row(frozenset({KIN})), "POST /standby/who"),
    **_rows(Row(frozenset({LOGIN})), "GET /login", "POST /login", "POST /logout"),
    **_rows(
        Row(STAFF),
        "GET /console",
        "GET /console/find",
        "GET /console/outcome/<word>",
        "GET /console/help",
        "GET /console/hall",
        "GET /console/printer",
    ),
    **_rows(
        Row(ORGANIZERS),
        "GET /console/new",
        "POST /console",
        "POST /console/continue",
        "POST /console/import",
        "GET /console/archived",
        "GET /console/hub",
        "GET /console/practice",
        "POST /console/practice",
        "POST /console/practice/end",
        "POST /console/practice/units",
        "POST /console/hub/time",
        "POST /console/hub/sessions/<session_id>/end",
        "POST /console/hub/sessions/end",
        "POST /console/hub/staff",
        "POST /console/hub/staff/<person>/pin",
        "POST /console/hub/staff/<person>/role",
        "POST /console/hub/staff/<person>/revoke",
        "GET /console/people",
        "GET /console/people/<person>",
        "POST /console/people/<person>/join",
        "POST /console/people/<person>/part",
        "POST /console/people/<person>/forget",
        "GET /console/games",
        "POST /console/games",
        "POST /console/games/look",
        "POST /console/games/try",
        "POST /console/games/remove",
        "POST /console/games/file",
        "GET /console/games/<game>/file",
        "GET /console/leagues",
        "POST /console/leagues",
        "POST /console/leagues/remove",
        "GET /console/leagues/<league>/table.csv",
        "GET /console/units",
        "POST /console/units/add",
        "POST /console/units/replace",
        "POST /console/units/revoke",
        "POST /console/units/seen",
        "POST /console/units/identify",
        "GET /console/units/enrol",
        "POST /console/units/enrol",
        "POST /console/units/enrol/identify",
        "POST /console/units/enrol/place",
        "GET /console/restored",
        "POST /console/restored/without",
        "POST /console/restored/place",
        "POST /console/restored/adopt",
        "POST /console/restored/anew",
        "POST /console/restored/point",
        "POST /console/restored/settled",
    ),
    # Looking at an event, whatever became of it, and what is the hall's more than the event's.
    **_of_event(
        STAFF,
        SEEN,
        "GET ",
        "GET /players",
        "GET /standings",
        "GET /event",
        "GET /person/<competitor>",
        "GET /officials",
        "GET /units",
        "GET /export.json",
        "GET /standings.csv",
        "GET /competitor/<competitor>/list",
        "GET /paper",
        "GET /slip",
        "GET /entry",
        "GET /find",
        "GET /list-fortress.json",
        "GET /prizes",
        "GET /print/slips",
        "GET /print/emergency",
        "GET /acts",
    ),
    **_of_event(STAFF, frozenset({BEFORE, IN_PLAY, FINISHED}), "POST /undo"),
    **_of_event(HEADS_AND_DESK, SEEN, "GET /print/players"),
    **_of_event(HEADS, SEEN, "GET /mend"),
    **_of_event(ORGANIZERS, SEEN, "GET /pair"),
    **_rows(
        Row(HEADS_AND_DESK),
        "GET /console/announcements",
        "POST /console/announcements/say",
        "POST /console/announcements/unsay",
        "GET /console/displays",
        "POST /console/displays/sound",
        "POST /console/displays/<display>/set",
        "POST /console/displays/<display>/identify",
        "POST /console/displays/<display>/forget",
    ),
    **_rows(Row(STAFF), "GET /console/before-doors"),
    **_rows(Row(ORGANIZERS), "GET /console/before-doors/diagnostics.txt"),
    **_rows(Row(JUDGES), "GET /console/judge"),
    **_of_event(JUDGES, SEEN, "GET /judge", "POST /call", "POST /call/settled"),
    **_of_event(HEADS, SEEN, "POST /units", "POST /leave/refused"),
    **_of_event(
        ORGANIZERS, frozenset({BEFORE, IN_PLAY, FINISHED}), "POST /prizes", "POST /prizes/winner", "POST /prizes/draw"
    ),
    **_of_event(ORGANIZERS, SEEN, "POST /restore", "POST /again"),
    **_of_event(
        DESK,
        SEEN,
        "GET /competitors/<competitor>/link",
        "POST /competitors/<competitor>/link",
        "POST /competitors/<competitor>/link/revoke",
    ),
    **_of_event(ORGANIZERS, frozenset({BEFORE, FINISHED, ARCHIVED}), "POST /archive"),
    **_of_event(ORGANIZERS, frozenset({FINISHED, ARCHIVED}), "GET /delete", "POST /delete"),
    **_of_event(ORGANIZERS, frozenset({FINISHED}), "POST /reopen"),
    **_of_event(
        DESK,
        frozenset({BEFORE, IN_PLAY, FINISHED}),
        "POST /paper",
        "POST /paper/proxy",
        "POST /paper/again",
        "POST /paper/go-on",
        "POST /paper/there",
        "POST /paper/cancel",
        "POST /paper/printer",
    ),
    # Setting up, and people: as long as it is not over.
    **_of_event(
        ORGANIZERS,
        OPEN,
        "POST /about",
        "POST /options",
        "POST /options/lists",
        "POST /structure",
        "POST /draw",
        "POST /discard",
        "POST /tables",
        "POST /publish",
        "POST /play-on",
        "POST /pair",
        "POST /officials",
        "POST /officials/<official>/change",
        "POST /officials/<official>/remove",
        "POST /officials/<official>/person",
    ),
    **_of_event(HEADS, OPEN, "POST /officials/<official>/duty", "POST /mend"),
    **_of_event(
        HEADS_AND_DESK,
        OPEN,
        "POST /competitors",
        "POST /competitors/<competitor>/drop",
        "POST /competitors/<competitor>/return",
        "POST /competitor/<competitor>/list",
        only=_BEFORE_ROUND_1,
    ),
    **_of_event(STAFF, OPEN, "POST /competitors/<competitor>/tick", only=_BEFORE_ROUND_1),
    # People from a table; what is seen of it is what is known of everybody.
    **_of_event(HEADS_AND_DESK, SEEN, "GET /import"),
    **_of_event(HEADS_AND_DESK, OPEN, "POST /import/table", "POST /import/people", only=_BEFORE_ROUND_1),
    **_of_event(STAFF, SEEN, "GET /check-in", "GET /absent"),
    **_of_event(ORGANIZERS, OPEN, "POST /check-in"),
    **_of_event(
        HEADS_AND_DESK,
        OPEN,
        "POST /check-in/name",
        "POST /competitors/<competitor>/here",
        "POST /competitors/<competitor>/confirm",
        "POST /competitors/<competitor>/remove",
        "POST /sign-up/remove",
    ),
    **_of_event(HEADS_AND_DESK, frozenset({BEFORE}), "POST /regulars"),
    **_of_event(HEADS_AND_DESK, frozenset({BEFORE, IN_PLAY, FINISHED}), "POST /competitors/<competitor>/details"),
    **_of_event(HEADS_AND_DESK, SEEN, "GET /sign-up"),
    **_of_event(ORGANIZERS, OPEN, "POST /sign-up"),
    # Who of the judges may disqualify, or propose it, is the rulebook's and the event's officials': the core says.
    **_of_event(
        JUDGES,
        OPEN,
        "POST /competitors/<competitor>/disqualify",
        "POST /competitors/<competitor>/warn",
        "POST /competitors/<competitor>/decline",
    ),
    **_of_event(HEADS, OPEN, "POST /competitors/<competitor>/propose"),
    # Rounds and matches: once there are any.
    **_of_event(
        ORGANIZERS,
        PLAYING,
        "POST /finish",
        "POST /cut",
        "POST /cut/back",
        "POST /cut/accepted",
        "POST /cut/declined",
        "POST /cut/present",
    ),
    **_of_event(HEADS, PLAYING, "POST /clock", "POST /extra"),
    **_of_event(
        STAFF,
        PLAYING,
        "POST /match/<match_id>/walk",
        "POST /match/<match_id>/walk/lot",
        "POST /match/<match_id>/before-play",
        "POST /here",
        "POST /match/<match_id>/picks",
        "POST /match/<match_id>/entry",
        rounds=SHOWN_ROUND,
        only=_IN_OPEN_ROUNDS,
    ),
    **_of_event(JUDGES, PLAYING, "POST /accept", "POST /keep", "POST /elsewhere"),
    **_of_event(
        JUDGES,
        PLAYING,
        "POST /match/<match_id>/clear",
        "POST /match/<match_id>/no-show",
        "POST /match/<match_id>/nobody-came",
        "POST /match/<match_id>/here-after-all",
        "POST /match/<match_id>/ruling",
        "POST /match/<match_id>/appeal",
        "POST /match/<match_id>/extension",
        rounds=SHOWN_ROUND,
    ),
    **_of_event(HEADS, PLAYING, "POST /match/<match_id>/appeal-decided", rounds=SHOWN_ROUND),
    **_of_event(STAFF, PLAYED, "GET /match/<match_id>", "GET /match/<match_id>/walk"),
}
"""Address → its row."""


def policy(declared: Iterable[str]) -> dict[str, Row]:
    """The table. A page of the console that no row names, and that belongs to no event, is the organizers' alone."""
    others = [one for one in declared if one not in WRITTEN and one.startswith("GET /console/") and "<" not in one]
    return {**WRITTEN, **_rows(Row(ORGANIZERS), *others)}
