"""The next round of an event, whatever its stage, and the phases of a round while it runs."""
