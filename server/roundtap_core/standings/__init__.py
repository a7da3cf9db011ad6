"""Standings: totals, tiebreakers, and the rounds that play out ties."""
