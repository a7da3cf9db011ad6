"""Events: their list, a new one, one event's console and next step, its prizes, its archive."""
