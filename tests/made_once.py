"""What every hub of a process makes alike, made once for all tests: compiled templates and routes, and hashes of PINs.

Each of these is the same again for the same input; a hub of a second's work is one of a few milliseconds by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from flask import Flask
from jinja2 import Environment
from werkzeug.routing import Rule

compile_template = Environment.compile
TEMPLATES: dict[Any, Any] = {}
ROUTES: dict[Any, dict[str, Any]] = {}


def template_once(environment: Environment, source: Any, name: str | None = None, filename: str | None = None,
                  **how: Any) -> Any:
    """`Environment.compile`: what it makes hangs on the text, and on how the environment reads it."""
    escapes = environment.autoescape(name) if callable(environment.autoescape) else environment.autoescape
    key = (source, name, filename, environment.trim_blocks, environment.lstrip_blocks, escapes,
           *environment.extensions, *how.items())
    if key not in TEMPLATES:
        TEMPLATES[key] = compile_template(environment, source, name, filename, **how)
    return TEMPLATES[key]


class KnownRule(Rule):
    """A route that takes over what an equal one before it found out."""

    def compile(self) -> None:
        key = (self.rule, self.endpoint, str(self.methods), str(self.defaults))
        if key not in ROUTES:
            before = dict(vars(self))
            super().compile()
            ROUTES[key] = {name: value for name, value in vars(self).items() if before.get(name) is not value}
            ROUTES[key]["arguments"] = self.arguments
        vars(self).update(ROUTES[key])


@contextmanager
def made_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Environment, "compile", template_once)
        patch.setattr(Flask, "url_rule_class", KnownRule)
        patch.setattr(hashlib, "scrypt", cache(hashlib.scrypt))
        yield
