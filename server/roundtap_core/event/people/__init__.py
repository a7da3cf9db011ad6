"""People of an event in play: who enters, leaves and comes back, and their lists."""
