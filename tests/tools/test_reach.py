"""What counts as reaching into the product, and that no more of it comes."""

import ast

import pytest
import reach

PRIVATE_MOST, PATCHES_MOST = 141, 224
"""Go down, never up: ask from outside, or hand what fails to what is tested, as `hub_kit.Journal` does."""

CODE = """
import os
from roundtap_hub.app import console
class Desk:
    def _look(self): return self._hub
console._draw(), house.hub._pin, super()._look(), Desk()._look()
patch.setattr(console, "render", None), patch.setattr("roundtap_hub.app.console.render", None)
patch.setattr(os, "fsync", None), patch.setattr("roundtap_hub.store.journal.os.replace", None)
patch.setattr(hub.x, "y", 1)
"""


@pytest.mark.parametrize(
    ("what", "found"),
    [
        (reach.private_names, ["_draw", "_pin"]),
        (reach.patches, ["console", "roundtap_hub.app.console.render", "hub.x"]),
    ],
)
def test_what_counts(what, found):
    assert sorted(what(ast.parse(CODE))) == sorted(found)


def test_there_are_no_more_than_there_were():
    private, patched = map(sum, zip(*reach.counted().values(), strict=True))
    assert private <= PRIVATE_MOST
    assert patched <= PATCHES_MOST
