"""The tournament itself: rulebooks, pairing, standings, clock, forms, event file. Pure; its only library is msgspec."""
