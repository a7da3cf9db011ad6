"""What a command may be told, as data: each argument as argparse takes it."""

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any, NamedTuple


class Argument(NamedTuple):
    """`either`: of arguments with the same word here, only one may be given; `needed`: and one has to be."""

    names: tuple[str, ...]
    options: dict[str, Any]
    either: str = ""
    needed: bool = False


def argument(*names: str, either: str = "", needed: bool = False, **options: Any) -> Argument:
    return Argument(names, options, either, needed)


def add_arguments(parser: ArgumentParser, arguments: Iterable[Argument]) -> None:
    groups: dict[str, Any] = {"": parser}
    for names, options, either, needed in arguments:
        if either not in groups:
            groups[either] = parser.add_mutually_exclusive_group(required=needed)
        groups[either].add_argument(*names, **options)
