"""Rehearsals: a recorded or made-up event played on the kit, and compared."""
