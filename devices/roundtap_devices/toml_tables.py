"""TOML descriptions: a known item with changes, and the errors for a wrong description."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import ClassVar, TypeVar

Piece = TypeVar("Piece")

WANTED = {int: "a whole number", str: "a text", bool: "true or false", dict: "a table"}


class TomlTableError(ValueError):
    """A fault in a table that the user can fix. `key` names a text in TEXTS, `params` fill it; `str()` is English."""

    TEXTS: ClassVar[Mapping[str, str]] = {
        "unreadable": "{file}: this is not a TOML file: {reason}",
        "unknown_key": "{file}: {where}: unknown key; known are {known}",
        "not_one_of": "{file}: {where}: {value} is not one of {known}",
        "wrong_type": "{file}: {where}: {value} should be {known}",
    }

    def __init__(self, key: str, **params: object) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params

    def __str__(self) -> str:
        return self.TEXTS[self.key].format(**self.params)


class TomlTable:
    """One TOML file under examination. Every method raises `error`, with the place in the file."""

    def __init__(self, text: str, file: str, error: type[TomlTableError]) -> None:
        self.file = file
        self._error = error
        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as wrong:
            raise error("unreadable", file=file, reason=str(wrong)) from None

    def like(self, pieces: Mapping[str, Piece]) -> Piece:
        """The known item that the table's ``like`` names, by default the first; removes it from `data`."""
        name = self.data.pop("like", next(iter(pieces)))
        if not isinstance(name, str):
            raise self.error_at("not_one_of", "like", value=name, known=", ".join(pieces))
        self.check_one_of("like", name, pieces)
        return pieces[name]

    def check_key(self, where: str, key: str, keys: Iterable[str]) -> None:
        if key not in keys:
            raise self.error_at("unknown_key", where, known=", ".join(keys))

    def check_one_of(self, where: str, value: object, allowed: Iterable[object]) -> None:
        if value not in allowed:
            raise self.error_at("not_one_of", where, value=value, known=", ".join(map(str, allowed)))

    def check_kind(self, where: str, value: object, kind: type) -> None:
        """`kind`: int, str, bool or dict. TOML's true is no number."""
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error_at("wrong_type", where, value=value, known=WANTED[kind])

    def error_at(self, key: str, where: str, **params: object) -> TomlTableError:
        return self._error(key, file=self.file, where=where, **params)


def load_by_name_or_path(
    name_or_file: str, pieces: Mapping[str, Piece], load: Callable[[str, str], Piece], error: type[TomlTableError]
) -> Piece:
    """A known item by name, else the result of `load(text, file name)` for the TOML file at that path."""
    if name_or_file in pieces:
        return pieces[name_or_file]
    path = Path(name_or_file)
    if not path.is_file():
        raise error("missing", file=name_or_file, known=", ".join(pieces))
    try:
        # Notepad may begin it with a byte order mark.
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise error("unreadable", file=path.name, reason=str(wrong)) from None
    return load(text, path.name)
