"""Talks to an ASGI application without a socket: on an event loop of its own, as a server would, any number at once."""

import asyncio
import json as json_
import threading
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from patience import GUARD_S

Application = Callable[[Any, Any, Any], Awaitable[None]]


@dataclass
class Answer:
    """What came back."""

    status_code: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode()

    def get_json(self) -> Any:
        return json_.loads(self.body)


class AsgiClient:
    """A client of one application; `close` ends its loop. With `lifespan` the application is started and stopped."""

    def __init__(self, application: Application, lifespan: bool = False) -> None:
        self.application = application
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.organizer: dict[str, str] = {}
        """Headers of a browser that is logged in, where a test has logged it in."""
        self.seen_as: dict[str, Any] = {}
        """What the connection says of who asks, where that is not a program on this machine."""
        self._life: asyncio.Queue[MutableMapping[str, Any]] | None = None
        if lifespan:
            self.run(self._start())

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Something done on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(GUARD_S)

    def until(self, true: Callable[[], Any]) -> Any:
        """The first true answer of `true()`, asked again and again on the loop."""

        async def ask() -> Any:
            async with asyncio.timeout(GUARD_S):
                while not (answer := true()):
                    await asyncio.sleep(0)
                return answer

        return self.run(ask())

    def close(self) -> None:
        if self._life is not None:
            self.run(self._stop())
        self.run(self._leave())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def get(self, path: str, **headers: str) -> Answer:
        answer: Answer = self.begin("GET", path, headers=headers).result(GUARD_S)
        return answer

    def post(self, path: str, json: Any = None, data: Any = None, **headers: str) -> Answer:
        body = json_.dumps(json).encode() if data is None else data
        if isinstance(body, str):
            body = body.encode()
        elif isinstance(body, dict):
            body, headers = urlencode(body).encode(), {"content_type": "application/x-www-form-urlencoded", **headers}
        answer: Answer = self.begin("POST", path, body, headers=headers).result(GUARD_S)
        return answer

    def begin(
        self,
        method: str,
        path: str,
        body: bytes | None = b"",
        headers: Any = None,
        announced: int | None = None,
        peer: str = "127.0.0.1",
    ) -> Future[Answer]:
        """A request on its way. `body` None: it is announced with `announced` bytes and never comes."""
        return asyncio.run_coroutine_threadsafe(
            self._ask(method, path, body, headers or {}, announced, peer), self.loop
        )

    async def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], announced: int | None, peer: str
    ) -> Answer:
        path, _, query = path.partition("?")
        length = len(body or b"") if announced is None else announced
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "http_version": "1.1",
            "scheme": "http",
            "root_path": "",
            "client": (peer, 50000),
            "server": ("127.0.0.1", 8080),
            **self.seen_as,
            "headers": [
                *([] if "host" in headers else [(b"host", b"localhost")]),
                (b"content-length", b"%d" % length),
                *((name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()),
            ],
        }
        answer, said = Answer(), [body]

        async def receive() -> MutableMapping[str, Any]:
            part = said.pop() if said else None
            if part is None:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": part, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answer.status_code = message["status"]
                answer.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
            else:
                answer.body += message.get("body", b"")

        await self.application(scope, receive, send)
        return answer

    async def _leave(self) -> None:
        """Whoever still waits for an answer goes."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _start(self) -> None:
        self._life = asyncio.Queue()
        await self._life.put({"type": "lifespan.startup"})
        said: asyncio.Queue[Any] = asyncio.Queue()
        self._living = asyncio.create_task(self.application({"type": "lifespan"}, self._life.get, said.put))  # type: ignore[arg-type]
        assert (await said.get())["type"] == "lifespan.startup.complete"

    async def _stop(self) -> None:
        await self._life.put({"type": "lifespan.shutdown"})
        await self._living
