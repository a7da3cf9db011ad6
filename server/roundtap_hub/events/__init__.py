"""Events: the list of them, a new one, the console of one and what it needs next, its prizes, its archive."""
