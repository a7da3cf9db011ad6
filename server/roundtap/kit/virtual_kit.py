"""A hub and virtual table units as real processes on this machine, for the demo. The virtual network of a table carries
its connections to the hub until it is pulled out. Each process ends with its parent, however that ends.
"""

import asyncio
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roundtap.main import END_WITH_STDIN
from roundtap_core.version import VERSION_VARIABLE, version
from roundtap_hub.http.requester import is_loopback
from roundtap_hub.store.login_pins import hash_pin, new_pin

AGAIN_S = 0.05
CHUNK_BYTES = 64 * 1024
LOOPBACK = "127.0.0.1"


def start_roundtap(
    *command: str, wrapper: tuple[str, ...] = (), env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[Any]:
    """Start `roundtap COMMAND …`; `options` are Popen's. It ends when its stdin closes, that is, with this process,
    whose version it has: a checkout may change while both run."""
    return subprocess.Popen(
        [*wrapper, sys.executable, "-m", "roundtap.main", *command, END_WITH_STDIN],
        stdin=subprocess.PIPE,
        env={VERSION_VARIABLE: version(), **(os.environ if env is None else env)},
        **options,
    )


def exit_on_signals(code: int | None = None) -> None:
    """Turn SIGINT, SIGTERM and SIGHUP into a SystemExit, so that `finally` and `with` clean up. `code`: the exit code;
    None: 128 plus the signal, as in a shell.

    An exception raised in a finalizer is lost, so if the signal comes there it is raised again a moment later. Ctrl-C
    is no KeyboardInterrupt: one that passes through an `exec`, as where an import makes dataclasses, ends the process
    by the signal at its exit, even if caught (CPython's run_eval_code_obj).
    """
    lost: list[BaseException] = []
    before = sys.unraisablehook

    def end(number: int, _: object) -> None:
        sys.exit(128 + number if code is None else code)

    def raise_again(*_: object) -> None:
        raise lost.pop()

    def hear(unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, SystemExit):
            lost.append(unraisable.exc_value)
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        else:
            before(unraisable)

    sys.unraisablehook = hear
    signal.signal(signal.SIGALRM, raise_again)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


class VirtualCable:
    """Forwards TCP from `port` to the hub. While it is out, nothing passes in either direction and nothing is answered,
    as on a lost Wi-Fi; open connections go on once it is in again. `port` accepts connections from the start, and they
    are served from `start` on."""

    def __init__(self, hub_port: int) -> None:
        self._hub_port = hub_port
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listener.getsockname()[1]
        self._plugged_in = asyncio.Event()
        self._plugged_in.set()
        self._server: asyncio.Server | None = None
        self._carrying: set[asyncio.Task[None]] = set()

    @property
    def plugged_in(self) -> bool:
        return self._plugged_in.is_set()

    def plug(self, into: bool) -> None:
        """Called from the loop of `start`."""
        if into:
            self._plugged_in.set()
        else:
            self._plugged_in.clear()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, sock=self._listener)

    def close(self) -> None:
        """Accept no more connections. Open ones end with their loop."""
        if self._server is not None:
            self._server.close()
        self._listener.close()

    def _accept(self, unit: asyncio.StreamReader, to_unit: asyncio.StreamWriter) -> None:
        # asyncio's own task for a connection complains with a traceback when it is cancelled, as at the demo's end.
        carrying = asyncio.get_running_loop().create_task(self._carry(unit, to_unit))
        self._carrying.add(carrying)
        carrying.add_done_callback(self._carrying.discard)

    async def _carry(self, unit: asyncio.StreamReader, to_unit: asyncio.StreamWriter) -> None:
        await self._plugged_in.wait()
        with contextlib.closing(to_unit), contextlib.suppress(OSError):
            hub, to_hub = await asyncio.open_connection(LOOPBACK, self._hub_port)
            with contextlib.closing(to_hub):
                await asyncio.wait(
                    [asyncio.create_task(self._pump(unit, to_hub)), asyncio.create_task(self._pump(hub, to_unit))],
                    return_when=asyncio.FIRST_COMPLETED,
                )

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(CHUNK_BYTES):
                await self._plugged_in.wait()
                sink.write(data)
                await sink.drain()


UP_WITHIN_S = 30.0
HUB = "hub"


def unit_of(number: int) -> str:
    return f"table-{number}"


class VirtualKit:
    """The processes of one kit, and the folder they live in. `pin` is the organizer's. With a bench each table has a
    cable of its own, which whoever serves the bench has to start."""

    def __init__(
        self,
        folder: Path,
        host: str,
        port: int,
        tables: int,
        language: str = "en",
        facing: str = "edge",
        bench_url: str | None = None,
        unenrolled: int = 0,
        practice: bool = False,
    ) -> None:
        self.hub_folder = folder / "hub"
        self.database = self.hub_folder / "roundtap.db"
        self.port = port
        self.tables = range(1, tables + 1)
        # Table units without a key, whose screens show how to enrol them.
        self.unenrolled = range(tables + 1, tables + 1 + unenrolled)
        self.printer = folder / "printer"  # the socket of the virtual printer's paper and faults
        self.pin = new_pin()
        self._folder, self._host, self._language, self._practice = folder, host, language, practice
        self._facing, self._bench_url = facing, bench_url
        self.cables = {
            unit: VirtualCable(port) for unit in map(unit_of, (*self.tables, *self.unenrolled)) if bench_url is not None
        }
        # The token of an organizer's session, on a kit that only this machine reaches; else "".
        self.session = ""
        self.keys = {unit: secrets.token_hex(32) for unit in ("station-1", *map(unit_of, self.tables))}
        self._commands: dict[str, tuple[str, ...]] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def panel(self, number: int) -> Path:
        """The socket of a table's buttons and screen."""
        return self._folder / f"panel-{number}"

    def prepare(self) -> None:
        """Write keys, PIN and configurations, before any process starts."""
        from roundtap_hub.access.staff import Sessions, pin_mark
        from roundtap_hub.store.clocks import system_clocks
        from roundtap_hub.store.secure_files import write_private

        def configure(name: str, folder: str, /, **values: str | bool) -> None:
            port = self.cables[name].port if name in self.cables else self.port
            values |= {
                "hub": f"http://127.0.0.1:{port}",
                "language": self._language,
                "folder": str(self._folder / folder),
            }
            # TOML's strings and booleans are JSON's.
            lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items()]
            write_private(self._folder / f"{name}.toml", "".join(lines))

        self.hub_folder.mkdir(mode=0o700)
        hashed = hash_pin(self.pin)
        write_private(self.hub_folder / "pin", hashed)
        if is_loopback(self._host):
            sessions = Sessions(system_clocks(), self.hub_folder / "sessions.json")
            self.session = sessions.begin(self._host, "", pin=pin_mark(hashed, None))
        write_private(self.hub_folder / "keys.json", json.dumps(self.keys))
        configure("station", "station", unit="station-1", key=self.keys["station-1"], printer="pos-5890")
        for number in self.tables:
            unit = unit_of(number)
            configure(
                unit, f"unit-{number}", unit=unit, key=self.keys[unit], facing=self._facing, practice=self._practice
            )
        for number in self.unenrolled:
            configure(unit_of(number), f"unit-{number}", facing=self._facing, local=False)

    def start(self) -> None:
        bench = ("--bench-url", self._bench_url) if self._bench_url else ()
        # On this machine alone no encryption is needed.
        secure = ("--secure-port", "0") if is_loopback(self._host) else ()
        self._start(
            HUB,
            "hub",
            "--data",
            str(self.hub_folder),
            "--host",
            self._host,
            "--port",
            str(self.port),
            "--language",
            self._language,
            *bench,
            *secure,
        )
        self._wait_for_hub()
        self.start_units()

    def start_units(self) -> None:
        """The tables and the print station, of a hub that is there or comes."""
        for number in (*self.tables, *self.unenrolled):
            config = self._folder / f"{unit_of(number)}.toml"
            self._start(unit_of(number), "table", str(config), "--panel", str(self.panel(number)))
        self._start("station", "station", str(self._folder / "station.toml"), "--virtual", str(self.printer))

    def knows(self, name: str) -> bool:
        """Whether the hub, or this unit, is this kit's to switch."""
        return name in self._commands

    def has_power(self, name: str) -> bool:
        """Whether the hub, or this unit, runs."""
        return name in self._processes and self._processes[name].poll() is None

    def switch_power(self, name: str, on: bool) -> None:
        """Cut the power of the hub or of a unit, which ends without warning, or start it again. Blocks for a moment.
        KeyError for an unknown one."""
        command, running = self._commands[name], self.has_power(name)
        if on and not running:
            self._start(name, *command)
        elif running and not on:
            self._processes[name].kill()
            self._processes[name].wait()

    def stop(self) -> None:
        """Ask every process to end, and make sure of it."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for cable in self.cables.values():
            cable.close()

    def _start(self, name: str, *command: str) -> None:
        # A session of its own: Ctrl-C reaches only this process, which then stops the others in order.
        self._commands[name] = command
        self._processes[name] = start_roundtap(*command, start_new_session=True)

    def _wait_for_hub(self) -> None:
        give_up = time.monotonic() + UP_WITHIN_S
        while time.monotonic() < give_up and self._processes[HUB].poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/time", timeout=2):
                    return
            except OSError:
                time.sleep(0.05)
        ended = self._processes[HUB].poll() is not None
        raise SystemExit(
            "the hub has ended; what it said stands above"
            if ended
            else f"the hub has not answered for {UP_WITHIN_S:.0f} s: this machine is busy, try again"
        )
