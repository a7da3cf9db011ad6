"""What fails as a test wants it."""

from collections.abc import Callable
from typing import Any


def fails(error: BaseException) -> Callable[..., Any]:
    """Whatever it is called with, it raises this."""

    def fail(*_: object, **__: object) -> None:
        raise error

    return fail
