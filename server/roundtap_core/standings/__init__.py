"""Standings: what everybody has gathered, the tiebreakers, and the rounds that play a tie out."""
