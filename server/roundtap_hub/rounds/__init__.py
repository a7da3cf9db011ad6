"""Rounds: tables and clock, a round mended by hand, the schedule, the cut and its bracket."""
