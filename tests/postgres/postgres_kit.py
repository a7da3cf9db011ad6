"""A PostgreSQL of the tests' own: Debian's binaries, a cluster in a temporary folder, a database for each test."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

NOWHERE = "no PostgreSQL here: `apt-get install postgresql` brings initdb and postgres"
START_S = 60.0


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`: the newest that Debian installed, or what stands on the path."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    found = installed[-1] if installed else shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@dataclass
class Cluster:
    """One running server; `url()` is a fresh database on it."""

    folder: Path
    port: int
    made: int = 0
    urls: list[str] = field(default_factory=list)

    @property
    def admin(self) -> str:
        return f"postgresql://roundtap@127.0.0.1:{self.port}/postgres"

    def url(self) -> str:
        """A new, empty database."""
        self.made += 1
        name = f"test_{self.made}"
        self.run(f"CREATE DATABASE {name}")
        return f"postgresql://roundtap@127.0.0.1:{self.port}/{name}"

    def run(self, *statements: str) -> list[tuple[object, ...]]:
        """Statements as the cluster's own user; the rows of the last one that has any."""
        rows: list[tuple[object, ...]] = []
        with psycopg.connect(self.admin, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)  # type: ignore[call-overload]
                rows = cursor.fetchall() if cursor.description else []
        return rows

    def cut(self, application: str = "%") -> int:
        """Terminate every connection to the tests' databases; how many there were."""
        return len(self.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                            f"AND datname LIKE 'test_%' AND application_name LIKE '{application}'"))


@contextmanager
def cluster(settings: Sequence[str] = ("fsync=off",)) -> Iterator[Cluster]:
    """A server that lives as long as the block, and dies with the tests' process, too."""
    where = binaries()
    assert where is not None, NOWHERE
    # Not pytest's own folder: only root may enter that, and PostgreSQL refuses to be root.
    folder = Path(tempfile.mkdtemp(prefix="roundtap-pg-"))
    user = _unprivileged()
    data = folder / "data"
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    server: subprocess.Popen[bytes] | None = None
    try:
        _run([str(where / "initdb"), "-D", str(data), "-U", "roundtap", "-A", "trust", "-E", "UTF8", "--no-locale",
              "--no-sync"], user, folder)
        made = Cluster(folder, _free_port())
        options = [f"port={made.port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}",
                   "max_connections=100", *settings]
        command = [str(where / "postgres"), "-D", str(data), *(part for each in options for part in ("-c", each))]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(_as_user(command, user), cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                                      stderr=subprocess.STDOUT)
        _wait_ready(made, server, folder)
        yield made
    finally:
        if server is not None:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.send_signal(signal.SIGQUIT)
                server.wait(timeout=20)
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> pwd.struct_passwd | None:
    """Whom to be instead of root; None: we are nobody special."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise AssertionError("neither a user postgres nor nobody")


def _as_user(command: list[str], user: pwd.struct_passwd | None) -> list[str]:
    """`command` as that user, interrupted when its parent dies (said after the change of user, which forgets it)."""
    who = ["--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups"] if user else []
    return ["setpriv", *who, "--pdeathsig", "INT", *command]


def _run(command: list[str], user: pwd.struct_passwd | None, folder: Path) -> None:
    done = subprocess.run(_as_user(command, user), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def _wait_ready(made: Cluster, server: subprocess.Popen[bytes], folder: Path) -> None:
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up:
        with suppress(psycopg.OperationalError):
            made.run("SELECT 1")
            return
        assert server.poll() is None, (folder / "log").read_text()
        time.sleep(0.02)
    raise AssertionError("PostgreSQL does not answer")


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
