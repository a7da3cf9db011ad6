"""The cut of an event in play: making it, offering places, taking it back."""
