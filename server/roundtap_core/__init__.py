"""The tournament itself: rulebooks, pairing, standings, clock, forms, event file. Pure, standard library only."""
