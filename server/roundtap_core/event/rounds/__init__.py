"""Rounds of an event in play: drawing, publishing, the clock, and the end."""
