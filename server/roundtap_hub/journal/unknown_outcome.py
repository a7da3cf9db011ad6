"""What became of something that was asked, and is not known yet: the writer has begun, and its disk does not answer."""

from __future__ import annotations

from concurrent.futures import Future

from roundtap_core.event.entries import Entry


class OutcomeUnknown(Exception):
    """Neither "done" nor "nothing was changed" would be true yet; `answer` holds the one or the other in time."""

    def __init__(self, answer: Future[list[Entry]]) -> None:
        super().__init__("whether it is saved is not known yet")
        self.answer = answer
