"""Where each key of a TOML file stands: its parser keeps no places.

The file is read a second time with the number of its line in place of each value, so that whatever way there is to
write a key or a table is understood just as it was the first time.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from roundtap_core.errors import json_pointer
from roundtap_core.typed import NESTING_MAX

TOKEN = re.compile(
    r"""   \"{3} (?: \\. | [^\\] )*? \"{3,5} | '{3} .*? '{3,5} | " (?: \\. | [^"\\] )* " | '[^']*'
    | \#[^\n]* | \n | [^\S\n]+ | \{[^\S\n]*\} | [][{},=] | \d+-\d\d-\d\d[ ]\d\d:[^][{},\#\s]+ | [^][{},="'\s\#]+""",
    re.S | re.X,
)
HERE = "\ud800"
"""The key at which a table has its own line. No file in UTF-8 can hold it."""


def read_toml(text: str) -> tuple[dict[str, Any], dict[str, int]]:
    """The file's content, and each place in it with its line: {"/match/best_of": 5}. Raises ValueError for what is not
    TOML, and for a number of thousands of digits; RecursionError."""
    data, lines = tomllib.loads(text), dict[str, int]()
    _note(tomllib.loads("".join(_marked(text))), "", lines)
    del lines[""]
    return data, lines


def _marked(text: str) -> Iterator[str]:
    """The file with lines for values. An array begins with its own; a table has it at `HERE`."""
    line, within, value = 1, "", False
    for token in TOKEN.findall(text):
        said = token
        if token in ("[", "{"):
            within += token if value else "h"
            value = value and token == "["
            said = f"[{line}," if value else token
        elif token in ("]", "}"):
            said = f'{token}\n"{HERE}" = {line}' if within == "h" else token
            within, value = within[:-1], False
        elif token in ("=", ","):
            value = token == "=" or within[-1] == "["
        elif value and token[0] != "#" and not token.isspace():
            said, value = str(line), False
        yield said
        line += token.count("\n")


def _note(marked: Any, where: str, lines: dict[str, int]) -> int:
    """Note this part's line and those of its parts; the first part's where it has none of its own. What lies
    deeper than any known key is left out."""
    while where.count("/") > NESTING_MAX and not isinstance(marked, int):
        marked = next(iter(marked.values() if isinstance(marked, dict) else marked))
    parts = dict(enumerate(marked, -isinstance(marked[0], int))) if isinstance(marked, list) else marked
    if isinstance(parts, dict):
        inner = {
            key: part if key in (HERE, -1) else _note(part, json_pointer(where, key), lines)
            for key, part in parts.items()
        }
        marked = inner.get(HERE) or inner.get(-1) or min(inner.values(), default=0)
    lines[where] = marked
    return int(marked)
