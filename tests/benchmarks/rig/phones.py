"""A thousand browsers in one process, each with a page, its static files and its feed; what each one shows, when.

Run by `ClientProcess("rig.phones", port=…, paths=[address, …], seed=…)`. They do what static/live.js does, as it was
and as it becomes: "view" is fetched (a phone within half a second), "patch" is taken, clocks are asked for.
"""

import asyncio
import gc
import html
import json
import random
import re
import time
import zlib
from collections import Counter
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from rig.client_process import Orders
from rig.http_talk import Answer, Broken, Connection

LOAD_S = 30.0
FILES = re.compile(r'<(?:link rel="(?:stylesheet|icon)" href|script src)="(?!data:)([^"]+)"')
FEED, SEEN, VARIANT, LANGUAGE = (
    re.compile(each)
    for each in (r'data-feed="([^"]+)"', r'data-seen="([^"]*)"', r'data-variant="([^"]*)"', r'<html lang="(\w+)"')
)
PHONE = re.compile(r'<html[^>]*class="[^"]*\b(?:phone|list)\b')
# What is no part of the protocol but of the hub's scripts: how far apart phones look, how often they ask for the time.
LOOK_SPREAD = re.compile(r"Math\.random\(\) \* (\d+) : 0")
TIME_ASKED = re.compile(r'fetch\("/time".*?i < (\d+)', re.DOTALL)
BACK_OFF_S = 1.0


class Script:
    """What the hub's own scripts would do that is no part of the protocol, read from them as they come."""

    def __init__(self) -> None:
        self.look_spread_s = 0.0
        self.time_samples = 0
        self.phones_ask = True

    def read(self, text: str) -> None:
        if found := LOOK_SPREAD.search(text):
            self.look_spread_s = int(found[1]) / 1000
        if found := TIME_ASKED.search(text):
            self.time_samples = int(found[1])
            # Where the feed tells phones the time, they ask for nothing.
            self.phones_ask = "BY_FEED" not in text


class Phone:
    """One browser with one page open."""

    def __init__(self, port: int, path: str, rand: random.Random, script: Script, source: str) -> None:
        self.path = path
        self.shows: list[tuple[float, float, str, int]] = []
        """(told, shown, "load" | "view" | "patch", bytes): when news came and when they stood on the page."""
        self.failed: list[str] = []
        self.turned_away = 0
        self.marker = ""
        self.marked: float | None = None
        self.open = False
        self.wire_bytes = 0
        self._rand = rand
        self._script = script
        self._kept: tuple[str, str] | None = None
        self._cache: dict[str, str | None] = {}
        self._pages, self._feed, self._times = (Connection(port, source) for _ in range(3))
        self._feed_address = self._seen = ""
        self._is_phone = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking = self._again = self._due = False
        self._told = 0.0

    async def load(self) -> float | None:
        """The page anew, as after a thumb on "reload": seconds until page and files are there; None: they were not."""
        self.leave()
        begin = time.monotonic()
        try:
            async with asyncio.timeout(LOAD_S):
                text = await self._page(begin, "load")
                for file in FILES.findall(text):
                    await self._file(html.unescape(file))
        except (Broken, OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            self.failed.append(f"{type(error).__name__} {error}")
            self._pages.close()
            return None
        took = time.monotonic() - begin
        self._is_phone = bool(PHONE.search(text[:400]))
        if feed := FEED.search(text):
            self._feed_address = html.unescape(feed[1])
            language, variant = LANGUAGE.search(text), VARIANT.search(text)
            if language and variant:
                self._feed_address += f"&lang={language[1]}&variant={quote(html.unescape(variant[1]))}"
            self._start(self._follow())
        self.open = True
        return took

    def leave(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        self._tasks.clear()
        self._feed.close()
        self._pages.close()
        self._times.close()
        self.open = self._looking = self._again = self._due = False

    def _start(self, work: Awaitable[None]) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)  # type: ignore[arg-type]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _page(self, told: float, why: str) -> str:
        kept = f"If-None-Match: {self._kept[0]}\r\n" if self._kept else ""
        answer = await self._pages.get(self.path, f"Accept: text/html\r\n{kept}")
        while answer.status == 503:
            # "One moment": the page that says so comes again by itself.
            self.turned_away += 1
            await asyncio.sleep(float(answer.headers.get("retry-after", 1)) * (1 + self._rand.random() / 2))
            answer = await self._pages.get(self.path, f"Accept: text/html\r\n{kept}")
        if answer.status == 304 and self._kept:
            text = self._kept[1]
        elif answer.status == 200:
            text = _text(answer)
            self._kept = (answer.headers["etag"], text) if "etag" in answer.headers else None
        else:
            raise Broken(f"{self.path} answered {answer.status}")
        if seen := SEEN.search(text):
            self._seen = html.unescape(seen[1])
        self._shown(told, why, len(answer.body), text)
        return text

    async def _file(self, address: str) -> None:
        """A static file, unless it is kept for ever; asked again by its mark where it has one."""
        kept = self._cache.get(address)
        if kept == "immutable":
            return
        answer = await self._pages.get(address, f"If-None-Match: {kept}\r\n" if kept else "")
        self.wire_bytes += len(answer.body)
        if answer.status not in (200, 304):
            # The page stands there without it.
            self.failed.append(f"{address} answered {answer.status}")
        if answer.status == 200:
            immutable = "immutable" in answer.headers.get("cache-control", "")
            self._cache[address] = "immutable" if immutable else answer.headers.get("etag")
            if address.partition("?")[0].endswith(".js"):
                self._script.read(_text(answer))

    async def _follow(self) -> None:
        """The feed, opened again when it breaks."""
        while True:
            begin = time.monotonic()
            try:
                stream = self._feed.stream(f"{self._feed_address}&seen={quote(self._seen)}")
                if self._script.time_samples and (self._script.phones_ask or not self._is_phone):
                    self._start(self._ask_time())
                async for event, data, arrived in stream:
                    self._take(event, data, arrived)
            except (Broken, OSError, asyncio.IncompleteReadError, ValueError) as error:
                self.failed.append(f"feed: {type(error).__name__} {error}")
            self._feed.close()
            if time.monotonic() - begin < LOAD_S:
                await asyncio.sleep(BACK_OFF_S * (0.5 + self._rand.random()))

    async def _ask_time(self) -> None:
        """static/clock.js as long as it asks: some quick samples, then slower ones."""
        with suppress(Broken, OSError, asyncio.IncompleteReadError):
            for number in range(self._script.time_samples):
                await self._times.get("/time")
                await asyncio.sleep(0.03 if number < 6 else 0.25)

    def _take(self, event: str, data: str, now: float) -> None:
        if event == "patch":
            said = json.loads(data)
            if said.get("regions") is not None and said["from"] == self._seen and not self._looking:
                self._seen = said["to"]
                # A patch stands on the page as it comes; what it takes to put it there is the browser's own time.
                self._shown(now, "patch", len(data), data, now)
            else:
                self._changed(said["to"], now)
        elif event == "view":
            self._changed(data, now)

    def _changed(self, version: str, now: float) -> None:
        if version == self._seen or self._due:
            return
        self._due = True
        if not self._looking:
            self._told = now
        self._start(self._look(self._rand.random() * self._script.look_spread_s if self._is_phone else 0.0))

    async def _look(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        self._due = False
        if self._looking:
            self._again = True
            return
        self._looking = True
        while True:
            told, self._again = self._told, False
            try:
                async with asyncio.timeout(LOAD_S):
                    await self._page(told, "view")
            except (Broken, OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
                self.failed.append(f"{type(error).__name__} {error}")
                self._pages.close()
            if not self._again:
                break
            self._told = time.monotonic()
        self._looking = False

    def _shown(self, told: float, why: str, size: int, text: str, shown: float | None = None) -> None:
        now = time.monotonic() if shown is None else shown
        self.wire_bytes += size
        self.shows.append((told, now, why, size))
        if self.marker and self.marked is None and self.marker in text:
            self.marked = now


class Phones:
    """All of them, and what the benchmark asks of them."""

    def __init__(self, config: dict[str, Any]) -> None:
        rand, script = random.Random(config["seed"]), Script()
        self._rand = rand
        # Each from an address of its own, as in a hall: turns go by address.
        self._phones = [
            Phone(config["port"], path, rand, script, f"127.1.{number // 250}.{1 + number % 250}")
            for number, path in enumerate(config["paths"])
        ]
        self._waves: asyncio.Task[dict[str, Any]] | None = None

    async def do(self, order: dict[str, Any]) -> dict[str, Any]:
        said: dict[str, Any] = await getattr(self, f"do_{order['say']}")(order)
        return said

    async def do_open(self, order: dict[str, Any]) -> dict[str, Any]:
        """All load within `over_s` seconds."""
        took: list[float] = []
        await self._load_all(order["over_s"], took)
        # A collection of a thousand browsers' objects is a pause in every figure.
        gc.collect()
        gc.freeze()
        return {"open": sum(phone.open for phone in self._phones), "load_ms": took}

    async def do_waves(self, order: dict[str, Any]) -> dict[str, Any]:
        """Every `period_s` seconds all reload within `spread_s`, until "calm" is said."""

        async def waves() -> dict[str, Any]:
            took: list[float] = []
            wanted = 0
            until = time.monotonic() + order["seconds_at_most"]
            with suppress(asyncio.CancelledError):
                while time.monotonic() < until:
                    begin = time.monotonic()
                    wanted += len(self._phones)
                    await self._load_all(order["spread_s"], took)
                    await asyncio.sleep(max(0.0, begin + order["period_s"] - time.monotonic()))
            return {"wanted": wanted, "load_ms": took}

        self._waves = asyncio.ensure_future(waves())
        return {}

    async def do_calm(self, order: dict[str, Any]) -> dict[str, Any]:
        self._waves.cancel()
        said = await self._waves
        return {
            **said,
            "failures": sum(len(phone.failed) for phone in self._phones),
            "turned_away": sum(phone.turned_away for phone in self._phones),
            "why": Counter(why for phone in self._phones for why in phone.failed).most_common(2),
            "open": sum(phone.open for phone in self._phones),
        }

    async def do_watch(self, order: dict[str, Any]) -> dict[str, Any]:
        """What was shown during `seconds`: for each browser [[told, shown, why, bytes], …]."""
        for phone in self._phones:
            phone.shows.clear()
            phone.wire_bytes = 0
        cpu = time.process_time()
        await asyncio.sleep(order["seconds"])
        return {
            "shows": [phone.shows for phone in self._phones],
            "cpu_s": time.process_time() - cpu,
            "turned_away": sum(phone.turned_away for phone in self._phones),
            "failures": sum(len(phone.failed) for phone in self._phones),
            "bytes": sum(phone.wire_bytes for phone in self._phones),
        }

    async def do_mark(self, order: dict[str, Any]) -> dict[str, Any]:
        """From now on each browser notes when it first shows a text."""
        for phone in self._phones:
            phone.marker, phone.marked = order["text"], None
        return {}

    async def do_marked(self, order: dict[str, Any]) -> dict[str, Any]:
        """When each came to show it (None: not), once all have, or after `patience_s`."""
        give_up = time.monotonic() + order["patience_s"]
        while time.monotonic() < give_up and any(phone.marked is None for phone in self._phones):
            await asyncio.sleep(0.1)
        return {
            "marked": [phone.marked for phone in self._phones],
            "turned_away": sum(phone.turned_away for phone in self._phones),
            "failures": sum(len(phone.failed) for phone in self._phones),
        }

    async def _load_all(self, over_s: float, took_ms: list[float]) -> None:
        async def later(phone: Phone, after_s: float) -> None:
            await asyncio.sleep(after_s)
            took_s = await phone.load()
            if took_s is not None:
                took_ms.append(took_s * 1000)

        moments = [self._rand.random() * over_s for _ in self._phones]
        await asyncio.gather(*(later(*each) for each in zip(self._phones, moments, strict=True)))


def _text(answer: Answer) -> str:
    body = zlib.decompress(answer.body, 31) if answer.encoding == "gzip" else answer.body
    return body.decode()


async def serve() -> None:
    orders = Orders()
    phones = Phones(orders.next())
    while True:
        order = await asyncio.to_thread(orders.next)
        orders.answer(**await phones.do(order))


def main() -> None:
    asyncio.run(serve())


if __name__ == "__main__":
    main()
