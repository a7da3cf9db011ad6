"""Rounds: tables and clock, a round changed manually, the schedule, the cut and its bracket."""
