"""The table of addresses, made from what is declared.

`python tests/tools/address_table.py` writes those outside the console into MESSAGES.md; `--all` prints every one.
"""

import sys
from pathlib import Path

import roundtap_hub.app.asgi
import roundtap_hub.app.flask_app  # noqa: F401  # With them every address is declared.
from roundtap_hub.http.routes import EVERYBODY, ROUND_STATES, ROUTES, STAFF, STAFF_ROLES, STATES, VISIBLE, Route

DOCUMENT = Path(__file__).parents[2] / "server/MESSAGES.md"
HEAD = "| address | for | when |\n|---|---|---|\n"


def table(console: bool = False) -> str:
    """A line for each address, by path; `console`: the staff's pages and forms too."""
    ordered = sorted(
        (one for one in ROUTES.values() if console or not one.who <= STAFF), key=lambda one: (one.path, one.method)
    )
    return HEAD + "".join(f"| `{one.address}` | {_who(one)} | {_when(one)} |\n" for one in ordered)


def _who(one: Route) -> str:
    """Roles; "" for everybody."""
    if one.who == STAFF:
        return "staff"
    others = sorted(one.who - STAFF - {EVERYBODY})
    return ", ".join(role.replace("_", " ") for role in (*STAFF_ROLES, *others) if role in one.who)


def _when(one: Route) -> str:
    held = [f"{role}: {_states(*states)}" for role, states in one.only.items()]
    return "; ".join(filter(None, [_states(one.states, one.rounds), *held]))


def _states(states: frozenset[str], rounds: frozenset[str]) -> str:
    event = "seen" if states == VISIBLE else _some(states, STATES)
    played = _some(rounds, ROUND_STATES)
    return f"{event}, the round {played}" if played else event


def _some(these: frozenset[str], of: tuple[str, ...]) -> str:
    """In their order; "" for all of them."""
    return "" if these == frozenset(of) else ", ".join(one for one in of if one in these)


def written(text: str) -> str:
    """The table as it stands in the document."""
    return HEAD + text.partition(HEAD)[2].partition("\n\n")[0] + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--all"]:
        print(table(console=True), end="")
    else:
        document = DOCUMENT.read_text(encoding="utf-8")
        DOCUMENT.write_text(document.replace(written(document), table()), encoding="utf-8")
