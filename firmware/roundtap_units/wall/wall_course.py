"""What the wall's browser is to show: the hub's wall, or what the machine waits for. No I/O: told, and asked."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

Place = tuple[str, int]

WALL_PATH = "/wall"
ANSWERS_WITHIN_MS = 30_000
"""A page that does not answer for so long is loaded anew."""
LOADS_WITHIN_MS, LOADS_AGAIN_MS = 20_000, 3_000
"""A page that is not there by then is asked for anew; one that failed, so much later."""
ASK_EVERY_MS = 10_000


@dataclass(frozen=True, slots=True)
class Load:
    """The browser is to open this address."""

    url: str


@dataclass(frozen=True, slots=True)
class Wait:
    """The browser is to show the machine's own page."""


@dataclass(frozen=True, slots=True)
class Ask:
    """The page is to be asked whether it lives."""


@dataclass(frozen=True, slots=True)
class StartAnew:
    """The browser is to be ended, and another one started."""


Step = Load | Wait | Ask | StartAnew


def wall_url(hub: Place) -> str:
    """ "http://10.42.0.1/wall" """
    host = f"[{hub[0]}]" if ":" in hub[0] else hub[0]
    return f"http://{host}{WALL_PATH}" if hub[1] == 80 else f"http://{host}:{hub[1]}{WALL_PATH}"


def place_of_url(url: str) -> Place | None:
    """The hub whose wall an address is; None where it is no wall."""
    try:
        split = urlsplit(url)
        if split.scheme != "http" or not split.hostname or not (split.path + "/").startswith(f"{WALL_PATH}/"):
            return None
        return split.hostname, split.port or 80
    except ValueError:
        return None


class Course:
    """Told what the browser shows and which hub answers; says what is to be done next.

    A wall that was shown stays when its hub falls silent: it says so itself, goes on counting, and connects again by
    itself. Only where there is nothing to look at, the machine's own page is shown: before the first hub, and in place
    of the browser's page of errors. Times are monotonic milliseconds.
    """

    def __init__(self, now_ms: int) -> None:
        self._hub: Place | None = None
        self._shown: Place | None = None
        """The hub whose wall the browser shows, whole."""
        self._waiting = False
        self._loading: Place | None = None
        self._loading_ms = now_ms - LOADS_AGAIN_MS
        self._alive_ms = self._asked_ms = now_ms
        self._reloads = 0

    @property
    def waits(self) -> bool:
        """Whether the browser shows the machine's own page."""
        return self._waiting

    @property
    def shown(self) -> Place | None:
        return self._shown

    def hub_is(self, hub: Place | None) -> None:
        """The hub that answers now; None: there is none."""
        self._hub = hub

    def navigated(self, url: str, unreachable: bool, now_ms: int) -> None:
        """The browser shows another page: its address; `unreachable`: it is the browser's own, of an error."""
        self._alive_ms = now_ms
        place = None if unreachable else place_of_url(url)
        self._shown = place
        self._waiting = not unreachable and url.startswith("data:")
        if place is not None or unreachable or self._waiting:
            self._loading = None
        if place is not None:
            self._reloads = 0

    def answered(self, now_ms: int) -> None:
        """The page lives."""
        self._alive_ms = now_ms

    def crashed(self) -> None:
        """The page has died; the browser itself has not."""
        self._shown, self._waiting, self._loading = None, False, None

    def step(self, now_ms: int) -> Step | None:
        """What is to be done now; None: nothing. Whoever is told does it."""
        if now_ms - self._alive_ms > ANSWERS_WITHIN_MS:
            self._alive_ms = now_ms
            self._reloads += 1
            self._shown, self._waiting, self._loading = None, False, None
            if self._reloads > 1:
                # Loading it anew was no help.
                return StartAnew()
        if self._hub is not None and self._shown != self._hub:
            patience_ms = LOADS_WITHIN_MS if self._loading == self._hub else LOADS_AGAIN_MS
            if now_ms - self._loading_ms < patience_ms:
                return self._ask(now_ms)
            self._loading, self._loading_ms, self._waiting = self._hub, now_ms, False
            return Load(wall_url(self._hub))
        if self._hub is None and self._shown is None and not self._waiting:
            self._waiting = True
            return Wait()
        return self._ask(now_ms)

    def _ask(self, now_ms: int) -> Step | None:
        if now_ms - self._asked_ms < ASK_EVERY_MS:
            return None
        self._asked_ms = now_ms
        return Ask()
