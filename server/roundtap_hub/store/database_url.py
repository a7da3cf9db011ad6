"""The address of a journal's database: as people write it, for SQLAlchemy, and fit to be shown."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from roundtap_core.errors import Problem

DATABASE = "roundtap.db"  # the journal's file in a hub's own folder
DRIVER = "postgresql+psycopg"
KNOWN_AS = ("postgresql", "postgres", DRIVER)
CONNECTION_TIMEOUTS: Mapping[str, str] = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
"""A dead database server sends nothing: a connection silent for so long (s, s, s, times, ms) is dropped. The address's
own parameters take precedence."""


def database_url(text: str) -> URL:
    """The address of a PostgreSQL database: "postgresql://user@host/roundtap", the rest as in libpq. Raises
    Problem("database_address") for anything else and Problem("database_driver") without psycopg."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise Problem("database_address", url=without_password(text)) from error
    if url.drivername not in KNOWN_AS or not url.database:
        raise Problem("database_address", url=without_password(text))
    if find_spec("psycopg") is None:
        raise Problem("database_driver", url=redacted_url(url))
    return url.set(drivername=DRIVER).update_query_dict({**CONNECTION_TIMEOUTS, **url.query})


def sqlite_url(folder: Path) -> str:
    """The journal in a hub's own folder."""
    return f"sqlite:///{folder / DATABASE}"


def redacted_url(url: URL) -> str:
    """The address to show: without the password and our timeouts."""
    query = {key: value for key, value in url.query.items() if key not in CONNECTION_TIMEOUTS and "password" not in key}
    return url._replace(drivername="postgresql", password=None).set(query=query).render_as_string()


def without_password(text: str) -> str:
    """An unreadable address without its user part, which may hold a password."""
    scheme, sign, rest = text.partition("://")
    return f"{scheme}{sign}{rest.rpartition('@')[2].partition('?')[0]}" if sign else text.rpartition("@")[2]


def libpq_arguments(url: URL) -> dict[str, Any]:
    """The address as keywords of `psycopg.connect`: a listener has its own connection."""
    return {**url.query, **url.translate_connect_args(username="user", database="dbname")}
