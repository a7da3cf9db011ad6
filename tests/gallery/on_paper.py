"""What goes on paper, as pictures, by the virtual printer."""

from collections.abc import Iterator
from typing import Any

from PIL import Image

from form_kit import form_to_json
from gallery import event_name
from own_games.shelf import rules_text
from roundtap_core.elimination.bracket import SEMI_FINAL
from roundtap_core.records import ELIMINATION, SWISS, TIEBREAK
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES
from roundtap_devices.printing.escpos_job import END_MARKER, code_page_test_lines, compose_job
from roundtap_devices.printing.print_lines import PrintLine
from roundtap_devices.printing.printer_profiles import PROFILES, PrinterProfile
from roundtap_devices.virtual.virtual_printer import EscposInterpreter
from roundtap_units.documents.notices import layout_job
from roundtap_units.unit_config import unit_words

PEOPLE = (
    "Aleksandra Wiśniewska-Szczepańska",
    "Ana Ruiz",
    "Bruno Maier",
    "Eva Luz",
    "Íñigo Muñoz Peña",
    "Jürgen Groß",
    "Kai Eich",
    "Łukasz Żak",
    "Maximilian von Hohenfels-Brandt",
    "Świętosława Źrebiec",
)
URL = "http://10.42.0.1/e/e1"
SLIP_URL = "http://192.168.178.101:8080/s/VEVILO03G240QJUABH2KKRUAA6T93ALT"
HEAD = "#1042 3fa9c1d07be25564"

TEAMS = ("Szwadron Wiśniewska-Szczepańska", "Los Halcones de Peñaranda de Bracamonte")
MEMBERS = (("Aleksandra W.", "Świętosława Ź."), ("Íñigo M.", "Maximilian v."))


def printed(lines: list[PrintLine], profile: PrinterProfile) -> Image.Image:
    """The sheet that comes out, from one tear to the next."""
    paper = EscposInterpreter(profile)
    paper.feed(compose_job(lines, profile).data + END_MARKER)
    if paper.unknown_bytes:
        raise AssertionError(f"the printer does not know {paper.unknown_bytes[0]!r}")
    return paper.sheets[0] if paper.sheets else paper.tear()


def people(count: int) -> list[str]:
    """Names as they are shown in public: the first ones whole, then shortened."""
    short = [f"{name.split()[0]} {name.split()[-1][0]}." for name in PEOPLE]
    return [PEOPLE[i] if i < len(PEOPLE) else f"{short[i % 10]} ({i // 10 + 1})" for i in range(count)]


def slip_content(
    rulebook: str | Rulebook, names: tuple[str, str], table: int = 12, stage: str = SWISS
) -> dict[str, Any]:
    """A slip as the hub orders it, in the Swiss rounds or a semi-final."""
    book = RULEBOOKS[rulebook] if isinstance(rulebook, str) else rulebook
    form = form_to_json(book.form(book.options({}), MatchSituation(stage)))
    content: dict[str, Any] = {
        "event": "Winter Open Poznań 2026",
        "round": 3,
        "of": 5,
        "table": table,
        "code": "K7F-3",
        "url": SLIP_URL,
        "name": None if stage == SWISS else SEMI_FINAL,
        "head": HEAD,
        "form": form,
        "a": {"name": names[0], "record": "2–0"},
        "b": {"name": names[1], "record": "1–1"},
    }
    if (rules := rules_text(book)) is not None:
        content["rules"] = rules
    if book.team_size > 1:
        content["a"]["members"], content["b"]["members"] = map(list, MEMBERS)
    if book.squads:
        content["a"].update(to_field=[2, 4], must=False)
        content["b"].update(to_field=[1, 2, 3, 4], must=True)
    return content


def best_of_three(rulebook_id: str, names: tuple[str, str]) -> dict[str, Any]:
    """The slip of a match of three games."""
    book = RULEBOOKS[rulebook_id]
    options = book.options({"stages": {SWISS: {"best_of": 3}}})
    return slip_content(rulebook_id, names) | {"form": form_to_json(book.form(options))}


def pairings_content(matches: int) -> dict[str, Any]:
    names = people(2 * matches - 1)
    rows = [
        {"table": n + 1, "a": names[2 * n], "b": names[2 * n + 1], "bye": None, "a_record": "2–0", "b_record": "1–1"}
        for n in range(matches - 1)
    ]
    rows.append({"table": None, "a": names[-1], "b": None, "bye": "bye", "a_record": "0–2", "b_record": None})
    return {"event": "Winter Open", "round": 3, "url": URL, "head": HEAD, "rows": rows}


def names_content(matches: int) -> dict[str, Any]:
    names = people(2 * matches - 1)
    rows = [
        {"name": name, "against": other, "record": "2–0", "table": n // 2 + 1, "bye": None}
        for n, (name, other) in enumerate(zip(names, [*names[1:], names[0]], strict=True))
    ]
    rows[-1] |= {"table": None, "bye": "bye", "against": None}
    return {"event": "Winter Open", "round": 3, "url": URL, "head": HEAD, "rows": sorted(rows, key=lambda r: r["name"])}


def standings_content(count: int) -> dict[str, Any]:
    rows = []
    for n, name in enumerate(people(count)):
        wins = 5 - n * 5 // count
        rows.append(
            {
                "rank": n + 1,
                "name": name,
                "points": str(wins),
                "record": f"{wins}–{5 - wins}",
                "values": [str(812 - 7 * n), f"{0.666 - n / 999:.3f}"],
                "decided": (None, 0, 1)[n % 3],
            }
        )
    return {
        "event": "Winter Open",
        "after": 5,
        "final": True,
        "url": URL,
        "head": HEAD,
        "columns": ["mov", "sos"],
        "rows": rows,
    }


def team_pairings_content() -> dict[str, Any]:
    row = {
        "table": 1,
        "a": TEAMS[0],
        "b": TEAMS[1],
        "bye": None,
        "a_record": "2–1–0",
        "b_record": "1–1",
        "a_members": list(MEMBERS[0]),
        "b_members": list(MEMBERS[1]),
    }
    return {
        "event": "Winter Open",
        "round": 4,
        "name": TIEBREAK,
        "url": URL,
        "head": HEAD,
        "rows": [row, {**row, "table": 2, "a": "Iskra", "b": "Orion"}],
    }


def cut_content(count: int) -> dict[str, Any]:
    rows = [
        {"rank": n + 1, "name": name, "points": str(20 - n // 2 * 5), "value": str(61 - n), "decided": n % 2 == 0}
        for n, name in enumerate(people(count))
    ]
    return {"size": 4, "rows": rows}


def proxy_content() -> dict[str, Any]:
    return {
        "event": "Winter Open Poznań 2026",
        "card": "Expert Handling (Green Squadron Pilot)",
        "official": PEOPLE[0],
        "date": "2026-11-21",
        "head": HEAD,
        "url": "http://10.42.0.1:8080/e/e1",
    }


def trust_content() -> dict[str, Any]:
    fingerprint = " ".join(f"{number * 2731 % 65536:04X}" for number in range(7, 23))
    return {
        "event": "Winter Open Poznań 2026",
        "url": "http://10.42.0.1:8080/trust",
        "console": "https://10.42.0.1:8443/",
        "fingerprint": fingerprint,
        "head": HEAD,
    }


def jobs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(name, kind, content) of the samples."""
    for book in RULEBOOKS.values():
        long = TEAMS if book.team_size > 1 else (PEOPLE[0], PEOPLE[8])
        yield f"slip-{book.id}-short", "slip", slip_content(book.id, ("Ana Ruiz", "Łukasz Żak"))
        yield f"slip-{book.id}-long", "slip", slip_content(book.id, long, 104)
        yield f"slip-{book.id}-semi-final", "slip", slip_content(book.id, long, 1, ELIMINATION)
        if book.id == "xwing-standard":
            yield f"slip-{book.id}-replaces", "slip", slip_content(book.id, long, 104) | {"replaces": True}
        if 3 in book.best_of:
            yield f"slip-{book.id}-best-of-three", "slip", best_of_three(book.id, long)
    yield "pairings-table", "pairings-table", pairings_content(64)
    yield "pairings-name", "pairings-name", names_content(64)
    yield "pairings-teams", "pairings-table", team_pairings_content()
    yield "standings", "standings", standings_content(24)
    yield "standings-cut", "standings", standings_content(8) | {"cut": cut_content(8)}
    yield "proxy", "proxy", proxy_content()
    yield "trust", "trust", trust_content()


def paper_gallery(languages: tuple[str, ...] = LANGUAGES) -> Iterator[tuple[str, Image.Image]]:
    """(name, picture) of every sample on every known printer, in each language."""
    for profile in PROFILES.values():
        yield f"{profile.name}-code-pages", printed(code_page_test_lines(profile), profile)
        for language in languages:
            for name, kind, content in jobs():
                content["event"] = content["event"].replace(event_name("en"), event_name(language))
                lines = layout_job(kind, content, profile.sheet, unit_words(language))
                yield f"{profile.name}-{language}-{name}", printed(lines, profile)
