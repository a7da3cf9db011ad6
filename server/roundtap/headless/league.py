"""A league: several event files added up, person by person.

Events are in the order of their dates; those without one come first, as they are named. Who has no `person` in a file
is known by the external id, else by the name, at that file's venue. The file of `--people` joins people; it is written
if it is missing, and new people are added at its end.
"""

from argparse import Namespace
from collections.abc import Iterable, Sequence
from json import dumps
from pathlib import Path
from typing import Any, Literal

from msgspec import to_builtins
from msgspec.structs import replace

from roundtap.headless import cli_io
from roundtap.headless.site import publish_site
from roundtap_core.command_arguments import argument
from roundtap_core.elimination.ranking import league_event
from roundtap_core.errors import Problem
from roundtap_core.eventfile.exports import league_csv, league_lines
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.eventfile.site import site_pages
from roundtap_core.names import fold, stands_in
from roundtap_core.reasons import type_problems
from roundtap_core.records import Competitor, Tournament
from roundtap_core.rulebooks.own_rules import read_checked
from roundtap_core.standings.standings import LeagueRow, LeagueRules, by_place_of, exact_points, league
from roundtap_core.typed import Line, Message, parse_message
from roundtap_core.words import LANGUAGES, Words, core_words
from roundtap_machine.disk import write_atomically

ARGUMENTS = (
    argument("files", nargs="+", metavar="FILE", help="event files; - reads standard input"),
    argument("--people", type=Path, metavar="PEOPLE.toml", help="who is who; written if it is missing"),
    argument("--points", choices=("place", "own"), default="place", help="by place, or the event's own"),
    argument("--by-place", default="10,8,6,5,4,3,2,1", metavar="N,N,…", help="(default: %(default)s, then none)"),
    argument("--best", type=cli_io.number_from(0), default=0, metavar="N", help="each person's best N events count"),
    argument("--coming", type=cli_io.number_from(0), default=0, metavar="N", help="points for each event played"),
    argument(
        "--ties",
        choices=("places", "best", "latest"),
        default="places",
        help="what decides at equal points: most first places, the best event, or the latest one",
    ),
    argument("--site", type=Path, metavar="DIR", help="also make the pages of roundtap site, with this table"),
    argument("--format", choices=("json", "csv", "text"), default="text"),
    argument("--language", choices=LANGUAGES, help="of the text (default: this machine's)"),
)

WAYS = ("person", "external_id", "name")
Known = dict[Literal["venue", "person", "external_id", "name"], Line]
"""How an event file tells who somebody is: by the first of `WAYS` that it has. The same in the people's file, there as
`Known`: the first of `WAYS` counts, a name and an external id at their venue only."""


class ListedPerson(Message, frozen=True, forbid_unknown_fields=True):
    name: Line
    known: list[Known] = []


class PeopleFile(Message, frozen=True, forbid_unknown_fields=True):
    format: Literal["roundtap-people/1"]
    person: list[ListedPerson] = []


def run(args: Namespace) -> int:
    words = core_words(args.language) if args.language else cli_io.reader_words()
    at, read = "--by-place", dict[str, tuple[str, Tournament]]()
    results, met = dict[str, Any](), dict[str, Competitor]()
    try:
        rules = LeagueRules(
            points=args.points,
            by_place=args.by_place,
            best=args.best,
            coming=args.coming,
            ties=args.ties,
        )
        by_place_of(args.by_place)
        for at in args.files:
            text = cli_io.read_text(at)
            if text in read:
                raise Problem("league_event_twice", first=read[text][0])
            event = parse_event_file(text)
            is_open = any(match.result is None and match.bye is None for r in event.rounds for match in r.matches)
            if not event.rounds or (is_open and not (event.record or {}).get("finished")):
                raise Problem("league_event_open")
            read[text] = at, event
        files = sorted(read.values(), key=lambda each: date_of(each[1]))
        at = str(args.people)
        before = cli_io.read_text(at) if args.people and args.people.exists() else ""
        listed, faults, _ = read_checked(before.removeprefix("\ufeff"), people_of) if before.strip() else ([], [], [])
        if faults:
            return cli_io.print_refusal(
                "\n".join(cli_io.escape_controls(f"{at}: {fault.placed(words)}") for fault in faults)
            )
        people = [*(listed or ())]
        # The newest first: its spelling of a name is taken.
        for at, event in reversed(files):
            if args.points == "own" and event.rulebook != files[-1][1].rulebook:
                raise Problem("league_games_differ", first=files[-1][0])
            results[at] = league_event(event, persons_of(event, people, met))
        rows = league(
            [*reversed(results.values())],
            rules,
            met.values(),
            full_names=all(event.options.get("full_names") for _, event in files),
        )
        if args.people and (new := sorted(people[len(listed or ()) :], key=lambda person: fold(person.name))):
            write_atomically(args.people, people_text(new, words, before).encode())
            cli_io.print_error(f"{args.people}: {words('league.added', n=len(new))}")
    except Problem as problem:
        return cli_io.print_refusal(cli_io.error_line(at, problem, words))
    except OSError as error:
        return cli_io.print_refusal(cli_io.error_of_system(error, args.people))
    events = [event for _, event in files]
    texts = {
        "json": lambda: as_json(rows, events, people),
        "csv": lambda: league_csv(rows, len(events)),
        "text": lambda: as_text(rows, events, words),
    }
    cli_io.write_stdout(texts[args.format]())
    if not args.site:
        return cli_io.DONE
    # The table stands on the first page.
    table = words("league.table"), rows, map(date_of, events)
    return publish_site(args.site, site_pages(events, words, [table]), len(events), words)


def date_of(event: Tournament) -> str:
    return str((event.record or {}).get("date", ""))


def persons_of(event: Tournament, people: list[ListedPerson], met: dict[str, Competitor]) -> dict[str, str]:
    """The number in `people` of each competitor who played and is not forgotten. New people are added to `people`, and
    to `met` whoever is not in it. Raises Problem("league_person_twice")."""
    numbers = {known_key(known): n for n, person in enumerate(people) for known in person.known}
    found, seated, venue = dict[str, str](), event.seated(), (event.record or {}).get("venue")
    for competitor in (each for each in event.competitors if each.id in seated and not stands_in(each.id, each.name)):
        told = ((key, venue if key == "venue" else getattr(competitor, key)) for key in (*WAYS, "venue"))
        known: Any = {key: value for key, value in told if value}
        number = numbers.setdefault(known_key(known), len(people))
        if str(number) in found.values():
            raise Problem("league_person_twice", name=competitor.name)
        if number == len(people):
            people.append(ListedPerson(competitor.name, [known]))
        found[competitor.id] = str(number)
        met.setdefault(str(number), replace(competitor, id=str(number), name=people[number].name))
    return found


def known_key(known: Known) -> tuple[str, ...]:
    """Equal for two lines that mean the same person: a venue's own id is the same everywhere."""
    way: Any = next((way for way in WAYS if way in known), "venue")
    value, venue = known.get(way, ""), "" if way == "person" else known.get("venue", "")
    return way, (way == "name" and fold(value)) or value, fold(venue) or venue


def people_of(data: dict[str, Any]) -> tuple[list[ListedPerson], list[Problem], list[Problem]]:
    """The people in the content of their file, and its faults."""
    if faults := list(type_problems(data, PeopleFile)):
        return [], faults, []
    people = parse_message(PeopleFile, data).person
    told = [
        (f"/person/{n}/known/{m}", each, known) for n, each in enumerate(people) for m, known in enumerate(each.known)
    ]
    first = {known_key(known): (where, each.name) for where, each, known in reversed(told)}
    twice = ((where, first[known_key(known)]) for where, _, known in told)
    return people, [Problem("people_twice", where=at, name=name) for at, (where, name) in twice if at != where], []


def people_text(people: Iterable[ListedPerson], words: Words, before: str) -> str:
    """The file: these people below what is in it `before`."""
    text = before.rstrip() or f'# {words("league.join")}\n# {words("league.known")}\n\nformat = "roundtap-people/1"'
    for person in people:
        lines = (
            ", ".join(f"{key} = {dumps(value, ensure_ascii=False)}" for key, value in known.items())
            for known in person.known
        )
        known = "".join(f"  {{ {line} }},\n" for line in lines)
        text += f"\n\n[[person]]\nname = {dumps(person.name, ensure_ascii=False)}\nknown = [\n{known}]"
    return text + "\n"


def as_json(rows: Sequence[LeagueRow], events: Sequence[Tournament], people: Sequence[ListedPerson]) -> str:
    """`person` is an id of a venue's book, where a file has one."""
    told = [{"name": event.name, "date": date_of(event) or None, "rulebook": event.rulebook} for event in events]
    lines = to_builtins(rows, enc_hook=exact_points, str_keys=True)
    for line in lines:
        del line["full_name"]
        known = people[int(line["person"])].known
        line["person"] = next((each["person"] for each in known if "person" in each), None)
    return cli_io.json_text({"events": told, "league": lines})


def as_text(rows: Sequence[LeagueRow], events: Sequence[Tournament], words: Words) -> str:
    """The table, and the events by their numbers."""
    numbers = [str(n) for n in range(1, len(events) + 1)]
    lines = league_lines(rows, numbers, words)
    told = [(n, date_of(event), event.name) for n, event in zip(numbers, events, strict=True)]
    return cli_io.format_table(lines, "><" + ">" * (len(events) + 3)) + "\n" + cli_io.format_table(told, "><<")
