"""What organizers see of their own hub: who is logged in from where, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from roundtap_hub.sessions import Session
from roundtap_hub.staff import StaffPerson, Who

SYSTEMS = (("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
           ("Macintosh", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"))
BROWSERS = (("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Edg", "Edge"), ("SamsungBrowser/", "Samsung Internet"),
            ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
"""What a browser says of itself has this in it; the first that fits."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One browser that is logged in; `since` and `used` are texts, hours and minutes ago."""

    id: str
    address: str
    browser: str
    since: str
    used: str
    this: bool
    name: str = ""
    role: str = ""
    """Of whom it is; "" where the hub's one PIN was typed."""


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody with a PIN of their own. `last`: when they logged in last, "2026-11-22 10:00", "" where nobody knows;
    `sessions`: browsers that are logged in with it now."""

    id: str
    name: str
    role: str
    last: str
    sessions: int


def person_rows(people: Iterable[StaffPerson], listed: Iterable[tuple[Session, int, int]]) -> list[PersonRow]:
    """All whose PIN opens something, by name."""
    counted = Counter(session.person for session, _, _ in listed)
    rows = [PersonRow(each.id, each.name, each.role, each.last_login[:16].replace("T", " "), counted[each.id])
            for each in people if each.active]
    return sorted(rows, key=lambda row: row.name.casefold())


def session_rows(listed: Iterable[tuple[Session, int, int]], own: Session | None,
                 who_of: Callable[[Session], Who | None] = lambda _: None) -> list[SessionRow]:
    """This browser first, then as they are listed."""
    rows = []
    for each, began_ms, used_ms in listed:
        who = who_of(each)
        rows.append(SessionRow(each.id, each.address, browser_name(each.agent), hours_text(began_ms),
                               hours_text(used_ms), own is not None and each.id == own.id,
                               who.name if who is not None else "", who.role if who is not None else ""))
    return sorted(rows, key=lambda row: not row.this)


def browser_name(agent: str) -> str:
    """ "Firefox · Android": enough to tell one's own devices apart; "" where nothing is known."""
    said = (next((name for mark, name in known if mark in agent), "") for known in (BROWSERS, SYSTEMS))
    return " · ".join(part for part in said if part)


def hours_text(age_ms: int) -> str:
    """Hours and minutes gone: "2:05"."""
    minutes = max(0, age_ms) // 60_000
    return f"{minutes // 60}:{minutes % 60:02d}"
