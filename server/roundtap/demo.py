"""`roundtap demo`: a hub, virtual tables and a small event on this machine, ready to be tapped."""

from __future__ import annotations

import argparse
import json
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from types import FrameType

PLAYERS_MAX = 512
UP_WITHIN_S = 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8080, help="the hub's port; the bench takes the next one")
    parser.add_argument("--tables", type=int, default=4, help="how many virtual tables")
    parser.add_argument("--players", type=int, default=8, help="how many players are entered")
    parser.add_argument("--host", default="127.0.0.1",
                        help="address to listen on; 0.0.0.0 lets phones in the same network in")
    parser.add_argument("--language", default="en", choices=("en", "es", "de", "pl"), help="language of the tables")
    parser.add_argument("--facing", default="edge", choices=("edge", "opposite"),
                        help="edge: one way up, easy to read here; opposite: each half faces its player")


def run(args: argparse.Namespace) -> int:
    """Start everything, say where it is, and clean up on Ctrl-C."""
    trouble = _trouble(args)
    if trouble:
        print(f"roundtap demo: {trouble}", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="roundtap-demo-"))
    demo = Demo(args, folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        demo.prepare()
        demo.start()
        print(demo.greeting(), flush=True)
        demo.serve_bench()
    except KeyboardInterrupt:
        pass
    finally:
        demo.stop()
        shutil.rmtree(folder, ignore_errors=True)
        print("\nEverything is stopped and cleaned up.", flush=True)
    return 0


def _trouble(args: argparse.Namespace) -> str | None:
    """What is wrong with the arguments, in words, or None."""
    if not 1 <= args.tables <= 64:
        return f"--tables {args.tables}: from 1 to 64 virtual tables are possible."
    if not 4 <= args.players <= PLAYERS_MAX:
        return f"--players {args.players}: an event needs 4 players; the demo has names for {PLAYERS_MAX}."
    if not 1 <= args.port <= 65534:
        return f"--port {args.port}: choose a port from 1 to 65534."
    for port in (args.port, args.port + 1):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((args.host, port))
            except OSError as error:
                return f"port {port} cannot be used ({error.strerror}). Choose another with --port N."
    return None


class Demo:
    """The processes of one demo, and the folder they live in."""

    def __init__(self, args: argparse.Namespace, folder: Path) -> None:
        self.args = args
        self.folder = folder
        self.pin = "".join(secrets.choice("0123456789") for _ in range(6))
        self.processes: list[subprocess.Popen[bytes]] = []

    def prepare(self) -> None:
        """Keys, PIN, and an event whose first round is published, written before anybody runs."""
        from roundtap.demo_event import make_event
        from roundtap_hub.hub import hash_pin, write_private

        keys = {f"table-{n}": secrets.token_bytes(32) for n in range(1, self.args.tables + 1)}
        hub_folder = self.folder / "hub"
        hub_folder.mkdir()
        write_private(hub_folder / "keys.json", json.dumps({unit: key.hex() for unit, key in keys.items()}))
        write_private(hub_folder / "pin", hash_pin(self.pin))
        make_event(hub_folder / "roundtap.db", self.args.players, self.args.tables)
        for number, (unit, key) in enumerate(keys.items(), start=1):
            write_private(self.folder / f"{unit}.toml", "\n".join([
                f'unit = "{unit}"', f'key = "{key.hex()}"', f'hub = "http://127.0.0.1:{self.args.port}"',
                f'language = "{self.args.language}"', f'facing = "{self.args.facing}"',
                f'folder = "{self.folder / f"unit-{number}"}"',
            ]) + "\n")

    def start(self) -> None:
        """The hub first; then the tables, which would wait for it anyway."""
        hub_host = self.args.host
        self._spawn("hub", "--data", str(self.folder / "hub"), "--host", hub_host, "--port", str(self.args.port),
                    "--language", self.args.language)
        self._wait_for_hub()
        for number in range(1, self.args.tables + 1):
            self._spawn("table", str(self.folder / f"table-{number}.toml"), "--panel", str(self._panel(number)))

    def greeting(self) -> str:
        shown = "127.0.0.1" if self.args.host in ("0.0.0.0", "::") else self.args.host
        hub, bench = f"http://{shown}:{self.args.port}", f"http://{shown}:{self.args.port + 1}"
        return "\n".join([
            "",
            f"  Bench (virtual tables)  {bench}/",
            f"  Console (organizer)     {hub}/console      PIN {self.pin}",
            f"  Wall                    {hub}/wall",
            f"  Players' page           {hub}/",
            "",
            "  Everything runs on this machine and is forgotten afterwards. Ctrl-C stops it.",
            "",
        ])

    def serve_bench(self) -> None:
        """Serve the bench page until Ctrl-C."""
        import asyncio

        import uvicorn

        from roundtap.bench import Bench, VirtualTable

        tables = {n: VirtualTable(n, self._panel(n)) for n in range(1, self.args.tables + 1)}
        bench = Bench(tables, {"hub_port": self.args.port, "pin": self.pin})

        class Server(uvicorn.Server):
            def handle_exit(self, sig: int, frame: FrameType | None) -> None:
                # Open streams would keep the server waiting.
                asyncio.get_running_loop().create_task(bench.close())
                super().handle_exit(sig, frame)

        Server(uvicorn.Config(bench, host=self.args.host, port=self.args.port + 1, loop="asyncio", http="h11",
                              ws="none", log_level="warning", access_log=False, timeout_graceful_shutdown=2)).run()

    def stop(self) -> None:
        """Ask every process to end, and make sure of it."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _panel(self, number: int) -> Path:
        return self.folder / f"panel-{number}"

    def _spawn(self, *command: str) -> None:
        # A session of its own: Ctrl-C reaches only this process, which then stops the others in order. Their stdin is
        # a pipe that closes when this process dies in whatever way, and they end with it.
        self.processes.append(subprocess.Popen(
            [sys.executable, "-m", "roundtap.main", *command, "--end-with-stdin"],
            stdin=subprocess.PIPE, start_new_session=True,
        ))

    def _wait_for_hub(self) -> None:
        give_up = time.monotonic() + UP_WITHIN_S
        while time.monotonic() < give_up and self.processes[0].poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.args.port}/time", timeout=2):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the hub did not start")
