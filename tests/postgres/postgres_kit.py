"""A PostgreSQL of the tests' own: Debian's binaries, a cluster in a temporary folder, one database that is emptied."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from kit import free_port, wait_until
from patience import GUARD_S

NOWHERE = "no PostgreSQL here: `apt-get install postgresql` brings initdb and postgres"
PATIENCE_S = GUARD_S
"""For what is done in a second on a quiet machine."""
ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
"""The server's: no locale, time zone or PGDATA of whoever runs the tests."""
SETTINGS = ("listen_addresses=127.0.0.1", "max_connections=100", "autovacuum=off", "fsync=off", "full_page_writes=off")
"""What a disk keeps is no statement of these tests."""
PORTS_TRIED = 5

CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'test'"


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`: the newest that Debian installed, or what stands on the path."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    found = installed[-1] if installed else shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@dataclass(frozen=True)
class Cluster:
    """One running server; `emptied()` is its database for the next test."""

    port: int

    def url(self, database: str) -> str:
        return f"postgresql://roundtap@127.0.0.1:{self.port}/{database}?connect_timeout={PATIENCE_S:.0f}"

    def emptied(self) -> str:
        """The address of the tests' database, without a table, a row or a connection of whoever was there before."""
        self.cut()
        self.run(
            "DROP SCHEMA public CASCADE",
            "CREATE SCHEMA public",
            "GRANT USAGE ON SCHEMA public TO PUBLIC",
            database="test",
        )
        return self.url("test")

    def run(self, *statements: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Statements as the cluster's own user; the rows of the last one that has any."""
        rows: list[tuple[object, ...]] = []
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)  # type: ignore[call-overload]
                rows = cursor.fetchall() if cursor.description else []
        return rows

    def cut(self) -> int:
        """Terminate every connection to the tests' database; how many there were."""
        return len(self.run(CUT))

    @contextmanager
    def out_of_reach(self) -> Iterator[None]:
        """Nobody is connected to the tests' database, and nobody is let in."""
        self.run("ALTER DATABASE test ALLOW_CONNECTIONS false", CUT)
        try:
            yield
        finally:
            self.run("ALTER DATABASE test ALLOW_CONNECTIONS true")


@contextmanager
def cluster(settings: Sequence[str] = SETTINGS) -> Iterator[Cluster]:
    """A server that lives as long as the block, and dies with the tests' process, too."""
    where = binaries()
    assert where is not None, NOWHERE
    # Not pytest's own folder: only root may enter that, and PostgreSQL refuses to be root.
    folder = Path(tempfile.mkdtemp(prefix="roundtap-pg-"))
    user = _unprivileged()
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    server: subprocess.Popen[bytes] | None = None
    try:
        initdb = [
            str(where / "initdb"),
            "-D",
            str(folder / "data"),
            "-U",
            "roundtap",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
        ]
        done = subprocess.run(
            _as_user(initdb, user),
            cwd=folder,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        for _ in range(PORTS_TRIED):
            running = Cluster(free_port())
            options = [f"port={running.port}", f"unix_socket_directories={folder}", *settings]
            command = [
                str(where / "postgres"),
                "-D",
                str(folder / "data"),
                *(part for each in options for part in ("-c", each)),
            ]
            with (folder / "log").open("wb") as log:
                server = subprocess.Popen(
                    _as_user(command, user),
                    cwd=folder,
                    env=ENVIRONMENT,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            if (
                wait_until(
                    lambda server=server, running=running: _is_at(running, folder) or server.poll() is not None,
                    "PostgreSQL",
                    PATIENCE_S,
                )
                and server.poll() is None
            ):
                break
        else:
            # Somebody may have taken a port in between, but not each time.
            raise AssertionError((folder / "log").read_text())
        running.run("CREATE DATABASE test")
        yield running
    finally:
        if server is not None:
            # At once: what it would still write is thrown away.
            server.send_signal(signal.SIGQUIT)
            server.wait(PATIENCE_S)
        shutil.rmtree(folder, ignore_errors=True)


def _is_at(running: Cluster, folder: Path) -> bool:
    """Whether the server in `folder` answers, and not another one that took the port meanwhile."""
    with suppress(psycopg.OperationalError):
        return running.run("SHOW data_directory") == [(str(folder / "data"),)]
    return False


def _unprivileged() -> pwd.struct_passwd | None:
    """Whom to be instead of root; None: we are nobody special."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise AssertionError("neither a user postgres nor nobody")


def _as_user(command: Sequence[str], user: pwd.struct_passwd | None) -> list[str]:
    """`command` as that user, interrupted when its parent dies (said after the change of user, which forgets it)."""
    who = ["--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups"] if user else []
    return ["setpriv", *who, "--pdeathsig", "INT", *command]
