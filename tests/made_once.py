"""What every hub of a process makes alike, made once for all tests: templates, routes, SQL, hashes of PINs, and the
tables of a journal.

Each of these is the same again for the same input; a hub of a second's work is one of a few milliseconds by it.
"""

import hashlib
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from flask import Flask
from jinja2 import Environment
from sqlalchemy import Connection, Engine
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

from roundtap_hub.access import staff
from roundtap_hub.app import flask_app as routes
from roundtap_hub.store import models as journal_forms
from roundtap_hub.store.login_pins import hash_pin, normalize_pin

compile_template = Environment.compile
TEMPLATES: dict[Any, Any] = {}
add_routes = routes._add_routes
ROUTES: dict[bool, dict[str, Any]] = {}
OF_ROUTES = (
    "url_map",
    "view_functions",
    "blueprints",
    "before_request_funcs",
    "after_request_funcs",
    "error_handler_spec",
    "jinja_env",
)
change_form = journal_forms._change
EMPTY: dict[Any, sqlite3.Connection] = {}
SQL: Any = LRUCache(2000)
scrypt = hashlib.scrypt
SLOW_SALTS: set[bytes] = set()


def template_once(
    environment: Environment, source: Any, name: str | None = None, filename: str | None = None, **how: Any
) -> Any:
    """`Environment.compile`: what it makes hangs on the text, and on how the environment reads it."""
    escapes = environment.autoescape(name) if callable(environment.autoescape) else environment.autoescape
    key = (
        source,
        name,
        filename,
        environment.trim_blocks,
        environment.lstrip_blocks,
        escapes,
        *environment.extensions,
        *how.items(),
    )
    if key not in TEMPLATES:
        TEMPLATES[key] = compile_template(environment, source, name, filename, **how)
    return TEMPLATES[key]


def routes_once(app: Flask) -> None:
    """`pages._add_routes`: no route hangs on its hub: applications share the first one's, and its templates."""
    if app.has_static_folder not in ROUTES:
        add_routes(app)
        ROUTES[app.has_static_folder] = {part: getattr(app, part) for part in OF_ROUTES}
    vars(app).update(ROUTES[app.has_static_folder])


def tables_once(connection: Connection, forms: Any, lock: Any) -> None:
    """`forms._change`: an empty SQLite file gets a copy of what another empty one has got before."""
    file = connection.connection.driver_connection
    if not isinstance(file, sqlite3.Connection) or file.execute("SELECT 1 FROM sqlite_master").fetchone():
        return change_form(connection, forms, lock)
    key = (forms.newest, forms.running())
    if key in EMPTY:
        EMPTY[key].backup(file)
        return None
    change_form(connection, forms, lock)
    EMPTY[key] = sqlite3.connect(":memory:", check_same_thread=False)
    file.backup(EMPTY[key])
    return None


class SqlOnce:
    """`Engine._compiled_cache`: what is compiled for one SQLite file serves all."""

    def __get__(self, engine: Any, _: type) -> Any:
        return SQL if engine is not None and isinstance(engine.dialect, SQLiteDialect_pysqlite) else vars(engine)["own"]

    def __set__(self, engine: Any, own: Any) -> None:
        vars(engine)["own"] = own


@cache
def slow_once(password: bytes, **how: Any) -> bytes:
    """`hashlib.scrypt`, which remembers what it was given to hash: PINs of hubs."""
    SLOW_SALTS.add(how["salt"])
    return scrypt(password, **how)


def quick_hash(pin: str, salt: str | None = None) -> str:
    """`hash_pin` of the staff's PINs, of the same form, and not slow: each test makes PINs of its own. A hub's own PIN
    stays slow: other processes read its file."""
    if str(salt).encode() in SLOW_SALTS:
        return hash_pin(pin, salt)
    salt = salt or secrets.token_hex(8)
    return f"{salt}${hashlib.sha512(f'{salt} {normalize_pin(pin)}'.encode()).hexdigest()}"


@contextmanager
def made_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Environment, "compile", template_once)
        patch.setattr(routes, "_add_routes", routes_once)
        patch.setattr(Engine, "_compiled_cache", SqlOnce(), raising=False)
        # The cache tells statements apart by their dialect as well.
        patch.setattr(SQLiteDialect_pysqlite, "__eq__", lambda self, other: type(self) is type(other))
        patch.setattr(SQLiteDialect_pysqlite, "__hash__", lambda self: hash(type(self)))
        patch.setattr(hashlib, "scrypt", slow_once)
        patch.setattr(staff, "hash_pin", quick_hash)
        patch.setattr(journal_forms, "_change", tables_once)
        yield
