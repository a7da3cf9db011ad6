"""Public names of people: shortened, longer where two collide, or a chosen nickname."""

from collections.abc import Iterable, Mapping

from roundtap_core.errors import Invalid
from roundtap_core.limits import LINE_LETTERS, fits_line
from roundtap_core.records import Competitor, Tournament

MOST_LETTERS = LINE_LETTERS  # Of any name: people, teams, officials, events. Screens shorten what they show.


def clean_name(text: str) -> str:
    """The typed name with single spaces; "" stays "". Visible, at most 80 letters, without control or direction
    characters. Raises Problem("name_too_long", "name_unfit"). The event file's schema sets the same limits."""
    name = " ".join(text.split())
    if not name:
        return ""
    if not fits_line(name):
        raise Invalid("name_unfit")
    if len(name) > MOST_LETTERS:
        raise Invalid("name_too_long", name=name[:40] + "…", maximum=MOST_LETTERS)
    return name


def display_name(competitor: Competitor, shown: Mapping[str, str] | None = None) -> str:
    """The public name: a chosen one, else the one in `shown` (see `public_names`)."""
    if competitor.public_name:
        return competitor.public_name
    if shown is not None and competitor.id in shown:
        return shown[competitor.id]
    return shorten_name(competitor.name, 1)


def shorten_name(name: str, letters: int) -> str:
    """The first word and `letters` letters of each other: "Franz Keller" → "Franz K."."""
    words = name.split()
    return " ".join([*words[:1], *(word if letters >= len(word) else f"{word[:letters]}." for word in words[1:])])


def public_names(competitors: Iterable[Competitor], full_names: bool = False) -> dict[str, str]:
    """Every competitor's public name by id: as short as keeps them apart ("Namen und Bilder"). With `full_names` (an
    organizer's switch) names are whole, except chosen ones. Teams and single words are not shortened; people with
    identical names get a number."""
    people = list(competitors)
    shown = {
        person.id: person.public_name
        or (" ".join(person.name.split()) if full_names or person.members else shorten_name(person.name, 1))
        for person in people
    }
    for letters in range(2, 40):
        groups: dict[str, list[Competitor]] = {}
        for person in people:
            # Across a room, "Keller" and "Keller." (for Kellermann) look alike.
            groups.setdefault(shown[person.id].casefold().rstrip("."), []).append(person)
        clashes = [p for g in groups.values() if len(g) > 1 for p in g if not p.public_name and not p.members]
        if not clashes:
            break
        for person in clashes:
            shown[person.id] = shorten_name(person.name, letters)
    return number_duplicates(people, shown)


def names_in(tournament: Tournament) -> dict[str, str]:
    """The competitors' public names, whole where the event says so."""
    return public_names(tournament.competitors, bool(tournament.options.get("full_names")))


def error_names(tournament: Tournament) -> dict[str, str]:
    """Each competitor's name in errors: the public name, and the id to find it in the file."""
    return {competitor: f"{name} ({competitor})" for competitor, name in names_in(tournament).items()}


def number_duplicates(people: Iterable[Competitor], shown: dict[str, str]) -> dict[str, str]:
    """The names, with a number after every duplicate except the first."""
    counts: dict[str, int] = {}
    for person in people:
        key = shown[person.id].casefold()
        counts[key] = counts.get(key, 0) + 1
        if counts[key] > 1:
            shown[person.id] += f" ({counts[key]})"
    return shown
