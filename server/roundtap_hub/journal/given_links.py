"""Who has a person's link, and whose was taken back, as the venue's stream says it: none of it opens a page without the
hub's own secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from roundtap_core.event.entries import Entry, NewEntry

HELD = "link-held"
DESK, TAKEN_BACK = "desk", "taken-back"
"""Who has the link where the desk gave it; nobody, and from now on only the desk gives it. No slip does in either
case."""
KEPT_MAX = 3000
"""So many people at the most are known to have a link."""

Person = tuple[str, str]
"""(event, competitor)"""


@dataclass(frozen=True, slots=True)
class Link:
    """What is kept of one person's link. `generation` goes up with each revocation; `holder`: a mark of the browser
    that got it by a slip, DESK, TAKEN_BACK, or "": nobody has it yet; `era`: of links that hubs before this one kept in
    a file, what that file began with; it is signed with them."""

    generation: int = 0
    holder: str = ""
    era: str = ""


Links = Mapping[str, Mapping[str, Link]]
"""By event and competitor, the oldest event first."""
NO_LINK = Link()


def link_of(links: Links, person: Person) -> Link:
    """What is kept of this person's."""
    event, competitor = person
    return links.get(event, {}).get(competitor, NO_LINK)


def held(person: Person, link: Link) -> NewEntry:
    """So it is with the person's link from now on."""
    event, competitor = person
    return NewEntry(HELD, {"event": event, "competitor": competitor, **asdict(link)})


def with_link(links: Links, said: Entry | NewEntry) -> Links:
    """The links after a HELD; the very same where it does not count."""
    data = said.data
    event, competitor = person = data["event"], data["competitor"]
    link = Link(data["generation"], data["holder"], data["era"])
    if not _counts(link_of(links, person), link):
        return links
    after = {**links, event: {**links.get(event, {}), competitor: link}}
    return _fewer(after, event, sum(map(len, after.values())) - KEPT_MAX)


def _fewer(links: Links, newest: str, many: int) -> Links:
    """Without so many of the oldest event but this. Who had a link years ago matters to no slip any more; what was
    revoked stays so."""
    for event, people in links.items() if many > 0 else ():
        gone = [each for each, link in people.items() if not link.generation and event != newest][:many]
        if gone:
            return {**links, event: {each: link for each, link in people.items() if each not in gone}}
    return links


def _counts(before: Link, link: Link) -> bool:
    """A generation that is over does not come back, whoever says so; the one that is on has whoever is there first, and
    what was taken back the desk alone gives."""
    if link.generation != before.generation:
        return link.generation > before.generation
    return not before.holder or (before.holder, link.holder) == (TAKEN_BACK, DESK)
