"""How a wall is drawn: light or dark, a share of the alphabet, one picture alone; as one short text, its variant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from roundtap_hub.journal.on_walls import AUTO, SHOWS

THEMES = ("dark", "light")
PART = re.compile(r"([1-4])/([1-4])")
WALL_ASKS = ("theme", "part", "show", "sound")
"""What an address of a wall may say."""
NAME = re.compile(r"name:[A-Z][1-9]?")


@dataclass(frozen=True, slots=True)
class Way:
    """How a wall is drawn. `part`: "1/2", the first of two walls that share the alphabet; `show`: one picture instead
    of what fits the moment; `display`: the page belongs to a display, which `name` ("": assigned) tells apart."""

    theme: str = ""
    part: str = ""
    show: str = ""
    sound: bool = False
    display: bool = False
    name: str = ""


def way_of(variant: str) -> Way:
    """The way of a variant ("wall display dark 1/2 pairings sound name:B"): what is not understood is left out."""
    said = variant.split()[1:]
    parts = [one for one in said if (found := PART.fullmatch(one)) and found[1] <= found[2] and one != "1/1"]
    return Way(next((one for one in said if one in THEMES), ""), next(iter(parts), ""),
               next((one for one in said if one in SHOWS and one != AUTO), ""), "sound" in said, "display" in said,
               next((one.removeprefix("name:") for one in said if NAME.fullmatch(one)), ""))


def variant_of(way: Way) -> str:
    """The one text of a way."""
    return " ".join(filter(None, (
        "wall", "display" if way.display else "", way.theme, way.part, way.show, "sound" if way.sound else "",
        f"name:{way.name}" if way.name else "")))


def wall_variant(asked: Mapping[str, str]) -> str:
    """The variant that a wall's address asks for: `theme`, `part`, `show`, `sound`."""
    said = (asked.get("theme", ""), asked.get("part", ""), asked.get("show", ""),
            "sound" if asked.get("sound") == "1" else "")
    return variant_of(replace(way_of(" ".join(("wall", *(" ".join(each.split()[:1]) for each in said)))),
                              display=False, name=""))


def plain_variant(page: str, variant: str) -> str:
    """A variant as the page itself would have it, whatever somebody asked for."""
    if page.split("/")[0] == "wall":
        return variant_of(way_of(variant))
    return variant if (page, variant) == ("door", "stay") else ""
