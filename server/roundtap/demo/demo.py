"""`roundtap demo`: a hub, virtual tables and a small event on this machine, ready to be tapped."""

import argparse
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any

from roundtap.demo import PLAYERS, RULEBOOK, TABLES, guide
from roundtap.headless.cli_io import print_refusal, read_text, reader_words
from roundtap.kit.player_names import made_up_people
from roundtap.kit.virtual_kit import VirtualKit, exit_on_signals
from roundtap_core.command_arguments import add_arguments
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import Entrant
from roundtap_core.rulebooks.own_rules import Rules, RulesProblem, read_rules, rules_id
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import catalogue
from roundtap_hub.access.personal_links import link_token
from roundtap_hub.app.hub import read_or_make_secret
from roundtap_hub.http.hall_addresses import addresses_of_socket, http_url, is_address
from roundtap_hub.http.requester import is_loopback
from roundtap_hub.http.tls import AUTHORITY, FOLDER, fingerprint, https_port
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.journal import Journal, PersonRecord
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.venue import NO_LINK
from roundtap_hub.views.running_hub import random_event_id

NICENESS, OOM_SCORE = 5, 800  # of practice: a running event comes first, for the processor and for memory
PLAYERS_MAX = 512
BENCH_HOST = "127.0.0.1"
"""The bench presses every player's buttons: only this machine may open it, even where others may open the hub."""


def make_event(
    database: Path,
    players: int,
    tables: int,
    rulebook: str,
    name: str = "Friday night",
    event_id: str | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
    published: bool = True,
    rules: Rules | None = None,
) -> str:
    """Write an event into a fresh journal: players entered, round 1 drawn and (`published`) shown, units placed.
    Returns its id, a random one where none is given. `options`, `rules`: as in CreateEvent."""
    event = event_id or random_event_id()
    journal = Journal(f"sqlite:///{database}")
    service = Service(journal, system_clocks())
    service.start()
    people = [
        PersonRecord(event, f"p{i}", secrets.token_hex(8), person)
        for i, person in enumerate(made_up_people(players, 1 if rules else RULEBOOKS[rulebook].team_size), start=1)
    ]
    played = rules_id(rules) if rules else rulebook
    create = c.CreateEvent(name, played, None, options, "#0072B2", secrets.randbits(48), rules=rules)
    entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
    shown = [c.PublishRound(1, 1, noted="demo")] if published else []
    commands: list[c.Command] = [create, *entered, c.DrawRound(secrets.randbits(53)), *shown]
    service.execute([Step(event, command) for command in commands], "demo", people, timeout_s=60)
    service.execute(
        [Step(VENUE, NewEntry("unit-placed", {"unit": f"table-{n}", "table": n})) for n in range(1, tables + 1)], "demo"
    )
    service.stop()
    journal.close()
    return event


def shown_paths(hub_folder: Path, event: str, phone_owner: str) -> dict[str, str]:
    """The hub's pages in the hall, by what they are shown on. `phone_owner`: whose phone it is."""
    secret = read_or_make_secret(hub_folder / "secret")
    return {
        "console": f"/console/{event}",
        "wall": f"/wall/{event}",
        "phone": f"/me/{link_token(secret, (event, phone_owner), NO_LINK)}",
    }


def run(args: argparse.Namespace) -> int:
    """Start everything, print the addresses, and clean up on Ctrl-C."""
    rules, faults = None, list[RulesProblem]()
    if args.rules is not None:
        try:
            rules, faults, _ = read_rules(read_text(args.rules))
        except Problem as problem:
            return print_refusal(f"roundtap demo: {args.rules}: {problem.say(reader_words())}")
    if faults:
        return print_refusal(f"roundtap demo: {args.rules}: {faults[0].placed(reader_words())}")
    if args.practice is not None:
        return run_practice(args, rules)
    if trouble := _argument_error(args):
        return print_refusal(f"roundtap demo: {trouble}")
    exit_on_signals(code=0)
    folder = Path(tempfile.mkdtemp(prefix="roundtap-demo-"))
    demo = Demo(args, folder, rules)
    try:
        # Everything is written before any process starts.
        demo.kit.prepare()
        demo.make_event()
        demo.kit.start()
        demo.serve_bench()
    finally:
        demo.kit.stop()
        shutil.rmtree(folder, ignore_errors=True)
        print("\nEverything is stopped and cleaned up.", flush=True)
    return 0


def run_practice(args: argparse.Namespace, rules: Rules | None) -> int:
    """What a running hub starts beside itself (roundtap_hub/app/practice_hub.py)."""
    from roundtap.demo.practice import PracticeFront
    from roundtap_hub.app import hub_arguments, main, practice_hub

    os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")
    # The hub listens for one line on stdout: whatever else is printed goes to its log.
    ready = os.dup(1)
    os.dup2(2, 1)
    url = practice_hub.PAGES
    kit = VirtualKit(args.practice, "", args.port, TABLES, args.language, bench_url=url, practice=True)
    # No PIN that anybody could type: the running hub says who may enter.
    kit.pin = secrets.token_urlsafe(32)
    kit.prepare()
    event = make_event(
        kit.database,
        PLAYERS,
        TABLES,
        RULEBOOK,
        options=guide.OPTIONS,
        name=catalogue("roundtap_hub", args.language)("practice.title"),
        published=False,
        rules=rules,
    )
    leads = guide.Guide(Journal(f"sqlite:///{kit.database}", read_only=True), event, args.language)
    paths = shown_paths(kit.hub_folder, event, leads.phone_owner)
    options = argparse.ArgumentParser()
    add_arguments(options, hub_arguments.ARGUMENTS["hub"])
    try:
        return main.run(
            options.parse_args(
                [
                    "--data",
                    str(kit.hub_folder),
                    "--host",
                    args.host,
                    "--port",
                    str(args.port),
                    "--secure-port",
                    str(args.secure_port),
                    "--language",
                    args.language,
                    "--bench-url",
                    url,
                    "--alone",
                ]
            ),
            lambda application: PracticeFront(application, kit, leads, paths, args.language, ready),
        )
    finally:
        kit.stop()


def _argument_error(args: argparse.Namespace) -> str | None:
    if not 1 <= args.tables <= 64:
        return f"--tables {args.tables}: from 1 to 64 virtual tables are possible."
    if not 0 <= args.unenrolled <= 64 - args.tables:
        return f"--unenrolled {args.unenrolled}: with the other tables 64 virtual tables are possible."
    if not 4 <= args.players <= PLAYERS_MAX:
        return f"--players {args.players}: an event needs 4 players; the demo has names for {PLAYERS_MAX}."
    if not 1 <= args.port <= 65534:
        return f"--port {args.port}: choose a port from 1 to 65534."
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as error:
        return Problem("demo_no_terminals", reason=error.strerror or error).say(reader_words())
    secure = () if is_loopback(args.host) else ((args.host, https_port(args.port)),)
    for host, port in ((args.host, args.port), (BENCH_HOST, args.port + 1), *secure):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                return f"port {port} cannot be used ({error.strerror or error}). Choose another with --port N."
    return None


class Demo:
    """One demo: a virtual kit with an event, and the pages over it."""

    def __init__(self, args: argparse.Namespace, folder: Path, rules: Rules | None = None) -> None:
        self.args, self.rules = args, rules
        self.origin = f"http://{BENCH_HOST}:{args.port + 1}"
        self.kit = VirtualKit(
            folder,
            args.host,
            args.port,
            args.tables,
            args.language,
            args.facing,
            f"{self.origin}/",
            unenrolled=args.unenrolled,
        )
        self.is_guided = rules is None and (args.players, args.tables, args.rulebook) == (PLAYERS, TABLES, RULEBOOK)
        self._event = ""

    def make_event(self) -> None:
        """The event that the guide leads through, or round 1 of any other."""
        self._event = make_event(
            self.kit.database,
            self.args.players,
            self.args.tables,
            self.args.rulebook,
            options=guide.OPTIONS if self.is_guided else {},
            published=not self.is_guided,
            rules=self.rules,
        )

    def greeting(self, path: str = "/") -> str:
        """What the terminal says; `path`: of the pages' address."""
        login = "It logs one browser in. For any other the PIN is" if self.kit.session else "The console's PIN is"
        return "\n".join(
            [
                "",
                f"  Open this page          {self.origin}{path}",
                "",
                f"  {login} {self.kit.pin}",
                *self._elsewhere(),
                "  Everything runs on this machine and is forgotten afterwards. Ctrl-C stops it.",
                "",
            ]
        )

    def _elsewhere(self) -> list[str]:
        """For phones, and for organizers on other devices, where the demo admits them."""
        authority = self.kit.hub_folder / FOLDER / AUTHORITY
        if not authority.is_file():
            return []
        host = self.args.host
        own = str(next(iter(addresses_of_socket(host)), host)) if is_address(host) else host
        return [
            f"  Phones                  {http_url(own, self.args.port)}",
            f"  Console elsewhere       {http_url(own, https_port(self.args.port)).replace('http:', 'https:')}/console",
            f"    fingerprint (SHA-256) {fingerprint(authority.read_bytes(), authority)}",
        ]

    def _info(self, phone_owner: str) -> dict[str, Any]:
        """What the pages are told: the hub's address, the paths shown from there, and whether they may be framed."""
        return {
            "hub": f"http://{BENCH_HOST}:{self.args.port}",
            "frames": bool(self.kit.session),
            "paths": shown_paths(self.kit.hub_folder, self._event, phone_owner),
        }

    def serve_bench(self) -> None:
        """Serve the pages until Ctrl-C, and print the greeting once everything answers."""
        import asyncio

        import uvicorn

        from roundtap.demo.bench import Bench, BenchPrinter, BenchTable, Entrance

        tables = {n: BenchTable(n, self.kit.panel(n)) for n in (*self.kit.tables, *self.kit.unenrolled)}
        entrance = Entrance(self.kit.session, secrets.token_urlsafe(24))
        greeting = self.greeting(entrance.path)
        journal = Journal(f"sqlite:///{self.kit.database}", read_only=True)
        leads = guide.Guide(journal, self._event, self.args.language)
        bench = Bench(
            tables,
            BenchPrinter(self.kit.printer),
            self._info(leads.phone_owner),
            self.args.language,
            self.kit,
            leads if self.is_guided else None,
            entrance,
            self.origin,
        )

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                print(greeting, flush=True)

            def handle_exit(self, sig: int, frame: FrameType | None) -> None:
                # Open streams would keep the server waiting.
                asyncio.get_running_loop().create_task(bench.close())
                super().handle_exit(sig, frame)

        Server(
            uvicorn.Config(
                bench,
                host=BENCH_HOST,
                port=self.args.port + 1,
                loop="asyncio",
                http="h11",
                ws="none",
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=2,
            )
        ).run()
        journal.close()
