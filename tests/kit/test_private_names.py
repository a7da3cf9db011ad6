"""Others' private names: one module a library has them all, for the versions named here.

A new version may keep a name and mean something else by it: what to look at is said beside each.
"""

import ast
import inspect
import re
import sys
from asyncio.sslproto import SSLProtocol
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
import uvicorn
from gpiozero.pins.mock import MockPWMPin
from gpiozero.pins.pi import PiPin
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from product_source import sources

LOOKED_AT = {
    "uvicorn": (
        ("0.54.0",),
        "server/roundtap_hub/http/uvicorn_private.py: a protocol makes its `cycle` with a request's head, which says "
        "by `response_complete` that it was answered; a Config may be copied before it is loaded. Run tests/hub/http "
        "and tests/hub/access.",
    ),
    "python": (
        ("3.11", "3.13"),
        "server/roundtap_hub/http/uvicorn_private.py: SSLProtocol takes all out of `_ssl_buffer` before it lets go "
        "of the loop, and from `_write_backlog` as from a list; tests/hub/http/test_encrypted_port.py counts.",
    ),
    "gpiozero": (
        ("2.0.1",),
        "devices/roundtap_devices/input/pin_factory.py: mock pins are stamped in `_call_when_changed`, and an output "
        "is claimed with its first level. Run tests/devices; on a Pi, listen whether the buzzer clicks at a start.",
    ),
}
INSTALLED = {
    "uvicorn": version("uvicorn"),
    "python": ".".join(map(str, sys.version_info[:2])),
    "gpiozero": version("gpiozero").partition(".post")[0],
}
PRIVATE = {
    # What only one module may name, and which that is.
    r"uvicorn\.(server|protocols)|server_state|\bpipeline\b|\.conn\b": "roundtap_hub/http/uvicorn_private.py",
    r"sslproto|_ssl_buffer|_write_appdata|_write_backlog": "roundtap_hub/http/uvicorn_private.py",
    r"gpiozero\.pins|_call_when_changed": "roundtap_devices/input/pin_factory.py",
}


@pytest.mark.parametrize("library", LOOKED_AT)
def test_the_installed_version_was_looked_at(library: str) -> None:
    versions, check = LOOKED_AT[library]
    assert INSTALLED[library] in versions, f"{library} is {INSTALLED[library]}. Check, then name it here: {check}"


def test_what_is_used_of_uvicorn_is_there() -> None:
    for protocol in (H11Protocol, HttpToolsProtocol):
        made = inspect.getsource(protocol)
        for name in ("cycle", "client", "server", "transport", "loop", "scope", "connections"):
            assert f"self.{name}" in made, name
        assert "response_complete" in made
        assert callable(protocol.on_response_complete)
    assert "self.pipeline" in inspect.getsource(HttpToolsProtocol)
    assert "self.conn" in inspect.getsource(H11Protocol)
    assert ServerState().connections == set()
    assert {"loaded", "backlog", "lifespan", "http_protocol_class"} <= set(
        re.findall(r"self\.(\w+)", inspect.getsource(uvicorn.Config))
    )
    assert callable(uvicorn.Server.capture_signals)
    assert "self.servers" in inspect.getsource(uvicorn.Server)


def test_what_is_used_of_asyncio_s_tls_is_there() -> None:
    made = inspect.getsource(SSLProtocol)
    for name in ("max_size", "_ssl_buffer", "_ssl_buffer_view", "_write_backlog", "_transport"):
        assert re.search(rf"\b{name} = ", made), name
    assert list(inspect.signature(SSLProtocol._write_appdata).parameters) == ["self", "list_of_data"]


def test_what_is_used_of_gpiozero_is_there() -> None:
    assert list(inspect.signature(MockPWMPin._call_when_changed).parameters) == ["self"]
    assert list(inspect.signature(PiPin._call_when_changed).parameters) == ["self", "ticks", "state"]
    spec = find_spec("gpiozero.pins.lgpio")
    assert spec.origin is not None
    # Not imported: it needs the library of a Pi.
    named = {
        node.attr for node in ast.walk(ast.parse(Path(spec.origin).read_text())) if isinstance(node, ast.Attribute)
    }
    assert {"_handle", "_number"} <= named


@pytest.mark.parametrize("names", PRIVATE)
def test_one_module_a_library_has_them(names: str) -> None:
    for path, text in sources().items():
        if not path.endswith(PRIVATE[names]):
            code = re.sub(r'""".*?"""|#.*', "", text, flags=re.DOTALL)
            assert re.findall(names, code) == [], path
