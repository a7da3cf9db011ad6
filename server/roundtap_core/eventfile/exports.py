"""An event for other programs: its event file, its standings as CSV, its rounds for List Fortress; a league as CSV.

Comma, double quotes where needed, line feed, UTF-8. Headings are keys, the same in every language. Numbers are whole
ones, since a spreadsheet of another country takes 2.5000 for a date and 0.5667 for thousands: an exact fraction stands
in two columns, KEY_num and KEY_den. Text that a spreadsheet would read as a formula, a date or a number has an
apostrophe before it.
"""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import asdict

from roundtap_core.elimination.bracket import THIRD
from roundtap_core.elimination.ranking import final_places
from roundtap_core.errors import Problem
from roundtap_core.names import display_name, names_in
from roundtap_core.records import ELIMINATION, UNPAIRED_LOSS, Competitor, Match, Round, Tournament, match_to_json
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.standings.standings import LeagueRow, exact_points, league_points_text, standings, standings_to_json
from roundtap_core.words import Words

COUNTS = ("points", "rounds", "wins", "losses", "draws", "byes")

_MONTH = (
    "jan|feb|mar|mär|mrz|apr|abr|may|mai|maj|jun|cze|jul|lip|aug|ago|sie|sep|wrz|oct|okt|paź|nov|lis|dec|dez|dic"
    "|gru|ene|sty|lut|kwi"
)
_NO_TEXT = re.compile(
    r"\s*[=+\-@|'\t\r\u2212\uff0b\uff0d\uff1d\uff20]"  # Formulas, in any width; and what already has an apostrophe.
    r"|[\s.,]*\d"  # Numbers, and dates that begin with a day, a month or a year.
    rf"|\s*({_MONTH})[^\W\d_]*\.?[\s\-/.,]*\d"  # Dates that begin with a month's name.
    r"|\s*(true|false|wahr|falsch|verdadero|falso|prawda|fałsz)\s*$",
    re.IGNORECASE,
)
FORMAT = "roundtap-event/1"

NOBODY = Competitor("", "")  # has every default; to ask msgspec for them takes 2 ms each time


def standings_csv(tournament: Tournament, after: int | None = None, now: bool = False) -> str:
    """The table after round `after`; by default, or `now`, with the final places of an elimination. `place` is
    where a player ended: the final rank once there is an elimination, else the rank; rows stand in its order. `rank` is
    that of the standings. Raises Problem where a recorded result cannot be read."""
    rows: list[dict[str, Any]] = standings_to_json(standings(tournament, after, now), 0)["standings"]
    places = final_places(tournament, None if now else after)
    rows.sort(key=lambda row: (row["rank"] is None, places.get(row["competitor"], row["rank"] or 0)))
    keys = _columns(rows)
    people = {competitor.id: competitor for competitor in tournament.competitors}
    shown = names_in(tournament)
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(
        [
            "place",
            "rank",
            "competitor",
            "name",
            "full_name",
            "status",
            *COUNTS,
            *(heading for headings in keys.values() for heading in headings),
            "decided_by",
            "by_chance",
        ]
    )
    for row in rows:
        person = people[row["competitor"]]
        rank = "" if row["rank"] is None else row["rank"]
        out.writerow(
            [
                "" if rank == "" else places.get(person.id, rank),
                rank,
                plain_text(person.id),
                plain_text(display_name(person, shown)),
                plain_text(person.name),
                row.get("status", ""),
                *(row[key] for key in COUNTS),
                *(cell for key in keys for cell in _cells(row["tiebreakers"], key, keys)),
                row["decided_by"],
                "yes" if row["by_chance"] else "no",
            ]
        )
    return text.getvalue()


def plain_text(text: str) -> str:
    """`text` as every spreadsheet shows it: with an apostrophe before what would be a formula, a date or a number. A
    semicolon parts cells where people write decimals with a comma: what follows one is held to the same."""
    return ";".join(f"'{part}" if _NO_TEXT.match(part) else part for part in text.split(";"))


def file_stem(event_name: str) -> str:
    """The event's name in plain letters, for a file: "Liga Żyto 3" → "liga-zyto-3"."""
    plain = unicodedata.normalize("NFKD", event_name.casefold().replace("ł", "l")).encode("ascii", "ignore").decode()
    return re.sub("[^a-z0-9]+", "-", plain).strip("-")[:60] or "event"


def typed_text(text: str) -> str:
    """The text that `plain_text` was given, where it is its own; other apostrophes stay ("'t Hart")."""
    return ";".join(part[1:] if part[:1] == "'" and _NO_TEXT.match(part[1:]) else part for part in text.split(";"))


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Each tiebreaker's headings: one, or two where its values are fractions; wins that break ties are "wins_2"."""
    keys: dict[str, list[str]] = {}
    for row in rows:
        for key, value in row["tiebreakers"].items():
            if keys.get(key) is None or isinstance(value, str):
                name = f"{key}_2" if key in COUNTS else key
                keys[key] = [f"{name}_num", f"{name}_den"] if isinstance(value, str) else [name]
    return keys


def _cells(values: dict[str, Any], key: str, keys: dict[str, list[str]]) -> list[Any]:
    value = values.get(key)
    if value is None:
        return [""] * len(keys[key])
    return value.split("/") if isinstance(value, str) else [value]


def list_fortress(tournament: Tournament) -> dict[str, Any]:
    """The event as it stands; matches without a result are left out, as are rounds that a player missed. Raises
    Problem("not_of_this_rulebook") for another game, and where a recorded result cannot be read."""
    if not book_of(tournament).list_fortress:
        raise Problem("not_of_this_rulebook", key="List Fortress", rulebook=tournament.rulebook)
    shown = names_in(tournament)
    names = {competitor.id: display_name(competitor, shown) for competitor in tournament.competitors}
    return {
        "name": tournament.name,
        "players": _players(tournament, names),
        "rounds": [_round(tournament, played, names) for played in tournament.rounds if _finished_matches(played)],
    }


def _players(tournament: Tournament, names: dict[str, str]) -> list[dict[str, Any]]:
    places = final_places(tournament)
    cut = {
        who
        for played in tournament.stage_rounds(ELIMINATION)
        for match in played.matches
        for who in (match.a, match.b)
        if who is not None
    }
    gone = {competitor.id: competitor.left_after for competitor in tournament.competitors}
    players = []
    for row in standings(tournament):
        rank = {} if row.rank is None else {"swiss": row.rank}
        if row.competitor in cut and row.competitor in places:
            rank["elimination"] = places[row.competitor]
        left = gone[row.competitor]
        players.append(
            {
                "name": names[row.competitor],
                "score": row.points,
                "mov": row.tiebreakers["mov"],
                **({"sos": round(float(row.tiebreakers["sos"]), 4)} if "sos" in row.tiebreakers else {}),
                **({} if left is None else {"dropped": left}),
                "rank": rank,
            }
        )
    return players


def _finished_matches(played: Round) -> list[Match]:
    return [match for match in played.matches if match.result is not None or match.bye not in (None, UNPAIRED_LOSS)]


def _round(tournament: Tournament, played: Round, names: dict[str, str]) -> dict[str, Any]:
    """An elimination round is numbered by how many still play for the title, as Cryodex does: 2 is the final."""
    knockout = played.stage == ELIMINATION
    games = sum(match.game != THIRD for match in played.matches)
    return {
        "round-type": "elimination" if knockout else "swiss",
        "round-number": 2 * games if knockout else played.number,
        "matches": [_match(tournament, match, names) for match in _finished_matches(played)],
    }


def _match(tournament: Tournament, match: Match, names: dict[str, str]) -> dict[str, Any]:
    if match.b is None or match.result is None:
        return {"player1": names[match.a], "player1points": 0, "result": "bye"}
    book = book_of(tournament)
    winner = book.winner(match.result, book.options(tournament.options))
    won = {"a": match.a, "b": match.b}.get(winner)
    return {
        "player1": names[match.a],
        "player1points": match.result.score.a,
        "player2": names[match.b],
        "player2points": match.result.score.b,
        "result": "win" if won is not None else "draw",
        # Who has won is not always who has more: a final salvo, a concession, a ruling.
        **({} if won is None else {"winner": names[won]}),
    }


def league_csv(rows: Iterable[LeagueRow], events: int) -> str:
    """A league's table: a line a person, with the points of each event. A half is a text, "'15/2": spreadsheets would
    make it a date."""
    numbers, text = range(1, events + 1), io.StringIO()
    lines: list[list[Any]] = [
        ["place", "name", "full_name", "points", "played", "coming", *(f"event_{n}" for n in numbers)]
    ]
    for row in rows:
        worths = (exact_points(row.results[n].points) if n in row.results else "" for n in numbers)
        lines.append([row.place, row.name, row.full_name, exact_points(row.points), row.played, row.coming, *worths])
    out = csv.writer(text, lineterminator="\n")
    out.writerows([plain_text(cell) if isinstance(cell, str) else cell for cell in line] for line in lines)
    return text.getvalue()


def league_lines(rows: Iterable[LeagueRow], events: Sequence[str], words: Words) -> list[list[str]]:
    """A league's table as people read it, its head first. Points in brackets do not count; without a place there are
    none. `events`: what stands above the points of each."""
    lines = [[*(words(f"column.{key}") for key in ("place", "name", "points", "played", "coming")), *events]]
    for row in rows:
        worths = {
            n: ("{}" if each.counts else "({})").format(league_points_text(each.points))
            for n, each in row.results.items()
            if each.place is not None
        }
        lines.append(
            [
                str(row.place),
                row.name,
                league_points_text(row.points),
                str(row.played),
                str(row.coming),
                *(worths.get(n, "–") for n in range(1, len(events) + 1)),
            ]
        )
    return lines


def tournament_to_json(tournament: Tournament) -> dict[str, Any]:
    """The event file as plain JSON, keys in the order of its description; what has its default is left out. Reading it
    again gives the same tournament."""
    return _with_record(
        {
            "format": FORMAT,
            "name": tournament.name,
            "rulebook": tournament.rulebook,
            **({} if tournament.rules is None else {"rules": json.loads(tournament.rules)}),
            **({} if tournament.level is None else {"level": tournament.level}),
            **({"options": tournament.options} if tournament.options else {}),
            "seed": tournament.seed,
            "competitors": [_without_defaults(item) for item in tournament.competitors],
            "rounds": [round_to_json(item) for item in tournament.rounds],
        },
        tournament,
    )


def round_to_json(item: Round) -> dict[str, Any]:
    return _with_record(
        {
            "number": item.number,
            "stage": item.stage,
            **({} if item.draw is None else {"draw": asdict(item.draw)}),
            **({} if item.tiebreak_form is None else {"tiebreak_form": item.tiebreak_form}),
            "matches": [_with_record(match_to_json(match), match) for match in item.matches],
        },
        item,
    )


def _with_record(data: dict[str, Any], item: Tournament | Round | Match | Competitor) -> dict[str, Any]:
    return {**data, **(item.record or {})}


def _without_defaults(item: Competitor) -> dict[str, Any]:
    fields = {key: getattr(item, key) for key in item.__struct_fields__ if key != "record"}
    data = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in fields.items()
        if value != getattr(NOBODY, key)
    }
    return _with_record(data, item)
