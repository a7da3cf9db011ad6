"""Every page of the front panel as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PIL import Image

from roundtap_core.words import LANGUAGES
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.hub_says import CallSaid, ClockSaid, EventSaid, HubSaid, StandbySaid, Stick
from roundtap_units.panel.pages import scene_of
from roundtap_units.panel.panel_dialogue import PanelDialogue
from roundtap_units.panel.panel_drawing import draw_panel
from roundtap_units.panel.panel_scenes import PanelScene
from roundtap_units.unit_words import unit_words

HUB_MS, MINUTE_MS = 1_000_000, 60_000
ROUND = {"en": "Round 3", "es": "Ronda 3", "de": "Runde 3", "pl": "Runda 3"}
"""As the hub says it in the panel's language."""
RUNNING = EventSaid("e1", "Winter Open Poznań 2026", "", 7, ClockSaid("running", HUB_MS + 42 * MINUTE_MS, None,
                                                                      75 * MINUTE_MS), ("pause", "minute"), "clock.1")
COUNTING = replace(RUNNING, clock=ClockSaid("counting", None, 30 * MINUTE_MS, 75 * MINUTE_MS),
                   offers=("continue", "hold"))
OTHER = EventSaid("e2", "Side event", "", 0, None, (), "clock.2")
CALLS = (CallSaid("e1", "3.4", "", 12, HUB_MS - 130_000, False), CallSaid("e1", "3.1", "", 1, HUB_MS - 30_000, True))
HUB = HubSaid("14:32", "http://10.42.0.1:8080", "https://10.42.0.1:8443", "roundtap.local", " ".join(["A1B2"] * 16),
              (RUNNING, OTHER), CALLS, (Stick("/media/stick", "current"),), False)
STANDBY = StandbySaid("following", "http://10.42.0.1:8080", True)
OF_HUB = (*d.AROUND, d.CLOCK, d.EVENTS, d.CALL_LIST, d.PLAYERS_QR, d.CONSOLE_QR, d.HOTSPOT_QR, d.TASKS, d.PIN_ASK,
          d.PIN_SHOWN, d.EJECT_ASK, d.OFF_ASK, d.OFF_SURE, d.WAITING, d.SAID, d.OFF)
OF_STANDBY = (d.HOME, d.TASKS, d.TURN_ASK, d.TURN_SURE)


def panel_gallery(languages: tuple[str, ...] = LANGUAGES) -> list[tuple[str, Image.Image]]:
    """(name, picture) of every page, in each language."""
    return [(f"panel-{name}", draw_panel(scene)) for name, scene in panel_scenes(languages)]


def panel_scenes(languages: tuple[str, ...] = LANGUAGES) -> Iterator[tuple[str, PanelScene]]:
    for language in languages:
        for page in OF_HUB:
            yield f"{language}-{page}", _shot(language, page, HUB)
        yield f"{language}-counting", _shot(language, d.CLOCK, replace(HUB, events=(COUNTING,)))
        yield f"{language}-no-event", _shot(language, d.HOME, replace(HUB, events=(), calls=()))
        yield f"{language}-away", _shot(language, d.HOME, None)
        for page in OF_STANDBY:
            yield f"{language}-standby-{page}", _shot(language, page, None, STANDBY)
        yield f"{language}-standby-away", _shot(language, d.TURN_ASK, None, replace(STANDBY, state="away"))
        yield f"{language}-standby-never", _shot(language, d.TURN_ASK, None, replace(STANDBY, level=False))


def _shot(language: str, page: str, hub: HubSaid | None, standby: StandbySaid | None = None) -> PanelScene:
    panel = PanelDialogue(unit_words(language))
    if hub is not None:
        named = tuple(replace(each, round=ROUND[language]) if each.clock else each for each in hub.events)
        panel.on_hub(replace(hub, events=named), HUB_MS, 0)
    if standby is not None:
        panel.on_standby(standby, 0)
    panel.page, panel.hotspot, panel.stick, panel.pin = page, ("Roundtap", "drei-Wege-2026"), "/media/stick", "12345678"
    panel.said = panel.words("panel.pull_out", stick=panel.stick)
    return scene_of(panel, 0)
