"""Phones: a player's own page, and what everybody sees."""
