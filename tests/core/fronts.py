"""Where somebody could try to break a clause, and which tests try it there."""

from roundtap_core.rulebooks.coverage import CORE, Clause

TABLE, CONSOLE, PHONE, IMPORT, HEADLESS = "table", "console", "phone", "import", "headless"
FRONTS = (CORE, TABLE, CONSOLE, PHONE, IMPORT, HEADLESS)
"""Where somebody could try to break a clause. The core decides for all of them; what a front does before it asks the
core, or without asking, is that front's own."""

TRIED_IN = {
    "tests/core/": (CORE,),
    "tests/sim/": (CORE,),
    "tests/units/": (TABLE,),
    "tests/hub/": (CONSOLE,),
    "tests/hub/phones/test_pages_no_outside": (PHONE,),
    "tests/hub/hall/test_pages_hall": (PHONE,),
    "tests/hub/events/test_pages_import": (IMPORT,),
    "tests/kit/test_headless": (HEADLESS,),
    "tests/kit/test_first_event": (TABLE, CONSOLE),
}
"""What a test's place says of the front that it tries."""


def tried_at(clause: Clause) -> frozenset[str]:
    """The fronts at which a clause's tests try it, by the folders they stand in."""
    return frozenset(
        front
        for test in clause.tests
        for folder, fronts in TRIED_IN.items()
        if test.startswith(folder)
        for front in fronts
    )
