"""Public names of people: shortened, longer where two collide, or a chosen nickname."""

import re
from collections.abc import Iterable, Mapping

from roundtap_core.errors import Invalid
from roundtap_core.records import Competitor, Tournament
from roundtap_core.typed import LINE_LETTERS, fits_line

MOST_LETTERS = LINE_LETTERS  # Of any name: people, teams, officials, events. Screens shorten what they show.

# What is left out of a short name: brackets and quotes (a nickname, a club, a second spelling; "O'Brien" and "'t" have
# none), titles before two words, and "Jr." after all of them.
_ASIDE = re.compile(
    r"""[(\[{<（［｛【〔〈《「『][^)\]}>）］｝】〕〉》」』]*[)\]}>）］｝】〕〉》」』]?
    | ["“”„‟«»‹›][^"“”„‟«»‹›]*["“”„‟«»‹›]
    | (?<!\S)['‘’‚`][^'‘’‚`]*['‘’`](?!\S)
    | ^\s*(?:(?:Dr|Prof|Mr|Mrs|Ms|Mx|Herr|Frau)\b\.?\s*)+(?=\w\S*\s+\w)
    | ,?\s+(?:Jr|jr|JR|Sr|sr|SR|Jnr|Snr|II|III|IV|PhD)\b\.?(?!\s*\w)""",
    re.VERBOSE,
)
# Of these words no letter stands for the whole: they are Chinese, Japanese or Korean.
_NO_INITIALS = "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"

FORGOTTEN, DAMAGED = "Player {} (forgotten)", "{} (data damaged)"


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
    """The first word and `letters` letters of each other: "Franz Keller" → "Franz K.". Brackets, quotes, titles and
    "Jr." are left out; with more `letters` than any word has the name is whole."""
    words = _ASIDE.sub(" ", name).split() or name.strip(" ()[]{}<>（）【】「」\"“”„«»'‘’").split() or [name]
    if letters > max(map(len, words[1:]), default=1):
        return " ".join(name.split())
    # A letter goes with its marks, and with the sign before it: "'t".
    initial = rf"^(?!.*{_NO_INITIALS})([\W\d_]*(?:[^\W\d_][^\w\x00-\xbf\u2000-\u200b\u200e-\u206f]*+){{{letters}}}).+"
    return " ".join([*words[:1], *(re.sub(initial, r"\1.", word) for word in words[1:])])


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


def stands_in(competitor: str, name: str) -> bool:
    """Whether this name is nobody's: it stands for one who was forgotten, or whose data is damaged."""
    return name in (FORGOTTEN.format(competitor.removeprefix("p")), DAMAGED.format(competitor))
