"""A wall's address: theme, share of the alphabet, picture and sound; and how names are sorted."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace

from roundtap_hub.http.routes import PageKey
from roundtap_hub.store.display_plan import AUTO, SHOWS

THEMES = ("dark", "light")
PART = re.compile(r"([1-4])/([1-4])")
WALL_PARAMS = ("theme", "part", "show", "sound")  # the query parameters of a wall's address
NAME = re.compile(r"name:[A-Z][1-9]?")

PAGE_MS = 10_000


@dataclass(frozen=True, slots=True)
class WallOptions:
    """How a wall is drawn. `part`: "1/2", the first of two walls that share the alphabet; `show`: a fixed picture, else
    the one that fits the moment; `display`: the page belongs to a display, unassigned where it has a `name`; `turns`:
    the display shows all events in play in turn."""

    theme: str = ""
    part: str = ""
    show: str = ""
    sound: bool = False
    display: bool = False
    turns: bool = False
    name: str = ""


def wall_options(variant: str) -> WallOptions:
    """The options in a variant ("wall display dark 1/2 pairings sound name:B"); unknown words are ignored."""
    parts = variant.split()[1:]
    shares = [part for part in parts if (found := PART.fullmatch(part)) and found[1] <= found[2] and part != "1/1"]
    return WallOptions(
        next((part for part in parts if part in THEMES), ""),
        next(iter(shares), ""),
        next((part for part in parts if part in SHOWS and part != AUTO), ""),
        "sound" in parts,
        "display" in parts,
        "turns" in parts,
        next((part.removeprefix("name:") for part in parts if NAME.fullmatch(part)), ""),
    )


def variant_of(way: WallOptions) -> str:
    """The canonical variant of these options."""
    return " ".join(
        filter(
            None,
            (
                "wall",
                "display" if way.display else "",
                way.theme,
                way.part,
                way.show,
                "sound" if way.sound else "",
                "turns" if way.turns else "",
                f"name:{way.name}" if way.name else "",
            ),
        )
    )


def wall_variant(query: Mapping[str, str]) -> str:
    """The variant of a wall's address: `theme`, `part`, `show`, `sound`."""
    values = (
        query.get("theme", ""),
        query.get("part", ""),
        query.get("show", ""),
        "sound" if query.get("sound") == "1" else "",
    )
    return variant_of(
        replace(
            wall_options(" ".join(("wall", *(" ".join(each.split()[:1]) for each in values)))),
            display=False,
            turns=False,
            name="",
        )
    )


def canonical_variant(page: PageKey, variant: str) -> str:
    """A client's variant in the page's own canonical form."""
    if page.kind == "wall":
        return variant_of(wall_options(variant))
    return variant if (page.kind, variant) == ("door", "stay") else ""


def name_sort_key(name: str) -> tuple[str, str]:
    """Sorts accented letters beside their plain ones: Łukasz among the L."""
    plain = "".join(c for c in unicodedata.normalize("NFD", name.casefold()) if not unicodedata.combining(c))
    return plain.translate(str.maketrans("łøđ", "lod")), name
