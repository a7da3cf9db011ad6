"""The hub's own audio output (`--sound`): a tone when a round starts, at five minutes and at time."""

import asyncio
import io
import logging
import math
import struct
import subprocess
import threading
import wave
from collections.abc import Callable, Mapping
from queue import SimpleQueue

from roundtap_core.clock import IDLE, RUNNING, Instant
from roundtap_core.event.states import EventState
from roundtap_core.view_types import ClockView
from roundtap_hub.store.service import Service
from roundtap_hub.views.round_clock import public_clock

log = logging.getLogger(__name__)

SOUND = "roundtap_sound"  # the application's extension key for a function that tells its HubSound, if any
START, FIVE, TIME = "start", "five", "time"
FIVE_MS = 5 * 60_000
LATE_MS = 3000  # a moment longer ago than this is skipped
POLL_S = 0.25

RATE_HZ = 22_050
TONES: Mapping[str, tuple[tuple[int, float], ...]] = {
    START: ((660, 0.25), (0, 0.08), (880, 0.6)),
    FIVE: ((880, 0.2), (0, 0.12), (880, 0.2)),
    TIME: ((880, 0.5), (0, 0.12), (880, 0.5), (0, 0.12), (660, 1.2)),
}
"""Pitch in hertz (0: silence) and seconds, as `static/sounds.js` has them."""


def _left_ms(view: ClockView, now: Instant) -> int | None:
    return view.remaining_ms if view.deadline_ms is None else view.deadline_ms - now.mono_ms


def tone_wav(moment: str) -> bytes:
    """A moment's sound as a WAV file, generated rather than shipped."""
    samples: list[int] = []
    for pitch, seconds in TONES[moment]:
        count = int(seconds * RATE_HZ)
        for i in range(count):
            # Fade in and out within a hundredth of a second, as a tone that is cut off clicks.
            edge = min(1.0, i / (RATE_HZ / 100), (count - i) / (RATE_HZ / 100))
            samples.append(int(edge * 24_000 * math.sin(2 * math.pi * pitch * i / RATE_HZ)))
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return out.getvalue()


def aplay_player(device: str) -> Callable[[bytes], None]:
    """A player of WAV files on an ALSA device ("default"), which raises OSError where the device fails."""

    def play(sound: bytes) -> None:
        try:
            done = subprocess.run(
                ["aplay", "-q", "-D", device, "-"], input=sound, capture_output=True, timeout=20, check=False
            )
        except subprocess.TimeoutExpired as late:
            raise OSError("aplay does not end") from late
        if done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise OSError(lines[-1][:200] if lines else f"aplay ended with {done.returncode}")

    return play


class HubSound:
    """Watches all clocks, and plays in a thread of its own. `trouble`: why it cannot play; "" if it can."""

    def __init__(self, service: Service, now: Callable[[], Instant], play: Callable[[bytes], None]) -> None:
        self._service = service
        self._now = now
        self._play = play
        self._before: dict[str, tuple[str, int | None, bool]] = {}
        """By event as of the last look: clock state, milliseconds left, whether time is over."""
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._task: asyncio.Task[None] | None = None
        self.trouble = ""

    def start(self) -> None:
        """Call from within the event loop."""
        threading.Thread(target=self._work, name="hub-sound", daemon=True).start()
        self._task = asyncio.create_task(self._poll_loop())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._waiting.put(None)

    def check_clocks(self) -> None:
        """Queue the sounds of what has happened since the last look."""
        snapshot, now = self._service.snapshot, self._now()
        self._before = {event: seen for event, seen in self._before.items() if event in snapshot.events}
        for state in snapshot.events.values():
            moment = self._passed(state, now) if not state.finished else None
            if moment is not None and snapshot.venue.display_plan.hub_sound:
                self._waiting.put(moment)

    def _passed(self, state: EventState, now: Instant) -> str | None:
        clock = state.clock
        view = public_clock(state, clock, now)
        left_ms = None if clock.total_ms is None else _left_ms(view, now)
        over = left_ms is not None and left_ms <= 0 and (not view.open_end or view.over)
        before = self._before.get(state.id)
        self._before[state.id] = (clock.state, left_ms, over)
        if clock.state != RUNNING or before is None:
            return None
        was, was_left_ms, was_over = before
        if was == IDLE and now.mono_ms - clock.anchor.mono_ms <= LATE_MS:
            return START
        if left_ms is None or was_left_ms is None:
            return None
        if over and not was_over and -left_ms <= LATE_MS:
            return TIME
        return FIVE if was_left_ms > FIVE_MS >= left_ms > FIVE_MS - LATE_MS else None

    async def _poll_loop(self) -> None:
        while True:
            try:
                self.check_clocks()
            except Exception:
                log.exception("the clocks were not looked at for their sounds")
            await asyncio.sleep(POLL_S)

    def _work(self) -> None:
        while (moment := self._waiting.get()) is not None:
            self.play(moment)

    def play(self, moment: str) -> None:
        """Play a moment's sound. A failing device is logged once, and tried again at the next moment."""
        try:
            self._play(tone_wav(moment))
        except OSError as error:
            if not self.trouble:
                log.error("the hub's audio out cannot be heard: %s", error)
            self.trouble = str(error) or type(error).__name__
        else:
            self.trouble = ""
