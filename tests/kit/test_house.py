"""The house as a whole: no circle between any two modules, and no two modules of one name but the stated families."""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import grimp
import networkx as nx

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "roundtap_core": "server",
    "roundtap_hub": "server",
    "roundtap": "server",
    "roundtap_units": "firmware",
    "roundtap_devices": "devices",
    "roundtap_machine": "server",
}
PROCESS, BASE = "main", "base"
"""Each process's own module; what all modules of a room stand on."""
ONE_SUBJECT = ("cut", "judging", "mending", "officials", "prizes", "results", "squads")
"""One word for one thing: the core's module, and the page (or the table's part) about it."""


@cache
def modules() -> tuple[str, ...]:
    """Every module of the house by its full name; packages are not modules here."""
    found = []
    for package, folder in PACKAGES.items():
        for path in sorted((ROOT / folder / package).rglob("*.py")):
            if path.name != "__init__.py":
                found.append(".".join(path.relative_to(ROOT / folder).with_suffix("").parts))
    return tuple(found)


def family(module: str) -> str:
    """What a module may share its name with: other processes and commands; else itself alone."""
    room, _, name = module.rpartition(".")
    if name in (PROCESS, BASE, *ONE_SUBJECT):
        return name
    if room == "roundtap.headless":
        return "command"
    return module


def of_one_name() -> dict[str, list[str]]:
    """Names that modules of different families have."""
    found: dict[str, list[str]] = defaultdict(list)
    for module in modules():
        found[module.rpartition(".")[2]].append(module)
    return {
        name: sorted(named)
        for name, named in found.items()
        if len({family(module) for module in named} - {"command"}) > 1
    }


def test_no_two_modules_have_one_name() -> None:
    assert of_one_name() == {}


def test_a_command_s_module_is_called_as_the_command() -> None:
    from roundtap.main import COMMANDS

    for name, command in COMMANDS.items():
        room, _, module = command.module.rpartition(".")
        if room == "roundtap.headless":
            assert module == name
        else:
            assert module in (name, PROCESS)


def test_a_template_with_a_page_s_name_is_that_page_s() -> None:
    for template in (ROOT / "server/roundtap_hub").glob("*/templates/*.html"):
        page = template.parents[1] / f"{template.stem}.py"
        if page.is_file() and "import render" in page.read_text(encoding="utf-8"):
            assert f'"{template.name}"' in page.read_text(encoding="utf-8"), template.name


def test_no_module_stands_in_a_circle() -> None:
    """Imports for type checkers and those inside functions count, too."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    house = nx.DiGraph(
        (module, imported) for module in graph.modules for imported in graph.find_modules_directly_imported_by(module)
    )
    circles = [sorted(circle) for circle in nx.strongly_connected_components(house) if len(circle) > 1]
    assert circles == []


def test_an_error_of_the_system_that_names_no_file_and_no_reason_is_told_all_the_same() -> None:
    """A full disk is noticed by a write, which knows no name: "None: No space left on device" tells nobody where."""
    careless = re.compile(r"error\.(?:filename|strerror)\b(?! or)")
    found = [
        f"{module}: {line.strip()}"
        for module in modules()
        for line in (ROOT / PACKAGES[module.split(".")[0]] / f"{module.replace('.', '/')}.py").read_text().splitlines()
        if careless.search(line) and "OSError(error.errno, error.strerror)" not in line
    ]
    assert found == []
