"""Compiled templates: kept for the next start, and never more than a help."""

import sys
from pathlib import Path

import jinja2
import pytest
from jinja2 import DictLoader, Environment

from roundtap_hub.live.template_tags import CompiledTemplates


def started(text: str, package: Path) -> tuple[str, bool]:
    """(what the template says on a hub that has just started, whether it had to be compiled)."""
    environment = Environment(autoescape=True, loader=DictLoader({"page.html": text}))
    environment.bytecode_cache = CompiledTemplates(package)
    compiled: list[str] = []
    compile_ = environment.compile

    def noted(source: str, *args: object) -> object:
        compiled.append(source)
        return compile_(source, *args)  # type: ignore[call-overload]

    environment.compile = noted  # type: ignore[method-assign, assignment]
    said = environment.get_template("page.html").render(name="Ana <R.>")
    return said, bool(compiled)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setenv("CACHE_DIRECTORY", "")
    (tmp_path / "__pycache__").mkdir()
    return tmp_path


def test_the_second_start_compiles_nothing(package: Path) -> None:
    assert started("Hello {{ name }}", package) == ("Hello Ana &lt;R.&gt;", True)
    assert started("Hello {{ name }}", package) == ("Hello Ana &lt;R.&gt;", False)


def test_a_changed_template_is_another(package: Path) -> None:
    started("Hello {{ name }}", package)
    assert started("Bye {{ name }}", package) == ("Bye Ana &lt;R.&gt;", True)


def test_what_another_jinja_compiled_is_not_used(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started("Hello {{ name }}", package)
    monkeypatch.setattr(jinja2, "__version__", "0.1")
    assert started("Hello {{ name }}", package) == ("Hello Ana &lt;R.&gt;", True)


@pytest.mark.parametrize("left", [b"", b"\0" * 400, b"j2" + b"\xff" * 400])
def test_what_a_power_cut_left_of_one_is_compiled_again(package: Path, left: bytes) -> None:
    started("Hello {{ name }}", package)
    for kept in (package / "__pycache__").iterdir():
        kept.write_bytes(left)
    assert started("Hello {{ name }}", package) == ("Hello Ana &lt;R.&gt;", True)
    assert started("Hello {{ name }}", package) == ("Hello Ana &lt;R.&gt;", False)


def test_of_one_cut_anywhere_the_rest_is_made_again_or_is_whole(package: Path) -> None:
    started("Hello {{ name }}", package)
    [kept] = (package / "__pycache__").iterdir()
    whole = kept.read_bytes()
    for length in range(len(whole)):
        kept.write_bytes(whole[:length])
        assert started("Hello {{ name }}", package)[0] == "Hello Ana &lt;R.&gt;", length


def test_what_an_older_version_compiled_is_gone(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started("Hello {{ name }}", package)
    old = {kept.name for kept in (package / "__pycache__").iterdir()}
    monkeypatch.setattr(jinja2, "__version__", "0.1")
    started("Hello {{ name }}", package)
    left = {kept.name for kept in (package / "__pycache__").iterdir()}
    assert (len(old), len(left), old & left) == (1, 1, set())


@pytest.mark.parametrize("fault", ["there is no folder", "reading fails", "Python is to keep nothing"])
def test_without_it_pages_are_as_ever(package: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    if fault == "there is no folder":
        (package / "__pycache__").rmdir()
    elif fault == "reading fails":
        # ENOTDIR, of which Jinja knows nothing.
        (package / "file").write_text("")
        monkeypatch.setenv("CACHE_DIRECTORY", str(package / "file"))
    else:
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for _ in range(2):
        assert started("Hello {{ name }}", package) == ("Hello Ana &lt;R.&gt;", True)


def test_the_service_s_own_folder_comes_first(
    package: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("CACHE_DIRECTORY", str(folder))
    started("Hello {{ name }}", package)
    assert len(list(folder.iterdir())) == 1
    assert not list((package / "__pycache__").iterdir())
