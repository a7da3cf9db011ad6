"""The structure tables that two documents print alike ("Turnierstrukturen", "Estructuras de torneos")."""

from __future__ import annotations

from collections.abc import Mapping

from roundtap_core.rulebooks.base import Structure

BASIC_AND_ADVANCED: Mapping[str, tuple[Structure, ...]] = {
    "basic": (
        Structure(4, 8, 3, 0), Structure(9, 16, 4, 0), Structure(17, 24, 4, 4), Structure(25, 40, 5, 4),
        Structure(41, 44, 5, 8), Structure(45, 76, 6, 8), Structure(77, 148, 6, 16), Structure(149, None, 7, 16),
    ),
    "advanced": (
        Structure(9, 12, 4, 4), Structure(13, 24, 4, 8), Structure(25, 40, 5, 8), Structure(41, 76, 6, 8),
        Structure(77, 148, 6, 16), Structure(149, 288, 6, 32), Structure(289, 512, 7, 32),
        Structure(513, None, 8, 32),
    ),
}
