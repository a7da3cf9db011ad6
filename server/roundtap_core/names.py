"""Public names of people: shortened, longer where two collide, or a chosen nickname; and the one search that finds them
in all spellings that people use."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

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
# Apostrophes of all kinds, the dot of "Gal·la", marks of letters, signs that nobody sees.
_DROPPED = re.compile(
    "['`\u00ad\u00b4\u00b7\u02b9-\u02cb\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u200b-\u200f\u2018-\u201b\u202a-\u202e\u2032\u2035\u2060-\u2069\u20d0-\u20f0\u3099\u309a\ufe00-\ufe0f\ufeff]"
)
# Blanks, hyphens and all other signs between words.
_APART = re.compile(r"[\u0000-/:-@\[-`{-\u00bf\u00d7\u00f7\u060c\u2000-\u206f\u3000-\u303f\u30fb]+")
# Letters that are not a plain one with a mark.
_LETTERS = str.maketrans(
    dict(zip("øłđðıħŧŋəςґیىکة", "olddihtneσгييكه", strict=True)) | {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)

JOINED_MAX = 4  # words of one last name
NAMES_MAX = 4096  # names whose forms are remembered: a list of all players has them again after each change


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


def fold(text: str) -> str:
    """Small plain letters and figures, one blank between words: "O’Brien-Łuź" → "obrien luz"."""
    small = _DROPPED.sub("", unicodedata.normalize("NFKD", _DROPPED.sub("", text)).lower())
    return _APART.sub(" ", small.translate(_LETTERS)).strip()


def rough(folded: str) -> str:
    """One spelling for all that may stand for the same letter: "mueller" and "muller" → "muller"; "aa" may be "å", "ss"
    "ß", "dj" "đ", and "dh" "ð"."""
    return re.sub("a+e*|[ou]e*|s+|d[hj]|th", lambda letters: letters[0][0], folded)


@lru_cache(NAMES_MAX)
def search_text(*names: object, shortened: bool = False) -> str:
    """All that these names are found by: words, words written as one, and both roughly spelled. `shortened`: what ends
    with a dot stands for any word that begins so, since who looks for "Franz K." types "Keller"."""
    forms = [form for name in names if name is not None for form in (fold(str(name)), fold(str(name)).replace(" ", ""))]
    forms += [
        f"{fold(word)}."
        for name in names
        if shortened
        for word in str(name).split()
        if word.endswith(".") and fold(word)
    ]
    return " ".join(dict.fromkeys(filter(None, [*forms, *map(rough, forms)])))


def is_found(query: str, text: str, begins: bool = False, joined: bool = False) -> bool:
    """Whether all words of `query`, in any order, stand in this `search_text`; with `begins` at the beginnings of its
    words, with `joined` also as the end of several written as one. An empty query finds all."""
    words, before = fold(query).split(), " " if begins else ""
    short = tuple(part[:-1] for part in text.split() if part.endswith("."))
    return all(
        any(
            before + spelled in f" {text}" or spelled.startswith(short)
            for first in range(max(0, last - JOINED_MAX) if joined else last - 1, last)
            for word in ("".join(words[first:last]),)
            for spelled in (word, rough(word))
        )
        for last in range(1, len(words) + 1)
    )


def find(query: str, things: Sequence[Any], text: Callable[[Any], str]) -> list[Any]:
    """Those that `query` finds by their `text`. Where there are none, a last name in several words may be a short one:
    "Müller Lüdenscheidt" finds "Anna M.". False hits do little harm: nobody is missed."""
    if not fold(query):
        return list(things)
    return [each for each in things if is_found(query, text(each))] or [
        each for each in things if is_found(query, text(each), joined=True)
    ]
