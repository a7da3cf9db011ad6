"""Where each key of a TOML file stands, against files that were written with their places known."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtap_core.rulebooks.toml_lines import read_toml

KEYS = ("k{}", "K-{}", '"k {}"', "'k]#={}'", '"k\\u002e{}"', '"übung {}"')
NAMES = ("k{}", "K-{}", "k {}", "k]#={}", "k.{}", "übung {}")
SCALARS = (
    "1",
    "-3.5",
    "1e4",
    "true",
    "2026-11-29 20:45:00",
    "07:32:00",
    '""',
    '"a # b"',
    '"a \\" ] = {"',
    "'[points]'",
    '"""\n[points]\nwin = 3\n"quoted" \\""""',
    "'''x\ny = 1\n''''",
    '""""two""""',
)
BLANKS = ("", " ", "\t")
ENDS = ("", " # [points] win = 3", "   #", "\n", " # {\n\n# ]")


class Written:
    """A file as it is written: its text, and where each key went."""

    def __init__(self, data: st.DataObject) -> None:
        self.data, self.text, self.count = data, "", 0
        self.places: dict[str, int] = {}

    def one_of(self, options: tuple[str, ...]) -> str:
        return self.data.draw(st.sampled_from(options))

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def key(self) -> tuple[str, str]:
        """A new key as it is written, and its name in a place."""
        self.count += 1
        at = self.data.draw(st.integers(0, len(KEYS) - 1))
        return KEYS[at].format(self.count), NAMES[at].format(self.count)

    def entry(self, where: str, levels: int) -> None:
        """Some `key.key = value`."""
        path = [self.key() for _ in range(self.data.draw(st.integers(1, 2)))]
        blank = self.one_of(BLANKS)
        self.text += f"{blank}.{blank}".join(written for written, _ in path) + f"{blank}={blank}"
        for _, name in path:
            where = f"{where}/{name}"
            self.places[where] = self.line
        self.value(where, levels)

    def value(self, where: str, levels: int) -> None:
        self.places.setdefault(where, self.line)
        kind = self.data.draw(st.integers(0, 4)) if levels else 0
        items = self.data.draw(st.integers(0, 3))
        if kind < 2:
            self.text += self.one_of(SCALARS)
        elif kind < 4:
            self.text += "["
            for at in range(items):
                self.text += self.gap()
                self.value(f"{where}/{at}", levels - 1)
                self.text += self.gap() + ("," if at < items - 1 else self.one_of(("", ",")))
            self.text += self.gap() + "]"
        else:
            self.text += "{" + self.one_of(BLANKS)
            for at in range(items):
                self.text += ", " if at else ""
                self.entry(where, levels - 1)
            self.text += self.one_of(BLANKS) + "}"

    def gap(self) -> str:
        return self.one_of(("", " ", "\n", " # ] x = 3\n", "\n\n  "))

    def entries(self, where: str) -> None:
        for _ in range(self.data.draw(st.integers(0, 3))):
            self.text += self.one_of(BLANKS)
            self.entry(where, 3)
            self.text += self.one_of(ENDS) + "\n"

    def table(self, levels: int = 2, above: tuple[str, str] = ("", "")) -> None:
        """A table, or a list of them, with tables below it."""
        written, name = self.key()
        path = f"{above[0]}{written}"
        many, blank = self.data.draw(st.integers(0, 2)), self.one_of(BLANKS)
        self.places[f"{above[1]}/{name}"] = self.line
        for at in range(many or 1):
            where = f"{above[1]}/{name}/{at}" if many else f"{above[1]}/{name}"
            self.places[where] = self.line
            head = f"{blank}{path}{blank}"
            self.text += f"{blank}[[{head}]]" if many else f"{blank}[{head}]"
            self.text += self.one_of(ENDS) + "\n"
            self.entries(where)
            if levels and self.data.draw(st.booleans()):
                self.table(levels - 1, (f"{path}{blank}.{blank}", where))


@given(st.data())
def test_every_key_is_found_on_its_line_however_it_is_written(data: st.DataObject) -> None:
    file = Written(data)
    file.entries("")
    for _ in range(data.draw(st.integers(0, 3))):
        file.table()
    assert read_toml(file.text) == (tomllib.loads(file.text), file.places)
    assert read_toml(file.text.replace("\n", "\r\n"))[1] == file.places


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("[a.b]\n[a]\nc = 1\n", {"/a": 2, "/a/b": 1, "/a/c": 3}),
        ("[a.b]\n", {"/a": 1, "/a/b": 1}),
        ("a.b = 1\na.c = 2\n", {"/a": 1, "/a/b": 1, "/a/c": 2}),
        ("a = [ # [x]\n1,\n[2,\n3]]", {"/a": 1, "/a/0": 2, "/a/1": 3, "/a/1/0": 3, "/a/1/1": 4}),
        ('"a/b~" = {}', {"/a~1b~0": 1}),
        ('"" = 1\n[x]\n"" = {"" = 3}', {"/": 1, "/x": 2, "/x/": 3, "/x//": 3}),
    ],
)
def test_where_a_key_is(text: str, expected: dict[str, Any]) -> None:
    assert read_toml(text) == (tomllib.loads(text), expected)


def test_a_key_of_thousands_of_parts_has_its_line() -> None:
    assert read_toml("\n" + ".".join("a" * 3000) + " = 1")[1]["/a/a"] == 2
