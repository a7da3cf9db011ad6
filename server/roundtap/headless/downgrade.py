"""Takes a stopped hub's journal back to the form that an older version of this program knows, after a backup."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError

from roundtap.headless import event_input
from roundtap_core.errors import Problem
from roundtap_hub.journal.clocks import system_clocks
from roundtap_hub.journal.database_url import DATABASE, database_url, shown, sqlite_url
from roundtap_hub.journal.earlier_forms import is_behind, move_back, take_back
from roundtap_hub.journal.migrations import forms
from roundtap_hub.journal.migrations.known_forms import FIRST, TODAY


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=Path("roundtap-data"), help="the hub's folder")
    parser.add_argument("--database", metavar="URL", default=None,
                        help="the journal on PostgreSQL instead: stop all hubs, and back it up by its own means before")
    to = parser.add_mutually_exclusive_group(required=True)
    to.add_argument("--form", help="the form, as the older version names it: 0001")
    to.add_argument("--for", dest="version", metavar="VERSION", help="the version that is to go on with the journal")


def run(args: Namespace) -> int:
    """What the journal's form is now, on stdout; 2 where it stays what it is."""
    where = Path(DATABASE) if args.database else args.data / DATABASE
    return event_input.say("downgrade", where, lambda: downgraded(args))


def downgraded(args: Namespace) -> str:
    """One line. Raises Problem."""
    if args.database is None and not (args.data / DATABASE).is_file():
        raise Problem("no_journal", where=str(args.data / DATABASE))
    url = database_url(args.database) if args.database else sqlite_url(args.data)
    engine = create_engine(url)
    try:
        form = args.form or _form_for(engine, args.version)
        if args.database is None:
            engine.dispose()
            made = take_back(args.data, form, system_clocks().at().wall or "")
            return f"{form} · {made}" if made else form
        if is_behind(engine, form, TODAY):
            move_back(engine, form)
        return form
    except SQLAlchemyError as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        if args.database:
            raise Problem("database_not_usable", url=shown(database_url(args.database)), reason=reason) from error
        raise Problem("journal_unreadable", reason=reason) from error
    finally:
        engine.dispose()


def _form_for(engine: Engine, version: str) -> str:
    """Which form that version had the journal in. Where there is only the first, every version knows it."""
    with engine.connect() as connection:
        noted = forms.noted_in(connection)
    form = FIRST if noted.form in ("", FIRST) else noted.form_for(version)
    if form is None:
        raise Problem("form_of_version", version=version, form=noted.form)
    return form
