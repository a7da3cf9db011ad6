"""The floor: what hub and demo serve is read by iOS 12.5, Chrome 70 and Firefox 68, held by a parser."""

from pathlib import Path

import pytest
from floor_kit import newer_functions, newer_syntax, nodes, parsed, scripts, words

from roundtap_hub.http.static_files import FOLDER, served


@pytest.mark.parametrize("name", scripts())
def test_no_script_has_syntax_newer_than_the_floor(name: str) -> None:
    assert newer_syntax(scripts()[name]) == []


@pytest.mark.parametrize("name", scripts())
def test_newer_functions_are_looked_for_before_they_are_used(name: str) -> None:
    assert newer_functions(scripts()[name]) == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.js")), ids=lambda path: path.name)
def test_what_is_sent_is_the_script_without_its_comments(path: Path) -> None:
    def code(text: str) -> list[tuple[str, str]]:
        return [
            (node.type, words(node)) for node in nodes(parsed(text)) if not node.children and node.type != "comment"
        ]

    text, sent = path.read_text(encoding="utf-8"), served(path).decode()
    assert code(sent) == code(text)
    assert len(sent) < len(text)


@pytest.mark.parametrize(
    "script",
    [
        "a?.b",
        "a ?? b",
        "a ??= b",
        "a ||= b",
        "try { a(); } catch { b(); }",
        "10_000",
        "10n",
        "class A { #a() {} }",
        "class A { a = 1 }",
        "class A { static { a(); } }",
        "/(?<=a)b/",
        "/(?<!a)b/",
        "/(?<year>a)/",
        "/a/s",
        r"/\p{L}/u",
        "/a/d",
        "/[a--b]/v",
        'new RegExp("(?<=a)b")',
        "await a()",
        'import("a")',
        "import.meta.url",
        'document.querySelector("a:has(b)")',
        'a.matches(":not(b, c)")',
    ],
)
def test_what_a_browser_of_the_floor_would_refuse_is_found(script: str) -> None:
    assert newer_syntax(script)


@pytest.mark.parametrize(
    "script",
    [
        "({ ...a, b })",
        "async () => { for await (const a of b) c(); }",
        "async function f() { await a(); }",
        "try { a(); } catch (error) { b(); } finally { c(); }",
        "const { a, ...rest } = b",
        "/(?:a|b)(?=c)(?!d)/giu",
        "a ** b",
        "`a ${b}`",
        "function* f() { yield 1; }",
    ],
)
def test_what_es2018_has_is_taken(script: str) -> None:
    assert newer_syntax(script) == []


@pytest.mark.parametrize(
    ("script", "is_taken"),
    [
        ("AbortSignal.timeout(3000)", False),
        ("if (AbortSignal.timeout) AbortSignal.timeout(3000)", True),
        ("const a = AbortSignal.timeout ? AbortSignal.timeout(3000) : null", True),
        ("navigator.vibrate && navigator.vibrate(3)", True),
        ("navigator.vibrate(3)", False),
        ("if (a) navigator.vibrate(3)", False),
        ("new FormData(form, button)", False),
        ("new FormData(form)", True),
        ("event.submitter.name", False),
        ("list.replaceChildren(...a)", False),
        ("list.at(-1)", False),
        ("text.replaceAll(a, b)", False),
        ("Object.fromEntries(a)", False),
        ("structuredClone(a)", False),
        ("new ResizeObserver(a)", False),
        ("(() => { if (!window.ResizeObserver) return; new ResizeObserver(a); })", True),
        ("if (window.ResizeObserver) new ResizeObserver(a)", True),
        ("crypto.randomUUID()", False),
        ("dialog.showModal()", False),
        ("if (dialog.showModal) dialog.showModal()", True),
        ("if (dialog.showModal()) a()", False),
        ("reportError(a)", False),
        ("const at = 3; f(at)", True),
    ],
)
def test_a_newer_function_wants_a_look(script: str, is_taken: bool) -> None:
    assert (newer_functions(script) == []) == is_taken, newer_functions(script)
