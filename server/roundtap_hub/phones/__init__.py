"""Phones: a player's own page, and the public pages."""
