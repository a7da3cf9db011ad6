"""Public pages as text: Jinja without a web framework, addresses from a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup

from roundtap_core.clock import show
from roundtap_core.elimination.bracket_picture import say_round
from roundtap_core.errors import Problem
from roundtap_core.event.state import EventState
from roundtap_core.records import TIEBREAK
from roundtap_core.version import version
from roundtap_core.words import LANGUAGES, Words, catalogue, core_words
from roundtap_hub.hub import Hub
from roundtap_hub.public.sheets import Sheet
from roundtap_hub.views.isolated import IsolatingWords
from roundtap_hub.views.knockout import newest_name, title_key
from roundtap_hub.views.regions import SEEN, Rendered, split
from roundtap_hub.views.round_clock import age_text
from roundtap_hub.views.row_texts import RowTexts
from roundtap_hub.views.said import SaidLine, said_lines
from roundtap_hub.views.schedule import Schedule, schedule

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parents[1] / "templates"
PATHS = {
    "pages.front_door": "/", "pages.login": "/login", "pages.colours": "/colours.css", "console.events": "/console",
    "pages.find_me": "/e/{event_id}", "pages.player": "/e/{event_id}/p/{competitor}",
    "pages.standings": "/e/{event_id}/standings", "pages.pairings": "/e/{event_id}/pairings",
    "pages.aid": "/aid/{rulebook}",
    "pages.bracket_page": "/e/{event_id}/bracket", "pages.announced": "/rules/{event_id}",
    "pages.wall": "/wall/{event_id}",
}
"""Where public pages lead to, as Flask's routes have it."""


@lru_cache(maxsize=len(LANGUAGES))
def words_in(language: str) -> Words:
    """The hub's texts and the core's."""
    return IsolatingWords.of(catalogue("roundtap_hub", language).also(core_words(language)))


def url_for(endpoint: str, **values: str) -> str:
    return PATHS[endpoint].format_map({name: quote(value) for name, value in values.items()})


def common_context(hub: Hub, t: Words, rows: RowTexts) -> dict[str, Any]:
    """What every page's template may use, whoever draws it."""
    return {"t": t, "lang": t.language, "languages": LANGUAGES, "hub": hub, "clock_text": show, "age_text": age_text,
            "knockout_name": lambda what: knockout_name(t, what),
            "round_named": lambda state, number: round_named(t, state, number),
            "restored": hub.service.snapshot.venue.afresh is not None,
            "schedule_of": lambda state: schedule_of(hub, state),
            "said_to": lambda event_id: said_to(hub, event_id),
            "row_texts": lambda *of: rows.rows(t.language, *of), "build": version()}


def schedule_of(hub: Hub, state: EventState) -> Schedule | None:
    """The event's schedule as of now; None where its journal cannot be read."""
    try:
        return schedule(state, hub.times.of(state), hub.clocks.now(), hub.clocks.wall())
    except Problem:
        return None


def said_to(hub: Hub, event_id: str | None) -> tuple[SaidLine, ...]:
    """What is announced to an event (None: to all) now."""
    return said_lines(hub.service.snapshot.venue.walls, event_id, hub.clocks.now(), hub.clocks.wall())


def knockout_name(t: Words, what: EventState | str | None) -> str:
    """A round's name in one language: of an event's newest round, or of a name's key; "" where none."""
    key = newest_name(what) if isinstance(what, EventState) else what
    if key == TIEBREAK:
        return t("round.tiebreak")
    return say_round(t, key) if key else ""


def round_named(t: Words, state: EventState, number: int) -> str:
    """ "Round 3", or what that round is called: "Final"."""
    played = next((played for played in state.rounds if played.number == number), None)
    return (knockout_name(t, title_key(state, played)) if played is not None else "") or t("round", number=number)


class Drawing:
    """Draws sheets for people who are no organizers, in one thread at a time."""

    def __init__(self, hub: Hub, static_url: Callable[[str], str]) -> None:
        self._hub = hub
        self._static_url = static_url
        self._rows = RowTexts()

    @cached_property
    def _environment(self) -> Environment:
        # Not before the first page: a hub that starts answers reports, and those need no templates.
        from jinja2 import Environment, FileSystemLoader

        from roundtap_hub.public.region_tags import RegionTags

        made = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True,
            auto_reload=False, extensions=[RegionTags])
        made.globals.update(url_for=url_for, static_url=self._static_url)
        return made

    def draw(self, sheet: Sheet, language: str, version: str, now_ms: int) -> Rendered:
        template = self._environment.get_template(sheet.template)
        return split(template.render(
            **common_context(self._hub, words_in(language), self._rows), feed=sheet.page, variant=sheet.variant,
            seen=Markup(SEEN), address="", now_ms=now_ms, sent_ms="", organizer=False, problem="", problem_where="",
            typed={}, **sheet.context), version)
