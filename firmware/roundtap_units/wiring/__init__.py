"""Boards listed and tried: `roundtap board`."""
