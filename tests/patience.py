"""How long a test waits for what must come: one figure for all, which no busy machine reaches."""

GUARD_S = 120.0
"""Against hanging for ever. A test that passes never waits so long; a shorter figure would be a measurement of time."""
